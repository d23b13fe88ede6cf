import inspect

import numpy as np
import pytest

from core.figures import to_html
from core.papers import correlated_noise, dp_gd, entries, find, kan
from core.papers.adaptive_clipping import risk
from core.papers.correlated_noise import panels, strongly_convex
from core.papers.dp_gd import budgets, clipping, coverage, dimension, records
from core.papers.kan import accountants, runs, scaling, tuned
from core.papers.registry import Entry, register, verdict
from core.results import Curve, Result, Table

WORDS = {"left_open": "b", "chosen": "c", "quick": "d", "full": "e"}
TEXTS = {"shows": "a", **WORDS}


def _drawing(fidelity, seed):
    """Three points, one after the other."""
    values = np.random.default_rng(seed).normal(size={"quick": 3, "full": 6}[fidelity])
    for count in range(1, len(values) + 1):
        curve = Curve("walk", np.arange(count), values[:count].cumsum())
        yield count / len(values), Result("A walk", (curve,), "step", "excess_risk", "nowhere")


def _entry(**changes):
    return Entry(**{"paper": "correlated_noise", "number": "Figure 0", "compute": _drawing, **TEXTS, **changes})


def test_stream_grows_and_the_call_returns_its_last():
    entry = _entry()
    fractions, results = zip(*entry.stream("full", 3), strict=True)
    assert fractions == tuple(np.arange(1, 7) / 6)
    assert [len(result.curves[0].x) for result in results] == [1, 2, 3, 4, 5, 6]
    assert entry("full", 3).to_csv() == results[-1].to_csv()
    assert len(entry().curves[0].x) == 3, "quick is the default"


def test_same_seed_same_result():
    entry = _entry()
    assert entry(seed=1).to_csv() == entry(seed=1).to_csv() != entry(seed=2).to_csv()


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"fidelity": "fast"}, "fidelity='fast', expected one of 'quick', 'full'"),
        ({"seed": -1}, "seed=-1, expected a whole number >= 0"),
        ({"seed": 1.5}, "seed=1.5, expected a whole number >= 0"),
    ],
)
def test_wrong_arguments_are_told_before_the_work_starts(arguments, sentence):
    with pytest.raises(ValueError) as error:
        _entry().stream(**arguments)
    assert str(error.value) == sentence


def test_what_an_entry_shows_is_its_functions_docstring():
    assert correlated_noise.figure1.shows == " ".join(correlated_noise.figure1.compute.__doc__.split())
    with pytest.raises(ValueError, match="shows='', expected some words"):
        register("correlated_noise", "Figure 0", **WORDS)(lambda fidelity, seed: iter(()))


@pytest.mark.parametrize("text", ["number", *TEXTS])
def test_an_entry_without_its_words_is_refused(text):
    with pytest.raises(ValueError, match=f"{text}='  ', expected some words"):
        _entry(**{text: "  "})


def test_an_unknown_paper_is_refused():
    with pytest.raises(ValueError, match="paper='nobody', expected one of 'correlated_noise'"):
        _entry(paper="nobody")


def test_a_name_is_given_once():
    figure1 = correlated_noise.figure1
    with pytest.raises(ValueError, match="name='figure1', expected a name that correlated_noise does not have yet"):
        register("correlated_noise", "Figure 1", **WORDS)(figure1.compute)
    assert find("correlated_noise", "figure1") is figure1, "a refused entry leaves the first in place"


def test_an_entry_looks_like_its_function():
    entry = _entry()
    assert entry.name == entry.__qualname__ == "_drawing"
    assert entry.__doc__ == "Three points, one after the other."
    assert inspect.getsource(entry) == inspect.getsource(_drawing)


def test_every_entry_is_reached_by_its_name_in_its_paper():
    assert [entry.name for entry in entries()][:2] == ["figure1", "figure1_coefficients"]
    for entry in entries():
        assert find(entry.paper, entry.name) is entry
        assert entry in entries(entry.paper)
        assert entry.__module__.startswith(f"core.papers.{entry.paper}")
    for paper in (correlated_noise, dp_gd, kan):
        assert all(getattr(paper, entry.name) is entry for entry in entries(paper.__name__.rpartition(".")[2]))


def test_unknown_names_are_told_with_those_there_are():
    with pytest.raises(ValueError, match="paper='nobody', expected one of 'correlated_noise'"):
        find("nobody", "figure1")
    with pytest.raises(ValueError, match="figure='figure9', expected one of 'figure1', 'figure1_coefficients'"):
        find("correlated_noise", "figure9")


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_computes_to_a_judged_result(entry, monkeypatch):
    monkeypatch.setitem(panels.EFFORT, "quick", panels.Effort(replicates=panels.GROUP, relaxations=0.05, shortest=4))
    monkeypatch.setitem(strongly_convex.NUMBERS, "quick", (2, 5))
    tiny = runs.Effort(2, 400, 10, 4, (0.0, 0.5, 0.9), (1.0, 4.0), "spectral")
    monkeypatch.setitem(runs.EFFORT, "quick", tiny)
    monkeypatch.setitem(tuned.GRIDS, "quick", tuned.Grid(tiny, (4.0, 16.0), (0.25, 0.5)))
    monkeypatch.setitem(accountants.GRIDS, "quick", {"tight": (0.0,), "fast": (0.0, 0.5)})  # at 0 it takes no time
    monkeypatch.setitem(scaling.RECORDS, "quick", (200, 400))
    monkeypatch.setitem(scaling.WIDTHS, "quick", (2, 8))
    monkeypatch.setitem(risk.REPLICATES, "quick", 5)
    monkeypatch.setitem(risk.SAMPLES, "quick", 400)
    monkeypatch.setitem(risk.RATIOS, "quick", (100, 200))
    monkeypatch.setattr(risk, "DIMS", (2, 3))
    for module, name, small in ((dimension, "TRIALS", {10: 3, 20: 2}), (records, "TRIALS", {10: 2, 100: 2}), (clipping, "CHAINS", 2),
                                (clipping, "SHARE_TRIALS", {10: 2, 20: 2}), (clipping, "ERROR_TRIALS", 2), (coverage, "REPEATS", 2),
                                (budgets, "TRIALS", 2)):  # fmt: skip
        monkeypatch.setitem(getattr(module, name), "quick", small)
    monkeypatch.setitem(records.SIZES, "quick", {10: (1000, 2000), 100: (1000, 2000)})
    fractions, results = zip(*entry.stream(), strict=True)
    assert fractions[-1] == 1 and list(fractions) == sorted(set(fractions)) and fractions[0] > 0
    result = results[-1]
    assert isinstance(result, (Result, Table))
    assert "Matches the paper: " in result.verdict or "Does not match the paper: " in result.verdict
    assert result.source.startswith("arXiv ") and result.caption and not result.status
    assert len(to_html(result)) > 1e6, "drawn, with plotly.js inside"
    assert result.settings["figure"] == entry.name and result.settings["fidelity"] == "quick"


def test_a_verdict_says_which():
    assert verdict(True, "1 is 1") == "Matches the paper: 1 is 1."
    assert verdict(False, "1 is 2") == "Does not match the paper: 1 is 2."
