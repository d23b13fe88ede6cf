"""Acceleration: one pass over the records in few large batches, and whether acceleration or the noise decides."""

import streamlit as st

from core.experiments import accelerate
from pages import _accelerate_controls, _accelerate_view, _share, _tried

setting = _accelerate_controls.current()
st.markdown(
    "### One pass, few steps\n"
    "Each record is looked at once. **Acceleration** (Nesterov's method) needs fewer steps, so batches can be large; **recursive "
    "gradients** keep what earlier batches said, in a running sum, and each step adds only what has changed since. That sum needs "
    "noise that cancels. All lines are equally private."
)
with st.container(key="presets", horizontal=True):
    for key, preset in accelerate.presets().items():
        st.button(preset.label, key=f"preset-{key}", on_click=_accelerate_controls.load, args=(preset.setting,))
presets = accelerate.presets().values()
st.caption(next((f"{preset.label}. {preset.says}" for preset in presets if preset.setting == setting), "Your own setting."))
_accelerate_view.live(setting)
_accelerate_view.theorem(setting)
_tried.table("accelerate", setting, _accelerate_view.kept(setting), _accelerate_controls.load)
_share.bar("accelerate", setting)
