"""The best banded C: columns further apart than the band are orthogonal, so that a record may return.

    minimise  |A inverse(C)|^2   over lower-triangular C of few bands with columns of norm 1, A'A the workload

X = C'C is banded too, and the problem convex in it. Its dual has a multiplier for each entry that X may not have:

    error >= (tr (A Y A')^(1/2))^2 / tr Y       for every Y >= 0 that vanishes on the band but for the diagonal

At the optimum Y = inverse(X) M inverse(X) does; elsewhere it is projected, and made positive on the diagonal.
"""

import numpy as np
from scipy.linalg.lapack import dtbtrs

from core.mechanisms.banded import root_coef

_CHECKED = 10  # iterations between two evaluations of the bound, which takes two eigenvalue problems


def solve_banded(factor: np.ndarray, bands: int, tolerance: float) -> tuple[np.ndarray, float]:
    """The strategy matrix (steps, steps) and a lower bound on the error of any with as many bands, by quasi-Newton steps.

    `factor` is A (rank, steps). An iteration takes O(steps rank bands) time.
    """
    from scipy.optimize import minimize  # takes half a second to import

    steps = factor.shape[1]
    inside = np.add.outer(np.arange(bands), np.arange(steps)) < steps  # row k holds the diagonal k below the main one
    workload = np.asfortranarray(factor.T)
    best = {"bound": 0.0, "count": 0}

    def columns(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        band = np.zeros((bands, steps))
        band[inside] = x
        norms = np.linalg.norm(band, axis=0)
        return np.asfortranarray(band / norms), norms

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        band, norms = columns(x)
        reached, _ = dtbtrs(band, workload, uplo="L", trans="T")
        back, _ = dtbtrs(band, reached, uplo="L", trans="N")
        error = np.vdot(reached, reached)
        gradient = np.zeros((bands, steps))
        for lag in range(bands):
            gradient[lag, : steps - lag] = -2 * np.einsum("ij,ij->i", reached[lag:], back[: steps - lag])
        gradient = (gradient - band * np.sum(gradient * band, axis=0)) / norms  # along columns of one norm
        return float(np.log(error)), gradient[inside] / error

    def enough(x: np.ndarray) -> None:
        best["count"] += 1
        if best["count"] % _CHECKED == 0:
            best["bound"] = max(best["bound"], _bound(factor, _matrix(columns(x)[0]), bands))
            if np.exp(cost(x)[0]) <= (1 + tolerance) * best["bound"]:
                raise StopIteration

    start = np.broadcast_to(root_coef(bands, -1)[:, None], inside.shape)[inside]
    options = {"maxiter": 1000, "maxfun": 2000, "maxcor": 20, "ftol": 0, "gtol": 1e-12}
    found = minimize(cost, start, jac=True, method="L-BFGS-B", callback=enough, options=options)
    strategy = _matrix(columns(found.x)[0])
    return strategy, max(best["bound"], _bound(factor, strategy, bands))


def _matrix(band: np.ndarray) -> np.ndarray:
    return sum(np.diag(row[: len(row) - lag], -lag) for lag, row in enumerate(band))


def _bound(factor: np.ndarray, strategy: np.ndarray, bands: int) -> float:
    """The dual at the projection of Y = inverse(X) M inverse(X)."""
    inverse = np.linalg.inv(strategy)
    back = factor @ inverse @ inverse.T
    dual = back.T @ back
    diagonal = np.diag(dual).copy()
    band = np.abs(np.subtract.outer(np.arange(len(dual)), np.arange(len(dual)))) < bands
    dual[band] = 0.0
    dual[np.diag_indices_from(dual)] = diagonal
    lowest = np.linalg.eigvalsh(dual)[0] - 1e-12 * np.trace(dual)
    dual[np.diag_indices_from(dual)] += max(-lowest, 0.0)
    roots = np.sqrt(np.maximum(np.linalg.eigvalsh(factor @ dual @ factor.T), 0.0))
    return float(roots.sum() ** 2 / np.trace(dual))
