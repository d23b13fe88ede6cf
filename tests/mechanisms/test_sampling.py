"""Sampled and streamed noise: against the dense matrix, against each other, and in distribution."""

from itertools import islice

import numpy as np
import pytest
import torch

from core import mechanisms
from core.mechanisms import sampling
from core.mechanisms.fading import LONGEST, fading_coef

EVERY = [
    mechanisms.independent(),
    mechanisms.nu_ftrl(0.0),
    mechanisms.nu_ftrl(0.02),
    mechanisms.lambda_cgd(0.7),
    mechanisms.anti_pgd(0.0),
    mechanisms.toeplitz((2.0, -0.5, 0.25)),
    mechanisms.toeplitz(tuple(0.9**lag for lag in range(30))),
    mechanisms.optimal_for([1.0, 0.1, 0.01], 0.2),
    mechanisms.banded_root(7),
    mechanisms.banded_inverse_root(4),
    mechanisms.binary_tree("none"),
    mechanisms.binary_tree("honaker"),
    mechanisms.stamped(mechanisms.nu_ftrl(0.02), 100),
    mechanisms.stamped(mechanisms.binary_tree("honaker"), 13),
    mechanisms.stamped(mechanisms.optimal_for([1.0, 0.1, 0.01], 0.2), 70),
    mechanisms.stamped(mechanisms.fft_mechanism(), 50),
    mechanisms.stamped(mechanisms.stamped(mechanisms.lambda_cgd(0.5), 2), 4),
    mechanisms.stamped(mechanisms.stamped(mechanisms.nu_ftrl(0.02), 3), 7),
    mechanisms.dense(np.tril(np.random.default_rng(0).uniform(0.1, 1, (1100, 1100))) / 40 + np.eye(1100)),
]
every_mechanism = pytest.mark.parametrize("mechanism", EVERY, ids=lambda mechanism: mechanism.label)


def seeded(seed=0, device="cpu"):
    return torch.Generator(device).manual_seed(seed)


def streamed(mechanism, steps, shape, dtype=None, device="cpu"):
    return torch.stack(list(islice(mechanism.stream(shape, seeded(device=device), device, dtype), steps)))


@every_mechanism
@pytest.mark.parametrize(("steps", "shape"), [(1, (3,)), (70, ()), (1100, (2, 3)), (9, (50_000, 2))])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-10), (torch.float32, 2e-5)])
def test_sample_is_stream_is_the_dense_product(mechanism, steps, shape, dtype, tolerance):
    """Lengths of one block and of many; shapes so large that a block is a single step."""
    sample = mechanism.sample(steps, shape, seeded(), dtype=dtype)
    assert sample.shape == (steps, *shape) and sample.dtype == dtype
    seed = mechanisms.independent().sample(steps, shape, seeded(), dtype=dtype).double().numpy()
    expected = np.tensordot(mechanism.noising_matrix(steps), seed, axes=1)
    np.testing.assert_allclose(sample.numpy(), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose(streamed(mechanism, steps, shape, dtype).numpy(), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("steps", [1, 63, 64, 65, 200])
def test_independent_noise_is_the_seed_noise_itself(steps):
    shape = (7,)
    blocks = sampling.seed_blocks(shape, seeded(3))
    seed = torch.cat(list(islice(blocks, 4)))[:steps]
    assert torch.equal(mechanisms.independent().sample(steps, shape, seeded(3)), seed)
    assert torch.equal(torch.stack(list(islice(mechanisms.independent().stream(shape, seeded(3)), steps))), seed)


@pytest.mark.parametrize("mechanism", [mechanisms.lambda_cgd(0), mechanisms.nu_ftrl(1), mechanisms.toeplitz((1.0,))])
def test_families_that_meet_draw_the_same_bits(mechanism):
    expected = mechanisms.independent().sample(100, (5,), seeded())
    assert torch.equal(mechanism.sample(100, (5,), seeded()), expected)
    assert torch.equal(streamed(mechanism, 100, (5,)), expected)


def test_lambda_noise_takes_back_a_share_of_the_last_draw():
    seed = mechanisms.independent().sample(200, (4,), seeded())
    noise = mechanisms.lambda_cgd(0.25).sample(200, (4,), seeded())
    assert torch.equal(noise[0], seed[0])
    assert torch.allclose(noise[1:], seed[1:] - 0.25 * seed[:-1], atol=1e-6)


@every_mechanism
def test_covariance_is_the_inverse_strategy_times_its_transpose(mechanism):
    """Every entry within 4 standard errors of 40,000 replicates: a factor of 1.1 would be 14 of them."""
    steps, replicates = 8, 40_000
    expected = mechanism.noising_matrix(steps) @ mechanism.noising_matrix(steps).T
    variance = np.diag(expected)
    error = np.sqrt((np.outer(variance, variance) + expected**2) / replicates)
    for noise in (mechanism.sample(steps, (replicates,), seeded(5)), streamed(mechanism, steps, (replicates,))):
        covariance = (noise @ noise.T / replicates).double().numpy()
        assert np.all(np.abs(covariance - expected) < 4 * error)


@every_mechanism
def test_streamed_tensors_are_safe_to_keep_and_to_change(mechanism):
    untouched = streamed(mechanism, 150, (3,))
    changed = []
    for noise in islice(mechanism.stream((3,), seeded()), 150):
        changed.append(noise.clone())
        noise.fill_(float("nan"))
    assert torch.equal(torch.stack(changed), untouched)


def impulse_response(stream, steps, dtype):
    impulse = torch.zeros(steps + 1, 1, dtype=dtype)
    impulse[0] = 1
    return np.array([noise.item() for noise in islice(stream(iter([impulse])), steps)])


def test_fading_memories_stand_for_the_square_root_coefficients():
    """The applied coefficients, as accounting has them, against the exact ones."""
    error = fading_coef(LONGEST) - mechanisms.nu_ftrl(0.0).noising_coef(LONGEST)
    assert np.abs(error).max() < 1e-11
    assert np.abs(np.cumsum(error)).max() < 1e-10


@pytest.mark.parametrize("nu", [0.0, 1e-3, 0.3])
def test_the_stream_applies_the_coefficients_that_are_charged(nu):
    steps = 5000
    applied = impulse_response(lambda blocks: sampling.stream_fading(1 - nu, blocks), steps, torch.float64)
    charged = fading_coef(steps) * (1 - nu) ** np.arange(steps)
    np.testing.assert_allclose(applied, charged, rtol=0, atol=1e-14)
    single = impulse_response(lambda blocks: sampling.stream_fading(1 - nu, blocks), steps, torch.float32)
    np.testing.assert_allclose(single, charged, rtol=0, atol=6e-8)  # one rounding of single precision


@pytest.mark.parametrize("nu", [0.0, 1e-4, 0.1])
@pytest.mark.parametrize("steps", [1, 256, 10_000, LONGEST])
def test_sensitivity_covers_the_streamed_coefficients(nu, steps):
    """And costs next to nothing: the exact norm is reached to 1e-10."""
    from core import toeplitz

    mechanism = mechanisms.nu_ftrl(nu)
    streamed_column = toeplitz.inverse(fading_coef(steps) * (1 - nu) ** np.arange(steps))
    charged = mechanism.sensitivity(steps)
    assert charged >= np.linalg.norm(mechanism.strategy_coef(steps))
    assert charged >= np.linalg.norm(streamed_column) * (1 - 1e-13)
    assert charged == pytest.approx(np.linalg.norm(mechanism.strategy_coef(steps)), rel=1e-10)
    assert np.all(streamed_column >= -1e-15) and np.all(np.diff(streamed_column) <= 1e-15)


def test_a_stream_of_nu_noise_ends_with_a_sentence():
    blocks = iter([torch.zeros(LONGEST + 1, 1)])
    stream = sampling.stream_fading(0.9, blocks)
    for _ in range(LONGEST):
        next(stream)
    with pytest.raises(ValueError, match=f"steps={LONGEST + 1}, expected at most {LONGEST}"):
        next(stream)


def test_a_long_stream_of_any_coefficients_joins_its_blocks_without_a_seam():
    """5000 steps cross every tile up to 2048: products of matrices first, Fourier transforms later."""
    mechanism = mechanisms.optimal_for([1.0, 0.1, 0.01], 0.2)
    applied = impulse_response(lambda blocks: sampling.stream_any(mechanism.noising_coef, blocks), 64, torch.float64)
    np.testing.assert_allclose(applied, mechanism.noising_coef(64), atol=1e-15)
    sample = mechanism.sample(5000, (2,), seeded(), dtype=torch.float64)
    np.testing.assert_allclose(streamed(mechanism, 5000, (2,), torch.float64).numpy(), sample.numpy(), atol=1e-12)


def test_nothing_global_is_touched():
    torch.manual_seed(1)
    before, dtype = torch.get_rng_state(), torch.get_default_dtype()
    for mechanism in EVERY:
        mechanism.sample(5, (2,), seeded())
        streamed(mechanism, 5, (2,))
    assert torch.equal(torch.get_rng_state(), before) and torch.get_default_dtype() == dtype == torch.float32


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"shape": 3}, "shape=3, expected a tuple"),
        ({"shape": (0,)}, "shape=0, expected a whole number >= 1"),
        ({"dtype": torch.int64}, "dtype=torch.int64, expected a floating-point type"),
        ({"device": "meta"}, "generator='cpu', expected a generator on meta"),
    ],
)
def test_wrong_arguments_end_in_a_sentence_before_the_first_draw(arguments, words):
    arguments = {"shape": (2,), "generator": seeded(), **arguments}
    for mechanism in EVERY:
        with pytest.raises(ValueError) as error:
            mechanism.stream(**arguments)
        assert words in str(error.value)
        with pytest.raises(ValueError) as error:
            mechanism.sample(3, **arguments)
        assert words in str(error.value)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@every_mechanism
def test_sample_is_stream_on_cuda(mechanism):
    sample = mechanism.sample(1000, (2, 3), seeded(device="cuda"), "cuda")
    assert sample.device.type == "cuda"
    assert torch.allclose(sample, streamed(mechanism, 1000, (2, 3), device="cuda"), atol=2e-5)
