"""A grid of values as a heat map: signs told apart, values told on hovering, nothing lost in the CSV."""

import numpy as np
import pytest

from core.figures import chart, spec, to_html
from core.names import name
from core.results import Grid

VALUES = np.array([[1.0, 0.0, np.nan], [-0.1, 1.0, 0.0], [-1e-9, -0.01, 1.0]])


def grid(values=VALUES, value_name="noising_entry", **fields) -> Grid:
    places = np.arange(1.0, 4.0)
    return Grid("A matrix", places, places, values, "entry_column", "entry_row", value_name, "a paper", **fields)


def test_values_must_fill_the_rectangle():
    with pytest.raises(ValueError, match=r"values=\(3, 3\), expected shape \(2, 3\)"):
        Grid("", np.arange(3), np.arange(2), VALUES, "entry_column", "entry_row", "noising_entry", "")
    assert not grid().values.flags.writeable


def test_the_first_row_is_on_top_and_the_axes_are_named():
    layout = spec(grid())["layout"]
    assert layout["yaxis"]["autorange"] == "reversed"
    assert layout["xaxis"]["title"]["text"] == name("entry_column").axis
    assert layout["yaxis"]["title"]["text"] == name("entry_row").axis


def test_opposite_values_have_opposite_colours_of_one_strength_and_zero_has_none():
    (trace,) = spec(grid(np.array([[0.5, -0.5, 0.0], [1e-3, -1e-3, 0.0], [1.0, 0.0, -1.0]])))["data"]
    shown = trace["z"]
    np.testing.assert_array_equal(shown[:, 0][:2], -shown[:, 1][:2])
    assert shown[0, 2] == 0 and trace["zmin"] == -trace["zmax"] < 0
    assert shown[2, 0] == trace["zmax"] == -shown[2, 2] and 0 < shown[1, 0] < shown[0, 0]
    assert trace["colorscale"][1][1] == "rgba(128,128,128,0)"


def test_magnitudes_are_told_apart_over_four_decades_and_by_their_own_words():
    (trace,) = spec(grid())["data"]
    assert trace["z"][2, 0] == 0, "a ten-thousandth of the largest is where the colours end"
    assert trace["z"][1, 0] < trace["z"][2, 1] < 0 and np.isnan(trace["z"][0, 2])
    places = dict(zip(trace["colorbar"]["ticktext"], trace["colorbar"]["tickvals"], strict=True))
    assert places["1"] == trace["z"][0, 0] and places["-0.1"] == trace["z"][1, 0] and places["0"] == 0
    np.testing.assert_array_equal(trace["customdata"], VALUES)


def test_a_linear_value_keeps_its_scale_and_an_empty_grid_is_still_a_chart():
    (trace,) = spec(grid(value_name="noise_sum"))["data"]
    np.testing.assert_array_equal(trace["z"], VALUES)
    assert trace["zmax"] == 1
    assert spec(grid(np.zeros((3, 3))))["data"][0]["zmax"] == 1


def test_the_csv_holds_every_cell():
    lines = grid(settings={"nu": 0.1}).to_csv().splitlines()
    assert lines[:4] == ["# title: A matrix", "# source: a paper", "# nu: 0.1", "entry_column,entry_row,noising_entry"]
    assert lines[4:6] == ["1.0,1.0,1.0", "2.0,1.0,0.0"] and len(lines) == 13


def test_plotly_accepts_the_map_and_a_page_can_be_made_of_it():
    figure = chart(grid(caption="where it was"))
    assert figure.data[0].type == "heatmap" and figure.layout.title.text == "A matrix"
    assert "where it was" in to_html(grid(caption="where it was"))
