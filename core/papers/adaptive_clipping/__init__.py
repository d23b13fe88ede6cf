"""Figures of "(Nearly) Optimal Private Linear Regression via Adaptive Clipping" (arXiv 2207.04686).

The paper has no figure and no experiment, only theorems. Here each theorem's message is put to a run: with its own
constants where they can be run, with a repaired search whose privacy is exactly what is spent, and against fixed clips.
"""

from core.papers.adaptive_clipping.accounting import bound_speaks, ledger, shuffling
from core.papers.adaptive_clipping.risk import dimension, excess_table, label_noise, sample_size

__all__ = ["bound_speaks", "dimension", "excess_table", "label_noise", "ledger", "sample_size", "shuffling"]
