"""The dense optimum: proofs of optimality, known cases, bands, workloads of a quadratic."""

import numpy as np
import pytest

from core import mechanisms
from core.mechanisms.dense_optimum import solve
from core.theory import workload

SPECTRUM = 1 / np.arange(1, 17)
WORKLOADS = {
    "prefix sums": workload.prefix_sums(60),
    "last iterate": workload.last_iterate(SPECTRUM, 0.1, 60, 16),
    "last iterate of few dimensions, no sampling noise": workload.last_iterate([1.0, 0.3], 0.1, 60, 10**9),
    "last iterate at a large rate": workload.last_iterate(SPECTRUM, 0.5, 60, 16),
    "last iterate of one dimension": workload.last_iterate([1.0], 0.1, 60, 10**9),
    "average iterate": workload.average_iterate(SPECTRUM, 0.1, 60, 16),
    "average risk": workload.average_risk(SPECTRUM, 0.1, 60, 16),
    "the last prefix sum alone": np.ones((60, 60)),
}
every_workload = pytest.mark.parametrize("gram", WORKLOADS.values(), ids=list(WORKLOADS))


def private_error(mechanism, gram):
    steps = len(gram)
    return mechanism.sensitivity(steps) ** 2 * workload.error(gram, mechanism.noising_matrix(steps))


@every_workload
def test_the_optimum_proves_itself(gram):
    optimum = solve(gram)
    assert -1e-12 < optimum.gap < 5e-4
    mechanism = mechanisms.optimal_dense(gram)
    assert mechanism.sensitivity(60) == pytest.approx(1, abs=1e-12)
    assert private_error(mechanism, gram) == pytest.approx(optimum.error, rel=1e-9)
    assert np.abs(np.triu(optimum.strategy_matrix, 1)).max() == 0


@every_workload
def test_no_other_noise_falls_below_the_bound(gram):
    others = (
        mechanisms.independent(), mechanisms.nu_ftrl(0.05), mechanisms.optimal_counting(), mechanisms.binary_tree("full"),
        mechanisms.fft_mechanism(), mechanisms.optimal_for(SPECTRUM, 0.1, 16), mechanisms.best_toeplitz(gram),
    )
    bound = solve(gram).lower_bound
    assert all(private_error(other, gram) >= bound * (1 - 1e-12) for other in others)


def test_two_steps_in_closed_form():
    """Minimise tr(M inverse(X)), X = (1, x; x, 1), M = (2, 1; 1, 1): (3 - 2x)/(1 - x^2) is least at x = (3 - sqrt 5)/2."""
    x = (3 - np.sqrt(5)) / 2
    optimum = solve(workload.prefix_sums(2))
    assert optimum.error == pytest.approx((3 - 2 * x) / (1 - x**2) / 2, rel=1e-4)
    gram = optimum.strategy_matrix.T @ optimum.strategy_matrix
    np.testing.assert_allclose(gram, [[1, x], [x, 1]], atol=1e-2)


@pytest.mark.parametrize("steps", [1, 2, 5, 16, 200])
def test_never_worse_than_optimal_counting_on_prefix_sums(steps):
    gram = workload.prefix_sums(steps)
    optimum, counting = mechanisms.optimal_dense(gram), mechanisms.optimal_counting()
    assert private_error(optimum, gram) <= private_error(counting, gram) * (1 + 1e-12)
    if steps == 200:
        assert private_error(optimum, gram) < 0.9 * private_error(counting, gram)


def test_a_scale_of_the_workload_changes_nothing_but_the_error():
    gram = WORKLOADS["last iterate"]
    small, large = solve(gram), solve(1e9 * gram)
    np.testing.assert_allclose(large.strategy_matrix, small.strategy_matrix, atol=1e-6)
    assert large.error == pytest.approx(1e9 * small.error, rel=1e-6)


@pytest.mark.parametrize("bands", [1, 2, 8, 60])
@pytest.mark.parametrize("name", ["prefix sums", "average risk", "last iterate"])
def test_the_banded_optimum_proves_itself(bands, name):
    gram = WORKLOADS[name]
    optimum = solve(gram, bands)
    assert -1e-12 < optimum.gap < 1e-3
    np.testing.assert_allclose(np.linalg.norm(optimum.strategy_matrix, axis=0), 1, rtol=1e-12)
    assert not np.tril(optimum.strategy_matrix, -bands).any()
    assert optimum.error <= private_error(mechanisms.banded_root(bands), gram) * (1 + 1e-9)
    assert optimum.error >= solve(gram).lower_bound * (1 - 1e-9)


def test_all_bands_are_no_bands():
    gram = workload.prefix_sums(30)
    assert solve(gram, 30).error == pytest.approx(solve(gram).error, rel=1e-3)
    assert mechanisms.optimal_dense(gram, 30) == mechanisms.optimal_dense(gram)
    one_direction = np.ones((40, 40))  # on which a search within bands ends far from the optimum
    assert solve(one_direction, 40).gap < 1e-3
    assert solve(gram, 1).error == pytest.approx(np.trace(gram), rel=1e-12)


def test_a_record_that_returns_pays_by_the_root_and_less_than_under_counting():
    """160 steps, 5 participations 32 apart."""
    gram = workload.prefix_sums(160)
    banded, counting = mechanisms.optimal_dense(gram, 32), mechanisms.optimal_counting()
    assert banded.sensitivity(160, 5, 32) == pytest.approx(np.sqrt(5), rel=1e-12)

    def error(mechanism):
        return mechanism.sensitivity(160, 5, 32) * np.sqrt(workload.error(gram, mechanism.noising_matrix(160)))

    assert error(banded) < error(mechanisms.banded_root(32)) < error(counting)
    assert error(banded) < 0.8 * error(counting)


def test_the_best_last_iterate_is_paid_for_one_step_earlier():
    """The noise cancels at the last step, and at that step only."""
    steps, rate = 64, 0.1
    gram = workload.last_iterate(SPECTRUM, rate, steps, 16)
    earlier = np.zeros_like(gram)
    earlier[:-1, :-1] = workload.last_iterate(SPECTRUM, rate, steps - 1, 16)
    dense, toeplitz = mechanisms.optimal_dense(gram), mechanisms.best_toeplitz(gram)
    assert private_error(dense, gram) < 0.85 * private_error(toeplitz, gram)
    assert private_error(dense, earlier) > 4 * private_error(dense, gram)
    assert private_error(toeplitz, earlier) < 1.1 * private_error(toeplitz, gram)


@pytest.mark.slow
def test_a_thousand_steps():
    gram = workload.prefix_sums(1024)
    optimum, counting = solve(gram), mechanisms.optimal_counting()
    assert optimum.gap < 1e-3
    assert optimum.error < 0.91 * private_error(counting, gram)


def test_the_answer_is_kept():
    first = mechanisms.optimal_dense(WORKLOADS["prefix sums"])
    assert mechanisms.optimal_dense(WORKLOADS["prefix sums"].copy()) == first
    assert first.arm == "optimal_dense" and "60 steps" in first.label and not first.anytime


@pytest.mark.parametrize("factory", [mechanisms.optimal_dense, mechanisms.best_toeplitz, solve])
@pytest.mark.parametrize(
    ("gram", "words"),
    [
        (np.ones((2, 3)), "gram=(2, 3), expected a square matrix of finite numbers"),
        (np.full((2, 2), np.nan), "gram=(2, 2), expected a square matrix of finite numbers"),
        ([["a"]], "gram=[['a']], expected a square matrix of finite numbers"),
        (np.eye(1) * 1j, "gram=array([[0.+1.j]]), expected a square matrix of finite numbers"),
        (np.zeros((2, 2)), "gram=(2, 2), expected a symmetric matrix, not zero"),
        (np.array([[1.0, 2.0], [0.0, 1.0]]), "gram=(2, 2), expected a symmetric matrix, not zero"),
        (np.diag([1.0, -1.0]), "gram=(2, 2), expected a positive semidefinite matrix"),
    ],
)
def test_what_is_no_workload_is_refused(factory, gram, words):
    with pytest.raises(ValueError) as error:
        factory(gram)
    assert words in str(error.value)


def test_bands_and_tolerance_are_checked():
    with pytest.raises(ValueError, match="bands=61, expected a whole number >= 1 and <= 60"):
        solve(WORKLOADS["prefix sums"], 61)
    with pytest.raises(ValueError, match=r"bands=\[1, 2\], expected a whole number >= 1 and <= 60"):
        mechanisms.optimal_dense(WORKLOADS["prefix sums"], [1, 2])
    with pytest.raises(ValueError, match="tolerance=0.*, expected > 0"):
        solve(WORKLOADS["prefix sums"], tolerance=0)
