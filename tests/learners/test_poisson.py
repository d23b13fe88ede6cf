"""Poisson and fixed-size batches: their laws, what the learner makes of them, and what they are charged."""

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from core import mechanisms
from core.learners import Arm
from core.learners.batches import Cyclic, FixedSize, Poisson, batches, charge, participation, picks, sampling_rate
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.learners.randomness import generator, role_seeds
from core.problems.regression import GaussianDesign
from core.problems.tables import TableRegression, diabetes

CPU = torch.device("cpu")
TABLE = TableRegression(diabetes(), dtype=torch.float64)  # 442 records
STREAM = GaussianDesign((1.0, 0.5))
ARMS = [
    Arm("independent", mechanisms.independent(), 0.7, 0.1),
    Arm("lambda 0", mechanisms.lambda_cgd(0.0), 0.7, 0.1),
    Arm("lambda .6", mechanisms.lambda_cgd(0.6), 0.9, 0.2),
    Arm("none", mechanisms.independent(), 0.0, 0.1),
]


def joins(n_samples, config, seed=0):
    """Who joins: (steps, replicates, records), 0 or 1, from the batches that the learner would get."""
    order = torch.Generator().manual_seed(seed)
    joined = np.zeros((config.steps, config.replicates, n_samples))
    for step, chosen in zip(range(config.steps), picks(n_samples, config, order)):
        assert chosen.shape[0] == config.replicates and chosen.min() >= -1 and chosen.max() < n_samples
        for replicate, row in enumerate(chosen.numpy()):
            np.add.at(joined[step, replicate], row[row >= 0], 1)
    assert joined.max() <= 1  # a record joins a step at most once
    return joined


@pytest.mark.parametrize("n_samples, batch_size", [(6, 2), (40, 1), (9, 8)])
def test_every_record_throws_its_own_coin_at_every_step(n_samples, batch_size):
    config = DpFtrlConfig(2, batch_size, replicates=20_000, sampling=Poisson())
    joined, rate = joins(n_samples, config), batch_size / n_samples
    flat = np.concatenate([joined[0], joined[1]], axis=1)  # (replicates, coins): two steps of every record
    error = 4 / np.sqrt(config.replicates)
    variance = rate * (1 - rate)
    assert np.all(np.abs(flat.mean(axis=0) - rate) < 1.2 * error * np.sqrt(variance))
    covariance = np.cov(flat.T) / variance  # the identity, were there infinitely many: no record knows another
    spread = np.sqrt(1 + (1 - 2 * rate) ** 2 / variance)  # standard deviation of a squared coin, for the diagonal
    assert np.abs(covariance - np.diag(np.diag(covariance))).max() < 1.2 * error
    assert np.abs(np.diag(covariance) - 1).max() < error * spread
    sizes = joined[0].sum(axis=1)
    expected = [_binomial(n_samples, size, rate) for size in range(n_samples + 1)]
    found = np.bincount(sizes.astype(int), minlength=n_samples + 1) / len(sizes)
    assert np.all(np.abs(found - expected) <= error * np.sqrt(np.multiply(expected, np.subtract(1, expected))) + 1e-4)


def _binomial(n, k, rate):
    from math import comb

    return comb(n, k) * rate**k * (1 - rate) ** (n - k)


def test_fixed_size_batches_are_uniform_subsets_of_exactly_their_size():
    config = DpFtrlConfig(2, 2, replicates=12_000, sampling=FixedSize())
    joined = joins(5, config)
    assert np.all(joined.sum(axis=-1) == 2)
    pairs = np.einsum("sri,srj->ij", joined, joined) / (2 * 12_000)
    chance = np.where(np.eye(5) == 1, 2 / 5, 1 / 10)
    assert np.all(np.abs(pairs - chance) < 4 * np.sqrt(chance * (1 - chance) / 24_000))
    both = (joined[0] * joined[1]).mean(axis=0)  # the second step knows nothing of the first
    assert np.all(np.abs(both - 0.16) < 4 * np.sqrt(0.16 * 0.84 / 12_000))


@pytest.mark.parametrize("sampling", [Poisson(), FixedSize()])
def test_replicates_draw_their_own_batches_and_the_seed_fixes_them(sampling):
    config = DpFtrlConfig(4, 20, replicates=2, sampling=sampling)
    first, again, other = joins(442, config, 5), joins(442, config, 5), joins(442, config, 6)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    assert not np.array_equal(first[:, 0], first[:, 1]) and not np.array_equal(first[0], first[1])


def test_empty_places_have_weight_zero_and_present_ones_weight_one():
    config = DpFtrlConfig(6, 3, replicates=3, sampling=Poisson())
    chosen = picks(442, config, torch.Generator().manual_seed(2))
    made = batches(TABLE, config, torch.Generator(), torch.Generator().manual_seed(2))
    for _, records, batch in zip(range(6), chosen, made):
        assert torch.equal(batch.weights, (records >= 0).double())
        present = records >= 0
        assert torch.equal(batch.labels[present], torch.tensor(TABLE.dataset.labels)[records[present]])
    plain = next(batches(TABLE, replace(config, sampling=FixedSize()), torch.Generator(), torch.Generator()))
    assert plain.weights is None and plain.labels.shape == (3, 3)


def by_hand(one, config):
    """Algorithm 1 of one arm in plain loops over the records that joined; sums divided by the batch size asked for."""
    seeds = role_seeds(config.seed)
    shape = (config.replicates, 1, 10)
    streams = mechanisms.independent().stream(shape, generator(seeds.noise, CPU), dtype=torch.float64)
    seed_noise = torch.stack([next(streams) for _ in range(config.steps)])
    noise = torch.einsum("st,t...->s...", torch.tensor(one.mechanism.noising_matrix(config.steps)), seed_noise)
    chosen = picks(442, config, generator(seeds.batches, CPU))
    theta, exceeding, joined, norms = np.zeros(shape), np.zeros(shape[0]), np.zeros(shape[0]), []
    for step, records in zip(range(config.steps), chosen):
        norms = [[] for _ in range(config.replicates)]
        for replicate in range(config.replicates):
            total = one.noise_multiplier * config.clip_norm * noise[step, replicate].numpy()
            for record in records[replicate].tolist():
                if record >= 0:
                    x, y = TABLE.dataset.features[record], TABLE.dataset.labels[record]
                    gradient = (theta[replicate, 0] @ x - y) * x
                    norm = np.linalg.norm(gradient)
                    norms[replicate].append(norm)
                    total = total + gradient * min(1.0, config.clip_norm / norm)
            exceeding[replicate] += sum(norm > config.clip_norm for norm in norms[replicate])
            joined[replicate] += len(norms[replicate])
            theta[replicate] -= one.learning_rate * total / config.batch_size
    return theta, exceeding / joined, norms


@pytest.mark.parametrize("sampling", [Poisson(), FixedSize()])
def test_every_arm_is_the_explicit_loop_divided_by_the_expected_batch_size(sampling):
    config = DpFtrlConfig(12, 8, 2.0, replicates=3, seed=4, record_every=12, sampling=sampling)
    *_, end = dp_ftrl(TABLE, ARMS, config)
    for index, one in enumerate(ARMS):
        theta, share, norms = by_hand(one, config)
        np.testing.assert_allclose(end.theta[index].numpy(), theta, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(end.measures["share_clipped"][index], share, atol=1e-12)
        for name, level in (("gradient_norm", 0.5), ("gradient_norm_high", 0.9)):
            expected = [np.quantile(row, level, method="inverted_cdf") for row in norms]
            np.testing.assert_allclose(end.measures[name][index], expected, rtol=1e-9)
    assert torch.equal(end.theta[0], end.theta[1])  # lambda = 0 is independent noise, bit for bit
    assert 0 < end.measures["share_clipped"].min() < end.measures["share_clipped"].max() < 1


@pytest.mark.parametrize("sampling", [Poisson(), FixedSize()])
def test_arms_together_equal_arms_one_by_one(sampling):
    config = DpFtrlConfig(30, 20, 2.0, replicates=3, record_every=10, sampling=sampling)
    together = list(dp_ftrl(TABLE, ARMS, config))
    for index, one in enumerate(ARMS):
        for both, alone in zip(together, dp_ftrl(TABLE, [one], config), strict=True):
            torch.testing.assert_close(both.theta[index], alone.theta[0], rtol=1e-9, atol=1e-12)
            for name, values in alone.measures.items():
                np.testing.assert_allclose(both.measures[name][index], values[0], rtol=1e-8)


def test_a_batch_of_all_records_is_the_full_batch_whatever_the_sampling():
    config = DpFtrlConfig(10, 442, 2.0, replicates=2, record_every=10)
    ends = []
    for sampling in (Cyclic(), Poisson(), FixedSize()):
        *_, end = dp_ftrl(TABLE, ARMS, replace(config, sampling=sampling))
        ends.append(end.theta)
    torch.testing.assert_close(ends[1], ends[0], rtol=1e-11, atol=1e-13)
    torch.testing.assert_close(ends[2], ends[0], rtol=1e-11, atol=1e-13)
    assert np.all(joins(442, replace(config, sampling=Poisson())) == 1)


def test_a_step_that_nobody_joins_adds_noise_alone():
    config = DpFtrlConfig(40, 1, replicates=1, seed=1, sampling=Poisson())
    sizes = joins_of_run(config).sum(axis=-1)[:, 0]
    assert (sizes == 0).any() and (sizes > 0).any()
    shown = list(dp_ftrl(TABLE, [ARMS[3]], config))
    for step, size in enumerate(sizes, start=1):
        still = torch.equal(shown[step].theta, shown[step - 1].theta)
        assert still == (size == 0)
        if size == 0:
            assert shown[step].measures["share_clipped"] == 0 and shown[step].measures["gradient_norm"] == 0


def joins_of_run(config):
    order = generator(role_seeds(config.seed).batches, CPU)
    rows = [row for _, row in zip(range(config.steps), picks(442, config, order))]
    return np.stack([[[np.isin(record, row[0].numpy()) for record in range(442)]] for row in rows]).astype(int)


@pytest.mark.parametrize("sampling", [Poisson(), FixedSize()])
def test_no_global_random_state_is_touched(sampling):
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()
    list(dp_ftrl(TABLE, ARMS, DpFtrlConfig(3, 5, replicates=2, sampling=sampling)))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before[:2]
    assert torch.equal(torch.get_rng_state(), before[2])


def test_a_record_may_join_every_step_of_poisson_and_fixed_size_batches():
    for sampling in (Poisson(), FixedSize()):
        assert participation(TABLE, DpFtrlConfig(7, 5, sampling=sampling)) == (7, 1)
    assert sampling_rate(442, DpFtrlConfig(7, 13)) == 13 / 442
    assert DpFtrlConfig(7).sampling == Cyclic()


@pytest.mark.parametrize("correlation", [0.0, 0.6, 0.95])
def test_fixed_size_batches_are_charged_as_if_the_record_joined_every_step(correlation):
    config = DpFtrlConfig(20, 5, sampling=FixedSize())
    mechanism = mechanisms.lambda_cgd(correlation)
    every_step = np.linalg.norm(np.linalg.inv(mechanism.noising_matrix(20)) @ np.ones(20))
    arm = Arm("arm", mechanism, 2.5, 0.1)
    assert charge(TABLE, arm, config) == pytest.approx(every_step / 2.5, rel=1e-12)
    assert charge(TABLE, arm, config, "replace") == pytest.approx(2 * every_step / 2.5, rel=1e-12)


def test_poisson_batches_are_not_charged_as_a_gaussian_release():
    with pytest.raises(ValueError, match=r"sampling=Poisson\(\), .* charged by core.amplification"):
        charge(TABLE, ARMS[0], DpFtrlConfig(5, 5, sampling=Poisson()))


@pytest.mark.parametrize("sampling", [Poisson(), FixedSize()])
def test_sampling_is_refused_where_there_is_nothing_to_sample_from(sampling):
    config = DpFtrlConfig(5, 5, sampling=sampling)
    with pytest.raises(ValueError, match=r"^sampling=.*, expected Cyclic\(\) where every example is new"):
        dp_ftrl(STREAM, ARMS, config)
    with pytest.raises(ValueError, match="^batch_size=443, expected at most the number of records 442"):
        dp_ftrl(TABLE, ARMS, replace(config, batch_size=443))
    with pytest.raises(ValueError, match="^batch_size=5, expected at most the number of records 4"):
        picks(4, config, torch.Generator())


@pytest.mark.parametrize("sampling", ["poisson", None, Poisson])
def test_the_config_refuses_what_is_not_a_sampling(sampling):
    with pytest.raises(ValueError, match=r"^sampling=.*, expected Cyclic\(\), Poisson\(\) or FixedSize\(\)"):
        DpFtrlConfig(5, sampling=sampling)
