"""Square roots with a short memory: C, or its inverse, cut to a band."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import toeplitz
from core.check import whole
from core.mechanisms.base import ToeplitzMechanism, read_only


@dataclass(frozen=True, kw_only=True)
class BandedStrategy(ToeplitzMechanism):
    """Noise whose C has finitely many coefficients `taps`, the first one 1: noise_t = z_t - sum_j taps_j noise_(t-j).

    Columns at least as far apart as there are taps are orthogonal.
    """

    taps: tuple[float, ...]

    def noising_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of B: the power series of 1/C."""
        return read_only(toeplitz.inverse(np.array(self.taps), whole("steps", steps, at_least=1)))

    def strategy_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of C: the taps, zero beyond."""
        return read_only(toeplitz.resize(np.array(self.taps), whole("steps", steps, at_least=1)))

    def limit_sensitivity(self) -> float:
        """Norm of the taps."""
        return float(np.linalg.norm(self.taps))

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """B(omega) = 1 / sum_t taps_t exp(i omega t)."""
        return 1 / np.polynomial.polynomial.polyval(np.exp(1j * np.asarray(omega, dtype=float)), np.array(self.taps))

    def correlate(self, blocks):
        """Noise one step after the other, keeping as many past steps of it as there are taps."""
        from core.mechanisms import sampling

        return sampling.stream_recursion(np.array(self.taps), blocks)

    def buffers(self, steps: int) -> int:
        """One for each tap but the first."""
        return min(len(self.taps), whole("steps", steps, at_least=1)) - 1

    def operations(self, steps: int) -> float:
        """One for each tap but the first."""
        return float(len(self.taps) - 1)


def root_coef(bands: int, sign: float) -> np.ndarray:
    """The first `bands` coefficients of (1 - z)^(sign / 2)."""
    lag = np.arange(1, bands)
    return np.cumprod(np.concatenate([[1.0], (lag - 1 - sign / 2) / lag]))
