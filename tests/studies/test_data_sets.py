"""Data sets of studies that are damaged, missing or not the ones meant are refused in one line, or
leave their claims not reproducible: no number comes from shifted cells.
"""

import gzip
import json
import zlib

import numpy as np
import pytest
from tests.cli.helpers import told
from tests.inference.refusals import assert_refused

from baserate_studies import study
from baserate_studies.cardenas import detections, traffic
from baserate_studies.uci import load_uci
from baserate_studies.weng.standins import at_hand

TYPES = {
    "x": {"type": "numeric"},
    "z": {"type": "numeric"},
    "class": {"type": "nominal", "values": ["1", "2"]},
}
SIDECAR = {"types": TYPES, "class_counts": {"1": 2, "2": 1}, "missing_cells": 0}
TABLE = "x,z,class\n1,5,1\n7,1,1\n3,4,2\n"


def written(folder, name="set", table=TABLE, sidecar=SIDECAR):
    (folder / f"{name}.csv").write_bytes(table if isinstance(table, bytes) else table.encode())
    (folder / f"{name}.json").write_text(
        sidecar if isinstance(sidecar, str) else json.dumps(sidecar)
    )
    return folder


def test_a_set_that_fits_is_read(tmp_path):
    found = load_uci("set", written(tmp_path))
    assert found.x.tolist() == [[1, 5], [7, 1], [3, 4]]
    assert found.classes.tolist() == ["1", "1", "2"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("x,z,class\n1,5,1\n7,1\n3,4,2\n", r"a row has 2 cells, not 3 \(line 3\)"),
        ("x,z,class\n1,5,1\n7,9,999,1\n3,4,2\n", r"a row has 4 cells, not 3 \(line 3\)"),
        ("x,z,class\n1,5,1\n\n7,1,1\n3,4,2\n", r"a row has 0 cells, not 3 \(line 3\)"),
        (TABLE.replace("7", "inf"), 'column "x" holds "inf", which its sidecar does not know'),
        (TABLE.replace("7", "1e999"), 'column "x" holds "1e999"'),
        (TABLE.replace("7", "nan"), 'column "x" holds "nan"'),
        ("", "it has no cases"),
        ("x,z,class\n", "it has no cases"),
        (b"x,z,class\n\xff,5,1\n", "it is no CSV: 'utf-8' codec can't decode byte 0xff"),
        (
            TABLE.replace("7", "7" * 200_000),
            r"it is no CSV: field larger than field limit \(131072\)",
        ),
    ],
)
def test_a_damaged_table_is_refused(tmp_path, table, words):
    assert_refused(
        "BR923", rf"set\.csv: {words}", lambda: load_uci("set", written(tmp_path, table=table))
    )


@pytest.mark.parametrize(
    ("sidecar", "words"),
    [
        ("{", "it is no JSON: Expecting property name"),
        ("[" * 100_000, "it is no JSON: maximum recursion depth exceeded"),
        ([], "it does not say the types of all columns"),
        ({}, "it does not say the types of all columns"),
        ({**SIDECAR, "types": {"x": 1, "class": 2}}, "it does not say the types of all columns"),
        (
            {**SIDECAR, "types": {"x": {"values": [1]}, "class": {}}},
            "it does not say the types of all columns",
        ),
        ({**SIDECAR, "class_counts": None}, "it does not say the types of all columns"),
        ({**SIDECAR, "missing_cells": "0"}, "it does not say the types of all columns"),
        ({**SIDECAR, "types": {"class": {}}}, "its columns are not attributes, with class last"),
    ],
)
def test_a_damaged_sidecar_is_refused(tmp_path, sidecar, words):
    assert_refused(
        "BR923", rf"set\.json: {words}", lambda: load_uci("set", written(tmp_path, sidecar=sidecar))
    )


def test_the_command_says_so_in_one_line(capsys, tmp_path):
    found = told(capsys, "study", "weng", "--data", written(tmp_path, "anneal", sidecar="{}"))
    assert found.status == 2
    assert "error BR923" in found.err.splitlines()[-1]


def test_another_set_under_the_name_is_not_studied(tmp_path):
    assert_refused(
        "BR924",
        r"anneal\.csv: it is not the set that is needed",
        lambda: at_hand("anneal", str(written(tmp_path, "anneal"))),
    )


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_folder_that_is_none_is_refused_before_anything_is_made(capsys, tmp_path, name):
    (tmp_path / "file").write_text("")
    found = told(capsys, "study", "all", "--data", tmp_path / name, "-o", tmp_path / "made")
    assert found.status == 2
    (line,) = found.err.splitlines()
    assert line.startswith("error BR600: ")
    assert line.endswith("folder. Fix: check the path, or leave it out.")
    assert not (tmp_path / "made").exists()
    assert_refused("BR600", "folder", lambda: study("slides", data=str(tmp_path / name)))


# ---- traffic ----------------------------------------------------------------------------------


def mail(cell="0.5", header="a,b,class"):
    """As many rows and attacks as KDD SMTP has; one cell is given."""
    rows, attacks = traffic.SIZES[traffic.SMTP]
    lines = [f"{place % 7},{place % 5},{int(place < attacks)}" for place in range(rows)]
    lines[100] = f"{cell},1,0"
    return "\n".join([header, *lines, ""]).encode()


def reason(folder, content):
    (folder / traffic.SMTP).write_bytes(content)
    seen = traffic.smtp(str(folder))
    assert {claim.verdict for claim in detections.claims(seen)} == {"not_reproducible"}
    return seen.reason


@pytest.mark.parametrize("cell", ["x", "nan", "inf", ""])
def test_a_cell_that_is_no_number_makes_no_claim_reproducible(tmp_path, cell):
    found = reason(tmp_path, gzip.compress(mail(cell), 1))
    assert (
        found == 'kdd_smtp.csv.gz is damaged: column "a" holds something that is no finite number'
    )


def test_flipped_bytes_make_no_claim_reproducible(tmp_path):
    whole = bytearray(gzip.compress(mail(), 1))
    whole[10] = 0b111  # behind the header of gzip: a last block, of a kind that there is not
    with pytest.raises(zlib.error, match="while decompressing"):
        gzip.decompress(bytes(whole))
    assert reason(tmp_path, bytes(whole)).startswith(
        "kdd_smtp.csv.gz cannot be read: Error -3 while decompressing"
    )


def test_files_of_other_columns_are_others(tmp_path):
    assert "its columns are not those of the traffic" in reason(
        tmp_path, gzip.compress(mail(header="flag,service,class"), 1)
    )


def test_nsl_kdd_needs_its_nominal_columns_and_the_same_in_both_files(tmp_path):
    header = ["duration", *traffic.NOMINAL, "class"]
    for names, words in (
        (("duration", "class"), "its columns are not those"),
        ((*header[:-1], "more", "class"), "have different columns"),
    ):
        for file, columns in ((traffic.TRAIN, header), (traffic.TEST, names)):
            rows, attacks = traffic.SIZES[file]
            lines = [
                ",".join(["1"] * (len(columns) - 1) + [str(int(place < attacks))])
                for place in range(rows)
            ]
            (tmp_path / file).write_bytes(
                gzip.compress("\n".join([",".join(columns), *lines, ""]).encode(), 1)
            )
        assert words in traffic.nsl_kdd(str(tmp_path)).reason


def test_numbers_of_a_table_are_as_written():
    table = traffic.Table(["a", "flag", "class"], [["1e3", "SF", "0"], ["-0.5", "REJ", "1"]])
    assert table.numeric == ["a"]
    assert np.array_equal(table.numbers(table.numeric), [[1000], [-0.5]])
