"""The numbers above the page, spelled out."""

from typing import NamedTuple

import numpy as np

from core.experiments.intervals.expected import LEVEL, Expected
from core.experiments.intervals.plan import Chains
from core.experiments.intervals.trust import error_words, holds, how


class Headline(NamedTuple):
    """What the page says first: coverage in theory and measured, width over the classical interval's, epsilon.

    `holds`: whether the theory does; where it does not, the width is what was measured.
    """

    coverage: str
    how: str
    asked: str
    measured: str
    error: str
    width: str
    epsilon: str
    holds: bool


def headline(expected: Expected, chains: Chains | None = None) -> Headline:
    """Mean over the coefficients; measured over replicates too once a run has finished."""
    measured, error, trusted = "...", "running", holds(expected)
    width = _times(expected, expected.of_huber.width) if trusted else "..."
    if chains is not None and chains.finished:
        each = chains.hits(expected.theta_hat).mean(axis=1)
        measured, error = f"{each.mean():.3f}", error_words(each)
        width = width if trusted else _times(expected, 2 * chains.intervals[1])
    return Headline(
        coverage=f"{expected.of_theta_hat_clipped.coverage.mean():.3f}",
        how=how(expected),
        asked=f"{LEVEL:g}",
        measured=measured,
        error=error,
        width=width,
        epsilon=f"{expected.epsilon:.2f}",
        holds=trusted,
    )


def _times(expected: Expected, widths: np.ndarray) -> str:
    return f"{widths.mean() / (2 * expected.ols_half.mean()):.2f}"
