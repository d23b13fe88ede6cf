"""Algebra of lower-triangular Toeplitz matrices held as their first column.

The matrix of `coef` (n,) has `coef[t - s]` in row t, column s <= t, so that multiplying matrices is multiplying power
series and dropping what lies beyond z^(n-1). Coefficients beyond the end of a short array are zero.
"""

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.linalg.lapack import dtbtrs

_SHORT = 256  # lengths and bandwidths up to here are faster, and exact to the last digits, without Fourier transforms


def dense(coef: np.ndarray) -> np.ndarray:
    """The matrix itself, (n, n), of its first column (n,)."""
    coef = np.asarray(coef, dtype=float)
    lag = np.subtract.outer(np.arange(len(coef)), np.arange(len(coef)))
    return np.where(lag >= 0, coef[lag], 0.0)


def resize(coef: np.ndarray, steps: int) -> np.ndarray:
    """The first `steps` coefficients, (steps,): cut, or filled up with zeros; always a new array."""
    out = np.zeros(steps)
    kept = min(steps, len(coef))
    out[:kept] = coef[:kept]
    return out


def multiply(coef: np.ndarray, x: np.ndarray, axis: int = 0) -> np.ndarray:
    """The matrix of `coef` times `x` along `axis`: y_t = sum_{s <= t} coef_{t-s} x_s, of the shape of `x`."""
    x = np.moveaxis(np.asarray(x, dtype=float), axis, 0)
    steps = len(x)
    column = resize(coef, steps)
    if steps <= _SHORT:
        product = np.tensordot(dense(column), x, axes=1)
    else:
        size = next_fast_len(2 * steps - 1, real=True)
        response = rfft(column, size).reshape((-1,) + (1,) * (x.ndim - 1))
        product = irfft(response * rfft(x, size, axis=0), size, axis=0)[:steps]
    return np.moveaxis(product, 0, axis)


def inverse(coef: np.ndarray, steps: int | None = None) -> np.ndarray:
    """First column (steps,) of the inverse matrix: the power series 1 / sum_t coef_t z^t, with coef_0 != 0.

    Forward substitution where the column or its band is short, else Newton's iteration g <- g (2 - coef g), which
    doubles the number of right coefficients each time.

    Guarantees: `multiply(coef, inverse(coef))` is (1, 0, ..., 0) to rounding, in O(steps log steps) time.
    """
    coef = np.asarray(coef, dtype=float)
    steps = len(coef) if steps is None else steps
    width = 1 + int(np.flatnonzero(coef)[-1])
    if min(width, steps) <= _SHORT:
        return _substitute(coef[:width], steps)
    half = inverse(coef[:width], (steps + 1) // 2)
    residual = -multiply(coef, resize(half, steps))
    residual[0] += 2.0
    return multiply(half, residual)


def exponential(coef: np.ndarray) -> np.ndarray:
    """Coefficients (n,) of exp(sum_t coef_t z^t).

    Newton's iteration y <- y (1 + coef - log y), where log y is the integral of y'/y.

    Guarantees: exponential of the sum of two series is the product of their exponentials, to rounding.
    """
    coef = np.asarray(coef, dtype=float)
    steps = len(coef)
    if steps == 1:
        return np.exp(coef)
    half = resize(exponential(coef[: (steps + 1) // 2]), steps)
    lag = np.arange(steps)
    logarithm = multiply(inverse(half), lag * half) / np.maximum(lag, 1)
    logarithm[0] = np.log(half[0])
    correction = coef - logarithm
    correction[0] += 1.0
    return multiply(half, correction)


def _substitute(coef: np.ndarray, steps: int) -> np.ndarray:
    width = min(len(coef), steps)
    band = np.tile(coef[:width, None], (1, steps))
    right = np.zeros((steps, 1))
    right[0] = 1.0
    solution, _ = dtbtrs(band, right, uplo="L")
    return solution[:, 0]
