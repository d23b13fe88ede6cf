"""Simulated steps a second: arms and replicates batched, against a loop over them. Prints ratios, gates nothing."""

import time

import torch

from core import devices, mechanisms
from core.learners import Arm
from core.learners.dp_ftrl import DpFtrlConfig, dp_ftrl
from core.problems.regression import GaussianDesign
from core.problems.spectrum import spectrum

SIZES = ((16, 1, 20), (32, 8, 20), (128, 1, 100), (128, 8, 100))  # dim, batch_size, replicates
STEPS = 300
LOOPED_STEPS = 30


def seconds_a_step(problem, arms, config: DpFtrlConfig) -> float:
    """Time of one step, the first snapshot (set-up) left out."""
    run = dp_ftrl(problem, arms, config)
    next(run)
    start = time.perf_counter()
    for _ in run:
        pass
    return (time.perf_counter() - start) / config.steps


def main() -> None:
    devices.use_one_thread()
    print(f"simulated steps a second on {devices.describe('auto')}: 3 arms, each step moves arms x replicates runs")
    print(f"{'dim':>5} {'batch':>6} {'runs':>6} {'steps/s':>9} {'run-steps/s':>12} {'against a loop over runs':>25}")
    next(mechanisms.nu_ftrl(0.01).stream((1,), torch.Generator()))  # its first use finds the nodes of its quadrature
    for dim, batch_size, replicates in SIZES:
        problem = GaussianDesign(spectrum(dim, 1.0), label_noise=0.1)
        families = (mechanisms.independent(), mechanisms.lambda_cgd(0.7), mechanisms.nu_ftrl(0.01))
        arms = [Arm(family.label, family, 1.0, 0.02) for family in families]
        config = DpFtrlConfig(STEPS, batch_size, replicates=replicates, record_every=STEPS)
        batched = seconds_a_step(problem, arms, config)
        single = DpFtrlConfig(LOOPED_STEPS, batch_size, record_every=LOOPED_STEPS)
        looped = replicates * sum(seconds_a_step(problem, [arm], single) for arm in arms)
        runs = replicates * len(arms)
        ratio = looped / batched
        print(f"{dim:>5} {batch_size:>6} {runs:>6} {1 / batched:>9.0f} {runs / batched:>12.0f} {ratio:>24.1f}x")


if __name__ == "__main__":
    main()
