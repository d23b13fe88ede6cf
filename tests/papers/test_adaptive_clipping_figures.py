"""Figures of 2207.04686: the ledger and the constants as they are, and what each theorem's message comes to."""

import math

import numpy as np
import pytest

from core.papers import adaptive_clipping
from core.papers.adaptive_clipping import risk


def test_the_ledger_is_the_closed_form_and_the_claim_is_exceeded():
    table = adaptive_clipping.ledger()
    alpha_squared = 8 * math.log(1e6)
    for rungs, counts, claimed_search, search, claimed, shared, epsilon in table.rows:
        assert counts == rungs + 1
        assert claimed_search == pytest.approx(0.5 / alpha_squared, rel=1e-12)
        assert search == pytest.approx((rungs + 1) / (2 * rungs * alpha_squared), rel=1e-12)
        assert shared == pytest.approx((2 * rungs + 1) / (2 * rungs * alpha_squared), rel=1e-12) and shared > claimed
        assert 0.5 < epsilon < 1
    assert table.verdict.startswith("Does not match")


def test_what_shuffling_needs_against_what_is_printed():
    figure = adaptive_clipping.shuffling()
    at = list(figure.curve("needed").x).index(10_000)
    assert figure.curve("needed").y[at] / 2 == pytest.approx(1.91, abs=0.01)
    assert figure.curve("as printed, constants 1").y[at] / 2 == pytest.approx(math.log(1e10) / 100, rel=1e-12)
    assert np.all(figure.curve("needed").y <= figure.curve("without the shuffle").y * (1 + 1e-9))
    assert figure.verdict.startswith("Does not match")


def test_the_bound_speaks_from_tens_of_millions_on():
    rows = adaptive_clipping.bound_speaks().rows
    assert [row[0] for row in rows] == [5, 20, 80]
    for dim, small, ratio, large, _, halving in rows:
        assert 1e7 < small < 1e8 and 1e9 < large < 1e10 and ratio == small / dim
        assert halving == pytest.approx(4 * math.log(2) * dim, rel=0.03)


@pytest.mark.slow
def test_the_error_is_flat_in_the_dimension_at_a_thousand_records_a_parameter():
    """d = 5 to 80 at N = 1000 d: within a factor of 2, the claim of Corollary 3.8."""
    figure = adaptive_clipping.dimension()
    medians = figure.curve("adaptive, exact accounting").y
    assert list(figure.curve("adaptive, exact accounting").x) == [5, 10, 20, 40, 80]
    assert medians.max() / medians.min() < 2 and figure.verdict.startswith("Matches")


@pytest.mark.slow
def test_the_sample_size_is_in_proportion_to_the_dimension():
    figure = adaptive_clipping.sample_size()
    for curve in figure.curves:
        works = [ratio for at, ratio in enumerate(curve.x) if (curve.y[at:] <= 0.05).all()]
        assert works[0] in (200, 400)
    assert figure.verdict.startswith("Matches")


@pytest.mark.slow
def test_dp_ssgd_does_not_profit_from_clean_labels(monkeypatch):
    monkeypatch.setitem(risk.SAMPLES, "quick", 4000)
    monkeypatch.setitem(risk.REPLICATES, "quick", 8)
    figure = adaptive_clipping.label_noise()
    shuffled = figure.curve(risk.DP_SSGD).y
    assert shuffled[0] / shuffled[-1] < 10 and shuffled[-1] > 1000 * figure.curve("adaptive, exact accounting").y[-1]
