"""Correlated noise on Poisson batches by one line: C y + kappa Z is a post-processing of y + (kappa / |C|_2) Z.

Multiply y + (kappa / |C|_2) Z by C and add independent noise up to covariance kappa^2 I: whatever independent noise of
multiplier kappa / |C|_2 protects, correlated noise of multiplier kappa does, in both directions and at every epsilon.
"""

import math
from functools import lru_cache

import numpy as np

from core.amplification.independent import independent_calibrate, independent_epsilon
from core.mechanisms import lambda_cgd
from core.privacy import gdp_epsilon, gdp_mu_for


@lru_cache(maxsize=256)
def spectral_norm(correlation: float, steps: int) -> float:
    """|C|_2, rounded up: inverse(C C') is tridiagonal, and one eigenvalue of it is enough.

    Guarantees: relative error below 1e-12 for correlation <= .99; at most (1 - lambda^T)/(1 - lambda), 1 at lambda 0.
    """
    from scipy.linalg import eigvalsh_tridiagonal

    row_sum = float(lambda_cgd(correlation).strategy_coef(steps).sum())  # bounds the norm of any Toeplitz matrix
    if steps == 1 or correlation == 0:
        return row_sum
    diagonal = np.full(steps, 1 + correlation**2)
    diagonal[0] = 1.0
    smallest = eigvalsh_tridiagonal(diagonal, np.full(steps - 1, -correlation), select="i", select_range=(0, 0))[0]
    margin = 1e-15  # of an eigenvalue near 4: rounding of the bisection
    return min(row_sum, 1 / math.sqrt(smallest - margin)) if smallest > 2 * margin else row_sum


def spectral_epsilon(
    correlation: float, sampling_rate: float, steps: int, noise_multiplier: float, delta: float
) -> float:
    """Epsilon at `delta`: that of independent noise of multiplier kappa / |C|_2, or of every step a participation."""
    sampled = independent_epsilon(sampling_rate, steps, noise_multiplier / spectral_norm(correlation, steps), delta)
    return min(sampled, gdp_epsilon(_every_step(correlation, steps) / noise_multiplier, delta))


def spectral_calibrate(correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float) -> float:
    """Noise multiplier |C|_2 kappa(0), or that of every step a participation where it is smaller."""
    sampled = spectral_norm(correlation, steps) * independent_calibrate(sampling_rate, steps, epsilon, delta)
    return math.nextafter(min(sampled, _every_step(correlation, steps) / gdp_mu_for(epsilon, delta)), math.inf)


def _every_step(correlation: float, steps: int) -> float:
    """|C 1|_2, the sensitivity of a record that joins every step; joining fewer is a mixture of smaller ones."""
    return float(np.linalg.norm(np.cumsum(lambda_cgd(correlation).strategy_coef(steps))))
