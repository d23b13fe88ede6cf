"""What an `Outcome` says, in sentences and in the numbers of a headline: from what was measured, however little it is."""

import math
from typing import NamedTuple

from core.experiments.adaptive.methods import DP_GD, EXACT, PRINTED, TUNED, correlated_label, method_labels
from core.experiments.adaptive.outcome import Outcome, median

START = 0.5
"""Excess risk before the first step: |theta_star|^2 / 2."""
FOLLOWS, IDLE = 0.5, 0.005
"""A clip norm that cuts more than the first share of the gradients in some step lies below them; less than the second in
every step, far above them; else it follows them."""


class Told(NamedTuple):
    """One number of the headline: how many times less or MORE error, than what, and where."""

    number: str
    says: str
    where: str


def headline(outcome: Outcome) -> dict[str, Told]:
    """The numbers that a viewer takes home, by key: the lead over the best fixed clip, the fall, and what printing costs."""
    noise = f"{outcome.setting.label_noise:g}"
    drowned = all((value := median_of(outcome, each, outcome.setting.label_noise)) is not None and value >= START for each in (EXACT, TUNED))
    return {
        "lead": _told(lead(outcome), "than the best fixed clip", "LOSES", f"at label noise {noise}" + (", both worse than no training" if drowned else "")),
        "fall": _told(fall(outcome), "at label noise .01", "", f"than at 1{_compared(fall(outcome, TUNED))}"),
        "printed-cost": _told(_inverse(cost_of_printing(outcome)), "as printed", "", f"than exactly, at label noise {noise}"),
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
            f"From label noise 1 to .01 the excess risk falls by a factor of {factor(falls[EXACT])} with adaptive clipping, "
            f"{factor(falls[TUNED])} with the best fixed clip of each, {factor(falls[DP_GD])} with DP-GD."
        )
    correlated, plain = (median_of(outcome, label, 1.0) for label in (correlated_label(outcome.setting), EXACT))
    if correlated is not None and plain and plain < START:
        said.append(f"Correlated noise leaves {correlated / plain:.2f} times the excess risk of independent noise at label noise 1.")
    if (cost := cost_of_printing(outcome)) is not None:
        more, less = f"{factor(cost)} times that of", f"{factor(_inverse(cost))} times smaller than with"
        said.append(f"As printed, the excess risk is {less if cost < 1 else more} exact accounting at label noise {own:g}.")
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


def factor(ratio: float) -> str:
    """A ratio of at least 1 with two digits, in words from a million on."""
    return "over 1,000,000" if ratio >= 1e6 else spelled(ratio)


def spelled(value: float) -> str:
    """A number with two digits, thousands with commas."""
    return f"{float(f'{value:.2g}'):,.0f}" if 10 <= value < 1e6 else f"{value:.2g}"


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
    if ours[2] < theirs[1] or theirs[2] < ours[1]:
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


def _inverse(ratio: float | None) -> float | None:
    return None if ratio is None else 1 / ratio if ratio else math.inf


def _told(gain: float | None, than: str, loses: str, where: str) -> Told:
    """`gain`: how many times less error; None while it is not known."""
    if gain is None:
        return Told("...", f"error {than}", where)
    if math.isnan(gain):
        return Told("-", f"no answer {than}: all runs ran away", where)
    if gain >= 1:
        return Told(f"{factor(gain)}x less", f"error {than}", where)
    return Told(f"{factor(1 / gain) if gain else factor(math.inf)}x MORE", f"error {than}{': ' * bool(loses)}{loses}", where)


def _compared(ratio: float | None) -> str:
    return "" if ratio is None else f" (fixed clip: {factor(ratio)}x)"
