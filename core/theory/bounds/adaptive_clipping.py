"""Constants and bounds of 2207.04686 as calculators, and from how many records on they say anything.

Conventions: x ~ N(0, I) in d dimensions unless eigenvalues are given; logarithms are natural; a = 1/2 (Gaussian tails);
adjacency is replacement.
"""

import math
from functools import partial

from core.check import real, require, whole
from core.learners.threshold import DpStat
from core.theory.bounds.statement import Bound, Condition

TAIL = math.sqrt(8 / 3)
"""K_2 of a standard Gaussian: E exp(z^2 / K_2^2) = 2. (The paper asks for <= 1, which no random variable fulfils but 0.)"""
LOG_POWER = 0.5
"""a of Definition 2.1 for Gaussian tails."""


def alpha_printed(epsilon: float, delta: float) -> float:
    """alpha = sqrt(8 log(1/delta)) / epsilon, half the noise multiplier of DP-AMBSSGD.

    Raises: ValueError where epsilon > log(1/delta), which the shorter formula of the theorem leaves out.
    Reference: arXiv 2207.04686, Theorem 3.6, second part.
    """
    likely = _log_inverse(delta)
    return math.sqrt(8 * likely) / real("epsilon", epsilon, above=0, at_most=likely)


def alpha_any_epsilon(epsilon: float, delta: float) -> float:
    """alpha = 2 sqrt(log(1/delta) + epsilon) / epsilon. Reference: arXiv 2207.04686, Theorem 3.6, first part."""
    return 2 * math.sqrt(_log_inverse(delta) + real("epsilon", epsilon, above=0)) / epsilon


def alpha_for_claim(epsilon: float, delta: float) -> float:
    """The alpha at which 1/alpha^2-zCDP, as claimed, is (epsilon, delta)-private by rho + 2 sqrt(rho log(1/delta)).

    alpha = 1 / (sqrt(log(1/delta) + epsilon) - sqrt(log(1/delta))), which `alpha_printed` and `alpha_any_epsilon` round up.
    """
    likely = _log_inverse(delta)
    return (math.sqrt(likely + real("epsilon", epsilon, above=0)) + math.sqrt(likely)) / epsilon


def dp_stat_rho(rungs: int, alpha: float) -> float:
    """What DP-STAT costs: K+1 counts of noise variance K alpha^2 are (K+1)/(2 K alpha^2)-zCDP, not 1/(2 alpha^2)."""
    return DpStat(largest=1.0, rungs=rungs, alpha=alpha, scale=1.0).rho


def printed_rho(rungs: int, alpha: float) -> float:
    """What the record costs that search and gradient share: (2K+1)/(2 K alpha^2), above the 1/alpha^2 of Theorem 3.6."""
    return dp_stat_rho(rungs, alpha) + 1 / (2 * alpha**2)


def printed_rungs(n_samples: int) -> int:
    """K = ceil(log2(B/Delta)) with Delta = B/N^200: how often the printed search may double its threshold."""
    return math.ceil(200 * math.log2(whole("n_samples", n_samples, at_least=2)))


def largest_threshold(dim: int, n_samples: int, signal: float, label_noise: float) -> float:
    """B = K_2 R_x (|theta_star|_H + sigma) log^(2a) N, the top of the printed search. Reference: Theorem 3.7."""
    length = real("signal", signal, at_least=0) + real("label_noise", label_noise, at_least=0)
    return TAIL * length * clip_scale(dim, n_samples) * math.log(n_samples) ** LOG_POWER


def clip_scale(dim: int, n_samples: int) -> float:
    """zeta / gamma = R_x log^a N. Reference: arXiv 2207.04686, Algorithm 2, line 8."""
    return math.sqrt(whole("dim", dim, at_least=1)) * math.log(whole("n_samples", n_samples, at_least=2)) ** LOG_POWER


def learning_rate(batch_size: int, r_squared: float, largest_eigenvalue: float) -> float:
    """eta = b / (R_x^2 + (b-1) |H|). Reference: arXiv 2207.04686, Theorem 3.7."""
    whole("batch_size", batch_size, at_least=1)
    largest = real("largest_eigenvalue", largest_eigenvalue, above=0)
    return batch_size / (real("r_squared", r_squared, above=0) + (batch_size - 1) * largest)


def steps_to_halve(learning_rate: float, least_eigenvalue: float = 1.0) -> float:
    """Steps after which the error of the slowest direction has halved; at Corollary 3.8's 1/(4d) it is 2.8 d of them."""
    shrink = real("learning_rate", learning_rate, above=0) * real("least_eigenvalue", least_eigenvalue, above=0)
    return math.log(0.5) / math.log1p(-shrink) if shrink < 1 else 1.0


def ssgd_alpha_printed(n_samples: int, epsilon: float, delta: float) -> float:
    """alpha = log(N/delta) / (epsilon sqrt N), without the constants that Theorem 3.1 leaves open.

    What is needed is half of `core.amplification.shuffling.calibrate_shuffled`. Reference: Theorem 3.1, Corollary 3.3.
    """
    likely = math.log(whole("n_samples", n_samples, at_least=1)) + _log_inverse(delta)
    return likely / (real("epsilon", epsilon, above=0) * math.sqrt(n_samples))


def excess_risk_bound(
    dim: int, n_samples: int, epsilon: float, delta: float, label_noise: float, contraction: float = 400.0, signal: float = 1.0
) -> Bound:
    """Lemma 3.11 with all its constants on N(0, I): the excess risk of DP-AMBSSGD when nothing is clipped.

    T = contraction * log N steps; `contraction` is the paper's c_1 kappa, of which 1/N^100 in Theorem 3.7 takes 400.
    b = N/(1.1 T), s = b/10, eta of Theorem 3.7, alpha = `alpha_printed`, R_x^2 = d, Delta = (signal + label_noise)/N^100.

        (4 e^-eta/(eta T)^2 + 96 alpha^2/(T b^2) L d) * (signal^2/N^(eta c_1/4) + 2 eta/b sigma^2 d + 24 eta alpha^2/b^2 L (sigma^2 + Delta^2))
          + 8/(T b) (sigma^2 d + 12 alpha^2/b L (sigma^2 + Delta^2)),        L = K_2^2 d log^(4a) N d

    Guarantees: falls with n_samples where it applies.
    Raises: ValueError naming the argument.
    Reference: arXiv 2207.04686, Lemma 3.11; Lemma 3.10 for the search, whose count must miss fewer than the s that it sees.
    """
    whole("dim", dim, at_least=1)
    for name, value in (("label_noise", label_noise), ("signal", signal)):
        real(name, value, at_least=0)
    real("contraction", contraction, above=0)
    log_n = math.log(whole("n_samples", n_samples, at_least=3))
    alpha = alpha_printed(epsilon, delta)
    steps = contraction * log_n
    batch = n_samples / (1.1 * steps)
    eta = batch / (dim + batch - 1) if batch >= 1 else batch / dim
    spread = TAIL**2 * dim * log_n ** (4 * LOG_POWER) * dim
    floor = label_noise**2 + ((signal + label_noise) * math.exp(-100 * log_n)) ** 2
    first = 4 * math.exp(-eta) / (eta * steps) ** 2 + 96 * alpha**2 / (steps * batch**2) * spread
    start = signal**2 * math.exp(-eta * contraction / 4 * log_n)
    sampled = 2 * eta / batch * label_noise**2 * dim
    noised = 24 * eta * alpha**2 / batch**2 * spread * floor
    terms = (
        ("what is left of the start", first * start),
        ("records, last iterates", first * sampled),
        ("privacy, last iterates", first * noised),
        ("records, averaged", 8 / (steps * batch) * label_noise**2 * dim),
        ("privacy, averaged", 8 / (steps * batch) * 12 * alpha**2 / batch * spread * floor),
    )
    rungs = printed_rungs(n_samples)
    missed = alpha * math.sqrt(2 * rungs * (math.log(rungs) + 200 * log_n))
    conditions = (
        Condition("batch size over what the noise on it asks for", batch / math.sqrt(24 * eta * alpha**2 * spread), low=1.0),
        Condition("records that the search may miss, over those that it sees", missed / (batch / 10), high=1.0),
    )
    return Bound("Lemma 3.11", terms, conditions)


def speaks_from(dim: int, epsilon: float, delta: float, label_noise: float = 0.1, contraction: float = 400.0) -> float:
    """Records from which on Lemma 3.11 applies and is below 1/2, the excess risk of answering 0 where |theta_star| = 1.

    Guarantees: there it applies and is below 1/2; at 1% fewer it is not so.
    Raises: ValueError for a label noise that no number of records up to e^60 overcomes.
    """
    says = partial(excess_risk_bound, dim, epsilon=epsilon, delta=delta, label_noise=label_noise, contraction=contraction)

    def speaks(log_n: float) -> bool:
        bound = says(n_samples=round(math.exp(log_n)))
        return bound.applies and bound.value < 0.5

    low, high = math.log(10), 60.0
    require(speaks(high), "label_noise", label_noise, "one that the bound overcomes with fewer than e^60 records")
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if speaks(middle) else (middle, high)
    return math.exp(high)


def _log_inverse(delta: float) -> float:
    return -math.log(real("delta", delta, above=0, below=1))
