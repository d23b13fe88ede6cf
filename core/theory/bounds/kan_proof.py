"""Theorem 4.1 of 2605.12648 with every constant of its proof, for cubic splines on [-1, 1] and tanh.

Lemmas B.5-B.7 and C.1-C.12 give all of them.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

from core.check import require
from core.theory.bounds.kan import (
    KanRun,
    curvature_bound,
    gradient_bound,
    smooth_and_unclipped,
    smoothness_bound,
    spline_bounds,
)
from core.theory.bounds.statement import Bound, Condition


def optimisation_bound(run: KanRun) -> Bound:
    """The bound behind Theorem 4.1 with every constant of its proof: training loss averaged over the run.

        8/T + 3 tau^2/(eta T) + 3 M/(eta T) + 6 eta V_Delta/T
          + 3 ((1 - lambda)^2 eta + 12 beta lambda^2 eta^2) c^2 V_Z/T

    tau is how far along the margin's direction a network of loss 1/T lies, c = clip_norm kappa/B, M, V_Delta and V_Z
    the bounds of Lemmas C.10, C.6 and C.5, the radius inside M the smallest that closes the bootstrap (10). It holds
    with probability 1 - delta over start, batches and noise, for fixed-size batches and a ball that is at least as
    large as the run needs. The proof holds at correlation 0 too.

    Guarantees: the radius solves (10) with equality; V_Z and the length of Z hold in simulation; all conditions that a
    run meets stay met when it is wider and has no noise.
    Reference: 2605.12648, Lemma C.11 with Lemma C.12. |f| at the start is bounded with ln(4n/delta), for the union over
    n records and two signs at probability delta/2, where the paper has ln(2n/delta).
    """
    proof = Proof(run)
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
        *smooth_and_unclipped(run, proof.share),
    )
    return Bound("Lemma C.11", terms, conditions)


def least_width(run: KanRun) -> float:
    """Smallest width at which the curvature conditions of `optimisation_bound` hold, without noise and at a learning
    rate cut down to what the theorem allows: noise can only ask for more, or leave no width at all.

    Guarantees: both conditions hold there and one fails at 1% less; for 8 basis functions more than 10^12 gamma^-4.
    Raises: ValueError for a margin so small that a width of e^200 is not enough.
    """

    def holds(log_width: float) -> bool:
        proof = Proof(_quiet(run, math.ceil(math.exp(log_width))))
        return proof.bent_comparator <= 1 and proof.bent_run <= 0.5

    return math.exp(_first(holds, 0.0, 200.0))


class Proof:
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
        height, _, _ = spline_bounds(self.run.n_basis)
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


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that comes true once becomes true, from above, to 1e-6."""
    require(holds(high), "margin", "so small", "a margin for which some width below e^200 is enough")
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
