"""Measures at a base rate: what is assumed of it is said, what cannot be known is refused, and
arrays of rates read the same as single points.
"""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

import baserate as br
from baserate.measures import calculator
from baserate.measures.confusion import (
    label_shift_of,
    parse,
    resolved_for,
)
from baserate.measures.registry import Outcomes
from baserate.notation import checked_volume

BOTH = br.Points.of(br.count([1, 0, 0, 1], [0.9, 0.8, 0.2, 0.1]))


def of_one_class(label):
    return br.Points.of(br.count([label] * 3, [0.1, 0.5, 0.9], pos_label=1))


@pytest.mark.parametrize(("label", "missing"), [(1, "negatives"), (0, "positives")])
def test_another_prior_needs_both_classes(label, missing):
    points = of_one_class(label)
    with pytest.raises(br.InputError, match=f"no {missing} in the sample") as caught:
        resolved_for(points, br.Conditions(prior=0.2))
    assert caught.value.code == "BR552"


def test_the_prior_of_the_sample_is_filled_in_where_it_is_one():
    assert resolved_for(BOTH, br.Conditions()).prior == 0.5
    assert resolved_for(BOTH, br.Conditions(prior=0.2)).prior == 0.2
    only_rates = br.Points.from_rates([0.1], [0.8])
    tpr, precision = parse("tpr"), parse("precision")
    assert resolved_for(only_rates, br.Conditions(), [tpr]).prior is None
    assert resolved_for(only_rates, br.Conditions(prior=0.2), [tpr]).prior == 0.2
    with pytest.raises(br.InputError):
        resolved_for(only_rates, br.Conditions(), [precision])
    with pytest.raises(br.InputError):
        resolved_for(only_rates, br.Conditions(), [tpr, precision])


def test_another_prior_than_that_of_the_sample_is_an_assumption_that_is_said():
    assert len(list(label_shift_of(br.Conditions(prior=0.2), BOTH))) == 1
    assert not list(label_shift_of(br.Conditions(prior=0.5), BOTH))
    assert not list(label_shift_of(br.Conditions(), BOTH))
    (note,) = label_shift_of(br.Conditions(prior=0.2), BOTH)
    assert note.text.startswith("computed for a base rate of 20% (sample: 50%); this assumes")
    nowhere = [br.Points.from_rates([0.1], [0.8]), *map(of_one_class, (0, 1))]
    for points in nowhere:  # no base rate of the sample to compare with
        (note,) = label_shift_of(br.Conditions(prior=0.5), points)
        assert note.text.startswith("computed for a base rate of 50%; this assumes")


def test_three_planes_meet_in_the_point_that_lies_on_each():
    rng = random.Random(31)
    for _ in range(50):
        rows = [tuple(Fraction(rng.randrange(-5, 6)) for _ in range(4)) for _ in range(3)]
        found = calculator._meeting_point(rows)
        if found is None:
            assert np.linalg.matrix_rank(np.array(rows, dtype=float)[:, :3]) < 3
        else:
            assert all(calculator._evaluate_row(row, found) == 0 for row in rows)


def test_a_share_above_one_is_taken_for_percent_only_where_it_may_be_one():
    with pytest.raises(br.InputError, match=r"for 1\.5 percent write 1\.5%"):
        br.solve_rates(tpr=1.5, fpr=0.1)
    with pytest.raises(br.InputError) as caught:
        br.solve_rates(tpr=250, fpr=0.1)
    assert "percent" not in caught.value.problems[0].text


def test_no_isoline_of_nothing():
    with pytest.raises(br.InputError, match="is the other axis"):
        br.curves.isoline("precision", br.Conditions(prior=0.1), value=0)
    assert br.curves.isoline("precision", br.Conditions(prior=0.5), value=0.5).tangent == 1


def test_a_single_confusion_says_which_prior_is_assumed():
    def assumed(**given):
        notes = br.measure(br.Confusion(tp=4, fp=2, fn=1, tn=13), "precision", **given).notes
        return [note for note in notes if note.code == "BR526"]

    assert assumed() == []
    assert assumed(at=br.Conditions(prior=0.25)) == []  # that of the sample
    assert len(assumed(at=br.Conditions(prior=0.01))) == 1


def test_how_close_a_rate_is_to_a_whole_number_of_cases():
    """Within a billionth of it, and a thousandth of a case: both exactly so far, and no further."""

    def caught(cases):
        share = Fraction(cases, 10**12)
        return br.Confusion.from_rates(tpr=share, positives=10**12, fpr=0, negatives=1).tp

    for whole, near in ((3, Fraction(3, 10**9)), (10**7, Fraction(1, 1000))):
        assert caught(whole + near) == caught(whole - near) == whole
        beyond = near * Fraction(10_001, 10_000)
        assert caught(whole + beyond) == whole + beyond


@pytest.mark.parametrize("volume", [0, -1, float("nan")])
def test_a_volume_is_a_number_of_cases_above_0(volume):
    with pytest.raises(br.InputError, match="BR520"):
        checked_volume(volume)
    assert checked_volume(None) is None
    assert checked_volume(1) == 1.0
    assert checked_volume(10**18) == 1e18


def test_outcomes_that_cost_nothing_cost_nothing():
    outcomes = Outcomes(*np.full((4, 2), 3.0), (0, 0, 0, 0), 0, 0, (0, 0, 0, 0))
    assert outcomes.cost.tolist() == [0.0, 0.0]


def test_half_a_unit_of_the_last_digit_printed():
    for text, half in (("0.549", "0.0005"), ("54.9%", "0.0005"), ("1", "0"), ("5e-3", "0.0005")):
        assert calculator._half_unit(text) == Fraction(half)


@pytest.mark.parametrize(
    ("cells", "prior", "answer", "share"),
    [
        ((5, 5, 5, 5), None, "nothing", "0.5"),
        ((2, 3, 2, 3), None, "nothing", "0.6"),
        ((3, 2, 3, 2), None, "everything", "0.6"),
        ((3, 2, 3, 2), 0.3, "nothing", "0.7"),
        ((2, 3, 2, 3), 0.7, "everything", "0.7"),
    ],
)
def test_an_accuracy_that_one_answer_for_all_reaches_is_said(cells, prior, answer, share):
    confusion = br.Confusion(**dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True)))
    for name in ("accuracy", "error"):
        notes = br.measure(confusion, name, at=br.Conditions(prior)).notes
        (said,) = [note.text for note in notes if note.code == "BR527"]
        assert said == (
            f"accuracy 0.5 is not better than flagging {answer}, which has {share} at this base"
            " rate"
        )
    assert not any(note.code == "BR527" for note in br.measure(confusion, "f1").notes)


def test_an_accuracy_above_that_of_one_answer_for_all_needs_no_note():
    better = br.Confusion(tp=3, fp=2, fn=2, tn=3)
    assert not br.measure(better, "accuracy").notes


def test_the_prior_of_a_confusion_is_the_share_of_its_positives():
    assert br.Confusion(tp=1, fp=1, fn=1, tn=3).exact_prior == Fraction(1, 3)
    assert br.Confusion(tp=2, fp=0, fn=1, tn=0).prior == 1
    assert br.Confusion(tp=0, fp=2, fn=0, tn=2).prior == 0
    none = br.Confusion(tp=0, fp=0, fn=0, tn=0).prior
    assert math.isnan(none)
    assert none.reason == "no cases"


def test_the_numbers_of_a_confusion_lie_between_0_and_what_floats_hold():
    assert br.Confusion(tp=0, fp=10**300 - 1, fn=Fraction(4, 2), tn=0.5).fn == 2
    for number in (-1, 10**300, math.nan, math.inf, True, "3", None):
        with pytest.raises(br.InputError, match="BR551: tn must be a number of cases, 0 or more"):
            br.Confusion(tp=1, fp=1, fn=1, tn=number)


@pytest.mark.parametrize(
    ("beta", "printed"), [(1e16 - 2, "9999999999999998"), (1e16, "1e+16"), (0.5, "0.5")]
)
def test_parameters_are_printed_as_whole_numbers_up_to_what_floats_hold(beta, printed):
    assert str(br.Measure("f_beta", (("beta", beta),))) == f"f_beta(beta={printed})"
