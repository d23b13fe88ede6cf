"""What every mechanism offers, and what all Toeplitz mechanisms share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core import toeplitz
from core.check import require, whole
from core.mechanisms.patterns import check_pattern, never_rises, pattern_norm, worst_pattern

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class Mechanism(ABC):
    """How Gaussian noise is correlated across steps (noise = inverse(C) Z, Z independent) and what that costs.

    Mechanisms are values: two that correlate noise alike are equal and hash alike. `arm` is the key in
    `core.names.ARMS` and `label` the words for people; both are presentation and take no part in equality, so that
    `lambda_cgd(0) == nu_ftrl(1) == independent()`. `anytime` says that matrices for fewer steps are leading blocks.

    Guarantees: `sample`, `stream` and `noising_matrix(steps) @ Z` agree to rounding for one seed; arrays are read-only.
    """

    arm: str = field(compare=False)
    label: str = field(compare=False)
    anytime: ClassVar[bool] = True  # False where B depends on the number of steps, so that this has to be known first

    @abstractmethod
    def noising_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of B = inverse of C: how much of the seed noise of t steps ago enters a step."""

    @abstractmethod
    def strategy_coef(self, steps: int) -> np.ndarray:
        """First column (steps,) of C: how long one example's gradient stays visible in what is released."""

    @abstractmethod
    def noising_matrix(self, steps: int) -> np.ndarray:
        """B = inverse of C, (steps, steps), lower triangular."""

    @abstractmethod
    def strategy_matrix(self, steps: int) -> np.ndarray:
        """C, (steps, steps), lower triangular."""

    @abstractmethod
    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float:
        """Largest norm of C times the change of all gradients when one record changes [clip_norm].

        The record takes part in at most `participations` steps, any two of them at least `separation` apart.

        Raises: ValueError when so many participations do not fit into `steps`, and for a C whose worst pattern of
        several participations is not known exactly.
        """

    @abstractmethod
    def limit_sensitivity(self) -> float:
        """Sensitivity of a single participation as steps -> infinity [clip_norm]; inf where it diverges."""

    @abstractmethod
    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """B(omega) = sum_t beta_t exp(i omega t), complex, of the shape of `omega` [radians per step]."""

    @abstractmethod
    def prefix_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the running sum of the noise, for seed noise of standard deviation 1."""

    @abstractmethod
    def step_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the noise of each step, for seed noise of standard deviation 1."""

    @abstractmethod
    def sample(
        self,
        steps: int,
        shape: tuple[int, ...],
        generator: torch.Generator,
        device: str | torch.device = "cpu",
        dtype: torch.dtype | None = None,
    ) -> torch.Tensor:
        """Correlated noise (steps, *shape) of all steps at once, float32 unless `dtype` says otherwise.

        `generator` lives on `device` and draws the seed noise; steps, not entries of `shape`, are correlated.
        """

    @abstractmethod
    def correlate(self, blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
        """Noise (*shape) one step after the other from seed noise in blocks (block, *shape), all of one length."""

    @abstractmethod
    def buffers(self, steps: int) -> int:
        """Tensors of the noise's shape that `stream` keeps from one step to the next, after so many `steps`: memory."""

    @abstractmethod
    def operations(self, steps: int) -> float:
        """Multiplications of `stream` for each number of a step, mean over so many `steps`: time."""

    def stream(
        self,
        shape: tuple[int, ...],
        generator: torch.Generator,
        device: str | torch.device = "cpu",
        dtype: torch.dtype | None = None,
    ) -> Iterator[torch.Tensor]:
        """Correlated noise (*shape) one step after the other, the same numbers as `sample` to rounding.

        `generator` should serve this stream alone: seed noise is drawn some steps ahead where shapes are small.
        """
        from core.mechanisms import sampling  # torch takes a second to import, and accounting does not need it

        return self.correlate(sampling.seed_blocks(shape, generator, device, dtype))


def check_mechanism(mechanism: Mechanism) -> Mechanism:
    """Return `mechanism` after checking that it is one."""
    require(isinstance(mechanism, Mechanism), "mechanism", mechanism, "a mechanism of core.mechanisms, such as independent()")
    return mechanism


@dataclass(frozen=True, kw_only=True)
class ToeplitzMechanism(Mechanism):
    """A mechanism that treats all steps alike: C and B are Toeplitz, given by their first columns."""

    def noising_matrix(self, steps: int) -> np.ndarray:
        """B = inverse of C, (steps, steps), lower triangular."""
        return read_only(toeplitz.dense(self.noising_coef(steps)))

    def strategy_matrix(self, steps: int) -> np.ndarray:
        """C, (steps, steps), lower triangular."""
        return read_only(toeplitz.dense(self.strategy_coef(steps)))

    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float:
        """Norm of the sum of the columns 0, separation, 2 separation, ... of C [clip_norm].

        This is the worst pattern where the coefficients of C are non-negative and never rise (checked, with 1e-12 of
        the first for rounding); a single participation needs no such condition, for column 0 is the longest.

        Guarantees: equals the largest norm over all admissible patterns, by enumeration; the norm of the sum, not the
        sum of norms; that of the coefficients that `stream` applies where these differ from the exact ones.

        Raises: ValueError when the participations do not fit into `steps`, and for several of them under a C with
        negative or rising coefficients.
        Reference: 2310.06771, Theorem 1.1 (single); Kalinin and Lampert, 2405.13763, Theorem 2 (several).
        """
        steps, participations, separation = check_pattern(steps, participations, separation)
        columns = self._charged(steps)
        if participations > 1:
            require(
                all(never_rises(column) for column in columns),
                "participations", participations,
                f"1 for {self.label}: several are charged exactly only where C is >= 0 and never rises",
            )
        return max(pattern_norm(column, participations, separation) for column in columns)

    def prefix_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the running sum of the noise, for seed noise of standard deviation 1."""
        return read_only(np.sqrt(np.cumsum(np.cumsum(self.noising_coef(steps)) ** 2)))

    def step_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the noise of each step, for seed noise of standard deviation 1."""
        return read_only(np.sqrt(np.cumsum(self.noising_coef(steps) ** 2)))

    def _charged(self, steps: int) -> tuple[np.ndarray, ...]:
        """The first columns of C to charge: the exact one, and that of a stream that approximates it."""
        return (self.strategy_coef(steps),)

    def sample(self, steps, shape, generator, device="cpu", dtype=None):
        """Correlated noise (steps, *shape) of all steps at once: one Fourier transform over time a column."""
        from core.mechanisms import sampling

        seed = sampling.seed_noise(whole("steps", steps, at_least=1), shape, generator, device, dtype)
        return sampling.correlate(self.noising_coef(steps), seed)

    def correlate(self, blocks):
        """Noise one step after the other; every past draw is kept."""
        from core.mechanisms import sampling

        return sampling.stream_any(self.noising_coef, blocks)

    def buffers(self, steps: int) -> int:
        """One for every past draw, and what these owe to as many later steps."""
        return 2 * whole("steps", steps, at_least=1)

    def operations(self, steps: int) -> float:
        """About log2(steps)^2 times a constant: what is counted are the tiles of `stream_any`."""
        return online_operations(whole("steps", steps, at_least=1))


@dataclass(frozen=True, kw_only=True)
class MatrixMechanism(Mechanism):
    """A mechanism whose matrices need not be Toeplitz: what needs coefficients or a spectrum is refused."""

    def prefix_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the running sum of the noise, for seed noise of standard deviation 1."""
        return read_only(np.linalg.norm(np.cumsum(self.noising_matrix(steps), axis=0), axis=1))

    def step_std(self, steps: int) -> np.ndarray:
        """Standard deviation (steps,) of the noise of each step, for seed noise of standard deviation 1."""
        return read_only(np.linalg.norm(self.noising_matrix(steps), axis=1))

    def sample(self, steps, shape, generator, device="cpu", dtype=None):
        """Correlated noise (steps, *shape) of all steps at once, by one matrix product."""
        from core.mechanisms import sampling

        matrix = self.noising_matrix(steps)
        return sampling.apply_matrix(matrix, sampling.seed_noise(len(matrix), shape, generator, device, dtype))

    def sensitivity(self, steps: int, participations: int = 1, separation: int = 1) -> float:
        """Largest norm of the sum of the columns of C that one record can join [clip_norm]; see `worst_pattern`."""
        steps, participations, separation = check_pattern(steps, participations, separation)
        return worst_pattern(self.strategy_matrix(steps), participations, separation, self.label)

    def correlate(self, blocks):
        """Raises: ValueError, for the noise of the first step depends on how many will follow."""
        return self._refuse("an anytime mechanism for stream", "dense(strategy_matrix(steps))")

    def buffers(self, steps: int) -> int:
        """One for every step: each draw enters all that follow."""
        return whole("steps", steps, at_least=1)

    def operations(self, steps: int) -> float:
        """(steps + 1) / 2, half a matrix."""
        return (whole("steps", steps, at_least=1) + 1) / 2

    def noising_coef(self, steps: int) -> np.ndarray:
        """Raises: ValueError, for the matrix need not be Toeplitz."""
        return self._refuse("a Toeplitz mechanism for noising_coef", "noising_matrix")

    def strategy_coef(self, steps: int) -> np.ndarray:
        """Raises: ValueError, for the matrix need not be Toeplitz."""
        return self._refuse("a Toeplitz mechanism for strategy_coef", "strategy_matrix")

    def limit_sensitivity(self) -> float:
        """Raises: ValueError, for a matrix ends."""
        return self._refuse("a Toeplitz mechanism for limit_sensitivity", "sensitivity(steps)")

    def frequency_response(self, omega: np.ndarray) -> np.ndarray:
        """Raises: ValueError, for the matrix need not be Toeplitz."""
        return self._refuse("a Toeplitz mechanism for frequency_response", "noising_matrix")

    def _refuse(self, expected: str, instead: str):
        raise ValueError(f"mechanism={self.label}, expected {expected}: use {instead}")


def read_only(array: np.ndarray) -> np.ndarray:
    """The array itself, closed for writing."""
    array.flags.writeable = False
    return array


def online_operations(steps: int, tile: int = 64) -> float:
    """Multiplications a number and step of adding up tiles of lengths 64, 128, ... as `sampling.stream_any` does.

    A tile of n steps is added once in 2n steps, by n^2 multiplications, or by three Fourier transforms of length 2n.
    """
    total, length = float(min(steps, tile)), tile
    while length < steps:
        transforms = 3 * 2 * length * np.log2(2 * length)
        total += (length**2 if length <= 256 else transforms) / (2 * length)
        length *= 2
    return total


@lru_cache(maxsize=64)
def inverse_of(mechanism: ToeplitzMechanism, steps: int) -> np.ndarray:
    """Strategy coefficients (steps,) of a mechanism given by its noising coefficients; kept for the next call."""
    return read_only(toeplitz.inverse(mechanism.noising_coef(steps)))
