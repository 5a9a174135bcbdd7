"""The plain, versioned document behind `--json`: what a program reads. NaN and infinity never
appear in it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any, NamedTuple

from baserate import __version__
from baserate.conditions import OUTCOMES, Conditions, Uncertain
from baserate.counts.cells import Totals
from baserate.counts.counts import Counts
from baserate.curves.areas import auc
from baserate.curves.summaries import Summary
from baserate.decisions.operating_point import measures_shown
from baserate.distributions import Draws, LogUniform, Pilot, Range
from baserate.errors import CASE_CONTROL, InputError, Note, Source, on_command_line
from baserate.measures.confusion import Confusion
from baserate.numbers import EXACT_FLOATS, Undefined
from baserate.results.choice import Choice
from baserate.results.notes import notes_by_model
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import Check, Interval

SCHEMA = "baserate/1"
Models = Mapping[str, Counts]
Settings = Mapping[str, Sequence[OperatingPoint]]


def text(content: Mapping[str, Any]) -> str:
    """The document as JSON text."""
    return json.dumps(content, indent=1, allow_nan=False)


def answer(
    command: str,
    notes: Sequence[Note],
    sources: Sequence[Source],
    seed: int | None = None,
    **parts: Any,
) -> dict[str, Any]:
    """What every answer has, and its own parts."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "command": command,
        "seed": seed,
        "sources": [
            {**asdict(source), "path": source.name.encode("utf-8", "backslashreplace").decode()}
            for source in sources
        ],
        "notes": [{"code": note.code, "text": note.line(on_command_line)} for note in notes],
        **parts,
    }


def of_interval(found: Interval) -> dict[str, Any]:
    """The bounds, at which level, by which method; null where a side is not bounded."""
    return {
        "low": number(found.low),
        "high": number(found.high),
        "level": found.level,
        "method": found.method,
        "side": found.side,
    }


def of_check(check: Check) -> dict[str, Any]:
    """How a requirement came out, with the bound that decides."""
    return {
        "requirement": check.requirement,
        "outcome": check.outcome,
        "value": number(check.interval.value),
        "bound": number(check.bound),
        **of_interval(check.interval),
        "cases_needed": check.needed,
    }


class Valued(NamedTuple):
    """A summary of a model, at conditions."""

    model: str
    at: Conditions
    summary: Summary
    value: float
    chance: float | None = None


def of_models(
    command: str,
    models: Models,
    settings: Settings,
    at: Sequence[Conditions],
    notes: Sequence[Note],
    values: Sequence[Valued] = (),
    *,
    aucs: Mapping[str, Interval],
    **more: Any,
) -> dict[str, Any]:
    """The models: their counts, AUC with its interval, other summaries, and operating points."""
    sources: dict[Source, None] = dict.fromkeys(
        source for counts in models.values() for source in counts.ledger.sources
    )
    first = at[0] if at else Conditions()
    parts = [
        _model_as_json(name, counts, settings.get(name, ()), first, aucs.get(name))
        for name, counts in models.items()
    ]
    for part in parts:
        for value in values:
            if value.model == part["name"]:
                # Several base rates: the name alone would hide all but one.
                prior = (
                    "" if value.at.prior is None or len(at) < 2 else f" at prior {value.at.prior!r}"
                )
                part["summaries"][f"{value.summary}{prior}"] = {
                    **summary(value.value),
                    **({} if value.chance is None else {"chance": value.chance}),
                    "at": conditions(value.at, models[value.model]),
                }
    return answer(command, notes, tuple(sources), models=parts, **more)


def of_choice(choice: Choice) -> dict[str, Any]:
    """Which model was chosen at one set of conditions, by what, and which cannot satisfy the
    rule.
    """
    point = choice.point
    return {
        "at": conditions(point.at),
        "rule": point.rule or None,
        "optimized": point.optimized,
        "models": list(choice.models),
        "values": {name: number(read(one, one.optimized)) for name, one in choice.points.items()},
        "refused": {name: error.problems[0].text for name, error in choice.refused.items()},
        "baselines": {name: point_of(one) for name, one in choice.baselines.items()},
        "unbeaten": choice.unbeaten,
    }


def _model_as_json(
    name: str,
    counts: Counts,
    settings: Sequence[OperatingPoint],
    at: Conditions,
    of_auc: Interval | None,
) -> dict[str, Any]:
    bounds = {} if of_auc is None else of_interval(of_auc)
    return {
        "name": name,
        "counts": {
            "total_positives": whole(counts.total_positives),
            "total_negatives": whole(counts.total_negatives),
            "distinct_scores": len(counts.scores),
            "prior": number(counts.prior),
            "design": counts.ledger.design,
            "weighted": counts.weighted,
            "condensed": counts.condensed,
            "digest": counts.digest,
            **({"corrected": counts.ledger.corrected} if counts.ledger.corrected else {}),
        },
        "at": conditions(at, counts),
        "summaries": {"auc": {**summary(auc(counts)), **bounds}},
        "points": [point_of(point) for point in settings],
    }


def conditions(at: Conditions, counts: Totals | None = None) -> dict[str, Any]:
    """The conditions, always said; where the class totals were chosen and no prior is given, there
    is none.
    """
    chosen = counts is not None and counts.ledger.design == CASE_CONTROL
    prior = counts.prior if at.prior is None and counts is not None and not chosen else at.prior
    return {
        "prior": number(prior),
        "as_in_sample": at.as_in_sample and number(prior) is not None,
        "costs": {
            name: cost if isinstance(cost, int) and abs(cost) <= EXACT_FLOATS else float(cost)
            for name, cost in asdict(at.costs).items()
        },
        "costs_given": at.costs_given,
    }


def uncertain(at: Uncertain | Conditions) -> dict[str, Any]:
    """Conditions, known or not: numbers, ranges as their two ends, anything else in words."""
    parts = {
        "prior": at.prior,
        **(
            at.costs
            if isinstance(at, Uncertain)
            else {name: getattr(at.costs, name) for name in OUTCOMES}
        ),
    }
    return {name: _part_as_json(part) for name, part in parts.items()}


def _part_as_json(part: Any) -> Any:
    if isinstance(part, Range | LogUniform):
        return {
            "low": float(part.low),
            "high": float(part.high),
            "kind": "range" if isinstance(part, Range) else "log-uniform",
        }
    if isinstance(part, Draws):
        return {"values": [float(value) for value in part.values], "kind": "values"}
    if part is None or isinstance(part, int | float):
        return part
    if isinstance(part, Pilot):
        return {
            "kind": "pilot",
            "positives": part.positives,
            "cases": part.cases,
            "mean": part.mean,
        }
    return (
        {"kind": type(part).__name__.lower(), "mean": float(part.mean)}
        if hasattr(part, "mean")
        else float(part)
    )


# Measures that have another name now: JSON keeps the former one beside it.
FORMER = {"false_omission_rate": "fomr"}


def with_former(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by measure, and those that have another name now under the former one as well."""
    former = {old: values[new] for new, old in FORMER.items() if new in values}
    return {**values, **former}


def read(point: OperatingPoint, name: str) -> float:
    """A measure of the point; undefined also where it needs a prior and there is none."""
    try:
        return point[name]
    except InputError as error:
        return Undefined(error.problems[0].text)


def point_of(point: OperatingPoint) -> dict[str, Any]:
    """An operating point: bare numbers, and beside them their intervals, and what is undefined and
    why.
    """
    values = {name: read(point, name) for name in measures_shown(point)}
    more: dict[str, Any] = {"volume": point.volume} if point.volume is not None else {}
    if point.counted is not None:
        more["counted"] = {"flagged": point.counted[0], "cases": point.counted[1]}
    for name, draw in (("best", point.best), ("worst", point.worst)):
        if draw is not None:
            more[name] = {
                **outcomes(draw),
                "caught": number(read(replace(point, confusion=draw), "caught")),
            }
    if point.guarantee is not None:
        more["guarantee"] = asdict(point.guarantee)
    return {
        "rule": point.rule or None,
        "optimized": point.optimized or None,
        "how": point.how,
        "in_advance": point.in_advance,
        "at": conditions(point.at),
        "threshold": threshold(point.threshold),
        **share_of(point),
        **outcomes(point.confusion),
        **with_former({name: number(value) for name, value in values.items()}),
        **more,
        "intervals": with_former(
            {name: of_interval(found) for name, found in point.intervals.items()}
        ),
        "undefined": {
            name: value.reason for name, value in values.items() if isinstance(value, Undefined)
        },
    }


def share_of(point: OperatingPoint) -> dict[str, Any]:
    """Where not every case at the threshold is flagged: which share of which, and whether those may
    have several scores.
    """
    merged = {"merged": True} if point.merged else {}
    if point.share == 1:
        return {}
    # "certain" is what the threshold was called while "threshold" was the lower one.
    return {
        "share": point.share,
        "certain": threshold(point.threshold),
        "lower_threshold": threshold(point.lower_threshold),
        **merged,
    }


def outcomes(confusion: Confusion) -> dict[str, Any]:
    """The four outcomes."""
    return {name: whole(getattr(confusion, name)) for name in ("tp", "fp", "fn", "tn")}


def threshold(value: float | None) -> float | str:
    """A threshold: "none" flags nothing, infinite ones and integers that floats cannot hold are
    text.
    """
    if value is None:
        return "none"
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return whole(value)


def whole(value: float | Fraction) -> float | str:
    """A count; a decimal string where a reader's float would round it."""
    if isinstance(value, int):
        return value if abs(value) <= EXACT_FLOATS else str(value)
    return float(value)


def summary(value: float) -> dict[str, Any]:
    """A value, or the reason why it is undefined."""
    reason = {"undefined": value.reason} if isinstance(value, Undefined) else {}
    return {"value": number(value), **reason}


def number(value: float | None) -> float | None:
    """The number, or null where there is none."""
    return float(value) if value is not None and math.isfinite(value) else None


def notes_of(models: Models, settings: Settings) -> list[Note]:
    """Every note once; one that not all models share names its model, and base rates that
    differ are listed together.
    """
    said: dict[str, tuple[Note, ...]] = {}
    for name, counts in models.items():
        chosen = [note for point in settings.get(name, ()) for note in point.notes]
        said[name] = (*counts.notes, *chosen)
    return notes_by_model(said)


def of_errors(error: InputError) -> dict[str, Any]:
    """What is wrong with the input, in the same shape as everything else."""
    return {
        "schema": SCHEMA,
        "errors": [
            {
                "code": problem.code,
                "where": {key: value for key, value in asdict(problem.where).items() if value},
                "text": problem.text,
                "fix": problem.fix.command,
            }
            for problem in error.problems
        ],
    }
