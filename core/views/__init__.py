"""Every page of the workbench as a notebook: the same functions, the same settings, and a check of the headline.

`python -m core.views` writes those that ship. One module a page, or a group of pages that share their setting.
"""

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from core import notebook, papers
from core.check import choice
from core.views import accelerate, adaptive, intervals, kan, mechanisms, workbench
from core.views.view import View

__all__ = ["ADDRESS", "VIEWS", "View", "all_notebooks", "notebook_of"]

ADDRESS = "http://127.0.0.1:8501/"
VIEWS: dict[str, View] = workbench.VIEWS | mechanisms.VIEWS | kan.VIEWS | adaptive.VIEWS | accelerate.VIEWS | intervals.VIEWS


def notebook_of(page: str, setting: Any, permalink: str, **choices: bool | str | float) -> bytes:
    """The .ipynb of a page at a setting, which can be found again at `permalink`.

    `choices` of the page go before defaults; where a page shows the viewer's own data they hold its headline, too.

    Guarantees: it needs `core` alone, shows the page's headline figure, and its last cell asserts the headline.
    Raises: ValueError for a page that there is not.
    """
    view = VIEWS[choice("page", page, tuple(VIEWS))]
    headline = {name: float(f"{value:.9g}") for name, value in view.headline(setting).items()}  # alike on every machine
    return notebook.build(view.title, asdict(setting) | view.choices | headline | choices, permalink, view.setting + view.body)


def all_notebooks() -> dict[str, bytes]:
    """The notebook of every page at its example setting, by page."""
    examples = {page: view.example() for page, view in VIEWS.items()}
    pages = {page: notebook_of(page, setting, _address(page, setting)) for page, setting in examples.items()}
    entry = papers.correlated_noise.figure1
    return pages | {"papers": notebook.of_entry(entry, entry(), "quick", 0, ADDRESS + "papers")}


def _address(page: str, setting: Any) -> str:
    query = urlencode(setting.changes())
    return ADDRESS + ("" if page == "playground" else page) + (f"?{query}" if query else "")
