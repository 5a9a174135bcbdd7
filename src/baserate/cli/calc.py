"""`baserate calc`: from published rates or tables to everything else, at your base rate."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import click
from click.core import ParameterSource

from baserate import notation
from baserate.cli import options
from baserate.cli.runner import Request, Result, check_unused, command, shares
from baserate.conditions import Conditions
from baserate.errors import InputError, Note, grouped, quoted, refuse, refuse_file
from baserate.inference.intervals import interval
from baserate.measures.calculator import GIVEN, PRIOR, solve_rates
from baserate.measures.confusion import Confusion, Measure, measure, parse
from baserate.measures.registry import CATALOGUE
from baserate.notation import MOST_CASES
from baserate.numbers import Undefined
from baserate.results.notes import merge_notes
from baserate.results.values import Interval
from baserate.views import document, tables

ALSO = {PRIOR: ("base-rate", "prevalence")}
CELLS = ("tp", "fn", "fp", "tn")
NAMES = ("name", "table", "study", "test", "model")
MOST_TABLES = 10_000
# In which order the cells of a table are typed: the positives first, or row by row, as a 2×2 table
# is printed whose rows are the results of the test (and as epiR in R wants it).
ORDERS = {"classes": CELLS, "rows": ("tp", "fp", "fn", "tn")}
EXAMPLE = "--table tp=100,fn=9,fp=1,tn=108, or --table 100,9,1,108 (tp,fn,fp,tn)"


def _rates(function: options.Command) -> options.Command:
    """An option a rate, under its own name and under every synonym that an option can be called."""
    for name in reversed((PRIOR, *GIVEN)):
        synonyms = [*ALSO.get(name, ()), *(CATALOGUE[name].synonyms if name in CATALOGUE else ())]
        words = dict.fromkeys(
            word.casefold().replace(" ", "-").replace("_", "-") for word in (name, *synonyms)
        )
        flags = [
            f"--{word}"
            for word in words
            if word.isascii()
            and word.replace("-", "").isalnum()
            and word[0].isalpha()
            and len(word) > 1
        ]
        text = (
            "The share of positives; several comma-separated."
            if name == PRIOR
            else CATALOGUE[name].text
        )
        # Two names are shown; the others are accepted as well.
        function = click.option(name, *flags[:2], metavar="SHARE", multiple=True, help=text)(
            function
        )
        for flag in flags[2:]:
            function = click.option(
                flag, f"{name}_{flag.strip('-').replace('-', '_')}", hidden=True, multiple=True
            )(function)
    return function


@command("calc")
@click.argument("path", metavar="[TABLES.csv]", required=False)
@click.option(
    "--table",
    "cells",
    multiple=True,
    metavar="[NAME=]tp=TP,fn=FN,fp=FP,tn=TN",
    help="A published confusion table, in cases: tp=90,fn=10,fp=50,tn=950, or 90,10,50,950. May be"
    " repeated.",
)
@click.option(
    "--order",
    type=click.Choice([*ORDERS]),
    default="classes",
    show_default=True,
    help="Order of cells without names: classes is tp,fn,fp,tn; rows is tp,fp,fn,tn, a 2×2 table"
    " row by row, with the results of the test as rows (as in epiR).",
)
@_rates
@click.option(
    "--rounding",
    is_flag=True,
    help="Show the range that the rounding of the given rates leaves open, which is no confidence"
    " interval.",
)
@options.listed("costs", "profits", "volume")
@options.listed("measures", help="A column of the league table, repeated or comma-separated.")
@click.option(
    "--sort",
    metavar="MEASURE",
    help="Order of the league table (default: expected_cost with costs, else precision).",
)
@options.listed("level")
@options.answer
def calc(
    request: Request,
    cells: tuple[str, ...],
    order: str,
    rounding: bool,
    measures: tuple[str, ...],
    sort: str | None,
    **words: tuple[str, ...],
) -> Result:
    """Derive every rate from any three independent ones, as published and rounded, or report that
    they contradict each other. With --table, or a CSV of tables (columns name, tp, fn, fp, tn): a
    league table at your base rate, with intervals.

    A rate means all values that round to it: 0.549 and 54.9% mean 0.5485 to 0.5495. The prior
    is exact. Rates have no interval, as the number of cases is not known; those of a table show its
    sampling error.

    \b
    Examples:
      baserate calc --tpr 0.8 --posfrac 0.549 --prior 0.5
      baserate calc --sensitivity 90% --specificity 85% --prior 0.2%,1%,5%
      baserate calc --tpr 95% --fpr 1% --prior "1 in 100000" --volume 1000000
      baserate calc --table tp=100,fn=9,fp=1,tn=108 --prior "1 in 10000" --volume 1e6
      baserate calc --table 90,50,10,950 --order rows
      baserate calc studies.csv --prior 0.1%,1% --cost fn=100,fp=1 --sort recall
    """
    given = _by_name(words)
    if cells or request.source.paths:
        rates = [name for name in given if name != PRIOR]
        if rates:
            raise refuse(
                "BR545",
                f"rates ({', '.join(rates)}) and a table are given together",
                "give the table alone: it determines the rates",
            )
        check_unused({"--rounding": rounding}, "on tables")
        return _league(request, cells, order, measures, sort, given.get(PRIOR))
    source = click.get_current_context().get_parameter_source("level")
    unused = {
        "--measure": measures,
        "--sort": sort,
        "--cost": request.conditions.costs,
        "--profit": request.conditions.profits,
        "--level": source is ParameterSource.COMMANDLINE,
    }
    check_unused(unused, "on rates alone: it needs a --table")
    written = given.pop(PRIOR) if PRIOR in given else None
    priors: list[str | None] = [None] if written is None else [*shares(written)]
    every = [solve_rates(**({} if prior is None else {PRIOR: prior}), **given) for prior in priors]
    notes = list(dict.fromkeys(note for rates in every for note in rates.notes))
    volume = request.conditions.cases
    return Result(
        notes,
        lambda: document.of_rates(every, volume),
        lambda: tables.of_rates(every, volume, rounding=rounding),
    )


def _by_name(words: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """What was given under any of the names of a rate."""
    given: dict[str, str] = {}
    for word, texts in words.items():
        name = next(
            name
            for name in sorted((PRIOR, *GIVEN), key=len, reverse=True)
            if word == name or word.startswith(f"{name}_")
        )
        for text in texts:
            if name in given:
                raise refuse("BR542", f"{name} is given twice", "give it once")
            given[name] = text
    return given


# ----------------------------------------------------------------------
# Published tables at one's own base rate.


def _league(
    request: Request,
    cells: tuple[str, ...],
    order: str,
    measures: tuple[str, ...],
    sort: str | None,
    prior: str | None,
) -> Result:
    conditions = replace(request.conditions, priors=() if prior is None else (prior,))
    volume, level = conditions.cases, request.intervals.level
    found: dict[str, Confusion] = {}
    for name, confusion in chain(
        _typed(cells, ORDERS[order]), *map(_in_file, request.source.paths)
    ):
        if name in found:
            raise refuse("BR551", f"two tables are called {quoted(name)}", "give each its own name")
        found[name] = confusion
    costs = conditions.costs_given
    usual = ("tpr", "fpr", "precision", *(("expected_cost",) if costs else ()))
    counted = ("alerts", "caught", "missed") if volume else ()
    asked = list(dict.fromkeys(parse(text, volume) for text in measures or (*usual, *counted)))
    by = parse(sort or ("expected_cost" if costs else "precision"), volume)
    asked += [by] if by not in asked and sort else []
    rows, notes = list[tables.LeagueRow](), list[Note]()
    for at in conditions.exact():
        block = [
            tables.LeagueRow(name, at, confusion, _read(confusion, asked, at, volume, level, notes))
            for name, confusion in found.items()
        ]
        rows += _sorted(block, by) if by in asked else block
    said = merge_notes(list(dict.fromkeys(notes)))
    return Result(
        said,
        lambda: tables.of_published_as_json(rows, said, str(by) if by in asked else None),
        lambda: [*describe_readings(cells, found), *tables.of_published(rows, asked, by, level)],
    )


def describe_readings(texts: Sequence[str], tables_read: Mapping[str, Confusion]) -> list[str]:
    """Return how each table was read whose cells were typed without names."""
    lines = []
    for text, (name, table) in zip(texts, tables_read.items(), strict=False):
        if text.count("=") < len(CELLS):
            whose = "" if len(texts) == 1 else f" of {quoted(name)}"
            counted = {cell: int(getattr(table, cell)) for cell in CELLS}
            read = ", ".join(f"{cell} {grouped(cases)}" for cell, cases in counted.items())
            lines.append(
                f"Read{whose} as {read}: {grouped(counted['tp'] + counted['fn'])} with the"
                f" condition, {grouped(counted['fp'] + counted['tn'])} without."
            )
    return ["\n".join(lines)] if lines else []


def _read(
    confusion: Confusion,
    asked: Sequence[Measure],
    at: Conditions,
    volume: float | None,
    level: float,
    notes: list[Note],
) -> dict[str, Interval | Undefined]:
    """Every measure with its interval, or why it is undefined."""
    found: dict[str, Interval | Undefined] = {}
    for one in asked:
        per = {"volume": volume} if one.counts_cases and volume else {}
        value = measure(name=one, source=confusion, at=at, **per)
        if isinstance(value, Undefined):
            found[str(one)] = value
            continue
        notes += value.notes
        found[str(one)] = interval(statistic=one, counts=confusion, at=at, level=level)
    return found


def _sorted(rows: Sequence[tables.LeagueRow], by: Measure) -> list[tables.LeagueRow]:
    """The best first; what is undefined last."""
    sign = -1 if by.direction == "higher" else 1

    def place(row: tables.LeagueRow) -> tuple[bool, float]:
        value = row.value(str(by))
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted(rows, key=place)


def _typed(texts: Sequence[str], order: Sequence[str]) -> Iterator[tuple[str, Confusion]]:
    """Tables as they are typed: NAME=TP,FN,FP,TN, or with the name of every cell."""
    for number, text in enumerate(texts, start=1):
        pairs = [part.rpartition("=") for part in text.split(",")]
        if len(pairs) != len(CELLS):
            raise refuse(
                "BR551",
                f"a table has four cells, got {quoted(text)}",
                EXAMPLE,
            )
        cells, name = [before.strip().casefold() for before, _, _ in pairs], pairs[0][0]
        cells[0] = cells[0].rpartition("=")[2].strip()
        if sorted(cells) == sorted(CELLS):
            name = name.rpartition("=")[0]
        elif any(cells[1:]) or cells[0] in CELLS:
            raise refuse("BR551", f"the cells are {', '.join(CELLS)}, got {quoted(text)}", EXAMPLE)
        else:
            cells = list(order)
        values = dict(zip(cells, (value for _, _, value in pairs), strict=True))
        plain = "table" if len(texts) == 1 else f"table {number}"
        yield name or plain, _confusion(values)


def _confusion(texts: Mapping[str, str]) -> Confusion:
    cells: dict[str, int] = {}
    for name, text in texts.items():
        value = notation.number(notation.without_thousands(text.strip()))
        if value is None or value.denominator != 1 or not 0 <= value <= MOST_CASES:
            raise refuse(
                "BR551",
                f"{name} must be a whole number of cases, got {quoted(text)}",
                "give the cells of the table, not rates: for rates use --tpr and --fpr",
            )
        cells[name] = value.numerator
    if not any(cells.values()):
        raise refuse("BR551", "a table has no cases", "leave it out")
    return Confusion(tp=cells["tp"], fp=cells["fp"], fn=cells["fn"], tn=cells["tn"])


def _in_file(path: str) -> Iterator[tuple[str, Confusion]]:
    """The tables of a CSV file, one per line."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise refuse_file(
            path,
            "BR600",
            "is not there",
            f"--table {path}" if len(path.split(",")) == len(CELLS) else "check the name",
        ) from None
    except UnicodeDecodeError:
        raise refuse_file(path, "BR601", "is not UTF-8", "save it as UTF-8") from None
    lines = csv.DictReader(io.StringIO(text, newline=""))
    columns = {name.strip().casefold(): name for name in lines.fieldnames or () if name}
    named = next((columns[name] for name in NAMES if name in columns), None)
    absent = [name for name in CELLS if name not in columns]
    if absent:
        raise refuse_file(
            path,
            "BR551",
            f"has no column {', '.join(map(quoted, absent))}",
            "columns name, tp, fn, fp, tn",
        )
    for number, line in enumerate(lines, start=1):
        if number > MOST_TABLES:
            raise refuse_file(path, "BR551", f"has more than {MOST_TABLES} tables", "split it")
        name = (line[named] or "").strip() if named else ""
        try:
            yield (
                name or f"table {number}",
                _confusion({cell: line[columns[cell]] or "" for cell in CELLS}),
            )
        except InputError as error:
            raise refuse_file(
                path, error.code, error.problems[0].text, "correct it", lines=(lines.line_num,)
            ) from None
