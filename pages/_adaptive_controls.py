"""The controls of the adaptive clipping page: widgets -> one frozen `AdaptiveSetting`."""

import streamlit as st

from core.devices import DEVICES
from core.experiments.adaptive.setting import AdaptiveSetting
from core.names import name
from pages import _groups
from pages._groups import Group, load

GRIDS = {
    "dim": (2, 5, 10, 20, 40, 80),
    "n_samples": (800, 2000, 4000, 8000, 20_000, 40_000, 80_000, 160_000),
    "epsilon": (0.1, 0.3, 0.5, 1.0, 2.0, 4.0, 8.0),
    "delta": (1e-8, 1e-7, 1e-6, 1e-5, 1e-4),
    "steps": (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 40),
    "correlation": (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "label_noise": (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0),
    "rungs": (5, 10, 20, 40, 100, 500, 2858),
    "replicates": (5, 10, 20, 40),
}


def current() -> AdaptiveSetting:
    """The setting that the widgets show now."""
    return _groups.current(GROUP)


def draw() -> None:
    """All controls: those that tell the story above the page, the rest in the sidebar."""
    with st.sidebar:
        st.markdown("**Privacy**")
        _knobs("delta", "rungs")
        st.markdown("**Problem and method**")
        _knobs("dim", "steps", "correlation")
        st.markdown("**Simulation**")
        _knobs("replicates")
        st.number_input("seed", 0, 2**31 - 1, AdaptiveSetting.seed, key="seed", bind="query-params", help=name("seed").meaning)
        device = name("device")
        st.selectbox(device.words, DEVICES, key="device", bind="query-params", help=device.meaning)
        st.button("Reset all controls", on_click=load, args=(AdaptiveSetting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        _knobs("label_noise", "n_samples", "epsilon")
        printed = name("as_printed")
        st.toggle(printed.words, AdaptiveSetting.as_printed, key="as_printed", bind="query-params", help=printed.meaning)


def _knobs(*names: str) -> None:
    for field in names:
        _groups.knob(GROUP, field)


GROUP = Group(AdaptiveSetting, GRIDS, draw)
