"""Cases that were scored and have no label: how many of them a point flags, and whether labels
depend on the flag, by hand.
"""

import math
from fractions import Fraction
from types import SimpleNamespace

import pytest

import baserate as br
from baserate import Points
from baserate.decisions.operating_point import (
    flagged_along,
    flagged_in_all,
    highest_below,
    if_all_labelled,
    on_labels,
    unlabelled_flagged,
)
from baserate.types import Note

HERE = br.Conditions()


def counted(labelled, rest):
    """Counts of {score: (positives, negatives)} beside {score: cases without a label}."""
    made = br.Counts(
        list(labelled), [p for p, _ in labelled.values()], [n for _, n in labelled.values()]
    )
    return made.beside(br.Counts(list(rest), [0] * len(rest), list(rest.values())))


SOME = {0.9: (3, 1), 0.5: (1, 4), 0.2: (0, 6)}
REST = {0.95: 2, 0.9: 1, 0.7: 4, 0.5: 8, 0.1: 16}


@pytest.mark.parametrize(
    ("threshold", "flagged"), [(None, 0), (0.9, 3), (0.5, 15), (0.2, 15), (-math.inf, 31)]
)
def test_cases_without_a_label_are_flagged_from_the_threshold_up(threshold, flagged):
    counts = counted(SOME, REST)
    point = br.choose(counts, threshold=threshold)
    assert unlabelled_flagged(point, counts) == (flagged, 31)
    assert point.counted == (flagged + point.tp + point.fp, 46)
    assert point.posfrac == float(Fraction(*point.counted))
    assert flagged_in_all(point, br.Counts([1], [1], [1])) is None


def test_every_threshold_flags_as_many_as_each_of_them():
    counts = counted(SOME, REST)
    points = Points.of(counts)
    flagged, cases = flagged_along(points, HERE.within(points.exact_prior, ""))
    one_by_one = [br.choose(counts, threshold=cut).counted for cut in (None, 0.9, 0.5, 0.2)]
    assert list(zip(flagged.tolist(), [cases] * 4, strict=True)) == one_by_one
    assert flagged_along(points, br.Conditions(prior=0.3)) is None
    assert flagged_along(Points.from_rates([0.1], [0.5]), HERE) is None


def test_of_a_share_of_a_tie_the_expected_number_is_flagged():
    counts = counted(SOME, REST)
    point = br.choose(counts, "alerts <= 6", at=br.Conditions(prior=Fraction(4, 15)), volume=15)
    assert (point.how, point.share, point.lower_threshold) == ("tie", 0.4, 0.5)
    flagged, cases = unlabelled_flagged(point, counts)
    assert (float(flagged), cases) == (pytest.approx(3 + 0.4 * 12), 31)
    assert point.counted is None
    assert unlabelled_flagged(br.curves.random_classifier(counts, 0.5), counts) is None


def test_a_threshold_is_shown_above_the_cases_without_a_label_that_it_does_not_flag():
    points = Points.of(counted(SOME, REST))
    assert [highest_below(points, place) for place in range(4)] == [0.9, 0.7, 0.2, 0.1]
    four = Points.of(counted(SOME, {0.8: 1, 0.6: 1, 0.55: 1, 0.3: 1}))
    assert [highest_below(four, place) for place in range(4)] == [0.9, 0.8, 0.3, -math.inf]
    above = Points.of(counted(SOME, {0.95: 2, 0.9: 1}))
    assert [highest_below(above, place) for place in range(4)] == [0.9, 0.5, 0.2, -math.inf]


def test_counts_that_do_not_keep_the_cases_left_out_say_so():
    point = br.choose(br.Counts([2, 1], [1, 0], [0, 1]), threshold=2)
    left_out = Note("BR105", "3 rows without a label were left out", values={"left_out": 3})
    for notes, said in (
        ((left_out, Note("BR202", "percent?")), ["BR117"]),
        ((Note("BR105", "3 rows without a label are negative"),), []),
        ((Note("BR202", "left out"),), []),
        ((), []),
    ):
        found = on_labels(point, SimpleNamespace(notes=notes))
        assert [note.code for note in found] == said


# ---- do labels depend on the flag? ----


def after(flagged, passed, rest):
    """All cases if labelling depended on the flag alone: (tp, fp) flagged and (fn, tn) passed, with
    so many without a label on either side.
    """
    counts = counted({2: flagged, 1: passed}, dict(zip((2, 1), rest, strict=True)))
    return if_all_labelled(br.choose(counts, threshold=2), counts)


def test_labels_that_depend_on_the_flag_are_made_up_for_by_their_share():
    """Half of the flagged cases and a quarter of the others have labels."""
    found = after((30, 70), (20, 80), (100, 300))
    assert tuple(found) == (60, 140, 80, 320)


@pytest.mark.parametrize(
    ("rest", "differ"),
    [((0, 111_111), False), ((0, 111_112), True), ((111_111, 0), False), ((111_112, 0), True)],
)
def test_a_difference_of_a_tenth_of_the_larger_share_is_none(rest, differ):
    """Of a million labelled cases on either side: 1 against 0.9, or a little less."""
    million = (500_000, 500_000)
    assert (after(million, million, rest) is not None) == differ


def test_a_tenth_is_that_of_the_larger_share():
    """Of a hundred thousand labelled cases on either side: half against 0.46, or against 0.44."""
    many = (50_000, 50_000)
    for rest, differ in ((117_391, False), (127_273, True)):
        for sides in ((100_000, rest), (rest, 100_000)):
            assert (after(many, many, sides) is not None) == differ


def test_a_difference_of_exactly_a_tenth_is_none():
    many = 10**6
    assert after((450 * many, 450 * many), (405 * many, 405 * many), (0, 90 * many)) is None
    assert after((450 * many, 450 * many), (405 * many, 405 * many), (0, 90 * many + 1)) is not None


@pytest.mark.parametrize("size", range(4, 40, 2))
def test_a_difference_that_may_be_chance_is_none(size):
    """Of `size` cases on either side all of the flagged and half of the others have labels: the
    chi-square of the 2 × 2 table, without correction, against 10.83.
    """
    found = after((1, size - 1), (1, size // 2 - 1), (0, size // 2))
    table = (size, 0), (size // 2, size // 2)
    columns = [sum(row[i] for row in table) for i in (0, 1)]
    square = sum(
        Fraction((row[i] * 2 * size - size * columns[i]) ** 2, 2 * size * size * columns[i])
        for row in table
        for i in (0, 1)
    )
    assert (found is not None) == (square > Fraction("10.83"))


def test_without_labels_on_one_side_nothing_can_be_made_up_for():
    assert after((5, 5), (0, 0), (0, 100)) is None
    assert after((0, 0), (5, 5), (100, 0)) is None


@pytest.mark.parametrize(
    ("rest", "shares", "recall"),
    [
        ((0, 300), "100 % of the flagged but 25 %", "high (about 0.2727"),
        ((300, 0), "25 % of the flagged but 100 %", "low (about 0.8571"),
    ],
)
def test_the_note_says_which_way_recall_is_off(rest, shares, recall):
    counts = counted({2: (30, 70), 1: (20, 80)}, dict(zip((2, 1), rest, strict=True)))
    (note,) = [note for note in br.choose(counts, threshold=2).notes if note.code == "BR116"]
    assert note.text == (
        f"{shares} of the other cases have labels: recall 0.6 is too {recall} if labelling depends"
        " only on the flag)"
    )
    none_caught = counted({2: (0, 100), 1: (50, 50)}, dict(zip((2, 1), rest, strict=True)))
    assert "BR116" not in [note.code for note in br.choose(none_caught, threshold=2).notes]


def test_a_limit_on_alerts_is_kept_among_all_scored_cases():
    counts = counted(SOME, REST)
    for limit, threshold in ((6, None), (7, 0.9), (23, 0.9), (24, 0.5), (29, 0.5), (30, 0.2)):
        point = br.choose(counts, f"alerts <= {limit}", volume=46)
        assert point.threshold == threshold
    for limit, threshold in ((7, 0.9), (8, 0.5), (24, 0.5), (25, 0.2)):
        assert br.choose(counts, f"alerts >= {limit}", volume=46).threshold == threshold
