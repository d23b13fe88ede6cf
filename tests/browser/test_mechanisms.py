"""Compare noise: all there with no click, handles that answer to keys and to a drag, links, and the best matrix in time."""

from dataclasses import replace

from harness import by_key, open_page, rerun, settled
from playwright.sync_api import expect
from reading import go_to, in_link, main_chart

from core.experiments import mechanisms
from core.experiments.mechanisms import HANDLES, NoiseSetting

SMALL = {"steps": "50", "dim": "4"}
_NAMES = "node => node._fullData.map(trace => trace.name)"
_CELLS = "node => [node._fullData[0].type, node._fullData[0].z.length, node._fullData[0].z[0].length]"


def chart(page, key: str):
    found = by_key(page, f"chart-{key}").locator(".live-chart[data-ready=true]")
    found.wait_for()
    return found


def handle(page, place: int):
    return by_key(page, "handles").get_by_role("slider").nth(place)


def own(levels: str) -> mechanisms.OwnNumbers:
    return mechanisms.own_numbers(NoiseSetting(steps=50, dim=4, levels=levels))


def test_everything_is_there_with_no_click(page):
    open_page(page, "/mechanisms")
    setting = NoiseSetting()
    found = mechanisms.winner(setting)
    expect(page.locator("#gain")).to_have_text(f"{found.gain:.3g}x")
    expect(page.locator("#over-optimum")).to_have_text(f"{found.over_optimum:.3g}x")
    shown = [mechanisms.words(setting, noise) for noise in setting.shown.split(",")]
    assert main_chart(page).evaluate(_NAMES) == shown == chart(page, "prefix").evaluate(_NAMES)
    assert chart(page, "spectra").evaluate(_NAMES)[:-1] == shown
    expect(by_key(page, "verdict")).to_contain_text("nu-DP-FTRL (nu = 0.01) wins")
    for key in ("strategy", "noising"):
        assert chart(page, key).evaluate(_CELLS) == ["heatmap", 84, 84]
    expect(page.locator("#own-over")).to_have_text(f"{mechanisms.own_numbers(setting).over_optimum:.3g}x")
    chart(page, "own-risk")


def test_after_a_preset_that_nothing_can_drag_the_headline_is_that_of_a_fresh_link(page):
    open_page(page, "/mechanisms")
    for key in ("flat", "restarts", "default", "restarts"):
        with rerun(page):
            by_key(page, f"preset-{key}").get_by_role("button").click()
        setting = mechanisms.presets()[key].setting
        found = mechanisms.winner(setting)
        names = [mechanisms.words(setting, noise) for noise in setting.shown.split(",")]
        page.wait_for_function(f"([node, names]) => JSON.stringify(({_NAMES})(node)) === JSON.stringify(names)",
                               arg=[main_chart(page).element_handle(), names])
        settled(page)
        expect(page.locator("#gain")).to_have_text(f"{max(found.gain, 1 / found.gain):.3g}x")
        expect(page.locator("#winner")).to_have_text(mechanisms.words(setting, found.noise))
    by_key(page, "nu").locator("input").focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    there = mechanisms.winner(replace(setting, nu=0.016))
    expect(page.locator("#gain")).to_have_text(f"{there.gain:.3g}x")


def test_handles_follow_keys_and_a_drag(page):
    open_page(page, "/mechanisms", **SMALL)
    chart(page, "own-risk")
    third = handle(page, 2)
    assert third.get_attribute("aria-label") == f"power at frequency {HANDLES[2]:.2g} radians per step"
    expect(by_key(page, "handles").get_by_text("frequency [radians per step]")).to_be_visible()
    third.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(third).to_have_attribute("aria-valuenow", "-1.15")
    field = by_key(page, "picked-levels").get_by_role("textbox")
    expect(field).to_have_value("-1.2 -1.2 -1.15 -0.6 -0.2 0.1 0.3")
    expect(page.locator("#own-over")).to_have_text(f"{own('-1.2 -1.2 -1.15 -0.6 -0.2 0.1 0.3').over_optimum:.3g}x")
    last = handle(page, len(HANDLES) - 1)
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for moved in range(0, 90, 10):
        page.mouse.move(x, y - moved)
    page.mouse.up()
    top = last.get_attribute("aria-valuenow")
    assert 1.3 < float(top) < 2
    levels = f"-1.2 -1.2 -1.15 -0.6 -0.2 0.1 {top}"
    expect(field).to_have_value(levels)
    expect(page.locator("#own-step")).to_have_text(f"{own(levels).step_error:.3g}x")
    with rerun(page):
        page.get_by_role("button", name="Flat (DP-SGD)").click()
    expect(page.locator("#own-gain")).to_have_text("1x")
    expect(last).to_have_attribute("aria-valuenow", "0")
    field.fill("0 0 nothing")
    field.press("Enter")
    page.get_by_text("levels='nothing', expected numbers").wait_for()


def test_a_link_opens_the_same_view_in_a_fresh_profile(new_page):
    page = new_page()
    open_page(page, "/mechanisms", **SMALL, levels="0 0 0 0 0 0 0.5", restarts=2)
    with rerun(page):
        page.get_by_role("button", name="binary tree", exact=True).click()
    with rerun(page):
        page.get_by_role("button", name="optimum, in the long run", exact=True).click()
    assert in_link(page)["shown"] == "independent,nu_ftrl,lambda_cgd,optimal_counting,honaker,binary_tree"
    fresh = new_page()
    open_page(fresh, page.url)
    assert in_link(fresh) == in_link(page) and set(in_link(fresh)) == {"steps", "dim", "levels", "restarts", "shown"}
    assert main_chart(fresh).evaluate(_NAMES) == main_chart(page).evaluate(_NAMES)
    assert "binary tree x 2" in main_chart(fresh).evaluate(_NAMES)
    go_to(fresh, "Playground")
    settled(fresh)
    assert in_link(fresh) == {}
    go_to(fresh, "Compare noise")
    settled(fresh)
    assert in_link(fresh) == in_link(page)


def test_the_best_matrix_comes_in_time_with_its_trick_and_its_proof(page):
    open_page(page, "/mechanisms", **SMALL)
    chart(page, "condition")
    assert len(chart(page, "trick").evaluate(_NAMES)) >= 3
    expect(by_key(page, "table-optima")).to_contain_text("Proven within", timeout=60_000)
