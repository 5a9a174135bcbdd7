"""`choose` finds the point that a loop over all thresholds finds, exactly."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br


def exactly(confusion):
    return tuple(map(Fraction, confusion))


def assert_chosen(point, expected):
    threshold, counted = expected
    assert point.threshold == threshold
    assert type(point.threshold) is type(threshold)
    assert exactly(point.confusion) == counted


def assert_as_the_oracle(data, text, terms, at, truth, **asked):
    """The same point, or the same refusal where no point keeps the rule."""
    counts, objective = generated.counts(data), asked.get("optimize", "expected_cost")
    expected = oracle.choose(data, terms, objective, truth)
    if expected is None:
        with pytest.raises(br.Infeasible, match="BR530"):
            br.choose(counts, text, at=at, **asked)
        return None
    point = br.choose(counts, text, at=at, **asked)
    assert_chosen(point, expected)
    return point


@pytest.mark.parametrize("seed", seeds(300))
def test_the_cheapest_threshold_is_that_of_the_oracle(seed):
    rng = random.Random(seed)
    data = generated.cells(rng)
    at, truth = generated.at(rng, known=generated.classes(data))
    point = assert_as_the_oracle(data, None, [], at, truth)
    assert point.optimized == "expected_cost"
    assert point.expected_cost == float(
        oracle.value("expected_cost", exactly(point.confusion), truth.shown)
    )


@pytest.mark.parametrize("seed", seeds(600))
def test_the_cheapest_threshold_under_a_rule_is_that_of_the_oracle(seed):
    rng = random.Random(f"rule {seed}")
    data = generated.cells(rng)
    at, truth = generated.at(rng, known=generated.classes(data))
    text, terms, printed = generated.rule(rng)
    point = assert_as_the_oracle(data, text, terms, at, truth)
    assert point is None or point.rule == printed


@pytest.mark.parametrize("name", generated.OBJECTIVES)
def test_the_best_threshold_by_any_measure_is_that_of_the_oracle(name):
    rng = random.Random(name)
    for _ in range(60):
        data = generated.cells(rng)
        at, truth = generated.at(rng, known=generated.classes(data))
        text, terms, _ = generated.rule(rng, ("tpr", "fpr", "posfrac"), 1)
        point = assert_as_the_oracle(data, text, terms, at, truth, optimize=name)
        assert point is None or point.optimized == name


@pytest.mark.parametrize(
    "name", ["f_beta(beta=2)", "weighted_accuracy(w1=2, w2=1, w3=3, w4=0.5)", "net_benefit(t=0.25)"]
)
def test_measures_with_parameters_can_be_optimized_and_required(name):
    rng = random.Random(name)
    measure = br.Measure.parse(name)
    for _ in range(100):
        data = generated.cells(rng, both=True)
        at, truth = generated.at(rng, known=True)
        best = oracle.choose(data, [], measure.name, truth, **dict(measure.parameters))
        assert_chosen(br.choose(generated.counts(data), at=at, optimize=name), best)
        term = oracle.Term(measure.name, ">=", Fraction(1, 5), dict(measure.parameters))
        kept = oracle.choose(data, [term], "tpr", truth)
        if kept:
            assert_chosen(
                br.choose(generated.counts(data), f"{name} >= 20%", at=at, optimize="tpr"), kept
            )


@pytest.mark.parametrize("seed", seeds(40))
def test_a_published_roc_is_chosen_on_at_a_stated_prior(seed):
    rng = random.Random(f"rates {seed}")
    size = rng.randint(1, 8)
    fpr, tpr = (
        sorted(rng.choice([0, 0.125, 0.25, 0.5, 0.75, 1]) for _ in range(size)) for _ in range(2)
    )
    points = br.Points.from_rates(fpr, tpr)
    at = br.Conditions(0.25, br.Costs(fp=1, fn=rng.choice([1, 2, 3, 50])))
    truth = oracle.At(Fraction(1, 4), (0, 1, at.costs.fn, 0))
    corners = zip(points.tp.tolist(), points.fp.tolist(), strict=True)
    every = [(Fraction(tp), Fraction(fp), 1 - Fraction(tp), 1 - Fraction(fp)) for tp, fp in corners]
    best = min(
        every,
        key=lambda counted: (oracle.value("expected_cost", counted, truth), every.index(counted)),
    )
    assert exactly(br.choose(points, at=at).confusion) == best
    with pytest.raises(br.InputError, match="BR509: only rates are known"):
        br.choose(points)


def test_arbitrary_weights_give_the_cheapest_point_up_to_rounding():
    rng = random.Random(7)
    for _ in range(100):
        data = [
            (rng.random(), rng.random() * 10, rng.random() * 10) for _ in range(rng.randint(1, 30))
        ]
        at, truth = generated.at(rng, known=True)
        cost = br.choose(generated.counts(data), at=at).expected_cost
        costs = [
            oracle.value("expected_cost", counted, truth) for _, counted in oracle.points(data)
        ]
        assert cost == pytest.approx(
            float(min(costs)), rel=1e-12, abs=1e-14 * float(max(map(abs, costs)))
        )


@pytest.mark.parametrize("shift", [1e3, 1e9, 1e12])
def test_costs_on_the_diagonal_that_cancel_do_not_blur_the_choice(shift):
    rng = random.Random(int(shift))
    costs = br.Costs(tp=shift, fn=shift + 1, tn=-shift, fp=1 - shift)
    for _ in range(30):
        data = [
            (i, rng.randint(10**5, 10**5 + 9), rng.randint(10**5, 10**5 + 9)) for i in range(10)
        ]
        truth = oracle.At(Fraction(1, 2), (costs.tp, costs.fp, costs.fn, costs.tn))
        best = oracle.choose(data, [], "expected_cost", truth)
        assert_chosen(br.choose(generated.counts(data), at=br.Conditions(0.5, costs)), best)


@pytest.mark.parametrize("part", range(11, 40, 2))
def test_savings_over_a_cost_that_cancels_are_decided_exactly(part):
    """Flagging nothing costs next to nothing: misses and rewards of passing a negative cancel, and
    floats are off by more than they seem.
    """
    prior = part / 128  # exact as a float
    costs = br.Costs(fn=(1 - prior) / prior * (1 + 1e-8), tn=-1, fp=5)
    counts = br.Counts([3, 2, 1], positives=[2, 4, 1], negatives=[1, 2, 4])
    at = br.Conditions(prior, costs)
    value = float(br.measure(counts, "savings", threshold=2, at=at))
    second = "posfrac >= 0.2 and posfrac <= 0.9 and tpr >= 0.5"
    near = sorted((value * (1 - 1e-9), value * (1 + 1e-9)))
    for kept in (f"savings >= {near[0]!r}", f"savings <= {near[1]!r}"):
        assert br.choose(counts, f"{kept} and {second}", at=at).threshold == 2
    for broken in (f"savings >= {near[1]!r}", f"savings <= {near[0]!r}"):
        with pytest.raises(br.Infeasible, match="BR530"):
            br.choose(counts, f"{broken} and {second}", at=at)


def test_savings_over_a_cost_that_floats_take_for_none_are_decided_exactly():
    """A miss costs a little more than three rewards, which floats add up to as much."""
    counts = br.Counts([3, 2, 1], positives=[1, 0, 0], negatives=[0, 1, 2])
    at = br.Conditions(costs=br.Costs(fn=0.1 + 0.1 + 0.1, tn=-0.1, fp=5))
    assert br.measure(counts, "savings", threshold=3, at=at) > 1e15
    assert br.choose(counts, optimize="savings", at=at).threshold == 3
    assert br.choose(counts, "savings >= 1", at=at).threshold == 3
    assert br.choose(counts, "savings <= 0", at=at, optimize="tpr").threshold == 2
    none = br.Conditions(costs=br.Costs(fn=0.25, tn=-0.25, fp=5))
    with pytest.raises(br.Infeasible, match="BR530: savings is defined at no threshold"):
        br.choose(counts, optimize="savings", at=none)  # nothing to save: a gain of 0.5


def test_a_limit_that_a_point_reaches_exactly_is_kept():
    for whole in range(3, 60):
        counts = br.Counts(range(whole, 0, -1), [1] * whole, [1] * whole)
        for part in range(1, whole):
            if (100 * part) % whole == 0:
                point = br.choose(counts, f"tpr >= {100 * part // whole}%")
                assert (point.tp, point.fp) == (part, part)


def test_an_undefined_value_keeps_no_rule():
    counts = br.Counts([2, 1], [0, 3], [4, 3])
    with pytest.raises(br.Infeasible, match="no threshold has precision <= 0.05 and fpr <= 0"):
        br.choose(counts, "precision <= 5% and fpr <= 0")
    assert br.choose(counts, "precision <= 5%").threshold == 2
    assert br.choose(counts, "lr_positive >= 0", optimize="tpr").tpr == 1
    assert br.choose(counts, "lr_positive >= 0", optimize="posfrac").threshold == 2, (
        "flagging nothing has no ratio"
    )
    assert br.choose(counts, "npv >= 10%", optimize="fnr").threshold is None, (
        "flagging everything has no npv"
    )


def test_net_benefit_at_t_1_is_undefined_everywhere():
    with pytest.raises(br.Infeasible, match="net_benefit is defined at no threshold"):
        br.choose(br.Counts([2, 1], [1, 0], [0, 1]), optimize="net_benefit(t=1)")


def test_equals_go_to_the_point_that_flags_least():
    counts = br.Counts([5, 4, 3, 2, 1], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1])
    assert br.choose(counts).threshold is None
    assert br.choose(counts, "tpr >= 0.4").threshold == 4
    assert br.choose(br.Counts([3, 2, 1], [2, 0, 0], [0, 1, 1]), optimize="tpr").threshold == 3


def test_on_reads_the_same_threshold_on_other_cases():
    rng = random.Random(5)
    for _ in range(100):
        dev, test = generated.cells(rng, both=True), generated.cells(rng, both=True)
        at, _ = generated.at(rng, known=True)
        chosen = br.choose(generated.counts(dev), at=at)
        read = chosen.on(generated.counts(test))
        flagged = [
            cell for cell in test if chosen.threshold is not None and cell[0] >= chosen.threshold
        ]
        assert (read.tp, read.fp) == tuple(sum(cell[i] for cell in flagged) for i in (1, 2))
        assert (read.how, read.in_advance, chosen.in_advance) == ("threshold", True, False)
        assert (read.rule, read.optimized, read.threshold) == (
            chosen.rule,
            chosen.optimized,
            chosen.threshold,
        )
        assert read.at.prior == (generated.counts(test).prior if at.prior is None else at.prior)
        assert "BR528" not in [note.code for note in read.notes]


def test_on_takes_other_conditions_and_shares_ties():
    dev, test = (
        br.Counts([3, 2, 1], [4, 4, 2], [1, 9, 90]),
        br.Counts([3, 2, 1], [40, 20, 40], [10, 90, 900]),
    )
    tie = br.choose(dev, "alerts <= 60", volume=1000).on(test, br.Conditions(0.5))
    assert tie.tp == 40 + tie.share * 20
    assert tie.at.prior == 0.5
    assert tie.best is None
    assert (tie.how, tie.in_advance) == ("tie", True)
    assert br.curves.random_classifier(dev, 0.25).on(test).tp == 25


def test_one_class_is_chosen_on_as_it_is_and_refused_at_another_prior():
    only = br.Counts([2, 1], [3, 4], [0, 0])
    assert br.choose(only).threshold == 1
    assert math.isnan(br.choose(only).fpr)
    with pytest.raises(br.InputError, match="BR552: no negatives in the sample"):
        br.choose(only, at=br.Conditions(0.1))
    with pytest.raises(br.InputError, match="BR552: no positives in the sample"):
        br.choose(br.Counts([2, 1], [0, 0], [3, 4]), at=br.Conditions(0.1))
    with pytest.raises(br.InputError, match="BR552: there are no cases"):
        br.choose(br.Counts.empty())


def test_what_is_not_counts_or_conditions_is_refused():
    counts = br.Counts([2, 1], [1, 0], [0, 1])
    with pytest.raises(br.InputError, match="BR429: choose needs counts, got list"):
        br.choose([1, 2])
    with pytest.raises(br.InputError, match="BR519: at must be Conditions, got float"):
        br.choose(counts, at=0.1)
    assert br.choose(counts, optimize="recall") == br.choose(counts, optimize="tpr")
    for volume in (0, -1, math.nan, math.inf, "many", True, 1e19):
        with pytest.raises(br.InputError, match="BR520: a volume is a number of cases above 0"):
            br.choose(counts, "alerts <= 2", volume=volume)


def test_condensed_counts_choose_as_the_full_ones_do_at_positive_scores():
    rng = np.random.default_rng(3)
    labels = rng.random(2000) < 0.05
    full = br.count(labels, rng.normal(size=2000) + labels)
    for rule in (None, "tpr >= 0.8", "precision >= 10% and tpr >= 20%"):
        assert br.choose(full, rule) == br.choose(full.condense(), rule)


@pytest.mark.parametrize("seed", range(4))
def test_condensed_counts_choose_by_numbers_of_cases_as_the_full_ones_do(seed):
    """In millions of cases a float is off by more than in shares: that is no better threshold."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, 0], [5, 30])
    full = br.count(labels, np.round(0.8 * rng.random(35) + 0.15 * labels, 2))
    asked = {
        "at": br.Conditions(0.07, br.Costs(fp=1, fn=50)),
        "volume": 1_234_567,
        "optimize": "caught",
    }
    for rule in ("fpr <= 0.5", "precision >= 0.05"):
        one, other = (br.choose(counts, rule, **asked) for counts in (full, full.condense()))
        assert (one.threshold, one["caught"]) == (other.threshold, other["caught"])
