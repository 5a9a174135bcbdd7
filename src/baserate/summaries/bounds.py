"""Summaries of bins: between which values the summary of the exact scores lies."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from baserate.decisions.merged import bins_note
from baserate.points import Points
from baserate.readings import Bounds, Reading

Summary = TypeVar("Summary", bound=Callable[..., float])
# Both ends are rounded sums; a share stays one.
ROUNDING = 1e-13


def bounded(least: Callable[..., float] | None = None) -> Callable[[Summary], Summary]:
    """A summary that only gets better where a ROC lies higher: of bins it carries the values of the highest and lowest ROC possible.

    `least` is the summary of the lowest ROC, where tied positives make another difference.
    """

    def with_bounds(summary: Summary) -> Summary:
        @wraps(summary)
        def read(counts: Any, **options: Any) -> float:
            value = summary(counts, **options)
            if not isinstance(value, Reading):
                return value
            points = Points.of(counts)
            if not points.coarse:
                return value
            highest, lowest = points.extreme(best=True), points.extreme(best=False)
            ends = float(summary(highest, **options)), float((least or summary)(lowest, **options)), float(value)
            low, high = min(ends), max(ends)
            bounds = Bounds(low - ROUNDING * abs(low), min(high + ROUNDING * abs(high), max(high, 1.0)))
            notes = [note for note in value.notes if note.code != "BR232"]
            return Reading(value, (bins_note(value.name.partition("(")[0], bounds), *notes), value.name, bounds)

        return cast("Summary", read)

    return with_bounds
