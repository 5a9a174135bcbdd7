"""Section C: weights."""

from fractions import Fraction

import numpy as np
from tests.bad_inputs.bench import M, Y, table, with_
from tests.bad_inputs.rows import row

import baserate as br

ONES = [1.5] * 20


def weighted(bench, weights, *more, name="w"):
    return bench.show(table(y=Y, m=M, **{name: weights}), "--weight", name, *more)


@row(37, "a negative weight")
def test_row_37_negative_weights_are_refused(bench):
    shown = bench.refused("BR303", *weighted(bench, with_(ONES, at1=-5)), lines=(3,))
    assert "-5" in shown
    return shown


@row(38, "no weight at all, or none in one class")
def test_row_38_a_class_without_weight_is_refused(bench):
    assert "BR552" in bench.refused("BR552", *weighted(bench, [0] * 20))
    return bench.refused("BR552", *weighted(bench, [0 if y else 1 for y in Y]))


@row(39, "NaN or infinite weights")
def test_row_39_weights_that_are_no_numbers_are_refused(bench):
    gone = bench.refused("BR303", *weighted(bench, with_(ONES, at4="NaN")), lines=(6,))
    return gone, bench.refused("BR303", *weighted(bench, with_(ONES, at4="inf")), lines=(6,))


@row(40, "weights near the largest float")
def test_row_40_weights_that_overflow_are_refused_and_large_ones_are_not(bench):
    large = br.count([0, 1], [1, 2], sample_weight=[8e307, 8e307])
    assert (large.total_positives, large.prior) == (8e307, 0.5)
    return repr(large), bench.refused("BR303", *weighted(bench, ["1e308"] * 20))


@row(41, "weights over 16 decades")
def test_row_41_weights_over_many_decades_are_exact_and_noted(bench):
    weights = np.array([1e16, 1.0, 1e-16, 1e16, 1.0, 3e-16])
    counts = br.count([1, 1, 1, 0, 0, 0], [0.5] * 6, sample_weight=weights)
    assert counts.positives.tolist() == [float(Fraction(1e16) + 1 + Fraction(1e-16))]
    return bench.noted("BR307", *weighted(bench, with_(ONES, at4=1e16, at5=1e-16)))


@row(
    42,
    "whole weights: counts of cases, or sampling weights",
    why="no interval is given for either: repeat the rows if they are counts",
)
def test_row_42_whole_weights_have_point_values_only(bench):
    whole = weighted(bench, [1 + i % 3 for i in range(20)])
    shown = bench.noted("BR306", *whole)
    assert "low" not in bench.answer(*whole)["models"][0]["summaries"]["auc"]
    counts = br.count(Y, list(map(float, M)), sample_weight=[1 + i % 3 for i in range(20)])
    return shown, bench.raised("BR583", br.interval, counts, br.auc)


@row(43, "one weight a class")
def test_row_43_class_weights_are_noted_with_the_prior_that_they_imply(bench):
    shown = bench.noted("BR304", *weighted(bench, [7.5 if y else 2.5 for y in Y]))
    assert "imply a base rate of 0.5 (rows: 0.25)" in shown
    return shown


@row(44, "an amount of money as weight")
def test_row_44_a_weight_that_is_an_amount_is_noted(bench):
    shown = bench.noted("BR305", *weighted(bench, [9.5 + i for i in range(20)], name="amount"))
    assert "--amount amount" in shown
    return shown
