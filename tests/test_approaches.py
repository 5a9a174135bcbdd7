"""The study of approaches (benchmarks/approaches.py): what it reads off answers, in fractions; a
page of two sets; the recorded page.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from benchmarks import approaches
from benchmarks.approaching import judging, pages
from benchmarks.approaching.sets import GENERATED, REAL, load
from sklearn.model_selection import StratifiedKFold

import baserate as br

RECORDED = Path(__file__).parents[1] / "docs" / "ideas" / "which-approach-pays.md"
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
OURS = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0], dtype=float)
THEIRS = np.array([1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0], dtype=float)
AT = br.Conditions(0.125, br.Costs(fp=1, fn=8))


def cost(flags):
    """The expected cost, case by case, in fractions."""
    missed = Fraction(sum(1 for y, flag in zip(Y, flags, strict=True) if y and not flag), 4)
    alarms = Fraction(sum(1 for y, flag in zip(Y, flags, strict=True) if not y and flag), 8)
    return Fraction(1, 8) * missed * 8 + Fraction(7, 8) * alarms


def test_costs_are_those_of_the_definition():
    assert (judging.stakes(Y, AT) * np.abs(OURS - Y)).sum() == pytest.approx(float(cost(OURS)))
    assert (
        judging.trivial(AT) == 0.875
        # flag everything: 7/8 of the cases are false alarms; nothing: a miss costs 8, of one in eight  # noqa: E501
    )
    counts = br.count(Y, OURS)
    assert float(cost(OURS)) == br.measure(counts, "expected_cost", threshold=1, at=AT)


def test_a_difference_is_paired_case_by_case_and_its_error_class_by_class():
    more, error = judging.compared(Y, OURS, THEIRS, AT)
    assert more == pytest.approx(float(cost(OURS) - cost(THEIRS)))
    saved, raised = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0, 0, 0, 0, 0])
    by_hand = saved.var(ddof=1) / 4 * (0.125 * 8) ** 2 + raised.var(ddof=1) / 8 * 0.875**2
    assert error**2 == pytest.approx(by_hand)
    assert judging.compared(Y, OURS, OURS, AT) == (0, 0)


def test_of_several_divisions_a_flag_is_a_share():
    flags = (OURS + THEIRS) / 2
    assert (judging.stakes(Y, AT) * np.abs(flags - Y)).sum() == pytest.approx(
        float(cost(OURS) + cost(THEIRS)) / 2
    )


def test_odds_of_conditions_are_taken_over_those_of_the_cases():
    assert judging.odds_ratio(AT, Y) == pytest.approx((1 / 7) / (4 / 8))


def test_an_interval_over_sets_is_students():
    ones = [
        judging.Judged("a", "tree", "b", (1.0,), (gap,), (0,), None, None)
        for gap in (0.1, 0.2, 0.6)
    ]
    gap, low, high = pages.summed("b", ones)["gap"]
    half = 4.302653 * np.std([0.1, 0.2, 0.6], ddof=1) / 3**0.5
    assert (gap, low, high) == pytest.approx((0.3, 0.3 - half, 0.3 + half), abs=1e-3)


@pytest.mark.parametrize(("name", "positives"), [("two Gaussians", 80), ("islands", 120)])
def test_generated_sets_are_what_they_say(name, positives):
    cases, y = load(name)
    assert (len(y), y.sum(), np.isfinite(cases).all()) == (4000, positives, True)
    assert np.array_equal(cases, load(name)[0])


def test_held_out_cases_are_answered_by_learners_that_did_not_see_them():
    """Some cases of an outer fold moved far away change the answers to all other folds, and none to
    the rest of their own.
    """
    cases, y = load("two Gaussians")
    cases, y = cases[::4], y[::4]
    _, test = next(StratifiedKFold(3, shuffle=True, random_state=1).split(cases, y))
    moved = cases.copy()
    moved[test[::2]] += 5
    first, second = (
        approaches.cross_validated(rows, y, "logistic regression", set(), 1, 3)[
            approaches.REFERENCE
        ][1]
        for rows in (cases, moved)
    )
    assert np.array_equal(first[test[1::2]], second[test[1::2]])
    others = np.setdiff1d(np.arange(len(y)), test)
    assert (first[others] != second[others]).all()


@pytest.mark.usefixtures("shared")
def test_a_quick_run_writes_a_page(capsys):
    text = approaches.main(["--quick"])
    assert text in capsys.readouterr().out
    assert "| plain, cut moved by theory |" in text
    assert "(reference) | 0 of 6 | 0 of 6 |" in text
    assert "| yeast_me2 | logistic regression |" in text


def test_the_recorded_page_is_of_these_sets_and_approaches():
    text = RECORDED.read_text(encoding="utf-8")
    for kind in approaches.LEARNERS:
        assert f"## {kind.capitalize()}\n" in text
        for name in approaches.approaches_for(kind, None):
            assert f"| {name} |" in text
    for name in (*REAL, *GENERATED):
        assert f"| {name} |" in text
