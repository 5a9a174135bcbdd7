"""The command line: `baserate show scores.csv --label y --score m1`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from baserate import __version__, demo, document
from baserate.cli.calculating import calc
from baserate.cli.choosing import choose_command
from baserate.cli.comparing import compare_command
from baserate.cli.curving import curve
from baserate.cli.gating import gate
from baserate.cli.showing import show
from baserate.errors import Infeasible, InputError, escaped, on_command_line, quoted
from baserate.kernels import best

INPUT, INFEASIBLE, BUG, IO, INTERRUPTED, BROKEN_PIPE = 2, 3, 70, 74, 130, 141
DEBUG = "--debug"


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.version_option(__version__, message=f"baserate %(version)s (counting in {best.NAME})")
@click.option(DEBUG, is_flag=True, expose_value=False, help="Show the traceback of a failure (anywhere on the line).")
@click.pass_context
def cli(context: click.Context) -> None:
    """Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one you tested on."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


cli.add_command(show)
cli.add_command(choose_command)
cli.add_command(calc)
cli.add_command(curve)
cli.add_command(compare_command)
cli.add_command(gate)


@cli.command(name="demo")
@click.option("--folder", default="baserate-demo", show_default=True, metavar="FOLDER", help="Where the example file is written.")
@click.pass_context
def run_demo(context: click.Context, folder: str) -> None:
    """Write an example file and show what it says."""
    path = demo.write_scores(Path(folder))
    click.echo(f"{path}: 20 000 payments, 400 of them fraud, scored by two models.")
    for step in demo.steps(str(path)):
        click.echo(f"\n{step.why}\n\n$ baserate {step.shown}\n")
        cli.main(list(step.words), standalone_mode=False, parent=context.parent)
    click.echo("\nThe same with your own file: baserate show FILE.csv --label COLUMN --score COLUMN")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run, and turn every failure into one line (or a JSON object) and the exit status that tells its kind."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that knows only ASCII shows '?', and nothing crashes
    try:
        status = _run(given)
    except SystemExit as stop:
        # Click ends a broken pipe with 1, which would look like a gate that does not pass.
        status = BROKEN_PIPE if stop.code == 1 else int(stop.code or 0)
    sys.exit(status)


def _run(given: list[str]) -> int:
    """The exit status of one command."""
    as_json = "--json" in given
    try:
        status = cli.main([word for word in given if word != DEBUG], prog_name="baserate", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if isinstance(status, int):
            return status  # a gate's verdict
    except InputError as error:
        if DEBUG in given:
            raise
        status = INFEASIBLE if isinstance(error, Infeasible) else INPUT
        return _failed(document.of_errors(error), [problem.line(on_command_line) for problem in error.problems], status, as_json=as_json)
    except BrokenPipeError:
        # Whoever read our output has had enough; keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (KeyboardInterrupt, click.Abort):
        click.echo("stopped", err=True)
        return INTERRUPTED
    except Exception as error:
        if DEBUG in given:
            raise
        return _told(*_explained(error), as_json=as_json)
    return 0


def _explained(error: Exception) -> tuple[int, str, str, str]:
    """Exit status, code, what happened, and what to do about it."""
    if isinstance(error, click.UsageError):
        return INPUT, "BR001", escaped(error.format_message()).rstrip("."), f"see {error.ctx.command_path if error.ctx else 'baserate'} --help"
    if isinstance(error, FileNotFoundError):
        return INPUT, "BR600", f"there is no file or folder {escaped(str(error.filename))}", "check the path"
    if isinstance(error, OSError):
        where = f": {escaped(str(error.filename))}" if error.filename else ""
        return IO, "BR700", f"{error.strerror}{where}", "check the file, its permissions and the space left"
    if isinstance(error, MemoryError):
        return IO, "BR701", "there is not enough memory for this file", "count a smaller part, or on a larger machine"
    return (
        BUG,
        "BR999",
        f"a bug in baserate: {type(error).__name__}: {quoted(str(error), quotes=False)}",
        f"report it, with what {DEBUG} prints",
    )


def _told(status: int, code: str, text: str, fix: str, *, as_json: bool) -> int:
    problem: dict[str, Any] = {"code": code, "where": {}, "text": text, "fix": fix}
    return _failed({"schema": document.SCHEMA, "errors": [problem]}, [f"{code}: {text}. Fix: {fix}."], status, as_json=as_json)


def _failed(errors: dict[str, Any], lines: list[str], status: int, *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(errors))
    else:
        for line in lines:
            click.echo(f"error {line}", err=True)
    return status
