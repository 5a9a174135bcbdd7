"""`compare_frame`: is one model really better than another, on more cases than fit into memory?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from baserate.counts import Counts
from baserate.engines.frames import MOST_CELLS, check_models, checked_cells
from baserate.engines.pairing import Paired, paired_sums
from baserate.engines.tallies import checked_treatment, opened
from baserate.engines.wanted import Wanted
from baserate.errors import quoted, refuse
from baserate.summaries.ranking import auc, one_class
from baserate.uncertainty.delong import DELONG, DELONG_T, of_pair
from baserate.uncertainty.pairing import adjusted
from baserate.uncertainty.placements import Pair
from baserate.uncertainty.values import Difference, checked_level


def compare_frame(
    frame: Any,
    *,
    label: str,
    scores: Sequence[str],
    positive: Any = None,
    level: float = 0.95,
    method: str | None = None,
    cells: int = MOST_CELLS,
    **treatment: Any,
) -> tuple[Difference, ...]:
    """Which of several models differ in AUC, on the rows of a data frame of any engine? Every pair, with Holm's adjustment, by DeLong's test.

    The values are those of `compare_all(auc, ...)` on the same rows, from two passes over them. No negative comes here: the first pass brings
    the positives' scores, side by side (no more than `cells` rows of them), the second counts the negatives between them, and adds up how
    differently two models place each. Models that place every case alike differ by 0 with p = 1.

    >>> import baserate as br, polars
    >>> frame = polars.LazyFrame({"y": [0] * 60 + [1] * 40, "a": range(100), "b": [*range(20, 80), *range(60, 100)]})
    >>> br.compare_frame(frame, label="y", scores=["a", "b"])[0]
    Difference: auc of b - a -0.08333, 95 % from -0.1339 to -0.03276, p = 0.00149, 0.00149 after Holm (delong-t)
    """
    wanted = Wanted(label, tuple(scores), positive)
    check_models(wanted.scores)
    if len(wanted.scores) < 2:
        raise refuse("BR595", "a comparison needs two models", 'scores=["a", "b"]')
    if method not in (None, DELONG, DELONG_T):
        raise refuse(
            "BR581", f"there is no method {quoted(method)} to compare auc where the rows lie", f"leave it out, or {DELONG}, {DELONG_T}"
        )
    checked_level(level)
    counts, pairs = paired_sums(opened(frame, wanted), wanted, checked_treatment(treatment), checked_cells(cells))
    missing = one_class(next(iter(counts.values())))
    if missing:
        raise refuse("BR552", f"{missing}: models cannot be compared", "give cases of both classes")
    return adjusted([of_pair(_pair(counts, pair), pair.models, level, method, same=not _apart(pair)) for pair in pairs])


def _apart(pair: Paired) -> bool:
    return bool(pair.positives.squares or pair.negatives.squares)


def _pair(counts: dict[str, Counts], pair: Paired) -> Pair:
    """The variance of the differences within each class, rounded once."""
    first, second = (counts[name] for name in pair.models)
    positives, negatives = pair.positives.cases, pair.negatives.cases
    of_classes = pair.positives.variance(2 * negatives), pair.negatives.variance(2 * positives)
    return Pair((float(auc(first)), float(auc(second))), positives, negatives, *of_classes)
