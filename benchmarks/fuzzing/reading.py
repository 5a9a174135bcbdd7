"""One file given to the library, in one of the ways there are, and what became of it."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from benchmarks.fuzzing.naive_counts import Reading
from benchmarks.fuzzing.seeds import Seed

import baserate as br
from baserate.read import files
from baserate.read import source as sources
from baserate.read.table import ColumnRoles

READ, REFUSED, TRACEBACK = "read", "refused", "traceback"
LONGEST_LINE = 1000


class Outcome(NamedTuple):
    """What became of a file: a reading, a refusal in one line, or something that must not be."""

    kind: str
    said: str = ""
    reading: Reading | None = None


def outcome(seed: Seed, path: Path, way: str) -> Outcome:
    """What the library makes of this file: `direct` asks the readers in this process, any other way
    is a public function.
    """
    try:
        counts = (
            br.load(path)
            if seed.format == "counts"
            else _direct(seed, path)
            if way == "direct"
            else _public(seed, path, way)
        )
        return Outcome(READ, "", _reading(counts))
    except br.InputError as error:
        wrong = [
            line
            for line in map(str, error.problems)
            if not line.isprintable() or len(line) > LONGEST_LINE or "Fix: " not in line
        ]
        return (
            Outcome(TRACEBACK, f"not one clear line: {wrong[0]}")
            if wrong
            else Outcome(REFUSED, str(error.problems[0]))
        )
    except OSError as error:
        return (
            Outcome(REFUSED, str(error))
            if str(error).isprintable()
            else Outcome(TRACEBACK, repr(error))
        )
    except BaseException:  # noqa: BLE001 (whatever it is, it must not be)
        return Outcome(TRACEBACK, traceback.format_exc())


def _source(seed: Seed, path: Path) -> str:
    return f"{path}::{seed.asked}" if seed.asked else str(path)


def _public(seed: Seed, path: Path, way: str) -> Any:
    said: dict[str, Any] = {"label": "y", "positive": seed.positive, **seed.options}
    if way == "count_groups_file":
        return br.count(_source(seed, path), score="s", by="g", **said)
    if way == "count_models_file":
        return br.count(_source(seed, path), score=["s"], **said)
    return br.count(_source(seed, path), score="s", **said)


def _direct(seed: Seed, path: Path) -> br.Counts:
    """The same counts without a process in between."""
    wanted = ColumnRoles("y", ("s",), seed.positive)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "is_confined", lambda *_: False)
        return files.count_scores(_source(seed, path), wanted, sources.Options.of(seed.options))[
            "s"
        ]


def _reading(counts: Any) -> Reading:
    """The rows and cells of whatever was counted; of groups and of one model, those of all
    cases.
    """
    ledger = counts.ledger
    if isinstance(counts, br.GroupedCounts):
        counts = counts.total()
    elif isinstance(counts, br.JointCounts):
        counts = counts.marginal(counts.models[0])
    cells = zip(
        counts.scores.tolist(), counts.positives.tolist(), counts.negatives.tolist(), strict=True
    )
    return Reading(ledger.rows_read, ledger.rows_refused, tuple(cells))
