"""Every row of the list stands here once; what is written of them is what they do; and one run says
all that is wrong.
"""

import re

from tests.bad_inputs import rows
from tests.bad_inputs.bench import Bench, M, Y, table, with_
from tools.docs import bad_inputs

DOCS = bad_inputs.PAGE.parent


def test_every_row_is_tested_once_or_belongs_to_another_issue():
    assert sorted(rows.everything()) == list(rows.NUMBERS)
    assert set(rows.ADDED) <= set(rows.ROWS)


def test_a_test_says_the_number_of_its_row():
    for found in (
        *rows.everything().values(),
        *(one for several in rows.ADDED.values() for one in several),
    ):
        assert found.tried is None or f"_row_{found.number}_" in found.tried.__name__


def test_the_page_is_what_the_rows_show():
    assert bad_inputs.PAGE.read_text() == bad_inputs.page(), "run python tools/docs/bad_inputs.py"


def test_every_code_that_is_shown_is_documented():
    documented = set(
        re.findall(r"^\| (BR\d{3}) ", (DOCS / "codes.md").read_text(), flags=re.MULTILINE)
    )
    assert set(re.findall(r"BR\d{3}", bad_inputs.PAGE.read_text())) <= documented


def test_all_that_is_wrong_with_a_file_is_said_in_one_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = table(
        y=with_(Y, at3=""), m=with_(M, at5="x"), n=with_(M, at7=""), w=with_([1.5] * 20, at9=-1)
    )
    bench = Bench(tmp_path)
    said = bench.refused(
        "BR105", "BR208", "BR201", "BR303", *bench.show(wrong, "--score", "n", "--weight", "w")
    )
    assert re.findall(r"\(line (\d+)\)", said) == ["5", "7", "9", "11"]


def test_all_that_is_wrong_with_several_files_is_said_in_one_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path)
    for name, labels in (
        ("old.csv", with_(Y, at3="")),
        ("new.csv", with_(Y, at4="", at5="")),
        ("last.csv", Y),
    ):
        bench.file(table(id=range(20), y=labels, m=M), name)
    said = bench.refused(
        "BR105",
        "BR105",
        "compare",
        "old.csv",
        "new.csv",
        "last.csv",
        "--label",
        "y",
        "--score",
        "m",
        "--id",
        "id",
    )
    assert [line.split(": ")[1] for line in said.splitlines()] == ["old.csv", "new.csv"]


def test_all_that_is_wrong_with_conditions_is_said_in_one_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path)
    bench.refused(
        "BR514", "BR503", "BR503", *bench.show(table(y=Y, m=M), "--cost", "fnn=5", "--prior", "5,0")
    )
