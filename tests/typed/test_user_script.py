"""A user's script passes `mypy --strict`, and a misspelt keyword does not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
HEAD = "import baserate as br\nY, S = [0, 1], [0.1, 0.9]\ncounts = br.count(Y, S)\n"


def checked(path, folder):
    """What mypy says of a script, in strict mode."""
    run = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--no-error-summary"),
            *("--config-file", os.devnull, "--cache-dir", str(ROOT / ".mypy_cache"), str(path)),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )
    return run.stdout


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What mypy says of all wrong lines and revealed types, by the line's number."""
    folder = tmp_path_factory.mktemp("typed")
    path = folder / "lines.py"
    path.write_text(HEAD + "\n".join([*WRONG, *(f"reveal_type({line})" for line in TYPES)]) + "\n")
    found = {}
    for line in checked(path, folder).splitlines():
        place = line.split(":")
        if place[0].endswith("lines.py"):
            found.setdefault(int(place[1]) - HEAD.count("\n") - 1, []).append(line)
    return found


WRONG = [
    "br.count(Y, S, pos_lable=1)",
    "br.count('a.csv', label='y', score='s', positve='fraud')",
    "br.count('a.csv', label='y', score='s', nan_score='dropp')",
    "br.choose(counts, volum=3)",
    "br.choose({'a': counts}, optimise='f1')",
    "br.measure(counts, 'precision', thresold=0.5)",
    "br.interval(counts, 'auc', side='upperr')",
    "br.compare({'a': counts}, 'auc', pairs=('a', 'b'))",
    "br.curve(counts, 'pr', priorr=0.1)",
    "br.Conditions(priorr=0.1)",
    "br.choose(counts).flag(S)",
    "br.choose_model({'a': counts})",
    "br.compare({'a': counts}).pvalue",
]
TYPES = {
    "br.count(Y, S)": "Counts",
    "br.count(Y, {'a': S})": "JointCounts",
    "br.count(Y, S, by=Y)": "GroupedCounts",
    "br.count(Y, S, cluster=Y)": "GroupedCounts",
    "br.count(Y, S, amount=S)": "Amounts",
    "br.count(Y, {'a': S}, by=Y)": "counts.JointCounts]",
    "br.count('a.csv', label='y', score='s')": "Counts",
    "br.count('a.csv', label='y', score=['s'])": "JointCounts",
    "br.count('a.csv', label='y', score='s', by='site')": "GroupedCounts",
    "br.count('a.csv', label='y', score='s', day='ts', tz='UTC')": "GroupedCounts",
    "br.choose(counts, prior='1%')": "OperatingPoint",
    "br.choose(br.count(Y, S, by=Y))": "OperatingPoint",
    "br.choose(br.count(Y, {'a': S}))": "Choice",
    "br.choose({'a': counts}, prior='1%..2%')": "Choice",
    "br.choose(br.count(Y, S, amount=S), review=1)": "AmountPoint",
    "br.choose(br.count(Y, {'a': S}, amount=S), review=1)": "AmountChoice",
    "br.measure(counts, 'tpr', threshold=None)": "Reading",
    "br.measure(br.count(Y, S, by=Y), 'tpr', threshold=1)": "numbers.Reading]",
    "br.table(counts)": "ThresholdTable",
    "br.curve(counts, 'roc')": "Curve",
    "br.curve({'a': counts}, 'roc')": "Curves",
    "br.roc({'a': counts})": "Curves",
    "br.summary(counts, 'auc')": "Reading",
    "br.interval(counts, 'auc')": "Interval",
    "br.compare(br.count(Y, {'a': S}))": "Differences",
    "br.compare(br.count(Y, {'a': S})).p_value": "float",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_misspelt_is_found(line, answers):
    said = "\n".join(answers.get(WRONG.index(line), ()))
    assert "error" in said, line


@pytest.mark.parametrize("line", TYPES)
def test_the_type_follows_from_the_data(line, answers):
    said = "\n".join(answers.get(len(WRONG) + list(TYPES).index(line), ()))
    assert "Revealed type" in said
    assert "error" not in said
    assert said.rstrip().rstrip('"').endswith(TYPES[line])


def test_the_script_of_a_user_is_typed_and_runs(tmp_path, monkeypatch):
    assert checked(HERE / "user_script.py", tmp_path) == ""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(HERE)
    import user_script

    model, precision, p_value = user_script.fraud()
    assert model in ("logit", "forest")
    assert 0 < precision < 1
    assert 0 <= p_value <= 1
    assert (tmp_path / "report.html").stat().st_size > 100_000
    likelihood, auc, _ = user_script.clinic()
    assert likelihood > 1
    assert 0.5 < auc < 1
    site, recall = user_script.security_log()
    assert site in ("oslo", "bern")
    assert 0 <= recall <= 1
