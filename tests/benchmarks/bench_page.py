"""What the viewer waits for: from start to a painted chart, and from a key press on nu to the next painted chart.

Prints, never gates; a browser on the same cores counts into every number.
"""

import statistics
import time

import chromium
from harness import CHROMIUM_ARGS, charts_ready, open_page, served, watched_page
from playwright.sync_api import sync_playwright

PRESSES = 60
_STOPWATCH = """chart => {
  window.waits = [];
  let pressed = null;
  addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (pressed !== null) { window.waits.push(performance.now() - pressed); pressed = null; }
  }).observe(chart, {attributes: true, attributeFilter: ["data-paints"]});
}"""


def main() -> None:
    path = chromium.find()
    if path is None:
        print(chromium.MISSING)
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        start = time.perf_counter()
        with served() as address:
            healthy = time.perf_counter() - start
            page, _ = watched_page(browser, address)
            open_page(page)
            charts_ready(page)
            print(f"start to painted charts  {time.perf_counter() - start:.2f} s  (server up after {healthy:.2f} s; goal 3 s)")
            page.evaluate(_STOPWATCH, page.locator(".st-key-chart-main .live-chart").element_handle())
            knob = page.locator(".st-key-nu input")
            for press in range(PRESSES):
                knob.press("ArrowRight" if press % 2 == 0 else "ArrowLeft")
                page.wait_for_function("presses => window.waits.length === presses", arg=press + 1)
            waits = sorted(page.evaluate("window.waits"))
            median, p95 = statistics.median(waits), waits[int(0.95 * len(waits))]
            print(f"key press to painted chart  median {median:.0f} ms, p95 {p95:.0f} ms  (goal 100 and 200 ms)")
        browser.close()


if __name__ == "__main__":
    main()
