"""What summaries refuse, what they call undefined, and what merged scores and chosen class totals
leave of them.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from tests.strategies import cases

import baserate as br

COUNTS = br.Counts([0.9, 0.5, 0.1], [6, 3, 1], [2, 8, 30])
ROC = br.Points.from_rates([0.1, 0.4], [0.6, 0.9])
FREE = {
    "auc": br.auc,
    "gini": br.curves.gini,
    "ks": br.curves.ks,
    "partial_auc": lambda c: br.curves.partial_auc(c, fpr=(0, 0.5)),
    "weighted_auc": lambda c: br.curves.weighted_auc(c, alpha=0.5),
    "weighted_auc segments": lambda c: br.curves.weighted_auc(c, alpha=0.5, strips="segments"),
    "weighted_auc continuous": lambda c: br.curves.weighted_auc(c, alpha=0.5, strips="continuous"),
    "cost_area": br.curves.cost_area,
    "weighted_cost_area": lambda c: br.curves.weighted_cost_area(c, alpha=0.5),
}
RANKED = {
    "average_precision": br.curves.average_precision,
    "auprc": br.curves.auprc,
    "weighted_pr_area": lambda c, **at: br.curves.weighted_pr_area(c, alpha=0.5, **at),
    "h_measure": br.curves.h_measure,
    "min_cost": br.curves.min_cost,
}
SCORED = {
    "brier": br.curves.brier,
    "brier_decomposition": br.curves.brier_decomposition,
    "log_loss": br.curves.log_loss,
    "calibration_error": br.curves.calibration_error,
    "calibration_error bins": lambda c, **at: br.curves.calibration_error(c, bins=5, **at),
}
PRIOR_BOUND = RANKED | SCORED


def case_control():
    return br.count([1, 1, 0, 0, 0], [0.9, 0.3, 0.5, 0.2, 0.1], design="case-control")


@pytest.mark.parametrize("name", [*FREE, *PRIOR_BOUND])
def test_BR429_anything_but_counts_is_refused(name):
    with pytest.raises(br.InputError, match="BR429"):
        (FREE | PRIOR_BOUND)[name]([0.1, 0.2])


@pytest.mark.parametrize("name", SCORED)
def test_BR429_rates_alone_have_no_scores(name):
    with pytest.raises(br.InputError, match="BR429.*got Points"):
        SCORED[name](ROC)


def test_a_published_roc_has_an_area_under_its_straight_lines():
    points = br.Points.from_rates([0.1, 0.5], [0.5, 0.75])
    assert br.auc(points) == pytest.approx(0.1 * 0.25 + 0.4 * 0.625 + 0.5 * 0.875)
    assert br.curves.gini(points) == pytest.approx(2 * br.auc(points) - 1)


@pytest.mark.parametrize("name", [*PRIOR_BOUND])
def test_BR509_chosen_class_totals_are_no_base_rate(name):
    counts = case_control()
    with pytest.raises(br.InputError, match="BR509: the class totals were chosen"):
        PRIOR_BOUND[name](counts)
    value = PRIOR_BOUND[name](counts, at=br.Conditions(prior=0.01))
    assert not np.isnan(value[:4] if isinstance(value, tuple) else value).any()
    assert "BR526" in [note.code for note in value.notes]


@pytest.mark.parametrize("name", FREE)
def test_what_does_not_depend_on_the_prior_is_read_off_chosen_class_totals(name):
    assert 0 <= FREE[name](case_control()) <= 1


@pytest.mark.parametrize("name", RANKED)
def test_BR509_a_published_roc_has_no_prior_of_its_own(name):
    with pytest.raises(br.InputError, match="BR509: only rates are known"):
        RANKED[name](ROC)
    assert 0 <= RANKED[name](ROC, at=br.Conditions(prior=0.1)) <= 1


@pytest.mark.parametrize("counts", [case_control(), ROC])
def test_BR509_without_class_totals_there_is_no_class_ratio(counts):
    with pytest.raises(br.InputError, match="BR509.*so there is no class ratio"):
        br.curves.weighted_auc(counts, alpha="class_ratio")


def test_BR517_more_positives_than_negatives_leave_nothing_to_shift():
    with pytest.raises(br.InputError, match="BR517: there are 1.5 positives for each negative"):
        br.curves.weighted_auc(br.Counts([2, 1], [2, 1], [1, 1]), alpha="class_ratio")
    with pytest.raises(br.InputError, match="BR517|the cost ratio is 5 > 1"):
        br.curves.weighted_auc(COUNTS, costs=br.Costs(fp=5, fn=1))


POSITIVES, NEGATIVES = (
    br.Counts([0.75, 0.5], [1, 3], [0, 0]),
    br.Counts([0.75, 0.5], [0, 0], [1, 3]),
)


@pytest.mark.parametrize(
    ("counts", "missing", "score", "loss", "off"),
    [
        (POSITIVES, "negatives", (0.25**2 + 3 / 4) / 4, math.log(4 / 3) / 4, 7 / 16),
        (NEGATIVES, "positives", (0.75**2 + 3 / 4) / 4, math.log(4) / 4, 9 / 16),
    ],
    ids=["positives", "negatives"],
)
def test_means_over_cases_of_one_class_exist_at_their_own_base_rate(
    counts, missing, score, loss, off
):
    assert br.curves.brier(counts) == score
    assert br.curves.log_loss(counts) == pytest.approx(loss + 3 / 4 * math.log(2), rel=1e-15)
    assert br.curves.calibration_error(counts, bins=4) == off
    unknown = br.curves.calibration_error(counts)
    parts = br.curves.brier_decomposition(counts)
    assert (parts.brier, parts.uncertainty) == (score, 0)
    for one in (unknown, parts.miscalibration, parts.discrimination):
        assert isinstance(one, br.types.Undefined)
        assert one.reason == f"no {missing}"


@pytest.mark.parametrize("counts", [POSITIVES, NEGATIVES], ids=["positives", "negatives"])
@pytest.mark.parametrize("name", SCORED)
def test_BR552_one_class_has_no_probabilities_at_another_base_rate(name, counts):
    with pytest.raises(br.InputError, match="BR552: no .*: nothing is known of them at another"):
        SCORED[name](counts, at=br.Conditions(prior=0.1))
    with pytest.raises(br.InputError, match="BR552: there are no cases"):
        SCORED[name](br.Counts.empty())


@pytest.mark.parametrize("counts", [POSITIVES, NEGATIVES], ids=["positives", "negatives"])
@pytest.mark.parametrize("name", ["brier", "brier_decomposition", "log_loss", "calibration_error"])
def test_BR552_scores_are_not_corrected_to_a_base_rate_of_0_or_1(name, counts):
    with pytest.raises(br.InputError, match="BR552: correcting scores needs cases of both classes"):
        SCORED[name](counts, calibrated_at=0.5)


@pytest.mark.parametrize("name", [name for name in FREE | RANKED if name != "min_cost"])
@pytest.mark.parametrize(
    ("positives", "negatives", "reason"), [(3, 0, "no negatives"), (0, 3, "no positives")]
)
def test_one_class_alone_leaves_a_summary_undefined_and_says_which_is_missing(
    name, positives, negatives, reason
):
    value = (FREE | RANKED)[name](br.Counts([0.5], [positives], [negatives]))
    assert isinstance(value, br.types.Undefined)
    assert value.reason == reason


def test_no_cases_at_all_leave_a_summary_undefined():
    assert br.curves.ks(br.Counts.empty()).reason == "no cases"
    assert br.auc(br.Counts.empty()).reason == "no cases"


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("scores", [[55.0, 20.0], [0.5, -3.0], [1.001, 0.2]])
def test_BR507_scores_beyond_0_and_1_are_no_probabilities(name, scores):
    with pytest.raises(br.InputError, match="BR507: these scores are not probabilities: they span"):
        SCORED[name](br.Counts(scores, [3, 1], [1, 5]))


@pytest.mark.parametrize("name", SCORED)
def test_BR507_merged_scores_have_lost_their_probabilities(name):
    exact = br.count([1, 0, 0, 0, 1], [0.9, 0.8, 0.7, 0.3, 0.2])
    with pytest.raises(br.InputError, match="BR507: condensed counts have merged scores"):
        SCORED[name](exact.condense())


def test_BR542_one_band_and_it_rises():
    for bands in ({}, {"fpr": (0, 0.1), "tpr": (0.9, 1)}):
        with pytest.raises(br.InputError, match="BR542: give one band, of fpr or of tpr"):
            br.curves.partial_auc(COUNTS, **bands)
    for band in (
        (0.5, 0.1),
        (0.1, 0.1),
        (-0.1, 0.5),
        (0, 1.5),
        (0, math.nan),
        0.1,
        "ab",
        (0, 0.1, 0.2),
        (0,),
    ):
        with pytest.raises(
            br.InputError, match="BR542: a band runs from a lower to a higher share, got"
        ):
            br.curves.partial_auc(COUNTS, tpr=band)


def test_BR542_alpha_is_a_share_or_comes_from_somewhere():
    for given_ in ({}, {"alpha": 0.1, "costs": br.Costs(fp=1, fn=5)}):
        with pytest.raises(br.InputError, match="BR542: give alpha, or costs to take it from"):
            br.curves.weighted_auc(COUNTS, **given_)
    for alpha in (-0.1, 1.5, math.nan, math.inf, "0.1", True, [0.1]):
        with pytest.raises(br.InputError, match="BR542: alpha lies between 0 and 1, got"):
            br.curves.weighted_auc(COUNTS, alpha=alpha)
        with pytest.raises(br.InputError, match="BR542: alpha lies between 0 and 1, got"):
            br.curves.weighted_pr_area(COUNTS, alpha=alpha)
        with pytest.raises(br.InputError, match="BR542: alpha lies between 0 and 1, got"):
            br.curves.weighted_cost_area(COUNTS, alpha=alpha)


@pytest.mark.parametrize("strips", [0, -1, 2.5, "ten", None, True, 10**7])
def test_BR542_strips_are_a_whole_number_or_one_of_two_words(strips):
    for summary in (
        br.curves.weighted_auc,
        br.curves.weighted_pr_area,
        br.curves.weighted_cost_area,
    ):
        with pytest.raises(br.InputError, match="BR542: strips is a whole number"):
            summary(COUNTS, alpha=0.5, strips=strips)


@pytest.mark.parametrize(
    ("count", "alpha"), [(0, 0.5), (-1, 0.5), (3, 2), (3, -0.5), (3, math.nan), (2.5, 0.5)]
)
def test_BR542_weights_are_of_one_strip_or_more_and_of_a_share(count, alpha):
    with pytest.raises(br.InputError, match="BR542"):
        br.curves.strip_weights(count, alpha)


def test_BR532_costs_are_distributed_in_one_of_three_ways():
    with pytest.raises(br.InputError, match="BR532: the distribution of costs is"):
        br.curves.h_measure(COUNTS, prior="uniform")
    for ratio in (0, -1, math.inf, math.nan, "1", True):
        with pytest.raises(
            br.InputError, match="BR532: a severity ratio is a number between 1e-9 and 1e9, got"
        ):
            br.curves.h_measure(COUNTS, severity_ratio=ratio)


def test_BR567_probabilities_off_by_rounding_are_taken_as_0_or_1_and_it_is_said():
    value = br.curves.brier(br.Counts([1 + 1e-9, -1e-9], [1, 0], [0, 1]))
    assert value == 0
    (note,) = value.notes
    assert note.code == "BR567"
    assert "2 distinct scores lie outside 0 and 1 by rounding" in note.text


@pytest.mark.parametrize("bins", [0, -3, 2.5, "ten", True])
def test_BR542_bins_are_a_whole_number(bins):
    with pytest.raises(br.InputError, match="BR542: bins is a whole number from 1, got"):
        br.curves.calibration_error(COUNTS, bins=bins)


def test_correcting_needs_a_base_rate_that_can_be_read():
    with pytest.raises(br.InputError, match="prior must lie strictly between 0 and 1"):
        br.curves.brier(COUNTS, calibrated_at=1.5)
    with pytest.raises(br.InputError, match="BR519: at must be Conditions"):
        br.curves.average_precision(COUNTS, at=0.01)


def test_an_impossible_answer_is_an_infinite_surprise_and_is_not_clipped():
    value = br.curves.log_loss(br.Counts([1.0, 0.5], [1, 1], [1, 1]))
    assert math.isnan(value)
    assert value.reason.startswith("infinite")
    assert br.curves.log_loss(br.Counts([1.0, 0.0], [4, 0], [0, 5])) == 0


@pytest.mark.parametrize(
    "name", [*RANKED, *(name for name in SCORED if name != "brier_decomposition")]
)
def test_every_value_at_another_base_rate_says_what_it_assumes(name):
    at_home, away = (
        PRIOR_BOUND[name](COUNTS),
        PRIOR_BOUND[name](COUNTS, at=br.Conditions(prior=0.01)),
    )
    assert "BR526" not in [note.code for note in at_home.notes]
    assert "BR526" in [note.code for note in away.notes]
    assert away.name.startswith(name.split()[0])


@given(cases(both=True))
def test_condensed_counts_have_the_same_auc_hull_and_areas_of_the_hull(data):
    exact = br.count(*data)
    condensed = exact.condense()
    for name in ("auc", "gini", "ks", "cost_area", "weighted_auc", "weighted_auc continuous"):
        assert FREE[name](condensed) == pytest.approx(FREE[name](exact), rel=1e-14, abs=1e-16)
    for name in ("average_precision", "auprc", "h_measure", "min_cost"):
        assert RANKED[name](condensed) == pytest.approx(RANKED[name](exact), rel=1e-13, abs=1e-15)


@given(cases(both=True))
def test_a_monotone_rescaling_leaves_every_ranking_summary_alone(data):
    counts = br.count(*data)
    ranks = br.Counts(-np.arange(len(counts.scores)), counts.positives, counts.negatives)
    for summary in (FREE | RANKED).values():
        assert summary(ranks) == summary(counts)


@given(cases(both=True))
def test_integer_weights_are_repetition(data):
    labels, scores = data
    repeats = np.arange(len(labels)) % 3 + 1
    weighed, repeated = (
        br.count(labels, scores, sample_weight=repeats),
        br.count(np.repeat(labels, repeats), np.repeat(scores, repeats)),
    )
    for summary in (FREE | RANKED).values():
        assert summary(weighed) == pytest.approx(summary(repeated), rel=1e-12, abs=1e-14)


@given(cases(both=True))
def test_swapping_the_classes_and_turning_the_scores_round_mirrors(data):
    counts = br.count(*data)
    places = np.arange(len(counts.scores))
    mirrored = br.Counts(places, counts.negatives, counts.positives)
    assert br.auc(mirrored) == br.auc(counts)
    assert br.curves.ks(mirrored) == br.curves.ks(counts)
    assert br.curves.cost_area(mirrored) == pytest.approx(
        br.curves.cost_area(counts), rel=1e-12, abs=1e-16
    )
    assert br.curves.h_measure(mirrored) == pytest.approx(br.curves.h_measure(counts), abs=1e-12)
