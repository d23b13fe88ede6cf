import numpy as np
import pytest

from core import mechanisms
from core.theory import workload
from core.theory.quadratic import excess_risk_curve, excess_risk_curve_dense

SPECTRUM = (1.0, 0.5, 0.5, 0.2)
KINDS = (workload.last_iterate, workload.average_risk, workload.average_iterate)


def lower(steps, seed=0):
    """Some lower-triangular matrix that is not Toeplitz."""
    return np.eye(steps) + 0.4 * np.tril(np.random.default_rng(seed).standard_normal((steps, steps)))


@pytest.mark.parametrize("batch_size", [1, 4])
def test_the_last_iterate_is_the_end_of_the_exact_curve_for_any_matrix(batch_size):
    noising = lower(25)
    curve = excess_risk_curve_dense(SPECTRUM, 0.3, noising, 0.7, batch_size=batch_size)
    gram = workload.last_iterate(SPECTRUM, 0.3, 25, batch_size)
    assert 0.49 * workload.error(gram, noising) == pytest.approx(curve[-1], rel=1e-12)


@pytest.mark.parametrize("batch_size", [1, 4])
def test_the_average_risk_is_the_mean_of_the_exact_curve(batch_size):
    noising = lower(25, seed=1)
    curve = excess_risk_curve_dense(SPECTRUM, 0.3, noising, 0.7, batch_size=batch_size)
    gram = workload.average_risk(SPECTRUM, 0.3, 25, batch_size)
    assert 0.49 * workload.error(gram, noising) == pytest.approx(curve[1:].mean(), rel=1e-12)


def test_toeplitz_noise_has_the_risk_of_its_own_curve():
    noise = mechanisms.nu_ftrl(0.05)
    curve = excess_risk_curve(SPECTRUM, 0.1, 40, noise.noising_coef(40), 1.0)
    assert workload.error(workload.last_iterate(SPECTRUM, 0.1, 40), noise.noising_matrix(40)) == pytest.approx(
        curve[-1], rel=1e-12
    )


def test_the_averaged_iterate_without_sampling_noise_is_linear_algebra():
    steps, rate, noising = 12, 0.3, lower(12)
    gram = workload.average_iterate(SPECTRUM, rate, steps, batch_size=10**15)
    risk = 0.0
    for eigenvalue in SPECTRUM:
        to_iterates = np.zeros((steps, steps))  # theta_1..theta_T from the gradient noise of steps 0..T-1
        for t in range(steps):
            to_iterates[t] = (1 - rate * eigenvalue) * (to_iterates[t - 1] if t else 0)
            to_iterates[t, t] -= rate
        risk += eigenvalue / 2 * np.sum((to_iterates.mean(axis=0) @ noising) ** 2)
    assert workload.error(gram, noising) == pytest.approx(risk, rel=1e-9)


def test_the_averaged_iterate_is_that_of_simulated_runs():
    spectrum, rate, steps, runs = np.array([1.0, 0.4]), 0.35, 10, 40_000
    noising = lower(steps, seed=2)
    rng = np.random.default_rng(3)
    noise = np.einsum("tk,krd->trd", noising, rng.standard_normal((steps, runs, 2)))
    theta, total = np.zeros((runs, 2)), np.zeros((runs, 2))
    for t in range(steps):
        x = rng.standard_normal((runs, 2)) * np.sqrt(spectrum)
        theta = theta - rate * (x * np.sum(x * theta, axis=1, keepdims=True) + noise[t])
        total += theta
    risks = 0.5 * ((total / steps) ** 2) @ spectrum
    exact = workload.error(workload.average_iterate(spectrum, rate, steps), noising)
    assert abs(risks.mean() - exact) < 4 * risks.std() / np.sqrt(runs)
    assert risks.std() / np.sqrt(runs) < 0.02 * exact


@pytest.mark.parametrize("kind", KINDS)
def test_gram_matrices_are_symmetric_and_positive(kind):
    gram = kind(SPECTRUM, 0.3, 20)
    assert np.array_equal(gram, gram.T)
    assert np.linalg.eigvalsh(gram).min() > 0


def test_repeated_eigenvalues_count_as_often_as_they_occur():
    twice = workload.average_iterate((0.5, 0.5, 1.0), 0.3, 8, batch_size=3)
    assert twice == pytest.approx(workload.average_iterate((1.0, 0.5, 0.5), 0.3, 8, batch_size=3), rel=1e-12)
    apart = workload.average_iterate((0.5, 0.5 + 1e-9, 1.0), 0.3, 8, batch_size=3)
    assert twice == pytest.approx(apart, rel=1e-7)


def test_prefix_sums_are_the_mean_square_of_the_running_sum():
    noise = mechanisms.optimal_counting()
    error = workload.error(workload.prefix_sums(64), noise.noising_matrix(64))
    assert error == pytest.approx(np.mean(noise.prefix_std(64) ** 2), rel=1e-12)


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match="noising_matrix"):
        workload.error(workload.prefix_sums(4), np.eye(5))
    with pytest.raises(ValueError, match="steps=0"):
        workload.last_iterate(SPECTRUM, 0.3, 0)
    with pytest.raises(ValueError, match="learning_rate"):
        workload.average_risk(SPECTRUM, -0.3, 5)
