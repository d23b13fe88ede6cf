"""Estimates that are not trained step by step: least squares, AdaSSP, and what clipped gradient descent estimates."""

from dataclasses import dataclass

import numpy as np

from core import mechanisms, privacy
from core.check import choice, real, require, whole
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

        theta <- theta - M^-1 g;   M the sum of x x' over unclipped records (Newton), and where that does not descend,
        over all records weighted by min(1, C/(|x| |residual|)) (reweighted least squares, which always descends)

    Guarantees: the mean clipped gradient there is shorter than 1e-10 clip_norm; equals `ols` where no gradient at `ols` is
    longer than clip_norm.
    Raises: ValueError for a clip norm that is not positive, and where the search does not end.
    Reference: arXiv 2402.13531, section 2.5; Song et al. 2020 (2006.06783).
    """
    real("clip_norm", clip_norm, above=0.0)
    return np.stack([_huber_minimiser(records.one(index), clip_norm) for index in range(records.data_sets)])


def share_clipped(records: Records, theta: np.ndarray, clip_norm: float) -> np.ndarray:
    """Share (data_sets,) of the gradients at theta (data_sets, p) that are longer than clip_norm."""
    residuals = (records.features @ theta[..., None])[..., 0] - records.labels
    norms = np.abs(residuals) * np.linalg.norm(records.features, axis=-1)
    return (norms > clip_norm).mean(axis=-1)


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

    Guarantees: the same seed gives the same estimates.
    Raises: ValueError naming the argument.
    Reference: Wang 2018 (1803.02596), Algorithm 2, carried to zCDP; .05 is how often its ridge may be too small.
    """
    noise = ada_ssp_noise(rho, feature_bound, label_bound, adjacency)
    lengths = np.linalg.norm(records.features, axis=-1, keepdims=True)
    features = records.features * (feature_bound / np.maximum(lengths, feature_bound))
    labels = np.clip(records.labels, -label_bound, label_bound)
    gram, moment = features.swapaxes(1, 2) @ features, (labels[:, None] @ features)[:, 0]
    draw = np.random.default_rng(whole("seed", seed)).standard_normal
    dim, shape = records.dim, (records.data_sets, whole("repeats", repeats, at_least=1))

    eigenvalue = np.linalg.eigvalsh(gram)[:, :1] + noise.eigenvalue * draw(shape)
    least = np.maximum(0.0, eigenvalue - noise.eigenvalue * np.sqrt(2 * np.log(6 / _FAILURE)))
    ridge = np.maximum(0.0, np.sqrt(dim * np.log(2 * dim**2 / _FAILURE)) * noise.gram - least)
    upper = np.triu(draw((*shape, dim, dim)))  # the diagonal and what is above it: each entry is released once
    symmetric = upper + np.triu(upper, 1).swapaxes(-1, -2)
    system = gram[:, None] + noise.gram * symmetric + ridge[..., None, None] * np.eye(dim)
    target = moment[:, None] + noise.moment * draw((*shape, dim))
    return np.linalg.solve(system, target[..., None])[..., 0].reshape(-1, dim)


def _huber_minimiser(records: Records, clip_norm: float) -> np.ndarray:
    """The search on a single data set."""
    x, y, theta = records.features[0], records.labels[0], records.theta_hat[0]
    lengths = np.linalg.norm(x, axis=1)
    bends = np.divide(clip_norm, lengths, out=np.full_like(lengths, np.inf), where=lengths > 0)
    residuals = x @ theta - y
    for _ in range(_SEARCH_STEPS):
        gradient = np.clip(residuals, -bends, bends) @ x
        if np.linalg.norm(gradient) <= _SETTLED * clip_norm * len(x):
            return theta
        size = np.maximum(np.abs(residuals), np.finfo(float).tiny)
        reweighted = np.minimum(1.0, bends / size)
        loss = _huber(residuals, bends)
        for weights in (np.floor(reweighted), reweighted):  # floor: 1 where unclipped, 0 where clipped
            matrix = (x * weights[:, None]).T @ x
            if np.linalg.cond(matrix) > 1e12:
                continue  # so few records are unclipped that they leave a direction open
            trial = theta - np.linalg.solve(matrix, gradient)
            if _huber(x @ trial - y, bends) <= loss * (1 + 1e-14):  # near the end the loss moves by less than rounding
                break
        theta, residuals = trial, x @ trial - y
    raise ValueError(f"clip_norm={clip_norm!r}, expected one at which the Huber minimiser is found in {_SEARCH_STEPS} steps")


def _huber(residuals: np.ndarray, bends: np.ndarray) -> float:
    """Sum of Huber losses with these bends; infinite bends give half squares."""
    size = np.abs(residuals)
    cut = np.minimum(size, bends)
    return float(np.sum(cut * (size - cut / 2)))
