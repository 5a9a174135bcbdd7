"""What counts say of themselves: one small data set for each note, and one beside it that has
none.
"""

import math

import numpy as np
import pytest

import baserate as br

SPREAD = [0.05 * place for place in range(1, 20)]


def codes(labels, scores, **more):
    return {note.code for note in br.count(labels, scores, **more).notes}


@pytest.mark.parametrize(
    ("scores", "noted"),
    [
        ([5.0, 50.0, 90.0], "BR202"),
        ([0.0, 50.0, 100.0], "BR202"),
        ([0.0, 50.0, 101.0], "BR203"),
        ([-1.0, 0.5, 3.0], "BR203"),
        ([0.0, 0.5, 1.0], None),
        ([-1e-3, 0.5, 1.0], "BR203"),
        ([0.5, 1.0 + 1e-3, math.inf], "BR202"),
        ([-1e-6, 0.5, 1 + 1e-6], None),
        ([0.2, 0.5, 1 + 2e-6], "BR202"),
        ([-2e-6, 0.5, 0.9], "BR203"),
        ([-math.inf, math.inf, math.inf], None),
    ],
)
def test_scores_that_are_no_probabilities_are_noted(scores, noted):
    assert codes([0, 1, 1], scores) & {"BR202", "BR203"} == ({noted} if noted else set())


@pytest.mark.parametrize(
    ("labels", "scores", "noted"),
    [
        ([0, 1], [0.5, 0.5], {"BR206"}),
        ([0, 1, 0], [0.2, 0.5, 0.5], {"BR205"}),
        ([0, 1, 0], [0.2, 0.5, 0.7], set()),
        ([0, 1, 1], [0, 1, 1], {"BR205", "BR112"}),
        ([0, 1, 1], [0, 1, 0], {"BR205", "BR111"}),
        ([1, 0, 0], [0, 1, 1], {"BR205", "BR111"}),
        ([0, 1, 0], [0, 1, -1], set()),
    ],
)
def test_few_scores_are_noted(labels, scores, noted):
    assert codes(labels, scores) & {"BR205", "BR206", "BR111", "BR112"} == noted


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_a_large_tie_at_an_end_is_noted_with_its_share(score):
    counts = br.count([0, 1] * 10, [score] * 10 + SPREAD[:10])
    (note,) = [note for note in counts.notes if note.code == "BR210"]
    assert note.text.startswith(f"50 % of the scores are exactly {score}")


def test_a_large_tie_within_the_scores_is_noted_with_its_share():
    counts = br.count([0, 1] * 10, [0.505] * 5 + SPREAD[:15])
    (note,) = [note for note in counts.notes if note.code in ("BR210", "BR216")]
    assert note.code == "BR216"
    assert "25 % of the scores equal 0.505" in note.text


def test_scores_without_ties_and_masses_have_no_note_of_ties():
    assert not codes([0, 1] * 5, SPREAD[:10]) & {"BR210", "BR216"}
    weights = [1.5] * 20
    assert not codes([0, 1] * 10, [0.505] * 5 + SPREAD[:15], sample_weight=weights) & {
        "BR210",
        "BR216",
    }


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200, 3.0])
def test_reversed_scores_are_noted_whatever_the_unit_of_weights(unit):
    rng = np.random.default_rng(5)
    labels = np.arange(400) % 2
    scores = rng.random(400) - 0.5 * labels
    assert "BR207" in codes(labels, scores, sample_weight=np.full(400, unit) * (1 + labels))
    assert "BR207" not in codes(labels, -scores, sample_weight=np.full(400, unit))


def test_numbers_that_float64_would_round_are_refused_even_if_few():
    wide = np.array([0.5, 0.25, 1.0], dtype=np.longdouble)
    assert br.Counts(wide[::-1], [1, 1, 1], [1, 1, 1]).total_positives == 3
    wide[1] = np.longdouble(1) / 3
    if wide[1] == float(wide[1]):
        pytest.skip("long double is float64 here")
    with pytest.raises(br.InputError, match="float64 would round"):
        br.Counts(np.sort(wide)[::-1], [1, 1, 1], [1, 1, 1])


def only(counts, code):
    (note,) = [note for note in counts.notes if note.code == code]
    return note.text


def test_the_range_of_scores_is_told_from_the_lowest_to_the_highest_finite_one():
    text = only(br.count([0, 1, 1], [-2.5, 0.5, 8.125]), "BR203")
    assert text.startswith("scores range from -2.5 to 8.125, so they are not probabilities")
    endless = br.count([0, 1, 1], [-2.5, 0.5, math.inf])
    assert only(endless, "BR203").startswith("scores range from -2.5 to 0.5,")


@pytest.mark.parametrize("scores", [[0.1, 0.5, math.inf], [-math.inf, 0.5, 0.9]])
def test_infinite_scores_are_noted(scores):
    assert "BR218" in codes([0, 1, 1], scores)
    assert "BR218" not in codes([0, 1, 1], [0.1, 0.5, 0.9])


@pytest.mark.parametrize(
    ("tied", "cases", "noted"),
    [(2, 40, True), (2, 41, False), (1, 10, False), (2, 10, True), (2, 4, True)],
)
def test_a_tie_is_large_from_one_case_in_twenty_on(tied, cases, noted):
    scores = [0.5] * tied + [0.001 * place for place in range(1, cases - tied + 1)]
    found = codes([0, 1] + [0] * (cases - 2), scores)
    assert ("BR216" in found) is noted


@pytest.mark.parametrize("beyond", [-0.5, 1.5])
def test_a_tie_at_one_is_at_no_end_where_scores_go_beyond_it(beyond):
    found = codes([0, 1] * 10, [1.0] * 10 + SPREAD[:9] + [beyond])
    assert found & {"BR210", "BR216"} == {"BR216"}


def test_two_scores_that_are_tied_are_two_scores():
    assert not codes([0, 1, 1, 0], [0.2, 0.2, 0.7, 0.7]) & {"BR210", "BR216"}


@pytest.mark.parametrize(("positives", "noted"), [(75, False), (76, True)])
def test_more_than_three_quarters_are_a_majority(positives, noted):
    labels = [1] * positives + [0] * (100 - positives)
    assert ("BR110" in codes(labels, np.arange(100) / 100)) is noted


def test_a_majority_is_told_with_its_share():
    counts = br.count([1] * 8 + [0] * 2, np.arange(10) / 10)
    assert "the positive class is 80 % of the cases" in only(counts, "BR110")
    masses = br.count([1, 0, 0], [0.3, 0.2, 0.1], sample_weight=[8.0, 1.0, 1.0])
    assert "the positive class is 80 % of the weight" in only(masses, "BR110")


def test_classes_without_cases_are_told_with_what_was_counted():
    none = br.count([0] * 3, [0.1, 0.2, 0.3])
    # 1 - 0.05 ** (1 / 3), the largest share of which 3 cases without a positive are no evidence.
    assert only(none, "BR104") == (
        "no positives in 3 cases: recall and AUC are undefined; upper bound on prevalence 63.2 %"
        " (95 %, one-sided)"
    )
    every = br.count([1] * 3, [0.1, 0.2, 0.3])
    assert only(every, "BR104").startswith("no negatives in 3 cases: false positive rate")
    masses = br.count([0] * 3, [0.1, 0.2, 0.3], sample_weight=[0.5, 0.5, 0.25])
    assert only(masses, "BR104") == "no positives in a weight of 1.25: recall and AUC are undefined"


def wins(of_ten):
    """Ten positives and ten negatives: so many negatives are below each positive."""
    scores = [place + 0.5 for place in of_ten] + list(range(1, 11))
    return br.count([1] * 10 + [0] * 10, scores)


def test_scores_are_reversed_where_chance_does_not_explain_it():
    """Of 10 and 10 cases a score that knows nothing has an AUC of 0.5, give or take 0.132: from
    0.235 on it may be chance.
    """
    assert br.auc(wins([3, 3, 3, 2, 2, 2, 2, 2, 2, 2])) == 0.23
    assert "BR207" in {note.code for note in wins([3, 3, 3, 2, 2, 2, 2, 2, 2, 2]).notes}
    assert br.auc(wins([3, 3, 3, 3, 2, 2, 2, 2, 2, 2])) == 0.24
    assert "BR207" not in {note.code for note in wins([3, 3, 3, 3, 2, 2, 2, 2, 2, 2]).notes}


@pytest.mark.parametrize(("lower", "noted"), [(4500, False), (4499, True)])
def test_scores_of_many_cases_are_reversed_below_an_auc_of_045(lower, noted):
    counts = br.Counts([3.0, 2.0, 1.0], [lower, 0, 10_000 - lower], [0, 10_000, 0])
    assert br.auc(counts) == lower / 10_000
    assert ("BR207" in {note.code for note in counts.notes}) is noted
