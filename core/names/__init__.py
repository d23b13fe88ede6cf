"""The glossary: one name a concept, with its symbol, words, unit, axis scale and the letter that each paper uses.

The Guide page renders `GLOSSARY` and `PAPERS` as they stand; figures take axis titles from them; sliders take the words
for their two ends. One module a theme holds the entries.
"""

from core.check import require
from core.names import accelerated, adaptive, comparing, intervals, kan, noise, privacy, training
from core.names.arms import ARMS
from core.names.entry import PAPERS, Name, Paper

__all__ = ["ARMS", "GLOSSARY", "PAPERS", "Name", "Paper", "name"]

_THEMES = (noise, comparing, training, kan, privacy, intervals, adaptive, accelerated)
GLOSSARY = {entry.key: entry for theme in _THEMES for entry in theme.NAMES}
require(len(GLOSSARY) == sum(len(theme.NAMES) for theme in _THEMES), "GLOSSARY", len(GLOSSARY), "one entry a key")


def name(key: str) -> Name:
    """The glossary entry. Raises: ValueError for a name that the glossary lacks."""
    require(key in GLOSSARY, "name", key, "a name in core.names.GLOSSARY")
    return GLOSSARY[key]
