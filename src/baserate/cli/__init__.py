"""The command line: `baserate show scores.csv --label y --score m1`."""

from __future__ import annotations

import difflib
import json
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from baserate import __version__
from baserate.errors import Infeasible, InputError, escaped, on_command_line, quoted

INPUT, INFEASIBLE, BUG, IO, INTERRUPTED, BROKEN_PIPE, TERMINATED = 2, 3, 70, 74, 130, 141, 143
DEBUG = "--debug"

# Each command with its home and what the list of commands says of it: nothing is loaded before it is asked for.
COMMANDS = {
    "show": ("showing:show", "What was counted, and operating points at any base rate and cost."),
    "choose": ("choosing:choose_command", "Which model, at which threshold."),
    "compare": ("comparing:compare_command", "Is one model really better than another?"),
    "decide": ("deciding:decide_command", "Which model and threshold, where base rate and costs are not known exactly."),
    "expect": ("expecting:expect_command", "What a measure comes to over ranges and distributions of base rate and costs."),
    "leaders": ("leading:leaders", "Who finds most within a share of false alarms, at each base rate."),
    "triage": ("triaging:triage_command", "Two thresholds: what to act on, what to review, what to let pass."),
    "prior": ("estimating:prior_command", "Estimate the base rate of the field from scores without labels."),
    "slices": ("slicing:slices", "Sites, days and groups: one threshold at every base rate, and what is shown there."),
    "gate": ("gating:gate", "Pass or fail: the check that a build runs."),
    "init": ("starting:init", "Write the checks of a build into baserate.toml, by asking."),
    "report": ("reporting:report_command", "One file that opens offline, with everything to move."),
    "curve": ("curving:curve", "The points of a curve, as a table, CSV or JSON."),
    "calc": ("calculating:calc", "From published rates to the rest."),
    "study": ("studying:study_command", "The sources reproduced, claim by claim."),
    "count": ("counting:count_command", "Count once, save and add up the counts."),
    "demo": ("demonstrating:run_demo", "Write an example file and show what it says."),
    "completion": ("completing:completion", "Print the script that completes commands in your shell."),
}


class Commands(click.Group):
    """A group whose commands are loaded when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"baserate.cli.{module}"), name)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command asked for; of one that is not there, what was probably meant."""
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {quoted(args[0])}{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from baserate.kernels import best

        click.echo(f"baserate {__version__} (counting in {best.NAME})")
        context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, invoke_without_command=True)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version and exit.")
@click.option(DEBUG, is_flag=True, expose_value=False, help="Show the traceback of a failure (anywhere on the line).")
@click.pass_context
def cli(context: click.Context) -> None:
    """Which classifier, at which threshold, at what cost: at the base rate you will meet, not the one you tested on."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


class Terminated(BaseException):
    """Somebody asked the process to end: what is open is closed on the way out."""


class Interrupted(BaseException):
    """Ctrl-C; not a KeyboardInterrupt, for which click would begin an empty line also where nobody sees the ^C before it."""


def _terminate(signum: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise Terminated


def _interrupt(signum: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    """Tidy up at the first Ctrl-C; a second one does not wait for that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise Interrupted


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run, and turn every failure into one line (or a JSON object) and the exit status that tells its kind."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # what an encoding lacks is shown as '?', and nothing crashes
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # and not where somebody ignores it, as nohup does
        signal.signal(signal.SIGINT, _interrupt)
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
        return _refused(error, as_json=as_json)
    except BrokenPipeError:
        # Whoever read our output has had enough; keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (KeyboardInterrupt, click.Abort, Interrupted, Terminated) as stop:
        return _stopped(stop, given)
    except Exception as error:
        if DEBUG in given:
            raise
        return _told(*_explained(error), as_json=as_json)
    return 0


def _stopped(stop: BaseException, given: list[str]) -> int:
    if isinstance(stop, Interrupted) and sys.stderr is not None and sys.stderr.isatty():
        click.echo(err=True)  # after the ^C
    click.echo(f"stopped{_how_to_go_on(given)}", err=True)
    return TERMINATED if isinstance(stop, Terminated) else INTERRUPTED


def _how_to_go_on(given: list[str]) -> str:
    """Of a run that writes down how far it has got: whether there is something to go on from."""
    words = [(word.partition("="), after) for word, after in zip(given, [*given[1:], ""], strict=True)]
    files = [word[2] or after for word, after in words if word[0] == "--resume"]
    if not files:
        return ""
    if os.path.isfile(files[-1]):  # noqa: PTH113
        return f"; the same command goes on from there (--resume {shlex.quote(escaped(files[-1]))})"
    return " before anything was kept to go on from; the same command begins anew"


def _explained(error: Exception) -> tuple[int, str, str, str]:
    """Exit status, code, what happened, and what to do about it."""
    if isinstance(error, click.UsageError):
        return INPUT, "BR001", escaped(error.format_message()).rstrip("."), f"see {error.ctx.command_path if error.ctx else 'baserate'} --help"
    if isinstance(error, FileNotFoundError) and error.filename:
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


def _refused(error: InputError, *, as_json: bool) -> int:
    from baserate import document

    status = INFEASIBLE if isinstance(error, Infeasible) else INPUT
    return _failed(document.of_errors(error), [problem.line(on_command_line) for problem in error.problems], status, as_json=as_json)


def _told(status: int, code: str, text: str, fix: str, *, as_json: bool) -> int:
    from baserate.document import SCHEMA

    problem: dict[str, Any] = {"code": code, "where": {}, "text": text, "fix": fix}
    return _failed(
        {"schema": SCHEMA, "errors": [problem]}, [f"{code}: {text}{'' if text.endswith('?') else '.'} Fix: {fix}."], status, as_json=as_json
    )


def _failed(errors: dict[str, Any], lines: list[str], status: int, *, as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(errors))
    else:
        for line in lines:
            click.echo(f"error {line}", err=True)
    return status
