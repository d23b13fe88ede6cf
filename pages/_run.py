"""A run that lives as long as the viewer's session, and the buttons that command it."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import simulation
from core.comparison import Setting
from core.devices import use_one_thread
from core.jobs import Job
from core.problems import tables

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


def own_table() -> tuple[bytes, str]:
    """The viewer's own CSV file and the column to predict; what is not a table is told in one sentence."""
    upload = st.file_uploader("A CSV file: a header row, numbers below it", "csv", key="csv")
    if upload is None:
        return b"", ""
    content = upload.getvalue()
    try:
        columns = tables.column_names(content)
    except ValueError as error:
        st.warning(f"{error}.")
        return content, ""
    return content, st.selectbox("Column to predict", columns, index=len(columns) - 1, key="target")


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
    box.job.step()
    box.job.wait(5.0)  # with the snapshot of step 0 there is something to draw: the chart never leaves the page
    if not paused:
        box.job.resume()


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
        st.button("Step", key="step", on_click=job.step)
        st.button("Cancel", key="cancel", on_click=job.cancel)
    else:
        st.button("Step", key="step", on_click=start, args=(wanted, True))
        st.button("Cancel", key="cancel", disabled=True)
    error = st.session_state.pop("run_error", "")
    if error:
        st.warning(error)
