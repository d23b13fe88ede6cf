"""What a run shows while it goes: a fragment that polls its snapshots and paints them."""

from collections.abc import Callable

import streamlit as st

from core import comparison, figures, simulation
from core.devices import describe
from core.results import Result
from pages import _figure
from pages._chart import live_chart
from pages._run import GAUSSIAN, Wanted, bench


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
        words = (
            f"{job.state}: step {step:,} of {planned.config.steps:,} on {describe(planned.config.device)}, "
            f"{job.rate * every:,.0f} steps a second, {planned.config.replicates} replicates"
        )
        st.progress(step / planned.config.steps, words)
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
        if result.verdict:
            with st.container(key="verdict"):
                st.markdown(result.verdict)
        st.caption(result.caption + (f" Bands: {result.band}." if result.band else ""))
        if result.status:
            st.warning(result.status)
        _figure.behind(result, made_by, "excess_risk", "train")
