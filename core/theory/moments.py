"""The recursion of second moments behind `core.theory.quadratic`, solved for all steps at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dtbtrs

from core import check


def geometric_filter(x: np.ndarray, ratio: float) -> np.ndarray:
    """y_t = ratio y_{t-1} + x_t along the last axis, y_{-1} = 0; the shape of `x`.

    A bidiagonal system, solved by LAPACK: as fast as scipy.signal.lfilter, which takes half a second to import.
    """
    steps = x.shape[-1]
    band = np.ones((2, steps), order="F")
    band[1] = -ratio
    solution, _ = dtbtrs(band, x.reshape(-1, steps).T, uplo="L", diag="U")
    return solution.T.reshape(x.shape)


@dataclass(frozen=True, eq=False)
class Moments:
    """The recursion's constants, one entry (k,) for each distinct eigenvalue.

    `counts` says how often an eigenvalue occurs; the moments of equal directions are carried as their sum. `start`
    holds the sums of squared initial errors, `label_power` is label_noise^2 / B.
    """

    eigenvalues: np.ndarray
    counts: np.ndarray
    start: np.ndarray
    learning_rate: float
    batch_size: int
    label_power: float

    @classmethod
    def of(cls, eigenvalues, learning_rate, label_noise, batch_size, initial_error) -> "Moments":
        spectrum = check.vector("eigenvalues", eigenvalues, above=0)
        rate = check.real("learning_rate", learning_rate, above=0)
        batch = check.whole("batch_size", batch_size, at_least=1)
        label_power = check.real("label_noise", label_noise, at_least=0) ** 2 / batch
        error = np.zeros(spectrum.size) if initial_error is None else initial_error
        error = check.vector("initial_error", error, length=spectrum.size)
        distinct, place, counts = np.unique(spectrum, return_inverse=True, return_counts=True)
        return cls(distinct, counts, np.bincount(place, weights=error**2), rate, batch, label_power)

    @property
    def decrement(self) -> np.ndarray:
        return self.learning_rate * self.eigenvalues

    @property
    def decay(self) -> np.ndarray:
        return 1 - self.decrement

    def damping(self) -> np.ndarray:
        return 2 - self.decrement * (1 + 1 / self.batch_size)

    def coupling(self) -> float:
        """Gamma, the share of the excess risk that gradient sampling feeds back; inf when a direction is unstable."""
        if self.damping().min() <= 0:
            return np.inf
        return float(np.sum(self.counts * self.decrement / self.batch_size / self.damping()))

    def inputs(self, j: int, steps: int) -> np.ndarray:
        """What direction j starts with and what label noise adds each step, (steps+1,)."""
        inputs = np.full(steps + 1, self.counts[j] * self.learning_rate**2 * self.label_power * self.eigenvalues[j])
        inputs[0] = self.start[j]
        return inputs

    def noise_input(self, j: int, power: np.ndarray) -> np.ndarray:
        """What privacy noise of felt power s^2 v (..., steps) adds to direction j, (..., steps+1)."""
        inputs = np.zeros((*power.shape[:-1], power.shape[-1] + 1))
        inputs[..., 1:] = self.counts[j] * self.learning_rate**2 * power
        return inputs

    def toeplitz_input(self, j: int, noise: np.ndarray) -> np.ndarray:
        """`noise_input` of noising coefficients (..., steps): v_t = v_{t-1} + noise_t (2 felt_t - noise_t)."""
        felt = geometric_filter(noise, self.decay[j])
        with np.errstate(over="ignore", invalid="ignore"):
            return self.noise_input(j, np.cumsum(noise * (2 * felt - noise), axis=-1))

    def risk(self, lead: tuple[int, ...], steps: int, inputs: Callable[[int], np.ndarray]) -> np.ndarray:
        """Half of <l, m>, (*lead, steps+1), driven by `inputs(j)` in each direction.

        Without the coupling <l, m> is a sum of geometric filters. With it, <l, m> solves a scalar renewal equation
        whose resolvent is again a sum of geometric filters, with positive weights: their ratios are the eigenvalues of
        the symmetric matrix that carries m over one step. No power series is divided, so that small values keep their
        relative accuracy.
        """
        kept = self.decay**2 + self.decrement**2 / self.batch_size
        shared = np.sqrt(self.counts) * self.eigenvalues
        strength = self.learning_rate**2 / self.batch_size
        poles, modes = np.linalg.eigh(np.diag(kept) + strength * np.outer(shared, shared))
        weights = strength * (modes.T @ shared) ** 2
        uncoupled = np.zeros((*lead, steps + 1))
        with np.errstate(over="ignore", invalid="ignore"):
            for j, eigenvalue in enumerate(self.eigenvalues):
                uncoupled += eigenvalue * geometric_filter(inputs(j), kept[j])
            risk = uncoupled.copy()
            for pole, weight in zip(poles, weights, strict=True):
                risk[..., 1:] += weight * geometric_filter(uncoupled[..., :-1], pole)
        overflown = np.logical_or.accumulate(~np.isfinite(risk), axis=-1)
        return np.where(overflown, np.inf, risk / 2)
