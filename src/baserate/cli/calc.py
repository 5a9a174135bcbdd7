"""`baserate calc`: from published rates or tables to everything else, at your base rate."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import click

from baserate import notation
from baserate.cli import options
from baserate.cli.commands import make_command
from baserate.cli.options import Option
from baserate.cli.runner import Request
from baserate.errors import InputError, quoted, refuse, refuse_file
from baserate.measures.calculator import GIVEN
from baserate.measures.confusion import Confusion
from baserate.measures.registry import CATALOGUE
from baserate.notation import MOST_CASES
from baserate.results.calculation import Calculation, League
from baserate.verbs import calculations

CELLS = ("tp", "fn", "fp", "tn")
NAMES = ("name", "table", "study", "test", "model")
MOST_TABLES = 10_000
EXAMPLE = "--table tp=100,fn=9,fp=1,tn=108, or --table 100,9,1,108 (tp,fn,fp,tn)"


def tables_and_rates(function: options.Command) -> options.Command:
    """Add the file of tables, and an option for each rate under every name that it has."""
    for name in reversed(GIVEN):
        words = dict.fromkeys(
            word.casefold().replace(" ", "-").replace("_", "-")
            for word in (name, *CATALOGUE[name].synonyms)
        )
        flags = [f"--{word}" for word in words if is_option_name(word)]
        # Two names are shown; the others are accepted as well.
        function = click.option(
            name,
            *flags[:2],
            cls=Option,
            aliases=tuple(flags[2:]),
            metavar="SHARE",
            multiple=True,
            callback=take_once,
            help=CATALOGUE[name].text,
        )(function)
    return click.argument("path", metavar="[TABLES.csv]", required=False)(function)


def is_option_name(word: str) -> bool:
    """Can an option be called so?"""
    plain = word.isascii() and word.replace("-", "").isalnum()
    return plain and word[0].isalpha() and len(word) > 1


def take_once(_: click.Context, parameter: click.Parameter, texts: Sequence[str]) -> str | None:
    """Return the value of an option that is given once, under whichever name."""
    if len(texts) > 1:
        raise refuse("BR542", f"{parameter.name} is given twice", "give it once")
    return texts[0] if texts else None


def list_tables(
    request: Request, *, cells: Sequence[str] = (), cell_order: str = "classes"
) -> dict[str, Confusion] | None:
    """List the tables that are typed or in files; None where rates are given."""
    if not cells and not request.source.paths:
        return None
    tables: dict[str, Confusion] = {}
    typed = parse_tables(cells, options.CELL_ORDERS[cell_order])
    for name, table in chain(typed, *map(read_tables, request.source.paths)):
        if name in tables:
            raise refuse("BR551", f"two tables are called {quoted(name)}", "give each its own name")
        tables[name] = table
    return tables


def add_readings(
    found: Calculation | League, *, rounding: bool = False, cells: Sequence[str] = ()
) -> Calculation | League:
    """Say how tables without names of cells were read, and what rounding leaves open.

    Parameters
    ----------
    found : Calculation or League
        The answer.
    rounding : bool, default False
        Show the range that the rounding of the given rates leaves open, which is no confidence
        interval.
    cells : sequence of str
        The tables as they were typed.
    """
    if isinstance(found, Calculation):
        return replace(found, shows_rounding=rounding)
    if rounding:
        raise refuse("BR002", "--rounding has no effect on tables", "leave it out")
    names = dict.fromkeys(row.name for row in found.rows)
    typed = [name for name, _ in parse_tables(cells, CELLS)]
    whole = [text.count("=") >= len(CELLS) for text in cells]
    unnamed = [name for name, named in zip(typed, whole, strict=True) if not named]
    return replace(found, unnamed=tuple(name for name in unnamed if name in names))


def parse_tables(texts: Sequence[str], order: Sequence[str]) -> Iterator[tuple[str, Confusion]]:
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
        yield name or plain, parse_confusion(values)


def parse_confusion(texts: Mapping[str, str]) -> Confusion:
    """Return a table from its four cells as text."""
    cells: dict[str, int] = {}
    for name, text in texts.items():
        value = notation.parse_number(notation.without_thousands(text.strip()))
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


def read_tables(path: str) -> Iterator[tuple[str, Confusion]]:
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
                parse_confusion({cell: line[columns[cell]] or "" for cell in CELLS}),
            )
        except InputError as error:
            raise refuse_file(
                path, error.code, error.problems[0].text, "correct it", lines=(lines.line_num,)
            ) from None


calc: Any = make_command(
    "calc",
    calculations.calc,
    read=list_tables,
    show=add_readings,
    source=tables_and_rates,
    rest=GIVEN,
    help="""Derive every rate from any three independent ones, as published and rounded, or report
    that they contradict each other. With --table, or a CSV of tables (columns name, tp, fn, fp,
    tn): a league table at your base rate, with intervals.

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
    """,
)
