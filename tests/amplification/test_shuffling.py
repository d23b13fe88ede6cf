"""Shuffled single passes: the closed form, what DP-SSGD needs for its privacy, and the limits."""

import math

import pytest

from core import privacy
from core.amplification.shuffling import calibrate_shuffled, shuffled_closed_form, shuffled_epsilon


def test_the_closed_form_at_a_point():
    """e0 = 1, n = 10,000, delta = 1e-6: computed independently from the formula of the theorem's authors."""
    assert shuffled_closed_form(1, 10_000, 1e-6) == pytest.approx(0.2332655961237434, abs=1e-9)


def test_the_closed_form_says_nothing_where_its_condition_fails():
    edge = math.log(10_000 / (16 * math.log(4 / 1e-6)))
    assert shuffled_closed_form(edge * 1.001, 10_000, 1e-6) == edge * 1.001
    assert shuffled_closed_form(edge * 0.999, 10_000, 1e-6) < edge / 2
    assert shuffled_closed_form(0.0, 10_000, 1e-6) == 0.0


def test_what_dp_ssgd_needs_is_eight_times_what_is_printed():
    """At N = 10,000 and (1, 1e-6): alpha = log(N/delta)/(epsilon sqrt N) = .23 as printed, 1.91 with the constants."""
    needed = calibrate_shuffled(10_000, 1.0, 1e-6) / 2
    printed = math.log(1e10) / 100
    assert needed == pytest.approx(1.91, abs=0.01) and printed == pytest.approx(0.23, abs=0.001)
    assert shuffled_epsilon(2 * printed, 10_000, 1e-6) > 20


@pytest.mark.parametrize(("n_samples", "epsilon"), [(1000, 1.0), (10_000, 0.3), (20_000, 1.0), (100_000, 2.0)])
def test_calibration_is_private_and_close(n_samples, epsilon):
    found = calibrate_shuffled(n_samples, epsilon, 1e-6)
    assert shuffled_epsilon(found, n_samples, 1e-6) <= epsilon
    assert found <= 2 / privacy.gdp_mu_for(epsilon, 1e-6) * (1 + 1e-9)
    assert shuffled_epsilon(found / 1.001, n_samples, 1e-6) > epsilon


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.7, 3.0])
@pytest.mark.parametrize(("n_samples", "delta"), [(1000, 0.01), (1, 1e-6), (50, 0.3), (5000, 1e-9)])
def test_calibration_is_private_to_the_last_digit(n_samples, epsilon, delta):
    found = calibrate_shuffled(n_samples, epsilon, delta)
    assert shuffled_epsilon(found, n_samples, delta) <= epsilon
    assert found <= 2 / privacy.gdp_mu_for(epsilon, delta) * (1 + 1e-14)


def test_shuffling_never_costs_and_more_noise_never_hurts():
    for n_samples in (2, 100, 10_000):
        previous = math.inf
        for multiplier in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0):
            epsilon = shuffled_epsilon(multiplier, n_samples, 1e-6)
            assert epsilon <= privacy.gdp_epsilon(2 / multiplier, 1e-6)
            assert epsilon <= previous
            previous = epsilon
    assert shuffled_epsilon(5.0, 100_000, 1e-6) < shuffled_epsilon(5.0, 10_000, 1e-6) < privacy.gdp_epsilon(0.4, 1e-6)


@pytest.mark.parametrize("arguments", [(0.0, 10, 1e-6), (1.0, 0, 1e-6), (1.0, 10, 0.0), (1.0, 10, 1.0)])
def test_bad_arguments_are_named(arguments):
    with pytest.raises(ValueError, match="expected"):
        shuffled_epsilon(*arguments)
