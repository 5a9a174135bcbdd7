"""npz: plain arrays only, never pickle, and never more bytes than promised."""

import io
import pickle
import struct
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from tests.read.tables import W, assert_refused, counts_of, mutants, read_npz

import baserate as br
from baserate.read import npz

GOOD = {"y": np.array([0, 1, 0, 1]), "s": np.array([0.1, 0.4, 0.35, 0.8])}


def written(path, arrays=GOOD, save=np.savez):
    save(path, **arrays)
    return str(path)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f8", "g", "i1", ">i8", "u8", "?"])
def test_types_are_kept(tmp_path, kind):
    scores = np.array([0, 1, 0, 1], dtype=kind)
    table = read_npz(written(tmp_path / "a.npz", {**GOOD, "s": scores}), W)
    assert counts_of(table).digest == br.count(GOOD["y"], scores).digest


def test_text_and_days(tmp_path):
    days = np.array(["2026-01-01", "NaT", "2026-01-03", "2026-01-04"], "M8[D]")
    path = written(
        tmp_path / "a.npz", {**GOOD, "y": np.array(["no", "yes", "no", "yes"]), "day": days}
    )
    table = read_npz(path, replace(W, day="day"))
    assert table.columns["day"].tolist() == ["2026-01-01", None, "2026-01-03", "2026-01-04"]
    assert all(type(value) is str for value in table.columns["y"].tolist())
    assert counts_of(table).digest == br.count(["no", "yes", "no", "yes"], GOOD["s"]).digest


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle ran",))


def test_pickles_are_never_loaded(tmp_path):
    trap = np.empty(4, dtype=object)
    trap[:] = [Trap()] * 4
    path = written(tmp_path / "a.npz", {**GOOD, "s": trap})
    assert_refused(
        lambda: read_npz(path, W), "BR705", '"s" holds pickled objects, which can run code', path
    )
    with zipfile.ZipFile(path, "w") as archive:  # a pickle where an array should be
        for name in "ys":
            archive.writestr(f"{name}.npy", pickle.dumps(Trap()))
    assert_refused(lambda: read_npz(path, W), "BR703", "not a whole .npz", path)
    (tmp_path / "b.npz").write_bytes(pickle.dumps(Trap()))
    assert_refused(lambda: read_npz(str(tmp_path / "b.npz"), W), "BR705", "is a pickle")


@pytest.mark.parametrize(
    ("arrays", "code", "said"),
    [
        ({"s": np.zeros((4, 2))}, "BR219", "2 dimensions"),
        ({"s": np.float64(1)}, "BR219", "0 dimensions"),
        ({"s": np.zeros(3)}, "BR212", 'lengths differ: "y" 4, "s" 3'),
        ({"s": np.zeros(4, "M8[s]")}, "BR209", "timestamps or dates, not scores"),
        ({"s": np.zeros(4, "m8[s]")}, "BR209", "not scores"),
        ({"s": np.zeros(4, "c16")}, "BR209", "not scores"),
        ({"s": np.zeros(4, "S3")}, "BR209", "bytes"),
        ({"y": np.zeros(4, "i4,f8")}, "BR107", "not labels"),
        ({"t": np.zeros(4), "s": None}, "BR613", 'no column "s"; it has "y", "t"'),
        ({"y": np.zeros(0), "s": np.zeros(0)}, "BR602", "no rows"),
        ({"s": np.array([0.1, np.nan, 0.2, 0.3])}, "BR201", r"\(row 2\)"),
        ({"y": np.array(["no", "", "yes", "no"])}, "BR105", r"\(row 2\)"),
    ],
    ids=str,
)
def test_what_is_no_column_of_cases_is_refused(tmp_path, arrays, code, said):
    path = written(
        tmp_path / "a.npz",
        {name: array for name, array in {**GOOD, **arrays}.items() if array is not None},
    )
    assert_refused(lambda: counts_of(read_npz(path, W)), code, said, path)


def test_bombs_stop_at_what_they_promise(tmp_path):
    path = written(
        tmp_path / "a.npz",
        {"y": np.zeros(10**7, np.int8), "s": np.zeros(10**7)},
        np.savez_compressed,
    )
    assert_refused(
        lambda: npz.read_npz(path, W, most_bytes=10**7),
        "BR702",
        "would come to 90,000,256 bytes uncompressed, more than 10,000,000",
        path,
    )
    plain = written(tmp_path / "b.npz", {"y": np.arange(1000) % 2, "s": np.arange(1000.0)})
    found = npz.read_npz(plain, W, most_bytes=10)["s"]
    assert len(found) == 1000, "what is stored uncompressed is no bomb"


def test_bombs_stop_at_what_arrives(tmp_path):
    """The sizes in the directory of a zip are only claims: here they are far too small."""
    path = tmp_path / "a.npz"
    written(path, {"y": np.zeros(10**6, np.int8), "s": np.zeros(10**6)}, np.savez_compressed)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")  # the last member of the directory
    assert struct.unpack_from("<I", data, at + 24)[0] == 8 * 10**6 + 128
    struct.pack_into("<I", data, at + 24, 1128)
    path.write_bytes(data)
    assert_refused(
        lambda: npz.read_npz(str(path), W, most_bytes=10**6 + 2000), "BR703", "Bad CRC-32", path
    )


def test_a_header_that_promises_too_much_costs_no_memory(tmp_path):
    path = tmp_path / "a.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name in "ys":
            archive.writestr(f"{name}.npy", header.getvalue() + bytes(80))
    assert_refused(
        lambda: read_npz(str(path), W),
        "BR703",
        '"y" should have 8,000,000,000,000 bytes and has 80',
        path,
    )


def test_damage_is_seen_by_the_checksum(tmp_path):
    path = tmp_path / "a.npz"
    written(path)
    data = path.read_bytes()
    at = data.index(GOOD["s"].tobytes())
    path.write_bytes(data[:at] + b"\0" + data[at + 1 :])
    assert_refused(lambda: read_npz(str(path), W), "BR703", "Bad CRC-32", path)
    path.write_bytes(data[:-30])
    assert_refused(lambda: read_npz(str(path), W), "BR703", "not a zip file", path)


def test_other_compressions_and_repeated_members_are_refused(tmp_path):
    arrays = {name: io.BytesIO() for name in GOOD}
    for name, array in GOOD.items():
        np.save(arrays[name], array)
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_LZMA) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array.getvalue())
    assert_refused(
        lambda: read_npz(str(tmp_path / "a.npz"), W), "BR703", "in a way that NumPy never writes"
    )
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        for name in ("y", "s"):
            archive.writestr(f"{name}.npy", arrays[name].getvalue())
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("s.npy", arrays["s"].getvalue())
    assert_refused(
        lambda: read_npz(str(tmp_path / "b.npz"), W), "BR606", 'more than one column "s"'
    )


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_mutations_are_read_or_refused(tmp_path, save):
    rng = np.random.default_rng(0)
    path = written(
        tmp_path / "a.npz",
        {"y": np.arange(200) % 2, "s": rng.random(200), "g": np.array(["a", "b"] * 100)},
        save,
    )
    assert mutants("npz", path, 300)["refused"] > 100
