"""`gate` without FILE: all checks of baserate.toml, the exit status of a build, JSON by the schema,
and a summary in Markdown.
"""

import re

import jsonschema
import pytest
from markdown_it import MarkdownIt
from tests.cli.helpers import VALID, answered, damaged, refused, told, written
from tests.cli.helpers_gate import cases
from tests.cli.helpers_terminal import run
from tests.gates.files import BOTH, COMPARE, HEAD, REQUIRE, scored, settings

from baserate.atomic import Grid
from baserate.gates.checks import PASSED, Entry, markdown, plain, write_table

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_checks_of_the_working_directory_pass(folder, capsys):
    scored(folder)
    settings(folder)
    done = told(capsys, "gate")
    assert done.status == 0
    assert done.out.startswith(
        "Passed: 2 checks of baserate.toml.\n\n1. recall >= 0.5 of candidate, field\nPassed: every"
        " requirement is demonstrated.\n"
    )
    assert (
        "\n\n2. candidate against baseline by error, field\nPassed: candidate against baseline in"
        " error: worse, not significant.\n" in done.out
    )
    assert done.out.endswith('\n\nscores.csv: 217 rows read, 217 used; positive = "1" in "y"\n')
    assert (
        'note BR599: check 2: 12 cases are correct only with "baseline", 5 only with "candidate"\n'
        in done.err
    )


def test_one_check_that_fails_fails_the_build(folder, capsys):
    scored(folder, only_old=40, only_new=20)
    settings(folder)
    done = told(capsys, "gate")
    assert done.status == 1
    assert done.out.startswith("Failed: 1 of 2 checks of baserate.toml.\n")
    assert "Failed: candidate against baseline in error: worse.\n" in done.out


def test_the_answer_is_valid_json(folder, capsys):
    scored(folder, only_old=40, only_new=20)
    settings(folder, "seed = 3\n" + HEAD + REQUIRE + 'slice = "site"\n' + COMPARE)
    document = answered(capsys, "gate", status=1)
    assert document["result"]["seed"] == 3
    assert document["result"]["verdict"]["passed"] is False
    first, second = document["result"]["verdict"]["results"]
    assert (first["kind"], first["models"], first["scenario"], first["by"]) == (
        "require",
        ["candidate"],
        "field",
        "site",
    )
    assert first["verdict"]["passed"] is True
    assert len(first["verdict"]["checks"]) == 3
    assert (second["kind"], second["check"], second["verdict"]["failed"]) == (
        "compare",
        "candidate against baseline by error, field",
        ["all cases"],
    )


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict", "passed"), None),
        (("verdict", "passed"), False),
        (("verdict", "results"), []),
        (("verdict", "extra"), 1),
        (("verdict", "results", 0, "check"), None),
        (("verdict", "results", 0, "kind"), "compare"),
        (("verdict", "results", 0, "verdict", "checks"), []),
        (("verdict", "results", 0, "comparisons"), []),
        (("verdict", "results", 0, "verdict", "passed"), False),
        (("verdict", "results", 1, "comparisons"), None),
        (("verdict", "results", 1, "comparisons", 0, "whole"), False),
        (("verdict", "results", 1, "comparisons", 0, "statistic"), None),
        (("verdict", "results", 1, "verdict", "outcome"), "bad"),
        (("verdict", "results", 1, "scenario"), 3),
        (("comparisons",), []),
    ],
)
def test_the_schema_wants_every_part_of_a_result(folder, capsys, path, value):
    scored(folder)
    settings(folder)
    document = answered(capsys, "gate")
    with pytest.raises(
        jsonschema.ValidationError, match="is not valid under any of the given schemas"
    ):
        VALID.validate(damaged(document, "result", *path, value=value))


def test_settings_may_lie_elsewhere(tmp_path, capsys):
    (tmp_path / "ci").mkdir()
    scored(tmp_path / "ci")
    assert (
        told(capsys, "gate", "--config", settings(tmp_path / "ci", name="checks.toml")).status == 0
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--label", "y"), "BR596: --label applies to a FILE, and none is named"),
        (("--prior", "1%"), "BR596: --prior applies to a FILE"),
        (("--delimiter", ";"), "BR596: --delimiter applies to a FILE"),
        (("--config", "gone.toml"), "BR600: there is no file or folder gone.toml"),
        (
            ("scores.csv", "--config", "baserate.toml", "--label", "y"),
            "BR596: --config names settings, and FILE names cases",
        ),
        (("scores.csv",), "BR003: scores.csv: --label and --score are missing"),
    ],
)
def test_what_does_not_go_together_is_refused(folder, capsys, arguments, text):
    scored(folder)
    settings(folder)
    assert text in refused(capsys, "gate", *arguments)


def test_wrong_settings_or_cases_are_2(folder, capsys):
    assert "BR844: baserate.toml: there are no settings" in refused(capsys, "gate")
    settings(folder)
    assert "BR600: there is no file or folder scores.csv" in refused(capsys, "gate")
    written(folder / "scores.csv", ["y", "old", "new"], [*cases(12, 5, both=40), (1, "NaN", 1)])
    assert "BR201: scores.csv: " in refused(capsys, "gate")
    settings(folder, HEAD + f'[digests]\nbaseline = "{"0" * 64}"\n' + COMPARE)
    scored(folder)
    assert "BR843: baserate.toml: " in refused(capsys, "gate")
    settings(folder, HEAD.replace("label", "lable") + COMPARE)
    assert told(capsys, "gate").status == 2
    assert len(answered(capsys, "gate", status=2)["errors"]) == 2


def test_a_crash_is_never_0(folder, capsys, monkeypatch):
    scored(folder)
    settings(folder)
    monkeypatch.setattr("baserate.gates.checks.non_inferiority", lambda *_, **__: 1 / 0)
    assert told(capsys, "gate", "--markdown", "summary.md").status == 70
    assert "**error**" in (folder / "summary.md").read_text()


def test_a_summary_is_written_for_the_page_of_a_change(folder, capsys):
    scored(folder, only_old=40, only_new=20)
    settings(
        folder,
        HEAD + REQUIRE.replace("0.5", "0.9") + 'slice = "site"\n' + COMPARE + "margin = 0.01\n",
    )
    done = told(capsys, "gate", "--markdown", "summary.md")
    text = (folder / "summary.md").read_text()
    assert done.status == 1
    assert done.out.startswith("Failed: ")
    assert text.startswith(
        "### baserate: Failed: 2 of 2 checks\n\n**failed**: 1. recall &gt;= 0.9 of candidate,"
        " field, by site. Failed. candidate: tpr &gt;= 0.9 is not met: "
    )
    assert "**failed**: 2. candidate against baseline by error, field. Failed: " in text
    page = MarkdownIt("commonmark").enable("table").render(text)
    rows = re.findall("<tr>(.*?)</tr>", page, flags=re.DOTALL)
    assert [re.findall("<t[hd]>(.*?)</t[hd]>", row)[1] for row in rows] == [
        "slice",
        "all cases",
        "A",
        "B",
        "baseline",
        "0.07692",
    ]
    assert "- source scores.csv: 260 rows read" in text


def test_a_summary_on_standard_output_takes_the_place_of_the_answer(folder, capsys):
    scored(folder)
    settings(folder)
    done = told(capsys, "gate", "--markdown", "-")
    assert (done.status, done.out[:22]) == (0, "### baserate: Passed: ")
    both = told(capsys, "gate", "--markdown", "-", "--json")
    assert (both.status, "JSON and Markdown cannot both be on standard output" in both.out) == (
        2,
        True,
    )


def test_a_gate_of_one_file_has_a_summary_too(folder, capsys):
    path = scored(folder)
    done = told(
        capsys,
        "gate",
        path,
        "recall >= 0.5",
        "--label",
        "y",
        "--score",
        "old",
        "--threshold",
        "0.5",
        "--markdown",
        "-",
    )
    assert done.out.startswith("### baserate: Passed: 1 check\n")


def test_where_the_input_is_wrong_an_old_summary_does_not_stay(folder, capsys):
    settings(folder)
    (folder / "summary.md").write_text("### baserate: Passed: 2 checks\n")
    assert told(capsys, "gate", "--markdown", "summary.md").status == 2
    assert (folder / "summary.md").read_text().startswith("### baserate: Failed: 1 of 1 check\n")


@pytest.mark.parametrize("place", ["scores.csv", "baserate.toml", "notes.md"])
def test_a_summary_is_written_over_a_summary_and_nothing_else(folder, capsys, place):
    scored(folder)
    settings(folder)
    (folder / "notes.md").write_text("# mine\n")
    before = (folder / place).read_text()
    assert f"BR801: {place}: exists and is not a summary of an earlier run" in refused(
        capsys, "gate", "--markdown", place
    )
    assert (folder / place).read_text() == before
    (folder / "empty.md").touch()
    for _ in range(2):
        assert told(capsys, "gate", "--markdown", "empty.md").status == 0


def test_nothing_of_the_users_is_markup(folder, capsys):
    rows = [(*row, EVIL) for row in cases(40, 5, both=50)] + [
        (*row, "`a|b` [x](y) @all #1 www.x.y") for row in cases(40, 5, both=50)
    ]
    written(folder / "scores.csv", ["y", "old", "new", "site"], rows)
    names = (
        HEAD.replace("baseline =", f'"{EVIL}" =')
        .replace("candidate =", '"**new**" =')
        .replace("field", '"<b>"')
    )
    text = (
        names
        + f'[[compare]]\nscenario = "<b>"\nbaseline = "{EVIL}"\ncandidate = "**new**"\nslice ='
        ' "site"\n'
    )
    settings(folder, text)
    summary = told(capsys, "gate", "--markdown", "-").out
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(summary)
    assert set(re.findall(r"<(\w+)", page)) == {
        "h3",
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "strong",
        "ul",
        "li",
    }
    assert page.count("<strong>") == 1
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "`a|b` [x](y) @<!-- -->all #<!-- -->1 w<!-- -->ww.x.y" in page


@pytest.mark.parametrize(
    "text",
    [
        "a|b",
        "*a*",
        "_a_",
        "[a](b)",
        "`a`",
        "<b>",
        "&lt;",
        "a\nb",
        "\\|",
        "~~a~~",
        "![a](b)",
        "$a$",
        "a\u202eb",
    ],
)
def test_text_is_shown_as_it_is(text):
    page = (
        MarkdownIt("commonmark", {"html": True})
        .enable(["table", "strikethrough"])
        .render(markdown([Entry(PASSED, text, text, write_table(Grid([text], [[text]])))]))
    )
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert re.findall("<t[hd]>(.*?)</t[hd]>", page) == [shown, shown]
    assert f"<p>passed: {shown}. {shown}</p>" in page
    assert "\n" not in plain(text)


def test_no_rows_are_no_pass():
    assert markdown([]).startswith("### baserate: Failed: 0 of 0 checks\n")


def test_it_runs_as_a_program_of_its_own(folder):
    scored(folder, only_old=40, only_new=20)
    settings(folder, BOTH)
    assert run("gate", cwd=folder).returncode == 1
    assert (
        run(
            "gate", "--config", settings(folder, HEAD + REQUIRE, "other.toml"), cwd=folder
        ).returncode
        == 0
    )
