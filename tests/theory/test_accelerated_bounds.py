"""The constants of 2406.02716: numbers computed independently, sums term by term, and from where on the theorem speaks."""

import math

import numpy as np
import pytest

from core import mechanisms, privacy
from core.theory.bounds import accelerated
from core.theory.bounds.accelerated import ScoRun


def test_c_dp_is_the_printed_formula():
    expected = 4 * math.sqrt(2) * math.log(1e4) ** 1.5 * math.sqrt(math.log(2e4 / 1e-5)) * math.log(2.5e5)
    assert accelerated.c_dp(1e4, 1e-5) == pytest.approx(expected, rel=1e-14)


def test_a_batch_holds_one_record_from_589_716_on():
    """Computed independently: c_DP n^(1/4) = n at delta = 1e-6, natural logarithms."""
    assert accelerated.samples_for_batches(1, 1e-6) == pytest.approx(589716.1457551357, abs=1.0)
    ten = accelerated.samples_for_batches(10, 1e-6)
    assert accelerated.parameters(ScoRun(n_samples=ten)).batch_size == pytest.approx(10, rel=1e-9)


def test_the_noise_is_bounded_by_the_radius_from_about_3e21_on():
    n = accelerated.samples_for_bounded_noise(1e-6)
    assert n == pytest.approx(2.866e21, rel=1e-3)
    assert accelerated.c_dp(n, 1e-6) == pytest.approx(n**0.25, rel=1e-9)


def test_lemma_5_5_asks_for_more_still():
    n = accelerated.samples_for_short_differences(1e-6)
    c = accelerated.c_dp(n, 1e-6)
    assert 2 * c * math.sqrt(6 * math.log(6 * c * n**0.25 / 2.5e-7)) == pytest.approx(n**0.25, rel=1e-9)
    assert n > 1e26


def test_the_bound_falls_below_trivial_where_it_says():
    n = accelerated.samples_for_a_bound_below_trivial(20, 1.0, 1e-6)
    values = []
    for factor in (0.5, 1.0, 2.0):
        p = accelerated.parameters(ScoRun(n_samples=n * factor))
        values.append(accelerated.excess_risk_bound(p.steps, p.batch_size, p.scaling, 2 * p.c_dp, p.noise_bound, 2.5e-7).value)
    assert values[0] > 1 > values[2] and values[1] == pytest.approx(1, rel=1e-8)


def test_the_parameters_make_one_epoch_and_their_noise_bound_is_lemma_5_4s():
    run = ScoRun(n_samples=1e9, dim=50, epsilon=0.5)
    p = accelerated.parameters(run)
    assert p.steps * p.batch_size == pytest.approx(1e9)
    assert p.noise_bound == pytest.approx(p.c_dp**2 * math.sqrt(50) / (0.5 * p.batch_size * p.scaling))
    assert p.noise_bound <= p.c_dp / 1e9**0.25  # what the lemma says it is at most
    tiny = accelerated.parameters(ScoRun(n_samples=100, dim=50, epsilon=0.5))
    assert tiny.scaling == pytest.approx(tiny.c_dp**2 * math.sqrt(50) / (0.5 * 10))


def test_corollary_5_7_spends_more_than_it_says():
    """Numbers computed independently at T = 16, epsilon = 1, delta = 1e-6."""
    assert accelerated.printed_noise(16, 1.0, 1e-6) == pytest.approx(7.676405744836168, rel=1e-12)
    assert accelerated.actual_epsilon(16, 1.0, 1e-6) == pytest.approx(1.2947958936682145, rel=1e-6)


@pytest.mark.parametrize("steps", [2, 3, 16, 31, 1000])
def test_with_the_missing_factor_it_is_the_noise_of_lemma_5_6_and_private(steps):
    noise = accelerated.printed_noise(steps, 1.0, 1e-6) * accelerated.missing_factor(steps)
    mu = 1 / math.sqrt(2 * math.log(2.5e6))
    assert noise == pytest.approx(math.sqrt(1 + math.ceil(math.log2(steps))) / mu, rel=1e-12)
    tree = mechanisms.binary_tree()
    assert privacy.gdp_epsilon(privacy.gdp_mu(tree, steps, noise), 5e-7) <= 1.0


def test_from_the_papers_letters_to_our_rho():
    """sigma of a block of the tree, which z receives, is c_DP L noise_multiplier/(B beta): clip norm c_DP L, rate 1/beta."""
    c_dp, lipschitz, batch_size, beta, steps, sigma = 7.0, 0.5, 64, 3.0, 31, 0.4
    noise_multiplier = sigma * batch_size * beta / (c_dp * lipschitz)
    mu = privacy.gdp_mu(mechanisms.binary_tree(), steps, noise_multiplier, adjacency="zero_out")
    moved_by_one_example = c_dp * lipschitz / (batch_size * beta)  # in z, of the block that holds it
    assert mu == pytest.approx(math.sqrt(5) * moved_by_one_example / sigma, rel=1e-12)
    assert mu**2 / 2 == pytest.approx(5 / 2 * (moved_by_one_example / sigma) ** 2, rel=1e-12)


@pytest.mark.parametrize("power", [-1.0, -0.5, 0.5, 1.0, 1.5])
def test_power_sums_beyond_the_first_terms_are_those_of_all_terms(power):
    exact = math.fsum(np.arange(1.0, 400_001) ** power)
    assert accelerated.power_sum(400_000, power) == pytest.approx(exact, rel=1e-12)
    assert accelerated.power_sum(3.7, power) == pytest.approx(1 + 2**power + 3**power)


def test_the_bound_is_equation_12_summed_over_the_steps():
    steps, batch_size, beta, q, b, failure = 9, 40, 2.5, 1.7, 0.3, 0.1
    log = math.log(6 * steps / failure)
    total = 2 * beta
    for t in range(steps):
        eta, weight = t + 1, (t + 1) * (t + 2) / 2
        off = q * math.sqrt(3 * (t + 1) * log) / (math.sqrt(batch_size) * eta)  # |q_t|
        total += 3 * weight / beta * off * (1 + off) + 3 * weight / eta * off * b + b * weight / eta
        total += beta * b**2 * weight / eta**2 + 3 * beta * b + eta * off
    expected = total / (steps * (steps + 1) / 2)
    found = accelerated.excess_risk_bound(steps, batch_size, beta, q, b, failure)
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert accelerated.excess_risk_bound(steps, batch_size, beta, q, 0.0, failure).value < found.value
    assert not accelerated.excess_risk_bound(steps, 0.5, beta, q, b, failure).applies


def test_small_calculators():
    assert accelerated.optimal_rate(ScoRun(n_samples=10_000, dim=25, epsilon=0.5)) == pytest.approx(0.01 + 5 / 5000)
    assert accelerated.unaccelerated_variance(10, 100, 5000) == pytest.approx(0.2)
    assert accelerated.difference_length_bound(1.0, 0.25) == pytest.approx(6.5)


@pytest.mark.parametrize(("field", "value"), [("n_samples", 1), ("dim", 0), ("epsilon", 0.0), ("delta", 1.0)])
def test_a_run_that_cannot_be_is_refused(field, value):
    with pytest.raises(ValueError, match=f"{field}={value}"):
        ScoRun(**{"n_samples": 100, field: value})


NOT_POSITIVE = (-1.0, math.nan, math.inf, -math.inf, True, "3", None)
NOT_A_CHANCE = (0.0, 1.0, *NOT_POSITIVE)
SAMPLES, STEPS = {"n_samples": 1e4, "delta": 1e-6}, {"steps": 16, "epsilon": 1.0, "delta": 1e-6}
BELOW = {"dim": 20, "epsilon": 1.0, "delta": 1e-6}
VARIANCE, LENGTH = {"step": 3, "batch_size": 10, "n_samples": 100}, {"smoothness": 1.0, "noise_bound": 0.5}
CHECKED = [
    (accelerated.c_dp, SAMPLES, "n_samples", (1, *NOT_POSITIVE)),
    (accelerated.c_dp, SAMPLES, "delta", NOT_A_CHANCE),
    (accelerated.samples_for_batches, {"batch_size": 1, "delta": 1e-6}, "batch_size", (0, 0.5, *NOT_POSITIVE)),
    (accelerated.samples_for_batches, {"batch_size": 1, "delta": 1e-6}, "delta", NOT_A_CHANCE),
    (accelerated.samples_for_bounded_noise, {}, "delta", NOT_A_CHANCE),
    (accelerated.samples_for_short_differences, {}, "delta", NOT_A_CHANCE),
    (accelerated.samples_for_a_bound_below_trivial, BELOW, "delta", NOT_A_CHANCE),
    (accelerated.samples_for_a_bound_below_trivial, BELOW, "epsilon", (0, *NOT_POSITIVE)),
    (accelerated.samples_for_a_bound_below_trivial, BELOW, "dim", (0, 1.5, *NOT_POSITIVE)),
    (accelerated.unaccelerated_variance, VARIANCE, "step", (1.5, *NOT_POSITIVE)),
    (accelerated.unaccelerated_variance, VARIANCE, "batch_size", (0, 1.5, *NOT_POSITIVE)),
    (accelerated.unaccelerated_variance, VARIANCE, "n_samples", (0, 1.5, *NOT_POSITIVE)),
    (accelerated.difference_length_bound, LENGTH, "smoothness", NOT_POSITIVE),
    (accelerated.difference_length_bound, LENGTH, "noise_bound", NOT_POSITIVE),
    (accelerated.printed_noise, STEPS, "steps", (1, 2.5, *NOT_POSITIVE)),
    (accelerated.printed_noise, STEPS, "epsilon", (0, *NOT_POSITIVE)),
    (accelerated.printed_noise, STEPS, "delta", NOT_A_CHANCE),
    (accelerated.actual_epsilon, STEPS, "steps", (1, 2.5, *NOT_POSITIVE)),
    (accelerated.actual_epsilon, STEPS, "epsilon", (0, *NOT_POSITIVE)),
    (accelerated.actual_epsilon, STEPS, "delta", NOT_A_CHANCE),
    (accelerated.missing_factor, {}, "steps", (1, 2.5, *NOT_POSITIVE)),
    (accelerated.power_sum, {"steps": 10, "power": 1.0}, "steps", (0.5, *NOT_POSITIVE)),
    (accelerated.power_sum, {"steps": 10, "power": 1.0}, "power", NOT_POSITIVE[1:]),
]


@pytest.mark.parametrize(("function", "arguments", "field", "wrong"), CHECKED, ids=lambda value: getattr(value, "__name__", None))
def test_every_argument_is_refused_in_one_sentence(function, arguments, field, wrong):
    for value in wrong:
        with pytest.raises(ValueError, match=f"^{field}={value!r}, expected "):
            function(**{**arguments, field: value})


def test_more_records_than_can_be_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="^records=1e.80, expected enough for what is asked"):
        accelerated.samples_for_batches(1e70, 1e-6)
