"""MetaCost: who speaks of which case, what is relabelled, several classes, and that it pays."""

from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import response
from baserate_learners import LDC, MetaCost, minimum_expected_cost

RATIOS = (1, 2, 5, 10, 50)


def drawn(cases, prior, seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(cases) < prior).astype(int)
    return rng.normal(size=(cases, 3)) + labels[:, None] * [1.0, 1.0, 0.0], labels


X, Y = drawn(500, 0.2, 1)


class Memory(ClassifierMixin, BaseEstimator):
    """Certain of cases that it has seen, and of others says 0.3. A case is its number."""

    def fit(self, rows, y):
        self.classes_, self.seen_ = (
            np.unique(y),
            dict(zip(np.asarray(rows)[:, 0].tolist(), y.tolist(), strict=True)),
        )
        return self

    def predict_proba(self, rows):
        shares = np.array(
            [float(self.seen_.get(number, 0.3)) for number in np.asarray(rows)[:, 0].tolist()]
        )
        return np.stack([1 - shares, shares], axis=1)

    def predict(self, rows):
        return self.classes_[(self.predict_proba(rows)[:, 1] > 0.5).astype(int)]


NUMBERS = np.arange(60)[:, None]
KNOWN = np.repeat([0, 1], [40, 20])


def test_out_of_bag_only_copies_that_did_not_see_a_case_speak_of_it():
    told = MetaCost(Memory(), br.Costs(fp=1, fn=2), resamples=40).fit(NUMBERS, KNOWN)
    assert told.probabilities_[:, 1] == pytest.approx(
        [0.3] * 60
    )  # with 40 copies, some have missed each case
    assert not told.labels_.any()  # 0.3 lies below 1/3
    assert told.relabelled_share_ == pytest.approx(1 / 3)


def test_in_bag_all_copies_speak():
    told = MetaCost(Memory(), br.Costs(fp=1, fn=2), resamples=40, out_of_bag=False).fit(
        NUMBERS, KNOWN
    )
    # A copy has seen a case with probability 1 − 1/e or so, and is certain then.
    means = [told.probabilities_[code == KNOWN, 1].mean() for code in (0, 1)]
    assert means == pytest.approx([0.3 / np.e, 1 - 0.7 / np.e], abs=0.03)
    assert np.array_equal(told.labels_, KNOWN)


def test_a_case_that_every_copy_has_seen_is_spoken_of_by_all():
    told = MetaCost(Memory(), resamples=1).fit(NUMBERS, KNOWN)
    certain = np.isin(told.probabilities_[:, 1], [0.0, 1.0])
    assert 0 < certain.sum() < 60
    assert np.array_equal(told.probabilities_[certain, 1], KNOWN[certain])
    assert (told.probabilities_[~certain, 1] == 0.3).all()


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier(min_samples_leaf=10), GaussianNB(), LDC()]
)
@pytest.mark.parametrize("prior", [0.1, 0.3])
def test_the_share_relabelled_never_falls_as_misses_get_dearer(learner, prior):
    rows, labels = drawn(500, prior, 0)
    told = [
        MetaCost(learner, br.Costs(fp=1, fn=ratio), resamples=15).fit(rows, labels)
        for ratio in RATIOS
    ]
    assert (np.diff([one.relabelled_share_ for one in told]) >= 0).all()
    for fewer, more in pairwise(told):  # and what was called positive stays so, exactly
        assert not ((fewer.labels_ == 1) & (more.labels_ == 0)).any()
    assert told[-1].relabelled_share_ > told[0].relabelled_share_


def test_what_is_learned_is_the_least_expected_cost_of_each_case():
    told = MetaCost(GaussianNB(), br.Costs(fp=1, fn=10), resamples=10).fit(X, Y)
    assert np.array_equal(
        told.labels_, minimum_expected_cost(told.probabilities_, [[0, 1], [10, 0]])
    )
    assert np.array_equal(told.predict(X), GaussianNB().fit(X, told.labels_).predict(X))
    assert told.relabelled_share_ == np.mean(told.labels_ != Y)


def test_it_answers_with_labels_only():
    told = MetaCost(GaussianNB()).fit(X, Y)
    assert not hasattr(told, "predict_proba")
    assert response(told, X).kind == "predict"


def test_it_lowers_the_cost_of_learners_that_know_nothing_of_costs():
    field, truth = drawn(20000, 0.2, 2)
    for learner in (DecisionTreeClassifier(random_state=0), LinearSVC()):
        costs = []
        for fitted in (
            learner.fit(X, Y),
            MetaCost(learner, br.Costs(fp=1, fn=10), resamples=20).fit(X, Y),
        ):
            answers = fitted.predict(field)
            costs.append(
                10 * np.mean((truth == 1) & (answers == 0)) + np.mean((truth == 0) & (answers == 1))
            )
        assert costs[1] < 0.9 * costs[0]


def test_several_classes_have_a_matrix():
    rows, kinds = load_iris(return_X_y=True)
    noisy = rows + np.random.default_rng(3).normal(scale=1.2, size=rows.shape)
    matrix = np.array([[0, 1, 1], [1, 0, 1], [20, 20, 0]])
    words = np.array(["a", "b", "c"])[kinds]
    told = MetaCost(GaussianNB(), matrix, resamples=10).fit(noisy, words)
    assert np.array_equal(
        told.labels_, np.array(["a", "b", "c"])[minimum_expected_cost(told.probabilities_, matrix)]
    )
    plain = GaussianNB().fit(noisy, words).predict(noisy)
    places = {"a": 0, "b": 1, "c": 2}
    total = [
        sum(matrix[kinds[i], places[answer]] for i, answer in enumerate(answers))
        for answers in (plain, told.predict(noisy))
    ]
    assert total[1] < total[0]


def test_where_one_answer_is_the_cheapest_for_all_it_is_given():
    told = MetaCost(LogisticRegression(), br.Costs(fp=1, fn=10**6), resamples=3).fit(X, Y)
    assert told.relabelled_share_ == pytest.approx(np.mean(Y == 0))
    assert told.predict(X).all()
    assert told.n_features_in_ == 3


def test_the_same_seed_gives_the_same_labels():
    first, second, other = (
        MetaCost(DecisionTreeClassifier(max_features=1), resamples=5, random_state=s)
        .fit(X, Y)
        .probabilities_
        for s in (1, 1, 2)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_what_cannot_be_resampled_is_refused():
    assert_refused(
        "BR580", "a whole number from 1 on", lambda: MetaCost(GaussianNB(), resamples=0).fit(X, Y)
    )
    for most in (0, -3, 1.5, 0.0, True, "all"):
        assert_refused(
            "BR580",
            "max_samples is a whole number",
            lambda most=most: MetaCost(GaussianNB(), max_samples=most).fit(X, Y),
        )
    assert_refused("BR901", "one class", lambda: MetaCost(GaussianNB()).fit(X, np.ones(500)))
    assert_refused(
        "BR904", "2 rows and as many columns", lambda: MetaCost(GaussianNB(), [[0, 1]]).fit(X, Y)
    )


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_copies_fitted_at_a_time_say_the_same(jobs):
    rng = np.random.default_rng(2)
    features = rng.normal(size=(200, 4))
    labels = (features[:, 0] + rng.normal(size=200) > 1).astype(int)
    one, other = (
        MetaCost(DecisionTreeClassifier(max_features=2), br.Costs(fn=5), n_jobs=n).fit(
            features, labels
        )
        for n in (None, jobs)
    )
    assert (one.probabilities_ == other.probabilities_).all()
    assert (one.labels_ == other.labels_).all()


class Sizes(GaussianNB):
    """Remembers how many cases of each class it was given."""

    seen: ClassVar = []

    def fit(self, X, y):  # noqa: N803
        type(self).seen.append(np.bincount(y).tolist())
        return super().fit(X, y)


@pytest.mark.parametrize(
    ("most", "sizes"), [(None, [400, 100]), (500, [400, 100]), (50, [40, 10]), (0.3, [120, 30])]
)
def test_a_bootstrap_sample_has_at_most_so_many_cases_of_each_class_its_share(most, sizes):
    labels = np.repeat([0, 1], [400, 100])
    Sizes.seen = []
    MetaCost(Sizes(), br.Costs(fn=3), resamples=4, max_samples=most).fit(X, labels)
    assert Sizes.seen[:4] == [sizes] * 4


def test_no_class_is_lost_from_a_small_bootstrap_sample():
    labels = np.repeat([0, 1], [498, 2])
    Sizes.seen = []
    MetaCost(Sizes(), br.Costs(fn=3), resamples=4, max_samples=20).fit(X, labels)
    assert Sizes.seen[:4] == [[20, 1]] * 4
