"""Writing `baserate.toml`: the text of settings, which the reader takes as they were meant."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from baserate.checks.reading import read
from baserate.costs import Costs
from baserate.engines.compressed import Limits
from baserate.engines.dialects import DELIMITERS, decoded, first_record
from baserate.engines.files import PARTS, SCHEME, Options, said_of
from baserate.engines.kinds import HEAD, TEXT, kind_of
from baserate.engines.saved import is_saved
from baserate.engines.streams import STDIN, opened
from baserate.errors import refuse, refuse_file

BARE = re.compile(r"[A-Za-z0-9_-]+")
FIELD = "field"
TITLE = "# What a build checks: run it with `baserate gate`, or `pytest --baserate`.\n"


@dataclass(frozen=True)
class Answers:
    """What a person said of the cases and of the field."""

    source: str
    label: str
    scores: tuple[str, ...]
    positive: str | None = None
    prior: str | None = None
    costs: Costs | None = None
    thresholds: Mapping[str, float | None] = field(default_factory=dict)
    rule: str | None = None
    design: str = "random"
    options: Options = field(default_factory=Options)


def columns_of(source: str, options: Options) -> list[tuple[str, str]]:
    """The columns of a text file, each with its value in the first row; none where only a whole reading would tell."""
    if source in STDIN:
        raise refuse("BR842", "standard input is no source of settings, which are read more than once", "save it to a file")
    if is_saved(source):
        raise refuse_file(source, "BR610", "holds counts, not cases", "write the settings by hand: docs/gates.md")
    if SCHEME.match(source) or not os.path.isfile(source):  # noqa: PTH113
        return []
    with open(source, "rb") as file:
        if kind_of(file.read(HEAD), source) != TEXT:  # unpacking and parsing are for a process of their own
            return []
    with opened(source, options.limits) as plain:
        if plain.kind != TEXT or not options.asked.header:
            return []
        with decoded(plain.shown, plain.path, options.asked.encoding) as text:
            skip, signs = options.asked.skip_lines, (options.asked.delimiter,) if options.asked.delimiter else DELIMITERS
            sign = max(signs, key=lambda sign: len(first_record(text, sign, skip)))
            names, values = first_record(text, sign, skip), first_record(text, sign, skip + 1)
    return [(name.strip(), value.strip()) for name, value in zip(names, [*values, *[""] * len(names)], strict=False)]


def settings_text(answers: Answers, path: str) -> str:
    """The file of settings, which the reader has tried; sources are relative to its folder."""
    blocks = [TITLE, *_blocks(answers, path)]
    text = "\n".join(blocks)
    read(text, path)
    return text


def _blocks(answers: Answers, path: str) -> Iterator[str]:
    data = {"source": _relative(answers.source, path), "label": answers.label, "positive": answers.positive}
    design = {} if answers.design == "random" else {"design": answers.design}
    yield _table("[data]", {**data, **design, **_said(answers.options)})
    yield _table("[models]", {name: name for name in answers.scores})
    conditions = {"prior": answers.prior, "costs": answers.costs and _costs(answers.costs), "threshold": dict(answers.thresholds) or None}
    scenario = {"scenario": FIELD} if any(value is not None for value in conditions.values()) else {}
    if scenario:
        yield _table(f"[scenario.{FIELD}]", conditions)
    first, *others = answers.scores
    for other in others:
        yield _table("[[compare]]", {**scenario, "baseline": first, "candidate": other})
    if answers.rule is not None:
        yield _table("[[require]]", {**scenario, "model": answers.scores[-1], "rule": answers.rule})


def _said(options: Options) -> dict[str, Any]:
    """What was said of how to read."""
    return {**said_of(options), **({} if options.limits == Limits() else {"max_bytes": options.limits.most})}


def _costs(costs: Costs) -> dict[str, Any]:
    return {name: getattr(costs, name) for name in ("fn", "fp", "tp", "tn") if name in ("fn", "fp") or getattr(costs, name)}


def _relative(source: str, path: str) -> str:
    """A source as the settings name it."""
    if SCHEME.match(source):
        if urlsplit(source.partition("::")[0]).password:
            raise refuse("BR842", "the address holds a password, which settings would keep", "leave it out, and let the driver find it")
        return source
    split = None if os.path.lexists(source) else PARTS.fullmatch(source)
    folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
    return f"{os.path.relpath(split[1], folder)}::{split[2]}" if split else os.path.relpath(source, folder)


def _table(head: str, values: Mapping[str, Any]) -> str:
    return "\n".join([head, *(f"{_key(key)} = {_value(value)}" for key, value in values.items() if value is not None), ""])


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_value(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    if value is None:
        return '"none"'
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    """A basic string of TOML: as in JSON, and without the one control character that JSON leaves alone."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refuse("BR842", "a name is not valid Unicode, and a file of settings cannot hold it", "rename it") from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
