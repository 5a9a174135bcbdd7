"""A ROC known by its rates: corners added, nonsense refused, and no prior that nobody has said."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

import baserate as br

rates = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=9)


def assert_refused(match, code, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


@given(rates)
def test_missing_corners_are_added_and_present_ones_kept(pairs):
    fpr, tpr = (sorted(values) for values in zip(*pairs, strict=True))
    points = br.Points.from_rates(fpr, tpr)
    assert (points.fpr[0], points.tpr[0], points.fpr[-1], points.tpr[-1]) == (0, 0, 1, 1)
    first, last = fpr[0] > 0 or tpr[0] > 0, fpr[-1] < 1 or tpr[-1] < 1
    assert len(points) == len(fpr) + first + last
    assert points.fpr[first : len(fpr) + first].tolist() == fpr
    for place in range(len(points)):
        assert points.place(points.threshold(place)) == place


def test_thresholds_of_scikit_learn_are_taken_as_they_are():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(200) < 0.3, np.round(rng.random(200), 2)
    fpr, tpr, thresholds = roc_curve(labels, scores, drop_intermediate=False)
    published, counted = (
        br.Points.from_rates(fpr, tpr, thresholds),
        br.Points.of(br.count(labels, scores)),
    )
    assert np.array_equal(published.thresholds, counted.thresholds, equal_nan=True)
    assert published.tpr == pytest.approx(counted.tpr)
    assert br.measure(published, "tnr", threshold=0.5) == pytest.approx(
        br.measure(counted, "tnr", threshold=0.5), rel=1e-14, abs=0
    )


@pytest.mark.parametrize(
    ("fpr", "tpr", "match"),
    [
        ([0.1, 0.2], [0.5], "as many fpr as tpr, got 2 and 1"),
        ([], [], "as many fpr as tpr, got 0 and 0"),
        ([0.2, 0.1], [0.5, 0.6], r"must not fall from one point to the next \(index 1\)"),
        ([0.1, 0.2], [0.6, 0.5], "must not fall"),
        ([1.2], [0.5], "fpr must be shares between 0 and 1, got 1.2"),
        ([0.1], [-0.5], "tpr must be shares between 0 and 1, got -0.5"),
        ([math.nan], [0.5], "fpr must be shares between 0 and 1, got nan"),
        (["a"], [0.5], "fpr must be shares"),
        ([[0.1, 0.2]], [0.5], "fpr must be shares"),
        ([5, 10], [50, 60], "got 5.0.*divide percentages by 100"),
    ],
)
def test_what_is_no_roc_is_refused(fpr, tpr, match):
    assert_refused(match, "BR550", lambda: br.Points.from_rates(fpr, tpr))


@pytest.mark.parametrize(
    "thresholds",
    [
        [0.5],
        [0.3, 0.5],
        [0.5, 0.5],
        [0.5, math.nan],
        [math.nan, 0.5],
        ["high", "low"],
        [[0.5, 0.3]],
        [1, 2, 3],
        [None, 0.5],
    ],
)
def test_thresholds_that_do_not_fall_with_the_points_are_refused(thresholds):
    assert_refused(
        "thresholds must fall",
        "BR550",
        lambda: br.Points.from_rates([0.1, 0.2], [0.5, 0.6], thresholds),
    )


def test_the_threshold_of_the_first_corner_says_nothing():
    for first in (math.inf, math.nan, 1.9):
        points = br.Points.from_rates([0, 0.1, 1], [0, 0.5, 1], [first, 0.9, 0.1])
        assert points.scores.tolist() == [0.9, 0.1]


def test_without_a_prior_only_what_needs_none_can_be_read():
    points = br.Points.from_rates([0.01], [0.8])
    cut = points.threshold(1)
    assert br.measure(points, "tpr", threshold=cut) == 0.8
    assert br.measure(points, "fnr", threshold=cut) == float(1 - Fraction(0.8))
    assert br.measure(points, "lr_positive", threshold=cut) == float(Fraction(0.8) / Fraction(0.01))
    assert_refused(
        "only rates are known, .* so a prior must be given",
        "BR509",
        lambda: br.measure(points, "precision", threshold=cut),
    )
    assert math.isnan(points.prior)
    for name in ("tp", "fp", "fn", "tn", "total_cost"):
        assert "only rates are known" in br.measure(points, name, threshold=cut).reason


@given(st.floats(0, 1), st.floats(1e-6, 1), st.floats(1e-9, 1 - 1e-9))
def test_precision_at_a_prior_follows_from_the_rates(fpr, tpr, prior):
    points = br.Points.from_rates([fpr], [tpr])
    reading = br.measure(
        points, "precision", threshold=points.threshold(1), at=br.Conditions(prior)
    )
    f, t, p = map(Fraction, (fpr, tpr, prior))
    assert reading == float(p * t / (p * t + (1 - p) * f))
    assert [note.code for note in reading.notes] == ["BR526"]
    assert "sample's" not in reading.notes[0].text


def test_a_confusion_of_rates_has_whole_cases_where_it_can():
    confusion = br.Confusion.from_rates(tpr=0.8, fpr=0.2, positives=50, negatives=5000)
    assert tuple(confusion) == (40, 1000, 10, 4000)
    assert br.Confusion.from_rates(tpr=0.5, fpr=0.1, positives=5, negatives=10).tp == 2.5
    for tpr, positives in (
        (1.2, 5),
        (-0.1, 5),
        (math.nan, 5),
        (0.5, -1),
        (0.5, math.inf),
        (0.5, math.nan),
    ):
        assert_refused(
            "tpr must be a share",
            "BR550",
            lambda t=tpr, p=positives: br.Confusion.from_rates(
                tpr=t, fpr=0, positives=p, negatives=1
            ),
        )


@pytest.mark.parametrize(
    "value",
    [-1, math.nan, math.inf, "5", None, True, 1j, [1], np.array([1, 2]), 10**400],
    ids=lambda value: repr(value)[:12],
)
def test_a_confusion_holds_numbers_of_cases(value):
    assert_refused(
        "fp must be a number of cases, 0 or more",
        "BR551",
        lambda: br.Confusion(tp=1, fp=value, fn=1, tn=1),
    )


def test_a_confusion_prints_iterates_and_knows_its_prior():
    confusion = br.Confusion(tp=np.int64(40), fp=10.0, fn=Fraction(10), tn=40)
    assert repr(confusion) == "Confusion(tp=40, fp=10.0, fn=10, tn=40)"
    assert tuple(confusion) == (40, 10, 10, 40)
    assert confusion.prior == 0.5
    assert repr(br.Confusion(tp=0, fp=0, fn=0, tn=0).prior) == "nan (no cases)"
    assert hash(confusion) == hash(br.Confusion(tp=40, fp=10, fn=10, tn=40))


def test_the_four_cells_are_named_because_their_order_differs_between_sources():
    with pytest.raises(TypeError, match="positional"):
        br.Confusion(90, 10, 50, 950)
