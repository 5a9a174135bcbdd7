"""`interval` by the bootstrap: groups are resampled whole, and thresholds stay where they are."""

import math

import numpy as np
import pytest
from tests.inference.samples import AT, counts, grouped, quantiles, sample, text_of

import baserate as br
from baserate.inference.resample import FlaggedRuns, Plan, planned, resample_counts

# Groups.


@pytest.mark.parametrize(
    ("statistic", "options"), [(br.auc, {}), ("precision", {"threshold": 1.0, "at": AT})]
)
def test_groups_are_resampled_whole_by_every_question(statistic, options):
    found = br.interval(
        grouped(), statistic, method="percentile", replicates=150, seed=2, **options
    )
    values = []
    for (part,) in resample_counts(grouped(), Plan("clusters", 150, 2)):
        if statistic is br.auc:
            values.append(br.auc(part))
        else:
            values.append(br.measure(part, statistic, threshold=1.0, at=AT))
    assert (found.low, found.high) == quantiles(values)
    assert "of whole clusters" in text_of(found, "BR598")


def test_cases_that_come_in_groups_of_the_same_are_known_less_well():
    """Every case ten times over, in one group: as much is known as of each once."""
    labels, scores = sample()
    groups = br.count(
        np.repeat(labels, 10), np.repeat(scores, 10), cluster=np.repeat(np.arange(len(labels)), 10)
    )
    ignored = br.interval(groups.total(), br.auc, method="percentile", replicates=500)
    whole = br.interval(groups, br.auc)
    once = br.interval(counts(), br.auc, method="percentile", replicates=500)
    assert 2.5 < whole.width / ignored.width < 3.9  # √10 = 3.16
    assert 0.85 < whole.width / once.width < 1.2


def test_methods_that_ignore_groups_are_refused():
    with pytest.raises(br.InputError, match='BR581: there is no method "delong" for auc here'):
        br.interval(grouped(), br.auc, method="delong")


@pytest.mark.parametrize(("fewer", "place"), [("positives", True), ("negatives", False)])
def test_clusters_of_either_class_are_what_is_known_of_it(fewer, place):
    """The cases of one class lie in few clusters, those of the other in 40."""
    labels, scores = sample()
    for clusters in (3, 12):
        groups = br.count(
            labels, scores, cluster=np.arange(len(labels)) % np.where(labels == place, clusters, 40)
        )
        if clusters == 3:
            with pytest.raises(
                br.InputError, match=f"BR590: only 3 clusters hold {fewer}: too few for an interval"
            ):
                br.interval(groups, br.auc)
        else:
            assert f"only 12 clusters hold {fewer}" in text_of(
                br.interval(groups, br.auc, method="percentile", replicates=100), "BR591"
            )
            assert f"only 12 clusters hold {fewer}" in text_of(br.interval(groups, br.auc), "BR630")


# Thresholds.


def test_a_threshold_that_stays_is_said_to_be_fixed_in_advance():
    found = br.interval(
        counts(), "precision", threshold=1.0, at=AT, method="percentile", replicates=150
    )
    values = [
        br.measure(part, "precision", threshold=1.0, at=AT)
        for (part,) in resample_counts(counts(), Plan("stratified", 150, 0), FlaggedRuns(1.0))
    ]
    assert (found.low, found.high) == quantiles(values)
    assert "the threshold is treated as fixed in advance" in text_of(found, "BR598")
    assert "threshold" not in text_of(br.interval(counts(), br.curves.ks, replicates=100), "BR598")


def test_at_the_threshold_a_bootstrap_and_draws_say_about_the_same():
    draws, again = (
        br.interval(counts(), "precision", threshold=1.0, at=AT, method=method)
        for method in (None, "percentile")
    )
    assert math.isclose(draws.low, again.low, rel_tol=0.1)
    assert math.isclose(draws.high, again.high, rel_tol=0.1)


def test_a_statistic_that_most_resamples_do_not_have_is_refused():
    """It needs every score of the sample, and a resample hardly ever has them all."""

    def of_all_scores(part):
        return br.auc(part) if len(part.scores) == len(counts(12, 60).scores) else math.nan

    with pytest.raises(br.InputError, match="BR592: 200 of 200 replicates are undefined"):
        br.interval(counts(12, 60), of_all_scores, replicates=200)


def test_plans_are_made_as_interval_makes_them():
    """What the brute-force loops above rely on."""
    assert planned(counts(), True, None, 150, 1, None) == Plan("cases", 150, 1)
    assert planned(counts(), False, None, 150, 1, None) == Plan("stratified", 150, 1)
