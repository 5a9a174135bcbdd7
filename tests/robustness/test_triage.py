"""Two thresholds: against every pair there is, in exact fractions."""

import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.decisions.worked import F1_A
from tests.strategies import seeds

import baserate as br


def every_pair(cells, prior, costs, look):
    """{(act, review): (cost, reviewed, found)} of every pair of thresholds."""
    tp, fp, fn, tn = map(Fraction, costs)
    points = [
        (cut, (c[0] / (c[0] + c[2]), c[1] / (c[1] + c[3]))) for cut, c in oracle.points(cells)
    ]
    found = {}
    for i, (act, (u, g)) in enumerate(points):
        for review, (t, f) in points[i:]:
            positives = u * tp + (t - u) * look[0] + (1 - t) * fn
            negatives = g * fp + (f - g) * look[1] + (1 - f) * tn
            reviewed = prior * (t - u) + (1 - prior) * (f - g)
            found[act, review] = prior * positives + (1 - prior) * negatives, reviewed, (u, t)
    return found


def drawn(seed):
    rng = random.Random(f"triage {seed}")
    cells = generated.cells(rng, both=True, most=8)
    costs = generated.costs(rng)
    prior = rng.choice([0.001, 0.05, 0.2, 0.5])
    return rng, cells, costs, prior


def conditions(prior, costs):
    tp, fp, fn, tn = costs
    return br.Conditions(prior, br.Costs(tp=tp, fp=fp, fn=fn, tn=tn))


@pytest.mark.parametrize("seed", seeds(80))
def test_no_pair_of_thresholds_costs_less(seed):
    rng, cells, costs, prior = drawn(seed)
    review, overlooked = (
        Fraction(rng.choice([1, 5, 40]), 10),
        Fraction(rng.choice([0, 0, 1, 5]), 10),
    )
    tp, _, fn, tn = map(Fraction, costs)
    every = every_pair(
        cells,
        Fraction(repr(prior)),
        costs,
        (review + (1 - overlooked) * tp + overlooked * fn, review + tn),
    )
    found = br.robustness.triage(
        generated.counts(cells), at=conditions(prior, costs), review=review, overlooked=overlooked
    )
    cost, reviewed, (u, t) = every[found.act, found.review]
    assert cost == min(value for value, _, _ in every.values())
    assert (found.cost, found.reviewed) == (float(cost), float(reviewed))
    assert found.found == float(u + (1 - overlooked) * (t - u))
    assert found.acted + found.reviewed + found.passed == pytest.approx(1)
    plain = br.choose(generated.counts(cells), at=conditions(prior, costs)).expected_cost
    assert found.without == plain
    assert found.saving >= -1e-12 * max(1, abs(plain))


@pytest.mark.parametrize("seed", seeds(80))
def test_within_a_budget_no_pair_that_keeps_it_costs_less(seed):
    rng, cells, costs, prior = drawn(f"budget {seed}")
    review, most = Fraction(rng.choice([1, 5, 40]), 10), Fraction(rng.choice([0, 1, 5, 20]), 100)
    tp, _, _, tn = map(Fraction, costs)
    every = every_pair(cells, Fraction(repr(prior)), costs, (review + tp, review + tn))
    found = br.robustness.triage(
        generated.counts(cells), at=conditions(prior, costs), review=review, most=most
    )
    cost, reviewed, _ = every[found.act, found.review]
    assert reviewed <= most
    assert cost == min(value for value, share, _ in every.values() if share <= most)
    assert found.cost == float(cost)


@pytest.mark.parametrize("seed", range(30))
def test_abstaining_costs_the_same_whatever_the_case(seed):
    _, cells, costs, prior = drawn(f"abstain {seed}")
    abstain = min(costs[1] - costs[3], costs[2] - costs[0]) / 4 + max(costs[0], costs[3])
    every = every_pair(cells, Fraction(repr(prior)), costs, (Fraction(abstain), Fraction(abstain)))
    found = br.robustness.triage(
        generated.counts(cells), at=conditions(prior, costs), abstain=abstain
    )
    assert found.cost == pytest.approx(
        float(min(value for value, _, _ in every.values())), rel=1e-12
    )


def test_reviews_are_counted_out_of_a_volume():
    at = br.Conditions(0.001, br.Costs(fp=50, fn=500))
    found = br.robustness.triage(F1_A, at=at, review=2, most=2000, volume=1_000_000)
    assert found.reviews <= 2000
    assert found.reviews == pytest.approx(found.reviewed * 1_000_000)
    free = br.robustness.triage(F1_A, at=at, review=2, volume=1_000_000)
    assert free.cost <= found.cost <= found.without
    assert {"BR526", "BR528"} <= {note.code for note in found.notes}


def test_a_review_that_is_too_dear_is_not_made():
    found = br.robustness.triage(F1_A, at=br.Conditions(0.01, br.Costs(fp=1, fn=50)), review=1000)
    assert (found.reviewed, found.act, found.saving) == (0, found.review, 0)
    assert "review nothing" in repr(found)


def test_what_triage_cannot_read_is_refused():
    at = br.Conditions(0.01, br.Costs(fp=1, fn=50))
    with pytest.raises(
        br.InputError, match="BR532: triage needs what a review costs, or what abstaining costs"
    ):
        br.robustness.triage(F1_A, at=at)
    with pytest.raises(br.InputError, match="BR532: triage needs"):
        br.robustness.triage(F1_A, at=at, review=1, abstain=1)
    for wrong in (0, -1, "dear"):
        with pytest.raises(br.InputError, match="BR514: review is what a case costs"):
            br.robustness.triage(F1_A, at=at, review=wrong)
    with pytest.raises(br.InputError, match="BR542: overlooked is a share"):
        br.robustness.triage(F1_A, at=at, review=1, overlooked=2)
    with pytest.raises(br.InputError, match="BR532: abstaining overlooks nothing"):
        br.robustness.triage(F1_A, at=at, abstain=1, overlooked=0.5)
    for wrong in (2, "many", -1):
        with pytest.raises(br.InputError, match="BR521: most is a share of the cases"):
            br.robustness.triage(F1_A, at=at, review=1, most=wrong)
    with pytest.raises(br.InputError, match="BR552: triage needs cases of both classes"):
        br.robustness.triage(br.Counts([1], [1], [0]), at=at, review=1)


def test_base_rate_and_costs_are_given_by_name_as_to_every_verb():
    at = br.Conditions("0.1%", br.Costs(fp=5, fn=100))
    asked = {"review": "2", "overlooked": "10%"}
    found = br.robustness.triage(F1_A, prior="0.1%", costs={"fp": 5, "fn": 100}, **asked)
    assert found == br.robustness.triage(F1_A, at=at, review=2, overlooked=0.1)
    with pytest.raises(br.InputError, match="BR418: conditions are given twice"):
        br.robustness.triage(F1_A, at=at, prior=0.1, review=2)
    with pytest.raises(br.InputError, match="BR419: this needs one base rate"):
        br.robustness.triage(F1_A, prior="1%..2%", review=2)


def test_a_share_of_reviews_is_one_of_the_cases_also_beside_a_volume():
    asked = {"prior": 0.01, "costs": {"fp": 5, "fn": 100}, "review": 2, "most": "5%"}
    found = br.robustness.triage(F1_A, **asked, volume=100_000)
    assert found.reviewed == br.robustness.triage(F1_A, **asked).reviewed
    assert found.reviews == pytest.approx(100_000 * found.reviewed)
    assert 0 < found.reviewed <= 0.05
