"""Argument errors: one sentence for whatever is no number, no vector, no matrix."""

from fractions import Fraction

import numpy as np
import pytest

from core import check


@pytest.mark.parametrize("value", [10**400, -(10**400), float("nan"), float("inf"), np.float32("inf"), 1j, "1", True, None])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(ValueError, match="^mu=.*, expected > 0"):
        check.real("mu", value, above=0)


def test_numbers_are_returned_as_given():
    assert [check.real("mu", value) for value in (3, Fraction(1, 2), np.float32(0.5))] == [3.0, 0.5, 0.5]


@pytest.mark.parametrize("values", [[10**400], np.array([1j]), [[1.0]], [], ["a"], [1.0, float("nan")], None, [[1.0], [1.0, 2.0]]])
def test_what_is_no_vector_is_refused(values):
    with pytest.raises(ValueError, match="^levels=.*, expected at least one number in one dimension"):
        check.vector("levels", values)


@pytest.mark.parametrize("values", [[[10**400]], np.ones((2, 2)) * 1j, [1.0, 2.0], [[1.0]], [], 3.0, [["a", "b"]], [[0.0, float("nan")]]])
def test_what_is_no_table_of_two_columns_is_refused(values):
    with pytest.raises(ValueError, match="(?s)^features=.*, expected rows of 2 finite numbers, in two dimensions"):
        check.matrix("features", values, columns=2)


@pytest.mark.parametrize("values", [[[10**400]], np.eye(2) * 1j, [[1.0, 2.0]], [], 3.0, [["a"]], [[float("inf")]], None])
def test_what_is_no_square_matrix_is_refused(values):
    with pytest.raises(ValueError, match="^gram=.*, expected a square matrix of finite numbers"):
        check.square("gram", values)
