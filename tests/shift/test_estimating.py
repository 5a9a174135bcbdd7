"""The base rate of the field, estimated: against plain EM, against fractions, against quapy, and on
samples of known truth.
"""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from tests.inference.refusals import assert_refused

import baserate as br
from baserate.shift import estimate

SHIFT = 1.5


def probabilities(x, prior):
    odds = prior / (1 - prior) * np.exp(SHIFT * x - SHIFT**2 / 2)
    return odds / (1 + odds)


def sample(rng, positives, negatives):
    labels = np.repeat([1, 0], [positives, negatives])
    return labels, rng.normal(size=positives + negatives) + SHIFT * labels


def drawn(seed=1, positives=200, negatives=800, field=(60, 1940)):
    rng = np.random.default_rng(seed)
    labels, x = sample(rng, positives, negatives)
    prior = positives / (positives + negatives)
    return labels, probabilities(x, prior), probabilities(sample(rng, *field)[1], prior), prior


LABELS, SCORES, FIELD, TRAINED = drawn()
COUNTS, UNLABELLED = br.count(LABELS, SCORES), br.count_unlabelled(FIELD)


def em(scores, trained, steps=200_000):
    """Saerens' algorithm, as he wrote it, until nothing moves."""
    prior = trained
    for _ in range(steps):
        ours, theirs = scores * prior / trained, (1 - scores) * (1 - prior) / (1 - trained)
        moved = float(np.mean(ours / (ours + theirs)))
        if moved == prior:
            break
        prior = moved
    return prior


def adjusted(labels, scores, field, cut):
    """(flagged − FPR) / (TPR − FPR), row by row, in fractions."""

    def share(values):
        return Fraction(sum(value >= cut for value in values), len(values))

    tpr, fpr = (
        share([s for s, y in zip(scores, labels, strict=True) if y == side]) for side in (1, 0)
    )
    return (share(field) - fpr) / (tpr - fpr)


def test_em_ends_where_the_algorithm_ends():
    found = br.estimate_prior(COUNTS, UNLABELLED, calibrated_at=TRAINED, replicates=100)
    assert found.method == "em"
    assert found.value == pytest.approx(em(FIELD, TRAINED), rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(0.01, 0.99), min_size=5, max_size=40), st.sampled_from([0.05, 0.3, 0.5, 0.9])
)
def test_the_share_found_is_the_most_likely_one(scores, trained):
    field = np.array(scores)
    found = br.estimate_prior(
        COUNTS, br.count_unlabelled(field), calibrated_at=trained, replicates=100
    ).value

    def likelihood(prior):
        return np.log(prior * field / trained + (1 - prior) * (1 - field) / (1 - trained)).sum()

    assert likelihood(found) >= max(map(likelihood, np.linspace(0, 1, 101))) - 1e-9


def slowly(scores, cases, trained):
    """The root of the likelihood's slope, which falls: by halving, each sum exact."""
    scores, cases = scores[cases > 0], cases[cases > 0]

    def slope(prior):
        mixed = prior * scores / trained + (1 - prior) * (1 - scores) / (1 - trained)
        gaps = scores / trained - (1 - scores) / (1 - trained)
        with np.errstate(divide="ignore"):
            return math.fsum((cases * gaps / mixed).tolist())

    if slope(0.0) <= 0 or slope(1.0) >= 0:
        return float(slope(0.0) > 0)
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


@pytest.mark.parametrize(
    ("rows", "trained", "made"),
    [
        (40_000, 0.2, lambda rng, n: rng.beta(0.5, 3, n)),
        (40_000, 0.01, lambda rng, n: 1 / (1 + np.exp(5 - rng.normal(size=n)))),
        (40_000, 0.999, lambda rng, n: 1 - rng.beta(0.5, 8, n)),
        (40_000, 0.5, lambda rng, n: 0.5 + 1e-9 * rng.normal(size=n)),
        (40_000, 0.3, lambda rng, n: np.concatenate(([0, 1], np.round(rng.beta(3, 3, n - 2), 5)))),
        (200, 0.3, lambda rng, n: 10.0 ** -rng.uniform(0, 300, n)),
    ],
)
def test_the_share_found_is_where_the_slope_is_zero_and_groups_of_scores_move_it_little(
    rows, trained, made
):
    scores = made(np.random.default_rng(rows), rows)
    field = br.count_unlabelled(scores)
    found = br.estimate_prior(COUNTS, field, calibrated_at=trained, replicates=100)
    exact = slowly(field.scores, field.cases, trained)
    assert found.value == pytest.approx(exact, rel=1e-11, abs=1e-15)
    assert found.low <= found.value <= found.high
    # Resamples are read from neighbouring scores together: the same scores at their means.
    grouped, cases = estimate.group_probabilities(np.clip(field.scores, 0, 1), field.cases)
    assert cases.sum() == rows
    width = max(found.high - found.low, 1e-6)
    assert slowly(grouped, cases, trained) == pytest.approx(exact, abs=0.02 * width)


@pytest.mark.parametrize("cut", [0.1, 0.25, 0.5, SCORES[3]])
def test_the_adjusted_count_is_that_of_the_rows(cut):
    found = br.estimate_prior(COUNTS, UNLABELLED, threshold=cut, replicates=100)
    exact = adjusted(LABELS.tolist(), SCORES.tolist(), FIELD.tolist(), cut)
    assert (found.method, found.threshold) == ("adjusted-count", cut)
    assert found.value == pytest.approx(min(1, max(0, float(exact))), rel=1e-12, abs=1e-15)


def test_without_a_threshold_recall_and_false_alarm_rate_add_up_to_one_there():
    found = br.estimate_prior(COUNTS, UNLABELLED, replicates=100)
    point = br.choose(COUNTS, threshold=found.threshold)
    assert abs(point.tpr + point.fpr - 1) < 2 / 256
    assert (
        found.value
        == br.estimate_prior(COUNTS, UNLABELLED, threshold=found.threshold, replicates=100).value
    )


class Cut(ClassifierMixin, BaseEstimator):
    """A classifier that flags from 0.3 on."""

    def fit(self):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, rows):
        return (np.asarray(rows)[:, 0] >= 0.3).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_em_and_adjusted_counts_agree_with_quapy(seed):
    """On samples that both read: quapy's EM, let run to 1e-9, and its adjusted count."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aggregative = pytest.importorskip(
            "quapy.method.aggregative", reason="needs quapy", exc_type=ImportError
        )
    labels, scores, field, trained = drawn(seed, field=(100 + 200 * seed, 1000))
    counts, unlabelled = br.count(labels, scores), br.count_unlabelled(field)
    theirs, _ = aggregative.EMQ.EM(
        np.array([1 - trained, trained]), np.stack([1 - field, field], axis=1), epsilon=1e-9
    )
    assert br.estimate_prior(
        counts, unlabelled, calibrated_at=trained, replicates=100
    ).value == pytest.approx(theirs[1], abs=1e-6)
    quantifier = aggregative.ACC(
        Cut().fit(), fit_classifier=False, val_split=None, solver="exact-raise"
    )
    quantifier.fit(scores[:, None], labels)
    theirs = quantifier.predict(field[:, None])[1]
    assert br.estimate_prior(
        counts, unlabelled, threshold=0.3, replicates=100
    ).value == pytest.approx(theirs, abs=1e-12)


def test_both_are_near_the_truth_on_a_large_sample():
    labels, scores, field, trained = drawn(5, 5000, 20_000, (400, 19_600))
    counts, unlabelled = br.count(labels, scores), br.count_unlabelled(field)
    likely = br.estimate_prior(counts, unlabelled, calibrated_at=trained, replicates=100)
    flagged = br.estimate_prior(counts, unlabelled)
    assert 0.02 in likely
    assert 0.02 in flagged
    assert likely.value == pytest.approx(0.02, abs=0.003)
    assert flagged.value == pytest.approx(0.02, abs=0.01)
    assert likely.width < flagged.width


def test_a_calibration_base_rate_of_the_sample_is_drawn_too():
    fixed = br.estimate_prior(COUNTS, UNLABELLED, calibrated_at=TRAINED, replicates=300)
    drawn_too = br.estimate_prior(COUNTS, UNLABELLED, calibrated_at="sample", replicates=300)
    assert fixed.value == drawn_too.value
    assert fixed.width < drawn_too.width


def test_the_same_seed_gives_the_same_interval():
    first, second = (
        br.estimate_prior(COUNTS, UNLABELLED, seed=4, replicates=200) for _ in range(2)
    )
    assert first == second
    assert first != br.estimate_prior(COUNTS, UNLABELLED, seed=5, replicates=200)


def test_the_order_of_the_rows_does_not_matter():
    turned = br.estimate_prior(
        br.count(LABELS[::-1], SCORES[::-1]), br.count_unlabelled(FIELD[::-1]), replicates=200
    )
    assert turned == br.estimate_prior(COUNTS, UNLABELLED, replicates=200)


def test_progress_is_told_to_the_end():
    told = []
    br.estimate_prior(
        COUNTS, UNLABELLED, replicates=100, progress=lambda done, whole: told.append((done, whole))
    )
    assert told[-1] == (100, 100)


def test_no_positives_seen_is_zero_with_an_upper_bound():
    scores = np.sort(SCORES[LABELS == 0])[:300]
    for named in ({}, {"calibrated_at": TRAINED}):
        found = br.estimate_prior(COUNTS, br.count_unlabelled(scores), replicates=200, **named)
        assert (found.value, found.low) == (0, 0)
        assert "BR537" in [note.code for note in found.notes]


def test_only_positives_are_a_share_of_one():
    found = br.estimate_prior(
        COUNTS, br.count_unlabelled(np.sort(SCORES[LABELS == 1])[50:]), replicates=200
    )
    assert (found.value, found.high) == (1, 1)
    assert "taken as 1" in next(note.text for note in found.notes if note.code == "BR537")


def test_few_cases_are_noted_and_fewer_refused():
    few = br.estimate_prior(COUNTS, br.count_unlabelled(FIELD[:20]), replicates=100)
    assert "only 20 unlabelled cases" in next(
        note.text for note in few.notes if note.code == "BR591"
    )
    assert_refused(
        "BR590",
        "only 4 unlabelled cases",
        lambda: br.estimate_prior(COUNTS, br.count_unlabelled(FIELD[:4])),
    )
    assert_refused(
        "BR590",
        "only 3 positives",
        lambda: br.estimate_prior(br.count([1] * 3 + [0] * 40, SCORES[:43]), UNLABELLED),
    )


@pytest.mark.parametrize(
    ("code", "match", "named"),
    [
        ("BR581", 'by "em" or "adjusted-count", got "sld"', {"method": "sld"}),
        ("BR507", "EM needs the base rate", {"method": "em"}),
        ("BR581", "EM has no threshold", {"calibrated_at": 0.2, "threshold": 0.5}),
        (
            "BR581",
            "scores as they are, calibrated or not",
            {"method": "adjusted-count", "calibrated_at": 0.2},
        ),
        ("BR580", "takes 100 to", {"replicates": 10}),
        ("BR580", "a level lies between", {"level": 95}),
        ("BR537", "do not separate the classes", {"threshold": 7}),
    ],
)
def test_what_makes_no_sense_is_refused(code, match, named):
    assert_refused(code, match, lambda: br.estimate_prior(COUNTS, UNLABELLED, **named))


def test_values_of_another_kind_are_refused():
    assert_refused(
        "BR429",
        "from Counts and Unlabelled, got Counts and ndarray",
        lambda: br.estimate_prior(COUNTS, FIELD),
    )
    weighted = br.count(LABELS, SCORES, sample_weight=np.full(len(LABELS), 0.5))
    assert_refused("BR583", "weight", lambda: br.estimate_prior(weighted, UNLABELLED))
    corrected = br.shift.correct_prior(COUNTS, negatives_kept=0.1)
    assert_refused(
        "BR536", "the unlabelled ones were not", lambda: br.estimate_prior(corrected, UNLABELLED)
    )
    assert_refused(
        "BR507",
        "not probabilities",
        lambda: br.estimate_prior(COUNTS, br.count_unlabelled(FIELD * 9), calibrated_at=0.2),
    )


def test_scores_that_know_nothing_are_refused():
    useless = br.Counts([1, 0], [50, 50], [50, 50])
    assert_refused(
        "BR537",
        "so the base rate cannot be estimated",
        lambda: br.estimate_prior(useless, br.count_unlabelled([1, 0] * 20)),
    )


def test_the_interval_covers_as_the_recorded_study_says():
    """200 sets: enough to catch an interval that is broken; benchmarks/prior_shift.md has the
    study.
    """
    rng, held = np.random.default_rng(11), 0
    for seed in range(200):
        labels, x = sample(rng, 100, 400)
        positives = int(rng.binomial(500, 0.1))
        field = sample(rng, positives, 500 - positives)[1]
        found = br.estimate_prior(
            br.count(labels, x), br.count_unlabelled(field), replicates=200, seed=seed
        )
        held += 0.1 in found
    assert held >= 180
