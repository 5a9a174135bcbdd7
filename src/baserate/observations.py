"""What a reader should know of any counts, read off the cells: always true of the value at hand, also after adding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from baserate.errors import Fix, grouped, number_of, quoted
from baserate.exact import share_won, square_sum, total
from baserate.kernels import Cells
from baserate.notes import Note

# From these shares on, a remark is worth a line.
MAJORITY = 0.75
LARGE_TIE = 0.05
REVERSED = 0.45
# A probability may be off by so much and still be meant as one.
ROUNDING = 1e-6


def observe(cells: Cells, *, condensed: bool, coarse: bool) -> tuple[Note, ...]:
    """Every remark that holds for these cells. Where cells were merged, nothing is said of what merging hides."""
    if not len(cells.scores):
        return ()
    positives, negatives = total(cells.positives), total(cells.negatives)
    whole = not (condensed or coarse)
    return (
        *_classes(positives, negatives),
        *(_values(cells) if whole else ()),
        *(_ties(cells, positives + negatives) if whole else ()),
        *(_range(cells) if whole else ()),
        *(() if coarse or not positives or not negatives else _direction(share_won(cells.positives, cells.negatives), _chance_error(cells))),
    )


def observe_in_passes(cells: Cells, totals: tuple[int, int], auc: float) -> tuple[Note, ...]:
    """The same of cases that were read piece by piece: `cells` has every score of a positive, and the least and the most of all others.

    Ties at a score that no positive has are not seen.
    """
    error = math.sqrt((sum(totals) + 1) / (12 * totals[0] * totals[1]))
    return *_classes(*totals), *_values(cells), *_ties(cells, sum(totals)), *_range(cells), *_direction(auc, error)


def percent(share: float) -> str:
    """A share for a person; never rounded up to everything."""
    return ">99.9 %" if 0.9995 <= share < 1 else f"{100 * share:.3g} %"


def _classes(positives: float, negatives: float) -> Iterator[Note]:
    everything = positives + negatives
    weighted = isinstance(everything, float)
    cases = f"a weight of {grouped(everything)}" if weighted else number_of(everything, "case")
    if not positives:
        bound = "" if weighted else f"; upper bound on prevalence {_prevalence_bound(int(everything)):.3g} % (95 %, one-sided)"
        yield Note("BR104", f"no positives in {cases}: recall and AUC are undefined{bound}")
    elif not negatives:
        yield Note("BR104", f"no negatives in {cases}: false positive rate and AUC are undefined")
    elif positives > MAJORITY * everything:
        of = "weight" if weighted else "cases"
        yield Note("BR110", f"the positive class is {percent(positives / everything)} of the {of}; was the rare class meant?")


def _prevalence_bound(cases: int) -> float:
    """Clopper-Pearson's one-sided 95 % upper bound, in percent, when none of the cases is positive."""
    return -100 * math.expm1(math.log(0.05) / cases)


def _values(cells: Cells) -> Iterator[Note]:
    scores = cells.scores
    if len(scores) == 1:
        yield Note("BR206", f"every score is {quoted(scores[0].item())}: no threshold separates anything")
    elif len(scores) == 2:
        yield Note("BR205", "only 2 distinct scores: one operating point; the curve is that point and its corners")
    if not np.isfinite(scores[[0, -1]]).all():
        yield Note("BR218", "some scores are infinite: they rank beyond every finite score, and no probability measure is defined for them")
    if len(scores) == 2 and scores[0] == 1 and scores[1] == 0:
        if not cells.negatives[0] and not cells.positives[1]:
            yield Note("BR112", "the scores are 0 and 1 and separate the classes perfectly: has the label leaked into the score?")
        else:
            yield Note("BR111", "the scores are only 0 and 1: if labels and scores were swapped, precision and recall changed places")


def _ties(cells: Cells, everything: float) -> Iterator[Note]:
    if len(cells.scores) <= 2 or cells.positives.dtype == np.float64:  # masses do not say how many cases tie
        return
    sizes = cells.positives + cells.negatives
    largest = int(np.argmax(sizes))
    share, score = sizes[largest] / everything, cells.scores[largest].item()
    if sizes[largest] < 2 or share < LARGE_TIE:
        return
    if score in (0, 1) and cells.scores[0] <= 1 and cells.scores[-1] >= 0:
        yield Note("BR210", f"{percent(share)} of the scores are exactly {score}: the order among them is arbitrary")
    else:
        yield Note("BR216", f"{percent(share)} of the scores tie at {quoted(score)}: a budget that ends inside a tie is met on average only")


def _range(cells: Cells) -> Iterator[Note]:
    finite = cells.scores[np.isfinite(cells.scores)]
    if not len(finite) or (finite[0] <= 1 + ROUNDING and finite[-1] >= -ROUNDING):
        return
    span = f"scores span {finite[-1].item():.6g} to {finite[0].item():.6g}: ranking measures are unaffected; these are not probabilities"
    if finite[-1] >= 0 and finite[0] <= 100:
        yield Note("BR202", f"{span} (percent?)")
    else:
        yield Note("BR203", f"{span} (logits or points?)")


def _direction(auc: float, error: float) -> Iterator[Note]:
    """Reversed scores are told, never turned: AUC well below one half, and by more than chance explains."""
    if auc < min(REVERSED, 0.5 - 2 * error):
        text = f"AUC {auc:.3g} is below 0.5: the scores look reversed"
        yield Note("BR207", text, Fix("negate the scores, if low means positive", "--lower-is-positive, if low means positive"))


def _chance_error(cells: Cells) -> float:
    """The standard error of AUC for a score that knows nothing (Mann & Whitney)."""
    ours, theirs = _sample_size(cells.positives), _sample_size(cells.negatives)
    return math.sqrt((ours + theirs + 1) / (12 * ours * theirs))


def _sample_size(values: npt.NDArray[Any]) -> float:
    """Cases, or for masses Kish's effective number of cells: masses do not say how many cases they stand for."""
    if values.dtype == np.int64:
        return total(values)
    scaled = values / values.max()
    return float(scaled.sum() ** 2 / square_sum(scaled))
