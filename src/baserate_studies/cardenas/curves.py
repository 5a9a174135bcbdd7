"""Figs 3 to 7: isolines over the ROC of a detector, the B-ROC, where the ROC's edges go, and why
only hulls are mapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

import baserate as br
from baserate_studies import drawings
from baserate_studies.cardenas.rates import IDS, PRIORS, at, read
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, stated, unavailable
from baserate_studies.values import Picture

UNPUBLISHED = "the ROC of the paper's detector was not published"
CELLS = ((5, 3, 1), (4, 1, 0), (3, 2, 4), (2, 0, 5), (1, 4, 20))
RANDOM = 398


def intrusion() -> br.Points:
    """A stand-in for the ROC of Fig 3: concave, steep at the origin, with few false alarms."""
    fpr = np.concatenate(([0.0], np.geomspace(1e-6, 1e-3, 25), [1.0]))
    return br.Points.from_rates(
        fpr, np.concatenate(([0.0], 0.25 + 0.55 * np.linspace(0, 1, 25) ** 0.6, [1.0]))
    )


def empirical() -> br.Counts:
    """A ROC that is not concave, as in Fig 6."""
    return br.Counts([5, 4, 3, 2, 1], [30, 20, 20, 20, 10], [2, 30, 3, 40, 225])


def claims() -> Iterator[Claim]:
    """C15 to C22."""
    yield from _detector()
    yield from _definition()
    yield from _mapping()
    yield from _limit()
    yield from _hulls()


def _detector() -> Iterator[Claim]:
    roc = intrusion()
    readings = [
        br.fix(roc, f"precision = {value}", at=at(IDS)).interpolated for value in (0.9, 0.5, 0.2)
    ]
    found = "; ".join(
        f"PPV {point.precision:g} at P_FA {point.fpr:.2g}, P_D {point.tpr:.3f}"
        for point in readings
    )
    yield unavailable(
        "fig-3",
        "C15",
        "isolines over the ROC of an IDS",
        UNPUBLISHED,
        note=f"a stand-in is drawn; on it {found}",
    )
    least = br.curves.isoline("npv", at(IDS), tangent=1).value
    needed = [br.curves.isoline("npv", at(IDS), value=value).tangent for value in (0.9998, 0.99975)]
    yield stated(
        "npv-of-interest",
        "C16",
        "values that Fig 3 makes one ask about",
        f"at p = 6.52e-5 guessing already has NPV {least:.7f}",
        holds=least <= 0.99975,
        errata="B15",
        note=(
            f"they lie at tan φ = {needed[0]:.2f} and {needed[1]:.2f}, worse than guessing; base"
            " rates of 2e-4 and 2.5e-4 would be needed"
        ),
    )
    ends = [(p_fa, float(np.interp(p_fa, roc.fpr, roc.tpr))) for p_fa in (1e-6, 1e-3)]
    spans = {
        word: abs(read(word, *ends[0], IDS) - read(word, *ends[1], IDS)) for word in ("PPV", "NPV")
    }
    words = f"from P_FA 1e-6 to 1e-3 PPV moves by {spans['PPV']:.2f} and NPV by {spans['NPV']:.1g}"
    yield stated(
        "p-d-and-ppv",
        "C17",
        "the pair with a range one understands",
        words,
        holds=spans["PPV"] > 0.5 and spans["NPV"] < 1e-4,
        note=(
            "taken as a range one understands: PPV moves by over .5, NPV by less than 1e-4; of the"
            " stand-in"
        ),
    )
    b_fa = read("B_FA", *ends[1], IDS)
    words = f"P_FA 0 … 1e-3 becomes B_FA 0 … {b_fa:.2f}"
    yield stated(
        "fig-4-axis",
        "C19",
        "[0, 1e-3] becomes [0, 1]",
        words,
        holds=b_fa > 0.9,
        note=f"taken as up to 1: over .9; of the stand-in; {UNPUBLISHED}",
    )


def _definition() -> Iterator[Claim]:
    counts = br.Counts(*zip(*CELLS, strict=True))
    points = br.Points.of(counts)
    rates = [
        (Fraction(int(fp), 30), Fraction(int(tp), 10))
        for tp, fp in zip(points.tp[1:], points.fp[1:], strict=True)
    ]
    for prior in PRIORS:
        p = Fraction(prior)
        theirs = [(1 - p) * fpr / (p * tpr + (1 - p) * fpr) for fpr, tpr in rates]
        curve = br.broc(counts, at=at(prior), hull=False, every=True)
        yield formula(
            f"b-fa-at-p-{prior:g}",
            "C18",
            theirs,
            curve.x[1:],
            nearly=True,
            note="1 − PPV at each of five thresholds of 10 positives and 30 negatives",
        )


def _mapping() -> Iterator[Claim]:
    grid, p = np.linspace(0.05, 1, 20), 1 - Fraction(IDS)
    left = br.curves.to_broc(np.zeros(20), grid, at(IDS))[0]
    yield formula(
        "fig-5-no-false-alarm",
        "C20",
        (0, 0),
        (left.min(), left.max()),
        nearly=True,
        note="least and most B_FA along the edge",
    )
    top = br.curves.to_broc(np.concatenate(([0.0], grid)), np.ones(21), at(IDS))[0]
    yield formula(
        "fig-5-all-found",
        "C20",
        (0, p),
        (top.min(), top.max()),
        nearly=True,
        note="least and most B_FA along the edge; 1 − p is the most",
    )
    diagonal = br.curves.to_broc(grid, grid, at(IDS))[0]
    yield formula(
        "fig-5-guessing",
        "C20",
        (p, p),
        (diagonal.min(), diagonal.max()),
        nearly=True,
        note="least and most B_FA along the diagonal",
    )


def _limit() -> Iterator[Claim]:
    concave = br.Points.from_rates([0.1, 0.5], [0.5, 0.9])
    for prior in (0.01, IDS):
        p = Fraction(prior)
        value = (1 - p) / (p * (5 - 1) + 1)
        yield formula(
            f"b-fa-limit-at-p-{prior:g}",
            "C21",
            value,
            br.broc(concave, at=at(prior)).x[0],
            nearly=True,
            note="on a ROC whose slope f′(0⁺) is 5",
        )
    dense = br.broc(concave, at=at(0.01)).densified(64)
    places = dense.x[dense.y <= 0.5]
    note = (
        "the first segment of a hull goes straight up at the limit, so that P_D is no function of"
        " B_FA there"
    )
    words = f"{len(places)} values of P_D from 0 to .5 at the one B_FA {places[0]:.6f}"
    yield stated(
        "a-function",
        "C21 C22",
        "a well defined function",
        words,
        holds=float(np.ptp(places)) > 1e-12,
        errata="B18",
        note=note,
    )


def monotone(seed: int = 22) -> tuple[int, int]:
    """Of random ROCs, how many have a B-ROC that nowhere turns back: as they are, and by their
    hulls?
    """
    rng = np.random.default_rng(seed)
    raw = hulls = 0
    for _ in range(RANDOM):
        points = br.Points.from_rates(np.sort(rng.random(6)), np.sort(rng.random(6)))
        raw += bool((np.diff(br.broc(points, at=at(0.01), hull=False).x) >= 0).all())
        hulls += bool((np.diff(br.broc(points, at=at(0.01)).x) >= -1e-15).all())
    return raw, hulls


def _hulls() -> Iterator[Claim]:
    raw, hulls = monotone()
    note = (
        f"{RANDOM} random ROCs of six points, p = .01, seed 22; as they are, {RANDOM - raw} of"
        f" {RANDOM} turn back"
    )
    yield stated(
        "figs-6-and-7-hulls",
        "C22",
        "the B-ROC of a concave ROC never falls",
        f"{hulls} of {RANDOM} never do",
        holds=hulls == RANDOM,
        note=note,
    )
    words = f"{RANDOM - raw} of {RANDOM} turn back"
    yield stated(
        "figs-6-and-7-as-measured",
        "C22",
        "without the hull it can turn back",
        words,
        holds=raw < RANDOM,
    )
    yield unavailable(
        "fig-6",
        "C22",
        "an empirical ROC and its hull",
        UNPUBLISHED,
        note="another that is not concave is drawn",
    )


def pictures() -> Iterator[Picture]:
    """Figs 3 to 7."""
    lines = [
        br.curves.isoline("precision", at(IDS), value=value) for value in (0.9, 0.5, 0.2, 0.05)
    ]
    lines += [br.curves.isoline("npv", at(IDS), value=value) for value in (0.99996, 0.99998)]
    panel = br.plots.roc_panel(
        {"detector": br.roc(intrusion())},
        isolines=lines,
        chance=False,
        title=f"Isolines at p = {IDS:g}",
    )
    words = (
        "Fig 3: four variables over the ROC of a detector, false alarms on a logarithmic axis. A"
        " stand-in: the paper's has no data."
    )
    yield Picture("fig-3", ("C15", "C16", "C17"), words, panel, ("fig-3", "npv-of", "p-d-and"))
    curves = br.curve(intrusion(), "broc", at=[at(p) for p in (1e-3, IDS, 1e-5)])
    family = list(curves.values())
    words = "Fig 4: the B-ROC of the ROC in Fig 3, at the paper's base rate and at two others."
    yield Picture(
        "fig-4",
        ("C18", "C19", "C24"),
        words,
        br.plots.curve_panel(family),
        ("fig-4", "b-fa-at", "a-range"),
    )
    words = (
        "Fig 5: where the edges and the diagonal of the ROC go, at a base rate of .1; faint lines"
        " are one P_D."
    )
    yield Picture(
        "fig-5",
        ("C20",),
        words,
        drawings.broc_mapping_figure(at(0.1), br.curve(intrusion(), "roc_hull")),
    )
    counts = empirical()
    roc = br.plots.roc_panel(
        {"ROC₁, hull": br.curve(counts, "roc_hull"), "ROC₂, as measured": br.roc(counts)}
    )
    broc = br.plots.curve_panel(
        {
            "hull": br.broc(counts, at=at(0.05)),
            "as measured": br.broc(counts, at=at(0.05), hull=False),
        }
    )
    words = (
        "Figs 6 and 7: a ROC that is not concave, its hull, and the B-ROC of each at p = .05: only"
        " that of the hull never turns back."
    )
    yield Picture(
        "fig-6-7",
        ("C21", "C22"),
        words,
        br.plots.Figure("An empirical ROC and its hull", (roc, broc)),
        ("fig-6", "figs-6", "b-fa-limit", "a-function"),
    )
