"""Independent noise on Poisson batches: the privacy loss distribution of the subsampled Gaussian, rounded up.

One step's loss is put on a grid by connecting the dots of its hockey-stick curve, which rounds up (Doroshenko et al.,
arXiv 2207.04380), and composed by the library dp-accounting. The library's own curve takes a call a grid point; here it
is one array, twenty times faster and alike to rounding.
"""

import math
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from core.privacy import gdp_mu_for

LEAST_NOISE = 0.2
"""Below this noise multiplier the grid of losses would take seconds, and subsampling no longer hides a record."""
_TOLERANCE = 1e-4  # of a calibrated noise multiplier; the grid of losses costs about 2e-4
_REACH = 9.5  # standard deviations that the grid covers: 1e-21 of the mass counts as revealed


@lru_cache(maxsize=64)
def loss_distribution(sampling_rate: float, steps: int, noise_multiplier: float, remove: bool):
    """Privacy loss of `steps` Poisson-subsampled Gaussians, with the record against without it (`remove`) or conversely.

    The grid is a power of two, at most 1e-3 and small against the spread of the loss, so that its rounding stays
    invisible, but no finer than the range of one step's loss allows.

    Guarantees: hockey-stick divergences are those of `privacy_loss_distribution.from_gaussian_mechanism` on this grid.
    """
    from dp_accounting.pld import pld_pmf  # a second to import, needed only where it is asked

    spread = sampling_rate * math.sqrt(steps * math.expm1(noise_multiplier**-2))
    reach = math.log1p(sampling_rate * math.exp(8 / noise_multiplier + noise_multiplier**-2 / 2))
    grid = 2.0 ** math.floor(math.log2(min(1e-3, max(spread / 150, reach / 10_000))))
    ends = np.array([-_REACH * noise_multiplier, (1.0 if remove else 0.0) + _REACH * noise_multiplier])
    losses = np.log1p(sampling_rate * np.expm1((ends - 0.5) / noise_multiplier**2))
    low, high = losses if remove else -losses[::-1]
    first, last = math.floor(low / grid), math.ceil(high / grid)
    deltas = _one_step(sampling_rate, noise_multiplier, grid * np.arange(first, last + 1), remove)
    return pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(grid, first, last, deltas).self_compose(steps)


def _one_step(rate: float, sigma: float, epsilon: np.ndarray, remove: bool) -> np.ndarray:
    """Hockey-stick divergence of one step at each epsilon: P - e^epsilon Q of the outputs x whose loss exceeds epsilon."""
    ratio = np.expm1(epsilon if remove else -epsilon) / rate  # of the densities at x, minus 1, over the rate
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(ratio > -1, sigma**2 * np.log1p(ratio) + 0.5, -np.inf)
    sign = -1.0 if remove else 1.0  # with the record the loss exceeds epsilon above x, without it below
    without, joined = ndtr(sign * x / sigma), ndtr(sign * (x - 1) / sigma)
    mixed = (1 - rate) * without + rate * joined
    p, q = (mixed, without) if remove else (without, mixed)
    deltas = np.clip(p - np.exp(epsilon) * q, 0.0, 1.0)
    return np.maximum.accumulate(deltas[::-1])[::-1]  # falls with epsilon; rounding may say otherwise


def independent_epsilon(sampling_rate: float, steps: int, noise_multiplier: float, delta: float) -> float:
    """Epsilon at `delta` of independent noise on Poisson batches, rounded up; inf below `LEAST_NOISE`."""
    if noise_multiplier < LEAST_NOISE:
        return math.inf
    run = sampling_rate, steps, noise_multiplier
    return max(float(loss_distribution(*run, remove).get_epsilon_for_delta(delta)) for remove in (True, False))


def independent_delta(sampling_rate: float, steps: int, noise_multiplier: float, epsilon: float) -> float:
    """delta at `epsilon` of independent noise on Poisson batches, rounded up; 1 below `LEAST_NOISE`."""
    return max(_delta(sampling_rate, steps, noise_multiplier, epsilon, remove) for remove in (True, False))


def _delta(sampling_rate: float, steps: int, noise_multiplier: float, epsilon: float, remove: bool) -> float:
    if noise_multiplier < LEAST_NOISE:
        return 1.0
    return float(loss_distribution(sampling_rate, steps, noise_multiplier, remove).get_delta_for_epsilon(epsilon))


@lru_cache(maxsize=256)
def independent_calibrate(sampling_rate: float, steps: int, epsilon: float, delta: float) -> float:
    """Noise multiplier of independent noise on Poisson batches, rounded up; at least `LEAST_NOISE`."""

    def excess(log_noise: float) -> float:
        """With the record against without it, which is hardly ever the smaller one; both are certified in the end."""
        found = _delta(sampling_rate, steps, math.exp(log_noise), epsilon, remove=True)
        return math.log(max(found, 1e-300) / delta)

    # from a central limit guess step by step, for a loss distribution of too little noise is slow
    least = math.log(LEAST_NOISE) + 1e-9
    share = (gdp_mu_for(epsilon, delta) / sampling_rate) ** 2 / steps
    lower = upper = max(least, -0.5 * math.log(math.log1p(share)))
    while excess(upper) > 0:
        lower, upper = upper, upper + 0.2
    while lower > least and (lower == upper or excess(lower) <= 0):
        upper, lower = lower, max(least, lower - 0.2)
    root = least if excess(lower) <= 0 else brentq(excess, lower, upper, xtol=_TOLERANCE / 4)
    while independent_delta(sampling_rate, steps, math.exp(root), epsilon) > delta:
        root += _TOLERANCE / 4
    return math.exp(root)
