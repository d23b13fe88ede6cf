"""The adaptive clipping page without a browser: any setting and link, presets, results as they arrive, and what fits not."""

import re
import time
from dataclasses import asdict

import pytest
from test_pages import GARBAGE as GARBAGE_OF_ALL
from test_pages import behind_the_router, faultless, opened  # noqa: F401  (a fixture)

from core.experiments import adaptive
from core.experiments.adaptive import AdaptiveSetting
from pages._adaptive_controls import GRIDS

DEFAULTS = asdict(AdaptiveSetting())
QUICK = {"dim": 2, "n_samples": 800, "replicates": 5, "device": "cpu"}
GARBAGE = {
    **GARBAGE_OF_ALL, "n_samples": "1e99", "as_printed": "perhaps", "rungs": "-3", "dim": "nan", "label_noise": "<b>", "device": "tpu",
}
SMALLEST = {field: values[0] for field, values in GRIDS.items()} | {"seed": 0, "as_printed": True}


def shown(app) -> dict:
    return {field: app.session_state[field] for field in DEFAULTS}


def headline(app) -> dict[str, str]:
    return dict(re.findall(r'id="([\w-]+)">([^<]*)<', " ".join(block.proto.body for block in app.get("html"))))


def finished(app):
    """The page once all its results are there."""
    for _ in range(300):
        faultless(app.run())
        if any(bar.proto.text.startswith("all there") for bar in app.get("progress")):
            return app
        time.sleep(0.1)
    raise AssertionError([bar.proto.text for bar in app.get("progress")])


@pytest.mark.parametrize("link", [QUICK, SMALLEST, {**QUICK, "epsilon": "1.25e0", "as_printed": "TRUE"}], ids=["quick", "smallest", "spelled"])
def test_the_page_runs_at_any_link(link):
    app = opened("adaptive", **link)
    read = {**QUICK, "epsilon": 1.25, "as_printed": True} if link.get("as_printed") == "TRUE" else link
    assert shown(app) == DEFAULTS | read
    assert not [box.value for box in app.warning if "link" in box.value]


def test_garbage_is_named_in_one_sentence_a_value():
    app = opened("adaptive", **GARBAGE)
    sentences = [box.value.replace("\\", "") for box in app.warning if "The link holds" in box.value]
    named = {field for field in DEFAULTS if any(f" {field}=" in sentence for sentence in sentences)}
    assert named == set(GARBAGE) & set(DEFAULTS) and len(sentences) == len(named)
    assert shown(app) == DEFAULTS


@pytest.mark.parametrize("key", adaptive.presets())
def test_a_preset_moves_every_control(key):
    app = opened("adaptive", **QUICK, epsilon=4)
    faultless(app.button(key=f"preset-{key}").click().run())
    preset = adaptive.presets()[key]
    assert shown(app) == asdict(preset.setting)
    assert any(text.value == f"{preset.label}. {preset.says}" for text in app.caption)
    faultless(app.button(key="reset").click().run())
    assert shown(app) == DEFAULTS and not set(app.query_params) & set(DEFAULTS)


def test_results_arrive_without_a_click_and_end_in_what_core_gives():
    app = finished(opened("adaptive", **QUICK))
    *_, outcome = adaptive.stream(AdaptiveSetting(**QUICK))
    assert any(text.value == adaptive.verdict(outcome) for text in app.markdown)
    assert any(text.value == adaptive.ledger(outcome.setting).caption for text in app.caption)
    assert headline(app) == {key: told.number for key, told in adaptive.headline(outcome).items()}
    html = " ".join(block.proto.body for block in app.get("html"))
    assert all(f"</b><small>{told.says}<br>{told.where}</small>" in html for told in adaptive.headline(outcome).values())
    assert any(text.value == adaptive.follows(outcome) for text in app.markdown)


def test_the_switch_shows_the_printed_ledger():
    app = finished(opened("adaptive", **QUICK))
    faultless(app.toggle(key="as_printed").set_value(True).run())
    assert any(text.value == adaptive.ledger(AdaptiveSetting(**QUICK, as_printed=True)).caption for text in finished(app).caption)


def test_what_does_not_fit_together_is_said_in_words():
    app = opened("adaptive", **QUICK | {"n_samples": 100, "steps": 40})
    for _ in range(50):
        if app.warning:
            break
        time.sleep(0.1)
        faultless(app.run())
    (box,) = app.warning
    assert box.value.startswith("n_samples=100, expected >= 1320")
