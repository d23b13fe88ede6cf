"""The best noise of all: any lower-triangular C of as many steps as a quadratic workload has, with a proof of how good it is.

With columns of C of norm at most 1 and noise of covariance inverse(C'C), the error of a workload with Gram matrix M is

    minimise  tr(M inverse(X))   over X = C'C positive definite with diagonal at most 1

For any weights v >= 0, X = A'(A V A')^(-1/2) A with A'A = M minimises tr(M inverse(X)) + sum_i v_i X_ii, so that

    error >= (tr (A V A')^(1/2))^2 / sum(v)             for every v: the dual
    error <= max_i X_ii tr (A V A')^(1/2)               for X scaled down to fit

and both meet where X_ii is the same wherever v_i > 0. The dual is smooth in log v; a quasi-Newton method climbs it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from core.check import real, require, square, whole
from core.mechanisms.matrix import lower_root

_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Optimum:
    """A strategy matrix (steps, steps) whose longest column has norm 1, what it reaches, and what none can fall below."""

    strategy_matrix: np.ndarray
    error: float
    lower_bound: float

    @property
    def gap(self) -> float:
        """How much larger than the least possible the error may at most be, relatively."""
        return self.error / self.lower_bound - 1


def solve(gram: np.ndarray, bands: int | None = None, tolerance: float = 5e-4) -> Optimum:
    """The C of least error for the workload `gram` (steps, steps): sum(gram * (B @ B.T)), B = inverse(C), norms at most 1.

    With `bands`, C has that many bands and all its columns have norm 1. A workload that leaves directions free, such as
    the last iterate of few dimensions, would have infinite noise there: tolerance / 3 of the diagonal of X prevents it.

    Guarantees: `gap` is true, from a feasible point of the dual, whatever the search did; it is below `tolerance` unless
    bands meet a workload that is nearly singular.
    Raises: ValueError for a matrix that is not symmetric, positive semidefinite and other than 0.
    Reference: Denisov et al., 2202.08312, Section 4 (the dual, its fixed point); Choquette-Choo et al., 2306.08153 (bands).
    """
    from core.mechanisms.banded_optimum import solve_banded

    matrix = check_gram(gram)
    tolerance = real("tolerance", tolerance, above=0, below=1)
    scale = np.trace(matrix)
    matrix /= scale
    bands = check_bands(bands, len(matrix))
    if bands is None:
        strategy, bound = _climb(matrix, tolerance)
    else:
        strategy, bound = solve_banded(_factor(matrix), bands, tolerance)
    strategy /= np.linalg.norm(strategy, axis=0)
    return Optimum(strategy, scale * _error(matrix, strategy), scale * bound)


def check_gram(gram: np.ndarray) -> np.ndarray:
    """Return `gram` as a float array (n, n) after checking that it is symmetric, positive semidefinite and not zero."""
    matrix = square("gram", gram)
    size = np.abs(matrix).max()
    require(size > 0 and np.abs(matrix - matrix.T).max() <= 1e-9 * size, "gram", matrix.shape, "a symmetric matrix, not zero")
    require(np.linalg.eigvalsh(matrix)[0] >= -1e-9 * len(matrix) * size, "gram", matrix.shape, "a positive semidefinite matrix")
    return (matrix + matrix.T) / 2


def check_bands(bands: int | None, steps: int) -> int | None:
    """Return `bands` after checking that it is a whole number up to `steps`; None where so many restrict nothing."""
    if bands is None or whole("bands", bands, at_least=1, at_most=steps) == steps:
        return None
    return int(bands)


def _factor(gram: np.ndarray) -> np.ndarray:
    """A (rank, steps) with A'A = gram but for eigenvalues below rounding, left out: the bound stays one."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-13 * values[-1]
    return (vectors[:, kept] * np.sqrt(values[kept])).T


def _error(gram: np.ndarray, strategy: np.ndarray) -> float:
    noising = solve_triangular(strategy, np.eye(len(gram)), lower=True)
    return float(np.vdot(gram @ noising, noising))


def _climb(gram: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """The best strategy matrix found on the way to the top of the dual, and the dual's value there.

    The roots of eigenvalues are smoothed by less than the tolerance, or rounding would steer where the workload is
    nearly singular; the bound is that of the unsmoothed roots.
    """
    from scipy.optimize import minimize  # takes half a second to import

    factor = _factor(gram)
    smooth = (tolerance / (16 * len(gram))) ** 2
    top = _Top()
    weights = np.linalg.norm(factor, axis=0)
    weights = np.maximum(weights, 1e-9 * weights.max())
    weights /= weights.sum()
    for _ in range(_ROUNDS):  # a line search may fail for rounding: begin again where it stands
        start, unit = weights, np.sqrt(weights)  # in x = unit log(v / start) the dual curves about equally in all directions

        def cost(x: np.ndarray, start=start, unit=unit) -> tuple[float, np.ndarray]:
            weights = start * np.exp(x / unit)
            values, vectors = np.linalg.eigh((factor * weights) @ factor.T)
            values = np.maximum(values, 0.0)
            roots, seen, total = np.sqrt(values + smooth), vectors.T @ factor, weights.sum()
            diagonal = (1 / roots) @ seen**2
            top.see(np.sqrt(values).sum() ** 2 / total, weights / total, seen / np.sqrt(roots)[:, None], roots.sum() / total)
            return float(np.log(total) - 2 * np.log(roots.sum())), weights * (1 / total - diagonal / roots.sum()) / unit

        def enough(x: np.ndarray) -> None:
            top.descend(gram, tolerance / 3)
            if top.error <= (1 + tolerance) * top.bound:
                raise StopIteration

        options = {"maxiter": 200, "maxfun": 400, "maxcor": 30, "ftol": 0, "gtol": 0}
        box = [(-8 * each, 8 * each) for each in unit]
        minimize(cost, np.zeros(len(unit)), jac=True, method="L-BFGS-B", bounds=box, callback=enough, options=options)
        top.descend(gram, tolerance / 3)
        if top.error <= (1 + tolerance) * top.bound:
            break
        weights = np.maximum(top.weights, 1e-14)
    return top.strategy, top.bound


@dataclass
class _Top:
    """The highest point of the dual so far, and the best strategy matrix so far."""

    bound: float = 0.0
    error: float = np.inf
    strategy: np.ndarray | None = None

    def see(self, bound: float, weights: np.ndarray, root: np.ndarray, level: float) -> None:
        """Keep a point if it is higher: weights, R with X = R'R, and what X_ii should be where weights are positive."""
        if bound > self.bound:
            self.bound, self.weights, self.root, self.level = bound, weights, root, level

    def descend(self, gram: np.ndarray, slack: float) -> None:
        """From the highest point make two X that fit: scaled down as a whole, or in each row and column too long.

        What is then left of the diagonal is filled up, for it is privacy for free.
        """
        diagonal = np.sum(self.root**2, axis=0)
        for lengths in (np.full(len(gram), diagonal.max()), np.maximum(diagonal, self.level)):
            fitted = self.root / np.sqrt(lengths)
            fit = (1 - slack) * fitted.T @ fitted
            fit[np.diag_indices_from(fit)] = 1.0
            strategy = lower_root(fit)
            error = _error(gram, strategy)
            if error < self.error:
                self.error, self.strategy = error, strategy
