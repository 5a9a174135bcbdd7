"""What counts say of themselves: missing labels, how far merged scores can be off, no rows."""

from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.counts.points import Points


@pytest.mark.parametrize(("treatment", "missing"), [("drop", True), ("negative", False)])
def test_labels_are_missing_where_cases_were_left_out_not_where_they_were_given_a_label(
    treatment, missing, tmp_path
):
    (tmp_path / "s.csv").write_text("y,s\n1,0.9\n0,0.2\n,0.3\n1,0.4\n")
    counts = br.count(str(tmp_path / "s.csv"), label="y", score="s", missing_label=treatment)
    assert any(note.code == "BR105" for note in counts.notes)
    assert counts.labels_missing is missing


@pytest.mark.parametrize("weighted", [False, True])
def test_the_bound_on_auc_leaves_room_for_the_last_place_of_two_values(weighted):
    """Two AUC of about 1, each rounded, can differ by a unit in the last place more than the exact
    ones; sums of weights by more.
    """
    scores = np.arange(200) / 256
    labels = (np.arange(200) >= 100).astype(int)
    labels[3] = 1
    weights = np.where(labels == 1, 1.0, 3.0) if weighted else None
    merged = br.count(labels, scores, sample_weight=weights).coarsen(20)
    assert merged.coarse
    together = merged.bins.highs > merged.scores
    pairs = sum(
        Fraction(float(p)) * Fraction(float(n))
        for p, n in zip(merged.positives[together], merged.negatives[together], strict=True)
    )
    whole = Fraction(float(merged.total_positives)) * Fraction(float(merged.total_negatives))
    exact, room = pairs / whole / 2, Fraction(1, 2**46 if weighted else 2**52)
    assert exact > 0
    assert exact + room <= Fraction(merged.auc_error_bound) <= exact + room + Fraction(1, 10**11)
    off = abs(br.auc(merged) - br.auc(br.count(labels, scores, sample_weight=weights)))
    assert off <= merged.auc_error_bound


def test_no_rows_are_one_point_that_flags_nothing():
    for counts in (br.count([], []), br.count([], [], sample_weight=[])):
        points = Points.of(counts)
        cells = [list(map(float, cell)) for cell in (points.tp, points.fp, points.fn, points.tn)]
        assert cells == [[0.0]] * 4
