"""What is wrong, where, and how to fix it: one line per problem."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from types import TracebackType
from typing import Self

MOST_PROBLEMS = 20
MOST_EXAMPLES = 3
MOST_QUOTED = 40
# Printable by the book, and seen by nobody: fillers, a blank pattern, variation selectors.
INVISIBLE = frozenset("\u115f\u1160\u2800\u3164\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10))))

# Each argument of Python that has an option of its own on the command line.
OPTIONS = {
    "pos_label": "--positive",
    "positive": "--positive",
    "sample_weight": "--weight",
    "delimiter": "--delimiter",
    "encoding": "--encoding",
    "decimal": "--decimal",
    "thousands": "--thousands",
    "skip_lines": "--skip-lines",
    "max_bytes": "--max-bytes",
    "join": "--join",
    "id": "--id",
    "missing_label": "--missing-label",
    "label_threshold": "--label-threshold",
    "negative": "--negative",
    "nan_score": "--nan-score",
    "dedupe": "--dedupe",
    "amount_missing": "--amount-missing",
    "tz": "--tz",
    "cells": "--cells",
}


@dataclass(frozen=True)
class Fix:
    """How to fix a problem, spelled for each of the two places where a person can be."""

    python: str
    command: str

    @classmethod
    def option(cls, argument: str, value: object) -> Fix:
        shown = quoted(value, quotes=False)
        python = repr(shown) if isinstance(value, str) else quoted(value)
        word = shlex.quote(shown)
        if word == shown and not shown[-1:].isalnum():
            word = f'"{shown}"'  # a sign at the end would look like the sentence's own
        return cls(f"{argument}={python}", f"{OPTIONS[argument]} {word}")

    @classmethod
    def everywhere(cls, text: str) -> Fix:
        return cls(text, text)


in_python: Callable[[Fix], str] = attrgetter("python")
on_command_line: Callable[[Fix], str] = attrgetter("command")


@dataclass(frozen=True)
class Where:
    """The place of a problem: positions in an array (from 0), or lines of a file (from 1); up to
    three, and their total.
    """

    path: str | None = None
    rows: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()
    total: int = 0

    def __str__(self) -> str:
        found, one, many = (
            (self.lines, "line", "lines") if self.lines else (self.rows, "index", "index")
        )
        if not found:
            return ""
        more = " …" if self.total > len(found) else ""
        return f"{one if self.total == 1 else many} {', '.join(map(str, found))}{more}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with the input."""

    code: str
    text: str
    fix: Fix
    where: Where = field(default_factory=Where)

    def line(self, spelling: Callable[[Fix], str]) -> str:
        path = f"{escaped(self.where.path)}: " if self.where.path else ""
        place = f" ({self.where})" if str(self.where) else ""
        text, fix = f"{self.text}{place}", spelling(self.fix)
        end = "" if fix.startswith("baserate ") else "."  # a command is there to be pasted
        return escaped(
            f"{self.code}: {path}{text}{'' if text.endswith('?') else '.'} Fix: {fix}{end}"
        )

    def __str__(self) -> str:
        return self.line(in_python)


class InputError(ValueError):
    """The input cannot be counted without a guess. Holds every problem that was found in one pass,
    at most twenty.
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.problems = found[:MOST_PROBLEMS]
        super().__init__("\n".join(map(str, self.problems)))

    @property
    def code(self) -> str:
        return self.problems[0].code

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)

    def moved(self, place: Callable[[Where], Where]) -> InputError:
        """The same problems at the places where the user sees them (lines of a file instead of
        positions).
        """
        return type(self)(replace(problem, where=place(problem.where)) for problem in self.problems)


class Infeasible(InputError):  # noqa: N818 (an answer as much as an error)
    """What was requested is impossible with these data: nothing is wrong with them, and exit status
    3 says so.
    """


def refuse(
    code: str, text: str, fix: Fix | str, rows: Iterable[int] = (), total: int | None = None
) -> InputError:
    """The error to raise for one problem; `rows` are positions of examples, `total` how many there
    are in all.
    """
    examples = tuple(int(row) for row in rows)
    where = Where(rows=examples[:MOST_EXAMPLES], total=len(examples) if total is None else total)
    return InputError(
        Problem(code, text, fix if isinstance(fix, Fix) else Fix.everywhere(fix), where)
    )


def refuse_file(
    path: str | os.PathLike[str],
    code: str,
    text: str,
    fix: Fix | str,
    lines: tuple[int, ...] = (),
    total: int = 0,
) -> InputError:
    """The error to raise for a file: as a whole, or at some of its lines."""
    where = Where(os.fspath(path), lines=lines[:MOST_EXAMPLES], total=total)
    return InputError(
        Problem(code, text, fix if isinstance(fix, Fix) else Fix.everywhere(fix), where)
    )


class Findings:
    """Collects independent problems, so that one run names them all: `with findings:` keeps a
    refusal for `settle`.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, InputError):
            return False
        self.problems.extend(error.problems)
        return True

    def settle(self) -> None:
        """Raise everything that was found."""
        if self.problems:
            raise InputError(self.problems)


def quoted(value: object, *, quotes: bool = True) -> str:
    """A piece of the user's data for a message: at most 40 characters, escaped."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # Python does not write out integers of thousands of digits
        text = f"a very long {type(value).__name__}"
    if len(text) > MOST_QUOTED:
        text = text[: MOST_QUOTED - 1] + "…"
    return f'"{escaped(text)}"' if quotes and isinstance(value, str) else escaped(text)


def escaped(text: str) -> str:
    """Text with nothing that could steer a terminal (control characters, direction marks, half a
    surrogate pair).
    """
    return "".join(
        c if c.isprintable() and c not in INVISIBLE else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def grouped(number: float) -> str:
    """A count with its thousands apart (30,941); a mass to six digits."""
    return f"{number:.6g}" if isinstance(number, float) else f"{number:,}"


def number_of(count: float, noun: str, plural: str | None = None) -> str:
    """A count with its noun: 1 row, 2 rows. Words that change otherwise are given in both forms."""
    return f"{grouped(count)} {noun if count == 1 else plural or noun + 's'}"


def are(count: float) -> str:
    """The verb that goes with a count."""
    return "is" if count == 1 else "are"


def size(count: int) -> str:
    """A number of bytes as people say it."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"
