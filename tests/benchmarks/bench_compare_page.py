"""What the viewer of Compare noise waits for: the first view, and the numbers of one's own noise after a handle has moved.

Prints, never gates; a browser on the same cores counts into every number.
"""

import statistics
import time

import chromium
from harness import CHROMIUM_ARGS, by_key, charts_ready, open_page, served, settled, watched_page
from playwright.sync_api import sync_playwright

MOVES = 20
_FOLLOWED = "before => document.querySelector('#own-over')?.innerText !== before"


def main() -> None:
    path = chromium.find()
    if path is None:
        print(chromium.MISSING)
        return
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        page, _ = watched_page(browser, address)
        start = time.perf_counter()
        open_page(page, "/mechanisms")
        charts_ready(page)
        first = time.perf_counter() - start
        by_key(page, "chart-condition").locator(".live-chart[data-ready=true]").wait_for(timeout=60_000)
        settled(page)
        handle = by_key(page, "handles").get_by_role("slider").nth(2)
        handle.focus()
        waits = []
        for move in range(MOVES):
            before = page.locator("#own-over").inner_text()
            start = time.perf_counter()
            page.keyboard.press("PageUp" if move % 2 else "PageDown")
            page.wait_for_function(_FOLLOWED, arg=before, polling=5)
            waits.append(time.perf_counter() - start)
            settled(page)
        browser.close()
    print(f"first view of all charts       {first:.2f} s on a fresh server")
    print(f"numbers after a handle moved   {1000 * statistics.median(waits):.0f} ms (goal 100 ms), at worst {1000 * max(waits):.0f} ms")


if __name__ == "__main__":
    main()
