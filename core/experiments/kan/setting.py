"""One frozen `KanSetting` holds every control; the data and the lambdas compared follow from it."""

from dataclasses import dataclass
from functools import lru_cache

from core.check import choice, real, require, whole
from core.comparison.controls import Controls
from core.devices import DEVICES
from core.learners.batches import FixedSize, Poisson, Sampling
from core.problems.datasets import DATASETS, TwoClasses

CORRELATIONS = (0.0, 0.25, 0.5, 0.75, 0.9)
"""The lambdas that every run compares, beside the viewer's own."""
ACCOUNTANTS = ("tight", "spectral")
"""Bounds of `core.amplification` that Poisson batches can be calibrated by."""
SAMPLINGS: dict[str, Sampling] = {"poisson": Poisson(), "fixed_size": FixedSize()}
"""How records join the batches of a step, by name."""


@dataclass(frozen=True)
class KanSetting(Controls):
    """Every control of the experiment: scalars, checked at birth, hashable; it fits in a URL.

    `accountant`: which bound of `core.amplification` calibrates Poisson batches; batches of a fixed size are charged by
    counting participations, the only charge that is true for them. `private=False` trains without noise and clipping.

    Raises: ValueError naming field, value and requirement.
    """

    correlation: float = 0.75
    width: int = 64
    n_basis: int = 8
    dataset: str = "additive_teacher"
    batch_size: int = 120
    steps: int = 300
    learning_rate: float = 16.0
    clip_norm: float = 0.5
    epsilon: float = 1.0
    delta: float = 1e-5
    replicates: int = 5
    seed: int = 0
    device: str = "auto"
    accountant: str = "tight"
    sampling: str = "poisson"
    private: bool = True

    def __post_init__(self) -> None:
        real("correlation", self.correlation, at_least=0, at_most=0.999)
        whole("width", self.width, at_least=1, at_most=4096)
        whole("n_basis", self.n_basis, at_least=4, at_most=64)
        choice("dataset", self.dataset, tuple(DATASETS))
        whole("batch_size", self.batch_size, at_least=1, at_most=100_000)
        whole("steps", self.steps, at_least=1, at_most=20_000)
        real("learning_rate", self.learning_rate, above=0, at_most=1e4)
        real("clip_norm", self.clip_norm, at_least=1e-6, at_most=1e6)
        real("epsilon", self.epsilon, at_least=0.01, at_most=100)
        real("delta", self.delta, at_least=1e-12, at_most=0.1)
        whole("replicates", self.replicates, at_least=2, at_most=1000)
        whole("seed", self.seed, at_most=2**31 - 1)
        choice("device", self.device, DEVICES)
        choice("accountant", self.accountant, ACCOUNTANTS)
        choice("sampling", self.sampling, tuple(SAMPLINGS))
        require(isinstance(self.private, bool), "private", self.private, "True or False")


def correlations(setting: KanSetting) -> tuple[float, ...]:
    """The lambdas compared: `CORRELATIONS` and the viewer's own, in rising order."""
    return tuple(sorted({*CORRELATIONS, float(setting.correlation)}))


def data_of(setting: KanSetting) -> TwoClasses:
    """The records of the setting's data set, drawn or split by its seed."""
    return _data(setting.dataset, setting.seed)


@lru_cache(maxsize=4)
def _data(dataset: str, seed: int) -> TwoClasses:
    _, load = DATASETS[dataset]
    return load(seed=seed)
