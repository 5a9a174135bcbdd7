"""What merged scores leave open: the words for it, and which edges may hide a threshold."""

import numpy as np
import pytest

import baserate as br
from baserate.counts.points import Points
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import Hidden, bins_note, curve_note, may_lie
from baserate.measures.confusion import parse
from baserate.numbers import Bounds

# Two positives above and below a run of four negatives.
RUN = br.count([1, 0, 0, 0, 0, 1, 0], [7, 6, 5, 4, 3, 2, 1])


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ((0.25, 0.5), "0.25 and 0.5"),
        ((0.12341, 0.12349), "0.1234 and 0.1235"),
        ((0.123451, 0.123459), "0.12345 and 0.12346"),
        ((0.125, np.nextafter(0.125, 1)), "0.125 and 0.12500000000000003"),
        ((1 / 3, 1 / 3), "0.3333 and 0.3333"),
    ],
)
def test_bounds_are_told_in_as_many_digits_as_tell_them_apart(bounds, said):
    note = bins_note("tpr", Bounds(*bounds))
    assert note.code == "BR232"
    assert note.text.endswith(f"with every score kept, tpr lies between {said}")


def test_where_a_hidden_threshold_may_lie():
    points = Points.of(br.count([0, 0, 1, 0], [4, 3, 2, 1]).condense())
    assert points.merged.tolist() == [True, False, False]
    assert "a threshold from 3 up may do" in str(may_lie(points, np.array([0]), "may do"))
    points = Points.of(RUN.condense())
    (edge,) = Hidden(points).edges
    assert "a threshold between 3 and 7 may do" in str(may_lie(points, np.array([edge]), "may do"))


def test_a_measure_lies_within_what_hidden_thresholds_have():
    """Inside the run one positive and 1, 2 or 3 of the negatives are flagged."""
    hidden, at = Hidden(Points.of(RUN.condense())), br.Conditions()
    assert len(hidden) == 1
    for name, low, high in (
        ("fpr", 1 / 5, 3 / 5),
        ("precision", 1 / 4, 1 / 2),
        ("tpr", 1 / 2, 1 / 2),
        ("posfrac", 2 / 7, 4 / 7),
    ):
        found = hidden.span(parse(name), at)
        assert [float(end[0]) for end in found] == pytest.approx([low, high], rel=1e-15)
    for rule, kept in (
        ("fpr >= 0.6", True),
        ("fpr >= 0.6000001", False),
        ("fpr <= 0.2", True),
        ("fpr <= 0.1999999", False),
        ("fpr <= 0.2 and precision >= 0.5", True),
        ("fpr <= 0.2 and precision >= 0.5000001", False),
    ):
        assert hidden.may_keep(parse_rule(rule).terms, at).tolist() == [kept]


def test_a_tie_of_both_classes_that_bins_merged_hides_more():
    """A bin of 2 positives and 2 negatives: any outcomes but those of its ends."""
    counts = br.count([1, 0, 1, 0, 0], [5, 4, 3, 2, 1]).coarsen([1.5])
    hidden = Hidden(Points.of(counts))
    assert len(hidden) == 1
    low, high = (float(end[0]) for end in hidden.span(parse("precision"), br.Conditions()))
    assert (low, high) == (0, 1)
    low, high = (float(end[0]) for end in hidden.span(parse("posfrac"), br.Conditions()))
    assert (low, high) == pytest.approx((1 / 5, 3 / 5))


def test_counts_that_keep_every_score_hide_nothing():
    points = Points.of(RUN)
    assert len(Hidden(points)) == 0
    assert curve_note(points) == curve_note(points, every=True) == ()


def test_a_curve_says_which_of_its_points_are_not_known():
    condensed, coarse = Points.of(RUN.condense()), Points.of(RUN.coarsen([3.5]))
    assert curve_note(condensed) == ()
    (note,) = curve_note(condensed, every=True)
    assert note.text.startswith("runs of negatives were counted together")
    for every in (False, True):
        (note,) = curve_note(coarse, every=every)
        assert note.text.endswith("what the curve does between two points is not known")
        (note,) = curve_note(coarse, every=every, hull=True)
        assert note.text.endswith("with every score kept, this curve may be better")
