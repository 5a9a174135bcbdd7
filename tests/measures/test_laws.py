"""Identities between measures, in exact fractions: what must hold for every confusion, prior and
cost.
"""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.oracle import in_cells

import baserate as br
from baserate.measures.confusion import exact_value
from baserate.numbers import Undefinable

cells = st.integers(0, 10**9)
confusions = st.tuples(cells, cells, cells, cells)
shares = st.integers(1, 2**20 - 1).map(lambda k: k / 2**20)
priors = st.none() | shares
amounts = st.integers(1, 1000).map(lambda k: k / 8)
diagonals = st.integers(-100, 100).map(lambda k: k / 8)
costs = st.builds(
    lambda fp, fn, tp, tn: br.Costs(fp + tn, fn + tp, tp, tn),
    amounts,
    amounts,
    diagonals,
    diagonals,
)
# Roots are taken to 120 bits, logarithms to those of a float.
ROOTS = 1e-15

MIRRORED = {
    "tp": "tn",
    "fp": "fn",
    "tpr": "tnr",
    "fpr": "fnr",
    "precision": "npv",
    "fdr": "false_omission_rate",
    "accuracy": "accuracy",
    "error": "error",
    "balanced_accuracy": "balanced_accuracy",
    "informedness": "informedness",
    "markedness": "markedness",
    "g_mean": "g_mean",
    "mcc": "mcc",
    "kappa": "kappa",
    "diagnostic_odds_ratio": "diagnostic_odds_ratio",
    "sedi(correction=0.5)": "sedi(correction=0.5)",
    "missed(volume=9)": "false_alarms(volume=9)",
    "expected_cost": "expected_cost",
    "normalized_cost": "normalized_cost",
    "total_cost": "total_cost",
    "savings": "savings",
    "weighted_accuracy(1, 2, 3, 4)": "weighted_accuracy(4, 3, 2, 1)",
}


def exact(measure, counted, prior=None, money=None):
    """The exact value, None where undefined."""
    try:
        return exact_value(
            br.Measure.parse(measure),
            br.Confusion(**in_cells(*counted)),
            br.Conditions(prior, money),
        )
    except Undefinable:
        return None


def defined(*values):
    assume(None not in values)
    return values


@given(confusions, priors)
def test_alerts_that_are_real_are_positives_that_are_flagged(counted, prior):
    flagged, purity, caught = defined(
        *(exact(name, counted, prior) for name in ("posfrac", "precision", "tpr"))
    )
    share = Fraction(prior) if prior else Fraction(counted[0] + counted[2], sum(counted))
    assert flagged * purity == share * caught


@pytest.mark.parametrize(("name", "mirror"), MIRRORED.items())
@given(confusions, priors, costs)
def test_swapping_the_classes_mirrors(name, mirror, counted, prior, money):
    tp, fp, fn, tn = counted
    swapped = br.Costs(fp=money.fn, fn=money.fp, tp=money.tn, tn=money.tp)
    turned, other = (tn, fn, fp, tp), None if prior is None else 1 - prior
    for one, two in ((name, mirror), (mirror, name)):
        here, there = exact(one, counted, prior, money), exact(two, turned, other, swapped)
        assert here == there or here == pytest.approx(
            there, rel=ROOTS if name in ("mcc", "sedi(correction=0.5)") else 0, abs=0
        )


@given(confusions, priors)
def test_swapping_the_classes_complements_posfrac_and_inverts_likelihood_ratios(counted, prior):
    tp, fp, fn, tn = counted
    flagged, passed = defined(
        exact("posfrac", counted, prior),
        exact("posfrac", (tn, fn, fp, tp), None if prior is None else 1 - prior),
    )
    assert flagged + passed == 1
    one, other = exact("lr_positive", counted), exact("lr_negative", (tn, fn, fp, tp))
    if one and other:
        assert one * other == 1


@given(confusions, priors)
def test_the_limits_of_f_beta_are_precision_f1_and_recall(counted, prior):
    assert exact("f_beta(0)", counted, prior) == exact("precision", counted, prior)
    assert exact("f_beta(1)", counted, prior) == exact("f1", counted, prior)
    recall = exact("tpr", counted)
    assert exact("f_beta(inf)", counted, prior) == (
        recall if prior is None or counted[1] + counted[3] else None
    )
    for limit, name in (("f_beta(1e-9)", "precision"), ("f_beta(1e9)", "tpr")):
        if (there := exact(name, counted)) is not None:
            assert exact(limit, counted) == pytest.approx(there, abs=1e-8)


@given(confusions, priors, st.sampled_from([0, 0.5, 1, 2, 7.25]))
def test_weighted_accuracy_has_its_special_cases(counted, prior, beta):
    """Tan eq 5.78 with the weights put right (errata B2)."""
    cases = {
        "tpr": (1, 0, 1, 0),
        "precision": (1, 1, 0, 0),
        f"f_beta({beta})": (beta**2 + 1, 1, beta**2, 0),
        "accuracy": (1, 1, 1, 1),
    }
    for name, weights in cases.items():
        weighed = exact(f"weighted_accuracy({','.join(map(str, weights))})", counted, prior)
        if prior is None or weighed is not None:
            assert weighed == exact(name, counted, prior)


def test_f_beta_is_that_of_precision_and_recall_not_the_printed_formula():
    """Errata B1 and B2: 30 true and 20 false positives, 10 misses."""
    confusion = br.Confusion(tp=30, fp=20, fn=10, tn=0)
    assert confusion["f_beta(2)"] == 5 / 7
    assert confusion["tpr"] == confusion["weighted_accuracy(1, 0, 1, 0)"] == 3 / 4
    assert confusion["precision"] == confusion["weighted_accuracy(1, 1, 0, 0)"] == 3 / 5
    assert confusion["weighted_accuracy(5, 1, 4, 0)"] == 5 / 7


@given(confusions, priors)
def test_complements_sum_to_one(counted, prior):
    for name, rest in (
        ("tpr", "fnr"),
        ("fpr", "tnr"),
        ("precision", "fdr"),
        ("npv", "false_omission_rate"),
        ("accuracy", "error"),
    ):
        one, other = exact(name, counted, prior), exact(rest, counted, prior)
        assert (one is None) == (other is None)
        assert one is None or one + other == 1


@given(confusions, priors)
def test_f1_and_jaccard_order_alike(counted, prior):
    f, j = defined(exact("f1", counted, prior), exact("jaccard", counted, prior))
    assert f == 2 * j / (1 + j)


@given(confusions, priors)
def test_the_square_of_mcc_is_informedness_times_markedness(counted, prior):
    mcc, informed, marked = defined(
        *(exact(name, counted, prior) for name in ("mcc", "informedness", "markedness"))
    )
    assert mcc**2 == pytest.approx(informed * marked, abs=1e-30)


@given(confusions, priors, costs)
def test_normalized_cost_is_a_mean_of_the_two_error_rates(counted, prior, money):
    missed, alarmed, cost = defined(
        exact("fnr", counted),
        exact("fpr", counted),
        exact("normalized_cost", counted, prior, money),
    )
    share = Fraction(prior) if prior else Fraction(counted[0] + counted[2], sum(counted))
    a, b = share * Fraction(money.fn - money.tp), (1 - share) * Fraction(money.fp - money.tn)
    assert cost == a / (a + b) * missed + b / (a + b) * alarmed


@given(confusions, shares)
def test_at_equal_costs_the_expected_cost_is_the_error(counted, prior):
    assert (
        exact("expected_cost", counted, prior)
        == exact("error", counted, prior)
        == exact("normalized_cost", counted, prior)
    )


@given(confusions, shares, st.integers(1, 10**9))
def test_the_workload_adds_up(counted, prior, volume):
    alerts, caught, missed, alarms = defined(
        *(
            exact(f"{name}({volume})", counted, prior)
            for name in ("alerts", "caught", "missed", "false_alarms")
        )
    )
    assert alerts == caught + alarms
    assert caught + missed == volume * Fraction(prior)
    assert alerts == volume * exact("posfrac", counted, prior)


@given(confusions, shares)
def test_lift_is_precision_over_prior_and_nne_its_inverse(counted, prior):
    purity, lift = defined(exact("precision", counted, prior), exact("lift", counted, prior))
    assert lift * Fraction(prior) == purity
    assert exact("nne", counted, prior) == (1 / purity if purity else None)


@given(confusions, shares)
def test_the_odds_after_an_alert_are_those_before_it_times_the_likelihood_ratio(counted, prior):
    purity, ratio = defined(exact("precision", counted, prior), exact("lr_positive", counted))
    assume(purity < 1)
    assert purity / (1 - purity) == Fraction(prior) / (1 - Fraction(prior)) * ratio


@given(confusions)
def test_the_odds_ratio_is_one_likelihood_ratio_over_the_other(counted):
    odds, up, down = defined(
        *(exact(name, counted) for name in ("diagnostic_odds_ratio", "lr_positive", "lr_negative"))
    )
    assume(down)
    assert odds == up / down


@given(confusions, priors, costs, st.integers(1, 10**6))
def test_every_rate_is_unchanged_when_all_counts_are_multiplied(counted, prior, money, factor):
    for name in (
        "precision",
        "mcc",
        "kappa",
        "sedi",
        "savings",
        "net_benefit",
        "lift",
        "expected_cost",
        "diagnostic_odds_ratio",
    ):
        one, many = (
            exact(name, counted, prior, money),
            exact(name, [factor * value for value in counted], prior, money),
        )
        assert (one is None) == (many is None)
        assert one is None or many == pytest.approx(one, rel=1e-30, abs=0)


def test_the_limits_of_f_beta_are_undefined_for_the_reasons_of_precision_and_recall():
    assert br.Confusion(tp=0, fp=0, fn=2, tn=2)["f_beta(0)"].reason == "nothing flagged"
    assert br.Confusion(tp=0, fp=1, fn=0, tn=2)["f_beta(inf)"].reason == "no positives"


def test_undefined_values_say_why():
    nothing = br.Confusion(tp=0, fp=0, fn=5, tn=9)
    for name in ("precision", "fdr", "lift", "markedness", "fowlkes_mallows", "lr_positive"):
        assert repr(nothing[name]) == "nan (nothing flagged)"
    assert repr(br.Confusion(tp=5, fp=9, fn=0, tn=0)["npv"]) == "nan (everything flagged)"
    assert repr(br.Confusion(tp=0, fp=1, fn=0, tn=2)["tpr"]) == "nan (no positives)"
    assert repr(br.Confusion(tp=1, fp=0, fn=2, tn=0)["fpr"]) == "nan (no negatives)"
    assert (
        repr(br.Confusion(tp=3, fp=0, fn=2, tn=5)["lr_positive"])
        == "nan (no false positives: the ratio has no bound)"
    )
    assert repr(br.Confusion(tp=0, fp=0, fn=0, tn=0)["accuracy"]) == "nan (no cases)"
    assert (
        repr(br.measure(br.Confusion(tp=1, fp=0, fn=2, tn=0), "precision", at=br.Conditions(0.1)))
        == "nan (no negatives in the sample)"
    )
    assert math.isnan(
        br.measure(
            br.Confusion(tp=3, fp=1, fn=2, tn=5),
            "savings",
            at=br.Conditions(costs=br.Costs(tp=-5, fn=-4, tn=-1, fp=0)),
        )
    )
