"""Where a full-batch method can spend better: not in the correlation of its noise, but in when it spends its budget."""

from dataclasses import asdict

import numpy as np

from core import mechanisms
from core.experiments.intervals.errors import STEPS
from core.experiments.intervals.setting import SCHEDULES, IntervalSetting
from core.learners.budget import last_iterate_variance
from core.mechanisms import Mechanism
from core.results import Table

_SQUARE_ROOT = tuple(mechanisms.optimal_counting().noising_coef(STEPS).tolist())  # as numbers, whose sensitivity is a plain sum
_CORRELATED: dict[str, Mechanism] = {
    "correlated: optimal counting": mechanisms.toeplitz(_SQUARE_ROOT),
    "correlated: nu-FTRL, nu = 0.1": mechanisms.nu_ftrl(0.1),
    "correlated: lambda = 0.5": mechanisms.lambda_cgd(0.5),
}


def last_iterate_noise(setting: IntervalSetting, schedule: str, steps: int = STEPS) -> float:
    """Variance of one coordinate of theta_T at eigenvalue 1, in units of (2 clip_norm / n)^2 / (2 rho); independent noise.

        eta^2 sum_t a^(2(T-t)) / share_t,   a = 1 - eta

    Guarantees: the geometric schedule attains the least value that any noise has, (eta sum_t a^(T-t))^2.
    """
    shares = SCHEDULES[schedule].shares(steps, setting.learning_rate)
    return last_iterate_variance(shares**-0.5, setting.learning_rate)


def correlated_noise(setting: IntervalSetting, mechanism: Mechanism, steps: int = STEPS) -> float:
    """The same for correlated noise: |C 1|^2 |felt' B|^2, because every record is in every step."""
    charged = mechanism.sensitivity(steps, participations=steps, separation=1)
    return last_iterate_variance(np.full(steps, charged), setting.learning_rate, mechanism.noising_matrix(steps))


def budgets(setting: IntervalSetting) -> Table:
    """The noise left in the last iterate, at the same rho: even and geometric budgets, and three correlated noises."""
    even = last_iterate_noise(setting, "uniform")
    found = {"independent, even budget (the paper)": even}
    if setting.learning_rate < 1:
        found["independent, geometric budget"] = last_iterate_noise(setting, "geometric")
    found |= {words: correlated_noise(setting, mechanism) for words, mechanism in _CORRELATED.items()}
    rows = tuple((words, value, (value / even) ** 0.5) for words, value in found.items())
    return Table(
        title="Why correlated noise cannot help here, and what does",
        columns=("noise", "variance", "error, times"),
        rows=rows,
        source="arXiv 2402.13531, Lemma 2.1; the comparison is ours",
        caption=(
            "Full batch means that every record is in every step, so what correlated noise takes back later, the same record shows again: its "
            "price is the norm of all columns of C together, and it loses. Independent noise that spends rho_t in proportion to "
            "(1 - learning rate)^(T-t) attains the least variance that any noise can have, because early noise is forgotten anyway. "
            f"Variance of the last of {STEPS} steps in units of (2 C/n)^2 / (2 rho), error against the even budget; eigenvalue 1, the same rho. "
            "Long chains cannot use it: their first steps would get almost nothing. "
            "Independent short runs can: try the preset Budget schedule."
        ),
        settings=asdict(setting) | {"panel_steps": STEPS},
    )
