"""What the paper's theorems say of a setting: a corollary that is not private as printed, and the widths they admit."""

import math
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np

from core.experiments.kan.noise import lambdas_of_a_curve, noise_multiplier
from core.experiments.kan.setting import KanSetting, data_of
from core.names import name
from core.problems.datasets import TwoClasses
from core.problems.kan import Kan
from core.results import Curve, Result
from core.theory import bounds
from core.theory.bounds import KanRun, NtkMargin

WITHOUT_MARGIN = 0.1
"""Margin taken where the records have none: a large one, which is kind to Corollary 5.5."""
RECORDS = 1000
"""Records on which a margin is measured: more of them can only make it smaller."""


def not_private_as_printed(setting: KanSetting, data: TwoClasses | None = None, margin: float | None = None) -> Result:
    """delta that independent noise set by Corollary 5.5 gives away at least, against n, beside the delta it is to keep.

    The delta asked for is the viewer's, or gamma/n where the corollary admits no larger one. gamma is `margin`; None
    stands for that of the first `RECORDS` records, which all of them together can only make smaller, and the corollary
    worse. The lines begin where the corollary's batch gamma sqrt(n) holds a record.

    Guarantees: what is given away is a lower bound, so that its line above the delta asked for refutes the corollary.
    """
    records = data or data_of(setting)
    n_samples, dim = records.features.shape
    if margin is None:
        measured = _margin(records, setting.width, setting.n_basis, setting.seed).gamma
        margin = min(measured, 1.0) if measured > 0 else WITHOUT_MARGIN
    n = np.unique([*np.geomspace(max(1000, margin**-2), 1e8, 40).round(), float(n_samples)]).astype(int)
    n = n[n >= margin**-2]
    asked, revealed = np.array([_claim(setting, int(each), dim, margin) for each in n]).T
    given = f"With {n_samples:,} records and a margin of {margin:.3g}"
    if n_samples not in n:
        said = f"{given} its batch would not hold one record. With more records it is not private as printed."
    else:
        here = int(np.searchsorted(n, n_samples))
        said = f"{given} it asks for delta = {asked[here]:.2g} and gives away at least {revealed[here]:.2g}. " + (
            "It is not private as printed." if revealed[here] > asked[here] else "With more records it is not private as printed."
        )
    return Result(
        title="Corollary 5.5 is not private as printed",
        curves=(
            Curve("delta given away, at least", n, revealed, exact=True),
            Curve("delta asked for", n, asked, exact=True),
        ),
        x_name="n_samples",
        y_name="delta",
        source="arXiv 2605.12648, Corollary 5.5 with the noise of Theorem 5.4",
        caption=(
            f"Noise set as the corollary says for epsilon = {setting.epsilon:g} at a margin of {margin:.3g}. Given away: what "
            "the largest output alone tells, a lower bound on the true delta. Every record joins once on average, but the "
            f"noise falls like n^(-1/4): in the end whoever joins is seen, and {-math.expm1(-1):.0%} do."
        ),
        verdict=said,
        settings=asdict(setting) | {"margin": margin},
        marks=((float(n_samples), "your data"),),
    )


def admissible_widths(setting: KanSetting, data: TwoClasses | None = None) -> Result:
    """Widths for which Theorem 4.1 speaks of the setting, against lambda, with the margin that the records have.

        gamma^-4 <= m <= B^2 / (eta^2 kappa^2 gamma^2 d) min(1, 1/(T ((1 - lambda)^2 + lambda^2 eta)))

    gamma is measured on the first `RECORDS` records in the network at its start; on all of them it is at most that,
    where the range is empty if it is empty here. It looks at the records: it is not private.
    """
    records = data or data_of(setting)
    n_samples = len(records.labels)
    margin = _margin(records, setting.width, setting.n_basis, setting.seed)
    lambdas = np.array(lambdas_of_a_curve(setting, n_samples))
    yours = Curve("your width", lambdas[[0, -1]], [setting.width] * 2, arm="your width")
    shown = min(n_samples, RECORDS)
    facts = {
        "title": "The widths of Theorem 4.1",
        "x_name": "correlation",
        "y_name": "width_bound",
        "source": "arXiv 2605.12648, Theorem 4.1 and Assumption 3.3",
        "settings": asdict(setting) | {"margin": margin.gamma, "records": shown},
    }
    where = f"{shown:,} of the {n_samples:,} records" if shown < n_samples else f"the {n_samples:,} records"
    looked = f"The margin is that of {where}, in a network of your width at its start. Measuring it is not private."
    if margin.status:
        return Result(curves=(yours,), caption=looked, verdict=margin.status, status="No margin: no theorem applies.", **facts)
    runs = [_run(setting, records, float(value), margin.gamma) for value in lambdas]
    ranges = [bounds.width_range(run) for run in runs]
    low = ranges[0][0]
    proof = bounds.least_width(runs[0])
    lines = [
        Curve("at least, margin^-4", lambdas[[0, -1]], [low] * 2, exact=True, arm="at least"),
        Curve("at least, by the proof's constants", lambdas[[0, -1]], [proof] * 2, exact=True, arm="proof"),
    ]
    if setting.private:
        lines.append(Curve("at most, for this noise", lambdas, [high for _, high in ranges], exact=True, arm="at most"))
    return Result(
        curves=(*lines, yours),
        caption=(
            "Theorem 4.1 speaks of widths above the lower line and below the upper one, with every hidden factor taken as 1. "
            + looked
        ),
        verdict=_verdict(setting, where, runs[int(np.argmin(np.abs(lambdas - setting.correlation)))], proof),
        marks=((setting.correlation, "your lambda"),),
        **facts,
    )


def _verdict(setting: KanSetting, where: str, run: KanRun, proof: float) -> str:
    low, high = bounds.width_range(run)
    said = [f"On {where} the margin gamma is {run.margin:.3g}, so Theorem 4.1 asks for a width of at least {low:.3g}"]
    if not setting.private:
        said.append("and, without noise, sets no upper end")
    elif low > high:
        said.append(f"and, for the noise at lambda = {run.correlation:g}, of at most {high:.3g}: **no width fits**")
    else:
        said.append(f"and, for the noise at lambda = {run.correlation:g}, of at most {high:.3g}")
    conditions = [condition for condition in bounds.optimisation_order(run).conditions if not condition.holds]
    asked = [condition for condition in conditions if condition.words in ("learning_rate", "clip_norm")]
    others = [str(replace(condition, words=name(condition.words).words)) for condition in asked]
    also = f" It also asks: {'; '.join(others)}." if others else ""
    return f"{' '.join(said)}. With the constants of its proof the lower end is {proof:.2g}.{also}"


def _claim(setting: KanSetting, n_samples: int, dim: int, margin: float) -> tuple[float, float]:
    """delta asked for, and a lower bound on the delta given away, by the noise of Corollary 5.5 at n records."""
    asked = min(setting.delta, margin / n_samples)
    regime = bounds.representative_regimes(n_samples, dim, setting.epsilon, asked, margin)[1]
    steps = int(regime.steps)  # fewer steps at the noise of more give away less
    rate = regime.batch_size / n_samples
    return asked, bounds.revealed_delta(rate, steps, regime.noise_multiplier, setting.epsilon)


def _run(setting: KanSetting, data: TwoClasses, correlation: float, margin: float) -> KanRun:
    n_samples, dim = data.features.shape
    return KanRun(
        n_samples=n_samples,
        dim=dim,
        width=setting.width,
        margin=min(margin, 1.0),
        batch_size=setting.batch_size,
        steps=setting.steps,
        learning_rate=setting.learning_rate,
        noise_multiplier=noise_multiplier(setting, correlation, n_samples) if setting.private else 0.0,
        correlation=correlation,
        clip_norm=setting.clip_norm,
        n_basis=setting.n_basis,
    )


@lru_cache(maxsize=8)
def _margin(data: TwoClasses, width: int, n_basis: int, seed: int) -> NtkMargin:
    problem = Kan(data.features[:RECORDS], data.labels[:RECORDS], width, n_basis, seed=seed)
    return bounds.ntk_margin(*bounds.output_factors(problem))
