"""Which examples join which step, and what that costs in privacy.

An endless problem gives fresh examples, each joins one step. The records of a table join as the config's `sampling`
says: `Cyclic()`, `Poisson()` or `FixedSize()`. No pattern depends on what the records hold, so that one pass, cyclic
epochs and fixed-size batches are charged for the worst pattern that they can draw, without a sampling argument. What
Poisson batches gain by hiding who joins is not Gaussian and is charged elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
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


class Sampling(ABC):
    """How the records of a data set are put into batches; one of the three below."""

    @abstractmethod
    def participation(self, n_samples: int, config: DpFtrlConfig) -> Participation:
        """How often and how close in time one record may join a run."""

    @abstractmethod
    def picks(self, n_samples: int, config: DpFtrlConfig, order: torch.Generator) -> Iterator[Tensor]:
        """Indices (replicates, places) of the records that join each step, without end; -1 leaves a place empty."""


@dataclass(frozen=True)
class Cyclic(Sampling):
    """Each replicate shuffles its n records once and walks through them in batches of B, round after round.

    The n mod B records at the end of its shuffle never join, so that a record that joins at step t joins again at t+b,
    t+2b, ... with b = floor(n/B) exactly.
    """

    def participation(self, n_samples: int, config: DpFtrlConfig) -> Participation:
        separation = n_samples // config.batch_size
        return Participation(-(-config.steps // separation), separation)

    def picks(self, n_samples: int, config: DpFtrlConfig, order: torch.Generator) -> Iterator[Tensor]:
        used = min(n_samples // config.batch_size, config.steps) * config.batch_size
        rounds = _shuffled(n_samples, used, config.replicates, order).reshape(config.replicates, -1, config.batch_size)
        step = 0
        while True:
            yield rounds[:, step % rounds.shape[1]]
            step += 1


@dataclass(frozen=True)
class Poisson(Sampling):
    """Each record joins each step by a coin of its own, with probability B/n: batches vary in size, B on average.

    Sums are divided by B all the same, so that a record's coin changes nothing but its own summand. This is the
    sampling that amplification by subsampling is proved for. At B = n every record joins every step.
    """

    def participation(self, n_samples: int, config: DpFtrlConfig) -> Participation:
        return Participation(config.steps, 1)

    def picks(self, n_samples: int, config: DpFtrlConfig, order: torch.Generator) -> Iterator[Tensor]:
        import torch

        rate, shape = sampling_rate(n_samples, config), (config.replicates, n_samples)
        while True:
            # in double precision the coin is fair to 2^-53; in single precision a rare one would be off visibly
            coins = torch.rand(shape, generator=order, device=order.device, dtype=torch.float64)
            replicates, records = (coins < rate).nonzero(as_tuple=True)
            sizes = replicates.bincount(minlength=config.replicates)
            places = torch.arange(len(records), device=order.device) - (sizes.cumsum(0) - sizes)[replicates]
            chosen = records.new_full((config.replicates, max(1, int(sizes.max()))), -1)
            chosen[replicates, places] = records
            yield chosen


@dataclass(frozen=True)
class FixedSize(Sampling):
    """Each step takes B different records, uniformly, whatever the steps before took: the batches of 2605.12648.

    A record that joins takes the place of another one, which voids the amplification that the paper claims
    (`core.amplification.fixed_size_counterexample`); hence the charge is that of a record that joins every step.
    """

    def participation(self, n_samples: int, config: DpFtrlConfig) -> Participation:
        return Participation(config.steps, 1)

    def picks(self, n_samples: int, config: DpFtrlConfig, order: torch.Generator) -> Iterator[Tensor]:
        while True:
            yield _shuffled(n_samples, config.batch_size, config.replicates, order)


def sampling_rate(n_samples: int, config: DpFtrlConfig) -> float:
    """Probability B/n that a record joins a given step of Poisson batches; what `core.amplification` asks for."""
    return config.batch_size / n_samples


def participation(problem: Problem, config: DpFtrlConfig) -> Participation:
    """How often one record joins a run: once for fresh examples, else as `config.sampling` says.

    Cyclic epochs: ceil(steps / b) times, b = floor(n / B) apart. Poisson and fixed-size batches: perhaps at every step.
    Guarantees: no record joins more often or at closer steps in the batches that `picks` gives.
    Raises: ValueError when a batch is larger than the data set, and for sampling from an endless problem.
    """
    if problem.n_samples is None:
        endless = "Cyclic() where every example is new: there are no records to sample from"
        require(config.sampling == Cyclic(), "sampling", config.sampling, endless)
        return Participation(1, 1)
    _check_batch(problem.n_samples, config)
    return config.sampling.participation(problem.n_samples, config)


def charge(problem: Problem, arm: Arm, config: DpFtrlConfig, adjacency: str = "zero_out") -> float:
    """gdp_mu of the whole run for one arm: every iterate may be published. rho = gdp_mu^2 / 2.

    Fixed-size batches are charged as if the record joined every step: norm of C times ones.

    Raises: ValueError for a run that cannot be charged: without clipping, without noise, with a mechanism whose
        sensitivity to several participations is not known, or with Poisson batches, which `core.amplification`
        charges at `sampling_rate`.
    Reference: arXiv 2310.06771, Theorem 1.1, extended to summed columns for several participations.
    """
    unbounded = "True: without it one record can move a step without bound, so nothing is private"
    require(config.clipping, "clipping", config.clipping, unbounded)
    require(arm.noise_multiplier > 0, "noise_multiplier", arm.noise_multiplier, "> 0: without noise nothing is private")
    not_gaussian = "a pattern charged as one Gaussian release; Poisson batches are charged by core.amplification"
    require(not isinstance(config.sampling, Poisson), "sampling", config.sampling, not_gaussian)
    times, separation = participation(problem, config)
    return gdp_mu(arm.mechanism, config.steps, arm.noise_multiplier, adjacency, times, separation)


def batches(problem: Problem, config: DpFtrlConfig, data: torch.Generator, order: torch.Generator) -> Iterator[Batch]:
    """The batches of a run, one a step: drawn from `data`, or picked from the records by chance from `order`.

    An empty place holds some record at weight 0.
    """
    if problem.n_samples is None:
        while True:
            yield problem.draw(config.replicates, config.batch_size, data)
    for step_picks in picks(problem.n_samples, config, order):
        if isinstance(config.sampling, Poisson):
            weights = (step_picks >= 0).to(problem.dtype)
            yield replace(problem.batch(step_picks.clamp(min=0)), weights=weights)
        else:
            yield problem.batch(step_picks)


def picks(n_samples: int, config: DpFtrlConfig, order: torch.Generator) -> Iterator[Tensor]:
    """Indices (replicates, places) of the records that join each step, without end; -1 leaves a place empty.

    All arms share them; replicates draw their own. Cyclic and fixed-size batches fill their B places.
    """
    _check_batch(n_samples, config)
    return config.sampling.picks(n_samples, config, order)


def _shuffled(n_samples: int, kept: int, replicates: int, order: torch.Generator) -> Tensor:
    """The first `kept` records (replicates, kept) of one uniform shuffle for each replicate."""
    import torch

    options = {"generator": order, "device": order.device}
    return torch.stack([torch.randperm(n_samples, **options)[:kept] for _ in range(replicates)])


def _check_batch(n_samples: int, config: DpFtrlConfig) -> None:
    fits = config.batch_size <= n_samples
    require(fits, "batch_size", config.batch_size, f"at most the number of records {n_samples}")
