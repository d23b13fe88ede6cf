"""Figures 1 and 2 of "Correlated Noise Provably Beats Independent Noise" (arXiv 2310.06771).

Everything is stationary, at the limit sensitivity, with rho = clip_norm = 1 and no label noise, as in the paper's
Theorems 2.1 and 2.2.
"""

from core.papers.correlated_noise.mean_estimation import figure1, figure1_coefficients, figure1_spectrum
from core.papers.correlated_noise.regression import (
    figure2,
    figure2_dim,
    figure2_effective_dim,
    figure2_learning_rate,
    figure2_slopes,
)

__all__ = [
    "figure1",
    "figure1_coefficients",
    "figure1_spectrum",
    "figure2",
    "figure2_dim",
    "figure2_effective_dim",
    "figure2_learning_rate",
    "figure2_slopes",
]
