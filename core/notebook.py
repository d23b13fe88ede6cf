"""A view as a runnable notebook: parameters, permalink, code that needs `core` alone, and an assertion at the end."""

import ast
import json
from collections.abc import Mapping
from pathlib import Path

from core.check import require
from core.names import GLOSSARY, PAPERS
from core.papers import Entry
from core.results import Result, Table


def build(title: str, parameters: Mapping[str, object], permalink: str, body: str) -> bytes:
    """The .ipynb (nbformat 4.5, no outputs) of a view with these `parameters`, found again at `permalink`.

    `body` is source text in percent format: `# %%` starts a code cell, `# %% [markdown]` a text cell whose lines are
    comments. It may use every parameter by its name, and its last cell must assert the headline of the view.

    Guarantees: the same arguments give the same bytes; every code cell parses; the notebook asserts in its last cell.
    Raises: ValueError for a parameter that is no Python name or no plain value, a body with text before its first
        cell, and a last cell without an assertion; SyntaxError for a code cell that does not parse.
    """
    for name, value in parameters.items():
        require(name.isidentifier(), "parameter", name, "a Python name")
        require(_is_literal(value), name, value, "a plain number, text, truth value, None, or a list of them")
    assignments = "\n".join(f"{name} = {value!r}" for name, value in parameters.items())
    cells = [("markdown", _head(title, parameters, permalink)), ("code", assignments), *_cells(body)]
    trees = [ast.parse(source) for kind, source in cells if kind == "code"]
    asserts = cells[-1][0] == "code" and any(isinstance(node, ast.Assert) for node in ast.walk(trees[-1]))
    require(asserts, "body", cells[-1][1], "a last cell that asserts the headline")
    notebook = {
        "cells": [_cell(number, kind, source) for number, (kind, source) in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def of_entry(entry: Entry, result: Result | Table, fidelity: str, seed: int, permalink: str) -> bytes:
    """The notebook that computes a figure or table of a paper again, and asserts that it says what `result` said.

    Raises: ValueError for a `result` without a verdict, which leaves nothing to assert.
    """
    require(bool(result.verdict), "verdict", result.verdict, "some words to assert")
    title = f"{PAPERS[entry.paper].short}: {entry.number}"
    body = _ENTRY_BODY.format(entry=entry, arxiv=PAPERS[entry.paper].arxiv, verdict=result.verdict)
    return build(title, {"fidelity": fidelity, "seed": seed}, permalink, body)


def write_all(folder: Path, notebooks: Mapping[str, bytes]) -> tuple[Path, ...]:
    """Write each notebook to `folder/NAME.ipynb` and return the paths; the folder is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = tuple(folder / f"{name}.ipynb" for name in notebooks)
    for path, content in zip(paths, notebooks.values(), strict=True):
        path.write_bytes(content)
    return paths


_ENTRY_BODY = """\
# %% [markdown]
# {entry.shows}
#
# **Left open by the paper (arXiv:{arxiv}).** {entry.left_open}
#
# **Chosen here.** {entry.chosen}
# %%
from core.figures import chart
from core.papers import {entry.paper}

result = {entry.paper}.{entry.name}(fidelity=fidelity, seed=seed)
chart(result)
# %%
print(result.verdict)
# %%
assert result.verdict == {verdict!r}
"""


def _head(title: str, parameters: Mapping[str, object], permalink: str) -> str:
    lines = [f"# {title}", "", f"The same view in the workbench: <{permalink}>", ""]
    lines += ["| parameter | value | |", "|---|---|---|"]
    for name, value in parameters.items():
        lines.append(f"| `{name}` | `{value!r}` | {GLOSSARY[name].words if name in GLOSSARY else ''} |")
    return "\n".join([*lines, "", "Needs the package `core` of the workbench, and nothing else of it."])


def _cells(body: str) -> list[tuple[str, str]]:
    cells: list[tuple[str, list[str]]] = []
    for line in body.strip().splitlines():
        if line.startswith("# %%"):
            cells.append(("markdown" if line == "# %% [markdown]" else "code", []))
        else:
            require(bool(cells), "body", line, "a first line that starts a cell: # %% or # %% [markdown]")
            kind, lines = cells[-1]
            lines.append(line.removeprefix("#").removeprefix(" ") if kind == "markdown" else line)
    return [(kind, "\n".join(lines).strip()) for kind, lines in cells]


def _cell(number: int, kind: str, source: str) -> dict:
    cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell if kind == "markdown" else {**cell, "execution_count": None, "outputs": []}


def _is_literal(value: object) -> bool:
    try:
        return ast.literal_eval(repr(value)) == value
    except (ValueError, SyntaxError):
        return False
