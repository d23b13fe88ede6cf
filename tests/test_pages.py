"""Every page without a browser: its script runs at any setting and any link, and says in words what it cannot show."""

import re

import pytest
from by_theory import DEFAULTS, agrees, gains
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from core.comparison import presets
from pages._controls import GRIDS

PAGES = ("playground", "why", "train", "papers", "guide")
CONTROLS = (*GRIDS, "seed", "device")
GARBAGE = {
    "nu": "<script>", "correlation": "nan", "batch_size": "2.5", "learning_rate": "1e999", "steps": "", "dim": "0",
    "decay": "-1", "label_noise": "inf", "epsilon": "0", "delta": "1", "clip_norm": "-0", "replicates": "1",
    "seed": "9" * 99, "device": "../../etc", "figure": "none", "fidelity": "exact", "source": "?", "clipping": "perhaps",
    "nobody": "knows",
}
SMALLEST = {field: values[0] for field, values in GRIDS.items()} | {"steps": 1, "seed": 0}
LARGEST = {field: values[-1] for field, values in GRIDS.items()} | {"seed": 2**31 - 1}
UNSTABLE = {"learning_rate": 1.9, "batch_size": 1, "decay": 0}


@pytest.fixture(autouse=True)
def behind_the_router(monkeypatch):
    """AppTest forgets before each run that app.py routes to the pages; a server remembers it from its first run on."""
    made = PagesManager.__init__

    def make(self, *arguments, **options):
        PagesManager.uses_pages_directory = False
        made(self, *arguments, **options)

    monkeypatch.setattr(PagesManager, "__init__", make)


def opened(page: str = "playground", **query: object) -> AppTest:
    """A page after its first run, opened by a link; no run that a test makes may end in an exception box."""
    app = AppTest.from_file("../app.py", default_timeout=60)
    app.context["url"] = "http://127.0.0.1:8501/"
    if page != "playground":
        app.switch_page(f"pages/{page}.py")
    for name, value in query.items():
        app.query_params[name] = str(value)
    return faultless(app.run())


def faultless(app: AppTest) -> AppTest:
    assert [box.value for box in app.exception] == []
    return app


def headline(app: AppTest) -> dict[str, str]:
    """The number in the headline, by arm."""
    return dict(re.findall(r'id="gain-(\w+)">([^<]*)<', " ".join(block.proto.body for block in app.get("html"))))


def assert_headline_is(app: AppTest, changes: dict) -> None:
    expected = gains(changes)
    for arm, shown in headline(app).items():
        assert agrees(shown, expected[arm]), (arm, shown, expected[arm])
    assert set(headline(app)) == {"nu_ftrl", "lambda_cgd"}


def verdict(app: AppTest) -> str:
    return next(text.value for text in app.markdown if text.value.startswith(("After ", "The learning rate ")))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "link",
    [{}, GARBAGE, SMALLEST, pytest.param(LARGEST, marks=pytest.mark.slow), UNSTABLE],
    ids=["default", "garbage", "smallest", "largest", "unstable"],
)
def test_a_page_runs(page, link):
    app = opened(page, **link)
    assert app.main.children
    if page in ("playground", "why", "train"):
        expected = {} if link is GARBAGE else link
        for field, value in (DEFAULTS | expected).items():
            assert app.session_state[field] == value, field


def test_garbage_is_named_in_one_sentence_a_value():
    app = opened(**GARBAGE)
    sentences = [box.value.replace("\\", "") for box in app.warning]
    named = [field for field in CONTROLS if any(field in sentence for sentence in sentences)]
    assert named == list(CONTROLS) and len(sentences) == len(CONTROLS)
    assert_headline_is(app, {})
    assert not set(app.query_params) & set(CONTROLS), "a refused value leaves the link"
    assert len(faultless(app.run()).warning) == len(CONTROLS), "a page that reruns by itself goes on saying it"


@pytest.mark.parametrize("act", [lambda app: app.select_slider(key="steps").set_value(300), lambda app: app.button(key="preset-plain").click()])
def test_what_a_link_held_is_said_until_the_viewer_does_something(act):
    app = opened(nu="nan", dim="0")
    for _ in range(2):
        assert len(faultless(app.run()).warning) == 2
    assert not faultless(act(app).run()).warning
    assert not faultless(app.run()).warning


def test_text_in_a_link_stays_text():
    (box,) = opened(nu="[a](http://a.example) www.a.example `b` **c** $d$ :red[e]").warning
    assert not re.search(r"(?<!\\)[\[\]()`*$:<]|www\.", box.value.removeprefix("The link holds nu"))


def test_the_default_headline_is_the_theory():
    app = opened()
    assert_headline_is(app, {})
    assert min(float(shown.removesuffix("x")) for shown in headline(app).values()) >= 3


@pytest.mark.parametrize("link", [SMALLEST, {"steps": 1, "dim": 1}, {"nu": 0.0123, "correlation": 0.999, "steps": 77}])
def test_the_headline_is_the_theory_at_the_edges(link):
    app = opened(**link)
    assert_headline_is(app, link)


@pytest.mark.parametrize("link", [UNSTABLE, UNSTABLE | {"steps": 10_000}, {"learning_rate": 2, "batch_size": 1024}])
def test_a_diverging_optimiser_is_said_in_words(link):
    app = opened(**link)
    assert "every method diverges" in verdict(app)
    assert set(headline(app).values()) == {"-"}


@pytest.mark.parametrize("key", presets())
def test_a_preset_moves_every_control_and_the_headline(key):
    app = opened(epsilon=10, steps=50, nu=0.2)
    faultless(app.button(key=f"preset-{key}").click().run())
    setting = presets()[key].setting
    for field in CONTROLS:
        assert app.session_state[field] == getattr(setting, field), field
    assert_headline_is(app, setting.changes())
    assert any(text.value == f"{presets()[key].label}. {presets()[key].says}" for text in app.caption)


def test_plain_noise_is_exactly_one_and_too_much_correlation_loses():
    app = opened()
    app.button(key="preset-plain").click().run()
    assert headline(app) == {"nu_ftrl": "1.00x", "lambda_cgd": "1.00x"}
    assert "LOSES" not in verdict(app)
    app.button(key="preset-over").click().run()
    assert all(float(shown.removesuffix("x")) < 1 for shown in headline(app).values())
    assert "LOSES" in verdict(app)


def test_reset_brings_every_control_back():
    app = opened(**SMALLEST, device="cpu")
    faultless(app.button(key="reset").click().run())
    for field, value in DEFAULTS.items():
        assert app.session_state[field] == value, field
    assert app.session_state["device"] == "auto" and app.session_state["seed"] == 0
    assert dict(app.query_params) == {}
    assert_headline_is(app, {})


@pytest.mark.parametrize(("spelled", "value"), [("1e0", 1.0), ("1.50", 1.5), ("+3", 3.0), ("0.123", 0.123)])
def test_a_number_may_be_spelled_in_any_way_and_stay_off_the_grid(spelled, value):
    app = opened(epsilon=spelled)
    assert app.session_state["epsilon"] == value and not app.warning
    faultless(app.select_slider(key="steps").set_value(300).run())
    assert app.session_state["epsilon"] == value
    assert_headline_is(app, {"epsilon": value, "steps": 300})


@pytest.mark.parametrize("page", PAGES)
def test_a_page_keeps_the_controls_of_the_link(page):
    app = opened(page, nu=0.05)
    faultless(app.run())
    faultless(app.switch_page("pages/playground.py").run())
    assert app.session_state["nu"] == 0.05
    assert_headline_is(app, {"nu": 0.05})
