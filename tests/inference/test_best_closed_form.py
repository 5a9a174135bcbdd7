"""The closed form of a difference at thresholds, case by case: its variance, p-value and bounds."""

import math
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest

import baserate as br
from baserate.inference.leads import (
    Moves,
    around,
    bounds_beside,
    moved_p,
    normal_p,
    slope_of_prior,
    swapped_p,
    variance_of_prior,
)

Z = NormalDist().inv_cdf(0.975)
PRIOR = 0.1


def cases(seed=1, positives=40, negatives=160, digits=1):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    common = rng.normal(size=len(y))
    return y, {
        name: np.round(shift * y + 0.6 * common + 0.8 * rng.normal(size=len(y)), digits)
        for name, shift in (("a", 1.2), ("b", 1.7))
    }


def share(flags, y, label):
    return float(np.mean(flags[y == label]))


def precision(t, f, prior=PRIOR):
    caught, alarms = prior * t, (1 - prior) * f
    slope = prior * (1 - prior) / (caught + alarms) ** 2
    return caught / (caught + alarms), (slope * f, -slope * t), t * f / (caught + alarms) ** 2


def f1(t, f, prior=PRIOR):
    below = prior * t + (1 - prior) * f + prior
    return (
        2 * prior * t / below,
        (2 * prior * (below - prior * t) / below**2, -2 * prior * t * (1 - prior) / below**2),
        2 * t * (below - prior * (t - f + 1)) / below**2,
    )


def cost(t, f, prior=PRIOR):
    return (
        prior * 7 * (1 - t) + (1 - prior) * 2 * f,
        (-7 * prior, 2 * (1 - prior)),
        7 * (1 - t) - 2 * f,
    )


COSTS = br.Costs(fn=7, fp=2)
MEASURES = {"precision": precision, "f1": f1, "expected_cost": cost}


def by_hand(y, flags, gradients, with_prior=(0.0, 0.0)):
    """The variance of a difference: over the cases of each class, with one more that only the first
    model flags and one that only the second does (Bonett & Price); and that of the base rate where
    it is the sample's own.
    """
    variance = 0.0
    for place, label in enumerate((1, 0)):
        ours, theirs = gradients[0][place], gradients[1][place]
        moves = [
            theirs * float(second) - ours * float(first)
            for first, second, one in zip(*flags, y, strict=True)
            if one == label
        ]
        moves += [-ours, theirs]
        variance += np.var(moves) / len(moves)
    whole, prior = len(y), np.mean(y)
    return variance + (with_prior[1] - with_prior[0]) ** 2 * prior * (1 - prior) / whole


@pytest.mark.parametrize("prior", [PRIOR, 1e-9, None])
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    "cuts", [{"a": 1.0, "b": 1.0}, {"a": 0.4, "b": 1.6}, {"a": -9.0, "b": 0.7}]
)
def test_the_standard_error_at_fixed_thresholds_is_that_of_the_cases_one_by_one(name, prior, cuts):
    y, scores = cases()
    flags = [scores[model] >= cuts[model] for model in "ab"]
    used = prior or float(np.mean(y))
    values, gradients, along_prior = zip(
        *(MEASURES[name](share(one, y, 1), share(one, y, 0), used) for one in flags), strict=True
    )
    variance = by_hand(y, flags, gradients, (0.0, 0.0) if prior else along_prior)
    found = br.compare(br.count(y, scores), name, threshold=cuts, at=br.Conditions(prior, COSTS))
    assert found.value == pytest.approx(values[1] - values[0])
    # Where all of a class is flagged, slopes are measured from one side.
    within = 1e-6 if cuts["a"] > -9 else 2e-5
    assert found.statistic == pytest.approx(found.value / math.sqrt(variance), rel=within)
    apart = int(np.sum(flags[0] != flags[1]))
    p = 2 * NormalDist().cdf(-abs(found.statistic))
    if name == "expected_cost":
        counts = [int(np.sum((flags[0] != flags[1])[y == label])) for label in (1, 0)]
        steps = [abs(g) / np.sum(y == label) for g, label in zip(gradients[0], (1, 0), strict=True)]
        p = max(p, swapped_p(found.value, *zip(steps, counts, strict=True)))
    else:
        p = max(p, 2.0 ** (1 - apart))
    assert found.method == ("weighted-mcnemar" if name == "expected_cost" else "delta")
    assert found.p_value == pytest.approx(p, rel=1e-6 if within == 1e-6 else 0.01)
    half = Z * math.sqrt(variance)
    low, high = found.value - half, found.value + half
    if p >= 0.05:
        low, high = min(low, 0), max(high, 0)
    least, most = {"expected_cost": (0, 7 * used + 2 * (1 - used))}.get(name, (0, 1))
    low, high = max(low, least - most), min(high, most - least)
    assert (found.low, found.high) == pytest.approx((low, high), rel=5 * within, abs=1e-12)


def test_no_p_value_is_surer_than_a_coin_tossed_as_often_as_the_models_differ():
    """Three cases on which the models differ, all for the second: at least 2 · (1/2)³."""
    y = [1] * 30 + [0] * 300
    scores = {"a": [1] * 20 + [0] * 10 + [1] * 3 + [0] * 297, "b": [1] * 20 + [0] * 310}
    found = br.compare(br.count(y, scores), "precision", threshold=1, at=br.Conditions(0.5))
    assert found.p_value == 0.25
    assert found.low <= 0 <= found.high


def looser_and_stricter(scores, y, cut):
    """How tpr and fpr move to thresholds whose flagged cases of a class are two standard deviations
    (and one case) fewer, and more.
    """
    cuts = sorted({math.inf, *scores.tolist()}, reverse=True)
    flagged = [[int(np.sum(scores[y == label] >= one)) for one in cuts] for label in (1, 0)]
    here = cuts.index(cut)
    first, last = here, here
    for column, whole in zip(flagged, (int(np.sum(y == 1)), int(np.sum(y == 0))), strict=True):
        width = 2 * math.sqrt(column[here] * (1 - column[here] / whole)) + 1
        within = [i for i, one in enumerate(column) if abs(one - column[here]) <= width]
        first, last = min(first, within[0]), max(last, within[-1])
    sizes = np.sum(y == 1), np.sum(y == 0)
    return [
        [(column[b] - column[a]) / size for column, size in zip(flagged, sizes, strict=True)]
        for a, b in ((first, here), (here, last))
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("place", [0, 1, 7, -2, -1])
def test_around_a_threshold_lie_those_within_two_standard_deviations(seed, place):
    y, scores = cases(seed)
    points = br.Points.of(br.count(y, scores["a"]))
    place = place % len(points)
    low, middle, high = around(points, place)
    cut = [math.inf, *points.scores.tolist()][place]
    stricter, looser = looser_and_stricter(scores["a"], y, cut)
    for rate, ours, theirs in zip((points.tpr, points.fpr), stricter, looser, strict=True):
        assert rate[middle] - rate[low] == pytest.approx(ours)
        assert rate[high] - rate[middle] == pytest.approx(theirs)
    assert middle == place


@pytest.mark.parametrize(
    ("rule", "prior", "term"),
    [
        ("fpr <= 0.1", 0.3, (0.0, 1.0)),
        ("tpr >= 0.05 and fpr <= 0.1", 0.3, (0.0, 1.0)),
        ("tpr >= 0.7", 0.02, (1.0, 0.0)),
        ("tpr >= 0.7 and fpr <= 0.95", 0.02, (1.0, 0.0)),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_where_a_rule_decides_each_class_counts_along_it(rule, prior, term, seed):
    """What a rule on fpr lets through changes with the negatives: a case of each class counts for
    what it changes of the cost after the thresholds have followed the rule, by the local slope of
    the ROC; of both directions, the one that leaves more doubt.
    """
    y, scores = cases(seed, 60, 300)
    at, joint = br.Conditions(prior, COSTS), br.count(y, scores)
    points = {name: br.choose(joint.marginal(name), rule, at=at) for name in "ab"}
    free = {name: br.choose(joint.marginal(name), at=at) for name in "ab"}
    assert all(points[name].threshold != free[name].threshold for name in "ab"), "the rule decides"
    flags = [scores[name] >= points[name].threshold for name in "ab"]
    gradient = (-7 * at.prior, 2 * (1 - at.prior))
    sides = [looser_and_stricter(scores[name], y, points[name].threshold) for name in "ab"]
    found = []
    for side in (0, 1):
        move = [
            max(sum(one[side][rate] for one in sides), 0.5 / np.sum(y == label))
            for rate, label in enumerate((1, 0))
        ]
        ratio = np.dot(gradient, move) / np.dot(term, move)
        weights = tuple(g - ratio * t for g, t in zip(gradient, term, strict=True))
        found.append((by_hand(y, flags, (weights, weights)), weights))
    variance, weights = max(found)
    lead = br.compare(joint, "expected_cost", rule=rule, at=at)
    assert lead.statistic == pytest.approx(lead.value / math.sqrt(variance), rel=1e-6)
    # Models are swapped on the cases on which they differ, and on one more each way and class.
    parts = [
        (abs(weight) / np.sum(y == label), int(np.sum((flags[0] != flags[1])[y == label])) + 2)
        for weight, label in zip(weights, (1, 0), strict=True)
    ]
    p = max(swapped_p(lead.value, *parts), normal_p(lead.value, variance))
    assert (lead.method, lead.p_value) == ("weighted-mcnemar", pytest.approx(p, rel=1e-5))


def test_a_difference_without_variance_is_no_evidence():
    assert normal_p(0.3, 0.0) == 1.0
    assert normal_p(0.0, 0.1) == 1.0
    assert normal_p(-1.96, 1.0) == pytest.approx(0.05, rel=1e-3)


@pytest.mark.parametrize(
    ("value", "p", "expected"),
    [
        (0.02, 0.049, (0.01, 0.03)),
        (0.02, 0.05, (0.0, 0.03)),
        (-0.02, 0.049, (-0.03, -0.01)),
        (-0.02, 0.05, (-0.03, 0.0)),
        (0.005, 1.0, (-0.005, 0.015)),
    ],
)
def test_bounds_contain_no_difference_where_the_test_rules_nothing_out(value, p, expected):
    found = bounds_beside(value, (0.01 / Z) ** 2, p, 0.95)
    assert found == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("prior", [PRIOR, None])
def test_models_on_different_cases_add_their_variances(prior):
    """Each rate with one case more of either kind, as on the same cases."""
    y, scores = cases()
    labels = {"a": y, "b": y[:150]}
    models = {name: br.count(labels[name], scores[name][: len(labels[name])]) for name in "ab"}
    choice = br.choose(models, at=br.Conditions(prior, COSTS), paired=False)
    (lead,) = choice.differences
    variance, values = 0.0, []
    for name in lead.models:
        tp, fp, fn, tn = choice.points[name].confusion
        positives, negatives = tp + fn, fp + tn
        own = positives / (positives + negatives)
        value, gradient, along = cost(tp / positives, fp / negatives, prior or own)
        for slope, seen, of in zip(gradient, (tp, fp), (positives, negatives), strict=True):
            rate = (seen + 1) / (of + 2)
            variance += slope**2 * rate * (1 - rate) / (of + 2)
        if prior is None:
            variance += along**2 * own * (1 - own) / (positives + negatives)
        values.append(value)
    assert lead.values == pytest.approx(values)
    assert lead.value == pytest.approx(values[1] - values[0])
    assert (lead.method, lead.paired) == ("delta", False)
    assert lead.statistic == pytest.approx(lead.value / math.sqrt(variance), rel=1e-6)
    assert lead.p_value == pytest.approx(2 * NormalDist().cdf(-abs(lead.statistic)), rel=1e-6)
    half = Z * math.sqrt(variance)
    assert (lead.low, lead.high) == pytest.approx((lead.value - half, lead.value + half), rel=1e-6)


MOVES = [
    Moves(np.array([3.0, -1.0]), np.array([1, 2]), (-1.5, 1.5), 10),
    Moves(np.array([2.0]), np.array([3]), (-2.0, 2.0), 20),
]


@pytest.mark.parametrize("part", MOVES)
def test_what_a_class_adds_is_the_mean_over_its_cases(part):
    each = np.repeat(part.sizes, part.times)
    rest = [0.0] * (part.cases - len(each))
    assert part.mean == pytest.approx(np.mean([*each, *rest]))
    more = [*each, *rest, *part.added]
    assert part.variance == pytest.approx(np.var(more) / len(more))


def test_a_difference_of_sums_is_tested_by_every_way_to_swap_the_models():
    sizes = [
        abs(size) / part.cases
        for part in MOVES
        for size in [*np.repeat(part.sizes, part.times), *part.added]
    ]
    ways = np.abs(np.array(list(product((-1, 1), repeat=len(sizes)))) @ sizes)
    for value in (0.3, 0.55, -0.9):
        share = float(np.mean(ways >= abs(value) - 1e-9))
        assert moved_p(value, MOVES, 1e-9) == pytest.approx(share, rel=1e-9)
        assert moved_p(value, MOVES, 100.0) == pytest.approx(normal_p(value, 100.0))
    assert moved_p(0.0, MOVES, 1.0) == 1.0
    still = Moves(np.zeros(0), np.zeros(0), (-2.0, 2.0), 20)
    assert moved_p(0.5, [still, still], 1e-9) == 1.0
    # Where only one class moves, that of the other counts for its added cases.
    sizes = np.array([0.3, 0.1, 0.1, 0.15, 0.15, 0.1, 0.1])
    ways = np.abs(np.array(list(product((-1, 1), repeat=7))) @ sizes)
    share = float(np.mean(ways >= 0.8 - 1e-9))
    for parts in ([MOVES[0], still], [still, MOVES[0]]):
        assert moved_p(0.8, parts, 1e-9) == pytest.approx(share)


def test_the_base_rate_of_the_sample_adds_its_binomial_variance():
    means, sizes = (0.4, -0.1), (30, 90)
    numbers, share = np.arange(121), 30 / 120
    chances = [math.comb(120, k) * share**k * (1 - share) ** (120 - k) for k in range(121)]
    values = numbers / 30 * means[0] + (120 - numbers) / 90 * means[1]
    mean = np.dot(chances, values)
    assert variance_of_prior(slope_of_prior(means, sizes), sizes) == pytest.approx(
        np.dot(chances, (values - mean) ** 2)
    )


@pytest.mark.parametrize("rule", [None, "fpr <= 0.99", "tpr >= 0.01 and posfrac <= 0.99"])
@pytest.mark.parametrize("seed", range(3))
def test_where_no_rule_decides_each_class_counts_as_it_costs(rule, seed):
    y, scores = cases(seed, 60, 300)
    at, joint = br.Conditions(0.3, COSTS), br.count(y, scores)
    points = {name: br.choose(joint.marginal(name), rule, at=at) for name in "ab"}
    flags = [scores[name] >= points[name].threshold for name in "ab"]
    gradient = (-7 * 0.3, 2 * 0.7)
    variance = by_hand(y, flags, (gradient, gradient))
    lead = br.compare(joint, "expected_cost", rule=rule, at=at)
    assert lead.statistic == pytest.approx(lead.value / math.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_measure_that_was_not_made_best_varies_at_least_as_at_fixed_thresholds(seed):
    """Recall where "tpr >= 0.7" decides: along the rule it stays, in the field it does not."""
    y, scores = cases(seed, 60, 300)
    at, joint = br.Conditions(0.02, COSTS), br.count(y, scores)
    points = {name: br.choose(joint.marginal(name), "tpr >= 0.7", at=at) for name in "ab"}
    flags = [scores[name] >= points[name].threshold for name in "ab"]
    for measure, gradient in (("tpr", (1.0, 0.0)), ("fpr", (0.0, 1.0))):
        lead = br.compare(joint, measure, rule="tpr >= 0.7", at=at)
        least = by_hand(y, flags, (gradient, gradient))
        if measure == "tpr":
            assert lead.statistic == pytest.approx(lead.value / math.sqrt(least), rel=1e-6)
            assert lead.method == "mcnemar"
        else:
            assert abs(lead.statistic) <= abs(lead.value / math.sqrt(least)) * (1 + 1e-9)
