"""What a reader should know of any counts, read off the cells: always true of the value at hand, also after adding."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from baserate.errors import grouped, quoted
from baserate.exact import share_won, total
from baserate.kernels import Cells
from baserate.notes import Note

# From these shares on, a remark is worth a line.
MAJORITY = 0.75
LARGE_TIE = 0.05


def observe(cells: Cells, *, merged: bool) -> tuple[Note, ...]:
    """Every remark that holds for these cells. Where cells were merged, nothing is said of distinct scores and ties."""
    if not len(cells.scores):
        return ()
    positives, negatives = total(cells.positives), total(cells.negatives)
    return (
        *_classes(positives, negatives),
        *(() if merged else _values(cells)),
        *(() if merged else _ties(cells, positives + negatives)),
        *_range(cells),
        *_direction(cells, positives, negatives),
    )


def _classes(positives: float, negatives: float) -> Iterator[Note]:
    everything = positives + negatives
    if not positives:
        bound = "" if isinstance(everything, float) else f"; upper bound on prevalence {_prevalence_bound(everything):.3g} % (95 %, one-sided)"
        yield Note("BR104", f"no positives in {grouped(everything)} cases: recall, precision and AUC are undefined{bound}")
    elif not negatives:
        yield Note("BR104", f"no negatives in {grouped(everything)} cases: false positive rate and AUC are undefined")
    elif positives > MAJORITY * everything:
        yield Note("BR110", f"the positive class is {100 * positives / everything:.3g} % of the cases; was the rare class meant?")


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
            yield Note("BR112", "the scores separate the classes perfectly and equal the label: has the label leaked into the score?")
        else:
            yield Note("BR111", "labels and scores are both 0 or 1: if they were swapped, precision and recall changed places")


def _ties(cells: Cells, everything: float) -> Iterator[Note]:
    if len(cells.scores) <= 2 or cells.positives.dtype == np.float64:  # masses do not say how many cases tie
        return
    sizes = cells.positives + cells.negatives
    largest = int(np.argmax(sizes))
    share, score = sizes[largest] / everything, cells.scores[largest].item()
    if sizes[largest] < 2 or share < LARGE_TIE:
        return
    saturated = score in (0, 1) and cells.scores[0] <= 1 and cells.scores[-1] >= 0
    if saturated:
        yield Note("BR210", f"{100 * share:.3g} % of the scores are exactly {score}: the order among them is arbitrary")
    else:
        yield Note("BR216", f"{100 * share:.3g} % of the scores tie at {quoted(score)}: a budget that ends inside a tie is met on average only")


def _range(cells: Cells) -> Iterator[Note]:
    finite = cells.scores[np.isfinite(cells.scores)]
    if not len(finite) or (finite[0] <= 1 and finite[-1] >= 0):
        return
    span = f"scores span {finite[-1].item():.6g} to {finite[0].item():.6g}"
    if finite[-1] >= 0 and finite[0] <= 100:
        yield Note("BR202", f"{span}: ranking measures are unaffected; these are not probabilities (percent?)")
    else:
        yield Note("BR203", f"{span}: ranking measures are unaffected; these are not probabilities (logits?)")


def _direction(cells: Cells, positives: float, negatives: float) -> Iterator[Note]:
    """Reversed scores are told, never turned: AUC below one half by two standard errors of chance."""
    if not positives or not negatives:
        return
    auc = share_won(cells.positives, cells.negatives)
    if auc < 0.5 - 2 * _chance_error(cells, positives, negatives):
        yield Note("BR207", f"AUC {auc:.3g} is below 0.5: the scores look reversed. If low means positive, negate them")


def _chance_error(cells: Cells, positives: float, negatives: float) -> float:
    """The standard error of AUC for a score that knows nothing (Mann & Whitney); masses say nothing of cases, so cells stand in."""
    if cells.positives.dtype == np.float64:
        positives, negatives = int(np.count_nonzero(cells.positives)), int(np.count_nonzero(cells.negatives))
    return math.sqrt((positives + negatives + 1) / (12 * positives * negatives))
