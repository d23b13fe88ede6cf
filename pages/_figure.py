"""One way to show a result: chart, caption, and the formula, the code and the numbers one click away."""

import inspect
from collections.abc import Callable

import streamlit as st

from core import figures
from core.formulas import FORMULAS
from core.results import Grid, Result, Table
from pages._chart import Drag, live_chart
from pages._groups import spell


def show(
    result: Result | Grid,
    key: str,
    made_by: Callable,
    formula: str,
    height: int = 420,
    frames: dict[str, dict[float, Result]] | None = None,
    texts: dict[str, dict[float, dict[str, str]]] | None = None,
    words: dict[str, str] | None = None,
) -> None:
    """Draw a result into a container `chart-<key>` with everything that a viewer may ask of it.

    `frames` maps a knob to the result at each of its values, for the chart to follow the slider while it is dragged;
    `texts` to the words that change with it, by CSS selector; `words` are those at the result itself.
    """
    drag, y_range = {}, None
    if frames:
        y_range = figures.y_range([frame for moves in frames.values() for frame in moves.values()])
        setting = result.settings
        drag = {
            knob: Drag(
                value=spell(setting[knob]),
                figures={spell(value): figures.spec(frame, y_range) for value, frame in moves.items()},
                texts={spell(value): there for value, there in (texts or {}).get(knob, {}).items()},
            )
            for knob, moves in frames.items()
        }
    with st.container(key=f"chart-{key}"):
        st.markdown(f"#### {result.title}")
        live_chart(figures.spec(result, y_range), f"plot-{key}", result.caption, height, drag, words)
        if result.verdict:
            with st.container(key="verdict" if key == "main" else f"verdict-{key}"):
                st.markdown(result.verdict)
        bands = f" Bands: {result.band}." if isinstance(result, Result) and result.band else ""
        st.caption(result.caption + bands)
        behind(result, made_by, formula, key)


def table(result: Table, key: str, made_by: Callable, formula: str | None) -> None:
    """Draw a table with its caption and what stands behind it."""
    columns = {column: _of_one_kind(cells) for column, cells in zip(result.columns, zip(*result.rows, strict=True), strict=True)}
    with st.container(key=f"table-{key}"):
        st.markdown(f"#### {result.title}")
        st.dataframe(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
            hide_index=True,
            column_config={
                column: st.column_config.NumberColumn(format="%.3g") for column, cells in columns.items() if isinstance(cells[0], float)
            },
        )
        st.caption(result.caption)
        behind(result, made_by, formula, key)


def _of_one_kind(cells: tuple) -> tuple:
    """A column as it can be shown: where numbers stand among words, all of it in words."""
    if not any(isinstance(cell, str) for cell in cells):
        return cells
    return tuple(f"{cell:.3g}" if isinstance(cell, float) else "" if cell is None else str(cell) for cell in cells)


def behind(result: Result | Grid | Table, made_by: Callable, formula: str | None, key: str) -> None:
    """The formula, the code and the numbers of a result, one click away each."""
    with st.container(horizontal=True, gap="small"):
        if formula is not None:
            with st.popover("The formula", type="tertiary"):
                entry = FORMULAS[formula]
                st.latex(entry.latex)
                st.markdown(entry.words)
                st.markdown(f"Source: {entry.source}")
        with st.popover("The code", type="tertiary"):
            st.markdown(f"`{made_by.__module__}.{made_by.__qualname__}`")
            st.code(inspect.getsource(made_by), language="python")
        st.download_button(
            "CSV", result.to_csv, f"{key}.csv", "text/csv", key=f"csv-{key}", on_click="ignore", type="tertiary"
        )
