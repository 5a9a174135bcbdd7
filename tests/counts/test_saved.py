"""Files of saved counts: whole or refused, whatever happened to them."""

import errno
import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.helpers import written

import baserate as br
from baserate import atomic
from baserate.counts import counts
from baserate.types import Ledger

COUNTS = br.count([0, 1, 0, 1], [0.2, 0.7, 0.1, 0.9])
THREE_CELLS = br.Counts([0.9, 0.8, 0.5], [1, 0, 1], [0, 1, 1])._cells


def assert_refused(path, match, code):
    with pytest.raises(br.InputError, match=match) as caught:
        br.load(path)
    assert caught.value.code == code
    assert caught.value.problems[0].where.path == str(path)


def sealed(head, body=b""):
    """A file with a right checksum around whatever is in it."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    content = counts.MAGIC + len(text).to_bytes(8, "little") + text + body
    return content + hashlib.sha256(content).digest()


LEDGER = {"ledger": {"sources": []}, "notes": []}


def cells(**facts):
    arrays = [
        {"name": name, "dtype": "<i8", "length": 1} for name in ("scores", "positives", "negatives")
    ]
    return {"kind": "counts", "arrays": arrays, "facts": {"condensed": False, **LEDGER, **facts}}


def made(kind, facts, **arrays):
    """A whole file from arrays by name (spaces written as underscores), with a right checksum."""
    columns = {
        name.replace("_", " "): np.asarray(
            values, dtype="<f8" if np.asarray(values).dtype.kind == "f" else "<i8"
        )
        for name, values in arrays.items()
    }
    head = {
        "kind": kind,
        "arrays": [{"name": n, "dtype": c.dtype.str, "length": len(c)} for n, c in columns.items()],
        "facts": {**LEDGER, **facts},
    }
    return sealed(head, b"".join(column.tobytes() for column in columns.values()))


ONE = np.ones(3, "<i8").tobytes()


def test_a_file_made_by_hand_from_the_documentation_is_read(tmp_path):
    (tmp_path / "x").write_bytes(sealed(cells(), ONE))
    assert br.load(tmp_path / "x") == br.Counts([1], [1], [1])


def test_notes_and_ledger_are_saved(tmp_path):
    counts = br.count(["no", "yes"], [0.1, 0.9])
    counts.save(tmp_path / "x.counts")
    back = br.load(str(tmp_path / "x.counts"))
    assert [(note.code, note.text) for note in back.notes] == [
        (note.code, note.text) for note in counts.notes
    ]
    assert back.ledger == counts.ledger


def test_condensed_counts_keep_the_thresholds_that_stay_exact(tmp_path):
    counts = br.Counts([0.9, 0.5, 0.3, 0.1], [6, 3, 0, 0], [2, 8, 30, 5]).condense([0.3])
    counts.save(tmp_path / "c")
    assert br.load(tmp_path / "c").cuts.tolist() == counts.cuts.tolist() == [0.3]


@pytest.mark.parametrize(
    "value",
    [
        br.GroupedCounts._of(("a", "b"), np.array([0, 3, 3]), THREE_CELLS, Ledger()),
        br.GroupedCounts._of((), np.array([0]), br.Counts.empty()._cells, Ledger()),
    ],
    ids=["a group without cells", "no groups"],
)
def test_counts_at_their_limits_come_back_as_they_were(value, tmp_path):
    value.save(tmp_path / "x")
    assert br.load(tmp_path / "x") == value


def test_every_single_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "x.counts"
    COUNTS.save(path)
    content = path.read_bytes()
    for position in range(len(content)):
        broken = bytearray(content)
        broken[position] ^= 1 << (position % 8)
        path.write_bytes(bytes(broken))
        with pytest.raises(br.InputError, match="BR7(03|10|12)"):
            br.load(path)


def test_every_truncation_is_noticed(tmp_path):
    path = tmp_path / "x.counts"
    COUNTS.save(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(br.InputError, match="BR7(03|10|12)"):
            br.load(path)


def test_what_is_not_ours_is_refused(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"id,y,score\n")
    assert_refused(path, "not a file of saved counts", "BR710")
    path.write_bytes(b"baserate-counts-file-2\n" + b"\0" * 50)
    assert_refused(path, "later version", "BR712")


def test_later_kinds_and_arrays_are_refused_not_dropped(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(sealed({**cells(), "kind": "tensors"}, ONE))
    assert_refused(path, 'kind "tensors"', "BR712")
    head = cells()
    head["arrays"].append({"name": "positive_amounts", "dtype": "<f8", "length": 1})
    path.write_bytes(sealed(head, ONE + b"\0" * 8))
    assert_refused(
        path, '"positive_amounts", which this version of baserate does not read', "BR712"
    )


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"not json", b""),
        (b"[" * 100_000, b""),
        ({"kind": "counts"}, b""),
        (
            {
                "kind": "counts",
                "arrays": [{"name": "scores", "dtype": "|O", "length": 1}],
                "facts": {},
            },
            ONE,
        ),
        (
            {
                "kind": "counts",
                "arrays": [{"name": "scores", "dtype": "<i8", "length": 10**15}],
                "facts": {},
            },
            ONE,
        ),
        (
            {
                "kind": "counts",
                "arrays": [{"name": "scores", "dtype": "<i8", "length": -1}],
                "facts": {},
            },
            ONE,
        ),
        (cells(), ONE + b"more"),
        ({"kind": "counts", "arrays": [], "facts": {}}, b""),
        (cells(ledger=[]), ONE),
        (cells(notes=[1]), ONE),
        (cells(), np.array([1, -1, 1], "<i8").tobytes()),
        (cells(), np.array([1, 0, 0], "<i8").tobytes()),
        ({**cells(), "kind": "grouped", "facts": {"groups": []}}, ONE),
        ({**cells(), "kind": "joint", "facts": {"models": ["m"]}}, ONE),
    ],
    ids=range(14),
)
def test_a_right_checksum_around_wrong_content_does_not_help(tmp_path, head, body):
    path = tmp_path / "x"
    path.write_bytes(sealed(head, body))
    with pytest.raises(br.InputError, match="BR7(03|12)"):
        br.load(path)


def test_joint_and_grouped_files_that_do_not_fit_together_are_refused(tmp_path):
    path = tmp_path / "x"
    ledger = {"ledger": {"rows_read": 1, "sources": []}, "notes": []}
    arrays = [
        {"name": name, "dtype": "<i8", "length": length}
        for name, length in (("scores 0", 2), ("positives", 1), ("negatives", 1))
    ]
    path.write_bytes(
        sealed(
            {"kind": "joint", "arrays": arrays, "facts": {"models": ["m"], **ledger}},
            np.ones(4, "<i8").tobytes(),
        )
    )
    assert_refused(path, "columns differ in length", "BR703")
    arrays = [
        {"name": name, "dtype": "<i8", "length": 1}
        for name in ("scores", "positives", "negatives", "offsets")
    ]
    path.write_bytes(
        sealed(
            {"kind": "grouped", "arrays": arrays, "facts": {"groups": ["a"], **ledger}},
            np.ones(4, "<i8").tobytes(),
        )
    )
    assert_refused(path, "groups do not fit", "BR703")


COARSE = {"scores": [0.6, 0.1], "positives": [1, 1], "negatives": [1, 1]}
PLAIN = {"condensed": False}


def test_bins_of_an_earlier_version_leave_a_note_only_where_they_merged_scores(tmp_path):
    for highest, notes in (
        ([0.9, 0.2], ["scores are rounded down to 2 bins: cases within a bin count as tied"]),
        (COARSE["scores"], []),
    ):
        path = tmp_path / "bins.counts"
        path.write_bytes(made("counts", PLAIN, **COARSE, edges=[0.5], highs=highest))
        binned = br.load(path)
        assert binned == br.Counts(**COARSE)
        assert [note.text for note in binned.notes if note.code == "BR946"] == notes


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (made("counts", PLAIN, **COARSE, edges=[0.5], highs=[0.0]), "do not fit the cells"),
        (made("counts", PLAIN, **COARSE, edges=[0.5], highs=[0.5, 0.1]), "do not fit the cells"),
        (made("counts", PLAIN, **COARSE, edges=[0.5], highs=[np.nan, 0.1]), "do not fit the cells"),
        (made("counts", PLAIN, **COARSE, edges=[0.5], highs=[0.9, 0.7]), "do not fit the edges"),
        (made("counts", PLAIN, **COARSE, edges=[0.05], highs=[0.9, 0.2]), "do not fit the edges"),
        (made("counts", PLAIN, **COARSE, highs=[0.9, 0.2]), "edges"),
        (
            made("counts", {"condensed": True}, **COARSE, edges=[0.5], highs=[0.9, 0.2]),
            "do not fit the cells",
        ),
        (made("counts", {"condensed": "no"}, **COARSE), "neither true nor false"),
        (
            made("counts", PLAIN, scores=[0.1, 0.6], positives=[1, 1], negatives=[1, 1]),
            "canonical form",
        ),
        (
            made(
                "counts", {"condensed": True}, scores=[0.6, 0.1], positives=[0, 0], negatives=[1, 1]
            ),
            "canonical form",
        ),
        (
            made(
                "counts",
                {"condensed": True},
                scores=[0.6, 0.1],
                positives=[1, 1],
                negatives=[1, 1],
                cuts=[0.5, 0.2],
            ),
            "cuts do not fit",
        ),
        (
            made(
                "counts",
                {"condensed": True},
                scores=[0.6, 0.1],
                positives=[1, 1],
                negatives=[1, 1],
                cuts=[0.2, 0.2],
            ),
            "cuts do not fit",
        ),
        (
            made(
                "counts",
                {"condensed": False},
                scores=[0.6, 0.1],
                positives=[1, 1],
                negatives=[1, 1],
                cuts=[0.2, 0.5],
            ),
            "cuts do not fit",
        ),
        (
            made("counts", {**PLAIN, "ledger": {"rows_read": "x", "sources": []}}, **COARSE),
            "numbers of rows",
        ),
        (
            made(
                "counts",
                {**PLAIN, "ledger": {"rows_read": 1, "sources": [], "design": "odd"}},
                **COARSE,
            ),
            "unknown design",
        ),
        (
            made(
                "grouped",
                {"groups": list("abcd")},
                scores=np.empty(0),
                positives=[],
                negatives=[],
                offsets=[0, 2**62, -(2**63), -(2**62), 0],
            ),
            "groups do not fit",
        ),
        (
            made(
                "grouped",
                {"groups": list("abc")},
                scores=[0.9, 0.5],
                positives=[1, 0],
                negatives=[0, 1],
                offsets=[0, 2, 1, 2],
            ),
            "groups do not fit",
        ),
        (
            made(
                "grouped",
                {"groups": ["a"]},
                scores=[0.9, 0.5],
                positives=[2, -1],
                negatives=[0, 2],
                offsets=[0, 2],
            ),
            "negative",
        ),
        (
            made(
                "grouped",
                {"groups": ["a", "a"]},
                scores=[0.5],
                positives=[1],
                negatives=[1],
                offsets=[0, 1, 1],
            ),
            "different names",
        ),
        (
            made(
                "grouped",
                {"groups": [["a"]]},
                scores=[0.5],
                positives=[1],
                negatives=[1],
                offsets=[0, 1],
            ),
            "different names",
        ),
        (
            made("joint", {"models": []}, positives=[np.nan, 1.0], negatives=[1.0, 1.0]),
            "models and columns",
        ),
        (
            made(
                "joint",
                {"models": ["a", "a"]},
                scores_0=[1],
                scores_1=[1],
                positives=[1],
                negatives=[1],
            ),
            "models and columns",
        ),
        (
            made(
                "joint", {"models": ["a"]}, scores_0=[1], scores_9=[1], positives=[1], negatives=[1]
            ),
            "models and columns",
        ),
        (made("joint", {"models": ["a"]}, scores_0=[1], positives=[-1], negatives=[1]), "BR222"),
    ],
    ids=range(24),
)
def test_what_cannot_have_been_counted_is_refused_whatever_its_checksum(tmp_path, content, match):
    (tmp_path / "x").write_bytes(content)
    assert_refused(tmp_path / "x", match, "BR703")


def test_a_ledger_of_strange_sources_is_refused(tmp_path):
    source = {
        "path": 1,
        "sha256": "",
        "rows_read": 1,
        "rows_used": 1,
        "rows_refused": 0,
        "label": "y",
        "positive": "1",
    }
    (tmp_path / "x").write_bytes(
        made("counts", {**PLAIN, "ledger": {"rows_read": 1, "sources": [source]}}, **COARSE)
    )
    assert_refused(tmp_path / "x", "does not hold sources", "BR703")


@pytest.mark.parametrize("length", [-1, 1001, 2**70, 1e400, 1.0, True, "1", None], ids=str)
def test_lengths_that_do_not_fit_the_file_are_refused_before_anything_is_copied(tmp_path, length):
    head = {
        "kind": "counts",
        "arrays": [{"name": f"a{i}", "dtype": "<f8", "length": length} for i in range(400)],
        "facts": {},
    }
    (tmp_path / "x").write_bytes(sealed(head, bytes(8000)))
    assert_refused(tmp_path / "x", "an array does not fit the file", "BR703")


def test_two_arrays_of_one_name_are_refused(tmp_path):
    entry = {"name": "scores", "dtype": "<f8", "length": 1}
    head = {"kind": "counts", "arrays": [entry, entry], "facts": {}}
    (tmp_path / "x").write_bytes(sealed(head, bytes(16)))
    assert_refused(tmp_path / "x", "an array does not fit the file", "BR703")


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        assert_refused(path, "not a regular file", "BR615")


def test_notes_from_a_file_cannot_steer_a_terminal(tmp_path):
    note = {
        "code": "BR101",
        "text": "\x1b[2Jgone\n",
        "override": {"python": "\x1b", "command": "\x1b"},
    }
    (tmp_path / "x").write_bytes(made("counts", {**PLAIN, "notes": [note]}, **COARSE))
    assert str(br.load(tmp_path / "x").notes[0]) == "BR101: \\x1b[2Jgone\\n. Override: \\x1b"


@pytest.mark.parametrize(
    ("text", "missing"),
    [("2 of 6 labels are missing: left out", True), ("2 of 6 labels: taken for 0", False)],
)
def test_files_whose_notes_have_no_values_still_say_that_labels_are_missing(
    tmp_path, text, missing
):
    note = {"code": "BR105", "text": text, "override": None}
    (tmp_path / "x").write_bytes(made("counts", {**PLAIN, "notes": [note]}, **COARSE))
    assert br.load(tmp_path / "x").labels_missing is missing


def test_notes_come_back_with_their_override(tmp_path):
    counts = br.count(["no", "yes"], [0.1, 0.9])
    counts.save(tmp_path / "x")
    assert br.load(tmp_path / "x").notes == counts.notes


def test_a_head_longer_than_any_we_write_is_refused(tmp_path):
    content = counts.MAGIC + (2**40).to_bytes(8, "little")
    (tmp_path / "x").write_bytes(content + hashlib.sha256(content).digest())
    assert_refused(tmp_path / "x", "head too long", "BR703")


def test_saving_replaces_a_link_and_leaves_its_target_alone(tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    (tmp_path / "x.counts").symlink_to(target)
    COUNTS.save(tmp_path / "x.counts")
    assert target.read_text() == "mine"
    assert br.load(tmp_path / "x.counts") == COUNTS


def test_saving_keeps_the_mode_of_a_private_file(tmp_path):
    COUNTS.save(tmp_path / "x.counts")
    (tmp_path / "x.counts").chmod(0o600)
    (COUNTS + COUNTS).save(tmp_path / "x.counts")
    assert (tmp_path / "x.counts").stat().st_mode & 0o777 == 0o600


def test_saving_over_a_pipe_or_a_folder_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(OSError, match="Not a regular file"):
            COUNTS.save(path)


def test_the_sweep_takes_drafts_of_ours_only(tmp_path):
    mine = tmp_path / ".x.counts.my notes.draft"
    mine.write_text("precious")
    os.mkfifo(tmp_path / f".x.counts.{'0' * 16}.draft")
    left = tmp_path / f".x.counts.{'1' * 16}.draft"
    left.write_text("of a killed writer")
    COUNTS.save(tmp_path / "x.counts")
    assert mine.read_text() == "precious"
    assert not left.exists()


def test_names_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("n" * 250)
    COUNTS.save(path)
    assert br.load(path) == COUNTS


def test_a_folder_that_is_not_there_is_an_ordinary_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="No such file"):
        COUNTS.save(tmp_path / "nowhere" / "x.counts")


def test_a_full_disk_keeps_the_old_file_and_leaves_no_draft(tmp_path, monkeypatch):
    path = tmp_path / "x.counts"
    COUNTS.save(path)
    before = path.read_bytes()

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        (COUNTS + COUNTS).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["x.counts"]


def test_a_draft_swept_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    swept = []
    lock = atomic.fcntl.flock

    def slow(descriptor, kind):
        if not swept:
            swept.extend(p.unlink() or p for p in tmp_path.glob(".*.draft"))
        return lock(descriptor, kind)

    monkeypatch.setattr(atomic.fcntl, "flock", slow)
    COUNTS.save(tmp_path / "x.counts")
    assert len(swept) == 1
    assert br.load(tmp_path / "x.counts") == COUNTS


def test_a_writer_without_locks_still_writes_atomically(tmp_path, monkeypatch):
    """As on Windows, where drafts of killed writers stay."""
    monkeypatch.setattr(atomic, "fcntl", None)
    COUNTS.save(tmp_path / "x.counts")
    assert br.load(tmp_path / "x.counts") == COUNTS
    assert [p.name for p in tmp_path.iterdir()] == ["x.counts"]


def test_two_hundred_kills_leave_the_old_file_or_the_new_one(tmp_path):
    """`kill -9` at random moments of a save: never a corrupt file, never none, and no drafts after
    the next save.
    """
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    script = Path(__file__).with_name("kill_save.py")
    rounds = 200
    run = subprocess.run(
        [sys.executable, script, tmp_path, str(rounds)],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    seen = json.loads(run.stdout)
    assert seen["kills"] == rounds
    assert seen["corrupt"] == 0
    assert seen["missing"] == 0
    assert seen["killed while a draft was open"] > 0, "the kills came too late to show anything"
    assert seen["drafts after the next save"] == 0


def test_mutated_files_are_loaded_or_refused_but_never_crash(tmp_path):
    draw = random.Random(4)
    path = tmp_path / "x"
    for value in (
        COUNTS,
        COUNTS.condense(),
        br.count([0, 1], {"m": [1, 2]}),
        br.count([0, 1], [1, 2], by=["a", "b"]),
    ):
        value.save(path)
        content = path.read_bytes()[: -counts.CHECKSUM]
        for _ in range(400):
            broken = bytearray(content)
            for _ in range(draw.randint(1, 4)):
                broken[draw.randrange(len(counts.MAGIC), len(broken))] = draw.randrange(256)
            path.write_bytes(bytes(broken) + hashlib.sha256(broken).digest())
            try:
                loaded = br.load(path)
            except br.InputError as error:
                assert error.code in {"BR703", "BR712"}
            else:
                assert loaded.digest


@pytest.mark.parametrize("corrected", ["abc", 7, ["1/100"]])
def test_a_correction_that_nobody_made_is_refused(tmp_path, corrected):
    br.count([0, 1], [0.1, 0.9]).save(tmp_path / "a.counts")
    saved = counts.read(tmp_path / "a.counts")
    saved.facts["ledger"]["corrected"] = corrected
    counts.write(tmp_path / "b.counts", saved)
    with pytest.raises(br.InputError, match="BR703"):
        br.load(tmp_path / "b.counts")


HEADER, ROWS = ("y", "m"), [(0, 0.1), (1, 0.9), (0, 0.4), (1, 0.3)]


@pytest.mark.parametrize(
    ("field", "value"),
    [("rows_read", 9), ("rows_read", -7), ("rows_used", "abc"), ("weight", ["w"])],
)
def test_a_ledger_that_does_not_add_up_is_refused(tmp_path, field, value):
    br.count(written(tmp_path / "a.csv", HEADER, ROWS), label="y", score="m").save(
        tmp_path / "a.counts"
    )
    saved = counts.read(tmp_path / "a.counts")
    saved.facts["ledger"]["sources"][0][field] = value
    counts.write(tmp_path / "b.counts", saved)
    with pytest.raises(br.InputError, match="BR703"):
        br.load(tmp_path / "b.counts")


@pytest.mark.parametrize("rows", [{"rows_read": 2**63}, {"rows_used": 1, "rows_refused": 3}])
def test_a_ledger_that_contradicts_the_cells_is_refused(tmp_path, rows):
    for value in (
        br.count([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3]),
        br.count([0, 1, 0, 1], {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}),
        br.count([0, 1, 0, 1], [1, 2, 3, 4], by=[1, 1, 2, 2]),
    ):
        value.save(tmp_path / "a.counts")
        saved = counts.read(tmp_path / "a.counts")
        saved.facts["ledger"] |= rows
        counts.write(tmp_path / "b.counts", saved)
        with pytest.raises(br.InputError, match="the ledger does not fit the cells"):
            br.load(tmp_path / "b.counts")
