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


def coordinates(expected: Expected) -> tuple[int, int]:
    """The two coefficients that the viewer looks at, from 0."""
    names = expected.records.feature_names
    chosen = []
    with st.container(key="coordinates", horizontal=True):
        for place, key in enumerate(("coordinate", "second_coordinate")):
            options = list(range(1, len(names) + 1))
            if st.session_state.get(key, 1) not in options:
                del st.session_state[key]
            entry = name(key)
            chosen.append(st.selectbox(
                entry.words, options, index=place, format_func=lambda at: names[at - 1], key=key, bind="query-params",
                help=entry.meaning, width=220,
            ))
    return chosen[0] - 1, chosen[1] - 1


def shown_step(expected: Expected) -> int:
    """The step that the cloud shows; its slider moves the cloud while it is dragged."""
    entry, options = name("shown_step"), intervals.shown_steps(expected)
    if st.session_state.get("shown_step", options[-1]) not in options:
        del st.session_state["shown_step"]
    return st.select_slider(
        entry.words, options, value=options[-1], key="shown_step", bind="query-params", help=f"{entry.meaning} Left: {entry.low}. Right: {entry.high}.",
    )
