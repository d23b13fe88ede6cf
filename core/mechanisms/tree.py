"""Noise of the binary tree: every dyadic block of steps gets noise of its own, prefix sums are put together from blocks.

A block of 2^k steps is complete at each step t that 2^k divides. With k the number of times 2 divides t, the blocks
complete at t are those of levels 0..k; the largest is what t adds to the running sum, in place of the blocks of levels
0..k-1 before it, one each, which step t - 1 ended with. Call their estimates l_0, ..., l_(k-1). Then

    e_k = s_k z_t + sum_j c_kj l_j             estimate of the noise on the new block, z_t ~ N(0, 1)
    noise_t = e_k - sum_j l_j                  what it adds to the running sum beyond what was there

so one draw a step and one buffer a level are enough, and B is lower triangular. Without completion e_k is the block's
own noise: s = 1, c = 0. Honaker's completion averages it with the blocks inside, by inverse variances:

    v_0 = 1, 1/v_k = 1 + 1/(2 v_(k-1)),        c_kj = product of 1 - v_i over j < i <= k,   s_k^2 = v_k^2 + (1-v_k)^2 s_(k-1)^2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.check import whole
from core.mechanisms.base import MatrixMechanism, read_only
from core.mechanisms.least_squares import LeastSquares
from core.mechanisms.patterns import check_pattern, worst_leaves


@dataclass(frozen=True, kw_only=True)
class _Blocks(MatrixMechanism):
    """What the completions of one tree share: what it costs."""

    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float:
        """sqrt(floor(log2 steps) + 1), as many blocks as hold the first step [clip_norm].

        Several participations cost the root of the largest sum over blocks of (participations within)^2.

        Guarantees: never below the norm of a column of `strategy_matrix`, and equal to the longest one except under
        Honaker's completion, which is charged for all blocks although it shows less; several equal enumeration.

        Raises: ValueError where the worst of many participations takes too long to find.
        Reference: Dwork et al. 2010, Continual observation; 2406.02716, Section 5.
        """
        steps, participations, separation = check_pattern(steps, participations, separation)
        if participations == 1:
            return float(np.sqrt(steps.bit_length()))
        return float(np.sqrt(worst_leaves(steps, participations, separation, self._halves())))

    def limit_sensitivity(self) -> float:
        """Infinite: the tree grows."""
        return float("inf")

    def _halves(self) -> tuple[int, int]:
        """Whether left and right halves of blocks are in what is charged."""
        return 1, 1


@dataclass(frozen=True, kw_only=True)
class Tree(_Blocks):
    """The tree as a stream: `averaged` for Honaker's completion, else the noise of the largest blocks alone.

    Guarantees: for fewer steps, the leading blocks of the same matrices; log2(steps) + 1 buffers for any stream.
    """

    averaged: bool

    def noising_matrix(self, steps: int) -> np.ndarray:
        """B (steps, steps), lower triangular with a positive diagonal: noise = B Z has the tree's distribution."""
        return read_only(_noise(self.averaged, np.eye(whole("steps", steps, at_least=1))))

    def strategy_matrix(self, steps: int) -> np.ndarray:
        """C = inverse of B: row t is the sum over the block that ends at t, less c_kj of the blocks inside, over s_k.

        Without completion entries are 0 and 1, and every column j has a 1 for each block that holds step j.
        """
        matrix = np.zeros((whole("steps", steps, at_least=1),) * 2)
        for step in range(1, steps + 1):
            level = (step & -step).bit_length() - 1
            fresh, kept = _shares(self.averaged, level)
            matrix[step - 1, step - (1 << level) : step] = 1 / fresh
            for inner, share in enumerate(kept):
                end = step - (1 << inner)
                matrix[step - 1, end - (1 << inner) : end] -= share / fresh
        return read_only(matrix)

    def prefix_std(self, steps: int) -> np.ndarray:
        """Root (steps,) of the sum of the variances of the blocks in the binary expansion of t."""
        steps = whole("steps", steps, at_least=1)
        count, variance = np.arange(1, steps + 1), np.zeros(steps)
        for level in range(steps.bit_length()):
            variance += (count >> level & 1) * _variance(self.averaged, level)
        return read_only(np.sqrt(variance))

    def sample(self, steps, shape, generator, device="cpu", dtype=None):
        """Correlated noise (steps, *shape) of all steps at once, level by level."""
        from core.mechanisms import sampling

        seed = sampling.seed_noise(whole("steps", steps, at_least=1), shape, generator, device, dtype)
        return _noise(self.averaged, seed)

    def correlate(self, blocks):
        """Noise one step after the other, in one buffer for each level of the tree; never ends."""
        return _stream(self.averaged, blocks)

    def buffers(self, steps: int) -> int:
        """One for each level."""
        return whole("steps", steps, at_least=1).bit_length()

    def operations(self, steps: int) -> float:
        """One for each block that is replaced, less than one a step in the mean; two under Honaker's completion."""
        steps = whole("steps", steps, at_least=1)
        replaced = steps - steps.bit_count()
        return (1 + self.averaged) * replaced / steps

    def _halves(self) -> tuple[int, int]:
        """Without completion, right halves are never used."""
        return 1, int(self.averaged)


@dataclass(frozen=True, kw_only=True)
class FullTree(_Blocks, LeastSquares):
    """The tree read by least squares: each prefix sum uses every block, those that end later too.

    Reference: Honaker 2015, Efficient use of differentially private binary trees; 2310.06771, Table 3.
    """

    def gram(self, steps: int) -> np.ndarray:
        """How many complete dyadic blocks within `steps` hold both of two steps, (steps, steps)."""
        place, shared = np.arange(steps), np.zeros((steps, steps))
        for level in range(steps.bit_length()):
            block = place >> level
            shared += (block[:, None] == block) & (block < steps >> level)
        return shared


@lru_cache(maxsize=128)
def _variance(averaged: bool, level: int) -> float:
    if level == 0 or not averaged:
        return 1.0
    return 1 / (1 + 1 / (2 * _variance(averaged, level - 1)))


@lru_cache(maxsize=128)
def _shares(averaged: bool, level: int) -> tuple[float, tuple[float, ...]]:
    """s_k, and c_kj for j = 0..k-1."""
    if level == 0:
        return 1.0, ()
    own = _variance(averaged, level) if averaged else 1.0  # the weight of the block's own noise is also its variance
    fresh, kept = _shares(averaged, level - 1)
    return float(np.hypot(own, (1 - own) * fresh)), tuple((1 - own) * share for share in (*kept, 1.0))


def _noise(averaged: bool, seed):
    """Noise of all steps from `seed` (steps, ...), an array or a tensor; all blocks of one level together."""
    estimate, noise = seed * 1.0, seed * 1.0
    for level in range(len(seed).bit_length()):
        ends = slice((1 << level) - 1, None, 2 << level)
        fresh, kept = _shares(averaged, level)
        estimate[ends] *= fresh
        noise[ends] *= fresh
        for inner, share in enumerate(kept):
            left = estimate[(1 << level) - (1 << inner) - 1 :: 2 << level][: len(estimate[ends])]
            if share:
                estimate[ends] += share * left
            noise[ends] -= (1 - share) * left
    return noise


def _stream(averaged: bool, blocks):
    estimates = []  # of the blocks that the running sum is made of, the smallest first, None where there is none
    step = 0
    for block in blocks:
        for seed in block:
            step += 1
            level = (step & -step).bit_length() - 1
            fresh, kept = _shares(averaged, level)
            noise = estimate = seed * fresh
            if level == len(estimates):
                estimates.append(None)
            for inner, share in enumerate(kept):
                estimate = estimate + share * estimates[inner]
                noise = noise - (1 - share) * estimates[inner]
                estimates[inner] = None
            estimates[level] = estimate.clone() if noise is estimate else estimate
            yield noise
