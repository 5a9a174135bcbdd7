"""The plain, versioned document behind `--json`: what a program reads. NaN and infinity never appear in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from baserate.counts import Counts
from baserate.errors import InputError, on_command_line, quoted
from baserate.notes import Note, Source
from baserate.summaries import auc
from baserate.undefined import Undefined

SCHEMA = "baserate/1"
EQUAL_COSTS = {"fp": 1, "fn": 1, "tp": 0, "tn": 0}


def of_models(command: str, version: str, models: Mapping[str, Counts]) -> dict[str, Any]:
    """Everything that is known of the models' counts."""
    sources: dict[Source, None] = dict.fromkeys(source for counts in models.values() for source in counts.ledger.sources)
    return {
        "schema": SCHEMA,
        "version": version,
        "command": command,
        "seed": None,
        "sources": [{**asdict(source), "path": source.path.encode("utf-8", "backslashreplace").decode()} for source in sources],
        "notes": [{"code": note.code, "text": note.line(on_command_line)} for note in notes_of(models)],
        "models": [_model(name, counts) for name, counts in models.items()],
    }


def _model(name: str, counts: Counts) -> dict[str, Any]:
    return {
        "name": name,
        "counts": {
            "total_positives": counts.total_positives,
            "total_negatives": counts.total_negatives,
            "distinct_scores": len(counts.scores),
            "prior": number(counts.prior),
            "weighted": counts.weighted,
            "condensed": counts.condensed,
            "coarse": counts.bins is not None,
            "digest": counts.digest,
        },
        "at": {"prior": number(counts.prior), "as_in_sample": True, "costs": EQUAL_COSTS},
        "summaries": {"auc": summary(auc(counts), counts.auc_error_bound)},
        "points": [],
    }


def summary(value: float, error_bound: float = 0.0) -> dict[str, Any]:
    """A value with whatever limits it: the reason why it is undefined, or the bound on its error."""
    reason = {"undefined": value.reason} if isinstance(value, Undefined) else {}
    return {"value": number(value), **reason, **({"error_bound": error_bound} if error_bound else {})}


def number(value: float) -> float | None:
    """The number, or null where there is none."""
    return value if math.isfinite(value) else None


def notes_of(models: Mapping[str, Counts]) -> list[Note]:
    """Every note once; one that not all models share is said of its model."""
    seen: dict[Note, list[str]] = {}
    for name, counts in models.items():
        for note in counts.notes:
            seen.setdefault(note, []).append(name)
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
