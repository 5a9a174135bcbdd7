"""Chromium as tests reach it: the one of the system, which is never downloaded."""

import contextlib
import shutil
from typing import NamedTuple

import pytest

# The first has no window to draw, and takes half the time of the others.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class Seen(NamedTuple):
    """What a page did while it was open."""

    requests: list
    dialogs: list
    said: list


@contextlib.contextmanager
def chromium():
    """A browser of the system; skipped where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("needs chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def opened(browser, path, **options):
    """A page with the file open in it, and everything that it asks for, says or pops up."""
    context = browser.new_context(**options)
    page, seen = context.new_page(), Seen([], [], [])
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: seen.said.append(message.text))
    page.on("pageerror", lambda error: seen.said.append(str(error)))
    page.goto(path.as_uri(), wait_until="load")
    if options.get("java_script_enabled", True):
        page.wait_for_selector("#app[aria-busy]", state="detached")
    try:
        yield page, seen
    finally:
        context.close()
