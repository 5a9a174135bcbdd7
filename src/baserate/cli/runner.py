"""The one runner of commands: builds the request, runs the command, and prints its result."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from baserate.atomic import reserved, write_atomically
from baserate.cli.options import Sectioned, listed
from baserate.cli.request import Request, check_unused
from baserate.cli.terminal import tell
from baserate.counts.counts import Counts
from baserate.errors import InputError, number_of, on_command_line, refuse_file
from baserate.inference.intervals import auc_intervals
from baserate.notes import Note, Source, foremost, ranked
from baserate.output import document, tables
from baserate.read.source import files_of


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
            request, own = Request.of(given)
            if "output" not in given:  # the command writes what it has to write by itself
                return present(function(request, **own), request)
            return _delivered(function, request, own)

        run.__doc__ = function.__doc__
        listed("all_notes")(run)
        run.__click_params__ += getattr(function, "__click_params__", [])  # type: ignore[attr-defined]
        return click.command(name=name, cls=Sectioned)(run)

    return decorate


def present(result: Result, request: Request) -> int:
    """The answer on stdout, as JSON or for a person; then the notes, on stderr. Returns the exit
    status.
    """
    if request.output.as_json:
        click.echo(document.text(result.content()))
    elif result.plain is not None:
        click.echo(result.plain, nl=False)
    else:
        tell(*result.text(), *map(tables.source, result.sources))
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
    return lines + ([f"{number_of(left, 'more note')}: --notes"] if left else [])


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
    beside = (own.get("labelled"), request.conditions.prior_from, own.get("markdown"))
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
