"""Curves of cost, of probabilities and of decisions, against their definitions in exact
fractions.
"""

import math
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from tests.curves import generated_summaries as generated
from tests.curves import oracle_curves as oracle

import baserate as br
from baserate.curves.named import benefits_at, brier_curve, cost_curve, decision_curve

SETS = 40


@cache
def cases(kind):
    rng = random.Random(f"costs of {kind}")
    return [(generated.cells(rng, kind), rng.choice(generated.PRIORS)) for _ in range(SETS)]


def share(held, prior):
    return oracle.prior_of(held) if prior is None else Fraction(prior)


@pytest.mark.parametrize("kind", generated.KINDS)
def test_the_cost_curve_is_the_lowest_line_of_any_threshold(kind):
    for held, _ in cases(kind):
        counts = generated.counts(held)
        rates = dict(oracle.roc(held))
        curve = br.curve(counts, "cost")
        for e, y, threshold in zip(*(column.tolist() for column in curve), strict=True):
            # Corners are rounded to the last place of 1, and the lines are no steeper than 1.
            assert abs(float(oracle.envelope(rates.values(), e) - Fraction(y))) <= 4 * math.ulp(1)
            mine = oracle.normalized_cost(
                rates[None if math.isnan(threshold) else threshold], Fraction(e)
            )
            assert abs(float(mine - Fraction(y))) <= 4 * math.ulp(1)
        between = [
            (a + b) / 2 for a, b in zip(curve.x[:-1].tolist(), curve.x[1:].tolist(), strict=True)
        ]
        for e in between:
            assert float(oracle.envelope(rates.values(), e)) == pytest.approx(
                float(np.interp(e, curve.x, curve.y)), abs=1e-15
            )
        assert (curve.x[0], curve.y[0], curve.x[-1], curve.y[-1]) == (0, 0, 1, 0)
        assert (np.diff(curve.x) > 0).all()


@pytest.mark.parametrize("kind", generated.KINDS)
def test_the_envelope_of_the_roc_is_that_of_its_hull(kind):
    for held, _ in cases(kind):
        points = br.Points.of(generated.counts(held))
        whole, hull = br.curve(points, "cost"), br.curve(points.hull(), "cost")
        assert np.array_equal(whole.x, hull.x)
        assert np.array_equal(whole.y, hull.y)
        rates = [rate for _, rate in oracle.roc(held)]
        for e in (Fraction(1, 7), Fraction(1, 2), Fraction(9, 10)):
            assert oracle.envelope(rates, e) == oracle.envelope(oracle.hull(rates), e)


@pytest.mark.parametrize("kind", generated.KINDS)
def test_cost_lines_run_from_fpr_to_fnr_with_both_trivial_classifiers(kind):
    for held, _ in cases(kind):
        at_zero, at_one, thresholds = br.curves.cost_lines(generated.counts(held))
        for place, (threshold, (fpr, tpr)) in enumerate(oracle.roc(held)):
            assert generated.near(at_zero[place], fpr, 2)
            assert generated.near(at_one[place], 1 - tpr, 4, 1e-300 if tpr == 1 else None)
            assert threshold is None or thresholds[place] == threshold
        assert (at_zero[0], at_one[0], at_zero[-1], at_one[-1]) == (0, 1, 1, 0)


@pytest.mark.parametrize("kind", generated.KINDS)
def test_the_brier_curve_is_the_loss_of_cutting_at_the_cost_share_and_its_area_the_brier_score(
    kind,
):
    for held, prior in cases(kind):
        p, rates = share(held, prior), dict(oracle.roc(held))
        curve = br.curve(generated.counts(held), "brier", at=br.Conditions(prior))
        for c, y, threshold in zip(*(column.tolist() for column in curve), strict=True):
            exact = oracle.brier_loss(rates[None if math.isnan(threshold) else threshold], p, c)
            assert generated.near(y, exact, 8, 1)
        assert (curve.x[0], curve.x[-1]) == (0, 1)
        assert (np.diff(curve.x) >= 0).all()
        area = math.fsum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2)
        assert generated.near(area, oracle.brier(held, p), 16, 1)


@pytest.mark.parametrize("kind", generated.KINDS)
def test_the_decision_curve_is_net_benefit_at_every_score_below_1(kind):
    for held, prior in cases(kind):
        p, rates = share(held, prior), dict(oracle.roc(held))
        curve = br.curve(
            generated.counts(held), "decision", at=br.Conditions(prior), calibrated_at=prior
        )
        assert curve.x.tolist() == sorted(cell[0] for cell in held if cell[0] < 1)
        for t, y in zip(curve.x.tolist(), curve.y.tolist(), strict=True):
            odds = Fraction(t) / (1 - Fraction(t))
            scale = max(p, (1 - p) * rates[t][0] * odds)
            assert generated.near(y, oracle.net_benefit(rates[t], p, t), 8, scale)
            assert oracle.net_benefit((1, 1), p, t) == p - (1 - p) * odds
            assert oracle.net_benefit((0, 0), p, t) == 0


@pytest.mark.parametrize("curve", [brier_curve, decision_curve])
def test_curves_of_probabilities_refuse_other_scores_and_chosen_totals(curve):
    with pytest.raises(br.InputError, match="BR507: these scores are not probabilities"):
        curve(br.Counts([3, 2], [1, 1], [1, 4]))
    with pytest.raises(br.InputError, match="BR429: probabilities need Counts, got Points"):
        curve(br.Points.from_rates([0.1], [0.6]))
    with pytest.raises(br.InputError, match="BR509"):
        curve(br.count([1, 0, 0], [0.9, 0.5, 0.1], design="case-control"))
    for one_class in (br.Counts([0.5], [1], [0]), br.Counts([0.5], [0], [1])):
        with pytest.raises(br.InputError, match="BR552: no .*nothing is known of them at another"):
            curve(one_class, at=br.Conditions(prior=0.1))
    with pytest.raises(br.InputError, match="BR552: there are no cases"):
        curve(br.Counts.empty())


POSITIVES, NEGATIVES = (
    br.Counts([0.75, 0.5], [1, 3], [0, 0]),
    br.Counts([0.75, 0.5], [0, 0], [1, 3]),
)


def test_curves_of_probabilities_of_one_class_are_read_at_its_own_base_rate():
    assert br.curve(POSITIVES, "decision").y.tolist() == [1, 0.25]
    assert br.curve(NEGATIVES, "decision").y.tolist() == [-1, -0.75]
    for counts in (POSITIVES, NEGATIVES):
        x, y, _ = br.curve(counts, "brier")
        assert np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2) == pytest.approx(br.curves.brier(counts))
        x, y, _ = br.curve(counts, "reliability", bins=4)
        assert (x.tolist(), y.tolist()) == ([0.5, 0.75], [float(counts is POSITIVES)] * 2)


@pytest.mark.parametrize("counts", [POSITIVES, NEGATIVES], ids=["positives", "negatives"])
def test_the_panel_of_a_decision_curve_of_one_class_draws_what_the_curve_says(counts):
    curve = br.curve(counts, "decision")
    line = br.plots.decision_panel(curve).parts[-1]
    assert not np.isnan(line.y).any()
    assert set(curve.y[curve.y > -0.03].round(9)) <= set(np.asarray(line.y).round(9))
    benefit, _ = benefits_at(curve, curve.x)
    assert benefit.tolist() == curve.y.tolist()


@pytest.mark.parametrize("counts", [POSITIVES, NEGATIVES], ids=["positives", "negatives"])
def test_BR552_one_class_has_no_hull(counts):
    for curve in (lambda: br.curve(counts, "roc_hull"), lambda: br.broc(counts)):
        with pytest.raises(br.InputError, match="BR552: a ROC hull needs cases of both classes"):
            curve()
    with pytest.raises(br.InputError, match="BR552: the best recalibration needs cases of both"):
        br.curve(counts, "reliability")
    assert len(br.broc(counts, hull=False)) == len(br.roc(counts))


def test_a_decision_curve_keeps_its_digits_at_a_base_rate_next_to_1():
    counts = br.Counts([0.75, 0.5, 0.25], [5, 3, 2], [1, 4, 5])
    curve = br.curve(counts, "decision", prior="999999/1000000")
    prior = Fraction(999_999, 1_000_000)
    for y, tp, fp, odds in zip(
        curve.y, (10, 8, 5), (10, 5, 1), (Fraction(1, 3), 1, 3), strict=True
    ):
        exact = prior * (Fraction(tp, 10) - Fraction(fp, 10) * odds)
        assert y == pytest.approx(float(exact), rel=4e-16)


@pytest.mark.parametrize("curve", [cost_curve, br.curves.cost_lines])
def test_a_cost_curve_needs_both_classes(curve):
    with pytest.raises(br.InputError, match="BR552: a ROC needs cases of both classes"):
        curve(br.Counts([0.5], [1], [0]))
