"""DP-FTRL: minibatch SGD on clipped gradients with correlated Gaussian noise; with independent noise it is DP-SGD."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from core.check import choice, real, require, whole
from core.devices import DEVICES, resolve
from core.learners import Arm, Snapshot
from core.learners.batches import Cyclic, Sampling, batches, participation
from core.learners.clipping import clipped_sum
from core.learners.loop import Survivors, admitted, correlated_noise, for_run, frozen, project
from core.learners.randomness import generator, role_seeds
from core.learners.tally import Tally
from core.problems import Endless, Finite, Problem


@dataclass(frozen=True)
class DpFtrlConfig:
    """What all arms of a run share. `clipping=False` trains without clipping (Noisy-FTRL), which is not private.

    `sampling`: how the records of a data set are put into batches. `radius`: theta is kept within this distance of its
    start, in every step. `record_every`: steps from one snapshot to the next.
    """

    steps: int
    batch_size: int = 1
    clip_norm: float = 1.0
    clipping: bool = True
    replicates: int = 1
    seed: int = 0
    device: str = "auto"
    record_every: int = 1
    sampling: Sampling = Cyclic()
    radius: float = math.inf

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "replicates", "record_every"):
            whole(name, getattr(self, name), at_least=1)
        whole("seed", self.seed)
        real("clip_norm", self.clip_norm, above=0.0)
        require(isinstance(self.clipping, bool), "clipping", self.clipping, "True or False")
        choice("device", self.device, DEVICES)
        require(isinstance(self.sampling, Sampling), "sampling", self.sampling, "Cyclic(), Poisson() or FixedSize()")
        if self.radius != math.inf:
            real("radius", self.radius, above=0.0)


TAKES = ((Endless, Finite), Arm, DpFtrlConfig)
"""Types of problem, of arm and of config that `dp_ftrl` and `accelerated_dp_srgd` take."""


def dp_ftrl(problem: Problem, arms: Sequence[Arm], config: DpFtrlConfig) -> Iterator[Snapshot]:
    """Train all arms at once, batched over arms x replicates; snapshots at step 0, every `record_every`, and `steps`.

        private_t   = (sum_i clip(g_i) + clip_norm * noise_multiplier * xi_t) / B
        theta_{t+1} = project(theta_t - learning_rate * (private_t + ridge * theta_t))

    with xi the arm's correlated noise, g_i the gradients of the batch and B the batch size asked for, however many
    Poisson sampling took. All arms see the same examples, the same batches and the same seed noise Z; replicates draw
    their own. The measures are those of the problem and, from the first step on, those of `core.learners.tally`.

    Guarantees: without noise it is minibatch SGD; arms and replicates do not influence each other; the same seed gives
    the same run on the same device; a replicate whose theta grows until its square overflows is reported in `status`,
    infinite from there on, and harms no other; a radius that is never reached changes no bit; no global random
    generator is read or written.
    Raises: ValueError for what it does not take, for no arms, for two arms of one label, for batches larger than the
        data set, and for sampling from an endless problem.
    Reference: arXiv 2310.06771, Algorithm 1 (with batches of B instead of 1); arXiv 2605.12648, Algorithm 1.
    """
    arms = admitted(problem, arms, config, TAKES)
    participation(problem, config)  # what sampling refuses a caller hears now, not at the first `next`
    return _run(problem.to(resolve(config.device)), arms, config)


@torch.no_grad()
def _run(problem: Problem, arms: tuple[Arm, ...], config: DpFtrlConfig) -> Iterator[Snapshot]:
    device, options = problem.start.device, {"dtype": problem.dtype, "device": problem.start.device}
    seeds = role_seeds(config.seed)
    stream = batches(problem, config, generator(seeds.data, device), generator(seeds.batches, device))
    shape = (config.replicates, problem.outputs, problem.features)
    noise = correlated_noise(for_run(arms, config.steps), shape, seeds.noise, config.clip_norm, options)
    learning_rate = torch.tensor([arm.learning_rate for arm in arms], **options)[:, None, None, None]
    clip_to = config.clip_norm if config.clipping else torch.inf

    theta = problem.start.expand(len(arms), config.replicates, -1, -1).clone()
    survivors = Survivors(theta)
    tally = Tally(theta, config.clip_norm, config.radius < math.inf)
    yield Snapshot(0, theta.clone(), frozen(problem.risk(theta)))
    for step in range(1, config.steps + 1):
        batch, added = next(stream), next(noise)
        a, h = problem.factors(theta, batch)
        total, norms = clipped_sum(a, h, clip_to, batch.weights)  # line 3
        gradient = (total + added) / config.batch_size  # lines 4 and 5
        theta = theta - learning_rate * (gradient + problem.ridge * theta)  # line 5; ridge * theta is the gradient of r
        survivors.count(theta)
        theta, projected = project(theta, problem.start, config.radius)  # 2605.12648, line 12
        tally.add(norms, batch.weights, added, projected)
        if step % config.record_every == 0 or step == config.steps:
            shown = survivors.shown(theta)
            measures = frozen(problem.risk(shown) | tally.read())
            yield Snapshot(step, shown, measures, survivors.status(arms, step))
