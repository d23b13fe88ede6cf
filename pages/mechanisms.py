"""Compare noise: every mechanism on one problem at the same privacy, beside the best there is, and one of the viewer's own."""

import streamlit as st

from core.comparison import excess
from core.experiments import mechanisms
from pages import _figure, _mechanisms_controls, _mechanisms_optimum, _mechanisms_own, _mechanisms_words, _share, _tried

setting = _mechanisms_controls.current()
found = mechanisms.winner(setting)
st.markdown("### Which noise is best here?")
with st.container(key="headline"):
    st.html(_mechanisms_words.headline(setting, found))
frames, texts, words = _mechanisms_words.following(setting, found)
if not mechanisms.arms(setting).chosen:
    st.warning(mechanisms.verdict(setting))
else:
    _figure.show(mechanisms.excess_risk(setting), "main", mechanisms.excess_risk, "excess_risk", frames=frames, texts=texts, words=words)
_mechanisms_controls.pick_noises()
with st.container(key="presets", horizontal=True):
    for key, preset in mechanisms.presets().items():
        st.button(preset.label, key=f"preset-{key}", on_click=_mechanisms_controls.load, args=(preset.setting,))
st.caption(next((f"{preset.label}. {preset.says}" for preset in mechanisms.presets().values() if preset.setting == setting), "Your own setting."))
if mechanisms.arms(setting).chosen:
    _figure.table(mechanisms.characteristics(setting), "characteristics", mechanisms.characteristics, "mechanism")
    for picture, key, formula in (
        (mechanisms.prefix_error, "prefix", "prefix"),
        (mechanisms.spectra, "spectra", "spectrum"),
        (mechanisms.coefficients, "coefficients", "coefficients"),
        (mechanisms.visible, "visible", "coefficients"),
    ):
        pictured = picture(setting)
        if pictured.curves:
            _figure.show(pictured, key, picture, formula, height=400)
        else:
            st.caption(f"{pictured.title}: no curve here, for none of the noises shown does the same at every step. See the matrices below.")
_mechanisms_own.live(setting)
st.markdown(
    "### The matrices\nWhat is released is C times the gradients plus independent noise; the noise that training feels is B, the "
    "inverse of C, times that noise."
)
_mechanisms_controls.pick("pictured", mechanisms.NOISES, mechanisms.NOISES.get)
for column, picture, key in zip(st.columns(2), (mechanisms.strategy_picture, mechanisms.noising_picture), ("strategy", "noising"), strict=True):
    with column:
        _figure.show(picture(setting), key, picture, "coefficients", height=400)
st.markdown("### Other problems\nHow far each noise is from the optimum in the long run, on spectra of the paper.")
_figure.table(excess.relative_excess(), "problems", excess.relative_excess, "spectrum")
_mechanisms_optimum.live(setting)
_tried.table("mechanisms", setting, _mechanisms_words.kept(setting, found), _mechanisms_controls.load)
_share.bar("mechanisms", setting)
