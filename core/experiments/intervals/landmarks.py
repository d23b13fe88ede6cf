"""The points that intervals are about: the least-squares fit, what clipping makes of it, and the truth."""

import numpy as np

from core.experiments.intervals.expected import Expected

_APART = 0.1  # of a half-width: a Huber minimiser nearer than this to least squares is not told apart from it
LEAST_SQUARES, HUBER, TRUTH = "least squares (OLS)", "what clipping estimates (Huber)", "truth"
ARMS = {LEAST_SQUARES: "least_squares", HUBER: "huber", TRUTH: "truth"}
"""What each is drawn as, on every chart."""


def landmarks(expected: Expected) -> dict[str, np.ndarray]:
    """Points (p,) worth drawing: least squares, the Huber minimiser where it is apart from it, the truth where it is known."""
    points = {LEAST_SQUARES: expected.theta_hat}
    if is_biased(expected):
        points[HUBER] = expected.huber
    if expected.theta_star is not None:
        points[TRUTH] = expected.theta_star
    return points


def is_biased(expected: Expected) -> bool:
    """Whether clipping moves the target by more than a tenth of the interval's half-width in some coefficient."""
    return bool(np.any(np.abs(expected.huber - expected.theta_hat) > _APART * expected.of_huber.width / 2))
