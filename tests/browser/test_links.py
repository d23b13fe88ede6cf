"""A link says everything: it opens the same view in a fresh profile, on a fresh server, and survives a change of page."""

import json
import re

from by_theory import DEFAULTS
from harness import OUT, by_key, open_page, served, watched_page
from playwright.sync_api import expect
from reading import assert_all_agree, go_to, headline, in_link, press, shown_controls

TITLES = (
    "Playground", "Why it works", "Compare noise", "Train live", "KAN", "Adaptive clipping", "Acceleration", "Confidence intervals",
    "Papers", "Guide",
)
VIEW = {
    "nu": "0.0123", "correlation": "8e-1", "learning_rate": "0.1", "batch_size": "32", "steps": "300", "dim": "16",
    "decay": "1.5", "label_noise": "0.20", "epsilon": "1e0", "delta": "1e-5", "clip_norm": "2",
}
NUMBERS = {name: type(DEFAULTS[name])(float(text)) for name, text in VIEW.items()}


def test_a_copied_link_opens_the_same_view_in_a_fresh_profile(new_page):
    page = new_page()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, **VIEW)
    assert_all_agree(page, NUMBERS)
    press(page, "steps", "ArrowRight")
    there = NUMBERS | {"steps": 500}
    assert_all_agree(page, there)
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")

    fresh = new_page()
    open_page(fresh, copied)
    assert_all_agree(fresh, there)
    assert headline(fresh) == headline(page)
    assert in_link(fresh) == in_link(page)


def test_a_garbage_link_shows_the_defaults_and_one_sentence_a_value(page):
    garbage = {
        "nu": "7", "correlation": "1", "batch_size": "2.5", "steps": "<b>many</b>", "epsilon": "nan", "seed": "x" * 30, "device": "tpu"
    }
    open_page(page, **garbage)
    assert_all_agree(page, {})
    assert in_link(page) == {}
    sentences = [box.inner_text() for box in page.get_by_test_id("stAlert").all()]
    assert [next(name for name in garbage if f" {name}=" in said) for said in sentences] == list(garbage)
    assert all("The default is used" in said for said in sentences)
    press(page, "nu", "ArrowLeft")
    assert page.get_by_test_id("stAlert").count() == 0


def test_a_change_of_page_keeps_the_controls(page):
    open_page(page)
    press(page, "nu", "ArrowRight")
    for title in ("Guide", "Why it works", "Papers", "Playground"):
        go_to(page, title)
        if title in ("Why it works", "Playground"):
            assert shown_controls(page) == DEFAULTS | {"nu": 0.0125}
    assert_all_agree(page, {"nu": 0.0125})


def test_a_link_to_a_page_without_controls_keeps_them(page):
    open_page(page, "/guide", nu="0.0125")
    go_to(page, "Playground")
    assert_all_agree(page, {"nu": 0.0125})


def test_the_first_link_that_a_fresh_server_is_asked_for_opens_its_page(browser):
    with served(log=OUT / "fresh.log") as address:
        page, faults = watched_page(browser, address)
        try:
            open_page(page, "/train", steps=300)
            by_key(page, "run").wait_for()
            assert shown_controls(page) == DEFAULTS | {"steps": 300}
            expect(page.get_by_role("navigation").get_by_role("link")).to_have_text(list(TITLES))
        finally:
            page.context.close()
        assert faults == []


def test_a_page_gives_a_notebook_that_names_its_setting(page):
    """Pages of each kind: with the controls of the workbench, with their own, with a figure of a paper, with none."""
    open_page(page, nu=0.0125)
    for title in ("Playground", "Train live", "KAN", "Papers", "Guide"):
        if title != "Playground":
            go_to(page, title)
        with page.expect_download() as started:
            by_key(page, "notebook").get_by_role("button").click()
        assert started.value.suggested_filename.endswith(".ipynb")
        with open(started.value.path()) as file:
            notebook = json.load(file)
        code = "".join("".join(cell["source"]) + "\n" for cell in notebook["cells"] if cell["cell_type"] == "code")
        words = "".join(notebook["cells"][0]["source"])
        assert "assert" in code
        if title == "Papers":
            assert "fidelity = 'quick'" in code and "/papers" in words
        elif title == "KAN":
            assert "width = 64" in code and "/kan" in words
        else:
            assert re.search(r"^nu = 0\.0125$", code, re.MULTILINE) and "nu=0.0125" in words, title
