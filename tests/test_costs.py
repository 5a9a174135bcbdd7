"""What outcomes cost: read, refused, and turned into thresholds. Rows of BAD_INPUTS are named by
their number.
"""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br

amounts = st.floats(1e-6, 1e6)


def assert_refused(match, code, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code
    assert "Fix: " in str(caught.value)


def test_row_70_profits_given_as_costs_are_refused():
    match = (
        r"fn cost -500 < tp cost 5: missing a positive would be better.*if these are profits:"
        r" Costs\.from_profits"
    )
    assert_refused(match, "BR510", lambda: br.Costs(fp=1, fn=-500, tp=5))
    assert_refused(
        "fn cost -500 < tp cost -5", "BR510", lambda: br.Costs(fp=-1, fn=-500, tp=-5, tn=-2)
    )


def test_row_71_a_miss_must_cost_more_than_a_catch():
    assert_refused("fn cost 1 < tp cost 2: missing", "BR510", lambda: br.Costs(fp=1, fn=1, tp=2))


def test_row_72_a_false_alarm_must_cost_more_than_none():
    assert_refused(
        "fp cost 1 < tn cost 2: a false alarm", "BR510", lambda: br.Costs(fp=1, fn=9, tn=2)
    )


def test_row_73_costs_under_which_no_answer_matters_are_refused():
    assert_refused("cost the same for every positive", "BR510", lambda: br.Costs(fp=1, fn=3, tp=3))
    assert_refused("cost the same for every negative", "BR510", lambda: br.Costs(fp=1, fn=3, tn=1))


@pytest.mark.parametrize(
    "costs", [{"fp": 0, "fn": 0}, {"fp": 1, "fn": 1, "tp": 1, "tn": 1}, {"fp": 0}, {"fn": 0}]
)
def test_row_74_equal_costs_of_every_outcome_are_refused(costs):
    assert_refused("degenerate costs", "BR510", lambda: br.Costs(**costs))


@pytest.mark.parametrize(
    "matrix", [[[0, 1], [5, 0]], ((0, 1), (5, 0)), [1, 5], np.array([[0, 1], [5, 0]])]
)
def test_row_75_a_matrix_without_names_is_refused(matrix):
    assert_refused(r"ambiguous.*Costs\(fp=1, fn=5\)", "BR513", lambda: br.Conditions(0.1, matrix))


def test_row_75_a_list_in_place_of_a_cost_is_refused():
    assert_refused("rows may be truth or prediction", "BR513", lambda: br.Costs([[0, 1], [5, 0]]))
    assert_refused("the order of a bare list is ambiguous", "BR513", lambda: br.Costs.parse("1,5"))


def test_row_76_an_unknown_outcome_gets_did_you_mean():
    assert_refused(r'no outcome "fnn"; did you mean fn\?', "BR514", lambda: br.Costs.parse("fnn=5"))
    assert_refused(
        'no outcome "zz": an outcome is one of fp, fn, tp, tn',
        "BR514",
        lambda: br.Costs.parse("zz=5"),
    )


@pytest.mark.parametrize(
    "text",
    ["fn=$5", "fn=5 EUR", "fn=5k", "fn=5%", "fn=0x10", "fn=", "fn=inf", "fn=nan", "fn=1'000"],
)
def test_row_77_costs_that_are_no_plain_numbers_are_refused(text):
    assert_refused(
        "the cost of fn is .*, which is not a plain number.*no currency",
        "BR514",
        lambda: br.Costs.parse(text),
    )


def test_row_77_commas_in_costs_are_refused():
    assert_refused(
        'the cost of fn is "1,234", which is not a plain number',
        "BR514",
        lambda: br.Costs.parse("fn=1,234,fp=1"),
    )
    assert_refused(
        "the order of a bare list is ambiguous", "BR513", lambda: br.Costs.parse("fn=1,2,fp=1")
    )
    assert_refused("cannot read", "BR513", lambda: br.Costs.parse("fn 5"))
    assert_refused("the cost of fn is given twice", "BR513", lambda: br.Costs.parse("fn=1,fn=2"))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "5", None, True, 1j, 10**400])
def test_a_cost_is_a_finite_number(value):
    assert_refused(
        "the cost of fn (must be a finite number|is .* beyond floating point)",
        "BR514",
        lambda: br.Costs(fn=value),
    )
    assert_refused(
        "the cost of tp (must be a finite number|is .* beyond floating point)",
        "BR514",
        lambda: br.Costs.from_profits(tp=value),
    )


def test_costs_are_read_as_people_write_them():
    assert br.Costs.parse(" FN = 100 , fp=1, tp=-0.5,") == br.Costs(fp=1, fn=100, tp=-0.5)
    assert br.Costs.parse("") == br.Costs()
    assert br.Costs.parse("fn=1e3") == br.Costs(fn=1000)
    assert br.Costs.parse("tp=95,fp=-5", profits=True) == br.Costs.from_profits(tp=95, fp=-5)
    assert str(br.Costs(fp=1, fn=100, tp=-0.5)) == "fp = 1, fn = 100, tp = -0.5"


def test_costs_may_be_fractions_or_decimals():
    costs = br.Costs(fp=Decimal("0.25"), fn=Fraction(1, 3))
    assert costs.threshold == 3 / 7
    assert str(costs) == "fp = 0.25, fn = 0.333333"
    assert_refused("fn cost 0.5 < tp cost 1", "BR510", lambda: br.Costs(fn=Fraction(1, 2), tp=1))


@given(amounts, amounts, st.floats(-100, 100), st.floats(-100, 100))
def test_profits_are_costs_with_the_sign_turned(miss, alarm, tp, tn):
    costs = br.Costs(fp=tn + alarm, fn=tp + miss, tp=tp, tn=tn)
    assert br.Costs.from_profits(fp=-costs.fp, fn=-costs.fn, tp=-tp, tn=-tn) == costs
    assert eval(repr(costs), {"Costs": br.Costs}) == costs
    assert hash(br.Costs.parse(f"fp={costs.fp!r},fn={costs.fn!r},tp={tp!r},tn={tn!r}")) == hash(
        costs
    )


@given(amounts, amounts, st.floats(-100, 100), st.floats(-100, 100))
def test_ratio_threshold_and_alpha_are_rounded_once(miss, alarm, tp, tn):
    costs = br.Costs(fp=tn + alarm, fn=tp + miss, tp=tp, tn=tn)
    b, a = Fraction(costs.fp) - Fraction(tn), Fraction(costs.fn) - Fraction(tp)
    assert costs.ratio == float(b / a)
    assert costs.threshold == float(b / (a + b))
    if b <= a:
        assert costs.alpha == float(1 - b / a)
    else:
        assert_refused(
            "a weighted AUC shifts weight towards high tpr", "BR517", lambda: costs.alpha
        )


@given(amounts, amounts, st.floats(0.01, 0.99), st.floats(1e-3, 1e3))
def test_the_unit_of_money_changes_no_decision(miss, alarm, prior, unit):
    one, other = br.Costs(fp=alarm, fn=miss), br.Costs(fp=alarm * unit, fn=miss * unit)
    assert other.threshold == pytest.approx(one.threshold, rel=1e-14, abs=0)
    assert br.Conditions(prior, other).effective_prior == pytest.approx(
        br.Conditions(prior, one).effective_prior, rel=1e-14, abs=0
    )


@pytest.mark.parametrize("cost", [1e101, -1e101, 10**101, 10**400, Fraction(10**101)])
def test_costs_that_floats_cannot_weigh_are_refused(cost):
    with pytest.raises(
        br.InputError, match="BR514: the cost of fn is .*, which is beyond floating point"
    ):
        br.Costs(fn=cost)


def test_costs_up_to_the_limit_are_weighed():
    assert (
        br.choose(
            br.Counts([2, 1], [1, 1], [1, 1]), at=br.Conditions(costs=br.Costs(fp=1, fn=10**100))
        ).threshold
        == 1
    )


@pytest.mark.parametrize(
    "text", ["fn=" + "9" * 100_000, "fn=1," * 20_000, "fn=1e" + "9" * 500, "f" * 100_000]
)
def test_costs_of_any_length_are_refused_at_once(text):
    with pytest.raises(br.InputError, match="BR51[34]"):
        br.Costs.parse(text)
