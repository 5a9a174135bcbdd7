"""Results as text, JSON and HTML, made from the sentence, tables and notes of their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import singledispatch
from typing import Any

from baserate import __version__
from baserate.curves.curve import Curve, Curves
from baserate.curves.threshold_table import ThresholdTable
from baserate.decisions.amount_costs import AmountChoice
from baserate.errors import Note, Source, on_command_line
from baserate.inference.decide import LeastRegretChoice, RecallLeaders
from baserate.results.calculation import Calculation, League
from baserate.results.choice import Choice
from baserate.results.plan import Plan
from baserate.results.triage import Triage, Triages
from baserate.results.values import Difference, Differences, Unsatisfied
from baserate.segments.days import Days
from baserate.segments.groups import Slices
from baserate.segments.groups_and_days import GroupsAndDays
from baserate.shift.estimate import PriorEstimates
from baserate.views import (
    calculations,
    choices,
    comparisons,
    curves,
    plans,
    segment_tables,
    tables,
    triage,
)

SCHEMA = "baserate/2"

# ----------------------------------------------------------------------
# A result in one sentence.


@singledispatch
def write_sentence(result: Any) -> str:
    """Return what a result says, in one sentence."""
    return repr(result)


@write_sentence.register
def _(result: Unsatisfied) -> str:
    return f"At {result.at}: no model can satisfy the rule."


@write_sentence.register
def _(result: Choice) -> str:
    return choices.describe_choice(result)


@write_sentence.register
def _(result: LeastRegretChoice) -> str:
    return choices.describe_least_regret(result)


@write_sentence.register
def _(result: RecallLeaders) -> str:
    return choices.describe_leaders(result)


@write_sentence.register
def _(result: AmountChoice) -> str:
    return choices.describe_amount_choice(result)


@write_sentence.register
def _(result: ThresholdTable) -> str:
    return tables.describe_thresholds(result)


@write_sentence.register
def _(result: Plan) -> str:
    return plans.describe_plan(result)


@write_sentence.register
def _(result: Calculation) -> str:
    return calculations.describe_calculation(result)


@write_sentence.register
def _(result: League) -> str:
    return calculations.describe_league(result)


@write_sentence.register
def _(result: Difference) -> str:
    return comparisons.describe_difference(result)


@write_sentence.register
def _(result: Differences) -> str:
    return comparisons.describe_differences(result)


@write_sentence.register
def _(result: PriorEstimates) -> str:
    return comparisons.describe_estimates(result)


@write_sentence.register
def _(result: Triage) -> str:
    return triage.describe_triage(result)


@write_sentence.register
def _(result: Triages) -> str:
    return triage.describe_triages(result)


@write_sentence.register
def _(result: Slices) -> str:
    return segment_tables.describe_slices(result)


@write_sentence.register
def _(result: Days) -> str:
    return segment_tables.describe_days(result)


@write_sentence.register
def _(result: GroupsAndDays) -> str:
    parts = [part for part in (result.groups, result.days) if part is not None]
    return "\n".join(map(write_sentence, parts))


@write_sentence.register
def _(result: Curve) -> str:
    return curves.describe_curve(result)


@write_sentence.register
def _(result: Curves) -> str:
    return curves.describe_curves(result)


# ----------------------------------------------------------------------
# Its tables.


@singledispatch
def list_tables(first: Any, *others: Any) -> list[str]:
    """Return the tables of results of one type, such as the answers at several base rates."""
    raise NotImplementedError(f"no table for {type(first).__name__}")


@list_tables.register
def _(first: Choice, *others: Choice) -> list[str]:
    return choices.tabulate_choices((first, *others))


@list_tables.register
def _(first: LeastRegretChoice, *others: LeastRegretChoice) -> list[str]:
    return [block for one in (first, *others) for block in choices.tabulate_least_regret(one)]


@list_tables.register
def _(first: RecallLeaders, *others: RecallLeaders) -> list[str]:
    return [block for one in (first, *others) for block in choices.tabulate_leaders(one)]


@list_tables.register
def _(first: AmountChoice, *others: AmountChoice) -> list[str]:
    return choices.tabulate_amount_choices((first, *others))


@list_tables.register
def _(first: ThresholdTable, *others: ThresholdTable) -> list[str]:
    return [block for result in (first, *others) for block in tables.of_thresholds(result)]


@list_tables.register
def _(first: Plan, *others: Plan) -> list[str]:
    return [block for result in (first, *others) for block in plans.tabulate_designs(result)]


@list_tables.register
def _(first: Calculation, *others: Calculation) -> list[str]:
    return [calculations.tabulate_rates(one) for one in (first, *others)]


@list_tables.register
def _(first: League, *others: League) -> list[str]:
    return [
        block
        for one in (first, *others)
        for block in (*calculations.describe_readings(one), calculations.tabulate_league(one))
    ]


@list_tables.register
def _(first: Difference, *others: Difference) -> list[str]:
    return comparisons.tabulate_differences((first, *others))


@list_tables.register
def _(first: Differences, *others: Differences) -> list[str]:
    return comparisons.tabulate_differences([one for pairs in (first, *others) for one in pairs])


@list_tables.register
def _(first: PriorEstimates, *others: PriorEstimates) -> list[str]:
    return [block for one in (first, *others) for block in comparisons.tabulate_estimates(one)]


@list_tables.register
def _(first: Triage, *others: Triage) -> list[str]:
    return [triage.tabulate_triages({"": one}) for one in (first, *others)]


@list_tables.register
def _(first: Triages, *others: Triages) -> list[str]:
    return [triage.tabulate_triages(one) for one in (first, *others)]


@list_tables.register
def _(first: Slices, *others: Slices) -> list[str]:
    return [block for one in (first, *others) for block in segment_tables.tabulate_slices(one)]


@list_tables.register
def _(first: Days, *others: Days) -> list[str]:
    return [block for one in (first, *others) for block in segment_tables.tabulate_days(one)]


@list_tables.register
def _(first: GroupsAndDays, *others: GroupsAndDays) -> list[str]:
    parts = [part for one in (first, *others) for part in (one.groups, one.days)]
    return [block for part in parts if part is not None for block in list_tables(part)]


@list_tables.register
def _(first: Curve, *others: Curve) -> list[str]:
    return [curves.tabulate_curve(one) for one in (first, *others)]


@list_tables.register
def _(first: Curves, *others: Curves) -> list[str]:
    return [block for one in (first, *others) for block in curves.tabulate_curves(one)]


# ----------------------------------------------------------------------
# Text and JSON.


def write_text(result: Any) -> str:
    """Return what a result says, and its tables."""
    return "\n\n".join(list_blocks([result]))


def list_blocks(results: Sequence[Any]) -> list[str]:
    """Return the text of results: a line for each, then their tables."""
    shown = [result for result in results if not isinstance(result, Unsatisfied)]
    return ["\n".join(map(write_sentence, results)), *list_tables(*shown)]


def make_document(
    command: str,
    request: Mapping[str, Any],
    results: Sequence[Any],
    notes: Iterable[Note],
    sources: Iterable[Source],
) -> dict[str, Any]:
    """Return the answer of a command as strict JSON: the result as `to_dict` has it (a list of
    them for several base rates), with the request, what was read, and the notes in words.
    """
    found = [result.to_dict() for result in results]
    return {
        "schema": SCHEMA,
        "version": __version__,
        "command": command,
        "request": dict(request),
        "sentence": "\n".join(map(write_sentence, results)),
        "result": found[0] if len(found) == 1 else found,
        "notes": [{"code": note.code, "text": note.line(on_command_line)} for note in notes],
        "sources": [
            {**asdict(source), "path": source.name.encode("utf-8", "backslashreplace").decode()}
            for source in sources
        ],
    }
