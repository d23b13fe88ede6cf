"""The FFT mechanism, against its circulant written out."""

import numpy as np
import pytest
import torch
from scipy.linalg import circulant

from core import mechanisms


@pytest.mark.parametrize("steps", [1, 2, 5, 16])
def test_the_gram_matrix_is_that_of_the_circulant_root(steps):
    """A real square root S of the circulant of prefix sums: S S = circulant, and S'S restricted is the Gram matrix."""
    whole = circulant(np.repeat([1.0, 0.0], steps))
    np.testing.assert_array_equal(whole[:steps, :steps], np.tril(np.ones((steps, steps))))
    spectrum = np.fft.fft(whole[:, 0])
    root = np.fft.ifft(np.sqrt(spectrum)[:, None] * np.fft.fft(np.eye(2 * steps), axis=0), axis=0)
    np.testing.assert_allclose(root @ root, whole, atol=1e-12)
    gram = (root.conj().T @ root).real[:steps, :steps]
    np.testing.assert_allclose(mechanisms.fft_mechanism().gram(steps), gram, atol=1e-12)
    strategy = mechanisms.fft_mechanism().strategy_matrix(steps)
    np.testing.assert_allclose(strategy.T @ strategy, gram, atol=1e-12)


def test_every_step_costs_the_same():
    columns = np.linalg.norm(mechanisms.fft_mechanism().strategy_matrix(50), axis=0)
    np.testing.assert_allclose(columns, mechanisms.fft_mechanism().sensitivity(50), rtol=1e-12)


def test_it_beats_the_stream_of_square_roots_in_the_mean():
    """1024 steps, prefix sums at sensitivity 1, computed independently with the pseudo-inverse of the circulant root."""
    mechanism = mechanisms.fft_mechanism()
    error = mechanism.prefix_std(1024) * mechanism.sensitivity(1024)
    counting = mechanisms.optimal_counting()
    other = counting.prefix_std(1024) * counting.sensitivity(1024)
    assert np.sqrt(np.mean(error**2)) < np.sqrt(np.mean(other**2))


def test_it_needs_the_number_of_steps():
    mechanism = mechanisms.fft_mechanism()
    assert not mechanism.anytime
    with pytest.raises(ValueError, match="expected an anytime mechanism for stream"):
        mechanism.stream((2,), torch.Generator())
    assert np.abs(mechanism.noising_matrix(9)[:4, :4] - mechanism.noising_matrix(4)).max() > 1e-3
