"""Time of the best noise for so many steps, with the proven gap and its gain over optimal counting. Prints; never gates.

Where `jax_privacy` can be imported (requirements-peers.txt) its dense optimiser is timed beside ours; it proves no gap.
"""

import time
from importlib.util import find_spec

import numpy as np

from core import mechanisms
from core.mechanisms.dense_optimum import solve
from core.theory import workload

HORIZONS = (64, 128, 256, 512, 1024)
SPECTRUM = 1 / np.arange(1, 129)


def timed(run):
    """What `run` returns, and its seconds."""
    start = time.perf_counter()
    found = run()
    return found, time.perf_counter() - start


def main() -> None:
    """Print a row a horizon and workload."""
    counting = mechanisms.optimal_counting()
    print("     T  workload               seconds   gap      error over optimal counting")
    for steps in HORIZONS:
        sums, last = workload.prefix_sums(steps), workload.last_iterate(SPECTRUM, 0.02, steps, 64)
        rows = (
            ("prefix sums", sums, lambda sums=sums: solve(sums)),
            ("prefix sums, 32 bands", sums, lambda sums=sums: solve(sums, 32)),
            ("last iterate, d=128", last, lambda last=last: solve(last)),
        )
        for words, gram, run in rows:
            optimum, cost = timed(run)
            base = counting.sensitivity(steps) ** 2 * workload.error(gram, counting.noising_matrix(steps))
            print(f"  {steps:>4}  {words:<22} {cost:7.2f}   {optimum.gap:.0e}   {optimum.error / base:.4f}", flush=True)
        best, cost = timed(lambda sums=sums: mechanisms.best_toeplitz(sums))
        error = best.sensitivity(steps) ** 2 * workload.error(sums, best.noising_matrix(steps))
        base = counting.sensitivity(steps) ** 2 * workload.error(sums, counting.noising_matrix(steps))
        print(f"  {steps:>4}  {'best Toeplitz, sums':<22} {cost:7.2f}            {error / base:.4f}", flush=True)
    if find_spec("jax_privacy"):
        against_jax()
    else:
        print("jax-privacy is not installed: pip install -r requirements-peers.txt adds it")


def against_jax() -> None:
    """Their optimiser of the mean error of prefix sums, first call and all, over ours; errors relative to ours."""
    from jax_privacy.matrix_factorization import dense

    print("jax-privacy's dense.optimize over ours, prefix sums")
    for steps in (64, 256, 512):
        gram = workload.prefix_sums(steps)
        ours, mine = timed(lambda gram=gram: solve(gram))
        strategy, theirs = timed(lambda steps=steps: np.asarray(dense.optimize(steps), dtype=float))
        strategy = np.tril(strategy / np.linalg.norm(strategy, axis=0).max())
        error = workload.error(gram, np.linalg.inv(strategy))
        print(f"  T={steps:<5} time {theirs / mine:.1f}   error {error / ours.error:.5f}   ({theirs:.1f} s against {mine:.2f} s)")


if __name__ == "__main__":
    main()
