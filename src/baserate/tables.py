"""Tables for a person: plain text, aligned, undefined numbers as a dash."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from baserate.counts import Counts
from baserate.errors import escaped, grouped, quoted
from baserate.notes import Source
from baserate.summaries import auc

UNDEFINED = "—"
COUNTED = ("model", "positives", "negatives", "distinct scores", "base rate (prior)", "AUC")
WEIGHED = ("model", "positive weight", "negative weight", "distinct scores", "base rate (prior)", "AUC")


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
    return aligned(WEIGHED if _weighted(models) else COUNTED, rows)


def conditions(models: Mapping[str, Counts]) -> str:
    """What was assumed: always said, also when it is the default."""
    priors = {digits(counts.prior, 3) for counts in models.values()}
    sample = "weighted sample" if _weighted(models) else "sample"
    return f"Conditions: prior {' or '.join(sorted(priors))}, as in the {sample}; equal costs (fp = 1, fn = 1)."


def source(used: Source) -> str:
    """Where the numbers come from: the file, its rows, and what was read as positive."""
    positive = f"positive = {quoted(used.positive)}" if used.positive else "no positives"
    weight = f"; weighted by {quoted(used.weight)}" if used.weight else ""
    rows = f"{grouped(used.rows_read)} rows read, {grouped(used.rows_used)} used"
    return f"{escaped(used.path)}: {rows}; {positive} in {quoted(used.label)}{weight}"


def _weighted(models: Mapping[str, Counts]) -> bool:
    return any(counts.weighted for counts in models.values())


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
