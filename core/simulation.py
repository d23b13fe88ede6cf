"""The comparison as a real training run: a `Setting` -> a `Plan` that the learner streams, with exact theory beside it."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from core import comparison, mechanisms, privacy
from core.comparison import Setting
from core.learners import Arm, Snapshot
from core.learners.batches import charge, participation
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.learners.summary import curves
from core.mechanisms import Mechanism
from core.names import ARMS, name
from core.problems import Problem
from core.problems.regression import GaussianDesign
from core.problems.tables import Dataset, TableRegression
from core.results import Curve, Result, Table
from core.theory import quadratic

SHOWN_SNAPSHOTS = 200
_CAPTIONS = {
    "excess_risk": "Mean over the replicates of the suboptimality after each step, all arms at the same privacy.",
    "share_clipped": "Share of the examples whose gradient was longer than the clip norm since the point before. What is "
    "cut biases the gradient; a larger clip norm cuts less and needs more noise.",
}


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that one run needs: `dp_ftrl(plan.problem, plan.arms, plan.config)`.

    `setting` is what the viewer asked for; `left_out` says in words which arm could not be calibrated, and why.
    """

    setting: Setting
    problem: Problem
    arms: tuple[Arm, ...]
    config: DpFtrlConfig
    left_out: str = ""

    def stream(self) -> Iterator[Snapshot]:
        """The run itself."""
        return dp_ftrl(self.problem, self.arms, self.config)

    @property
    def total(self) -> int:
        """How many snapshots the stream gives: one at step 0, then every `record_every` steps and at the last."""
        return 1 + -(-self.config.steps // self.config.record_every)


def gaussian(setting: Setting, clipping: bool = True) -> Plan:
    """A run on endless Gaussian examples: each record takes part once. Without clipping it is what the theory describes.

    Guarantees: every arm with noise is charged at most the setting's epsilon at its delta (with clipping).
    """
    return _plan(setting, GaussianDesign(setting.eigenvalues, setting.label_noise), clipping)


def table(setting: Setting, dataset: Dataset, clipping: bool = True) -> Plan:
    """A run on the records of a table, in cyclic epochs; the same record in several steps is charged for all of them.

    Raises: ValueError when a batch is larger than the table.
    """
    return _plan(setting, TableRegression(dataset), clipping)


def keep(snapshot: Snapshot) -> Snapshot:
    """A snapshot without its parameters: what a long record needs."""
    return replace(snapshot, theta=None)


def outcome(plan: Plan, snapshots: Sequence[Any], measure: str = "excess_risk") -> Result:
    """The run so far: mean and 95% band of each arm, and behind it the exact theory where it applies.

    Theory applies to Gaussian examples and leaves clipping out: a gap between the two is what clipping does.
    """
    simulated = curves(snapshots, plan.arms, measure)
    exact, caption = (), _CAPTIONS[measure]
    if measure == "excess_risk" and isinstance(plan.problem, GaussianDesign) and not comparison.stability(plan.setting):
        exact = tuple(replace(curve, label=f"{curve.label}, exact") for curve in _theory(plan))
        caption += " Thick lines are exact theory, which leaves clipping out: where a run leaves them, clipping is why."
    return replace(
        simulated,
        title=f"{name(measure).words.capitalize()} while training",
        curves=(*exact, *simulated.curves),
        caption=caption,
        verdict=verdict(plan, snapshots[-1]) if measure == "excess_risk" else "",
        settings=asdict(plan.setting),
    )


def verdict(plan: Plan, snapshot: Snapshot) -> str:
    """How many times less error than DP-SGD each arm has at a snapshot, with its 95% interval, in words.

    The ratio of the two means over replicates; its interval is Student's t on the logarithm (delta method), with the
    replicates paired, because all arms share examples and seed noise.
    """
    step, risks = snapshot.step, dict(zip([arm.label for arm in plan.arms], snapshot.measures["excess_risk"], strict=True))
    plain = risks.pop(ARMS["independent"])
    if step == 0 or plain.size < 2 or not all(np.isfinite(values).all() for values in (plain, *risks.values())):
        return ""
    said = []
    for label, values in risks.items():
        spread = (plain / plain.mean() - values / values.mean()).std(ddof=1) / plain.size**0.5
        ratio, factor = plain.mean() / values.mean(), math.exp(stdtrit(plain.size - 1, 0.975) * spread)
        said.append(f"{label} {ratio:.3g} ({ratio / factor:.3g} to {ratio * factor:.3g})")
    return f"After {step:,} steps, times less error than DP-SGD with 95% confidence intervals: {', '.join(said)}."


def ledger(plan: Plan) -> Table:
    """What each arm's release is charged: noise multiplier, participations, rho and epsilon, zero-out adjacency."""
    times, separation = participation(plan.problem, plan.config)
    rows = []
    for arm in plan.arms:
        if arm.noise_multiplier and plan.config.clipping:
            mu = charge(plan.problem, arm, plan.config, comparison.ADJACENCY)
            rows.append((arm.label, arm.noise_multiplier, times, mu**2 / 2, privacy.gdp_epsilon(mu, plan.setting.delta)))
        else:
            rows.append((arm.label, arm.noise_multiplier, times, float("inf"), float("inf")))
    pattern = "one step" if times == 1 else f"up to {times} steps, {separation} steps apart"
    return Table(
        title="What was charged",
        columns=("noise", "noise multiplier", "participations", "rho", "epsilon"),
        rows=tuple(rows),
        source="arXiv 2310.06771, Theorem 1.1; sensitivity of the summed columns for several participations",
        caption=(
            f"Zero-out adjacency, delta = {plan.setting.delta:g}. Each record joins {pattern}. Every iterate may be "
            "published. Scaling of the data and the choice of settings are outside this guarantee."
        ),
        status=plan.left_out,
        settings=asdict(plan.setting),
    )


def _plan(setting: Setting, problem: Problem, clipping: bool) -> Plan:
    config = DpFtrlConfig(
        steps=setting.steps,
        batch_size=setting.batch_size,
        clip_norm=setting.clip_norm,
        clipping=clipping,
        replicates=setting.replicates,
        seed=setting.seed,
        device=setting.device,
        record_every=max(1, setting.steps // SHOWN_SNAPSHOTS),
    )
    times, separation = participation(problem, config)
    arms, left_out = [], []
    for arm, mechanism in _mechanisms(setting, problem.eigenvalues).items():
        try:
            multiplier = privacy.calibrate(
                mechanism, setting.steps, setting.epsilon, setting.delta, comparison.ADJACENCY, times, separation
            )
        except ValueError as error:
            left_out.append(f"{ARMS[arm]} is left out: {error}.")
        else:
            arms.append(Arm(ARMS[arm], mechanism, multiplier, setting.learning_rate))
    return Plan(setting, problem, tuple(arms), config, " ".join(left_out))


def _mechanisms(setting: Setting, eigenvalues: np.ndarray) -> dict[str, Mechanism]:
    chosen = {arm: mechanism for arm, mechanism in comparison.arms(setting).items() if arm != "optimal_for"}
    limit = quadratic.largest_stable_learning_rate(eigenvalues, setting.batch_size)
    if setting.learning_rate < min(1 / eigenvalues.max(), limit):
        chosen["optimal_for"] = mechanisms.optimal_for(tuple(eigenvalues.tolist()), setting.learning_rate, setting.batch_size)
    return chosen


def _theory(plan: Plan) -> tuple[Curve, ...]:
    curves = comparison.excess_risk(plan.setting).curves
    labels = {arm.label for arm in plan.arms}
    return tuple(curve for curve in curves if curve.label in labels)
