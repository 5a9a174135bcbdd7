"""Scores corrected to another base rate: exact by fractions, ranks untouched bit for bit, and never
twice.
"""

import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.refusals import assert_refused

import baserate as br

RNG = np.random.default_rng(8)
LABELS = (RNG.random(400) < 0.3).astype(int)
SCORES = np.clip(RNG.normal(0.4, 0.2, 400) + 0.2 * LABELS, 0, 1)
COUNTS = br.count(LABELS, SCORES)


def exact(score, factor):
    """The corrected probability, in fractions."""
    odds = Fraction(score) * factor
    return odds / (odds + 1 - Fraction(score))


# ---- scenario 8 of the users ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "corrected"), [(0.5, "0.00990099"), (0.9, "0.0825688"), (0.99, "0.497487")]
)
def test_scenario_8_one_negative_in_a_hundred_kept(score, corrected):
    assert f"{br.shift.correct_probabilities([score], negatives_kept=0.01)[0]:.6g}" == corrected
    counts = br.Counts([score, 0.1], [1, 0], [0, 1])
    assert f"{br.shift.correct_prior(counts, negatives_kept='1%').scores[0]:.6g}" == corrected


def test_scenario_8_two_base_rates_say_the_same_as_the_share_kept():
    field, kept = Fraction(1, 1000), Fraction(1, 100)
    trained = field / (field + kept * (1 - field))
    by_priors = br.shift.correct_prior(COUNTS, calibrated_at=trained, at=br.Conditions(prior=field))
    assert np.array_equal(
        by_priors.scores, br.shift.correct_prior(COUNTS, negatives_kept=kept).scores
    )
    assert by_priors.ledger.corrected == "1/100"


def test_T32_a_corrected_score_is_cut_where_theory_cuts_the_raw_one():
    """T32, 5.83: the cut on the score as it is, corrected, is the cut on the probability."""
    at = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=5))
    cut = at.cut(calibrated_at=0.5)
    assert br.shift.correct_probabilities([cut.score], calibrated_at=0.5, at=at)[
        0
    ] == pytest.approx(cut.probability, rel=1e-14)


# ---- exact, and in order ----------------------------------------------------------------------


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=30, unique=True),
    st.fractions(Fraction(1, 10**6), 1, max_denominator=10**6),
)
def test_every_score_is_the_exact_one_to_a_few_units_in_the_last_place(scores, kept):
    counts = br.Counts(scores, [1] * len(scores), [1] * len(scores))
    found = br.shift.correct_prior(counts, negatives_kept=kept).scores
    for before, after in zip(counts.scores.tolist(), found.tolist(), strict=True):
        assert abs(Fraction(after) - exact(before, kept)) <= (4 + len(scores)) * Fraction(
            max(np.spacing(after), 5e-324)
        )


@given(
    st.lists(st.integers(0, 2000), min_size=2, max_size=60, unique=True),
    st.sampled_from([1e-9, 1e-3, 0.5, 0.999]),
    st.sampled_from([1e-9, 1e-3, 0.5, 0.999]),
    st.booleans(),
)
def test_scores_that_floats_would_merge_stay_apart_and_in_order(steps, trained, field, at_one):
    """Units in the last place below 1, or above 0: nowhere are floats closer, and a plain formula
    merges and swaps them.
    """
    scores = [1 - step * 2.0**-53 if at_one else step * 5e-324 for step in steps]
    counts = br.Counts(scores, [1] * len(scores), [i % 3 for i in range(len(scores))])
    found = br.shift.correct_prior(counts, calibrated_at=trained, at=br.Conditions(prior=field))
    assert (np.diff(found.scores) < 0).all()
    assert found.scores[-1] >= 0
    assert found.scores[0] <= 1
    assert np.array_equal(found.positives, counts.positives)
    assert np.array_equal(found.negatives, counts.negatives)


def test_a_score_that_is_moved_apart_is_noted():
    scores = 1 - np.arange(1, 50) * 2.0**-53
    found = br.shift.correct_prior(
        br.count(np.arange(49) % 2, scores), calibrated_at=1e-6, at=br.Conditions(prior=0.5)
    )
    assert "BR539" in [note.code for note in found.notes]
    assert "BR539" not in [
        note.code for note in br.shift.correct_prior(COUNTS, negatives_kept=0.01).notes
    ]


def test_the_ends_stay_what_they_are():
    found = br.shift.correct_prior(
        br.Counts([1, 0.5, 0], [1, 1, 1], [1, 1, 1]), negatives_kept=1e-6
    )
    assert (found.scores[0], found.scores[-1]) == (1, 0)


RANKING = [
    br.auc,
    br.curves.ks,
    br.curves.h_measure,
    br.curves.average_precision,
    partial(br.curves.partial_auc, fpr=(0, 0.1)),
    partial(br.curves.weighted_auc, alpha=0.1),
]


@pytest.mark.parametrize("of", RANKING)
def test_ranking_measures_are_unchanged_bit_for_bit(of):
    corrected = br.shift.correct_prior(COUNTS, negatives_kept=0.003)
    assert float(of(corrected)) == float(of(COUNTS))


def test_the_same_cases_are_flagged_at_every_threshold():
    before, after = (
        br.Points.of(COUNTS),
        br.Points.of(br.shift.correct_prior(COUNTS, negatives_kept=0.01)),
    )
    assert np.array_equal(before.tp, after.tp)
    assert np.array_equal(before.fp, after.fp)


def test_condensed_counts_are_corrected_too():
    found = br.shift.correct_prior(COUNTS.condense(), negatives_kept=0.01)
    assert found.condensed
    assert set(found.scores) <= set(br.shift.correct_prior(COUNTS, negatives_kept=0.01).scores)


def test_corrected_back_to_the_true_base_rate_scores_are_calibrated():
    """Negatives thinned to 2 %, a model that knows the thinned truth: Spiegelhalter's z rejects its
    raw scores, and not the corrected ones.
    """
    rng = np.random.default_rng(3)
    prior, kept, cases = 0.01, 0.02, 200_000
    labels = rng.random(cases) < prior
    x = rng.normal(size=cases) + 1.5 * labels
    odds = np.exp(1.5 * x - 1.125) * prior / (1 - prior) / kept
    raw = br.count(labels.astype(int), odds / (1 + odds))

    def z(counts):
        p, whole = counts.scores, counts.positives + counts.negatives
        lean = (counts.positives - whole * p) * (1 - 2 * p)
        return lean.sum() / np.sqrt((whole * (1 - 2 * p) ** 2 * p * (1 - p)).sum())

    corrected = br.shift.correct_prior(raw, negatives_kept=kept)
    assert abs(z(raw)) > 50
    assert abs(z(corrected)) < 1.96
    at, trained = br.Conditions(prior=prior), prior / (prior + kept * (1 - prior))
    assert br.curves.brier(corrected, at=at) == pytest.approx(
        br.curves.brier(raw, at=at, calibrated_at=trained), rel=1e-12
    )


# ---- once -------------------------------------------------------------------------------------


def corrected():
    return br.shift.correct_prior(COUNTS, negatives_kept=0.01)


def saved(tmp_path):
    corrected().save(tmp_path / "x.counts")
    return br.load(tmp_path / "x.counts")


@pytest.mark.parametrize(
    "made",
    [
        lambda _: corrected(),
        lambda _: corrected() + corrected(),
        lambda _: br.Counts.empty() + corrected(),
        lambda _: corrected().condense(),
        lambda _: pickle.loads(pickle.dumps(corrected())),
        saved,
    ],
    ids=["itself", "a sum", "a sum with nothing", "condensed", "pickled", "saved and loaded"],
)
def test_correcting_twice_is_refused_whatever_happened_in_between(made, tmp_path):
    again = made(tmp_path)
    assert again.ledger.corrected == "1/100"
    assert_refused(
        "BR536",
        "corrected before, by 1/100",
        lambda: br.shift.correct_prior(again, negatives_kept=0.01),
    )
    assert_refused(
        "BR536",
        "corrected before",
        lambda: br.shift.correct_prior(again, calibrated_at=0.5, at=br.Conditions(prior=0.1)),
    )
    assert br.shift.correct_prior(again, negatives_kept=1).ledger.corrected == "1/100"


@pytest.mark.parametrize(
    "of",
    [
        br.curves.brier,
        br.curves.log_loss,
        br.curves.brier_decomposition,
        br.curves.calibration_error,
    ],
)
def test_no_summary_corrects_what_was_corrected(of):
    counts = br.shift.correct_prior(
        br.Counts([0.9, 0.5, 0.1], [3, 2, 1], [1, 2, 3]), negatives_kept=0.01
    )
    at = br.Conditions(prior=0.01)
    assert_refused("BR536", "corrected before", lambda: of(counts, at=at, calibrated_at=0.5))
    assert of(counts, at=at, calibrated_at=0.01) == of(counts, at=at)


def test_corrected_and_raw_counts_do_not_add_up():
    assert_refused(
        "BR536", r"corrected differently \(by 1/100 and not at all\)", lambda: corrected() + COUNTS
    )
    other = br.shift.correct_prior(COUNTS, negatives_kept=0.5)
    assert_refused(
        "BR536", r"corrected differently \(by 1/2 and by 1/100\)", lambda: other + corrected()
    )


def test_the_mark_is_in_no_file_that_does_not_need_it(tmp_path):
    COUNTS.save(tmp_path / "raw.counts")
    corrected().save(tmp_path / "corrected.counts")
    assert b"corrected" not in (tmp_path / "raw.counts").read_bytes()
    assert b'"corrected": "1/100"' in (tmp_path / "corrected.counts").read_bytes()


# ---- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "match", "named"),
    [
        ("BR507", "needs the base rate at which they are calibrated", {}),
        ("BR542", "both would be applied", {"negatives_kept": 0.1, "calibrated_at": 0.5}),
        ("BR542", "must lie above 0", {"negatives_kept": 0}),
        ("BR509", "to which base rate", {"calibrated_at": 0.5}),
        ("BR509", "to which base rate", {"calibrated_at": 0.5, "at": br.Conditions()}),
        ("BR503", "no positives ever", {"calibrated_at": 0, "at": br.Conditions(prior=0.1)}),
    ],
)
def test_what_is_not_said_is_not_guessed(code, match, named):
    assert_refused(code, match, lambda: br.shift.correct_prior(COUNTS, **named))
    assert_refused(code, match, lambda: br.shift.correct_probabilities([0.5], **named))


def test_scores_that_are_no_probabilities_are_refused():
    assert_refused(
        "BR507",
        "span -3 to 4",
        lambda: br.shift.correct_prior(br.count([0, 1], [-3, 4]), negatives_kept=0.1),
    )
    assert_refused(
        "BR507",
        "none is missing",
        lambda: br.shift.correct_probabilities([0.5, np.nan], negatives_kept=0.1),
    )
    assert_refused(
        "BR507", "from 0 to 1", lambda: br.shift.correct_probabilities(["a"], negatives_kept=0.1)
    )
    assert_refused(
        "BR429", "got ndarray", lambda: br.shift.correct_prior(SCORES, negatives_kept=0.1)
    )


def test_the_samples_own_base_rate_may_be_that_of_calibration():
    prior = Fraction(int(LABELS.sum()), len(LABELS))
    at = br.Conditions(prior=0.01)
    assert br.shift.correct_prior(COUNTS, calibrated_at="sample", at=at) == br.shift.correct_prior(
        COUNTS, calibrated_at=prior, at=at
    )
    only = br.count([0, 0], [0.1, 0.2])
    assert_refused(
        "BR507",
        "no base rate of its own",
        lambda: br.shift.correct_prior(only, calibrated_at="sample", at=at),
    )


def test_the_shape_of_an_array_is_kept():
    given = np.array([[0.5, 0.9], [0.1, 0.2]])
    assert br.shift.correct_probabilities(given, negatives_kept=0.01).shape == (2, 2)


@pytest.mark.parametrize(
    ("high", "mean"), [(0.8, None), (0.7, None), (0.9, "0.575"), (0.6, "0.425")]
)
def test_scores_are_far_from_calibrated_where_their_mean_is_more_than_a_tenth_off(high, mean):
    """At a base rate of 1/2 the mean is that of the means of both classes: half way between `high`
    and 0.25.
    """
    counts = br.Counts([high, 0.25], positives=[4, 0], negatives=[0, 4])
    found = br.shift.correct_prior(counts, calibrated_at=0.5, at=br.Conditions(prior=0.01))
    notes = [note.text for note in found.notes if note.code == "BR507"]
    assert [note.rsplit(" ", 1)[1] for note in notes] == ([] if mean is None else [mean])
    merged = br.shift.correct_prior(
        counts.condense(), calibrated_at=0.5, at=br.Conditions(prior=0.01)
    )
    assert "BR507" not in [note.code for note in merged.notes]
