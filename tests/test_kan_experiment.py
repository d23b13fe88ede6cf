"""Several lambda at once: what is compared, what is charged, and what the pictures and the verdict say."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from scipy import stats

from core import amplification
from core.experiments import kan
from core.experiments.kan import KanSetting
from core.experiments.kan.outcome import differences, interior_optimum
from core.learners import Snapshot
from core.learners.batches import FixedSize, Poisson
from core.problems import datasets
from core.simulation import keep

SMALL = KanSetting(
    width=4, steps=6, batch_size=60, replicates=3, learning_rate=4.0, device="cpu", accountant="spectral", dataset="rings"
)


@pytest.fixture(scope="module")
def run():
    plan = kan.plan(SMALL)
    snapshots = list(plan.stream())
    return plan, snapshots


def scored(plan, accuracy, step=6, status=""):
    """A run of which only the last accuracies (arms, replicates) are known."""
    return [Snapshot(step, None, {"test_accuracy": np.asarray(accuracy, dtype=float)}, status)]


@pytest.mark.parametrize(
    "field, value",
    [
        ("correlation", 1.0), ("width", 0), ("n_basis", 3), ("dataset", "mnist"), ("batch_size", 1.5), ("steps", 0),
        ("learning_rate", 0.0), ("clip_norm", -1.0), ("epsilon", float("inf")), ("delta", 0.0), ("replicates", 1),
        ("seed", -1), ("device", "tpu"), ("accountant", "closed_form"), ("sampling", "cyclic"), ("private", 1),
    ],
)  # fmt: skip
def test_a_setting_is_checked_at_birth(field, value):
    with pytest.raises(ValueError, match=f"^{field}="):
        KanSetting(**{field: value})


def test_a_link_carries_what_differs_from_the_defaults():
    assert KanSetting().changes() == {}
    changed = KanSetting(width=8, private=False)
    assert changed.changes() == {"width": 8, "private": False}
    assert KanSetting(**changed.changes()) == changed and hash(changed) == hash(KanSetting(**asdict(changed)))


def test_the_lambdas_compared_hold_the_viewers_own_once():
    assert kan.correlations(KanSetting(correlation=0.75)) == kan.CORRELATIONS
    assert kan.correlations(KanSetting(correlation=0.6)) == (0.0, 0.25, 0.5, 0.6, 0.75, 0.9)


def test_arms_are_every_lambda_at_its_own_noise_and_one_without(run):
    plan, _ = run
    rate = SMALL.batch_size / plan.problem.n_samples
    for arm, correlation in zip(plan.arms, kan.CORRELATIONS, strict=False):
        asked = amplification.calibrate(correlation, rate, SMALL.steps, SMALL.epsilon, SMALL.delta, method="spectral")
        assert arm.noise_multiplier == asked and arm.learning_rate == SMALL.learning_rate
        spent = amplification.epsilon(correlation, rate, SMALL.steps, arm.noise_multiplier, SMALL.delta)
        assert spent <= SMALL.epsilon * (1 + 1e-9)
        np.testing.assert_allclose(arm.mechanism.noising_coef(3), [1, -correlation, 0])
        assert plan.arms[plan.arm(correlation)] is arm
    assert plan.arms[-1].noise_multiplier == 0 and len(plan.arms) == len(kan.CORRELATIONS) + 1


def test_sampling_decides_the_batches_and_the_charge():
    assert kan.plan(SMALL).config.sampling == Poisson()
    fixed = kan.plan(replace(SMALL, sampling="fixed_size"))
    assert fixed.config.sampling == FixedSize()
    rate = SMALL.batch_size / fixed.problem.n_samples
    asked = amplification.calibrate_without_amplification(0.75, rate, SMALL.steps, SMALL.epsilon, SMALL.delta)
    assert fixed.arms[fixed.arm(0.75)].noise_multiplier == asked > kan.plan(SMALL).arms[3].noise_multiplier
    assert "without amplification" in kan.ledger(fixed).caption and "fixed size" in kan.ledger(fixed).caption


def test_a_batch_larger_than_the_data_is_told_as_such():
    with pytest.raises(ValueError, match="batch_size=5000, expected at most the number of records 3000"):
        kan.plan(replace(SMALL, batch_size=5000))


def test_networks_that_would_not_fit_are_refused_in_words():
    big = replace(SMALL, dataset="digits", width=512, n_basis=32, replicates=20)
    with pytest.raises(ValueError, match="parameters of 120 networks=125829120, expected at most 67,108,864: take a narrower"):
        kan.plan(big)


def test_own_records_take_the_place_of_the_data_set():
    own = datasets.xor(400)
    plan = kan.plan(SMALL, own)
    assert plan.data is own and plan.problem.n_samples == 300
    assert plan.arms[0].noise_multiplier > kan.plan(SMALL).arms[0].noise_multiplier, "of fewer records each joins more often"
    assert kan.noise_multipliers(SMALL, own).rows[0][1] == plan.arms[0].noise_multiplier


def test_lambda_0_is_bitwise_dp_sgd_alone(run):
    from core.learners.dp_ftrl import dp_ftrl

    plan, snapshots = run
    *_, alone = dp_ftrl(plan.problem, plan.arms[:1], plan.config)
    assert torch.equal(alone.theta[0], snapshots[-1].theta[0])


def test_a_run_gives_as_many_snapshots_as_it_says_and_bands_in_colours_of_their_own(run):
    plan, snapshots = run
    assert len(snapshots) == plan.total
    for measure in ("test_accuracy", "test_loss"):
        result = kan.outcome(plan, [keep(snapshot) for snapshot in snapshots], measure)
        assert [curve.label for curve in result.curves] == [arm.label for arm in plan.arms]
        assert len({curve.arm for curve in result.curves}) == len(plan.arms), "one colour each"
        values = snapshots[-1].measures[measure][1]
        assert result.curves[1].y[-1] == pytest.approx(values.mean())
        half = stats.t.ppf(0.975, 2) * stats.sem(values)
        assert result.curves[1].high[-1] == pytest.approx(values.mean() + half)
    assert "95%" in result.band and result.settings == asdict(SMALL)


def test_differences_are_paired(run):
    plan, _ = run
    base = np.array([0.6, 0.7, 0.8])
    accuracy = np.stack([base, base + 0.02, base + [0.01, 0.02, 0.03], base - 0.1, base - 0.2, base + 0.1])
    table = kan.paired_differences(plan, scored(plan, accuracy))
    assert [row[0] for row in table.rows] == list(kan.CORRELATIONS)
    test = stats.ttest_rel(accuracy[2], base)
    low, high = test.confidence_interval(0.95)
    np.testing.assert_allclose(table.rows[2][1:], (0.72, 0.02, 0.01 / 3**0.5, low, high))
    result = kan.accuracy_against_correlation(plan, scored(plan, accuracy))
    points = result.curve("DP-lambda-CGD")
    np.testing.assert_allclose(points.y, accuracy[:5].mean(axis=1))
    np.testing.assert_allclose((points.low[2], points.high[2]), (0.7 + low, 0.7 + high))
    assert points.low[0] == points.high[0] == points.y[0], "DP-SGD does not differ from itself"
    np.testing.assert_allclose(result.curve("DP-SGD").y, 0.7)


NOISE = np.array([-1.0, 0.0, 1.0])


@pytest.mark.parametrize(
    "gains, jitter, optimum, words",
    [
        ((0.0, 0.01, 0.03, 0.02, -0.1), 1e-4, 0.5, "lambda = 0.5 does better (+0.0300"),
        ((0.0, 0.01, 0.03, 0.02, -0.1), 0.05, None, "does not help beyond chance"),
        ((0.0, 0.01, 0.02, 0.03, 0.04), 1e-4, None, "lambda = 0.9 does better (+0.0400"),
        ((0.0, -0.01, -0.02, -0.03, -0.2), 1e-4, None, "Every lambda > 0 is WORSE; the least bad is 0.25 (-0.0100"),
        ((0.0, 0.01, 0.03, 0.02, -0.1), 1e-4, 0.5, "lambda = 0.9 is over-correlated: 0.100 less than DP-SGD"),
    ],
)
def test_the_verdict_follows_from_the_paired_intervals(run, gains, jitter, optimum, words):
    plan, _ = run
    base = 0.7 + 0.05 * NOISE
    jitters = [np.zeros(3), *(jitter * np.roll(NOISE, turn) for turn in range(4))]
    accuracy = np.stack([*(base + gain + shake for gain, shake in zip(gains, jitters, strict=True)), base + 0.1])
    last = scored(plan, accuracy)
    assert words in kan.verdict(plan, last)
    result = kan.accuracy_against_correlation(plan, last)
    assert result.marks == (() if optimum is None else ((optimum, f"best lambda {optimum:g}"),))


def test_a_lambda_that_diverged_is_left_out_and_said(run):
    plan, _ = run
    accuracy = np.stack([0.7 + 0.05 * NOISE + 0.01 * place for place in range(6)])
    accuracy[4, 1] = np.inf
    last = scored(plan, accuracy, status="lambda 0.9 diverged.")
    result = kan.accuracy_against_correlation(plan, last)
    assert result.status == "lambda 0.9 diverged." and result.curve("DP-lambda-CGD").low is None
    assert "lambda = 0.75 does better" in kan.verdict(plan, last)
    accuracy[0, 0] = np.inf
    assert "diverged" in kan.verdict(plan, scored(plan, accuracy))


def test_nothing_is_said_before_the_first_step(run):
    plan, snapshots = run
    assert kan.verdict(plan, snapshots[:1]) == "" == kan.outcome(plan, snapshots[:1]).verdict
    assert kan.accuracy_against_correlation(plan, snapshots[:1]).marks == ()
    assert [curve.exact for curve in kan.noise_path(plan, snapshots[:1]).curves] == [True] * 5


def test_the_way_ahead_is_the_paired_difference_at_every_snapshot(run):
    plan, snapshots = run
    result = kan.gain_while_training(plan, [keep(snapshot) for snapshot in snapshots])
    assert [curve.label for curve in result.curves] == [arm.label for arm in plan.arms[:-1]]
    for place, curve in list(enumerate(result.curves))[1:]:
        np.testing.assert_array_equal(curve.x, [snapshot.step for snapshot in snapshots])
        own, base = (snapshots[-1].measures["test_accuracy"][arm] for arm in (place, 0))
        low, high = stats.ttest_rel(own, base).confidence_interval(0.95)
        np.testing.assert_allclose((curve.y[-1], curve.low[-1], curve.high[-1]), ((own - base).mean(), low, high))
        assert curve.y[0] == 0, "all start alike"
    drawn = {curve.label: curve.arm for curve in kan.outcome(plan, snapshots).curves}
    assert all(curve.arm == drawn[curve.label] for curve in result.curves), "a lambda has one colour in both charts"


def test_intervals_cover_and_marks_are_rarely_chance():
    """2000 runs in which no lambda differs: a mark at most in 5% + 4 standard errors."""
    plan = kan.plan(SMALL)
    source = np.random.default_rng(0)
    marked = covered = 0
    for _ in range(2000):
        last = scored(plan, 0.7 + 0.01 * source.standard_normal((6, 3)))
        marked += interior_optimum(plan, last[-1]) is not None
        _, one, *_ = differences(plan, last[-1], "test_accuracy")
        covered += one.low <= 0 <= one.high
    spread = 4 * (0.05 * 0.95 / 2000) ** 0.5
    assert marked / 2000 < 0.05 + spread and abs(covered / 2000 - 0.95) < spread


def test_the_noise_so_far_runs_on_its_exact_expectation():
    """kappa sqrt(D (1 + (1-lambda)^2 (t-1))), D = 4 x 16 parameters, within 4 standard errors of 300 replicates."""
    plan = kan.plan(replace(SMALL, replicates=300))
    snapshots = [keep(snapshot) for snapshot in plan.stream()]
    result = kan.noise_path(plan, snapshots)
    for arm, correlation in zip(plan.arms, kan.CORRELATIONS, strict=False):
        exact = result.curve(f"{arm.label}, exact")
        expected = arm.noise_multiplier * np.sqrt(4 * 16 * (1 + (1 - correlation) ** 2 * (exact.x - 1)))
        np.testing.assert_allclose(exact.y, expected, rtol=1e-12)
        squares = snapshots[-1].measures["noise_norm"][plan.arm(correlation)] ** 2
        error = squares.std(ddof=1) / 300**0.5
        assert abs(squares.mean() - expected[-1] ** 2) < 4 * error < 0.1 * expected[-1] ** 2
        assert exact.arm == result.curve(arm.label).arm, "a run and its theory have one colour"


def test_the_ledger_has_each_arm_and_what_it_may_spend(run):
    plan, _ = run
    ledger = kan.ledger(plan)
    assert [row[0] for row in ledger.rows] == [arm.label for arm in plan.arms]
    assert [row[3] for row in ledger.rows] == [SMALL.epsilon] * 5 + [np.inf]
    for row, arm, correlation in zip(ledger.rows, plan.arms, kan.CORRELATIONS, strict=False):
        assert row[2] == pytest.approx((1 - correlation) * arm.noise_multiplier / plan.arms[0].noise_multiplier)
    assert "0.12 times on average" in ledger.caption, "6 steps at rate 60 / 3000"


def test_accountants_stand_side_by_side_and_say_where_they_do_not_apply():
    many = replace(SMALL, batch_size=300, steps=400)
    table = kan.noise_multipliers(many)
    assert table.columns == (
        "lambda", "spectral bound", "the paper's closed form", "without amplification", "slow noise felt"
    )  # fmt: skip
    for correlation, spectral, closed, counted, slow in table.rows:
        assert spectral == amplification.calibrate(correlation, 0.1, 400, 1.0, 1e-5)
        assert counted == amplification.calibrate_without_amplification(correlation, 0.1, 400, 1.0, 1e-5)
        assert slow == pytest.approx((1 - correlation) * spectral / table.rows[0][1])
        assert closed > counted > spectral if correlation else isinstance(closed, (str, float))
    refused = kan.noise_multipliers(SMALL)
    assert refused.rows[1][2] == "not applicable"
    assert "closed form is not applicable above lambda = 0: Theorem F.12 needs a record to join about " in refused.caption
    lines = kan.accountant_curves(many)
    assert lines.curve("spectral bound").x[-1] == 0.95 and lines.curve("the paper's closed form").x[0] >= 0
    assert "not applicable" in kan.accountant_curves(SMALL).caption
    for caption in (refused.caption, kan.accountant_curves(SMALL).caption, kan.accountant_curves(replace(many, epsilon=4.0)).caption):
        assert "=" not in caption.replace("lambda =", "").replace("0) / kappa", "") and "expected" not in caption, "no code in sentences"
    assert "Theorem F.12 is for an epsilon of at most 1, not 4." in kan.accountant_curves(replace(many, epsilon=4.0)).caption
    felt = kan.felt_noise(many)
    slow, fast = felt.curves
    assert slow.y[0] == fast.y[0] == 1 and np.all(fast.y[1:] > 1)
    np.testing.assert_allclose(fast.y / slow.y, (1 + slow.x) / (1 - slow.x))


def test_without_privacy_there_is_one_arm_without_clipping():
    plan = kan.plan(replace(SMALL, private=False))
    snapshots = [keep(snapshot) for snapshot in plan.stream()]
    assert [arm.noise_multiplier for arm in plan.arms] == [0.0] and not plan.config.clipping
    assert "without privacy" in kan.verdict(plan, snapshots) and kan.paired_differences(plan, snapshots).rows == ()
    assert [curve.label for curve in kan.accuracy_against_correlation(plan, snapshots).curves] == ["no noise (not private)"]
    assert kan.noise_path(plan, snapshots).status and kan.ledger(plan).rows[0][3] == np.inf
    assert "without noise and without privacy" in kan.outcome(plan, snapshots).caption


def test_edges_are_the_learned_splines_over_the_records(run):
    plan, snapshots = run
    last = snapshots[-1]
    chosen = kan.busiest_edges(plan, last, 2)
    assert len({edge.input for edge in chosen}) == 2 and all(0 <= edge.unit < 4 for edge in chosen)
    result = kan.edge(plan, last, chosen[0])
    assert [c.label for c in result.curves[:4]] == ["start", "no noise (not private)", "lambda 0.75", "lambda 0: DP-SGD"]
    drawn = result.curve("lambda 0.75")
    unit, place = chosen[0]
    weights = last.theta[plan.arm(0.75), 0, unit].double().reshape(2, 8)[place]
    exact = (plan.problem.splines.values(torch.tensor(drawn.x)) @ weights).numpy()
    np.testing.assert_allclose(drawn.y - drawn.y.mean(), exact - exact.mean(), atol=1e-5)
    on_records = np.interp(plan.data.features[:, place], drawn.x, drawn.y)
    assert abs(on_records.mean()) < 1e-6, "known up to a constant: zero over the records"
    where = result.curves[-1]
    assert where.y.max() < min(curve.y.min() for curve in result.curves[:-1]), "the histogram stays below"


def test_the_boundary_lies_where_the_network_changes_its_mind(run):
    plan, snapshots = run
    result = kan.decision_boundary(plan, snapshots[-1])
    for label in ("no noise (not private)", "lambda 0: DP-SGD"):
        curve, place = result.curve(label), [arm.label for arm in plan.arms].index(label)
        assert len(curve.x) > 0
        points = torch.tensor(np.column_stack([curve.x, curve.y]))
        theta = snapshots[-1].theta[place : place + 1, :1]
        corners = torch.rand(400, 2, generator=torch.Generator().manual_seed(0)) * 2 - 1
        spread = plan.problem.predict(theta, corners).std()
        assert plan.problem.predict(theta, points).abs().max() < 0.05 * spread
    with pytest.raises(ValueError, match="inputs=64, expected 2"):
        digits = kan.plan(replace(SMALL, dataset="digits", private=False))
        kan.decision_boundary(digits, snapshots[-1])


def test_presets_say_what_to_look_at():
    presets = kan.presets()
    assert set(presets) == {"sweet", "many", "over", "without", "narrow", "full_batch"}
    assert all(preset.says and preset.label for preset in presets.values())
    assert presets["sweet"].setting == KanSetting() and presets["over"].setting.correlation == 0.99
    full = presets["full_batch"].setting
    assert full.batch_size == len(kan.data_of(full).labels), "every record in every step"
    few, many = ((p.setting.batch_size * p.setting.steps) for p in (presets["sweet"], presets["many"]))
    assert many >= 5 * few and presets["many"].setting.dataset == presets["sweet"].setting.dataset


def test_batches_of_a_fixed_size_break_the_claim_that_poisson_batches_keep():
    """At rate .05 and noise for (1, 1.2e-5) the true delta is 2.78e-3: computed independently by quadrature."""
    setting = replace(SMALL, batch_size=150, epsilon=1.0, delta=1.2e-5)
    result = kan.fixed_size_claim(setting)
    real, claimed = result.curves
    at_one = np.interp(0.0, np.log(claimed.x), np.log(claimed.y)), np.interp(0.0, np.log(real.x), np.log(real.y))
    assert np.exp(at_one[0]) == pytest.approx(1.2e-5, rel=0.1) and np.exp(at_one[1]) == pytest.approx(2.78e-3, rel=0.05)
    assert "claims delta = 1.2e-05" in result.verdict and result.marks[0][0] == 1.0
