"""Figures 5, 6, 10 and 11: coverage and width of the three kinds of intervals, simulated and exact."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.intervals import CONSTRUCTIONS, Grouping, Law, grouping, ols_interval, student_coverage, student_interval
from core.intervals.groups import WORDS
from core.learners import budget
from core.papers.dp_gd import runs
from core.papers.dp_gd.runs import DIM, PAPER, SOURCE
from core.papers.registry import register, verdict
from core.problems.designs import DESIGNS, Records
from core.results import Curve, Result

N_SAMPLES, GROUPS, BURN_IN, LEVEL = 10_000, 10, 20, 0.95
TOTALS = {"quick": (120, 250, 500), "full": (120, 250, 500, 1000)}
REPEATS = {"quick": 40, "full": 100}
_OPEN = "n, the step size, the numbers of steps, how rho is split among independent runs, and which iterates they average."
_CHOSEN = (
    f"n = {N_SAMPLES:,}, learning rate 1/4; one rho for all gradients of an experiment, so every construction has the same noise; "
    "independent runs average all iterates after their burn-in of 20. Thick lines are exact (Lemma 2.3, nothing clipped)."
)
_QUICK = "120, 250 and 500 gradients, 40 experiments: seconds."
_FULL = "120 to 1000 gradients, 100 experiments: a minute."
_CAPTION = (
    "Intervals for the least-squares fit of the records at hand, from private iterates alone. {} Independent runs do not fit into "
    "120 gradients: ten burn-ins of 20 alone are more."
)


class Measured(NamedTuple):
    """Coverage and mean width of each coordinate (p,), simulated and exact, and the share of gradients clipped."""

    coverage: np.ndarray
    width: np.ndarray
    exact_coverage: np.ndarray
    exact_width: np.ndarray
    share_clipped: float


@register(
    PAPER,
    "Figure 5",
    left_open=_OPEN,
    chosen=_CHOSEN,
    quick=_QUICK,
    full=_FULL,
)
def figure5(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How often the private intervals contain the least-squares fit, by the number of gradients: batched means need
    long runs.
    """
    yield from _coverage("figure5", "Figure 5", "isotropic", fidelity, seed)


@register(
    PAPER,
    "Figure 6",
    left_open=_OPEN,
    chosen=_CHOSEN,
    quick=_QUICK,
    full=_FULL,
)
def figure6(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How wide the private intervals are, against the classical interval that is not private."""
    yield from _width("figure6", "Figure 6", "isotropic", fidelity, seed)


@register(
    PAPER,
    "Figure 10",
    left_open=_OPEN,
    chosen=_CHOSEN,
    quick=_QUICK,
    full=_FULL,
)
def figure10(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """Figure 5 again where some directions of the data vary twice as much as others."""
    yield from _coverage("figure10", "Figure 10", "anisotropic", fidelity, seed)


@register(
    PAPER,
    "Figure 11",
    left_open=_OPEN,
    chosen=_CHOSEN,
    quick=_QUICK,
    full=_FULL,
)
def figure11(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """Figure 6 again where some directions of the data vary twice as much as others."""
    yield from _width("figure11", "Figure 11", "anisotropic", fidelity, seed)


def _coverage(figure: str, number: str, design: str, fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    for fraction, found in _measurements(design, fidelity, seed):
        yield fraction, Result(
            title=f"Coverage of {LEVEL:.0%} intervals for the least-squares fit",
            curves=_curves(found, lambda one: one.coverage, lambda one: one.exact_coverage),
            x_name="total_gradients",
            y_name="coverage",
            source=f"{SOURCE}, {number}",
            band=f"2.5% to 97.5% of the {DIM} coordinates",
            caption=_CAPTION.format("Neighbouring batches resemble each other when they are short: then the interval is too narrow."),
            verdict=_coverage_verdict(found, REPEATS[fidelity]) if fraction == 1 else "",
            marks=(),
            settings=_settings(figure, design, fidelity, seed),
        )


def _width(figure: str, number: str, design: str, fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    records = _records(design, seed)
    ols = float(2 * np.mean(ols_interval(records.features[0], records.labels[0], LEVEL)[1]))
    for fraction, found in _measurements(design, fidelity, seed):
        x = TOTALS[fidelity]
        classical = Curve("least squares, for the truth (not private)", x, np.full(len(x), ols), arm="none", exact=True)
        yield fraction, Result(
            title=f"Width of {LEVEL:.0%} intervals",
            curves=(classical, *_curves(found, lambda one: one.width, lambda one: one.exact_width)),
            x_name="total_gradients",
            y_name="interval_width",
            source=f"{SOURCE}, {number}",
            band=f"2.5% to 97.5% of the {DIM} coordinates",
            caption=_CAPTION.format("The classical interval is for the truth behind the records and is not private; the two answer different questions."),
            verdict=_width_verdict(found, ols) if fraction == 1 else "",
            settings=_settings(figure, design, fidelity, seed),
        )


Found = dict[str, dict[int, Measured]]
"""Construction -> gradients in all -> what was measured."""


def _measurements(design: str, fidelity: str, seed: int) -> Iterator[tuple[float, Found]]:
    """All that is measured so far, with the fraction of the work done."""
    plan = [(steps, made) for steps in TOTALS[fidelity] for made in _groupings(steps)]
    found: Found = {construction: {} for construction in CONSTRUCTIONS}
    done = 0
    for steps, made in plan:
        found[made.construction][steps] = _measured(design, made.construction, steps, REPEATS[fidelity], seed)
        done += steps
        yield done / sum(each for each, _ in plan), found


def _groupings(steps: int) -> list[Grouping]:
    fits = [name for name in CONSTRUCTIONS if name != "independent_runs" or steps > GROUPS * BURN_IN]
    return [grouping(construction, steps, GROUPS, BURN_IN) for construction in fits]


@lru_cache(maxsize=1)
def _records(design: str, seed: int) -> Records:
    return DESIGNS[design][1](N_SAMPLES, DIM, seed=seed)


@lru_cache(maxsize=32)
def _measured(design: str, construction: str, steps: int, repeats: int, seed: int) -> Measured:
    """Simulated on one data set with fresh noise in every experiment, and exact for the same data set."""
    records, made = _records(design, seed), grouping(construction, steps, GROUPS, BURN_IN)
    chains, noise, share = _chains(design, made.runs, made.run_steps, repeats, seed)
    centre, half = student_interval(made.estimates(chains), LEVEL)  # (experiments, p) each
    target = records.theta_hat[0]
    law = Law(records.gram[0], target, np.zeros(DIM), runs.LEARNING_RATE, noise)
    mean, covariance = law.estimates(made)
    exact_coverage, exact_width = student_coverage(mean - target[:, None], covariance, LEVEL)
    return Measured((np.abs(centre - target) <= half).mean(axis=0), 2 * half.mean(axis=0), exact_coverage, exact_width, share)


@lru_cache(maxsize=8)
def _chains(design: str, chains: int, steps: int, repeats: int, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Iterates theta_1.. (experiments, chains, steps, p), the noise of each step and the share clipped."""
    from core.learners.dp_gd import DpGdConfig, dp_gd
    from core.problems.finite import LeastSquares

    arm = runs.arm("DP-GD", DIM)
    config = DpGdConfig(steps, runs.RHO, repeats * chains, runs=chains, seed=seed, adjacency=runs.ADJACENCY)
    snapshots = list(dp_gd(LeastSquares(_records(design, seed)), [arm], config))[1:]
    iterates = np.stack([snapshot.theta[0, :, 0].cpu().numpy() for snapshot in snapshots], axis=1)
    share = float(np.mean([snapshot.measures["share_clipped"].mean() for snapshot in snapshots]))
    noise = budget.noise_std(
        arm.schedule, arm.clip_norm, N_SAMPLES, steps, runs.RHO, arm.learning_rate, chains, runs.ADJACENCY
    )
    return iterates.reshape(repeats, chains, steps, DIM), noise, share


def _curves(found: Found, simulated, exact) -> tuple[Curve, ...]:
    curves = []
    for construction, points in found.items():
        if points:
            x = list(points)
            of_exact = [exact(one).mean() for one in points.values()]
            values = np.array([simulated(one) for one in points.values()])
            low, high = np.percentile(values, [2.5, 97.5], axis=1)
            words = WORDS[construction]
            curves.append(Curve(f"{words}, exact", x, of_exact, arm=construction, exact=True))
            curves.append(Curve(words, x, values.mean(axis=1), low, high, arm=construction, discrete=True))
    return tuple(curves)


def _coverage_verdict(found: Found, repeats: int) -> str:
    """All between .93 and .96 at 500 gradients, up to chance; where a construction falls short, it is said."""
    slack = 3 * (LEVEL * (1 - LEVEL) / (repeats * DIM)) ** 0.5
    at = {name: points[500] for name, points in found.items()}
    words = ", ".join(f"{WORDS[name]} {one.coverage.mean():.3f} (exact {one.exact_coverage.mean():.3f})" for name, one in at.items())
    first = found["batched_means"][120]
    return verdict(
        all(0.93 - slack <= one.coverage.mean() <= 0.96 + slack for one in at.values()),
        f"after 500 gradients the intervals cover: {words}; the paper shows valid intervals. Batched means of 120 gradients cover "
        f"{first.coverage.mean():.3f} (exact {first.exact_coverage.mean():.3f}): their batches are too short. "
        f"{at['batched_means'].share_clipped:.2%} of the gradients were clipped, none in the exact law",
    )


def _width_verdict(found: Found, ols: float) -> str:
    at = {name: points[500] for name, points in found.items()}
    width = {name: one.width.mean() for name, one in at.items()}
    words = ", ".join(f"{WORDS[name]} {width[name]:.3f} (exact {one.exact_width.mean():.3f})" for name, one in at.items())
    return verdict(
        width["batched_means"] < width["independent_runs"] < width["checkpoints"],
        f"after 500 gradients the intervals are wide: {words}; the classical one {ols:.3f}. The paper: runs wider than batches, and "
        "checkpoints poor because they disregard most iterates",
    )


def _settings(figure: str, design: str, fidelity: str, seed: int) -> dict:
    return runs.settings(
        figure, fidelity, seed, design=design, experiments=REPEATS[fidelity], n_samples=N_SAMPLES, dim=DIM, rho=runs.RHO,
        total_gradients=TOTALS[fidelity], groups=GROUPS, burn_in=BURN_IN, level=LEVEL, learning_rate=runs.LEARNING_RATE,
        clip_norm=f"{runs.CLIP_FACTOR:g} sqrt(dim)",
    )  # fmt: skip
