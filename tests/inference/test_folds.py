"""Folds: a mean of summaries, averaged curves, and the curve of all folds together."""

import math

import numpy as np
import pytest

import baserate as br


def folded(folds=5, cases=60, seed=1):
    rng = np.random.default_rng(seed)
    fold = np.repeat(np.arange(folds), cases)
    y = rng.random(len(fold)) < 0.4
    # Scores of each fold are shifted: a threshold means something else in each of them.
    return y, np.round(rng.normal(size=len(fold)) + y + 0.3 * fold, 1), fold


def parts_of(y, scores, fold):
    return [br.count(y[fold == name], scores[fold == name]) for name in np.unique(fold)]


@pytest.fixture
def folds():
    y, scores, fold = folded()
    return br.count(y, scores, cluster=fold)


def test_the_mean_over_folds_is_that_of_each_fold_on_its_own(folds):
    values = [br.auc(part) for part in parts_of(*folded())]
    found = br.curves.fold_mean(folds, br.auc)
    assert found.values == pytest.approx(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.deviation == pytest.approx(np.std(values, ddof=1))
    assert found.standard_error == pytest.approx(np.std(values, ddof=1) / math.sqrt(5))
    assert found.value != pytest.approx(br.auc(folds.total())), "pooled folds are another number"
    assert (
        repr(found)
        == f"FoldMean: auc {found.value:.4g}, standard error {found.standard_error:.2g} over 5"
        " folds"
    )


@pytest.mark.parametrize(
    ("statistic", "options", "naive"),
    [
        ("average_precision", {}, br.curves.average_precision),
        ("precision", {"threshold": 1.0}, lambda part: br.choose(part, threshold=1.0).precision),
        ("tpr", {"threshold": 1.0}, lambda part: br.choose(part, threshold=1.0).tpr),
        (
            "precision",
            {"rule": "recall >= 0.5"},
            lambda part: br.choose(part, "recall >= 0.5").precision,
        ),
        (
            "precision",
            {"threshold": 1.0, "at": br.Conditions(prior=0.01)},
            lambda part: br.choose(part, threshold=1.0, at=br.Conditions(prior=0.01)).precision,
        ),
        (
            "alerts",
            {"threshold": 1.0, "volume": 1000},
            lambda part: br.choose(part, threshold=1.0, volume=1000)["alerts"],
        ),
        (
            lambda counts: float(counts.total_positives),
            {},
            lambda part: float(part.total_positives),
        ),
    ],
)
def test_any_statistic_has_a_mean_over_folds(folds, statistic, options, naive):
    expected = [naive(part) for part in parts_of(*folded())]
    assert br.curves.fold_mean(folds, statistic, **options).value == pytest.approx(
        np.mean(expected)
    )


def test_a_fold_of_one_class_is_left_out_of_the_mean_and_noted():
    y = np.array([1, 0, 1, 0, 0, 0, 1, 0])
    folds = br.count(y, [4, 1, 3, 2, 5, 6, 1, 2], cluster=[1, 1, 2, 2, 3, 3, 4, 4])
    found = br.curves.fold_mean(folds, br.auc)
    assert [math.isnan(value) for value in found.values] == [False, False, True, False]
    assert found.value == pytest.approx(2 / 3)
    assert found.standard_error == pytest.approx(np.std([1, 1, 0], ddof=1) / math.sqrt(3))
    assert [note.code for note in found.notes] == ["BR592", "BR591"]
    assert found.notes[0].text == "auc is undefined in 1 of 4 folds"


def test_one_defined_fold_has_a_mean_and_no_standard_error():
    folds = br.count([1, 0, 0, 0], [2, 1, 1, 2], cluster=["a", "a", "b", "b"])
    found = br.curves.fold_mean(folds, br.auc)
    assert found.value == 1
    assert math.isnan(found.standard_error)


def test_it_is_always_said_that_folds_are_not_independent(folds):
    (note,) = br.curves.fold_mean(folds, br.auc).notes
    assert "share training cases: the standard error between them is too small" in note.text


@pytest.mark.parametrize("at", [None, br.Conditions(prior=0.02)], ids=["sample", "external"])
def test_the_vertical_average_is_the_mean_of_the_curves_at_each_place(folds, at):
    places = [0.05, 0.2, 0.5, 0.9]
    average = br.curves.average_curve(folds, "posfrac", at=at, x=places)
    for i, place in enumerate(places):
        # posfrac is linear in tpr along an edge of the ROC.
        seen = []
        for part in parts_of(*folded()):
            curve = br.curve(part, "posfrac", at=at)
            seen.append(np.interp(place, curve.x, curve.y))
        assert average.y[i] == pytest.approx(np.mean(seen), rel=1e-9)
        assert average.standard_error[i] == pytest.approx(np.std(seen, ddof=1) / math.sqrt(5))
    assert (average.how, average.folds, len(average), average.thresholds) == (
        "vertical",
        5,
        4,
        None,
    )
    assert (
        repr(average)
        == "FoldCurve posfrac_curve: vertical average of 5 folds, posfrac against tpr, 4 places"
    )


def test_the_vertical_average_of_rocs_takes_the_highest_point_of_a_vertical_run():
    folds = br.count([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3], cluster=[1, 1, 2, 2])
    average = br.curves.average_curve(folds, br.roc, x=[0.0, 0.5, 1.0])
    assert average.y.tolist() == [0.5, 0.5, 1.0]
    assert average.standard_error.tolist() == [0.5, 0.5, 0.0]


def naive_by_threshold(parts, cuts, measures, at):
    for cut in cuts:
        points = [br.choose(part, threshold=float(cut), at=at) for part in parts]
        yield [[point[name] for point in points] for name in measures]


@pytest.mark.parametrize(
    ("curve", "measures", "at"),
    [(br.roc, ("fpr", "tpr"), None), (br.pr, ("tpr", "precision"), br.Conditions(prior=0.1))],
    ids=["roc", "pr"],
)
def test_the_threshold_average_is_the_mean_of_both_coordinates_at_each_threshold(
    folds, curve, measures, at
):
    average = br.curves.average_curve(folds, curve, how="threshold", at=at)
    assert average.thresholds.tolist() == sorted(folds.total().scores.tolist(), reverse=True), (
        "few scores: every one is a threshold"
    )
    naive = naive_by_threshold(parts_of(*folded()), average.thresholds, measures, at)
    for i, (across, up) in enumerate(naive):
        # A fold that has no point there is left out of both coordinates.
        known = [value for value in up if not math.isnan(value)]
        there = [x for x, value in zip(across, up, strict=True) if not math.isnan(value)]
        assert average.x[i] == pytest.approx(np.mean(there) if there else math.nan, nan_ok=True)
        assert average.y[i] == pytest.approx(np.mean(known) if known else math.nan, nan_ok=True)
        error = np.std(known, ddof=1) / math.sqrt(len(known)) if len(known) > 1 else math.nan
        assert average.standard_error[i] == pytest.approx(error, nan_ok=True)
    assert average.how == "threshold"


def test_thresholds_are_spread_evenly_where_there_are_many():
    rng = np.random.default_rng(0)
    folds = br.count(np.tile([0, 1], 500), rng.permutation(1000), cluster=np.repeat([1, 2], 500))
    average = br.curves.average_curve(folds, br.roc, how="threshold")
    assert len(average) == 101
    assert (average.thresholds[0], average.thresholds[-1]) == (999, 0)
    assert np.diff(average.thresholds).min() >= -11
    assert average.y[-1] == 1


def test_pooled_is_the_curve_of_all_folds_together(folds):
    y, scores, fold = folded()
    pooled = br.curves.average_curve(folds, "gain", how="pooled", x=[0.1, 0.4, 1.0])
    curve = br.curve(br.count(y, scores), "gain")
    assert pooled.y == pytest.approx(np.interp([0.1, 0.4, 1.0], curve.x, curve.y))
    assert np.isnan(pooled.standard_error).all()
    assert pooled.how == "pooled"
    shifted = br.count(y, scores + 5 * fold, cluster=fold)
    vertical, together = (
        br.curves.average_curve(shifted, br.roc, how=how, x=[0.2]).y[0]
        for how in ("vertical", "pooled")
    )
    assert vertical > together + 0.1, (
        "pooling takes scores for comparable: folds whose scores are shifted lose by it"
    )


def test_the_cost_curve_can_be_averaged_vertically(folds):
    average = br.curves.average_curve(folds, "cost", x=[0.2, 0.5])
    lowest = []
    for part in parts_of(*folded()):
        points = br.Points.of(part)
        lowest.append(
            [float(np.min(e * (1 - points.tpr) + (1 - e) * points.fpr)) for e in (0.2, 0.5)]
        )
    assert average.y == pytest.approx(np.mean(lowest, axis=0))
    with pytest.raises(br.InputError, match="a cost curve has none"):
        br.curves.average_curve(folds, "cost", how="threshold")


def test_folds_of_one_class_are_left_out_of_an_average_curve():
    folds = br.count([1, 0, 0, 0, 1, 0], [2, 1, 1, 2, 1, 2], cluster=["a", "a", "b", "b", "c", "c"])
    for how in ("vertical", "threshold"):
        assert br.curves.average_curve(folds, br.roc, how=how).folds == 2


@pytest.mark.parametrize("how", ["vertical", "threshold"])
def test_an_average_of_no_folds_is_refused(how):
    folds = br.count([0, 0, 0, 0], [1, 2, 3, 4], cluster=[1, 1, 2, 2])
    with pytest.raises(br.InputError, match="fold"):
        br.curves.average_curve(folds, br.roc, how=how)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (
            lambda folds: br.curves.fold_mean(folds.total(), br.auc),
            "BR429.*folds are GroupedCounts of two groups or more",
        ),
        (
            lambda _: br.curves.fold_mean(br.count([0, 1], [1, 2], cluster=[1, 1]), br.auc),
            "BR429.*two groups or more",
        ),
        (
            lambda folds: br.curves.fold_mean(folds, "recal", threshold=1),
            'BR531.*did you mean "recall"',
        ),
        (
            lambda folds: br.curves.fold_mean(folds, br.auc, threshold=1),
            "BR594.*belongs to a measure",
        ),
        (
            lambda folds: br.curves.fold_mean(folds, "precision", threshold=1, rule="tpr >= 0.5"),
            "BR594.*give a rule or a threshold for precision, not both",
        ),
        (
            lambda _: br.curves.fold_mean(
                br.count([0] * 4, range(4), cluster=[1, 1, 2, 2]), br.auc
            ),
            "BR589.*auc is undefined in every fold",
        ),
        (lambda _: br.curves.average_curve({}, br.roc), "BR429.*folds are GroupedCounts"),
        (
            lambda folds: br.curves.average_curve(folds, br.roc, how="horizontal"),
            'BR573.*averaged vertical, by threshold or pooled, got "horizontal"',
        ),
        (lambda folds: br.curves.average_curve(folds, "rocc"), "BR531.*there is no band for"),
        (
            lambda folds: br.curves.average_curve(folds, br.roc, x=[2]),
            "BR573.*shares between 0 and 1",
        ),
        (
            lambda folds: br.curves.average_curve(folds, br.roc, how="threshold", x=[0.5]),
            "BR573.*a cost curve has none, and x does not apply",
        ),
    ],
)
def test_what_is_no_average_over_folds_is_refused(folds, call, match):
    with pytest.raises(br.InputError, match=match):
        call(folds)
