"""Colours and strokes: one colour, one dash and one marker an arm, everywhere.

The colours are those of Okabe and Ito's colour-blind-safe set that are legible on white and on black, and more of middle
lightness for the rarer arms, which are told apart by dash and marker first.
"""

from dataclasses import dataclass

VERMILLION, BLUE, GREEN, PURPLE, SKY, ORANGE = "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
BROWN, INDIGO, GREY = "#8B5A2B", "#6A6AD8", "#7F7F7F"
TEAL, RUST, OLIVE, PLUM, SLATE = "#1B9393", "#A8482F", "#85850A", "#A0418F", "#5C7C99"
GOLD, ROSE, MOSS, NAVY = "#B07F10", "#D4526E", "#4F8A3A", "#4C66B0"


@dataclass(frozen=True)
class Stroke:
    """How an arm is drawn: a colour, a dash and a marker, so that no two arms differ by colour alone."""

    colour: str
    dash: str
    marker: str


STROKES = {
    "independent": Stroke(VERMILLION, "dash", "square"),
    "lambda_cgd": Stroke(GREEN, "dashdot", "diamond"),
    "nu_ftrl": Stroke(BLUE, "solid", "circle"),
    "anti_pgd": Stroke(SKY, "longdash", "triangle-up"),
    "optimal_counting": Stroke(ORANGE, "longdashdot", "triangle-down"),
    "optimal_for": Stroke(PURPLE, "dot", "star"),
    "toeplitz": Stroke(BROWN, "12px,2px", "cross"),
    "dense": Stroke(INDIGO, "2px,6px", "hexagon"),
    "binary_tree": Stroke(RUST, "9px,3px,2px,3px,2px,3px", "triangle-left"),
    "honaker": Stroke(GOLD, "6px,4px", "triangle-right"),
    "full_honaker": Stroke(OLIVE, "16px,3px,5px,3px", "pentagon"),
    "fft": Stroke(ROSE, "3px,2px", "star-square"),
    "banded_root": Stroke(TEAL, "20px,4px", "bowtie"),
    "banded_inverse_root": Stroke(SLATE, "10px,6px,3px,6px", "hourglass"),
    "best_toeplitz": Stroke(MOSS, "4px,2px,1px,2px", "star-diamond"),
    "optimal_dense": Stroke(NAVY, "18px,2px,2px,2px,2px,2px", "diamond-tall"),
    "stamped": Stroke(PLUM, "7px,2px,3px,2px", "octagon"),
    "none": Stroke(GREY, "5px,2px", "x"),
}
TARGETS = {
    "least_squares": Stroke(VERMILLION, "dash", "square"),
    "huber": Stroke(PURPLE, "dot", "star"),
    "truth": Stroke(GREEN, "dashdot", "diamond"),
}
"""What an estimate may be meant for: never on one chart with the arms above, whose colours they take."""
_CYCLE = (
    Stroke(BLUE, "solid", "circle"),
    Stroke(VERMILLION, "dash", "square"),
    Stroke(GREEN, "dashdot", "diamond"),
    Stroke(PURPLE, "longdash", "triangle-up"),
    Stroke(SKY, "longdashdot", "triangle-down"),
    Stroke(ORANGE, "dot", "star"),
    Stroke(TEAL, "20px,4px", "bowtie"),
    Stroke(PLUM, "7px,2px,3px,2px", "octagon"),
    Stroke(OLIVE, "16px,3px,5px,3px", "pentagon"),
)


def strokes(arms: list[str]) -> list[Stroke]:
    """The stroke of each curve: fixed for an arm of the glossary and a target, the next of a cycle for any other.

    Guarantees: a known arm always looks the same; curves of one unknown arm look alike within a chart; different unknown
    arms, and curves without an arm (""), differ from each other, nine at a time, and take the colours that no known arm
    of the same chart has first.
    """
    known = STROKES | TARGETS
    taken = {known[arm].colour for arm in arms if arm in known}
    free = [stroke for stroke in _CYCLE if stroke.colour not in taken] or list(_CYCLE)
    unknown = 0
    given = dict(known)
    chosen = []
    for arm in arms:
        if arm in given:
            chosen.append(given[arm])
        else:
            chosen.append(free[unknown % len(free)])
            unknown += 1
            if arm:
                given[arm] = chosen[-1]
    return chosen
