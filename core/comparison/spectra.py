"""The noise in frequency, beside how strongly the optimiser responds to each frequency."""

import math
from dataclasses import asdict

import numpy as np

from core.comparison.setting import Setting, arms, stability
from core.mechanisms import Mechanism
from core.names import ARMS
from core.results import Curve, Result
from core.theory import quadratic

OMEGA = np.geomspace(math.pi / 2000, math.pi, 121)
OMEGA.flags.writeable = False


def noise_spectrum(setting: Setting) -> Result:
    """Power of each arm's noise at equal privacy, sensitivity^2 |B(omega)|^2, beside what the optimiser hears.

    Reference: arXiv 2310.06771, equation (4) and Appendix C: stationary suboptimality is the mean of their product.
    """
    curves = [
        Curve(ARMS[arm], OMEGA, noise_power(setting, mechanism, OMEGA), arm=arm, exact=True)
        for arm, mechanism in arms(setting).items()
    ]
    if not stability(setting):
        weight = quadratic.noise_weight(setting.eigenvalues, setting.learning_rate, OMEGA, setting.batch_size)
        curves.append(Curve("what the optimiser hears (largest = 1)", OMEGA, weight / weight.max(), exact=True))
    return Result(
        title="The noise in frequency, and the optimiser's ear",
        curves=tuple(curves),
        x_name="frequency",
        y_name="power",
        source="arXiv 2310.06771, Section 2 and Appendix C",
        caption=(
            "Left: slow noise, which adds up over many steps. Right: noise that alternates from step to step. The line "
            "'what the optimiser hears' is how strongly gradient descent responds to each. Correlated noise moves its power to where the "
            "optimiser does not listen. The step towards more correlation raises the right end: that is its price."
        ),
        settings=asdict(setting),
    )


def noise_power(setting: Setting, mechanism: Mechanism, omega: np.ndarray) -> np.ndarray:
    """Power spectrum of the noise relative to DP-SGD's at the same privacy: sensitivity^2 |B(omega)|^2, shape of omega."""
    return mechanism.sensitivity(setting.steps) ** 2 * np.abs(mechanism.frequency_response(omega)) ** 2
