"""`baserate gate --template`: a file of settings that says what can be set, and runs."""

import re
import tomllib

import pytest
from tests.cli.helpers import told, written

import baserate as br
from baserate.gates.settings import FITS, HEADERS, SECTIONS, load, read, template

COMMENTED = re.compile(r"^#(?=[\w\[])", re.MULTILINE)
KEYS = [(section, key) for section, keys in SECTIONS.items() for key in keys]
WITH_EVERYTHING = COMMENTED.sub("", template())


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
    assert check.scenario.at.prior == 0.001
    done = told(capsys, "gate")
    assert done.status == 1, done.err  # at this base rate 400 cases do not demonstrate it
    assert "1 of 1 check of baserate.toml" in done.out
    assert template().isascii()  # a shell may write it in any encoding


def test_with_every_setting_it_is_a_gate_too(folder, capsys):
    (folder / "baserate.toml").write_text(WITH_EVERYTHING)
    demand, comparison = load("baserate.toml").checks
    assert (demand.slice, demand.accept_observed, demand.level) == ("country", True, 0.95)
    assert (comparison.statistic, comparison.margin) == ("expected_cost", 0.01)
    done = told(capsys, "gate")
    assert done.status in (0, 1), done.err
    assert "1. precision >= 0.2 of candidate, field, by country" in done.out
    assert "2. candidate against baseline by expected_cost, field, by country" in done.out


@pytest.mark.parametrize(("section", "key"), KEYS, ids=[".".join(names) for names in KEYS])
def test_every_setting_is_known_to_the_reader_and_has_an_example_of_its_kind(section, key):
    setting = SECTIONS[section][key]
    assert FITS[setting.kind](tomllib.loads(f"value = {setting.example}")["value"])
    block = WITH_EVERYTHING.index(HEADERS[section].removeprefix("#"))
    before = "" if setting.before == "#" else setting.before
    place = WITH_EVERYTHING.index(f"\n{before}{key} = {setting.example}", block) + 1
    try:
        read(WITH_EVERYTHING[:place] + WITH_EVERYTHING[place + len(before) :])
    except br.InputError as error:  # one of two that exclude each other
        assert before
        assert "BR841" not in str(error)
