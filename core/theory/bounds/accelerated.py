"""Accelerated-DP-SRGD: the constants and bounds of 2406.02716 as calculators, and from how many records on they speak.

Lengths are in units of `radius` R, gradients in units of `lipschitz` L, so that a risk is in units of L R: the excess
risk that any answer has at most, and above which a bound tells nothing. Logarithms are natural where the paper writes
log n, base 2 where it counts the levels of a tree.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from core.check import real, require, whole
from core.privacy import gdp_epsilon
from core.theory.bounds.statement import Bound, Condition

_MOST_SAMPLES = 1e80
_SUMMED = 100_000  # powers up to here are added up, later ones by Euler and Maclaurin's formula


@dataclass(frozen=True, kw_only=True)
class ScoRun:
    """Stochastic convex optimisation as the theorems see it: n records, p parameters, (epsilon, delta) under zero-out."""

    n_samples: float
    dim: int = 20
    epsilon: float = 1.0
    delta: float = 1e-6

    def __post_init__(self) -> None:
        real("n_samples", self.n_samples, at_least=2)
        whole("dim", self.dim, at_least=1)
        real("epsilon", self.epsilon, above=0)
        real("delta", self.delta, above=0, below=1)


class Parameters(NamedTuple):
    """What (19) sets: c_DP, T, B, beta [L/R], and b_max of Lemma 5.4 [R]."""

    c_dp: float
    steps: float
    batch_size: float
    scaling: float
    noise_bound: float


def c_dp(n_samples: float, delta: float) -> float:
    """4 sqrt(2) log(n)^(3/2) sqrt(ln(2n/delta)) ln(2.5/delta).

    Raises: ValueError for fewer than 2 records, or a delta outside (0, 1).
    Reference: 2406.02716, Equation (19).
    """
    real("n_samples", n_samples, at_least=2)
    real("delta", delta, above=0, below=1)
    return 4 * 2**0.5 * math.log(n_samples) ** 1.5 * math.sqrt(math.log(2 * n_samples / delta)) * math.log(2.5 / delta)


def parameters(run: ScoRun) -> Parameters:
    """T = c_DP n^(1/4), B = n/T, beta = c_DP^2 L max(1, sqrt(p)/(epsilon sqrt(n)))/R, b_max = c_DP^2 L sqrt(p)/(epsilon B beta).

    They are what the formulas give, whether or not a run can have them: T above n asks for batches of less than one record.
    Reference: 2406.02716, Equation (19) and Lemma 5.4.
    """
    constant = c_dp(run.n_samples, run.delta)
    steps = constant * run.n_samples**0.25
    batch_size = run.n_samples / steps
    private = run.dim**0.5 / run.epsilon
    scaling = constant**2 * max(1.0, private / run.n_samples**0.5)
    return Parameters(constant, steps, batch_size, scaling, constant**2 * private / (batch_size * scaling))


def samples_for_batches(batch_size: float, delta: float) -> float:
    """The number of records from which on B = n^(3/4)/c_DP is at least `batch_size`; 1: from which on T <= n.

    Guarantees: 589,716 for batches of 1 at delta = 1e-6.
    Raises: ValueError for a batch of less than one record, or one that 1e80 records do not reach.
    Reference: 2406.02716, Equation (19).
    """
    real("batch_size", batch_size, at_least=1)
    return _first(lambda n: n**0.75 / c_dp(n, delta) / batch_size)


def samples_for_bounded_noise(delta: float) -> float:
    """The number of records from which on c_DP <= n^(1/4), by which Lemma 5.4 has b_max <= R.

    Guarantees: 2.9e21 at delta = 1e-6.
    """
    return _first(lambda n: n**0.25 / c_dp(n, delta))


def samples_for_short_differences(delta: float) -> float:
    """The number of records from which on 2 c_DP sqrt(6 log(6 T/gamma)) <= n^(1/4), gamma = delta/4.

    The proof of Lemma 5.5, by which no |Delta_t(d)| is longer than c_DP L, needs at least that: one of the five terms
    that have to be at most c_DP. The others hold constants that the paper does not name.
    Reference: 2406.02716, proof of Lemma 5.5 (third term of its last display), gamma from the proof of Theorem 5.8.
    """

    def room(n_samples: float) -> float:
        constant = c_dp(n_samples, delta)
        tail = math.sqrt(6 * math.log(6 * constant * n_samples**0.25 / (delta / 4)))
        return n_samples**0.25 / (2 * constant * tail)

    return _first(room)


def samples_for_a_bound_below_trivial(dim: int, epsilon: float, delta: float) -> float:
    """The number of records from which on `excess_risk_bound` at the parameters of (19) is below L R.

    `excess_risk_bound` with Q = 2 c_DP L and failure probability delta/4, as in the proof of Theorem 5.8.
    """

    def room(n_samples: float) -> float:
        run = ScoRun(n_samples=n_samples, dim=dim, epsilon=epsilon, delta=delta)
        set_to = parameters(run)
        return 1 / excess_risk_bound(
            set_to.steps, set_to.batch_size, set_to.scaling, 2 * set_to.c_dp, set_to.noise_bound, delta / 4
        ).value

    return _first(room)


def optimal_rate(run: ScoRun) -> float:
    """1/sqrt(n) + sqrt(p)/(epsilon n) [L R]: the rate of Theorem 4.2 with every hidden constant and logarithm 1.

    Reference: 2406.02716, Theorems 4.2, 5.8 and 5.12.
    """
    return run.n_samples**-0.5 + run.dim**0.5 / (run.epsilon * run.n_samples)


def excess_risk_bound(
    steps: float, batch_size: float, scaling: float, difference_bound: float, noise_bound: float, failure: float = 0.05
) -> Bound:
    """What (12), summed over the steps, proves of F(y_T) - F(x*) [L R] with probability 1 - failure.

    `scaling` beta [L/R]; `difference_bound` Q [L], the largest distance of Delta_t(d) from its mean; `noise_bound` the
    largest |b_t| [R]. Every gradient of F is at most L. The theorem as printed has 2 for 3 in the first term, drops the
    term L |b_t| / eta_t of (12), which Theorem 4.1 keeps, and halves the last.

    Guarantees: equals the sum over t term by term; falls when the noise or Q falls.
    Reference: 2406.02716, Theorem 5.1 and Equation (12), with eta_t = t + 1.
    """
    for name, value in (("batch_size", batch_size), ("scaling", scaling), ("difference_bound", difference_bound)):
        real(name, value, above=0)
    real("steps", steps, at_least=1)
    real("noise_bound", noise_bound, at_least=0)
    real("failure", failure, above=0, below=1)
    drift = difference_bound * math.sqrt(3 * math.log(6 * steps / failure) / batch_size)  # of sqrt(t + 1) of them
    sums = {power: power_sum(steps, power) for power in (-1.0, -0.5, 0.5, 1.0, 1.5)} | {0.0: steps}
    weight = steps * (steps + 1) / 2  # eta_0 + ... + eta_{T-1}
    terms = (
        (
            "sampled gradients",
            1.5 * drift / scaling * (sums[1.5] + sums[0.5]) + 1.5 * drift**2 / scaling * (sums[1.0] + sums[0.0]),
        ),
        ("sampled gradients times noise", 3 * drift * noise_bound * (sums[0.5] + sums[-0.5]) / 2),
        ("sampled gradients times radius", drift * sums[0.5]),
        ("noise times gradient", noise_bound * (sums[1.0] + sums[0.0]) / 2),
        ("noise times radius", 3 * scaling * noise_bound * sums[0.0]),
        ("noise squared", scaling * noise_bound**2 * (sums[0.0] + sums[-1.0]) / 2),
        ("optimisation", 2 * scaling),
    )
    return Bound(
        "2406.02716, Theorem 5.1",
        tuple((words, value / weight) for words, value in terms),
        (Condition("batch size", batch_size, low=1.0),),
    )


def unaccelerated_variance(step: int, batch_size: int, n_samples: int) -> float:
    """t B/n: variance of the recursive gradient without acceleration, in units of that of one example's gradient.

    Reference: 2406.02716, Section 4.3 (a sketch, L = R = M = 1).
    """
    whole("batch_size", batch_size, at_least=1)
    return whole("step", step) * batch_size / whole("n_samples", n_samples, at_least=1)


def difference_length_bound(smoothness: float, noise_bound: float) -> float:
    """2 (M b_max + 2 M R + L) [L], M in L/R: no |Delta_t(d)| is longer where beta >= 2 M T; it does not depend on t.

    Reference: 2406.02716, Lemma 5.9.
    """
    real("smoothness", smoothness, at_least=0)
    return 2 * (smoothness * real("noise_bound", noise_bound, at_least=0) + 2 * smoothness + 1)


def printed_noise(steps: int, epsilon: float, delta: float) -> float:
    """sqrt(log2(T) ln(2.5/delta))/epsilon: sigma of Corollary 5.7 in units of c_DP L/(B beta); ours: the noise multiplier.

    Reference: 2406.02716, Corollary 5.7.
    """
    levels = math.log2(whole("steps", steps, at_least=2))
    real("epsilon", epsilon, above=0)
    return math.sqrt(levels * math.log(2.5 / real("delta", delta, above=0, below=1))) / epsilon


def missing_factor(steps: int) -> float:
    """sqrt(2 (1 + ceil(log2 T))/log2(T)): what `printed_noise` lacks of the noise that Lemma 5.6 asks for.

    Lemma 5.6 has sigma = C sqrt(1 + ceil(log2 T))/mu, and the proof of Corollary 5.7 mu = epsilon/sqrt(2 ln(2.5/delta)).
    """
    levels = math.log2(whole("steps", steps, at_least=2))
    return math.sqrt(2 * (1 + math.ceil(levels)) / levels)


def actual_epsilon(steps: int, epsilon: float, delta: float) -> float:
    """Epsilon at delta/2 that the tree really spends under `printed_noise`, by the exact Gaussian trade-off.

    Its sensitivity is sqrt(floor(log2 T) + 1), the number of blocks that hold one step.
    """
    blocks = whole("steps", steps, at_least=2).bit_length()
    return gdp_epsilon(math.sqrt(blocks) / printed_noise(steps, epsilon, delta), delta / 2)


def power_sum(steps: float, power: float) -> float:
    """1 + 2^power + ... + steps^power, `steps` rounded down; beyond 100,000 terms within 1e-12 relative."""
    real("power", power)
    head = math.floor(min(real("steps", steps, at_least=1), _SUMMED))
    total = float(np.sum(np.arange(1.0, head + 1) ** power))
    if steps <= _SUMMED:
        return total
    last = math.floor(steps)
    integral = math.log(last / head) if power == -1 else (last ** (power + 1) - head ** (power + 1)) / (power + 1)
    edges = (last**power - head**power) / 2 + power * (last ** (power - 1) - head ** (power - 1)) / 12
    return total + integral + edges


def _first(ratio) -> float:
    """The number of records from which on `ratio` of it is at least 1, for good."""
    low = math.log(2.0)
    high = math.log(_MOST_SAMPLES)
    require(ratio(_MOST_SAMPLES) >= 1, "records", _MOST_SAMPLES, "enough for what is asked, which takes more")
    while ratio(math.exp((low + high) / 2)) >= 1:  # the logarithms of n may win once more among the smallest n
        high = (low + high) / 2
    return math.exp(brentq(lambda log_n: math.log(ratio(math.exp(log_n))), (low + high) / 2, high, xtol=1e-13, rtol=1e-14))
