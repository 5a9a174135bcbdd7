"""Small versions of two campaigns (benchmarks/README.md has the full ones): damaged files of every
format, and odd text files.
"""

import random

import pytest
from benchmarks.conserve_rows import conserve
from benchmarks.fuzz_inputs import campaign
from benchmarks.fuzzing import mutations, naive_counts, naive_sqlite, naive_text, seeds
from benchmarks.fuzzing.naive_text import Broken


def test_damaged_files_are_read_rightly_or_refused_in_one_line(tmp_path):
    found = campaign(tmp_path, files=30 * len(seeds.FORMATS), seed=20261115, public=0.05)
    assert not found.wrong
    assert found.failures == 0
    for name in seeds.FORMATS:
        assert found.seen[name, "files"] == 30
        assert found.seen[name, "refused"] > 5, name
    assert sum(found.seen[name, "agrees"] for name in seeds.FORMATS) > 60


def test_a_mutant_is_made_again_from_its_seed(tmp_path):
    whole = seeds.all_seeds(("csv", "jsonl", "csv.gz"))
    made = [
        [mutations.mutant(whole, seed, random.Random(f"7/{i}")) for i in range(20)]
        for seed in whole
    ]
    assert made == [
        [mutations.mutant(whole, seed, random.Random(f"7/{i}")) for i in range(20)]
        for seed in whole
    ]
    assert all(
        data != seed.data for seed, mutants in zip(whole, made, strict=True) for data in mutants
    )


@pytest.mark.usefixtures("here")
def test_every_row_of_odd_text_files_is_accounted_for(tmp_path):
    found = conserve(300, 20261115, tmp_path)
    assert not found.wrong
    assert found.seen["files counted"] > 200
    assert found.seen["rows read"] == found.seen["rows used"] + found.seen["rows refused"]
    assert found.seen["rows refused"] > 30


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a\r\n\r\nb\r\r", [["a"], [], ["b"]]),
        ('"a\r\nb","c""d"\n""\n', [["a\r\nb", 'c"d'], [""]]),
        ('a"b,\n', [['a"b', ""]]),
    ],
)
def test_the_naive_reader_keeps_to_rfc_4180(text, expected):
    assert naive_text.records(text, ",") == expected


@pytest.mark.parametrize("text", ['"a', '"a"b', 'x,"a" ,'])
def test_the_naive_reader_does_not_read_broken_quotes(text):
    with pytest.raises(Broken, match="quote"):
        naive_text.records(text, ",")


def test_the_naive_reader_of_json_reads_what_is_json():
    text = '{"a": [1, -2.5e3, true, null], "b": {"c": "\\u00e9\\n\\ud83d\\ude00"}}'
    assert naive_text.json_value(text) == {
        "a": ["1", "-2.5e3", True, None],
        "b": {"c": "\u00e9\n\U0001f600"},
    }
    for broken in (
        '{"a": 01}',
        '{"a": 1,}',
        '{"a": 1, "a": 2}',
        '{"a"}',
        "[1",
        '"\\x"',
        "1.",
        "tru",
        "{} {}",
    ):
        with pytest.raises(Broken, match="zero|no |twice|unknown|behind"):
            naive_text.json_value(broken)


def test_the_naive_counts_are_those_of_the_definition():
    assert naive_counts.cells(["no", "yes", "no"], ["0.5", "1e0", "5e-1"]) == (
        (1.0, 1, 0),
        (0.5, 0, 2),
    )
    assert naive_counts.cells(["0", "1"], ["0.1", "0.10000000000000001"]) == ((0.1, 1, 1),)
    for labels, scores in (
        (["0", "2"], ["1", "2"]),
        (["0", "1"], ["0.5", str(2**62 + 1)]),
        (["0", "1"], ["1", "1e400"]),
    ):
        with pytest.raises(Broken, match="unknown meaning|no float holds|beyond"):
            naive_counts.cells(labels, scores)


def test_the_naive_reader_of_sqlite_reads_what_was_written():
    for seed in seeds.all_seeds(("sqlite",)):
        rows = seeds.rows(9, 200 if seed.name.startswith("long") else seeds.ROWS)
        assert naive_sqlite.table(seed.data, "t") == dict(
            zip(("id", "y", "s", "g"), map(list, zip(*rows, strict=True)), strict=True)
        )
