"""Laws of Gaussian quadratic forms against chi-square, Student, F and simulation."""

import numpy as np
import pytest
from scipy import stats

from core.intervals.gaussian_forms import mean_root, probability_not_positive


def form_of_difference(first: int, second: int, ratio: float) -> np.ndarray:
    return np.diag([1.0] * first + [-ratio] * second)


@pytest.mark.parametrize(("first", "second", "ratio"), [(1, 1, 3.0), (1, 9, 0.4), (4, 2, 0.05), (1, 199, 0.02)])
def test_two_groups_of_equal_weights_are_an_f_distribution(first, second, ratio):
    dim = first + second
    found = probability_not_positive(np.zeros(dim), np.eye(dim), form_of_difference(first, second, ratio))
    assert found == pytest.approx(stats.f(first, second).cdf(ratio * second / first), abs=1e-10)


@pytest.mark.parametrize("shift", [0.3, 2.0, 8.0])
def test_a_mean_makes_it_the_noncentral_student(shift):
    # P(z_1^2 <= q (z_2^2 + ... + z_10^2)), z_1 ~ N(shift, 1): |noncentral t with 9 degrees of freedom| <= 3 sqrt(q)
    found = probability_not_positive(np.array([shift] + [0.0] * 9), np.eye(10), form_of_difference(1, 9, 0.5))
    law = stats.nct(9, shift)
    edge = (9 * 0.5) ** 0.5
    assert found == pytest.approx(law.cdf(edge) - law.cdf(-edge), abs=1e-9)


def test_a_far_mean_leaves_no_chance_and_no_noise():
    found = probability_not_positive(np.array([1e4, 0.0, 0.0]), np.eye(3), form_of_difference(1, 2, 1.0))
    assert found == pytest.approx(0.0, abs=1e-9)


def test_correlated_terms_agree_with_simulation():
    rng = np.random.default_rng(5)
    mixing = rng.normal(size=(4, 4))
    mean, covariance = np.array([0.5, -0.2, 0.1, 1.0]), mixing @ mixing.T
    form = np.diag([1.0, 0.4, -1.3, -0.2]) + 0.1
    drawn = mean + rng.normal(size=(200_000, 4)) @ mixing.T
    below = np.einsum("ri,ij,rj->r", drawn, form, drawn) <= 0
    exact = probability_not_positive(mean, covariance, form)
    assert abs(below.mean() - exact) < 4 * below.std() / len(below) ** 0.5
    positive = form @ form
    roots = np.sqrt(np.einsum("ri,ij,rj->r", drawn, positive, drawn))
    assert abs(roots.mean() - mean_root(mean, covariance, positive)) < 4 * roots.std() / len(roots) ** 0.5


@pytest.mark.parametrize("dim", [1, 2, 9, 100])
def test_the_mean_root_of_a_chi_square_and_of_a_noncentral_one(dim):
    assert mean_root(np.zeros(dim), 4 * np.eye(dim), np.eye(dim)) == pytest.approx(2 * stats.chi(dim).mean(), rel=1e-10)
    far = np.full(dim, 3.0)
    exact = stats.ncx2(dim, 9.0 * dim).expect(np.sqrt, epsabs=1e-12, epsrel=1e-12)
    assert mean_root(far, np.eye(dim), np.eye(dim)) == pytest.approx(exact, rel=1e-8)


def test_scale_does_not_matter_and_shapes_are_kept():
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(2, 3, 5, 5))
    covariance, mean = mixing @ np.swapaxes(mixing, -1, -2), rng.normal(size=(2, 3, 5))
    form = form_of_difference(1, 4, 0.7)
    found = probability_not_positive(mean, covariance, form)
    assert found.shape == (2, 3)
    assert found == pytest.approx(probability_not_positive(1e-6 * mean, 1e-12 * covariance, 1e5 * form), abs=1e-10)
    wide = mean_root(1e3 * mean, 1e6 * covariance, np.eye(5))
    assert wide == pytest.approx(1e3 * mean_root(mean, covariance, np.eye(5)), rel=1e-9)
    assert found[1, 2] == pytest.approx(probability_not_positive(mean[1, 2], covariance[1, 2], form), abs=1e-10)


def test_a_covariance_that_is_none_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        probability_not_positive(np.zeros(2), np.diag([1.0, -1.0]), np.eye(2))
