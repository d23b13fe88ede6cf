"""Drawing correlated noise with torch, all steps at once or one after the other. The only torch of this package."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from scipy.fft import next_fast_len

from core import toeplitz
from core.check import require, whole
from core.mechanisms.fading import LONGEST, fading_memories

_BLOCK_STEPS = 64  # steps drawn together when shapes are small ...
_BLOCK_NUMBERS = 2**18  # ... and the numbers a block may hold
_SHIFTS = 8  # up to here adding shifted copies beats one matrix product
_PRODUCT_ROWS = 256  # up to here a matrix product beats a Fourier transform
_CACHED_NUMBERS = 2**17  # a chunk of columns under one Fourier transform: stays in the processor's cache ...
_ACCELERATOR_NUMBERS = 2**26  # ... or keeps an accelerator busy


def seed_blocks(shape, generator, device="cpu", dtype=None) -> Iterator[torch.Tensor]:
    """Endless independent standard normals in blocks (block, *shape); the block depends on `shape` alone.

    Drawing in blocks is fast for small shapes; that `sample` and `stream` share the blocks makes them share the draws.
    """
    require(isinstance(shape, tuple), "shape", shape, "a tuple of whole numbers")
    shape = tuple(whole("shape", size, at_least=1) for size in shape)
    device, dtype = torch.device(device), dtype or torch.float32
    require(dtype.is_floating_point, "dtype", dtype, "a floating-point type")
    require(generator.device.type == device.type, "generator", generator.device.type, f"a generator on {device.type}")
    block = max(1, min(_BLOCK_STEPS, _BLOCK_NUMBERS // int(np.prod(shape))))
    return _draw((block, *shape), generator, device, dtype)


def _draw(size, generator, device, dtype):
    while True:
        yield torch.randn(size, generator=generator, device=device, dtype=dtype)


def seed_noise(steps: int, shape, generator, device="cpu", dtype=None) -> torch.Tensor:
    """The first `steps` of `seed_blocks` in one tensor (steps, *shape)."""
    return _gather(steps, seed_blocks(shape, generator, device, dtype))


def sample_taps(taps: np.ndarray, steps: int, shape, generator, device="cpu", dtype=None) -> torch.Tensor:
    """Noise (steps, *shape) of finitely many coefficients: few go block by block, many by Fourier transform."""
    blocks = seed_blocks(shape, generator, device, dtype)
    if len(taps) <= _SHIFTS:
        return _gather(steps, _filter(taps, blocks))
    return correlate(toeplitz.resize(taps, steps), _gather(steps, blocks))


def correlate(coef: np.ndarray, seed: torch.Tensor) -> torch.Tensor:
    """Overwrite `seed` (steps, *shape) with B @ seed, B of first column `coef` (steps,), in chunks of columns."""
    columns = seed.view(len(seed), -1)
    size = next_fast_len(2 * len(seed) - 1, real=True)
    _convolve(coef, columns, size, 0, columns)
    return seed


def stream_taps(taps: np.ndarray, blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Noise of finitely many coefficients, one step after the other; len(taps) - 1 past draws are kept."""
    for block in _filter(taps, blocks):
        yield from block


def stream_recursion(taps: np.ndarray, blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Noise noise_t = z_t - sum_j taps_j noise_(t-j) with taps_0 = 1, a block at a time; as many past steps are kept.

    A block of noise is inverse(C) (z - what past noise takes away), C the block's part of the banded matrix.
    """
    past = inside = owed = None
    kept = len(taps) - 1
    for block in blocks:
        seed = block.view(len(block), -1)
        if past is None:
            lag = kept + np.subtract.outer(np.arange(len(seed)), np.arange(kept))
            owed = _tensor(np.where(lag <= kept, taps[np.minimum(lag, kept)], 0.0), seed)
            inside = _tensor(toeplitz.dense(toeplitz.inverse(taps, len(seed))), seed)
            past = seed.new_zeros(kept, seed.shape[1])
        noise = inside @ (seed - owed @ past)
        past = torch.cat([past, noise])[len(seed) :]
        yield from noise.view(block.shape)


def single_steps(blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """The same seed noise in blocks of one step."""
    for block in blocks:
        yield from block.split(1)


def stream_fading(root: float, blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Noise (1 - root z)^(1/2): noise_t = z_t - sum_j weight_j m_{t,j}, m_{t+1,j} = m_{t,j} + rate_j (z_t - m_{t,j}).

    The memories m live in one tensor (32, numbers), averages of the past, and take two fused operations a step. Kept
    as rates, not as 1 - rate, slow memories keep their digits in single precision.
    """
    rates, weights = fading_memories()
    rates, weights = (1 - root) + root * rates, root * weights
    first = next(blocks)
    rate = _tensor(rates, first)[:, None]
    weight = _tensor(weights / rates, first)
    memories = first.new_zeros(len(rates), first[0].numel())
    steps = 0
    for block in _chain(first, blocks):
        for seed in block.view(len(block), -1):
            require(steps < LONGEST, "steps", steps + 1, "at most 100000 from one stream of nu-correlated noise")
            noise = torch.addmv(seed, memories.t(), weight, alpha=-1)
            memories.lerp_(seed, rate)
            steps += 1
            yield noise.view(block.shape[1:])


def stream_any(coef: Callable[[int], np.ndarray], blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Noise of any Toeplitz coefficients, `coef(n)` giving the first n; every past draw is kept.

    After block i, with u the largest power of two that divides i, the last u blocks add what they owe to the next u
    blocks by one Fourier transform: every pair of an earlier and a later block meets exactly once, and t steps cost
    O(t log^2 t). Reference: Fischer and Stockmeyer, 1974, Fast on-line integer multiplication.
    """
    past: list[torch.Tensor] = []
    for count, block in enumerate(blocks):
        length = len(block)
        if count == 0:
            owed, base = block.new_zeros(length, block[0].numel()), 0
            inside = _tensor(toeplitz.dense(coef(length)), block)
        flat = block.view(length, -1)
        start = (count - base) * length
        yield from (owed[start : start + length] + inside @ flat).view(block.shape)
        past.append(flat)
        done = count + 1
        reach = done & -done
        later = _carry(coef(2 * reach * length), torch.cat(past[-reach:]))
        if reach == done:  # nothing is owed beyond the next power of two: start a new page
            owed, base = later, done
        else:
            start = (done - base) * length
            owed[start : start + reach * length] += later


def _convolve(coef: np.ndarray, columns: torch.Tensor, size: int, first: int, out: torch.Tensor) -> None:
    """Write rows first, first + 1, ... of the circular convolution of length `size` to `out`, by chunks of columns."""
    response = torch.fft.rfft(_tensor(coef, columns), size)[:, None]
    chunk = max(4, (_CACHED_NUMBERS if columns.device.type == "cpu" else _ACCELERATOR_NUMBERS) // size)
    for start in range(0, columns.shape[1], chunk):
        part = slice(start, start + chunk)
        spectrum = torch.fft.rfft(columns[:, part], size, dim=0).mul_(response)
        out[:, part] = torch.fft.irfft(spectrum, size, dim=0)[first : first + len(out)]


def _carry(coef: np.ndarray, recent: torch.Tensor) -> torch.Tensor:
    """What n draws (n, numbers) add to the n steps after them, from the first 2n coefficients."""
    rows = len(recent)
    if rows <= _PRODUCT_ROWS:
        lag = rows + np.subtract.outer(np.arange(rows), np.arange(rows))
        return _tensor(coef[lag], recent) @ recent
    later = torch.empty_like(recent)
    _convolve(coef, recent, 2 * rows, rows, later)  # wraps around only into the rows that are not kept
    return later


def _chain(first, rest):
    yield first
    yield from rest


def _gather(steps: int, blocks: Iterator[torch.Tensor]) -> torch.Tensor:
    """The first `steps` rows of the blocks, copied while each is in the cache."""
    out = None
    filled = 0
    while filled < steps:
        block = next(blocks)
        if out is None:
            out = block.new_empty(steps, *block.shape[1:])
        rows = min(len(block), steps - filled)
        out[filled : filled + rows] = block[:rows]
        filled += rows
    return out


def _filter(taps: np.ndarray, blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Each block times the banded Toeplitz matrix of `taps`, the end of the last block carried over."""
    kept = len(taps) - 1
    past = None
    for block in blocks:
        if past is None:
            past = block.new_zeros(kept, *block.shape[1:])
        window = torch.cat([past, block])
        yield _apply(taps, window, len(block))
        past = window[len(block) :]


def _apply(taps: np.ndarray, window: torch.Tensor, rows: int) -> torch.Tensor:
    kept = len(taps) - 1
    if kept < _SHIFTS:
        out = window[kept:] * taps[0] if taps[0] != 1 else window[kept:].clone()
        for lag in range(1, kept + 1):
            out.add_(window[kept - lag : kept - lag + rows], alpha=float(taps[lag]))
        return out
    band = np.zeros((rows, kept + rows))
    for row in range(rows):
        band[row, row : row + kept + 1] = taps[::-1]
    matrix = _tensor(band, window)
    return (matrix @ window.view(len(window), -1)).view(rows, *window.shape[1:])


def apply_matrix(matrix: np.ndarray, seed: torch.Tensor) -> torch.Tensor:
    """B @ seed over the first axis, B any matrix (steps, steps), seed (steps, *shape)."""
    product = _tensor(matrix, seed) @ seed.view(len(seed), -1)
    return product.view(seed.shape)


def stream_matrix(matrix: np.ndarray, blocks: Iterator[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Noise of any lower-triangular matrix, row after row; every past draw is kept."""
    past = None
    rows = None
    step = 0
    for block in blocks:
        if past is None:
            past = block.new_empty(0, block[0].numel())
            rows = _tensor(matrix, block)
        past = torch.cat([past, block.view(len(block), -1)])
        for _ in range(len(block)):
            require(step < len(matrix), "steps", step + 1, f"at most {len(matrix)}, the rows of the strategy matrix")
            yield (rows[step, : step + 1] @ past[: step + 1]).view(block.shape[1:])
            step += 1


def _tensor(array: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    return torch.tensor(array, dtype=like.dtype, device=like.device)
