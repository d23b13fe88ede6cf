"""Which iterates make which estimate, and Student's interval over them."""

import numpy as np
import pytest
from scipy import stats

from core.intervals import CONSTRUCTIONS, grouping, student_factor, student_interval


def test_batched_means_are_means_of_stretches_after_the_burn_in():
    made = grouping("batched_means", 120, groups=10, burn_in=20)
    iterates = np.arange(1.0, 121.0).reshape(1, 120, 1)  # theta_t = t
    assert made.runs == 1 and made.run_steps == 120
    assert made.estimates(iterates)[:, 0] == pytest.approx([25.5 + 10 * k for k in range(10)])  # 21..30, 31..40, ...


def test_checkpoints_are_the_last_iterates_of_those_stretches():
    made = grouping("checkpoints", 120, groups=10, burn_in=20)
    assert made.estimates(np.arange(1.0, 121.0).reshape(1, 120, 1))[:, 0].tolist() == [30.0 + 10 * k for k in range(10)]


def test_an_independent_run_gives_the_mean_of_all_after_its_burn_in():
    made = grouping("independent_runs", 250, groups=10, burn_in=20)
    assert (made.runs, made.run_steps, made.groups) == (10, 25, 10)
    iterates = np.arange(1.0, 26.0) + 100 * np.arange(10)[:, None]
    assert made.estimates(iterates[..., None])[:, 0] == pytest.approx([23.0 + 100 * run for run in range(10)])  # mean of 21..25


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_weights_sum_to_one_and_keep_out_of_the_burn_in(construction):
    made = grouping(construction, 263, groups=7, burn_in=20)
    assert made.weights.sum(axis=1) == pytest.approx(1)
    assert not made.weights[:, :20].any() and made.weights[-1, -1] > 0
    assert ((made.weights > 0).sum(axis=0) <= 1).all()
    assert made.groups == 7 and made.runs * made.run_steps <= 263


def test_leading_axes_are_kept():
    rng = np.random.default_rng(1)
    iterates = rng.normal(size=(3, 5, 25, 2))
    made = grouping("independent_runs", 125, groups=5)
    found = made.estimates(iterates)
    assert found.shape == (3, 5, 2)
    assert found[2, 4] == pytest.approx(iterates[2, 4, 20:].mean(axis=0))


def test_the_interval_is_students():
    estimates = np.random.default_rng(3).normal(size=(10, 2))
    centre, half = student_interval(estimates, level=0.9)
    for column in range(2):
        values = estimates[:, column]
        low, high = stats.t.interval(0.9, 9, values.mean(), stats.sem(values))
        assert (centre[column] - half[column], centre[column] + half[column]) == pytest.approx((low, high), rel=1e-12)


def test_student_quantile_of_the_paper():
    # t_{.975, 9} = 2.262157162798205
    half = student_interval(np.array([[-1.0]] * 5 + [[1.0]] * 5))[1][0]
    assert half == pytest.approx(2.262157162798205 * (10 / 9) ** 0.5 / 10**0.5, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("means", 500), "construction='means', expected one of"),
        (("batched_means", 29), "steps=29, expected at least 30"),
        (("checkpoints", 25), "steps=25, expected at least 30"),
        (("independent_runs", 200), "steps=200, expected more than 200"),
        (("batched_means", 500, 1), "groups=1, expected a whole number >= 2"),
        (("batched_means", 500, 10, -1), "burn_in=-1"),
    ],
)
def test_what_cannot_be_grouped_is_said(arguments, words):
    with pytest.raises(ValueError, match=words):
        grouping(*arguments)


def test_one_estimate_has_no_spread():
    with pytest.raises(ValueError, match="estimates=1, expected at least 2"):
        student_interval(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="level=1.0"):
        student_interval(np.zeros((3, 3)), level=1.0)
    with pytest.raises(ValueError, match=r"shape of estimates=\(2,\), expected \(\.\.\., estimates, coefficients\)"):
        student_interval([1.0, 2.0])


@pytest.mark.parametrize("groups", [2.5, True, 0, 1, -3, "4", float("nan")])
def test_a_factor_is_of_two_groups_or_more(groups):
    with pytest.raises(ValueError, match=f"^groups={groups!r}, expected a whole number >= 2"):
        student_factor(groups)
