"""Find a Chromium for the browser tests; run as a script, install one where there is none."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPS = ("Google Chrome", "Chromium")
MISSING = "NO BROWSER TEST CAN RUN: there is no Chromium or Chrome that Playwright can drive, and none could be installed."


def find() -> str | None:
    """Path of a Chromium or Chrome: on the PATH, among the macOS applications, or downloaded by Playwright."""
    if subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, check=False).returncode != 0:
        return None  # its driver lacks a library, as it does on a bare Debian
    apps = [f"/Applications/{app}.app/Contents/MacOS/{app}" for app in MAC_APPS]
    with sync_playwright() as playwright:
        candidates = [*filter(None, map(shutil.which, COMMANDS)), *apps, playwright.chromium.executable_path]
        return next(filter(_runs, candidates), None)


def install() -> None:
    """With apt-get on Debian as root, with Playwright's own download elsewhere."""
    if _is_debian() and os.geteuid() == 0:
        print("Installing chromium with apt-get", flush=True)
        apt_get = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-qq"]
        subprocess.run([*apt_get, "update"], check=False)
        subprocess.run([*apt_get, "install", "--no-install-recommends", "chromium", "libatomic1"], check=False)
    else:
        print("Downloading Chromium with Playwright", flush=True)
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _runs(path: str) -> bool:
    """Whether the file is there and is a browser: Ubuntu's `chromium-browser` may only be a note that points to snap."""
    if not Path(path).is_file():
        return False
    asked = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    return asked.returncode == 0


def _is_debian() -> bool:
    release = Path("/etc/os-release")
    return release.is_file() and "ID=debian" in release.read_text().splitlines()


if __name__ == "__main__":
    if find() is None:
        install()
    found = find()
    print(f"Browser tests use {found}" if found else MISSING, flush=True)
