"""What a run shows: curves with bands, accuracy against lambda with paired differences, the noise so far, a verdict."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from core.experiments.kan.noise import WORDS
from core.experiments.kan.plan import WITHOUT_NOISE, Plan
from core.experiments.kan.setting import correlations
from core.learners import Snapshot
from core.learners.summary import curves, looks, noise_norm_rms
from core.names import name
from core.results import Curve, Result, Table

SOURCE = "arXiv 2605.12648, Algorithm 1"
LEVEL = 0.95
_BETTER = {"test_accuracy": 1.0, "test_loss": -1.0, "train_loss": -1.0}
"""The sign of what is better."""


class Difference(NamedTuple):
    """A lambda's mean, and its paired difference to lambda = 0: mean, standard error, and 95% interval."""

    correlation: float
    mean: float
    difference: float
    error: float
    low: float
    high: float

    def differs(self, sign: float) -> bool:
        """Whether the interval lies wholly on this side of zero."""
        return self.low > 0 if sign > 0 else self.high < 0


def outcome(plan: Plan, snapshots: Sequence[Snapshot], measure: str = "test_accuracy") -> Result:
    """The run so far: mean and 95% band over replicates of each lambda, all at the same (epsilon, delta)."""
    return replace(
        curves(snapshots, plan.arms, measure),
        title=f"{name(measure).words.capitalize()} while training",
        source=f"simulation of {SOURCE}",
        caption=(
            f"Mean over {plan.config.replicates} replicates, all lines {_privacy(plan)}, on the same batches and the same "
            "seed noise: they differ in how much of the last step's noise is taken back."
        ),
        verdict=verdict(plan, snapshots) if measure == "test_accuracy" else "",
        settings=asdict(plan.setting),
    )


def accuracy_against_correlation(plan: Plan, snapshots: Sequence[Snapshot], measure: str = "test_accuracy") -> Result:
    """A measure at the last snapshot against lambda, with 95% intervals of the paired difference to lambda = 0.

    An interior optimum is marked only where the paired intervals, widened for the choice among several lambdas, tell it
    from lambda = 0 and from the largest lambda.
    """
    last = snapshots[-1]
    found = differences(plan, last, measure)
    x, y = [d.correlation for d in found], [d.mean for d in found]
    bars = {}
    if np.isfinite([d.error for d in found]).all():
        bars = {"low": [found[0].mean + d.low for d in found], "high": [found[0].mean + d.high for d in found]}
    lines = [Curve("DP-SGD", [0.0, max(x)], [y[0], y[0]], arm="independent")] if found else []
    points = [Curve("DP-lambda-CGD", x, y, arm="lambda_cgd", discrete=True, **bars)] if found else []
    without = last.measures[measure][-1].mean()
    best = interior_optimum(plan, last, measure)
    return Result(
        title=f"{name(measure).words.capitalize()} against lambda, after {last.step:,} steps",
        curves=(*points, *lines, Curve(WITHOUT_NOISE, [0.0, max(x, default=0.9)], [without, without], arm="none")),
        x_name="correlation",
        y_name=measure,
        source=f"simulation of {SOURCE}; compare Figure 1 (left)",
        band="95% confidence interval of the paired difference to lambda = 0 (Student t), drawn around the mean" if bars else "",
        caption=(
            "All lambdas share batches and seed noise, so that their differences are known much better than their means: a "
            "bar that leaves the line of DP-SGD aside is a difference that is not chance. One fixed learning rate and clip "
            "norm for all, which may favour one of them."
        ),
        status=last.status,
        verdict=verdict(plan, snapshots),
        settings=asdict(plan.setting),
        marks=() if best is None else ((best, f"best lambda {best:g}"),),
    )


def gain_while_training(plan: Plan, snapshots: Sequence[Snapshot]) -> Result:
    """How far each lambda is ahead of lambda = 0 in test accuracy, replicate by replicate: mean and 95% band."""
    compared = [differences(plan, snapshot, "test_accuracy") for snapshot in snapshots]
    steps, shown = [snapshot.step for snapshot in snapshots], list(zip(plan.arms, looks(plan.arms), strict=True))[1:-1]
    lines = [
        Curve(arm.label, steps, [row.difference for row in rows], [row.low for row in rows], [row.high for row in rows], arm=look)
        for (arm, look), rows in zip(shown, list(zip(*compared, strict=True))[1:], strict=True)
    ]
    return Result(
        title="Ahead of DP-SGD while training",
        curves=(Curve(plan.arms[0].label, [0.0, plan.config.steps], [0.0, 0.0], arm="independent"), *lines),
        x_name="step",
        y_name="accuracy_gain",
        source=f"simulation of {SOURCE}",
        band="95% confidence interval of the paired difference to lambda = 0 (Student t)",
        caption=(
            "Test accuracy minus that of lambda = 0 on the same batches and the same seed noise. At first a larger lambda is "
            "behind, for its single steps are noisier; what it takes back pays later, where it pays."
        ),
        status=snapshots[-1].status,
        settings=asdict(plan.setting),
    )


def paired_differences(plan: Plan, snapshots: Sequence[Snapshot], measure: str = "test_accuracy") -> Table:
    """Mean of each lambda at the last snapshot, and its paired difference to lambda = 0 with standard error and interval."""
    rows = [tuple(difference) for difference in differences(plan, snapshots[-1], measure)]
    return Table(
        title=f"{name(measure).words.capitalize()} against lambda",
        columns=("lambda", name(measure).words, "difference to lambda 0", "standard error", "95% low", "95% high"),
        rows=tuple(rows),
        source=f"simulation of {SOURCE}",
        caption=f"After {snapshots[-1].step:,} steps; paired over {plan.config.replicates} replicates, {_privacy(plan)}.",
        status=snapshots[-1].status,
        settings=asdict(plan.setting),
    )


def differences(plan: Plan, snapshot: Snapshot, measure: str, level: float = LEVEL) -> tuple[Difference, ...]:
    """Each lambda against lambda = 0 at one snapshot, replicate by replicate; none where the setting is not private.

    A replicate that diverged makes its lambda's numbers infinite, and its interval everything.
    """
    if not plan.setting.private:
        return ()
    values = snapshot.measures[measure][:-1]  # the last arm has no noise
    rows = []
    for correlation, own in zip(correlations(plan.setting), values, strict=True):
        if not np.isfinite([own, values[0]]).all():
            rows.append(Difference(correlation, float("inf"), float("inf"), float("inf"), -float("inf"), float("inf")))
            continue
        paired = own - values[0]
        error = float(paired.std(ddof=1)) / paired.size**0.5
        half = float(stdtrit(paired.size - 1, 0.5 + level / 2)) * error
        mean = float(paired.mean())
        rows.append(Difference(correlation, float(own.mean()), mean, error, mean - half, mean + half))
    return tuple(rows)


def best_gain(plan: Plan, snapshots: Sequence[Snapshot]) -> Difference | None:
    """The lambda above 0 of highest test accuracy so far, against lambda = 0; None before a step and where none compares."""
    if snapshots[-1].step == 0:
        return None
    level = 1 - (1 - LEVEL) / max(1, len(plan.arms) - 2)  # for all lambdas together, because the best of several is picked
    found = [row for row in differences(plan, snapshots[-1], "test_accuracy", level)[1:] if np.isfinite(row.difference)]
    return max(found, key=lambda row: row.difference, default=None)


def interior_optimum(plan: Plan, snapshot: Snapshot, measure: str = "test_accuracy") -> float | None:
    """The best lambda, where it is told apart from lambda = 0 and from the largest one; else None.

    Intervals hold at 95% for all lambdas together (Bonferroni), because the best of several was picked.
    """
    if snapshot.step == 0 or not plan.setting.private:
        return None
    sign, level = _BETTER[measure], 1 - (1 - LEVEL) / (len(plan.arms) - 2)
    found = differences(plan, snapshot, measure, level)
    best = max(found, key=lambda row: sign * row.difference if np.isfinite(row.difference) else -np.inf)
    if not best.differs(sign) or best is found[-1]:
        return None
    values = snapshot.measures[measure]
    fall = values[plan.arm(best.correlation)] - values[plan.arm(found[-1].correlation)]
    if not np.isfinite(fall).all():
        return best.correlation
    half = stdtrit(fall.size - 1, 0.5 + level / 2) * fall.std(ddof=1) / fall.size**0.5
    return best.correlation if sign * fall.mean() > half else None


def verdict(plan: Plan, snapshots: Sequence[Snapshot]) -> str:
    """Whether lambda > 0 helps here, by how much, and why, in plain words, from the numbers alone."""
    last = snapshots[-1]
    if last.step == 0:
        return ""
    accuracy = last.measures["test_accuracy"]
    if not plan.setting.private:
        return f"After {last.step:,} steps without noise and without privacy: test accuracy {accuracy[-1].mean():.3f}."
    level = 1 - (1 - LEVEL) / (len(plan.arms) - 2)
    found = differences(plan, last, "test_accuracy", level)
    independent, others = found[0], [row for row in found[1:] if np.isfinite(row.difference)]
    if not np.isfinite(independent.mean) or not others:
        return f"After {last.step:,} steps nothing can be compared: a run diverged."
    best = max(others, key=lambda row: row.difference)
    head = (
        f"After {last.step:,} steps at epsilon = {plan.setting.epsilon:g}: DP-SGD gets {independent.mean:.3f} of the held-out "
        f"records right, without noise {accuracy[-1].mean():.3f}."
    )
    gain = f"{best.difference:+.4f} +- {best.error:.4f}, paired over {plan.config.replicates} replicates"
    if best.differs(1):
        said = f"lambda = {best.correlation:g} does better ({gain})."
    elif all(row.differs(-1) for row in others):
        said = f"Every lambda > 0 is WORSE; the least bad is {best.correlation:g} ({gain})."
    else:
        said = f"lambda > 0 does not help beyond chance: the best is {best.correlation:g} ({gain})."
    return " ".join([head, said, _why(plan, best.correlation), *_collapsed(independent, others)])


def noise_path(plan: Plan, snapshots: Sequence[Snapshot]) -> Result:
    """Length of the sum of all noise so far, measured, on its exact expectation: kappa sqrt(D (1 + (1-lambda)^2 (t-1))).

    D is the number of parameters. Exact is the root of the mean square, which for so many parameters is the mean itself.
    """
    numbers = plan.problem.outputs * plan.problem.features
    steps = np.unique(np.linspace(1, plan.config.steps, 200).round().astype(int))
    lines = []
    if any("noise_norm" in snapshot.measures for snapshot in snapshots):
        simulated = curves(snapshots, plan.arms, "noise_norm").curves
        lines = [curve for curve, arm in zip(simulated, plan.arms, strict=True) if arm.noise_multiplier > 0]
    exact = [
        Curve(f"{arm.label}, exact", steps, noise_norm_rms(arm, numbers, plan.config.steps)[steps - 1], arm=look, exact=True)
        for arm, look in zip(plan.arms, looks(plan.arms), strict=True)
        if arm.noise_multiplier > 0
    ]
    return Result(
        title="The noise so far",
        curves=(*exact, *lines),
        x_name="step",
        y_name="noise_norm",
        source=f"simulation of {SOURCE}; compare Figure 1 (right)",
        band="95% confidence interval of the mean" if lines else "",
        caption=(
            "Length of the sum of all noise. A lambda above 0 pays with more noise at once and grows more slowly: its line "
            "starts higher and may cross that of DP-SGD. Thick: exact expectation; thin: this run."
        ),
        status="" if plan.setting.private else "No noise is added here, and nothing is private.",
        settings=asdict(plan.setting),
    )


def ledger(plan: Plan) -> Table:
    """What each arm is charged: noise multiplier, the slow noise felt, and the epsilon of the whole run."""
    setting, config = plan.setting, plan.config
    rate = config.batch_size / plan.problem.n_samples
    independent = plan.arms[0].noise_multiplier
    rows = []
    for arm, correlation in zip(plan.arms, correlations(setting) if setting.private else (), strict=False):
        felt = (1 - correlation) * arm.noise_multiplier / independent
        rows.append((arm.label, arm.noise_multiplier, felt, setting.epsilon))
    rows.append((WITHOUT_NOISE, 0.0, 0.0, float("inf")))
    accountant = WORDS[setting.accountant if setting.sampling == "poisson" else "no_amplification"]
    pattern = "Poisson batches" if setting.sampling == "poisson" else "batches of a fixed size"
    return Table(
        title="What was charged",
        columns=("noise", "noise multiplier", "slow noise felt", "epsilon at most"),
        rows=tuple(rows),
        source="arXiv 2605.12648, Appendix F, for Poisson batches",
        caption=(
            f"Zero-out adjacency, delta = {setting.delta:g}, {config.steps:,} steps of {pattern} at sampling rate {rate:.3g}: a "
            f"record joins {rate * config.steps:.3g} times on average. Accountant: {accountant}. Every iterate may be "
            "published. Scaling of the data and the choice of settings are outside this guarantee."
        ),
        settings=asdict(setting),
    )


def _why(plan: Plan, correlation: float) -> str:
    kappa, independent = plan.arms[plan.arm(correlation)].noise_multiplier, plan.arms[0].noise_multiplier
    slow = (1 - correlation) * kappa / independent
    joins = plan.config.batch_size * plan.config.steps / plan.problem.n_samples
    often = f"a record joins {joins:.3g} times on average"
    felt = f"the noise that adds up over steps is {slow:.2f} times DP-SGD's there, the noise of a single step {kappa / independent:.2f} times"
    return f"Why: {often}; {felt}."


def _collapsed(independent: Difference, others: Sequence[Difference]) -> list[str]:
    worst = min(others, key=lambda row: row.difference)
    if worst.difference > -0.05:
        return []
    return [f"lambda = {worst.correlation:g} is over-correlated: {-worst.difference:.3f} less than DP-SGD."]


def _privacy(plan: Plan) -> str:
    setting = plan.setting
    if not setting.private:
        return "without noise and without privacy"
    return f"({setting.epsilon:g}, {setting.delta:g})-private but the one without noise"
