"""Noise of any number of noisy sums, read by least squares: mechanisms given by a Gram matrix of their sums."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import solve_triangular

from core.check import whole
from core.mechanisms.base import MatrixMechanism, read_only
from core.mechanisms.matrix import lower_root


@dataclass(frozen=True, kw_only=True)
class LeastSquares(MatrixMechanism):
    """Sums S x of all steps, each with unit noise, read by least squares; G = S'S says all there is to know.

    The noise of the reading is Gaussian with covariance inverse(G), so it equals inverse(C) Z in distribution for the
    lower-triangular C with C'C = G, which is private for adaptive inputs and has columns of the same norms.

    Guarantees: no other linear reading of the sums has less noise on any prefix sum.
    Reference: Denisov et al., 2202.08312, Theorem 2.1 and Section 4.
    """

    anytime = False

    @abstractmethod
    def gram(self, steps: int) -> np.ndarray:
        """G (steps, steps), positive definite: inner products of the columns of S."""

    def strategy_matrix(self, steps: int) -> np.ndarray:
        """C (steps, steps), lower triangular with C'C = G."""
        return _roots(self, whole("steps", steps, at_least=1))[0]

    def noising_matrix(self, steps: int) -> np.ndarray:
        """B = inverse of C, (steps, steps), lower triangular."""
        return _roots(self, whole("steps", steps, at_least=1))[1]


@dataclass(frozen=True, kw_only=True)
class Circulant(LeastSquares):
    """The FFT mechanism: prefix sums as the upper left quarter of a circulant matrix, whose root is a Fourier transform.

    The first column of the circulant of 2 steps is (1, ..., 1, 0, ..., 0), its eigenvalues s its Fourier transform; S
    holds the first `steps` columns of its square root, so G is Toeplitz with first column the inverse transform of |s|.

    Reference: Choquette-Choo et al., 2211.06530, Section 3 (with the optimal decoder); 2310.06771, Table 3.
    """

    def gram(self, steps: int) -> np.ndarray:
        """Toeplitz (steps, steps)."""
        lag = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
        ones = np.repeat([1.0, 0.0], steps)
        return np.fft.irfft(np.abs(np.fft.rfft(ones)), 2 * steps)[lag]


@lru_cache(maxsize=16)
def _roots(mechanism: LeastSquares, steps: int) -> tuple[np.ndarray, np.ndarray]:
    strategy = lower_root(mechanism.gram(steps))
    return read_only(strategy), read_only(solve_triangular(strategy, np.eye(steps), lower=True))
