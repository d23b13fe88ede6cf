"""A run that lives as long as the viewer's session, the buttons that command it, and what it says of itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core import simulation
from core.devices import describe, use_one_thread
from core.jobs import Job


@dataclass
class Run:
    """One run: what the controls asked for, its plan, None until the job has made it in its thread, and the job."""

    wanted: Any
    make_plan: Callable[[], simulation.Plan]
    plan: simulation.Plan | None = None
    job: Job = field(init=False)

    def __post_init__(self) -> None:
        self.job = Job(self._stream(), keep=simulation.keep)

    def _stream(self) -> Iterator:
        self.plan = self.make_plan()
        yield from self.plan.stream()


@dataclass
class Bench:
    """The one run that a session has on a page, and the state that its buttons were drawn for."""

    run: Run | None = None
    drawn: str = "none"

    def close(self) -> None:
        """End the run with its session."""
        if self.run is not None:
            self.run.job.cancel()

    def start(self, wanted: Any, make_plan: Callable[[], simulation.Plan], paused: bool, patience: float) -> None:
        """Begin a new run in place of the old one, and wait so many seconds at most until there is something to draw."""
        self.close()
        self.run = Run(wanted, make_plan)
        self.run.job.step()
        self.run.job.wait(patience)
        if not paused:
            self.run.job.resume()


@st.cache_resource(scope="session", on_release=Bench.close, show_spinner=False)
def bench(page: str) -> Bench:
    """This session's run on a page."""
    use_one_thread()
    return Bench()


def buttons(box: Bench, begin: Callable[[bool], None]) -> None:
    """Run, pause or resume, step, cancel: each does one thing to the job and returns at once. `begin(paused)` starts one."""
    job = box.run.job if box.run else None
    state = box.drawn = job.state if job else "none"
    st.button("Run", type="primary", key="run", on_click=begin, args=(False,))
    if state == "paused":
        st.button("Resume", key="resume", on_click=job.resume)
    else:
        st.button("Pause", key="pause", on_click=job.pause if job else None, disabled=state != "running")
    if state in ("running", "paused"):
        st.button("Step", key="step", on_click=job.step)
        st.button("Cancel", key="cancel", on_click=job.cancel)
    else:
        st.button("Step", key="step", on_click=begin, args=(True,))
        st.button("Cancel", key="cancel", disabled=True)
    error = st.session_state.pop("run_error", "")
    if error:
        st.warning(error)


def live(box: Bench, paint: Callable[[Run | None], None], seconds: float = 0.1) -> None:
    """What `paint` makes of the run as it is now, repainted every so many seconds while it runs."""
    running = box.drawn == "running"  # not the job's own state: it may have ended since, and then the buttons are drawn anew
    st.fragment(_poll, run_every=seconds if running else None)(box, paint, running)


def progress(run: Run, stale: bool) -> None:
    """How far a run is, where, how fast, and whether the controls have moved since it began."""
    job, plan = run.job, run.plan
    with st.container(key="run-state"):
        if plan is not None:
            snapshots, config = job.snapshots, plan.config
            step = snapshots[-1].step if snapshots else 0
            st.progress(
                step / config.steps,
                f"{job.state}: step {step:,} of {config.steps:,} on {describe(config.device)}, "
                f"{job.rate * config.record_every:,.0f} steps a second, {config.replicates} replicates",
            )
        elif job.state == "running":
            st.progress(0.0, "calibrating: how much noise each of them needs for the same privacy")
        if stale:
            st.markdown(":orange-badge[Stale] You moved a control: this run keeps the settings it began with. Press Run for the new ones.")
        if job.error:
            st.error(job.error.removeprefix("ValueError: "))


def _poll(box: Bench, paint: Callable[[Run | None], None], was_running: bool) -> None:
    paint(box.run)
    if was_running and box.run.job.state != "running":
        st.rerun()
