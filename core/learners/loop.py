"""What the training loops share: arms of one label each, their noise, projection, measures, and which replicates diverged."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from core.check import require
from core.learners import Arm
from core.learners.randomness import generator
from core.mechanisms import dense


def admitted(problem: object, arms: Sequence[Arm], config: object, takes: tuple) -> tuple[Arm, ...]:
    """The arms as a tuple, after checking that all are what a learner `takes`: types of problem, of arm and of config.

    Raises: ValueError for any other type, for no arms, or for two of one label.
    """
    problems, kind, configs = takes
    require(isinstance(problem, problems), "problem", problem, _one_of(problems))
    require(isinstance(config, configs), "config", config, _one_of(configs))
    given = tuple(arms) if isinstance(arms, Iterable) else ()
    fit = bool(given) and all(isinstance(arm, kind) for arm in given) and len({arm.label for arm in given}) == len(given)
    shown = [arm.label if isinstance(arm, kind) else arm for arm in given] if given else arms
    require(fit, "arms", shown, f"at least one {kind.__name__}, every label once")
    return given


def _one_of(types: type | tuple[type, ...]) -> str:
    return "an object of type " + " or ".join(each.__name__ for each in (types if isinstance(types, tuple) else (types,)))


def for_run(arms: Sequence[Arm], steps: int) -> tuple[Arm, ...]:
    """The arms with noise that can be streamed: where it depends on the number of steps, that of so many."""
    return tuple(
        arm if arm.mechanism.anytime else replace(arm, mechanism=dense(arm.mechanism.strategy_matrix(steps))) for arm in arms
    )


def overflow_bound(dtype: torch.dtype) -> float:
    """Beyond it a sum of squares, such as a risk, may overflow."""
    return torch.finfo(dtype).max ** 0.5 / 1e3


def project(theta: Tensor, start: Tensor, radius: float) -> tuple[Tensor, Tensor | None]:
    """The nearest point of the ball of this radius around `start`, and which (arms, replicates) had left the ball."""
    if radius == math.inf:
        return theta, None
    moved = theta - start
    lengths = torch.linalg.vector_norm(moved, dim=(-2, -1), keepdim=True)
    outside = lengths > radius
    return torch.where(outside, start + moved * (radius / lengths), theta), outside[..., 0, 0]


def correlated_noise(arms: tuple[Arm, ...], shape: tuple, seed: int, clip_norm: float, options: dict) -> Iterator[Tensor]:
    """clip_norm * noise_multiplier * xi_t (arms, *shape) for t = 0, 1, ...; all arms are fed the same seed noise Z."""
    device = options["device"]
    streams = [
        (index, clip_norm * arm.noise_multiplier, arm.mechanism.stream(shape, generator(seed, device), **options))
        for index, arm in enumerate(arms)
        if arm.noise_multiplier > 0
    ]
    while True:
        noise = torch.zeros(len(arms), *shape, **options)
        for index, scale, stream in streams:
            noise[index] = scale * next(stream)
        yield noise


def frozen(measures: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """Read-only float64 arrays to keep of measures (arms, replicates); what overflowed is infinite, never NaN."""
    kept = {}
    for name, values in measures.items():
        kept[name] = torch.where(values.isfinite(), values, torch.inf).to("cpu", torch.float64).numpy()
        kept[name].flags.writeable = False
    return kept


class Survivors:
    """Which replicates (arms, replicates) have not overflowed, and how many steps each has lasted; what is lost stays lost."""

    def __init__(self, theta: Tensor) -> None:
        self._bound = overflow_bound(theta.dtype)
        self._alive = torch.ones(theta.shape[:2], dtype=torch.bool, device=theta.device)
        self._lasted = torch.zeros(theta.shape[:2], dtype=torch.int64, device=theta.device)

    def count(self, *iterates: Tensor) -> None:
        """After a step: a replicate survives where all of its iterates (arms, replicates, ...) are below the bound."""
        for iterate in iterates:
            self._alive &= (iterate.abs() < self._bound).flatten(2).all(-1)
        self._lasted += self._alive

    def shown(self, theta: Tensor) -> Tensor:
        """theta (arms, replicates, ...), infinite where a replicate is lost."""
        return torch.where(self._alive[(..., *[None] * (theta.ndim - 2))], theta, torch.inf)

    def status(self, arms: tuple[Arm, ...], step: int) -> str:
        """One sentence for each arm of which a replicate has overflowed after so many steps."""
        sentences = []
        for arm, steps in zip(arms, self._lasted.cpu(), strict=True):
            lost = int((steps < step).sum())
            if lost:
                share, first = f"{lost} of {len(steps)} replicates", int(steps.min()) + 1
                sentences.append(f"{arm.label} diverged: {share} overflowed, the first at step {first}.")
        return " ".join(sentences)
