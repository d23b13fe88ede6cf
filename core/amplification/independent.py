"""Independent noise on Poisson batches: the privacy loss distribution of the subsampled Gaussian, rounded up."""

import math
from functools import lru_cache

from scipy.optimize import brentq

from core.privacy import gdp_mu_for

LEAST_NOISE = 0.2
"""Below this noise multiplier the grid of losses would take seconds, and subsampling no longer hides a record."""
_TOLERANCE = 1e-4  # of a calibrated noise multiplier; the grid of losses costs about 2e-4


@lru_cache(maxsize=64)
def loss_distribution(sampling_rate: float, steps: int, noise_multiplier: float):
    """Privacy loss of `steps` Poisson-subsampled Gaussians under zero-out adjacency, both directions, pessimistic.

    The grid is a power of two, at most 1e-3 and small against the spread of the loss, so that its rounding stays
    invisible, but no finer than the range of one step's loss allows.
    """
    from dp_accounting.pld import privacy_loss_distribution  # a second to import, needed only where it is asked

    spread = sampling_rate * math.sqrt(steps * math.expm1(noise_multiplier**-2))
    reach = math.log1p(sampling_rate * math.exp(8 / noise_multiplier + noise_multiplier**-2 / 2))
    grid = 2.0 ** math.floor(math.log2(min(1e-3, max(spread / 200, reach / 20_000))))
    one = privacy_loss_distribution.from_gaussian_mechanism(
        noise_multiplier, value_discretization_interval=grid, sampling_prob=sampling_rate
    )
    return one.self_compose(steps)


def independent_epsilon(sampling_rate: float, steps: int, noise_multiplier: float, delta: float) -> float:
    """Epsilon at `delta` of independent noise on Poisson batches, rounded up; inf below `LEAST_NOISE`."""
    if noise_multiplier < LEAST_NOISE:
        return math.inf
    return float(loss_distribution(sampling_rate, steps, noise_multiplier).get_epsilon_for_delta(delta))


def independent_delta(sampling_rate: float, steps: int, noise_multiplier: float, epsilon: float) -> float:
    """delta at `epsilon` of independent noise on Poisson batches, rounded up; 1 below `LEAST_NOISE`."""
    if noise_multiplier < LEAST_NOISE:
        return 1.0
    return float(loss_distribution(sampling_rate, steps, noise_multiplier).get_delta_for_epsilon(epsilon))


@lru_cache(maxsize=256)
def independent_calibrate(sampling_rate: float, steps: int, epsilon: float, delta: float) -> float:
    """Noise multiplier of independent noise on Poisson batches, rounded up; at least `LEAST_NOISE`."""

    def excess(log_noise: float) -> float:
        found = independent_delta(sampling_rate, steps, math.exp(log_noise), epsilon)
        return math.log(max(found, 1e-300) / delta)

    # from a central limit guess step by step, for a loss distribution of too little noise is slow
    least = math.log(LEAST_NOISE) + 1e-9
    share = (gdp_mu_for(epsilon, delta) / sampling_rate) ** 2 / steps
    lower = upper = max(least, -0.5 * math.log(math.log1p(share)))
    while excess(upper) > 0:
        lower, upper = upper, upper + 0.2
    while lower == upper or excess(lower) <= 0:
        if lower == least:
            return math.exp(least)
        upper, lower = lower, max(least, lower - 0.2)
    root = brentq(excess, lower, upper, xtol=_TOLERANCE / 4)
    while excess(root) > 0:
        root += _TOLERANCE / 4
    return math.exp(root)
