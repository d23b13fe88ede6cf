"""Energy of lambda-correlated noise as training feels it, exactly: xi_t = Z_t - lambda Z_{t-1}, Z_0 = 0, Z_t ~ N(0, 1).

Multiply by noise_multiplier^2 for the noise of a run, which in turn must grow with the correlation to stay as private.
"""

import math

import numpy as np

from core.check import real, require, whole


def felt_noise(correlation: float, contraction: float, steps: int | None = None) -> float:
    """Variance of x_t = (1 - a) x_{t-1} + xi_t, x_0 = 0, after `steps` steps, or of its stationary law for None.

        1 + (1 - a - lambda)^2 (1 - (1 - a)^(2 (t-1))) / (a (2 - a)),    a = `contraction`

    A gradient step of size eta contracts a direction of curvature l by a = eta l, so that this, times the square of
    eta noise_multiplier, is the variance that noise leaves there.

    Guarantees: equals the sum over the coefficients of the noising matrix and the mean over frequency of its response;
    least at correlation 1 - a, where it is 1; at contraction 0 the variance of the sum of all noise.
    Raises: ValueError for a contraction outside [0, 2), or of 0 without `steps`.
    """
    correlation = real("correlation", correlation, at_least=0, below=1)
    contraction = real("contraction", contraction, at_least=0, below=2)
    settles = steps is not None or contraction > 0
    require(settles, "contraction", contraction, "> 0 where steps is None: a sum of noise grows for ever")
    kept = (1 - contraction - correlation) ** 2
    if steps is None:
        return 1 + kept / (contraction * (2 - contraction))
    earlier = whole("steps", steps, at_least=1) - 1
    if earlier == 0 or contraction == 1:
        return 1 + kept * min(earlier, 1)
    if contraction == 0:
        return 1 + kept * earlier
    decay = 2 * (math.log1p(-contraction) if contraction < 1 else math.log(contraction - 1))
    return 1 + kept * math.expm1(earlier * decay) / math.expm1(decay)


def cumulative_noise(correlation: float, steps: int) -> np.ndarray:
    """E |xi_1 + ... + xi_t|^2 for t = 1, ..., steps: (steps,) per coordinate, in units of noise_multiplier^2.

        1 + (1 - lambda)^2 (t - 1)

    Guarantees: `felt_noise` at contraction 0; t for independent noise.
    Reference: 2605.12648, Figure 1 right.
    """
    correlation = real("correlation", correlation, at_least=0, below=1)
    return 1 + (1 - correlation) ** 2 * np.arange(whole("steps", steps, at_least=1))


def crossing_step(correlation: float, noise_multiplier: float, independent_noise_multiplier: float) -> float:
    """Step (not rounded) from which correlated noise has summed to less energy than independent noise; inf for never.

        t = 1 + (kappa^2 - kappa_0^2) / (kappa_0^2 - (1 - lambda)^2 kappa^2)

    The noise multipliers are those that make both equally private. It is 1 where correlated noise needs no more.

    Guarantees: `cumulative_noise` times noise_multiplier^2 is equal at t, below after it and not below before it; inf
    exactly where (1 - lambda) kappa >= kappa_0 and kappa > kappa_0.
    """
    correlation = real("correlation", correlation, at_least=0, below=1)
    energy = real("noise_multiplier", noise_multiplier, above=0) ** 2
    independent = real("independent_noise_multiplier", independent_noise_multiplier, above=0) ** 2
    if energy <= independent:
        return 1.0
    gain = independent - (1 - correlation) ** 2 * energy
    return 1 + (energy - independent) / gain if gain > 0 else math.inf
