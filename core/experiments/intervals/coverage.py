"""How often the intervals are right: replicate by replicate, as they accumulate, and against the exact number."""

from dataclasses import asdict

import numpy as np

from core.check import whole
from core.experiments.intervals.expected import LEVEL, Expected
from core.experiments.intervals.landmarks import ARMS, is_biased, landmarks
from core.experiments.intervals.plan import Chains
from core.experiments.intervals.trust import ENOUGH, doubt, holds, how, is_exact, mean_words, point_and_bar
from core.intervals.groups import WORDS
from core.results import Curve, Result

SOURCE = "arXiv 2402.13531, equation (12)"


def caterpillar(chains: Chains, coordinate: int) -> Result:
    """Every replicate's interval for one coefficient (from 0): those that cover the least-squares fit, and those that miss.

    Raises: ValueError for a coefficient that there is not, and for a run that has not finished.
    """
    expected = chains.expected
    whole("coordinate", coordinate, at_most=expected.records.dim - 1)
    centre, half = (values[:, coordinate] for values in chains.intervals)
    hits = chains.hits(expected.theta_hat)[:, coordinate]
    x = np.arange(1.0, len(hits) + 1)
    curves = [
        Curve(words, x[which], centre[which], (centre - half)[which], (centre + half)[which], arm=words, discrete=True)
        for words, which in (("covers least squares", hits), ("misses it", ~hits))
    ]
    lines = {words: at[coordinate] for words, at in landmarks(expected).items()}
    curves += [Curve(words, [0.5, len(hits) + 0.5], [value] * 2, arm=ARMS[words], exact=True) for words, value in lines.items()]
    return Result(
        title="Hits and misses",
        curves=tuple(curves),
        x_name="replicate",
        y_name="coefficient_value",
        source=SOURCE,
        band=f"{LEVEL:.0%} interval of equation (12)",
        caption=f"{expected.records.feature_names[coordinate]}: one interval for each replicate, all from the same records.",
        verdict=f"{hits.sum()} of {len(hits)} intervals contain the least-squares value of {expected.records.feature_names[coordinate]}.",
        settings=asdict(expected.setting) | {"coordinate": coordinate + 1},
    )


def coverage_so_far(chains: Chains) -> Result:
    """Coverage of the least-squares fit over the replicates so far, all coefficients, with its standard error and the exact value."""
    expected = chains.expected
    targets = {"least squares": ("least_squares", expected.theta_hat, expected.of_theta_hat_clipped)}
    if is_biased(expected):
        targets["what clipping estimates"] = ("huber", expected.huber, expected.of_huber)
    curves = []
    for words, (arm, target, exact) in targets.items():
        each = chains.hits(target).mean(axis=1)
        x, mean, error = _running(each)
        value = exact.coverage.mean()
        curves += [
            Curve(f"{words}, {how(expected)}", [1, len(each)], [value, value], arm=arm, exact=True),
            Curve(words, x, mean, np.maximum(mean - error, 0), np.minimum(mean + error, 1), arm=arm),
        ]
    nominal = Curve(f"{LEVEL:.0%} asked for", [1, len(each)], [LEVEL, LEVEL], arm="nominal", exact=True)
    return Result(
        title="Coverage, replicate by replicate",
        curves=(nominal, *curves),
        x_name="replicate",
        y_name="coverage",
        source=SOURCE,
        band="one standard error of the mean over replicates",
        caption=(
            "Share of all intervals so far, over replicates and coefficients, that contain what they are for. Coefficients of one "
            "replicate share its noise, so the standard error is that of the replicates' means."
        ),
        verdict=coverage_verdict(chains),
        settings=asdict(expected.setting),
    )


def coverage_verdict(chains: Chains) -> str:
    """Measured coverage with its standard error beside the theory, in words."""
    expected = chains.expected
    each = chains.hits(expected.theta_hat).mean(axis=1)
    exact = expected.of_theta_hat_clipped.coverage.mean()
    said = f"Measured: {mean_words(each)} of the intervals cover least squares; {how(expected)} {exact:.4f}, asked for {LEVEL:g}."
    share = chains.share_clipped[1:].mean()
    clipped = f" Of all gradients {share:.2g} were clipped." if share else " Not one gradient was clipped."
    return f"{said}{clipped} {doubt(expected)}".rstrip()


def against_steps(expected: Expected, what: str, chains: Chains | None = None) -> Result:
    """Coverage of the least-squares fit, or the mean width, of all three constructions against the gradients in all; exact.

    `what` is "coverage" or "interval_width". Mean over coefficients, nothing clipped, rho the same everywhere. With
    `chains` the run's own value joins.
    """
    setting, ending = expected.setting, "exact" if is_exact(expected) else "without clipping"
    curves = []
    for construction, words in WORDS.items():
        rows = expected.over_steps[construction]
        curves.append(Curve(f"{words}, {ending}", rows[:, 0], rows[:, _COLUMN[what]], arm=construction, exact=True))
    if chains is not None:
        each = (chains.hits(expected.theta_hat) if what == "coverage" else 2 * chains.intervals[1]).mean(axis=1)
        curves.append(Curve("this run", *point_and_bar(setting.steps, each), arm="run", discrete=True))
    level = {"coverage": (f"{LEVEL:.0%} asked for", LEVEL), "interval_width": ("OLS (not private)", 2 * expected.ols_half.mean())}[what]
    grid = expected.over_steps["batched_means"][:, 0]
    ends = [grid.min(initial=setting.steps), grid.max(initial=setting.steps)]
    curves.append(Curve(level[0], ends, [level[1]] * 2, arm="level", exact=True))
    follows = holds(expected) and not is_biased(expected)
    return Result(
        title={"coverage": "Coverage against gradients in all", "interval_width": "Width against gradients in all"}[what],
        curves=tuple(curves),
        x_name="total_gradients",
        y_name=what,
        source="arXiv 2402.13531, " + {"coverage": "Figure 5", "interval_width": "Figure 6"}[what] + "; the exact curves are ours",
        band="one standard error" if chains is not None else "",
        caption=_CAPTIONS[what] + ("" if follows else " This run clips, which the curves leave out: its point may lie far off them."),
        verdict=_steps_verdict(expected) if what == "coverage" else _width_verdict(expected, chains),
        settings=asdict(setting),
        marks=((setting.steps, "your steps"),),
    )


_COLUMN = {"coverage": 1, "interval_width": 2}
_CAPTIONS = {
    "coverage": (
        "Mean over the coefficients, from the exact law without clipping: no simulation. Independent runs begin where each run is "
        "longer than its burn-in."
    ),
    "interval_width": (
        "More gradients share the same rho, so each is noisier: checkpoints use one iterate of each stretch and get wider, means "
        "of stretches do not. The dashed level is the classical interval for the truth, which is not private."
    ),
}


def _steps_verdict(expected: Expected) -> str:
    setting, slowest = expected.setting, float(expected.records.eigenvalues[0, -1])
    relaxed = 15 / (setting.learning_rate * slowest)
    text = (
        f"Neighbouring iterates resemble each other over about {1 / (setting.learning_rate * slowest):.3g} steps (1 / (learning rate x "
        f"smallest eigenvalue)). {'Batched' if holds(expected) else 'Without clipping, batched'} means come within .006 of {LEVEL:g} "
        f"once batches are about {relaxed:.3g} steps long"
    )
    if setting.schedule != "uniform":
        return text + "."
    best = expected.best_batches
    return text + (
        f". With {setting.steps:,} gradients the narrowest interval that covers so well has {best.groups} batches of {best.length} "
        f"(coverage {best.coverage:.4f} in the slowest direction)."
    )


def _width_verdict(expected: Expected, chains: Chains | None) -> str:
    private, classical = expected.of_theta_hat.width.mean(), 2 * expected.ols_half.mean()
    if not holds(expected):
        measured = "" if chains is None else f"Measured mean width {2 * chains.intervals[1].mean():.3g}. "
        return f"{measured}Without clipping it would be {private:.3g}. {doubt(expected)} The classical interval, not private, has {classical:.3g}."
    return (
        f"Mean width {private:.3g} for the least-squares fit, in private; {classical:.3g} for the truth, by the classical interval, not "
        f"private: {private / classical:.3g} times as wide. They cover different things."
    )


def _running(each: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Replicates so far, the mean over them, and its standard error, each from the second on; no error of too few."""
    count = np.arange(1, len(each) + 1)
    mean = np.cumsum(each) / count
    spread = np.sqrt(np.maximum(np.cumsum(each**2) / count - mean**2, 0) * count / np.maximum(count - 1, 1))
    error = np.where(count >= ENOUGH, spread / np.sqrt(count), np.nan)
    return count[1:], mean[1:], error[1:]
