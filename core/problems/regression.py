"""Least squares on endless Gaussian data, and mean estimation on bounded data: the problems with exact theory."""

import copy
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from core.check import real, require, vector
from core.problems import Batch, Problem

AnyProblem = TypeVar("AnyProblem", bound=Problem)


class GaussianDesign:
    """Linear regression on fresh examples: x ~ N(0, diag(eigenvalues)), y = <x, theta_star> + label_noise N(0, 1).

    f(theta; x, y) = 1/2 (<theta, x> - y)^2, whose gradient is (<theta, x> - y) x: outputs = 1, h = x. `eigenvalues`
    (d,) are those of the Hessian H of F. `theta_star` (d,) defaults to 1/sqrt(d) in every coordinate; training starts
    at 0. Float32 is fast and enough to watch; pass `dtype=torch.float64` to compare numbers.

    Guarantees: `excess_risk` is exact, not estimated; two problems with the same arguments draw the same examples.
    Raises: ValueError naming the argument.
    Reference: arXiv 2310.06771, section 2.2.
    """

    outputs = 1
    n_samples = None
    ridge = 0.0

    def __init__(
        self,
        eigenvalues: Sequence[float] | np.ndarray,
        label_noise: float = 0.0,
        theta_star: Sequence[float] | np.ndarray | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.eigenvalues = vector("eigenvalues", eigenvalues, above=0.0)
        self.features = self.eigenvalues.size
        self.label_noise = real("label_noise", label_noise, at_least=0.0)
        if theta_star is None:
            theta_star = np.full(self.features, self.features**-0.5)
        self.theta_star = vector("theta_star", theta_star, length=self.features)
        self.dtype = dtype
        self.start = torch.zeros(1, self.features, dtype=dtype)
        self._scale = torch.tensor(np.sqrt(self.eigenvalues), dtype=dtype)
        self._theta_star = torch.tensor(self.theta_star, dtype=dtype)

    @property
    def initial_error(self) -> np.ndarray:
        """theta_0 - theta_star (d,), as `core.theory.quadratic` takes it."""
        return -self.theta_star

    def to(self, device: torch.device) -> "GaussianDesign":
        return moved(self, device)

    def draw(self, replicates: int, batch_size: int, generator: torch.Generator) -> Batch:
        options = {"generator": generator, "dtype": self.dtype, "device": self.start.device}
        features = self._scale * torch.randn(replicates, batch_size, self.features, **options)
        residuals = torch.randn(replicates, batch_size, **options)
        return Batch(features, features @ self._theta_star + self.label_noise * residuals)

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return least_squares_factors(theta, batch)

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        return {"excess_risk": 0.5 * ((theta[..., 0, :] - self._theta_star) * self._scale).square().sum(-1)}


class MeanEstimation:
    """The mean of endless records z = mean +- data_std, each sign with probability 1/2, all within [-1, 1].

    f(theta; z) = z^2/2 - z theta has gradient -z (a = -z, h = 1), and r(theta) = theta^2/2 adds theta, which no record
    enters. So F(theta) = 1/2 (theta - mean)^2 + constant, no gradient is longer than 1, and a clip norm of 1 clips
    nothing. This record distribution attains the bound |z - mean| <= data_std of the theorem.

    Guarantees: |z| <= 1; `excess_risk` is exact.
    Raises: ValueError when a record could leave [-1, 1].
    Reference: arXiv 2310.06771, equation (6) and Theorem 2.1.
    """

    outputs = 1
    features = 1
    n_samples = None
    ridge = 1.0

    def __init__(self, mean: float = 0.5, data_std: float = 0.25, dtype: torch.dtype = torch.float32) -> None:
        self.mean = real("mean", mean, at_least=-1.0, at_most=1.0)
        self.data_std = real("data_std", data_std, at_least=0.0)
        room = 1 - abs(self.mean)
        require(self.data_std <= room, "data_std", data_std, f"at most 1 - |mean| = {room:g}: records stay in [-1, 1]")
        self.dtype = dtype
        self.start = torch.zeros(1, 1, dtype=dtype)

    def to(self, device: torch.device) -> "MeanEstimation":
        return moved(self, device)

    def draw(self, replicates: int, batch_size: int, generator: torch.Generator) -> Batch:
        shape, device = (replicates, batch_size), self.start.device
        signs = 2 * torch.randint(2, shape, generator=generator, dtype=self.dtype, device=device) - 1
        ones = torch.ones(*shape, 1, dtype=self.dtype, device=device)
        return Batch(ones, self.mean + self.data_std * signs)

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return -batch.labels[..., None].expand(len(theta), -1, -1, -1), batch.features

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        return {"excess_risk": 0.5 * (theta[..., 0, 0] - self.mean).square()}


def least_squares_factors(theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """Residuals (arms, replicates, B, 1) and features (replicates, B, d): the gradient of 1/2 (<theta, x> - y)^2."""
    predictions = torch.einsum("arof,rbf->arbo", theta, batch.features)
    return predictions - batch.labels[..., None], batch.features


def moved(problem: AnyProblem, device: torch.device) -> AnyProblem:
    """A copy of the problem with every tensor it holds on `device`; the rest is shared."""
    copied = copy.copy(problem)
    vars(copied).update({name: held.to(device) for name, held in vars(problem).items() if isinstance(held, Tensor)})
    return copied
