"""Draw your own: a spectrum with handles, or coefficients typed; what it costs and leaves follows while it moves."""

from dataclasses import replace

import streamlit as st

from core.experiments import mechanisms
from core.experiments.mechanisms import HANDLES, HIGHEST, LOWEST, OWN, NoiseSetting
from pages import _figure, _mechanisms_controls
from pages._handles import Handle, handles

_MOVING = ("own", "levels", "coefficients")
_PLACES = tuple(
    Handle(index / (len(HANDLES) - 1), f"{omega:.2g}", f"power at frequency {omega:.2g} radians per step")
    for index, omega in enumerate(HANDLES)
)


def live(setting: NoiseSetting) -> None:
    """The panel: only it is computed again while a handle moves."""
    st.markdown(
        "### Draw your own\nPush the noise down where gradient descent listens, and see what privacy charges for it. The thin green "
        "line is the optimum: how near can you come?"
    )
    _panel(setting)


@st.fragment
def _panel(page_setting: NoiseSetting) -> None:
    _mechanisms_controls.tell_address(*_MOVING)
    setting = replace(page_setting, **{field: st.session_state.get(field, getattr(page_setting, field)) for field in _MOVING})
    _mechanisms_controls.pick("own", OWN)
    try:
        found = mechanisms.own_numbers(setting)
    except ValueError as error:
        found, words = None, f"{error}."
    left, right = st.columns(2)
    with left:
        if setting.own == "drawn":
            _drawing(setting)
        _mechanisms_controls.write("levels" if setting.own == "drawn" else "coefficients")
        if found is None:
            st.warning(words)
    if found is not None:
        with right:
            _numbers(found)
            _figure.show(mechanisms.own_risk(setting), "own-risk", mechanisms.own_risk, "excess_risk", height=300)
            _figure.show(mechanisms.own_spectrum(setting), "own-spectrum", mechanisms.own_spectrum, "minimum_phase", height=300)


def _drawing(setting: NoiseSetting) -> None:
    try:
        levels = mechanisms.handle_levels(setting)
    except ValueError:
        levels = mechanisms.handle_levels(NoiseSetting())
    handles(
        "handles", "Power of your noise against frequency, slow on the left", _PLACES, levels.tolist(), LOWEST, HIGHEST,
        take=lambda moved: st.session_state.update(levels=mechanisms.levels_of(moved)),
        x_title="frequency [radians per step]", y_title="power", optimum=mechanisms.optimum_curve(setting, levels),
    )
    with st.container(horizontal=True, gap="small"):
        for words, shape in mechanisms.known_shapes(setting).items():
            st.button(words, key=f"shape-{words}", on_click=st.session_state.update, kwargs={"levels": shape}, type="tertiary")


def _numbers(found: mechanisms.OwnNumbers) -> None:
    with st.container(key="own-numbers"):
        st.html(
            f'<div class="headline"><div><b id="own-over">{found.over_optimum:.3g}x</b><small>the error from privacy<br>of the optimum</small></div>'
            f'<div><b id="own-step">{found.step_error:.3g}x</b><small>the noise of a step<br>that DP-SGD needs</small></div>'
            f'<div><b id="own-gain">{found.gain:.3g}x</b><small>less error than DP-SGD:<br>suboptimality {found.excess_risk:.3g}</small></div></div>'
        )
