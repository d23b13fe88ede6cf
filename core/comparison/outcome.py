"""What the comparison gives at one setting: exact curves, the gain over DP-SGD, its causes, and a verdict in words."""

import math
from dataclasses import asdict
from functools import lru_cache

import numpy as np

from core.comparison.setting import Setting, arms, noise_multiplier, noise_std, stability
from core.mechanisms import Mechanism
from core.names import ARMS
from core.results import Curve, Result, Table
from core.theory import quadratic

SOURCE = "arXiv 2310.06771, Algorithm 1; exact second moments for Gaussian linear regression"
MAX_POINTS = 201
"""Points of a curve that a chart gets."""


def excess_risk(setting: Setting) -> Result:
    """Exact suboptimality of each arm against the step, all at the same (epsilon, delta).

    Guarantees: the last point divided into DP-SGD's is `improvement`; nu = 1 and lambda = 0 give DP-SGD's curve itself.
    Reference: arXiv 2310.06771, Algorithm 1 without clipping ("Noisy-FTRL"), exact in expectation.
    """
    steps = shown_steps(setting.steps)
    return Result(
        title="Suboptimality at the same privacy",
        curves=tuple(
            Curve(ARMS[arm], steps, curve[steps], arm=arm, exact=True) for arm, curve in _arm_curves(setting).items()
        ),
        x_name="step",
        y_name="excess_risk",
        source=SOURCE,
        caption=(
            "Expected suboptimality after each step, computed exactly, under noises that are all "
            f"({setting.epsilon:g}, {setting.delta:g})-private (zero-out adjacency, each record used once). "
            "Lower is better. The lines differ only in how the noise of one step depends on the noise before it."
        ),
        status=stability(setting),
        verdict=verdict(setting),
        settings=asdict(setting),
    )


def final_risks(setting: Setting) -> dict[str, float]:
    """Exact suboptimality of each arm after the last step."""
    return {arm: float(curve[-1]) for arm, curve in _arm_curves(setting).items()}


def improvement(setting: Setting) -> dict[str, float]:
    """How many times less error than DP-SGD each arm ends with: above 1 wins, below 1 loses, exactly 1 when equal.

    NaN where the iterates do not settle: the ratio of two errors that grow without bound says nothing.
    """
    risks = final_risks(setting)
    settles = not stability(setting)
    return {arm: risks["independent"] / risk if settles else math.nan for arm, risk in risks.items()}


def verdict(setting: Setting) -> str:
    """What the comparison says, in plain words, from the numbers alone."""
    unstable = stability(setting)
    if unstable:
        return unstable
    gains = improvement(setting)
    nu, correlation = gains["nu_ftrl"], gains["lambda_cgd"]
    sentences = [
        f"After {setting.steps:,} steps at epsilon = {setting.epsilon:g}: nu-correlated noise {in_words(nu)}; "
        f"lambda-correlated noise {in_words(correlation)}."
    ]
    if min(nu, correlation) < 0.995:
        sentences.append(
            "That is over-correlated: a record that stays visible for longer must be hidden under more noise, and this "
            "optimiser forgets too fast to profit from the cancelling."
        )
    if "optimal_for" in gains:
        optimum, best = gains["optimal_for"], max(nu, correlation)
        if optimum > 1.01 * best:
            sentences.append(f"The noise that is optimal for this problem in the long run {in_words(optimum)}.")
        else:
            sentences.append("The noise that is optimal for this problem in the long run is no better than the better of the two.")
    return " ".join(sentences)


def in_words(gain: float) -> str:
    """A gain over DP-SGD as the end of a sentence."""
    if gain == 1:
        return "is DP-SGD itself, exactly 1.00 times its error"
    if abs(gain - 1) < 0.005:
        return "ends where DP-SGD does, within half a percent"
    if gain > 1:
        return f"ends with {gain:.3g} times less error than DP-SGD"
    return f"LOSES, with {1 / gain:.3g} times the error of DP-SGD"


def causes(setting: Setting) -> Table:
    """Where each arm's final suboptimality comes from: the start not yet forgotten, label noise, privacy noise."""
    rows = []
    for arm, mechanism in arms(setting).items():
        coef = mechanism.noising_coef(setting.steps)
        parts = quadratic.excess_risk_parts(
            noising_coef=coef, noise_std=noise_std(setting, mechanism), **setting.problem()
        )
        final = [float(part[-1]) for part in (parts.start, parts.label_noise, parts.privacy_noise)]
        rows.append((ARMS[arm], *final, sum(final), noise_multiplier(setting, mechanism)))
    return Table(
        title="Where the error comes from",
        columns=("noise", "start", "label noise", "privacy noise", "suboptimality", "noise multiplier"),
        rows=tuple(rows),
        source=SOURCE,
        caption=(
            "The three parts of the final suboptimality add up exactly. Correlation changes the privacy part alone; "
            "the noise multiplier is what each noise must pay for the same epsilon."
        ),
        settings=asdict(setting),
    )


def risk_curves(setting: Setting, chosen: list[Mechanism]) -> np.ndarray:
    """Exact suboptimality under several mechanisms at once, each at the setting's privacy: (len(chosen), steps + 1)."""
    return quadratic.excess_risk_curve(
        noising_coef=np.stack([mechanism.noising_coef(setting.steps) for mechanism in chosen]),
        noise_std=np.array([noise_std(setting, mechanism) for mechanism in chosen]),
        **setting.problem(),
    )


@lru_cache(maxsize=32)
def _arm_curves(setting: Setting) -> dict[str, np.ndarray]:
    chosen = arms(setting)
    return dict(zip(chosen, risk_curves(setting, list(chosen.values())), strict=True))


def shown_steps(steps: int) -> np.ndarray:
    """The steps at which a chart shows a curve: both ends and at most 201 in all."""
    return np.unique(np.linspace(0, steps, min(steps + 1, MAX_POINTS)).round().astype(int))
