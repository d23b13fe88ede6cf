"""The adaptive clipping experiment: equal privacy, pictures from however little is there, and who wins where."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

from core import privacy
from core.experiments import adaptive
from core.experiments.adaptive import AdaptiveSetting, methods
from core.experiments.adaptive.methods import dp_gd, exact, fixed, full_batch, noises, printed
from core.experiments.adaptive.outcome import Outcome, sample_sizes
from core.figures import spec
from core.learners.adaptive import ledger_of
from core.learners.ledger import spent
from core.problems.regression import GaussianDesign

QUICK = AdaptiveSetting(dim=3, n_samples=1500, replicates=6, device="cpu")


@pytest.fixture(scope="module")
def outcomes():
    return list(adaptive.stream(QUICK))


@pytest.mark.parametrize(
    "setting", [QUICK, replace(QUICK, epsilon=0.3, delta=1e-8, steps=4, correlation=0.9), replace(QUICK, steps=24)],
    ids=["default", "strict", "many steps"],
)
def test_every_method_but_the_printed_one_spends_what_was_asked_for(setting):
    plans = {"exact": exact(setting), "gd": dp_gd(setting), "full": full_batch(setting)}
    plans |= {f"fixed {i}": plan for i, plan in enumerate(fixed(setting))}
    for name, (arms, config) in plans.items():
        ledger = ledger_of(arms, config)
        for arm in arms:
            rho = spent(ledger, arm.label)
            assert rho <= setting.rho * (1 + 1e-9), (name, arm.label)
            assert rho >= setting.rho * (1 - 1e-9), (name, arm.label)
    assert setting.rho == pytest.approx(privacy.gdp_mu_for(setting.epsilon, setting.delta) ** 2 / 2, rel=1e-12)


@pytest.mark.parametrize("rungs", [5, 20, 2858])
def test_the_printed_method_spends_what_its_ledger_says(rungs):
    """alpha^2 = 8 log(10^6) at epsilon 1: (2K+1)/(2K alpha^2) on the shared record."""
    arms, config = printed(replace(QUICK, rungs=rungs), 0.1)
    rho = spent(ledger_of(arms, config))
    assert rho == pytest.approx((2 * rungs + 1) / (2 * rungs * 8 * np.log(1e6)), rel=1e-12)
    table = adaptive.ledger(replace(QUICK, rungs=rungs, as_printed=True))
    assert f"= {rho:.6g}" in table.caption and {row[3] for row in table.rows} == {1, rungs + 1}


def test_an_epsilon_beyond_the_short_formula_takes_the_other():
    arms, _ = printed(replace(QUICK, epsilon=20.0), 0.1)
    assert arms[0].noise_multiplier == pytest.approx(4 * np.sqrt(np.log(1e6) + 20) / 20, rel=1e-12)


def test_pictures_come_from_however_little_is_there(outcomes):
    assert outcomes[0].fraction == 0 and outcomes[-1].fraction == 1
    assert [one.fraction for one in outcomes] == sorted({one.fraction for one in outcomes})
    labels = [curve.label for curve in adaptive.against_label_noise(outcomes[0]).curves]
    for outcome in (outcomes[0], outcomes[1], outcomes[7], outcomes[-1]):
        for picture in (adaptive.against_label_noise, adaptive.thresholds, adaptive.gradient_norms, adaptive.against_sample_size, adaptive.against_steps):
            result = picture(outcome)
            if result is not None:
                assert spec(result)["data"] is not None
        assert [curve.label for curve in adaptive.against_label_noise(outcome).curves] == labels
        assert len(adaptive.excess_table(outcome).rows) == 7
    assert adaptive.verdict(outcomes[0]) == "" and adaptive.fall(outcomes[0]) is None
    assert adaptive.gradient_norms(outcomes[0]) is None and adaptive.cost_of_printing(outcomes[1]) is None


def made(setting=QUICK, clipped=0.05, thresholds=(8.0, 0.06), **medians):
    """An outcome with given medians, spread by a tenth: `exact`, `tuned`, `printed`, `gd`, the others as `exact`."""
    spread = np.linspace(0.9, 1.1, 20)
    by_label = {adaptive.TUNED: "tuned", adaptive.PRINTED: "printed", adaptive.DP_GD: "gd"}
    traces = {}
    for noise in setting.label_noises:
        for label in adaptive.method_labels(setting):
            excess = medians.get(by_label.get(label, "exact"), 1e-3) * spread
            rows = np.repeat(np.array(thresholds)[:, None], 20, axis=1)
            traces[label, noise] = methods.Trace(label, excess, rows, np.full(rows.shape, clipped), torch.zeros(2, setting.dim), ())
    return Outcome(setting, traces, {}, {}, 0.5)


def test_the_verdict_says_that_not_training_is_better():
    worse = made(exact=13_000.0, tuned=16.0, printed=0.51, gd=7e4)
    words = adaptive.verdict(worse)
    assert words.startswith("**Nothing is learned at label noise 0.01: not training at all is better.** The start has 0.5")
    assert "(adaptive, as printed) ends at 0.51" in words and "both end worse than not training (0.5): adaptive at 13,000" in words
    assert "wins" not in words and "falls by" not in words and "25,000 times smaller than with exact accounting" in words
    told = adaptive.headline(worse)
    assert told["lead"] == ("810x", "MORE error than the best fixed clip: LOSES", "at label noise 0.01, both worse than no training")
    assert told["printed-cost"][:2] == ("25,000x", "less error than exact accounting")
    one = adaptive.verdict(made(exact=13.0, tuned=0.1))
    assert "the fixed clip wins: 0.1 against 13, which is worse than not training (0.5)" in one and "Nothing is learned" not in one


def test_who_is_ahead_within_chance_is_not_called_a_winner():
    assert "neither is clearly ahead: adaptive has 0.001, the fixed clip 0.0011." in adaptive.verdict(made(exact=1e-3, tuned=1.06e-3))
    assert "adaptive wins: 0.001 against 0.0015" in adaptive.verdict(made(exact=1e-3, tuned=1.5e-3))


def test_the_headline_is_about_the_viewers_label_noise():
    setting = replace(QUICK, label_noise=0.3)
    outcome = made(setting, exact=1e-3, tuned=5e-3)
    assert adaptive.headline(outcome)["lead"] == ("5x", "less error than the best fixed clip", "at label noise 0.3")
    assert adaptive.against_label_noise(outcome).marks == ((0.3, "yours: 0.3"),)
    assert adaptive.verdict(outcome).startswith("At label noise 0.3 adaptive wins: 0.001 against 0.005.")
    assert adaptive.against_label_noise(made(replace(QUICK, label_noise=0.0))).marks == ()
    assert [told.number for told in adaptive.headline(Outcome(QUICK, {}, {}, {}, 0.0)).values()] == ["..."] * 3
    assert adaptive.headline(made(exact=1e-7, printed=1.0))["printed-cost"].short == ">1,000,000x MORE"
    assert "is more than 1,000,000 times that of exact accounting" in adaptive.verdict(made(exact=1e-7, printed=1.0))


def test_whether_the_clip_norm_follows_is_read_off_the_shares_it_cuts():
    assert adaptive.follows(made()) == "At label noise 0.01 it goes from 8 to 0.06 and follows the gradients: it cuts 5% to 5% of them in every step."
    assert "does NOT follow the gradients: it cuts 98%" in adaptive.follows(made(clipped=0.98))
    assert "stays at 32, far above the gradients: it cuts 0.01%" in adaptive.follows(made(clipped=1e-4, thresholds=(32.0, 32.0)))
    assert "follow" not in adaptive.thresholds(made(clipped=0.98)).caption


def test_while_label_noises_are_missing_points_are_not_joined(outcomes):
    for outcome in outcomes[1:-1]:
        for curve in adaptive.against_label_noise(outcome).curves:
            assert curve.discrete is (curve.label != "least squares, no privacy" and len(curve.x) < 3)
    assert not any(curve.discrete for curve in adaptive.against_label_noise(outcomes[-1]).curves)


def test_the_whole_outcome_holds_every_method_at_every_noise(outcomes):
    last = outcomes[-1]
    assert set(last.traces) == {(label, noise) for label in adaptive.method_labels(QUICK) for noise in (1.0, 0.1, 0.01, 0.0)}
    assert all(trace.excess.shape == (6,) for trace in last.traces.values())
    trace = last.looked_into
    assert trace.thresholds.shape == trace.clipped.shape == (6, 6) and trace.iterates.shape == (6, 3)
    assert not trace.iterates[0].any() and trace.label == adaptive.EXACT
    printed_one = Outcome(replace(QUICK, as_printed=True), last.traces, last.sizes, last.steps, 1.0)
    assert printed_one.looked_into.label == adaptive.PRINTED
    assert {count for _, count in last.steps} == {3, 4, 6, 10, 16, 24} and {label for label, _ in last.steps} == set(noises(QUICK))


def test_the_histogram_counts_every_gradient_once_and_marks_the_cuts(outcomes):
    result = adaptive.gradient_norms(outcomes[-1])
    for curve in result.curves:
        assert 0.99 <= curve.y.sum() <= 1
    cuts = {float(cut) for cut, _ in result.marks}
    trace = outcomes[-1].looked_into
    assert cuts == {float(trace.thresholds[step, 0]) for step in (0, 2, 5)}


def test_groups_of_replicates_are_independent_and_as_many_as_asked_for(monkeypatch):
    monkeypatch.setattr(methods, "_CHUNK", 2 * QUICK.n_samples * QUICK.dim)
    trace, _ = adaptive.measure(replace(QUICK, replicates=5), 0.1)[adaptive.EXACT]()
    assert trace.excess.shape == (5,) and len(set(trace.excess)) == 5 and trace.thresholds.shape == (6, 5)


def test_all_methods_see_the_same_records():
    kept, fresh = methods.SameRecords(QUICK.eigenvalues, 0.1), GaussianDesign(QUICK.eigenvalues, 0.1)
    one, two, three = (problem.draw(2, 9, torch.Generator().manual_seed(4)) for problem in (kept, kept, fresh))
    assert one is two and torch.equal(one.features, three.features) and torch.equal(one.labels, three.labels)
    assert not torch.equal(one.features, kept.draw(2, 9, torch.Generator().manual_seed(5)).features)


def test_least_squares_is_exact():
    """E tr((X'X)^-1) = d/(n-d-1) for Gaussian records: 4,000 solves against the formula."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4000, 30, 3))
    noise = 0.5 * rng.standard_normal((4000, 30, 1))
    error = np.linalg.solve(np.einsum("rni,rnj->rij", x, x), np.einsum("rni,rnk->rik", x, noise))[..., 0]
    excess = 0.5 * (error**2).sum(-1)
    truth = adaptive.least_squares(replace(QUICK, n_samples=30 * 4, dim=3), 0.5) * (120 - 4) / (30 - 4)
    assert abs(excess.mean() - truth) <= 4 * excess.std() / 4000**0.5


def test_the_medians_interval_covers():
    """20 replicates of a skewed law: the 6th and the 15th, which cover with probability 0.9586."""
    values = np.random.default_rng(0).exponential(size=(4000, 20))
    hits = 0
    for row in values:
        middle, low, high = adaptive.median(row)
        ordered = np.sort(row)
        assert (low, high) == (ordered[5], ordered[14]) and middle == np.median(row)
        hits += low <= np.log(2) <= high
    assert abs(hits / 4000 - 0.95861) <= 4 * (0.9586 * 0.0414 / 4000) ** 0.5


def test_sample_sizes_leave_something_for_every_search():
    assert sample_sizes(AdaptiveSetting()) == (500, 1000, 2000, 4000, 8000, 16_000)
    assert sample_sizes(AdaptiveSetting(n_samples=800)) == (500, 1000, 2000, 4000)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dim": 0}, "dim"), ({"n_samples": 99}, "n_samples"), ({"epsilon": 0.0}, "epsilon"), ({"delta": 1.0}, "delta"),
        ({"steps": 1}, "steps"), ({"correlation": 1.0}, "correlation"), ({"label_noise": -1.0}, "label_noise"),
        ({"as_printed": "yes"}, "as_printed"), ({"rungs": 0}, "rungs"), ({"replicates": 4}, "replicates"),
        ({"seed": -1}, "seed"), ({"device": "tpu"}, "device"),
    ],
)
def test_a_bad_control_is_named(changes, field):
    with pytest.raises(ValueError, match=rf"^{field}="):
        AdaptiveSetting(**changes)


def test_what_does_not_fit_together_is_one_sentence():
    for setting in (AdaptiveSetting(dim=1000, n_samples=1_000_000), AdaptiveSetting(n_samples=200, steps=50)):
        with pytest.raises(ValueError, match="^n_samples="):
            next(adaptive.stream(setting))


def test_settings_are_links():
    assert AdaptiveSetting().changes() == {}
    changed = AdaptiveSetting(dim=5, as_printed=True)
    assert changed.changes() == {"dim": 5, "as_printed": True} and AdaptiveSetting(**asdict(changed)) == changed
    assert hash(changed) != hash(AdaptiveSetting()) and 0.2 in AdaptiveSetting(label_noise=0.2).label_noises


def test_presets_are_settings_that_fit_together():
    assert any(preset.setting == AdaptiveSetting() for preset in adaptive.presets().values())
    assert sum("LOSE" in preset.label for preset in adaptive.presets().values()) == 2
    for preset in adaptive.presets().values():
        assert next(adaptive.stream(preset.setting)).setting is preset.setting


@pytest.mark.slow
def test_the_table_of_methods():
    """d=10, n=20,000, (1, 1e-6), medians of 20: orders measured before by an independent prototype of every method."""
    setting = AdaptiveSetting(device="cpu")
    found = {}
    for noise in (1.0, 0.1, 0.01):
        for run in adaptive.measure(setting, noise).values():
            found |= {(trace.label, noise): trace.excess for trace in run()}
    middle = {key: np.median(values) for key, values in found.items()}
    expected = {  # means of the prototype, which tuned the number of steps and the fixed clip more coarsely
        adaptive.EXACT: (1.2e-3, 1.3e-5, 1.6e-7),
        adaptive.FULL: (4.4e-4, 4.4e-6, 5.9e-8),
        adaptive.DP_GD: (2.5e-3, 2.3e-3, 2.3e-3),
        adaptive.TUNED: (6.9e-4, 2.6e-5, 1.7e-5),
    }
    for label, values in expected.items():
        for noise, value in zip((1.0, 0.1, 0.01), values, strict=True):
            assert value / 2.7 <= middle[label, noise] <= value * 1.5, (label, noise, middle[label, noise])
    assert middle[adaptive.PRINTED, 1.0] > 100 * middle[adaptive.EXACT, 1.0]
    assert middle[adaptive.EXACT, 1.0] / middle[adaptive.EXACT, 0.01] > 3000
    assert middle[adaptive.TUNED, 1.0] < middle[adaptive.EXACT, 1.0], "with noisy labels the tuned fixed clip wins"
    assert middle[adaptive.TUNED, 0.01] > 20 * middle[adaptive.EXACT, 0.01]
    correlated = found[adaptive.correlated_label(setting), 1.0]
    ratio = correlated / found[adaptive.EXACT, 1.0]
    assert np.median(ratio) < 1, "the same records and seed noise: what is taken back helps once the clip norm has settled"


@pytest.mark.slow
def test_the_presets_are_true():
    def traces(key, *labels):
        setting = replace(adaptive.presets()[key].setting, device="cpu")
        runs = adaptive.measure(setting, setting.label_noise)
        return [runs[label]()[0] for label in labels]

    both = (adaptive.EXACT, adaptive.TUNED)
    ours, fixed_clip = traces("clean", *both)
    assert adaptive.median(ours.excess)[2] * 20 < adaptive.median(fixed_clip.excess)[1], "no fixed clip keeps up"
    assert np.median(ours.thresholds[-1]) < np.median(ours.thresholds[0]) / 50
    ours, fixed_clip = traces("noisy", *both)
    assert adaptive.median(fixed_clip.excess)[2] < adaptive.median(ours.excess)[1]
    assert np.median(ours.thresholds[-1]) > np.median(ours.thresholds[0]) / 3
    ours, fixed_clip = traces("few", *both)
    assert adaptive.median(fixed_clip.excess)[2] < adaptive.median(ours.excess)[1] and np.median(ours.excess) > adaptive.START
    assert ours.thresholds[0].max() > 1e3 * ours.thresholds[0].min(), "left to chance"
    (as_printed,) = traces("printed", adaptive.PRINTED)
    assert np.median(as_printed.excess) > 0.1 and as_printed.excess.max() > 10 * adaptive.START
    (constants,) = traces("rungs", adaptive.PRINTED)
    assert np.median(constants.excess) == pytest.approx(adaptive.START, abs=1e-6)
    setting = replace(adaptive.presets()["steps"].setting, device="cpu")
    plain, correlated = adaptive.measure(setting, setting.label_noise)[adaptive.EXACT]()
    assert np.median(correlated.excess / plain.excess) < 0.9
    starts = []
    for epsilon in (1.0, adaptive.presets()["strict"].setting.epsilon):
        setting = AdaptiveSetting(epsilon=epsilon, device="cpu")
        excess = [np.median(adaptive.measure(replace(setting, n_samples=size), setting.label_noise)[adaptive.EXACT]()[0].excess) for size in sample_sizes(setting)]
        starts.append(next(size for place, size in enumerate(sample_sizes(setting)) if max(excess[place:]) <= adaptive.WORKS))
    assert starts[1] > starts[0]


@pytest.mark.slow
def test_the_papers_constants_learn_nothing():
    setting = AdaptiveSetting(rungs=2858, as_printed=True, device="cpu", replicates=10)
    (trace,) = adaptive.measure(setting, 0.1)[adaptive.PRINTED]()
    assert np.median(trace.excess) == pytest.approx(0.5, abs=1e-6)
