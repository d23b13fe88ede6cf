"""The acceleration page without a browser: any setting and link, presets, results that arrive, numbers from core."""

import re
import time
from dataclasses import asdict

import pytest
import streamlit as st
from test_pages import GARBAGE as GARBAGE_OF_ALL
from test_pages import behind_the_router, faultless, opened  # noqa: F401  (a fixture)

from core.experiments import accelerate
from core.experiments.accelerate import AccelerateSetting
from pages._accelerate_controls import GRIDS

DEFAULTS = asdict(AccelerateSetting())
QUICK = {"n_samples": 256, "dim": 3, "replicates": 4, "device": "cpu"}
SMALLEST = {field: values[0] for field, values in GRIDS.items()} | {"seed": 0, "device": "cpu"}
LARGEST = {field: values[-1] for field, values in GRIDS.items()} | {"n_samples": 1024, "dim": 20, "device": "cpu"}
GARBAGE = {field: value for field, value in GARBAGE_OF_ALL.items() if field in DEFAULTS} | {"problem": "cubic", "n_samples": "12.5"}


@pytest.fixture(autouse=True)
def of_a_session_of_its_own():
    """All tests are one session to Streamlit: what the one before computed is closed and forgotten."""
    st.cache_resource.clear()


def headline(app) -> dict[str, str]:
    return dict(re.findall(r'id="([\w-]+)">([^<]*)<', " ".join(block.proto.body for block in app.get("html"))))


def finished(app):
    """The page once all its runs are there."""
    for _ in range(300):
        faultless(app.run())
        if any(bar.proto.text.startswith("all there") for bar in app.get("progress")):
            return app
        time.sleep(0.1)
    raise AssertionError([bar.proto.text for bar in app.get("progress")])


@pytest.mark.parametrize("link", [SMALLEST, LARGEST, QUICK | {"problem": "logistic"}, QUICK | {"problem": "breast_cancer"}],
                         ids=["smallest", "largest", "logistic", "table"])
def test_the_page_runs_at_any_link_to_its_end(link):
    app = finished(opened("accelerate", **link))
    assert {field: app.session_state[field] for field in DEFAULTS} == DEFAULTS | link
    assert all(each not in ("-", "...") for each in headline(app).values())


def test_garbage_is_named_in_one_sentence_a_value():
    app = opened("accelerate", **GARBAGE)
    sentences = [box.value.replace("\\", "") for box in app.warning if "The link holds" in box.value]
    assert {field for field in DEFAULTS if any(f" {field}=" in sentence for sentence in sentences)} == set(GARBAGE)
    assert len(sentences) == len(GARBAGE)


def test_the_headline_and_the_verdict_are_those_of_core():
    app = finished(opened("accelerate", **QUICK))
    setting = AccelerateSetting(**QUICK)
    *_, seen = accelerate.stream(setting)
    said = accelerate.headline(setting, seen)
    assert headline(app) == {
        "gain": said.gain.number, "speed": said.by_acceleration.number, "speed-late": said.by_acceleration_late.number,
        "speaks": "589,716",
    }
    html = " ".join(block.proto.body for block in app.get("html"))
    assert f"</b><small>{said.gain.says}<br>{said.gain.where}</small>" in html
    words = [block.value for block in app.markdown]
    assert accelerate.verdict(setting, seen) in words and accelerate.theorem(setting).verdict in words
    assert accelerate.prefix_noise(setting).verdict in words


def test_a_preset_puts_its_setting_into_the_controls():
    app = opened("accelerate", **QUICK)
    app.button(key="preset-tumours").click()
    app.run()
    assert app.session_state["problem"] == "breast_cancer" and app.session_state["n_samples"] == 16384


def test_the_controls_of_other_pages_stay_theirs():
    app = opened("accelerate", epsilon=4, n_samples=256, replicates=4, device="cpu")
    faultless(app.switch_page("pages/playground.py").run())
    assert app.session_state["epsilon"] != 4
    faultless(app.switch_page("pages/accelerate.py").run())
    assert app.session_state["epsilon"] == 4 and app.session_state["n_samples"] == 256
