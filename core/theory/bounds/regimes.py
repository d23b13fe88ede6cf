"""The three settings that 2605.12648 recommends, Corollaries 5.3, 5.5 and 5.6, worked out for a problem at hand."""

import math
from dataclasses import dataclass

import numpy as np

from core.check import real, whole
from core.theory.bounds.statement import Bound, Condition


@dataclass(frozen=True)
class Regime:
    """What a corollary sets, and what it then promises; constants and powers of logarithms taken as 1.

    `noise_multiplier` is what the paper charges for the privacy asked for, 0 for no privacy. `optimisation` is about
    the training loss averaged over the run, `population` about the risk; both under the corollary's conditions.
    """

    name: str
    batch_size: float
    steps: float
    learning_rate: float
    width: float
    noise_multiplier: float
    optimisation: Bound
    population: Bound


def representative_regimes(
    n_samples: int, dim: int, epsilon: float, delta: float, margin: float, sampling_rate: float = 0.5
) -> tuple[Regime, Regime, Regime]:
    """Corollaries 5.3 (correlated noise), 5.5 (independent noise) and 5.6 (no privacy), in this order.

        5.3: B = r n, T = min(sqrt(n)/gamma, n eps gamma^2/sqrt(d)), eta = 1, m = gamma^-6,
             both risks 1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps)
        5.5: B = gamma sqrt(n), T = sqrt(n)/gamma, eta = min(1, gamma^2 sqrt(n) eps/sqrt(d)), m = gamma^-4,
             both risks 1/(gamma sqrt(n)) + sqrt(d)/(gamma^3 n eps)
        5.6: B = gamma sqrt(n), T = n^2/(gamma^2 B), eta = B/n, m = gamma^-4, training 1/n, population 1/(gamma^2 n)

    The correlation of 5.3 is any constant: it does not enter the rate. eta = 1 stands for a constant below 1/(12 beta),
    which is 3e-5 for 8 basis functions (`smoothness_bound`). Here `delta` is both that of privacy and the
    probability that the bounds may fail, as in the paper, and r is `sampling_rate`.

    Corollary 5.5 contradicts itself: every record joins once on average while the noise multiplier of Theorem 5.4 tends
    to 0 like n^{-1/4}, so that a record is seen when it joins. `revealed_delta` proves it for the run at hand, and a
    condition says so.

    Guarantees: each rate is what the terms of A_corr, A_van and A_non give at the setting, up to a constant.
    Reference: 2605.12648, Corollaries 5.3, 5.5 and 5.6.
    """
    n = whole("n_samples", n_samples, at_least=2)
    root = math.sqrt(whole("dim", dim, at_least=1))
    epsilon, delta = real("epsilon", epsilon, above=0), real("delta", delta, above=0, below=1)
    gamma, rate = real("margin", margin, above=0, at_most=1), real("sampling_rate", sampling_rate, above=0, below=1)
    sampling = ("sampling", 1 / (gamma * math.sqrt(n)))
    small = gamma * math.sqrt(n)  # batch size of 5.5 and 5.6
    return (
        _correlated(n, root, epsilon, delta, gamma, rate, sampling),
        _independent(n, root, epsilon, delta, gamma, small, sampling),
        _not_private(n, delta, gamma, small),
    )


def revealed_delta(sampling_rate: float, steps: int, noise_multiplier: float, epsilon: float) -> float:
    """A lower bound on delta at `epsilon` of independent noise: what the largest output alone gives away.

        max over c of P(max_t x_t > c) - e^eps Q(max_t x_t > c)

    Under Q all x_t ~ N(0, kappa^2), under P each is moved by 1 with probability r: the record when all other clipped
    gradients are 0, alike for fixed-size and Poisson batches. Zero-out adjacency; replacing reveals at least as much.

    Guarantees: never above the exact delta; tends to 1 - (1 - r)^T as noise vanishes.
    """
    rate = real("sampling_rate", sampling_rate, above=0, below=1)
    sigma = real("noise_multiplier", noise_multiplier, above=0)
    return _revealed(rate, whole("steps", steps, at_least=1), sigma, real("epsilon", epsilon, at_least=0))


def _revealed(rate: float, steps: float, sigma: float, epsilon: float) -> float:
    from scipy.special import log_ndtr

    level = np.linspace(0, 1 + 12 * sigma, 4000)
    without = log_ndtr(level / sigma)
    joined = np.logaddexp(math.log1p(-rate) + without, math.log(rate) + log_ndtr((level - 1) / sigma))
    return max(0.0, float(np.max(math.exp(epsilon) * np.expm1(steps * without) - np.expm1(steps * joined))))


def _correlated(n, root, epsilon, delta, gamma, rate, sampling) -> Regime:
    steps = min(math.sqrt(n) / gamma, n * epsilon * gamma**2 / root)
    width = gamma**-6
    terms = (sampling, ("privacy", root / (gamma**4 * n * epsilon)))
    conditions = (
        Condition("epsilon", epsilon, high=1.0),  # Theorem F.12, whose noise it charges
        Condition("delta", delta, high=min(1 / (n * math.sqrt(width)), gamma / n)),
        Condition("steps", steps, low=1.0),
        Condition("batch_size", rate * n, low=1.0),
    )
    bound = Bound("Corollary 5.3", terms, conditions)
    return Regime("correlated noise", rate * n, steps, 1.0, width, math.sqrt(rate * steps) / epsilon, bound, bound)


def _independent(n, root, epsilon, delta, gamma, batch_size, sampling) -> Regime:
    steps, rate = math.sqrt(n) / gamma, batch_size / n
    learning_rate = min(1.0, gamma**2 * math.sqrt(n) * epsilon / root)
    variance = rate**2 * steps * (16 / epsilon + 32 * math.log(1 / delta) / epsilon**2)  # Theorem D.9
    revealed = _revealed(rate, steps, math.sqrt(variance), epsilon)
    terms = (sampling, ("privacy", root / (gamma**3 * n * epsilon)))
    conditions = (
        Condition("delta", delta, high=gamma / n),
        Condition("batch_size", batch_size, low=1.0),
        Condition("delta that the noise of Theorem 5.4 reveals", revealed, high=delta),
    )
    bound = Bound("Corollary 5.5", terms, conditions)
    return Regime("independent noise", batch_size, steps, learning_rate, gamma**-4, math.sqrt(variance), bound, bound)


def _not_private(n, delta, gamma, batch_size) -> Regime:
    conditions = (Condition("delta", delta, high=1 / (gamma * n)), Condition("batch_size", batch_size, low=1.0))
    training = Bound("Corollary 5.6", (("sampling", 1 / n),), conditions)
    population = Bound("Corollary 5.6", (("sampling", 1 / (gamma**2 * n)),), conditions)
    steps = n**2 / (gamma**2 * batch_size)
    return Regime("no privacy", batch_size, steps, batch_size / n, gamma**-4, 0.0, training, population)
