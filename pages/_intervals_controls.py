"""The controls of the confidence intervals page: widgets -> one frozen `IntervalSetting`."""

import streamlit as st

from core import privacy
from core.devices import DEVICES
from core.experiments.intervals.setting import CONSTRUCTIONS, SCHEDULES, TABLES, IntervalSetting, is_drawn
from core.names import name
from core.problems.designs import DESIGNS
from pages import _groups
from pages._groups import Group, load

GRIDS = {
    "n_samples": (500, 1000, 2000, 5000, 10_000, 20_000, 40_000, 100_000, 200_000),
    "dim": (2, 5, 10, 20, 50, 100),
    "rho": (0.001, 0.005, 0.015, 0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0),
    "delta": (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4),
    "clip_factor": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0),
    "learning_rate": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0),
    "steps": (60, 90, 120, 160, 220, 250, 300, 370, 500, 750, 1000, 1500, 2000),
    "groups": (2, 3, 4, 5, 6, 8, 10, 15, 20, 30),
    "burn_in": (0, 5, 10, 20, 30, 50, 100, 200),
    "replicates": (5, 10, 20, 40, 100, 200),
}
DESIGN_WORDS = {key: words for key, (words, _) in DESIGNS.items()} | TABLES


def current() -> IntervalSetting:
    """The setting that the widgets show now."""
    return _groups.current(GROUP)


def draw() -> None:
    """All controls: those that tell the story above the page, the rest in the sidebar."""
    with st.sidebar:
        st.markdown("**Privacy**: one record replaced by another")
        _knobs("rho")
        st.caption(_epsilon_words())
        _knobs("delta")
        st.markdown("**Records**")
        design = _choice("design", tuple(DESIGN_WORDS))
        st.caption(f"{DESIGN_WORDS[design]}.")
        _knobs("n_samples", "dim")
        if not is_drawn(current()):
            st.caption("A table has its own number of records and features; these two move drawn records only.")
        st.markdown("**Interval**")
        _choice("construction", tuple(CONSTRUCTIONS))
        _knobs("groups", "burn_in")
        st.markdown("**Optimiser**")
        _knobs("learning_rate")
        _choice("schedule", tuple(SCHEDULES))
        st.markdown("**Simulation**")
        _knobs("replicates")
        st.number_input("seed", 0, 2**31 - 1, IntervalSetting.seed, key="seed", bind="query-params", help=name("seed").meaning)
        _choice("device", DEVICES)
        st.button("Reset all controls", on_click=load, args=(IntervalSetting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        _knobs("clip_factor", "steps")


def _epsilon_words() -> str:
    asked = current()
    tight, simple = privacy.zcdp_epsilon(asked.rho, asked.delta), privacy.zcdp_epsilon_simple(asked.rho, asked.delta)
    return f"That is epsilon = {tight:.3g} at delta = {asked.delta:g} ({simple:.3g} by the paper's conversion)."


def _knobs(*names: str) -> None:
    for field in names:
        _groups.knob(GROUP, field)


def _choice(field: str, options: tuple[str, ...]) -> str:
    return st.selectbox(name(field).words, options, key=field, bind="query-params", help=name(field).meaning)


GROUP = Group(IntervalSetting, GRIDS, draw)
