"""`calibrated_at_`, the base rate at which probabilities hold, of learners that weigh or sample,
alone or one inside another: known weights are taken back, and where no base rate is known, what
needs one is refused.
"""

import numpy as np
import pytest
from imblearn.ensemble import (
    BalancedRandomForestClassifier,
    EasyEnsembleClassifier,
    RUSBoostClassifier,
)
from imblearn.under_sampling import RandomUnderSampler
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tests.inference.refusals import assert_refused

import baserate as br
from baserate_learners import (
    CostSensitiveTree,
    CostWeighted,
    MetaCost,
    MinimumExpectedCost,
    MovedThreshold,
    Resampled,
)

RNG = np.random.default_rng(0)
PRIOR, SHIFT = 0.0507, 1.5
Y = (RNG.random(40_000) < PRIOR).astype(int)
X = RNG.normal(size=(40_000, 1)) + SHIFT * Y[:, None]
RARE = br.Conditions(prior=0.001, costs=br.Costs(fp=1, fn=50))
GRID = np.linspace(-3, 6, 9001)[:, None]
BALANCED = LogisticRegression(class_weight="balanced")


def weighed(fn):
    return br.Conditions(costs=br.Costs(fp=1, fn=fn))


def tree(**said):
    return CostSensitiveTree(
        DecisionTreeClassifier(class_weight="balanced", min_samples_leaf=500), weighed(5), **said
    )


def cut(learner):
    """Where along x does it begin to flag?"""
    return GRID[np.argmax(learner.fit(X, Y).predict(GRID) == 1), 0]


BEST = (
    np.log(0.999 / 0.001 / 50) + SHIFT**2 / 2
) / SHIFT  # where flagging breaks even at RARE: 2.75
INSIDE = {
    "tree": tree(),
    "tree-weights": tree(weights=True),
    "weighted": CostWeighted(BALANCED, weighed(5)),
}


@pytest.mark.parametrize("learner", INSIDE.values(), ids=INSIDE)
def test_class_weights_inside_leave_no_base_rate_that_is_known(learner):
    assert learner.fit(X, Y).calibrated_at_ is None
    moved = MovedThreshold(learner, RARE)
    assert_refused(
        "BR536",
        r"class_weight of \w+ left probabilities that are calibrated at no base rate",
        lambda: moved.fit(X, Y),
    )
    for told in (
        MinimumExpectedCost(learner, br.Costs(fn=10)),
        MetaCost(learner, br.Costs(fn=10), resamples=1),
    ):
        assert_refused("BR536", "costs would count twice", lambda told=told: told.fit(X, Y))


def test_a_tree_that_counts_its_shares_anew_may_weigh_classes_while_it_splits():
    """At the base rate of the cases all the same, so that its threshold is the right one."""
    fitted = tree(split=True).fit(X, Y)
    assert fitted.calibrated_at_ == pytest.approx(Y.mean())
    assert fitted.predict_proba(X)[:, 1].mean() == pytest.approx(Y.mean())


def test_known_weights_inside_are_accounted_for():
    """Sampled and weighted: both are taken back, and the cut lies where theory has it."""
    learner = CostWeighted(LogisticRegression(C=1e6), weighed(10))
    fitted = Resampled(learner, "under").fit(X, Y)
    assert fitted.calibrated_at_ == pytest.approx(Y.mean())
    assert fitted.sampled_prior_ == 0.5
    assert fitted.predict_proba(X)[:, 1].mean() == pytest.approx(Y.mean(), rel=0.03)
    as_it_is = Resampled(learner, "under", correct=None).fit(X, Y)
    assert as_it_is.calibrated_at_ == pytest.approx(10 / 11)
    for one in (learner, fitted, as_it_is):
        assert cut(MovedThreshold(one, RARE)) == pytest.approx(BEST, abs=0.06)


INNER = {
    "class-weight": BALANCED,
    "forest": BalancedRandomForestClassifier(n_estimators=2, random_state=0),
}


@pytest.mark.parametrize("learner", INNER.values(), ids=INNER)
def test_a_sample_of_what_weighs_or_samples_itself_has_no_factor(learner):
    sampler = RandomUnderSampler(sampling_strategy=0.2)
    refused = Resampled(learner, sampler)
    assert_refused(
        "BR536",
        r"\w+ weighs or resamples by itself.*calibrates again",
        lambda: refused.fit(X[:4000], Y[:4000]),
    )
    assert Resampled(learner, sampler, correct=None).fit(X[:4000], Y[:4000]).calibrated_at_ is None


def test_calibrated_anew_it_does_not_matter_what_was_inside():
    fitted = Resampled(BALANCED, RandomUnderSampler(sampling_strategy=0.2), correct="platt").fit(
        X, Y
    )
    assert fitted.calibrated_at_ == pytest.approx(Y.mean())
    assert fitted.predict_proba(X)[:, 1].mean() == pytest.approx(Y.mean(), rel=0.03)


def test_weights_around_an_ensemble_that_samples_leave_no_base_rate_that_is_known():
    assert CostWeighted(INNER["forest"], weighed(5)).fit(X[:4000], Y[:4000]).calibrated_at_ is None


@pytest.mark.parametrize(
    "ensemble", [BalancedRandomForestClassifier, EasyEnsembleClassifier, RUSBoostClassifier]
)
def test_ensembles_that_sample_are_noticed(ensemble):
    learner = ensemble(n_estimators=2, random_state=0)
    few = X[:4000], Y[:4000]
    assert_refused(
        "BR536",
        "RandomUnderSampler in",
        lambda: MinimumExpectedCost(learner, br.Costs(fn=10)).fit(*few),
    )
    assert_refused(
        "BR507", "RandomUnderSampler in", lambda: MovedThreshold(learner, RARE).fit(*few)
    )


TENTH = np.repeat([0, 1], [900, 100])
ROWS = np.random.default_rng(1).normal(size=(1000, 1)) + TENTH[:, None]


def test_weights_that_swap_the_shares_of_the_classes_have_moved_them():
    """1:81 turns one positive in ten into nine in ten, which is the share that the negatives
    had.
    """
    swapped = CostWeighted(LogisticRegression(), weighed(81))
    assert swapped.fit(ROWS, TENTH).calibrated_at_ == pytest.approx(0.9)
    for told in (MinimumExpectedCost(swapped), MetaCost(swapped, resamples=1)):
        assert_refused(
            "BR536", "CostWeighted were moved off", lambda told=told: told.fit(ROWS, TENTH)
        )


def test_the_base_rate_of_the_other_class_is_turned():
    """Positive inside is fraud, and outside is legit: the very cases are flagged that are so where
    both say fraud.
    """
    words = np.where(TENTH == 1, "fraud", "legit")
    inside = CostWeighted(LogisticRegression(), weighed(5), pos_label="fraud")
    same = MovedThreshold(inside, weighed(10), pos_label="fraud").fit(ROWS, words).predict(ROWS)
    turned = (
        MovedThreshold(inside, br.Conditions(costs=br.Costs(fp=10, fn=1)), pos_label="legit")
        .fit(ROWS, words)
        .predict(ROWS)
    )
    assert np.array_equal(same, turned)
    assert 0 < np.mean(same == "fraud") < 1
    even = MinimumExpectedCost(
        CostWeighted(LogisticRegression(), pos_label="fraud"), br.Costs(fn=5), pos_label="fraud"
    )
    assert (even.fit(ROWS, words).predict(ROWS) == "fraud").any()
