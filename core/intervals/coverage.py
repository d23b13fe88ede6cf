"""Exact coverage and mean width of Student's interval (12) over estimates that are neither independent nor alike."""

from typing import NamedTuple

import numpy as np

from core.check import real, require, whole
from core.intervals.gaussian_forms import mean_root, probability_not_positive
from core.intervals.groups import grouping, student_factor
from core.intervals.law import direction_estimates, over_runs


MOST_BATCHES = 50
"""More batches than these hardly narrow Student's interval: its factor is within 3% of the normal one."""


class BatchLength(NamedTuple):
    """A length of the batches of batched means, how many of them there are, and what their interval gives."""

    length: int
    groups: int
    coverage: float
    width: float


def student_coverage(mean: np.ndarray, covariance: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Coverage of zero (...) and mean width (...) of the interval (12) over estimates v ~ N(mean, covariance).

    `mean` (..., m) is that of the estimates' errors, `covariance` (..., m, m). With f = t_{(1+level)/2, m-1} / sqrt(m) and
    J = 11'/m, zero is covered when v'(J/m - f^2 (I - J)/(m - 1))v <= 0, and the mean width is 2 f E sqrt(v'(I - J)v/(m - 1)).

    Guarantees: exactly `level` for independent estimates of mean zero and one variance; within 1e-9 of the truth.
    Raises: ValueError for fewer than two estimates, and for shapes that do not fit.
    Reference: arXiv 2402.13531, equation (12); Imhof (1961), Biometrika 48.
    """
    mean, covariance = np.asarray(mean, dtype=float), np.asarray(covariance, dtype=float)
    require(mean.ndim >= 1, "shape of mean", mean.shape, "(..., estimates)")
    groups = mean.shape[-1]
    require(covariance.shape == (*mean.shape, groups), "shape of covariance", covariance.shape, f"{(*mean.shape, groups)}")
    require(bool(np.isfinite(mean).all() and np.isfinite(covariance).all()), "estimates", "not finite", "finite numbers only")
    factor = student_factor(groups, level)
    average = np.full((groups, groups), 1 / groups)
    spread = (np.eye(groups) - average) / (groups - 1)
    covered = probability_not_positive(mean, covariance, average / groups - factor**2 * spread)
    return covered, 2 * factor * mean_root(mean, covariance, spread)


def exact_coverage(
    construction: str,
    eigenvalue: float,
    learning_rate: float,
    steps: int,
    groups: int = 10,
    burn_in: int = 20,
    level: float = 0.95,
    initial_error: float = 0.0,
) -> tuple[float, float]:
    """Coverage of theta_hat by the interval (12) in one direction of the data, and its mean width in units of noise_std.

    `construction`: "batched_means", "checkpoints" or "independent_runs", as `core.intervals.groups.grouping` makes them.
    `eigenvalue` is that of X'X/n in the direction, `steps` all gradients (mT), the same noise in each, its standard
    deviation on the mean gradient noise_std. `initial_error` = (theta_0 - theta_hat) / noise_std. Nothing is clipped.

    Guarantees: within 1e-9 of the truth; independent runs from theta_hat cover at exactly `level`.
    Raises: ValueError for eigenvalue * learning_rate outside (0, 2), and whatever `grouping` refuses.
    Reference: arXiv 2402.13531, Lemma 2.3 and Section 3.1.
    """
    real("eigenvalue", eigenvalue, above=0)
    real("learning_rate", learning_rate, above=0, below=2 / eigenvalue)
    real("initial_error", initial_error)
    made = grouping(construction, steps, groups, burn_in)
    kicks = np.full(made.run_steps, learning_rate)
    mean, covariance = direction_estimates(np.array([1 - learning_rate * eigenvalue]), kicks, made.weights)
    covered, width = student_coverage(*over_runs(initial_error * mean, covariance, made.runs), level)
    return float(covered[0]), float(width[0])


def best_batch_length(
    eigenvalue: float,
    learning_rate: float,
    steps: int,
    burn_in: int = 20,
    level: float = 0.95,
    initial_error: float = 0.0,
    slack: float = 0.0055,
) -> BatchLength:
    """The batch length of batched means with the narrowest interval among those whose coverage is at least level - slack.

    Batches are made shorter, from two batches on, until coverage falls below. With slack .0055 at level .95 they come out
    at 12 to 18 steps over learning_rate * eigenvalue where `steps` has room for several. Where two do not cover enough, two.

    Raises: ValueError as `exact_coverage`, for a negative slack, and where there is no room for two batches.
    """
    real("slack", slack, at_least=0)
    whole("steps", steps, at_least=whole("burn_in", burn_in) + 2)
    best = None
    for groups in range(2, min(MOST_BATCHES, steps - burn_in) + 1):
        found = exact_coverage("batched_means", eigenvalue, learning_rate, steps, groups, burn_in, level, initial_error)
        if best is not None and (found[0] < level - slack or found[1] > best.width):
            break
        best = BatchLength((steps - burn_in) // groups, groups, *found)
    return best
