"""The viewer's own table on the KAN page: what is wrong with it in one sentence, nothing lost, and its notebook."""

import time

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from test_kan_page import QUICK, finished, headline, of_a_session_of_its_own  # noqa: F401  (a fixture)
from test_pages import behind_the_router, faultless, opened  # noqa: F401  (a fixture)
from test_views import ROOT

from core import views
from core.experiments import kan
from core.experiments.kan import KanSetting
from core.problems import datasets

_DRAWN = np.random.default_rng(0).uniform(0, 100, (80, 2))
GOOD = "height,weight,tall\n" + "".join(f"{x:.3f},{y:.3f},{int(x + y > 100)}\n" for x, y in _DRAWN)
FEW = KanSetting(**QUICK | {"batch_size": 20})
BAD = {
    "empty": (b"", "header row"),
    "one column": (b"height\n1\n2\n", "at least two"),
    "text": (b"a,b\n1,2\n3,tall\n", "'tall'"),
    "nan": (b"a,b\n1,2\nnan,3\n", "column 'a' in line 3='nan', expected a finite number"),
    "constant": (b"a,b\n1,2\n1,3\n", "column 'a'"),
    "three classes": (b"a,b\n1,2\n2,3\n3,4\n", "expected two different numbers, one for each class"),
    "more columns than rows": (b"a,b,c\n1,2,3\n4,5,6\n", "at least as many as columns (3)"),
    "one record of a class": (b"a,b\n" + b"".join(b"%d,%d\n" % (i, i == 3) for i in range(20)), "give more records of each class"),
}  # fmt: skip


def upload(app, content: bytes):
    return faultless(app.file_uploader(key="csv").set_value(("table.csv", content, "text/csv")).run())


def test_a_bad_table_is_told_in_one_sentence_and_loses_nothing():
    app = opened("kan", **QUICK)
    faultless(app.button(key="run").click().run())
    kept = headline(finished(app))
    for name, (content, words) in BAD.items():
        upload(app, content)
        (box,) = app.warning
        assert words in box.value and "Traceback" not in box.value, name
        faultless(app.button(key="run").click().run())
        assert [words in warning.value for warning in app.warning] == [True, True], f"{name}: also told beside the button"
        assert headline(app) == kept, f"{name}: the run that was there stays"


def test_a_table_of_two_classes_trains_and_is_charged_for_its_own_number_of_records():
    app = opened("kan", **QUICK | {"batch_size": 20})
    upload(app, GOOD.encode())
    assert not app.warning and any("60 records to train on and 20 held out, 2 inputs" in text.value for text in app.caption)
    faultless(app.button(key="run").click().run())
    finished(app)
    plan = kan.plan(FEW, datasets.from_csv(GOOD, "tall"))
    said = " ".join(text.value for text in app.markdown)
    assert kan.verdict(plan, list(plan.stream())) in said
    assert "With 60 records and a margin of" in said and "On the 60 records the margin" in said
    faultless(app.file_uploader(key="csv").set_value(None).run())
    assert any("moved a control" in text.value for text in app.markdown), "the data set on the left again: the run is stale"


def test_a_batch_larger_than_the_table_is_said_in_words():
    app = opened("kan", **QUICK | {"batch_size": 250})
    upload(app, GOOD.encode())
    for _ in range(100):
        if app.warning:
            break
        time.sleep(0.1)
        faultless(app.run())
    assert any("=" in box.value and "expected" in box.value and "Error" not in box.value for box in app.warning)


@pytest.mark.slow
def test_the_notebook_of_ones_own_table_runs_beside_it_and_asserts_its_charges(monkeypatch, tmp_path):
    (tmp_path / "table.csv").write_text(GOOD)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    charges = views.kan.spectral_charges(FEW, datasets.from_csv(GOOD, "tall"))
    assert charges["noise_independent"] > 2 * views.kan.spectral_charges(FEW)["noise_independent"]
    content = views.notebook_of("kan", FEW, "", target="tall", **charges).decode()
    NotebookClient(nbformat.reads(content, as_version=4), timeout=120).execute(cwd=str(tmp_path))
