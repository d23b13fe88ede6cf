"""Every page as a notebook: runs on `core` alone, shows the headline figure, asserts the headline."""

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from core import views
from core.comparison import Setting
from core.experiments.accelerate import AccelerateSetting
from core.experiments.adaptive import AdaptiveSetting
from core.experiments.intervals import IntervalSetting
from core.experiments.kan import KanSetting
from core.experiments.mechanisms import NoiseSetting

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "assets" / "notebooks"
QUICK = Setting(steps=40, dim=4, replicates=3, nu=0.2, device="cpu")
QUICK_OF = {
    "intervals": IntervalSetting(n_samples=400, dim=3, rho=1.0, steps=120, replicates=5, device="cpu"),
    "kan": KanSetting(steps=10, width=4, replicates=2, accountant="spectral", dataset="rings", device="cpu"),
    "adaptive": AdaptiveSetting(dim=2, n_samples=800, replicates=5, device="cpu"),
    "mechanisms": NoiseSetting(steps=40, dim=4),
    "accelerate": AccelerateSetting(n_samples=400, dim=3, replicates=4, device="cpu"),
}
"""A quick setting of each page that has controls of its own."""


def quick(page: str):
    return QUICK_OF.get(page, QUICK)


def execute(content: bytes, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    return NotebookClient(nbformat.reads(content.decode(), as_version=4), timeout=120).execute(cwd=str(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("page", views.VIEWS)
def test_the_notebook_of_a_page_runs_and_shows_a_chart(page, monkeypatch, tmp_path):
    done = execute(views.notebook_of(page, quick(page), "http://127.0.0.1:8501/?nu=0.2"), monkeypatch, tmp_path)
    kinds = {kind for cell in done.cells if cell.cell_type == "code" for out in cell.outputs for kind in out.get("data", {})}
    assert "application/vnd.plotly.v1+json" in kinds


@pytest.mark.slow
@pytest.mark.parametrize("clipping", [True, False])
def test_the_notebook_of_a_run_on_a_real_table_runs(clipping, monkeypatch, tmp_path):
    setting = replace(QUICK, batch_size=50)
    execute(views.notebook_of("train", setting, "", data="Diabetes (real)", clipping=clipping), monkeypatch, tmp_path)


@pytest.mark.slow
def test_the_notebook_of_intervals_on_the_viewers_table_runs(monkeypatch, tmp_path):
    from core.experiments.intervals import OwnTable
    from core.views.intervals import coverage_and_width

    content = "a,b,y\n" + "\n".join(f"{i % 17},{(i * 7) % 13},{(i * 5) % 11}" for i in range(200))
    setting = replace(QUICK_OF["intervals"], design="own_table")
    known = coverage_and_width(setting, OwnTable(content.encode(), "y"))
    made = views.notebook_of("intervals", setting, "", coordinate=2, second_coordinate=1, target="y", **known)
    (tmp_path / "table.csv").write_text(content)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    NotebookClient(nbformat.reads(made.decode(), as_version=4), timeout=120).execute(cwd=str(tmp_path))
    assert coverage_and_width(setting) == {}


@pytest.mark.slow
def test_a_headline_that_is_not_true_fails_the_notebook(monkeypatch, tmp_path):
    content = views.notebook_of("playground", QUICK, "").decode()
    wrong = re.sub(r"gain_nu_ftrl = [0-9.]+", "gain_nu_ftrl = 1.001", content)
    assert wrong != content
    with pytest.raises(CellExecutionError, match="AssertionError"):
        execute(wrong.encode(), monkeypatch, tmp_path)


@pytest.mark.parametrize("page", views.VIEWS)
def test_a_notebook_holds_the_setting_and_the_link(page):
    cells = json.loads(views.notebook_of(page, quick(page), "http://127.0.0.1:8501/?nu=0.2"))["cells"]
    assert "http://127.0.0.1:8501/?nu=0.2" in "".join(cells[0]["source"])
    held = "".join(cells[1]["source"])
    for field, value in asdict(quick(page)).items():
        assert f"\n{field} = {value!r}\n" in f"\n{held}\n", field


def test_a_page_that_there_is_not_is_named():
    with pytest.raises(ValueError, match="page='nowhere', expected one of"):
        views.notebook_of("nowhere", Setting(), "")


def test_the_notebooks_that_ship_are_those_that_the_pages_give():
    """Renew them with: python -m core.views"""
    for page, content in views.all_notebooks().items():
        assert (FOLDER / f"{page}.ipynb").read_bytes() == content, page
