"""The registry: one `Entry` a figure or table of a paper, that computes it while it is watched."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from core.check import choice, require, whole
from core.names import PAPERS
from core.results import Result, Table

FIDELITIES = ("quick", "full")
_SHOWN = ("__name__", "__qualname__", "__module__", "__doc__")


class Progress(NamedTuple):
    """How far a computation is, and all that it can show so far."""

    fraction: float
    result: Result | Table


@dataclass(frozen=True, eq=False)
class Entry:
    """One figure or table of a paper: what it is in words, and the function that computes it.

    `paper` is a key of `core.names.PAPERS`; `number` is the paper's own ("Figure 2, left"). `shows` is one sentence for
    somebody who has not read the paper. `left_open` is what the paper does not say, `chosen` what we do there. `quick`
    and `full` describe the two fidelities. `compute(fidelity, seed)` yields `(fraction, Result or Table)` as points
    arrive, ending with fraction 1 and the whole.

    Guarantees: the same fidelity and seed give the same result; the last partial result is the one that a call returns.
    Raises: ValueError for an empty text, an unknown paper or fidelity, or a seed that is not a whole number >= 0.
    """

    paper: str
    number: str
    shows: str
    left_open: str
    chosen: str
    quick: str
    full: str
    compute: Callable[[str, int], Iterator[tuple[float, Result | Table]]]

    def __post_init__(self) -> None:
        choice("paper", self.paper, tuple(PAPERS))
        for text in ("number", "shows", "left_open", "chosen", "quick", "full"):
            require(bool(getattr(self, text).strip()), text, getattr(self, text), "some words")
        # An entry names and shows itself as its function: `inspect.getsource(entry)` is the function's source.
        vars(self).update({key: getattr(self.compute, key) for key in _SHOWN}, __wrapped__=self.compute)

    @property
    def name(self) -> str:
        """Name of the function, by which the entry is called: `figure2_dim`."""
        return self.compute.__name__

    def stream(self, fidelity: str = "quick", seed: int = 0) -> Iterator[Progress]:
        """Partial results as points arrive, each with the fraction of the work done; the last one is whole."""
        choice("fidelity", fidelity, FIDELITIES)
        whole("seed", seed)
        return (Progress(*partial) for partial in self.compute(fidelity, seed))

    def __call__(self, fidelity: str = "quick", seed: int = 0) -> Result | Table:
        """The whole figure or table."""
        *_, last = self.stream(fidelity, seed)
        return last.result


_ENTRIES: dict[tuple[str, str], Entry] = {}


def register(
    paper: str, number: str, *, left_open: str, chosen: str, quick: str, full: str
) -> Callable[[Callable], Entry]:
    """Decorator that turns `compute(fidelity, seed)` into an `Entry` of the registry, under the function's name.

    What the entry shows is the function's docstring.

    Raises: ValueError for texts that an `Entry` refuses, or a name that the paper already has.
    """

    def decorate(compute: Callable[[str, int], Iterator[tuple[float, Result | Table]]]) -> Entry:
        shows = " ".join((compute.__doc__ or "").split())
        entry = Entry(paper, number, shows, left_open, chosen, quick, full, compute)
        require((paper, entry.name) not in _ENTRIES, "name", entry.name, f"a name that {paper} does not have yet")
        _ENTRIES[paper, entry.name] = entry
        return entry

    return decorate


def verdict(matches: bool, finding: str) -> str:
    """The sentence that a figure ends in: whether it matches the paper, and the numbers that say so."""
    return f"{'Matches' if matches else 'Does not match'} the paper: {finding}."


def entries(paper: str | None = None) -> tuple[Entry, ...]:
    """All entries, paper by paper in the order of their writing, or those of one paper. Raises: ValueError for a paper without any."""
    if paper is not None:
        choice("paper", paper, tuple(key for key in PAPERS if any(key == known for known, _ in _ENTRIES)))
    ordered = sorted(_ENTRIES.items(), key=lambda item: tuple(PAPERS).index(item[0][0]))  # within a paper as written
    return tuple(entry for (key, _), entry in ordered if paper in (None, key))


def find(paper: str, name: str) -> Entry:
    """The entry of this name. Raises: ValueError naming the papers, or the paper's figures, that there are."""
    choice("figure", name, tuple(entry.name for entry in entries(paper)))
    return _ENTRIES[paper, name]
