"""B-splines against Cox and de Boor's recursion in scipy, and the properties that define them."""

import numpy as np
import pytest
import torch
from scipy.interpolate import BSpline

from core.problems.splines import Splines, evaluate

CASES = [Splines(8, 3), Splines(4, 3), Splines(20, 3), Splines(3, 1), Splines(6, 2), Splines(9, 5)]
cases = pytest.mark.parametrize("splines", CASES, ids=lambda splines: f"p{splines.n_basis}-degree{splines.degree}")
POINTS = torch.linspace(-1, 1, 401, dtype=torch.float64)


def by_scipy(splines, points, coefficients):
    spacing = 2 / (splines.n_basis - splines.degree)
    knots = -1 + spacing * np.arange(-splines.degree, splines.n_basis + 1)
    return BSpline(knots, coefficients, splines.degree), knots


def test_printed_value_and_derivative():
    """b_5(.3) and b_5'(.3) of 8 cubic splines on uniform knots, .4 apart: computed independently by the recursion."""
    point = torch.tensor([0.3], dtype=torch.float64)
    assert Splines(8, 3).values(point)[0, 5].item() == pytest.approx(0.3151041666666667, abs=1e-12)
    assert Splines(8, 3).derivatives(point)[0, 5].item() == pytest.approx(1.640625, abs=1e-12)


@cases
def test_values_and_derivatives_are_those_of_cox_and_de_boor(splines):
    values, derivatives = splines.values(POINTS), splines.derivatives(POINTS)
    assert values.shape == derivatives.shape == (401, splines.n_basis)
    spline, knots = by_scipy(splines, POINTS, np.eye(splines.n_basis))
    np.testing.assert_allclose(values.numpy(), spline(POINTS.numpy()), atol=1e-13)
    smooth = np.abs(POINTS.numpy()[:, None] - knots).min(axis=1) > 1e-9  # at a knot degree 1 has two slopes
    expected = spline.derivative()(POINTS.numpy())
    np.testing.assert_allclose(derivatives.numpy()[smooth], expected[smooth], atol=1e-12)


@cases
def test_partition_of_unity_and_non_negativity(splines):
    values = splines.values(POINTS)
    torch.testing.assert_close(values.sum(-1), torch.ones_like(POINTS), rtol=0, atol=1e-14)
    assert (values >= -1e-16).all()
    torch.testing.assert_close(splines.derivatives(POINTS).sum(-1), torch.zeros_like(POINTS), rtol=0, atol=1e-12)
    assert ((values > 0).sum(-1) <= splines.degree + 1).all()


@cases
def test_derivatives_are_those_of_autograd(splines):
    points = (POINTS[:-1] + 0.5 * (POINTS[1] - POINTS[0])).requires_grad_()
    for index in range(splines.n_basis):
        (slope,) = torch.autograd.grad(splines.values(points)[:, index].sum(), points)
        torch.testing.assert_close(splines.derivatives(points)[:, index].detach(), slope, rtol=1e-10, atol=1e-10)


@cases
def test_pieces_of_a_spline_are_its_sum_of_basis_functions(splines):
    coefficients = torch.randn(3, splines.n_basis, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    points = POINTS[:, None].expand(-1, 3)
    value, slope = evaluate(splines.polynomials(coefficients), points)
    torch.testing.assert_close(value, splines.values(POINTS) @ coefficients.T, rtol=1e-11, atol=1e-11)
    torch.testing.assert_close(slope, splines.derivatives(POINTS) @ coefficients.T, rtol=1e-10, atol=1e-10)
    assert splines.polynomials(coefficients).shape == (splines.degree + 1, 3, splines.pieces)


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_splines_are_smooth_across_knots_and_reproduce_straight_lines(degree):
    splines = Splines(9, degree)
    knots = -1 + 2 / splines.pieces * torch.arange(1, splines.pieces, dtype=torch.float64)
    before, after = splines.values(knots - 1e-9), splines.values(knots + 1e-9)
    torch.testing.assert_close(before, after, rtol=0, atol=1e-7)
    torch.testing.assert_close(splines.derivatives(knots - 1e-9), splines.derivatives(knots + 1e-9), rtol=0, atol=1e-6)
    spacing = 2 / splines.pieces
    greville = -1 + spacing * (torch.arange(9, dtype=torch.float64) - degree + (degree + 1) / 2)
    torch.testing.assert_close(splines.values(POINTS) @ greville, POINTS, rtol=0, atol=1e-13)


def test_single_precision_is_as_good_as_it_can_be():
    coefficients = torch.randn(5, 20, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    table = Splines(20).polynomials(coefficients)
    points = POINTS[:, None].expand(-1, 5)
    exact = evaluate(table, points)
    single = evaluate(table.float(), points.float())
    assert (single[0].double() - exact[0]).abs().max() < 1e-5  # rounding of the point alone: slope * 6e-8
    assert single[0].dtype == torch.float32


def test_nan_stays_nan_and_harms_no_neighbour():
    table = Splines().polynomials(torch.ones(2, 8))
    value, slope = evaluate(table, torch.tensor([[0.5, torch.nan]]))
    assert value[0, 0].item() == pytest.approx(1.0) and value[0, 1].isnan() and slope[0, 1].isnan()


def test_points_outside_the_interval_are_refused():
    with pytest.raises(ValueError, match=r"points=1.5, expected within \[-1, 1\]"):
        Splines().values(torch.tensor([0.0, 1.5]))
    with pytest.raises(ValueError, match=r"points=nan, expected within \[-1, 1\]"):
        Splines().derivatives(torch.tensor([0.0, torch.nan]))


@pytest.mark.parametrize("field, arguments", [("degree", (8, 0)), ("n_basis", (3, 3)), ("n_basis", (8.0, 3))])
def test_config_refuses(field, arguments):
    with pytest.raises(ValueError, match=f"^{field}="):
        Splines(*arguments)
