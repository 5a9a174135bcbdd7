"""`baserate study` prints every claim with its verdict, as text and as JSON, and writes pages that
load nothing.
"""

import re

import pytest
from tests.cli.helpers import answered, told

import baserate as br
from baserate_studies import Claim, Study
from baserate_studies.claims import VERDICTS
from baserate_studies.command import _told
from baserate_studies.galleries import gallery
from baserate_studies.values import Picture


@pytest.fixture(scope="module")
def small():
    """A study of two claims, of which one is named by somebody who wants to break the page."""
    panel = br.plots.roc_panel(
        br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), title="<script>alert(1)</script>"
    )
    claims = (
        Claim("good", ("L1",), 1.0, 1.0, 0.0, "exact"),
        Claim("<b>bad</b>", ("L2",), "<img src=x>", "& so on", note="</td><script>", holds=False),
    )
    return Study(
        "small",
        "A small <study>",
        "Nobody 2000",
        claims,
        (Picture("one", ("L1",), "see <i>here</i>", panel),),
    )


def test_pages_hold_figures_and_claims_and_load_nothing(small):
    pages = gallery([small])
    assert list(pages) == ["index.html", "small.html"]
    page = pages["small.html"]
    assert page.count("<svg") == 1
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;b&gt;bad&lt;/b&gt;" in page
    assert not re.findall(r'(?:src|href)="(?!small\.html|index\.html|#)', "".join(pages.values()))
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", "".join(pages.values()))


def test_every_link_of_a_page_leads_somewhere(small):
    pages = gallery([small])
    for page in pages.values():
        places = set(re.findall(r' id="([^"]+)"', page))
        links = re.findall(r'href="([^"]+)"', page)
        assert links
        assert all(link[1:] in places if link.startswith("#") else link in pages for link in links)


def test_the_list_of_studies_counts_verdicts_one_by_one_and_together(small):
    page = gallery([small, small])["index.html"]
    rows = [re.findall(r'<td class="number">(\d+)</td>', row) for row in page.split("<tr")[2:]]
    assert rows == [["2", "1", "0", "0", "0", "1", "0", "0", "0"]] * 2 + [
        ["4", "2", "0", "0", "0", "2", "0", "0", "0"]
    ]
    assert all(
        f">{verdict}</span>" in page
        for verdict in (verdict.replace("_", " ") for verdict in VERDICTS)
    )


def test_a_figure_that_names_its_claims_has_no_others_beside_it(small):
    panel = small.figures[0].drawing
    first, second = small.claims
    assert [
        Picture("one", ("L1",), "", panel, about).concerns(first)
        for about in ((), ("go",), ("b", "go"), ("b",))
    ] == [
        True,
        True,
        True,
        False,
    ]
    assert [
        Picture("one", ("L1",), "", panel, about).concerns(second) for about in ((), ("<b>",))
    ] == [False, True]


def test_a_figure_has_the_claims_about_its_rows_beside_it(small):
    page = gallery([small])["small.html"]
    beside = page[page.index('<div class="beside">') : page.index("Every claim</h2>")]
    assert "good" in beside
    assert "bad" not in beside
    assert page.count("&lt;b&gt;bad&lt;/b&gt;</th>") == 1


def test_a_study_says_how_many_claims_have_each_verdict(small):
    assert small.tally == {**dict.fromkeys(VERDICTS, 0), "reproduced": 1, "differs": 1}
    assert repr(small) == "Study small: 2 claims, 1 reproduced as printed, 1 differing"
    assert small["good"].verdict == "reproduced"


def test_an_unknown_study_is_refused_with_the_list_of_those_that_there_are(capsys):
    found = told(capsys, "study", "landgreb")
    assert found.status == 2
    assert "landgrebe" in found.err


def test_force_is_refused_where_nothing_is_written(capsys):
    found = told(capsys, "study", "landgrebe", "--force")
    assert found.status == 2
    assert "error BR002: --force has no effect where nothing is written (-o FOLDER)." in found.err


def test_a_study_is_printed_as_json_and_written_as_pages_that_are_not_replaced(capsys, tmp_path):
    """Weng & Poon's, without the UCI sets: a matter of seconds."""
    folder = tmp_path / "made"
    document = answered(capsys, "study", "weng", "-o", folder)
    (study,) = document["studies"]
    assert study["name"] == "weng"
    assert (
        study["tally"]["reproduced"] >= 120 + 30
    )  # Table 3 by Weka but for 3nn, and most of the rest
    assert sorted(path.name for path in folder.iterdir()) == [
        "index.html",
        "studies.json",
        "weng.html",
    ]
    assert (folder / "weng.html").read_text().count("<svg") == len(study["figures"]) == 7
    refusal = told(capsys, "study", "weng", "-o", folder)
    assert refusal.status == 2
    assert "BR801" in refusal.err


def test_a_person_reads_the_verdicts_first_then_every_claim_then_remarks(small):
    head, table, remarks = _told(small)
    assert head == "A small <study> (Nobody 2000). 2 claims: 1 reproduced as printed, 1 differing."
    assert table.splitlines()[1].split() == ["good", "L1", "1", "1", "±", "0", "reproduced"]
    assert remarks == "<b>bad</b>: </td><script>."


def test_a_file_in_the_place_of_the_folder_is_refused(capsys, tmp_path):
    (tmp_path / "taken").write_text("mine")
    found = told(capsys, "study", "weng", "-o", tmp_path / "taken")
    assert found.status == 2
    assert "BR803" in found.err


@pytest.fixture(scope="module")
def half():
    """One claim of two is about fitted data."""
    claims = (
        Claim("given", ("L1",), 1.0, 2.0, 0.0, "exact"),
        Claim("made", ("L2",), 1.0, 1.0, 0.0, "exact", fitted=True),
    )
    return Study("half", "Half", "Nobody 2000", claims)


def test_what_is_about_fitted_data_is_counted_apart_wherever_claims_are_counted(half):
    words = (
        "1 reproduced as printed, 1 differing; of these 1 on data fitted to the source: 1"
        " reproduced as printed"
    )
    assert half.fitted == {**dict.fromkeys(VERDICTS, 0), "reproduced": 1}
    assert repr(half) == f"Study half: 2 claims, {words}"
    assert f"2 claims: {words}." in _told(half)[0]
    pages = gallery([half])
    assert (
        'Of these, 1 on data fitted to the source: 1 <span class="verdict reproduced">'
        in pages["half.html"]
    )
    rows = [
        re.findall(r'<td class="number">(\d+)</td>', row)
        for row in pages["index.html"].split("<tr")[2:]
    ]
    assert rows == [
        both := ["2", "1", "0", "0", "0", "1", "0", "0", "0"],
        ["1", "1", "0", "0", "0", "0", "0", "0", "0"],
        both,
    ]
