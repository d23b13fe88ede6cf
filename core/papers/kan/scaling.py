"""Population risk against the number of records and against width, at the same privacy."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.papers.kan import runs
from core.papers.kan.runs import BEST_GUESS, EFFORT, INDEPENDENT, PAPER, SOURCE, Effort, Gap, gap
from core.papers.registry import register, verdict
from core.results import Curve, Result

EPSILON = 1.0
RECORDS = {"quick": (6000, 12_000, 24_000), "full": (3000, 6000, 12_000, 24_000, 48_000)}
WIDTHS = {"quick": (4, 16, 64, 256), "full": (4, 16, 64, 256, 1024)}
_LABELS = ("lambda 0: DP-SGD", f"lambda {BEST_GUESS:g}", "no noise (not private)")
_LOOKS = ("independent", "lambda_cgd", "none")
_CHOSEN = "Epsilon 1, Poisson batches, a record joins two steps on average; learning rate 16, clip norm 0.5. Risk is the loss on held-out records."


@register(
    PAPER,
    "Corollary 5.3, records",
    left_open="Everything but the rate, 1/sqrt(n) + sqrt(d)/(n epsilon) up to logarithms and the margin.",
    chosen=f"{_CHOSEN} The batch grows with n, so that the noise multiplier stays. What privacy adds is the loss less that without noise.",
    quick="6,000 to 24,000 records drawn, 4 data sets each, width 64: seconds.",
    full="3,000 to 48,000 records drawn, 12 data sets each, width 64: minutes.",
)
def risk_n(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How the loss on new records falls with the number of records, and what privacy adds to it."""
    sizes = RECORDS[fidelity]
    base = _narrow(EFFORT[fidelity])
    efforts = [replace(base, records=size) for size in sizes]
    for fraction, losses in _losses(efforts, seed):
        x = [effort.n_samples for effort in efforts[: len(losses)]]
        yield fraction, Result(
            title="Loss on new records against the number of records, epsilon 1",
            curves=_curves(x, losses),
            x_name="n_samples",
            y_name="test_loss",
            source=f"{SOURCE}, Corollary 5.3",
            band=f"95% confidence interval (Student's t) of the mean of {base.seeds} data sets",
            caption="The horizontal axis is logarithmic. Data sets differ in their teacher, which makes the bars wide; the arms share them.",
            verdict=_rate_verdict(x, losses) if fraction == 1 else "",
            settings=runs.settings("risk_n", fidelity, seed, base) | {"records": sizes, "epsilon": EPSILON},
        )


@register(
    PAPER,
    "Theorem 4.1, width",
    left_open="Constants: the theorem asks for a width between polylog(n)/gamma^4 and a bound beyond which noise breaks it; for "
    "the margins gamma of real data the lower end alone is in the hundred thousands.",
    chosen=f"{_CHOSEN} Widths that can be trained, all far below the theorem's range.",
    quick="Width 4, 16, 64, 256, 4 data sets of 24,000 records: seconds.",
    full="Width 4 to 1024, 12 data sets of 24,000 records: many minutes.",
)
def risk_width(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """How the loss on new records depends on the width: a wider network learns more, and hears more noise."""
    widths = WIDTHS[fidelity]
    base = EFFORT[fidelity]
    for fraction, losses in _losses([replace(base, width=width) for width in widths], seed):
        x = list(widths[: len(losses)])
        yield fraction, Result(
            title="Loss on new records against width, epsilon 1",
            curves=_curves(x, losses),
            x_name="width",
            y_name="test_loss",
            source=f"{SOURCE}, Theorem 4.1 and Corollary 5.3",
            band=f"95% confidence interval (Student's t) of the mean of {base.seeds} data sets",
            caption="The same learning rate at every width. Noise enters every parameter, and there are 80 for each hidden unit.",
            verdict=_width_verdict(x, losses) if fraction == 1 else "",
            settings=runs.settings("risk_width", fidelity, seed, base) | {"widths": widths, "epsilon": EPSILON},
        )


def _narrow(effort: Effort) -> Effort:
    return replace(effort, width=min(effort.width, 64))


def _losses(efforts: list[Effort], seed: int) -> Iterator[tuple[float, list[np.ndarray]]]:
    """Test losses (data sets, 3 arms) of each effort in turn, and the share of the work done."""
    work = [effort.width * effort.batch_size * effort.steps for effort in efforts]
    done: list[np.ndarray] = []
    for index, effort in enumerate(efforts):
        noises = [runs.noise_multiplier(correlation, EPSILON, effort) for correlation in (INDEPENDENT, BEST_GUESS)]
        arms = [
            runs.arm(words, correlation, noise)
            for words, correlation, noise in zip(_LABELS, (INDEPENDENT, BEST_GUESS, 0.0), (*noises, 0.0), strict=True)
        ]
        *_, (_, scores) = runs.simulate(arms, effort, seed)
        done = [*done, scores.loss]
        yield sum(work[: index + 1]) / sum(work), done


def _curves(x: list[int], losses: list[np.ndarray]) -> tuple[Curve, ...]:
    curves = []
    for place, (words, look) in enumerate(zip(_LABELS, _LOOKS, strict=True)):
        mean = np.array([values[:, place].mean() for values in losses])
        half = np.array([Gap.of(values[:, place]).half() for values in losses])
        curves.append(Curve(words, x, mean, mean - half, mean + half, arm=look, discrete=True))
    return tuple(curves)


def _rate_verdict(x: list[int], losses: list[np.ndarray]) -> str:
    """Whether what privacy adds falls at least as fast as the bound's 1/n, by the slope of logarithms."""
    centred = np.log(x) - np.mean(np.log(x))
    weights = centred / (centred @ centred)
    findings, fast = [], []
    for place in (0, 1):
        added = [gap(values, place, 2) for values in losses]
        if min(one.mean for one in added) <= 0:
            findings.append(f"{_LABELS[place]}: privacy adds nothing that can be measured somewhere")
            fast.append(True)
            continue
        slope = float(weights @ np.log([one.mean for one in added]))
        error = float(np.linalg.norm([w * one.error / one.mean for w, one in zip(weights, added, strict=True)]))
        fast.append(slope - 2 * error <= -1)
        findings.append(f"{_LABELS[place]}: what privacy adds falls like n^({slope:.2f} +- {error:.2f})")
    return verdict(all(fast), f"{'; '.join(findings)}; the bound's private part is n^-1")


def _width_verdict(x: list[int], losses: list[np.ndarray]) -> str:
    """The theorem's upper limit on the width: does what privacy adds grow with width, on the same data sets?"""
    words = []
    for place, label in enumerate(_LABELS):
        means = [values[:, place].mean() for values in losses]
        best = int(np.argmin(means))
        words.append(f"{label}: least loss {means[best]:.4f} at width {x[best]}, {means[-1]:.4f} at {x[-1]}")
    added = [values[:, 0] - values[:, 2] for values in losses]
    growth = Gap.of(added[-1] - added[0])
    helped = ", ".join(f"{gap(values, 1, 0)} at {width}" for width, values in zip(x, losses, strict=True))
    return verdict(
        growth.exceeds(),
        f"what privacy adds to DP-SGD's loss is {added[0].mean():.4f} at width {x[0]} and {added[-1].mean():.4f} at {x[-1]}, a "
        f"change of {growth} ({'; '.join(words)}); loss of lambda {BEST_GUESS:g} less that of DP-SGD by width: {helped}",
    )
