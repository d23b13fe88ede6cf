"""A mechanism given by any lower-triangular strategy matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy.linalg import solve_triangular

from core.check import require, whole
from core.mechanisms.base import MatrixMechanism, read_only


@dataclass(frozen=True, kw_only=True)
class Dense(MatrixMechanism):
    """Noise inverse(C) Z of a lower-triangular C, held as the bytes of its float64 rows so that it is a value.

    For fewer steps than C has rows, its leading block is used, which is what C does to the first steps.
    """

    anytime = False

    rows: int
    entries: bytes = field(repr=False)

    def strategy_matrix(self, steps: int) -> np.ndarray:
        """The leading (steps, steps) block of C."""
        steps = whole("steps", steps, at_least=1, at_most=self.rows)
        return np.frombuffer(self.entries).reshape(self.rows, self.rows)[:steps, :steps]

    def noising_matrix(self, steps: int) -> np.ndarray:
        """B = inverse of C, (steps, steps), lower triangular."""
        steps = whole("steps", steps, at_least=1, at_most=self.rows)
        return _inverse(self)[:steps, :steps]

    def correlate(self, blocks):
        """Noise one step after the other, for as many steps as C has rows; every draw is kept.

        Raises: ValueError on the step after the last.
        """
        from core.mechanisms import sampling

        return sampling.stream_matrix(self.noising_matrix(self.rows), blocks)


def lower_root(gram: np.ndarray) -> np.ndarray:
    """The lower-triangular C (n, n) with C'C = `gram`, which is positive definite, and with a positive diagonal.

    Noise inverse(C) Z is any Gaussian noise of covariance inverse(gram), in an order that adaptive inputs may follow.
    """
    return np.ascontiguousarray(np.linalg.cholesky(gram[::-1, ::-1]).T[::-1, ::-1])


@lru_cache(maxsize=8)
def _inverse(mechanism: Dense) -> np.ndarray:
    return read_only(solve_triangular(mechanism.strategy_matrix(mechanism.rows), np.eye(mechanism.rows), lower=True))
