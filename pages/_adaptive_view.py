"""What the adaptive clipping page shows, as results arrive."""

from collections.abc import Callable

import streamlit as st

from core.devices import use_one_thread
from core.experiments import adaptive
from core.experiments.adaptive import AdaptiveSetting
from core.jobs import Job
from core.results import Result
from pages import _desk, _figure


def live(setting: AdaptiveSetting) -> None:
    """Everything, repainted while the thread has more."""
    use_one_thread()
    _desk.live("adaptive", setting, lambda: adaptive.stream(setting), _paint)


def kept() -> dict[str, str]:
    """The headline as a row of the table of results tried; empty until all of it is there."""
    job = _desk.desk("adaptive").job
    if job is None or job.state != "finished":
        return {}
    said = adaptive.headline(job.latest)
    return {
        "error against the best fixed clip": said["lead"].short,
        "error where label noise falls from 1 to .01": said["fall"].short,
        "error as printed": said["printed-cost"].short,
    }


def _paint(job: Job) -> None:
    outcome = job.latest
    if outcome is None:
        return
    _headline(outcome)
    with st.container(key="run-state"):
        words = "all there" if job.state == "finished" else "at work"
        st.progress(outcome.fraction, f"{words}: {outcome.fraction:.0%} of the runs done, {outcome.setting.replicates} replicates each")
    _figure.show(adaptive.against_label_noise(outcome), "main", adaptive.against_label_noise, "adaptive", height=440)
    left, right = st.columns(2)
    with left:
        _once_there(adaptive.thresholds(outcome), "thresholds", adaptive.thresholds, "private_threshold")
    with right:
        _once_there(adaptive.gradient_norms(outcome), "norms", adaptive.gradient_norms, "adaptive")
    _figure.table(adaptive.ledger(outcome.setting), "ledger", adaptive.ledger, "ledger")
    left, right = st.columns(2)
    with left:
        _once_there(adaptive.against_sample_size(outcome), "sizes", adaptive.against_sample_size, "sample_size")
    with right:
        _once_there(adaptive.against_steps(outcome), "steps", adaptive.against_steps, "adaptive")
    _figure.table(adaptive.excess_table(outcome), "excess", adaptive.excess_table, "adaptive")


def _once_there(result: Result | None, key: str, made_by: Callable, formula: str) -> None:
    """A figure that has data, or its title and that it is to come."""
    if result is not None and any(curve.y.size for curve in result.curves):
        _figure.show(result, key, made_by, formula, height=360)
    elif result is not None:
        st.caption(f"**{result.title}** Still to come: its runs have not begun.")


def _headline(outcome: adaptive.Outcome) -> None:
    cells = "".join(
        f'<div><b id="{key}">{told.number}</b><small>{told.says}<br>{told.where}</small></div>'
        for key, told in adaptive.headline(outcome).items()
    )
    with st.container(key="headline"):
        st.html(f'<div class="headline">{cells}</div>')
