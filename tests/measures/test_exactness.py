"""Every measure against its textbook definition in exact arithmetic: one point is rounded once, a
curve to four units in the last place.
"""

import math
import random

import mpmath
import numpy as np
import pytest
from tests.measures import generated
from tests.measures.oracle_measures import IRRATIONAL, ORACLE, RATIONAL, Case, scale, value
from tests.oracle import in_cells

import baserate as br
from baserate.measures.confusion import measure_along
from baserate.measures.registry import CATALOGUE

BATCHES, CASES, MEASURES = 20, 1000, 10
CURVES = 150


def named(name, rng):
    parameters = generated.parameters(name, rng)
    return br.Measure(name, tuple(parameters.items())), parameters


def conditions(prior, costs):
    return br.Conditions(prior, br.Costs(**dict(zip(generated.COSTS, costs, strict=True))))


def off_by(got, exact, unit):
    """The distance in units in the last place of `unit`."""
    with mpmath.workdps(50):
        exact = (
            exact
            if isinstance(exact, mpmath.mpf)
            else mpmath.mpf(exact.numerator) / exact.denominator
        )
        return float(abs(mpmath.mpf(got) - exact) / math.ulp(float(unit)))


def agrees(name, got, exact):
    if exact is None or math.isnan(got):
        return exact is None and isinstance(got, br.types.Undefined)
    return off_by(got, exact, got) <= 4 if name in IRRATIONAL else got == float(exact)


def test_every_measure_has_an_oracle_and_every_oracle_a_measure():
    assert set(ORACLE) == set(CATALOGUE)
    assert not set(RATIONAL) & set(IRRATIONAL)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_one_point_is_the_exact_value_rounded_once(batch):
    rng = random.Random(batch)
    names, mismatches, turn = sorted(CATALOGUE), [], 0
    for _ in range(CASES):
        counted, prior, costs = generated.confusion(rng), generated.prior(rng), generated.costs(rng)
        case, confusion, at = (
            Case.of(counted, prior, costs),
            br.Confusion(**in_cells(*counted)),
            conditions(prior, costs),
        )
        for _ in range(MEASURES):
            name, turn = names[turn % len(names)], turn + 1
            measure, parameters = named(name, rng)
            got, exact = br.measure(confusion, measure, at=at), value(name, case, **parameters)
            if not agrees(name, got, exact):
                mismatches.append((str(measure), counted, prior, costs, got, exact))
    assert not mismatches
    assert turn >= 100 * len(names)


def random_points(rng):
    """The points of up to nine cells; few cases, or so many that floats no longer hold their
    products.
    """
    most = rng.choice([2, 5, 1000, 10**9])
    cells = rng.randint(1, 9)
    positives, negatives = (
        [rng.choice([0, rng.randint(0, most)]) for _ in range(cells)] for _ in range(2)
    )
    return br.Points.of(br.Counts(np.arange(cells) / 8, positives, negatives))


def curve_mismatches(name, rng):
    points, prior, costs = random_points(rng), generated.prior(rng), generated.costs(rng)
    measure, parameters = named(name, rng)
    for place, got in enumerate(measure_along(measure, points, conditions(prior, costs)).tolist()):
        case = Case.of(points.counted(place), prior, costs)
        exact = value(name, case, **parameters)
        if exact is None or math.isnan(got):
            wrong = exact is not None or not math.isnan(got)
        else:
            wrong = off_by(got, exact, scale(name, case, **parameters)) > 4
        if wrong:
            yield (
                str(measure),
                points.counted(place),
                prior,
                costs,
                got,
                None if exact is None else float(exact),
            )


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_a_curve_is_right_to_four_units_of_its_largest_term(name):
    rng = random.Random(name)
    assert not [wrong for _ in range(CURVES) for wrong in curve_mismatches(name, rng)]


def test_along_a_curve_net_benefit_at_certainty_is_undefined():
    points = br.Points.of(br.Counts([0.5, 0.1], [1, 1], [0, 2]))
    assert np.isnan(
        measure_along(br.Measure("net_benefit", (("t", 1.0),)), points, br.Conditions())
    ).all()


def test_a_huge_beta_is_recall_along_a_curve_as_at_a_point():
    points = br.Points.of(br.Counts([0.5, 0.1], [1, 1], [0, 2]))
    assert measure_along(
        br.Measure("f_beta", (("beta", 1e200),)), points, br.Conditions()
    ).tolist() == [
        0.0,
        0.5,
        1.0,
    ]


def test_extreme_priors_leave_no_measure_without_a_finite_value():
    confusion = br.Confusion(tp=30, fp=20, fn=10, tn=40)
    for prior in (1e-30, 1 - 2**-53):
        at = br.Conditions(prior)
        case = Case.of(tuple(confusion), prior, (0, 1, 1, 0))
        for name in sorted(set(CATALOGUE) - {"f_beta", "weighted_accuracy", *generated.VOLUME}):
            assert agrees(name, br.measure(confusion, name, at=at), value(name, case)), (
                name,
                prior,
            )
