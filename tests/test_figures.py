"""Figures are tested by their data, their axis titles and what a reader can tell apart."""

import json
import subprocess
import sys

import numpy as np
import pytest

from core.figures import STROKES, chart, drag_chart, spec, strokes, to_html, y_range
from core.names import ARMS, name
from core.results import Curve, Result

X = np.array([1.0, 10.0, 100.0])


def result(*curves: Curve, x_name: str = "step", y_name: str = "excess_risk", **fields) -> Result:
    return Result(title="A title", curves=curves, x_name=x_name, y_name=y_name, source="2310.06771, Figure 1", **fields)


def exact(label: str = "theory", arm: str = "nu_ftrl", y=(3.0, 2.0, 1.0)) -> Curve:
    return Curve(label, X, np.array(y), arm=arm, exact=True)


def sampled(label: str = "simulation", arm: str = "nu_ftrl", low=(2.0, 1.0, 0.5)) -> Curve:
    return Curve(label, X, np.array([3.0, 2.0, 1.0]), low=np.array(low), high=np.array([4.0, 3.0, 2.0]), arm=arm)


def test_axes_take_title_unit_and_scale_from_the_glossary():
    layout = spec(result(exact(), x_name="frequency", y_name="excess_risk"))["layout"]
    assert layout["xaxis"]["title"]["text"] == "frequency [radians per step]" == name("frequency").axis
    assert (layout["xaxis"]["type"], layout["yaxis"]["type"]) == ("log", "log")
    assert spec(result(exact(), x_name="step"))["layout"]["xaxis"]["type"] == "linear"


def test_every_curve_is_one_named_trace_with_its_own_numbers():
    data = spec(result(exact("a"), exact("b", arm="independent", y=(9, 8, 7))))["data"]
    assert [trace["name"] for trace in data] == ["a", "b"]
    np.testing.assert_array_equal(data[1]["y"], [9, 8, 7])
    np.testing.assert_array_equal(data[1]["x"], X)


def test_a_long_label_is_broken_into_lines_that_fit_a_phone():
    (trace,) = spec(result(exact("claimed by Theorem F.8; true for Poisson batches & <others>")))["data"]
    lines = trace["name"].split("<br>")
    assert lines == ["claimed by Theorem F.8; true for Poisson", "batches &amp; &lt;others&gt;"]


def test_a_band_is_drawn_behind_its_curve_in_the_same_colour_and_named_for_what_it_is():
    band, line = spec(result(sampled(), band="95% confidence interval of the mean"))["data"]
    assert band["name"] == "95% confidence interval of the mean"
    assert band["fill"] == "toself" and not band["showlegend"]
    np.testing.assert_array_equal(band["y"], [4, 3, 2, 0.5, 1, 2])
    np.testing.assert_array_equal(band["x"], [1, 10, 100, 100, 10, 1])
    assert band["line"]["color"] == line["line"]["color"]
    assert band["fillcolor"] == "rgba(0,114,178,0.2)"


def test_on_a_logarithmic_axis_a_band_below_zero_ends_at_the_lowest_point_shown():
    log, _ = spec(result(sampled(low=(2.0, 0.25, -1.0))))["data"]
    assert log["y"].min() == 0.25
    linear, _ = spec(result(sampled(low=(2.0, 0.25, -1.0)), y_name="noise_sum"))["data"]
    assert linear["y"].min() == -1.0


def test_exact_curves_stand_out_from_sampled_ones_and_measurements_are_marked():
    theory, _, simulation, points = spec(
        result(exact(), sampled(), Curve("points", X, X, arm="nu_ftrl", discrete=True))
    )["data"]
    assert theory["line"]["width"] > simulation["line"]["width"]
    assert points["mode"] == "markers" and points["marker"]["symbol"] == STROKES["nu_ftrl"].marker


def test_a_measurement_has_error_bars_to_the_ends_of_its_band():
    point = Curve("measured", X, np.array([3.0, 2.0, 1.0]), low=np.array([2.0, 1.0, 0.5]), high=np.array([5.0, 3.0, 2.0]), discrete=True)
    (trace,) = spec(result(point))["data"]
    np.testing.assert_array_equal(trace["error_y"]["array"], [2, 1, 1])
    np.testing.assert_array_equal(trace["error_y"]["arrayminus"], [1, 1, 0.5])


def test_a_run_and_its_theory_share_one_entry_of_the_legend():
    data = spec(result(exact("nu, exact"), sampled("nu"), exact("alone, exact")))["data"]
    shown = {trace["name"]: trace.get("showlegend", True) for trace in data}
    assert not shown["nu, exact"] and shown["nu"] and shown["alone, exact"]
    assert data[0]["legendgroup"] == "nu", "a click on the entry hides both"


def test_a_range_holds_every_curve_with_a_margin_on_its_own_scale():
    log = y_range([result(exact(y=(1.0, 10.0, 100.0))), result(exact(y=(0.0, np.inf, 1000.0)))])
    np.testing.assert_allclose(log, (1000**-0.04, 1000**1.04))
    linear = y_range([result(exact(y=(-1.0, 0.0, 1.0)), y_name="noise_sum")])
    np.testing.assert_allclose(linear, (-1.08, 1.08))
    assert y_range([result(exact(y=(0.0, 0.0, 0.0)))]) is None


def test_an_arm_looks_the_same_in_every_chart_and_no_two_arms_look_alike():
    assert set(STROKES) == set(ARMS)
    alone = spec(result(exact(arm="lambda_cgd")))["data"][0]["line"]
    among = spec(result(exact("x", arm=""), exact("y", arm="independent"), exact("z", arm="lambda_cgd")))["data"][2]["line"]
    assert alone == among
    for trait in ("colour", "dash", "marker"):
        assert len({getattr(stroke, trait) for stroke in STROKES.values()}) == len(STROKES)


def test_curves_of_no_known_arm_differ_from_each_other_and_from_the_arms_beside_them():
    looks = strokes(["nu_ftrl", "", "mine", "yours", "independent"])
    assert len({look.colour for look in looks}) == 5
    assert len(strokes([""] * 8)) == 8


def test_curves_of_one_unknown_arm_look_alike_and_unlike_another():
    first, between, nameless, again, other = strokes(["lambda 0.5", "independent", "", "lambda 0.5", "lambda 0.9"])
    assert first == again and len({first.colour, between.colour, nameless.colour, other.colour}) == 4


def test_marks_are_vertical_lines_with_words_at_their_place():
    layout = spec(result(exact(), marks=((10.0, "eta < limit"),), x_name="frequency"))["layout"]
    (line,), (note,) = layout["shapes"], layout["annotations"]
    assert (line["x0"], line["x1"]) == (10.0, 10.0)
    assert note["x"] == 1.0, "plotly.js places an annotation on a logarithmic axis by the logarithm"
    assert note["text"] == "eta &lt; limit"
    assert spec(result(exact(), marks=((10.0, "here"),)))["layout"]["annotations"][0]["x"] == 10.0


def test_the_words_of_a_mark_stand_between_the_plot_and_the_legend_and_run_inwards():
    marked = spec(result(exact(), marks=((2.0, "low"), (80.0, "high"))))["layout"]
    assert [(note["y"], note["yanchor"], note["xanchor"]) for note in marked["annotations"]] == [(1, "bottom", "left"), (1, "bottom", "right")]
    assert marked["legend"]["y"] > spec(result(exact()))["layout"]["legend"]["y"] > 1
    logarithmic = spec(result(exact(), marks=((20.0, "above the middle"),), x_name="frequency"))["layout"]
    assert logarithmic["annotations"][0]["xanchor"] == "right"


def test_a_status_is_told_on_the_chart():
    (note,) = spec(result(exact(), status="diverged at step 3"))["layout"]["annotations"]
    assert note["text"] == "diverged at step 3"
    assert spec(result(exact()))["layout"]["annotations"] == []


def test_a_given_range_holds_the_axis_still_in_its_own_scale():
    assert spec(result(exact()), y_range=(0.01, 100.0))["layout"]["yaxis"]["range"] == [-2.0, 2.0]
    assert spec(result(exact(), y_name="noise_sum"), y_range=(-1, 2))["layout"]["yaxis"]["range"] == [-1.0, 2.0]
    assert "range" not in spec(result(exact()))["layout"]["yaxis"]


def test_an_update_keeps_the_viewers_zoom_and_the_identity_of_each_trace():
    before, after = spec(result(exact("a"))), spec(result(sampled("b"), exact("a", y=(5, 4, 3))))
    assert before["layout"]["uirevision"] == after["layout"]["uirevision"] != ""
    assert before["data"][0]["uid"] == after["data"][2]["uid"]


def test_the_identity_of_a_trace_is_fit_for_a_css_class():
    traces = spec(result(exact("nu = 0.1, (100%)"), sampled("a.b, c")))["data"]
    assert all(trace["uid"].isalnum() for trace in traces)
    assert len({trace["uid"] for trace in traces}) == len(traces)


def test_a_long_status_is_broken_into_lines_that_fit_the_chart():
    words = "The learning rate 1.9 is not stable here: with these eigenvalues every method diverges from 0.0588 on."
    (note,) = spec(result(exact("a"), status=words))["layout"]["annotations"]
    lines = note["text"].split("<br>")
    assert " ".join(lines) == words and max(map(len, lines)) <= 60


def test_plotly_accepts_the_chart_whole():
    full = result(exact("a < b"), sampled(), Curve("c", X, X, discrete=True), marks=((5.0, "here"),), status="done")
    figure = chart(full)
    assert figure.layout.title.text == "A title"
    assert [trace.name for trace in figure.data] == ["a &lt; b", "simulation, band", "simulation", "c"]


def test_no_data_is_still_a_chart():
    assert spec(result(status="stopped before the first step"))["data"] == []
    assert spec(result(Curve("empty", [], [], low=[], high=[])))["data"][1]["y"].size == 0


def test_the_standalone_page_says_everything_and_fetches_nothing():
    page = to_html(result(exact(), caption="if a < b", verdict="It wins.", settings={"nu": 0.1}, band="95%"))
    assert "if a &lt; b" in page and "It wins." in page and "nu = 0.1" in page and "2310.06771, Figure 1" in page
    assert "Bands: 95%." in page
    assert "plotly.js v" in page[:200_000] and len(page) > 3_000_000, "plotly.js is inside"
    assert '<script src="http' not in page and "<link" not in page


def test_the_drag_chart_filters_precomputed_rows_by_its_slider():
    grid = {0.1: result(exact(y=(1, 2, 3))), 0.5: result(exact(y=(4, 5, 0)))}
    drawn = json.loads(drag_chart("nu", grid).to_json())
    (slider,) = drawn["params"]
    assert slider["bind"] == {"input": "range", "max": 1, "min": 0, "name": "nu of nu-FTRL ", "step": 1}
    assert drawn["transform"] == [{"filter": "datum.grid == position"}]
    assert drawn["title"]["text"]["expr"] == "'nu of nu-FTRL = ' + ['0.1', '0.5'][position]"
    rows = drawn["data"]["values"]
    assert [row["y"] for row in rows] == [1, 2, 3, 4, 5], "a logarithmic axis shows no zero"
    assert {row["value"] for row in rows if row["grid"] == 1} == {0.5}
    assert drawn["encoding"]["y"]["title"] == name("excess_risk").axis
    assert drawn["encoding"]["color"]["scale"]["range"] == [STROKES["nu_ftrl"].colour]


def test_the_drag_chart_refuses_a_grid_that_it_cannot_draw():
    with pytest.raises(ValueError, match="results=.*expected at least one grid value"):
        drag_chart("nu", {})
    with pytest.raises(ValueError, match="expected the same two axes everywhere"):
        drag_chart("nu", {0.1: result(exact()), 0.2: result(exact(), y_name="noise_sum")})


def test_importing_figures_loads_no_charting_library():
    code = "import sys, core.figures; print([m for m in ('plotly', 'altair', 'torch', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_target_looks_the_same_on_every_chart():
    alone, beside = strokes(["truth", "least_squares", "huber"]), strokes(["", "mine", "huber", "yours", "least_squares", "truth"])
    assert [beside[place] for place in (5, 4, 2)] == alone and len({stroke.colour for stroke in beside}) == 6
