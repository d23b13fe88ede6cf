"""Acceleration: the exact panels and the comparison come without a click, and a link opens the same view."""

from harness import by_key, open_page
from playwright.sync_api import expect
from reading import in_link

QUICK = {"n_samples": "256", "dim": "3", "replicates": "4", "device": "cpu"}
_POINTS = "node => Object.fromEntries(node._fullData.map(trace => [trace.name, trace.x.length]))"
_MARKS = "node => node.layout.shapes.map(shape => shape.x0)"


def chart(page, key: str):
    found = by_key(page, f"chart-{key}").locator(".live-chart[data-ready=true]")
    found.wait_for()
    return found


def test_everything_comes_without_a_click(page):
    open_page(page, "/accelerate", **QUICK)
    expect(by_key(page, "run-state")).to_contain_text("all there: 4 of 4 step counts done", timeout=60_000)
    drawn = chart(page, "main").evaluate(_POINTS)
    assert drawn["DP-SGD"] == drawn["accelerated, tree (the paper)"] == 4
    assert chart(page, "main").evaluate(_MARKS) == [4, 16]
    assert chart(page, "prices").evaluate(_POINTS)["square-root Toeplitz"] == chart(page, "prices").evaluate(_POINTS)["tree, as in the paper"]
    assert chart(page, "flat").evaluate(_POINTS)["clip norm"] == 16
    expect(by_key(page, "verdict-theorem")).to_contain_text("The theorem speaks from n = 589,716 on")
    expect(by_key(page, "verdict")).to_contain_text("At 4 steps (n^(1/4))")
    assert by_key(page, "headline").locator("#speaks").inner_text() == "589,716"
    assert by_key(page, "table-ledger").inner_text() and by_key(page, "table-theorem").inner_text()


def test_a_link_opens_the_same_view_in_a_fresh_profile(new_page):
    page = new_page()
    open_page(page, "/accelerate", **QUICK, problem="logistic", epsilon="1.25")
    fresh = new_page()
    open_page(fresh, page.url)
    assert in_link(fresh) == in_link(page) == QUICK | {"problem": "logistic", "epsilon": "1.25"}
    said = [by_key(each, "epsilon").locator("input").get_attribute("aria-valuetext") for each in (page, fresh)]
    assert said == ["1.25", "1.25"]
