"""A choice on other cases, and thresholds set by hand: tested as thresholds fixed in advance."""

import numpy as np
import pytest

import baserate as br
from baserate.inference.best_model import moved, set_by_hand
from baserate.inference.resample import holm

AT = br.Conditions(0.05, br.Costs(fn=10))


def models(seed, names="abc", positives=60, negatives=400):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [positives, negatives])
    common = rng.normal(size=len(y))
    return br.count(
        y,
        {
            name: np.round((1 + k / 2) * y + 0.7 * common + 0.7 * rng.normal(size=len(y)), 2)
            for k, name in enumerate(names)
        },
    )


def assert_tested(choice, joint, cuts, level):
    """Every difference is that of `compare` at these thresholds, adjusted over all pairs."""
    names = list(choice.points)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    every = {
        frozenset(pair): br.compare(
            joint, "expected_cost", pair=pair, threshold={n: cuts[n] for n in pair}, at=AT,
            level=level,
        )[0]
        for pair in pairs
    }  # fmt: skip
    adjusted = dict(zip(every, holm([one.p_value for one in every.values()]), strict=True))
    assert len(choice.differences) == len(names) - 1
    for one in choice.differences:
        there = every[frozenset(one.models)]
        assert one.models[1] == choice.model
        assert one.p_value == pytest.approx(there.p_value)
        assert one.p_adjusted == pytest.approx(adjusted[frozenset(one.models)])
        assert abs(one.value) == pytest.approx(abs(there.value))
        assert one.high - one.low == pytest.approx(there.high - there.low)
        assert one.level == level


def test_on_other_cases_models_keep_their_thresholds_and_the_lead_is_tested_there():
    joint, other = models(1), models(2)
    choice = br.choose(joint, at=AT, level=0.9)
    there = choice.on(other)
    cuts = {name: point.threshold for name, point in choice.points.items()}
    assert {name: point.threshold for name, point in there.points.items()} == cuts
    assert there.model == choice.model
    assert_tested(there, other, cuts, 0.9)
    assert [one.level for one in moved(choice, other, level=0.8).differences] == [0.8] * 2
    alone = br.choose({"c": joint.marginal("c")}, at=AT).on({"c": other.marginal("c")})
    assert (alone.differences, alone.untested) == ((), "")
    assert alone.lead_over_baseline.method == "jeffreys-draws", "nothing was chosen there"


def test_other_cases_must_have_every_model():
    choice = br.choose(models(1), at=AT)
    with pytest.raises(br.InputError, match='BR408: the test data have no model "c"'):
        choice.on(models(2).only(("a", "b")))
    with pytest.raises(br.InputError, match="BR410: a choice is evaluated on counts of the same"):
        choice.on(models(2).marginal("a"))
    apart = choice.on({name: models(2).marginal(name) for name in "abc"})
    assert apart.untested == "the models were counted separately, not on the same cases"
    assert apart.differences == ()


def test_thresholds_set_by_hand_are_compared_by_cost():
    joint, cuts = models(3), {"a": 1.0, "b": 1.2, "c": 0.9}
    choice = set_by_hand(joint, cuts, at=AT, level=0.9)
    costs = {
        name: br.measure(joint.marginal(name), "expected_cost", threshold=cut, at=AT)
        for name, cut in cuts.items()
    }
    assert choice.model == min(costs, key=costs.get)
    assert {name: point.threshold for name, point in choice.points.items()} == cuts
    assert_tested(choice, joint, cuts, 0.9)
    with pytest.raises(br.InputError, match="BR529: there is no threshold of b"):
        set_by_hand(joint, {"a": 1.0, "c": 1.0}, at=AT)
    single = set_by_hand({"a": joint.marginal("a")}, {"a": 1.0}, at=AT)
    assert (single.differences, single.untested) == ((), "")
    two = {name: joint.marginal(name) for name in "ab"}
    assert "counted separately" in set_by_hand(two, cuts, at=AT).untested
