"""Logistic regression on features of bounded length, in a ball: endless drawn examples, or a table of two classes."""

from collections.abc import Sequence

import numpy as np
import torch
from scipy.special import expit
from torch import Tensor
from torch.nn.functional import softplus

from core.check import real, require, vector
from core.problems import Batch
from core.problems.datasets import TwoClasses
from core.problems.regression import moved

HELD_OUT = 4096
"""Inputs on which the risk of the drawn problem is measured; one seed, the same for every run."""
_MOST_NEWTON_STEPS, _LEAST_PENALTY = 100, 1e-10


class LogisticDesign:
    """Fresh examples: x_k = +-sqrt(eigenvalue_k) by fair coins, y = +1 with probability 1/(1 + exp(-<x, theta_star>)).

    f(theta; x, y) = log(1 + exp(-y <x, theta>)), whose gradient is -y x/(1 + exp(y <x, theta>)): outputs = 1, h = x. So
    |x|^2 = sum of `eigenvalues` for every example, E xx' = diag(eigenvalues), no gradient is longer than |x|, and f is
    |x|^2/4-smooth. `theta_star` (d,) minimises the population risk. Training starts at 0.

    `excess_risk` is the risk over that of theta_star on `HELD_OUT` inputs that training never sees, with the chance of
    their labels integrated out: the mean divergence of the predicted chances from the true ones. `test_loss` likewise.

    Guarantees: |x| and the covariance are exact; `excess_risk` is never below zero, and zero at theta_star.
    Raises: ValueError naming the argument.
    Reference: arXiv 2406.02716, Section 1 (convex, Lipschitz and smooth losses in a ball).
    """

    outputs = 1
    n_samples = None
    ridge = 0.0

    def __init__(
        self,
        eigenvalues: Sequence[float] | np.ndarray,
        theta_star: Sequence[float] | np.ndarray,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.eigenvalues = vector("eigenvalues", eigenvalues, above=0.0)
        self.features = self.eigenvalues.size
        self.theta_star = vector("theta_star", theta_star, length=self.features)
        self.dtype = dtype
        self.start = torch.zeros(1, self.features, dtype=dtype)
        self._scale = torch.tensor(np.sqrt(self.eigenvalues), dtype=dtype)
        self._theta_star = torch.tensor(self.theta_star, dtype=dtype)
        signs = np.random.default_rng(0).integers(0, 2, (HELD_OUT, self.features)) * 2 - 1
        self._held_out = torch.tensor(signs * np.sqrt(self.eigenvalues))  # double: differences of losses are small
        self._true_scores = self._held_out @ torch.tensor(self.theta_star)

    def to(self, device: torch.device) -> "LogisticDesign":
        return moved(self, device)

    def draw(self, replicates: int, batch_size: int, generator: torch.Generator) -> Batch:
        options = {"generator": generator, "dtype": self.dtype, "device": self.start.device}
        coins = torch.rand(replicates, batch_size, self.features, **options)
        features = torch.where(coins < 0.5, -self._scale, self._scale)
        chances = torch.sigmoid(features @ self._theta_star)
        labels = torch.where(torch.rand(replicates, batch_size, **options) < chances, 1.0, -1.0).to(self.dtype)
        return Batch(features, labels)

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return logistic_factors(theta, batch)

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        scores = theta[..., 0, :].double() @ self._held_out.T
        chance = torch.sigmoid(self._true_scores)
        best = (softplus(self._true_scores) - chance * self._true_scores).mean()
        loss = (softplus(scores) - chance * scores).mean(-1)
        return {"excess_risk": (loss - best).clamp(min=0.0), "test_loss": loss}


class TableLogistic:
    """The n training records of two classes, with a constant as one more input, all within the unit ball.

    `excess_risk` is F(theta) - F(theta_hat) on the training records, theta_hat the best parameters within `radius` of 0,
    found without privacy; `test_loss` and `test_accuracy` are on the records held out (<x, theta> = 0 counts as wrong, so
    that the accuracy at theta = 0 is 0). Inputs, which lie within [-1, 1], are divided by sqrt(d + 1): no record enters
    that rule.

    Guarantees: no record is longer than 1; within the ball `excess_risk` is not below zero; `test_accuracy` is 0 at 0.
    Raises: ValueError for a radius that is not positive.
    """

    outputs = 1
    ridge = 0.0

    def __init__(self, data: TwoClasses, radius: float, dtype: torch.dtype = torch.float32) -> None:
        self.data = data
        self.radius = real("radius", radius, above=0.0)
        train, test = _with_constant(data.features), _with_constant(data.test_features)
        self.n_samples, self.features = train.shape
        self.dtype = dtype
        self.start = torch.zeros(1, self.features, dtype=dtype)
        self.theta_hat = logistic_fit(train, data.labels, self.radius)
        self.least_loss = float(np.logaddexp(0, -data.labels * (train @ self.theta_hat)).mean())
        self._features, self._labels = torch.tensor(train, dtype=dtype), torch.tensor(data.labels, dtype=dtype)
        self._signed = torch.tensor(train * data.labels[:, None])
        self._test_signed = torch.tensor(test * data.test_labels[:, None])

    def to(self, device: torch.device) -> "TableLogistic":
        return moved(self, device)

    def batch(self, picks: Tensor) -> Batch:
        return Batch(self._features[picks], self._labels[picks])

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return logistic_factors(theta, batch)

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        parameters = theta[..., 0, :].double()
        loss = softplus(-parameters @ self._signed.T).mean(-1)
        margins = parameters @ self._test_signed.T
        return {
            "excess_risk": loss - self.least_loss,
            "train_loss": loss,
            "test_loss": softplus(-margins).mean(-1),
            "test_accuracy": (margins > 0).double().mean(-1),
        }


def logistic_factors(theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    """-y/(1 + exp(y <x, theta>)) (arms, replicates, B, 1) and x (replicates, B, d): factors of the logistic loss's gradient."""
    labels = batch.labels[..., None]
    margins = labels * torch.einsum("arof,rbf->arbo", theta, batch.features)
    return -labels * torch.sigmoid(-margins), batch.features


def logistic_fit(features: np.ndarray, labels: np.ndarray, radius: float) -> np.ndarray:
    """The theta (d,) of least mean logistic loss within `radius` of 0, without privacy.

    In the ball's interior the gradient vanishes; on its border it is -penalty theta, penalty > 0: Newton's method solves
    for theta at a penalty, bisection for the penalty at which |theta| = radius.

    Guarantees: gradient + penalty theta = 0 with penalty >= 0, and |theta| <= radius within 1e-9 relative.
    Raises: ValueError for a radius that is not positive.
    """
    real("radius", radius, above=0.0)
    low, high = _LEAST_PENALTY, 1.0
    theta = _newton(features, labels, high, np.zeros(features.shape[1]))
    while np.linalg.norm(theta) > radius:  # |theta| falls as the penalty grows
        high *= 10
        theta = _newton(features, labels, high, np.zeros(features.shape[1]))
    while high > low * (1 + 1e-12):
        middle = (low * high) ** 0.5
        tried = _newton(features, labels, middle, theta)
        if np.linalg.norm(tried) > radius:
            low = middle
        else:
            high, theta = middle, tried
    return theta


def _newton(features: np.ndarray, labels: np.ndarray, penalty: float, theta: np.ndarray) -> np.ndarray:
    """The minimiser of mean log(1 + exp(-y <x, theta>)) + penalty/2 |theta|^2, by damped Newton steps from `theta`."""
    signed, n = features * labels[:, None], len(labels)

    def objective(at: np.ndarray) -> float:
        return float(np.logaddexp(0, -signed @ at).mean() + penalty / 2 * at @ at)

    for _ in range(_MOST_NEWTON_STEPS):
        wrong = expit(-signed @ theta)
        gradient = penalty * theta - signed.T @ wrong / n
        if np.linalg.norm(gradient) < 1e-12:
            return theta
        hessian = penalty * np.eye(len(theta)) + (signed * (wrong * (1 - wrong))[:, None]).T @ signed / n
        step, size, here = np.linalg.solve(hessian, gradient), 1.0, objective(theta)
        # close to the optimum full steps converge, and rounding of the objective would only mislead a search
        while gradient @ step > 1e-10 and objective(theta - size * step) > here - 1e-4 * size * gradient @ step:
            size /= 2
        theta = theta - size * step
    require(False, "Newton steps", _MOST_NEWTON_STEPS, "convergence before that")


def _with_constant(features: np.ndarray) -> np.ndarray:
    inputs = np.column_stack([features, np.ones(len(features))])
    return inputs / inputs.shape[1] ** 0.5
