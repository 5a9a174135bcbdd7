"""Guarantees: a requirement that holds in the field although the threshold was chosen on the cases
at hand.
"""

import importlib.util
import math
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom
from tests.cli.helpers import answered, told

import baserate as br
from baserate import Points
from baserate.decisions import guarantees
from baserate.decisions.selection import choose

ROOT = Path(__file__).parents[2]
FIELD = br.Conditions(prior=0.01)
PRICED = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50))
GRADED = br.Counts(
    range(9, -1, -1),
    positives=[60, 45, 30, 20, 15, 12, 8, 5, 3, 2],
    negatives=[5, 10, 25, 60, 150, 350, 700, 1200, 1500, 1000],
)
# One of each kind: one class, both at a given prior, tested at all thresholds, and at the sample's
# own prior.
REQUIREMENTS = [
    ("recall >= 0.8", None),
    ("fpr <= 0.1", None),
    ("posfrac <= 0.1", None),
    ("posfrac <= 0.1", FIELD),
    ("precision >= 0.05", FIELD),
    ("precision >= 0.3", None),
    ("npv >= 0.995", FIELD),
    ("npv >= 0.98", None),
    ("expected_cost <= 0.25", PRICED),
    ("f1 >= 0.08", FIELD),
]


def drawn(positives, negatives, seed, shift=1.5):
    rng = np.random.default_rng(seed)
    labels = np.r_[np.ones(positives), np.zeros(negatives)]
    return br.count(labels, np.round(rng.normal(shift * labels, 1), 3))


@cache
def mask(counts, requirement, at, level=0.95, among=1):
    """The certified thresholds."""
    points = Points.of(counts)
    given_at = br.Conditions() if at is None else at
    resolved = given_at.within(points.exact_prior, points.why_no_prior)
    rule = guarantees.parse_guarantee(requirement, None, given_at)
    return guarantees.certified(points, rule, resolved, guarantees.Confidence(level, among))[1]


# ---- the exact bounds ----


def naive_recall(counts, limit, alpha):
    """The highest threshold whose Clopper-Pearson bound reaches the limit, by going through all of
    them.
    """
    found = None
    for threshold in counts.scores.tolist():
        caught = int(counts.positives[counts.scores >= threshold].sum())
        bound = beta.ppf(alpha, caught, counts.total_positives - caught + 1) if caught else 0.0
        if bound >= limit and found is None:
            found = threshold, bound
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("limit", "level"), [(0.9, 0.95), (0.75, 0.95), (0.8, 0.99)])
def test_a_guaranteed_recall_is_the_highest_threshold_whose_exact_bound_reaches_it(
    seed, limit, level
):
    counts = drawn(120, 500, seed)
    point = br.choose(counts, guarantee=f"recall >= {limit}", level=level)
    threshold, bound = naive_recall(counts, limit, 1 - level)
    assert point.threshold == threshold
    assert point.guarantee.requirements[0].bound == pytest.approx(bound, rel=1e-9)
    assert point.guarantee.level == level


@pytest.mark.parametrize("seed", range(5))
def test_a_guaranteed_fpr_is_the_lowest_threshold_whose_exact_bound_stays_below(seed):
    counts = drawn(60, 400, seed)
    point = br.choose(counts, guarantee="fpr <= 0.1")
    bounds = [
        (score, beta.ppf(0.95, fp + 1, 400 - fp))
        for score, fp in zip(counts.scores, np.cumsum(counts.negatives), strict=True)
    ]
    within = [score for score, bound in bounds if bound <= 0.1]
    assert mask(counts, "fpr <= 0.1", None)[1:].tolist() == [bound <= 0.1 for _, bound in bounds]
    # Of the thresholds within, the one with the highest recall; of those with as many caught, the
    # one that flags least.
    assert point.tpr == br.measure(counts, "tpr", threshold=min(within))
    assert point.guarantee.requirements[0].bound == pytest.approx(
        dict(bounds)[point.threshold], rel=1e-9
    )


def test_alerts_at_the_samples_own_prior_are_a_share_of_all_cases():
    counts = drawn(50, 950, 3)
    point = br.choose(counts, guarantee="alerts <= 1000", volume=10_000)
    flagged = int(point.tp + point.fp)
    assert point.guarantee.requirements[0].bound == pytest.approx(
        10_000 * beta.ppf(0.95, flagged + 1, 1000 - flagged), rel=1e-9
    )
    assert beta.ppf(0.95, flagged + 1, 1000 - flagged) <= 0.1


@pytest.mark.parametrize(
    ("requirement", "outcome"), [("missed <= 600", "fn"), ("false_alarms <= 2000", "fp")]
)
def test_errors_at_the_samples_own_prior_are_a_share_of_all_cases(requirement, outcome):
    point = br.choose(GRADED, guarantee=requirement, volume=52_000)
    (one,) = point.guarantee.requirements
    errors = point.fn if outcome == "fn" else point.fp
    assert one.bound == pytest.approx(52_000 * beta.ppf(0.95, errors + 1, 5200 - errors), rel=1e-9)
    limit = float(requirement.split()[-1])
    assert one.bound <= limit
    # The next threshold would not do: one that catches fewer, or raises more false alarms.
    place = GRADED.scores.tolist().index(point.threshold) + (-1 if outcome == "fn" else 1)
    other = br.choose(GRADED, threshold=GRADED.scores[place].item())
    errors = other.fn if outcome == "fn" else other.fp
    assert 52_000 * beta.ppf(0.95, errors + 1, 5200 - errors) > limit


def test_alerts_at_a_given_prior_hold_with_both_rates_at_their_bounds():
    counts = drawn(50, 950, 3)
    one = br.choose(counts, guarantee="posfrac <= 0.1", at=FIELD).guarantee.requirements[0]
    assert (one.method, one.observed < one.bound <= 0.1) == ("clopper-pearson box", True)


@given(
    cases=st.integers(1, 300),
    limit=st.floats(0.001, 0.999),
    level=st.sampled_from([0.9, 0.95, 0.99]),
)
def test_the_most_errors_that_show_a_rate_are_found_by_counting(cases, limit, level):
    shown = [
        errors for errors in range(cases) if binom.cdf(errors, cases, limit) <= 1 - level + 1e-13
    ]
    found = int(guarantees._most_each(cases, np.array([limit]), 1 - level)[0])
    assert found == max(shown, default=-1)


@pytest.mark.parametrize(
    ("positives", "more"), [(28, "1 more positive would do"), (20, "9 more positives would do")]
)
def test_a_recall_of_90_percent_cannot_be_shown_with_fewer_than_29_positives(positives, more):
    labels = np.r_[np.ones(positives), np.zeros(100)]
    with pytest.raises(
        br.Infeasible,
        match=f"BR635: tpr >= 0.9 cannot be guaranteed with 95 % confidence .*: {more}",
    ):
        br.choose(br.count(labels, labels), guarantee="recall >= 0.9")
    enough = np.r_[np.ones(29), np.zeros(100)]
    assert br.choose(br.count(enough, enough), guarantee="recall >= 0.9").threshold == 1


@pytest.mark.parametrize(
    ("level", "limit", "more"),
    [
        (0.75, 0.5, "1 more positive would do"),  # a quarter is one half twice
        (0.875, 0.5, "2 more positives would do"),
        (0.9, 0.9, "21 more positives would do"),
    ],
)
def test_so_many_positives_without_a_miss_show_a_recall(level, limit, more):
    one = br.Counts([2, 1], positives=[1, 0], negatives=[0, 9])
    with pytest.raises(br.Infeasible, match=f": {more}. Fix: label more cases"):
        choose(one, guarantee=f"recall >= {limit}", level=level)


# ---- all thresholds at once ----


@pytest.mark.parametrize(
    ("start", "slope"), [(0.0, 5.0), (0.5, 0.5), (0.3, 1.5), (-0.2, 2.0), (0.0, 0.6)]
)
def test_samples_of_the_least_favourable_roc_are_certified_in_at_most_one_of_twenty(start, slope):
    positives, negatives, sets = 60, 300, 3000
    limits = guarantees.Limits(
        "tp", "fp", *guarantees._scan(positives, negatives, start, slope, 0.05, guarantees.SAMPLES)
    )
    rng, certified = np.random.default_rng(20), 0
    for _ in range(sets):
        where = np.sort((rng.random(positives) - start) / slope)
        alarms = np.searchsorted(np.sort(rng.random(negatives)), np.maximum(where, 0))
        # A positive beyond the last negative is reached by no threshold that misses the
        # requirement.
        met = limits.met(np.arange(1, positives + 1), alarms, positives, negatives)
        certified += bool(met[where <= 1].any())
    assert certified / sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / sets)
    assert certified / sets >= 0.02  # and little is given away


def test_a_roc_below_the_line_at_some_thresholds_is_not_certified_there():
    """Much above the line in the beginning, and just below it from a recall of 0.5 on: the proof is
    about all ROCs, not the line alone.
    """
    positives, negatives, slope, sets = 60, 600, 4.0, 2000
    limits = guarantees.Limits(
        "tp", "fp", *guarantees._scan(positives, negatives, 0.0, slope, 0.05, guarantees.SAMPLES)
    )
    rng, wrong = np.random.default_rng(21), 0
    for _ in range(sets):
        share = rng.random(positives)
        where = np.sort(np.where(share < 0.5, share / 40, np.maximum(share, 0.5) / slope + 1e-9))
        alarms = np.searchsorted(np.sort(rng.random(negatives)), where)
        met = limits.met(np.arange(1, positives + 1), alarms, positives, negatives)
        wrong += bool(met[where >= 0.5 / slope].any())
    assert wrong / sets <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / sets)


def test_limits_rise_with_the_positives_caught_and_fall_with_the_level():
    looks, loose = guarantees._scan(80, 2000, 0.0, 6.0, 0.1, guarantees.SAMPLES)
    same, strict = guarantees._scan(80, 2000, 0.0, 6.0, 0.01, guarantees.SAMPLES)
    assert looks.tolist() == same.tolist()
    assert (np.diff(loose) >= 0).all()
    assert (strict <= loose).all()
    assert (strict < loose).any()


@pytest.mark.parametrize(
    ("good", "bad"), [("tp", "fp"), ("tn", "fn"), ("tp", "fn"), ("fp", "flagged")]
)
def test_limits_hold_from_each_look_to_the_next(good, bad):
    """Of 20 positives and 10 negatives: 1 may go wrong from a look of 2 on, and 3 from one of 5."""
    limits = guarantees.Limits(good, bad, np.array([2, 5]), np.array([1, 3]))
    for tp in range(21):
        for fp in range(11):
            outcomes = {"tp": tp, "fp": fp, "fn": 20 - tp, "tn": 10 - fp, "flagged": tp + fp}
            reached = outcomes[good]
            allowed = -1 if reached < 2 else 1 if reached < 5 else 3
            found = bool(limits.met(np.array([tp]), np.array([fp]), 20, 10)[0])
            assert found == (outcomes[bad] <= allowed)


def test_rare_errors_take_more_samples_up_to_a_point():
    assert guarantees._simulated(0.05, 9999) == (0.05, 9999)
    assert guarantees._simulated(0.005, 9999) == (0.005, 10_000)
    assert guarantees._simulated(0.0049, 9999) == (0.0049, 10_205)  # 50 / 0.0049 = 10,204.08
    assert guarantees._simulated(5e-4, 9999) == (5e-4, 100_000)
    with pytest.raises(br.InputError, match="BR636: .* cannot show an error rate of 0.00049"):
        guarantees._simulated(4.9e-4, 9999)


@pytest.mark.parametrize(
    ("start", "tpr"), [(0.0, [0.001, 0.25, 0.5, 0.75, 0.999]), (0.5, [0.4, 0.625, 0.75, 0.875, 1])]
)
def test_a_look_half_way_along_the_line_has_the_most_weight_and_its_ends_the_least(start, tpr):
    weights = guarantees._weights(np.array(tpr), start)
    assert weights.tolist() == [0.05, 0.75, 1, 0.75, 0.05]


def test_negatives_before_a_place_are_counted_as_many_as_lie_there_on_average():
    rng, places = np.random.default_rng(1), np.array([0.0, 0.2, 0.5, 0.5, 1.0, 1.5])
    seen = guarantees._counted(rng, np.tile(places, (4000, 1)), 50)
    assert (np.diff(seen, axis=1) >= 0).all()
    assert (seen[:, 2] == seen[:, 3]).all()
    assert (seen[:, [0, 4, 5]] == [0, 50, 51]).all()
    assert seen[:, 1:3].mean(axis=0) == pytest.approx([10, 25], abs=5 * math.sqrt(12.5 / 4000))
    assert seen[:, 1].var() == pytest.approx(50 * 0.2 * 0.8, rel=0.15)


@pytest.mark.parametrize(
    ("positives", "negatives", "start"),
    [(2, 300, 0.0), (60, 0, 0.0), (60, 300, 1.0), (60, 300, 1.5)],
)
def test_where_no_threshold_can_show_it_no_false_alarm_is_allowed(positives, negatives, start):
    _, allowed = guarantees._scan(positives, negatives, start, 1.0, 0.05, 999)
    assert (allowed == -1).all()


@pytest.mark.parametrize(
    ("cases", "share", "allowed"), [(50, 0.0, 50), (50, 1.0, -1), (2, 0.5, -1), (2, -0.5, 2)]
)
def test_a_share_of_0_needs_no_cases_and_one_of_1_is_shown_by_none(cases, share, allowed):
    looks, limits = guarantees._run(cases, share, 0.05, 999)
    assert (looks.tolist(), limits.tolist()) == ([0], [allowed])


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_cases_that_are_good_with_the_least_chance_are_certified_in_at_most_one_of_twenty(share):
    cases, sets = 150, 4000
    limits = guarantees.Limits("tp", "fp", *guarantees._run(cases, share, 0.05, 9999))
    good = np.random.default_rng(22).random((sets, cases)) < share
    met = limits.met(np.cumsum(good, axis=1), np.cumsum(~good, axis=1), cases, cases)
    certified = met.any(axis=1).mean()
    assert 0.02 <= certified <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / sets)


def allowed_of(samples, alpha):
    """How many of the second samples may reach a limit: alpha of them and one more, less two
    standard errors, and less the one itself.
    """
    expected = alpha * (samples + 1)
    return math.floor(expected - 2 * math.sqrt(expected * (1 - alpha))) - 1


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.3])
def test_the_limit_of_one_look_is_the_highest_that_few_enough_samples_reach(alpha):
    one, two = np.arange(999)[:, None], np.arange(1998)[:, None] // 2
    (limit,) = guarantees._calibrated(one, two, np.ones(1), alpha).tolist()
    reached, next_reached = ((two <= up_to).sum() for up_to in (limit, limit + 1))
    assert reached <= allowed_of(1998, alpha) < next_reached


def test_a_look_of_half_the_weight_allows_what_is_half_as_frequent():
    one, two = (np.arange(size)[:, None] // (size // 999) * [1, 1] for size in (999, 1998))
    whole, half = (
        guarantees._calibrated(one, two, np.array([weight, 1.0]), 0.1)[0] for weight in (1.0, 0.5)
    )
    assert half + 1 == (whole + 1) // 2
    falling = guarantees._calibrated(one, two, np.array([1.0, 0.5]), 0.1)
    assert falling.tolist() == [whole, whole]  # what holds at a look holds at every later one


def test_where_nothing_is_rare_enough_nothing_is_allowed():
    one, two = np.full((999, 1), 10), np.full((1998, 1), 10)
    assert guarantees._calibrated(one, two, np.ones(1), 0.1).tolist() == [9]
    assert guarantees._calibrated(one, two - 1, np.ones(1), 0.1).tolist() == [-1]


@pytest.mark.parametrize(("first", "last"), [(3, 3), (3, 50), (0, 47), (7, 5)])
def test_every_number_of_cases_is_looked_at_where_there_are_few(first, last):
    assert guarantees._looks(first, last).tolist() == list(range(first, last + 1))


@pytest.mark.parametrize(("first", "last"), [(3, 51), (3, 1000), (20, 5000), (3, 200_000)])
def test_looks_at_many_cases_are_even_and_closer_towards_both_ends(first, last):
    looks = guarantees._looks(first, last)
    assert (looks[0], looks[-1]) == (first, last)
    gaps = np.diff(looks)
    evenly = min(max(2 * math.sqrt(last), 48), 200) - 1
    assert gaps.min() >= 1
    assert gaps.max() <= (last - first) / evenly + 1
    from_ends = np.minimum(looks[1:], last + 1 - looks[:-1])
    assert (gaps <= 0.1 * from_ends + 1).all()
    assert len(looks) <= evenly + 1 + 24 * math.log(last)


@pytest.mark.parametrize("positives", [1, 7, 40, 500])
def test_a_box_allows_what_both_bounds_together_allow_at_each_number_caught(positives):
    """posfrac <= 0.2 at a base rate of 1/4: 0.25 · tpr + 0.75 · fpr <= 0.2."""
    negatives, alpha = 200, 0.05
    line = guarantees._Line(Fraction(-1, 4), Fraction(-3, 4), Fraction(1, 5))
    found = guarantees._box(line, positives, negatives, alpha)
    looks = found.looks.tolist()
    assert (looks[0], looks[-1], len(looks)) == (0, positives, min(positives, 192) + 1)
    most_caught = np.array([*found.looks[1:] - 1, positives])  # a limit holds up to the next look
    errors, boxes = np.arange(negatives), {}
    for share in (0.02, 0.05, 0.1, 0.25, 0.5):
        highest = beta.ppf(1 - share * alpha, most_caught + 1, positives - most_caught)
        highest[-1] = 1
        rates = (0.2 - 0.25 * highest) / 0.75
        shown = binom.cdf(errors[:, None], negatives, rates) <= (1 - share) * alpha
        boxes[share] = (shown.sum(axis=0) - 1).tolist()
    middle = len(looks) // 2
    most = max(allowed[middle] for allowed in boxes.values())
    assert found.split == next(share for share, allowed in boxes.items() if allowed[middle] == most)
    assert found.allowed.tolist() == boxes[found.split]


@pytest.mark.parametrize(
    ("cases", "shown"),
    [
        (0.1, 1),
        (9, 9),
        (10, 10),
        (98.5, 99),
        (99.5, 100),
        (101, 110),
        (1201, 1300),
        (1.2e5, 120_000),
    ],
)
def test_cases_that_would_do_are_told_in_two_digits_upwards(cases, shown):
    assert guarantees._rounded(cases) == shown


# ---- laws ----


@pytest.mark.parametrize(("requirement", "at"), REQUIREMENTS)
def test_more_confidence_or_more_models_never_certify_more_thresholds(requirement, at):
    usual, more, shared = (
        mask(GRADED, requirement, at, *confidence) for confidence in ((), (0.99,), (0.95, 3))
    )
    assert usual.any()
    assert not (more & ~usual).any()
    assert not (shared & ~usual).any()


@pytest.mark.parametrize(
    ("easy", "hard", "at"),
    [
        ("recall >= 0.8", "recall >= 0.85", None),
        ("fpr <= 0.1", "fpr <= 0.05", None),
        ("posfrac <= 0.2", "posfrac <= 0.1", FIELD),
        ("precision >= 0.05", "precision >= 0.1", FIELD),
        ("npv >= 0.99", "npv >= 0.997", FIELD),
        ("expected_cost <= 0.3", "expected_cost <= 0.2", PRICED),
    ],
)
def test_a_harder_requirement_never_certifies_more_thresholds(easy, hard, at):
    assert mask(GRADED, hard, at).any()
    assert not (mask(GRADED, hard, at) & ~mask(GRADED, easy, at)).any()


@pytest.mark.parametrize(("requirement", "at"), REQUIREMENTS)
def test_more_cases_of_the_same_kind_never_hurt(requirement, at):
    more = br.Counts(GRADED.scores, 5 * GRADED.positives, 5 * GRADED.negatives)
    assert not (mask(GRADED, requirement, at) & ~mask(more, requirement, at)).any()


@pytest.mark.parametrize(("requirement", "at"), REQUIREMENTS)
def test_what_is_guaranteed_holds_on_these_cases_too(requirement, at):
    point = br.choose(GRADED, guarantee=requirement, at=at)
    assert point.threshold is not None
    for one in point.guarantee.requirements:
        name, sense, limit = one.requirement.rsplit(" ", 2)
        assert one.observed == pytest.approx(point[name])
        assert one.observed >= float(limit) if sense == ">=" else one.observed <= float(limit)
        if one.bound is not None:
            assert one.bound >= float(limit) if sense == ">=" else one.bound <= float(limit)


@pytest.mark.parametrize(("requirement", "at"), REQUIREMENTS)
def test_condensed_counts_guarantee_as_much(requirement, at):
    counts = drawn(150, 1500, 8, shift=2.5)
    full, condensed = (
        br.choose(one, guarantee=requirement, at=at, optimize="f1")
        for one in (counts, counts.condense())
    )
    assert (condensed["f1"], condensed.tpr) == (full["f1"], full.tpr)


# ---- choosing among them ----


def test_without_costs_recall_is_guaranteed_with_the_fewest_false_alarms_and_the_rest_with_the_highest_recall():  # noqa: E501
    assert [br.choose(GRADED, guarantee=one, at=at).optimized for one, at in REQUIREMENTS] == [
        "fpr", "tpr", "tpr", "tpr", "tpr", "tpr", "fpr", "fpr", "expected_cost", "f1",
    ]  # fmt: skip
    assert br.choose(GRADED, guarantee="recall >= 0.8", at=PRICED).optimized == "expected_cost"


def test_costs_choose_among_the_guaranteed_thresholds():
    cheap = br.choose(GRADED, at=PRICED)
    sure = br.choose(GRADED, guarantee="recall >= 0.9", at=PRICED)
    assert cheap.tpr < sure.tpr
    assert sure.threshold == 3  # the last of the certified ones: more alerts would cost more


def test_a_rule_is_kept_among_the_guaranteed_thresholds():
    assert br.choose(GRADED, "posfrac <= 0.2", guarantee="recall >= 0.8").threshold == 5
    with pytest.raises(
        br.Infeasible,
        match=(
            "BR635: no threshold that guarantees tpr >= 0.8 has fpr <= 0.01: the lowest fpr among"
            " them is 0.05"
        ),
    ):
        br.choose(GRADED, "fpr <= 0.01", guarantee="recall >= 0.8")


def test_two_requirements_share_what_may_be_missed():
    both = br.choose(GRADED, guarantee="recall >= 0.8 and fpr <= 0.2")
    assert [one.bound for one in both.guarantee.requirements] == pytest.approx(
        [beta.ppf(0.025, both.tp, both.fn + 1), beta.ppf(0.975, both.fp + 1, both.tn)], rel=1e-9
    )


def test_a_choice_among_models_shares_it_too():
    models = {"one": drawn(100, 500, 1), "two": drawn(100, 500, 2), "three": drawn(100, 500, 3)}
    choice = br.choose(models, guarantee="recall >= 0.8")
    assert choice.point.guarantee.models == 3
    assert choice.point.guarantee.level == 0.95
    alone = choose(models[choice.model], guarantee="recall >= 0.8", among=3)
    assert alone.threshold == choice.point.threshold
    assert alone.guarantee.requirements[0].bound == pytest.approx(
        beta.ppf(0.05 / 3, alone.tp, alone.fn + 1), rel=1e-9
    )


def test_the_guarantee_does_not_follow_the_point_to_other_cases():
    assert br.choose(GRADED, guarantee="recall >= 0.8").on(drawn(50, 500, 1)).guarantee is None


def test_the_notes_say_that_nothing_else_is_guaranteed():
    notes = {
        note.code: note.text
        for note in br.choose(GRADED, guarantee="recall >= 0.8", at=FIELD).notes
    }
    assert notes["BR638"].startswith("only tpr >= 0.8 is guaranteed")
    assert "BR528" not in notes
    assert "BR526" in notes


@pytest.mark.parametrize(
    ("requirement", "options", "bound"),
    [
        ("fpr <= 1", {}, 1),
        ("posfrac <= 1", {}, 1),
        ("alerts <= 9000", {"volume": 5000}, 5000),
        ("recall >= 0", {}, 0),
    ],
)
def test_what_holds_whatever_happens_is_guaranteed_as_it_is(requirement, options, bound):
    point = choose(GRADED, guarantee=requirement, optimize="tpr", **options)
    assert (point.fn, point.tn) == (0, 0)
    (one,) = point.guarantee.requirements
    assert one.bound == pytest.approx(bound) if bound else one.bound > 0.98
    name, sense, limit = requirement.split()
    assert (one.sense, one.limit) == (sense, float(limit))
    assert one.measure == br.Measure.parse(name if "volume" not in options else "alerts(1)").name


def test_a_requirement_has_its_measure_its_sense_and_its_limit():
    for name in ("tpr", "weighted_accuracy(w1=1, w2=2, w3=1, w4=0)"):
        point = choose(GRADED, guarantee=f"{name} >= 0.05", at=FIELD)
        (one,) = point.guarantee.requirements
        assert (one.measure, one.sense, one.limit) == (name, ">=", 0.05)


# ---- refusals ----


@pytest.mark.parametrize("weights", ["1, 0, 0, 0", "0, 0, 0, 1"])
def test_what_is_1_at_every_threshold_cannot_be_guaranteed(weights):
    with pytest.raises(br.InputError, match="BR636: weighted_accuracy cannot be guaranteed"):
        choose(GRADED, guarantee=f"weighted_accuracy({weights}) >= 1", at=FIELD)


def test_what_cannot_be_guaranteed_is_refused_with_the_cases_that_would_do():
    with pytest.raises(
        br.Infeasible,
        match=(
            r"BR635: expected_cost <= 0.15 cannot .*: about .* more positives, with .* would do"
            r" with 80 % chance"
        ),
    ):
        br.choose(GRADED, guarantee="expected_cost <= 0.15", at=PRICED)


def test_so_many_cases_do_with_80_percent_chance():
    """Drawn anew at the rates observed, samples of the size that is recommended are certified as
    often as promised, or nearly.
    """
    with pytest.raises(br.Infeasible, match="BR635") as refused:
        br.choose(GRADED, guarantee="expected_cost <= 0.15", at=PRICED)
    more = (
        str(refused.value)
        .split("about ")[1]
        .split(" more positives")[0]
        .replace("\u202f", "")
        .replace(" ", "")
    )
    times = 1 + int(more) / 200
    rng, certified, sets = np.random.default_rng(5), 0, 60
    for _ in range(sets):
        positives, negatives = (
            rng.multinomial(round(times * part.sum()), part / part.sum())
            for part in (GRADED.positives, GRADED.negatives)
        )
        certified += bool(
            mask(
                br.Counts(GRADED.scores, positives, negatives), "expected_cost <= 0.15", PRICED
            ).any()
        )
    assert certified / sets >= 0.8 - 3 * math.sqrt(0.16 / sets)


def test_the_negatives_that_would_do_demonstrate_a_rate_with_the_power_promised():
    """By the binomial distribution, at the rate observed with half an error more."""
    counts = br.Counts([2, 1], positives=[50, 50], negatives=[5, 4995])
    said = r"BR635: fpr <= 0.002 cannot .*: \S+ more negatives would do with 80 % chance, if the"
    with pytest.raises(br.Infeasible, match=said) as refused:
        br.choose(counts, guarantee="fpr <= 0.002")
    more = int(
        "".join(filter(str.isdigit, str(refused.value).split("): ")[1].split(" more negatives")[0]))
    )

    def power(negatives):
        shown = [k for k in range(negatives // 400) if binom.cdf(k, negatives, 0.002) <= 0.05]
        return binom.cdf(max(shown), negatives, 5.5 / 5001)

    assert power(5000 + more) >= 0.77
    assert power(5000 + 4 * more // 5) < 0.8


def test_requirements_that_can_be_guaranteed_only_apart_are_told_so():
    counts = br.Counts([4, 3, 2, 1], positives=[100, 70, 20, 10], negatives=[5, 25, 20, 950])
    for alone in ("recall >= 0.82", "fpr <= 0.04"):
        assert br.choose(counts, guarantee=alone).threshold != 3
    with pytest.raises(br.Infeasible, match="each of the requirements can, but not at one"):
        br.choose(counts, guarantee="recall >= 0.82 and fpr <= 0.04")


def test_a_recall_of_1_is_guaranteed_by_no_threshold():
    with pytest.raises(
        br.Infeasible, match="tpr >= 1 holds at no threshold below flagging everything"
    ):
        br.choose(GRADED, guarantee="recall >= 1")


def test_what_the_guaranteed_thresholds_have_of_the_rule_is_said():
    with pytest.raises(br.Infeasible, match="the highest precision among them is 0.4048"):
        br.choose(GRADED, "precision >= 0.9", guarantee="recall >= 0.8")


def test_what_does_not_even_hold_here_is_infeasible():
    with pytest.raises(
        br.Infeasible, match="BR530: no threshold has precision >= 0.9: the highest precision is"
    ):
        br.choose(GRADED, guarantee="precision >= 0.9", at=FIELD)


@pytest.mark.parametrize(
    ("requirement", "options", "match"),
    [
        ("recall <= 0.5", {}, "BR636: tpr <= 0.5 limits tpr from the wrong side"),
        ("mcc >= 0.2", {}, "BR636: mcc cannot be guaranteed"),
        (
            "expected_cost <= 0.2",
            {},
            "BR636: a guarantee on expected_cost needs the base rate of the field",
        ),
        (
            "precision >= 0.1",
            {"at": FIELD, "level": 0.9999},
            "BR636: the limits of this guarantee are simulated",
        ),
        ("recall >= 0.8", {"among": 0}, "BR636: among is the number of models"),
        ("recall >= 0.8", {"level": 95}, "BR580: a level lies between 0.5 and 1"),
        (None, {"level": 0.9}, "BR636: level and among apply only to a guarantee"),
        ("", {}, "BR533: the rule is empty"),
    ],
)
def test_what_cannot_be_asked_is_refused(requirement, options, match):
    with pytest.raises(br.InputError, match=match):
        choose(GRADED, guarantee=requirement, **options)


def test_a_level_without_a_guarantee_is_that_of_the_intervals():
    narrow, usual = br.choose(GRADED, level=0.8), br.choose(GRADED)
    assert (narrow.threshold, narrow.guarantee) == (usual.threshold, None)
    assert narrow.intervals["tpr"].level == 0.8
    assert usual.intervals["tpr"].level == 0.95


def test_weights_and_rates_without_cases_are_refused():
    weighted = br.count([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3], sample_weight=[0.5, 1, 1, 1])
    with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
        br.choose(weighted, guarantee="recall >= 0.5")
    with pytest.raises(br.InputError, match="BR583: only rates are known"):
        br.choose(Points.from_rates([0.1, 0.3], [0.5, 0.9]), guarantee="recall >= 0.5")


def test_chosen_class_totals_need_a_base_rate_for_precision_but_not_for_recall():
    counts = br.count(
        [1] * 40 + [0] * 40, [0.9] * 38 + [0.1] * 2 + [0.2] * 40, design="case-control"
    )
    assert br.choose(counts, guarantee="recall >= 0.8").threshold == 0.9
    with pytest.raises(br.InputError, match="BR509"):
        br.choose(counts, guarantee="precision >= 0.8")


# ---- on the command line ----


@pytest.fixture
def scored(tmp_path):
    path = tmp_path / "scores.csv"
    rng = np.random.default_rng(4)
    labels = np.r_[np.ones(100), np.zeros(900)].astype(int)
    one, two = (np.round(rng.normal(shift * labels, 1), 3) for shift in (1.5, 2.0))
    path.write_text(
        "y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in zip(labels, one, two, strict=True))
    )
    return path


def test_the_command_says_what_holds_in_the_field(capsys, scored):
    done = told(
        capsys,
        "choose",
        scored,
        "--label",
        "y",
        "--score",
        "a",
        "--score",
        "b",
        "--guarantee",
        "recall >= 0.8",
        "--level",
        "90%",
    )
    assert done.status == 0
    sentence = (
        "In the field, recall (tpr) is at least 0.8 with 90 % confidence, although the threshold"
        " was chosen on these cases and among 2 models"
    )
    assert done.out.splitlines()[1].startswith(sentence)
    document = answered(
        capsys, "choose", scored, "--label", "y", "--score", "b", "--guarantee", "precision >= 0.2"
    )
    found = document["result"]["points"]["b"]["guarantee"]
    assert (found["level"], found["models"]) == (0.95, 1)
    assert found["requirements"][0]["method"] == "least favourable roc"
    assert found["requirements"][0]["bound"] is None


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (
            ("--guarantee", "recall >= 0.99"),
            3,
            "BR635: tpr >= 0.99 cannot be guaranteed with 95 % confidence",
        ),
        (
            ("--guarantee", "recall >= 0.8", "--replicates", "200"),
            2,
            "BR002: replicates= has no effect beside guarantee=",
        ),
        (
            ("--guarantee", "recall >= 0.8", "--amount", "y", "--review", "1"),
            2,
            "BR002: guarantee= does not apply to amounts",
        ),
    ],
)
def test_the_command_refuses_with_its_status(capsys, scored, options, status, said):
    done = told(capsys, "choose", scored, "--label", "y", "--score", "a", *options)
    assert (done.status, said in done.err) == (status, True), done.err


# ---- the benchmark, small ----


def test_the_benchmark_passes_in_a_small_version():
    spec = importlib.util.spec_from_file_location(
        "guarantee_benchmark", ROOT / "benchmarks" / "guarantee.py"
    )
    benchmark = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(benchmark)
    rows = benchmark.table(
        300,
        lambda name, _family, positives: (
            positives == 50 and name in ("tpr", "alerts", "precision", "expected_cost")
        ),
    )
    assert len(rows) >= 20
    assert [
        (row["requirement"], row["population"], row["violations"])
        for row in rows
        if not row["passed"]
    ] == []


def test_a_table_shows_the_bound_of_what_all_thresholds_were_tested_for(tmp_path, capsys):
    rng = np.random.default_rng(2)
    labels = rng.random(4000) < 0.1
    path = tmp_path / "two.csv"
    with path.open("w") as file:
        file.write("y,good,bad\n")
        for label, noise in zip(labels, rng.normal(size=(4000, 2)), strict=True):
            file.write(f"{int(label)},{noise[0] + 3 * label:.4f},{noise[1]:.4f}\n")
    asked = ["choose", str(path), "--label", "y", "--score", "good,bad", "--prior", "10%"]
    done = told(capsys, *asked, "--guarantee", "precision >= 0.6")
    (shown,) = [
        line for line in done.out.splitlines() if line.startswith("good") and " to " in line
    ]
    assert "(>= 0.6)" in shown
    (other,) = [line for line in done.out.splitlines() if line.startswith("bad ")]
    assert "cannot be guaranteed" in other
    worse = br.Counts([2, 1], positives=[30, 70], negatives=[20, 9980])
    with pytest.raises(br.Infeasible, match="1,000 times as many cases would not do") as refused:
        br.choose(worse, guarantee="precision >= 0.6", prior=0.01)
    assert refused.value.problems[0].fix.python == "require less, or find a better model"
