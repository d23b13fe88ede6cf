"""Confidence intervals: everything arrives without a click, the cloud follows its slider, presets that fail say so, own data."""

import re

from harness import by_key, open_page, rerun, settled
from playwright.sync_api import expect
from reading import in_link, main_chart, press

QUICK = {"n_samples": "400", "dim": "3", "rho": "1", "steps": "120", "replicates": "10", "device": "cpu"}
_POINTS = "node => Object.fromEntries(node._fullData.map(trace => [trace.name, trace.x.length]))"
_NOW = "node => Array.from(node._fullData.find(trace => trace.name === 'replicates at this step').x)"
GOOD = "a,b,y\n" + "\n".join(f"{i % 17},{(i * 7) % 13},{(i * 5) % 11}" for i in range(200))


def chart(page, key: str):
    found = by_key(page, f"chart-{key}").locator(".live-chart[data-ready=true]")
    found.wait_for(timeout=60_000)
    return found


def finished(page) -> None:
    expect(by_key(page, "headline").locator("#error")).to_contain_text("+-", timeout=60_000)
    chart(page, "caterpillar")
    settled(page)


def test_the_run_and_its_theory_arrive_without_a_click(page):
    open_page(page, "/intervals", **QUICK)
    finished(page)
    assert main_chart(page).evaluate(_POINTS)["replicates at this step"] == 10
    hits = chart(page, "caterpillar").evaluate(_POINTS)
    assert hits["covers least squares"] + hits["misses it"] == 10
    assert chart(page, "against-steps").evaluate(_POINTS)["this run"] == 1
    chart(page, "clipping")
    expect(by_key(page, "table-conditions")).to_contain_text("c_0", timeout=60_000)
    expect(by_key(page, "table-ledger")).to_contain_text("one record replaced by any other")
    expect(by_key(page, "verdict")).to_contain_text(re.compile(r"Measured: 0\.\d+ \+- 0\.\d+ of the intervals cover least squares"))
    chart(page, "panel-3")
    settled(page)


def test_what_a_link_held_is_said_beyond_the_end_of_the_run_and_until_something_is_done(page):
    open_page(page, "/intervals", **QUICK | {"rho": "nan", "design": "xxx", "delta": "2"})
    finished(page)  # the page has rerun by itself
    said = page.get_by_text("The link holds")
    expect(said).to_have_count(3)
    press(page, "clip_factor", "Home")
    expect(said).to_have_count(0)


def test_the_cloud_follows_its_slider_before_python_hears_of_it(page):
    open_page(page, "/intervals", **QUICK)
    finished(page)
    cloud = main_chart(page)
    assert len(set(cloud.evaluate(_NOW))) == 10
    slider = by_key(page, "shown_step").locator("input")
    slider.focus()
    with rerun(page):
        page.keyboard.press("Home")
    page.wait_for_function(f"node => ({_NOW})(node).every(x => x === 0)", arg=cloud.element_handle())
    assert in_link(page)["shown_step"] == "0"


def test_clipping_that_bites_is_said_and_drawn(page):
    open_page(page, "/intervals", **QUICK | {"clip_factor": "0.5"})
    finished(page)
    assert "what clipping estimates (Huber)" in main_chart(page).evaluate(_POINTS)
    expect(by_key(page, "verdict-clipping")).to_contain_text("of the gradients are cut", timeout=60_000)
    measured = by_key(page, "headline").locator("#measured").inner_text()
    press(page, "clip_factor", "End")
    finished(page)
    assert in_link(page)["clip_factor"] == "12" and by_key(page, "headline").locator("#measured").inner_text() != measured


def test_the_viewers_own_table_and_a_bad_one(page):
    open_page(page, "/intervals", **QUICK | {"design": "own_table"})
    expect(by_key(page, "trouble")).to_contain_text("expected one with a header row")
    upload = page.locator("[data-testid=stFileUploaderDropzoneInput]")
    with rerun(page):
        upload.set_input_files({"name": "bad.csv", "mimeType": "text/csv", "buffer": b"a,y\nx,1\ny,2\n"})
    expect(by_key(page, "trouble")).to_contain_text("column 'a' in line 2")
    with rerun(page):
        upload.set_input_files({"name": "good.csv", "mimeType": "text/csv", "buffer": GOOD.encode()})
    finished(page)
    expect(by_key(page, "table-coefficients")).to_contain_text("Every column was standardised")
    assert by_key(page, "trouble").count() == 0
