"""Fixed-size batches break the claimed amplification, Poisson batches keep it, counting participations survives."""

import math
from itertools import islice

import numpy as np
import pytest
import torch
from scipy.stats import binom, norm

from core import privacy
from core.amplification import calibrate, calibrate_without_amplification, fixed_size_counterexample
from core.learners.batches import FixedSize, Poisson, picks
from core.learners.dp_ftrl import DpFtrlConfig
from core.learners.randomness import generator
from core.mechanisms import lambda_cgd

RATE, NOISE, EPSILON = 0.05, 1.0, 1.0


def quadrature(p_mean, q_mean, rate, sigma, epsilon):
    """Hockey-stick divergence of (1-rate) N(0) + rate N(p_mean) from the same with q_mean, by brute force."""

    x = np.linspace(-12 * sigma, 2 + 12 * sigma, 1_000_001)
    zero = norm.pdf(x, 0, sigma)
    p = (1 - rate) * zero + rate * norm.pdf(x, p_mean, sigma)
    q = (1 - rate) * zero + rate * norm.pdf(x, q_mean, sigma)
    return np.maximum(0.0, p - math.exp(epsilon) * q).sum() * (x[1] - x[0])


def test_numbers_of_the_counterexample():
    claimed, actual = fixed_size_counterexample(RATE, NOISE, EPSILON)
    assert claimed == pytest.approx(1.195008446e-5, rel=1e-6)
    assert actual == pytest.approx(2.78106592e-3, rel=1e-6)


@pytest.mark.parametrize("rate, sigma, epsilon", [(0.05, 1.0, 1.0), (0.3, 0.7, 0.2), (0.5, 2.0, 0.05), (0.9, 1.0, 0.5)])
def test_counterexample_agrees_with_quadrature(rate, sigma, epsilon):
    claimed, actual = fixed_size_counterexample(rate, sigma, epsilon)
    assert claimed == pytest.approx(max(quadrature(1, 0, rate, sigma, epsilon), quadrature(0, 1, rate, sigma, epsilon)), rel=1e-6)
    assert actual == pytest.approx(max(quadrature(2, 1, rate, sigma, epsilon), quadrature(1, 2, rate, sigma, epsilon)), rel=1e-6)


def test_without_subsampling_the_counterexample_is_the_exact_gaussian_trade_off():
    claimed, actual = fixed_size_counterexample(1.0, 2.0, 0.5)
    assert claimed == pytest.approx(privacy.gdp_delta(0.5, 0.5), rel=1e-9)
    assert actual == pytest.approx(claimed, rel=1e-9)


OTHERS, BATCH_SIZE = 39, 2  # of 40 records: rate .05


def steps_seen(sampling, own: float, draws: int, seed: int) -> np.ndarray:
    """What an adversary who knows all other records makes of each of so many steps, before the noise.

    The record has the clipped gradient `own` and all others -1; batches are those that a learner trains on. From each
    sum is taken what the step would have summed to had the record never existed: -B in batches of a fixed size, the sum
    of the others who joined in Poisson batches, which an adversary may be given, for the record's coin is its own.
    """
    config = DpFtrlConfig(steps=1, batch_size=BATCH_SIZE, replicates=draws // 100, sampling=sampling)
    gradients = torch.tensor([own] + [-1.0] * OTHERS + [0.0])  # the last is an empty place, which is at index -1
    seen = []
    for chosen in islice(picks(OTHERS + 1, config, generator(seed, torch.device("cpu"))), 100):
        total = gradients[chosen].sum(-1)
        known = -(chosen > 0).sum(-1) if sampling == Poisson() else -BATCH_SIZE
        seen.append(total - known)
    return torch.cat(seen).double().numpy()


@pytest.mark.parametrize("sampling, breaks, draws", [(FixedSize(), True, 120_000), (Poisson(), False, 400_000)])
def test_distinguishing_game(sampling, breaks, draws):
    """Whoever says 'the record is there' above the best threshold wins more than epsilon and the claimed delta allow."""
    noise = np.random.default_rng(1)
    claimed, actual = fixed_size_counterexample(RATE, NOISE, EPSILON)
    # The likelihood ratio of the pair that the sampler really gives passes e here: (.95 + .05 a^2 e^-2)/(.95 + .05 a
    # e^-.5) = e with a = e^x for fixed-size batches, (.95 + .05 e^(x-.5)) = e for Poisson batches.
    threshold = 3.0 if breaks else 0.5 + math.log((math.e - 0.95) / 0.05)
    with_record, zeroed = (
        steps_seen(sampling, own, draws, seed) + NOISE * noise.standard_normal(draws) > threshold
        for seed, own in enumerate((1.0, 0.0))
    )
    advantage = with_record.mean() - math.exp(EPSILON) * zeroed.mean()
    error = math.sqrt((with_record.var() + math.exp(2 * EPSILON) * zeroed.var()) / draws)
    if breaks:
        assert advantage > claimed + 4 * error
        assert advantage < actual + 4 * error
    else:
        assert abs(advantage - claimed) < 4 * error
        assert error < actual / 10  # fixed-size batches would show


def test_counting_participations_gives_the_reference():
    # r=.1, T=100, lambda=.7, epsilon=1, delta=1e-5: binomial tail beyond 26 participations, computed independently
    assert calibrate_without_amplification(0.7, 0.1, 100, 1.0, 1e-5) == pytest.approx(60.4384063884, rel=1e-9)


def test_counting_participations_is_the_least_over_all_counts():
    steps, rate, epsilon, delta = 40, 0.1, 1.0, 1e-4
    mechanism = lambda_cgd(0.5)
    least = min(
        mechanism.sensitivity(steps, joins) / privacy.gdp_mu_for(epsilon, (delta - tail) / (1 - tail))
        for joins in range(1, steps + 1)
        if (tail := binom.sf(joins, steps, rate)) < delta
    )
    assert calibrate_without_amplification(0.5, rate, steps, epsilon, delta) == pytest.approx(least, rel=1e-12)


def test_every_step_a_participation_is_the_gaussian_release():
    expected = privacy.calibrate(lambda_cgd(0.7), 50, 1.0, 1e-5, participations=50)
    assert calibrate_without_amplification(0.7, 1.0, 50, 1.0, 1e-5) == pytest.approx(expected, rel=1e-9)


def test_amplification_is_worth_having():
    assert calibrate(0.5, 0.05, 400, 1.0, 1e-5) < 0.5 * calibrate_without_amplification(0.5, 0.05, 400, 1.0, 1e-5)
