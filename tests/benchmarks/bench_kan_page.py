"""What the viewer of the KAN page waits for: from Run to the first painted point, and to the end of the default run.

Prints, never gates; a browser on the same cores counts into every number.
"""

import statistics
import time

import chromium
from harness import CHROMIUM_ARGS, by_key, open_page, served, settled, watched_page
from playwright.sync_api import sync_playwright

RUNS = 3
_FIRST_POINT = """step => {
  const chart = document.querySelector(".st-key-chart-main .live-chart[data-ready=true]");
  const drawn = chart?._fullData?.find(trace => trace.name === "lambda 0.75");
  return drawn && drawn.x[drawn.x.length - 1] < step;
}"""


def main() -> None:
    path = chromium.find()
    if path is None:
        print(chromium.MISSING)
        return
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        page, _ = watched_page(browser, address)
        open_page(page, "/kan")
        by_key(page, "chart-widths").locator(".live-chart[data-ready=true]").wait_for(timeout=60_000)
        firsts, wholes = [], []
        for _ in range(RUNS):
            settled(page)
            start = time.perf_counter()
            by_key(page, "run").get_by_role("button").click()
            page.wait_for_function(_FIRST_POINT, arg=300, polling=20)
            firsts.append(time.perf_counter() - start)
            by_key(page, "run-state").get_by_text("finished: step 300 of 300").wait_for(timeout=120_000)
            wholes.append(time.perf_counter() - start)
        browser.close()
    print(f"Run to the first point  {statistics.median(firsts):.2f} s  (goal 1 s), at worst {max(firsts):.2f} s")
    print(f"Run to the last step    {statistics.median(wholes):.1f} s  (goal 15 s on 2 cores), at worst {max(wholes):.1f} s")


if __name__ == "__main__":
    main()
