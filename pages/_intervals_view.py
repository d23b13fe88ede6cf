"""What a run shows: the cloud, the chain, hits and misses, and how often the intervals are right."""

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from core.devices import use_one_thread
from core.experiments import intervals
from core.experiments.intervals import Chains, Expected, IntervalSetting, OwnTable
from core.jobs import Job
from pages import _figure


def run(setting: IntervalSetting, own: OwnTable | None) -> Iterator[Chains]:
    """The run, planned in the thread that runs it."""
    use_one_thread()
    yield from intervals.plan(setting, own).stream()


def progress(job: Job) -> None:
    """How far the run is."""
    chains, state = job.latest, job.state
    if state == "running" and chains is not None:
        steps = chains.expected.made.run_steps
        st.progress(chains.step / steps, f"running: step {chains.step:,} of {steps:,}")
    if chains is not None and chains.status:
        st.warning(chains.status)


def headline(expected: Expected, chains: Chains | None) -> None:
    """Coverage in theory and measured, width against the classical interval, and epsilon."""
    said = intervals.headline(expected, chains)
    with st.container(key="headline"):
        theory = (
            f'<div><b id="coverage">{said.coverage}</b><small>of the intervals cover least squares<br>'
            f'{said.how}{f", {said.asked} asked for" if said.holds else ": does not hold here"}</small></div>'
        )
        measured = f'<div><b id="measured">{said.measured}</b><small>measured<br><span id="error">{said.error}</span></small></div>'
        st.html(
            f'<div class="headline">{theory + measured if said.holds else measured + theory}'
            f'<div><b id="width">{said.width}</b><small>times as wide as the<br>classical interval{"" if said.holds else ", measured"}</small></div>'
            f'<div><b id="epsilon-said">{said.epsilon}</b><small>epsilon<br>of everything published</small></div></div>'
        )


def kept(expected: Expected, chains: Chains | None) -> dict[str, str]:
    """The headline as a row of the table of results tried; empty until the run has ended."""
    if chains is None:
        return {}
    said = intervals.headline(expected, chains)
    return {f"coverage, {said.how}": said.coverage, "measured": f"{said.measured} {said.error}", "width over classical": said.width}


def cloud(expected: Expected, chosen: tuple[int, int], step: int, chains: Chains | None) -> None:
    """The plane of two coefficients; it follows the slider of steps once the run has finished."""
    if chains is not None and not chains.finished:
        _figure.show(intervals.cloud(expected, *chosen, chains.step, chains), "main", intervals.cloud, "iterate_law", height=500)
        return
    here = intervals.cloud(expected, *chosen, step, chains)
    frames = {"shown_step": {at: intervals.cloud(expected, *chosen, at, chains) for at in intervals.shown_steps(expected)}}
    even = expected.setting.schedule == "uniform"  # else early iterates are so far out that one axis does not fit all frames
    if chains is not None:
        here = replace(here, verdict=intervals.coverage_verdict(chains))
    _figure.show(here, "main", intervals.cloud, "iterate_law", height=500, frames=frames if even else None)


def replicates(chains: Chains, coordinate: int) -> None:
    """One chain and its interval, hits and misses, coverage as it accumulates."""
    left, right = st.columns(2)
    with left:
        _figure.show(intervals.chain(chains, coordinate), "chain", intervals.chain, "student_interval", height=380)
    with right:
        _figure.show(intervals.caterpillar(chains, coordinate), "caterpillar", intervals.caterpillar, "student_interval", height=380)
    left, right = st.columns(2)
    with left:
        so_far = replace(intervals.coverage_so_far(chains), verdict="")  # it stands under the cloud
        _figure.show(so_far, "coverage", intervals.coverage_so_far, "exact_coverage", height=380)
    with right:
        _figure.show(intervals.side_by_side(chains), "side", intervals.side_by_side, "ols_interval", height=380)
    _figure.table(intervals.coefficients(chains), "coefficients", intervals.coefficients, "student_interval")


def theory(expected: Expected, chains: Chains | None, job: Job) -> None:
    """What is exact: coverage and width against gradients in all, and what clipping does; stage by stage, as `job` has them."""
    st.markdown("### Which construction, and how many gradients?\nCurves of the exact law without clipping: nothing here is simulated but the point of this run.")
    ready = job.latest or 0
    if ready >= 1:
        left, right = st.columns(2)
        with left:
            coverage = intervals.against_steps(expected, "coverage", chains)
            _figure.show(coverage, "against-steps", intervals.against_steps, "exact_coverage", height=380)
        with right:
            width = intervals.against_steps(expected, "interval_width", chains)
            _figure.show(width, "width", intervals.against_steps, "exact_coverage", height=380)
    if ready >= 2:
        st.markdown("### What clipping does")
        against = intervals.coverage_against_clipping(expected, chains)
        _figure.show(against, "clipping", intervals.coverage_against_clipping, "huber", height=380)
    if ready >= 3:
        _figure.table(intervals.conditions(expected), "conditions", intervals.conditions, "no_clipping")


def panel(job: Job) -> None:
    """Errors against records, features and clip norm, as they are computed in a thread."""
    made = (intervals.error_against_samples, intervals.error_against_dim, intervals.error_against_clipping)
    formulas = ("budget", "budget", "huber")
    for place, (result, function, formula) in enumerate(zip(job.snapshots, made, formulas, strict=False)):
        _figure.show(result, f"panel-{place + 1}", function, formula, height=380)
    if job.state == "running":
        st.caption(f"Computing: {len(job.snapshots)} of {len(made)} pictures are done.")
