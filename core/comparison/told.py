"""How many times less or MORE error, as a headline has it: a short number, and words that say on which side it is."""

import math
from typing import NamedTuple


class Told(NamedTuple):
    """One comparison of a headline: its number, the words beside it, and where it was made."""

    number: str
    says: str
    where: str

    @property
    def short(self) -> str:
        """The number with its side, for a table."""
        side = self.says.split()[0]
        return f"{self.number} {side}" if side in ("less", "MORE") else self.number


def tell(gain: float | None, than: str, where: str, clear: bool = True) -> Told:
    """`gain` says how many times less error there is `than` elsewhere, None while it is not known; `clear` whether that is
    beyond chance.

    Guarantees: the number is at least 1 and `says` names the side; what is clearly worse LOSES.
    """
    if gain is None:
        return Told("...", f"at work: error against {than}", where)
    if math.isnan(gain):
        return Told("-", f"no answer against {than}: runs diverged", where)
    if 0.995 < gain < 1.005:
        return Told("1x", f"the same error as {than}", where)
    number = spell_factor(max(gain, 1 / gain if gain else math.inf))
    chance = "" if clear else ", within chance"
    side = f"less error than {than}{chance}" if gain > 1 else f"MORE error than {than}{chance or ': LOSES'}"
    return Told(f"{number}x", side, where)


def spell_factor(ratio: float) -> str:
    """A factor with two digits, three below 2; no more than that it is large from a million on."""
    if ratio >= 1e6:
        return ">1,000,000"
    return f"{ratio:.2f}" if ratio < 2 else f"{ratio:.2g}" if ratio < 10 else f"{float(f'{ratio:.2g}'):,.0f}"
