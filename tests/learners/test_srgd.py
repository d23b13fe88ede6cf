"""Accelerated-DP-SRGD: Algorithm 1 written again in numpy, what one example can change, and how often it is asked."""

import math

import numpy as np
import pytest
import torch

from core import mechanisms, privacy
from core.learners import Arm
from core.learners.batches import Poisson, charge
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.learners.randomness import generator, role_seeds
from core.learners.srgd import IndependentGradients, Plain, TailAveraged, Unaccelerated, accelerated_dp_srgd
from core.problems import Batch
from core.problems.regression import GaussianDesign, least_squares_factors

KINDS = {"accelerated": Arm, "unaccelerated": Unaccelerated, "independent": IndependentGradients, "plain": Plain}
NOISES = {
    "independent": mechanisms.independent(),
    "counting": mechanisms.optimal_counting(),
    "tree": mechanisms.binary_tree(),
    "honaker": mechanisms.binary_tree("honaker"),
    "full": mechanisms.binary_tree("full"),
}


class Scripted:
    """Least squares on examples (steps, B, d) given in advance; it remembers which examples were asked for a gradient."""

    outputs, n_samples, ridge, dtype = 1, None, 0.0, torch.float64

    def __init__(self, features, labels):
        self.script = [torch.tensor(features), torch.tensor(labels)]
        self.features = features.shape[-1]
        self.start = torch.zeros(1, self.features, dtype=self.dtype)
        self.step, self.asked = 0, []

    def to(self, device):
        return self

    def draw(self, replicates, batch_size, generator):
        features, labels = (each[self.step].expand(replicates, *each[self.step].shape) for each in self.script)
        self.step += 1
        return Batch(features, labels)

    def factors(self, theta, batch):
        self.asked += [label for _ in range(len(theta)) for label in batch.labels[0].tolist()]
        return least_squares_factors(theta, batch)

    def risk(self, theta):
        return {"excess_risk": theta.square().sum((-2, -1))}


class Fixed(type(mechanisms.independent())):
    """Noise that is given: increments (steps, d)."""

    def __init__(self, increments):
        vars(self).update(vars(mechanisms.independent()) | {"increments": torch.tensor(increments)})

    def stream(self, shape, generator, device="cpu", dtype=None):
        yield from (each.expand(shape) for each in self.increments)


def by_hand(features, labels, noise, clip, rate, radius, kind):
    """Algorithm 1 of arXiv 2406.02716 line by line, for one model: y (T, d), and x, x before it, per step."""
    recursive, accelerated = kind in ("accelerated", "unaccelerated"), kind in ("accelerated", "independent")
    d = features.shape[-1]

    def ball(v):
        return v * min(1.0, radius / max(np.linalg.norm(v), 1e-300))

    def difference(t, x, before, h, label):
        gradient = (h @ x - label) * h
        return (t + 1) * gradient - t * (h @ before - label) * h if recursive else gradient

    x, z, before, estimate = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    ys, places, summands = [], [], []
    for t, (hs, batch_labels) in enumerate(zip(features, labels, strict=True)):
        each = [difference(t, x, before, h, label) for h, label in zip(hs, batch_labels, strict=True)]
        clipped = [delta * min(1.0, clip / max(np.linalg.norm(delta), 1e-300)) for delta in each]
        places.append((x, before))
        summands.append(clipped)
        released = (np.sum(clipped, axis=0) + noise[t]) / len(hs)
        estimate = (released + t * estimate) / (t + 1) if recursive else released  # line 5, second form
        y = ball(x - rate * estimate)
        z = ball(z - (t + 1) * rate * estimate)
        etas = np.arange(1, t + 3)
        tau = etas[-1] / etas.sum()
        before, x = x, (1 - tau) * y + tau * z if accelerated else y
        ys.append(y)
    return np.array(ys), places, summands


def examples(steps=6, batch=4, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(steps, batch, d)), rng.normal(size=(steps, batch))


def config(steps, batch, **changes):
    return DpFtrlConfig(**{"steps": steps, "batch_size": batch, "device": "cpu"} | changes)


def path(problem, arms, settings):
    return np.stack([snapshot.theta[:, 0, 0].numpy() for snapshot in accelerated_dp_srgd(problem, arms, settings)][1:])


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_algorithm_1_and_its_variants_line_by_line(kind, noise):
    features, labels = examples()
    mechanism, clip, multiplier = NOISES[noise], 1.5, 0.3
    arm = KINDS[kind]("an arm", mechanism, multiplier, 0.3)
    settings = config(6, 4, clip_norm=clip, radius=0.8, seed=5)
    seed = generator(role_seeds(5).noise, torch.device("cpu"))
    drawn = mechanism.sample(6, (1, 1, 3), seed, dtype=torch.float64)[:, 0, 0].numpy()
    expected, _, summands = by_hand(features, labels, clip * multiplier * drawn, clip, 0.3, 0.8, kind)
    assert any(np.linalg.norm(summand) > clip - 1e-9 for step in summands for summand in step)  # some are clipped
    np.testing.assert_allclose(path(Scripted(features, labels), [arm], settings)[:, 0], expected, rtol=1e-9, atol=1e-12)


def test_noiseless_steps_on_one_example_are_those_of_nesterov():
    """y_5 = 1.025 on f(x) = (x - 1)^2 / 2 with beta = 2, worked out by hand."""
    problem = Scripted(np.ones((5, 1, 1)), np.ones((5, 1)))
    settings = config(5, 1, clipping=False)
    assert path(problem, [Arm("a", mechanisms.independent(), 0.0, 0.5)], settings)[-1, 0, 0] == pytest.approx(1.025, rel=1e-12)


def test_with_clipping_and_a_ball_the_scalar_example_comes_out():
    """y_6 on f(x) = (2x - 1)^2 / 2, beta = 6, clip .7, ball of radius 1; computed independently."""
    problem = Scripted(np.full((6, 1, 1), 2.0), np.ones((6, 1)))
    settings = config(6, 1, clip_norm=0.7, radius=1.0)
    last = path(problem, [Arm("a", mechanisms.independent(), 0.0, 1 / 6)], settings)[-1, 0, 0]
    assert last == pytest.approx(0.43839506172839504, rel=1e-12)


def test_plain_is_dp_ftrl_and_its_tail_average_is_the_mean_of_what_it_showed():
    problem = GaussianDesign((1.0, 0.5, 0.2), 0.3, dtype=torch.float64)
    settings = config(7, 16, replicates=3, seed=2)
    noise = NOISES["tree"]
    arms = [Plain("last", noise, 0.5, 0.4), TailAveraged("mean", noise, 0.5, 0.4)]
    ours = [snapshot.theta for snapshot in accelerated_dp_srgd(problem, arms, settings)]
    theirs = [snapshot.theta for snapshot in dp_ftrl(problem, [Arm("last", noise, 0.5, 0.4)], settings)]
    for here, there in zip(ours, theirs, strict=True):
        torch.testing.assert_close(here[:1], there, rtol=1e-12, atol=1e-14)
    torch.testing.assert_close(ours[-1][1], torch.stack([theta[0] for theta in ours[4:]]).mean(0), rtol=1e-12, atol=1e-14)
    torch.testing.assert_close(ours[3][1], ours[3][0], rtol=0, atol=0)


@pytest.mark.parametrize(("kind", "times"), [("accelerated", 2), ("unaccelerated", 2), ("independent", 1), ("plain", 1)])
def test_an_example_joins_one_step_and_is_asked_for_so_many_gradients(kind, times):
    features, _ = examples(steps=5, batch=4)
    names = np.arange(20.0).reshape(5, 4)
    problem = Scripted(features, names)
    *_, last = accelerated_dp_srgd(problem, [KINDS[kind]("a", NOISES["tree"], 1.0, 0.1)], config(5, 4))
    assert sorted(problem.asked) == sorted(names.ravel().tolist() * times)
    assert last.measures["gradients"].tolist() == [[20 * times]]


def test_all_variants_in_one_run_are_each_alone():
    features, labels = examples(seed=3)
    settings = config(6, 4, clip_norm=0.8, radius=0.7)
    arms = [cls(kind, NOISES["counting"], 0.2, 0.2 + 0.1 * place) for place, (kind, cls) in enumerate(KINDS.items())]
    together = path(Scripted(features, labels), arms, settings)
    for place, arm in enumerate(arms):
        np.testing.assert_allclose(together[:, place], path(Scripted(features, labels), [arm], settings)[:, 0], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_neighbouring_data_explain_the_same_run_by_noise_that_differs_within_the_charge(kind):
    """Search over records, places and how wild a record is. Noise that makes the neighbour publish the very same path
    exists, differs in one release by at most the clip norm, and in units of the seed noise by at most gdp_mu."""
    steps, batch, clip, multiplier, rate = 7, 3, 0.6, 2.0, 0.4
    mechanism = mechanisms.binary_tree()
    arm, settings = KINDS[kind]("a", mechanism, multiplier, rate), config(steps, batch, clip_norm=clip, radius=0.9)
    mu = charge(GaussianDesign((1.0, 1.0)), arm, settings)
    assert mu == pytest.approx(math.sqrt(3) / multiplier, rel=1e-12)  # floor(log2 7) + 1 = 3 blocks hold an example
    strategy, rng, worst, seen = mechanism.strategy_matrix(steps), np.random.default_rng(1), 0.0, 0.0
    noise = np.random.default_rng(2).normal(size=(steps, 2)) * 0.5
    for at in range(steps):
        for size in (0.01, 1.0, 30.0):
            features, labels = examples(steps, batch, 2, seed=int(rng.integers(99)))
            features[at, 0] *= size
            path_here, _, summands = by_hand(features, labels, noise, clip, rate, 0.9, kind)
            gone = features.copy()
            gone[at, 0] = 0.0  # zero-out: the record's gradient is zero everywhere
            shift = summands[at][0]
            answered = noise.copy()
            answered[at] += shift
            fixed = KINDS[kind]("a", Fixed(answered / (clip * multiplier)), multiplier, rate)
            np.testing.assert_allclose(path(Scripted(gone, labels), [fixed], settings)[:, 0], path_here, rtol=1e-8, atol=1e-10)
            worst = max(worst, float(np.linalg.norm(shift)))
            seen = max(seen, float(np.linalg.norm(strategy[:, at]) * np.linalg.norm(shift) / (clip * multiplier)))
    assert worst == pytest.approx(clip, rel=1e-9)
    assert seen == pytest.approx(mu, rel=1e-9)


def test_the_difference_stays_short_where_the_weighted_gradient_grows():
    problem = GaussianDesign(np.full(8, 1 / 8), 0.5)
    arm = Arm("a", mechanisms.independent(), 0.0, 0.5)
    settings = config(40, 200, clip_norm=10.0, replicates=4)
    seen = [snapshot.measures for snapshot in accelerated_dp_srgd(problem, [arm], settings)][1:]
    first, last = seen[0], seen[-1]
    assert first["gradient_norm_high"] == pytest.approx(first["weighted_gradient_norm"])  # eta_0 = 1, nothing to subtract
    assert np.all(last["gradient_norm_high"] < 2 * first["gradient_norm_high"])
    assert np.all(last["weighted_gradient_norm"] > 20 * first["weighted_gradient_norm"])


def test_beta_at_the_smoothness_is_the_edge_of_stability_of_the_printed_step():
    """On f = x^2 / 2 the steps stay bounded for beta >= 1 and grow without bound below it."""
    def size(beta):
        problem = Scripted(np.ones((400, 1, 1)), np.ones((400, 1)))
        return abs(path(problem, [Arm("a", mechanisms.independent(), 0.0, 1 / beta)], config(400, 1, clipping=False))[-1, 0, 0] - 1)

    assert size(1.05) < 1e-3 < 1e3 < size(0.95)


def test_what_overflows_is_reported_and_harms_no_other():
    problem = GaussianDesign((1.0, 0.5), 0.1)
    arms = [Arm("wild", mechanisms.independent(), 0.0, 1e3), Plain("tame", mechanisms.independent(), 0.0, 0.1)]
    *_, last = accelerated_dp_srgd(problem, arms, config(40, 8, clipping=False, replicates=2))
    assert np.all(np.isinf(last.measures["excess_risk"][0])) and np.all(np.isfinite(last.measures["excess_risk"][1]))
    assert last.status.startswith("wild diverged: 2 of 2 replicates overflowed")


def test_what_is_not_one_pass_is_refused():
    from core.problems.tables import TableRegression, diabetes

    table, arm = TableRegression(diabetes()), Arm("a", mechanisms.independent(), 1.0, 0.1)
    accelerated_dp_srgd(table, [arm], config(8, 50))
    with pytest.raises(ValueError, match="steps=9, expected at most 8, which is one pass in batches of 50"):
        accelerated_dp_srgd(table, [arm], config(9, 50))
    with pytest.raises(ValueError, match=r"sampling=Poisson\(\), expected Cyclic\(\)"):
        accelerated_dp_srgd(table, [arm], config(4, 50, sampling=Poisson()))
    with pytest.raises(ValueError, match="arms="):
        accelerated_dp_srgd(table, [arm, arm], config(4, 50))


def test_the_charge_is_that_of_one_participation_by_the_exact_trade_off():
    problem, settings = GaussianDesign((1.0, 0.5)), config(31, 4)
    for noise in NOISES.values():
        arm = Arm("a", noise, privacy.calibrate(noise, 31, 1.0, 1e-6), 0.1)
        assert privacy.gdp_epsilon(charge(problem, arm, settings), 1e-6) == pytest.approx(1.0, rel=1e-6)
    free = privacy.calibrate(NOISES["tree"], 31, 1.0, 1e-6) == privacy.calibrate(NOISES["tree"], 16, 1.0, 1e-6)
    assert free and privacy.calibrate(NOISES["tree"], 32, 1.0, 1e-6) > privacy.calibrate(NOISES["tree"], 31, 1.0, 1e-6)
