"""Table 3: the mechanisms of the literature side by side, with measured columns. Nothing is random here."""

from collections.abc import Iterator

from core import mechanisms
from core.mechanisms.characteristics import characterise
from core.papers.registry import register, verdict
from core.results import Table
from core.theory import workload

PAPER, SOURCE = "correlated_noise", "arXiv 2310.06771"
STEPS = {"quick": 64, "full": 512}
COLUMNS = (
    "noise",
    "error of the sum, rms",
    "error of the sum, largest",
    "error of a step",
    "sensitivity",
    "tensors kept",
    "multiplications a step",
    "anytime",
    "anytime, printed",
    "matrix, printed",
    "generation, printed",
    "a step, printed",
)
_PRINTED = {
    "independent": ("yes", "identity", "O(1)", "O(1)"),
    "honaker": ("yes", "lower triangular", "O(1)", "O(log T)"),
    "optimal_counting": ("yes", "Toeplitz, lower triangular", "O(1)", "O(T)"),
    "nu_ftrl": ("yes", "Toeplitz, lower triangular", "O(1)", "O(T)"),
    "fft": ("no", "Toeplitz", "O(1)", "O(T log^2 T)"),
    "full_honaker": ("no", "arbitrary", "O(T^2)", "O(T^2)"),
    "optimal_dense": ("no", "arbitrary", "O(T^3)", "O(T^2)"),
}
"""Rows of the paper; mechanisms without one come after them."""


@register(
    PAPER,
    "Table 3",
    left_open="nu, the number of steps, and any measured column.",
    chosen=(
        "nu = 1/T. Errors are standard deviations at equal privacy (sensitivity times that of the noise) for a record "
        "that joins one step. Costs here count what a stream keeps and multiplies for each number of a step, not "
        "seconds. Mechanisms that the paper does not list come last."
    ),
    quick="64 steps, exact.",
    full="512 steps, exact.",
)
def table3(fidelity: str, seed: int) -> Iterator[tuple[float, Table]]:
    """Every noise of the literature at once: what it must know beforehand, what it keeps in memory, how well it
    counts.
    """
    steps = STEPS[fidelity]
    rows, agree = [], []
    shown = _shown(steps)
    for done, mechanism in enumerate(shown, start=1):
        found = characterise(mechanism, steps)
        printed = _PRINTED.get(mechanism.arm, ("", "", "", ""))
        here = "yes" if found.anytime else "no"
        if mechanism.arm in _PRINTED:
            agree.append(here == printed[0])
        errors = (found.prefix_rms, found.prefix_max, found.step_error, found.sensitivity)
        rounded = (round(error, 4) for error in errors)
        rows.append((mechanism.label, *rounded, found.buffers, round(found.operations, 1), here, *printed))
        yield done / len(shown), Table(
            title=f"Noises of the literature over {steps} steps",
            columns=COLUMNS,
            rows=tuple(rows),
            source=f"{SOURCE}, Table 3",
            caption=(
                "Anytime: the noise of a step can be drawn without knowing how long the run will be. Optimal counting "
                "and nu-DP-FTRL are printed at O(T) a step; here they are streamed from 32 fading memories, however "
                "long the run, because their coefficients are moments of a positive measure. The best matrix counts "
                "best, and has to be computed for its number of steps."
            ),
            verdict=_verdict(rows, agree) if done == len(shown) else "",
            settings={"figure": "table3", "fidelity": fidelity, "steps": steps, "nu": 1 / steps, "participations": 1},
        )


def _shown(steps: int) -> tuple[mechanisms.Mechanism, ...]:
    counting = workload.prefix_sums(steps)
    return (
        mechanisms.independent(),
        mechanisms.binary_tree("honaker"),
        mechanisms.optimal_counting(),
        mechanisms.nu_ftrl(1 / steps),
        mechanisms.fft_mechanism(),
        mechanisms.binary_tree("full"),
        mechanisms.optimal_dense(counting),
        mechanisms.binary_tree("none"),
        mechanisms.best_toeplitz(counting),
        mechanisms.banded_root(16),
        mechanisms.banded_inverse_root(16),
        mechanisms.anti_pgd(0.1),
        mechanisms.stamped(mechanisms.optimal_counting(), steps // 4),
    )


def _verdict(rows: list[tuple], agree: list[bool]) -> str:
    rms = COLUMNS.index("error of the sum, rms")
    best = min(rows, key=lambda row: row[rms])
    counting = next(row for row in rows if row[0] == mechanisms.optimal_counting().label)
    return verdict(
        all(agree) and best[COLUMNS.index("anytime")] == "no",
        f"{sum(agree)} of {len(agree)} noises are anytime or not as printed; the {best[0]} has the least error of the "
        f"sum ({best[rms]:.3f}), {1 - best[rms] / counting[rms]:.1%} below optimal counting, which needs to know "
        "nothing beforehand",
    )
