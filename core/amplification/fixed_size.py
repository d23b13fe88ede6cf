"""Batches of a fixed size, drawn afresh each step without replacement: what the paper's amplification misses there.

A record that joins a batch of fixed size displaces another one. If every other clipped gradient is -e and the record's
own is +e, a step's sum is (1-r) N(0) + r N(2) with the record and (1-r) N(0) + r N(1) with its gradient zeroed out, not
(1-r) N(0) + r N(1) against N(0) as Theorem F.8 has it. What survives is to count how often the record joins and to
charge the worst pattern of so many, which needs no amplification.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import bdtrc, ndtr

from core.check import real, whole
from core.mechanisms import lambda_cgd
from core.privacy import gdp_mu_for


class Counterexample(NamedTuple):
    """delta of one step of fixed-size batches: as Theorem F.8 claims it, and as it really is for one data set."""

    claimed: float
    actual: float


def fixed_size_counterexample(sampling_rate: float, noise_multiplier: float, epsilon: float) -> Counterexample:
    """delta at `epsilon` of one step: claimed by Theorem F.8, and actual for one pair of zero-out neighbours.

    claimed compares (1-r) N(0) + r N(1) with N(0), actual (1-r) N(0) + r N(2) with (1-r) N(0) + r N(1), all of standard
    deviation `noise_multiplier`; each is the larger of both directions.

    Guarantees: both agree with quadrature; `claimed` is true for Poisson batches.
    Reference: 2605.12648, Theorem F.8 with T = 1.
    """
    rate = real("sampling_rate", sampling_rate, above=0, at_most=1)
    sigma = real("noise_multiplier", noise_multiplier, above=0)
    bound = math.exp(real("epsilon", epsilon, at_least=0))
    zeroed, one, two = [(1 - rate, rate, float(mean)) for mean in (0, 1, 2)]
    return Counterexample(
        claimed=max(_hockey_stick(one, zeroed, sigma, bound), _hockey_stick(zeroed, one, sigma, bound)),
        actual=max(_hockey_stick(two, one, sigma, bound), _hockey_stick(one, two, sigma, bound)),
    )


def calibrate_without_amplification(
    correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float
) -> float:
    """Noise multiplier for fresh batches each step, Poisson or of a fixed size, zero-out adjacency, rounded up.

    How often a record joins is Binomial(steps, sampling_rate) for both. With more than k participations it is given up,
    otherwise the worst pattern of k is charged as a Gaussian release, and k is chosen best:

        P(more than k) + P(at most k) gdp_delta(sensitivity(k) / kappa, epsilon) <= delta

    Guarantees: at a sampling rate of 1 equals `core.privacy.calibrate` with every step a participation.
    Reference: 2605.12648, Lemma F.9 with the binomial tail itself and the exact Gaussian trade-off.
    """
    rate = real("sampling_rate", sampling_rate, above=0, at_most=1)
    steps = whole("steps", steps, at_least=1)
    epsilon = real("epsilon", epsilon, at_least=0)
    delta = real("delta", delta, above=0, below=1)
    mechanism = lambda_cgd(correlation)
    best = math.inf
    tails = bdtrc(np.arange(steps + 1), steps, rate)
    for joins in np.flatnonzero(tails < delta).tolist():
        tail = float(tails[joins])
        sensitivity = mechanism.sensitivity(steps, joins) if joins else 0.0
        if sensitivity / gdp_mu_for(epsilon, delta) >= best:  # larger k only cost more from here on
            break
        best = min(best, sensitivity / gdp_mu_for(epsilon, (delta - tail) / (1 - tail)))
    return math.nextafter(best, math.inf)


def _hockey_stick(p: tuple, q: tuple, sigma: float, bound: float) -> float:
    """max over events of p(event) - bound q(event) for p, q = (1-r) N(0) + r N(mean), given as (1-r, r, mean).

    With a = exp(x / sigma^2) the density ratio to N(0) is a polynomial in a of degree at most 2, so the best event is a
    union of intervals between its roots.
    """
    coefficients = np.zeros(3)
    for (stays, joins, mean), sign in ((p, 1.0), (q, -bound)):
        coefficients[0] += sign * stays
        coefficients[int(mean)] += sign * joins * math.exp(-(mean**2) / (2 * sigma**2))
    roots = np.roots(coefficients[::-1])
    cuts = np.sort(sigma**2 * np.log([root.real for root in roots if abs(root.imag) < 1e-12 and root.real > 0]))
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    gains = sum(
        sign * (stays * np.diff(ndtr(edges / sigma)) + joins * np.diff(ndtr((edges - mean) / sigma)))
        for (stays, joins, mean), sign in ((p, 1.0), (q, -bound))
    )
    return float(np.sum(np.maximum(gains, 0.0)))
