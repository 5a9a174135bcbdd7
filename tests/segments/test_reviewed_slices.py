"""What a statistician found in sites, days, clusters and amounts, and what must not come back."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

import baserate as br
from baserate.inference import clusters
from baserate.inference.clusters import alike_lower
from baserate.inference.requirements import UNJUDGED


def exact_outcomes(counts, prior, threshold):
    """(caught, false alarms, missed) of a site with as many cases, at its prior, in fractions."""
    positives, negatives = int(counts.total_positives), int(counts.total_negatives)
    size, flagged = positives + negatives, counts.scores >= threshold
    prior = Fraction(positives, size) if prior is None else Fraction(prior)
    caught = size * prior * Fraction(int(counts.positives[flagged].sum()), positives)
    alarms = size * (1 - prior) * Fraction(int(counts.negatives[flagged].sum()), negatives)
    return caught, alarms, size * prior - caught


PRIORS = {"a": "0.001", "b": "0.2", "c": None}
SITES = {
    "a": br.Counts([3, 2, 1], [90, 6, 4], [45, 200, 655]),
    "b": br.Counts([3, 2, 1], [30, 20, 50], [270, 30, 600]),
    "c": br.Counts([3, 2, 1], [7, 2, 4], [5, 7, 61]),
}
AT = {
    name: br.Conditions(prior=float(prior)) for name, prior in PRIORS.items() if prior is not None
}


def test_all_cases_are_the_sum_of_sites_at_priors_of_their_own():
    found = br.by_group(SITES, threshold=2, at=AT, require="recall >= 0.5")
    outcomes = [exact_outcomes(SITES[name], PRIORS[name], 2) for name in SITES]
    caught, alarms, missed = (sum(column) for column in zip(*outcomes, strict=True))
    total = found.total
    confusion = total.point.confusion
    assert (confusion.tp, confusion.fp, confusion.fn) == (caught, alarms, missed)
    assert total["alerts"] == pytest.approx(
        float(caught + alarms), rel=1e-14
    )  # the prior is read as it is shown, a float
    assert total["caught"] == pytest.approx(float(caught), rel=1e-14)
    assert total["precision"] == pytest.approx(float(caught / (caught + alarms)), rel=1e-14)
    assert total["tpr"] == float(caught / (caught + missed))
    assert total["alerts"] == pytest.approx(sum(part["alerts"] for part in found.values()))
    assert (total.cases, total.positives) == (2086, 213)
    assert (dict(total.intervals), dict(total.bounds), total.outcome) == ({}, {}, UNJUDGED)


@pytest.mark.parametrize(
    "costs", [br.Costs(fp=1, fn=1), br.Costs(fp=1, fn=4), br.Costs(fp=1, fn=30)]
)
def test_a_threshold_chosen_on_all_cases_is_the_cheapest_of_that_sum(costs):
    at = {name: br.Conditions(given.prior, costs) for name, given in AT.items()}

    def cost(threshold):
        outcomes = [exact_outcomes(SITES[name], PRIORS[name], threshold) for name in SITES]
        return sum(
            alarms * int(costs.fp) + missed * int(costs.fn) for _, alarms, missed in outcomes
        )

    chosen = br.by_group(SITES, at=at).threshold
    assert cost(4 if chosen is None else chosen) == min(map(cost, (1, 2, 3, 4)))


def test_sites_whose_weights_have_no_small_common_denominator_choose_as_well():
    rng = np.random.default_rng(3)
    given = {
        i: br.Counts([3, 2, 1], rng.integers(50, 400, 3), rng.integers(50, 4000, 3))
        for i in range(40)
    }
    priors = {i: br.Conditions(prior=f"{i + 1} in 1009") for i in given}
    found = br.by_group(given, at=priors, rule="recall >= 0.5")
    caught, _, missed = (
        sum(column)
        for column in zip(
            *(exact_outcomes(given[i], Fraction(i + 1, 1009), 2) for i in given), strict=True
        )
    )
    assert found.total.point.tpr >= 0.5
    assert found.threshold in (2, 1)
    assert (found.threshold == 2) == (caught / (caught + missed) >= Fraction(1, 2))


def test_the_others_beyond_the_largest_are_their_sum_too():
    found = br.by_group(SITES, threshold=2, at=AT)
    other = found.largest(1)[-1]
    rest = [part for name, part in found.items() if name != found.largest(1)[0].group]
    assert other["alerts"] == pytest.approx(sum(part["alerts"] for part in rest))


def noted(positives, cases):
    """Whether days with so many positives and cases are said to lack labels."""
    days = [f"2026-01-{day + 1:02}" for day in range(len(positives))]
    rows = [
        (label, day)
        for day, has, of in zip(days, positives, cases, strict=True)
        for label in [1] * has + [0] * (of - has)
    ]
    labels, dates = zip(*rows, strict=True)
    found = br.by_day(br.count_days(labels, [0.5] * len(labels), days=dates), threshold=0.5)
    return [note.text for note in found.notes if note.code == "BR113"]


def test_one_early_positive_does_not_make_the_days_after_it_improbable():
    # One positive among the first 10 of 300 cases is there with probability 1 in 30, whatever the
    # rate.
    assert not noted([1, *[0] * 29], [10] * 30)


def test_the_chance_of_days_without_positives_is_that_of_any_order_of_the_cases():
    # Among all orders of 4 positives and 56 others none of the last 50 is positive in C(10, 4) of
    # C(60, 4).
    assert comb(10, 4) / comb(60, 4) < 0.001
    assert (
        f"probability {comb(10, 4) / comb(60, 4):.1g})"
        in noted([1, 3, *[0] * 5], [5, 5, *[10] * 5])[0]
    )
    assert not noted([1, 2, *[0] * 5], [5, 5, *[10] * 5])
    assert comb(10, 3) / comb(60, 3) > 0.001


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
    found = br.by_group({"ward": br.count_groups(labels, scores, groups=patients)}, threshold=1)[
        "ward"
    ]
    assert found.bounds["tpr"].low == pytest.approx(
        0.05, abs=1e-6
    )  # that it is the one that was hit has this probability
    assert found.bounds["tpr"].value == pytest.approx(25 / 74)


def test_all_bounds_that_are_printed_hold_together():
    """Ten sites, recall and specificity of each: the chance that any of the twenty is above the
    truth, exactly.
    """
    cases, groups = 60, {}
    for name in range(10):
        groups[name] = br.Counts([1, 0], [54, 6], [6, 54])
    found = br.by_group(groups, threshold=1, simultaneous=True)
    level = found[0].bounds["tpr"].level
    assert level == pytest.approx(1 - 0.05 / 20)
    assert found[0].bounds["tnr"].level == level
    lows = [
        br.rate_interval(seen, cases, side="lower", level=level).low for seen in range(cases + 1)
    ]
    each = max(
        sum(
            chance
            for chance, low in zip(rows_hit([1] * cases, rate), lows, strict=True)
            if low > rate
        )
        for rate in (low * (1 - 1e-9) for low in lows if low)
    )
    assert 1 - (1 - each) ** 20 <= 0.05
