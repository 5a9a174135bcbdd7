"""The dialect of a text file, detected over the whole file, and its records counted by RFC 4180."""

from __future__ import annotations

import codecs
import contextlib
import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.errors import Fix, Note, are, escaped, grouped, number_of, quoted, refuse_file
from baserate.read import streams
from baserate.read.table import check_names, matched, refuse_absent
from baserate.read.text import TextOptions

# ----------------------------------------------------------------------
# The records of a text file, counted from its bytes by RFC 4180 alone: what every reader's number
# of rows is held against.


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
        """The offset in the file of the first byte that is not UTF-8; None where all is well so
        far.
        """
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
    """How many records there are, blank ones at the end left out; whether quotes stand where RFC
    4180 puts them; ends of lines within.
    """

    number: int
    well_formed: bool
    spanning: int


def count_records(path: str, facts: Facts, delimiter: str, skip: int = 0) -> Records:
    """The records of a file in which lines end evenly; `skip` of its lines are no records."""
    if not facts.quotes:
        return Records(
            facts.lines + _unended(path) - _blank_end(path) - skip, well_formed=True, spanning=0
        )
    counter = _Counter(ord(delimiter))
    for chunk in chunks(path):
        counter.take(np.frombuffer(chunk, dtype=np.uint8))
    well_formed = counter.well_formed and not counter.inside
    return Records(
        counter.ends + _unended(path) - _blank_end(path) - skip,
        well_formed,
        facts.lines - counter.ends,
    )


class _Counter:
    """Which ends of lines lie outside of quotes, and does every quote open or close a whole field,
    or stand for one within?
    """

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
        self.inside, self.last, self.last_closed = (
            bool(inside[-1]),
            int(values[-1]),
            bool(closed[-1]),
        )


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


# ----------------------------------------------------------------------
# How a text file is written: found by ourselves over the whole file, and announced wherever it is
# not plain commas in UTF-8.


DELIMITERS = (",", ";", "\t", "|")
SAYS_DELIMITER = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)  # the first line that Excel writes
SPELLED = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
THOUSANDS = (",", ".", "'", " ", "\u00a0", "\u202f")
LONGEST = 16_000_000  # characters in a line
FIRST_LINES = 20  # in which a header is looked for, to say how many lines stand before it
NOT_TEXT = frozenset({"base64", "bz2", "hex", "quopri", "uu", "zlib", "rot13", "idna", "punycode"})


@dataclass(frozen=True)
class Dialect:
    """How the file is written."""

    delimiter: str
    names: tuple[str, ...]
    skip: int  # lines ahead of the header
    header: bool = True
    padded: bool = False  # blanks around names and values
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Text:
    """A file of UTF-8 (perhaps a temporary one), and what its bytes are like."""

    shown: str
    path: str
    facts: Facts
    notes: tuple[Note, ...] = ()


@contextlib.contextmanager
def decoded_text(shown: str, path: str, encoding: str | None) -> Iterator[Text]:
    """The same text in UTF-8."""
    with open(path, "rb") as file:
        start = file.read(4)
    found = next((name for mark, name in MARKS if start.startswith(mark)), None)
    named = _known(shown, encoding) if encoding else found or "utf-8"
    if named in ("utf-8", "utf-8-sig"):
        facts = facts_of(path)
        _check_text(shown, path, facts)
        yield Text(shown, path, facts)
        return
    note = Note(
        "BR612", f"the file is {named.upper()} by its first bytes", Fix.option("encoding", "utf-8")
    )
    notes = () if encoding else (note,)
    with streams.written(_transcoded(shown, path, named)) as ours:
        facts = facts_of(ours)
        _check_text(shown, ours, facts)
        yield Text(shown, ours, facts, notes)


def _known(shown: str, encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = ""
    if not name or name in NOT_TEXT:
        raise refuse_file(
            shown,
            "BR601",
            f"there is no encoding {quoted(encoding)}",
            Fix.option("encoding", "cp1252"),
        )
    return name


def _transcoded(shown: str, path: str, encoding: str) -> Iterator[bytes]:
    decoder, at = codecs.getincrementaldecoder(encoding)(), 0
    try:
        for chunk in chunks(path):
            yield decoder.decode(chunk).encode("utf-8")
            at += len(chunk)
        yield decoder.decode(b"", final=True).encode("utf-8")
    except UnicodeError:
        text = (
            f"is not {encoding}: it cannot be decoded between bytes {grouped(at)} and"
            f" {grouped(at + CHUNK)}"
        )
        raise refuse_file(
            shown, "BR601", text, "name the encoding that it was saved in, or save it as UTF-8"
        ) from None


def _check_text(shown: str, path: str, facts: Facts) -> None:
    """UTF-8 without NULs."""
    if facts.nul is not None:
        likely = _utf16(path) if facts.nuls * 4 > facts.size else None
        if likely:
            raise refuse_file(
                shown,
                "BR601",
                f"looks like {likely.upper()} without a mark",
                Fix.option("encoding", likely),
            )
        line, _ = line_at(path, facts.nul)
        text = f"there is a NUL character (byte {grouped(facts.nul)} of the file)"
        raise refuse_file(shown, "BR614", text, "save the file as plain UTF-8 text", (line,), 1)
    if facts.not_utf8 is not None:
        line, place = line_at(path, facts.not_utf8)
        with open(path, "rb") as file:
            file.seek(facts.not_utf8)
            wrong = file.read(1)[0]
        rest = "if it comes from Windows, or save it as UTF-8"
        fix = Fix(f"encoding='cp1252' {rest}", f"--encoding cp1252 {rest}")
        raise refuse_file(
            shown,
            "BR601",
            f"byte 0x{wrong:02X} (the {grouped(place)}. of its line) is not UTF-8",
            fix,
            (line,),
            1,
        )


def _utf16(path: str) -> str | None:
    """UTF-16 by the places of its zeros."""
    head = next(chunks(path))[:1024]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if even == odd:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def lines_of(text: Text, skip: int = 0) -> Iterator[str]:
    """The lines with their ends, as csv needs them; one that is longer than any line of a table is
    refused.
    """
    with open(text.path, encoding="utf-8-sig", newline="") as file:
        number = 0
        while line := file.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST:
                raise refuse_file(
                    text.shown,
                    "BR614",
                    "a line is longer than 16 MB",
                    "give a text file with one case per line",
                    (number,),
                    1,
                )
            if number > skip:
                yield line


def detect(text: Text, wanted: Sequence[str], asked: TextOptions) -> Dialect:
    """The separator and the names of the columns: the one reading under which every requested
    column for is there.
    """
    first = next(lines_of(text, asked.skip_lines), "")
    said = (
        SAYS_DELIMITER.fullmatch(first)
        if asked.delimiter is None and not asked.skip_lines
        else None
    )
    skip = asked.skip_lines + bool(said)
    candidates = tuple(filter(None, (asked.delimiter or (said and said[1]),))) or DELIMITERS
    read = {sign: first_record(text, sign, skip) for sign in candidates}
    if not asked.header:
        return _without_header(text, wanted, asked, read, skip)
    fits = [sign for sign, names in read.items() if set(wanted) <= set(names)]
    padded = not fits
    fits = fits or [
        sign for sign, names in read.items() if set(wanted) <= {name.strip() for name in names}
    ]
    if any(len(names) > 1 for names in read.values()):  # of one column alone, nothing separates it
        _check_one(text, fits, "has every requested column")
    if not fits:
        widest = max(read, key=lambda sign: len(read[sign]))
        _refuse_unfound(text, wanted, widest, read[widest], skip)
    names = [name.strip() if padded else name for name in read[fits[0]]]
    check_names(text.shown, names)
    notes = tuple(_remarks(fits[0], asked, said=bool(said), padded=padded))
    return Dialect(fits[0], tuple(names), skip, header=True, padded=padded, notes=notes)


def _check_one(text: Text, fits: Sequence[str], what: str) -> None:
    """Not more than one separator fits."""
    if len(fits) > 1:
        signs = " and ".join(_spelled(sign) for sign in fits)
        raise refuse_file(
            text.shown,
            "BR612",
            f"{what} when separated by {signs}",
            Fix.option("delimiter", fits[0]),
        )


def _without_header(
    text: Text, wanted: Sequence[str], asked: TextOptions, read: dict[str, list[str]], skip: int
) -> Dialect:
    """The user named the columns: the separator is the one that makes as many."""
    names = asked.columns
    if not names:
        fix = Fix('columns=["id", "y", "m1"]', "--columns id,y,m1")
        raise refuse_file(
            text.shown, "BR604", "has no header, and no names of columns are given", fix
        )
    check_names(text.shown, list(names))
    if not set(wanted) <= set(names):
        refuse_absent(text.shown, list(names), [name for name in wanted if name not in names])
    fits = [sign for sign, fields in read.items() if len(fields) == len(names)]
    if not fits:
        found = max(map(len, read.values()))
        what = (
            f"has {number_of(found, 'column')}, and {number_of(len(names), 'name')}"
            f" {are(len(names))} given"
        )
        raise refuse_file(text.shown, "BR604", what, "name every column")
    if len(names) > 1:
        _check_one(text, fits, f"has {len(names)} columns")
    return Dialect(
        fits[0],
        names,
        skip,
        header=False,
        notes=tuple(_remarks(fits[0], asked, said=False, padded=False)),
    )


def _refuse_unfound(
    text: Text, wanted: Sequence[str], sign: str, names: list[str], skip: int
) -> None:
    """Perhaps the header stands further down; else say which columns there are."""
    check_names(text.shown, names)
    matched(text.shown, names, wanted)
    for number, line in enumerate(islice(lines_of(text, skip), FIRST_LINES)):
        with contextlib.suppress(csv.Error):
            fields = next(csv.reader([line], delimiter=sign), [])
            if (
                number
                and any(
                    set(wanted) <= set(next(csv.reader([line], delimiter=other), []))
                    for other in DELIMITERS
                )
                and fields
            ):
                what = "comments" if names[:1] and names[0].startswith("#") else "something else"
                text_ = f"begins with {what}: the header is on line {skip + number + 1}"
                raise refuse_file(
                    text.shown, "BR613", text_, Fix.option("skip_lines", skip + number), (1,), 1
                )
    refuse_absent(text.shown, names, [name for name in dict.fromkeys(wanted) if name not in names])


def first_record(text: Text, delimiter: str, skip: int) -> list[str]:
    """The fields of the first record, under this separator."""
    try:
        return next(csv.reader(lines_of(text, skip), delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _remarks(sign: str, asked: TextOptions, *, said: bool, padded: bool) -> Iterator[Note]:
    if said:
        text = (
            f'the first line says that columns are separated by {_spelled(sign)} ("sep="), and is'
            " not a row"
        )
        yield Note("BR612", text, Fix.option("delimiter", ","))
    elif sign != "," and asked.delimiter is None:
        yield Note(
            "BR612", f"columns are separated by {_spelled(sign)}", Fix.option("delimiter", ",")
        )
    if padded:
        yield Note("BR612", "blanks around the names of columns and around values are left out")


def _spelled(sign: str) -> str:
    return {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}.get(
        sign, f'"{escaped(sign)}"'
    )
