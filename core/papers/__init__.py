"""The papers' figures and tables, one function each: `core.papers.correlated_noise.figure2(fidelity, seed)`.

A figure that has several panels in its paper is one entry for each panel, because a `Result` has one pair of axes.
`python -m core.papers` lists them.
"""

from core.papers import correlated_noise, kan
from core.papers.registry import Entry, Progress, entries, find, register

__all__ = ["Entry", "Progress", "correlated_noise", "entries", "find", "kan", "register"]
