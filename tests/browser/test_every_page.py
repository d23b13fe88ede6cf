"""Every page in both themes and on a phone: nothing fails, nothing leaves the machine, nothing sticks out, axe is content."""

from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from harness import PHONE, accessibility_faults, charts_ready, open_page, settled

WITH_CHARTS = ("/", "/why", "/mechanisms", "/train", "/kan", "/adaptive", "/accelerate", "/intervals", "/papers")
PATHS = ("/", "/why", "/mechanisms", "/train", "/kan", "/adaptive", "/accelerate", "/intervals", "/papers", "/guide")
GARBAGE = {"nu": "<script>", "correlation": "nan", "batch_size": "-1", "learning_rate": "1e999", "steps": "", "seed": "9" * 99}

_IN_THEME = """theme => {
  const [red] = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor.match(/\\d+/g).map(Number);
  return (red > 128) === (theme === "light");
}"""


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_accessible_in_both_themes(page, path):
    open_page(page, path)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(_IN_THEME, arg=theme)
        settled(page)
        if path in WITH_CHARTS:
            charts_ready(page)
        assert accessibility_faults(page) == [], theme


@pytest.mark.parametrize("path", PATHS)
def test_a_page_opened_by_a_garbage_link_fits_a_phone(new_page, path):
    page = new_page(viewport=PHONE)
    open_page(page, path, **GARBAGE)
    if path in WITH_CHARTS:
        charts_ready(page)
    # formulas are wide until their style sheet has come
    page.wait_for_function("width => document.querySelector('[data-testid=stMain]').scrollWidth <= width", arg=PHONE["width"])


@pytest.mark.parametrize(("host", "status"), [("127.0.0.1", 101), ("evil.example", 403)])
def test_only_local_names_get_the_socket(address, host, status):
    """A name that its owner points at 127.0.0.1 (DNS rebinding) is refused."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x" * 22 + "=="}
    connection = HTTPConnection(urlsplit(address).netloc, timeout=5)
    connection.request("GET", "/_stcore/stream", headers={"Host": host, **upgrade})
    assert connection.getresponse().status == status
    connection.close()
