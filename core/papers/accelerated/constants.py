"""What needs no long run: Table 1 counted, the price of each noise, and from how many records on the theorems speak."""

from collections.abc import Iterator
from dataclasses import replace

from core.papers.registry import register, verdict
from core.results import Result, Table

PAPER = "accelerated"
SOURCE = "arXiv 2406.02716"
SIZES = {"quick": 4096, "full": 16384}


@register(
    PAPER,
    "Table 1",
    left_open="Logarithms. The other methods' rows are what the paper says of them: they are not run here.",
    chosen="Linear regression with 20 parameters, epsilon 1, delta 1e-6; every evaluation of an example's gradient is counted.",
    quick="n = 4,096: a second.",
    full="n = 16,384: seconds.",
)
def table1(fidelity: str, seed: int) -> Iterator[tuple[float, Table]]:
    """How many gradients and how many adaptive steps each method needs for the best rate; those of this paper counted
    in a run.
    """
    from core.experiments import accelerate  # here, because it brings torch

    n = SIZES[fidelity]
    setting = accelerate.AccelerateSetting(n_samples=n, replicates=2, seed=seed, device="cpu")
    keys, counted = tuple(accelerate.METHODS), []
    for steps in accelerate.marks(setting):
        point = accelerate.run_at(setting, steps)
        counted.append((point.gradients[keys.index("accelerated_tree")], steps * (n // steps), steps))
    rows = (
        ("this paper, best parameters inside the ball", "2n", "n^(1/4)", f"{counted[0][0]:,.0f} in {counted[0][2]} steps", "yes", "no"),
        ("this paper, no assumption", "2n", "sqrt(n)", f"{counted[1][0]:,.0f} in {counted[1][2]} steps", "yes", "no"),
        ("Feldman, Koren, Talwar 2020", "n", "n", "not run", "yes", "yes"),
        ("Zhang, Tran, Cutkosky 2022", "2n", "n", "not run", "yes", "no"),
        ("Zhang, Thekumparampil, Oh, He 2022", "n", "sqrt(n)", "not run", "no", "yes"),
        ("Gao, Liu, Zhang, Wright 2024", "n^(9/8)", "n^(1/4)", "not run", "no", "no"),
    )
    exact = all(gradients == 2 * used for gradients, used, _ in counted)
    yield 1.0, Table(
        title="Gradients and adaptive steps for the best rate",
        columns=("method", "gradients", "adaptive steps", "counted here", "one pass", "private only if convex"),
        rows=rows,
        source=f"{SOURCE}, Table 1",
        caption="Up to logarithms. The count is of one replicate of the accelerated method with tree noise.",
        verdict=verdict(
            exact,
            f"in {counted[0][2]} and in {counted[1][2]} steps over {n:,} records exactly two gradients are asked for each record that "
            f"joins ({counted[0][1]:,} and {counted[1][1]:,} of them, n rounded down to whole batches), and each joins one step",
        ),
        settings={"figure": "table1", "fidelity": fidelity, "seed": seed, "n_samples": n},
    )


@register(
    PAPER,
    "Lemma 5.6",
    left_open="Everything but the tree's order, log^3 T in squared length.",
    chosen="Exact variances and exact sensitivities. The paper's tree, its two completions, square-root Toeplitz and independent noise.",
    quick="Exact, at once: up to 128 steps.",
    full="Exact, at once: up to 256 steps.",
)
def prefix_noise(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """What each kind of noise adds to the running sum that the method lives on, at equal privacy."""
    from core.experiments import accelerate  # here, because it brings torch

    setting = accelerate.AccelerateSetting(n_samples={"quick": 16384, "full": 65536}[fidelity])
    drawn = accelerate.prefix_noise(setting)
    last = {curve.label: curve.y[-1] for curve in drawn.curves}
    tree, counting = last["tree, as in the paper"], last["square-root Toeplitz"]
    yield 1.0, replace(
        drawn,
        verdict=verdict(
            tree < last["independent noise"],
            f"at {drawn.curves[0].x[-1]:.0f} steps the tree's variance is {tree:.3g}, that of independent noise "
            f"{last['independent noise']:.3g}; square-root Toeplitz noise, which the paper names as a constant-factor improvement, "
            f"has {counting:.3g}, {tree / counting:.1f} times less than the tree",
        ),
        settings={"figure": "prefix_noise", "fidelity": fidelity, "seed": seed},
    )


@register(
    PAPER,
    "Equation (19), Corollary 5.7",
    left_open='"For all sufficiently large n". The constants c_1 and c_M of Lemmas 5.4 and 5.5.',
    chosen="20 parameters, epsilon 1, delta 1e-6, natural logarithms in c_DP and base 2 for levels of the tree; L = R = 1.",
    quick="Exact, at once.",
    full="The same.",
)
def constants(fidelity: str, seed: int) -> Iterator[tuple[float, Table]]:
    """From how many records on the constants of the main theorem leave anything to say, and what its noise really
    spends.
    """
    from core.experiments import accelerate  # here, because it brings torch
    from core.theory.bounds import accelerated

    setting = accelerate.AccelerateSetting()
    found = accelerate.theorem(setting)
    spent = accelerated.actual_epsilon(16, 1.0, setting.delta)
    yield 1.0, replace(
        found,
        verdict=verdict(
            spent <= 1,
            f"Corollary 5.7's noise at 16 steps spends epsilon {spent:.4g} at delta/2 where it promises 1, for a factor "
            f"{accelerated.missing_factor(16):.3g} of Lemma 5.6 is missing; T = c_DP n^(1/4) fits into n records from n = "
            f"{accelerate.speaks_from(setting)} on",
        ),
        settings={"figure": "constants", "fidelity": fidelity, "seed": seed},
    )
