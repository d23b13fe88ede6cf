"""Noise whose power spectrum is drawn: the minimum-phase coefficients of any spectrum given at a few frequencies.

Between the given frequencies log |B(omega)|^2 = L(omega) is linear in log omega, outside them constant. The outer
function with this power is B(z) = exp(l_0 / 2 + sum_n l_n z^n), where l_n are the cosine coefficients of L. On a piece of
slope s the derivative of L is s / omega, so that integration by parts leaves sine integrals and nothing is sampled:

    l_n = -1/(pi n) sum_k s_k (Si(n omega_{k+1}) - Si(n omega_k))            n >= 1
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import sici

from core import toeplitz
from core.check import require, vector, whole
from core.mechanisms.base import ToeplitzMechanism, read_only

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


def from_spectrum(frequencies, power) -> Shaped:
    """The causal noise, invertible and of least sensitivity, whose spectrum |B(omega)|^2 passes through the points given.

    `frequencies` (k,) rise in (0, pi] [radians per step]; `power` (k,) is positive. Only its shape matters: noise of
    twice the power has half the squared sensitivity.

    Guarantees: |B|^2 is `power` at `frequencies`, log-log straight between them, constant outside; the coefficients are
    those of the spectrum's logarithm (its cepstrum) to 1e-12, without sampling it; C is inverse to B and as causal.
    Raises: ValueError for frequencies that do not rise in (0, pi], power that is not positive, or a different number.
    Reference: the outer function of a spectrum (Szego, Kolmogorov); Oppenheim and Schafer, the complex cepstrum.
    """
    omega = vector("frequencies", frequencies, above=0)
    rises = bool(np.all(np.diff(omega) > 0)) and omega[-1] <= np.pi * (1 + 1e-12)
    require(rises, "frequencies", frequencies, "numbers that rise in (0, pi]")
    levels = np.log(vector("power", power, above=0, length=len(omega)))
    return Shaped(
        frequencies=tuple(np.minimum(omega, np.pi).tolist()), levels=tuple(levels.tolist()), arm="toeplitz",
        label=f"noise of a spectrum given at {len(omega)} frequencies",
    )


@dataclass(frozen=True, kw_only=True)
class Shaped(ToeplitzMechanism):
    """Noise with log |B|^2 = `levels` at `frequencies`, straight in log omega between them and constant outside."""

    frequencies: tuple[float, ...]
    levels: tuple[float, ...]

    def noising_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of B."""
        return _coefficients(self, whole("steps", steps, at_least=1))[0]

    def strategy_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of C."""
        return _coefficients(self, whole("steps", steps, at_least=1))[1]

    def limit_sensitivity(self) -> float:
        """Root of the mean of 1/|B|^2, piece by piece in closed form: on a piece 1/|B|^2 is a power of omega."""
        omega, level, slope = self.pieces()
        low, high = omega[:-1], omega[1:]
        exponent = 1 - slope
        # integral of omega^-slope from low to high, relative to low^exponent, also where the exponent vanishes
        span = np.log(high / low)
        growth = np.where(np.abs(exponent * span) < 1e-9, span, np.expm1(exponent * span) / np.where(exponent, exponent, 1.0))
        inside = np.exp(-level[:-1]) * low * growth
        ends = np.exp(-level[0]) * omega[0] + np.exp(-level[-1]) * (np.pi - omega[-1])
        return float(np.sqrt((inside.sum() + ends) / np.pi))

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """B(omega): its power as drawn, and the phase of the minimum-phase filter, which is the conjugate of L / 2.

        phase(omega) = -1/(2 pi) integral of L'(u) log |sin((u + omega)/2) / sin((u - omega)/2)| du
        """
        folded = _folded(omega)  # the response at -omega is the conjugate
        return np.sqrt(self.power(folded)) * np.exp(1j * np.sign(np.sin(omega)) * self._phase(folded))

    def power(self, omega: np.ndarray) -> np.ndarray:
        """|B(omega)|^2, for which the phase need not be known."""
        return np.exp(np.interp(np.log(np.maximum(_folded(omega), 1e-300)), np.log(self.frequencies), self.levels))

    def pieces(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Frequencies (k,), logarithms of the power there (k,), and the slopes (k-1,) in between."""
        omega, level = np.array(self.frequencies), np.array(self.levels)
        return omega, level, np.diff(level) / np.diff(np.log(omega))

    def _phase(self, omega: np.ndarray) -> np.ndarray:
        edges, _, slope = self.pieces()
        middle = (omega > 0) & (omega < np.pi)
        inside = np.where(middle, omega, 1.0)[..., None]
        low, high = np.log(edges[:-1]), np.log(edges[1:])
        area = _log_distance(low, high, 2 * np.pi - inside) - _log_distance(low, high, inside)
        return np.where(middle, -(area @ slope) / (2 * np.pi), 0.0)


def _folded(omega: np.ndarray) -> np.ndarray:
    """Frequencies in [0, pi] at which the power is the same."""
    return np.abs(np.remainder(np.asarray(omega, dtype=float) + np.pi, 2 * np.pi) - np.pi)


def _log_distance(low: np.ndarray, high: np.ndarray, pole: np.ndarray) -> np.ndarray:
    """Integral over x from low to high of log |2 sin((exp(x) - pole) / 2)|, (..., pieces), for poles (..., 1) in (0, 2 pi).

    log |x - log pole|, whose integral is known, carries the singularity; what is left is smooth, for Gauss's rule.
    """
    start, end = low - np.log(pole), high - np.log(pole)
    singular = _entropy(end) - _entropy(start)
    y = ((start + end) / 2)[..., None] + ((end - start) / 2)[..., None] * _NODES
    grown = np.where(y == 0, 1.0, np.expm1(y) / np.where(y == 0, 1.0, y))  # (exp(y) - 1) / y
    half = pole[..., None] * y * grown / 2  # (exp(x) - pole) / 2
    smooth = np.log(pole[..., None] * grown * np.sinc(half / np.pi))
    return singular + (end - start) / 2 * (smooth @ _WEIGHTS)


def _entropy(y: np.ndarray) -> np.ndarray:
    """Antiderivative of log |y|."""
    return y * np.log(np.where(y == 0, 1.0, np.abs(y))) - y


@lru_cache(maxsize=64)
def _coefficients(mechanism: Shaped, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """First columns (steps,) of B and of C = 1/B, from the logarithm of B as a power series."""
    omega, level, slope = mechanism.pieces()
    lag = np.arange(1, steps)
    sine_integral, _ = sici(np.outer(lag, omega))
    logarithm = np.zeros(steps)
    logarithm[1:] = -(np.diff(sine_integral, axis=1) @ slope) / (np.pi * lag)
    # the mean of L over frequency: L at pi less the area that each piece adds below
    logarithm[0] = (level[-1] - slope @ np.diff(omega) / np.pi) / 2
    return read_only(toeplitz.exponential(logarithm)), read_only(toeplitz.exponential(-logarithm))
