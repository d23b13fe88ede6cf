"""The live chart in a real browser: it follows a held slider, keeps its node and the viewer's zoom, and fits its place."""

from pathlib import Path

import pytest
from harness import PHONE, ROOT, accessibility_faults, open_page, rerun, served, settled

APP = Path(__file__).with_name("chart_app.py")
_COUNT_SENT = """() => {
  const send = WebSocket.prototype.send;
  window.sent = 0;
  WebSocket.prototype.send = function (data) { window.sent += 1; return send.call(this, data); };
}"""


@pytest.fixture(scope="module")
def address():
    with served(APP) as url:
        yield url


@pytest.fixture
def charts(page):
    """The two visible charts of a freshly opened page, painted, each remembering that it is the node it was."""
    return opened(page)


def opened(page):
    open_page(page)
    visible = page.locator('.live-chart[data-ready="true"]')
    page.wait_for_function("document.querySelectorAll('.live-chart[data-ready=true]').length === 2")
    visible.evaluate_all("nodes => nodes.forEach((node, index) => { node.remembered = index })")
    return visible


def paints(chart) -> int:
    return int(chart.get_attribute("data-paints"))


def first_y(chart, trace: int = 0) -> float:
    """The curve's height at step 1: nu for trace 0, 1.1 - lambda for trace 1."""
    return chart.evaluate(f"node => node._fullData[{trace}].y[0]")


def wait_for_y(page, chart, height: float, trace: int = 0) -> None:
    page.wait_for_function(
        "([node, trace, height]) => Math.abs(node._fullData[trace].y[0] - height) < 1e-6",
        arg=[chart.element_handle(), trace, height],
    )


def thumb(page, key: str) -> tuple[float, float]:
    box = page.locator(f".st-key-{key} [data-testid=stSliderThumbValue] >> xpath=..").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def ranges(chart) -> list:
    return chart.evaluate("node => [node._fullLayout.xaxis.range, node._fullLayout.yaxis.range]")


def zoom(page, chart) -> None:
    box, before = chart.bounding_box(), ranges(chart)
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, box["y"] + 180, steps=5)
    page.mouse.up()
    page.wait_for_function("([node, x]) => node._fullLayout.xaxis.range[0] !== x", arg=[chart.element_handle(), before[0][0]])


def test_a_held_drag_moves_both_charts_and_the_words_without_the_server(page, charts):
    frames = []
    x, y = thumb(page, "nu")
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(_COUNT_SENT)
    for index in range(charts.count()):
        frames.append(paints(charts.nth(index)))
    for position in range(6, 11):
        page.mouse.move(x + (position - 5) * 24, y, steps=3)
        shown = float(page.locator(".st-key-nu [aria-valuetext]").get_attribute("aria-valuetext"))
        wait_for_y(page, charts.first, shown)
        wait_for_y(page, charts.last, shown)
        assert page.locator("#headline-number").inner_text() == f"{1 / shown:.2f}"
    assert shown > 0.8
    assert [paints(charts.nth(index)) - before >= 5 for index, before in enumerate(frames)] == [True, True]
    assert page.evaluate("window.sent") == 0 and "nu=" not in page.url
    with rerun(page):
        page.mouse.up()
    assert f"nu={shown:g}" in page.url
    assert first_y(charts.first) == shown, "what was committed is drawn in full precision"
    assert page.locator("#headline-number").inner_text() == f"{1 / shown:.2f}"
    assert charts.evaluate_all("nodes => nodes.map(node => node.remembered)") == [0, 1]


def test_arrow_keys_move_the_chart_and_commit(page, charts):
    page.locator(".st-key-nu input").focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    wait_for_y(page, charts.first, 0.6)
    assert "nu=0.6" in page.url
    assert page.locator("#headline-number").inner_text() == "1.67"


def test_two_sliders_each_move_their_own_curve(page, charts):
    page.locator(".st-key-correlation input").focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    wait_for_y(page, charts.first, 0.5, trace=1)
    assert first_y(charts.first, trace=0) == 0.5
    page.locator(".st-key-nu input").focus()
    with rerun(page):
        page.keyboard.press("ArrowLeft")
    wait_for_y(page, charts.first, 0.4, trace=0)
    wait_for_y(page, charts.first, 0.5, trace=1)


def test_a_zoom_survives_updates_themes_and_sizes_in_the_same_node(page, charts):
    zoom(page, charts.first)
    seen = ranges(charts.first)
    page.locator(".st-key-nu input").focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    wait_for_y(page, charts.first, 0.6)
    before = paints(charts.first)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 900, "height": 700})
    page.wait_for_function("([node, n]) => +node.dataset.paints > n", arg=[charts.first.element_handle(), before])
    settled(page)
    assert ranges(charts.first) == seen
    assert charts.evaluate_all("nodes => nodes.map(node => node.remembered)") == [0, 1]
    page.wait_for_function(
        "node => Math.abs(node.querySelector('svg').getBoundingClientRect().width - node.clientWidth) < 2",
        arg=charts.first.element_handle(),
    )


def test_letters_take_the_colour_of_the_theme(page, charts):
    letters = "node => getComputedStyle(node.querySelector('.xtitle')).fill"
    words = "() => getComputedStyle(document.querySelector('#headline-number')).color"
    light = charts.first.evaluate(letters)
    assert light == page.evaluate(words)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"([node, light]) => ({letters})(node) !== light", arg=[charts.first.element_handle(), light])
    assert charts.first.evaluate(letters) == page.evaluate(words)


def test_a_run_that_changes_nothing_paints_nothing(page, charts):
    before = [paints(charts.nth(index)) for index in range(2)]
    with rerun(page):
        page.get_by_role("button", name="Run again").click()
    assert [paints(charts.nth(index)) for index in range(2)] == before


_OVERTAKEN = """async source => {
  const { default: draw } = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
  const parentElement = document.createElement("div");
  parentElement.innerHTML = '<div class="live-chart"></div>';
  document.body.append(parentElement);
  const figure = JSON.stringify({data: [], layout: {}, config: {}});
  const data = {plotly: "data:text/javascript,", figure, drag: "{}", words: {}, label: "A chart", height: 100};
  const [endOvertaken, endLatest] = [draw({data, parentElement}), draw({data, parentElement})];
  endOvertaken();
  const node = parentElement.querySelector(".live-chart"), lives = node.chart !== undefined;
  endLatest();
  endLatest();
  parentElement.remove();
  return [lives, node.chart === undefined];
}"""


def test_the_end_of_an_overtaken_call_leaves_the_chart_to_the_next_one(page, charts):
    """Streamlit ends a call whose data came too late by what it returned, after the next call has taken the chart over."""
    source = (ROOT / "assets" / "chart" / "chart.js").read_text()
    assert page.evaluate(_OVERTAKEN, source) == [True, True]


def test_a_chart_in_a_closed_tab_paints_when_opened(page, charts):
    hidden = page.locator('[aria-label="Not seen at first."]')
    page.get_by_role("tab", name="Closed at first").click()
    page.wait_for_function("node => node.dataset.ready === 'true'", arg=hidden.element_handle())
    assert hidden.evaluate("node => node._fullLayout.width === node.clientWidth")


def test_on_a_phone_the_chart_fits(new_page):
    page = new_page(viewport=PHONE)
    charts = opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    box = charts.first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= PHONE["width"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chart_is_an_image_with_words_and_axe_finds_nothing(new_page, theme):
    page = new_page(theme=theme)
    opened(page)
    assert page.get_by_role("img", name="Error grows with the step.").count() == 1
    assert accessibility_faults(page) == []
