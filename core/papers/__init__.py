"""The papers' figures and tables, one function each: `core.papers.correlated_noise.figure2(fidelity, seed)`.

A figure that has several panels in its paper is one entry for each panel, because a `Result` has one pair of axes.
`python -m core.papers` lists them.
"""

from core.papers import accelerated, adaptive_clipping, correlated_noise, dp_gd, kan
from core.papers.registry import Entry, Progress, entries, find, register

__all__ = ["Entry", "Progress", "accelerated", "adaptive_clipping", "correlated_noise", "dp_gd", "entries", "find", "kan", "register"]
