"""`baserate.toml` in the working directory gives defaults, and every answer names them."""

import random

import pytest
from tests.cli.helpers import answered, first_point, refused, told, written

LINE = ("--label", "y", "--score", "a", "--score", "b", "--prior", "1%", "--cost", "fp=1,fn=20")
SETTINGS = """
[data]
source = "dev.csv"
label = "y"

[defaults]
scores = ["a", "b"]
prior = "1%"
costs = { fp = 1, fn = 20 }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two files of cases, and the settings of the first."""
    for name in ("dev", "test"):
        rng = random.Random(name)
        rows = [
            (int(i < 60), *(f"{rng.gauss(2 * (i < 60), 1):.3f}" for _ in "ab")) for i in range(600)
        ]
        written(tmp_path / f"{name}.csv", ("y", "a", "b"), rows)
    (tmp_path / "baserate.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_config(answer):
    return {name: part for name, part in answer.items() if name != "config"}


@pytest.mark.parametrize("command", ["choose", "show", "compare"])
def test_a_command_alone_is_a_whole_command(folder, command, capsys):
    short = answered(capsys, command)
    assert without_config(short) == answered(capsys, "--no-config", command, "dev.csv", *LINE)
    used = ["source", "label", "scores", "prior", "costs"]
    assert short["config"] == {"path": "baserate.toml", "used": used}
    last = told(capsys, command).out.splitlines()[-1]
    assert last == f"defaults: baserate.toml ({', '.join(used)})"


def test_what_is_on_the_line_wins_and_only_what_was_used_is_named(folder, capsys):
    found = answered(capsys, "choose", "dev.csv", "--score", "a", "--prior", "2%")
    assert found["config"]["used"] == ["label", "costs"]
    assert list(found["result"]["points"]) == ["a"]
    assert found["result"]["at"]["prior"] == 0.02


def test_no_config_ignores_it_wherever_it_stands(folder, capsys):
    for words in (("choose", "--no-config"), ("--no-config", "choose")):
        assert "Missing argument 'FILE'" in refused(capsys, *words)


def test_a_lone_rule_is_a_rule_of_the_default_file(folder, capsys):
    lone = answered(capsys, "choose", "recall >= 0.8")
    named = answered(capsys, "choose", "--rule", "recall >= 0.8")
    assert lone["result"] == named["result"]
    assert lone["result"]["rule"] == "tpr >= 0.8"
    pair = ("--statistic", "precision")
    assert answered(capsys, "compare", "recall >= 0.8", *pair) == answered(
        capsys, "compare", "--rule", "recall >= 0.8", *pair
    )


def test_a_budget_is_a_rule_and_a_test_file_is_evaluated_on(folder, capsys):
    with (folder / "baserate.toml").open("a") as file:
        file.write('budget = 20\nvolume = 1000\ntest = "test.csv"\nlevel = "90%"\n')
    found = answered(capsys, "choose")
    assert found["result"]["rule"] == "alerts <= 20"
    assert found["sources"][1]["path"] == "test.csv"
    interval = first_point(found)["intervals"]["tpr"]
    assert interval["level"] == 0.9
    # Another file or a range: the test data are not those of this choice.
    for words in (("test.csv",), ("--prior", "1%..2%")):
        assert "chosen" not in answered(capsys, "choose", *words)["result"]


def test_a_default_gives_way_to_what_is_given_in_its_place(folder, capsys):
    found = answered(capsys, "choose", "--pilot", "10/1000")
    assert "prior" not in found["config"]["used"]
    found = answered(capsys, "choose", "--profit", "tp=20,fp=-1")
    assert "costs" not in found["config"]["used"]
    assert told(capsys, "count", "-o", "dev.counts").status == 0
    found = answered(capsys, "choose", "dev.counts")
    assert found["config"]["used"] == ["scores", "prior", "costs"]


def test_settings_beside_the_data_are_not_read(folder, monkeypatch, capsys):
    hostile = folder / "elsewhere"
    hostile.mkdir()
    monkeypatch.chdir(hostile)
    assert "BR003" in refused(capsys, "show", folder / "dev.csv")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "prio = 3",
            "there is no key defaults.prio; did you mean prior? Fix: write prior,",
        ),
        ("budget = 3\nrule = 'recall >= 1'", "defaults.budget and rule are given together"),
        ("volume = 'x'", "defaults.volume is a number"),
        ("scores =", "is not TOML"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_key(folder, line, said, capsys):
    with (folder / "baserate.toml").open("a") as file:
        file.write(line + "\n")
    done = told(capsys, "show")
    assert done.status == 2
    assert said in done.err
    assert "or --no-config" in done.err
    assert told(capsys, "--no-config", "show", "dev.csv", *LINE).status == 0


def test_the_settings_of_a_gate_give_defaults_and_defaults_are_no_check(folder, capsys):
    (folder / "baserate.toml").write_text(
        SETTINGS + "[models]\na = 'a'\n[[require]]\nrule = 'recall >= 0.1'\n"
    )
    assert told(capsys, "gate").status == 0
    assert answered(capsys, "show")["config"]["used"][:3] == ["source", "label", "scores"]
