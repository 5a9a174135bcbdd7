"""One way in: whatever a user names as a source is given to the reader that knows it, in a process
of its own if it may crash.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from itertools import accumulate, chain
from pathlib import Path
from typing import IO, Any, NamedTuple, Self, TypeVar

import numpy as np

from baserate.atomic import user_limit
from baserate.counts.cells import Array
from baserate.counts.counts import Counts
from baserate.errors import Fix, InputError, Note, Where, escaped, quoted, refuse, refuse_file, size
from baserate.read import json_lines, streams
from baserate.read.engine import CaseTable, open_texts
from baserate.read.quotas import CPU_S, Quotas, machine_memory
from baserate.read.sandbox import READY, Failed, Incoming, Untrue, field_of, raised, received
from baserate.read.saved import load
from baserate.read.streams import Limits
from baserate.read.table import WORDS, Ceiling, ColumnRoles, Table, in_table
from baserate.read.temporary import temporary_folder
from baserate.read.text import TextOptions
from baserate.read.treatments import Treatment

# ----------------------------------------------------------------------
# Reading in a process of its own: a file that crashes its reader, or fills the memory, ends that
# process and not ours.


# A process that lives for one file makes no garbage worth collecting.
START = """
import gc, json, sys
gc.disable()
line = sys.stdin.buffer.readline()
if not line.endswith(b"\\n"):  # whoever started us is gone
    import shutil
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    sys.exit(1)
request = json.loads(line)
sys.path[:] = request["path"]
from baserate.read.sandbox_child import main, say_ready
say_ready()
main(request)
"""
# What the reader may know of our surroundings: where libraries and temporary files lie, and how
# names are spelled. No secrets.
ENVIRONMENT = frozenset(
    {
        "PATH",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "SYSTEMROOT",
        "WINDIR",
        "TMPDIR",
        "TEMP",
        "TMP",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
    }
)
# A reader does no algebra: these threads would only take time and room.
SINGLE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
AGAIN = "the file is damaged or hostile: write it again"
SMALLER = "count a smaller part, or on a larger machine"
HIGHER = Fix(
    "more memory, or write it as Parquet, which is read in pieces",
    "a higher --memory, or write it as Parquet, read in pieces",
)
MOST_SAID, MOST_REASON = 2000, 200
PIPE = 1 << 20
GRACE_S = 10
# Under a lower ceiling DuckDB, which takes what it likes before it looks at its limit, may not live
# to read a text.
ROOMY = 10**9


def is_possible() -> bool:
    """Whether there is an interpreter to start: not inside of a program that only embeds Python,
    nor in a browser.
    """
    return (
        bool(sys.executable)
        and not getattr(sys, "frozen", False)
        and sys.platform not in ("emscripten", "wasi")
    )


def read_confined(source: str, shown: str, wanted: ColumnRoles, options: Options) -> list[Table]:
    """The tables of one source; errors are those that reading it here would raise, and one line
    where the reader does not survive it.
    """
    memory = (
        machine_memory()
        if options.ceiling.memory is None
        else min(machine_memory(), options.ceiling.memory // 2)
    )
    quotas, under = (
        Quotas(memory, written=options.limits.most + (1 << 24)),
        options.ceiling.memory is not None,
    )
    with listening(shown, _request(source, wanted, options), quotas, under=under) as reader:
        several = is_several(source)
        return received(reader.incoming, wanted.columns, several=several, as_sent=True)


class Listening(NamedTuple):
    """A reader with a request: what it answers, and the folder in which it leaves files."""

    incoming: Incoming
    folder: str


@contextlib.contextmanager
def listening(
    shown: str, request: dict[str, Any], quotas: Quotas, *, under: bool = False
) -> Iterator[Listening]:
    """A reader with a first request; it ends with the context. `under` says that its memory
    is what a ceiling leaves.
    """
    with temporary_folder() as folder, _started(shown, folder) as reader:
        try:
            incoming = Incoming(reader.answer, quotas.memory)
            if not reader.hears(
                request | {"path": _places_of_modules(), "folder": folder, "quotas": quotas},
                incoming,
            ):
                reader.end()
                raise _not_started(shown, reader.said())
            yield Listening(incoming, folder)
        except (EOFError, BrokenPipeError):
            raise _reader_failed(shown, reader.end()) from RuntimeError(reader.said())
        except MemoryError:
            there = "the ceiling leaves for reading it as a whole" if under else "there is"
            text = (
                f"needs more memory to be read than {there} ({size(quotas.memory)}); nothing was"
                " counted"
            )
            raise refuse_file(shown, "BR701", text, HIGHER if under else SMALLER) from None
        except Failed as error:
            text = f"the reader failed on this file ({quoted(str(error), quotes=False)})"
            raise _reader_failed(shown, text) from error
        except Untrue as error:
            raise refuse_file(
                shown,
                "BR707",
                f"the reader of this file gave a wrong answer ({error}); nothing was counted",
                AGAIN,
            ) from None


def _reader_failed(shown: str, text: str) -> InputError:
    """The refusal where a reader fails. A library that gets no memory crashes, or calls the file
    damaged, more often than it says so.
    """
    limit, text, fix = user_limit(), f"{text}; nothing was counted", AGAIN
    if limit is not None:
        text += f" (the memory of a process is limited to {size(limit)} by ulimit)"
        fix = f"raise that limit, or {SMALLER}"
    return refuse_file(shown, "BR707", text, fix)


def is_several(source: str) -> bool:
    """Whether a source may be several files: a folder or a pattern."""
    return os.path.isdir(source) or (  # noqa: PTH112
        glob.has_magic(source) and "::" not in source and not os.path.lexists(source)
    )


def _started(shown: str, folder: str) -> _Reader:
    try:
        return _Reader(folder)
    except OSError as error:
        if error.filename != sys.executable:
            raise
        raise _not_started(shown, str(error)) from error


def _not_started(shown: str, said: str) -> InputError:
    """What is wrong is the installation, and not the file, of which nothing was read."""
    last = (said.strip().splitlines() or ["it said nothing"])[-1]
    text = (
        f"the process that would read this file did not start ({escaped(last[:MOST_REASON])});"
        " nothing was counted"
    )
    fix = (
        f"run {quoted(sys.executable)} -c 'import baserate.read.sandbox_child': it has to be a"
        " Python that can do this"
    )
    return refuse_file(shown, "BR709", text, fix)


def _request(source: str, wanted: ColumnRoles, options: Options) -> dict[str, Any]:
    return {
        "source": source,
        "wanted": asdict(wanted),
        "asked": asdict(options.asked),
        "limits": asdict(options.limits),
        "spooled": options.spooled,
    }


def count_confined(
    sources: Sequence[str], wanted: ColumnRoles, options: Options
) -> dict[str, Counts]:
    """Return the counts of each score of sources that are one table, counted within a memory limit
    by a process of its own.
    """
    ceiling = options.ceiling
    request = {
        "sources": list(sources),
        "wanted": asdict(wanted),
        "asked": asdict(options.asked),
        "limits": asdict(options.limits),
        "treatment": asdict(options.treatment),
        "ceiling": {"memory": ceiling.memory, "thresholds": ceiling.thresholds},
    }
    with listening(sources[0], request, Quotas(machine_memory())) as reader:
        while "rows" in (said := raised(reader.incoming.json())):
            if ceiling.progress is not None:
                ceiling.progress(field_of(int, said, "rows"), field_of(int, said, "of"))
        counted = dict[str, Counts]()
        for place, name in enumerate(wanted.scores):
            counts = load(os.path.join(reader.folder, f"{place}.counts"))
            if not isinstance(counts, Counts):
                raise Untrue("other counts than were requested")
            counted[name] = counts
        return counted


def _places_of_modules() -> list[str]:
    """Modules are found where we find them: Python's own first, then the package and NumPy.

    Never in the working folder, by whatever name: data lie there, and a `numpy.py` beside them is
    none of ours.
    """
    try:
        here = os.path.realpath(os.getcwd())  # noqa: PTH109
    except OSError:  # it is gone
        here = ""
    standard = Path(os.__file__).parent
    first = (
        standard,
        standard / "lib-dynload",
        Path(__file__).parents[2],
        Path(np.__file__).parents[1],
    )
    others = (
        place
        for place in sys.path
        if isinstance(place, str) and Path(place).is_absolute() and os.path.realpath(place) != here
    )
    return list(dict.fromkeys((*filter(os.path.isabs, map(str, first)), *others)))


def _plain(value: Any) -> Any:
    """A value that JSON does not know, such as a number of NumPy."""
    return value.item() if hasattr(value, "item") else str(value)


def command() -> list[str]:
    """A fresh interpreter that takes nothing from the user's surroundings."""
    flags = (["-X", "utf8"] if sys.flags.utf8_mode else []) + (
        ["-B"] if sys.dont_write_bytecode else []
    )
    return [sys.executable, "-I", *flags, "-c", START]


class _Reader:
    """The process, in a session of its own: a Ctrl-C reaches us alone, and we end it, as we do in
    any case.
    """

    def __init__(self, folder: str) -> None:
        self.errors = os.path.join(folder, "errors")
        surroundings = {
            name: value for name, value in os.environ.items() if name.upper() in ENVIRONMENT
        } | SINGLE
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(  # noqa: S603 (ourselves)
                [*command(), folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=surroundings,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self.process.wait()

    @property
    def answer(self) -> IO[bytes]:
        assert self.process.stdout is not None
        with contextlib.suppress(
            ImportError, AttributeError, OSError
        ):  # a larger pipe takes fewer turns, where the system has one
            import fcntl

            fcntl.fcntl(self.process.stdout, fcntl.F_SETPIPE_SZ, PIPE)
        return self.process.stdout

    def hears(self, request: dict[str, Any], incoming: Incoming) -> bool:
        """Whether it is running. Our end of its input stays open: when it closes, with
        us, the reader ends.
        """
        try:
            self.ask(request)
            return bool(incoming.json() == READY)
        except (EOFError, BrokenPipeError, Untrue):
            return False

    def ask(self, request: dict[str, Any]) -> None:
        """Send a line. What hears it at the other end waits for nothing else, so that this does not
        wait either.
        """
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request, default=_plain).encode("ascii") + b"\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """How it ended, where it gave no whole answer."""
        self._let_end()
        self._kill()
        status = self.process.wait()
        if status >= 0:
            return f"the reader of this file ended early (status {status})"
        if -status == getattr(signal, "SIGXCPU", None):
            return f"the reader of this file took more than {CPU_S // 3600} hours of processor time"
        name = next((each.name for each in signal.Signals if each == -status), f"signal {-status}")
        out_of_memory = "; out of memory?" if name == "SIGKILL" else ""
        return f"the reader crashed on this file ({name}{out_of_memory})"

    def said(self) -> str:
        """The end of what it wrote to its standard error."""
        with open(self.errors, "rb") as errors:
            errors.seek(max(os.fstat(errors.fileno()).st_size - MOST_SAID, 0))
            return errors.read(MOST_SAID).decode("utf-8", "replace")

    def _let_end(self) -> None:
        """Wait a while for it to end. Where that is possible it keeps its number, so that this
        still names its group, and no other.
        """
        if not hasattr(os, "waitid"):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(GRACE_S)
            return
        end = time.monotonic() + GRACE_S
        while (
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            and time.monotonic() < end
        ):
            time.sleep(0.01)

    def _kill(self) -> None:
        """The whole group: whatever the reader started ends too."""
        if self.process.returncode is not None:  # its number may be another's by now
            return
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()


# ----------------------------------------------------------------------
# One way in: whatever a user names as a source is looked at, and given to the reader that knows it.


SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
# The first :: that is no part of an address such as [::1]; what follows is a table or a query,
# which may hold more of them.
PARTS = re.compile(r"((?:\[[^\]]*\]|[^\[\]])*?)::(.*)", re.DOTALL)
REMOTE = frozenset(
    {
        "http",
        "https",
        "ftp",
        "sftp",
        "s3",
        "s3a",
        "gs",
        "gcs",
        "az",
        "abfs",
        "abfss",
        "hdfs",
        "hf",
        "r2",
        "ssh",
    }
)
WILD = re.compile(r"[*?\[]")
DATA = (".csv", ".tsv", ".txt", ".parquet", ".parq", ".pq", ".jsonl", ".ndjson")
PARQUET = (".parquet", ".parq", ".pq")
SEVERAL = ("columns", "negative")
T = TypeVar("T")
NATIVE = {kind for kind, one in streams.FORMATS.items() if one.native} | {*streams.COMPRESSED}


class Options(NamedTuple):
    """Options for reading, apart from which column is what."""

    asked: TextOptions = TextOptions()
    limits: Limits = Limits()
    treatment: Treatment = Treatment()
    ceiling: Ceiling = Ceiling()
    spooled: str | None = None  # the file that standard input was put into

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """From keywords; one that no reader has is an error of the programmer's."""
        text, odd = ({field.name for field in fields(kind)} for kind in (TextOptions, Treatment))
        known = text | odd | {"max_bytes", *WORDS}
        unknown = sorted(given.keys() - known)
        if unknown:
            raise TypeError(f"unknown option {unknown[0]!r}; there are {', '.join(sorted(known))}")
        said: dict[str, Any] = {
            name: tuple(value) if name in SEVERAL else value for name, value in given.items()
        }
        most = given.get("max_bytes")
        if most is not None and (not isinstance(most, int) or most < 1):
            raise refuse(
                "BR612",
                f"a limit is a number of bytes, got {quoted(most)}",
                Fix.option("max_bytes", Limits.most),
            )
        asked = TextOptions(**{name: said[name] for name in said.keys() & text}).checked()
        treatment = Treatment(**{name: said[name] for name in said.keys() & odd}).checked()
        # Whoever names a limit means it: then there is none on the ratio.
        return cls(
            asked,
            Limits() if most is None else Limits(most, free=most),
            treatment,
            Ceiling.of(given),
        )


def said_of(options: Options) -> dict[str, Any]:
    """The options given, by name."""
    parts: tuple[Any, ...] = (options.asked, options.treatment)
    return {
        field.name: getattr(part, field.name)
        for part in parts
        for field in fields(part)
        if getattr(part, field.name) != field.default
    }


def read(source: str, wanted: ColumnRoles, **options: Any) -> Table:
    """The requested columns of one source: a file, a folder or pattern of files, a table or query
    of a database.
    """
    return together(source, parts_of(source, wanted, Options.of(options)))


def parts_of(source: str | os.PathLike[str], wanted: ColumnRoles, options: Options) -> list[Table]:
    """The tables of one source: one, except for a folder or pattern of files. What may hurt is read
    in a process of its own.
    """
    return [table.spread() for table in parts_as_sent(source, wanted, options)]


def parts_as_sent(
    source: str | os.PathLike[str], wanted: ColumnRoles, options: Options
) -> list[Table]:
    """The same, where columns may be runs and codes of which no rows were made yet."""
    source = os.fspath(source)
    if source in streams.STDIN and options.spooled is None:
        with streams.spooled(options.limits) as path:
            return parts_as_sent(source, wanted, options._replace(spooled=path))
    if not is_confined(source, options):
        return parts_here(source, wanted, options)

    if is_possible():
        split = None if os.path.lexists(source) else PARTS.fullmatch(source)
        return read_confined(source, split[1] if split else source, wanted, options)
    first, *others = parts_here(source, wanted, options)
    note = Note(
        "BR709",
        "this Python cannot start another one: the file was read without limits on memory and time",
    )
    return [replace(first, notes=(*first.notes, note)), *others]


def is_confined(source: str, options: Options) -> bool:
    """Whether a source is read in a process of its own: what lies in files and is not short plain
    text. Servers were chosen by the user.
    """
    if SCHEME.match(source):
        return False
    if source in streams.STDIN:
        return _may_hurt(options.spooled or "")
    if os.path.isdir(source):  # noqa: PTH112
        data = data_files_of(source)
        return not data or any(map(_may_hurt, data))
    if os.path.lexists(source):
        return _may_hurt(source)
    split = PARTS.fullmatch(source)
    return (
        os.path.isfile(split[1])  # noqa: PTH113
        if split
        else any(map(_may_hurt, glob.iglob(source, recursive=True)))  # noqa: PTH207
    )


def _may_hurt(path: str) -> bool:
    """Whether a file is read by a library that may crash. What cannot be read at all is refused
    here.
    """
    if not os.path.isfile(path):  # noqa: PTH113
        return False
    return streams.file_kind(_head(path), path) in NATIVE or is_narrow()


def parts_here(source: str, wanted: ColumnRoles, options: Options) -> list[Table]:
    """The same in this process."""
    if SCHEME.match(source):
        return [_from_url(source, wanted, options)]
    if source not in streams.STDIN and not os.path.lexists(source):
        split = PARTS.fullmatch(source)
        if split:
            return [_from_database(split[1], split[2], wanted, options)]
        if WILD.search(source):
            return _several(source, sorted(glob.glob(source, recursive=True)), wanted, options)  # noqa: PTH207
    if os.path.isdir(source):  # noqa: PTH112
        return _from_folder(source, wanted, options)
    return [_from_file(source, wanted, options)]


def files_of(source: str) -> list[str]:
    """The files that a source lies in, so that none of them is written over."""
    if SCHEME.match(source):
        return []
    if not os.path.lexists(source):
        split = PARTS.fullmatch(source)
        return [split[1]] if split else glob.glob(source, recursive=True)  # noqa: PTH207
    if os.path.isdir(source):  # noqa: PTH112
        return [
            os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names
        ]
    return [source]


def shown_source(source: str) -> str:
    """What a message may say of a source: of an address no password, and not the query."""
    if not SCHEME.match(source):
        return source
    split = PARTS.fullmatch(source)
    from baserate.read.databases import shown_anyhow

    return shown_anyhow(split[1] if split else source)


def _from_url(url: str, wanted: ColumnRoles, options: Options) -> Table:
    from baserate.read.databases import check_url, read_alchemy

    scheme = url.partition("://")[0].casefold()
    split = PARTS.fullmatch(url)
    shown = shown_source(url)
    if scheme in REMOTE:
        raise refuse_file(shown, "BR708", "remote files are not read", "download it first")
    if scheme == "file":
        raise refuse_file(
            shown, "BR708", "is the address of a local file", "write its path instead"
        )
    check_url(split[1] if split else url)
    check_unused(shown, "a database", options)
    if not split:
        raise refuse_file(
            shown, "BR717", "which table?", f"write {shown}::TABLE, or ::SELECT … for a query"
        )
    return read_alchemy(split[1], split[2], wanted)


def _from_database(path: str, asked: str, wanted: ColumnRoles, options: Options) -> Table:
    streams.checked_regular(path)
    kind = streams.file_kind(_head(path), path)
    if kind not in ("SQLite", "DuckDB"):
        raise refuse_file(
            path,
            "BR717",
            f"is not a database with tables (it is {kind})",
            "leave out :: and what follows it",
        )
    check_unused(path, "a database", options)
    if kind == "SQLite":
        from baserate.read.databases import read_sqlite

        return read_sqlite(path, asked, wanted)
    from baserate.read.duckdb import read_duckdb

    return read_duckdb(path, asked, wanted)


def _from_folder(folder: str, wanted: ColumnRoles, options: Options) -> list[Table]:
    """The data files of a folder. Parquet may lie in folders within, whose names are columns: its
    reader knows that.
    """
    data = data_files_of(folder)
    if not data or all(path.casefold().endswith(PARQUET) for path in data):
        if not data and not has_folders(folder):
            text = "is not a regular file, but a folder without data files"
            raise refuse_file(folder, "BR615", text, "give a file, or a folder of CSV or Parquet")
        from baserate.read.parquet import read_parquet

        return [read_parquet(folder, wanted)]
    return _several(folder, data, wanted, options)


def data_files_of(folder: str) -> list[str]:
    """The files that lie in a folder and are named like data."""
    with os.scandir(folder) as entries:
        files = sorted(
            entry.path
            for entry in entries
            if entry.is_file() and not entry.name.startswith((".", "_"))
        )
    return [
        path
        for path in files
        if path.casefold().endswith(DATA) or streams.name_of(path).ending in DATA
    ]


def has_folders(folder: str) -> bool:
    """Whether there are folders in a folder."""
    with os.scandir(folder) as entries:
        return any(entry.is_dir() for entry in entries)


def _several(
    source: str, paths: Sequence[str], wanted: ColumnRoles, options: Options
) -> list[Table]:
    """Files of one table, in the order of their names."""
    if not paths:
        raise refuse_file(
            source,
            "BR600",
            "no file matches",
            "check the pattern; quote it, so that the shell does not expand it",
        )
    return of_one_table(paths, lambda path: _from_file(path, wanted, options).spread())


def of_one_table(paths: Sequence[str], read: Callable[[str], T]) -> list[T]:
    """What is read of each; a file that lacks a column which the first one has is none of
    theirs.
    """
    found: list[T] = []
    for path in paths:
        try:
            found.append(read(path))
        except InputError as error:
            if not found or error.code != "BR613":
                raise
            text = f"{error.problems[0].text}, while {escaped(paths[0])} has every requested column"
            raise refuse_file(path, "BR704", text, "give files of one table") from None
    return found


def _from_file(path: str, wanted: ColumnRoles, options: Options) -> Table:
    """One file. Binary formats that lie on the disk are read there; what is piped or packed goes
    through a plain copy.
    """
    if path not in streams.STDIN:
        streams.checked_regular(path)
        head = _head(path)
        streams.check_readable(head, path)
        kind = streams.file_kind(head, path)
        if kind not in (streams.TEXT, "JSON", *streams.COMPRESSED):
            return _binary(path, kind, path, wanted, options)
    with streams.opened(path, options.limits, options.spooled) as plain:
        if plain.kind in OPENERS:
            with OPENERS[plain.kind]([plain], wanted, options.asked.checked()) as cases:
                return replace(cases.parts[0], columns=cases.columns())
        try:
            table = _binary(plain.path, plain.kind, plain.shown, wanted, options)
        except InputError as error:
            raise error.moved(lambda where: replace(where, path=plain.shown)) from None
    return replace(
        table,
        path=path,
        sha256=plain.sha256,
        place=in_table(path),
        notes=(*plain.notes, *table.notes),
    )


def _binary(path: str, kind: str, shown: str, wanted: ColumnRoles, options: Options) -> Table:
    check_unused(shown, kind, options)
    if kind in ("SQLite", "DuckDB"):
        raise refuse_file(
            shown,
            "BR717",
            f"is a {kind} database: which table?",
            f"write {escaped(shown)}::TABLE, or ::SELECT … for a query",
        )
    if kind == "counts":
        raise refuse_file(
            shown,
            "BR610",
            "holds counts, not cases",
            Fix("baserate.load(path)", "count the cases that it was made from"),
        )
    module, _, name = streams.FORMATS[kind].reader.partition(":")
    read: Callable[[str, ColumnRoles], Table] = getattr(
        import_module(f"baserate.read.{module}"), name
    )
    return read(path, wanted)


def check_unused(shown: str, kind: str, options: Options) -> None:
    """No option is ignored silently."""
    unused = options.asked.given
    if unused:
        raise refuse_file(
            shown,
            "BR612",
            f"{unused[0].replace('_', ' ')} applies to a text file, and this is {kind}",
            f"leave {unused[0]} out",
        )


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(streams.HEAD)


@dataclass(frozen=True)
class _Places:
    """From positions in all rows to the file that has the first of them; the other files' rows are
    in the total.
    """

    tables: Sequence[Table]
    begins: Sequence[int]

    def __call__(self, where: Where) -> Where:
        if where.path:
            return where  # moved before
        file = bisect_right(self.begins, where.rows[0]) - 1 if where.rows else 0
        end = self.begins[file + 1] if file + 1 < len(self.begins) else None
        rows = tuple(row - self.begins[file] for row in where.rows if end is None or row < end)
        return self.tables[file].place(replace(where, rows=rows))


def together(source: str, tables: Sequence[Table]) -> Table:
    """One table from several."""
    if len(tables) == 1:
        return tables[0]
    columns = {
        name: _joined([table.columns[name] for table in tables]) for name in tables[0].columns
    }
    begins = (0, *accumulate(table.rows - table.refused for table in tables[:-1]))
    rows, refused = sum(table.rows for table in tables), sum(table.refused for table in tables)
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    return Table(source, columns, rows, refused, "", _Places(tables, begins), notes)


def _joined(columns: Sequence[Any]) -> Any:
    """One column from several; numbers beside text are text too, as the files would have them, and
    none is rounded.
    """
    arrays = [np.asarray(column) for column in columns]
    types = {array.dtype for array in arrays}
    if len(types) == 1:
        return np.concatenate(arrays)
    has_text = any(
        array.dtype == object and any(isinstance(value, str) for value in array) for array in arrays
    )
    return np.concatenate(
        [
            _spelled(array) if has_text and array.dtype.kind in "biuf" else array.astype(object)
            for array in arrays
        ]
    )


def _spelled(array: Array) -> Array:
    values = np.empty(len(array), dtype=object)
    values[:] = [
        repr(value) if isinstance(value, float) else str(int(value)) for value in array.tolist()
    ]
    return values


# ----------------------------------------------------------------------
# Sources that become one table of DuckDB's.


OPENERS: dict[str, Callable[..., AbstractContextManager[CaseTable]]] = {
    streams.TEXT: open_texts,
    "JSON": json_lines.open_json,
}


def is_narrow() -> bool:
    """Whether the memory of a process is so limited that DuckDB may crash where it finds no
    room.
    """
    return (user_limit() or ROOMY) < ROOMY


@contextlib.contextmanager
def text_cases(
    sources: Sequence[str], wanted: ColumnRoles, options: Options
) -> Iterator[CaseTable | None]:
    """Give the cases of text; None where a source is anything else."""
    files = [] if is_narrow() else [text_files_of(source) for source in sources]
    with contextlib.ExitStack() as stack:
        plains = list[streams.Plain]()
        for path in chain.from_iterable(files) if all(files) else ():
            plain = stack.enter_context(streams.opened(path, options.limits, options.spooled))
            plains.append(plain)
        kinds = {plain.kind for plain in plains}
        if len(kinds) != 1 or not kinds <= OPENERS.keys():
            yield None
            return
        opener, asked = OPENERS[kinds.pop()], options.asked.checked()
        yield stack.enter_context(opener(plains, wanted, asked, options.ceiling.memory))


def text_files_of(source: str) -> list[str]:
    """Return the files of a source where they may be delimited text."""
    if source in streams.STDIN:
        return [source]
    found = paths_of(source)
    return found if all(map(_may_be_text, found)) else []


def paths_of(source: str) -> list[str]:
    """Return the files that a source names: one, those of a folder, or those of a pattern."""
    if SCHEME.match(source):
        return []
    if os.path.isdir(source):  # noqa: PTH112
        return data_files_of(source)
    if os.path.lexists(source):
        return [source]
    if WILD.search(source) and not PARTS.fullmatch(source):
        return sorted(glob.glob(source, recursive=True))  # noqa: PTH207
    return []


def parquet_sources(source: str) -> list[str]:
    """Return the Parquet files of a source, or the folder that holds them; none where it holds
    anything else.
    """
    found = [] if source in streams.STDIN else paths_of(source)
    if os.path.isdir(source):  # noqa: PTH112
        is_parquet = all(path.casefold().endswith(PARQUET) for path in found)
        return [source] if is_parquet and (found or has_folders(source)) else []
    return found if all(_is_parquet(path) for path in found) else []


def _is_parquet(path: str) -> bool:
    return os.path.isfile(path) and streams.file_kind(_head(path), path) == "Parquet"  # noqa: PTH113


def _may_be_text(path: str) -> bool:
    if not os.path.isfile(path):  # noqa: PTH113
        return False
    return streams.file_kind(_head(path), path) in (*OPENERS, *streams.COMPRESSED)
