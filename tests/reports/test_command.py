"""`baserate report`: where the file goes, what is said, and what is refused before anything is
counted.
"""

import json
import os
import re
import shlex
import stat
from pathlib import Path

import pytest
from tests.cli.helpers import VALID, answered, refused, told, written
from tests.cli.helpers_terminal import in_terminal
from tests.reports.browser import opened
from tests.reports.live import NOT_HERE, settled
from tests.reports.made import Page, as_in_page

import baserate as br

LINES = [(i % 4 == 0, (i * 7) % 20 / 20, (i * 3) % 20 / 20, "ab"[i % 2]) for i in range(80)]


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(
        tmp_path / "scores.csv", ("y", "m", "n", "site"), [(int(y), *rest) for y, *rest in LINES]
    )
    return ("report", "scores.csv", "--label", "y", "--score", "m", "--score", "n")


def test_a_report_is_written_and_where_is_said_in_one_line(command, capsys):
    done = told(capsys, *command, "--prior", "1%", "--notes")
    assert done.status == 0
    first, blank, last = done.out.splitlines()
    assert first.startswith(
        "Flag nothing: no model does better. At a base rate of 1%, equal costs assumed (a miss"
        " counts like a false alarm), its errors per case are "
    )
    assert blank == ""
    assert last == "report.html: 2 models; it opens offline in any browser."
    page = Page(Path("report.html").read_text())
    VALID.validate(page.document)
    assert sorted(
        f"note {note['code']}: {note['text']}" for note in page.document["notes"]
    ) == sorted(done.err.splitlines())
    assert sorted(os.listdir()) == ["report.html", "scores.csv"]


def test_a_file_that_is_there_is_replaced_only_by_force(command, capsys):
    Path("report.html").write_text("mine")
    assert "BR801: report.html: exists. Fix: --force, or another name." in refused(
        capsys, *command, "-o", "report.html"
    )
    assert Path("report.html").read_text() == "mine"
    assert told(capsys, *command, "--force", "--private").status == 0
    assert stat.S_IMODE(Path("report.html").stat().st_mode) == 0o600
    assert 'id="baserate-data"' in Path("report.html").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "nowhere/report.html"), "error BR803: nowhere: there is no such folder."),
        (("-o", "answer.csv"), "error BR803: answer.csv: a report is written as HTML or as JSON."),
        (("-o", "answer.TXT"), "error BR803: answer.TXT: a report is written as HTML or as JSON."),
        (
            ("--budget", "20"),
            "error BR520: --budget is a number of alerts out of a volume of cases.",
        ),
        (
            ("--budget", "many", "--volume", "100"),
            'error BR520: a budget is a number of alerts, got "many".',
        ),
        (
            ("--budget", "200", "--volume", "100"),
            "error BR520: a budget is a number of alerts, got 200.0.",
        ),
        (("--prior", "1e-3..1e-5"), "error BR504: "),
        (("--prior", "0"), "error BR503: "),
        (("--rule", "recal >= 0.8"), "error BR531: "),
        (("--by", "nothing"), "error BR"),
        (("--level", "5"), "error BR580: "),
    ],
)
def test_what_cannot_be_reported_is_refused_and_nothing_is_written(words, said, command, capsys):
    assert refused(capsys, *command, *words).startswith(said)
    assert os.listdir() == ["scores.csv"]


def test_the_ending_of_the_name_chooses_json(command, capsys):
    done = told(capsys, *command, "-o", "report.json")
    assert done.out.splitlines()[-1].startswith("report.json: 2 models; ")
    content = json.loads(Path("report.json").read_text())
    VALID.validate(content)
    assert content == answered(capsys, *command)


def test_json_is_printed_and_only_a_named_file_is_written(command, capsys):
    content = answered(capsys, *command)
    assert os.listdir() == ["scores.csv"]
    assert answered(capsys, *command, "-o", "both.html") == content
    assert Page(Path("both.html").read_text()).document == as_in_page(content)
    assert (
        "--force has no effect where nothing is written"
        in told(capsys, *command, "--json", "--force").out
    )


def test_an_input_is_never_replaced(command, capsys):
    """BAD_INPUTS row 132."""
    Path("scores.csv").rename("scores")
    assert "BR804: scores: is an input file and would be overwritten." in refused(
        capsys, "report", "scores", *command[2:], "-o", "scores", "--force"
    )


def test_a_report_is_named_after_its_file_and_day_and_its_notes_name_no_option(command, capsys):
    told(capsys, *command)
    page = Page(Path("report.html").read_text())
    assert page.texts[0].startswith("scores.csv · ")
    assert page.texts[1] == "scores.csv"
    notes = Path("report.html").read_text().partition('data-part="notes"')[2].partition("</ul>")[0]
    assert "<li>" in notes
    assert not re.search(r"BR\d|--\w", notes)


def test_every_question_is_answered_and_five_are_said(command, capsys):
    rules = [word for share in range(1, 8) for word in ("--rule", f"recall >= {share / 10}")]
    done = told(capsys, *command, *rules, "--title", "Weekly")
    assert done.out.splitlines()[5] == "and 2 more answers in the report."
    page = Page(Path("report.html").read_text())
    assert [answer["rule"] for answer in page.document["report"]["answers"]] == [
        f"tpr >= {share / 10}" for share in range(1, 8)
    ]
    assert page.texts[0].startswith("Weekly · ")
    assert page.texts[1] == "Weekly"


def test_a_budget_may_be_written_as_people_do(command, capsys):
    content = answered(capsys, *command, "--alerts", "2k", "--volume", "1M", "--prior", "1%")[
        "report"
    ]
    assert (content["scenario"]["budget"], content["scenario"]["volume"]) == (2000, 1_000_000)
    assert content["answers"][0]["rule"] == "alerts <= 2000"


def test_counts_that_were_saved_by_group_are_sliced(command, capsys):
    assert (
        told(
            capsys,
            "count",
            "scores.csv",
            "--label",
            "y",
            "--score",
            "m",
            "--group",
            "site",
            "-o",
            "m.counts",
        ).status
        == 0
    )
    content = answered(capsys, "report", "m.counts", "--by", "site")["report"]
    assert [(row["by"], row["slice"], row["model"]) for row in content["slices"]["rows"]] == [
        ("site", "a", "m"),
        ("site", "b", "m"),
    ]
    whole = answered(capsys, "report", "m.counts")["report"]
    assert whole["slices"] is None
    br.load("m.counts").total().save("all.counts")
    assert "BR433: all.counts: holds counts of all cases together" in refused(
        capsys, "report", "all.counts", "--by", "site"
    )


def test_a_narrow_terminal_reads_the_answer(command):
    status, text = in_terminal(40, *command, "--prior", "1%")
    assert status == 0
    answer = text.split("note")[0].splitlines()
    assert answer[0].startswith("Flag nothing: no model does better. At a")
    assert max(map(len, answer)) <= 40


def test_the_demo_ends_with_a_report_and_leaves_a_foreign_one_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    done = told(capsys, "demo")
    assert done.status == 0
    place = os.path.join("baserate-demo", "report.html")
    assert f"Open {place} in a browser; it needs no network." in done.out
    assert Page(Path(place).read_text()).document["report"]["scenario"]["budget"] == 2000
    assert told(capsys, "demo").status == 0  # its own report is replaced
    Path(place).write_text("<p>mine</p>")
    assert f"BR801: {place}: exists and is not the demo's" in told(capsys, "demo").err
    assert Path(place).read_text() == "<p>mine</p>"


STATES = {
    "cheapest": ("prior=1+in+20&fp=1&fn=20", "Use "),
    "rule": ("prior=2%25&fp=1&fn=30&mode=rule&rule=recall+%3E%3D+0.5", "with tpr >= 0.5"),
    "budget": ("prior=sample&volume=1000&mode=budget&budget=300", "alerts <= 300 of 1,000"),
}


@pytest.mark.parametrize("state", STATES)
def test_a_scenario_without_a_test_shows_the_command_that_tests_it(state, command, browser, capsys):
    better = [(int(y), m + y / 2, n + y / 3, site) for y, m, n, site in LINES]
    written(Path("scores.csv"), ("y", "m", "n", "site"), better)
    assert told(capsys, *command, "--prior", "20%", "--cost", "fn=10,fp=1").status == 0
    link, words = STATES[state]
    path = Path("report.html").resolve()
    with opened(browser, path) as (page, seen):
        page.goto(f"{path.as_uri()}#{link}")
        page.reload()
        settled(page)
        assert page.text_content(".chip") == "Lead not tested here"
        assert NOT_HERE in page.text_content("#answer")
        page.click("details.full summary")
        said = page.text_content("#to-test code")
        page.click("#reset")
        settled(page)
        assert page.is_hidden("#to-test")
        assert seen.said == []
    name, *rest = shlex.split(said)
    assert name == "baserate"
    done = told(capsys, *rest)
    assert done.status == 0
    assert words in done.out
    assert "not tested" not in done.out
    assert "p = " in done.out or "p < " in done.out
