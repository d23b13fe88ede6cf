"""One frozen `IntervalSetting` holds every control; the records follow from it, or are the viewer's own."""

from dataclasses import dataclass
from functools import lru_cache

from core.check import choice, real, require, whole
from core.comparison.controls import Controls
from core.devices import DEVICES
from core.intervals import CONSTRUCTIONS
from core.learners.budget import Geometric, Schedule, Uniform
from core.problems.designs import DESIGNS, Records, from_table

ADJACENCY = "replace"
"""One record changes into any other: a clipped gradient moves by twice the clip norm."""
TABLES = {"diabetes": "Diabetes: 442 patients, real", "own_table": "Your CSV"}
"""Real records by name."""
SCHEDULES: dict[str, Schedule] = {"uniform": Uniform(), "geometric": Geometric()}
"""How the budget is spent over the steps of a run, by name."""
LARGEST_TABLE = 5_000_000
"""Numbers in the features of one data set."""
LARGEST_CHAINS = 20_000_000
"""Numbers in all iterates of a run."""
LABEL_NOISE = 1.0


@dataclass(frozen=True)
class IntervalSetting(Controls):
    """Every control of the experiment: scalars, checked at birth, hashable; it fits in a URL.

    `rho` is the one total for everything that is published of an experiment, under replacement; `delta` only says which
    epsilon that is. The clip norm is clip_factor * sqrt(dim). `steps` are all gradients of an experiment (mT). `n_samples`
    and `dim` are those of drawn records; a table has its own.

    Raises: ValueError naming field, value and requirement.
    """

    design: str = "isotropic"
    n_samples: int = 10_000
    dim: int = 10
    rho: float = 0.015
    delta: float = 1e-6
    clip_factor: float = 5.0
    learning_rate: float = 0.25
    steps: int = 250
    groups: int = 10
    burn_in: int = 20
    construction: str = "batched_means"
    schedule: str = "uniform"
    replicates: int = 40
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        choice("design", self.design, (*DESIGNS, *TABLES))
        whole("n_samples", self.n_samples, at_least=10, at_most=1_000_000)
        whole("dim", self.dim, at_least=2, at_most=500)
        real("rho", self.rho, at_least=1e-6, at_most=1000)
        real("delta", self.delta, at_least=1e-12, at_most=0.1)
        real("clip_factor", self.clip_factor, at_least=0.01, at_most=1000)
        real("learning_rate", self.learning_rate, above=0, at_most=10)
        whole("steps", self.steps, at_least=4, at_most=20_000)
        whole("groups", self.groups, at_least=2, at_most=100)
        whole("burn_in", self.burn_in, at_most=5000)
        choice("construction", self.construction, tuple(CONSTRUCTIONS))
        choice("schedule", self.schedule, tuple(SCHEDULES))
        whole("replicates", self.replicates, at_least=2, at_most=1000)
        whole("seed", self.seed, at_most=2**31 - 1)
        choice("device", self.device, DEVICES)


@dataclass(frozen=True)
class OwnTable:
    """The viewer's CSV file, and the column to predict."""

    content: bytes = b""
    target: str = ""


def records_of(setting: IntervalSetting, own: OwnTable | None = None) -> Records:
    """One data set: drawn by the setting's seed, or a table.

    Raises: ValueError in one sentence for records that cannot be drawn or read.
    """
    if setting.design in DESIGNS:
        require(
            setting.n_samples * setting.dim <= LARGEST_TABLE,
            "n_samples", setting.n_samples, f"at most {LARGEST_TABLE // setting.dim:,} with {setting.dim} features",
        )
        return _drawn(setting.design, setting.n_samples, setting.dim, setting.seed)
    if setting.design == "diabetes":
        return _diabetes()
    require(own is not None and bool(own.content), "CSV file", "", "one with a header row and numbers below it: choose it above")
    found = _own(own)
    most = f"at most {LARGEST_TABLE // found.dim:,} with {found.dim} features"
    require(found.n_samples * found.dim <= LARGEST_TABLE, "rows below the header", found.n_samples, most)
    return found


def is_drawn(setting: IntervalSetting) -> bool:
    """Whether the records are drawn by formula, so that the truth behind them is known."""
    return setting.design in DESIGNS


@lru_cache(maxsize=3)
def _drawn(design: str, n_samples: int, dim: int, seed: int) -> Records:
    return DESIGNS[design][1](n_samples, dim, label_noise=LABEL_NOISE, seed=seed)


@lru_cache(maxsize=1)
def _diabetes() -> Records:
    from core.problems import tables  # brings torch

    return from_table(tables.diabetes())


@lru_cache(maxsize=2)
def _own(own: OwnTable) -> Records:
    from core.problems import tables  # brings torch

    return from_table(tables.from_csv(own.content, own.target))
