"""Figure 2: how the error of linear regression grows with dimension, effective dimension and learning rate."""

from collections.abc import Iterator

from core.names import name
from core.papers.correlated_noise.panels import (
    ARMS,
    EFFORT,
    INFINITE_BATCH,
    PANELS,
    Runs,
    exact,
    exact_slope,
    simulate,
    simulated_slope,
    summary,
    xs,
)
from core.papers.registry import register, verdict
from core.results import Curve, Result, Table

PAPER, SOURCE = "correlated_noise", "arXiv 2310.06771"
SIDES = {"dim": "left", "effective_dim": "middle", "learning_rate": "right"}
PRINTED = {
    ("dim", "independent"): 1.00,
    ("effective_dim", "independent"): 0.18,
    ("effective_dim", "nu_ftrl"): 0.94,
    ("learning_rate", "independent"): 1.27,
    ("learning_rate", "nu_ftrl"): 2.03,
}
"""Slopes in the caption of Figure 2."""
TOLERANCE = 0.05
"""How near a slope must be to the printed one, which depends on a grid and on draws that the paper does not give."""
_LINES = [(panel, arm) for panel in PANELS for arm in ARMS]
_ABOUT = {
    "left_open": (
        "The grids, the batch size, the label noise, nu, the length of the runs, what is averaged, and the number of "
        "repetitions."
    ),
    "chosen": (
        "Batch size 1, no label noise, no clipping, nu = learning rate x least eigenvalue (Theorem 2.2); runs start at "
        "the optimum and are averaged over their last quarter; exact values, not the paper's bounds. Dimension 16 to "
        "128; spectra k^-1, k^-0.8, k^-0.6, k^-0.4; learning rates 0.01 to 0.2. A slope agrees when the exact one is "
        f"within {TOLERANCE} of the printed one and the simulated one within 4 standard errors of the exact."
    ),
    "quick": "8 runs a point, of 2/(learning rate x least eigenvalue) steps and at least 6400: seconds.",
    "full": "64 runs a point, of 4/(learning rate x least eigenvalue) steps and at least 6400: minutes.",
}


@register(
    PAPER,
    "Figure 2",
    **_ABOUT,
)
def figure2(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How fast the error grows with each of three knobs, for both noises, on one chart."""
    lines = [_growth(panel, arm) for panel, arm in _LINES]
    for fraction, runs in simulate(tuple(PANELS), fidelity, seed):
        yield fraction, Result(
            title="Linear regression: how fast the error grows",
            # Six lines first and their points in the same order after them, so that a chart pairs their colours.
            curves=(*lines, *(_measured_growth(panel, arm, runs) for panel, arm in _LINES)),
            x_name="knob_growth",
            y_name="error_growth",
            source=f"{SOURCE}, Figure 2",
            caption=(
                "Each line starts at the smallest value of its knob and is divided by its exact error there. Both axes "
                "are logarithmic: a steeper line is a worse dependence, its slope the number that the paper prints."
            ),
            band=_band_words(fidelity),
            verdict=_verdict(tuple(PANELS), runs),
            settings=_settings("figure2", fidelity, seed),
        )


@register(
    PAPER,
    "Figure 2, left",
    **_ABOUT,
)
def figure2_dim(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """Independent noise costs more with every parameter; correlated noise much less."""
    return _panel("dim", fidelity, seed)


@register(
    PAPER,
    "Figure 2, middle",
    **_ABOUT,
)
def figure2_effective_dim(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """Correlated noise costs by the number of directions that matter; independent noise costs the same for all."""
    return _panel("effective_dim", fidelity, seed)


@register(
    PAPER,
    "Figure 2, right",
    **_ABOUT,
)
def figure2_learning_rate(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """A smaller learning rate helps correlated noise much more than independent noise."""
    return _panel("learning_rate", fidelity, seed)


@register(
    PAPER,
    "Figure 2, slopes",
    **_ABOUT,
)
def figure2_slopes(fidelity: str, seed: int) -> Iterator[tuple[float, Table]]:
    """The slopes that the paper prints beside exact and simulated ones, and what they are made of."""
    for fraction, runs in simulate(tuple(PANELS), fidelity, seed):
        yield fraction, Table(
            title="Slopes of Figure 2",
            columns=("knob", "noise", "printed", "exact", "simulated", "standard error", "exact, infinite batch"),
            rows=tuple(_slopes(panel, arm, runs) for panel, arm in _LINES),
            source=f"{SOURCE}, Figure 2",
            caption=(
                "An infinite batch has exact gradients: privacy noise alone is left, with it the part of a slope that "
                "Theorem 2.2 speaks of. The rest comes from the randomness of single examples, which multiplies the "
                "error of both noises by 1/(1 - Gamma), Gamma growing with the learning rate and the trace of the "
                "Hessian: the two lines of a panel steepen by nearly the same."
            ),
            verdict=_verdict(tuple(PANELS), runs),
            settings=_settings("figure2_slopes", fidelity, seed),
        )


def _panel(panel: str, fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    lines = [Curve(f"{ARMS[arm]}, exact", xs(panel), exact(panel, arm), arm=arm, exact=True) for arm in ARMS]
    for fraction, runs in simulate((panel,), fidelity, seed):
        points = []
        for arm in ARMS:
            x, y, half = summary(panel, arm, runs[panel])
            points.append(Curve(f"{ARMS[arm]}, simulated", x, y, y - half, y + half, arm=arm, discrete=True))
        yield fraction, Result(
            title=f"Linear regression: stationary suboptimality against {name(panel).words}",
            curves=(*lines, *points),
            x_name=panel,
            y_name="asymptotic_excess_risk",
            source=f"{SOURCE}, Figure 2 ({SIDES[panel]})",
            caption="Both axes are logarithmic: the slope of a line is the power of the dependence.",
            band=_band_words(fidelity),
            verdict=_verdict((panel,), runs),
            settings=_settings(f"figure2_{panel}", fidelity, seed),
        )


def _growth(panel: str, arm: str) -> Curve:
    x, y = xs(panel), exact(panel, arm)
    first = x.argmin()
    return Curve(f"{name(panel).words}, {ARMS[arm]}", x / x[first], y / y[first], exact=True)


def _measured_growth(panel: str, arm: str, runs: Runs) -> Curve:
    x, y, half = summary(panel, arm, runs[panel])
    first = xs(panel).argmin()
    x, unit = x / xs(panel)[first], exact(panel, arm)[first]
    label = f"{name(panel).words}, {ARMS[arm]}, simulated"
    return Curve(label, x, y / unit, (y - half) / unit, (y + half) / unit, discrete=True)


def _slopes(panel: str, arm: str, runs: Runs) -> tuple:
    simulated = simulated_slope(panel, arm, runs[panel]) if _is_whole(panel, runs) else (None, None)
    numbers = (exact_slope(panel, arm), *simulated, exact_slope(panel, arm, INFINITE_BATCH))
    rounded = (None if number is None else round(number, 4) for number in numbers)
    return (name(panel).words, ARMS[arm], PRINTED.get((panel, arm)), *rounded)


def _verdict(panels: tuple[str, ...], runs: Runs) -> str:
    """Whether the printed slopes agree with the exact ones and these with the simulation; empty until all is there."""
    if not all(_is_whole(panel, runs) for panel in panels):
        return ""
    agree, findings = [], []
    for (panel, arm), printed in PRINTED.items():
        if panel in panels:
            slope = exact_slope(panel, arm)
            simulated, error = simulated_slope(panel, arm, runs[panel])
            agree.append(abs(slope - printed) <= TOLERANCE and abs(simulated - slope) <= 4 * error)
            measured = f"exact {slope:.3f}, simulated {simulated:.3f} +- {error:.3f}"
            findings.append(f"{ARMS[arm]} by {name(panel).words} printed {printed:.2f}, {measured}")
    return verdict(all(agree), f"{sum(agree)} of {len(agree)} slopes agree ({'; '.join(findings)})")


def _is_whole(panel: str, runs: Runs) -> bool:
    points = runs[panel]
    return len(points) == len(PANELS[panel]) and len(points[-1]) == len(points[0])


def _band_words(fidelity: str) -> str:
    return f"95% confidence interval (Student's t) of the mean of {EFFORT[fidelity].replicates} runs"


def _settings(figure: str, fidelity: str, seed: int) -> dict:
    effort = EFFORT[fidelity]
    return {
        "figure": figure, "fidelity": fidelity, "seed": seed,
        "replicates": effort.replicates, "relaxations": effort.relaxations,
        "batch_size": 1, "label_noise": 0.0, "clip_norm": 1.0, "rho": 1.0, "nu": "learning rate x least eigenvalue",
    }
