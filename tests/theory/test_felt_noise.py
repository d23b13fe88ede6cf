"""Energy of correlated noise: against dense algebra, the mean over frequency, and where calibrated noises cross."""

import math

import numpy as np
import pytest

from core.mechanisms import independent, lambda_cgd
from core.theory.bounds import crossing_step, cumulative_noise, felt_noise
from core.theory.frequency import filtered_power

CORRELATIONS = [0.0, 0.3, 0.75, 0.99]
CONTRACTIONS = [1e-9, 0.01, 0.5, 1.0, 1.7]


def dense(correlation: float, contraction: float, steps: int) -> np.ndarray:
    """Variance of x_t, t = 1..steps, from the matrix that takes seed noise to x."""
    lag = np.subtract.outer(np.arange(steps), np.arange(steps))
    remember = np.where(lag >= 0, (1.0 - contraction) ** np.maximum(lag, 0), 0)
    noising = lambda_cgd(correlation).noising_matrix(steps) if correlation else np.eye(steps)
    return ((remember @ noising) ** 2).sum(axis=1)


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("contraction", [0.0, *CONTRACTIONS])
def test_finite_steps_equal_dense_algebra(correlation, contraction):
    expected = dense(correlation, contraction, 60)
    for steps in (1, 2, 3, 60):
        assert felt_noise(correlation, contraction, steps) == pytest.approx(expected[steps - 1], rel=1e-8)


@pytest.mark.parametrize("correlation", CORRELATIONS)
@pytest.mark.parametrize("contraction", [0.01, 0.5, 1.0, 1.7])
def test_stationary_noise_is_the_mean_over_frequency_and_the_limit_of_many_steps(correlation, contraction):
    mechanism = lambda_cgd(correlation) if correlation else independent()
    power = filtered_power(mechanism, [contraction])[0] / (contraction * (2 - contraction))
    assert felt_noise(correlation, contraction) == pytest.approx(power, rel=1e-9)
    assert felt_noise(correlation, contraction, 10_000) == pytest.approx(power, rel=1e-9)


def test_stationary_noise_at_one_point():
    assert felt_noise(0.5, 0.01) == pytest.approx(13.065326633165828, rel=1e-12)  # quadrature over frequency


@pytest.mark.parametrize("contraction", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("steps", [None, 5])
def test_least_where_noise_is_taken_back_as_fast_as_it_is_forgotten(contraction, steps):
    best = felt_noise(1 - contraction, contraction, steps)
    assert best == pytest.approx(1, abs=1e-12)
    for other in (1 - contraction - 0.01, 1 - contraction + 0.005):
        assert felt_noise(other, contraction, steps) > best


@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_sum_of_noise(correlation):
    path = cumulative_noise(correlation, 50)
    np.testing.assert_allclose(path, dense(correlation, 0.0, 50), rtol=1e-12)
    assert path[-1] == pytest.approx(felt_noise(correlation, 0.0, 50), rel=1e-12)
    if correlation == 0:
        np.testing.assert_array_equal(path, np.arange(1, 51))


def test_calibrated_noises_cross():
    # noise multipliers at epsilon 1, delta 1e-5, sampling rate 1/150, 300 steps: .886 independent, 2.299 at .75
    crossing = crossing_step(0.75, 2.299, 0.886)
    assert crossing == pytest.approx(1 + 4.500405 / 0.4546584375, rel=1e-6)
    correlated, plain = 2.299**2 * cumulative_noise(0.75, 300), 0.886**2 * cumulative_noise(0.0, 300)
    before, after = np.arange(1, 301) < crossing, np.arange(1, 301) > crossing
    assert (correlated > plain)[before].all() and (correlated < plain)[after].all()
    assert before.sum() == 10


@pytest.mark.parametrize(
    "noise_multiplier, expected", [(4.0, math.inf), (3.9999, 1 + 14.9992 / 0.00005), (1.0, 1), (0.5, 1)]
)
def test_crossing_never_late_or_at_once(noise_multiplier, expected):
    assert crossing_step(0.75, noise_multiplier, 1.0) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: felt_noise(1.0, 0.1), "correlation=1"),
        (lambda: felt_noise(0.5, 2.0), "contraction=2"),
        (lambda: felt_noise(0.5, 0.0), "contraction=0.0, expected > 0 where steps is None"),
        (lambda: felt_noise(0.5, 0.1, 0), "steps=0"),
        (lambda: cumulative_noise(0.5, 0), "steps=0"),
        (lambda: crossing_step(0.5, 0.0, 1.0), "noise_multiplier=0"),
        (lambda: crossing_step(0.5, 1.0, -1.0), "independent_noise_multiplier=-1"),
    ],
)
def test_arguments_are_checked(call, words):
    with pytest.raises(ValueError, match=words):
        call()
