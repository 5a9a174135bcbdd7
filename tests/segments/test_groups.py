"""Sites: one threshold everywhere, each site at its own base rate, and what is shown there."""

from fractions import Fraction
from math import comb, isnan

import numpy as np
import pytest
from tests import oracle
from tests.inference.test_clustered import rows_hit

import baserate as br
from baserate.results.values import MISSED, OBSERVED, SHOWN, UNJUDGED
from baserate.segments.groups import TOO_FEW

# Sensitivity 0.90 and specificity 0.85 exactly, at four prevalences: (tp, fn, fp, tn).
SCENARIO_11 = {
    "a": (18, 2, 1497, 8483),
    "b": (18, 2, 297, 1683),
    "c": (18, 2, 57, 323),
    "d": (360, 40, 315, 1785),
}
PRECISION = {"a": "0.011881", "b": "0.057143", "c": "0.240000", "d": "0.533333"}
NNE = {"a": "84.17", "b": "17.5", "c": "4.167", "d": "1.875"}


def site(tp, fn, fp, tn):
    return br.Counts([0.9, 0.1], positives=[tp, fn], negatives=[fp, tn])


def sites(given):
    return {name: site(*outcomes) for name, outcomes in given.items()}


def lower_bound(seen, cases, level=0.95):
    """Clopper and Pearson's by halving: the rate at which so many or more are seen with the
    probability left out.
    """
    low, high = 0.0, 1.0
    for _ in range(50):
        p = (low + high) / 2
        tail = sum(comb(cases, k) * p**k * (1 - p) ** (cases - k) for k in range(seen, cases + 1))
        low, high = (p, high) if tail < 1 - level else (low, p)
    return low


@pytest.fixture
def cases():
    rng = np.random.default_rng(7)
    y = (rng.random(900) < 0.3).astype(int)
    s = np.round(rng.normal(size=900) + 1.2 * y, 1)
    return y, s, rng.choice(["oslo", "bern", "rome"], 900)


def test_scenario_11_precision_and_number_needed_to_evaluate_follow_the_prevalence():
    found = br.segments.by_group(sites(SCENARIO_11), threshold=0.5, require="sensitivity >= 0.9")
    assert {name: f"{part['precision']:.6f}" for name, part in found.items()} == PRECISION
    assert {name: f"{part['nne']:.4g}" for name, part in found.items()} == NNE
    assert [part.prior for part in found.values()] == [0.002, 0.01, 0.05, 0.16]
    assert {(part["tpr"], part["tnr"]) for part in found.values()} == {(0.9, 0.85)}
    assert [part.outcome for part in found.values()] == [OBSERVED] * 4, (
        "0.90 is met everywhere, and demonstrated nowhere"
    )


def test_the_same_rates_at_given_prevalences_give_the_same_precision():
    one = site(*SCENARIO_11["d"])
    at = {
        name: br.Conditions(prior=prior)
        for name, prior in zip("abcd", (0.002, 0.01, 0.05, 0.16), strict=True)
    }
    found = br.segments.by_group(dict.fromkeys("abcd", one), threshold=0.5, at=at)
    assert {name: f"{part['precision']:.6f}" for name, part in found.items()} == PRECISION
    assert found["a"]["alerts"] == pytest.approx(2500 * (0.002 * 0.9 + 0.998 * 0.15))
    assert any(note.code == "BR526" and '"a" at 0.2%' in note.text for note in found.notes)


def test_every_number_of_a_site_is_that_of_its_rows_alone(cases):
    y, s, g = cases
    found = br.segments.by_group(br.count(y, s, by=g), threshold=0.8)
    for name, part in (*found.items(), (None, found.total)):
        rows = np.ones(len(y), dtype=bool) if name is None else g == name
        tp, fp, fn, tn = oracle.confusion(y[rows], s[rows], 0.8)
        assert (part.point.tp, part.point.fp, part.point.fn, part.point.tn) == (tp, fp, fn, tn)
        assert (part.cases, part.positives) == (rows.sum(), y[rows].sum())
        assert part["alerts"] == tp + fp
        assert part["precision"] == tp / (tp + fp)
        assert part["npv"] == tn / (tn + fn)
        assert part["nne"] == pytest.approx((tp + fp) / tp)
        assert part.bounds["tpr"].low == pytest.approx(lower_bound(tp, tp + fn), abs=1e-9)
        assert part.bounds["tnr"].low == pytest.approx(lower_bound(tn, tn + fp), abs=1e-9)
        assert part.bounds["tpr"].method == "clopper-pearson"
        assert part["tpr"] in part.intervals["tpr"]


def test_a_site_is_judged_by_its_bound():
    found = br.segments.by_group(
        sites({"bern": (190, 10, 100, 900), "lisbon": (81, 19, 50, 850), "oslo": (95, 5, 90, 910)}),
        threshold=0.5,
        require="recall >= 0.9",
    )
    assert {name: part.outcome for name, part in found.items()} == {
        "bern": SHOWN,
        "lisbon": MISSED,
        "oslo": OBSERVED,
    }
    assert (
        found["oslo"].requirement.checks[0].needed
        == br.planning.cases_needed("recall >= 0.9", expect=0.95, power=None)
        == 142
    )
    assert [part.name for part in found.that_are(MISSED)] == ["lisbon"]
    assert repr(found) == "Slices: 3 groups at score ≥ 0.5, 1 demonstrates recall >= 0.9"


def test_several_terms_must_all_be_shown():
    found = br.segments.by_group(
        sites({"good": (190, 10, 10, 900), "noisy": (190, 10, 200, 700)}),
        threshold=0.5,
        require="recall >= 0.9 and fpr <= 5%",
    )
    assert [part.outcome for part in found.values()] == [SHOWN, MISSED]
    assert [check.outcome for check in found["noisy"].requirement.checks] == [SHOWN, MISSED]


def test_with_fewer_than_ten_positives_no_word_is_stronger_than_what_is_shown():
    found = br.segments.by_group(
        sites({"few": (6, 3, 5, 95), "all": (9, 0, 5, 95), "ten": (9, 1, 5, 95)}),
        threshold=0.5,
        require="recall >= 0.9",
    )
    assert [part.outcome for part in found.values()] == [TOO_FEW, TOO_FEW, OBSERVED]
    shown = br.segments.by_group(
        sites({"few": (9, 0, 5, 95), "b": (9, 0, 5, 95)}), threshold=0.5, require="recall >= 0.7"
    )
    assert shown["few"].outcome == SHOWN, "nine of nine show 0.717"
    assert found["few"].intervals["tpr"].low < 0.5 < found["few"].intervals["tpr"].high


def test_few_positives_say_nothing_against_what_the_negatives_show():
    found = br.segments.by_group(
        sites({"a": (3, 0, 10, 990), "b": (3, 0, 900, 100)}), threshold=0.5, require="fpr <= 5%"
    )
    assert [part.outcome for part in found.values()] == [SHOWN, MISSED]


def test_a_site_without_positives_cannot_be_judged_and_hides_nothing():
    found = br.segments.by_group(
        sites({"none": (0, 0, 5, 95), "some": (95, 5, 5, 95)}),
        threshold=0.5,
        require="recall >= 0.9",
    )
    assert found["none"].outcome == UNJUDGED
    assert isnan(found["none"]["tpr"])
    assert "tpr" not in found["none"].bounds
    assert "no positives" in found["none"].requirement.notes[0].text


def test_a_prior_given_for_a_site_without_positives_is_said_to_be_of_no_use():
    found = br.segments.by_group(
        sites({"none": (0, 0, 5, 95), "some": (95, 5, 5, 95)}),
        threshold=0.5,
        at=br.Conditions(prior=0.01),
    )
    assert found["none"].prior == 0
    assert any(
        note.code == "BR433" and note.text.startswith('"none": a class is missing')
        for note in found.notes
    )


def test_missing_groups_are_a_group_of_their_own():
    found = br.segments.by_group(
        br.count([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.8], by=["a", "a", None, None]),
        threshold=0.5,
    )
    assert [part.name for part in found.values()] == ["(missing)", "a"]
    assert found[None].cases == 2


def test_a_threshold_that_is_not_given_is_chosen_on_all_together_and_that_is_said(cases):
    y, s, g = cases
    groups = br.count(y, s, by=g)
    found = br.segments.by_group(groups, require="recall >= 0.8")
    assert found.threshold == br.choose(groups.total(), "recall >= 0.8").threshold
    assert found.chosen
    assert any(
        note.code == "BR593" and "chosen on all groups together" in note.text
        for note in found.notes
    )
    assert (
        br.segments.by_group(groups, rule="posfrac <= 10%").threshold
        == br.choose(groups.total(), "posfrac <= 10%").threshold
    )


def test_where_no_threshold_keeps_the_requirement_the_cheapest_is_read_and_a_rule_is_refused():
    groups = sites({"a": (90, 10, 5, 95), "b": (80, 20, 5, 95)})
    found = br.segments.by_group(groups, require="precision >= 0.99")
    assert (found.threshold, found.total.outcome) == (
        br.choose(groups["a"] + groups["b"]).threshold,
        MISSED,
    )
    with pytest.raises(br.Infeasible, match="no threshold has precision >= 0.99"):
        br.segments.by_group(groups, rule="precision >= 0.99")


def test_each_site_has_the_threshold_that_it_alone_would_need(cases):
    y, s, g = cases
    groups = br.count(y, s, by=g)
    found = br.segments.by_group(groups, threshold=0.8, require="recall >= 0.8")
    for name, part in found.items():
        assert part.own.threshold == br.choose(groups[name], "recall >= 0.8").threshold
    assert (
        br.segments.by_group(
            sites({"a": (5, 5, 50, 50)}), threshold=0.5, require="precision >= 0.9"
        )["a"].own
        is None
    )


def test_bonferroni_makes_all_bounds_hold_together():
    given = sites({"a": (190, 10, 100, 900), "b": (190, 10, 100, 900), "c": (96, 4, 5, 95)})
    alone, together = (
        br.segments.by_group(given, threshold=0.5, require="recall >= 0.91", simultaneous=each)
        for each in (False, True)
    )
    assert alone["a"].outcome == SHOWN
    assert together["a"].outcome == OBSERVED
    assert together["a"].bounds["tpr"].level == pytest.approx(1 - 0.05 / 6)
    assert together["a"].bounds["tpr"].low == pytest.approx(
        lower_bound(190, 200, 1 - 0.05 / 6), abs=1e-9
    )
    assert together.total.bounds["tpr"].level == 0.95
    said = [
        note.text for found in (alone, together) for note in found.notes if note.code == "BR434"
    ]
    assert said[0] == "6 bounds at 95 % each: expect 0.3 to be wrong by chance"
    assert (
        said[1]
        == "all 6 bounds (recall and specificity of 3 groups) hold together at 95 %: each is at"
        " 99.1667 % (Bonferroni)"
    )


def test_all_sites_together_are_read_at_the_mean_of_the_priors_by_cases():
    given = sites({"a": (90, 10, 90, 810), "b": (45, 5, 45, 405)})
    found = br.segments.by_group(given, threshold=0.5, at={"a": br.Conditions(prior=0.01)})
    assert found["b"].prior == 0.1
    assert found.total.prior == float(Fraction(1000 * Fraction("0.01") + 50) / 1500)


def test_beyond_the_largest_the_rest_is_one():
    given = {f"s{i:03}": site(i, 1, 1, 2 * i) for i in range(1, 101)}
    found = br.segments.by_group(given, threshold=0.5)
    shown = found.largest(50)
    assert len(shown) == 51
    assert [part.name for part in shown[:-1]] == [f"s{i:03}" for i in range(51, 101)]
    assert shown[-1].name == "other (50)"
    assert shown[-1].cases == sum(part.cases for name, part in found.items() if name <= "s050")
    assert found.largest(100) == found.parts


@pytest.mark.parametrize(
    ("groups", "options", "match"),
    [
        ({}, {}, "BR433: slices are made of counts by group"),
        ([1], {}, "BR433: slices are made of counts by group"),
        (
            {"a": site(1, 1, 1, 1)},
            {"at": {"b": br.Conditions(prior=0.1)}},
            'BR433: a prior is given for "b", and there is no such group',
        ),
        (
            {"a": site(1, 1, 1, 1)},
            {"threshold": 0.5, "rule": "recall >= 0.1"},
            "BR594: a rule and a threshold are both given",
        ),
        ({"a": site(1, 1, 1, 1)}, {"level": 95}, "BR580: a level lies between"),
        ({"a": site(1, 1, 1, 1)}, {"threshold": 0.5, "require": "recall > 0.9"}, "BR533"),
        (
            {"a": br.Counts([1, 0], [0.5, 1.5], [1.0, 1.0])},
            {"threshold": 0.5},
            "BR583: these cases are weighted",
        ),
    ],
)
def test_what_cannot_be_sliced_is_refused(groups, options, match):
    with pytest.raises(br.InputError, match=match):
        br.segments.by_group(groups, **options)


def test_an_unknown_group_is_a_key_error():
    with pytest.raises(KeyError, match="there are 1"):
        br.segments.by_group(sites({"a": (1, 1, 1, 1)}), threshold=0.5)["b"]


def exact_outcomes(counts, prior, threshold):
    """(caught, false alarms, missed) of a site with as many cases, at its prior, in fractions."""
    positives, negatives = int(counts.total_positives), int(counts.total_negatives)
    size, flagged = positives + negatives, counts.scores >= threshold
    prior = Fraction(positives, size) if prior is None else Fraction(prior)
    caught = size * prior * Fraction(int(counts.positives[flagged].sum()), positives)
    alarms = size * (1 - prior) * Fraction(int(counts.negatives[flagged].sum()), negatives)
    return caught, alarms, size * prior - caught


PRIORS = {"a": "0.001", "b": "0.2", "c": None}
SITES = {
    "a": br.Counts([3, 2, 1], [90, 6, 4], [45, 200, 655]),
    "b": br.Counts([3, 2, 1], [30, 20, 50], [270, 30, 600]),
    "c": br.Counts([3, 2, 1], [7, 2, 4], [5, 7, 61]),
}
AT = {
    name: br.Conditions(prior=float(prior)) for name, prior in PRIORS.items() if prior is not None
}


def test_all_cases_are_the_sum_of_sites_at_priors_of_their_own():
    found = br.segments.by_group(SITES, threshold=2, at=AT, require="recall >= 0.5")
    outcomes = [exact_outcomes(SITES[name], PRIORS[name], 2) for name in SITES]
    caught, alarms, missed = (sum(column) for column in zip(*outcomes, strict=True))
    total = found.total
    confusion = total.point.confusion
    assert (confusion.tp, confusion.fp, confusion.fn) == (caught, alarms, missed)
    assert total["alerts"] == pytest.approx(
        float(caught + alarms), rel=1e-14
    )  # the prior is read as it is shown, a float
    assert total["caught"] == pytest.approx(float(caught), rel=1e-14)
    assert total["precision"] == pytest.approx(float(caught / (caught + alarms)), rel=1e-14)
    assert total["tpr"] == float(caught / (caught + missed))
    assert total["alerts"] == pytest.approx(sum(part["alerts"] for part in found.values()))
    assert (total.cases, total.positives) == (2086, 213)
    assert (dict(total.intervals), dict(total.bounds), total.outcome) == ({}, {}, UNJUDGED)


@pytest.mark.parametrize(
    "costs", [br.Costs(fp=1, fn=1), br.Costs(fp=1, fn=4), br.Costs(fp=1, fn=30)]
)
def test_a_threshold_chosen_on_all_cases_is_the_cheapest_of_that_sum(costs):
    at = {name: br.Conditions(given.prior, costs) for name, given in AT.items()}

    def cost(threshold):
        outcomes = [exact_outcomes(SITES[name], PRIORS[name], threshold) for name in SITES]
        return sum(
            alarms * int(costs.fp) + missed * int(costs.fn) for _, alarms, missed in outcomes
        )

    chosen = br.segments.by_group(SITES, at=at).threshold
    assert cost(4 if chosen is None else chosen) == min(map(cost, (1, 2, 3, 4)))


def test_sites_whose_weights_have_no_small_common_denominator_choose_as_well():
    rng = np.random.default_rng(3)
    given = {
        i: br.Counts([3, 2, 1], rng.integers(50, 400, 3), rng.integers(50, 4000, 3))
        for i in range(40)
    }
    priors = {i: br.Conditions(prior=f"{i + 1} in 1009") for i in given}
    found = br.segments.by_group(given, at=priors, rule="recall >= 0.5")
    caught, _, missed = (
        sum(column)
        for column in zip(
            *(exact_outcomes(given[i], Fraction(i + 1, 1009), 2) for i in given), strict=True
        )
    )
    assert found.total.point.tpr >= 0.5
    assert found.threshold in (2, 1)
    assert (found.threshold == 2) == (caught / (caught + missed) >= Fraction(1, 2))


def test_the_others_beyond_the_largest_are_their_sum_too():
    found = br.segments.by_group(SITES, threshold=2, at=AT)
    other = found.largest(1)[-1]
    rest = [part for name, part in found.items() if name != found.largest(1)[0].group]
    assert other["alerts"] == pytest.approx(sum(part["alerts"] for part in rest))


def test_all_bounds_that_are_printed_hold_together():
    """Ten sites, recall and specificity of each: the chance that any of the twenty is above the
    truth, exactly.
    """
    cases, groups = 60, {}
    for name in range(10):
        groups[name] = br.Counts([1, 0], [54, 6], [6, 54])
    found = br.segments.by_group(groups, threshold=1, simultaneous=True)
    level = found[0].bounds["tpr"].level
    assert level == pytest.approx(1 - 0.05 / 20)
    assert found[0].bounds["tnr"].level == level
    lows = [
        br.rate_interval(seen, cases, side="lower", level=level).low for seen in range(cases + 1)
    ]
    each = max(
        sum(
            chance
            for chance, low in zip(rows_hit([1] * cases, rate), lows, strict=True)
            if low > rate
        )
        for rate in (low * (1 - 1e-9) for low in lows if low)
    )
    assert 1 - (1 - each) ** 20 <= 0.05
