"""What the paper's theorems say of a setting: numbers, conditions, and the words for them."""

from dataclasses import replace

import numpy as np
import pytest

from core.experiments import kan
from core.experiments.kan import KanSetting, theory
from core.problems import datasets

SPECTRAL = KanSetting(accountant="spectral")


def test_corollary_5_5_gives_away_a_fifth_of_what_it_keeps_to_a_millionth():
    """n=18,000, gamma=.018, epsilon=1: asked 1e-6, given away .2246, computed independently from the largest output."""
    result = kan.not_private_as_printed(SPECTRAL, margin=0.018)
    given, asked = result.curves
    here = list(given.x).index(18_000)
    assert asked.y[here] == pytest.approx(1e-6) and given.y[here] == pytest.approx(0.2246, rel=2e-3)
    assert "asks for delta = 1e-06 and gives away at least 0.22. It is not private as printed" in result.verdict
    assert result.marks == ((18_000.0, "your data"),)


@pytest.mark.parametrize("margin", [0.01, 0.03, 0.1])
def test_in_the_end_whoever_joins_is_seen_and_the_lines_begin_where_a_batch_holds_a_record(margin):
    given, asked = kan.not_private_as_printed(SPECTRAL, margin=margin).curves
    assert given.x[0] >= margin**-2
    np.testing.assert_allclose(asked.y, np.minimum(SPECTRAL.delta, margin / asked.x))
    assert given.y[-1] == pytest.approx(1 - np.exp(-1), rel=2e-2) and np.all(np.diff(given.y) > -1e-5)


def test_the_margin_is_that_of_the_records_and_a_smaller_one_gives_away_more():
    result = kan.not_private_as_printed(SPECTRAL)
    assert result.settings["margin"] == kan.admissible_widths(SPECTRAL).settings["margin"]
    smaller = kan.not_private_as_printed(SPECTRAL, margin=result.settings["margin"] / 2)
    assert smaller.curves[0].y[list(smaller.curves[0].x).index(18_000)] > result.curves[0].y[list(result.curves[0].x).index(18_000)]
    assert kan.not_private_as_printed(replace(SPECTRAL, dataset="xor", width=4)).settings["margin"] == theory.WITHOUT_MARGIN


def test_a_corollary_that_is_not_refuted_at_hand_is_not_said_to_be():
    own = datasets.rings(200)
    assert "would not hold one record" in kan.not_private_as_printed(SPECTRAL, own, margin=0.05).verdict
    said = kan.not_private_as_printed(SPECTRAL, own, margin=0.1).verdict
    assert said.startswith("With 150 records and a margin of 0.1 it asks for") and "With more records it is not" in said


def test_the_widths_are_those_of_the_theorem_and_none_fits():
    """gamma^-4 against B^2/(eta^2 kappa^2 gamma^2 d) min(1, 1/(T ((1-lambda)^2 + lambda^2 eta))), written out again."""
    result = kan.admissible_widths(SPECTRAL)
    gamma = result.settings["margin"]
    assert 0.01 < gamma < 0.05 and result.settings["records"] == 1000
    least, most = result.curve("at least, margin^-4"), result.curve("at most, for this noise")
    np.testing.assert_allclose(least.y, gamma**-4)
    assert result.curve("at least, by the proof's constants").y[0] > 1e12 * gamma**-4
    kappa = np.array([kan.noise_multiplier(SPECTRAL, value, 18_000) for value in most.x])
    felt = (1 - most.x) ** 2 + most.x**2 * 16
    np.testing.assert_allclose(most.y, 120**2 / (16**2 * kappa**2 * gamma**2 * 10) * np.minimum(1, 1 / (300 * felt)))
    assert most.y.max() < least.y[0] and "**no width fits**" in result.verdict
    assert "learning rate = 16, to be at most" in result.verdict and "clip norm = 0.5, to be at least" in result.verdict
    assert "1,000 of the 18,000 records" in result.verdict and result.marks == ((0.75, "your lambda"),)
    assert set(result.curve("your width").y) == {64.0}


def test_more_records_have_no_larger_margin():
    data = datasets.xor(800)
    fewer = replace(data, features=data.features[:150], labels=data.labels[:150])
    small, large = (kan.admissible_widths(SPECTRAL, each).settings["margin"] for each in (fewer, data))
    assert large < small


def test_without_noise_there_is_no_upper_end_and_without_a_margin_no_theorem():
    quiet = kan.admissible_widths(replace(SPECTRAL, dataset="rings", private=False))
    assert "sets no upper end" in quiet.verdict and "at most, for this noise" not in [curve.label for curve in quiet.curves]
    none = kan.admissible_widths(replace(SPECTRAL, dataset="xor", width=4))
    assert none.verdict.startswith("Assumption 3.3 fails") and "no theorem applies" in none.status
    assert [curve.label for curve in none.curves] == ["your width"]
