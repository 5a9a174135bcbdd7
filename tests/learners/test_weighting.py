"""Training cases weighed by what they cost: the weights, learners fitted to them, and probabilities
taken back to the true base rate.
"""

from fractions import Fraction

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import scorer
from baserate_learners import CostWeighted, MovedThreshold, cost_weights

Y = np.repeat([0, 1], [900, 100])
X = np.random.default_rng(5).normal(size=(1000, 2)) + Y[:, None] * [1.0, 0.8]
COSTS = br.Costs(fp=1, fn=10)
AT = br.Conditions(costs=COSTS)


@pytest.mark.parametrize(
    "costs", [br.Costs(), COSTS, br.Costs(fp=1, fn=100, tp=-1), br.Costs(fp=3, fn=2, tn=-1)]
)
@pytest.mark.parametrize("prior", [None, 0.001, 0.5])
def test_weights_are_what_is_at_stake(costs, prior):
    """In fractions: class by class the weights add up to what misses and false alarms can cost at
    the base rate.
    """
    weights = cost_weights(Y, at=br.Conditions(prior=prior, costs=costs))
    share = Fraction(1, 10) if prior is None else Fraction(str(prior))
    lost = share * (Fraction(costs.fn) - Fraction(costs.tp))
    nuisance = (1 - share) * (Fraction(costs.fp) - Fraction(costs.tn))
    assert weights.mean() == pytest.approx(1)
    assert weights[Y == 1].sum() / weights.sum() == pytest.approx(
        float(lost / (lost + nuisance)), rel=1e-12
    )
    assert len(np.unique(weights[Y == 1])) == len(np.unique(weights[Y == 0])) == 1


def test_equal_costs_at_the_base_rate_of_the_sample_weigh_nothing():
    assert (cost_weights(Y) == 1).all()
    assert (cost_weights(np.where(Y == 1, "spam", "ham")) == 1).all()  # whichever is positive


def test_amounts_are_the_weights_of_the_positives():
    amounts = np.arange(1000.0)
    weights = cost_weights(
        Y, at=br.Conditions(costs=br.Costs(fp=2, tp=950, fn=1000)), amounts=amounts
    )
    raw = np.where(Y == 1, np.maximum(amounts - 950, 0), 2)
    assert weights == pytest.approx(raw / raw.mean(), rel=1e-12)
    assert not weights[900:951].any()  # better missed than caught
    assert_refused(
        "BR515",
        "no positive is worth catching",
        lambda: cost_weights([0, 1], at=AT, amounts=[5, 0]),
    )


def test_a_weighted_learner_is_one_of_repeated_cases():
    """T29 (3): weights in whole numbers are repetitions."""
    weighted = CostWeighted(GaussianNB(var_smoothing=0), AT).fit(X, Y)
    repeated = np.repeat(np.arange(1000), np.where(Y == 1, 10, 1))
    by_hand = GaussianNB(var_smoothing=0).fit(X[repeated], Y[repeated])
    assert weighted.predict_proba(X) == pytest.approx(by_hand.predict_proba(X), rel=1e-9)
    assert weighted.calibrated_at_ == pytest.approx(1000 / 1900)


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(),
        GaussianNB(),
        DecisionTreeClassifier(min_samples_leaf=30, random_state=0),
    ],
)
def test_weights_lower_the_cost(learner):
    rng = np.random.default_rng(6)
    labels = (rng.random(20000) < 0.1).astype(int)
    rows = rng.normal(size=(20000, 2)) + labels[:, None] * [1.0, 0.8]
    costs = []
    for fitted in (learner.fit(X, Y), CostWeighted(learner, AT).fit(X, Y)):
        answers = fitted.predict(rows)
        costs.append(
            10 * np.mean((labels == 1) & (answers == 0)) + np.mean((labels == 0) & (answers == 1))
        )
    assert costs[1] < 0.8 * costs[0]


def off_calibration(labels, p):
    """Chi-square of ten bins of equal size, on cases that were not fitted to: about 10 where
    calibrated, above 29.6 once in a thousand.
    """
    bins = np.array_split(np.argsort(p), 10)
    return sum(
        (labels[one].sum() - p[one].sum()) ** 2 / (p[one] * (1 - p[one])).sum() for one in bins
    )


@pytest.mark.parametrize("prior", [None, 0.3])
def test_probabilities_taken_back_to_the_true_base_rate_are_calibrated(prior):
    """Weighted learning moves the base rate; corrected back by `calibrated_at_` a calibration test
    passes, and uncorrected it fails by far.
    """
    rng = np.random.default_rng(7)
    labels = (rng.random(40000) < 0.1).astype(int)
    rows = rng.normal(size=(40000, 2)) + labels[:, None] * [1.0, 0.8]
    train, test = slice(0, 20000), slice(20000, None)
    weighted = CostWeighted(LogisticRegression(C=1e6), br.Conditions(prior=prior, costs=COSTS)).fit(
        rows[train], labels[train]
    )
    raw = weighted.predict_proba(rows[test])[:, 1]
    back = br.shift.correct_probabilities(
        raw,
        calibrated_at=weighted.calibrated_at_,
        at=br.Conditions(prior=float(labels[train].mean())),
    )
    assert off_calibration(labels[test], back) < 29.6
    assert off_calibration(labels[test], raw) > 1000
    assert abs(back.mean() - 0.1) < 0.01 < abs(raw.mean() - 0.1)


def test_the_threshold_of_weighted_probabilities_knows_what_was_done():
    weighted = CostWeighted(GaussianNB(), AT)
    later = br.Conditions(prior=0.01, costs=br.Costs(fp=1, fn=50))
    moved = MovedThreshold(weighted, later).fit(X, Y)
    p = br.shift.correct_probabilities(
        moved.predict_proba(X)[:, 1], calibrated_at=moved.estimator_.calibrated_at_, at=later
    )
    assert np.array_equal(moved.predict(X) == 1, p > later.costs.threshold)


def test_amounts_leave_no_base_rate_to_take_back():
    amounts = np.linspace(1, 50, 1000)
    assert CostWeighted(GaussianNB(), AT).fit(X, Y, amounts=amounts).calibrated_at_ is None
    moved = MovedThreshold(CostWeighted(GaussianNB(), AT), AT)
    assert_refused("BR536", "calibrated at no base rate", lambda: moved.fit(X, Y, amounts=amounts))


def test_amounts_are_learned_from():
    """Of two kinds of positives the dear one decides: per-case amounts move the border towards it,
    and lower the money lost.
    """
    rng = np.random.default_rng(9)

    def cases(number):
        labels = (rng.random(number) < 0.2).astype(int)
        dear = rng.random(number) < 0.3
        rows = rng.normal(size=(number, 2)) + labels[:, None] * np.where(
            dear[:, None], [0.3, 1.5], [1.5, 0.3]
        )
        return rows, labels, np.where(dear, 40.0, 1.0)

    (rows, labels, amounts), (field, truth, money) = cases(3000), cases(30000)
    at = br.Conditions(costs=br.Costs(fp=2, fn=float(amounts[labels == 1].mean())))

    def lost(answers):
        return (
            money[(truth == 1) & (answers == 0)].sum() + 2 * ((truth == 0) & (answers == 1)).sum()
        )

    by_mean = CostWeighted(LogisticRegression(), at).fit(rows, labels)
    by_case = CostWeighted(LogisticRegression(), at).fit(rows, labels, amounts=amounts)
    assert lost(by_case.predict(field)) < 0.95 * lost(by_mean.predict(field))


def test_amounts_are_routed_to_their_cases():
    amounts = np.linspace(1, 90, 1000)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = CostWeighted(GaussianNB(), AT).set_fit_request(amounts=True)
        found = cross_validate(
            asked,
            X,
            Y,
            cv=3,
            params={"amounts": amounts},
            scoring=scorer("auc"),
            return_indices=True,
            return_estimator=True,
        )
    for fitted, train in zip(found["estimator"], found["indices"]["train"], strict=True):
        by_hand = CostWeighted(GaussianNB(), AT).fit(X[train], Y[train], amounts=amounts[train])
        assert np.array_equal(fitted.predict_proba(X), by_hand.predict_proba(X))


def test_what_takes_no_weights_is_refused():
    assert_refused(
        "BR850",
        "KNeighborsClassifier takes no weights",
        lambda: CostWeighted(KNeighborsClassifier(), AT).fit(X, Y),
    )
    piped = make_pipeline(StandardScaler(), LogisticRegression())
    assert_refused(
        "BR850", "of a pipeline, wrap its last step", lambda: CostWeighted(piped, AT).fit(X, Y)
    )
    wrapped = make_pipeline(StandardScaler(), CostWeighted(LogisticRegression(), AT)).fit(X, Y)
    assert wrapped.predict(X).sum() > piped.fit(X, Y).predict(X).sum()


def test_several_classes_are_refused():
    assert_refused("BR901", "Only binary classification", lambda: cost_weights([0, 1, 2], at=AT))
    assert_refused("BR901", "one class", lambda: cost_weights([1, 1], at=AT))
    assert_refused(
        "BR515",
        r"one number per case, 2 here",
        lambda: cost_weights([0, 1], at=AT, amounts=[1, 2, 3]),
    )
    assert_refused(
        "BR515", r"below 0 \(index 1\)", lambda: cost_weights([0, 1], at=AT, amounts=[1, -2])
    )
