"""Several classes, each counted against the rest."""

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import baserate as br
from baserate.read.cases import macro


@pytest.mark.parametrize("seed", range(10))
def test_several_classes_are_each_counted_against_the_rest(seed):
    rng = np.random.default_rng(seed)
    labels = np.concatenate((np.arange(4), rng.integers(0, 4, 200)))
    matrix = rng.random((204, 4)) + np.eye(4)[labels] * 0.4
    matrix /= matrix.sum(axis=1, keepdims=True)
    by_class = br.count_classes(labels, matrix, classes=[0, 1, 2, 3])
    assert macro(br.auc, by_class) == pytest.approx(
        roc_auc_score(labels, matrix, multi_class="ovr", average="macro"), rel=1e-13
    )
    for name, counts in by_class.items():
        assert counts == br.count((labels == name).astype(int), matrix[:, name])
    weights = rng.random(204)
    weighed = br.count_classes(labels, {k: matrix[:, k] for k in range(4)}, sample_weight=weights)
    expected = roc_auc_score(
        labels, matrix, multi_class="ovr", average="macro", sample_weight=weights
    )
    assert macro(br.auc, weighed) == pytest.approx(expected, rel=1e-12)


def test_options_reach_the_summary_and_a_missing_class_leaves_the_mean_undefined():
    scores = {"a": [0.7, 0.2, 0.1], "b": [0.2, 0.5, 0.4], "c": [0.1, 0.3, 0.5]}
    by_class = br.count_classes(["a", "b", "c"], scores)
    assert macro(br.curves.partial_auc, by_class, fpr=(0, 0.5)) == pytest.approx(0.5)
    assert math.isnan(macro(br.auc, br.count_classes(["a", "b", "b"], scores)))


def test_BR570_every_class_has_scores_and_every_column_a_class():
    matrix = np.ones((3, 2))
    for y, scores, classes in (
        (["a", "b", "x"], matrix, ["a", "b"]),
        (["a", "b", "x"], {"a": [1, 2, 3]}, None),
    ):
        with pytest.raises(br.InputError, match="BR570: class .* has no scores"):
            br.count_classes(y, scores, classes=classes)
    for scores, classes in (
        (matrix, None),
        (matrix, ["a"]),
        (matrix, ["a", "a"]),
        (np.ones(3), ["a", "b"]),
    ):
        with pytest.raises(
            br.InputError, match="BR570: a matrix of scores needs one column per class"
        ):
            br.count_classes(["a", "b", "a"], scores, classes=classes)
    with pytest.raises(br.InputError, match="BR570: there are no classes to average over"):
        macro(br.auc, {})
    with pytest.raises(br.InputError, match="BR219: labels must be one-dimensional"):
        br.count_classes([["a"]], {"a": [1]})


def test_a_summary_of_several_numbers_has_no_mean_over_the_classes():
    counts = br.Counts([0.9, 0.5, 0.1], [6, 3, 1], [2, 8, 30])
    with pytest.raises(br.InputError, match="BR570: brier_decomposition gives several numbers"):
        macro(br.curves.brier_decomposition, {"a": counts})
    for several in ("a", "b"):
        by_class = {name: counts if name == several else counts.condense() for name in "ab"}
        with pytest.raises(br.InputError, match="BR570: odd gives several numbers"):
            macro(odd, by_class)


def odd(counts):
    return 0.5 if counts.condensed else (0.25, 0.75)


@pytest.mark.parametrize(
    ("scores", "classes", "got"),
    [
        (np.ones((3, 2)), None, "got 2 columns"),
        (np.ones((3, 1)), ["a", "b"], "got 1 column"),
        (np.ones(3), ["a", "b", "c"], "got 1 dimension"),
        (np.ones((1, 2, 3)), ["a", "b"], "got 3 dimensions"),
    ],
)
def test_a_matrix_that_does_not_fit_its_classes_is_told_by_its_shape(scores, classes, got):
    with pytest.raises(br.InputError, match=got):
        br.count_classes(["a", "b", "a"], scores, classes=classes)


def test_the_columns_of_a_matrix_are_in_the_order_of_the_classes():
    matrix = np.array([[0.7, 0.1], [0.2, 0.9]])
    found = br.count_classes(["y", "x"], matrix, classes=["x", "y"])
    assert list(found) == ["x", "y"]
    assert found["x"] == br.count([0, 1], [0.7, 0.2])
    assert found["y"] == br.count([1, 0], [0.1, 0.9])


def test_a_class_without_scores_is_told_with_some_that_have_them():
    scores = {name: [1.0] for name in "abcdefg"}
    with pytest.raises(br.InputError, match='class "x" has no scores') as caught:
        br.count_classes(["x"], scores)
    assert caught.value.problems[0].fix.python == (
        'classes with scores are "a", "b", "c", "d", "e"'
    )
