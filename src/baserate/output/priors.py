"""The base rate of the field, estimated: in words and in a table for a person, and in the document
for a program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from baserate.atomic import Grid, Page
from baserate.errors import grouped, quoted
from baserate.inference.values import percent, stated
from baserate.output.document import number, of_interval, threshold
from baserate.output.tables import UNDEFINED, digits, span
from baserate.shift.estimate import EM, PriorEstimate, ShiftCheck

Estimates = Mapping[str, Sequence[PriorEstimate]]


def in_words(found: Estimates, sample: float, *, chosen: bool) -> str:
    """A sentence for each model, then every estimate, and whether the assumption behind them
    holds.
    """
    lines = [_sentence(name, several[0], alone=len(found) == 1) for name, several in found.items()]
    lines[0] += f" Labelled sample: {digits(sample, 4)}{' (chosen by design)' if chosen else ''}."
    return Page(
        "\n".join(lines),
        _table(found),
        "\n".join(_checked(name, several[0].check) for name, several in found.items()),
    )


def _sentence(name: str, found: PriorEstimate, *, alone: bool) -> str:
    of = "" if alone else f", by {quoted(name, quotes=False)}"
    return (
        f"Base rate{of}: {digits(found.value, 4)} ({percent(found.level)} {stated(found)}),"
        f" estimated from {grouped(found.cases)} unlabelled cases."
    )


def _table(found: Estimates) -> str:
    level = next(iter(found.values()))[0].level
    rows = [_row(name, one) for name, several in found.items() for one in several]
    return Grid(["model", "method", "how", "base rate (prior)", percent(level)], rows, left=3)


def _row(name: str, one: PriorEstimate) -> list[str]:
    return [quoted(name, quotes=False), one.method, _how(one), digits(one.value, 4), span(one)]


def _how(one: PriorEstimate) -> str:
    if one.method == EM:
        return (
            UNDEFINED
            if one.calibrated_at is None
            else f"scores calibrated at {digits(one.calibrated_at, 4)}"
        )
    return UNDEFINED if one.threshold is None else f"score ≥ {one.shown_threshold}"


def _checked(name: str, check: ShiftCheck | None) -> str:
    who = quoted(name, quotes=False)
    if check is None or check.p_value != check.p_value:
        return f"{who}: label shift could not be checked."
    found = (
        "the unlabelled scores are not a mixture of the scores of the two classes, so the estimate"
        " is not reliable"
        if check.moved
        else "the unlabelled scores are consistent with a mixture of the two classes"
    )
    return f"{who}: {found} (p = {check.p_value:.3g})."


def of_estimates(found: Estimates) -> list[dict[str, Any]]:
    """Every estimate, with what it rests on."""
    return [{"model": name, **_part(one)} for name, several in found.items() for one in several]


def _part(one: PriorEstimate) -> dict[str, Any]:
    check = one.check
    told = None
    if check is not None and check.p_value == check.p_value:
        told = {
            "statistic": check.statistic,
            "degrees": check.degrees,
            "p_value": check.p_value,
            "moved": check.moved,
            "level": check.level,
        }
    return {
        "prior": number(one.value),
        **of_interval(one),
        "cases": one.cases,
        "threshold": None if one.threshold is None else threshold(one.threshold),
        "calibrated_at": one.calibrated_at,
        "replicates": one.replicates,
        "label_shift": told,
    }
