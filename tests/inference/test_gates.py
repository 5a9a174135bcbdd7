"""What a build fails on: a candidate that is really worse."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from tests.inference.two_models import pairs

import baserate as br
from baserate.inference.resample import holm
from baserate.results.values import ALL

BOTH = {"baseline": "old", "candidate": "new"}


def judged(models, *statistic, **options):
    return br.non_inferiority(models, *statistic, **BOTH, **{"threshold": 0.5, **options})


def test_scenario_7_twelve_against_five_is_worse_within_noise_and_passes():
    verdict = judged(pairs(12, 5, both=200))
    (part,) = verdict.parts
    assert (verdict.passed, verdict.outcome, verdict.failed) == (True, "worse, not significant", ())
    assert part.difference.p_value == pytest.approx(0.143463, abs=1e-6)
    assert part.difference.value == pytest.approx(7 / 217)
    assert (part.name, part.p_adjusted) == (ALL, part.difference.p_value)


def test_scenario_7_forty_against_twenty_is_worse_and_fails():
    verdict = judged(pairs(40, 20, both=200))
    assert (verdict.passed, verdict.outcome) == (False, "worse")
    assert verdict.parts[0].difference.p_value == pytest.approx(0.0134893, abs=1e-7)
    assert [part.name for part in verdict.failed] == [ALL]


def test_twenty_against_forty_is_better_and_passes():
    verdict = judged(pairs(20, 40, both=200))
    assert (verdict.passed, verdict.outcome) == (True, "better")
    assert judged(pairs(5, 12, both=200)).outcome == "better, not significant"


def test_identical_models_do_not_differ():
    verdict = judged(pairs(0, 0, both=50, neither=5))
    assert (verdict.passed, verdict.outcome, verdict.parts[0].difference.p_value) == (
        True,
        "no difference",
        1,
    )
    assert judged(pairs(9, 9, both=50)).outcome == "no difference"


def test_scenario_7_a_slice_that_falls_under_a_flat_total_fails_and_is_named():
    slices = {"night": pairs(13, 1, both=36), "day": pairs(3, 15, both=180, neither=2)}
    verdict = judged(slices)
    whole, night, day = verdict.parts
    assert [1 - value for value in night.difference.values] == pytest.approx([0.98, 0.74])
    assert whole.difference.value == 0
    assert (whole.outcome, night.outcome, day.outcome) == ("no difference", "worse", "better")
    assert (verdict.passed, verdict.outcome) == (False, "worse")
    assert [part.name for part in verdict.failed] == ["night"]
    assert judged(pairs(16, 16, both=216, neither=2)).passed, "the total alone would pass"


def test_p_values_of_slices_are_adjusted_by_holm_for_the_total_too():
    slices = {"a": pairs(12, 2, both=40), "b": pairs(4, 3, both=40), "c": pairs(9, 9, both=40)}
    verdict = judged(slices)
    raw = [part.difference.p_value for part in verdict.parts]
    assert raw == pytest.approx(
        [
            br.planning.mcnemar_p(25, 14),
            br.planning.mcnemar_p(12, 2),
            br.planning.mcnemar_p(4, 3),
            1.0,
        ]
    )
    assert [part.p_adjusted for part in verdict.parts] == pytest.approx(holm(raw))
    assert raw[1] < 0.05 < verdict.parts[1].p_adjusted, (
        "one slice of three is enough to look worse by chance"
    )
    assert (verdict.passed, verdict.parts[1].outcome) == (True, "worse, not significant")
    assert judged({"a": slices["a"]}).passed is False, "on its own it would fail"


def test_a_single_slice_is_all_cases_and_judged_once():
    verdict = judged({"everything": pairs(12, 5, both=20)})
    assert [part.name for part in verdict.parts] == [ALL]


@pytest.mark.parametrize("label", [0, 1])
def test_errors_on_a_slice_of_one_class_are_judged(label):
    slices = {"one class": pairs(30, 2, both=68, label=label), "rest": pairs(2, 30, both=68)}
    verdict = judged(slices)
    assert [part.name for part in verdict.failed] == ["one class"]


def test_errors_on_a_slice_of_one_class_are_judged_however_the_measure_is_named():
    slices = {"one class": pairs(30, 2, both=68, label=0), "rest": pairs(2, 30, both=68)}
    assert not judged(slices, br.Measure("error")).passed


def test_what_one_class_does_not_define_is_not_compared_there_and_said_so():
    rng = np.random.default_rng(1)
    y, scores = rng.random(200) < 0.4, rng.normal(size=(2, 200))
    slices = {
        "mixed": br.count(y, {"old": scores[0], "new": scores[1]}),
        "negatives": br.count([0] * 20, {"old": range(20), "new": range(20)}, pos_label=1),
    }
    verdict = br.non_inferiority(slices, "auc", **BOTH)
    assert [part.name for part in verdict.parts] == [ALL, "mixed"]
    (note,) = [note for note in verdict.notes if "negatives" in note.text]
    assert (note.code, note.text) == (
        "BR596",
        'slice "negatives" cannot be compared: there are no positives: models cannot be compared',
    )


def test_a_slice_named_all_cases_is_a_slice_like_any_other():
    slices = {"B": pairs(40, 20, both=40), "all cases": pairs(0, 0, both=60)}
    verdict = judged(slices)
    assert [(part.name, part.whole) for part in verdict.parts] == [
        (ALL, True),
        ("B", False),
        (ALL, False),
    ]
    assert verdict.parts[0].difference.values == pytest.approx([20 / 160, 40 / 160])


def test_how_many_cases_differ_is_said_of_all_cases_only():
    verdict = judged({"a": pairs(8, 4, both=40), "b": pairs(7, 9, both=40)})
    assert [note.text for note in verdict.notes if note.code == "BR599"] == [
        '15 cases are correct only with "old", 13 only with "new"'
    ]


def test_a_single_slice_of_joint_counts_is_refused_where_it_is_none():
    with pytest.raises(br.InputError, match="BR595.*needs the joint counts of both models"):
        br.non_inferiority({}, **BOTH)
    with pytest.raises(br.InputError, match="BR595.*needs the joint counts of both models"):
        br.non_inferiority({"a": br.count([0, 1], [1, 2])}, **BOTH)


def test_other_statistics_are_compared_in_the_direction_that_is_better_for_them():
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [150, 350])
    good, bad = rng.normal(size=500) + 2 * y, rng.normal(size=500) + 0.3 * y
    worse, better = (
        br.count(y, {"old": good, "new": bad}),
        br.count(y, {"old": bad, "new": good}),
    )
    for statistic, options in (
        ("auc", {}),
        (
            "expected_cost",
            {"threshold": 1.0, "at": br.Conditions(0.05, br.Costs(fp=1, fn=10)), "replicates": 200},
        ),
        ("tpr", {"threshold": 1.0}),
        ("precision", {"rule": "tpr >= 0.5", "replicates": 200}),
    ):
        assert br.non_inferiority(worse, statistic, **BOTH, **options).outcome == "worse"
        assert br.non_inferiority(better, statistic, **BOTH, **options).outcome == "better"


def test_a_margin_passes_only_what_is_shown_to_be_hardly_worse():
    models = pairs(12, 5, both=600)
    high = judged(models).parts[0].difference.high
    assert 0.011 < high < 0.03
    shown, not_shown = judged(models, margin=0.05), judged(models, margin=0.01)
    assert (shown.passed, not_shown.passed) == (True, False)
    assert shown.outcome == not_shown.outcome == "worse, not significant"
    assert f"at most {high:.4g} worse at 95 %: within the margin of 0.05" in [
        note.text for note in shown.notes
    ]
    assert (
        f"at most {high:.4g} worse at 95 %: not demonstrated to be within the margin of 0.01"
        in [note.text for note in not_shown.notes]
    )
    assert (shown.margin, judged(models).margin) == (0.05, None)
    assert judged(models, margin=high).passed, "at the margin is within it"


def test_a_margin_looks_at_the_lower_bound_where_higher_is_better():
    models = pairs(12, 5, both=600)
    low = judged(models, "accuracy").parts[0].difference.low
    assert low < -0.01
    assert judged(models, "accuracy", margin=-low + 1e-6).passed
    assert not judged(models, "accuracy", margin=-low - 1e-6).passed


def test_a_margin_excuses_no_significant_regression_and_few_cases_show_no_margin():
    assert not judged(pairs(40, 20, both=200), margin=0.5).passed
    assert not judged(pairs(1, 1, both=10), margin=0.01).passed
    assert judged(pairs(1, 30, both=100), margin=0.01).passed


def test_ten_cases_on_which_two_models_agree_do_not_show_that_they_differ_by_less_than_1_percent():
    models = br.count([0, 1] * 5, {"old": [0.1, 0.9] * 5, "new": [0.2, 0.8] * 5})
    verdict = judged(models, margin=0.01)
    difference = verdict.parts[0].difference
    assert (difference.value, difference.p_value) == (0, 1)
    assert difference.high == pytest.approx(-difference.low)
    assert difference.high > 0.1
    assert not verdict.passed


def test_the_smallest_regression_that_could_have_been_seen_is_said():
    few, many = judged(pairs(12, 5, both=83)).parts[0], judged(pairs(120, 50, both=830)).parts[0]
    assert few.detectable == pytest.approx(br.planning.smallest_detectable(17, cases=100).share)
    assert many.detectable < few.detectable
    assert few.detectable > few.difference.value
    assert judged(pairs(0, 0, both=50)).parts[0].detectable is None


def test_the_level_decides_what_is_called_worse():
    models = pairs(12, 5, both=200)
    assert judged(models, level=0.85).outcome == "worse"
    assert judged(pairs(40, 20), level=0.99).outcome == "worse, not significant"


@pytest.mark.parametrize("slices", [0, 5])
def test_models_that_are_alike_hardly_ever_fail(slices):
    """2,000 gates of two models that are equally good: at most 3 in 100 fail, also over five slices
    and their total.
    """
    rng = np.random.default_rng(7)
    discordant = rng.binomial(300, 0.12, size=(2000, max(slices, 1)))
    lost = rng.binomial(discordant, 0.5)
    if slices:
        lost, discordant = (
            np.column_stack([column.sum(axis=1), column]) for column in (lost, discordant)
        )
    failed = 0
    for ours, all_of_them in zip(lost.tolist(), discordant.tolist(), strict=True):
        adjusted = holm(
            [br.planning.mcnemar_p(a, n - a) for a, n in zip(ours, all_of_them, strict=True)]
        )
        failed += any(
            p < 0.05 and 2 * a > n for p, a, n in zip(adjusted, ours, all_of_them, strict=True)
        )
    assert 0 < failed <= 60


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"margin": 0}, "BR596.*a number above 0, got 0"),
        ({"margin": -0.1}, "BR596.*a number above 0, got -0.1"),
        ({"margin": math.nan}, "BR596.*a number above 0, got nan"),
        ({"margin": True}, "BR596.*a number above 0, got True"),
        ({"margin": "1%"}, 'BR596.*a number above 0, got "1%"'),
        ({"candidate": "old"}, 'BR596.*baseline and candidate are both "old"'),
        ({"candidate": "newer"}, 'BR408.*there is no model "newer"'),
        ({"level": 95}, "BR580.*level=0.95"),
        ({"threshold": {"old": 0.5}}, 'BR529.*no threshold is given for "new"'),
    ],
)
def test_a_comparison_that_makes_no_sense_is_refused(options, match):
    with pytest.raises(br.InputError, match=match):
        br.non_inferiority(pairs(3, 4, both=20), **{**BOTH, "threshold": 0.5, **options})


def test_an_unknown_measure_is_refused_with_the_nearest_one():
    with pytest.raises(br.InputError, match='BR531.*did you mean "recall"'):
        br.non_inferiority(pairs(3, 4, both=20), "recal", **BOTH, threshold=0.5)


def test_weighted_cases_are_not_judged():
    models = br.count([0, 1] * 10, {"old": range(20), "new": range(20)}, sample_weight=[1.5] * 20)
    with pytest.raises(br.InputError, match="BR583.*weighted"):
        br.non_inferiority(models, **BOTH, threshold=3)
    with pytest.raises(br.InputError, match="BR583.*weighted"):
        br.require(
            br.count([0, 1] * 10, range(20), sample_weight=[1.5] * 20), "recall >= 0.5", threshold=3
        )


def test_the_smallest_difference_of_auc_follows_from_its_standard_error():
    """Half the width of the interval is 1.96 standard errors; with slices, Holm lets the first of
    so many parts through at so much less.
    """
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [60, 140])
    scores = rng.normal(size=(2, 200)) + y
    order = rng.permutation(200)
    slices = {
        name: br.count(y[some], {"old": scores[0][some], "new": scores[1][some]})
        for name, some in (("x", order[:100]), ("y", order[100:]))
    }
    z = NormalDist().inv_cdf
    whole = br.non_inferiority(slices["x"] + slices["y"], "auc", **BOTH).parts
    parts = br.non_inferiority(slices, "auc", **BOTH).parts
    for several in (whole, parts):
        for part in several:
            half = (part.difference.high - part.difference.low) / 2
            critical = z(1 - 0.05 / len(several) / 2)
            assert part.detectable == pytest.approx(half * (critical + z(0.8)) / z(0.975))
    assert len(parts) == 3


def test_resamples_must_be_able_to_show_something_after_holms_adjustment():
    """Of 100 resamples no p-value is below 2 / 101: enough for one comparison at 96.5 %, not for
    two.
    """
    options = {"replicates": 100, "at": br.Conditions(0.1, br.Costs(fn=5)), "level": 0.965}
    models = pairs(12, 5, both=200)
    assert judged(models, "expected_cost", **options).parts[0].difference.replicates == 100
    slices = {"a": models, "b": pairs(5, 5, both=100)}
    with pytest.raises(
        br.InputError, match="BR580: 3 comparisons of 100 resamples each.*replicates=343"
    ):
        judged(slices, "expected_cost", **options)
    single = judged({"a": models}, "expected_cost", **options)
    assert len(single.parts) == 1
