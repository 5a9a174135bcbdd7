"""How a text file is written: found by ourselves over the whole file, and announced wherever it is not plain commas in UTF-8."""

from __future__ import annotations

import codecs
import contextlib
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from baserate.engines import records, streams
from baserate.engines.headers import check_names, matched, refuse_absent
from baserate.engines.records import Facts
from baserate.errors import Fix, are, escaped, grouped, number_of, quoted, refuse, refuse_file
from baserate.notes import Note

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
class Asked:
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

    def checked(self) -> Asked:
        """With names of separators spelled out; what cannot be is refused."""
        delimiter = None if self.delimiter is None else SPELLED.get(self.delimiter.casefold(), self.delimiter)
        if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
            raise refuse("BR612", f"a separator is one character, got {quoted(delimiter)}", Fix.option("delimiter", ";"))
        if self.decimal not in (None, ".", ",") or (self.decimal is not None and self.decimal == delimiter):
            raise refuse("BR612", f"a decimal sign is . or , and not the separator, got {quoted(self.decimal)}", Fix.option("decimal", ","))
        if self.thousands is not None and (self.thousands not in THOUSANDS or self.thousands == (self.decimal or ".")):
            text = f"thousands are set apart by a comma, point, blank or ', and not by the decimal sign; got {quoted(self.thousands)}"
            raise refuse("BR612", text, Fix.option("thousands", ","))
        if self.skip_lines < 0 or self.skip_bad < 0:
            raise refuse("BR612", "a number of lines to skip cannot be negative", Fix.option("skip_lines", 0))
        if self.header and self.columns:
            fix = Fix('header=False, columns=["y", "m1"]', "--no-header --columns y,m1")
            raise refuse("BR604", "names of columns are given for a file that has a header", fix)
        return replace(self, delimiter=delimiter)


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
def decoded(shown: str, path: str, encoding: str | None) -> Iterator[Text]:
    """The same text in UTF-8."""
    with open(path, "rb") as file:
        start = file.read(4)
    found = next((name for mark, name in MARKS if start.startswith(mark)), None)
    named = _known(shown, encoding) if encoding else found or "utf-8"
    if named in ("utf-8", "utf-8-sig"):
        facts = records.facts_of(path)
        _check_text(shown, path, facts)
        yield Text(shown, path, facts)
        return
    note = Note("BR612", f"the file is {named.upper()} by its first bytes", Fix.option("encoding", "utf-8"))
    notes = () if encoding else (note,)
    with streams.written(_transcoded(shown, path, named)) as ours:
        facts = records.facts_of(ours)
        _check_text(shown, ours, facts)
        yield Text(shown, ours, facts, notes)


def _known(shown: str, encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = ""
    if not name or name in NOT_TEXT:
        raise refuse_file(shown, "BR601", f"there is no encoding {quoted(encoding)}", Fix.option("encoding", "cp1252"))
    return name


def _transcoded(shown: str, path: str, encoding: str) -> Iterator[bytes]:
    decoder, at = codecs.getincrementaldecoder(encoding)(), 0
    try:
        for chunk in records.chunks(path):
            yield decoder.decode(chunk).encode("utf-8")
            at += len(chunk)
        yield decoder.decode(b"", final=True).encode("utf-8")
    except UnicodeError:
        text = f"is not {encoding}: it cannot be decoded between bytes {grouped(at)} and {grouped(at + records.CHUNK)}"
        raise refuse_file(shown, "BR601", text, "name the encoding that it was saved in, or save it as UTF-8") from None


def _check_text(shown: str, path: str, facts: Facts) -> None:
    """UTF-8 without NULs."""
    if facts.nul is not None:
        likely = _utf16(path) if facts.nuls * 4 > facts.size else None
        if likely:
            raise refuse_file(shown, "BR601", f"looks like {likely.upper()} without a mark", Fix.option("encoding", likely))
        line, _ = records.line_at(path, facts.nul)
        text = f"there is a NUL character (byte {grouped(facts.nul)} of the file)"
        raise refuse_file(shown, "BR608", text, "save the file as plain UTF-8 text", (line,), 1)
    if facts.not_utf8 is not None:
        line, place = records.line_at(path, facts.not_utf8)
        with open(path, "rb") as file:
            file.seek(facts.not_utf8)
            wrong = file.read(1)[0]
        rest = "if it comes from Windows, or save it as UTF-8"
        fix = Fix(f"encoding='cp1252' {rest}", f"--encoding cp1252 {rest}")
        raise refuse_file(shown, "BR601", f"byte 0x{wrong:02X} (the {grouped(place)}. of its line) is not UTF-8", fix, (line,), 1)


def _utf16(path: str) -> str | None:
    """UTF-16 by the places of its zeros."""
    head = next(records.chunks(path))[:1024]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if even == odd:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def lines_of(text: Text, skip: int = 0) -> Iterator[str]:
    """The lines with their ends, as csv wants them; one that is longer than any line of a table is refused."""
    with open(text.path, encoding="utf-8-sig", newline="") as file:
        number = 0
        while line := file.readline(LONGEST + 1):
            number += 1
            if len(line) > LONGEST:
                raise refuse_file(text.shown, "BR616", "a line is longer than 16 MB", "give a text file with one case a line", (number,), 1)
            if number > skip:
                yield line


def detect(text: Text, wanted: Sequence[str], asked: Asked) -> Dialect:
    """The separator and the names of the columns: the one reading under which every column asked for is there."""
    first = next(lines_of(text, asked.skip_lines), "")
    said = SAYS_DELIMITER.fullmatch(first) if asked.delimiter is None and not asked.skip_lines else None
    skip = asked.skip_lines + bool(said)
    candidates = tuple(filter(None, (asked.delimiter or (said and said[1]),))) or DELIMITERS
    read = {sign: first_record(text, sign, skip) for sign in candidates}
    if not asked.header:
        return _without_header(text, wanted, asked, read, skip)
    fits = [sign for sign, names in read.items() if set(wanted) <= set(names)]
    padded = not fits
    fits = fits or [sign for sign, names in read.items() if set(wanted) <= {name.strip() for name in names}]
    if any(len(names) > 1 for names in read.values()):  # of one column alone, nothing separates it
        _check_one(text, fits, "has every column asked for")
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
        raise refuse_file(text.shown, "BR612", f"{what} when separated by {signs}", Fix.option("delimiter", fits[0]))


def _without_header(text: Text, wanted: Sequence[str], asked: Asked, read: dict[str, list[str]], skip: int) -> Dialect:
    """The user named the columns: the separator is the one that makes as many."""
    names = asked.columns
    if not names:
        fix = Fix('columns=["id", "y", "m1"]', "--columns id,y,m1")
        raise refuse_file(text.shown, "BR604", "has no header, and no names of columns are given", fix)
    check_names(text.shown, list(names))
    if not set(wanted) <= set(names):
        refuse_absent(text.shown, list(names), [name for name in wanted if name not in names])
    fits = [sign for sign, fields in read.items() if len(fields) == len(names)]
    if not fits:
        found = max(map(len, read.values()))
        what = f"has {number_of(found, 'column')}, and {number_of(len(names), 'name')} {are(len(names))} given"
        raise refuse_file(text.shown, "BR604", what, "name every column")
    if len(names) > 1:
        _check_one(text, fits, f"has {len(names)} columns")
    return Dialect(fits[0], names, skip, header=False, notes=tuple(_remarks(fits[0], asked, said=False, padded=False)))


def _refuse_unfound(text: Text, wanted: Sequence[str], sign: str, names: list[str], skip: int) -> None:
    """Perhaps the header stands further down; else say which columns there are."""
    check_names(text.shown, names)
    matched(text.shown, names, wanted)
    for number, line in enumerate(islice(lines_of(text, skip), FIRST_LINES)):
        with contextlib.suppress(csv.Error):
            fields = next(csv.reader([line], delimiter=sign), [])
            if number and any(set(wanted) <= set(next(csv.reader([line], delimiter=other), [])) for other in DELIMITERS) and fields:
                what = "comments" if names[:1] and names[0].startswith("#") else "something else"
                text_ = f"begins with {what}: the header stands on line {skip + number + 1}"
                raise refuse_file(text.shown, "BR613", text_, Fix.option("skip_lines", skip + number), (1,), 1)
    refuse_absent(text.shown, names, [name for name in dict.fromkeys(wanted) if name not in names])


def first_record(text: Text, delimiter: str, skip: int) -> list[str]:
    """The fields of the first record, under this separator."""
    try:
        return next(csv.reader(lines_of(text, skip), delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _remarks(sign: str, asked: Asked, *, said: bool, padded: bool) -> Iterator[Note]:
    if said:
        text = f'the first line says that columns are separated by {_spelled(sign)} ("sep="), and is no row'
        yield Note("BR612", text, Fix.option("delimiter", ","))
    elif sign != "," and asked.delimiter is None:
        yield Note("BR612", f"columns are separated by {_spelled(sign)}", Fix.option("delimiter", ","))
    if padded:
        yield Note("BR612", "blanks around the names of columns and around values are left out")


def _spelled(sign: str) -> str:
    return {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}.get(sign, f'"{escaped(sign)}"')
