"""Figures of "Optimal Rates for O(1)-Smooth DP-SCO with a Single Epoch and Large Batches" (arXiv 2406.02716).

The paper has one table and no experiment, only theorems. Here the table's counts are counted, and each theorem's message
is put to a run with practical constants; its own constants are in `constants`.
"""

from core.papers.accelerated.constants import constants, prefix_noise, table1
from core.papers.accelerated.runs import excess_logistic, excess_steps, flat_sensitivity, rate_n

__all__ = ["constants", "excess_logistic", "excess_steps", "flat_sensitivity", "prefix_noise", "rate_n", "table1"]
