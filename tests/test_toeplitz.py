"""Power-series algebra against dense linear algebra."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import toeplitz as dense_oracle

from core import toeplitz

tails = st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=40)
coefficients = tails.map(lambda tail: np.array([1.5, *tail]))


def random_decaying(steps: int, seed: int) -> np.ndarray:
    """A series with a bounded inverse: 1 plus a tail of absolute sum 1/2."""
    tail = np.random.default_rng(seed).standard_normal(steps - 1) / np.arange(1, steps) ** 1.5
    return np.concatenate([[1.0], 0.5 * tail / np.abs(tail).sum()])


@given(coefficients)
def test_dense_is_the_lower_triangle_of_a_toeplitz_matrix(coef):
    np.testing.assert_array_equal(toeplitz.dense(coef), dense_oracle(coef, np.zeros_like(coef)))


def test_resize_cuts_fills_up_and_copies():
    coef = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(toeplitz.resize(coef, 2), [1, 2])
    np.testing.assert_array_equal(toeplitz.resize(coef, 5), [1, 2, 3, 0, 0])
    toeplitz.resize(coef, 3)[0] = 9
    assert coef[0] == 1


@pytest.mark.parametrize("steps", [1, 7, 256, 257, 1000])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_multiply_is_the_dense_product_along_the_axis(steps, axis):
    coef = random_decaying(steps, 0) if steps > 1 else np.array([2.0])
    x = np.moveaxis(np.random.default_rng(1).standard_normal((steps, 2, 3)), 0, axis)
    expected = np.moveaxis(np.tensordot(toeplitz.dense(coef), np.moveaxis(x, axis, 0), axes=1), 0, axis)
    np.testing.assert_allclose(toeplitz.multiply(coef, x, axis), expected, atol=1e-13)


def test_multiply_reads_zeros_beyond_short_coefficients():
    x = np.arange(1.0, 601.0)
    np.testing.assert_allclose(toeplitz.multiply(np.array([1.0, -1.0]), x), np.ones(600), atol=1e-12)


@given(coefficients)
def test_inverse_of_short_columns_is_the_dense_inverse(coef):
    expected = np.linalg.inv(toeplitz.dense(coef))[:, 0]
    np.testing.assert_allclose(toeplitz.inverse(coef), expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("steps", [256, 257, 511, 3000, 20_000])
def test_inverse_of_long_columns_multiplies_to_one(steps):
    coef = random_decaying(steps, 2)
    product = toeplitz.multiply(coef, toeplitz.inverse(coef))
    np.testing.assert_allclose(product, np.eye(1, steps)[0], atol=1e-14)


def test_inverse_of_the_square_root_of_summation_keeps_its_digits():
    """1/sqrt(1-z) has coefficients binomial(2t, t)/4^t, which fall only like t^(-1/2)."""
    lag = np.arange(1, 50_000)
    root = np.cumprod(np.concatenate([[1.0], (lag - 1.5) / lag]))
    expected = np.cumprod(np.concatenate([[1.0], (lag - 0.5) / lag]))
    np.testing.assert_allclose(toeplitz.inverse(root), expected, rtol=1e-11)


def test_inverse_of_few_coefficients_is_exact_even_where_it_grows():
    np.testing.assert_array_equal(toeplitz.inverse(np.array([1.0, -2.0]), 1000), 2.0 ** np.arange(1000))
    np.testing.assert_array_equal(toeplitz.inverse(np.array([1.0, -1.0]), 1000), np.ones(1000))


@pytest.mark.parametrize("steps", [1, 2, 5, 300, 2000])
def test_exponential_of_a_logarithm(steps):
    """log 1/(1 - z/2) = sum z^t / (t 2^t)."""
    lag = np.arange(1, steps)
    logarithm = np.concatenate([[0.0], 0.5**lag / lag])
    np.testing.assert_allclose(toeplitz.exponential(logarithm), 0.5 ** np.arange(steps), atol=1e-15)


@pytest.mark.parametrize("steps", [40, 1000])
def test_exponential_turns_sums_into_products(steps):
    first, second = (random_decaying(steps, seed) for seed in (3, 4))
    product = toeplitz.multiply(toeplitz.exponential(first), toeplitz.exponential(second))
    np.testing.assert_allclose(toeplitz.exponential(first + second), product, atol=1e-13)
