"""What merged scores leave open: the words for it, and which edges may hide a threshold."""

import numpy as np
import pytest

import baserate as br
from baserate import Points
from baserate.decisions.choose import Thresholds, keep_terms
from baserate.decisions.merged import (
    Hidden,
    curve_note,
    may_lie,
    refuse_hidden,
    refuse_infeasible,
)
from baserate.decisions.rules import parse_rule
from baserate.measures.confusion import parse

# Two positives above and below a run of four negatives.
RUN = br.count([1, 0, 0, 0, 0, 1, 0], [7, 6, 5, 4, 3, 2, 1])


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


def test_counts_that_keep_every_score_hide_nothing():
    points = Points.of(RUN)
    assert len(Hidden(points)) == 0
    assert curve_note(points) == ()


def test_a_curve_says_which_of_its_points_are_not_known():
    (note,) = curve_note(Points.of(RUN.condense()))
    assert note.text.startswith("runs of negatives were counted together")


@pytest.mark.parametrize(
    ("rule", "hidden"),
    [
        ("fpr >= 0.3", True),  # the run begins at an fpr of 0, which does not satisfy it
        ("fpr <= 0.3", False),  # its beginning does, and is better than what is inside
        ("fpr >= 0.7", False),
        ("fpr >= 0.3 and precision >= 0.4", True),
        ("fpr >= 0.3 and precision >= 0.6", False),
    ],
)
def test_a_run_hides_a_threshold_only_where_its_beginning_does_not_satisfy_the_rule(rule, hidden):
    points, at = Points.of(RUN.condense()), br.Conditions()
    terms = parse_rule(rule).terms
    kept = keep_terms(terms, Thresholds(points), at)
    asked = [(term, at) for term in terms]
    if not hidden:
        refuse_hidden(points, kept, asked)
        return
    with pytest.raises(br.InputError, match="BR231: a threshold between 3 and 7 may satisfy the"):
        refuse_hidden(points, kept, asked)


@pytest.mark.parametrize(
    ("rule", "code"),
    [("fpr >= 0.3 and fpr <= 0.5", "BR231"), ("fpr >= 0.65 and fpr <= 0.7", "BR530")],
)
def test_what_a_hidden_threshold_may_have_is_not_known_rather_than_infeasible(rule, code):
    points = Points.of(RUN.condense())
    with pytest.raises(br.InputError, match=code):
        br.choose(RUN.condense(), rule)
    if code == "BR530":
        refuse_infeasible(points, parse_rule(rule).terms, br.Conditions())


@pytest.mark.parametrize(
    ("value", "nearest"),
    [
        ("fpr = 0", 7),
        ("fpr = 0.05", 7),
        ("fpr = 0.1", None),  # 0.2 may be as near as 0
        ("fpr = 0.3", None),
        ("fpr = 0.69", None),
        ("fpr = 0.75", 2),  # 0.8 is nearer than 0.6
        ("fpr = 1", 1),
        ("tpr = 0.4", 7),  # as near all along the run
        ("tpr = 0.9", 2),
    ],
)
def test_the_nearest_threshold_is_known_where_no_hidden_one_may_be_as_near(value, nearest):
    fixed = br.fix(RUN.condense(), value)
    if nearest is not None:
        assert fixed.attained.threshold == nearest == br.fix(RUN, value).attained.threshold
        return
    with pytest.raises(br.InputError, match="BR231: a threshold between 3 and 7 may bring fpr"):
        _ = fixed.attained


def test_a_run_that_has_the_value_of_the_nearest_threshold_may_have_nearer_ones():
    """Inside the run precision is 1/2 to 1/4, and 1/2 again below it."""
    labels, scores = [1, 0, 0, 0, 0, 1, 1, 1, 0], [8, 7, 6, 5, 4, 3, 3, 3, 2]
    fixed = br.fix(br.count(labels, scores).condense(), "precision = 0.49")
    assert fixed.interpolated.precision == 0.49
    with pytest.raises(br.InputError, match="BR231: a threshold between 4 and 8 may bring"):
        _ = fixed.attained
