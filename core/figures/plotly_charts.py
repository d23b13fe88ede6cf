"""A `Result` as a Plotly chart: as plain data for a live page, as a Figure for a notebook, as a file for a reader."""

import html
import textwrap
from collections.abc import Iterable

import numpy as np

from core.figures.heat_map import heat_map
from core.figures.palette import Stroke, strokes
from core.names import Name, name
from core.results import Curve, Grid, Result, Table

INK, GRID = "#31333F", "rgba(128,128,128,0.25)"


def spec(result: Result | Grid, y_range: tuple[float, float] | None = None) -> dict:
    """The chart of `result` as `{"data": [trace, ...], "layout": {...}}` with numpy arrays, in milliseconds.

    A `Grid` is drawn by `heat_map`. Axis titles and scales come from the glossary. An exact curve is a line, a sampled one a thinner line inside its
    band, a discrete one markers with error bars. `marks` become labelled vertical lines, `status` a note across the plot. `y_range`
    (in data units) holds the y axis still while curves move. Backgrounds are transparent and colours legible on both.

    Guarantees: same arm, same colour and dash; the order of traces and their `uid` depend on the curves' labels alone;
    `uirevision` is constant, so that a viewer's zoom survives an update.
    """
    if isinstance(result, Grid):
        return heat_map(result)
    x_axis, y_axis = name(result.x_name), name(result.y_name)
    floor = _smallest_positive(result.curves)
    labels = {curve.label for curve in result.curves}
    traces = []
    for curve, stroke in zip(result.curves, strokes([curve.arm for curve in result.curves]), strict=True):
        if curve.low is not None and not curve.discrete:
            traces.append(_band(curve, stroke, floor if y_axis.log else -np.inf, result.band))
        theory_of = curve.label.removesuffix(", exact")  # one entry in the legend for a run and its theory
        hidden = {"showlegend": False, "legendgroup": theory_of} if theory_of in labels - {curve.label} else {}
        traces.append(_line(curve, stroke, y_axis) | hidden)
    return {"data": traces, "layout": _layout(result, x_axis, y_axis, y_range)}


def y_range(results: Iterable[Result]) -> tuple[float, float] | None:
    """A y axis that holds every curve of `results`, in data units with a small margin; None when nothing can be shown."""
    results = list(results)
    log = name(results[0].y_name).log
    values = np.concatenate([curve.y for result in results for curve in result.curves])
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    if not values.size:
        return None
    low, high = np.log(values.min()) if log else values.min(), np.log(values.max()) if log else values.max()
    margin = 0.04 * (high - low) or 1.0
    edges = np.array([low - margin, high + margin])
    return tuple((np.exp(edges.clip(-700, 700)) if log else edges).tolist())


def chart(result: Result | Grid | Table):
    """The chart of `result` as a `plotly.graph_objects.Figure` with its title, for a notebook; a table as a table."""
    figure = _plotly(result)
    return figure.update_layout(title=html.escape(result.title), margin={"t": 90}, plot_bgcolor="white", paper_bgcolor="white")


def to_html(result: Result | Grid | Table) -> str:
    """A standalone page with the chart of `result`, its words and its settings; plotly.js is inside, nothing is fetched."""
    figure = _plotly(result).to_html(full_html=False, include_plotlyjs=True, config=CONFIG)
    band = f"Bands: {result.band}." if isinstance(result, Result) and result.band else ""
    words = [result.status, result.verdict, result.caption, band, result.source]
    paragraphs = "".join(f"<p>{html.escape(text)}</p>" for text in words if text)
    settings = ", ".join(f"{key} = {value}" for key, value in result.settings.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(result.title)}</title>"
        "<style>body{font-family:sans-serif;max-width:60rem;margin:1rem auto;padding:0 1rem;background:white;color:#222}"
        "</style></head><body>"
        f"<h1>{html.escape(result.title)}</h1>{figure}{paragraphs}<p><small>{html.escape(settings)}</small></p>"
        "</body></html>"
    )


CONFIG = {"displayModeBar": False, "responsive": True, "doubleClick": "reset"}


def _plotly(result: Result | Grid | Table):
    import plotly.graph_objects as go

    return go.Figure(_rows(result) if isinstance(result, Table) else spec(result))


def _rows(table: Table) -> dict:
    columns = [["" if cell is None else cell for cell in column] for column in zip(*table.rows, strict=True)]
    return {"data": [{"type": "table", "header": {"values": list(table.columns)}, "cells": {"values": columns, "height": 28}}]}


def _line(curve: Curve, stroke: Stroke, y_axis: Name) -> dict:
    unit = f" {y_axis.unit}" if y_axis.unit else ""
    trace = {
        "type": "scatter",
        "uid": _uid(curve.label),
        "name": _legend(curve.label),
        "legendgroup": curve.label,
        "x": curve.x,
        "y": curve.y,
        "hovertemplate": f"%{{y:.4~g}}{unit}<extra>{html.escape(curve.label)}</extra>",
    }
    if curve.discrete:
        marker = {"color": stroke.colour, "symbol": stroke.marker, "size": 9}
        bars = {} if curve.low is None else {"error_y": _error_bars(curve, stroke)}
        return trace | {"mode": "markers", "marker": marker} | bars
    line = {"color": stroke.colour, "dash": stroke.dash, "width": 2.5 if curve.exact else 1.5}
    return trace | {"mode": "lines", "line": line}


def _legend(label: str) -> str:
    """A label in lines that fit a phone: a legend cuts off what is wider than the chart."""
    return "<br>".join(textwrap.wrap(html.escape(label), 40, break_long_words=False, break_on_hyphens=False))


def _uid(words: str) -> str:
    return words.encode().hex()  # plotly.js makes a CSS class of it, which other signs than letters and digits would break


def _error_bars(curve: Curve, stroke: Stroke) -> dict:
    arms = {"type": "data", "symmetric": False, "array": curve.high - curve.y, "arrayminus": curve.y - curve.low}
    return arms | {"color": stroke.colour, "thickness": 1.5, "width": 4}


def _band(curve: Curve, stroke: Stroke, floor: float, words: str) -> dict:
    # A logarithmic axis cannot reach zero: there a band that goes below zero is drawn down to the lowest point shown.
    finite = np.isfinite(curve.low) & np.isfinite(curve.high) & (curve.high > floor)
    x, low, high = curve.x[finite], np.maximum(curve.low[finite], floor), curve.high[finite]
    red, green, blue = (int(stroke.colour[i : i + 2], 16) for i in (1, 3, 5))
    return {
        "type": "scatter",
        "uid": _uid(f"{curve.label} band"),
        "name": html.escape(words or f"{curve.label}, band"),
        "legendgroup": curve.label,
        "showlegend": False,
        "hoverinfo": "skip",
        "x": np.concatenate([x, x[::-1]]),
        "y": np.concatenate([high, low[::-1]]),
        "mode": "lines",
        "line": {"width": 0, "color": stroke.colour},
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.2)",
    }


def _layout(result: Result, x_axis: Name, y_axis: Name, y_range: tuple[float, float] | None) -> dict:
    shapes = [
        {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": "#7F7F7F", "width": 1, "dash": "dot"}}
        for x, _ in result.marks
    ]
    # An annotation on a logarithmic axis is placed by the logarithm, a shape by the value: plotly.js has it so.
    notes = [
        {"text": html.escape(words), "x": float(np.log10(x)) if x_axis.log else x, "yref": "paper", "y": 1, "yanchor": "bottom",
         "xanchor": _side(x, result.curves, x_axis.log), "showarrow": False, "font": {"size": 12}}
        for x, words in result.marks
    ]  # above the plot, where no curve crosses the words; the legend makes room
    if result.status:
        lines = "<br>".join(textwrap.wrap(html.escape(result.status), 60))  # a chart clips what is wider than itself
        notes.append({"text": lines, "xref": "paper", "x": 0.5, "yref": "paper", "y": 0.5, "showarrow": False})
    vertical = _axis(y_axis)
    if y_range is not None:
        vertical |= {"range": [float(edge) for edge in (np.log10(y_range) if y_axis.log else y_range)]}
    return {
        "xaxis": _axis(x_axis),
        "yaxis": vertical,
        "font": {"color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.08 if result.marks else 1.02, "yanchor": "bottom"},
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "hovermode": "x unified",
        "autosize": True,
        "uirevision": "kept",
        "shapes": shapes,
        "annotations": notes,
    }


def _side(x: float, curves: tuple[Curve, ...], log: bool) -> str:
    """Which end of its words stands at a mark: they run towards the middle of the chart."""
    at = np.concatenate([curve.x for curve in curves] or [[x]])
    at = at[np.isfinite(at) & ((at > 0) | (not log))]
    low, high = (at.min(), at.max()) if at.size else (x, x)
    return "right" if x > ((low * high) ** 0.5 if log else (low + high) / 2) else "left"


def _axis(concept: Name) -> dict:
    # More ticks, and plotly.js writes all digits from 2 to 9 between two powers, where there is room for three.
    scale = {"type": "log", "exponentformat": "power", "nticks": 4} if concept.log else {"type": "linear"}
    title = {"text": concept.axis, "standoff": 12}
    return {"title": title, "automargin": True, "gridcolor": GRID, "zeroline": False, **scale}


def _smallest_positive(curves: tuple[Curve, ...]) -> float:
    arrays = [values[values > 0] for curve in curves for values in (curve.y, curve.low) if values is not None]
    return min((float(array.min()) for array in arrays if array.size), default=0.0)
