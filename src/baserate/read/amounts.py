"""What each case is worth: amounts of money beside scores, finite and not negative, in one
currency.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

import numpy as np

from baserate.counts.amounts import Amounts, JointAmounts, in_finer_units, in_units
from baserate.counts.cells import Array
from baserate.errors import (
    Fix,
    InputError,
    Note,
    are,
    grouped,
    number_of,
    quoted,
    refuse,
    relocate_problems,
)
from baserate.numbers import rounded
from baserate.read.cases import Cases, KeptRows, as_scores, count_cases, count_jointly, in_place
from baserate.read.columns import Column

MEAN = "mean"
# A mean is written with so many decimals, or as many as the amounts have.
DECIMALS_OF_MEAN = 6
# Amounts beyond these are no money, and their sums would leave the range of floats.
LARGEST, MOST_DECIMALS = 1e30, 100
SIGN = r"(?:[^\W\d_]{1,4}|[$\u00a2-\u00a5\u20a0-\u20cf])"
WITH_CURRENCY = re.compile(rf"[+-]?{SIGN}\s*[+-]?[\d.,']+|[+-]?[\d.,']+\s*{SIGN}")
MOST_CURRENCIES = 3


def count_amounts(cases: Cases, missing: str | None) -> JointAmounts:
    """Return the amounts at each model's scores; `missing="mean"` takes the mean of its class for
    an amount that is missing.
    """
    with relocate_problems(cases.place):
        if "currency" in cases.beside:
            check_currency(cases.beside["currency"])
        units, decimals, notes = amount_units(cases.beside["amount"], cases.positive, missing)
    cases = cases._replace(unlabelled=None)
    joint = count_jointly(cases)
    models = {
        name: Amounts._gathered(
            count_cases(cases, name), (scores, cases.positive, units), decimals, notes
        )
        for name, scores in joint.scores.items()
    }
    return JointAmounts(joint, units, models)


def check_currency(column: Column) -> None:
    """Refuse amounts of two currencies: their sums are no amount of either."""
    gone = column.missing_rows()
    # An array of text would give every row the room of the longest.
    currencies = Counter(map(str, np.delete(column.values, gone).tolist()))
    if len(currencies) + bool(len(gone)) < 2:
        return
    shown = [
        f"{quoted(name)} ({grouped(cases)})"
        for name, cases in sorted(currencies.items())[:MOST_CURRENCIES]
    ]
    if len(gone):
        shown.append(f"missing ({grouped(len(gone))})")
    more = " …" if len(currencies) > MOST_CURRENCIES else ""
    text = f"{column.name} has more than one currency: {', '.join(shown)}{more}"
    raise refuse("BR516", text, "convert all amounts to one, or count each alone")


def amount_units(
    column: Column, positive: Array, missing: str | None
) -> tuple[Array, int, tuple[Note, ...]]:
    """Return every amount as a whole number of units of 10^-decimals, the decimals, and notes."""
    if missing not in (None, MEAN):
        text = f"a missing amount is taken for the mean or refused, got {quoted(missing)}"
        raise refuse("BR515", text, Fix.option("amount_missing", MEAN))
    gone = column.missing_rows()
    if not len(gone):
        return *units_of(column), ()
    if missing is None:
        what = number_of(len(gone), "missing or NaN amount")
        text = f"{column.name} has {what}: it is not known what missing those cases costs"
        every = "give every case an amount"
        fix = Fix(f"{every}, or amount_missing='mean'", f"{every}, or --amount-missing mean")
        raise refuse("BR515", text, fix, gone[:3], len(gone))
    known = np.delete(np.arange(len(column)), gone)
    with relocate_problems(KeptRows(in_place, known)):
        units, decimals = units_of(column.only(known))
    finer = max(decimals, DECIMALS_OF_MEAN)
    filled = np.empty(len(column), dtype=object)
    filled[known] = in_finer_units(units, decimals, finer)
    return filled, finer, (_fill_means(column.name, filled, finer, gone, positive),)


def units_of(column: Column) -> tuple[Array, int]:
    """Return finite amounts of 0 or more as whole units, and the decimals of a unit."""
    try:
        numbers = as_scores(column)
    except InputError as error:
        if error.code == "BR208":
            _refuse_currency_signs(column)
        raise
    loss = "a loss of that case is an amount above 0; leave gains out"
    for wrong, what, fix in (
        (numbers < 0, "negative amount", loss),
        (~np.isfinite(numbers), "infinite amount", "give every case a finite amount"),
        (numbers > LARGEST, f"amount above {LARGEST:g}", "use a larger unit"),
    ):
        if wrong.any():
            rows = np.flatnonzero(wrong)
            found = number_of(len(rows), what, what.replace("amount", "amounts"))
            raise refuse("BR515", f"{column.name} has {found}", fix, rows[:3], len(rows))
    units, decimals = in_units(numbers)
    if decimals > MOST_DECIMALS:
        text = f"{column.name} has amounts too small to add up"
        raise refuse("BR515", text, "write them in a smaller unit, or as 0")
    return units, decimals


def _refuse_currency_signs(column: Column) -> None:
    """Say which amounts are written with a currency, where some are."""
    rows = [
        row
        for row, value in enumerate(column.values.tolist())
        if isinstance(value, str) and WITH_CURRENCY.fullmatch(value.strip())
    ]
    if rows:
        example = quoted(column.values[rows[0]].strip())
        text = f"{column.name} has {number_of(len(rows), 'amount')} with a currency, such as"
        fix = "write plain numbers of one currency: 12.5, not 12.5 EUR or $12.5"
        raise refuse("BR516", f"{text} {example}", fix, rows[:3], len(rows)) from None


def _fill_means(name: str, filled: Array, decimals: int, gone: Array, positive: Array) -> Note:
    """Put the mean of its class in the place of every amount that is missing, and say so."""
    missing = np.zeros(len(filled), dtype=np.bool_)
    missing[gone] = True
    means = []
    for members, noun, plural in (
        (positive, "positive", "positives"),
        (~positive, "negative", "negatives"),
    ):
        rows = np.flatnonzero(missing & members)
        known = filled[~missing & members].tolist()
        if not len(rows):
            continue
        if not known:
            those = number_of(len(rows), "that is", "that are")
            text = f"no amount of the {plural} is known, so there is no mean to take for the"
            fix = "give some of them an amount"
            raise refuse("BR515", f"{text} {those} missing", fix, rows[:3], len(rows))
        mean = round(Fraction(sum(known), len(known)))
        filled[rows] = mean
        shown = rounded(Fraction(mean, 10**decimals))
        means.append(f"{shown:.15g} for {number_of(len(rows), noun)}")
    what = f"{grouped(len(gone))} of {number_of(len(filled), 'amount')} in {name} {are(len(gone))}"
    taken = "the mean of the class was taken, as requested"
    return Note("BR515", f"{what} missing; {taken}: {', '.join(means)}")
