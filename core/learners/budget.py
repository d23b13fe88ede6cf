"""How one total rho is spent over the steps of a full-batch run, and the noise that follows. Numpy only.

Every record takes part in every step, so each step is a Gaussian release of its own and the charges add up.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from core import mechanisms, privacy
from core.check import real, require, vector, whole

_ROUNDED_DOWN = 1 - 64 * np.finfo(float).eps  # more than what rounding adds to a share on its way to what is spent


class Schedule(ABC):
    """Which share of the budget each step gets; one of the two below."""

    def shares(self, steps: int, learning_rate: float) -> np.ndarray:
        """Shares (steps,) of the total, of steps 1 to T.

        Guarantees: all positive; their sum is at most 1, and within 1e-13 of it.
        """
        weights = self._weights(whole("steps", steps, at_least=1), real("learning_rate", learning_rate, above=0.0))
        return weights / math.fsum(weights) * _ROUNDED_DOWN

    @abstractmethod
    def _weights(self, steps: int, learning_rate: float) -> np.ndarray: ...


@dataclass(frozen=True)
class Uniform(Schedule):
    """The same for every step, as in the paper."""

    def _weights(self, steps: int, learning_rate: float) -> np.ndarray:
        return np.ones(steps)


@dataclass(frozen=True)
class Geometric(Schedule):
    """rho_t proportional to (1 - learning_rate)^(T-t): the later, the more.

    The noise of step t reaches the last iterate times (1 - learning_rate)^(T-t) where the Hessian is I, so these shares
    make the variance of the last iterate least. For short runs: over hundreds of steps the first ones get almost
    nothing, their noise throws theta so far away that everything is clipped, and it does not return.

    Raises: ValueError for learning_rate >= 1, and for so many steps that the first share vanishes.
    """

    def _weights(self, steps: int, learning_rate: float) -> np.ndarray:
        require(learning_rate < 1, "learning_rate", learning_rate, "< 1 for geometric budgets")
        weights = (1 - learning_rate) ** np.arange(steps - 1, -1, -1.0)
        require(weights[0] > 1e-300, "steps", steps, "so few that the first step of a geometric budget still gets some")
        return weights


def noise_multipliers(
    schedule: Schedule, steps: int, rho: float, learning_rate: float, runs: int = 1, adjacency: str = "replace"
) -> np.ndarray:
    """Noise multipliers (steps,) [clip_norm] on the clipped sums of steps 1 to T, for `rho` in all.

    `runs` chains are published together and share rho evenly. rho = inf means no noise, and no privacy: zeros.

    Guarantees: what `spent` charges for them in the end is at most rho, and within 1e-12 of it.
    Raises: ValueError for what is no schedule, and naming the argument.
    Reference: arXiv 2402.13531, Lemma 2.1: lambda = multiplier * gamma / n with uniform shares and one run.
    """
    require(isinstance(schedule, Schedule), "schedule", schedule, "Uniform() or Geometric()")
    shares = schedule.shares(steps, learning_rate) / whole("runs", runs, at_least=1)
    if rho == math.inf:
        return np.zeros(steps)
    real("rho", rho, above=0.0)
    noise, (different, which) = mechanisms.independent(), np.unique(shares, return_inverse=True)  # even shares are one
    return np.array([privacy.calibrate_rho(noise, 1, float(share) * rho, adjacency) for share in different])[which]


def noise_std(
    schedule: Schedule,
    clip_norm: float,
    n_samples: int,
    steps: int,
    rho: float,
    learning_rate: float = 0.25,
    runs: int = 1,
    adjacency: str = "replace",
) -> np.ndarray:
    """Std (steps,) of one coordinate of the noise on the MEAN gradient at steps 1 to T: the paper's lambda_t."""
    scale = real("clip_norm", clip_norm, above=0.0) / whole("n_samples", n_samples, at_least=1)
    return noise_multipliers(schedule, steps, rho, learning_rate, runs, adjacency) * scale


def last_iterate_variance(noise: np.ndarray, learning_rate: float, noising_matrix: np.ndarray | None = None) -> float:
    """Variance of a coordinate of theta_T where the Hessian is I, for noise (steps,) of these standard deviations.

        eta^2 |felt' B diag(noise)|^2,    felt_t = (1 - eta)^(T-t)

    B is the noising matrix (steps, steps) of correlated noise, or I.
    """
    steps = len(vector("noise", noise))
    felt = real("learning_rate", learning_rate, above=0.0) * (1 - learning_rate) ** np.arange(steps - 1, -1, -1.0)
    return float(np.square((felt if noising_matrix is None else felt @ noising_matrix) * noise).sum())


def spent(
    schedule: Schedule, steps: int, rho: float, learning_rate: float, runs: int = 1, adjacency: str = "replace"
) -> np.ndarray:
    """rho (steps + 1,) that all runs together have spent after 0 to T steps: infinite from the first step without noise.

    Computed from the noise that is added, not from the budget.

    Guarantees: at most rho, however many steps.
    Reference: arXiv 2402.13531, Claims A.4 and A.5.
    """
    multipliers = noise_multipliers(schedule, steps, rho, learning_rate, runs, adjacency)
    if rho == math.inf:
        return np.concatenate([[0.0], np.full(steps, math.inf)])
    noise, (different, which) = mechanisms.independent(), np.unique(multipliers, return_inverse=True)
    mus = np.array([privacy.gdp_mu(noise, 1, float(value), adjacency) for value in different])[which]
    return np.concatenate([[0.0], runs * _running_sum(np.square(mus) / 2)])


def _running_sum(values: np.ndarray) -> np.ndarray:
    """Running sums (n,), each rounded about once: what an addition loses is computed exactly and added up apart.

    Reference: Knuth, The Art of Computer Programming 2, Section 4.2.2, Theorem B.
    """
    sums = np.cumsum(values)
    before = np.concatenate([[0.0], sums[:-1]])
    added = sums - before
    lost = (before - (sums - added)) + (values - added)
    return sums + np.cumsum(lost)
