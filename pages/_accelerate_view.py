"""What the acceleration page shows: exact panels at once, the comparison as its runs arrive."""

import streamlit as st

from core.devices import use_one_thread
from core.experiments import accelerate
from core.experiments.accelerate import AccelerateSetting
from core.jobs import Job
from pages import _desk, _figure


def live(setting: AccelerateSetting) -> None:
    """The comparison, repainted while the thread has more."""
    use_one_thread()
    _desk.live("accelerate", setting, lambda: accelerate.stream(setting), lambda job: _paint(job, setting))


def theorem(setting: AccelerateSetting) -> None:
    """From where on the paper's guarantee says anything."""
    table = accelerate.theorem(setting)
    _figure.table(table, "theorem", accelerate.theorem, "c_dp")
    with st.container(key="verdict-theorem"):
        st.markdown(table.verdict)


def kept(setting: AccelerateSetting) -> dict[str, str]:
    """The headline as a row of the table of results tried; empty until all of it is there."""
    job = _desk.desk("accelerate").job
    if job is None or job.state != "finished":
        return {}
    said = accelerate.headline(setting, job.latest)
    return {
        "error against DP-SGD at n^(1/4)": said.gain.short,
        "by acceleration": said.by_acceleration.short,
        "by acceleration at sqrt(n)": said.by_acceleration_late.short,
    }


def _paint(job: Job, setting: AccelerateSetting) -> None:
    seen = job.latest
    _headline(setting, seen)
    with st.container(key="run-state"):
        done, total = len(seen.points) if seen else 0, len(accelerate.step_counts(setting))
        words = "all there" if job.state == "finished" else "at work"
        st.progress(done / total, f"{words}: {done} of {total} step counts done, {setting.replicates} replicates each")
    if seen is not None:
        _figure.show(accelerate.excess(setting, seen), "main", accelerate.excess, "srgd", height=520)
    left, right = st.columns(2)
    with left:
        _figure.show(accelerate.prefix_noise(setting), "prices", accelerate.prefix_noise, "prefix_price", height=380)
    if seen is None:
        return
    if seen.watched:
        with right:
            _figure.show(accelerate.sensitivity(setting, seen), "flat", accelerate.sensitivity, "flat_sensitivity", height=380)
    _figure.table(accelerate.ledger(setting, seen), "ledger", accelerate.ledger, "srgd")


def _headline(setting: AccelerateSetting, seen: accelerate.Seen | None) -> None:
    said = accelerate.headline(setting, seen or accelerate.Seen((), ()))
    cells = {
        "gain": said.gain,
        "speed": said.by_acceleration,
        "speed-late": said.by_acceleration_late,
        "speaks": (accelerate.speaks_from(setting), "records until", "the theorem speaks"),
    }
    cells = "".join(
        f'<div><b id="{key}">{number}</b><small>{says}<br>{where}</small></div>' for key, (number, says, where) in cells.items()
    )
    with st.container(key="headline"):
        st.html(f'<div class="headline">{cells}</div>')
