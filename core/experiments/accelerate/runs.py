"""The methods compared, and their runs: every one at every number of steps, at the same privacy, in one pass."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from core import mechanisms, privacy
from core.experiments.accelerate.setting import AccelerateSetting, marks, problem_of, radius, records, smoothness, step_counts
from core.learners import Arm, Snapshot
from core.learners.dp_ftrl import DpFtrlConfig
from core.learners.srgd import IndependentGradients, Plain, TailAveraged, Unaccelerated, accelerated_dp_srgd
from core.mechanisms import Mechanism

ADJACENCY = "zero_out"
SCALINGS = (0.15, 0.22, 0.45, 0.9, 1.8, 9.0)
"""The scalings beta, over the smoothness, among which every method finds its own."""
WATCHED, WATCHED_SCALING = ("accelerated_counting", "unaccelerated_counting"), 0.9
"""The methods and the scaling of the run whose steps are watched one by one."""


@dataclass(frozen=True)
class Method:
    """One line of the comparison: its words, how it may step, its noise, and `look`, by which it is drawn."""

    label: str
    arms: tuple[type[Arm], ...]
    mechanism: Mechanism
    look: str


METHODS = {
    "accelerated_counting": Method("accelerated, square-root Toeplitz", (Arm,), mechanisms.optimal_counting(), "optimal_counting"),
    "accelerated_tree": Method("accelerated, tree (the paper)", (Arm,), mechanisms.binary_tree(), "binary_tree"),
    "accelerated_independent": Method("accelerated, independent noise", (Arm,), mechanisms.independent(), "accelerated_independent"),
    "unaccelerated_counting": Method(
        "not accelerated, square-root Toeplitz", (Unaccelerated,), mechanisms.optimal_counting(), "unaccelerated_counting"
    ),
    "unaccelerated_tree": Method("not accelerated, tree", (Unaccelerated,), mechanisms.binary_tree(), "unaccelerated_tree"),
    "own_gradients": Method("accelerated, own gradients", (IndependentGradients,), mechanisms.independent(), "own_gradients"),
    "dp_ftrl": Method("DP-FTRL, tree", (Plain, TailAveraged), mechanisms.binary_tree(), "dp_ftrl"),
    "dp_sgd": Method("DP-SGD", (Plain, TailAveraged), mechanisms.independent(), "independent"),
}
"""What is compared, by key. DP-SGD and DP-FTRL may answer with their last iterate or with the mean of the later half."""


class Point(NamedTuple):
    """All methods at one number of steps.

    `excess` (methods, replicates): suboptimality at each method's own scaling, which was chosen on one half of the
    replicates and judged on the other. `scalings` (methods, 2): those chosen, over the smoothness. `multipliers` and
    `gradients` (methods,): noise multiplier [clip_norm], and gradients asked for in all.
    """

    steps: int
    excess: np.ndarray
    scalings: np.ndarray
    multipliers: np.ndarray
    gradients: np.ndarray


def config_of(setting: AccelerateSetting, steps: int, record_every: int) -> DpFtrlConfig:
    """One pass over the records in `steps` batches of floor(n / steps)."""
    return DpFtrlConfig(
        steps=steps,
        batch_size=records(setting) // steps,
        clip_norm=setting.clip_norm,
        replicates=setting.replicates,
        seed=setting.seed,
        device=setting.device,
        record_every=record_every,
        radius=radius(setting),
    )


def arms_of(setting: AccelerateSetting, steps: int, key: str, scalings: Sequence[float] = SCALINGS) -> list[Arm]:
    """A method as arms, one for each way to step and each scaling, (epsilon, delta)-private under zero-out."""
    method = METHODS[key]
    multiplier = privacy.calibrate(method.mechanism, steps, setting.epsilon, setting.delta, ADJACENCY)
    unit = smoothness(setting)
    return [
        arm(f"{method.label}, {arm.__name__}, scaling {scaling:g}", method.mechanism, multiplier, 1 / (scaling * unit))
        for arm in method.arms
        for scaling in scalings
    ]


def run_at(setting: AccelerateSetting, steps: int) -> Point:
    """Every method at so many steps, at every scaling at once, on the same batches and the same seed noise."""
    arms = [arms_of(setting, steps, key) for key in METHODS]
    *_, last = accelerated_dp_srgd(problem_of(setting), sum(arms, []), config_of(setting, steps, steps))
    ends = np.cumsum([len(choices) for choices in arms])[:-1]
    fitted = [cross_fitted(values) for values in np.split(last.measures["excess_risk"], ends)]
    return Point(
        steps,
        np.stack([values for values, _ in fitted]),
        np.array([[SCALINGS[choice % len(SCALINGS)] for choice in chosen] for _, chosen in fitted]),
        np.array([choices[0].noise_multiplier for choices in arms]),
        np.array([counted[0, 0] for counted in np.split(last.measures["gradients"], ends)]),
    )


class Seen(NamedTuple):
    """What is known so far: the points in the order of their steps, and the run watched step by step (empty: not yet)."""

    points: tuple[Point, ...]
    watched: tuple[Snapshot, ...]

    def at(self, steps: int) -> Point | None:
        """The point of so many steps, None where it is not known yet."""
        return next((point for point in self.points if point.steps == steps), None)


def stream(setting: AccelerateSetting) -> Iterator[Seen]:
    """The comparison as it comes: first n^(1/4) and sqrt(n) steps, then a run watched step by step, then the other numbers."""
    first = marks(setting)
    order = sorted(step_counts(setting), key=lambda steps: (steps not in first, steps))
    seen = Seen((), ())
    for steps in order:
        points = sorted((*seen.points, run_at(setting, steps)), key=lambda point: point.steps)
        seen = seen._replace(points=tuple(points))
        yield seen
        if len(points) == len(first):
            seen = seen._replace(watched=watched(setting))
            yield seen


def cross_fitted(values: np.ndarray) -> tuple[np.ndarray, tuple[int, int]]:
    """Values (replicates,) of the choice that was best on the other half, and the choices of the two halves.

    `values` (choices, replicates). Replicates are halved by turns. A choice looks at one half only, and none of its
    replicates is reported for it: what chance did for the choice is not counted as merit.
    """
    kept, chosen = np.empty(values.shape[1]), []
    for half in (0, 1):
        best = int(values[:, half::2].mean(-1).argmin())
        kept[1 - half :: 2] = values[best, 1 - half :: 2]
        chosen.append(best)
    return kept, tuple(chosen)


def watched(setting: AccelerateSetting) -> tuple[Snapshot, ...]:
    """A run with and without acceleration, seen after every step: the longest of at most 63 steps."""
    steps = max(each for each in step_counts(setting) if each <= 63)
    arms = [arm for key in WATCHED for arm in arms_of(setting, steps, key, (WATCHED_SCALING,))]
    return tuple(accelerated_dp_srgd(problem_of(setting), arms, config_of(setting, steps, 1)))
