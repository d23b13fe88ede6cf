"""Adaptive clipping: results that arrive with no click, the switch, a preset that loses, and a link."""

from harness import by_key, open_page, settled
from playwright.sync_api import expect
from reading import in_link, main_chart

QUICK = {"dim": "2", "n_samples": "2000", "replicates": "5", "device": "cpu"}
_LINES = "node => Object.fromEntries(node._fullData.filter(trace => trace.mode === 'lines' && !trace.fill?.startsWith('to')).map(trace => [trace.name, trace.x.length]))"


def finished(page) -> None:
    expect(by_key(page, "run-state")).to_contain_text("all there", timeout=60_000)
    settled(page)


def chart(page, key: str):
    found = by_key(page, f"chart-{key}").locator(".live-chart[data-ready=true]")
    found.wait_for()
    return found


def test_everything_arrives_without_a_click(page):
    open_page(page, "/adaptive", **QUICK)
    finished(page)
    drawn = main_chart(page).evaluate(_LINES)
    assert drawn["adaptive, exact accounting"] == drawn["fixed clip, tuned on the truth"] == drawn["least squares, no privacy"] == 3
    assert chart(page, "thresholds").evaluate(_LINES) == {f"label noise {noise}": 6 for noise in ("1", "0.1", "0.01", "0")}
    assert chart(page, "norms").evaluate(_LINES)["before step 6"] == 40
    assert chart(page, "sizes").evaluate(_LINES)["adaptive, exact accounting"] > 2
    assert chart(page, "steps").evaluate(_LINES)["independent noise"] == 6
    assert by_key(page, "headline").locator("#fall").inner_text() not in ("-", "...")
    assert main_chart(page).evaluate("node => node.layout.shapes.map(shape => shape.x0)") == [0.01]
    expect(by_key(page, "table-ledger")).to_contain_text("every record is looked at once")


def test_the_switch_turns_to_the_printed_search_and_is_in_the_link(page):
    open_page(page, "/adaptive", **QUICK)
    by_key(page, "as_printed").get_by_text("as printed").click()
    expect(by_key(page, "table-ledger")).to_contain_text("As printed: the search shares one record", timeout=30_000)
    expect(by_key(page, "chart-thresholds")).to_contain_text("as printed")
    assert in_link(page)["as_printed"] == "true"
    finished(page)


def test_the_preset_that_loses_says_so(page):
    open_page(page, "/adaptive", **QUICK)
    finished(page)
    by_key(page, "preset-few").get_by_role("button").click()
    expect(page.get_by_text("Too few examples LOSE. 80 examples a parameter")).to_be_visible()
    expect(by_key(page, "verdict")).to_contain_text("At label noise 0.01 the fixed clip wins", timeout=60_000)
