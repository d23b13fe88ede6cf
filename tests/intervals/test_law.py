"""Lemma 2.3 against dense matrices and against simulation."""

import numpy as np
import pytest

from core.intervals import CONSTRUCTIONS, Law, grouping

RNG = np.random.default_rng(7)
MIXING = RNG.normal(size=(40, 3))
SIGMA = MIXING.T @ MIXING / 40
HAT, START = np.array([0.5, -1.0, 2.0]), np.array([0.0, 0.3, -0.2])
ETA, STEPS = 0.4, 60
NOISE = 0.1 * (1 + np.arange(STEPS) / 20)  # no two steps alike


def law(noise=NOISE) -> Law:
    return Law(SIGMA, HAT, START, ETA, noise)


def dense(noise=NOISE):
    """Mean (T p,) and covariance (T p, T p) of all iterates by solving the recursion as one linear system."""
    dim = len(HAT)
    step = np.eye(dim) - ETA * SIGMA
    system = np.eye(STEPS * dim) - np.kron(np.eye(STEPS, k=-1), step)
    driven = np.tile(ETA * SIGMA @ HAT, STEPS)
    driven[:dim] += step @ START
    root = np.linalg.inv(system) @ np.diag(np.repeat(ETA * noise, dim))
    return np.linalg.solve(system, driven), root @ root.T


def test_mean_covariance_and_autocovariance_are_those_of_the_dense_system():
    mean, covariance = dense()
    for step, later in ((1, 1), (1, 60), (7, 12), (60, 59), (33, 33)):
        block = covariance[3 * (step - 1) : 3 * step, 3 * (later - 1) : 3 * later]
        assert law().mean(step) == pytest.approx(mean[3 * (step - 1) : 3 * step], abs=1e-10)
        assert law().autocovariance(step, later) == pytest.approx(block, abs=1e-10)
    assert law().covariance(33) == pytest.approx(covariance[96:99, 96:99], abs=1e-10)
    assert law().mean(0) == pytest.approx(START) and not law().covariance(0).any()


def test_steps_by_recursion_are_steps_by_formula():
    offsets, variances = law().in_directions(STEPS)
    directions = law().directions
    assert offsets.shape == variances.shape == (STEPS + 1, 3)
    for step in (0, 1, 7, 60):
        assert HAT + directions @ offsets[step] == pytest.approx(law().mean(step), abs=1e-13)
        assert (directions * variances[step]) @ directions.T == pytest.approx(law().covariance(step), abs=1e-13)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_estimates_have_the_moments_of_the_dense_system(construction):
    made = grouping(construction, STEPS if construction != "independent_runs" else 4 * STEPS, groups=4, burn_in=20)
    mean, covariance = dense()
    weights = np.kron(made.weights, np.eye(3))
    means, covariances = law().estimates(made)
    expected_mean = np.tile((weights @ mean).reshape(-1, 3).T, made.runs)
    one = (weights @ covariance @ weights.T).reshape(len(made.weights), 3, len(made.weights), 3)
    assert means == pytest.approx(expected_mean, abs=1e-10)
    for coordinate in range(3):
        expected = np.kron(np.eye(made.runs), one[:, coordinate, :, coordinate])
        assert covariances[coordinate] == pytest.approx(expected, abs=1e-12)


def test_the_papers_closed_form_where_the_noise_is_alike():
    # eta^2 lambda^2 (I - D)^-1 (I - D^t), D = (I - eta Sigma)^2: diag(1, 2), eta 1/4, lambda^2 .04, t = 3
    found = Law(np.diag([1.0, 2.0]), np.zeros(2), np.zeros(2), 0.25, np.full(3, 0.2)).covariance(3)
    assert found == pytest.approx(np.diag([0.00469726562500, 0.00328125]), abs=1e-14)
    # eigenvalue of A^(10) and of A^(inf) at eta 1/4, s = 1
    unit = Law(np.eye(1), np.zeros(1), np.zeros(1), 0.25, np.ones(10))
    assert unit.covariance(10)[0, 0] * 16 == pytest.approx(2.2784658012824366, rel=1e-12)
    assert unit.stationary_covariance()[0, 0] * 16 == pytest.approx(2.2857142857142856, rel=1e-12)


def test_the_recursion_simulated():
    rng, replicates = np.random.default_rng(11), 4000
    theta, path = np.tile(START, (replicates, 1)), []
    for step in range(STEPS):
        theta = theta - ETA * ((theta - HAT) @ SIGMA + NOISE[step] * rng.normal(size=theta.shape))
        path.append(theta)
    for step, later in ((3, 3), (40, 43)):
        first, second = path[step - 1] - law().mean(step), path[later - 1] - law().mean(later)
        assert np.abs(first.mean(axis=0) / (first.std(axis=0) / replicates**0.5)).max() < 4
        products = first[:, :, None] * second[:, None, :]
        error = products.mean(axis=0) - law().autocovariance(step, later)
        assert np.abs(error / (products.std(axis=0) / replicates**0.5)).max() < 4


def test_a_long_run_is_stationary():
    steady = Law(SIGMA, HAT, START, ETA, np.full(2000, 0.3))
    assert steady.covariance(2000) == pytest.approx(steady.stationary_covariance(), rel=1e-8)
    assert steady.mean(2000) == pytest.approx(HAT, abs=1e-12)


def test_what_is_not_a_law_is_said():
    with pytest.raises(ValueError, match="learning_rate=5.0, expected > 0 and < "):
        Law(SIGMA, HAT, START, 5.0, NOISE)
    with pytest.raises(ValueError, match="sigma="):
        Law(np.eye(2), HAT, START, ETA, NOISE)
    with pytest.raises(ValueError, match="columns that do not depend on each other"):
        Law(np.diag([1.0, 1.0, 0.0]), HAT, START, ETA, NOISE)
    with pytest.raises(ValueError, match="step=61"):
        law().mean(61)
    with pytest.raises(ValueError, match="steps of the law=60, expected 90"):
        law().estimates(grouping("batched_means", 90))
