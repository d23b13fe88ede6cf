"""Figure 3: Theorem 3.1's bound against the condition number. Nothing is random here: the seed changes nothing."""

from collections.abc import Iterator

import numpy as np

from core.comparison.condition import bounds_at
from core.papers.registry import register, verdict
from core.results import Curve, Result

PAPER, SOURCE = "correlated_noise", "arXiv 2310.06771"
LEARNING_RATE = 0.1
NUMBERS = {"quick": (2, 5, 10, 30, 100), "full": (2, 3, 5, 7, 10, 14, 20, 30, 50, 70, 100, 140, 200)}
LABELS = {"independent": "DP-SGD", "nu_ftrl": "nu-DP-FTRL, best nu", "optimal_for": "optimised noise"}
SIGNS = {"corrected": "", "as_printed": ", sign as printed"}


@register(
    PAPER,
    "Figure 3",
    left_open="The learning rate, nu, the number of lags of the multiplier, and which sign of it was used.",
    chosen=(
        f"Learning rate {LEARNING_RATE}, the best nu at each point, 60 lags for each factor 10 of the condition number; "
        "the multiplier with the sign that is valid for every loss, and as printed beside it."
    ),
    quick="5 condition numbers from 2 to 100, by a convex program each: seconds.",
    full="13 condition numbers from 2 to 200: half a minute.",
)
def figure3(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """For any smooth and strongly convex loss, correlated noise has a far lower bound, the more so the worse the
    conditioning.
    """
    numbers = np.array(NUMBERS[fidelity], dtype=float)
    found = {sign: [] for sign in SIGNS}
    for done, number in enumerate(numbers, start=1):
        for sign in SIGNS:
            found[sign].append(bounds_at(LEARNING_RATE, number, sign))
        yield done / len(numbers), Result(
            title="Strongly convex losses: bound on the stationary suboptimality",
            curves=tuple(_curves(numbers[:done], found)),
            x_name="condition_number",
            y_name="excess_risk_bound",
            source=f"{SOURCE}, Figure 3 and Theorem 3.1",
            caption=(
                "smoothness = clip norm = rho = dimension = 1, no sampling noise. The multiplier of Theorem E.1 is "
                "printed with non-negative entries. That is proven for losses that are symmetric about their minimum; "
                "for all others the entries off the centre must be non-positive, which gives the higher lines. They are "
                "the ones to trust."
            ),
            verdict=_verdict(np.array(found["corrected"]), numbers) if done == len(numbers) else "",
            settings={
                "figure": "figure3", "fidelity": fidelity, "learning_rate": LEARNING_RATE, "smoothness": 1.0,
                "clip_norm": 1.0, "rho": 1.0, "dim": 1, "label_noise": 0.0,
            },
        )


def _curves(numbers: np.ndarray, found: dict[str, list]) -> Iterator[Curve]:
    for sign, words in SIGNS.items():
        for (arm, label), values in zip(LABELS.items(), np.array(found[sign]).T, strict=True):
            yield Curve(label + words, numbers, values, arm="" if words else arm, exact=True)


def _verdict(bounds: np.ndarray, numbers: np.ndarray) -> str:
    """Whether the gaps grow as the paper says, and how large they are at both ends."""
    sgd, nu, best = bounds.T
    gaps, freedom = sgd / nu, nu / best
    grows = bool(np.all(np.diff(gaps) > 0) and np.all(np.diff(freedom) > -1e-3) and freedom[-1] > 1)
    return verdict(
        grows,
        "the gap between DP-SGD and nu-DP-FTRL grows with the condition number, and optimised noise grows more slowly "
        f"still; from condition number {numbers[0]:g} to {numbers[-1]:g} the bound of DP-SGD goes from {gaps[0]:.2f} "
        f"to {gaps[-1]:.2f} times that of nu-DP-FTRL, and that from {freedom[0]:.3f} to {freedom[-1]:.3f} times that "
        "of optimised noise",
    )
