"""Which examples join which step, and what that costs in privacy.

Two patterns. *One pass*: an endless problem gives fresh examples, each joins one step. *Cyclic epochs*: each replicate
shuffles its n records once and walks through them in batches of B, round after round. The n mod B records at the end of
its shuffle never join, so that a record that joins at step t joins again at t+b, t+2b, ... with b = floor(n/B) exactly.
Both patterns are fixed without looking at the records, hence the charge needs no sampling argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from core.check import require
from core.privacy import gdp_mu

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from core.learners import Arm
    from core.learners.dp_ftrl import DpFtrlConfig
    from core.problems import Batch, Problem


class Participation(NamedTuple):
    """A record joins at most `participations` steps, any two of them a multiple of `separation` steps apart."""

    participations: int
    separation: int


def participation(problem: Problem, config: DpFtrlConfig) -> Participation:
    """How often one record joins a run: once for fresh examples, else ceil(steps / b) times, b = floor(n / B) apart.

    Guarantees: no record joins more often or at closer steps in the batches that `picks` gives.
    Raises: ValueError when a batch is larger than the data set.
    """
    if problem.n_samples is None:
        return Participation(1, 1)
    separation = _steps_an_epoch(problem.n_samples, config.batch_size)
    return Participation(-(-config.steps // separation), separation)


def charge(problem: Problem, arm: Arm, config: DpFtrlConfig, adjacency: str = "zero_out") -> float:
    """gdp_mu of the whole run for one arm: every iterate may be published. rho = gdp_mu^2 / 2.

    Raises: ValueError for a run that cannot be charged: without clipping, without noise, or with a mechanism whose
        sensitivity to several participations is not known.
    Reference: arXiv 2310.06771, Theorem 1.1, extended to summed columns for several participations.
    """
    unbounded = "True: without it one record can move a step without bound, so nothing is private"
    require(config.clipping, "clipping", config.clipping, unbounded)
    require(arm.noise_multiplier > 0, "noise_multiplier", arm.noise_multiplier, "> 0: without noise nothing is private")
    times, separation = participation(problem, config)
    return gdp_mu(arm.mechanism, config.steps, arm.noise_multiplier, adjacency, times, separation)


def batches(problem: Problem, config: DpFtrlConfig, data: torch.Generator, order: torch.Generator) -> Iterator[Batch]:
    """The batches of a run, one a step: drawn from `data`, or picked from the records by a shuffle from `order`."""
    if problem.n_samples is None:
        while True:
            yield problem.draw(config.replicates, config.batch_size, data)
    for step_picks in picks(problem.n_samples, config, order):
        yield problem.batch(step_picks)


def picks(n_samples: int, config: DpFtrlConfig, order: torch.Generator) -> Iterator[Tensor]:
    """Indices (replicates, B) of the records that join each step of cyclic epochs, without end."""
    import torch

    period = _steps_an_epoch(n_samples, config.batch_size)
    used = min(period, config.steps) * config.batch_size
    options = {"generator": order, "device": order.device}
    shuffled = torch.stack([torch.randperm(n_samples, **options)[:used] for _ in range(config.replicates)])
    rounds = shuffled.reshape(config.replicates, -1, config.batch_size)
    step = 0
    while True:
        yield rounds[:, step % rounds.shape[1]]
        step += 1


def _steps_an_epoch(n_samples: int, batch_size: int) -> int:
    require(batch_size <= n_samples, "batch_size", batch_size, f"at most the number of records {n_samples}")
    return n_samples // batch_size
