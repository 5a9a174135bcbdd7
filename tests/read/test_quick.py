"""JSON lines scanned in C: what Python's json reads, or nothing; and no digit is ever lost."""

import io
import json
import math
import random
import struct
import subprocess
import sys
import tracemalloc
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.read import quick
from baserate.read.table import ColumnRoles

pytestmark = pytest.mark.skipif(quick._lines is None, reason="it was not built")
ROLES = ColumnRoles("y", ("s",))


def scanned(*texts):
    """The doubles of these texts, and whether one is a fraction; None where there is doubt."""
    room = bytearray(8 * len(texts))
    lines = "".join(f'{{"s": {text}}}\n' for text in texts).encode("utf-8", "surrogatepass")
    found = quick._lines.scan(lines, ((b'{"s": ', "n", room, []),), b"}")
    if found is None:
        return None
    assert found[0] == len(texts)
    return struct.unpack(f"{len(texts)}d", room), found[1][0]


def is_kept(text):
    """Whether a number has no more than fifteen digits, or is what Python writes for its float."""
    short = len(text) <= 15 and "e" not in text and "E" not in text
    whole = not set(text) & set(".eE")
    return short if whole else short or Decimal(text) == Decimal(repr(float(text)))


def assert_scanned(text):
    found = scanned(text)
    if found is None:
        digits = len(Decimal(text).as_tuple().digits)
        assert not is_kept(text) or digits > 17 or len(text) > 60
        return
    ((value,), fraction) = found
    assert is_kept(text)
    expected = float(text) if fraction else float(int(text))
    assert struct.pack("d", value) == struct.pack("d", expected)
    assert fraction == bool(set(text) & set(".eE"))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_python_writes_is_read_to_the_last_bit(value):
    text = repr(value)
    assert scanned(text) is not None
    assert_scanned(text)
    assert_scanned(f"{Decimal(text):f}")


@given(
    st.integers(-(10**18), 10**18),
    st.integers(0, 25),
    st.sampled_from(["", "e-7", "E3", "e+15", "e-300", "e308"]),
)
def test_any_other_number_is_its_nearest_float_or_left_to_others(digits, decimals, power):
    sign, text = "-" * (digits < 0), str(abs(digits)).rjust(decimals + 1, "0")
    whole, part = text[: len(text) - decimals], text[len(text) - decimals :]
    assert_scanned(f"{sign}{whole}{'.' * bool(part)}{part}{power}")


@pytest.mark.parametrize("seed", range(4))
def test_neighbours_of_floats_and_points_halfway_are_told_apart(seed):
    rng = random.Random(seed)
    for _ in range(5000):
        value = rng.choice([rng.random(), 2.0 ** rng.randint(-40, 60), rng.lognormvariate(0, 8)])
        halfway = (Decimal(value) + Decimal(math.nextafter(value, math.inf))) / 2
        for exact in (Decimal(value), halfway):
            for places in (15, 16, 17, 18):
                text = f"{exact:.{places}g}"
                assert_scanned(text if set(text) & set(".e") else f"{text}.0")


def test_of_all_numbers_that_are_read_no_two_become_one():
    rng, seen = random.Random(5), {}
    for _ in range(20_000):
        text = f"0.{rng.randint(4999, 5001)}{rng.randint(0, 10**13)}{rng.choice(['', '0', '5'])}"
        found = scanned(text)
        if found is not None:
            assert seen.setdefault(found[0][0], Decimal(text)) == Decimal(text)
    assert len(seen) > 1000


@pytest.mark.parametrize(
    "text",
    [
        *("", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1_0", "NaN", "Infinity"),
        *("1e400", "-1e400", "1e-400", "1" * 16, "0." + "1" * 70, "null", '"1"', "1 ", "é"),
    ],
)
def test_what_is_no_number_or_too_large_is_left_to_others(text):
    assert scanned(text) is None
    assert scanned("0.5", text) is None


def test_zeros_have_the_sign_that_python_gives_them():
    assert list(map(repr, scanned("-0", "0", "-0.0", "0.0")[0])) == ["0.0", "0.0", "-0.0", "0.0"]


def written(tmp_path, lines, name="x.jsonl"):
    path = tmp_path / name
    path.write_bytes(lines if isinstance(lines, bytes) else lines.encode())
    return str(path)


def columns(found):
    return {
        **{name: values.tolist() for name, values in found.numbers.items()},
        **{name: [values[code] for code in codes] for name, (values, codes) in found.texts.items()},
    }


@pytest.mark.parametrize("piece", [60, 64, 100, 1 << 20])
@pytest.mark.parametrize("end", ["\n", ""])
def test_lines_are_the_same_however_the_file_is_cut(tmp_path, monkeypatch, piece, end):
    monkeypatch.setattr(quick, "PIECE", piece)
    rows = [(row % 3, row / 7, f"g{row % 5}") for row in range(200)]
    lines = [json.dumps({"y": y, "s": s, "g": g, "x": None}) for y, s, g in rows]
    found = quick.scanned(
        written(tmp_path, "\n".join(lines) + end), ColumnRoles("y", ("s",), group="g")
    )
    assert found.rows == 200
    assert columns(found) == {
        "y": [str(y) for y, _, _ in rows],
        "s": [s for _, s, _ in rows],
        "g": [f'"{g}"' for _, _, g in rows],
    }


GOOD = '{"y": 1, "s": 2, "x": "a"}\n'


@pytest.mark.parametrize(
    "bad",
    [
        *("\n", " \n", "{}\n", "[]\n", '{"y": 1, "s": 2}\n', '{"y": 1, "s": 2, "x": "a"\n'),
        *('{"y": 1, "s": 2, "x": "é"}\n', '{"y": 1, "s": 2, "x": "\\n"}\n'),
        *('{"y": 1, "s": 2, "x": "a"}\r\n', '{"y": 1, "s": 2, "x": "a"}}\n', '{"y": 1, "s": 2, '),
        *('{"y": 1, "s": 2, "x": tru}\n', '{"y": 1, "s": 2, "x": "a\tb"}\n', '{"y": "1}\n', "\0"),
        *('{"y": 1, "s": 2, "x": {}}\n', '{"y": 1, "s": 2, "x": 1.}\n', '{"y": "a\\'),
    ],
)
def test_any_other_line_is_left_to_others(tmp_path, bad):
    path = written(tmp_path, GOOD * 3)
    assert quick.scanned(path, ROLES) is not None
    assert quick.scanned(written(tmp_path, GOOD * 3 + bad), ROLES) is None
    assert quick.scanned(written(tmp_path, bad + GOOD * 3), ROLES) is None


def test_texts_may_be_few_and_a_line_not_too_long(tmp_path, monkeypatch):
    few, many = (
        "".join(f'{{"y": "{row}", "s": 0.5}}\n' for row in range(number)) for number in (255, 256)
    )
    assert len(quick.scanned(written(tmp_path, few), ROLES).texts["y"].values) == 255
    assert quick.scanned(written(tmp_path, many), ROLES) is None
    monkeypatch.setattr(quick, "PIECE", 20)
    assert quick.scanned(written(tmp_path, few), ROLES) is None


def test_a_column_that_is_a_label_and_a_score_or_is_not_there_is_left_to_others(tmp_path):
    path = written(tmp_path, GOOD)
    assert quick.scanned(path, ColumnRoles("s", ("s",))) is None
    assert quick.scanned(path, ColumnRoles("y", ("absent",))) is None
    assert quick.scanned(written(tmp_path, ""), ROLES) is None


@given(st.binary(max_size=60), st.sampled_from(["n", "t", "s"]))
def test_any_bytes_are_scanned_or_not(data, kind):
    room = bytearray(8 * 64)
    for lines in (data, b'{"s": ' + data + b"}\n"):
        quick._lines.scan(lines, ((b'{"s": ', kind, room, []),), b"}")


@pytest.mark.parametrize(
    ("given_", "error"),
    [
        ((b"", (), b""), ValueError),
        ((b"", ((b"a", "n", bytearray(8), []),) * 257, b""), ValueError),
        ((b"", [], b""), TypeError),
        ((b"", ([b"a", "n", bytearray(8), []],), b""), TypeError),
        ((b"", ((b"a", "x", bytearray(8), []),), b""), ValueError),
        ((b"", ((b"a", "n", b"12345678", []),), b""), BufferError),
        ((b"", ((b"a", "t", bytearray(8), None),), b""), ValueError),
        ((b"", ((b"a", "t", bytearray(8), [b"x", b"x"]),), b""), ValueError),
        ((b"", ((b"a", "t", bytearray(8), ["x"]),), b""), TypeError),
        ((b"", ((b"a", "t", bytearray(8), [b"%d" % i for i in range(256)]),), b""), ValueError),
        (("", ((b"a", "n", bytearray(8), []),), b""), TypeError),
    ],
)
def test_wrong_arguments_are_errors(given_, error):
    with pytest.raises(error):
        quick._lines.scan(*given_)


def test_more_lines_than_room_are_none_and_large_doubles_no_whole_numbers():
    fields = ((b"", "n", bytearray(8), []),)
    assert quick._lines.scan(b"1\n", fields, b"") == (1, [False])
    assert quick._lines.scan(b"1\n2\n", fields, b"") is None
    for value in (2.0**53, float("nan"), float("-inf")):
        with pytest.raises(ValueError, match="too large"):
            quick._lines.whole(bytearray(struct.pack("d", value)))


def fields_in(*rooms):
    return ((b'{"y": ', "t", rooms[0], []), (b', "s": ', "n", rooms[1], []),
            (b', "x": ', "s", None, None))  # fmt: skip


@pytest.mark.parametrize("bad", [b"", b"x", b'{"y": 1, "s": 1, "x": "\xff"}\n'])
def test_memory_is_given_back_after_a_scan(bad):
    lines = bytearray(b'{"y": 1, "s": 2.5, "x": "a"}\n' * 3 + bad)
    rooms = bytearray(4), bytearray(32)
    found = quick._lines.scan(lines, fields_in(*rooms), b"}")
    assert found == (None if bad else (3, [False, True, False]))
    for one in (lines, *rooms):
        one.append(0)  # a BufferError where somebody still holds it


def test_memory_is_given_back_where_a_field_is_wrong():
    rooms, wrong = (bytearray(4), bytearray(32)), bytearray(8)
    lines = bytearray(b"\n")
    for field in ((b"", "x", wrong, []), (b"", "t", wrong, [b"a", b"a"]), (b"", "t", wrong, [1])):
        with pytest.raises((ValueError, TypeError)):
            quick._lines.scan(lines, (*fields_in(*rooms), field), b"}")
    for one in (lines, *rooms, wrong):
        one.append(0)
    doubles = bytearray(struct.pack("2d", 3.0, 1e300))
    with pytest.raises(ValueError, match="too large"):
        quick._lines.whole(doubles)
    doubles.append(0)


def test_what_a_scan_takes_of_python_is_given_back():
    lines = b'{"y": 1, "s": 2.5, "x": "a"}\n' * 3
    tracemalloc.start()
    try:
        for _ in range(50):
            quick._lines.scan(lines, fields_in(bytearray(4), bytearray(32)), b"}")
            quick._lines.scan(lines + b"x", fields_in(bytearray(4), bytearray(32)), b"}")
        assert tracemalloc.get_traced_memory()[0] < 5000
    finally:
        tracemalloc.stop()


def test_whole_numbers_lie_where_the_doubles_were():
    values = [0.0, -0.0, 1.0, -1.0, 2.0**53 - 1, 1 - 2.0**53, 12345678.0]
    room = bytearray(struct.pack("7d", *values) + b"end")
    assert quick._lines.whole(room) is None
    assert struct.unpack("7q", room[:56]) == tuple(map(int, values))
    assert room[56:] == b"end"
    for value in (2.0**53, -(2.0**53), math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="too large"):
            quick._lines.whole(bytearray(struct.pack("3d", 1.0, value, 2.0)))


@pytest.mark.parametrize("kind", ["n", "t"])
def test_there_is_room_for_as_many_lines_as_the_shortest_field_has(kind):
    for rows in range(1, 5):
        for room in range(1, 5):
            size = room * (8 if kind == "n" else 1)
            wide = bytearray(80), bytearray(size + 7 * (kind == "n"))
            fields = ((b"", "n", wide[0], []), (b",", kind, wide[1], []))
            found = quick._lines.scan(b"1,2\n" * rows, fields, b"")
            assert found == ((rows, [False, False]) if rows <= room else None)
            if found and kind == "n":
                assert struct.unpack(f"{rows}d", wide[1][: 8 * rows]) == (2.0,) * rows
                assert not any(wide[1][8 * rows :])


def test_texts_keep_their_numbers_from_scan_to_scan():
    known, room = [], bytearray(8)
    fields = ((b"", "t", room, known),)
    assert quick._lines.scan(b"1\n2\n1\n2\n2\n", fields, b"") == (5, [False])
    assert (known, list(room[:5])) == ([b"1", b"2"], [0, 1, 0, 1, 1])
    assert quick._lines.scan(b'3\n2\n"a"\n1\n3\n12\n', fields, b"") == (6, [False])
    assert (known, list(room[:6])) == ([b"1", b"2", b"3", b'"a"', b"12"], [2, 1, 3, 0, 2, 4])
    assert quick._lines.scan(b"5\n[]\n", fields, b"") is None
    assert known == [b"1", b"2", b"3", b'"a"', b"12"]


@pytest.mark.parametrize("size", [1, 2, 17, 100, 254, 255])
def test_many_texts_are_told_apart(size):
    rng = random.Random(size)
    texts = [b'"%s"' % b"".join(rng.choices([b"a", b"b", b"c"], k=8)) for _ in range(9 * size)]
    texts = list(dict.fromkeys(texts))[:size]
    rows = rng.choices(range(size), k=4 * size)
    known, room = [], bytearray(4 * size)
    lines = b"".join(texts[row] + b"\n" for row in rows)
    assert quick._lines.scan(lines, ((b"", "t", room, known),), b"") == (4 * size, [False])
    assert known == list(dict.fromkeys(texts[row] for row in rows))
    assert [known[code] for code in room] == [texts[row] for row in rows]


@pytest.mark.parametrize("text", ["true", "false", "null", '"a"', '""', '"a b~"', "-1.5e3", "0"])
@pytest.mark.parametrize("kind", ["s", "t"])
def test_a_plain_value_ends_where_it_ends(text, kind):
    def found(lines):
        return quick._lines.scan(lines.encode("latin-1"), ((b"{", kind, bytearray(9), []),), b"}")

    assert found(f"{{{text}}}\n") == (1, [False])
    for cut in range(len(text)):
        assert found(f"{{{text[:cut]}") is None
    for wrong in (f"{{{text}x}}\n", f"{{{text}}}", f"{{{text}", f"{{{text}}} \n", f"{{{text}}}x\n"):
        assert found(wrong) is None


@pytest.mark.parametrize("sign", ["\x00", "\x1f", "\x7f", "\x80", "\xff", "\n"])
def test_a_text_of_other_signs_is_left_to_others(sign):
    for kind in ("s", "t"):
        fields = ((b"", kind, bytearray(9), []),)
        assert quick._lines.scan(f'"a{sign}b"\n'.encode("latin-1"), fields, b"") is None
        assert quick._lines.scan(f'"a\\{sign}b"\n'.encode("latin-1"), fields, b"") is None
    escaped = b'"a\\"b\\\\"\n'
    assert quick._lines.scan(escaped, ((b"", "t", bytearray(9), []),), b"") == (1, [False])
    assert quick._lines.scan(escaped, ((b"", "s", None, None),), b"") is None


@pytest.mark.parametrize(
    "field", [(b"a", "n"), ("a", "n", bytearray(8), []), (b"a", "no", bytearray(8), []), (b"a",)]
)
def test_a_field_of_another_shape_is_an_error(field):
    with pytest.raises(TypeError):
        quick._lines.scan(b"", (field,), b"")
    with pytest.raises(TypeError):
        quick._lines.scan(b"", ((b"a", "s", None, None), field), b"")


def test_no_lines_are_no_rows():
    fields = ((b"", "n", bytearray(8), []), (b",", "t", bytearray(1), []))
    assert quick._lines.scan(b"", fields, b"") == (0, [False, False])
    assert quick._lines.whole(bytearray()) is None


@pytest.mark.parametrize("text", ["9" * 15, "-" + "9" * 14, "0", "-1", "1" + "0" * 14])
def test_whole_numbers_of_fifteen_signs_are_read_and_longer_ones_left_to_others(text):
    assert scanned(text) == ((float(text),), False)
    assert scanned(text.ljust(16, "0")) is None


@pytest.mark.parametrize("text", ["0.9999999999999", "-0.100000000000", "12345678.123456"])
def test_fractions_of_fifteen_signs_are_read(text):
    assert len(text) == 15
    assert scanned(text) == ((float(text),), True)


def test_memory_that_python_does_not_give_is_an_error():
    """The first allocation of a scan fails, or the second, and so on."""
    hooks = pytest.importorskip("_testcapi", reason="this Python cannot make allocations fail")
    lines, ends = b'{"y": 1, "s": 2.5, "x": "a"}\n', []
    for number in range(40):
        fields = fields_in(bytearray(4), bytearray(32))
        hooks.set_nomemory(number, number + 1)
        try:
            ends.append(quick._lines.scan(lines, fields, b"}"))
        except MemoryError:
            ends.append(MemoryError)
        finally:
            hooks.remove_mem_hooks()
    assert ends[0] is MemoryError
    assert {(1, (False, True, False)), MemoryError} == {
        (one[0], tuple(one[1])) if one is not MemoryError else one for one in ends
    }


def test_without_memory_to_write_a_number_again_it_is_left_to_others():
    hooks = pytest.importorskip("_testcapi", reason="this Python cannot make allocations fail")
    ends = set()
    for number in range(20):
        room = bytearray(8)
        fields = ((b"", "n", room, []),)
        hooks.set_nomemory(number, number + 1)
        try:
            found = quick._lines.scan(b"1e-7\n", fields, b"")
            ends.add(found and struct.unpack("d", room))
        except MemoryError:
            ends.add(MemoryError)
        finally:
            hooks.remove_mem_hooks()
    assert ends == {None, (1e-7,), MemoryError}


# ----------------------------------------------------------------------
# In the process that reads: neither NumPy nor DuckDB is loaded for it.


CODE = """
import io, json, sys
from baserate.read import quick
from baserate.read.table import ColumnRoles
out = io.BytesIO()
sent = quick.has_sent(out, sys.argv[1], ColumnRoles("y", ("s",)))
print(json.dumps([sent, len(out.getvalue()), sorted(sys.modules)]))
"""


@pytest.mark.parametrize("label", ["0", "true", '"yes"'])
def test_such_a_file_is_read_without_numpy_and_the_same(tmp_path, label):
    other = {"0": "1", "true": "false", '"yes"': '"no"'}[label]
    lines = [f'{{"y": {(label, other)[row % 2]}, "s": {row / 7}}}\n' for row in range(60_000)]
    path = written(tmp_path, "".join(lines))
    run = subprocess.run(
        [sys.executable, "-c", CODE, path], capture_output=True, text=True, check=True
    )
    sent, size, modules = json.loads(run.stdout)
    assert sent
    assert size > 9 * 60_000
    assert not {"numpy", "duckdb", "_duckdb"} & set(modules)
    labels = [json.loads((label, other)[row % 2]) for row in range(60_000)]
    expected = br.count(labels, [row / 7 for row in range(60_000)])
    counts = br.count(path, label="y", score="s")
    assert counts == expected
    assert [note.text.partition(" positive")[2] for note in counts.notes] == [
        note.text.partition(" positive")[2] for note in expected.notes
    ]


@pytest.mark.parametrize(
    "label", ["1.0", "null", '"NA"', '" "', "1e400", "9223372036854775808", '"\\ud800"']
)
def test_odd_labels_are_said_as_by_the_careful_way(tmp_path, label):
    lines = '{"y": 0, "s": 0.25}\n{"y": LABEL, "s": 0.5}\n'.replace("LABEL", label) * 40_000
    short = written(tmp_path, lines[: len(lines) // 400], "short.jsonl")

    def said(path):
        try:
            return br.count(path, label="y", score="s", missing_label="drop").prior
        except br.InputError as error:
            return error.code, error.problems[0].text.partition(" ")[0]

    assert said(written(tmp_path, lines)) == said(short)


def test_other_files_are_not_tried(tmp_path):
    array = written(tmp_path, "[" + GOOD.strip() + "]", "x.json")
    assert quick.is_possible(array, ROLES)
    assert not quick.has_sent(io.BytesIO(), array, ROLES)
    assert not quick.is_possible(str(tmp_path), ROLES)
    assert not quick.is_possible("-", ROLES)
    assert not quick.is_possible(array, ColumnRoles("y", ("s",), group="x"))
