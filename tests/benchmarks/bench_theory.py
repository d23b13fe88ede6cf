"""What exact theory costs: milliseconds a curve, and how much longer simulation takes to be as good as a drawn line.

Run: python tests/benchmarks/bench_theory.py    Prints, never gates.
"""

import time
from functools import partial

import numpy as np

from core.mechanisms import nu_ftrl, optimal_for
from core.theory import optimal_noise, quadratic

LINE_WIDTH = 0.01  # relative accuracy that a curve on a chart shows
REPLICATES = 100


def best_of(function, repeats: int = 5) -> float:
    """Least seconds of `repeats` calls."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def simulated(eigenvalues, rate: float, steps: int, noising: np.ndarray, noise_std: float) -> np.ndarray:
    """Final excess risks (REPLICATES,) of noisy SGD, one example a step, vectorised over replicates."""
    rng = np.random.default_rng(0)
    dim = eigenvalues.size
    noise = (noise_std * noising @ rng.standard_normal((steps, REPLICATES * dim))).reshape(steps, REPLICATES, dim)
    error = np.ones((REPLICATES, dim))
    for t in range(steps):
        x = rng.standard_normal((REPLICATES, dim)) * np.sqrt(eigenvalues)
        error = error - rate * (np.sum(error * x, axis=1, keepdims=True) * x + noise[t])
    return error**2 @ eigenvalues / 2


def main() -> None:
    print("exact curve against simulation whose standard error is 1% at the last step (numpy, replicates extrapolated)")
    for dim, steps, rate in ((16, 400, 0.05), (128, 400, 0.02), (128, 1000, 0.02)):
        eigenvalues = 1 / np.arange(1, dim + 1.0)
        mechanism = nu_ftrl(optimal_noise.rule_of_thumb_nu(eigenvalues, rate))
        std = mechanism.sensitivity(steps) / np.sqrt(2)
        coef, noising = mechanism.noising_coef(steps), mechanism.noising_matrix(steps)
        exact = best_of(partial(quadratic.excess_risk_curve, eigenvalues, rate, steps, coef, std, 0.0, 1, np.ones(dim)))
        start = time.perf_counter()
        risks = simulated(eigenvalues, rate, steps, noising, std)
        seconds = time.perf_counter() - start
        needed = (risks.std(ddof=1) / risks.mean() / LINE_WIDTH) ** 2
        slower = seconds * needed / REPLICATES / exact
        print(
            f"  d={dim:4d} steps={steps:5d}  exact {1e3 * exact:7.2f} ms   "
            f"simulation {slower:8.0f} x as long ({needed:.0f} replicates)"
        )

    eigenvalues = 1 / np.arange(1, 129.0)
    coef = nu_ftrl(1e-3).noising_coef(10_000)
    long = best_of(lambda: quadratic.excess_risk_curve(eigenvalues, 0.02, 10_000, coef, 1.0, 0.5, 1, np.ones(128)))
    print(f"one curve, d=128, 10,000 steps: {1e3 * long:.1f} ms (goal: below 50)")

    grid = np.stack([nu_ftrl(nu).noising_coef(1000) for nu in np.geomspace(1e-4, 1, 41)])
    few = eigenvalues[:32]
    curve = partial(quadratic.excess_risk_curve, few, 0.02, 1000)
    together = best_of(lambda: curve(grid, np.ones(41), 0.5, 1, np.ones(32)))
    alone = best_of(lambda: [curve(row, 1.0, 0.5, 1, np.ones(32)) for row in grid])
    print(
        f"41 curves, d=32, 1000 steps: {1e3 * together:.1f} ms together (goal: below 100), "
        f"{alone / together:.1f} x as long one by one"
    )

    mechanism = optimal_for(eigenvalues, 0.02)
    stationary = best_of(lambda: quadratic.asymptotic_excess_risk(eigenvalues, 0.02, mechanism, 1.0))
    search = best_of(lambda: optimal_noise.best_nu(eigenvalues, 0.02))
    print(f"stationary value of the optimal noise, d=128: {1e3 * stationary:.1f} ms; best nu: {1e3 * search:.1f} ms")


if __name__ == "__main__":
    main()
