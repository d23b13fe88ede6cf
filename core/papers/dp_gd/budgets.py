"""What is not in the paper: a budget that grows over the steps, and why correlated noise cannot do the same."""

from collections.abc import Iterator

import numpy as np

from core import mechanisms
from core.learners.budget import Geometric, Uniform, last_iterate_variance, noise_multipliers
from core.learners.summary import bands
from core.papers.dp_gd import runs
from core.papers.dp_gd.runs import DIM, PAPER, SOURCE
from core.papers.registry import register, verdict
from core.results import Curve, Result

N_SAMPLES, STEPS = 10_000, (5, 8, 10, 14, 20, 28)
TRIALS = {"quick": 20, "full": 400}
_SCHEDULES = {"the same budget for every step": Uniform(), "a budget that grows": Geometric()}
_LOOKS = {"the same budget for every step": "independent", "a budget that grows": "geometric"}


@register(
    PAPER,
    "Algorithm 1, line 4",
    left_open="The paper gives every step the same share of rho.",
    chosen="rho_t proportional to (1 - learning rate)^(T-t), which is best for the last iterate where the Hessian is I; 10,000 records, "
    "rho = .015, learning rate 1/4; distance to least squares.",
    quick="6 lengths of run, 20 data sets: seconds.",
    full="6 lengths of run, 400 data sets: a minute.",
)
def budget_schedule(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """The last step's noise is felt whole, the first one's has faded: giving later steps more of the same rho lowers
    the error.
    """
    trials = TRIALS[fidelity]
    found: list[np.ndarray] = []
    for steps in STEPS:
        arms = [runs.arm(label, DIM, schedule=schedule) for label, schedule in _SCHEDULES.items()]
        found.append(runs.simulate("isotropic", N_SAMPLES, DIM, arms, trials, seed, steps).to_hat)
        x = STEPS[: len(found)]
        curves = []
        for place, label in enumerate(_SCHEDULES):
            curves.append(Curve(label, x, *bands(errors[place] for errors in found), arm=_LOOKS[label], discrete=True))
        yield sum(x) / sum(STEPS), Result(
            title="One rho, spent evenly or late",
            curves=tuple(curves),
            x_name="steps",
            y_name="estimation_error",
            source=f"{SOURCE}, Algorithm 1 with other noise",
            band=f"95% confidence interval (Student's t) of the mean over {trials} data sets",
            caption="Correlated noise cannot do this here. A record takes part in every step, so what counts is the largest change of C times "
            "a gradient that stays the same, and noise that cancels over steps must be larger by as much as it cancels. " + _correlated(),
            verdict=_verdict(found) if len(found) == len(STEPS) else "",
            settings=runs.settings(
                "budget_schedule", fidelity, seed, design="isotropic", trials=trials, n_samples=N_SAMPLES, dim=DIM, rho=runs.RHO, steps=STEPS,
                learning_rate=runs.LEARNING_RATE, clip_norm=f"{runs.CLIP_FACTOR:g} sqrt(dim)",
            ),
        )  # fmt: skip


def _correlated() -> str:
    """The same comparison at ten steps for square-root Toeplitz noise, exactly, in words."""
    steps, rate = 10, runs.LEARNING_RATE
    noise = mechanisms.optimal_counting()
    even, late = (last_iterate_variance(noise_multipliers(each, steps, 1.0, rate), rate) for each in _SCHEDULES.values())
    multiplier = runs.full_batch_multiplier(noise, steps, 1.0)
    correlated = last_iterate_variance(np.full(steps, multiplier), rate, noise.noising_matrix(steps))
    return (
        f"At ten steps the variance of the last iterate is {late / even:.2f} of the even one with a budget that grows, and "
        f"{correlated / even:.1f} times as large with the best noise for running sums, exactly."
    )


def _verdict(found: list[np.ndarray]) -> str:
    ratios = [errors[1].mean() / errors[0].mean() for errors in found]
    even, late = (found[STEPS.index(20)][place].mean() for place in (0, 1))
    return verdict(
        late >= even,
        f"the paper adds the same noise in every step, and at 20 steps a budget that grows brings the distance from {even:.3f} to {late:.3f} at "
        f"the same rho; over {STEPS[0]} to {STEPS[-1]} steps it is {min(ratios):.2f} to {max(ratios):.2f} of that with even noise",
    )
