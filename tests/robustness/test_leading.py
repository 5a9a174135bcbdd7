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

import baserate as br

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
@pytest.mark.parametrize("seed", range(60))
def test_the_leaders_are_those_of_every_setting(seed, attained):
    rng = random.Random(f"leads {seed}")
    data = {name: generated.cells(rng, both=True, most=6) for name in "abc"[: rng.randint(1, 3)]}
    fdr = rng.choice([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
    found = br.best_recall(
        {name: generated.counts(cells) for name, cells in data.items()}, fdr=fdr, attained=attained
    )
    assert (found.leads[0].low, found.leads[-1].high) == (0, 1)
    assert all(a.high == b.low and a.models != b.models for a, b in itertools.pairwise(found.leads))
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
    crossings = br.superiority(*hulls.values()).crossings
    found = br.best_recall(MODELS, fdr=0.5)
    borders = {lead.low for lead in found.leads[1:]}
    for crossing in crossings:
        slope = crossing.fpr / crossing.tpr
        assert any(abs(border - slope / (1 + slope)) < 1e-9 for border in borders)
    assert found.leads[1].models == ("B",)
    assert {lead.models for lead in found.leads} >= {("A",), ("B",)}
    for fdr, prior in itertools.product((0.2, 0.5, 0.9), (1e-5, 1e-3, 0.1)):
        tighter, looser = (
            br.best_recall(MODELS, fdr=fdr).at(prior),
            br.best_recall(MODELS, fdr=(1 + fdr) / 2).at(prior),
        )
        assert all(tighter[name] <= looser[name] for name in MODELS)


def test_it_is_the_tpr_of_the_b_roc_at_that_share():
    found = br.best_recall({"A": F1_A}, fdr="60%").at(0.001)["A"]
    mixed = br.choose(
        F1_A, "precision >= 0.4", at=br.Conditions(0.001, br.Costs(fn=10**9)), mix=True
    )
    assert found == pytest.approx(mixed.tpr, rel=1e-12)
    threshold = br.best_recall({"A": F1_A}, fdr=0.6, attained=True).at(0.001)["A"]
    assert (
        threshold
        == br.choose(F1_A, "precision >= 0.4", at=br.Conditions(0.001), optimize="tpr").tpr
    )


def test_differences_over_the_base_rate_have_simultaneous_bands():
    rng = np.random.default_rng(5)
    y = (np.arange(2000) % 4 == 0).astype(int)
    joint = br.count_models(
        y, {"a": np.round(rng.normal(y, 1), 1), "b": np.round(rng.normal(3 * y, 1), 1)}
    )
    band = br.difference_band(
        "tpr",
        joint,
        priors=[0.1, 0.3],
        rule="precision >= 0.8",
        costs=br.Costs(fn=10**9),
        replicates=800,
    )
    each = [
        br.best_recall({name: joint.marginal(name) for name in "ab"}, fdr=0.2, attained=True).at(
            prior
        )
        for prior in (0.1, 0.3)
    ]
    assert band.y == pytest.approx([one["b"] - one["a"] for one in each])
    assert (band.low > 0).all()


def test_what_has_no_leader_is_refused():
    for wrong in (0, 1, "few", -0.1, None):
        with pytest.raises(
            br.InputError, match="BR542: a share of false alarms lies between 0 and 1"
        ):
            br.best_recall(MODELS, fdr=wrong)
    with pytest.raises(br.InputError, match="BR410"):
        br.best_recall({}, fdr=0.5)
    with pytest.raises(br.InputError, match='BR552: "m" has cases of one class only'):
        br.best_recall({"m": br.Counts([1], [1], [0])}, fdr=0.5)
    with pytest.raises(br.InputError, match="BR509: who leads depends on the base rate"):
        br.best_recall(MODELS, fdr=0.5).at(None)
