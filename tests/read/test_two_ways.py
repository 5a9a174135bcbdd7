"""The careful and the fast way to read delimited text: one answer, or the fast way gives none; and
no row lost by either.
"""

import contextlib
import gzip
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from benchmarks.fuzzing import naive_text
from benchmarks.fuzzing.odd_files import odd_file
from hypothesis import given
from hypothesis import strategies as st
from tests.read.test_large_texts import plain_text

import baserate as br
from baserate.errors import Where
from baserate.read import csv, csv_dialect, streams
from baserate.read import files as file_reader
from baserate.read.csv_dialect import CsvOptions, decoded_text, detect
from baserate.read.files import count_scores
from baserate.read.source import Options
from baserate.read.table import LEAST, ColumnRoles


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


def both_ways(path, wanted=None, **asked):
    """The table by the careful way, and by the fast one (None where that one gave up)."""
    wanted = wanted or ColumnRoles("y", ("m1",))
    with (
        streams.opened(path) as plain,
        decoded_text(plain.shown, plain.path, asked.get("encoding")) as text,
    ):
        dialect = detect(text, wanted.columns, CsvOptions(**asked).checked())
        fast = (
            csv.read_fast(text, dialect, wanted, plain=True)
            if csv.is_plain(text, dialect)
            else None
        )
        try:
            careful = csv.read_carefully(text, dialect, wanted, CsvOptions(**asked))
        except br.InputError as error:
            careful = error
    return careful, fast


def cases_of(table, wanted):
    cases = file_reader._cases(table, wanted)
    return {
        "y": cases.positive.tolist(),
        **{name: (values.dtype, values.tolist()) for name, values in cases.scores.items()},
    }


def assert_agree(path, wanted=None, *, fast_expected=None, **asked):
    wanted = wanted or ColumnRoles("y", ("m1",))
    careful, fast = both_ways(path, wanted, **asked)
    if fast_expected is not None:
        assert (fast is not None) == fast_expected
    if fast is None:
        return
    assert not isinstance(careful, br.InputError), (
        "what is refused the careful way is never read the fast way"
    )
    assert fast.rows == careful.rows
    assert fast.refused == careful.refused == 0
    rows = Where(rows=(0, careful.rows - 1), total=2)
    assert fast.place(rows) == careful.place(rows)
    try:
        expected = cases_of(careful, wanted)
    except br.InputError as error:
        with pytest.raises(br.InputError) as caught:
            cases_of(fast, wanted)
        assert str(caught.value) == str(error)
        return
    found = cases_of(fast, wanted)
    assert found == expected
    for name in found.keys() - {"y"}:
        assert np.array(found[name][1]).tobytes() == np.array(expected[name][1]).tobytes(), (
            "bit by bit"
        )
    for name in wanted.texts:
        assert careful.columns[name].tolist() == fast.columns[name].tolist()


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
        wanted = (
            ColumnRoles("y", ("m1",), id="id") if with_id else ColumnRoles("y", ("m1",), group="id")
        )
        path = written(place, text)
        careful, _ = both_ways(path, wanted)
        if not isinstance(careful, br.InputError):
            assert careful.rows == len(rows)
        assert_agree(path, wanted)


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
        try:
            assert_agree(written(place, "y,m1\n0,1\n" + text))
        except br.InputError as error:
            assert error.code.startswith("BR6")


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
def test_plain_files_are_read_the_fast_way(tmp_path, rows):
    text = "y,m1" + ("\r\n" if "\r" in rows else "\n") + rows
    assert_agree(written(tmp_path, text), fast_expected=True)


@pytest.mark.parametrize(
    "rows",
    [
        "0,0.5\n\n1,0.25\n",
        "0,0.5\n1\n",
        "0,1e400\n1,inf\n",
        "0,1_0\n1,2\n",
        "0,0.5\n1,9007199254740993\n",
        '0,"0.5\n1,0.2\n',
        '0,0.5"\n1,0.2"\n',
        "0,0.5\r1,0.25\n",
        "0,9223372036854775808\n1,1\n",
    ],
)
def test_doubtful_files_are_left_to_the_careful_way(tmp_path, rows):
    assert_agree(written(tmp_path, "y,m1\n" + rows), fast_expected=False)


def test_large_files_take_the_fast_way_and_say_the_same(tmp_path, monkeypatch):
    rows = "".join(f"{i % 2},{i / 7}\n" for i in range(100_000))
    path = written(tmp_path, "y,m1\n" + rows)
    fast = count_csv(path)
    monkeypatch.setattr(csv, "read_fast", lambda *_: None)
    assert count_csv(path).digest == fast.digest


def test_the_fast_way_reads_that_file_and_no_other(tmp_path):
    """A name that is a pattern to DuckDB, beside a file that it would match."""
    (tmp_path / "a1.csv").write_text("y,m1\n0,1\n1,2\n" * 1)
    path = written(tmp_path, "y,m1\n0,7\n1,8\n", "a[1].csv")
    _, fast = both_ways(path)
    assert fast.columns["m1"].tolist() == [7, 8]


def test_a_header_is_never_sql(tmp_path):
    name = "m1'); DROP TABLE x; --\""
    path = written(tmp_path, f"y,{quoted_field(name, ',')},Y\n0,1,5\n1,2,6\n")
    assert_agree(path, ColumnRoles("y", (name, "Y")), fast_expected=True)


def test_both_ways_agree_on_odd_files(tmp_path):
    for number in range(300):
        odd = odd_file(random.Random(number))
        try:
            assert_agree(
                written(tmp_path, odd.data, odd.name), ColumnRoles("y", ("s",)), **odd.options
            )
        except br.InputError as error:
            assert error.code in (
                "BR604",
                "BR613",
            ), "nothing that is found out before there are rows"


@given(files())
def test_the_vectorised_counter_counts_as_the_plain_one(file):
    text, _ = file
    text = text.replace("\r\n", "\n").replace("\r", "")
    with folder() as place:
        path = written(place, text)
        facts = csv_dialect.facts_of(path)
        for delimiter in ",;":
            found = csv_dialect.count_records(path, facts, delimiter)
            if found.well_formed:
                assert found.number == len(naive_text.records(text, delimiter))
                assert found.spanning == 0 or facts.quotes


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
def test_pieces_of_any_size_give_the_same_facts(tmp_path, monkeypatch, chunk):
    text = 'y,m1\r\n"a\r\nb""c",\u00e9\r\n0,1\r\n\r\n'.encode()
    path = written(tmp_path, text)
    whole = (
        csv_dialect.facts_of(path),
        csv_dialect.count_records(path, csv_dialect.facts_of(path), ","),
        csv_dialect.line_at(path, 20),
    )
    monkeypatch.setattr(csv_dialect, "CHUNK", chunk)
    facts = csv_dialect.facts_of(path)
    facts.long = False
    assert (
        facts,
        csv_dialect.count_records(path, facts, ","),
        csv_dialect.line_at(path, 20),
    ) == whole
    path = written(tmp_path, text + b"0,\xc3")
    assert csv_dialect.facts_of(path).not_utf8 == len(text) + 2


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
def test_cells_that_are_no_numbers_are_named_by_the_fast_way_in_the_words_of_the_careful_one(
    tmp_path, cells
):
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


def test_a_typo_in_a_large_file_is_named_without_reading_it_in_python(tmp_path, monkeypatch):
    """Also under a ceiling on memory, where it was called a shortage of memory."""
    path = written(tmp_path, "y,m1\n" + "1,0.5\n0,0.4\n" * 100_000 + "1,oops\n")
    said = r'BR208: .*"m1" has 1 value that is not a number, such as "oops" \(line 200002\)'
    for memory in ({}, {"memory": "320MB"}):
        with pytest.raises(br.InputError, match=said):
            br.count(path, label="y", score="m1", **memory)
    monkeypatch.setattr(csv, "read_carefully", lambda *_: pytest.fail("read in Python"))
    with streams.opened(path) as plain:
        table = csv.table_of(plain, ColumnRoles("y", ("m1",)), untreated=True)
    assert table.columns["m1"].wrong.total == 1


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


def test_odd_scores_that_are_left_out_are_left_out_by_either_way(tmp_path):
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
    texts = [repr(row / 7001 + 1e-9) for row in range(5000)] + last
    path = written(tmp_path, "y,m1\n" + "".join(f"{row % 2},{t}\n" for row, t in enumerate(texts)))
    careful, quick = both_ways(path)
    assert quick.columns["m1"].tolist() == [float(text) for text in texts]
    assert careful.columns["m1"].tolist() == texts
