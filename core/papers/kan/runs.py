"""Training for the figures: many arms at once on one drawn data set after the other, and paired comparisons of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import stdtrit

from core import amplification, mechanisms
from core.learners import Arm

if TYPE_CHECKING:
    from torch import Tensor

    from core.problems.datasets import TwoClasses
    from core.problems.kan import Kan

PAPER, SOURCE = "kan", "arXiv 2605.12648"
TRAIN_SHARE = 0.75
LEARNING_RATE, CLIP_NORM, DELTA = 16.0, 0.5, 1e-5
INDEPENDENT, BEST_GUESS = 0.0, 0.75


@dataclass(frozen=True)
class Effort:
    """What a figure costs: data sets drawn, records in each, steps, width; and the grid. A batch is n/150 at 300 steps.

    A record joins two steps on average whatever the effort: few participations, where an accountant that is tight
    predicts a gain.
    """

    seeds: int
    records: int
    steps: int
    width: int
    correlations: tuple[float, ...]
    epsilons: tuple[float, ...]
    accountant: str

    @property
    def n_samples(self) -> int:
        """Records to train on; a quarter is held out."""
        return round(TRAIN_SHARE * self.records)

    @property
    def batch_size(self) -> int:
        """Such that a record joins two steps on average."""
        return round(2 * self.n_samples / self.steps)


EFFORT = {
    "quick": Effort(4, 24_000, 300, 64, (0.0, 0.5, 0.75, 0.9), (1.0, 4.0), "tight"),
    "full": Effort(12, 24_000, 300, 256, (0.0, 0.25, 0.5, 0.75, 0.9, 0.95), (1.0, 2.0, 4.0, 8.0), "tight"),
}
WORDS = {
    "quick": "4 data sets of 24,000 records, width 64, 300 steps, 4 lambdas, epsilon 1 and 4: seconds.",
    "full": "12 data sets of 24,000 records, width 256, 300 steps, 6 lambdas, epsilon 1, 2, 4, 8: minutes.",
}


class Gap(NamedTuple):
    """A paired difference: its mean over data sets, and the standard error of that mean."""

    mean: float
    error: float
    count: int

    @classmethod
    def of(cls, differences: np.ndarray) -> Gap:
        """The mean of paired differences (data sets,); without error where there is one data set."""
        count = len(differences)
        return cls(float(differences.mean()), float(differences.std(ddof=1)) / count**0.5 if count > 1 else 0.0, count)

    def half(self, level: float = 0.95) -> float:
        """Half the width of Student's interval."""
        return float(stdtrit(self.count - 1, 0.5 + level / 2)) * self.error

    def exceeds(self, level: float = 0.95) -> bool:
        """Whether the interval lies above zero."""
        return self.mean > self.half(level)

    def __str__(self) -> str:
        return f"{self.mean:+.4f} +- {self.error:.4f}"


class Scores(NamedTuple):
    """What was measured on records held out: both (data sets so far, arms)."""

    accuracy: np.ndarray
    loss: np.ndarray


def noise_multiplier(correlation: float, epsilon: float, effort: Effort, accountant: str | None = None) -> float:
    """Noise multiplier of the figures' Poisson batches at one (epsilon, delta), zero-out adjacency."""
    rate = effort.batch_size / effort.n_samples
    method = accountant or effort.accountant
    return amplification.calibrate(correlation, rate, effort.steps, epsilon, DELTA, method=method)


def arm(words: str, correlation: float, noise: float, learning_rate: float = LEARNING_RATE) -> Arm:
    """One thing compared; without noise where `noise` is 0."""
    mechanism = mechanisms.lambda_cgd(correlation) if correlation else mechanisms.independent()
    return Arm(words, mechanism, noise, learning_rate)


def simulate(arms: Sequence[Arm], effort: Effort, seed: int) -> Iterator[tuple[float, Scores]]:
    """Train all arms on one data set after the other; yield the share done and the scores so far.

    Every data set has its own records, network, batches and noise; its arms share them.
    """
    accuracy, loss = [], []
    for run_seed in seeds_of(seed, effort.seeds):
        data = draw(effort.records, run_seed)
        problem, theta = train(arms, data, effort, run_seed)
        scores = measure(problem, theta, *data.test)
        accuracy.append(scores.accuracy)
        loss.append(scores.loss)
        yield len(loss) / effort.seeds, Scores(np.array(accuracy), np.array(loss))


def seeds_of(seed: int, count: int) -> list[int]:
    """One seed a data set."""
    return [int(child.generate_state(1)[0] >> 1) for child in np.random.SeedSequence(seed).spawn(count)]


@lru_cache(maxsize=2)
def draw(records: int, seed: int) -> TwoClasses:
    """A data set of the additive teacher."""
    from core.problems.datasets import additive_teacher

    return additive_teacher(records, seed=seed)


def train(
    arms: Sequence[Arm], data: TwoClasses, effort: Effort, seed: int, width: int = 0, clip_norm: float = CLIP_NORM
) -> tuple[Kan, Tensor]:
    """The network and its parameters (arms, 1, width, features) after the last step; `width` 0 is the effort's."""
    from core.devices import resolve
    from core.learners.batches import Poisson
    from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
    from core.problems.kan import Kan

    problem = Kan(data.features, data.labels, width or effort.width, watched=1, watched_training=1, seed=seed)
    config = DpFtrlConfig(
        effort.steps, effort.batch_size, clip_norm, seed=seed, record_every=effort.steps, sampling=Poisson()
    )
    *_, last = dp_ftrl(problem, arms, config)
    return problem.to(resolve(config.device)), last.theta


def measure(problem: Kan, theta: Tensor, inputs: np.ndarray, labels: np.ndarray) -> Scores:
    """Accuracy and logistic loss of each arm on these records, both (arms,)."""
    import torch

    with torch.no_grad():
        scores = problem.predict(theta, torch.as_tensor(inputs))[:, 0].double().cpu().numpy()
    margins = scores * labels
    return Scores((margins > 0).mean(axis=1), np.logaddexp(0.0, -margins).mean(axis=1))


def gap(values: np.ndarray, place: int, base: int) -> Gap:
    """Column `place` less column `base` of values (data sets, arms), paired by data set."""
    return Gap.of(values[:, place] - values[:, base])


def trend(first: np.ndarray, last: np.ndarray) -> tuple[bool, str]:
    """Whether gains (data sets,) grow from the first to the last epsilon beyond chance, and in words."""
    change = Gap.of(last - first)
    if abs(change.mean) <= change.half():
        return False, "does not change with epsilon beyond chance"
    return change.mean > 0, "grows with epsilon" if change.mean > 0 else "shrinks with epsilon"


def settings(figure: str, fidelity: str, seed: int, effort: Effort) -> dict:
    """Every parameter of a figure."""
    return {
        "figure": figure, "fidelity": fidelity, "seed": seed, "data_sets": effort.seeds, "n_samples": effort.n_samples,
        "batch_size": effort.batch_size, "steps": effort.steps, "width": effort.width, "learning_rate": LEARNING_RATE,
        "clip_norm": CLIP_NORM, "delta": DELTA, "accountant": effort.accountant, "adjacency": "zero_out",
    }  # fmt: skip
