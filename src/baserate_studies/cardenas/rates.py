"""Eqs 1 to 6: what an alarm is worth, what its absence is worth, and the lines on which each is the
same (Figs 1 and 2).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal, NamedTuple

import baserate as br
from baserate_studies import drawings
from baserate_studies.claims import Claim
from baserate_studies.stating import formula, printed, stated, unclaimed
from baserate_studies.values import Picture

IDS = 6.52e-5
RATES = ((0.01, 1.0), (0.001, 0.7), (0.2, 0.8), (0.9, 0.1))
PRIORS = (0.5, 0.01, IDS, 1e-9)


def at(prior: float | str | Fraction) -> br.Conditions:
    """The base rate alone: the paper does without costs."""
    return br.Conditions(prior=prior)


def detector(p_fa: float | Fraction, p_d: float | Fraction) -> br.Confusion:
    """An operating point of which only the two rates are known."""
    return br.Confusion(
        tp=Fraction(p_d), fn=1 - Fraction(p_d), fp=Fraction(p_fa), tn=1 - Fraction(p_fa)
    )


def read(measure: str, p_fa: float | Fraction, p_d: float | Fraction, prior: float) -> float:
    """PPV, NPV or B_FA of a detector at a base rate."""
    return float(br.measure(detector(p_fa, p_d), br.Measure.parse(measure), at=at(prior)))


def ppv(p_fa: float, p_d: float, prior: float) -> Fraction:
    """Eq 1 as it is printed."""
    p, false_alarm, detection = Fraction(prior), Fraction(p_fa), Fraction(p_d)
    return p * detection / (p * detection + (1 - p) * false_alarm)


def npv(p_fa: float, p_d: float, prior: float) -> Fraction:
    """Eq 2 as it is printed."""
    p, false_alarm, detection = Fraction(prior), Fraction(p_fa), Fraction(p_d)
    return (1 - p) * (1 - false_alarm) / (p * (1 - detection) + (1 - p) * (1 - false_alarm))


def claims() -> Iterator[Claim]:
    """C1 to C14."""
    yield unclaimed("notation", "C1", "names for the class, the alarm and the base rate")
    labels, alarms = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0, 0, 0]
    point = br.choose(br.count(labels, alarms), threshold=1)
    rates = (Fraction(1, 6), Fraction(3, 4))
    note = "three of four attacks and one of six other events raise an alarm"
    yield formula(
        "rates", "C2", rates, (point[br.Measure.parse(name)] for name in ("P_FA", "P_D")), note=note
    )
    yield from _alarms()
    yield from _vanishing()
    yield from _silence()
    for line in LINES:
        yield from _fact(line)
        yield from _angles(line)


def _alarms() -> Iterator[Claim]:
    roc = br.Points.from_rates([0.01], [1.0])
    day = br.choose(roc, threshold=roc.threshold(1), at=at("1 in 100 000"), volume=10**5)
    words = (
        f"in 100 000 events {day['false_alarms']:.0f} false alarms for {day['caught']:.0f} attack"
    )
    yield stated(
        "a-good-operating-point",
        "C3",
        "a huge amount of false alarms",
        words,
        holds=day["false_alarms"] > 500 * day["caught"],
        note="taken as huge: over 500 for one attack",
    )
    for prior in PRIORS:
        values = [ppv(*rates, prior) for rates in RATES]
        yield formula(
            f"eq-1-at-p-{prior:g}",
            "C4",
            values,
            (read("PPV", *rates, prior) for rates in RATES),
            note=_pairs(),
        )
    sample = br.Confusion(tp=30, fp=20, fn=10, tn=140)
    value = br.measure(sample, "precision", at=at(sample.prior))
    yield formula(
        "ppv-is-precision", "C5", Fraction(30, 50), value, note="is the sample's precision"
    )
    found = read("PPV", 0.01, 1.0, 1e-5)
    yield printed("ppv-of-1-in-100-000", "C6", "0.000999", found)
    yield Claim(
        "alarms-for-one-intrusion", ("C6",), 1000, 1 / found, 1.0, "a round number in the text"
    )


def _pairs() -> str:
    return "P_FA, P_D: " + "; ".join(f"{p_fa:g}, {p_d:g}" for p_fa, p_d in RATES)


def _vanishing() -> Iterator[Claim]:
    """PPV where false alarms vanish: on a ROC that is steep at the origin, and on one that is
    not.
    """
    shrinking = [10.0**-k for k in range(1, 7)]
    steep = [read("PPV", p_fa, math.sqrt(p_fa), 1e-5) for p_fa in shrinking]
    words = f"on P_D = √P_FA, PPV {steep[0]:.2g} → {steep[-1]:.2g} as P_FA falls from .1 to 1e-6"
    says = "PPV is largest as P_FA → 0, even if P_D → 0"
    rising = all(one < other for one, other in itertools.pairwise(steep))
    yield stated("vanishing-alarms-steep-roc", "C7", says, words, holds=rising)
    flat = [read("PPV", p_fa, p_fa, 1e-5) for p_fa in shrinking]
    words = f"on P_D = P_FA, PPV stays {min(flat):g} from .1 to 1e-6"
    note = "it needs P_FA / P_D → 0; without an alarm at all PPV is 0/0"
    yield stated(
        "vanishing-alarms-slope-1",
        "C7",
        says,
        words,
        holds=flat[-1] > flat[0],
        errata="B16",
        note=note,
    )


def _silence() -> Iterator[Claim]:
    for prior in PRIORS:
        values = [npv(*rates, prior) for rates in RATES]
        yield formula(
            f"eq-2-at-p-{prior:g}",
            "C8",
            values,
            (read("NPV", *rates, prior) for rates in RATES),
            note=_pairs(),
        )
    few, many, where = (
        (0.001, 0.7),
        (0.005, 0.7),
        ("P_D = .7, p = 6.52e-5", "P_FA = .001, p = 6.52e-5"),
    )
    change = [read("PPV", *rates, IDS) for rates in (few, many)]
    words = f"P_FA .001 → .005 takes PPV from {change[0]:.4f} to {change[1]:.4f}"
    yield stated(
        "small-changes-of-p-fa",
        "C9",
        "drastic effects on PPV",
        words,
        holds=change[1] < change[0] / 4,
        note=f"taken as drastic: to less than a quarter; {where[0]}",
    )
    still = [read("NPV", 0.001, p_d, IDS) for p_d in (0.9, 0.1)]
    words = f"P_D .9 → .1 takes NPV from {still[0]:.6f} to {still[1]:.6f}"
    yield stated(
        "small-changes-of-npv",
        "C9",
        "drastic effects on P_D",
        words,
        holds=still[0] - still[1] < 1e-4,
        note=(
            "taken as small: an NPV that moves by less than 1e-4 while P_D falls from .9 to .1;"
            f" {where[1]}"
        ),
    )


class Line(NamedTuple):
    """The isolines of one measure: its word in the paper, the numbers of its equations and its
    figure, and the rows of the inventory.
    """

    measure: Literal["precision", "npv"]
    word: str
    fact: str
    value: str
    figure: str
    rows: tuple[str, str]


LINES = (
    Line("precision", "PPV", "3", "4", "1", ("C10", "C11")),
    Line("npv", "NPV", "5", "6", "2", ("C12", "C13")),
)


def _fact(line: Line) -> Iterator[Claim]:
    """Fact 1: on a line through its corner, and on no other, the measure is the same."""
    of_ppv = line.measure == "precision"
    on = [(u / 8, u) if of_ppv else (1 - u, 1 - u / 8) for u in (0.75, 0.5, 2.0**-20)]
    values = [read(line.word, *point, IDS) for point in on]
    beside = [read(line.word, p_fa * 1.01, p_d, IDS) for p_fa, p_d in on if p_fa < 0.9]
    words = (
        f"{len(on)} points with tangent 1/8 have {line.word} {values[0]:.10g}, {len(beside)} beside"
        " the line have not"
    )
    holds = {*values} == {br.curves.isoline(line.measure, at(IDS), tangent=0.125).value} and not {
        *values
    } & {*beside}
    yield stated(
        f"eq-{line.fact}",
        line.rows[0],
        f"the same {line.word} if and only if the same tangent",
        words,
        holds=holds,
    )
    corner = (0.0, 0.0) if of_ppv else (1.0, 1.0)
    yield stated(
        f"eq-{line.fact}-the-corner",
        line.rows[0],
        "all points of the line",
        f"({corner[0]:g}, {corner[1]:g}) lies on every line, and its {line.word} is 0/0",
        holds=not math.isnan(read(line.word, *corner, IDS)),
        errata="B19",
        note="the fact holds without that corner",
    )


def _angles(line: Line) -> Iterator[Claim]:
    """What the measure is at each angle, and at the ends of the range of interest."""
    p, of_ppv, degrees = Fraction(IDS), line.measure == "precision", (0.0, 1.0, 10.0, 30.0, 44.9)
    tangents = [Fraction(math.tan(math.radians(angle))) for angle in degrees]
    theirs = [p / (p + (1 - p) * t) if of_ppv else (1 - p) / (p * (t - 1) + 1) for t in tangents]
    ours = [br.curves.isoline(line.measure, at(IDS), angle=angle).value for angle in degrees]
    yield formula(
        f"eq-{line.value}",
        line.rows[1],
        theirs,
        ours,
        note="at 0, 1, 10, 30 and 44.9 degrees, p = 6.52e-5",
    )
    ends = [br.curves.isoline(line.measure, at(IDS), angle=angle).value for angle in (0, 45)]
    note = f"{line.word} from 1 to {'p' if of_ppv else '1 − p'}"
    yield formula(f"fig-{line.figure}-ends", "C14", (1, p if of_ppv else 1 - p), ends, note=note)


def pictures() -> Iterator[Picture]:
    """Figs 1 and 2."""
    words = (
        "Fig 1: lines of one PPV by their angle θ; from 0° to 45°, PPV falls from 1 to the base"
        " rate."
    )
    yield Picture(
        "fig-1",
        ("C10", "C11", "C14"),
        words,
        drawings.isoline_figure("precision", [at(p) for p in (0.1, 0.01, IDS)]),
    )
    words = (
        "Fig 2: lines of one NPV by their angle φ; from 0° to 45°, NPV falls from 1 to 1 − the base"
        " rate."
    )
    yield Picture(
        "fig-2",
        ("C12", "C13", "C14"),
        words,
        drawings.isoline_figure("npv", [at(p) for p in (0.3, 0.1, 0.01)]),
    )
