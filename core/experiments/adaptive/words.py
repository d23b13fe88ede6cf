"""What an `Outcome` says, in sentences and in the numbers of a headline: from what was measured, however little it is."""

import math

from core.comparison import Told, spell_factor, tell
from core.experiments.adaptive.methods import DP_GD, EXACT, PRINTED, TUNED, correlated_label, method_labels
from core.experiments.adaptive.outcome import Outcome, median

START = 0.5
"""Excess risk before the first step: |theta_star|^2 / 2."""
FOLLOWS, IDLE = 0.5, 0.005
"""A clip norm that cuts more than the first share of the gradients in some step lies below them; less than the second in
every step, far above them; else it follows them."""


def headline(outcome: Outcome) -> dict[str, Told]:
    """The numbers that a viewer takes home, by key: the lead over the best fixed clip, the fall, and what printing costs."""
    own = outcome.setting.label_noise
    ends = [median_of(outcome, label, own) for label in (EXACT, TUNED)]
    drowned = ", both worse than no training" if None not in ends and min(ends) >= START else ""
    fixed = fall(outcome, TUNED)
    return {
        "lead": _told(outcome, (TUNED, own), (EXACT, own), "the best fixed clip", f"at label noise {own:g}{drowned}"),
        "fall": _told(
            outcome, (EXACT, 1.0), (EXACT, 0.01), "that at label noise 1",
            "where it is .01" + ("" if fixed is None else f" (fixed clip: {spelled(fixed)}x)"),
        ),
        "printed-cost": _told(outcome, (EXACT, own), (PRINTED, own), "exact accounting", f"as printed, at label noise {own:g}"),
    }


def cost_of_printing(outcome: Outcome) -> float | None:
    """Excess risk as printed over that with exact accounting, at the setting's label noise; None before it is known."""
    return _ratio(outcome, (PRINTED, outcome.setting.label_noise), (EXACT, outcome.setting.label_noise))


def lead(outcome: Outcome) -> float | None:
    """Excess risk of the best fixed clip over that of adaptive clipping, at the setting's label noise; None before it is known."""
    return _ratio(outcome, (TUNED, outcome.setting.label_noise), (EXACT, outcome.setting.label_noise))


def fall(outcome: Outcome, label: str = EXACT) -> float | None:
    """How many times the excess risk of a method falls from label noise 1 to .01; None before it is known."""
    return _ratio(outcome, (label, 1.0), (label, 0.01))


def verdict(outcome: Outcome) -> str:
    """Who is ahead, by how much, whether anything is learned at all, and what the printed version costs."""
    own = outcome.setting.label_noise
    said = [_drowned(outcome, own), *(_duel(outcome, noise) for noise in dict.fromkeys((own, 1.0, 0.01)))]
    falls = {label: fall(outcome, label) for label in (EXACT, TUNED, DP_GD)}
    if None not in falls.values() and median_of(outcome, EXACT, 0.01) < START:
        said.append(
            f"From label noise 1 to .01 the excess risk falls by a factor of {spelled(falls[EXACT])} with adaptive clipping, "
            f"{spelled(falls[TUNED])} with the best fixed clip of each, {spelled(falls[DP_GD])} with DP-GD."
        )
    correlated, plain = (median_of(outcome, label, 1.0) for label in (correlated_label(outcome.setting), EXACT))
    if correlated is not None and plain and plain < START:
        said.append(f"Correlated noise leaves {spelled(correlated / plain)} times the excess risk of independent noise at label noise 1.")
    if cost := cost_of_printing(outcome):
        times = spell_factor(max(cost, 1 / cost)).replace(">", "more than ")
        size = f"{times} times {'that of' if cost >= 1 else 'smaller than with'}"
        said.append(f"As printed, the excess risk is {size} exact accounting at label noise {own:g}.")
    return " ".join(words for words in said if words)


def follows(outcome: Outcome) -> str:
    """Whether the clip norm keeps up with the gradients at the setting's label noise, from the shares that it cuts."""
    trace = outcome.looked_into
    if trace is None:
        return ""
    first, last = (spelled(median(trace.thresholds[step])[0]) for step in (0, -1))
    moves = f"At label noise {outcome.setting.label_noise:g} it {f'stays at {last}' if first == last else f'goes from {first} to {last}'}"
    shares = trace.clipped.mean(axis=1)
    if shares.max() > FOLLOWS:
        return f"{moves} and does NOT follow the gradients: it cuts {shares.max():.0%} of them in its worst step, {shares[-1]:.0%} in the last."
    if shares.max() < IDLE:
        return f"{moves}, far above the gradients: it cuts {shares.max():.2%} of them at most, and its noise is as long as it is."
    return f"{moves} and follows the gradients: it cuts {shares.min():.0%} to {shares.max():.0%} of them in every step."


def median_of(outcome: Outcome, label: str, noise: float) -> float | None:
    """Median excess risk of a method at a label noise; None before it is known."""
    trace = outcome.traces.get((label, float(noise)))
    return None if trace is None else median(trace.excess)[0]


def spelled(value: float) -> str:
    """A number with two digits, thousands with commas."""
    return spell_factor(value) if 10 <= value < 1e6 else f"{value:.2g}"


def _duel(outcome: Outcome, noise: float) -> str:
    """Adaptive clipping against the tuned fixed clip; ahead is whose interval of the median lies below the other's."""
    traces = [outcome.traces.get((label, float(noise))) for label in (EXACT, TUNED)]
    if None in traces:
        return ""
    ours, theirs = (median(trace.excess) for trace in traces)
    where, low, high = f"At label noise {noise:g}", *sorted((ours[0], theirs[0]))
    if low >= START:
        return f"{where} both end worse than not training ({START:g}): adaptive at {spelled(ours[0])}, the fixed clip at {spelled(theirs[0])}."
    useless = f", which is worse than not training ({START:g})" if high >= START else ""
    if _apart(outcome, (EXACT, float(noise)), (TUNED, float(noise))):
        winner = "adaptive" if ours[0] < theirs[0] else "the fixed clip"
        return f"{where} {winner} wins: {spelled(low)} against {spelled(high)}{useless}."
    return f"{where} neither is clearly ahead: adaptive has {spelled(ours[0])}, the fixed clip {spelled(theirs[0])}."


def _drowned(outcome: Outcome, noise: float) -> str:
    ends = {label: median_of(outcome, label, noise) for label in method_labels(outcome.setting)}
    if None in ends.values() or min(ends.values()) < START:
        return ""
    best = min(ends, key=ends.get)
    return (
        f"**Nothing is learned at label noise {noise:g}: not training at all is better.** The start has {START:g}, and the best "
        f"of the trained methods ({best}) ends at {spelled(ends[best])}."
    )


def _ratio(outcome: Outcome, above: tuple[str, float], below: tuple[str, float]) -> float | None:
    numerator, denominator = (median_of(outcome, *key) for key in (above, below))
    if numerator is None or denominator is None:
        return None
    return numerator / denominator if denominator else math.inf


def _told(outcome: Outcome, above: tuple[str, float], below: tuple[str, float], than: str, where: str) -> Told:
    return tell(_ratio(outcome, above, below), than, where, _apart(outcome, above, below))


def _apart(outcome: Outcome, one: tuple[str, float], other: tuple[str, float]) -> bool:
    """Whether the confidence intervals of two medians, where both are known, have nothing in common."""
    if one not in outcome.traces or other not in outcome.traces:
        return False
    (_, low, high), (_, other_low, other_high) = (median(outcome.traces[key].excess) for key in (one, other))
    return high < other_low or other_high < low
