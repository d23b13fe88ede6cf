"""What the page sends to a live chart; what the browser does with it is tested in tests/browser/test_chart.py."""

import base64
import json

import numpy as np
from streamlit.testing.v1 import AppTest

from core.figures import spec
from core.results import Curve, Result

X = np.array([1.0, 2.0, 3.0])


def figure(*heights: float, mark: float = 2.0) -> dict:
    curves = tuple(Curve(f"curve {index}", X, X * height, exact=True) for index, height in enumerate(heights))
    return spec(Result("A title", curves, "step", "excess_risk", "source", marks=((mark, "here"),)))


def sent(**arguments) -> dict:
    """What `live_chart(**arguments)` hands to the browser, its two JSON texts decoded."""

    def script(arguments):
        from pages._chart import live_chart

        live_chart(**arguments)

    app = AppTest.from_function(script, kwargs={"arguments": arguments}).run()
    assert not app.exception
    (component,) = app.get("bidi_component")
    data = json.loads(component.proto.json)
    return data | {"figure": json.loads(data["figure"]), "drag": json.loads(data["drag"])}


def numbers(array: dict, dtype: str) -> list[float]:
    assert array["dtype"] == dtype
    return np.frombuffer(base64.b64decode(array["bdata"]), f"<{dtype}").tolist()


def drag(value: str, figures: dict, texts: dict | None = None):
    from pages._chart import Drag

    return Drag(value, figures, texts or {})


def test_the_figure_is_sent_whole_in_full_precision_with_its_words_and_size():
    data = sent(figure=figure(0.1), key="main", label="Error falls.", height=300)
    assert (data["label"], data["height"], data["drag"]) == ("Error falls.", 300, {})
    assert numbers(data["figure"]["data"][0]["y"], "f8") == (X * 0.1).tolist()
    assert data["figure"]["layout"]["xaxis"]["title"]["text"] == "step"
    assert data["figure"]["config"]["displayModeBar"] is False
    assert data["words"] == {}


def test_words_are_sent_even_where_nothing_can_be_dragged():
    data = sent(figure=figure(0.1), key="main", label="", words={"#headline": "2.00x"})
    assert data["words"] == {"#headline": "2.00x"} and data["drag"] == {}


def test_plotly_js_comes_from_this_server():
    assert sent(figure=figure(1.0), key="main", label="")["plotly"] == "/component/pages._chart.plotly/plotly.min.js"


def test_a_frame_holds_only_what_differs_in_single_precision():
    moves = drag("1", {"1": figure(1.0, 5.0), "2": figure(2.0, 5.0, mark=3.0)}, {"2": {"#headline": "2.00x"}})
    nu = sent(figure=figure(1.0, 5.0), key="main", label="", drag={"nu": moves})["drag"]["nu"]
    assert nu["value"] == "1"
    assert nu["frames"]["1"] == {"data": {}, "layout": {}, "text": {}}
    moved = nu["frames"]["2"]
    assert list(moved["data"]) == ["0"] and list(moved["data"]["0"]) == ["y"]
    assert numbers(moved["data"]["0"]["y"], "f4") == [2.0, 4.0, 6.0]
    assert set(moved["layout"]) == {"shapes", "annotations"} and moved["layout"]["shapes"][0]["x0"] == 3.0
    assert moved["text"] == {"#headline": "2.00x"}


def test_gaps_in_a_curve_are_not_a_difference():
    holed = figure(1.0)
    holed["data"][0]["y"] = np.array([1.0, np.nan, 3.0])
    nu = sent(figure=holed, key="main", label="", drag={"nu": drag("1", {"1": holed | {"data": [dict(holed["data"][0])]}})})
    assert nu["drag"]["nu"]["frames"]["1"]["data"] == {}
