"""The iterates of all replicates in the plane of two coefficients, settling in their Gaussian cloud; one replicate's chain."""

import math
from dataclasses import asdict

import numpy as np

from core.check import whole
from core.experiments.intervals.expected import LEVEL, Expected
from core.experiments.intervals.landmarks import ARMS, is_biased, landmarks
from core.experiments.intervals.plan import Chains
from core.experiments.intervals.trust import doubt, holds, is_exact
from core.intervals import Law, grouping, student_interval
from core.results import Curve, Result

SOURCE = "arXiv 2402.13531, Lemma 2.3 and Algorithm 1"
TRAIL = 12
"""Steps of the first replicate that the cloud draws."""
_SHOWN_CHAINS = 300
_AROUND = np.linspace(0, 2 * np.pi, 97)


def cloud(expected: Expected, first: int, second: int, step: int, chains: Chains | None = None) -> Result:
    """Coefficients `first` and `second` (from 0) of every replicate's theta_step, in the ellipse that holds 95% of the law.

    Without `chains` the law alone. The ellipse is exact where nothing is clipped, and is called so nowhere else.

    Raises: ValueError for a coefficient or a step that there is not.
    """
    law, chosen = expected.law, [whole("coordinate", at, at_most=expected.records.dim - 1) for at in (first, second)]
    whole("shown_step", step, at_most=law.steps)
    path = np.array([law.mean(at)[chosen] for at in _waypoints(law.steps)])
    curves, exact = [], is_exact(expected)
    if chains is not None:
        trail = chains.iterates[0, 0, max(0, step - TRAIL) : step + 1][:, chosen]
        curves.append(Curve("first replicate, last steps", *trail.T, arm="iterates"))
    curves += [
        Curve(
            f"holds {LEVEL:.0%} of the replicates, exact" if exact else f"would hold {LEVEL:.0%} without clipping",
            *_ellipse(law, chosen, step).T, exact=True, arm="ellipse",
        ),
        Curve("mean of all replicates over time, exact" if exact else "mean over time without clipping", *path.T, exact=True, arm="path"),
    ]
    if is_biased(expected):
        settled = expected.settled_law
        curves.append(Curve("the same once settled, with clipping", *_ellipse(settled, chosen, law.steps).T, exact=True, arm="settled"))
    if chains is not None:
        points = chains.iterates[:, :, step][..., chosen].reshape(-1, 2)[:_SHOWN_CHAINS]
        curves.append(Curve("replicates at this step", *points.T, discrete=True, arm="iterates"))
    curves += [Curve(words, [at[first]], [at[second]], discrete=True, arm=ARMS[words]) for words, at in landmarks(expected).items()]
    return Result(
        title="The iterates settle in a Gaussian cloud" if holds(expected) else "The iterates, and their cloud without clipping",
        curves=tuple(curves),
        x_name="coefficient_value",
        y_name="second_coefficient_value",
        source=SOURCE,
        caption=(
            f"Across: {expected.records.feature_names[first]}; up: {expected.records.feature_names[second]}. After {step:,} of "
            f"{law.steps:,} steps. Every replicate learns from the same records with noise of its own. {_centre_words(expected)}"
        ),
        settings=asdict(expected.setting) | {"coordinate": first + 1, "second_coordinate": second + 1, "shown_step": step},
    )


def shown_steps(expected: Expected, count: int = 32) -> tuple[int, ...]:
    """Steps worth dragging through: every one at the start, sparser later, the last one last."""
    steps = expected.law.steps
    return tuple(sorted({round(value) for value in np.expm1(np.linspace(0, math.log1p(steps), count))} | {steps}))


def chain(chains: Chains, coordinate: int, replicate: int = 0) -> Result:
    """One coefficient (from 0) along the chain of one replicate, the estimates it gives, and the interval growing out of them.

    Independent runs stand one after the other. The interval so far is that of the gradients so far.

    Raises: ValueError for a coefficient or replicate that there is not.
    """
    expected, made, setting = chains.expected, chains.expected.made, chains.expected.setting
    whole("coordinate", coordinate, at_most=expected.records.dim - 1)
    runs = chains.iterates[whole("replicate", replicate, at_most=len(chains.iterates) - 1), ..., coordinate]  # (runs, steps + 1)
    offsets = made.run_steps * np.arange(made.runs)[:, None]
    x = np.concatenate([offsets + np.arange(runs.shape[1]), np.full((made.runs, 1), np.nan)], axis=1).ravel()
    y = np.concatenate([runs, np.full((made.runs, 1), np.nan)], axis=1).ravel()
    ends = _growing(runs, expected)
    middles = np.array([np.flatnonzero(row).mean() + 1 for row in made.weights])
    estimates = made.estimates(runs[:, 1:, None])[:, 0]
    total = made.runs * made.run_steps
    lines = {words: at[coordinate] for words, at in landmarks(expected).items()}
    return Result(
        title="An interval grows out of one chain",
        curves=(
            Curve("iterates", x[:-1], y[:-1], arm="iterates"),
            Curve("interval so far", *ends[:2], *ends[2:], arm="interval"),
            Curve("estimates", (offsets + middles).ravel(), estimates, discrete=True, arm="estimates"),
            *(Curve(words, [0, total], [value, value], arm=ARMS[words], exact=True) for words, value in lines.items()),
        ),
        x_name="gradient_count",
        y_name="coefficient_value",
        source="arXiv 2402.13531, Section 3.1 and equation (12)",
        band=f"{LEVEL:.0%} interval of equation (12) from the gradients so far",
        caption=(
            f"{expected.records.feature_names[coordinate]} in the first replicate. {_ESTIMATES[setting.construction]} "
            "The interval costs no privacy beyond that of the chain: it is computed from what is published anyway."
        ),
        settings=asdict(setting) | {"coordinate": coordinate + 1},
    )


_ESTIMATES = {
    "batched_means": "After the burn-in the chain is cut into stretches; the mean of each is one estimate.",
    "checkpoints": "After the burn-in the chain is cut into stretches; the last iterate of each is one estimate.",
    "independent_runs": "Many short runs, each from the start; the mean of each after its burn-in is one estimate.",
}


def _growing(runs: np.ndarray, expected: Expected) -> tuple[np.ndarray, ...]:
    """Gradients so far, centre, low and high of the interval from them."""
    setting, made = expected.setting, expected.made
    rows = []
    if made.runs > 1:
        estimates = made.estimates(runs[:, 1:, None])
        for done in range(2, made.runs + 1):
            rows.append((done * made.run_steps, *student_interval(estimates[:done], LEVEL)))
    else:
        first = setting.burn_in + setting.groups
        for steps in sorted({round(value) for value in np.linspace(first, made.run_steps, 40)}):
            so_far = grouping(setting.construction, steps, setting.groups, setting.burn_in)
            rows.append((steps, *student_interval(so_far.estimates(runs[:, 1 : steps + 1, None]), LEVEL)))
    gradients, centre, half = (np.array([np.ravel(row[at])[0] for row in rows]) for at in range(3))
    return gradients, centre, centre - half, centre + half


def _centre_words(expected: Expected) -> str:
    if is_biased(expected):
        return (
            "Clipping bites: the cloud settles around what clipping estimates. The ellipse around least squares is of a run without "
            f"clipping; the other is theory with it. {doubt(expected)}".rstrip()
        )
    if is_exact(expected):
        return "The ellipse is exact: no simulation is in it."
    return f"The ellipse is of a run without clipping. {doubt(expected)}".rstrip()


def _waypoints(steps: int) -> list[int]:
    return sorted({round(value) for value in np.expm1(np.linspace(0, math.log1p(steps), 48))} | {0, steps})


def _ellipse(law: Law, chosen: list[int], step: int) -> np.ndarray:
    """Points (97, 2) of the ellipse that holds 95% of two coefficients of theta_step."""
    values, directions = np.linalg.eigh(law.covariance(step)[np.ix_(chosen, chosen)])
    radius = math.sqrt(-2 * math.log(1 - LEVEL))  # of a standard Gaussian in the plane
    circle = np.stack([np.cos(_AROUND), np.sin(_AROUND)], axis=1)
    return law.mean(step)[chosen] + radius * (circle * np.sqrt(np.maximum(values, 0.0))) @ directions.T
