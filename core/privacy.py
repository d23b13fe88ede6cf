"""One Gaussian release: from a mechanism and its noise multiplier to gdp_mu, rho or (epsilon, delta), and back.

A run with correlated Gaussian noise is as revealing as telling N(0, 1) from N(gdp_mu, 1), with

    gdp_mu = adjacency * sensitivity / noise_multiplier,        rho = gdp_mu**2 / 2

so privacy needs no object of its own. Subsampling is not Gaussian and has no place here.
"""

import math
from typing import Protocol, runtime_checkable

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr

from core import check

ADJACENCY = {"zero_out": 1.0, "replace": 2.0}
"""How far one record moves a clipped sum, in units of the clip norm: its gradient zeroed out, or replaced."""

_MARGIN = 1e-10  # relative slack in delta, far above rounding and below anything that one would notice
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@runtime_checkable
class Private(Protocol):
    """What accounting asks of a mechanism: the largest norm of the summed columns of C, in units of the clip norm."""

    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float: ...


def gdp_mu(
    mechanism: Private,
    steps: int,
    noise_multiplier: float,
    adjacency: str = "zero_out",
    participations: int = 1,
    separation: int = 1,
) -> float:
    """Gaussian-DP parameter of `steps` noisy clipped sums: adjacency * sensitivity / noise_multiplier.

    Guarantees: halves when `noise_multiplier` doubles; "replace" is exactly twice "zero_out".
    Raises: ValueError for what is no mechanism, an unknown adjacency, a noise multiplier that is not positive, and
    whatever `mechanism.sensitivity` refuses.
    Reference: 2310.06771, Theorem 1.1 (noise variance = sensitivity^2 / (2 rho)).
    """
    check.real("noise_multiplier", noise_multiplier, above=0)
    return _reach(_sensitivity(mechanism, steps, participations, separation), adjacency) / noise_multiplier


def gdp_delta(mu: float, epsilon: float) -> float:
    """Smallest delta for which telling N(0,1) from N(mu,1) is (epsilon, delta)-private.

        delta = Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu)

    Guarantees: increases in mu, decreases in epsilon; relative error below 1e-11 for mu in 1e-3..50 and delta down to
    1e-12, with no overflow or cancellation.
    """
    check.real("mu", mu, above=0)
    check.real("epsilon", epsilon, at_least=0)
    return math.exp(_log_delta(mu, epsilon))


def gdp_epsilon(mu: float, delta: float) -> float:
    """Smallest epsilon for which telling N(0,1) from N(mu,1) is (epsilon, delta)-private, rounded up.

    Guarantees: gdp_delta(mu, gdp_epsilon(mu, delta)) <= delta, within 1e-9 relative unless epsilon is 0 or mu > 1e5.
    """
    check.real("mu", mu, above=0)
    log_delta = _log_target(delta)
    if _log_delta(mu, 0.0) <= log_delta:
        return 0.0
    # delta < Phi(mu/2 - epsilon/mu) <= exp(-(mu/2 - epsilon/mu)^2 / 2) gives the upper end
    upper = mu * (mu / 2 + math.sqrt(-2 * log_delta))
    if mu > 1e5:  # neighbouring floats near mu^2/2 differ too much in delta for a root
        return upper * (1 + 1e-15)
    return brentq(lambda epsilon: _log_delta(mu, epsilon) - log_delta, 0.0, upper, xtol=1e-300, rtol=1e-15)


def gdp_mu_for(epsilon: float, delta: float) -> float:
    """Largest mu for which telling N(0,1) from N(mu,1) is (epsilon, delta)-private, rounded down.

    Guarantees: gdp_delta(gdp_mu_for(epsilon, delta), epsilon) <= delta, within 1e-9 relative.
    """
    check.real("epsilon", epsilon, at_least=0)
    log_delta = _log_target(delta)
    upper = 1.0
    while _log_delta(upper, epsilon) < log_delta:
        upper *= 2
    while _log_delta(upper / 2, epsilon) > log_delta:
        upper /= 2
    return brentq(lambda mu: _log_delta(mu, epsilon) - log_delta, upper / 2, upper, xtol=1e-300, rtol=1e-15)


def zcdp_epsilon(rho: float, delta: float) -> float:
    """Epsilon at `delta` of any rho-zCDP algorithm, by the tightest known conversion from Renyi divergences.

        epsilon = min over alpha > 1 of  rho alpha + log(1 - 1/alpha) - log(delta alpha)/(alpha - 1)

    Guarantees: at most `zcdp_epsilon_simple`; at least `gdp_epsilon(sqrt(2 rho), delta)`, which knows more, up to
    rho = 5e9, from where on that is rounded up.
    Reference: Canonne, Kamath and Steinke 2020 (2004.00010), Proposition 12.
    """
    check.real("rho", rho, above=0)
    check.real("delta", delta, above=0, below=1)
    # the derivative in alpha vanishes where rho (alpha-1)^2 = log(1/(delta alpha)): one root, below `upper`
    upper = min(math.sqrt(-math.log(delta) / rho) * (1 + 1e-9), 1 / delta)

    def slope(excess: float) -> float:
        return rho * excess * excess + math.log(delta) + math.log1p(excess)

    excess = brentq(slope, 0.0, upper, xtol=1e-300, maxiter=1000)  # over hundreds of orders of magnitude
    alpha = 1 + excess
    return max(0.0, rho * alpha + math.log(excess / alpha) - math.log(delta * alpha) / excess)


def zcdp_epsilon_simple(rho: float, delta: float) -> float:
    """Epsilon at `delta` of any rho-zCDP algorithm by the textbook conversion rho + 2 sqrt(rho log(1/delta)).

    Reference: Bun and Steinke 2016 (1605.02065), Proposition 1.3.
    """
    check.real("rho", rho, above=0)
    check.real("delta", delta, above=0, below=1)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def calibrate(
    mechanism: Private,
    steps: int,
    epsilon: float,
    delta: float,
    adjacency: str = "zero_out",
    participations: int = 1,
    separation: int = 1,
) -> float:
    """Smallest noise multiplier that makes the run (epsilon, delta)-private, rounded up.

    Guarantees: `gdp_mu` of the result is at most `gdp_mu_for(epsilon, delta)`, and within 1e-15 relative of it.
    """
    sensitivity = _sensitivity(mechanism, steps, participations, separation)
    return multiplier_for(sensitivity, gdp_mu_for(epsilon, delta), adjacency)


def calibrate_rho(
    mechanism: Private,
    steps: int,
    rho: float,
    adjacency: str = "zero_out",
    participations: int = 1,
    separation: int = 1,
) -> float:
    """Smallest noise multiplier that makes the run rho-zCDP, adjacency * sensitivity / sqrt(2 rho), rounded up.

    Guarantees: `gdp_mu` of the result, squared and halved, is at most `rho`.
    Reference: 2310.06771, Theorem 1.1.
    """
    check.real("rho", rho, above=0)
    mu = math.nextafter(math.sqrt(2 * rho), 0.0)
    return multiplier_for(_sensitivity(mechanism, steps, participations, separation), mu, adjacency)


def multiplier_for(sensitivity: float, mu: float, adjacency: str = "zero_out") -> float:
    """Smallest noise multiplier that makes sums of this `sensitivity` [clip_norm] mu-Gaussian-DP, rounded up.

    `calibrate` for those who know both numbers already: finding them takes time, this takes none.

    Guarantees: adjacency * sensitivity / result <= mu, in floating point too.
    """
    check.require(sensitivity > 0, "sensitivity", sensitivity, "> 0")
    check.real("mu", mu, above=0)
    return math.nextafter(_reach(sensitivity, adjacency) / mu, math.inf)


def _sensitivity(mechanism: Private, steps: int, participations: int, separation: int) -> float:
    check.require(isinstance(mechanism, Private), "mechanism", mechanism, "one with a sensitivity, such as independent()")
    return mechanism.sensitivity(steps, participations, separation)


def _reach(sensitivity: float, adjacency: str) -> float:
    return ADJACENCY[check.choice("adjacency", adjacency, tuple(ADJACENCY))] * sensitivity


def _log_target(delta: float) -> float:
    return math.log(check.real("delta", delta, above=0, below=1)) - _MARGIN


def _log_delta(mu: float, epsilon: float) -> float:
    """log of gdp_delta, finite where delta itself underflows.

    With a, b = +-mu/2 - epsilon/mu one has exp(epsilon) phi(b) = phi(a), so delta = phi(a) (R(a) - R(b)) where
    R = Phi/phi is Mills' ratio. For small mu the difference is integrated from R'(x) = 1 + x R(x), which cannot cancel.
    """
    a = mu / 2 - epsilon / mu
    b = -mu / 2 - epsilon / mu
    log_density = -a * a / 2 - math.log(2 * math.pi) / 2
    if a < -1e3:  # delta is below exp(-500000): R(x) is -1/x to six digits, and log delta only has to be finite
        return log_density + math.log(mu) - math.log(-a) - math.log(-b)
    if mu < 1:
        x = (a + b) / 2 + mu / 2 * _NODES
        return log_density + math.log(mu / 2 * (_WEIGHTS @ (1 + x * _mills(x))))
    log_first = float(log_ndtr(a))
    return log_first + math.log1p(-math.exp(log_density + math.log(_mills(b)) - log_first))


def _mills(x):
    return math.sqrt(math.pi / 2) * erfcx(-x / math.sqrt(2))
