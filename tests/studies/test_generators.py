"""The data of the sources, drawn again: seeded, with the means and spreads that are stated, or
fully determined.
"""

import csv
import math

import numpy as np
import pytest
from tests.published import highleyman as independent

import baserate as br
from baserate_studies.generators import (
    DISTANCE,
    OTHER_MODES,
    RADII,
    SETS,
    TARGET_MODES,
    balance_scale,
    highleyman,
    lithuanian,
    multimodal,
    one_attribute,
    ten_records,
    two_gaussians,
)
from baserate_studies.landgrebe.populations import (
    boundaries,
    ldc_fpr,
    ldc_roc,
    qdc_fpr,
    qdc_rates,
    qdc_roc,
    two_gaussians_fpr,
)

MANY = 40_000


@pytest.mark.parametrize("draw", [*SETS.values(), one_attribute])
def test_a_seed_draws_the_same_cases_again_and_another_others(draw):
    first, again, other = draw(30, 20, seed=3), draw(30, 20, seed=3), draw(30, 20, seed=4)
    assert np.array_equal(first.x, again.x)
    assert not np.array_equal(first.x, other.x)
    assert first.target.tolist() == [True] * 30 + [False] * 20


def within(found, expected, deviation, count=MANY):
    return np.all(np.abs(found - expected) < 5 * deviation / math.sqrt(count))


def test_two_gaussians_are_so_far_apart_that_the_least_error_is_15_3_percent():
    drawn = two_gaussians(MANY, MANY, seed=1)
    middle = drawn.x[:, 0] < DISTANCE / 2
    assert np.mean(middle != drawn.target) == pytest.approx(0.153, abs=0.006)
    assert within(drawn.x[drawn.target].mean(axis=0), 0, 1)
    assert within(np.cov(drawn.x[~drawn.target].T), np.eye(2), 1.5)


def test_highleymans_classes_have_their_means_and_variances():
    drawn = highleyman(MANY, MANY, seed=1)
    for rows, (mean, variance) in (
        (drawn.x[drawn.target], independent.TARGET),
        (drawn.x[~drawn.target], independent.OTHER),
    ):
        assert within(rows.mean(axis=0), mean, np.sqrt(variance))
        assert within(rows.var(axis=0), variance, variance * math.sqrt(2))


def test_multimodal_has_two_and_three_modes_of_unit_spread():
    drawn = multimodal(MANY, MANY, seed=1)
    for rows, modes in (
        (drawn.x[drawn.target], TARGET_MODES),
        (drawn.x[~drawn.target], OTHER_MODES),
    ):
        centres = np.array(modes)
        assert within(rows.mean(axis=0), centres.mean(axis=0), 4)
        assert within(rows.var(axis=0), 1 + centres.var(axis=0), 12)


def test_lithuanian_arcs_have_their_radii():
    drawn = lithuanian(MANY, MANY, seed=1)
    for rows, radius in zip((drawn.x[drawn.target], drawn.x[~drawn.target]), RADII, strict=True):
        squares = (rows**2).sum(axis=1)
        assert squares.mean() == pytest.approx(radius**2 + 2, rel=0.01)
        assert abs(rows[:, 1].mean()) < 0.3


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(br.InputError, match="BR580: so many cases, and a seed"):
        highleyman(-1, 3)


def test_ten_records_are_those_of_the_slides():
    records = ten_records()
    assert br.auc(br.count(records.target, records.x[:, 0])) == 0.56
    assert records.target.sum() == 5


def test_the_balance_scale_is_the_set_of_the_repository(shared):
    with open(shared / "uci" / "balance_scale.csv", newline="") as file:
        _, *rows = csv.reader(file)
    scale = balance_scale()
    assert scale.x.tolist() == [[float(cell) for cell in row[:4]] for row in rows]
    assert scale.classes.tolist() == [row[4] for row in rows]


def test_population_values_at_a_recall_of_80_percent():
    """L34, L35: to 1e-6, as found by others before; and by independent formulas."""
    assert two_gaussians_fpr(0.8) == pytest.approx(0.1139702, abs=1e-6)
    assert float(ldc_fpr(0.8)) == pytest.approx(0.2109349, abs=1e-6)
    assert qdc_fpr(0.8) == pytest.approx(1.1396e-5, abs=1e-8)
    grid = np.array([0.1, 0.5, 0.95])
    assert ldc_fpr(grid) == pytest.approx(independent.LDC.fpr(grid), rel=1e-12)
    cuts = np.array([-20.0, 0.0, 3.0, 30.0])
    for ours, theirs in zip(qdc_rates(cuts), independent.qdc_rates(cuts), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_the_population_agrees_with_a_large_draw():
    drawn = highleyman(MANY, MANY, seed=2)
    straight = br.count(drawn.target, drawn.x @ independent.LDC.weights)
    assert br.fix(straight, "tpr = 0.8").interpolated.fpr == pytest.approx(
        float(ldc_fpr(0.8)), abs=0.015
    )
    assert br.fix(
        ldc_roc(), "tpr = 0.8", at=br.Conditions(prior=0.1)
    ).interpolated.fpr == pytest.approx(0.2109349, abs=1e-6)
    assert br.fix(qdc_roc(), "tpr = 0.8", at=br.Conditions(prior=0.1)).interpolated.fpr < 1e-4


def test_boundaries_are_where_the_classes_are_equally_likely():
    for name, pooled in (("LDC", True), ("QDC", False)):
        x, y = boundaries()[name]
        (m1, v1), (m2, v2) = independent.TARGET, independent.OTHER
        if pooled:
            v1 = v2 = (v1 + v2) / 2
        points = np.stack((x, y), axis=1)
        ratio = (
            -((points - m1) ** 2) / (2 * v1)
            - np.log(v1) / 2
            + (points - m2) ** 2 / (2 * v2)
            + np.log(v2) / 2
        ).sum(axis=1)
        assert np.nanmax(np.abs(ratio)) < 1e-9
        assert np.isnan(ratio).sum() == (0 if pooled else 1)
