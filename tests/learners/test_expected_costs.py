"""The answer of the least expected cost: loop by loop in fractions, the threshold of two classes,
ties, matrices that are none.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from tests.inference.refusals import assert_refused

import baserate as br
from baserate_learners import MinimumExpectedCost, minimum_expected_cost

IRIS, KINDS = load_iris(return_X_y=True)
NOISY = IRIS + np.random.default_rng(1).normal(scale=1.2, size=IRIS.shape)
TABLE_5_7 = br.Costs(fp=1, fn=100, tp=-1, tn=0)


@st.composite
def cases_and_costs(draw):
    """Shares in fractions, and a matrix of whole costs whose right answers are the cheapest."""
    classes = draw(st.integers(2, 5))
    rows = draw(
        st.lists(
            st.lists(st.integers(0, 30), min_size=classes, max_size=classes).filter(any),
            min_size=1,
            max_size=8,
        )
    )
    wrong = [[draw(st.integers(0, 100)) for _ in range(classes)] for _ in range(classes)]
    right = [draw(st.integers(-5, 5)) for _ in range(classes)]
    matrix = [
        [right[j] + (0 if i == j else wrong[j][i]) for i in range(classes)] for j in range(classes)
    ]
    return [[Fraction(share, sum(row)) for share in row] for row in rows], matrix


@given(cases_and_costs())
def test_T31_the_least_expected_cost_is_that_of_loops(drawn):
    """T31, eq. 5.82: label i minimising Σ_j p(j|t) C(j, i), in fractions; of equals the first."""
    rows, matrix = drawn
    expected = []
    for row in rows:
        costs = [sum(row[j] * matrix[j][i] for j in range(len(row))) for i in range(len(row))]
        expected.append(costs.index(min(costs)))
    found = minimum_expected_cost([[float(share) for share in row] for row in rows], matrix)
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("fp", "fn", "cut"),
    [
        (1, 5, Fraction(1, 6)),
        (1, 1, Fraction(1, 2)),
        (5, 1, Fraction(5, 6)),
        (3, 7, Fraction(3, 10)),
    ],
)
def test_T32_two_classes_are_cut_at_the_ratio_of_costs(fp, fn, cut):
    """T32, eq. 5.83: 1:5 → 1/6; T30: at the cut itself the answer is the negative class, strictly
    above it the positive one.
    """
    shares = [cut - Fraction(1, 1000), cut, cut + Fraction(1, 1000)]
    found = minimum_expected_cost(
        [[float(1 - share), float(share)] for share in shares], [[0, fp], [fn, 0]]
    )
    assert found.tolist() == [0, 0, 1]
    assert br.Costs(fp=fp, fn=fn).threshold == float(cut)


def test_T32_a_reward_moves_the_cut_too():
    """T32, erratum B10: Table 5.7 gives 1/102, where eq. 5.83 as printed says 1/101; between the
    two its answer costs more.
    """
    matrix, between = [[0, 1], [100, -1]], 0.0098525
    assert TABLE_5_7.threshold == float(Fraction(1, 102))
    assert float(Fraction(1, 102)) < between < float(Fraction(1, 101))
    assert minimum_expected_cost([[1 - between, between]], matrix).tolist() == [1]
    costs = np.array([1 - between, between]) @ np.array(matrix)
    assert costs == pytest.approx([0.98525, 0.98030], abs=6e-6)


@given(st.integers(1, 1000), st.integers(1, 1000))
def test_T33_a_dearer_miss_lowers_the_threshold_below_a_half(fp, fn):
    """T33: C(−,+) < C(+,−) ⇒ threshold < 0.5, and the reverse."""
    threshold = br.Costs(fp=fp, fn=fn).threshold
    assert (threshold < 0.5) == (fp < fn)
    assert (threshold > 0.5) == (fp > fn)


def test_T30_equal_costs_are_the_majority_and_a_tie_is_negative():
    """T30, eq. 5.81: positive where p(+|t) > 0.5, strictly, whichever class comes first in the
    alphabet.
    """
    rows, labels = [[0], [0], [1], [1], [1]], ["fraud", "legit", "fraud", "fraud", "legit"]
    for positive, answer in (("fraud", "legit"), ("legit", "fraud")):
        told = MinimumExpectedCost(_Shares(), br.Costs(), pos_label=positive).fit(rows, labels)
        assert told.predict([[0], [1]]).tolist() == [answer, "fraud"]


class _Shares(GaussianNB):
    """The share of each class among the training cases of the same value."""

    def fit(self, X, y):  # noqa: N803
        self.classes_, self.n_features_in_ = np.unique(y), 1
        self.rows_, self.labels_ = np.asarray(X)[:, 0], np.asarray(y)
        return self

    def predict_proba(self, X):  # noqa: N803
        same = self.rows_ == np.asarray(X)[:, :1]
        return np.stack(
            [
                (same & (self.labels_ == one)).sum(axis=1) / same.sum(axis=1)
                for one in self.classes_
            ],
            axis=1,
        )


def test_T31_several_classes_are_answered_by_the_matrix():
    """T31 for three kinds of iris: calling the third anything else is dear, so more is called by
    its name, and it costs less.
    """
    matrix = np.array([[0, 1, 1], [1, 0, 1], [20, 20, 0]])
    plain = GaussianNB().fit(NOISY, KINDS)
    told = MinimumExpectedCost(GaussianNB(), matrix).fit(NOISY, KINDS)
    expected = [
        min(range(3), key=lambda i: sum(row[j] * matrix[j][i] for j in range(3)))
        for row in plain.predict_proba(NOISY)
    ]
    assert told.predict(NOISY).tolist() == expected
    assert matrix[KINDS, told.predict(NOISY)].sum() < matrix[KINDS, plain.predict(NOISY)].sum()
    assert np.array_equal(told.predict_proba(NOISY), plain.predict_proba(NOISY))


def test_without_costs_it_is_the_most_probable_class():
    assert np.array_equal(
        MinimumExpectedCost(GaussianNB()).fit(NOISY, KINDS).predict(NOISY),
        GaussianNB().fit(NOISY, KINDS).predict(NOISY),
    )


def test_costs_and_their_matrix_are_one():
    labels = np.where(KINDS == 2, "yes", "no")
    by_name = MinimumExpectedCost(GaussianNB(), TABLE_5_7).fit(NOISY, labels)
    by_place = MinimumExpectedCost(GaussianNB(), [[0, 1], [100, -1]]).fit(NOISY, labels)
    assert np.array_equal(by_name.predict(NOISY), by_place.predict(NOISY))
    turned = MinimumExpectedCost(GaussianNB(), TABLE_5_7, pos_label="no").fit(NOISY, labels)
    assert turned.cost_matrix_.tolist() == [[-1, 100], [1, 0]]


def test_weights_reach_the_learner_inside():
    weights = np.linspace(0.1, 3, len(KINDS))
    told = MinimumExpectedCost(LogisticRegression(max_iter=1000)).fit(
        NOISY, KINDS, sample_weight=weights
    )
    alone = LogisticRegression(max_iter=1000).fit(NOISY, KINDS, sample_weight=weights)
    assert np.array_equal(told.predict_proba(NOISY), alone.predict_proba(NOISY))
    assert told.n_features_in_ == 4
    assert clone(told).get_params()["estimator__max_iter"] == 1000


@pytest.mark.parametrize(
    ("matrix", "match"),
    [
        ([[0, 1, 2], [1, 0, 1]], "3 rows and as many columns"),
        ([[0, 1], [1, 0]], "3 rows and as many columns"),
        ([[0, 1, np.nan], [1, 0, 1], [1, 1, 0]], "finite"),
        ("cheap", 'got "cheap"'),
        (
            [[0, 1, 1], [1, 2, 1], [1, 1, 0]],
            r"in row 1 the answer 0 costs 1, less than the right one \(2\)",
        ),
        (br.Costs(fp=1, fn=2), "Costs are of two classes, and there are 3"),
        (br.Conditions(prior=0.1), "the base rate is that of the cases"),
    ],
)
def test_what_is_no_cost_matrix_is_refused(matrix, match):
    assert_refused(
        "BR904", match, lambda: MinimumExpectedCost(GaussianNB(), matrix).fit(NOISY, KINDS)
    )


@pytest.mark.parametrize("shares", [[0.2, 0.8], [[0.2, 0.9]], [[1.2, -0.2]], [[np.nan, 1]]])
def test_what_are_no_probabilities_is_refused(shares):
    assert_refused(
        "BR507", "each row adds up to 1", lambda: minimum_expected_cost(shares, [[0, 1], [1, 0]])
    )


def test_a_learner_without_probabilities_is_refused():
    assert_refused(
        "BR850",
        "LinearSVC gives no probabilities",
        lambda: MinimumExpectedCost(LinearSVC()).fit(NOISY, KINDS),
    )
    assert not hasattr(MinimumExpectedCost(LinearSVC()), "predict_proba")


def test_a_class_is_not_guessed_where_costs_differ():
    labels = np.where(KINDS == 2, "one", "other")
    assert_refused(
        "BR102",
        "cannot tell which is positive",
        lambda: MinimumExpectedCost(GaussianNB(), br.Costs(fn=5)).fit(NOISY, labels),
    )
