"""Section E: priors, costs and budgets."""

import pytest
from tests.bad_inputs.bench import M, Y, table, with_
from tests.bad_inputs.rows import also, row

import baserate as br
from baserate.conditions import trained_at

OTHER = with_(
    M, at0="0.9", at3="0.005"
)  # the highest score is a negative's, the lowest a positive's


def at(bench, *more, m=M):
    """The command that reads the model's cheapest point under conditions."""
    return ("choose", *bench.show(table(y=Y, m=m))[1:], *more)


def by_amount(bench, amounts, *more, **columns):
    """The command that prices a miss at the amount of its case."""
    cases = table(y=Y, m=M, amount=amounts, **columns)
    return ("choose", *bench.show(cases)[1:], "--amount", "amount", "--review", "2", *more)


def prior_of(bench, text):
    return bench.answer(*at(bench, "--prior", text))["result"]["at"]["prior"]


@row(59, "prior 0 or 1")
def test_row_59_a_prior_of_0_or_1_is_refused(bench):
    assert "0.999" in bench.refused("BR503", *at(bench, "--prior", "1"))
    return bench.refused("BR503", *at(bench, "--prior", "0"))


@row(60, "prior 5, 50")
def test_row_60_a_prior_above_1_is_refused_with_what_was_perhaps_meant(bench):
    bench.refused("BR503", *at(bench, "--prior", "50"))
    shown = bench.refused("BR503", *at(bench, "--prior", "5"))
    assert "5% or 0.05" in shown
    return shown


@row(61, "5%, 1/200, 1e-5, 12 per 100k")
def test_row_61_what_people_write_is_read_and_echoed(bench):
    for text, value in (
        ("5%", 0.05),
        ("1/200", 0.005),
        ("1e-5", 1e-5),
        ("12 per 100k", 1.2e-4),
        ("0.1%", 0.001),
    ):
        assert prior_of(bench, text) == value
    return bench.told(*at(bench, "--prior", "12 per 100k")).out.splitlines()[0]


@row(62, "1 in 200, and odds of 1:200")
def test_row_62_odds_are_noted_with_the_other_reading(bench):
    assert prior_of(bench, "1 in 200") == 0.005
    assert prior_of(bench, "1:200") == pytest.approx(1 / 201, rel=1e-15)
    return bench.noted("BR508", *at(bench, "--prior", "1:200"))


@row(63, "a negative prior, NaN, text")
def test_row_63_what_is_no_share_is_refused(bench):
    for text in ("-0.1", "nan", "often"):
        shown = bench.refused("BR503", *at(bench, "--prior", text))
    return shown


@row(64, "an interval that is reversed", why="a range of priors is given in Python")
def test_row_64_a_reversed_range_is_refused(bench):
    return bench.raised("BR504", br.Conditions, prior="1%..0.1%")


@row(65, "a prior more than 1000 times below the sample's")
def test_row_65_false_positive_rates_that_cannot_be_seen_are_said(bench):
    many = bench.show(table(y=[1, 1, 1, 0] * 25, m=[f"0.{i * 37 % 100:02}" for i in range(100)]))[
        1:
    ]
    shown = bench.noted("BR505", "choose", *many, "recall >= 0.8", "--prior", "1e-6")
    assert "false positive rates below 1/25 = 4.0e-02 cannot be seen in this sample" in shown
    return shown


@row(66, "a false positive rate below one case")
def test_row_66_no_false_positive_gets_a_bound(bench):
    clear = bench.show(table(y=sorted(Y), m=M))[1:]
    shown = bench.noted("BR505", "choose", *clear, "recall >= 0.9", "--prior", "0.1%")
    assert "no false positive in 15 negatives: fpr may be up to 0.181" in shown
    return shown


@row(67, "the sample is the deployment")
def test_row_67_another_prior_is_said_and_the_samples_own_has_a_name(bench):
    own = bench.answer(*at(bench, "--prior", "test"))["result"]["at"]
    assert (own["prior"], own["as_in_sample"]) == (0.25, True)
    return bench.noted("BR526", *at(bench, "--prior", "1%"))


@row(68, "an undersampling rate of 0 or above 1", why="in Python")
def test_row_68_a_share_of_negatives_kept_is_a_share(bench):
    for kept in (0, 1.5, "120%"):
        shown = bench.raised("BR542", trained_at, 0.01, kept)
    assert '"1%"; where 1 % were removed, "99%"' in shown
    return shown


@row(69, "prior correction of scores that are not calibrated", why="in Python")
def test_row_69_uncalibrated_scores_are_said(bench):
    asked = {"calibrated_at": "sample", "at": br.Conditions(prior=0.01)}
    shown = bench.remarked(
        "BR507", br.shift.correct_prior(br.count(Y, [float(score) for score in M]), **asked)
    )
    logits = br.count(Y, range(20))
    return shown, bench.raised("BR507", br.shift.correct_prior, logits, **asked)


@row(70, "profits given as costs")
def test_row_70_costs_of_the_wrong_sign_are_refused(bench):
    shown = bench.refused("BR510", *at(bench, "--cost", "fn=-500,tp=5"))
    assert "--profit" in shown
    return shown


@row(71, "a miss that costs less than a catch")
def test_row_71_a_miss_must_cost_more_than_a_catch(bench):
    return bench.refused("BR510", *at(bench, "--cost", "fn=1,tp=2"))


@row(72, "a false alarm that costs less than none")
def test_row_72_a_false_alarm_must_cost_more_than_none(bench):
    return bench.refused("BR510", *at(bench, "--cost", "fp=1,tn=2"))


@row(73, "costs that are the same for every positive")
def test_row_73_costs_that_make_no_difference_are_refused(bench):
    return bench.refused("BR510", *at(bench, "--cost", "fn=5,tp=5"))


@row(74, "equal columns, or all zero")
def test_row_74_costs_of_nothing_are_refused(bench):
    bench.refused("BR510", *at(bench, "--cost", "fp=5,tn=5"))
    return bench.refused("BR510", *at(bench, "--cost", "fp=0,fn=0"))


@row(75, "a matrix without names")
def test_row_75_a_matrix_without_names_is_ambiguous(bench):
    bench.raised("BR513", br.Costs, [[0, 1], [5, 0]])
    return bench.refused("BR513", *at(bench, "--cost", "0,1,5,0"))


@row(76, "an unknown outcome")
def test_row_76_an_unknown_outcome_is_refused_with_the_likely_one(bench):
    shown = bench.refused("BR514", *at(bench, "--cost", "fnn=5"))
    assert "did you mean fn?" in shown
    return shown


@row(77, "costs with currency or separators")
def test_row_77_costs_are_plain_numbers(bench):
    bench.refused("BR514", *at(bench, "--cost", "fn=5€"))
    assert '"1,234.5"' in bench.refused("BR514", *at(bench, "--cost", "fn=1,234.5,fp=1"))
    return bench.refused("BR514", *at(bench, "--cost", "fn=$500"))


@row(78, "a cost ratio of 1e12")
def test_row_78_an_extreme_cost_ratio_ends_in_a_trivial_answer(bench):
    nothing = bench.noted("BR524", *at(bench, "--cost", "fp=1e12,fn=1", m=OTHER))
    assert "below a base rate of 1 - " in nothing
    return nothing, bench.noted("BR524", *at(bench, "--cost", "fp=1,fn=1e12", m=OTHER))


@row(79, "flagging nothing, or everything, is best")
def test_row_79_doing_nothing_is_a_result_with_its_border(bench):
    shown = bench.noted("BR524", *at(bench, "--prior", "1e-6", "--cost", "fn=100,fp=1", m=OTHER))
    assert "no threshold is better below a base rate of" in shown
    return shown


@row(80, "amounts that are negative or missing")
def test_row_80_amounts_are_refused_by_line(bench):
    bench.refused("BR515", *by_amount(bench, with_([10] * 20, at4="inf")), lines=(6,))
    negative = bench.refused("BR515", *by_amount(bench, with_([10] * 20, at3=-5)), lines=(5,))
    return negative, bench.refused(
        "BR515", *by_amount(bench, with_([10] * 20, at4="", at5="NaN")), lines=(6, 7)
    )


@also(80)
def test_row_80_missing_amounts_are_the_mean_of_their_class_where_that_is_said(bench):
    return bench.noted(
        "BR515", *by_amount(bench, with_([10] * 20, at4="", at5="NaN"), "--amount-missing", "mean")
    )


@row(81, "amounts in several currencies")
def test_row_81_mixed_currencies_are_refused(bench):
    mixed = by_amount(
        bench, [10] * 20, "--currency", "currency", currency=with_(["EUR"] * 20, at3="USD")
    )
    shown = bench.refused("BR516", *mixed)
    assert '"EUR" (19), "USD" (1)' in shown
    return shown, bench.refused(
        "BR516", *by_amount(bench, with_([10] * 20, at3="5 USD")), lines=(5,)
    )


@row(82, "a budget of 0, or alerts without a volume")
def test_row_82_a_budget_is_a_number_of_alerts_out_of_a_volume(bench):
    none = bench.refused("BR521", *at(bench, "alerts <= 0", "--volume", "1000"))
    bench.refused("BR521", *at(bench, "alerts <= 0.5", "--volume", "1000"))
    bench.refused("BR520", *at(bench, "--volume", "-1"))
    return bench.refused("BR520", *at(bench, "alerts <= 200")), none


@row(83, "a budget for every case")
def test_row_83_a_budget_that_covers_every_case_is_said(bench):
    return bench.noted("BR522", *at(bench, "alerts <= 5000", "--volume", "1000"))


@row(84, "a budget that ends inside a tie")
def test_row_84_a_share_of_a_tie_is_drawn_with_best_and_worst(bench):
    tied = bench.show(table(y=Y, m=["0.9"] * 10 + ["0.1"] * 10))[1:]
    shown = bench.noted("BR523", "choose", *tied, "alerts <= 5", "--volume", "20")
    assert "caught 1 on average, between 0 and 2" in shown
    return shown


@row(85, "a recall that so few positives cannot show", why="with exit status 1")
def test_row_85_what_is_observed_is_not_yet_shown(bench):
    cases = bench.file(table(y=[1] * 100 + [0] * 100, m=[0.9] * 95 + [0.1] * 105))
    gate = ("gate", cases, "recall >= 0.9", "--label", "y", "--score", "m", "--threshold", "0.5")
    done = bench.told(*gate)
    assert done.status == 1
    shown = next(line for line in done.out.splitlines() if "recall" in line or "tpr" in line)
    assert "0.8977" in done.out
    return shown


@row(86, "demands that contradict each other")
def test_row_86_infeasible_demands_are_refused_with_what_is_feasible(bench):
    shown = bench.refused(
        "BR530", *at(bench, "recall >= 0.9 and alerts <= 2", "--volume", "20"), status=3
    )
    assert "the highest tpr with alerts <= 2 is" in shown
    assert "the lowest alerts with tpr >= 0.9 is" in shown
    return shown


@row(87, "a threshold beyond every score")
def test_row_87_a_threshold_beyond_every_score_is_said(bench):
    bench.refused("BR529", *bench.show(table(y=Y, m=M), "--threshold", "50%"))
    return bench.noted("BR529", *bench.show(table(y=Y, m=M), "--threshold", "50"))
