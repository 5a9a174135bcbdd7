"""What comes from a reader is not believed: lengths, types and codes are checked, and nothing else
can arrive than data.
"""

import contextlib
import io
import json
import random
import sys

import numpy as np
import pytest
from tests.read.tables import assert_refused

import baserate as br
from baserate.errors import Fix, Note, refuse, refuse_file
from baserate.read import sandbox, source
from baserate.read.sandbox import (
    MOST_JSON,
    PIECE,
    READY,
    Failed,
    Incoming,
    Untrue,
    received,
    send_error,
    send_tables,
)
from baserate.read.source import Options
from baserate.read.table import ColumnRoles, InLines, Runs, Table, in_table

MOST = 1 << 24
COLUMNS = ("y", "s")


def frames(*parts):
    """An answer as a reader sends it: arrays as NumPy saves them, bytes as they are, all else as a
    line of JSON.
    """
    return b"".join(map(framed, parts))


def framed(part):
    if isinstance(part, bytes):
        return part
    if not isinstance(part, np.ndarray):
        return json.dumps(part).encode() + b"\n"
    out = io.BytesIO()
    np.save(out, part)
    return out.getvalue()


def header(text):
    """The beginning of a saved array that is described like this."""
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def saved_as(kind, data):
    return header(f"{{'descr': '{kind}', 'fortran_order': False, 'shape': (2,), }}\n") + data


def array(kind, *values):
    return np.array(values, dtype=kind)


def table(**changed):
    said = {
        "path": "a.csv",
        "rows": 2,
        "refused": 0,
        "sha256": "",
        "place": {"path": "a.csv", "first": 2, "listed": False},
    }
    return said | {"notes": [], "columns": ["y", "s"]} | changed


def number(kind, values):
    return "numbers", np.asarray(values, dtype=kind)


Y, S = number("<i8", [0, 1]), number("<f8", [0.5, 0.25])
ONE = {"tables": 1}


def hear(data, most=MOST, *, several=True):
    return received(Incoming(io.BytesIO(data), most), COLUMNS, several=several)


def test_a_plain_answer_is_a_table():
    [found] = hear(frames(ONE, table(), *Y, *S))
    assert found.columns["y"].tolist() == [0, 1]
    assert found.columns["s"].tolist() == [0.5, 0.25]
    assert (found.path, found.rows, found.refused, found.notes) == ("a.csv", 2, 0, ())


@pytest.mark.parametrize("kind", ["?", *"bhilqBHILQ", *"efdg"])
@pytest.mark.parametrize("repeated", [1, 100])
def test_numbers_of_every_kind_are_the_same_bytes(kind, repeated):
    values = np.repeat(np.random.default_rng(6).integers(0, 100, 12_000).astype(kind), repeated)
    values[:2] = values.dtype.type(0), -values.dtype.type(0) if kind in "efdg" else 1
    for sent in (values, values[::2], values[:3]):
        out, column = io.BytesIO(), sent
        if repeated > 1:
            column = Runs(sent, np.ones(len(sent), dtype=np.int64))
        send_tables(
            out,
            [Table("a", {"y": column, "s": sent.copy()}, len(sent), place=in_table("a"))],
        )
        [found] = hear(out.getvalue(), 1 << 30)
        assert found.columns["y"].dtype == sent.dtype
        if kind in "efdg":
            assert np.signbit(found.columns["y"]).tolist() == np.signbit(sent).tolist()
        np.testing.assert_array_equal(found.columns["y"], sent)


def test_what_is_sent_is_what_is_received():
    texts = np.array(["a", None, "b"] * PIECE, dtype=object)
    mixed = np.array(["a", 1, None] * PIECE, dtype=object)
    lines = InLines.of("a.csv", [2, 4, 5] * PIECE)
    sent = [
        Table(
            "a.csv",
            {"y": texts.copy(), "s": mixed.copy()},
            3 * PIECE + 1,
            1,
            "0" * 64,
            lines,
            (Note("BR612", "so", Fix("a", "b")),),
        ),
        Table("b.csv", {"y": texts[:0], "s": np.zeros(0)}, 0, place=in_table("b.csv")),
    ]
    out = io.BytesIO()
    send_tables(out, sent)
    first, second = hear(out.getvalue())
    assert first.columns["y"].tolist() == texts.tolist()
    assert first.columns["s"].tolist() == mixed.tolist()
    assert (first.rows, first.refused, first.sha256, first.notes) == (
        3 * PIECE + 1,
        1,
        "0" * 64,
        (Note("BR612", "so", Fix("a", "b")),),
    )
    assert first.place.lines.tolist() == lines.lines.tolist()
    assert second.place == in_table("b.csv")


@pytest.mark.parametrize(
    ("parts", "match"),
    [
        ([[]], "no answer"),
        ([{"tables": 0}], "no answer"),
        ([{"tables": "1"}], "no answer"),
        ([{"problems": []}], "no answer"),
        ([b"{\n"], "broken JSON"),
        ([b"[" * 100_000 + b"\n"], "broken JSON"),
        ([ONE, table(rows=-1), *Y, *S], "was not requested"),
        ([ONE, table(refused=3), *Y, *S], "was not requested"),
        ([ONE, table(columns=["y"]), *Y], "was not requested"),
        ([ONE, table(columns=["y", "s", "s"]), *Y, *S, *S], "was not requested"),
        ([ONE, table(columns=["y", 7]), *Y, *S], "a value of another type"),
        ([ONE, table(rows=2.0), *Y, *S], "rows is missing"),
        ([ONE, table(rows=True), *Y, *S], "rows is missing"),
        ([ONE, table(sha256="x"), *Y, *S], "was not requested"),
        ([ONE, table(rows=3), *Y, *S], "a column of another length"),
        ([ONE, table(rows=1), *Y, *S], "a column of another length"),
        ([ONE, table(), {"numbers": 2}, array("<i8", 0, 1), *S], "unknown kind"),
        ([ONE, table(), "numbers", array("<U2", "a", "b"), *S], "unknown kind"),
        (
            [ONE, table(), "numbers", array("<i8", 0, 1).reshape(2, 1), *S],
            "another length",
        ),
        ([ONE, table(), "numbers", saved_as("|b1", b"\1\7"), *S], "neither"),
        ([ONE, table(), "numbers", array(">f8", 0, 1), *S], "unknown kind"),
        ([ONE, table(), "runs", array("<f8", 0), array("<i4", 2), *S], "unknown kind"),
        ([ONE, table(), "numbers", saved_as("|O", b"cos\nsystem\n"), *S], "unknown kind"),
        ([ONE, table(), "numbers", b"no array at all", *S], "without its type"),
        ([ONE, table(), "numbers", header("(" * 100), *S], "without its type"),
        (
            [ONE, table(), "numbers", header("{" + " " * 9000 + "}"), *S],
            "without its type",
        ),
        ([ONE, table(), "runs", array("<i8", 0, 0, 0), *S], "another length"),
        (
            [ONE, table(), "runs", array("<i8", 0), array("<i8", 3), *S],
            "runs of another length",
        ),
        (
            [ONE, table(), "runs", array("<i8", 0, 0), array("<i8", 3, -1), *S],
            "runs of another length",
        ),
        ([ONE, table(), {"objects": 3}, ["a"] * 3, *S], "unknown kind"),
        ([ONE, table(), {"objects": 2}, ["a"] * 3, *S], "another number or kind"),
        ([ONE, table(), {"objects": 2}, ["a", []], *S], "another number or kind"),
        ([ONE, table(), {"objects": 2}, {"a": 1, "b": 2}, *S], "another number or kind"),
        (
            [ONE, table(), {"coded": 1}, ["a"], array("|u1", 0, 1), *S],
            "a code without a value",
        ),
        ([ONE, table(), {"coded": 1}, ["a"], array("|i1", 0, -1), *S], "unknown kind"),
        ([ONE, table(), {"coded": 9}, ["a"] * 9, array("|u1", 0, 1), *S], "unknown kind"),
        ([ONE, table(), {"objects": 2}, [], *S], "another number or kind"),
        ([ONE, table(rows=1 << 63, refused=1 << 63), *Y, *S], "was not requested"),
        ([ONE, table(place={"paths": ["a", "b"], "begins": [0]}), *Y, *S], "lie nowhere"),
        ([ONE, table(place={"paths": [], "begins": []}), *Y, *S], "lie nowhere"),
        ([ONE, table(place={"paths": ["a", "b"], "begins": [0, -1]}), *Y, *S], "lie nowhere"),
        (
            [ONE, table(place={"path": "a", "first": 1, "listed": True}), *S, *Y, *S],
            "lines that are not numbers",
        ),
        ([ONE, table(place=[]), *Y, *S], "place is missing"),
        ([ONE, table(notes=[{"code": "x", "text": ""}]), *Y, *S], "a code that is none"),
        ([ONE, table(notes=["x"]), *Y, *S], "code is missing"),
        ([{"problems": [{}]}], "where is missing"),
    ],
)
def test_an_answer_that_cannot_be_is_not_believed(parts, match):
    with pytest.raises(Untrue, match=match):
        hear(frames(*parts))


def test_an_answer_is_heard_out_only_up_to_a_limit():
    with pytest.raises(Untrue, match="more than a reader may say at once"):
        hear(b" " * (MOST_JSON + 1), most=1 << 40)
    with pytest.raises(MemoryError, match="^$"):
        hear(frames(ONE, table(), *Y, *S), most=100)


def runs(length):
    return "runs", array("<f8", 0), array("<i8", length)


@pytest.mark.parametrize(
    "parts",
    [
        [ONE, table(rows=1 << 40)],  # before anything is made of it
        [ONE, table(rows=400_000), *runs(400_000) * 2],
        [ONE, table(rows=400_000), *["numbers", np.zeros(400_000, "<i8")] * 2],
        [ONE, table(rows=400_000), *[{"coded": 1}, ["a"], np.zeros(400_000, "|u1")] * 2],
        [ONE, table(rows=400_000), {"objects": 400_000}, [None] * PIECE],
        [{"tables": 3}, *[table(rows=100_000), *runs(100_000) * 2] * 3],
        [
            {"tables": 1000},
            *[table(rows=0, columns=["y", "s"]), *number("<i8", []), *number("<f8", [])] * 1000,
        ],
    ],
)
def test_what_is_made_of_an_answer_is_counted_as_well(parts, monkeypatch):
    monkeypatch.setattr(sandbox, "VALUE", 1)  # what is checked at once hides what comes later
    with pytest.raises(MemoryError, match="^$"):
        hear(frames(*parts), most=4_000_000)


def test_only_a_folder_or_a_pattern_gives_several_tables(tmp_path):
    two = frames({"tables": 2}, *[table(), *Y, *S] * 2)
    assert len(hear(two)) == 2
    with pytest.raises(Untrue, match="no answer"):
        hear(two, several=False)
    (tmp_path / "a*").touch()
    found = [
        source.is_several(str(tmp_path / name))
        for name in ("", "b*", "a*", "absent", "b.db::SELECT * FROM t")
    ]
    assert [*found, source.is_several("-")] == [True, True, False, False, False, False]


def test_long_texts_travel_in_several_pieces(monkeypatch):
    monkeypatch.setattr(sandbox, "MOST_JSON", 1000)
    texts = np.array([f"{place}" * 200 for place in range(100)] + ["x" * 900], dtype=object)
    out = io.BytesIO()
    send_tables(
        out, [Table("a", {"y": texts.copy(), "s": np.zeros(101)}, 101, place=in_table("a"))]
    )
    assert hear(out.getvalue())[0].columns["y"].tolist() == texts.tolist()


def test_long_words_of_a_reader_are_cut():
    long = "A" * 10**6
    [problem] = heard(refuse_file(long, "BR605", long, long, tuple(range(9)), 9)).problems
    assert (problem.text, problem.fix.command) == ("A" * 1999 + "…", "A" * 1999 + "…")
    assert (len(problem.where.path), problem.where.lines) == (4096, (0, 1, 2))
    [found] = hear(frames(ONE, table(notes=[{"code": "BR605", "text": long}]), *Y, *S))
    assert len(found.notes[0].text) == 2000


def test_an_answer_that_is_cut_off_is_none():
    whole = frames(ONE, table(), *Y, *S)
    for length in range(len(whole)):
        with pytest.raises(EOFError, match="^(the data end early)?$"):
            hear(whole[:length])


def test_an_answer_with_flipped_bytes_is_a_table_or_refused():
    whole, rng = frames(ONE, table(), {"objects": 2}, ["a", "b"], *S), random.Random(6)
    for _ in range(3000):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with contextlib.suppress(Untrue, EOFError, MemoryError):
            assert [len(found.columns["y"]) for found in hear(bytes(data))] == [2]


def heard(error):
    out = io.BytesIO()
    send_error(out, error)
    with pytest.raises(type(error)) as caught:
        hear(out.getvalue())
    return caught.value


def test_refusals_come_as_they_were():
    moved = refuse("BR208", "so", Fix("a", "b"), [1, 2], 7).moved(in_table("a.db"))
    both = br.InputError(
        (*moved.problems, *refuse_file("b.csv", "BR605", "so", "mend it", (3, 4), 9).problems)
    )
    assert heard(both).problems == both.problems
    assert str(heard(both)) == str(both)
    assert (
        str(heard(PermissionError(13, "Permission denied", "a.csv")))
        == "[Errno 13] Permission denied: 'a.csv'"
    )
    heard(MemoryError())


def test_nothing_that_a_reader_says_steers_a_terminal():
    hostile = br.InputError(refuse("BR208", "\x1b[31m\n", Fix("\x1b", "\u202e")).problems)
    assert (
        heard(hostile).problems[0].line(lambda fix: fix.command)
        == "BR208: \\x1b[31m\\n. Fix: \\u202e."
    )
    out = io.BytesIO()
    send_error(out, ZeroDivisionError("division by zero"))
    with pytest.raises(Failed, match="ZeroDivisionError: division by zero"):
        hear(out.getvalue())


@pytest.mark.parametrize(
    "answer",
    [frames(ONE, table(), *S, *S, b"more"), frames([]), frames(ONE, table(rows=5), *Y, *S)],
)
def test_a_hostile_answer_is_one_line(tmp_path, monkeypatch, answer):
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04")
    code = (
        "import sys; sys.stdin.buffer.readline();"
        f" sys.stdout.buffer.write({frames(READY) + answer!r})"
    )
    monkeypatch.setattr(source, "command", lambda: [sys.executable, "-c", code])
    path = str(tmp_path / "a.npz")
    wanted = ColumnRoles("y", ("t",))  # not what the answer holds
    assert_refused(
        lambda: source.read_confined(path, path, wanted, Options()),
        "BR707",
        "gave a wrong answer",
        path,
    )
