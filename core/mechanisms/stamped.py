"""Restarts: the noise of any mechanism, begun afresh every so many steps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from core.check import whole
from core.mechanisms.base import MatrixMechanism, Mechanism, ToeplitzMechanism, read_only
from core.mechanisms.patterns import check_pattern, worst_pattern


@dataclass(frozen=True, kw_only=True)
class Stamped(MatrixMechanism):
    """`inner`, restarted after every `period` steps: C and B are block diagonal, each block that of `period` steps.

    Guarantees: anytime, also where `inner` is not, for the blocks' length is fixed.
    """

    inner: Mechanism
    period: int

    def noising_matrix(self, steps: int) -> np.ndarray:
        """B (steps, steps), block diagonal."""
        return self._repeat(self.inner.noising_matrix(self.period), steps)

    def strategy_matrix(self, steps: int) -> np.ndarray:
        """C (steps, steps), block diagonal."""
        return self._repeat(self.inner.strategy_matrix(self.period), steps)

    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float:
        """One participation costs what it costs within one period, or within the steps of it that are run [clip_norm].

        Several in different periods add up in squares. Where `inner` is Toeplitz and the period a multiple of the
        separation, each period has its worst pattern from its first step on, and these fit together; else see
        `worst_pattern`.

        Guarantees: equals enumeration where it answers, and where `inner` does.
        Raises: ValueError when the participations do not fit, or several fit into one period in ways that are not known.
        """
        steps, participations, separation = check_pattern(steps, participations, separation)
        if participations == 1 and (self.inner.anytime or steps >= self.period):
            return self.inner.sensitivity(min(steps, self.period))
        if isinstance(self.inner, ToeplitzMechanism) and self.period % separation == 0:
            return self._several(steps, participations, separation)
        return worst_pattern(self.strategy_matrix(steps), participations, separation, self.label)

    def limit_sensitivity(self) -> float:
        """The sensitivity of one period."""
        return self.inner.sensitivity(self.period)

    def prefix_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the running sum of the noise: the variance of whole periods adds up."""
        within = self.inner.prefix_std(self.period) ** 2
        past, place = np.divmod(np.arange(whole("steps", steps, at_least=1)), self.period)
        return read_only(np.sqrt(past * within[-1] + within[place]))

    def sample(self, steps, shape, generator, device="cpu", dtype=None):
        """Correlated noise (steps, *shape) of all steps at once, from the stream."""
        import torch

        return torch.stack(list(islice(self.stream(shape, generator, device, dtype), whole("steps", steps, at_least=1))))

    def correlate(self, blocks):
        """Noise one step after the other; `inner` streams where it can, else every draw of the period is kept."""
        from core.mechanisms import sampling

        seeds = sampling.single_steps(blocks)
        for first in seeds:  # which ends where a restart of this noise itself gives it an end
            one_period = chain([first], islice(seeds, self.period - 1))
            if self.inner.anytime:
                yield from self.inner.correlate(one_period)
            else:
                yield from sampling.stream_matrix(self.inner.noising_matrix(self.period), one_period)

    def buffers(self, steps: int) -> int:
        """What `inner` keeps within one period."""
        return self.inner.buffers(min(whole("steps", steps, at_least=1), self.period))

    def operations(self, steps: int) -> float:
        """What `inner` multiplies within one period."""
        return self.inner.operations(min(whole("steps", steps, at_least=1), self.period))

    def _several(self, steps: int, participations: int, separation: int) -> float:
        """How many of the participations fall into which period is a knapsack."""
        whole_periods, rest = divmod(steps, self.period)
        best = np.zeros(participations + 1)  # largest squared norm of at most so many in the periods so far
        for size, times in ((self.period, whole_periods), (rest, min(rest, 1))):
            most = min(participations, -(-size // separation)) if times else 0
            worth = [self.inner.sensitivity(size, count, separation) ** 2 for count in range(1, most + 1)]
            for _ in range(times):
                grown = best.copy()
                for count, value in enumerate(worth, start=1):
                    grown[count:] = np.maximum(grown[count:], best[:-count] + value)
                best = grown
        return float(np.sqrt(best[-1]))

    def _repeat(self, block: np.ndarray, steps: int) -> np.ndarray:
        matrix = np.zeros((whole("steps", steps, at_least=1),) * 2)
        for start in range(0, steps, self.period):
            part = slice(start, start + self.period)
            size = len(matrix[part])
            matrix[part, part] = block[:size, :size]
        return read_only(matrix)
