"""The command line: `baserate show scores.csv --label y --score m1`."""

from __future__ import annotations

import contextlib
import difflib
import errno
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import click

from baserate import __version__
from baserate.atomic import user_limit
from baserate.cli.terminal import OutputError, guarded
from baserate.errors import (
    Infeasible,
    InputError,
    escaped,
    on_command_line,
    quoted,
    refuse,
    size,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

INPUT, INFEASIBLE, BUG, IO, INTERRUPTED, BROKEN_PIPE = 2, 3, 70, 74, 130, 141
SIGNALLED = 128  # and the number of the signal: 129 for a terminal that is closed, 143 for SIGTERM
SOON_S = 0.001
DEBUG, NO_CONFIG = "--debug", "--no-config"
ADDED = "baserate.commands"

DECIDE, LOOK, PLAN = "Decide", "Look", "Base rate and planning"
CHECK, DATA, MORE = "Build checks", "Data", "More"
# Each command with its home, what the list of commands says of it, and its group there: nothing is
# loaded before it is asked for.
COMMANDS = {
    "choose": ("choose:choose_command", "Which model, at which threshold.", DECIDE),
    "compare": ("compare:compare_command", "Is one model really better than another?", DECIDE),
    "triage": (
        "triage:triage_command",
        "Two thresholds: which cases to act on, to review, to let pass.",
        DECIDE,
    ),
    "report": ("report:report_command", "Self-contained interactive HTML report.", DECIDE),
    "show": ("show:show", "Counts, AUC, and operating points at any base rate and cost.", LOOK),
    "table": ("table:table", "Every threshold in one table, with any measures.", LOOK),
    "curve": ("curve:curve", "The points of a curve, as a table, CSV or JSON.", LOOK),
    "slices": ("slices:slices", "One threshold at every site, group and day.", LOOK),
    "prior": (
        "prior:prior_command",
        "Estimate the base rate of the field from scores without labels.",
        PLAN,
    ),
    "calc": ("calc:calc", "All rates from published ones, at your base rate.", PLAN),
    "plan": ("plan:plan", "How many cases a test set needs.", PLAN),
    "gate": ("gate:gate", "Pass or fail: the check that a build runs.", CHECK),
    "count": ("count:count_command", "Count once, save and add up the counts.", DATA),
    "sql": ("count:sql", "SQL that counts in a database or warehouse.", DATA),
    "demo": ("demo:run_demo", "Write an example file and run the commands on it.", DATA),
    "help": ("help:help_command", "The options of reading, or all of a command.", MORE),
}


def added() -> dict[str, EntryPoint]:
    """Commands that installed packages add, by name (entry points of the group
    `baserate.commands`).
    """
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ADDED) if entry.name not in COMMANDS}


def commands() -> dict[str, str]:
    """Every command with its line in the list of commands."""
    return {name: text for part in grouped_commands().values() for name, text in part.items()}


def grouped_commands() -> dict[str, dict[str, str]]:
    """The same by group: what people want to do."""
    found = {group: dict[str, str]() for group in (DECIDE, LOOK, PLAN, CHECK, DATA, MORE)}
    for name, (_, text, group) in COMMANDS.items():
        found[group][name] = text
    for name, entry in added().items():
        found[MORE][name] = entry.load().short_help or ""
    return found


class Commands(click.Group):
    """A group whose commands are loaded when they are run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """In the order in which people need them."""
        return [*COMMANDS, *added()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        command: click.Command | None = None
        if cmd_name in COMMANDS:
            module, _, name = COMMANDS[cmd_name][0].partition(":")
            command = getattr(import_module(f"{__package__}.{module}"), name)
        elif entry := added().get(cmd_name):
            command = entry.load()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of this name; for an unknown one, what was probably meant."""
        if (
            args[0] not in COMMANDS
            and not args[0].startswith("-")
            and not ctx.resilient_parsing
            and args[0] not in added()
        ):
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {quoted(args[0])}{meant}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands in groups, without loading them."""
        widest = max(map(len, commands()))
        for group, part in grouped_commands().items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(widest), text) for name, text in part.items()])


def _version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from baserate.kernels import best

        click.echo(f"baserate {__version__} (counting in {best.NAME})")
        context.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
@click.option(
    DEBUG,
    is_flag=True,
    expose_value=False,
    help="Show the traceback of a failure (anywhere on the command line).",
)
@click.option(
    NO_CONFIG,
    is_flag=True,
    expose_value=False,
    help="Ignore the defaults in baserate.toml (anywhere on the command line).",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Which classifier, at which threshold, at what cost: at the base rate you will meet, not the
    one you tested on.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    elif context.obj != NO_CONFIG:
        from baserate.cli.runner import default_map

        context.default_map = default_map(context.invoked_subcommand)


class Terminated(BaseException):
    """The process received this signal to end: what is open is closed on the way out."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.status = SIGNALLED + signum


class Interrupted(BaseException):
    """Ctrl-C; not a KeyboardInterrupt, for which click would begin an empty line also where nobody
    sees the ^C before it.
    """


def _terminate(signum: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise Terminated(signum)


def _interrupt(signum: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    """Tidy up at the first Ctrl-C; a second one does not wait for that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise Interrupted


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run, and turn every failure into one line (or a JSON object) and the exit status that tells
    its kind.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    _quieten_algebra()
    with guarded():
        status = _heeding(given)
    sys.exit(status)


def _heeding(given: list[str]) -> int:
    """The exit status of one command, which ends tidily on a signal."""
    try:
        return _heeded(given)
    except (Interrupted, Terminated) as stop:  # it came while the handlers were put back
        return _stopped(stop)


def _heeded(given: list[str]) -> int:
    before: dict[int, Any] = {}
    try:
        for signum, handler in _handlers().items():
            before[signum] = signal.signal(signum, handler)
        with _raised_again():
            return _run(given)
    except SystemExit as stop:
        # Click ends a broken pipe with 1, which would look like a gate that does not pass.
        return BROKEN_PIPE if stop.code == 1 else int(stop.code or 0)
    except (Interrupted, Terminated) as stop:
        return _stopped(stop)
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


@contextlib.contextmanager
def _raised_again() -> Iterator[None]:
    """Python shows and swallows what is raised in a destructor, or in the callback that ends an
    import. A stop that is raised there comes again by a timer.
    """
    usual, swallowed = sys.unraisablehook, list[BaseException]()

    def again(*_: object) -> NoReturn:
        raise swallowed[-1]

    def hook(ignored: sys.UnraisableHookArgs) -> None:
        if not isinstance(ignored.exc_value, Interrupted | Terminated):
            usual(ignored)
        elif hasattr(signal, "setitimer"):  # not on Windows
            swallowed.append(ignored.exc_value)
            signal.signal(signal.SIGALRM, again)
            signal.setitimer(signal.ITIMER_REAL, SOON_S)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        if swallowed:
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = usual


def _handlers() -> dict[int, Callable[[int, FrameType | None], NoReturn]]:
    """What somebody ignores stays ignored, as nohup has a closed terminal and a shell the Ctrl-C of
    what runs behind it.
    """
    handlers: dict[int, Callable[[int, FrameType | None], NoReturn]] = {signal.SIGTERM: _terminate}
    closed = getattr(signal, "SIGHUP", None)  # not on Windows
    if closed is not None and signal.getsignal(closed) is signal.SIG_DFL:
        handlers[closed] = _terminate
    if callable(signal.getsignal(signal.SIGINT)):
        handlers[signal.SIGINT] = _interrupt
    return handlers


def _quieten_algebra() -> None:
    """One thread for linear algebra, unless the user says otherwise.

    Nothing here is worth more, and where memory is short OpenBLAS tries for ever to start the
    others, or sends us the signal of Ctrl-C.
    """
    if not os.environ.keys() & {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"}:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.setdefault("MKL_NUM_THREADS", "1")


def _run(given: list[str]) -> int:
    """The exit status of one command."""
    try:
        return _answered(given)
    except (KeyboardInterrupt, click.Abort, Interrupted, Terminated) as stop:
        return _stopped(stop)


def _answered(given: list[str]) -> int:
    as_json = "--json" in given
    try:
        if user_limit() is not None:
            import scipy.special  # noqa: F401 (before data take the room: OpenBLAS that finds none tries for ever)
        status = cli.main(
            [word for word in given if word not in (DEBUG, NO_CONFIG)],
            prog_name="baserate",
            standalone_mode=False,
            obj=NO_CONFIG if NO_CONFIG in given else None,
        )
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.Abort:
        raise
    except BrokenPipeError:
        return BROKEN_PIPE  # whoever read our output has had enough
    except Exception as error:  # noqa: BLE001 (said in one line, whatever it is)
        if (stop := _stop_behind(error)) is not None:
            raise stop from None
        if DEBUG in given:  # the exit status is that of the failure all the same
            click.echo(traceback.format_exc(), err=True, nl=False)
        return _failed(*_explained(error), as_json=as_json and not isinstance(error, OutputError))
    return status if isinstance(status, int) else 0  # a gate has a verdict


def _stop_behind(error: BaseException | None) -> BaseException | None:
    """The stop of which another error was made: Python does so where a class is made."""
    while error is not None and not isinstance(error, Interrupted | Terminated):
        error = error.__cause__ or error.__context__
    return error


def _stopped(stop: BaseException) -> int:
    if isinstance(stop, Interrupted) and sys.stderr is not None and sys.stderr.isatty():
        click.echo(err=True)  # after the ^C
    click.echo("stopped", err=True)
    return stop.status if isinstance(stop, Terminated) else INTERRUPTED


# What people type for an option that has another name here.
FORMER_OPTIONS = {
    "--group": "--by",
    "--statistic": "--measure",
    "--measure": "--statistic",
    "--judge": "--test",
    "--holdout": "--test",
    "--target": "--label",
    "--pos-label": "--positive",
    "--model": "--score",
    "-l": "--label",
    "-s": "--score",
    "-p": "--prior",
    **dict.fromkeys(("--tp", "--fn", "--fp", "--tn"), "--table"),
}


def _misused(error: click.UsageError) -> InputError:
    """What is wrong with the line; of an option that is not there, what was probably meant."""
    path = error.ctx.command_path if error.ctx else "baserate"
    if not isinstance(error, click.NoSuchOption):
        text = escaped(error.format_message()).rstrip(".")
        return refuse("BR001", text, f"see {path} --help")
    if error.option_name == "--cluster":
        text = f"clusters are not supported by {path} yet"
        return refuse("BR001", text, "--cluster in show, slices, compare or gate")
    known = [
        flag.removeprefix("--")
        for option in (error.ctx.command.params if error.ctx else ())
        for flag in option.opts
        if flag.startswith("--")
    ]
    typed = error.option_name.removeprefix("--")
    near = [FORMER_OPTIONS.get(error.option_name, "--").removeprefix("--")]
    near += [flag for flag in known if typed and flag.startswith(typed)]
    near += difflib.get_close_matches(typed, known, n=1, cutoff=0.7)
    meant = next((flag for flag in near if flag in known), None)
    suggestion = f"; did you mean --{meant}?" if meant else ""
    text = f"there is no option {escaped(error.option_name)}{suggestion}"
    return refuse("BR001", text, f"see {path} --help")


def _explained(error: Exception) -> tuple[int, InputError]:
    """The exit status of a failure; what happened, and what to do about it."""
    if isinstance(error, InputError):
        return INFEASIBLE if isinstance(error, Infeasible) else INPUT, error
    if isinstance(error, click.UsageError):
        return INPUT, _misused(error)
    if isinstance(error, FileNotFoundError) and error.filename:
        text = f"there is no file or folder {escaped(str(error.filename))}"
        return INPUT, refuse("BR600", text, "check the path")
    if isinstance(error, OutputError):
        text = f"the answer cannot be written to standard output ({error.strerror})"
        return IO, refuse("BR700", text, "make room there, or write the answer elsewhere")
    if isinstance(error, OSError):
        where = f": {escaped(str(error.filename))}" if error.filename else ""
        fix = "check the file, its permissions and the space left"
        if error.errno in (errno.EMFILE, errno.ENFILE):
            fix = "allow more open files: ulimit -n 256"
        return IO, refuse("BR700", f"{error.strerror}{where}", fix)
    if isinstance(error, MemoryError) or _is_short(error):
        return IO, refuse("BR701", _short(), "count a smaller part, or on a larger machine")
    text = f"a bug in baserate: {type(error).__name__}: {escaped(str(error))}"
    return BUG, refuse("BR999", text, f"report it, with what {DEBUG} prints")


def _is_short(error: Exception) -> bool:
    """Whether a library could not be loaded for want of memory: the system's loader says so in its
    own words.
    """
    return isinstance(error, ImportError) and any(
        words in str(error) for words in ("failed to map", "annot allocate memory")
    )


def _short() -> str:
    limit = user_limit()
    return "there is not enough memory" + (
        "" if limit is None else f": that of a process is limited to {size(limit)} by ulimit"
    )


def _failed(status: int, error: InputError, *, as_json: bool) -> int:
    """The exit status of a failure, which is reported where that is possible: where no JSON can be
    written, on stderr.
    """
    from baserate.views import document

    try:
        if as_json:
            click.echo(json.dumps(document.of_errors(error)))
            return status
    except OSError:
        pass
    for problem in error.problems:
        click.echo(f"error {problem.line(on_command_line)}", err=True)
    return status
