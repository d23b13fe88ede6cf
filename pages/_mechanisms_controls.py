"""The controls of Compare noise: widgets -> one frozen `NoiseSetting`."""

import streamlit as st

from core.experiments.mechanisms.setting import NOISES, SPECTRA, NoiseSetting
from core.names import name
from pages import _groups
from pages._groups import Group, load

GRIDS = {
    "nu": tuple(float(f"{m}e{p}") for p in (-4, -3, -2, -1) for m in (1.0, 1.6, 2.5, 4.0, 6.3)) + (1.0,),
    "correlation": (0.0, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999),
    "bands": (1, 2, 4, 8, 16, 32, 64, 128, 256),
    "participations": (1, 2, 4, 8, 16, 32),
    "restarts": (1, 2, 4, 8, 16, 32),
    "learning_rate": (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5),
    "batch_size": (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024),
    "steps": (10, 20, 50, 100, 200, 300, 500, 512, 700, 1000, 1500, 2000),
    "dim": (1, 2, 4, 8, 16, 32, 64, 128),
    "decay": tuple(round(0.25 * k, 2) for k in range(13)),
    "label_noise": (0.0, 0.01, 0.03, 0.1, 0.3, 1.0),
    "epsilon": (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0),
    "delta": tuple(float(f"1e{p}") for p in range(-10, -2)),
}
_FREE = ("shown", "pictured")
"""Texts of the setting kept beside their widgets, which speak in words."""


def current() -> NoiseSetting:
    """The setting that the widgets show now."""
    return _groups.current(GROUP)


def draw() -> None:
    """All sliders: memory and restarts above the page, the rest in the sidebar; the address says what the others hold."""
    with st.sidebar:
        st.markdown("**Privacy**")
        _knobs("epsilon", "delta", "participations")
        st.markdown("**Optimiser**")
        _knobs("learning_rate", "batch_size", "steps")
        st.markdown("**Problem**")
        st.selectbox(name("shape").words, tuple(SPECTRA), key="shape", bind="query-params", help=name("shape").meaning)
        _knobs("decay", "dim", "label_noise")
        st.markdown("**Noises**")
        _knobs("bands")
        st.button("Reset all controls", on_click=load, args=(NoiseSetting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        _knobs("nu", "correlation", "restarts")
    for field in _FREE:
        _tell_address(field)


def pick_noises() -> None:
    """Which noises are compared."""
    st.session_state["picked-shown"] = _held("shown").split(",")

    def take() -> None:
        chosen = st.session_state["picked-shown"]
        st.session_state["shown"] = ",".join(chosen) or NoiseSetting.shown

    st.pills("Noises compared", NOISES, selection_mode="multi", format_func=NOISES.get, key="picked-shown", on_change=take, wrap=True)


def pick_pictured() -> None:
    """The noise whose matrices are drawn."""
    st.session_state["picked-pictured"] = _held("pictured")

    def take() -> None:
        st.session_state["pictured"] = st.session_state["picked-pictured"]

    st.selectbox("Noise whose matrices are drawn", NOISES, format_func=NOISES.get, key="picked-pictured", on_change=take, width=360)


def _held(field: str) -> str:
    return st.session_state.get(field, getattr(NoiseSetting, field))


def _tell_address(field: str) -> None:
    """Put a text into the address of the page, or take it out where it is the default."""
    held = _held(field)
    if held != getattr(NoiseSetting, field):
        st.query_params[field] = held
    elif field in st.query_params:
        del st.query_params[field]


def _knobs(*names: str) -> None:
    for field in names:
        _groups.knob(GROUP, field)


GROUP = Group(NoiseSetting, GRIDS, draw)
