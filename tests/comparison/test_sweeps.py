"""One control at a time: grids, valleys and the frames of charts that follow a slider."""

from dataclasses import replace

import numpy as np
import pytest

from core import comparison
from core.comparison import CORRELATION_GRID, KNOBS, NU_GRID, Setting
from core.names import ARMS

SETTING = Setting(steps=150, dim=6)


def test_the_grids_are_round_numbers_from_long_memory_to_dp_sgd():
    assert NU_GRID[0] == 1e-4 and NU_GRID[-1] == 1.0 and len(NU_GRID) == 41
    assert CORRELATION_GRID[0] == 0.0 and CORRELATION_GRID[-1] == 0.999 and len(CORRELATION_GRID) == 31
    assert {0.01, 0.02, 0.05, 0.1, 0.5} <= set(NU_GRID) and {0.5, 0.75, 0.9, 0.95, 0.99} <= set(CORRELATION_GRID)
    for grid in (NU_GRID, CORRELATION_GRID):
        assert list(grid) == sorted(set(grid)) and all(float(f"{value:g}") == value for value in grid)


@pytest.mark.parametrize("knob", KNOBS)
def test_frames_are_what_the_page_would_show_at_each_value(knob):
    for make, at in (
        (comparison.risk_frames, comparison.excess_risk),
        (comparison.spectrum_frames, comparison.noise_spectrum),
        (comparison.memory_frames, comparison.risk_against_memory),
    ):
        frames = make(SETTING, knob)
        for value in (list(frames)[0], list(frames)[17], list(frames)[-1]):
            expected = at(replace(SETTING, **{knob: value}))
            for curve, wanted in zip(frames[value].curves, expected.curves, strict=True):
                assert curve.label == wanted.label
                if not curve.label.startswith("your") and len(curve.x) == len(NU_GRID) + 1:
                    continue  # the valley's grid holds the setting's own value, which differs
                np.testing.assert_allclose(curve.x, wanted.x, rtol=1e-12)
                np.testing.assert_allclose(curve.y, wanted.y, rtol=1e-9)


@pytest.mark.parametrize("knob", KNOBS)
def test_gains_over_a_knob_are_the_headline_at_each_value(knob):
    gains = comparison.gains_over(SETTING, knob)
    for value in list(gains)[::10]:
        here = comparison.improvement(replace(SETTING, **{knob: value}))
        np.testing.assert_allclose(gains[value], here[KNOBS[knob]], rtol=1e-9)
    independent = 1.0 if knob == "nu" else 0.0
    assert gains[independent] == 1.0


def test_a_value_off_the_grid_joins_it():
    off = replace(SETTING, nu=0.0123, correlation=0.123)
    for knob in KNOBS:
        assert getattr(off, knob) in comparison.risks_over(off, knob)[0]
        assert getattr(off, knob) in comparison.risk_frames(off, knob)


def test_the_valley_has_the_viewers_marks_on_it_and_dp_sgd_at_its_right_end():
    result = comparison.risk_against_memory(SETTING)
    risks = comparison.final_risks(SETTING)
    for label, arm, x in (("your nu", "nu_ftrl", SETTING.nu), ("your lambda", "lambda_cgd", 1 - SETTING.correlation)):
        np.testing.assert_allclose([result.curve(label).x[0], result.curve(label).y[0]], [x, risks[arm]], rtol=1e-9)
        curve = result.curve(ARMS[arm])
        at_one = curve.y[np.argmin(np.abs(curve.x - 1))]
        np.testing.assert_allclose(at_one, risks["independent"], rtol=1e-12)


def test_each_learning_rate_is_judged_by_its_own_exact_curve():
    result = comparison.risk_against_learning_rate(SETTING)
    curve = result.curve(ARMS["nu_ftrl"])
    for rate, risk in list(zip(curve.x, curve.y, strict=True))[::7]:
        here = comparison.final_risks(replace(SETTING, learning_rate=float(rate)))
        np.testing.assert_allclose(risk, here["nu_ftrl"], rtol=1e-12)
    best = {arm: result.curve(ARMS[arm]).y.min() for arm in ("independent", "nu_ftrl")}
    assert comparison.in_words(best["independent"] / best["nu_ftrl"]) in result.verdict


@pytest.mark.parametrize(
    ("gain", "text"),
    [(1.0, "1.00x"), (13.87, "13.9x"), (8.27, "8.27x"), (0.762, "0.76x"), (0.051, "0.051x"), (123.4, "123x"), (float("nan"), "-"), (float("inf"), "-")],
)
def test_a_gain_in_the_headline(gain, text):
    assert comparison.spell_gain(gain) == text
