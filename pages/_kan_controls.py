"""The controls of the KAN page: widgets -> one frozen `KanSetting`."""

import streamlit as st

from core.devices import DEVICES
from core.experiments.kan.setting import ACCOUNTANTS, SAMPLINGS, KanSetting
from core.names import name
from core.problems.datasets import DATASETS
from pages import _groups
from pages._groups import Group, load

GRIDS = {
    "correlation": (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99),
    "width": (4, 8, 16, 32, 64, 128, 256, 512),
    "n_basis": (4, 6, 8, 10, 12, 16, 24, 32),
    "batch_size": (8, 16, 30, 60, 120, 250, 427, 500, 900, 1800),
    "steps": (20, 50, 100, 200, 300, 400, 600, 1000, 2000),
    "learning_rate": (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 32.0, 48.0, 64.0, 96.0),
    "clip_norm": (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0),
    "epsilon": (0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
    "delta": (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3),
    "replicates": (2, 3, 5, 10, 20),
}


def current() -> KanSetting:
    """The setting that the widgets show now."""
    return _groups.current(GROUP)


def draw() -> None:
    """All controls: lambda and width above the page, the rest in the sidebar."""
    with st.sidebar:
        st.markdown("**Privacy**")
        st.toggle(name("private").words, KanSetting.private, key="private", bind="query-params", help=name("private").meaning)
        _knobs("epsilon", "delta", "clip_norm")
        _choice("sampling", tuple(SAMPLINGS))
        _choice("accountant", ACCOUNTANTS)
        st.markdown("**Data and network**")
        st.caption(f"{DATASETS[_choice('dataset', tuple(DATASETS))][0]}.")
        _knobs("n_basis")
        st.markdown("**Optimiser**")
        _knobs("learning_rate", "batch_size", "steps")
        st.markdown("**Simulation**")
        _knobs("replicates")
        st.number_input("seed", 0, 2**31 - 1, KanSetting.seed, key="seed", bind="query-params", help=name("seed").meaning)
        _choice("device", DEVICES)
        st.button("Reset all controls", on_click=load, args=(KanSetting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        _knobs("correlation", "width")


def _knobs(*names: str) -> None:
    for field in names:
        _groups.knob(GROUP, field)


def _choice(field: str, options: tuple[str, ...]) -> str:
    return st.selectbox(name(field).words, options, key=field, bind="query-params", help=name(field).meaning)


GROUP = Group(KanSetting, GRIDS, draw)
