"""Figure 3 of 2310.06771."""

import numpy as np
import pytest

from core import mechanisms
from core.papers.correlated_noise import figure3, strongly_convex
from core.theory.strongly_convex import excess_risk_bound


@pytest.fixture(scope="module")
def streamed(module_patch):
    module_patch.setitem(strongly_convex.NUMBERS, "quick", (2, 5, 10))
    return list(figure3.stream("quick"))


@pytest.fixture(scope="module")
def module_patch():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_points_arrive_one_condition_number_after_the_other(streamed):
    assert [len(progress.result.curves[0].x) for progress in streamed] == [1, 2, 3]
    assert streamed[-1].fraction == 1 and streamed[0].result.verdict == ""


def test_six_lines_three_noises_under_two_signs(streamed):
    result = streamed[-1].result
    labels = [curve.label for curve in result.curves]
    assert labels[3:] == [f"{label}, sign as printed" for label in labels[:3]]
    assert all(np.all(printed.y < valid.y) for valid, printed in zip(result.curves[:3], result.curves[3:], strict=True))


def test_the_points_are_the_bounds(streamed):
    # computed independently with a conic solver at condition number 10
    expected = (0.25616, 0.03764, 0.03764, 0.18154, 0.02327, 0.02313)
    assert [curve.y[2] for curve in streamed[-1].result.curves] == pytest.approx(expected, rel=4e-3)
    assert streamed[-1].result.curves[0].y[1] == pytest.approx(excess_risk_bound(mechanisms.independent(), 0.1, 5))


def test_the_verdict_matches_because_the_gaps_grow(streamed):
    assert streamed[-1].result.verdict.startswith("Matches the paper: the gap between DP-SGD and nu-DP-FTRL grows")


def test_a_gap_that_does_not_grow_does_not_match():
    bounds = np.array([[0.4, 0.1, 0.1], [0.4, 0.2, 0.19]])
    assert strongly_convex._verdict(bounds, np.array([2.0, 5.0])).startswith("Does not match")
