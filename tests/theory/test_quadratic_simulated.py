"""Exact curves inside four standard errors of a small simulation at preset steps."""

import numpy as np
import pytest

from core.mechanisms import independent, lambda_cgd, nu_ftrl
from core.theory import quadratic

EIGENVALUES = 1 / np.arange(1, 9.0)
RATE, STEPS, LABEL_NOISE, NOISE_STD, REPLICATES = 0.15, 120, 0.5, 0.4, 4000
MECHANISMS = {"independent": independent(), "nu": nu_ftrl(0.05), "lambda": lambda_cgd(0.7)}
READ = [1, 5, 20, 60, 120]


@pytest.fixture(scope="module", params=[1, 4])
def simulated(request):
    """Batch size, and excess risks (mechanisms, replicates, len(READ)) of noisy SGD with shared data and seed noise."""
    batch_size = request.param
    rng = np.random.default_rng(20240607)
    dim = EIGENVALUES.size
    noising = np.stack([mechanism.noising_matrix(STEPS) for mechanism in MECHANISMS.values()])
    seed = NOISE_STD * rng.standard_normal((STEPS, REPLICATES * dim))
    noise = (noising @ seed).reshape(len(MECHANISMS), STEPS, REPLICATES, dim)
    error = np.ones((len(MECHANISMS), REPLICATES, dim))  # theta - theta_star
    risks = []
    for t in range(STEPS):
        x = rng.standard_normal((batch_size, REPLICATES, dim)) * np.sqrt(EIGENVALUES)
        residual = np.einsum("mrd,brd->mbr", error, x) - LABEL_NOISE * rng.standard_normal((batch_size, REPLICATES))
        gradient = np.einsum("mbr,brd->mrd", residual, x) / batch_size
        error = error - RATE * (gradient + noise[:, t])
        if t + 1 in READ:
            risks.append(error**2 @ EIGENVALUES / 2)
    return batch_size, np.stack(risks, axis=-1)


@pytest.mark.parametrize("index", range(len(MECHANISMS)), ids=MECHANISMS)
def test_theory_inside_four_standard_errors_of_simulation(simulated, index):
    batch_size, risks = simulated
    coef = list(MECHANISMS.values())[index].noising_coef(STEPS)
    arguments = (EIGENVALUES, RATE, STEPS, coef, NOISE_STD, LABEL_NOISE, batch_size, np.ones(EIGENVALUES.size))
    exact = quadratic.excess_risk_curve(*arguments)[READ]
    mean, error = risks[index].mean(axis=0), risks[index].std(axis=0, ddof=1) / np.sqrt(REPLICATES)
    np.testing.assert_array_less(np.abs(mean - exact), 4 * error)
    assert np.all(4 * error < 0.1 * exact)  # a factor of 1.1 could not hide
