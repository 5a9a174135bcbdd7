"""Rows that belong together: resampled whole, and worth no more than their clusters."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

import baserate as br
from baserate.inference import clusters
from baserate.inference.clusters import (
    alike_lower,
    cluster_bound,
    cluster_intervals,
    cluster_notes,
    cluster_plan,
    clustered,
)
from baserate.results.values import MISSED, OBSERVED, SHOWN
from baserate.segments.groups import TOO_FEW


@pytest.fixture
def patients():
    rng = np.random.default_rng(5)
    y = (rng.random(400) < 0.3).astype(int)
    s = np.round(rng.normal(size=400) + 1.5 * y, 1)
    return br.count(y, s, cluster=rng.integers(0, 120, 400))


def repeated(found, missed, times):
    """Positives in clusters of so many rows that come out alike, and a few negatives in clusters of
    one.
    """
    y = [1] * (found + missed) * times + [0] * 50
    s = [1] * found * times + [0] * missed * times + [0] * 50
    groups = [f"p{i // times}" for i in range((found + missed) * times)] + [
        f"n{i}" for i in range(50)
    ]
    return br.count(y, s, cluster=groups)


@pytest.mark.parametrize("at", [None, br.Conditions(prior=0.01)])
@pytest.mark.parametrize("name", ["tpr", "tnr", "precision", "npv", "expected_cost"])
def test_with_a_plan_the_intervals_are_those_of_the_cluster_bootstrap(patients, name, at):
    point = br.choose(patients.total(), threshold=0.7, at=at)
    found = cluster_intervals(point, patients, (name,), cluster_plan(200, seed=3))[name]
    slow = br.interval(
        patients, name, threshold=0.7, at=at, method="percentile", replicates=200, seed=3
    )
    assert (found.low, found.high) == pytest.approx((slow.low, slow.high), rel=1e-12)
    assert found.value == slow.value
    assert found.method == "percentile"


def test_rows_that_come_out_alike_are_worth_one_each():
    groups = repeated(95, 5, times=4)
    assert clustered(groups).worth[0] == 100
    point = br.choose(groups.total(), threshold=1)
    assert (
        cluster_bound("tpr", groups, point, 0.95, "lower").low
        == br.rate_interval(95, 100, side="lower").low
    )
    assert cluster_bound("fnr", groups, point, 0.95, "upper").high == pytest.approx(
        1 - br.rate_interval(95, 100, side="lower").low
    )


def test_what_clusters_are_worth_never_exceeds_their_number_or_their_rows(patients):
    found = clustered(patients)
    assert found.worth[0] <= found.with_positives <= found.clusters
    assert (found.rows, found.clusters) == (400, len(patients))
    sizes = [int(patients[group].total_positives) for group in patients]
    assert found.worth[0] == sum(sizes) ** 2 // sum(size**2 for size in sizes)


def test_what_four_rows_a_patient_seem_to_show_is_not_shown():
    alone = br.segments.by_group(
        {"x": repeated(95, 5, times=4).total()}, threshold=1, require="recall >= 0.9"
    )["x"]
    together = br.segments.by_group(
        {"x": repeated(95, 5, times=4)}, threshold=1, require="recall >= 0.9"
    )["x"]
    assert alone.outcome == SHOWN
    assert together.outcome == OBSERVED
    assert together.intervals["tpr"].width > alone.intervals["tpr"].width
    assert (
        br.segments.by_group(
            {"x": repeated(190, 10, times=2)}, threshold=1, require="recall >= 0.9"
        )["x"].outcome
        == SHOWN
    )


def test_what_is_only_known_approximately_is_never_shown(patients):
    found = br.segments.by_group({"x": patients}, threshold=0.7, require="precision >= 0.1")["x"]
    assert found.outcome == OBSERVED
    assert found.requirement.checks[0].interval.method == "cluster-t"
    again = br.segments.by_group(
        {"x": patients}, threshold=0.7, require="precision >= 0.1", replicates=200
    )["x"]
    assert again.requirement.checks[0].interval.method == "percentile"
    assert (
        br.segments.by_group({"x": patients}, threshold=0.7, require="precision >= 0.99")[
            "x"
        ].outcome
        == MISSED
    )


def test_no_error_in_any_resample_is_no_certainty():
    point = br.choose(repeated(40, 0, times=3).total(), threshold=1)
    for plan in (None, cluster_plan(200, 0)):
        found = cluster_intervals(point, repeated(40, 0, times=3), ("tpr", "precision"), plan)
        assert found["tpr"].side == "lower"
        assert found["tpr"].low == pytest.approx(br.rate_interval(40, 40).low, rel=1e-14)
        assert (found["precision"].side, found["precision"].method) == (
            "lower",
            "clopper-pearson of clusters",
        )
        assert 0 < found["precision"].low < 1


def test_too_few_clusters_have_no_interval_and_no_verdict():
    few = repeated(3, 0, times=5)
    found = br.segments.by_group({"x": few}, threshold=1, require="recall >= 0.9")["x"]
    assert found.positives == 15
    assert (found.intervals, found.outcome) == ({}, TOO_FEW)


def test_clusters_of_all_sites_are_those_with_one_name():
    found = br.segments.by_group(
        {"a": repeated(10, 0, times=2), "b": repeated(10, 0, times=2)}, threshold=1
    )
    assert len(found.total.clusters) == 60
    assert found.total.cases == 140
    note = next(note for note in found.notes if note.code == "BR432")
    assert note.text.startswith(
        "140 rows in 60 clusters (2.33 rows each): intervals treat each cluster as one unit (with"
        " fewer than 20 they are rough); 10 of them contain positives"
    )
    assert "rough" not in cluster_notes(repeated(30, 0, times=2))[0].text


def test_the_rest_beyond_the_largest_keeps_its_clusters():
    found = br.segments.by_group(
        {name: repeated(10, 0, times=2) for name in "abc"}, threshold=1
    ).largest(1)[-1]
    assert (found.name, found.cases, len(found.clusters)) == ("other (2)", 140, 60)


def test_some_groups_with_clusters_and_some_without_are_refused(patients):
    with pytest.raises(br.InputError, match="BR433: some groups have clusters and some have none"):
        br.segments.by_group({"a": patients, "b": patients.total()}, threshold=1)


def test_weighted_clusters_are_refused():
    groups = br.count([0, 1, 1], [0, 1, 1], cluster=["a", "b", "b"], sample_weight=[0.5, 1, 1])
    with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
        clustered(groups)


# Without resampling: naive loops over clusters and cases, written from the definition.


def jackknifed(value, parts, left_out, level=0.95):
    """`parts` are (changes, cases) of every cluster for each rate, `left_out` the value without
    each cluster; the bounds of a share on the logit scale, from the larger one of the jackknife's
    variance and its linear approximation.
    """
    total = [sum(cases) for _, cases in parts]
    linear = (
        sum(
            sum(
                changes[i] / (whole - cases[i])
                for (changes, cases), whole in zip(parts, total, strict=True)
            )
            ** 2
            for i in range(len(parts[0][0]))
        )
        / (value * (1 - value)) ** 2
    )
    exact = sum((logit(one) - logit(value)) ** 2 for one in left_out) * (1 - 1 / len(left_out))
    expected = [
        sum(
            sum((change / whole) ** 2 for change in changes) * cases[i] / whole
            for (changes, cases), whole in zip(parts, total, strict=True)
        )
        for i in range(len(parts[0][0]))
    ]
    degrees = sum(expected) ** 2 / sum(one**2 for one in expected) - 1
    half = student.ppf((1 + level) / 2, degrees) * np.sqrt(max(linear, exact))
    return expit(logit(value) - half), expit(logit(value) + half)


def without_each(groups, value):
    """The value of what is left without each cluster, from (cluster, label, score) of the cases."""
    cases = list(cases_of(groups))
    return [value([case for case in cases if case[0] != name]) for name in groups]


def share_above(cases, label, threshold=0.7):
    return np.mean([score >= threshold for _, y, score in cases if y == label])


def share_ahead(cases):
    """AUC, pair by pair."""
    scores = [np.array([score for _, y, score in cases if y == label]) for label in (1, 0)]
    apart = scores[0][:, None] - scores[1]
    return np.mean((apart > 0) + (apart == 0) / 2)


def cases_of(groups):
    """(cluster, label, score) of every case."""
    for name in groups:
        for score, hits, misses in zip(*groups[name]._cells, strict=True):
            yield from [(name, 1, score)] * int(hits) + [(name, 0, score)] * int(misses)


def changes(groups, values, label):
    """Of one class: by how much the values of each cluster's cases differ from their mean in all,
    and how many they are.
    """
    mean = np.mean([value for (_, y, _), value in values if y == label])
    of = {
        name: [value - mean for (cluster, y, _), value in values if y == label and cluster == name]
        for name in groups
    }
    return [sum(of[name]) for name in groups], [len(of[name]) for name in groups]


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_rate_of_clusters_is_the_jackknife_of_its_influence(patients, level):
    values = [(case, float(case[2] >= 0.7)) for case in cases_of(patients)]
    for name, label in (("tpr", 1), ("fpr", 0)):
        found = br.interval(patients, name, threshold=0.7, level=level)
        assert found.method == "cluster-t"
        assert (found.low, found.high) == pytest.approx(
            jackknifed(
                found.value,
                [changes(patients, values, label)],
                without_each(patients, lambda cases, label=label: share_above(cases, label)),
                level,
            ),
            rel=1e-6,
        )


def test_auc_of_clusters_is_the_jackknife_of_its_placements(patients):
    cases = list(cases_of(patients))
    values = []
    for name, label, score in cases:
        others = [other for _, y, other in cases if y != label]
        ahead = sum(int(score > other) - int(score < other) for other in others) * (
            1 if label else -1
        )
        values.append(((name, label, score), 0.5 + ahead / (2 * len(others))))
    found = br.interval(patients, br.auc)
    assert (found.low, found.high) == pytest.approx(
        jackknifed(
            found.value,
            [changes(patients, values, 1), changes(patients, values, 0)],
            without_each(patients, share_ahead),
        ),
        rel=1e-9,
    )
    gini = br.interval(patients, br.curves.gini)
    assert (gini.low, gini.high) == pytest.approx((2 * found.low - 1, 2 * found.high - 1))


def test_precision_at_a_prior_moves_with_both_rates(patients):
    """log odds of precision are log(prior odds) + log tpr − log fpr: their changes are those of the
    rates, over the rates.
    """
    found = br.interval(patients, "precision", threshold=0.7, at=br.Conditions(prior=0.01))
    values = [(case, float(case[2] >= 0.7)) for case in cases_of(patients)]
    t, f = (br.interval(patients, name, threshold=0.7).value for name in ("tpr", "fpr"))
    slope = found.value * (1 - found.value)
    parts = [
        ([slope * sign * change / rate for change in each[0]], each[1])
        for rate, sign, each in zip(
            (t, f),
            (1, -1),
            (changes(patients, values, 1), changes(patients, values, 0)),
            strict=True,
        )
    ]

    def precision(cases):
        caught, alarms = 0.01 * share_above(cases, 1), 0.99 * share_above(cases, 0)
        return caught / (caught + alarms)

    assert (found.low, found.high) == pytest.approx(
        jackknifed(found.value, parts, without_each(patients, precision)), rel=1e-6
    )


def test_one_cluster_that_holds_most_errors_widens_what_is_known():
    """Without it the ranking is nearly perfect: on the logit scale that is far away, and a linear
    approximation does not see it.
    """
    rng = np.random.default_rng(2)
    groups, labels = np.repeat(np.arange(20), 10), np.tile([1, 1, 1, *[0] * 7], 20)
    scores = 4 * labels + rng.normal(size=200) - 6 * (labels & (groups == 7))
    counted = br.count(labels, scores, cluster=groups)
    found = br.interval(counted, "auc")
    far = logit(share_ahead([case for case in cases_of(counted) if case[0] != 7]))
    assert far - logit(found.value) > 2
    assert expit(2 * logit(found.value) - far) > found.low


@pytest.mark.parametrize("at", [None, br.Conditions(prior=0.01, costs=br.Costs(fn=50))])
@pytest.mark.parametrize(
    "pair",
    [
        ("tpr", "fnr"),
        ("tnr", "fpr"),
        ("precision", "fdr"),
        ("npv", "false_omission_rate"),
        ("accuracy", "error"),
    ],
)
def test_complements_have_complementary_intervals(patients, pair, at):
    one, other = (br.interval(patients, name, threshold=0.7, at=at) for name in pair)
    assert (1 - one.high, 1 - one.low) == pytest.approx((other.low, other.high), rel=1e-6)


@pytest.mark.parametrize("name", ["tpr", "precision", "expected_cost", "mcc", "lr_positive", "auc"])
def test_every_case_ten_times_over_in_one_cluster_tells_nothing_new(name):
    rng = np.random.default_rng(8)
    y = (rng.random(600) < 0.3).astype(int)
    s = rng.normal(size=600) + y
    asked = (
        {}
        if name == "auc"
        else {"threshold": 0.5, "at": br.Conditions(prior=0.05, costs=br.Costs(fn=10))}
    )
    once, often = (
        br.interval(
            br.count(np.repeat(y, k), np.repeat(s, k), cluster=np.repeat(np.arange(600), k)),
            name,
            **asked,
        )
        for k in (1, 10)
    )
    alone = br.interval(br.count(y, s), name, **asked)
    assert (once.low, once.high) == pytest.approx((often.low, often.high), rel=1e-6)
    assert 0.9 < once.width / alone.width < 1.1


def test_where_an_outcome_was_never_seen_both_rates_stand_at_the_bounds_of_their_clusters():
    groups = repeated(30, 10, times=2)  # no false alarm among 50 clusters of one negative
    at = br.Conditions(prior=0.01)
    found = br.interval(groups, "precision", threshold=1, at=at)
    assert (found.side, found.method, found.value) == ("lower", "clopper-pearson of clusters", 1.0)
    t = br.rate_interval(30, 40, level=0.975, side="lower").low
    f = br.rate_interval(0, 50, level=0.975, side="upper").high
    assert found.low == pytest.approx(0.01 * t / (0.01 * t + 0.99 * f))
    cost = br.interval(groups, "expected_cost", threshold=1, at=at)
    ts, fs = (
        (br.rate_interval(hits, of, level=0.9875, side=side))
        for hits, of, side in ((30, 40, "lower"), (0, 50, "upper"))
    )
    assert cost.high == pytest.approx(0.01 * (1 - ts.low) + 0.99 * fs.high)
    assert cost.side == "both"


def test_perfect_ranking_of_clusters_is_known_on_one_side():
    found = br.interval(repeated(30, 0, times=3), br.auc)
    assert (found.value, found.high, found.side) == (1, 1, "lower")
    assert 0.85 < found.low < 1


def test_few_clusters_are_refused_or_noted():
    with pytest.raises(
        br.InputError, match="BR590: only 4 clusters hold positives: too few for an interval"
    ):
        br.interval(repeated(3, 1, times=4), "tpr", threshold=1)
    (note,) = [
        note
        for note in br.interval(repeated(7, 3, times=4), "tpr", threshold=1).notes
        if note.code == "BR630"
    ]
    assert note.text.startswith("only 10 clusters hold positives")
    assert not br.interval(repeated(15, 5, times=4), "tpr", threshold=1).notes


def test_one_side_of_clusters_is_the_two_sided_bound_of_twice_the_doubt(patients):
    for name, options in (
        (br.auc, {}),
        ("precision", {"threshold": 0.7}),
        ("expected_cost", {"threshold": 0.7}),
    ):
        both = br.interval(patients, name, level=0.9, **options)
        low, high = (
            br.interval(patients, name, level=0.95, side=side, **options)
            for side in ("lower", "upper")
        )
        assert (low.low, high.high) == pytest.approx((both.low, both.high))


def test_uncertain_conditions_are_drawn_with_resamples_of_clusters(patients):
    at = br.Conditions(prior=br.Pilot(5, 500))
    assert (
        br.interval(patients, "precision", threshold=0.7, at=at, replicates=100).method
        == "percentile"
    )
    assert br.interval(patients, "tpr", threshold=0.7, at=at).method == "cluster-t"


@pytest.mark.parametrize(
    ("clusters", "distance", "noted"), [(40, 4.0, True), (40, 1.0, False), (150, 4.0, False)]
)
def test_a_high_auc_of_less_than_a_hundred_clusters_says_how_it_misses(clusters, distance, noted):
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(clusters), 20)
    labels = rng.random(len(groups)) < 0.3
    counted = br.count(labels, distance * labels + rng.normal(size=len(groups)), cluster=groups)
    found = br.interval(counted, "auc")
    assert (found.value > 0.93) == (distance == 4.0)
    for one in (found, br.interval(counted, "precision", threshold=1.0)):
        assert [
            "held the true value in 93 to 95 %" in note.text
            for note in one.notes
            if note.code == "BR630"
        ] == [True] * noted


def rows_hit(sizes, rate):
    """The probability of every number of rows, where each cluster comes out as one: cluster by
    cluster.
    """
    chances = [1.0]
    for size in sizes:
        longer = [(1 - rate) * chance for chance in chances] + [0.0] * size
        for rows, chance in enumerate(chances):
            longer[rows + size] += rate * chance
        chances = longer
    return chances


def wrong_at_most(sizes, level):
    """The largest probability, over all true rates, that the bound lies above the truth: it is
    largest just below a bound.
    """
    lows = [alike_lower(seen, sizes, level) for seen in range(sum(sizes) + 1)]
    rates = [low * (1 - 1e-9) for low in set(lows) if low > 1e-8]
    return max(
        sum(chance for chance, low in zip(rows_hit(sizes, rate), lows, strict=True) if low > rate)
        for rate in rates
    )


SIZES = [[15, *[1] * 12], [7, 3, 3, 1], [9, 9, *[1] * 6], [2, 3, 5, 8], [4] * 6]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("level", [0.95, 0.995])
def test_the_bound_of_clusters_is_wrong_no_more_often_than_said_whatever_their_sizes(sizes, level):
    assert wrong_at_most(sizes, level) <= 1 - level + 1e-9


@pytest.mark.parametrize("sizes", SIZES[:4])
def test_very_many_clusters_have_a_wider_bound_that_is_no_more_often_wrong(sizes, monkeypatch):
    narrow = [alike_lower(seen, sizes, 0.95) for seen in range(sum(sizes) + 1)]
    monkeypatch.setattr(clusters, "WORK", 0)
    wide = [alike_lower(seen, sizes, 0.95) for seen in range(sum(sizes) + 1)]
    assert all(chernoff <= exact + 1e-9 for chernoff, exact in zip(wide, narrow, strict=True))
    assert wrong_at_most(sizes, 0.95) <= 0.05


def test_the_bound_of_clusters_is_never_above_what_was_seen():
    assert alike_lower(4, [100, *[1] * 10], 0.95) <= 4 / 110


def test_one_large_patient_shows_no_more_than_one_patient():
    labels = [1] * 74 + [0] * 50
    scores = [1] * 25 + [0] * 99
    patients = ["large"] * 25 + [f"p{i}" for i in range(99)]
    found = br.segments.by_group({"ward": br.count(labels, scores, cluster=patients)}, threshold=1)[
        "ward"
    ]
    assert found.bounds["tpr"].low == pytest.approx(
        0.05, abs=1e-6
    )  # that it is the one that was hit has this probability
    assert found.bounds["tpr"].value == pytest.approx(25 / 74)


def on_scale(value, ends):
    """The logit scale between two ends, the log scale above one."""
    low, high = ends
    return np.log(value - low) - (0.0 if np.isinf(high) else np.log(high - value))


def jackknifed_between(ends, value, parts, left_out, level=0.95):
    """As `jackknifed`, of a value between any two ends: bounds on the scale."""
    low, high = ends
    slope = 1 / (value - low) + 1 / (high - value)
    linear = np.zeros(len(left_out))
    expected = np.zeros(len(left_out))
    for changes_of, cases in parts:
        moved, held = np.array(changes_of), np.array(cases, dtype=float)
        linear += slope * moved / (held.sum() - held)
        expected += np.sum((moved / held.sum()) ** 2) * held / held.sum()
    exact = on_scale(value, ends) - on_scale(np.array(left_out), ends)
    spread = max(linear @ linear, (1 - 1 / len(left_out)) * (exact @ exact))
    degrees = expected.sum() ** 2 / (expected @ expected) - 1
    half = student.ppf((1 + level) / 2, degrees) * np.sqrt(spread)
    return on_scale(value, ends) - half, on_scale(value, ends) + half


COSTLY = br.Conditions(prior=0.02, costs=br.Costs(fn=50, fp=2))


def in_sample_precision(t, f, prior):
    return prior * t / (prior * t + (1 - prior) * f)


# A measure of (tpr, fpr, share of positives), its slopes, and the ends of its range.
READ = {
    "expected_cost": (
        COSTLY,
        lambda t, f, _: 0.02 * 50 * (1 - t) + 0.98 * 2 * f,
        lambda *_: (-1.0, 1.96),
        (0.0, 2.96),
    ),
    "lr_positive": (
        None,
        lambda t, f, _: t / f,
        lambda t, f, _: (1 / f, -t / f**2),
        (0.0, np.inf),
    ),
    "precision": (
        None,
        in_sample_precision,
        lambda t, f, p: (
            np.array((p * (1 - p) * f, -p * (1 - p) * t, t * f)) / (p * t + (1 - p) * f) ** 2
        ),
        (0.0, 1.0),
    ),
}


@pytest.mark.parametrize("name", READ)
def test_any_measure_of_clusters_is_the_jackknife_on_its_own_scale(patients, name):
    at, value_of, slopes_of, ends = READ[name]
    cases = list(cases_of(patients))

    def rates(some):
        return share_above(some, 1), share_above(some, 0), np.mean([y for _, y, _ in some])

    value, slopes = value_of(*rates(cases)), slopes_of(*rates(cases))
    flagged = [(case, float(case[2] >= 0.7)) for case in cases]
    parts = [changes(patients, flagged, 1), changes(patients, flagged, 0)]
    if len(slopes) == 3:
        labels = [((group, 1, score), float(y)) for group, y, score in cases]
        parts.append(changes(patients, labels, 1))
    parts = [
        ([slope * one for one in moved], held)
        for slope, (moved, held) in zip(slopes, parts, strict=True)
    ]
    left = without_each(patients, lambda some: value_of(*rates(some)))
    found = br.interval(patients, name, threshold=0.7, at=at)
    assert found.value == pytest.approx(value)
    assert (on_scale(found.low, ends), on_scale(found.high, ends)) == pytest.approx(
        jackknifed_between(ends, value, parts, left), rel=1e-6
    )


def test_clusters_of_one_size_are_as_many_cases_and_all_hits_are_a_root():
    assert alike_lower(8, [4] * 5, 0.95) == br.rate_interval(2, 5, side="lower").low
    assert alike_lower(11, [4] * 5, 0.95) == br.rate_interval(2, 5, side="lower").low
    assert alike_lower(9, [2, 3, 4], 0.95) == pytest.approx(0.05 ** (1 / 3))
    assert alike_lower(0, [2, 3, 4], 0.95) == 0
    assert alike_lower(1, [2, 3, 4], 0.95) == 0  # no whole cluster has one row


def test_what_is_undefined_over_all_clusters_has_no_interval(patients):
    with pytest.raises(
        br.InputError, match="BR589: precision is undefined for these cases, and so is its interval"
    ):
        br.interval(patients, "precision", threshold=None)
