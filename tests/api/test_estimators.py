"""The border to scikit-learn: scores of every kind of classifier, counts of them and of folds,
scorers wherever scoring is asked for.
"""

import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import count_estimator, count_folds, response, scorer

X, Y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=3)
WORDS = np.where(Y == 1, "fraud", "legit")
AT = br.Conditions(prior=0.02, costs=br.Costs(fp=1, fn=30))


class Rule(ClassifierMixin, BaseEstimator):
    """One rule: the first column above 0.5. It answers with labels, and with nothing else."""

    def fit(self, rows, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, rows):
        return self.classes_[(np.asarray(rows)[:, 0] > 0.5).astype(int)]


KINDS = [
    (DecisionTreeClassifier(max_depth=4), "predict_proba"),
    (KNeighborsClassifier(7), "predict_proba"),
    (GaussianNB(), "predict_proba"),
    (MLPClassifier(max_iter=5000, random_state=0), "predict_proba"),
    (LogisticRegression(), "predict_proba"),
    (GradientBoostingClassifier(n_estimators=10), "predict_proba"),
    (SVC(), "decision_function"),
    (LinearSVC(), "decision_function"),
    (RidgeClassifier(), "decision_function"),
    (Rule(), "predict"),
    (make_pipeline(StandardScaler(), SVC()), "decision_function"),
]


# ---- scores -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "kind"),
    KINDS,
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_S16_every_kind_of_classifier_gives_scores(learner, kind):
    """S16: trees, rules, neural networks, Bayes, nearest neighbours, SVM; the same as asking them
    by hand.
    """
    fitted = learner.fit(X, Y)
    found = response(fitted, X)
    by_hand = getattr(fitted, kind)(X)
    assert (found.kind, found.positive) == (kind, 1)
    assert np.array_equal(found.scores, by_hand[:, 1] if by_hand.ndim == 2 else by_hand)


def test_S16_a_tree_gives_the_share_of_positives_in_the_leaf():
    tree = DecisionTreeClassifier(max_depth=3).fit(X, Y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert response(tree, X).scores[leaves == leaf] == pytest.approx(
            Y[leaves == leaf].mean(), rel=1e-12
        )


@pytest.mark.parametrize("learner", [LogisticRegression(), LinearSVC(), Rule()])
def test_the_positive_class_may_be_either(learner):
    fitted = learner.fit(X, WORDS)
    fraud, legit = (response(fitted, X, pos_label=label).scores for label in ("fraud", "legit"))
    order = {"predict": 1 - fraud}.get(response(fitted, X, pos_label="fraud").kind, -fraud)
    assert np.array_equal(np.argsort(legit, kind="stable"), np.argsort(order, kind="stable"))
    assert fraud[Y == 1].mean() > fraud[Y == 0].mean() or isinstance(learner, Rule)


def test_a_class_is_not_guessed():
    fitted = LogisticRegression().fit(X, WORDS)
    assert_refused("BR102", "cannot tell which is positive", lambda: response(fitted, X))


def test_of_several_classes_one_is_asked_for():
    three = np.where(X[:, 0] > 1, "c", np.where(Y == 1, "b", "a"))
    fitted = LogisticRegression(max_iter=1000).fit(X, three)
    assert np.array_equal(response(fitted, X, pos_label="b").scores, fitted.predict_proba(X)[:, 1])
    assert np.array_equal(
        response(fitted, X, pos_label="b", kind="decision_function").scores,
        fitted.decision_function(X)[:, 1],
    )
    assert count_estimator(fitted, X, three, pos_label="b") == br.count(
        three == "b", fitted.predict_proba(X)[:, 1]
    )
    assert (
        response(fitted, X, pos_label="b", kind="predict").scores.sum()
        == (fitted.predict(X) == "b").sum()
    )


def test_another_kind_may_be_asked_for():
    fitted = LogisticRegression().fit(X, Y)
    assert np.array_equal(
        response(fitted, X, kind="decision_function").scores, fitted.decision_function(X)
    )
    assert set(response(fitted, X, kind="predict").scores) == {0, 1}


def test_what_gives_no_scores_is_refused():
    fitted = LogisticRegression().fit(X, Y)
    assert_refused("BR850", 'got "proba"', lambda: response(fitted, X, kind="proba"))
    assert_refused(
        "BR850",
        "LinearSVC has no predict_proba",
        lambda: response(LinearSVC().fit(X, Y), X, kind="predict_proba"),
    )
    assert_refused(
        "BR850", "it is not a classifier", lambda: response(LinearRegression().fit(X, Y), X)
    )
    assert_refused(
        "BR850", "StandardScaler has no way to answer", lambda: response(StandardScaler().fit(X), X)
    )
    assert_refused(
        "BR850",
        r"y holds 2, and the estimator knows 0, 1 \(index 0\)",
        lambda: count_estimator(fitted, X[:2], [2, 1]),
    )
    with pytest.raises(NotFittedError, match="not fitted"):
        response(LogisticRegression(), X)


# ---- counts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "labels", [Y, Y.astype(bool), np.where(Y == 1, "yes", "no"), np.where(Y == 1, 1, -1)]
)
def test_counts_of_an_estimator_are_those_of_its_scores(labels):
    fitted = LogisticRegression().fit(X, labels)
    assert count_estimator(fitted, X, labels) == br.count(Y, fitted.predict_proba(X)[:, 1])


def test_weights_make_masses():
    fitted, weights = LogisticRegression().fit(X, Y), np.linspace(1, 2, len(Y))
    assert count_estimator(fitted, X, Y, sample_weight=weights) == br.count(
        Y, fitted.predict_proba(X)[:, 1], sample_weight=weights
    )


@pytest.mark.parametrize(
    "made", [np.asarray, pd.DataFrame, csr_matrix], ids=["array", "dataframe", "sparse"]
)
def test_folds_are_scored_by_models_that_did_not_see_them(made):
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    found = count_folds(LogisticRegression(), made(X), Y, cv=cv)
    for fold, (train, test) in enumerate(cv.split(X, Y)):
        scores = (
            LogisticRegression().fit(made(X[train]), Y[train]).predict_proba(made(X[test]))[:, 1]
        )
        assert found[fold] == br.count(Y[test], scores)
    assert found.total().total_positives == Y.sum()


def test_groups_stay_together():
    groups = np.arange(len(Y)) % 10
    found = count_folds(LogisticRegression(), X, Y, cv=GroupKFold(5), groups=groups)
    assert len(list(found)) == 5
    assert found.total().total_negatives == (Y == 0).sum()


def test_the_learner_itself_is_left_alone():
    learner = LogisticRegression()
    count_folds(learner, X, Y, cv=2)
    assert not hasattr(learner, "classes_")


def test_a_fold_without_positives_is_counted_too():
    order = np.argsort(Y, kind="stable")
    splits = [(order[50:], order[:50]), (order[:-50], order[-50:])]
    found = count_folds(LogisticRegression(), X, WORDS, cv=splits, pos_label="fraud")
    assert (found[0].total_positives, found[1].total_negatives) == (0, 0)


# ---- scorers ----------------------------------------------------------------------------------


def cost_by_hand(labels, scores, at):
    """The least expected cost over all thresholds, in fractions."""
    prior, costs = Fraction(1, 50), at.costs
    least = None
    for cut in [np.inf, *np.unique(scores)]:
        flagged = scores >= cut
        missed = Fraction(int((labels & ~flagged).sum()), int(labels.sum()))
        alarms = Fraction(int((~labels & flagged).sum()), int((~labels).sum()))
        cost = prior * missed * costs.fn + (1 - prior) * alarms * costs.fp
        least = cost if least is None else min(cost, least)
    return float(least)


def test_costs_come_negated_and_are_the_least_of_each_fold():
    cv = StratifiedKFold(3)
    found = cross_val_score(
        LogisticRegression(), X, Y, scoring=scorer("expected_cost", at=AT), cv=cv
    )
    for value, (train, test) in zip(found, cv.split(X, Y), strict=True):
        scores = LogisticRegression().fit(X[train], Y[train]).predict_proba(X[test])[:, 1]
        assert -value == pytest.approx(cost_by_hand(Y[test] == 1, scores, AT), rel=1e-12)


def test_a_rule_chooses_the_threshold_and_the_measure_is_read_there():
    asked = scorer("precision", rule="tpr >= 0.8", at=AT)
    fitted = LogisticRegression().fit(X, Y)
    counts = count_estimator(fitted, X, Y)
    assert asked(fitted, X, Y) == br.choose(counts, "tpr >= 0.8", at=AT)["precision"]
    assert scorer("tpr", threshold=0.5)(fitted, X, Y) == br.measure(counts, "tpr", threshold=0.5)


@pytest.mark.parametrize("name", ["auc", "h_measure", "average_precision", "brier"])
def test_summaries_are_scorers_too(name):
    fitted = LogisticRegression().fit(X, Y)
    summary = br.auc if name == "auc" else getattr(br.curves, name)
    value = summary(count_estimator(fitted, X, Y))
    assert scorer(name)(fitted, X, Y) == (-value if name == "brier" else value)


def test_a_grid_is_searched():
    asked = scorer("precision", rule="tpr >= 0.5", at=AT)
    grid = {"max_depth": [1, 3, 6]}
    found = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, scoring=asked, cv=3).fit(
        X, Y
    )
    means = [
        cross_val_score(
            DecisionTreeClassifier(max_depth=d, random_state=0), X, Y, scoring=asked, cv=3
        ).mean()
        for d in grid["max_depth"]
    ]
    assert found.best_params_["max_depth"] == grid["max_depth"][int(np.argmax(means))]
    assert found.best_score_ == pytest.approx(max(means))


def test_several_at_once_are_cross_validated():
    found = cross_validate(
        LinearSVC(),
        X,
        Y,
        scoring={"cost": scorer("expected_cost", at=AT), "auc": scorer("auc")},
        cv=3,
    )
    assert len(found["test_cost"]) == len(found["test_auc"]) == 3


def test_a_tuner_of_thresholds_finds_the_cheapest():
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(),
        scoring=scorer("expected_cost", at=AT),
        cv="prefit",
        refit=False,
        thresholds=200,
        store_cv_results=True,
    )
    tuned.estimator.fit(X, Y)
    tuned.fit(X, Y)
    flagged = br.count(Y, tuned.estimator.predict_proba(X)[:, 1])
    expected = [
        -br.measure(flagged, "expected_cost", threshold=cut, at=AT)
        for cut in tuned.cv_results_["thresholds"]
    ]
    assert tuned.cv_results_["scores"] == pytest.approx(expected, rel=1e-12)
    assert tuned.best_score_ == max(tuned.cv_results_["scores"])


def test_a_tuner_of_thresholds_keeps_the_rule():
    asked = scorer("precision", rule="tpr >= 0.7", at=AT)
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=asked, cv="prefit", refit=False
    )
    tuned.estimator.fit(X, Y)
    tuned.fit(X, Y)
    assert ((tuned.predict(X) == 1) & (Y == 1)).sum() / Y.sum() >= 0.7
    assert tuned.best_score_ == asked._score_func(Y, tuned.predict(X))


@pytest.mark.parametrize("label", ["fraud", "legit"])
def test_a_tuner_heeds_the_positive_label(label):
    asked = scorer("f1", pos_label=label)
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=asked, cv=3).fit(X, WORDS)
    assert tuned.best_score_ > 0.5
    assert asked._score_func(WORDS, WORDS, pos_label=label) == 1


def test_a_tuner_that_flags_nothing_is_told_so():
    asked = scorer("precision", at=AT)
    assert asked._score_func(Y, np.zeros_like(Y)) == -1e9
    assert scorer("expected_cost", at=AT)._score_func(Y, np.zeros_like(Y)) == pytest.approx(
        0.02 * 30
    )


def test_a_summary_has_no_threshold_to_tune():
    assert_refused(
        "BR850", "auc has no threshold to be tuned", lambda: scorer("auc")._score_func(Y, Y)
    )


def test_what_is_wrong_is_said_before_anything_is_fitted():
    assert_refused("BR531", "unknown measure", lambda: scorer("precicion"))
    assert_refused("BR533", "cannot read", lambda: scorer("precision", rule="tpr about 0.8"))
    assert_refused(
        "BR594",
        "give a rule or a threshold for precision, not both",
        lambda: scorer("precision", rule="tpr >= 0.8", threshold=0.5),
    )


def test_a_rule_that_cannot_be_kept_is_nan():
    assert np.isnan(
        scorer("tpr", rule="precision >= 0.99", at=br.Conditions(prior=1e-9))(
            Rule().fit(X, Y), X, Y
        )
    )


def test_a_scorer_travels_to_other_processes():
    asked = scorer("precision", rule="tpr >= 0.5", at=AT)
    assert pickle.loads(pickle.dumps(asked)) == asked


def test_pipelines_that_resample_are_scored():
    pipeline = pytest.importorskip(
        "imblearn.pipeline", reason="needs imbalanced-learn", exc_type=ImportError
    )
    from imblearn.under_sampling import RandomUnderSampler

    balanced = pipeline.make_pipeline(RandomUnderSampler(random_state=0), LogisticRegression())
    assert np.isfinite(
        cross_val_score(balanced, X, Y, scoring=scorer("expected_cost", at=AT), cv=3)
    ).all()
    found = count_folds(balanced, X, Y, cv=3)
    assert found.total().total_negatives == (Y == 0).sum()  # only training folds were thinned
    tuned = TunedThresholdClassifierCV(
        balanced, scoring=scorer("precision", rule="tpr >= 0.5", at=AT), cv=3
    ).fit(X, Y)
    assert 0 < tuned.best_threshold_ < 1


def test_the_package_does_not_import_scikit_learn_before_it_is_needed():
    code = (
        "import sys, baserate, baserate_learners; baserate.scorer; print('sklearn' in sys.modules)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "False"
    )
