"""How the clip norm of a step is found: fixed beforehand, or by noisy counts of a few records (DP-STAT and its repair).

A count says how many of s records have a size |a_i| of at most some gamma; for least squares the size is the residual
|<x, theta> - y|. Replacing one record moves a count by at most 1, so a search of k counts, each with Gaussian noise of
standard deviation `noise_std`, costs rho = k / (2 noise_std^2) exactly. What a search answers may be published.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.check import real, whole

if TYPE_CHECKING:
    from torch import Tensor

    Normal = Callable[[], Tensor]


class Threshold(ABC):
    """A rule for the clip norm of a step. `overlap`: records of the search that the gradient batch takes as well."""

    overlap: int = 0

    @property
    @abstractmethod
    def counts(self) -> int:
        """Noisy counts that one search makes at most; all of them are charged. 0: no record is looked at."""

    @property
    @abstractmethod
    def noise_std(self) -> float:
        """Standard deviation of the noise on one count [records]."""

    @abstractmethod
    def find(self, sizes: Tensor, normal: Normal) -> Tensor:
        """The clip norm (arms, replicates) from the sizes (arms, replicates, s); `normal()` draws (replicates,)."""

    @property
    def rho(self) -> float:
        """What one search costs a record that it looks at, replacement adjacency: counts / (2 noise_std^2)."""
        return self.counts / (2 * self.noise_std**2) if self.counts else 0.0


@dataclass(frozen=True)
class FixedClip(Threshold):
    """The same clip norm at every step, chosen without looking at any record."""

    clip_norm: float

    counts = 0
    noise_std = 0.0

    def __post_init__(self) -> None:
        real("clip_norm", self.clip_norm, above=0)

    def find(self, sizes: Tensor, normal: Normal) -> Tensor:
        return sizes.new_full(sizes.shape[:2], self.clip_norm)


@dataclass(frozen=True)
class DpStat(Threshold):
    """DP-STAT as printed: double gamma from largest/2^rungs until a noisy count of s+1 records reaches s.

    With K = `rungs` it makes up to K+1 counts of noise sqrt(K) `alpha`, which costs (K+1)/(2 K alpha^2), not the
    1/(2 alpha^2) that the paper states; and it shares one record with the gradient batch. A gamma that no count stops
    ends at twice `largest`. The clip norm is `scale` * gamma, in the paper with scale = R_x log^a N.

    Guarantees: rho == (rungs + 1) / (2 rungs alpha^2).
    Reference: arXiv 2207.04686, Algorithm 3, and Algorithm 2, lines 7 and 8.
    """

    largest: float
    rungs: int
    alpha: float
    scale: float

    overlap = 1

    def __post_init__(self) -> None:
        whole("rungs", self.rungs, at_least=1)
        for name in ("largest", "alpha", "scale"):
            real(name, getattr(self, name), above=0)

    @property
    def counts(self) -> int:
        return self.rungs + 1

    @property
    def noise_std(self) -> float:
        return self.rungs**0.5 * self.alpha  # line 4

    def find(self, sizes: Tensor, normal: Normal) -> Tensor:
        gamma = sizes.new_full(sizes.shape[:2], self.largest * 2.0**-self.rungs)  # line 2
        looking = gamma > -1.0
        for _ in range(self.counts):
            looking = looking & (noisy_count(sizes, gamma, self.noise_std * normal()) < sizes.shape[-1] - 1)  # lines 4, 5
            gamma = gamma.where(~looking, 2 * gamma)
        return self.scale * gamma


@dataclass(frozen=True)
class PrivateQuantile(Threshold):
    """The repair: bisection over 2^`counts` thresholds, a factor 2 apart below `largest`, for a quantile of the sizes.

    gamma is the least threshold whose noisy count reaches `quantile` * s, found by exactly `counts` counts of noise
    sqrt(counts/(2 rho)), rounded up; no record is shared with the gradient batch. The clip norm is `scale` * gamma.

    Guarantees: rho is at most `search_rho`, and within 1e-15 relative of it; without noise gamma is at least the quantile and less than twice it, where the
    thresholds reach that far.
    """

    largest: float
    search_rho: float
    scale: float
    counts: int = 5
    quantile: float = 0.5

    def __post_init__(self) -> None:
        whole("counts", self.counts, at_least=1, at_most=10)
        real("quantile", self.quantile, above=0, below=1)
        for name in ("largest", "search_rho", "scale"):
            real(name, getattr(self, name), above=0)

    @property
    def noise_std(self) -> float:
        found = (self.counts / (2 * self.search_rho)) ** 0.5
        while self.counts / (2 * found**2) > self.search_rho:
            found = math.nextafter(found, math.inf)
        return found

    def find(self, sizes: Tensor, normal: Normal) -> Tensor:
        low = sizes.new_zeros(sizes.shape[:2])
        width = 2**self.counts
        for _ in range(self.counts):
            width //= 2
            middle = self._threshold(low + width - 1)
            below = noisy_count(sizes, middle, self.noise_std * normal()) < self.quantile * sizes.shape[-1]
            low = low + width * below
        return self.scale * self._threshold(low)

    def _threshold(self, place: Tensor) -> Tensor:
        return self.largest * (place - (2**self.counts - 1)).exp2()


def noisy_count(sizes: Tensor, gamma: Tensor, noise: Tensor) -> Tensor:
    """How many of the sizes (arms, replicates, s) are at most gamma (arms, replicates), and the noise on top.

    Guarantees: without noise, replacing one size moves it by at most 1.
    """
    return (sizes <= gamma[..., None]).sum(-1) + noise
