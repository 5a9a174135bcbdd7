"""What counts say of themselves: missing labels, how far merged scores can be off, no rows."""

import pytest

import baserate as br
from baserate import Points


@pytest.mark.parametrize(("treatment", "missing"), [("drop", True), ("negative", False)])
def test_labels_are_missing_where_cases_were_left_out_not_where_they_were_given_a_label(
    treatment, missing, tmp_path
):
    (tmp_path / "s.csv").write_text("y,s\n1,0.9\n0,0.2\n,0.3\n1,0.4\n")
    counts = br.count(str(tmp_path / "s.csv"), label="y", score="s", missing_label=treatment)
    assert any(note.code == "BR105" for note in counts.notes)
    assert counts.labels_missing is missing


def test_no_rows_are_one_point_that_flags_nothing():
    for counts in (br.count([], []), br.count([], [], sample_weight=[])):
        points = Points.of(counts)
        cells = [list(map(float, cell)) for cell in (points.tp, points.fp, points.fn, points.tn)]
        assert cells == [[0.0]] * 4
