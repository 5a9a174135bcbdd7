"""The paper's questions put to real traffic: floods of alarms, small changes, axes, hulls, two
classifiers, and a range of base rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

import baserate as br
from baserate.extend import grouped, number_of
from baserate_studies.cardenas.comparisons import ACCEPTED, compared, order, within
from baserate_studies.cardenas.rates import IDS, at
from baserate_studies.cardenas.traffic import Missing, Traffic
from baserate_studies.claims import Claim
from baserate_studies.stating import stated, unavailable
from baserate_studies.values import Picture

# What is asked of each traffic: the row of the inventory, and what the paper says.
ASKED = {
    "flood": ("C3", "a huge amount of false alarms"),
    "small-changes": ("C9 C17", "small changes of P_FA, drastic effects on PPV"),
    "axis": ("C19", "[0, 1e-3] becomes [0, 1]"),
    "hulls": ("C22", "only a concave ROC has a B-ROC that never falls"),
    "order": ("C23", "where ROCs cross, B-ROCs give a better comparison"),
    "within-b-fa": ("C23", "at the p of interest, one is better without costs"),
    "range": ("C24", "different curves for the range of p"),
}

CROSSED = ("order", "within-b-fa")


def _slug(traffic: Traffic | Missing) -> str:
    return traffic.name.lower().replace(" ", "-")


def claims(traffic: Traffic | Missing) -> Iterator[Claim]:
    """The same questions whether the traffic is here or not."""
    slug = _slug(traffic)
    if isinstance(traffic, Missing):
        for name, (rows, says) in ASKED.items():
            yield unavailable(f"{slug}-{name}", rows, says, traffic.reason)
        return
    yield _asked(traffic, "flood", *_flood(traffic))
    yield _asked(traffic, "small-changes", *_small(traffic))
    yield _asked(traffic, "axis", *_axis(traffic))
    yield _asked(traffic, "hulls", *_turning(traffic))
    yield order(traffic.models, f"{slug}-order")
    yield within(traffic.models, f"{slug}-within-b-fa")
    yield _asked(traffic, "range", *_range(traffic))


def _asked(traffic: Traffic, name: str, words: str, holds: bool, note: str = "") -> Claim:  # noqa: FBT001
    rows, says = ASKED[name]
    return stated(f"{_slug(traffic)}-{name}", rows, says, words, holds=holds, note=note)


def _most(counts: br.Counts, fpr: float) -> br.OperatingPoint:
    """The point that finds most with no more than this share of false alarms."""
    return br.choose(counts, f"fpr <= {fpr}", at=at(IDS), optimize="tpr")


def _flood(traffic: Traffic) -> tuple[str, bool, str]:
    points = {name: _most(counts, 0.01) for name, counts in traffic.models.items()}
    words = "; ".join(
        f"{name}: P_FA {point.fpr:.2g}, P_D {point.tpr:.3f},"
        f" {number_of(round(1 / point.precision), 'alarm')} for one attack"
        for name, point in points.items()
    )
    clean = next((point for point in points.values() if not point.fp), None)
    remark = "" if clean is None else f"; {_allowed(clean)}"
    return (
        words,
        all(point.precision < 0.05 for point in points.values()),
        (
            "taken as huge: over 20 alarms for one attack; at p = 6.52e-5, P_FA up to .01;"
            f" {traffic}{remark}"
        ),
    )


def _allowed(point: br.OperatingPoint) -> str:
    """What a test set without a false alarm leaves open."""
    highest = br.rate_interval(0, int(point.tn), method="clopper-pearson").high
    precision = br.measure(
        br.Confusion.from_rates(tpr=point.tpr, fpr=highest, positives=1, negatives=1),
        "precision",
        at=at(IDS),
    )
    return (
        f"no false alarm among {grouped(int(point.tn))} leaves a P_FA of {highest:.1e} open (95 %),"
        f" at which PPV is {precision:.2f}"
    )


def _small(traffic: Traffic) -> tuple[str, bool, str]:
    """Taken as drastic: a third or more of the precision, where NPV moves by less than one in ten
    thousand.
    """
    pairs = {
        name: [_most(counts, fpr) for fpr in (0.001, 0.005)]
        for name, counts in traffic.models.items()
    }
    words = "; ".join(
        f"{name}: "
        + " → ".join(
            f"P_FA {point.fpr:.2g}, PPV {point.precision:.3f}, NPV {point.npv:.6f}"
            for point in pair
        )
        for name, pair in pairs.items()
    )
    drastic = [
        after.precision < before.precision * 2 / 3 and abs(after.npv - before.npv) < 1e-4
        for before, after in pairs.values()
    ]
    still = [name for name, (before, after) in pairs.items() if before.fpr == after.fpr]
    note = "taken as drastic: a third of PPV or more, while NPV moves by less than 1e-4"
    return (
        words,
        all(drastic),
        note
        + (
            f"; with {' and '.join(still)} no threshold finds more between P_FA .001 and .005"
            if still
            else ""
        ),
    )


def _axis(traffic: Traffic) -> tuple[str, bool, str]:
    ends, corners = {}, {}
    for name, counts in traffic.models.items():
        inside = br.broc(counts, at=at(IDS)).x[br.Points.of(counts).hull().fpr <= 1e-3]
        ends[name], corners[name] = (float(inside.min()), float(inside.max())), len(inside)
    words = "; ".join(f"{name}: B_FA {low:.2f} … {high:.2f}" for name, (low, high) in ends.items())
    note = "taken as [0, 1]: over half of it; corners of the hull there: " + ", ".join(
        f"{name} {count}" for name, count in corners.items()
    )
    return f"{words}, where P_FA ≤ 1e-3", all(high - low > 0.5 for low, high in ends.values()), note


def _turning(traffic: Traffic) -> tuple[str, bool]:
    turns = {
        name: [_turns(counts, hull=hull) for hull in (False, True)]
        for name, counts in traffic.models.items()
    }
    words = "; ".join(
        f"{name} turns back {raw} times as measured, {hull} on its hull"
        for name, (raw, hull) in turns.items()
    )
    return words, all(raw > 0 and hull == 0 for raw, hull in turns.values())


def _turns(counts: br.Counts, *, hull: bool) -> int:
    return int((np.diff(br.broc(counts, at=at(IDS), hull=hull).x) < -1e-15).sum())


def _range(traffic: Traffic) -> tuple[str, bool, str]:
    found = br.robustness.best_recall(traffic.models, fdr=ACCEPTED)
    reached = {prior: found.at(prior) for prior in (0.01, IDS)}
    words = "; ".join(
        f"p = {prior:g}: " + ", ".join(f"{name} P_D {p_d:.3f}" for name, p_d in each.items())
        for prior, each in reached.items()
    )
    differ = all(reached[0.01][name] > reached[IDS][name] for name in traffic.models)
    return words, differ, "the most that each finds with at most half of the alarms false"


def pictures(traffic: Traffic | Missing) -> Iterator[Picture]:
    """Figs 3, 4 and 6 to 9 on this traffic."""
    if isinstance(traffic, Missing):
        return
    slug, (name, counts) = _slug(traffic), next(iter(traffic.models.items()))
    lines = [
        br.curves.isoline("precision", at(IDS), value=value) for value in (0.9, 0.5, 0.1, 0.01)
    ]
    roc = br.plots.roc_panel(
        {name: br.roc(counts), "hull": br.curve(counts, "roc_hull")},
        isolines=lines,
        chance=False,
        title=f"{traffic.name}, {name}",
    )
    both: Mapping[str, br.Curve] = {
        "hull": br.broc(counts, at=at(IDS)),
        "as measured": br.broc(counts, at=at(IDS), hull=False),
    }
    words = (
        "Figs 3, 4, 6 and 7 on real traffic: isolines over the ROC and its hull, and the B-ROC of"
        f" each at p = 6.52e-5. {traffic}."
    )
    figure = br.plots.Figure(f"{traffic.name}: ROC and B-ROC", (roc, br.plots.curve_panel(both)))
    yield Picture(
        f"{slug}-curves",
        ("C15", "C19", "C22"),
        words,
        figure,
        tuple(f"{slug}-{name}" for name in ASKED if name not in CROSSED),
    )
    words = (
        f"Figs 8 and 9 on real traffic, {traffic.name}: hulls cross at the same P_D in the ROC and"
        " in the B-ROC."
    )
    yield compared(
        traffic.models, f"{slug}-comparison", words, tuple(f"{slug}-{name}" for name in CROSSED)
    )
