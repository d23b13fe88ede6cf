"""The confidence intervals page without a browser: any setting and link, presets, runs that begin by themselves, bad files."""

import re
import time
from dataclasses import asdict

import pytest
import streamlit as st
from test_pages import GARBAGE as GARBAGE_OF_ALL
from test_pages import behind_the_router, faultless, opened  # noqa: F401  (a fixture)

from core.experiments import intervals
from core.experiments.intervals import IntervalSetting
from pages._intervals_controls import GRIDS

DEFAULTS = asdict(IntervalSetting())
QUICK = {"n_samples": 400, "dim": 3, "rho": 1.0, "steps": 120, "replicates": 10, "device": "cpu"}
GARBAGE = GARBAGE_OF_ALL | {
    "design": "../../etc", "n_samples": "0", "rho": "0", "clip_factor": "-1", "groups": "1", "burn_in": "-3", "construction": "none",
    "schedule": "", "coordinate": "99", "second_coordinate": "x", "shown_step": "-1",
}
SMALLEST = {field: values[0] for field, values in GRIDS.items()} | {"seed": 0}
LARGEST = {field: values[-1] for field, values in GRIDS.items()} | {"design": "diabetes", "replicates": 5, "learning_rate": 0.4, "burn_in": 200}


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
        if headline(app).get("measured", "...") != "...":
            return app
        time.sleep(0.1)
    raise AssertionError(headline(app))


def troubles(app) -> list[str]:
    return [box.value for box in app.warning if "The link holds" not in box.value]


@pytest.mark.parametrize(
    "link", [QUICK, SMALLEST, LARGEST, QUICK | {"rho": "1e0", "steps": "1.2e2"}], ids=["quick", "smallest", "largest", "spelled"]
)
def test_the_page_runs_at_any_link(link):
    app = opened("intervals", **link)
    assert shown(app) == DEFAULTS | {field: DEFAULTS[field].__class__(float(value)) if isinstance(value, str) and value[0].isdigit() else value
                                     for field, value in link.items()}
    assert not app.warning
    assert 0 < float(headline(app)["coverage"]) <= 1


def test_garbage_is_named_in_one_sentence_a_value():
    app = opened("intervals", **GARBAGE)
    sentences = [box.value.replace("\\", "") for box in app.warning if "The link holds" in box.value]
    named = {field for field in DEFAULTS if any(f" {field}=" in sentence for sentence in sentences)}
    assert named == set(GARBAGE) & set(DEFAULTS) and len(sentences) == len(named)
    assert shown(app) == DEFAULTS


@pytest.mark.parametrize("key", intervals.presets())
def test_a_preset_moves_every_control(key):
    app = opened("intervals", **QUICK)
    faultless(app.button(key=f"preset-{key}").click().run())
    preset = intervals.presets()[key]
    assert shown(app) == asdict(preset.setting) and not app.warning
    assert any(text.value == f"{preset.label}. {preset.says}" for text in app.caption)
    faultless(app.button(key="reset").click().run())
    assert shown(app) == DEFAULTS and not set(app.query_params) & set(DEFAULTS)


def test_a_run_begins_by_itself_and_ends_in_what_core_gives():
    app = finished(opened("intervals", **QUICK))
    *_, chains = intervals.plan(IntervalSetting(**QUICK)).stream()
    said = intervals.headline(chains.expected, chains)
    assert headline(app)["measured"] == said.measured and headline(app)["coverage"] == said.coverage
    assert headline(app)["width"] == said.width and headline(app)["epsilon-said"] == said.epsilon
    assert any(text.value == intervals.coverage_verdict(chains) for text in app.markdown)


def test_the_epsilon_stands_beside_rho():
    app = opened("intervals", **QUICK | {"rho": 0.015})
    assert any("epsilon = 0.772 at delta = 1e-06 (0.925 by the paper's conversion)" in text.value for text in app.caption)


def test_a_coefficient_that_there_is_no_more_goes_back_to_the_first():
    app = opened("intervals", **QUICK | {"dim": 10})
    faultless(app.selectbox(key="coordinate").set_value(8).run())
    assert app.session_state["coordinate"] == 8
    faultless(app.select_slider(key="dim").set_value(5).run())
    assert app.session_state["coordinate"] == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"construction": "independent_runs"}, "steps=120, expected more than 200"),
        ({"learning_rate": 9.0}, "learning_rate=9.0, expected > 0 and < "),
        ({"n_samples": 1_000_000, "dim": 50}, "n_samples=1000000, expected at most 100,000"),
        ({"design": "own_table"}, "CSV file='', expected one with a header row"),
    ],
)
def test_what_does_not_go_together_is_one_sentence(changes, words):
    app = opened("intervals", **QUICK | changes)
    (sentence,) = troubles(app)
    assert words in sentence and sentence.endswith(".") and "Error" not in sentence


def test_too_many_iterates_are_refused_and_theory_stands():
    app = opened("intervals", **QUICK | {"steps": 20_000, "replicates": 1000})
    for _ in range(100):
        if troubles(app):
            break
        time.sleep(0.1)
        faultless(app.run())
    assert any("replicates=1000, expected at most" in sentence for sentence in troubles(app))
    assert headline(app)["measured"] == "..." and float(headline(app)["coverage"]) > 0.9
