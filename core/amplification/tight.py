"""Correlated noise on Poisson batches, nearly exactly: delta by importance sampling, certified by betting against it.

delta(epsilon) is the larger of E_Q (e^L - e^epsilon)_+ and E_Q (1 - e^(epsilon + L))_+. Each is the mean of draws Y with
0 <= Y <= M, weight times payoff of a tilted chain (`core.amplification.tilted`). A search with common random numbers finds
where delta should be met. Fresh draws then bet against "E Y >= delta": the wealth, a product of 1 + c (delta - Y) with
0 <= c < 1/(M - delta) chosen before each draw, is a supermartingale if that is true, and passes 1/a with probability at
most a (Ville). So the result is wrong with probability at most `FAILURE`, over the draws, whose seed is fixed.
"""

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from core.amplification.likelihood import Run
from core.amplification.tilted import GIVEN_UP, TiltedChain, add_surrogate, make_grid, remove_surrogate

FAILURE = 1e-6
"""Probability, over its draws, that a result of method "tight" is too small."""

_EFFORT = 2e7  # steps of all chains drawn to certify
_PILOT, _FIRST = 2000, 4000  # chains drawn to search, and in the first batch to certify
_COARSE, _FINE = 4.0, 0.7  # slack of the grid in the search, and to certify
_RETRY = 1.01


def tight_calibrate(
    correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float, largest: float
) -> float:
    """Noise multiplier at `epsilon` and `delta`, at most `largest`, which is known to be enough."""

    def predict(noise: float) -> float:
        return _predict(Run(correlation, sampling_rate, steps, noise), epsilon, delta)

    def certify(noise: float, failure: float, generator: np.random.Generator) -> bool:
        return _certify(Run(correlation, sampling_rate, steps, noise), epsilon, delta, failure, generator)

    return _least(predict, certify, delta, largest)


def tight_epsilon(
    correlation: float, sampling_rate: float, steps: int, noise_multiplier: float, delta: float, largest: float
) -> float:
    """Epsilon at `delta` of this noise multiplier, at most `largest`, which is known to be true."""
    run = Run(correlation, sampling_rate, steps, noise_multiplier)
    return _least(
        lambda epsilon: _predict(run, epsilon, delta),
        lambda epsilon, failure, generator: _certify(run, epsilon, delta, failure, generator),
        delta,
        largest,
    )


def _least(predict: Callable, certify: Callable, delta: float, largest: float) -> float:
    """Least value, about, at which delta is certified to be kept; what `predict` says falls in it."""

    def excess(log_value: float) -> float:
        return math.log(predict(math.exp(log_value)) / delta)

    upper = math.log(largest)
    lower, least = upper - 0.1, upper - 4.0
    if excess(upper) > 0:
        return largest
    while lower > least and excess(lower) < 0:
        lower, upper = lower - 0.2, lower
    root = brentq(excess, lower, upper, xtol=2e-3) if lower > least else lower
    value, failure, attempt = math.exp(root), FAILURE / 2, 0
    while value < largest:
        if certify(value, failure, np.random.default_rng([1, attempt])):
            return value
        value, failure, attempt = value * _RETRY, failure / 2, attempt + 1
    return largest


def _predict(run: Run, epsilon: float, delta: float) -> float:
    """What delta should be at least for `_certify` to succeed within its effort, for P against Q alone.

    Q against P is hardly ever worse on Poisson batches, and dearer to draw: it is certified but not searched for.
    """
    chain = _chain(run, epsilon, delta, True, _COARSE)
    largest = math.exp(min(chain.log_bound - 0.8 * (_COARSE - _FINE), 300.0))  # as the fine grid will have it
    draws = _draws(chain, epsilon, True, _PILOT, np.random.default_rng(0))
    spread = math.sqrt(8 * -math.log(FAILURE) * draws.var() / (3 * _FIRST))
    return (draws.mean() + spread - 1.5 * math.log(FAILURE) * largest * run.steps / _EFFORT) / (1 - GIVEN_UP)


def _certify(run: Run, epsilon: float, delta: float, failure: float, generator: np.random.Generator) -> bool:
    """True only if delta is kept, but for a probability of `failure` over the generator."""
    return all(_bet(run, epsilon, delta, remove, failure / 2, generator) for remove in (True, False))


def _bet(run: Run, epsilon: float, delta: float, remove: bool, failure: float, generator) -> bool:
    if not remove and epsilon >= -run.steps * math.log1p(-run.sampling_rate):
        return True  # no run is more than exp(epsilon) times less likely with the record: it may never have joined
    chain = _chain(run, epsilon, delta, remove, _FINE)
    claim = delta * (1 - GIVEN_UP)
    if chain.log_bound < math.log(claim):
        return True
    bet = largest_bet = 0.9 / (math.exp(chain.log_bound) - claim)
    effort, seen, log_wealth = max(_EFFORT / run.steps, _FIRST), np.empty(0), 0.0
    while len(seen) < effort:
        draws = _draws(chain, epsilon, remove, _FIRST if remove else _FIRST // 4, generator)
        log_wealth += float(np.sum(np.log1p(bet * (claim - draws))))
        if log_wealth > -math.log(failure):
            return True
        seen = np.concatenate([seen, draws])
        if log_wealth * effort / len(seen) < -0.5 * math.log(failure):  # hardly to be made up for
            return False
        margin = claim - seen.mean()
        bet = min(largest_bet, max(0.0, margin / (seen.var() + margin**2)))
    return False


def _chain(run: Run, epsilon: float, delta: float, remove: bool, slack: float) -> TiltedChain:
    """The tilted chain of the order that bounds its draws best: the bound is convex in the order."""
    surrogate = remove_surrogate if remove else add_surrogate

    def chain(log_order: float, grid) -> TiltedChain:
        return TiltedChain(run, grid, surrogate(run, epsilon, math.exp(log_order), grid.nodes()))

    coarse = make_grid(run, delta, 20.0)
    usual = math.log(2 * math.log(1 / delta) / epsilon)
    best = minimize_scalar(
        lambda log_order: chain(log_order, coarse).log_bound,
        bounds=(usual - 4.0, usual + 2.0), method="bounded", options={"xatol": 0.03},
    )  # fmt: skip
    return chain(best.x, make_grid(run, delta, slack))


def _draws(chain: TiltedChain, epsilon: float, remove: bool, samples: int, generator) -> np.ndarray:
    """Weight times payoff (samples,), not above its bound; their mean is at least the delta of chains on the grid."""
    log_weight, log_ratio = chain.draw(samples, generator, above=remove)
    gain = epsilon - log_ratio if remove else epsilon + log_ratio  # payoff: (e^L) (1 - e^gain) or 1 - e^gain
    wins = gain < 0
    log_payoff = np.log(-np.expm1(np.where(wins, gain, -1.0))) + (log_ratio if remove else 0.0)
    return np.where(wins, np.exp(np.minimum(log_weight + log_payoff, chain.log_bound)), 0.0)
