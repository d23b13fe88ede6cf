"""The controls of the acceleration page: widgets -> one frozen `AccelerateSetting`."""

import streamlit as st

from core.devices import DEVICES
from core.experiments.accelerate.setting import PROBLEMS, AccelerateSetting
from core.names import name
from pages import _groups
from pages._groups import Group, load

GRIDS = {
    "n_samples": (256, 1024, 2048, 4096, 8192, 16384, 32768, 65536),
    "dim": (2, 3, 5, 10, 20, 50, 100, 200),
    "label_noise": (0.0, 0.03, 0.1, 0.3, 1.0, 3.0),
    "epsilon": (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
    "delta": (1e-8, 1e-7, 1e-6, 1e-5, 1e-4),
    "clip_norm": (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.5, 3.0),
    "replicates": (4, 10, 20, 40),
}


def current() -> AccelerateSetting:
    """The setting that the widgets show now."""
    return _groups.current(GROUP)


def draw() -> None:
    """All controls: those that tell the story above the page, the rest in the sidebar."""
    with st.sidebar:
        st.markdown("**Privacy**")
        _knobs("delta", "clip_norm")
        st.markdown("**Problem**")
        st.caption(f"{PROBLEMS[_choice('problem', tuple(PROBLEMS))]}.")
        _knobs("label_noise")
        st.markdown("**Simulation**")
        _knobs("replicates")
        st.number_input("seed", 0, 2**31 - 1, AccelerateSetting.seed, key="seed", bind="query-params", help=name("seed").meaning)
        _choice("device", DEVICES)
        st.button("Reset all controls", on_click=load, args=(AccelerateSetting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        _knobs("epsilon", "n_samples", "dim")


def _knobs(*names: str) -> None:
    for field in names:
        _groups.knob(GROUP, field)


def _choice(field: str, options: tuple[str, ...]) -> str:
    return st.selectbox(name(field).words, options, key=field, bind="query-params", help=name(field).meaning)


GROUP = Group(AccelerateSetting, GRIDS, draw)
