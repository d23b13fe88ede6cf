"""The ledger of a run: what was spent on which records for what, and what that comes to for the worst-off record."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from core.check import require


@dataclass(frozen=True)
class Spending:
    """One private release, or one search of several, that looks at the `records` (places in the shuffled pass).

    `purpose`: "threshold" or "gradient". `releases`: how many Gaussian releases it makes. `rho` is what each of its
    records is charged, replacement adjacency, infinite where no noise is added.
    """

    arm: str
    step: int
    purpose: str
    records: range
    releases: int
    rho: float


def spent(ledger: Iterable[Spending], arm: str | None = None) -> float:
    """rho of everything in the ledger (of one arm): the largest sum over the entries that one record is in.

    Entries on disjoint records compose in parallel (the maximum), entries on one record add up; Gaussian releases add
    up exactly, so that the whole is sqrt(2 rho)-GDP.

    Guarantees: permuting the entries changes nothing; an entry for everybody adds its rho to that of the rest.
    Raises: ValueError for a ledger of several arms when none is named, and for an arm that is not in it.
    """
    ledger = tuple(ledger)
    arms = sorted({entry.arm for entry in ledger})
    require(len(arms) <= 1 if arm is None else arm in arms, "arm", arm, f"one of {arms}")
    entries = [entry for entry in ledger if arm in (None, entry.arm)]
    edges = sorted({edge for entry in entries for edge in (entry.records.start, entry.records.stop)})
    return max((math.fsum(entry.rho for entry in entries if place in entry.records) for place in edges), default=0.0)
