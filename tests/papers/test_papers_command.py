import csv
import subprocess
import sys

import pytest

from core.names import PAPERS
from core.papers import correlated_noise, entries
from core.papers.__main__ import main
from core.papers.correlated_noise import panels

THERE = ", ".join(dict.fromkeys(repr(entry.paper) for entry in entries()))


@pytest.fixture(autouse=True)
def short_runs(monkeypatch):
    monkeypatch.setitem(panels.EFFORT, "quick", panels.Effort(replicates=panels.GROUP, relaxations=0.05, shortest=4))


def test_lists_every_entry_under_its_paper(capsys):
    assert main([]) == 0
    listing = capsys.readouterr().out
    words = " ".join(listing.split())
    assert f"correlated_noise: {PAPERS['correlated_noise'].title} (arXiv:2310.06771)" in words
    for entry in entries():
        assert f"{entry.name} {entry.number} {entry.shows}" in words
    assert max(map(len, listing.splitlines())) <= 120


def test_lists_one_paper(capsys):
    assert main(["correlated_noise"]) == 0
    assert "figure2_dim" in capsys.readouterr().out


def test_computes_a_figure_into_csv_and_a_page_that_fetches_nothing(tmp_path, capsys):
    folder = tmp_path / "made" / "here"
    assert main(["correlated_noise", "figure1", "--out", str(folder)]) == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["correlated_noise_figure1.csv", "correlated_noise_figure1.html"]
    content = (folder / "correlated_noise_figure1.csv").read_text()
    assert content == correlated_noise.figure1().to_csv()
    rows = list(csv.reader(line for line in content.splitlines() if not line.startswith("#")))
    assert rows[0] == ["curve", "learning_rate", "ratio", "low", "high"] and len(rows) == 1 + 3 * 41
    page = (folder / "correlated_noise_figure1.html").read_text()
    assert "Plotly.newPlot" in page and 'src="http' not in page and "rises to 1" in page
    captured = capsys.readouterr()
    assert str(folder / "correlated_noise_figure1.csv") in captured.out
    assert "Does not match the paper" in " ".join(captured.out.split())
    assert captured.err.endswith("figure1 [########################################] 100%\n")


def test_progress_moves_with_the_points_and_the_seed_is_used(tmp_path, capsys):
    assert main(["correlated_noise", "figure2_dim", "--seed", "5", "--out", str(tmp_path)]) == 0
    bars = capsys.readouterr().err.split("\r")[1:]
    assert [bar[-5:].strip() for bar in bars] == ["1%", "6%", "25%", "100%"]
    assert bars[2].startswith("figure2_dim [##########......")
    assert "# seed: 5" in (tmp_path / "correlated_noise_figure2_dim.csv").read_text().splitlines()


def test_writes_a_table(tmp_path):
    assert main(["correlated_noise", "figure2_slopes", "--out", str(tmp_path)]) == 0
    assert "Plotly.newPlot" in (tmp_path / "correlated_noise_figure2_slopes.html").read_text()
    assert "knob,noise,printed" in (tmp_path / "correlated_noise_figure2_slopes.csv").read_text()


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["nobody", "figure1"], f"paper='nobody', expected one of {THERE}\n"),
        (["nobody"], f"paper='nobody', expected one of {THERE}\n"),
        (["correlated_noise", "figure1", "--seed", "-1"], "seed=-1, expected a whole number >= 0\n"),
    ],
)
def test_wrong_names_get_one_sentence_and_code_2(arguments, sentence, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", sentence)


def test_a_wrong_figure_is_told_with_all_there_are(capsys):
    assert main(["correlated_noise", "figure9"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("figure='figure9', expected one of ") and told.count("\n") == 1
    assert all(repr(entry.name) in told for entry in entries("correlated_noise"))


def test_a_wrong_fidelity_ends_with_code_2(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["correlated_noise", "figure1", "--fidelity", "fast"])
    assert ended.value.code == 2 and "'quick', 'full'" in capsys.readouterr().err


def test_runs_as_a_module_and_lists_without_torch_or_plotly():
    script = (
        "import runpy, sys; sys.argv = ['core.papers']\n"
        "try: runpy.run_module('core.papers', run_name='__main__')\n"
        "except SystemExit as ended: assert ended.code == 0\n"
        "assert not {'torch', 'plotly', 'streamlit'} & set(sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "figure1" in ended.stdout
