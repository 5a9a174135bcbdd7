"""Averages, bounds, worst and best of measures over uncertain conditions: against closed forms, and
against brute force.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from tests.decisions.worked import F1_A, F1_B
from tests.robustness.rare import FOREST, RULES

import baserate as br
from baserate.inference.expectation import expect

MODELS = {"A": F1_A, "B": F1_B}
COUNTS = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
T, F = 0.9, 0.002
LOW, HIGH = 1e-6, 1e-4


def test_precision_over_a_log_uniform_prior_is_its_closed_form():
    found = expect(
        COUNTS,
        "precision",
        threshold=3,
        at=br.Conditions(prior=br.LogUniform(LOW, HIGH)),
        kind="unknown",
    )
    closed = (
        T / (T - F) * math.log((F + (T - F) * HIGH) / (F + (T - F) * LOW)) / math.log(HIGH / LOW)
    )
    assert abs(found.value - closed) < 1e-10 * closed
    assert abs(found.value - closed) <= max(found.error, 1e-15)
    ends = [
        p * T / (p * T + (1 - p) * F)
        for p in (LOW * (HIGH / LOW) ** 0.025, LOW * (HIGH / LOW) ** 0.975)
    ]
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-12)
    assert (found.worst, found.best) == pytest.approx(
        [p * T / (p * T + (1 - p) * F) for p in (LOW, HIGH)], rel=1e-12
    )


@pytest.mark.parametrize(
    ("a", "b", "prior"),
    [(3.5, 497.5, br.Pilot(3, 500)), (2, 998, stats.beta(2, 998)), (0.5, 60.5, br.Pilot(0, 60))],
)
def test_precision_over_a_beta_prior_is_its_integral_to_ten_digits(a, b, prior):
    found = expect(COUNTS, "precision", threshold=3, at=br.Conditions(prior=prior), kind="unknown")
    with mpmath.workdps(30):
        t, f = mpmath.mpf(9) / 10, mpmath.mpf(2) / 1000
        # E[pt / (pt + (1 − p)f)] = (t / f)·B(a + 1, b) / B(a, b)·2F1(1, a + 1; a + b + 1; 1 − t /
        # f)
        closed = (
            t
            / f
            * mpmath.beta(a + 1, b)
            / mpmath.beta(a, b)
            * mpmath.hyp2f1(1, a + 1, a + b + 1, 1 - t / f)
        )
    assert float(abs(found.value - closed) / closed) < 1e-10
    assert (found.low, found.high) == pytest.approx(
        [p * T / (p * T + (1 - p) * F) for p in stats.beta(a, b).ppf([0.025, 0.975])], rel=1e-9
    )
    assert math.isnan(found.worst) is (prior.__class__ is br.Pilot)


def test_a_varying_base_rate_has_its_long_run_precision():
    at = br.Conditions(prior=br.LogUniform(LOW, HIGH))
    mean = (HIGH - LOW) / math.log(HIGH / LOW)
    found = expect(COUNTS, "precision", threshold=3, at=at, kind="varying")
    assert found.value == pytest.approx(
        br.measure(COUNTS, "precision", threshold=3, at=br.Conditions(mean)), rel=1e-10
    )
    days = [0.001, 0.002, 0.01]
    varying = expect(
        COUNTS, "precision", threshold=3, at=br.Conditions(prior=days), kind="varying"
    ).value
    unknown = expect(
        COUNTS, "precision", threshold=3, at=br.Conditions(prior=days), kind="unknown"
    ).value
    each = [br.measure(COUNTS, "precision", threshold=3, at=br.Conditions(prior)) for prior in days]
    assert unknown == pytest.approx(sum(each) / 3, rel=1e-12)
    assert varying == pytest.approx(
        br.measure(COUNTS, "precision", threshold=3, at=br.Conditions(sum(days) / 3)), rel=1e-12
    )
    assert varying > unknown


@pytest.mark.parametrize(
    "prior", [br.LogUniform(LOW, HIGH), br.Pilot(3, 5000), br.LogNormal(1e-4, 3), [1e-5, 1e-3]]
)
def test_what_is_straight_in_the_prior_is_that_at_its_mean(prior):
    at = br.Conditions(prior=prior, costs={"fn": br.LogNormal(100, 2), "fp": 2})
    mean = br.Conditions(at.prior.mean, br.Costs(fp=2, fn=100 * math.exp(math.log(2) ** 2 / 2)))
    for name in ("posfrac", "expected_cost", "accuracy"):
        found = expect(COUNTS, name, threshold=2, at=at)
        assert found.value == pytest.approx(
            br.measure(COUNTS, name, threshold=2, at=mean), rel=1e-10
        )
    alerts = expect(COUNTS, "alerts", threshold=2, at=at, volume=1_000_000)
    assert alerts.value == pytest.approx(
        br.measure(COUNTS, "alerts", threshold=2, at=mean, volume=1_000_000), rel=1e-10
    )


@pytest.mark.parametrize(
    "prior",
    [br.LogUniform(1e-5, 1e-3), br.Pilot(3, 5000), stats.beta(2, 998), br.LogNormal(1e-4, 3)],
)
def test_the_cost_of_choosing_anew_is_what_regret_is_measured_against(prior):
    at = br.Conditions(prior=prior, costs={"fn": 500, "fp": 5, "tp": 5})
    found = expect(F1_A, "expected_cost", at=at)
    assert found.value == pytest.approx(
        br.robustness.regret({"A": F1_A}, "A", 6, at=at).least, rel=1e-10
    )
    assert found.error < 1e-10


def test_a_difference_of_two_models_is_that_of_their_averages():
    at = br.Conditions(prior=br.LogUniform(1e-5, 1e-3), costs={"fn": 500, "fp": 5})
    both = expect(MODELS, "expected_cost", at=at)
    each = [expect(counts, "expected_cost", at=at).value for counts in MODELS.values()]
    assert both.value == pytest.approx(each[1] - each[0], rel=1e-9)
    assert both.name == "expected_cost of B - A"
    fixed = expect(MODELS, "precision", threshold={"A": 6, "B": 5}, at=at, kind="unknown")
    apart = [
        expect(MODELS[name], "precision", threshold=cut, at=at, kind="unknown").value
        for name, cut in (("A", 6), ("B", 5))
    ]
    assert fixed.value == pytest.approx(apart[1] - apart[0], rel=1e-12)


def test_a_choice_under_a_rule_is_followed_where_it_jumps():
    at = br.Conditions(prior=br.LogUniform(1e-4, 0.1), costs={"fn": 50})
    found = expect(F1_A, "tpr", rule="posfrac <= 2%", at=at, kind="unknown")
    # By hand: the choice at each of many places, jumps found by looking closely.
    logs = np.linspace(math.log(1e-4), math.log(0.1), 1001)
    middles = np.exp((logs[1:] + logs[:-1]) / 2)
    brute = np.mean(
        [
            br.choose(F1_A, "posfrac <= 2%", at=br.Conditions(float(p), br.Costs(fn=50))).tpr
            for p in middles
        ]
    )
    assert found.value == pytest.approx(brute, abs=2e-3)
    assert found.error < 1e-9


# ---- ranges, worst and best -------------------------------------------------------------------


def test_a_range_has_no_average_but_a_worst_and_a_best():
    at = br.Conditions(prior="1e-4..1e-2", costs={"fn": br.Range(10, 100), "fp": 1})
    found = expect(COUNTS, "expected_cost", threshold=2, at=at)
    assert math.isnan(found.value)
    assert found.value.reason == "a range has no average, only a lowest and a highest value"
    costs = [
        br.measure(COUNTS, "expected_cost", threshold=2, at=br.Conditions(prior, br.Costs(fn=fn)))
        for prior, fn in itertools.product((1e-4, 1e-3, 5e-3, 1e-2), (10, 30, 100))
    ]
    assert (found.best, found.worst) == (pytest.approx(min(costs)), pytest.approx(max(costs)))
    assert (found.low, found.high) == (found.best, found.worst)
    rechosen = expect(F1_A, "expected_cost", at=at)
    settings = itertools.product(np.geomspace(1e-4, 1e-2, 25).tolist(), (10, 100))
    grid = [
        br.choose(F1_A, at=br.Conditions(prior, br.Costs(fn=fn))).expected_cost
        for prior, fn in settings
    ]
    assert rechosen.worst >= max(grid) - 1e-12
    assert rechosen.best <= min(grid) + 1e-12


def test_what_is_believed_beside_a_range_is_bounded_for_all_of_it():
    at = br.Conditions(prior=br.LogUniform(1e-4, 1e-2), costs={"fn": br.Range(10, 100)})
    found = expect(COUNTS, "expected_cost", threshold=2, at=at)
    known = [br.Conditions(prior=br.LogUniform(1e-4, 1e-2), costs={"fn": fn}) for fn in (10, 100)]
    ends = [expect(COUNTS, "expected_cost", threshold=2, at=one) for one in known]
    assert found.low == min(end.low for end in ends)
    assert found.high == max(end.high for end in ends)


def test_joint_draws_are_read_together():
    at = br.Conditions(prior=br.Draws([1e-4, 0.01]), costs={"fn": br.Draws([1000, 10])})
    found = expect(COUNTS, "expected_cost", threshold=2, at=at)
    each = [
        br.measure(COUNTS, "expected_cost", threshold=2, at=br.Conditions(*pair))
        for pair in ((1e-4, br.Costs(fn=1000)), (0.01, br.Costs(fn=10)))
    ]
    assert found.value == pytest.approx(sum(each) / 2, rel=1e-12)
    assert (found.best, found.worst) == (pytest.approx(min(each)), pytest.approx(max(each)))


def test_a_confusion_and_a_point_are_read_as_they_are():
    at = br.Conditions(prior=br.LogUniform(1e-4, 1e-2))
    plain = expect(COUNTS, "npv", threshold=3, at=at, kind="unknown")
    point = br.choose(COUNTS, threshold=3)
    assert expect(point, "npv", at=at, kind="unknown") == plain
    assert expect(point.confusion, "npv", at=at, kind="unknown") == plain


# ---- choices ----------------------------------------------------------------------------------


def test_how_likely_each_model_is_to_win():
    found = br.robustness.winner_map(MODELS)
    costs = {"fn": 500, "fp": 5, "tp": 5}
    shares = found.likely(br.Conditions(prior=br.LogUniform(1e-6, 1e-3), costs=costs))
    borders = np.log([1e-6, 4.122840e-06, 7.656163e-05, 1e-3])
    assert [shares[name] for name in ("flag nothing", "B", "A")] == pytest.approx(
        (np.diff(borders) / np.log(1000)).tolist(), abs=1e-6
    )
    assert sum(shares.values()) == pytest.approx(1, rel=1e-12)
    drawn = br.Conditions(
        prior=br.LogUniform(1e-6, 1e-3), costs={**costs, "fn": br.LogNormal(2000, 1.2), "tp": 0}
    )
    both, rng = found.likely(drawn), np.random.default_rng(0)
    sample = drawn.draw(rng, 4000)
    wins = [
        found.at(float(p), 5 / float(fn)).models[0]
        for p, fn in zip(sample.prior, sample.fn, strict=True)
    ]
    assert both["A"] == pytest.approx(np.mean([name == "A" for name in wins]), abs=0.03)
    listed = found.likely(br.Conditions(prior=[1e-6, 1e-5, 1e-4], costs=costs))
    assert {name: share for name, share in listed.items() if share} == pytest.approx(
        {"flag nothing": 1 / 3, "B": 1 / 3, "A": 1 / 3}
    )
    with pytest.raises(br.InputError, match="BR588: how likely a winner is needs distributions"):
        found.likely(br.Conditions(prior="1e-6..1e-3"))


# ---- what is refused --------------------------------------------------------------------------


def test_what_cannot_be_expected_is_refused():
    at = br.Conditions(prior=br.LogUniform(LOW, HIGH))
    with pytest.raises(br.InputError, match="BR588: is the base rate unknown, or does it vary"):
        expect(COUNTS, "precision", threshold=3, at=at)
    with pytest.raises(br.InputError, match="BR588: kind is"):
        expect(COUNTS, "precision", threshold=3, at=at, kind="drifting")
    with pytest.raises(br.InputError, match="BR588: mcc is not a share of outcomes"):
        expect(COUNTS, "mcc", threshold=3, at=at, kind="varying")
    with pytest.raises(
        br.InputError, match="BR519: these conditions are exact, so there is nothing to average"
    ):
        expect(COUNTS, "precision", threshold=3, at=br.Conditions(0.1))
    with pytest.raises(br.InputError, match="BR410: a difference is that of two models"):
        expect({"A": F1_A}, "posfrac", threshold=3, at=at)
    with pytest.raises(br.InputError, match="BR529: a threshold is needed for each model"):
        expect(MODELS, "posfrac", threshold={"A": 3}, at=at)
    with pytest.raises(br.InputError, match="BR588: tp counts the cases of the sample"):
        expect(COUNTS, "tp", threshold=3, at=at)
    with pytest.raises(br.InputError, match="BR594: a measure is given a rule and a threshold"):
        expect(COUNTS, "posfrac", threshold=3, rule="tpr >= 0.5", at=at)
    with pytest.raises(br.InputError, match="BR594: this point is already set"):
        expect(br.choose(COUNTS, threshold=3), "posfrac", threshold=3, at=at)
    with pytest.raises(br.InputError, match="BR429: a measure is read of Counts"):
        expect(5, "posfrac", at=at)
    found = expect(
        F1_A,
        "precision",
        at=br.Conditions(prior=br.LogUniform(1e-9, 1e-3), costs={"fn": 100}),
        kind="unknown",
    )
    assert found.value.reason == "precision is undefined in part of the assumed distribution"


THREE = br.Counts([3, 2, 1], positives=[60, 30, 10], negatives=[10, 190, 4800])


def test_the_long_run_rates_of_a_threshold_that_follows_the_base_rate_weigh_each_day_by_its_cases():
    days = [0.001, 0.2]
    at = br.Conditions(prior=days, costs={"fp": 1, "fn": 20})
    points = [br.choose(THREE, at=br.Conditions(prior, br.Costs(fp=1, fn=20))) for prior in days]
    tp, fp = (
        sum(p * one.tpr for p, one in zip(days, points, strict=True)),
        sum((1 - p) * one.fpr for p, one in zip(days, points, strict=True)),
    )
    found = {
        name: expect(THREE, name, at=at, kind="varying").value
        for name in ("tpr", "fpr", "precision", "posfrac")
    }
    expected = {
        "tpr": tp / sum(days),
        "fpr": fp / sum(1 - p for p in days),
        "precision": tp / (tp + fp),
        "posfrac": (tp + fp) / 2,
    }
    assert found == pytest.approx(expected, rel=1e-12)
    assert expect(THREE, "tpr", at=at, kind="unknown").value == pytest.approx(
        sum(one.tpr for one in points) / 2, rel=1e-12
    )
    with pytest.raises(br.InputError, match="BR588: is the base rate unknown, or does it vary"):
        expect(THREE, "tpr", at=at)
    assert expect(THREE, "tpr", threshold=2, at=at).value == 0.9


def test_what_is_straight_in_the_base_rate_has_a_long_run_value():
    at = br.Conditions(prior=[0.001, 0.2])
    for name in ("net_benefit(t=0.1)", "expected_cost", "alerts"):
        asked = [
            expect(THREE, name, threshold=2, at=at, kind=kind, volume=1000).value
            for kind in (None, "varying")
        ]
        assert asked[0] == asked[1]


def precisions(counts, low, high, fns):
    """The precision on both sides of every border between two base rates, and at these: walked by
    the stretches of `winners`.
    """
    found = []
    for fn in fns:
        for win in br.curves.winners({"m": counts}, br.Costs(fp=1, fn=fn)):
            ends = max(low, win.low), min(high, win.high)
            if ends[0] < ends[1] and win.tpr:
                found += [p * win.tpr / (p * win.tpr + (1 - p) * win.fpr) for p in ends]
    return min(found), max(found)


@pytest.mark.parametrize("counts", [RULES, FOREST])
def test_worst_and_best_over_a_range_are_exact_at_the_borders(counts):
    one = expect(counts, "precision", at=br.Conditions(prior="1e-6..1e-3", costs={"fn": 2000}))
    assert (one.worst, one.best) == pytest.approx(precisions(counts, 1e-6, 1e-3, [2000]), rel=1e-12)
    assert (one.low, one.high) == (one.worst, one.best)
    box = expect(
        counts,
        "precision",
        at=br.Conditions(prior="1e-6..1e-3", costs={"fn": br.Range(200, 20_000)}),
    )
    assert (box.worst, box.best) == pytest.approx(
        precisions(counts, 1e-6, 1e-3, [200, 20_000]), rel=1e-12
    )
    assert [note.code for note in box.notes] == ["BR526", "BR528"]
    least = expect(
        counts,
        "expected_cost",
        at=br.Conditions(prior="1e-6..1e-3", costs={"fn": br.Range(200, 20_000)}),
    )
    dense = [
        br.choose(counts, at=br.Conditions(float(p), br.Costs(fn=20_000))).expected_cost
        for p in np.geomspace(1e-6, 1e-3, 200)
    ]
    assert least.worst >= max(dense) * (1 - 1e-12)


def test_what_is_looked_for_on_a_grid_says_so():
    at = br.Conditions(prior="1e-6..1e-3", costs={"fn": 2000})
    _, note = expect({"rules": RULES, "forest": FOREST}, "precision", threshold=3, at=at).notes
    assert note.code == "BR588"
    assert note.text.startswith(
        "over the range, worst and best were searched for on a grid of 65 base rates"
    )
    assert "BR588" in [
        note.code for note in expect(RULES, "tpr", rule="posfrac <= 1%", at=at).notes
    ]
    assert "BR588" not in [
        note.code
        for note in expect({"rules": RULES, "forest": FOREST}, "expected_cost", at=at).notes
    ]
