"""The terminal at hand: answers folded to its width on stdout, and how far a long run has got on
stderr, whatever becomes of these streams.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import click

from baserate.atomic import Grid, Page, fit_to_width
from baserate.errors import grouped

PATIENCE = 1.0  # seconds before anything is said
OFTEN = 0.5  # seconds between two lines
ERASE = "\r\x1b[K"
WIDEST = 80
# Signs of comparison, for an encoding that lacks them.
PLAIN = str.maketrans({"≥": ">=", "≤": "<="})


class OutputError(OSError):
    """Standard output does not take the answer: it is closed, or its disk is full."""


class _Closed(io.RawIOBase):
    """A standard output that was closed before the process began."""

    def writable(self) -> bool:
        return True

    def write(self, _: Any) -> int | None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


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
    if stream is None and vital:
        return io.TextIOWrapper(io.BufferedWriter(_End(_Closed(), vital=True)), "utf-8")
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
    if not _shows("≥"):
        texts = tuple(map(_plain, texts))
    click.echo(
        "\n\n".join(text if width is None else fit_to_width(text, width) for text in texts if text)
    )


def _plain(text: str) -> str:
    """Text, or a table, with comparisons in the signs of ASCII."""
    if isinstance(text, Page):
        return Page(*map(_plain, text.blocks))
    if isinstance(text, Grid):
        return Grid(
            [_plain(cell) for cell in text.headings],
            [[_plain(cell) for cell in row] for row in text.rows],
            text.left,
        )
    return text.translate(PLAIN)


def _shows(sign: str) -> bool:
    """Whether the encoding of standard output has a sign."""
    try:
        sign.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def drawing(panel: Callable[[], Any]) -> str:
    """A panel in the signs that the terminal can show; nothing where the answer goes into a file or
    a pipe.
    """
    width = _width()
    if width is None:
        return ""
    return str(panel().text(width) if _shows("\u2800") else panel().text(width, ascii_only=True))


def _width() -> int | None:
    """The columns of the terminal; None where the answer goes into a file or a pipe, which have no
    width.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size((WIDEST, 24)).columns or WIDEST


class _Line:
    """One line on stderr that can be written over, gone at the end: after a second, on a terminal
    that can take it away again.
    """

    def __init__(self, what: str) -> None:
        from time import monotonic

        self.what, self.clock = what, monotonic
        self.started: float = self.clock()
        self.shown = 0.0
        self.visible = is_watched()

    def show(self, text: str) -> None:
        """Write over the line; what is wider than the terminal is cut."""
        columns = shutil.get_terminal_size((WIDEST, 24)).columns or WIDEST
        click.echo(f"{ERASE}{text[: columns - 1]}", nl=False, err=True)
        self.shown = self.clock()

    def close(self) -> None:
        """Take the line away."""
        if self.shown:
            click.echo(ERASE, nl=False, err=True)
            self.shown = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Progress(_Line):
    """How far a run has got, with the rate and the time left."""

    first: tuple[int, float] | None = None

    def __call__(self, done: int, total: int) -> None:
        now = self.clock()
        if not self.visible or now - max(self.started + PATIENCE, self.shown + OFTEN) < 0:
            return
        if self.first is None or done < self.first[0]:  # at first, and from the beginning again
            self.first = done, now
        gone, seconds = done - self.first[0], now - self.first[1]
        rate = gone / seconds if gone and seconds else 0
        speed = f", {grouped(round(rate))} a second" if rate else ""
        left = f", {_clock_time((total - done) / rate)} left" if rate else ""
        self.show(f"{self.what}: {grouped(done)} of {grouped(total)}{speed}{left}")


class Waiting(_Line):
    """What is being waited for, and for how long already, where how much is left cannot be known:
    reading, for one.
    """

    def __enter__(self) -> Self:
        from threading import Event, Thread

        self.over = Event()
        self.teller = Thread(target=self._tell, daemon=True)
        if self.visible:
            self.teller.start()
        return self

    def _tell(self) -> None:
        pause = PATIENCE
        while not self.over.wait(pause):
            self.show(f"{self.what}: {_clock_time(self.clock() - self.started)}")
            pause = OFTEN

    def close(self) -> None:
        """Say no more, and take the line away."""
        self.over.set()
        if self.teller.ident is not None:
            self.teller.join()
        super().close()


def _clock_time(seconds: float) -> str:
    """Seconds as a clock shows them: 0:07, 1:02:03."""
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"


def is_watched() -> bool:
    """Whether somebody looks at stderr, on a terminal that can take a line away again."""
    return bool(sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")
