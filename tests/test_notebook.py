import json
import math

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from core import notebook
from core.papers import correlated_noise
from core.papers.correlated_noise import figure1
from core.results import Table

LINK = "http://127.0.0.1:8501/?nu=0.05"
BODY = """\
# %% [markdown]
# ## How it works
#
# Twice $x$:
# %%
# a comment of the code
twice = 2 * x

print(twice)
# %%
assert twice == 6.5
"""


def _read(content: bytes):
    read = nbformat.reads(content.decode(), as_version=4)
    nbformat.validate(read)
    return read


def _run(content: bytes):
    read = _read(content)
    NotebookClient(read, timeout=120, kernel_name="python3").execute()
    return read


@pytest.fixture(autouse=True)
def kernel_finds_core(monkeypatch, request):
    monkeypatch.setenv("PYTHONPATH", str(request.config.rootpath))


def test_cells_are_head_parameters_and_body():
    read = _read(notebook.build("A view", {"nu": 0.05, "x": 3.25}, LINK, BODY))
    assert (read.nbformat, read.nbformat_minor) == (4, 5)
    assert [cell.cell_type for cell in read.cells] == ["markdown", "code", "markdown", "code", "code"]
    head = read.cells[0].source
    assert head.startswith("# A view\n") and f"<{LINK}>" in head
    assert "| `nu` | `0.05` | nu of nu-FTRL |" in head and "| `x` | `3.25` |  |" in head
    assert read.cells[1].source == "nu = 0.05\nx = 3.25"
    assert read.cells[2].source == "## How it works\n\nTwice $x$:"
    assert read.cells[3].source == "# a comment of the code\ntwice = 2 * x\n\nprint(twice)"
    assert all(cell.outputs == [] and cell.execution_count is None for cell in read.cells if cell.cell_type == "code")


def test_the_same_view_gives_the_same_bytes():
    arguments = ("A view", {"x": 3.25}, LINK, BODY)
    assert notebook.build(*arguments) == notebook.build(*arguments)
    ids = [cell["id"] for cell in json.loads(notebook.build(*arguments))["cells"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("value", [0.1, 1e-12, 7, True, None, "it's \"so\"\n", [1, 2.5], {"a": (1,)}])
def test_a_parameter_arrives_as_it_was(value):
    read = _read(notebook.build("A view", {"x": value}, LINK, "# %%\nassert True"))
    space = {}
    exec(read.cells[1].source, space)
    assert space["x"] == value and type(space["x"]) is type(value)


@pytest.mark.slow
def test_runs_and_fails_where_its_headline_does():
    _run(notebook.build("A view", {"x": 3.25}, LINK, BODY))
    with pytest.raises(CellExecutionError, match="assert twice == 6.5"):
        _run(notebook.build("A view", {"x": 3.0}, LINK, BODY))


@pytest.mark.parametrize(
    "parameters, body, sentence",
    [
        ({"a b": 1}, BODY, "parameter='a b', expected a Python name"),
        ({"x": np.float64(1)}, BODY, "x=1.0, expected a plain number"),
        ({"x": math.nan}, BODY, "x=nan, expected a plain number"),
        ({"x": math.inf}, BODY, "x=inf, expected a plain number"),
        ({}, "x = 1\n# %%\nassert x", "body='x = 1', expected a first line that starts a cell"),
        ({}, "# %%\nassert True\n# %%\nprint(1)", r"body='print\(1\)', expected a last cell that asserts"),
        ({}, "# %%\nassert True\n# %% [markdown]\n# assert", "body='assert', expected a last cell that asserts"),
        ({}, "", "body='', expected a last cell that asserts"),
    ],
)
def test_refuses_what_would_not_run_or_assert(parameters, body, sentence):
    with pytest.raises(ValueError, match=sentence):
        notebook.build("A view", parameters, LINK, body)


def test_refuses_code_that_does_not_parse():
    with pytest.raises(SyntaxError):
        notebook.build("A view", {}, LINK, "# %%\nx = = 1\n# %%\nassert True")


@pytest.mark.slow
def test_of_an_entry_draws_it_with_plotly_and_asserts_its_verdict():
    result = figure1()
    content = notebook.of_entry(figure1, result, "quick", 0, LINK)
    read = _run(content)
    assert any(figure1.chosen in cell.source for cell in read.cells)
    kinds = {kind for cell in read.cells if cell.cell_type == "code" for out in cell.outputs for kind in out.get("data", {})}
    assert "application/vnd.plotly.v1+json" in kinds
    assert result.verdict in read.cells[-1].source
    other = notebook.of_entry(figure1, correlated_noise.figure1_spectrum(), "quick", 0, LINK)
    with pytest.raises(CellExecutionError, match="AssertionError"):
        _run(other)


def test_of_an_entry_needs_a_verdict():
    with pytest.raises(ValueError, match="verdict='', expected some words"):
        notebook.of_entry(figure1, Table("t", ("a",), ((1,),), "s"), "quick", 0, LINK)


def test_write_all_makes_the_folder_and_a_file_for_each(tmp_path):
    views = {name: notebook.build(name, {"x": 3.25}, LINK, BODY) for name in ("one", "two")}
    paths = notebook.write_all(tmp_path / "a" / "b", views)
    assert [path.name for path in paths] == ["one.ipynb", "two.ipynb"]
    assert [path.read_bytes() for path in paths] == list(views.values())
