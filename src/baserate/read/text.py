"""Delimited text: its encoding, its dialect from the header, one pass over its bytes, and its
records by Python's csv module, which names the line of everything that is wrong.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Any

import numpy as np

from baserate.errors import (
    Fix,
    InputError,
    Note,
    Where,
    are,
    escaped,
    grouped,
    number_of,
    quoted,
    refuse,
    refuse_file,
)
from baserate.read import streams
from baserate.read.table import check_names, matched, refuse_absent

DELIMITERS = (",", ";", "\t", "|")
# The first line that Excel writes.
SAYS_DELIMITER = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)
SPELLED = {"\\t": "\t", "tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
THOUSANDS = (",", ".", "'", " ", "\u00a0", "\u202f")
TOTALS = frozenset({"total", "totals", "grand total", "sum", "subtotal", "gesamt", "summe"})
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
NOT_TEXT = frozenset({"base64", "bz2", "hex", "quopri", "uu", "zlib", "rot13", "idna", "punycode"})
# Characters in a line, and bytes that are looked at together.
LONGEST_LINE, CHUNK = 16_000_000, 1 << 22
# Lines in which a header is looked for, to say how many lines stand before it.
FIRST_LINES = 20
# Records that the csv module hands over together.
BATCH = 1 << 14
MOST_SHOWN = 3
NEWLINE, RETURN, QUOTE = 10, 13, 34
BLANKS = rb"[ \t\x0b\x0c]+"


@dataclass(frozen=True)
class TextOptions:
    """What the user said of a text file; None and nothing is for us to find."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: bool = True
    columns: tuple[str, ...] = ()
    skip_lines: int = 0
    skip_bad: int = 0
    percent: bool = False
    thousands: str | None = None

    @property
    def given(self) -> list[str]:
        """The options that are not left to us."""
        return [one.name for one in fields(self) if getattr(self, one.name) != one.default]

    def checked(self) -> TextOptions:
        """Spell out names of delimiters, and refuse what cannot be."""
        delimiter = self.delimiter
        if delimiter is not None:
            delimiter = SPELLED.get(delimiter.casefold(), delimiter)
            if len(delimiter) != 1 or delimiter in '"\r\n\0':
                text = f"a separator is one character, got {quoted(delimiter)}"
                raise refuse("BR612", text, Fix.option("delimiter", ";"))
        if self.decimal is not None and self.decimal not in {".", ","} - {delimiter}:
            text = f"a decimal sign is . or , and not the separator, got {quoted(self.decimal)}"
            raise refuse("BR612", text, Fix.option("decimal", ","))
        if self.thousands is not None and (
            self.thousands not in THOUSANDS or self.thousands == (self.decimal or ".")
        ):
            text = (
                "thousands are set apart by a comma, point, blank or ', and not by the decimal"
                f" sign; got {quoted(self.thousands)}"
            )
            raise refuse("BR612", text, Fix.option("thousands", ","))
        if self.skip_lines < 0 or self.skip_bad < 0:
            text = "a number of lines to skip cannot be negative"
            raise refuse("BR612", text, Fix.option("skip_lines", 0))
        if self.header and self.columns:
            fix = Fix('header=False, columns=["y", "m1"]', "--columns y,m1")
            raise refuse("BR604", "names of columns are given for a file that has a header", fix)
        return replace(self, delimiter=delimiter)


@dataclass(frozen=True)
class Text:
    """A file of UTF-8 (perhaps a temporary copy), and what was noted of its encoding."""

    shown: str
    path: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Dialect:
    """How the file is written."""

    delimiter: str
    names: tuple[str, ...]
    skip: int  # lines above the first case
    header: bool = True
    padded: bool = False  # blanks around names and values
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Bytes:
    """What one pass over the bytes of a text found."""

    lines: int  # the last one also where it does not end; blank ones at the end left out
    plain: bool  # every line is a record that all readers of CSV read alike
    quoted: bool
    is_even: bool = True  # all lines end alike


# ----------------------------------------------------------------------
# Encodings: UTF-8 as it lies, others in a temporary copy.


@contextlib.contextmanager
def as_utf8(shown: str, path: str, encoding: str | None) -> Iterator[Text]:
    """Give the same text in UTF-8; byte order marks tell UTF-16 and UTF-32."""
    with open(path, "rb") as file:
        start = file.read(4)
    marked = next((name for mark, name in MARKS if start.startswith(mark)), None)
    name = known_encoding(shown, encoding) if encoding else marked or "utf-8"
    if name in ("utf-8", "utf-8-sig"):
        yield Text(shown, path)
        return
    text = f"the file is {name.upper()} by its first bytes"
    note = Note("BR612", text, Fix.option("encoding", "utf-8"))
    with streams.written(transcoded(shown, path, name)) as copy:
        yield Text(shown, copy, () if encoding else (note,))


def known_encoding(shown: str, encoding: str) -> str:
    """Return Python's name of an encoding of text."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = ""
    if not name or name in NOT_TEXT:
        text = f"there is no encoding {quoted(encoding)}"
        raise refuse_file(shown, "BR601", text, Fix.option("encoding", "cp1252"))
    return name


def transcoded(shown: str, path: str, encoding: str) -> Iterator[bytes]:
    """Give the bytes of a file in UTF-8, piece by piece."""
    decoder, at = codecs.getincrementaldecoder(encoding)(), 0
    try:
        for chunk in chunks(path):
            yield decoder.decode(chunk).encode("utf-8")
            at += len(chunk)
        yield decoder.decode(b"", final=True).encode("utf-8")
    except UnicodeError:
        where = f"between bytes {grouped(at)} and {grouped(at + CHUNK)}"
        text = f"is not {encoding}: it cannot be decoded {where}"
        fix = "name the encoding that it was saved in, or save it as UTF-8"
        raise refuse_file(shown, "BR601", text, fix) from None


def chunks(path: str) -> Iterator[bytes]:
    """Give a file in large pieces."""
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


# ----------------------------------------------------------------------
# One pass over the bytes: UTF-8 without NULs, the kinds of line ends, and whether quotes stand only
# where RFC 4180 has them.


def scan_bytes(text: Text, delimiter: str = ",") -> Bytes:
    """Check the bytes of a text, and find out whether every line of it is a record."""
    decoder, quotes = codecs.getincrementaldecoder("utf-8")(), Quotes(delimiter)
    size = newlines = returns = pairs = 0
    last, long = b"\n", False
    for chunk in chunks(text.path):
        check_no_nul(text, chunk, size)
        if not chunk.isascii() or decoder.getstate()[0]:
            check_utf8(text, decoder, chunk, size)
        fed, returned = chunk.count(b"\n"), chunk.count(b"\r")
        newlines, returns = newlines + fed, returns + returned
        pairs += chunk.count(b"\r\n") if returned else 0
        pairs += last == b"\r" and chunk[:1] == b"\n"
        long |= len(chunk) == CHUNK and not fed and not returned
        quotes.look_at(last + chunk)
        last, size = chunk[-1:], size + len(chunk)
    check_utf8(text, decoder, b"", size)
    even = returns == pairs and pairs in (0, newlines)
    ends = newlines + returns - pairs + (last not in b"\r\n")
    plain = even and not long and quotes.are_plain and len(delimiter.encode()) == 1
    lines = ends - blank_lines_at_end(text.path)
    return Bytes(lines, plain, quotes.seen > 0, even)


def check_no_nul(text: Text, chunk: bytes, offset: int) -> None:
    """Refuse NULs: among many of them the text is UTF-16."""
    nul = chunk.find(b"\0")
    if nul < 0:
        return
    if chunk.count(b"\0") * 4 > len(chunk):
        even, odd = chunk[:1024:2].count(0), chunk[1:1024:2].count(0)
        if even != odd:
            likely = "utf-16-be" if even > odd else "utf-16-le"
            said = f"looks like {likely.upper()} without a mark"
            raise refuse_file(text.shown, "BR601", said, Fix.option("encoding", likely))
    line, _ = line_at(text.path, offset + nul)
    said = f"there is a NUL character (byte {grouped(offset + nul)} of the file)"
    raise refuse_file(text.shown, "BR614", said, "save the file as plain UTF-8 text", (line,), 1)


def check_utf8(text: Text, decoder: Any, chunk: bytes, offset: int) -> None:
    """Refuse bytes that are not UTF-8, with their line; no bytes are the end of the file."""
    waiting = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk, not chunk)
    except UnicodeDecodeError as error:
        raise not_utf8(text, offset - waiting + error.start) from None


def not_utf8(text: Text, at: int) -> InputError:
    """Return the refusal of a byte that is not UTF-8."""
    with open(text.path, "rb") as file:
        file.seek(at)
        wrong = file.read(1)[0]
    line, place = line_at(text.path, at)
    rest = "if it comes from Windows, or save it as UTF-8"
    fix = Fix(f"encoding='cp1252' {rest}", f"--encoding cp1252 {rest}")
    said = f"byte 0x{wrong:02X} (the {grouped(place)}. of its line) is not UTF-8"
    return refuse_file(text.shown, "BR601", said, fix, (line,), 1)


class Quotes:
    """Whether quotes open and close whole fields, and never hold a line break."""

    def __init__(self, delimiter: str) -> None:
        sign = delimiter.encode()
        self.seen, self.are_plain, self.closed = 0, True, False
        self.borders = np.zeros(256, dtype=np.bool_)
        self.borders[[*sign, NEWLINE, RETURN, QUOTE]] = True
        edge = b"[\r\n" + re.escape(sign) + b'"]'
        self.padded = re.compile(
            b'(?:^|%b)%b"|"%b(?:$|%b)' % (edge, BLANKS, BLANKS, edge), re.DOTALL
        )

    def look_at(self, data: bytes) -> None:
        """Look at bytes of which the first was looked at before."""
        if not self.are_plain or (not self.seen and b'"' not in data):
            return
        codes = np.frombuffer(data, dtype=np.uint8)
        self.are_plain &= not (self.closed and len(codes) > 1 and not self.borders[codes[1]])
        places = np.flatnonzero(codes == QUOTE)
        places = places[places > 0]
        closes = (self.seen + np.arange(len(places))) % 2 == 1
        opened, ended = places[~closes], places[closes]
        inner = ended[ended + 1 < len(codes)]
        self.are_plain &= bool(
            self.borders[codes[opened - 1]].all() and self.borders[codes[inner + 1]].all()
        )
        breaks = np.flatnonzero((codes == NEWLINE) | (codes == RETURN))
        inside = (self.seen + np.searchsorted(places, breaks)) % 2 == 1
        self.are_plain &= not inside.any() and not self.padded.search(data)
        self.seen += len(places)
        self.closed = bool(len(ended)) and int(ended[-1]) == len(codes) - 1


def blank_lines_at_end(path: str) -> int:
    """Count the blank lines at the end of a file."""
    length, size = 64, os.path.getsize(path)  # noqa: PTH202
    while True:
        tail = tail_of(path, length)
        blank = tail[len(tail.rstrip(b"\r\n")) :]
        if len(blank) < len(tail) or length >= size:
            ends = blank.count(b"\n") + blank.count(b"\r") - blank.count(b"\r\n")
            return max(ends - 1, 0) if len(blank) < size else ends
        length *= 16


def tail_of(path: str, length: int) -> bytes:
    """Return the last bytes of a file."""
    with open(path, "rb") as file:
        file.seek(max(os.fstat(file.fileno()).st_size - length, 0))
        return file.read(length)


def line_at(path: str, offset: int) -> tuple[int, int]:
    """Return the line of a byte (from 1), and its place in that line (from 1)."""
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
# The dialect: the one delimiter under which the header names every requested column.


def understand(text: Text, wanted: Sequence[str], asked: TextOptions) -> tuple[Dialect, Bytes]:
    """Find out how a text is written, and check its bytes."""
    try:
        dialect = detect_dialect(text, wanted, asked)
    except InputError:
        scan_bytes(text)  # what is wrong with the bytes explains what is wrong with the header
        raise
    found = scan_bytes(text, dialect.delimiter)
    if not found.quoted:  # else the last line may be a part of a record
        check_no_totals(text, dialect, found)
    return dialect, found


def detect_dialect(text: Text, wanted: Sequence[str], asked: TextOptions) -> Dialect:
    """Read the header under each delimiter that it may have."""
    first = next(lines_of(text, asked.skip_lines), "")
    found = None
    if asked.delimiter is None and not asked.skip_lines:
        found = SAYS_DELIMITER.fullmatch(first)
    skip = asked.skip_lines + bool(found)
    named = asked.delimiter or (found and found[1])
    records = {sign: first_record(text, sign, skip) for sign in ((named,) if named else DELIMITERS)}
    if not asked.header:
        return dialect_without_header(text, wanted, asked, records, skip)
    fits = [sign for sign, (names, _) in records.items() if set(wanted) <= set(names)]
    padded = not fits
    if padded:
        fits = [
            sign
            for sign, (names, _) in records.items()
            if set(wanted) <= {name.strip() for name in names}
        ]
    if any(len(names) > 1 for names, _ in records.values()):  # of one column nothing separates it
        check_one_delimiter(text, fits, "has every requested column")
    if not fits:
        widest = max(records, key=lambda sign: len(records[sign][0]))
        refuse_header(text, wanted, widest, records[widest][0], skip)
    names, lines = records[fits[0]]
    names = [name.strip() if padded else name for name in names]
    check_names(text.shown, names)
    notes = tuple(dialect_notes(fits[0], asked, in_first_line=bool(found), padded=padded))
    return Dialect(fits[0], tuple(names), skip + lines, header=True, padded=padded, notes=notes)


def check_one_delimiter(text: Text, fits: Sequence[str], what: str) -> None:
    """Refuse to choose among several delimiters that fit."""
    if len(fits) > 1:
        signs = " and ".join(map(delimiter_name, fits))
        fix = Fix.option("delimiter", fits[0])
        raise refuse_file(text.shown, "BR612", f"{what} when separated by {signs}", fix)


def dialect_without_header(
    text: Text,
    wanted: Sequence[str],
    asked: TextOptions,
    records: dict[str, tuple[list[str], int]],
    skip: int,
) -> Dialect:
    """Find the delimiter that makes as many columns as the user named."""
    names = asked.columns
    if not names:
        fix = Fix('columns=["id", "y", "m1"]', "--columns id,y,m1")
        what = "has no header, and no names of columns are given"
        raise refuse_file(text.shown, "BR604", what, fix)
    check_names(text.shown, names)
    absent = [name for name in wanted if name not in names]
    if absent:
        refuse_absent(text.shown, names, absent)
    fits = [sign for sign, (values, _) in records.items() if len(values) == len(names)]
    if not fits:
        columns = number_of(max(len(values) for values, _ in records.values()), "column")
        what = f"has {columns}, and {number_of(len(names), 'name')} {are(len(names))} given"
        raise refuse_file(text.shown, "BR604", what, "name every column")
    if len(names) > 1:
        check_one_delimiter(text, fits, f"has {len(names)} columns")
    notes = tuple(dialect_notes(fits[0], asked, in_first_line=False, padded=False))
    return Dialect(fits[0], names, skip, header=False, notes=notes)


def refuse_header(
    text: Text, wanted: Sequence[str], sign: str, names: list[str], skip: int
) -> None:
    """Say on which line the header is, where it stands further down; else which columns there
    are.
    """
    check_names(text.shown, names)
    matched(text.shown, names, wanted)
    for number, line in enumerate(islice(lines_of(text, skip), FIRST_LINES)):
        with contextlib.suppress(csv.Error):
            has_fields = bool(next(csv.reader([line], delimiter=sign), []))
            is_header = any(
                set(wanted) <= set(next(csv.reader([line], delimiter=other), []))
                for other in DELIMITERS
            )
            if number and has_fields and is_header:
                what = "comments" if names[:1] and names[0].startswith("#") else "something else"
                said = f"begins with {what}: the header is on line {skip + number + 1}"
                fix = Fix.option("skip_lines", skip + number)
                raise refuse_file(text.shown, "BR613", said, fix, (1,), 1)
    refuse_absent(text.shown, names, [name for name in dict.fromkeys(wanted) if name not in names])


def first_record(text: Text, delimiter: str, skip: int) -> tuple[list[str], int]:
    """Return the fields of the first record under a delimiter, and how many lines it takes."""
    reader = csv.reader(lines_of(text, skip), delimiter=delimiter, strict=True)
    try:
        return next(reader, []), reader.line_num
    except csv.Error:
        return [], 1


def lines_of(text: Text, skip: int = 0) -> Iterator[str]:
    """Give the lines with their ends; one that is longer than any line of a table is refused."""
    with open(text.path, encoding="utf-8-sig", errors="replace", newline="") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                fix = "give a text file with one case per line"
                what = "a line is longer than 16 MB"
                raise refuse_file(text.shown, "BR614", what, fix, (number,), 1)
            if number > skip:
                yield line


def dialect_notes(
    sign: str, asked: TextOptions, *, in_first_line: bool, padded: bool
) -> Iterator[Note]:
    """Say how a file is written that is not plain commas."""
    fix = Fix.option("delimiter", ",")
    separated = f"columns are separated by {delimiter_name(sign)}"
    if in_first_line:
        yield Note("BR612", f'the first line says that {separated} ("sep="), and is not a row', fix)
    elif sign != "," and asked.delimiter is None:
        yield Note("BR612", separated, fix)
    if padded:
        yield Note("BR612", "blanks around the names of columns and around values are left out")


def delimiter_name(sign: str) -> str:
    """Return what a message calls a delimiter."""
    return NAMES.get(sign, f'"{escaped(sign)}"')


def check_no_totals(text: Text, dialect: Dialect, found: Bytes) -> None:
    """Refuse a line of totals below the cases."""
    tail = tail_of(text.path, 1 << 16).rstrip(b"\r\n").replace(b"\r", b"\n").split(b"\n")
    if len(tail) < 2:
        return
    last = tail[-1].decode("utf-8", "replace")
    values = next(csv.reader([last], delimiter=dialect.delimiter), [])
    first = next((value.strip() for value in values if value.strip()), "")
    if len(values) > 1 and first.casefold() in TOTALS:
        what = f'the last line seems to hold totals ("{first}"), not a case'
        raise refuse_file(text.shown, "BR617", what, "remove that line", (found.lines,), 1)


# ----------------------------------------------------------------------
# Records by Python's csv module, with the line on which each begins.


class Records:
    """The requested columns of every record that fits, in batches; those that do not fit are
    refused, or left out as requested.
    """

    def __init__(
        self, text: Text, dialect: Dialect, wanted: Sequence[str], asked: TextOptions
    ) -> None:
        self.text, self.dialect, self.asked = text, dialect, asked
        self.places = [dialect.names.index(name) for name in wanted]
        self.lines = list[int]()
        self.ragged = list[tuple[int, int]]()
        self.notes = list[Note]()

    def batches(self) -> Iterator[list[list[str]]]:
        """Give the columns of some records at a time."""
        columns: list[list[str]] = [[] for _ in self.places]
        width = len(self.dialect.names)
        for line, record in self._records():
            if len(record) != width:
                self.ragged.append((line, len(record)))
                continue
            self.lines.append(line)
            for values, place in zip(columns, self.places, strict=True):
                value = record[place]
                values.append(value.strip() if self.dialect.padded else value)
            if len(self.lines) % BATCH == 0:
                yield columns
                columns = [[] for _ in self.places]
        self._check_ragged()
        if not self.lines:
            fix = "give a file with cases"
            raise refuse_file(self.text.shown, "BR602", "has a header but no rows", fix)
        if columns and columns[0]:
            yield columns

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        skip = self.dialect.skip
        lines = lines_of(self.text, skip)
        reader = csv.reader(lines, delimiter=self.dialect.delimiter, strict=True)
        begins = skip + 1
        try:
            for record in reader:
                yield begins, record
                begins = skip + reader.line_num + 1
        except csv.Error as error:
            what = f"the CSV is broken ({escaped(str(error))}) in the record that begins there"
            fix = "close the quotes and shorten huge fields"
            raise refuse_file(self.text.shown, "BR614", what, fix, (begins,), 1) from None

    def _check_ragged(self) -> None:
        """Refuse records with too few or too many fields, unless as many may be skipped."""
        last = self.lines[-1] if self.lines else 0
        while self.ragged and self.ragged[-1][1] == 0 and self.ragged[-1][0] > last:
            self.ragged.pop()  # blank lines at the end
        many = len(self.ragged)
        if not many:
            return
        counts = ", ".join(str(count) for _, count in self.ragged[:MOST_SHOWN])
        counts += " …" if many > MOST_SHOWN else ""
        have = "has" if many == 1 else "have"
        expected = "the header's" if self.dialect.header else "the named"
        rows = number_of(many + len(self.lines), "row")
        what = f"{grouped(many)} of {rows} {have} {counts} fields"
        what += f" instead of {expected} {len(self.dialect.names)}"
        lines = tuple(line for line, _ in self.ragged)
        if many > self.asked.skip_bad:
            fix = "correct or remove those lines, or allow that many to be skipped: "
            fixes = Fix(f"{fix}skip_bad={many}", f"{fix}--skip-bad {many}")
            raise refuse_file(self.text.shown, "BR605", what, fixes, lines, many)
        left = "it was" if many == 1 else "they were"
        where = Where(lines=lines[:MOST_SHOWN], total=many)
        self.notes.append(Note("BR605", f"{what} ({where}); {left} left out, as requested"))
