"""`baserate gate --template`: a file of settings that says what can be set, and runs."""

import re
import tomllib

import pytest
from tests.cli.helpers import told, written

from baserate.gates.settings import READING, SECTIONS, load
from baserate.gates.template import TEMPLATE

COMMENTED = re.compile(r"^#(?=[\w\[])", re.MULTILINE)
INSTEAD = re.compile(r"^# (?!Reading)[\w ,]+: (?=\w+ = )", re.MULTILINE)
WITH_EVERYTHING = COMMENTED.sub("", TEMPLATE)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rows = [
        (
            int(i % 4 == 0),
            (0.9 if i % 4 == 0 else 0.1) - i / 1e4,
            i % 8 / 10,
            "de" if i % 3 else "fr",
        )
        for i in range(400)
    ]
    written(tmp_path / "scores.csv", ["y", "score", "old_score", "country"], rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_template_is_a_gate_as_it_stands(folder, capsys):
    (folder / "baserate.toml").write_text(told(capsys, "gate", "--template").out)
    (check,) = load("baserate.toml").checks
    assert check.rule == "precision >= 0.2"
    assert check.at.prior == 0.001
    done = told(capsys, "gate")
    assert done.status == 1, done.err  # at this base rate 400 cases do not demonstrate it
    assert "1 of 1 check of baserate.toml" in done.out
    assert TEMPLATE.isascii()  # a shell may write it in any encoding


def test_with_every_setting_it_is_a_gate_too(folder, capsys):
    (folder / "baserate.toml").write_text(WITH_EVERYTHING)
    demand, comparison = load("baserate.toml").checks
    assert (demand.slice, demand.accept_observed, demand.keywords["level"]) == (
        "country",
        True,
        0.95,
    )
    assert (comparison.statistic, comparison.keywords["margin"]) == ("expected_cost", 0.01)
    done = told(capsys, "gate")
    assert done.status in (0, 1), done.err
    assert "1. precision >= 0.2 of candidate, field, by country" in done.out
    assert "2. candidate against baseline by expected_cost, field, by country" in done.out


def test_the_template_has_every_setting_with_a_value_of_its_kind():
    """Of settings that exclude each other, too; what reads files is listed by `help reading`."""
    every = tomllib.loads(INSTEAD.sub("", WITH_EVERYTHING))
    known = {
        "data": every["data"],
        "scenario": every["scenario"]["field"],
        "require": every["require"][0],
        "compare": every["compare"][0],
        "defaults": every["defaults"],
    }
    for section, values in known.items():
        assert values.keys() == SECTIONS[section].keys() - READING.keys()
    assert every.keys() == SECTIONS[""].keys()
