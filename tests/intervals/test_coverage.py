"""Exact coverage against independent numbers, against limits and against simulation."""

import numpy as np
import pytest

from core.intervals import CONSTRUCTIONS, best_batch_length, exact_coverage, grouping, student_coverage, student_interval

# Coverage at eigenvalue 1, 10 groups, burn-in 20, no initial error: computed independently by Imhof's integral with adaptive
# quadrature on the dense covariance of the estimates.
IMHOF = [
    ("batched_means", 0.25, 120, 0.9003727264768924),
    ("batched_means", 0.25, 500, 0.9427149463599647),
    ("batched_means", 0.5, 500, 0.9473345392197164),
    ("checkpoints", 0.25, 120, 0.938645741148024),
    ("checkpoints", 0.25, 500, 0.9499998138724124),
    ("independent_runs", 0.25, 500, 0.95),
]


@pytest.mark.parametrize(("construction", "learning_rate", "steps", "coverage"), IMHOF)
def test_independent_numbers(construction, learning_rate, steps, coverage):
    assert exact_coverage(construction, 1.0, learning_rate, steps)[0] == pytest.approx(coverage, abs=1e-9)


def test_widths_of_the_papers_setting():
    # p = 10, gamma = 5 sqrt(p), rho = .015, n = 10^4, mT = 500: batched .079, checkpoints .213-.215, independent .098
    noise = (2 * 500 * 250 / (0.015 * 10_000**2)) ** 0.5
    widths = [noise * exact_coverage(construction, 1.0, 0.25, 500)[1] for construction in CONSTRUCTIONS]
    assert widths == pytest.approx([0.0787, 0.2147, 0.0976], abs=1e-4)


def test_the_width_of_long_batches():
    # n times the limit of the mean width of batched means, steps -> infinity: 803.438935923504 at m = 10
    steps = 20_000
    noise_times_n = (2 * steps * 250 / 0.015) ** 0.5
    # the variance of a batch mean is (noise / s)^2 / length in the limit: its finite-length part falls like 1/length
    width = exact_coverage("batched_means", 1.0, 0.25, steps, burn_in=0)[1]
    assert width * noise_times_n == pytest.approx(803.438935923504, rel=4e-3)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
@pytest.mark.parametrize("steps", [120, 250, 500, 1000])
@pytest.mark.parametrize("initial_error", [0.0, 40.0])
def test_simulated_coverage(construction, steps, initial_error):
    if construction == "independent_runs" and steps <= 200:
        with pytest.raises(ValueError, match="more than 200"):
            exact_coverage(construction, 1.0, 0.25, steps)
        return
    made, replicates = grouping(construction, steps), 6000 // (steps // 120)
    rng = np.random.default_rng(steps)
    iterates, here = np.empty((replicates, made.runs, made.run_steps, 1)), np.full((replicates, made.runs), initial_error)
    for step in range(made.run_steps):
        here = 0.75 * here + 0.25 * rng.normal(size=here.shape)
        iterates[:, :, step, 0] = here
    centre, half = student_interval(made.estimates(iterates))
    covered, widths = np.abs(centre) <= half, 2 * half
    coverage, width = exact_coverage(construction, 1.0, 0.25, steps, initial_error=initial_error)
    assert abs(covered.mean() - coverage) < 4 * (coverage * (1 - coverage) / replicates) ** 0.5
    assert abs(widths.mean() - width) < 4 * widths.std() / replicates**0.5


def test_independent_runs_cover_at_their_level_and_a_wrong_start_costs():
    for level in (0.8, 0.95, 0.99):
        assert exact_coverage("independent_runs", 0.7, 0.4, 300, groups=6, level=level)[0] == pytest.approx(level, abs=1e-10)
    assert exact_coverage("independent_runs", 1.0, 0.25, 250, initial_error=40.0)[0] < 0.93


def test_only_the_product_of_rate_and_eigenvalue_matters():
    for construction in CONSTRUCTIONS:
        covered, width = exact_coverage(construction, 2.0, 0.2, 400, groups=7)
        other, wider = exact_coverage(construction, 0.5, 0.8, 400, groups=7)
        assert covered == pytest.approx(other, abs=1e-10) and wider == pytest.approx(4 * width, rel=1e-9)


def test_a_learning_rate_of_one_over_the_eigenvalue_forgets_at_once():
    assert exact_coverage("checkpoints", 1.0, 1.0, 30)[0] == pytest.approx(0.95, abs=1e-10)
    assert exact_coverage("batched_means", 1.0, 1.0, 30)[0] == pytest.approx(0.95, abs=1e-10)


def test_alternating_iterates_make_batched_means_cover_too_often():
    assert exact_coverage("batched_means", 1.0, 1.7, 120)[0] > 0.96


def test_any_target_and_any_law():
    covariance = np.diag([1.0, 2.0, 3.0])
    shifted, width = student_coverage(np.full(3, 1.0), covariance)
    centred, same = student_coverage(np.zeros(3), covariance)
    assert shifted < centred and width == pytest.approx(same, rel=1e-9)


def test_batches_need_about_fifteen_relaxation_times():
    for learning_rate, least, most in ((0.1, 172, 172), (0.25, 63, 63), (0.5, 25, 25)):
        lengths = range(least - 1, most + 1)
        found = [exact_coverage("batched_means", 1.0, learning_rate, 20 + 10 * length)[0] >= 0.9445 for length in lengths]
        assert found == [False, True]
        assert 12 < most * learning_rate < 18


@pytest.mark.parametrize("steps", [250, 500, 1000])
def test_no_batch_length_near_the_best_is_better(steps):
    best = best_batch_length(1.0, 0.25, steps)
    assert best.length == (steps - 20) // best.groups and best.coverage >= 0.9445
    assert (best.coverage, best.width) == exact_coverage("batched_means", 1.0, 0.25, steps, best.groups)
    fewer, more = (exact_coverage("batched_means", 1.0, 0.25, steps, best.groups + by) for by in (-1, 1))
    assert fewer[1] > best.width and (more[0] < 0.9445 or more[1] > best.width)


def test_with_hardly_any_room_two_batches_are_best():
    best = best_batch_length(1.0, 0.1, 30)
    assert best.groups == 2 and best.coverage < 0.9445


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"eigenvalue": 0.0}, "eigenvalue=0.0, expected > 0"),
        ({"learning_rate": 2.0}, "learning_rate=2.0, expected > 0 and < 2"),
        ({"level": 1.0}, "level=1.0"),
        ({"initial_error": float("nan")}, "initial_error=nan"),
        ({"construction": "bootstrap"}, "construction='bootstrap'"),
    ],
)
def test_bad_arguments_are_named(arguments, words):
    good = {"construction": "checkpoints", "eigenvalue": 1.0, "learning_rate": 0.25, "steps": 250}
    with pytest.raises(ValueError, match=words):
        exact_coverage(**good | arguments)


@pytest.mark.parametrize(
    ("change", "words"),
    [({"slack": np.nan}, "slack=nan"), ({"slack": np.inf}, "slack=inf"), ({"slack": True}, "slack=True"), ({"slack": -0.1}, "slack=-0.1"),
     ({"burn_in": "3"}, "burn_in='3'"), ({"burn_in": 1.5}, "burn_in=1.5"), ({"steps": 21}, "steps=21"), ({"level": 1.0}, "level=1.0")],
)
def test_bad_arguments_of_a_batch_length_are_named(change, words):
    with pytest.raises(ValueError, match=f"^{words}, expected"):
        best_batch_length(**{"eigenvalue": 1.0, "learning_rate": 0.25, "steps": 250} | change)


@pytest.mark.parametrize(
    ("mean", "covariance", "words"),
    [(0.0, 1.0, r"^shape of mean=\(\), expected"), ([0.0], [[1.0]], "^groups=1, expected"), ([0.0, 0.0], 1.0, r"^shape of covariance=\(\), expected"),
     ([0.0, 0.0], np.eye(3), r"expected \(2, 2\)"), ([0.0, np.nan], np.eye(2), "^estimates='not finite'")],
)
def test_what_are_no_moments_of_estimates_is_said(mean, covariance, words):
    with pytest.raises(ValueError, match=words):
        student_coverage(mean, covariance)
