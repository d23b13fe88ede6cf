"""Figures of "Private Gradient Descent for Linear Regression" (arXiv 2402.13531), and a budget that it does not try."""

from core.papers.dp_gd.budgets import budget_schedule
from core.papers.dp_gd.clipping import figure3, figure4, figure7
from core.papers.dp_gd.coverage import figure5, figure6, figure10, figure11
from core.papers.dp_gd.dimension import figure1, figure9
from core.papers.dp_gd.records import figure2, figure8a, figure8b

__all__ = [
    "budget_schedule",
    "figure1",
    "figure2",
    "figure3",
    "figure4",
    "figure5",
    "figure6",
    "figure7",
    "figure8a",
    "figure8b",
    "figure9",
    "figure10",
    "figure11",
]
