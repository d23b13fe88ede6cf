"""The controls of Compare noise: widgets -> one frozen `NoiseSetting`."""

from collections.abc import Callable, Collection

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
    "steps": (10, 20, 50, 100, 200, 300, 500, 512, 700, 1000),
    "dim": (1, 2, 4, 8, 16, 32, 64, 128),
    "decay": tuple(round(0.25 * k, 2) for k in range(13)),
    "label_noise": (0.0, 0.01, 0.03, 0.1, 0.3, 1.0),
    "epsilon": (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0),
    "delta": tuple(float(f"1e{p}") for p in range(-10, -2)),
}
_TEXTS = ("shown", "pictured", "multiplier", "own", "levels", "coefficients")
"""Texts of the setting whose widgets stand on the page where they are needed; the address is told of them here."""


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
    tell_address(*_TEXTS)


def pick_noises() -> None:
    """Which noises are compared."""
    key = _widget("shown", _held("shown").split(","))
    st.pills(name("shown").words.capitalize(), NOISES, selection_mode="multi", format_func=NOISES.get, key=key, on_change=_take, args=("shown",))


def pick(field: str, options: Collection[str], words: Callable[[str], str] = str) -> None:
    """One of several texts for a field."""
    entry, key = name(field), _widget(field, _held(field))
    st.selectbox(entry.words.capitalize(), options, format_func=words, key=key, on_change=_take, args=(field,), help=entry.meaning, width=360)


def write(field: str) -> None:
    """A free text for a field."""
    entry, key = name(field), _widget(field, _held(field))
    st.text_input(entry.words.capitalize(), key=key, on_change=_take, args=(field,), help=entry.meaning)


def tell_address(*texts: str) -> None:
    """Put texts of the setting into the address of the page, or take out those that are at their default."""
    for field in texts:
        held = _held(field)
        if held != getattr(NoiseSetting, field):
            st.query_params[field] = held
        elif field in st.query_params:
            del st.query_params[field]


def _held(field: str) -> str:
    return st.session_state.get(field, getattr(NoiseSetting, field))


def _widget(field: str, value: str | list[str]) -> str:
    """Key of a widget for a text of the setting, made to show what the setting holds."""
    key = f"picked-{field}"
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return key


def _take(field: str) -> None:
    picked = st.session_state[f"picked-{field}"]
    st.session_state[field] = picked if isinstance(picked, str) else ",".join(picked) or NoiseSetting.shown


def _knobs(*names: str) -> None:
    for field in names:
        _groups.knob(GROUP, field)


GROUP = Group(NoiseSetting, GRIDS, draw)
