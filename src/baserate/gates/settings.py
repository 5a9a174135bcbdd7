"""`baserate.toml`: the checks of a build, read. Nothing in it is executed, and nothing in it is
ignored.
"""

from __future__ import annotations

import difflib
import glob
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from baserate import notation
from baserate.conditions import Conditions, Costs
from baserate.curves.summaries import summary_named
from baserate.decisions.rules import parse_rule
from baserate.errors import (
    RANDOM,
    Findings,
    Fix,
    InputError,
    checked_design,
    escaped,
    grouped,
    quoted,
    refuse,
    refuse_file,
    relocate_problems,
)
from baserate.inference.requirements import check_requirement, checked_margin
from baserate.measures.confusion import parse
from baserate.notation import checked_volume
from baserate.read import streams
from baserate.read.saved import is_saved
from baserate.read.source import SCHEME, WILD, Options
from baserate.read.text import TextOptions
from baserate.read.treatments import Treatment
from baserate.results.values import checked_level, checked_replicates, checked_seed

SETTINGS = "baserate.toml"
ERROR, COST, CAUGHT = "error", "expected_cost", "caught"
BASELINE, CANDIDATE = "baseline", "candidate"
LEVEL = 0.95

# ----------------------------------------------------------------------
# What the file says, as plain values.


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
class Check:
    """One call of `require` or of `non_inferiority`.

    Attributes
    ----------
    verb : str
        "require" or "compare", as in the file.
    models : tuple of str
        The models to check; or the baseline and the candidate.
    rule : str or None
        The requirement; or what chooses the thresholds of a comparison.
    at, volume, thresholds
        The conditions of the field, and the thresholds that are in use there by model.
    keywords : dict
        What else the verb is given: level, statistic, margin, replicates.
    scenario : str or None
        The name of these conditions.
    slice : str or None
        The column of which each value is checked as well.
    accept_observed : bool
        Pass a requirement that is met but not demonstrated.
    """

    verb: str
    models: tuple[str, ...]
    rule: str | None = None
    at: Conditions = field(default_factory=Conditions)
    volume: float | None = None
    thresholds: Mapping[str, float | None] = field(default_factory=dict)
    keywords: Mapping[str, Any] = field(default_factory=dict)
    scenario: str | None = None
    slice: str | None = None
    accept_observed: bool = False

    @property
    def statistic(self) -> str:
        """What is compared: what is named; else costs where they are given, what a budget catches,
        or the share of errors.
        """
        named: str | None = self.keywords.get("statistic")
        if named is not None:
            return named
        if self.at.costs_given:
            return COST
        has_budget = self.rule is not None and parse_rule(self.rule, self.volume).budget is not None
        return CAUGHT if has_budget else ERROR

    @property
    def title(self) -> str:
        """What is checked, in words."""
        names = [quoted(model, quotes=False) for model in self.models]
        if self.verb == "require":
            text = f"{escaped(self.rule or '')} of {', '.join(names)}"
        else:
            rule = "" if self.rule is None else f" with {escaped(self.rule)}"
            text = f"{names[1]} against {names[0]} by {escaped(self.statistic)}{rule}"
        scenario = "" if self.scenario is None else f", {quoted(self.scenario, quotes=False)}"
        by = "" if self.slice is None else f", by {quoted(self.slice, quotes=False)}"
        return f"{text}{scenario}{by}"


@dataclass(frozen=True)
class Settings:
    """Everything that a `baserate.toml` says; `digests` are those of counts that must not have
    changed.
    """

    path: str
    data: Data
    checks: tuple[Check, ...]
    digests: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


# ----------------------------------------------------------------------
# The keys of each table, and what they hold.


def is_number(value: Any) -> bool:
    """Is this a number, and neither true nor nan?"""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # noqa: PLR0124 (TOML has nan)


def is_share(value: Any) -> bool:
    """Is this a number, or a text such as "95%"?"""
    return is_number(value) or isinstance(value, str)


def is_list_of(kind: type, value: Any) -> bool:
    """Is this a list, and everything in it of one type?"""
    return isinstance(value, list) and all(isinstance(one, kind) for one in value)


TEXT, NUMBER, WHOLE, FLAG = "a text", "a number", "a whole number", "true or false"
TABLE, TABLES, TEXTS = "a table", "a list of tables", "a list of texts"
SHARE, VALUE, PRIORS = "a number or a text", "a text, number or bool", "a number, a text or a list"
CUT, CUTS = 'a number or "none"', 'a number, "none", or a table of these'
SOURCE, DIGEST = "a text or a table", "the digest of counts, 64 signs of 0-9 and a-f"
FITS: dict[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str) and bool(value.strip()),
    NUMBER: is_number,
    WHOLE: lambda value: is_number(value) and isinstance(value, int),
    FLAG: lambda value: isinstance(value, bool),
    TABLE: lambda value: isinstance(value, dict),
    TABLES: lambda value: is_list_of(dict, value),
    TEXTS: lambda value: is_list_of(str, value),
    SHARE: is_share,
    VALUE: lambda value: is_share(value) or isinstance(value, bool),
    PRIORS: lambda value: all(map(is_share, value if isinstance(value, list) else [value])),
    CUT: lambda value: is_number(value) or value == "none",
    CUTS: lambda value: is_number(value) or value == "none" or isinstance(value, dict),
    SOURCE: lambda value: FITS[TEXT](value) or isinstance(value, dict),
    DIGEST: lambda value: isinstance(value, str) and bool(re.fullmatch("[0-9a-f]{64}", value)),
}
OF_ANNOTATION = {
    "str | None": TEXT,
    "bool": FLAG,
    "int": WHOLE,
    "float | None": NUMBER,
    "tuple[str, ...]": TEXTS,
}
READING = {
    one.name: OF_ANNOTATION[str(one.type)]
    for options in (TextOptions, Treatment)
    for one in fields(options)
} | {"max_bytes": WHOLE}
COSTS = {"costs": TABLE, "profits": TABLE}
SECTIONS = {
    "": {
        "seed": WHOLE,
        "data": TABLE,
        "models": TABLE,
        "scenario": TABLE,
        "require": TABLES,
        "compare": TABLES,
        "defaults": TABLE,
        "digests": TABLE,
    },
    "data": {
        "source": SOURCE,
        "label": TEXT,
        "positive": VALUE,
        "design": TEXT,
        "id": TEXT,
        "join": TEXT,
        "by_position": FLAG,
        **READING,
    },
    "scenario": {"prior": SHARE, **COSTS, "volume": NUMBER, "threshold": CUTS},
    "require": {
        "scenario": TEXT,
        "model": TEXT,
        "rule": TEXT,
        "slice": TEXT,
        "accept_observed": FLAG,
        "level": SHARE,
    },
    "compare": {
        "scenario": TEXT,
        BASELINE: TEXT,
        CANDIDATE: TEXT,
        "statistic": TEXT,
        "rule": TEXT,
        "margin": NUMBER,
        "slice": TEXT,
        "level": SHARE,
        "replicates": WHOLE,
    },
    "defaults": {
        "scores": TEXTS,
        "prior": PRIORS,
        **COSTS,
        "volume": NUMBER,
        "rule": TEXT,
        "budget": NUMBER,
        "level": SHARE,
        "test": TEXT,
    },
}
# Where keys belong that people write at the top of the file.
HOMES = {key: f"[{section}]" for section in ("defaults", "data") for key in SECTIONS[section]}


def read_level(value: Any) -> float:
    """Return a confidence level, which may be written as a percentage."""
    written = notation.parse_share(value) if isinstance(value, str) else None
    return checked_level(float(written.value) if written is not None else value)


def read_statistic(name: str) -> str:
    """Return the name of a summary or a measure."""
    if summary_named(name) is None:
        parse(name, 1.0)  # a count of cases is read, and refused where there is no volume
    return name


def read_cut(value: Any) -> Any:
    """Return a threshold; "none" flags nothing."""
    return None if value == "none" else value


def write_costs(table: Mapping[str, Any]) -> str:
    """Return costs as they are typed: fp=1,fn=100."""
    return ",".join(f"{name}={value}" for name, value in table.items())


def read_costs(table: Mapping[str, Any]) -> Costs:
    """Return what outcomes cost."""
    return Costs.parse(write_costs(table))


def read_profits(table: Mapping[str, Any]) -> Costs:
    """Return what outcomes cost, from what they earn."""
    return Costs.parse(write_costs(table), profits=True)


# How costs are written here, and not in Python.
EXAMPLES: dict[str | int, str] = {
    "costs": "costs = { fn = 100, fp = 1 }",
    "profits": "profits = { tp = 95, fp = -5 }",
}
# What the verb is given, made of the value that is written; it refuses what the verb would.
READ: dict[str, Callable[[Any], Any]] = {
    "seed": checked_seed,
    "design": checked_design,
    "volume": checked_volume,
    "costs": read_costs,
    "profits": read_profits,
    "level": read_level,
    "statistic": read_statistic,
    "margin": checked_margin,
    "replicates": checked_replicates,
}

# ----------------------------------------------------------------------
# Reading: whatever is wrong with any key is found in one pass.


Place = tuple[str | int, ...]
MOST_BYTES = 100_000
LONGEST_LINE = 2000
AT_LINE = re.compile(r"(.*?) \(at (?:line (\d+)|end of document).*\)")


def name_key(place: Place) -> str:
    """Return a key with the tables that it stands in: scenario.field.prior, require[2].rule."""
    text = ""
    for part in place:
        dot = "." if text else ""
        text += f"[{part}]" if isinstance(part, int) else f"{dot}{quoted(part, quotes=False)}"
    return text


@contextmanager
def refusals_of(place: Place) -> Iterator[None]:
    """Problems that are found meanwhile are those of a key."""
    try:
        yield
    except InputError as error:
        raise InputError(
            replace(
                problem,
                text=f"{name_key(place)}: {problem.text}",
                fix=Fix.everywhere(EXAMPLES.get(place[-1], problem.fix.python)),
            )
            for problem in error.problems
        ) from None


def read_table(
    findings: Findings,
    place: Place,
    values: Mapping[str, Any],
    keys: Mapping[str, str],
    needed: Mapping[str, str] | None = None,
    read: Mapping[str, Callable[[Any], Any]] = READ,
) -> dict[str, Any]:
    """Return the values of a table, each as it is read.

    Parameters
    ----------
    findings : Findings
        What is wrong with the file so far.
    place : tuple
        In which tables this one stands.
    values : mapping
        The table.
    keys : mapping of str to str
        What each key holds; any other key is refused.
    needed : mapping of str to str, optional
        Keys that it cannot do without, with an example.
    read : mapping, optional
        What is made of the value of a key.

    """
    found = {}
    for name, value in values.items():
        with findings:
            check_key((*place, name), value, keys)
            with refusals_of((*place, name)):
                found[name] = read[name](value) if name in read else value
    for name, example in (needed or {}).items():
        if name not in values:
            with findings:
                raise refuse("BR841", f"{name_key((*place, name))} is missing", example)
    return found


def check_key(place: Place, value: Any, keys: Mapping[str, str]) -> None:
    """Refuse a key that is not there, with the one that was meant, and a value of another kind."""
    *tables, key = place
    if key not in keys:
        near = difflib.get_close_matches(str(key), keys, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        fix = f"write {near[0]}" if near else f"one of {', '.join(keys)}"
        if key in ("score", "scores") and tables in ([], ["data"]):
            meant, fix = "", 'name the columns of scores in [models], such as logit = "logit"'
        elif not tables and key in HOMES:
            meant, fix = "", f"write {key} under {HOMES[str(key)]}"
        raise refuse("BR841", f"there is no key {name_key(place)}{meant}", fix)
    kind = keys[str(key)]
    if not FITS[kind](value):
        shape = "table" if isinstance(value, dict) else "list"
        shown = f"a {shape}" if isinstance(value, dict | list) else quoted(value)
        raise refuse("BR842", f"{name_key(place)} is {kind}, got {shown}", f"write {kind}")


def load(path: str | os.PathLike[str]) -> Settings:
    """Return the settings in a file. Everything that is wrong with it is found in one pass."""
    path = os.fspath(path)
    return read_settings(read_text(path), path)


def read_text(path: str) -> str:
    """Return what is written in a file of settings."""
    if not os.path.lexists(path) and os.path.basename(path) == SETTINGS:  # noqa: PTH119
        fix = f"start from baserate gate --template > {SETTINGS}, or name a FILE of cases"
        raise refuse_file(path, "BR844", "there are no settings", fix)
    streams.checked_regular(path)
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        text = "is larger than 100 kB, too large for settings"
        raise refuse_file(path, "BR840", text, "name the file of settings")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refuse_file(path, "BR840", "is not UTF-8", "save it as UTF-8") from None


def parse_toml(text: str, path: str) -> dict[str, Any]:
    """Return what a file of settings holds."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            said = (
                f"has a line of more than {grouped(LONGEST_LINE)} characters, too long for settings"
            )
            raise refuse_file(path, "BR840", said, "name the file of settings", (number,), 1)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = AT_LINE.fullmatch(str(error))
        lines = (int(found[2]),) if found and found[2] else ()
        reason = quoted(found[1] if found else str(error), quotes=False)
        raise refuse_file(
            path, "BR840", f"is not TOML: {reason}", "fix that line", lines, len(lines)
        ) from None


def read_settings(text: str, path: str = SETTINGS) -> Settings:
    """Return the settings in a text; sources are relative to the folder of `path`."""
    given, findings = parse_toml(text, path), Findings()
    top = read_table(findings, (), given, SECTIONS[""])
    data = read_data(findings, top, os.path.dirname(path))  # noqa: PTH120
    read_defaults(findings, top)
    models = tuple(top.get("models", {}))
    scenarios = read_scenarios(findings, top.get("scenario", {}), models)
    checks = [
        check
        for verb in given
        if verb in ("require", "compare")
        for number, row in enumerate(top.get(verb, ()), 1)
        if (check := read_check(findings, (verb, number), row, models, scenarios)) is not None
    ]
    keys = dict.fromkeys(models, DIGEST)
    digests = read_table(findings, ("digests",), top.get("digests", {}), keys)
    if not checks and not findings.problems:
        with findings:
            fix = '[[require]] with rule = "precision >= 0.2", or [[compare]]'
            raise refuse("BR844", "there is nothing to check", fix)
    settle(findings, path)
    return Settings(path, data, tuple(checks), digests, top.get("seed", 0))


def settle(findings: Findings, path: str) -> None:
    """Raise everything that was found in a file."""
    with relocate_problems(lambda where: replace(where, path=path)):
        findings.settle()


def defaults(path: str = SETTINGS) -> dict[str, Any]:
    """Return what the settings in this file give to a command that does not say it: the source and
    its columns, and the table [defaults]. The checks in it are not read.
    """
    findings = Findings()
    top = read_table(findings, (), parse_toml(read_text(path), path), SECTIONS[""])
    data = read_table(findings, ("data",), top.get("data", {}), SECTIONS["data"])
    columns = read_models(findings, top)
    found = {**data, "scores": list(columns.values()) or None, **read_defaults(findings, top)}
    settle(findings, path)
    if isinstance(found.get("source"), dict):
        del found["source"]
    return {name: value for name, value in found.items() if value is not None}


def read_defaults(findings: Findings, top: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table [defaults], each value as a person would type it."""
    place: Place = ("defaults",)
    written = {"costs": write_costs, "profits": write_costs, "budget": "alerts <= {}".format}
    given = top.get("defaults", {})
    found = read_table(findings, place, given, SECTIONS["defaults"], read=written)
    refuse_both(findings, place, given, "costs", "profits")
    refuse_both(findings, place, given, "budget", "rule")
    if "prior" in found:
        priors = found["prior"]
        found["prior"] = [str(one) for one in (priors if isinstance(priors, list) else [priors])]
    return found


def refuse_both(
    findings: Findings, place: Place, values: Mapping[str, Any], first: str, second: str
) -> None:
    """Refuse two keys that say the same thing."""
    if {first, second} <= values.keys():
        with findings:
            text = f"{name_key((*place, first))} and {second} are given together"
            raise refuse("BR513", text, "give one of them")


def read_models(findings: Findings, top: Mapping[str, Any]) -> dict[str, str]:
    """Return the column of each model's scores."""
    models = top.get("models", {})
    return read_table(findings, ("models",), models, dict.fromkeys(models, TEXT))


def read_data(findings: Findings, top: Mapping[str, Any], folder: str) -> Data:
    """Return where the cases lie, and how to read them."""
    given, columns = top.get("data", {}), read_models(findings, top)
    needed = {"source": 'source = "scores.csv"'}
    values = read_table(findings, ("data",), given, SECTIONS["data"], needed)
    reading = {name: values.pop(name) for name in READING if name in values}
    options, scored = Options(), dict[str, Scored]()
    with findings, refusals_of(("data",)):
        options = Options.of(reading)
    with findings:
        scored = locate_scores(findings, values.pop("source", ""), columns, folder)
    is_counted = bool(scored) and all(is_saved(model.source) for model in scored.values())
    with findings:
        if not columns:
            fix = '[models] with candidate = "the column of its score"'
            raise refuse("BR841", "models are missing", fix)
        if "label" not in given and not is_counted:
            raise refuse("BR841", "data.label is missing", 'label = "y"')
        if not isinstance(given.get("source"), dict) and given.keys() & {"join", "by_position"}:
            text = "one source is not joined with another"
            raise refuse("BR414", text, "leave join and by_position out")
    return Data(scored, values.pop("label", ""), options=options, **values)


def locate_scores(
    findings: Findings, source: Any, columns: Mapping[str, str], folder: str
) -> dict[str, Scored]:
    """Return where each model is scored: in the one source, or each in its own."""
    if isinstance(source, dict):
        needed = {name: f'{quoted(name, quotes=False)} = "its.csv"' for name in columns}
        keys = dict.fromkeys(columns, TEXT)
        sources = read_table(findings, ("data", "source"), source, keys, needed)
    else:
        sources = dict.fromkeys(columns, source)
        if len(set(columns.values())) < len(columns):
            raise refuse("BR407", "two models have the same score", "name each column once")
    if "-" in sources.values():
        text = "settings cannot be read from standard input, because they are read more than once"
        raise refuse("BR842", text, 'source = "scores.csv"')
    return {
        name: Scored(beside(folder, sources.get(name, "")), column)
        for name, column in columns.items()
    }


def beside(folder: str, source: str) -> str:
    """Return a source as the settings mean it: relative to their folder, if it is no address."""
    if SCHEME.match(source) or not folder:
        return source
    joined = os.path.join(folder, source)
    is_pattern = WILD.search(source) and not os.path.lexists(joined)
    return os.path.join(glob.escape(folder), source) if is_pattern else joined


def read_scenarios(
    findings: Findings, tables: Mapping[str, Any], models: tuple[str, ...]
) -> dict[str, dict[str, Any]]:
    """Return the conditions of each scenario, as they are given to a check."""
    tables = read_table(findings, ("scenario",), tables, dict.fromkeys(tables, TABLE))
    found = {}
    for name, values in tables.items():
        place: Place = ("scenario", name)
        given = read_table(findings, place, values, SECTIONS["scenario"])
        refuse_both(findings, place, values, "costs", "profits")
        at = Conditions()
        with findings, refusals_of((*place, "prior")):
            at = Conditions(given.get("prior"), given.get("costs", given.get("profits")))
        cuts = given.get("threshold", {})
        if not isinstance(cuts, dict):
            cuts = dict.fromkeys(models, cuts)
        keys, read = dict.fromkeys(models, CUT), dict.fromkeys(models, read_cut)
        cuts = read_table(findings, (*place, "threshold"), cuts, keys, read=read)
        volume = given.get("volume")
        found[name] = {"scenario": name, "at": at, "volume": volume, "thresholds": cuts}
    return found


def read_check(
    findings: Findings,
    place: Place,
    given: Mapping[str, Any],
    names: tuple[str, ...],
    scenarios: Mapping[str, dict[str, Any]],
) -> Check | None:
    """Return a row of [[require]] or [[compare]]; None where anything is wrong with it."""
    before, verb = len(findings.problems), str(place[0])
    named = ("model",) if verb == "require" else (BASELINE, CANDIDATE)
    # One model, and models called baseline and candidate, need not be named.
    usual = {"model": names[0]} if len(names) == 1 else dict(zip(names, names, strict=True))
    needed = {name: f"{name} = {quoted((*names, 'm1')[0])}" for name in named if name not in usual}
    if scenarios:
        needed["scenario"] = f"scenario = {quoted(next(iter(scenarios)))}"
    if verb == "require":
        needed["rule"] = 'rule = "precision >= 0.2"'
    row = read_table(findings, place, given, SECTIONS[verb], needed)
    models = tuple(row.pop(name, usual.get(name, "")) for name in named)
    scenario = row.pop("scenario", None)
    where = scenarios.get(scenario or "", {})
    for name, model in zip(named, models, strict=True):
        with findings, refusals_of((*place, name)):
            if model and model not in names:
                raise refuse("BR408", f"there is no model {quoted(model)}", list_names(names))
    with findings, refusals_of((*place, "scenario")):
        if scenario is not None and scenario not in scenarios:
            fix = list_names(scenarios) if scenarios else "add it as a table [scenario.NAME]"
            raise refuse("BR842", f"there is no scenario {quoted(scenario)}", fix)
    if "rule" in row:
        check_rule = check_requirement if verb == "require" else parse_rule
        with findings, refusals_of((*place, "rule")):
            check_rule(row["rule"], where.get("volume"))
    if len(findings.problems) > before:
        return None
    own = {name: row.pop(name) for name in ("rule", "slice", "accept_observed") if name in row}
    return Check(verb, models, keywords={"level": LEVEL, **row}, **own, **where)


def list_names(names: Iterable[str]) -> str:
    """Return names that may be meant."""
    return f"one of {', '.join(map(quoted, names))}"
