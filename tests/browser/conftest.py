"""A served workbench and a real browser for the tests in this folder; every page that a test opens must stay faultless."""

import os

import chromium
import pytest
from harness import CHROMIUM_ARGS, OUT, screenshot, served, watched_page
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def address():
    """Address of the workbench, served once a session."""
    with served() as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium. Without one tests are skipped, and fail when CI=true."""
    path = chromium.find()
    if path is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(chromium.MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser, address, request):
    """Open pages in fresh profiles: `new_page(theme="dark", viewport=PHONE)`; the test fails if any of them has a fault."""
    opened = []

    def new_page(**options):
        page, faults = watched_page(browser, address, **options)
        opened.append((page, faults))
        return page

    yield new_page
    all_faults = []
    for number, (page, faults) in enumerate(opened):
        if faults or getattr(request.node, "failed", False):
            screenshot(page, f"{request.node.name.replace('/', '_')}-{number}")
        page.context.close()
        all_faults += faults
    if all_faults:
        log = (OUT / "server.log").read_text()[-2000:]
        pytest.fail("\n".join(all_faults) + f"\nthe server's last words:\n{log}", pytrace=False)


@pytest.fixture
def page(new_page):
    """A page in the light theme on a desktop screen, not yet opened."""
    return new_page()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.failed = report.failed
    return report


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    if any(chromium.MISSING in str(report.longrepr) for report in skipped):
        terminalreporter.section("WARNING", red=True, bold=True)
        terminalreporter.line(chromium.MISSING, red=True, bold=True)
