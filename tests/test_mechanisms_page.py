"""Compare noise without a browser: any link, presets, noises picked, one's own noise, and words for what cannot be shown."""

import re
from dataclasses import asdict, replace

import pytest
from test_pages import GARBAGE as GARBAGE_OF_ALL
from test_pages import behind_the_router, faultless, opened  # noqa: F401  (a fixture)

from core.experiments import mechanisms
from core.experiments.mechanisms import NOISES, NoiseSetting
from pages._mechanisms_controls import GRIDS

DEFAULTS = asdict(NoiseSetting())
GARBAGE = GARBAGE_OF_ALL | {
    "shown": "nu_ftrl,<b>", "pictured": "", "bands": "0", "participations": "2.5", "restarts": "-1", "shape": "round", "own": "none",
    "levels": "0" * 300,
}
SMALLEST = {field: values[0] for field, values in GRIDS.items()} | {"steps": 1, "shown": ",".join(NOISES)}
SMALL = {"steps": 40, "dim": 4}


def shown(app) -> dict:
    return {field: app.session_state[field] if field in app.session_state else value for field, value in DEFAULTS.items()}


def numbers(app) -> dict[str, str]:
    return dict(re.findall(r'id="([\w-]+)">([^<]*)<', " ".join(block.proto.body for block in app.get("html"))))


def verdict(app) -> str:
    return next(text.value for text in [*app.markdown, *app.warning] if text.value.startswith(("After ", "The learning rate ", "Nothing can")))


@pytest.mark.parametrize(
    "link",
    [{}, SMALLEST, {"learning_rate": 1.9, "steps": 30}, {"steps": "4e1", "shape": "geometric", "decay": 3, "shown": "fft", "participations": 4}],
    ids=["default", "smallest", "unstable", "spelled"],
)
def test_the_page_runs_at_any_link(link):
    app = opened("mechanisms", **link)
    read = {"steps": 40, "decay": 3.0} if link.get("steps") == "4e1" else {}
    assert shown(app) == DEFAULTS | link | read
    assert not [box.value for box in app.warning if "link" in box.value]
    setting = NoiseSetting(**{**link, **read})
    assert verdict(app) == mechanisms.verdict(setting)
    found = mechanisms.winner(setting)
    if found is None:
        assert numbers(app)["gain"] == "-"
    else:
        assert float(numbers(app)["gain"].rstrip("x")) == pytest.approx(max(found.gain, 1 / found.gain), rel=5e-3)
        assert float(numbers(app)["over-optimum"].rstrip("x")) == pytest.approx(found.over_optimum, rel=5e-3)


def test_garbage_is_named_in_one_sentence_a_value():
    app = opened("mechanisms", **GARBAGE)
    sentences = [box.value.replace("\\", "") for box in app.warning if "The link holds" in box.value]
    named = {field for field in DEFAULTS if any(f" {field}=" in sentence for sentence in sentences)}
    assert named == set(GARBAGE) & set(DEFAULTS) and len(sentences) == len(named)
    assert shown(app) == DEFAULTS


@pytest.mark.parametrize("key", mechanisms.presets())
def test_a_preset_moves_every_control(key):
    app = opened("mechanisms", **SMALL, nu=0.5, shown="independent")
    faultless(app.button(key=f"preset-{key}").click().run())
    preset = mechanisms.presets()[key]
    assert shown(app) == asdict(preset.setting)
    assert any(text.value == f"{preset.label}. {preset.says}" for text in app.caption)
    faultless(app.button(key="reset").click().run())
    assert shown(app) == DEFAULTS and not set(app.query_params) & set(DEFAULTS)


def test_noises_are_picked_and_the_link_keeps_them():
    app = opened("mechanisms", **SMALL)
    faultless(app.button_group(key="picked-shown").set_value(["independent", "fft"]).run())
    assert app.query_params["shown"] == "independent,fft"
    assert verdict(app) == mechanisms.verdict(NoiseSetting(**SMALL, shown="independent,fft"))
    again = opened("mechanisms", **app.query_params)
    assert verdict(again) == verdict(app) and again.button_group(key="picked-shown").value == ["independent", "fft"]


def test_a_link_may_show_nothing_that_can_be_had():
    app = opened("mechanisms", **SMALL, shown="optimal_for", learning_rate=1.2)
    assert "Not shown: optimum, in the long run (learning_rate=1.2" in verdict(app)
    assert numbers(app)["gain"] == "-" and numbers(app)["gain-says"] == "no answer: nothing to compare"


def test_uses_that_do_not_fit_are_said_and_no_chart_is_empty():
    app = opened("mechanisms", participations=16, steps=10)
    assert numbers(app)["gain-says"] == "no answer: 16 uses do not fit into 10 steps"
    assert "16 uses of a record do not fit into 10 steps" in verdict(app)
    titles = [text.value for text in app.markdown if text.value.startswith("#### ")]
    assert not {"#### Suboptimality at the same privacy", "#### Error of running sums", "#### What is taken back"} & set(titles)


def test_the_headline_says_what_it_must_not_hide():
    late = opened("mechanisms", **mechanisms.presets()["power"].setting.changes())
    assert "at the last step only" in numbers(late)["gain-says"]
    alike = opened("mechanisms", **(SMALL | {"steps": 1}))
    assert (numbers(alike)["gain-says"], numbers(alike)["winner"]) == ("the error of DP-SGD", "every noise shown")
    assert any(text.value.startswith("What is taken back: no curve here") for text in alike.caption)
    uses = opened("mechanisms", **SMALL, participations=4)
    assert any("Toeplitz noise best for one use leaves" in block.proto.body for block in uses.get("html"))


def test_the_matrices_are_those_of_the_noise_picked():
    app = opened("mechanisms", **SMALL)
    faultless(app.selectbox(key="picked-pictured").set_value("binary_tree").run())
    assert app.query_params["pictured"] == "binary_tree"
    assert any(caption.value.startswith("binary tree. Each column") for caption in app.caption)


def test_levels_are_typed_and_followed():
    app = opened("mechanisms", **SMALL)
    faultless(app.text_input(key="picked-levels").set_value("0 0 0 0 0 0 0").run())
    assert numbers(app)["own-gain"] == "1x" and numbers(app)["own-step"] == "1x"
    faultless(app.button(key="shape-The optimum").click().run())
    own = mechanisms.own_numbers(replace(NoiseSetting(**SMALL), levels=app.session_state["levels"]))
    assert numbers(app)["own-over"] == f"{own.over_optimum:.3g}x" and own.over_optimum < 1.1


def test_coefficients_are_typed_and_bad_ones_are_said_in_a_sentence():
    app = opened("mechanisms", **SMALL, own="typed", coefficients="1 -0.9")
    expected = mechanisms.own_numbers(NoiseSetting(**SMALL, own="typed", coefficients="1 -0.9"))
    assert numbers(app)["own-gain"] == f"{expected.gain:.3g}x"
    faultless(app.text_input(key="picked-coefficients").set_value("1 plus 2").run())
    assert any("coefficients='plus', expected numbers" in box.value for box in app.warning)
    assert "own-gain" not in numbers(app)


def test_controls_do_not_leak_to_other_pages():
    app = opened(nu=0.05, steps=200)
    faultless(app.switch_page("pages/mechanisms.py").run())
    assert shown(app) == DEFAULTS
    faultless(app.select_slider(key="restarts").set_value(4).run())
    faultless(app.switch_page("pages/why.py").run())
    assert (app.session_state["nu"], app.session_state["steps"]) == (0.05, 200)
    faultless(app.switch_page("pages/mechanisms.py").run())
    assert shown(app) == DEFAULTS | {"restarts": 4}
