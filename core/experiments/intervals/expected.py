"""What is known of an experiment without running it: the noise, the exact law, and the intervals that follow from it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from core import privacy
from core.check import require
from core.experiments.intervals.setting import ADJACENCY, SCHEDULES, IntervalSetting, OwnTable, records_of
from core.intervals import (
    CONSTRUCTIONS,
    BatchLength,
    Clipped,
    Condition,
    Grouping,
    Law,
    NoiseClipping,
    best_batch_length,
    clipping_chance,
    grouping,
    no_clipping_condition,
    noise_clipping,
    ols_interval,
    student_coverage,
)
from core.learners import budget
from core.learners.one_shot import huber_minimiser, is_clipped, share_clipped
from core.problems.designs import Records

LEVEL = 0.95
GRID = (60, 90, 120, 160, 220, 250, 300, 370, 500, 750, 1000, 1500, 2000)
"""Gradients in all at which the constructions are compared."""
CLIP_FACTORS = (0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0)
"""Clip norms over sqrt(p) at which coverage is compared."""


class Exact(NamedTuple):
    """Coverage of a target and mean width of the interval, each (p,), one number a coefficient."""

    coverage: np.ndarray
    width: np.ndarray


@dataclass(frozen=True, eq=False)
class Expected:
    """Everything that theory says of a setting on its records. What takes more than a moment is computed when asked for.

    Guarantees: the noise of all steps and runs together is charged at most the setting's rho.
    """

    setting: IntervalSetting
    records: Records
    made: Grouping
    noise_std: np.ndarray
    law: Law

    @property
    def clip_norm(self) -> float:
        """clip_factor * sqrt(p)."""
        return clip_norm(self.setting, self.records)

    @property
    def epsilon(self) -> float:
        """The epsilon that rho gives at the setting's delta, by the tightest known conversion."""
        return privacy.zcdp_epsilon(self.setting.rho, self.setting.delta)

    @property
    def theta_hat(self) -> np.ndarray:
        """Least squares (p,)."""
        return self.records.theta_hat[0]

    @property
    def theta_star(self) -> np.ndarray | None:
        """The truth (p,) where the records were drawn."""
        return None if self.records.theta_star is None else self.records.theta_star[0]

    @cached_property
    def huber(self) -> np.ndarray:
        """What clipped gradient descent settles around (p,)."""
        return huber_minimiser(self.records, self.clip_norm)[0]

    @cached_property
    def share_clipped(self) -> float:
        """Share of the gradients that are clipped at the Huber minimiser."""
        return float(share_clipped(self.records, self.huber[None], self.clip_norm)[0])

    @cached_property
    def noise_clipping(self) -> NoiseClipping:
        """What the noise does to clipping once the run has settled, by `settled_law`."""
        return self._by_noise(self.settled_law, self.clip_norm)

    def _by_noise(self, law: Law, norm: float) -> NoiseClipping:
        """At whichever is noisier: the first step that an estimate uses, or the last."""
        ends = (1 + int(np.flatnonzero(self.made.weights.any(axis=0))[0]), law.steps)
        noisier = max((law.covariance(step) for step in ends), key=np.trace)
        return noise_clipping(self.records.features[0], self.records.labels[0], law.theta_hat, noisier, norm)

    @cached_property
    def settled_law(self) -> Law:
        """The law with clipping once the run has settled: around the Huber minimiser, with the Hessian of the records that
        are not clipped there. It is `law` where none is clipped, and a linearisation elsewhere."""
        if self.share_clipped == 0:
            return self.law
        return settled_law(self.records, self.huber, self.clip_norm, self.setting.learning_rate, self.noise_std)

    @cached_property
    def of_theta_hat(self) -> Exact:
        """Coverage of least squares without clipping: exact."""
        return coverage_of(self.law, self.made, self.theta_hat)

    @cached_property
    def of_theta_hat_clipped(self) -> Exact:
        """Coverage of least squares with clipping, by `settled_law`."""
        return coverage_of(self.settled_law, self.made, self.theta_hat)

    @cached_property
    def of_huber(self) -> Exact:
        """Coverage of the Huber minimiser, by `settled_law`."""
        return coverage_of(self.settled_law, self.made, self.huber)

    @cached_property
    def of_theta_star(self) -> Exact | None:
        """Coverage of the truth on these very records, where it is known; by `settled_law`."""
        return None if self.theta_star is None else coverage_of(self.settled_law, self.made, self.theta_star)

    @cached_property
    def over_steps(self) -> dict[str, np.ndarray]:
        """For each construction, rows of: gradients in all, mean exact coverage of least squares, mean exact width.

        Without clipping, at the setting's rho. Where a construction has too few steps there is no row.
        """
        return {construction: self._rows(construction) for construction in CONSTRUCTIONS}

    def _rows(self, construction: str) -> np.ndarray:
        setting, rows = self.setting, []
        least = setting.burn_in + setting.groups if construction != "independent_runs" else setting.groups * (setting.burn_in + 1)
        for steps in sorted({steps for steps in GRID if steps >= least} | ({setting.steps} if setting.steps >= least else set())):
            asked = replace(setting, construction=construction, steps=steps)
            made = grouping(construction, steps, setting.groups, setting.burn_in)
            law = Law(self.law.sigma, self.theta_hat, self.law.start, setting.learning_rate, noise_std(asked, self.records, made))
            coverage, width = coverage_of(law, made, self.theta_hat)
            rows.append((steps, coverage.mean(), width.mean()))
        return np.array(rows).reshape(-1, 3)

    @cached_property
    def over_clipping(self) -> np.ndarray:
        """Rows of: clip_factor, mean coverage of least squares and of the Huber minimiser, share of gradients clipped.

        By the settled law, its noise included. Where so few gradients stay whole that there is none, there is no row.
        """
        rows = []
        for factor in sorted({*CLIP_FACTORS, self.setting.clip_factor}):
            asked = replace(self.setting, clip_factor=factor)
            norm = clip_norm(asked, self.records)
            try:
                centre = huber_minimiser(self.records, norm)[0]
                law = settled_law(self.records, centre, norm, asked.learning_rate, noise_std(asked, self.records, self.made))
            except ValueError:  # nothing to linearise: the curve begins later
                continue
            covered = [coverage_of(law, self.made, target).coverage.mean() for target in (self.theta_hat, centre)]
            rows.append((factor, *covered, self._by_noise(law, norm).share))
        return np.array(rows).reshape(-1, 4)

    @cached_property
    def best_batches(self) -> BatchLength:
        """The narrowest batched means that cover enough in the slowest direction, at the setting's steps and an even budget."""
        setting = self.setting
        slowest = float(self.records.eigenvalues[0, -1])
        return best_batch_length(slowest, setting.learning_rate, setting.steps, setting.burn_in, LEVEL)

    @cached_property
    def ols_half(self) -> np.ndarray:
        """Half-widths (p,) of the classical interval, which is not private."""
        return ols_interval(self.records.features[0], self.records.labels[0], LEVEL)[1]

    @cached_property
    def clipped(self) -> Clipped:
        """How much a run without clipping would have clipped."""
        return clipping_chance(self.records.features[0], self.records.labels[0], self.law, self.clip_norm)

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Condition 2.4 on these records at theta_hat, line by line, and Lemma 2.5."""
        residuals = self.records.labels[0] - self.records.features[0] @ self.theta_hat
        freedom = self.records.n_samples - self.records.dim
        return no_clipping_condition(
            self.records.features[0], self.records.labels[0], self.theta_hat, self.setting.learning_rate,
            self.made.run_steps, self.clip_norm, float(self.noise_std.max()), float(np.sqrt(residuals @ residuals / freedom)),
        )


def clip_norm(setting: IntervalSetting, records: Records) -> float:
    """clip_factor * sqrt(p) [gradient norm]."""
    return setting.clip_factor * records.dim**0.5


@lru_cache(maxsize=6)
def expected(setting: IntervalSetting, own: OwnTable | None = None) -> Expected:
    """The theory of a setting on its records.

    Raises: ValueError in one sentence for records, groups or learning rates that do not go together.
    """
    records = records_of(setting, own)
    require(records.n_samples > records.dim, "records", records.n_samples, f"more than the {records.dim} features, for the classical interval")
    made = grouping(setting.construction, setting.steps, setting.groups, setting.burn_in)
    noise = noise_std(setting, records, made)
    short = f"uniform for runs of {made.run_steps} steps: the first ones get almost no budget, unless runs are short"
    require(bool(noise.max() < 1e12), "schedule", setting.schedule, short)
    law = Law(records.gram[0], records.theta_hat[0], np.zeros(records.dim), setting.learning_rate, noise)
    return Expected(setting, records, made, noise, law)


def prepare(expected: Expected) -> Iterator[int]:
    """What the pictures of theory need and what takes longest, stage by stage: over steps, over clip norms, the conditions.

    A page draws what is there; after it, nothing of theory takes more than milliseconds.
    """
    _ = expected.over_steps, expected.best_batches
    yield 1
    _ = expected.over_clipping
    yield 2
    _ = expected.clipped, expected.conditions
    yield 3


def noise_std(setting: IntervalSetting, records: Records, made: Grouping) -> np.ndarray:
    """Std (run_steps,) of one coordinate of the noise on the mean gradient, so that all runs together spend rho."""
    return budget.noise_std(
        SCHEDULES[setting.schedule], clip_norm(setting, records), records.n_samples, made.run_steps, setting.rho,
        setting.learning_rate, made.runs, ADJACENCY,
    )


def settled_law(records: Records, centre: np.ndarray, clip_norm: float, learning_rate: float, noise: np.ndarray) -> Law:
    """The linearised law of clipped DP-GD around the Huber minimiser `centre` (p,) of one data set.

    A clipped gradient has a constant length and direction, so only unclipped records enter the Hessian.

    Raises: ValueError where so few are unclipped that they leave a direction open.
    Reference: arXiv 2402.13531, section 2.5.
    """
    free = ~is_clipped(records, centre[None], clip_norm)[0]
    need = f"one that leaves at least {records.dim} of the {records.n_samples} gradients as they are, not {free.sum()}"
    require(free.sum() >= records.dim, "clip norm", float(f"{clip_norm:.4g}"), need)
    features = records.features[0, free]
    hessian = features.T @ features / records.n_samples
    return Law(hessian, centre, np.zeros(records.dim), learning_rate, noise)


def coverage_of(law: Law, made: Grouping, target: np.ndarray) -> Exact:
    """Exact coverage of `target` (p,) and mean width, each (p,), of the interval (12) under a law."""
    means, covariances = law.estimates(made)
    return Exact(*student_coverage(means - target[:, None], covariances, LEVEL))
