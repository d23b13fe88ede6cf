"""What a run of several lambda at once shows while it goes."""

from dataclasses import replace

import streamlit as st

from core.experiments import kan
from core.learners import Snapshot
from pages import _figure
from pages._bench import Run, bench, progress
from pages._kan_data import Wanted
from pages._kan_privacy import at_work, calibrate


def start(wanted: Wanted, paused: bool) -> None:
    """Begin a new run in place of the old one, its noise calibrated in its own thread; a bad table leaves the old one."""
    if wanted.trouble:
        st.session_state["run_error"] = wanted.trouble
        return

    def plan() -> kan.Plan:
        kan.check_size(wanted.setting, own)  # before seconds are spent on its noise
        for _ in calibrate(wanted.setting, own) if wanted.setting.private else ():
            if box.run.wanted is not wanted or box.run.job.state == "cancelled":
                raise RuntimeError("no longer wanted")
        return kan.plan(wanted.setting, own)

    own, box = wanted.own(), bench("kan")
    box.start(wanted, plan, paused, patience=0.5)


def paint(run: Run | None, wanted: Wanted) -> None:
    """The run as it is now."""
    snapshots = run.job.snapshots if run else []
    _headline(kan.best_gain(run.plan, snapshots) if snapshots else None)
    if run is None:
        with st.container(key="run-state"):
            lambdas = ", ".join(f"{value:g}" for value in kan.correlations(wanted.setting))
            st.markdown(f"Press **Run**: lambda = {lambdas} train side by side on the same batches and the same seed noise.")
        return
    progress(run, stale=run.wanted != wanted)
    if run.plan is None and at_work():
        st.caption(f"The tight accountant is {at_work()}: seconds each, once. The spectral bound starts at once and asks for more noise.")
    if snapshots:
        _curves(run.plan, snapshots)


def paint_details(run: Run | None) -> None:
    """What may follow more slowly: losses, clipping and what the network learned."""
    snapshots = run.job.snapshots if run else []
    if snapshots:
        _losses(run.plan, snapshots)
        latest = run.job.latest
        if latest.step > 0:
            _network(run.plan, latest)


def kept(run: Run | None) -> dict[str, str]:
    """The headline of a run that has ended as a row of the table of results tried; empty before, and without privacy."""
    if run is None or run.job.state != "finished":
        return {}
    best = kan.best_gain(run.plan, run.job.snapshots)
    if best is None:
        return {}
    found, gain, error, says = _texts(best)
    return {"best lambda above 0": found, "test accuracy over lambda = 0": f"{gain} {error}", "which": says}


def _texts(best: kan.Difference | None) -> tuple[str, str, str, str]:
    if best is None:
        return "...", "...", "", "known after a run"
    says = "beyond chance" if best.differs(1) else "WORSE than DP-SGD" if best.differs(-1) else "may be chance"
    return f"{best.correlation:g}", f"{best.difference:+.4f}", f"+- {best.error:.4f}", says


def _headline(best: kan.Difference | None) -> None:
    found, gain, error, says = _texts(best)
    with st.container(key="headline"):
        st.html(
            f'<div class="headline"><div><b id="best-lambda">{found}</b><small>best lambda above 0<br>of those compared</small></div>'
            f'<div><b id="gain">{gain}</b><small><span id="gain-error">{error}</span> test accuracy over lambda = 0<br>'
            f'<span id="gain-says">{says}</span></small></div></div>'
        )


def _curves(plan: kan.Plan, snapshots: list) -> None:
    _figure.show(kan.outcome(plan, snapshots), "main", kan.outcome, "kan", height=400)
    left, right = st.columns(2)
    if plan.setting.private:
        with left:
            against = replace(kan.accuracy_against_correlation(plan, snapshots), verdict="")  # it stands under the first chart
            _figure.show(against, "correlation", kan.accuracy_against_correlation, "paired", height=380)
        with right:
            _figure.show(kan.gain_while_training(plan, snapshots), "ahead", kan.gain_while_training, "paired", height=380)


def _losses(plan: kan.Plan, snapshots: list) -> None:
    left, right = st.columns(2)
    with left:
        _figure.show(kan.outcome(plan, snapshots, "test_loss"), "loss", kan.outcome, "kan", height=340)
        if "share_clipped" in snapshots[-1].measures:
            _figure.show(kan.outcome(plan, snapshots, "share_clipped"), "clipped", kan.outcome, "clipping", height=340)
    with right:
        if plan.setting.private:
            _figure.show(kan.noise_path(plan, snapshots), "noise", kan.noise_path, "noise_path", height=380)


def _network(plan: kan.Plan, snapshot: Snapshot) -> None:
    st.markdown("### What the network learned\nThe edges that training moved most: before, now without noise, and now in private.")
    edges = kan.busiest_edges(plan, snapshot)
    for first in range(0, len(edges), 2):
        for place, column in zip(range(first, len(edges)), st.columns(2), strict=False):
            with column:
                _figure.show(kan.edge(plan, snapshot, edges[place]), f"edge-{place + 1}", kan.edge, "kan", height=320)
    if plan.problem.dim == 2:
        _figure.show(kan.decision_boundary(plan, snapshot), "boundary", kan.decision_boundary, "kan", height=460)
