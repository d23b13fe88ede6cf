"""One frozen `Setting` holds every control of the workbench; the arms compared and their noise follow from it."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core import mechanisms, privacy
from core.check import choice, real, whole
from core.comparison.controls import Controls
from core.mechanisms import Mechanism
from core.problems.spectrum import spectrum
from core.theory import quadratic

ADJACENCY = "zero_out"
"""Neighbouring streams differ by one record's gradient, set to zero; each record is used in one step."""


@dataclass(frozen=True)
class Setting(Controls):
    """Every control of the workbench: scalars, checked at birth, hashable; it fits in a URL.

    Raises: ValueError naming field, value and requirement.
    """

    nu: float = 0.01
    correlation: float = 0.9
    learning_rate: float = 0.05
    batch_size: int = 8
    steps: int = 1000
    dim: int = 32
    decay: float = 1.0
    label_noise: float = 0.1
    epsilon: float = 2.0
    delta: float = 1e-6
    clip_norm: float = 1.0
    replicates: int = 20
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        real("nu", self.nu, above=0, at_most=1)
        real("correlation", self.correlation, at_least=0, below=1)
        real("learning_rate", self.learning_rate, above=0, at_most=2)
        whole("batch_size", self.batch_size, at_least=1, at_most=100_000)
        whole("steps", self.steps, at_least=1, at_most=20_000)
        whole("dim", self.dim, at_least=1, at_most=512)
        real("decay", self.decay, at_least=0, at_most=4)
        real("label_noise", self.label_noise, at_least=0, at_most=100)
        real("epsilon", self.epsilon, at_least=0.01, at_most=100)
        real("delta", self.delta, at_least=1e-12, at_most=0.1)
        real("clip_norm", self.clip_norm, at_least=1e-6, at_most=1e6)
        whole("replicates", self.replicates, at_least=2, at_most=1000)
        whole("seed", self.seed, at_most=2**31 - 1)
        choice("device", self.device, ("auto", "cpu", "cuda"))

    @property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of the Hessian (dim,): k^-decay."""
        return spectrum(self.dim, self.decay)

    def problem(self) -> dict:
        """The arguments that describe the regression to `core.theory.quadratic`: start at 0, theta_star = 1/sqrt(dim)."""
        return {
            "eigenvalues": self.eigenvalues,
            "learning_rate": self.learning_rate,
            "steps": self.steps,
            "label_noise": self.label_noise,
            "batch_size": self.batch_size,
            "initial_error": np.full(self.dim, -1 / math.sqrt(self.dim)),
        }


def arms(setting: Setting) -> dict[str, Mechanism]:
    """The mechanisms compared, by their name in `core.names.ARMS`.

    The optimal noise joins where its closed form holds: learning rate below 1 / (largest eigenvalue), and stable.
    """
    chosen = {
        "independent": mechanisms.independent(),
        "lambda_cgd": mechanisms.lambda_cgd(setting.correlation),
        "nu_ftrl": mechanisms.nu_ftrl(setting.nu),
    }
    if setting.learning_rate < min(1.0, largest_stable_learning_rate(setting)):
        spectrum = tuple(setting.eigenvalues.tolist())
        chosen["optimal_for"] = mechanisms.optimal_for(spectrum, setting.learning_rate, setting.batch_size)
    return chosen


def noise_multiplier(setting: Setting, mechanism: Mechanism) -> float:
    """Noise multiplier [clip_norm] that makes `steps` steps (epsilon, delta)-private; zero-out, one participation.

    Guarantees: the release charged by `core.privacy` at this multiplier is at most (epsilon, delta).
    """
    return privacy.multiplier_for(mechanism.sensitivity(setting.steps), gdp_mu(setting), ADJACENCY)


def noise_std(setting: Setting, mechanism: Mechanism) -> float:
    """Standard deviation of one coordinate of the seed noise on the mean gradient."""
    return noise_multiplier(setting, mechanism) * setting.clip_norm / setting.batch_size


def gdp_mu(setting: Setting) -> float:
    """The mu of Gaussian DP that (epsilon, delta) allows, rounded to the private side."""
    return _gdp_mu(setting.epsilon, setting.delta)


@lru_cache(maxsize=256)
def _gdp_mu(epsilon: float, delta: float) -> float:
    return privacy.gdp_mu_for(epsilon, delta)


def largest_stable_learning_rate(setting: Setting) -> float:
    """Learning rate from which on the second moments of every arm grow without bound."""
    return _largest_stable(setting.dim, setting.decay, setting.batch_size)


@lru_cache(maxsize=256)
def _largest_stable(dim: int, decay: float, batch_size: int) -> float:
    return quadratic.largest_stable_learning_rate(spectrum(dim, decay), batch_size)


def stability(setting: Setting) -> str:
    """Empty when the iterates settle, else a sentence with the largest stable learning rate."""
    limit = largest_stable_learning_rate(setting)
    if setting.learning_rate < limit:
        return ""
    return (
        f"The learning rate {setting.learning_rate:g} is not stable here: with these eigenvalues and this batch size "
        f"every method diverges from {limit:.3g} on, whatever its noise."
    )
