"""DP-FTRL against explicit loops: what one step does, what arms share, what a snapshot holds."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from core import mechanisms
from core.learners import Arm
from core.learners.batches import charge, picks
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.learners.dp_gd import DpGdConfig, GdArm
from core.learners.randomness import generator, role_seeds
from core.learners.srgd import accelerated_dp_srgd
from core.problems import Batch
from core.problems.designs import isotropic
from core.problems.finite import LeastSquares
from core.problems.regression import GaussianDesign, MeanEstimation
from core.problems.spectrum import spectrum
from core.problems.tables import TableRegression, diabetes

CPU = torch.device("cpu")
GAUSSIAN = GaussianDesign(spectrum(6, 1.0), label_noise=0.3, dtype=torch.float64)
TABLE = TableRegression(diabetes(), dtype=torch.float64)
MEAN = MeanEstimation(0.4, 0.3, dtype=torch.float64)


class TwoTargets:
    """Two linear outputs at once on 12 records, loss 1/2 |theta x - y|^2: for what a problem with outputs > 1 needs."""

    outputs, features, n_samples, ridge, dtype = 2, 3, 12, 0.2, torch.float64

    def __init__(self):
        source = torch.Generator().manual_seed(9)
        self.start = torch.randn(2, 3, generator=source, dtype=self.dtype)
        self.x = torch.randn(12, 3, generator=source, dtype=self.dtype)
        self.y = torch.randn(12, 2, generator=source, dtype=self.dtype)

    def to(self, device):
        return self

    def batch(self, chosen):
        return Batch(self.x[chosen], self.y[chosen])

    def factors(self, theta, batch):
        return torch.einsum("arof,rbf->arbo", theta, batch.features) - batch.labels, batch.features

    def risk(self, theta):
        return {"excess_risk": theta.square().sum((-1, -2))}


def arm(mechanism, noise_multiplier=0.7, learning_rate=0.1, label=None):
    return Arm(label or mechanism.label, mechanism, noise_multiplier, learning_rate)


ARMS = [
    arm(mechanisms.independent(), 0.7, 0.1),
    arm(mechanisms.lambda_cgd(0.6), 0.9, 0.2),
    arm(mechanisms.nu_ftrl(0.1), 1.1, 0.05),
    arm(mechanisms.toeplitz((1.0, -0.4, 0.2)), 0.3, 0.1, "taps"),
    arm(mechanisms.independent(), 0.0, 0.1, "no noise"),
]


def last(problem, arms, config):
    *_, snapshot = dp_ftrl(problem, arms, config)
    return snapshot


def by_hand(problem, one, config):
    """The run of one arm in plain loops: per-example gradients by autograd, noise by the dense noising matrix."""
    seeds = role_seeds(config.seed)
    data, order = generator(seeds.data, CPU), generator(seeds.batches, CPU)
    shape = (config.replicates, problem.outputs, problem.features)
    streams = mechanisms.independent().stream(shape, generator(seeds.noise, CPU), dtype=torch.float64)
    seed_noise = torch.stack([next(streams) for _ in range(config.steps)])
    matrix = torch.tensor(one.mechanism.noising_matrix(config.steps))
    noise = torch.einsum("st,t...->s...", matrix, seed_noise)
    steps = picks(problem.n_samples, config, order) if problem.n_samples else None
    theta = problem.start.expand(*shape).clone()
    clipped = np.zeros((config.steps, config.replicates))
    for step in range(config.steps):
        batch = problem.batch(next(steps)) if steps else problem.draw(config.replicates, config.batch_size, data)
        for replicate in range(config.replicates):
            total = torch.zeros(shape[1:], dtype=torch.float64)
            for x, y in zip(batch.features[replicate], batch.labels[replicate]):
                weights = theta[replicate].clone().requires_grad_()
                residual = weights @ x - y
                if isinstance(problem, MeanEstimation):
                    loss = -(y * weights).sum()
                else:
                    loss = 0.5 * residual.square().sum()
                (gradient,) = torch.autograd.grad(loss, weights)
                norm = gradient.norm()
                if norm > config.clip_norm:
                    clipped[step, replicate] += 1 / config.batch_size
                    gradient = gradient * (config.clip_norm / norm) if config.clipping else gradient
                total += gradient
            total += config.clip_norm * one.noise_multiplier * noise[step, replicate]
            theta[replicate] -= one.learning_rate * (total / config.batch_size + problem.ridge * theta[replicate])
    return theta, clipped


@pytest.mark.parametrize("clipping", [True, False])
@pytest.mark.parametrize("problem", [GAUSSIAN, TABLE, MEAN, TwoTargets()], ids=lambda problem: type(problem).__name__)
def test_every_arm_is_the_explicit_loop_of_algorithm_1(problem, clipping):
    config = DpFtrlConfig(9, batch_size=4, clip_norm=0.35, clipping=clipping, replicates=2, seed=3, record_every=9)
    snapshot = last(problem, ARMS, config)
    for index, one in enumerate(ARMS):
        theta, clipped = by_hand(problem, one, config)
        torch.testing.assert_close(snapshot.theta[index], theta, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(snapshot.measures["share_clipped"][index], clipped.mean(axis=0), atol=1e-12)
    assert 0 < snapshot.measures["share_clipped"].mean() <= 1


def test_without_noise_and_clipping_it_is_minibatch_sgd_exactly():
    config = DpFtrlConfig(steps=30, batch_size=4, clipping=False, replicates=3, record_every=30)
    snapshot = last(GAUSSIAN, [ARMS[-1]], config)
    data = generator(role_seeds(0).data, CPU)
    theta = torch.zeros(3, 6, dtype=torch.float64)
    for _ in range(30):
        batch = GAUSSIAN.draw(3, 4, data)
        residuals = torch.einsum("rbf,rf->rb", batch.features, theta) - batch.labels
        theta = theta - 0.1 * torch.einsum("rb,rbf->rf", residuals, batch.features) / 4
    torch.testing.assert_close(snapshot.theta[0, :, 0], theta, rtol=1e-13, atol=1e-15)
    finite_clip = last(GAUSSIAN, [ARMS[-1]], replace(config, clipping=True, clip_norm=1e9))
    assert torch.equal(finite_clip.theta, snapshot.theta)


def test_correlation_zero_and_nu_one_are_independent_noise_bit_for_bit():
    same = mechanisms.independent(), mechanisms.lambda_cgd(0.0), mechanisms.nu_ftrl(1.0)
    arms = [arm(mechanism, label=str(index)) for index, mechanism in enumerate(same)]
    snapshot = last(GAUSSIAN, arms, DpFtrlConfig(steps=50, batch_size=2, replicates=4, record_every=50))
    assert torch.equal(snapshot.theta[0], snapshot.theta[1]) and torch.equal(snapshot.theta[0], snapshot.theta[2])


@pytest.mark.parametrize("problem", [GAUSSIAN, TABLE])
def test_arms_together_equal_arms_one_by_one(problem):
    config = DpFtrlConfig(steps=40, batch_size=4, clip_norm=0.5, replicates=3, record_every=10)
    together = list(dp_ftrl(problem, ARMS, config))
    for index, one in enumerate(ARMS):
        for both, alone in zip(together, dp_ftrl(problem, [one], config), strict=True):
            torch.testing.assert_close(both.theta[index], alone.theta[0], rtol=1e-9, atol=1e-12)
            for name, values in alone.measures.items():
                np.testing.assert_allclose(both.measures[name][index], values[0], rtol=1e-8)


def test_seed_noise_has_std_clip_norm_times_noise_multiplier_over_batch_size_on_the_mean_gradient():
    still = MeanEstimation(0.0, 0.0, dtype=torch.float64)  # of gradient 0 at the start: one step is noise alone
    config = DpFtrlConfig(steps=1, batch_size=5, clip_norm=2.0, replicates=20_000)
    theta = last(still, [arm(mechanisms.independent(), 3.0, 0.5)], config).theta
    expected = 0.5 * 3.0 * 2.0 / 5
    assert abs(theta.std().item() / expected - 1) < 4 / np.sqrt(2 * 20_000)


def test_noise_multiplier_and_rho_are_those_of_theorem_1_1():
    """sigma_dp^2 = gamma_T(B)^2 / (2 rho) [2310.06771]: sigma_dp is our noise_multiplier, for B = 1 as in the paper."""
    one, config = arm(mechanisms.lambda_cgd(0.6), 3.0), DpFtrlConfig(steps=20)
    gamma = np.linalg.norm(np.linalg.inv(one.mechanism.noising_matrix(20)), axis=0).max()
    assert charge(GAUSSIAN, one, config) ** 2 / 2 == pytest.approx(gamma**2 / (2 * 3.0**2), rel=1e-12)


def test_snapshots_come_at_zero_every_so_often_and_at_the_end():
    shown = [snapshot.step for snapshot in dp_ftrl(GAUSSIAN, ARMS, DpFtrlConfig(steps=10, record_every=4))]
    assert shown == [0, 4, 8, 10]
    assert [s.step for s in dp_ftrl(GAUSSIAN, ARMS, DpFtrlConfig(steps=2, record_every=9))] == [0, 2]


def test_how_often_one_looks_changes_nothing_and_shares_are_averages_since_the_last_look():
    config = DpFtrlConfig(steps=10, batch_size=3, clip_norm=0.4, replicates=2)
    every = list(dp_ftrl(GAUSSIAN, ARMS, config))
    for record_every in (4, 10):
        seldom = list(dp_ftrl(GAUSSIAN, ARMS, replace(config, record_every=record_every)))
        for before, now in zip(seldom, seldom[1:]):
            assert torch.equal(now.theta, every[now.step].theta)
            single = [every[step].measures["share_clipped"] for step in range(before.step + 1, now.step + 1)]
            np.testing.assert_allclose(now.measures["share_clipped"], np.mean(single, axis=0), atol=1e-15)


def test_snapshots_have_the_promised_shapes_and_are_safe_to_keep():
    config = DpFtrlConfig(steps=6, replicates=3)
    kept = list(dp_ftrl(GAUSSIAN, ARMS, config))
    fresh = [snapshot.theta.clone() for snapshot in dp_ftrl(GAUSSIAN, ARMS, config)]
    for snapshot, theta in zip(kept, fresh, strict=True):
        assert torch.equal(snapshot.theta, theta) and snapshot.theta.shape == (5, 3, 1, 6)
        assert not snapshot.theta.requires_grad
        for values in snapshot.measures.values():
            assert values.shape == (5, 3) and values.dtype == np.float64 and not values.flags.writeable
    for snapshot in dp_ftrl(GAUSSIAN, ARMS, config):
        last_theta = snapshot.theta.clone()
        snapshot.theta.fill_(99.0)  # what a viewer does to a snapshot does not reach the run
    assert torch.equal(last_theta, fresh[-1])
    assert "share_clipped" not in kept[0].measures and "share_clipped" in kept[1].measures
    assert kept[0].status == kept[-1].status == ""


def test_the_seed_fixes_the_run_and_spawns_roles_apart():
    config = DpFtrlConfig(steps=5, replicates=2, seed=1)
    one, two, other = (last(GAUSSIAN, ARMS, c).theta for c in (config, config, replace(config, seed=2)))
    assert torch.equal(one, two) and not torch.equal(one, other)
    assert len({*role_seeds(0), *role_seeds(1)}) == 2 * len(role_seeds(0))


def test_a_diverging_arm_is_reported_and_harms_no_other():
    config = DpFtrlConfig(steps=300, batch_size=2, clipping=False, replicates=3)
    wild = arm(mechanisms.independent(), 0.5, 50.0, "wild")
    every = list(dp_ftrl(GAUSSIAN, [ARMS[0], wild, ARMS[1]], config))
    calm = last(GAUSSIAN, [ARMS[0], ARMS[1]], replace(config, record_every=300))
    torch.testing.assert_close(every[-1].theta[[0, 2]], calm.theta, rtol=1e-9, atol=1e-12)
    for snapshot in every:
        assert not torch.isnan(snapshot.theta).any()
        assert not any(np.isnan(values).any() for values in snapshot.measures.values())
    first = next(snapshot.step for snapshot in every if torch.isinf(snapshot.theta).any())
    assert every[-1].status == f"wild diverged: 3 of 3 replicates overflowed, the first at step {first}."
    assert every[first - 1].status == "" and every[first].status.startswith("wild diverged: ")
    assert np.isinf(every[-1].measures["excess_risk"][1]).all() and (every[-1].measures["share_clipped"][1] == 1).all()
    seldom = last(GAUSSIAN, [ARMS[0], wild, ARMS[1]], replace(config, record_every=300))
    assert seldom.status == every[-1].status  # found at its step, however seldom one looks


@pytest.mark.parametrize("problem", [GAUSSIAN, TABLE, TwoTargets()], ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("learning_rate, clipping", [(30.0, False), (1e300, True)])
def test_a_diverged_run_shows_infinity_and_never_nan(problem, learning_rate, clipping):
    wild = arm(mechanisms.nu_ftrl(0.1), 0.5, learning_rate, "wild")
    config = DpFtrlConfig(steps=400, batch_size=2, clipping=clipping, replicates=2, record_every=20)
    *_, end = dp_ftrl(problem, [wild], config)
    assert end.status.startswith("wild diverged: 2 of 2") and torch.isposinf(end.theta).all()
    for name, values in end.measures.items():
        if name in ("excess_risk", "train_loss"):
            assert np.isposinf(values).all()
        else:
            assert (values == 1).all() if name == "share_clipped" else not np.isnan(values).any()


def test_global_random_state_and_settings_are_untouched():
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()
    settings = torch.get_default_dtype(), torch.get_num_threads(), torch.is_grad_enabled()
    for problem in (GAUSSIAN, TABLE):
        for _ in dp_ftrl(problem, ARMS, DpFtrlConfig(steps=3, replicates=2)):
            assert torch.is_grad_enabled()  # the learner works without gradients, the caller's setting is its own
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before[:2]
    assert torch.equal(torch.get_rng_state(), before[2])
    assert settings == (torch.get_default_dtype(), torch.get_num_threads(), torch.is_grad_enabled())


def test_auto_is_the_cpu_where_there_is_no_gpu():
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    config = DpFtrlConfig(steps=5, replicates=2)
    one, two = (last(GAUSSIAN, ARMS, replace(config, device=device)).theta for device in ("auto", "cpu"))
    assert torch.equal(one, two)
    with pytest.raises(ValueError, match="device='cuda', expected 'cpu' or 'auto'"):
        dp_ftrl(GAUSSIAN, ARMS, replace(config, device="cuda"))


def test_auto_takes_the_gpu_and_agrees_with_the_cpu_in_distribution():
    if not torch.cuda.is_available():
        pytest.skip("this machine has no GPU")
    config = DpFtrlConfig(steps=30, batch_size=2, replicates=2000, record_every=30)
    gpu, cpu = (last(GAUSSIAN, ARMS, replace(config, device=device)) for device in ("auto", "cpu"))
    assert gpu.theta.device.type == "cuda"
    one, two = gpu.measures["excess_risk"], cpu.measures["excess_risk"]
    error = np.sqrt((one.var(axis=1) + two.var(axis=1)) / 2000)
    assert np.all(np.abs(one.mean(axis=1) - two.mean(axis=1)) < 4 * error)


@pytest.mark.parametrize(
    "field, value",
    [
        ("steps", 0), ("steps", 2.5), ("batch_size", 0), ("replicates", 0), ("record_every", 0), ("seed", -1),
        ("clip_norm", 0.0), ("clip_norm", float("inf")), ("clipping", 1), ("device", "tpu"),
    ],
)
def test_config_refuses(field, value):
    with pytest.raises(ValueError, match=f"^{field}="):
        DpFtrlConfig(**{"steps": 5, field: value})


@pytest.mark.parametrize(
    "changes, field",
    [(("", 1.0, 0.1), "label"), (("a", -1.0, 0.1), "noise_multiplier"), (("a", 1.0, 0.0), "learning_rate"),
     (("a", float("nan"), 0.1), "noise_multiplier")],
)
def test_arm_refuses(changes, field):
    label, noise_multiplier, learning_rate = changes
    with pytest.raises(ValueError, match=f"^{field}="):
        Arm(label, mechanisms.independent(), noise_multiplier, learning_rate)


@pytest.mark.parametrize("mechanism", ["a", None, mechanisms.nu_ftrl])
def test_an_arm_without_a_mechanism_is_refused_at_birth(mechanism):
    with pytest.raises(ValueError, match="^mechanism=.*, expected a mechanism of core.mechanisms, such as"):
        Arm("a", mechanism, 1.0, 0.1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((GAUSSIAN, [GdArm("a", 1.0)], DpFtrlConfig(5)), r"arms=\[GdArm\(label='a'.*, expected at least one Arm, every label once"),
        ((GAUSSIAN, ARMS[0], DpFtrlConfig(5)), r"arms=Arm\(.*, expected at least one Arm"),
        ((GAUSSIAN, ARMS, DpGdConfig(5, 1.0)), r"config=DpGdConfig\(.*, expected an object of type DpFtrlConfig"),
        ((LeastSquares(isotropic(60, 3)), ARMS, DpFtrlConfig(5)), "problem=.*LeastSquares.*, expected an object of type Endless or Finite"),
        (("diabetes", ARMS, DpFtrlConfig(5)), "problem='diabetes', expected"),
    ],
)
@pytest.mark.parametrize("learner", [dp_ftrl, accelerated_dp_srgd])
def test_what_a_learner_does_not_take_is_refused_before_the_first_step(learner, arguments, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        learner(*arguments)


def test_the_learner_refuses_before_the_first_step():
    with pytest.raises(ValueError, match="arms="):
        dp_ftrl(GAUSSIAN, [], DpFtrlConfig(5))
    with pytest.raises(ValueError, match="arms="):
        dp_ftrl(GAUSSIAN, [ARMS[0], ARMS[0]], DpFtrlConfig(5))
    with pytest.raises(ValueError, match="batch_size=500"):
        dp_ftrl(TABLE, ARMS, DpFtrlConfig(5, batch_size=500))
