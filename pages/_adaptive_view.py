"""What the adaptive clipping page shows, as results arrive."""

import streamlit as st

from core.devices import use_one_thread
from core.experiments import adaptive
from core.experiments.adaptive import AdaptiveSetting
from core.jobs import Job
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
    return {words.replace("<br>", " "): _short(value) for _, value, words in _numbers(job.latest)}


def _paint(job: Job) -> None:
    outcome = job.latest
    if outcome is None:
        return
    _headline(outcome)
    with st.container(key="run-state"):
        words = "all there" if job.state == "finished" else "more is coming"
        st.progress(outcome.fraction, f"{words}: {outcome.fraction:.0%} of the runs, {outcome.setting.replicates} replicates each")
    _figure.show(adaptive.against_label_noise(outcome), "main", adaptive.against_label_noise, "adaptive", height=440)
    left, right = st.columns(2)
    with left:
        _figure.show(adaptive.thresholds(outcome), "thresholds", adaptive.thresholds, "private_threshold", height=360)
    norms = adaptive.gradient_norms(outcome)
    if norms is not None:
        with right:
            _figure.show(norms, "norms", adaptive.gradient_norms, "adaptive", height=360)
    _figure.table(adaptive.ledger(outcome.setting), "ledger", adaptive.ledger, "ledger")
    left, right = st.columns(2)
    with left:
        _figure.show(adaptive.against_sample_size(outcome), "sizes", adaptive.against_sample_size, "sample_size", height=360)
    with right:
        _figure.show(adaptive.against_steps(outcome), "steps", adaptive.against_steps, "adaptive", height=360)
    _figure.table(adaptive.excess_table(outcome), "excess", adaptive.excess_table, "adaptive")


def _numbers(outcome: adaptive.Outcome) -> list[tuple[str, float | None, str]]:
    return [
        ("fall", adaptive.fall(outcome), "times less error where label<br>noise falls from 1 to .01"),
        ("fall-fixed", adaptive.fall(outcome, adaptive.TUNED), "the same with the best<br>fixed clip norm for each"),
        ("printed-cost", adaptive.cost_of_printing(outcome), "times the error of exact<br>accounting, as printed"),
    ]


def _headline(outcome: adaptive.Outcome) -> None:
    numbers = _numbers(outcome)
    cells = "".join(f'<div><b id="{key}">{_short(value)}</b><small>{words}</small></div>' for key, value, words in numbers)
    with st.container(key="headline"):
        st.html(f'<div class="headline">{cells}</div>')


def _short(value: float | None) -> str:
    return "-" if value is None else f"{float(f'{value:.2g}'):,.0f}" if 10 <= value < 1e6 else f"{value:.2g}"
