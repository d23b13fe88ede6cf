"""One pass over shuffled records, one record a step: what hiding the order buys. Adjacency is replacement."""

import math

from core import privacy
from core.check import real, whole

_REACH = privacy.ADJACENCY["replace"]
_SHARES = (0.5, 0.9, 0.99, 0.999)  # of delta that the shuffling may fail with; the rest pays for the local deltas


def shuffled_closed_form(local_epsilon: float, n_samples: int, delta: float) -> float:
    """Epsilon at `delta` of n_samples shuffled releases, each `local_epsilon`-private for its own record.

        epsilon = log(1 + (1 - e^-e0)/(1 + e^(-e0-e)) A),  A = 8 sqrt(e^e0 log(4/delta)/n) + 8 e^e0/n,  e = log(1 + A)

    Where e0 > log(n/(16 log(4/delta))) the theorem says nothing, and the local epsilon itself is returned.

    Reference: arXiv 2207.04686, Theorem A.3, with the constants of Feldman, McMillan and Talwar (2012.12803).
    """
    e0 = real("local_epsilon", local_epsilon, at_least=0)
    n = whole("n_samples", n_samples, at_least=1)
    tail = math.log(4 / real("delta", delta, above=0, below=1))
    if e0 > math.log(n / (16 * tail)):
        return e0
    gain = 8 * math.sqrt(math.exp(e0) * tail / n) + 8 * math.exp(e0) / n
    return math.log1p(-math.expm1(-e0) / (1 + math.exp(-e0 - math.log1p(gain))) * gain)


def shuffled_epsilon(noise_multiplier: float, n_samples: int, delta: float) -> float:
    """Epsilon at `delta` of DP-SSGD: one pass over n_samples shuffled records, one clipped gradient and its noise a step.

    A step alone is as revealing as telling N(0, 1) from N(2/noise_multiplier, 1), hence (e0, delta0)-private with delta0
    exact, for every e0. Shuffled, the run is (e, d + (1 + e^e)(1 + e^-e0 / 2) n delta0)-private with e the closed form
    at (e0, n, d). The least e whose delta fits is returned, or that of one step without shuffling where it is less.

    Guarantees: falls as the noise grows; at most the epsilon without shuffling.
    Reference: arXiv 2207.04686, Theorem 3.1 (which leaves its constants open); 2012.12803, Theorem 3.8.
    """
    mu = _REACH / real("noise_multiplier", noise_multiplier, above=0)
    n, delta = whole("n_samples", n_samples, at_least=1), real("delta", delta, above=0, below=1)
    return min(privacy.gdp_epsilon(mu, delta), *(_shuffled(mu, n, delta, share) for share in _SHARES))


def calibrate_shuffled(n_samples: int, epsilon: float, delta: float) -> float:
    """Noise multiplier that makes DP-SSGD (epsilon, delta)-private, rounded to the private side; replacement adjacency.

    Guarantees: `shuffled_epsilon` of the result is at most `epsilon`; at most what is needed without shuffling, but for
    rounding.
    """
    real("epsilon", epsilon, above=0)
    unshuffled = math.nextafter(_REACH / privacy.gdp_mu_for(epsilon, delta), math.inf)
    low, high = unshuffled, unshuffled
    while shuffled_epsilon(low, n_samples, delta) <= epsilon and low > unshuffled / 1e6:
        low, high = low / 1.25, low
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if shuffled_epsilon(middle, n_samples, delta) <= epsilon else (middle, high)
    while shuffled_epsilon(high, n_samples, delta) > epsilon:  # where shuffling is no help, by rounding
        high *= 1 + 1e-15
    return high


def _shuffled(mu: float, n: int, delta: float, share: float) -> float:
    """The closed form at the least local epsilon whose delta0 fits into what `share` leaves; infinite where none does."""

    def fits(e0: float) -> bool:
        paid = (1 + math.exp(shuffled_closed_form(e0, n, share * delta))) * (1 + math.exp(-e0) / 2) * n
        return share * delta + paid * privacy.gdp_delta(mu, e0) <= delta

    low, high = 0.0, math.log(max(1.0, n / (16 * math.log(4 / (share * delta)))))
    if not fits(high):
        return math.inf
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return shuffled_closed_form(high, n, share * delta)
