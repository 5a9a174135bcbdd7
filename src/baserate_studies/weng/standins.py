"""Table 3 with learners of our own in the place of Weka's: on the UCI sets where they are at hand,
and on the balance scale anywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import Counts, count
from baserate.extend import quoted, refuse_file
from baserate_studies.fetching import KNOWN
from baserate_studies.generators import balance_scale
from baserate_studies.uci import Attribute, UciSet, load_uci
from baserate_studies.values import How
from baserate_studies.weng.learners import STAND_INS
from baserate_studies.weng.tables import LEARNERS, Cells, areas

FOLDS, REPEATS = 10, 10
SLOW, FEWER = "j48", 5  # the tree is repeated less often, unless in full
BALANCE = "balance_scale"


class Problem(NamedTuple):
    """One class of a set against all others."""

    file: str
    positive: str


SETS = {
    "anneal-1": Problem("anneal", "1"),
    "anneal-2": Problem("anneal", "2"),
    "anneal-5": Problem("anneal", "5"),
    "audiology-age": Problem("audiology", "cochlear_age"),
    "audiology-age_and_noise": Problem("audiology", "cochlear_age_and_noise"),
    "audiology-cochlear_unknow": Problem("audiology", "cochlear_unknown"),
    "audiology-poss-noise": Problem("audiology", "cochlear_poss_noise"),
    "autos-2": Problem("autos", "2"),
    "balance-scale-B": Problem(BALANCE, "B"),
    "balance-scale-L": Problem(BALANCE, "L"),
    "balance-scale-R": Problem(BALANCE, "R"),
    "breast-cancer": Problem("breast_cancer", "recurrence-events"),
    "cleveland-heart-50_1": Problem("heart_c", ">50_1"),
    "credit-rating": Problem("credit_a", "+"),
    "german_credit": Problem("credit_g", "bad"),
    "Glass-buildwindfloat": Problem("glass", "build wind float"),
    "Glass-buildwindnonfloat": Problem("glass", "build wind non-float"),
    "heart-statlog": Problem("heart_statlog", "present"),
    "hepatitis": Problem("hepatitis", "DIE"),
    "horse-colic.ORIG": Problem("colic_orig", "1"),
}


def cells(how: How, done: int, total: int) -> Cells:
    """Every cell whose set is at hand; `done` of `total` steps were made before."""
    found: Cells = {}
    for place, (name, problem) in enumerate(SETS.items(), start=1):
        data = at_hand(problem.file, how.data)
        if data is not None:
            for learner in LEARNERS:
                found[name, learner] = areas(
                    folds(data, problem.positive, learner, repeats(learner, how))
                )
        how.progress(done + place, total)
    return found


def repeats(learner: str, how: How) -> int:
    """How often the cross-validation is repeated."""
    if how.rehearsal:
        return 1
    return FEWER if learner == SLOW and not how.full else REPEATS


def at_hand(file: str, folder: str | None) -> UciSet | None:
    """The set from the folder, or its folder uci; the balance scale is fully determined, and always
    there.
    """
    if file == BALANCE:
        scale = balance_scale()
        names = ("left-weight", "left-distance", "right-weight", "right-distance")
        return UciSet(BALANCE, tuple(map(Attribute, names)), scale.x, scale.classes)
    for place in () if folder is None else (Path(folder), Path(folder) / "uci"):
        if (place / f"{file}.csv").exists():
            return _needed(load_uci(file, place), str(place / f"{file}.csv"))
    return None


def _needed(found: UciSet, place: str) -> UciSet:
    """The same, refused where it is another set: its classes would be others, or too small for the
    folds.
    """
    counted, known = dict(Counter(found.classes.tolist())), KNOWN[found.name].classes
    if counted != known:
        raise refuse_file(
            place,
            "BR924",
            f"it is not the set that is needed: classes {quoted(counted)}",
            "get it anew, with fetch_uci",
        )
    return found


def folds(data: UciSet, positive: str, learner: str, times: int) -> Iterator[Counts]:
    """The counts of every fold of every repeat: stratified, trained on the other folds."""
    target = data.classes == positive
    for seed in range(times):
        fold_of = _folds(target, seed)
        for fold in range(FOLDS):
            inside = fold_of == fold
            scores = STAND_INS[learner](
                data.x[~inside], target[~inside], data.x[inside], data.sizes
            )
            yield count(target[inside], scores)


def _folds(target: npt.NDArray[np.bool_], seed: int) -> npt.NDArray[np.intp]:
    rng, found = np.random.default_rng(seed), np.empty(len(target), dtype=np.intp)
    for of_class in (True, False):
        places = rng.permutation(np.flatnonzero(target == of_class))
        found[places] = np.arange(len(places)) % FOLDS
    return found
