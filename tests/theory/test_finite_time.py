"""Theorems D.11 and D.13, Corollaries D.14 and D.15 of 2310.06771."""

import math

import numpy as np
import pytest

from core import mechanisms
from core.theory.bounds import finite_time
from core.theory.bounds.finite_time import decay_to_stationary, dp_sgd_in_time, nu_ftrl_in_time, private_in_time
from core.theory.quadratic import excess_risk_curve

SPECTRUM = 1 / np.arange(1, 9)
START = np.full(8, 8**-0.5)
NOISES = (mechanisms.independent(), mechanisms.nu_ftrl(0.01), mechanisms.anti_pgd(0.2))


@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.arm)
@pytest.mark.parametrize(
    "rate, noise_std, label_noise", [(0.2, 0.0, 0.0), (0.2, 0.3, 0.1), (0.02, 1.0, 0.0), (0.02, 0.0, 1.0)]
)
def test_no_exact_curve_exceeds_theorem_d11(noise, rate, noise_std, label_noise):
    curve = excess_risk_curve(SPECTRUM, rate, 2000, noise.noising_coef(2000), noise_std, label_noise, 1, START)
    for steps in (0, 1, 10, 100, 1000, 2000):
        bound = decay_to_stationary(SPECTRUM, rate, steps, noise, noise_std, label_noise, START)
        assert bound.applies and curve[steps] <= bound.value


def test_d11_by_hand_and_its_terms_add_up():
    bound = decay_to_stationary((1.0, 0.5), 0.1, 40, NOISES[0], 0.3, 0.0, (1.0, 2.0))
    left = 2 * math.exp(-0.1 * 0.5 * 40) * 1.5
    stationary = dict(bound.terms)["stationary suboptimality"]
    assert dict(bound.terms)["what is left of the start"] == pytest.approx(left)
    assert bound.value == pytest.approx((math.sqrt(left) + math.sqrt(stationary)) ** 2)


def test_d11_needs_a_small_learning_rate_and_says_so():
    bound = decay_to_stationary(SPECTRUM, 0.25, 100, NOISES[0], 0.1, 0.0, START)
    assert not bound.applies and "learning rate = 0.25, to be at most 0.212" in bound.status


def test_a_bound_above_the_start_says_nothing():
    bound = decay_to_stationary(SPECTRUM, 0.1, 10, NOISES[0], 1.0, 0.0, START)
    assert "the risk of staying at the start" in bound.status


@pytest.mark.parametrize("noise", NOISES[:2], ids=lambda noise: noise.arm)
@pytest.mark.parametrize("label_noise", [0.0, 0.5])
def test_what_happens_is_below_what_d13_promises(noise, label_noise):
    claim = private_in_time(SPECTRUM, 3000, noise, 10.0, label_noise, START)
    assert claim.exact <= claim.bound.value
    start = 0.5 * SPECTRUM @ START**2
    left = 2 * 8 * math.exp(-claim.learning_rate * 3000 / 8) * start
    assert dict(claim.bound.terms)["what is left of the start"] == pytest.approx(left)


def test_d13_settings_by_hand():
    claim = private_in_time((1.0, 0.5), 1000, mechanisms.independent(), 2.0, 0.0, (3.0, 4.0), failure=0.1)
    moment, logarithm = 3.5, math.log(1e4)
    assert claim.clip_norm == pytest.approx(moment * 5 * logarithm**2.5)
    assert claim.learning_rate == pytest.approx(0.5 * 2 / (8 * moment**2 * 2 * logarithm**5))


def test_more_privacy_budget_allows_a_larger_learning_rate_up_to_a_limit():
    rates = [
        private_in_time(SPECTRUM, 1000, NOISES[0], rho, 0.1, START).learning_rate for rho in (1e-3, 1.0, 1e9, 1e12)
    ]
    assert rates[0] < rates[1] < rates[2] == rates[3]


def test_the_largest_moment_of_gaussian_examples():
    rng = np.random.default_rng(0)
    values = np.array([1.0, 0.5, 0.1])
    x = rng.standard_normal((400_000, 3)) * np.sqrt(values)
    measured = np.mean((x**2).sum(axis=1)[:, None] * x**2, axis=0) / values
    assert measured == pytest.approx(2 * values + values.sum(), rel=0.02)
    assert finite_time._fourth_moment(values) == pytest.approx(3.6)


def test_the_corollaries_by_hand():
    values, error, steps = (1.0, 0.25), (1.0, 2.0), 10**9
    for function, power, by_distance, by_labels in (
        (dp_sgd_in_time, 5, 5 * 2 * 1.25 * 5 / (3e9), 5 * 2 * 0.04 / 3e9),
        (nu_ftrl_in_time, 7, 5 * 5 * 1.25 * 5 / (3e18), 5 * 5 * 0.04 / 3e18),
    ):
        bound = function(values, steps, 3.0, 0.2, error, failure=0.1)
        terms = dict(bound.terms)
        assert terms["privacy, by the distance of the start"] == pytest.approx(by_distance)
        assert terms["privacy, by label noise"] == pytest.approx(by_labels)
        assert terms["label noise"] == pytest.approx(5 * 0.04 / 1e9)
        condition = bound.conditions[0]
        assert condition.value == pytest.approx(1e9 / math.log(1e10) ** power)
        hardness = 16 * 1.25**2 * 2 / 3
        assert condition.low == pytest.approx(hardness * (math.log(hardness) if power == 7 else 1))
        assert terms["what is left of the start"] == pytest.approx(4 * math.exp(-condition.value / condition.low) * 1.0)


def test_correlated_noise_gains_a_power_of_the_steps():
    few, many = (10**15, 10**16)
    for function, power in ((dp_sgd_in_time, 1), (nu_ftrl_in_time, 2)):
        first, later = (dict(function(SPECTRUM, steps, 1.0, 0.0, START).terms) for steps in (few, many))
        name = "privacy, by the distance of the start"
        assert first[name] / later[name] == pytest.approx(10**power)


@pytest.mark.parametrize(
    "field, change",
    [
        ("failure", {"failure": 1.0}),
        ("rho", {"rho": 0.0}),
        ("steps", {"steps": 0}),
        ("initial_error", {"initial_error": (1.0,)}),
    ],
)
def test_what_does_not_fit_is_named(field, change):
    arguments = {"eigenvalues": SPECTRUM, "steps": 100, "rho": 1.0, "label_noise": 0.1, "initial_error": START} | change
    for function in (dp_sgd_in_time, nu_ftrl_in_time):
        with pytest.raises(ValueError, match=f"^{field}="):
            function(**arguments)


def test_a_noise_whose_sensitivity_grows_for_ever_is_refused():
    with pytest.raises(ValueError, match="mechanism=.*a sensitivity that has a limit"):
        private_in_time(SPECTRUM, 100, mechanisms.optimal_counting(), 1.0, 0.0, START)


def test_the_corollaries_begin_late():
    """Eight directions 1/k, rho = 1, constants 1: the first power of ten at which each speaks."""
    begins = [
        min(power for power in range(6, 20) if function(SPECTRUM, 10**power, 1.0, 0.1, START).applies)
        for function in (dp_sgd_in_time, nu_ftrl_in_time)
    ]
    assert begins == [11, 16]
