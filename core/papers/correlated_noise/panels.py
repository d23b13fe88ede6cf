"""The points of Figure 2, their exact and simulated stationary suboptimality, and the slopes through them.

Linear regression, x ~ N(0, diag(eigenvalues)), one example a step, no label noise, no clipping, rho = clip_norm = 1,
noise at the limit sensitivity, nu = learning_rate * least eigenvalue.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import stdtrit

from core import mechanisms
from core.problems.spectrum import spectrum
from core.theory import quadratic

ARMS = {"independent": "Noisy-SGD", "nu_ftrl": "nu-Noisy-FTRL"}
"""Noises compared, in the paper's words: "Noisy" in place of "DP" where nothing is clipped."""
GROUP = 8
"""Replicates simulated together, so that their noise of all steps fits into memory."""
INFINITE_BATCH = 10**12
"""A batch in which the randomness of examples is gone; the privacy noise on the mean gradient is held as it is."""

Runs = dict[str, list[np.ndarray]]
"""The simulated risks (replicates, arms) of each point so far, by panel."""


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of a panel: `x`, the value of what is varied, and the problem that it makes."""

    x: float
    eigenvalues: np.ndarray
    learning_rate: float

    @property
    def relaxation(self) -> float:
        """Steps in which the slowest direction forgets."""
        return 1 / (self.learning_rate * self.eigenvalues.min())

    def mechanism(self, arm: str) -> mechanisms.Mechanism:
        """The noise of an arm, nu as in Theorem 2.2."""
        return mechanisms.independent() if arm == "independent" else mechanisms.nu_ftrl(1 / self.relaxation)

    def noise_std(self, arm: str) -> float:
        """Standard deviation of the seed noise at rho = clip_norm = 1."""
        return self.mechanism(arm).limit_sensitivity() / math.sqrt(2)


@dataclass(frozen=True)
class Effort:
    """What a simulated point costs: replicates, in multiples of GROUP, and the length of a run in relaxations.

    No run is shorter than `shortest` steps, for where all directions are fast a few relaxations say little.
    """

    replicates: int
    relaxations: float
    shortest: int

    def steps(self, point: Point) -> int:
        """Length of a run at this point."""
        return max(math.ceil(self.relaxations * point.relaxation), self.shortest)


# The cheapest point of a panel comes first, so that a viewer sees one soon.
PANELS = {
    "dim": tuple(Point(dim, spectrum(dim, 1.0), 0.02) for dim in (16, 32, 64, 128)),
    "effective_dim": tuple(Point(s.sum(), s, 0.02) for s in (spectrum(128, decay) for decay in (0.4, 0.6, 0.8, 1.0))),
    "learning_rate": tuple(Point(rate, spectrum(128, 1.0), rate) for rate in np.geomspace(0.2, 0.01, 6).tolist()),
}
EFFORT = {
    "quick": Effort(replicates=GROUP, relaxations=2, shortest=6400),
    "full": Effort(replicates=8 * GROUP, relaxations=4, shortest=6400),
}


def xs(panel: str) -> np.ndarray:
    """Values of what the panel varies (points,)."""
    return np.array([point.x for point in PANELS[panel]])


@lru_cache
def exact(panel: str, arm: str, batch_size: int = 1) -> np.ndarray:
    """Stationary suboptimality at the panel's points (points,), without sampling; read-only, for it is kept."""
    risks = [
        quadratic.asymptotic_excess_risk(
            point.eigenvalues, point.learning_rate, point.mechanism(arm), point.noise_std(arm), batch_size=batch_size
        )
        for point in PANELS[panel]
    ]
    array = np.array(risks)
    array.flags.writeable = False
    return array


def exact_slope(panel: str, arm: str, batch_size: int = 1) -> float:
    """Least-squares slope of the logarithm of `exact` against that of `xs`."""
    return float(_slope_weights(panel) @ np.log(exact(panel, arm, batch_size)))


def simulate(panels: Sequence[str], fidelity: str, seed: int) -> Iterator[tuple[float, Runs]]:
    """Yield the fraction of the work done and all risks so far, after each group of replicates.

    Guarantees: a panel gives the same risks alone and among others.
    """
    effort = EFFORT[fidelity]
    places = [(panel, index) for panel in panels for index in range(len(PANELS[panel]))]
    points = [PANELS[panel][index] for panel, index in places]
    work = [effort.steps(point) * point.eigenvalues.size for point in points]
    groups = effort.replicates // GROUP
    runs = {panel: [] for panel in panels}
    for number, (panel, index) in enumerate(places):
        earlier, risks = runs[panel], np.empty((0, len(ARMS)))
        for group in range(groups):
            place = (seed, list(PANELS).index(panel), index, group)
            risks = np.concatenate([risks, _run(points[number], effort.steps(points[number]), place)])
            runs = runs | {panel: [*earlier, risks]}
            done = sum(work[:number]) + work[number] * (group + 1) / groups
            yield done / sum(work), runs


def summary(panel: str, arm: str, points: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, mean and half the width of the 95% t interval of the simulated points so far, each (points so far,)."""
    means, errors = _moments(arm, points)
    freedom = [len(point) - 1 for point in points]
    return xs(panel)[: len(points)], means, stdtrit(freedom, 0.975) * errors


def simulated_slope(panel: str, arm: str, points: Sequence[np.ndarray]) -> tuple[float, float]:
    """Slope through all simulated points of a panel, and its standard error to first order."""
    means, errors = _moments(arm, points)
    weights = _slope_weights(panel)
    return float(weights @ np.log(means)), float(np.linalg.norm(weights * errors / means))


def _run(point: Point, steps: int, place: tuple[int, ...]) -> np.ndarray:
    """Mean suboptimality over the last quarter of GROUP runs of each arm (GROUP, arms), started at the optimum 0.

    theta <- theta - learning_rate * (x <x, theta> + noise)

    Both arms see the same examples and the same seed noise. All noise is sampled at once, which makes a step several
    times cheaper than one of a learner that streams it.
    Reference: arXiv 2310.06771, Algorithm 1 without clipping.
    """
    import torch

    example_seed, noise_seed = np.random.SeedSequence(place).spawn(2)
    examples = np.random.default_rng(example_seed)
    shape = (GROUP, point.eigenvalues.size)
    noises = []
    for arm in ARMS:
        generator = torch.Generator().manual_seed(int(noise_seed.generate_state(1)[0]))
        noises.append(point.mechanism(arm).sample(steps, shape, generator, "cpu").mul_(point.noise_std(arm)).numpy())
    eigenvalues, learning_rate = point.eigenvalues.astype(np.float32), np.float32(point.learning_rate)
    scale = np.sqrt(eigenvalues)
    theta = np.zeros((GROUP, len(ARMS), eigenvalues.size), dtype=np.float32)
    total, settled = np.zeros((GROUP, len(ARMS))), 3 * steps // 4
    for step in range(steps):
        x = scale * examples.standard_normal(shape, dtype=np.float32)
        gradient = (theta @ x[:, :, None]) * x[:, None, :]
        for arm, noise in enumerate(noises):
            gradient[:, arm] += noise[step]
        theta -= learning_rate * gradient
        if step >= settled:
            total += 0.5 * (theta * theta) @ eigenvalues
    return total / (steps - settled)


def _moments(arm: str, points: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Means over replicates and their standard errors, each (points so far,)."""
    risks = [point[:, list(ARMS).index(arm)] for point in points]
    errors = [risk.std(ddof=1) / math.sqrt(len(risk)) for risk in risks]
    return np.array([risk.mean() for risk in risks]), np.array(errors)


def _slope_weights(panel: str) -> np.ndarray:
    centred = np.log(xs(panel)) - np.log(xs(panel)).mean()
    return centred / (centred @ centred)
