"""Files read in a process of their own: the same cases and the same refusals, and one line where
the reader does not survive its file, or answers wrongly.
"""

import bz2
import gzip
import json
import lzma
import os
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import feather, ipc, parquet

import baserate as br
from baserate.errors import Fix, Problem, Where
from baserate.read import apart, apart_child, files, source
from baserate.read.source import Options
from baserate.read.table import ColumnRoles

ROWS = 60_000
WANTED = ColumnRoles("y", ("s", "t"), positive="yes", weight="w", group="g", id="i")
pytestmark = pytest.mark.own_reader


def data(rows=ROWS):
    rng = np.random.default_rng(rows)
    sites = ["north", 'sü"d', "東京", " padded ", ""]
    return {
        "y": [("no", "yes")[value] for value in rng.integers(0, 2, rows)],
        "s": rng.random(rows),
        "t": rng.integers(-(2**62), 2**62, rows),
        "w": rng.integers(1, 4, rows).astype(np.int8),
        "g": [sites[value] for value in rng.integers(0, 5, rows)],
        "i": [f"{row:07}" for row in range(rows)],
    }


DATA = data()
FRAME = pa.table(DATA)
RECORDS = list(zip(*(column.to_pylist() for column in FRAME.columns), strict=True))
TEXT = (
    "y,s,t,w,g,i\n"
    + "".join(
        f'{y},{s!r},{t},{w},"{g.replace(chr(34), chr(34) * 2)}",{i}\n'
        for y, s, t, w, g, i in RECORDS
    )
).encode()
SHORT = TEXT[:100_000].rpartition(b"\n")[0]
JSON = "".join(
    json.dumps(dict(zip(DATA, record, strict=True))) + "\n" for record in RECORDS
).encode()


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("scores.csv", TEXT)


def in_sqlite(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE cases (y TEXT, s REAL, t INTEGER, w INTEGER, g TEXT, i TEXT)")
    connection.executemany(
        "INSERT INTO cases VALUES (?, ?, ?, ?, ?, ?)", FRAME.to_pandas().itertuples(index=False)
    )
    connection.commit()
    connection.close()


def in_duckdb(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE cases AS SELECT * FROM FRAME")


def in_folders(path):
    for site in ("a", "b"):
        (path / f"g={site}").mkdir(parents=True)
        parquet.write_table(
            FRAME.drop_columns("g").slice(0, 100), path / f"g={site}" / "part.parquet"
        )


def in_several(path):
    path.mkdir()
    for place in range(3):
        (path / f"{place}.csv").write_bytes(
            TEXT if place == 1 else b"\n".join(TEXT.splitlines()[:4])
        )


def in_batches(path):
    with ipc.new_file(str(path), FRAME.schema) as out:
        out.write_table(FRAME, max_chunksize=7000)


FORMATS = {
    "a.csv": lambda path: path.write_bytes(TEXT),
    "a.csv.gz": lambda path: path.write_bytes(gzip.compress(TEXT)),
    "a.csv.zst": lambda path: path.write_bytes(zstandard.compress(TEXT)),
    "a.csv.bz2": lambda path: path.write_bytes(bz2.compress(SHORT)),
    "a.csv.xz": lambda path: path.write_bytes(lzma.compress(SHORT)),
    "a.csv.zip": zipped,
    "a.jsonl": lambda path: path.write_bytes(JSON),
    "a.parquet": lambda path: parquet.write_table(FRAME, path),
    "a.parquet.gz": lambda path: path.write_bytes(gzip.compress(parquet_bytes())),
    "hive": in_folders,
    "several": in_several,
    "a.arrow": in_batches,
    "a.feather": lambda path: feather.write_feather(
        FRAME.set_column(0, "y", FRAME["y"].dictionary_encode()), str(path)
    ),
    "a.npz": lambda path: np.savez_compressed(
        path, **{name: np.array(values) for name, values in DATA.items()}
    ),
    "a.db::cases": in_sqlite,
    "a.duckdb::SELECT * FROM cases": in_duckdb,
}


def parquet_bytes():
    out = pa.BufferOutputStream()
    parquet.write_table(FRAME, out)
    return out.getvalue().to_pybytes()


def made(tmp_path, name, make):
    file, _, asked = name.partition("::")
    make(tmp_path / file)
    return str(tmp_path / name) if asked else str(tmp_path / file)


def there(path, wanted=WANTED, options=None):
    """In a process of its own, whatever the source is."""
    return files._answer_apart("cases", [path], wanted, options or Options())


def here(path, wanted=WANTED, options=None):
    return files.TASKS["cases"].answer([path], wanted, options or Options())


def refusal(read, *arguments):
    with pytest.raises(br.InputError, match="Fix: ") as caught:
        read(*arguments)
    return caught.value


def assert_same(ours, theirs):
    assert (ours.label, ours.notes, ours.ledger) == (theirs.label, theirs.notes, theirs.ledger)
    for rows in ((), (0,), (0, 1, len(ours.positive) - 1)):
        assert ours.place(Where(rows=rows, total=9)) == theirs.place(Where(rows=rows, total=9))
    np.testing.assert_array_equal(ours.positive, theirs.positive)
    np.testing.assert_array_equal(ours.weights, theirs.weights)
    assert list(ours.scores) == list(theirs.scores)
    for name, scores in theirs.scores.items():
        assert ours.scores[name].dtype == scores.dtype
        np.testing.assert_array_equal(ours.scores[name], scores)
    for role, column in theirs.beside.items():
        assert ours.beside[role].name == column.name
        assert list(map(repr, ours.beside[role].values.tolist())) == list(
            map(repr, column.values.tolist())
        )
    assert (ours.unlabelled is None) == (theirs.unlabelled is None)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_cases_through_another_process(tmp_path, name):
    path = made(tmp_path, name, FORMATS[name])
    assert source.is_confined(path, Options()) == (name not in ("a.csv", "several", "a.jsonl"))
    assert_same(there(path), here(path))


def test_rows_that_are_left_out_are_left_out_there(tmp_path):
    columns = {"y": [0, 1, None, 1], "s": [0.5, None, 0.25, 0.75], "t": [1, 2, 3, 4]}
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pa.table(columns), path)
    options = Options.of({"missing_label": "drop", "nan_score": "drop"})
    wanted = ColumnRoles("y", ("s", "t"))
    ours = there(path, wanted, options)
    assert_same(ours, here(path, wanted, options))
    assert len(ours.positive) == 2
    assert len(ours.unlabelled.positive) == 1


def test_counts_of_a_file_have_the_same_digest(tmp_path, monkeypatch):
    path = made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    counts = br.count(path, label="y", score="s")
    monkeypatch.setattr(files, "is_confined", lambda *_: False)
    assert counts == br.count(path, label="y", score="s")
    assert counts.digest == br.count(DATA["y"], DATA["s"]).digest


def test_columns_of_every_kind_come_through(tmp_path):
    kinds = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
    path = str(tmp_path / "a.npz")
    np.savez(path, **{kind: np.arange(3).astype(kind) for kind in kinds})
    wanted = ColumnRoles("bool", tuple(kinds[1:]))
    found = files.read_columns(path, wanted, Options()).columns
    for kind in kinds:
        assert found[kind].tolist() == np.arange(3).astype(kind).tolist()


def test_categories_that_no_row_has_do_no_harm(tmp_path):
    labels = pa.DictionaryArray.from_arrays(
        pa.array([0, None, 2]), pa.array([f"c{place}" for place in range(1000)])
    )
    path = str(tmp_path / "a.feather")
    feather.write_feather(pa.table({"y": labels, "s": [1.0, 2.0, 3.0]}), path)
    found = files.read_columns(path, ColumnRoles("y", ("s",)), Options())
    assert found.columns["y"].tolist() == ["c0", None, "c2"]


REFUSED = {
    "unknown.parquet": (lambda path: parquet.write_table(FRAME.drop_columns("w"), path), "BR613"),
    "cut.parquet": (lambda path: path.write_bytes(parquet_bytes()[:-5]), "BR703"),
    "cut.csv.gz": (lambda path: path.write_bytes(gzip.compress(TEXT)[:-9]), "BR703"),
    "ragged.csv": (
        lambda path: path.write_bytes(TEXT + b"1,2\n\n1,2,3\n" + TEXT[-60:].partition(b"\n")[2]),
        "BR605",
    ),
    "broken.jsonl": (lambda path: path.write_bytes(JSON + b"{\n"), "BR620"),
    "empty.npz": (
        lambda path: np.savez(path, **{name: np.zeros(0) for name in WANTED.columns}),
        "BR602",
    ),
    "bytes.arrow": (
        lambda path: feather.write_feather(
            FRAME.set_column(1, "s", FRAME["i"].cast(pa.binary())), str(path)
        ),
        "BR209",
    ),
    "mixed.db::cases": (lambda path: in_sqlite(path) or mix(path), "BR208"),
    "no.db::table": (in_sqlite, "BR717"),
    "wrong.duckdb::SELECT nothing": (in_duckdb, "BR718"),
}


def mix(path):
    connection = sqlite3.connect(path)
    connection.execute("UPDATE cases SET s = 'high' WHERE i = '0000007'")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_the_same_line_by_line(tmp_path, name):
    make, code = REFUSED[name]
    path = made(tmp_path, name, make)
    ours, theirs = refusal(there, path), refusal(here, path)
    assert ours.problems == theirs.problems
    assert [type(problem.where) for problem in ours.problems] == [
        type(problem.where) for problem in theirs.problems
    ]
    assert ours.code == code


def test_errors_of_the_system_are_the_same(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        there(str(tmp_path / "absent.parquet"))
    assert caught.value.filename == str(tmp_path / "absent.parquet")


def test_what_is_read_in_a_process_of_its_own(tmp_path):
    (tmp_path / "small.csv").write_bytes(TEXT[:5000])
    (tmp_path / "large.csv").write_bytes(TEXT)
    (tmp_path / "small.jsonl").write_bytes(JSON[:5000])
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(TEXT))
    for name, expected in {
        "small.csv": False,
        "small.jsonl": False,
        "large.csv": False,
        "small*": False,
        "absent.parquet": False,
        "absent.db::cases": False,
    }.items():
        assert source.is_confined(str(tmp_path / name), Options()) is expected, name
    assert source.is_confined(str(tmp_path), Options())
    assert not source.is_confined("postgresql://localhost/x::y", Options())
    os.mkfifo(tmp_path / "pipe.parquet")
    assert not source.is_confined(str(tmp_path / "pipe.parquet"), Options())


def test_standard_input_is_read_in_a_process_of_its_own_where_it_is_binary(tmp_path):
    (tmp_path / "a.parquet").write_bytes(parquet_bytes())
    code = (
        "import baserate as br; c = br.count('-', label='y', score='s'); print(c.digest,"
        " c.ledger.sources[0].path)"
    )
    with (tmp_path / "a.parquet").open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", code], stdin=file, capture_output=True, text=True, check=True
        )
    assert done.stdout.split() == [br.count(DATA["y"], DATA["s"]).digest, "-"]


@pytest.mark.parametrize("flags", [["-O", "-W", "error", "-c"], ["-I", "-X", "utf8", "-B", "-c"]])
def test_any_way_to_start_python_will_do(tmp_path, flags):
    path = made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    own = str(Path(br.__file__).parents[1])
    code = (
        f"import sys; sys.path.insert(0, {own!r}); import baserate as br;"
        f" print(br.count({path!r}, label='y', score='s').digest)"
    )
    done = subprocess.run(
        [sys.executable, *flags, code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert (done.stdout.strip(), done.stderr) == (br.count(DATA["y"], DATA["s"]).digest, "")


HOSTILE = """
import os, sys
import baserate as br
br.count(sys.argv[1] + "/a.parquet", label="y", score="s")  # what this program needs, it has from now on
os.chdir(sys.argv[1])
sys.path[:0] = ["", ".", "within", os.getcwd()]
print(br.count("a.parquet", label="y", score="s").digest)
"""  # noqa: E501


def test_nothing_beside_the_data_is_taken_for_a_module(tmp_path, monkeypatch):
    made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    for folder in (tmp_path, tmp_path / "within"):
        for name in ("numpy", "duckdb", "shutil", "threading", "lzma"):
            (folder / f"{name}.py").parent.mkdir(exist_ok=True)
            (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
        (folder / "baserate").mkdir()
        (folder / "baserate" / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    done = subprocess.run(
        [sys.executable, "-c", HOSTILE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == br.count(DATA["y"], DATA["s"]).digest
    assert not (tmp_path / "ran").exists()
    monkeypatch.setattr(sys, "path", ["", ".", "within", str(tmp_path), *sys.path])
    monkeypatch.chdir(tmp_path)
    places = apart._places_of_modules()
    assert all(map(os.path.isabs, places))
    assert str(tmp_path) not in places


def test_a_folder_that_is_gone_does_no_harm(tmp_path):
    path = made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    (tmp_path / "gone").mkdir()
    code = (
        f"import os; import baserate as br; os.rmdir(os.getcwd()); print(br.count({path!r},"
        " label='y', score='s').digest)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path / "gone",
    )
    assert done.stdout.strip() == br.count(DATA["y"], DATA["s"]).digest


def test_a_program_that_cannot_start_python_reads_by_itself_and_says_so(tmp_path, monkeypatch):
    path = made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert [note.code for note in br.count(path, label="y", score="s").notes] == [
        "BR709",
        "BR101",
    ]


def test_a_database_that_is_open_here_is_said_to_be(tmp_path):
    path = tmp_path / "a.duckdb"
    in_duckdb(path)
    with duckdb.connect(str(path)):
        error = refusal(there, f"{path}::cases")
    assert (error.code, error.problems[0].text) == ("BR706", "is open in this Python process")
    assert len(there(f"{path}::cases").positive) == ROWS


def test_new_fields_of_what_is_wanted_travel_by_themselves(tmp_path):
    """Whatever plain value someone says of a source, the reader hears it."""
    path = made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    for positive in (1, 1.5, True, None, np.int64(1), "yes"):
        found = files.read_columns(path, ColumnRoles("y", ("s",), positive=positive), Options())
        assert len(found.columns["y"]) == ROWS


def answer(monkeypatch, change, path):
    """What is refused where the reader changes its answer."""
    code = f"""
from baserate.read import apart_child, files
def changed(request, folder, progress, real=apart_child.answer_request):
    import os, numpy as np
    said = real(request, folder, progress)
    {change}
    return said
apart_child.answer_request = changed
main(request)"""
    monkeypatch.setattr(apart, "START", apart.START.replace("main(request)", code))
    return refusal(files.read_cases, path, ColumnRoles("y", ("s",), group="g"), Options())


@pytest.mark.parametrize(
    "change",
    [
        "said['held'] += 1",
        "said['held'] = -1",
        "said['held'] = 'many'",
        "del said['ledger']",
        "said['ledger']['rows_read'] = 7",
        "said['label'] = [1]",
        "said['files'] = []",
        "said['files'][0][0] = 5",
        "said = {}",
        "np.save(os.path.join(folder, 'positive.npy'), np.zeros(60000))",
        "np.save(os.path.join(folder, 'score 0.npy'), np.full(60000, np.nan))",
        "np.save(os.path.join(folder, 'score 0.npy'), np.zeros(3))",
        "np.save(os.path.join(folder, 'beside group.npy'), np.full(60000, 99))",
        "np.save(os.path.join(folder, 'beside group.npy'), np.full(60000, -1))",
        "np.save(os.path.join(folder, 'score 0.npy'), np.array([{}] * 60000), allow_pickle=True)",
        "open(os.path.join(folder, 'score 0.npy'), 'wb').close()",
        "open(os.path.join(folder, 'beside group.json'), 'w').write('[')",
        "open(os.path.join(folder, 'beside group.json'), 'w').write('[[1], [2], 3, 4, 5]')",
        "os.unlink(os.path.join(folder, 'positive.npy'))",
    ],
)
def test_an_answer_that_cannot_be_is_one_line(tmp_path, monkeypatch, change):
    path = made(tmp_path, "a.parquet", FORMATS["a.parquet"])
    error = answer(monkeypatch, change, path)
    assert error.code == "BR707"
    assert "gave a wrong answer" in str(error)
    assert error.problems[0].where.path == path


def test_refusals_come_as_they_were():
    problem = Problem("BR605", "so \x1b[31m", Fix("a", "\u202e"), Where("b.csv", (), (3, 4), 9))
    with pytest.raises(br.InputError, match="BR605") as caught:
        apart._without_errors(apart.error_facts(br.InputError(problem)))
    assert caught.value.problems[0].where == problem.where
    assert caught.value.problems[0].text == r"so \x1b[31m"  # nothing that steers a terminal
    assert caught.value.problems[0].fix.command == r"\u202e"
    with pytest.raises(PermissionError, match="Permission denied: 'a.csv'"):
        apart._without_errors(apart.error_facts(PermissionError(13, "Permission denied", "a.csv")))
    with pytest.raises(MemoryError, match="^$"):
        apart._without_errors(apart.error_facts(MemoryError()))


def test_the_other_side_names_what_it_does_not_do():
    with pytest.raises(PermissionError, match="a reader does not do os.system"):
        apart_child._refuse("os.system", ())
