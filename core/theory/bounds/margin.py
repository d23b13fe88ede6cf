"""How well the features of a network at its start separate the classes: the margin that Assumption 3.3 asks for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.check import require

if TYPE_CHECKING:
    from core.problems.kan import Kan

MOST_RECORDS = 2000
"""Most records for which a margin is computed: the kernel of so many is factorised some fifteen times."""

_GAP = 1e-8  # between the squares of the margin and its upper bound, of the latter; rounding may spoil some of it
_NOTHING = 1e-6  # of the root mean square of the features: a margin that rounding cannot tell from none
_RIDGE = 1e-13  # keeps the factorisation alive on kernels without full rank; the residual does not see it
_ROUNDS = 60


class NtkMargin(NamedTuple):
    """The largest margin of any unit direction, and the direction.

    `gamma`: the margin that `direction` (outputs, features) has, <= 0 where the records are not separable or rounding
    cannot tell.
    `upper_bound`: no unit direction has more. `weights` (n,): the records that hold the margin, summing to 1.
    `status`: empty, or why Assumption 3.3 fails.
    """

    gamma: float
    direction: np.ndarray
    upper_bound: float
    weights: np.ndarray
    status: str


def ntk_margin(a: np.ndarray, h: np.ndarray, labels: np.ndarray) -> NtkMargin:
    """gamma = max over unit u of min_i y_i <a_i h_i', u>, for gradients of the output in outer-product form.

    `a` (n, outputs), `h` (n, features): a_i h_i' is the gradient at record i of the network's output f, not of its
    loss, as `output_factors` gives it. `labels` (n,) -1 or +1. No intercept. The dual is the shortest vector of the
    convex hull of the y_i a_i h_i', found by an interior point method on the kernel (a a') (h h'), entry by entry.

    It looks at the records, and so stands outside every privacy guarantee.

    Guarantees: `direction` has norm 1 and margin `gamma`; `upper_bound` is above every margin, and within 1e-6 of gamma
    relatively where the records are separable; `weights` are those of a support vector machine without intercept.
    Raises: ValueError for shapes that do not match, labels other than -1 and +1, more than MOST_RECORDS records.
    Reference: 2605.12648, Assumption 3.3.
    """
    a, h, labels = (np.asarray(array, dtype=float) for array in (a, h, labels))
    require(a.ndim == h.ndim == 2 and len(a) == len(h), "h", h.shape, f"a row for each of the {len(a)} rows of a")
    require(labels.shape == (len(a),), "labels", labels.shape, f"shape {(len(a),)}")
    require(bool((np.abs(labels) == 1).all()), "labels", np.unique(labels)[:5].tolist(), "-1 or +1")
    require(1 <= len(a) <= MOST_RECORDS, "records", len(a), f"from 1 to {MOST_RECORDS}: take some of them")
    signed = labels[:, None] * a
    kernel = (signed @ signed.T) * (h @ h.T)
    scale = float(np.trace(kernel)) / len(a)
    require(np.isfinite(scale) and scale > 0, "mean squared norm of the features", scale, "> 0 and finite")
    weights = _shortest_in_hull(kernel / scale)
    direction = (weights[:, None] * signed).T @ h
    upper_bound = float(np.linalg.norm(direction))
    separable = upper_bound > _NOTHING * scale**0.5
    direction /= upper_bound if upper_bound > 0 else 1.0
    gamma = float(np.einsum("no,of,nf->n", signed, direction, h, optimize=True).min())
    status = "" if separable and gamma > 0 else (
        f"Assumption 3.3 fails: no direction separates these {len(a)} records in the network's features at its start,"
        f" the best margin found is {gamma:.1g}, so no theorem of the paper applies."
    )
    return NtkMargin(gamma if separable else min(gamma, 0.0), direction, upper_bound, weights, status)


def output_factors(problem: Kan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`a` (n, width), `h` (n, features), labels (n,) of a KAN at its start, for `ntk_margin`: a_i h_i' = grad f(x_i).

    The gradients of the loss with label -1 and +1 are s(f) and -s(-f) times that of f, and s(f) + s(-f) = 1.

    Guarantees: a_i h_i' is the gradient of the output by automatic differentiation.
    Raises: ValueError for more than MOST_RECORDS records.
    """
    count = problem.n_samples
    require(count <= MOST_RECORDS, "records", count, f"at most {MOST_RECORDS}: take some of them")
    batch, theta = problem.batch(slice(None)), problem.start[None, None]
    ones = batch.labels.new_ones(batch.labels.shape)
    negative, positive = (problem.factors(theta, replace(batch, labels=sign * ones))[0][0, 0] for sign in (-1, 1))
    return tuple(tensor.cpu().double().numpy() for tensor in (negative - positive, batch.features, batch.labels))


def _shortest_in_hull(kernel: np.ndarray) -> np.ndarray:
    """p (n,) >= 0 summing to 1 that minimises p' K p: Mehrotra's predictor and corrector, one factorisation a round.

    Stops when the margin of the direction found is within _GAP of p' K p, which bounds every margin, or when p' K p is
    too small to matter.
    """
    from scipy.linalg import cho_factor, cho_solve

    n = len(kernel)
    weights, slack, level = np.full(n, 1 / n), np.ones(n), 0.0
    for _ in range(_ROUNDS):
        product = kernel @ weights
        energy = float(weights @ product)
        if energy <= _NOTHING**2 or energy - product.min() <= _GAP * energy:
            break
        factor = cho_factor(kernel + np.diag(slack / weights + _RIDGE), lower=True, check_finite=False)
        ones = cho_solve(factor, np.ones(n), check_finite=False)
        newton = partial(_newton, partial(cho_solve, factor, check_finite=False), ones, level - product, weights, slack)
        step, change, _ = newton(np.zeros(n))
        length = min(_reach(weights, step), _reach(slack, change))
        mean = weights @ slack / n
        centred = ((weights + length * step) @ (slack + length * change) / n / mean) ** 3 * mean
        step, change, lift = newton(centred - step * change)
        length = 0.99 * min(_reach(weights, step), _reach(slack, change))
        weights, slack, level = weights + length * step, slack + length * change, level + length * lift
    return weights / weights.sum()


def _newton(solve, ones, residual, weights, slack, target) -> tuple[np.ndarray, np.ndarray, float]:
    """Newton's step in p, slack and level towards K p = level + slack, sum p = 1 and p slack = target."""
    free = solve(residual + target / weights)
    lift = (1 - weights.sum() - free.sum()) / ones.sum()
    step = free + lift * ones
    return step, (target - slack * step) / weights - slack, lift


def _reach(values: np.ndarray, step: np.ndarray) -> float:
    """Longest part of a step, at most all of it, that keeps the values from turning negative."""
    falling = step < 0
    return min(1.0, float((-values[falling] / step[falling]).min(initial=np.inf)))
