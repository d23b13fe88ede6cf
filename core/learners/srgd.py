"""Accelerated-DP-SRGD: Nesterov's acceleration on a privately summed recursion of gradient differences, in one epoch.

A step t asks each of its fresh examples d for two gradients, one where the model is and one where it was:

    Delta_t(d) = eta_t grad f(x_t, d) - eta_{t-1} grad f(x_{t-1}, d),        eta_t = t + 1

The model moves little, so this difference stays short although eta_t grows; that is what is clipped, summed and given
noise. Running sums of it, over eta_t, are estimates of the gradient at x_t that use all examples so far.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.check import require
from core.devices import resolve
from core.learners import Arm, Snapshot
from core.learners.batches import Cyclic, batches, participation
from core.learners.clipping import clipped_sum
from core.learners.dp_ftrl import TAKES, DpFtrlConfig
from core.learners.loop import Survivors, admitted, correlated_noise, for_run, frozen, project
from core.learners.randomness import generator, role_seeds
from core.learners.tally import Tally
from core.problems import Batch, Problem

HIGH = 0.9


@dataclass(frozen=True, eq=False)
class Unaccelerated(Arm):
    """Stochastic recursive gradients without acceleration: x_{t+1} = project(x_t - learning_rate * nabla_t).

    Reference: arXiv 2406.02716, Section 4.3.
    """


@dataclass(frozen=True, eq=False)
class IndependentGradients(Arm):
    """Acceleration on each batch's own clipped mean gradient: nothing is kept from the batches before.

    Reference: arXiv 2406.02716, Section 5.5 (Theorem 5.13).
    """


@dataclass(frozen=True, eq=False)
class Plain(Unaccelerated, IndependentGradients):
    """Neither acceleration nor recursion: DP-SGD under independent noise, DP-FTRL under any other.

    Reference: arXiv 2406.02716, Sections 2.1 and 2.2.
    """


@dataclass(frozen=True, eq=False)
class TailAveraged(Plain):
    """`Plain` that answers with the mean of its iterates since half of the steps, which costs no privacy."""


def is_recursive(arm: Arm) -> bool:
    """Whether the arm sums up gradient differences: it asks two gradients of each example, the others one."""
    return not isinstance(arm, IndependentGradients)


def is_accelerated(arm: Arm) -> bool:
    """Whether the arm couples two sequences of steps, as Nesterov's method does."""
    return not isinstance(arm, Unaccelerated)


def accelerated_dp_srgd(problem: Problem, arms: Sequence[Arm], config: DpFtrlConfig) -> Iterator[Snapshot]:
    """Train all arms at once in one epoch; snapshots at step 0, every `record_every`, and `steps`.

        S_t     = S_{t-1} + (sum_d clip(Delta_t(d)) + clip_norm * noise_multiplier * xi_t) / B,      nabla_t = S_t / eta_t
        z_{t+1} = project(z_t - eta_t learning_rate nabla_t)
        y_{t+1} = project(x_t - learning_rate nabla_t)
        x_{t+1} = (1 - tau_{t+1}) y_{t+1} + tau_{t+1} z_{t+1},      eta_t = t + 1,  tau_t = eta_t / (eta_0 + ... + eta_t)

    with xi the arm's correlated noise, so that S_t holds its running sum, and learning_rate = 1/beta. A plain `Arm` is
    this algorithm; `Unaccelerated`, `IndependentGradients` and `Plain` leave out one half of it, or both. `theta` is y, or
    its mean since step T/2 for `TailAveraged`. The projection is onto the ball of `config.radius` around the start.

    Clipping the difference of each example makes the run private for any loss: an example enters one release only, by a
    vector no longer than the clip norm, so `core.learners.batches.charge` charges it as one participation, zero-out.

    Measures, beside the problem's: those of `core.learners.tally`, of what is clipped: the norms of Delta_t(d) for arms
    that are recursive, of the gradients for others; `weighted_gradient_norm`, the 90% quantile of eta_t |grad f(x_t, d)|,
    what would have to be clipped without the recursion; `gradients`, how many were evaluated so far.

    Guarantees: without noise and clipping, on one repeated example, exact Nesterov steps; each example joins one step and
    is asked for exactly two gradients (one by arms that are not recursive); one example changes one release by at most
    the clip norm; `Plain` is `dp_ftrl`; arms and replicates do not influence each other; no global random generator.
    Raises: ValueError for what it does not take, no arms, two arms of one label, batches that one pass over the records
        cannot fill, and any sampling but one pass.
    Reference: arXiv 2406.02716, Algorithm 1; eta_t from (19), clipping from the proof of Corollary 5.7.
    """
    arms = admitted(problem, arms, config, TAKES)
    one_pass = "Cyclic(): each example joins one step, by a rule that does not look at it"
    require(config.sampling == Cyclic(), "sampling", config.sampling, one_pass)
    times, separation = participation(problem, config)
    require(times == 1, "steps", config.steps, f"at most {separation}, which is one pass in batches of {config.batch_size}")
    return _run(problem.to(resolve(config.device)), arms, config)


@torch.no_grad()
def _run(problem: Problem, arms: tuple[Arm, ...], config: DpFtrlConfig) -> Iterator[Snapshot]:
    device, options = problem.start.device, {"dtype": problem.dtype, "device": problem.start.device}
    seeds = role_seeds(config.seed)
    stream = batches(problem, config, generator(seeds.data, device), generator(seeds.batches, device))
    shape = (config.replicates, problem.outputs, problem.features)
    noise = correlated_noise(for_run(arms, config.steps), shape, seeds.noise, config.clip_norm, options)
    rate = torch.tensor([arm.learning_rate for arm in arms], **options)[:, None, None, None]
    recursive = torch.tensor([is_recursive(arm) for arm in arms], device=device)
    accelerated = torch.tensor([is_accelerated(arm) for arm in arms], device=device)
    averaged = torch.tensor([isinstance(arm, TailAveraged) for arm in arms], device=device)
    clip_to = config.clip_norm if config.clipping else torch.inf

    x = problem.start.expand(len(arms), *shape).clone()  # line 2
    y, z, before, summed, mean = x, x, x, torch.zeros_like(x), x
    survivors = Survivors(x)
    evaluated = torch.zeros(x.shape[:2], dtype=torch.int64, device=device)
    tally = Tally(x, config.clip_norm, config.radius < math.inf)
    yield Snapshot(0, x.clone(), frozen(problem.risk(x)))
    for step in range(1, config.steps + 1):
        t, batch, added = step - 1, next(stream), next(noise)
        now, a, h, asked = _differences(problem, x, before, recursive, batch, t)
        total, norms = clipped_sum(a, h, clip_to, batch.weights)  # clipped as in the proof of Corollary 5.7
        released = (total + added) / config.batch_size  # line 4
        summed = torch.where(_by_arm(recursive), summed + released, released)
        weight = torch.where(_by_arm(recursive), t + 1.0, 1.0).to(x)  # eta_t
        nabla = summed / weight + problem.ridge * x  # line 5; no record enters ridge * x
        y, projected = project(x - rate * nabla, problem.start, config.radius)  # line 8
        z, _ = project(z - (t + 1) * rate * nabla, problem.start, config.radius)  # line 7
        tau = 2 / (t + 3)  # eta_{t+1} / (eta_0 + ... + eta_{t+1})
        before, x = x, torch.where(_by_arm(accelerated), (1 - tau) * y + tau * z, y)  # line 9
        survivors.count(x, y)
        mean = mean + (y - mean) / max(1, step - config.steps // 2)  # starts anew until half of the steps are done
        tally.add(norms, batch.weights, added, projected)
        evaluated += asked[:, None]
        if step % config.record_every == 0 or step == config.steps:
            shown = survivors.shown(torch.where(_by_arm(averaged), mean, y))
            grown = (t + 1) * torch.linalg.vector_norm(now, dim=-1) * torch.linalg.vector_norm(h, dim=-1)
            own = {"weighted_gradient_norm": _high(grown), "gradients": evaluated.double()}
            yield Snapshot(step, shown, frozen(problem.risk(shown) | tally.read() | own), survivors.status(arms, step))


def _differences(
    problem: Problem, x: Tensor, before: Tensor, recursive: Tensor, batch: Batch, t: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Factors of the gradients at x; those of what each arm clips, and h; gradients evaluated (arms,).

    Both gradients of an example share their h, which theta does not enter, so their difference is an outer product too.
    """
    now, h = problem.factors(x, batch)
    then, _ = problem.factors(before[recursive], batch)
    a = now * _by_arm(torch.where(recursive, t + 1, 1))
    a.index_add_(0, recursive.nonzero()[:, 0], then, alpha=-t)  # Delta_t(d); at t = 0 eta_{-1} = 0
    asked = torch.where(recursive, 2, 1) * now.shape[2]
    return now, a, h, asked


def _by_arm(chosen: Tensor) -> Tensor:
    return chosen[:, None, None, None]


def _high(norms: Tensor) -> Tensor:
    """The smallest norm (arms, replicates) that 90% of the examples (arms, replicates, B) do not exceed."""
    rank = max(1, math.ceil(HIGH * norms.shape[-1]))
    return norms.nan_to_num(nan=torch.inf, posinf=torch.inf).kthvalue(rank, dim=-1).values
