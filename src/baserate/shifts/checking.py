"""Did the scores of the classes move? Whether unlabelled scores can be a mixture of the two classes at all."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from baserate.counts import Counts
from baserate.errors import refuse
from baserate.exact import Floats
from baserate.notes import Note
from baserate.points import refuse_merged
from baserate.shifts.mixtures import between, even_cuts
from baserate.uncertainty.placements import refuse_weights
from baserate.uncertainty.values import checked_level, missed
from baserate.undefined import Undefined
from baserate.unlabelled import Unlabelled

# Cells of equal share in the two classes together; those with fewer unlabelled cases than EXPECTED under the mixture are merged.
CELLS = 12
EXPECTED = 10
CASES_A_CELL = 15
STEPS = 20


@dataclass(frozen=True)
class ShiftCheck:
    """Can the unlabelled scores be a mixture of the two classes?

    `statistic` is how far they are from the nearest mixture, a χ² with `degrees` of freedom where label shift holds; `moved` where the p-value
    is below 1 − level. `prior` is the share of positives of that mixture. Undefined, with the reason, where there are too few cells.
    """

    statistic: float
    degrees: int
    p_value: float
    prior: float
    level: float = 0.95
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @property
    def moved(self) -> bool:
        """Whether chance is ruled out at the level asked for."""
        return self.p_value < missed(self.level)

    def __repr__(self) -> str:
        if self.p_value != self.p_value:
            return f"ShiftCheck: {self.p_value!r}"
        word = "the scores of the classes moved" if self.moved else "nothing against label shift"
        return f"ShiftCheck: {word}, chi-square {self.statistic:.4g} with {self.degrees} degrees of freedom, p = {self.p_value:.3g}"


def check_label_shift(counts: Counts, unlabelled: Unlabelled, *, level: float = 0.95) -> ShiftCheck:
    """Did only the share of positives change, or did the scores of a class move as well?

    The test: scores are cut into up to 12 cells, and the shares of the unlabelled cases in them are compared with the nearest mixture of the
    shares of the two classes, by a χ² that counts the sampling error of all three (minimum χ² by iterated least squares, cells − 2 degrees of
    freedom; cells − 1 where the share of positives is held at 0 or 1). It sees what a mixture cannot explain, and nothing else: a change
    that looks like more positives stays hidden.

    >>> import baserate as br
    >>> counts = br.Counts([4, 3, 2, 1], positives=[400, 300, 200, 100], negatives=[100, 300, 800, 2800])
    >>> field = br.count_unlabelled([4] * 150 + [3] * 300 + [2] * 750 + [1] * 2500)
    >>> br.check_label_shift(counts, field)
    ShiftCheck: nothing against label shift, chi-square 0.2993 with 2 degrees of freedom, p = 0.861
    """
    refuse_weights(counts)
    asked = checked_level(level)
    if not counts.total_positives or not counts.total_negatives:
        raise refuse("BR552", "both classes are needed", "count cases of both classes")
    if not unlabelled.total:
        raise refuse("BR590", "there are no unlabelled cases", "give scores of the field")
    refuse_merged(counts, "label shift is checked in cells of equal share, cut between any two scores")
    parts = _merged(*_cells(counts, unlabelled))
    if parts.shape[1] < 3:
        return not_checked("too few cells to tell a mixture from anything else", asked)
    statistic, prior = _nearest(parts)
    degrees = parts.shape[1] - (2 if 0 < prior < 1 else 1)
    from scipy.special import chdtrc

    p_value = float(chdtrc(degrees, statistic))
    found = ShiftCheck(statistic, degrees, p_value, prior, asked)
    return ShiftCheck(statistic, degrees, p_value, prior, asked, _told(found)) if found.moved else found


def not_checked(reason: str, level: float) -> ShiftCheck:
    """No result, and why."""
    note = Note("BR538", f"label shift was not checked: {reason}")
    return ShiftCheck(Undefined(reason), 0, Undefined(reason), Undefined(reason), level, (note,))


def _told(found: ShiftCheck) -> tuple[Note, ...]:
    text = f"the unlabelled scores are no mixture of the two classes (p = {found.p_value:.3g}): not only the base rate changed"
    return (Note("BR538", text),)


def _cells(counts: Counts, unlabelled: Unlabelled) -> tuple[Floats, ...]:
    """Positives, negatives and unlabelled cases in cells of equal share in the classes, each class counting half."""
    fewest = min(counts.total_positives, counts.total_negatives, unlabelled.total)
    cuts = even_cuts(counts, int(min(CELLS, max(3, fewest // CASES_A_CELL))))
    columns = ((counts.scores, counts.positives), (counts.scores, counts.negatives), (unlabelled.scores, unlabelled.cases))
    return tuple(between(scores, cases, cuts).astype(np.float64) for scores, cases in columns)


def _merged(positives: Floats, negatives: Floats, cases: Floats) -> Floats:
    """Neighbours together until each cell has cases enough: of the unlabelled as a mixture would have them, and of the labelled."""
    parts = np.stack((positives, negatives, cases))
    mixed = cases.sum() * (positives + negatives) / (positives + negatives).sum()
    enough = np.minimum.reduce((mixed, positives + negatives, cases))
    groups, held = np.zeros(len(cases), dtype=np.intp), 0.0
    for cell in range(1, len(cases)):
        held += enough[cell - 1]
        groups[cell] = groups[cell - 1] + (held >= EXPECTED)
        held = 0.0 if held >= EXPECTED else held
    if held + enough[-1] < EXPECTED and groups[-1] > 0:
        groups[groups == groups[-1]] -= 1
    return np.stack([np.bincount(groups, weights=row) for row in parts])


def _nearest(parts: Floats) -> tuple[float, float]:
    """The least χ² over all mixtures, and the share of positives there; the last cell follows from the others."""
    totals = parts.sum(axis=1)
    ours, theirs, seen = (row[:-1] / total for row, total in zip(parts, totals, strict=True))
    towards, away = ours - theirs, seen - theirs
    prior, statistic = 0.5, np.inf
    for _ in range(STEPS):
        spread = _spread(ours, theirs, prior, totals)
        weights = np.linalg.solve(spread, np.stack((towards, away), axis=1))
        slope = float(towards @ weights[:, 0])
        moved = min(1.0, max(0.0, float(towards @ weights[:, 1]) / slope)) if slope > 0 else prior
        off = away - moved * towards
        statistic, settled = float(off @ np.linalg.solve(spread, off)), abs(moved - prior) < 1e-10
        prior = moved
        if settled:
            break
    return statistic, prior


def _spread(ours: Floats, theirs: Floats, prior: float, totals: Floats) -> Floats:
    """The covariance of what lies between the unlabelled shares and the mixture, as it is where label shift holds."""
    mixed = prior * ours + (1 - prior) * theirs
    parts = ((mixed, 1 / totals[2]), (ours, prior**2 / totals[0]), (theirs, (1 - prior) ** 2 / totals[1]))
    whole = np.zeros((len(ours), len(ours)))
    for shares, scale in parts:
        whole += scale * (np.diag(shares) - np.outer(shares, shares))
    steady: Floats = whole + 1e-14 * np.eye(len(ours)) * np.trace(whole)
    return steady
