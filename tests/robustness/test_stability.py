"""How far conditions may be off: every interval against the cheapest setting just inside and just
outside of it.
"""

import math
import random
from fractions import Fraction

import pytest
from scipy import stats
from tests.decisions import generated
from tests.decisions.worked import F1_A, F1_B
from tests.robustness import oracle_prospects as oracle
from tests.robustness.rare import FOREST, RULES
from tests.strategies import seeds

import baserate as br

MODELS = {"A": F1_A, "B": F1_B}
COSTS = br.Costs(fp=5, fn=500, tp=5, tn=0)
PARTS = ("prior", "fp", "fn", "tp", "tn")


def cheapest(every, where):
    costs = {key: oracle.cost(rates, *where) for key, rates in every.items()}
    lowest = min(costs.values())
    return {key for key, value in costs.items() if value == lowest}


def moved(where, part, value):
    return tuple(value if name == part else old for name, old in zip(PARTS, where, strict=True))


def sane(where):
    prior, fp, fn, tp, tn = where
    return 0 < prior < 1 and fn > tp and fp > tn


@pytest.mark.parametrize("seed", seeds(80))
def test_inside_the_interval_the_choice_stays_and_outside_it_does_not(seed):
    rng = random.Random(f"stable {seed}")
    data = {name: generated.cells(rng, both=True, most=7) for name in "abc"[: rng.randint(1, 3)]}
    every = oracle.settings(data)
    tp, fp, fn, tn = generated.costs(rng)
    prior = rng.choice([0.001, 0.02, 0.1, 0.4, 0.8])
    where = tuple(map(Fraction, (repr(prior), fp, fn, tp, tn)))
    found = br.robustness.stability(
        {name: generated.counts(cells) for name, cells in data.items()},
        at=br.Conditions(prior, br.Costs(fp, fn, tp, tn)),
    )
    here = cheapest(every, where)
    chosen = {(name, _cut(cut)) for name, cut in zip(found.models, found.thresholds, strict=True)}
    assert chosen <= here
    assert found.cost == pytest.approx(float(oracle.least(every, where)), rel=1e-12, abs=1e-12)
    for part, held in found.held.items():
        now = where[PARTS.index(part)]
        assert held.low <= float(now) <= held.high
        for end, beyond in ((held.low, held.below), (held.high, held.above)):
            if not math.isfinite(end):
                assert not beyond
                continue
            inside = moved(where, part, Fraction(end) + (now - Fraction(end)) * Fraction(1, 10**6))
            outside = moved(where, part, Fraction(end) - (now - Fraction(end)) * Fraction(1, 10**6))
            if sane(inside) and now != Fraction(end):
                assert chosen <= cheapest(every, inside)
            if sane(outside) and now != Fraction(end) and abs(float(now) - end) > 1e-9 * abs(end):
                assert not chosen & cheapest(every, outside)
                assert {(name, _cut(cut)) for name, cut in beyond.items()} <= cheapest(
                    every, outside
                )


def _cut(threshold):
    return None if threshold == -math.inf else threshold


def test_scenario_4_is_stable_where_its_borders_say():
    found = br.robustness.stability(MODELS, at=br.Conditions(0.001, COSTS))
    win = next(
        win
        for win in br.curves.winners(MODELS, COSTS)
        if win.models == ("A",) and win.thresholds == (5,)
    )
    assert (found.model, found.threshold, f"{found.cost:.6g}") == ("A", 5, "0.192094")
    assert found.held["prior"][:2] == (win.low, win.high)
    assert [f"{end:.6g}" for end in found.model_held["prior"]] == ["7.65616e-05", "0.198314"]
    only = br.curves.winners({"A": F1_A}, COSTS)
    assert found.break_even["prior"] == (only[0].high, only[-1].low)
    nearest = found.changes[0]
    assert nearest.then in (found.held[nearest.part].low, found.held[nearest.part].high)
    assert all(
        abs(math.log(nearest.factor)) <= abs(math.log(other.factor)) for other in found.changes
    )


def test_what_is_uncertain_enough_to_change_the_choice_is_named():
    wide = br.robustness.stability(
        MODELS, at=br.Conditions(prior="1e-5..1e-3", costs={"fn": br.Range(490, 510), "fp": 5})
    )
    assert wide.decisive == ("prior",)
    assert wide.at.prior == pytest.approx(1e-4)
    narrow = br.robustness.stability(
        MODELS,
        at=br.Conditions(
            prior="0.00095..0.00105", costs={"fn": br.LogUniform(25, 10_000), "fp": 5}
        ),
    )
    assert narrow.decisive == ("fn",)
    assert br.robustness.stability(MODELS, at=br.Conditions(0.001)).decisive == ()


def test_under_a_floor_of_recall_only_what_keeps_it_counts():
    found = br.robustness.stability(MODELS, "tpr >= 0.8", at=br.Conditions(0.001, COSTS))
    chosen = br.choose(MODELS, "tpr >= 0.8", at=br.Conditions(0.001, COSTS))
    assert (found.model, found.threshold, found.cost) == (
        chosen.model,
        chosen.point.threshold,
        chosen.point.expected_cost,
    )
    assert found.held["prior"].low == 0


def test_flagging_nothing_has_no_break_even_of_its_own():
    found = br.robustness.stability(MODELS, at=br.Conditions(1e-7, COSTS))
    assert (found.model, found.break_even) == ("flag nothing", {})
    assert f"{found.held['prior'].high:.6g}" == "4.12284e-06"
    assert found.held["prior"].above == {"B": 9}


def test_a_rule_that_moves_with_the_base_rate_is_refused():
    with pytest.raises(
        br.InputError,
        match=(
            "BR534: which thresholds satisfy posfrac <= 0.1 depends on the base rate, so there is"
            " no single stable range"
        ),
    ):
        br.robustness.stability(MODELS, "posfrac <= 10%", at=br.Conditions(0.001, COSTS))
    groups = {"m": br.count([0, 1, 0, 1], [1, 2, 3, 4], by=["a", "a", "b", "b"])}
    with pytest.raises(br.InputError, match="BR588: stability is computed for one site at a time"):
        br.robustness.stability(groups, at=br.Conditions(0.1))


def test_a_distribution_decides_by_its_central_95_percent():
    models = {"rules": RULES, "forest": FOREST}
    firm = [br.Pilot(20_000, 1_000_000_000), stats.beta(2e5, 1e10), br.LogNormal(2e-5, 1.05)]
    for prior in firm:
        assert (
            br.robustness.stability(
                models, at=br.Conditions(prior=prior, costs={"fn": 2000})
            ).decisive
            == ()
        )
    for prior in (
        br.Pilot(2, 100_000),
        br.LogUniform(1e-6, 1e-2),
        [2e-5, 2e-5, 1e-2],
        br.Range(1e-6, 1e-2),
    ):
        assert br.robustness.stability(
            models, at=br.Conditions(prior=prior, costs={"fn": 2000})
        ).decisive == ("prior",)


def test_models_counted_on_the_same_cases_are_taken_as_by_every_verb():
    y, a, b = [0, 0, 0, 1, 1, 0, 1, 0], [1, 2, 3, 5, 4, 4, 2, 1], [3, 1, 2, 2, 6, 1, 4, 2]
    joint, apart = br.count(y, {"a": a, "b": b}), {"a": br.count(y, a), "b": br.count(y, b)}
    at = br.Conditions(prior=0.1, costs={"fn": 5})
    spread = br.Conditions(prior=br.LogUniform(0.01, 0.2), costs={"fn": 5})
    rob = br.robustness
    assert rob.stability(joint, at=at) == rob.stability(apart, at=at)
    assert rob.value_of_information(joint, at=spread) == rob.value_of_information(apart, at=spread)
    assert rob.regret(joint, "a", 4, at=at) == rob.regret(apart, "a", 4, at=at)
    found = rob.triage(joint, at=at, review=0.1)
    assert found == rob.triage(apart, at=at, review=0.1)
    assert found == {name: rob.triage(one, at=at, review=0.1) for name, one in apart.items()}
