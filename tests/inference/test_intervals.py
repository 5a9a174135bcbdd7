"""`interval`: which method answers which question, and what is refused."""

import functools
import math

import numpy as np
import pytest
from tests.inference.samples import (
    AT,
    codes,
    counts,
    grouped,
    never,
    own_auc,
    own_ks,
    sample,
    text_of,
)

import baserate as br
from baserate.inference.intervals import IntervalOptions, interval, interval_at

# Which method.


@pytest.mark.parametrize(
    ("statistic", "options", "method"),
    [
        (br.auc, {}, "placements-beta"),
        ("auc", {"level": 0.9}, "placements-beta"),
        (br.auc, {"method": "delong"}, "delong"),
        (br.auc, {"method": "percentile"}, "percentile"),
        (br.auc, {"resample": "stratified"}, "percentile"),
        (br.curves.ks, {}, "percentile"),
        (br.curves.ks, {"method": "bca"}, "bca"),
        ("partial_auc(fpr=0..0.1)", {}, "percentile"),
        (br.Summary.parse("gini"), {}, "placements-beta"),
        (own_auc, {}, "percentile"),
        ("tpr", {"threshold": 1.0}, "wilson"),
        ("tpr", {"threshold": 3.0}, "clopper-pearson"),
        ("tpr", {"threshold": 1.0, "side": "lower"}, "clopper-pearson"),
        ("tpr", {"threshold": 1.0, "method": "jeffreys"}, "jeffreys"),
        ("tpr", {"threshold": 1.0, "method": "percentile"}, "percentile"),
        ("tpr", {"threshold": 1.0, "resample": "cases"}, "percentile"),
        ("precision", {"threshold": 1.0}, "wilson"),
        ("precision", {"threshold": 1.0, "at": AT}, "jeffreys-draws"),
        ("precision", {"threshold": 1.0, "at": AT, "side": "lower"}, "clopper-pearson-draws"),
        (br.Measure("precision"), {"threshold": 1.0, "at": AT, "method": "mercaldo"}, "mercaldo"),
        ("alerts(volume=100)", {"threshold": 1.0, "at": AT, "method": "predictive"}, "predictive"),
        ("precision", {"threshold": 1.0, "at": AT, "method": "bca"}, "bca"),
        ("precision", {"rule": "tpr >= 0.5", "at": AT}, "optimism-corrected jeffreys-draws"),
        ("tpr", {"rule": "tpr >= 0.5", "at": AT}, "clopper-pearson"),
        ("tpr", {"at": br.Conditions(costs=br.Costs(fn=20))}, "optimism-corrected clopper-pearson"),
    ],
)
def test_each_question_has_its_method(statistic, options, method):
    found = br.interval(counts(), statistic, replicates=200, **options)
    assert found.method == method
    assert found.low < found.value < found.high
    assert found.side == options.get("side", "both")
    by_resamples = method in ("percentile", "bca")
    assert (found.replicates == 200) == (by_resamples or method.startswith("optimism-corrected"))
    assert ("BR598" in codes(found)) == by_resamples


def test_auc_of_many_cases_away_from_perfect_is_that_of_delong():
    assert br.interval(counts(150, 600), br.auc).method == "delong-logit"
    assert br.interval(counts(150, 600, shift=4), br.auc).method == "placements-beta"


def test_five_cases_are_enough_for_a_bootstrap_and_four_are_not():
    found = br.interval(counts(5, 100), br.curves.ks, replicates=100)
    assert "only 5 positives" in text_of(found, "BR591")
    with pytest.raises(br.InputError, match="BR590: only 4 positives: too few to resample"):
        br.interval(counts(4, 100), br.curves.ks)
    assert br.interval(counts(4, 100), br.auc).method == "placements-beta"
    assert br.interval(counts(4, 100), "tpr", threshold=0.5).value == br.measure(
        counts(4, 100), "tpr", threshold=0.5
    )
    assert "BR591" not in codes(br.interval(counts(), br.curves.ks, replicates=100))


# What is asked for.


@pytest.mark.parametrize(
    ("statistic", "name"),
    [
        (br.curves.ks, "ks"),
        ("ks", "ks"),
        (br.Summary.parse("ks"), "ks"),
        (own_auc, "own_auc"),
        (functools.partial(br.curves.ks), "statistic"),
    ],
)
def test_a_statistic_is_named_as_one_would(statistic, name):
    found = br.interval(counts(), statistic, replicates=100)
    assert found.name == name


def test_a_function_its_name_and_its_summary_are_the_same_question():
    found = [
        br.interval(counts(), one, replicates=150)
        for one in (br.curves.ks, "ks", br.Summary.parse("ks"))
    ]
    assert found[0] == found[1] == found[2]
    own = br.interval(counts(), own_ks, replicates=150, resample="stratified")
    assert own.value == found[0].value
    assert own.low == pytest.approx(found[0].low, abs=0.03)


def test_a_function_of_ones_own_gets_the_conditions_it_asks_for():
    def cost(part, at=None):
        return br.curves.min_cost(part, at=at)

    at = br.Conditions(0.1, br.Costs(fn=10))
    assert br.interval(counts(), cost, at=at, replicates=100).value == br.curves.min_cost(
        counts(), at=at
    )
    with pytest.raises(br.InputError, match='BR594: "own_auc" takes no conditions'):
        br.interval(counts(), own_auc, at=AT)
    with pytest.raises(br.InputError, match='BR594: "own_auc" takes no conditions'):
        br.interval(counts(), own_auc, at=br.Conditions(prior="0.01..0.1"))


def test_costs_that_a_function_cannot_use_are_refused():
    with pytest.raises(br.InputError, match='BR594: "own_auc" takes no conditions'):
        br.interval(counts(), own_auc, at=br.Conditions(costs=br.Costs(fn=100)), replicates=100)


@pytest.mark.parametrize(
    ("statistic", "options"),
    [("tpr", {"threshold": 1.0}), (br.auc, {}), ("precision", {"threshold": 1.0, "at": AT})],
)
def test_a_volume_that_says_nothing_is_refused(statistic, options):
    with pytest.raises(br.InputError, match="BR532"):
        br.interval(counts(), statistic, volume=100, **options)


def test_a_summary_that_depends_on_the_prior_resamples_it_unless_it_is_given():
    assert "of all cases, the prior with them" in text_of(
        br.interval(counts(), br.curves.auprc, replicates=100), "BR598"
    )
    assert "within each class" in text_of(
        br.interval(counts(), br.curves.auprc, at=AT, replicates=100), "BR598"
    )
    assert "within each class" in text_of(
        br.interval(counts(), br.curves.ks, replicates=100), "BR598"
    )
    assert "of all cases" in text_of(br.interval(counts(), own_auc, replicates=100), "BR598")
    assert "of whole clusters" in text_of(
        br.interval(grouped(), br.curves.ks, replicates=100), "BR598"
    )
    assert br.interval(counts(), br.curves.auprc, at=AT, replicates=100).value == br.curves.auprc(
        counts(), at=AT
    )


@pytest.mark.parametrize(
    ("statistic", "options", "message"),
    [
        (3, {}, "BR594: a statistic is a function of Counts or the name of a measure, got 3"),
        (None, {}, "BR594: a statistic is a function of Counts"),
        (
            "precision",
            {"rule": "tpr >= 0.5", "threshold": 1.0},
            "BR594: give a rule or a threshold for precision, not both",
        ),
        (
            "precision",
            {"rule": "tpr >= 0.5", "threshold": None},
            "BR594: give a rule or a threshold for precision, not both",
        ),
        (br.auc, {"rule": "tpr >= 0.5"}, "BR594: a rule or threshold belongs to a measure"),
        ("ks", {"threshold": 1.0}, "BR594: a rule or threshold belongs to a measure"),
        (own_auc, {"threshold": 1.0}, "BR594: a rule or threshold belongs to a measure"),
        (
            br.curves.brier_decomposition,
            {},
            "BR594: brier_decomposition gives more than one number",
        ),
        ("nonsense", {"threshold": 1.0}, 'BR531: unknown measure "nonsense"'),
        ("alerts", {"threshold": 1.0}, "BR532: alerts needs volume"),
        (
            "precision",
            {"rule": "tpr >= 0.5", "method": "delong"},
            'BR581: there is no method "delong" for a rate',
        ),
        (
            "precision",
            {"optimize": "f1", "threshold": 1.0},
            "BR594: give a rule or a threshold for precision, not both",
        ),
        (br.auc, {"optimize": "f1"}, "BR594: a rule or threshold belongs to a measure"),
        (br.curves.ks, {"method": "delong"}, 'BR581: there is no method "delong" for ks here'),
        (br.auc, {"method": "wilson"}, 'BR581: there is no method "wilson" for AUC'),
        (
            "tpr",
            {"threshold": 1.0, "method": "delong"},
            'BR581: there is no method "delong" for a rate',
        ),
        (br.auc, {"resample": "clusters"}, "BR581: clusters are resampled whole"),
        (br.auc, {"resample": "jackknife"}, "BR581: resamples are drawn by"),
        (br.curves.ks, {"replicates": 10}, "BR580: a bootstrap takes 100 to"),
        (br.auc, {"seed": -1}, "BR580: a seed is a whole number"),
        (br.auc, {"level": 95}, r"BR580: a level lies between 0.5 and 1, got 95\. Fix: level=0.95"),
        (br.auc, {"level": 0.3}, "BR580: a level lies between 0.5 and 1, got 0.3"),
        (br.auc, {"level": 1.0}, "BR580: a level lies between 0.5 and 1"),
        (br.auc, {"side": "left"}, "BR580: a side is 'both', 'lower', 'upper', got \"left\""),
        ("tpr", {"threshold": 1.0, "at": 0.1}, "BR519: at must be Conditions, got float"),
        ("precision", {"rule": "tpr >= 2"}, "BR5"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(statistic, options, message):
    with pytest.raises(br.InputError, match=message):
        br.interval(counts(), statistic, **options)


@pytest.mark.parametrize(
    "at", [br.Conditions(prior="0.01..0.1"), br.Conditions(prior=br.Pilot(1, 50))]
)
def test_bca_has_no_place_for_uncertain_conditions(at):
    with pytest.raises(br.InputError, match="BR581: bca is not available for uncertain conditions"):
        br.interval(counts(), "precision", at=at, method="bca", threshold=1.0)


def test_what_is_no_counts_is_refused_with_what_to_do():
    labels, scores = sample()
    joint = br.count(labels, {"a": scores, "b": -scores})
    with pytest.raises(
        br.InputError,
        match=r"BR429: an interval is made of Counts, got JointCounts.*joint\.marginal",
    ):
        interval(joint, br.auc)  # of which the verb makes one interval per model
    each = {name: br.interval(joint.marginal(name), br.auc) for name in joint.models}
    assert br.interval(joint, br.auc) == each
    with pytest.raises(br.InputError, match=r"BR429: interval needs counts, got list.*count\("):
        br.interval([1, 2], br.auc)


def test_a_point_has_measures_and_is_already_set():
    point = br.choose(counts(), threshold=1.0)
    for source in (point, point.confusion):
        for options in ({"rule": "tpr >= 0.5"}, {"threshold": 1.0}, {"threshold": None}):
            with pytest.raises(br.InputError, match="BR594: this point is already set"):
                br.interval(source, "tpr", **options)
        with pytest.raises(br.InputError, match='BR594: a point has measures, but not "auc"'):
            br.interval(source, br.auc)
        assert br.interval(source, "tpr") == br.interval(source, br.Measure("tpr"))


def test_what_is_undefined_has_no_interval():
    with pytest.raises(br.InputError, match="BR589: precision is undefined here"):
        br.interval(counts(), "precision", threshold=None)
    with pytest.raises(br.InputError, match="BR589: precision is undefined for these cases"):
        br.interval(counts(), "precision", threshold=None, method="percentile")
    with pytest.raises(br.InputError, match="BR589: never is undefined for these cases"):
        br.interval(counts(), never)
    with pytest.raises(br.InputError, match="BR552: no positives: AUC is undefined"):
        br.interval(br.Counts([2, 1], [0, 0], [3, 4]), br.auc)


def test_a_rule_that_nothing_keeps_has_no_interval():
    with pytest.raises(
        br.Infeasible, match="BR530: no threshold has precision >= 0.999 and tpr >= 0.9"
    ):
        br.interval(counts(), "tpr", rule="precision >= 0.999 and tpr >= 0.9", at=AT)


def test_weighted_cases_are_refused_and_groups_of_them_are_not():
    labels, scores = sample()
    weights = np.linspace(0.5, 1.5, len(labels))
    weighted = br.count(labels, scores, sample_weight=weights)
    for statistic, options in (
        (br.auc, {}),
        (br.curves.ks, {}),
        ("tpr", {"threshold": 1.0}),
        ("precision", {"rule": "tpr >= 0.5"}),
    ):
        with pytest.raises(br.InputError, match="BR583: these cases are weighted"):
            br.interval(weighted, statistic, **options)
    groups = br.count(labels, scores, cluster=np.arange(len(labels)) % 40, sample_weight=weights)
    assert br.interval(groups, br.auc, replicates=100).value == br.auc(groups.total())


# Level, side and seed.


@pytest.mark.parametrize(
    "options", [{}, {"threshold": 1.0, "at": AT}, {"rule": "tpr >= 0.5", "at": AT}]
)
def test_the_same_seed_gives_the_same_answer_and_a_higher_level_a_wider_one(options):
    statistic = "precision" if options else "ks"
    found = [
        br.interval(counts(), statistic, replicates=200, seed=seed, level=0.9, **options)
        for seed in (5, 5, 6)
    ]
    assert found[0] == found[1]
    assert (found[0].low, found[0].high) != (found[2].low, found[2].high)
    assert (found[0].seed, found[2].seed) == (5, 6)
    wider = br.interval(counts(), statistic, replicates=200, seed=5, level=0.99, **options)
    assert wider.low < found[0].low < found[0].high < wider.high
    assert wider.level == 0.99


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_one_sided_bootstrap_has_one_bound_of_all_that_may_be_missed(method):
    both = br.interval(
        counts(), "precision", threshold=1.0, at=AT, method=method, level=0.9, replicates=300
    )
    lower, upper = (
        br.interval(
            counts(),
            "precision",
            threshold=1.0,
            at=AT,
            method=method,
            level=0.95,
            side=side,
            replicates=300,
        )
        for side in ("lower", "upper")
    )
    assert (lower.low, lower.high) == (pytest.approx(both.low, rel=1e-12), 1)
    assert (upper.low, upper.high) == (0, pytest.approx(both.high, rel=1e-12))
    summary = br.interval(counts(), br.curves.ks, side="lower", replicates=100)
    assert summary.low < summary.value < summary.high


def test_the_other_end_of_one_bound_is_where_the_range_ends_by_every_method():
    ends = {
        br.interval(counts(), br.auc, side="lower", method=method, replicates=100).high
        for method in (None, "delong", "percentile")
    }
    assert ends == {1.0}


@pytest.mark.parametrize(
    ("statistic", "low", "high"),
    [
        (br.curves.ks, 0, 1),
        (br.curves.gini, -1, 1),
        ("h_measure", -math.inf, 1),
        (own_auc, -math.inf, math.inf),
        (br.curves.min_cost, -math.inf, math.inf),
    ],
)
def test_one_bound_of_a_bootstrap_ends_where_the_statistic_does(statistic, low, high):
    lower, upper = (
        br.interval(counts(), statistic, side=side, replicates=100) for side in ("lower", "upper")
    )
    assert (lower.high, upper.low) == (high, low)
    assert lower.low < lower.value < upper.high


def test_progress_is_told():
    told = []
    br.interval(
        counts(),
        br.curves.ks,
        replicates=120,
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (120, 120)


def test_a_point_has_the_intervals_of_its_choice_or_of_its_threshold():
    source = counts()
    for options, replicates, seed in (({}, 400, 0), ({"replicates": 150, "seed": 2}, 150, 2)):
        found = br.choose(source, at=AT, **options).intervals["precision"]
        alone = br.interval(source, "precision", at=AT, replicates=replicates, seed=seed)
        assert (found.low, found.high, found.method) == (alone.low, alone.high, alone.method)
        assert found.method.startswith("optimism-corrected")
    point = br.choose(source, at=AT, intervals="fixed")
    assert point.intervals["precision"] == interval_at(point, "precision")
    assert point.intervals["precision"].method == "clopper-pearson-draws"
    wide = br.choose(source, at=AT, intervals="fixed", level=0.99).intervals["precision"]
    assert wide == interval_at(point, "precision", level=0.99)


@pytest.mark.parametrize("options", [{"seed": -1}, {"replicates": 50}, {"replicates": 1.5}])
def test_options_of_intervals_are_checked_when_they_are_given(options):
    with pytest.raises(br.InputError, match="BR580"):
        IntervalOptions(**options)
