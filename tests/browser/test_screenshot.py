"""The picture in README.md: the Playground as it opens. `make screenshot` renews it; otherwise it must be a picture of the same size."""

import os

from harness import ROOT, charts_ready, open_page

PICTURE = ROOT / "assets" / "screenshot.png"


def test_the_playground_paints_its_main_chart(page):
    open_page(page)
    charts_ready(page)
    picture = page.screenshot()
    if os.environ.get("UPDATE_SCREENSHOT"):
        PICTURE.write_bytes(picture)
    signature_and_size = slice(0, 24)
    assert PICTURE.read_bytes()[signature_and_size] == picture[signature_and_size]
