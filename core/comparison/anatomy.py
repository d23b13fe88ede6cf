"""Why correlated noise works, one picture an idea: what is taken back, what stays visible, what is heard, what adds up."""

from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from core import toeplitz
from core.comparison.outcome import shown_steps
from core.comparison.setting import Setting, arms, noise_multiplier, stability
from core.comparison.spectra import OMEGA, noise_power
from core.mechanisms import Mechanism
from core.names import ARMS
from core.results import Curve, Result
from core.theory import quadratic

PAPER = "arXiv 2310.06771"


def taken_back(setting: Setting) -> Result:
    """How much of the noise of t steps ago each step takes back: -beta_t for t >= 1."""
    lags = np.unique(np.geomspace(1, max(setting.steps - 1, 1), 80).round().astype(int))
    return Result(
        title="What is taken back",
        curves=_of_each(setting, lags, lambda mechanism: -_at(mechanism.noising_coef, setting.steps, lags), skip=("independent",)),
        x_name="lag",
        y_name="taken_back",
        source=f"{PAPER}, equations (7) and (13)",
        caption=(
            "Each step draws fresh noise and takes back a share of the noise drawn before. Lambda-correlated noise takes "
            "back one large piece after one step, nu-correlated noise many small pieces over about 1/nu steps. DP-SGD "
            "takes back nothing and is not on this chart."
        ),
        settings=asdict(setting),
    )


def stays_visible(setting: Setting) -> Result:
    """How much of one record's gradient is still visible t steps after its use: c_t, first column of C."""
    lags = np.unique(np.geomspace(1, max(setting.steps - 1, 1), 80).round().astype(int))
    return Result(
        title="How long a record stays visible",
        curves=_of_each(setting, lags, lambda mechanism: _at(mechanism.strategy_coef, setting.steps, lags), skip=("independent",)),
        x_name="lag",
        y_name="strategy_coef",
        source=f"{PAPER}, equation (11)",
        caption=(
            "Taking noise back uncovers what it covered. The weight with which one record's gradient remains visible "
            "after its use (it is 1 at the step itself, and under DP-SGD 0 from then on): privacy must pay for the sum of "
            "the squares under a line."
        ),
        settings=asdict(setting),
    )


def sensitivity_growth(setting: Setting) -> Result:
    """Sensitivity of the release against the number of steps: the price of each correlation."""
    steps = np.unique(np.geomspace(1, setting.steps, 60).round().astype(int))

    def growth(mechanism: Mechanism) -> np.ndarray:
        return np.sqrt(np.cumsum(mechanism.strategy_coef(setting.steps) ** 2))[steps - 1]

    return Result(
        title="What privacy charges",
        curves=_of_each(setting, steps, growth),
        x_name="steps",
        y_name="sensitivity",
        source=f"{PAPER}, Theorem 1.1 and equation (5)",
        caption=(
            "Sensitivity: the noise multiplier that each correlation needs is this number times DP-SGD's. It settles for "
            "nu > 0 and lambda < 1, so a longer run costs no more."
        ),
        settings=asdict(setting),
    )


def transfer_functions(setting: Setting) -> Result:
    """How strongly eigen-directions of gradient descent respond to noise of each frequency: |eta / (exp(iw) - 1 + eta h)|^2."""
    eigenvalues = np.unique(setting.eigenvalues)[::-1]
    chosen = eigenvalues[np.unique(np.geomspace(1, len(eigenvalues), 4).round().astype(int)) - 1]
    curves = tuple(
        Curve(
            f"eigenvalue {value:.3g}", OMEGA,
            np.abs(quadratic.iterate_response(value, setting.learning_rate, OMEGA)) ** 2, exact=True,
        )
        for value in chosen
    )
    return Result(
        title="What each direction hears",
        curves=curves,
        x_name="frequency",
        y_name="power",
        source=f"{PAPER}, Section 2.1 and Appendix B",
        caption=(
            "Gradient descent is a low-pass filter. Flat directions (small eigenvalue) answer to slow noise most, because "
            "nothing pulls them back: there independent noise piles up."
        ),
        settings=asdict(setting),
    )


def felt_spectrum(setting: Setting) -> Result:
    """Noise power at equal privacy times the optimiser's response: its area is the stationary error from privacy."""
    status = stability(setting)
    curves = ()
    if not status:
        weight = quadratic.noise_weight(setting.eigenvalues, setting.learning_rate, OMEGA, setting.batch_size)
        curves = _of_each(setting, OMEGA, lambda mechanism: noise_power(setting, mechanism, OMEGA) * weight)
    return Result(
        title="The noise that the iterate feels",
        curves=curves,
        x_name="frequency",
        y_name="power",
        source=f"{PAPER}, equation (4) and Appendix C",
        caption=(
            "Noise times response. The mean of a line over all frequencies is proportional to the error that privacy "
            "causes in the long run: correlated noise trades the tall left end for a small rise at the right."
        ),
        status=status,
        settings=asdict(setting),
    )


def running_sum(setting: Setting) -> Result:
    """One path of the summed noise per arm, from the same seed noise, inside twice its exact standard deviation."""
    seed_noise = np.random.default_rng(setting.seed).standard_normal(setting.steps)
    steps = shown_steps(setting.steps)[1:]
    curves = []
    for arm, mechanism in arms(setting).items():
        scale = noise_multiplier(setting, mechanism)
        coef = mechanism.noising_coef(setting.steps)
        path = scale * np.cumsum(toeplitz.multiply(coef, seed_noise))[steps - 1]
        std = scale * mechanism.prefix_std(setting.steps)[steps - 1]
        curves.append(Curve(ARMS[arm], steps, path, -2 * std, 2 * std, arm=arm))
    return Result(
        title="The noise adds up, or it does not",
        curves=tuple(curves),
        x_name="step",
        y_name="noise_sum",
        source=f"{PAPER}, equation (3)",
        band="twice the exact standard deviation, either side of zero",
        caption=(
            "The running sum of the noise: where a parameter drifts when no curvature pulls it back. Independent noise "
            "walks away like the square root of the step; correlated noise returns. All paths use the same seed noise."
        ),
        settings=asdict(setting),
    )


def _of_each(
    setting: Setting, x: np.ndarray, y: Callable[[Mechanism], np.ndarray], skip: tuple[str, ...] = ()
) -> tuple[Curve, ...]:
    """One exact curve an arm; entries that a log axis cannot show (zero or below) are left out."""
    curves = []
    for arm, mechanism in arms(setting).items():
        if arm not in skip:
            values = y(mechanism)
            shown = values > 1e-12
            # a line of one point cannot be seen
            curves.append(Curve(ARMS[arm], x[shown], values[shown], arm=arm, exact=True, discrete=shown.sum() == 1))
    return tuple(curves)


def _at(coef: Callable[[int], np.ndarray], steps: int, lags: np.ndarray) -> np.ndarray:
    values = coef(steps)
    return np.where(lags < len(values), values[np.minimum(lags, len(values) - 1)], 0.0)
