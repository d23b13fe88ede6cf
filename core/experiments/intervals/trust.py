"""How far the theory of a setting may be trusted, which clipping by the noise decides, and how well a run has measured."""

import numpy as np

from core.experiments.intervals.expected import Expected
from core.experiments.intervals.landmarks import is_biased

EXACT_BELOW, HOLDS_BELOW = 0.001, 0.05
"""Gradients that the noise clips, or keeps from being clipped, as a share of all: fewer do nothing that one could measure
(the first), or move coverage and width by a few percent (the second). With more, intervals come out wider than the law has them
and coverage lower."""
ENOUGH = 5
"""Replicates without which their spread is known too badly to speak of."""


def is_exact(expected: Expected) -> bool:
    """Whether next to nothing is clipped once the run has settled, its noise included."""
    return max(expected.share_clipped, expected.noise_clipping.changed) < EXACT_BELOW and not is_biased(expected)


def holds(expected: Expected) -> bool:
    """Whether the noise leaves clipping as it is for nearly all gradients: without that the law of the iterates is another."""
    return expected.noise_clipping.changed < HOLDS_BELOW


def how(expected: Expected) -> str:
    """Which theory it is: exact, or what it leaves out."""
    if is_exact(expected):
        return "exact"
    return "theory without clipping" if expected.share_clipped == 0 else "theory with clipping"


def doubt(expected: Expected) -> str:
    """Why the theory does not hold, in one sentence; empty where it does."""
    if holds(expected):
        return ""
    share = f"{expected.noise_clipping.changed:.0%} of gradients, so the theory does not hold here"
    if expected.share_clipped == 0:
        return f"Clipping by the noise itself: {share}."
    return f"The noise itself decides about clipping: {share}."


def mean_and_error(each: np.ndarray) -> tuple[float, float | None]:
    """Mean over replicates (replicates,) and its standard error; None where they are too few, or all alike, to know it."""
    error = float(each.std(ddof=1)) / len(each) ** 0.5
    return float(each.mean()), error if len(each) >= ENOUGH and error > 0 else None


def error_words(each: np.ndarray) -> str:
    """The standard error in words, short enough to stand beside a number."""
    error = mean_and_error(each)[1]
    if error is not None:
        return f"+- {error:.3f}"
    return f"error unknown: all {len(each)} replicates alike" if len(each) >= ENOUGH else f"error unknown: only {len(each)} replicates"


def mean_words(each: np.ndarray) -> str:
    """The mean over replicates with its standard error, or why there is none."""
    mean, error = mean_and_error(each)
    return f"{mean:.3f} ({error_words(each)})" if error is None else f"{mean:.3f} {error_words(each)}"


def point_and_bar(at: float, each: np.ndarray) -> tuple[list[float], ...]:
    """A point of a chart: where, the mean over replicates and, where known, one standard error below and above."""
    mean, error = mean_and_error(each)
    return ([at], [mean]) if error is None else ([at], [mean], [mean - error], [mean + error])
