"""The noises of a setting, each at the setting's privacy, and in words those that cannot be had."""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core import mechanisms, privacy
from core.check import require, vector
from core.experiments.mechanisms.setting import HANDLES, HIGHEST, LOWEST, NOISES, NoiseSetting
from core.mechanisms import Mechanism
from core.theory import workload

_MAKE: dict[str, Callable[[NoiseSetting], Mechanism]] = {
    "independent": lambda setting: mechanisms.independent(),
    "nu_ftrl": lambda setting: mechanisms.nu_ftrl(setting.nu),
    "lambda_cgd": lambda setting: mechanisms.lambda_cgd(setting.correlation),
    "anti_pgd": lambda setting: mechanisms.anti_pgd(0.0),
    "optimal_counting": lambda setting: mechanisms.optimal_counting(),
    "optimal_for": lambda setting: _optimal_for(setting.learning_rate, setting.batch_size, tuple(setting.eigenvalues)),
    "best_toeplitz": lambda setting: _best_toeplitz(setting.learning_rate, setting.batch_size, setting.steps, tuple(setting.eigenvalues)),
    "binary_tree": lambda setting: mechanisms.binary_tree("none"),
    "honaker": lambda setting: mechanisms.binary_tree("honaker"),
    "full_honaker": lambda setting: mechanisms.binary_tree("full"),
    "fft": lambda setting: mechanisms.fft_mechanism(),
    "banded_root": lambda setting: mechanisms.banded_root(setting.bands),
    "banded_inverse_root": lambda setting: mechanisms.banded_inverse_root(setting.bands),
    "optimal_dense": lambda setting: _multi_epoch(setting.steps, setting.separation if setting.participations > 1 else None),
    "toeplitz": lambda setting: own_noise(setting),
}


LONGEST_DENSE = 512
"""Steps up to which a page can wait for the best matrix."""


class Arms(NamedTuple):
    """The noises shown that can be charged, and for each of the others why not; by name."""

    chosen: dict[str, Mechanism]
    refused: dict[str, str]


@lru_cache(maxsize=128)
def arms(setting: NoiseSetting) -> Arms:
    """The noises that the setting shows, restarted as it says.

    Guarantees: every chosen one has a sensitivity for the setting's steps and participations.
    """
    chosen, refused = {}, {}
    for noise in setting.shown.split(","):
        try:
            made = mechanism(setting, noise)
            sensitivity(setting, made)
        except ValueError as error:
            refused[noise] = str(error)
        else:
            chosen[noise] = made
    return Arms(chosen, refused)


def refusals(setting: NoiseSetting) -> str:
    """Which of the noises shown cannot be had, and why, in sentences; those of one reason together."""
    if crowded(setting):
        return crowded(setting)
    reasons: dict[str, list[str]] = {}
    for noise, reason in arms(setting).refused.items():
        reasons.setdefault(reason, []).append(NOISES[noise])
    return " ".join(f"Not shown: {', '.join(noises)} ({reason})." for reason, noises in reasons.items())


def crowded(setting: NoiseSetting) -> str:
    """Empty when the uses of a record fit into the run, else a sentence that says they do not."""
    if setting.participations <= setting.steps:
        return ""
    return f"{setting.participations} uses of a record do not fit into {count(setting.steps, 'step')}: a step can use it once."


def count(number: int, thing: str) -> str:
    """A number of things in words: 1 step, 10 steps."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def mechanism(setting: NoiseSetting, noise: str) -> Mechanism:
    """One noise of `NOISES` under the setting, begun anew as often as it says.

    Raises: ValueError in one sentence where there is no such noise for this problem.
    """
    made = _MAKE[noise](setting)
    if setting.restarts == 1 or noise == "independent":
        return made
    return mechanisms.stamped(made, -(-setting.steps // setting.restarts))


def own_noise(setting: NoiseSetting) -> Mechanism:
    """The viewer's own noise: of the spectrum drawn, or of the coefficients typed.

    Raises: ValueError in one sentence for a text that holds no such numbers.
    """
    if setting.own == "typed":
        typed = numbers("coefficients", setting.coefficients)
        require(typed[0] != 0, "coefficients", setting.coefficients, "a first number other than 0: a step cannot do without noise of its own")
        return mechanisms.toeplitz(tuple(typed))
    return mechanisms.from_spectrum(HANDLES, 10.0 ** handle_levels(setting))


def handle_levels(setting: NoiseSetting) -> np.ndarray:
    """log10 of the power drawn at each of `HANDLES`. Raises: ValueError unless there is one in range for each."""
    levels = vector("levels", numbers("levels", setting.levels), length=len(HANDLES))
    if levels.min() < LOWEST or levels.max() > HIGHEST:
        raise ValueError(f"levels={setting.levels!r}, expected numbers from {LOWEST:g} to {HIGHEST:g}")
    return levels


def numbers(field: str, text: str) -> np.ndarray:
    """The numbers in a text, apart by spaces, commas or semicolons. Raises: ValueError naming the first that is none."""
    words = text.replace(",", " ").replace(";", " ").split()
    values = []
    for word in words:
        try:
            values.append(float(word))
        except ValueError:
            raise ValueError(f"{field}={word[:20]!r}, expected numbers with spaces or commas between them") from None
    return vector(field, values)


def sensitivity(setting: NoiseSetting, made: Mechanism) -> float:
    """Sensitivity of a noise under the setting's participations [clip_norm].

    Raises: ValueError in one sentence where it is not known, or as good as infinite.
    """
    if crowded(setting):
        raise ValueError(crowded(setting).removesuffix("."))
    return _sensitivity(made, setting.steps, setting.participations, setting.separation)


def noise_multiplier(setting: NoiseSetting, made: Mechanism) -> float:
    """Noise multiplier [clip_norm] that makes the run (epsilon, delta)-private, rounded up; zero-out adjacency."""
    return privacy.multiplier_for(sensitivity(setting, made), _gdp_mu(setting.epsilon, setting.delta))


def noise_std(setting: NoiseSetting, made: Mechanism) -> float:
    """Standard deviation of one coordinate of the seed noise on the mean gradient, at clip norm 1."""
    return noise_multiplier(setting, made) / setting.batch_size


@lru_cache(maxsize=8)
def _multi_epoch(steps: int, bands: int | None) -> Mechanism:
    """The matrix of least error for running sums; in bands as wide as uses of a record are apart where there are several."""
    require(steps <= LONGEST_DENSE, "steps", steps, f"at most {LONGEST_DENSE} for the best matrix, which takes long")
    return mechanisms.optimal_dense(workload.prefix_sums(steps), bands)


@lru_cache(maxsize=256)
def _gdp_mu(epsilon: float, delta: float) -> float:
    return privacy.gdp_mu_for(epsilon, delta)


@lru_cache(maxsize=512)
def _sensitivity(made: Mechanism, steps: int, participations: int, separation: int) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            found = made.sensitivity(steps, participations, separation)
        except ValueError as error:
            if participations == 1:
                raise
            raise ValueError(
                f"{participations} uses of a record cannot be charged exactly unless the record fades from step to step in what is released"
            ) from error
    require(np.isfinite(found), "noise", made.label, f"one whose draws can be told from what is released for {steps} steps")
    return found


@lru_cache(maxsize=32)
def _optimal_for(learning_rate: float, batch_size: int, eigenvalues: tuple[float, ...]) -> Mechanism:
    return mechanisms.optimal_for(eigenvalues, learning_rate, batch_size)


@lru_cache(maxsize=32)
def _best_toeplitz(learning_rate: float, batch_size: int, steps: int, eigenvalues: tuple[float, ...]) -> Mechanism:
    return mechanisms.best_toeplitz(workload.last_iterate(eigenvalues, learning_rate, steps, batch_size))
