"""One browser a process, and for each module one page that every test finds as it starts."""

import pytest
from tests.reports.browser import chromium, opened
from tests.reports.live import reported, settled


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    reported().save(path)
    return path


@pytest.fixture(scope="session")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def one_page(browser, saved):
    with opened(browser, saved, viewport={"width": 1280, "height": 900}) as (page, seen):
        page.set_default_timeout(10_000)
        yield page, seen


@pytest.fixture
def page(one_page):
    """The page as it starts."""
    page, seen = one_page
    page.mouse.move(0, 0)
    page.evaluate("document.activeElement.blur()")
    page.click("#reset")
    settled(page)
    yield page
    assert seen.said == []
