"""The ball around the start, and what a run counts: against explicit computation and exact expectations."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core import mechanisms
from core.learners import Arm
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.learners.summary import noise_norm_rms
from core.problems.regression import GaussianDesign, MeanEstimation
from core.problems.spectrum import spectrum

PROBLEM = GaussianDesign(spectrum(6, 1.0), label_noise=0.3, dtype=torch.float64)
ARMS = [
    Arm("independent", mechanisms.independent(), 0.7, 0.3),
    Arm("lambda", mechanisms.lambda_cgd(0.8), 0.9, 0.3),
    Arm("none", mechanisms.independent(), 0.0, 0.01),
]
CONFIG = DpFtrlConfig(60, 2, replicates=4)


def test_a_radius_that_is_never_reached_changes_no_bit():
    free, kept = (list(dp_ftrl(PROBLEM, ARMS, replace(CONFIG, radius=radius))) for radius in (float("inf"), 1e6))
    for one, two in zip(free, kept, strict=True):
        assert torch.equal(one.theta, two.theta)
    assert not kept[-1].measures["share_projected"].any() and "share_projected" not in free[-1].measures


def test_steps_that_leave_the_ball_are_projected_onto_it_and_counted():
    radius = 0.4
    config = replace(CONFIG, radius=radius)
    shown = list(dp_ftrl(PROBLEM, ARMS, config))
    distances = np.stack([snapshot.theta.flatten(2).norm(dim=-1).numpy() for snapshot in shown])
    assert distances.max() <= radius * (1 + 1e-12)
    on_the_sphere = distances[1:] > radius * (1 - 1e-12)
    share = np.stack([snapshot.measures["share_projected"] for snapshot in shown[1:]])
    assert np.array_equal(share, on_the_sphere)
    assert 0.1 < share[:, :2].mean() < 1 and not share[:3, 2].any()
    *_, seldom = dp_ftrl(PROBLEM, ARMS, replace(config, record_every=60))
    np.testing.assert_allclose(seldom.measures["share_projected"], share.mean(axis=0), atol=1e-15)


def test_the_projection_is_the_nearest_point_of_the_ball_around_the_start():
    problem = GaussianDesign((1.0, 1.0), dtype=torch.float64)
    problem.start = torch.tensor([[5.0, -2.0]], dtype=torch.float64)
    config = DpFtrlConfig(1, 1, clip_norm=10.0)
    (_, free), (_, kept) = (list(dp_ftrl(problem, ARMS[:1], replace(config, radius=r))) for r in (float("inf"), 0.25))
    moved = (free.theta - problem.start).flatten()
    expected = problem.start.flatten() + 0.25 * moved / moved.norm()
    assert moved.norm() > 0.25
    torch.testing.assert_close(kept.theta.flatten(), expected, rtol=1e-14, atol=0)


def test_a_replicate_that_diverges_is_reported_and_not_brought_back():
    wild = Arm("wild", mechanisms.independent(), 1.0, 1e300)
    *_, end = dp_ftrl(PROBLEM, [wild, ARMS[0]], replace(CONFIG, radius=1.0))
    assert end.status.startswith("wild diverged: 4 of 4") and torch.isposinf(end.theta[0]).all()
    assert torch.isfinite(end.theta[1]).all() and not np.isnan(end.measures["gradient_norm"]).any()


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan"), "far"])
def test_the_config_refuses_a_radius(radius):
    with pytest.raises(ValueError, match="^radius="):
        DpFtrlConfig(5, radius=radius)


def test_the_noise_so_far_is_what_moved_a_still_problem():
    """Mean estimation at its minimum without data spread: theta moves by noise and by its own pull alone."""
    still = MeanEstimation(0.0, 0.0, dtype=torch.float64)
    arm = Arm("arm", mechanisms.lambda_cgd(0.5), 2.0, 1e-9)  # so slow that the pull is nothing
    config = DpFtrlConfig(25, 4, clip_norm=3.0, replicates=5)
    for snapshot in dp_ftrl(still, [arm], config):
        if snapshot.step:
            moved = snapshot.theta[0, :, 0, 0].numpy() / (1e-9 * 3.0 / 4)
            np.testing.assert_allclose(snapshot.measures["noise_norm"][0], np.abs(moved), rtol=1e-5)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_the_mean_square_of_the_noise_so_far_is_exact(correlation):
    arm = Arm("arm", mechanisms.lambda_cgd(correlation), 1.7, 0.01)
    problem = GaussianDesign(np.ones(40), dtype=torch.float64)
    config = DpFtrlConfig(30, clip_norm=0.3, replicates=500)
    exact = noise_norm_rms(arm, 40, 30) ** 2
    closed = 1.7**2 * 40 * (1 + (1 - correlation) ** 2 * np.arange(30))
    np.testing.assert_allclose(exact, closed, rtol=1e-12)
    squares = np.stack([s.measures["noise_norm"][0] for s in dp_ftrl(problem, [arm], config) if s.step]) ** 2
    error = squares.std(axis=1, ddof=1) / np.sqrt(500)
    assert np.all(np.abs(squares.mean(axis=1) - exact) < 4 * error) and np.all(error < 0.02 * exact)
