"""The plain, versioned document behind `--json`: what a program reads. NaN and infinity never appear in it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from baserate import __version__
from baserate.calculator import Rates
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.errors import InputError, on_command_line, quoted
from baserate.exact import EXACT_FLOATS
from baserate.measures.confusions import Confusion
from baserate.notes import Note, Source
from baserate.summaries import auc
from baserate.undefined import Undefined

SCHEMA = "baserate/1"
AT_A_POINT = ("tpr", "fpr", "tnr", "fnr", "precision", "npv", "posfrac", "accuracy", "f1", "expected_cost", "normalized_cost")
OF_A_VOLUME = ("alerts", "caught", "missed", "false_alarms", "volume_cost")
Models = Mapping[str, Counts]
Points = Mapping[str, Sequence[OperatingPoint]]


def text(answer: Mapping[str, Any]) -> str:
    """The document as JSON text."""
    return json.dumps(answer, indent=1, allow_nan=False)


def _answer(command: str, notes: Sequence[Note], sources: Sequence[Source], **parts: Any) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "version": __version__,
        "command": command,
        "seed": None,
        "sources": [{**asdict(source), "path": source.path.encode("utf-8", "backslashreplace").decode()} for source in sources],
        "notes": [{"code": note.code, "text": note.line(on_command_line)} for note in notes],
        **parts,
    }


def of_models(command: str, models: Models, points: Points, at: Sequence[Conditions], notes: Sequence[Note]) -> dict[str, Any]:
    """Everything that is known of the models: their counts, and the operating points asked for."""
    sources: dict[Source, None] = dict.fromkeys(source for counts in models.values() for source in counts.ledger.sources)
    first = at[0] if at else Conditions()
    return _answer(
        command, notes, tuple(sources), models=[_model(name, counts, points.get(name, ()), first) for name, counts in models.items()]
    )


def _model(name: str, counts: Counts, points: Sequence[OperatingPoint], at: Conditions) -> dict[str, Any]:
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
            "coarse": counts.bins is not None,
            "digest": counts.digest,
        },
        "at": conditions(at.within(counts.prior) if at.prior is None else at),
        "summaries": {"auc": summary(auc(counts), counts.auc_error_bound)},
        "points": [point_of(point) for point in points],
    }


def conditions(at: Conditions) -> dict[str, Any]:
    """The conditions, always said."""
    return {
        "prior": number(at.prior),
        "as_in_sample": at.as_in_sample,
        "costs": {name: whole(cost) for name, cost in asdict(at.costs).items()},
        "costs_given": at.costs_given,
    }


def point_of(point: OperatingPoint) -> dict[str, Any]:
    """An operating point: bare numbers, and beside them what is undefined and why."""
    names = AT_A_POINT + (OF_A_VOLUME if point.volume is not None else ())
    values = {name: point[name] for name in names}
    more: dict[str, Any] = {"volume": point.volume} if point.volume is not None else {}
    for name, draw in (("best", point.best), ("worst", point.worst)):
        if draw is not None:
            more[name] = outcomes(draw)
    if point.theory is not None and point.cut is not None:
        more["theory"] = {"cut": point.cut._asdict(), **point_of(point.theory)}
    return {
        "rule": point.rule or None,
        "optimized": point.optimized or None,
        "how": point.how,
        "at": conditions(point.at),
        "threshold": threshold(point.threshold),
        **({"share": point.share, "certain": threshold(point.certain)} if point.share != 1 else {}),
        **outcomes(point.confusion),
        **{name: number(value) for name, value in values.items()},
        **more,
        "intervals": {},
        "undefined": {name: value.reason for name, value in values.items() if isinstance(value, Undefined)},
    }


def outcomes(confusion: Confusion) -> dict[str, Any]:
    """The four outcomes."""
    return {name: whole(getattr(confusion, name)) for name in ("tp", "fp", "fn", "tn")}


def threshold(value: float | None) -> float | str:
    """A threshold: "none" flags nothing, infinite ones and integers that floats cannot hold are text."""
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


def summary(value: float, error_bound: float = 0.0) -> dict[str, Any]:
    """A value with whatever limits it: the reason why it is undefined, or the bound on its error."""
    reason = {"undefined": value.reason} if isinstance(value, Undefined) else {}
    return {"value": number(value), **reason, **({"error_bound": error_bound} if error_bound else {})}


def number(value: float | None) -> float | None:
    """The number, or null where there is none."""
    return float(value) if value is not None and math.isfinite(value) else None


def of_rates(rates: Rates) -> dict[str, Any]:
    """What the calculator found."""
    solved = {name: rates[name] for name in rates}
    parts = {name: {**rate._asdict(), "low": number(rate.low), "high": number(rate.high)} for name, rate in solved.items()}
    return _answer("calc", (), (), models=[], rates=parts, undefined=rates.undefined)


def notes_of(models: Models, points: Points) -> list[Note]:
    """Every note once; one that not all models share is said of its model."""
    seen: dict[Note, dict[str, None]] = {}
    for name, counts in models.items():
        theories = [point.theory for point in points.get(name, ()) if point.theory is not None]
        chosen = [note for point in (*points.get(name, ()), *theories) for note in point.notes]
        for note in (*counts.notes, *chosen):
            seen.setdefault(note, {})[name] = None
    everyone = len(models)
    return [
        note if len(names) == everyone else Note(note.code, f"{', '.join(map(quoted, names))}: {note.text}", note.override)
        for note, names in seen.items()
    ]


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
