"""A run of the confidence intervals page against its exact law, and what is drawn of it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from core.experiments import intervals
from core.experiments.intervals import IntervalSetting, OwnTable, errors
from core.experiments.intervals.budgets import correlated_noise, last_iterate_noise
from core.figures import strokes
from core.mechanisms import optimal_counting, toeplitz

SMALL = IntervalSetting(n_samples=400, dim=3, rho=1.0, steps=120, replicates=30, device="cpu")


def run(setting=SMALL):
    *_, chains = intervals.plan(setting).stream()
    return chains


@pytest.fixture(scope="module")
def chains():
    return run()


@pytest.fixture(scope="module")
def runs():
    return run(replace(SMALL, construction="independent_runs", steps=250))


def test_a_stream_gives_growing_chains_that_are_safe_to_keep():
    planned = intervals.plan(SMALL)
    kept = list(planned.stream())
    assert len(kept) == planned.total and [each.finished for each in kept] == [False] * (planned.total - 1) + [True]
    assert kept[0].step == 0 and not kept[0].iterates.any()
    for early in kept:
        assert np.array_equal(early.iterates, kept[-1].iterates[:, :, : early.step + 1])
    with pytest.raises(ValueError, match="the intervals are known at the end"):
        _ = kept[0].intervals


def test_the_same_seed_gives_the_same_run():
    assert np.array_equal(run().iterates, run().iterates)
    assert not np.array_equal(run().iterates, run(replace(SMALL, seed=1)).iterates)


def test_iterates_follow_the_exact_law_where_nothing_is_clipped():
    found = run(replace(SMALL, replicates=400, steps=60, clip_factor=40.0))
    assert not found.share_clipped.any()
    law, count = found.expected.law, 400
    for step in (2, 60):
        here = found.iterates[:, 0, step] - law.mean(step)
        assert np.abs(here.mean(axis=0) / (here.std(axis=0) / count**0.5)).max() < 4
        squares = here[:, :, None] * here[:, None]
        assert np.abs((squares.mean(axis=0) - law.covariance(step)) / (squares.std(axis=0) / count**0.5)).max() < 4


@pytest.mark.parametrize("construction", ["batched_means", "checkpoints", "independent_runs"])
def test_measured_coverage_and_width_are_the_exact_ones(construction):
    found = run(replace(SMALL, construction=construction, replicates=300, steps=250, clip_factor=40.0))
    each, exact = found.hits(found.expected.theta_hat).mean(axis=1), found.expected.of_theta_hat
    assert abs(each.mean() - exact.coverage.mean()) < 4 * each.std(ddof=1) / 300**0.5
    widths = 2 * found.intervals[1]
    assert np.abs((widths.mean(axis=0) - exact.width) / (widths.std(axis=0) / 300**0.5)).max() < 4


@pytest.mark.parametrize("design", ["isotropic", "outliers"])
def test_clipping_spoils_coverage_as_the_settled_law_says(design):
    found = run(IntervalSetting(design=design, clip_factor=0.5, replicates=100, device="cpu"))
    expected = found.expected
    for target, exact in ((expected.theta_hat, expected.of_theta_hat_clipped), (expected.huber, expected.of_huber)):
        each = found.hits(target).mean(axis=1)
        assert abs(each.mean() - exact.coverage.mean()) < 0.03 + 4 * each.std(ddof=1) / 100**0.5  # a linearisation
    assert expected.of_theta_hat_clipped.coverage.mean() < expected.of_huber.coverage.mean() - 0.05
    nearer = np.linalg.norm(expected.huber - expected.theta_star) < np.linalg.norm(expected.theta_hat - expected.theta_star)
    assert nearer or design == "isotropic"
    where = "nearer to" if nearer else "farther from"
    assert f"nearly right about another point than least squares, which here is {where} the truth." in intervals.clipping_verdict(expected)


def test_the_geometric_budget_narrows_independent_runs_at_the_same_coverage():
    even, geometric = (
        intervals.expected(IntervalSetting(construction="independent_runs", schedule=schedule)) for schedule in ("uniform", "geometric")
    )
    assert geometric.of_theta_hat.width.mean() / even.of_theta_hat.width.mean() == pytest.approx(0.794, abs=0.01)
    assert geometric.of_theta_hat.coverage.mean() == pytest.approx(0.95, abs=1e-3)


def test_what_a_schedule_gains_and_correlation_loses():
    setting = IntervalSetting()
    assert last_iterate_noise(setting, "uniform", 10) == pytest.approx(1.4240411258015229, rel=1e-9)
    assert (last_iterate_noise(setting, "geometric", 20) / last_iterate_noise(setting, "uniform", 20)) ** 0.5 == pytest.approx(0.59, abs=0.001)
    square_root = toeplitz(tuple(optimal_counting().noising_coef(10).tolist()))
    assert correlated_noise(setting, square_root, 10) == pytest.approx(4.565160815034691, rel=1e-9)
    bound = (1 - 0.75**20) ** 2
    for _, variance, ratio in intervals.budgets(setting).rows:
        assert variance >= bound * (1 - 1e-9) and ratio == pytest.approx((variance / 2.857114124042435) ** 0.5, rel=1e-6)


def test_the_cloud_shows_the_step_that_is_asked_for(chains):
    result = intervals.cloud(chains.expected, 0, 2, 7, chains)
    now = result.curve("replicates at this step")
    assert np.array_equal(now.x, chains.iterates[:, 0, 7, 0]) and np.array_equal(now.y, chains.iterates[:, 0, 7, 2])
    assert result.settings["shown_step"] == 7 and result.settings["second_coordinate"] == 3
    ellipse = result.curve("holds 95% of the replicates, exact")
    off = np.stack([ellipse.x, ellipse.y], axis=1) - chains.expected.law.mean(7)[[0, 2]]
    precision = np.linalg.inv(chains.expected.law.covariance(7)[np.ix_([0, 2], [0, 2])])
    assert np.einsum("ai,ij,aj->a", off, precision, off) == pytest.approx(-2 * np.log(0.05), rel=1e-6)
    labels = [[curve.label for curve in intervals.cloud(chains.expected, 0, 2, at, chains).curves] for at in intervals.shown_steps(chains.expected)]
    assert all(each == labels[0] for each in labels), "frames of one chart have the same traces"
    assert intervals.shown_steps(chains.expected)[0] == 0 and intervals.shown_steps(chains.expected)[-1] == 120


def test_the_interval_grows_into_that_of_the_whole_chain(chains, runs):
    for found in (chains, runs):
        grown = intervals.chain(found, 1, replicate=3).curve("interval so far")
        centre, half = found.intervals
        assert grown.y[-1] == pytest.approx(centre[3, 1]) and grown.high[-1] - grown.y[-1] == pytest.approx(half[3, 1])
        estimates = intervals.chain(found, 1, replicate=3).curve("estimates")
        assert len(estimates.x) == 10 and estimates.y.mean() == pytest.approx(centre[3, 1])


def test_hits_and_misses_are_counted(chains):
    result = intervals.caterpillar(chains, 0)
    hits = chains.hits(chains.expected.theta_hat)[:, 0]
    assert len(result.curve("covers least squares").x) == hits.sum() and len(result.curve("misses it").x) == (~hits).sum()
    assert result.verdict.startswith(f"{hits.sum()} of 30 intervals")
    covering = result.curve("covers least squares")
    assert (covering.low <= chains.expected.theta_hat[0]).all() and (covering.high >= chains.expected.theta_hat[0]).all()
    so_far = intervals.coverage_so_far(chains).curve("least squares")
    assert so_far.y[-1] == pytest.approx(chains.hits(chains.expected.theta_hat).mean())
    each = chains.hits(chains.expected.theta_hat).mean(axis=1)
    assert so_far.high[-1] - so_far.y[-1] == pytest.approx(min(each.std(ddof=1) / 30**0.5, 1 - so_far.y[-1]))


def test_the_verdict_says_what_was_measured_and_how_much_was_clipped(chains):
    said, share = intervals.coverage_verdict(chains), chains.share_clipped[1:].mean()
    mean = chains.hits(chains.expected.theta_hat).mean()
    assert said.startswith(f"Measured: {mean:.3f} +- ") and said.endswith(f"Of all gradients {share:.2g} were clipped.")
    assert 0 < share < 0.01 and chains.share_clipped[0] == 0
    assert intervals.coverage_verdict(run(replace(SMALL, clip_factor=40.0))).endswith("Not one gradient was clipped.")


def test_curves_against_steps_are_exact_and_hold_the_run(chains):
    coverage, width = (intervals.against_steps(chains.expected, what, chains) for what in ("coverage", "interval_width"))
    here = coverage.curve("batched means, exact")
    assert here.y[list(here.x).index(120)] == pytest.approx(chains.expected.of_theta_hat.coverage.mean(), abs=1e-12)
    assert coverage.curve("independent runs, exact").x.min() > 200
    assert width.curve("this run").y[0] == pytest.approx(2 * chains.intervals[1].mean())
    assert width.curve("OLS (not private)").y[0] == pytest.approx(2 * chains.expected.ols_half.mean())
    against = intervals.coverage_against_clipping(chains.expected, chains)
    assert np.all(np.diff(against.curve("share clipped, noise included").y[:5]) < 0)


def test_the_table_of_coefficients_names_and_bounds_each(chains):
    table = intervals.coefficients(chains)
    centre, half = chains.intervals
    assert [row[0] for row in table.rows] == ["x1", "x2", "x3"]
    assert table.rows[1][1:4] == pytest.approx((centre[0, 1], centre[0, 1] - half[0, 1], centre[0, 1] + half[0, 1]))
    assert table.rows[1][4] == pytest.approx(chains.expected.theta_hat[1])
    side = intervals.side_by_side(chains).curve("private (DP), for least squares")
    assert side.low[1] == pytest.approx(centre[0, 1] - half[0, 1] - chains.expected.theta_hat[1])


def test_a_table_of_one_feature_is_drawn_too():
    rows = "\n".join(f"{(i * 7) % 13},{(i * 5) % 11}" for i in range(200))
    *_, found = intervals.plan(replace(SMALL, design="own_table"), OwnTable(f"a,y\n{rows}".encode(), "y")).stream()
    assert intervals.cloud(found.expected, 0, 0, 120, found).curve("replicates at this step").x.size == 30
    assert intervals.coefficients(found).rows[0][0] == "a" and intervals.landmarks(found.expected).keys() == {"least squares (OLS)"}


def test_the_condition_is_told_line_by_line(chains):
    table = intervals.conditions(chains.expected)
    assert [row[0] for row in table.rows][:3] == ["(i)"] * 3 and {row[4] for row in table.rows} <= {"holds", "fails"}
    assert "lines fail" in table.caption


@pytest.mark.parametrize("key", intervals.presets())
def test_a_preset_shows_what_it_says(key):
    expected = intervals.expected(intervals.presets()[key].setting)
    coverage = expected.of_theta_hat_clipped.coverage
    low, high = {
        "good": (0.92, 0.95), "short": (0.85, 0.91), "bites": (0.5, 0.75), "outliers": (0.0, 0.4), "heavy": (0.8, 0.92),
        "schedule": (0.94, 0.96), "real": (0.5, 0.8),
    }[key]
    assert low < coverage.mean() < high
    if key == "real":
        named = dict(zip(expected.records.feature_names, coverage, strict=True))
        assert min(named[name] for name in ("age", "sex", "bmi", "bp")) > 0.9 and max(named[name] for name in ("s1", "s2", "s3", "s5")) < 0.6
    if key == "outliers":
        nearer = [np.linalg.norm(point - expected.theta_star) for point in (expected.huber, expected.theta_hat)]
        assert nearer[0] < nearer[1]


def test_the_panel_has_the_slopes_of_theory():
    first, second, third = intervals.panel(replace(SMALL, dim=5, rho=0.05))
    line = first.curve("even budget, exact")
    assert np.polyfit(np.log(line.x), np.log(line.y), 1)[0] == pytest.approx(-1, abs=0.03)
    points = first.curve("even budget")
    assert np.polyfit(np.log(points.x), np.log(points.y), 1)[0] == pytest.approx(-1, abs=0.1)
    sampling = first.curve("sampling: least squares to truth, exact")
    assert np.polyfit(np.log(sampling.x), np.log(sampling.y), 1)[0] == pytest.approx(-0.5, abs=0.03)
    geometric = first.curve("geometric budget, exact")
    assert geometric.y / line.y == pytest.approx(0.6, abs=0.02) and f"{geometric.y[-1] / line.y[-1]:.2f} times" in first.verdict
    assert second.curve("AdaSSP").y.min() > 0 and second.curve("DP-GD").y.max() < 2 * second.curve("DP-GD").y.min()
    assert third.curve("squared bias").y[0] > third.curve("squared bias").y[-1] and np.all(np.diff(third.curve("variance").y) > 0)
    with pytest.raises(ValueError, match="design='diabetes'"):
        next(intervals.panel(replace(SMALL, design="diabetes")))


def test_bands_of_the_panel_are_students_over_data_sets(monkeypatch):
    """Five runs on each of four data sets are four numbers, not twenty; to first order on the logarithm, as the axis is."""
    values = np.random.default_rng(3).exponential(size=20)
    monkeypatch.setattr(errors, "_DIMS", (5,))
    monkeypatch.setattr(errors, "_chains", lambda setting, records, *_: np.repeat(records.theta_hat, 5, axis=0)[None] + 5**-0.5 * values[:, None])
    found = intervals.error_against_dim(replace(SMALL, rho=0.05)).curve("DP-GD")
    means = values.reshape(4, 5).mean(axis=1)
    factor = np.exp(stats.t.ppf(0.975, 3) * stats.sem(means) / means.mean())
    assert (found.y[0], found.low[0], found.high[0]) == pytest.approx((means.mean(), means.mean() / factor, means.mean() * factor))


def test_pages_of_neighbouring_seeds_share_no_data_set():
    one, other = (errors._sampling_errors(replace(SMALL, seed=seed), 50) for seed in (0, 1))
    longer = errors._sampling_errors(SMALL, 51)
    assert len({*one, *other, *longer}) == 60
    assert np.array_equal(one, errors._sampling_errors(SMALL, 50))


def test_clipping_by_the_noise_alone_ends_the_theory_and_is_said():
    # settled without noise nothing is clipped, so a theory without clipping says .911; the noise clips nearly everything
    found = run(IntervalSetting(dim=100, n_samples=500, replicates=20, device="cpu"))
    expected, each = found.expected, found.hits(found.expected.theta_hat).mean(axis=1)
    assert expected.share_clipped == 0 and expected.noise_clipping.changed > 0.9 and found.share_clipped[-20:].mean() > 0.9
    assert expected.of_theta_hat_clipped.coverage.mean() == pytest.approx(0.911, abs=0.001) and each.mean() < 0.4
    said = intervals.headline(expected, found)
    assert said.how == "theory without clipping" and not said.holds and said.measured == f"{each.mean():.3f}"
    assert float(said.width) == pytest.approx(found.intervals[1].mean() / expected.ols_half.mean(), abs=0.01)
    assert intervals.headline(expected).width == "...", "what theory says of the width is wrong too"
    doubt = "Clipping by the noise itself: 94% of gradients, so the theory does not hold here."
    cloud = intervals.cloud(expected, 0, 1, 250, found)
    width = intervals.against_steps(expected, "interval_width", found)
    texts = (intervals.coverage_verdict(found), intervals.clipping_verdict(expected, found), intervals.what_each_covers(expected), cloud.caption, width.verdict)
    assert all(doubt in text for text in texts)
    assert all(text.startswith("Measured") for text in (texts[0], texts[1], texts[4]))
    labels = [curve.label for result in (cloud, intervals.coverage_so_far(found)) for curve in result.curves]
    assert not [words for words in (*labels, *texts) if "exact" in words or "not one gradient" in words.lower()]
    assert "settle in a Gaussian" not in cloud.title and "exact" not in " ".join(curve.label for curve in width.curves)
    assert intervals.coefficients(found).caption.split(".")[0].endswith("more"), "a hundred names are no sentence"
    assert "most of them in its first steps" not in intervals.conditions(expected).caption


def test_a_little_clipping_by_the_noise_is_not_exact_and_does_no_harm():
    expected = intervals.expected(IntervalSetting(rho=0.001))
    assert expected.noise_clipping.share == pytest.approx(0.0139, abs=0.0005)  # the run clips 0.0140 of its gradients
    said = intervals.headline(expected)
    assert said.how == "theory without clipping" and said.holds and said.width != "..."
    assert "the noise makes 0.014 of the gradients longer than the clip norm" in intervals.clipping_verdict(expected)
    assert [curve.label for curve in intervals.cloud(expected, 0, 1, 250).curves[:2]] == ["would hold 95% without clipping", "mean over time without clipping"]
    assert intervals.headline(intervals.expected(IntervalSetting())).how == "exact"
    a_few_clipped = intervals.expected(IntervalSetting(n_samples=200_000))
    assert 0 < a_few_clipped.share_clipped < 1e-4 and intervals.headline(a_few_clipped).how == "exact"


def test_where_the_noise_decides_about_clipping_a_linearisation_ends_too():
    expected = intervals.expected(intervals.presets()["real"].setting)
    assert expected.share_clipped > 0.1 and not intervals.headline(expected).holds
    assert "The noise itself decides about clipping: 24% of gradients, so the theory does not hold here." in intervals.clipping_verdict(expected)
    assert intervals.headline(intervals.expected(IntervalSetting(clip_factor=0.5))).holds


@pytest.mark.parametrize(("replicates", "words"), [(2, "error unknown: only 2 replicates"), (5, "error unknown: all 5 replicates alike")])
def test_no_error_is_made_up_from_too_few_replicates(replicates, words):
    found = run(replace(SMALL, replicates=replicates))
    if replicates == 5:  # whatever the run, all replicates cover everything
        found.__dict__["intervals"] = (found.intervals[0], np.full_like(found.intervals[1], 100.0))
    assert intervals.headline(found.expected, found).error == words
    assert f"({words}) of the intervals cover" in intervals.coverage_verdict(found)
    assert intervals.against_steps(found.expected, "coverage", found).curve("this run").low is None
    so_far = intervals.coverage_so_far(found).curve("least squares")
    assert np.isnan(so_far.low[: min(replicates, 4) - 1]).all()


def test_least_squares_huber_and_truth_are_drawn_alike_everywhere():
    found = run(replace(SMALL, clip_factor=0.5))
    results = (
        intervals.cloud(found.expected, 0, 1, 9, found), intervals.chain(found, 0), intervals.caterpillar(found, 0),
        intervals.coverage_so_far(found), intervals.side_by_side(found), intervals.coverage_against_clipping(found.expected, found),
    )
    looks = {}
    for result in results:
        for curve, stroke in zip(result.curves, strokes([curve.arm for curve in result.curves]), strict=True):
            looks.setdefault(curve.label.split(",")[0].removeprefix("this run: "), set()).add(stroke.colour)
    named = (["least squares (OLS)", "least squares"], ["what clipping estimates (Huber)", "what clipping estimates"], ["truth"])
    colours = [set().union(*(looks[label] for label in labels)) for labels in named]
    assert [len(each) for each in colours] == [1, 1, 1] and len(set().union(*colours)) == 3
