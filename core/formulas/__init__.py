"""The formulas behind the pictures: LaTeX, what it says in words, and the paper and equation it comes from.

One module a theme; a key names one formula on all pages.
"""

from core.check import require
from core.formulas import accelerated, adaptive, comparing, intervals, kan, workbench
from core.formulas.formula import Formula

__all__ = ["FORMULAS", "Formula"]

_THEMES = (workbench, comparing, kan, adaptive, intervals, accelerated)
FORMULAS: dict[str, Formula] = {}
for _theme in _THEMES:
    require(not FORMULAS.keys() & _theme.FORMULAS.keys(), "formula", sorted(_theme.FORMULAS), "keys that no other theme has")
    FORMULAS |= _theme.FORMULAS
