"""Intervals at a base rate that was estimated: drawn together with the rates, at thresholds fixed
in advance; anything else is refused.
"""

import numpy as np
import pytest

import baserate as br
from baserate.inference.estimated_prior import (
    FieldTable,
    in_field,
    joint_draws,
    table_of,
    table_of_models,
)
from baserate.measures.confusion import Measure


def scores(rng, positives, negatives):
    labels = np.repeat([1, 0], [positives, negatives])
    return labels, rng.normal(size=positives + negatives) + 1.8 * labels


RNG = np.random.default_rng(20)
LABELS, SCORES = scores(RNG, 200, 3800)
FIELD = scores(RNG, 100, 4900)[1]
COUNTS, UNLABELLED = br.count(LABELS, SCORES), br.count_unlabelled(FIELD)
ESTIMATE = br.estimate_prior(COUNTS, UNLABELLED, replicates=200)
AT = br.Conditions(prior=ESTIMATE, costs=br.Costs(fn=10))


def test_a_table_counts_the_cells_between_both_thresholds():
    found = table_of(COUNTS, UNLABELLED, 0.9, 2.0)
    for label, cells in ((1, found.positives), (0, found.negatives)):
        ours = SCORES[label == LABELS]
        assert cells == (
            (ours >= 2).sum(),
            ((ours >= 0.9) & (ours < 2)).sum(),
            0,
            (ours < 0.9).sum(),
        )
    assert (found.seen, found.flagged, found.cases) == (
        (FIELD >= 0.9).sum(),
        (FIELD >= 2).sum(),
        5000,
    )
    tpr, fpr = (np.mean(SCORES[label == LABELS] >= 0.9) for label in (1, 0))
    assert found.prior == pytest.approx((np.mean(FIELD >= 0.9) - fpr) / (tpr - fpr))
    assert found.rates == pytest.approx([np.mean(SCORES[label == LABELS] >= 2) for label in (1, 0)])


def test_a_table_of_two_models_counts_pairs():
    other = SCORES + RNG.normal(size=4000)
    joint = br.count(LABELS, {"a": SCORES, "b": other})
    found = table_of_models(joint, ("a", 0.9), ("b", 1.0), (300, 5000))
    for label, cells in ((1, found.positives), (0, found.negatives)):
        a, b = SCORES[label == LABELS] >= 0.9, other[label == LABELS] >= 1.0
        assert cells == ((a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum())
    assert found.flagged is None


def test_rates_are_jeffreys_draws_at_both_thresholds():
    table = FieldTable((30, 10, 0, 60), (20, 30, 0, 950), 400, 5000)
    prior, tpr, fpr = joint_draws(table, 1, 200_000)
    assert tpr.mean() == pytest.approx(30.5 / 101, abs=1e-3)
    assert tpr.std() == pytest.approx(np.sqrt(30.5 * 70.5 / 101**2 / 102), rel=0.01)
    assert fpr.mean() == pytest.approx(20.5 / 1001, abs=1e-4)
    # A high FPR at the threshold of the estimate goes with a low base rate, and with a high FPR
    # above it.
    assert np.corrcoef(prior, fpr)[0, 1] < -0.2


def test_one_threshold_for_both_makes_a_closed_form():
    """Where cases are counted at the threshold in question, the share flagged is prior · TPR + (1 −
    prior) · FPR, draw by draw.
    """
    prior, tpr, fpr = joint_draws(FieldTable((40, 0, 0, 60), (50, 0, 0, 950), 400, 5000), 3)
    share = prior * tpr + (1 - prior) * fpr
    assert share.mean() == pytest.approx(400.5 / 5001, abs=1e-4)
    assert share.std() == pytest.approx(np.sqrt(0.08 * 0.92 / 5000), rel=0.03)


def test_the_interval_is_far_wider_than_that_of_a_base_rate_taken_as_known():
    found = br.interval(COUNTS, "precision", threshold=2.0, at=AT)
    known = br.interval(COUNTS, "precision", threshold=2.0, at=br.Conditions(prior=ESTIMATE.value))
    assert found.value == pytest.approx(known.value)
    assert found.method == "joint-draws"
    assert found.width > 1.5 * known.width
    assert "BR649" in [note.code for note in found.notes]


def test_what_needs_no_base_rate_stays_as_it_is():
    assert (
        br.interval(COUNTS, "tpr", threshold=2.0, at=AT).low
        == br.interval(COUNTS, "tpr", threshold=2.0).low
    )
    assert br.interval(COUNTS, br.auc, at=AT) == br.interval(COUNTS, br.auc)


def test_flagged_cases_are_counted():
    flagged = int((FIELD >= 2).sum())
    point = br.choose(COUNTS, threshold=2.0, at=AT, volume=10_000)
    assert point.counted == (flagged, 5000)
    assert (point.posfrac, point["alerts"]) == (flagged / 5000, 2 * flagged)
    for found in (
        br.interval(COUNTS, "posfrac", threshold=2.0, at=AT),
        br.interval(point, "posfrac"),
    ):
        assert (found.value, found.low, found.high) == (
            flagged / 5000,
            *(getattr(br.rate_interval(flagged, 5000), end) for end in ("low", "high")),
        )
    assert br.choose(COUNTS, threshold=2.0, at=br.Conditions(prior=0.02)).counted is None


def test_a_point_has_the_interval_of_its_threshold():
    point = br.choose(COUNTS, "recall >= 0.5", at=AT)
    assert (
        br.interval(point, "npv").low
        == br.interval(COUNTS, "npv", threshold=point.threshold, at=AT).low
    )


def test_a_budget_is_counted_in_the_field():
    """Some scores of the field rose: label shift does not hold, and counting shows it."""
    more = br.count_unlabelled(np.where((FIELD > 1) & (FIELD < 1.5), 3.0, FIELD))
    at = br.Conditions(prior=br.estimate_prior(COUNTS, more, threshold=0.5, replicates=100))
    counted = br.choose(COUNTS, threshold=1.5, at=at).posfrac
    computed = br.measure(COUNTS, "posfrac", threshold=1.5, at=br.Conditions(prior=at.prior))
    limit = (counted + computed) / 2
    assert counted > computed
    point = br.choose(COUNTS, f"posfrac <= {limit!r}", at=at, optimize="tpr")
    assert point.posfrac <= limit < br.choose(COUNTS, threshold=1.5, at=at).posfrac
    assert not [note for note in point.notes if note.code == "BR653"]


def test_flagging_nothing_is_exact_but_for_the_base_rate():
    found = br.interval(COUNTS, "expected_cost", threshold=None, at=AT)
    prior, _, _ = joint_draws(table_of(COUNTS, UNLABELLED, ESTIMATE.threshold, None), 0)
    assert found.high == pytest.approx(10 * np.quantile(prior, 0.975), rel=1e-3)
    assert found.value == pytest.approx(10 * ESTIMATE.value)


def test_no_positives_seen_gives_an_upper_bound_and_no_empty_interval():
    table = FieldTable(
        (40, 20, 0, 40), (10, 90, 0, 900), 480, 5000
    )  # fewer flagged than negatives alone would give
    assert table.prior == 0
    found = in_field(Measure("precision"), table, br.Conditions(), 0.95, "both", 0)
    assert (found.value, found.low) == (0, 0)
    assert 0.001 < found.high < 1


def test_a_share_that_no_mixture_gives_is_refused():
    table = FieldTable((400, 200, 0, 400), (100, 900, 0, 9000), 100, 5000)
    with pytest.raises(
        br.InputError, match="BR537: the share of flagged cases is none that a mixture"
    ):
        in_field(Measure("precision"), table, br.Conditions(), 0.95, "both", 0)


def test_an_estimate_of_none_is_no_base_rate_to_plan_for():
    none = br.estimate_prior(COUNTS, br.count_unlabelled(np.full(500, -5.0)), replicates=100)
    with pytest.raises(br.InputError, match="BR537"):
        br.Conditions(prior=none)


REFUSED = {
    "a rule": ("BR647", lambda: br.interval(COUNTS, "precision", rule="recall >= 0.8", at=AT)),
    "a bootstrap": (
        "BR647",
        lambda: br.interval(COUNTS, "precision", threshold=1.0, at=AT, method="percentile"),
    ),
    "a point by another method": (
        "BR647",
        lambda: br.interval(
            br.choose(COUNTS, threshold=1.0, at=AT), "precision", method="jeffreys-draws"
        ),
    ),
    "a summary": ("BR647", lambda: br.interval(COUNTS, "average_precision", at=AT)),
    "other counts": (
        "BR648",
        lambda: br.interval(COUNTS + COUNTS, "precision", threshold=1.0, at=AT),
    ),
    "another confusion": (
        "BR647",
        lambda: br.interval(br.Confusion(tp=1, fp=2, fn=3, tn=4), "precision", at=AT),
    ),
    "a point of other cases": (
        "BR648",
        lambda: br.interval(br.choose(COUNTS + COUNTS, threshold=1.0, at=AT), "precision"),
    ),
    "a comparison": (
        "BR647",
        lambda: br.compare(
            br.count(LABELS, {"a": SCORES, "b": -SCORES}), "precision", threshold=1.0, at=AT
        ),
    ),
    "a band": ("BR647", lambda: br.curves.band(COUNTS, br.pr, at=AT)),
    "sites": (
        "BR647",
        lambda: br.segments.by_group({"a": COUNTS, "b": COUNTS}, threshold=1.0, at=AT),
    ),
    "a report": ("BR647", lambda: br.report({"a": COUNTS}, at=AT)),
    "a requirement without a threshold": (
        "BR647",
        lambda: br.require(COUNTS, "precision >= 0.1", at=AT),
    ),
    "other uncertainty": (
        "BR647",
        lambda: br.Conditions(prior=ESTIMATE, costs={"fn": br.Range(1, 9), "fp": 1}),
    ),
    "EM": ("BR647", lambda: br.interval(by_likelihood(), "npv")),
}


def by_likelihood():
    chances, field = (1 / (1 + np.exp(3 - 1.8 * part)) for part in (SCORES, FIELD))
    counts = br.count(LABELS, chances)
    found = br.estimate_prior(
        counts, br.count_unlabelled(field), calibrated_at="sample", replicates=100
    )
    return br.choose(counts, threshold=0.5, at=br.Conditions(prior=found))


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_take_the_estimate_as_known_is_refused(name):
    code, asked = REFUSED[name]
    with pytest.raises(br.InputError, match=code):
        asked()


def test_a_requirement_is_judged_with_the_error_of_the_estimate():
    at = br.Conditions(prior=ESTIMATE)
    (check,) = br.require(COUNTS, "precision >= 0.01", threshold=2.0, at=at).checks
    assert check.interval.low == br.interval(COUNTS, "precision", threshold=2.0, at=at).low
    assert check.interval.method == "joint-draws"


def test_intervals_hold_the_truth_where_those_that_take_the_estimate_as_known_do_not():
    """150 sets of 4,000 labelled cases at 5 % and 5,000 unlabelled at 1 %; benchmarks/prior_from.py
    does the same with 10,000.
    """
    rng = np.random.default_rng(7)
    tpr, fpr = 0.42074, 0.02275  # of normal scores, 1.8 apart, at 2
    truth = 0.01 * tpr / (0.01 * tpr + 0.99 * fpr)
    held, known = 0, 0
    for _ in range(150):
        labels, ours = scores(rng, 200, 3800)
        positives = rng.binomial(5000, 0.01)
        table = table_of(
            br.count(labels, ours),
            br.count_unlabelled(scores(rng, positives, 5000 - positives)[1]),
            0.9,
            2.0,
        )
        held += truth in in_field(
            Measure("precision"), table, br.Conditions(), 0.95, "both", 0, 2000
        )
        tp, fp = table.positives[0], table.negatives[0]
        at = br.Conditions(prior=max(table.prior, 1e-6))
        known += truth in br.interval(
            br.Confusion(tp=tp, fp=fp, fn=200 - tp, tn=3800 - fp), "precision", at=at
        )
    assert held >= 135
    assert known <= 75


def precision_of(prior, tpr, fpr):
    return prior * tpr / (prior * tpr + (1 - prior) * fpr)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bounds_are_quantiles_of_the_measure_draw_by_draw(level):
    table = FieldTable((30, 10, 5, 55), (20, 30, 15, 935), 1000, 5000)
    prior, tpr, fpr = joint_draws(table, 7, 3000)
    assert ((prior > 0) & (prior < 1)).all()
    low, high = np.quantile(precision_of(prior, tpr, fpr), [(1 - level) / 2, (1 + level) / 2])
    both, lower, upper = (
        in_field(Measure("precision"), table, br.Conditions(), level, side, 7, 3000)
        for side in ("both", "lower", "upper")
    )
    assert (both.low, both.high) == pytest.approx((low, high), rel=1e-12)
    assert (lower.low, lower.high) == (both.low, 1.0)
    assert (upper.low, upper.high) == (0.0, both.high)
    assert both.value == pytest.approx(precision_of((0.2 - 0.05) / 0.35, 0.35, 0.035))
    assert (both.level, both.side, both.replicates, both.seed) == (level, "both", 3000, 7)


def test_base_rates_below_none_count_as_none_are_left_out_and_stand_at_none():
    """Of these three readings of draws whose base rate is below 0, the widest bounds are given."""
    table = FieldTable((40, 20, 0, 40), (20, 80, 0, 900), 520, 5000)
    prior, tpr, fpr = joint_draws(table, 2, 4000)
    below = prior <= 0
    assert 0.025 < below.mean() < 0.5
    cost = br.Conditions(costs=br.Costs(fn=3, fp=2))

    def costs(base):
        return 3 * base * (1 - tpr) + 2 * (1 - base) * fpr

    readings = [costs(np.clip(prior, 0, 1)), costs(prior)[~below], costs(np.zeros(len(prior)))]
    ends = np.array([np.quantile(part, [0.025, 0.975]) for part in readings])
    found = in_field(Measure("expected_cost"), table, cost, 0.95, "both", 2, 4000)
    assert (found.low, found.high) == pytest.approx((ends[:, 0].min(), ends[:, 1].max()), rel=1e-9)


def test_scores_that_do_not_separate_the_classes_determine_no_base_rate():
    """About half of the draws have a recall below the false positive rate."""
    table = FieldTable((50, 0, 0, 50), (50, 0, 0, 50), 250, 500)
    prior, _, _ = joint_draws(table, 0, 2000)
    assert 0.4 < np.isnan(prior).mean() < 0.6
    with pytest.raises(br.InputError, match="BR537: these scores hardly separate the classes"):
        in_field(Measure("precision"), table, br.Conditions(), 0.95, "both", 0, 2000)


def test_where_nothing_is_flagged_precision_is_undefined_and_so_is_its_interval():
    table = table_of(COUNTS, UNLABELLED, ESTIMATE.threshold, None)
    assert table.nothing
    with pytest.raises(br.InputError, match="BR589: precision is undefined at this threshold"):
        in_field(Measure("precision"), table, br.Conditions(), 0.95, "both", 0, 500)
