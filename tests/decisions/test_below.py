"""The highest score that a threshold does not flag, and an operating point in a notebook."""

import math
from fractions import Fraction

import pytest

import baserate as br
from baserate import OperatingPoint, Points
from baserate.decisions.operating_point import highest_below, measures_shown
from baserate.results.operating_point import (
    describe_briefly,
    describe_setting,
    describe_setting_in_full,
)

LABELS, SCORES = [0, 1, 0, 1, 1, 0, 0], [0.1, 0.4, 0.35, 0.8, 0.4, 0.9, 0.1]


@pytest.mark.parametrize("scores", [SCORES, [int(10 * score) for score in SCORES]])
def test_below_a_threshold_is_the_highest_score_that_it_does_not_flag(scores):
    points = Points.of(br.count(LABELS, scores))
    for place in range(len(points)):
        flagged = [] if place == 0 else [s for s in scores if s >= points.threshold(place)]
        rest = sorted(set(scores) - set(flagged))
        assert highest_below(points, place) == (rest[-1] if rest else -math.inf)


def test_a_choice_that_flags_all_has_nothing_below_it():
    chosen = br.choose(br.count([0, 1, 1], [0.5, 0.4, 0.3]), at=br.Conditions(prior=0.999))
    assert (chosen.threshold, chosen.below) == (0.3, -math.inf)


def test_a_notebook_shows_rates_to_four_digits():
    scores = [0.9, 0.8, 0.1, 0.85, 0.05, 0.06, 0.07, 0.02, 0.03, 0.04]
    point = br.choose(br.count([1] * 3 + [0] * 7, scores), "fpr <= 0.2", optimize="tpr")
    assert (point["tpr"], point["fpr"]) == (1.0, 1 / 7)
    page = point._repr_html_()
    assert ">0.1429<" in page
    assert ">0.75<" in page


def test_baselines_flag_what_their_names_say():
    scores = {"a": SCORES, "b": [1 - score for score in SCORES]}
    found = br.choose(br.count(LABELS, scores), at=br.Conditions(prior=0.3)).baselines
    positives, negatives = LABELS.count(1), LABELS.count(0)
    nothing, everything = found["flag nothing"], found["flag everything"]
    assert (nothing.tp, nothing.fp) == (0, 0)
    assert (everything.tp, everything.fp) == (positives, negatives)
    assert nothing.flags(SCORES).tolist() == [False] * len(SCORES)
    assert everything.flags(SCORES).tolist() == [True] * len(SCORES)


TIED = {"how": "tie", "exact_share": Fraction(1, 4), "lower_threshold": 0.5}
BETWEEN = TIED | {"how": "interpolated"}


@pytest.mark.parametrize(
    ("given", "sentence", "few"),
    [
        ({"threshold": None}, "flag nothing", "flag nothing"),
        ({"threshold": -math.inf}, "flag everything", "flag everything"),
        (
            {"threshold": None, "how": "guess", "exact_share": Fraction(3, 10)},
            "flag 30 % of the cases at random",
            "flag 30 % of the cases at random",
        ),
        ({"threshold": 0.9}, "score ≥ 0.9", ">= 0.9"),
        (
            {"threshold": None} | TIED,
            "25 % of those at 0.5, drawn at random",
            "25 % at 0.5",
        ),
        (
            {"threshold": 0.9} | TIED,
            "score ≥ 0.9, and 25 % of those at 0.5, drawn at random",
            ">= 0.9, 25 % at 0.5",
        ),
        (
            {"threshold": None, "merged": True} | TIED,
            "25 % of those from 0.5 up, drawn at random",
            "25 % from 0.5",
        ),
        (
            {"threshold": 0.9, "merged": True} | TIED,
            "score ≥ 0.9, and 25 % of those from 0.5 up to 0.9, drawn at random",
            ">= 0.9, 25 % from 0.5",
        ),
        (
            {"threshold": None} | BETWEEN,
            "score ≥ 0.5 for 25 % of the cases, nothing for the rest",
            "25 % >= 0.5, else nothing",
        ),
        (
            {"threshold": 0.9} | BETWEEN,
            "score ≥ 0.5 for 25 % of the cases, score ≥ 0.9 for the rest",
            "25 % >= 0.5, else >= 0.9",
        ),
    ],
)
def test_where_a_classifier_is_set_in_a_sentence_and_in_a_table(given, sentence, few):
    four = br.Confusion(tp=1, fp=1, fn=1, tn=1)
    point = OperatingPoint(confusion=four, at=br.Conditions(), **given)
    assert (describe_setting(point), describe_briefly(point), describe_setting_in_full(point)) == (
        sentence,
        few,
        sentence,
    )


def test_in_full_a_threshold_has_every_digit():
    four = br.Confusion(tp=1, fp=1, fn=1, tn=1)
    point = OperatingPoint(0.61, four, br.Conditions(), below=0.2)
    assert (describe_setting(point), describe_briefly(point), describe_setting_in_full(point)) == (
        "score ≥ 0.4",
        ">= 0.4",
        "score ≥ 0.61",
    )


@pytest.mark.parametrize(
    ("given", "share"),
    [
        ({"threshold": None}, 0),
        ({"threshold": -math.inf}, 1),
        ({"threshold": 0.5}, None),
        ({"threshold": None} | TIED, None),
        ({"threshold": None, "how": "guess", "exact_share": Fraction(1, 4)}, 0.25),
        ({"threshold": None, "how": "guess", "exact_share": Fraction(1)}, 1),
    ],
)
def test_which_share_is_flagged_whatever_the_scores(given, share):
    four = br.Confusion(tp=1, fp=1, fn=1, tn=1)
    assert OperatingPoint(confusion=four, at=br.Conditions(), **given).regardless == share


@pytest.mark.parametrize(("share", "flagged"), [(0, 0), (0.3, 3), (1, 10)])
def test_a_random_classifier_flags_its_share_of_any_cases(share, flagged):
    guess = br.curves.random_classifier(br.count(LABELS, SCORES), share)
    assert guess.flags(range(10)).sum() == flagged


def test_what_is_shown_of_a_point_is_the_usual_and_what_was_asked():
    counts = br.count(LABELS, SCORES)
    plain = br.choose(counts)
    usual = measures_shown(plain)
    assert ("alerts" in usual, usual.count("expected_cost"), plain.objective) == (
        False,
        1,
        "expected_cost",
    )
    asked = br.choose(counts, "f2 >= 0.1 and tpr >= 0.1", optimize="mcc", volume=100)
    volume = ("alerts", "caught", "missed", "false_alarms", "volume_cost")
    assert measures_shown(asked) == (*usual, *volume, "mcc", "f_beta(beta=2)")
    fixed = br.fix(counts, "tpr = 0.5").attained
    assert measures_shown(fixed) == usual
    budget = br.choose(counts, "alerts <= 40", volume=100)
    assert (budget.optimized, budget.objective) == ("tpr", "caught")
    assert br.choose(counts, optimize="tpr").objective == "tpr"
