"""What clipping does to coverage: it falls for least squares, and holds for what clipping estimates instead."""

from dataclasses import asdict

import numpy as np

from core.experiments.intervals.expected import LEVEL, Expected
from core.experiments.intervals.landmarks import ARMS, HUBER, LEAST_SQUARES
from core.experiments.intervals.plan import Chains
from core.experiments.intervals.trust import doubt, holds, mean_words, point_and_bar
from core.results import Curve, Result, Table

SOURCE = "arXiv 2402.13531, section 2.5"


def coverage_against_clipping(expected: Expected, chains: Chains | None = None) -> Result:
    """Coverage of least squares and of the Huber minimiser against clip_factor, by the settled law; with the run's own values."""
    setting, records = expected.setting, expected.records
    factors, *covered, share = expected.over_clipping.T
    targets = {LEAST_SQUARES: expected.theta_hat, HUBER: expected.huber}
    curves = [Curve(f"{words}, theory", factors, values, arm=ARMS[words], exact=True) for words, values in zip(targets, covered, strict=True)]
    curves.append(Curve("share clipped, noise included", factors, share, arm="share"))
    if chains is not None:
        for words, target in targets.items():
            each = chains.hits(target).mean(axis=1)
            curves.append(Curve(f"this run: {words}", *point_and_bar(setting.clip_factor, each), arm=ARMS[words], discrete=True))
    return Result(
        title="Coverage against the clip norm",
        curves=tuple(curves),
        x_name="clip_factor",
        y_name="coverage",
        source=SOURCE + "; the law around the Huber minimiser is ours",
        band="one standard error" if chains is not None else "",
        caption=(
            "A clipped gradient keeps its direction and loses its length: gradient descent then minimises a Huber loss, not squares. "
            f"Theory: exact where nothing is clipped; elsewhere a linearisation around the Huber minimiser of these {records.n_samples:,} records. "
            "It leaves out what the noise itself clips."
        ),
        verdict=clipping_verdict(expected, chains),
        settings=asdict(setting),
        marks=((setting.clip_factor, "your clip norm"),),
    )


def clipping_verdict(expected: Expected, chains: Chains | None = None) -> str:
    """Whether clipping spoils the intervals here, and why, in words; what a run measured comes first where theory does not hold."""
    if not holds(expected):
        each = None if chains is None else chains.hits(expected.theta_hat).mean(axis=1)
        measured = "" if each is None else f"Measured: {mean_words(each)} of the intervals cover least squares. "
        return f"{measured}{doubt(expected)} More records, a larger rho or fewer features would make the noise small enough."
    share, half = expected.share_clipped, expected.of_huber.width / 2
    bias = np.abs(expected.huber - expected.theta_hat) / half
    hat, huber = expected.of_theta_hat_clipped.coverage.mean(), expected.of_huber.coverage.mean()
    if share == 0:
        noisy = expected.noise_clipping.share
        found = "hardly one gradient in a million is longer than the clip norm"
        if noisy > 1e-6:
            found = f"the noise makes {noisy:.2g} of the gradients longer than the clip norm: too few to matter"
        return f"Once the run has settled, {found}, so the intervals are for least squares itself."
    head = f"Once settled, {share:.3g} of the gradients are cut. That moves the target from least squares by {bias.max():.3g} half-widths at most"
    if bias.max() < 0.1:
        return f"{head}: nothing that one would notice."
    without = expected.of_theta_hat.coverage.mean()
    ending = (
        f"The intervals are nearly right about another point than least squares{_nearer(expected)}."
        if huber > 0.85
        else f"Not clipping alone: without it coverage would be {without:.3f}, because the run is too short for its slowest directions."
    )
    fall = "falls to" if hat < without - 0.02 else "is"
    return f"{head}. Coverage of least squares {fall} {hat:.3f} where {LEVEL:g} was asked for; of what clipping estimates it is {huber:.3f}. {ending}"


def _nearer(expected: Expected) -> str:
    if expected.theta_star is None:
        return ""
    away = [np.linalg.norm(point - expected.theta_star) for point in (expected.huber, expected.theta_hat)]
    return ", which here is nearer to the truth" if away[0] < away[1] else ", which here is farther from the truth"


def conditions(expected: Expected) -> Table:
    """The No-Clipping Condition on these records, line by line, and what the exact law says instead."""
    lines = expected.conditions
    rows = [(line.line, line.says, line.value, line.asked, "holds" if line.holds else "fails") for line in lines]
    clipped = expected.clipped
    constant = max(line.value for line in lines[3:7])
    fails = [line for line in lines if not line.holds]
    early = ", most of them in its first steps" if expected.noise_clipping.share < clipped.expected_share / 2 else ""
    said = (
        "Every line holds: Lemma 2.5 promises that nothing is clipped, with probability .95."
        if not fails
        else f"{len(fails)} of {len(lines)} lines fail, so the lemma promises nothing here. It is sufficient, not necessary."
    )
    return Table(
        title="Is nothing clipped? Condition 2.4 on these records",
        columns=("line", "what", "found", "asked", "verdict"),
        rows=tuple(rows),
        source="arXiv 2402.13531, Condition 2.4 and Lemma 2.5",
        caption=(
            f"c_0 = {constant:.3g} is the largest of lines (ii) to (v). {said} By the exact law of the iterates {clipped.expected_share:.2g} "
            f"of all gradients of a run are longer than the clip norm{early}. "
            "Evaluated at the least-squares fit, where line (v) is 0 because residuals and features "
            "are orthogonal. Computed from the records themselves: this table is not private."
        ),
        settings=asdict(expected.setting),
    )
