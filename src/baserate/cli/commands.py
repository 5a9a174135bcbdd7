"""Commands made from verbs: *read* the data, *ask* the verb, *print* its result.

The keyword-only parameters of these three functions are the options of the command. An option has
its help in `options.TABLE`, or else in the Parameters section of the function's docstring.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import click

from baserate.cli import options
from baserate.cli.options import Option, flag_of, listed
from baserate.cli.runner import (
    ALONE,
    OUTPUT,
    OVER,
    TOGETHER,
    Request,
    Result,
    check_model,
    command,
    measures_of,
    parsed_measure,
    read_price,
    read_share,
    shares,
    threshold_by_model,
    threshold_of,
    thresholds_of,
)
from baserate.cli.terminal import Progress, drawing
from baserate.conditions import Conditions
from baserate.errors import Infeasible, Source, name_of, refuse
from baserate.results.notes import merge_notes
from baserate.results.values import Unsatisfied
from baserate.verbs.sources import models_of
from baserate.views import formats

Function = Callable[..., Any]
Parameter = inspect.Parameter

# The rows of the table of options that a keyword of a verb stands for, where they have other names;
# none where only Python can give it.
ROWS_OF_KEYWORD: dict[str, tuple[str, ...]] = {
    "at": ("priors", "costs", "profits"),
    "rule": ("rule", "budget_rule"),
    "threshold": ("thresholds_by_model",),
    **dict.fromkeys(("prior", "costs", "progress"), ()),
    # What only counts of one's own have, or what `options.file` has.
    **dict.fromkeys(("days", "pair", "better", "paired", "resample", "unlabelled"), ()),
    **dict.fromkeys(("label", "score", "positive", "missing_label", "nan_score"), ()),
}
# Values of which the request has read the text, and how the text of others is read.
FROM_REQUEST: dict[str, Callable[[Request], Any]] = {
    "volume": lambda request: request.conditions.cases,
    "kind": lambda request: request.conditions.kind,
    "level": lambda request: request.intervals.level,
    "replicates": lambda request: request.intervals.replicates,
    "seed": lambda request: request.intervals.seed,
}
READ_TEXT: dict[str, Callable[[Request, Any, Sequence[str]], Any]] = {
    "measures": lambda request, texts, _: measures_of(texts, request.conditions),
    "thresholds": lambda _, texts, __: read_thresholds(texts),
    "optimize": lambda request, text, _: parsed_measure(text, request.conditions),
    "review": lambda _, given, __: read_price(given) if isinstance(given, str) else given,
    "recovered": lambda _, given, __: read_share(given) if isinstance(given, str) else given,
    "threshold": lambda *given: read_threshold(*given),  # noqa: PLW0108 (defined below)
}
# Options that name a file.
OTHER_FILES = ("labelled", "prior_from", "test")
NUMBER = re.compile(r"\b(int|float)\b")
CLICK_TYPES = {"int": int, "int | None": int}


def make_command(
    name: str,
    verb: Function,
    *,
    help: str,  # noqa: A002 (the word of click)
    read: Function | None = None,
    show: Function | None = None,
    source: Callable[[Function], Function] = options.file(),  # noqa: B008 (a decorator)
    also: Sequence[str] = (),
    rest: Sequence[str] = (),
    name_sources: bool = False,
    estimate: str = TOGETHER,
    conditions: Callable[[Request], Any] | None = None,
    rows: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    advise: Callable[[Request, Sequence[Any]], str] | None = None,
    instead: Mapping[str, Function] = MappingProxyType({}),
) -> click.Command:
    """Make the command that asks a verb.

    Parameters
    ----------
    name : str
        What the command is called.
    verb : callable
        The function that answers. Its positional parameters behind the data are arguments of the
        command, unless they have an option of their name in `options.TABLE`.
    help : str
        What the command does, and examples.
    read : callable, optional
        Takes the request, and returns the data of the verb; a tuple of them where it takes several.
    show : callable, optional
        Takes the result (and where it has such a parameter, the request), and returns the one that
        is printed.
    source : decorator
        Adds the argument FILE and the options of reading it, where `read` is given.
    also : sequence of str
        Rows of `options.TABLE` that the request itself takes: "memory", "as_csv".
    rest : sequence of str
        Options of `source` that are keywords of the verb without being named in its signature.
    name_sources : bool
        Does the text end with what was read (of several data, the first)?
    estimate : str
        What the answer does about the error of a base rate that is estimated (`--prior-from`).
    conditions : callable, optional
        Takes the request, and returns `at=` where that is more than conditions, or a list of them.
    rows : mapping
        The rows of `options.TABLE` that stand for a keyword here, where they are others than in
        `ROWS_OF_KEYWORD`; none where only Python can give it.
    advise : callable, optional
        Takes the request and the results, and returns a paragraph that follows the first one.
    instead : mapping of str to callable
        Flags, and the verb that answers where one of them is given.
    """

    def answer(request: Request, **given: Any) -> Result:
        flag = next((flag for flag in instead if given[flag]), None)
        asked = verb if flag is None else instead[flag]
        if flag is not None:
            refuse_others(request, flag, asked, filter(None, (read, verb, show)))
        request = request.estimated(use_of_estimate(request, asked, estimate))
        data = () if read is None else read(request, **select_values(given, read))
        data = data if isinstance(data, tuple) else (data,)
        more = {name: one for name, one in given.items() if name in rest and one is not None}
        if conditions is not None:
            more["at"] = conditions(request)
        keywords = {**select_values(given, asked, rows), **more}
        results = ask_verb(asked, request, data, keywords)
        if show is not None:
            own = select_values({**given, "request": request}, show)
            results = [
                result if isinstance(result, Unsatisfied) else show(result, **own)
                for result in results
            ]
        hint = "" if advise is None else advise(request, results)
        result = present_results(name, request, data, results, hint)
        there = [one for one in data if one is not None]
        return replace(result, sources=sources_of(*there[:1])) if name_sources else result

    answer.__doc__ = help
    files = [] if read is None else [source]
    for decorate in reversed(
        [
            *files,
            *list_options(read, verb, show, rows),
            listed(*instead, *also),
            options.answer,
        ]
    ):
        decorate(answer)
    return command(name)(answer)


# ----------------------------------------------------------------------
# From parameters to options.


def list_options(
    read: Function | None,
    verb: Function,
    show: Function | None,
    rows: Mapping[str, tuple[str, ...]],
) -> Iterator[Callable[[Function], Function]]:
    """Return what adds the arguments and options of the three steps, in their order."""
    rows = {**ROWS_OF_KEYWORD, **rows}
    first, *others = inspect.signature(verb).parameters.values()
    named = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    positional = [one for one in (first, *others) if one.kind not in named]
    if read is not None:
        positional = positional[1:]
    descriptions = parse_descriptions(inspect.getdoc(verb) or "")
    for parameter in positional:
        if rows.get(parameter.name) != ():
            yield argument_or_options(parameter, descriptions, rows)
    seen: set[str] = set()
    for step in (read, verb, show):
        if step is not None:
            descriptions = parse_descriptions(inspect.getdoc(step) or "")
            for parameter in inspect.signature(step).parameters.values():
                if parameter.kind is Parameter.KEYWORD_ONLY and parameter.name not in seen:
                    seen.add(parameter.name)
                    yield options_of(parameter, descriptions, rows)


def argument_or_options(
    parameter: Parameter, descriptions: Mapping[str, str], own: Mapping[str, tuple[str, ...]]
) -> Callable[[Function], Function]:
    """Return the argument of a positional parameter, or the options that stand for it; a rule may
    be given either way.
    """
    rows = rows_of(parameter.name, own)
    if not rows:
        required = parameter.default is Parameter.empty
        return click.argument(parameter.name, required=required, metavar=parameter.name.upper())
    if parameter.name == "rule":
        return lambda function: options.behind_file(listed(*rows)(function))
    return options_of(parameter, descriptions, own)


def options_of(
    parameter: Parameter, descriptions: Mapping[str, str], own: Mapping[str, tuple[str, ...]]
) -> Callable[[Function], Function]:
    """Return the option of a keyword: `volume=` is `--volume`; or several that stand for it."""
    annotation, text = str(parameter.annotation), descriptions.get(parameter.name, "")
    rows = rows_of(parameter.name, own)
    if rows or parameter.name in own:
        return listed(*rows, **({"help": text} if text and len(rows) == 1 else {}))
    is_flag = annotation in ("bool", "bool | None")
    return click.option(
        "--" + parameter.name.replace("_", "-"),
        cls=Option,
        is_flag=is_flag,
        type=None if is_flag else CLICK_TYPES.get(annotation),
        metavar=None if is_flag else "NUMBER" if NUMBER.search(annotation) else "TEXT",
        help=text,
    )


def rows_of(keyword: str, own: Mapping[str, tuple[str, ...]] = ROWS_OF_KEYWORD) -> tuple[str, ...]:
    """Return the rows of the table of options that a keyword stands for."""
    return own.get(keyword, (keyword,) if keyword in options.ROWS else ())


def keys_of(keyword: str, own: Mapping[str, tuple[str, ...]] = ROWS_OF_KEYWORD) -> tuple[str, ...]:
    """Return the names under which the parameters of a command hold a keyword."""
    return (keyword, *(options.parameter_of(row) for row in rows_of(keyword, own)))


def parse_descriptions(docstring: str) -> dict[str, str]:
    """Return what the Parameters section of a numpydoc docstring says of each parameter."""
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n|\Z)", docstring, re.DOTALL)
    descriptions: dict[str, str] = {}
    name = ""
    for line in section[1].splitlines() if section else ():
        if line.startswith(" "):
            descriptions[name] = f"{descriptions[name]} {line.strip()}".strip()
        else:
            name = line.partition(" :")[0]
            descriptions[name] = ""
    return descriptions


# ----------------------------------------------------------------------
# Ask and print.


def read_threshold(request: Request, given: str | Sequence[str], models: Sequence[str]) -> Any:
    """Return the threshold of each model, or the one for all of a command that takes one model."""
    if not isinstance(given, str):
        return thresholds_of(tuple(given), tuple(models))
    name, threshold = threshold_by_model(given)
    if name is not None:
        check_model(given, name, request.source.scores or ("counts",))
    return threshold


def read_thresholds(texts: Iterable[str]) -> list[float | int | None]:
    """Return thresholds as they are typed, each option one or several."""
    return [threshold_of(part) for text in texts for part in shares(text)]


def select_values(
    given: Mapping[str, Any],
    function: Function,
    rows: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the values that are keywords of a function, without options that were not given."""
    selected: dict[str, Any] = {}
    own = {**ROWS_OF_KEYWORD, **rows}
    for name in inspect.signature(function).parameters:
        if rows.get(name) == ():
            continue
        for key in keys_of(name, own):
            value = given.get(key)
            if value is not None and value is not False and value != ():
                selected[name] = value
    return selected


def ask_verb(
    verb: Function,
    request: Request,
    data: tuple[Any, ...],
    keywords: dict[str, Any],
) -> list[Any]:
    """Return the verb's result; one for each base rate where the verb takes one of them."""
    parameters = inspect.signature(verb).parameters
    models = list(dict.fromkeys(name for one in data for name in models_of(one) or ()))
    for name, read_text in READ_TEXT.items():
        if name in keywords:
            keywords[name] = read_text(request, keywords[name], models)
    usual = {one.name: one.default for one in click.get_current_context().command.params}
    for name, value_of in FROM_REQUEST.items():
        is_given = name in parameters and request.given.get(name) not in (None, usual.get(name))
        if is_given:
            keywords[name] = value_of(request)
    positional = [
        keywords.pop(name)
        for name, one in parameters.items()
        if one.kind is Parameter.POSITIONAL_ONLY and name in keywords
    ]
    with ExitStack() as stack:
        if "progress" in parameters:
            keywords["progress"] = stack.enter_context(Progress("resampling"))
        if "at" not in parameters or "at" in keywords:
            return [verb(*data, *positional, **keywords)]
        conditions = request.conditions
        at = [conditions.uncertain()] if conditions.is_open else conditions.exact()
        if reads_several(verb):
            return [verb(*data, *positional, at=at, **keywords)]
        return ask_at_each(lambda one: verb(*data, *positional, at=one, **keywords), at)


def refuse_others(request: Request, flag: str, verb: Function, steps: Iterable[Function]) -> None:
    """Refuse what is given for these steps and is no keyword of the verb that answers instead."""
    parameters = click.get_current_context().command.params
    kept = inspect.signature(verb).parameters
    names = [name for step in steps for name in inspect.signature(step).parameters]
    keys = [key for name in names if name not in kept for key in keys_of(name)]
    for one in parameters:
        value = request.given.get(one.name or "")
        if one.name in keys and value not in (None, (), False, one.default):
            where = f"with --{flag.replace('_', '-')}"
            raise refuse("BR002", f"{flag_of(one)} has no effect {where}", "leave it out")


def use_of_estimate(request: Request, verb: Function, usual: str) -> str:
    """Return what is done about the error of a base rate that is estimated."""
    if reads_several(verb):
        return ALONE
    return OVER if usual == TOGETHER and request.conditions.is_open else usual


def reads_several(verb: Function) -> bool:
    """Does the verb take several conditions at once?"""
    at = inspect.signature(verb).parameters.get("at")
    return at is not None and "Sequence[Conditions]" in str(at.annotation)


def ask_at_each(ask: Callable[[Conditions], Any], at: Sequence[Conditions]) -> list[Any]:
    """Return the answer at each base rate; one that cannot be satisfied is refused only where there
    is no other.
    """
    results: list[Any] = []
    for conditions in at:
        try:
            results.append(ask(conditions))
        except Infeasible as error:
            results.append(Unsatisfied(conditions, error.problems))
    if all(isinstance(result, Unsatisfied) for result in results):
        several = len(results) > 1
        raise Infeasible(
            problem
            for result in results
            for problem in (result.named if several else result.problems)
        )
    return results


def present_results(
    name: str, request: Request, data: tuple[Any, ...], results: list[Any], hint: str = ""
) -> Result:
    """Return what is printed of these results: as text (with a hint behind its first paragraph),
    JSON or CSV.
    """
    evaluated = [getattr(result, "sources", {}) for result in results]
    satisfied = [result for result in results if not isinstance(result, Unsatisfied)]
    notes = merge_notes([note for result in results for note in result.notes])
    return Result(
        notes,
        content=lambda: formats.make_document(
            name, options_given(request), results, notes, sources_of(*data, *evaluated)
        ),
        text=lambda: list_text(request, results, hint),
        plain=results[0].to_csv() if request.output.as_csv else None,
        drawing=lambda: satisfied[0].plot(**options_of_drawing(request)).svg(),
    )


def list_text(request: Request, results: Sequence[Any], hint: str) -> Iterator[str]:
    """Return the text of results; what has an axis is drawn on a terminal, too."""
    first, *others = formats.list_blocks(results)
    yield first
    if hint:
        yield hint
    if "log" in request.given:
        yield drawing(lambda: results[0].plot(**options_of_drawing(request)))
    yield from others


def options_of_drawing(request: Request) -> dict[str, Any]:
    """Return the options of a picture that are typed: a logarithmic axis."""
    return {"log": True} if request.given.get("log") else {}


def options_given(request: Request) -> dict[str, Any]:
    """Return the options as they were typed, of files their names."""
    parameters = click.get_current_context().command.params
    usual = {one.name: one.default for one in parameters} | {"path": request.given.get("path")}
    typed = {
        name: name_of(value) if name in OTHER_FILES else value
        for name, value in request.given.items()
        if name not in OUTPUT and value not in (None, (), False, usual.get(name))
    }
    paths = [name_of(path) for path in request.source.paths]
    return {"path": paths, **typed} if paths else typed


def sources_of(*data: Any) -> Iterable[Source]:
    """Return the sources of counts, or of the counts of several models by name, each once."""
    counts = [one for found in data for one in (models_of(found) or {"": found}).values()]
    ledgers = [one.ledger for one in counts if hasattr(one, "ledger")]
    return dict.fromkeys(source for ledger in ledgers for source in ledger.sources)
