"""The interval of the textbook, without privacy: what a private interval is held against."""

import numpy as np
from scipy.special import stdtrit

from core.check import matrix, real, require, vector
from core.problems.designs import least_squares


def ols_interval(features: np.ndarray, labels: np.ndarray, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Least squares without intercept: theta_hat (p,) and the half-width (p,) of Student's interval for theta_star.

        t_{(1+level)/2, n-p} sqrt(|y - X theta_hat|^2 / (n - p) * diag((X'X)^-1))

    `features` X (n, p), `labels` y (n,). It covers theta_star, the truth behind the data, where the labels' noise is
    Gaussian with one variance. It is not private.

    Raises: ValueError for shapes that do not fit, n <= p, a level outside (0, 1), and columns that depend on each other.
    """
    features = matrix("features", features)
    samples, dim = features.shape
    labels = vector("labels", labels, length=samples)
    require(samples > dim, "records", samples, f"more than the {dim} features")
    real("level", level, above=0, below=1)
    theta_hat, triangle = least_squares(features, labels)
    variance = np.square(labels - features @ theta_hat).sum() / (samples - dim)
    spread = np.sqrt(variance * np.square(np.linalg.inv(triangle)).sum(axis=1))
    return theta_hat, stdtrit(samples - dim, 0.5 + level / 2) * spread
