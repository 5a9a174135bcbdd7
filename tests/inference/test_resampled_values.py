"""The statistic of every resample: the same by seed, whatever threads and blocks there are."""

import math
import threading

import numpy as np
import pytest
from scipy import stats
from tests.inference.resamples import (
    CASES,
    CELLS,
    CLUSTERS,
    STRATIFIED,
    distinctive,
    normal_counts,
    own_auc,
    parts_of,
    plan,
)

import baserate as br
from baserate.inference import resample
from baserate.inference.resample import resample_counts, roc_runs
from baserate.inference.statistic import replicate_values, statistic_of


@pytest.mark.parametrize("how", [STRATIFIED, CASES])
@pytest.mark.parametrize("digits", [0, 1, 6])
def test_auc_without_making_resamples_is_that_of_the_resamples(how, digits):
    counts = normal_counts(digits=digits)
    fast = replicate_values(statistic_of(br.auc), counts, plan(how, 200, 11))
    assert fast.shape == (200, 1)
    condensed = counts.condense()  # AUC is drawn from these
    slow = [br.auc(part) for part in parts_of(condensed, how, replicates=200, seed=11)]
    assert np.allclose(fast[:, 0], slow, rtol=0, atol=1e-15)
    own = replicate_values(statistic_of(own_auc), condensed, plan(how, 200, 11))
    assert np.allclose(fast, own, rtol=0, atol=1e-15)


def test_a_function_of_ones_own_sees_all_scores_and_a_summary_condensed_ones():
    counts = normal_counts(20, 80)
    seen = []
    replicate_values(
        statistic_of(lambda part: seen.append(part.condensed) or 0.5), counts, plan(replicates=3)
    )
    assert seen == [False] * 3
    assert replicate_values(statistic_of(br.curves.gini), counts, plan(replicates=3)).shape == (
        3,
        1,
    )


def test_condensed_counts_give_the_same_law():
    counts = normal_counts(40, 400)
    full = np.array([br.auc(part) for part in parts_of(counts, replicates=1500)])
    condensed = replicate_values(statistic_of(br.auc), counts, plan(replicates=1500, seed=1))[:, 0]
    assert stats.ks_2samp(full, condensed).pvalue > 1e-3
    assert math.isclose(full.std(), condensed.std(), rel_tol=0.1)
    assert math.isclose(
        condensed.mean(), br.auc(counts), abs_tol=4.5 * condensed.std() / math.sqrt(1500)
    )


@pytest.mark.parametrize(
    "name",
    [
        "gini",
        "ks",
        "auprc",
        "average_precision",
        "h_measure",
        "min_cost",
        "partial_auc(fpr=0..0.1)",
    ],
)
def test_what_sees_the_roc_alone_has_the_same_value_where_runs_of_negatives_are_merged(name):
    statistic = statistic_of(name)
    assert statistic.runs is roc_runs
    for seed in range(5):
        counts = normal_counts(30, 500, seed=seed, digits=2)
        assert math.isclose(statistic(counts), statistic(counts.condense()), rel_tol=1e-12)


def test_the_same_seed_gives_the_same_resamples_and_another_does_not():
    for source, how in ((CELLS, STRATIFIED), (CELLS, CASES), (distinctive(), CLUSTERS)):
        one, two, other = (parts_of(source, how, replicates=20, seed=seed) for seed in (9, 9, 10))
        assert one == two
        assert all(a != b for a, b in zip(one, other, strict=True)) or how == CLUSTERS
        assert one != other


def test_more_replicates_begin_with_the_same_ones():
    for source, how in ((CELLS, STRATIFIED), (distinctive(), CLUSTERS)):
        assert parts_of(source, how, replicates=30)[:10] == parts_of(source, how, replicates=10)


def test_the_size_of_a_block_changes_nothing(monkeypatch):
    joint = br.count([1, 0] * 20, {"a": list(range(40)), "b": [7, 3, 2, 1] * 10})
    sources = ((CELLS, STRATIFIED), (CELLS, CASES), (distinctive(), CLUSTERS), (joint, STRATIFIED))
    before = [list(resample_counts(source, plan(how, 50))) for source, how in sources]
    values = replicate_values(statistic_of(br.auc), normal_counts(), plan(replicates=50))
    for block in (1, 40, 1000):
        monkeypatch.setattr(resample, "BLOCK_SIZE", block)
        assert [list(resample_counts(source, plan(how, 50))) for source, how in sources] == before
        assert np.array_equal(
            replicate_values(statistic_of(br.auc), normal_counts(), plan(replicates=50)), values
        )


@pytest.mark.parametrize("statistic", [br.auc, br.curves.ks])
def test_progress_is_told_up_to_the_total(statistic, monkeypatch):
    monkeypatch.setattr(resample, "BLOCK_SIZE", 100)
    told = []
    replicate_values(
        statistic_of(statistic),
        normal_counts(20, 60),
        plan(replicates=100, progress=lambda done, total: told.append((done, total))),
    )
    assert told[-1] == (100, 100)
    assert {total for _, total in told} == {100}
    done = [done for done, _ in told]
    assert done == sorted(set(done))
    assert len(done) > 1


def test_a_resample_without_one_class_is_undefined():
    """Of six cases drawn with replacement, some draws leave a class out."""
    counts = br.Counts([2, 1], positives=[2, 1], negatives=[1, 2])
    values = replicate_values(statistic_of(br.auc), counts, plan(CASES, 2000))[:, 0]
    missing = np.isnan(values)
    chance = 2 * 0.5**6
    assert math.isclose(missing.mean(), chance, abs_tol=4.5 * math.sqrt(chance / 2000))
    slow = np.array([br.auc(part) for part in parts_of(counts.condense(), CASES, replicates=2000)])
    assert np.array_equal(missing, np.isnan(slow))


def test_a_users_function_is_called_in_the_thread_that_asked(monkeypatch):
    monkeypatch.setenv("BASERATE_THREADS", "4")
    threads = set()

    def statistic(counts):
        threads.add(threading.get_ident())
        return br.auc(counts)

    counts = br.count([0, 1] * 20, list(range(40)))
    br.interval(counts, statistic, replicates=100)
    assert threads == {threading.get_ident()}
