"""The Toeplitz noise of least error for so many steps, on any quadratic workload."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import toeplitz
from core.mechanisms.families import Taps


@dataclass(frozen=True, kw_only=True)
class Finite(Taps):
    """Coefficients chosen for one number of steps; zero beyond."""

    anytime = False


@lru_cache(maxsize=16)
def best_coef(gram: bytes, steps: int) -> tuple[float, ...]:
    """Coefficients (steps,) of least (sum of c_t^2) (sum of gram[t, k] (B B')[t, k]), C = 1/B, the first one 1.

    Written in the logarithm l of B(z) = exp(l(z)), so that C = exp(-l) and both factors have gradients that are power
    series products, a quasi-Newton method needs a few dozen steps, from whatever start.

    `gram` holds the bytes of a float64 matrix (steps, steps), so that the last few answers are kept.
    """
    from scipy.optimize import minimize  # takes half a second to import

    form = np.frombuffer(gram).reshape(steps, steps).copy()
    for row in range(steps - 2, -1, -1):  # columns of B are its first one moved down: sum the workload along diagonals
        form[row, :-1] += form[row + 1, 1:]
    if steps == 1:
        return (1.0,)
    form /= np.abs(form).max()

    def cost(tail: np.ndarray) -> tuple[float, np.ndarray]:
        logarithm = np.concatenate([[0.0], tail])
        noising = toeplitz.exponential(logarithm)
        strategy = toeplitz.inverse(noising)  # exp(-logarithm), at half the price
        reach = form @ noising
        error, charge = noising @ reach, strategy @ strategy
        gradient = _adjoint(noising, 2 * reach / error) - _adjoint(strategy, 2 * strategy / charge)
        return float(np.log(error) + np.log(charge)), gradient[1:]

    start = -0.5 / np.arange(1, steps)  # the logarithm of (1 - z)^(1/2)
    options = {"maxiter": 1000, "maxcor": 20, "ftol": 1e-12, "gtol": 1e-9}
    found = minimize(cost, start, jac=True, method="L-BFGS-B", options=options)
    return tuple(toeplitz.exponential(np.concatenate([[0.0], found.x])).tolist())


def _adjoint(coef: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The transpose of the Toeplitz matrix of `coef` times `x`."""
    return toeplitz.multiply(coef, x[::-1])[::-1]
