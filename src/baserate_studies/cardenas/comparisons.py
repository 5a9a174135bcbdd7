"""Figs 8 and 9: two classifiers that cross, compared at the base rate of interest; and what a B-ROC
has over precision and recall.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

import baserate as br
from baserate_studies.cardenas.curves import CELLS, intrusion
from baserate_studies.cardenas.rates import IDS, at
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, stated, unavailable
from baserate_studies.values import Picture

PRIORS = (1e-2, 1e-3, IDS, 1e-6)
ACCEPTED = 0.5


class Order(NamedTuple):
    """At fixed P_D, how often the order by B_FA at a base rate was that by P_FA; and the P_D at
    which the hulls cross.
    """

    same: int
    checked: int
    crossings: tuple[float, ...]


def pair() -> dict[str, br.Points]:
    """Two detectors that cross, as in Fig 8: one with hardly a false alarm, the other finding more
    in the end.
    """
    early = br.Points.from_rates([1e-5, 1e-4, 0.05], [0.45, 0.6, 0.8])
    late = br.Points.from_rates([5e-5, 5e-4, 0.01], [0.3, 0.75, 0.95])
    return {"early": early, "late": late}


def ordered(models: Mapping[str, br.Counts | br.Points], levels: int = 50) -> Order:
    """Is the order of two hulls at each P_D that of their ROCs, at every base rate?"""
    first, second = (br.Points.of(model).hull() for model in models.values())
    same = checked = 0
    for p_d in np.linspace(0.01, 0.99, levels):
        rates = [float(np.interp(p_d, points.tpr, points.fpr)) for points in (first, second)]
        for prior in PRIORS:
            b_fa = br.curves.to_broc(rates, [p_d, p_d], at(prior))[0]
            # What is closer than floats tell apart is not called an order.
            if abs(b_fa[0] - b_fa[1]) > 1e-12:
                same, checked = same + ((rates[0] < rates[1]) == (b_fa[0] < b_fa[1])), checked + 1
    return Order(
        same,
        checked,
        tuple(crossing.tpr for crossing in br.curves.superiority(first, second).crossings),
    )


def order(models: Mapping[str, br.Counts | br.Points], name: str) -> Claim:
    """What the B-ROCs of a pair do not settle: which of the two lies above."""
    found = ordered(models)
    places = ", ".join(f"{p_d:.3f}" for p_d in found.crossings)
    return stated(
        name,
        "C23",
        "where ROCs cross, B-ROCs give a better comparison",
        f"hulls cross at P_D {places}; at fixed P_D the order by B_FA is that by P_FA in"
        f" {found.same} of {found.checked} checks at four p",
        holds=found.same < found.checked,
        errata="B17",
        note="B_FA rises with P_FA at fixed P_D, so no base rate changes which curve lies above",
    )


def within(models: Mapping[str, br.Counts | br.Points], name: str) -> Claim:
    """What they do settle: who finds more with no more than a share of false alarms that one
    accepts.
    """
    leads = [
        lead
        for lead in br.robustness.best_recall(models, fdr=ACCEPTED).leads
        if len(lead.models) == 1
    ]
    words = "; ".join(
        f"{lead.models[0]} from p = {lead.low:.3g} to {lead.high:.3g}" for lead in leads
    )
    note = (
        "what an operator accepts takes the place of the costs: with at most half of the alarms"
        " false, who finds more depends on p"
    )
    changes = len({lead.models for lead in leads}) > 1
    return stated(
        name,
        "C23",
        "at the p of interest, one is better without costs",
        words,
        holds=changes,
        note=note,
    )


def claims() -> Iterator[Claim]:
    """C23 to C25."""
    yield unavailable(
        "figs-8-and-9-curves",
        "C23",
        "two classifiers that cross",
        "their ROCs were not published",
        note="a pair that crosses is drawn",
    )
    yield order(pair(), "figs-8-and-9-order")
    yield within(pair(), "figs-8-and-9-within-b-fa")
    yield _range()
    yield from _uncoupled()


def _range() -> Claim:
    reached = {
        p: br.fix(intrusion(), f"precision = {1 - ACCEPTED}", at=at(p)).interpolated.tpr
        for p in (1e-3, IDS, 1e-5)
    }
    words = ", ".join(f"P_D {p_d:.3f} at p = {p:g}" for p, p_d in reached.items())
    falls = all(one > other for one, other in itertools.pairwise(reached.values()))
    note = "with half of the alarms false, on the stand-in for Fig 3: one ROC, three curves"
    return stated(
        "a-range-of-p", "C24", "different curves for the range of p", words, holds=falls, note=note
    )


def _uncoupled() -> Iterator[Claim]:
    """One ROC gives the curve of every base rate; precision and recall would need other data for
    each.
    """
    counts = br.Counts(*zip(*CELLS, strict=True))
    for times in (10, 1000):
        more = br.Counts(counts.scores, counts.positives, counts.negatives * times)
        measured = 1 - br.pr(more, every=True).y[1:]
        prior = more.prior
        ours = br.broc(counts, at=at(prior), hull=False, every=True).x[1:]
        note = (
            f"1 − precision of data with {times} times the negatives, against the B-ROC of the data"
            " as they are"
        )
        yield formula(
            f"uncoupled-{times}-times",
            "C25",
            measured.tolist(),
            ours.tolist(),
            nearly=True,
            note=note,
        )


def compared(
    models: Mapping[str, br.Counts | br.Points], name: str, words: str, about: tuple[str, ...]
) -> Picture:
    """Two models as in Figs 8 and 9: their ROC hulls, and their B-ROCs at the base rate of the
    paper.
    """
    roc = br.plots.roc_panel(
        {key: br.curve(model, "roc_hull") for key, model in models.items()},
        log=True,
        chance=False,
        title="ROC hulls",
    )
    broc = br.plots.curve_panel({key: br.broc(model, at=at(IDS)) for key, model in models.items()})
    return Picture(
        name,
        ("C23",),
        words,
        br.plots.Figure(f"{' and '.join(models)} at p = {IDS:g}", (roc, broc)),
        about,
    )


def pictures() -> Iterator[Picture]:
    """Figs 8 and 9."""
    words = (
        "Figs 8 and 9: two classifiers that cross, and their B-ROCs at p = 6.52e-5: they cross at"
        " the same P_D. A stand-in."
    )
    yield compared(pair(), "fig-8-9", words, ("figs-8",))
