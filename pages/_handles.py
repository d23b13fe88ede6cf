"""A curve with handles: dragged with a mouse, a finger or the arrow keys, and followed by Python while it moves."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import streamlit as st
import streamlit.components.v2 as v2

_ASSETS = Path(__file__).parent.parent / "assets" / "handles"
_HANDLES = v2.component(
    "handles",
    html="""<div class="handles"><div class="plane" role="group">
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true"></svg>
    </div></div>""",
    css=(_ASSETS / "handles.css").read_text(),
    js=(_ASSETS / "handles.js").read_text(),
)


class Handle(NamedTuple):
    """One handle: how far to the right of the plane it is (0 to 1), what is written below it and what it is called."""

    x: float
    text: str
    name: str


def handles(
    key: str, label: str, places: Sequence[Handle], levels: Sequence[float], low: float, high: float,
    take: Callable[[list[float]], None], x_title: str, y_title: str, optimum: Sequence[tuple[float, float]] = (), step: float = 0.05,
) -> None:
    """Show handles at `levels` between `low` and `high`; `take` gets the levels of all whenever one has moved.

    `optimum` is a second curve, points (x, level), drawn for comparison. What a handle's level means is for `label` to
    say; ticks are powers of ten of it. `x_title` and `y_title` stand beside the axes.
    """

    def moved() -> None:
        take(st.session_state[key]["levels"])

    _HANDLES(
        key=key,
        data={
            "label": label,
            "xTitle": x_title,
            "yTitle": y_title,
            "handles": [place._asdict() for place in places],
            "levels": list(levels),
            "low": low,
            "high": high,
            "step": step,
            "ticks": [{"level": level, "text": f"{10.0**level:g}"} for level in range(int(low), int(high) + 1)],
            "curves": [{"kind": "optimum", "points": [list(point) for point in optimum]}] if optimum else [],
        },
        on_levels_change=moved,
    )
