"""The one runner of commands: builds the request, runs the command, and prints its result."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
from click.core import ParameterSource

from baserate.atomic import reserved, write_atomically
from baserate.cli.options import Sectioned, is_rule, listed
from baserate.cli.request import READING, Request, check_unused
from baserate.cli.terminal import tell
from baserate.counts.counts import Counts
from baserate.errors import (
    Fix,
    InputError,
    Note,
    Source,
    foremost,
    number_of,
    on_command_line,
    ranked,
    refuse_file,
)
from baserate.inference.intervals import auc_intervals
from baserate.output import document, tables
from baserate.read.files import is_saved
from baserate.read.source import files_of

SETTINGS = "baserate.toml"


@dataclass(frozen=True)
class Result:
    """What a command answers: as JSON and for a person, with its notes. Where `plain` is given, it
    is printed as it stands in place of the text.
    """

    notes: Sequence[Note]
    content: Callable[[], Mapping[str, Any]]
    text: Callable[[], Iterable[str]]
    sources: Iterable[Source] = ()
    plain: str | None = None
    drawing: Callable[[], str] | None = None
    status: int = 0

    @classmethod
    def of_models(
        cls,
        command: str,
        models: Mapping[str, Counts],
        at: Sequence[Any],
        notes: Iterable[Note],
        text: Callable[[], Iterable[str]],
        parts: Callable[[], Mapping[str, Any]] = dict,
    ) -> Result:
        """What is answered of counted models: their notes come before those of the answer, and
        their sources last.
        """
        said = document.merged([*document.notes_of(models, {}), *notes])
        used = dict.fromkeys(one for counts in models.values() for one in counts.ledger.sources)

        def content() -> dict[str, Any]:
            aucs = auc_intervals(models)
            return document.of_models(command, models, {}, at, said, aucs=aucs, **parts())

        return cls(said, content, text, used)


def command(name: str) -> Callable[[Callable[..., Result]], click.Command]:
    """A command of this name: a function of the request and of the command's own options."""

    def decorate(function: Callable[..., Result]) -> click.Command:
        def run(**given: Any) -> int:
            request, own = _request(given)
            if "output" not in given:  # the command writes what it has to write by itself
                return present(function(request, **own), request)
            return _delivered(function, request, own)

        run.__doc__ = function.__doc__
        listed("all_notes")(run)
        run.__click_params__ += getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
        return click.command(name=name, cls=Sectioned)(run)

    return decorate


# Commands that read no defaults, and which default gives which parameter under another name.
WITHOUT_DEFAULTS = ("gate", "init", "demo", "calc", "plan", "completion", "study")
PARAMETERS = {
    "source": ("path",),
    "prior": ("priors",),
    "rule": ("rule", "rules"),
    "budget": ("rule", "rules"),
}
# A default gives way to what is given on the line in its place.
GIVES_WAY = {
    "priors": ("pilot", "prior_from"),
    "costs": ("profits",),
    "profits": ("costs",),
    "rule": ("threshold", "thresholds", "guarantee", "all_priors", "budget_rule"),
    "rules": ("thresholds", "fixed", "budget_rule"),
    "test": ("path", "prior_from", "pilot", "group", "all_priors", "kind"),
}
OF_CASES = frozenset({"label", "positive", "design", *READING}) - {"memory", "approx", "resume"}


def default_map(name: str) -> dict[str, dict[str, Any]]:
    """The defaults of a command, from baserate.toml in the working directory."""
    if name in WITHOUT_DEFAULTS or not os.path.lexists(SETTINGS):
        return {}
    from baserate.gates.settings import defaults

    try:
        found = defaults(SETTINGS)
    except InputError as error:
        raise type(error)(
            replace(problem, fix=Fix.everywhere(f"{problem.fix.python}, or --no-config"))
            for problem in error.problems
        ) from None
    given: dict[str, Any] = {}
    for key, value in found.items():
        given |= dict.fromkeys(PARAMETERS.get(key, (key,)), value)
    if name == "prior":  # its FILE has no labels
        given["labelled"] = given.pop("path", None)
    command = _command(name)
    return {name: {} if command is None else _as_typed(command, given)}


def _command(name: str) -> click.Command | None:
    from baserate.cli.main import cli

    return cli.get_command(click.Context(cli), name)


def _as_typed(command: click.Command, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of parameters, as click has them from the line."""
    typed = {}
    for parameter in command.params:
        value = given.get(parameter.name or "")
        if parameter.name == "no_header":
            value = given.get("header") is False
        if value is None or value is False:
            continue
        if isinstance(value, list) and not _is_several(parameter):
            value = ",".join(map(str, value))
        plain = value if isinstance(value, bool | list) else str(value)
        typed[parameter.name or ""] = (
            (tuple(plain) if isinstance(plain, list) else (plain,))
            if _is_several(parameter)
            else plain
        )
    return typed


def _is_several(parameter: click.Parameter) -> bool:
    return parameter.nargs == -1 or getattr(parameter, "multiple", False)


def _request(given: dict[str, Any]) -> tuple[Request, dict[str, Any]]:
    """The request of the parameters, without defaults that give way to what is on the line."""
    context = click.get_current_context()
    sources = {name: context.get_parameter_source(name) for name in given}
    if (path := (context.default_map or {}).get("path")) is not None:
        given, sources = _file_from_defaults(given, sources, path)
    on_line = {name for name, source in sources.items() if source == ParameterSource.COMMANDLINE}
    saved = isinstance(given.get("path"), str) and is_saved(given["path"])
    used = []
    for parameter in context.command.params:
        name = parameter.name or ""
        if sources.get(name) != ParameterSource.DEFAULT_MAP:
            continue
        gives_way = on_line.intersection(GIVES_WAY.get(name, ())) or (saved and name in OF_CASES)
        if gives_way or (name == "test" and _has_range(given)):
            given = {**given, name: () if isinstance(given[name], tuple) else _unset(parameter)}
        else:
            used.append(KEYS.get(name, name))
    request, own = Request.of(given)
    return replace(request, config=tuple(used)), own


def _has_range(given: Mapping[str, Any]) -> bool:
    """Is a base rate or a cost a range?"""
    texts = (text for name in ("priors", "costs", "profits") for text in given.get(name, ()))
    return any(".." in text for text in texts)


Sources = dict[str, ParameterSource | None]


def _file_from_defaults(
    given: dict[str, Any], sources: Sources, path: Any
) -> tuple[dict[str, Any], Sources]:
    """The parameters, where a rule stands in the place of the file: the file is then that of the
    defaults.
    """
    named = given["path"]
    if sources["path"] == ParameterSource.DEFAULT_MAP or not named:
        return given, sources
    if isinstance(named, tuple) and all(map(is_rule, named)) and "rule" in given:
        given = {**given, "path": (*path, *named)}
    elif isinstance(named, str) and is_rule(named) and given.get("behind", "") is None:
        given = {**given, "path": path, "behind": named}
    else:
        return given, sources
    return given, {
        **sources,
        "path": ParameterSource.DEFAULT_MAP,
        "behind": ParameterSource.COMMANDLINE,
        "rule": ParameterSource.COMMANDLINE,
        "rules": ParameterSource.COMMANDLINE,
    }


KEYS = {"path": "source", "labelled": "source", "priors": "prior", "rules": "rule"}


def _unset(parameter: click.Parameter) -> Any:
    """What the parameter is where nobody gives it."""
    return parameter.default if parameter.name == "design" else None


def present(result: Result, request: Request) -> int:
    """The answer on stdout, as JSON or for a person; then the notes, on stderr. Returns the exit
    status.
    """
    used = f"defaults: {SETTINGS} ({', '.join(request.config)})" if request.config else ""
    if request.output.as_json:
        config = {"config": {"path": SETTINGS, "used": list(request.config)}}
        click.echo(document.text({**result.content(), **(config if used else {})}))
    elif result.plain is not None:
        click.echo(result.plain, nl=False)
        click.echo(used, err=True, nl=bool(used))
    else:
        tell(*result.text(), *map(tables.source, result.sources), used)
    for line in _noted(result.notes, every=request.output.all_notes):
        click.echo(line, err=True)
    return result.status


def _noted(notes: Sequence[Note], *, every: bool) -> list[str]:
    """The notes that could change the decision most, at most three, and how many more there are; or
    every note.
    """
    shown = ranked(notes) if every else foremost(notes)
    lines = [f"note {note.code}: {note.line(on_command_line)}" for note in shown]
    left = len(ranked(notes)) - len(shown)
    noun = "more note" if shown else "note"
    return lines + ([f"{number_of(left, noun)}: --notes"] if left else [])


def _delivered(function: Callable[..., Result], request: Request, own: dict[str, Any]) -> int:
    """The answer, in a file where one is named: its place is looked at before anything is computed,
    and written only where there is an answer.
    """
    given = request.output
    places = [place for place in (given.svg, given.output) if place is not None]
    if not places:
        unused = {"--force": given.force, "--private": given.private}
        check_unused(unused, "where nothing is written (-o FILE)")
    inputs = inputs_of(request, own) if places else []
    with contextlib.ExitStack() as held:
        checks = [
            held.enter_context(reserved(place, inputs, force=given.force)) for place in places
        ]
        request = _as_named(request)
        result = function(request, **own)
        if given.svg is not None and result.drawing is not None:
            _write(given.svg, result.drawing(), checks[0], private=given.private)
        if given.output is None:
            return present(result, request)
        return _written(result, request, checks[-1])


def _as_named(request: Request) -> Request:
    """The form that the name of the file promises."""
    given = request.output
    ending = os.path.splitext(given.output or "")[1].casefold()  # noqa: PTH122
    if ending == ".json":
        return replace(request, output=replace(given, as_json=True))
    if ending == ".csv" and given.as_csv is None:
        raise refuse_file(
            given.output or "",
            "BR803",
            "answers are written as text or as JSON, not as CSV",
            "name it .txt or .json",
        )
    if ending == ".csv":
        return replace(request, output=replace(given, as_csv=not given.as_json))
    return request


def inputs_of(request: Request, own: dict[str, Any]) -> list[str]:
    """Every file that a command reads: its sources, or its settings and theirs; and the other file
    that it writes.
    """
    sources = list(request.source.paths)
    if "config" in own and not sources:
        from baserate.gates.settings import SETTINGS, load

        config = own["config"] or SETTINGS
        sources = [config]
        with contextlib.suppress(InputError, OSError):  # what is wrong there is said when it is run
            sources += [str(scored.source) for scored in load(config).data.models.values()]
    others = (own.get(name) for name in ("labelled", "test", "markdown"))
    beside = (*others, request.conditions.prior_from)
    return [file for source in (*sources, *beside) if source for file in files_of(source)]


def _written(result: Result, request: Request, check: Callable[[], None]) -> int:
    """The answer in its file; the notes on stderr, and in a file that ends in .txt."""
    output = request.output.output or ""
    text, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(said):
        status = present(result, request)
    click.echo(said.getvalue(), nl=False, err=True)
    if output.casefold().endswith(".txt") and said.getvalue():
        text.write(f"\n{said.getvalue()}")
    _write(output, text.getvalue(), check, private=request.output.private)
    return status


def _write(path: str, text: str, check: Callable[[], None], *, private: bool) -> None:
    """Write to the place that is held."""
    check()
    write_atomically(path, [text.encode("utf-8", "surrogateescape")], private=private)
