"""What a formula behind a picture is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Formula:
    """One formula: `latex` without dollar signs, `words` in markdown, `source` with paper and equation."""

    latex: str
    words: str
    source: str
