"""Base rates as people write them, what follows from them, and which numbers may be read at which
base rate.
"""

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.decisions.oracle_decisions import meant

import baserate as br
from baserate.conditions import trained_at
from baserate.measures.registry import CATALOGUE
from baserate.notation import split_list

priors = st.floats(1e-9, 1 - 1e-9)
amounts = st.floats(1e-6, 1e6)
CONFUSION = br.Confusion(tp=30, fp=20, fn=10, tn=40)


def codes(value):
    return [note.code for note in value.notes]


def assert_refused(match, code, call):
    with pytest.raises(br.InputError, match=match) as caught:
        call()
    assert caught.value.code == code
    assert "Fix: " in str(caught.value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5%", 0.05),
        (" 0.1 % ", 0.001),
        ("1/200", 0.005),
        ("1 in 200", 0.005),
        ("1 in 1,000", 0.001),
        ("1 in 1 000", 0.001),
        ("3 out of 1e4", 0.0003),
        ("1e-5", 1e-5),
        (".5", 0.5),
        ("12 per 100k", 0.00012),
        ("12 per 100 thousand", 0.00012),
        ("7 per million", 7e-6),
        ("2 per mille", 0.002),
        ("5 per cent", 0.05),
        ("4 ppm", 4e-6),
        ("3‰", 0.003),
        ("1_0 in 1_000", 0.01),
        (0.25, 0.25),
        (np.float32(0.25), 0.25),
        (Fraction(1, 3), 1 / 3),
        (1e-30, 1e-30),
    ],
)
def test_row_61_priors_are_read_in_every_notation(written, value):
    at = br.Conditions(prior=written)
    assert at.prior == value
    assert not at.notes
    assert eval(repr(at), {"Conditions": br.Conditions}) == at


@pytest.mark.parametrize(
    ("written", "value"), [("1:199", 0.005), ("1 to 199", 0.005), ("1:999", 0.001), ("2 : 3", 0.4)]
)
def test_row_61_odds_are_positives_to_negatives(written, value):
    assert br.Conditions(prior=written).prior == value
    assert codes(br.Conditions(prior=written)) == ["BR508"]


def test_row_62_odds_are_noted_with_both_readings():
    (note,) = br.Conditions(prior="1:200").notes
    assert (
        note.text
        == '"1:200" is read as odds, positives to negatives: 0.00497512 (1 in 200 is 0.005)'
    )
    assert note.override.python == "1 in 200"
    assert br.Conditions(prior="1 in 200").prior == 0.005
    reading = br.measure(CONFUSION, "precision", at=br.Conditions(prior="1:200"))
    assert "BR508" in codes(reading)


@pytest.mark.parametrize(
    ("prior", "meaning"),
    [(0, "no positives ever"), (1, "nothing but positives"), ("0%", "no"), ("100%", "nothing but")],
)
def test_row_59_priors_of_0_and_1_are_refused(prior, meaning):
    assert_refused(
        f"prior .* means {meaning}.* Fix: use a small.* value, such as (1e-6|0.999)",
        "BR503",
        lambda: br.Conditions(prior=prior),
    )


@pytest.mark.parametrize("prior", [1e-31, "1e-40", 5e-324, 1 - Fraction(1, 10**17)])
def test_row_59_priors_that_cannot_be_told_from_0_or_1_are_refused(prior):
    assert_refused("is too close to 0 or 1", "BR503", lambda: br.Conditions(prior=prior))


@pytest.mark.parametrize(
    ("prior", "fix"),
    [
        (5, "5% or 0.05"),
        (50, "50% or 0.5"),
        ("5", "5% or 0.05"),
        (1.2, "1.2% or 0.012"),
        ("200%", "write it as"),
        (1e5, "write it as"),
    ],
)
def test_row_60_priors_above_1_are_refused_with_the_percentage(prior, fix):
    assert_refused(
        f"strictly between 0 and 1, got .* Fix: {fix}", "BR503", lambda: br.Conditions(prior=prior)
    )


@pytest.mark.parametrize(
    "prior",
    [
        -0.1,
        "-5%",
        "-1:5",
        math.nan,
        math.inf,
        "rare",
        "",
        "1 in",
        "1 in 0",
        "5 %%",
        "1 in 5 moons",
        True,
        (0.1,),
        "1e-99999",
        object(),
    ],
)
def test_row_63_priors_that_are_no_shares_are_refused(prior):
    assert_refused("prior .* is not a share", "BR503", lambda: br.Conditions(prior=prior))


@pytest.mark.parametrize("written", ["0,05", "0,1%", "1,5%", "0,005", "0,001", "0,010%", "0,050%"])
def test_row_63_a_decimal_comma_is_refused_with_the_point(written):
    point = written.replace(",", ".")
    assert_refused(
        f"Fix: write a decimal point: {point}", "BR503", lambda: br.Conditions(prior=written)
    )


def test_row_63_a_comma_after_a_zero_separates_no_thousands():
    assert_refused("is not a share", "BR503", lambda: br.Conditions(prior="1 in 0,500"))


@pytest.mark.parametrize("prior", [None, "sample", "test", " Test "])
def test_row_67_the_samples_own_prior_has_a_name(prior):
    at = br.Conditions(prior=prior)
    assert at.as_in_sample
    assert at == br.Conditions()
    assert br.measure(CONFUSION, "precision", at=at) == 0.6
    assert str(at) == "the sample's base rate"


def test_row_67_another_prior_is_noted_with_the_difference():
    reading = br.measure(CONFUSION, "precision", at=br.Conditions(prior=0.01))
    assert codes(reading) == ["BR526"]
    assert "computed for a base rate of 1% (sample: 40%)" in reading.notes[0].text


@pytest.mark.parametrize("kept", [0, 1.5, -1, "150%", "some", math.nan, None, "100"])
def test_row_68_a_share_of_negatives_kept_that_is_none_is_refused_with_both_readings(kept):
    match = (
        'must lie above 0 and not above 1, got .*kept in 100 write "1%"; where 1 % were removed,'
        ' "99%"'
    )
    assert_refused(match, "BR542", lambda: trained_at(0.01, negatives_kept=kept))


def test_row_68_thinning_negatives_raises_the_prior():
    assert trained_at(0.01, negatives_kept="1%") == float(
        Fraction(0.01) / (Fraction(0.01) + (1 - Fraction(0.01)) / 100)
    )
    assert trained_at(0.3, negatives_kept=1) == 0.3


def test_conditions_print_for_a_person_and_as_code():
    at = br.Conditions("1 in 1000", br.Costs(fp=1, fn=100))
    assert repr(at) == "Conditions(prior=0.001, costs=Costs(fp=1, fn=100, tp=0, tn=0))"
    assert str(at) == "a base rate of 0.1% (1 in 1,000), costs (fp = 1, fn = 100)"
    assert repr(br.Conditions()) == "Conditions()"
    assert pickle.loads(pickle.dumps(at)) == at
    assert len({at, br.Conditions("0.1%", br.Costs(fp=1, fn=100)), br.Conditions()}) == 2


def test_lists_of_priors_keep_commas_between_thousands():
    assert split_list("0.1%, 1 in 1,000, 1:999") == ["0.1%", "1 in 1,000".replace(",", ""), "1:999"]
    assert split_list("1 in 1,000,000, 5%") == ["1 in 1000000", "5%"]


@given(priors)
def test_skew_makes_a_round_trip(prior):
    at, exact = br.Conditions(prior), meant(prior)
    assert at.skew == float((1 - exact) / exact)
    assert br.Conditions.from_skew(at.skew).prior == pytest.approx(prior, rel=4e-16, abs=0)


@pytest.mark.parametrize("skew", [0, -1, math.nan, math.inf, "many", None])
def test_a_skew_that_is_none_is_refused(skew):
    assert_refused("skew must be a positive number", "BR503", lambda: br.Conditions.from_skew(skew))


@given(priors, amounts, amounts, st.floats(-100, 100), st.floats(-100, 100))
def test_the_effective_prior_takes_prior_and_costs_together(prior, miss, alarm, tp, tn):
    costs = br.Costs(fp=tn + alarm, fn=tp + miss, tp=tp, tn=tn)
    at, exact = br.Conditions(prior, costs), meant(prior)
    a, b = (
        exact * (Fraction(costs.fn) - Fraction(tp)),
        (1 - exact) * (Fraction(costs.fp) - Fraction(tn)),
    )
    assert at.effective_prior == float(a / (a + b))
    assert at.iso_cost_slope == float(b / a)
    assert br.Conditions(prior).effective_prior == prior
    assert costs.threshold == float(b / (1 - exact) / (b / (1 - exact) + a / exact))


@given(priors, amounts, amounts)
def test_a_calibrated_score_is_cut_where_both_answers_cost_the_same(prior, miss, alarm):
    costs = br.Costs(fp=alarm, fn=miss)
    cut = br.Conditions(prior, costs).cut(calibrated_at=prior)
    assert cut.score == pytest.approx(cut.probability, rel=1e-15, abs=0)
    assert cut.probability == costs.threshold
    flag, leave = (
        (1 - Fraction(cut.probability)) * Fraction(alarm),
        Fraction(cut.probability) * Fraction(miss),
    )
    assert abs(flag - leave) <= 2.0**-53 * (miss + alarm)


@given(st.floats(1e-9, 0.5), st.floats(1e-6, 1), st.floats(0.001, 0.999))
def test_the_cut_undoes_undersampling(prior, kept, score):
    """Dal Pozzolo et al. 2015: a score s learnt with the share β of negatives kept is the
    probability βs / (βs − s + 1).
    """
    s, beta = Fraction(score), Fraction(kept)
    corrected = beta * s / (beta * s - s + 1)
    at = br.Conditions(prior, br.Costs(fp=float(corrected), fn=float(1 - corrected)))
    assert at.cut(calibrated_at=trained_at(prior, negatives_kept=kept)).score == pytest.approx(
        score, rel=1e-6, abs=0
    )


def test_a_score_of_one_half_learnt_with_one_negative_in_a_hundred_is_a_probability_of_one_in_101():
    cut = br.Conditions(0.02, br.Costs(fp=1, fn=100)).cut(
        calibrated_at=trained_at(0.02, negatives_kept=0.01)
    )
    assert cut.probability == pytest.approx(0.00990099, rel=1e-6, abs=0)
    assert cut.score == pytest.approx(0.5, rel=1e-12, abs=0)


def test_the_cut_of_table_5_7_is_1_in_102():
    """Errata B10: eq 5.83 is the case of a zero diagonal."""
    assert br.Costs(fp=1, fn=100, tp=-1).threshold == 1 / 102
    assert br.Costs(fp=1, fn=100).threshold == 1 / 101


@pytest.mark.parametrize("calibrated_at", [None, "sample"])
def test_a_cut_needs_the_prior_of_calibration(calibrated_at):
    assert_refused(
        "at which the scores are calibrated",
        "BR507",
        lambda: br.Conditions(0.01).cut(calibrated_at),
    )


def test_what_needs_a_prior_is_refused_without_one():
    at = br.Conditions(costs=br.Costs(fp=1, fn=5))
    for read in (
        lambda: at.skew,
        lambda: at.effective_prior,
        lambda: at.iso_cost_slope,
        lambda: at.cut(0.5),
    ):
        assert_refused("which is not known without data", "BR509", read)


def test_conditions_of_another_kind_are_refused():
    assert_refused(
        "at must be Conditions, got float",
        "BR519",
        lambda: br.measure(CONFUSION, "precision", at=0.01),
    )


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_the_assumption_of_label_shift_is_said_exactly_where_a_number_rests_on_it(name):
    parameters = {"f_beta": "(2)", "weighted_accuracy": "(1,1,1,1)"}.get(
        name, "(100)" if "volume" in str(CATALOGUE[name].parameters) else ""
    )
    measure = br.Measure.parse(name + parameters)
    for prior, elsewhere in ((None, False), (0.4, False), (0.01, True)):
        reading = br.measure(CONFUSION, measure, at=br.Conditions(prior))
        assert ("BR526" in codes(reading)) == (elsewhere and measure.depends_on_prior)


def test_accuracy_that_does_not_beat_one_answer_for_all_says_so():
    assert codes(CONFUSION["accuracy"]) == []
    rare = br.Conditions(prior=0.01)
    note = next(
        note for note in br.measure(CONFUSION, "accuracy", at=rare).notes if note.code == "BR527"
    )
    assert (
        note.text
        == "accuracy 0.6675 is not better than flagging nothing, which has 0.99 at this base rate"
    )
    assert "BR527" in codes(br.measure(CONFUSION, "error", at=rare))
    assert "BR527" not in codes(br.measure(CONFUSION, "precision", at=rare))
    common = br.measure(CONFUSION, "accuracy", at=br.Conditions(prior=0.99)).notes
    assert any("is not better than flagging everything" in note.text for note in common)


@given(st.integers(1, 999), st.integers(1, 999))
def test_the_better_answer_for_all_does_not_beat_itself(positives, negatives):
    nothing, everything = (
        br.Confusion(tp=0, fp=0, fn=positives, tn=negatives),
        br.Confusion(tp=positives, fp=negatives, fn=0, tn=0),
    )
    best = everything if positives > negatives else nothing
    assert codes(best["accuracy"]) == codes(best["error"]) == ["BR527"]


@pytest.mark.parametrize(
    "prior",
    [
        "9" * 100_000,
        "0." + "0" * 100_000 + "1",
        "1 in " + "1 " * 50_000,
        "1," * 50_000,
        "1e-" + "9" * 100_000,
        " " * 100_000,
    ],
)
def test_priors_of_any_length_are_refused_at_once(prior):
    assert_refused("is not a share", "BR503", lambda: br.Conditions(prior=prior))


def test_lists_of_priors_of_any_length_are_refused_at_once():
    assert_refused(
        "a very long list of base rates", "BR503", lambda: split_list("1 in 1,000," * 10_000)
    )
    assert len(split_list("1%," * 100)) == 101
