"""Learners are generators of snapshots: `for snapshot in dp_ftrl(problem, arms, config)`.

They never print, draw, save or sleep. Importing this room costs nothing: torch is imported by the modules that train.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.check import real, require

if TYPE_CHECKING:
    from torch import Tensor

    from core.mechanisms import Mechanism


@dataclass(frozen=True, eq=False)
class Arm:
    """One thing being compared: a mechanism, its noise_multiplier [clip_norm] and its learning_rate, under a label.

    noise_multiplier 0 means no noise at all, and no privacy.
    """

    label: str
    mechanism: Mechanism
    noise_multiplier: float
    learning_rate: float

    def __post_init__(self) -> None:
        from core.mechanisms.base import check_mechanism  # costs nothing where there is a mechanism

        require(isinstance(self.label, str) and bool(self.label), "label", self.label, "a few words")
        check_mechanism(self.mechanism)
        real("noise_multiplier", self.noise_multiplier, at_least=0.0)
        real("learning_rate", self.learning_rate, above=0.0)


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a learner shows after `step` steps; safe to keep.

    `theta` (arms, replicates, outputs, features). `measures`: glossary name -> float64 array (arms, replicates).
    `status`: empty when all went well, else one sentence for each arm that diverged. A diverged replicate has infinite
    theta and infinite risk; NaN appears nowhere.
    """

    step: int
    theta: Tensor
    measures: dict[str, np.ndarray]
    status: str = ""
