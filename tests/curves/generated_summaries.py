"""Cells that break summaries: ties, few positives, one score, perfect, reversed, one positive, huge
counts, weights.
"""

import math
from fractions import Fraction

from tests.digits import mpmath

import baserate as br

KINDS = (
    "any",
    "tied",
    "few positives",
    "one score",
    "perfect",
    "reversed",
    "one positive",
    "huge",
    "weighted",
)
PRIORS = (None, None, 1e-9, 1e-5, 0.001, 0.02, 0.25, 0.5, 0.9, 0.99)
ALPHAS = (0, 0.1, 0.5, 0.8, 0.999, 1)
ODD_SCORES = (
    0.0,
    1.0,
    0.5,
    2.0**-1074,
    1e-300,
    1e-9,
    2.0**-53,
    1 - 2.0**-53,
    1 - 1e-9,
    0.1,
    0.3,
    1 / 3,
)


def scores(rng, size):
    """Distinct probabilities."""
    kind = rng.random()
    if kind < 0.4:
        return rng.sample([k / 20 for k in range(21)], size)
    if kind < 0.8:
        return [rng.random() for _ in range(size)]
    return rng.sample(ODD_SCORES, size)


def numbers(rng, kind):
    """(positives, negatives) of one cell."""
    if kind == "few positives":
        return int(rng.random() < 0.2), rng.randint(0, 10**5)
    if kind == "huge":
        return rng.choice([0, 1, rng.randint(0, 10 ** rng.randint(1, 15))]), rng.choice(
            [0, 1, rng.randint(0, 10 ** rng.randint(1, 15))]
        )
    if kind == "weighted":
        return rng.choice([0.0, 0.25, 3.5, 1e-6, rng.random()]), rng.choice(
            [0.0, 0.75, 1e6, rng.random()]
        )
    if kind == "tied":
        return rng.randint(1, 30), rng.randint(1, 30)
    return (1, 0) if rng.random() < 0.4 else (0, 1)


def cells(rng, kind):
    """[(score, positives, negatives)] with distinct scores, of both classes."""
    size = 1 if kind == "one score" else rng.randint(2, 8)
    held = [numbers(rng, kind) for _ in range(size)]
    if kind == "one score":
        held = [(rng.randint(1, 9), rng.randint(1, 9))]
    if kind in ("perfect", "reversed", "one positive"):
        cut = 1 if kind == "one positive" else rng.randint(1, size - 1)
        held = [(rng.randint(1, 3), 0)] * cut + [(0, rng.randint(1, 5))] * (size - cut)
        held[0] = (1, 0) if kind == "one positive" else held[0]
    values = sorted(scores(rng, size), reverse=kind != "reversed")
    if kind not in ("perfect", "reversed"):
        rng.shuffle(values)
    found = [(s, *held[i]) for i, s in enumerate(values)]
    for i in (1, 2):
        if not any(cell[i] for cell in found):
            place = i - 1 if size > 1 else 0
            found[place] = (found[place][0], *(1 if j == i else found[place][j] for j in (1, 2)))
    if any(not any(cell[i] for cell in found) for i in (1, 2)):
        return cells(rng, kind)
    return [cell for cell in found if cell[1] or cell[2]]


def counts(held):
    return br.Counts(*(list(column) for column in zip(*held, strict=True)))


def costs(rng):
    """(tp, fp, fn, tn): rewards on the diagonal, misses that cost little and much."""
    tp, tn = (rng.choice([0, 0, -5, 2, -0.25]) for _ in range(2))
    fn, fp = (best + rng.choice([1, 0.5, 5, 100, 12345]) for best in (tp, tn))
    return tp, fp, fn, tn


def at(prior, money=None):
    return br.Conditions(
        prior,
        (
            None
            if money is None
            else br.Costs(**dict(zip(("tp", "fp", "fn", "tn"), money, strict=True)))
        ),
    )


def off(got, exact):
    """The distance of a float from a fraction or a long number."""
    if isinstance(exact, int | float | Fraction):
        return float(abs(Fraction(float(got)) - Fraction(exact)))
    with mpmath().workdps(40):
        return float(abs(mpmath().mpf(float(got)) - exact))


def near(got, exact, ulps, scale=None):
    """Within so many units in the last place of the value, or of the larger terms that it is made
    of.
    """
    return not math.isnan(got) and off(got, exact) <= ulps * math.ulp(
        float(exact if scale is None else scale)
    )
