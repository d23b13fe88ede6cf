"""The paper's own noise multipliers in closed form, each with the conditions under which it holds."""

import math

from scipy.special import bdtrc, betaln, logsumexp

from core.check import real, require, whole


def closed_form(correlation: float, sampling_rate: float, steps: int, epsilon: float, delta: float) -> float:
    """Noise multiplier that the paper charges: Theorem F.12 for correlation > 0, Theorem D.9 at correlation 0.

        F.12:  kappa^2 = 8 ((1 - lambda^T)/(1 - lambda))^2 (r T + sqrt(3 r T ln(2/delta))) ln(2.5/delta) / epsilon^2
        D.9:   kappa^2 = 16 r^2 T / epsilon + 32 r^2 T ln(1/delta) / epsilon^2

    F.12 is about zero-out adjacency and holds for Poisson and for fixed-size batches. It needs epsilon <= 1 and asks for
    r T >= 3 ln(2/delta) so that Lemma F.10 bounds how often a record joins; here the lemma itself must hold, by the
    binomial tail, which the condition implies. D.9 is stated for replacing a
    record and fixed-size batches; its step lemma D.7 holds only where sampling is rare enough, which the paper leaves
    open. Here it must hold at the Renyi order alpha = 1 + 2 ln(1/delta)/epsilon that the proof uses, rounded up, for
    the pair (1-r) N(0) + r N(2) against N(0), which it has to cover. Then D.9 is proved for Poisson batches and
    zero-out adjacency.

    Guarantees: where it is not refused, at least as large as the exact noise multiplier for Poisson batches.
    Raises: ValueError where the theorem does not apply, naming its condition.
    Reference: 2605.12648, Theorems F.12 and D.9, Lemma D.7.
    """
    correlation = real("correlation", correlation, at_least=0, below=1)
    rate = real("sampling_rate", sampling_rate, above=0, below=1)
    steps = whole("steps", steps, at_least=1)
    epsilon = real("epsilon", epsilon, above=0)
    delta = real("delta", delta, above=0, below=1)
    if correlation == 0:
        return _independent(rate, steps, epsilon, delta)
    require(epsilon <= 1, "epsilon", epsilon, "<= 1, a condition of Theorem F.12")
    least = 3 * math.log(2 / delta)
    likely = rate * steps + math.sqrt(rate * steps * least)
    tail = float(bdtrc(math.floor(likely), steps, rate)) if likely < steps else 0.0
    require(
        tail <= delta / 2,
        "sampling_rate", float(f"{rate:.3g}"),
        f">= {least / steps:.4g}: Theorem F.12 needs r T >= 3 ln(2/delta), for a record joins more than {likely:.3g} times"
        f" with probability {tail:.2g}, not {delta / 2:.2g}",
    )
    reach = -math.expm1(steps * math.log(correlation)) / (1 - correlation)
    return reach * math.sqrt(8 * likely * math.log(2.5 / delta)) / epsilon


def _independent(rate: float, steps: int, epsilon: float, delta: float) -> float:
    order = 1 + 2 * math.log(1 / delta) / epsilon
    variance = 16 * order * rate**2 * steps / epsilon
    claimed = 8 * order * rate**2 / variance
    true = _renyi_divergence(max(2, math.ceil(order)), rate, 2 / math.sqrt(variance))
    require(
        true <= claimed,
        "sampling_rate", float(f"{rate:.3g}"),
        f"rarer sampling: Lemma D.7 claims a Renyi divergence of {claimed:.3g} a step where it is {true:.3g}",
    )
    return math.sqrt(variance)


def _renyi_divergence(order: int, rate: float, shift: float) -> float:
    """Of (1-rate) N(0,1) + rate N(shift,1) from N(0,1), at a whole order: a binomial sum of Gaussian moments."""
    terms = [
        -math.log(order + 1) - betaln(order - j + 1, j + 1)
        + j * math.log(rate) + (order - j) * math.log1p(-rate) + j * (j - 1) / 2 * shift**2
        for j in range(order + 1)
    ]
    return max(0.0, float(logsumexp(terms))) / (order - 1)
