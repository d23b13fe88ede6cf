"""Figure 1: mean estimation, in closed form (Theorem 2.1). Nothing is random here: the seed changes nothing."""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from core import mechanisms
from core.papers.registry import register, verdict
from core.results import Curve, Result
from core.theory import mean

PAPER, SOURCE = "correlated_noise", "arXiv 2310.06771"
RATES = (0.01, 0.1, 0.5)
"""Learning rates at which the optimal noise is shown."""
_RATES_WORDS = "Learning rates " + ", ".join(map(str, RATES))


@register(
    PAPER,
    "Figure 1, left",
    left_open="The scale of the axes, the spread of the data, and whether constants are kept.",
    chosen=(
        "No spread in the data, so that only privacy noise counts; Theorem 2.1 with its constants, beside the rate that "
        "it prints without them."
    ),
    quick="41 learning rates, exact.",
    full="401 learning rates, exact.",
)
def figure1(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How much of DP-SGD's error is left when the noise is correlated in the best possible way, by learning rate."""
    rates = expit(np.linspace(-7, 4, {"quick": 41, "full": 401}[fidelity]))
    exact = np.array([mean.optimal_risk(rate, rho=1.0) / mean.dp_sgd_risk(rate, rho=1.0) for rate in rates])
    near_zero, near_one = (
        verdict(ratio < 0.1, f"at learning rate {rate:.3f} the best noise leaves {ratio:.1%} of DP-SGD's error")
        for rate, ratio in ((rates[0], exact[0]), (rates[-1], exact[-1]))
    )
    yield 1.0, Result(
        title="Mean estimation: error of the best correlated noise over that of DP-SGD",
        curves=(
            Curve("best noise: nu-DP-FTRL, nu = learning rate", rates, exact, arm="nu_ftrl", exact=True),
            Curve("DP-SGD", rates, np.ones_like(rates), arm="independent", exact=True),
            Curve("printed rate, without constants", rates, rates * np.log(1 / rates) ** 2, exact=True),
        ),
        x_name="learning_rate",
        y_name="ratio",
        source=f"{SOURCE}, Figure 1 (left) and Theorem 2.1",
        caption=(
            "Correlated noise is never worse, and better without limit as the learning rate falls. The paper's caption "
            "also promises orders of magnitude as the learning rate rises to 1. That holds for the printed rate, "
            "learning rate x log(1/learning rate)^2, which has lost its constants. The error itself shows no gain "
            "there: a step of 1 forgets all earlier noise, nothing is left to cancel, and the ratio tends to 1."
        ),
        verdict=(
            "The paper promises orders of magnitude less error at both ends. As the learning rate falls to 0: "
            f"{near_zero} As it rises to 1: {near_one}"
        ),
        settings={"figure": "figure1", "fidelity": fidelity, "rho": 1.0, "clip_norm": 1.0, "data_std": 0.0},
    )


@register(
    PAPER,
    "Figure 1, middle",
    left_open="The learning rates shown.",
    chosen=f"{_RATES_WORDS}; the coefficient of the step itself, always 1, is left out.",
    quick="The first 20 steps back, exact.",
    full="The first 200 steps back, exact.",
)
def figure1_coefficients(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How the best noise takes back, step by step, what it added before."""
    lags = np.arange(1, {"quick": 21, "full": 201}[fidelity])
    shares = {rate: -mechanisms.nu_ftrl(rate).noising_coef(len(lags) + 1)[1:] for rate in RATES}
    least = min(share.min() for share in shares.values())
    sums = ", ".join(f"{share.sum():.2f} at learning rate {rate}" for rate, share in shares.items())
    yield 1.0, Result(
        title="Mean estimation: the optimal noise coefficients in time",
        curves=tuple(Curve(f"learning rate {rate}", lags, share, exact=True) for rate, share in shares.items()),
        x_name="lag",
        y_name="taken_back",
        source=f"{SOURCE}, Figure 1 (middle) and Theorem 2.1",
        caption=(
            "The noise of a step enters with coefficient 1. Later steps take a part of it back, here with the sign "
            "turned: most at once, the rest over about 1/learning rate steps, as far as the optimiser itself remembers."
        ),
        verdict=verdict(
            least > 0,
            f"the paper says that all coefficients after the first are negative, and the largest is {-least:.1e}; "
            f"{lags[-1]} steps take back {sums}",
        ),
        settings={"figure": "figure1_coefficients", "fidelity": fidelity, "learning_rates": RATES},
    )


@register(
    PAPER,
    "Figure 1, right",
    left_open="The learning rates shown, and the scale of the axes.",
    chosen=f"{_RATES_WORDS}; both axes logarithmic.",
    quick="61 frequencies, exact.",
    full="601 frequencies, exact.",
)
def figure1_spectrum(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """At which frequencies the best noise is quiet: there where the optimiser listens."""
    omega = np.geomspace(1e-3, np.pi, {"quick": 61, "full": 601}[fidelity])
    power = {rate: np.abs(mechanisms.nu_ftrl(rate).frequency_response(omega)) ** 2 for rate in RATES}
    gap = max(np.max(np.abs(power[rate] / np.abs(1 - rate - np.exp(1j * omega)) - 1)) for rate in RATES)
    yield 1.0, Result(
        title="Mean estimation: the optimal noise by frequency",
        curves=(
            *(Curve(f"learning rate {rate}", omega, values, exact=True) for rate, values in power.items()),
            Curve("DP-SGD", omega, np.ones_like(omega), arm="independent", exact=True),
        ),
        x_name="frequency",
        y_name="power",
        source=f"{SOURCE}, Figure 1 (right) and the proof of Theorem 2.1",
        caption=(
            "Gradient descent averages: it hears low frequencies and is deaf to high ones. The best noise is quiet "
            "where it is heard, and loud where it is not."
        ),
        verdict=verdict(
            gap < 1e-9,
            "the power of the coefficients is that of the proof, |1 - learning rate - exp(i frequency)|, up to a "
            f"relative {gap:.0e}",
        ),
        settings={"figure": "figure1_spectrum", "fidelity": fidelity, "learning_rates": RATES},
    )
