"""Between two points of a ROC lies a straight line; what it becomes elsewhere is followed exactly,
as densely as pixels ask for.
"""

import dataclasses
import itertools
import math
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.curves import generated_summaries as generated
from tests.curves import oracle_curves as oracle
from tests.strategies import cases

import baserate as br
from baserate.curves import named

SETS, PIXELS = 12, 24
CURVES = {entry.name: entry for entry in named.CURVES.values() if entry.along}


@cache
def drawn(kind):
    rng = random.Random(f"densified {kind}")
    return [
        (generated.cells(rng, kind), rng.choice([1e-9, 1e-5, 0.02, 0.5, 0.99])) for _ in range(SETS)
    ]


def read(name, counts, prior):
    entry = CURVES[name]
    options = {"at": br.Conditions(prior)} if entry.conditions else {}
    return entry.make(counts, **options, **({"hull": False} if entry.hull else {}))


def densely(curve, pixels=PIXELS, most=200_000):
    """The densified curve; one that goes on halving for ever fails instead of filling the
    memory.
    """
    inside = curve.between

    def counted(edge, share):
        assert len(edge) <= most, f"{len(edge)} points for {pixels} pixels"
        return inside(edge, share)

    return dataclasses.replace(curve, between=counted).densified(pixels)


def edges(held, curve):
    """The ends of each edge of the ROC between the curve's points, as exact rates."""
    rates = dict(oracle.roc(held))
    points = [rates[None], *(rates[threshold] for threshold in curve.thresholds[1:].tolist())]
    return list(itertools.pairwise(points))


def runs(plain, dense):
    """The places of the dense curve that lie on each edge: they keep the threshold of the edge's
    end.
    """
    start = 0
    for place in range(1, len(plain)):
        end = start + 1
        while (
            dense.thresholds[end] == plain.thresholds[place]
            and end + 1 < len(dense)
            and dense.thresholds[end + 1] == dense.thresholds[end]
        ):
            end += 1
        yield range(start, end + 1)
        start = end


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", CURVES)
def test_new_points_lie_on_the_mixtures_of_two_thresholds(name, kind):
    far = []
    for held, prior in drawn(kind):
        plain = read(name, generated.counts(held), prior)
        dense = densely(plain)
        for ends, places in zip(edges(held, plain), runs(plain, dense), strict=True):
            for place in places[1:-1]:
                point = (dense.x[place], dense.y[place])
                away = oracle.distance(CURVES[name].axes, ends, Fraction(prior), point)
                scale = max(1.0, abs(point[1]))
                if away is not None and away > 1e-12 * scale:
                    far.append((held, prior, ends, point, away))
    assert not far


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", CURVES)
def test_the_old_points_stay_and_no_step_is_longer_than_a_pixel(name, kind):
    for held, prior in drawn(kind):
        plain = read(name, generated.counts(held), prior)
        dense = densely(plain)
        old = set(zip(plain.x.tolist(), plain.y.tolist(), strict=True))
        new = set(zip(dense.x.tolist(), dense.y.tolist(), strict=True))
        for x, y in old:
            assert (x, y) in new or any(
                math.isclose(x, a, rel_tol=1e-14) and math.isclose(y, b, rel_tol=1e-14)
                for a, b in new
            )
        for before, after in ((plain.x, dense.x), (plain.y, dense.y)):
            span = before.max() - before.min()
            assert (np.abs(np.diff(after)) <= span / PIXELS * (1 + 1e-9) + 1e-15).all()
        assert (dense.name, dense.at, dense.notes, dense.digest) == (
            plain.name,
            plain.at,
            plain.notes,
            plain.digest,
        )


def test_a_precision_recall_edge_sags_below_the_straight_line_between_its_ends():
    """Davis & Goadrich: from (tpr .02, precision ½) to (1, .01) the chord promises far more than
    any mixture gives.
    """
    counts = br.Counts([2, 1], [5, 245], [5, 24745])
    plain = br.pr(counts)
    dense = plain.densified(200)
    chord = np.interp(dense.x, plain.x, plain.y)
    inner = (dense.x > 0.03) & (dense.x < 0.97)
    assert (dense.y[inner] < chord[inner]).all()
    for recall, precision in zip(dense.x[inner].tolist(), dense.y[inner].tolist(), strict=True):
        tp = 250 * recall
        fp = 5 + (tp - 5) / 245 * 24745
        assert precision == pytest.approx(tp / (tp + fp), rel=1e-12)


@pytest.mark.parametrize("prior", [0.5, 0.01, 1e-6])
def test_the_area_under_a_densified_precision_recall_curve_tends_to_auprc(prior):
    counts, at = br.Counts([4, 3, 2, 1], [3, 5, 1, 1], [1, 4, 20, 75]), br.Conditions(prior)
    dense = br.pr(counts, at=at).densified(20_000)
    area = float(np.sum(np.diff(dense.x) * (dense.y[1:] + dense.y[:-1]) / 2))
    assert area == pytest.approx(br.curves.auprc(counts, at=at), rel=1e-6)


@given(cases(both=True), st.sampled_from([0.5, 0.01, 1e-7]))
def test_gains_turn_straight_lines_of_the_roc_into_straight_lines(data, prior):
    counted = br.count(*data)
    counts = br.Counts(-np.arange(len(counted.scores)), counted.positives, counted.negatives)
    plain = br.curve(counts, "pr_gain", at=br.Conditions(prior))
    start = int(np.argmax(br.Points.of(counts).corners().tp > 0))
    p = Fraction(prior)
    held = list(
        zip(
            counts.scores.tolist(),
            counts.positives.tolist(),
            counts.negatives.tolist(),
            strict=True,
        )
    )
    ends = edges(held, plain)
    for place in range(start, len(plain) - 1):
        middle = oracle.between(*ends[place], Fraction(1, 3))
        x, y = (float(oracle.value(axis, middle, p)) for axis in named.CURVES["pr_gain"].axes)
        (x0, x1), (y0, y1) = plain.x[place : place + 2], plain.y[place : place + 2]
        scale = 1 + max(map(abs, (x0, x1, y0, y1)))
        # The cross product of two directions is 0 on a straight line.
        assert abs((x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)) <= 1e-13 * scale**2


@pytest.mark.parametrize("prior", [0.99, 0.5, 0.3, 1e-5])
@pytest.mark.parametrize(
    "counts",
    [
        br.Counts([1], [3], [7]),
        br.Counts([2, 1], [3, 6], [7, 14]),
        br.Counts([2, 1], [1, 2], [0, 0.1]),
    ],
)
def test_a_constant_that_is_off_by_rounding_is_not_followed_for_ever(counts, prior):
    for name in ("pr", "broc", "lift_curve"):
        assert len(densely(read(name, counts, prior), 64)) < 2000


def test_points_on_an_edge_keep_the_threshold_of_its_end():
    counts = br.Counts([0.9, 0.1], [1, 1], [0, 4])
    dense = br.roc(counts).densified(4)
    assert math.isnan(dense.thresholds[0])
    assert set(dense.thresholds[1:].tolist()) == {0.9, 0.1}
    assert (np.diff(dense.x) >= 0).all()


def test_a_curve_without_edges_of_a_roc_is_as_dense_as_it_gets():
    counts = br.Counts([0.9, 0.1], [1, 1], [0, 4])
    for curve in (
        br.curve(counts, "cost"),
        br.curve(counts, "ks"),
        br.curve(counts, "tpr:prior", priors=[0.1]),
    ):
        assert curve.densified() is curve
    again = br.pr(counts).densified(8)
    assert again.densified(64) is again


@pytest.mark.parametrize(
    "counts", [br.Counts([0.5, 0.2], [3, 1], [0, 0]), br.Counts([0.5, 0.2], [0, 0], [3, 1])]
)
def test_one_class_alone_is_undefined_along_the_curve_and_can_still_be_densified(counts):
    along = br.broc(counts, hull=False), br.curve(counts, "posfrac")
    for curve in (br.roc(counts), br.pr(counts), *along):
        dense = densely(curve, 8)
        assert len(dense) >= 2
        assert np.isnan(curve.x).all() or np.isnan(curve.y).all() or np.isfinite(dense.x).all()


@pytest.mark.parametrize("pixels", [1, 0, -5, 2.5, "many", True, 100_001, None])
def test_BR542_pixels_are_a_whole_number(pixels):
    with pytest.raises(
        br.InputError, match="BR542: pixels must be a whole number from 2 to 100,000, got"
    ):
        br.roc(br.Counts([0.9, 0.1], [1, 1], [0, 4])).densified(pixels)
