"""Several sites read as one: sums of what each gives at its own base rate, in fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.decisions.selection import (
    class_weights,
    pooled_confusion,
    pooled_counts,
    pooled_prior,
)

ONE = br.count([1, 0, 0, 0, 1], [0.9, 0.8, 0.3, 0.2, 0.1])
OTHER = br.count([1, 1, 0], [0.7, 0.4, 0.6])
OWN = br.Conditions()


def designed(prior=None):
    counts = br.count([1, 1, 0], [0.7, 0.4, 0.6], design="case-control")
    return counts, OWN if prior is None else br.Conditions(prior=prior)


def test_the_base_rate_of_all_sites_is_their_average_by_cases():
    assert pooled_prior([(ONE, OWN), (OTHER, OWN)]) == Fraction(4, 8)
    at = br.Conditions(prior=0.25)
    assert pooled_prior([(ONE, at), (OTHER, OWN)]) == (5 * Fraction(1, 4) + 2) / 8
    assert pooled_prior([(ONE, at), (OTHER, br.Conditions(prior=0.5))]) == Fraction(11, 32)


def test_a_case_control_site_has_a_base_rate_only_where_it_is_given():
    assert pooled_prior([(ONE, OWN), designed()]) is None
    assert pooled_prior([(ONE, OWN), designed(0.5)]) == (2 + Fraction(3, 2)) / 8


def test_sites_of_one_class_have_no_base_rate():
    for label in (0, 1):
        only = br.count([label, label], [0.1, 0.2])
        assert pooled_prior([(only, OWN)]) is None
        assert pooled_prior([(only, OWN), (ONE, OWN)]) is not None


def test_weights_of_classes_keep_the_cases_and_give_the_base_rate():
    for prior, cases in ((0.25, None), (0.75, Fraction(100)), (0.5, Fraction(1, 3))):
        each, other = class_weights(ONE, br.Conditions(prior=prior), cases)
        whole = 2 * each + 3 * other
        assert whole == (5 if cases is None else cases)
        assert 2 * each / whole == Fraction(prior)
    assert class_weights(ONE, OWN) == (1, 1)
    assert class_weights(ONE, OWN, Fraction(10)) == (2, 2)


def test_outcomes_of_all_sites_are_sums_at_each_base_rate():
    sites = [(ONE, br.Conditions(prior=0.25)), (OTHER, OWN)]
    found = pooled_confusion(sites, 0.6)
    each, other = class_weights(*sites[0])
    assert list(map(Fraction, found)) == [each + 1, other + 1, each + 1, 2 * other]
    cells = list(map(Fraction, found))
    assert (cells[0] + cells[2]) / sum(cells) == pooled_prior(sites)
    nothing = pooled_confusion(sites, None)
    assert (nothing.tp, nothing.fp) == (0, 0)


@pytest.mark.parametrize(("scale", "kind"), [(1, np.int64), (10**15, np.int64), (10**17, float)])
def test_counts_of_all_sites_have_their_outcomes_in_one_proportion(scale, kind):
    """Whole numbers as long as all of them together fit into 64 bits, else masses."""
    one = br.Counts([3, 2, 1], np.array([1, 0, 1]) * scale, np.array([0, 1, 2]) * scale)
    other = br.Counts([3, 1], np.array([1, 1]) * scale, np.array([0, 1]) * scale)
    sites = [(one, br.Conditions(prior=0.25)), (other, OWN), (other, br.Conditions(prior=0.1))]
    pooled = pooled_counts(sites)
    assert pooled.positives.dtype == kind
    whole = Fraction(pooled.total_positives) / pooled_confusion(sites, -math.inf).tp
    assert (whole == 1) == (kind is float)
    for threshold in (None, 3, 2, 1):
        exact = [whole * Fraction(cases) for cases in pooled_confusion(sites, threshold)]
        found = br.choose(pooled, threshold=threshold, at=br.Conditions(prior=0.5)).confusion
        assert list(map(float, found)) == pytest.approx(list(map(float, exact)), rel=1e-14)
