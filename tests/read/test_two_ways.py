"""Delimited text by DuckDB and by Python's csv module: one answer, and no row lost by either."""

import contextlib
import gzip
import random
import tempfile
from pathlib import Path

import pytest
from benchmarks.fuzzing import naive_text
from benchmarks.fuzzing.odd_files import odd_file
from hypothesis import given
from hypothesis import strategies as st
from tests.read.test_large_texts import plain_text

import baserate as br
from baserate.read import engine
from baserate.read import text as text_reader
from baserate.read.files import count_scores, read_cases
from baserate.read.source import Options
from baserate.read.table import LEAST, ColumnRoles
from baserate.read.text import Text, line_at, scan_bytes

WANTED = ColumnRoles("y", ("m1",))


def written(tmp_path, text, name="scores.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def count_csv(path, **options):
    return count_scores(path, ColumnRoles("y", ("m1",)), Options.of(options))["m1"]


@contextlib.contextmanager
def by_csv_module():
    """Every text is read by Python's csv module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.Loading, "_by_duckdb", lambda *_: None)
        yield


def answer(path, wanted, **options):
    """What is counted, or the lines that refuse it."""
    try:
        counts = count_scores(path, wanted, Options.of(options))
    except br.InputError as error:
        return str(error)
    return {
        name: (each.digest, each.ledger, [str(note) for note in each.notes])
        for name, each in counts.items()
    }


def is_read_by_duckdb(path, wanted=WANTED, **options):
    read, seen = engine.Loading._by_duckdb, []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            engine.Loading, "_by_duckdb", lambda *given: seen.append(read(*given)) or seen[-1]
        )
        answer(path, wanted, **options)
    return bool(seen) and None not in seen


def assert_agree(path, wanted=WANTED, *, by_duckdb=None, **options):
    if by_duckdb is not None:
        assert is_read_by_duckdb(path, wanted, **options) == by_duckdb
    with by_csv_module():
        expected = answer(path, wanted, **options)
    assert answer(path, wanted, **options) == expected


ODD_NUMBERS = (  # noqa: SIM905 (reads better)
    "0.5 0.50 .5 5. 5 -5 +5 007 1e5 1E-5 1e400 1e-400 2e-400 inf -Infinity nan 0x10 1_000 1d5 true"
    " 9007199254740993 9007199254740992 9223372036854775807 9223372036854775808"
    " -9223372036854775808 0.1 0.10000000000000001 0.1000000000000000055511151231257827 -0 -0.0 0.0"
    " 5e-324 2.4703282292062328e-324 1.7976931348623157e308 1.7976931348623159e308"
    " 0.30000000000000004 123456789012345678 1e22 1e23 0.000123456789012345 1.23456789012345e-4 12%"
    " $3 1,5 NA ? - null"
).split()
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1).map(lambda x: f"{x:.6f}"),
    st.floats(0, 1).map(lambda x: f"{x:.17g}"),
    st.floats(0, 1).map(lambda x: f"{x:.18e}"),
    st.integers(-(2**64), 2**64).map(str),
    st.integers(0, 9).map(str),
    st.sampled_from([*ODD_NUMBERS, " 0.5", "0.5 ", "\t1", "\u00a01", "\u0661"]),
)
TEXTS = st.text(st.sampled_from("ab01 ,;\"\n\r\t|\u00e9\U0001f600'\\"), max_size=6)


def quoted_field(text, delimiter, always=False):
    needs = always or any(sign in text for sign in f'{delimiter}"\n\r')
    return '"' + text.replace('"', '""') + '"' if needs else text


@st.composite
def files(draw, numbers=NUMBERS):
    """A table as some program might write it."""
    delimiter = draw(st.sampled_from(",,,;\t|"))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    always = draw(st.booleans())
    labels = draw(
        st.sampled_from([["0", "1"], ["0", "1"], ["no", "yes"], ["a", "b", ""], ["0", "1", "NA"]])
    )
    kind = draw(st.sampled_from([numbers, st.floats(0, 1).map(repr), st.integers(0, 50).map(str)]))
    rows = [["id", "y", "m1"]] + [
        [draw(TEXTS), draw(st.sampled_from(labels)), draw(kind)]
        for _ in range(draw(st.integers(1, 12)))
    ]
    text = end.join(
        delimiter.join(quoted_field(field, delimiter, always) for field in row) for row in rows
    )
    return text + end * draw(st.integers(0, 3)), rows[1:]


@given(files(), st.booleans())
def test_both_ways_agree_on_whatever_a_program_writes(file, with_id):
    text, rows = file
    with folder() as place:
        role = {"id": "id"} if with_id else {"group": "id"}
        path = written(place, text)
        assert_agree(path, ColumnRoles("y", ("m1",), **role))
        with contextlib.suppress(br.InputError):
            assert count_csv(path).ledger.rows_read == len(rows)


@given(st.lists(st.tuples(st.sampled_from("01"), NUMBERS), min_size=1, max_size=8))
def test_both_ways_agree_on_every_spelling_of_numbers(rows):
    with folder() as place:
        text = "y,m1\n" + "".join(
            f"{label},{quoted_field(number, ',')}\n" for label, number in rows
        )
        assert_agree(written(place, text))


@given(st.text(st.sampled_from('ab01,.;"\n\r #\u00e9'), max_size=40))
def test_both_ways_agree_on_any_text_below_a_header(text):
    with folder() as place:
        assert_agree(written(place, "y,m1\n0,1\n" + text))


@pytest.mark.parametrize(
    "rows",
    [
        "0,0.5\n1,0.25\n",
        "0,1\n1,2\n",
        "0,9007199254740993\n1,9007199254740992\n",
        '0,"0.5"\n"1","0.25"\n',
        "0,0.1234567890123456\n1,0.30000000000000004\n",
        "0,5.000000000000000000e-01\n1,1e-5\n",
        "no,1\nyes,2\n",
        "0,inf\n1,-Infinity\n0,5\n",
        "0,0.5\r\n1,0.25\r\n",
        "0,0.5\n1,0.25",
        "0,0.5\n1,0.25\n\n\n",
    ],
)
def test_plain_files_are_read_by_duckdb(tmp_path, rows):
    text = "y,m1" + ("\r\n" if "\r" in rows else "\n") + rows
    assert_agree(written(tmp_path, text), by_duckdb=True)


@pytest.mark.parametrize(
    "rows",
    [
        "0,0.5\n\n1,0.25\n",
        "0,0.5\n1\n",
        '0,"0.5\n1,0.2\n',
        '0,0.5"\n1,0.2"\n',
        "0,0.5\r1,0.25\n",
    ],
)
def test_doubtful_files_are_left_to_the_csv_module(tmp_path, rows):
    assert_agree(written(tmp_path, "y,m1\n" + rows), by_duckdb=False)


def test_the_file_that_is_named_is_read_and_no_other(tmp_path):
    """A name that is a pattern to DuckDB, beside a file that it would match."""
    (tmp_path / "a1.csv").write_text("y,m1\n0,1\n1,2\n" * 1)
    path = written(tmp_path, "y,m1\n0,7\n1,8\n", "a[1].csv")
    assert is_read_by_duckdb(path)
    assert count_csv(path).scores.tolist() == [8, 7]


def test_rows_keep_their_order(tmp_path):
    """DuckDB makes a join of IN, which loses it."""
    rows = 200_000
    text = "id,y,m1\n" + "".join(f"{row},{row % 2},{row}.123456789\n" for row in range(rows))
    cases = read_cases(written(tmp_path, text), ColumnRoles("y", ("m1",), id="id"), Options())
    assert cases.scores["m1"].astype(int).tolist() == list(range(rows))
    assert cases.beside["id"].values.tolist() == [str(row) for row in range(rows)]


def test_a_header_is_never_sql(tmp_path):
    name = "m1'); DROP TABLE x; --\""
    path = written(tmp_path, f"y,{quoted_field(name, ',')},Y\n0,1,5\n1,2,6\n")
    assert_agree(path, ColumnRoles("y", (name, "Y")), by_duckdb=True)


def test_both_ways_agree_on_odd_files(tmp_path):
    for number in range(150):
        odd = odd_file(random.Random(number))
        assert_agree(written(tmp_path, odd.data, odd.name), ColumnRoles("y", ("s",)), **odd.options)


@given(files())
def test_plain_texts_have_as_many_records_as_lines(file):
    text, _ = file
    with folder() as place:
        for delimiter in ",;":
            found = scan_bytes(Text("", written(place, text)), delimiter)
            if found.plain:
                assert found.lines == len(naive_text.records(text, delimiter))


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "text", ['y,m1\r\n"ac",\u00e9\r\n0,1\r\n\r\n', 'y\n"a\nb",1\n', 'y\n1 "a"\n']
)
def test_pieces_of_any_size_say_the_same_of_a_text(tmp_path, monkeypatch, chunk, text):
    path = written(tmp_path, text)
    whole = scan_bytes(Text("", path)), line_at(path, 8)
    monkeypatch.setattr(text_reader, "CHUNK", chunk)
    found = scan_bytes(Text("", path)), line_at(path, 8)
    assert found[1] == whole[1]
    assert found[0].lines == whole[0].lines
    assert found[0].plain <= whole[0].plain  # no line ends in a piece
    with pytest.raises(br.InputError, match=r"BR601: .* \(line \d+\)"):
        scan_bytes(Text("", written(tmp_path, text.encode() + b"0,\xc3")))


@pytest.mark.parametrize(
    "cells",
    [
        ("oops",),
        ("oops", "0.5x", "NA"),
        ("", "nan"),
        ("NAN",),
        ("NAN", "x"),
        ("1_000", "\u0663", "0.5\u00a0"),
        ("0,5",),
        ("50%",),
        ('"1,000.5"',),
    ],
)
def test_cells_that_are_no_numbers_are_named_in_the_same_words(tmp_path, cells):
    rows = [
        *(f"{i % 2},0.{i}" for i in range(1, 50)),
        *(f"1,{cell}" for cell in cells if "," not in cell or '"' in cell),
        "0,0.5",
    ]
    for delimiter in ",;":
        text = (
            "\n".join(["y,m1", *rows]).replace(",", delimiter)
            if delimiter == ";"
            else "\n".join(["y,m1", *rows])
        )
        assert_agree(written(tmp_path, text + "\n"))


def test_a_typo_in_a_large_file_is_named_with_its_line(tmp_path):
    """Also under a ceiling on memory, where it was called a shortage of memory."""
    path = written(tmp_path, "y,m1\n" + "1,0.5\n0,0.4\n" * 100_000 + "1,oops\n")
    said = r'BR208: .*"m1" has 1 value that is not a number, such as "oops" \(line 200002\)'
    for memory in ({}, {"memory": "320MB"}):
        with pytest.raises(br.InputError, match=said):
            br.count(path, label="y", score="m1", **memory)


def test_a_typo_in_one_of_several_files_is_named_with_its_file_and_line(tmp_path):
    good = "y,m1\n" + "1,0.5\n0,0.4\n" * 100_000
    written(tmp_path, good, "a.csv")
    bad = written(tmp_path, good + "1,oops\n0,0.5x\n", "b.csv")
    short = written(tmp_path, "y,m1\n1,x\n", "c.csv")
    for memory in ({}, {"memory": "320MB"}):
        with pytest.raises(br.InputError, match="3 values that are not numbers, such as") as caught:
            br.count(str(tmp_path / "*.csv"), label="y", score="m1", **memory)
        where = caught.value.problems[0].where
        assert (where.path, where.lines, where.total) == (bad, (200_002, 200_003), 3)
    Path(short).unlink()


def test_odd_scores_are_left_out_as_requested(tmp_path):
    rows = "1,0.5\n0,0.4\n" * 100_000
    path = written(tmp_path, "y,m1\n" + rows + "1,NA\n")
    assert br.count(path, label="y", score="m1", nan_score="drop") == br.count(
        [1, 0] * 100_000, [0.5, 0.4] * 100_000
    )


def test_digits_and_blanks_of_other_scripts_are_no_numbers(tmp_path):
    scripts = [chr(c) for c in range(128, 0x110000) if chr(c).isdecimal() or chr(c).isspace()]
    assert len(scripts) > 600
    for start in range(0, len(scripts), 100):
        signs = [sign for sign in scripts[start : start + 100] if sign not in "\x85\u2028\u2029"]
        numbers = [f"0.5{sign}" for sign in signs] + [f"{sign}1" for sign in signs]
        path = written(tmp_path, "y,m1\n0,0.1\n" + "".join(f"1,{number}\n" for number in numbers))
        assert_agree(path)
        with pytest.raises(
            br.InputError, match="has .* values? that (is|are) not (a number|numbers)"
        ) as caught:
            count_csv(path)
        assert caught.value.problems[0].where.total == len(numbers)
        with pytest.raises(br.InputError, match="BR208"):
            br.count([0] + [1] * len(numbers), ["0.1", *numbers])
    with pytest.raises(br.InputError, match="BR208"):
        count_csv(written(tmp_path, "y,m1\n0,1%\n1,\u0663%\n"), percent=True)
    with pytest.raises(br.InputError, match="BR106"):
        br.count(
            written(tmp_path, "y,m1\n0,1\n\u0663,2\n"), label="y", score="m1", label_threshold=0.5
        )


HOW = {"label": "y", "score": "s"}


@pytest.mark.parametrize("number", ["+-1", "+-.5", "+-inf"])
def test_two_signs_are_no_number(tmp_path, number):
    path = str(tmp_path / "x.csv.gz")
    with gzip.open(path, "wt") as file:
        file.write(f"y,s\n0,0.5\n1,{number}\n1,3\n")
    for more in ({}, {"memory": LEAST}):
        with pytest.raises(br.InputError, match="BR208: .*1 value that is not a number"):
            br.count(path, **HOW, **more)
    (tmp_path / "x.csv").write_text(plain_text() + f"1,{number}\n")
    with pytest.raises(br.InputError, match="BR208: .*1 value that is not a number"):
        br.count(str(tmp_path / "x.csv"), **HOW)


@pytest.mark.parametrize("last", [["0.10000000000000001"], ["0.1", "0.10000000000000001"]])
def test_numbers_in_text_are_the_nearest_floats_in_both_ways(tmp_path, last):
    texts = [repr(row / 7001 + 1e-9) for row in range(500)] + last
    path = written(tmp_path, "y,m1\n" + "".join(f"{row % 2},{t}\n" for row, t in enumerate(texts)))
    assert_agree(path)
    assert set(count_csv(path).scores.tolist()) == set(map(float, texts))
