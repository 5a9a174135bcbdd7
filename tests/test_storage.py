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

import baserate as br
from baserate import atomic, storage

COUNTS = br.count([0, 1, 0, 1], [0.2, 0.7, 0.1, 0.9])


def refused(path, match, code):
    with pytest.raises(br.InputError, match=match) as caught:
        br.load(path)
    assert caught.value.code == code
    assert caught.value.problems[0].where.path == str(path)


def sealed(head, body=b""):
    """A file with a right checksum around whatever is in it."""
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    content = storage.MAGIC + len(text).to_bytes(8, "little") + text + body
    return content + hashlib.sha256(content).digest()


def cells(**facts):
    arrays = [{"name": name, "dtype": "<i8", "length": 1} for name in ("scores", "positives", "negatives")]
    return {"kind": "counts", "arrays": arrays, "facts": {"condensed": False, "notes": [], "ledger": {"rows_read": 1, "sources": []}, **facts}}


ONE = np.ones(3, "<i8").tobytes()


def test_a_file_made_by_hand_from_the_documentation_is_read(tmp_path):
    (tmp_path / "x").write_bytes(sealed(cells(), ONE))
    assert br.load(tmp_path / "x") == br.Counts([1], [1], [1])


def test_notes_and_ledger_are_saved(tmp_path):
    counts = br.count(["no", "yes"], [0.1, 0.9])
    counts.save(tmp_path / "x.counts")
    back = br.load(str(tmp_path / "x.counts"))
    assert [(note.code, note.text) for note in back.notes] == [(note.code, note.text) for note in counts.notes]
    assert back.ledger == counts.ledger


def test_every_single_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "x.counts"
    COUNTS.save(path)
    content = path.read_bytes()
    for position in range(len(content)):
        broken = bytearray(content)
        broken[position] ^= 1 << (position % 8)
        path.write_bytes(bytes(broken))
        with pytest.raises(br.InputError, match="BR71[012]"):
            br.load(path)


def test_every_truncation_is_noticed(tmp_path):
    path = tmp_path / "x.counts"
    COUNTS.save(path)
    content = path.read_bytes()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(br.InputError, match="BR71[012]"):
            br.load(path)


def test_what_is_not_ours_is_refused(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"id,y,score\n")
    refused(path, "not a file of saved counts", "BR710")
    path.write_bytes(b"baserate-counts-file-2\n" + b"\0" * 50)
    refused(path, "later version", "BR712")


def test_later_kinds_and_arrays_are_refused_not_dropped(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(sealed({**cells(), "kind": "tensors"}, ONE))
    refused(path, 'kind "tensors"', "BR712")
    head = cells()
    head["arrays"].append({"name": "positive_amounts", "dtype": "<f8", "length": 1})
    path.write_bytes(sealed(head, ONE + b"\0" * 8))
    refused(path, '"positive_amounts", which this version of baserate does not read', "BR712")


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"not json", b""),
        (b"[" * 100_000, b""),
        ({"kind": "counts"}, b""),
        ({"kind": "counts", "arrays": [{"name": "scores", "dtype": "|O", "length": 1}], "facts": {}}, ONE),
        ({"kind": "counts", "arrays": [{"name": "scores", "dtype": "<i8", "length": 10**15}], "facts": {}}, ONE),
        ({"kind": "counts", "arrays": [{"name": "scores", "dtype": "<i8", "length": -1}], "facts": {}}, ONE),
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
    with pytest.raises(br.InputError, match="BR71[12]"):
        br.load(path)


def test_joint_and_grouped_files_that_do_not_fit_together_are_refused(tmp_path):
    path = tmp_path / "x"
    ledger = {"ledger": {"rows_read": 1, "sources": []}, "notes": []}
    arrays = [{"name": name, "dtype": "<i8", "length": length} for name, length in (("scores 0", 2), ("positives", 1), ("negatives", 1))]
    path.write_bytes(sealed({"kind": "joint", "arrays": arrays, "facts": {"models": ["m"], **ledger}}, np.ones(4, "<i8").tobytes()))
    refused(path, "columns differ in length", "BR711")
    arrays = [{"name": name, "dtype": "<i8", "length": 1} for name in ("scores", "positives", "negatives", "offsets")]
    path.write_bytes(sealed({"kind": "grouped", "arrays": arrays, "facts": {"groups": ["a"], **ledger}}, np.ones(4, "<i8").tobytes()))
    refused(path, "groups do not fit", "BR711")


def test_a_head_longer_than_any_we_write_is_refused(tmp_path):
    content = storage.MAGIC + (2**40).to_bytes(8, "little")
    (tmp_path / "x").write_bytes(content + hashlib.sha256(content).digest())
    refused(tmp_path / "x", "head too long", "BR711")


def test_saving_replaces_a_link_and_leaves_its_target_alone(tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    (tmp_path / "x.counts").symlink_to(target)
    COUNTS.save(tmp_path / "x.counts")
    assert target.read_text() == "mine"
    assert br.load(tmp_path / "x.counts") == COUNTS


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
    """`kill -9` at random moments of a save: never a corrupt file, never none, and no drafts after the next save."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    script = Path(__file__).with_name("kill_save.py")
    rounds = 200
    run = subprocess.run([sys.executable, script, tmp_path, str(rounds)], capture_output=True, text=True, timeout=300, check=True)
    seen = json.loads(run.stdout)
    assert seen["kills"] == rounds
    assert seen["corrupt"] == 0
    assert seen["missing"] == 0
    assert seen["killed while a draft was open"] > 0, "the kills came too late to show anything"
    assert seen["drafts after the next save"] == 0


def test_mutated_files_are_loaded_or_refused_but_never_crash(tmp_path):
    draw = random.Random(4)
    path = tmp_path / "x"
    for made in (COUNTS, br.count_models([0, 1], {"m": [1, 2]}), br.count_groups([0, 1], [1, 2], groups=["a", "b"])):
        made.save(path)
        content = path.read_bytes()[: -storage.CHECKSUM]
        for _ in range(400):
            broken = bytearray(content)
            for _ in range(draw.randint(1, 4)):
                broken[draw.randrange(len(storage.MAGIC), len(broken))] = draw.randrange(256)
            path.write_bytes(bytes(broken) + hashlib.sha256(broken).digest())
            try:
                loaded = br.load(path)
            except br.InputError as error:
                assert error.code in {"BR711", "BR712"}
            else:
                assert loaded.digest
