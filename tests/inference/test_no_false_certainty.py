"""What was never seen is not ruled out: nothing here may look certain, or pass, because resamples
know of nothing else.
"""

import numpy as np
import pytest

import baserate as br

PERFECT = [1] * 5 + [0] * 200


def two(first, second, labels=PERFECT):
    return br.count(labels, {"a": first, "b": second})


def test_a_band_along_base_rates_knows_of_false_alarms_that_were_not_seen():
    counts = br.Counts([2, 1], positives=[95, 5], negatives=[0, 40_000])
    band = br.curves.band(counts, "precision", priors=[1e-3, 1e-5], threshold=2, replicates=200)
    singles = [
        br.interval(counts, "precision", threshold=2, at=br.Conditions(prior=prior))
        for prior in (1e-3, 1e-5)
    ]
    assert band.low.tolist() == pytest.approx([one.low for one in singles])
    assert band.low[1] < 0.2
    assert band.high.tolist() == [1, 1]


def test_a_band_that_no_resample_leaves_says_so():
    band = br.curves.band(
        br.Counts([2, 1], positives=[50, 0], negatives=[0, 50]), "cost", replicates=100
    )
    assert any(
        note.code == "BR591" and "every resample gave the same value" in note.text
        for note in band.notes
    )


@pytest.mark.parametrize("statistic", ["auc", "average_precision", "ks", "gini"])
def test_no_margin_is_shown_by_resamples_that_do_not_differ(statistic):
    joint = two([9] * 5 + [0] * 200, [3, 4, 5, 6, 7] + [0] * 200)
    assert not br.non_inferiority(joint, statistic, baseline="a", candidate="b", margin=1e-6).passed


def test_no_p_value_is_below_what_the_cases_that_differ_allow():
    joint = two([1] * 5 + [0] * 200, [0] * 205)
    exact = br.compare(joint, "tpr", threshold=1)
    asked = {"threshold": 1, "at": br.Conditions(prior=0.01)}
    found = br.compare(joint, "expected_cost", **asked)
    again = br.compare(joint, "expected_cost", **asked, replicates=2000)
    # False alarms, which were not seen, cost too: the closed form allows for them.
    assert exact.p_value == again.p_value == 2**-4 < found.p_value
    assert any("every resample gave the same value" in note.text for note in again.notes)


def test_strips_between_all_points_are_not_resampled_on_merged_runs():
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0], [50, 500])
    found = br.interval(
        br.count(labels, rng.normal(size=550) + 1.2 * labels),
        "weighted_auc(alpha=0.9, strips=segments)",
        replicates=200,
    )
    assert found.low < found.value < found.high


@pytest.mark.parametrize("measure", ["mcc", "kappa", "savings", "markedness"])
def test_over_a_range_also_a_measure_that_rises_and_falls_stays_inside(measure):
    confusion = br.Confusion(tp=900, fp=100, fn=100, tn=900)
    found = br.interval(confusion, measure, at=br.Conditions(prior="1e-4..0.9999"))
    for prior in (0.001, 0.1, 0.5, 0.9):
        inside = br.interval(confusion, measure, at=br.Conditions(prior=prior))
        assert found.low <= inside.low
        assert inside.high <= found.high + 0.002


def test_a_resample_without_a_class_is_counted_and_not_refused():
    counts = br.count([1] * 5 + [0] * 5, [0.9, 0.8, 0.85, 0.95, 0.99, 0.1, 0.2, 0.3, 0.15, 0.25])
    found = br.interval(counts, br.curves.average_precision)
    assert any(note.code == "BR592" for note in found.notes)
    mean = br.interval(counts, br.curves.brier)  # which one class has as well
    assert mean.low < mean.value < mean.high
    assert not any(note.code == "BR592" for note in mean.notes)


def test_a_function_of_ones_own_has_no_direction_that_a_gate_could_guess():
    labels, rng = np.repeat([1, 0], 50), np.random.default_rng(0)
    good = np.clip(labels * 0.8 + 0.1 + rng.normal(0, 0.05, 100), 0, 1)
    joint = br.count(labels, {"old": good, "new": 1 - good})

    def loss(counts):
        return br.curves.brier(counts)

    with pytest.raises(
        br.InputError, match='BR594: which way is better is not known of "loss".*better="higher"'
    ):
        br.non_inferiority(joint, loss, baseline="old", candidate="new", replicates=100)
    assert not br.non_inferiority(
        joint, loss, baseline="old", candidate="new", better="lower", replicates=100
    ).passed


def test_a_better_model_is_never_harder_to_show():
    plans = [
        br.planning.cases_for_auc(expect=auc, at_least=0.8).positives
        for auc in (0.85, 0.9, 0.95, 0.99, 0.999, 0.9999)
    ]
    assert plans == sorted(plans, reverse=True)


def test_a_pilot_without_positives_bounds_nothing_from_below():
    found = br.interval(
        br.Confusion(tp=45, fp=10, fn=5, tn=5000),
        "precision",
        at=br.Conditions(prior=br.Pilot(0, 1000)),
        side="lower",
    )
    assert found.low < 1e-6


def test_so_many_parts_that_no_p_value_could_be_small_enough_are_refused():
    labels = [1] * 20 + [0] * 50
    old, new = [1] * 20 + [0] * 50, [0] * 20 + [1] * 50
    slices = {str(k): br.count(labels, {"old": old, "new": new}) for k in range(2)}
    asked = {"baseline": "old", "candidate": "new", "threshold": 1}
    with pytest.raises(
        br.InputError, match="BR580: 3 comparisons of 100 resamples each.*replicates=240"
    ):
        br.non_inferiority(slices, "expected_cost", replicates=100, **asked)
    assert not br.non_inferiority(slices, "expected_cost", replicates=240, **asked).passed


@pytest.mark.parametrize(
    ("threshold", "text"), [(50, "both models flag nothing"), (-1, "both models flag everything")]
)
def test_a_gate_that_cannot_come_out_is_refused(threshold, text):
    with pytest.raises(br.InputError, match=f"BR596: {text}"):
        br.non_inferiority(
            two([1] * 5 + [0] * 200, [0] * 205), baseline="a", candidate="b", threshold=threshold
        )
    with pytest.raises(
        br.InputError,
        match="BR552: there are no positives: a gate on these cases would always pass",
    ):
        br.non_inferiority(
            two([0.1, 0.2], [0.3, 0.1], [0, 0]), baseline="a", candidate="b", threshold=0.15
        )


def test_a_threshold_beyond_every_score_is_noted_by_a_requirement():
    found = br.require(
        br.Counts([2, 1], positives=[50, 10], negatives=[5, 95]), "fpr <= 0.5", threshold=50
    )
    assert found.passed
    assert any(note.code == "BR529" for note in found.notes)


@pytest.mark.parametrize("requirement", ["auc >= 1e400", "auc >= 80", "AUC ≥ 8000%"])
def test_a_limit_beyond_the_range_of_a_summary_is_refused(requirement):
    with pytest.raises(br.InputError, match="BR533: auc lies between 0 and 1"):
        br.require(br.Counts([2, 1], positives=[50, 10], negatives=[5, 95]), requirement)
