"""MCC, G-mean and Fowlkes-Mallows are roots: they are compared by their signed squares, exactly."""

import random
from fractions import Fraction

import pytest
from tests.decisions import generated
from tests.decisions import oracle_decisions as oracle
from tests.strategies import seeds

import baserate as br

ROOTS = ("mcc", "g_mean", "fowlkes_mallows")
PERFECT = br.Counts([3, 2, 1], [5, 0, 0], [0, 5, 5])
REVERSED = br.Counts([2, 1], [0, 5], [5, 0])


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize("seed", seeds(60))
def test_rules_on_roots_are_those_of_the_oracle(name, seed):
    rng = random.Random(f"{name} {seed}")
    data = generated.cells(rng, both=True)
    at, truth = generated.at(rng, known=True)
    limit = Fraction(rng.randint(-20 if name == "mcc" else 0, 20), 20)
    sense = rng.choice([">=", "<="])
    expected = oracle.choose(data, [oracle.Term(name, sense, limit, {})], "tpr", truth)
    rule = f"{name} {sense} {float(limit)}"
    if expected is None:
        with pytest.raises(br.Infeasible, match="BR530"):
            br.choose(generated.counts(data), rule, at=at, optimize="tpr")
        return
    point = br.choose(generated.counts(data), rule, at=at, optimize="tpr")
    assert (point.threshold, tuple(map(Fraction, point.confusion))) == expected


@pytest.mark.parametrize("name", ROOTS)
def test_the_ends_of_the_range_are_kept_exactly(name):
    assert br.choose(PERFECT, f"{name} >= 1", optimize="tpr").threshold == 3
    assert br.choose(PERFECT, f"{name} <= 1", optimize=name).threshold == 3
    best = br.choose(PERFECT, f"{name} <= 1", optimize=name)
    assert best[name] == 1


def test_a_correlation_of_minus_1_is_reached_and_not_passed():
    assert br.choose(REVERSED, "mcc <= -1", optimize="posfrac").threshold == 2
    assert br.choose(REVERSED, "mcc >= -1", optimize="posfrac").threshold == 2


@pytest.mark.parametrize("whole", [3, 7, 10**9 + 7, 3**30])
def test_a_rational_root_of_any_size_meets_its_limit(whole):
    """tp = tn = 4 and fp = fn = 1 parts: mcc is exactly 0.6, g_mean and fowlkes_mallows exactly
    0.8.
    """
    counts = br.Counts([2, 1], [4 * whole, whole], [whole, 4 * whole])
    for name, limit in (("mcc", "0.6"), ("g_mean", "0.8"), ("fowlkes_mallows", "0.8")):
        for sense in (">=", "<="):
            assert (
                br.choose(
                    counts,
                    f"{name} {sense} {limit} and posfrac <= 50% and posfrac >= 50%",
                    optimize="tpr",
                ).threshold
                == 2
            )


@pytest.mark.parametrize("name", ROOTS)
def test_equal_roots_are_a_tie_that_flags_least(name):
    """Scaling all four counts changes no root: only the order of equal points may decide, and
    floats may not.
    """
    for scale in (1, 3, 7, 11, 10**9 + 9):
        counts = br.Counts(
            [4, 3, 2, 1], [2 * scale, 0, 2 * scale, 6 * scale], [scale, 0, scale, 18 * scale]
        )
        value = {
            t: oracle.value(name, counted, oracle.At())
            for t, counted in oracle.points(cells(scale))
        }
        best = max(v for v in value.values() if v is not None)
        assert br.choose(counts, optimize=name).threshold == next(
            t for t, v in value.items() if v == best
        )


def cells(scale):
    rows = [(4, 2, 1), (3, 0, 0), (2, 2, 1), (1, 6, 18)]
    return [(score, hits * scale, misses * scale) for score, hits, misses in rows if hits or misses]


@pytest.mark.parametrize("name", ROOTS)
def test_models_of_one_root_are_a_tie_at_any_scale(name):
    one = br.Counts([3, 2, 1], [6, 3, 1], [1, 20, 79])
    models = {
        str(k): br.Counts([3, 2, 1], [6 * k, 3 * k, k], [k, 20 * k, 79 * k])
        for k in (3, 7, 10**6 + 3)
    }
    assert br.choose({"1": one, **models}, optimize=name).models == ("1", *models)
