"""The noise multiplier that each accountant asks for, against lambda. Nothing is trained here, and nothing is random."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core import amplification
from core.papers.kan.runs import DELTA, PAPER, SOURCE
from core.papers.registry import register, verdict
from core.results import Curve, Result

EPSILON = 1.0
TIGHT, SPECTRAL, CLOSED, COUNTED = "tight, certified", "spectral bound", "the paper's closed form", "without amplification"
GRIDS = {
    "quick": {"tight": (0.5,), "fast": (0.0, 0.25, 0.5, 0.75, 0.9)},
    "full": {"tight": (0.25, 0.5, 0.75, 0.9), "fast": tuple(round(0.05 * k, 2) for k in range(20))},
}
_ABOUT = {
    "left_open": "How lambda > 0 is amplified by subsampling: Theorem F.8 gives the pair of distributions, F.12 a closed form "
    "with generous constants, and both are for batches of a fixed size, for which F.8 is false.",
    "chosen": "Poisson batches, zero-out adjacency, (1, 1e-5). The spectral bound is |C| kappa(0); the tight accountant is a "
    "certified bound on the pair itself; without amplification counts how often a record joins. The closed form is "
    "shown where its conditions hold.",
    "quick": "The tight accountant at one lambda above 0: seconds.",
    "full": "The tight accountant at four: up to a minute the first time.",
}


@dataclass(frozen=True)
class Pattern:
    """How often a record joins: each of `steps` with probability `rate`."""

    rate: float
    steps: int


@register(
    PAPER,
    "Theorem F.12, many participations",
    **_ABOUT,
)
def kappa_accountants(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """What privacy charges for lambda when a record joins about forty steps, by four accountants."""
    return _accountants("kappa_accountants", Pattern(0.1, 400), fidelity, seed)


@register(
    PAPER,
    "Theorem F.12, few participations",
    **_ABOUT,
)
def kappa_few(fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    """The same when a record joins two steps on average: there the tight accountant charges far less for lambda."""
    return _accountants("kappa_few", Pattern(1 / 150, 300), fidelity, seed)


def _accountants(figure: str, pattern: Pattern, fidelity: str, seed: int) -> Iterator[tuple[float, Result]]:
    grids = GRIDS[fidelity]
    found: dict[str, dict[float, float]] = {TIGHT: {}, SPECTRAL: {}, CLOSED: {}, COUNTED: {}}
    refusals = []
    for correlation in grids["fast"]:
        found[SPECTRAL][correlation] = _ask(amplification.calibrate, pattern, correlation)
        found[COUNTED][correlation] = _ask(amplification.calibrate_without_amplification, pattern, correlation)
        try:
            found[CLOSED][correlation] = _ask(amplification.closed_form, pattern, correlation)
        except ValueError as error:
            refusals.append(f"At lambda {correlation:g} the closed form does not apply: {error}.")
    found[TIGHT][0.0] = found[SPECTRAL][0.0]  # both are the privacy loss distribution there
    for index, correlation in enumerate(grids["tight"]):
        found[TIGHT][correlation] = _ask(amplification.calibrate, pattern, correlation, method="tight")
        whole = index == len(grids["tight"]) - 1
        yield (index + 1) / len(grids["tight"]), Result(
            title=f"What each accountant charges, a record joining {pattern.rate * pattern.steps:.3g} times on average",
            curves=tuple(
                Curve(words, list(known), list(known.values()), exact=True, discrete=words == TIGHT)
                for words, known in found.items()
                if known
            ),
            x_name="correlation",
            y_name="noise_multiplier",
            source=f"{SOURCE}, Theorems F.8, F.12 and D.9",
            caption="Noise multiplier for (1, 1e-5). All are upper bounds: the lowest is the one to use. " + " ".join(refusals[:2]),
            verdict=_verdict(found, refusals) if whole else "",
            settings={
                "figure": figure, "fidelity": fidelity, "seed": seed, "epsilon": EPSILON, "delta": DELTA,
                "sampling_rate": pattern.rate, "steps": pattern.steps, "adjacency": "zero_out", "batches": "Poisson",
            },  # fmt: skip
        )


def _ask(accountant: Callable[..., float], pattern: Pattern, correlation: float, **options: str) -> float:
    return accountant(correlation, pattern.rate, pattern.steps, EPSILON, DELTA, **options)


def _verdict(found: dict[str, dict[float, float]], refusals: list[str]) -> str:
    """The paper offers the closed form as what amplification gives: is it below what needs no amplification at all?"""
    largest = max(correlation for correlation in found[TIGHT])
    tight, spectral = found[TIGHT][largest], found[SPECTRAL].get(largest)
    sharper = f"at lambda {largest:g} the tight accountant asks for {tight:.3g}"
    sharper += f", the spectral bound for {spectral:.3g}" if spectral else ""
    compared = {correlation: kappa / found[COUNTED][correlation] for correlation, kappa in found[CLOSED].items() if correlation}
    if not compared:
        return verdict(False, f"the closed form applies at no lambda > 0 here; {sharper}")
    least = min(compared.values())
    return verdict(
        least < 1,
        f"for lambda > 0 the closed form asks for at least {least:.2f} times the noise that counting participations asks "
        f"for without any amplification; {sharper}",
    )
