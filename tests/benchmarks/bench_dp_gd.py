"""Full-batch private gradient descent: with proven statistics against every record one by one. Prints, gates nothing."""

import time

from core import devices
from core.learners.dp_gd import DpGdConfig, GdArm, dp_gd
from core.learners.screened import full_sums
from core.problems.designs import isotropic
from core.problems.finite import LeastSquares

REPLICATES, STEPS, DIM, N_SAMPLES, RHO = 100, 1000, 10, 10_000, 0.015
FACTORS = (1.5, 5.0, 50.0)


def main() -> None:
    devices.use_one_thread()
    print(f"{REPLICATES} replicates x {STEPS} steps, p = {DIM}, n = {N_SAMPLES}, one thread, seconds of processor time")
    print(f"{'clip norm / sqrt(p)':>20} {'data sets':>10} {'seconds':>9} {'share clipped':>14} {'record by record':>17}")
    for data_sets in (1, REPLICATES):
        problem = LeastSquares(isotropic(N_SAMPLES, DIM, data_sets, seed=1))
        for factor in FACTORS:
            arm = GdArm("DP-GD", factor * DIM**0.5)
            start = time.process_time()
            *_, last = dp_gd(problem, [arm], DpGdConfig(STEPS, RHO, REPLICATES, record_every=STEPS))
            screened = time.process_time() - start
            theta = last.theta[0, :, 0].reshape(data_sets, -1, DIM)
            start = time.process_time()
            full_sums(problem, theta, arm.clip_norm)
            full = STEPS * (time.process_time() - start)
            share = last.measures["share_clipped"].mean()
            print(f"{factor:>20g} {data_sets:>10} {screened:>9.1f} {share:>14.4%} {full:>16.0f}s")


if __name__ == "__main__":
    main()
