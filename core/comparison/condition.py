"""Theorem 3.1 for smooth and strongly convex functions: the bound against the condition number, noise by noise."""

from functools import lru_cache

import numpy as np

from core.check import real, vector
from core.mechanisms import independent
from core.results import Curve, Result
from core.theory import strongly_convex

NUMBERS = (2, 3, 5, 10, 20, 50, 100)
"""Condition numbers that are shown."""


def condition_numbers(learning_rate: float = 0.1, numbers=NUMBERS, multiplier: str = "corrected") -> Result:
    """The bound of DP-SGD, of the best nu-DP-FTRL and of the optimised noise against the condition number.

    smoothness = clip_norm = rho = dim = 1, no sampling noise. Seconds: a convex program a noise and condition number.

    Reference: 2310.06771, Theorem 3.1 and Figure 3.
    """
    numbers = vector("numbers", numbers, above=1)
    real("learning_rate", learning_rate, above=0, below=2)
    bounds = np.array([bounds_at(learning_rate, number, multiplier) for number in numbers])
    labels = {
        "independent": "DP-SGD",
        "nu_ftrl": "nu-DP-FTRL, best nu",
        "optimal_for": "optimised noise",
    }
    pairs = zip(labels.items(), bounds.T, strict=True)
    curves = (Curve(label, numbers, values, arm=arm, exact=True) for (arm, label), values in pairs)
    sgd, nu, best = bounds[np.argmax(numbers)]
    return Result(
        title="Any smooth and strongly convex loss: bound on the stationary suboptimality",
        curves=tuple(curves),
        x_name="condition_number",
        y_name="excess_risk_bound",
        source="arXiv 2310.06771, Theorem 3.1 and Figure 3",
        caption=_CAPTIONS[multiplier],
        verdict=(
            f"At condition number {numbers.max():g} the bound of DP-SGD is {sgd / nu:.3g} times that of nu-DP-FTRL "
            f"with its best nu, "
            f"and optimising the noise freely gains another {1 - best / nu:.1%}."
        ),
        settings={
            "learning_rate": learning_rate,
            "multiplier": multiplier,
            "smoothness": 1.0,
            "clip_norm": 1.0,
            "rho": 1.0,
            "dim": 1,
            "label_noise": 0.0,
        },
    )


_CAPTIONS = {
    "corrected": (
        "A bound, not a value: it holds for every loss whose curvature lies between 1/condition number and 1. A "
        "larger condition "
        "number means directions with a weaker pull home, where noise piles up; noise that takes itself back suffers "
        "less."
    ),
    "as_printed": (
        "With the multiplier's sign as the paper prints it. That sign is proven only for losses that are symmetric "
        "about their "
        "minimum, so that these lower values are no bound for all losses."
    ),
    "constant": (
        "With the simplest multiplier, a constant: a looser bound in closed form. For it nu-DP-FTRL is exactly the "
        "best noise, so "
        "that two of the lines coincide."
    ),
}


@lru_cache(maxsize=256)
def bounds_at(learning_rate: float, number: float, multiplier: str) -> tuple[float, float, float]:
    """The bounds of DP-SGD, of nu-DP-FTRL with its best nu, and of the optimised noise at one condition number."""
    return (
        strongly_convex.excess_risk_bound(independent(), learning_rate, number, multiplier),
        strongly_convex.best_nu(learning_rate, number, multiplier)[1],
        strongly_convex.best_noise(learning_rate, number, multiplier).bound,
    )
