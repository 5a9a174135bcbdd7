"""Three questions that people bring to a report, each answered in at most two actions."""

import numpy as np
import pytest
from tests.reports.browser import opened
from tests.reports.live import (
    compare_shown,
    reported,
    settled,
)
from tests.reports.test_live import live, texts

import baserate as br
from baserate.views import tables


def said(page, query):
    """What a person reads there."""
    found = page.locator(query)
    return " ".join(found.first.inner_text().replace("\u00a0", " ").split())


def in_sight(page, query):
    """Whether it stands on the screen."""
    box = page.locator(query).first.bounding_box()
    return box is not None and 0 <= box["y"] < page.viewport_size["height"]


def test_what_happens_if_fraud_doubles_takes_two_clicks(page):
    assert "Of 1,000 positive cases a day" in said(page, "#plain")
    page.click("#prior")
    page.click("#prior-twice")
    shown = settled(page)
    assert shown["prior"] in {"0.002", "1 in 500"}
    assert "Of 2,000 positive cases a day" in said(page, "#plain")
    assert in_sight(page, "#plain")
    compare_shown(shown)
    assert shown["answer"].startswith("Use ")  # what Python answered, tested there


def test_which_country_is_worst_served_takes_one_click(browser, tmp_path):
    rng = np.random.default_rng(24)
    labels, country = rng.random(6000) < 0.1, rng.choice(["AT", "BE", "DE", "PL"], 6000)
    scores = rng.normal(size=6000) + labels * np.where(country == "PL", 0.8, 2.5)
    groups = br.count(labels, scores, by=country)
    at = br.Conditions("1 in 100", br.Costs(fp=1, fn=50))
    report = br.report({"m": groups}, at=at)
    rows = {row["slice"]: row["points"][0] for row in report.document["report"]["slices"]["rows"]}
    worst = min(rows, key=lambda name: rows[name]["tpr"])
    with live(browser, tmp_path, {"m": groups}, at=at) as (page, seen):
        page.click("nav button:has-text('Slices')")
        ends = rows[worst]["intervals"]["tpr"]
        interval = f"{ends['low']:.3g} to {ends['high']:.3g}"
        value = tables.digits(rows[worst]["tpr"], 3)
        assert said(page, ".dots .worst") == f"Lowest: {worst}, {value} ({interval})."
        assert in_sight(page, ".dots .worst")
        assert texts(page, ".dots tbody th")[0] == worst
        assert seen.said == []


def test_whether_the_winner_can_be_trusted_is_read_at_once(page):
    first = reported().contents.first
    close = [one for one in first.differences if not one.significant]
    assert said(page, ".chip").startswith("Cannot tell" if close else "Clear lead")
    assert in_sight(page, ".chip")
    page.click("details.full summary:has-text('In full')")
    assert tables.p_in_words(close or list(first.differences)) in said(page, "#answer")
    page.click("nav button:has-text('Can these cases tell?')")
    assert in_sight(page, "[data-part=shows] h2")
    page.fill("#prior", "5%")
    settled(page)
    assert said(page, ".chip") == "Lead not tested here"


@pytest.mark.parametrize("width", [320, 360, 900, 1400])
def test_the_answer_and_its_label_stand_on_the_first_screen(browser, saved, width):
    with opened(browser, saved, viewport={"width": width, "height": 900}) as (page, _):
        settled(page)
        assert in_sight(page, "#use")
        assert in_sight(page, ".chip")
