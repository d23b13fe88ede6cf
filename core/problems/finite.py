"""Least squares on all records at once: what full-batch learners minimise."""

import torch
from torch import Tensor

from core.problems import Batch
from core.problems.designs import Records
from core.problems.regression import least_squares_factors, moved


class LeastSquares:
    """F(theta) = 1/(2n) sum_i (<theta, x_i> - y_i)^2 on the records of one data set or several, from theta = 0.

    Replicates are split evenly among the data sets, in order: replicate r learns from data set r // (replicates /
    data_sets). Measures: `error_to_theta_hat`, the distance to the least-squares fit of its data; where the records
    were drawn, `error_to_theta_star` and the exact `excess_risk` over the truth; on a table, `excess_risk` is F(theta)
    - F(theta_hat) on the table itself.

    Guarantees: `excess_risk` is never negative.
    """

    outputs = 1
    ridge = 0.0

    def __init__(self, records: Records, dtype: torch.dtype = torch.float64) -> None:
        self.records = records
        self.n_samples, self.features = records.n_samples, records.dim
        self.dtype = dtype
        self.start = torch.zeros(1, self.features, dtype=dtype)
        drawn = records.theta_star is not None
        self._features, self._labels, self._theta_hat, self._best, self._hessian = (
            torch.tensor(array, dtype=dtype)
            for array in (
                records.features,
                records.labels,
                records.theta_hat,
                records.theta_star if drawn else records.theta_hat,
                records.covariance if drawn else records.gram,
            )
        )

    def to(self, device: torch.device) -> "LeastSquares":
        return moved(self, device)

    def everything(self) -> Batch:
        """All records: features (data_sets, n, p) and labels (data_sets, n)."""
        return Batch(self._features, self._labels)

    def factors(self, theta: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return least_squares_factors(theta, batch)

    def risk(self, theta: Tensor) -> dict[str, Tensor]:
        # (arms, replicates, 1, p) -> (arms, data sets, chains of each, p)
        chains = theta.reshape(len(theta), len(self._features), -1, self.features)
        off = chains - self._best[:, None]
        excess = 0.5 * (off @ self._hessian * off).sum(-1).clamp(min=0.0)
        measures = {"excess_risk": excess, "error_to_theta_hat": (chains - self._theta_hat[:, None]).norm(dim=-1)}
        if self.records.theta_star is not None:
            measures["error_to_theta_star"] = off.norm(dim=-1)
        return {name: values.reshape(theta.shape[:2]) for name, values in measures.items()}
