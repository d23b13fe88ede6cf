"""A mechanism given by any lower-triangular strategy matrix."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy.linalg import solve_triangular

from core.check import require, whole
from core.mechanisms.base import MatrixMechanism, check_pattern, read_only


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

    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float:
        """Largest column norm of C; with several participations the norm of the sum of columns 0, b, ... [clip_norm].

        The latter is the worst pattern where the inner products G of the columns are non-negative and do not rise when
        two columns move apart or move later together (checked, with 1e-12 of the largest for rounding).

        Raises: ValueError when the participations do not fit into `steps`, or G does not have that shape.
        """
        steps, participations, separation = check_pattern(steps, participations, separation)
        columns = self.strategy_matrix(steps)
        if participations == 1:
            return float(np.sqrt(np.max(np.sum(columns**2, axis=0))))
        gram = columns.T @ columns
        slack = 1e-12 * gram.max()
        upper = np.triu_indices(steps - 1)
        apart = (gram[:, 1:] - gram[:, :-1])[upper]
        later = (gram[1:, 1:] - gram[:-1, :-1])[upper]
        require(
            gram.min() >= -slack and apart.max(initial=0) <= slack and later.max(initial=0) <= slack,
            "participations", participations,
            f"1 for {self.label}: with several the worst pattern of columns of this matrix is not known exactly",
        )
        chosen = np.arange(participations) * separation
        return float(np.sqrt(gram[np.ix_(chosen, chosen)].sum()))

    def stream(self, shape, generator, device="cpu", dtype=None):
        """Correlated noise (*shape) one step after the other, for as many steps as C has rows; every draw is kept.

        Raises: ValueError on the step after the last.
        """
        from core.mechanisms import sampling

        blocks = sampling.seed_blocks(shape, generator, device, dtype)
        return sampling.stream_matrix(self.noising_matrix(self.rows), blocks)


@lru_cache(maxsize=8)
def _inverse(mechanism: Dense) -> np.ndarray:
    return read_only(solve_triangular(mechanism.strategy_matrix(mechanism.rows), np.eye(mechanism.rows), lower=True))
