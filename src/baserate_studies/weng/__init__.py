"""Weng & Poon 2008, claim by claim: definitions, weights, figures, and Table 3 three times over.

From the ranks of Weka's scores (no learner needed); with learners of our own where the UCI sets are
at hand; and on the balance scale, which is fully determined, with no data at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from baserate_studies.claims import Claim
from baserate_studies.values import Found, How
from baserate_studies.weng import figures, formulas, ranks, scores, standins
from baserate_studies.weng.tables import LEARNERS, PROBLEMS, Cells, published

HALF_UNIT = 0.005  # the table is printed to two digits
WEKA = "the last digit printed: the folds of the paper are not known"
OURS = "two units of the last digit: other learners, on other folds"
UNKNOWN = "3nn was made in another way, wherever attributes are nominal: how is not known"
ABSENT = "its UCI set is not here (--data FOLDER, with sets that fetch_uci writes)"


def found(how: How) -> Found:
    """Every claim of the paper."""
    steps = len(PROBLEMS) * len(LEARNERS)
    weka = scores.cells(
        lambda done, _: how.progress(done, steps + len(PROBLEMS)),
        1 if how.rehearsal else scores.REPEATS,
    )
    ours = standins.cells(how, steps, steps + len(PROBLEMS))
    tables = (*_cells("weka", weka, 0.01, WEKA), *_cells("standins", ours, 0.02, OURS))
    return Found(
        (*formulas.claims(), *_procedure(), *tables, *ranks.claims(weka), *_scale(ours)),
        figures.pictures(),
    )


def _procedure() -> Iterator[Claim]:
    sets = len({problem.file for problem in standins.SETS.values()})
    yield Claim(
        "procedure",
        ("W31",),
        None,
        f"{len(PROBLEMS)} problems of {sets} UCI sets, one class against the rest,"
        f" {standins.REPEATS} × {standins.FOLDS} folds",
        reason=(
            "a condition of the experiment; the mean over folds of each fold's own ROC was found by"
            " fitting: the paper does not say"
        ),
    )
    yield Claim("98-sets", ("W31",), "98 binary problems", None, reason="only 20 of them are named")


def _cells(kind: str, made: Cells, close: float, reason: str) -> Iterator[Claim]:
    """Both measures of all 80 cells; those whose data are not here say so."""
    for (problem, learner), (plain, weighted) in published().items():
        areas = made.get((problem, learner))
        note = UNKNOWN if learner == "3nn" else ""
        for measure, value, ours in (
            ("auc", plain, areas and areas.auc),
            ("wauc", weighted, areas and areas.weighted),
        ):
            name = f"table3-{kind}-{measure}-{problem}-{learner}".lower()
            if ours is None:
                yield Claim(name, ("W32",), value, None, reason=ABSENT)
            else:
                yield Claim(name, ("W32",), value, ours, close, reason, note, half_unit=HALF_UNIT)


def _scale(ours: Cells) -> Iterator[Claim]:
    """The balance scale by itself: no data are needed, so anybody can make these again."""
    for side in "BLR":
        problem = f"balance-scale-{side}"
        values = tuple(ours[problem, learner].auc for learner in LEARNERS)
        printed = tuple(published()[problem, learner][0] for learner in LEARNERS)
        yield Claim(
            f"balance-scale-{side}".lower(),
            ("W32",),
            printed,
            values,
            0.02,
            OURS,
            "AUC of nb, j48, smo, 3nn",
            half_unit=HALF_UNIT,
        )
