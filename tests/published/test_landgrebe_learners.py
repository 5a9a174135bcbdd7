"""L34: the four density classifiers of Landgrebe et al., §4, against what is known of their
populations.
"""

import numpy as np
import pytest
from tests.published import highleyman

import baserate as br
from baserate import count_estimator
from baserate_learners import LDC, QDC, GaussianMixtures, Parzen

CASES = 20_000


def drawn(seed, cases=CASES):
    """Highleyman's classes; the target is class 1."""
    rng = np.random.default_rng(seed)
    parts = [
        mean + np.sqrt(variance) * rng.normal(size=(cases, 2))
        for mean, variance in (highleyman.OTHER, highleyman.TARGET)
    ]
    return np.concatenate(parts), np.repeat([0, 1], cases)


def fpr_at(learner, tpr=0.8):
    fitted = learner.fit(*drawn(1))
    return br.choose(count_estimator(fitted, *drawn(2)), f"tpr >= {tpr}", optimize="fpr").fpr


def test_L34_ldc_reaches_what_the_population_has():
    """L34, analytic: FPr .2109349 at TPr .8 on Highleyman's classes."""
    assert fpr_at(LDC("equal")) == pytest.approx(
        0.2109349, abs=4 * np.sqrt(0.211 * 0.789 / CASES) + 0.01
    )


def test_L34_qdc_reaches_what_the_population_has():
    """L34, analytic: FPr 1.1396e-5 at TPr .8."""
    assert fpr_at(QDC("equal")) <= 4 / CASES


def test_L34_two_gaussians():
    """L34: equal covariances, 2.0473 apart: FPr .1139702 at TPr .8, for LDC and for QDC."""
    rng = np.random.default_rng(5)
    labels = np.repeat([0, 1], CASES)
    train, test = (
        rng.normal(size=(2 * CASES, 2)) + np.outer(labels, [2.0473, 0]) for _ in range(2)
    )
    for learner in (LDC("equal"), QDC("equal")):
        counts = count_estimator(learner.fit(train, labels), test, labels)
        assert br.choose(counts, "tpr >= 0.8", optimize="fpr").fpr == pytest.approx(
            0.1139702, abs=0.012
        )


@pytest.mark.parametrize("learner", [GaussianMixtures(2, priors="equal"), Parzen(priors="equal")])
def test_L34_mixtures_and_parzen_come_near_qdc_on_gaussian_classes(learner):
    """L34: they can represent these classes, and so beat LDC by far."""
    fitted = learner.fit(*drawn(3, 500))
    assert (
        br.choose(count_estimator(fitted, *drawn(4, 2000)), "tpr >= 0.8", optimize="fpr").fpr < 0.05
    )
