"""Plans of real runs: what is charged, what is left out, and what the picture of a run shows."""

import re
from dataclasses import replace

import numpy as np
import pytest

from core import comparison, privacy, simulation
from core.comparison import Setting
from core.learners.batches import charge
from core.names import ARMS
from core.problems import tables

SMALL = Setting(steps=60, dim=6, replicates=8, batch_size=4, device="cpu")


def run(plan):
    return [simulation.keep(snapshot) for snapshot in plan.stream()]


def test_a_gaussian_run_uses_the_noise_of_the_exact_comparison():
    plan = simulation.gaussian(SMALL)
    for arm, (key, mechanism) in zip(plan.arms, comparison.arms(SMALL).items(), strict=True):
        assert arm.label == ARMS[key]
        np.testing.assert_allclose(arm.noise_multiplier, comparison.noise_multiplier(SMALL, mechanism), rtol=1e-8)


@pytest.mark.parametrize("plan", [simulation.gaussian(SMALL), simulation.table(replace(SMALL, batch_size=100, learning_rate=0.1), tables.diabetes())])
def test_every_arm_spends_at_most_the_epsilon_asked_for(plan):
    ledger = simulation.ledger(plan)
    for arm, row in zip(plan.arms, ledger.rows, strict=True):
        spent = privacy.gdp_epsilon(charge(plan.problem, arm, plan.config, "zero_out"), plan.setting.delta)
        assert row[ledger.columns.index("epsilon")] == pytest.approx(spent) and 0.99 * 2 < spent <= 2 * (1 + 1e-9)
    assert "Zero-out" in ledger.caption


def test_a_table_charges_every_step_that_a_record_joins():
    setting = replace(SMALL, batch_size=100, steps=12)  # 442 records: 4 batches a round, 3 rounds
    plan = simulation.table(setting, tables.diabetes())
    assert {row[2] for row in simulation.ledger(plan).rows} == {3}
    one_pass = simulation.gaussian(setting)
    for once, thrice in zip(one_pass.arms, plan.arms, strict=False):
        assert thrice.noise_multiplier > 1.2 * once.noise_multiplier


def test_without_clipping_nothing_is_private_and_the_ledger_says_so():
    ledger = simulation.ledger(simulation.gaussian(SMALL, clipping=False))
    assert all(row[ledger.columns.index("epsilon")] == np.inf for row in ledger.rows)


def test_a_batch_larger_than_the_table_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="batch_size=1000, expected"):
        simulation.table(replace(SMALL, batch_size=1000), tables.diabetes())


def test_the_picture_holds_the_run_and_the_exact_curves_behind_it():
    plan = simulation.gaussian(SMALL, clipping=False)
    snapshots = run(plan)
    assert len(snapshots) == plan.total and snapshots[0].theta is None
    result = simulation.outcome(plan, snapshots)
    exact = comparison.excess_risk(SMALL)
    for arm in plan.arms:
        simulated, theory = result.curve(arm.label), result.curve(f"{arm.label}, exact")
        assert simulated.low is not None and theory.exact and simulated.arm == theory.arm
        np.testing.assert_array_equal(theory.y, exact.curve(arm.label).y)
    assert "95%" in result.band


def test_the_run_lies_on_the_exact_curve():
    """Without clipping, the mean of 400 replicates is within 4 standard errors at three steps, for every arm."""
    plan = simulation.gaussian(replace(SMALL, replicates=400), clipping=False)
    snapshots = run(plan)
    exact = comparison.excess_risk(SMALL)
    for step in (10, 30, 60):
        values = snapshots[step].measures["excess_risk"]
        for index, arm in enumerate(plan.arms):
            error = values[index].mean() - exact.curve(arm.label).y[step]
            assert abs(error) < 4 * values[index].std(ddof=1) / 20, (arm.label, step)
            assert values[index].std(ddof=1) / 20 < 0.1 * exact.curve(arm.label).y[step]


def test_theory_is_not_drawn_where_it_does_not_apply():
    setting = replace(SMALL, batch_size=100)
    plan = simulation.table(setting, tables.diabetes())
    assert all(not curve.exact for curve in simulation.outcome(plan, run(plan)).curves)
    clipped = simulation.outcome(plan, run(plan), "share_clipped")
    assert all(np.all((curve.y >= 0) & (curve.y <= 1)) for curve in clipped.curves)


def test_the_interval_of_a_gain_covers_the_exact_gain_as_often_as_it_says():
    """300 runs of 12 replicates: 95% intervals cover the exact ratio within 4 standard errors of 95%, wide ones apart."""
    setting = replace(SMALL, steps=8)
    plan = simulation.gaussian(setting, clipping=False)
    plan = replace(plan, config=replace(plan.config, replicates=3600))
    *_, last = run(plan)
    exact = comparison.improvement(setting)["nu_ftrl"]
    covered = 0
    for start in range(0, 3600, 12):
        part = replace(last, measures={"excess_risk": last.measures["excess_risk"][:, start : start + 12]})
        low, high = re.search(r"nu-DP-FTRL \S+ \((\S+) to (\S+)\)", simulation.verdict(plan, part)).groups()
        covered += float(low) <= exact <= float(high)
    assert abs(covered / 300 - 0.95) < 4 * (0.95 * 0.05 / 300) ** 0.5


def test_a_run_that_diverged_or_has_not_begun_gets_no_ratio():
    plan = simulation.gaussian(SMALL)
    first, *_, last = run(plan)
    assert simulation.verdict(plan, first) == "" != simulation.verdict(plan, last)
    wild = replace(last, measures={"excess_risk": np.where(np.arange(8) == 3, np.inf, last.measures["excess_risk"])})
    assert simulation.verdict(plan, wild) == ""
