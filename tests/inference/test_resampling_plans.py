"""How resamples are to be drawn, and which cases are too few or too heavy for it."""

import math

import numpy as np
import pytest
from tests.inference.resamples import (
    CASES,
    CELLS,
    CLUSTERS,
    STRATIFIED,
    distinctive,
    parts_of,
    plan,
)

import baserate as br
from baserate.inference.resample import check_enough, planned, resample_counts
from baserate.inference.statistic import replicate_values, statistic_of

# Plans.


def how_of(source, of_prior, how=None):
    return planned(source, of_prior, how, 100, 0, None).how


def test_clusters_are_kept_whole_and_the_prior_is_drawn_where_it_is_estimated():
    chosen = br.count(np.arange(40) < 20, np.arange(40.0), design="case-control")
    assert how_of(CELLS, of_prior=False) == STRATIFIED
    assert how_of(CELLS, of_prior=True) == CASES
    assert how_of(chosen, of_prior=True) == STRATIFIED
    assert how_of(distinctive(), of_prior=False) == how_of(distinctive(), of_prior=True) == CLUSTERS
    assert how_of(CELLS, of_prior=True, how=STRATIFIED) == STRATIFIED
    assert how_of(CELLS, of_prior=False, how=CASES) == CASES


@pytest.mark.parametrize("how", ["Stratified", "bootstrap", "", 3])
def test_an_unknown_way_to_resample_is_refused(how):
    with pytest.raises(
        br.InputError, match='BR581: resamples are drawn by "stratified", "cases", "clusters", got'
    ):
        planned(CELLS, False, how, 100, 0, None)


@pytest.mark.parametrize(
    ("source", "how"), [(CELLS, CLUSTERS), (distinctive(), STRATIFIED), (distinctive(), CASES)]
)
def test_clusters_are_resampled_whole_or_not_at_all(source, how):
    with pytest.raises(
        br.InputError, match="BR581: clusters are resampled whole, and need GroupedCounts"
    ):
        planned(source, False, how, 100, 0, None)


@pytest.mark.parametrize("replicates", [0, 99, -1, 10_000_001, 100.0, "100", True, None, math.nan])
def test_a_number_of_replicates_that_is_none_is_refused(replicates):
    with pytest.raises(
        br.InputError, match="BR580: a bootstrap takes 100 to 10,000,000 replicates, got"
    ):
        planned(CELLS, False, None, replicates, 0, None)


@pytest.mark.parametrize("seed", [-1, 1.0, None, "0", True, math.nan])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(br.InputError, match="BR580: a seed is a whole number, 0 or more, got"):
        planned(CELLS, False, None, 100, seed, None)


def test_numbers_of_numpy_are_numbers():
    found = planned(CELLS, False, None, np.int32(100), np.uint8(3), None)
    assert (found.replicates, found.seed, type(found.replicates), type(found.seed)) == (
        100,
        3,
        int,
        int,
    )


# Too few.


@pytest.mark.parametrize(
    ("positives", "negatives", "what"),
    [
        (4, 500, "4 positives"),
        (500, 4, "4 negatives"),
        (0, 10, "0 positives"),
        (4, 3, "3 negatives"),
    ],
)
def test_fewer_than_five_cases_of_a_class_are_not_resampled(positives, negatives, what):
    with pytest.raises(br.InputError, match=f"BR590: only {what}: too few to resample"):
        check_enough(br.Counts([2, 1], [positives, 0], [0, negatives]))


def test_fewer_than_thirty_cases_of_a_class_are_noted():
    for positives, negatives, what in ((5, 500, "5 positives"), (500, 29, "29 negatives")):
        (note,) = check_enough(br.Counts([2, 1], [positives, 0], [0, negatives]))
        assert note.code == "BR591"
        assert f"only {what}" in note.text
    assert check_enough(br.Counts([2, 1], [30, 0], [0, 30])) == ()


def clusters(with_positives, without=40, each=10):
    labels = [1] * (with_positives * each) + [0] * (without * each + with_positives)
    names = (
        [i // each for i in range(with_positives * each)]
        + [1000 + i // each for i in range(without * each)]
        + list(range(with_positives))
    )
    return br.count(labels, list(range(len(labels))), cluster=names)


def test_clusters_with_positives_are_what_is_known_of_them():
    with pytest.raises(
        br.InputError, match="BR590: only 4 clusters hold positives: too few for an interval"
    ):
        check_enough(clusters(4))
    for number in (5, 19):
        (note,) = check_enough(clusters(number))
        assert note.code == "BR591"
        assert f"only {number} clusters hold positives" in note.text
    assert check_enough(clusters(20)) == ()
    assert [note.code for note in check_enough(clusters(20, each=1))] == [
        "BR591"
    ]  # 20 positives in as many clusters


def test_weighted_cases_are_resampled_by_cluster_only():
    rng = np.random.default_rng(0)
    labels, scores, weights = rng.random(200) < 0.4, rng.normal(size=200), rng.random(200)
    weighted = br.count(labels, scores, sample_weight=weights)
    joint = br.count(labels, {"a": scores}, sample_weight=weights)
    for source in (weighted, joint):
        with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
            list(resample_counts(source, plan()))
        with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
            replicate_values(statistic_of(br.auc), source, plan())
    groups = br.count(labels, scores, cluster=np.arange(200) // 5, sample_weight=weights)
    parts = parts_of(groups, CLUSTERS, replicates=50)
    assert all(part.weighted for part in parts)
    by_group = [groups[name].total_positives for name in groups]
    assert math.isclose(
        np.mean([part.total_positives for part in parts]), sum(by_group), rel_tol=0.1
    )


def test_more_cases_than_can_be_drawn_are_refused_with_a_code():
    huge = br.Counts([3, 2, 1], positives=[10**12, 10**11, 7], negatives=[10**9, 10**12, 10**15])
    asked = [
        lambda: br.interval(huge, "average_precision", replicates=100),
        lambda: br.interval(huge, br.auc, method="percentile"),
        lambda: br.interval(huge, "tpr", threshold=2, method="percentile"),
        lambda: br.curves.band(huge, br.roc),
    ]
    for one in asked:
        with pytest.raises(
            br.InputError,
            match=(
                "BR623: a bootstrap resamples up to 1,099,511,627,776 cases, and these are"
                " 1,002,101,000,000,007"
            ),
        ):
            one()
    assert br.interval(huge, br.auc).method == "placements-beta"
