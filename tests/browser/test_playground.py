"""The ten-second page: right with no click, right after every preset, and alive under a finger."""

from by_theory import DEFAULTS, gains
from harness import by_key, open_page, rerun, settled
from reading import assert_all_agree, drawn_gains, headline, in_link, main_chart, press, shown_controls, thumb

from core.comparison import presets

_COUNT_SENT = """() => {
  const send = WebSocket.prototype.send;
  window.sent = 0;
  WebSocket.prototype.send = function (data) { window.sent += 1; return send.call(this, data); };
}"""
_RANGES = "node => [node._fullLayout.xaxis.range, node._fullLayout.yaxis.range]"


def test_the_headline_is_the_theory_with_no_click(page):
    open_page(page)
    main_chart(page)
    assert page.url.endswith("/")
    assert shown_controls(page) == DEFAULTS
    assert_all_agree(page, {})
    assert min(float(shown.removesuffix("x")) for shown in headline(page).values()) >= 3
    assert "times less error than DP-SGD" in by_key(page, "verdict").inner_text()
    press(page, "nu", "ArrowRight")
    assert in_link(page) == {"nu": "0.0125"}
    assert_all_agree(page, {"nu": 0.0125})


def test_every_preset_moves_controls_link_chart_and_headline_together(page):
    open_page(page, nu=0.2, epsilon=5)
    for key, preset in presets().items():
        with rerun(page):
            by_key(page, f"preset-{key}").get_by_role("button").click()
        assert_all_agree(page, preset.setting.changes())
        if key == "plain":
            assert set(headline(page).values()) == {"1.00x"}
            assert set(drawn_gains(main_chart(page)).values()) == {1.0}
        if key == "over":
            assert max(float(shown.removesuffix("x")) for shown in headline(page).values()) < 1
        assert ("LOSES" in by_key(page, "verdict").inner_text()) == (key == "over")
    with rerun(page):
        page.get_by_role("button", name="Reset all controls").click()
    assert in_link(page) == {}
    assert_all_agree(page, {})


def test_a_held_drag_moves_the_same_chart_without_the_server(page):
    open_page(page)
    chart = main_chart(page)
    node = chart.element_handle()
    box = chart.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 220, steps=4)
    page.mouse.up()
    page.wait_for_function("node => !node._fullLayout.xaxis.autorange", arg=node)
    settled(page)
    zoomed, painted, before = node.evaluate(_RANGES), int(node.get_attribute("data-paints")), headline(page)

    x, y = thumb(page, "nu")
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(_COUNT_SENT)
    seen = []
    for notch in range(1, 9):
        page.mouse.move(x + 12 * notch, y, steps=2)
        page.evaluate("() => new Promise(requestAnimationFrame)")
        nu = float(by_key(page, "nu").locator("input").get_attribute("aria-valuetext"))
        seen.append((nu, headline(page)["nu_ftrl"]))
        assert headline(page)["lambda_cgd"] == before["lambda_cgd"]
    page.wait_for_function("([node, n]) => +node.dataset.paints >= n + 5", arg=[node, painted])
    assert page.evaluate("window.sent") == 0 and in_link(page) == {}
    assert len({nu for nu, _ in seen}) >= 5 and len({shown for _, shown in seen}) >= 5
    assert node.evaluate("node => node.isConnected") and node.evaluate(_RANGES) == zoomed
    drawn = drawn_gains(chart)["nu_ftrl"]
    assert abs(drawn / gains({"nu": nu})["nu_ftrl"] - 1) < 1e-5, "single precision while it moves"

    with rerun(page):
        page.mouse.up()
    assert_all_agree(page, {"nu": nu})
    assert node.evaluate("node => node.isConnected") and node.evaluate(_RANGES) == zoomed
    assert chart.count() == 1
