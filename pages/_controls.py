"""The shared controls: widgets -> one frozen `Setting`. Drawn once by app.py, read by every page with `current()`.

Each control is a native slider over a grid of round numbers, bound to a URL parameter of its own name. Any valid number in
a link is accepted: it joins the grid. An invalid one leaves the default and one sentence.
"""

import string
from dataclasses import asdict, fields

import streamlit as st

from core.comparison import CORRELATION_GRID, NU_GRID, Setting
from core.names import name

_DECADES = (1.0, 2.0, 5.0)
GRIDS = {
    "nu": NU_GRID,
    "correlation": CORRELATION_GRID,
    "learning_rate": tuple(float(f"{m}e{p}") for p in (-3, -2, -1) for m in (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)) + (1.0, 1.5),
    "batch_size": tuple(2**k for k in range(11)),
    "steps": (10, 20, 50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10_000),
    "dim": (1, 2, 4, 8, 16, 32, 64, 128, 256),
    "decay": tuple(round(0.1 * k, 1) for k in range(31)),
    "label_noise": (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0),
    "epsilon": (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0),
    "delta": tuple(float(f"1e{p}") for p in range(-12, -2)),
    "clip_norm": tuple(float(f"{m}e{p}") for p in (-2, -1, 0, 1) for m in _DECADES),
    "replicates": (2, 5, 10, 20, 50, 100, 200),
}
_PLAIN = str.maketrans({sign: f"\\{sign}" for sign in string.punctuation})  # text from a link must not become a link
_TYPES = {field.name: type(field.default) for field in fields(Setting)}


def current() -> Setting:
    """The setting that the widgets show now."""
    return Setting(**{field: st.session_state.get(field, value) for field, value in asdict(Setting()).items()})


def load(setting: Setting) -> None:
    """Put a setting into the widgets (for presets and Reset): call it from an `on_click`."""
    for field, value in asdict(setting).items():
        st.session_state[field] = value


def from_link() -> None:
    """Take the controls from the link of a viewer who comes in, however they are spelled; remember which are not valid.

    A widget drops what is not spelled as on its slider. So the link is put right first, and the run begins again.
    """
    found = {field: st.query_params[field] for field in _TYPES if field in st.query_params and field not in st.session_state}
    for field, text in found.items():
        kind = _TYPES[field]
        try:
            value = text if kind is str else kind(float(text)) if float(text) == kind(float(text)) else float(text)
            Setting(**{field: value})
        except (ValueError, OverflowError) as error:
            words = str(error) if str(error).startswith(field) else f"{field}={text[:40]!r}, expected a number"
            st.session_state.setdefault("link_errors", []).append(words)
            del st.query_params[field]
        else:
            st.session_state[field] = value
            st.query_params[field] = spell(value)
    if any(text != st.query_params.get(field) for field, text in found.items()):
        st.rerun()


def knob(field: str) -> None:
    """A slider for one field of the setting, on its grid and on whatever valid value it was given."""
    entry = name(field)
    default = getattr(Setting(), field)
    options = tuple(sorted({*GRIDS[field], default, st.session_state.get(field, default)}))
    ends = f"Left: {entry.low}. Right: {entry.high}." if entry.low else ""
    st.select_slider(
        f"{entry.words} ${entry.symbol}$" if entry.symbol else entry.words,
        options,
        value=default,
        format_func=spell,
        key=field,
        bind="query-params",
        help=f"{entry.meaning} {ends}",
    )


def spell(value: float | int) -> str:
    """A number as it stands on a slider and in a link."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def draw() -> None:
    """All controls: the two knobs of the noise above the page, the rest in the sidebar, and a word on a bad link."""
    with st.sidebar:
        st.markdown("**Privacy**")
        knob("epsilon")
        knob("delta")
        knob("clip_norm")
        st.markdown("**Optimiser**")
        knob("learning_rate")
        knob("batch_size")
        knob("steps")
        st.markdown("**Problem**")
        knob("dim")
        knob("decay")
        knob("label_noise")
        st.markdown("**Simulation** (Train live)")
        knob("replicates")
        st.number_input("seed", 0, 2**31 - 1, Setting.seed, key="seed", bind="query-params", help=name("seed").meaning)
        st.selectbox("device", ("auto", "cpu", "cuda"), key="device", bind="query-params", help=name("device").meaning)
        st.button("Reset all controls", on_click=load, args=(Setting(),), key="reset")
    with st.container(key="knobs", horizontal=True):
        knob("nu")
        knob("correlation")
    for words in st.session_state.pop("link_errors", []):
        st.warning(f"The link holds {words.translate(_PLAIN)}. The default is used instead.")
