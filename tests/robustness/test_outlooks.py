"""`expect_curve`: a curve while the base rate is not known exactly."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

import baserate as br
from baserate.inference.expectation import expect_curve

COUNTS = br.Counts([4, 3, 2, 1], positives=[30, 15, 4, 1], negatives=[2, 10, 190, 4800])
PLACES = [0.2, 0.6, 0.75, 0.9, 1.0]
DAYS = br.LogUniform(1e-4, 1e-2)


def roc_at(tpr):
    """The lowest fpr that reaches a recall, on the straight edges of the ROC, point by point."""
    points = [(0, 0), (2 / 5002, 0.6), (12 / 5002, 0.9), (202 / 5002, 0.98), (1.0, 1.0)]
    for (f0, t0), (f1, t1) in pairwise(points):
        if t0 < tpr <= t1:
            return f0 + (f1 - f0) * (tpr - t0) / (t1 - t0)
    raise AssertionError(tpr)


def averaged(value):
    """By adaptive quadrature on the log scale."""
    found, _ = integrate.quad(
        lambda u: value(np.exp(u)) / np.log(100),
        np.log(1e-4),
        np.log(1e-2),
        epsabs=1e-13,
        epsrel=1e-13,
    )
    return found


NAIVE = {
    "pr": lambda p, t, f: p * t / (p * t + (1 - p) * f),
    "broc": lambda p, t, f: (1 - p) * f / (p * t + (1 - p) * f),
    "posfrac": lambda p, t, f: p * t + (1 - p) * f,
}


@pytest.mark.parametrize("name", NAIVE)
def test_an_unknown_base_rate_gives_the_average_to_a_known_error(name):
    found = expect_curve(COUNTS, name, at=br.Conditions(prior=DAYS), kind="unknown", x=PLACES)
    truth = [averaged(lambda p, t=t: NAIVE[name](p, t, roc_at(t))) for t in PLACES]
    assert found.y == pytest.approx(truth, abs=1e-10)
    assert found.error <= 1e-10
    tails = [br.Conditions(prior=float(DAYS.quantile(share))).prior for share in (0.025, 0.975)]
    ends = [[NAIVE[name](p, t, roc_at(t)) for t in PLACES] for p in tails]
    assert found.low == pytest.approx(np.min(ends, axis=0), rel=1e-9)
    assert found.high == pytest.approx(np.max(ends, axis=0), rel=1e-9)


@pytest.mark.parametrize("name", NAIVE)
def test_a_varying_base_rate_gives_the_long_run_value(name):
    found = expect_curve(COUNTS, name, at=br.Conditions(prior=DAYS), kind="varying", x=PLACES)
    mean = averaged(lambda p: p)
    assert found.y == pytest.approx([NAIVE[name](mean, t, roc_at(t)) for t in PLACES], abs=1e-10)


@pytest.mark.parametrize("kind", ["unknown", "varying"])
def test_gains_along_a_share_that_stays(kind):
    """Each day the same share is flagged, so the threshold moves; in the long run every positive
    counts once.
    """
    draws = [1e-4, 1e-3, 2e-2]
    found = {
        curve: expect_curve(
            COUNTS, curve, at=br.Conditions(prior=draws), kind=kind, x=[0.001, 0.05]
        )
        for curve in ("gain", "lift")
    }
    days = np.array(
        [
            br.curves.band(
                COUNTS, "gain", at=br.Conditions(prior=p), x=[0.001, 0.05], replicates=100
            ).y
            for p in draws
        ]
    )
    weights = np.array(draws) if kind == "varying" else np.ones(3)
    assert found["gain"].y == pytest.approx(weights @ days / weights.sum(), rel=1e-12)
    assert found["lift"].y == pytest.approx(
        weights @ days / weights.sum() / [0.001, 0.05], rel=1e-12
    )


def test_over_a_range_there_is_no_average_and_the_ends_decide():
    found = expect_curve(COUNTS, br.pr, at=br.Conditions(prior="1e-4..1e-2"), x=PLACES)
    lows, highs = ([NAIVE["pr"](p, t, roc_at(t)) for t in PLACES] for p in (1e-4, 1e-2))
    assert np.isnan(found.y).all()
    assert found.low == pytest.approx(lows, rel=1e-12)
    assert found.high == pytest.approx(highs, rel=1e-12)
    assert found.worst == pytest.approx(found.low, rel=1e-12)
    false = expect_curve(COUNTS, br.broc, at=br.Conditions(prior="1e-4..1e-2"), x=PLACES)
    assert false.worst == pytest.approx(1 - np.array(lows), rel=1e-12)
    assert false.best == pytest.approx(1 - np.array(highs), rel=1e-12)


def test_every_base_rate_of_the_range_lies_between_worst_and_best():
    found = expect_curve(COUNTS, "lift", at=br.Conditions(prior="1e-4..0.2"), x=[0.001, 0.01, 0.1])
    for prior in np.geomspace(1e-4, 0.2, 57):
        there = br.curves.band(
            COUNTS,
            "lift",
            at=br.Conditions(prior=float(prior)),
            x=[0.001, 0.01, 0.1],
            replicates=100,
        ).y
        assert (found.worst <= there * (1 + 1e-3)).all()
        assert (found.best >= there * (1 - 1e-3)).all()


def test_a_distribution_without_ends_has_no_worst_and_best():
    found = expect_curve(
        COUNTS, br.pr, at=br.Conditions(prior=br.Pilot(5, 5000)), kind="unknown", x=[0.5]
    )
    assert np.isnan(found.worst).all()
    assert np.isnan(found.best).all()
    assert found.low < found.y < found.high


def test_it_reads_like_a_table_and_says_what_it_assumes():
    found = expect_curve(COUNTS, br.pr, at=br.Conditions(prior="1e-4..1e-2"))
    assert (
        repr(found)
        == "Outlook pr: precision along tpr, 100 places, 95 %; at base rates from 0.01% to 1%"
    )
    assert list(found.to_dict()) == ["tpr", "precision", "low", "high", "worst", "best"]
    assert any(note.code == "BR526" for note in found.notes)


@pytest.mark.parametrize(
    ("code", "match", "call"),
    [
        (
            "BR519",
            "these conditions are exact, so there is nothing to average",
            lambda: expect_curve(COUNTS, br.pr, at=br.Conditions(prior=0.1)),
        ),
        (
            "BR531",
            r"a ROC does not depend on it\. Fix: one of pr, broc, posfrac, gain, lift\.",
            lambda: expect_curve(COUNTS, br.roc, at=br.Conditions(prior="0.1..0.2")),
        ),
        (
            "BR588",
            "the base rate is known",
            lambda: expect_curve(
                COUNTS, br.pr, at=br.Conditions(prior=0.1, costs={"fn": br.Range(1, 2)})
            ),
        ),
        (
            "BR588",
            "is the base rate unknown, or does it vary",
            lambda: expect_curve(COUNTS, br.pr, at=br.Conditions(prior=DAYS)),
        ),
        (
            "BR588",
            'kind is "unknown" or "varying"',
            lambda: expect_curve(COUNTS, br.pr, at=br.Conditions(prior=DAYS), kind="odd"),
        ),
        (
            "BR552",
            "both classes",
            lambda: expect_curve(
                br.count([0, 0], [1, 2], pos_label=1), br.pr, at=br.Conditions(prior="0.1..0.2")
            ),
        ),
        (
            "BR573",
            "between 0 and 1",
            lambda: expect_curve(COUNTS, br.pr, at=br.Conditions(prior="0.1..0.2"), x=[2]),
        ),
    ],
)
def test_what_has_no_outlook_is_refused(code, match, call):
    with pytest.raises(br.InputError, match=match) as error:
        call()
    assert error.value.problems[0].code == code
