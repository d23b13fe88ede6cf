"""A run that lives as long as the viewer's session: buttons that set events, and a fragment that polls its snapshots."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import comparison, figures, simulation
from core.comparison import Setting
from core.devices import describe, use_one_thread
from core.jobs import Job
from core.problems import tables
from core.results import Result
from pages import _figure
from pages._chart import live_chart

GAUSSIAN, DIABETES, CSV = "Gaussian design", "Diabetes (real)", "Your CSV"
SOURCES = (GAUSSIAN, DIABETES, CSV)


@dataclass(frozen=True)
class Wanted:
    """What the controls ask for now. A run whose `Wanted` differs is stale."""

    setting: Setting
    source: str
    clipping: bool
    content: bytes = b""
    target: str = ""


@dataclass
class Bench:
    """The one run of a session."""

    wanted: Wanted | None = None
    plan: Any = None
    job: Job | None = None

    def close(self) -> None:
        """End the run with its session."""
        if self.job is not None:
            self.job.cancel()


@st.cache_resource(scope="session", on_release=Bench.close, show_spinner=False)
def bench() -> Bench:
    """This session's run."""
    use_one_thread()
    return Bench()


def plan(wanted: Wanted) -> simulation.Plan:
    """The plan of a run. Raises: ValueError in one sentence for data or settings that cannot be run."""
    if wanted.source == GAUSSIAN:
        return simulation.gaussian(wanted.setting, wanted.clipping)
    dataset = tables.diabetes() if wanted.source == DIABETES else tables.from_csv(wanted.content, wanted.target)
    return simulation.table(wanted.setting, dataset, wanted.clipping)


def start(wanted: Wanted, paused: bool = False) -> None:
    """Begin a new run in place of the old one; what cannot be run leaves the old one and says why."""
    box = bench()
    try:
        planned = plan(wanted)
        stream = planned.stream()
    except ValueError as error:
        st.session_state["run_error"] = f"{error}."
        return
    box.close()
    box.wanted, box.plan = wanted, planned
    box.job = Job(stream, total=planned.total, keep=simulation.keep)
    box.job.step() if paused else box.job.start()


def buttons(wanted: Wanted) -> None:
    """Run, pause or resume, step, cancel: each does one thing to the job and returns at once."""
    job = bench().job
    state = job.state if job else "none"
    st.button("Run", type="primary", key="run", on_click=start, args=(wanted,))
    if state == "paused":
        st.button("Resume", key="resume", on_click=job.resume)
    else:
        st.button("Pause", key="pause", on_click=job.pause if job else None, disabled=state != "running")
    if state in ("running", "paused"):
        st.button("Step", key="step", on_click=job.step, help="Take the run one snapshot further, then pause.")
        st.button("Cancel", key="cancel", on_click=job.cancel)
    else:
        st.button("Step", key="step", on_click=start, args=(wanted, True), help="Begin a run and pause at its first snapshot.")
        st.button("Cancel", key="cancel", disabled=True)
    error = st.session_state.pop("run_error", "")
    if error:
        st.warning(error)


def live(wanted: Wanted) -> None:
    """The run as it is now, repainted ten times a second while it runs."""
    job = bench().job
    running = job is not None and job.state == "running"
    st.fragment(_paint, run_every=0.1 if running else None)(wanted, running)


def _paint(wanted: Wanted, was_running: bool) -> None:
    box = bench()
    if box.job is None:
        with st.container(key="run-state"):
            st.markdown("Press **Run**: the arms train side by side on the same examples and the same seed noise.")
        if wanted.source == GAUSSIAN:
            _chart(comparison.excess_risk(wanted.setting), comparison.excess_risk)
        return
    job, planned = box.job, box.plan
    snapshots = job.snapshots
    step = snapshots[-1].step if snapshots else 0
    every = planned.config.record_every
    with st.container(key="run-state"):
        st.progress(step / planned.config.steps, f"{job.state}: step {step:,} of {planned.config.steps:,} on {describe(planned.config.device)}, "
                    f"{job.rate * every:,.0f} steps a second, {planned.config.replicates} replicates")
    if box.wanted != wanted:
        st.markdown(":orange-badge[Stale] You moved a control: this run keeps the settings it began with. Press Run for the new ones.")
    if job.error:
        st.error(job.error)
    if snapshots:
        _charts(simulation.outcome(planned, snapshots), planned, snapshots)
    if was_running and job.state != "running":
        st.rerun()


def _charts(outcome: Result, planned: simulation.Plan, snapshots: list) -> None:
    _chart(outcome, simulation.outcome)
    if "share_clipped" in snapshots[-1].measures:
        clipped = simulation.outcome(planned, snapshots, "share_clipped")
        with st.container(key="chart-clipped"):
            st.markdown(f"#### {clipped.title}")
            live_chart(figures.spec(clipped), "plot-clipped", clipped.caption, 240)
            st.caption(clipped.caption)
            _figure.behind(clipped, simulation.outcome, "clipping", "clipped")


def _chart(result: Result, made_by: Callable) -> None:
    with st.container(key="chart-main"):
        st.markdown(f"#### {result.title}")
        live_chart(figures.spec(result), "plot-train", result.caption, 420)
        st.caption(result.caption + (f" Bands: {result.band}." if result.band else ""))
        if result.status:
            st.warning(result.status)
        _figure.behind(result, made_by, "excess_risk", "train")
