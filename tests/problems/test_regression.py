"""Gaussian design and mean estimation: the data are what the docstrings say, and the risk is exact."""

import numpy as np
import pytest
import torch

from core.problems import Batch
from core.problems.regression import GaussianDesign, MeanEstimation
from core.problems.spectrum import spectrum

EIGENVALUES = (2.0, 1.0, 0.25)
THETA_STAR = (1.0, -2.0, 0.5)


def gaussian(seed=0, count=40_000, label_noise=0.5):
    problem = GaussianDesign(EIGENVALUES, label_noise, THETA_STAR, dtype=torch.float64)
    return problem, problem.draw(1, count, torch.Generator().manual_seed(seed))


def test_spectrum_is_a_power_law():
    assert spectrum(4, 0.0).tolist() == [1.0] * 4
    assert spectrum(3, 1.0) == pytest.approx([1, 1 / 2, 1 / 3])
    assert spectrum(3, 2.0) == pytest.approx([1, 1 / 4, 1 / 9])


@pytest.mark.parametrize("dim, decay", [(0, 1.0), (2.5, 1.0), (3, -0.1), (3, float("nan"))])
def test_spectrum_refuses(dim, decay):
    with pytest.raises(ValueError, match="dim=|decay="):
        spectrum(dim, decay)


def test_covariance_of_the_examples_is_the_spectrum():
    _, batch = gaussian()
    covariance = np.cov(batch.features[0].numpy(), rowvar=False)
    standard_error = np.sqrt(np.outer(EIGENVALUES, EIGENVALUES) * (1 + np.eye(3)) / 40_000)
    assert np.all(np.abs(covariance - np.diag(EIGENVALUES)) < 4 * standard_error)


def test_labels_are_linear_plus_noise_of_the_given_std():
    _, batch = gaussian()
    residuals = (batch.labels[0] - batch.features[0] @ torch.tensor(THETA_STAR, dtype=torch.float64)).numpy()
    assert abs(residuals.std() - 0.5) < 4 * 0.5 / np.sqrt(2 * 40_000)
    products = np.abs(batch.features[0].numpy().T @ residuals) / 40_000
    assert np.all(products < 4 * 0.5 * np.sqrt(np.array(EIGENVALUES) / 40_000))


def test_excess_risk_is_the_quadratic_form_and_zero_at_theta_star():
    problem, _ = gaussian()
    theta = torch.randn(2, 3, 1, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    error = theta[:, :, 0].numpy() - np.array(THETA_STAR)
    expected = 0.5 * np.einsum("ard,d,ard->ar", error, EIGENVALUES, error)
    np.testing.assert_allclose(problem.risk(theta)["excess_risk"].numpy(), expected, rtol=1e-13)
    best = torch.tensor(THETA_STAR, dtype=torch.float64).expand(1, 1, 1, 3)
    assert problem.risk(best)["excess_risk"].item() == 0.0


def test_excess_risk_is_the_loss_on_fresh_examples_less_that_of_theta_star():
    problem, batch = gaussian()
    theta = torch.tensor([0.2, 0.1, -0.3], dtype=torch.float64)
    losses = 0.5 * ((batch.features[0] @ theta - batch.labels[0]) ** 2).numpy()
    best = 0.5 * ((batch.features[0] @ torch.tensor(THETA_STAR, dtype=torch.float64) - batch.labels[0]) ** 2).numpy()
    gaps = losses - best
    exact = problem.risk(theta.expand(1, 1, 1, 3))["excess_risk"].item()
    assert abs(gaps.mean() - exact) < 4 * gaps.std() / np.sqrt(len(gaps))


def test_theta_star_is_a_unit_vector_by_default_and_training_starts_at_zero():
    problem = GaussianDesign(spectrum(16, 1.0))
    np.testing.assert_allclose(problem.theta_star, 0.25)
    np.testing.assert_array_equal(problem.initial_error, -problem.theta_star)
    assert problem.start.shape == (1, 16) and not problem.start.any()


def test_equal_arguments_draw_equal_examples_and_only_from_the_generator_given():
    before = torch.get_rng_state()
    _, one = gaussian(seed=3, count=5)
    _, two = gaussian(seed=3, count=5)
    _, other = gaussian(seed=4, count=5)
    assert torch.equal(one.features, two.features) and torch.equal(one.labels, two.labels)
    assert not torch.equal(one.features, other.features)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("problem", [GaussianDesign(EIGENVALUES, 0.5), MeanEstimation(dtype=torch.float64)])
def test_moving_a_problem_changes_nothing_but_the_place(problem):
    moved = problem.to(torch.device("cpu"))
    one, two = (each.draw(2, 3, torch.Generator().manual_seed(0)) for each in (problem, moved))
    assert torch.equal(one.features, two.features) and torch.equal(one.labels, two.labels)
    assert moved.dtype == problem.dtype and problem.to(torch.device("meta")).start.is_meta and not problem.start.is_meta


@pytest.mark.parametrize(
    "arguments, field",
    [
        (((),), "eigenvalues"),
        (((1.0, 0.0),), "eigenvalues"),
        (((1.0, float("nan")),), "eigenvalues"),
        (((1.0,), -0.1), "label_noise"),
        (((1.0, 2.0), 0.0, (1.0,)), "theta_star"),
    ],
)
def test_gaussian_design_refuses(arguments, field):
    with pytest.raises(ValueError, match=f"^{field}="):
        GaussianDesign(*arguments)


def test_records_of_mean_estimation_stay_inside_the_unit_interval_with_the_given_mean_and_std():
    problem = MeanEstimation(0.5, 0.5, dtype=torch.float64)
    labels = problem.draw(1, 10_000, torch.Generator().manual_seed(0)).labels
    assert labels.abs().max() <= 1.0
    assert abs(labels.mean().item() - 0.5) < 4 * 0.5 / 100
    assert labels.std().item() == pytest.approx(0.5, rel=1e-2)


def test_gradient_of_mean_estimation_is_theta_minus_record_in_two_parts():
    problem = MeanEstimation(0.3, 0.2, dtype=torch.float64)
    theta = torch.tensor([0.7, -0.4], dtype=torch.float64).reshape(2, 1, 1, 1)
    batch = Batch(torch.ones(1, 1, 1, dtype=torch.float64), torch.tensor([[0.5]], dtype=torch.float64))
    a, h = problem.factors(theta, batch)
    whole = torch.einsum("arbo,rbf->arof", a, h) + problem.ridge * theta
    assert whole.flatten().tolist() == pytest.approx([0.2, -0.9])
    assert problem.risk(theta)["excess_risk"].flatten().tolist() == pytest.approx([0.08, 0.245])


@pytest.mark.parametrize("mean, data_std", [(0.9, 0.2), (1.1, 0.0), (0.0, -0.1)])
def test_mean_estimation_refuses_records_outside_the_unit_interval(mean, data_std):
    with pytest.raises(ValueError, match="mean=|data_std="):
        MeanEstimation(mean, data_std)
