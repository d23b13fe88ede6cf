"""A run that is watched: it paints without a flicker, obeys to the snapshot, and outlives a moved slider."""

import re

import pytest
from harness import by_key, open_page, rerun, settled
from playwright.sync_api import expect
from reading import main_chart, press

STEPS, EVERY = 20_000, 100
_WATCH = """node => {
  window.painted = [];
  window.removed = 0;
  new MutationObserver(() => window.painted.push(performance.now())).observe(node, {attributeFilter: ["data-paints"]});
  new MutationObserver(changes => {
    for (const change of changes) for (const gone of change.removedNodes) if (gone === node || gone.contains(node)) window.removed += 1;
  }).observe(document.body, {subtree: true, childList: true});
}"""
_FIVE_A_SECOND = """() => window.painted.some(
  start => window.painted.filter(time => time >= start && time < start + 1000).length >= 5)"""

ROWS = "".join(f"{i},{(7 * i) % 11},{3 * i - (7 * i) % 11 + i % 3}\n" for i in range(40))
GOOD = "height,age,weight\n" + ROWS
BAD = {
    "empty": (b"", "header row"),
    "not text": (b"\xff\xfe\x00", "UTF-8"),
    "one column": (b"height\n1\n2\n", "at least two"),
    "words": (b"a,b\n1,2\n3,tall\n", "'tall'"),
    "ragged": (b"a,b\n1,2\n3\n", "line 3"),
    "constant": (b"a,b\n1,2\n1,3\n", "different values"),
}


def state(page) -> str:
    return by_key(page, "run-state").inner_text()


def step(page) -> int:
    return int(re.search(r"step ([\d,]+) of", state(page))[1].replace(",", ""))


def wait_for(page, words: str) -> None:
    expect(by_key(page, "run-state")).to_contain_text(words)


def finished(page, steps: int) -> None:
    """Wait until a run has ended and the page has drawn itself anew for it."""
    wait_for(page, f"finished: step {steps} of {steps}")
    expect(by_key(page, "cancel").get_by_role("button")).to_be_disabled()
    settled(page)


def click(page, key: str) -> None:
    by_key(page, key).get_by_role("button").click()


def test_a_run_paints_live_and_obeys(page):
    open_page(page, "/train", steps=STEPS, replicates=100)
    chart = main_chart(page)
    click(page, "run")
    wait_for(page, "running")
    node = chart.element_handle()
    node.evaluate(_WATCH)
    page.wait_for_function(_FIVE_A_SECOND)

    press(page, "nu", "ArrowRight")
    page.get_by_text("Stale", exact=True).wait_for()
    moved = step(page)
    page.wait_for_function("n => window.painted.length > n + 3", arg=page.evaluate("window.painted.length"))
    assert "running" in state(page) and step(page) > moved

    click(page, "pause")
    wait_for(page, "paused")
    by_key(page, "resume").wait_for()
    settled(page)
    paused, painted = state(page), page.evaluate("window.painted.length")
    for key in ("ArrowRight", "ArrowLeft"):
        press(page, "correlation", key)
        assert state(page) == paused
    assert page.evaluate("window.painted.length") == painted, "nothing new, nothing painted"

    at = step(page)
    assert at % EVERY == 0
    for more in (1, 2):
        click(page, "step")
        wait_for(page, f"paused: step {at + more * EVERY:,} of")

    click(page, "resume")
    wait_for(page, "running")
    page.wait_for_function("n => window.painted.length > n + 3", arg=page.evaluate("window.painted.length"))
    click(page, "cancel")
    wait_for(page, "cancelled")
    settled(page)
    cancelled = state(page)
    assert EVERY * 2 + at < step(page) < STEPS
    press(page, "correlation", "ArrowRight")
    assert state(page) == cancelled
    assert page.evaluate("window.removed") == 0 and node.evaluate("node => node.isConnected")

    click(page, "run")
    wait_for(page, "running")
    page.get_by_text("Stale", exact=True).wait_for(state="detached")
    click(page, "cancel")
    wait_for(page, "cancelled")
    assert page.evaluate("window.removed") == 0


def test_step_begins_a_run_and_a_short_one_finishes(page):
    open_page(page, "/train", steps=30, dim=4, replicates=5)
    click(page, "step")
    wait_for(page, "paused: step 0 of 30")
    click(page, "step")
    wait_for(page, "paused: step 1 of 30")
    click(page, "resume")
    finished(page, 30)
    assert "95% confidence" in by_key(page, "chart-main").inner_text()
    assert main_chart(page).evaluate("node => Math.max(...node._fullData.flatMap(trace => [...trace.x]))") == 30


@pytest.fixture
def table_page(page):
    open_page(page, "/train", source="Diabetes (real)", steps=50, replicates=5)
    return page


def test_real_data_and_a_table_of_ones_own(table_page):
    page = table_page
    click(page, "run")
    finished(page, 50)
    main_chart(page)
    assert by_key(page, "table-ledger").inner_text()

    page.get_by_role("combobox", name="Data").click()
    with rerun(page):
        page.get_by_role("option", name="Your CSV").click()
    for name, (content, words) in BAD.items():
        with rerun(page):
            page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files({"name": f"{name}.csv", "mimeType": "text/csv", "buffer": content})
        with rerun(page):
            click(page, "run")
        assert words in " ".join(page.get_by_test_id("stAlert").all_inner_texts()), name
    with rerun(page):
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files({"name": "good.csv", "mimeType": "text/csv", "buffer": GOOD.encode()})
    page.get_by_role("combobox", name="Column to predict").click()
    with rerun(page):
        page.get_by_role("option", name="age").click()
    assert page.get_by_text("Stale", exact=True).count() == 1
    click(page, "run")
    finished(page, 50)
    page.get_by_text("Stale", exact=True).wait_for(state="detached")
    assert page.get_by_test_id("stAlert").count() == 0
    main_chart(page)
