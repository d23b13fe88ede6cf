"""What the noise of a settled run does to clipping: without it the law is exact, with much of it the law says nothing."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from core.check import real, vector


class NoiseClipping(NamedTuple):
    """Shares of the gradients: clipped in the mean, and clipped differently from what they would be without noise."""

    share: float
    changed: float


def noise_clipping(features: np.ndarray, labels: np.ndarray, centre: np.ndarray, covariance: np.ndarray, clip_norm: float) -> NoiseClipping:
    """How much is clipped where iterates are N(centre, covariance), `centre` (p,), and for how many gradients the noise decides it.

        share = mean_i P_i,   changed = mean_i |P_i - [clipped at the centre]|,   P_i = P(|x_i| |y_i - <x_i, theta>| > clip_norm)

    A law of the iterates that takes the same gradients for clipped all the time leaves `changed` out.

    Guarantees: both agree with a simulation of theta; without noise nothing is changed.
    Raises: ValueError for a clip norm that is not positive, and a centre of another length than a record.
    Reference: arXiv 2402.13531, Lemma 2.2; the measure of what changes is ours.
    """
    real("clip_norm", clip_norm, above=0)
    features = np.asarray(features, dtype=float)
    reach = clip_norm / np.maximum(np.linalg.norm(features, axis=1), np.finfo(float).tiny)
    off = np.abs(labels - features @ vector("centre", centre, length=features.shape[1]))
    at_centre = off > reach
    spread = np.sqrt(np.maximum(((features @ covariance) * features).sum(axis=1), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 where there is no spread, which is told apart below
        chance = np.where(spread > 0, ndtr((off - reach) / spread) + ndtr((-off - reach) / spread), at_centre)
    return NoiseClipping(float(chance.mean()), float(np.abs(chance - at_centre).mean()))
