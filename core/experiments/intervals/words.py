"""The numbers above the page, spelled out."""

from typing import NamedTuple

from core.experiments.intervals.expected import LEVEL, Expected
from core.experiments.intervals.plan import Chains


class Headline(NamedTuple):
    """What the page says first: coverage in theory and measured, width over the classical interval's, epsilon."""

    coverage: str
    how: str
    asked: str
    measured: str
    error: str
    width: str
    epsilon: str


def headline(expected: Expected, chains: Chains | None = None) -> Headline:
    """Mean over the coefficients; measured over replicates too once a run has finished."""
    measured, error = "-", "running"
    if chains is not None and chains.finished:
        each = chains.hits(expected.theta_hat).mean(axis=1)
        measured, error = f"{each.mean():.3f}", f"+- {each.std(ddof=1) / len(each) ** 0.5:.3f}"
    return Headline(
        coverage=f"{expected.of_theta_hat_clipped.coverage.mean():.3f}",
        how="exact" if expected.share_clipped == 0 else "theory with clipping",
        asked=f"{LEVEL:g}",
        measured=measured,
        error=error,
        width=f"{expected.of_huber.width.mean() / (2 * expected.ols_half.mean()):.2f}",
        epsilon=f"{expected.epsilon:.2f}",
    )
