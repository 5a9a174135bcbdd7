"""Text files as programs, spreadsheets and people write them: odd, but made by rules, so that what
they hold is known.
"""

from __future__ import annotations

import codecs
import random
from dataclasses import dataclass, field
from typing import Any

from benchmarks.fuzzing.seeds import pack

NAMES = (
    *(
        "a",
        "",
        "x,y",
        'a"b',
        "two\nlines",
        "\r\n",
        "\r",
        "é",
        '"',
        "it's",
        "#",
        "a;b",
        "a|b",
        "a\tb",
        " ",
        "\u2028",
        "日本",
        "\U0001f600",
        "007",
    ),
    *("NA", "\n\n\n", ",,,", '""', "\\", "-", "total", "\x85", "\x0b"),
)
ENDS = ("\n", "\n", "\n", "\r\n", "\r\n", "\r")
PACKED = ("", "", "", "", "", "", "gz", "gz twice", "zst", "bz2", "xz", "zip")
ENDINGS = {
    "": "",
    "gz": ".gz",
    "gz twice": ".gz",
    "zst": ".zst",
    "bz2": ".bz2",
    "xz": ".xz",
    "zip": ".zip",
}
LABELS = ("01", "01", "01", ("no", "yes"), ("f", "t"), ("False", "True"))
HUGE = 100_000


@dataclass(frozen=True)
class Odd:
    """A file: its bytes as they lie on the disk and unpacked, its name, what has to be said of it,
    and what is odd about it.
    """

    data: bytes
    plain: bytes
    name: str
    options: dict[str, Any] = field(default_factory=dict)
    oddities: tuple[str, ...] = ()


class _Written:
    """One file in the making: how it is written is drawn first, then its rows."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sign = rng.choice((",", ",", ",", ";", "\t", "|"))
        self.end = rng.choice(ENDS)
        self.labels = rng.choice(LABELS)
        self.comma = self.sign != "," and rng.random() < 0.3
        self.always = rng.random() < 0.2  # every field in quotes
        self.padded = not self.always and rng.random() < 0.08
        self.mixed = rng.random() < 0.1  # ends of lines of every kind
        self.oddities: set[str] = set()

    def some(self, what: str, chance: float) -> bool:
        """Whether this oddity is to be, and a note of it."""
        found = self.rng.random() < chance
        if found:
            self.oddities.add(what)
        return found

    def field(self, text: str) -> str:
        if self.padded:
            text = f" {text.strip()} "
        if (
            '"' in text
            or self.sign in text
            or "\n" in text
            or "\r" in text
            or self.always
            or self.some("needless quotes", 0.05)
        ):
            return '"' + text.replace('"', '""') + '"'
        return text

    def score(self) -> str:
        rng = self.rng
        text = rng.choice(
            (
                "0.5",
                "1.5",
                "0.25",
                "1e-3",
                "-7.125",
                f"{rng.random():.6f}",
                repr(rng.random()),
                repr(rng.random()),
                str(rng.randrange(9)),
            )
        )
        return text.replace(".", ",") if self.comma else text

    def name(self) -> str:
        if self.some("huge field", 0.001):
            return "x" * HUGE
        texts = NAMES if not self.padded else ("a", "b c", "é")
        return self.rng.choice(texts)

    def row(self) -> str:
        """A row; now and then with too few or too many fields, or blank."""
        fields = [self.name(), self.rng.choice(self.labels), self.score()]
        if self.some("ragged", 0.03):
            fields = (
                fields[: self.rng.randrange(1, 3)]
                if self.rng.random() < 0.5
                else [*fields, "9", ""][: self.rng.randrange(4, 6)]
            )
        elif self.some("blank line", 0.02):
            return self.ended("")
        return self.ended(self.sign.join(map(self.field, fields)))

    def ended(self, line: str) -> str:
        return line + (self.rng.choice(("\n", "\r\n", "\r")) if self.mixed else self.end)

    def header(self) -> str:
        return self.ended(self.sign.join(map(self.field, ("id", "y", "s"))))


def odd_file(rng: random.Random) -> Odd:
    """A file of one to thirty rows under a header, or under nothing, with whatever a user would
    have to say to have it read.
    """
    written, options = _Written(rng), dict[str, Any]()
    body = "".join(written.row() for _ in range(rng.choice((1, 2, 5, 12, 30))))
    text = _above(written, options) + body
    text = _below(written, text)
    if rng.random() < 0.7:
        options["skip_bad"] = 100
    if written.sign != "," and rng.random() < 0.3:
        options["delimiter"] = written.sign
    if written.comma and rng.random() < 0.3:
        options["decimal"] = ","
    plain = _encoded(written, text, options)
    how = rng.choice(PACKED)
    odd = {name for name in ("comma", "always", "padded", "mixed") if getattr(written, name)}
    seen = (
        *written.oddities,
        *odd,
        how,
        f"separated by {written.sign!r}",
        f"ends {written.end!r}",
        *options,
    )
    return Odd(
        pack(plain, how) if how else plain,
        plain,
        f"odd.csv{ENDINGS[how]}",
        options,
        tuple(filter(None, seen)),
    )


def _above(written: _Written, options: dict[str, Any]) -> str:
    """The header, or what stands in its place and above it."""
    if written.some("no header", 0.1):
        options |= {"header": False, "columns": ["id", "y", "s"], "delimiter": written.sign}
        written.padded = False
        return ""
    if written.some("lines above", 0.1):
        lines = written.rng.choice(
            (["# made by a program"], ["Report", "", "of Monday; and 3,5 others"], ["a,b", ""])
        )
        options["skip_lines"] = len(lines)
        return "".join(map(written.ended, lines)) + written.header()
    if written.some("sep=", 0.05):
        return f"sep={written.sign}{written.end}" + written.header()
    return written.header()


def _below(written: _Written, text: str) -> str:
    if written.some("no end", 0.2):
        return text.removesuffix("\n").removesuffix("\r")
    return text + "".join(
        written.ended("")
        for _ in range(
            written.rng.choice((0, 0, 0, 1, 3))
            if written.some("blank lines at the end", 0.3)
            else 0
        )
    )


def _encoded(written: _Written, text: str, options: dict[str, Any]) -> bytes:
    if written.some("BOM", 0.1):
        return codecs.BOM_UTF8 + text.encode()
    if written.some("UTF-16", 0.06):
        return text.encode("utf-16")
    if written.some("cp1252", 0.06):
        options["encoding"] = "cp1252"
        return text.encode("cp1252", "replace")
    return text.encode()
