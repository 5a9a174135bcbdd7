"""Comparing models whose cases come in groups."""

import numpy as np
import pytest
from tests.inference.refusals import assert_refused
from tests.inference.two_models import grouped_models, joint, models, separate

import baserate as br


def test_groups_are_drawn_whole_and_the_same_for_both_models():
    found = br.compare(grouped_models(), br.auc, replicates=400)
    assert (found.method, found.paired, found.replicates) == ("percentile", True, 400)
    assert "clusters" in found.notes[-1].text
    assert found.value == br.auc(separate()["b"]) - br.auc(separate()["a"])
    by_case = br.compare(
        joint(), br.auc, method="delong"
    )  # groups that have nothing in common: as many cases
    assert (found.low, found.high) == pytest.approx((by_case.low, by_case.high), abs=0.03)


def test_cases_that_come_in_copies_are_not_taken_for_more():
    labels, scores = models(cases=80)
    copies = np.repeat(np.arange(80), 5)
    groups = {
        name: br.count(labels[copies], values[copies], cluster=copies)
        for name, values in scores.items()
    }
    clustered = br.compare(groups, br.auc, replicates=300)
    naive = br.compare(
        br.count(labels[copies], {name: values[copies] for name, values in scores.items()}),
        br.auc,
        method="delong",
    )
    once = br.compare(br.count(labels, scores), br.auc, method="delong")
    assert clustered.high - clustered.low > 1.7 * (naive.high - naive.low)
    assert clustered.high - clustered.low == pytest.approx(once.high - once.low, rel=0.2)


def test_other_groups_are_refused():
    other = grouped_models(groups={"b": np.arange(120) % 29})
    assert_refused(
        "BR595",
        "the groups of the two models differ, so their cases are not the same",
        lambda: br.compare(other, br.auc),
    )


def test_groups_with_other_class_totals_are_refused():
    labels = models()[0]
    other = grouped_models(labels={"b": labels[::-1].copy()})
    assert set(other["a"].groups) == set(other["b"].groups)
    assert other["a"].total_positives == other["b"].total_positives
    assert_refused(
        "BR595", "the groups of the two models differ", lambda: br.compare(other, br.auc)
    )


def test_groups_are_not_compared_by_delong():
    assert_refused(
        "BR581",
        'no method "delong" to compare auc',
        lambda: br.compare(grouped_models(), br.auc, method="delong"),
    )


def test_groups_of_the_same_cases_are_not_taken_for_different_ones():
    assert_refused(
        "BR595",
        "the same cases|paired",
        lambda: br.compare(grouped_models(), br.auc, paired=False, replicates=100),
    )
