"""What correlated noise costs, in units of plain normal draws of the same size. Prints; never gates."""

import time
from collections.abc import Callable

import torch

from core.mechanisms import independent, lambda_cgd, nu_ftrl, optimal_for

STEPS, WIDTH, PRODUCT_WIDTH, STREAMED = 8192, 2000, 50, 1024


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


def main() -> None:
    """Print a table of ratios."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(0)

    def draw(steps: int, width: int) -> torch.Tensor:
        return torch.randn(steps, width, generator=generator, device=device)

    plain = seconds(lambda: draw(STEPS, WIDTH))
    print(f"Sampling {STEPS} steps of {WIDTH} numbers on {device}, {torch.get_num_threads()} threads")
    print(f"  torch.randn                          1.00   ({plain:.3f} s)")
    mechanisms = (independent(), lambda_cgd(0.9), nu_ftrl(0.01), optimal_for([1 / k for k in range(1, 129)], 0.02))
    for mechanism in mechanisms:
        mechanism.noising_coef(STEPS)
        cost = seconds(lambda chosen=mechanism: chosen.sample(STEPS, (WIDTH,), generator, device))
        print(f"  sample, {mechanism.label:<28} {cost / plain:.2f}")
    matrix = torch.tensor(nu_ftrl(0.01).noising_matrix(STEPS), dtype=torch.float32, device=device)
    product = seconds(lambda: matrix @ draw(STEPS, PRODUCT_WIDTH), 2) / seconds(lambda: draw(STEPS, PRODUCT_WIDTH))
    print(f"  dense matrix product                 {product:.2f}   (of {PRODUCT_WIDTH} columns)")

    print(f"Streaming {STREAMED} steps, against drawing each step by torch.randn")
    for width in (40, WIDTH, 20 * WIDTH):
        plain = seconds(lambda width=width: [draw(1, width) for _ in range(STREAMED)])
        costs = []
        for mechanism in mechanisms:
            stream = [mechanism.stream((width,), generator, device)]
            cost = seconds(lambda stream=stream[0]: [next(stream) for _ in range(STREAMED)], 2)
            costs.append(f"{mechanism.arm} {cost / plain:.2f}")
        print(f"  {width:>6} numbers: torch.randn {1e6 * plain / STREAMED:.1f} us a step; " + ", ".join(costs))


if __name__ == "__main__":
    main()
