"""Sampling: what each sampler keeps, copies and drops, and that only training cases are sampled.
INVENTORY T34 to T39.
"""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.under_sampling import RandomUnderSampler
from imblearn.utils.estimator_checks import estimator_checks_generator as sampler_checks
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import count_estimator, count_folds, response
from baserate_learners import FocusedUnderSampler, MovedThreshold, Resampled
from baserate_learners.resampled import SAMPLERS, draw_sample, samplers_of

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], [900, 100])
X = RNG.normal(size=(1000, 2)) + 1.2 * Y[:, None]
AT = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=200))


def checks():
    for learner, made in (
        (Resampled(), estimator_checks_generator),
        (FocusedUnderSampler(), sampler_checks),
    ):
        for estimator, check in made(learner):
            yield pytest.param(
                estimator,
                check,
                id=f"{type(learner).__name__}-{getattr(check, 'func', check).__name__}",
            )


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_and_imbalanced_learn_accept_it(estimator, check):
    """check_estimator, check by check."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


# ---- what is kept, copied and dropped ---------------------------------------------------------


@pytest.mark.parametrize(("name", "each"), [("under", 100), ("over", 900), ("hybrid", 300)])
def test_T34_classes_are_equal_after_sampling(name, each):
    """T34: undersampling, oversampling and hybrid; the hybrid meets in the middle, √(100 · 900)."""
    sample = draw_sample(samplers_of(name), X, Y, seed=1)
    assert np.bincount(sample.y).tolist() == [each, each]
    assert np.array_equal(sample.X, X[sample.cases])
    assert np.array_equal(sample.y, Y[sample.cases])
    fitted = Resampled(sampler=name).fit(X, Y)
    assert (fitted.prior_, fitted.sampled_prior_, fitted.corrected_) == (0.1, 0.5, "1/9")


def test_T34_folds_that_are_held_out_stay_whole():
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    found = count_folds(Resampled(sampler="under"), X, Y, cv=cv)
    for fold, (train, test) in enumerate(cv.split(X, Y)):
        fitted = Resampled(sampler="under").fit(X[train], Y[train])
        assert (
            len(fitted.samples_[0]) == 150
        )  # places among the training cases of this fold, and no others
        assert found[fold] == br.count(Y[test], fitted.predict_proba(X[test])[:, 1])
    assert (found.total().total_positives, found.total().total_negatives) == (100, 900)


def test_T35_undersampling_takes_as_many_negatives_as_there_are_positives_and_none_twice():
    sample = Resampled(sampler="under").fit(X, Y).samples_[0]
    assert sorted(sample[Y[sample] == 1]) == list(range(900, 1000))
    negatives = sample[Y[sample] == 0]
    assert len(negatives) == len(set(negatives)) == 100


def test_T36_repeated_undersampling_is_the_mean_of_members_with_different_samples():
    fitted = Resampled(sampler="under", repeats=8).fit(X, Y)
    assert len({tuple(sorted(sample)) for sample in fitted.samples_}) == 8
    assert (
        len(np.unique(np.concatenate(fitted.samples_))) > 500
    )  # together they see far more negatives than one does
    by_hand = []
    for sample in fitted.samples_:
        shares = LogisticRegression().fit(X[sample], Y[sample]).predict_proba(X)[:, 1]
        by_hand.append(shares / (shares + 9 * (1 - shares)))
    assert fitted.predict_proba(X)[:, 1] == pytest.approx(np.mean(by_hand, axis=0), rel=1e-9)


def test_T36_two_members_never_share_their_sample():
    rows, labels = np.arange(5.0)[:, None], [0, 0, 0, 1, 1]  # three pairs of negatives
    fitted = Resampled(sampler="under", repeats=3).fit(rows, labels)
    assert sorted(tuple(sorted(sample)) for sample in fitted.samples_) == [
        (0, 1, 3, 4),
        (0, 2, 3, 4),
        (1, 2, 3, 4),
    ]
    assert_refused(
        "BR912",
        "no more than 3 different samples",
        lambda: Resampled(sampler="under", repeats=4).fit(rows, labels),
    )
    again = Resampled(sampler="tomek", repeats=2, correct=None)
    assert_refused("BR912", "no more than 1 different sample of these", lambda: again.fit(X, Y))


def test_T37_focused_undersampling_keeps_the_negatives_with_the_smallest_margin():
    learner = GaussianNB()
    sampler = FocusedUnderSampler(learner)
    sampler.fit_resample(X, Y)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    shares = cross_val_predict(learner, X, Y, cv=folds, method="predict_proba")[:, 1]
    margins = np.abs(np.log(shares / (1 - shares)) - np.log(0.1 / 0.9))
    kept = set(sampler.sample_indices_)
    dropped = [margins[i] for i in range(900) if i not in kept]
    nearest = [margins[i] for i in range(900) if i in kept]
    assert len(nearest) == 100
    assert kept >= set(range(900, 1000))
    assert max(nearest) <= min(dropped)
    assert sampler.margins_ == pytest.approx(margins, rel=1e-9)


def test_T37_a_margin_needs_a_learner_that_did_not_see_the_case():
    with pytest.raises(ValueError, match="2 cases of each class"):
        FocusedUnderSampler().fit_resample(X[:901], Y[:901])


def nearest_to(place):
    """The places of all other cases, by distance."""
    order = np.argsort(((X - X[place]) ** 2).sum(axis=1), kind="stable")
    return order[order != place]


def test_T37_borderline_negatives_are_those_of_tomek_links():
    sample = draw_sample(samplers_of("tomek"), X, Y, seed=0)
    links = {
        i for i in range(900) if Y[nearest_to(i)[0]] == 1 and nearest_to(nearest_to(i)[0])[0] == i
    }
    assert links
    assert set(range(1000)) - set(sample.cases) == links


def test_T37_noisy_negatives_are_those_whose_neighbours_are_not_all_alike():
    sample = draw_sample(samplers_of("edited"), X, Y, seed=0)
    noisy = {i for i in range(900) if Y[nearest_to(i)[:3]].any()}
    assert set(range(1000)) - set(sample.cases) == noisy


@pytest.mark.parametrize("name", ["cleaning", "near-miss", "one-sided"])
def test_T37_other_informed_samplers_drop_negatives_only(name):
    sample = draw_sample(samplers_of(name), X, Y, seed=0)
    assert set(sample.cases) >= set(range(900, 1000))
    assert len(sample.cases) == len(set(sample.cases)) < 1000


@pytest.mark.parametrize("name", ["smote", "adasyn"])
def test_samplers_that_make_cases_up_say_so(name):
    sample = draw_sample(samplers_of(name), X, Y, seed=0)
    assert sample.cases is None
    assert len(sample.y) > 1000


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(tol=1e-10),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=4, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_T38_oversampling_is_fitting_with_whole_weights(learner):
    """T38: replicate positives until both classes are equal; for learners that take weights, the
    weights say the same.
    """
    fitted = Resampled(learner, "over", correct=None).fit(X, Y)
    times = np.bincount(fitted.samples_[0], minlength=1000)
    assert (times[:900] == 1).all()
    assert times[900:].min() >= 1
    assert times[900:].sum() == 900
    weighted = clone(learner).fit(X, Y, sample_weight=times)
    assert fitted.predict_proba(X) == pytest.approx(weighted.predict_proba(X), abs=1e-6)


def test_T39_a_tree_isolates_the_middle_positive_only_after_replication():
    """T39 (Fig. 5.45): one positive between negatives; a leaf of at least two cases holds it only
    once it is there more than once.
    """
    rows = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [9.0], [9.5], [10.0]])
    labels = np.array([0, 0, 1, 0, 0, 1, 1, 1])
    tree = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    plain = tree.fit(rows, labels)
    assert plain.predict([[3.0]]) == [0]
    assert plain.predict(rows[5:]).tolist() == [1, 1, 1]
    # Until the classes are equal, and then once more: each class has four cases, so that copies are
    # asked for by number.
    copies = RandomOverSampler(sampling_strategy={1: 12})
    fitted = Resampled(tree, copies, correct=None).fit(rows, labels)
    assert np.bincount(fitted.samples_[0], minlength=8)[2] >= 2
    assert fitted.predict([[3.0]]) == [1]
    assert fitted.predict(rows[[0, 1, 3, 4]]).tolist() == [0, 0, 0, 0]


# ---- what a user may say ----------------------------------------------------------------------


def test_a_name_a_sampler_and_a_list_of_them_say_the_same():
    for spelled in (RandomUnderSampler(), [RandomUnderSampler(random_state=3)], "under"):
        assert np.array_equal(
            Resampled(sampler=spelled).fit(X, Y).predict_proba(X),
            Resampled().fit(X, Y).predict_proba(X),
        )


@pytest.mark.parametrize("name", sorted(SAMPLERS))
def test_every_named_sampler_works_with_data_frames_and_words(name):
    random = name in {"under", "over", "hybrid"}
    words = np.where(Y == 1, "fraud", "legit")
    learner = make_pipeline(
        make_column_transformer((StandardScaler(), ["a", "b"])), LogisticRegression()
    )
    frame = pd.DataFrame(X, columns=["a", "b"])
    if random:  # imbalanced-learn's neighbours know arrays only, and give data frames back
        fitted = Resampled(learner, name, pos_label="fraud").fit(frame, words)
    else:
        fitted = Resampled(learner, name, correct="isotonic", cv=3, pos_label="fraud").fit(
            frame, words
        )
    assert (fitted.prior_, fitted.calibrated_at_) == (0.1, 0.1)
    found = response(fitted, frame, pos_label="legit")
    assert br.auc(br.count(Y == 0, found.scores)) > 0.85
    assert found.corrected == ("9" if random else "")  # the odds of the other class, turned


def test_a_base_rate_is_of_the_class_that_is_named():
    words = np.where(Y == 1, "fraud", "legit")
    fitted = Resampled(prior="1%", pos_label="fraud").fit(X, words)
    numbers = Resampled(prior="1%").fit(X, Y)
    assert np.array_equal(fitted.predict_proba(X)[:, 0], numbers.predict_proba(X)[:, 1])
    assert fitted.corrected_ == numbers.corrected_ == "1/99"
    moved = MovedThreshold(
        fitted, br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=20)), pos_label="fraud"
    ).fit(X, words)
    assert moved.threshold_ == pytest.approx(1 / 21)
    assert_refused(
        "BR910", "of which class is prior the share", lambda: Resampled(prior="1%").fit(X, words)
    )
    assert not hasattr(Resampled().fit(X, words), "calibrated_at_")
    assert Resampled(correct=None).fit(X, words).calibrated_at_ is None
    assert Resampled(correct=None).fit(X, Y).calibrated_at_ == 0.5
    picked = Resampled(sampler="focused", correct=None)
    assert picked.fit(X, Y).calibrated_at_ is None
    assert_refused(
        "BR536",
        "picked by a sampler.*calibrated at no base rate",
        lambda: MovedThreshold(picked, AT).fit(X, Y),
    )


def test_a_moved_threshold_starts_where_the_scores_are():
    """The cut of uncorrected scores lies as far off as the sample: it flags the very cases that
    corrected ones have flagged.
    """
    moved = [MovedThreshold(Resampled(correct=how), AT).fit(X, Y) for how in (None, "prior")]
    assert [one.threshold_ for one in moved] == pytest.approx(
        [AT.cut(calibrated_at=0.5).score, AT.cut(calibrated_at=0.1).score]
    )
    assert np.array_equal(*(one.predict(X) for one in moved))
    assert 0 < moved[0].predict(X).sum() < len(X)


def test_members_may_give_distances_where_scores_are_calibrated_anew():
    fitted = Resampled(LinearSVC(), "under", repeats=3, correct="platt").fit(X, Y)
    assert fitted.predict_proba(X)[:, 1].mean() == pytest.approx(0.1, abs=0.01)
    assert_refused(
        "BR850",
        "LinearSVC has no predict_proba",
        lambda: Resampled(LinearSVC()).fit(X, Y).predict_proba(X),
    )


def test_a_search_finds_its_parameters():
    search = GridSearchCV(
        Resampled(KNeighborsClassifier()),
        {"sampler": ["under", "over"], "estimator__n_neighbors": [5, 15]},
        cv=3,
    ).fit(X, Y)
    assert search.best_estimator_.sampler in {"under", "over"}
    assert response(search, X).corrected == "1/9"


def test_the_seed_alone_decides():
    first, second, other = (
        Resampled(random_state=seed).fit(X, Y).predict_proba(X) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
    assert np.array_equal(
        pickle.loads(pickle.dumps(Resampled(random_state=1).fit(X, Y))).predict_proba(X), first
    )


def test_what_cannot_be_sampled_is_refused():
    assert_refused("BR910", 'got "smoke"', lambda: Resampled(sampler="smoke").fit(X, Y))
    assert_refused(
        "BR910",
        "StandardScaler does not resample",
        lambda: Resampled(sampler=StandardScaler()).fit(X, Y),
    )
    assert_refused("BR910", 'got "twice"', lambda: Resampled(correct="twice").fit(X, Y))
    assert_refused(
        "BR910",
        "repeats are a whole number from 1 on, got 0",
        lambda: Resampled(repeats=0).fit(X, Y),
    )
    assert_refused(
        "BR910", "scores are not corrected", lambda: Resampled(correct=None, prior=0.01).fit(X, Y)
    )
    few = Resampled(sampler="focused", correct="isotonic")
    assert_refused(
        "BR543", "a class has 3 cases, too few for 5 folds", lambda: few.fit(X[:903], Y[:903])
    )
    with pytest.raises(ValueError, match="all are of one class"):
        Resampled().fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="Only binary classification"):
        Resampled().fit(X, np.arange(1000) % 3)


@pytest.mark.parametrize(
    "sampler",
    [
        *sorted(set(SAMPLERS) - {"under", "over", "hybrid"}),
        SMOTE(),
        RandomOverSampler(shrinkage=0.5),
    ],
)
def test_where_no_one_number_corrects_it_is_said_and_calibration_offered(sampler):
    assert_refused(
        "BR911",
        "does not draw at random within a class.*isotonic",
        lambda: Resampled(sampler=sampler).fit(X, Y),
    )


# ---- corrected once ---------------------------------------------------------------------------


def test_scores_that_the_learner_corrected_are_not_corrected_again():
    fitted = Resampled().fit(X, Y)
    at = br.Conditions(prior=0.01)
    for counts in (
        count_estimator(fitted, X, Y),
        count_folds(Resampled(), X, Y, cv=2)[1],
        count_folds(Resampled(), X, Y, cv=2).total(),
    ):
        assert counts.ledger.corrected == "1/9"
        assert_refused(
            "BR536",
            "were corrected before, by 1/9",
            lambda counts=counts: br.shift.correct_prior(counts, calibrated_at=0.1, at=at),
        )
    piped = make_pipeline(StandardScaler(), Resampled()).fit(X, Y)
    assert count_estimator(piped, X, Y).ledger.corrected == "1/9"


def test_correcting_by_hand_is_what_the_learner_does():
    raw, corrected = (
        count_estimator(Resampled(correct=how).fit(X, Y), X, Y) for how in (None, "prior")
    )
    by_hand = br.shift.correct_prior(raw, calibrated_at=0.5, at=br.Conditions(prior="1 in 10"))
    assert by_hand.scores == pytest.approx(corrected.scores, rel=1e-12)
    assert by_hand.ledger.corrected == corrected.ledger.corrected
    assert br.auc(raw) == br.auc(corrected)


def test_another_base_rate_is_said_once_to_the_learner():
    there = Resampled(prior="1 in 1000").fit(X, Y)
    raw = Resampled(correct=None).fit(X, Y).predict_proba(X)[:, 1]
    assert there.corrected_ == "1/999"
    assert there.predict_proba(X)[:, 1] == pytest.approx(raw / (raw + 999 * (1 - raw)), rel=1e-9)
    anew = Resampled(sampler="focused", correct="isotonic", prior=0.01).fit(X, Y)
    assert anew.corrected_ == "1/11"
    same = Resampled(sampler="focused", correct="isotonic").fit(X, Y)
    assert same.corrected_ == ""
    here = same.predict_proba(X)[:, 1]
    assert anew.predict_proba(X)[:, 1] == pytest.approx(here / (here + 11 * (1 - here)), rel=1e-9)
