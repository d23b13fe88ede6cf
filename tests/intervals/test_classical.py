"""The textbook's interval against numpy's least squares and by its own coverage."""

import numpy as np
import pytest
from scipy import stats

from core.intervals import ols_interval


def test_it_is_the_textbooks():
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(50, 3)), rng.normal(size=50)
    theta, half = ols_interval(features, labels, level=0.9)
    expected, residual, *_ = np.linalg.lstsq(features, labels, rcond=None)
    errors = np.sqrt(residual[0] / 47 * np.diag(np.linalg.inv(features.T @ features)))
    assert theta == pytest.approx(expected, abs=1e-12)
    assert half == pytest.approx(stats.t.ppf(0.95, 47) * errors, rel=1e-10)


def test_it_covers_the_truth_as_often_as_it_says():
    rng, hits = np.random.default_rng(4), []
    truth = np.array([1.0, -0.5])
    for _ in range(3000):
        features = rng.normal(size=(12, 2))
        theta, half = ols_interval(features, features @ truth + rng.normal(size=12))
        hits.append(np.abs(theta - truth) <= half)
    rates = np.mean(hits, axis=0)
    assert np.abs(rates - 0.95).max() < 4 * (0.95 * 0.05 / 3000) ** 0.5


def test_what_has_no_interval_is_said():
    with pytest.raises(ValueError, match="records=3, expected more than the 3 features"):
        ols_interval(np.eye(3), np.ones(3))
    twice = np.ones((9, 2))
    with pytest.raises(ValueError, match="independent columns"):
        ols_interval(twice, np.arange(9.0))
    with pytest.raises(ValueError, match="(?s)^labels=.*expected 9 numbers in one dimension"):
        ols_interval(np.eye(9)[:, :2], np.ones(8))
    with pytest.raises(ValueError, match="(?s)^labels=.*expected 9 numbers in one dimension"):
        ols_interval(np.eye(9)[:, :2], np.ones((9, 1)))
    with pytest.raises(ValueError, match=r"^features=\(9,\), expected rows of finite numbers, in two dimensions"):
        ols_interval(np.ones(9), np.ones(9))
    with pytest.raises(ValueError, match="^features="):
        ols_interval(np.full((9, 2), np.nan), np.ones(9))
