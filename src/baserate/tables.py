"""Tables for a person: plain text, aligned, undefined numbers as a dash."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from baserate.counts import Counts
from baserate.errors import grouped, quoted
from baserate.summaries import auc

UNDEFINED = "—"
HEADINGS = ("model", "positives", "negatives", "distinct scores", "base rate (prior)", "AUC")


def of_models(models: Mapping[str, Counts]) -> str:
    """One line a model: what was counted, and how well the score ranks."""
    rows = [
        (
            quoted(name, quotes=False),
            grouped(counts.total_positives),
            grouped(counts.total_negatives),
            grouped(len(counts.scores)),
            digits(counts.prior, 3),
            digits(auc(counts), 4),
        )
        for name, counts in models.items()
    ]
    return aligned(HEADINGS, rows)


def conditions(models: Mapping[str, Counts]) -> str:
    """What was assumed: always said, also when it is the default."""
    priors = {digits(counts.prior, 3) for counts in models.values()}
    return f"Conditions: prior {' or '.join(sorted(priors))}, as in the sample; equal costs (fp = 1, fn = 1)."


def digits(value: float, count: int) -> str:
    """So many significant digits, trailing zeros kept; a dash for what is undefined."""
    return UNDEFINED if math.isnan(value) else f"{value:#.{count}g}"


def aligned(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, the numbers to the right."""
    widths = [max(len(row[i]) for row in (headings, *rows)) for i in range(len(headings))]
    lines = [
        "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))).rstrip()
        for row in (headings, *rows)
    ]
    return "\n".join(lines)
