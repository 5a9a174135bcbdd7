"""One way in: every source by its bytes and its name, files joined by id and never by position
unless asked, every row in the ledger.
"""

import gzip
import hashlib
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.read.files import read_columns
from baserate.read.joins import count_files_jointly
from baserate.read.source import Options
from baserate.read.table import LEAST, ColumnRoles
from baserate.views import document

Y, M1 = [0, 1, 0, 1], [0.5, 1.25, 3.0, 0.25]
EXPECTED = br.count(Y, M1)
TEXT = "id,y,m1\n" + "".join(f"t{i},{y},{m}\n" for i, (y, m) in enumerate(zip(Y, M1, strict=True)))


def written(tmp_path, text, name="x.csv"):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def counted(path, **options):
    return br.count(path, label="y", score="m1", **options)


def assert_refused(match, code, *arguments, function=br.count, **named):
    with pytest.raises(br.InputError, match=match) as caught:
        function(
            *arguments,
            **{
                "label": "y",
                **({"score": "m1"} if function is br.count else {"scores": "m1"}),
                **named,
            },
        )
    assert caught.value.code == code
    assert "Fix: " in str(caught.value)
    return caught.value.problems[0]


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "baserate", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_scenario_2_ragged_lines_are_named_and_labels_are_not_guessed(tmp_path):
    rows = "".join(f"{i},{i % 2},0.{i}\n" for i in range(1, 51))
    path = written(tmp_path, f"id,y,score\n{rows}51,1\n52,0,0.3,9\n")
    done = run("show", path, "--label", "y", "--score", "score")
    assert done.returncode == 2
    assert "lines 52, 53" in done.stderr
    assert done.stdout == ""
    path = written(tmp_path, "y,score\nfraud,1\nlegit,2\n")
    done = run("show", path, "--label", "y", "--score", "score")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--positive fraud" in done.stderr


# --- one source
# --------------------------------------------------------------------------------------------------


def test_the_same_cases_from_every_kind_of_file(tmp_path):
    import sqlite3

    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import feather

    table = pa.table({"id": [f"t{i}" for i in range(4)], "y": Y, "m1": M1})
    pq.write_table(table, tmp_path / "x.parquet")
    pq.write_table(table, tmp_path / "parquet-without-a-name")
    feather.write_feather(table, str(tmp_path / "x.feather"))
    np.savez(tmp_path / "x.npz", y=np.array(Y), m1=np.array(M1))
    written(tmp_path, TEXT)
    written(tmp_path, "".join(json.dumps(row) + "\n" for row in table.to_pylist()), "x.jsonl")
    for module, name in ((sqlite3, "x.db"), (duckdb, "y.db")):
        base = module.connect(str(tmp_path / name))
        base.execute("CREATE TABLE cases (id TEXT, y INTEGER, m1 DOUBLE)")
        base.executemany(
            "INSERT INTO cases VALUES (?, ?, ?)",
            [(f"t{i}", y, m) for i, (y, m) in enumerate(zip(Y, M1, strict=True))],
        )
        base.commit() if module is sqlite3 else None
        base.close()
    names = [
        "x.csv",
        "x.jsonl",
        "x.parquet",
        "parquet-without-a-name",
        "x.feather",
        "x.npz",
        "x.db::cases",
        "y.db::cases",
    ]
    names += [
        "x.db::SELECT * FROM cases WHERE y >= 0",
        "y.db::SELECT * FROM cases WHERE y::int >= 0",
    ]
    for name in names:
        counts = counted(f"{tmp_path}/{name}")
        assert counts.digest == EXPECTED.digest, name
        (source,) = counts.ledger.sources
        assert (
            source.rows_read,
            source.rows_used,
            source.rows_refused,
            source.label,
            source.positive,
        ) == (4, 4, 0, "y", "1"), name
        assert counted(f"{tmp_path}/{name}", positive="0").total_positives == 2, name
    for name in ("x.db", "y.db"):
        assert_refused("which table", "BR717", f"{tmp_path}/{name}")
    assert_refused(
        "delimiter applies to a text file", "BR612", str(tmp_path / "x.parquet"), delimiter=";"
    )
    assert_refused("not a database", "BR717", f"{tmp_path}/x.csv::cases")


def test_parquet_through_standard_input_or_gzip_is_read_from_a_copy(tmp_path):

    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"y": Y, "m1": [0.5, 1.25, None, 0.25]}), tmp_path / "x.parquet")
    path = written(tmp_path, gzip.compress((tmp_path / "x.parquet").read_bytes()), "x.parquet.gz")
    problem = assert_refused("missing", "BR201", path)
    assert problem.where.path == path, "never the name of a temporary file"
    pq.write_table(pa.table({"y": Y, "m1": M1}), tmp_path / "x.parquet")
    command = [
        sys.executable,
        "-m",
        "baserate",
        "show",
        "-",
        "--label",
        "y",
        "--score",
        "m1",
        "--json",
    ]
    done = subprocess.run(
        command,
        input=(tmp_path / "x.parquet").read_bytes(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_a_password_is_in_no_message():
    with pytest.raises(br.InputError, match="which table") as caught:
        counted("postgresql://me:secret@[::1]:5432/base")
    assert "secret" not in str(caught.value)


def test_saved_counts_are_no_cases(tmp_path):
    EXPECTED.save(tmp_path / "x.counts")
    assert_refused("holds counts", "BR610", str(tmp_path / "x.counts"))


def test_a_file_that_is_not_there_is_said_by_python(tmp_path):
    with pytest.raises(FileNotFoundError):
        counted(str(tmp_path / "no.csv"))
    assert_refused("no file matches", "BR600", str(tmp_path / "no*.csv"))


def test_a_name_with_signs_of_a_pattern_is_a_name_where_there_is_one(tmp_path):
    written(tmp_path, "y,m1\n0,9\n1,9\n", "a1.csv")
    assert counted(written(tmp_path, TEXT, "a[1].csv")) == EXPECTED
    assert counted(written(tmp_path, TEXT, "a::b.csv")) == EXPECTED


# --- several files of one table
# --------------------------------------------------------------------------------------------------


def test_patterns_and_folders_are_read_in_the_order_of_names_with_one_source_each(tmp_path):
    for name, part in {"b.csv": slice(2, 4), "a.csv": slice(0, 2)}.items():
        text = "y,m1\n" + "".join(f"{y},{m}\n" for y, m in zip(Y[part], M1[part], strict=True))
        written(tmp_path, text, f"folder/{name}")
    (tmp_path / "folder" / "_SUCCESS").touch()
    for source in (f"{tmp_path}/folder", f"{tmp_path}/folder/*.csv"):
        counts = counted(source)
        assert counts == EXPECTED
        assert [s.path[-5:] for s in counts.ledger.sources] == ["a.csv", "b.csv"]
        assert [s.rows_read for s in counts.ledger.sources] == [2, 2]
        assert counts.ledger.rows_read == counts.ledger.rows_used == 4
        expected = hashlib.sha256((tmp_path / "folder" / "a.csv").read_bytes()).hexdigest()
        assert counts.ledger.sources[0].sha256 == expected
    written(tmp_path, "y,m1\n0,1\n1,x\n", "folder/b.csv")
    problem = assert_refused("not a number", "BR208", f"{tmp_path}/folder")
    assert (problem.where.path[-5:], problem.where.lines) == ("b.csv", (3,))


def test_row_119_files_with_other_columns_are_refused_by_both_names(tmp_path):
    written(tmp_path, TEXT, "f/a.csv")
    path = written(tmp_path, "y,m2\n0,1\n", "f/b.csv")
    problem = assert_refused(
        'no column "m1".*a.csv has every requested column', "BR704", f"{tmp_path}/f"
    )
    assert problem.where.path == path


def test_parts_of_different_types_are_told_apart_or_put_together(tmp_path):
    written(tmp_path, "y,m1\n0,1\n1,2\n", "f/a.csv")
    written(tmp_path, "y,m1\n0,0.5\n1,9007199254740993\n", "f/b.csv")
    assert_refused("rounded", "BR215", f"{tmp_path}/f")
    written(tmp_path, "y,m1\n2,0.5\n1,7\n", "f/b.csv")
    assert_refused("3 values", "BR103", f"{tmp_path}/f")
    written(tmp_path, "y,m1\n0,0.5\n1,7\n", "f/b.csv")
    assert counted(f"{tmp_path}/f") == br.count([0, 1, 0, 1], [1, 2, 0.5, 7])


def test_columns_are_read_as_they_lie(tmp_path):
    table = read_columns(written(tmp_path, TEXT), ColumnRoles("y", ("m1",), id="id"), Options())
    assert table.columns["id"].tolist() == ["t0", "t1", "t2", "t3"]


# --- several files of the same cases
# --------------------------------------------------------------------------------------------------


def model(tmp_path, name, rows, score="m1"):
    return written(
        tmp_path, f"id,y,{score}\n" + "".join(f"{i},{y},{m}\n" for i, y, m in rows), name
    )


A = [("t1", 0, 0.5), ("t2", 1, 0.7), ("t3", 0, 0.1)]
B = [("t3", 0, 9), ("t1", 0, 7), ("t2", 1, 8)]


def count_models(sources, *, scores, **named):
    """As one file has a column for each model, its score is a list."""
    alone = isinstance(sources, str) and isinstance(scores, str)
    return br.count(sources, score=[scores] if alone else scores, **named)


def joined(sources, **named):
    return count_models(sources, **{"label": "y", "scores": "m1", "id": "id", **named})


def test_files_are_joined_by_id_and_never_by_position(tmp_path):
    a, b = model(tmp_path, "a.csv", A), model(tmp_path, "b.csv", B)
    expected = br.count([0, 1, 0], {"a": [0.5, 0.7, 0.1], "b": [7, 8, 9]})
    joint = joined([a, b])
    assert joint == expected
    assert [source.path for source in joint.ledger.sources] == [a, b]
    assert (joint.ledger.rows_read, joint.ledger.rows_used, joint.ledger.rows_refused) == (3, 3, 0)
    assert joined({"a": a, "b": b}) == expected
    c = model(tmp_path, "c.csv", B, "m2")
    assert joined([a, c], scores=["m1", "m2"]).models == ("m1", "m2")
    problem = assert_refused(
        "nothing says which rows belong together", "BR414", [a, b], function=count_models
    )
    assert "id=" in problem.fix.python


def test_row_50_by_position_only_where_asked_and_labels_agree(tmp_path):
    a, b = (
        model(tmp_path, "a.csv", A),
        model(tmp_path, "b.csv", [("x", y, m) for _, y, m in (B[1], B[2], B[0])]),
    )
    joint = joined([a, b], id=None, by_position=True)
    assert joint == br.count([0, 1, 0], {"a": [0.5, 0.7, 0.1], "b": [7, 8, 9]})
    assert "BR415" in [note.code for note in joint.notes]
    c = model(tmp_path, "c.csv", B)
    problem = assert_refused(
        "2 rows have another label", "BR404", [a, c], function=count_models, by_position=True
    )
    assert (problem.where.path, problem.where.lines) == (c, (3, 4))
    d = model(tmp_path, "d.csv", B[:2])
    assert_refused(
        "has 2 cases, and .* 3", "BR401", [a, d], function=count_models, by_position=True
    )
    assert_refused(
        "say one of them", "BR414", [a, b], function=count_models, by_position=True, id="id"
    )


def test_row_45_missing_ids_are_refused_or_left_out_with_a_note(tmp_path):
    a, b = model(tmp_path, "a.csv", A), model(tmp_path, "b.csv", [*B[:2], ("t9", 1, 1)])
    problem = assert_refused(
        '"a" lacks 1 of 4 ids ."t9".', "BR401", [a, b], function=count_models, id="id"
    )
    assert "join='inner' (2 cases" in problem.fix.python
    joint = joined([a, b], join="inner")
    assert joint == br.count([0, 0], {"a": [0.5, 0.1], "b": [7, 9]})
    assert (joint.ledger.rows_read, joint.ledger.rows_used, joint.ledger.rows_refused) == (4, 2, 2)
    assert [(s.rows_read, s.rows_used, s.rows_refused) for s in joint.ledger.sources] == [
        (3, 2, 1),
        (3, 2, 1),
    ]
    assert "BR401" in [note.code for note in joint.notes]
    assert_refused("join must be", "BR401", [a, b], function=count_models, id="id", join="outer")
    nothing = model(tmp_path, "n.csv", [("q1", 0, 1), ("q2", 1, 2)])
    assert_refused("lacks", "BR401", [a, nothing], function=count_models, id="id", join="inner")


def test_rows_46_and_47_an_id_that_stands_twice_is_refused(tmp_path):
    a = model(tmp_path, "a.csv", A)
    b = model(tmp_path, "b.csv", [*B, B[0]])
    problem = assert_refused(
        "1 id appears more than once, with the same values",
        "BR402",
        [a, b],
        function=count_models,
        id="id",
    )
    assert (problem.where.path, problem.where.lines) == (b, (2, 5))
    c = model(tmp_path, "c.csv", [*B, ("t3", 0, 10)])
    conflict = 'the id "t3" appears twice with different values ."m1": 9, 10'
    problem = assert_refused(conflict, "BR403", [a, c], function=count_models, id="id")
    assert problem.where.lines == (2, 5)
    d = model(tmp_path, "d.csv", [*B, ("", 0, 10)])
    assert_refused(
        '"id" is missing for 1 of 4 cases', "BR416", [a, d], function=count_models, id="id"
    )
    assert_refused("appears more than once", "BR402", b, function=count_models, id="id")


def test_row_48_another_label_for_the_same_id_is_refused(tmp_path):
    a, b = (
        model(tmp_path, "a.csv", A),
        model(tmp_path, "b.csv", [("t1", 1, 1), ("t2", 1, 2), ("t3", 0, 3)]),
    )
    problem = assert_refused(
        '1 case has another label.*the id "t1"',
        "BR404",
        [a, b],
        function=count_models,
        id="id",
    )
    assert problem.where.lines == (2,)


@pytest.mark.parametrize(("one", "other"), [("007", "7"), ("A7", "a7"), ("7", "7.0"), ("7", " 7")])
def test_row_49_ids_are_compared_as_text(tmp_path, one, other):
    a = model(tmp_path, "a.csv", [(one, 0, 1), ("x", 1, 2)])
    b = model(tmp_path, "b.csv", [(other, 0, 1), ("x", 1, 2)])
    assert_refused(
        "1 of 2 ids match; is .* the same as",
        "BR405",
        [a, b],
        function=count_models,
        id="id",
        join="inner",
    )


def test_row_49_typed_sources_and_text_agree_on_whole_numbers(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    a = model(tmp_path, "a.csv", [(7, 0, 1), (8, 1, 2)])
    pq.write_table(pa.table({"id": [8, 7], "y": [1, 0], "m1": [0.8, 0.7]}), tmp_path / "b.parquet")
    assert joined([a, str(tmp_path / "b.parquet")]) == br.count(
        [0, 1], {"a": [1, 2], "b": [0.7, 0.8]}
    )


def test_models_need_names_of_their_own(tmp_path):
    a, b = model(tmp_path, "a.csv", A), model(tmp_path, "f/a.csv", A)
    assert_refused('two models are named "a"', "BR407", [a, b], function=count_models, id="id")
    assert joined({"old": a, "new": b}).models == ("old", "new")
    assert_refused(
        "2 files and 3 scores",
        "BR410",
        [a, b],
        function=count_models,
        id="id",
        scores=["m1", "m2", "m3"],
    )
    with pytest.raises(br.InputError, match="BR410: no file or no score is named"):
        count_files_jointly([], ColumnRoles("y", ("m1",)), Options())
    assert_refused("no file or no score", "BR410", [a, b], function=count_models, scores=[])
    assert_refused("not joined with another", "BR414", a, function=count_models, join="inner")


def test_groups_and_the_command_line_take_every_source(tmp_path):
    path = written(tmp_path, "y;m1;site\n0;0,5;a\n1;0,7;a\n0;0,1;b\n1;0,9;b\n")
    groups = br.count(path, label="y", score="m1", by="site")
    assert groups["b"] == br.count([0, 1], [0.1, 0.9])
    a, b = model(tmp_path, "a.csv", A), model(tmp_path, "b.csv", B)
    done = run("compare", a, b, "--label", "y", "--score", "m1", "--id", "id")
    assert done.returncode == 0, done.stderr
    done = run("compare", a, b, "--label", "y", "--score", "m1")
    assert done.returncode == 2
    assert "error BR414" in done.stderr
    done = run("show", path, "--label", "y", "--score", "m1", "--delimiter", ";", "--decimal", ",")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("rows", [10, 60_000])  # read by Python, and by DuckDB
@pytest.mark.parametrize("memory", [{}, {"memory": "320MB"}])
def test_numbers_of_more_digits_than_a_float_keeps_are_rounded_with_a_note(tmp_path, rows, memory):
    many = "".join(f"{row % 2},0.{row + 10:06d}\n" for row in range(rows)) * 2
    for name, number in (("a.csv", "0.1"), ("b.csv", "0.10000000000000000001")):
        (tmp_path / name).write_text(f"y,m\n{many}1,{number}\n")
    counts = br.count(str(tmp_path / "*.csv"), label="y", score="m", **memory)
    assert counts.positives[counts.scores == 0.1].tolist() == [2]
    notes = [note.text for note in counts.notes if note.code == "BR215"]
    assert notes == [
        '"m" has numbers of more than 17 significant digits: scores are rounded to float64'
    ]


def test_a_fix_names_the_keyword_that_there_is(tmp_path):
    (tmp_path / "a.csv").write_text("y,m\nfraud,0.1\nlegit,0.2\nlegit,0.3\n")
    path = str(tmp_path / "a.csv")
    with pytest.raises(br.InputError, match=r"Fix: positive='fraud'\."):
        br.count(path, label="y", score="m")
    with pytest.raises(br.InputError, match=r"Fix: positive='fraud'\."):
        br.count(path, label="y", score="m", positive="frod")
    with pytest.raises(br.InputError, match=r"Fix: positive='1'\."):
        br.count(path, label="y", score="m", negative=["legit"])
    with pytest.raises(br.InputError, match=r"Fix: pos_label='fraud'\."):
        br.count(["fraud", "legit", "legit"], [0.1, 0.2, 0.3])
    assert br.count(path, label="y", score="m", positive="fraud") == br.count(
        [1, 0, 0], [0.1, 0.2, 0.3]
    )
    with pytest.raises(br.InputError, match=r"Fix: positive='fraud'\."):
        br.count(pl.DataFrame({"y": ["fraud", "legit"], "m": [0.1, 0.2]}), label="y", score="m")


def test_an_absolute_path_stays_on_the_machine(tmp_path):
    """Whoever gets an answer or a report need not know under whose name the file lay."""
    (tmp_path / "a.csv").write_text("y,m\n1,0.1\n0,0.2\n0,0.3\n")
    counts = br.count(str(tmp_path / "a.csv"), label="y", score="m")
    (source,) = counts.ledger.sources
    assert (source.path, source.name) == (str(tmp_path / "a.csv"), "a.csv")
    assert replace(source, path="data/a.csv").name == "data/a.csv"
    shown = (
        json.dumps(document.answer("show", (counts + counts).notes, counts.ledger.sources))
        + br.report({"m": counts}).html
    )
    assert "a.csv" in shown
    assert str(tmp_path) not in shown


HOW = {"label": "y", "score": "s"}


def test_an_empty_folder_is_refused_in_the_same_words(tmp_path):
    for more in ({}, {"memory": LEAST}):
        with pytest.raises(br.InputError, match="BR615: .*a folder without data files"):
            br.count(str(tmp_path), **HOW, **more)
