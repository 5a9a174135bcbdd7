"""SQL that counts where the data lie, in engines that are not reached from here, and its result
read back into counts.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array, binned
from baserate.counts.counts import Counts, rounded_to_bins
from baserate.errors import (
    RANDOM,
    Fix,
    InputError,
    Source,
    checked_design,
    quoted,
    refuse,
    refuse_file,
    relocate_problems,
)
from baserate.numbers import Ints
from baserate.read.cases import CaseColumns, as_scores, count_cases
from baserate.read.columns import Column, as_column
from baserate.read.files import read_columns
from baserate.read.frames import (
    check_columns_of_frame,
    checked_treatment,
    collected,
    column_of,
    lazily,
)
from baserate.read.source import Options, shown_source
from baserate.read.table import ColumnRoles, SourceColumns, is_query, one_statement
from baserate.read.treatments import Treatment

# ----------------------------------------------------------------------
# The queries. Columns are renamed in a query of their own, so that no name of the table is taken
# for one of ours, and every name is quoted.


class Dialect(NamedTuple):
    """How an engine quotes a name, what it calls a float64, and how it tells NaN."""

    quote: str
    float64: str
    is_nan: str
    backslash: bool = False  # a backslash escapes inside of a quoted name

    def name(self, text: Any) -> str:
        """A name as this engine takes it, whatever is in it."""
        if not isinstance(text, str) or not text or "\0" in text:
            raise refuse(
                "BR718", f"a column or table has a name, got {quoted(text)}", "write its name"
            )
        if self.backslash:
            text = text.replace("\\", "\\\\").replace(self.quote, f"\\{self.quote}")
        else:
            text = text.replace(self.quote, 2 * self.quote)
        return f"{self.quote}{text}{self.quote}"

    def table(self, text: str) -> str:
        """A table, with what holds it in front of dots; a part that is quoted already stays."""
        q = re.escape(self.quote)
        inside = rf"[^{q}\\]|\\." if self.backslash else rf"[^{q}]|{q}{q}"
        part = rf"{q}(?:{inside})+{q}|[^.{q}]+"
        if not re.fullmatch(rf"(?:{part})(?:\.(?:{part}))*", text, flags=re.DOTALL):
            raise refuse(
                "BR718",
                f"{quoted(text)} is no name of a table, and no query",
                f"write schema.table, {self.name('odd.name')}, or SELECT …",
            )
        parts = re.findall(part, text, flags=re.DOTALL)
        return ".".join(one if one.startswith(self.quote) else self.name(one) for one in parts)


EQUAL = "{0} = CAST('NaN' AS {1})"  # where NaN equals itself
DIALECTS = {
    "snowflake": Dialect('"', "DOUBLE", EQUAL),
    "bigquery": Dialect("`", "FLOAT64", "IS_NAN({0})", backslash=True),
    "clickhouse": Dialect("`", "Nullable(Float64)", "isNaN({0})", backslash=True),
    "trino": Dialect('"', "DOUBLE", "is_nan({0})"),
    "redshift": Dialect('"', "DOUBLE PRECISION", EQUAL),
    "postgres": Dialect('"', "DOUBLE PRECISION", EQUAL),
    "duckdb": Dialect('"', "DOUBLE", "isnan({0})"),
    "spark": Dialect("`", "DOUBLE", "isnan({0})"),
}
EXACT = """\
SELECT {label}, {score}, COUNT(*) AS {cases}
FROM (
  SELECT t.{its_label} AS {label}, t.{its_score} AS {score}
  FROM {source} AS t
) AS named
GROUP BY {label}, {score}"""
# NaN becomes NULL, so that what has no score is one group in every engine.
BINNED = """\
SELECT {label}, MIN({score}) AS {lowest}, MAX({score}) AS {highest}, COUNT(*) AS {cases},
  {per_unit} AS {bins}, {first} AS {low}, {last} AS {high}
FROM (
  SELECT {label}, {score},
    CASE WHEN {score} < {first} THEN {below} WHEN {score} >= {last} THEN {above}
      ELSE FLOOR({score} * {per_unit}) END AS {bin}
  FROM (
    SELECT {label}, CASE WHEN {is_nan} THEN NULL ELSE {number} END AS {score}
    FROM (
      SELECT t.{its_label} AS {label}, CAST(t.{its_score} AS {float64}) AS {number}
      FROM {source} AS t
    ) AS named
  ) AS numbers
) AS binned
GROUP BY {label}, {bin}"""
OF_SCORES = ("label", "score", "cases")
OF_BINS = ("label", "lowest", "highest", "cases", "bins", "low", "high")
MOST_BINS = 1 << 24


def counting_sql(
    dialect: str,
    source: str,
    /,
    *,
    label: str,
    score: str,
    bins: int | None = None,
    low: int = 0,
    high: int = 1,
) -> str:
    """Which SQL counts the cases of each label and score, in an engine that baserate does not
    reach?

    `dialect` is snowflake, bigquery, clickhouse, trino, redshift, postgres, duckdb or spark;
    `source` a table, with its schema in front of a dot, or one SELECT. Names are quoted, so write
    them as the engine stores them (Snowflake: mostly in upper case). One row per label and distinct
    score comes back, also for rows without a label or a score, which are refused or left out, as
    requested, when `count(result, counted=True)` reads it.

    With `bins` scores are rounded down: that many bins per unit of score between the whole numbers
    `low` and `high`, and one bin below and one above them, each named by its lowest score. The
    cases of a bin then count as tied. The number is a power of two, so that every engine computes
    the same bins.

    >>> import baserate as br, duckdb
    >>> print(br.counting_sql("duckdb", "logs.scores", label="fraud", score="m"))
    SELECT "label", "score", COUNT(*) AS "cases"
    FROM (
      SELECT t."fraud" AS "label", t."m" AS "score"
      FROM "logs"."scores" AS t
    ) AS named
    GROUP BY "label", "score"
    >>> rows = "SELECT i % 50 = 0 AS y, i / 1000 AS s FROM range(1000) AS t(i)"
    >>> binned = br.counting_sql("duckdb", rows, label="y", score="s", bins=64)
    >>> br.count(duckdb.sql(binned), counted=True)
    Counts: 20 positives, 980 negatives, 64 distinct scores, prior 0.0200
    """
    known = DIALECTS.get(dialect) if isinstance(dialect, str) else None
    if known is None:
        near = difflib.get_close_matches(str(dialect).casefold(), DIALECTS, n=1)
        fix = near[0] if near else f"one of {', '.join(DIALECTS)}"
        raise refuse("BR955", f"there is no SQL dialect {quoted(dialect)}", fix)
    if not isinstance(source, str) or not source.strip():
        raise refuse(
            "BR718", f"a table or query is text, got {quoted(source)}", 'counting_sql(…, "logs")'
        )
    taken = (
        f"(\n{one_statement('', source)}\n)" if is_query(source) else known.table(source.strip())
    )
    names = {name: known.name(name) for name in (*OF_SCORES, *OF_BINS, "bin", "number")}
    names |= {"its_label": known.name(label), "its_score": known.name(score), "source": taken}
    if bins is None:
        if (low, high) != (0, 1):
            raise refuse("BR220", "low and high are ends of bins, and none are requested", BINS)
        return EXACT.format(**names)
    check_grid(bins, low, high)
    grid = {"per_unit": bins, "first": low, "last": high}
    grid |= {"below": low * bins - 1, "above": high * bins}
    is_nan = known.is_nan.format(names["number"], known.float64)
    return BINNED.format(**names, **grid, is_nan=is_nan, float64=known.float64)


BINS = Fix("bins=1024", "--bins 1024")


def check_grid(bins: Any, low: Any, high: Any) -> None:
    """Refuse edges that not every engine would compute alike, and more bins than can be read."""
    whole = [
        isinstance(one, int | np.integer) and not isinstance(one, bool) for one in (bins, low, high)
    ]
    if not whole[0] or bins < 1 or int(bins) & (int(bins) - 1):
        text = f"bins per unit of score are a power of two, got {quoted(bins)}"
        raise refuse("BR220", text, BINS)
    if not all(whole) or low >= high:
        raise refuse(
            "BR220",
            f"bins lie between two whole numbers, got {quoted(low)} and {quoted(high)}",
            Fix("low=0, high=1", "--low 0 --high 1"),
        )
    if max(high - low, high, -low) * bins > MOST_BINS:
        text = f"{bins} bins per unit from {low} to {high} are more than {MOST_BINS}"
        raise refuse("BR220", text, "fewer bins per unit, or a shorter range")


# ----------------------------------------------------------------------
# The result of such a query: each row stands for several cases.


def count_result(
    source: Any,
    *,
    positive: Any = None,
    design: str = RANDOM,
    **options: Any,
) -> Counts:
    """The counts in the result of `counting_sql`: a file of it, or a frame of any engine."""
    checked_design(design)
    if isinstance(source, str | os.PathLike):
        return of_file(os.fspath(source), Options.of(options), positive, design)
    columns = _columns_of(source)
    wanted = ColumnRoles("label", (), positive, design=design)
    return _counts(columns, wanted, checked_treatment(options))[0]


def of_file(path: str, options: Options, positive: Any = None, design: str = RANDOM) -> Counts:
    """The same of a file."""
    treatment = checked_treatment(asdict(options.treatment))
    wanted = ColumnRoles("label", ("score",), positive, "cases", design=design)
    try:
        table = read_columns(path, wanted, options)
    except InputError as error:
        if error.code != "BR613":
            raise
        table = _of_bins(path, wanted, options)
    columns = {name: as_column(values, quoted(name)) for name, values in table.columns.items()}
    shown = shown_source(path)
    with relocate_problems(lambda where: replace(where, path=shown)):
        counts, value = _counts(columns, wanted, treatment)
    ledger = counts.ledger
    rows = ledger.rows_read, ledger.rows_used, ledger.rows_refused
    used = Source(shown, table.sha256, *rows, "label", "" if value is None else str(value))
    ledger = replace(ledger, sources=(used,))
    notes = (*table.notes, *counts._recorded)
    return Counts._of(counts._cells, ledger, notes)


def _of_bins(path: str, wanted: ColumnRoles, options: Options) -> SourceColumns:
    numbers = tuple(name for name in OF_BINS if name not in ("label", "cases"))
    try:
        return read_columns(path, replace(wanted, scores=numbers), options)
    except InputError as error:
        if error.code == "BR613":
            raise _other(shown_source(path)) from None
        raise


def _other(shown: str) -> InputError:
    text = f"is no result of counting_sql: its columns are not {', '.join(OF_SCORES)}"
    return refuse_file(
        shown, "BR613", text, f"run the SQL as it is; with bins {', '.join(OF_BINS)}"
    )


def _columns_of(frame: Any) -> dict[str, Column]:
    """The columns of a result in any engine, collected."""
    lazy = lazily(frame)
    have = set(lazy.collect_schema().names())
    names = next((names for names in (OF_SCORES, OF_BINS) if have.issuperset(names)), None)
    if names is None:
        raise _other("")
    found = collected(lazy.select(*names))
    return {name: column_of(found[name], name) for name in names}


def _counts(
    columns: Mapping[str, Column], wanted: ColumnRoles, treatment: Treatment
) -> tuple[Counts, object]:
    """The counts, and the label that was found to be positive."""
    name = "score" if "score" in columns else "lowest"
    # The highest scores travel beside the lowest.
    beside = {"highest": columns["highest"]} if "highest" in columns else {}
    times = _times(columns["cases"])
    if not times.sum():
        raise refuse("BR602", "there are no rows", "give the result of the SQL")
    given = CaseColumns(columns["label"], {name: columns[name]}, beside=beside, times=times)
    cases = check_columns_of_frame(given, wanted, treatment)
    if not beside:
        return count_cases(cases, name), cases.label
    lows, highs = (
        values.astype(np.float64) + 0.0
        for values in (cases.scores[name], as_scores(cases.beside["highest"]))
    )
    edges = _edges(columns)
    bins, above = (np.searchsorted(edges, values, side="right") for values in (lows, highs))
    if (bins != above).any() or (lows > highs).any():
        raise _damaged("a row holds scores of several bins", np.flatnonzero(bins != above))
    positives, negatives, notes = cases.one_by_one()
    cells, tops = binned(bins, lows, highs, positives, negatives)
    notes = (*notes, *rounded_to_bins(cells.scores, tops))
    return Counts._of(cells, cases.ledger, notes), cases.label


def _times(column: Column) -> Ints:
    """How many cases each row stands for."""
    gone = column.missing_rows()
    if len(gone):
        raise _damaged(f"{column.name} is missing", gone)
    values = as_scores(column)
    bad = np.flatnonzero(~(values >= 0) | (values != np.floor(values)) | (values > 2.0**62))
    if len(bad):
        raise _damaged(f"{column.name} is not a number of cases", bad)
    return values.astype(np.int64)


def _edges(columns: Mapping[str, Column]) -> Array:
    """The edges of the bins, which every row says."""
    said = []
    for name in ("bins", "low", "high"):
        values = np.unique(as_scores(columns[name]))
        if len(values) > 1:
            raise refuse(
                "BR409",
                f"{columns[name].name} has several values: results of different bins",
                "read each result by itself",
            )
        said += [int(one) if one == np.floor(one) else one for one in values.tolist()]
    bins, low, high = said
    check_grid(bins, low, high)
    return np.arange(low * bins, high * bins + 1) / bins


def _damaged(text: str, rows: Any) -> InputError:
    return refuse("BR222", text, "give the result of the SQL as it is", rows[:3], len(rows))
