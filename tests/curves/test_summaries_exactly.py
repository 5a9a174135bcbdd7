"""Every summary against its definition in exact arithmetic, on 2,250 sets that are meant to break
it; none may differ.

Sums of positive terms are held to a few units in their own last place. Where a definition takes a
difference (of rates, of losses), the units are those of the larger terms, as no float is nearer;
what needs quadrature or a logarithm is held to 1e-12.
"""

import math
import random
from functools import cache
from typing import Any, NamedTuple

import pytest
from tests.curves import generated_summaries as generated
from tests.curves import oracle_summaries as oracle
from tests.strategies import LONG

import baserate as br

SETS, HARD = 250, 60 if LONG else 20
BANDS = [(0, 1e-6), (0, 0.1), (0.1, 0.3), (0.25, 0.9), (0.5, 1), (0.9, 1), (0, 1)]
STRIPS = (1, 2, 3, 10, 17)


class Case(NamedTuple):
    cells: tuple
    counts: Any
    points: list
    prior: float | None
    alpha: float
    strips: int
    band: tuple
    costs: tuple
    calibrated_at: float | None
    severity: float

    @property
    def at(self):
        return br.Conditions(self.prior)

    @property
    def forecast(self):
        return forecast(self.cells, self.prior, self.calibrated_at)

    @property
    def raw(self):
        return forecast(self.cells, self.prior, None)

    @property
    def share(self):
        return float(1 / (1 + oracle.odds_against(self.cells, self.prior)))

    @property
    def scored(self):
        return {"at": self.at, "calibrated_at": self.calibrated_at}


@cache
def cases(kind):
    rng = random.Random(kind)
    found = []
    for _ in range(SETS):
        held = tuple(generated.cells(rng, kind))
        drawn = [
            rng.choice(values) for values in (generated.PRIORS, generated.ALPHAS, STRIPS, BANDS)
        ]
        found.append(
            Case(
                held,
                generated.counts(held),
                oracle.roc(held),
                *drawn,
                generated.costs(rng),
                rng.choice([0.5, 0.01, 0.3, 0.9]),
                rng.choice([0.1, 1, 7]),
            )
        )
    return found


def one(_):
    return 1


@cache
def forecast(*asked):
    return tuple(oracle.forecast(*asked))


decomposition = cache(oracle.decomposition)


def decomposed(case, part):
    return decomposition(case.forecast)[part]


# name: (what baserate says, what is true, units in the last place, the size of the larger terms:
# None is the value itself)
EXACT = {
    "auc": (lambda c: br.auc(c.counts), lambda c: oracle.auc(c.cells), 4, None),
    "gini": (lambda c: br.curves.gini(c.counts), lambda c: 2 * oracle.auc(c.cells) - 1, 4, one),
    "ks": (lambda c: br.curves.ks(c.counts), lambda c: oracle.ks(c.cells), 1, one),
    "partial fpr": (
        lambda c: br.curves.partial_auc(c.counts, fpr=c.band),
        lambda c: oracle.partial_area(c.points, c.band, "fpr"),
        4,
        lambda c: c.band[1],
    ),
    "partial tpr": (
        lambda c: br.curves.partial_auc(c.counts, tpr=c.band),
        lambda c: oracle.partial_area(c.points, c.band, "tpr"),
        4,
        lambda c: c.band[1],
    ),
    # A band's area is told from guessing's by a triangle: its width, squared, divides.
    "mcclish fpr": (
        lambda c: br.curves.partial_auc(c.counts, fpr=c.band, standardized=True),
        lambda c: oracle.mcclish(oracle.partial_area(c.points, c.band, "fpr"), c.band, "fpr"),
        16,
        lambda c: c.band[1] / ((c.band[1] - c.band[0]) * (1 - (c.band[0] + c.band[1]) / 2)),
    ),
    "mcclish tpr": (
        lambda c: br.curves.partial_auc(c.counts, tpr=c.band, standardized=True),
        lambda c: oracle.mcclish(oracle.partial_area(c.points, c.band, "tpr"), c.band, "tpr"),
        16,
        lambda c: c.band[1] / ((c.band[1] - c.band[0]) * (c.band[0] + c.band[1]) / 2),
    ),
    # Where a strip begins is a rounded tpr, and all weight may lie on the last of K.
    "strips": (
        lambda c: br.curves.weighted_auc(c.counts, alpha=c.alpha, strips=c.strips),
        lambda c: oracle.strips(c.points, c.alpha, c.strips),
        4,
        lambda c: c.strips,
    ),
    "segments": (
        lambda c: br.curves.weighted_auc(c.counts, alpha=c.alpha, strips="segments"),
        lambda c: oracle.segments(c.points, c.alpha),
        4,
        lambda c: len(c.cells),
    ),
    "average_precision": (
        lambda c: br.curves.average_precision(c.counts, at=c.at),
        lambda c: oracle.average_precision(c.cells, c.prior),
        8,
        None,
    ),
    # The envelope is a difference of slopes; its corners are rounded to the last place of 1.
    "cost_area": (
        lambda c: br.curves.cost_area(c.counts),
        lambda c: oracle.cost_area(c.cells),
        4,
        one,
    ),
    "weighted_cost_area": (
        lambda c: br.curves.weighted_cost_area(c.counts, alpha=c.alpha, strips=c.strips),
        lambda c: oracle.weighted_cost_area(c.cells, c.alpha, c.strips),
        4,
        lambda c: c.strips,
    ),
    "min_cost": (
        lambda c: br.curves.min_cost(c.counts, at=generated.at(c.prior, c.costs)),
        lambda c: oracle.min_cost(c.cells, c.prior, c.costs),
        4,
        None,
    ),
    "brier raw": (
        lambda c: br.curves.brier(c.counts, at=c.at),
        lambda c: oracle.brier(c.raw),
        8,
        None,
    ),
    # Of corrected scores 1 − score is a difference, but its square is small wherever that shows.
    "brier corrected": (
        lambda c: br.curves.brier(c.counts, **c.scored),
        lambda c: oracle.brier(c.forecast),
        8,
        one,
    ),
    "miscalibration": (
        lambda c: br.curves.brier_decomposition(c.counts, **c.scored).miscalibration,
        lambda c: decomposed(c, 1),
        8,
        one,
    ),
    "discrimination": (
        lambda c: br.curves.brier_decomposition(c.counts, **c.scored).discrimination,
        lambda c: decomposed(c, 2),
        8,
        lambda c: min(c.share, 1 - c.share),
    ),
    "uncertainty": (
        lambda c: br.curves.brier_decomposition(c.counts, **c.scored).uncertainty,
        lambda c: decomposed(c, 3),
        8,
        None,
    ),
    "calibration_error": (
        lambda c: br.curves.calibration_error(c.counts, **c.scored),
        lambda c: oracle.calibration_error(c.forecast),
        8,
        one,
    ),
    "calibration_error bins": (
        lambda c: br.curves.calibration_error(c.counts, at=c.at, bins=8),
        lambda c: oracle.calibration_error(c.raw, 8),
        8,
        one,
    ),
}


def mismatch(name, case):
    said, true, ulps, scale = EXACT[name]
    got, exact = said(case), true(case)
    if generated.near(got, exact, ulps, None if scale is None else scale(case)):
        return None
    return case.cells, case[3:], got, float(exact)


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", EXACT)
def test_no_summary_differs_from_its_definition(name, kind):
    assert not [wrong for case in cases(kind) if (wrong := mismatch(name, case))]


@pytest.mark.parametrize("kind", [kind for kind in generated.KINDS if kind != "weighted"])
def test_auc_and_ks_of_counts_are_rounded_once(kind):
    for case in cases(kind):
        assert br.auc(case.counts) == float(oracle.auc(case.cells))
        assert br.curves.ks(case.counts) == float(oracle.ks(case.cells))


# name: (what baserate says, what is true, absolute error allowed beside 1e-12 of the value)
QUADRATURE = {
    # Close to α = 1 the mass on the curve is a difference of two ones.
    "continuous": (
        lambda c: br.curves.weighted_auc(c.counts, alpha=c.alpha, strips="continuous"),
        lambda c: oracle.continuous(c.points, c.alpha),
        1e-13,
    ),
    "auprc": (
        lambda c: br.curves.auprc(c.counts, at=c.at),
        lambda c: oracle.pr_area(c.cells, c.prior),
        0,
    ),
    "weighted_pr_area": (
        lambda c: br.curves.weighted_pr_area(c.counts, alpha=c.alpha, strips=c.strips, at=c.at),
        lambda c: oracle.weighted_pr_area(c.cells, c.alpha, c.strips, c.prior),
        1e-14,
    ),
    # The oracle's 1 − L / L_ref is a difference; without skill it is 0.
    "h_measure 2014": (
        lambda c: br.curves.h_measure(c.counts, at=c.at),
        lambda c: oracle.h_measure(c.cells, (1 + c.share, 2 - c.share), c.prior),
        1e-12,
    ),
    "h_measure 2009": (
        lambda c: br.curves.h_measure(c.counts, at=c.at, prior="hand-2009"),
        lambda c: oracle.h_measure(c.cells, (2, 2), c.prior),
        1e-12,
    ),
    "h_measure severity": (
        lambda c: br.curves.h_measure(c.counts, at=c.at, severity_ratio=c.severity),
        lambda c: oracle.h_measure(c.cells, (2, 1 + 1 / c.severity), c.prior),
        1e-12,
    ),
    "log_loss raw": (
        lambda c: br.curves.log_loss(c.counts, at=c.at),
        lambda c: oracle.log_loss(c.raw),
        1e-300,
    ),
    "log_loss corrected": (
        lambda c: br.curves.log_loss(c.counts, **c.scored),
        lambda c: oracle.log_loss(c.forecast),
        1e-15,
    ),
}


def apart(name, case):
    said, true, absolute = QUADRATURE[name]
    got, exact = said(case), true(case)
    if exact is None or math.isnan(got):
        return (
            None
            if exact is None and isinstance(got, br.types.Undefined)
            else (case.cells, case[3:], got, exact)
        )
    close = generated.off(got, exact) <= absolute + 1e-12 * abs(exact)
    return None if close else (case.cells, case[3:], got, float(exact))


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", QUADRATURE)
def test_no_area_differs_from_its_quadrature(name, kind):
    assert not [wrong for case in cases(kind)[:HARD] if (wrong := apart(name, case))]


def test_so_many_sets_are_looked_at():
    assert sum(len(cases(kind)) for kind in generated.KINDS) >= 2000


@pytest.mark.parametrize(
    ("cells", "prior"),
    [
        (
            [(2, 10**8, 5), (1, 1, 0)],
            1e-9,
        ),  # one positive more changes what is flagged by less than the last place
        (
            [(3, 1e-6, 0.0), (2, 0.25, 1e6), (1, 0.5927509946728576, 0.9010578302787642)],
            None,
        ),  # a steep edge that starts at precision 1
    ],
)
def test_the_area_under_precision_and_recall_survives_edges_that_floats_can_hardly_see(
    cells, prior
):
    got = br.curves.auprc(generated.counts(cells), at=br.Conditions(prior))
    assert got == pytest.approx(float(oracle.pr_area(cells, prior)), rel=1e-12, abs=0)
