"""Weights given to fit are checked before anything is learned: one per case, finite, 0 or more, and
some in every class.
"""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import count_folds
from baserate_learners import MinimumExpectedCost, MovedThreshold

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], [70, 30])
X = RNG.normal(size=(100, 2)) + Y[:, None]
AT = br.Conditions(prior=0.05, costs=br.Costs(fp=1, fn=5))
FITTED = {
    "moved": (
        lambda weights: MovedThreshold(GaussianNB(), AT, calibrated_at="sample").fit(
            X, Y, sample_weight=weights
        )
    ),
    "moved-by-folds": (
        lambda weights: MovedThreshold(GaussianNB(), AT, method="empirical").fit(
            X, Y, sample_weight=weights
        )
    ),
    "least-cost": (
        lambda weights: MinimumExpectedCost(GaussianNB(), AT.costs).fit(X, Y, sample_weight=weights)
    ),
    "folds": lambda weights: count_folds(GaussianNB(), X, Y, params={"sample_weight": weights}),
}


def with_one(weight):
    return np.where(np.arange(100) == 3, weight, 1.0)


@pytest.mark.parametrize(
    ("weights", "code", "words"),
    [
        (np.ones(3), "BR212", "lengths differ: y 100, sample_weight 3"),
        (np.ones((100, 2)), "BR204", "sample_weight has 2 columns"),
        (with_one(np.nan), "BR303", r"sample_weight has 1 missing or NaN weight \(index 3\)"),
        (with_one(np.inf), "BR303", r"sample_weight has 1 infinite weight \(index 3\)"),
        (with_one(-1), "BR303", r"sample_weight has 1 negative weight, such as -1 \(index 3\)"),
        (np.full(100, 1e307), "BR303", "the total weight overflows"),
    ],
)
@pytest.mark.parametrize("fitted", FITTED.values(), ids=FITTED)
def test_weights_that_are_none_are_refused_in_one_line(fitted, weights, code, words):
    assert_refused(code, words, lambda: fitted(weights))


@pytest.mark.parametrize(
    "fitted", [FITTED["moved"], FITTED["moved-by-folds"], FITTED["least-cost"]]
)
@pytest.mark.parametrize(("weights", "name"), [(1 - Y, 1), (Y, 0), (np.zeros(100), 0)])
def test_a_class_that_weighs_nothing_is_refused(fitted, weights, name):
    assert_refused(
        "BR901",
        f"sample_weight leaves no case of class {name}: nothing can be learned of it",
        lambda: fitted(weights),
    )


def test_so_is_one_of_several_classes():
    kinds = np.array(["a", "b", "c"])[np.arange(100) % 3]
    learner = MinimumExpectedCost(LogisticRegression(), 1 - np.eye(3))
    assert_refused(
        "BR901",
        'no case of class "b"',
        lambda: learner.fit(X, kinds, sample_weight=np.where(kinds == "b", 0, 1)),
    )
    kept = kinds != "b"
    fitted = MinimumExpectedCost(GaussianNB(), 1 - np.eye(2)).fit(
        X[kept], kinds[kept], sample_weight=np.ones(kept.sum())
    )
    assert set(fitted.predict(X)) == {"a", "c"}
