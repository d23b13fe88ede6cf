"""A bound on a risk as a theorem states it: what it adds up, under which conditions, and whether it tells anything."""

import math
from dataclasses import dataclass

LOG_2 = math.log(2)
"""Risk of the network that always answers 0: a bound above it tells nothing."""


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
        ends = (("at least", self.low), ("at most", self.high))
        bounds = " and ".join(f"{words} {end:.3g}" for words, end in ends if math.isfinite(end))
        return f"{self.words} = {self.value:.3g}, to be {bounds}"


@dataclass(frozen=True)
class Bound:
    """A bound on a risk: the sum of its `terms` (words, value), and the `conditions` under which `source` proves it.

    `trivial` is the risk of learning nothing, in `trivial_words`.
    """

    source: str
    terms: tuple[tuple[str, float], ...]
    conditions: tuple[Condition, ...]
    trivial: float = LOG_2
    trivial_words: str = "log 2, the risk of always answering 0"

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
        """Empty where the bound applies and is below the risk of learning nothing; else a sentence."""
        failing = [str(condition) for condition in self.conditions if not condition.holds]
        if failing:
            return f"{self.source} does not apply: {'; '.join(failing)}."
        if self.value >= self.trivial:
            return f"{self.source} says nothing: {self.value:.3g} is above {self.trivial_words}."
        return ""
