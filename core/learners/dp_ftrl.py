"""DP-FTRL: minibatch SGD on clipped gradients with correlated Gaussian noise; with independent noise it is DP-SGD."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.check import choice, real, require, whole
from core.devices import DEVICES, resolve
from core.learners import Arm, Snapshot
from core.learners.batches import batches, participation
from core.learners.clipping import clipped_sum
from core.learners.randomness import generator, role_seeds
from core.problems import Problem


@dataclass(frozen=True)
class DpFtrlConfig:
    """What all arms of a run share. `clipping=False` trains without clipping (Noisy-FTRL), which is not private.

    `record_every`: steps from one snapshot to the next.
    """

    steps: int
    batch_size: int = 1
    clip_norm: float = 1.0
    clipping: bool = True
    replicates: int = 1
    seed: int = 0
    device: str = "auto"
    record_every: int = 1

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "replicates", "record_every"):
            whole(name, getattr(self, name), at_least=1)
        whole("seed", self.seed)
        real("clip_norm", self.clip_norm, above=0.0)
        require(isinstance(self.clipping, bool), "clipping", self.clipping, "True or False")
        choice("device", self.device, DEVICES)


def dp_ftrl(problem: Problem, arms: Sequence[Arm], config: DpFtrlConfig) -> Iterator[Snapshot]:
    """Train all arms at once, batched over arms x replicates; snapshots at step 0, every `record_every`, and `steps`.

        private_t   = (sum_i clip(g_i) + clip_norm * noise_multiplier * xi_t) / B
        theta_{t+1} = theta_t - learning_rate * (private_t + ridge * theta_t)

    with xi the arm's correlated noise and g_i the gradients of the batch. All arms see the same examples, the same
    batches and the same seed noise Z. The measures are those of the problem and, from the first step on,
    `share_clipped`: the fraction of examples whose gradient exceeded clip_norm since the last snapshot, whether or not
    it was clipped.

    Guarantees: without noise it is minibatch SGD; arms and replicates do not influence each other; the same seed gives
    the same run on the same device; a replicate whose theta grows until its square overflows is reported in `status`,
    infinite from there on, and harms no other; no global random generator is read or written.
    Raises: ValueError for no arms, for two arms of one label and for batches larger than the data set.
    Reference: arXiv 2310.06771, Algorithm 1 (with batches of B instead of 1).
    """
    arms = tuple(arms)
    labels = [arm.label for arm in arms]
    require(bool(arms) and len(set(labels)) == len(labels), "arms", labels, "at least one, every label once")
    participation(problem, config)  # a batch must fit the data; a caller hears so now, not at the first `next`
    return _run(problem.to(resolve(config.device)), arms, config)


@torch.no_grad()
def _run(problem: Problem, arms: tuple[Arm, ...], config: DpFtrlConfig) -> Iterator[Snapshot]:
    device, options = problem.start.device, {"dtype": problem.dtype, "device": problem.start.device}
    seeds = role_seeds(config.seed)
    stream = batches(problem, config, generator(seeds.data, device), generator(seeds.batches, device))
    noise = _noise(arms, (config.replicates, problem.outputs, problem.features), seeds.noise, config.clip_norm, options)
    learning_rate = torch.tensor([arm.learning_rate for arm in arms], **options)[:, None, None, None]
    clip_to = config.clip_norm if config.clipping else torch.inf

    theta = problem.start.expand(len(arms), config.replicates, -1, -1).clone()
    bound = torch.finfo(problem.dtype).max ** 0.5 / 1e3  # beyond it a sum of squares, such as a risk, may overflow
    alive = torch.ones(theta.shape[:2], dtype=torch.bool, device=device)
    lasted = torch.zeros(theta.shape[:2], dtype=torch.int64, device=device)
    exceeding = torch.zeros(theta.shape[:2], dtype=torch.float64, device=device)
    recorded = 0
    yield Snapshot(0, theta.clone(), _measures(problem, theta))
    for step in range(1, config.steps + 1):
        a, h = problem.factors(theta, next(stream))
        total, norms = clipped_sum(a, h, clip_to)  # line 3
        gradient = (total + next(noise)) / config.batch_size  # lines 4 and 5
        theta = theta - learning_rate * (gradient + problem.ridge * theta)  # line 5; ridge * theta is the gradient of r
        exceeding += (~(norms <= config.clip_norm)).sum(-1)  # a NaN norm exceeds every bound
        alive &= (theta.abs() < bound).all(-1).all(-1)
        lasted += alive
        if step % config.record_every == 0 or step == config.steps:
            share = exceeding / (config.batch_size * (step - recorded))
            shown = torch.where(alive[..., None, None], theta, torch.inf)
            measures = _measures(problem, shown) | {"share_clipped": _frozen(share)}
            yield Snapshot(step, shown, measures, _status(arms, lasted, step))
            exceeding.zero_()
            recorded = step


def _noise(arms: tuple[Arm, ...], shape: tuple, seed: int, clip_norm: float, options: dict) -> Iterator[Tensor]:
    """clip_norm * noise_multiplier * xi_t (arms, *shape) for t = 0, 1, ...; all arms are fed the same seed noise Z."""
    device = options["device"]
    streams = [
        (index, clip_norm * arm.noise_multiplier, arm.mechanism.stream(shape, generator(seed, device), **options))
        for index, arm in enumerate(arms)
        if arm.noise_multiplier > 0
    ]
    while True:
        noise = torch.zeros(len(arms), *shape, **options)
        for index, scale, stream in streams:
            noise[index] = scale * next(stream)
        yield noise


def _measures(problem: Problem, theta: Tensor) -> dict[str, np.ndarray]:
    """The problem's measures; what overflowed is infinite, never NaN."""
    risk = problem.risk(theta)
    return {name: _frozen(torch.where(values.isfinite(), values, torch.inf)) for name, values in risk.items()}


def _frozen(values: Tensor) -> np.ndarray:
    array = values.to("cpu", torch.float64).numpy()
    array.flags.writeable = False
    return array


def _status(arms: tuple[Arm, ...], lasted: Tensor, step: int) -> str:
    """One sentence for each arm of which a replicate overflowed; `lasted` (arms, replicates): steps before."""
    sentences = []
    for arm, steps in zip(arms, lasted.cpu(), strict=True):
        lost = int((steps < step).sum())
        if lost:
            share, first = f"{lost} of {len(steps)} replicates", int(steps.min()) + 1
            sentences.append(f"{arm.label} diverged: {share} overflowed, the first at step {first}.")
    return " ".join(sentences)
