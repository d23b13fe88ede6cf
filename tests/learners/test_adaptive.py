"""DP-AMBSSGD and DP-SSGD: the updates line by line, what is spent against worst neighbours, and who wins where."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from core import mechanisms, privacy
from core.learners import Arm
from core.learners.adaptive import AdaptiveConfig, FullBatch, OnePass, ShuffledConfig, dp_ambssgd, dp_ssgd, ledger_of
from core.learners.clipping import clipped_sum
from core.learners.ledger import spent
from core.learners.randomness import generator, role_seeds
from core.learners.threshold import DpStat, FixedClip, PrivateQuantile
from core.problems.designs import isotropic
from core.problems.finite import LeastSquares
from core.problems.regression import GaussianDesign
from core.problems.tables import TableRegression, diabetes

CPU = torch.device("cpu")
PLAIN = mechanisms.independent()
NO_NOISE = Arm("no noise", PLAIN, 0.0, 0.5)
MU = 0.23670438066343616
"""gdp_mu of (1, 1e-6), computed independently by bisection on the Gaussian trade-off."""
RHO = MU**2 / 2


def design(label_noise: float = 0.3, dim: int = 3) -> GaussianDesign:
    return GaussianDesign(np.ones(dim), label_noise, dtype=torch.float64)


def run(arms, config, problem=None):
    return list(dp_ambssgd(problem or design(), arms, replace(config, device="cpu")))


def records_of(problem, config):
    return problem.draw(config.replicates, config.n_samples, generator(role_seeds(config.seed).data, CPU))


def test_a_step_is_line_10_and_the_result_is_line_12():
    """The whole run again in numpy, one record at a time, for a search without noise."""
    problem, config = design(), AdaptiveConfig(240, 4, PrivateQuantile(16.0, 1e30, 2.0), replicates=2, seed=3)
    shots = run([NO_NOISE], config, problem)
    drawn = records_of(problem, config)
    x, y = drawn.features.numpy(), drawn.labels.numpy()
    for replicate in range(2):
        w, iterates = np.zeros(3), []
        for step in range(4):
            first = 60 * step
            sizes = np.abs(x[replicate, first : first + 5] @ w - y[replicate, first : first + 5])
            gamma = 16.0 * 2.0 ** -np.arange(31, -1, -1)
            gamma = next(g for g in gamma if (sizes <= g).sum() >= 2.5)
            total = np.zeros(3)
            for i in range(first + 5, first + 60):
                g = x[replicate, i] * (x[replicate, i] @ w - y[replicate, i])
                total += g * min(1.0, 2.0 * gamma / np.linalg.norm(g))
            w = w - 0.5 * total / 55
            iterates.append(w)
            assert shots[step + 1].measures["clip_norm"][0, replicate] == 2.0 * gamma
        np.testing.assert_allclose(shots[-1].theta[0, replicate, 0], np.mean(iterates[2:], axis=0), rtol=1e-12)
        np.testing.assert_allclose(shots[-1].iterate[0, replicate, 0], w, rtol=1e-12)
        np.testing.assert_allclose(shots[3].theta[0, replicate, 0], np.mean(iterates[1:3], axis=0), rtol=1e-12)


def test_the_noise_on_a_step_is_the_clip_norm_times_the_noise_multiplier():
    """A clip norm of 1e-9 leaves nothing but noise, whose standard deviation is rate * clip * multiplier / b."""
    config = AdaptiveConfig(50, 1, FixedClip(1e-9), replicates=4000, seed=1)
    (_, shot) = run([Arm("noisy", PLAIN, 1e9 * 7.0, 0.5)], config)
    noise = shot.iterate[0, :, 0].numpy() / (0.5 * 7.0 / 50)
    assert abs(noise.var() - 1) <= 4 * math.sqrt(2 / noise.size)


def test_correlated_noise_is_the_mechanisms_times_each_steps_clip_norm():
    """w moves by -rate/b zeta_t (g_t + multiplier xi_t): taken apart, xi_t is noising_matrix @ Z for one and the same Z."""
    rule = PrivateQuantile(16.0, 1e30, 1e-8)
    config = AdaptiveConfig(330, 5, rule, replicates=3, seed=2)
    kinds = [PLAIN, mechanisms.lambda_cgd(0.6), mechanisms.optimal_counting()]
    kinds += [mechanisms.binary_tree("full"), mechanisms.fft_mechanism()]  # of as many steps as the run has
    shots = run([Arm(str(i), kind, 1e8, 0.5) for i, kind in enumerate(kinds)], config)
    w = torch.stack([shot.iterate for shot in shots])[..., 0, :]
    zeta = torch.tensor(np.stack([shot.measures["clip_norm"] for shot in shots[1:]]))
    xi = (w[1:] - w[:-1]) / (-0.5 * 1e8 * zeta[..., None] / config.batch_size)
    assert zeta[:, 1].std(0).min() > 0
    for index, kind in enumerate(kinds):
        expected = torch.einsum("ts,srd->trd", torch.tensor(kind.noising_matrix(5)), xi[:, 0])
        torch.testing.assert_close(xi[:, index], expected, rtol=1e-5, atol=1e-5)


def test_dp_ssgd_is_one_record_a_step_and_the_mean_of_the_last_half():
    problem, config = design(), ShuffledConfig(11, clip_norm=0.7, replicates=2, seed=5, record_every=4, device="cpu")
    shots = list(dp_ssgd(problem, [NO_NOISE], config))
    assert [shot.step for shot in shots] == [0, 4, 8, 11]
    drawn = problem.draw(2, 11, generator(role_seeds(5).data, CPU))
    w, iterates = np.zeros(3), []
    for x, y in zip(drawn.features[1].numpy(), drawn.labels[1].numpy(), strict=True):
        g = x * (x @ w - y)
        w = w - 0.5 * g * min(1.0, 0.7 / np.linalg.norm(g))
        iterates.append(w)
    np.testing.assert_allclose(shots[-1].theta[0, 1, 0], np.mean(iterates[5:], axis=0), rtol=1e-12)
    np.testing.assert_allclose(shots[1].theta[0, 1, 0], np.mean(iterates[2:4], axis=0), rtol=1e-12)


@pytest.mark.parametrize("overlap", [0, 1])
def test_no_record_is_looked_at_in_two_steps_and_only_the_printed_search_shares_one(overlap):
    rule = DpStat(1.0, 3, 1.0, 1.0) if overlap else PrivateQuantile(1.0, 1.0, 1.0)
    config = AdaptiveConfig(1000, 7, rule)
    seen: set[int] = set()
    for step in range(1, 8):
        searched, taken = config.layout.places(step, config)
        assert len(set(searched) & set(taken)) == overlap
        assert not seen & {*searched, *taken}
        assert (len(searched), len(taken)) == (12 + overlap, 130)
        seen |= {*searched, *taken}
    assert seen <= set(range(1000)) and len(seen) == 7 * (1000 // 7)


def test_the_exact_ledger_spends_rho_on_every_record_and_no_more():
    rule = PrivateQuantile(16.0, RHO, 5.0)
    config = AdaptiveConfig(2000, 6, rule)
    ledger = ledger_of([Arm("exact", PLAIN, 2 / MU, 1.0)], config)
    assert spent(ledger) == pytest.approx(RHO, rel=1e-12)
    for entry in ledger:
        assert entry.rho == pytest.approx(RHO, rel=1e-12)
    assert [entry.purpose for entry in ledger] == ["threshold", "gradient"] * 6
    assert privacy.gdp_epsilon(math.sqrt(2 * spent(ledger)), 1e-6) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("rungs", [1, 20, 2858])
def test_the_printed_ledger_is_the_closed_form_on_the_shared_record(rungs):
    alpha = 10.5
    config = AdaptiveConfig(2000, 6, DpStat(16.0, rungs, alpha, 5.0))
    ledger = ledger_of([Arm("printed", PLAIN, 2 * alpha, 1.0)], config)
    assert spent(ledger) == pytest.approx((2 * rungs + 1) / (2 * rungs * alpha**2), rel=1e-12)
    assert spent(ledger) > 1 / alpha**2  # what Theorem 3.6 claims


def test_full_batches_add_up():
    steps = 8
    config = AdaptiveConfig(500, steps, PrivateQuantile(16.0, 0.1 * RHO / steps, 5.0), FullBatch())
    multiplier = privacy.calibrate_rho(PLAIN, steps, 0.9 * RHO, "replace", participations=steps)
    assert spent(ledger_of([Arm("full", PLAIN, multiplier, 1.0)], config)) == pytest.approx(RHO, rel=1e-9)


def test_the_stream_carries_the_ledger_of_what_was_spent_so_far():
    config = AdaptiveConfig(600, 4, PrivateQuantile(16.0, RHO, 5.0))
    arms = [Arm("a", PLAIN, 2 / MU, 1.0), Arm("b", mechanisms.lambda_cgd(0.5), 3 / MU, 1.0)]
    shots = run(arms, config)
    assert shots[0].ledger == ()
    for shot in shots:
        assert len(shot.ledger) == 2 * 2 * shot.step
    assert shots[-1].ledger == ledger_of(arms, config)


def released(problem, w, config, kind, batch_of):
    """Everything that one pass tells, without noise, in units of its noise: counts along one path, C times the sums."""
    sums = []
    for step in range(1, config.steps + 1):
        _, taken = config.layout.places(step, config)
        batch = batch_of(taken)
        a, h = problem.factors(w, batch)
        zeta = torch.full((1, 1, 1), 0.3 * step, dtype=torch.float64)  # public by then: any value, the worst is the same
        sums.append(clipped_sum(a, h, zeta)[0][0, 0, 0].numpy() / (0.3 * step))
    return kind.strategy_matrix(config.steps) @ np.stack(sums)


@pytest.mark.parametrize(
    "kind", [PLAIN, mechanisms.lambda_cgd(0.6), mechanisms.optimal_counting()], ids=["independent", "lambda", "counting"]
)
def test_the_gradients_charge_is_what_the_worst_neighbour_moves(kind):
    """Replace each record in turn by records whose gradients are long and point anywhere: the largest change is the charge."""
    problem, dim = design(dim=2), 2
    config = AdaptiveConfig(12, 3, FixedClip(1.0))
    w = torch.zeros(1, 1, 1, dim, dtype=torch.float64)
    base = problem.draw(1, 12, torch.Generator().manual_seed(0))

    def with_record(place, x, y):
        features, labels = base.features.clone(), base.labels.clone()
        features[0, place], labels[0, place] = torch.tensor(x, dtype=torch.float64), y
        return lambda taken: replace(base, features=features[:, taken], labels=labels[:, taken])

    candidates = [((math.cos(t), math.sin(t)), y) for t in (0.0, 1.0, math.pi / 2) for y in (-50.0, 0.0, 0.2, 50.0)]
    worst = np.zeros(3)
    for place in range(12):
        told = [released(problem, w, config, kind, with_record(place, *candidate)) for candidate in candidates]
        change = max(np.linalg.norm(one - other) for one in told for other in told)
        worst[place // 4] = max(worst[place // 4], change)
    multiplier = 5.0
    charged = [entry.rho for entry in ledger_of([Arm("a", kind, multiplier, 1.0)], config)]
    np.testing.assert_allclose((worst / multiplier) ** 2 / 2, charged, rtol=1e-9)
    whole = privacy.gdp_mu(kind, 3, multiplier, "replace")
    assert max(charged) == pytest.approx(whole**2 / 2, rel=1e-12)


class Planted(GaussianDesign):
    """A design of which one record of every replicate is (1, 0, ...) with a label so far off that it is always cut."""

    def __init__(self, place: int, label: float) -> None:
        super().__init__(np.ones(2), 0.3, dtype=torch.float64)
        self.place, self.label = place, label

    def draw(self, replicates, batch_size, generator):
        batch = super().draw(replicates, batch_size, generator)
        batch.features[:, self.place] = torch.tensor([1.0, 0.0], dtype=torch.float64)
        batch.labels[:, self.place] = self.label
        return batch


@pytest.mark.parametrize("kind", [PLAIN, mechanisms.lambda_cgd(0.6)], ids=["independent", "lambda"])
def test_the_privacy_loss_of_a_whole_adaptive_run_is_the_gaussian_that_is_charged(kind):
    """Play it with one record, and ask from what was published how likely it was with that record's gradient reversed.

    Clip norms and iterates follow from what was published, so both worlds share them. The logarithm of the ratio of
    likelihoods is then N(mu^2/2, mu^2) with the mu of the ledger, although every clip norm depends on all noise before.
    """
    config = AdaptiveConfig(66, 3, PrivateQuantile(16.0, RHO, 1.5), replicates=4000, seed=4)
    place = config.layout.places(1, config)[1].start
    ours, theirs = Planted(place, 1e6), Planted(place, -1e6)
    multiplier = 1.5
    shots = run([Arm("a", kind, multiplier, 0.5)], config, ours)
    entry = next(entry for entry in shots[-1].ledger if place in entry.records)
    mu = math.sqrt(2 * entry.rho)
    told, expected = [], {ours: [], theirs: []}
    for step, (before, after) in enumerate(zip(shots, shots[1:], strict=False), start=1):
        zeta = torch.tensor(after.measures["clip_norm"].copy())[..., None]
        told.append(((before.iterate - after.iterate) * config.batch_size / 0.5 / zeta[..., None])[0, :, 0])
        taken = config.layout.places(step, config)[1]
        for problem, sums in expected.items():
            drawn = records_of(problem, config)
            batch = replace(drawn, features=drawn.features[:, taken], labels=drawn.labels[:, taken])
            a, h = problem.factors(before.iterate, batch)
            sums.append((clipped_sum(a, h, zeta)[0] / zeta[..., None])[0, :, 0])
    strategy = torch.tensor(kind.strategy_matrix(3))
    seed_noise = [
        torch.einsum("ts,srd->trd", strategy, torch.stack(told) - torch.stack(sums)) / multiplier for sums in expected.values()
    ]
    loss = (seed_noise[1].square().sum((0, 2)) - seed_noise[0].square().sum((0, 2))) / 2
    assert float(torch.tensor(np.stack([shot.measures["clip_norm"] for shot in shots[1:]])).std(dim=-1).min()) > 0
    assert abs(loss.mean() - mu**2 / 2) <= 4 * mu / 4000**0.5
    assert abs(loss.var() - mu**2) <= 4 * mu**2 * math.sqrt(2 / 4000)


def test_what_a_learner_does_not_take_is_refused_before_the_first_step():
    one_pass, shuffled = AdaptiveConfig(60, 4, FixedClip(1.0)), ShuffledConfig(60, 1.0)
    for learner, config, other in ((dp_ambssgd, one_pass, shuffled), (dp_ssgd, shuffled, one_pass)):
        with pytest.raises(ValueError, match="^problem=.*LeastSquares.*, expected an object of type Endless or Finite"):
            learner(LeastSquares(isotropic(60, 3)), [NO_NOISE], config)
        with pytest.raises(ValueError, match="^config=.*, expected an object of type"):
            learner(design(), [NO_NOISE], other)
        with pytest.raises(ValueError, match="^arms=.*, expected at least one Arm"):
            learner(design(), ["a"], config)


def test_correlated_noise_is_refused_on_full_batches_and_by_the_shuffle():
    arm = Arm("c", mechanisms.lambda_cgd(0.5), 1.0, 1.0)
    with pytest.raises(ValueError, match="^mechanism="):
        dp_ambssgd(design(), [arm], AdaptiveConfig(100, 4, FixedClip(1.0), FullBatch()))
    with pytest.raises(ValueError, match="^mechanism="):
        dp_ssgd(design(), [arm], ShuffledConfig(100, 1.0))


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: AdaptiveConfig(0, 1, FixedClip(1.0)), "n_samples"),
        (lambda: AdaptiveConfig(10, 0, FixedClip(1.0)), "steps"),
        (lambda: AdaptiveConfig(10, 11, FixedClip(1.0)), "steps"),
        (lambda: AdaptiveConfig(60, 6, PrivateQuantile(1.0, 1.0, 1.0)), "steps"),
        (lambda: AdaptiveConfig(10, 1, 1.0), "threshold"),
        (lambda: AdaptiveConfig(10, 1, FixedClip(1.0), layout="one pass"), "layout"),
        (lambda: ShuffledConfig(10, 0.0), "clip_norm"),
        (lambda: ShuffledConfig(10, 1.0, record_every=0), "record_every"),
    ],
)
def test_bad_configs_are_named(make, field):
    with pytest.raises(ValueError, match=rf"^{field}="):
        make()


def test_records_of_a_table_are_shuffled_and_each_used_once():
    table = TableRegression(diabetes(), dtype=torch.float64)
    config = AdaptiveConfig(440, 2, FixedClip(1e9), replicates=2, device="cpu")
    (_, first, _) = dp_ambssgd(table, [Arm("a", PLAIN, 0.0, 1.0)], config)
    assert not torch.equal(first.iterate[0, 0], first.iterate[0, 1])  # another order, other records in the first half
    with pytest.raises(ValueError, match="^n_samples="):
        dp_ambssgd(table, [NO_NOISE], AdaptiveConfig(443, 2, FixedClip(1.0)))


def test_the_same_seed_gives_the_same_run_and_global_generators_are_left_alone():
    before = torch.get_rng_state().clone()
    config = AdaptiveConfig(400, 3, PrivateQuantile(16.0, RHO, 5.0), replicates=2, seed=9)
    arms = [Arm("a", PLAIN, 2 / MU, 1.0)]
    one, two = run(arms, config)[-1], run(arms, config)[-1]
    assert torch.equal(one.theta, two.theta)
    assert not torch.equal(one.theta, run(arms, replace(config, seed=10))[-1].theta)
    alone = run([*arms, Arm("b", PLAIN, 20.0, 2.0)], config)[-1]
    assert torch.equal(alone.theta[0], one.theta[0])
    assert torch.equal(torch.get_rng_state(), before)


def test_a_run_that_grows_without_bound_is_told():
    shots = run([Arm("wild", PLAIN, 0.0, 1e60)], AdaptiveConfig(100, 5, FixedClip(1e150)))
    assert "wild diverged" in shots[-1].status and np.isinf(shots[-1].measures["excess_risk"]).all()


def excess(label_noise: float, config: AdaptiveConfig, arms) -> np.ndarray:
    problem = GaussianDesign(np.ones(10), label_noise)
    return run(arms, config, problem)[-1].measures["excess_risk"]


ADAPTIVE = AdaptiveConfig(20_000, 6, PrivateQuantile(16.0, RHO, 2.5 * 10**0.5), replicates=24, layout=OnePass())


@pytest.mark.slow
def test_the_adaptive_line_falls_with_slope_two_and_a_fixed_clip_stalls():
    """d=10, n=20,000, (1, 1e-6): excess risk 1.3e-3 at label noise 1 and 1.3e-7 at .01; clip 2 stays near 7e-4."""
    adaptive = Arm("adaptive", PLAIN, 2 / MU, 1.0)
    noisy, clean = (excess(noise, ADAPTIVE, [adaptive]) for noise in (1.0, 0.01))
    fixed = [
        excess(noise, replace(ADAPTIVE, threshold=FixedClip(2.0)), [replace(adaptive, learning_rate=2.0)]) for noise in (1.0, 0.01)
    ]
    error = 4 * noisy.std(ddof=1) / 24**0.5
    assert abs(noisy.mean() - 1.35e-3) <= error + 1e-4
    assert noisy.mean() / clean.mean() > 3000
    assert fixed[0].mean() / fixed[1].mean() < 2
    assert fixed[0].mean() < noisy.mean() and fixed[1].mean() > 1000 * clean.mean()
