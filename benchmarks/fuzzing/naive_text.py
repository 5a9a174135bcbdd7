"""Delimited text and JSON read character by character, too plainly to be wrong: what the readers of
text are held against.

Nothing here is taken from the library, nor from Python's csv and json. Whatever a file may not hold
raises `Broken`: it has to be refused.
"""

from __future__ import annotations

import codecs

MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
BLANK = " \t\n\r"
ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": "NaN",
    "Infinity": "inf",
    "-Infinity": "-inf",
}
MOST_NESTED = 200


class Broken(Exception):  # noqa: N818 (a verdict on a file, not on a program)
    """What no reader may accept."""


class Number(str):
    """A number of a JSON file as it is written."""

    __slots__ = ()


def text_of(data: bytes, encoding: str | None = None) -> str:
    """The characters of a text file: of the encoding named, or by its mark, or UTF-8."""
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    try:
        text = (
            data.decode(encoding)
            if encoding
            else data[len(mark) :].decode(MARKS.get(mark, "utf-8"))
        )
    except UnicodeError:
        raise Broken("not text of this encoding") from None
    if "\0" in text:
        raise Broken("a NUL")
    return text.removeprefix("\ufeff")


def records(text: str, delimiter: str) -> list[list[str]]:
    """The records by RFC 4180, a blank line being one without fields; blank lines at the end are
    none.
    """
    machine = _Records(delimiter)
    for sign in text:
        machine.take(sign)
    return machine.whole()


class _Records:
    """Four states: at the start of a field, in a bare one, in a quoted one, behind its closing
    quote.
    """

    def __init__(self, delimiter: str) -> None:
        self.delimiter, self.state, self.last = delimiter, "start", ""
        self.found: list[list[str]] = []
        self.fields: list[str] = []
        self.field = ""

    def take(self, sign: str) -> None:
        """The next sign."""
        if self.state == "quoted":
            self._go("closed") if sign == '"' else self._go("quoted", sign)
        elif sign == '"' and self.state in ("start", "closed"):
            self._go("quoted", '"' if self.state == "closed" else "")
        elif sign == self.delimiter:
            self._end_field()
        elif sign in "\r\n":
            self._end_record(second_half=sign == "\n" and self.last == "\r")
        elif self.state == "closed":
            raise Broken("something behind a closing quote")
        else:
            self._go("bare", sign)
        self.last = (
            "" if self.state == "quoted" else sign
        )  # a return in quotes is no half of an end of line

    def _go(self, state: str, more: str = "") -> None:
        self.state, self.field = state, self.field + more

    def _end_field(self) -> None:
        self.fields.append(self.field)
        self.state, self.field = "start", ""

    def _end_record(self, *, second_half: bool = False) -> None:
        if second_half:
            return
        if self.fields or self.state != "start":
            self._end_field()
        self.found.append(self.fields)
        self.fields = []

    def whole(self) -> list[list[str]]:
        """All records, at the end of the text."""
        if self.state == "quoted":
            raise Broken("a quote that is not closed")
        self._end_record()
        while self.found and not self.found[-1]:
            self.found.pop()
        return self.found


def lines(text: str) -> list[str]:
    """Physical lines with their ends: a newline, a return, or both together."""
    found, begins = [], 0
    for i, sign in enumerate(text):
        if sign == "\n" or (sign == "\r" and text[i + 1 : i + 2] != "\n"):
            found.append(text[begins : i + 1])
            begins = i + 1
    return [*found, text[begins:]] if begins < len(text) else found


def objects(text: str) -> list[dict[str, object]]:
    """The objects of a file of JSON: one a line, or one array of them."""
    filled = [line for line in lines(text) if line.strip()]
    if filled and filled[0].lstrip()[:1] == "[":
        whole = json_value(text)
        found = whole if isinstance(whole, list) else [whole]
    else:
        found = [json_value(line) for line in filled]
    if not all(isinstance(value, dict) for value in found):
        raise Broken("something else than objects")
    return found  # type: ignore[return-value]


def json_value(text: str) -> object:
    """One value of JSON, and nothing behind it."""
    reader = _Json(text)
    value = reader.value(0)
    if (
        reader.rest().strip()
    ):  # Python's blanks are more than JSON's: a reader that refuses here is right as well
        raise Broken("something behind the value")
    return value


class _Json:
    """A reader of JSON that walks along the text; numbers stay as they are written."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def rest(self) -> str:
        return self.text[self.at :]

    def sign(self) -> str:
        """The next sign that is no blank; it is not taken."""
        while self.at < len(self.text) and self.text[self.at] in BLANK:
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, wanted: str) -> None:
        if self.sign() != wanted:
            raise Broken(f"no {wanted}")
        self.at += 1

    def value(self, depth: int) -> object:
        sign = self.sign()
        if depth > MOST_NESTED:
            raise Broken("nested too deeply")
        if sign == "{":
            return self.an_object(depth)
        if sign == "[":
            return self.an_array(depth)
        if sign == '"':
            return self.string()
        for word, value in WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return Number(value) if isinstance(value, str) else value
        return self.number()

    def an_object(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        self.take("{")
        while self.sign() != "}":
            if found:
                self.take(",")
            self.sign()
            name = self.string()
            if name in found:
                raise Broken("a field twice")
            self.take(":")
            found[name] = self.value(depth + 1)
        self.take("}")
        return found

    def an_array(self, depth: int) -> list[object]:
        found: list[object] = []
        self.take("[")
        while self.sign() != "]":
            if found:
                self.take(",")
            found.append(self.value(depth + 1))
        self.take("]")
        return found

    def string(self) -> str:
        self.take('"')
        found = []
        while self.text[self.at : self.at + 1] != '"':
            sign = self.text[self.at : self.at + 1]
            self.at += 1
            if not sign or sign < " ":
                raise Broken("a string that does not end, or a control character in it")
            found.append(self.escape() if sign == "\\" else sign)
        self.at += 1
        return "".join(found).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")

    def escape(self) -> str:
        sign = self.text[self.at : self.at + 1]
        self.at += 1
        if sign != "u":
            if sign not in ESCAPES or not sign:
                raise Broken("an unknown escape")
            return ESCAPES[sign]
        digits = self.text[self.at : self.at + 4]
        self.at += 4
        if len(digits) < 4 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            raise Broken("half an escape")
        return chr(int(digits, 16))

    def number(self) -> Number:
        begins = self.at
        self.at += self.text[self.at : self.at + 1] == "-"
        zero = self.text[self.at : self.at + 1] == "0"
        if self.digits() > 1 and zero:
            raise Broken("a zero ahead of digits")
        if self.text[self.at : self.at + 1] == ".":
            self.at += 1
            self.digits()
        if self.text[self.at : self.at + 1] in ("e", "E"):
            self.at += 1
            self.at += self.text[self.at : self.at + 1] in ("+", "-")
            self.digits()
        return Number(self.text[begins : self.at])

    def digits(self) -> int:
        begins = self.at
        while self.text[self.at : self.at + 1] in tuple("0123456789"):
            self.at += 1
        if self.at == begins:
            raise Broken("no number")
        return self.at - begins
