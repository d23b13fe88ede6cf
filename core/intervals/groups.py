"""From the iterates of one or several runs to the m estimates of (12), and to Student's interval of their mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from core.check import choice, real, require, whole

SOURCE = "arXiv 2402.13531, Section 3.1"


@dataclass(frozen=True, eq=False)
class Grouping:
    """How the iterates theta_1..theta_T of each of `runs` runs become estimates.

    `weights` (estimates of a run, run_steps): each row sums to one; theta_0 is not an iterate. Every run makes the same
    number of estimates, and runs share nothing.
    """

    construction: str
    runs: int
    weights: np.ndarray

    @property
    def groups(self) -> int:
        """m: how many estimates there are in all."""
        return self.runs * len(self.weights)

    @property
    def run_steps(self) -> int:
        """How many steps each run takes."""
        return self.weights.shape[1]

    def estimates(self, iterates: np.ndarray) -> np.ndarray:
        """The m estimates (..., m, p) from iterates (..., runs, run_steps, p)."""
        found = self.weights @ np.asarray(iterates)
        return found.reshape(*found.shape[:-3], self.groups, found.shape[-1])


def batched_means(steps: int, groups: int, burn_in: int) -> Grouping:
    """One run; after the burn-in, the means of `groups` stretches of equal length."""
    starts, length = _stretches(steps, groups, burn_in)
    weights = np.zeros((groups, steps))
    for row, start in zip(weights, starts, strict=True):
        row[start : start + length] = 1 / length
    return Grouping("batched_means", 1, weights)


def checkpoints(steps: int, groups: int, burn_in: int) -> Grouping:
    """One run; after the burn-in, the last iterate of each of `groups` stretches of equal length."""
    starts, length = _stretches(steps, groups, burn_in)
    weights = np.zeros((groups, steps))
    weights[np.arange(groups), starts + length - 1] = 1.0
    return Grouping("checkpoints", 1, weights)


def independent_runs(steps: int, groups: int, burn_in: int) -> Grouping:
    """`groups` runs of steps / groups each; of each run the mean of all iterates after its own burn-in."""
    run_steps = steps // groups
    require(run_steps > burn_in, "steps", steps, f"more than {groups * burn_in}: {groups} runs, each with its own burn-in of {burn_in}")
    weights = np.zeros((1, run_steps))
    weights[0, burn_in:] = 1 / (run_steps - burn_in)
    return Grouping("independent_runs", groups, weights)


CONSTRUCTIONS: dict[str, Callable[[int, int, int], Grouping]] = {
    "batched_means": batched_means,
    "checkpoints": checkpoints,
    "independent_runs": independent_runs,
}
"""The paper's three ways to m estimates, by name."""
WORDS = {"batched_means": "batched means", "checkpoints": "checkpoints", "independent_runs": "independent runs"}
"""The three in words."""


def grouping(construction: str, steps: int, groups: int = 10, burn_in: int = 20) -> Grouping:
    """The estimates of a construction with `steps` gradients in all (mT), `groups` estimates (m).

    What `groups` does not divide: a single run drops a few iterates more at its start; independent runs leave a few
    steps unused.

    Guarantees: no estimate uses an iterate of a burn-in; stretches do not overlap; the last iterate of a run is used.
    Raises: ValueError for an unknown construction, fewer than two groups, and too few steps.
    Reference: arXiv 2402.13531, Section 3.1; burn-in and averages over runs as in Appendix B.
    """
    choice("construction", construction, tuple(CONSTRUCTIONS))
    whole("groups", groups, at_least=2)
    whole("burn_in", burn_in)
    whole("steps", steps, at_least=1)
    return CONSTRUCTIONS[construction](steps, groups, burn_in)


def student_interval(estimates: Any, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Centre and half-width, each (..., p), of the interval for the mean of estimates (..., m, p).

        mean +- t_{(1+level)/2, m-1} * s / sqrt(m)

    Raises: ValueError for fewer than two estimates or a level outside (0, 1).
    Reference: arXiv 2402.13531, equation (12).
    """
    estimates = np.asarray(estimates, dtype=float)
    require(estimates.ndim >= 2, "shape of estimates", estimates.shape, "(..., estimates, coefficients)")
    groups = estimates.shape[-2]
    require(groups > 1, "estimates", groups, "at least 2 to take a spread from")
    half = student_factor(groups, level) * estimates.std(axis=-2, ddof=1)
    return estimates.mean(axis=-2), half


def student_factor(groups: int, level: float = 0.95) -> float:
    """Half-width of the interval in units of the estimates' standard deviation: t_{(1+level)/2, m-1} / sqrt(m).

    Raises: ValueError for fewer than two groups or a level outside (0, 1).
    """
    whole("groups", groups, at_least=2)
    real("level", level, above=0, below=1)
    return float(stdtrit(groups - 1, 0.5 + level / 2)) / groups**0.5


def _stretches(steps: int, groups: int, burn_in: int) -> tuple[np.ndarray, int]:
    """Starts of the stretches, and their length; what does not divide is dropped at the start."""
    length = (steps - burn_in) // groups
    require(length >= 1, "steps", steps, f"at least {burn_in + groups}: a burn-in of {burn_in} and {groups} groups")
    return steps - length * groups + length * np.arange(groups), length
