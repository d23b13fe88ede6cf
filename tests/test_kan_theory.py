"""What the paper's theorems say of a setting: numbers, conditions, and the words for them."""

from dataclasses import replace

import numpy as np
import pytest

from core.experiments import kan
from core.experiments.kan import KanSetting, theory
from core.problems import datasets

SPECTRAL = KanSetting(accountant="spectral")


def test_corollary_5_5_gives_away_a_fifth_of_what_it_keeps_to_a_millionth(monkeypatch):
    """n=18,000, gamma=.018, epsilon=1: asked 1e-6, given away .2246 by quadrature of the two largest outputs."""
    monkeypatch.setattr(theory, "MARGINS", (0.018,))
    result = kan.not_private_as_printed(SPECTRAL)
    given, asked = (result.curve(f"{words}, margin 0.018") for words in ("given away at least", "asked for"))
    here = list(given.x).index(18_000)
    assert asked.y[here] == pytest.approx(1e-6) and given.y[here] == pytest.approx(0.2246, rel=2e-3)
    assert "asks for delta = 1e-06 and gives away at least 0.22. It is not private as printed" in result.verdict
    assert result.marks == ((18_000.0, "your data"),)


def test_in_the_end_whoever_joins_is_seen_and_a_line_begins_where_a_batch_holds_a_record():
    result = kan.not_private_as_printed(SPECTRAL)
    assert len(result.curves) == 2 * len(theory.MARGINS)
    for margin in theory.MARGINS:
        given, asked = (result.curve(f"{words}, margin {margin:g}") for words in ("given away at least", "asked for"))
        assert given.arm == asked.arm and given.x[0] >= margin**-2
        np.testing.assert_allclose(asked.y, np.minimum(SPECTRAL.delta, margin / asked.x))
        assert given.y[-1] == pytest.approx(1 - np.exp(-1), rel=1e-2) and np.all(np.diff(given.y) > -1e-5)


def test_a_corollary_that_is_not_refuted_at_hand_is_not_said_to_be():
    own = datasets.rings(200)
    assert "would not hold one record" in kan.not_private_as_printed(SPECTRAL, datasets.rings(80)).verdict
    said = kan.not_private_as_printed(SPECTRAL, own).verdict
    assert said.startswith("With 150 records at margin 0.1 it asks for") and "not refuted there" in said


def test_the_widths_are_those_of_the_theorem_and_none_fits():
    """gamma^-4 against B^2/(eta^2 kappa^2 gamma^2 d) min(1, 1/(T ((1-lambda)^2 + lambda^2 eta))), written out again."""
    result = kan.admissible_widths(SPECTRAL)
    gamma = result.settings["margin"]
    assert 0.01 < gamma < 0.05 and result.settings["records"] == 1000
    least, most = result.curve("at least: margin^-4"), result.curve("at most, for the noise")
    np.testing.assert_allclose(least.y, gamma**-4)
    assert result.curve("at least, with the constants of the proof").y[0] > 1e12 * gamma**-4
    kappa = np.array([kan.noise_multiplier(SPECTRAL, value, 18_000) for value in most.x])
    felt = (1 - most.x) ** 2 + most.x**2 * 16
    np.testing.assert_allclose(most.y, 120**2 / (16**2 * kappa**2 * gamma**2 * 10) * np.minimum(1, 1 / (300 * felt)))
    assert most.y.max() < least.y[0] and "**no width fits**" in result.verdict
    assert "learning_rate = 16, to be at most" in result.verdict and "clip_norm = 0.5, to be at least" in result.verdict
    assert "1,000 of the 18,000 records" in result.verdict and result.marks == ((0.75, "your lambda"),)
    assert set(result.curve("your width").y) == {64.0}


def test_more_records_have_no_larger_margin():
    data = datasets.xor(800)
    fewer = replace(data, features=data.features[:150], labels=data.labels[:150])
    small, large = (kan.admissible_widths(SPECTRAL, each).settings["margin"] for each in (fewer, data))
    assert large < small


def test_without_noise_there_is_no_upper_end_and_without_a_margin_no_theorem():
    quiet = kan.admissible_widths(replace(SPECTRAL, dataset="rings", private=False))
    assert "sets no upper end" in quiet.verdict and "at most, for the noise" not in [curve.label for curve in quiet.curves]
    none = kan.admissible_widths(replace(SPECTRAL, dataset="xor", width=4))
    assert none.verdict.startswith("Assumption 3.3 fails") and "no theorem applies" in none.status
    assert [curve.label for curve in none.curves] == ["your width"]
