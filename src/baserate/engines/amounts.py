"""Counting cases with their amounts: read as scores are, finite and not negative, in one currency."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from baserate.amounts import Amounts, in_finer_units, in_units
from baserate.arithmetic import rounded
from baserate.cells import Array
from baserate.engines.arrays import count_cases
from baserate.engines.cases import SCORE, Cases, Names, checked
from baserate.engines.columns import Column, as_column
from baserate.engines.file_cases import read_cases
from baserate.engines.file_counts import Path
from baserate.engines.files import Options
from baserate.engines.scores import as_scores
from baserate.engines.wanted import Wanted
from baserate.errors import Fix, InputError, Where, are, grouped, number_of, quoted, refuse
from baserate.notes import RANDOM, Note

MEAN = "mean"
AMOUNT, CURRENCY = "amount", "currency"
# A mean is written with so many decimals, or as many as the amounts have.
DECIMALS_OF_MEAN = 6
# Amounts beyond these are no money, and their sums would leave the range of floats.
LARGEST, MOST_DECIMALS = 1e30, 100
SIGN = r"(?:[^\W\d_]{1,4}|[$\u00a2-\u00a5\u20a0-\u20cf])"
WITH_CURRENCY = re.compile(rf"[+-]?{SIGN}\s*[+-]?[\d.,']+|[+-]?[\d.,']+\s*{SIGN}")
MOST_SHOWN = 3


def count_amounts(
    y_true: Any, y_score: Any, amount: Any, *, pos_label: Any = None, amount_missing: str | None = None, design: str = RANDOM
) -> Amounts:
    """How much money lies at each score, on positives and on negatives?

    `amount` is what each case is worth: 0 or more. A missing one is refused, unless `amount_missing="mean"` says that the mean of its
    class stands for it.

    >>> import baserate as br
    >>> amounts = br.count_amounts([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], [1000, 50, 20, 500, 300, 10])
    >>> amounts.positive_amounts
    array([1000.,    0.,   20.,    0.,  300.,    0.])
    """
    beside = {AMOUNT: as_column(amount, AMOUNT)}
    cases = checked(y_true, {SCORE: y_score}, pos_label=pos_label, sample_weight=None, names=Names(), design=design, beside=beside)
    return _amounts_of(cases, amount_missing)[SCORE]


def count_amounts_file(  # noqa: PLR0913 (each is a word that users say)
    source: Path,
    *,
    label: str,
    score: str,
    amount: str,
    positive: Any = None,
    currency: str | None = None,
    amount_missing: str | None = None,
    design: str = RANDOM,
    **options: Any,
) -> Amounts:
    """How much money lies at each score, in a file or a table of a database?

    `amount` names the column; `currency` names one that must then hold a single value. Sources and options are those of `count_file`.
    """
    wanted = Wanted(label, (score,), positive, amount=amount, currency=currency, design=design)
    return amounts_from(os.fspath(source), wanted, Options.of(options), amount_missing)[score]


def amounts_from(source: str, wanted: Wanted, options: Options, missing: str | None) -> dict[str, Amounts]:
    """The amounts at each score column, by its name."""
    cases, table = read_cases(source, wanted, options)
    try:
        return _amounts_of(cases, missing)
    except InputError as error:
        raise error.moved(table.place) from None


def _amounts_of(cases: Cases, missing: str | None) -> dict[str, Amounts]:
    if CURRENCY in cases.beside:
        _check_currency(cases.beside[CURRENCY])
    units, decimals, notes = _units(cases.beside[AMOUNT], cases.positive, missing)
    kept = cases.kept_scores()
    return {name: Amounts._gathered(count_cases(cases, name), (kept[name], cases.positive, units), decimals, notes) for name in cases.scores}


def _check_currency(column: Column) -> None:
    """Sums of two currencies are no amount of either."""
    gone = column.missing_rows()
    held = Counter(map(str, np.delete(column.values, gone).tolist()))  # an array of text would give every row the room of the longest
    if len(held) + bool(len(gone)) < 2:
        return
    found = [f"{quoted(value)} ({grouped(times)})" for value, times in sorted(held.items())[:MOST_SHOWN]]
    found += [f"missing ({grouped(len(gone))})"] * bool(len(gone))
    more = " …" if len(held) > MOST_SHOWN else ""
    raise refuse(
        "BR516", f"{column.name} has more than one currency: {', '.join(found)}{more}", "convert all amounts to one, or count each alone"
    )


def _units(column: Column, positive: Array, missing: str | None) -> tuple[Array, int, tuple[Note, ...]]:
    """Every amount in whole units, those that are missing filled in where that was asked for."""
    if missing not in (None, MEAN):
        raise refuse("BR515", f"a missing amount is taken for the mean or refused, got {quoted(missing)}", Fix.option("amount_missing", MEAN))
    gone = column.missing_rows()
    if len(gone) and missing is None:
        text = f"{column.name} has {number_of(len(gone), 'missing or NaN amount')}: there is no telling what missing those cases costs"
        fix = Fix("give every case an amount, or amount_missing='mean'", "give every case an amount, or --amount-missing mean")
        raise refuse("BR515", text, fix, gone[:3], len(gone))
    held = np.delete(np.arange(len(column)), gone)
    units, decimals = in_units(_numbers(column.only(held) if len(gone) else column, held))
    if decimals > MOST_DECIMALS:
        raise refuse("BR515", f"{column.name} has amounts too small to add up", "write them in a smaller unit, or as 0")
    return _filled(column, (units, decimals), held, positive) if len(gone) else (units, decimals, ())


def _numbers(column: Column, held: Array) -> Array:
    """Finite numbers, 0 or more."""
    try:
        numbers = as_scores(column)
    except InputError as error:
        marked = [row for row, value in enumerate(column.values.tolist()) if isinstance(value, str) and WITH_CURRENCY.fullmatch(value.strip())]
        if error.code != "BR208" or not marked:
            raise error.moved(lambda where: _at(where, held)) from None
        text = f"{column.name} has {number_of(len(marked), 'amount')} with a currency, such as {quoted(column.values[marked[0]].strip())}"
        fix = "write plain numbers of one currency: 12.5, not 12.5 EUR or $12.5"
        raise refuse("BR516", text, fix, held[marked[:3]], len(marked)) from None
    for wrong, what, fix in (
        (numbers < 0, "negative amount", "a loss of that case is an amount above 0; leave gains out"),
        (~np.isfinite(numbers), "infinite amount", "give every case a finite amount"),
        (numbers > LARGEST, f"amount above {LARGEST:g}", "use a larger unit"),
    ):
        if wrong.any():
            rows = held[np.flatnonzero(wrong)]
            raise refuse(
                "BR515", f"{column.name} has {number_of(len(rows), what, what.replace('amount', 'amounts'))}", fix, rows[:3], len(rows)
            )
    return numbers


def _at(where: Where, held: Array) -> Where:
    """From positions among the amounts that are there to those of the cases."""
    return replace(where, rows=tuple(int(held[row]) for row in where.rows))


def _filled(column: Column, known: tuple[Array, int], held: Array, positive: Array) -> tuple[Array, int, tuple[Note, ...]]:
    """The mean of its class for every amount that is missing."""
    units, decimals = known
    finer = max(decimals, DECIMALS_OF_MEAN)
    filled = np.empty(len(column), dtype=object)
    filled[held] = in_finer_units(units, decimals, finer)
    missing = np.ones(len(column), dtype=np.bool_)
    missing[held] = False
    means = []
    for name, members in (("positives", positive), ("negatives", ~positive)):
        gone, there = missing & members, ~missing & members
        if not gone.any():
            continue
        if not there.any():
            missed = number_of(int(gone.sum()), "that is", "that are")
            text = f"no amount of the {name} is known, so there is no mean to take for the {missed} missing"
            raise refuse("BR515", text, "give some of them an amount", np.flatnonzero(gone)[:3], int(gone.sum()))
        mean = round(Fraction(sum(filled[there].tolist()), int(there.sum())))
        filled[gone] = mean
        means.append(f"{rounded(Fraction(mean, 10**finer)):.15g} for {number_of(int(gone.sum()), name[:-1])}")
    gaps = int(missing.sum())
    what = f"{grouped(gaps)} of {number_of(len(column), 'amount')} in {column.name} {are(gaps)} missing"
    return filled, finer, (Note("BR515", f"{what}; the mean of the class was taken, as requested: {', '.join(means)}"),)
