"""What a page is as a notebook."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class View:
    """A page as a notebook: `body` is percent-format source, `headline` gives the numbers that its last cell asserts.

    `setting`: the cell that makes the setting. `example`: the setting of the notebook that ships. `choices`: what a page
    lets choose beyond the setting, with its defaults. Whatever brings torch is imported in the functions.
    """

    title: str
    body: str
    headline: Callable[[Any], dict[str, float]]
    setting: str
    example: Callable[[], Any]
    choices: dict[str, bool | str] = field(default_factory=dict)
