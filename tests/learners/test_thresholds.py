"""Thresholds moved by theory and by folds: against formulas and loops, at other base rates, by
amounts, and never corrected twice.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import count_estimator, scorer
from baserate_learners import CostWeighted, MetaCost, MinimumExpectedCost, MovedThreshold

RNG = np.random.default_rng(8)
Y = np.repeat([0, 1], [700, 300])
X = RNG.normal(size=(1000, 2)) + Y[:, None] * [1.2, 0.6]
COSTS = br.Costs(fp=1, fn=5)
AT = br.Conditions(costs=COSTS)


def drawn(cases, prior, seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(cases) < prior).astype(int)
    return rng.normal(size=(cases, 2)) + labels[:, None] * [1.2, 0.6], labels


def cost(labels, answers, costs):
    return costs.fn * np.mean((labels == 1) & (answers == 0)) + costs.fp * np.mean(
        (labels == 0) & (answers == 1)
    )


# ---- in theory --------------------------------------------------------------------------------


def test_T32_the_threshold_is_that_of_the_costs():
    """T32: 1:5 → 1/6, and Table 5.7 → 1/102 (erratum B10), on probabilities as they are."""
    moved = MovedThreshold(GaussianNB(), AT).fit(X, Y)
    assert moved.threshold_ == float(Fraction(1, 6))
    assert np.array_equal(
        moved.predict(X), (GaussianNB().fit(X, Y).predict_proba(X)[:, 1] > 1 / 6).astype(int)
    )
    table = MovedThreshold(GaussianNB(), br.Conditions(costs=br.Costs(fp=1, fn=100, tp=-1))).fit(
        X, Y
    )
    assert table.threshold_ == float(Fraction(1, 102))


def test_T30_a_probability_at_the_threshold_is_not_flagged():
    """T30: strictly above. One positive in six, and costs of 1:5."""
    rows, labels = np.zeros((6, 1)), [0, 0, 0, 0, 0, 1]
    assert not MovedThreshold(DecisionTreeClassifier(), AT).fit(rows, labels).predict(rows).any()
    assert (
        MovedThreshold(DecisionTreeClassifier(), br.Conditions(costs=br.Costs(fp=1, fn=5.001)))
        .fit(rows, labels)
        .predict(rows)
        .all()
    )


def test_T28_a_dear_miss_moves_the_border_into_the_negatives():
    """T28, Fig. 5.44: whatever was flagged still is, more negatives are, and fewer positives are
    missed.
    """
    flagged = [
        MovedThreshold(LogisticRegression(), br.Conditions(costs=br.Costs(fn=fn)))
        .fit(X, Y)
        .predict(X)
        == 1
        for fn in (1, 2, 5, 20)
    ]
    for fewer, more in pairwise(flagged):
        assert not (fewer & ~more).any()
        assert (more & (Y == 0)).sum() > (fewer & (Y == 0)).sum()
    assert (~flagged[-1] & (Y == 1)).sum() < (~flagged[0] & (Y == 1)).sum()


def test_at_the_base_rate_of_the_sample_it_is_the_least_expected_cost():
    moved, least = (
        MovedThreshold(LogisticRegression(), AT).fit(X, Y),
        MinimumExpectedCost(LogisticRegression(), COSTS).fit(X, Y),
    )
    assert np.array_equal(moved.predict(X), least.predict(X))


def test_scenario_8_flags_what_the_corrected_probability_flags():
    """Scenario 8: one negative in a hundred kept. Correcting the scores or moving the cut flags the
    same cases; both cuts are told.
    """
    thinned = br.Conditions(
        prior=Fraction(3, 703), costs=COSTS
    )  # 300 positives among 300 + 100 · 700
    moved = MovedThreshold(LogisticRegression(), thinned, calibrated_at="sample").fit(X, Y)
    corrected = br.shift.correct_probabilities(moved.predict_proba(X)[:, 1], negatives_kept=0.01)
    assert moved.cut_.probability == float(Fraction(1, 6))
    assert np.array_equal(moved.predict(X) == 1, corrected > 1 / 6)
    assert moved.cut_.score == pytest.approx(
        float(Fraction(100, 105)), rel=1e-12
    )  # the odds 1/5 times 100
    written = MovedThreshold(LogisticRegression(), thinned, calibrated_at=0.3).fit(X, Y)
    assert written.threshold_ == moved.threshold_


def test_at_a_base_rate_of_the_field_it_costs_less_there():
    trained, field = drawn(4000, 0.5, 1), drawn(50000, 0.05, 2)
    at = br.Conditions(prior=0.05, costs=COSTS)
    answers = [
        learner.fit(*trained).predict(field[0])
        for learner in (
            LogisticRegression(),
            MovedThreshold(LogisticRegression(), AT),
            MovedThreshold(LogisticRegression(), at, calibrated_at=0.5),
        )
    ]
    plain, costs_only, both = (cost(field[1], answer, COSTS) for answer in answers)
    assert both < plain < costs_only
    scores = LogisticRegression().fit(*trained).predict_proba(field[0])[:, 1]
    assert both < 1.02 * min(cost(field[1], scores > cut, COSTS) for cut in np.linspace(0, 1, 201))


def test_a_base_rate_of_the_field_needs_that_of_calibration():
    at = br.Conditions(prior=0.01, costs=COSTS)
    assert_refused(
        "BR507",
        "at which base rate are the probabilities calibrated",
        lambda: MovedThreshold(GaussianNB(), at).fit(X, Y),
    )
    same = MovedThreshold(GaussianNB(), br.Conditions(prior=0.3, costs=COSTS)).fit(X, Y)
    assert same.threshold_ == float(Fraction(1, 6))


def test_correcting_twice_is_refused():
    """A learner that knows at which base rate its probabilities are calibrated is believed, and not
    contradicted.
    """
    weighted = CostWeighted(GaussianNB(), AT)
    moved = MovedThreshold(weighted, AT).fit(X, Y)
    assert moved.threshold_ == pytest.approx(0.5, rel=1e-12)  # the weights have done it all
    assert np.array_equal(moved.predict(X), weighted.fit(X, Y).predict(X))
    twice = MovedThreshold(weighted, br.Conditions(prior=0.01, costs=COSTS), calibrated_at="sample")
    assert_refused("BR536", "it would be corrected twice", lambda: twice.fit(X, Y))


AROUND = {
    "pipeline": lambda inside: make_pipeline(StandardScaler(), inside),
    "search": lambda inside: GridSearchCV(inside, {}, cv=2),
    "itself": MovedThreshold,
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_what_a_learner_knows_is_found_within_others(around):
    weighted = CostWeighted(GaussianNB(), AT)
    moved = MovedThreshold(around(weighted), AT).fit(X, Y)
    assert moved.threshold_ == pytest.approx(0.5, rel=1e-12)
    assert_refused(
        "BR536",
        "corrected twice",
        lambda: MovedThreshold(around(weighted), AT, calibrated_at=0.3).fit(X, Y),
    )


def test_classes_of_equal_weight_and_resampled_ones_have_to_say_where_that_left_them():
    balanced = LogisticRegression(class_weight="balanced")
    assert_refused(
        "BR507",
        "class_weight of LogisticRegression moved the base rate",
        lambda: MovedThreshold(balanced, AT).fit(X, Y),
    )
    pipeline = pytest.importorskip(
        "imblearn.pipeline", reason="needs imbalanced-learn", exc_type=ImportError
    )
    from imblearn.under_sampling import RandomUnderSampler

    thinned = pipeline.make_pipeline(RandomUnderSampler(random_state=0), LogisticRegression())
    assert_refused(
        "BR507",
        "RandomUnderSampler in Pipeline moved the base rate",
        lambda: MovedThreshold(thinned, AT).fit(X, Y),
    )
    plain = MovedThreshold(LogisticRegression(C=1e6), AT).fit(X, Y).predict(X)
    for learner in (LogisticRegression(C=1e6, class_weight="balanced"), thinned):
        told = MovedThreshold(learner, AT, calibrated_at=0.5).fit(X, Y)
        assert told.threshold_ == pytest.approx(7 / 22)  # the odds 1/5 times 7/3
        assert np.mean(told.predict(X) == plain) > 0.95
    assert MovedThreshold(CalibratedClassifierCV(balanced, cv=3), AT).fit(X, Y).threshold_ == float(
        Fraction(1, 6)
    )  # calibrated anew


@pytest.mark.parametrize(
    "learner", [CostWeighted(GaussianNB(), AT), LogisticRegression(class_weight="balanced")]
)
def test_costs_are_not_counted_twice(learner):
    for told in (MinimumExpectedCost(learner, COSTS), MetaCost(learner, COSTS, resamples=2)):
        assert_refused("BR536", "costs would count twice", lambda told=told: told.fit(X, Y))
    assert (
        MinimumExpectedCost(CostWeighted(GaussianNB()), COSTS).fit(X, Y).predict(X).any()
    )  # weights of 1 have moved nothing


# ---- by folds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [LogisticRegression(), LinearSVC(), GaussianNB()],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("prior", [None, 0.02])
def test_the_empirical_threshold_is_the_cheapest_on_cases_not_seen(learner, prior):
    cv = StratifiedKFold(4)
    at = br.Conditions(prior=prior, costs=COSTS)
    moved = MovedThreshold(learner, at, method="empirical", cv=cv).fit(X, Y)
    scores = np.empty(len(Y))
    for train, test in cv.split(X, Y):
        fitted = clone(learner).fit(X[train], Y[train])
        scores[test] = (
            fitted.predict_proba(X[test])[:, 1]
            if hasattr(fitted, "predict_proba")
            else fitted.decision_function(X[test])
        )
    share = Fraction(3, 10) if prior is None else Fraction(1, 50)

    def expected(cut):
        misses, alarms = int((scores[Y == 1] < cut).sum()), int((scores[Y == 0] >= cut).sum())
        return share * Fraction(misses, 300) * 5 + (1 - share) * Fraction(alarms, 700)

    assert expected(moved.threshold_) == min(map(expected, [np.inf, *np.unique(scores)]))
    assert moved.point_.expected_cost == pytest.approx(float(expected(moved.threshold_)), rel=1e-12)
    whole = clone(learner).fit(X, Y)
    response = (
        whole.predict_proba(X)[:, 1]
        if hasattr(whole, "predict_proba")
        else whole.decision_function(X)
    )
    assert np.array_equal(moved.predict(X) == 1, response >= moved.threshold_)


def test_the_empirical_threshold_lies_on_the_hull():
    moved = MovedThreshold(LogisticRegression(), AT, method="empirical").fit(X, Y)
    hull = br.Points.of(moved.folds_.total()).hull()
    assert moved.point_.tp in hull.tp
    assert moved.point_.fp in hull.fp


def test_where_flagging_never_pays_nothing_is_flagged():
    at = br.Conditions(prior=1e-9)
    moved = MovedThreshold(LogisticRegression(), at, method="empirical", cv=3).fit(
        np.ones((60, 1)), np.repeat([0, 1], 30)
    )
    assert moved.threshold_ == np.inf
    assert not moved.predict([[100.0], [-100.0]]).any()


def test_probabilities_that_are_off_are_cut_right_by_folds_and_wrong_in_theory():
    """Squared odds rank as before and are calibrated no more: the empirical threshold does not
    mind, the theoretical one does.
    """

    class Bold(LogisticRegression):
        def predict_proba(self, X):  # noqa: N803
            squared = super().predict_proba(X) ** 4
            return squared / squared.sum(axis=1, keepdims=True)

    trained, field = drawn(4000, 0.3, 3), drawn(40000, 0.3, 4)
    answers = [
        MovedThreshold(Bold(), AT, method=method).fit(*trained).predict(field[0])
        for method in ("theoretical", "empirical")
    ]
    mended = (
        MovedThreshold(CalibratedClassifierCV(Bold(), cv=3), AT).fit(*trained).predict(field[0])
    )
    theory, folds, calibrated = (cost(field[1], answer, COSTS) for answer in (*answers, mended))
    assert folds < 0.97 * theory
    assert calibrated < 0.97 * theory


# ---- by amounts -------------------------------------------------------------------------------


def test_scenario_12_each_case_is_weighed_by_its_own_amount():
    """Scenario 12's amounts: a review costs 150, a miss its amount; flagged is where p · amount >
    150, case by case.
    """

    class Given(GaussianNB):
        def predict_proba(self, X):  # noqa: N803
            return np.stack([1 - np.asarray(X)[:, 0], np.asarray(X)[:, 0]], axis=1)

    scores, amounts = [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], [1000, 50, 20, 500, 300, 10]
    rows = np.array(scores)[:, None]
    moved = MovedThreshold(Given(), br.Conditions(costs=br.Costs(fp=150, tp=150, fn=1000))).fit(
        rows, [1, 0, 1, 0, 1, 0]
    )
    assert moved.predict(rows, amounts=amounts).tolist() == [
        int(p * amount > 150) for p, amount in zip(scores, amounts, strict=True)
    ]
    assert (
        moved.predict(rows, amounts=[150] * 6).tolist() == [0] * 6
    )  # a case worth its review is left alone
    assert moved.predict(rows, amounts=[1000] * 6).tolist() == moved.predict(rows).tolist()


def test_amounts_at_another_base_rate_are_those_of_the_corrected_probability():
    at, amounts = (
        br.Conditions(prior=0.02, costs=br.Costs(fp=3, fn=100)),
        np.linspace(1, 500, len(Y)),
    )
    moved = MovedThreshold(LogisticRegression(), at, calibrated_at="sample").fit(X, Y)
    p = br.shift.correct_probabilities(moved.predict_proba(X)[:, 1], calibrated_at=0.3, at=at)
    assert np.array_equal(moved.predict(X, amounts=amounts) == 1, p * amounts > (1 - p) * 3)


@pytest.mark.parametrize("amounts", [[1.0], [-1.0] * 1000, [np.nan] * 1000, ["much"] * 1000])
def test_what_are_no_amounts_is_refused(amounts):
    assert_refused(
        "BR515",
        "amount",
        lambda: MovedThreshold(GaussianNB(), AT).fit(X, Y).predict(X, amounts=amounts),
    )


# ---- refusals and routes ----------------------------------------------------------------------


def test_what_cannot_be_moved_is_refused():
    three = np.where(X[:, 0] > 1, 2, Y)
    assert_refused(
        "BR901",
        "Only binary classification",
        lambda: MovedThreshold(GaussianNB(), AT).fit(X, three),
    )
    assert_refused(
        "BR901", "one class", lambda: MovedThreshold(GaussianNB(), AT).fit(X, np.zeros(1000))
    )
    assert_refused(
        "BR850",
        "LinearSVC gives no probabilities",
        lambda: MovedThreshold(LinearSVC(), AT).fit(X, Y),
    )
    assert_refused(
        "BR905", 'got "best"', lambda: MovedThreshold(GaussianNB(), AT, method="best").fit(X, Y)
    )
    by_folds = MovedThreshold(GaussianNB(), AT, method="empirical", cv=2)
    assert_refused(
        "BR905",
        "needs no calibration",
        lambda: clone(by_folds).set_params(calibrated_at=0.5).fit(X, Y),
    )
    assert_refused(
        "BR905", "same for all cases", lambda: by_folds.fit(X, Y).predict(X, amounts=np.ones(1000))
    )
    assert_refused("BR510", "missing a positive would be better", lambda: br.Costs(fn=1, tp=2))


def test_the_positive_class_may_be_either_and_is_not_guessed():
    words = np.where(Y == 1, "fraud", "legit")
    assert_refused(
        "BR102",
        "cannot tell which is positive",
        lambda: MovedThreshold(GaussianNB(), AT).fit(X, words),
    )
    for method in ("theoretical", "empirical"):
        by_word = (
            MovedThreshold(GaussianNB(), AT, method=method, pos_label="fraud")
            .fit(X, words)
            .predict(X)
        )
        assert np.array_equal(
            by_word == "fraud",
            MovedThreshold(GaussianNB(), AT, method=method).fit(X, Y).predict(X) == 1,
        )


def test_weights_travel_with_their_cases_into_the_folds_and_their_counts():
    weights = np.where(np.arange(1000) % 2, 1.0, 0.0)
    cv, kept = StratifiedKFold(3), weights > 0
    moved = MovedThreshold(GaussianNB(), AT, method="empirical", cv=cv).fit(
        X, Y, sample_weight=weights
    )
    train, test = next(cv.split(X, Y))
    by_hand = GaussianNB().fit(X[train][kept[train]], Y[train][kept[train]])
    expected = count_estimator(by_hand, X[test][kept[test]], Y[test][kept[test]])
    assert moved.folds_[0].scores == pytest.approx(expected.scores, rel=1e-9)
    assert moved.folds_.total().total_positives == 150


@pytest.mark.parametrize("method", ["theoretical", "empirical"])
def test_a_case_of_weight_two_is_two_cases(method):
    """So the base rate of the sample is that of the weights."""
    weights, twice = np.where(Y == 1, 2, 1), np.repeat(np.arange(1000), np.where(Y == 1, 2, 1))
    folds = np.arange(1000) % 4
    at = br.Conditions(prior=0.05, costs=COSTS)
    settings = {"method": method} if method == "empirical" else {"calibrated_at": "sample"}
    cvs = [
        [(np.flatnonzero(where != fold), np.flatnonzero(where == fold)) for fold in range(4)]
        for where in (folds, folds[twice])
    ]
    by_weight = MovedThreshold(GaussianNB(var_smoothing=0), at, cv=cvs[0], **settings).fit(
        X, Y, sample_weight=weights
    )
    by_case = MovedThreshold(GaussianNB(var_smoothing=0), at, cv=cvs[1], **settings).fit(
        X[twice], Y[twice]
    )
    assert by_weight.threshold_ == pytest.approx(by_case.threshold_, rel=1e-9)
    one_sided = MovedThreshold(GaussianNB(), at, **settings)
    assert_refused(
        "BR901",
        "sample_weight leaves no case of class 0",
        lambda: one_sided.fit(X, Y, sample_weight=Y),
    )


def test_metadata_are_routed_as_asked():
    weights = np.linspace(0.1, 2, 1000)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = MovedThreshold(LogisticRegression().set_fit_request(sample_weight=True), AT)
        weighted = cross_val_score(
            asked, X, Y, cv=3, params={"sample_weight": weights}, scoring=scorer("auc")
        )
        with pytest.raises(TypeError, match="not routed to any object"):
            MovedThreshold(LogisticRegression().set_fit_request(sample_weight=False), AT).fit(
                X, Y, sample_weight=weights
            )
        plain = cross_val_score(
            LogisticRegression().set_fit_request(sample_weight=True),
            X,
            Y,
            cv=3,
            params={"sample_weight": weights},
            scoring=scorer("auc"),
        )
    assert weighted.tolist() == plain.tolist()
