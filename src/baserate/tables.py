"""Tables for a person: plain text, aligned, undefined numbers as a dash."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from baserate.calculator import Rates, Solved
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint, setting
from baserate.decisions.searching import is_better
from baserate.errors import escaped, grouped, quoted
from baserate.measures.values import parse
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


HEADINGS = {
    "tpr": "recall (tpr)",
    "fpr": "fpr",
    "precision": "precision (PPV)",
    "npv": "npv",
    "posfrac": "flagged (posfrac)",
    "expected_cost": "cost a case",
    "alerts": "alerts",
    "caught": "caught",
    "missed": "missed",
}
PER_VOLUME = ("alerts", "caught", "missed")
Points = Mapping[str, Sequence[OperatingPoint]]


def of_points(points: Points) -> Iterator[str]:
    """A table for each set of conditions and each rule: one line a model."""
    everything = [(name, point) for name, some in points.items() for point in some]
    order = dict.fromkeys(_asked(point) for _, point in everything)
    for asked in order:
        rows = [(name, point) for name, point in everything if _asked(point) == asked]
        yield f"{_heading(rows[0][1])}\n\n{_table(rows)}"


def of_choices(points: Points) -> Iterator[str]:
    """The same, after one sentence that says which model to choose, and where to set it."""
    blocks = list(of_points(points))
    everything = [(name, point) for name, some in points.items() for point in some]
    for i, (asked, block) in enumerate(zip(dict.fromkeys(_asked(point) for _, point in everything), blocks, strict=True)):
        rows = [(name, point) for name, point in everything if _asked(point) == asked]
        yield ("\n" if i else "") + f"{_verdict(rows)}\n\n{block.partition(chr(10) * 2)[2]}"
        for _, point in rows:
            if point.theory is not None and point.cut is not None:
                yield _theory(point)


def _asked(point: OperatingPoint) -> tuple[str, str, str]:
    return str(point.at), point.rule, point.optimized


def _heading(point: OperatingPoint) -> str:
    if point.rule:
        return f"At {point.at}, with {escaped(point.rule)}:"
    return f"At {point.at}, {'the best ' + HEADINGS.get(point.optimized, point.optimized) if point.optimized else 'as set'}:"


def _verdict(rows: Sequence[tuple[str, OperatingPoint]]) -> str:
    """Which model, in words; models that cannot be told apart are named together."""
    best = [rows[0]]
    measure = parse(rows[0][1].optimized, rows[0][1].volume)
    for row in rows[1:]:
        if is_better(measure, row[1].confusion, best[0][1].confusion, row[1].at):
            best = [row]
        elif not is_better(measure, best[0][1].confusion, row[1].confusion, row[1].at):
            best.append(row)
    first = rows[0][1]
    rule = f", with {escaped(first.rule)}" if first.rule else ""
    if len(rows) == 1:
        return f"At {first.at}{rule}: {setting(first)}."
    names = " or ".join(quoted(name, quotes=False) for name, _ in best)
    where = f", {setting(best[0][1])}" if len(best) == 1 else ""
    return f"At {first.at}{rule}: choose {names}{where}{_margin(best, rows, first)}."


def _margin(best: Sequence[tuple[str, OperatingPoint]], rows: Sequence[tuple[str, OperatingPoint]], first: OperatingPoint) -> str:
    """How much better, in the units of what was made best."""
    losers = [row for row in rows if row not in best]
    if not losers:
        return ""
    name = "caught" if first.optimized == "tpr" and first.volume is not None else first.optimized
    values = [digits(best[0][1][name], 4), *(digits(row[1][name], 4) for row in losers)]
    return f" ({HEADINGS.get(name, name)} {values[0]} against {', '.join(values[1:])})"


def _table(rows: Sequence[tuple[str, OperatingPoint]]) -> str:
    names = [name for name in HEADINGS if name not in PER_VOLUME or rows[0][1].volume is not None]
    headings = ("model", "set at", *(HEADINGS[name] for name in names))
    lines = [(quoted(model, quotes=False), setting(point), *(_cell(point, name) for name in names)) for model, point in rows]
    return aligned(headings, lines)


def _cell(point: OperatingPoint, name: str) -> str:
    value = point[name]
    return f"{value:,.2f}".replace(",", " ") if name in PER_VOLUME and not math.isnan(value) else digits(value, 4)


def _theory(point: OperatingPoint) -> str:
    theory, cut = point.theory, point.cut
    assert theory is not None
    assert cut is not None
    where = f"score >= {digits(cut.score, 6)} (corrected probability {digits(cut.probability, 6)})"
    cost = f"cost a case {digits(theory.expected_cost, 4)} against {digits(point.expected_cost, 4)}"
    return f"\nIn theory, for calibrated scores: {where}; {cost} at the threshold chosen here."


def _span(rate: Solved) -> str:
    if rate.low is None or rate.high is None or rate.low == rate.high:
        return ""
    return f"{digits(rate.low, 4)} or more" if math.isinf(rate.high) else f"{digits(rate.low, 4)} to {digits(rate.high, 4)}"


def of_rates(rates: Rates) -> str:
    """What the calculator found: each rate, and the range that rounding leaves open."""
    rows = []
    for name in rates:
        rate = rates[name]
        rows.append((name, digits(rate.value, 4), _span(rate), "given" if rate.given else ""))
    rows += [(name, UNDEFINED, reason, "") for name, reason in rates.undefined.items()]
    return aligned(("rate", "value", "with rounding", ""), rows)
