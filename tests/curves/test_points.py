"""Every named curve, point by point, against the definitions of its two measures in exact
fractions.
"""

import inspect
import math
import random
import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from tests.curves import generated_summaries as generated
from tests.curves import oracle_curves as oracle

import baserate as br
from baserate.curves import named
from baserate.curves.named import CURVES, axis_label
from baserate.measures.registry import CATALOGUE

SETS = 40
# The curves of two measures, by the functions that make them.
ENTRIES = {
    entry.name: entry
    for name, entry in CURVES.items()
    if {*entry.axes} <= {*CATALOGUE} and name != "roc_hull"
}
NAMED = {name: entry.make for name, entry in ENTRIES.items()}
BOUND = [name for name, entry in ENTRIES.items() if entry.conditions]
LIMITED = [name for name, entry in ENTRIES.items() if entry.limit]


@cache
def cases(kind):
    """[(cells, counts, prior or None, prior as a fraction)]."""
    rng = random.Random(f"curves of {kind}")
    found = []
    for _ in range(SETS):
        held, prior = generated.cells(rng, kind), rng.choice(generated.PRIORS)
        found.append(
            (
                held,
                generated.counts(held),
                prior,
                oracle.prior_of(held) if prior is None else Fraction(prior),
            )
        )
    return found


def read(name, counts, prior, **options):
    """The curve with every threshold; of the B-ROC the raw one."""
    options |= {"at": br.Conditions(prior)} if name in BOUND else {}
    options |= {"hull": False} if ENTRIES[name].hull else {}
    return NAMED[name](counts, **options)


def agrees(axis, got, rates, p, ulps=8):
    exact = oracle.value(axis, rates, p)
    if exact is None or math.isnan(got):
        return exact is None and math.isnan(got)
    return generated.near(
        got, exact, ulps, max(oracle.largest_term(axis, rates, p), Fraction(1, 10**300))
    )


def wrong_points(name, curve, held, p, first):
    """Places where the curve is not what its measures are; the first point is looked at elsewhere
    where it is a limit.
    """
    rates = oracle.roc(held)
    assert len(curve) == len(rates)
    for place in range(first, len(rates)):
        threshold, point = rates[place]
        said = None if math.isnan(curve.thresholds[place]) else curve.thresholds[place]
        values = [
            agrees(axis, column[place], point, p)
            for axis, column in zip(ENTRIES[name].axes, curve, strict=False)
        ]
        if said != threshold or not all(values):
            yield held, p, place, (curve.x[place], curve.y[place], said)


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", NAMED)
def test_every_point_is_what_its_two_measures_are(name, kind):
    found = []
    for held, counts, prior, p in cases(kind):
        found += wrong_points(
            name,
            read(name, counts, prior, every=True),
            held,
            p,
            first=int(name in (*LIMITED, "pr_gain")),
        )
    assert not found


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", LIMITED)
def test_the_first_point_is_the_limit_as_less_and_less_is_flagged(name, kind):
    axes = ENTRIES[name].axes
    for held, counts, prior, p in cases(kind):
        curve = read(name, counts, prior)
        for axis, column in zip(axes, curve, strict=False):
            exact = oracle.value(axis, (Fraction(0), Fraction(0)), p)
            exact = oracle.limit(axis, held, p) if exact is None else exact
            assert generated.near(column[0], exact, 8, max(abs(exact), Fraction(1, 10**300)))


def test_gains_have_no_limit_where_nothing_is_flagged():
    """FN/TP grows without bound: a recall gain there is no number, and not that of the next
    threshold.
    """
    curve = br.curve(br.Counts([3, 2, 1], [2, 1, 1], [1, 2, 5]), "pr_gain")
    assert not np.isfinite(curve.x[0])
    late = br.curve(br.Counts([4, 3, 2, 1], [0, 2, 1, 1], [3, 1, 2, 5]), "pr_gain")
    assert not np.isfinite(late.x[:2]).any()
    assert not np.isfinite(late.y[1])


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", NAMED)
def test_leaving_out_the_middle_of_straight_runs_leaves_the_same_line(name, kind):
    for _, counts, prior, _ in cases(kind):
        full, short = read(name, counts, prior, every=True), read(name, counts, prior)
        kept = np.isin(full.thresholds, short.thresholds) | np.isnan(full.thresholds)
        for one, other in zip(full, short, strict=True):
            assert np.array_equal(one[kept], other, equal_nan=True)
        fpr, tpr = br.Points.of(counts).fpr, br.Points.of(counts).tpr
        for place in np.flatnonzero(~kept):
            before, after = (
                np.flatnonzero(kept[:place])[-1],
                place + np.flatnonzero(kept[place:])[0],
            )
            assert fpr[before] == fpr[after] or tpr[before] == tpr[after]


@pytest.mark.parametrize("kind", generated.KINDS)
def test_the_hull_has_the_corners_that_no_chord_covers_and_lies_on_or_above_the_curve(kind):
    for held, counts, _, _ in cases(kind):
        rates = [point for _, point in oracle.roc(held)]
        fpr, tpr, thresholds = br.curve(counts, "roc_hull")
        corners = oracle.hull(rates)
        if kind not in ("weighted", "huge"):
            assert list(zip(fpr.tolist(), tpr.tolist(), strict=True)) == [
                (float(x), float(y)) for x, y in corners
            ]
        assert math.isnan(thresholds[0])
        raw = br.roc(counts, every=True)
        above = np.array([float(oracle.height(corners, x)) for x, _ in rates])
        assert (above >= raw.y - 1e-15).all()
        steep = (
            np.diff(tpr) * np.append(np.diff(fpr)[1:], 1)
            >= np.append(np.diff(tpr)[1:], 0) * np.diff(fpr) - 1e-15
        )
        assert steep.all()


@pytest.mark.parametrize("kind", generated.KINDS)
def test_the_ks_curve_and_the_cost_along_thresholds(kind):
    rng = random.Random(kind)
    for held, counts, prior, p in cases(kind):
        money = generated.costs(rng)
        ks, cost = (
            br.curve(counts, "ks"),
            br.curve(counts, "cost_threshold", at=generated.at(prior, money)),
        )
        for place, (threshold, rates) in enumerate(oracle.roc(held)[1:]):
            assert ks.x[place] == cost.x[place] == ks.thresholds[place] == threshold
            assert agrees("informedness", ks.y[place], rates, p)
            exact = oracle.expected_cost(rates, p, money)
            assert generated.near(cost.y[place], exact, 8, max(1e-300, *map(abs, money)))
        assert max(0, ks.y.max()) == pytest.approx(br.curves.ks(counts), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("kind", generated.KINDS)
def test_any_two_measures_are_traced_with_nan_where_one_is_undefined(kind):
    for held, counts, prior, p in cases(kind):
        curve = br.curve(counts, "npv:f1", prior=prior)
        for place, (_, rates) in enumerate(oracle.roc(held)):
            assert agrees("f1", curve.x[place], rates, p)
            assert agrees("npv", curve.y[place], rates, p)
        assert math.isnan(curve.y[-1])
        short = br.curve(counts, "accuracy:posfrac", prior=prior, every=False)
        assert len(short) == len(br.roc(counts))


def test_a_trace_takes_measures_by_their_one_name_and_a_volume():
    counts = br.Counts([3, 2, 1], [6, 3, 1], [2, 8, 30])
    curve = br.curve(counts, "alerts:tpr", prior=0.01, volume=1000)
    assert (curve.x_label, curve.y_label) == ("tpr", "alerts(volume=1000)")
    assert curve.y[-1] == pytest.approx(1000)
    with pytest.raises(br.InputError, match="did you mean"):
        br.curve(counts, "fpr:tprr")
    assert br.curve(counts, "fpr:recall").x_label == "tpr"


@pytest.mark.parametrize("prior", [0.5, 0.1, 0.001])
def test_a_family_is_one_curve_a_set_of_conditions(prior):
    counts = br.Counts([3, 2, 1], [6, 3, 1], [2, 8, 30])
    conditions = [br.Conditions(prior=0.3), br.Conditions(prior=prior)]
    curves = br.curve(counts, "broc", at=conditions, hull=False)
    assert [curve.at.prior for curve in curves.values()] == [0.3, prior]
    last = list(curves.values())[-1]
    assert last.x.tolist() == br.broc(counts, at=conditions[1], hull=False).x.tolist()


@pytest.mark.parametrize("name", [*BOUND, "cost_threshold_curve"])
def test_chosen_class_totals_and_rates_alone_need_a_prior(name):
    curve = getattr(named, name)
    chosen = br.count([1, 0, 0], [0.9, 0.5, 0.1], design="case-control")
    rates = br.Points.from_rates([0.1], [0.6])
    for counts in (chosen, rates):
        with pytest.raises(br.InputError, match="BR509.*so a prior must be given"):
            curve(counts)
        assert len(curve(counts, at=br.Conditions(prior=0.1))) >= 2
        assert len(br.roc(counts)) >= 3
        assert len(br.curve(counts, "ks")) >= 2


@pytest.mark.parametrize(
    "name", [*NAMED, "roc_hull", "ks_curve", "cost_curve", "cost_lines", "cost_threshold_curve"]
)
def test_anything_but_counts_or_points_is_refused(name):
    with pytest.raises(br.InputError, match="BR429: points are made of Counts, got list"):
        getattr(named, name)([0.1, 0.2])


@pytest.mark.parametrize("name", CURVES)
def test_the_axes_are_those_that_the_docstring_names(name):
    entry = CURVES[name]
    text = " ".join(inspect.getdoc(entry.make).partition(">>>")[0].split())
    for letter, axis in zip("xy", entry.axes, strict=True):
        words = re.search(rf"\b{letter} = ([^,:;.]+)", text)[1]
        assert words.startswith((axis, axis.replace("_", " "), axis_label(axis).split(" (")[0])), (
            words
        )


def test_a_curve_depends_on_conditions_where_one_of_its_measures_does():
    for entry in ENTRIES.values():
        assert entry.conditions == any(CATALOGUE[axis].prior for axis in entry.axes)
