"""Curves that follow a slider without Python: every position of the slider is computed beforehand and sent along."""

from core.check import require
from core.figures.palette import strokes
from core.names import name
from core.results import Result


def drag_chart(grid_name: str, results: dict[float, Result]):
    """An `altair.Chart` whose slider walks through `results`, the grid value -> the Result there; works offline.

    The slider is over positions of the grid (whose values may be spaced as one likes); the chart's title names the value.
    `grid_name` is the glossary name of what the slider moves. Rows: grid points x curves x points of a curve.

    Raises: ValueError for an empty grid, or results on different axes.
    """
    import altair as alt

    require(len(results) > 0, "results", results, "at least one grid value")
    first = next(iter(results.values()))
    same = all((result.x_name, result.y_name) == (first.x_name, first.y_name) for result in results.values())
    require(same, "results", [result.y_name for result in results.values()], "the same two axes everywhere")
    x_axis, y_axis = name(first.x_name), name(first.y_name)
    rows = [
        {"grid": position, "value": value, "curve": curve.label, "x": x, "y": y}
        for position, (value, result) in enumerate(results.items())
        for curve in result.curves
        for x, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True)
        if not (y_axis.log and y <= 0) and not (x_axis.log and x <= 0)
    ]
    labels = [curve.label for curve in first.curves]
    looks = strokes([curve.arm for curve in first.curves])
    position = alt.param(
        name="position", value=0, bind=alt.binding_range(min=0, max=len(results) - 1, step=1, name=f"{name(grid_name).words} ")
    )
    values = ", ".join(f"'{value:.4g}'" for value in results)
    title = alt.Title(alt.expr(f"'{name(grid_name).words} = ' + [{values}][position]"))
    scale = {True: alt.Scale(type="log"), False: alt.Scale(zero=False)}
    return (
        alt.Chart(alt.Data(values=rows), title=title)
        .mark_line()
        .encode(
            x=alt.X("x:Q", title=x_axis.axis, scale=scale[x_axis.log]),
            y=alt.Y("y:Q", title=y_axis.axis, scale=scale[y_axis.log]),
            color=alt.Color("curve:N", title=None, scale=alt.Scale(domain=labels, range=[look.colour for look in looks])),
            strokeDash=alt.StrokeDash("curve:N", title=None, scale=alt.Scale(domain=labels, range=[_dash(look.dash) for look in looks])),
        )
        .transform_filter("datum.grid == position")
        .add_params(position)
        .properties(width=600, height=360)
    )


_DASHES = {
    "solid": [1, 0], "dash": [8, 4], "dot": [2, 3], "dashdot": [8, 3, 2, 3], "longdash": [14, 4],
    "longdashdot": [14, 3, 2, 3],
}


def _dash(name: str) -> list[int]:
    """Lengths in pixels of a Plotly dash, which is a name or a list such as 12px,2px."""
    return _DASHES[name] if name in _DASHES else [int(length.removesuffix("px")) for length in name.split(",")]
