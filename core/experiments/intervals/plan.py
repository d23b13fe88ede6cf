"""An `IntervalSetting` as a run: all replicates at once, every iterate kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.check import require
from core.experiments.intervals.expected import LEVEL, Expected, expected
from core.experiments.intervals.setting import ADJACENCY, LARGEST_CHAINS, SCHEDULES, IntervalSetting, OwnTable
from core.intervals import student_interval

SHOWN_SNAPSHOTS = 20


@dataclass(frozen=True, eq=False)
class Chains:
    """What a run has given so far.

    `iterates` (replicates, runs, steps so far + 1, p), theta_0 first; `share_clipped` (steps so far + 1,) over all
    replicates, 0 at the start; `status` says in a sentence whether any replicate diverged.
    """

    expected: Expected
    iterates: np.ndarray
    share_clipped: np.ndarray
    status: str = ""

    @property
    def step(self) -> int:
        """Steps of each run so far."""
        return self.iterates.shape[2] - 1

    @property
    def finished(self) -> bool:
        """Whether every run has taken all its steps."""
        return self.step == self.expected.made.run_steps

    @cached_property
    def intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Centre and half-width, each (replicates, p), of every replicate's interval, once the runs have finished.

        Raises: ValueError before.
        """
        require(self.finished, "step", self.step, f"{self.expected.made.run_steps}: the intervals are known at the end")
        return student_interval(self.expected.made.estimates(self.iterates[:, :, 1:]), LEVEL)

    def hits(self, target: np.ndarray) -> np.ndarray:
        """Whether each replicate's interval covers each coefficient of `target` (p,): (replicates, p) of truth values."""
        centre, half = self.intervals
        return np.abs(centre - target) <= half


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that one run needs: `for chains in plan.stream()`."""

    expected: Expected

    @property
    def setting(self) -> IntervalSetting:
        """What the viewer asked for."""
        return self.expected.setting

    @property
    def total(self) -> int:
        """How many times the stream gives what it has."""
        return 1 + -(-self.expected.made.run_steps // self._pace)

    def stream(self) -> Iterator[Chains]:
        """The run: what it has so far, every few steps and at the last.

        Guarantees: all runs of a replicate together spend at most the setting's rho.
        """
        from core.learners.dp_gd import dp_gd  # brings torch, which theory does without
        from core.problems.finite import LeastSquares

        arm, config = self._asked()
        steps, shape = config.steps, (self.setting.replicates, self.expected.made.runs, config.steps + 1, self.expected.records.dim)
        iterates, shares = np.empty(shape), np.zeros(steps + 1)
        for snapshot in dp_gd(LeastSquares(self.expected.records), [arm], config):
            step = snapshot.step
            iterates[:, :, step] = snapshot.theta[0, :, 0].cpu().numpy().reshape(*shape[:2], -1)
            if step:
                shares[step] = snapshot.measures["share_clipped"].mean()
            if step % self._pace == 0 or step == steps:
                yield Chains(self.expected, iterates[:, :, : step + 1], shares[: step + 1], snapshot.status)

    @property
    def _pace(self) -> int:
        return max(1, self.expected.made.run_steps // SHOWN_SNAPSHOTS)

    def _asked(self) -> tuple:
        from core.learners.dp_gd import DpGdConfig, GdArm

        setting, made = self.setting, self.expected.made
        arm = GdArm(setting.construction, self.expected.clip_norm, setting.learning_rate, SCHEDULES[setting.schedule])
        config = DpGdConfig(
            steps=made.run_steps, rho=setting.rho, replicates=setting.replicates * made.runs, runs=made.runs,
            seed=setting.seed, device=setting.device, adjacency=ADJACENCY,
        )
        return arm, config


def plan(setting: IntervalSetting, own: OwnTable | None = None) -> Plan:
    """The run of a setting on its records.

    Raises: ValueError in one sentence for settings that do not go together, or more iterates than can be kept.
    """
    planned = Plan(expected(setting, own))
    numbers = setting.replicates * setting.steps * planned.expected.records.dim
    most = LARGEST_CHAINS // (setting.steps * planned.expected.records.dim)
    require(numbers <= LARGEST_CHAINS, "replicates", setting.replicates, f"at most {most} with so many steps and features: every iterate is kept")
    return planned
