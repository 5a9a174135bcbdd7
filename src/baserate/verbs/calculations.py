"""`calc`: what follows from published rates or tables, at one's own base rate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import overload

from baserate.conditions import (
    Conditions,
    CostsLike,
    Prior,
    checked_conditions,
    one_or_several,
)
from baserate.errors import Note, quoted, refuse
from baserate.inference.intervals import interval
from baserate.measures.calculator import PRIOR, solve_rates
from baserate.measures.confusion import Confusion, Measure, measure, parse
from baserate.numbers import Undefined
from baserate.results.calculation import Calculation, League, LeagueRow
from baserate.results.notes import merge_notes
from baserate.results.values import Interval


@overload
def calc(
    tables: None = None,
    measures: Sequence[str] = (),
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: None = None,
    volume: float | None = None,
    level: None = None,
    sort: None = None,
    **rates: float | str,
) -> Calculation: ...
@overload
def calc(
    tables: Confusion | Mapping[str, Confusion],
    measures: Sequence[str] = (),
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    volume: float | None = None,
    level: float | None = None,
    sort: str | None = None,
) -> League: ...
def calc(  # noqa: PLR0913 (each is a question of its own)
    tables: Confusion | Mapping[str, Confusion] | None = None,
    measures: Sequence[str] = (),
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    volume: float | None = None,
    level: float | None = None,
    sort: str | None = None,
    **rates: float | str,
) -> Calculation | League:
    """What follows from published rates, or from published tables, at my base rate?

    Any three independent rates give all others, as `solve_rates` says. Of tables every measure is
    read at each base rate, with its interval.

    Parameters
    ----------
    tables : Confusion or mapping, optional
        Published confusion tables by name.
    measures : sequence of str
        Columns of the league table (default: tpr, fpr, precision).
    at, prior, costs
        Base rate and costs, or several base rates.
    volume : float, optional
        Number of cases among which alerts, caught and missed are counted.
    level : float, optional
        Confidence level of the intervals of tables.
    sort : str, optional
        Order of the league table (default: expected_cost with costs, else precision).
    **rates : float or str
        Published rates: `tpr=0.8, posfrac="54.9%"`.

    Examples
    --------
    >>> import baserate as br
    >>> print(str(br.calc(tpr="95%", fpr="1%", prior="1%")).splitlines()[0])
    At a base rate of 1%, 49 % of the positive results are true positives. No interval: the number of cases is not known.
    >>> league = br.calc({"guard": br.Confusion(tp=100, fn=9, fp=1, tn=108)}, prior="1 in 10000")
    >>> round(league.rows[0].value("precision"), 4)
    0.0099
    """  # noqa: E501
    one_or_more = one_or_several(at, prior, costs)
    several = one_or_more if isinstance(one_or_more, list) else [one_or_more]
    conditions = [checked_conditions(one) for one in several]
    if tables is None:
        given = conditions[0].costs_given
        unused = {"measures": measures, "sort": sort, "costs": given, "level": level is not None}
        for name, value in unused.items():
            if value:
                text = f"{name} has no effect on rates alone: it needs a table"
                raise refuse("BR002", text, "leave it out")
        return _solve_at_each(conditions, volume, rates)
    if rates:
        raise refuse(
            "BR545",
            f"rates ({', '.join(rates)}) and a table are given together",
            "give the table alone: it determines the rates",
        )
    named = {"table": tables} if isinstance(tables, Confusion) else dict(tables)
    return _rank_tables(named, measures, conditions, volume, 0.95 if level is None else level, sort)


def _solve_at_each(
    conditions: Sequence[Conditions], volume: float | None, rates: Mapping[str, float | str]
) -> Calculation:
    """Return all rates at each base rate."""
    solved = []
    for at in conditions:
        prior = at.prior_text or at.prior
        given = {} if prior is None or at.as_in_sample else {PRIOR: prior}
        solved.append(solve_rates(**given, **rates))
    notes = dict.fromkeys(note for one in solved for note in one.notes)
    return Calculation(tuple(solved), volume, notes=tuple(notes))


def _rank_tables(
    tables: Mapping[str, Confusion],
    measures: Sequence[str],
    conditions: Sequence[Conditions],
    volume: float | None,
    level: float,
    sort: str | None,
) -> League:
    """Return every table at each base rate, the best first."""
    has_costs = conditions[0].costs_given
    usual = ("tpr", "fpr", "precision", *(("expected_cost",) if has_costs else ()))
    counted = ("alerts", "caught", "missed") if volume else ()
    columns = list(dict.fromkeys(parse(name, volume) for name in measures or (*usual, *counted)))
    by = parse(sort or ("expected_cost" if has_costs else "precision"), volume)
    if sort and by not in columns:
        columns.append(by)
    notes: list[Note] = []
    rows: list[LeagueRow] = []
    for at in conditions:
        block = [
            _read_table(name, table, at, columns, level, notes) for name, table in tables.items()
        ]
        rows += _best_first(block, by) if by in columns else block
    return League(
        tuple(rows),
        tuple(map(str, columns)),
        str(by) if by in columns else None,
        level,
        notes=tuple(merge_notes(notes)),
    )


def _read_table(
    name: str,
    table: Confusion,
    at: Conditions,
    measures: Sequence[Measure],
    level: float,
    notes: list[Note],
) -> LeagueRow:
    """Return every measure with its interval, or why it is undefined; adds notes."""
    if not isinstance(table, Confusion):
        raise refuse("BR551", f"a table is a Confusion, got {quoted(table)}", "Confusion(tp=…, …)")
    intervals: dict[str, Interval] = {}
    undefined: dict[str, str] = {}
    for one in measures:
        value = measure(name=one, source=table, at=at)
        if isinstance(value, Undefined):
            undefined[str(one)] = value.reason
            continue
        notes += value.notes
        intervals[str(one)] = interval(statistic=one, counts=table, at=at, level=level)
    return LeagueRow(name, at, table, intervals, undefined)


def _best_first(rows: Sequence[LeagueRow], by: Measure) -> list[LeagueRow]:
    """Sort tables by a measure; what is undefined comes last."""
    sign = -1 if by.direction == "higher" else 1

    def place(row: LeagueRow) -> tuple[bool, float]:
        value = row.value(str(by))
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted(rows, key=place)
