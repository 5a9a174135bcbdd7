"""Comparing by the paired bootstrap, and at thresholds of each model's own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.oracle_delong import joint_of, scored
from tests.inference.refusals import assert_refused
from tests.inference.two_models import joint, models, separate

import baserate as br
from baserate.inference.resample import bootstrap_p

# The bootstrap.


def test_a_bootstrap_comparison_is_the_same_by_seed_and_differs_by_seed():
    first, again, other = (
        br.compare(joint(), "gini", replicates=300, seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert (first.low, first.high) != (other.low, other.high)
    assert (first.method, first.replicates, first.seed, first.value) == (
        "percentile",
        300,
        1,
        other.value,
    )
    assert [note.code for note in first[0].notes] == ["BR598"]
    assert br.compare(separate(), "gini", paired=False, replicates=200, seed=1) == br.compare(
        separate(), "gini", paired=False, replicates=200, seed=1
    )


def test_the_paired_bootstrap_of_auc_agrees_with_delong():
    delong, drawn = (
        br.compare(joint(), br.auc, method="delong"),
        br.compare(joint(), br.auc, method="percentile"),
    )
    assert drawn.value == pytest.approx(delong.value, rel=1e-12)
    assert (drawn.low, drawn.high) == pytest.approx((delong.low, delong.high), abs=0.015)


def test_the_unpaired_bootstrap_of_auc_agrees_with_delong_and_is_wider_than_the_paired_one():
    delong, drawn = (
        br.compare(separate(), br.auc, paired=False, method=method)
        for method in ("delong", "percentile")
    )
    assert (drawn.low, drawn.high) == pytest.approx((delong.low, delong.high), abs=0.025)
    assert not drawn.paired
    paired = br.compare(joint(), br.auc, method="percentile")
    assert drawn.high - drawn.low > 1.2 * (paired.high - paired.low)


@settings(max_examples=15)
@given(
    scored(least=5),
    st.sampled_from([br.auc, br.curves.gini, br.curves.average_precision, br.curves.brier]),
)
def test_identical_models_differ_by_nothing_in_every_resample(cases, statistic):
    same = joint_of(*([(a / 5, a / 5) for a, _ in members] for members in cases))
    found = br.compare(same, statistic, method="percentile", replicates=100)
    assert (found.value, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert (found.favours, found.significant) == (None, False)


def test_identical_groups_differ_by_nothing_in_every_resample():
    labels, scores = models()
    groups = br.count(labels, scores["a"], cluster=np.arange(len(labels)) % 30)
    found = br.compare({"a": groups, "b": groups}, br.auc, replicates=100)
    assert (found.value, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


@settings(max_examples=15)
@given(scored(least=5))
def test_swapping_the_models_flips_the_bootstrap_too(cases):
    whole = joint_of(*cases)
    found, swapped = (
        br.compare(whole, br.curves.gini, pair=pair, replicates=100)
        for pair in (("a", "b"), ("b", "a"))
    )
    assert (swapped.value, swapped.p_value) == (-found.value, found.p_value)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


def test_swapping_models_with_the_same_counts_flips_the_bootstrap_too():
    """Found by hypothesis: marginals that are equal put the models in the order in which they were
    named.
    """
    whole = joint_of([(0, 0)] * 5, [(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)])
    found, swapped = (
        br.compare(whole, br.curves.gini, pair=pair, replicates=100)
        for pair in (("a", "b"), ("b", "a"))
    )
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low), abs=1e-12)
    assert found.low != -found.high


def test_a_bootstrap_p_value_is_never_0():
    better = joint_of([(0, 3)] * 20, [(1, 0), (0, 1)] * 20)
    found = br.compare(better, br.curves.ks, replicates=100)
    assert found.low > 0
    assert found.p_value == 2 / 101


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_the_bootstrap_p_value_counts_what_lies_on_the_other_side(values):
    below, above = sum(value <= 0 for value in values), sum(value >= 0 for value in values)
    expected = 1.0 if not any(values) else min(1.0, 2 * (min(below, above) + 1) / (len(values) + 1))
    assert bootstrap_p(np.array(values, dtype=float)) == pytest.approx(expected)
    assert 0 < bootstrap_p(np.array(values, dtype=float)) <= 1
    assert bootstrap_p(np.array(values, dtype=float)) == bootstrap_p(-np.array(values, dtype=float))


def test_a_statistic_for_which_lower_is_better_favours_the_lower_model():
    labels = [0, 1] * 20
    whole = br.count(labels, {"sharp": [0.1, 0.9] * 20, "blunt": [0.4, 0.6] * 20})
    found = br.compare(whole, br.curves.brier, replicates=100)
    assert found.value == pytest.approx(0.16 - 0.01)
    assert (found.better, found.favours) == ("lower", "sharp")


def test_a_function_of_ones_own_is_compared_at_the_conditions_asked_for():
    at = br.Conditions(prior=0.01)

    def twice(counts, at):
        return 2 * br.curves.average_precision(counts, at=at)

    def once(counts, at):
        return br.curves.average_precision(counts, at=at)

    found = br.compare(joint(), twice, at=at, replicates=100)
    plain = br.compare(joint(), once, at=at, replicates=100)
    assert (found.name, found.at) == ("twice", at)
    assert (found.value, found.low, found.high) == pytest.approx(
        (2 * plain.value, 2 * plain.low, 2 * plain.high)
    )


def test_too_few_cases_are_refused_and_few_are_noted():
    few = joint_of([(1, 2)] * 4, [(0, 1)] * 30)
    assert_refused(
        "BR590", "only 4 positives: too few to resample", lambda: br.compare(few, br.curves.ks)
    )
    some = joint_of([(1, 2), (2, 1)] * 5, [(0, 1), (1, 0)] * 15)
    assert [note.code for note in br.compare(some, br.curves.ks, replicates=100)[0].notes] == [
        "BR591",
        "BR598",
    ]


def test_progress_is_told_up_to_the_last_replicate():
    told = []
    br.compare(
        joint(),
        br.curves.ks,
        replicates=150,
        progress=lambda done, whole: told.append((done, whole)),
    )
    assert told[-1] == (150, 150)


# Thresholds of each model.


def test_each_model_has_its_own_threshold():
    whole, thresholds = joint(), {"a": 0.5, "b": 1.2}
    expected = [
        br.choose(whole.marginal(name), threshold=threshold)["precision"]
        for name, threshold in thresholds.items()
    ]
    found = br.compare(whole, "precision", threshold=thresholds, replicates=200)
    assert found.values == pytest.approx(expected)
    assert found.value == pytest.approx(expected[1] - expected[0])
    assert found.low < found.high
    assert "thresholds are treated as fixed in advance" in found.notes[-1].text
    swapped = br.compare(whole, "precision", pair=("b", "a"), threshold=thresholds, replicates=200)
    assert (swapped.value, swapped.p_value) == (-found.value, found.p_value)


def test_equal_thresholds_by_name_are_the_same_as_one_threshold():
    for statistic, options in (("precision", {"replicates": 200}), ("tpr", {})):
        one, named = (
            br.compare(joint(), statistic, threshold=threshold, **options)
            for threshold in (0.7, {"a": 0.7, "b": 0.7})
        )
        assert (one.value, one.low, one.high, one.p_value) == (
            named.value,
            named.low,
            named.high,
            named.p_value,
        )


def test_thresholds_by_name_work_for_different_cases_and_for_groups():
    labels, scores = models()
    groups = {
        name: br.count(labels, values, cluster=np.arange(len(labels)) % 30)
        for name, values in scores.items()
    }
    found = [
        br.compare(given_, "tpr", threshold={"a": 0.5, "b": 1.2}, **options)
        for given_, options in (
            (joint(), {}),
            (separate(), {"paired": False, "replicates": 100}),
            (groups, {"replicates": 100}),
        )
    ]
    assert [one.method for one in found] == ["mcnemar", "percentile", "percentile"]
    assert found[0].values == found[1].values == found[2].values


def test_a_model_without_a_threshold_is_named():
    call = lambda: br.compare(joint(), "tpr", threshold={"a": 0.5, "c": 1})  # noqa: E731
    assert_refused("BR529", 'no threshold is given for "b"', call)


def test_a_threshold_belongs_to_a_measure():
    assert_refused(
        "BR594",
        "a rule or threshold belongs to a measure",
        lambda: br.compare(joint(), br.auc, threshold={"a": 1, "b": 1}),
    )


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (0.5, "give a rule or a threshold for tpr, not both"),
        ({"a": 0.5, "b": 0.5}, "give a rule or a threshold for tpr, not both"),
    ],
)
def test_a_rule_and_a_threshold_together_are_refused(threshold, text):
    assert_refused(
        "BR594",
        text,
        lambda: br.compare(joint(), "tpr", rule="fpr <= 0.1", threshold=threshold),
    )
