"""DP-GD: full-batch gradient descent on clipped gradients with independent Gaussian noise, for linear regression."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from core.check import choice, real, require, whole
from core.devices import DEVICES, resolve
from core.learners import Snapshot, budget
from core.learners.budget import Schedule, Uniform
from core.learners.loop import Survivors, admitted, frozen
from core.learners.randomness import generator, role_seeds
from core.learners.screened import Screen, full_sums
from core.privacy import ADJACENCY
from core.problems.finite import LeastSquares


@dataclass(frozen=True)
class GdArm:
    """One thing being compared: a clip norm [gradient norm], a learning rate and a budget schedule, under a label."""

    label: str
    clip_norm: float
    learning_rate: float = 0.25
    schedule: Schedule = Uniform()

    def __post_init__(self) -> None:
        require(isinstance(self.label, str) and bool(self.label), "label", self.label, "a few words")
        real("clip_norm", self.clip_norm, above=0.0)
        real("learning_rate", self.learning_rate, above=0.0)
        require(isinstance(self.schedule, Schedule), "schedule", self.schedule, "Uniform() or Geometric()")


@dataclass(frozen=True)
class DpGdConfig:
    """What all arms of a run share.

    `rho`: the one total for all that an experiment publishes; inf means no noise, which is not private. `replicates`:
    chains in all, of which each consecutive `runs` are one experiment on one data set, published together: they share
    rho evenly. `steps`: those of one chain. `record_every`: steps from one snapshot to the next.
    """

    steps: int
    rho: float
    replicates: int = 1
    runs: int = 1
    seed: int = 0
    device: str = "auto"
    record_every: int = 1
    adjacency: str = "replace"

    def __post_init__(self) -> None:
        for name in ("steps", "replicates", "runs", "record_every"):
            whole(name, getattr(self, name), at_least=1)
        whole("seed", self.seed)
        if self.rho != math.inf:
            real("rho", self.rho, above=0.0)
        require(self.replicates % self.runs == 0, "replicates", self.replicates, f"a multiple of runs={self.runs}")
        choice("device", self.device, DEVICES)
        choice("adjacency", self.adjacency, tuple(ADJACENCY))


def dp_gd(problem: LeastSquares, arms: Sequence[GdArm], config: DpGdConfig) -> Iterator[Snapshot]:
    """Train all arms at once on all records; snapshots at step 0, every `record_every`, and `steps`.

        theta_t = theta_{t-1} - learning_rate * (1/n sum_i clip(g_i) + clip_norm * noise_multiplier_t / n * z_t)

    with g_i = (<theta_{t-1}, x_i> - y_i) x_i and z_t standard Gaussian; the noise multipliers are those of
    `core.learners.budget`, for `rho` in all under `adjacency`. All arms see the same data and the same z; replicates
    draw their own. Records whose clipping is not in doubt enter through X'X and X'y (`core.learners.screened`).

    `theta` of a snapshot is (arms, replicates, 1, p). Measures: those of the problem, `rho_spent` by the experiment so
    far, and from the first step on `share_clipped` since the last snapshot.

    Guarantees: equals the sum over records one by one, to rounding; without clipping theta_t is Gaussian as in Lemma
    2.3; `rho_spent` never exceeds `rho`; arms and replicates do not influence each other; the same seed gives the same
    run on the same device; a replicate that overflows is reported in `status`, infinite from there on.
    Raises: ValueError for what it does not take, for no arms, for two arms of one label, for replicates that do not
        split into whole experiments among the data sets, and for budgets that a schedule refuses.
    Reference: arXiv 2402.13531, Algorithm 1.
    """
    arms = admitted(problem, arms, config, (LeastSquares, GdArm, DpGdConfig))
    data_sets, experiments = problem.records.data_sets, config.replicates // config.runs
    whole_experiments = f"a multiple of runs x data sets = {config.runs} x {data_sets}"
    require(experiments % data_sets == 0, "replicates", config.replicates, whole_experiments)
    ledger = np.stack([_spent(arm, config) for arm in arms])  # what a schedule refuses a caller hears now
    return _run(problem.to(resolve(config.device)), arms, config, ledger)


def iterates(problem: LeastSquares, arms: Sequence[GdArm], config: DpGdConfig) -> np.ndarray:
    """The whole chains (arms, replicates, steps + 1, p) of a run, theta_0 first; `record_every` is not read."""
    chains = [snapshot.theta[:, :, 0].cpu().numpy() for snapshot in dp_gd(problem, arms, replace(config, record_every=1))]
    return np.stack(chains, axis=2)


def charge(arm: GdArm, config: DpGdConfig) -> float:
    """rho that one experiment of an arm spends, from the noise that is added: at most `config.rho`; inf without noise."""
    return float(_spent(arm, config)[-1])


@torch.no_grad()
def _run(problem: LeastSquares, arms: tuple[GdArm, ...], config: DpGdConfig, ledger: np.ndarray) -> Iterator[Snapshot]:
    options = {"dtype": problem.dtype, "device": problem.start.device}
    source = generator(role_seeds(config.seed).noise, problem.start.device)
    data_sets, shape = problem.records.data_sets, (config.replicates, problem.features)
    noise_std = [_noise_std(arm, problem.n_samples, config).tolist() for arm in arms]
    clipped_sums = [_clipped_sums(problem, arm, config) for arm in arms]

    theta = problem.start.expand(len(arms), *shape).clone()
    survivors = Survivors(theta)
    exceeding, counted = torch.zeros(theta.shape[:2], **options), 0
    yield Snapshot(0, theta[:, :, None].clone(), _measures(problem, theta, ledger[:, 0]))
    for step in range(1, config.steps + 1):
        z = torch.randn(shape, generator=source, **options)  # line 4
        for index, arm in enumerate(arms):
            total, clipped = clipped_sums[index](theta[index].reshape(data_sets, -1, problem.features))  # line 3
            gradient = total.reshape(shape) / problem.n_samples
            theta[index] -= arm.learning_rate * (gradient + noise_std[index][step - 1] * z)  # line 5; z is symmetric
            exceeding[index] += clipped.reshape(-1)
        survivors.count(theta)
        counted += problem.n_samples
        if step % config.record_every == 0 or step == config.steps:
            shown = survivors.shown(theta)
            measures = _measures(problem, shown, ledger[:, step]) | frozen({"share_clipped": exceeding / counted})
            yield Snapshot(step, shown[:, :, None], measures, survivors.status(arms, step))
            exceeding, counted = torch.zeros_like(exceeding), 0


def _clipped_sums(problem: LeastSquares, arm: GdArm, config: DpGdConfig) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """theta (data sets, chains, p) -> clipped sums and counts, by a screen where the run is long enough to pay for it."""
    gradients_each = config.steps * config.replicates // problem.records.data_sets
    if gradients_each > 20 + 2 * problem.features:  # a screen costs about as much as so many gradients of a data set
        return Screen.around(problem, arm.clip_norm).sums
    return lambda theta: full_sums(problem, theta, arm.clip_norm)


def _measures(problem: LeastSquares, theta: Tensor, spent: np.ndarray) -> dict[str, np.ndarray]:
    rho_spent = torch.as_tensor(spent, device=theta.device)[:, None].expand(theta.shape[:2])
    return frozen(problem.risk(theta[:, :, None]) | {"rho_spent": rho_spent})


def _noise_std(arm: GdArm, n_samples: int, config: DpGdConfig) -> np.ndarray:
    budgeted = (config.steps, config.rho, arm.learning_rate, config.runs, config.adjacency)
    return budget.noise_std(arm.schedule, arm.clip_norm, n_samples, *budgeted)


def _spent(arm: GdArm, config: DpGdConfig) -> np.ndarray:
    return budget.spent(arm.schedule, config.steps, config.rho, arm.learning_rate, config.runs, config.adjacency)
