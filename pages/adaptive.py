"""Adaptive clipping: a clip norm that is found in private before each step, against fixed ones, at equal privacy."""

import streamlit as st

from core.experiments import adaptive
from pages import _adaptive_controls, _adaptive_view, _share, _tried

setting = _adaptive_controls.current()
st.markdown(
    "### A clip norm that follows the gradients\n"
    "Private training cuts long gradients at a **clip norm**, and its noise is as long as that. A model that has nearly learned has "
    "short gradients. A clip norm found anew before each step, itself in private, lets the noise shrink along."
)
with st.container(key="presets", horizontal=True):
    for key, preset in adaptive.presets().items():
        st.button(preset.label, key=f"preset-{key}", on_click=_adaptive_controls.load, args=(preset.setting,))
presets = adaptive.presets().values()
st.caption(next((f"{preset.label}. {preset.says}" for preset in presets if preset.setting == setting), "Your own setting."))
_adaptive_view.live(setting)
_tried.table("adaptive", setting, _adaptive_view.kept(), _adaptive_controls.load)
_share.bar("adaptive", setting)
