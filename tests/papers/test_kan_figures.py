"""The figures of 2605.12648 on our data: pairing, tuning on one half, verdicts from numbers. Tiny settings, spectral bound."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from core import amplification
from core.papers import kan
from core.papers.kan import accountants, correlation, runs, scaling, tuned
from core.papers.kan.runs import Effort, Gap, Scores

WHOLE, GRIDS = dict(runs.EFFORT), dict(tuned.GRIDS)
TINY = Effort(3, 400, 10, 4, (0.0, 0.5, 0.9), (1.0, 4.0), "spectral")


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    for fidelity in ("quick", "full"):
        monkeypatch.setitem(runs.EFFORT, fidelity, TINY)
        monkeypatch.setitem(tuned.GRIDS, fidelity, tuned.Grid(TINY, (4.0, 16.0), (0.25, 0.5)))
        monkeypatch.setitem(scaling.RECORDS, fidelity, (200, 400))
        monkeypatch.setitem(scaling.WIDTHS, fidelity, (2, 8))


def test_a_record_joins_two_steps_on_average_at_every_effort():
    for effort in (TINY, *WHOLE.values()):
        assert effort.batch_size * effort.steps / effort.n_samples == pytest.approx(2, rel=0.05)


def test_arms_of_one_data_set_are_paired_and_data_sets_differ():
    arms = [runs.arm("a", 0.5, 1.0), runs.arm("b", 0.5, 1.0), runs.arm("c", 0.0, 0.0)]
    *_, (fraction, scores) = runs.simulate(arms, TINY, 0)
    assert fraction == 1 and scores.loss.shape == (3, 3)
    np.testing.assert_allclose(scores.loss[:, 0], scores.loss[:, 1], rtol=1e-12)
    assert len(set(scores.loss[:, 0])) == 3
    *_, (_, again) = runs.simulate(arms, TINY, 0)
    np.testing.assert_array_equal(scores.loss, again.loss)
    *_, (_, other) = runs.simulate(arms, TINY, 1)
    assert not np.any(scores.loss == other.loss)


def test_scores_are_those_of_the_records_given():
    data = runs.draw(400, 3)
    problem, theta = runs.train([runs.arm("a", 0.0, 0.0)], data, TINY, 3)
    scores = runs.measure(problem, theta, *data.test)
    import torch

    f = problem.predict(theta, torch.as_tensor(data.test_features))[0, 0].double().numpy()
    assert scores.accuracy[0] == np.mean(np.sign(f) == data.test_labels)
    assert scores.loss[0] == pytest.approx(np.mean(np.log1p(np.exp(-f * data.test_labels))))


def test_a_gap_is_the_paired_t_interval():
    differences = np.array([0.01, 0.03, 0.02, 0.05])
    one = Gap.of(differences)
    low, high = stats.t.interval(0.9, 3, loc=differences.mean(), scale=stats.sem(differences))
    assert one.half(0.9) == pytest.approx((high - low) / 2) and one.mean == pytest.approx(0.0275)
    assert one.exceeds(0.9) == (low > 0) and not Gap.of(-differences).exceeds()
    assert Gap.of(np.array([0.3])).error == 0


def test_figure1_has_a_point_a_lambda_and_epsilon_with_bars_from_the_second_data_set_on():
    first, second, last = [result for _, result in kan.figure1.stream()]
    assert first.curves[0].low is None and second.curves[0].low is not None and not second.verdict and last.verdict
    assert [curve.label for curve in last.curves] == ["epsilon 1", "epsilon 4", "no noise (not private)"]
    assert last.curve("epsilon 1").x.tolist() == [0.0, 0.5, 0.9]
    assert last.curve("epsilon 1").low[0] == last.curve("epsilon 1").y[0]


def test_the_table_holds_what_the_figure_shows_and_every_noise_multiplier():
    figure, table = kan.figure1(), kan.figure1_table()
    assert len(table.rows) == 2 * 3 + 2
    for row in table.rows[:6]:
        at = list(TINY.correlations).index(row[2])
        assert row[4] == pytest.approx(figure.curve(f"epsilon {row[1]:g}").y[at], abs=1e-5)
        rate = TINY.batch_size / TINY.n_samples
        asked = amplification.calibrate(row[2], rate, TINY.steps, row[1], runs.DELTA, method="spectral")
        assert row[0] == "spectral" and row[3] == pytest.approx(asked, abs=1e-4)
        assert (row[5] is None) == (row[2] == 0)
        if row[5] is not None:
            assert row[7] == pytest.approx(row[5] / row[6], rel=0.1, abs=0.1)
    at_one = round(amplification.closed_form(0.75, TINY.batch_size / TINY.n_samples, TINY.steps, 1.0, runs.DELTA), 4)
    assert [row[:4] for row in table.rows[6:]] == [("closed form", 1.0, 0.75, at_one), ("closed form", 4.0, 0.75, "not applicable")]
    assert "not applicable at epsilon 4 (epsilon=4.0, expected <= 1" in table.caption


def made_up(gains_first, gains_last, seeds=6):
    """Accuracies (data sets, arms) of TINY with these gains over lambda 0 at the first and the last epsilon."""
    base = np.random.default_rng(0).normal(0.8, 0.05, (seeds, 1))
    jitter = np.random.default_rng(1).normal(0, 1e-4, (seeds, 7))
    return base + np.array([*gains_first, *gains_last, 0.1]) + jitter


@pytest.mark.parametrize(
    "first, last, start, words",
    [
        ((0, 0.02, -0.1), (0, 0.04, -0.1), "Matches", "the gain grows with epsilon"),
        ((0, 0.04, -0.1), (0, 0.02, -0.1), "Does not match", "the gain shrinks with epsilon"),
        ((0, -0.02, -0.1), (0, 0.02, -0.1), "Does not match", "helps at 1 of 2 values of epsilon; it falls again towards 1 at 2 of 2"),
        ((0, 0.02, 0.03), (0, 0.04, 0.05), "Does not match", "helps at 2 of 2 values of epsilon; it falls again towards 1 at 0 of 2"),
    ],
)
def test_the_verdict_of_figure1_follows_the_numbers(first, last, start, words):
    accuracy = made_up(first, last)
    said = correlation._verdict(TINY, Scores(accuracy, accuracy))
    assert said.startswith(f"{start} the paper: ") and words in said


def test_a_trend_needs_more_than_chance():
    noise = np.array([-0.03, 0.01, 0.02])
    assert runs.trend(np.zeros(3), noise) == (False, "does not change with epsilon beyond chance")
    assert runs.trend(np.zeros(3), 1 + noise)[0] and runs.trend(1 + noise, np.zeros(3)) == (False, "shrinks with epsilon")


def test_noise_grows_as_the_formula_says():
    result = kan.figure1_noise()
    rate = TINY.batch_size / TINY.n_samples
    for at in TINY.correlations:
        kappa = amplification.calibrate(at, rate, TINY.steps, 1.0, runs.DELTA)
        exact = result.curve(f"lambda {at:g}, exact")
        np.testing.assert_allclose(exact.y, kappa * np.sqrt(320 * (1 + (1 - at) ** 2 * (exact.x - 1))))
        path = result.curve(f"lambda {at:g}")
        np.testing.assert_allclose(path.y, exact.y[path.x.astype(int) - 1], rtol=4 / np.sqrt(2 * 320))
    assert result.verdict.startswith("Matches the paper: lambda 0.5 starts at ")


def test_tuning_reports_on_the_half_that_chose_nothing():
    """Scores that are noise: the half that chose looks better than chance, the half that reports does not."""
    source = np.random.default_rng(0)
    chosen, reported = source.normal(size=(2, 4000, 1, 3, 5))
    own, best, picks = tuned.tune(chosen, reported)
    assert own.shape == (4000, 1, 3) and best.shape == (4000, 1) and picks.shape == (4000, 1, 3)
    assert abs(own.mean()) < 4 / 12_000**0.5 and abs(best.mean()) < 4 / 4000**0.5
    assert chosen.max(axis=-1).mean() > 1
    own, best, _ = tuned.tune(chosen, chosen)
    np.testing.assert_array_equal(best, chosen.max(axis=(-1, -2)))


def test_the_tuned_figure_says_what_tuning_leaves():
    first, *_, last = [result for _, result in kan.figure1_tuned.stream()]
    assert first.curves[0].low is None and last.curves[0].low is not None
    assert "all tuned, accuracy over tuned DP-SGD is" in last.verdict and "100% of the settings picked lie at an edge" in last.verdict
    assert last.settings["clip_norm"] == (0.25, 0.5)


def test_what_privacy_adds_is_measured_against_the_bounds_rate():
    x = [1000, 2000, 4000]
    noise = np.random.default_rng(0).normal(0, 1e-3, (3, 8, 1))

    def losses(power):
        return [0.3 + jitter + np.array([[100 * n**power, 50 * n**power, 0.0]]) * (1 + jitter) for n, jitter in zip(x, noise, strict=True)]

    assert scaling._rate_verdict(x, losses(-1.0)).startswith("Matches the paper: lambda 0: DP-SGD: what privacy adds falls like n^(-1.00")
    assert scaling._rate_verdict(x, losses(-0.5)).startswith("Does not match")
    assert "adds nothing" in scaling._rate_verdict(x, [np.full((8, 3), 0.3)] * 3)


def test_width_is_judged_by_what_privacy_adds():
    base = 0.3 + np.random.default_rng(0).normal(0, 1e-3, (8, 1))
    narrow, wide = base + [[0.02, 0.01, 0.0]], base + [[0.06, 0.03, 0.0]] + np.random.default_rng(1).normal(0, 1e-3, (8, 3))
    assert scaling._width_verdict([4, 64], [narrow, wide]).startswith("Matches the paper: what privacy adds to DP-SGD's loss is 0.0200 at width 4")
    assert scaling._width_verdict([4, 64], [wide, narrow]).startswith("Does not match")


def test_both_scalings_have_a_point_a_size():
    assert [curve.x.tolist() for curve in kan.risk_n().curves] == [[150.0, 300.0]] * 3
    assert [curve.x.tolist() for curve in kan.risk_width().curves] == [[2.0, 8.0]] * 3


@pytest.mark.slow
def test_accountants_stand_in_order_and_the_closed_form_buys_no_amplification(monkeypatch):
    monkeypatch.setitem(accountants.GRIDS, "quick", {"tight": (0.5,), "fast": (0.0, 0.5)})
    result = kan.kappa_accountants()
    at = {curve.label: dict(zip(curve.x.tolist(), curve.y.tolist(), strict=True))[0.5] for curve in result.curves}
    assert at[accountants.TIGHT] <= at[accountants.SPECTRAL] < at[accountants.COUNTED] < at[accountants.CLOSED]
    assert result.verdict.startswith("Does not match the paper: for lambda > 0 the closed form asks for at least")


@pytest.mark.slow
def test_at_the_sweet_spot_lambda_helps_under_the_tight_accountant(monkeypatch):
    """One setting for all, epsilon 1, width 64: the loss at lambda 0.75 is below DP-SGD's by more than 4 standard errors."""
    effort = Effort(4, 24_000, 300, 64, (0.0, 0.75), (1.0,), "tight")
    arms = correlation._arms(effort, ("tight",))
    *_, (_, scores) = runs.simulate(arms, effort, 0)
    one = runs.gap(scores.loss, 1, 0)
    assert one.mean < -4 * one.error


@pytest.mark.parametrize("fidelity", ["quick", "full"])
def test_a_fidelity_costs_what_its_words_say(fidelity):
    effort = WHOLE[fidelity]
    assert runs.WORDS[fidelity].startswith(
        f"{effort.seeds} data sets of {effort.records:,} records, width {effort.width}, {effort.steps} steps, "
        f"{len(effort.correlations)} lambdas, epsilon "
    )
    assert effort.accountant == "tight" and effort.n_samples == 18_000


def committed(figure):
    """Settings and rows of a full computation that is kept beside the code: `--fidelity full --out assets/results`."""
    lines = (Path(__file__).parents[2] / "assets" / "results" / f"kan_{figure}.csv").read_text().splitlines()
    settings = dict(line[2:].split(": ", 1) for line in lines if line.startswith("#"))
    return settings, list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize("figure", ["figure1_table", "figure1_tuned"])
def test_committed_results_are_those_of_the_full_fidelity(figure):
    settings, _ = committed(figure)
    effort = WHOLE["full"] if figure == "figure1_table" else GRIDS["full"].effort
    ours = runs.settings(figure, "full", 0, effort)
    if figure == "figure1_tuned":
        ours |= {"learning_rate": GRIDS["full"].learning_rates, "clip_norm": GRIDS["full"].clip_norms}
    assert {key: settings[key] for key in ours} == {key: str(value) for key, value in ours.items()}


def test_in_the_committed_table_lambda_wins_clearly_under_the_tight_accountant_alone():
    """At epsilon 1, one setting for all: lambda .75 beats lambda 0 by more than 10 paired standard errors, in both measures."""
    settings, rows = committed("figure1_table")
    found = {(row["accountant"], row["epsilon"], row["lambda"]): row for row in rows}
    tight, spectral = found["tight", "1.0", "0.75"], found["spectral", "1.0", "0.75"]
    assert float(tight["accuracy gap in errors"]) > 10 and float(tight["loss gap in errors"]) < -10
    assert float(spectral["accuracy over lambda 0"]) < 0 < float(spectral["loss over lambda 0"])
    assert float(tight["noise multiplier"]) < 0.7 * float(spectral["noise multiplier"])
    assert found["closed form", "1.0", "0.75"]["noise multiplier"] == "not applicable"
    assert int(settings["data_sets"]) >= 10


def test_in_the_committed_tuned_figure_the_gain_is_smaller_and_fades():
    _, rows = committed("figure1_tuned")
    at = {(row["curve"], float(row["correlation"])): row for row in rows}
    gains = []
    for epsilon in ("1", "8"):
        base = float(at[f"epsilon {epsilon}", 0.0]["test_accuracy"])
        gains.append({place: float(at[f"epsilon {epsilon}", place]["test_accuracy"]) - base for place in (0.25, 0.5, 0.75)})
    assert float(at["epsilon 1", 0.5]["low"]) > float(at["epsilon 1", 0.0]["test_accuracy"])
    assert 0.003 < max(gains[0].values()) < 0.0146 and max(gains[1].values()) < 0.002
