"""Means over frequency with features at every scale: what the stationary theory integrates."""

from typing import NamedTuple, Protocol

import numpy as np

from core import check
from core.mechanisms.from_spectrum import Shaped

_REACH = 40.0  # 1/cosh(40) is below rounding


class Correlated(Protocol):
    """What the stationary theory asks of a mechanism: B(omega), the response of its noising filter."""

    def frequency_response(self, omega: np.ndarray) -> np.ndarray: ...


class Frequencies(NamedTuple):
    """Nodes u = log tan(omega/2), frequencies omega, and weights whose dot product with f is its mean; each (n,)."""

    u: np.ndarray
    omega: np.ndarray
    average: np.ndarray


def log_frequencies(smallest: float, per_unit: int = 4) -> Frequencies:
    """Frequencies from far below `smallest` to as near pi, `per_unit` of them for each factor e.

    In u the response of a gradient step is a bump 1/cosh(u - log r) at every scale, and the trapezoid rule converges
    like exp(-pi^2 per_unit) for every f whose zeros and poles z = exp(i omega) are real. Those of nu-FTRL, lambda-CGD,
    anti-PGD and the optimal noise are.

    Reference: Trefethen and Weideman 2014, The exponentially convergent trapezoidal rule, section 5.
    """
    reach = _REACH + max(0.0, -np.log(smallest))
    u = np.arange(-int(reach * per_unit), int(reach * per_unit) + 1) / per_unit
    return Frequencies(u, 2 * np.arctan(np.exp(u)), 1 / np.cosh(u) / (np.pi * per_unit))


def gauss_panels(edges: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's rule with `nodes` points on each panel between `edges` (k,): points and weights, each ((k-1) nodes,)."""
    node, weight = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + node)).ravel(), (half * weight).ravel()


def distance_squared(decrement, omega) -> np.ndarray:
    """|1 - exp(i omega) - decrement|^2 without cancellation at small omega: decrement^2 + 4 (1 - decrement) sin^2."""
    return decrement**2 + 4 * (1 - decrement) * np.sin(omega / 2) ** 2


def filtered_power(mechanism: Correlated, decrements) -> np.ndarray:
    """Power of a mechanism's noise as gradient steps feel it, (k,), for decrements e (k,) in (0, 2).

        v = e (2 - e) mean over omega of |B(omega)|^2 / |1 - exp(i omega) - e|^2

    Guarantees: 1 for independent noise, smaller where noise cancels; relative error below 1e-10 at every scale, also for
    a spectrum drawn with `from_spectrum`, whose kinks are ends of panels.
    Raises: ValueError when the response has features too narrow to be resolved.
    """
    rate = np.asarray(decrements) / (2 - np.asarray(decrements))
    if isinstance(mechanism, Shaped):
        return _kinked_power(mechanism, rate)
    previous = None
    for per_unit in (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048):
        u, omega, _ = log_frequencies(min(rate.min(), 1 / rate.max(), 1.0), per_unit)
        power = np.abs(mechanism.frequency_response(omega)) ** 2
        value = np.array([power @ (1 / np.cosh(u - shift)) for shift in np.log(rate)]) / (np.pi * per_unit)
        if previous is not None and np.allclose(value, previous, rtol=1e-11, atol=0):
            return value
        previous = value
    check.require(False, "mechanism", mechanism, "a frequency response without features narrower than 1e-3")


def _kinked_power(mechanism: Shaped, rate: np.ndarray) -> np.ndarray:
    """The means of `filtered_power` by Gauss's rule between the points through which the spectrum was drawn."""
    reach = np.ceil(_REACH + np.abs(np.log(rate)).max())
    kinks = np.log(np.tan(np.minimum(mechanism.frequencies, np.pi * (1 - 1e-15)) / 2))
    u, weight = gauss_panels(np.unique(np.concatenate([np.arange(-reach, reach + 1), kinks])), nodes=12)
    power = weight * mechanism.power(2 * np.arctan(np.exp(u)))
    return np.array([power @ (1 / np.cosh(u - shift)) for shift in np.log(rate)]) / np.pi
