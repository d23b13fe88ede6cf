"""DP-AMBSSGD and DP-SSGD: one pass of private SGD whose clip norm is found privately before each step, or is fixed."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from core.check import choice, real, require, whole
from core.devices import DEVICES, resolve
from core.learners import Arm, Snapshot
from core.learners.clipping import clipped_sum
from core.learners.ledger import Spending
from core.learners.loop import Survivors, admitted, correlated_noise, for_run, frozen
from core.learners.randomness import generator, role_seeds
from core.learners.threshold import FixedClip, Threshold
from core.mechanisms import independent
from core.privacy import ADJACENCY
from core.problems import Batch, Endless, Finite, Problem

_REACH = ADJACENCY["replace"]
PARTS = 11
"""A step's records come in so many parts, the first for the search and the rest for the gradient: Theorem 3.7's s = b/10."""


class Layout(ABC):
    """Which records a step looks at."""

    @abstractmethod
    def places(self, step: int, config: "AdaptiveConfig") -> tuple[range, range]:
        """Records of the search and of the gradient batch of a step, as places in the shuffled pass."""


@dataclass(frozen=True)
class OnePass(Layout):
    """N/T records a step, in their shuffled order: the first s for the search, the b behind them for the gradient.

    A threshold with an `overlap` searches that many records more, those that the gradient batch starts with.
    Reference: arXiv 2207.04686, Algorithm 2, lines 3, 6, 7 and 10.
    """

    def places(self, step: int, config: "AdaptiveConfig") -> tuple[range, range]:
        size = config.n_samples // config.steps
        searched = size // PARTS if config.threshold.counts else 0
        first = (step - 1) * size
        overlap = config.threshold.overlap if searched else 0
        return range(first, first + searched + overlap), range(first + searched, first + size)


@dataclass(frozen=True)
class FullBatch(Layout):
    """Every record in every search and every gradient: all that a record is part of adds up."""

    def places(self, step: int, config: "AdaptiveConfig") -> tuple[range, range]:
        everybody = range(config.n_samples)
        return everybody if config.threshold.counts else range(0), everybody


@dataclass(frozen=True)
class AdaptiveConfig:
    """What all arms of a run share: n_samples records a replicate, `steps` steps, and the rule for the clip norm."""

    n_samples: int
    steps: int
    threshold: Threshold
    layout: Layout = OnePass()
    replicates: int = 1
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("n_samples", "steps", "replicates"):
            whole(name, getattr(self, name), at_least=1)
        require(isinstance(self.threshold, Threshold), "threshold", self.threshold, "a core.learners.threshold.Threshold")
        require(isinstance(self.layout, Layout), "layout", self.layout, "OnePass() or FullBatch()")
        whole("seed", self.seed)
        choice("device", self.device, DEVICES)
        searched, taken = self.layout.places(self.steps, self)
        enough = bool(taken) and (bool(searched) or not self.threshold.counts)
        require(enough, "steps", self.steps, f"few enough that {self.n_samples} records leave some for every search and step")

    @property
    def batch_size(self) -> int:
        """Records of one gradient batch."""
        return len(self.layout.places(1, self)[1])


@dataclass(frozen=True)
class ShuffledConfig:
    """What all arms of a DP-SSGD run share: n_samples steps of one record each, clipped to `clip_norm`."""

    n_samples: int
    clip_norm: float
    replicates: int = 1
    seed: int = 0
    device: str = "auto"
    record_every: int = 1

    def __post_init__(self) -> None:
        for name in ("n_samples", "replicates", "record_every"):
            whole(name, getattr(self, name), at_least=1)
        real("clip_norm", self.clip_norm, above=0)
        whole("seed", self.seed)
        choice("device", self.device, DEVICES)


@dataclass(frozen=True, eq=False)
class AdaptiveSnapshot(Snapshot):
    """`theta` is the mean of the last half of the iterates so far, what the run would return now; `iterate` the latest.

    `ledger`: everything spent so far. `measures` from step 1 on also hold the latest step's clip norm
    (`clip_norm`) and the share of its gradients that were longer (`share_clipped`).
    """

    iterate: Tensor | None = None
    ledger: tuple[Spending, ...] = ()


def dp_ambssgd(problem: Problem, arms: Sequence[Arm], config: AdaptiveConfig) -> Iterator[AdaptiveSnapshot]:
    """Find a clip norm zeta privately, take a clipped noisy step, and so on; return the mean of the last half.

        zeta_t  = config.threshold on the sizes |a_i| of the search's records
        w_{t+1} = w_t - learning_rate/b * (sum_i clip(g_i, zeta_t) + zeta_t * noise_multiplier * xi_t)
        theta   = mean of w_{floor(T/2)+1} .. w_T

    noise_multiplier is the paper's 2 alpha. xi is the arm's noise at unit scale: independent in the paper. A correlated
    one is charged exactly too. Divided by zeta_t, which is public by then, every clipped gradient has norm at most 1, so
    the releases (sum_i clip(g_i, zeta_t))/zeta_t + noise_multiplier * xi_t are those of the mechanism under adaptivity,
    and multiplying by zeta_t afterwards costs nothing. The noise is then zeta_t xi_t: it cancels as far as zeta_t stays.

    Guarantees: with a fixed clip norm no search takes place; what the ledger says is what is spent, whatever the
    records hold; no record is looked at in two steps of one pass; the same seed gives the same run.
    Raises: ValueError for what it does not take, no arms, two of one label, more records than the problem has, and for
        correlated noise on full batches, where it buys nothing and a record's steps do not add up one by one.
    Reference: arXiv 2207.04686, Algorithm 2.
    """
    arms = admitted(problem, arms, config, ((Endless, Finite), Arm, AdaptiveConfig))
    ledger = ledger_of(arms, config)
    _enough(problem, config.n_samples)

    def paid(step: int) -> tuple[Spending, ...]:
        return tuple(entry for entry in ledger if entry.step <= step)

    return _run(problem.to(resolve(config.device)), arms, config, paid)


def dp_ssgd(problem: Problem, arms: Sequence[Arm], config: ShuffledConfig) -> Iterator[AdaptiveSnapshot]:
    """One record a step in shuffled order, a fixed clip norm, and the mean of the last half of the iterates.

        w_{t+1} = w_t - learning_rate * (clip(g_t, clip_norm) + clip_norm * noise_multiplier * xi_t)

    It is DP-AMBSSGD with one record a step and no search. In the ledger stands what a record's own step costs; what the
    shuffle makes of it is `core.amplification.shuffled_epsilon(noise_multiplier, n_samples, delta)`, for independent noise.

    Raises: ValueError for what it does not take, no arms, two of one label, correlated noise, more records than the
        problem has.
    Reference: arXiv 2207.04686, Algorithm 1.
    """
    arms = admitted(problem, arms, config, ((Endless, Finite), Arm, ShuffledConfig))
    for arm in arms:
        require(arm.mechanism == independent(), "mechanism", arm.mechanism, "independent(): a shuffle amplifies no other noise")
    n = config.n_samples
    shared = AdaptiveConfig(n, n, FixedClip(config.clip_norm), replicates=config.replicates, seed=config.seed, device=config.device)
    _enough(problem, n)

    def paid(step: int) -> tuple[Spending, ...]:
        return tuple(Spending(arm.label, step, "gradient", range(step), 1, _rho(arm.noise_multiplier)) for arm in arms)

    return _run(problem.to(resolve(config.device)), arms, shared, paid, config.record_every)


def ledger_of(arms: Sequence[Arm], config: AdaptiveConfig) -> tuple[Spending, ...]:
    """What a run of DP-AMBSSGD spends, known before it starts: it depends on no record.

    A gradient batch of step t costs rho = (2 |C e_t| / noise_multiplier)^2 / 2, with C e_t the t-th column of the arm's
    strategy matrix (norm 1 for independent noise), replacement adjacency.

    Raises: ValueError for correlated noise on full batches.
    """
    entries = []
    for arm in arms:
        if arm.mechanism == independent():
            columns = np.ones(config.steps)
        else:
            one_pass = "independent() on full batches: there no correlation beats it, and a record's steps would not just add up"
            require(not isinstance(config.layout, FullBatch), "mechanism", arm.mechanism, one_pass)
            columns = np.linalg.norm(arm.mechanism.strategy_matrix(config.steps), axis=0)
        for step in range(1, config.steps + 1):
            searched, taken = config.layout.places(step, config)
            if config.threshold.counts:
                rule = config.threshold
                entries.append(Spending(arm.label, step, "threshold", searched, rule.counts, rule.rho))
            entries.append(Spending(arm.label, step, "gradient", taken, 1, _rho(arm.noise_multiplier, columns[step - 1])))
    return tuple(entries)


def _rho(noise_multiplier: float, column: float = 1.0) -> float:
    return (_REACH * float(column) / noise_multiplier) ** 2 / 2 if noise_multiplier > 0 else float("inf")


def _enough(problem: Problem, n_samples: int) -> None:
    available = problem.n_samples
    require(available is None or n_samples <= available, "n_samples", n_samples, f"at most the number of records {available}")


@torch.no_grad()
def _run(
    problem: Problem,
    arms: tuple[Arm, ...],
    config: AdaptiveConfig,
    paid: Callable[[int], tuple[Spending, ...]],
    record_every: int = 1,
) -> Iterator[AdaptiveSnapshot]:
    device, options = problem.start.device, {"dtype": problem.dtype, "device": problem.start.device}
    seeds = role_seeds(config.seed)
    counting = generator(seeds.counts, device)
    records = _records(problem, config, seeds)
    shape = (config.replicates, problem.outputs, problem.features)
    noise = correlated_noise(for_run(arms, config.steps), shape, seeds.noise, 1.0, options)
    learning_rate = torch.tensor([arm.learning_rate for arm in arms], **options)[:, None, None, None]

    w = problem.start.expand(len(arms), config.replicates, -1, -1).clone()
    recorded = {*range(record_every, config.steps + 1, record_every), config.steps}
    sums = _PrefixSums(w, {step // 2 for step in recorded})
    survivors = Survivors(w)
    yield AdaptiveSnapshot(0, w.clone(), frozen(problem.risk(w)), iterate=w.clone())
    for step in range(1, config.steps + 1):
        searched, taken = config.layout.places(step, config)
        sizes = _sizes(problem, w, _part(records, searched)) if searched else w.new_empty(*w.shape[:2], 0)
        zeta = config.threshold.find(sizes, lambda: torch.randn(config.replicates, generator=counting, **options))  # line 7
        a, h = problem.factors(w, _part(records, taken))
        total, norms = clipped_sum(a, h, zeta[..., None])
        gradient = (total + zeta[..., None, None] * next(noise)) / len(taken)
        w = w - learning_rate * (gradient + problem.ridge * w)  # line 10
        survivors.count(w)
        sums.add(step, w)
        if step in recorded:
            theta, shown = survivors.shown(sums.tail(step)), survivors.shown(w)
            seen = {"clip_norm": zeta, "share_clipped": (norms > zeta[..., None]).double().mean(-1)}
            measures, status = frozen(problem.risk(theta) | seen), survivors.status(arms, step)
            yield AdaptiveSnapshot(step, theta, measures, status, iterate=shown, ledger=paid(step))


class _PrefixSums:
    """Sums of the iterates, kept where a tail mean will start."""

    def __init__(self, like: Tensor, starts: set[int]) -> None:
        self._sum = torch.zeros_like(like)
        self._starts = starts
        self._kept = {0: self._sum}

    def add(self, step: int, iterate: Tensor) -> None:
        self._sum = self._sum + iterate
        if step in self._starts:
            self._kept[step] = self._sum

    def tail(self, step: int) -> Tensor:
        """Mean of the iterates floor(step/2)+1 .. step: line 12 of Algorithm 2, line 8 of Algorithm 1."""
        start = step // 2
        return (self._sum - self._kept[start]) / (step - start)


def _records(problem: Problem, config: AdaptiveConfig, seeds) -> Batch:
    """All records of every replicate in the order of its pass: fresh examples, or a shuffle of the problem's own (line 2)."""
    device = problem.start.device
    if problem.n_samples is None:
        return problem.draw(config.replicates, config.n_samples, generator(seeds.data, device))
    order = generator(seeds.batches, device)
    shuffles = [torch.randperm(problem.n_samples, generator=order, device=device) for _ in range(config.replicates)]
    return problem.batch(torch.stack(shuffles)[:, : config.n_samples])


def _sizes(problem: Problem, w: Tensor, batch: Batch) -> Tensor:
    """|a_i| (arms, replicates, s): for least squares the residuals |<x, w> - y|."""
    return torch.linalg.vector_norm(problem.factors(w, batch)[0], dim=-1)


def _part(records: Batch, places: range) -> Batch:
    chosen = slice(places.start, places.stop)
    return replace(records, features=records.features[:, chosen], labels=records.labels[:, chosen])
