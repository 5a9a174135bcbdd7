"""The points in a report: attained, exact, every corner of the hull among them, and bounds that
never promise too much.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions.worked import F1_A, F1_B
from tests.reports.made import counted, drawn

import baserate as br
from baserate.reports.content import further_points, outward


def only(found):
    [one] = found.document["report"]["held"]
    return one


def test_every_point_is_held_where_scores_are_few():
    labels, scores = drawn(400, seed=3)
    scores = np.round(scores["m0"], 1)
    one = only(br.report(br.count(labels, scores)))
    cuts = sorted(set(scores.tolist()), reverse=True)
    assert one["every"]
    assert one["distinct"] == len(cuts)
    assert one["thresholds"] == ["none", *cuts]
    assert one["tp"] == [
        0,
        *(
            sum(1 for label, score in zip(labels, scores, strict=True) if label and score >= cut)
            for cut in cuts
        ),
    ]
    assert one["fp"] == [
        0,
        *(
            sum(
                1 for label, score in zip(labels, scores, strict=True) if not label and score >= cut
            )
            for cut in cuts
        ),
    ]
    assert (one["positives"], one["negatives"]) == (int(labels.sum()), int((~labels).sum()))


@pytest.mark.parametrize("seed", range(3))
def test_of_many_scores_the_hull_the_answers_and_two_thousand_more_are_held(seed):
    labels, scores = drawn(6000, seed=seed)
    counts = br.count(labels, scores["m0"])
    found = br.report(
        counts, rule=["recall >= 0.777", "posfrac <= 0.0123"], budget=71, volume=10_000
    )
    one = only(found)
    assert not one["every"]
    assert one["distinct"] == 6000
    assert len(one["tp"]) == len(one["hull"]) + 2000
    assert one["thresholds"][0] == "none"
    assert (one["tp"][-1], one["fp"][-1]) == (counts.total_positives, counts.total_negatives)
    for place in (*range(1, len(one["tp"]), 97), len(one["tp"]) - 1):
        flagged = scores["m0"] >= one["thresholds"][place]
        assert (one["tp"][place], one["fp"][place]) == (
            int((flagged & labels).sum()),
            int((flagged & ~labels).sum()),
        )
    held = list(one["thresholds"])
    for answer in found.document["report"]["answers"]:
        point = answer["points"]["model"]
        ends = [
            held.index(point["threshold"]),
            *([held.index(point["certain"])] if "certain" in point else []),
        ]
        assert len(ends) == 1 or ends[0] == ends[1] + 1


@pytest.mark.parametrize("seed", range(3))
def test_the_front_of_what_is_attained_is_held_first(seed):
    """A rule on both rates that a point keeps is kept by one of the front: with few positives that
    is held whole.
    """
    labels, scores = drawn(6000, seed=seed, share=0.05)
    counts = br.count(labels, scores["m0"])
    held, every = only(br.report(counts)), br.Points.of(counts)
    best = {}
    for tp, fp in zip(every.tp.tolist(), every.fp.tolist(), strict=True):
        best[tp] = min(fp, best.get(tp, fp))
    assert not held["every"]
    front = {
        (tp, fp) for tp, fp in best.items() if all(fp < best[more] for more in best if more > tp)
    }
    assert front <= set(zip(held["tp"], held["fp"], strict=True))


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_of_a_long_front_as_much_is_held_as_of_the_rest(share):
    labels, scores = drawn(9000, seed=1, share=share)
    held = only(br.report(br.count(labels, scores["m0"])))
    assert len(held["tp"]) == len(held["hull"]) + 2000
    points = list(zip(held["tp"], held["fp"], strict=True))
    steps = zip(points, points[1:], points[2:], strict=False)
    assert sum(here[0] > before[0] and after[1] > here[1] for before, here, after in steps) > 900


@pytest.mark.parametrize("seed", range(5))
def test_no_threshold_is_cheaper_than_the_best_corner_at_any_slope(seed):
    labels, scores = drawn(300, seed=seed, share=0.3)
    one = only(br.report(br.count(labels, np.round(scores["m0"], 2))))
    points = list(zip(one["tp"], one["fp"], strict=True))
    corners = [points[place] for place in one["hull"]]
    assert corners[0] == points[0]
    assert corners[-1] == points[-1]
    for slope in (Fraction(a, b) for a, b in itertools.product((1, 2, 7, 50), (1, 3, 10, 111))):
        assert max(slope * tp - fp for tp, fp in corners) == max(
            slope * tp - fp for tp, fp in points
        )
    # And no corner is superfluous: each turns to the right.
    for (t0, f0), (t1, f1), (t2, f2) in zip(corners, corners[1:], corners[2:], strict=False):
        assert (t1 - t0) * (f2 - f1) > (t2 - t1) * (f1 - f0)


def test_bounds_are_those_of_the_rates_rounded_away_from_them():
    one = only(br.report(F1_A, level=0.9))
    for rate, cases in (("tp", 2000), ("fp", 98000)):
        low, high = one[{"tp": "tpr_bounds", "fp": "fpr_bounds"}[rate]]
        for seen, lower, upper in zip(one[rate], low, high, strict=True):
            exact = br.rate_interval(seen, cases, level=0.9)
            assert (lower is None) == (seen == 0)
            assert (upper is None) == (seen == cases)
            if lower is not None:
                assert exact.low * (1 - 1e-5) <= lower <= exact.low
                assert f"{lower:.3g}" == f"{exact.low:.3g}"
            if upper is not None:
                assert exact.high <= upper <= exact.high * (1 + 1e-5)
                assert f"{upper:.3g}" == f"{exact.high:.3g}"


@pytest.mark.parametrize("up", [True, False])
def test_rounding_outward_keeps_the_digits_that_are_shown(up):
    rng = np.random.default_rng(5)
    values = [
        *(10 ** rng.uniform(-8, 0, 3000)).tolist(),
        0.1234999999,
        0.12350000001,
        9.9999999e-5,
        0.99999999,
        1.0,
        5e-324,
        0.0,
    ]
    for value in values:
        near = outward(value, up=up)
        assert near >= value if up else near <= value
        assert abs(near - value) <= 1e-5 * value
        assert f"{near:.3g}" == f"{value:.3g}"
    assert sum(len(repr(outward(value, up=up))) <= 12 for value in values) > 2900


def test_many_models_hold_fewer_points_each():
    assert further_points(1, 50) == further_points(3, 900) == 2000
    assert 500 < further_points(20, 4000) < 2000
    assert further_points(50, 10**6) == 100


def test_a_report_of_twenty_models_stays_below_three_megabytes():
    """RELIABILITY P17, issue 8: at any row count."""
    models = counted(40_000, seed=1, models=20, share=0.2)
    found = br.report(
        models,
        at=[br.Conditions(prior) for prior in (1e-2, 1e-3, 1e-4)],
        budget=200,
        volume=1_000_000,
    )
    assert {one["distinct"] for one in found.document["report"]["held"]} == {40_000}
    assert (
        len(found.html.encode()) < 3_000_000 - 200_000
    )  # the page's own script and style may take as much


def test_weights_are_held_as_masses_without_bounds():
    labels, scores = drawn(500, seed=2)
    weights = np.random.default_rng(2).random(500) * 3
    counts = br.count(labels, np.round(scores["m0"], 1), sample_weight=weights)
    found = br.report(counts)
    one, points = only(found), br.Points.of(counts)
    assert one["weighted"]
    assert one["tp"] == points.tp.tolist()
    assert one["fn"] == points.fn.tolist()
    assert one["tn"] == points.tn.tolist()
    assert {bound for column in (*one["tpr_bounds"], *one["fpr_bounds"]) for bound in column} == {
        None
    }
    assert "there are no intervals" in " ".join(found.document["report"]["shows"])
    assert found.document["models"][0]["points"][0]["intervals"] == {}


def test_merged_scores_are_never_called_every_score():
    [counts] = counted(3000, seed=4).values()
    condensed, coarse = counts.condense(), counts.coarsen(np.linspace(-2, 3, 20))
    for merged, said in (
        (condensed, "runs of negatives"),
        (coarse, f"{len(coarse.scores)} bins: AUC is known to within"),
    ):
        found = br.report(merged)
        assert not only(found)["every"]
        assert said in " ".join(found.document["report"]["shows"])
        assert only(found)["thresholds"][1:] == merged.scores.tolist()
        assert "<svg" in found.html


def test_infinite_scores_and_large_integers_are_text():
    infinite = only(
        br.report(br.Counts([np.inf, 1.5, -np.inf], positives=[3, 4, 1], negatives=[1, 2, 9]))
    )
    assert infinite["thresholds"] == ["none", "inf", 1.5, "-inf"]
    assert not infinite["integer"]
    large = only(br.report(br.Counts(np.array([2**60, 5]), positives=[3, 4], negatives=[1, 2])))
    assert large["thresholds"] == ["none", str(2**60), 5]
    assert large["integer"]
    many = only(
        br.report(
            br.Counts([2, 1], positives=[2**54 + 1, 4], negatives=[1, 2**55 + 3]),
            at=br.Conditions(0.5),
        )
    )
    assert many["tp"] == [0, str(2**54 + 1), str(2**54 + 5)]


def test_models_in_one_report_keep_their_order():
    found = br.report({"B": F1_B, "A": F1_A})
    assert (
        [one["name"] for one in found.document["report"]["held"]]
        == ["B", "A"]
        == [one["name"] for one in found.document["models"]]
    )
