"""The same comparison as one control moves: grids for the sliders, valleys of error, frames for drag-live charts."""

import math
from dataclasses import asdict, replace
from functools import lru_cache

import numpy as np

from core import mechanisms
from core.check import choice
from core.comparison.outcome import SOURCE, excess_risk, final_risks, in_words, risk_curves, shown_steps
from core.comparison.setting import Setting, arms, largest_stable_learning_rate, stability
from core.comparison.spectra import OMEGA, noise_power, noise_spectrum
from core.names import ARMS
from core.results import Curve, Result

_PREFERRED = (1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0)  # ISO 3 R10: ten even steps a decade in round numbers
NU_GRID = tuple(float(f"{m}e{p}") for p in (-4, -3, -2, -1) for m in _PREFERRED) + (1.0,)
CORRELATION_GRID = tuple(round(1 - nu, 5) for nu in reversed(NU_GRID) if nu >= 1e-3)
KNOBS = {"nu": "nu_ftrl", "correlation": "lambda_cgd"}
"""The controls that can be dragged live, and the arm that each moves."""


def risks_over(setting: Setting, knob: str) -> tuple[tuple[float, ...], np.ndarray]:
    """Exact suboptimality for every value of one knob: (values, array (len(values), shown steps)).

    `knob` is "nu" or "correlation"; the values are its grid, thinned where one curve is dear (large dim x steps), and the
    setting's own value, so that a slider can rest on it.
    """
    choice("knob", knob, tuple(KNOBS))
    whole = NU_GRID if knob == "nu" else CORRELATION_GRID
    kept = np.linspace(0, len(whole) - 1, _affordable(setting, 8e6, len(whole))).round().astype(int)
    grid = tuple(sorted({*(whole[index] for index in kept), getattr(setting, knob)}))
    return grid, _risks_over(_without_noise(setting), knob, grid)


def gains_over(setting: Setting, knob: str) -> dict[float, float]:
    """How many times less error than DP-SGD the knob's arm ends with, at each value of the knob; NaN as `improvement`."""
    values, risks = risks_over(setting, knob)
    independent = math.nan if stability(setting) else final_risks(setting)["independent"]
    return dict(zip(values, (independent / risks[:, -1]).tolist(), strict=True))


def risk_frames(setting: Setting, knob: str) -> dict[float, Result]:
    """`excess_risk` as it is at each value of the knob, for a chart that follows the slider."""
    base, (values, risks) = excess_risk(setting), risks_over(setting, knob)
    label = ARMS[KNOBS[knob]]
    return {value: base.moved(label, y=risk) for value, risk in zip(values, risks, strict=True)}


def memory_frames(setting: Setting, knob: str) -> dict[float, Result]:
    """`risk_against_memory` as it is at each value of the knob: the viewer's mark moves along the valley."""
    base, (values, risks) = risk_against_memory(setting), risks_over(setting, knob)
    return {
        value: base.moved(_mark(knob), x=np.array([_forgetting(knob, value)]), y=risk[-1:])
        for value, risk in zip(values, risks, strict=True)
    }


def spectrum_frames(setting: Setting, knob: str) -> dict[float, Result]:
    """`noise_spectrum` as it is at each value of the knob."""
    base, (values, _) = noise_spectrum(setting), risks_over(setting, knob)
    label = ARMS[KNOBS[knob]]
    powers = _powers_over(_without_noise(setting), knob, values)
    return {value: base.moved(label, y=power) for value, power in zip(values, powers, strict=True)}


def risk_against_memory(setting: Setting) -> Result:
    """Final suboptimality against how fast the noise forgets (nu, and 1 - lambda): a valley, and where the viewer stands."""
    curves = []
    for knob, arm in KNOBS.items():
        grid, risks = risks_over(setting, knob)
        x = np.array([_forgetting(knob, value) for value in grid])
        own = grid.index(getattr(setting, knob))
        curves.append(Curve(ARMS[arm], x, risks[:, -1], arm=arm, exact=True))
        curves.append(Curve(_mark(knob), x[[own]], risks[[own], -1], arm=arm, exact=True, discrete=True))
    ends = np.array([NU_GRID[0], 1.0])
    level = final_risks(setting)
    curves += [
        Curve(ARMS[arm], ends, np.full(2, level[arm]), arm=arm, exact=True)
        for arm in ("independent", "optimal_for")
        if arm in level
    ]
    return Result(
        title="Error against memory",
        curves=tuple(curves),
        x_name="forgetting",
        y_name="excess_risk",
        source=SOURCE,
        caption=(
            f"Suboptimality after {setting.steps:,} steps. At the right end the noise forgets at once: that is DP-SGD. "
            "Further left it remembers longer and cancels more of itself, but each record stays visible longer too, "
            "which is paid with more noise: hence a valley. The marks are your settings."
        ),
        settings=asdict(setting),
    )


def risk_against_learning_rate(setting: Setting) -> Result:
    """Final suboptimality of each noise against the learning rate: the fair comparison lets each choose its own."""
    limit = largest_stable_learning_rate(setting)
    rates = np.geomspace(limit / 300, min(0.9 * limit, 2.0), _affordable(setting, 3e6, 15))
    chosen = {arm: mechanism for arm, mechanism in arms(setting).items() if arm != "optimal_for"}
    risks = np.stack([
        risk_curves(replace(setting, learning_rate=float(rate)), list(chosen.values()))[:, -1] for rate in rates
    ])
    best = dict(zip(chosen, risks.min(axis=0).tolist(), strict=True))
    curves = [Curve(ARMS[arm], rates, risks[:, i], arm=arm, exact=True) for i, arm in enumerate(chosen)]
    if not stability(setting):
        here = final_risks(setting)
        curves += [
            Curve(f"{ARMS[arm]}, yours", [setting.learning_rate], [here[arm]], arm=arm, exact=True, discrete=True)
            for arm in chosen
        ]
    return Result(
        title="Error against the learning rate",
        curves=tuple(curves),
        x_name="learning_rate",
        y_name="excess_risk",
        source=SOURCE,
        caption=(
            f"Suboptimality after {setting.steps:,} steps. Each noise has its own best learning rate: a fair comparison "
            "is between the bottoms of the valleys. The marks are your setting."
        ),
        verdict=(
            "With the learning rate tuned for each method: nu-correlated noise "
            f"{in_words(best['independent'] / best['nu_ftrl'])}; lambda-correlated noise "
            f"{in_words(best['independent'] / best['lambda_cgd'])}."
        ),
        settings=asdict(setting),
    )


def says_gain(gain: float) -> str:
    """What stands beside the number of the headline: whether it is a win, in words."""
    if not math.isfinite(gain):
        return "no answer: every method diverges"
    if gain < 0.995:
        return f"LOSES: {spell_gain(1 / gain)} the error of DP-SGD"
    return "less error than DP-SGD"


def spell_gain(gain: float) -> str:
    """A gain as the headline writes it: about three significant digits and an x; a dash when nothing is finite."""
    if not math.isfinite(gain):
        return "-"
    digits = 2 if 0.1 <= gain < 10 else 1 if 10 <= gain < 100 else 0
    return (f"{gain:.2g}" if gain < 0.1 else f"{gain:.{digits}f}") + "x"


def _affordable(setting: Setting, budget: float, most: int) -> int:
    """How many curves a page can wait for: as many as `budget` numbers, at least 7 and at most `most`."""
    return int(min(most, max(7, budget // (setting.dim * setting.steps))))


def _forgetting(knob: str, value: float) -> float:
    return value if knob == "nu" else 1 - value


def _mark(knob: str) -> str:
    return "your nu" if knob == "nu" else "your lambda"


def _without_noise(setting: Setting) -> Setting:
    """The setting with the fields that a sweep does not depend on at their defaults, so that caches hit."""
    return replace(setting, nu=Setting.nu, correlation=Setting.correlation, replicates=2, seed=0, device="auto")


def _mechanisms(knob: str, grid: tuple[float, ...]) -> list[mechanisms.Mechanism]:
    make = mechanisms.nu_ftrl if knob == "nu" else mechanisms.lambda_cgd
    return [make(value) for value in grid]


@lru_cache(maxsize=64)
def _risks_over(setting: Setting, knob: str, grid: tuple[float, ...]) -> np.ndarray:
    curves = risk_curves(setting, _mechanisms(knob, grid))[:, shown_steps(setting.steps)]
    curves.flags.writeable = False
    return curves


@lru_cache(maxsize=64)
def _powers_over(setting: Setting, knob: str, grid: tuple[float, ...]) -> np.ndarray:
    return np.stack([noise_power(setting, mechanism, OMEGA) for mechanism in _mechanisms(knob, grid)])
