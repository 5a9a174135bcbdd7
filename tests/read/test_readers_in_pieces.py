"""One process describes a Parquet file and hands its pieces over, as often as it is asked; what
becomes of it is told in one line.
"""

import os
import signal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.read.test_large_files import count, made, tight, written

import baserate as br
from baserate.read import large, source
from baserate.read.source import Options
from baserate.read.table import LEAST, ColumnRoles

__all__ = ["tight"]  # a fixture


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1],
        [True, False],
        [-1, 0],
        [3, 4],
        [1, 1],
        [2, None, 3],
        [False, None],
        [5, 7],
        [1.0, 0.0],
        ["n", "y"],
    ],
)
def test_labels_are_counted_alike_whether_sums_tell_them_or_groups(tmp_path, labels):
    path = str(tmp_path / "x.parquet")
    values = [labels[place % len(labels)] for place in (0, 1, 2, 0, 0)]
    parquet.write_table(pa.table({"y": values, "s": np.arange(5.0)}), path)
    with large.described(
        [path], path, ColumnRoles("y", ("s",)), Options.of({"memory": LEAST})
    ) as reader:
        assert dict(reader.found[0].labels) == {value: values.count(value) for value in values}
        assert all(
            type(found) is type(value)
            for found in reader.found[0].labels
            for value in values
            if found == value
        )


def test_one_process_describes_and_reads_however_often(tmp_path, tight, monkeypatch):
    begun = []
    started = source._Reader
    monkeypatch.setattr(source, "_Reader", lambda folder: begun.append(folder) or started(folder))
    labels, scores = made()
    path = written(tmp_path / "x.parquet", labels, scores, other=scores[::-1])
    assert count(path).condensed
    assert len(begun) == 1


def test_a_reader_that_is_killed_between_two_pieces_is_told_in_one_line(
    tmp_path, tight, monkeypatch
):
    labels, scores = made()
    path = written(tmp_path / "x.parquet", labels, scores)
    started, readers, answers = source._Reader, [], large.Reader.answers
    monkeypatch.setattr(
        source, "_Reader", lambda folder: readers.append(started(folder)) or readers[-1]
    )

    def killed(self, asked):
        for number, answer in enumerate(answers(self, asked)):
            yield answer
            if number == 1:
                os.kill(readers[0].process.pid, signal.SIGKILL)

    monkeypatch.setattr(large.Reader, "answers", killed)
    with pytest.raises(
        br.InputError,
        match=(
            "BR707: .*the reader crashed on this file .SIGKILL; out of memory.*; nothing was"
            " counted"
        ),
    ):
        count(path)
