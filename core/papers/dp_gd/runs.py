"""Many data sets, each learned from in private: what the accuracy figures are made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core import privacy
from core.problems.designs import DESIGNS

if TYPE_CHECKING:
    from core.learners.dp_gd import GdArm
    from core.mechanisms import Mechanism

PAPER, SOURCE = "dp_gd", "arXiv 2402.13531"
STEPS, RHO, CLIP_FACTOR, LEARNING_RATE, DIM = 10, 0.015, 5.0, 0.25, 10
"""The paper's T, rho, gamma/sqrt(p) and p; and the learning rate of its theorems."""
ADJACENCY = "replace"
_NUMBERS = 4_000_000  # features held at once: data sets are drawn and learned from in portions


class Trials(NamedTuple):
    """One private run on each of many data sets: arrays (arms, trials), and of least squares (trials,)."""

    to_star: np.ndarray
    to_hat: np.ndarray
    share_clipped: np.ndarray
    ols: np.ndarray


def arm(label: str, dim: int, clip_factor: float = CLIP_FACTOR, learning_rate: float = LEARNING_RATE, **schedule) -> GdArm:
    """An arm whose clip norm is `clip_factor` times sqrt(dim)."""
    from core.learners.dp_gd import GdArm

    return GdArm(label, clip_factor * math.sqrt(dim), learning_rate, **schedule)


def simulate(
    design: str, n_samples: int, dim: int, arms: Sequence[GdArm], trials: int, seed: int, steps: int = STEPS, rho: float = RHO
) -> Trials:
    """Distances to truth and to least squares after the last step, and the share of all gradients that was clipped."""
    from core.learners.dp_gd import DpGdConfig, dp_gd
    from core.problems.finite import LeastSquares

    parts = []
    for portion, (data_seed, noise_seed) in portions(n_samples, dim, trials, seed):
        records = DESIGNS[design][1](n_samples, dim, portion, seed=data_seed)
        config = DpGdConfig(steps, rho, portion, seed=noise_seed, record_every=steps, adjacency=ADJACENCY)
        *_, last = dp_gd(LeastSquares(records), arms, config)
        ols = np.linalg.norm(records.theta_hat - records.theta_star, axis=1)
        of = last.measures
        parts.append(Trials(of["error_to_theta_star"], of["error_to_theta_hat"], of["share_clipped"], ols))
    return Trials(*(np.concatenate(values, axis=-1) for values in zip(*parts, strict=True)))


def portions(n_samples: int, dim: int, trials: int, seed: int) -> list[tuple[int, list[int]]]:
    """How many data sets are drawn together, with seeds for data and noise: as many as fit, `trials` in all."""
    most = max(1, _NUMBERS // (n_samples * dim))
    sizes = [min(most, trials - done) for done in range(0, trials, most)]
    streams = np.random.SeedSequence((seed, n_samples, dim)).spawn(len(sizes))
    return [(size, (stream.generate_state(2) >> 1).tolist()) for size, stream in zip(sizes, streams, strict=True)]


def slope(x: Sequence[float], values: Sequence[np.ndarray]) -> tuple[float, float]:
    """Slope of log mean against log x over all points, and its standard error to first order; values: (trials,) a point."""
    centred = np.log(x) - np.mean(np.log(x))
    weights = centred / (centred @ centred)
    means = np.array([one.mean() for one in values])
    errors = np.array([one.std(ddof=1) / math.sqrt(len(one)) for one in values])
    return float(weights @ np.log(means)), float(np.linalg.norm(weights * errors / means))


def settings(figure: str, fidelity: str, seed: int, **chosen) -> dict:
    """Every parameter of a figure."""
    return {"figure": figure, "fidelity": fidelity, "seed": seed, "adjacency": ADJACENCY, "label_noise": 1.0} | chosen


def full_batch_multiplier(mechanism: Mechanism, steps: int, rho: float) -> float:
    """Noise multiplier at which `steps` full-batch steps with this noise cost rho: every record joins every step."""
    return privacy.calibrate_rho(mechanism, steps, rho, ADJACENCY, participations=steps, separation=1)
