"""What a build fails on: a requirement that is not shown."""

import numpy as np
import pytest
from scipy.special import betaincinv
from tests.inference.two_models import pairs

import baserate as br
from baserate.inference.requirements import _halves, require


def found(tp, positives, fp=10, negatives=1000):
    return br.Counts([1, 0], positives=[tp, positives - tp], negatives=[fp, negatives - fp])


def test_scenario_5_ninety_five_of_a_hundred_does_not_show_recall_of_90_percent_but_190_of_200_does():  # noqa: E501
    few = br.require(found(95, 100), "recall >= 0.9", threshold=1)
    (check,) = few.checks
    assert (few.outcome, few.passed, check.requirement) == (
        "met, not demonstrated",
        False,
        "tpr >= 0.9",
    )
    assert check.bound == pytest.approx(0.897747, abs=1e-6)
    assert (check.interval.method, check.interval.side, check.interval.value) == (
        "clopper-pearson",
        "lower",
        0.95,
    )
    many = br.require(found(190, 200), "recall >= 0.9", threshold=1)
    assert (many.outcome, many.passed) == ("demonstrated", True)
    assert many.checks[0].bound == pytest.approx(0.916665, abs=1e-6)
    assert many.checks[0].needed is None


def test_how_many_cases_would_show_it_at_the_rate_observed_is_said():
    (check,) = br.require(found(95, 100), "recall >= 0.9", threshold=1).checks
    assert check.needed == br.planning.cases_needed("recall >= 0.9", expect=0.95, power=None) == 142
    assert (
        br.rate_interval(135, 142, side="lower").low
        >= 0.9
        > br.rate_interval(95, 100, side="lower").low
    )


def test_what_is_missed_is_missed_whatever_the_number_of_cases():
    missed = br.require(found(89_000, 100_000), "recall >= 0.9", threshold=1)
    assert (missed.outcome, missed.checks[0].needed) == ("not met", None)


@pytest.mark.parametrize(("tp", "positives"), [(27, 30), (9, 10), (900_000, 1_000_000)])
def test_exactly_the_limit_is_observed(tp, positives):
    (check,) = br.require(found(tp, positives), "recall >= 0.9", threshold=1).checks
    assert (check.outcome, check.needed) == ("met, not demonstrated", None)
    assert (
        br.require(found(tp, positives), "fnr <= 0.1", threshold=1).outcome
        == "met, not demonstrated"
    )


def test_a_hair_above_the_limit_is_observed_whatever_number_of_cases_would_show_it():
    assert (
        br.require(found(900_001, 1_000_000), "recall >= 0.9", threshold=1).outcome
        == "met, not demonstrated"
    )


def test_upper_limits_are_shown_by_upper_bounds():
    counts = found(95, 100, fp=0, negatives=40_000)
    (check,) = br.require(counts, "fpr <= 1e-4", threshold=1).checks
    assert (check.outcome, check.interval.side) == ("demonstrated", "upper")
    assert check.bound == pytest.approx(7.48905e-5, rel=1e-6)
    (unshown,) = br.require(counts, "fpr <= 1e-5", threshold=1).checks
    assert (unshown.outcome, unshown.needed) == ("met, not demonstrated", 299_572)


def test_the_worst_of_several_terms_decides():
    counts = found(190, 200, fp=10, negatives=1000)
    verdict = br.require(counts, "recall >= 0.9 and fpr <= 2% and precision >= 99%", threshold=1)
    assert [check.outcome for check in verdict.checks] == [
        "demonstrated",
        "demonstrated",
        "not met",
    ]
    assert verdict.outcome == "not met"
    assert (
        br.require(counts, "recall >= 0.9 and fpr <= 1.1%", threshold=1).outcome
        == "met, not demonstrated"
    )
    assert br.require(counts, "recall >= 0.9 and fpr <= 2%", threshold=1).passed


def test_precision_is_judged_at_the_base_rate_that_is_given():
    counts = found(190, 200, fp=10, negatives=1000)
    assert br.require(counts, "precision >= 0.9", threshold=1).passed
    rare = br.require(counts, "precision >= 0.9", threshold=1, at=br.Conditions(prior=0.001))
    assert rare.outcome == "not met"
    assert rare.checks[0].interval.value == pytest.approx(0.00095 / (0.00095 + 0.00999))
    assert rare.point.at.prior == 0.001
    assert any(note.code == "BR526" for note in rare.notes), "label shift is assumed, and said"


def test_auc_may_be_required_alone_or_beside_others():
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [150, 300])
    counts = br.count(y, rng.normal(size=450) + 1.4 * y)
    value, bound = br.auc(counts), br.interval(counts, br.auc, side="lower").low
    assert br.require(counts, f"auc >= {bound - 1e-6:.6f}").outcome == "demonstrated"
    between = br.require(counts, f"auc >= {(value + bound) / 2:.6f}")
    assert (between.outcome, between.point) == ("met, not demonstrated", None)
    assert br.require(counts, f"auc >= {value + 0.001:.6f}").outcome == "not met"
    assert br.require(counts, "auc <= 99%").outcome == "demonstrated"
    assert br.require(counts, "AUC >= 0.8") == br.require(counts, "auc >= 80%")
    mixed = br.require(counts, "auc >= 0.5 and recall >= 0.5", threshold=0.5)
    assert [check.requirement for check in mixed.checks] == ["auc >= 0.5", "tpr >= 0.5"]
    assert mixed.passed


def test_without_a_threshold_half_of_the_cases_chooses_it_and_the_other_half_judges():
    counts = br.Counts([3, 2, 1], positives=[480, 280, 40], negatives=[20, 180, 3800])
    chosen = br.require(counts, "recall >= 0.9")
    assert (chosen.point.threshold, chosen.outcome) == (2, "demonstrated")
    assert 350 < chosen.point.tp + chosen.point.fn < 450, "half of 800 positives"
    assert any("2 was chosen on a random half" in note.text for note in chosen.notes)
    assert (
        br.require(counts, "recall >= 0.9") == chosen != br.require(counts, "recall >= 0.9", seed=1)
    )
    fallen_back = br.require(counts, "recall >= 0.9 and fpr <= 1%")
    assert (fallen_back.outcome, fallen_back.point.threshold) == (
        "not met",
        br.choose(counts).threshold,
    )


def test_on_noise_a_chosen_threshold_shows_nothing_more_often_than_it_may():
    passed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        counts = br.count(np.repeat([1, 0], [100, 1000]), rng.normal(size=1100).round(1))
        passed += br.require(counts, "lift >= 1.1", at=br.Conditions(costs=br.Costs(fn=8))).passed
    assert passed <= 6


@pytest.mark.parametrize(
    "requirement",
    [
        "average_precision >= 1",
        "ks >= 1",
        "gini >= 0.99",
        "auprc >= 0.99",
        "h_measure >= 1",
        "min_cost <= 0",
    ],
)
def test_a_handful_of_perfect_cases_shows_no_summary(requirement):
    assert (
        br.require(br.Counts([2, 1], positives=[5, 0], negatives=[0, 5]), requirement).outcome
        == "met, not demonstrated"
    )


def test_what_no_chosen_threshold_flags_is_missed_and_not_wrong_input():
    counts = br.Counts(
        [6, 5, 4, 3, 2, 1], positives=[0, 0, 0, 0, 3, 3], negatives=[3, 3, 3, 3, 0, 0]
    )
    assert br.require(counts, "precision >= 0.9").outcome == "not met"
    given = br.require(counts, "recall >= 0.9", threshold=2)
    assert not any(note.code == "BR593" for note in given.notes)


def test_a_budget_may_be_required():
    counts = found(190, 200, fp=10, negatives=1000)
    at = br.Conditions(prior=0.001)
    assert br.require(counts, "alerts <= 20000", threshold=1, at=at, volume=1e6).passed
    assert (
        br.require(counts, "alerts <= 11000", threshold=1, at=at, volume=1e6).outcome
        == "met, not demonstrated"
    )
    assert br.require(counts, "alerts <= 9000", threshold=1, at=at, volume=1e6).outcome == "not met"


SITES = {
    "A": (20, 9980, 0.002),
    "B": (20, 1980, 0.01),
    "C": (20, 380, 0.05),
    "D": (400, 2100, 0.16),
}


def test_scenario_11_sites_with_one_sensitivity_and_specificity_differ_in_precision_and_small_ones_show_nothing():  # noqa: E501
    groups = {
        site: found(
            tp=positives * 9 // 10,
            positives=positives,
            fp=negatives * 15 // 100,
            negatives=negatives,
        )
        for site, (positives, negatives, _) in SITES.items()
    }
    points = {site: br.choose(counts, threshold=1) for site, counts in groups.items()}
    assert [point.at.prior for point in points.values()] == [
        prior for _, _, prior in SITES.values()
    ]
    assert [point.precision for point in points.values()] == pytest.approx(
        [0.011881, 0.057143, 0.24, 0.533333], abs=1e-6
    )
    assert [point["nne"] for point in points.values()] == pytest.approx(
        [84.17, 17.5, 4.167, 1.875], rel=1e-4
    )
    required = {
        site: br.require(counts, "recall >= 0.85", threshold=1) for site, counts in groups.items()
    }
    assert [site for site, verdict in required.items() if not verdict.passed] == ["A", "B", "C"]
    assert {verdict.checks[0].interval.value for verdict in required.values()} == {0.9}


@pytest.mark.parametrize("at", [0.002, 0.01, 0.05, 0.16])
def test_scenario_11_one_test_set_read_at_each_sites_prevalence(at):
    counts = found(tp=900, positives=1000, fp=150, negatives=1000)
    (check,) = br.require(
        counts, "precision >= 0.2", threshold=1, at=br.Conditions(prior=at)
    ).checks
    expected = {0.002: 0.011881, 0.01: 0.057143, 0.05: 0.24, 0.16: 0.533333}[at]
    assert check.interval.value == pytest.approx(expected, abs=1e-6)
    assert check.outcome == ("not met" if at < 0.05 else "demonstrated")
    assert check.bound < check.interval.value


def test_the_same_seed_gives_the_same_bound():
    counts, at = found(45, 50, fp=10, negatives=100), br.Conditions(prior=0.1)
    one, again, other = (
        br.require(counts, "precision >= 0.1", threshold=1, at=at, seed=seed).checks[0].bound
        for seed in (1, 1, 2)
    )
    assert one == again != other
    assert one == pytest.approx(other, rel=0.02)


@pytest.mark.parametrize(
    ("requirement", "options", "match"),
    [
        ("recal >= 0.9", {}, 'BR531.*did you mean "recall"'),
        ("recall > 0.9", {}, "BR533.*written >= or <="),
        ("recall >= 90", {}, "BR533.*lies between 0 and 1"),
        ("auc >= high", {}, 'BR533.*"high" is not a number'),
        ("auc >= 80", {}, 'BR533.*auc lies between 0 and 1, got 80.*"auc >= 80%"'),
        ("auc <= -0.1", {}, "BR533.*auc lies between 0 and 1, got -0.1"),
        (7, {}, "BR533.*a requirement is a text, got 7"),
        ("alerts <= 200", {}, "BR520.*of how many cases"),
        ("recall >= 0.9", {"level": 95}, "BR580.*level=0.95"),
        ("precision >= 0.9", {"threshold": None}, "BR589.*nothing flagged"),
        ("precision >= 0.9", {"threshold": "high"}, "BR529|threshold"),
    ],
)
def test_a_requirement_that_cannot_be_read_is_refused(requirement, options, match):
    with pytest.raises(br.InputError, match=match):
        br.require(found(95, 100), requirement, **{"threshold": 1, **options})


def test_a_requirement_is_judged_on_the_counts_of_one_model():
    joint = pairs(1, 2, both=20)
    with pytest.raises(br.InputError, match="BR429.*evaluated on Counts, got JointCounts"):
        require(joint, "recall >= 0.9")
    found = br.require(joint, "recall >= 0.9", threshold=0.5)  # one per model
    assert list(found) == list(joint.models)
    for name, one in found.items():
        assert one == br.require(joint.marginal(name), "recall >= 0.9", threshold=0.5)


def test_a_rate_is_judged_on_its_own_class_though_there_is_no_other():
    only = br.Counts([1, 0], positives=[30, 40], negatives=[0, 0])
    (check,) = br.require(only, "recall >= 0.2", threshold=1).checks
    assert (check.outcome, check.interval.method, check.bound) == (
        "demonstrated",
        "clopper-pearson",
        pytest.approx(betaincinv(30, 41, 0.05)),
    )
    assert br.require(only, "recall >= 0.4", threshold=1).outcome == "met, not demonstrated"
    assert br.require(only, "recall >= 0.5", threshold=1).outcome == "not met"


@pytest.mark.parametrize(
    ("requirement", "match"),
    [
        ("fpr <= 0.5", r"BR589.*fpr is undefined here \(no negatives\)"),
        ("recall >= 0.2 and fpr <= 0.5", r"BR589.*fpr is undefined here \(no negatives\)"),
        ("auc >= 0.5", "BR552.*no negatives: AUC is undefined"),
    ],
)
def test_what_needs_the_class_that_is_not_there_cannot_be_judged(requirement, match):
    with pytest.raises(br.InputError, match=match):
        br.require(
            br.Counts([1, 0], positives=[30, 40], negatives=[0, 0]), requirement, threshold=1
        )


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_requirement_is_refused(empty):
    with pytest.raises(br.InputError, match="BR533.*the requirement is empty"):
        br.require(found(95, 100), empty, threshold=1)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_half_that_chooses_and_the_half_that_evaluates_are_all_cases(seed):
    counts = br.Counts([4, 3, 2, 1], positives=[60, 30, 10, 0], negatives=[5, 0, 200, 900])
    one, other = _halves(counts, seed)
    assert one + other == counts
    for cases, whole in ((one.total_positives, 100), (one.total_negatives, 1105)):
        assert abs(cases - whole / 2) < 4 * (whole / 4) ** 0.5


@pytest.mark.parametrize("name", ["recall", "auc"])
def test_a_bound_that_equals_its_limit_meets_it_within_a_part_in_1e12(name):
    counts = found(190, 200)
    (check,) = br.require(counts, f"{name} >= 0.5", threshold=1).checks
    for factor, outcome in ((1 + 5e-13, "demonstrated"), (1 + 5e-11, "met, not demonstrated")):
        limit = check.bound * factor
        assert br.require(counts, f"{name} >= {limit!r}", threshold=1).outcome == outcome


def test_a_loss_that_equals_its_margin_is_within_it():
    joint = pairs(12, 5, both=600)
    asked = {"baseline": "old", "candidate": "new", "threshold": 0.5}
    loss = br.non_inferiority(joint, **asked).parts[0].difference.high
    assert br.non_inferiority(joint, **asked, margin=loss * (1 - 5e-13)).passed
    assert not br.non_inferiority(joint, **asked, margin=loss * (1 - 5e-11)).passed
