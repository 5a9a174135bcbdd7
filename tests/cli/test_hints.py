"""Every command that is printed as a hint runs when it is pasted."""

import random
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.helpers import answered, told, written

import baserate as br
from baserate.cli.main import COMMANDS

HINT = re.compile(r"baserate [a-z]+ .*")
TWO = ("scores.csv", "--label", "y", "--score", "a", "--score", "b score")
RANGE = ("--prior", "0.5%..2%", "--cost", "fn=50,fp=1")
SAYING = {
    "choose in pieces": ("choose", *TWO, "--prior", "1%", "--memory", "1GB"),
    "choose a rule in pieces": ("choose", *TWO, "--rule", "recall >= 0.5", "--memory", "1GB"),
    "choose, tested in pieces": ("choose", *TWO, "--test", "scores.csv", "--memory", "1GB"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    rng = random.Random("hints")
    rows = []
    for case in range(500):
        y = int(case < 80)
        scores = (f"{rng.gauss(2 * y, 1):.3f}" for _ in range(2))
        rows.append((y, *scores, f"s{case % 2}"))
    written(tmp_path / "scores.csv", ("y", "a", "b score", "site"), rows)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("words", SAYING.values(), ids=SAYING)
def test_a_hint_runs_as_it_is_printed(here, words, capsys):
    done = told(capsys, *words)
    found = HINT.findall(done.out + done.err)
    assert found
    for hint in found:
        program, *asked = shlex.split(hint)
        assert program == "baserate"
        again = told(capsys, *asked)
        assert again.status in ((0, 1) if asked[0] == "gate" else (0,)), (hint, again.err)
        assert again.out


# A command that nobody can paste: without the program's name, or with parts left out.
PRETENDED = re.compile(rf"(?<!baserate )\b(?:{'|'.join(COMMANDS)}) (?:\S+\.csv|…)[ ,.]|… ?--")
PLAIN = {
    "choose": ("choose", *TWO, "--prior", "1%"),
    "choose, as a range": ("choose", *TWO, *RANGE),
    "show a rule": ("show", *TWO, "--rule", "recall >= 0.5"),
    "report": ("report", *TWO, "--prior", "1%"),
    "triage": ("triage", *TWO, "--prior", "1%", "--review", "0.2"),
    "slices": ("slices", *TWO[:5], "--by", "site", "--rule", "recall >= 0.2"),
    "compare": ("compare", *TWO, "--prior", "1%", "--replicates", "100"),
    "an amount as a weight": ("show", "paid.csv", *TWO[1:5], "--weight", "amount_eur"),
}


@pytest.mark.parametrize("words", PLAIN.values(), ids=PLAIN)
def test_advice_is_no_command_that_cannot_be_pasted(here, words, capsys):
    written(
        Path("paid.csv"), ("y", "a", "amount_eur"), [(i % 2, i % 7, 1 + i % 5) for i in range(60)]
    )
    notes = ("--notes",) if words[0] != "compare" else ()
    done = told(capsys, *words, *notes)
    assert done.status == 0, done.err
    assert not PRETENDED.findall(done.out + done.err)


def test_no_text_of_the_source_is_a_command_that_cannot_be_pasted():
    for path in sorted(Path(br.__file__).parent.rglob("*.py")):
        assert not PRETENDED.findall(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_names_the_command_that_shows_the_rest(name, capsys):
    page = told(capsys, name, "-h").out
    listed = len(re.findall(r"^  -", page, flags=re.MULTILINE))
    assert listed <= 18  # 16, and -h and --help-all where all are shown
    for hint in re.findall(r"^All \d+ options: baserate (.*)$", page, flags=re.MULTILINE):
        whole = told(capsys, *hint.split()).out
        assert len(whole) > len(page)
        assert re.findall(r"^  (--label|-o)\b", whole, flags=re.MULTILINE)


def test_the_options_of_reading_are_listed_once(capsys):
    reading = re.findall(r"^  (--[a-z-]+)", told(capsys, "help", "reading").out, flags=re.MULTILINE)
    assert {"--delimiter", "--nan-score", "--memory"} <= set(reading)
    assert told(capsys, "help").out == told(capsys, "help", "reading").out
    for name in ("choose", "show", "curve", "compare"):
        whole = told(capsys, name, "--help-all").out
        assert whole == told(capsys, "help", name).out
        assert not set(re.findall(r"^  (--[a-z-]+)", whole, flags=re.MULTILINE)) & set(reading)
        assert "baserate help reading" in " ".join(whole.split())
    assert "BR001: there is no command" in told(capsys, "help", "chose").err


def test_columns_say_that_there_is_no_header(tmp_path, monkeypatch, capsys):
    (tmp_path / "bare.csv").write_text("".join(f"{i % 2},{i}\n" for i in range(40)))
    monkeypatch.chdir(tmp_path)
    asked = ("show", "bare.csv", "--label", "y", "--score", "m")
    assert answered(capsys, *asked, "--columns", "y,m")["sources"][0]["rows_used"] == 40
    (tmp_path / "baserate.toml").write_text('[data]\nsource = "bare.csv"\nheader = false\n')
    assert "BR604: baserate.toml: has header = false" in told(capsys, *asked).err
