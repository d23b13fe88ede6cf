"""What is minimised. Importing this room costs nothing: torch is imported by the modules that hold tensors.

All problems share one fact: the gradient of one example is an outer product `a h'`, so that its norm is `|a| |h|` and a
clipped sum over a batch is one matmul (`core.learners.clipping`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Batch:
    """The examples of one step, shared by all arms: `features` (replicates, B, features), `labels` (replicates, B).

    `weights` (replicates, B): 1 for an example that joins, 0 for an empty place; None where no place is empty.
    """

    features: Tensor
    labels: Tensor
    weights: Tensor | None = None


class Problem(Protocol):
    """Minimise F(theta) = E f(theta; example) + ridge/2 |theta|^2 over theta (arms, replicates, outputs, features).

    `n_samples`: records in the data set, None for an endless stream of fresh examples. `start` (outputs, features).
    `ridge`: the part of the gradient that no record enters, ridge * theta; it is neither clipped nor charged.
    `dtype`, and the device of `start`, are those of every tensor that goes in or out.
    """

    outputs: int
    features: int
    n_samples: int | None
    ridge: float
    start: Tensor
    dtype: torch.dtype

    def to(self, device: torch.device) -> Problem:
        """The same problem with its tensors on `device`."""

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """`a` (arms, replicates, B, outputs) and `h` (replicates, B, features): example i has gradient a_i h_i'."""

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        """What is worth watching: glossary name -> (arms, replicates)."""


@runtime_checkable
class Endless(Problem, Protocol):
    """A problem with `n_samples = None`: every batch is new, so no example takes part twice."""

    def draw(self, replicates: int, batch_size: int, generator: torch.Generator) -> Batch:
        """A fresh batch for every replicate."""


@runtime_checkable
class Finite(Problem, Protocol):
    """A problem with `n_samples` records, of which a sampler picks."""

    def batch(self, picks: Tensor) -> Batch:
        """The records with indices `picks` (replicates, B)."""
