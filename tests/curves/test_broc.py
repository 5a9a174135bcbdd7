"""The B-ROC: monotone on the hull and not off it, with its first piece vertical, and an order of
models that no prior changes.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.curves import oracle_curves as oracle
from tests.strategies import cases

import baserate as br

PRIORS = [0.5, 0.01, 6.52e-5, 1e-9]
priors = st.sampled_from(PRIORS)
shares = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(1e-100, 1))


@given(cases(both=True), priors)
def test_on_the_hull_it_rises(data, prior):
    fdr, tpr, _ = br.broc(br.count(*data), at=br.Conditions(prior))
    assert (np.diff(fdr) >= -1e-15).all()
    assert (np.diff(tpr) >= 0).all()


def test_off_the_hull_it_need_not():
    counts = br.Counts([3, 2, 1], [1, 3, 0], [2, 0, 2])
    raw, hull = (
        br.broc(counts, at=br.Conditions(prior=0.1), hull=False),
        br.broc(counts, at=br.Conditions(prior=0.1)),
    )
    assert (np.diff(raw.x) < 0).any()
    assert (np.diff(hull.x) >= 0).all()


@given(cases(both=True), priors)
def test_it_starts_at_the_limit_of_the_first_slope_and_stays_there_along_the_first_edge(
    data, prior
):
    counts = br.count(*data)
    hull = br.Points.of(counts).hull()
    curve = br.broc(counts, at=br.Conditions(prior))
    rise, run = (
        Fraction(values[1].item()) / Fraction(whole)
        for values, whole in ((hull.tp, hull.total_positives), (hull.fp, hull.total_negatives))
    )
    p = Fraction(prior)
    limit = 0 if run == 0 else (1 - p) / (p * (rise / run - 1) + 1)
    assert curve.x[:2] == pytest.approx([float(limit)] * 2, rel=1e-13)
    assert curve.x[0] == curve.x[1]


@given(st.floats(1e-9, 0.999), st.lists(st.tuples(shares, shares), min_size=1, max_size=9))
def test_points_of_a_roc_map_by_bayes_theorem(prior, rates):
    fdr, tpr = br.curves.to_broc([x for x, _ in rates], [y for _, y in rates], br.Conditions(prior))
    for got, (x, y) in zip(fdr.tolist(), rates, strict=True):
        exact = oracle.value("fdr", (Fraction(x), Fraction(y)), Fraction(prior))
        assert (
            np.isnan(got)
            if exact is None
            else got == pytest.approx(float(exact), rel=1e-14, abs=1e-300)
        )
    assert tpr.tolist() == [y for _, y in rates]


def test_a_mapping_needs_a_prior():
    with pytest.raises(br.InputError, match="BR509"):
        br.curves.to_broc([0.1], [0.5], br.Conditions())
