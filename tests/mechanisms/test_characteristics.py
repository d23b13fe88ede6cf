"""The table of mechanisms: numbers known in closed form, spectra of noise that is not Toeplitz."""

import numpy as np
import pytest
import torch

from core import mechanisms
from core.mechanisms import characterise, noise_power
from core.theory import workload

EVERY = [
    mechanisms.independent(),
    mechanisms.nu_ftrl(0.05),
    mechanisms.lambda_cgd(0.7),
    mechanisms.banded_root(5),
    mechanisms.banded_inverse_root(5),
    mechanisms.optimal_for([1.0, 0.1], 0.2),
    mechanisms.binary_tree(),
    mechanisms.binary_tree("honaker"),
    mechanisms.binary_tree("full"),
    mechanisms.fft_mechanism(),
    mechanisms.stamped(mechanisms.nu_ftrl(0.05), 16),
    mechanisms.optimal_dense(workload.prefix_sums(50)),
]
every_mechanism = pytest.mark.parametrize("mechanism", EVERY, ids=lambda mechanism: mechanism.label)


def test_independent_noise_is_the_unit():
    row = characterise(mechanisms.independent(), 100)
    assert (row.sensitivity, row.step_error, row.buffers, row.operations, row.anytime) == (1, 1, 0, 0, True)
    assert row.prefix_max == pytest.approx(10) and row.prefix_rms == pytest.approx(np.sqrt(50.5))


def test_errors_of_counting_and_of_the_tree_at_1024_steps():
    """Computed independently by dense linear algebra."""
    counting, tree = (characterise(chosen, 1024) for chosen in (mechanisms.optimal_counting(), mechanisms.binary_tree()))
    assert (counting.prefix_max, counting.prefix_rms) == (pytest.approx(3.272554, abs=1e-6), pytest.approx(3.109790, abs=1e-6))
    assert (tree.prefix_max, tree.prefix_rms) == (pytest.approx(10.488088, abs=1e-6), pytest.approx(7.416923, abs=1e-6))


@every_mechanism
def test_a_row_is_what_the_matrices_say(mechanism):
    steps = 50
    row, noising = characterise(mechanism, steps), mechanism.noising_matrix(steps)
    np.testing.assert_allclose(mechanism.step_std(steps), np.linalg.norm(noising, axis=1), rtol=1e-12)
    assert row.sensitivity == mechanism.sensitivity(steps) and row.anytime == mechanism.anytime
    assert row.step_error == pytest.approx(row.sensitivity * np.sqrt(np.sum(noising**2) / steps), rel=1e-12)
    assert row.prefix_rms <= row.prefix_max and row.buffers >= 0 and row.operations >= 0


def test_participations_are_charged_in_every_error():
    once, often = (characterise(mechanisms.lambda_cgd(0.5), 100, count, 10) for count in (1, 10))
    growth = often.sensitivity / once.sensitivity
    assert growth > 3 and often.prefix_max == pytest.approx(growth * once.prefix_max)
    assert often.step_error == pytest.approx(growth * once.step_error)


@every_mechanism
def test_power_is_that_of_the_noise(mechanism):
    """Against the quadratic form of the covariance; and its mean over frequency is the mean variance of a step."""
    steps = 50
    omega = 2 * np.pi * np.arange(2 * steps) / (2 * steps)
    power = noise_power(mechanism, omega, steps)
    covariance = mechanism.noising_matrix(steps) @ mechanism.noising_matrix(steps).T
    wave = np.exp(1j * 0.7 * np.arange(steps))
    expected = (wave.conj() @ covariance @ wave).real / steps
    assert noise_power(mechanism, [0.7], steps)[0] == pytest.approx(expected, rel=1e-10)
    assert power.mean() == pytest.approx(np.mean(mechanism.step_std(steps) ** 2), rel=1e-10)


def test_power_tends_to_the_response_of_toeplitz_noise():
    omega = np.array([0.3, 1.0, 3.0])
    mechanism = mechanisms.nu_ftrl(0.1)
    np.testing.assert_allclose(noise_power(mechanism, omega, 5000), np.abs(mechanism.frequency_response(omega)) ** 2, rtol=2e-2)


def tensors_of(generator):
    """Numbers held by the frames of a suspended generator and of those it draws from, without seed noise still to come."""
    held, frame = {}, generator.gi_frame
    for value in frame.f_locals.values():
        for tensor in value if isinstance(value, list) else [value]:
            if isinstance(tensor, torch.Tensor) and tensor.dim() >= 1:
                held[tensor.untyped_storage().data_ptr()] = tensor
    return held


@pytest.mark.parametrize("completion", ["none", "honaker"])
def test_a_tree_keeps_one_buffer_a_level(completion):
    """Width so large that seed noise is drawn step by step: what is kept are the estimates, the draw and the noise."""
    tree = mechanisms.binary_tree(completion)
    stream = tree.stream((300_000,), torch.Generator().manual_seed(0))
    most = 0
    for _ in range(64):
        next(stream)
        most = max(most, len(tensors_of(stream)))
    assert most <= tree.buffers(64) + 3


def test_products_of_a_step_are_counted():
    """Blocks replaced in four steps: one at the second, two at the fourth. Tiles of 1024 steps: 64, then 64^2 in 128 steps, ..."""
    assert mechanisms.binary_tree("none").operations(4) == 3 / 4 and mechanisms.binary_tree("honaker").operations(4) == 6 / 4
    assert mechanisms.optimal_for([1.0, 0.1], 0.2).operations(128) == 64 + 64**2 / 128
    assert mechanisms.optimal_for([1.0, 0.1], 0.2).operations(1024) == 64 + 32 + 64 + 128 + 3 * 10
    assert mechanisms.nu_ftrl(0.1).operations(1024) == 64 and mechanisms.lambda_cgd(0.1).operations(1024) == 1
    assert mechanisms.binary_tree("full").operations(9) == 5
    assert mechanisms.stamped(mechanisms.binary_tree("full"), 9).operations(100) == 5


def test_what_is_no_mechanism_is_refused():
    for call in (lambda: mechanisms.characterise(None, 10), lambda: mechanisms.noise_power("white", [0.1], 10)):
        with pytest.raises(ValueError, match="^mechanism=.*, expected a mechanism of core.mechanisms"):
            call()
