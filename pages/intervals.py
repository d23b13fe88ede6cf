"""Confidence intervals: DP-GD's iterates settle around least squares, and their spread gives an interval at no cost in privacy."""

from functools import partial

import streamlit as st

from core.experiments import intervals
from core.views import intervals as view
from pages import _desk, _figure, _intervals_controls, _intervals_data, _intervals_view, _share, _tried

setting = _intervals_controls.current()
st.markdown(
    "### An interval from the noise itself\n"
    "Private gradient descent never stands still: its noise keeps it in a cloud around the least-squares fit. The spread of that cloud says "
    "how far off the private answer may be. **How often is such an interval right?**"
)
top = st.container()  # the chart first, what moves it below
own = _intervals_data.choose(setting)
expected = _intervals_data.known(setting, own)
if expected is not None:
    wanted = (setting, own)
    run = partial(_intervals_view.run, *wanted)
    job = _desk.desk("intervals").show(wanted, run)
    chosen, step = _intervals_data.shown(expected)

    def paint(job):
        """What changes while the run goes."""
        _intervals_view.progress(job)
        _intervals_view.headline(expected, job.latest)
        _intervals_view.cloud(expected, chosen, step, job.latest)

    with top:
        _desk.live("intervals", wanted, run, paint)
with st.container(key="presets", horizontal=True):
    for key, preset in intervals.presets().items():
        st.button(preset.label, key=f"preset-{key}", on_click=_intervals_controls.load, args=(preset.setting,))
st.caption(next((f"{preset.label}. {preset.says}" for preset in intervals.presets().values() if preset.setting == setting), "Your own setting."))
if expected is not None:
    done = job.latest if job.state == "finished" else None
    if done is not None:
        _intervals_view.replicates(done, chosen[0])
    _desk.live("intervals-theory", wanted, partial(intervals.prepare, expected), partial(_intervals_view.theory, expected, done))
    _figure.table(intervals.ledger(expected), "ledger", intervals.ledger, "budget")
    _figure.table(intervals.budgets(setting), "budgets", intervals.budgets, "budget")
    if done is not None and intervals.is_drawn(setting):  # one thing at a time: the run itself goes first
        st.markdown("### The error of one private estimate")
        _desk.live("intervals-panel", setting, partial(intervals.panel, setting), _intervals_view.panel)
    _tried.table("intervals", setting, _intervals_view.kept(expected, done), _intervals_controls.load)
    choices = {} if own is None else {"target": own.target} | view.coverage_and_width(setting, own)
    _share.bar("intervals", setting, coordinate=chosen[0] + 1, second_coordinate=chosen[1] + 1, **choices)
