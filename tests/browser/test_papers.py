"""The Papers page: what is exact is there at once, what is simulated paints as its points arrive, a link brings both back."""

import json
import re

from harness import by_key, open_page, rerun, settled
from playwright.sync_api import expect
from reading import in_link, main_chart

# Every paint of any chart, from the moment that a node carries its first points: how many points, what the bar said.
_WATCH = """() => {
  window.seen = [];
  new MutationObserver(changes => {
    const node = changes[changes.length - 1].target;
    const points = node._fullData.reduce((sum, trace) => sum + trace.x.length, 0);
    const progress = document.querySelector(".st-key-run-state [role=progressbar]")?.getAttribute("aria-valuenow");
    window.seen.push({node, points, progress});
  }).observe(document.body, {subtree: true, attributeFilter: ["data-paints"]});
}"""
_SEEN = """() => ({
  points: new Set(window.seen.map(each => each.points)).size,
  progress: new Set(window.seen.map(each => each.progress)).size,
  nodes: new Set(window.seen.map(each => each.node)).size,
})"""


def choose(page, number: str) -> None:
    page.get_by_role("combobox", name="Figure or table").click()
    with rerun(page):
        page.get_by_role("option", name=number).click()


def title(page) -> str:
    return by_key(page, "chart-main").get_by_role("heading").inner_text()


def points(page) -> int:
    return main_chart(page).evaluate("node => node._fullData[0].x.length")


def test_an_exact_figure_is_there_at_once_and_its_link_brings_it_back(new_page):
    page = new_page()
    open_page(page, "/papers")
    assert "error of the best correlated noise" in title(page)
    assert points(page) == 41
    assert "Matches the paper" in by_key(page, "verdict").inner_text()
    choose(page, "Correlated noise, Figure 1, right")
    with rerun(page):
        page.get_by_role("radio", name="full").or_(page.get_by_role("button", name="full")).click()
    settled(page)
    page.wait_for_function("node => node._fullData[0].x.length === 601", arg=main_chart(page).element_handle())
    assert "--fidelity full" in page.locator("code").last.inner_text()
    verdict = by_key(page, "verdict").inner_text()
    with page.expect_download() as started:
        by_key(page, "notebook").get_by_role("button").click()
    with open(started.value.path()) as file:
        words = "".join(json.load(file)["cells"][0]["source"])
    link = re.search(r"<(.*)>", words)[1]

    fresh = new_page()
    open_page(fresh, link)
    assert (title(fresh), points(fresh), by_key(fresh, "verdict").inner_text()) == (title(page), 601, verdict)
    assert set(in_link(page).items()) <= set(in_link(fresh).items())


def test_a_simulated_figure_paints_while_it_is_computed(page):
    open_page(page, "/papers", seed=3)
    main_chart(page)
    page.evaluate(_WATCH)
    choose(page, "Correlated noise, Figure 2, right")
    expect(by_key(page, "verdict")).to_contain_text("slopes agree", timeout=60_000)
    settled(page)
    assert "learning rate" in title(page)
    seen = page.evaluate(_SEEN)
    assert seen["points"] >= 3 and seen["progress"] >= 3 and seen["nodes"] == 1, seen
    assert by_key(page, "verdict").inner_text().startswith("Matches the paper: 2 of 2 slopes agree")
    assert by_key(page, "run-state").get_by_role("progressbar").count() == 0
    assert "seed=3" in page.url
