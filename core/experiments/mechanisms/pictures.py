"""What the noises look like: their spectra, their coefficients, and the matrices C and B of one of them."""

import math
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from core.experiments.mechanisms.arms import arms, mechanism, sensitivity
from core.experiments.mechanisms.outcome import PAPER, spelled, words
from core.experiments.mechanisms.setting import NoiseSetting, stability
from core.mechanisms import Mechanism, ToeplitzMechanism
from core.mechanisms.characteristics import noise_power
from core.results import Curve, Grid, Result
from core.theory import quadratic

CELLS = 96
"""Cells a side of the picture of a matrix."""


def spectra(setting: NoiseSetting) -> Result:
    """Power of each noise at equal privacy against frequency, beside how strongly gradient descent hears it.

    sensitivity^2 |B(omega)|^2 for Toeplitz noise; for other matrices the mean over the run of the same.
    """
    omega = frequencies(setting)
    curves = [
        Curve(words(setting, noise), omega, power_at_privacy(setting, made, omega), arm=noise, exact=True)
        for noise, made in arms(setting).chosen.items()
    ]
    if not stability(setting):
        heard = quadratic.noise_weight(setting.eigenvalues, setting.learning_rate, omega, setting.batch_size)
        curves.append(Curve("what gradient descent hears (largest = 1)", omega, heard / heard.max(), exact=True))
    return Result(
        title="The noise in frequency, and the optimiser's ear",
        curves=tuple(curves),
        x_name="frequency",
        y_name="power",
        source=f"{PAPER}, equation (4) and Appendix C",
        caption=(
            "Left: slow noise, which adds up over many steps. Right: noise that alternates. The mean of the product of a noise "
            "and what gradient descent hears is the error that privacy causes in the long run. Good noise is weak where the "
            "ear is sharp and pays for that with power where it is deaf."
        ),
        settings=asdict(setting),
    )


def coefficients(setting: NoiseSetting) -> Result:
    """Share of the noise of t steps ago that a step takes back, -beta_t / beta_0, for noises that treat all steps alike."""
    curves, others = _of_toeplitz(setting, lambda made, steps: -made.noising_coef(steps) / made.noising_coef(1))
    return Result(
        title="What is taken back",
        curves=curves,
        x_name="lag",
        y_name="taken_back",
        source=f"{PAPER}, equations (7) and (13)",
        caption=(
            "Each step draws fresh noise and takes back a share of the noise drawn before. DP-SGD takes back nothing; what a "
            f"noise adds again is not on this scale.{others}"
        ),
        settings=asdict(setting),
    )


def visible(setting: NoiseSetting) -> Result:
    """Weight c_t / c_0 with which one record's gradient is still visible t steps later, for noises that treat all steps alike."""
    curves, others = _of_toeplitz(setting, lambda made, steps: made.strategy_coef(steps) / made.strategy_coef(1))
    return Result(
        title="How long a record stays visible",
        curves=curves,
        x_name="lag",
        y_name="strategy_coef",
        source=f"{PAPER}, equation (11)",
        caption=(
            "Taking noise back uncovers what it covered. Privacy pays for the sum of the squares under a line; it is 1 at the "
            f"step itself.{others}"
        ),
        settings=asdict(setting),
    )


def strategy_picture(setting: NoiseSetting) -> Grid:
    """C of the noise pictured: how strongly each step's gradient is visible in each release."""
    return _picture(
        setting, _pictured(setting).strategy_matrix(setting.steps), "C: what stays visible", "strategy_entry",
        "Each column is one step's gradient: how strongly it shows in the releases from then on. Privacy pays for the longest column.",
    )


def noising_picture(setting: NoiseSetting) -> Grid:
    """B, the inverse of C, of the noise pictured: how each step's noise is mixed from the draws so far."""
    return _picture(
        setting, _pictured(setting).noising_matrix(setting.steps), "B, its inverse: how noise is mixed", "noising_entry",
        "Each row is one step's noise: what is added (orange) and what is taken back (blue) of each draw so far.",
    )


def power_at_privacy(setting: NoiseSetting, made: Mechanism, omega: np.ndarray) -> np.ndarray:
    """Power of a noise relative to that of DP-SGD at the same privacy and one participation, shape of `omega`."""
    if isinstance(made, ToeplitzMechanism):
        return sensitivity(setting, made) ** 2 * np.abs(made.frequency_response(omega)) ** 2
    return sensitivity(setting, made) ** 2 * noise_power(made, omega, setting.steps)


def frequencies(setting: NoiseSetting) -> np.ndarray:
    """Frequencies worth looking at, from below what the run can tell from standing still up to pi."""
    return np.geomspace(math.pi / max(1000, 2 * setting.steps), math.pi, 121)


def _of_toeplitz(setting: NoiseSetting, values: Callable[[Mechanism, int], np.ndarray]) -> tuple[tuple[Curve, ...], str]:
    """A curve over lags for each Toeplitz noise but DP-SGD's, what is zero or below left out; and which noises are no such."""
    lags = np.unique(np.geomspace(1, max(setting.steps - 1, 1), 80).round().astype(int))
    curves, others = [], []
    for noise, made in arms(setting).chosen.items():
        if not isinstance(made, ToeplitzMechanism):
            others.append(words(setting, noise))
        elif noise != "independent" and setting.steps > 1:
            y = values(made, setting.steps)[lags]
            shown = y > 1e-12  # a logarithmic axis has no place for the rest, and a line of one point cannot be seen
            curves.append(Curve(words(setting, noise), lags[shown], y[shown], arm=noise, exact=True, discrete=shown.sum() == 1))
    return tuple(curves), f" Not of this kind, see their matrices: {', '.join(others)}." if others else ""


def _pictured(setting: NoiseSetting) -> Mechanism:
    return mechanism(setting, setting.pictured)


def _picture(setting: NoiseSetting, matrix: np.ndarray, title: str, value_name: str, says: str) -> Grid:
    block = -(-setting.steps // CELLS)
    places = np.arange(1, setting.steps + 1, block)
    thinned = f" Each cell is the entry of largest size among {block} by {block}." if block > 1 else ""
    return Grid(
        title=title,
        x=places,
        y=places,
        values=_largest(matrix, block),
        x_name="entry_column",
        y_name="entry_row",
        value_name=value_name,
        source=f"{PAPER}, equations (11) and (13)",
        caption=f"{spelled(setting, setting.pictured)}. {says}{thinned} Colours tell magnitudes apart over four decades.",
        settings=asdict(setting),
    )


def _largest(matrix: np.ndarray, block: int) -> np.ndarray:
    """The entry of largest size in each block, sign kept; the last blocks may be smaller."""
    missing = -len(matrix) % block
    padded = np.pad(matrix, ((0, missing), (0, missing)))
    cells = len(padded) // block
    blocks = padded.reshape(cells, block, cells, block).swapaxes(1, 2).reshape(cells, cells, -1)
    return np.take_along_axis(blocks, np.abs(blocks).argmax(axis=-1)[..., None], axis=-1)[..., 0]
