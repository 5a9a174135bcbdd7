"""One answer for all, guessing, and the line that a classifier must beat."""

import math
import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br

FIVE = br.Costs(fp=1, fn=5)


def test_w26_with_equal_classes_the_line_starts_at_tpr_0_8():
    line = br.curves.ideal_baseline(br.Conditions(0.5, FIVE))
    assert (line.slope, line.intercept, line.answer) == (0.2, 0.8, "everything")
    assert line.tpr(1) == 1
    assert not line.notes
    flag_all = br.Confusion(tp=100, fp=100, fn=0, tn=0)
    misses_20 = br.Confusion(tp=80, fp=0, fn=20, tn=100)
    at = br.Conditions(costs=FIVE)
    assert (
        br.measure(flag_all, "total_cost", at=at)
        == br.measure(misses_20, "total_cost", at=at)
        == 100
    )
    assert not line.beaten_by(misses_20)
    assert line.beaten_by(br.Confusion(tp=81, fp=0, fn=19, tn=100))


def test_w27_the_line_is_adjusted_by_the_class_ratio():
    counts = br.Counts([2, 1], [50, 50], [100, 300])
    line = br.curves.ideal_baseline(br.Conditions(costs=FIVE), counts)
    assert (line.slope, line.intercept) == (0.8, 0.2)
    assert br.curves.ideal_baseline(br.Conditions(0.2, FIVE)).intercept == pytest.approx(
        0.2, rel=1e-15
    )
    at = br.Conditions(costs=FIVE)
    assert (
        br.measure(br.Confusion(tp=20, fp=0, fn=80, tn=400), "total_cost", at=at)
        == br.measure(br.Confusion(tp=100, fp=400, fn=0, tn=0), "total_cost", at=at)
        == 400
    )


def test_w28_and_b9_above_slope_1_flagging_nothing_binds_and_the_line_starts_at_the_origin():
    line = br.curves.ideal_baseline(
        br.Conditions(costs=FIVE), br.Counts([2, 1], [50, 50], [100, 900])
    )
    assert (line.slope, line.answer) == (2, "nothing")
    assert (line.tpr(0), line.tpr(0.25), line.tpr(0.5)) == (0, 0.5, 1)
    assert [note.code for note in line.notes] == ["BR553"]
    assert "slope 2 > 1" in line.notes[0].text


@pytest.mark.parametrize("seed", seeds(300))
def test_beating_the_line_is_being_cheaper_than_both_answers_for_all(seed):
    rng = random.Random(f"baseline {seed}")
    data = generated.cells(rng, both=True)
    at, truth = generated.at(rng, known=True)
    counts = generated.counts(data)
    line = br.curves.ideal_baseline(at, counts)
    every = oracle.points(data)
    costs = [oracle.value("expected_cost", counted, truth) for _, counted in every]
    cheapest = min(costs[0], costs[-1])
    assert line.answer == ("nothing" if costs[0] < costs[-1] else "everything")
    for (threshold, _), cost in zip(every, costs, strict=True):
        assert line.beaten_by(br.choose(counts, threshold=threshold, at=at)) == (cost < cheapest)


def test_a_point_on_the_line_does_not_beat_it_at_a_prior_that_floats_cannot_hold():
    """Prior 1/3, equal costs: slope 2, and (0.5, 1) costs what flagging nothing does."""
    for scale in (1, 5, 7, 11, 13):
        on_it = br.Counts([2, 1], [scale, 0], [scale, scale])
        line = br.curves.ideal_baseline(br.Conditions(), on_it)
        assert line.slope == 2
        assert not line.beaten_by(br.choose(on_it, threshold=2))


def test_the_line_needs_a_prior_and_a_share():
    with pytest.raises(
        br.InputError, match="BR509: the prior is the sample's own, and no counts are given"
    ):
        br.curves.ideal_baseline(br.Conditions(costs=FIVE))
    with pytest.raises(br.InputError, match="BR509: only rates are known"):
        br.curves.ideal_baseline(br.Conditions(costs=FIVE), br.Points.from_rates([0.1], [0.5]))
    with pytest.raises(br.InputError, match="BR519: at must be Conditions"):
        br.curves.ideal_baseline(0.5)
    line = br.curves.ideal_baseline(br.Conditions(0.5))
    for fpr in (-0.1, 1.5, math.nan, math.inf, "low", None):
        with pytest.raises(br.InputError, match="BR542: fpr lies between 0 and 1, got"):
            line.tpr(fpr)
    with pytest.raises(br.InputError, match="BR552: a ROC point needs cases of both classes"):
        line.beaten_by(br.Confusion(tp=1, fp=0, fn=1, tn=0))


@pytest.mark.parametrize("point", ["x", 5, None, (1, 2, 3, 4)])
def test_what_is_no_point_cannot_beat_the_line(point):
    with pytest.raises(br.InputError, match="BR"):
        br.curves.ideal_baseline(br.Conditions(0.5)).beaten_by(point)


def test_the_side_of_the_line_is_decided_at_the_prior_as_written():
    """At one tenth and costs of 9 to 1 both answers for all cost the same; the float 0.1 is a
    little more.
    """
    for prior in (0.1, "0.1", "10%", "1 in 10", "1:9", Fraction(1, 10)):
        line = br.curves.ideal_baseline(br.Conditions(prior, br.Costs(fp=1, fn=9)))
        assert (line.answer, line.notes, line.tpr(0)) == ("everything", (), 0)
        assert not line.beaten_by(br.Confusion(tp=1, fp=1, fn=1, tn=1))
    for prior in (0.1 - 1e-17, Fraction(1, 10) - Fraction(1, 10**20)):
        answer = br.curves.ideal_baseline(br.Conditions(prior, br.Costs(fp=1, fn=9))).answer
        assert answer == ("everything" if prior == 0.1 else "nothing")


@pytest.mark.parametrize("cells", [([1, 1], [0, 0]), ([0, 0], [1, 1])])
def test_counts_of_one_class_have_no_line(cells):
    with pytest.raises(br.InputError, match="BR552"):
        br.curves.ideal_baseline(br.Conditions(costs=FIVE), br.Counts([2, 1], *cells))


@pytest.mark.parametrize("seed", seeds(60))
def test_guessing_lies_on_the_diagonal_and_has_the_prior_as_precision(seed):
    rng = random.Random(f"guess {seed}")
    data, share = (
        generated.cells(rng, both=True),
        rng.choice([0, 0.25, 0.1, 0.5, 1, Fraction(1, 3)]),
    )
    at, truth = generated.at(rng, known=True)
    counts = generated.counts(data)
    point = br.curves.random_classifier(counts, share, at=at)
    assert point.how == "guess"
    assert point.threshold is None
    assert point.tpr == point.fpr == point.posfrac == float(share)
    if share:
        assert point.precision == (counts.prior if at.prior is None else at.prior)
    ends = [
        oracle.value("expected_cost", counted, truth.shown)
        for counted in (oracle.points(data)[0][1], oracle.points(data)[-1][1])
    ]
    assert point.expected_cost == float(ends[0] + Fraction(share) * (ends[1] - ends[0]))


def test_guesses_of_0_and_1_are_the_answers_for_all():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    assert (
        br.curves.random_classifier(counts, 0).confusion
        == br.choose(counts, threshold=None).confusion
    )
    assert (
        br.curves.random_classifier(counts, 1).confusion == br.choose(counts, threshold=1).confusion
    )
    assert repr(br.curves.random_classifier(counts, 0.3)).startswith(
        "OperatingPoint: flag 30 % of the cases at random; tpr 0.3, fpr 0.3"
    )
    assert br.curves.random_classifier(counts, 0.3, volume=1000)["alerts"] == 300
    for share in (-0.1, 1.1, math.nan, math.inf, "half", None):
        with pytest.raises(br.InputError, match="BR542: a share lies between 0 and 1, got"):
            br.curves.random_classifier(counts, share)
