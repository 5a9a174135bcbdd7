"""Conditions that are not known exactly: what may be said, what is refused, and what is drawn from
it.
"""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import baserate as br

COUNT = 20_000


def drawn(part, count=COUNT, seed=5):
    return br.Conditions(prior=part).draw(np.random.default_rng(seed), count).prior


def fits(sample, law):
    """Whether the sample could come from this law: seeds are fixed, so this does not come and
    go.
    """
    return stats.kstest(sample, law.cdf).pvalue > 1e-3


# ---- what may be said -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "low", "high"),
    [
        ("1e-5..1e-3", 1e-5, 1e-3),
        (" 1e-5 .. 1e-3 ", 1e-5, 1e-3),
        ("0.1%..2%", 0.001, 0.02),
        ("1 in 1000..1 in 10", 0.001, 0.1),
        ("1:999..1:1", 0.001, 0.5),
        (br.Range(0.25, 0.5), 0.25, 0.5),
        (br.Range("1%", 0.5), 0.01, 0.5),
        (br.Range(0.25, 0.25), 0.25, 0.25),
    ],
)
def test_a_range_of_base_rates_is_read_in_any_notation(given_, low, high):
    assert br.Conditions(prior=given_).prior == br.Range(low, high)
    assert br.Conditions(prior=given_).has_range


def test_a_plain_prior_is_read_as_in_conditions_and_none_is_that_of_the_sample():
    assert br.Conditions(prior="1 in 1000").prior == br.Conditions(prior="1 in 1000").prior == 0.001
    for none in (None, "sample"):
        assert br.Conditions(prior=none).prior is None
        assert br.Conditions(prior=none).as_in_sample
    assert not br.Conditions(prior=0.5).as_in_sample
    assert not br.Conditions(prior=br.Pilot(1, 2)).has_range


def test_a_cost_that_is_not_named_keeps_its_default():
    at = br.Conditions(costs={"fn": br.Range(100, 1000)})
    assert at.costs == {"fp": 1, "fn": br.Range(100, 1000), "tp": 0, "tn": 0}
    assert at.costs_given
    assert br.Conditions(costs={"fp": 2, "fn": 7, "tp": -1}).costs == br.Costs(fp=2, fn=7, tp=-1)
    assert not br.Conditions(prior=0.1).costs_given
    assert br.Conditions(costs={"fn": br.Range(1, 2)}).has_range


def test_the_costs_given_are_copied():
    costs = {"fn": 5}
    at = br.Conditions(costs=costs)
    costs["fn"] = 9
    assert at.costs.fn == 5


def test_draws_are_copied_and_frozen():
    values = np.array([0.1, 0.2])
    at = br.Conditions(prior=br.Draws(values))
    values[0] = 0.9
    assert at.prior.values.tolist() == [0.1, 0.2]
    with pytest.raises(ValueError, match="read-only"):
        at.prior.values[0] = 0.5


# ---- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (
            "1e-3..1e-5",
            r"BR504: the range of prior is reversed: 0\.001\.\.1e-05\. Fix: Range\(1e-05, 0\.001\)",
        ),
        (br.Range(0.5, 0.25), "BR504: the range of prior is reversed"),
        (br.LogUniform(0.1, 0.01), "BR504: the range of prior is reversed"),
        ("1e-5..", 'BR503: prior "" is not a share'),
        ("..1e-5", 'BR503: prior "" is not a share'),
        ("few..many", 'BR503: prior "few" is not a share'),
        ("sample..0.1", "BR503: a range of base rates needs two ends"),
        (br.Range(None, 0.1), "BR503: a range of base rates needs two ends"),
        (br.LogUniform(0.1, None), "BR503: a range of base rates needs two ends"),
        ((1e-5, 1e-3), "BR503: prior .* is not a share"),
        ("0..0.1", "BR503: prior 0 means no positives ever"),
        (br.LogUniform(0, 0.5), "BR503: prior 0 means no positives ever"),
        (br.Range(0.5, 1), "BR503: prior 1 means nothing but positives"),
        (br.Range(0.1, 1.5), "BR503: prior must lie strictly between 0 and 1, got 1.5"),
        (br.Range(-0.1, 0.5), "BR503: prior -0.1 is not a share"),
        (br.Range(math.nan, 0.5), "BR503: prior nan is not a share"),
        (1.2, "BR503: prior must lie strictly between 0 and 1"),
        (
            br.Pilot(3, 2),
            (
                r"BR588: a pilot sample is a number of positives among a number of cases, got"
                r" Pilot\(positives=3, cases=2\)"
            ),
        ),
        (br.Pilot(-1, 2), "BR588: a pilot sample"),
        (br.Pilot(0, 0), "BR588: a pilot sample"),
        (br.Pilot(True, 5), "BR588: a pilot sample"),
        (br.Pilot(1.0, 5), "BR588: a pilot sample"),
        (br.Pilot(1, "5"), "BR588: a pilot sample"),
        (br.Draws([]), "BR588: draws of prior must be a list of numbers in its range"),
        (br.Draws([0.1, 0.0]), "BR588: draws of prior"),
        (br.Draws([0.1, 1.0]), "BR588: draws of prior"),
        (br.Draws([0.1, math.nan]), "BR588: draws of prior"),
        (br.Draws([[0.1]]), "BR588: draws of prior"),
        (br.Draws("0.1"), "BR588: draws of prior"),
        (br.Draws(0.1), "BR588: draws of prior"),
    ],
)
def test_a_base_rate_that_is_none_is_refused(prior, message):
    with pytest.raises(br.InputError, match=message):
        br.Conditions(prior=prior)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([1, 2], "BR513: costs must be Costs or named by outcome, got list"),
        ({"miss": 1}, r"BR513: costs are named by outcome \(fp, fn, tp, tn\), got {'miss': 1}"),
        (br.Range(1, 2), "BR513: costs must be Costs or named by outcome, got Range"),
        (
            {"fn": br.Range(10, 1)},
            r"BR504: the range of the cost of fn is reversed: 10\.\.1\. Fix: Range\(1, 10\)",
        ),
        ({"fp": br.LogUniform(10, 1)}, "BR504: the range of the cost of fp is reversed"),
        (
            {"fn": br.LogUniform(0, 1)},
            "BR514: the cost of fn is LogUniform.* which is not a range of numbers",
        ),
        (
            {"fn": br.Range(1, math.inf)},
            "BR514: the cost of fn is Range.* which is not a range of numbers",
        ),
        (
            {"fn": br.Range("few", 3)},
            "BR514: the cost of fn is Range.* which is not a range of numbers",
        ),
        ({"fn": br.Pilot(1, 2)}, "BR588: the cost of fn cannot come from a pilot sample"),
        (
            {"fn": br.Draws([1, math.inf])},
            "BR588: draws of the cost of fn must be a list of numbers",
        ),
        ({"fn": br.Draws([])}, "BR588: draws of the cost of fn"),
        ({"fn": "100"}, 'BR514: the cost of fn is "100", which is not a number'),
        ({"fn": math.nan}, "BR514: the cost of fn is nan, which is not a number"),
        ({"fn": (1, 2)}, r"BR514: the cost of fn is \(1, 2\), which is not a number"),
        ({"fn": br.Range(0, 5)}, "BR510: degenerate costs"),
        ({"fn": br.Range(-1, 5)}, "BR510: fn cost -1 < tp cost 0"),
        ({"tn": br.Range(0.1, 5)}, "BR510: fp cost 1 < tn cost 5"),
        ({"fp": br.Range(3, 5), "tn": br.Range(1, 4)}, "BR510: fp cost 3 < tn cost 4"),
    ],
)
def test_costs_that_are_none_are_refused(costs, message):
    with pytest.raises(br.InputError, match=message):
        br.Conditions(prior=0.1, costs=costs)


@pytest.mark.parametrize(
    "costs",
    [{"fn": br.Draws([-1, 5, 10])}, {"tn": br.LogUniform(0.1, 5)}, {"fn": br.Draws([0, 5, 10])}],
)
def test_costs_of_the_wrong_order_are_refused_wherever_they_may_be_drawn(costs):
    with pytest.raises(br.InputError, match="BR510"):
        br.Conditions(prior=0.1, costs=costs)


def test_three_dots_do_not_make_the_upper_end_ten_times_smaller():
    with pytest.raises(
        br.InputError, match=r'BR503: prior "1e-5\.\.\.1e-3" has too many dots.*1e-5\.\.1e-3'
    ):
        br.Conditions(prior="1e-5...1e-3")


@pytest.mark.parametrize("cost", [Decimal(100), Fraction(201, 2)])
def test_every_kind_of_number_that_costs_accepts_works(cost):
    at = br.Conditions(prior=0.01, costs={"fn": cost})
    assert isinstance(at.costs.fn, int | float)
    assert at.costs.fn == cost
    confusion = br.Confusion(tp=40, fp=10, fn=10, tn=990)
    assert str(at).startswith("a base rate of 1%, costs (fp = 1, fn = 100")
    plain = br.interval(
        confusion, "expected_cost", at=br.Conditions(prior=0.01, costs={"fn": float(cost)})
    )
    assert math.isclose(br.interval(confusion, "expected_cost", at=at).low, plain.low)


# ---- the middle, and all over a range ---------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "middle"),
    [
        (br.Range(1e-5, 1e-3), 1e-4),
        (br.LogUniform(1e-4, 1e-2), 1e-3),
        (br.Pilot(12, 5000), 12 / 5000),
        (br.Pilot(0, 99), 0.5 / 100),
        (br.Pilot(99, 99), 99.5 / 100),
        (br.Draws([0.3, 0.1, 0.2]), 0.2),
        (0.07, 0.07),
    ],
)
def test_the_middle_of_what_is_possible(part, middle):
    found = br.Conditions(prior=part).middle()
    assert isinstance(found, br.Conditions)
    assert math.isclose(found.prior, middle, rel_tol=1e-12)
    assert not found.costs_given


def test_the_middle_of_costs_is_that_of_each_and_of_no_prior_is_none():
    at = br.Conditions(
        costs={
            "fn": br.Range(100, 10_000),
            "fp": br.Draws([1, 2, 30]),
            "tn": br.Range(-2, 0),
            "tp": -1,
        }
    )
    middle = at.middle()
    assert (middle.prior, middle.as_in_sample, middle.costs_given) == (None, True, True)
    assert (middle.costs.fn, middle.costs.fp, middle.costs.tp, middle.costs.tn) == (
        1000.0,
        2.0,
        -1,
        -1.0,
    )


@given(st.floats(1e-12, 0.9), st.floats(1, 1e5))
def test_a_range_is_walked_evenly_by_odds_with_its_ends_exactly(low, ratio):
    high = min(low * ratio, 0.95)
    pinned = [one.prior for one in br.Conditions(prior=br.Range(low, high)).pinned()]
    assert len(pinned) >= 3
    assert (pinned[0], pinned[-1]) == (br.Conditions(low).prior, br.Conditions(high).prior)
    assert all(low * (1 - 1e-12) <= prior <= high * (1 + 1e-12) for prior in pinned)
    steps = np.diff(np.log(pinned) - np.log1p(-np.array(pinned)))
    assert np.allclose(steps, steps[0], rtol=1e-6, atol=1e-9)


def test_several_ranges_are_walked_together_corners_and_all():
    at = br.Conditions(
        prior="0.001..0.1", costs={"fn": br.Range(10, 1000), "fp": br.LogUniform(1, 2)}
    )
    pinned = list(at.pinned())
    places = {(one.prior, one.costs["fn"]) for one in pinned}
    assert {(0.001, 10), (0.001, 1000), (0.1, 10), (0.1, 1000)} <= places
    assert (len({prior for prior, _ in places}), len({cost for _, cost in places})) == (9, 3)
    assert len(places) == len(pinned) == 27
    for one in pinned:
        assert not one.has_range
        assert one.costs_given
        assert one.costs["fp"] == br.LogUniform(1, 2)


def test_a_range_that_reaches_below_zero_is_walked_evenly():
    grid = [one.parts["tn"] for one in br.Conditions(costs={"tn": br.Range(-4, 0)}).pinned()]
    assert (grid[0], grid[-1]) == (-4, 0)
    assert np.allclose(np.diff(grid), grid[1] - grid[0])


def test_what_has_no_range_is_pinned_as_it_is():
    at = br.Conditions(prior=br.Pilot(3, 10))
    assert list(at.pinned()) == [at]


# ---- draws ------------------------------------------------------------------------------------


def test_a_pilot_draws_from_beta_of_jeffreys():
    assert fits(drawn(br.Pilot(12, 500)), stats.beta(12.5, 488.5))
    assert fits(drawn(br.Pilot(0, 40)), stats.beta(0.5, 40.5))
    assert not fits(drawn(br.Pilot(12, 500)), stats.beta(12, 488))


def test_log_uniform_draws_are_uniform_in_their_logarithm_and_keep_to_their_ends():
    values = drawn(br.LogUniform(1e-5, 1e-2))
    assert fits(values, stats.loguniform(1e-5, 1e-2))
    assert values.min() >= 1e-5
    assert values.max() <= 1e-2


def test_draws_of_a_pilot_never_reach_0_or_1():
    for pilot in (br.Pilot(0, 1), br.Pilot(1, 1)):
        values = drawn(pilot, 200_000)
        assert 0 < values.min() <= values.max() < 1
        assert br.Conditions(prior=float(values.min())).prior > 0


@pytest.mark.parametrize("count", [5, 6, 11, 999])
def test_more_draws_than_values_use_each_value_about_equally_often(count):
    values = [0.1, 0.2, 0.3, 0.4, 0.5]
    often = np.unique(drawn(br.Draws(values), count * 5 + 1), return_counts=True)
    assert often[0].tolist() == values
    assert set(often[1].tolist()) <= {count, count + 1}


def test_draws_come_in_random_order():
    values = np.linspace(0.01, 0.99, 300)
    found = drawn(br.Draws(values), 3000)
    assert abs(stats.spearmanr(found[:-1], found[1:]).statistic) < 0.1
    few = drawn(br.Draws(values), 100)
    assert set(few) <= set(values)
    assert len(few) == 100
    assert fits(few, stats.uniform(0, 1))


def test_parts_are_drawn_independently_and_known_numbers_stay_numbers():
    at = br.Conditions(
        prior=br.LogUniform(1e-4, 1e-1),
        costs={"fn": br.LogUniform(1, 100), "fp": br.Draws([0.5, 1.5]), "tn": -1},
    )
    found = at.draw(np.random.default_rng(0), COUNT)
    assert (found.tp, found.tn) == (0, -1)
    for one, other in ((found.prior, found.fn), (found.prior, found.fp), (found.fn, found.fp)):
        assert abs(stats.spearmanr(one, other).statistic) < 0.03
    known = br.Conditions(prior=0.2, costs={"fn": br.Range(1, 2)})
    assert known.draw(np.random.default_rng(0), 10).prior == 0.2
    own = br.Conditions(costs={"fn": br.Range(1, 2)})
    assert own.draw(np.random.default_rng(0), 10).prior is None


def test_draws_of_one_length_belong_together_and_others_do_not():
    priors, misses = np.linspace(0.01, 0.2, 40), np.linspace(5, 300, 40) ** 1.5
    at = br.Conditions(
        prior=br.Draws(priors), costs={"fn": br.Draws(misses), "fp": br.LogUniform(0.5, 2)}
    )
    for count in (30, 40, 10_000):
        found = at.draw(np.random.default_rng(1), count)
        assert len(found.prior) == count
        assert set(zip(found.prior, found.fn, strict=True)) <= set(zip(priors, misses, strict=True))
    rows = np.searchsorted(priors, found.prior)
    assert stats.chisquare(np.bincount(rows, minlength=40)).pvalue > 1e-3
    assert abs(stats.spearmanr(found.prior, found.fp).statistic) < 0.05
    other = br.Conditions(prior=br.Draws(priors), costs={"fn": br.Draws(misses[:-1])}).draw(
        np.random.default_rng(1), 10_000
    )
    assert abs(stats.spearmanr(other.prior, other.fn).statistic) < 0.05


def test_the_same_seed_draws_the_same_and_another_does_not():
    for part in (br.Pilot(5, 50), br.LogUniform(0.01, 0.1), br.Draws(np.linspace(0.1, 0.9, 50))):
        assert np.array_equal(drawn(part, 100, seed=3), drawn(part, 100, seed=3))
        assert not np.array_equal(drawn(part, 100, seed=3), drawn(part, 100, seed=4))


# ---- as values --------------------------------------------------------------------------------

ALIKE = [
    (br.Conditions(prior="1e-5..1e-3"), br.Conditions(prior=br.Range(1e-5, 1e-3))),
    (br.Conditions(prior=br.Draws([0.1, 0.2])), br.Conditions(prior=br.Draws((0.1, 0.2)))),
    (br.Conditions(prior=br.Pilot(np.int64(3), 10)), br.Conditions(prior=br.Pilot(3, 10))),
    (br.Conditions(costs={"fn": 5, "fp": 2}), br.Conditions(costs=br.Costs(fp=2, fn=5))),
    (
        br.Conditions(costs={"fn": br.Draws([1, 2])}),
        br.Conditions(costs={"fp": 1, "fn": br.Draws([1.0, 2.0])}),
    ),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_says_the_same_is_equal_and_hashes_alike(one, other):
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


def test_what_says_something_else_is_not_equal():
    different = [one for one, _ in ALIKE] + [
        br.Conditions(),
        br.Conditions(costs={}),
        br.Conditions(prior=1e-5),
        br.Conditions(prior=br.LogUniform(1e-5, 1e-3)),
        br.Conditions(prior=br.Draws([0.1, 0.2, 0.3])),
        br.Conditions(prior=br.Draws([0.2, 0.1])),
        br.Conditions(prior=br.Pilot(3, 11)),
        br.Conditions(costs={"fn": br.Range(5, 6)}),
    ]
    assert len(set(different)) == len(different)
    for i, one in enumerate(different):
        assert [other == one for other in different].index(True) == i
    assert br.Draws([0.1]) != [0.1]


@pytest.mark.parametrize(
    ("at", "shown", "said"),
    [
        (br.Conditions(), "Conditions()", "the sample's base rate"),
        (
            br.Conditions(prior="1e-5..1e-3"),
            "Conditions(prior=1e-05..0.001)",
            "base rates from 0.001% to 0.1%",
        ),
        (
            br.Conditions(prior=br.Pilot(5, 5000), costs={"fn": br.Range(100, 1000)}),
            "Conditions(prior=5 of 5000 in a pilot, fp=1, fn=100..1000)",
            "the base rate of a pilot (5 of 5,000 cases), costs (fp = 1, fn = 100..1000)",
        ),
        (
            br.Conditions(
                prior=br.LogUniform(0.001, 0.1), costs={"tp": -2, "fn": br.Draws([1, 2, 3])}
            ),
            "Conditions(prior=0.001..0.1 (log-uniform), fp=1, fn=3 draws, tp=-2)",
            "base rates from 0.1% to 10% (log-uniform), costs (fp = 1, fn = 3 draws, tp = -2)",
        ),
        (
            br.Conditions(prior=0.25, costs={"tn": br.Range(-1, 0)}),
            "Conditions(prior=0.25, fp=1, fn=1, tn=-1..0)",
            "a base rate of 25%, costs (fp = 1, fn = 1, tn = -1..0)",
        ),
    ],
)
def test_it_is_shown_as_one_says_it(at, shown, said):
    assert repr(at) == shown
    assert str(at) == said


def test_an_attribute_cannot_be_set():
    with pytest.raises(AttributeError, match="cannot assign"):
        br.Conditions(prior=0.1).prior = 0.2


def test_a_cost_may_be_a_range_in_text():
    in_text = br.Conditions("0.1%..1%", {"fn": "100..1000", "fp": 1})
    assert in_text == br.Conditions("0.1%..1%", {"fn": br.Range(100, 1000), "fp": 1})
    with pytest.raises(br.InputError, match='BR514: the cost of fn is "x..1000"'):
        br.Conditions("0.1%", {"fn": "x..1000"})


def test_a_choice_over_a_range_shows_its_regret_and_the_range():
    counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    over = {"prior": "0.1%..1%", "costs": {"fn": "100..1000", "fp": 1}}
    shown = (
        "score ≥ 2; regret at most 0.02996 per case; at base rates from 0.1% to 1%, costs (fp = 1,"
        " fn = 100..1000)"
    )
    assert repr(br.choose(counts, **over)) == f"OperatingPoint: {shown}"
    assert repr(br.choose({"a": counts}, **over)).startswith(f"Choice: a; {shown}")
    assert "regret" not in repr(br.choose(counts, **over).on(counts))
