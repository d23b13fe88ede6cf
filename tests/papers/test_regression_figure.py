"""Figure 2 of 2310.06771. Reference slopes computed independently by quadrature over frequency on the same grids."""

import numpy as np
import pytest

from core.figures import chart
from core.papers.correlated_noise import (
    figure2,
    figure2_dim,
    figure2_effective_dim,
    figure2_learning_rate,
    figure2_slopes,
    panels,
    regression,
)
from core.theory import quadratic

SLOPES = {
    ("dim", "independent"): (1.009, 0.999),
    ("dim", "nu_ftrl"): (0.404, 0.394),
    ("effective_dim", "independent"): (0.177, 0.001),
    ("effective_dim", "nu_ftrl"): (0.948, 0.773),
    ("learning_rate", "independent"): (1.254, 1.001),
    ("learning_rate", "nu_ftrl"): (2.019, 1.761),
}


@pytest.fixture(scope="module")
def runs():
    """What the quick fidelity simulates: once for all tests here, and the long part of this file."""
    *_, (fraction, last) = panels.simulate(tuple(panels.PANELS), "quick", 0)
    assert fraction == 1
    return last


@pytest.fixture
def short_runs(monkeypatch):
    monkeypatch.setitem(panels.EFFORT, "quick", panels.Effort(replicates=panels.GROUP, relaxations=0.05, shortest=4))


@pytest.fixture
def finished(monkeypatch, runs):
    """The quick fidelity, already simulated."""
    monkeypatch.setattr(regression, "simulate", lambda panels, fidelity, seed: iter([(1.0, runs)]))


@pytest.mark.parametrize("line", SLOPES, ids=" ".join)
def test_slopes_are_the_reference_slopes(line):
    single, infinite = SLOPES[line]
    assert panels.exact_slope(*line) == pytest.approx(single, abs=1e-3)
    assert panels.exact_slope(*line, panels.INFINITE_BATCH) == pytest.approx(infinite, abs=1e-3)


def test_slopes_to_all_digits():
    assert panels.exact_slope("effective_dim", "independent") == pytest.approx(0.17650091945582408, rel=1e-9)
    assert panels.exact("dim", "independent")[-1] == pytest.approx(0.33879303279957695, rel=1e-9)


@pytest.mark.parametrize("line", regression.PRINTED, ids=" ".join)
def test_slopes_are_near_the_printed_ones(line):
    assert abs(panels.exact_slope(*line) - regression.PRINTED[line]) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("line", SLOPES, ids=" ".join)
def test_simulation_is_inside_four_standard_errors_of_theory(line, runs):
    panel, arm = line
    slope, error = panels.simulated_slope(panel, arm, runs[panel])
    assert abs(slope - panels.exact_slope(panel, arm)) < 4 * error
    assert error < 0.05, "enough runs to tell slopes apart"
    column = list(panels.ARMS).index(arm)
    risks = np.array([point[:, column] for point in runs[panel]])  # (points, replicates)
    ratios = risks / panels.exact(panel, arm)[:, None]
    error = np.linalg.norm(ratios.std(axis=1, ddof=1)) / np.sqrt(risks.shape[1]) / len(ratios)
    assert error < 0.025, "a factor of 1.1 would be seen"
    assert abs(ratios.mean() - 1) < 4 * error


def test_a_panel_alone_has_the_points_of_all_together_and_a_seed_decides_them(short_runs):
    alone = figure2_dim().curve("Noisy-SGD, simulated").y
    together = figure2().curve("dimension, Noisy-SGD, simulated").y
    np.testing.assert_allclose(together, alone / panels.exact("dim", "independent")[0], rtol=1e-12)
    assert figure2_dim().to_csv() == figure2_dim().to_csv() != figure2_dim(seed=1).to_csv()


def test_points_arrive_one_after_the_other_beside_whole_lines(short_runs):
    *partial, last = [result for _, result in figure2_effective_dim.stream()]
    assert [len(result.curve("nu-Noisy-FTRL, simulated").x) for result in partial] == [1, 2, 3]
    assert all(len(result.curve("nu-Noisy-FTRL, exact").x) == 4 and result.verdict == "" for result in partial)
    assert "(Noisy-SGD by effective dimension printed 0.18, exact 0.177, simulated " in last.verdict


def test_full_fidelity_refines_each_point(monkeypatch):
    monkeypatch.setitem(panels.EFFORT, "full", panels.Effort(replicates=2 * panels.GROUP, relaxations=0.05, shortest=4))
    fractions, results = zip(*figure2_dim.stream("full"), strict=True)
    assert [len(result.curve("Noisy-SGD, simulated").x) for result in results] == [1, 1, 2, 2, 3, 3, 4, 4]
    assert fractions[-1] == 1 and list(fractions) == sorted(fractions)
    assert [bool(result.verdict) for result in results] == [False] * 7 + [True]
    assert "of 16 runs" in results[-1].band


@pytest.mark.parametrize("line", SLOPES, ids=" ".join)
def test_what_is_left_of_the_start_hardly_moves_a_slope(line):
    left, arm = [], line[1]
    for point in panels.PANELS[line[0]]:
        steps = panels.EFFORT["quick"].steps(point)
        coef = point.mechanism(arm).noising_coef(steps)
        curve = quadratic.excess_risk_curve(point.eigenvalues, point.learning_rate, steps, coef, point.noise_std(arm))
        left.append(curve[3 * steps // 4 + 1 :].mean())
    left = np.array(left) / panels.exact(*line)
    assert np.all((left > 0.99) & (left < 1))
    x = np.log(panels.xs(line[0]))
    assert abs(np.polyfit(x, np.log(left), 1)[0]) < 0.005


@pytest.mark.slow
def test_growth_starts_at_one_and_pairs_lines_with_points(finished):
    result = figure2()
    labels = [curve.label for curve in result.curves]
    assert labels[6:] == [f"{label}, simulated" for label in labels[:6]]
    for curve in result.curves[:6]:
        assert curve.y[curve.x.argmin()] == 1 and curve.x.min() == 1
        slope = np.polyfit(np.log(curve.x), np.log(curve.y), 1)[0]
        assert min(abs(slope - single) for single, _ in SLOPES.values()) < 1e-3
    assert result.verdict.startswith("Matches the paper: 5 of 5 slopes agree")


def test_table_has_printed_exact_simulated_and_infinite_batch(short_runs):
    first, *_, last = [table for _, table in figure2_slopes.stream()]
    assert first.rows[0] == ("dimension", "Noisy-SGD", 1.0, 1.0087, None, None, 0.9992)
    assert [row[2] for row in last.rows] == [1.0, None, 0.18, 0.94, 1.27, 2.03]
    assert all(None not in row[3:] for row in last.rows)
    assert list(chart(last).data[0].cells.values[2]) == [1.0, "", 0.18, 0.94, 1.27, 2.03], "what is missing stays blank"


def test_sampling_steepens_both_lines_of_a_panel_by_nearly_the_same():
    for panel in ("effective_dim", "learning_rate"):
        slopes = [(panels.exact_slope(panel, arm), panels.exact_slope(panel, arm, 10**12)) for arm in panels.ARMS]
        added = [single - infinite for single, infinite in slopes]
        assert added[0] == pytest.approx(added[1], abs=0.01) and added[0] > 0.15


@pytest.mark.slow
def test_a_simulation_far_from_theory_is_told(finished, runs, monkeypatch):
    off = [point * factor for point, factor in zip(runs["dim"], (1, 2, 4, 8), strict=True)]
    monkeypatch.setattr(regression, "simulate", lambda panels, fidelity, seed: iter([(1.0, runs | {"dim": off})]))
    assert figure2_dim().verdict.startswith("Does not match the paper: 0 of 1 slopes agree")


@pytest.mark.slow
def test_a_slope_that_is_far_from_the_printed_one_is_told(finished, monkeypatch):
    monkeypatch.setitem(regression.PRINTED, ("learning_rate", "independent"), 1.5)
    verdict = figure2_learning_rate().verdict
    assert verdict.startswith("Does not match the paper: 1 of 2 slopes agree")
    assert "printed 1.50, exact 1.254" in verdict
