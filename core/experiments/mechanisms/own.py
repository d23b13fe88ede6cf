"""The viewer's own noise: what it costs and what it does, at once, against the optimum."""

from dataclasses import asdict
from typing import NamedTuple

import numpy as np

from core.comparison.outcome import shown_steps
from core.experiments.mechanisms.arms import own_noise, sensitivity
from core.experiments.mechanisms.outcome import SOURCE, optimum, over_optimum, plain_risk, risk_curve
from core.experiments.mechanisms.pictures import frequencies, power_at_privacy
from core.experiments.mechanisms.setting import HANDLES, LOWEST, NoiseSetting, stability
from core.mechanisms import independent, optimal_counting
from core.results import Curve, Result

YOURS = "your own"


class OwnNumbers(NamedTuple):
    """What the viewer's noise costs and leaves: error of a step [clip_norm], suboptimality, and two ratios of errors.

    `step_error` is sensitivity times the first coefficient: what a step gets at equal privacy, however high the noise is drawn.
    `gain`: DP-SGD's suboptimality over its own. `over_optimum`: the error that privacy causes, over that under the best
    Toeplitz noise for this problem and so many steps; never below 1 but for rounding.
    """

    step_error: float
    excess_risk: float
    gain: float
    over_optimum: float


def own_numbers(setting: NoiseSetting) -> OwnNumbers:
    """The numbers of the viewer's noise.

    Raises: ValueError in one sentence for a text that is no noise, or where every method diverges.
    """
    own = own_noise(setting)
    if stability(setting):
        raise ValueError(stability(setting).removesuffix("."))
    final = float(risk_curve(setting, own)[-1])
    return OwnNumbers(
        sensitivity(setting, own) * abs(float(own.noising_coef(1)[0])),
        final,
        plain_risk(setting) / final,
        over_optimum(setting, own),
    )


def own_risk(setting: NoiseSetting) -> Result:
    """Suboptimality under the viewer's noise, DP-SGD and the best Toeplitz noise, at the same privacy."""
    steps = shown_steps(setting.steps)
    chosen = {"toeplitz": own_noise(setting), "independent": independent(), "best_toeplitz": optimum(setting)}
    return Result(
        title="Your noise against the optimum",
        curves=tuple(
            Curve(_label(noise), steps, risk_curve(setting, made)[steps], arm=noise, exact=True) for noise, made in chosen.items()
        ),
        x_name="step",
        y_name="excess_risk",
        source=SOURCE,
        caption="Exact, and all at the same privacy. The optimum is the Toeplitz noise that ends lowest; on the way others may be ahead.",
        status=stability(setting),
        settings=asdict(setting),
    )


def own_spectrum(setting: NoiseSetting) -> Result:
    """Power of the viewer's noise at equal privacy, beside DP-SGD's and the optimum's."""
    omega = frequencies(setting)
    chosen = {"toeplitz": own_noise(setting), "independent": independent(), "best_toeplitz": optimum(setting)}
    return Result(
        title="Its power at equal privacy",
        curves=tuple(
            Curve(_label(noise), omega, power_at_privacy(setting, made, omega), arm=noise, exact=True) for noise, made in chosen.items()
        ),
        x_name="frequency",
        y_name="power",
        source="Szego's theorem: noise of a spectrum, causal and of the least sensitivity",
        caption=(
            "What is pushed down at one frequency comes up at others: the mean of the logarithm cannot change without a change "
            "of scale, and privacy charges for every valley."
        ),
        settings=asdict(setting),
    )


def optimum_curve(setting: NoiseSetting, levels: np.ndarray) -> tuple[tuple[float, float], ...]:
    """The optimum's spectrum for the plane of the handles: (share of the way to the right, level), as high on average as
    `levels`; nothing where every method diverges.
    """
    if stability(setting):
        return ()
    way = np.linspace(0, 1, 60)
    level = np.log10(_optimum_power(setting, HANDLES[0] * (HANDLES[-1] / HANDLES[0]) ** way))
    shift = np.mean(levels) - np.mean(np.interp(np.linspace(0, 1, len(HANDLES)), way, level))
    return tuple(zip(way.tolist(), (level + shift).tolist(), strict=True))


def levels_of(levels) -> str:
    """Levels of the handles as the text that a setting holds, to two digits and within their ends."""
    return " ".join(f"{level:g}" for level in np.round(np.maximum(levels, LOWEST), 2) + 0.0)


def known_shapes(setting: NoiseSetting) -> dict[str, str]:
    """Levels of the handles to start from, by words for a button."""
    counting = np.log10(np.abs(optimal_counting().frequency_response(np.array(HANDLES))) ** 2)
    shapes = {"Flat (DP-SGD)": np.zeros(len(HANDLES)), "Optimal counting": counting}
    if not stability(setting):
        shapes["The optimum"] = np.log10(_optimum_power(setting, np.array(HANDLES)))
    return {words: levels_of(levels) for words, levels in shapes.items()}


def _optimum_power(setting: NoiseSetting, omega: np.ndarray) -> np.ndarray:
    return np.abs(optimum(setting).frequency_response(omega)) ** 2


def _label(noise: str) -> str:
    return {"toeplitz": YOURS, "independent": "DP-SGD", "best_toeplitz": "the best Toeplitz noise"}[noise]
