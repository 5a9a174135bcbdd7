"""What the paper says in words of its experiments: rows L1, L6, L7, L14, L23, L26 to L28, L30, L34,
L35, L37 and L38.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from baserate import Conditions, Points, fix, solve_rates
from baserate_studies.claims import Claim
from baserate_studies.generators import DISTANCE, OTHER, SETS, TARGET, highleyman
from baserate_studies.landgrebe.populations import (
    ldc_fpr,
    ldc_roc,
    qdc_fpr,
    qdc_roc,
    two_gaussians_fpr,
)
from baserate_studies.landgrebe.tables import CASES, CLASSIFIERS, FITTED, RECALL, SEED, Table

PRINTED = "half a unit of the last digit printed"
READ_OFF = "read off a plot: three points in a hundred"
FAR_BETTER = "taken as far better: less than a quarter of the other two"
EXTREME = 0.001


def claims(table: Table) -> tuple[Claim, ...]:
    """All of them, from the population where it is known and from the table made again
    otherwise.
    """
    return (
        *_figures(),
        *_linear(),
        *_contradictions(),
        *_procedure(table),
        *_results(table),
        *_conclusion(table),
    )


def _figures() -> Iterator[Claim]:
    """Fig 1: the classes, and what a prior of 1 in 10 does to them."""
    drawn = highleyman(seed=SEED)
    away = []
    for part, (mean, variance) in (
        (drawn.x[drawn.target], TARGET),
        (drawn.x[~drawn.target], OTHER),
    ):
        away += [(part.mean(axis=0) - mean) / np.sqrt(np.array(variance) / CASES)]
        away += [(part.var(axis=0, ddof=1) / variance - 1) / math.sqrt(2 / CASES)]
    most = float(np.abs(away).max())
    yield Claim(
        "fig1",
        ("L6",),
        "Highleyman's classes: means (1, 1) and (2, 0), variances (1, .25) and (.01, 4)",
        f"1 500 cases of each class, seed {SEED}: all eight within {most:.1f} standard errors",
        reason="of eight standard errors one is beyond three in fifty draws",
        holds=most < 3,
    )
    alarms, caught = 0.9 * float(ldc_fpr(RECALL)), 0.1 * RECALL
    yield Claim(
        "comparable",
        ("L7",),
        "at a prior of 1/10, false positives become comparable to true ones",
        f"{alarms:.4f} of all cases are false positives, {caught:.2f} true ones",
        reason="LDC on the population, TPr 80 %",
        holds=0.5 < alarms / caught < 3,
        note="taken as comparable: between half and three times as many",
    )


def _linear() -> Iterator[Claim]:
    """What the text reads off Figs 3 and 4."""
    ldc, qdc = ldc_roc(), qdc_roc()
    share = 100 * _posfrac(ldc, 0.1)
    yield Claim(
        "fig3",
        ("L23",),
        "just under 30 %",
        f"{share:.2f} %",
        reason="LDC on the population",
        holds=29 <= share < 30,
        note=(
            "taken as just under: from 29 %; its own table has 29.85 ± 2.22 %,"
            f" {(share - 29.85) / 2.22:+.1f} ± away, and is made again below"
        ),
    )
    linear, quadratic = (
        100 * float(fix(roc, "posfrac = 0.1", at=Conditions(prior="0.001")).interpolated.tpr)
        for roc in (ldc, qdc)
    )
    yield Claim(
        "fig4-ldc",
        ("L25", "L26"),
        75.0,
        linear,
        3.0,
        READ_OFF,
        "population at P = .001; 64.8 % at P = .1",
        unit="%",
    )
    yield Claim(
        "fig4-qdc",
        ("L25", "L26"),
        "over 90 %",
        f"{quadratic:.1f} %",
        reason="population at P = .001",
        holds=quadratic > 90,
    )
    yield Claim(
        "not-always-small",
        ("L14",),
        "a low prior does not make POSfrac low",
        f"{100 * _posfrac(ldc, EXTREME):.1f} % at P = .001",
        reason="LDC on the population, TPr 80 %",
        holds=_posfrac(ldc, EXTREME) > 100 * EXTREME,
        note="taken as not low: over a hundred times the prior",
    )


def _contradictions() -> Iterator[Claim]:
    """Three numbers of one sentence, of which two agree with nothing; the table's own FPr settles
    which.
    """
    fpr = float(solve_rates(tpr="0.8", posfrac="52.14%", prior="0.5").fpr)
    point = Points.from_rates([fpr], [RECALL])
    priors = ("0.5", "0.01")
    half, rare = (
        fix(point, f"tpr = {RECALL}", at=Conditions(prior=prior)).interpolated for prior in priors
    )
    yield Claim(
        "text-posfrac",
        ("L27",),
        54.9,
        100 * float(half.posfrac),
        0.05,
        PRINTED,
        "52.14 % in Table 2",
        errata=("B11",),
        unit="%",
    )
    yield Claim(
        "text-purity",
        ("L27",),
        77.9,
        100 * float(half.precision),
        0.05,
        PRINTED,
        "54.9 % would make it 72.9 %",
        errata=("B11",),
        unit="%",
    )
    yield Claim(
        "text-rare",
        ("L27",),
        24.8,
        100 * float(rare.posfrac),
        0.06,
        "half a unit of the last digit, and Table 2's own rounding",
        unit="%",
    )
    yield from _fall(
        float(Fraction(priors[0]) / Fraction(priors[1])), float(half.posfrac / rare.posfrac)
    )


def _fall(prior: float, posfrac: float) -> Iterator[Claim]:
    """How many times each falls from P = .5 to .01."""
    reason = "two orders of magnitude are 100 times; a tenth of that for a round word"
    yield Claim(
        "two-orders",
        ("L28",),
        100.0,
        prior,
        10.0,
        reason,
        "from .5 to .01",
        errata=("B12c",),
        unit="times",
    )
    yield Claim(
        "posfrac-did-not",
        ("L28",),
        "POSfrac did not fall as the prior did",
        f"{posfrac:.2f} times",
        reason="from Table 2's FPr",
        holds=posfrac < prior / 10,
        note=f"taken as not: less than a tenth of the {prior:g} times of the prior",
    )


def _procedure(table: Table) -> Iterator[Claim]:
    """What was taken over from the paper, as it stands in the run: none of it could come out
    otherwise.
    """
    folds = len(next(iter(table.values())).middle.fprs)
    yield _taken("folds", "L30", f"{folds} folds, equal training priors, each fold's own ROC")
    least = NormalDist().cdf(-DISTANCE / 2)
    yield _taken(
        "bayes-error", "L35", f"{100 * least:.1f} %", "the classes of TwoGaussians were placed so"
    )
    modes = " and ".join(str(len(parts)) for parts in _modes())
    yield _taken("modes", "L35", modes, "where they lie was not published: fitted to Table 2")
    sizes = sorted({len(draw(CASES, CASES, seed=SEED).target) for draw in SETS.values()})
    yield _taken("cases", "L35", f"{', '.join(map(str, sizes))} cases a set, half of them targets")
    yield from _populations(table)


def _taken(name: str, row: str, ours: str, note: str = "") -> Claim:
    return Claim(
        name,
        (row,),
        None,
        ours,
        reason="a condition of the experiment, taken over from the paper",
        note=note,
    )


def _populations(table: Table) -> Iterator[Claim]:
    """What cross-validation converges to: computed by us, so no claim of the paper's."""
    known = {
        ("TwoGaussians", "LDC"): two_gaussians_fpr(RECALL),
        ("TwoGaussians", "QDC"): two_gaussians_fpr(RECALL),
        ("Highleyman", "LDC"): float(ldc_fpr(RECALL)),
        ("Highleyman", "QDC"): qdc_fpr(RECALL),
    }
    for (data, classifier), fpr in known.items():
        crossed = table[data, classifier].middle
        yield Claim(
            f"population-{data}-{classifier}".lower(),
            ("L34",),
            None,
            crossed.fpr,
            reason="the paper does not print it: a check of ours",
            note=(
                f"FPr at TPr 80 %, cross-validated, ± {crossed.error:.4f} over the folds; of the"
                f" population {fpr:.6g}"
            ),
        )


def _modes() -> tuple[tuple[tuple[float, float], ...], ...]:
    from baserate_studies.generators import OTHER_MODES, TARGET_MODES

    return TARGET_MODES, OTHER_MODES


def _results(table: Table) -> Iterator[Claim]:
    """§4.1: four statements about the table at the extreme prior."""
    rare = {key: draws.middle.posfrac(EXTREME) for key, draws in table.items()}

    def shown(data: str) -> str:
        return ", ".join(f"{name} {rare[data, name]:.2f}" for name in CLASSIFIERS) + " %"

    least = min(rare["TwoGaussians", name] for name in CLASSIFIERS)
    yield _said(
        "TwoGaussians",
        "POSfrac stays above 10 % for every classifier",
        shown("TwoGaussians"),
        "",
        holds=least > 10,
    )
    others = max(rare["Highleyman", name] for name in CLASSIFIERS[1:])
    yield _said(
        "Highleyman",
        "only the linear classifier is severely affected",
        shown("Highleyman"),
        "taken as severely: over 10 %, and under 1 % as not",
        holds=others < 1 and rare["Highleyman", "LDC"] > 10,
    )
    low, high = _apart(rare, "Multimodal")
    says = "linear and quadratic over 20 %, mixture and Parzen far better"
    yield _said(
        "Multimodal", says, shown("Multimodal"), FAR_BETTER, holds=low > 20 and high < low / 4
    )
    low, high = _apart(rare, "Lithuanian")
    yield _said(
        "Lithuanian",
        "similar results: mixture and Parzen far better",
        shown("Lithuanian"),
        FAR_BETTER,
        holds=high < low / 4,
    )


def _said(data: str, published: str, ours: str, note: str, *, holds: bool) -> Claim:
    reason, fitted = "the table made again, P = .001", data == FITTED
    return Claim(
        f"results-{data.lower()}",
        ("L37",),
        published,
        ours,
        reason=reason,
        note=note,
        holds=holds,
        fitted=fitted,
    )


def _apart(rare: dict[tuple[str, str], float], data: str) -> tuple[float, float]:
    """The lower of LDC and QDC, and the higher of the mixture and Parzen."""
    return min(rare[data, name] for name in CLASSIFIERS[:2]), max(
        rare[data, name] for name in CLASSIFIERS[2:]
    )


def _conclusion(table: Table) -> Iterator[Claim]:
    """The abstract's observation, as how many times POSfrac falls while the prior falls 500
    times.
    """
    for data in SETS:
        falls = {
            name: run.middle.posfrac(0.5) / run.middle.posfrac(EXTREME)
            for (of, name), run in table.items()
            if of == data
        }
        text = (
            f"POSfrac falls {', '.join(f'{name} {fall:.1f}' for name, fall in falls.items())} times"
        )
        if data == "TwoGaussians":
            yield Claim(
                "resilience-twogaussians",
                ("L1",),
                None,
                text,
                reason="all four model these classes well, and fall alike",
            )
            continue
        yield Claim(
            f"resilience-{data.lower()}",
            ("L1",),
            "classifiers that model the densities well are more resilient to the prior",
            text,
            reason="from P = .5 to .001; 500 times would be in step with the prior",
            holds=min(falls["MOGC"], falls["PARZEN"]) > 2 * falls["LDC"],
            note=(
                "taken as more resilient: mixture and Parzen both fall more than twice as often"
                " as LDC"
            ),
            fitted=data == FITTED,
        )
    yield Claim(
        "recommendation",
        ("L38",),
        None,
        "baserate show and curve read every rate at any prior beside the ROC",
        reason="a recommendation",
    )


def _posfrac(points: Points, prior: float) -> float:
    return float(fix(points, f"tpr = {RECALL}", at=Conditions(prior=prior)).interpolated.posfrac)
