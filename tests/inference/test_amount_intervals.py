"""Intervals of costs and amounts: rows resampled with their amounts, the threshold chosen again or
left where it is.
"""

import math
from statistics import NormalDist

import numpy as np
import pytest

import baserate as br
from baserate.inference.intervals import amount_intervals


def sample(seed, size=400, share=0.3):
    rng = np.random.default_rng(seed)
    labels = (rng.random(size) < share).astype(int)
    scores = np.round(rng.normal(labels * 1.5, 1), 1)
    return labels, scores, np.round(rng.lognormal(3, 1, size), 2)


def naive(labels, scores, amounts, rng, review, cut=None):
    """One stratified resample, row by row: its cost at a cut; or that of the rows left out, by
    class, at the cut that is its cheapest.
    """
    rows = np.concatenate(
        [
            rng.choice(np.flatnonzero(labels == label), np.count_nonzero(labels == label))
            for label in (0, 1)
        ]
    )
    y, s, a = labels[rows], scores[rows], amounts[rows]

    def cost(y, s, a, c):
        of = [np.count_nonzero(labels == label) / np.count_nonzero(y == label) for label in (0, 1)]
        alerts = of[0] * np.count_nonzero((y == 0) & (s >= c)) + of[1] * np.count_nonzero(
            (y == 1) & (s >= c)
        )
        return review * alerts + of[1] * a[(y == 1) & (s < c)].sum()

    if cut is not None:
        return cost(y, s, a, cut)
    best = min([np.inf, *np.unique(s)[::-1]], key=lambda c: cost(y, s, a, c))
    left = np.setdiff1d(np.arange(len(labels)), rows)
    return cost(labels[left], scores[left], amounts[left], best)


@pytest.mark.parametrize("again", [True, False])
def test_bounds_are_those_of_resampled_rows(again):
    labels, scores, worth = sample(1)
    amounts = br.count(labels, scores, amount=worth)
    at = br.Conditions(prior=amounts.prior)  # as given: resampled within each class
    point = br.choose(amounts, review=20, at=at)
    found = amount_intervals(point, amounts, again=again, replicates=2000, seed=3, level=0.8)[
        "cost"
    ]
    rng = np.random.default_rng(8)
    values = [
        naive(labels, scores, worth, rng, 20, None if again else point.threshold)
        for _ in range(1500)
    ]
    # At 80 %: the 97.5 % point lies where one large amount is missed or not, and jumps by a third
    # from seed to seed, of either.
    low, high = np.quantile(values, [0.1, 0.9])
    spread = high - low
    assert abs(found.low - low) < 0.06 * spread
    assert abs(found.high - high) < 0.06 * spread
    assert (found.method, found.replicates, found.seed) == ("percentile", 2000, 3)
    assert (point.cost < found.high) if again else (point.cost in found)


def test_the_same_seed_gives_the_same_bounds_and_another_gives_others():
    labels, scores, worth = sample(2)
    amounts = br.count(labels, scores, amount=worth)
    point = br.choose(amounts, review=20)
    one, same, other = (
        amount_intervals(point, amounts, replicates=200, seed=seed) for seed in (0, 0, 1)
    )
    assert one == same
    assert one["cost"] != other["cost"]


def test_a_higher_level_is_wider_and_every_sum_has_an_interval():
    labels, scores, worth = sample(3)
    amounts = br.count(labels, scores, amount=worth)
    point = br.choose(amounts, review=20, volume=1000, at=br.Conditions(prior=0.1))
    narrow, wide = (
        amount_intervals(point, amounts, replicates=300, level=level) for level in (0.8, 0.99)
    )
    assert list(wide) == ["cost", "expected_cost", "alerts", "amount_caught", "amount_missed"]
    assert all(
        wide[name].low <= narrow[name].low <= narrow[name].high <= wide[name].high for name in wide
    )
    assert wide["cost"].low == pytest.approx(1000 * wide["expected_cost"].low)
    assert wide["cost"].value == point.cost


def test_a_threshold_taken_as_fixed_is_said_to_be():
    labels, scores, worth = sample(4)
    dev, test = (
        br.count(labels[part], scores[part], amount=worth[part])
        for part in (slice(0, 200), slice(200, None))
    )
    chosen = br.choose(dev, review=20)
    assert [
        note.code
        for note in amount_intervals(chosen, dev, again=False, replicates=100)["cost"].notes
    ] == ["BR593"]
    assert amount_intervals(chosen.on(test), test, again=False, replicates=100)["cost"].notes == ()


def test_a_budget_is_kept_on_every_resample():
    labels, scores, worth = sample(5)
    amounts = br.count(labels, scores, amount=worth)
    point = br.choose(amounts, "alerts <= 25", volume=1000)
    found = amount_intervals(point, amounts, replicates=200)
    assert (found["alerts"].low, found["alerts"].high) == (25, 25)
    assert found["amount_caught"].low < point.amount_caught < found["amount_caught"].high


def test_few_cases_are_noted_and_fewer_refused():
    labels, scores, worth = [1] * 10 + [0] * 40, list(range(50)), [1.5] * 50
    amounts = br.count(labels, scores, amount=worth)
    notes = amount_intervals(br.choose(amounts, review=1), amounts, replicates=100)[
        "amount_missed"
    ].notes
    assert any(note.code == "BR591" and "only 10 positives" in note.text for note in notes)
    few = br.count(labels[6:], scores[6:], amount=worth[6:])
    with pytest.raises(br.InputError, match="BR590: only 4 positives: too few to resample"):
        amount_intervals(br.choose(few, review=1), few)
    with pytest.raises(br.InputError, match="a bootstrap takes 100"):
        amount_intervals(br.choose(amounts, review=1), amounts, replicates=5)


def test_progress_is_told():
    labels, scores, worth = sample(6)
    amounts = br.count(labels, scores, amount=worth)
    seen = []
    amount_intervals(
        br.choose(amounts, review=1),
        amounts,
        replicates=100,
        progress=lambda *done: seen.append(done),
    )
    assert seen[-1] == (100, 100)


def test_what_a_resample_chose_is_judged_on_the_cases_that_it_left_out():
    """Scores that say nothing: where to cut is luck, and cases that chose it make it look cheaper
    than it is for others.
    """
    rng = np.random.default_rng(2)
    labels, scores, worth = (
        [1] * 20 + [0] * 180,
        rng.normal(size=200),
        np.round(rng.exponential(100, 200), 2),
    )
    amounts = br.count(labels, scores, amount=worth)
    point = br.choose(amounts, review=9)
    found = amount_intervals(point, amounts, replicates=300)["expected_cost"]
    assert point.expected_cost < min(point.nothing, point.everything) / 200
    assert (found.low + found.high) / 2 > point.expected_cost
    assert (
        9 in found
        # reviewing all costs that, and by amounts of 100 on every tenth case reviewing none does nearly  # noqa: E501
    )


# ---- is the best model better? ----------------------------------------------------------------


def models(seed, positives=60, negatives=800, better=0.0):
    rng = np.random.default_rng([seed, 0xA])
    y = np.repeat([1, 0], [positives, negatives])
    common = rng.normal(size=len(y))
    scores = {
        name: (1.3 + shift) * y + 0.7 * common + 0.7 * rng.normal(size=len(y))
        for name, shift in (("a", 0.0), ("b", better), ("c", 0.0))
    }
    return y, scores, rng


QUESTIONS = (
    (None, None, None),
    (None, 0.02, None),
    ("tpr >= 0.8", 0.02, None),
    ("posfrac <= 0.03", None, None),
    ("alerts <= 60", 0.02, 1000),
)


@pytest.mark.parametrize(("rule", "prior", "volume"), QUESTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_equal_amounts_are_tested_as_equal_costs_are(rule, prior, volume, seed):
    y, scores, _ = models(seed, better=0.5)
    how = {"rule": rule, "volume": volume}
    by_amount = br.choose(
        br.count(y, scores, amount=np.full(len(y), 40)), **how, review=3, at=br.Conditions(prior)
    )
    costs = br.Costs(fp=3, tp=3, fn=40)
    by_cost = br.choose(br.count(y, scores), **how, at=br.Conditions(prior, costs))
    assert by_amount.indistinguishable == by_cost.indistinguishable
    cases = by_amount.point.cases
    for one, other in zip(by_amount.differences, by_cost.differences, strict=True):
        assert one.models == other.models
        assert (one.p_value, one.p_adjusted) == pytest.approx((other.p_value, other.p_adjusted))
        found = np.array([one.value, one.low, one.high]) / cases
        assert found == pytest.approx([other.value, other.low, other.high])


@pytest.mark.parametrize(("rule", "prior", "volume"), QUESTIONS)
def test_laws_of_differences_by_amount(rule, prior, volume):
    y, scores, rng = models(7, better=0.4)
    worth = rng.lognormal(4, 1, len(y)).round(2)
    how = {"rule": rule, "volume": volume, "at": br.Conditions(prior), "review": 3}
    choice = br.choose(br.count(y, scores, amount=worth), **how)
    turned = {name: scores[name] for name in "cba"}
    other = br.choose(br.count(y, turned, amount=worth), **how)
    dearer = br.choose(br.count(y, scores, amount=10 * worth), **{**how, "review": 30})
    for one, two, three in zip(
        choice.differences, other.differences, dearer.differences, strict=True
    ):
        assert one.models[1] == choice.model
        assert one.value == pytest.approx(one.values[1] - one.values[0])
        assert one.low <= one.value <= one.high
        assert one.p_value < 0.05 or one.low <= 0 <= one.high
        assert (two.models, two.p_value) == (one.models, pytest.approx(one.p_value))
        assert (three.value, three.high) == pytest.approx((10 * one.value, 10 * one.high))
        assert three.p_value == pytest.approx(one.p_value)


def test_identical_models_cannot_be_distinguished_by_amounts():
    y, scores, rng = models(1)
    worth = rng.exponential(50, len(y)).round(2)
    twins = br.count(y, {"a": scores["a"], "b": scores["a"]}, amount=worth)
    choice = br.choose(twins, review=5)
    assert choice.indistinguishable == ("a", "b")
    assert (choice.differences[0].value, choice.differences[0].p_value) == (0, 1)


def test_a_lead_that_rests_on_one_large_amount_is_not_significant():
    """The cost is five times as high, and it is one toss of a coin."""
    y = np.repeat([1, 0], [50, 500])
    rng = np.random.default_rng(2)
    a = 4 * y + rng.normal(size=len(y))
    b = a.copy()
    b[0], worth = -5, np.full(len(y), 100)
    worth[0] = 10_000
    choice = br.choose(br.count(y, {"a": a, "b": b}, amount=worth), review=30)
    assert choice.model == "a"
    assert choice.points["b"].cost > 5 * choice.point.cost
    assert choice.differences[0].p_value > 0.2


def test_a_model_that_catches_far_more_is_better():
    y, scores, rng = models(4, positives=300, negatives=3000, better=1.5)
    worth = rng.exponential(50, len(y)).round(2)
    choice = br.choose(br.count(y, scores, amount=worth), review=5)
    assert choice.indistinguishable == ("b",)
    assert all(one.significant and one.high < 0 for one in choice.differences)


def test_amounts_that_were_counted_apart_are_not_tested():
    y, scores, _ = models(1)
    apart = {name: br.count(y, scores[name], amount=y * 10) for name in "ab"}
    choice = br.choose(apart, review=2)
    assert choice.indistinguishable is None
    assert choice.untested.startswith("the amounts of each model were counted alone")
    together = br.count(y, {name: scores[name] for name in "ab"}, amount=y * 10)
    assert {name: together[name] for name in together} == apart
    assert br.choose({"a": apart["a"]}, review=2).untested == ""


def test_several_scores_need_names():
    with pytest.raises(br.InputError, match="BR410: count needs the scores of each model by name"):
        br.count([1, 0], {}, amount=[1, 1])


def paid(seed, shift, positives=60, negatives=600, decimals=2):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    scores = np.round(rng.normal(size=len(y)) + shift * y, decimals)
    return y, scores, np.round(100 * rng.lognormal(-0.5, 1, len(y)), 2)


@pytest.mark.parametrize("review", [5, 400])
def test_the_lead_over_one_answer_for_all_is_the_difference_of_the_costs(review):
    y, scores, worth = paid(3, 2.0, positives=300)
    choice = br.choose(
        {"a": br.count(y, scores, amount=worth)},
        at=br.Conditions(0.5) if review == 5 else None,
        review=review / 10,
    )
    lead, point = choice.lead_over_baseline, choice.point
    base = min(point.nothing, point.everything)
    assert lead.models[1] == "a"
    assert lead.models[0] == (
        "flag everything" if point.everything < point.nothing else "flag nothing"
    )
    assert lead.values == (base, point.cost)
    assert lead.value == pytest.approx(point.cost - base, rel=1e-9)
    assert lead.name == "cost"
    assert lead.favours == "a"


def test_a_chosen_threshold_has_less_of_a_lead_than_it_seems_and_one_set_before_has_all():
    """What resamples gain from choosing is taken off; on other cases nothing was gained."""
    y, scores, worth = paid(5, 2.0, positives=200, negatives=2000)
    choice = br.choose({"a": br.count(y, scores, amount=worth)}, review=5)
    lead = choice.lead_over_baseline
    assert lead.significant
    assert (lead.low + lead.high) / 2 > lead.value
    y, scores, worth = paid(6, 2.0, positives=200, negatives=2000)
    there = choice.on({"a": br.count(y, scores, amount=worth)}).lead_over_baseline
    assert (there.low + there.high) / 2 == pytest.approx(there.value, rel=1e-9)
    assert there.replicates is None
    assert lead.replicates == 400


def test_the_lead_by_equal_amounts_is_that_of_costs():
    """With all amounts 10 and a review at 1, a miss costs 10 and a false alarm 1."""
    y, scores, _ = paid(7, 1.5, positives=200, negatives=2000)
    by_amounts = br.choose(
        {"a": br.count(y, scores, amount=np.full(len(y), 10.0))}, at=br.Conditions(0.1), review=1
    )
    by_costs = br.choose(
        {"a": br.count(y, scores)}, at=br.Conditions(0.1, br.Costs(fp=1, fn=10, tp=1))
    )
    assert by_amounts.point.threshold == by_costs.point.threshold
    one, other = by_amounts.lead_over_baseline, by_costs.lead_over_baseline
    assert one.value / by_amounts.point.cases == pytest.approx(other.value, rel=1e-9)
    assert one.low / by_amounts.point.cases == pytest.approx(other.low, rel=0.1)
    assert one.high / by_amounts.point.cases == pytest.approx(other.high, rel=0.1)
    assert one.significant
    assert other.significant


def test_useless_scores_are_not_called_better_than_flagging_nothing():
    """Chosen on the same cases, some threshold nearly always looks better."""
    called = beaten = 0
    for seed in range(12):
        y, scores, worth = paid(seed, 0.0)
        choice = br.choose({"a": br.count(y, scores, amount=worth)}, review=100 * 60 / 660)
        beaten += choice.lead_over_baseline is not None
        called += choice.lead_over_baseline is not None and choice.lead_over_baseline.significant
    assert beaten >= 6
    assert called <= 1


def test_the_lead_over_a_baseline_counts_the_models_that_were_chosen_among():
    y, scores, worth = paid(8, 1.5)
    own = br.choose({"a": br.count(y, scores, amount=worth)}, review=20).lead_over_baseline
    both = br.choose(
        br.count(y, {"a": scores, "b": np.zeros(len(y))}, amount=worth), review=20
    ).lead_over_baseline
    assert own.p_adjusted is None
    assert (both.p_value, both.p_adjusted) == (own.p_value, min(1.0, 2 * own.p_value))


def test_where_no_lead_over_a_baseline_is_tested_that_is_said_or_there_is_none():
    y, scores, worth = paid(9, 1.5)
    one = {"a": br.count(y, scores, amount=worth)}
    assert br.choose(one, "alerts <= 50", volume=1000).lead_over_baseline is None
    nothing = br.choose(one, review=10**6)
    assert (nothing.lead_over_baseline, nothing.baseline_untested) == (None, "")
    few = br.choose({"a": br.count([1, 1, 0, 0], [4, 3, 2, 1], amount=[100, 100, 1, 1])}, review=1)
    assert few.lead_over_baseline is None
    assert "too few" in few.baseline_untested


@pytest.mark.parametrize(("prior", "review"), [(0.1, 30), (None, 30), (0.6, 2)])
def test_the_standard_error_of_a_lead_is_that_of_the_cases_one_by_one(prior, review):
    """Each class with one case more each way: a negative costs its review, a positive weighs as
    many equal ones as the amounts are worth.
    """
    y, scores, worth = paid(5, 2.0, positives=200, negatives=2000)
    at = br.Conditions(prior)
    choice = br.choose({"a": br.count(y, scores, amount=worth)}, at=at, review=review)
    y, scores, worth = paid(6, 2.0, positives=100, negatives=900)
    there = choice.on({"a": br.count(y, scores, amount=worth)})
    lead, point = there.lead_over_baseline, there.point
    everything = point.everything < point.nothing
    assert everything == (prior == 0.6)
    share = 0.1 if prior is None else prior
    moved = (scores >= point.threshold).astype(float) - everything
    weights = [share * (review - worth[y == 1]), np.full(900, (1 - share) * review)]
    variance, means = 0.0, []
    for label, weight in zip((1, 0), weights, strict=True):
        usual = np.sum(weight**2) / np.sum(np.abs(weight))
        each = moved[y == label] * weight
        means.append(each.mean())
        more = [*each, -usual, usual]
        variance += np.var(more) / len(more)
    if prior is None:
        slope = means[0] / share - means[1] / (1 - share)
        variance += slope**2 * share * (1 - share) / 1000
    assert lead.value == pytest.approx(point.cases * sum(means), rel=1e-9)
    error = float(point.cases) * math.sqrt(variance)
    assert lead.statistic == pytest.approx(lead.value / error, rel=1e-9)
    half = NormalDist().inv_cdf(0.975) * error
    assert (lead.low, lead.high) == pytest.approx((lead.value - half, lead.value + half))
