"""Logistic regression: the examples are what the docstrings say, the gradients are autograd's, the fit is the optimum."""

import numpy as np
import pytest
import torch

from core.problems import Batch
from core.problems.datasets import breast_cancer
from core.problems.logistic import LogisticDesign, TableLogistic, logistic_factors, logistic_fit

EIGENVALUES, THETA_STAR = (0.5, 0.3, 0.2), (1.0, -2.0, 0.5)


def drawn(count=40_000, seed=0):
    problem = LogisticDesign(EIGENVALUES, THETA_STAR, dtype=torch.float64)
    return problem, problem.draw(1, count, torch.Generator().manual_seed(seed))


def test_every_example_has_the_same_length_and_the_covariance_is_the_spectrum():
    _, batch = drawn()
    features = batch.features[0].numpy()
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0, rtol=1e-12)
    products = features.T @ features / len(features) - np.diag(EIGENVALUES)
    assert np.all(np.abs(products) <= 4 * np.sqrt(np.outer(EIGENVALUES, EIGENVALUES) / len(features)) + 1e-12)


def test_labels_follow_the_logistic_chance():
    _, batch = drawn()
    features, labels = batch.features[0].numpy(), batch.labels[0].numpy()
    chances = 1 / (1 + np.exp(-features @ np.array(THETA_STAR)))
    score = features.T @ ((labels + 1) / 2 - chances)
    assert set(labels) == {-1.0, 1.0}
    assert np.all(np.abs(score) < 4 * np.sqrt(np.array(EIGENVALUES) * (chances * (1 - chances)).sum()))


def test_the_factors_are_autograds_gradient():
    _, batch = drawn(5)
    theta = torch.tensor([[[[0.3, -0.2, 0.9]]]], dtype=torch.float64, requires_grad=True)
    a, h = logistic_factors(theta, batch)
    for place in range(5):
        loss = torch.log1p(torch.exp(-batch.labels[0, place] * (theta[0, 0, 0] @ batch.features[0, place])))
        (gradient,) = torch.autograd.grad(loss, theta)
        torch.testing.assert_close((a[0, 0, place, :, None] * h[0, place]).detach(), gradient[0, 0], rtol=1e-12, atol=1e-15)
    assert torch.all(a.abs() < 1)


def test_excess_risk_is_that_of_fresh_examples_and_zero_at_the_truth():
    problem, batch = drawn(400_000, seed=1)
    theta = torch.tensor([[[[0.4, -0.5, 1.5]]], [[list(THETA_STAR)]]], dtype=torch.float64)
    measured = problem.risk(theta)["excess_risk"].numpy()[:, 0]
    features, labels = batch.features[0].numpy(), batch.labels[0].numpy()
    losses = np.logaddexp(0, -labels * (features @ theta[0, 0, 0].numpy())) - np.logaddexp(0, -labels * (features @ np.array(THETA_STAR)))
    fresh, error = losses.mean(), losses.std() / len(losses) ** 0.5
    patterns = 8  # of signs: the held-out inputs hold each of them in about, not exactly, its share
    spread = fresh * np.sqrt(patterns / 4096)
    assert abs(measured[0] - fresh) < 4 * np.hypot(error, spread)
    assert measured[1] == 0.0


def test_the_held_out_risk_is_that_of_its_inputs_summed_over_both_labels():
    problem, _ = drawn(1)
    theta = np.array([0.4, -0.5, 1.5])
    scores, truth = problem._held_out.numpy() @ theta, problem._held_out.numpy() @ np.array(THETA_STAR)
    chance = 1 / (1 + np.exp(-truth))
    expected = np.mean(chance * np.logaddexp(0, -scores) + (1 - chance) * np.logaddexp(0, scores))
    assert problem.risk(torch.tensor(theta)[None, None, None])["test_loss"].item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("radius", [0.5, 3.0, 1e3])
def test_the_fit_meets_its_optimality_conditions(radius):
    rng = np.random.default_rng(0)
    features, labels = rng.normal(size=(200, 4)), np.sign(rng.normal(size=200))
    theta = logistic_fit(features, labels, radius)
    chance = 1 / (1 + np.exp(labels * (features @ theta)))
    gradient = -(features * labels[:, None]).T @ chance / 200
    assert np.linalg.norm(theta) <= radius * (1 + 1e-9)
    if radius == 0.5 and np.linalg.norm(theta) > 0.499:
        penalty = -gradient @ theta / (theta @ theta)
        assert penalty > 0
        np.testing.assert_allclose(gradient, -penalty * theta, atol=1e-9)
    else:
        np.testing.assert_allclose(gradient, 0, atol=1e-8)


def test_separable_records_are_fitted_on_the_border():
    features, labels = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, -1.0])
    np.testing.assert_allclose(logistic_fit(features, labels, 2.0), [2.0, 0.0], atol=1e-8)


def test_the_table_measures_against_its_own_best_in_the_ball():
    data = breast_cancer()
    problem = TableLogistic(data, radius=30.0, dtype=torch.float64)
    assert (problem.n_samples, problem.features) == (427, 31)
    records = problem.batch(torch.arange(427)[None])
    assert torch.linalg.vector_norm(records.features, dim=-1).max() <= 1 + 1e-12
    rng = np.random.default_rng(1)
    others = rng.normal(size=(50, 31))
    others *= 30 / np.linalg.norm(others, axis=1, keepdims=True)
    thetas = torch.tensor(np.vstack([problem.theta_hat, np.zeros(31), others]))[:, None, None]
    measures = problem.risk(thetas)
    assert measures["excess_risk"][0].abs().item() < 1e-12 and torch.all(measures["excess_risk"][1:] > 0)
    assert measures["train_loss"][1].item() == pytest.approx(np.log(2), rel=1e-12)
    assert measures["test_accuracy"][0].item() > 0.9
    assert measures["test_accuracy"][1].item() == 0.0  # no answer is no right answer, as in core.problems.kan


def test_on_a_device_all_tensors_move_and_nothing_else_changes():
    problem = LogisticDesign(EIGENVALUES, THETA_STAR).to(torch.device("cpu"))
    theta = torch.zeros(1, 1, 1, 3)
    assert problem.risk(theta)["excess_risk"].shape == (1, 1)
    assert isinstance(problem.draw(2, 3, torch.Generator()), Batch)


def test_a_radius_must_be_positive():
    with pytest.raises(ValueError, match="radius=0.0, expected > 0"):
        TableLogistic(breast_cancer(), 0.0)
