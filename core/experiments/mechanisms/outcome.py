"""What the comparison gives at one setting: exact curves, who wins and why, in words and in a table."""

import math
from dataclasses import asdict, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.comparison.outcome import shown_steps
from core.experiments.mechanisms.arms import arms, count, mechanism, noise_std, refusals, sensitivity
from core.experiments.mechanisms.setting import NOISES, OPTIMA, NoiseSetting, stability
from core.mechanisms import Mechanism, ToeplitzMechanism, independent
from core.mechanisms.characteristics import characterise
from core.names import ARMS
from core.results import Curve, Result, Table
from core.theory import quadratic

PAPER = "arXiv 2310.06771"
SOURCE = f"{PAPER}, Algorithm 1; exact second moments for Gaussian linear regression"


def excess_risk(setting: NoiseSetting) -> Result:
    """Exact suboptimality under each noise against the step, all at the same (epsilon, delta).

    Guarantees: one participation and no restarts give the curves of `core.comparison`; restarts do not move DP-SGD.
    Reference: arXiv 2310.06771, Algorithm 1 without clipping ("Noisy-FTRL"), exact in expectation.
    """
    steps = shown_steps(setting.steps)
    return Result(
        title="Suboptimality at the same privacy",
        curves=tuple(
            Curve(words(setting, noise), steps, risk_curve(setting, made)[steps], arm=noise, exact=True)
            for noise, made in arms(setting).chosen.items()
        ),
        x_name="step",
        y_name="excess_risk",
        source=SOURCE,
        caption=(
            "Expected suboptimality after each step, computed exactly, under noises that are all "
            f"({setting.epsilon:g}, {setting.delta:g})-private (zero-out adjacency, {_uses(setting)}). Lower is better."
        ),
        status=stability(setting),
        verdict=verdict(setting),
        settings=asdict(setting),
    )


def prefix_error(setting: NoiseSetting) -> Result:
    """Standard deviation of the running sum of each noise at equal privacy: what prior work minimises."""
    steps = shown_steps(setting.steps)[1:]
    curves = tuple(
        Curve(
            words(setting, noise), steps, sensitivity(setting, made) * made.prefix_std(setting.steps)[steps - 1],
            arm=noise, exact=True, discrete=setting.steps == 1,
        )
        for noise, made in arms(setting).chosen.items()
    )
    return Result(
        title="Error of running sums",
        curves=curves,
        x_name="step",
        y_name="prefix_error",
        source=f"{PAPER}, equation (3)",
        caption=(
            "Standard deviation of the summed noise at equal privacy. A mechanism that is best here need not be best for "
            "learning: gradient descent forgets old noise where the loss is curved, a running sum never does."
        ),
        settings=asdict(setting),
    )


def characteristics(setting: NoiseSetting) -> Table:
    """Every noise shown, by what it costs and what it does: Table 3 of the paper with measured columns.

    The ratio is that of the suboptimality which privacy causes after the last step to what the best Toeplitz noise for
    this problem and so many steps leaves. Start and label noise are the same for all.
    """
    rows = []
    for noise, made in arms(setting).chosen.items():
        found = characterise(made, setting.steps, setting.participations, setting.separation)
        rows.append(
            (words(setting, noise), float(risk_curve(setting, made)[-1]), over_optimum(setting, made), _worst_of_late(setting, made),
             found.step_error, found.prefix_max, found.prefix_rms, found.sensitivity, int(found.buffers), float(found.operations),
             "yes" if found.anytime else "no")
        )
    return Table(
        title="Side by side",
        columns=(
            "noise", "suboptimality", optimum_column(setting), "worst of the last tenth", "error of a step", "running sum, largest",
            "running sum, rms", "sensitivity", "buffers", "operations a step", "any time?",
        ),
        rows=tuple(sorted(rows, key=lambda row: row[1])),
        source=f"{PAPER}, Table 3; the numbers are ours",
        caption=(
            "Errors are standard deviations at equal privacy, in clip norms; sensitivity alone depends on how C is scaled. Buffers: "
            "tensors as large as the model that a stream keeps; operations: multiply-adds a step for each parameter. Any time: the run may go on for longer than was "
            "planned. Worst of the last tenth: the highest suboptimality over the last tenth of the run, which tells a noise that "
            "is good at the last step only. Times the optimum: the part of the suboptimality after the last step that privacy "
            "causes, over what the best Toeplitz noise for this problem leaves"
            + (" (the best where a record is used once, charged here for as many uses as the others). " if setting.participations > 1 else ". ")
            + "Click a column to sort by it."
        ),
        status=stability(setting),
        settings=asdict(setting),
    )


def optimum_column(setting: NoiseSetting) -> str:
    """What a noise is measured by: the best Toeplitz noise, which is known for one use of each record."""
    return "times the optimum" if setting.participations == 1 else "times the optimum for one use"


def final_risks(setting: NoiseSetting) -> dict[str, float]:
    """Exact suboptimality after the last step under each noise shown, by name."""
    return {noise: float(risk_curve(setting, made)[-1]) for noise, made in arms(setting).chosen.items()}


def plain_risk(setting: NoiseSetting) -> float:
    """Exact suboptimality after the last step under DP-SGD's noise."""
    return float(risk_curve(setting, independent())[-1])


class Winner(NamedTuple):
    """The noise that ends best: its name, DP-SGD's suboptimality over its own, and two ratios of the error from privacy.

    `over_optimum`: to what the best Toeplitz noise leaves. `before`: the worst of the last tenth over the last step. `tied`
    says that every noise shown ends as DP-SGD does.
    """

    noise: str
    gain: float
    over_optimum: float
    before: float
    tied: bool

    @property
    def late(self) -> bool:
        """Whether it is ahead at the last step only: the error from privacy was a quarter larger within the last tenth."""
        return self.gain > 1.005 and self.before > 1.25


def winner(setting: NoiseSetting) -> Winner | None:
    """The best of the noises shown that were not made for this problem, or else of all shown; None where all diverge."""
    risks = final_risks(setting)
    if stability(setting) or not risks:
        return None
    best = min({noise: risks[noise] for noise in risks if noise not in OPTIMA} or risks, key=risks.get)
    made = arms(setting).chosen[best]
    plain = plain_risk(setting)
    tied = all(math.isclose(risk, plain, rel_tol=1e-9) for risk in risks.values())
    return Winner(best, plain / risks[best], over_optimum(setting, made), _late_over_last(setting, made), tied)


def verdict(setting: NoiseSetting) -> str:
    """Who wins, by how much and why, in plain words, from the numbers alone; and what could not be shown."""
    found = winner(setting)
    if found is None:
        return " ".join((stability(setting) or "Nothing can be compared.", refusals(setting))).strip()
    made = arms(setting).chosen[found.noise]
    after = f"After {count(setting.steps, 'step')} at epsilon = {setting.epsilon:g}"
    if found.tied:
        return " ".join((f"{after}: every noise shown ends exactly as DP-SGD does; nothing is taken back.", refusals(setting))).strip()
    sentences = [f"{after}: {spelled(setting, found.noise)} {_ends(found.gain)}."]
    if found.noise == "independent":
        sentences.append("No correlation shown cancels more than it costs.")
    elif found.gain > 1.005:
        step = characterise(made, setting.steps, setting.participations, setting.separation).step_error
        plain = characterise(independent(), setting.steps, setting.participations, setting.separation).step_error
        felt = privacy_risk(setting, made) / privacy_risk(setting, independent())
        sentences.append(
            f"Why: for the same privacy a step gets {(step / plain) ** 2:.3g} times the noise power that it gets from DP-SGD, but so much is "
            f"taken back before gradient descent feels it that the error from privacy is {felt:.2g} times DP-SGD's."
        )
    if found.late:
        sentences.append(
            f"But at the last step only: within the last tenth of the run its error from privacy is up to {found.before:.3g} times as large."
        )
    sentences.append(f"{_optimum_words(setting)} {_compared(found.over_optimum)}.")
    losers = [spelled(setting, noise) for noise, risk in final_risks(setting).items() if risk > 1.005 * plain_risk(setting)]
    if losers:
        sentences.append(f"LOSES to plain DP-SGD: {', '.join(losers)}.")
    return " ".join((*sentences, refusals(setting))).strip()


def words(setting: NoiseSetting, noise: str) -> str:
    """What a noise is called in the legend, with the restarts that it has."""
    return NOISES[noise] + (f" x {setting.restarts}" if setting.restarts > 1 and noise != "independent" else "")


def spelled(setting: NoiseSetting, noise: str) -> str:
    """What a noise is called in a sentence, with its parameter."""
    own = {
        "nu_ftrl": f" (nu = {setting.nu:g})",
        "lambda_cgd": f" (lambda = {setting.correlation:g})",
        "banded_root": f" ({setting.bands} bands)",
        "banded_inverse_root": f" ({setting.bands} bands)",
    }
    return words(setting, noise) + own.get(noise, "")


def risk_curve(setting: NoiseSetting, made: Mechanism) -> np.ndarray:
    """Exact suboptimality after 0..steps steps under one noise at the setting's privacy, (steps + 1,)."""
    problem = _problem(setting)
    return _risk_curve(problem, setting.steps, made, noise_std(setting, made))


def optimum(setting: NoiseSetting) -> Mechanism:
    """The Toeplitz noise of least suboptimality after the last step, under one use of each record and no restarts."""
    return mechanism(replace(setting, restarts=1), "best_toeplitz")


def privacy_risk(setting: NoiseSetting, made: Mechanism) -> float:
    """What of the suboptimality after the last step privacy causes under one noise."""
    without = _risk_curve(_problem(setting), setting.steps, independent(), 0.0)
    return float(risk_curve(setting, made)[-1] - without[-1])


def over_optimum(setting: NoiseSetting, made: Mechanism) -> float:
    """The error that privacy causes at the last step, over that under `optimum`; NaN where every method diverges."""
    return math.nan if stability(setting) else privacy_risk(setting, made) / privacy_risk(setting, optimum(setting))


def _problem(setting: NoiseSetting) -> tuple:
    """The arguments of `problem()`, hashable."""
    return tuple((key, tuple(value) if isinstance(value, np.ndarray) else value) for key, value in setting.problem().items())


@lru_cache(maxsize=256)
def _risk_curve(problem: tuple, steps: int, made: Mechanism, std: float) -> np.ndarray:
    arguments = dict(problem)
    if isinstance(made, ToeplitzMechanism):
        curve = quadratic.excess_risk_curve(noising_coef=made.noising_coef(steps), noise_std=std, steps=steps, **arguments)
    else:
        curve = quadratic.excess_risk_curve_dense(noising_matrix=made.noising_matrix(steps), noise_std=std, **arguments)
    curve.flags.writeable = False
    return curve


def _worst_of_late(setting: NoiseSetting, made: Mechanism) -> float:
    """The largest suboptimality over the last tenth of the run."""
    return float(risk_curve(setting, made)[-(setting.steps // 10) - 1 :].max())


def _late_over_last(setting: NoiseSetting, made: Mechanism) -> float:
    """The largest error from privacy over the last tenth of the run, over that after the last step: ordinary learning is in neither."""
    caused = risk_curve(setting, made) - _risk_curve(_problem(setting), setting.steps, independent(), 0.0)
    return float(caused[-(setting.steps // 10) - 1 :].max() / caused[-1])


def _uses(setting: NoiseSetting) -> str:
    if setting.participations == 1:
        return "each record used once"
    return f"each record used {setting.participations} times, {count(setting.separation, 'step')} apart"


def _ends(gain: float) -> str:
    if gain == 1:
        return "is best"
    if abs(gain - 1) < 0.005:
        return "is best, within half a percent of DP-SGD"
    if gain > 1:
        return f"wins, with {gain:.3g} times less error than DP-SGD"
    return f"is the best shown and LOSES, with {1 / gain:.3g} times the error of DP-SGD"


def _optimum_words(setting: NoiseSetting) -> str:
    if setting.participations == 1:
        return "The best Toeplitz noise for this problem"
    return "The Toeplitz noise that is best where a record is used once"


def _compared(over: float) -> str:
    if over < 0.995:
        return f"would leave {1 / over:.3g} times MORE of the error that privacy causes, at the last step"
    if over < 1.005:
        return "would leave just as much of the error that privacy causes"
    return f"would leave {over:.3g} times less of the error that privacy causes"
