"""Whose records the intervals are about, and what is known of them before anything runs."""

import streamlit as st

from core.experiments import intervals
from core.experiments.intervals import Expected, IntervalSetting, OwnTable
from core.names import name


def choose(setting: IntervalSetting) -> OwnTable | None:
    """The viewer's own CSV file where the setting asks for one; what has no columns to choose from is told later, in one sentence."""
    if setting.design != "own_table":
        return None
    upload = st.file_uploader("A CSV file: a header row, numbers below it", "csv", key="csv")
    if upload is None:
        return None
    from core.problems import tables  # here, because it brings torch

    content = upload.getvalue()
    try:
        columns = tables.column_names(content)
    except ValueError:
        return OwnTable(content)
    return OwnTable(content, st.selectbox("Column to predict", columns, index=len(columns) - 1, key="target"))


def known(setting: IntervalSetting, own: OwnTable | None) -> Expected | None:
    """What theory says; None, and why in one sentence, where the controls do not go together."""
    try:
        found = intervals.expected(setting, own)
        intervals.landmarks(found)
    except ValueError as error:
        with st.container(key="trouble"):
            st.warning(f"{error}.")
        return None
    return found


def shown(expected: Expected) -> tuple[tuple[int, int], int]:
    """The two coefficients that the viewer looks at, from 0, and the step of the cloud, which follows its slider while dragged."""
    with st.container(key="shown", horizontal=True, vertical_alignment="bottom"):
        chosen = tuple(_coefficient(expected, place, key) for place, key in enumerate(("coordinate", "second_coordinate")))
        entry, options = name("shown_step"), intervals.shown_steps(expected)
        _forget("shown_step", options)
        step = st.select_slider(
            entry.words, options, value=options[-1], key="shown_step", bind="query-params", width=320,
            help=f"{entry.meaning} Left: {entry.low}. Right: {entry.high}.",
        )
    return chosen, step


def _coefficient(expected: Expected, place: int, key: str) -> int:
    names, entry = expected.records.feature_names, name(key)
    options = tuple(range(1, len(names) + 1))
    _forget(key, options)
    return -1 + st.selectbox(
        entry.words, options, index=min(place, len(options) - 1), format_func=lambda at: names[at - 1], key=key, bind="query-params", help=entry.meaning, width=160,
    )


def _forget(key: str, options: tuple[int, ...]) -> None:
    """A choice that the records or the steps at hand do not offer goes back to its default."""
    if st.session_state.get(key, options[0]) not in options:
        del st.session_state[key]
