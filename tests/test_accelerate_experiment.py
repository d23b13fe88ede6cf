"""The experiment behind the Acceleration page: settings, choices that do not flatter, exact panels, and what is said."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from core import privacy
from core.experiments import accelerate
from core.experiments.accelerate import METHODS, AccelerateSetting, Point, Seen
from core.experiments.accelerate.outcome import Gain, _what_decides
from core.experiments.accelerate.pictures import NOISES
from core.experiments.accelerate.runs import arms_of, config_of
from core.experiments.accelerate.setting import radius, smoothness
from core.figures import spec
from core.learners import Snapshot
from core.learners.batches import charge
from core.learners.srgd import Plain, TailAveraged, is_accelerated, is_recursive

SMALL = AccelerateSetting(n_samples=400, dim=4, replicates=4, device="cpu")
KEYS = tuple(METHODS)


def point(steps=11, replicates=20, seed=0, **means):
    """A made-up point: every method's suboptimality shares one multiplicative noise; `means` by method."""
    shared = np.exp(0.1 * np.random.default_rng(seed).normal(size=replicates))
    excess = np.stack([means.get(key, 1.0) * shared for key in KEYS])
    return Point(steps, excess, np.full((len(KEYS), 2), 0.9), np.ones(len(KEYS)), np.full(len(KEYS), 100.0))


@pytest.mark.parametrize(
    ("field", "value"),
    [("problem", "cubic"), ("n_samples", 10), ("dim", 0), ("epsilon", 0.0), ("delta", 1.0), ("clip_norm", 0.0), ("replicates", 1),
     ("label_noise", -1.0), ("seed", -1), ("device", "abacus")],
)
def test_a_setting_that_cannot_be_is_refused(field, value):
    with pytest.raises(ValueError, match=f"^{field}="):
        AccelerateSetting(**{field: value})


def test_a_setting_knows_what_a_link_must_carry():
    assert AccelerateSetting().changes() == {}
    assert AccelerateSetting(problem="logistic", epsilon=2.0).changes() == {"problem": "logistic", "epsilon": 2.0}


def test_the_default_compares_up_to_sqrt_n_with_both_marks():
    assert accelerate.marks(AccelerateSetting()) == (11, 128)
    assert accelerate.step_counts(AccelerateSetting()) == (4, 8, 11, 15, 31, 63, 128)
    table = AccelerateSetting(problem="breast_cancer")
    assert accelerate.records(table) == 427 and accelerate.step_counts(table) == (4, 5, 8, 15, 21)
    assert max(accelerate.step_counts(AccelerateSetting(n_samples=65536))) == 256


@pytest.mark.parametrize("problem", ["linear", "logistic", "breast_cancer"])
def test_what_is_best_lies_in_the_ball_and_rates_are_counted_in_the_smoothness(problem):
    setting = AccelerateSetting(problem=problem)
    learned = accelerate.problem_of(setting)
    best = learned.theta_hat if problem == "breast_cancer" else learned.theta_star
    assert np.linalg.norm(best) <= radius(setting) * (1 + 1e-9)
    if problem == "linear":
        assert learned.eigenvalues.sum() == pytest.approx(smoothness(setting))
    elif problem == "logistic":
        assert learned.eigenvalues.sum() / 4 == pytest.approx(smoothness(setting))
    else:
        assert 1 / 4 == smoothness(setting)


@pytest.mark.parametrize("key", KEYS)
def test_every_arm_spends_the_same_privacy_in_one_pass(key):
    config = config_of(SMALL, 9, 9)
    assert config.batch_size * 9 <= 400 and config.radius == radius(SMALL)
    for arm in arms_of(SMALL, 9, key):
        mu = charge(accelerate.problem_of(SMALL), arm, config)
        assert privacy.gdp_epsilon(mu, SMALL.delta) == pytest.approx(1.0, rel=1e-6)


def test_the_methods_are_what_their_words_say():
    for key, method in METHODS.items():
        arms = arms_of(SMALL, 9, key)
        assert all(is_accelerated(arm) is (key.startswith("accelerated") or key == "own_gradients") for arm in arms)
        assert all(is_recursive(arm) is key.startswith(("accelerated", "unaccelerated")) for arm in arms)
        assert method.mechanism.arm == {"counting": "optimal_counting", "tree": "binary_tree", "ftrl": "binary_tree"}.get(
            key.split("_")[-1], "independent"
        )
    assert METHODS["dp_sgd"].arms == METHODS["dp_ftrl"].arms == (Plain, TailAveraged)
    assert len({method.look for method in METHODS.values()}) == len(METHODS)


def test_a_choice_is_judged_on_replicates_that_it_did_not_see():
    values = np.array([[0.0, 9.0, 0.0, 9.0], [5.0, 1.0, 5.0, 1.0]])  # turns: the first half likes choice 0, the other choice 1
    kept, chosen = accelerate.cross_fitted(values)
    assert chosen == (0, 1)
    assert kept.tolist() == [5.0, 9.0, 5.0, 9.0]


def test_chance_alone_is_not_counted_as_merit():
    """Of many choices that are all alike, the best by luck: on the other half it is average again."""
    values = np.random.default_rng(0).normal(size=(200, 400))
    kept, _ = accelerate.cross_fitted(values)
    assert values.mean(axis=1).min() < -0.1
    assert abs(kept.mean()) < 4 / 20


def test_the_stream_starts_at_the_marks_and_counts_gradients():
    seen = list(accelerate.stream(SMALL))
    assert [tuple(p.steps for p in each.points) for each in seen[:3]] == [(4,), (4, 20), (4, 20)]
    assert not seen[1].watched and seen[2].watched
    last = seen[-1]
    assert tuple(p.steps for p in last.points) == accelerate.step_counts(SMALL) == (4, 8, 15, 20)
    for each in last.points:
        used = each.steps * (400 // each.steps)
        assert each.gradients.tolist() == [2 * used] * 5 + [used] * 3
        assert each.excess.shape == (8, 4) and np.isfinite(each.excess).all()
    again = list(accelerate.stream(SMALL))[-1]
    assert all(np.array_equal(a.excess, b.excess) for a, b in zip(last.points, again.points, strict=True))


def test_the_chart_holds_every_method_and_both_marks():
    *_, seen = accelerate.stream(SMALL)
    result = accelerate.excess(SMALL, seen)
    assert [curve.label for curve in result.curves] == [method.label for method in METHODS.values()]
    assert [x for x, _ in result.marks] == [4, 20] and result.status == ""
    means = seen.points[0].excess.mean(axis=1)
    np.testing.assert_allclose([curve.y[0] for curve in result.curves], means)


def test_while_others_are_missing_points_are_marked_and_not_joined():
    *_, seen = accelerate.stream(SMALL)
    for shown in (seen.points[:1], (seen.points[0], seen.points[-1])):
        partial = accelerate.excess(SMALL, Seen(shown, ()))
        assert all(curve.discrete for curve in partial.curves) and partial.status == ""
        assert {trace["mode"] for trace in spec(partial)["data"]} == {"markers"}
        assert f"{4 - len(shown)} more step counts" in partial.caption
    whole = accelerate.excess(SMALL, seen)
    assert not any(curve.discrete for curve in whole.curves) and "Still at work" not in whole.caption


def test_what_one_example_adds_is_drawn_from_the_watched_run():
    *_, seen = accelerate.stream(SMALL)
    result = accelerate.sensitivity(SMALL, seen)
    assert len(result.curves) == 4 and result.curve("clip norm").y.tolist() == [0.5] * 20
    drawn = result.curve("difference, accelerated")
    np.testing.assert_allclose(drawn.y, [s.measures["gradient_norm_high"][0].mean() for s in seen.watched[1:]], rtol=1e-6)
    slow = result.curve("difference, not accelerated")
    np.testing.assert_allclose(slow.y, [s.measures["gradient_norm_high"][1].mean() for s in seen.watched[1:]], rtol=1e-6)
    assert max(len(curve.label) for curve in result.curves) <= 30, "a phone shows no longer words in a legend"
    grown = result.curve("weighted gradient, accelerated").y
    assert grown[-1] > 3 * grown[1] and drawn.y[-1] < 2 * drawn.y[1]
    assert ("the sensitivity is flat in t" in result.verdict) is bool(drawn.y[-1] < 1.5 * drawn.y[1])


def test_a_sensitivity_that_grows_is_not_called_flat():
    def shot(step, difference):
        measures = {"gradient_norm_high": np.full((2, 4), difference), "weighted_gradient_norm": np.full((2, 4), 1.0 + step)}
        return Snapshot(step, torch.zeros(2, 4, 1, 4), measures)

    flat, grown = ([shot(step, 0.5 + slope * step) for step in range(5)] for slope in (0.0, 0.5))
    assert "the sensitivity is flat in t" in accelerate.sensitivity(SMALL, Seen((), tuple(flat))).verdict
    assert "the sensitivity is NOT flat here in t" in accelerate.sensitivity(SMALL, Seen((), tuple(grown))).verdict


def test_the_ledger_charges_what_was_asked_for():
    *_, seen = accelerate.stream(SMALL)
    table = accelerate.ledger(SMALL, seen)
    assert table.title == "What was charged at 4 steps"
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    tree = rows[METHODS["accelerated_tree"].label]
    assert tree["sensitivity"] == pytest.approx(math.sqrt(3)) and tree["gradients an example"] == 2
    assert tree["noise multiplier"] == pytest.approx(math.sqrt(3) / privacy.gdp_mu_for(1.0, 1e-6), rel=1e-9)
    assert rows["DP-SGD"]["gradients an example"] == 1
    assert all(row["epsilon"] == pytest.approx(1.0, rel=1e-6) for row in rows.values())


def test_a_gain_is_a_paired_ratio():
    found = accelerate.gain(point(dp_sgd=3.0), "accelerated_tree", "dp_sgd")
    assert found.ratio == pytest.approx(3) and found.low == pytest.approx(3) and found.high == pytest.approx(3)
    assert found.inverse == pytest.approx(Gain(1 / 3, 1 / 3, 1 / 3))
    blurred = point(dp_sgd=3.0)
    blurred.excess[KEYS.index("dp_sgd")] *= np.exp(0.3 * np.random.default_rng(5).normal(size=20))
    wide = accelerate.gain(blurred, "accelerated_tree", "dp_sgd")
    assert wide.low < wide.ratio < wide.high
    blurred.excess[KEYS.index("dp_sgd"), 0] = np.inf
    assert accelerate.gain(blurred, "accelerated_tree", "dp_sgd").ratio == math.inf


def said(**means):
    return accelerate.verdict(AccelerateSetting(), Seen((point(**means),), ()))


def test_the_verdict_says_who_decides():
    fast = {"accelerated_counting": 1.0, "accelerated_tree": 1.1, "unaccelerated_counting": 3.0, "unaccelerated_tree": 3.3}
    assert "Here acceleration decides" in said(**fast, dp_sgd=5.0) and "5.00 (5.00 to 5.00) times less suboptimal than DP-SGD" in said(**fast, dp_sgd=5.0)
    noisy = {"accelerated_counting": 1.0, "accelerated_tree": 3.0, "unaccelerated_counting": 1.1, "unaccelerated_tree": 3.1}
    assert "Here noise decides, not acceleration" in said(**noisy)


def test_the_verdict_says_when_acceleration_loses():
    words = said(accelerated_counting=1.5, accelerated_tree=3.0, unaccelerated_counting=1.0, unaccelerated_tree=2.0)
    assert "acceleration LOSES, 1.50 (1.50 to 1.50) times MORE suboptimal" in words
    assert words.count("LOSES") == 2
    slow = said(accelerated_counting=2.0, accelerated_tree=2.0, unaccelerated_counting=2.0, unaccelerated_tree=2.0, dp_sgd=0.5)
    assert "the best is: DP-SGD, 4.00 (4.00 to 4.00) times less suboptimal than accelerated, square-root Toeplitz." in slow
    assert "Neither acceleration nor the noise decides" in slow


def test_a_clear_effect_decides_in_either_direction():
    harm = said(accelerated_counting=2.3, accelerated_tree=2.3, unaccelerated_counting=1.0, unaccelerated_tree=1.0)
    assert "Here acceleration decides, and for the worse: acceleration LOSES, 2.30" in harm
    noise = said(accelerated_counting=3.0, accelerated_tree=1.0, unaccelerated_counting=3.3, unaccelerated_tree=1.1)
    assert "Here noise decides, not acceleration, and for the worse" in noise
    both = said(accelerated_counting=1.0, accelerated_tree=2.0, unaccelerated_counting=0.5, unaccelerated_tree=1.0)
    assert "Both count, neither clearly more (acceleration harms, the noise helps)" in both


def test_what_decides_among_the_recursive_methods_is_not_said_of_all():
    """DP-SGD far ahead of all of them: whether acceleration helps is then a question among the others."""
    slow = said(accelerated_counting=2.0, accelerated_tree=2.0, unaccelerated_counting=3.0, unaccelerated_tree=3.0, dp_sgd=0.5)
    assert "Among the recursive methods acceleration decides: acceleration gains 1.50" in slow and "Here" not in slow


def test_only_what_is_clear_decides():
    wide, sharp = Gain(1.4, 0.9, 2.2), Gain(1.56, 1.1, 2.2)
    assert _what_decides(wide, wide).startswith("Neither")
    assert _what_decides(wide, sharp) == "Here noise decides, not acceleration"
    assert _what_decides(sharp.inverse, wide) == "Here acceleration decides, and for the worse"
    assert _what_decides(sharp, Gain(math.inf, 0.0, math.inf)) == "Here acceleration decides"


def test_the_headline_says_in_words_on_which_side_it_is():
    def told(**means):
        return accelerate.headline(AccelerateSetting(), Seen((point(**means),), ()))

    worse = told(accelerated_counting=8.0, unaccelerated_counting=4.0)
    assert worse.gain == ("8x", "MORE error than DP-SGD: LOSES", "best noise, at n^(1/4) = 11 steps")
    assert worse.by_acceleration[:2] == ("2x", "MORE error than without acceleration: LOSES")
    assert worse.by_acceleration_late[::2] == ("...", "at sqrt(n) = 128 steps")
    better = told(dp_sgd=3.6)
    assert better.gain[:2] == ("3.6x", "less error than DP-SGD") and better.by_acceleration.number == "1x"
    blurred = point(dp_sgd=1.05)
    blurred.excess[KEYS.index("dp_sgd")] *= np.exp(0.5 * np.random.default_rng(5).normal(size=20))
    blurred.excess[KEYS.index("dp_sgd")] *= blurred.excess[0].mean() / 1.08 / blurred.excess[KEYS.index("dp_sgd")].mean()
    unclear = accelerate.headline(AccelerateSetting(), Seen((blurred,), ())).gain
    assert unclear[:2] == ("1.08x", "MORE error than DP-SGD, within chance")


def test_the_verdict_says_that_nobody_learns():
    """Linear regression, 20 parameters of length .65 together: the start has .65^2 / 40 by hand."""
    start = accelerate.start_risk(AccelerateSetting())
    assert start == pytest.approx(0.65**2 / 40, rel=1e-6)
    assert "That is not below the start, 0.011: nobody learns anything." in said(dp_sgd=0.02)
    assert "nobody learns" not in said(dp_sgd=0.01)


@pytest.mark.parametrize(
    ("words", "at_16", "at_128"),
    [("independent noise", 16, 128), ("tree, as in the paper", 20, 56), ("tree, Honaker's completion", 13.9, None),
     ("square-root Toeplitz", 3.8, 6.812642184913266)],
)
def test_the_price_of_each_noise(words, at_16, at_128):
    """Largest variance of a running sum times squared sensitivity, computed independently by dense linear algebra."""
    tolerance = 1e-9 if at_16 in (16, 20) else 0.05
    assert accelerate.prefix_variance(NOISES[words], 16) == pytest.approx(at_16, abs=tolerance)
    if at_128 is not None:
        assert accelerate.prefix_variance(NOISES[words], 128) == pytest.approx(at_128, rel=1e-9)


def test_the_panel_of_prices_draws_those_numbers_and_marks_the_theorem():
    result = accelerate.prefix_noise(AccelerateSetting())
    tree = result.curve("tree, as in the paper")
    assert tree.exact and dict(zip(tree.x, tree.y, strict=True))[16.0] == pytest.approx(20)
    assert [x for x, _ in result.marks] == [11, 128]
    assert "8.2 times" in result.verdict and "18.8 times" in result.verdict


def test_the_calculator_says_from_where_on_the_theorem_speaks():
    table = accelerate.theorem(AccelerateSetting())
    assert table.verdict.startswith("The theorem speaks from n = 589,716 on, and there with batches of one record.")
    at_least = [float(row[1].replace(",", "")) for row in table.rows]
    assert at_least == sorted(at_least) and table.rows[3][1] == "2.9e+21"
    assert table.rows[0][2] == "T = 140,245"
    assert table.verdict.endswith("promises epsilon 1 and spends 1.24: it lacks a factor 1.70 of noise.")


def test_presets_are_settings_and_one_says_that_acceleration_loses():
    found = accelerate.presets()
    assert found["few"].setting == AccelerateSetting()
    assert any("LOSES" in preset.says for preset in found.values())
    assert len({dataclasses.astuple(preset.setting) for preset in found.values()}) == len(found)


def test_on_a_real_table_the_suboptimality_is_over_the_best_in_the_ball():
    setting = AccelerateSetting(problem="breast_cancer", replicates=2, device="cpu")
    found = accelerate.run_at(setting, 4)
    start = accelerate.problem_of(setting).risk(accelerate.problem_of(setting).start[None, None])["excess_risk"].item()
    assert 0 < found.excess.min() and start == pytest.approx(math.log(2) - accelerate.problem_of(setting).least_loss, rel=1e-6)


@pytest.mark.slow
def test_linear_regression_comes_out_as_it_was_measured_before():
    """Suboptimality x 1e-4 at 8, 11, 31 and 128 steps of an independent implementation, whose standard errors are as ours.

    Accelerated with tree and with square-root Toeplitz noise, without acceleration, DP-SGD and DP-FTRL with tree noise.
    """
    known = {
        "accelerated_tree": (1.8, 1.3, 1.8, 2.2),
        "accelerated_counting": (1.5, 1.2, 1.2, 1.3),
        "unaccelerated_tree": (4.7, 2.6, 1.6, 2.0),
        "dp_sgd": (5.4, 4.3, 3.6, 8.0),
        "dp_ftrl": (6.5, 4.4, 3.6, 4.3),
    }
    setting = AccelerateSetting(device="cpu")
    for place, steps in enumerate((8, 11, 31, 128)):
        found = accelerate.run_at(setting, steps)
        for key, values in known.items():
            ours = 1e4 * found.excess[KEYS.index(key)]
            error = ours.std(ddof=1) / len(ours) ** 0.5
            assert abs(ours.mean() - values[place]) < 4 * math.hypot(error, error * values[place] / ours.mean()), (key, steps)
        if steps == 11:
            means = {key: found.excess[KEYS.index(key)].mean() for key in known}
            assert sorted(means, key=means.get)[:3] == ["accelerated_counting", "accelerated_tree", "unaccelerated_tree"]


@pytest.mark.slow
def test_on_logistic_loss_the_papers_noise_takes_the_gain_beyond_eight_steps():
    setting = AccelerateSetting(problem="logistic", device="cpu")
    early, late = (accelerate.gain(accelerate.run_at(setting, steps), "accelerated_tree", "unaccelerated_tree") for steps in (8, 31))
    assert early.low > 1 > late.low


@pytest.mark.slow
def test_the_presets_are_true():
    def gains(key, place, *pairs):
        setting = dataclasses.replace(accelerate.presets()[key].setting, device="cpu")
        found = accelerate.run_at(setting, accelerate.marks(setting)[place])
        return [accelerate.gain(found, *pair) for pair in pairs]

    speed, noise = ("accelerated_counting", "unaccelerated_counting"), ("accelerated_counting", "accelerated_tree")
    assert gains("few", 0, speed)[0].low > 2 and gains("few", 1, speed)[0].high < 1
    sped, kind = gains("private", 0, speed, noise)
    assert kind.low > 1.3 and kind.high > sped.low
    sped, kind = gains("generous", 0, speed, noise)
    assert sped.low > 2 and kind.high < 1.1
    assert gains("easy", 0, ("dp_sgd", "accelerated_counting"))[0].low > 1
    assert gains("drowned", 1, ("dp_sgd", "accelerated_tree"))[0].low > 1


@pytest.mark.parametrize("changes", [{"delta": 1e-12}, {"delta": 0.1, "epsilon": 100.0}, {"dim": 1000, "epsilon": 0.01}, {"n_samples": 64}])
def test_the_exact_panels_stand_at_any_setting(changes):
    setting = AccelerateSetting(**changes)
    assert accelerate.theorem(setting).rows and accelerate.prefix_noise(setting).curves
