"""A Plotly chart that is updated in place: its node and the viewer's zoom survive, and it follows dragged sliders."""

import base64
import importlib.util
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import streamlit as st
import streamlit.components.v1 as v1
import streamlit.components.v2 as v2

from core.figures import CONFIG

_ASSETS = Path(__file__).parent.parent / "assets" / "chart"
_CHART = v2.component(
    "live_chart",
    html='<div class="live-chart" role="img"></div>',
    css=(_ASSETS / "chart.css").read_text(),
    js=(_ASSETS / "chart.js").read_text(),
    isolate_styles=False,  # plotly.js keeps its own styles in the head of the document
)


@dataclass(frozen=True)
class Drag:
    """What a chart shows at each value of a slider, so that it can follow a finger without asking Python.

    `value` is the text that the slider shows for the figure given to `live_chart`; `figures` maps each text that the
    slider can show to the figure there (`core.figures.spec`), `texts` maps it to {CSS selector: text} of words of the
    page to be replaced, each an element holding nothing but text.
    """

    value: str
    figures: dict[str, dict]
    texts: dict[str, dict[str, str]] = field(default_factory=dict)


def live_chart(
    figure: dict, key: str, label: str, height: int = 420, drag: dict[str, Drag] | None = None, words: dict[str, str] | None = None
) -> None:
    """Draw `figure` (`core.figures.spec`) in place; `label` says to those who cannot see it what it shows.

    `drag` maps the key of a slider anywhere on the page to what the chart shows at each of its values. Only what differs
    from `figure` is sent, as 32-bit floats. `words` maps CSS selectors to the words of the page that go with `figure`: a
    drag replaces them, and what Python sends must undo that even where nothing can be dragged any more.
    """
    _CHART(
        key=key,
        data={
            "plotly": _plotly_url(),
            "figure": _json({**figure, "config": CONFIG}, "<f8"),
            "label": label,
            "height": height,
            "words": words or {},
            "drag": _json({slider: _frames(figure, moves) for slider, moves in (drag or {}).items()}, "<f4"),
        },
    )


@st.cache_resource(show_spinner=False)
def _plotly_url() -> str:
    """Address of plotly.js: the folder of the installed plotly package that holds it is served as a component's files."""
    folder = Path(importlib.util.find_spec("plotly").origin).parent / "package_data"
    served = v1.declare_component("plotly", path=folder)
    base = st.get_option("server.baseUrlPath").strip("/")
    return f"{'/' + base if base else ''}/component/{served.name}/plotly.min.js"


def _frames(figure: dict, moves: Drag) -> dict:
    frames = {}
    for text, there in moves.figures.items():
        pairs = enumerate(zip(figure["data"], there["data"], strict=True))
        data = {index: _changes(old, new) for index, (old, new) in pairs}
        frames[text] = {
            "data": {index: changes for index, changes in data.items() if changes},
            "layout": _changes(figure["layout"], there["layout"]),
            "text": moves.texts.get(text, {}),
        }
    return {"value": moves.value, "frames": frames}


def _changes(old: dict, new: dict) -> dict:
    return {key: value for key, value in new.items() if key not in old or not _same(old[key], value)}


def _same(old: object, new: object) -> bool:
    if isinstance(new, np.ndarray):
        return isinstance(old, np.ndarray) and np.array_equal(old, new, equal_nan=True)
    return old == new


def _json(figure: dict, dtype: str) -> str:
    """`figure` as JSON with its arrays as plotly.js reads them: base64 of little-endian floats."""

    def encode(values: np.ndarray) -> dict:
        with np.errstate(over="ignore"):  # what 32 bits cannot hold is infinite: a gap in the chart
            packed = {"dtype": dtype[1:], "bdata": base64.b64encode(values.astype(dtype).tobytes()).decode()}
        return packed if values.ndim == 1 else packed | {"shape": ", ".join(map(str, values.shape))}

    return json.dumps(figure, default=encode)
