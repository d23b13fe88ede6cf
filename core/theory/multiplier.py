"""The convex program inside Theorem 3.1: the multiplier under which a noise has the least bound.

A Zames-Falb multiplier Lambda = sum_t lambda_t exp(-i omega t) proves, wherever its slack a = -eta^2 - M11 is positive,

    E theta^2 <= 1/eta^2 mean over omega of psi (power of the noise)
    psi = |M12|^2 / a + M22 = eta^4 (2 Re Lambda + (L - mu)^2 |Lambda|^2) / a

psi is convex in the multiplier, so that a few Newton steps under a logarithmic barrier find the best one. The gradient of F
has slopes from mu = `curvature` to L = 1.

Reference: 2310.06771, Theorem E.1 and eqs. (89)-(93).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from core import check
from core.theory.frequency import gauss_panels

_NODES = 8  # of Gauss's rule on each panel of frequencies
_GAP = 1e-6  # share of the value at which the barrier method stops
_RELAX = 20.0  # how much weaker the barrier gets from stage to stage
_MOST_STAGES, _MOST_STEPS, _MOST_HALVINGS = 20, 100, 60  # 7, 60 and 5 are the most seen so far


@dataclass(frozen=True)
class Program:
    """Minimise the mean of weight * psi over multipliers of `lags` lags.

    A multiplier is the vector (lambda_0, |lambda_1|, ..., |lambda_lags|) >= 0 with lambda_0 at least the sum of the rest,
    which have the sign `sign`. Only one side is used, causal for the negative sign and anticausal for the positive one: the
    other lowers a where it is small, and is zero at the optimum.
    """

    learning_rate: float
    curvature: float
    sign: int
    lags: int

    @property
    def least(self) -> float:
        """lambda_0 above which, and only above which, the slack of a constant multiplier is positive."""
        rate = self.learning_rate
        return max(1 / (2 * self.curvature), rate**2 / (2 * (2 - rate) * (2 - rate * self.curvature)))

    @property
    def omega(self) -> np.ndarray:
        """Frequencies (n,) in (0, pi)."""
        return self._grid[0]

    @property
    def average(self) -> np.ndarray:
        """Weights (n,) whose dot product with values at `omega` is their mean."""
        return self._grid[1]

    def slack(self, multiplier: np.ndarray) -> np.ndarray:
        """a (n,), positive for a multiplier that proves something."""
        return self._maps.slack @ multiplier - self.learning_rate**2

    def psi(self, multiplier: np.ndarray) -> np.ndarray:
        """psi (n,), without the cancellation in |M12|^2 / a + M22."""
        real, imaginary = self._maps.even @ multiplier, self._maps.odd @ multiplier
        spread = 1 - self.curvature
        return self.learning_rate**4 * (2 * real + spread**2 * (real**2 + imaginary**2)) / self.slack(multiplier)

    def mean(self, weight: np.ndarray, multiplier: np.ndarray) -> float:
        """The mean of weight * psi over frequency."""
        return float(self.average @ (self.psi(multiplier) * weight))

    def solve(self, weight: np.ndarray, near: np.ndarray | None = None) -> np.ndarray:
        """The multiplier (1 + lags,) of least `mean` for a positive `weight` (n,); `near`, one for another weight, saves time.

        Guarantees: within 1e-5 of what a general solver finds with lags on both sides; takes at
        most 20 stages of 100 Newton steps.
        Raises: ValueError where these do not suffice; seen only for a curvature nearer to 1 than 1e-6.
        """
        multiplier = np.full(self.lags + 1, 1e-3 * self.least / (self.lags + 1))
        multiplier[0] = 2 * self.least
        if near is not None:
            multiplier = 0.9 * near + 0.1 * multiplier  # inside, for the barrier is infinite at the edge
        barrier = _Barrier(self, weight * self.average)
        sharpness = len(multiplier) / barrier.objective(multiplier) * (1 if near is None else _RELAX**3)
        for _ in range(_MOST_STAGES):
            multiplier = barrier.centre(multiplier, sharpness)
            if len(multiplier) < sharpness * _GAP * barrier.objective(multiplier):
                return multiplier
            sharpness *= _RELAX
        check.require(False, "stages", _MOST_STAGES, "a multiplier near the best before that")

    @cached_property
    def _maps(self) -> "_Maps":
        return _Maps.of(self)

    @cached_property
    def _grid(self) -> tuple[np.ndarray, np.ndarray]:
        """Gauss's rule on panels that are short at both ends of (0, pi), and everywhere for many lags."""
        ends = [
            np.pi * 2.0 ** np.arange(np.floor(np.log2(finest / np.pi)), 0)
            for finest in (self.learning_rate * self.curvature / 8, (2 - self.learning_rate) / 8)
        ]
        edges = np.concatenate([[0.0], ends[0], np.pi - ends[1][-2::-1], [np.pi]])
        pieces = np.ceil(np.diff(edges) * max(self.lags, 48) / 6).astype(int)
        low = np.repeat(edges[:-1], pieces)
        width = np.repeat(np.diff(edges) / pieces, pieces)
        low = low + width * (np.arange(len(low)) - np.repeat(np.cumsum(pieces) - pieces, pieces))
        omega, weight = gauss_panels(np.append(low, np.pi), _NODES)
        return omega, weight / np.pi


class _Maps(NamedTuple):
    """The linear maps (n, 1 + lags) of a multiplier to what psi is made of at n frequencies.

    With Lambda = R + i I, c = 1 - cos omega and s = sin omega:

        even, odd  R and I
        slack      a + eta^2 = 2 R (mu eta^2 + c (2 - eta (mu + 1))) + 2 eta (1 - mu) s I
        real       Re M12 = eta (2 c - eta (mu + 1)) R
        imaginary  Im M12 = 2 eta s R + eta^2 (1 - mu) I
    """

    even: np.ndarray
    odd: np.ndarray
    slack: np.ndarray
    real: np.ndarray
    imaginary: np.ndarray

    @classmethod
    def of(cls, program: Program) -> "_Maps":
        eta, mu = program.learning_rate, program.curvature
        phase = np.outer(program.omega, np.arange(program.lags + 1))
        even, odd = program.sign * np.cos(phase), np.sin(phase)
        even[:, 0] = 1.0
        c, s = 2 * np.sin(program.omega / 2)[:, None] ** 2, np.sin(program.omega)[:, None]
        slack = 2 * even * (mu * eta**2 + c * (2 - eta * (mu + 1))) + 2 * eta * (1 - mu) * s * odd
        real = eta * (2 * c - eta * (mu + 1)) * even
        imaginary = 2 * eta * s * even + eta**2 * (1 - mu) * odd
        return cls(even, odd, slack, real, imaginary)


class _Barrier(NamedTuple):
    """sharpness * mean(weight psi) - sum log |lambda_t| - log (lambda_0 - sum |lambda_t|), t != 0, and its least value.

    The gradient is that of psi in its second form, for |M12|^2 / a and M22 cancel where mu is near L.
    """

    program: Program
    weight: np.ndarray

    def objective(self, x: np.ndarray) -> float:
        return float(self.weight @ self.program.psi(x))

    def merit(self, x: np.ndarray, sharpness: float) -> float:
        rest = 2 * x[0] - x.sum()
        if min(rest, x.min(), self.program.slack(x).min()) <= 0:
            return np.inf
        return sharpness * self.objective(x) - np.log(rest) - np.log(x[1:]).sum()

    def centre(self, x: np.ndarray, sharpness: float) -> np.ndarray:
        """Damped Newton steps from `x` until the merit is within about .15 of its least."""
        for _ in range(_MOST_STEPS):
            gradient, curvature = self.derivatives(x, sharpness)
            unit = 1 / np.sqrt(np.diag(curvature))
            scaled = curvature * np.outer(unit, unit) + 1e-14 * np.eye(len(x))
            step = -unit * np.linalg.solve(scaled, unit * gradient)
            decrease = -gradient @ step
            if decrease < 0.3:
                return x
            x = x + self.length(x, step, decrease, sharpness) * step
        check.require(False, "Newton steps", _MOST_STEPS, "convergence before that")

    def length(self, x: np.ndarray, step: np.ndarray, decrease: float, sharpness: float) -> float:
        """The largest power of 1/2 that, times `step`, lowers the merit by a tenth of what its slope promises."""
        start = self.merit(x, sharpness)
        for length in 0.5 ** np.arange(_MOST_HALVINGS):
            if self.merit(x + length * step, sharpness) <= start - 0.1 * length * decrease:
                return float(length)
        check.require(False, "halvings of a Newton step", _MOST_HALVINGS, "a lower merit before that")

    def derivatives(self, x: np.ndarray, sharpness: float) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and Hessian of the merit; that of |M12|^2 / a is a square, for it is quadratic over linear."""
        program, maps = self.program, self.program._maps
        slack, spread = program.slack(x), (1 - program.curvature) ** 2
        each = 2 * program.learning_rate**4 * self.weight / slack
        gradient = (each * (1 + spread * (maps.even @ x))) @ maps.even + (each * spread * (maps.odd @ x)) @ maps.odd
        gradient -= (self.weight * program.psi(x) / slack) @ maps.slack
        root = np.sqrt(2 * self.weight / slack)[:, None]
        rows = np.concatenate([root * (part - (part @ x / slack)[:, None] * maps.slack) for part in (maps.real, maps.imaginary)])
        budget = -np.ones(len(x))
        budget[0] = 1.0
        rest = budget @ x
        gradient, curvature = sharpness * gradient - budget / rest, sharpness * rows.T @ rows
        gradient[1:] -= 1 / x[1:]
        curvature += np.outer(budget, budget) / rest**2
        curvature[np.arange(1, len(x)), np.arange(1, len(x))] += 1 / x[1:] ** 2
        return gradient, curvature
