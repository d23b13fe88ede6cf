"""KAN: charges without a click, a run that is watched to its verdict, and links that keep to this page."""

from by_theory import DEFAULTS
from harness import OUT, by_key, open_page, rerun, served, settled, watched_page
from playwright.sync_api import expect
from reading import go_to, in_link, main_chart, press, shown_controls

QUICK = {"accountant": "spectral", "dataset": "rings", "width": "8", "steps": "50", "replicates": "3", "correlation": "0.6", "device": "cpu"}
SLIDERS = ("correlation", "width", "n_basis", "batch_size", "steps", "learning_rate", "clip_norm", "epsilon", "delta", "replicates")
_POINTS = "node => Object.fromEntries(node._fullData.map(trace => [trace.name, trace.x.length]))"


def sliders(page) -> dict[str, str]:
    return {name: by_key(page, name).locator("input").get_attribute("aria-valuetext") for name in SLIDERS}


def headline(page) -> tuple[str, str]:
    box = by_key(page, "headline")
    return box.locator("#best-lambda").inner_text(), box.locator("#gain").inner_text()


def chart(page, key: str):
    found = by_key(page, f"chart-{key}").locator(".live-chart[data-ready=true]")
    found.wait_for()
    return found


def test_the_charges_are_there_with_no_click(page):
    open_page(page, "/kan", accountant="spectral")
    drawn = chart(page, "accountants").evaluate(_POINTS)
    assert drawn["spectral bound"] >= 13 and drawn["without amplification"] >= 13
    expect(by_key(page, "verdict-fixed-size")).to_contain_text("Theorem F.8 claims delta = 1e-05")
    assert by_key(page, "table-charges").inner_text()
    assert headline(page) == ("...", "...")
    assert set(chart(page, "revealed").evaluate(_POINTS)) == {"delta given away, at least", "delta asked for"}
    expect(by_key(page, "verdict-revealed")).to_contain_text("It is not private as printed")
    assert {"at least, margin^-4", "at most, for this noise", "your width"} <= set(chart(page, "widths").evaluate(_POINTS))
    expect(by_key(page, "verdict-widths")).to_contain_text("no width fits")


def test_a_run_of_several_lambda_is_watched_to_its_verdict(page):
    open_page(page, "/kan", **QUICK)
    chart(page, "accountants")
    by_key(page, "run").get_by_role("button").click()
    expect(by_key(page, "run-state")).to_contain_text("finished: step 50 of 50", timeout=60_000)
    settled(page)
    points = main_chart(page).evaluate(_POINTS)
    assert {"lambda 0: DP-SGD", "lambda 0.6", "lambda 0.9", "no noise (not private)"} <= set(points)
    assert chart(page, "correlation").evaluate(_POINTS)["DP-lambda-CGD"] == 6
    assert "lambda 0.6, exact" in chart(page, "noise").evaluate(_POINTS)
    assert "lambda 0.6" in chart(page, "ahead").evaluate(_POINTS)
    assert chart(page, "edge-1").evaluate(_POINTS)["start"] == 81
    chart(page, "boundary")
    best, gain = headline(page)
    assert float(best) in (0.25, 0.5, 0.6, 0.75, 0.9) and abs(float(gain)) < 1
    expect(by_key(page, "verdict")).to_contain_text("After 50 steps at epsilon = 1")
    assert by_key(page, "table-ledger").inner_text()
    press(page, "correlation", "ArrowRight")
    page.get_by_text("Stale", exact=True).wait_for()
    assert headline(page) == (best, gain)


def upload(page, name: str, content: str) -> None:
    with rerun(page):
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content.encode()})


def test_a_table_of_ones_own_is_refused_in_a_sentence_or_trained_on(page):
    open_page(page, "/kan", **QUICK | {"batch_size": "20", "steps": "20"})
    page.get_by_text("Your own data: a CSV file").click()
    upload(page, "three.csv", "a,kind\n1,2\n2,3\n3,4\n")
    page.get_by_test_id("stAlert").get_by_text("expected two different numbers, one for each class").wait_for()
    with rerun(page):
        by_key(page, "run").get_by_role("button").click()
    expect(page.get_by_test_id("stAlert")).to_have_count(2)
    assert headline(page) == ("...", "..."), "nothing was trained"
    upload(page, "own.csv", "x,y,above\n" + "".join(f"{k},{(7 * k) % 61},{int((7 * k) % 61 > 30)}\n" for k in range(61)))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    page.get_by_text("46 records to train on and 15 held out, 2 inputs").wait_for()
    by_key(page, "run").get_by_role("button").click()
    expect(by_key(page, "run-state")).to_contain_text("finished: step 20 of 20", timeout=60_000)
    expect(by_key(page, "table-ledger")).to_contain_text("a record joins 8.7 times on average")


def test_a_link_opens_the_same_view_in_a_fresh_profile(new_page):
    page = new_page()
    open_page(page, "/kan", **QUICK, private="false", epsilon="1.25", sampling="fixed_size")
    press(page, "width", "ArrowRight")
    assert (in_link(page)["width"], in_link(page)["correlation"], in_link(page)["private"]) == ("16", "0.6", "false")
    fresh = new_page()
    open_page(fresh, page.url)
    assert sliders(fresh) == sliders(page) and sliders(fresh)["epsilon"] == "1.25"
    assert in_link(fresh) == in_link(page)
    assert fresh.get_by_role("switch", name="private").or_(fresh.get_by_role("checkbox", name="private")).is_checked() is False


def test_the_controls_of_the_other_pages_outlive_a_visit(page):
    open_page(page, nu=0.05, learning_rate=0.1, steps=500)
    go_to(page, "KAN")
    settled(page)
    assert in_link(page) == {}
    assert (sliders(page)["learning_rate"], sliders(page)["steps"], sliders(page)["correlation"]) == ("16", "300", "0.75")
    press(page, "learning_rate", "ArrowRight")
    press(page, "correlation", "ArrowLeft")
    here = {"learning_rate": "24", "correlation": "0.7"}
    assert in_link(page) == here
    for title in ("Playground", "Guide", "Why it works"):
        go_to(page, title)
        settled(page)
        if title != "Guide":
            assert shown_controls(page) == DEFAULTS | {"nu": 0.05, "learning_rate": 0.1, "steps": 500}
            assert in_link(page) == {"nu": "0.05", "learning_rate": "0.1", "steps": "500"}
    go_to(page, "KAN")
    settled(page)
    assert sliders(page)["learning_rate"] == "24" and in_link(page) == here
    with rerun(page):
        page.get_by_role("button", name="Reset all controls").click()
    assert in_link(page) == {}


def test_the_first_link_that_a_fresh_server_is_asked_for_opens_this_page(browser):
    with served(log=OUT / "fresh-kan.log") as address:
        page, faults = watched_page(browser, address)
        try:
            open_page(page, "/kan", **QUICK)
            by_key(page, "run").wait_for()
            chart(page, "accountants")
            assert {name: in_link(page)[name] for name in QUICK} == QUICK
        finally:
            page.context.close()
        assert faults == []
