"""Errors (what is wrong, where, and how to fix it) and the notes that travel with a value."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import PurePath
from types import TracebackType
from typing import Any, Self

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

    def __eq__(self, other: object) -> bool:
        # A result that holds refusals equals its copies.
        return type(self) is type(other) and self.args == getattr(other, "args", None)

    def __hash__(self) -> int:
        return hash(self.args)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)

    def moved(self, place: Callable[[Where], Where]) -> InputError:
        """The same problems at the places where the user sees them (lines of a file instead of
        positions).
        """
        return type(self)(replace(problem, where=place(problem.where)) for problem in self.problems)


@contextmanager
def relocate_problems(place: Callable[[Where], Where]) -> Iterator[None]:
    """Problems that are found meanwhile lie where `place` says."""
    try:
        yield
    except InputError as error:
        raise error.moved(place) from None


class Infeasible(InputError):  # noqa: N818 (an answer as much as an error)
    """The request cannot be satisfied with these data, although they are valid (exit status 3)."""


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


# ----------------------------------------------------------------------
# What travels with a value: notes on how it was read, and the ledger of its rows.

RANDOM = "random"
CASE_CONTROL = "case-control"
DESIGNS = (RANDOM, CASE_CONTROL)


# Notes whose text ends in advice, which the spelling completes.
ADVICE = ("BR528",)


@dataclass(frozen=True)
class Note:
    """Something a reader of the number should know, with a stable code and the option that
    changes it. `values` are what the text says, as data: code reads these and never the text.
    """

    code: str
    text: str
    override: Fix | None = None
    values: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def line(self, spelling: Callable[[Fix], str]) -> str:
        if self.override is None:
            return self.text
        joint = ": " if self.code in ADVICE else ". Override: "
        return f"{self.text}{joint}{spelling(self.override)}"

    def __str__(self) -> str:
        return f"{self.code}: {self.line(in_python)}"


def name_models(note: Note, names: Sequence[str]) -> Note:
    """Return a note that begins with the names of the models that it is about."""
    text = f"{_names_before(names)}{note.text}"
    return replace(note, text=text, values={**note.values, "models": tuple(names)})


def _names_before(names: Sequence[str]) -> str:
    return f"{', '.join(map(quoted, names))}: "


# Of scores whose low values are suspicious, negated so that `score >= threshold` flags them.
TURNED = Note(
    "BR207",
    "low scores mean positive, as given: scores were negated, so a threshold of -0.3 means score <="
    " 0.3",
)


@dataclass(frozen=True)
class Source:
    """One input: its name, its contents, and which of its values is the positive class."""

    path: str
    sha256: str
    rows_read: int
    rows_used: int
    rows_refused: int
    label: str
    positive: str
    weight: str | None = None

    @property
    def name(self) -> str:
        """What everybody may be told of where it lies."""
        return name_of(self.path)


def name_of(path: str) -> str:
    """A path as it was given, but of an absolute one the last part alone: the rest tells whose
    machine it lay on, and under whose name.
    """
    given = PurePath(path)
    return given.name or path if given.is_absolute() else path


@dataclass(frozen=True)
class Ledger:
    """Rows read = rows used + rows refused, the sources they came from (none for arrays), and the
    design of the sample.

    "random" lets the share of positives speak for itself; "case-control" says that the class totals
    were chosen. `corrected` is what the odds of the scores were multiplied by, as a fraction
    ("1/100"), where they were corrected to another base rate; empty where they were not.
    """

    rows_read: int = 0
    rows_used: int = 0
    rows_refused: int = 0
    sources: tuple[Source, ...] = ()
    design: str = RANDOM
    corrected: str = ""

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(
            self.rows_read + other.rows_read,
            self.rows_used + other.rows_used,
            self.rows_refused + other.rows_refused,
            self.sources + other.sources,
            self.design if self.design != RANDOM else other.design,
            self.corrected or other.corrected,
        )


def checked_design(design: str) -> str:
    """The design, where it is one of those known."""
    if design not in DESIGNS:
        raise refuse(
            "BR532",
            f"the design of a sample is {' or '.join(map(repr, DESIGNS))}, got {quoted(design)}",
            Fix(
                f"design={CASE_CONTROL!r} where the class totals were chosen",
                f"--design {CASE_CONTROL}",
            ),
        )
    return design


def check_corrected_once(ledger: Ledger, factor: object) -> None:
    """Odds that were multiplied once are not multiplied again: most likely somebody forgot the
    first time.
    """
    if ledger.corrected and factor != 1:
        text = (
            f"the odds of these scores were corrected before, by {ledger.corrected}: a second"
            " correction would be one too many"
        )
        fix = Fix(
            "correct the scores as the model gave them, once, to where they are needed",
            "count the scores as the model gave them",
        )
        raise refuse("BR536", text, fix)


def repeated_sources(first: Ledger, second: Ledger) -> tuple[Note, ...]:
    """The same file on both sides of a sum is most likely a mistake, and shows nowhere else."""
    before = {source.sha256 for source in first.sources if source.sha256}  # a database has none
    return tuple(counted_twice(source.path) for source in second.sources if source.sha256 in before)


def counted_twice(path: str) -> Note:
    """The note for a file that was given before."""
    return Note(
        "BR411",
        f"{escaped(name_of(path))} is on both sides of a sum (same SHA-256): its rows are counted"
        " twice",
    )


def combine(first: Iterable[Note], second: Iterable[Note]) -> tuple[Note, ...]:
    """Both, each note once, in the order in which they came; of many with one code the first three
    stand for the rest.
    """
    kept: dict[Note, None] = {}
    alike: Counter[str] = Counter()
    for note in (*first, *second):
        if note not in kept and alike[note.code] >= MOST_EXAMPLES:
            note = Note(note.code, "more of this kind was noted for other parts")  # noqa: PLW2901
        alike[note.code] += note not in kept
        kept[note] = None
    return tuple(kept)


# ----------------------------------------------------------------------
# Which notes a person reads first.


# By how much they could change the decision: a rule that cannot be satisfied, data that are not
# what they seem, labels and scores that are missing, few cases, the same data twice, the base rate,
# the costs. Others come after these.
RANK = (
    *("BR530", "BR112", "BR111", "BR207", "BR104", "BR206", "BR411", "BR406"),
    *("BR116", "BR117", "BR656", "BR653", "BR113", "BR105", "BR201", "BR605", "BR515", "BR401"),
    *("BR505", "BR587", "BR625", "BR591", "BR630", "BR597", "BR626", "BR584"),
    *("BR528", "BR657", "BR593", "BR638", "BR537", "BR538", "BR544", "BR526"),
    *("BR525", "BR524", "BR527", "BR523", "BR522"),
)
# Of the scale of the scores and of ties: where they matter, another note says so.
QUIET = ("BR202", "BR203", "BR210", "BR216")
MOST_SHOWN = 3


def rank_notes(notes: Iterable[Note]) -> list[Note]:
    """Every note once, those first that could change the decision most; the same of several models
    is one.
    """
    place = {code: rank for rank, code in enumerate((*RANK, "", *QUIET))}
    found: dict[tuple[str, str, Fix | None], dict[str, None]] = {}
    for note in notes:
        models = note.values.get("models", ())
        text = note.text.removeprefix(_names_before(models))
        names = found.setdefault((note.code, text, note.override), {})
        names.update(dict.fromkeys(models))
    merged = []
    for (code, text, override), names in found.items():
        note = Note(code, text, override)
        merged.append(name_models(note, tuple(names)) if names else note)
    return sorted(merged, key=lambda note: place.get(note.code, place[""]))


def foremost_notes(notes: Iterable[Note]) -> list[Note]:
    """The three that could change the decision most, one of each kind; none of the quiet ones."""
    first: dict[str, Note] = {}
    for note in rank_notes(notes):
        first.setdefault(note.code, note)
    return [note for code, note in first.items() if code not in QUIET][:MOST_SHOWN]


def with_notes(shown: str, notes: Iterable[Note]) -> str:
    """A result as it is printed, and below it the notes that could change the decision most."""
    return "\n".join((shown, *(f"  note {note}" for note in foremost_notes(notes))))
