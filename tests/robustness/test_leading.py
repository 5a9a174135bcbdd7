"""Who finds most within a share of false alarms: against every threshold, and every mixture of two,
at many base rates.
"""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import F1_A, F1_B
from tests.strategies import seeds

import baserate as br
from baserate.inference import best_model, leads
from baserate.inference.decide import RecallLeaders
from baserate.views import choices

MODELS = {"A": F1_A, "B": F1_B}


def reached(cells, prior, fdr, *, mix):
    """The highest tpr with prior·… of false alarms at most fdr: of all thresholds, and of all
    mixtures of two of them.
    """
    rates = oracle.roc(cells)
    slope = prior / (1 - prior) * fdr / (1 - fdr)
    best = max((t for f, t in rates if f <= slope * t), default=Fraction(0))
    if mix:
        for (f, t), (g, u) in itertools.permutations(rates, 2):
            here, there = f - slope * t, g - slope * u
            if here <= 0 < there:
                best = max(best, t + (u - t) * here / (here - there))
    return best


@pytest.mark.parametrize("attained", [False, True])
@pytest.mark.parametrize("seed", seeds(60))
def test_the_leaders_are_those_of_every_setting(seed, attained):
    rng = random.Random(f"leads {seed}")
    data = {name: generated.cells(rng, both=True, most=6) for name in "abc"[: rng.randint(1, 3)]}
    fdr = rng.choice([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
    found = br.robustness.best_recall(
        {name: generated.counts(cells) for name, cells in data.items()}, fdr=fdr, attained=attained
    )
    assert (found.leads[0].low, found.leads[-1].high) == (0, 1)
    assert all(a.high == b.low and a.models != b.models for a, b in itertools.pairwise(found.leads))
    assert all(lead.high - lead.low > 1e-12 * lead.low for lead in found.leads)
    places = [(Fraction(lead.low) + Fraction(lead.high)) / 2 for lead in found.leads] + [
        Fraction(rng.randint(1, 999), 1000) for _ in range(8)
    ]
    for prior in places:
        if (
            any(
                abs(float(prior) - end) < 1e-9
                for lead in found.leads
                for end in (lead.low, lead.high)
            )
            or not 0 < prior < 1
        ):
            continue
        truth = {name: reached(cells, prior, fdr, mix=not attained) for name, cells in data.items()}
        most = max(truth.values())
        lead = next(lead for lead in found.leads if lead.low < prior < lead.high)
        assert set(lead.models) == (
            {name for name, value in truth.items() if value == most} if most else set()
        )
        assert found.at(prior) == pytest.approx(
            {name: float(value) for name, value in truth.items()}, abs=1e-12
        )


def test_leaders_change_where_hulls_cross_and_the_order_at_a_tpr_never_does():
    hulls = {name: br.Points.of(counts).hull() for name, counts in MODELS.items()}
    crossings = br.curves.superiority(*hulls.values()).crossings
    found = br.robustness.best_recall(MODELS, fdr=0.5)
    borders = {lead.low for lead in found.leads[1:]}
    for crossing in crossings:
        slope = crossing.fpr / crossing.tpr
        assert any(abs(border - slope / (1 + slope)) < 1e-9 for border in borders)
    assert found.leads[1].models == ("B",)
    assert {lead.models for lead in found.leads} >= {("A",), ("B",)}
    for fdr, prior in itertools.product((0.2, 0.5, 0.9), (1e-5, 1e-3, 0.1)):
        tighter, looser = (
            br.robustness.best_recall(MODELS, fdr=fdr).at(prior),
            br.robustness.best_recall(MODELS, fdr=(1 + fdr) / 2).at(prior),
        )
        assert all(tighter[name] <= looser[name] for name in MODELS)


def test_it_is_the_tpr_of_the_b_roc_at_that_share():
    found = br.robustness.best_recall({"A": F1_A}, fdr="60%").at(0.001)["A"]
    assert found == pytest.approx(br.fix(F1_A, "precision = 0.4", prior=0.001).interpolated.tpr)
    threshold = br.robustness.best_recall({"A": F1_A}, fdr=0.6, attained=True).at(0.001)["A"]
    assert (
        threshold
        == br.choose(F1_A, "precision >= 0.4", at=br.Conditions(0.001), optimize="tpr").tpr
    )


def test_differences_over_the_base_rate_have_simultaneous_bands():
    rng = np.random.default_rng(5)
    y = (np.arange(2000) % 4 == 0).astype(int)
    joint = br.count(
        y, {"a": np.round(rng.normal(y, 1), 1), "b": np.round(rng.normal(3 * y, 1), 1)}
    )
    band = br.curves.difference_band(
        joint,
        "tpr",
        priors=[0.1, 0.3],
        rule="precision >= 0.8",
        costs=br.Costs(fn=10**9),
        replicates=800,
    )
    each = [
        br.robustness.best_recall(
            {name: joint.marginal(name) for name in "ab"}, fdr=0.2, attained=True
        ).at(prior)
        for prior in (0.1, 0.3)
    ]
    assert band.y == pytest.approx([one["b"] - one["a"] for one in each])
    assert (band.low > 0).all()


def counted(seed, shifts, decimals=1, positives=60, negatives=900):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    scores = np.multiply.outer(shifts, y) + rng.normal(size=(len(shifts), len(y)))
    return br.count(y, dict(zip("abc", np.round(scores, decimals), strict=False)))


@pytest.mark.parametrize("seed", range(4))
def test_leaders_are_tested_as_at_one_base_rate_and_adjusted_for_all_of_them(seed):
    joint = counted(seed, [1.0, 2.0, 3.0][: 2 + seed % 2])
    found = br.robustness.best_recall(joint, fdr=0.6, attained=True)
    assert found.tested
    assert not found.untested
    every = []
    for choice in found.tested:
        prior = choice.point.at.prior
        alone = br.choose(joint, "fdr <= 0.6", prior=prior, optimize="tpr", level=0.95)
        assert choice.model == alone.model
        reached = found.at(prior)
        assert reached[choice.model] == pytest.approx(max(reached.values()), rel=1e-9)
        assert [(one.models, one.p_value) for one in choice.differences] == [
            (one.models, one.p_value) for one in alone.differences
        ]
        every += [
            one.p_value
            for pair in itertools.combinations(choice.points, 2)
            for one in leads.every_pair(joint, {name: choice.points[name] for name in pair})
        ]
    order, least, steps = sorted(every), 0.0, {}
    for rank, p in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p))
        steps[p] = least
    for choice in found.tested:
        for one in choice.differences:
            assert one.p_adjusted == pytest.approx(steps[one.p_value], rel=1e-9)


def test_where_leaders_are_tested_does_not_depend_on_who_leads():
    places = [
        [
            choice.point.at.prior
            for choice in br.robustness.best_recall(
                counted(seed, shifts), fdr=0.5, attained=True
            ).tested
        ]
        for seed, shifts in ((1, [1.0, 3.0]), (2, [2.5, 1.0]))
    ]
    expected = [900 ** (place / 6 - 1) for place in range(6)]
    for found in places:
        assert found
        for prior in found:
            assert min(abs(prior / (1 - prior) / slope - 1) for slope in expected) < 1e-9


def test_the_same_scores_are_never_told_from_each_other_and_far_ones_are():
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [80, 800])
    s = np.round(2 * y + rng.normal(size=880), 2)
    same = br.robustness.best_recall(br.count(y, {"a": s, "b": 3 * s}), fdr=0.5, attained=True)
    assert same.tested
    assert all(choice.differences[0].p_adjusted == 1 for choice in same.tested)
    apart = br.robustness.best_recall(counted(7, [3.0, 1.0], 2, 200, 2000), fdr=0.5, attained=True)
    assert {choice.model for choice in apart.tested if choice.differences[0].significant} == {"a"}


def test_leaders_that_cannot_be_tested_say_why():
    joint = counted(1, [1.0, 2.0])
    alone = {name: joint.marginal(name) for name in joint.models}
    found = br.robustness.best_recall(alone, fdr=0.5)
    assert (found.tested, found.untested) == ((), best_model.SEPARATE)
    assert (
        f"(the differences were not tested: {best_model.SEPARATE})."
        in choices.describe_leaders(RecallLeaders(found, (), {})).splitlines()[0]
    )
    assert br.robustness.best_recall({"a": alone["a"]}, fdr=0.5).untested == ""
    weighted = br.count(
        [1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]}, sample_weight=[0.5] * 4
    )
    assert br.robustness.best_recall(weighted, fdr=0.5).untested == best_model.WEIGHED
    apart = br.count([0, 1, 0, 1], {"a": [1, 1, 1, 1], "b": [4, 3, 2, 1]})
    assert (
        br.robustness.best_recall(apart, fdr=0.1, attained=True).untested
        == "at none of the tested base rates have two models a threshold within the limit"
    )


def test_what_has_no_leader_is_refused():
    for wrong in (0, 1, "few", -0.1, None):
        with pytest.raises(
            br.InputError, match="BR542: a share of false alarms lies between 0 and 1"
        ):
            br.robustness.best_recall(MODELS, fdr=wrong)
    with pytest.raises(br.InputError, match="BR410"):
        br.robustness.best_recall({}, fdr=0.5)
    with pytest.raises(br.InputError, match='BR552: "m" has cases of one class only'):
        br.robustness.best_recall({"m": br.Counts([1], [1], [0])}, fdr=0.5)
    with pytest.raises(br.InputError, match="BR509: the best model depends on the base rate"):
        br.robustness.best_recall(MODELS, fdr=0.5).at(None)
