"""When is nothing clipped? The paper's condition on the data line by line, and what the exact law says of the run itself."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from core.check import matrix, real, require, vector, whole
from core.intervals.law import Law
from core.learners.one_shot import residual_bound

_SETTLED = 1e-9
_FAR = 10.0  # standard deviations beyond which 1e-23 is left
_ELEMENTS = 2**17  # numbers in one temporary


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
    features = matrix("features", features)
    samples, dim = features.shape
    labels = vector("labels", labels, length=samples)
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

    Guarantees: the share is within 1e-12 of the sum over all steps, up to 1e-9 for what a settled run no longer changes.
    Raises: ValueError for shapes that do not fit, and a clip norm that is not positive.
    Reference: arXiv 2402.13531, Lemmas 2.2 and 2.3.
    """
    features = matrix("features", features, columns=law.theta_hat.size)
    labels = vector("labels", labels, length=len(features))
    reach = residual_bound(features, clip_norm)
    turned, residuals = features @ law.directions, labels - features @ law.theta_hat
    squares, weights = turned**2, _weights(law)
    offsets, variances = law.in_directions(len(weights) - 1)
    block, expected = max(1, _ELEMENTS // len(labels)), 0.0
    for first in range(0, len(weights), block):
        part = slice(first, first + block)
        means, spread = np.abs(residuals - offsets[part] @ turned.T), np.sqrt(variances[part] @ squares.T)
        expected += float(weights[part] @ _outside(means, spread, reach))
    return Clipped(expected / (len(labels) * law.steps), min(1.0, expected))


def _weights(law: Law) -> np.ndarray:
    """For how many steps each theta_0, theta_1, ... stands: one, but the last, from which on every step is alike."""
    pace = np.abs(1 - law.learning_rate * np.linalg.eigvalsh(law.sigma)).max()
    alike = np.nonzero(pace ** np.arange(law.steps) < _SETTLED)[0]
    last = int(alike[0]) if alike.size and np.all(law.noise_std == law.noise_std[0]) else law.steps - 1
    return np.append(np.ones(last), law.steps - last)


def _outside(means: np.ndarray, spread: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """sum_i P(|N(mean_i, spread_i^2)| > reach_i) over records, for means >= 0 and spreads (steps, n); (steps,)."""
    chances = (means > reach).astype(float)
    near = np.abs(means - reach) < _FAR * spread  # elsewhere it is certain, to 1e-23, on which side they are
    short, width = (reach - means)[near] / spread[near], (reach + means)[near] / spread[near]
    chances[near] = ndtr(-short) + ndtr(-width)
    return chances.sum(axis=1)


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
