"""The records of a text file, counted from its bytes by RFC 4180 alone: what every reader's number of rows is held against."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

CHUNK = 1 << 22
NEWLINE, RETURN, QUOTE, NUL = 10, 13, 34, 0

Bytes = npt.NDArray[np.uint8]


@dataclass
class Facts:
    """What the bytes of a text file are like, from one pass."""

    size: int = 0
    newlines: int = 0
    returns: int = 0
    pairs: int = 0  # a return and a newline together
    quotes: int = 0
    ascii: bool = True
    nul: int | None = None  # offset of the first one
    nuls: int = 0
    not_utf8: int | None = None  # offset of the first byte that is not
    long: bool = False  # a whole chunk without an end of line

    @property
    def lines(self) -> int:
        """Ends of lines: a return and a newline together end one."""
        return self.newlines + self.returns - self.pairs

    @property
    def even(self) -> bool:
        """Every line ends in the same way, and not in a return alone."""
        return self.returns == self.pairs and self.pairs in (0, self.newlines)


def facts_of(path: str) -> Facts:
    """One pass over the bytes."""
    facts, decoder, ended = Facts(), _Decoder(), False
    for chunk in chunks(path):
        values = np.frombuffer(chunk, dtype=np.uint8)
        returns = chunk.count(b"\r")
        newlines = int(np.count_nonzero(values == NEWLINE))
        facts.pairs += (chunk.count(b"\r\n") if returns else 0) + (ended and chunk[:1] == b"\n")
        ended = chunk.endswith(b"\r")
        facts.newlines, facts.returns = facts.newlines + newlines, facts.returns + returns
        facts.quotes += chunk.count(b'"')
        facts.long |= len(chunk) == CHUNK and not newlines and not returns
        if b"\0" in chunk:
            facts.nul = facts.size + chunk.index(b"\0") if facts.nul is None else facts.nul
            facts.nuls += chunk.count(b"\0")
        facts.ascii &= chunk.isascii()
        if not facts.ascii and facts.not_utf8 is None:
            facts.not_utf8 = decoder.wrong_at(chunk, facts.size)
        facts.size += len(chunk)
    if not facts.ascii and facts.not_utf8 is None:
        facts.not_utf8 = decoder.wrong_at(b"", facts.size, final=True)
    return facts


class _Decoder:
    """UTF-8 checked piece by piece."""

    def __init__(self) -> None:
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def wrong_at(self, chunk: bytes, offset: int, *, final: bool = False) -> int | None:
        """The offset in the file of the first byte that is not UTF-8; None where all is well so far."""
        waiting = len(self.decoder.getstate()[0])
        try:
            self.decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            return offset - waiting + error.start
        return None


def chunks(path: str, start: int = 0) -> Iterator[bytes]:
    """A file in large pieces."""
    with open(path, "rb") as file:
        file.seek(start)
        while chunk := file.read(CHUNK):
            yield chunk


class Records(NamedTuple):
    """How many records there are, blank ones at the end left out; whether quotes stand where RFC 4180 puts them; ends of lines within."""

    number: int
    well_formed: bool
    spanning: int


def count_records(path: str, facts: Facts, delimiter: str, skip: int = 0) -> Records:
    """The records of a file in which lines end evenly; `skip` of its lines are no records."""
    if not facts.quotes:
        return Records(facts.lines + _unended(path) - _blank_end(path) - skip, well_formed=True, spanning=0)
    counter = _Counter(ord(delimiter))
    for chunk in chunks(path):
        counter.take(np.frombuffer(chunk, dtype=np.uint8))
    well_formed = counter.well_formed and not counter.inside
    return Records(counter.ends + _unended(path) - _blank_end(path) - skip, well_formed, facts.lines - counter.ends)


class _Counter:
    """Which ends of lines lie outside of quotes, and does every quote open or close a whole field, or stand for one within?"""

    def __init__(self, delimiter: int) -> None:
        self.inside, self.ends, self.well_formed = False, 0, True
        self.last, self.last_closed = NEWLINE, False  # the file begins as a line does
        self.borders = np.zeros(256, dtype=np.bool_)
        self.borders[[delimiter, NEWLINE, RETURN, QUOTE]] = True

    def take(self, values: Bytes) -> None:
        quotes = values == QUOTE
        # After each byte: are we inside of quotes?
        inside = np.bitwise_xor.accumulate(quotes.view(np.uint8)).view(np.bool_) ^ self.inside
        self.ends += int(np.count_nonzero((values == NEWLINE) & ~inside))
        before = np.concatenate((np.array([self.last], dtype=np.uint8), values[:-1]))
        closed = quotes & ~inside
        closed_before = np.concatenate(([self.last_closed], closed[:-1]))
        strays = (quotes & inside & ~self.borders[before]) | (closed_before & ~self.borders[values])
        self.well_formed &= not strays.any()
        self.inside, self.last, self.last_closed = bool(inside[-1]), int(values[-1]), bool(closed[-1])


def _unended(path: str) -> int:
    """1 where the last line has no end of its own."""
    return int(_tail(path, 1) not in (b"\n", b"\r", b""))


def _blank_end(path: str) -> int:
    """How many blank lines stand at the end."""
    length, size = 64, os.path.getsize(path)  # noqa: PTH202
    while True:
        tail = _tail(path, length)
        blank = tail[len(tail.rstrip(b"\r\n")) :]
        if len(blank) < len(tail) or length >= size:
            ends = blank.count(b"\n") + blank.count(b"\r") - blank.count(b"\r\n")
            return max(ends - 1, 0) if len(blank) < size else ends
        length *= 16


def _tail(path: str, length: int) -> bytes:
    with open(path, "rb") as file:
        file.seek(max(os.fstat(file.fileno()).st_size - length, 0))
        return file.read(length)


def lines_in(path: str, facts: Facts) -> int:
    """How many lines there are, blank ones at the end left out: the number of the last."""
    return facts.lines + _unended(path) - _blank_end(path)


def last_line(path: str, most: int = 1 << 16) -> str:
    """The last line that is not blank, as far as the last 64 kB hold it."""
    lines = _tail(path, most).rstrip(b"\r\n").replace(b"\r", b"\n").split(b"\n")
    return lines[-1].decode("utf-8", "replace") if len(lines) > 1 else ""


def line_at(path: str, offset: int) -> tuple[int, int]:
    """The line (from 1) of a byte, and its place in that line (from 1)."""
    line, begins, at, ended = 1, 0, 0, False
    for chunk in chunks(path):
        part: Any = chunk[: offset - at]
        if ended and part[:1] == b"\n":
            line -= 1  # the other half of an end of line that was counted
        line += part.count(b"\n") + part.count(b"\r") - part.count(b"\r\n")
        last = max(part.rfind(b"\n"), part.rfind(b"\r"))
        begins = at + last + 1 if last >= 0 else begins
        ended = part.endswith(b"\r")
        at += len(chunk)
        if at >= offset:
            break
    return line, offset - begins + 1
