"""DP-GD against its own lines written out in numpy, and against Lemma 2.3 by dense matrices. Reference: 2402.13531."""

import math

import numpy as np
import pytest
import torch

from core.learners import Arm
from core.learners.budget import Geometric, Uniform, noise_std
from core.learners.dp_gd import DpGdConfig, GdArm, charge, dp_gd, iterates
from core.learners.dp_ftrl import DpFtrlConfig
from core.learners.randomness import generator, role_seeds
from core.mechanisms import independent
from core.problems.designs import Records, anisotropic, heavy_tails, isotropic
from core.problems.finite import LeastSquares

NEVER = 1e9  # a clip norm that clips nothing


def unit_noise(config: DpGdConfig, dim: int) -> np.ndarray:
    """z_t (steps, replicates, p) that a run with this config draws."""
    source = generator(role_seeds(config.seed).noise, torch.device("cpu"))
    shape = (config.replicates, dim)
    return torch.stack([torch.randn(shape, generator=source, dtype=torch.float64) for _ in range(config.steps)]).numpy()


def line_by_line(records: Records, arm: GdArm, config: DpGdConfig) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 1: iterates (replicates, steps + 1, p) and counts of clipped gradients (replicates, steps)."""
    n, dim = records.n_samples, records.dim
    noise = noise_std(arm.schedule, arm.clip_norm, n, config.steps, config.rho, arm.learning_rate, config.runs)
    chains, counts = np.zeros((config.replicates, config.steps + 1, dim)), np.zeros((config.replicates, config.steps))
    z = unit_noise(config, dim)
    for chain in range(config.replicates):
        data = chain // (config.replicates // records.data_sets)
        x, y = records.features[data], records.labels[data]
        for step in range(config.steps):
            theta = chains[chain, step]
            gradients = -x * (y - x @ theta)[:, None]
            lengths = np.linalg.norm(gradients, axis=1)
            clipped = gradients * np.minimum(1, arm.clip_norm / lengths)[:, None]
            chains[chain, step + 1] = theta - arm.learning_rate * (clipped.mean(axis=0) + noise[step] * z[step, chain])
            counts[chain, step] = np.sum(lengths > arm.clip_norm)
    return chains, counts


ARMS = (
    GdArm("paper", 6.0),
    GdArm("clipped hard", 0.5, 0.5),
    GdArm("geometric", 4.0, 0.2, Geometric()),
    GdArm("nothing clipped", NEVER, 0.1),
)


@pytest.mark.parametrize("data_sets, replicates, runs, steps", [(1, 6, 1, 25), (3, 6, 2, 40), (4, 4, 1, 3)])
def test_it_is_algorithm_1_line_by_line(data_sets, replicates, runs, steps):
    """Long runs go through the screen, the last case of three steps does not; arms clip nothing, a little and most."""
    records = heavy_tails(120, 4, data_sets, seed=1)
    config = DpGdConfig(steps, rho=50.0, replicates=replicates, runs=runs, seed=3)
    snapshots = list(dp_gd(LeastSquares(records), ARMS, config))
    assert [snapshot.step for snapshot in snapshots] == list(range(steps + 1))
    found = np.stack([snapshot.theta[:, :, 0].numpy() for snapshot in snapshots], axis=2)
    shares = np.stack([snapshot.measures["share_clipped"] for snapshot in snapshots[1:]], axis=2)
    for index, arm in enumerate(ARMS):
        chains, counts = line_by_line(records, arm, config)
        np.testing.assert_allclose(found[index], chains, rtol=1e-9, atol=1e-11 * (1 + np.abs(chains).max()))
        assert np.array_equal(np.rint(shares[index] * 120), counts)
    assert 0 < shares[0].mean() < 0.2 and shares[1].mean() > 0.5 and not shares[3].any()


def test_three_steps_with_clipping_by_hand():
    """Four records, gamma = 2, eta = 1/2, no noise: computed independently from Algorithm 1."""
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [3.0, -4.0]])
    records = Records(x[None], np.array([[1.0, 2.0, 10.0, 0.0]]))
    *_, last = dp_gd(LeastSquares(records), [GdArm("clipped", 2.0, 0.5)], DpGdConfig(3, math.inf))
    np.testing.assert_allclose(last.theta[0, 0, 0].numpy(), [1.0231283248981295, 0.8252915591770846], rtol=1e-12)


def test_mean_covariance_and_autocovariance_are_those_of_the_lemma():
    """theta_t = theta_hat + (I - eta S)^t (theta_0 - theta_hat) + eta z', Cov z' = lambda^2 (I - D)^-1 (I - D^t), by matrices."""
    records, eta, rho = anisotropic(200, 3, seed=5), 0.3, 0.4
    arm, config = GdArm("unclipped", NEVER, eta), DpGdConfig(12, rho, replicates=4000, seed=6)
    chains = iterates(LeastSquares(records), [arm], config)[0]
    sigma = records.features[0].T @ records.features[0] / 200
    hat = np.linalg.solve(sigma, records.features[0].T @ records.labels[0] / 200)
    step = np.eye(3) - eta * sigma
    variance = 2 * 12 * NEVER**2 / (rho * 200**2)  # Lemma 2.1
    for t, later in ((1, 1), (4, 4), (12, 12), (4, 9), (1, 12)):
        power, squared = np.linalg.matrix_power(step, t), step @ step
        accumulated = np.linalg.solve(np.eye(3) - squared, np.eye(3) - np.linalg.matrix_power(squared, t))
        covariance = eta**2 * variance * accumulated @ np.linalg.matrix_power(step, later - t)
        mean = hat - power @ hat
        error = np.sqrt(np.diag(eta**2 * variance * accumulated) / 4000)
        assert np.all(np.abs(chains[:, t].mean(axis=0) - mean) < 4 * error)
        first, second = chains[:, t] - chains[:, t].mean(axis=0), chains[:, later] - chains[:, later].mean(axis=0)
        products = first[:, :, None] * second[:, None]
        z = (products.mean(axis=0) - covariance) / (products.std(axis=0) / 4000**0.5)
        assert np.abs(z).max() < 4.2  # the largest of nine
        # a factor of 1.1 on the variance would be seen
        assert np.abs(np.diag(products.mean(axis=0) - 1.1 * covariance) / np.diag(products.std(axis=0)) * 4000**0.5).max() > 2 or t != later


def test_variance_after_three_steps_by_hand():
    """Sigma = diag(1, 2), eta = 1/4, lambda^2 = .04: variances .00469726... and .00328125."""
    x = np.array([[2.0, 0.0], [0.0, 8**0.5], [2.0, 0.0], [0.0, -(8**0.5)]]) / 2**0.5
    records = Records(x[None], np.zeros((1, 4)))
    np.testing.assert_allclose(records.gram[0], np.diag([1.0, 2.0]), atol=1e-15)
    rho = 2 * 3 * NEVER**2 / (0.04 * 4**2)
    chains = iterates(LeastSquares(records), [GdArm("unclipped", NEVER)], DpGdConfig(3, rho, replicates=20_000, seed=7))[0, :, 3]
    exact = np.array([0.0046972656250000005, 0.00328125])
    assert np.all(np.abs(chains.var(axis=0) / exact - 1) < 4 * (2 / 20_000) ** 0.5)


def test_the_snapshot_says_what_it_should():
    records = anisotropic(80, 3, data_sets=2, seed=8)
    config = DpGdConfig(7, rho=3.0, replicates=4, runs=2, seed=9, record_every=3)
    snapshots = list(dp_gd(LeastSquares(records), ARMS[:3], config))
    assert [snapshot.step for snapshot in snapshots] == [0, 3, 6, 7]
    assert "share_clipped" not in snapshots[0].measures
    theta = snapshots[-1].theta
    assert theta.shape == (3, 4, 1, 3) and theta.dtype == torch.float64
    data = np.array([0, 0, 1, 1])
    off = theta[:, :, 0].numpy() - records.theta_star[data]
    measures = snapshots[-1].measures
    risk = 0.5 * np.einsum("arp,rpq,arq->ar", off, records.covariance[data], off)
    np.testing.assert_allclose(measures["excess_risk"], risk, rtol=1e-12)
    np.testing.assert_allclose(measures["error_to_theta_star"], np.linalg.norm(off, axis=-1), rtol=1e-12)
    to_hat = np.linalg.norm(theta[:, :, 0].numpy() - records.theta_hat[data], axis=-1)
    np.testing.assert_allclose(measures["error_to_theta_hat"], to_hat, rtol=1e-12)
    assert set(measures) == {"excess_risk", "error_to_theta_star", "error_to_theta_hat", "share_clipped", "rho_spent"}
    np.testing.assert_allclose(measures["rho_spent"], 3.0, rtol=1e-12)
    np.testing.assert_allclose(snapshots[1].measures["rho_spent"][:2], 3.0 * 3 / 7, rtol=1e-12)
    assert np.all(snapshots[1].measures["rho_spent"][2] < 3.0 * 3 / 7), "geometric budgets come late"
    counts = np.array([line_by_line(records, arm, config)[1][:, 6] for arm in ARMS[:3]])
    np.testing.assert_allclose(measures["share_clipped"], counts / 80, rtol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        measures["excess_risk"][0, 0] = 0.0


def test_the_ledger_never_exceeds_rho():
    config = DpGdConfig(30, rho=0.7, replicates=6, runs=3)
    for arm in ARMS:
        assert 0.7 * (1 - 1e-12) <= charge(arm, config) <= 0.7
    assert charge(ARMS[0], DpGdConfig(3, math.inf)) == math.inf


@pytest.mark.parametrize("steps", [2000, 19_999])
def test_a_long_run_is_charged_no_more_than_rho(steps):
    assert 0.015 * (1 - 1e-12) <= charge(GdArm("a", 1.0), DpGdConfig(steps, 0.015)) <= 0.015


def test_noise_is_four_times_less_private_when_half_as_large():
    """Twice the noise for a quarter of rho; zero-out adjacency needs half of what replacing a record needs."""
    records = isotropic(50, 2, seed=1)
    problem, arm = LeastSquares(records), GdArm("one step", 2.0)

    def kick(rho: float, adjacency: str) -> np.ndarray:
        chains = iterates(problem, [arm], DpGdConfig(1, rho, replicates=5, adjacency=adjacency))
        return (chains - iterates(problem, [arm], DpGdConfig(1, math.inf, replicates=5)))[0, :, 1]

    np.testing.assert_allclose(kick(0.25, "replace"), 2 * kick(1.0, "replace"), rtol=1e-9)
    np.testing.assert_allclose(kick(1.0, "replace"), 2 * kick(1.0, "zero_out"), rtol=1e-9)


def test_arms_and_replicates_do_not_influence_each_other_and_the_seed_fixes_all():
    records = isotropic(60, 3, seed=2)
    config = DpGdConfig(30, rho=5.0, replicates=5, seed=4)
    together = iterates(LeastSquares(records), ARMS, config)
    for index, arm in enumerate(ARMS):
        np.testing.assert_array_equal(together[index], iterates(LeastSquares(records), [arm], config)[0])
    assert len({chain.tobytes() for chain in together[0]}) == 5
    assert not np.array_equal(together, iterates(LeastSquares(records), ARMS, DpGdConfig(30, 5.0, 5, seed=5)))


def test_no_global_generator_is_touched():
    before, state = np.random.get_state()[1].copy(), torch.random.get_rng_state()
    iterates(LeastSquares(isotropic(60, 3, seed=2)), ARMS, DpGdConfig(5, 1.0, 2))
    assert np.array_equal(before, np.random.get_state()[1]) and torch.equal(state, torch.random.get_rng_state())
    assert torch.get_default_dtype() == torch.float32


def test_divergence_is_a_finding():
    problem = LeastSquares(isotropic(60, 3, seed=2))
    arms = [GdArm("steady", NEVER, 0.25), GdArm("wild", 1e300, 3000.0)]
    *_, last = dp_gd(problem, arms, DpGdConfig(100, math.inf, replicates=2))
    assert "wild diverged: 2 of 2 replicates" in last.status and "steady" not in last.status
    assert np.isfinite(last.measures["excess_risk"][0]).all() and np.isinf(last.measures["excess_risk"][1]).all()
    assert not any(np.isnan(values).any() for values in last.measures.values())


def test_a_long_geometric_run_is_lost_to_its_first_noise():
    """What the schedule is not for: the first steps have next to no budget, and clipping lets theta return slowly only."""
    problem = LeastSquares(isotropic(1000, 4, seed=3))
    arms = [GdArm("uniform", 10.0), GdArm("geometric", 10.0, 0.25, Geometric())]
    *_, last = dp_gd(problem, arms, DpGdConfig(150, 0.05, replicates=10))
    uniform, geometric = last.measures["error_to_theta_hat"].mean(axis=1)
    assert geometric > 100 * uniform


@pytest.mark.parametrize("n_samples, rho, steps, uniform, geometric", [(1000, 0.05, 10, 0.372, 0.302), (10_000, 0.015, 20, 0.095, 0.057)])
def test_geometric_budgets_beat_uniform_ones(n_samples, rho, steps, uniform, geometric):
    """Distances to least squares from 400 runs of an independent program; ours within four standard errors of both."""
    arms = [GdArm("uniform", 5 * 10**0.5), GdArm("geometric", 5 * 10**0.5, 0.25, Geometric())]
    *_, last = dp_gd(LeastSquares(isotropic(n_samples, 10, seed=11)), arms, DpGdConfig(steps, rho, replicates=300, seed=12))
    errors = last.measures["error_to_theta_hat"]
    for found, expected in zip(errors, (uniform, geometric), strict=True):
        assert abs(found.mean() - expected) < 4 * found.std() * (1 / 300 + 1 / 400) ** 0.5 + 0.002


PROBLEM = LeastSquares(isotropic(20, 2, data_sets=2, seed=0))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: dp_gd(PROBLEM, [], DpGdConfig(1, 1.0, 2)), r"arms=\[\], expected at least one"),
        (lambda: dp_gd(PROBLEM, [ARMS[0], ARMS[0]], DpGdConfig(1, 1.0, 2)), "every label once"),
        (lambda: dp_gd(PROBLEM, [Arm("a", independent(), 1.0, 0.1)], DpGdConfig(1, 1.0, 2)), r"arms=\[Arm\(.*at least one GdArm"),
        (lambda: dp_gd(PROBLEM, ARMS, DpFtrlConfig(1)), r"config=DpFtrlConfig\(.*, expected an object of type DpGdConfig"),
        (lambda: dp_gd("PROBLEM", ARMS, DpGdConfig(1, 1.0, 2)), "problem='PROBLEM', expected an object of type LeastSquares"),
        (lambda: dp_gd(PROBLEM, ARMS, DpGdConfig(1, 1.0, 3)), "replicates=3, expected a multiple of runs x data sets = 1 x 2"),
        (lambda: dp_gd(PROBLEM, ARMS, DpGdConfig(1, 1.0, 6, runs=2)), "replicates=6, expected a multiple of runs x data sets = 2 x 2"),
        (lambda: dp_gd(PROBLEM, [GdArm("a", 1.0, 1.5, Geometric())], DpGdConfig(1, 1.0, 2)), "learning_rate=1.5, expected < 1"),
        (lambda: DpGdConfig(5, 0.0), r"rho=0\.0, expected > 0"),
        (lambda: DpGdConfig(5, 1.0, replicates=5, runs=2), "replicates=5, expected a multiple of runs=2"),
        (lambda: DpGdConfig(5, 1.0, adjacency="add"), "adjacency='add'"),
        (lambda: DpGdConfig(0, 1.0), "steps=0"),
        (lambda: GdArm("", 1.0), "label=''"),
        (lambda: GdArm("a", 0.0), r"clip_norm=0\.0"),
        (lambda: GdArm("a", 1.0, schedule="uniform"), "schedule='uniform'"),
    ],
)
def test_errors_are_sentences(call, words):
    with pytest.raises(ValueError, match=words):
        call()
