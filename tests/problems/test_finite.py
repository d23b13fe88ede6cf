"""Least squares on all records: gradients by autograd, risks by their definition."""

import numpy as np
import pytest
import torch

from core.problems.designs import anisotropic, from_table
from core.problems.finite import LeastSquares
from core.problems.tables import TableRegression, diabetes


def test_factors_are_those_of_autograd():
    records = anisotropic(8, 3, data_sets=2, seed=1)
    problem = LeastSquares(records)
    theta = torch.randn(4, 2, 1, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    a, h = problem.factors(theta, problem.everything())
    assert a.shape == (4, 2, 8, 1) and h.shape == (2, 8, 3)
    for arm, data, record in ((0, 0, 0), (3, 1, 7), (1, 1, 2)):
        parameters = theta[arm, data, 0].clone().requires_grad_()
        x, y = torch.tensor(records.features[data, record]), records.labels[data, record]
        (0.5 * (parameters @ x - y) ** 2).backward()
        torch.testing.assert_close(a[arm, data, record] * h[data, record], parameters.grad)


def test_replicates_are_split_among_data_sets_in_order():
    records = anisotropic(30, 3, data_sets=2, seed=2)
    problem = LeastSquares(records)
    theta = torch.tensor(records.theta_star)[[0, 0, 0, 1, 1, 1]][None, :, None]
    assert not problem.risk(theta)["error_to_theta_star"].any() and not problem.risk(theta)["excess_risk"].any()
    fitted = torch.tensor(records.theta_hat)[[0, 0, 0, 1, 1, 1]][None, :, None]
    measures = problem.risk(fitted)
    assert measures["error_to_theta_hat"].abs().max() < 1e-12 and measures["excess_risk"].shape == (1, 6)
    off = records.theta_hat - records.theta_star
    expected = 0.5 * np.einsum("dp,dpq,dq->d", off, records.covariance, off)
    np.testing.assert_allclose(measures["excess_risk"][0, [0, 3]].numpy(), expected, rtol=1e-12)


def test_on_a_table_the_excess_is_over_the_fit_of_the_table():
    table = diabetes()
    problem, same = LeastSquares(from_table(table)), TableRegression(table, dtype=torch.float64)
    theta = torch.randn(2, 3, 1, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    measures = problem.risk(theta)
    assert set(measures) == {"excess_risk", "error_to_theta_hat"}
    torch.testing.assert_close(measures["excess_risk"], same.risk(theta)["excess_risk"])
    assert problem.risk(torch.tensor(problem.records.theta_hat)[None, :, None])["excess_risk"].item() == pytest.approx(0, abs=1e-20)


def test_dtype_start_and_device():
    problem = LeastSquares(anisotropic(8, 3, seed=1), dtype=torch.float32)
    assert problem.start.shape == (1, 3) and problem.dtype == problem.everything().features.dtype == torch.float32
    moved = problem.to(torch.device("cpu"))
    assert moved is not problem and torch.equal(moved.everything().labels, problem.everything().labels)
