"""Regret and the choice that regrets least: against every setting, at every corner and all over the
box, in exact fractions.
"""

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.decisions import generated
from tests.decisions.worked import F1_A, F1_B
from tests.robustness import oracle_prospects as oracle
from tests.robustness.rare import FOREST, RULES
from tests.strategies import seeds

import baserate as br
from baserate.inference.decide import decide

MODELS = {"A": F1_A, "B": F1_B}
COSTS = br.Costs(fp=5, fn=500, tp=5, tn=0)
BASELINES = ("flag nothing", "flag everything")
NAMED = {"fp": 5, "fn": 500, "tp": 5}


# ---- scenario 4 of the users ------------------------------------------------------------------


def test_scenario_4_who_is_cheapest_where():
    wins = br.curves.winners(MODELS, COSTS)
    runs = {}
    for win in wins:
        low, _ = runs.get(win.models[0], (win.low, None))
        runs[win.models[0]] = low, win.high
    assert {name: (f"{low:.6g}", f"{high:.6g}") for name, (low, high) in runs.items()} == {
        "flag nothing": ("0", "4.12284e-06"),
        "B": ("4.12284e-06", "7.65616e-05"),
        "A": ("7.65616e-05", "0.198314"),
        "flag everything": ("0.198314", "1"),
    }


@pytest.mark.parametrize(
    ("model", "threshold", "cost"),
    [
        ("A", 5, "0.192094"),
        ("B", 5, "0.303469"),
        ("flag nothing", None, "0.5"),
        ("flag everything", None, "5"),
    ],
)
def test_scenario_4_costs_at_one_in_a_thousand(model, threshold, cost):
    found = br.robustness.regret(MODELS, model, threshold, at=br.Conditions(0.001, COSTS))
    assert f"{found.cost:.6g}" == cost
    assert f"{found.least:.6g}" == "0.192094"
    assert found.value == pytest.approx(found.cost - found.least, abs=1e-15)


def test_scenario_4_the_choice_of_least_regret():
    found = decide(MODELS, at=br.Conditions(prior="1e-5..1e-3", costs=NAMED))
    assert (found.model, found.threshold, f"{found.regret.value:.6g}") == ("A", 6, "0.0189184")
    assert (found.regret.at.prior, dict(found.regret.instead)) == (0.001, {"A": 5})
    assert found.regret.error == 0


# ---- against every setting --------------------------------------------------------------------


def boxed(rng):
    """(what baserate is given, the same box for the oracle)."""
    low = rng.choice([1e-6, 1e-4, 0.001, 0.02, 0.1, 0.25])
    high = min(0.9, low * rng.choice([1, 2, 10, 50]))
    tp, fp, fn, tn = generated.costs(rng)
    box = {"fp": (fp, fp), "fn": (fn, fn), "tp": (tp, tp), "tn": (tn, tn)}
    given = {"fp": fp, "fn": fn, "tp": tp, "tn": tn}
    for name in rng.sample(["fp", "fn"], rng.randint(0, 2)):
        box[name] = (
            given[name],
            given[name] * rng.choice([2, 10, 1.5]) if given[name] > 0 else given[name] + 1,
        )
        given[name] = br.Range(*box[name])
    if rng.random() < 0.3:
        box["tp"] = tp - 3, tp
        given["tp"] = br.Range(*box["tp"])
    priors = Fraction(repr(low)), Fraction(repr(high))
    return br.Conditions(prior=br.Range(low, high), costs=given), oracle.Box(
        priors, box["fp"], box["fn"], box["tp"], box["tn"]
    )


def several(rng, most=7):
    return {name: generated.cells(rng, both=True, most=most) for name in "abc"[: rng.randint(1, 3)]}


@pytest.mark.parametrize("seed", seeds(120))
def test_the_choice_regrets_no_more_than_any_setting(seed):
    rng = random.Random(f"regret {seed}")
    data = several(rng)
    at, box = boxed(rng)
    every = oracle.settings(data)
    lowest, keys = oracle.minimax(every, oracle.corners(box))
    found = decide({name: generated.counts(cells) for name, cells in data.items()}, at=at)
    assert found.regret.value == float(lowest)
    assert (found.model, found.threshold) in keys
    # A model that is best where it flags nothing is not named beside "flag nothing".
    unnamed = {name for name, _ in keys} - set(found.models)
    assert set(found.models) <= {name for name, _ in keys}
    assert all(found.rivals[name].threshold is None for name in unnamed)
    for name, rival in found.rivals.items():
        # Flagging nothing or everything is a setting of every model.
        own = (name,) if name in BASELINES else (name, *BASELINES)
        assert rival.value == min(
            float(oracle.worst(every, key, oracle.corners(box))) for key in every if key[0] in own
        )


def test_scores_that_are_all_tied_are_answered_over_a_range():
    tied, other = br.Counts([1], [20], [40]), br.Counts([2, 1], [15, 5], [5, 35])
    at = {"prior": "1%..10%", "costs": {"fn": 10}}
    assert br.choose(tied, **at).threshold is None
    choice = br.choose({"a": tied, "b": tied}, **at)
    assert (choice.models, choice.point.threshold) == (("a", "b"), None)
    assert choice.regret.value == choice.regrets["flag nothing"].value
    assert choice.unbeaten == "flag nothing"
    choice = br.choose({"a": tied, "b": other}, "recall >= 0.5", **at)
    assert (choice.model, choice.points["a"].tpr, choice.refused) == ("b", 1.0, {})


@pytest.mark.parametrize("seed", range(25))
def test_nowhere_in_the_box_is_regret_larger_than_at_its_corners(seed):
    rng = random.Random(f"box {seed}")
    data = several(rng, most=5)
    at, box = boxed(rng)
    every = oracle.settings(data)
    counts = {name: generated.counts(cells) for name, cells in data.items()}
    for model, threshold in rng.sample(sorted(every, key=str), min(4, len(every))):
        found = br.robustness.regret(counts, model, threshold, at=at)
        assert found.value == float(oracle.worst(every, (model, threshold), oracle.corners(box)))
        assert found.value >= float(oracle.worst(every, (model, threshold), oracle.inside(box, 4)))


# ---- rules, and sites -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", seeds(60))
def test_a_rule_holds_over_the_whole_range_or_the_setting_is_not_chosen(seed):
    rng = random.Random(f"ruled {seed}")
    data = several(rng)
    at, box = boxed(rng)
    limit = rng.choice([Fraction(1, 10), Fraction(1, 2), Fraction(4, 5)])
    rule, value = rng.choice(
        [
            ("tpr >= {}", lambda _f, t, _p: t >= limit),
            ("fpr <= {}", lambda f, _t, _p: f <= limit),
            ("posfrac <= {}", lambda f, t, p: p * t + (1 - p) * f <= limit),
            (
                "precision >= {}",
                lambda f, t, p: p * t + (1 - p) * f > 0 and p * t >= limit * (p * t + (1 - p) * f),
            ),
        ]
    )
    every = oracle.settings(data)
    keeps = {
        key: rates
        for key, rates in every.items()
        if all(value(*rates, prior) for prior in box.prior)
    }
    counts = {name: generated.counts(cells) for name, cells in data.items()}
    if not keeps:
        with pytest.raises(br.Infeasible, match="BR530: .*no (one )?threshold"):
            decide(counts, rule.format(float(limit)), at=at)
        return
    regrets = {key: oracle.worst(every, key, oracle.corners(box)) for key in keeps}
    found = decide(counts, rule.format(float(limit)), at=at)
    assert found.regret.value == float(min(regrets.values()))
    assert regrets[found.model, found.threshold] == min(regrets.values())
    names = {name for name, _ in keeps}
    assert set(found.refused) == (set() if names & set(BASELINES) else set(data) - names)


def sites():
    rng = np.random.default_rng(3)
    y = rng.random(3000) < 0.2
    where = rng.choice(["north", "south", "west"], 3000)
    shift = np.where(where == "south", -0.7, 0.0)
    return (
        y,
        {"m": np.round(rng.normal(2 * y + shift, 1), 1), "n": np.round(rng.normal(1.5 * y, 1), 1)},
        where,
    )


def test_one_threshold_is_good_at_every_site_and_keeps_the_rule_at_each():
    y, scores, where = sites()
    groups = {name: br.count(y, score, by=where) for name, score in scores.items()}
    at = br.Conditions(prior="1%..5%", costs={"fn": 30})
    found = decide(groups, "tpr >= 0.8", at=at)
    regrets = {}
    for name, score in scores.items():
        for threshold in np.unique(score):
            points = {
                site: br.choose(
                    groups[name][site], threshold=threshold, at=br.Conditions(0.01, br.Costs(fn=30))
                )
                for site in groups[name]
            }
            if all(point.tpr >= 0.8 for point in points.values()):
                regrets[name, threshold] = max(
                    _regret_at(groups, site, point, prior)
                    for site, point in points.items()
                    for prior in (0.01, 0.05)
                )
    best = min(regrets, key=regrets.get)
    assert (found.model, found.threshold) == best
    assert found.regret.value == pytest.approx(regrets[best], rel=1e-12)
    assert found.regret.site in ("north", "south", "west")


def _regret_at(groups, site, point, prior):
    at = br.Conditions(prior, br.Costs(fn=30))
    cheapest = min(br.choose(group[site], at=at).expected_cost for group in groups.values())
    return br.measure(point.confusion, "expected_cost", at=at) - cheapest


def test_at_its_own_prior_each_site_has_its_own():
    y, scores, where = sites()
    groups = {"m": br.count(y, scores["m"], by=where)}
    found = br.robustness.regret(
        groups, "m", 1.0, at=br.Conditions(costs={"fn": br.Range(10, 100)})
    )
    assert found.at.as_in_sample
    assert found.at.prior == groups["m"][found.site].prior


# ---- averages ---------------------------------------------------------------------------------


def test_over_a_list_regret_is_the_plain_average():
    priors = [1e-5, 1e-4, 1e-3]
    at = br.Conditions(prior=priors, costs=NAMED)
    found = br.robustness.regret(MODELS, "A", 6, at=at)
    each = [
        br.robustness.regret(MODELS, "A", 6, at=br.Conditions(prior, COSTS)).value
        for prior in priors
    ]
    assert found.value == pytest.approx(sum(each) / 3, rel=1e-12)
    assert found.averaged


def test_draws_of_one_length_belong_together():
    at = br.Conditions(prior=br.Draws([1e-4, 0.01]), costs={"fn": br.Draws([1000, 10])})
    found = br.robustness.regret(MODELS, "A", 6, at=at)
    each = [
        br.robustness.regret(MODELS, "A", 6, at=br.Conditions(*pair)).value
        for pair in ((1e-4, br.Costs(fn=1000)), (0.01, br.Costs(fn=10)))
    ]
    assert found.value == pytest.approx(sum(each) / 2, rel=1e-12)


def test_the_choice_of_least_average_regret_is_the_cheapest_on_average():
    at = br.Conditions(prior=br.LogUniform(1e-5, 1e-3), costs=NAMED)
    mean = (1e-3 - 1e-5) / np.log(100)
    found, plain = decide(MODELS, at=at), br.choose(MODELS, at=br.Conditions(mean, COSTS))
    assert (found.model, found.threshold) == (plain.model, plain.point.threshold)


def test_what_is_believed_beside_a_range_is_averaged_at_each_of_its_ends():
    spread = br.LogUniform(1e-5, 1e-3)
    found = br.robustness.regret(
        MODELS, "A", 6, at=br.Conditions(prior=spread, costs={"fn": br.Range(100, 1000), "fp": 5})
    )
    ends = [
        br.robustness.regret(
            MODELS, "A", 6, at=br.Conditions(prior=spread, costs={"fn": fn, "fp": 5})
        ).value
        for fn in (100, 1000)
    ]
    assert found.value == max(ends)


# ---- what is refused --------------------------------------------------------------------------


def test_what_cannot_be_decided_is_refused():
    at = br.Conditions(prior="1e-5..1e-3")
    for wrong in ({}, None, F1_A, br.count([0, 1], [1, 2], by=["a", "b"])):
        with pytest.raises(
            br.InputError, match="BR410: the counts of each model are needed by name"
        ):
            decide(wrong, at=at)
    with pytest.raises(br.InputError, match="BR519: at must be Conditions, got float"):
        decide(MODELS, at=0.001)
    with pytest.raises(br.InputError, match='BR408: there is no model "C"'):
        br.robustness.regret(MODELS, "C", 1, at=at)
    with pytest.raises(br.InputError, match="BR534: mcc may rise and fall between two base rates"):
        decide(MODELS, "mcc >= 0.1", at=at)
    with pytest.raises(
        br.InputError,
        match="BR588: a distribution of prior without ends satisfies no rule for certain",
    ):
        decide(MODELS, "precision >= 0.1", at=br.Conditions(prior=br.Pilot(3, 5000)))
    with pytest.raises(br.InputError, match="BR410: a model is named"):
        decide({"flag nothing": F1_A}, at=at)
    with pytest.raises(br.InputError, match="BR509: .*different priors"):
        decide({"A": F1_A, "C": br.Counts([1, 0], [5, 5], [5, 50])}, at=br.Conditions(costs=COSTS))


def test_what_would_be_feasible_is_said_where_nothing_is():
    with pytest.raises(
        br.Infeasible,
        match=(
            r"at a base rate of 0\.001% \(1 in 100,000\): no threshold has precision >= 0\.5: the"
            r" highest precision is 0\.00"
        ),
    ):
        decide({"A": F1_A}, "precision >= 0.5", at=br.Conditions(prior="1e-5..1e-3"))
    with pytest.raises(
        br.Infeasible, match="BR530: no single threshold of any model satisfies .* everywhere"
    ):
        decide(
            {"A": F1_A},
            "alerts <= 6000 and alerts >= 5000",
            at=br.Conditions(prior="0.0001..0.01"),
            volume=1_000_000,
        )


# ---- other kinds of counts --------------------------------------------------------------------


def test_masses_rates_and_merged_cells_are_decided_as_counts_are():
    at = br.Conditions(prior="1e-4..1e-2", costs={"fn": br.Range(20, 200)})
    plain = decide({"A": F1_A}, at=at)
    halves = br.Counts(F1_A.scores, F1_A.positives * 0.5, F1_A.negatives * 0.25)
    rates = br.Points.from_rates(
        *(getattr(br.Points.of(F1_A), name) for name in ("fpr", "tpr")),
        br.Points.of(F1_A).thresholds,
    )
    for other in (halves, rates, F1_A.condense()):
        found = decide({"A": other}, at=at)
        assert (found.threshold, found.regret.value) == (
            plain.threshold,
            pytest.approx(plain.regret.value, rel=1e-12),
        )


def test_a_prior_that_nobody_gave_is_refused_where_the_sample_has_none():
    thinned = br.count([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1], design="case-control")
    with pytest.raises(br.InputError, match="BR509: the class totals were chosen"):
        decide({"m": thinned}, at=br.Conditions(costs={"fn": br.Range(2, 3)}))
    with pytest.raises(br.InputError, match="BR509: only rates are known"):
        decide(
            {"m": br.Points.from_rates([0.1], [0.8])},
            at=br.Conditions(costs={"fn": br.Range(2, 3)}),
        )


def test_regret_is_not_below_0_by_rounding():
    models, seen = {"rules": RULES, "forest": FOREST}, []
    for prior in (2e-5, 1e-4, 1e-3, 1e-2):
        for spread in (
            br.LogUniform(prior, prior * 1.001),
            stats.beta(prior * 1e10, 1e10),
            br.LogNormal(prior, 1.001),
        ):
            seen.append(
                decide(models, at=br.Conditions(prior=spread, costs={"fn": 2000})).regret.value
            )
    assert min(seen) == 0


# ---- is the setting of least regret better? ---------------------------------------------------


def together(seed, positives=60, negatives=800, better=0.4):
    rng = np.random.default_rng([seed, 0xD])
    y = np.repeat([1, 0], [positives, negatives])
    common = rng.normal(size=len(y))
    scores = {
        name: (1.3 + shift) * y + 0.7 * common + 0.7 * rng.normal(size=len(y))
        for name, shift in (("a", 0.0), ("b", better))
    }
    return br.count(y, scores)


RANGES = (
    br.Conditions(prior="0.1%..10%", costs={"fn": 30}),
    br.Conditions(prior=0.02, costs={"fn": br.Range(5, 100)}),
    br.Conditions(costs={"fn": br.Range(5, 100)}),
    br.Conditions(prior=br.LogUniform(0.001, 0.1), costs={"fn": 30}),
)


@pytest.mark.parametrize("seed", range(4))
def test_a_range_of_no_width_is_tested_as_exact_conditions_are(seed):
    joint = together(seed)
    exact = decide(joint, at=br.Conditions(0.02, br.Costs(fn=30)))
    for prior in (br.Range(0.02, 0.02 * (1 + 1e-13)), br.LogUniform(0.02, 0.02 * (1 + 1e-13))):
        found = decide(joint, at=br.Conditions(prior=prior, costs={"fn": 30}))
        for one, other in zip(found.differences, exact.differences, strict=True):
            assert one.models == other.models
            assert one.p_value == pytest.approx(other.p_value, rel=1e-6)
            assert (one.value, one.low) == pytest.approx((other.value, other.low), rel=1e-6)


@pytest.mark.parametrize("at", RANGES, ids=str)
def test_laws_of_differences_of_regret(at):
    joint = together(3)
    found, other = decide(joint, at=at), decide(joint.only(("b", "a")), at=at)
    assert found.untested == ""
    for one in found.differences:
        assert one.models[1] == found.model
        assert one.value == pytest.approx(
            found.regret.value - found.rivals[one.models[0]].value, abs=1e-15
        )
        assert one.low <= one.value <= one.high
        assert one.p_value < 0.05 or one.low <= 0 <= one.high
        again = next(two for two in other.differences if two.models == one.models)
        assert again.p_value == pytest.approx(one.p_value)
        assert (again.low, again.high) == pytest.approx((one.low, one.high))


@pytest.mark.parametrize("at", RANGES, ids=str)
def test_identical_models_regret_the_same(at):
    joint = together(5)
    twins = br.count(np.repeat([1, 0], [60, 800]), {"a": joint.scores["a"], "b": joint.scores["a"]})
    found = decide(twins, at=at)
    one = next(one for one in found.differences if set(one.models) == {"a", "b"})
    assert (one.value, one.p_value) == (0, 1)


@pytest.mark.parametrize("at", RANGES, ids=str)
def test_a_far_better_model_regrets_significantly_less(at):
    found = decide(together(2, positives=500, negatives=5000, better=1.5), at=at)
    assert found.model == "b"
    assert next(one for one in found.differences if one.models[0] == "a").significant


def test_why_a_lead_is_not_tested():
    joint, at = together(1), RANGES[0]
    each = {name: joint.marginal(name) for name in joint.models}
    assert decide(each, at=at).untested.startswith("the models were counted separately")
    assert decide(joint, "tpr >= 0.5", at=at).untested.startswith("a rule keeps the thresholds")
    assert decide({"a": each["a"]}, at=at).untested == ""
    mixed = br.Conditions(prior=br.LogUniform(0.01, 0.1), costs={"fn": br.Range(5, 50)})
    assert decide(joint, at=mixed).untested.startswith("some conditions are ranges")


def test_a_budget_over_a_range_is_tested_where_it_binds():
    """At the highest base rate, as `choose_model` does there."""
    joint = together(6)
    found = decide(joint, "alerts <= 50", at=br.Conditions(prior="1%..5%"), volume=1000)
    there = br.choose(joint, "alerts <= 50", at=br.Conditions(0.05), volume=1000)
    one = next(one for one in found.differences if set(one.models) == {"a", "b"})
    assert one.p_value == pytest.approx(there.differences[0].p_value)
