"""Corollaries 5.3, 5.5 and 5.6: their rates follow from the theorem's terms, and the contradiction in 5.5 stands."""

import math

import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import norm

from core.theory.bounds import KanRun, optimisation_order, representative_regimes, revealed_delta

CASES = [(10**9, 10, 1.0, 0.05), (10**12, 5, 0.1, 0.3), (10**7, 1000, 0.5, 0.9), (10**14, 3, 1.0, 0.01)]


@pytest.mark.parametrize("n, dim, epsilon, margin", CASES)
def test_rates_are_those_of_the_terms(n, dim, epsilon, margin):
    delta = margin**4 / n**2
    for regime in representative_regimes(n, dim, epsilon, delta, margin):
        steps, batch_size = round(regime.steps), round(regime.batch_size)
        # Theorem D.9 carries a logarithm that the rates leave out
        charged = math.sqrt(16 / epsilon + 32 * math.log(1 / delta) / epsilon**2) * epsilon
        noise = regime.noise_multiplier / (charged if regime.name == "independent noise" else 1)
        run = KanRun(
            n_samples=n, dim=dim, width=round(regime.width), margin=margin, batch_size=batch_size, steps=steps,
            learning_rate=regime.learning_rate, noise_multiplier=noise, correlation=0.0, clip_norm=1.0, delta=delta,
        )
        order = optimisation_order(run).value
        assert regime.optimisation.value / 3 < order < 12 * regime.optimisation.value
        growth = 1 + regime.learning_rate * steps / n
        assert regime.population.value / 3 < growth * order < 12 * regime.population.value


def test_settings_and_rates_at_one_point():
    correlated, independent, plain = representative_regimes(10**6, 25, 1.0, 1e-9, 0.1, 0.25)
    assert (correlated.batch_size, correlated.steps, correlated.width) == pytest.approx((250_000, 2000, 1e6))
    assert correlated.optimisation.value == pytest.approx(0.01 + 0.05)
    assert (independent.batch_size, independent.steps, independent.learning_rate) == pytest.approx((100, 10_000, 1.0))
    assert independent.optimisation.value == pytest.approx(0.01 + 0.005) and independent.width == pytest.approx(1e4)
    assert independent.noise_multiplier == pytest.approx(math.sqrt(1e-4 * (16 + 32 * math.log(1e9))))
    assert (plain.steps, plain.learning_rate, plain.noise_multiplier) == pytest.approx((1e12, 1e-4, 0.0))
    assert (plain.optimisation.value, plain.population.value) == pytest.approx((1e-6, 1e-4))


def test_conditions_in_words():
    correlated, independent, plain = representative_regimes(400, 30, 2.0, 1e-3, 0.02)
    status = correlated.optimisation.status
    assert "Corollary 5.3 does not apply: epsilon = 2, to be at most 1; delta = 0.001" in status
    assert "steps = 0.0584, to be at least 1" in correlated.optimisation.status
    assert "batch_size = 0.4, to be at least 1" in independent.population.status
    status = plain.optimisation.status
    assert "batch_size = 0.4, to be at least 1" in status and "delta" not in status
    assert representative_regimes(10**9, 10, 1.0, 1e-15, 0.2)[0].population.status == ""


@pytest.mark.parametrize("n", [18_000, 10**6, 10**9])
def test_the_noise_of_corollary_5_5_reveals_records(n):
    independent = representative_regimes(n, 10, 1.0, 0.05 / n, 0.05)[1]
    assert "delta that the noise of Theorem 5.4 reveals" in independent.optimisation.status
    rate, steps = independent.batch_size / n, round(independent.steps)
    assert rate * steps == pytest.approx(1, rel=1e-3)  # every record joins once on average
    assert revealed_delta(rate, steps, independent.noise_multiplier, 1.0) > 50 * 0.05 / n


def test_what_is_revealed_tends_to_the_chance_of_joining_as_noise_vanishes():
    assert revealed_delta(1e-3, 1000, 1e-3, 1.0) == pytest.approx(1 - 0.999**1000, rel=1e-6)


@pytest.mark.parametrize(
    "rate, steps, noise, epsilon", [(0.05, 1, 0.5, 1.0), (0.01, 100, 0.4, 1.0), (0.01, 100, 0.3, 4.0)]
)
def test_what_is_revealed_is_never_above_the_exact_delta(rate, steps, noise, epsilon):
    exact = privacy_loss_distribution.from_gaussian_mechanism(
        noise, value_discretization_interval=1e-3, sampling_prob=rate
    ).self_compose(steps).get_delta_for_epsilon(epsilon)
    assert 0.01 * exact < revealed_delta(rate, steps, noise, epsilon) <= exact * (1 + 1e-6)


def test_what_one_step_reveals_is_exact_for_a_likelihood_ratio_that_grows():
    # one step: the best event is x > c with density ratio e^eps, so the bound is the exact delta of removing a record
    rate, noise, epsilon = 0.2, 0.7, 0.5
    cut = noise**2 * math.log((math.exp(epsilon) - 1 + rate) / rate) + 0.5
    without, joined = norm.sf(cut / noise), norm.sf((cut - 1) / noise)
    exact = (1 - rate) * without + rate * joined - math.exp(epsilon) * without
    assert revealed_delta(rate, 1, noise, epsilon) == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: representative_regimes(1, 10, 1.0, 1e-5, 0.1), "n_samples=1"),
        (lambda: representative_regimes(100, 0, 1.0, 1e-5, 0.1), "dim=0"),
        (lambda: representative_regimes(100, 10, 1.0, 1e-5, 0.0), "margin=0"),
        (lambda: representative_regimes(100, 10, 1.0, 1e-5, 0.1, 1.0), "sampling_rate=1"),
        (lambda: revealed_delta(1.0, 10, 1.0, 1.0), "sampling_rate=1"),
        (lambda: revealed_delta(0.1, 0, 1.0, 1.0), "steps=0"),
        (lambda: revealed_delta(0.1, 10, 0.0, 1.0), "noise_multiplier=0"),
    ],
)
def test_arguments_are_checked(call, words):
    with pytest.raises(ValueError, match=words):
        call()
