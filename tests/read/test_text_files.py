"""Delimited text: every row accounted for, or none read."""

import hashlib

import pytest

import baserate as br
from baserate.read.files import count_scores
from baserate.read.source import Options
from baserate.read.table import ColumnRoles


def written(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def count_csv(path, *, label, scores, positive=None, weight=None, **options):
    return count_scores(
        path, ColumnRoles(label, tuple(scores), positive, weight), Options.of(options)
    )


def assert_refused(path, match, code, **named):
    with pytest.raises(br.InputError, match=match) as caught:
        count_csv(path, **{"label": "y", "scores": ["m1"], **named})
    assert caught.value.code == code
    assert caught.value.problems[0].where.path == path
    assert str(caught.value.problems[0]).isprintable()
    return caught.value.problems[0]


GOOD = "id,y,m1,m2\n1,0,0.2,1\n2,1,0.7,9007199254740993\n3,0,0.1,9007199254740992\n"


def test_a_file_is_counted_as_its_columns_are(tmp_path):
    path = written(tmp_path, GOOD)
    models = count_csv(path, label="y", scores=["m1", "m2"])
    assert models["m1"] == br.count([0, 1, 0], [0.2, 0.7, 0.1])
    assert models["m2"].scores.tolist() == [9007199254740993, 9007199254740992, 1]
    (source,) = models["m1"].ledger.sources
    assert source.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()
    assert (
        source.rows_read,
        source.rows_used,
        source.rows_refused,
        source.label,
        source.positive,
    ) == (3, 3, 0, "y", "1")
    assert "BR101" not in [note.code for note in models["m1"].notes], "0 and 1 in a file are plain"


def test_a_blank_line_in_the_middle_is_ragged(tmp_path):
    problem = assert_refused(written(tmp_path, "y,m1\n0,1\n\n1,2\n"), "1 of 3 rows", "BR605")
    assert problem.where.lines == (3,)


def test_lines_are_those_of_the_file_also_behind_quoted_line_breaks(tmp_path):
    text = 'id,y,m1\n"a\nb",0,0.5\n"c ""x""",1,abc\n'
    problem = assert_refused(
        written(tmp_path, text), '"m1" has 1 value that is not a number, such as "abc"', "BR208"
    )
    assert problem.where.lines == (4,)


@pytest.mark.parametrize("missing", ["", "NA", "null", "NaN", "?", "-", "#N/A"])
def test_missing_scores_and_labels_are_named_by_line(tmp_path, missing):
    problem = assert_refused(
        written(tmp_path, f"y,m1\n0,1\n1,{missing}\n"), '"m1" has 1 missing', "BR201"
    )
    assert problem.where.lines == (3,)
    if missing not in "?-" or not missing:
        problem = assert_refused(
            written(tmp_path, f"y,m1\n0,1\n{missing},1\n1,1\n"),
            '1 of 3 labels in "y" is missing',
            "BR105",
        )
        assert problem.where.lines == (3,)


@pytest.mark.parametrize(
    ("text", "match", "code"),
    [
        ("y,m11\n0,1\n", 'no column "m1"; it has "y", "m11". Fix: perhaps "m11"', "BR613"),
        ("Y,m1\n0,1\n", 'no column "y".*perhaps "Y"', "BR613"),
        ("a,b\n0,1\n", "Fix: use one of those", "BR613"),
        (",".join("abcdefghij") + "\n" + ",".join("0123456789"), "…", "BR613"),
        (b"y,m1\n0,1\n\xe9,2\n", "byte 0xE9 .the 1. of its line. is not UTF-8 .line 3", "BR601"),
        ('y,m1\n0,1\n1,"2\n', "record that begins there .line 3", "BR614"),
        (
            'y\tm1\n0\t"1"2\n',
            r"broken .'.t' expected after '\"'. in the record that begins there .line 2",
            "BR614",
        ),
        ("q,r\n0,1\n", 'no column "y" or "m1"; it has "q", "r"', "BR613"),
        ("y,m1\n0,1\n1,0.9\0\0\n", "NUL character .byte 14 of the file. .line 3", "BR614"),
        ("y,m1\n0,1\n0,1" + '"' * 200_000 + "\n", "field larger", "BR614"),
        (
            "AGE,y,age,m1,Age\n0,1,2,3,4\n".replace("AGE", "aGe"),
            'no column "AGE", but "aGe" and "age" and "Age"',
            "BR607",
        ),
        ("y,m1\n0,0,5\n1,0,7\n", "2 of 2 rows", "BR605"),
    ],
)
def test_files_that_would_need_a_guess_are_refused(tmp_path, text, match, code):
    named = {"scores": ["AGE"]} if code == "BR607" else {}
    assert_refused(written(tmp_path, text), match, code, **named)


def test_the_positive_class_is_compared_as_text(tmp_path):
    path = written(tmp_path, "y,m1\nfraud,0.9\nlegit,0.1\nlegit,0.2\n")
    counts = count_csv(path, label="y", scores=["m1"], positive="fraud")["m1"]
    assert counts.positives.tolist() == [1, 0, 0]
    assert counts.ledger.sources[0].positive == "fraud"
    assert (
        count_csv(written(tmp_path, GOOD), label="y", scores=["m1"], positive="0")[
            "m1"
        ].total_positives
        == 2
    )


def test_a_file_without_positives_says_so(tmp_path):
    counts = count_csv(written(tmp_path, "y,m1\n0,1\n0,2\n"), label="y", scores=["m1"])["m1"]
    assert counts.total_positives == 0
    assert "BR104" in [note.code for note in counts.notes]


def test_one_column_may_have_two_roles_and_counts_once(tmp_path):
    path = written(tmp_path, GOOD)
    assert count_csv(path, label="y", scores=["y"])["y"] == br.count([0, 1, 0], [0, 1, 0])
    assert count_csv(path, label="y", scores=["m1"], weight="m1")["m1"].positives.tolist() == [
        0.7,
        0.0,
        0.0,
    ]


def test_scores_named_with_commas_get_the_right_hint(tmp_path):
    assert_refused(
        written(tmp_path, GOOD), "Fix: write --score m1 --score m2", "BR613", scores=["m1,m2"]
    )


def test_a_header_of_many_columns_is_read(tmp_path):
    names = [f"c{i}" for i in range(40_000)]
    path = written(
        tmp_path,
        ",".join(["y", "m1", *names])
        + "\n"
        + ",".join(["0"] * 40_002)
        + "\n"
        + ",".join(["1"] * 40_002)
        + "\n",
    )
    assert count_csv(path, label="y", scores=["m1"])["m1"].total_positives == 1


def test_every_problem_of_a_file_is_found_in_one_pass(tmp_path):
    path = written(tmp_path, "y,m1,m2\n0,1,x\n,z,2\n1,2,3\n")
    with pytest.raises(br.InputError, match="BR105.*\nBR208.*\nBR208") as caught:
        count_csv(path, label="y", scores=["m1", "m2"])
    assert [problem.where.lines for problem in caught.value.problems] == [(3,), (3,), (2,)]


def test_what_the_fast_way_doubts_is_named_by_line(tmp_path):
    rows = "".join(f"{i % 2},{i / 7}\n" for i in range(100_000))
    problem = assert_refused(
        written(tmp_path, f"y,m1\n{rows}1,x\n"),
        '"m1" has 1 value that is not a number, such as "x"',
        "BR208",
    )
    assert problem.where.lines == (100_002,)
    problem = assert_refused(
        written(tmp_path, f"y,m1\n{rows}1,2,3\n0\n"), "2 of 100,002 rows have 3, 1 fields", "BR605"
    )
    assert problem.where.lines == (100_002, 100_003)
    problem = assert_refused(written(tmp_path, f"y,m1\n{rows}2,1\n"), '"y" has 3 values', "BR103")
