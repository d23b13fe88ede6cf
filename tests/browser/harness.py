"""What browser tests and the page benchmark share: a served workbench, a watched page, and waiting without sleeping."""

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from weakref import WeakKeyDictionary

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOT = Path(__file__).parents[2]
OUT = ROOT / "out" / "browser"
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}

# No name but the server's own resolves, so nothing can leave; the rest keeps Chromium from trying.
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]

# Reports each exception box as a console error, however briefly it is there.
_WATCHER = """
const seen = new WeakSet();
new MutationObserver(() => {
  for (const box of document.querySelectorAll('[data-testid="stException"]'))
    if (!seen.has(box)) { seen.add(box); console.error("exception box: " + box.innerText); }
}).observe(document, {subtree: true, childList: true});
"""
_IDLE = "() => new Promise(done => requestIdleCallback(() => requestAnimationFrame(done)))"

# Opened below the root, Streamlit first looks for its server beside the page, and then at the root.
_EXPECTED_MISSES = ("/_stcore/health", "/_stcore/host-config")

# Two of axe's minor findings are inside Streamlit's own file uploader and table, where no page can mend them.
_STREAMLITS_OWN = ("presentation-role-conflict", "empty-table-header")

_sockets: WeakKeyDictionary[Page, WebSocket] = WeakKeyDictionary()


@contextmanager
def served(app: Path = ROOT / "app.py", log: Path = OUT / "server.log") -> Iterator[str]:
    """Run the workbench on a free port of 127.0.0.1; gives its address once it is healthy, stops it on leaving.

    Raises: RuntimeError with the end of the log when it does not come up within 30 s.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.headless=true", f"--server.port={port}"]
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + 30
        while not _healthy(f"http://127.0.0.1:{port}/_stcore/health"):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the workbench did not start:\n{log.read_text()[-2000:]}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=10)


def watched_page(browser: Browser, address: str, theme: str = "light", viewport: dict = DESKTOP) -> tuple[Page, list[str]]:
    """A page in a fresh browser profile, and the growing list of its faults.

    A fault is a console error, an uncaught error, an exception box, or a request to anything but `address`.
    """
    context = browser.new_context(base_url=address, color_scheme=theme, viewport=viewport, reduced_motion="reduce")
    context.add_init_script(_WATCHER)
    context.set_default_timeout(20_000)
    faults: list[str] = []

    def check_request(url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != urlsplit(address).netloc:
            faults.append(f"request to {url}")

    def check_console(line: ConsoleMessage) -> None:
        if line.type == "error" and not line.location["url"].endswith(_EXPECTED_MISSES):
            faults.append(f"console: {line.text} {line.location['url']}")

    def check_socket(socket: WebSocket) -> None:
        check_request(socket.url)
        _sockets[page] = socket

    page = context.new_page()
    page.on("request", lambda request: check_request(request.url))
    page.on("websocket", check_socket)
    page.on("console", check_console)
    page.on("pageerror", lambda error: faults.append(f"page error: {error}"))
    return page, faults


def open_page(page: Page, path: str = "/", **query: object) -> None:
    """Load a page of the workbench, its query parameters given by name, and wait until its script has run."""
    page.goto(f"{path}?{urlencode(query)}" if query else path)
    settled(page)


def settled(page: Page) -> None:
    """Wait until no script runs and the browser has drawn. After an action use `rerun`: its run may not have begun."""
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    page.evaluate(_IDLE)


def charts_ready(page: Page) -> None:
    """Wait until there is a live chart, and every one on screen is painted."""
    page.wait_for_function("""() => {
      const charts = [...document.querySelectorAll(".live-chart")].filter(chart => chart.checkVisibility());
      return charts.length > 0 && charts.every(chart => chart.dataset.ready === "true");
    }""")


@contextmanager
def rerun(page: Page) -> Iterator[None]:
    """Wait on leaving until the server has finished a run, of the script or of a fragment, and the browser has drawn it.

    Wrap what a viewer does. The state shown in the page will not do: a busy browser skips the moment of running.
    """
    with _sockets[page].expect_event("framereceived", _ends_run):
        yield
    settled(page)


def by_key(page: Page, key: str):
    """Locator of the Streamlit container or widget with this `key`."""
    return page.locator(f".st-key-{key}")


def accessibility_faults(page: Page) -> list[str]:
    """What axe finds wrong with the page as it stands: one line a rule, with the first element that breaks it."""
    found = [fault for fault in Axe().run(page).response["violations"] if fault["id"] not in _STREAMLITS_OWN]
    return [f"{fault['impact']} {fault['id']}: {fault['help']}: {fault['nodes'][0]['html']}" for fault in found]


def screenshot(page: Page, name: str) -> Path:
    """Save what is on screen as out/browser/NAME.png (not committed)."""
    path = OUT / f"{name}.png"
    page.screenshot(path=path)
    return path


def _healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1) as answer:
            return answer.status == 200
    except (URLError, ConnectionError, TimeoutError):
        return False


def _ends_run(frame: str | bytes) -> bool:
    message = ForwardMsg.FromString(frame)
    finished = message.WhichOneof("type") == "script_finished"
    return finished and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
