"""Density classifiers: check_estimator for each, against scikit-learn and plain formulas, at priors
of one's own.
"""

import math
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.inference.refusals import assert_refused

import baserate as br
from baserate import count_estimator, response
from baserate_learners import LDC, QDC, GaussianMixtures, Parzen, densities
from baserate_learners.densities import (
    _em_step,
    leave_one_out_width,
)

EVERY = [LDC(), QDC(), GaussianMixtures(), Parzen()]
RNG = np.random.default_rng(12)
Y = np.repeat([0, 1], [150, 50])
X = RNG.normal(size=(200, 3)) @ np.array([[1, 0.3, 0], [0, 1, 0.2], [0, 0, 0.5]]) + 0.9 * Y[:, None]


def checks():
    for learner in EVERY:
        for estimator, check in estimator_checks_generator(learner):
            yield pytest.param(
                estimator, check, id=f"{type(learner).__name__}-{check.func.__name__}"
            )


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_accepts_it(estimator, check):
    """check_estimator, check by check."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check(estimator)
        except pytest.skip.Exception:
            raise
        except Exception as error:
            if type(error).__name__ == "SkipTest":
                pytest.skip(str(error))
            raise


@pytest.mark.parametrize("priors", [None, "equal", [0.9, 0.1]])
def test_ldc_is_scikit_learns(priors):
    shares = {None: None, "equal": [0.5, 0.5]}.get(
        priors if not isinstance(priors, list) else "", priors
    )
    theirs = LinearDiscriminantAnalysis(solver="lsqr", priors=shares).fit(X, Y)
    assert LDC(priors).fit(X, Y).predict_proba(X) == pytest.approx(
        theirs.predict_proba(X), abs=1e-6
    )


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
def test_qdc_is_scikit_learns(priors):
    theirs = QuadraticDiscriminantAnalysis(priors=priors).fit(X, Y)
    assert QDC(priors).fit(X, Y).predict_proba(X) == pytest.approx(
        theirs.predict_proba(X), abs=1e-6
    )


def test_densities_are_those_of_the_formula():
    fitted = QDC().fit(X, Y)
    for code in (0, 1):
        part = X[code == Y]
        density = multivariate_normal(part.mean(axis=0), np.cov(part, rowvar=False, bias=True))
        assert fitted.log_densities(X)[:, code] == pytest.approx(
            density.logpdf(X), rel=1e-6, abs=1e-6
        )


def test_a_mixture_of_one_component_is_a_gaussian():
    fitted = GaussianMixtures(1).fit(X, Y)
    part = X[Y == 1]
    density = multivariate_normal(
        part.mean(axis=0), np.cov(part, rowvar=False, bias=True) + 1e-6 * np.eye(3)
    )
    assert fitted.log_densities(X)[:, 1] == pytest.approx(density.logpdf(X), rel=1e-9, abs=1e-9)


def test_a_mixture_finds_two_modes_that_one_gaussian_does_not():
    rng = np.random.default_rng(2)
    inner, outer = (
        rng.normal(size=(300, 1)),
        rng.normal(size=(300, 1)) * 0.5 + rng.choice([-4, 4], (300, 1)),
    )
    rows, labels = np.concatenate((inner, outer)), np.repeat([0, 1], 300)
    assert br.auc(count_estimator(GaussianMixtures().fit(rows, labels), rows, labels)) > 0.97
    assert br.auc(count_estimator(LDC().fit(rows, labels), rows, labels)) < 0.6


def test_a_parzen_density_is_the_mean_of_its_kernels():
    fitted = Parzen(widths=[0.4, 0.7]).fit(X, Y)
    for code, width in enumerate((0.4, 0.7)):
        kernels = [
            multivariate_normal(case, width**2 * np.eye(3)).pdf(X[:20]) for case in X[code == Y]
        ]
        assert fitted.log_densities(X[:20])[:, code] == pytest.approx(
            np.log(np.mean(kernels, axis=0)), rel=1e-9
        )


def likelihood(cases, width):
    """Each case given the others, case by case."""
    total = 0.0
    for i, case in enumerate(cases):
        others = np.delete(cases, i, axis=0)
        squares = ((others - case) ** 2).sum(axis=1)
        total += math.log(np.exp(-squares / (2 * width**2)).mean()) - len(case) * math.log(width)
    return total


@pytest.mark.parametrize("code", [0, 1])
def test_the_parzen_width_is_where_the_leave_one_out_likelihood_is_stationary_and_largest(code):
    cases = X[code == Y]
    width = Parzen().fit(X, Y).widths_[code]
    step = 1e-5 * width
    slope = (likelihood(cases, width + step) - likelihood(cases, width - step)) / (2 * step)
    assert abs(slope) * width < 1e-3 * len(cases)
    assert likelihood(cases, width) >= max(
        likelihood(cases, factor * width) for factor in (0.3, 0.7, 0.9, 0.99, 1.01, 1.1, 1.5, 3)
    )


def test_a_width_is_found_again_from_one_that_is_near():
    width = leave_one_out_width(X[:60])
    assert leave_one_out_width(X[:60], near=1.3 * width) == pytest.approx(width, rel=1e-9)


def test_the_width_of_many_cases_is_that_of_a_search_with_all_of_them(monkeypatch):
    cases = np.random.default_rng(3).normal(size=(700, 2))
    found = leave_one_out_width(cases)
    monkeypatch.setattr(densities, "SAMPLE", 700)
    assert found == pytest.approx(leave_one_out_width(cases), rel=1e-8)


def test_the_width_of_many_cases_is_settled_on_all_of_them():
    cases = np.random.default_rng(6).standard_t(3, size=(4200, 2))
    width = leave_one_out_width(cases)
    wanted, _ = _em_step(cases, np.arange(len(cases)), width**2)
    assert wanted == pytest.approx(width**2, rel=1e-6)


def test_a_sample_of_twins_does_not_mislead():
    """Nearly all of the 256 cases that are searched have twins; half of all cases have none."""
    cases = np.random.default_rng(4).normal(size=(1021, 1))
    cases[1::4] = cases[:-1:4]
    searched = np.linspace(0, 1020, densities.SAMPLE).astype(int)
    assert np.isin(cases[searched], cases[1::4]).mean() > 0.99
    width = leave_one_out_width(cases)
    tried = width * np.geomspace(1e-4, 10, 60)
    squares = (cases - cases.T) ** 2
    np.fill_diagonal(squares, np.inf)

    def of_width(one):  # as `likelihood`, also where kernels are smaller than any float
        return float(logsumexp(-squares / (2 * one**2), axis=1).sum() - len(cases) * np.log(one))

    assert of_width(width) >= max(map(of_width, tried))


def test_cases_that_are_all_alike_or_twins_have_a_width_all_the_same():
    assert leave_one_out_width(np.zeros((5, 2))) == 1.0
    assert leave_one_out_width(np.zeros((1, 2))) == 1.0
    twins = np.repeat(np.arange(4.0), 2)[:, None]
    assert leave_one_out_width(twins) == pytest.approx(0.01)


# ---- priors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", EVERY, ids=lambda learner: type(learner).__name__)
def test_scores_at_any_prior_are_those_of_bayes(learner):
    fitted = clone(learner).fit(X, Y)
    odds = np.exp(np.diff(fitted.log_densities(X), axis=1)[:, 0])
    for prior in (0.001, 0.5, 0.9):
        assert fitted.posterior(X, prior)[:, 1] == pytest.approx(
            odds * prior / (odds * prior + 1 - prior), rel=1e-9
        )
    assert fitted.posterior(X, "1 in 1000") == pytest.approx(
        fitted.posterior(X, [0.999, 0.001]), rel=1e-12
    )
    assert fitted.posterior(X, "equal") == pytest.approx(fitted.posterior(X, 0.5), rel=1e-12)


@pytest.mark.parametrize(
    "learner", [QDC(), GaussianMixtures(), Parzen()], ids=lambda learner: type(learner).__name__
)
def test_another_prior_is_the_correction_of_the_scores(learner):
    """The two ways from one base rate to another agree: densities with another prior, and odds
    times a factor.
    """
    fitted = clone(learner).set_params(priors=[0.75, 0.25]).fit(X, Y)
    at = br.Conditions(prior=0.01)
    corrected = br.shift.correct_probabilities(
        response(fitted, X).scores, calibrated_at=0.25, at=at
    )
    assert fitted.posterior(X, 0.01)[:, 1] == pytest.approx(corrected, rel=1e-6)


@pytest.mark.parametrize("learner", EVERY, ids=lambda learner: type(learner).__name__)
def test_probabilities_and_labels_agree(learner):
    fitted = clone(learner).fit(X, Y)
    shares = fitted.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(fitted.predict(X), fitted.classes_[shares.argmax(axis=1)])
    assert np.exp(fitted.predict_log_proba(X)) == pytest.approx(shares)
    assert fitted.priors_ == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize(
    "priors", [[0.5], [0.7, 0.7], [1.0, 0.0], [0.2, 0.3, 0.5], "some", [[0.5, 0.5]]]
)
def test_priors_that_are_none_are_refused(priors):
    assert_refused("BR503", "prior", lambda: LDC(priors).fit(X, Y))


def test_widths_that_are_none_are_refused():
    assert_refused("BR850", "a width is a number above 0", lambda: Parzen(widths=0).fit(X, Y))


def test_one_class_and_one_case_are_refused():
    with pytest.raises(ValueError, match="one class"):
        LDC().fit(X, np.zeros(200))
    with pytest.raises(ValueError, match="2 cases of each class"):
        QDC().fit(X[:5], [0, 0, 0, 0, 1])


def test_what_is_not_there_is_no_name_of_the_room():
    import baserate_learners

    with pytest.raises(AttributeError, match="no attribute 'Forest'"):
        baserate_learners.Forest  # noqa: B018
