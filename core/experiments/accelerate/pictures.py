"""What is known without a run, and one run step by step: the noises' prices, where the theorem speaks, what is clipped."""

import math
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from core import mechanisms
from core.experiments.accelerate.runs import METHODS, WATCHED, WATCHED_SCALING, Seen
from core.experiments.accelerate.setting import AccelerateSetting, marks, records
from core.learners.summary import band
from core.mechanisms import Mechanism
from core.results import Curve, Result, Table
from core.theory.bounds import accelerated
from core.theory.bounds.accelerated import ScoRun

NOISES: dict[str, Mechanism] = {
    "independent noise": mechanisms.independent(),
    "tree, as in the paper": mechanisms.binary_tree(),
    "tree, Honaker's completion": mechanisms.binary_tree("honaker"),
    "tree, fully completed": mechanisms.binary_tree("full"),
    "square-root Toeplitz": mechanisms.optimal_counting(),
}
"""The noises whose running sums are compared, by their words."""
MOST_STEPS = 256


def prefix_variance(mechanism: Mechanism, steps: int) -> float:
    """max_t Var(xi_1 + ... + xi_t) * sensitivity^2 of one coordinate, at clip_norm = gdp_mu = 1; exact.

    Guarantees: 20, 16, 13.9 and 3.8 for tree, independent, Honaker's and square-root Toeplitz noise at 16 steps.
    """
    return float(mechanism.prefix_std(steps).max() ** 2 * mechanism.sensitivity(steps) ** 2)


def prefix_noise(setting: AccelerateSetting) -> Result:
    """What each noise adds to the recursive gradient at equal privacy, against the number of steps; exact."""
    quarter, root = marks(setting)
    steps = _shown_steps(min(MOST_STEPS, max(root, 16)))
    curves = tuple(
        Curve(words, steps, [_prefix_variance(mechanism, each) for each in steps], arm=mechanism.arm, exact=True)
        for words, mechanism in NOISES.items()
    )
    last = steps[-1]
    values = {words: _prefix_variance(mechanism, last) for words, mechanism in NOISES.items()}
    tree, counting = values["tree, as in the paper"], values["square-root Toeplitz"]
    return Result(
        title="The price of each noise",
        curves=curves,
        x_name="batch_steps",
        y_name="prefix_variance",
        source="arXiv 2406.02716, Lemma 5.6, computed exactly",
        caption=(
            "The recursive gradient is a running sum, so what it hears is the running sum of the noise. Its largest variance, at "
            "equal privacy. The tree's sensitivity jumps at powers of two: one step fewer is free."
        ),
        verdict=(
            f"At {last} steps the tree has {tree / counting:.1f} times the variance of square-root Toeplitz noise, independent "
            f"noise {values['independent noise'] / counting:.1f} times."
        ),
        settings=asdict(setting),
        marks=tuple((float(x), words) for x, words in ((quarter, "n^(1/4)"), (root, "sqrt(n)")) if 2 <= x <= last),
    )


def sensitivity(setting: AccelerateSetting, seen: Seen) -> Result:
    """Length of what is clipped for one example, step by step: with the recursion it stays, without it grows with t."""
    snapshots = seen.watched[1:]
    steps = [snapshot.step for snapshot in snapshots]
    measured = {}
    for name in ("gradient_norm_high", "weighted_gradient_norm"):
        mean, low, high = band(np.stack([snapshot.measures[name] for snapshot in snapshots]), log=True)
        measured[name] = np.stack([mean, low, high], axis=1)  # (steps, 3, arms)
    curves = [
        Curve(f"difference, {'' if key.startswith('accelerated') else 'not '}accelerated", steps, *measured["gradient_norm_high"][..., place].T, arm=METHODS[key].look)
        for place, key in enumerate(WATCHED)
    ]
    curves.append(Curve("weighted gradient, accelerated", steps, *measured["weighted_gradient_norm"][..., 0].T, arm="weighted"))
    curves.append(Curve("clip norm", steps, np.full(len(steps), setting.clip_norm), arm="none", exact=True))
    difference, gradient = measured["gradient_norm_high"][:, 0, 0], measured["weighted_gradient_norm"][:, 0, 0]
    change = difference[-1] / difference[1]
    return Result(
        title="What one example adds, step by step",
        curves=tuple(curves),
        x_name="step",
        y_name="released_norm",
        source="arXiv 2406.02716, Lemmas 5.5 and 5.9",
        band=f"95% confidence interval of the mean of {setting.replicates} replicates",
        caption=(
            "90% quantile over a batch, with square-root Toeplitz noise. Step t weighs gradients by t; without the recursion that would have to be clipped. The "
            f"difference of two gradients of one example, before clipping, does not grow. Scaling {WATCHED_SCALING:g}."
        ),
        verdict=(
            f"From step 2 to step {steps[-1]} the weighted gradient grows {gradient[-1] / gradient[1]:.1f}-fold, the difference "
            f"{change:.2f}-fold: the sensitivity {'is flat' if change < 1.5 else 'is NOT flat here'} in t, and clipping to "
            f"{setting.clip_norm:g} holds what is charged there for any loss."
        ),
        settings=asdict(setting) | {"scaling": WATCHED_SCALING},
    )


def theorem(setting: AccelerateSetting) -> Table:
    """From how many records on each piece of the main theorem says anything, and what it asks of the viewer's n."""
    delta, here = setting.delta, accelerated.parameters(ScoRun(
        n_samples=records(setting), dim=setting.dim, epsilon=setting.epsilon, delta=setting.delta
    ))
    root = records(setting) ** 0.25
    rows = (
        ("one pass is enough: T = c_DP n^(1/4) <= n, batches of 1", speaks_from(setting), f"T = {here.steps:,.0f}"),
        ("batches of 10 records", _count(accelerated.samples_for_batches(10, delta)), f"B = {here.batch_size:.2g}"),
        (
            "the bound is below L R, which any answer meets",
            _count(accelerated.samples_for_a_bound_below_trivial(setting.dim, setting.epsilon, delta)),
            f"{_count(_bound_at(here, delta))} L R",
        ),
        (
            "the noise is shorter than the ball: c_DP <= n^(1/4)",
            _count(accelerated.samples_for_bounded_noise(delta)),
            f"{here.c_dp / root:,.0f} times too large",
        ),
        (
            "the differences are proved short (Lemma 5.5, one of its conditions)",
            _count(accelerated.samples_for_short_differences(delta)),
            "not proved",
        ),
    )
    steps = marks(setting)[0]
    spent = accelerated.actual_epsilon(max(2, steps), setting.epsilon, delta)
    return Table(
        title="From where on the theorem speaks",
        columns=("what has to hold", "records at least", "at your n"),
        rows=rows,
        source="arXiv 2406.02716, Equation (19), Lemmas 5.4 and 5.5, Theorem 5.1, Corollary 5.7",
        caption=(
            f"c_DP = {here.c_dp:,.0f} at n = {records(setting):,} and delta = {delta:g}. The guarantee of risk is about sizes that "
            "no table has; the method works with practical constants, and its privacy, by clipping, needs none of this."
        ),
        verdict=(
            f"The theorem speaks from n = {rows[0][1]} on, and there with batches of one record. Corollary 5.7's noise at "
            f"{max(2, steps)} steps promises epsilon {setting.epsilon:g} and spends {spent:.3g}: it lacks "
            f"a factor {accelerated.missing_factor(max(2, steps)):.2f} of noise."
        ),
        settings=asdict(setting),
    )


def speaks_from(setting: AccelerateSetting) -> str:
    """The number of records from which on Theorem 5.8's parameters fit into one pass, as text."""
    return _count(accelerated.samples_for_batches(1, setting.delta))


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e9 else f"{number:.2g}"


def _bound_at(set_to: accelerated.Parameters, delta: float) -> float:
    return accelerated.excess_risk_bound(
        set_to.steps, set_to.batch_size, set_to.scaling, 2 * set_to.c_dp, set_to.noise_bound, delta / 4
    ).value


@lru_cache(maxsize=512)
def _prefix_variance(mechanism: Mechanism, steps: int) -> float:
    return prefix_variance(mechanism, steps)


def _shown_steps(most: int) -> list[int]:
    """Powers of two, one less than each, and what lies half-way, up to `most`."""
    powers = [2**level for level in range(1, math.ceil(math.log2(most)) + 1)]
    return sorted({each for power in powers for each in (power - 1, power, power * 3 // 2) if 2 <= each <= most} | {most})
