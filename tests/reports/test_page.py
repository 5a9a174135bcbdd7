"""The file itself: a policy that lets nothing else run, data that cannot end their script, and a
page that needs no JavaScript.
"""

import base64
import hashlib
import json
import os
import re
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.decisions.worked import F1_A, F1_B
from tests.reports.made import Page, as_in_page, counted, drawn

import baserate as br
from baserate.reports.page import bundle, island
from baserate.views import tables

MODELS = {"A": F1_A, "B": F1_B}


def policy(page):
    [content] = [
        found["content"]
        for tag, found in page.elements
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    ]
    return dict(part.strip().split(" ", 1) for part in content.split(";"))


@pytest.fixture(scope="module")
def found():
    at = br.Conditions("1e-5..1e-3", br.Costs(fp=5, fn=500, tp=5))
    groups = br.count(*_flat(F1_A), by=["x", "y"] * 50_000)
    return br.report(
        MODELS,
        at=at,
        slices={"site": {"A": groups}},
        volume=1_000_000,
        title="Fraud <in> November & after",
    )


def _flat(counts):
    labels = np.concatenate((np.ones(2000), np.zeros(98_000)))
    return labels, np.concatenate(
        (np.repeat(counts.scores, counts.positives), np.repeat(counts.scores, counts.negatives))
    )


def test_nothing_but_the_script_and_style_of_the_page_may_run(found):
    page = Page(found.html)
    rules = policy(page)
    for kind, place in (("script", 1), ("style", 0)):
        digest = base64.b64encode(
            hashlib.sha256(page.inside[kind][place].encode()).digest()
        ).decode()
        assert rules[f"{kind}-src"] == f"'sha256-{digest}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert "unsafe" not in " ".join(rules.values())
    tags = [tag for tag, _ in page.elements]
    assert tags.index("meta") < tags.index("style")
    assert (tags.count("script"), tags.count("style")) == (2, 1)


def test_the_page_has_no_attribute_that_runs_styles_or_loads(found):
    assert not {"img", "iframe", "object", "embed", "link", "base", "form"} & {
        tag for tag, _ in Page(found.html).elements
    }
    for tag, attributes in Page(found.html).elements:
        assert not [
            name
            for name in attributes
            if name.startswith("on") or name in ("style", "src", "srcdoc", "action", "background")
        ], tag
        addresses = [
            value
            for name, value in attributes.items()
            if name != "xmlns" and re.match(r"\s*(javascript|data|https?):", value or "")
        ]
        assert addresses == [], tag
        if tag == "meta":
            assert attributes.get("http-equiv") in (None, "Content-Security-Policy")


def test_the_bundle_can_stand_inside_a_page():
    for text in bundle():
        assert "</script" not in text.casefold()
        assert "</style" not in text.casefold()
        assert "<!--" not in text
        assert "\r" not in text
        assert "\0" not in text


def test_data_cannot_end_their_script():
    hostile = [
        "</script>",
        "<!--",
        "]]>",
        "\u2028\u2029",
        "\x00\x7f",
        "\ud800",
        "&lt;",
        "'\"`\\",
        "𝒳",
    ]
    text = island({"names": hostile})
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"names": hostile}


def test_the_page_holds_the_document_and_no_more(found):
    page = Page(found.html)
    assert page.document == as_in_page(json.loads(json.dumps(found.document)))
    assert dict(page.elements)["html"] == {"lang": "en"}
    day = page.texts[0].removeprefix("Fraud <in> November & after · ")
    assert datetime.strptime(day, "%d %B %Y").replace(tzinfo=UTC) <= datetime.now(UTC)
    assert page.texts[1] == "Fraud <in> November & after"


def test_without_javascript_every_part_is_there(found):
    parts = [
        attributes["data-part"] for tag, attributes in Page(found.html).elements if tag == "section"
    ]
    assert parts == [
        "outcomes",
        "shows",
        "models",
        "points",
        "charts",
        "slices",
        "decision",
        "notes",
        "definitions",
    ]
    several = br.report(MODELS, rule=["recall >= 0.8", "recall >= 0.9"])
    assert (
        next(one["data-part"] for tag, one in Page(several.html).elements if tag == "section")
        == "answers"
    )
    assert found.html.count("<svg") == 7
    assert found.html.count('<figure data-part="map">') == 1
    assert 'hidden></div>\n<script type="application/json"' in found.html


def test_the_four_outcomes_are_natural_numbers_of_the_volume():
    html = br.report(
        F1_A, at=br.Conditions(prior=0.001), rule="recall >= 0.72", volume=1_000_000
    ).html
    texts = Page(html).texts
    place = texts.index("Out of 1,000,000 cases")
    # 1 450 of 2 000 positives and 1 000 of 98 000 negatives are flagged at 5.
    flagged = round(999_000 * 1000 / 98_000)
    assert texts[place + 2 : place + 5] == ["positive", "negative", "total"]
    assert texts[place + 5 : place + 9] == [
        "flagged",
        "725",
        f"{flagged:,}",
        f"{flagged + 725:,}",
    ]
    assert texts[place + 9 : place + 13] == ["not flagged", "275", "988,806", "989,081"]
    assert texts[place + 13 : place + 17] == ["total", "1,000", "999,000", "1,000,000"]


def test_the_tables_are_those_of_the_command_line(found):
    texts = Page(found.html).texts
    for row in tables.of_models(MODELS, found.contents.aucs).rows:
        at = texts.index(row[0], texts.index("Models"))
        assert tuple(texts[at : at + len(row)]) == row


def test_a_long_name_is_shortened_and_whole_on_hover():
    """BAD_INPUTS row 53."""
    long = "a model whose name goes on " * 400
    page = Page(br.report({long: F1_A, "b": F1_B}).html)
    titles = {
        attributes["title"]
        for tag, attributes in page.elements
        if tag == "th" and "title" in attributes
    }
    assert titles == {long}
    assert not [text for text in page.texts if len(text) > 3000]


def test_charts_of_many_models_show_the_best_ones():
    models = counted(400, seed=3, models=9, share=0.3)
    texts = Page(br.report(models, at=br.Conditions(0.3)).html).texts
    assert "The 7 best models; 2 more are in the tables." in texts


def test_the_page_is_written_at_once_or_not_at_all(tmp_path):
    """BAD_INPUTS rows 129 to 132."""
    report = br.report(F1_A)
    path = tmp_path / "report.html"
    report.save(path)
    assert path.read_text() == report.html
    with pytest.raises(br.InputError, match="BR801: .*exists"):
        report.save(path)
    path.write_text("old")
    report.save(path, force=True)
    assert path.read_text() == report.html
    assert os.listdir(tmp_path) == ["report.html"]
    with pytest.raises(br.InputError, match="BR803: .*no such folder"):
        report.save(tmp_path / "nowhere" / "report.html")
    (tmp_path / "link.html").symlink_to(path)
    with pytest.raises(br.InputError, match="BR803: .*is a symbolic link"):
        report.save(tmp_path / "link.html", force=True)


def test_a_notebook_shows_the_answers():
    html = br.report(
        MODELS, at=br.Conditions("1 in 1000"), budget=200, volume=1_000_000, title="<b>x</b>"
    )._repr_html_()
    assert html.startswith("<table><caption>&lt;b&gt;x&lt;/b&gt;</caption>")
    assert "Use B (56.8 % of those at 9, drawn at random). At a base rate of 0.1%" in html
    assert "it catches 142 of 1,000 positives in 200 alerts (71 % real); A catches 99." in html


def test_names_of_every_script_are_isolated():
    labels, scores = drawn(100, seed=1, share=0.4)
    html = br.report({"נחש": br.count(labels, scores["m0"])}).html
    assert '<th scope="row"><bdi>נחש</bdi></th>' in html
