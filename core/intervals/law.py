"""The exact law of DP-GD's iterates where nothing is clipped, and of whatever is averaged from them.

    theta_t = theta_hat + (I - eta Sigma)^t (theta_0 - theta_hat) + eta sum_{u<=t} (I - eta Sigma)^(t-u) z_u,   z_u ~ N(0, noise_std_u^2 I)

Sigma = X'X/n, theta_hat the least-squares solution; noise_std is that of one coordinate on the MEAN gradient (the paper's
lambda). In Sigma's eigenbasis the directions do not mix: each is an autoregression with factor 1 - eta s.
"""

from dataclasses import dataclass

import numpy as np

from core.check import real, require, vector, whole
from core.intervals.groups import Grouping


@dataclass(frozen=True, eq=False)
class Law:
    """The Gaussian law of theta_0, ..., theta_T given the data.

    `sigma` (p, p) is X'X/n, `theta_hat` (p,), `start` theta_0 (p,), `noise_std` (steps,) of each step's noise.

    Guarantees: mean, covariance and autocovariance agree with the recursion by dense matrices within 1e-10.
    Raises: ValueError for shapes that do not fit and a learning rate outside (0, 2 / largest eigenvalue).
    Reference: arXiv 2402.13531, Lemma 2.3 and equations (2), (3); noise that changes over steps is ours.
    """

    sigma: np.ndarray
    theta_hat: np.ndarray
    start: np.ndarray
    learning_rate: float
    noise_std: np.ndarray

    def __post_init__(self) -> None:
        hat = vector("theta_hat", self.theta_hat)
        shape = np.shape(self.sigma)
        require(shape == (hat.size, hat.size), "sigma", shape, f"shape {(hat.size, hat.size)}")
        values, directions = np.linalg.eigh(np.asarray(self.sigma, dtype=float))
        require(values[0] > 0, "sigma", values[0], "positive eigenvalues: columns that do not depend on each other")
        real("learning_rate", self.learning_rate, above=0, below=2 / values[-1])
        held = {
            "theta_hat": hat,
            "start": vector("start", self.start, length=hat.size),
            "noise_std": vector("noise_std", self.noise_std),
            "_values": values,
            "_directions": directions,
        }
        for name, value in held.items():
            object.__setattr__(self, name, value)

    @property
    def steps(self) -> int:
        """How many steps the noise is given for."""
        return self.noise_std.size

    @property
    def directions(self) -> np.ndarray:
        """Eigenvectors of Sigma, its columns (p, p)."""
        return self._directions

    def mean(self, step: int) -> np.ndarray:
        """E theta_step (p,)."""
        power = self._factors ** whole("step", step, at_most=self.steps)
        return self.theta_hat + self._directions @ (power * (self._directions.T @ (self.start - self.theta_hat)))

    def covariance(self, step: int) -> np.ndarray:
        """Cov(theta_step) (p, p)."""
        return self.autocovariance(step, step)

    def autocovariance(self, step: int, later: int) -> np.ndarray:
        """Cov(theta_step, theta_later) (p, p): eta^2 sum_{u <= min} noise_std_u^2 (I - eta Sigma)^(step + later - 2u)."""
        first, last = sorted((whole("step", step, at_most=self.steps), whole("later", later, at_most=self.steps)))
        ages = np.arange(first - 1, -1, -1)  # of the noises of steps 1..first, at step `first`
        variances = (self._factors[:, None] ** (2 * ages) * self.noise_std[:first] ** 2).sum(axis=1)
        return self._matrix(self.learning_rate**2 * variances * self._factors ** (last - first))

    def in_directions(self, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """What is left of the start, and the variance, along each of `directions` at steps 0 to `steps`: (steps + 1, p) each.

            offset_t = (1 - eta s) offset_{t-1},    variance_t = (1 - eta s)^2 variance_{t-1} + eta^2 noise_std_t^2

        Guarantees: E theta_t = theta_hat + directions @ offset_t, and Cov(theta_t) = directions diag(variance_t) directions'.
        """
        whole("steps", steps, at_most=self.steps)
        offsets, variances = np.empty((2, steps + 1, self.theta_hat.size))
        offsets[0], variances[0] = self._directions.T @ (self.start - self.theta_hat), 0.0
        squares, added = self._factors**2, (self.learning_rate * self.noise_std) ** 2
        for step in range(1, steps + 1):
            offsets[step] = self._factors * offsets[step - 1]
            variances[step] = squares * variances[step - 1] + added[step - 1]
        return offsets, variances

    def stationary_covariance(self) -> np.ndarray:
        """Cov(theta_t) (p, p) after long at the last step's noise: eta^2 noise_std^2 (I - (I - eta Sigma)^2)^-1."""
        return self._matrix(self.learning_rate**2 * self.noise_std[-1] ** 2 / (1 - self._factors**2))

    def estimates(self, grouping: Grouping) -> tuple[np.ndarray, np.ndarray]:
        """Mean (p, m) and covariance (p, m, m) over the m estimates of a grouping, for every coordinate of theta.

        Raises: ValueError when the law is not that of one of the grouping's runs.
        """
        require(grouping.run_steps == self.steps, "steps of the law", self.steps, f"{grouping.run_steps}, those of a run")
        means, covariances = direction_estimates(self._factors, self.learning_rate * self.noise_std, grouping.weights)
        shares = self._directions * (self._directions.T @ (self.start - self.theta_hat))  # (p, directions)
        mean = self.theta_hat[:, None] + shares @ means
        covariance = np.einsum("jk,kab->jab", self._directions**2, covariances)
        return over_runs(mean, covariance, grouping.runs)

    @property
    def _factors(self) -> np.ndarray:
        return 1 - self.learning_rate * self._values

    def _matrix(self, diagonal: np.ndarray) -> np.ndarray:
        return (self._directions * diagonal) @ self._directions.T


def direction_estimates(factors: np.ndarray, kicks: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the weighted means of x_t = factor x_{t-1} + kick_t N(0, 1) are, for each factor (k,).

    Mean (k, m) in units of x_0 and covariance (k, m, m) of weights @ x_1..x_T; `kicks` (T,), `weights` (m, T).

    Reference: arXiv 2402.13531, equation (3), summed.
    """
    steps = weights.shape[1]
    felt = np.empty((steps, len(factors), len(weights)))  # what the noise of each step adds to each estimate
    later = np.zeros((len(factors), len(weights)))
    for step in range(steps - 1, -1, -1):
        later = weights[:, step] + factors[:, None] * later
        felt[step] = later
    scaled = felt * kicks[:, None, None]
    return factors[:, None] * felt[0], np.einsum("tka,tkb->kab", scaled, scaled, optimize=True)


def over_runs(mean: np.ndarray, covariance: np.ndarray, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean (..., runs m) and block-diagonal covariance (..., runs m, runs m) of runs that share their law and nothing else."""
    size = covariance.shape[-1]
    blocks = np.zeros((*covariance.shape[:-2], runs, size, runs, size))
    for run in range(runs):
        blocks[..., run, :, run, :] = covariance
    shape = (*covariance.shape[:-2], runs * size, runs * size)
    return np.concatenate([mean] * runs, axis=-1), blocks.reshape(shape)
