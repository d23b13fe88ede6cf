"""The KAN page without a browser: any setting and link, presets, a run, and controls that do not leak to other pages."""

import re
import threading
import time
from dataclasses import asdict

import pytest
import streamlit as st
from test_pages import GARBAGE as GARBAGE_OF_ALL
from test_pages import behind_the_router, faultless, opened  # noqa: F401  (a fixture)

from core.experiments import kan
from core.experiments.kan import KanSetting, noise
from pages._kan_controls import GRIDS

DEFAULTS = asdict(KanSetting())
QUICK = {"accountant": "spectral", "dataset": "rings", "width": 4, "steps": 20, "replicates": 2, "device": "cpu"}
GARBAGE = GARBAGE_OF_ALL | {
    "width": "0", "n_basis": "3.5", "dataset": "../../etc", "accountant": "none", "sampling": "", "private": "perhaps",
}
SMALLEST = {field: values[0] for field, values in GRIDS.items()} | {"accountant": "spectral", "seed": 0, "private": False}
LARGEST = {field: values[-1] for field, values in GRIDS.items()} | {"sampling": "fixed_size", "accountant": "spectral"}


@pytest.fixture(autouse=True)
def of_a_session_of_its_own():
    """All tests are one session to Streamlit: what the one before computed is closed and forgotten."""
    st.cache_resource.clear()


def shown(app) -> dict:
    return {field: app.session_state[field] for field in DEFAULTS}


def headline(app) -> dict[str, str]:
    return dict(re.findall(r'id="([\w-]+)">([^<]*)<', " ".join(block.proto.body for block in app.get("html"))))


def finished(app):
    """The page once its run has ended."""
    for _ in range(300):
        faultless(app.run())
        if any(text.startswith("finished") for text in progress(app)):
            return app
        time.sleep(0.1)
    raise AssertionError(progress(app))


def progress(app) -> list[str]:
    return [bar.proto.text for bar in app.get("progress")]


@pytest.mark.parametrize(
    "link", [{"accountant": "spectral"}, SMALLEST, LARGEST, {"width": "6.4e1", "private": "FALSE", "epsilon": 1.2345}],
    ids=["default", "smallest", "largest", "spelled"],
)
def test_the_page_runs_at_any_link(link):
    app = opened("kan", **link)
    read = {"width": 64, "private": False, "epsilon": 1.2345} if link.get("private") == "FALSE" else link
    assert shown(app) == DEFAULTS | read
    assert not [box.value for box in app.warning if "link" in box.value]
    assert headline(app)["best-lambda"] == headline(app)["gain"] == "..."


def test_garbage_is_named_in_one_sentence_a_value():
    app = opened("kan", **GARBAGE)
    sentences = [box.value.replace("\\", "") for box in app.warning if "The link holds" in box.value]
    named = {field for field in DEFAULTS if any(f" {field}=" in sentence for sentence in sentences)}
    assert named == set(GARBAGE) & set(DEFAULTS) and len(sentences) == len(named)
    assert shown(app) == DEFAULTS


@pytest.mark.parametrize("key", kan.presets())
def test_a_preset_moves_every_control(key):
    app = opened("kan", **QUICK, epsilon=4)
    faultless(app.button(key=f"preset-{key}").click().run())
    preset = kan.presets()[key]
    assert shown(app) == asdict(preset.setting)
    assert any(text.value == f"{preset.label}. {preset.says}" for text in app.caption)
    faultless(app.button(key="reset").click().run())
    assert shown(app) == DEFAULTS and not set(app.query_params) & set(DEFAULTS)


def test_a_run_ends_in_the_headline_that_core_gives():
    app = opened("kan", **QUICK)
    faultless(app.button(key="run").click().run())
    finished(app)
    plan = kan.plan(KanSetting(**QUICK))
    best = kan.best_gain(plan, list(plan.stream()))
    assert headline(app)["best-lambda"] == f"{best.correlation:g}" and headline(app)["gain"] == f"{best.difference:+.4f}"
    assert any(text.value == kan.verdict(plan, list(plan.stream())) for text in app.markdown)


def test_a_run_without_privacy_has_one_line_and_no_headline():
    app = opened("kan", **QUICK, private="false")
    faultless(app.button(key="run").click().run())
    finished(app)
    assert headline(app)["gain"] == "..."
    assert any("without noise and without privacy" in text.value for text in app.markdown)


def test_a_batch_larger_than_the_data_is_said_in_words():
    app = opened("kan", **QUICK | {"dataset": "breast_cancer", "batch_size": 900})
    faultless(app.button(key="run").click().run())
    for _ in range(100):
        faultless(app.run())
        if app.error:
            break
        time.sleep(0.1)
    (box,) = app.error
    assert "batch_size=900" in box.value and "Error" not in box.value


def test_each_group_of_pages_keeps_its_own_controls():
    app = opened(nu=0.05, learning_rate=0.1, correlation=0.5)
    faultless(app.switch_page("pages/kan.py").run())
    assert shown(app) == DEFAULTS
    faultless(app.select_slider(key="learning_rate").set_value(8.0).run())
    faultless(app.select_slider(key="width").set_value(16).run())
    faultless(app.switch_page("pages/why.py").run())
    assert {field: app.session_state[field] for field in ("nu", "learning_rate", "correlation", "steps")} == {
        "nu": 0.05, "learning_rate": 0.1, "correlation": 0.5, "steps": 1000
    }
    faultless(app.switch_page("pages/kan.py").run())
    assert shown(app) == DEFAULTS | {"learning_rate": 8.0, "width": 16}


def test_a_link_to_the_guide_is_not_taken_for_one_to_this_page():
    app = opened("guide", epsilon=4, learning_rate=0.5)
    faultless(app.switch_page("pages/kan.py").run())
    assert shown(app) == DEFAULTS
    faultless(app.switch_page("pages/playground.py").run())
    assert app.session_state["epsilon"] == 4 and app.session_state["learning_rate"] == 0.5


def test_the_theorems_claims_stand_there_with_no_click():
    app = opened("kan", **QUICK)
    for _ in range(100):
        said = [text.value for text in app.markdown]
        if any("asks for a width of at least" in text for text in said):
            break
        time.sleep(0.1)
        faultless(app.run())
    setting = KanSetting(**QUICK)
    assert kan.not_private_as_printed(setting).verdict in said and kan.admissible_widths(setting).verdict in said
    assert any("**no width fits**" in text for text in said)


def test_a_slow_calibration_says_which_lambda_it_is_at_and_a_cancelled_run_stops_there(monkeypatch):
    go_on, asked = threading.Event(), []

    def slowly(correlation, *arguments):
        asked.append(correlation)
        go_on.wait(20 if correlation > 0 else 0)
        return 1.0 + correlation

    monkeypatch.setattr(noise, "tight", slowly)
    app = opened("kan", **QUICK | {"accountant": "tight"})
    faultless(app.button(key="run").click().run())
    said = "calibrating lambda = 0.25, 2 of 5"
    for _ in range(100):
        if any(said in text.value and "The spectral bound starts at once" in text.value for text in app.caption):
            break
        time.sleep(0.1)
        faultless(app.run())
    assert sum(said in text.value for text in app.caption) == 2, "beside the run and beside the charges"
    faultless(app.button(key="cancel").click().run())
    go_on.set()
    for _ in range(100):
        faultless(app.run())
        if not any("calibrating" in text.value for text in app.caption):
            break
        time.sleep(0.1)
    assert set(asked) == set(kan.CORRELATIONS) and not app.error
    assert headline(app)["gain"] == "..."


def test_batches_larger_than_the_data_have_no_charges_and_one_sentence():
    app = opened("kan", **QUICK | {"dataset": "breast_cancer", "batch_size": 900})
    for _ in range(100):
        if app.warning:
            break
        time.sleep(0.1)
        faultless(app.run())
    assert {box.value for box in app.warning} == {"batch_size=900, expected at most the number of records 427"}
