"""`Amounts`: exact sums beside the counts, whatever the order and the split of the rows."""

import math
import pickle
import random
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import baserate as br
from baserate.counts.amounts import check_amounts, in_finer_units, in_units

CENTS = st.integers(0, 10**7).map(lambda cents: cents / 100)
ANY = st.one_of(
    CENTS,
    st.integers(0, 1000).map(float),
    st.floats(1e-20, 1e12),
    st.sampled_from([0.0, 1 / 3, 1e15, 1e-9, 2.0**60]),
)
ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.1, 0.5, 0.5000001, 2.0, -1.0]), ANY),
    min_size=1,
    max_size=25,
)


def counted(rows, **options):
    labels, scores, amounts = zip(*rows, strict=True)
    return br.count(list(labels), list(scores), amount=list(amounts), **options)


@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 25))
def test_order_and_split_of_the_rows_leave_no_trace(rows, rng, cut):
    whole, shuffled = counted(rows), list(rows)
    rng.shuffle(shuffled)
    assert counted(shuffled).digest == whole.digest
    parts = [part for part in (shuffled[:cut], shuffled[cut:]) if part]
    total = sum(map(counted, parts), br.Amounts.empty())
    assert total == whole
    assert hash(total) == hash(whole)
    assert (total.decimals, total.cases.dtype, total.counts) == (
        whole.decimals,
        whole.cases.dtype,
        whole.counts,
    )


@given(ROWS)
def test_sums_are_those_of_the_decimals_that_floats_print(rows):
    amounts = counted(rows)
    for label, found, whole in (
        (1, amounts.positive_amounts, amounts.total_positive_amount),
        (0, amounts.negative_amounts, amounts.total_negative_amount),
    ):
        by_score = {score: Fraction(0) for _, score, _ in rows}
        for case, score, amount in rows:
            if case == label:
                by_score[score] += Fraction(repr(amount))
        assert found.tolist() == [
            float(by_score[score]) for score in sorted(by_score, reverse=True)
        ]
        assert whole == float(sum(by_score.values()))


def test_cents_add_up_to_cents():
    amounts = br.count([1] * 10, [0.5] * 10, amount=[0.1] * 10)
    one_by_one = reduce(add, [0.1] * 10)  # `sum` makes up for what is lost from Python 3.12 on
    assert (amounts.total_positive_amount, one_by_one, amounts.decimals) == (
        1.0,
        0.9999999999999999,
        1,
    )
    assert (
        repr(br.count([1, 1, 0], [0.9, 0.8, 0.7], amount=[0.1, 0.2, 12.34]))
        == "Amounts: 0.3 on 2 positives, 12.34 on 1 negative, 3 distinct scores"
    )


def test_a_positive_case_takes_eight_bytes_and_sums_beyond_64_bits_stay_exact():
    amounts = br.count([1, 0, 1], [0.9, 0.8, 0.9], amount=[1.25, 3, 2])
    assert (amounts.cases.tolist(), amounts.cases.dtype, amounts.decimals) == (
        [200, 125],
        np.int64,
        2,
    )
    large = br.count([1, 1, 0], [0.9, 0.8, 0.9], amount=np.array([2**62, 2**62 + 1, 7]))
    assert int(large.caught_units[-1]) == 2**63 + 1
    assert (large + large).total_positive_amount == float(2**64 + 2)
    assert large.digest != amounts.digest


def test_amounts_are_the_same_from_every_type():
    labels, scores, plain = [1, 0, 1], [0.9, 0.8, 0.7], [12.34, 5, 0.1]
    digest = br.count(labels, scores, amount=plain).digest
    from decimal import Decimal

    import pandas as pd

    for same in (
        np.array(plain),
        np.array(plain, dtype=np.float32),
        pd.Series(plain),
        [Decimal("12.34"), Decimal(5), Decimal("0.1")],
        ["12.34", "5", "0.10"],
    ):
        assert br.count(labels, scores, amount=same).digest == digest


def test_amounts_are_frozen_and_survive_pickling():
    amounts = br.count([1, 0], [0.9, 0.8], amount=[12.5, 3])
    assert pickle.loads(pickle.dumps(amounts)) == amounts
    with pytest.raises(AttributeError, match="Amounts is frozen"):
        amounts.decimals = 3
    with pytest.raises(ValueError, match="read-only"):
        amounts.cases[0] = 1
    with pytest.raises(TypeError, match="made by count"):
        br.Amounts()
    with pytest.raises(TypeError, match="unsupported operand"):
        amounts + 1
    assert amounts != 1


def test_counts_beside_amounts_are_those_of_count():
    rng = random.Random(1)
    labels, scores = (
        [rng.randint(0, 1) for _ in range(200)],
        [rng.choice((1, 2, 3, -(2**62))) for _ in range(200)],
    )
    amounts = br.count(labels, scores, amount=[rng.random() for _ in range(200)])
    assert amounts.counts == br.count(labels, scores)
    assert amounts.ledger.rows_used == 200
    assert amounts.prior == amounts.counts.prior


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ([1, -1, 2], r"BR515: amount has 1 negative amount \(index 1\)"),
        (
            [1, None, math.nan],
            (
                r"BR515: amount has 2 missing or NaN amounts: .* \(index 1, 2\)\. Fix: .*"
                r" amount_missing='mean'"
            ),
        ),
        ([1, math.inf, 2], r"BR515: amount has 1 infinite amount \(index 1\)"),
        ([1, 1e200, 2], r"BR515: amount has 1 amount above 1e\+30 \(index 1\)"),
        ([1, 1e-200, 2], r"BR515: amount has amounts too small to add up"),
        (
            ["12 EUR", "3", "$3"],
            r"BR516: amount has 2 amounts with a currency, such as \"12 EUR\" \(index 0, 2\)",
        ),
        (["1", "€ 2", "3"], r"BR516: amount has 1 amount with a currency"),
        (
            ["1", "three hundred", "3"],
            (
                r"BR208: amount has 1 value that is not a number, such as \"three hundred\""
                r" \(index 1\)"
            ),
        ),
        ([1, 2], r"BR212: lengths differ: y_true 3, y_score 3, amount 2"),
    ],
)
def test_amounts_that_are_none_are_refused_with_their_rows(wrong, words):
    with pytest.raises(br.InputError, match=words):
        br.count([1, 0, 1], [0.9, 0.8, 0.7], amount=wrong)


def test_amounts_of_other_cases_are_refused():
    import pandas as pd

    with pytest.raises(br.InputError, match="BR211: the indexes of y_true and amount differ"):
        br.count(pd.Series([1, 0]), [0.1, 0.2], amount=pd.Series([5, 6], index=[1, 0]))


def test_labels_and_scores_are_checked_as_by_count():
    with pytest.raises(br.InputError, match=r"(?s)BR103.*BR201"):
        br.count(["a", "b", "c"], [0.1, None, 0.3], amount=[1, 2, 3])
    assert br.count(["no", "yes"], [0.1, 0.2], amount=[1, 2]).notes[0].code == "BR101"
    assert (
        br.count(["no", "yes"], [0.1, 0.2], amount=[1, 2], pos_label="no").total_positive_amount
        == 1
    )


def test_a_missing_amount_is_the_mean_of_its_class_where_that_is_said():
    labels, scores = [1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    amounts = br.count(labels, scores, amount=[10, None, 11, 1, math.nan, 3], amount_missing="mean")
    assert amounts.positive_amounts.tolist() == [10, 10.5, 11, 0, 0, 0]
    assert amounts.negative_amounts.tolist() == [0, 0, 0, 1, 2, 3]
    note = next(note for note in amounts.notes if note.code == "BR515")
    assert (
        note.text
        == "2 of 6 amounts in amount are missing; the mean of the class was taken, as requested:"
        " 10.5 for 1 positive, 2 for 1 negative"
    )
    thirds = br.count([1, 1, 1, 1], [1, 2, 3, 4], amount=[1, 1, 2, None], amount_missing="mean")
    assert thirds.positive_amounts[0] == 1.333333
    whole = br.count(labels, scores, amount=[1] * 6, amount_missing="mean")
    assert whole == br.count(labels, scores, amount=[1] * 6)
    with pytest.raises(br.InputError, match="no amount of the positives is known"):
        br.count([1, 0], [0.9, 0.8], amount=[None, 5], amount_missing="mean")
    with pytest.raises(br.InputError, match="a missing amount is taken for the mean or refused"):
        br.count([1, 0], [0.9, 0.8], amount=[None, 5], amount_missing="zero")
    with pytest.raises(br.InputError, match=r"negative amount \(index 2\)"):
        br.count([1, 0, 1], [0.9, 0.8, 0.7], amount=[None, 5, -1], amount_missing="mean")
    with pytest.raises(br.InputError, match=r"BR208: .* \(index 2\)"):
        br.count([1, 0, 1], [0.9, 0.8, 0.7], amount=[None, "5", "x"], amount_missing="mean")


def test_one_case_that_holds_much_of_the_amount_is_noted():
    alone = br.count([1] * 9, range(9), amount=[100, *[1] * 8])
    assert any(note.code == "BR591" and "92.6 %" in note.text for note in alone.notes)
    even = br.count([1, 1], [1, 2], amount=[5, 6])
    assert not any(note.code == "BR591" for note in even.notes)
    all_of_it = br.count([1, 1], [1, 2], amount=[5, 0])
    assert any(note.code == "BR591" and "100 %" in note.text for note in all_of_it.notes)
    only = br.count([1, 0], [1, 2], amount=[5, 6])  # of one case there is nothing else to say
    assert not any(note.code == "BR591" for note in only.notes)


def test_counts_are_not_amounts():
    counts = br.count([0, 1], [0.1, 0.9])
    with pytest.raises(br.InputError, match="amounts are made by count") as caught:
        check_amounts(counts)
    assert caught.value.code == "BR429"
    amounts = br.count([0, 1], [0.1, 0.9], amount=[1.0, 2.0])
    assert check_amounts(amounts) is amounts


@pytest.mark.parametrize(
    ("numbers", "units", "decimals"),
    [
        (np.array([3, 4]), [3, 4], 0),
        (np.array([3.0, 4.0]), [3, 4], 0),
        (np.array([12.34, 5.0]), [1234, 500], 2),
        (np.array([0.1], dtype=np.float32), [1], 1),
        (np.array([0.000001, 2.0]), [1, 2_000_000], 6),
        (np.array([0.0000001, 2.0]), [1, 20_000_000], 7),
        (np.array([1e15 - 1]), [10**15 - 1], 0),
        (np.array([1e15, 0.5]), [10**16, 5], 1),
        (np.array([1e20, 1.0]), [10**20, 1], 0),
        (np.array([1e300, 0.5]), [10**301, 5], 1),
        (np.array([]), [], 0),
    ],
)
def test_amounts_are_whole_numbers_of_the_largest_unit_that_holds_them_all(
    numbers, units, decimals
):
    found, places = in_units(numbers)
    assert (found.tolist(), places) == (units, decimals)


def test_finer_units_hold_the_same_amounts():
    assert in_finer_units(np.array([12, 3]), 1, 3).tolist() == [1200, 300]
    same = in_finer_units(np.array([12, 3]), 2, 2)
    assert (same.tolist(), same.dtype) == ([12, 3], np.int64)
    assert in_finer_units(np.array([2**61]), 0, 2).tolist() == [100 * 2**61]


@pytest.mark.parametrize(
    ("amounts", "noted"),
    [
        ([7, 3, 3, 3, 3, 3, 3, 3], True),  # a quarter, and twice its share
        ([6.9, 3, 3, 3, 3, 3, 3, 3], False),
        ([5, 2, 2, 1], True),
        ([4.9, 2, 2, 1.1], False),
        ([0, 0, 0], False),
    ],
)
def test_one_case_decides_from_a_quarter_and_twice_its_share_on(amounts, noted):
    found = br.count([1] * len(amounts), range(len(amounts)), amount=amounts)
    assert any(note.code == "BR591" for note in found.notes) is noted


@pytest.mark.parametrize("largest", [2**53, 2**53 + 2, 2**61, 2**62])
def test_large_amounts_are_rounded_once(largest):
    amounts = np.array([largest + 1, largest + 1, 7, 1])
    found = br.count([1, 1, 0, 0], [0.9, 0.8, 0.8, 0.9], amount=amounts)
    assert found.positive_amounts.tolist() == [float(largest + 1)] * 2
    assert found.negative_amounts.tolist() == [1.0, 7.0]
    assert found.positive_amounts.dtype == found.negative_amounts.dtype == np.float64
    cents = br.count([1, 0], [0.9, 0.8], amount=[str(largest) + ".25", "0.5"])
    assert cents.total_positive_amount == float(Fraction(4 * largest + 1, 4))


def test_units_that_running_sums_hold_take_64_bits_and_others_do_not():
    for case, kind in ((2**62 - 3, np.int64), (2**62 - 2, object)):
        found = br.count([1, 1, 0], [2, 1, 1], amount=np.array([case, 2, 1]))
        assert found.cases.dtype == kind
        assert found.caught_units.tolist() == [0, case, case + 2]


def test_amounts_of_several_models_are_of_the_same_cases():
    both = br.count([1, 0, 1], {"a": [3, 2, 1], "b": [1, 2, 3]}, amount=[50.5, 5, 20])
    assert (list(both), len(both)) == (["a", "b"], 2)
    assert both.worth.tolist() == [50.5, 5.0, 20.0]
    assert both["b"].positive_amounts.tolist() == [20.0, 0.0, 50.5]
    assert repr(both) == "JointAmounts: 2 models (a, b), 2 positives, 1 negative"


def test_what_each_point_flags_is_worth_the_amounts_so_far():
    found = br.count([1, 0, 1, 0], [4, 3, 3, 1], amount=[0.5, 2, 1, 3])
    assert found.caught_units.tolist() == [0, 5, 15, 15]
    assert found.false_alarm_units.tolist() == [0, 0, 20, 50]
    assert found.exactly(15) == Fraction(3, 2)
    assert br.Amounts.empty().caught_units.tolist() == [0]
    assert (br.Amounts.empty().decimals, br.Amounts.empty().total_negative_amount) == (0, 0.0)
