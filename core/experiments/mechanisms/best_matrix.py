"""The best matrix there is, with proof, what it does before the last step, and the bound for losses that are not quadratic."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import lru_cache

from core.comparison import condition, excess
from core.experiments.mechanisms.setting import NoiseSetting
from core.mechanisms import best_toeplitz
from core.mechanisms.dense_optimum import solve
from core.results import Result, Table
from core.theory import workload

LONGEST = 250
"""Steps for which the dense optimum is computed while a viewer waits."""


def last_iterate_trick(setting: NoiseSetting) -> Result:
    """Suboptimality at every step under the matrix that is best at the last one; of the first 250 steps at most."""
    result = _trick(setting.learning_rate, setting.batch_size, dense_steps(setting), tuple(setting.eigenvalues))
    capped = f" Of your {setting.steps:,} steps the first {LONGEST} are shown: the best matrix for more takes long." if setting.steps > LONGEST else ""
    return replace(result, caption=result.caption + capped, settings=asdict(setting) | {"steps": dense_steps(setting)})


def dense_optima(setting: NoiseSetting) -> Table:
    """The best matrix for each of four aims beside the best Toeplitz noise, with a proof of how good it is.

    Errors are of privacy noise alone, at rho = clip_norm = 1 and half the squared sensitivity.
    """
    steps = dense_steps(setting)
    rows = _optima(setting.learning_rate, setting.batch_size, steps, tuple(setting.eigenvalues))
    return Table(
        title="The best matrix for each of four aims",
        columns=("aim", "error of the best matrix", "of the best Toeplitz noise", "ratio", "proven within"),
        rows=rows,
        source="arXiv 2310.06771, Section 4; Denisov et al., arXiv 2202.08312",
        caption=(
            f"{steps} steps, privacy noise alone at rho = 1. 'Proven within': no matrix whatever can be better by a larger share "
            "(duality gap). A matrix that is best for the last step gains most, by a trick: see the chart. For what is averaged "
            "over steps little is left to gain over Toeplitz noise."
        ),
        settings=asdict(setting) | {"steps": steps},
    )


def condition_numbers(setting: NoiseSetting) -> Result:
    """Theorem 3.1 against the condition number, at the learning rate of the setting; curvature is at most 1 here as there."""
    *_, whole = condition_stream(setting)
    return whole


def condition_stream(setting: NoiseSetting) -> Iterator[Result]:
    """`condition_numbers` as it becomes known, from three condition numbers to all: who no longer wants it can stop between."""
    for known in range(3, len(condition.NUMBERS) + 1):
        found = condition.condition_numbers(setting.learning_rate, condition.NUMBERS[:known], setting.multiplier)
        yield replace(found, settings=asdict(setting))


def dense_steps(setting: NoiseSetting) -> int:
    """How many steps the dense optimum is computed for."""
    return min(setting.steps, LONGEST)


@lru_cache(maxsize=16)
def _trick(learning_rate: float, batch_size: int, steps: int, eigenvalues: tuple[float, ...]) -> Result:
    return excess.last_iterate_trick(eigenvalues, learning_rate, steps, batch_size)


@lru_cache(maxsize=16)
def _optima(learning_rate: float, batch_size: int, steps: int, eigenvalues: tuple[float, ...]) -> tuple[tuple, ...]:
    problem = (eigenvalues, learning_rate, steps, batch_size)
    rows = []
    for words, gram in (
        ("suboptimality after the last step", workload.last_iterate(*problem)),
        ("mean suboptimality over all steps", workload.average_risk(*problem)),
        ("suboptimality of the mean iterate", workload.average_iterate(*problem)),
        ("mean square of running sums", workload.prefix_sums(steps)),
    ):
        best, toeplitz = solve(gram), best_toeplitz(gram)
        least = toeplitz.sensitivity(steps) ** 2 * workload.error(gram, toeplitz.noising_matrix(steps))
        rows.append((words, best.error / 2, least / 2, best.error / least, best.gap))
    return tuple(rows)
