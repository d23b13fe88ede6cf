"""What the runs say: suboptimality against the number of steps, which half of the method decides, and the ledger."""

import math
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from core import privacy
from core.comparison import Told, tell
from core.experiments.accelerate.runs import METHODS, SCALINGS, Point, Seen
from core.experiments.accelerate.setting import PROBLEMS, AccelerateSetting, marks, problem_of, records, step_counts
from core.learners.summary import LEVEL, band
from core.results import Curve, Result, Table

SOURCE = "simulation of Algorithm 1, arXiv 2406.02716"
_KEYS = tuple(METHODS)


class Gain(NamedTuple):
    """How many times less suboptimal one method is than another, with the ends of a 95% confidence interval."""

    ratio: float
    low: float
    high: float

    @property
    def inverse(self) -> "Gain":
        """The same comparison the other way round."""
        return Gain(1 / self.ratio, 1 / self.high, 1 / self.low)

    @property
    def clear(self) -> bool:
        """Whether the interval leaves no doubt which of the two is better."""
        return self.low > 1 or self.high < 1

    @property
    def force(self) -> "Gain":
        """The same comparison told from the side of the better one; only where it is clear which that is."""
        return self if self.low > 1 else self.inverse

    def __str__(self) -> str:
        return f"{self.ratio:.2f} ({self.low:.2f} to {self.high:.2f})"


def gain(point: Point, method: str, than: str) -> Gain:
    """Mean suboptimality of `than` over that of `method`, paired: all methods share examples and seed noise.

    The interval is Student's t on the logarithm of the ratio of means (delta method); infinite where a run diverged.
    """
    ours, theirs = point.excess[_KEYS.index(method)], point.excess[_KEYS.index(than)]
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        ratio = math.nan if not np.isfinite(ours).all() else math.inf
        return Gain(ratio, 0.0, math.inf)
    spread = (theirs / theirs.mean() - ours / ours.mean()).std(ddof=1) / ours.size**0.5
    factor = math.exp(stdtrit(ours.size - 1, 0.5 + LEVEL / 2) * spread)
    ratio = theirs.mean() / ours.mean()
    return Gain(ratio, ratio / factor, ratio * factor)


def excess(setting: AccelerateSetting, seen: Seen) -> Result:
    """Suboptimality of every method against the number of adaptive batch steps, n and the privacy fixed."""
    quarter, root = marks(setting)
    steps = [point.steps for point in seen.points]
    missing = len(step_counts(setting)) - len(steps)
    curves = []
    for place, method in enumerate(METHODS.values()):
        mean, low, high = band(np.stack([point.excess[place] for point in seen.points]), log=True)
        curves.append(Curve(method.label, steps, mean, low, high, arm=method.look, discrete=bool(missing)))
    return Result(
        title="How few steps are enough?",
        curves=tuple(curves),
        x_name="batch_steps",
        y_name="excess_risk",
        source=SOURCE,
        band=f"{LEVEL:.0%} confidence interval of the mean of {setting.replicates} replicates",
        caption=(
            f"{PROBLEMS[setting.problem]}. {records(setting):,} records are walked through once, in T batches of n/T; "
            f"({setting.epsilon:g}, {setting.delta:g})-private under zero-out. Own gradients: each batch's, without recursion. "
            f"Each method at its best learning rate of {len(SCALINGS)}, chosen on one half of the replicates and judged on the other."
            + (f" Still at work: {missing} more step counts. Points are joined once all of them are there." if missing else "")
        ),
        verdict=verdict(setting, seen),
        settings=asdict(setting) | {"scalings": SCALINGS},
        marks=((quarter, "n^(1/4)"), (root, "sqrt(n)")),
    )


class Headline(NamedTuple):
    """The error of accelerated square-root Toeplitz noise against DP-SGD's at n^(1/4) steps, and against that without
    acceleration there and at sqrt(n) steps."""

    gain: Told
    by_acceleration: Told
    by_acceleration_late: Told


def headline(setting: AccelerateSetting, seen: Seen) -> Headline:
    """The numbers that a viewer takes home."""
    (first, quarter), (last, root) = ((steps, seen.at(steps)) for steps in marks(setting))
    early, late = f"at n^(1/4) = {first} steps", f"at sqrt(n) = {last} steps"
    return Headline(
        _told(quarter, "dp_sgd", "DP-SGD", f"best noise, {early}"),
        _told(quarter, "unaccelerated_counting", "without acceleration", early),
        _told(root, "unaccelerated_counting", "without acceleration", late),
    )


def _told(point: Point | None, other: str, name: str, where: str) -> Told:
    if point is None:
        return tell(None, name, where)
    change = gain(point, "accelerated_counting", other)
    return tell(change.ratio, name, where, change.clear)


def verdict(setting: AccelerateSetting, seen: Seen) -> str:
    """What acceleration does and what the noise does, at n^(1/4) and at sqrt(n) steps, in plain words."""
    known = [point for steps in marks(setting) if (point := seen.at(steps)) is not None]
    begun = start_risk(setting)
    return "\n\n".join(_at(point, "n^(1/4)" if place == 0 else "sqrt(n)", begun) for place, point in enumerate(known))


def start_risk(setting: AccelerateSetting) -> float:
    """Suboptimality before the first step."""
    problem = problem_of(setting)
    return problem.risk(problem.start[None, None])["excess_risk"].item()


def _at(point: Point, words: str, begun: float) -> str:
    means = {key: float(values.mean()) for key, values in zip(_KEYS, point.excess, strict=True)}
    best = min(means, key=means.get)
    if not math.isfinite(means[best]):
        return f"At {point.steps} steps ({words}) every run diverged."
    ours = METHODS["accelerated_counting"].label
    rivals = [("dp_sgd", "DP-SGD")] if best == "accelerated_counting" else [("dp_sgd", "DP-SGD"), ("accelerated_counting", ours)]
    against = " and ".join(f"{gain(point, best, key)} times less suboptimal than {name}" for key, name in rivals if key != best)
    speed = gain(point, "accelerated_counting", "unaccelerated_counting")
    noise = gain(point, "accelerated_counting", "accelerated_tree")
    tree = gain(point, "accelerated_tree", "unaccelerated_tree")
    nothing = "" if means[best] < begun else f" That is not below the start, {begun:.2g}: nobody learns anything."
    decided = _what_decides(speed, noise)
    if not best.endswith(("accelerated_counting", "accelerated_tree", "accelerated_independent")):
        decided = decided.replace("Here", "Among the recursive methods")
    return (
        f"**At {point.steps} steps ({words})** the best is: {METHODS[best].label}, {against}.{nothing} {decided}: "
        f"acceleration {_does(speed)}; square-root Toeplitz noise in place of the tree's {_does(noise)}. With the paper's tree "
        f"noise acceleration {_does(tree)}."
    )


def _does(change: Gain) -> str:
    if change.high < 1:
        return f"LOSES, {change.inverse} times MORE suboptimal"
    return f"gains {change} times" if change.low > 1 else f"makes no difference beyond chance ({change} times)"


def _what_decides(speed: Gain, noise: Gain) -> str:
    """What moves the error more, for better or worse: acceleration or square-root Toeplitz noise in place of the tree's."""
    if not (speed.clear or noise.clear):
        return "Neither acceleration nor the noise decides"
    if not noise.clear or (speed.clear and speed.force.low > noise.force.high):
        return f"Here acceleration decides{_for_the_worse(speed)}"
    if not speed.clear or noise.force.low > speed.force.high:
        return f"Here noise decides, not acceleration{_for_the_worse(noise)}"
    both = f"acceleration {'helps' if speed.low > 1 else 'harms'}, the noise {'helps' if noise.low > 1 else 'harms'}"
    return f"Both count, neither clearly more ({both})"


def _for_the_worse(change: Gain) -> str:
    return ", and for the worse" if change.high < 1 else ""


def ledger(setting: AccelerateSetting, seen: Seen) -> Table:
    """What each method is charged and asks for at n^(1/4) steps, or at the fewest that are known."""
    point = seen.at(marks(setting)[0]) or seen.points[0]
    rows = []
    for place, method in enumerate(METHODS.values()):
        mu = privacy.gdp_mu(method.mechanism, point.steps, float(point.multipliers[place]))
        used = point.steps * (records(setting) // point.steps)
        low, high = sorted(point.scalings[place])
        rows.append((
            method.label,
            method.mechanism.sensitivity(point.steps),
            float(point.multipliers[place]),
            int(point.gradients[place] / used),
            f"{low:g}" if low == high else f"{low:g} or {high:g}",
            float(point.excess[place].mean()),
            mu**2 / 2,
            privacy.gdp_epsilon(mu, setting.delta),
        ))
    return Table(
        title=f"What was charged at {point.steps} steps",
        columns=(
            "method", "sensitivity", "noise multiplier", "gradients an example", "scaling chosen", "suboptimality", "rho", "epsilon",
        ),
        rows=tuple(rows),
        source="arXiv 2406.02716, Section 5.2, with the exact Gaussian trade-off and the exact sensitivity of each noise",
        caption=(
            f"Zero-out adjacency, delta = {setting.delta:g}. Every example joins one step, and what it adds there is clipped to "
            f"{setting.clip_norm:g}, so one participation is charged whatever the loss is. Scaling is 1/(learning rate) over "
            "the smoothness. Choosing it, and a bound on the best parameters, are outside this guarantee."
        ),
        settings=asdict(setting),
    )
