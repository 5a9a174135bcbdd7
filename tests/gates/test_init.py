"""`init` writes settings from a file and a few answers, and what it writes is what `gate` reads."""

import gzip
import os
import subprocess
import sys

import pytest
from tests.cli.helpers import answered, refused, told, written
from tests.gates.files import scored

import baserate as br
from baserate.gates.settings import Answers, columns_of, load, settings_text
from baserate.read import streams
from baserate.read.source import Options

ROWS = [
    (i, ("legit", "fraud")[i % 3 == 0], round(i * 7 % 11 / 11, 3), round(i * 5 % 13 / 13, 3))
    for i in range(60)
]


def asked(folder, *arguments, answers=()):
    """`init` in a process of its own, with the answers piped in."""
    return subprocess.run(
        [sys.executable, "-m", "baserate", "init", *arguments],
        cwd=folder,
        input="".join(f"{answer}\n" for answer in answers),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "scores.csv", ["case", "cls", "m1", "m 2"], ROWS)


def test_answers_become_settings_that_the_gate_reads(tmp_path, file, capsys, monkeypatch):
    done = asked(
        tmp_path,
        "scores.csv",
        answers=(
            "cls",
            "m1,m 2",
            "fraud",
            "1 in 1000",
            "fn=100,fp=1",
            "0.5",
            "0.4",
            "recall >= 0.1",
        ),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "baserate.toml is written. Run its checks: baserate gate\n"
    assert (
        (tmp_path / "baserate.toml").read_text()
        == '# What a build checks: run it with `baserate gate`, or `pytest --baserate`.\n\n[data]\nsource = "scores.csv"\nlabel = "cls"\npositive = "fraud"\n\n[models]\nm1 = "m1"\n"m 2" = "m 2"\n\n[scenario.field]\nprior = "1 in 1000"\ncosts = { fn = 100, fp = 1 }\nthreshold = { m1 = 0.5, "m 2" = 0.4 }\n\n[defaults]\nprior = "1 in 1000"\ncosts = { fn = 100, fp = 1 }\n\n[[compare]]\nscenario = "field"\nbaseline = "m1"\ncandidate = "m 2"\n\n[[require]]\nscenario = "field"\nmodel = "m 2"\nrule = "recall >= 0.1"\n'  # noqa: E501
    )
    monkeypatch.chdir(tmp_path)
    assert told(capsys, "gate").status in (0, 1)


def test_wrong_answers_are_told_and_asked_again(tmp_path, file):
    answers = (
        "clss",
        "cls",
        "m1,gone",
        "m1",
        "frau",
        "fraud",
        "12",
        "sample",
        "fq=1",
        "",
        "low",
        "",
        "recal >= 0.5",
        "recall >= 0.5",
    )
    done = asked(tmp_path, "scores.csv", answers=answers)
    assert done.returncode == 0, done.stderr
    told_again = (
        'no column "clss"',
        'no column "gone"',
        '"frau" is not in',
        "BR503",
        'no outcome "fq"',
        "BR529",
        'unknown measure "recal"',
    )
    assert [text for text in told_again if text not in done.stderr] == []
    found = load(tmp_path / "baserate.toml")
    assert found.checks[0].rule == "recall >= 0.5"
    assert found.checks[0].scenario.at == br.Conditions()
    assert found.data.positive == "fraud"


def test_the_columns_are_shown_with_a_value_each(tmp_path, file):
    assert (
        "  case  (0)\n  cls  (fraud)\n  m1  (0.0)\n  m 2  (0.0)\n"
        in asked(tmp_path, "scores.csv").stderr
    )


def test_where_the_answers_end_nothing_is_written(tmp_path, file):
    assert asked(tmp_path, "scores.csv", answers=("cls",)).returncode == 130
    assert not (tmp_path / "baserate.toml").exists()


def test_yes_takes_the_defaults_where_nothing_is_guessed(tmp_path, capsys, monkeypatch):
    scored(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert (
        told(
            capsys,
            "init",
            "scores.csv",
            "--label",
            "y",
            "--score",
            "old",
            "--score",
            "new",
            "--yes",
        ).status
        == 0
    )
    found = load("baserate.toml")
    assert (found.data.positive, found.checks[0].models, found.checks[0].wanted) == (
        "1",
        ("old", "new"),
        "error",
    )
    assert told(capsys, "gate").status == 0
    assert (
        told(
            capsys, "init", "scores.csv", "--label", "y", "--score", "old", "--yes", "--force"
        ).status
        == 0
    )
    assert load("baserate.toml").checks[0].rule == "auc >= 0.5"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            (),
            (
                "BR845: Which column says who is positive? --yes does not guess that. Fix: --label"
                " COLUMN"
            ),
        ),
        (("--label", "cls"), "BR845: Which columns are scores"),
        (("--label", "cls", "--score", "m1"), "BR102: scores.csv: "),
        (("--label", "cls", "--score", "m1", "--positive", "frau"), "BR109: scores.csv: "),
        (("--label", "clss", "--score", "m1"), "BR613: scores.csv: "),
        (("--label", "cls", "--score", "m1", "--positive", "fraud", "--prior", "12"), "BR503"),
        (("--label", "cls", "--score", "m1", "--positive", "fraud", "--cost", "fq=1"), "BR514"),
        (("--label", "cls", "--score", "m1", "--positive", "fraud", "--threshold", "low"), "BR529"),
        (
            ("--label", "cls", "--score", "m1", "--positive", "fraud", "--require", "recal >= 1"),
            "BR531",
        ),
    ],
)
def test_yes_does_not_guess(tmp_path, file, capsys, monkeypatch, arguments, text):
    monkeypatch.chdir(tmp_path)
    assert text in told(capsys, "init", "scores.csv", *arguments, "--yes").err
    assert not (tmp_path / "baserate.toml").exists()


GIVEN = ("--label", "cls", "--score", "m1", "--positive", "fraud", "--yes")


def test_a_file_that_is_there_is_left_alone(tmp_path, file, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baserate.toml").write_text("mine")
    assert (
        "BR801: baserate.toml: exists. Fix: --force"
        in told(capsys, "init", "scores.csv", *GIVEN).err
    )
    assert (tmp_path / "baserate.toml").read_text() == "mine"
    assert told(capsys, "init", "scores.csv", *GIVEN, "--force").status == 0


def test_a_link_is_never_written_through(tmp_path, file, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "baserate.toml").symlink_to("theirs")
    for more in ((), ("--force",)):
        assert (
            "BR803: baserate.toml: is a symbolic link"
            in told(capsys, "init", "scores.csv", *GIVEN, *more).err
        )
    (tmp_path / "baserate.toml").unlink()
    (tmp_path / "baserate.toml").symlink_to("gone")
    assert "BR803" in told(capsys, "init", "scores.csv", *GIVEN).err
    assert (tmp_path / "theirs").read_text() == "theirs"


def test_settings_may_be_written_elsewhere_and_still_find_the_cases(
    tmp_path, file, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ci").mkdir()
    assert told(capsys, "init", "scores.csv", *GIVEN, "-o", "ci/checks.toml").out.endswith(
        "baserate gate --config ci/checks.toml\n"
    )
    assert 'source = "../scores.csv"' in (tmp_path / "ci" / "checks.toml").read_text()
    assert told(capsys, "gate", "--config", "ci/checks.toml").status in (0, 1)


def test_what_was_said_of_how_to_read_is_kept(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(
        "# made by us\ny;m\n" + "".join(f"{i % 2};0,{i}\n" for i in range(40))
    )
    reading = ("--delimiter", ";", "--decimal", ",", "--skip-lines", "1")
    assert (
        told(capsys, "init", "s.csv", "--label", "y", "--score", "m", "--yes", *reading).status == 0
    )
    assert (
        'delimiter = ";"\ndecimal = ","\nskip_lines = 1\n'
        in (tmp_path / "baserate.toml").read_text()
    )
    assert told(capsys, "gate").status in (0, 1)


def test_the_answer_may_be_json(tmp_path, file, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    document = answered(capsys, "init", "scores.csv", *GIVEN)
    assert (document["command"], document["written"], document["sources"][0]["positive"]) == (
        "init",
        "baserate.toml",
        "fraud",
    )


def test_init_needs_a_file_that_can_be_read_again(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "BR001: Missing argument 'FILE'" in refused(capsys, "init")
    assert "BR842: settings cannot be read from standard input" in refused(capsys, "init", "-")
    assert "BR600: there is no file or folder gone.csv" in refused(
        capsys, "init", "gone.csv", *GIVEN
    )
    br.count([0, 1], [1, 2]).save("day.counts")
    assert "BR610: day.counts: holds counts, not cases" in refused(
        capsys, "init", "day.counts", *GIVEN
    )


def test_the_cases_are_never_written_over(tmp_path, file, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "BR804: scores.csv: is an input" in refused(
        capsys, "init", "scores.csv", *GIVEN, "--output", "scores.csv", "--force"
    )


@pytest.mark.parametrize(
    "name",
    [
        'a"b',
        "a\\b",
        "a\x7fb",
        "tab\there",
        "é",
        "\U0001f600",
        "a.b",
        "-",
        "[x]",
        "\x1b[0m",
        "new\nline",
    ],
)
def test_any_name_is_read_back_as_it_was_written(name):
    text = settings_text(Answers("s.csv", name, (name,), name, rule="auc >= 0.5"), "baserate.toml")
    from baserate.gates.settings import read

    found = read(text)
    assert (found.data.label, found.data.positive, list(found.data.models)) == (name, name, [name])


def test_a_password_is_not_written():
    with pytest.raises(br.InputError, match="BR842: the address holds a password") as refused_:
        settings_text(
            Answers("postgresql://me:secret@host/db::t", "y", ("m",), rule="auc >= 0.5"),
            "baserate.toml",
        )
    assert "secret" not in str(refused_.value)


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("cases.db::SELECT a/b FROM t", "../cases.db::SELECT a/b FROM t"),
        ("postgresql://host/db::t", "postgresql://host/db::t"),
        ("/a.csv", None),
    ],
)
def test_a_source_is_named_relative_to_the_settings(source, kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = settings_text(Answers(source, "y", ("m",), rule="auc >= 0.5"), "ci/baserate.toml")
    assert f'source = "{kept or os.path.relpath(source, tmp_path / "ci")}"' in text


def test_columns_are_those_of_the_header_and_only_of_text(tmp_path):
    (tmp_path / "s.csv").write_text("a;b\n1;2\n")
    assert columns_of(str(tmp_path / "s.csv"), Options()) == [("a", "1"), ("b", "2")]
    assert columns_of(str(tmp_path / "s.db::t"), Options()) == []
    assert columns_of("postgresql://host/db::t", Options()) == []


def test_what_is_compressed_is_not_unpacked_to_name_its_columns(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"y,s\n1,0.5\n0,0.25\n"))
    monkeypatch.setattr(streams, "pieces", None)
    assert columns_of(str(path), Options()) == []
