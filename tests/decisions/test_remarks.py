"""What a reader of an operating point is told: notes BR505, BR507 and BR522 to BR529."""

import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br

COUNTS = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
COSTLY = br.Costs(fp=1, fn=50)
SAME_CASES = (
    "the threshold was chosen and evaluated on the same data, so these figures are optimistic;"
    " evaluate on held-out data"
)
SAID = "(95 %, for a threshold set in advance)"


def codes(point):
    return [note.code for note in point.notes]


def text(point, code):
    return next(note.text for note in point.notes if note.code == code)


def test_row_79_flagging_nothing_is_an_answer_with_its_border():
    point = br.choose(COUNTS, at=br.Conditions(1e-4, COSTLY))
    assert point.threshold is None
    assert (point.tp, point.fp, point.fn, point.tn) == (0, 0, 50, 1000)
    border = Fraction(1, 100) / (Fraction(1, 100) + Fraction(60, 100) * 50)
    assert (
        text(point, "BR524")
        == "flagging nothing is cheapest: at these costs no threshold is better below a base rate"
        f" of {float(border):.6g}"
    )


def test_row_79_flagging_everything_is_an_answer_with_its_border():
    point = br.choose(COUNTS, at=br.Conditions(0.9, COSTLY))
    assert (point.fn, point.tn) == (0, 0)
    border = Fraction(9, 10) / (Fraction(9, 10) + Fraction(1, 10) * 50)
    assert (
        text(point, "BR524")
        == "flagging everything is cheapest: at these costs no threshold is better above a base"
        f" rate of {float(border):.6g}"
    )


@pytest.mark.parametrize("seed", seeds(100))
def test_the_border_of_a_trivial_answer_is_where_it_stops_being_cheapest(seed):
    rng = random.Random(f"border {seed}")
    data, costs = generated.cells(rng, both=True), generated.costs(rng)
    money = br.Costs(*(costs[i] for i in (1, 2, 0, 3)))
    for prior, answer in ((1e-12, "below"), (1 - 1e-12, "above")):
        point = br.choose(generated.counts(data), at=br.Conditions(prior, money))
        if "BR524" not in codes(point):
            continue
        border = float(text(point, "BR524").rsplit(" ", 1)[1])
        inside, outside = border * (1 - 1e-4), border * (1 + 1e-4)
        inside, outside = (inside, outside) if answer == "below" else (outside, inside)
        trivial = exactly(point)
        if 0 < inside < 1:
            assert (
                oracle.choose(data, [], "expected_cost", oracle.At(Fraction(inside), costs))[1]
                == trivial
            )
        if 0 < outside < 1:
            assert (
                oracle.choose(data, [], "expected_cost", oracle.At(Fraction(outside), costs))[1]
                != trivial
            )


def exactly(point):
    return tuple(map(Fraction, point.confusion))


def test_a_trivial_answer_of_one_class_has_no_border():
    point = br.choose(br.Counts([2, 1], [0, 0], [3, 4]))
    assert text(point, "BR524") == "flagging nothing makes the fewest errors"
    assert (
        text(br.choose(br.Counts([2, 1], [3, 4], [0, 0])), "BR524")
        == "flagging everything makes the fewest errors"
    )


def test_a_rule_or_another_objective_gets_no_remark_on_trivial_answers():
    assert "BR524" not in codes(br.choose(COUNTS, "tpr >= 1", at=br.Conditions(costs=COSTLY)))
    assert "BR524" not in codes(br.choose(COUNTS, optimize="tpr"))


def test_row_78_an_extreme_cost_ratio_ends_in_a_trivial_answer_that_is_said():
    assert "BR524" in codes(br.choose(COUNTS, at=br.Conditions(costs=br.Costs(fp=1, fn=1e12))))
    assert "BR524" in codes(br.choose(COUNTS, at=br.Conditions(costs=br.Costs(fp=1e12, fn=1))))


def test_equal_costs_that_decide_are_said():
    assert "BR525" in codes(br.choose(COUNTS, "tpr >= 0.8"))
    assert "BR525" not in codes(br.choose(COUNTS, "tpr >= 0.8", at=br.Conditions(costs=COSTLY)))
    assert "BR525" not in codes(br.choose(COUNTS, "tpr >= 0.8", optimize="posfrac"))
    assert text(br.choose(COUNTS), "BR525") == "no costs given: a miss counts like a false alarm"
    assert "BR525" in codes(br.choose(COUNTS, "alerts <= 20", volume=100, optimize="expected_cost"))
    assert "BR525" not in codes(br.choose(COUNTS, at=br.Conditions(costs=br.Costs())))
    assert "BR525" not in codes(br.choose(COUNTS, "alerts <= 20", volume=100))


def test_another_prior_is_said_with_its_assumption():
    assert "label shift" in text(br.choose(COUNTS, at=br.Conditions(0.01)), "BR526")
    assert "BR526" not in codes(br.choose(COUNTS))
    assert "BR526" not in codes(br.choose(COUNTS, at=br.Conditions(COUNTS.prior)))
    assert "BR526" in codes(br.choose(COUNTS).on(COUNTS, br.Conditions(0.5)))


def test_accuracy_that_does_not_beat_the_majority_is_said():
    point = br.choose(COUNTS, threshold=0.6)
    assert "is not better than flagging nothing" in point["accuracy"].notes[-1].text
    assert point["accuracy"].notes[-1].code == "BR527"
    assert not br.choose(COUNTS, threshold=0.9)["accuracy"].notes


def test_choosing_and_judging_on_the_same_cases_is_said():
    assert "BR528" in codes(br.choose(COUNTS))
    assert text(br.choose(COUNTS, "tpr >= 0.8"), "BR528") == SAME_CASES
    assert "BR528" not in codes(br.choose(COUNTS, at=br.Conditions(1e-6)))
    assert "BR528" not in codes(br.choose(COUNTS, threshold=0.6))


def test_row_65_priors_far_below_the_samples_say_what_the_sample_resolves():
    point = br.choose(COUNTS, "tpr >= 0.8", at=br.Conditions(1e-6))
    assert text(point, "BR505").startswith(
        "false positive rates below 1/1,000 = 1.0e-03 cannot be seen"
    )
    assert "BR505" not in codes(br.choose(COUNTS, "tpr >= 0.8", at=br.Conditions(1e-3)))
    assert "BR505" not in codes(br.choose(COUNTS, "tpr >= 0.8"))


def test_row_66_no_false_positive_gets_a_bound_instead_of_certainty():
    counts = br.Counts([2, 1], [8, 2], [0, 40_000])
    point = br.choose(counts, "tpr >= 0.5", at=br.Conditions(1e-5))
    assert point.precision == 1
    bound = 7.48905e-5
    least = 1e-5 * 0.8 / (1e-5 * 0.8 + (1 - 1e-5) * bound)
    expected = (
        f"no false positive in 40,000 negatives: fpr may be up to {bound:.3g} {SAID}, and precision"
        f" then {least:.3g} at the recall of this sample"
    )
    assert text(point, "BR505") == expected


def test_a_precision_that_rests_on_few_false_positives_is_said_at_another_prior():
    few = br.Counts([3, 2, 1], [8, 1, 1], [3, 7, 90])
    three = (
        "precision and cost at a base rate of 1% depend on only 3 false positives in this sample"
    )
    assert text(br.choose(few, threshold=3, at=br.Conditions(0.01)), "BR505") == three
    one = br.choose(br.Counts([2, 1], [8, 1], [1, 90]), threshold=2, at=br.Conditions(0.01))
    assert text(one, "BR505") == (
        "precision and cost at a base rate of 1% depend on only 1 false positive in this sample"
    )
    assert "BR505" not in codes(br.choose(few, threshold=2, at=br.Conditions(0.01))), (
        "ten are enough"
    )
    assert "BR505" not in codes(br.choose(few, threshold=3)), (
        "at its own prior the sample speaks for itself"
    )


@pytest.mark.parametrize(("prior", "noted"), [(5e-4, False), (4.99e-4, True)])
def test_a_prior_is_far_below_the_samples_from_a_thousandth_of_it_on(prior, noted):
    even = br.Counts([2, 1], positives=[90, 10], negatives=[10, 90])
    point = br.choose(even, threshold=2, at=br.Conditions(prior))
    assert ("BR505" in codes(point)) == noted


@pytest.mark.parametrize(("alarms", "few"), [(1, True), (9, True), (10, False)])
def test_ten_false_positives_are_not_few(alarms, few):
    counts = br.Counts([2, 1], positives=[5, 5], negatives=[alarms, 90])
    assert ("BR505" in codes(br.choose(counts, threshold=2, at=br.Conditions(0.1)))) == few


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 1])
def test_guesses_rest_on_no_false_positives(share):
    assert "BR505" not in codes(br.curves.random_classifier(COUNTS, share, at=br.Conditions(1e-6)))


def test_one_answer_for_all_rests_on_no_false_positives():
    few = br.Counts([2, 1], [8, 2], [0, 5])
    for threshold in (None, 1):
        assert "BR505" not in codes(br.choose(few, threshold=threshold, at=br.Conditions(1e-6)))
    assert "BR505" in codes(br.choose(few, threshold=2, at=br.Conditions(1e-6)))


def test_row_83_a_budget_that_covers_every_case_is_said():
    point = br.choose(COUNTS, "alerts <= 5000", volume=1000)
    assert text(point, "BR522") == "the budget of 5000 alerts covers all 1000 cases"
    assert point.tpr == 1


def test_row_84_a_budget_inside_a_tie_is_said():
    point = br.choose(COUNTS, "alerts <= 20", volume=1050)
    assert (
        text(point, "BR523")
        == "the budget ends among the cases at 0.9: 50 % of them are flagged, drawn at random;"
        " caught 15 on average, between 10 and 20"
    )


def test_a_budget_that_costs_leave_unused_is_said():
    point = br.choose(
        COUNTS, "alerts <= 500", at=br.Conditions(costs=br.Costs(fp=1, fn=2)), volume=1050
    )
    assert point.threshold == 0.9
    assert (
        text(point, "BR523")
        == "40 of 500 alerts are used: more of them would cost more than they save"
    )


def test_a_budget_that_the_next_score_would_just_use_up_is_left_unused_for_its_cost():
    at = br.Conditions(costs=br.Costs(fp=1, fn=2))
    point = br.choose(COUNTS, "alerts <= 145", at=at, volume=1050)
    assert text(point, "BR523") == (
        "40 of 145 alerts are used: more of them would cost more than they save"
    )
    short = br.choose(COUNTS, "alerts <= 144", at=at, volume=1050)
    assert text(short, "BR523") == (
        "40 of 144 alerts are used: the next score of this sample would add 105 (a larger sample"
        " would use the budget better)"
    )


@pytest.mark.parametrize(("volume", "noted"), [(1900, False), (1880, True)])
def test_a_budget_of_which_95_percent_are_used_needs_no_remark(volume, noted):
    """Ten of 200 cases are flagged, and the eleventh is one case too many for 100 alerts."""
    counts = br.Counts([3, 2, 1], positives=[5, 0, 5], negatives=[5, 1, 184])
    point = br.choose(counts, "alerts <= 100", volume=volume)
    assert point.threshold == 3
    assert ("BR523" in codes(point)) == noted
    if noted:
        assert text(point, "BR523").startswith(
            "94 of 100 alerts are used: the next score of this sample would add 9.4 ("
        )


def test_a_border_next_to_1_is_told_by_how_far_it_is_away():
    point = br.choose(COUNTS, at=br.Conditions(costs=br.Costs(fp=1e9, fn=1)))
    assert text(point, "BR524").endswith(" below a base rate of 1 - 6e-08")


def test_alerts_are_told_as_whole_cases():
    """40 of 1,050 cases are 3,809.52 of 100,000."""
    at = br.Conditions(costs=br.Costs(fp=1, fn=2))
    point = br.choose(COUNTS, "alerts <= 50000", at=at, volume=100_000)
    assert text(point, "BR523").startswith("3,810 of 50,000 alerts are used: ")


def test_a_budget_that_another_limit_leaves_unused_is_not_put_down_to_costs():
    point = br.choose(COUNTS, "alerts <= 500 and fpr <= 1%", volume=1050)
    assert point.threshold == 0.9
    assert text(point, "BR523") == "40 of 500 alerts are used: more would break fpr <= 0.01"


def test_row_87_a_threshold_beyond_every_score_is_said():
    assert "lies above every score" in text(br.choose(COUNTS, threshold=50), "BR529")
    assert "lies below every score" in text(br.choose(COUNTS, threshold=0.01), "BR529")
    assert "BR529" not in codes(br.choose(COUNTS, threshold=0.5))
    assert "BR529" not in codes(br.choose(COUNTS, threshold=None))
    with pytest.raises(br.InputError, match="BR529: a threshold is a number"):
        br.choose(COUNTS, threshold="0.5")


def test_odds_in_the_prior_are_passed_on():
    assert "BR508" in codes(br.choose(COUNTS, at=br.Conditions("1:99")))
    assert "BR508" in codes(br.choose(COUNTS).on(COUNTS, br.Conditions("1:99")))
    assert "BR508" in codes(br.curves.random_classifier(COUNTS, 0.5, at=br.Conditions("1:99")))


def test_a_budget_that_ends_among_cases_of_one_class_leaves_nothing_to_luck():
    counts = br.Counts([3, 2, 1], [5, 0, 5], [5, 10, 80])
    point = br.choose(counts, "alerts <= 15", volume=105)
    (text,) = [note.text for note in point.notes if note.code == "BR523"]
    assert (
        text == "the budget ends among the cases at 2: 50 % of them are flagged, drawn at random;"
        " caught 5"
    )


def test_one_threshold_alone_was_not_chosen_among_others():
    """Neither that it was judged on the same cases nor that a budget is left needs saying."""
    one, two = br.Counts([1], [5], [1]), br.Counts([2, 1], [5, 1], [1, 5])
    assert "BR528" not in codes(br.choose(one))
    assert "BR528" in codes(br.choose(two))
    asked = {"rule": "alerts <= 3", "volume": 12, "at": br.Conditions(costs=br.Costs(fp=99, fn=1))}
    assert "BR523" not in codes(br.choose(one, **asked))
    assert "BR523" in codes(br.choose(two, **asked))


def test_what_rests_on_no_false_positive_at_all_is_not_said_to_rest_on_few():
    assert "BR505" not in codes(br.choose(COUNTS, threshold=50, at=br.Conditions(0.01)))
    caught = br.Counts([2, 1], positives=[10, 0], negatives=[3, 90])
    assert "depend on only 3 false positives" in text(
        br.choose(caught, threshold=2, at=br.Conditions(0.01)), "BR505"
    )
    weighted = br.Counts([2, 1], positives=[10.5, 0], negatives=[3.5, 90])
    assert "BR505" not in codes(br.choose(weighted, threshold=2, at=br.Conditions(0.01)))
