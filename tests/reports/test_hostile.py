"""What users name is text, whatever it looks like: hostile strings in every field, opened in a real
browser. RELIABILITY T10, P16.
"""

import csv

import numpy as np
import pytest
from tests.cli.helpers import told, written
from tests.reports.browser import opened
from tests.reports.hostile import strings

import baserate as br
from baserate.errors import Ledger, Note, Source, quoted
from baserate.kernels import Cells
from baserate.numbers import spreadsheet_safe

SIZE = 48  # strings to a page: models that one report shows
EVERY = strings()
# What would be there if a string had become markup: elements, handlers and addresses that the page
# itself never has.
ADDED = """() => ({
  flag: Object.hasOwn(window, 'pwned'),
  title: document.title,
  scripts: document.scripts.length,
  elements: document.querySelectorAll('img,iframe,object,embed,link,base,form,video,audio,math,marquee,xmp,plaintext,animate').length,
  refresh: document.querySelectorAll('meta[http-equiv]').length,
  handlers: [...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length,
  links: [...document.querySelectorAll('[href],[src],[action],[xlink\\\\:href]')]
    .map(e => e.getAttribute('href') || e.getAttribute('src') || '').filter(a => !/^(#|blob:)/.test(a)).length,
  ready: document.querySelector('#static').hidden && !document.querySelector('#app').hidden,
  app: document.querySelector('#app').textContent,
  named: [...document.querySelectorAll('#static section[data-part=models] th[scope=row]')].map(e => e.textContent),
})"""  # noqa: E501


def hostile(texts):
    """A report in which every field that a user controls holds these texts."""
    cells = Cells(
        np.array([3.0, 2.0, 1.0]), np.array([9.5, 5, 1]), np.array([1, 9, 90.0])
    )  # masses have no intervals, which take their time
    sources = tuple(Source(text, "0" * 64, 115, 115, 0, text, text, text) for text in texts)
    counts = br.Counts._of(
        cells, Ledger(115, 115, 0, sources), tuple(Note("BR101", text) for text in texts)
    )
    labels, scores = np.tile([1, 0, 0], len(texts)), np.tile([3.0, 2.0, 1.0], len(texts))
    groups = br.count(labels, scores, by=np.repeat(np.array(texts, dtype=object), 3))
    columns = {" ".join(texts): {texts[0]: groups}}
    at = br.Conditions(br.Range(0.001, 0.1), br.Costs(fp=1, fn=20))
    return br.report(
        dict.fromkeys(texts, counts), at=at, slices=columns, title=" ".join(texts), volume=1000
    )


def used(page):
    """As a person would: wait for the page, point at a chart, and walk on by the keyboard."""
    for _ in range(100):
        if page.evaluate("() => !document.querySelector('#app').hidden"):
            break
        page.wait_for_timeout(50)
    chart = page.locator("#app svg.chart").first.bounding_box()
    page.mouse.move(chart["x"] + chart["width"] / 2, chart["y"] + chart["height"] / 2)
    for _ in range(5):
        page.keyboard.press("Tab")
    page.wait_for_timeout(100)


def test_there_are_more_than_five_hundred_strings():
    assert len(EVERY) == len(set(EVERY)) > 500
    assert sum("<script" in text.casefold() for text in EVERY) > 60
    assert sum(" on" in text for text in EVERY) > 150


@pytest.mark.parametrize("first", range(0, len(EVERY), SIZE))
def test_no_string_runs_loads_or_becomes_markup(first, browser, tmp_path):
    texts = EVERY[first : first + SIZE]
    path = tmp_path / "report.html"
    hostile(texts).save(path)
    for javascript in (True, False):
        with opened(browser, path, java_script_enabled=javascript) as (page, seen):
            if javascript:
                used(page)
            state = page.evaluate(ADDED)
            assert page.url.partition("#")[0] == path.as_uri()
            assert state["ready"] == javascript
        assert (seen.requests, seen.dialogs, seen.said) == ([path.as_uri()], [], [])
        assert not state["flag"]
        assert state["title"] != "pwned"
        assert (state["scripts"], state["refresh"]) == (2, 1)
        assert (state["elements"], state["handlers"], state["links"]) == (0, 0, 0)
        assert state["named"] == [quoted(text, quotes=False) for text in texts]
        if javascript:
            assert [text for text in texts if quoted(text, quotes=False) not in state["app"]] == []


FORMULAS = ("=1+1", "-x", " @x", "\uff1d1", '"=1', "a;=1,+2", "\t=1", "a\n=1", "\x1b[2J", "a, b")


def test_the_table_is_saved_as_csv_without_a_formula_as_by_python(browser, tmp_path):
    models = br.count([0, 1, 1], {name: [1, 2, 3] for name in FORMULAS})
    br.report(models, prior=0.1).save(tmp_path / "report.html")
    with opened(browser, tmp_path / "report.html") as (page, _):
        with page.expect_download() as waiting:
            page.click("#csv")
        rows = list(csv.DictReader(waiting.value.path().read_text("utf-8").splitlines()))
    assert [row["model"] for row in rows] == [spreadsheet_safe(name) for name in models.models]


def test_names_in_a_file_and_on_the_command_line_are_text_too(
    browser, tmp_path, monkeypatch, capsys
):
    """The same by the way that users take: columns, labels, sites and the file itself have such
    names.
    """
    monkeypatch.chdir(tmp_path)
    label, model, other, column = (
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "__proto__",
        "'\"><svg onload=alert(1)>",
    )
    positive, sites = (
        "<iframe srcdoc=x>",
        ("</td><script>alert(2)</script>", "javascript:alert(3)", "\u202eevil"),
    )
    rows = [
        ((positive, "no")[i % 3 > 0], (i * 7) % 30, (i * 11) % 30, sites[i % len(sites)])
        for i in range(60)
    ]
    path = written(tmp_path / "<b onmouseover=alert(4)>.csv", (label, model, other, column), rows)
    words = (
        "--label",
        label,
        "--positive",
        positive,
        "--score",
        model,
        "--score",
        other,
        "--by",
        column,
        "--title",
        "<script>alert(5)</script>",
    )
    done = told(capsys, "report", path, *words, "--prior", "1%", "-o", "report.html")
    assert done.status == 0, done.err
    with opened(browser, tmp_path / "report.html") as (page, seen):
        used(page)
        state = page.evaluate(ADDED)
        assert page.title().startswith("<script>alert(5)</script> · ")
        for text in (
            model,
            other,
            *sites[:2],
            "\\u202eevil",
            positive,
            label,
            "<b onmouseover=alert(4)>.csv",
            "<script>alert(5)</script>",
        ):
            assert quoted(text, quotes=False) in state["app"] or text in state["app"], text
    assert (len(seen.requests), seen.dialogs, seen.said) == (1, [], [])
    assert (
        state["flag"],
        state["scripts"],
        state["elements"],
        state["handlers"],
        state["links"],
    ) == (False, 2, 0, 0, 0)
