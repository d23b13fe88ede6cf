"""The controls of the workbench: widgets -> one frozen `Setting`. Drawn once by app.py, read by pages with `current()`."""

import streamlit as st

from core.comparison import CORRELATION_GRID, NU_GRID, Setting
from core.names import name
from pages import _groups
from pages._groups import Group, load

_DECADES = (1.0, 2.0, 5.0)
GRIDS = {
    "nu": NU_GRID,
    "correlation": CORRELATION_GRID,
    "learning_rate": tuple(float(f"{m}e{p}") for p in (-3, -2, -1) for m in (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)) + (1.0, 1.5),
    "batch_size": tuple(2**k for k in range(11)),
    "steps": (10, 20, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10_000),
    "dim": (1, 2, 4, 8, 16, 32, 64, 128, 256),
    "decay": tuple(round(0.1 * k, 1) for k in range(31)),
    "label_noise": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    "epsilon": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0),
    "delta": tuple(float(f"1e{p}") for p in range(-12, -2)),
    "clip_norm": tuple(float(f"{m}e{p}") for p in (-2, -1, 0, 1) for m in _DECADES),
    "replicates": (2, 5, 10, 20, 50, 100, 200),
}


def current() -> Setting:
    """The setting that the widgets show now."""
    return _groups.current(GROUP)


def knob(field: str) -> None:
    """A slider for one field of the setting."""
    _groups.knob(GROUP, field)


def draw() -> None:
    """All controls: the two knobs of the noise above the page, the rest in the sidebar."""
    with st.sidebar:
        st.markdown("**Privacy**")
        knob("epsilon")
        knob("delta")
        knob("clip_norm")
        st.markdown("**Optimiser**")
        knob("learning_rate")
        knob("batch_size")
        knob("steps")
        st.markdown("**Problem**")
        knob("dim")
        knob("decay")
        knob("label_noise")
        st.markdown("**Simulation** (Train live)")
        knob("replicates")
        st.number_input("seed", 0, 2**31 - 1, Setting.seed, key="seed", bind="query-params", help=name("seed").meaning)
        st.selectbox("device", ("auto", "cpu", "cuda"), key="device", bind="query-params", help=name("device").meaning)
        st.button("Reset all controls", on_click=load, args=(Setting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        knob("nu")
        knob("correlation")


GROUP = Group(Setting, GRIDS, draw)
