"""When is nothing clipped? The paper's condition on the data line by line, and what the exact law says of the run itself."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from core.check import real, require, vector, whole
from core.intervals.law import Law

_SETTLED = 1e-9


class Condition(NamedTuple):
    """One line: what it says, the number found in the data, what is asked of it, and whether it holds."""

    line: str
    says: str
    value: float
    asked: str
    holds: bool


class Clipped(NamedTuple):
    """What the law of the iterates without clipping says of a run with clipping."""

    expected_share: float
    any_at_most: float


def no_clipping_condition(
    features: np.ndarray,
    labels: np.ndarray,
    theta: np.ndarray,
    learning_rate: float,
    steps: int,
    clip_norm: float,
    noise_std: float,
    label_noise: float,
    failure: float = 0.05,
) -> tuple[Condition, ...]:
    """Condition 2.4 with the parameters `theta` (p,) that it asks to exist, and then the two inequalities of Lemma 2.5.

    Lines (ii) to (v) each ask for a constant c_0; the value is the least that will do, and c_0 the largest of the four.
    Lemma 2.5 then promises that nothing is clipped with probability 1 - failure, from theta_0 = 0, if both

        clip_norm >= 4 c_0^2 label_noise sqrt(p)
        clip_norm / (learning_rate noise_std) >= 64 c_0^2 p sqrt(ln(2 n steps / failure))

    The lemma is sufficient, far from necessary: see `clipping_chance`.

    Guarantees: at theta = theta_hat line (v) needs 0, because residuals and features are orthogonal there.
    Raises: ValueError for arguments out of range.
    Reference: arXiv 2402.13531, Condition 2.4 and Lemma 2.5.
    """
    features, labels = np.asarray(features, dtype=float), np.asarray(labels, dtype=float)
    samples, dim = features.shape
    theta = vector("theta", theta, length=dim)
    whole("steps", steps, at_least=1)
    for name, value in (("learning_rate", learning_rate), ("clip_norm", clip_norm), ("noise_std", noise_std)):
        real(name, value, above=0)
    real("label_noise", label_noise, above=0)
    real("failure", failure, above=0, below=1)
    values, directions = np.linalg.eigh(features.T @ features / samples)
    require(values[0] > 0, "features", "columns that depend on each other", "independent columns")
    factors = 1 - learning_rate * values
    contraction = np.abs(factors).max()
    residuals = labels - features @ theta
    turned = features @ directions
    fitted, crossed = _largest_over_steps(turned, turned.T @ residuals, directions.T @ theta, values, factors, steps)
    needs = (
        ("(ii)", "longest record over sqrt(p)", np.linalg.norm(features, axis=1).max() / math.sqrt(dim)),
        ("(iii)", "largest residual over label noise", np.abs(residuals).max() / label_noise),
        ("(iv)", "largest prediction of what is left of theta", fitted),
        ("(v)", "largest pull of the residuals along a record", crossed / (label_noise * math.sqrt(samples * dim))),
    )
    constant = float(max(value for _, _, value in needs))
    least_clip = 4 * constant**2 * label_noise * math.sqrt(dim)
    least_ratio = 64 * constant**2 * dim * math.sqrt(math.log(2 * samples * steps / failure))
    ratio = clip_norm / (learning_rate * noise_std)
    return (
        Condition("(i)", "smallest eigenvalue of X'X/n", float(values[0]), ">= 1/2", bool(values[0] >= 0.5)),
        Condition("(i)", "largest eigenvalue of X'X/n", float(values[-1]), "<= 2", bool(values[-1] <= 2)),
        Condition("(i)", "norm of I - rate X'X/n", float(contraction), "<= 7/8", bool(contraction <= 7 / 8)),
        *(Condition(line, says, float(value), "<= c_0", True) for line, says, value in needs),
        Condition("Lemma 2.5", "clip norm", float(clip_norm), f">= {least_clip:.3g}", bool(clip_norm >= least_clip)),
        Condition("Lemma 2.5", "clip norm over rate times noise", float(ratio), f">= {least_ratio:.3g}", bool(ratio >= least_ratio)),
    )


def clipping_chance(features: np.ndarray, labels: np.ndarray, law: Law, clip_norm: float) -> Clipped:
    """How much is clipped if the iterates follow the law without clipping: share expected, and chance of any, over all steps.

    The gradient of record i at step t is longer than clip_norm when |y_i - <x_i, theta_{t-1}>| > clip_norm / |x_i|, and that
    residual is Gaussian. The chance is bounded by the sum over records and steps, and it bounds in turn how far (total
    variation) the run with clipping is from the law.

    Reference: arXiv 2402.13531, Lemmas 2.2 and 2.3.
    """
    real("clip_norm", clip_norm, above=0)
    lengths = np.linalg.norm(features, axis=1)
    reach = clip_norm / np.maximum(lengths, np.finfo(float).tiny)
    values, directions = np.linalg.eigh(law.sigma)
    turned, pace = features @ directions, np.abs(1 - law.learning_rate * values).max()
    squares, uniform = turned**2, bool(np.all(law.noise_std == law.noise_std[0]))
    expected = 0.0
    for step in range(law.steps):
        means = labels - turned @ (directions.T @ law.mean(step))
        spread = np.sqrt(squares @ np.einsum("jk,ji,ik->k", directions, law.covariance(step), directions))  # Sigma's own basis
        here = _outside(means, spread, reach)
        if uniform and pace**step < _SETTLED:  # from here on every step is alike
            return _chances(expected + here * (law.steps - step), len(labels) * law.steps)
        expected += here
    return _chances(expected, len(labels) * law.steps)


def _chances(expected: float, gradients: int) -> Clipped:
    return Clipped(expected / gradients, min(1.0, expected))


def _outside(means: np.ndarray, spread: np.ndarray, reach: np.ndarray) -> float:
    if not spread.any():
        return float((np.abs(means) > reach).sum())
    return float((ndtr((means - reach) / spread) + ndtr((-means - reach) / spread)).sum())


def _largest_over_steps(turned, pulls, theta, values, factors, steps: int) -> tuple[float, float]:
    """Largest |x_i (I - eta Sigma)^t theta| and |x_i' A_t sum_j r_j x_j| over records and steps 1..steps, in Sigma's eigenbasis."""
    fitted = crossed = 0.0
    power = np.ones_like(factors)
    for _ in range(steps):
        power = power * factors
        pair = turned @ np.column_stack([power * theta, (1 - power) / values * pulls])
        largest = np.abs(pair).max(axis=0)
        fitted, crossed = max(fitted, largest[0]), max(crossed, largest[1])
        if np.abs(power).max() < _SETTLED:
            break
    return float(fitted), float(crossed)
