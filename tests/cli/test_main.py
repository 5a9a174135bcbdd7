"""The command line, run as a person runs it."""

import json
import subprocess
import sys

import pytest
from tests.cli import helpers_terminal
from tests.cli.helpers import VALID, run

from baserate.cli import main, runner

GOOD = "id,y,m1\n" + "".join(f"{i},{int(i % 4 == 0)},0.{i:02}\n" for i in range(1, 21))


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(GOOD)
    return path


def test_version_says_how_it_counts():
    done = helpers_terminal.run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("baserate 0.1.0 (counting in ")


def test_help_is_given_when_nothing_is_asked_and_shows_an_example():
    done = helpers_terminal.run()
    assert (done.returncode, done.stdout) == (0, run("--help").stdout)
    shown = run("show", "--help").stdout
    assert "\n  Examples:\n    baserate show scores.csv --label fraud" in shown


def test_show_prints_counts_prior_auc_and_conditions(scores):
    done = run("show", str(scores), "--label", "y", "--score", "m1")
    assert done.returncode == 0
    assert (
        done.stdout
        == f'{scores}: 20 rows read, 20 used; positive = "1" in "y"\n\nmodel  positives  negatives '
        " distinct scores  base rate (prior)     AUC  AUC, 95 % (placements-beta)\nm1          "
        "   5         15               20              0.250  0.6000               0.291 to"
        " 0.846\n\nConditions: base rate 25%, as in the sample.\n"
    )
    assert done.stderr == ""


def test_json_is_the_documented_document(scores):
    done = run("show", str(scores), "--label", "y", "--score", "m1", "--json")
    document = json.loads(done.stdout)
    VALID.validate(document)
    (model,) = document["models"]
    assert model["counts"]["total_positives"] == 5
    assert model["counts"]["prior"] == 0.25
    assert model["summaries"]["auc"] == {
        "value": 0.6,
        "low": pytest.approx(0.2911, abs=1e-4),
        "high": pytest.approx(0.8457, abs=1e-4),
        "level": 0.95,
        "method": "placements-beta",
        "side": "both",
    }
    assert model["at"] == {
        "prior": 0.25,
        "as_in_sample": True,
        "costs_given": False,
        "costs": {"fp": 1, "fn": 1, "tp": 0, "tn": 0},
    }
    assert document["sources"][0]["rows_read"] == document["sources"][0]["rows_used"] == 20
    assert document["notes"] == []


def test_the_schema_of_the_document_is_valid_itself():
    VALID.check_schema(VALID.schema)
    assert VALID.schema["$schema"] == VALID.META_SCHEMA["$id"]


def test_what_is_undefined_is_null_with_its_reason_and_a_dash(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,m1\n0,0.5\n0,0.25\n")
    arguments = ("show", str(path), "--label", "y", "--score", "m1")
    document = json.loads(run(*arguments, "--json").stdout)
    VALID.validate(document)
    assert document["models"][0]["summaries"]["auc"] == {"value": None, "undefined": "no positives"}
    plain = run(*arguments)
    assert "—" in plain.stdout
    assert "note BR104: no positives in 2 cases" in plain.stderr


def test_notes_go_to_stderr_and_into_the_json_with_their_override(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,m1,m2\nno,0.5,1\nyes,0.75,1\nno,0.25,1\n")
    done = run("show", str(path), "--label", "y", "--score", "m1", "--score", "m2", "--json")
    text = '"y": positive = "yes", negative = "no". Override: --positive no'
    notes = json.loads(done.stdout)["notes"]
    assert {"code": "BR101", "text": text} in notes
    assert f"note BR101: {text}\n" in done.stderr
    assert {
        "code": "BR206",
        "text": '"m2": every score is 1: no threshold separates anything',
    } in notes


def test_weights_are_shown_as_weights(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,m1,w\n0,0.5,1.5\n1,0.75,2.5\n0,0.25,1\n")
    arguments = ("show", str(path), "--label", "y", "--score", "m1", "--weight", "w")
    done = run(*arguments)
    assert 'weighted by "w"' in done.stdout
    assert "positive weight" in done.stdout
    assert "as in the weighted sample" in done.stdout
    document = json.loads(run(*arguments, "--json").stdout)
    VALID.validate(document)
    assert document["sources"][0]["weight"] == "w"


def test_nothing_in_a_file_steers_the_terminal(tmp_path):
    path = tmp_path / "x.csv"
    name = "s\x1b[31mRED\n2nd\u202e"
    path.write_text(f'y,"{name}",t\n0,5,.1\n1,9,.2\n0,7,.3\n')
    done = run("show", str(path), "--label", "y", "--score", name, "--score", "t")
    assert done.returncode == 0
    for wrong in ("\x1b", "\n2nd", "\u202e"):
        assert wrong not in done.stdout + done.stderr


def test_a_closed_stdout_is_a_lost_answer_and_no_bug(scores):
    command = f"{sys.executable} -m baserate show {scores} --label y --score m1 >&-"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (74, "")
    assert done.stderr.startswith("error BR700: the answer cannot be written to standard output")
    full = subprocess.run(
        ["bash", "-c", command.replace(">&-", "> /dev/full")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert full.returncode == 74
    assert full.stderr.startswith(
        "error BR700: the answer cannot be written to standard output (No space left on"
        " device). Fix"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (
            ("show", "nowhere.csv", "--label", "y", "--score", "m"),
            2,
            "error BR600: there is no file or folder nowhere.csv",
        ),
        (("show", ".", "--label", "y", "--score", "m"), 2, "error BR615: .: is not a regular file"),
        (("show", "."), 2, "error BR003: .: --label and --score are missing"),
        (("show", "nowhere.csv"), 2, "error BR600: there is no file or folder nowhere.csv"),
        (("show", "x.csv", "--lable", "y"), 2, "did you mean"),
        (("shwo",), 2, 'error BR001: there is no command "shwo"; did you mean show?'),
    ],
)
def test_failures_are_one_line_with_their_exit_status(arguments, status, text, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == status
    assert text in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    failed = run(*arguments, "--json", cwd=tmp_path)
    assert failed.returncode == status
    VALID.validate(json.loads(failed.stdout))


def test_a_bug_of_ours_is_never_an_answer(scores, monkeypatch, capsys):
    def broken(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(runner, "count_scores", broken)
    arguments = ["show", str(scores), "--label", "y", "--score", "m1"]
    with pytest.raises(SystemExit, match="^70$") as caught:
        main.main(arguments)
    assert caught.value.code == 70
    assert "error BR999: a bug in baserate: ZeroDivisionError: oops" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="^70$"):
        main.main([*arguments, "--debug"])
    assert "ZeroDivisionError: oops\nerror BR999" in capsys.readouterr().err


def test_an_interrupt_stops_tidily(scores, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "count_scores", interrupted)
    with pytest.raises(SystemExit, match="^130$") as caught:
        main.main(["show", str(scores), "--label", "y", "--score", "m1"])
    assert caught.value.code == 130
    assert capsys.readouterr().err.strip() == "stopped"


def test_a_terminal_that_knows_only_ascii_gets_no_crash(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("y,m1\n0,0.5\n0,0.25\n")
    words = ("show", str(path), "--label", "y", "--score", "m1")
    done = helpers_terminal.run(*words, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0


def test_the_demo_runs_twice_and_never_overwrites_what_is_not_its_own(tmp_path):
    first, second = run("demo", cwd=tmp_path), run("demo", cwd=tmp_path)
    assert first.returncode == second.returncode == 0
    assert first.stdout == second.stdout
    assert "logit         400     19,600" in first.stdout
    (tmp_path / "baserate-demo" / "scores.csv").write_text(
        "id,fraud,logit,forest\nof an older version\n"
    )
    assert run("demo", cwd=tmp_path).stdout == first.stdout
    (tmp_path / "baserate-demo" / "scores.csv").write_text("mine")
    third = run("demo", cwd=tmp_path)
    assert third.returncode == 2
    assert "error BR801" in third.stderr
    assert (tmp_path / "baserate-demo" / "scores.csv").read_text() == "mine"
