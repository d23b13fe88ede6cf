"""What the Playground's headline must say, from `core.theory` and `core.privacy` called directly; shared by the page tests."""

from decimal import Decimal

import numpy as np

from core import mechanisms, privacy
from core.theory import quadratic

DEFAULTS = {
    "nu": 0.01, "correlation": 0.9, "learning_rate": 0.05, "batch_size": 8, "steps": 1000, "dim": 32, "decay": 1.0,
    "label_noise": 0.1, "epsilon": 2.0, "delta": 1e-6, "clip_norm": 1.0,
}


def gains(changes: dict) -> dict[str, float]:
    """How many times less error than DP-SGD each noise ends with, where the controls in `changes` are not at their defaults."""
    control = {name: type(value)(changes.get(name, value)) for name, value in DEFAULTS.items()}
    steps, dim, batch_size = control["steps"], control["dim"], control["batch_size"]
    chosen = {
        "independent": mechanisms.independent(),
        "nu_ftrl": mechanisms.nu_ftrl(control["nu"]),
        "lambda_cgd": mechanisms.lambda_cgd(control["correlation"]),
    }
    risks = {}
    for arm, mechanism in chosen.items():
        multiplier = privacy.calibrate(mechanism, steps, control["epsilon"], control["delta"])
        risks[arm] = quadratic.excess_risk_curve(
            eigenvalues=np.arange(1.0, dim + 1) ** -control["decay"],
            learning_rate=control["learning_rate"],
            steps=steps,
            noising_coef=mechanism.noising_coef(steps),
            noise_std=multiplier * control["clip_norm"] / batch_size,
            label_noise=control["label_noise"],
            batch_size=batch_size,
            initial_error=np.full(dim, dim**-0.5),
        )[-1]
    return {arm: float(risks["independent"] / risk) for arm, risk in risks.items()}


def agrees(shown: str, gain: float) -> bool:
    """Whether a headline such as "13.9x" is this gain, rounded to the digits that it shows."""
    number = Decimal(shown.removesuffix("x"))
    half_a_digit = 0.5 * 10.0 ** number.as_tuple().exponent
    return abs(float(number) - gain) <= 1.001 * half_a_digit
