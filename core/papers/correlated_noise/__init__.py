"""Figures 1 to 3 and Tables 1 to 4 of "Correlated Noise Provably Beats Independent Noise" (arXiv 2310.06771).

Everything but Table 3 is stationary, at the limit sensitivity, with rho = clip_norm = 1 and no label noise, as in the
paper's theorems.
"""

from core.papers.correlated_noise.mean_estimation import figure1, figure1_coefficients, figure1_spectrum
from core.papers.correlated_noise.optimality import near_optimality
from core.papers.correlated_noise.regression import (
    figure2,
    figure2_dim,
    figure2_effective_dim,
    figure2_learning_rate,
    figure2_slopes,
)
from core.papers.correlated_noise.strongly_convex import figure3
from core.papers.correlated_noise.tables import table1, table2, table4
from core.papers.correlated_noise.variants import table3

__all__ = [
    "figure1",
    "figure1_coefficients",
    "figure1_spectrum",
    "figure2",
    "figure2_dim",
    "figure2_effective_dim",
    "figure2_learning_rate",
    "figure2_slopes",
    "figure3",
    "near_optimality",
    "table1",
    "table2",
    "table3",
    "table4",
]
