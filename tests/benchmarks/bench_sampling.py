"""What correlated noise costs, in units of plain normal draws of the same size. Prints; never gates.

Where `jax_privacy` can be imported (requirements-peers.txt) its streaming and dense generators are timed beside ours.
"""

import time
from collections.abc import Callable
from importlib.util import find_spec
from itertools import islice

import torch

from core import mechanisms
from core.mechanisms import Mechanism

STEPS, WIDTH, PRODUCT_WIDTH, STREAMED, ROWS = 8192, 2000, 50, 1024, 512
FAMILIES = (
    mechanisms.independent(),
    mechanisms.lambda_cgd(0.9),
    mechanisms.nu_ftrl(0.01),
    mechanisms.optimal_for([1 / k for k in range(1, 129)], 0.02),
    mechanisms.banded_root(32),
    mechanisms.banded_inverse_root(32),
    mechanisms.binary_tree("none"),
    mechanisms.binary_tree("honaker"),
    mechanisms.stamped(mechanisms.nu_ftrl(0.01), 256),
)


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    """Best of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def of_matrices(steps: int) -> tuple[Mechanism, ...]:
    """Mechanisms whose noise is a product with a whole matrix."""
    matrix = mechanisms.dense(mechanisms.nu_ftrl(0.01).strategy_matrix(steps))
    return matrix, mechanisms.binary_tree("full"), mechanisms.fft_mechanism()


def main() -> None:
    """Print tables of ratios."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(0)

    def draw(steps: int, width: int) -> torch.Tensor:
        return torch.randn(steps, width, generator=generator, device=device)

    def sampled(chosen: Mechanism, steps: int) -> float:
        chosen.sample(steps, (1,), generator, device)  # coefficients and matrices are kept from here on
        cost = seconds(lambda: chosen.sample(steps, (WIDTH,), generator, device))
        return cost / seconds(lambda: draw(steps, WIDTH))

    plain = seconds(lambda: draw(STEPS, WIDTH))
    print(f"Sampling {STEPS} steps of {WIDTH} numbers on {device}, {torch.get_num_threads()} threads")
    print(f"  torch.randn                                            1.00   ({plain:.3f} s)")
    for mechanism in FAMILIES:
        print(f"  sample, {mechanism.label:<46} {sampled(mechanism, STEPS):.2f}")
    matrix = torch.tensor(mechanisms.nu_ftrl(0.01).noising_matrix(STEPS), dtype=torch.float32, device=device)
    product = seconds(lambda: matrix @ draw(STEPS, PRODUCT_WIDTH), 2) / seconds(lambda: draw(STEPS, PRODUCT_WIDTH))
    print(f"  dense matrix product                                   {product:.2f}   (of {PRODUCT_WIDTH} columns)")
    print(f"Sampling {ROWS} steps of {WIDTH} numbers from a whole matrix")
    for mechanism in of_matrices(ROWS):
        print(f"  sample, {mechanism.label:<46} {sampled(mechanism, ROWS):.2f}")

    for width in (40, WIDTH, 20 * WIDTH):
        plain = seconds(lambda width=width: [draw(1, width) for _ in range(STREAMED)])
        print(f"Streaming {STREAMED} steps of {width} numbers; torch.randn {1e6 * plain / STREAMED:.1f} us a step")
        for mechanism in FAMILIES:
            cost = streamed(mechanism, width, generator, device)
            kept, products = mechanism.buffers(STREAMED), mechanism.operations(STREAMED)
            print(f"  stream, {mechanism.label:<46} {cost / plain:6.2f}   ({kept} buffers, {products:.1f} products a number)")
    if find_spec("jax_privacy"):
        against_jax(generator)
    else:
        print("jax-privacy is not installed: pip install -r requirements-peers.txt adds it")


def streamed(mechanism: Mechanism, width: int, generator: torch.Generator, device: str = "cpu") -> float:
    """Seconds for the first steps of a stream."""
    run = lambda: sum(1 for _ in islice(mechanism.stream((width,), generator, device), STREAMED))  # noqa: E731
    return seconds(run, 2)


def against_jax(generator: torch.Generator) -> None:
    """Time for a step of noise of 2000 numbers: jax-privacy's compiled generators over ours, on the processor.

    Given a dense matrix, theirs draws all past noise again at each step, and keeps none of it; ours keeps it.
    """
    import jax
    import numpy as np
    from jax_privacy import noise_addition
    from jax_privacy.matrix_factorization import buffered_toeplitz, toeplitz

    jax.config.update("jax_platforms", "cpu")
    gradient = jax.numpy.zeros(WIDTH, "float32")

    def peer(noising, steps: int) -> float:
        privatizer = noise_addition.matrix_factorization_privatizer(noising, stddev=1.0, prng_key=0)
        update = jax.jit(privatizer.update)

        def run() -> None:
            state = privatizer.init(gradient)
            for _ in range(steps):
                noise, state = update(gradient, state)
            noise.block_until_ready()

        run()  # compiles
        return seconds(run, 2) / steps

    def ours(mechanism: Mechanism, steps: int) -> float:
        return seconds(lambda: sum(1 for _ in islice(mechanism.stream((WIDTH,), generator), steps)), 2) / steps

    roots = mechanisms.banded_root(32)
    counting = mechanisms.optimal_counting()
    with jax.enable_x64(True):  # which building theirs asks for; noise is in single precision on both sides
        fading = buffered_toeplitz.BufferedToeplitz.from_rational_approx_to_sqrt_x(num_buffers=10).inverse_as_streaming_matrix()
    matrix = mechanisms.dense(counting.strategy_matrix(ROWS))
    pairs = (
        ("independent", mechanisms.independent(), toeplitz.inverse_as_streaming_matrix(np.ones(1)), STREAMED),
        ("banded square root, 32 bands", roots, toeplitz.inverse_as_streaming_matrix(roots.strategy_coef(32)), STREAMED),
        ("optimal counting, 32 memories against 10", counting, fading, STREAMED),
        (f"a dense matrix of {ROWS} steps", matrix, np.asarray(matrix.noising_matrix(ROWS), np.float32), ROWS),
    )
    print(f"A step of noise, {WIDTH} numbers: jax-privacy over ours")
    for words, mechanism, noising, steps in pairs:
        mine, theirs = ours(mechanism, steps), peer(noising, steps)
        print(f"  {words:<42} {theirs / mine:6.2f}   ({1e6 * theirs:.0f} us against {1e6 * mine:.0f} us)")


if __name__ == "__main__":
    main()
