"""The margin of a network's features: against a support vector machine, its own certificate, and autograd."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from core.problems.kan import Kan
from core.theory.bounds import ntk_margin, output_factors

torch.set_num_threads(1)


def dense(a, h):
    return (a[:, :, None] * h[:, None, :]).reshape(len(a), -1)


@pytest.fixture(scope="module")
def separable():
    rng = np.random.default_rng(5)
    a, h = rng.standard_normal((60, 4)), rng.standard_normal((60, 30))
    return a, h, np.where(rng.random(60) < 0.5, 1.0, -1.0)


def test_two_records_in_the_plane():
    found = ntk_margin(np.ones((2, 1)), np.array([[1.0, 0], [0, 3]]), np.array([1.0, -1.0]))
    assert found.gamma == pytest.approx(3 / 10**0.5, rel=1e-6)  # the height of a right triangle of sides 1 and 3
    np.testing.assert_allclose(found.direction, [[3 / 10**0.5, -1 / 10**0.5]], atol=1e-6)
    np.testing.assert_allclose(found.weights, [0.9, 0.1], atol=1e-6)
    assert found.status == ""


def test_direction_has_norm_one_and_the_margin_and_nothing_has_more(separable):
    a, h, labels = separable
    found = ntk_margin(a, h, labels)
    margins = labels * (dense(a, h) @ found.direction.ravel())
    assert np.linalg.norm(found.direction) == pytest.approx(1, rel=1e-12)
    assert margins.min() == pytest.approx(found.gamma, rel=1e-10)
    assert found.gamma <= found.upper_bound <= found.gamma * (1 + 2e-6)
    assert found.weights.min() >= 0 and found.weights.sum() == pytest.approx(1, rel=1e-12)
    hull = (found.weights * labels) @ dense(a, h)  # any unit u has margin <= |hull|: weak duality
    assert np.linalg.norm(hull) == pytest.approx(found.upper_bound, rel=1e-10)
    assert (found.weights * (margins - found.gamma)).max() < 1e-5  # only records at the margin hold it


def test_equals_a_support_vector_machine_without_intercept(separable):
    a, h, labels = separable
    features = dense(a, h)
    twice = np.vstack([features, -features])  # each record with its mirror image: the intercept is 0
    machine = SVC(kernel="precomputed", C=1e8, tol=1e-8).fit(twice @ twice.T, np.r_[labels, -labels])
    normal = machine.dual_coef_[0] @ twice[machine.support_]
    found = ntk_margin(a, h, labels)
    assert machine.intercept_[0] == pytest.approx(0, abs=1e-6)
    assert found.gamma == pytest.approx(1 / np.linalg.norm(normal), rel=1e-5)
    np.testing.assert_allclose(found.direction.ravel(), normal / np.linalg.norm(normal), atol=1e-4)
    folded = np.zeros(120)
    folded[machine.support_] = np.abs(machine.dual_coef_[0])
    np.testing.assert_allclose(found.weights, (folded[:60] + folded[60:]) / folded.sum(), atol=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_records_that_no_direction_separates(seed):
    rng = np.random.default_rng(seed)
    a, h = rng.standard_normal((200, 2)), rng.standard_normal((200, 3))  # 200 records in 6 dimensions
    found = ntk_margin(a, h, np.where(rng.random(200) < 0.5, 1.0, -1.0))
    assert found.gamma <= 0
    assert "no direction separates these 200 records" in found.status and "Assumption 3.3" in found.status


def test_one_record_with_both_labels_is_not_separable(separable):
    a, h, labels = separable
    found = ntk_margin(np.vstack([a, a[:1]]), np.vstack([h, h[:1]]), np.r_[labels, -labels[0]])
    assert found.gamma <= 0 and found.status


def test_a_margin_that_rounding_cannot_tell_from_none_is_none():
    found = ntk_margin(np.ones((2, 1)), np.array([[1.0, 1e-9], [-1, 1e-9]]), np.ones(2))
    assert found.gamma <= 0 and found.status


def test_output_factors_are_the_gradient_of_the_output():
    rng = np.random.default_rng(1)
    inputs, labels = rng.uniform(-1, 1, (5, 3)), np.array([1.0, -1, 1, 1, -1])
    kan = Kan(inputs, labels, 4, 6, dtype=torch.float64)
    a, h, found = output_factors(kan)
    theta = kan.start[None, None].clone().requires_grad_()
    outputs = kan.predict(theta, torch.as_tensor(inputs))[0, 0]
    for i in range(5):
        gradient, = torch.autograd.grad(outputs[i], theta, retain_graph=True)
        np.testing.assert_allclose(np.outer(a[i], h[i]), gradient[0, 0].numpy(), atol=1e-12)
    np.testing.assert_array_equal(found, labels)


@pytest.mark.parametrize("width, low, high", [(64, 0.015, 0.03), (256, 0.03, 0.04), (1024, 0.04, 0.05)])
def test_margin_of_breast_cancer(width, low, high):
    # an independent prototype found .02 to .03, .040 and .05 for the table standardised, bent by tanh, in the unit ball
    table = load_breast_cancer()
    inputs = np.tanh((table.data - table.data.mean(0)) / table.data.std(0)) / 30**0.5
    labels = np.where(table.target == 0, 1.0, -1.0)
    found = ntk_margin(*output_factors(Kan(inputs, labels, width)))
    assert low < found.gamma < high
    assert found.upper_bound <= found.gamma * (1 + 2e-6)


@pytest.mark.parametrize(
    "a, h, labels, words",
    [
        (np.ones((2, 1)), np.ones((3, 1)), np.ones(2), "a row for each of the 2 rows of a"),
        (np.ones((2, 1)), np.ones((2, 1)), np.ones(3), "labels="),
        (np.ones((2, 1)), np.ones((2, 1)), np.array([0.0, 1]), "-1 or \\+1"),
        (np.zeros((2, 1)), np.ones((2, 1)), np.ones(2), "mean squared norm"),
        (np.ones((2001, 1)), np.ones((2001, 1)), np.ones(2001), "records=2001"),
    ],
)
def test_arguments_are_checked(a, h, labels, words):
    with pytest.raises(ValueError, match=words):
        ntk_margin(a, h, labels)
