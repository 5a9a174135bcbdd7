"""Operating points: what each threshold flags, where a threshold falls, and what published rates
allow.
"""

import bisect
import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import oracle, strategies

import baserate as br
from baserate.counts.points import CHOSEN_TOTALS, ONLY_RATES, refuse_merged

COUNTS = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
POINTS = br.Points.of(COUNTS)
BIG = 2**53


def assert_refused(match, code, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code


@given(strategies.cases())
def test_points_are_those_of_the_oracle(data):
    labels, scores = data
    points = br.Points.of(br.count(labels, scores))
    plain = scores.tolist()
    assert len(points) == len(oracle.count(labels, plain)) + 1
    assert points.counted(0) == (0, 0, int(labels.sum()), int((~labels).sum()))
    for place in range(1, len(points)):
        assert points.counted(place) == oracle.confusion(labels, plain, points.threshold(place))
    assert len(labels) == 0 or points.counted(-1) == (labels.sum(), (~labels).sum(), 0, 0)


@given(strategies.cases(both=True))
def test_rates_are_counts_over_totals(data):
    points = br.Points.of(br.count(*data))
    for place in range(len(points)):
        tp, fp, fn, tn = points.counted(place)
        assert (points.tpr[place], points.fpr[place]) == (tp / (tp + fn), fp / (fp + tn))
        assert (points.fn[place], points.tn[place]) == (fn, tn)


@given(strategies.cases(weighted=True))
def test_weighted_points_are_exact_sums_rounded_once(data):
    labels, scores, weights = data
    points = br.Points.of(br.count(labels, scores, sample_weight=weights))
    cells = oracle.count(labels, scores.tolist(), weights)
    running = [Fraction(0), Fraction(0)]
    for place, (positives, negatives) in enumerate(cells.values(), start=1):
        running = [running[0] + Fraction(float(positives)), running[1] + Fraction(float(negatives))]
        assert points.tp[place] == pytest.approx(float(running[0]), rel=1e-15, abs=0)
        assert points.fp[place] == pytest.approx(float(running[1]), rel=1e-15, abs=0)
    assert min(points.fn.min(), points.tn.min()) >= 0
    assert not cells or (points.fn[-1], points.tn[-1]) == (0, 0)


def test_small_masses_below_a_threshold_keep_their_digits():
    counts = br.count([1, 1, 0], [3, 2, 1], sample_weight=[1e16, 1, 1])
    assert br.measure(counts, "fnr", threshold=3) == pytest.approx(1e-16, rel=1e-12, abs=0)


def test_flagging_everything_misses_nothing_however_masses_round():
    masses = [4393899095746847 / 2**42, 2.0**-149, 220329027645579 / 2**43]
    counts = br.Counts([1.0, 0.2, 0.0], masses, [1.0, 1.0, 1.0])
    assert br.measure(counts, "tpr", threshold=0) == 1
    assert br.measure(counts, "fn", threshold=0) == 0


def test_thresholds_begin_with_nothing_flagged():
    assert math.isnan(POINTS.thresholds[0])
    assert POINTS.thresholds[1:].tolist() == [0.8, 0.4, 0.35, 0.1]
    assert [POINTS.threshold(place) for place in range(5)] == [None, 0.8, 0.4, 0.35, 0.1]
    assert POINTS.threshold(-1) == 0.1
    with pytest.raises(IndexError, match="out of range"):
        POINTS.threshold(5)


def test_thresholds_beyond_what_floats_hold_are_exact_one_by_one():
    points = br.Points.of(br.Counts([BIG + 1, BIG], [1, 0], [0, 1]))
    assert points.threshold(1) == BIG + 1
    assert points.thresholds[1:].tolist() == [float(BIG), float(BIG)]


odd_thresholds = st.one_of(
    st.floats(allow_nan=False),
    st.integers(-(2**70), 2**70),
    st.sampled_from(
        [BIG, BIG + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 0.5, -0.0, 2.0**63, -(2.0**63)]
    ),
    st.fractions(-(2**66), 2**66, max_denominator=97),
)


@given(strategies.cases(), odd_thresholds)
def test_a_threshold_flags_the_scores_not_below_it(data, threshold):
    labels, scores = data
    points = br.Points.of(br.count(labels, scores))
    distinct = sorted({score + 0 for score in scores.tolist()})
    assert points.place(threshold) == len(distinct) - bisect.bisect_left(distinct, threshold)
    for near in points.scores.tolist()[:3]:
        assert points.threshold(points.place(near)) == near


@pytest.mark.parametrize(
    ("threshold", "place"),
    [(None, 0), (math.inf, 0), (-math.inf, 4), (np.float32(0.25), 3), (0, 4), (np.int64(1), 0)],
)
def test_thresholds_of_any_kind_have_a_place(threshold, place):
    assert POINTS.place(threshold) == place


def test_integers_are_compared_exactly_with_floats_and_fractions():
    points = br.Points.of(br.Counts([BIG + 3, BIG + 1, BIG], [1, 1, 1], [0, 0, 1]))
    assert points.place(BIG + 1) == 2
    assert points.place(float(BIG + 2)) == 1
    assert points.place(Fraction(2 * BIG + 1, 2)) == 2
    assert points.place(2**70) == points.place(math.inf) == 0
    assert points.place(-(2**70)) == points.place(-math.inf) == 3
    assert br.Points.of(br.Counts([float(BIG)], [1], [0])).place(BIG + 1) == 0


@pytest.mark.parametrize("threshold", [math.nan, "0.5", True, [0.5], np.nan, 1j])
def test_a_threshold_is_a_number(threshold):
    assert_refused("a threshold is a number, or None", "BR529", lambda: POINTS.place(threshold))


def test_a_measure_of_counts_needs_a_threshold_and_that_of_a_confusion_takes_none():
    assert_refused("which threshold", "BR529", lambda: br.measure(COUNTS, "tpr"))
    assert_refused(
        "takes no threshold",
        "BR529",
        lambda: br.measure(br.Confusion(tp=1, fp=1, fn=1, tn=1), "tpr", threshold=0.5),
    )
    assert br.measure(COUNTS, "tpr", threshold=None) == 0


def test_row_87_a_threshold_beyond_every_score_is_noted():
    notes = br.measure(COUNTS, "tpr", threshold=50).notes
    assert any(
        note.code == "BR529" and "50 lies above every score (the highest is 0.8)" in note.text
        for note in notes
    )
    assert any(
        "lies below every score" in note.text
        for note in br.measure(COUNTS, "tpr", threshold=-1).notes
    )
    assert not any(note.code == "BR529" for note in br.measure(COUNTS, "tpr", threshold=0.1).notes)


def test_condensed_counts_refuse_thresholds_inside_a_merged_run():
    points = br.Points.of(br.Counts([9, 8, 5, 3, 2], [0, 0, 2, 0, 0], [1, 1, 1, 1, 1]).condense())
    assert [points.place(threshold) for threshold in (None, math.inf, 8, 5, 4.5, 2, 1)] == [
        0,
        0,
        1,
        2,
        2,
        3,
        3,
    ]
    assert points.counted(points.place(4.5)) == points.counted(points.place(5)) == (2, 3, 0, 2)
    for threshold in (9, 8.5, 10, 3, 2.5):
        assert_refused(
            "cuts through merged scores",
            "BR229",
            lambda threshold=threshold: points.place(threshold),
        )


@given(strategies.cases(both=True), odd_thresholds)
def test_condensed_counts_give_the_true_point_or_refuse(data, threshold):
    full = br.Points.of(br.count(*data))
    merged = br.Points.of(br.count(*data).condense())
    try:
        place = merged.place(threshold)
    except br.InputError as error:
        assert error.code == "BR229"
    else:
        assert merged.counted(place) == full.counted(full.place(threshold))
    for place in range(1, len(full)):
        if full.tp[place] > full.tp[place - 1]:
            assert merged.counted(merged.place(full.threshold(place))) == full.counted(place)


def test_what_needs_every_score_is_refused_where_some_were_merged():
    counts = br.Counts([9, 8, 5, 3], [0, 0, 2, 0], [1, 1, 1, 1])
    refuse_merged(counts, "this")
    with pytest.raises(br.InputError, match="this, and scores were merged"):
        refuse_merged(counts.condense(), "this")


def test_a_hull_refuses_thresholds_between_its_corners():
    hull = POINTS.hull()
    assert hull.scores.tolist() == [0.8, 0.35, 0.1]
    assert hull.counted(hull.place(0.35)) == POINTS.counted(POINTS.place(0.35))
    assert_refused("0.4", "BR229", lambda: hull.place(0.4))


def test_points_are_made_of_counts_and_cannot_be_changed():
    assert br.Points.of(POINTS) is POINTS
    assert_refused(
        "points are made of Counts, got ndarray", "BR429", lambda: br.Points.of(np.array([1]))
    )
    with pytest.raises(TypeError, match=r"made by Points\.of"):
        br.Points()
    with pytest.raises(ValueError, match="read-only"):
        POINTS.tp[0] = 1
    with pytest.raises(AttributeError, match="frozen"):
        POINTS.tp = [1]


def test_points_survive_copies_and_print():
    for twin in (pickle.loads(pickle.dumps(POINTS)), copy.deepcopy(POINTS)):
        assert twin.tp.tolist() == POINTS.tp.tolist()
        assert not twin.tp.flags.writeable
    assert repr(POINTS) == "Points: 5 points of 2 positives, 2 negatives"
    assert (
        repr(br.Points.from_rates([0.1], [0.5])) == "Points: 3 points of a ROC known by its rates"
    )
    assert POINTS.prior == 0.5


def test_points_of_no_cases_flag_nothing():
    points = br.Points.of(br.Counts.empty())
    assert (len(points), points.place(0.5), points.counted(0)) == (1, 0, (0, 0, 0, 0))
    assert math.isnan(points.prior)
    assert np.isnan(points.tpr).all()


def test_hulls_of_condensed_counts_keep_refusing_thresholds_inside_merged_runs():
    merged = br.Points.of(br.Counts([9, 8, 5, 3, 2], [0, 0, 2, 0, 0], [1, 1, 1, 1, 1]).condense())
    hull = merged.hull()
    assert [hull.place(threshold) for threshold in (None, 5, 4.5, 2)] == [0, 1, 1, 2]
    for threshold in (9, 8.5, 8, 7, 3, 2.5):
        assert_refused(
            "cuts through merged scores", "BR229", lambda threshold=threshold: hull.place(threshold)
        )
    assert hull.hull().tops.tolist() == hull.tops.tolist()


def test_everything_that_points_hold_is_read_only():
    weighted = br.Points.of(br.Counts([2.0, 1.0], [0.5, 0.5], [0.25, 0.75]))
    condensed = br.Points.of(br.count([0, 1, 0] * 50, np.linspace(0, 1, 150)).condense())
    for points in (
        weighted,
        condensed,
        weighted.hull(),
        condensed.hull(),
        pickle.loads(pickle.dumps(condensed)),
        copy.deepcopy(weighted),
    ):
        for values in (
            points.scores,
            points.tp,
            points.fp,
            *(points.passed or ()),
            *(() if points.tops is None else (points.tops,)),
        ):
            assert not values.flags.writeable


@pytest.mark.parametrize(
    ("fpr", "tpr"),
    [
        ([0.0, 0.2, 1.0], [0.0, 0.5, 1.0]),
        ([0.2, 1.0], [0.5, 1.0]),
        ([0.0, 0.2], [0.0, 0.5]),
        ([0.2], [0.5]),
    ],
)
def test_a_published_roc_is_completed_at_both_ends(fpr, tpr):
    points = br.Points.from_rates(fpr, tpr)
    assert (points.fpr.tolist(), points.tpr.tolist()) == ([0.0, 0.2, 1.0], [0.0, 0.5, 1.0])
    assert len(points.thresholds) == 3


@pytest.mark.parametrize(
    ("fpr", "tpr"), [([0.1, 0.5, 0.4], [0.2, 0.6, 0.9]), ([0.1, 0.4, 0.5], [0.2, 0.9, 0.6])]
)
def test_a_published_roc_that_falls_is_refused_at_its_row(fpr, tpr):
    with pytest.raises(br.InputError, match="a ROC rises") as caught:
        br.Points.from_rates(fpr, tpr)
    assert (caught.value.code, caught.value.problems[0].where.rows) == ("BR550", (2,))


@pytest.mark.parametrize(
    ("fpr", "tpr", "size"),
    [
        ([0.0], [0.3], 3),
        ([0.3], [0.0], 3),
        ([1.0], [0.3], 3),
        ([0.3], [1.0], 3),
        ([0.0, 1.0], [0.3, 1.0], 3),
    ],
)
def test_a_published_roc_that_starts_or_ends_on_an_axis_is_completed_too(fpr, tpr, size):
    points = br.Points.from_rates(fpr, tpr)
    assert (points.fpr[0], points.tpr[0], points.fpr[-1], points.tpr[-1]) == (0, 0, 1, 1)
    assert len(points) == size


def test_thresholds_of_a_published_roc_fall_from_point_to_point():
    points = br.Points.from_rates([0.1, 0.4], [0.5, 0.9], thresholds=[0.8, 0.3])
    assert [points.threshold(place) for place in (1, 2)] == [0.8, 0.3]
    from_nothing = br.Points.from_rates([0.0, 0.4], [0.0, 0.9], thresholds=[math.inf, 0.3])
    assert from_nothing.threshold(1) == 0.3
    assert br.Points.from_rates([0.0, 0.4], [0.0, 0.9], thresholds=[math.nan, 0.3]).threshold(1)
    for fpr, tpr, thresholds in (
        ([0.1, 0.4], [0.5, 0.9], [0.3, 0.8]),
        ([0.1, 0.4], [0.5, 0.9], [0.3, 0.3]),
        ([0.1, 0.4], [0.5, 0.9], [0.3]),
        ([0.1, 0.4], [0.5, 0.9], [0.3, math.nan]),
        ([0.1, 0.4], [0.5, 0.9], ["high", "low"]),
        ([0.0, 0.4], [0.0, 0.9], [0.3, 0.3]),
        ([0.0, 0.4], [0.0, 0.9], [0.2, 0.3]),
        ([0.0, 0.4, 0.5], [0.0, 0.9, 0.95], [math.inf, 0.3, 0.3]),
        ([0.0, 0.4, 0.5], [0.0, 0.9, 0.95], [math.inf, math.nan, 0.3]),
    ):
        assert_refused(
            "thresholds must fall",
            "BR550",
            lambda given=(fpr, tpr, thresholds): br.Points.from_rates(
                *given[:2], thresholds=given[2]
            ),
        )


RUNS = br.Counts([9, 8, 5, 3, 2], [0, 0, 2, 0, 0], [1, 1, 1, 1, 1])


def pairs(points):
    return list(zip(points.fp.tolist(), points.tp.tolist(), strict=True))


@pytest.mark.parametrize(
    ("positives", "negatives", "expected"),
    [
        ([], [], [(0, 0)]),
        ([1], [2], [(0, 0), (2, 1)]),
        ([1, 1, 0, 0, 1], [0, 0, 1, 1, 1], [(0, 0), (0, 2), (2, 2), (3, 3)]),
        ([1, 1], [1, 1], [(0, 0), (1, 1), (2, 2)]),
        ([0, 0, 1, 1], [1, 1, 0, 0], [(0, 0), (2, 0), (2, 2)]),
        ([0, 1, 0, 1], [1, 1, 1, 0], [(0, 0), (1, 0), (2, 1), (3, 1), (3, 2)]),
    ],
)
def test_corners_are_where_the_roc_turns(positives, negatives, expected):
    points = br.Points.of(br.Counts(-np.arange(len(positives)), positives, negatives))
    corners = points.corners()
    assert pairs(corners) == expected
    for place in range(len(corners)):
        assert corners.counted(place) == points.counted(points.place(corners.threshold(place)))


def test_what_lies_between_points_is_known_but_where_cells_merged_several_cases():
    merged = {
        "runs": br.Points.of(RUNS.condense()).merged.tolist(),
        "cut": br.Points.of(RUNS.condense([8.5, 2.5])).merged.tolist(),
        "every score": br.Points.of(RUNS).merged.tolist(),
        "a hull": br.Points.of(RUNS).hull().merged.tolist(),
        "a hull of runs": br.Points.of(RUNS.condense()).hull().merged.tolist(),
        "rates": br.Points.from_rates([0.2], [0.5]).merged.tolist(),
    }
    assert merged == {
        "runs": [True, False, True],
        "cut": [False] * 5,
        "every score": [False] * 5,
        "a hull": [False, False],
        "a hull of runs": [False, False],
        "rates": [False, False],
    }
    alone = br.count([1, 0, 1, 0], [4, 3, 2, 1], keep="positives")  # no run of two
    refuse_merged(alone, "this")
    masses = br.Counts([9, 8, 5], [0.0, 0.0, 0.5], [0.5, 0.5, 0.5]).condense()
    assert br.Points.of(masses).merged.tolist() == [True, False]


def test_a_threshold_inside_merged_scores_is_refused_with_those_on_both_sides():
    points = br.Points.of(RUNS.condense())
    for threshold, fix in ((9, "use 8, or count"), (3, "use 2 or 5, or count")):
        with pytest.raises(br.InputError, match=f"Fix: {fix}"):
            points.place(threshold)


def test_cuts_end_the_runs_above_and_below_them():
    points = br.Points.of(RUNS.condense([2.5, 8.5]))
    assert points.scores.tolist() == [9, 8, 5, 3, 2]
    assert points.tops.tolist() == [2**63 - 1, 8, 5, 4, 2]
    assert [points.place(cut) for cut in (2.5, 8.5, 8, 2, 1)] == [4, 1, 2, 5, 5]
    floats = br.Counts([0.9, 0.8, 0.5], [0, 0, 1], [1, 1, 0]).condense([0.7])
    assert br.Points.of(floats).tops.tolist() == [math.inf, 0.5]
    between = br.Counts([0.9, 0.3, 0.2], [1, 0, 0], [0, 1, 1]).condense([0.7, 0.25])
    below = [0.9, math.nextafter(0.7, 0), math.nextafter(0.25, 0)]
    assert br.Points.of(between).tops.tolist() == below


def test_points_know_what_their_counts_do():
    labels, scores = [1, 0, 0, 0], [0.9, 0.2, 0.1, 0.3]
    points = br.Points.of(br.count(labels, scores, design="case-control"))
    assert points.why_no_prior == CHOSEN_TOTALS
    assert POINTS.why_no_prior == ""
    assert (points.prior, points.exact_prior) == (0.25, Fraction(1, 4))
    assert points.counts.ledger is points.ledger
    assert (points.labels_missing, points.negated) == (False, False)
    assert points.hull().ledger is points.ledger
    assert points.notes == points.counts.notes
    rates = br.Points.from_rates([0.2], [0.5])
    assert rates.why_no_prior == ONLY_RATES
    assert (rates.counts, rates.ledger, rates.notes) == (None, None, ())
    assert (rates.labels_missing, rates.negated) == (False, False)
    assert math.isnan(rates.prior)
    assert math.isnan(rates.exact_prior)
    weighted = br.Points.of(br.Counts([1.0], [0.1], [0.3]))
    assert weighted.exact_prior == Fraction(0.1) / (Fraction(0.1) + Fraction(0.3))


def test_what_passes_is_summed_from_below():
    points = br.Points.of(br.Counts([3.0, 2.0, 1.0], [1e16, 1.0, 0.0], [0.5, 0.25, 0.125]))
    assert points.fn.tolist() == [1e16, 1.0, 0.0, 0.0]
    assert points.tn.tolist() == [0.875, 0.375, 0.125, 0.0]
    assert points.counted(1) == (1e16, 0.5, 1.0, 0.375)
    hull = points.hull()
    assert hull.fn.tolist() == [1e16, 1.0, 0.0]
    assert hull.tn.tolist() == [0.875, 0.375, 0.0]
    mixed = points.mixture(*(np.array([value]) for value in (0.5, 0.25, 0.5, 0.75)))
    assert mixed.counted(0) == (0.5, 0.25, 0.5, 0.75)


@pytest.mark.parametrize(
    ("fpr", "tpr", "words", "rows"),
    [
        ([0.1, 0.2], [0.5], "as many fpr as tpr, got 2 and 1", ()),
        ([], [], "as many fpr as tpr, got 0 and 0", ()),
        ([0.1, 1.5, -1], [0.5, 0.6, 0.7], "fpr must be shares between 0 and 1, got 1.5", (1, 2)),
        ([0.1, 0.2], [0.5, -0.25], "tpr must be shares between 0 and 1, got -0.25", (1,)),
        ([0.1, math.nan], [0.5, 0.6], "fpr must be shares between 0 and 1, got nan", (1,)),
        ([[0.1]], [0.5], "fpr must be shares between 0 and 1, got something else", ()),
        (["a"], [0.5], "fpr must be shares between 0 and 1, got nan", (0,)),
        ([[0.1], [0.1, 0.2]], [0.5], "fpr must be shares between 0 and 1", (0,)),
        (0.1, 0.5, None, ()),
    ],
)
def test_published_rates_are_shares(fpr, tpr, words, rows):
    if words is None:
        assert len(br.Points.from_rates(fpr, tpr)) == 3
        return
    with pytest.raises(br.InputError, match=words) as caught:
        br.Points.from_rates(fpr, tpr)
    assert (caught.value.code, caught.value.problems[0].where.rows) == ("BR550", rows)


def test_a_published_roc_of_one_point_may_have_a_threshold():
    points = br.Points.from_rates([0.1], [0.5], thresholds=[0.8])
    assert [points.threshold(place) for place in range(3)] == [None, 0.8, -math.inf]
    corner = br.Points.from_rates([0.0], [0.0], thresholds=[0.8])
    assert [corner.threshold(place) for place in range(2)] == [None, -math.inf]
    plain = br.Points.from_rates([0.1, 0.4], [0.5, 0.9])
    assert [plain.threshold(place) for place in range(4)] == [None, -1, -2, -math.inf]
