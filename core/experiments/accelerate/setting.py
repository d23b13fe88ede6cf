"""One frozen `AccelerateSetting` holds every control; problem, ball and numbers of steps follow from it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.check import choice, real, whole
from core.comparison.controls import Controls
from core.devices import DEVICES
from core.problems import Problem
from core.problems.datasets import TwoClasses, breast_cancer
from core.problems.logistic import LogisticDesign, TableLogistic
from core.problems.regression import GaussianDesign
from core.problems.spectrum import spectrum

PROBLEMS = {
    "linear": "Linear regression on drawn records, eigenvalues 1/k that sum to 1",
    "logistic": "Logistic regression on drawn records of length 1/2, eigenvalues 1/k",
    "breast_cancer": "Logistic regression on 427 real records: tumours, malignant or benign",
}
"""What can be learned, by name: words."""
LENGTHS = {"linear": 0.65, "logistic": 4.0, "breast_cancer": 30.0}
"""Length of the best parameters; of the breast cancer table's, which runs away without one, the radius that it is held in."""
ROOM = 1.1
"""The radius of the ball over the length of the best parameters: a bound on it that counts as known."""


@dataclass(frozen=True)
class AccelerateSetting(Controls):
    """Every control of the experiment: scalars, checked at birth, hashable; it fits in a URL.

    `n_samples`, `dim` and `label_noise` are those of drawn records; a table has its own.

    Raises: ValueError naming field, value and requirement.
    """

    problem: str = "linear"
    n_samples: int = 16384
    dim: int = 20
    label_noise: float = 0.3
    epsilon: float = 1.0
    delta: float = 1e-6
    clip_norm: float = 0.5
    replicates: int = 20
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        choice("problem", self.problem, tuple(PROBLEMS))
        whole("n_samples", self.n_samples, at_least=64, at_most=1_000_000)
        whole("dim", self.dim, at_least=1, at_most=1000)
        real("label_noise", self.label_noise, at_least=0, at_most=100)
        real("epsilon", self.epsilon, at_least=0.01, at_most=100)
        real("delta", self.delta, at_least=1e-12, at_most=0.1)
        real("clip_norm", self.clip_norm, at_least=1e-6, at_most=1e6)
        whole("replicates", self.replicates, at_least=2, at_most=1000)
        whole("seed", self.seed, at_most=2**31 - 1)
        choice("device", self.device, DEVICES)


def records(setting: AccelerateSetting) -> int:
    """n: the records that one pass walks through."""
    return len(_tumours(setting.seed).labels) if setting.problem == "breast_cancer" else setting.n_samples


def marks(setting: AccelerateSetting) -> tuple[int, int]:
    """n^(1/4) and sqrt(n), rounded: the numbers of steps that Theorem 4.2 is about."""
    n_samples = records(setting)
    return round(n_samples**0.25), round(n_samples**0.5)


def step_counts(setting: AccelerateSetting) -> tuple[int, ...]:
    """The numbers of steps T compared: 4, 8 and one less than powers of two, n^(1/4) and sqrt(n) among them."""
    quarter, root = marks(setting)
    shown = {4, 8, 15, 31, 63, quarter, root}
    return tuple(sorted(steps for steps in shown if 2 <= steps <= root))


def problem_of(setting: AccelerateSetting) -> Problem:
    """What is learned, in single precision."""
    return _problem(setting.problem, setting.dim, setting.label_noise, setting.seed)


def radius(setting: AccelerateSetting) -> float:
    """The ball that every method is projected on: 1.1 times the length of the best parameters; a table's own."""
    length = LENGTHS[setting.problem]
    return length if setting.problem == "breast_cancer" else ROOM * length


def smoothness(setting: AccelerateSetting) -> float:
    """M: the mean of |x|^2 for least squares, at most max |x|^2 / 4 for logistic loss; rates are counted in 1/M."""
    return {"linear": 1.0, "logistic": 1 / 16, "breast_cancer": 1 / 4}[setting.problem]


@lru_cache(maxsize=4)
def _problem(kind: str, dim: int, label_noise: float, seed: int) -> Problem:
    if kind == "breast_cancer":
        return TableLogistic(_tumours(seed), LENGTHS[kind])
    shares, theta_star = spectrum(dim, 1.0), np.full(dim, LENGTHS[kind] * dim**-0.5)
    shares /= shares.sum()
    if kind == "logistic":
        return LogisticDesign(shares / 4, theta_star)
    return GaussianDesign(shares, label_noise, theta_star)


@lru_cache(maxsize=4)
def _tumours(seed: int) -> TwoClasses:
    return breast_cancer(seed)
