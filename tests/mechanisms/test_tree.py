"""The binary tree and its completions: published errors, distributions, equality of sample and stream."""

from itertools import islice

import numpy as np
import pytest
import torch

from core import mechanisms
from core.names import ARMS

COMPLETIONS = ("none", "honaker", "full")
STREAMS = ("none", "honaker")


def errors(completion, steps):
    """Standard deviation of the prefix sums at sensitivity 1: the largest and the root mean square."""
    mechanism = mechanisms.binary_tree(completion)
    normalised = mechanism.prefix_std(steps) * mechanism.sensitivity(steps)
    return normalised.max(), np.sqrt(np.mean(normalised**2))


@pytest.mark.parametrize(
    ("completion", "steps", "largest", "rms"),
    [  # computed independently by dense linear algebra on the matrix of nodes
        ("none", 1024, 10.488088481702, 7.416922689869),
        ("honaker", 1024, 7.989458711039, 5.649876013271),
        ("none", 16, np.sqrt(20), 3.211308),
        ("none", 128, np.sqrt(56), 5.297405),
        ("full", 2, np.sqrt(4 / 3), np.sqrt(4 / 3)),
    ],
)
def test_errors_of_prefix_sums(completion, steps, largest, rms):
    assert errors(completion, steps) == (pytest.approx(largest, abs=1e-6), pytest.approx(rms, abs=1e-6))


def test_honaker_at_sixteen_steps_is_the_sum_of_its_levels():
    """Variances 1, 2/3, 4/7, 8/15 of the levels, times sensitivity^2 = 5."""
    assert errors("honaker", 16)[0] ** 2 == pytest.approx(5 * (1 + 2 / 3 + 4 / 7 + 8 / 15), rel=1e-12)


def test_the_square_root_noise_beats_every_tree():
    counting = mechanisms.optimal_counting()
    for steps, variance in ((16, 3.8), (128, 6.8)):
        best = (counting.prefix_std(steps) * counting.sensitivity(steps)).max() ** 2
        assert best == pytest.approx(variance, abs=0.05)
        assert best < min(errors(completion, steps)[0] for completion in COMPLETIONS) ** 2


@pytest.mark.parametrize("completion", COMPLETIONS)
@pytest.mark.parametrize("steps", [1, 2, 3, 7, 8, 100, 1000])
def test_sensitivity_counts_the_blocks_that_hold_a_step(completion, steps):
    mechanism = mechanisms.binary_tree(completion)
    assert mechanism.sensitivity(steps) ** 2 == pytest.approx(np.floor(np.log2(steps)) + 1, rel=1e-14)
    longest = np.linalg.norm(mechanism.strategy_matrix(steps), axis=0).max()
    if completion == "honaker" and steps > 1:
        assert longest < mechanism.sensitivity(steps)
    else:
        assert longest == pytest.approx(mechanism.sensitivity(steps), rel=1e-12)


@pytest.mark.parametrize("completion", COMPLETIONS)
@pytest.mark.parametrize("steps", [1, 5, 64, 100])
def test_strategy_is_the_inverse_and_both_are_lower_triangular(completion, steps):
    mechanism = mechanisms.binary_tree(completion)
    noising, strategy = mechanism.noising_matrix(steps), mechanism.strategy_matrix(steps)
    np.testing.assert_allclose(noising @ strategy, np.eye(steps), atol=1e-13)
    assert not np.triu(noising, 1).any() and not np.triu(strategy, 1).any() and np.diag(noising).min() > 0
    rows = np.linalg.norm(np.cumsum(noising, axis=0), axis=1)
    np.testing.assert_allclose(mechanism.prefix_std(steps), rows, rtol=1e-12)
    for array in (noising, strategy, mechanism.prefix_std(steps)):
        assert not array.flags.writeable


@pytest.mark.parametrize("completion", STREAMS)
def test_a_stream_needs_no_horizon(completion):
    mechanism = mechanisms.binary_tree(completion)
    assert mechanism.anytime and not mechanisms.binary_tree("full").anytime
    for steps in (1, 9, 33):
        np.testing.assert_array_equal(mechanism.noising_matrix(steps), mechanism.noising_matrix(70)[:steps, :steps])
        np.testing.assert_array_equal(mechanism.strategy_matrix(steps), mechanism.strategy_matrix(70)[:steps, :steps])


def test_without_completion_rows_of_the_strategy_are_blocks():
    """Row t sums the largest complete block that ends at t: a table of partial sums."""
    expected = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(mechanisms.binary_tree().strategy_matrix(5), expected)


def blocks(steps):
    """Every complete dyadic block, a row of zeros and ones each: (number of blocks, steps)."""
    rows = []
    for size in (2**level for level in range(steps.bit_length())):
        for start in range(0, steps - size + 1, size):
            rows.append((np.arange(steps) // size == start // size).astype(float))
    return np.array(rows)


@pytest.mark.parametrize("steps", [6, 16, 21])
def test_honaker_is_the_best_reading_of_the_blocks_within_each_block(steps):
    """Least squares over the blocks inside each block of the binary expansion of t, by brute force."""
    covariance = np.zeros((steps, steps))
    every = blocks(steps)
    readings = []
    for step in range(1, steps + 1):
        weights, start = np.zeros(len(every)), 0
        for level in reversed(range(step.bit_length())):
            if step >> level & 1:
                block = (np.arange(steps) >= start) & (np.arange(steps) < start + 2**level)
                inside = np.flatnonzero(~every[:, ~block].any(axis=1))
                weights[inside] += block @ np.linalg.pinv(every[inside])
                start += 2**level
        readings.append(weights)
    covariance = np.array(readings) @ np.array(readings).T
    summed = np.cumsum(mechanisms.binary_tree("honaker").noising_matrix(steps), axis=0)
    np.testing.assert_allclose(summed @ summed.T, covariance, atol=1e-12)


@pytest.mark.parametrize("steps", [6, 16, 21])
def test_full_completion_is_least_squares_over_all_blocks(steps):
    every = blocks(steps)
    np.testing.assert_array_equal(mechanisms.binary_tree("full").gram(steps), every.T @ every)
    reading = np.tril(np.ones((steps, steps))) @ np.linalg.pinv(every)
    summed = np.cumsum(mechanisms.binary_tree("full").noising_matrix(steps), axis=0)
    np.testing.assert_allclose(summed @ summed.T, reading @ reading.T, atol=1e-12)


@pytest.mark.parametrize("completion", STREAMS)
@pytest.mark.parametrize(("steps", "shape"), [(1, (3,)), (70, ()), (300, (2, 3)), (9, (50_000, 2))])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_sample_is_stream_is_the_dense_product(completion, steps, shape, dtype, tolerance):
    mechanism = mechanisms.binary_tree(completion)
    seed = mechanisms.independent().sample(steps, shape, torch.Generator().manual_seed(0), dtype=dtype).double().numpy()
    expected = np.tensordot(mechanism.noising_matrix(steps), seed, axes=1)
    sample = mechanism.sample(steps, shape, torch.Generator().manual_seed(0), dtype=dtype)
    stream = mechanism.stream(shape, torch.Generator().manual_seed(0), dtype=dtype)
    streamed = torch.stack([noise.clone() for noise in islice(stream, steps)])
    assert sample.dtype == streamed.dtype == dtype and sample.shape == streamed.shape == (steps, *shape)
    np.testing.assert_allclose(sample.numpy(), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(streamed.numpy(), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("completion", STREAMS)
def test_streamed_noise_is_safe_to_change(completion):
    draw = lambda: mechanisms.binary_tree(completion).stream((3,), torch.Generator().manual_seed(1))  # noqa: E731
    untouched = torch.stack([noise.clone() for noise in islice(draw(), 150)])
    changed = []
    for noise in islice(draw(), 150):
        changed.append(noise.clone())
        noise.fill_(float("nan"))
    assert torch.equal(torch.stack(changed), untouched)


def test_full_completion_samples_but_does_not_stream():
    mechanism = mechanisms.binary_tree("full")
    steps, replicates = 6, 40_000
    noise = mechanism.sample(steps, (replicates,), torch.Generator().manual_seed(2)).double()
    expected = np.linalg.inv(mechanisms.binary_tree("full").gram(steps))
    error = np.sqrt((np.outer(np.diag(expected), np.diag(expected)) + expected**2) / replicates)
    assert np.all(np.abs((noise @ noise.T / replicates).numpy() - expected) < 4 * error)
    with pytest.raises(ValueError, match="expected an anytime mechanism for stream: use dense"):
        mechanism.stream((2,), torch.Generator())
    fixed = mechanisms.dense(mechanism.strategy_matrix(steps))
    np.testing.assert_allclose(fixed.noising_matrix(steps), mechanism.noising_matrix(steps), atol=1e-14)


def test_trees_are_values_with_names():
    assert mechanisms.binary_tree() == mechanisms.binary_tree("none") != mechanisms.binary_tree("honaker")
    assert all(mechanisms.binary_tree(completion).arm in ARMS for completion in COMPLETIONS)


def test_what_a_tree_cannot_say_is_a_sentence():
    tree = mechanisms.binary_tree()
    assert tree.limit_sensitivity() == np.inf
    with pytest.raises(ValueError, match="completion='half', expected one of 'none', 'honaker', 'full'"):
        mechanisms.binary_tree("half")
    with pytest.raises(ValueError, match="expected a Toeplitz mechanism for frequency_response"):
        tree.frequency_response(np.zeros(1))
