"""Comparing models whose cases come in groups."""

import numpy as np
import pytest
from scipy import stats
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


def few_clusters(clusters=8, rows=30, seed=5):
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(clusters), rows)
    labels = rng.random(len(groups)) < 0.3
    shared = rng.normal(size=(clusters, 2))[groups]
    scores = 1.5 * labels[:, None] + shared + rng.normal(size=(len(groups), 2))
    return br.count(labels, {"a": scores[:, 0], "b": scores[:, 1]}, cluster=groups)


@pytest.mark.parametrize("at", [br.Conditions(0.01), br.Conditions(br.Range(0.01, 0.02))])
@pytest.mark.parametrize("statistic", ["auc", "expected_cost"])
def test_resamples_of_few_clusters_are_spread_as_students_t_asks(statistic, at, monkeypatch):
    if statistic == "auc":
        at = None
    given = few_clusters()
    found = br.compare(given, statistic, replicates=300, at=at)
    with monkeypatch.context() as plain:
        plain.setattr("baserate.inference.differences.spread_of", lambda *_: 1.0)
        without = br.compare(given, statistic, replicates=300, at=at)
    positives = np.array([given["a"][group].total_positives for group in given["a"].groups])
    worth = positives.sum() ** 2 / (positives**2).sum()
    by = np.sqrt(8 / 7) * stats.t.ppf(0.975, worth - 1) / stats.norm.ppf(0.975)
    assert by > 1.25
    if not isinstance(at, br.Conditions) or at.is_exact:  # a range takes the widest of its places
        assert found.low == pytest.approx(found.value - by * (without.value - without.low))
        assert found.high == pytest.approx(found.value + by * (without.high - without.value))
    assert found.value == without.value
    assert found.low < without.low < without.high < found.high
    assert found.p_value >= without.p_value


def test_many_clusters_are_resampled_as_before(monkeypatch):
    given = grouped_models(groups={name: np.arange(120) for name in "ab"})
    found = br.compare(given, br.auc, replicates=300)
    monkeypatch.setattr("baserate.inference.differences.spread_of", lambda *_: 1.0)
    without = br.compare(given, br.auc, replicates=300)
    assert found.high - found.low == pytest.approx(without.high - without.low, rel=0.06)
