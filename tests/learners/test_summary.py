"""From snapshots to curves with bands that are named for what they are."""

import numpy as np
import pytest
from scipy import stats

from core import mechanisms
from core.learners import Arm, Snapshot
from core.learners.summary import bands, curves, looks

ARMS = (
    Arm("DP-SGD", mechanisms.independent(), 1.0, 0.1),
    Arm("nu", mechanisms.nu_ftrl(0.1), 1.0, 0.1),
    Arm("plain", mechanisms.independent(), 0.0, 0.1),
)


def snapshots(values, measure="excess_risk", status=""):
    return [Snapshot(10 * k, None, {measure: np.asarray(value, dtype=float)}, status) for k, value in enumerate(values)]


def risks(replicates=12, steps=4):
    return np.random.default_rng(0).exponential(size=(steps, 3, replicates))


def test_curves_are_means_over_replicates_on_glossary_axes():
    values = risks()
    result = curves(snapshots(values), ARMS, "excess_risk")
    assert [curve.label for curve in result.curves] == ["DP-SGD", "nu", "plain"]
    assert [curve.arm for curve in result.curves] == ["independent", "nu_ftrl", "none"]
    assert result.x_name == "step" and result.y_name == "excess_risk" and result.status == ""
    for index, curve in enumerate(result.curves):
        assert curve.x.tolist() == [0, 10, 20, 30] and not curve.exact
        np.testing.assert_allclose(curve.y, values[:, index].mean(axis=-1))


def test_arms_of_one_kind_are_told_apart_by_their_labels():
    arms = (
        Arm("a", mechanisms.lambda_cgd(0.2), 1.0, 0.1), Arm("b", mechanisms.lambda_cgd(0.3), 1.0, 0.1),
        Arm("c", mechanisms.independent(), 1.0, 0.1), Arm("d", mechanisms.independent(), 0.0, 0.1),
    )  # fmt: skip
    assert looks(arms) == ["a", "b", "independent", "none"]


def test_band_on_a_linear_axis_is_the_t_interval_of_the_mean():
    values = risks()
    result = curves(snapshots(values, "share_clipped"), ARMS, "share_clipped")
    low, high = stats.t.interval(0.95, 11, loc=values.mean(-1), scale=stats.sem(values, axis=-1))
    for index, curve in enumerate(result.curves):
        np.testing.assert_allclose(curve.low, low[:, index])
        np.testing.assert_allclose(curve.high, high[:, index])
    assert result.band == "95% confidence interval of the mean of 12 replicates (Student t)"


def test_band_on_a_log_axis_is_the_t_interval_of_the_log_mean_and_stays_positive():
    values = risks() ** 6  # so skewed that the plain interval goes below zero
    plain_low, _ = stats.t.interval(0.95, 11, loc=values.mean(-1), scale=stats.sem(values, axis=-1))
    assert plain_low.min() < 0
    result = curves(snapshots(values), ARMS, "excess_risk")
    half = stats.t.ppf(0.975, 11) * stats.sem(values, axis=-1) / values.mean(-1)
    for index, curve in enumerate(result.curves):
        assert np.all(curve.low > 0)
        np.testing.assert_allclose(np.log(curve.low), np.log(curve.y) - half[:, index])
        np.testing.assert_allclose(np.log(curve.high), np.log(curve.y) + half[:, index])
    assert "of the log of the mean" in result.band and "12 replicates" in result.band


def test_samples_of_several_sizes_have_a_band_each():
    samples = [np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.5, 1.5, 2.0])]
    for each, mean, low, high in zip(samples, *bands(samples), strict=True):
        assert mean == pytest.approx(each.mean())
        assert (low, high) == pytest.approx(stats.t.interval(0.95, each.size - 1, loc=each.mean(), scale=stats.sem(each)))


def test_bands_cover_the_true_mean_as_often_as_they_say():
    trials = 4000
    # as skewed as an excess risk in 16 dimensions
    values = np.random.default_rng(1).chisquare(16, size=(1, trials, 10))
    arms = [Arm(str(k), mechanisms.independent(), 1.0, 0.1) for k in range(trials)]
    covered = [curve.low[0] <= 16 <= curve.high[0] for curve in curves(snapshots(values), arms, "excess_risk").curves]
    assert abs(np.mean(covered) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / trials)


def test_equal_replicates_have_a_band_of_no_width_even_at_zero():
    result = curves(snapshots([np.zeros((3, 5)), np.ones((3, 5))]), ARMS, "excess_risk")
    for curve in result.curves:
        assert curve.low.tolist() == curve.y.tolist() == curve.high.tolist() == [0.0, 1.0]


def test_a_diverged_replicate_makes_mean_and_band_infinite_and_is_named():
    values = risks()
    values[2:, 1, 4] = np.inf
    result = curves(snapshots(values[:3]) + snapshots(values, status="nu diverged.")[3:], ARMS, "excess_risk")
    for array in (result.curves[1].y, result.curves[1].low, result.curves[1].high):
        assert np.isfinite(array[:2]).all() and np.isposinf(array[2:]).all()
    assert np.isfinite(result.curves[0].y).all() and result.status == "nu diverged."


def test_one_replicate_has_no_band():
    result = curves(snapshots(risks(replicates=1)), ARMS, "excess_risk")
    assert result.band == "" and all(curve.low is None for curve in result.curves)


def test_snapshots_without_the_measure_are_left_out_and_an_unknown_measure_is_refused():
    mixed = snapshots(risks()[:1]) + [Snapshot(20, None, {"share_clipped": np.zeros((3, 12))})]
    assert curves(mixed, ARMS, "share_clipped").curves[0].x.tolist() == [20]
    with pytest.raises(ValueError, match=r"measure='train_loss', expected one of \['excess_risk', 'share_clipped'\]"):
        curves(mixed, ARMS, "train_loss")
