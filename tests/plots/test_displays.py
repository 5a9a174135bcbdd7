"""Displays in the manner of scikit-learn: they hold the numbers of the curves, and draw when
asked.
"""

import inspect

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import cross_validate
from sklearn.svm import LinearSVC

import baserate as br

DISPLAYS = [name for name in br.plots.__all__ if name.endswith("Display")]
X, Y = make_classification(300, weights=[0.8], random_state=0)
MODEL = LogisticRegression().fit(X, Y)
SCORES = MODEL.predict_proba(X)[:, 1]


@pytest.mark.parametrize("name", DISPLAYS)
def test_every_display_holds_the_curve_of_the_predictions(name):
    display = getattr(br.plots, name).from_predictions(Y, SCORES, name="m")
    ((key, (curve,)),) = display.curves.items()
    assert key == "m"
    again = getattr(br.plots, name).from_estimator(MODEL, X, Y)
    ((shown, (same,)),) = again.curves.items()
    assert shown == "LogisticRegression"
    np.testing.assert_array_equal(curve.x, same.x)
    np.testing.assert_array_equal(curve.y, same.y)
    assert display.svg().startswith("<svg")
    assert display._repr_svg_() == display.svg()
    assert display.text(60)
    assert curve.digest == br.count(Y, SCORES).digest


def test_arguments_have_the_names_that_scikit_learn_gives_them():
    for method in ("from_predictions", "from_estimator", "from_cv_results"):
        theirs = inspect.signature(getattr(RocCurveDisplay, method)).parameters
        ours = inspect.signature(getattr(br.plots.BRocDisplay, method)).parameters
        assert set(ours) - {"at", "y_score"} <= set(theirs)


def test_several_models_at_several_base_rates_are_one_display():
    at = [br.Conditions(prior=prior) for prior in (0.1, 0.01)]
    display = br.plots.BRocDisplay.from_predictions(Y, {"a": SCORES, "b": X[:, 0]}, at=at)
    assert repr(display) == "BRocDisplay: 4 curves"
    counts = br.count(Y, SCORES)
    np.testing.assert_array_equal(display.curves["a"][1].x, br.broc(counts, at=at[1]).x)


def test_a_cross_validation_is_one_curve_a_fold_on_the_cases_left_out():
    results = cross_validate(
        LogisticRegression(), X, Y, cv=3, return_estimator=True, return_indices=True
    )
    display = br.plots.GainDisplay.from_cv_results(results, X, Y, sample_weight=np.ones(len(Y)))
    assert list(display.curves) == ["fold 1", "fold 2", "fold 3"]
    rows = results["indices"]["test"][0]
    expected = br.count(Y[rows], results["estimator"][0].predict_proba(X[rows])[:, 1])
    np.testing.assert_array_equal(display.curves["fold 1"][0].y, br.curve(expected, "gain").y)


def test_the_score_is_that_of_the_positive_class():
    words = np.where(Y == 1, "bad", "good")
    model = LogisticRegression().fit(X, words)
    display = br.plots.KsDisplay.from_estimator(model, X, words, pos_label="bad")
    np.testing.assert_allclose(
        display.curves["LogisticRegression"][0].y.max(), br.curves.ks(br.count(Y, SCORES))
    )
    machine = LinearSVC().fit(X, words)
    flipped = br.plots.KsDisplay.from_estimator(machine, X, words, pos_label="bad").curves[
        "LinearSVC"
    ][0]
    assert flipped.y.max() == pytest.approx(
        br.curves.ks(br.count(words, -machine.decision_function(X), pos_label="bad"))
    )


class Mute:
    classes_ = (0, 1)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (
            lambda: br.plots.KsDisplay.from_estimator(
                LogisticRegression().fit(X, np.where(Y == 1, "bad", "good")), X, Y
            ),
            "BR102: the positive class is not known",
        ),
        (
            lambda: br.plots.KsDisplay.from_estimator(MODEL, X, Y, pos_label=7),
            "BR109: pos_label is none of the classifier's classes",
        ),
        (
            lambda: br.plots.KsDisplay.from_estimator(Mute(), X, Y),
            "BR650: Mute gives classes and no scores",
        ),
        (
            lambda: br.plots.KsDisplay.from_estimator(object(), X, Y),
            "BR650: a classifier of two classes is needed, got 0",
        ),
        (
            lambda: br.plots.KsDisplay.from_cv_results({}, X, Y),
            "BR650: the results hold no estimators or no indices",
        ),
        (lambda: br.plots.KsDisplay.from_predictions(Y, {}), "BR650: there is no curve to draw"),
        (
            lambda: br.plots.KsDisplay.from_predictions(Y, SCORES, at=br.Conditions(prior=0.1)),
            "BR519: KsDisplay does not depend",
        ),
    ],
)
def test_what_cannot_be_displayed_is_refused(wrong, text):
    with pytest.raises(br.InputError, match=text):
        wrong()


def test_a_display_is_drawn_on_the_axes_it_is_given():
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    display = br.plots.BRocDisplay.from_predictions(Y, SCORES, name="m", ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert br.plots.BRocDisplay.from_predictions(Y, SCORES).plot().ax_ is not ax
    assert br.plots.BRocDisplay.from_predictions(Y, SCORES).matplotlib(ax) is ax
    plt.close("all")


RARE = [br.Conditions(prior=0.001, costs=br.Costs(fp=1, fn=100))]


@pytest.mark.parametrize(
    ("display", "axis"),
    [("BRoc", "x"), ("Posfrac", "y"), ("Gain", "x"), ("Lift", "x"), ("CostThreshold", "y")],
)
def test_axes_are_logarithmic_where_positives_are_rare(display, axis):
    shown = getattr(br.plots, f"{display}Display")
    rare, frequent = (
        shown.from_predictions(Y, SCORES, at=at).panel for at in (RARE, [br.Conditions(prior=0.3)])
    )
    assert getattr(rare, axis).scale == "log"
    assert getattr(frequent, axis).scale == "linear"


def test_a_decision_curve_of_rare_positives_starts_below_their_base_rate():
    counts = br.Counts([0.2, 0.01, 0.001], positives=[3, 4, 3], negatives=[1, 200, 9000])
    panel = br.plots.decision_panel(br.curve(counts, "decision", at=br.Conditions(prior=0.001)))
    assert (panel.x.scale, panel.x.low) == ("log", 0.0001)


def test_conditions_are_marked_on_a_cost_curve():
    at = [*RARE, br.Conditions(prior=0.3)]
    marked = br.plots.CostCurveDisplay.from_predictions(Y, SCORES, at=at).panel.parts[-2:]
    assert [part.x[0] for part in marked] == [one.effective_prior for one in at]
    assert [part.name for part in marked] == [f"at {one}" for one in at]
