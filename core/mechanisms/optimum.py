"""The Toeplitz noise of least stationary error on a quadratic problem, in closed form.

On Gaussian linear regression the stationary suboptimality that the noise causes is proportional to

    (mean over omega of |B|^2 h) (mean of 1/|B|^2)     h = sum_j g_j / |1 - a_j z|^2,   z = exp(i omega)

with a_j = 1 - learning_rate eigenvalue_j, so that |B|^2 = h^(-1/2) is best (Cauchy-Schwarz). Since h is a rational
function with poles a_j and zeros b_j between them, the outer function with this power is

    B(z) = prod_j (1 - a_j z)^(1/2) / prod_j (1 - b_j z)^(1/2)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import toeplitz
from core.check import whole
from core.mechanisms.base import ToeplitzMechanism, read_only

_PANEL_NODES = 20
_OFFSETS = 128


@dataclass(frozen=True, kw_only=True)
class Interlaced(ToeplitzMechanism):
    """Noise with B(z) = prod (1 - a_j z)^(1/2) / prod (1 - b_j z)^(1/2), where 1 - a_j = `rates`, 1 - b_j = `gaps`.

    Guarantees: the coefficients of C = 1/B are non-negative and never rise, for the zeros interlace with the poles.
    """

    rates: tuple[float, ...]
    gaps: tuple[float, ...]

    def noising_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of B."""
        return _coefficients(self, whole("steps", steps, at_least=1))[0]

    def strategy_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of C."""
        return _coefficients(self, whole("steps", steps, at_least=1))[1]

    def limit_sensitivity(self) -> float:
        """Root of the mean of 1/|B(omega)|^2, by Gauss's rule on panels that shrink towards omega = 0."""
        finest = min(self.rates) / 4
        edges = np.concatenate([[0.0], np.pi * 2.0 ** np.arange(-np.ceil(np.log2(np.pi / finest)), 1)])
        node, weight = np.polynomial.legendre.leggauss(_PANEL_NODES)
        half = np.diff(edges)[:, None] / 2
        omega = (edges[:-1, None] + half * (1 + node))[..., None]
        power = _distance(self.rates, omega)
        power[..., :-1] /= _distance(self.gaps, omega)
        return float(np.sqrt(np.sum(half * weight / np.prod(power**0.5, axis=-1)) / np.pi))

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """B(omega), as the product that it is."""
        z = np.exp(1j * np.asarray(omega, dtype=float))[..., None]
        zeros, poles = 1 - np.array(self.rates), 1 - np.array(self.gaps)
        factors = 1 - zeros * z
        factors[..., :-1] /= 1 - poles * z  # neighbours in pairs, each near 1, lest the product of hundreds underflow
        return np.prod(factors**0.5, axis=-1)


def interlace(rates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Zeros of h = sum_j weights_j / |1 - (1 - rates_j) z|^2, as gaps 1 - b, (d-1,), one between neighbouring rates.

    With a = 1 - rate and q = (1 - a)^2 / (2 a), h is sum_j weights_j / (2 a_j) / (q_j + 1 - cos omega): it has one
    zero in 1 - cos omega between two poles -q_j, found for all by bisection at once.

    `rates` (d,) rise strictly and lie in (0, 1); `weights` (d,) are positive.
    """
    pole = rates**2 / (2 * (1 - rates))
    weight = weights / (2 * (1 - rates))
    low, high = np.zeros(len(rates) - 1), np.diff(pole)
    # offsets from the pole on the left keep all digits of a zero that almost meets it
    from_left = np.subtract.outer(pole[:-1], pole)
    for _ in range(60):
        middle = (low + high) / 2
        right = np.sum(weight / (from_left + middle[:, None]), axis=1) < 0
        low, high = np.where(right, low, middle), np.where(right, middle, high)
    zero = pole[:-1] + (low + high) / 2
    return np.sqrt(zero * (zero + 2)) - zero


def merge(rates: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates in rising order without repetitions (equal to 12 digits), and the sums of their weights."""
    order = np.argsort(rates)
    rates, weights = rates[order], weights[order]
    first = np.flatnonzero(np.concatenate([[True], np.diff(rates) > 1e-12 * rates[1:]]))
    return rates[first], np.add.reduceat(weights, first)


def _distance(rates: tuple[float, ...], omega: np.ndarray) -> np.ndarray:
    """|1 - (1 - rate) exp(i omega)|^2, without cancellation at low frequencies."""
    rate = np.array(rates)
    return rate**2 + 4 * (1 - rate) * np.sin(omega / 2) ** 2


@lru_cache(maxsize=64)
def _coefficients(mechanism: Interlaced, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """First columns (steps,) of B and of C, whose logarithm is the power series of sum_j (a_j^t - b_j^t) / (2 t)."""
    base = np.log1p(-np.array(mechanism.rates + mechanism.gaps))
    sign = np.repeat([1.0, -1.0], [len(mechanism.rates), len(mechanism.gaps)])
    # x^(start + offset) = x^start x^offset: the sum over x is a matrix product of few exponentials
    start, offset = np.arange(0, steps, _OFFSETS), np.arange(_OFFSETS)
    powers = (np.exp(np.outer(start, base)) * sign) @ np.exp(np.outer(base, offset))
    lag = np.arange(steps)
    logarithm = powers.ravel()[:steps] / np.maximum(2 * lag, 1)
    logarithm[0] = 0.0
    return read_only(toeplitz.exponential(-logarithm)), read_only(toeplitz.exponential(logarithm))
