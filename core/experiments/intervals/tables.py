"""Private and classical intervals side by side, as a picture and as a table of coefficients; and what was spent."""

from dataclasses import asdict

import numpy as np

from core import privacy
from core.experiments.intervals.expected import LEVEL, Expected
from core.experiments.intervals.landmarks import is_biased
from core.experiments.intervals.plan import Chains
from core.experiments.intervals.trust import doubt, holds, mean_words
from core.experiments.intervals.setting import ADJACENCY, SCHEDULES
from core.learners import budget
from core.results import Curve, Result, Table

SOURCE = "arXiv 2402.13531, equation (12) and Section 3"
_DRAWN, _NAMED = 60, 12


def side_by_side(chains: Chains) -> Result:
    """Each coefficient's private interval, of the first replicate, beside the classical one; the first 60 coefficients.

    Everything is measured from the least-squares fit, for intervals are small beside the coefficients.
    """
    expected = chains.expected
    off = chains.intervals[0][0, :_DRAWN] - expected.theta_hat[:_DRAWN]
    half, its_half = chains.intervals[1][0, :_DRAWN], expected.ols_half[:_DRAWN]
    x, zero = np.arange(1.0, len(off) + 1), np.zeros(len(off))
    curves = [
        Curve("private (DP), for least squares", x - 0.12, off, off - half, off + half, arm="private", discrete=True),
        Curve("classical (not private), for the truth", x + 0.12, zero, -its_half, its_half, arm="least_squares", discrete=True),
    ]
    if expected.theta_star is not None:
        truth = expected.theta_star[:_DRAWN] - expected.theta_hat[:_DRAWN]
        curves.append(Curve("truth", x, truth, arm="truth", discrete=True))
    return Result(
        title="Private and classical intervals side by side",
        curves=tuple(curves),
        x_name="coordinate",
        y_name="coefficient_offset",
        source=SOURCE,
        band=f"{LEVEL:.0%} intervals",
        caption=what_each_covers(expected),
        verdict=truth_verdict(chains),
        settings=asdict(expected.setting),
    )


def coefficients(chains: Chains) -> Table:
    """Every coefficient by name: private estimate and interval of the first replicate, least squares and its interval."""
    expected = chains.expected
    centre, half = (values[0] for values in chains.intervals)
    hat, its_half = expected.theta_hat, expected.ols_half
    columns = {
        "coefficient": expected.records.feature_names,
        "private": centre, "private from": centre - half, "private to": centre + half,
        "least squares": hat, "classical from": hat - its_half, "classical to": hat + its_half,
    }
    rows = [tuple(value if isinstance(value, str) else float(value) for value in row) for row in zip(*columns.values(), strict=True)]
    apart = [name for name, low, high in ((row[0], row[2], row[3]) for row in rows) if low > 0 or high < 0]
    more = f" and {len(apart) - _NAMED} more" if len(apart) > _NAMED else ""
    said = f"Private intervals that exclude 0: {', '.join(apart[:_NAMED])}{more}." if apart else "No private interval excludes 0."
    return Table(
        title="The coefficients",
        columns=tuple(columns),
        rows=tuple(rows),
        source=SOURCE,
        caption=f"{said} {what_each_covers(expected)} {expected.records.preparation}",
        settings=asdict(expected.setting),
    )


def what_each_covers(expected: Expected) -> str:
    """In plain words, what a private interval and a classical one are for."""
    target = "what clipping estimates (not least squares: clipping bites)" if is_biased(expected) else "the least-squares fit of these very records"
    return (
        f"A private interval is for {target}: it says where that fit is, given the noise for privacy, and nothing about other records. "
        "A classical interval is for the truth behind the records: it says how far chance in the records may have moved the fit."
        f" {doubt(expected)}".rstrip()
    )


def truth_verdict(chains: Chains) -> str:
    """How often private intervals cover the truth, which nobody promises: in theory, or measured where that does not hold."""
    expected = chains.expected
    if expected.of_theta_star is None:
        return ""
    measured = f"measured {mean_words(chains.hits(expected.theta_star).mean(axis=1))}"
    found = f"{expected.of_theta_star.coverage.mean():.3f}" if holds(expected) else measured
    return (
        f"The private intervals do not promise to cover the truth, and on these records they do so {found} "
        "of the time (mean over coefficients): chance in the records is not in them."
    )


def ledger(expected: Expected) -> Table:
    """What one experiment spends: rho, epsilon by two conversions, the noise, from what is really added."""
    setting = expected.setting
    budgeted = (SCHEDULES[setting.schedule], expected.made.run_steps, setting.rho, setting.learning_rate, expected.made.runs, ADJACENCY)
    spent, multipliers = float(budget.spent(*budgeted)[-1]), budget.noise_multipliers(*budgeted)
    rows = (
        ("rho that was asked for", setting.rho),
        ("rho spent, from the noise that is added", spent),
        (f"epsilon at delta = {setting.delta:g}, tightest conversion", privacy.zcdp_epsilon(spent, setting.delta)),
        (f"epsilon at delta = {setting.delta:g}, the paper's conversion", privacy.zcdp_epsilon_simple(spent, setting.delta)),
        ("clip norm", expected.clip_norm),
        ("noise multiplier of the first step [clip norm, on the sum]", float(multipliers[0])),
        ("noise multiplier of the last step [clip norm, on the sum]", float(multipliers[-1])),
        ("noise of the first step on the mean gradient, std of a coordinate", float(expected.noise_std[0])),
        ("noise of the last step on the mean gradient, std of a coordinate", float(expected.noise_std[-1])),
    )
    runs = f"{expected.made.runs} runs of {expected.made.run_steps:,} steps" if expected.made.runs > 1 else f"one run of {expected.made.run_steps:,} steps"
    return Table(
        title="What was charged",
        columns=("what", "value"),
        rows=rows,
        source="arXiv 2402.13531, Lemma 2.1 and Claims A.4 to A.6",
        caption=(
            f"Adjacency: one record replaced by any other (twice the clip norm). One total rho for {runs}; every iterate may be published, "
            "so the interval costs nothing more. Replicates repeat the whole experiment for study: publishing R of them would cost R times. "
            "What is computed from the records directly (least squares, coverage, conditions) is not private, nor is the choice of settings."
        ),
        settings=asdict(setting),
    )
