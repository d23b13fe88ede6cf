"""B-splines on uniform knots, as the polynomials that they are between two knots. Torch, on the device of the points."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.check import require, whole


@dataclass(frozen=True)
class Splines:
    """The `n_basis` B-splines b_0, ..., b_{p-1} of one degree on [-1, 1], which holds every input and the range of tanh.

    The knots go on evenly beyond the ends, h = 2 / (p - degree) apart, so that all b_k are shifts of one bump.

    Guarantees: sum_k b_k = 1 and b_k >= 0 on [-1, 1]; b_k is a polynomial of this degree between two knots, with
    degree - 1 continuous derivatives.
    Raises: ValueError unless degree >= 1 and n_basis > degree.
    """

    n_basis: int = 8
    degree: int = 3

    def __post_init__(self) -> None:
        whole("degree", self.degree, at_least=1)
        whole("n_basis", self.n_basis, at_least=self.degree + 1)

    @property
    def pieces(self) -> int:
        """How many intervals between knots make up [-1, 1]."""
        return self.n_basis - self.degree

    def values(self, points: Tensor) -> Tensor:
        """b_k(x) (*points, n_basis). Raises: ValueError for a point outside [-1, 1]."""
        return self._each(points)[0]

    def derivatives(self, points: Tensor) -> Tensor:
        """b_k'(x) (*points, n_basis). Raises: ValueError for a point outside [-1, 1]."""
        return self._each(points)[1]

    def polynomials(self, coefficients: Tensor) -> Tensor:
        """The splines sum_k c_jk b_k of `coefficients` (width, n_basis), for `evaluate`: (degree + 1, width, pieces).

        Entry [r, j, q] belongs to u^r, with u in [0, 1] the place between knots q and q + 1.
        """
        bump = torch.tensor(_bump(self.degree), dtype=coefficients.dtype, device=coefficients.device)
        windows = coefficients.unfold(-1, self.degree + 1, 1)  # piece q sees coefficients q, ..., q + degree
        return torch.einsum("jqk,kr->rjq", windows, bump).contiguous()

    def _each(self, points: Tensor) -> tuple[Tensor, Tensor]:
        inside = bool((points.abs() <= 1).all())
        require(inside, "points", None if inside else points.detach().abs().max().item(), "within [-1, 1]")
        one_each = torch.eye(self.n_basis, dtype=points.dtype, device=points.device)
        return evaluate(self.polynomials(one_each), points[..., None].expand(*points.shape, self.n_basis))


def evaluate(polynomials: Tensor, points: Tensor) -> tuple[Tensor, Tensor]:
    """Values and derivatives of spline j at points[..., j] in [-1, 1], both of the shape (..., width) of `points`.

    `polynomials` (degree + 1, width, pieces) come from `Splines.polynomials`. One look-up for each power of u, then
    Horner's rule for both at once; NaN gives NaN.
    """
    _, width, pieces = polynomials.shape
    scaled = torch.add(points.new_tensor(pieces / 2), points, alpha=pieces / 2)
    piece = scaled.to(torch.int32).clamp_(0, pieces - 1)  # the point 1 belongs to the last piece
    u = scaled - piece
    first = torch.arange(0, width * pieces, pieces, dtype=torch.int32, device=points.device)
    place = piece.add_(first).view(-1)
    powers = [power.view(-1).index_select(0, place).view(points.shape) for power in polynomials]
    value = slope = powers[-1]
    for lower in reversed(powers[1:-1]):
        value = torch.addcmul(lower, value, u)
        slope = torch.addcmul(value, slope, u)
    return torch.addcmul(powers[0], value, u), slope * (pieces / 2)


def _bump(degree: int) -> np.ndarray:
    """What one B-spline is on the pieces that it covers: [k, r] belongs to u^r of b_{q+k} on piece q.

    Cox and de Boor's recursion for integer knots, on coefficients: M_n(x) = (x M_{n-1}(x) + (n+1-x) M_{n-1}(x-1)) / n.
    """
    rows = [np.ones(1)]  # piece s of the bump, x = s + u
    for n in range(1, degree + 1):
        before = [np.zeros(n), *rows, np.zeros(n)]
        rows = [
            (np.convolve(before[s + 1], (s, 1.0)) + np.convolve(before[s], (n + 1 - s, -1.0))) / n for s in range(n + 1)
        ]
    return np.array(rows[::-1])  # b_{q+k} has reached its piece degree - k
