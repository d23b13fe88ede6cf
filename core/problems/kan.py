"""The two-layer Kolmogorov-Arnold network of arXiv 2605.12648 as a problem in outer-product form."""

import numpy as np
import torch
from torch import Tensor

from core.check import require, whole
from core.problems import Batch
from core.problems.regression import moved
from core.problems.splines import Splines, evaluate

MOST_NUMBERS = 2**27
"""Largest table of spline features (records x inputs x n_basis): half a gigabyte in single precision."""

_BLOCK_NUMBERS = {"cpu": 2**17, "cuda": 2**24}
"""Hidden units evaluated at once: they stay in a processor's cache, and keep a GPU busy."""


class Kan:
    """A two-layer KAN with logistic loss, trained in its first layer theta; the second layer c stays as drawn.

        f(x) = m^{-1/2} sum_jk c_jk b_k(tanh(u_j(x))),    u_j(x) = d^{-1/2} sum_ik theta_j,ik b_k(x_i)
        F(theta) = mean of log(1 + exp(-y f(x))),    gradient of one example = a h'
        h = (b_k(x_i))_ik,    a_j = -y s(-y f) (m d)^{-1/2} tanh'(u_j) sum_k c_jk b_k'(tanh(u_j)),  s the logistic curve

    `features` (n, d) within [-1, 1], `labels` (n,) -1 or +1, `width` m: outputs = m, features = d * n_basis. h depends
    on the data alone and is computed once. `start` and c are drawn N(0, 1) from `seed`, or c is `second_layer`
    (m, n_basis). The measures are `train_loss` on the first `watched_training` records and, of the records in `test`,
    `test_loss` and `test_accuracy` on the first `watched` (f = 0 counts as wrong).

    Guarantees: a h' is the gradient of the loss; the same seed gives the same network in every precision.
    Raises: ValueError naming the argument, and for more spline features than MOST_NUMBERS.
    Reference: arXiv 2605.12648, section 3.1 and Algorithm 1, line 2.
    """

    ridge = 0.0

    def __init__(
        self,
        features: np.ndarray,
        labels: np.ndarray,
        width: int,
        n_basis: int = 8,
        *,
        degree: int = 3,
        test: tuple[np.ndarray, np.ndarray] | None = None,
        second_layer: np.ndarray | None = None,
        watched: int = 2000,
        watched_training: int = 2000,
        seed: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.splines = Splines(n_basis, degree)
        self.outputs = whole("width", width, at_least=1)
        self.watched = whole("watched", watched, at_least=1)
        self.watched_training = whole("watched_training", watched_training, at_least=1)
        self.dtype = dtype
        inputs, self._labels = _records("features", "labels", features, labels, dtype)
        self.n_samples, self.dim = inputs.shape
        self.features = self.dim * n_basis
        self._features = self._spline_features(inputs)
        source = torch.Generator().manual_seed(whole("seed", seed))
        # drawn in double, so that single and double precision train the same network
        start = torch.randn(self.outputs, self.features, generator=source, dtype=torch.float64)
        drawn = torch.randn(self.outputs, n_basis, generator=source, dtype=torch.float64)
        self.start = start.to(dtype)
        outer = drawn if second_layer is None else torch.as_tensor(second_layer, dtype=torch.float64)
        require(outer.shape == drawn.shape, "second_layer", tuple(outer.shape), f"shape {tuple(drawn.shape)}")
        self._outer = self.splines.polynomials(outer).to(dtype)
        self._test_features = self._test_labels = None
        if test is not None:
            inputs, held_out = _records("test features", "test labels", *test, dtype)
            require(inputs.shape[1] == self.dim, "inputs of a test record", inputs.shape[1], f"{self.dim}, as in training")
            self._test_features = self._spline_features(inputs[: self.watched])
            self._test_labels = held_out[: self.watched]

    def to(self, device: torch.device) -> "Kan":
        return moved(self, device)

    def batch(self, picks: Tensor) -> Batch:
        return Batch(self._features[picks], self._labels[picks])

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        arms, replicates = self._blocks(theta, batch.labels.shape[-1])
        if len(arms) == len(replicates) == 1:
            return self._pulls(theta, batch.features, batch.labels), batch.features
        a = theta.new_empty(*theta.shape[:2], batch.labels.shape[-1], self.outputs)
        for part in replicates:
            features, labels = (each[part] if each.ndim > least else each for each, least in ((batch.features, 2), (batch.labels, 1)))
            for some in arms:
                a[some, part] = self._pulls(theta[some, part], features, labels)
        return a, batch.features

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        train = self._margins(theta, self._features[: self.watched_training], self._labels[: self.watched_training])
        measures = {"train_loss": _logistic(train)}
        if self._test_features is not None:
            test = self._margins(theta, self._test_features, self._test_labels)
            measures |= {"test_loss": _logistic(test), "test_accuracy": (test > 0).to(self.dtype).mean(-1)}
        return measures

    def predict(self, theta: Tensor, inputs: Tensor) -> Tensor:
        """f (arms, replicates, n) at `inputs` (n, d): positive where the network says +1.

        Raises: ValueError for inputs outside [-1, 1].
        """
        return self._scores(theta, self._spline_features(inputs.to(self.start)))

    def edge_functions(self, theta: Tensor, points: Tensor) -> Tensor:
        """The curves sum_k theta_j,ik b_k(x) that unit j learned of input i: (..., width, d, n) at `points` (n,).

        `theta` (..., width, features) may be cut down to the units that one wants to see.
        Raises: ValueError for points outside [-1, 1].
        """
        basis = self.splines.values(points.to(self.start))
        return theta.unflatten(-1, (self.dim, self.splines.n_basis)) @ basis.mT

    def per_example_gradients(self, theta: Tensor, batch: Batch) -> Tensor:
        """a_i h_i' (arms, replicates, B, outputs, features), for tests only: training never holds these."""
        a, h = self.factors(theta, batch)
        return a[..., :, None] * h[..., None, :]

    def _spline_features(self, inputs: Tensor) -> Tensor:
        """h (n, d * n_basis), in blocks of records."""
        numbers = inputs.numel() * self.splines.n_basis
        require(numbers <= MOST_NUMBERS, "records x inputs x n_basis", numbers, f"at most {MOST_NUMBERS}")
        rows = max(1, _BLOCK_NUMBERS["cpu"] // (inputs.shape[1] * self.splines.n_basis))
        return torch.cat([self.splines.values(block).flatten(-2) for block in inputs.split(rows)])

    def _pulls(self, theta: Tensor, features: Tensor, labels: Tensor) -> Tensor:
        """a (arms, replicates, B, width) of a batch."""
        hidden = self._hidden(theta, features)
        value, slope = evaluate(self._outer, hidden)
        margin = labels * value.sum(-1) * self.outputs**-0.5
        pull = -labels * torch.sigmoid(-margin) * (self.outputs * self.dim) ** -0.5
        slope = torch.addcmul(slope, slope * hidden, hidden, value=-1)  # tanh' = 1 - tanh^2
        return slope.mul_(pull[..., None])

    def _blocks(self, theta: Tensor, records: int) -> tuple[list[slice], list[slice]]:
        """Arms and replicates in parts, so that the hidden units of one part of both are a block."""
        arms, replicates = theta.shape[:2]
        fits = max(1, self._block // (records * self.outputs))
        together = min(fits, replicates)
        return _parts(arms, max(1, fits // together)), _parts(replicates, together)

    @property
    def _block(self) -> int:
        return _BLOCK_NUMBERS[self.start.device.type]

    def _hidden(self, theta: Tensor, features: Tensor) -> Tensor:
        """tanh(u) (arms, replicates, n, width) for `features` (n, features), alike or not for each replicate."""
        return torch.matmul(features, theta.mT).mul_(self.dim**-0.5).tanh_()

    def _scores(self, theta: Tensor, features: Tensor) -> Tensor:
        """f (arms, replicates, n) on spline features (n, features), in blocks of records."""
        rows = max(1, self._block // (theta.shape[0] * theta.shape[1] * self.outputs))
        hidden = (self._hidden(theta, block) for block in features.split(rows))
        sums = [evaluate(self._outer, units)[0].sum(-1) for units in hidden]
        return torch.cat(sums, dim=-1) * self.outputs**-0.5

    def _margins(self, theta: Tensor, features: Tensor, labels: Tensor) -> Tensor:
        return labels * self._scores(theta, features)


def _parts(count: int, size: int) -> list[slice]:
    return [slice(first, first + size) for first in range(0, count, size)]


def _records(inputs_name: str, labels_name: str, inputs, labels, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    inputs, labels = torch.as_tensor(inputs), torch.as_tensor(labels).to(dtype)
    require(inputs.ndim == 2 and inputs.numel() > 0, inputs_name, tuple(inputs.shape), "records x inputs, not empty")
    within = bool((inputs.abs() <= 1).all())
    require(within, inputs_name, f"up to {float(inputs.abs().max()):g}", "all numbers within [-1, 1]")
    require(labels.shape == inputs.shape[:1], labels_name, tuple(labels.shape), f"one for each of {len(inputs)} records")
    require(bool((labels.abs() == 1).all()), labels_name, labels.unique().tolist()[:5], "-1 or +1")
    return inputs.to(dtype), labels


def _logistic(margins: Tensor) -> Tensor:
    return torch.nn.functional.softplus(-margins).mean(-1)
