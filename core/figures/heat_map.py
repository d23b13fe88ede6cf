"""A `Grid` as a Plotly heat map: one colour a sign, zero clear, so that it reads on light and on dark."""

import html

import numpy as np

from core.figures.palette import BLUE, VERMILLION
from core.names import Name, name
from core.results import Grid

_DECADES = 4  # of magnitudes told apart on a logarithmic scale; what is smaller is drawn as zero


def heat_map(grid: Grid) -> dict:
    """The chart of `grid` as `{"data": [trace], "layout": {...}}`, first row on top.

    Negative values are blue, positive ones vermillion, which every colour vision tells apart; zero is the background.
    Where the glossary has the value on a logarithmic scale, the colour is that of the magnitude's logarithm over its four
    largest decades. Hovering tells the value itself.

    Guarantees: `value` and `-value` have the same strength of colour; NaN is left out.
    """
    value = name(grid.value_name)
    shown, ticks = _on_scale(grid.values, value.log)
    largest = max((at for at, _ in ticks), default=1.0)
    titles = [f"{html.escape(concept.axis)} %{{{letter}}}" for concept, letter in ((name(grid.y_name), "y"), (name(grid.x_name), "x"))]
    trace = {
        "type": "heatmap",
        "uid": grid.value_name.encode().hex(),
        "x": grid.x,
        "y": grid.y,
        "z": shown,
        "customdata": grid.values,
        "zmin": -largest,
        "zmax": largest,
        "colorscale": [[0.0, _rgba(BLUE, 1)], [0.5, _rgba("#808080", 0)], [1.0, _rgba(VERMILLION, 1)]],
        "colorbar": {"thickness": 12, "outlinewidth": 0, "tickvals": [at for at, _ in ticks], "ticktext": [text for _, text in ticks]},
        "hovertemplate": f"{'<br>'.join(titles)}<br>%{{customdata:.4~g}}<extra></extra>",
    }
    return {"data": [trace], "layout": _layout(grid)}


def _on_scale(values: np.ndarray, log: bool) -> tuple[np.ndarray, list[tuple[float, str]]]:
    """What is coloured, and (place, words) on the colour bar."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    if not sizes.size:
        return values, []
    if not log:
        return values, [(sign * part * sizes.max(), f"{sign * part * sizes.max():.3g}") for sign in (-1, 1) for part in (0.5, 1)]
    top = np.log10(sizes.max())
    floor = max(np.log10(sizes.min()), top - _DECADES)
    with np.errstate(divide="ignore"):
        # the smallest magnitude shown is still one step away from zero
        shown = np.sign(values) * np.maximum(np.log10(np.abs(values)) - floor + 1, 0)
    whole = np.arange(np.ceil(floor - 1e-9), np.floor(top + 1e-9) + 1)
    places = [(float(power - floor + 1), 10.0**power) for power in whole] or [(float(top - floor + 1), 10.0**top)]
    largest = float(top - floor + 1)
    ends = [] if places[-1][0] > largest - 0.2 else [(largest, 10.0**top)]
    return shown, [(sign * at, f"{sign * size:.2g}") for at, size in (*places, *ends) for sign in (-1, 1)] + [(0.0, "0")]


def _layout(grid: Grid) -> dict:
    notes = []
    if grid.status:
        notes.append({"text": html.escape(grid.status), "xref": "paper", "x": 0.5, "yref": "paper", "y": 0.5, "showarrow": False})
    return {
        "xaxis": _axis(name(grid.x_name)),
        "yaxis": _axis(name(grid.y_name)) | {"autorange": "reversed"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "autosize": True,
        "uirevision": "kept",
        "annotations": notes,
    }


def _axis(concept: Name) -> dict:
    return {"title": {"text": concept.axis}, "automargin": True, "showgrid": False, "zeroline": False}


def _rgba(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
