"""The outer-product clipped sum against explicit loops and against per-example autograd."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.learners.clipping import clipped_sum
from core.problems import Batch
from core.problems.regression import least_squares_factors

SETTINGS = settings(derandomize=True, deadline=None, max_examples=40)
sizes = st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 5), st.integers(1, 3), st.integers(1, 4))
clip_norms = st.one_of(st.floats(1e-3, 10.0), st.just(math.inf))


def factors(shape, seed, zeros=False):
    arms, replicates, batch, outputs, features = shape
    generator = torch.Generator().manual_seed(seed)
    a = torch.randn(arms, replicates, batch, outputs, generator=generator, dtype=torch.float64)
    h = torch.randn(replicates, batch, features, generator=generator, dtype=torch.float64)
    weights = torch.randint(0, 3, (replicates, batch), generator=generator).double()
    if zeros:
        a[:, :, 0] = 0.0
    return a, h, weights


@SETTINGS
@given(sizes, clip_norms, st.integers(0, 10_000), st.booleans(), st.booleans())
def test_equals_the_loop_over_examples(shape, clip_norm, seed, weighted, zeros):
    a, h, weights = factors(shape, seed, zeros)
    total, norms = clipped_sum(a, h, clip_norm, weights if weighted else None)
    for arm, replicate in np.ndindex(shape[:2]):
        expected = np.zeros(shape[3:])
        for i in range(shape[2]):
            gradient = np.outer(a[arm, replicate, i], h[replicate, i])
            norm = np.linalg.norm(gradient)
            assert norms[arm, replicate, i].item() == pytest.approx(norm, rel=1e-12)
            clipped = gradient if norm <= clip_norm else gradient * (clip_norm / norm)
            assert np.linalg.norm(clipped) <= clip_norm * (1 + 1e-12)
            expected += (weights[replicate, i].item() if weighted else 1.0) * clipped
        np.testing.assert_allclose(total[arm, replicate].numpy(), expected, rtol=1e-12, atol=1e-12)


@SETTINGS
@given(sizes.filter(lambda shape: shape[3] == 1), clip_norms, st.integers(0, 10_000))
def test_equals_per_example_autograd_on_least_squares(shape, clip_norm, seed):
    arms, replicates, batch_size, outputs, features = shape
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(replicates, batch_size, features, generator=generator, dtype=torch.float64)
    y = torch.randn(replicates, batch_size, generator=generator, dtype=torch.float64)
    theta = torch.randn(arms, replicates, outputs, features, generator=generator, dtype=torch.float64)
    total, norms = clipped_sum(*least_squares_factors(theta, Batch(x, y)), clip_norm)

    def loss(weights, example, label):
        return 0.5 * ((weights @ example)[0] - label) ** 2

    per_example = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    for arm, replicate in np.ndindex(arms, replicates):
        gradients = per_example(theta[arm, replicate], x[replicate], y[replicate])
        lengths = gradients.flatten(1).norm(dim=1)
        clipped = gradients * (clip_norm / lengths).clamp(max=1.0)[:, None, None]
        torch.testing.assert_close(norms[arm, replicate], lengths, rtol=1e-10, atol=1e-12)
        torch.testing.assert_close(total[arm, replicate], clipped.sum(0), rtol=1e-10, atol=1e-12)


def test_several_outputs_match_autograd_of_a_linear_layer_with_a_nonlinear_loss():
    generator = torch.Generator().manual_seed(0)
    theta = torch.randn(3, 4, generator=generator, dtype=torch.float64)
    x = torch.randn(6, 4, generator=generator, dtype=torch.float64)

    def loss(weights, example):
        return torch.tanh(weights @ example).sum()

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(theta, x)
    a = 1 - torch.tanh(x @ theta.T) ** 2  # derivative of the loss by the layer's outputs
    total, norms = clipped_sum(a[None, None], x[None], 0.7)
    clipped = gradients * (0.7 / gradients.flatten(1).norm(dim=1)).clamp(max=1.0)[:, None, None]
    torch.testing.assert_close(norms[0, 0], gradients.flatten(1).norm(dim=1))
    torch.testing.assert_close(total[0, 0], clipped.sum(0))


def test_a_clipped_example_has_exactly_the_clip_norm_and_a_short_one_is_untouched():
    a = torch.tensor([[[[3.0], [0.1]]]], dtype=torch.float64)
    h = torch.tensor([[[0.0, 2.0], [1.0, 0.0]]], dtype=torch.float64)
    total, norms = clipped_sum(a, h, 1.0)
    assert norms.flatten().tolist() == [6.0, 0.1]
    assert total.flatten().tolist() == pytest.approx([0.1, 1.0])


def test_zero_gradients_give_zero_not_nan():
    total, norms = clipped_sum(torch.zeros(1, 1, 2, 1), torch.ones(1, 2, 3), 1.0)
    assert not total.any() and not norms.any()
