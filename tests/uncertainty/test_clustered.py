"""Rows that belong together: resampled whole, and worth no more than their clusters."""

import numpy as np
import pytest

import baserate as br
from baserate.slices import TOO_FEW
from baserate.uncertainty.clustered import cluster_bound, cluster_intervals, cluster_notes, cluster_plan, clustered
from baserate.uncertainty.gates import MISSED, OBSERVED, SHOWN


@pytest.fixture
def patients():
    rng = np.random.default_rng(5)
    y = (rng.random(400) < 0.3).astype(int)
    s = np.round(rng.normal(size=400) + 1.5 * y, 1)
    return br.count_groups(y, s, groups=rng.integers(0, 120, 400))


def repeated(found, missed, times):
    """Positives in clusters of so many rows that come out alike, and a few negatives in clusters of one."""
    y = [1] * (found + missed) * times + [0] * 50
    s = [1] * found * times + [0] * missed * times + [0] * 50
    groups = [f"p{i // times}" for i in range((found + missed) * times)] + [f"n{i}" for i in range(50)]
    return br.count_groups(y, s, groups=groups)


@pytest.mark.parametrize("at", [None, br.Conditions(prior=0.01)])
@pytest.mark.parametrize("name", ["tpr", "tnr", "precision", "npv", "expected_cost"])
def test_the_intervals_are_those_of_the_cluster_bootstrap(patients, name, at):
    point = br.flag_at(patients.total(), 0.7, at=at)
    found = cluster_intervals(point, patients, (name,), cluster_plan(200, seed=3))[name]
    slow = br.interval(name, patients, threshold=0.7, at=at, replicates=200, seed=3)
    assert (found.low, found.high) == pytest.approx((slow.low, slow.high), rel=1e-12)
    assert found.value == slow.value
    assert found.method == "percentile"


def test_rows_that_come_out_alike_are_worth_one_each():
    groups = repeated(95, 5, times=4)
    assert clustered(groups).worth[0] == 100
    point = br.flag_at(groups.total(), 1)
    assert cluster_bound("tpr", groups, point, 0.95, "lower").low == br.rate_interval(95, 100, side="lower").low
    assert cluster_bound("fnr", groups, point, 0.95, "upper").high == pytest.approx(1 - br.rate_interval(95, 100, side="lower").low)


def test_what_clusters_are_worth_never_exceeds_their_number_or_their_rows(patients):
    found = clustered(patients)
    assert found.worth[0] <= found.with_positives <= found.clusters
    assert (found.rows, found.clusters) == (400, len(patients))
    sizes = [int(patients[group].total_positives) for group in patients]
    assert found.worth[0] == sum(sizes) ** 2 // sum(size**2 for size in sizes)


def test_what_four_rows_a_patient_seem_to_show_is_not_shown():
    alone = br.by_group({"x": repeated(95, 5, times=4).total()}, threshold=1, require="recall >= 0.9")["x"]
    together = br.by_group({"x": repeated(95, 5, times=4)}, threshold=1, require="recall >= 0.9")["x"]
    assert alone.outcome == SHOWN
    assert together.outcome == OBSERVED
    assert together.intervals["tpr"].width > alone.intervals["tpr"].width
    assert br.by_group({"x": repeated(190, 10, times=2)}, threshold=1, require="recall >= 0.9")["x"].outcome == SHOWN


def test_what_only_resamples_know_is_never_shown(patients):
    found = br.by_group({"x": patients}, threshold=0.7, require="precision >= 0.1")["x"]
    assert found.outcome == OBSERVED
    assert found.requirement.checks[0].interval.method == "percentile"
    assert br.by_group({"x": patients}, threshold=0.7, require="precision >= 0.99")["x"].outcome == MISSED


def test_no_error_in_any_resample_is_no_certainty():
    point = br.flag_at(repeated(40, 0, times=3).total(), 1)
    found = cluster_intervals(point, repeated(40, 0, times=3), ("tpr", "precision"), cluster_plan(200, 0))
    assert (found["tpr"].low, found["tpr"].side) == (br.rate_interval(40, 40).low, "lower")
    assert "precision" not in found


def test_too_few_clusters_have_no_interval_and_no_verdict():
    few = repeated(3, 0, times=5)
    found = br.by_group({"x": few}, threshold=1, require="recall >= 0.9")["x"]
    assert found.positives == 15
    assert (found.intervals, found.outcome) == ({}, TOO_FEW)


def test_clusters_of_all_sites_are_those_with_one_name():
    found = br.by_group({"a": repeated(10, 0, times=2), "b": repeated(10, 0, times=2)}, threshold=1)
    assert len(found.total.clusters) == 60
    assert found.total.cases == 140
    note = next(note for note in found.notes if note.code == "BR432")
    assert note.text.startswith("140 rows in 60 clusters (2.33 rows each) are resampled whole: 10 of them hold positives")
    assert note.text.endswith("; below 20 an interval is rough")
    assert "rough" not in cluster_notes(repeated(30, 0, times=2))[0].text


def test_the_rest_beyond_the_largest_keeps_its_clusters():
    found = br.by_group({name: repeated(10, 0, times=2) for name in "abc"}, threshold=1).largest(1)[-1]
    assert (found.name, found.cases, len(found.clusters)) == ("other (2)", 140, 60)


def test_some_groups_with_clusters_and_some_without_are_refused(patients):
    with pytest.raises(br.InputError, match="BR433: some groups have clusters and some have none"):
        br.by_group({"a": patients, "b": patients.total()}, threshold=1)


def test_weighted_clusters_are_refused():
    groups = br.count_groups([0, 1, 1], [0, 1, 1], groups=["a", "b", "b"], sample_weight=[0.5, 1, 1])
    with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
        clustered(groups)
