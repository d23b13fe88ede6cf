"""What a viewer reads and does on the pages, for the browser tests: controls, headline, chart, and the keys that move them."""

from urllib.parse import parse_qsl, urlsplit

from by_theory import DEFAULTS, agrees, gains
from harness import by_key, rerun

ARMS = {"nu_ftrl": "nu-DP-FTRL", "lambda_cgd": "DP-lambda-CGD"}
INDEPENDENT = "DP-SGD (independent noise)"

_LAST = """node => Object.fromEntries(
  node._fullData.filter(trace => trace.mode === "lines").map(trace => [trace.name, trace.y[trace.y.length - 1]]))"""


def in_link(page) -> dict[str, str]:
    """The query parameters of the address bar."""
    return dict(parse_qsl(urlsplit(page.url).query))


def shown_controls(page) -> dict[str, float]:
    """What the sliders say, by name."""
    return {name: float(by_key(page, name).locator("input").get_attribute("aria-valuetext")) for name in DEFAULTS}


def headline(page) -> dict[str, str]:
    """The two numbers in the headline, by arm."""
    return {arm: by_key(page, "headline").locator(f"#gain-{arm}").inner_text() for arm in ARMS}


def main_chart(page):
    """The chart in `chart-main`, once it is painted."""
    chart = by_key(page, "chart-main").locator(".live-chart[data-ready=true]")
    chart.wait_for()
    return chart


def drawn_gains(chart) -> dict[str, float]:
    """How many times below DP-SGD's line each arm's line ends in the chart."""
    ends = chart.evaluate(_LAST)
    return {arm: ends[INDEPENDENT] / ends[label] for arm, label in ARMS.items()}


def wait_for_drawn(page, arm: str, gain: float) -> None:
    """Wait until the main chart has painted a line of this gain."""
    page.wait_for_function(
        "([node, top, label, gain]) => { const ends = (" + _LAST + ")(node); "
        "return Math.abs(ends[top] / ends[label] / gain - 1) < 1e-6 }",
        arg=[main_chart(page).element_handle(), INDEPENDENT, ARMS[arm], gain],
    )


def assert_all_agree(page, controls: dict) -> None:
    """Sliders, link, chart and headline all show the theory at these controls; the rest at their defaults."""
    expected = {name: float(controls.get(name, value)) for name, value in DEFAULTS.items()}
    shown = shown_controls(page)
    assert shown == expected, (shown, expected)
    linked = {name: float(value) for name, value in in_link(page).items() if name in DEFAULTS}
    assert linked == {name: value for name, value in expected.items() if value != DEFAULTS[name]}, linked
    for arm, gain in gains(controls).items():
        if arm in ARMS:
            wait_for_drawn(page, arm, gain)
    for arm, shown in headline(page).items():
        assert agrees(shown, gains(controls)[arm]), (arm, shown)


def press(page, control: str, key: str) -> None:
    """Press a key on a slider and wait for the run that it starts."""
    by_key(page, control).locator("input").focus()
    with rerun(page):
        page.keyboard.press(key)


def go_to(page, title: str) -> None:
    """Open another page by its name in the navigation."""
    with rerun(page):
        page.get_by_role("link", name=title, exact=True).click()


def thumb(page, control: str) -> tuple[float, float]:
    """Where a slider's thumb is on the screen."""
    box = by_key(page, control).locator("[data-testid=stSliderThumbValue] >> xpath=..").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
