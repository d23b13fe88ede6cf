"""Risk of two-layer KANs trained with lambda-correlated noise: Theorems 4.1 and 5.2 of 2605.12648 as calculators.

The theorems hide constants and powers of logarithms. `optimisation_order` and `population_order` are their displayed
rates with every hidden factor 1: read them for how they move, not for their level. `kan_proof` puts the constants back.
The bounds on gradient and curvature are the paper's, for cubic splines on [-1, 1] and tanh.
"""

import math
from dataclasses import dataclass

from core.check import real, require, whole
from core.theory.bounds.statement import Bound, Condition

_TANH_SLOPE, _TANH_BEND = 1.0, 4 / 27**0.5  # largest |tanh'| and |tanh''|


@dataclass(frozen=True, kw_only=True)
class KanRun:
    """A run of Algorithm 1 on a KAN, as the theorems see it.

    `margin` is gamma of Assumption 3.3 (`ntk_margin`), `delta` the probability that the bound may fail; it is not the
    delta of privacy. `dim` is d, the inputs of a record; the network has width * dim * n_basis parameters.
    """

    n_samples: int
    dim: int
    width: int
    margin: float
    batch_size: int
    steps: int
    learning_rate: float
    noise_multiplier: float
    correlation: float
    clip_norm: float
    n_basis: int = 8
    delta: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("n_samples", "dim", "width", "batch_size", "steps"):
            whole(name, getattr(self, name), at_least=1)
        whole("n_basis", self.n_basis, at_least=4)
        require(self.batch_size <= self.n_samples, "batch_size", self.batch_size, f"<= n_samples={self.n_samples}")
        real("margin", self.margin, above=0, at_most=1)
        real("learning_rate", self.learning_rate, above=0)
        real("noise_multiplier", self.noise_multiplier, at_least=0)
        real("correlation", self.correlation, at_least=0, below=1)
        real("clip_norm", self.clip_norm, above=0)
        real("delta", self.delta, above=0, below=1)


def gradient_bound(width: int, n_basis: int, delta: float) -> float:
    """G_delta: no example's gradient is longer, wherever theta is, with probability 1 - delta over the second layer.

        B'_sigma B_b B'_b p (4 sqrt(p) + 2 sqrt(ln(2/delta)/m)),    B_b = 2/3, B'_b = (p - 3)/3

    Guarantees: above the norms of a network's gradients; for 8 basis functions it is a hundred times what they are.
    Reference: 2605.12648, Equation (5). The paper's constant C_{sigma,b} is not free of p: B'_b grows like p.
    """
    height, slope, _ = spline_bounds(n_basis)
    tail = 2 * math.sqrt(math.log(2 / delta) / width)
    return _TANH_SLOPE * height * slope * n_basis * (4 * math.sqrt(n_basis) + tail)


def curvature_bound(width: int, n_basis: int, delta: float) -> float:
    """Largest eigenvalue of the Hessian of the network's output, in absolute value, with probability 1 - delta.

        B_b^2 (B''_sigma B'_b + B'_sigma^2 B''_b) p^{3/2} (4 sqrt(p) + 2 sqrt(ln(2m/delta))) / sqrt(m)

    with B''_b = (p - 3)^2/2.

    Guarantees: above what automatic differentiation finds.
    Reference: 2605.12648, Equation (4).
    """
    height, slope, bend = spline_bounds(n_basis)
    bent = height**2 * (_TANH_BEND * slope + _TANH_SLOPE**2 * bend)
    outer = 4 * math.sqrt(n_basis) + 2 * math.sqrt(math.log(2 * width / delta))  # longest c_j
    return bent * n_basis**1.5 * outer / math.sqrt(width)


def smoothness_bound(width: int, n_basis: int, delta: float) -> float:
    """beta = C_{sigma,b} p^3: largest eigenvalue of the Hessian of an example's loss, G^2/4 + curvature.

    Guarantees: |gradient of the training loss|^2 <= 4 beta training loss.
    Reference: 2605.12648, Lemma B.7.
    """
    return gradient_bound(width, n_basis, delta) ** 2 / 4 + curvature_bound(width, n_basis, delta)


def width_range(run: KanRun) -> tuple[float, float]:
    """Widths for which Theorem 4.1 speaks, hidden factors taken as 1: (low, high), empty where low > high.

        gamma^-4 <= m <= B^2 / (eta^2 kappa^2 gamma^2 d) min(1, 1/(T ((1 - lambda)^2 + lambda^2 eta)))

    With the constants of the proof the lower end is `least_width`, twelve orders of magnitude higher.

    Guarantees: without noise the upper end is inf.
    Reference: 2605.12648, Theorem 4.1.
    """
    felt = (run.learning_rate * run.noise_multiplier * run.margin) ** 2 * run.dim
    if felt == 0:
        return run.margin**-4, math.inf
    return run.margin**-4, run.batch_size**2 / felt * min(1.0, 1 / (run.steps * _quadratic(run)))


def optimisation_order(run: KanRun) -> Bound:
    """A_corr of Theorem 4.1: order of the training loss averaged over the run, hidden factors taken as 1.

        1/(gamma^2 eta T) + 1/(gamma sqrt(B T)) + eta (1/B + 1/T)
          + (1 - lambda) kappa/(B sqrt(T)) (1/gamma + eta sqrt(m d/B))
          + ((1 - lambda)^2 + lambda^2 eta) eta kappa^2 m d/B^2

    The paper states it for lambda > 0; its proof holds at 0, where Theorem D.14 has the same but for a cross term.

    Guarantees: without noise A_non of Theorem E.1 and eta/T, which is smaller; the last factor is least at lambda =
    1/(1 + eta), so that at a fixed noise multiplier the bound does not fall all the way to lambda = 1 (Remark 4.2).
    Reference: 2605.12648, Theorem 4.1.
    """
    eta, steps, batch, gamma = run.learning_rate, run.steps, run.batch_size, run.margin
    noise = run.noise_multiplier / batch
    numbers = run.width * run.dim
    linear = (1 - run.correlation) * noise / math.sqrt(steps)
    terms = (
        ("distance to a good network", 1 / (gamma**2 * eta * steps)),
        ("batches", 1 / (gamma * math.sqrt(batch * steps)) + eta * (1 / batch + 1 / steps)),
        ("noise, to first order", linear * (1 / gamma + eta * math.sqrt(numbers / batch))),
        ("noise, to second order", _quadratic(run) * eta * noise**2 * numbers),
    )
    drift = eta * gamma * math.sqrt(steps) * (batch**-0.5 + noise * (1 - run.correlation))
    drift += (eta * gamma) ** 2 * (steps / batch + 1)
    low, high = width_range(run)
    conditions = (
        Condition("step-size condition of Theorem 4.1", drift, high=1.0),
        Condition("width", run.width, low, high),
        *smooth_and_unclipped(run, run.delta),
    )
    return Bound("Theorem 4.1", terms, conditions)


def population_order(run: KanRun) -> Bound:
    """Theorem 5.2: order of the population risk averaged over the run, hidden factors taken as 1.

        (1 + eta T/n) (A_corr + (sqrt(m) + R) delta),    R = (ln T + sqrt(ln(n/delta)))/gamma

    Guarantees: at least `optimisation_order`.
    Reference: 2605.12648, Theorem 5.2.
    """
    training = optimisation_order(run)
    likely = math.log(1 / run.delta)
    reach = (math.log(run.steps) + math.sqrt(math.log(run.n_samples / run.delta))) / run.margin
    stability = 1 + run.learning_rate * run.steps / run.n_samples
    terms = (
        *((words, stability * value) for words, value in training.terms),
        ("failure", stability * (math.sqrt(run.width) + reach) * run.delta),
    )
    wander = (math.log(run.n_samples / run.delta) + reach) * (math.sqrt(run.steps * likely / run.batch_size) + likely)
    least = (reach * run.learning_rate * (run.steps * training.value + wander)) ** 2 * math.log(run.width / run.delta)
    width = Condition("width for generalisation", run.width, low=least)
    return Bound("Theorem 5.2", terms, (*training.conditions, width))


def smooth_and_unclipped(run: KanRun, delta: float) -> tuple[Condition, Condition]:
    """What every theorem asks: learning_rate <= 1/(12 beta), and a clip norm that no gradient exceeds."""
    beta = smoothness_bound(run.width, run.n_basis, delta)
    longest = gradient_bound(run.width, run.n_basis, delta)
    return (
        Condition("learning_rate", run.learning_rate, high=1 / (12 * beta)),
        Condition("clip_norm", run.clip_norm, low=longest),
    )


def _quadratic(run: KanRun) -> float:
    return (1 - run.correlation) ** 2 + run.correlation**2 * run.learning_rate


def spline_bounds(n_basis: int) -> tuple[float, float, float]:
    """Largest value, slope and second derivative of a cubic B-spline whose knots are 2/(p - 3) apart."""
    pieces = (n_basis - 3) / 2
    return 2 / 3, 2 / 3 * pieces, 2 * pieces**2
