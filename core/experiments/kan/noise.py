"""What each lambda is charged at the same privacy, by every accountant, and the noise that training feels of it."""

import math
from dataclasses import asdict

import numpy as np

from core import amplification
from core.check import require
from core.experiments.kan.known import in_table, tight
from core.experiments.kan.setting import KanSetting, correlations, data_of
from core.problems.datasets import TwoClasses
from core.results import Curve, Result, Table

GRID = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Lambdas at which a curve against lambda is computed."""
SOURCE = "arXiv 2605.12648, Appendix F"
WORDS = {
    "tight": "tight, certified",
    "spectral": "spectral bound",
    "closed_form": "the paper's closed form",
    "no_amplification": "without amplification",
}
"""The accountants in words."""


def noise_multiplier(setting: KanSetting, correlation: float, n_samples: int) -> float:
    """Noise multiplier [clip_norm] that makes the setting's run on `n_samples` records (epsilon, delta)-private.

    Zero-out adjacency. Poisson batches are charged by the setting's accountant, batches of a fixed size by counting
    participations.

    Raises: ValueError for a batch larger than the data set.
    """
    _check_batch(setting, n_samples)
    method = setting.accountant if setting.sampling == "poisson" else "no_amplification"
    return _by(method, setting, correlation, n_samples)


def charges(setting: KanSetting, correlation: float, n_samples: int) -> dict[str, float | str]:
    """The noise multiplier that each accountant asks for, or the sentence in which it says why it does not apply.

    The keys are those of `WORDS`; "tight", which takes seconds, is there where it is the setting's accountant.
    """
    _check_batch(setting, n_samples)
    asked = [method for method in WORDS if method != "tight" or setting.accountant == "tight"]
    found: dict[str, float | str] = {}
    for method in asked:
        try:
            found[method] = _by(method, setting, correlation, n_samples)
        except ValueError as error:
            words = _refusal(setting, correlation, n_samples) if method == "closed_form" else str(error)
            found[method] = f"not applicable {words}"
    return found


def noise_multipliers(setting: KanSetting, data: TwoClasses | None = None) -> Table:
    """Per lambda the noise multiplier by every accountant, and the slow noise that training feels, DP-SGD's being 1."""
    n_samples = len((data or data_of(setting)).labels)
    rows, independent, refusals = [], None, {}
    for correlation in correlations(setting):
        found = charges(setting, correlation, n_samples)
        best = found[setting.accountant]
        independent = independent or best
        known = [charge if isinstance(charge, float) else "not applicable" for charge in found.values()]
        rows.append((correlation, *known, (1 - correlation) * best / independent))
        refusals |= {(method, correlation > 0): charge for method, charge in found.items() if isinstance(charge, str)}
    because = [f" {WORDS[method].capitalize()} is {words}." for (method, _), words in refusals.items()]
    return Table(
        title="Noise multiplier for the same privacy",
        columns=("lambda", *(WORDS[method] for method in found), "slow noise felt"),
        rows=tuple(rows),
        source=SOURCE,
        caption=(
            f"({setting.epsilon:g}, {setting.delta:g}), zero-out adjacency, {setting.steps:,} steps, sampling rate "
            f"{setting.batch_size / n_samples:.3g}, so that a record joins {setting.batch_size * setting.steps / n_samples:.3g} "
            "times on average. The bounds on Poisson batches are ours; without amplification it also holds for batches of a "
            f"fixed size. Slow noise felt: (1 - lambda) kappa(lambda) / kappa(0) by the {WORDS[setting.accountant]} accountant."
            + "".join(because)
        ),
        settings=asdict(setting),
    )


def accountant_curves(setting: KanSetting, data: TwoClasses | None = None) -> Result:
    """Noise multiplier against lambda by every accountant, at the setting's privacy."""
    n_samples = len((data or data_of(setting)).labels)
    found = {correlation: charges(setting, correlation, n_samples) for correlation in lambdas_of_a_curve(setting, n_samples)}
    curves, refusals = [], []
    for method in found[0.0]:
        known = {x: charge[method] for x, charge in found.items() if isinstance(charge[method], float)}
        if known:
            few = len(known) == 1  # a line of one point cannot be seen
            curves.append(Curve(WORDS[method], list(known), list(known.values()), exact=True, discrete=few))
        if len(known) < len(found):
            refused = dict.fromkeys(charge[method] for charge in found.values() if isinstance(charge[method], str))
            refusals += [f"{WORDS[method].capitalize()} is {words}." for words in refused]
    return Result(
        title="What each accountant charges",
        curves=tuple(curves),
        x_name="correlation",
        y_name="noise_multiplier",
        source=SOURCE,
        caption=(
            "Noise multiplier for the same (epsilon, delta) against lambda. All are upper bounds, so the lowest line is the "
            "one to use; what lies above it is noise that nobody needs. " + " ".join(refusals)
        ).strip(),
        settings=asdict(setting),
    )


def felt_noise(setting: KanSetting, data: TwoClasses | None = None) -> Result:
    """Slow and fast noise against lambda at equal privacy, DP-SGD's being 1.

        slow: (1 - lambda) kappa(lambda) / kappa(0),    fast: (1 + lambda) kappa(lambda) / kappa(0)
    """
    n_samples = len((data or data_of(setting)).labels)
    grid = np.array(lambdas_of_a_curve(setting, n_samples))
    kappa = np.array([noise_multiplier(setting, correlation, n_samples) for correlation in grid])
    ratio = kappa / kappa[0]
    slow = (1 - grid) * ratio
    least = int(np.argmin(slow))
    return Result(
        title="The noise that training feels",
        curves=(
            Curve("slow noise, which adds up over steps", grid, slow, exact=True),
            Curve("fast noise, which alternates", grid, (1 + grid) * ratio, exact=True),
        ),
        x_name="correlation",
        y_name="noise_ratio",
        source=SOURCE,
        caption=(
            "Noise that adds up over the steps falls with lambda where the privacy charge rises more slowly than "
            "1/(1 - lambda); noise that alternates from step to step always rises. A smooth problem hears the slow one, a "
            "two-layer network both: hence a best lambda in between, if there is one."
        ),
        verdict=f"Slow noise is least at lambda = {grid[least]:g}: {slow[least]:.2f} times that of DP-SGD.",
        settings=asdict(setting),
    )


def lambdas_of_a_curve(setting: KanSetting, n_samples: int) -> tuple[float, ...]:
    """Lambdas at which a curve is computed: those compared, and of `GRID` those that take no time.

    The tight accountant takes seconds each, but for those that its table has.
    """
    arguments = setting.batch_size / n_samples, setting.steps, setting.epsilon, setting.delta
    quick = [value for value in GRID if setting.accountant != "tight" or in_table(value, *arguments)]
    return tuple(sorted({*quick, *correlations(setting)}))


def _by(method: str, setting: KanSetting, correlation: float, n_samples: int) -> float:
    rate = setting.batch_size / n_samples
    arguments = (correlation, rate, setting.steps, setting.epsilon, setting.delta)
    if method == "closed_form":
        return amplification.closed_form(*arguments)
    if method == "no_amplification":
        return amplification.calibrate_without_amplification(*arguments)
    if method == "tight":
        return tight(*arguments)
    return amplification.calibrate(*arguments, method=method)


def _refusal(setting: KanSetting, correlation: float, n_samples: int) -> str:
    """Why `amplification.closed_form` refuses a setting, in words for people."""
    rate = setting.batch_size / n_samples
    if correlation == 0:
        return f"at lambda = 0: the proof of Theorem D.9 needs rarer sampling than one record in {1 / rate:.3g}, or more steps, to be true"
    if setting.epsilon > 1:
        return f"above lambda = 0: Theorem F.12 is for an epsilon of at most 1, not {setting.epsilon:g}"
    needed, joins = 3 * math.log(2 / setting.delta), rate * setting.steps
    return f"above lambda = 0: Theorem F.12 needs a record to join about {needed:.3g} steps, and here it joins {joins:.3g}"


def _check_batch(setting: KanSetting, n_samples: int) -> None:
    require(setting.batch_size <= n_samples, "batch_size", setting.batch_size, f"at most the number of records {n_samples}")
