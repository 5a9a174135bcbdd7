"""Measures of rates that are given: in arrays, on the line between two confusions, and rounded."""

from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate import Measure
from baserate.measures.confusion import exact_value, interpolate_confusions, rates_read
from baserate.measures.registry import CATALOGUE
from baserate.numbers import Undefinable, exactly

RATES = [(t, f) for t in (0.125, 0.5, 0.75, 1.0) for f in (0.0, 0.125, 0.5, 0.875)]
COSTS = br.Costs(fp=3, fn=8, tp=1.5, tn=-0.5)
TOTALS = (64.0, 1024.0)


def parameterless():
    return [name for name, known in CATALOGUE.items() if not known.parameters]


@pytest.mark.parametrize("name", parameterless())
def test_arrays_of_rates_give_what_each_confusion_gives(name):
    """Rates, priors and costs in arrays, against one exact value at a time."""
    asked, priors = Measure(name), np.array([0.0625, 0.5, 0.75, 0.25] * 4)
    t, f = (np.array(side) for side in zip(*RATES, strict=True))
    costs = (COSTS.tp, COSTS.fp, COSTS.fn, COSTS.tn)
    found = rates_read(asked, (t, f), priors, tuple(map(float, costs)), TOTALS)
    assert found.shape == t.shape
    for value, tpr, fpr, prior in zip(found, t, f, priors, strict=True):
        confusion = br.Confusion(tp=TOTALS[0] * tpr, fp=TOTALS[1] * fpr,
                                 fn=TOTALS[0] * (1 - tpr), tn=TOTALS[1] * (1 - fpr))  # fmt: skip
        try:
            exact = exact_value(asked, confusion, br.Conditions(prior=prior, costs=COSTS))
        except Undefinable:
            assert not np.isfinite(value)
            continue
        assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


def test_between_two_confusions_every_cell_moves_along_its_own_line():
    one, other = br.Confusion(tp=1, fp=20, fn=9, tn=80), br.Confusion(tp=8, fp=60, fn=2, tn=40)
    share = Fraction(1, 3)
    found = interpolate_confusions(one, other, share)
    cells = [exactly(a) * (1 - share) + exactly(b) * share for a, b in zip(one, other, strict=True)]
    assert list(map(exactly, found)) == cells
    assert list(interpolate_confusions(one, other, Fraction(0))) == list(one)
    assert list(interpolate_confusions(one, other, Fraction(1))) == list(other)
    assert list(interpolate_confusions(other, one, 1 - share)) == list(found)


@pytest.mark.parametrize("rates", [{"precision": 0, "npv": 1}, {"precision": 1, "npv": 0}])
def test_rates_that_leave_one_class_empty_are_a_contradiction(rates):
    with pytest.raises(br.InputError, match="BR541"):
        br.solve_rates(**rates)


@pytest.mark.parametrize("value", [1.5, -0.25, "150%", "x"])
def test_a_rate_outside_0_and_1_is_refused_as_such(value):
    with pytest.raises(br.InputError, match="BR542: tpr must be a share between 0 and 1"):
        br.solve_rates(tpr=value, fpr=0.2)


@pytest.mark.parametrize("name", ["fpr", "tpr"])
@pytest.mark.parametrize("value", [1.5, 2, -0.25])
def test_a_line_of_equal_costs_goes_through_a_point_of_roc_space(name, value):
    place = {"fpr": 0.1, "tpr": 0.7} | {name: value}
    with pytest.raises(br.InputError, match=f"{name} lies between 0 and 1"):
        br.curves.iso_cost_line(br.Conditions(prior=0.2), **place)


def test_ranges_of_solved_rates_hold_every_value_that_fits():
    """Given to two digits, the range of each other rate is that of its values at the four corners
    of what was rounded.
    """
    solved = br.solve_rates(tpr="0.80", fpr="0.20", prior=Fraction(1, 10))
    exact = [
        br.solve_rates(tpr=Fraction(tpr), fpr=Fraction(fpr), prior=Fraction(1, 10))
        for tpr in ("0.795", "0.805")
        for fpr in ("0.195", "0.205")
    ]
    for name in ("precision", "npv", "accuracy", "posfrac"):
        values, found = [getattr(one, name) for one in exact], solved[name]
        assert (found.low, found.high) == pytest.approx((min(values), max(values)), rel=1e-12)
