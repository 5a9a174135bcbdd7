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
