"""From resampled values to bounds: percentiles, and BCa against its textbook and against scipy."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import baserate as br
from baserate.inference import intervals
from baserate.inference.intervals import acceleration
from baserate.inference.resample import Plan, bca_bounds, percentile_bounds, undefined_noted
from baserate.inference.statistic import replicate_values, statistic_of

VALUES = np.random.default_rng(0).gamma(3, size=501)


def cases(positives=30, negatives=45, seed=4, digits=1):
    """(labels, scores) with ties, skewed so that an acceleration is there to be seen."""
    rng = np.random.default_rng(seed)
    labels = np.arange(positives + negatives) < positives
    return labels, np.round(rng.gamma(2, size=len(labels)) + labels, digits)


def mean_of_positives(counts):
    return float(np.sum(counts.scores * counts.positives) / counts.positives.sum())


def difference_of_means(counts):
    return mean_of_positives(counts) - float(
        np.sum(counts.scores * counts.negatives) / counts.negatives.sum()
    )


def prior_of(counts):
    return counts.prior


def auc_of(ours, theirs):
    """Pair by pair, in whole numbers: replicates that equal what was seen must be seen to."""
    return sum(2 * int(a > b) + int(a == b) for a in ours for b in theirs) / (
        2 * len(ours) * len(theirs)
    )


# ---- percentiles ------------------------------------------------------------------------------


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.floats(0.5, 0.999))
def test_percentile_bounds_are_quantiles(values, level):
    values = np.array(values)
    both, lower, upper = (
        percentile_bounds(values, level, side) for side in ("both", "lower", "upper")
    )
    close = {"rtol": 1e-9, "atol": 1e-3}
    assert np.allclose(both, np.quantile(values, [(1 - level) / 2, (1 + level) / 2]), **close)
    assert np.allclose(lower, (np.quantile(values, 1 - level), math.inf), **close)
    assert np.allclose(upper, (-math.inf, np.quantile(values, level)), **close)


# ---- undefined replicates ---------------------------------------------------------------------


def test_undefined_replicates_are_counted_and_said():
    values = np.array([1.0, math.nan, 3.0, math.nan, 5.0])
    kept, (note,) = undefined_noted(values)
    assert kept.tolist() == [1.0, 3.0, 5.0]
    assert note.code == "BR592"
    assert note.text.startswith("2 of 5 replicates are undefined")


def test_where_all_are_defined_nothing_is_said():
    kept, notes = undefined_noted(VALUES)
    assert kept is VALUES
    assert notes == ()


def test_up_to_half_may_be_undefined_and_not_more():
    half = np.array([1.0, 2.0, math.nan, math.nan])
    assert undefined_noted(half)[0].tolist() == [1.0, 2.0]
    with pytest.raises(br.InputError, match="BR592: 3 of 5 replicates are undefined"):
        undefined_noted(np.append(half, math.nan))


# ---- BCa bounds -------------------------------------------------------------------------------


def textbook_bca(values, seen, a, shares):
    """Efron & Tibshirani 1993, eqs 14.9 to 14.14, replicates that equal the estimate counted
    half.
    """
    z0 = stats.norm.ppf((np.sum(values < seen) + np.sum(values <= seen)) / (2 * len(values)))
    places = []
    for share in shares:
        z = stats.norm.ppf(share)
        places.append(stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))))
    return tuple(float(np.quantile(values, place)) for place in places)


@pytest.mark.parametrize("a", [-0.08, 0.0, 0.05, 0.15])
@pytest.mark.parametrize("seen", [1.5, 2.4, 3.0, 4.5, VALUES[7]])
def test_bca_bounds_are_those_of_the_textbook(seen, a):
    both, lower, upper = (
        bca_bounds(VALUES, seen, a, 0.9, side) for side in ("both", "lower", "upper")
    )
    assert np.allclose(both, textbook_bca(VALUES, seen, a, (0.05, 0.95)), rtol=1e-9)
    low, high = textbook_bca(VALUES, seen, a, (0.1, 0.9))
    assert np.allclose((lower[0], upper[1]), (low, high), rtol=1e-9)
    assert (lower[1], upper[0]) == (math.inf, -math.inf)


def test_without_bias_or_acceleration_bca_is_percentile():
    values = np.sort(VALUES)
    assert np.allclose(
        bca_bounds(values, float(np.median(values)), 0.0, 0.95, "both"),
        percentile_bounds(values, 0.95, "both"),
        rtol=1e-12,
    )


def test_where_every_replicate_lies_on_one_side_bca_has_no_bias_to_correct_and_is_percentile():
    for seen in (VALUES.min() - 1, VALUES.max() + 1):
        assert bca_bounds(VALUES, seen, 0.05, 0.95, "both") == percentile_bounds(
            VALUES, 0.95, "both"
        )


def test_replicates_that_are_all_what_was_seen_have_that_bound():
    assert bca_bounds(np.full(100, 0.75), 0.75, 0.0, 0.95, "both") == (0.75, 0.75)


# ---- acceleration -----------------------------------------------------------------------------


def scipy_bca(data, statistic, values):
    """scipy's BCa bounds for the replicates given."""
    drawn = stats.bootstrap(
        data,
        statistic,
        n_resamples=2,
        method="percentile",
        vectorized=False,
        rng=np.random.default_rng(0),
    )
    drawn = dataclasses.replace(drawn, bootstrap_distribution=values)
    found = stats.bootstrap(
        data, statistic, n_resamples=0, bootstrap_result=drawn, method="BCa", vectorized=False
    )
    return found.confidence_interval.low, found.confidence_interval.high


@pytest.mark.parametrize("seed", range(3))
def test_bca_of_one_class_is_that_of_scipy_for_the_same_replicates(seed):
    """The mean score of the positives: the negatives have no influence, and their part of the sum
    is 0.
    """
    labels, scores = cases(seed=seed, digits=6)
    counts = br.count(labels, scores)
    found = br.interval(
        counts, mean_of_positives, method="bca", resample="stratified", replicates=999, seed=seed
    )
    values = replicate_values(
        statistic_of(mean_of_positives), counts, Plan("stratified", 999, seed)
    )[:, 0]
    low, high = scipy_bca((scores[labels],), np.mean, values)
    # scipy leaves each case out, and so do we: but for the last digits of two sums.
    assert np.allclose((found.low, found.high), (low, high), rtol=1e-6)
    assert (found.low, found.high) != percentile_bounds(values, 0.95, "both")


@pytest.mark.parametrize(
    ("ours", "theirs", "digits"),
    [
        (difference_of_means, lambda a, b: a.mean() - b.mean(), 6),
        (br.auc, auc_of, 1),
        (br.auc, auc_of, 6),
    ],
)
def test_bca_of_two_classes_is_that_of_scipy_for_the_same_replicates(ours, theirs, digits):
    labels, scores = cases(20, 30, digits=digits)
    counts = br.count(labels, scores)
    found = br.interval(counts, ours, method="bca", resample="stratified", replicates=500)
    values = replicate_values(statistic_of(ours), counts, Plan("stratified", 500, 0))[:, 0]
    assert np.allclose(
        (found.low, found.high),
        scipy_bca((scores[labels], scores[~labels]), theirs, values),
        rtol=1e-6,
    )
    assert found.method == "bca"


def textbook_acceleration(left_out):
    """Efron & Tibshirani 1993, eq 14.15, summed over samples as for a difference of means: Σ U³/n³
    over 6·(Σ U²/n²)^1.5.
    """
    cubes = squares = 0.0
    for values in left_out:
        n, influence = len(values), (len(values) - 1) * (np.mean(values) - np.asarray(values))
        cubes += np.sum(influence**3) / n**3
        squares += np.sum(influence**2) / n**2
    return cubes / (6 * squares**1.5)


def leaving_one_out(labels, scores, members, statistic):
    kept = np.ones(len(labels), dtype=bool)
    values = []
    for case in np.flatnonzero(members):
        kept[case] = False
        values.append(statistic(br.count(labels[kept], scores[kept])))
        kept[case] = True
    return values


@pytest.mark.parametrize(
    "statistic", [br.auc, br.curves.auprc, br.curves.brier, difference_of_means]
)
@pytest.mark.parametrize("digits", [1, 6])
def test_the_acceleration_is_that_of_leaving_every_case_out(statistic, digits):
    """Each class is a sample of its own where their totals stay as they are."""
    labels, scores = cases(digits=digits)
    scores = scores / 100  # as probabilities
    left_out = [
        leaving_one_out(labels, scores, members, statistic) for members in (labels, ~labels)
    ]
    found = acceleration(statistic_of(statistic), br.count(labels, scores), "stratified")
    assert math.isclose(found, textbook_acceleration(left_out), rel_tol=1e-6, abs_tol=1e-9)
    assert abs(found) > 1e-3


@pytest.mark.parametrize(
    "statistic", [br.auc, br.curves.auprc, br.curves.brier, difference_of_means, prior_of]
)
@pytest.mark.parametrize("digits", [1, 6])
def test_where_class_totals_are_drawn_too_all_cases_are_one_sample(statistic, digits):
    labels, scores = cases(digits=digits)
    scores = scores / 100  # as probabilities
    left_out = leaving_one_out(labels, scores, labels | ~labels, statistic)
    counts = br.count(labels, scores)
    found = acceleration(statistic_of(statistic), counts, "cases")
    assert math.isclose(found, textbook_acceleration([left_out]), rel_tol=1e-6, abs_tol=1e-9)
    assert not math.isclose(
        found, acceleration(statistic_of(statistic), counts, "stratified"), rel_tol=1e-3
    )


@pytest.mark.parametrize("how", ["stratified", "cases"])
def test_leaving_some_cases_out_is_close_to_leaving_out_all(how, monkeypatch):
    labels, scores = cases(300, 400, digits=4)
    statistic, counts = statistic_of(difference_of_means), br.count(labels, scores)
    whole = acceleration(statistic, counts, how)
    monkeypatch.setattr(intervals, "MOST_LEFT_OUT", 120)
    some = acceleration(statistic, counts, how)
    assert some != whole
    assert math.isclose(some, whole, rel_tol=0.3)


def grouped_cases(groups=15, each=8):
    rng = np.random.default_rng(9)
    labels = rng.random(groups * each) < 0.4
    scores = np.round(rng.gamma(2, size=len(labels)) + labels, 1)
    names = np.repeat(np.arange(groups), each)
    scores = scores + np.repeat(np.round(rng.gamma(1, size=groups), 1), each)
    return labels, scores, names


@pytest.mark.parametrize("statistic", [br.auc, difference_of_means, prior_of])
def test_the_acceleration_of_clusters_is_that_of_leaving_every_cluster_out(statistic):
    labels, scores, names = grouped_cases()
    left_out = [
        statistic(br.count(labels[names != name], scores[names != name])) for name in range(15)
    ]
    found = acceleration(
        statistic_of(statistic), br.count(labels, scores, cluster=names), "clusters"
    )
    assert math.isclose(found, textbook_acceleration([left_out]), rel_tol=1e-9)


def test_bca_of_clusters_is_that_of_its_replicates_and_acceleration():
    labels, scores, names = grouped_cases()
    groups = br.count(labels, scores, cluster=names)
    statistic = statistic_of(br.auc)
    values = replicate_values(statistic, groups, Plan("clusters", 400, 0))[:, 0]
    found = br.interval(groups, br.auc, method="bca", replicates=400)
    assert (found.low, found.high) == bca_bounds(
        values, br.auc(groups.total()), acceleration(statistic, groups, "clusters"), 0.95, "both"
    )


def test_what_leaving_one_out_does_not_change_has_no_acceleration():
    labels, scores = cases(57, 543)
    for value in (0.7, 0.1, 1 / 3):
        for how in ("stratified", "cases"):
            assert (
                abs(
                    acceleration(
                        statistic_of(lambda _, value=value: value), br.count(labels, scores), how
                    )
                )
                < 1e-9
            )


@pytest.mark.parametrize(("positives", "negatives"), [(15, 300), (57, 543)])
def test_the_acceleration_of_resamples_of_cases_is_that_of_one_sample(positives, negatives):
    """The share of positives is a mean of 0 and 1: its acceleration is (1 − 2p) / (6·√(n·p·(1 −
    p))).
    """
    labels, scores = cases(positives, negatives)
    counts, n = br.count(labels, scores), positives + negatives
    values = replicate_values(statistic_of(prior_of), counts, Plan("cases", 2000, 0))[:, 0]
    p = positives / n
    expected = textbook_bca(
        values, p, (1 - 2 * p) / (6 * math.sqrt(n * p * (1 - p))), (0.025, 0.975)
    )
    found = br.interval(counts, prior_of, method="bca")
    assert np.allclose((found.low, found.high), expected, rtol=1e-9)


def test_bca_of_several_models_is_refused():
    joint = br.count([0, 1] * 10, {"a": range(20), "b": range(20)})
    with pytest.raises(br.InputError, match="BR581: bca is for one set of counts"):
        acceleration(statistic_of(br.auc), joint, "stratified")


def test_cases_without_which_the_statistic_is_undefined_are_left_out_of_the_acceleration():
    labels, scores = cases(digits=6)
    counts, top = br.count(labels, scores), scores[labels].max()

    def partly(part):
        return mean_of_positives(part) if part.positives[part.scores == top].any() else math.nan

    left_out = [
        value for value in leaving_one_out(labels, scores, labels, partly) if not math.isnan(value)
    ]
    assert len(left_out) == labels.sum() - 1
    assert math.isclose(
        acceleration(statistic_of(partly), counts, "stratified"),
        textbook_acceleration([left_out]),
        rel_tol=0.05,
    )
    never = statistic_of(
        lambda part: 0.5 if part.total_positives + part.total_negatives == 75 else math.nan
    )
    assert acceleration(never, counts, "stratified") == acceleration(never, counts, "cases") == 0
