"""What a run shows while it goes."""

from collections.abc import Callable

import streamlit as st

from core import comparison, figures, simulation
from core.results import Result
from pages import _figure
from pages._bench import Run, progress
from pages._chart import live_chart
from pages._run import GAUSSIAN, Wanted


def paint(run: Run | None, wanted: Wanted) -> None:
    """The run as it is now; before there is one, the exact theory of what it will show."""
    if run is None:
        with st.container(key="run-state"):
            st.markdown("Press **Run**: the arms train side by side on the same examples and the same seed noise.")
        if wanted.source == GAUSSIAN:
            _chart(comparison.excess_risk(wanted.setting), comparison.excess_risk)
        return
    progress(run, stale=run.wanted != wanted)
    snapshots = run.job.snapshots
    if snapshots:
        _charts(simulation.outcome(run.plan, snapshots), run.plan, snapshots)


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
        if result.verdict:
            with st.container(key="verdict"):
                st.markdown(result.verdict)
        st.caption(result.caption + (f" Bands: {result.band}." if result.band else ""))
        if result.status:
            st.warning(result.status)
        _figure.behind(result, made_by, "excess_risk", "train")
