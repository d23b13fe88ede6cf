"""Risk bounds for two-layer KANs trained with lambda-correlated noise: Theorems 4.1 and 5.2 of 2605.12648 as calculators.

The theorems hide constants and powers of logarithms. `optimisation_order` and `population_order` are their displayed
rates with every hidden factor 1: read them for how they move, not for their level. `optimisation_bound` puts the
constants of the proof back (Lemmas B.5-B.7 and C.1-C.12 give all of them) for cubic splines on [-1, 1] and tanh. Nothing
here looks at records but the margin that the caller brings.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from core.check import real, require, whole

LOG_2 = math.log(2)
"""Risk of the network that always answers 0: a bound above it tells nothing."""

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


@dataclass(frozen=True)
class Condition:
    """`value` must lie from `low` to `high`; `words` names it."""

    words: str
    value: float
    low: float = -math.inf
    high: float = math.inf

    @property
    def holds(self) -> bool:
        return self.low <= self.value <= self.high

    def __str__(self) -> str:
        if self.low > self.high:
            return f"{self.words}: no value fits, for it must be at least {self.low:.3g} and at most {self.high:.3g}"
        bounds = [f"at least {self.low:.3g}"] * math.isfinite(self.low) + [f"at most {self.high:.3g}"] * math.isfinite(self.high)
        return f"{self.words} = {self.value:.3g}, to be {' and '.join(bounds)}"


@dataclass(frozen=True)
class Bound:
    """A bound on a risk: the sum of its `terms` (words, value), and the `conditions` under which `source` proves it."""

    source: str
    terms: tuple[tuple[str, float], ...]
    conditions: tuple[Condition, ...]

    @property
    def value(self) -> float:
        """Sum of the terms, whether or not the conditions hold."""
        return math.fsum(value for _, value in self.terms)

    @property
    def applies(self) -> bool:
        """Whether every condition holds."""
        return all(condition.holds for condition in self.conditions)

    @property
    def status(self) -> str:
        """Empty where the bound applies and is below log 2, the risk of always answering 0; else a sentence."""
        failing = [str(condition) for condition in self.conditions if not condition.holds]
        if failing:
            return f"{self.source} does not apply: {'; '.join(failing)}."
        if self.value >= LOG_2:
            return f"{self.source} says nothing: {self.value:.3g} is above log 2, the risk of always answering 0."
        return ""


def gradient_bound(width: int, n_basis: int, delta: float) -> float:
    """G_delta: no example's gradient is longer, wherever theta is, with probability 1 - delta over the second layer.

        B'_sigma B_b B'_b p (4 sqrt(p) + 2 sqrt(ln(2/delta)/m)),    B_b = 2/3, B'_b = (p - 3)/3 for cubic splines on [-1, 1]

    Guarantees: above the norms of a network's gradients; for 8 basis functions it is a hundred times what they are.
    Reference: 2605.12648, Equation (5). The paper's constant C_{sigma,b} is not free of p: B'_b grows like p.
    """
    height, slope, _ = _spline_bounds(n_basis)
    tail = 2 * math.sqrt(math.log(2 / delta) / width)
    return _TANH_SLOPE * height * slope * n_basis * (4 * math.sqrt(n_basis) + tail)


def curvature_bound(width: int, n_basis: int, delta: float) -> float:
    """Largest eigenvalue of the Hessian of the network's output, in absolute value, with probability 1 - delta.

        B_b^2 (B''_sigma B'_b + B'_sigma^2 B''_b) p^{3/2} (4 sqrt(p) + 2 sqrt(ln(2m/delta))) / sqrt(m),    B''_b = (p - 3)^2/2

    Guarantees: above what automatic differentiation finds.
    Reference: 2605.12648, Equation (4).
    """
    height, slope, bend = _spline_bounds(n_basis)
    bent = height**2 * (_TANH_BEND * slope + _TANH_SLOPE**2 * bend)
    return bent * n_basis**1.5 * (4 * math.sqrt(n_basis) + 2 * math.sqrt(math.log(2 * width / delta))) / math.sqrt(width)


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
          + (1 - lambda) kappa/(B sqrt(T)) (1/gamma + eta sqrt(m d/B)) + ((1 - lambda)^2 + lambda^2 eta) eta kappa^2 m d/B^2

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
        *_smooth_and_unclipped(run, run.delta),
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


def optimisation_bound(run: KanRun) -> Bound:
    """The bound behind Theorem 4.1 with every constant of its proof: training loss averaged over the run.

        8/T + 3 tau^2/(eta T) + 3 M/(eta T) + 6 eta V_Delta/T + 3 ((1 - lambda)^2 eta + 12 beta lambda^2 eta^2) c^2 V_Z/T

    tau is how far along the margin's direction a network of loss 1/T lies, c = clip_norm kappa/B, M, V_Delta and V_Z the
    bounds of Lemmas C.5, C.6 and C.10, the radius inside M the smallest that closes the bootstrap (10). It holds with
    probability 1 - delta over start, batches and noise, for fixed-size batches and a ball that is at least as large as
    the run needs.

    Guarantees: the radius solves (10) with equality; V_Z and the length of Z hold in simulation; all conditions that a
    run meets stay met when it is wider and has no noise.
    Reference: 2605.12648, Lemma C.11 with Lemma C.12. |f| at the start is bounded with ln(4n/delta), for the union over n
    records and two signs at probability delta/2 where the paper has ln(2n/delta).
    """
    proof = _Proof(run)
    eta, steps = run.learning_rate, run.steps
    noise = ((1 - run.correlation) ** 2 * eta + 12 * proof.beta * (run.correlation * eta) ** 2) * proof.noise_std**2
    fluctuation, per_radius = proof.fluctuation
    terms = (
        ("loss of a good network", 8 / steps),
        ("distance to a good network", 3 * proof.tau**2 / (eta * steps)),
        ("batches and noise, to first order", 3 * (fluctuation + per_radius * proof.radius) / (eta * steps)),
        ("batches, to second order", 6 * eta * proof.batch_energy / steps),
        ("noise, to second order", 3 * noise * proof.noise_energy / steps),
    )
    conditions = (
        Condition("curvature times distance at the good network, over margin^2", proof.bent_comparator, high=1.0),
        Condition("curvature times squared distance during the run", proof.bent_run, high=0.5),
        *_smooth_and_unclipped(run, proof.share),
    )
    return Bound("Lemma C.11", terms, conditions)


def least_width(run: KanRun) -> float:
    """Smallest width at which the curvature conditions of `optimisation_bound` hold, without noise and at a learning
    rate cut down to what the theorem allows: noise can only ask for more, or leave no width at all.

    Guarantees: both conditions hold there and one fails at 1% less; for 8 basis functions more than 10^12 gamma^-4.
    Raises: ValueError for a margin so small that a width of e^200 is not enough.
    """

    def holds(log_width: float) -> bool:
        proof = _Proof(_quiet(run, math.ceil(math.exp(log_width))))
        return proof.bent_comparator <= 1 and proof.bent_run <= 0.5

    return math.exp(_first(holds, 0.0, 200.0))


class _Proof:
    """The quantities of Appendix C.1 for a run; delta is shared evenly by its five events."""

    def __init__(self, run: KanRun) -> None:
        self.run = run
        self.share = run.delta / 5
        self.gradient = gradient_bound(run.width, run.n_basis, self.share)
        self.curvature = curvature_bound(run.width, run.n_basis, self.share)
        self.beta = smoothness_bound(run.width, run.n_basis, self.share)
        self.noise_std = run.clip_norm * run.noise_multiplier / run.batch_size  # c of the paper

    @cached_property
    def needed(self) -> float:
        """Output that a network of loss 1/T must gain: log T and what the start may have against it."""
        height, _, _ = _spline_bounds(self.run.n_basis)
        start = height * math.sqrt(2 * self.run.n_basis * math.log(4 * self.run.n_samples / self.share))
        return start + math.log(self.run.steps)

    @cached_property
    def bent_comparator(self) -> float:
        """At most 1 where tau gamma - tau^2 H/2 reaches what is needed, for some tau (Lemma C.12)."""
        bent = curvature_bound(self.run.width, self.run.n_basis, self.share / 2)
        return 2 * bent * self.needed / self.run.margin**2

    @cached_property
    def tau(self) -> float:
        """Smallest such tau; where there is none, the limit of those that there are in wider networks."""
        return 2 * self.needed / (self.run.margin * (1 + math.sqrt(max(0.0, 1 - self.bent_comparator))))

    @cached_property
    def noise_energy(self) -> float:
        """V_Z: the sum of |Z_t|^2 over T - 1 steps stays below (Lemma C.5)."""
        numbers = (self.run.steps - 1) * self._numbers
        likely = math.log(2 / self.share)
        return numbers + 2 * math.sqrt(numbers * likely) + 2 * likely

    @cached_property
    def noise_length(self) -> float:
        """z: every |Z_t| stays below (Lemma C.5)."""
        return math.sqrt(self._numbers) + math.sqrt(2 * math.log(2 * self.run.steps / self.share))

    @cached_property
    def batch_energy(self) -> float:
        """V_Delta: the sum of squared batch fluctuations stays below (Lemma C.6)."""
        return self.gradient**2 * (2 * self.run.steps / self.run.batch_size + 8 * math.log(1 / self.share))

    @cached_property
    def fluctuation(self) -> tuple[float, float]:
        """M of Lemma C.10: its part without the radius, and its part for each unit of the radius."""
        run, likely = self.run, math.log(6 / self.share)
        noise = 4 * (1 - run.correlation) * run.learning_rate * self.noise_std
        fixed = noise * run.learning_rate * self.gradient * math.sqrt(self.noise_energy * likely / run.batch_size)
        batches = 4 * math.sqrt(2) * run.learning_rate * self.gradient * math.sqrt(run.steps * likely / run.batch_size)
        return fixed, batches + noise * math.sqrt(run.steps * likely)

    @cached_property
    def energy(self) -> float:
        """The left side of (10) without the part of M that grows with the radius, at a good network of loss 1/T."""
        run, eta = self.run, self.run.learning_rate
        noise = ((1 - run.correlation) ** 2 + 12 * self.beta * run.correlation**2 * eta) * (eta * self.noise_std) ** 2
        rest = self.fluctuation[0] + 2 * eta**2 * self.batch_energy + noise * self.noise_energy
        return self.tau**2 + 8 / 3 * eta + rest

    @cached_property
    def radius(self) -> float:
        """Smallest radius with energy + per_radius * radius <= radius^2: it closes the bootstrap (10)."""
        half = self.fluctuation[1] / 2
        return half + math.sqrt(half**2 + self.energy)

    @cached_property
    def bent_run(self) -> float:
        """At most 1/2 where the loss is nearly convex from the run to the good network (7)."""
        return self.curvature * (self.radius + self.run.learning_rate * self.noise_std * self.noise_length) ** 2

    @property
    def _numbers(self) -> int:
        return self.run.width * self.run.dim * self.run.n_basis


def _quiet(run: KanRun, width: int) -> KanRun:
    """The run at another width, without noise, at a learning rate cut down to what the theorem allows there."""
    allowed = 1 / (12 * smoothness_bound(width, run.n_basis, run.delta / 5))
    return replace(run, width=width, noise_multiplier=0.0, learning_rate=min(run.learning_rate, allowed))


def _smooth_and_unclipped(run: KanRun, delta: float) -> tuple[Condition, Condition]:
    beta = smoothness_bound(run.width, run.n_basis, delta)
    longest = gradient_bound(run.width, run.n_basis, delta)
    return (
        Condition("learning_rate", run.learning_rate, high=1 / (12 * beta)),
        Condition("clip_norm", run.clip_norm, low=longest),
    )


def _quadratic(run: KanRun) -> float:
    return (1 - run.correlation) ** 2 + run.correlation**2 * run.learning_rate


def _spline_bounds(n_basis: int) -> tuple[float, float, float]:
    """Largest value, slope and second derivative of a cubic B-spline whose knots are 2/(p - 3) apart."""
    pieces = (n_basis - 3) / 2
    return 2 / 3, 2 / 3 * pieces, 2 * pieces**2


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that comes true once becomes true, from above, to 1e-6."""
    require(holds(high), "margin", "so small", "a margin for which some width below e^200 is enough")
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
