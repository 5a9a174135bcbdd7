"""The terminal at hand: answers folded to its width on stdout, and how far a long run has got on
stderr, whatever becomes of these streams.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import click

from baserate.atomic import fitted
from baserate.errors import grouped

PATIENCE = 1.0  # seconds before anything is said
WIDEST = 80


class OutputError(OSError):
    """Standard output does not take the answer: its disk is full, say."""


class _End(io.RawIOBase):
    """Where a standard stream ends. After a failure nothing more goes there, so that none is met
    again when the process ends.
    """

    def __init__(self, raw: Any, *, vital: bool) -> None:
        super().__init__()
        self.raw, self.vital, self.lost = raw, vital, False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self.raw.fileno())

    def isatty(self) -> bool:
        return bool(self.raw.isatty())

    def write(self, data: Any) -> int | None:
        """Notes that nobody can be told change no verdict; an answer that is lost is a failure."""
        if not self.lost:
            try:
                return self.raw.write(data)  # type: ignore[no-any-return]
            except OSError as error:
                self.lost = True
                if self.vital and isinstance(error, BrokenPipeError):
                    raise
                if self.vital:
                    raise OutputError(error.errno, error.strerror) from None
        return len(data)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Standard output that fails once, as `OutputError`, and standard error that never does; what
    an encoding lacks is shown as "?".
    """
    with (
        contextlib.redirect_stdout(_guarded(sys.stdout, vital=True)),
        contextlib.redirect_stderr(_guarded(sys.stderr, vital=False)),
    ):
        yield


def _guarded(stream: Any, *, vital: bool) -> Any:
    """The stream, on an end of our own where it is the system's; one that somebody put there is
    theirs to look after.
    """
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    theirs: Any = sys.__stdout__ if vital else sys.__stderr__
    if stream is not theirs or not isinstance(raw, io.RawIOBase):
        return stream
    end = io.BufferedWriter(_End(raw, vital=vital))
    return io.TextIOWrapper(
        end,
        stream.encoding,
        "replace",
        line_buffering=stream.line_buffering,
        write_through=not vital,
    )


def tell(*texts: str) -> None:
    """Paragraphs and tables of the answer, a blank line between them."""
    width = _width()
    click.echo(
        "\n\n".join(text if width is None else fitted(text, width) for text in texts if text)
    )


def drawing(panel: Callable[[], Any]) -> str:
    """A panel in the signs that the terminal can show; nothing where the answer goes into a file or
    a pipe.
    """
    width = _width()
    if width is None:
        return ""
    try:
        "\u2800".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return str(panel().text(width, ascii_only=True))
    return str(panel().text(width))


def _width() -> int | None:
    """The columns of the terminal; None where the answer goes into a file or a pipe, which have no
    width.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size((WIDEST, 24)).columns or WIDEST


class Progress:
    """A bar on stderr with the rate and the time left, gone at the end: after a second, on a
    terminal that can show it.
    """

    def __init__(self, what: str) -> None:
        import time

        self.what, self.clock, self.bar = what, time.monotonic, None
        self.started: float = self.clock()
        self.shown: Any = None
        self.visible = is_watched()

    def __call__(self, done: int, total: int) -> None:
        if not self.visible or self.clock() - self.started < PATIENCE:
            return
        now = self.clock()
        if self.shown is None:
            self.shown, self.first = _bar(self.what), (done, now)
            self.task = self.shown.add_task(self.what, total=total, rate="")
            self.shown.start()
        elif done < self.first[0]:  # from the beginning again
            self.first = (done, now)
        gone, seconds = done - self.first[0], now - self.first[1]
        self.shown.update(
            self.task,
            completed=done,
            total=total,
            rate=f"{grouped(round(gone / seconds))} a second" if gone and seconds else "",
        )

    def close(self) -> None:
        """Take the bar away."""
        if self.shown is not None:
            self.shown.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Waiting:
    """Says what is being waited for, and for how long already, where how much is left cannot be
    known: reading, for one.
    """

    def __init__(self, what: str) -> None:
        from threading import Timer

        self.what = what
        self.shown: Any = None
        self.timer = Timer(PATIENCE, self._show)
        self.timer.daemon = True

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        bar = Progress(
            TextColumn(self.what, markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task(self.what, total=None)
        bar.start()
        self.shown = bar

    def __enter__(self) -> Self:
        if is_watched():
            self.timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.timer.cancel()
        if self.timer.ident is not None:
            self.timer.join()
        if self.shown is not None:
            self.shown.stop()


def is_watched() -> bool:
    """Whether somebody looks at stderr, on a terminal that can take a line away again."""
    return bool(sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")


def _bar(what: str) -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    rate = TextColumn("{task.fields[rate]}")
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        rate,
        TimeRemainingColumn(compact=True),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
