"""What Train live runs: the setting on made-up data, on real data, or on the viewer's own."""

from dataclasses import dataclass

import streamlit as st

from core import simulation
from core.comparison import Setting
from core.problems import tables
from pages._bench import bench

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


def start(wanted: Wanted, paused: bool) -> None:
    """Begin a new run in place of the old one; what cannot be run leaves the old one and says why."""
    try:
        planned = plan(wanted)
        planned.stream().close()
    except ValueError as error:
        st.session_state["run_error"] = f"{error}."
        return
    bench("train").start(wanted, lambda: planned, paused, patience=5.0)  # the chart never leaves the page
