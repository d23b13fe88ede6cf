"""Figures 3, 4 and 7: how much is clipped at which clip norm, and what that costs or saves."""

from collections.abc import Iterator

import numpy as np

from core.learners.summary import band
from core.papers.dp_gd import runs
from core.papers.dp_gd.runs import DIM, PAPER, SOURCE
from core.papers.registry import register, verdict
from core.problems.designs import DESIGNS
from core.results import Curve, Result

N_SAMPLES = 1000
SHARE_FACTORS = (0.5, 1.0, 2.0, 3.0, 5.0)
FACTORS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0)
MARKED = (0.25, 0.5, 1.0, 1.5, 3.0)
TOTAL_STEPS = (5, 10, 20, 40)
SHARE_TRIALS = {"quick": {10: 40, 20: 20, 50: 10, 100: 4}, "full": {10: 200, 20: 200, 50: 100, 100: 50}}
DATA_SETS, CHAINS = {"quick": 10, "full": 50}, {"quick": 80, "full": 200}
ERROR_TRIALS = {"quick": 20, "full": 400}
_BAND = "95% confidence interval (Student's t) of the mean over data sets"


@register(
    PAPER,
    "Figure 3",
    left_open="n, rho, the number of steps and the step size, and over which steps the share is taken.",
    chosen="100 records for each feature, rho = .015, the share over all ten steps at learning rate 1/4.",
    quick="10 to 100 features, 40 data sets down to 4: seconds.",
    full="10 to 100 features, 200 data sets down to 50: a minute.",
)
def figure3(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """Which share of the gradients is clipped, by clip norm and number of features: in units of sqrt(p) the number
    hardly matters.
    """
    plan = SHARE_TRIALS[fidelity]
    shares: list[np.ndarray] = []  # (factors, trials) for each number of features
    for dim, trials in plan.items():
        arms = [runs.arm(f"{factor:g}", dim, factor) for factor in SHARE_FACTORS]
        shares.append(runs.simulate("isotropic", 100 * dim, dim, arms, trials, seed).share_clipped)
        curves = []
        for dim_so_far, found in zip(plan, shares, strict=False):
            curves.append(Curve(f"{dim_so_far} features", SHARE_FACTORS, *band(found), discrete=True))
        yield len(shares) / len(plan), Result(
            title="Share of the gradients that is clipped",
            curves=tuple(curves),
            x_name="clip_factor",
            y_name="share_clipped",
            source=f"{SOURCE}, Figure 3",
            band=_BAND,
            caption="Gradients are long as sqrt(p) times the residual; a clip norm of a few times sqrt(p) hardly touches them.",
            verdict=_share_verdict(plan, shares) if len(shares) == len(plan) else "",
            settings=runs.settings(
                "figure3", fidelity, seed, design="isotropic", trials=plan, n_samples="100 dim", rho=runs.RHO, steps=runs.STEPS,
                learning_rate=runs.LEARNING_RATE, clip_factors=SHARE_FACTORS,
            ),
        )  # fmt: skip


@register(
    PAPER,
    "Figure 4",
    left_open="n, the number of steps, the step size, and to what bias and error are measured.",
    chosen=f"n = {N_SAMPLES}, ten steps at learning rate 1/4; all to the least-squares fit of the same records.",
    quick="12 clip norms, 10 data sets, 80 runs on each: seconds.",
    full="12 clip norms, 50 data sets, 200 runs on each: a minute.",
)
def figure4(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """A smaller clip norm needs less noise and adds bias: the error is U-shaped, and least where a fifth is clipped."""
    from core.learners.dp_gd import DpGdConfig, dp_gd
    from core.problems.finite import LeastSquares

    data_sets, chains = DATA_SETS[fidelity], CHAINS[fidelity]
    records = DESIGNS["isotropic"][1](N_SAMPLES, DIM, data_sets, seed=seed)
    arms = [runs.arm(f"{factor:g}", DIM, factor) for factor in FACTORS]
    config = DpGdConfig(
        runs.STEPS, runs.RHO, data_sets * chains, seed=seed, record_every=runs.STEPS, adjacency=runs.ADJACENCY
    )
    *_, last = dp_gd(LeastSquares(records), arms, config)
    off = last.theta[:, :, 0].cpu().numpy().reshape(len(FACTORS), data_sets, chains, DIM) - records.theta_hat[:, None]
    squared = np.square(off).sum(axis=-1).mean(axis=2)  # (factors, data sets)
    variance = off.var(axis=2, ddof=1).sum(axis=-1)
    parts = {"squared error": squared, "squared bias": squared - variance, "variance": variance}  # the difference is unbiased
    share = last.measures["share_clipped"].mean(axis=1)
    yield 1.0, Result(
        title=f"Bias and variance by clip norm, {N_SAMPLES} records",
        curves=tuple(Curve(label, FACTORS, *band(values), arm=label, discrete=True) for label, values in parts.items()),
        x_name="clip_factor",
        y_name="squared_error",
        source=f"{SOURCE}, Figure 4",
        band=_BAND,
        caption="Squared distance to least squares, split into the part that clipping and the unfinished descent add on average and the "
        "spread from run to run. The bias is too small to be told from zero where hardly anything is clipped.",
        verdict=_u_verdict(last.measures["error_to_theta_hat"].mean(axis=1), share),
        marks=tuple((factor, f"{share[FACTORS.index(factor)]:.0%} clipped") for factor in MARKED),
        settings=runs.settings(
            "figure4", fidelity, seed, design="isotropic", data_sets=data_sets, runs_on_each=chains, n_samples=N_SAMPLES, dim=DIM,
            rho=runs.RHO, steps=runs.STEPS, learning_rate=runs.LEARNING_RATE, clip_factors=FACTORS,
        ),
    )  # fmt: skip


@register(
    PAPER,
    "Figure 7",
    left_open="n, the numbers of steps, the step size, and to what the error is measured.",
    chosen=f"n = {N_SAMPLES}, {', '.join(map(str, TOTAL_STEPS))} steps at learning rate 1/4, one rho for all of them; error to least squares.",
    quick="12 clip norms, 4 lengths, 20 data sets: seconds.",
    full="12 clip norms, 4 lengths, 400 data sets: a minute.",
)
def figure7(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """The error against the share of gradients that is clipped, for runs of several lengths: half may be clipped at
    little cost.
    """
    arms = [runs.arm(f"{factor:g}", DIM, factor) for factor in FACTORS]
    found: list[runs.Trials] = []
    for steps in TOTAL_STEPS:
        found.append(runs.simulate("isotropic", N_SAMPLES, DIM, arms, ERROR_TRIALS[fidelity], seed, steps))
        curves = []
        for length, trials in zip(TOTAL_STEPS, found, strict=False):
            curves.append(Curve(f"{length} steps", trials.share_clipped.mean(axis=1), *band(trials.to_hat), discrete=True))
        yield len(found) / len(TOTAL_STEPS), Result(
            title=f"Error against the share clipped, {N_SAMPLES} records",
            curves=tuple(curves),
            x_name="share_clipped",
            y_name="estimation_error",
            source=f"{SOURCE}, Figure 7",
            band=_BAND,
            caption="Each line runs from a large clip norm (left: little clipping, much noise) to a small one (right: bias, and small steps "
            "that do not arrive).",
            verdict=_half_verdict(found) if len(found) == len(TOTAL_STEPS) else "",
            settings=runs.settings(
                "figure7", fidelity, seed, design="isotropic", trials=ERROR_TRIALS[fidelity], n_samples=N_SAMPLES, dim=DIM,
                rho=runs.RHO, steps=TOTAL_STEPS, learning_rate=runs.LEARNING_RATE, clip_factors=FACTORS,
            ),
        )  # fmt: skip


def _share_verdict(plan: dict[int, int], shares: list[np.ndarray]) -> str:
    """Few at large clip norms whatever p is: at gamma = 5 sqrt(p) at most 1%, and the shares of all p within .05."""
    means = np.array([found.mean(axis=1) for found in shares])
    spread = float(np.ptp(means, axis=0).max())
    listed = ", ".join(f"{value:.3f}" for value in means[0])
    return verdict(
        bool(means[:, -1].max() < 0.01) and spread < 0.05,
        f"at gamma/sqrt(p) = {', '.join(f'{factor:g}' for factor in SHARE_FACTORS)} and p = {next(iter(plan))} the share is {listed}; it "
        f"differs by at most {spread:.3f} between {' and '.join(map(str, (min(plan), max(plan))))} features",
    )


def _u_verdict(errors: np.ndarray, shares: np.ndarray) -> str:
    best = int(np.argmin(errors))
    inside = 0 < best < len(FACTORS) - 1
    return verdict(
        inside and shares[best] > 0.05,
        f"the distance to least squares is least, {errors[best]:.3f}, at gamma = {FACTORS[best]:g} sqrt(p), where {shares[best]:.0%} of the "
        f"gradients are clipped; at {FACTORS[-1]:g} sqrt(p), with {shares[-1]:.1%} clipped, it is {errors[-1]:.3f}. The paper says that the "
        "lowest error may occur under significant clipping",
    )


def _half_verdict(found: list[runs.Trials]) -> str:
    """From the paper's ten steps on, the error at half clipped is below that with hardly any; more steps tolerate more."""
    words, low, best_shares = [], [], []
    for steps, trials in zip(TOTAL_STEPS, found, strict=True):
        share, error = trials.share_clipped.mean(axis=1), trials.to_hat.mean(axis=1)
        at_half = float(np.interp(0.5, share[::-1], error[::-1]))
        best = int(np.argmin(error))
        low.append(at_half < error[-1] or steps < runs.STEPS)
        best_shares.append(share[best])
        words.append(f"{steps} steps: least error {error[best]:.2f} with {share[best]:.0%} clipped, {at_half:.2f} at half, {error[-1]:.2f} with hardly any")
    return verdict(
        all(low) and best_shares[-1] > best_shares[0],
        f"{'; '.join(words)}. The paper says that the error stays low up to half, and that longer runs tolerate more; it takes ten steps or "
        "more, because clipped steps are small ones",
    )
