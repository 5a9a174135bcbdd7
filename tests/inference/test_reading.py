"""Curves read at fixed places: against the corners of the ROC, as fractions."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.helpers_bands import COUNTS, NAMED

import baserate as br
from baserate.curves.named import (
    CURVES,
    cost_curve,
    curve_named,
    gain_curve,
    lift_curve,
    posfrac_curve,
)
from baserate.inference.statistic import curve_reader, prior_reader


def roc_vertices(counts):
    """The corners of the ROC, exactly."""
    tp = fp = 0
    corners = [(Fraction(0), Fraction(0))]
    for positives, negatives in zip(
        counts.positives.tolist(), counts.negatives.tolist(), strict=True
    ):
        tp, fp = tp + positives, fp + negatives
        corners.append(
            (Fraction(fp, int(counts.total_negatives)), Fraction(tp, int(counts.total_positives)))
        )
    return corners


def crossing(counts, axis, place, prior):
    """(fpr, tpr) where the polygon of the ROC reaches the place on an axis; of several, the highest
    tpr or the lowest fpr.
    """

    def along(fpr, tpr):
        return {"fpr": fpr, "tpr": tpr, "posfrac": prior * tpr + (1 - prior) * fpr}[axis]

    found = []
    corners = roc_vertices(counts)
    for one, other in pairwise(corners):
        start, end = along(*one), along(*other)
        if start <= place <= end:
            ends = (
                (Fraction(0), Fraction(1))
                if start == end
                else ((place - start) / (end - start),) * 2
            )
            found += [
                tuple(a + share * (b - a) for a, b in zip(one, other, strict=True))
                for share in ends
            ]
    return max(found, key=lambda point: point[1]) if axis == "fpr" else min(found)


def exact_measure(name, fpr, tpr, prior):
    flagged = prior * tpr + (1 - prior) * fpr
    if name in ("precision", "fdr", "lift") and not flagged:
        return math.nan
    return {
        "tpr": lambda: tpr,
        "fnr": lambda: 1 - tpr,
        "posfrac": lambda: flagged,
        "precision": lambda: prior * tpr / flagged,
        "fdr": lambda: (1 - prior) * fpr / flagged,
        "lift": lambda: tpr / flagged,
    }[name]()


@st.composite
def small_counts(draw):
    size = draw(st.integers(1, 7))
    cells = draw(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=size, max_size=size)
    )
    cells = [*(cell for cell in cells if sum(cell)), *draw(st.permutations([(1, 0), (0, 1)]))]
    return br.Counts(
        range(len(cells), 0, -1), positives=[p for p, _ in cells], negatives=[n for _, n in cells]
    )


@pytest.mark.parametrize("curve", [CURVES[name].make for name in NAMED], ids=NAMED)
@given(counts=small_counts(), prior=st.sampled_from([None, "0.03", "0.9"]))
def test_a_curve_is_read_where_the_roc_crosses_each_place_at_its_better_end(curve, counts, prior):
    at = br.Conditions(prior=None if prior is None else float(prior))
    true = (
        Fraction(prior)
        if prior
        else Fraction(
            int(counts.total_positives), int(counts.total_positives + counts.total_negatives)
        )
    )
    axis, measure = curve_named(curve)[1].read
    places = ["0.01", "0.2", "0.25", "0.5", "0.75", "0.99", "1"]
    seen = curve_reader(curve, at, [float(place) for place in places]).read(counts)
    for place, value in zip(places, seen, strict=True):
        expected = exact_measure(measure, *crossing(counts, axis, Fraction(place), true), true)
        assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-12, nan_ok=True)


def test_all_is_flagged_where_every_negative_is():
    counts = br.Counts([3, 2, 1], positives=[3, 0, 3], negatives=[0, 4, 0])
    assert curve_reader(br.roc, None, [0.99, 1.0]).read(counts).tolist() == [0.5, 1.0]
    assert curve_reader(br.det, None, [0.99, 1.0]).read(counts).tolist() == [0.5, 0.0]


def test_all_is_flagged_at_the_other_end_of_every_axis():
    for curve, last in (
        (br.pr, 1 / 3),
        (gain_curve, 1.0),
        (posfrac_curve, 1.0),
        (lift_curve, 1.0),
    ):
        assert curve_reader(curve, None, [1.0]).read(COUNTS) == pytest.approx([last])


def test_on_a_run_the_highest_tpr_or_the_lowest_fpr_is_read():
    # tpr rises from 0.24 to 0.6 at fpr 0.08..0.2, then runs straight up to 0.8 at fpr 0.2.
    assert curve_reader(br.roc, None, [0.2]).read(COUNTS) == pytest.approx([0.8])
    assert curve_reader(posfrac_curve, br.Conditions(prior=0.5), [0.24]).read(
        COUNTS
    ) == pytest.approx([0.12])


@given(counts=small_counts())
def test_the_cost_curve_is_the_lowest_of_all_lines(counts):
    places = np.arange(21) / 20
    seen = curve_reader(cost_curve, None, places).read(counts)
    for place, value in zip(places, seen, strict=True):
        lines = [
            Fraction(place) * (1 - tpr) + (1 - Fraction(place)) * fpr
            for fpr, tpr in roc_vertices(counts)
        ]
        assert value == pytest.approx(float(min(lines)), abs=1e-12)


@pytest.mark.parametrize(
    "name", ["precision", "npv", "posfrac", "f1", "expected_cost", "tpr", "mcc"]
)
def test_along_base_rates_a_fixed_threshold_gives_what_measure_gives_at_each(name):
    costs, priors = br.Costs(fp=2, fn=9), [0.001, 0.02, 0.5]
    seen = prior_reader(name, priors, costs=costs, threshold=4).read(COUNTS)
    confusion = br.Confusion(tp=30, fp=20, fn=20, tn=80)
    assert seen == pytest.approx(
        [br.measure(confusion, name, at=br.Conditions(prior, costs)) for prior in priors], rel=1e-12
    )


def test_along_base_rates_the_cheapest_threshold_is_chosen_again_at_each():
    costs, priors = br.Costs(fp=1, fn=20), [0.001, 0.02, 0.1, 0.5]
    points = [br.choose(COUNTS, at=br.Conditions(prior, costs)) for prior in priors]
    assert len({point.threshold for point in points}) > 2, (
        "the thresholds differ, or nothing is tested"
    )
    seen = prior_reader("precision", priors, costs=costs).read(COUNTS)
    assert seen == pytest.approx([point.precision for point in points], nan_ok=True)
    fixed = prior_reader("precision", priors, costs=costs, threshold=points[1].threshold).read(
        COUNTS
    )
    assert fixed[1] == pytest.approx(seen[1])
    assert fixed[3] != pytest.approx(seen[3])


def test_along_base_rates_a_rule_is_kept_at_each_and_undefined_where_none_can():
    priors = [0.5, 0.1, 0.001]
    seen = prior_reader("tpr", priors, rule="precision >= 0.5 and tpr >= 0.3").read(COUNTS)
    assert seen[:1] == pytest.approx(
        [br.choose(COUNTS, "precision >= 0.5 and tpr >= 0.3", at=br.Conditions(0.5)).tpr]
    )
    assert np.isnan(seen[2])
    counted = prior_reader("alerts", priors, rule="recall >= 0.5", volume=1000).read(COUNTS)
    expected = [
        br.choose(COUNTS, "recall >= 0.5", at=br.Conditions(prior), volume=1000)["alerts"]
        for prior in priors
    ]
    assert counted == pytest.approx(expected)


def test_of_one_class_no_curve_is_known_anywhere():
    only = br.Counts([2, 1], positives=[0, 0], negatives=[3, 4])
    for reader in (
        curve_reader(br.roc, None, [0.5]),
        curve_reader(cost_curve, None, [0.5]),
        prior_reader("precision", [0.1]),
    ):
        assert np.isnan(reader.read(only)).all()
