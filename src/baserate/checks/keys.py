"""The keys of a TOML file: each is taken once, by its kind, and whatever is wrong with any of them is found in one pass."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from baserate.errors import Fix, InputError, Problem, Where, quoted

Path = tuple[str | int, ...]
HEADER = re.compile(r"\s*(\[{1,2})\s*(.+?)\s*\]{1,2}\s*(?:#.*)?")
KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
TEXT, NUMBER, WHOLE, FLAG, TABLE, TABLES = "a text", "a number", "a whole number", "true or false", "a table", "a list of tables"
TEXTS, SHARE, VALUE, CUT, SOURCE = "a list of texts", "a number or a text", "a text, number or bool", 'a number or "none"', "a text or a table"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124 (TOML has nan)


FITS: dict[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str) and bool(value.strip()),
    NUMBER: _is_number,
    WHOLE: lambda value: _is_number(value) and isinstance(value, int),
    FLAG: lambda value: isinstance(value, bool),
    TABLE: lambda value: isinstance(value, dict),
    TABLES: lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
    TEXTS: lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    SHARE: lambda value: _is_number(value) or isinstance(value, str),
    VALUE: lambda value: _is_number(value) or isinstance(value, str | bool),
    CUT: lambda value: _is_number(value) or value == "none",
    SOURCE: lambda value: (isinstance(value, str) and bool(value.strip())) or isinstance(value, dict),
}


@dataclass(frozen=True)
class File:
    """A file that is being read: where its keys stand, and what is wrong with them so far."""

    path: str
    lines: Mapping[Path, int]
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, where: Path, code: str, text: str, fix: str) -> None:
        """Remember a problem, at the line of its key or of the nearest table around it."""
        found = next((self.lines[where[:end]] for end in range(len(where), 0, -1) if where[:end] in self.lines), None)
        place = Where(self.path, lines=() if found is None else (found,), total=0 if found is None else 1)
        self.problems.append(Problem(code, text, Fix.everywhere(fix), place))

    @contextmanager
    def refusals(self, where: Path, fix: str | None = None) -> Iterator[None]:
        """Refusals of a value become problems of its key."""
        try:
            yield
        except InputError as error:
            for problem in error.problems:
                self.wrong(where, problem.code, f"{shown(where)}: {problem.text}", fix or problem.fix.python)

    def settle(self) -> None:
        """Raise everything that was found, in the order of the lines."""
        if self.problems:
            raise InputError(sorted(self.problems, key=lambda problem: problem.where.lines))


@dataclass
class Keys:
    """One table of the file."""

    file: File
    where: Path
    values: dict[str, Any]
    known: list[str] = field(default_factory=list)

    def take(self, key: str, kind: str, *, needed: str = "") -> Any:
        """The value of a key; None where it is not there, or not of its kind. `needed` is an example of what is missing."""
        self.known.append(key)
        if key not in self.values:
            if needed:
                self.file.wrong(self.where, "BR841", f"{self.spoken(key)} is missing", needed)
            return None
        value = self.values[key]
        if not FITS[kind](value):
            self.file.wrong((*self.where, key), "BR842", f"{self.spoken(key)} is {kind}, got {_told(value)}", needed or f"write {kind}")
            return None
        return value

    def table(self, key: str) -> Keys:
        """A table within; an empty one where there is none."""
        return Keys(self.file, (*self.where, key), self.take(key, TABLE) or {})

    def each(self, kind: str) -> dict[str, Any]:
        """All keys of a table whose names the user chose."""
        return {key: self.take(key, kind) for key in list(self.values)}

    def done(self) -> None:
        """Whatever nobody took is refused."""
        for key in self.values:
            if key not in self.known:
                near = difflib.get_close_matches(key, self.known, n=1)
                like = quoted(near[0], quotes=False) if near else ""
                meant = f"; did you mean {like}?" if near else ""
                fix = f"write {like}" if near else f"one of {', '.join(self.known)}"
                self.file.wrong((*self.where, key), "BR841", f"there is no key {self.spoken(key)}{meant}", fix)

    def spoken(self, key: str) -> str:
        return shown((*self.where, key))


def shown(where: Path) -> str:
    """A key with the tables that it stands in: scenario.field.prior, require[2].rule."""
    text = ""
    for part in where:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{quoted(part, quotes=False)}"
    return text


def _told(value: object) -> str:
    return f"a {'table' if isinstance(value, dict) else 'list'}" if isinstance(value, dict | list) else quoted(value)


def lines_of(text: str) -> dict[Path, int]:
    """The line on which each table and key stands. Good enough to point at: a key in a text of several lines is taken for one."""
    found: dict[Path, int] = {}
    table: Path = ()
    counted: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header, key = HEADER.fullmatch(line), KEY.match(line)
        if header:
            table = _parts(header[2])
            if header[1] == "[[":
                counted[table] = counted.get(table, 0) + 1
                table = (*table, counted[table])
            found.setdefault(table, number)
        elif key:
            found.setdefault((*table, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> Path:
    return tuple(part.strip("\"'") for part in PART.findall(dotted))


def listed(names: Iterable[str]) -> str:
    """Names that may be meant."""
    return f"one of {', '.join(map(quoted, names))}"
