"""The methods that are compared: each a few runs of one learner, at the same (epsilon, delta), replacement adjacency."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from core import mechanisms, privacy
from core.experiments.adaptive.setting import AdaptiveSetting
from core.learners import Arm
from core.learners.adaptive import AdaptiveConfig, AdaptiveSnapshot, FullBatch, dp_ambssgd
from core.learners.ledger import Spending
from core.learners.threshold import DpStat, FixedClip, PrivateQuantile
from core.mechanisms import Mechanism
from core.problems import Batch
from core.problems.regression import GaussianDesign
from core.theory.bounds import adaptive_clipping as paper

EXACT, PRINTED, FULL = "adaptive, exact accounting", "adaptive, as printed", "adaptive, full batch"
TUNED, DP_GD = "fixed clip, tuned on the truth", "DP-GD, clip 5 sqrt d"
LARGEST = 16.0
"""Top of the search's thresholds; the 31 below it are halvings, down to 7e-9."""
SCALE = 2.5
"""Clip norm of the repaired method, over sqrt(d) times the median residual."""
SEARCH_PART = 0.1
"""Part of a step's budget that the search takes where it looks at the same records as the gradient."""
TUNING = tuple((clip, rate) for clip in (0.06, 0.16, 0.5, 1.0) for rate in (1.0, 2.0, 4.0))
"""Clip norms over sqrt(d), and learning rates, that the tuned fixed clip is the best of; with T and with 3T steps."""
SHARES = (1.0, 0.6)
"""Learning rates over that of Theorem 3.7: at the lower one noise of several steps adds up, and cancels."""
_CHUNK = 2**23  # numbers held at once


@dataclass(frozen=True, eq=False)
class Trace:
    """What one method did at one label noise, in every replicate.

    `excess` (replicates,); `thresholds` and `clipped` (T, replicates): the clip norm of each step and the share of the
    gradients that it cut; `iterates` (T, d): where the first replicate stood before each step; `ledger`: what was spent.
    """

    label: str
    excess: np.ndarray
    thresholds: np.ndarray
    clipped: np.ndarray
    iterates: torch.Tensor
    ledger: tuple[Spending, ...]


class SameRecords(GaussianDesign):
    """A Gaussian design that remembers what it drew: every method gets the very same records, and they are drawn once."""

    def __init__(self, eigenvalues: np.ndarray, label_noise: float) -> None:
        super().__init__(eigenvalues, label_noise)
        self._drawn: dict[tuple, Batch] = {}  # shared by the copies that `to` makes

    def draw(self, replicates: int, batch_size: int, generator: torch.Generator) -> Batch:
        asked = (replicates, batch_size, generator.initial_seed())
        if asked not in self._drawn:
            self._drawn.clear()
            self._drawn[asked] = super().draw(replicates, batch_size, generator)
        return self._drawn[asked]


def correlated_label(setting: AdaptiveSetting) -> str:
    """How the arm with correlated noise is called."""
    return f"adaptive, correlated (lambda {setting.correlation:g})"


def method_labels(setting: AdaptiveSetting) -> tuple[str, ...]:
    """The labels of the methods, in the order in which they are drawn."""
    return EXACT, correlated_label(setting), TUNED, PRINTED, DP_GD, FULL


def measure(setting: AdaptiveSetting, label_noise: float) -> dict[str, Callable[[], list[Trace]]]:
    """What runs each method at a label noise, in the order of painting; the first run gives two traces."""
    run = _runner(setting, label_noise)
    return {
        EXACT: lambda: run(*exact(setting)),
        PRINTED: lambda: run(*printed(setting, label_noise)),
        TUNED: lambda: [_best([trace for plan in fixed(setting) for trace in run(*plan)], TUNED)],
        DP_GD: lambda: run(*dp_gd(setting), last=True),
        FULL: lambda: run(*full_batch(setting)),
    }


def by_noise(setting: AdaptiveSetting, steps: int) -> list[Trace]:
    """The exact method at another number of steps with each of `noises`, at the best of `SHARES` of its learning rate."""
    run, setting = _runner(setting, setting.label_noise), replace(setting, steps=steps)
    (plain, _), config = exact(setting)
    chosen = []
    for label, noise in noises(setting).items():
        multiplier = privacy.calibrate(noise, steps, setting.epsilon, setting.delta, "replace")
        chosen += [Arm(f"{label} {share:g}", noise, multiplier, share * plain.learning_rate) for share in SHARES]
    traces = run(chosen, config)
    return [_best(traces[place : place + len(SHARES)], label) for place, label in zip(range(0, len(traces), len(SHARES)), noises(setting), strict=True)]


def noises(setting: AdaptiveSetting) -> dict[str, Mechanism]:
    """The noises of `by_noise`, by label."""
    return {
        "independent noise": mechanisms.independent(),
        f"lambda {setting.correlation:g}": mechanisms.lambda_cgd(setting.correlation),
        "optimal counting noise": mechanisms.optimal_counting(),
    }


def _runner(setting: AdaptiveSetting, label_noise: float) -> Callable[..., list[Trace]]:
    """Runs arms in groups of replicates that fit in memory; all that one runner runs sees the same records."""
    group = max(1, min(setting.replicates, _CHUNK // (setting.n_samples * setting.dim)))
    sizes = [min(group, setting.replicates - first) for first in range(0, setting.replicates, group)]
    kind = SameRecords if len(sizes) == 1 else GaussianDesign  # records of many groups are drawn anew, not kept
    problem = kind(setting.eigenvalues, label_noise)

    def run(arms: list[Arm], config: AdaptiveConfig, last: bool = False) -> list[Trace]:
        groups = [
            list(dp_ambssgd(problem, arms, replace(config, replicates=size, seed=setting.seed + 1_000_003 * place)))
            for place, size in enumerate(sizes)
        ]
        return [_trace(problem, groups, index, arm.label, last) for index, arm in enumerate(arms)]

    return run


def exact(setting: AdaptiveSetting) -> tuple[list[Arm], AdaptiveConfig]:
    """The repaired DP-AMBSSGD with independent and with correlated noise: a record spends all of rho, in one place."""
    config = _config(setting, PrivateQuantile(LARGEST, setting.rho, SCALE * math.sqrt(setting.dim)))
    rate = paper.learning_rate(config.batch_size, setting.dim, 1.0)
    noises = {EXACT: mechanisms.independent(), correlated_label(setting): mechanisms.lambda_cgd(setting.correlation)}
    arms = [
        Arm(label, noise, privacy.calibrate(noise, setting.steps, setting.epsilon, setting.delta, "replace"), rate)
        for label, noise in noises.items()
    ]
    return arms, config


def printed(setting: AdaptiveSetting, label_noise: float) -> tuple[list[Arm], AdaptiveConfig]:
    """Algorithms 2 and 3 as printed, but for the number of rungs; the largest threshold knows the label noise, as there."""
    alpha = printed_alpha(setting)
    largest = paper.largest_threshold(setting.dim, setting.n_samples, 1.0, label_noise)
    scale = paper.clip_scale(setting.dim, setting.n_samples)
    config = _config(setting, DpStat(largest, setting.rungs, alpha, scale))
    rate = paper.learning_rate(config.batch_size, setting.dim, 1.0)
    return [Arm(PRINTED, mechanisms.independent(), 2 * alpha, rate)], config


def printed_alpha(setting: AdaptiveSetting) -> float:
    """alpha of Theorem 3.6: its second part where that applies, else its first."""
    short = setting.epsilon <= math.log(1 / setting.delta)
    return (paper.alpha_printed if short else paper.alpha_any_epsilon)(setting.epsilon, setting.delta)


def fixed(setting: AdaptiveSetting) -> list[tuple[list[Arm], AdaptiveConfig]]:
    """One pass with every clip norm, learning rate and number of steps that the tuned fixed clip is chosen from."""
    noise = mechanisms.independent()
    multiplier = privacy.calibrate(noise, 1, setting.epsilon, setting.delta, "replace")
    plans = []
    for clip in dict.fromkeys(clip for clip, _ in TUNING):
        rates = [rate for other, rate in TUNING if other == clip]
        for steps in (setting.steps, 3 * setting.steps):
            arms = [Arm(f"rate {rate:g}", noise, multiplier, rate) for rate in rates]
            plans.append((arms, replace(_config(setting, FixedClip(clip * math.sqrt(setting.dim))), steps=steps)))
    return plans


def dp_gd(setting: AdaptiveSetting) -> tuple[list[Arm], AdaptiveConfig]:
    """Full gradients clipped to 5 sqrt d, 2T steps at learning rate 1, the last iterate: every step of a record adds up."""
    steps, noise = 2 * setting.steps, mechanisms.independent()
    multiplier = privacy.calibrate(noise, steps, setting.epsilon, setting.delta, "replace", participations=steps)
    config = replace(_config(setting, FixedClip(5 * math.sqrt(setting.dim))), steps=steps, layout=FullBatch())
    return [Arm(DP_GD, noise, multiplier, 1.0)], config


def full_batch(setting: AdaptiveSetting) -> tuple[list[Arm], AdaptiveConfig]:
    """Full gradients with the private threshold of the exact method: T searches and T gradients of all records add up."""
    steps, noise = setting.steps, mechanisms.independent()
    multiplier = privacy.calibrate_rho(noise, steps, (1 - SEARCH_PART) * setting.rho, "replace", participations=steps)
    rule = PrivateQuantile(LARGEST, SEARCH_PART * setting.rho / steps, SCALE * math.sqrt(setting.dim))
    return [Arm(FULL, noise, multiplier, 1.0)], replace(_config(setting, rule), layout=FullBatch())


def _config(setting: AdaptiveSetting, rule) -> AdaptiveConfig:
    return AdaptiveConfig(setting.n_samples, setting.steps, rule, device=setting.device)


def _trace(problem: GaussianDesign, groups: list[list[AdaptiveSnapshot]], arm: int, label: str, last: bool) -> Trace:
    ends = [snapshots[-1] for snapshots in groups]
    if last:
        risks = [problem.risk(end.iterate.cpu())["excess_risk"].double().numpy() for end in ends]
    else:
        risks = [end.measures["excess_risk"] for end in ends]
    thresholds, clipped = (
        np.concatenate([[shot.measures[name][arm] for shot in snapshots[1:]] for snapshots in groups], axis=1)
        for name in ("clip_norm", "share_clipped")
    )
    return Trace(
        label,
        np.concatenate([risk[arm] for risk in risks]),
        thresholds,
        clipped,
        torch.stack([shot.iterate[arm, 0, 0].cpu() for shot in groups[0][:-1]]),
        tuple(entry for entry in ends[0].ledger if entry.arm == label),
    )


def _best(traces: list[Trace], label: str) -> Trace:
    return replace(min(traces, key=lambda trace: np.median(trace.excess)), label=label)
