"""`baserate.toml`: the checks of a build, read and written. Nothing in it is executed, and nothing
in it is ignored.
"""

from __future__ import annotations

import difflib
import glob
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from baserate import notation
from baserate.conditions import Conditions, Costs
from baserate.counts.counts import JointCounts
from baserate.curves.summaries import summary_named
from baserate.decisions.rules import parse_rule
from baserate.errors import (
    RANDOM,
    Fix,
    InputError,
    Note,
    Problem,
    Source,
    Where,
    checked_design,
    escaped,
    grouped,
    quoted,
    refuse_file,
)
from baserate.inference.requirements import check_requirement, checked_margin
from baserate.measures.confusion import checked_volume, parse
from baserate.read import streams
from baserate.read.files import is_saved
from baserate.read.source import SCHEME, WILD, Options
from baserate.read.text import TextOptions
from baserate.read.treatments import Treatment
from baserate.results.values import (
    NonInferiority,
    checked_level,
    checked_replicates,
    checked_seed,
)
from baserate.views.comparisons import Judged

# ----------------------------------------------------------------------
# The keys of a TOML file: each is taken once, by its kind, and whatever is wrong with any of them
# is found in one pass.


Path = tuple[str | int, ...]
HEADER = re.compile(r"\s*(\[{1,2})\s*(.+?)\s*\]{1,2}\s*(?:#.*)?")
KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
TEXT_VALUE, NUMBER, WHOLE, FLAG, TABLE, TABLES = (
    "a text",
    "a number",
    "a whole number",
    "true or false",
    "a table",
    "a list of tables",
)
PRIORS = "a number, a text or a list of them"
TEXTS, SHARE, VALUE, CUT, SOURCE = (
    "a list of texts",
    "a number or a text",
    "a text, number or bool",
    'a number or "none"',
    "a text or a table",
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124 (TOML has nan)


FITS: dict[str, Callable[[Any], bool]] = {
    TEXT_VALUE: lambda value: isinstance(value, str) and bool(value.strip()),
    NUMBER: _is_number,
    WHOLE: lambda value: _is_number(value) and isinstance(value, int),
    FLAG: lambda value: isinstance(value, bool),
    TABLE: lambda value: isinstance(value, dict),
    TABLES: lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
    TEXTS: lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    SHARE: lambda value: _is_number(value) or isinstance(value, str),
    VALUE: lambda value: _is_number(value) or isinstance(value, str | bool),
    PRIORS: lambda value: all(
        _is_number(one) or isinstance(one, str)
        for one in (value if isinstance(value, list) else [value])
    ),
    CUT: lambda value: _is_number(value) or value == "none",
    SOURCE: lambda value: (
        (isinstance(value, str) and bool(value.strip())) or isinstance(value, dict)
    ),
}


@dataclass(frozen=True)
class File:
    """A file that is being read: where its keys stand, and what is wrong with them so far."""

    path: str
    lines: Mapping[Path, int]
    problems: list[Problem] = field(default_factory=list)

    def wrong(self, where: Path, code: str, text: str, fix: str) -> None:
        """Remember a problem, at the line of its key or of the nearest table around it."""
        found = next(
            (
                self.lines[where[:end]]
                for end in range(len(where), 0, -1)
                if where[:end] in self.lines
            ),
            None,
        )
        place = Where(
            self.path, lines=() if found is None else (found,), total=0 if found is None else 1
        )
        self.problems.append(Problem(code, text, Fix.everywhere(fix), place))

    @contextmanager
    def refusals(self, where: Path, fix: str | None = None) -> Iterator[None]:
        """Refusals of a value become problems of its key."""
        try:
            yield
        except InputError as error:
            for problem in error.problems:
                self.wrong(
                    where,
                    problem.code,
                    f"{shown(where)}: {problem.text}",
                    fix or problem.fix.python,
                )

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

    def take(self, key: str, kind: str = "", *, needed: str = "") -> Any:
        """The value of a key; None where it is not there, or not of its kind (that of the table of
        settings, unless another is given). `needed` is an example of what is missing.
        """
        self.known.append(key)
        kind = kind or SECTIONS[str(self.where[0]) if self.where else ""][key].kind
        if key not in self.values:
            if needed:
                self.file.wrong(self.where, "BR841", f"{self.spoken(key)} is missing", needed)
            return None
        value = self.values[key]
        if not FITS[kind](value):
            self.file.wrong(
                (*self.where, key),
                "BR842",
                f"{self.spoken(key)} is {kind}, got {_told(value)}",
                needed or f"write {kind}",
            )
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
                meant, fix = self._meant(key)
                self.file.wrong(
                    (*self.where, key), "BR841", f"there is no key {self.spoken(key)}{meant}", fix
                )

    def _meant(self, key: str) -> tuple[str, str]:
        """A question after an unknown key, and what to write: in which table it belongs, the
        nearest key, or all there are.
        """
        if key in ("score", "scores") and self.where in ((), ("data",)):
            return "", IN_MODELS
        if not self.where and key in HOMES:
            return "", f"write {key} under [{HOMES[key]}]"
        near = difflib.get_close_matches(key, self.known, n=1)
        if not near:
            return "", f"one of {', '.join(self.known)}"
        like = quoted(near[0], quotes=False)
        return f"; did you mean {like}?", f"write {like}"

    def spoken(self, key: str) -> str:
        return shown((*self.where, key))


def shown(where: Path) -> str:
    """A key with the tables that it stands in: scenario.field.prior, require[2].rule."""
    text = ""
    for part in where:
        text += (
            f"[{part}]"
            if isinstance(part, int)
            else f"{'.' if text else ''}{quoted(part, quotes=False)}"
        )
    return text


def _told(value: object) -> str:
    return (
        f"a {'table' if isinstance(value, dict) else 'list'}"
        if isinstance(value, dict | list)
        else quoted(value)
    )


def lines_of(text: str) -> dict[Path, int]:
    """The line on which each table and key stands. Good enough to point at: a key in a text of
    several lines is taken for one.
    """
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


# ----------------------------------------------------------------------
# Plain values: where the cases lie, under which conditions, what is asked of which model, and how
# it came out.


ERROR, COST, CAUGHT = "error", "expected_cost", "caught"
LEVEL = 0.95


class Scored(NamedTuple):
    """Where a model's scores lie."""

    source: str
    column: str


@dataclass(frozen=True)
class Data:
    """The models' scores, which column is the label, and how the sources are read and joined."""

    models: Mapping[str, Scored]
    label: str
    positive: Any = None
    design: str = RANDOM
    id: str | None = None
    join: str | None = None
    by_position: bool = False
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Scenario:
    """The conditions of the field, and the thresholds that are in use there."""

    name: str | None = None
    at: Conditions = field(default_factory=Conditions)
    volume: float | None = None
    thresholds: Mapping[str, float | None] | None = None

    def cuts(self, models: tuple[str, ...]) -> dict[str, float | None] | None:
        """The threshold of each of these models, where all of them have one."""
        given = self.thresholds or {}
        return (
            {model: given[model] for model in models}
            if all(model in given for model in models)
            else None
        )


@dataclass(frozen=True)
class Demand:
    """A requirement that models have to keep."""

    rule: str
    models: tuple[str, ...]
    scenario: Scenario = field(default_factory=Scenario)
    slice: str | None = None
    accept_observed: bool = False
    level: float = LEVEL

    @property
    def title(self) -> str:
        return (
            f"{escaped(self.rule)} of"
            f" {', '.join(quoted(model, quotes=False) for model in self.models)}{_where(self)}"
        )


@dataclass(frozen=True)
class Comparison:
    """A candidate that must not be worse than the baseline."""

    baseline: str
    candidate: str
    scenario: Scenario = field(default_factory=Scenario)
    statistic: str | None = None
    rule: str | None = None
    margin: float | None = None
    slice: str | None = None
    level: float = LEVEL
    replicates: int | None = None

    @property
    def models(self) -> tuple[str, str]:
        return self.baseline, self.candidate

    @property
    def wanted(self) -> str:
        """What is compared: what is named; else costs where they are given, what a budget catches,
        or the share of errors.
        """
        if self.statistic is not None:
            return self.statistic
        if self.scenario.at.costs_given:
            return COST
        return (
            CAUGHT
            if self.rule is not None
            and parse_rule(self.rule, self.scenario.volume).budget is not None
            else ERROR
        )

    @property
    def title(self) -> str:
        rule = "" if self.rule is None else f" with {escaped(self.rule)}"
        by = f" by {escaped(self.wanted)}{rule}"
        return (
            f"{quoted(self.candidate, quotes=False)} against"
            f" {quoted(self.baseline, quotes=False)}{by}{_where(self)}"
        )


def _where(check: Demand | Comparison) -> str:
    scenario = (
        "" if check.scenario.name is None else f", {quoted(check.scenario.name, quotes=False)}"
    )
    return f"{scenario}{'' if check.slice is None else f', by {quoted(check.slice, quotes=False)}'}"


@dataclass(frozen=True)
class Settings:
    """Everything that a `baserate.toml` says; `digests` are those of counts that must not have
    changed.
    """

    path: str
    data: Data
    checks: tuple[Demand | Comparison, ...]
    digests: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """How a check came out. Only a positive verdict passes."""

    check: Demand | Comparison
    passed: bool
    judged: tuple[Judged, ...] = ()
    regression: NonInferiority | None = None
    joint: JointCounts | None = field(default=None, compare=False, repr=False)
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    sources: tuple[Source, ...] = ()


# ----------------------------------------------------------------------
# `baserate.toml`: what a build checks, as a file. Nothing in it is executed, and nothing in it is
# ignored.


SETTINGS = "baserate.toml"
BASELINE, CANDIDATE = "baseline", "candidate"
MOST_BYTES = 100_000
LONGEST_LINE = 2000
IN_MODELS = 'name the columns of scores in [models], such as logit = "logit"'
WRITE_SOURCE = 'source = "scores.csv"'
WRITE_COSTS = "costs = { fn = 100, fp = 1 }"
OUTCOMES = ("fp", "fn", "tp", "tn")
KINDS = {
    "str | None": TEXT_VALUE,
    "bool": FLAG,
    "int": WHOLE,
    "float | None": NUMBER,
    "tuple[str, ...]": TEXTS,
}
READING = {
    field.name: KINDS[str(field.type)]
    for kind in (TextOptions, Treatment)
    for field in fields(kind)
} | {"max_bytes": WHOLE}
TOGETHER = frozenset({"columns", "header", "decimal", "thousands"})
AT_LINE = re.compile(r"(.*?) \(at (?:line (\d+)|end of document).*\)")
DIGEST = re.compile(r"[0-9a-f]{64}")


# ----------------------------------------------------------------------
# The table of settings. The reader takes the kinds from it, and the template is written from it.


class Setting(NamedTuple):
    """A key: what it holds, an example, and its words and place in the template: `before` is ""
    for what every file needs, "#" for what may be added, and else says what it goes with.
    """

    kind: str
    example: str
    help: str
    before: str = "#"


LEVEL_SET = Setting(SHARE, '"95%"', "confidence level")
COSTS_SET = Setting(TABLE, "{ fn = 100, fp = 1 }", "what an outcome costs; also tp and tn")
PROFITS_SET = Setting(TABLE, "{ tp = 95, fp = -5 }", "what it earns", "# Instead of costs: ")
VOLUME_SET = Setting(
    NUMBER, "1_000_000", "number of cases, for example per day", "# For counts such as alerts: "
)
SLICE_SET = Setting(TEXT_VALUE, '"country"', "column: check each of its values as well")
SECTIONS: dict[str, dict[str, Setting]] = {
    "": {"seed": Setting(WHOLE, "0", "random seed of the resamples")},
    "data": {
        "source": Setting(
            SOURCE, '"scores.csv"', "file of cases, relative to this file, or one per model", ""
        ),
        "label": Setting(TEXT_VALUE, '"y"', "column that says which cases are positive", ""),
        "positive": Setting(VALUE, "1", "label of the positives, if not 0/1, yes/no or similar"),
        "design": Setting(TEXT_VALUE, '"case-control"', "class totals were fixed by design"),
        "id": Setting(TEXT_VALUE, '"case"', "column that joins them", "# Several files: "),
        "join": Setting(TEXT_VALUE, '"inner"', "keep cases in all files", "# Several files: "),
        "by_position": Setting(FLAG, "true", "the same rows in all", "# Several files, no id: "),
    },
    "models": {
        "candidate": Setting(TEXT_VALUE, '"score"', "name of a model = column of its score", ""),
        "baseline": Setting(TEXT_VALUE, '"old_score"', "the model in use"),
    },
    "scenario": {
        "prior": Setting(SHARE, '"1 in 1000"', 'base rate in the field, or "sample"', ""),
        "costs": COSTS_SET,
        "profits": PROFITS_SET,
        "volume": VOLUME_SET,
        "threshold": Setting(CUT, "0.5", "threshold in use, or one per model: { candidate = 0.5 }"),
    },
    "require": {
        "scenario": Setting(TEXT_VALUE, '"field"', "", ""),
        "model": Setting(TEXT_VALUE, '"candidate"', "", ""),
        "rule": Setting(TEXT_VALUE, '"precision >= 0.2"', "what must be demonstrated", ""),
        "slice": SLICE_SET,
        "accept_observed": Setting(FLAG, "true", "pass what is met but not demonstrated"),
        "level": LEVEL_SET,
    },
    "compare": {
        "scenario": Setting(TEXT_VALUE, '"field"', ""),
        "baseline": Setting(TEXT_VALUE, '"baseline"', ""),
        "candidate": Setting(TEXT_VALUE, '"candidate"', "must not be worse than the baseline"),
        "statistic": Setting(TEXT_VALUE, '"expected_cost"', "auc, or any measure"),
        "rule": Setting(
            TEXT_VALUE, '"posfrac <= 1%"', "chooses the thresholds", "# Instead of a threshold: "
        ),
        "margin": Setting(NUMBER, "0.01", "non-inferiority margin"),
        "slice": SLICE_SET,
        "level": LEVEL_SET,
        "replicates": Setting(WHOLE, "2000", "number of bootstrap resamples"),
    },
    "defaults": {
        "scores": Setting(TEXTS, '["score"]', "score columns (default: all models)"),
        "prior": Setting(PRIORS, '"1 in 1000"', 'also a list, or a range: "0.05%..0.3%"'),
        "costs": COSTS_SET,
        "profits": PROFITS_SET,
        "volume": VOLUME_SET,
        "rule": Setting(TEXT_VALUE, '"recall >= 0.8"', ""),
        "budget": Setting(NUMBER, "200", "at most this number of alerts", "# Instead of a rule: "),
        "level": LEVEL_SET,
        "test": Setting(TEXT_VALUE, '"test.csv"', "held-out data"),
    },
}
# The line above each table of the template.
HEADERS = {
    "": f"""\
# {SETTINGS}: the checks of a build. Run them with `baserate gate`, or `pytest --baserate`.
# A setting after # is optional: remove the # to use it.""",
    "data": "[data]",
    "models": "[models]",
    "scenario": "[scenario.field]  # conditions under any name; each check names its own",
    "require": "[[require]]  # may be repeated",
    "compare": "#[[compare]]  # may be repeated",
    "defaults": "#[defaults]  # of choose, show, compare and other commands run in this folder",
}
READING_HINT = '# Reading options, as on the command line: delimiter = ";", nan_score = "drop"'
EXAMPLE_WIDTH = 34


def template() -> str:
    """A file of settings to start from, with every setting and a comment on it."""
    blocks = []
    for section, header in HEADERS.items():
        lines = [header]
        for key, setting in SECTIONS[section].items():
            line = f"{setting.before}{key} = {setting.example}"
            lines.append(f"{line:{EXAMPLE_WIDTH}}  # {setting.help}" if setting.help else line)
        if section == "data":
            lines.append(READING_HINT)
        blocks.append("\n".join(lines) + "\n")
    pinned = "#[digests]  # counts that must not have changed: baserate show --json prints theirs\n"
    return "\n".join([*blocks, pinned])


# In which table a key belongs that people write at the top of the file.
HOMES = {key: section for section in ("defaults", "data") for key in SECTIONS[section]}


def load(path: str | os.PathLike[str]) -> Settings:
    """The settings in a file. Everything that is wrong with it is found in one pass."""
    path = os.fspath(path)
    return read(_text_of(path), path)


def _text_of(path: str) -> str:
    """What is written in a file of settings."""
    if not os.path.lexists(path) and os.path.basename(path) == SETTINGS:  # noqa: PTH119
        raise refuse_file(
            path,
            "BR844",
            "there are no settings",
            f"start from baserate gate --template > {SETTINGS}, or name a FILE of cases",
        )
    streams.checked_regular(path)
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise refuse_file(
            path,
            "BR840",
            "is larger than 100 kB, too large for settings",
            "name the file of settings",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refuse_file(path, "BR840", "is not UTF-8", "save it as UTF-8") from None


def _parsed(text: str, path: str) -> Keys:
    """The keys of a file of settings."""
    long = next(
        (number for number, line in enumerate(text.splitlines(), 1) if len(line) > LONGEST_LINE),
        None,
    )
    if long is not None:
        raise refuse_file(
            path,
            "BR840",
            f"has a line of more than {grouped(LONGEST_LINE)} characters, too long for settings",
            "name the file of settings",
            (long,),
            1,
        )
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = AT_LINE.fullmatch(str(error))
        lines = (int(found[2]),) if found and found[2] else ()
        reason = quoted(found[1] if found else str(error), quotes=False)
        raise refuse_file(
            path, "BR840", f"is not TOML: {reason}", "fix that line", lines, len(lines)
        ) from None
    return Keys(File(path, lines_of(text)), (), values)


def read(text: str, path: str = SETTINGS) -> Settings:
    """The same from text; sources are relative to the folder of `path`."""
    top = _parsed(text, path)
    file, values, data = top.file, top.values, _data(top)
    _defaults(top)
    names = tuple(data.models)
    around = top.table("scenario").each(TABLE)
    scenarios = {
        name: _scenario(Keys(file, ("scenario", name), table), names)
        for name, table in around.items()
        if table is not None
    }
    order = list(values)
    kinds = sorted(
        ("require", "compare"), key=lambda kind: order.index(kind) if kind in order else len(order)
    )
    checks = [check for kind in kinds for check in _checks(top, kind, names, scenarios)]
    digests, seed = _digests(top.table("digests"), names), top.take("seed") or 0
    with file.refusals(("seed",), "seed = 0"):
        checked_seed(seed)
    top.done()
    if not checks and not file.problems:
        file.wrong(
            (),
            "BR844",
            "there is nothing to check",
            '[[require]] with rule = "precision >= 0.2", or [[compare]]',
        )
    file.settle()
    _check_joining(file, data, checks)
    file.settle()
    return Settings(path, data, tuple(checks), digests, seed)


def defaults(path: str = SETTINGS) -> dict[str, Any]:
    """What the settings in this file give to a command that does not say it: the source and its
    columns, and the table [defaults]. The checks in it are not read.
    """
    top = _parsed(_text_of(path), path)
    keys, columns = top.table("data"), top.table("models").each(TEXT_VALUE)
    source = keys.take("source")
    found = {
        "source": source if isinstance(source, str) else None,
        "label": keys.take("label"),
        "positive": keys.take("positive"),
        "design": keys.take("design"),
        "id": keys.take("id"),
        "join": keys.take("join"),
        "by_position": keys.take("by_position"),
        **{name: keys.take(name, kind) for name, kind in READING.items()},
        "scores": list(columns.values()) or None,
    }
    keys.done()
    found |= _defaults(top)
    top.known += ["scenario", "require", "compare", "digests", "seed"]
    top.done()
    top.file.settle()
    return {name: value for name, value in found.items() if value is not None}


def _defaults(top: Keys) -> dict[str, Any]:
    """The table [defaults], each value as a person would type it."""
    keys = top.table("defaults")
    priors = keys.take("prior")
    if priors is not None and not isinstance(priors, list):
        priors = [priors]
    costs = {kind: keys.take(kind, TABLE) for kind in ("costs", "profits")}
    budget, rule = keys.take("budget"), keys.take("rule")
    _one_of(keys, "costs", "profits")
    _one_of(keys, "budget", "rule")
    found = {
        "scores": keys.take("scores"),
        "prior": None if priors is None else [str(one) for one in priors],
        "volume": keys.take("volume"),
        "level": keys.take("level"),
        "test": keys.take("test"),
        "rule": rule,
        "budget": None if budget is None else f"alerts <= {budget}",
        **{kind: _costs_typed(keys, kind, values) for kind, values in costs.items()},
    }
    keys.done()
    return {name: value for name, value in found.items() if value is not None}


def _one_of(keys: Keys, first: str, second: str) -> None:
    """Refuse two keys that say the same thing."""
    if {first, second} <= keys.values.keys():
        text = f"{keys.spoken(first)} and {second} are given together"
        keys.file.wrong(keys.where, "BR513", text, "give one of them")


def _costs_typed(keys: Keys, kind: str, values: Any) -> str | None:
    """Costs as they are typed: fp=1,fn=100; each may be a range ("100..1000")."""
    if values is None:
        return None
    named = Keys(keys.file, (*keys.where, kind), values)
    amounts = {name: named.take(name, SHARE) for name in OUTCOMES}
    named.done()
    return ",".join(f"{name}={value}" for name, value in amounts.items() if value is not None)


def _data(top: Keys) -> Data:
    keys, models = top.table("data"), top.table("models")
    source = keys.take("source", needed=WRITE_SOURCE)
    columns = {name: column or "" for name, column in models.each(TEXT_VALUE).items()}
    if not models.values:
        top.file.wrong(
            ("models",),
            "BR841",
            "models are missing",
            '[models] with candidate = "the column of its score"',
        )
    positive, design = keys.take("positive"), keys.take("design") or RANDOM
    with top.file.refusals(("data", "design"), 'design = "case-control"'):
        checked_design(design)
    joined: dict[str, Any] = {
        "id": keys.take("id"),
        "join": keys.take("join"),
        "by_position": bool(keys.take("by_position")),
    }
    options = _options(keys)
    scored = _scored(top.file, source, columns)
    counted = bool(scored) and all(is_saved(model.source) for model in scored.values())
    label = keys.take("label", needed="" if counted else 'label = "y"')
    keys.done()
    return Data(scored, label or "", positive, design, **joined, options=options)


def _options(keys: Keys) -> Options:
    """How to read: each option on its own, then those that depend on each other."""
    said = {
        name: value
        for name, kind in READING.items()
        if (value := keys.take(name, kind)) is not None
    }
    before = len(keys.file.problems)
    for name in said.keys() - TOGETHER:
        with keys.file.refusals((*keys.where, name)):
            Options.of({name: said[name]})
    if len(keys.file.problems) == before:
        with keys.file.refusals(keys.where):
            return Options.of(said)
    return Options()


def _scored(file: File, source: Any, columns: Mapping[str, str]) -> dict[str, Scored]:
    """Where each model is scored: in the one source, or each in its own."""
    folder, where = os.path.dirname(file.path), ("data", "source")  # noqa: PTH120
    if isinstance(source, dict):
        keys = Keys(file, where, source)
        own = {
            name: keys.take(name, TEXT_VALUE, needed=f'{quoted(name, quotes=False)} = "its.csv"')
            for name in columns
        }
        keys.done()
    else:
        own = dict.fromkeys(columns, source)
        if len(set(columns.values())) < len(columns):
            file.wrong(
                ("models",), "BR407", "two models have the same score", "name each column once"
            )
    if "-" in own.values():
        file.wrong(
            where,
            "BR842",
            "settings cannot be read from standard input, because they are read more than once",
            WRITE_SOURCE,
        )
    return {name: Scored(beside(folder, path or ""), columns[name]) for name, path in own.items()}


def beside(folder: str, source: str) -> str:
    """A source as the settings mean it: relative to their folder, unless it is an address."""
    if SCHEME.match(source) or not folder:
        return source
    joined = os.path.join(folder, source)
    pattern = WILD.search(source) and not os.path.lexists(joined)
    return os.path.join(glob.escape(folder), source) if pattern else joined


def _scenario(keys: Keys, models: tuple[str, ...]) -> Scenario:
    file, name = keys.file, str(keys.where[-1])
    prior, volume, costs = keys.take("prior"), keys.take("volume"), None
    given = {kind: keys.take(kind, TABLE) for kind in ("costs", "profits")}
    _one_of(keys, "costs", "profits")
    for kind, values in given.items():
        if values is not None:
            costs = _costs(Keys(file, (*keys.where, kind), values), profits=kind == "profits")
    at = Conditions()
    with file.refusals((*keys.where, "prior")):
        at = Conditions(prior, costs)
    with file.refusals((*keys.where, "volume"), "volume = 1_000_000"):
        volume = checked_volume(volume)
    cuts = _thresholds(keys, models)
    keys.done()
    return Scenario(name, at, volume, cuts)


def _costs(keys: Keys, *, profits: bool) -> Costs | None:
    amounts = {name: amount for name in OUTCOMES if (amount := keys.take(name, NUMBER)) is not None}
    keys.done()
    with keys.file.refusals(
        keys.where, "profits = { tp = 95, fp = -5 }" if profits else WRITE_COSTS
    ):
        return Costs.from_profits(**amounts) if profits else Costs(**amounts)
    return None


def _thresholds(keys: Keys, models: tuple[str, ...]) -> dict[str, float | None] | None:
    """One for all models, or one for each that is named."""
    given = keys.values.get("threshold")
    if not isinstance(given, dict):
        cut = keys.take("threshold", CUT)
        return None if cut is None else dict.fromkeys(models, None if cut == "none" else cut)
    keys.take("threshold", TABLE)
    own = Keys(keys.file, (*keys.where, "threshold"), given)
    found = {model: cut for model in models if (cut := own.take(model, CUT)) is not None}
    own.done()
    return {model: None if cut == "none" else cut for model, cut in found.items()}


def _checks(
    top: Keys, kind: str, models: tuple[str, ...], scenarios: Mapping[str, Scenario]
) -> list[Demand | Comparison]:
    found: list[Demand | Comparison] = []
    for number, values in enumerate(top.take(kind, TABLES) or (), 1):
        keys = Keys(top.file, (kind, number), values)
        scenario = _named(keys, scenarios)
        level = keys.take("level")
        with top.file.refusals((*keys.where, "level"), "level = 0.95"):
            level = LEVEL if level is None else _level(level)
        check = (_demand if kind == "require" else _comparison)(keys, models, scenario, level)
        keys.done()
        if check is not None:
            found.append(check)
    return found


def _level(given: Any) -> float:
    written = notation.share(given) if isinstance(given, str) else None
    return checked_level(float(written.value) if written is not None else given)


def _named(keys: Keys, scenarios: Mapping[str, Scenario]) -> Scenario:
    """The scenario of a check: where there are any, one has to be named."""
    name = keys.take(
        "scenario",
        needed=f"scenario = {quoted(next(iter(scenarios)))}" if scenarios else "",
    )
    if name is not None and name not in scenarios:
        keys.file.wrong(
            (*keys.where, "scenario"),
            "BR842",
            f"{keys.spoken('scenario')}: there is no scenario {quoted(name)}",
            _those(scenarios),
        )
    return scenarios.get(name, Scenario())


def _those(names: Any) -> str:
    return listed(names) if names else "add it as a table [scenario.NAME]"


def _demand(keys: Keys, models: tuple[str, ...], scenario: Scenario, level: float) -> Demand | None:
    rule = keys.take("rule", needed='rule = "precision >= 0.2"')
    model = _model(keys, "model", models, models[0] if len(models) == 1 else None)
    by, accepted = keys.take("slice"), bool(keys.take("accept_observed"))
    if rule is not None:
        with keys.file.refusals((*keys.where, "rule")):
            check_requirement(rule, scenario.volume)
    if rule is None or model is None:
        return None
    return Demand(rule, (model,), scenario, by, accepted, level)


def _model(keys: Keys, key: str, models: tuple[str, ...], default: str | None) -> str | None:
    """A model by its name; the default where there is no choice, or where it is called so."""
    name = keys.take(
        key,
        needed="" if default in models else f"{key} = {quoted(next(iter(models), 'm1'))}",
    )
    if name is not None and name not in models:
        keys.file.wrong(
            (*keys.where, key),
            "BR408",
            f"{keys.spoken(key)}: there is no model {quoted(name)}",
            _those(models),
        )
        return None
    return name or (default if default in models and key not in keys.values else None)


def _comparison(
    keys: Keys, models: tuple[str, ...], scenario: Scenario, level: float
) -> Comparison | None:
    file, where = keys.file, keys.where
    pair = [_model(keys, key, models, key) for key in (BASELINE, CANDIDATE)]
    statistic, rule, by = (keys.take(key) for key in ("statistic", "rule", "slice"))
    margin, replicates = keys.take("margin"), keys.take("replicates")
    with file.refusals((*where, "margin"), "margin = 0.01"):
        checked_margin(margin)
    with file.refusals((*where, "replicates"), "replicates = 2000"):
        replicates = None if replicates is None else checked_replicates(replicates)
    with file.refusals((*where, "rule")):
        parse_rule(rule, scenario.volume)
    if statistic is not None:
        with file.refusals((*where, "statistic")):
            _check_statistic(file, where, statistic, rule, scenario)
    if pair[0] is None or pair[1] is None:
        return None
    if pair[0] == pair[1]:
        file.wrong(
            where, "BR596", f"baseline and candidate are both {quoted(pair[0])}", "name two models"
        )
    _check_cuts(keys, (pair[0], pair[1]), statistic, rule, scenario)
    return Comparison(pair[0], pair[1], scenario, statistic, rule, margin, by, level, replicates)


def _check_cuts(
    keys: Keys, pair: tuple[str, str], statistic: str | None, rule: str | None, scenario: Scenario
) -> None:
    """Two models are compared at the thresholds of both; that of one alone would be passed over."""
    at_thresholds = rule is None and (statistic is None or summary_named(statistic) is None)
    absent = [model for model in pair if model not in (scenario.thresholds or {})]
    if at_thresholds and len(absent) == 1:
        text = (
            f"{shown(keys.where)}: no threshold is given for {quoted(absent[0])} in the scenario"
            f" {quoted(scenario.name)}"
        )
        keys.file.wrong(
            keys.where, "BR529", text, f"threshold = {{ {pair[0]} = 0.5, {pair[1]} = 0.5 }}"
        )


def _check_statistic(
    file: File, where: Any, statistic: str, rule: str | None, scenario: Scenario
) -> None:
    if summary_named(statistic) is None:
        parse(statistic, scenario.volume)
    elif rule is not None:
        file.wrong(
            (*where, "rule"),
            "BR594",
            f"{statistic} is a number of all cases: a rule has no effect on it",
            "leave it out",
        )


def _digests(keys: Keys, models: tuple[str, ...]) -> dict[str, str]:
    """The counts that must not have changed, by model."""
    found: dict[str, str] = {}
    for model in models:
        digest = keys.take(model, TEXT_VALUE)
        if digest is not None and not DIGEST.fullmatch(digest):
            text = (
                f"{keys.spoken(model)} is the digest of counts, 64 signs of 0-9 and a-f, got"
                f" {quoted(digest)}"
            )
            keys.file.wrong(
                (*keys.where, model), "BR842", text, "copy it from baserate show --json"
            )
        elif digest is not None:
            found[model] = digest
    keys.done()
    return found


def _check_joining(file: File, data: Data, checks: list[Demand | Comparison]) -> None:
    """Cases of several sources belong together by an id, or by their position because that was
    requested.
    """
    several = len({model.source for model in data.models.values()}) > 1
    paired = any(isinstance(check, Comparison) for check in checks)
    if not several and (data.join is not None or data.by_position):
        file.wrong(
            ("data",),
            "BR414",
            "one source is not joined with another",
            "leave join and by_position out",
        )
    if several and paired and data.by_position == (data.id is not None):
        text = (
            "an id and by position: say one of them"
            if data.by_position
            else "several sources, and nothing says which rows belong together"
        )
        file.wrong(("data",), "BR414", text, 'id = "COLUMN", or by_position = true')
