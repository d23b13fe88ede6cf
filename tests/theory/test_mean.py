"""Theorem 2.1 against independently computed ratios and against any mechanism's stationary risk."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.mechanisms import anti_pgd, independent, lambda_cgd, nu_ftrl, optimal_counting
from core.theory import mean


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (0.0001, 0.002582969181746635),
        (0.01, 0.09086834918590363),
        (0.1, 0.400491),
        (0.5, 0.8637897153518537),
        (0.99, 0.9999499984374217),
    ],
)
def test_ratio_of_optimal_to_independent_noise(rate, expected):
    """Computed independently from the elliptic integral; 2310.06771, Theorem 2.1, privacy part."""
    ratio = mean.optimal_risk(rate, 1.0) / mean.dp_sgd_risk(rate, 1.0)
    assert ratio == pytest.approx(expected, rel=1e-8 if rate != 0.1 else 1e-6)


def test_correlation_stops_helping_at_learning_rate_one():
    assert mean.optimal_risk(1.0, 0.3, 0.2, 1.5) == mean.dp_sgd_risk(1.0, 0.3, 0.2, 1.5)


def test_dp_sgd_risk_carries_the_half_of_the_squared_loss():
    """eta (G^2/(2 rho) + s^2) / (2 (2 - eta)) with eta = 0.5, G = 2, rho = 0.1, s = 3: 0.5 * 29 / 3."""
    assert mean.dp_sgd_risk(0.5, 0.1, 3.0, 2.0) == pytest.approx(0.5 * 29 / 3)


def test_data_noise_is_the_same_for_every_mechanism():
    difference = mean.dp_sgd_risk(0.1, 1.0, 2.0) - mean.dp_sgd_risk(0.1, 1.0)
    assert mean.optimal_risk(0.1, 1.0, 2.0) - mean.optimal_risk(0.1, 1.0) == pytest.approx(difference, rel=1e-12)
    assert difference == pytest.approx(0.1 * 4 / (2 * 1.9))


@given(rate=st.floats(1e-6, 1.0), data_std=st.floats(0.0, 3.0))
def test_stationary_risk_of_the_two_mechanisms_of_theorem_2_1(rate, data_std):
    arguments = (rate, 0.7, data_std, 1.3)
    assert mean.stationary_risk(independent(), *arguments) == pytest.approx(mean.dp_sgd_risk(*arguments), rel=1e-10)
    assert mean.stationary_risk(nu_ftrl(rate), *arguments) == pytest.approx(mean.optimal_risk(*arguments), rel=1e-9)


@given(rate=st.floats(1e-4, 1.9), nu=st.floats(1e-6, 1.0), correlation=st.floats(0.0, 0.999))
def test_nothing_is_below_the_optimum(rate, nu, correlation):
    least = mean.optimal_risk(rate, 1.0) * (1 - 1e-10)
    for mechanism in (nu_ftrl(nu), lambda_cgd(correlation)):
        assert mean.stationary_risk(mechanism, rate, 1.0) >= least


def test_undamped_noise_has_no_stationary_risk_at_finite_privacy():
    assert mean.stationary_risk(optimal_counting(), 0.1, 1.0) == np.inf
    assert mean.stationary_risk(anti_pgd(0.0), 0.1, 1.0) == np.inf


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: mean.dp_sgd_risk(2.0, 1.0), "learning_rate"),
        (lambda: mean.optimal_risk(0.0, 1.0), "learning_rate"),
        (lambda: mean.stationary_risk(independent(), -0.1, 1.0), "learning_rate"),
        (lambda: mean.dp_sgd_risk(0.1, 0.0), "rho"),
        (lambda: mean.optimal_risk(0.1, 1.0, -1.0), "data_std"),
        (lambda: mean.optimal_risk(0.1, 1.0, 0.0, 0.0), "clip_norm"),
    ],
)
def test_wrong_arguments_are_named(call, field):
    with pytest.raises(ValueError, match=f"^{field}="):
        call()
