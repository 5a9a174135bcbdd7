"""Rates and league tables of `calc`, for a person and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from baserate.atomic import Grid
from baserate.errors import grouped, quoted
from baserate.measures.calculator import Solved
from baserate.measures.confusion import Measure, parse
from baserate.measures.registry import CATALOGUE
from baserate.notation import base_rate
from baserate.numbers import format_cell
from baserate.results.calculation import Calculation, League, LeagueRow
from baserate.results.values import Interval, digits_apart, percent
from baserate.views import document
from baserate.views.tables import KEYS, UNDEFINED, VOLUME, cases, digits, heading_of, span

OF_CASES = {name for name, entry in CATALOGUE.items() if entry.per_volume and "cost" not in name}
NO_INTERVAL = "No interval: the number of cases is not known."


# ----------------------------------------------------------------------
# What follows from published rates.


def describe_calculation(found: Calculation) -> str:
    """Return what a positive result means."""
    return " ".join(filter(None, (describe_positive_results(found), NO_INTERVAL)))


def describe_positive_results(found: Calculation) -> str:
    """Return which share of the positive results is true at each base rate; of a volume, how many
    alerts there are, and how many of them are real.
    """
    said: list[str] = []
    for solved in (rates.solved for rates in found.rates):
        if not {"prior", "precision"} <= solved.keys() or not 0 < solved["prior"].value < 1:
            continue
        at, precision = base_rate(solved["prior"].value), solved["precision"].value
        whose = "" if said else " of the positive results are true positives"
        alerts = ""
        if found.volume is not None:
            flagged = found.volume * solved["posfrac"].value
            real = f" (1 in {cases(1 / precision)} real)" if precision else ""
            alerts = f": about {cases(flagged)} alerts in {cases(found.volume)} cases{real}"
        said.append(
            f"{'at' if said else 'At'} a base rate of {at}, {100 * precision:.3g} %{whose}{alerts}"
        )
    return f"{'; '.join(said)}." if said else ""


def tabulate_rates(found: Calculation) -> str:
    """Each rate; one column per base rate where there are several, else, if requested, the
    range that the rounding of the given rates leaves open.
    """
    every = found.rates
    if len(every) > 1:
        names = list(
            dict.fromkeys(name for rates in every for name in (*rates.solved, *rates.undefined))
        )
        rows = [
            (
                name,
                *(
                    digits(rates.solved[name].value, 4) if name in rates.solved else UNDEFINED
                    for rates in every
                ),
            )
            for name in names
        ]
        return Grid(("rate", *("" for _ in every)), rows)
    rates = every[0]
    shown = [
        (
            name,
            digits(rates[name].value, 4),
            describe_range(rates[name]),
            "given" * rates[name].given,
        )
        for name in rates
    ]
    shown += [(name, UNDEFINED, reason, "") for name, reason in rates.undefined.items()]
    rounding = found.shows_rounding
    if rounding or rates.undefined:
        heading = "if the given ones are rounded" if rounding else ""
        spans = [span if rounding or value == UNDEFINED else "" for _, value, span, _ in shown]
        rows = [(*row[:2], span, row[3]) for row, span in zip(shown, spans, strict=True)]
        return Grid(("rate", "value", heading, ""), rows)
    return Grid(("rate", "value", ""), [(name, value, given) for name, value, _, given in shown])


def describe_range(rate: Solved) -> str:
    """Return the range that rounding leaves open."""
    if rate.low is None or rate.high is None:
        return "not computed"
    if rate.low == rate.high:
        return ""
    return (
        f"{digits(rate.low, 4)} or more"
        if math.isinf(rate.high)
        else f"{digits(rate.low, 4)} to {digits(rate.high, 4)}"
    )


def calculation_as_json(found: Calculation) -> dict[str, Any]:
    """Return all rates at each base rate; and alerts in a volume."""
    volume = found.volume
    every = [
        {
            "rates": document.with_former({name: _rate_as_json(rates[name]) for name in rates}),
            "undefined": rates.undefined,
            **({} if volume is None else {"alerts": volume * rates["posfrac"].value}),
        }
        for rates in found.rates
    ]
    return {"calculations": every}


def _rate_as_json(rate: Solved) -> dict[str, Any]:
    numbers = {name: document.number(getattr(rate, name)) for name in ("value", "low", "high")}
    return {**numbers, "given": rate.given}


# ----------------------------------------------------------------------
# Published tables, read at one's own base rate.


def tabulate_league(league: League) -> str:
    """Return the league table."""
    headings = ["table", KEYS["prior"]]
    for name in league.measures:
        headings += [heading_of(name), percent(league.level)]
    lines = [_cells_of(row, league.measures) for row in league.rows]
    return Grid(headings, lines, left=1)


def _cells_of(row: LeagueRow, names: Sequence[str]) -> list[str]:
    cells = [quoted(row.name, quotes=False), format_cell(row.prior, 4)]
    for name in names:
        whole = VOLUME.sub("", name) in OF_CASES
        known = span(row.intervals.get(name), whole=whole)
        value = row.value(name)
        cells += [cases(value) if whole and math.isfinite(value) else format_cell(value, 4), known]
    return cells


def describe_league(league: League) -> str:
    """Return what the first table reaches at each base rate."""
    several = len({row.name for row in league.rows}) > 1
    sentences = [] if league.sorted_by is None else list(_best_at_each(league, several=several))
    if several:
        sentences.append("Differences between tables are not tested.")
    return " ".join(sentences) or "The measures of one table:"


def _best_at_each(league: League, *, several: bool) -> Iterator[str]:
    """Return the value of the first table, at each base rate where it has one."""
    rows, by = league.rows, parse(league.sorted_by or "")
    for at in dict.fromkeys(row.at for row in rows):
        first = next(row for row in rows if row.at == at)
        found = first.intervals.get(str(by))
        if found is None:
            continue
        value, low, high = (
            _share_in_percent(end, found, by) for end in (found.value, found.low, found.high)
        )
        where = f"a base rate of {base_rate(first.prior)}" if at.prior else "its own base rate"
        best = {"higher": "highest", "lower": "lowest"}[by.direction]
        name, model = heading_of(str(by)), quoted(first.name)
        says = (
            f"{model} has the {best} {name}: {value}" if several else f"{model} has {name} {value}"
        )
        if by.name == "precision" and not several:
            says = f"{value} of the positive results of {model} are true positives"
        known = f"({percent(found.level)} interval {low} to {high})"
        yield f"At {where}, {says} {known}."


def _share_in_percent(value: float, found: Interval, by: Measure) -> str:
    """A share in percent, in as many digits as tell the bounds apart."""
    count = digits_apart(found.low, found.high, least=3)
    if by.range == (0, 1):
        return f"{100 * value:.{count}g} %"
    return f"{value:.{count}g}" if math.isfinite(value) else "infinite"


def describe_readings(league: League) -> list[str]:
    """Return how each table was read whose cells were typed without names."""
    read = {row.name: row.confusion for row in league.rows}
    lines = []
    for name in league.unnamed:
        whose = "" if len(read) == 1 else f" of {quoted(name)}"
        table = read[name]
        counted = {cell: int(getattr(table, cell)) for cell in ("tp", "fn", "fp", "tn")}
        shown = ", ".join(f"{cell} {grouped(cases)}" for cell, cases in counted.items())
        lines.append(
            f"Read{whose} as {shown}: {grouped(counted['tp'] + counted['fn'])} with the"
            f" condition, {grouped(counted['fp'] + counted['tn'])} without."
        )
    return ["\n".join(lines)] if lines else []


def league_as_json(league: League) -> dict[str, Any]:
    """Return every table at every base rate, the best first."""
    return {"sorted_by": league.sorted_by, "rows": [_league_row(row) for row in league.rows]}


def _league_row(row: LeagueRow) -> dict[str, Any]:
    values = {name: document.number(row.value(name)) for name in (*row.intervals, *row.undefined)}
    intervals = {name: document.of_interval(one) for name, one in row.intervals.items()}
    own = row.at.as_in_sample
    return {
        "name": row.name,
        "at": {**document.conditions(row.at), "prior": row.prior, "as_in_sample": own},
        **document.outcomes(row.confusion),
        "values": document.with_former(values),
        "intervals": document.with_former(intervals),
        "undefined": dict(row.undefined),
    }
