"""Playground: the ten-second page. Suboptimality under three noises at the same privacy, exact, at once."""

import streamlit as st

from core import comparison
from core.comparison import KNOBS, presets
from core.names import ARMS
from pages import _controls, _figure, _share, _tried

setting = _controls.current()
gains = comparison.improvement(setting)

with st.container(key="headline"):
    st.html(
        '<div class="headline">'
        + "".join(
            f'<div><b id="gain-{arm}">{comparison.spell_gain(gains[arm])}</b><small>'
            f'<span id="says-{arm}">{comparison.says_gain(gains[arm])}</span><br>with {noise} noise</small></div>'
            for arm, noise in (("nu_ftrl", "nu-correlated"), ("lambda_cgd", "lambda-correlated"))
        )
        + "</div>"
    )


def words(knob: str) -> dict[float, dict[str, str]]:
    """The headline at each value of a knob, by the spot on the page."""
    arm = KNOBS[knob]
    return {
        value: {f"#gain-{arm}": comparison.spell_gain(gain), f"#says-{arm}": comparison.says_gain(gain)}
        for value, gain in comparison.gains_over(setting, knob).items()
    }


_figure.show(
    comparison.excess_risk(setting), "main", comparison.excess_risk, "excess_risk",
    frames={knob: comparison.risk_frames(setting, knob) for knob in KNOBS}, texts={knob: words(knob) for knob in KNOBS},
    words={spot: text for knob in KNOBS for spot, text in words(knob)[getattr(setting, knob)].items()},
)
with st.container(key="presets", horizontal=True):
    for key, preset in presets().items():
        st.button(preset.label, key=f"preset-{key}", on_click=_controls.load, args=(preset.setting,))
st.caption(next((f"{preset.label}. {preset.says}" for preset in presets().values() if preset.setting == setting), "Your own setting."))

left, right = st.columns(2)
with left:
    _figure.show(
        comparison.noise_spectrum(setting), "spectrum", comparison.noise_spectrum, "spectrum",
        height=360, frames={knob: comparison.spectrum_frames(setting, knob) for knob in KNOBS},
    )
with right:
    _figure.show(
        comparison.risk_against_memory(setting), "memory", comparison.risk_against_memory, "memory",
        height=360, frames={knob: comparison.memory_frames(setting, knob) for knob in KNOBS},
    )
_figure.show(
    comparison.risk_against_learning_rate(setting), "learning-rate",
    comparison.risk_against_learning_rate, "learning_rate", height=360,
)
_figure.table(comparison.causes(setting), "causes", comparison.causes, "causes")
found = {f"less error with {ARMS[arm]}": comparison.spell_gain(gains[arm]) for arm in ("nu_ftrl", "lambda_cgd")}
_tried.table("playground", setting, found, _controls.load)
_share.bar("playground", setting)
