"""Commands on sources that are no CSV, and with options of text files: the same answers as on the
plain file.
"""

import gzip
import sqlite3
from contextlib import closing

import pytest
from tests.cli.helpers import refused, told, written

ROWS = [
    (i % 2, i % 7 + 3 * (i % 2), i % 5 + 4 * (i % 2), (None, "(missing)", "a")[i % 3])
    for i in range(120)
]


@pytest.fixture
def plain(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(
        "y,old,new,site\n"
        + "".join(
            ",".join("" if value is None else str(value) for value in row) + "\n" for row in ROWS
        )
    )
    return str(path)


@pytest.fixture(params=["SQLite", "semicolons", "gzip"])
def other(request, tmp_path, plain):
    text = (tmp_path / "cases.csv").read_text()
    if request.param == "semicolons":
        path = tmp_path / "cases.txt"
        path.write_text(text.replace(",", ";"))
        return (str(path), "--delimiter", ";")
    if request.param == "gzip":
        path = tmp_path / "cases.csv.gz"
        path.write_bytes(gzip.compress(text.encode()))
        return (str(path),)
    with closing(sqlite3.connect(tmp_path / "cases.db")) as database, database:
        database.execute("CREATE TABLE cases (y INTEGER, old INTEGER, new INTEGER, site TEXT)")
        database.executemany("INSERT INTO cases VALUES (?, ?, ?, ?)", ROWS)
    return (f"{tmp_path}/cases.db::cases",)


COMMANDS = {
    "gate, a comparison": (
        "gate",
        "--baseline",
        "old",
        "--candidate",
        "new",
        "--threshold",
        "5",
        "--slice",
        "site",
    ),
    "gate, a requirement": (
        "gate",
        "recall >= 0.5",
        "--score",
        "old",
        "--threshold",
        "5",
        "--slice",
        "site",
    ),
    "compare": ("compare", "--score", "old", "--score", "new"),
    "show": ("show", "--score", "old", "--score", "new"),
    "choose": ("choose", "--score", "old", "--score", "new", "--prior", "1%"),
    "curve": ("curve", "--score", "old", "--csv"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_the_same_of_every_source(plain, other, capsys, name):
    command, *more = COMMANDS[name]
    before = ("roc",) if command == "curve" else ()
    first, second = (
        told(capsys, command, *before, path, *dialect, "--label", "y", *more)
        for path, *dialect in ((plain,), other)
    )
    assert first.status in (0, 1)
    assert (second.status, second.err) == (first.status, first.err)
    assert without_source(second.out) == without_source(first.out)


def without_source(text):
    return [line for line in text.splitlines() if "rows read" not in line]


def test_missing_groups_have_a_name_of_their_own(other, capsys):
    for more in (COMMANDS["gate, a comparison"], COMMANDS["gate, a requirement"]):
        out = told(capsys, "gate", *other, "--label", "y", *more[1:]).out
        assert {"((missing))", "(missing)", "a"} <= set(out.split())


def test_an_empty_name_of_a_slice_is_refused(other, capsys):
    done = told(
        capsys,
        "gate",
        *other,
        "--label",
        "y",
        "recall >= 0.5",
        "--score",
        "old",
        "--threshold",
        "5",
        "--slice",
        "",
    )
    assert (done.status, done.out) == (2, "")
    assert "BR613" in done.err
    assert 'has no column ""' in done.err


def test_whoever_names_no_label_or_score_is_told_which_columns_there_are(tmp_path, capsys):
    path = written(tmp_path / "x.csv", ("id", "fraud", "m1"), [(1, 0, 0.2), (2, 1, 0.4)])
    assert (
        "--label is missing: which column says which cases are positive (id, fraud, m1)?"
        in refused(capsys, "show", path, "--score", "m1")
    )
    assert "--score is missing: which column holds a model's scores (id, fraud, m1)?" in refused(
        capsys, "show", path, "--label", "fraud"
    )
    assert "a model's scores? Fix: --label COLUMN --score COLUMN." in refused(capsys, "show", "-")
