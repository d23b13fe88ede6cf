"""Square-root noise as a short sum of fading memories, so that a stream needs no past.

The coefficients of (1 - z)^(1/2) are moments of a positive measure:

    beta_t = -(1/pi) integral_0^1 x^(t-1) x^(-1/2) (1-x)^(1/2) dx        t >= 1

so that -beta_t = sum_j w_j x_j^(t-1) over the nodes of any quadrature. A trapezoid rule in log(-log x) converges
exponentially, but with hundreds of nodes. Read as a linear system with state matrix diag(x) it is symmetric, and
balanced truncation of a symmetric system is one eigenvalue problem: it finds 32 nodes that do the work.
"""

from functools import lru_cache

import numpy as np

LONGEST = 100_000  # steps for which the error below is guaranteed
NODES = 32


@lru_cache(maxsize=1)
def fading_memories() -> tuple[np.ndarray, np.ndarray]:
    """Rates (32,) and weights (32,), all positive, with beta_t = -sum_j weight_j (1 - rate_j)^(t-1) for t >= 1.

    Guarantees: absolute error of every coefficient below 1e-11, and of every partial sum below 1e-10, up to LONGEST.
    Reference: 2310.06771, eq. (7) for the coefficients; the reduction is balanced truncation (B. C. Moore, 1981).
    """
    spacing = 0.1
    decay = np.exp(np.arange(np.log(1e-14), np.log(80.0), spacing))  # x = exp(-decay)
    weight = spacing * decay * np.exp(-decay / 2) * np.sqrt(-np.expm1(-decay)) / np.pi
    rate = -np.expm1(-decay)
    # Errors count less beyond LONGEST: the Gramian is that of the system damped by exp(-t / LONGEST).
    gramian = np.sqrt(np.outer(weight, weight)) / -np.expm1(-np.add.outer(decay, decay) - 2 / LONGEST)
    _, vectors = np.linalg.eigh(gramian)
    kept = vectors[:, -NODES:]
    rates, rotation = np.linalg.eigh(kept.T @ (rate[:, None] * kept))
    weights = (rotation.T @ kept.T @ np.sqrt(weight)) ** 2
    rates.flags.writeable = weights.flags.writeable = False
    return rates, weights


def fading_coef(steps: int) -> np.ndarray:
    """The coefficients (steps,) of (1 - z)^(1/2) that the memories stand for, the first one exactly 1."""
    rates, weights = fading_memories()
    coef = np.ones(steps)
    coef[1:] = 0.0
    lag = np.arange(steps - 1)
    for rate, weight in zip(rates, weights, strict=True):
        coef[1:] -= weight * np.exp(lag * np.log1p(-rate))
    return coef
