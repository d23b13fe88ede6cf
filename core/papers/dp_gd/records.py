"""Figures 2 and 8: what privacy adds to the error falls like 1/n, what sampling leaves like 1/sqrt(n)."""

from collections.abc import Iterator

import numpy as np

from core.learners.summary import bands
from core.papers.dp_gd import runs
from core.papers.dp_gd.runs import PAPER, SOURCE
from core.papers.registry import register, verdict
from core.results import Curve, Result

LEARNING_RATE = 0.5
"""With 1/4, ten steps leave 5.6% of the way to least squares: a floor that hides the law."""
LARGE_RHO = 0.15
SIZES = {
    "quick": {10: (1000, 2000, 4000, 8000, 16_000, 32_000), 100: (8000, 16_000, 32_000)},
    "full": {10: (1000, 2000, 4000, 8000, 16_000, 32_000, 64_000), 100: (8000, 16_000, 32_000, 64_000)},
}
TRIALS = {"quick": {10: 40, 100: 3}, "full": {10: 100, 100: 20}}
_OPEN = "The step size, the range of n, and in Figure 2 the larger rho."
_CHOSEN = f"Ten steps at learning rate {LEARNING_RATE:g}: with the 1/4 of the theorems they end 5.6% short of least squares, which hides the law 1/n."
_LABELS = (
    ("privacy: DP-GD to least squares", "independent"),
    ("sampling: least squares to the truth", "none"),
    ("both: DP-GD to the truth", "both"),
)


@register(
    PAPER,
    "Figure 2",
    left_open=_OPEN,
    chosen=f"{_CHOSEN} rho = {LARGE_RHO:g}, ten times the usual.",
    quick="6 sizes up to 32,000 records, 40 data sets each: seconds.",
    full="7 sizes up to 64,000 records, 100 data sets each: a minute.",
)
def figure2(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """With more records the error that privacy adds falls faster than the error of sampling: privacy comes for free."""
    yield from _panel("figure2", "Figure 2", 10, LARGE_RHO, fidelity, seed)


@register(
    PAPER,
    "Figure 8a",
    left_open=_OPEN,
    chosen=_CHOSEN,
    quick="6 sizes up to 32,000 records, 40 data sets each: seconds.",
    full="7 sizes up to 64,000 records, 100 data sets each: a minute.",
)
def figure8a(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """Figure 2 at the usual budget: more records are needed before privacy comes for free."""
    yield from _panel("figure8a", "Figure 8 (a)", 10, runs.RHO, fidelity, seed)


@register(
    PAPER,
    "Figure 8b",
    left_open=_OPEN,
    chosen=_CHOSEN,
    quick="3 sizes up to 32,000 records, 3 data sets each: seconds.",
    full="4 sizes up to 64,000 records, 20 data sets each: minutes.",
)
def figure8b(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """The same with 100 features."""
    yield from _panel("figure8b", "Figure 8 (b)", 100, runs.RHO, fidelity, seed)


def _panel(figure: str, number: str, dim: int, rho: float, fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    sizes, trials = SIZES[fidelity][dim], TRIALS[fidelity][dim]
    errors: list[tuple[np.ndarray, ...]] = []
    for count, n_samples in enumerate(sizes, start=1):
        arm = runs.arm("DP-GD", dim, learning_rate=LEARNING_RATE)
        found = runs.simulate("isotropic", n_samples, dim, [arm], trials, seed, rho=rho)
        errors.append((found.to_hat[0], found.ols, found.to_star[0]))
        yield sum(sizes[:count]) / sum(sizes), Result(
            title=f"What privacy costs, {dim} features, rho = {rho:g}",
            curves=tuple(
                _curve(label, look, sizes[:count], [of[place] for of in errors]) for place, (label, look) in enumerate(_LABELS)
            ),
            x_name="n_samples",
            y_name="estimation_error",
            source=f"{SOURCE}, {number}",
            band=f"95% confidence interval (Student's t) of the mean over {trials} data sets",
            caption="Where the two lines cross, the noise added for privacy is no larger than what the records leave open anyway.",
            verdict=_verdict(sizes, errors) if count == len(sizes) else "",
            settings=runs.settings(
                figure, fidelity, seed, design="isotropic", trials=trials, n_samples=sizes, dim=dim, rho=rho, steps=runs.STEPS,
                learning_rate=LEARNING_RATE, clip_norm=f"{runs.CLIP_FACTOR:g} sqrt(dim)",
            ),
        )  # fmt: skip


def _curve(label: str, look: str, x: tuple[int, ...], values: list[np.ndarray]) -> Curve:
    return Curve(label, x, *bands(values), arm=look, discrete=True)


def _verdict(sizes: tuple[int, ...], errors: list[tuple[np.ndarray, ...]]) -> str:
    found = [runs.slope(sizes, [of[place] for of in errors]) for place in (0, 1)]
    (privacy, privacy_error), (sampling, sampling_error) = found
    matches = all(abs(slope - law) < 0.03 + 2 * error for (slope, error), law in zip(found, (-1.0, -0.5), strict=True))
    return verdict(
        matches,
        f"the error of privacy falls like n^({privacy:.3f} +- {privacy_error:.3f}), that of sampling like n^({sampling:.3f} +- "
        f"{sampling_error:.3f}); the paper says -1 and -1/2",
    )
