"""Estimates that are not trained step by step: least squares, AdaSSP, and what clipped gradient descent estimates."""

from dataclasses import dataclass

import numpy as np

from core import mechanisms, privacy
from core.check import choice, real, require, whole
from core.learners.randomness import role_seeds
from core.problems.designs import Records

_SEARCH_STEPS, _SETTLED = 500, 1e-11
_FAILURE = 0.05  # probability that the ridge of AdaSSP rests on a noise beyond its bound; enters accuracy, never privacy


def ols(records: Records) -> np.ndarray:
    """The least-squares fit (data_sets, p); not private."""
    return records.theta_hat


def huber_minimiser(records: Records, clip_norm: float) -> np.ndarray:
    """The theta (data_sets, p) at which the mean clipped gradient is zero; not private.

    Clipping the gradients (<theta, x> - y) x at C is descending on Huber losses with a bend at |residual| = C/|x|, so
    this is what clipped DP-GD settles around, and the least-squares fit wherever nothing is clipped.

        theta <- theta - a M^-1 g;   M the sum of x x' over unclipped records (Newton), the best a on that line

    Guarantees: the mean clipped gradient there is shorter than 1e-10 clip_norm; equals `ols` where no gradient at `ols`
    is longer than clip_norm.
    Raises: ValueError for a clip norm that is not positive, and where the search does not end.
    Reference: arXiv 2402.13531, section 2.5; Song et al. 2020 (2006.06783).
    """
    theta = huber_search(records, clip_norm)
    residuals = (records.features @ theta[..., None])[..., 0] - records.labels
    gradient = np.linalg.norm((_clipped(residuals, residual_bound(records.features, clip_norm))[:, None] @ records.features)[:, 0], axis=1)
    found = bool(np.all(gradient <= 10 * _SETTLED * clip_norm * records.n_samples))
    require(found, "clip_norm", clip_norm, f"one at which the Huber minimiser is found in {_SEARCH_STEPS} steps")
    return theta


def huber_search(records: Records, clip_norm: float) -> np.ndarray:
    """What `huber_minimiser` finds (data_sets, p), or how far it comes: good enough to start from."""
    real("clip_norm", clip_norm, above=0.0)
    each = zip(records.features, records.labels, records.theta_hat, strict=True)
    return np.stack([_huber_search(x, y, theta, clip_norm) for x, y, theta in each])


def is_clipped(records: Records, theta: np.ndarray, clip_norm: float) -> np.ndarray:
    """Which gradients (data_sets, n) at theta (data_sets, p) are longer than clip_norm.

    Raises: ValueError for a clip norm that is not positive.
    """
    residuals = (records.features @ theta[..., None])[..., 0] - records.labels
    return np.abs(residuals) > residual_bound(records.features, clip_norm)


def share_clipped(records: Records, theta: np.ndarray, clip_norm: float) -> np.ndarray:
    """Share (data_sets,) of the gradients at theta (data_sets, p) that are longer than clip_norm.

    Raises: ValueError for a clip norm that is not positive.
    """
    return is_clipped(records, theta, clip_norm).mean(axis=-1)


def residual_bound(features: np.ndarray, clip_norm: float) -> np.ndarray:
    """|residual| (..., n) from which a record's gradient is clipped: C/|x| for features x (..., n, p), infinite for a record of zeros."""
    real("clip_norm", clip_norm, above=0.0)
    lengths = np.linalg.norm(features, axis=-1)
    return np.divide(clip_norm, lengths, out=np.full_like(lengths, np.inf), where=lengths > 0)


@dataclass(frozen=True)
class AdaSspNoise:
    """Standard deviations of the noise that AdaSSP adds to lambda_min(X'X), to each entry of X'X and of X'y."""

    eigenvalue: float
    gram: float
    moment: float


def ada_ssp_noise(rho: float, feature_bound: float, label_bound: float, adjacency: str = "replace") -> AdaSspNoise:
    """The noise of the three releases, each for rho/3, from exact sensitivities.

    Replacing (x, y) moves lambda_min by at most b^2, the matrix by at most sqrt(2) b^2 (Frobenius) and the vector by at
    most 2 b c, where |x| <= b and |y| <= c; zeroing it out moves them by at most b^2, b^2 and b c.

    Guarantees: the three charges add up to at most rho.
    Reference: arXiv 2402.13531, Claim A.5, with the sensitivities of the three statistics.
    """
    real("rho", rho, above=0.0)
    longest, label = real("feature_bound", feature_bound, above=0.0), real("label_bound", label_bound, above=0.0)
    choice("adjacency", adjacency, tuple(privacy.ADJACENCY))
    of_gram, of_moment = (2**0.5, 2.0) if adjacency == "replace" else (1.0, 1.0)
    unit = privacy.calibrate_rho(mechanisms.independent(), 1, rho / 3, "zero_out")  # for a sensitivity of 1
    return AdaSspNoise(unit * longest**2, unit * of_gram * longest**2, unit * of_moment * longest * label)


def ada_ssp(
    records: Records,
    rho: float,
    feature_bound: float,
    label_bound: float,
    repeats: int = 1,
    seed: int = 0,
    adjacency: str = "replace",
) -> np.ndarray:
    """AdaSSP: private sufficient statistics, and a ridge that adapts to them; (data_sets * repeats, p).

        least = max(0, lambda_min(X'X) + noise - sqrt(2 log(6/.05)) std)
        ridge = max(0, sqrt(p log(2 p^2/.05)) std_of_gram - least)
        theta = (X'X + symmetric noise + ridge I)^-1 (X'y + noise)

    with the noise of `ada_ssp_noise`. Records beyond the bounds are scaled down to them. `feature_bound` on |x| and
    `label_bound` on |y| are the user's and must not come from the data. Consecutive `repeats` share a data set.

    Guarantees: the same seed gives the same estimates; the noise is independent of records that were drawn with that seed.
    Raises: ValueError naming the argument.
    Reference: Wang 2018 (1803.02596), Algorithm 2, carried to zCDP; .05 is how often its ridge may be too small.
    """
    noise = ada_ssp_noise(rho, feature_bound, label_bound, adjacency)
    lengths = np.linalg.norm(records.features, axis=-1, keepdims=True)
    features = records.features * (feature_bound / np.maximum(lengths, feature_bound))
    labels = np.clip(records.labels, -label_bound, label_bound)
    gram, moment = features.swapaxes(1, 2) @ features, (labels[:, None] @ features)[:, 0]
    draw = np.random.default_rng(role_seeds(whole("seed", seed)).noise).standard_normal
    dim, shape = records.dim, (records.data_sets, whole("repeats", repeats, at_least=1))

    eigenvalue = np.linalg.eigvalsh(gram)[:, :1] + noise.eigenvalue * draw(shape)
    least = np.maximum(0.0, eigenvalue - noise.eigenvalue * np.sqrt(2 * np.log(6 / _FAILURE)))
    ridge = np.maximum(0.0, np.sqrt(dim * np.log(2 * dim**2 / _FAILURE)) * noise.gram - least)
    upper = np.triu(draw((*shape, dim, dim)))  # the diagonal and what is above it: each entry is released once
    symmetric = upper + np.triu(upper, 1).swapaxes(-1, -2)
    system = gram[:, None] + noise.gram * symmetric + ridge[..., None, None] * np.eye(dim)
    target = moment[:, None] + noise.moment * draw((*shape, dim))
    return np.linalg.solve(system, target[..., None])[..., 0].reshape(-1, dim)


def _huber_search(x: np.ndarray, y: np.ndarray, theta: np.ndarray, clip_norm: float) -> np.ndarray:
    """The search on a single data set, from theta."""
    bends = residual_bound(x, clip_norm)
    ridge = 1e-10 * np.square(x).mean() * len(x) * np.eye(x.shape[1])  # for directions that no unclipped record has
    residuals = x @ theta - y
    for _ in range(_SEARCH_STEPS):
        gradient = _clipped(residuals, bends) @ x
        if np.linalg.norm(gradient) <= _SETTLED * clip_norm * len(x):
            break
        unclipped = x[np.abs(residuals) <= bends]
        direction = -np.linalg.solve(unclipped.T @ unclipped + ridge, gradient)
        theta = theta + _best_step(residuals, x @ direction, bends) * direction
        residuals = x @ theta - y
    return theta


def _best_step(residuals: np.ndarray, moves: np.ndarray, bends: np.ndarray) -> float:
    """An a at which sum_i huber(residual_i + a move_i) falls no more, nearly; its slope in a only rises."""

    def slope(a: float) -> float:
        return float(_clipped(residuals + a * moves, bends) @ moves)

    steepest, low, high = slope(0.0), 0.0, 1.0
    if slope(high) <= -1e-9 * steepest and slope(high) >= steepest / 2:
        return high
    while slope(high) < 0 and high < 1e6:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        here = slope(middle)
        if steepest / 10 <= here <= 0:  # it fell all the way, and most of what it can
            return middle
        low, high = (middle, high) if here < 0 else (low, middle)
    return low or high


def _clipped(residuals: np.ndarray, bends: np.ndarray) -> np.ndarray:
    return np.clip(residuals, -bends, bends)
