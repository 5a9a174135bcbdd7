"""What is not compared, and why."""

import pytest
from tests.inference.refusals import assert_refused
from tests.inference.two_models import grouped_models, joint, separate

import baserate as br
from baserate.inference.differences import compare


@pytest.mark.parametrize(
    ("code", "match", "call"),
    [
        (
            "BR595",
            'there are 3 models: which two.*pair=.*or against="a"',
            lambda: compare(joint("abc"), br.auc),  # of which the verb compares every pair
        ),
        (
            "BR595",
            "a pair is two different models",
            lambda: br.compare(joint(), br.auc, pair=("a", "a")),
        ),
        (
            "BR595",
            "a pair is two different models",
            lambda: br.compare(joint(), br.auc, pair=("a", "b", "a")),
        ),
        ("BR595", "a pair is two different models", lambda: br.compare(joint(), br.auc, pair="ab")),
        (
            "BR408",
            'there is no model "z".*one of "a", "b"',
            lambda: br.compare(joint(), br.auc, pair=("a", "z")),
        ),
        (
            "BR408",
            'there is no model "z".*one of "a", "b", "c"',
            lambda: br.compare(joint("abc"), br.auc, against="z"),
        ),
        ("BR595", "a comparison needs two models", lambda: br.compare(joint("a"), br.auc)),
        (
            "BR429",
            "compare needs counts, got list",
            lambda: br.compare(list(separate().values()), br.auc),
        ),
        ("BR595", "a comparison needs two models", lambda: br.compare(separate()["a"], br.auc)),
        (
            "BR595",
            "scored the same cases.*leave paired out",
            lambda: br.compare(joint(), br.auc, paired=False),
        ),
        (
            "BR595",
            "do not say which cases are the same.*paired=False",
            lambda: br.compare(separate(), br.auc),
        ),
        (
            "BR595",
            "models are compared by their counts, got list",
            lambda: br.compare({"a": [1], "b": [2]}, br.auc),
        ),
        (
            "BR581",
            'no method "wilson" to compare auc',
            lambda: br.compare(joint(), br.auc, method="wilson"),
        ),
        (
            "BR581",
            'no method "delong" to compare ks',
            lambda: br.compare(joint(), br.curves.ks, method="delong"),
        ),
        (
            "BR581",
            'no method "bca".*method="percentile"',
            lambda: br.compare(joint(), br.curves.ks, method="bca"),
        ),
        (
            "BR581",
            'no method "mcnemar" to compare tpr',
            lambda: br.compare(separate(), "tpr", threshold=1, paired=False, method="mcnemar"),
        ),
        ("BR580", "a level lies between", lambda: br.compare(joint(), br.auc, level=95)),
        ("BR580", "a seed is a whole number", lambda: br.compare(joint(), br.auc, seed=-1)),
        (
            "BR580",
            "100 to 10,000,000 replicates, got 20",
            lambda: br.compare(joint(), br.curves.ks, replicates=20),
        ),
        (
            "BR581",
            "resamples are drawn by",
            lambda: br.compare(joint(), br.curves.ks, resample="rows"),
        ),
        (
            "BR581",
            "clusters are resampled whole, and need GroupedCounts",
            lambda: br.compare(joint(), br.curves.ks, resample="clusters"),
        ),
        (
            "BR594",
            "brier_decomposition gives more than one number",
            lambda: br.compare(joint(), br.curves.brier_decomposition),
        ),
        (
            "BR594",
            "a statistic is a function of Counts or the name of a measure, got 5",
            lambda: br.compare(joint(), 5),
        ),
        ("BR552", "there are no negatives", lambda: br.compare(joint(prior=1), br.auc)),
        ("BR552", "there are no positives", lambda: br.compare(joint(prior=0), br.curves.ks)),
        (
            "BR552",
            '"a" has cases of one class only',
            lambda: br.compare(separate(prior=0), br.auc, paired=False),
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_reason(code, match, call):
    assert_refused(code, match, call)


def test_unequal_cases_are_refused():
    with pytest.raises(br.InputError, match='lengths differ: y_true 3, "a" 3, "b" 2'):
        br.count([0, 1, 1], {"a": [1, 2, 3], "b": [1, 2]})


def test_a_pair_that_is_no_sequence_is_refused():
    assert_refused(
        "BR595", "a pair is two different models", lambda: br.compare(joint(), br.auc, pair=5)
    )


def test_a_mixture_of_groups_and_counts_is_refused_by_naming_the_odd_one():
    mixed = {"a": separate()["a"], "b": grouped_models()["b"]}
    assert_refused(
        "BR410",
        "every model must be counted in the same way, got Counts and GroupedCounts",
        lambda: br.compare(mixed, br.auc, paired=False),
    )


@pytest.mark.parametrize("options", [{"resample": "rows"}, {"replicates": -3}])
def test_what_a_method_does_not_use_is_not_taken_in_silence(options):
    with pytest.raises(br.InputError, match="resample|replicates"):
        br.compare(joint(), br.auc, **options)


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.parametrize("options", [{}, {"replicates": 100}])
def test_a_measure_that_one_model_leaves_undefined_is_named_with_it(name, options):
    """Nothing is flagged above all scores: precision is 0/0."""
    cuts = {"a": 0.5, "b": 0.5, name: 99}
    assert_refused(
        "BR589",
        f'precision of "{name}" is undefined, and so is the difference',
        lambda: br.compare(joint(), "precision", threshold=cuts, at=br.Conditions(0.1), **options),
    )
