"""`baserate.toml`: what a build checks, as a file. Nothing in it is executed, and nothing in it is ignored."""

from __future__ import annotations

import glob
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from baserate import notations
from baserate.checks.keys import CUT, FLAG, NUMBER, SHARE, SOURCE, TABLE, TABLES, TEXT, TEXTS, VALUE, WHOLE, File, Keys, lines_of, listed, shown
from baserate.checks.values import LEVEL, Comparison, Data, Demand, Scenario, Scored, Settings
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.decisions.rules import parse_rule
from baserate.engines import streams
from baserate.engines.dialects import Asked
from baserate.engines.files import SCHEME, WILD, Options
from baserate.engines.saved import is_saved
from baserate.engines.treatments import Treatment
from baserate.errors import grouped, quoted, refuse_file
from baserate.measures.confusions import checked_volume
from baserate.measures.values import parse
from baserate.notes import RANDOM, checked_design
from baserate.summaries.values import summary_named
from baserate.uncertainty.gates import check_requirement, checked_margin
from baserate.uncertainty.resampling import checked_replicates, checked_seed
from baserate.uncertainty.values import checked_level

SETTINGS = "baserate.toml"
BASELINE, CANDIDATE = "baseline", "candidate"
MOST_BYTES = 100_000
LONGEST_LINE = 2000
WRITE_SOURCE = 'source = "scores.csv"'
WRITE_COSTS = "costs = { fn = 100, fp = 1 }"
OUTCOMES = ("fp", "fn", "tp", "tn")
KINDS = {"str | None": TEXT, "bool": FLAG, "int": WHOLE, "float | None": NUMBER, "tuple[str, ...]": TEXTS}
READING = {field.name: KINDS[str(field.type)] for kind in (Asked, Treatment) for field in fields(kind)} | {"max_bytes": WHOLE}
TOGETHER = frozenset({"columns", "header", "decimal", "thousands"})
AT_LINE = re.compile(r"(.*?) \(at (?:line (\d+)|end of document).*\)")
DIGEST = re.compile(r"[0-9a-f]{64}")


def load(path: str | os.PathLike[str]) -> Settings:
    """The settings in a file. Everything that is wrong with it is found in one pass."""
    path = os.fspath(path)
    if not os.path.lexists(path) and os.path.basename(path) == SETTINGS:  # noqa: PTH119
        raise refuse_file(path, "BR844", "there are no settings", "baserate init FILE writes them; or name a FILE of cases")
    streams.checked_regular(path)
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise refuse_file(path, "BR840", "is larger than 100 kB: these are no settings", "name the file of settings")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refuse_file(path, "BR840", "is not UTF-8", "save it as UTF-8") from None
    return read(text, path)


def read(text: str, path: str = SETTINGS) -> Settings:
    """The same from text; sources are relative to the folder of `path`."""
    long = next((number for number, line in enumerate(text.splitlines(), 1) if len(line) > LONGEST_LINE), None)
    if long is not None:
        text_ = f"has a line of more than {grouped(LONGEST_LINE)} characters: these are no settings"
        raise refuse_file(path, "BR840", text_, "name the file of settings", (long,), 1)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = AT_LINE.fullmatch(str(error))
        lines = (int(found[2]),) if found and found[2] else ()
        reason = quoted(found[1] if found else str(error), quotes=False)
        raise refuse_file(path, "BR840", f"is not TOML: {reason}", "mend that line", lines, len(lines)) from None
    file = File(path, lines_of(text))
    top = Keys(file, (), values)
    data = _data(top)
    names = tuple(data.models)
    scenarios = {name: _scenario(keys, names) for name, keys in _tables(top, "scenario").items()}
    order = list(values)
    kinds = sorted(("require", "compare"), key=lambda kind: order.index(kind) if kind in order else len(order))
    checks = [check for kind in kinds for check in _checks(top, kind, names, scenarios)]
    digests, seed = _digests(top.table("digests"), names), top.take("seed", WHOLE) or 0
    with file.refusals(("seed",), "seed = 0"):
        checked_seed(seed)
    top.done()
    if not checks and not file.problems:
        file.wrong((), "BR844", "there is nothing to check", '[[require]] with rule = "precision >= 0.2", or [[compare]]')
    file.settle()
    _check_joining(file, data, checks)
    file.settle()
    return Settings(path, data, tuple(checks), digests, seed)


def _tables(top: Keys, key: str) -> dict[str, Keys]:
    """Tables under names that the user chose."""
    around = top.table(key)
    return {name: Keys(top.file, (key, name), value) for name, value in around.each(TABLE).items() if value is not None}


def _data(top: Keys) -> Data:
    keys, models = top.table("data"), top.table("models")
    source = keys.take("source", SOURCE, needed=WRITE_SOURCE)
    columns = {name: column or "" for name, column in models.each(TEXT).items()}
    if not models.values:
        top.file.wrong(("models",), "BR841", "models are missing", '[models] with candidate = "the column of its score"')
    positive, design = keys.take("positive", VALUE), keys.take("design", TEXT) or RANDOM
    with top.file.refusals(("data", "design"), 'design = "case-control"'):
        checked_design(design)
    joined: dict[str, Any] = {"id": keys.take("id", TEXT), "join": keys.take("join", TEXT), "by_position": bool(keys.take("by_position", FLAG))}
    options = _options(keys)
    scored = _scored(top.file, source, columns)
    counted = bool(scored) and all(is_saved(model.source) for model in scored.values())
    label = keys.take("label", TEXT, needed="" if counted else 'label = "y"')
    keys.done()
    return Data(scored, label or "", positive, design, **joined, options=options)


def _options(keys: Keys) -> Options:
    """How to read: each option on its own, then those that depend on each other."""
    said = {name: value for name, kind in READING.items() if (value := keys.take(name, kind)) is not None}
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
        own = {name: keys.take(name, TEXT, needed=f'{quoted(name, quotes=False)} = "its.csv"') for name in columns}
        keys.done()
    else:
        own = dict.fromkeys(columns, source)
        if len(set(columns.values())) < len(columns):
            file.wrong(("models",), "BR407", "two models have the same score", "name each column once")
    if "-" in own.values():
        file.wrong(where, "BR842", "standard input is no source of settings, which are read more than once", WRITE_SOURCE)
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
    prior, volume, costs = keys.take("prior", SHARE), keys.take("volume", NUMBER), None
    given = {kind: keys.take(kind, TABLE) for kind in ("costs", "profits")}
    if None not in given.values():
        file.wrong(keys.where, "BR513", f"{keys.spoken('costs')} and profits are given together", "give one of them")
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
    with keys.file.refusals(keys.where, "profits = { tp = 95, fp = -5 }" if profits else WRITE_COSTS):
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


def _checks(top: Keys, kind: str, models: tuple[str, ...], scenarios: Mapping[str, Scenario]) -> list[Demand | Comparison]:
    found: list[Demand | Comparison] = []
    for number, values in enumerate(top.take(kind, TABLES) or (), 1):
        keys = Keys(top.file, (kind, number), values)
        scenario = _named(keys, scenarios)
        level = keys.take("level", SHARE)
        with top.file.refusals((*keys.where, "level"), "level = 0.95"):
            level = LEVEL if level is None else _level(level)
        check = (_demand if kind == "require" else _comparison)(keys, models, scenario, level)
        keys.done()
        if check is not None:
            found.append(check)
    return found


def _level(given: Any) -> float:
    written = notations.share(given) if isinstance(given, str) else None
    return checked_level(float(written.value) if written is not None else given)


def _named(keys: Keys, scenarios: Mapping[str, Scenario]) -> Scenario:
    """The scenario of a check: where there are any, one has to be named."""
    name = keys.take("scenario", TEXT, needed=f"scenario = {quoted(next(iter(scenarios)))}" if scenarios else "")
    if name is not None and name not in scenarios:
        keys.file.wrong(
            (*keys.where, "scenario"), "BR842", f"{keys.spoken('scenario')}: there is no scenario {quoted(name)}", _those(scenarios)
        )
    return scenarios.get(name, Scenario())


def _those(names: Any) -> str:
    return listed(names) if names else "add it as a table [scenario.NAME]"


def _demand(keys: Keys, models: tuple[str, ...], scenario: Scenario, level: float) -> Demand | None:
    rule = keys.take("rule", TEXT, needed='rule = "precision >= 0.2"')
    model = _model(keys, "model", models, models[0] if len(models) == 1 else None)
    by, accepted = keys.take("slice", TEXT), bool(keys.take("accept_observed", FLAG))
    if rule is not None:
        with keys.file.refusals((*keys.where, "rule")):
            check_requirement(rule, scenario.volume)
    if rule is None or model is None:
        return None
    return Demand(rule, (model,), scenario, by, accepted, level)


def _model(keys: Keys, key: str, models: tuple[str, ...], default: str | None) -> str | None:
    """A model by its name; the default where there is no choice, or where it is called so."""
    name = keys.take(key, TEXT, needed="" if default in models else f"{key} = {quoted(next(iter(models), 'm1'))}")
    if name is not None and name not in models:
        keys.file.wrong((*keys.where, key), "BR408", f"{keys.spoken(key)}: there is no model {quoted(name)}", _those(models))
        return None
    return name or (default if default in models and key not in keys.values else None)


def _comparison(keys: Keys, models: tuple[str, ...], scenario: Scenario, level: float) -> Comparison | None:
    file, where = keys.file, keys.where
    pair = [_model(keys, key, models, key) for key in (BASELINE, CANDIDATE)]
    statistic, rule, by = (keys.take(key, TEXT) for key in ("statistic", "rule", "slice"))
    margin, replicates = keys.take("margin", NUMBER), keys.take("replicates", WHOLE)
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
        file.wrong(where, "BR596", f"baseline and candidate are both {quoted(pair[0])}", "name two models")
    _check_cuts(keys, (pair[0], pair[1]), statistic, rule, scenario)
    return Comparison(pair[0], pair[1], scenario, statistic, rule, margin, by, level, replicates)


def _check_cuts(keys: Keys, pair: tuple[str, str], statistic: str | None, rule: str | None, scenario: Scenario) -> None:
    """Two models are compared at the thresholds of both; that of one alone would be passed over."""
    at_thresholds = rule is None and (statistic is None or summary_named(statistic) is None)
    absent = [model for model in pair if model not in (scenario.thresholds or {})]
    if at_thresholds and len(absent) == 1:
        text = f"{shown(keys.where)}: no threshold is given for {quoted(absent[0])} in the scenario {quoted(scenario.name)}"
        keys.file.wrong(keys.where, "BR529", text, f"threshold = {{ {pair[0]} = 0.5, {pair[1]} = 0.5 }}")


def _check_statistic(file: File, where: Any, statistic: str, rule: str | None, scenario: Scenario) -> None:
    if summary_named(statistic) is None:
        parse(statistic, scenario.volume)
    elif rule is not None:
        file.wrong((*where, "rule"), "BR594", f"{statistic} is a number of all cases: a rule says nothing of it", "leave it out")


def _digests(keys: Keys, models: tuple[str, ...]) -> dict[str, str]:
    """The counts that must not have changed, by model."""
    found: dict[str, str] = {}
    for model in models:
        digest = keys.take(model, TEXT)
        if digest is not None and not DIGEST.fullmatch(digest):
            text = f"{keys.spoken(model)} is the digest of counts, 64 signs of 0-9 and a-f, got {quoted(digest)}"
            keys.file.wrong((*keys.where, model), "BR842", text, "copy it from baserate show --json")
        elif digest is not None:
            found[model] = digest
    keys.done()
    return found


def _check_joining(file: File, data: Data, checks: list[Demand | Comparison]) -> None:
    """Cases of several sources belong together by an id, or by their position because that is said."""
    several = len({model.source for model in data.models.values()}) > 1
    paired = any(isinstance(check, Comparison) for check in checks)
    if not several and (data.join is not None or data.by_position):
        file.wrong(("data",), "BR414", "one source is not joined with another", "leave join and by_position out")
    if several and paired and data.by_position == (data.id is not None):
        text = "an id and by position: say one of them" if data.by_position else "several sources, and nothing says which rows belong together"
        file.wrong(("data",), "BR414", text, 'id = "COLUMN", or by_position = true')
