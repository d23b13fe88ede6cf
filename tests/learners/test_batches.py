"""Which records join which step, and that the charge is for exactly that."""

import numpy as np
import pytest
import torch

from core import mechanisms
from core.learners import Arm
from core.learners.batches import charge, participation, picks
from core.learners.dp_ftrl import DpFtrlConfig
from core.problems.regression import GaussianDesign
from core.problems.tables import TableRegression, diabetes

TABLE = TableRegression(diabetes())  # 442 records
STREAM = GaussianDesign((1.0, 0.5))


def record_of_joins(n_samples, config):
    """steps x records: does the record join the step, in the batches that the learner would get?"""
    order = torch.Generator().manual_seed(config.seed)
    joins = np.zeros((config.replicates, config.steps, n_samples), dtype=int)
    for step, chosen in zip(range(config.steps), picks(n_samples, config, order)):
        assert chosen.shape == (config.replicates, config.batch_size)
        for replicate in range(config.replicates):
            np.add.at(joins[replicate, step], chosen[replicate].numpy(), 1)
    return joins


@pytest.mark.parametrize("batch_size", [1, 7, 50, 100, 442])
@pytest.mark.parametrize("steps", [1, 4, 9, 10])
def test_no_record_joins_more_often_or_sooner_than_charged_and_some_record_does_so_exactly(batch_size, steps):
    config = DpFtrlConfig(steps, batch_size, replicates=2)
    times, separation = participation(TABLE, config)
    joins = record_of_joins(442, config)
    assert joins.max() == 1  # a record enters a step at most once
    assert joins.sum(axis=1).max() == times
    for replicate in range(2):
        for record in range(442):
            gaps = np.diff(np.flatnonzero(joins[replicate, :, record]))
            assert np.all(gaps == separation)


def test_the_remainder_of_a_shuffle_never_joins():
    config = DpFtrlConfig(steps=12, batch_size=100, replicates=3)  # 442 = 4 * 100 + 42
    joins = record_of_joins(442, config).sum(axis=1)
    assert np.all(np.sort(joins, axis=1) == np.repeat([0, 3], [42, 400]))


def test_every_replicate_has_its_own_shuffle_and_the_seed_fixes_it():
    config = DpFtrlConfig(steps=3, batch_size=20, replicates=2)
    one, two = next(picks(442, config, torch.Generator().manual_seed(5)))
    again = next(picks(442, config, torch.Generator().manual_seed(5)))
    other = next(picks(442, config, torch.Generator().manual_seed(6)))
    assert not torch.equal(one, two)
    assert torch.equal(torch.stack([one, two]), again) and not torch.equal(again, other)


def test_shuffles_are_uniform():
    config = DpFtrlConfig(steps=1, batch_size=1, replicates=6000)
    counts = np.bincount(next(picks(6, config, torch.Generator().manual_seed(0)))[:, 0].numpy(), minlength=6)
    assert np.all(np.abs(counts - 1000) < 4 * np.sqrt(1000 * 5 / 6))


@pytest.mark.parametrize("steps, expected", [(1, (1, 44)), (44, (1, 44)), (45, (2, 44)), (441, (11, 44))])
def test_participations_of_cyclic_epochs(steps, expected):
    assert participation(TABLE, DpFtrlConfig(steps, batch_size=10)) == expected


def test_fresh_examples_take_part_once():
    assert participation(STREAM, DpFtrlConfig(steps=1000, batch_size=10)) == (1, 1)


def worst_pattern(mechanism, config, n_samples):
    """Largest norm of C times the joins of one record: what the charge must not fall below, found by enumeration."""
    joins = record_of_joins(n_samples, config)
    responses = np.einsum("st,rtn->rsn", mechanism.strategy_matrix(config.steps), joins)
    return np.linalg.norm(responses, axis=1).max()


@pytest.mark.parametrize("mechanism", [mechanisms.independent(), mechanisms.lambda_cgd(0.8), mechanisms.nu_ftrl(0.05)])
@pytest.mark.parametrize("steps, batch_size", [(4, 100), (11, 100), (30, 40)])
def test_charge_is_the_enumerated_worst_record_over_the_noise(mechanism, steps, batch_size):
    config = DpFtrlConfig(steps, batch_size)
    arm = Arm("arm", mechanism, 2.5, 0.1)
    worst = worst_pattern(mechanism, config, 442)
    assert charge(TABLE, arm, config) == pytest.approx(worst / 2.5, rel=1e-9)
    assert charge(TABLE, arm, config, "replace") == pytest.approx(2 * worst / 2.5, rel=1e-9)


def test_more_epochs_cost_more_and_a_fresh_stream_costs_one_column():
    arm = Arm("arm", mechanisms.lambda_cgd(0.8), 1.0, 0.1)
    one, three = (charge(TABLE, arm, DpFtrlConfig(steps, batch_size=100)) for steps in (4, 12))
    fresh = charge(STREAM, arm, DpFtrlConfig(12, batch_size=100))
    assert fresh == pytest.approx(np.sqrt((1 - 0.8**24) / (1 - 0.8**2)), rel=1e-12)
    assert one < three and fresh < three


def test_independent_noise_over_epochs_costs_the_root_of_their_number():
    arm = Arm("arm", mechanisms.independent(), 2.0, 0.1)
    assert charge(TABLE, arm, DpFtrlConfig(steps=36, batch_size=100)) == pytest.approx(3 / 2)


def test_a_run_without_clipping_cannot_be_charged():
    with pytest.raises(ValueError, match="clipping=False, expected True: .* nothing is private"):
        charge(STREAM, Arm("arm", mechanisms.independent(), 1.0, 0.1), DpFtrlConfig(5, clipping=False))


def test_a_run_without_noise_cannot_be_charged():
    with pytest.raises(ValueError, match=r"noise_multiplier=0.0, expected > 0: .* nothing is private"):
        charge(STREAM, Arm("arm", mechanisms.independent(), 0.0, 0.1), DpFtrlConfig(5))


def test_several_epochs_of_a_mechanism_of_unknown_sensitivity_cannot_be_charged_but_one_pass_can():
    arm = Arm("arm", mechanisms.toeplitz((1.0, 0.5)), 1.0, 0.1)  # C = 1, -1/2, 1/4, ...: signs alternate
    assert charge(TABLE, arm, DpFtrlConfig(4, batch_size=100)) > 0
    with pytest.raises(ValueError, match="participations=2, expected 1 for"):
        charge(TABLE, arm, DpFtrlConfig(8, batch_size=100))


def test_a_batch_larger_than_the_table_is_refused():
    with pytest.raises(ValueError, match="batch_size=443, expected at most the number of records 442"):
        participation(TABLE, DpFtrlConfig(5, batch_size=443))


def test_an_unknown_adjacency_is_refused():
    with pytest.raises(ValueError, match="adjacency='swap'"):
        charge(STREAM, Arm("arm", mechanisms.independent(), 1.0, 0.1), DpFtrlConfig(5), "swap")
