"""Delimited text copied for counting in pieces: what the fast way reads of a whole file, value by
value, or doubt where that one has none.
"""

import os
import random
import resource
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest
from benchmarks.fuzzing.odd_files import odd_file
from hypothesis import given
from hypothesis import strategies as st
from tests.read.test_two_ways import NUMBERS, files, folder, quoted_field, written

import baserate as br
from baserate.read import csv, large_formats, streams
from baserate.read.columns import Unread
from baserate.read.csv import NeedsCarefulReading, is_fast, texts, understood
from baserate.read.csv_dialect import CsvOptions
from baserate.read.large_formats import How
from baserate.read.table import ColumnRoles

HOW = How(CsvOptions(), streams.Limits(), 80_000_000)
WANTED = ColumnRoles("y", ("m1",))


def whole(path, wanted, asked):
    """The table by the fast way, or None."""
    with streams.opened(path) as plain, understood(plain, wanted, asked) as (text, dialect):
        return (
            csv.read_fast(text, dialect, wanted, plain=True)
            if is_fast(text, dialect, asked)
            else None
        )


def read_back(copy, wanted):
    """The columns as they lie in the copy, scores in the type that they have in all files."""
    types = {name: "BIGINT" if seen.are_whole() else "DOUBLE" for name, seen in copy.seen.items()}
    columns = {name: f"CAST({copy.columns[name]} AS {of_type})" for name, of_type in types.items()}
    columns[wanted.label] = copy.columns[wanted.label]
    chosen = ", ".join(f"{sql} AS k{place}" for place, sql in enumerate(columns.values()))
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT {chosen} FROM read_parquet(?)", [[copy.file]]
        ).fetchnumpy()
    assert not any(np.ma.is_masked(column) for column in found.values())
    return {name: np.asarray(found[f"k{place}"]) for place, name in enumerate(columns)}


def assert_alike(path, wanted=WANTED, *, expected=None, **asked):
    """Both ways read the same, or neither does."""
    how = HOW._replace(asked=CsvOptions(**asked).checked())
    table = whole(path, wanted, how.asked)
    with folder() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_formats.tempfile, "tempdir", str(place))
        try:
            copy = large_formats.copied(path, wanted, how)
        except NeedsCarefulReading:
            copy = None
        assert (copy is None) == (table is None)
        assert expected is None or (copy is not None) == expected
        if copy is None or table is None:
            return
        odd = {name: column for name, column in table.columns.items() if isinstance(column, Unread)}
        assert copy.unread == odd
        if odd:
            return
        found = read_back(copy, wanted)
    labels = texts(found.pop(wanted.label).tolist()).tolist()
    plain = table.columns[wanted.label].dtype == np.int64
    assert ([int(label) for label in labels] if plain else labels) == table.columns[
        wanted.label
    ].tolist()
    assert sum(copy.groups) == sum(copy.labels.values()) == table.rows
    assert list(copy.labels) == list(dict.fromkeys(labels))
    assert copy.unlabelled == [row for row, label in enumerate(labels) if label is None][:3]
    for name, values in found.items():
        assert values.dtype == table.columns[name].dtype
        assert values.tobytes() == table.columns[name].tobytes(), "bit by bit"
        assert (name in copy.like_labels) == np.isin(values, (0, 1)).all()


@given(files())
def test_a_copy_holds_what_the_fast_way_reads_of_whatever_a_program_writes(file):
    with folder() as place:
        assert_alike(written(place, file[0]))


@given(st.lists(st.tuples(st.sampled_from("01"), NUMBERS), min_size=1, max_size=8))
def test_a_copy_holds_every_spelling_of_numbers_or_none(rows):
    with folder() as place:
        assert_alike(
            written(
                place,
                "y,m1\n"
                + "".join(f"{label},{quoted_field(number, ',')}\n" for label, number in rows),
            )
        )


def test_a_copy_of_odd_files_holds_what_the_fast_way_reads(tmp_path):
    for number in range(200):
        odd = odd_file(random.Random(number))
        try:
            assert_alike(
                written(tmp_path, odd.data, odd.name), ColumnRoles("y", ("s",)), **odd.options
            )
        except br.InputError as error:
            assert error.code in (
                "BR601",
                "BR604",
                "BR614",
                "BR612",
                "BR613",
                "BR617",
            ), "found out before there are rows"


def test_two_scores_and_names_that_are_sql_are_copied(tmp_path):
    name = "m1'); DROP TABLE x; --\""
    path = written(tmp_path, f"y,{quoted_field(name, ',')},Y\n0,1,9007199254740993\n1,2.5,6\n")
    assert_alike(path, ColumnRoles("y", (name, "Y")), expected=True)


def test_labels_too_many_to_be_labels_are_doubtful(tmp_path, monkeypatch):
    monkeypatch.setattr(large_formats.tempfile, "tempdir", str(tmp_path))
    path = written(tmp_path, "y,m1\n" + "".join(f"a{row},{row}\n" for row in range(1_001)))
    with pytest.raises(NeedsCarefulReading):
        large_formats.copied(path, WANTED, HOW)


PROGRAM = """
import resource, signal, sys, tempfile
from baserate.read import large_formats
from tests.read.test_text_pieces import HOW, WANTED
tempfile.tempdir = sys.argv[2]
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    large_formats.copied(sys.argv[1], WANTED, HOW)
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limits on files here")
def test_a_disk_that_is_full_is_said_to_be_and_is_no_doubt_about_the_file(tmp_path):
    path = written(tmp_path, "y,m1\n" + "".join(f"{row % 2},{row / 7}\n" for row in range(200_000)))
    root = Path(__file__).parents[2]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    place = tmp_path / "place"
    place.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, path, str(place)],
        capture_output=True,
        text=True,
        env=surroundings,
        check=True,
    )
    said = (
        "[Errno 27] File too large: a copy of the columns is needed, and a file may have at most "
    )
    assert done.stdout.startswith(said), done.stdout
    assert done.stdout.endswith("(ulimit -f)\n")
