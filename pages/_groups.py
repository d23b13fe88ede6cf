"""Groups of pages that share their controls: widgets -> one frozen setting, bound to a link that says everything.

Each control is a native slider over a grid of round numbers, bound to a URL parameter of its own name. Any valid value in
a link is accepted: a number joins the grid. An invalid one leaves the default and one sentence. A name may mean something
else in another group of pages, and has its own value there.
"""

import string
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import streamlit as st

from core.names import name

_PLAIN = str.maketrans({sign: f"\\{sign}" for sign in string.punctuation})  # text from a link must not become a link
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True)
class Group:
    """Pages that share their controls: the class of their setting, the numbers on its sliders, and what draws them."""

    setting: type
    grids: Mapping[str, tuple]
    draw: Callable[[], None]


def show(group: Group, drawn: bool) -> None:
    """The controls of a group: as the link has them when a viewer comes in, as they were left when one comes back."""
    before = st.session_state.get("group", group)
    st.session_state["group"] = group
    if before is not group:
        left = st.session_state.setdefault("left", {})
        left[before.setting] = st.session_state.pop("returning", None) or current(before)
        st.session_state["returning"] = left.get(group.setting, group.setting())
        if drawn:  # a new widget takes what the address says, which is the other group's; in the next run it obeys
            group.draw()
            st.rerun()
    if "returning" in st.session_state:
        load(st.session_state.pop("returning"))
    else:
        _from_link(group)
    if drawn:
        group.draw()
        _tell_what_was_refused()


def current(group: Group) -> Any:
    """The setting that the widgets of a group show now."""
    return group.setting(**{field: st.session_state.get(field, value) for field, value in asdict(group.setting()).items()})


def load(setting: Any) -> None:
    """Put a setting into the widgets (for presets and Reset): call it from an `on_click`."""
    for field, value in asdict(setting).items():
        st.session_state[field] = value


def knob(group: Group, field: str) -> None:
    """A slider for one field of a group's setting, on its grid and on whatever valid value it was given."""
    entry = name(field)
    default = getattr(group.setting(), field)
    options = tuple(sorted({*group.grids[field], default, st.session_state.get(field, default)}))
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


def spell(value: float | int | str) -> str:
    """A value as it stands on a slider and in a link."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _from_link(group: Group) -> None:
    """Take the controls from the link of a viewer who comes in, however they are spelled; remember which are not valid.

    A widget drops what is not spelled as on its slider. So the link is put right first, and the run begins again.
    """
    kinds = {field.name: type(field.default) for field in fields(group.setting)}
    found = {field: st.query_params[field] for field in kinds if field in st.query_params and field not in st.session_state}
    for field, text in found.items():
        try:
            value = _read(kinds[field], text)
            group.setting(**{field: value})
        except (ValueError, OverflowError) as error:
            words = str(error) if str(error).startswith(field) else f"{field}={text[:40]!r}, expected a number"
            st.session_state.setdefault("link_errors", []).append(words)
            del st.query_params[field]
        else:
            st.session_state[field] = value
            st.query_params[field] = spell(value)
    if any(text != st.query_params.get(field) for field, text in found.items()):
        st.rerun()


def _tell_what_was_refused() -> None:
    """A sentence for each value of the link that is not valid, until the viewer does something: a page reruns by itself, too."""
    now = {key: value for key, value in st.session_state.items() if isinstance(value, bool | int | float | str)}
    before = st.session_state.get("link_errors_since", {})
    if any(now.get(key, value) != value for key, value in before.items()):  # a control was moved, a button is pressed
        st.session_state.pop("link_errors", None)
    refused = st.session_state.get("link_errors", [])
    st.session_state["link_errors_since"] = before | now if refused else {}
    for words in refused:
        st.warning(f"The link holds {words.translate(_PLAIN)}. The default is used instead.")


def _read(kind: type, text: str) -> Any:
    if kind is str:
        return text
    if kind is bool:
        return _TRUTH.get(text.lower(), text)
    return kind(float(text)) if float(text) == kind(float(text)) else float(text)
