"""Damage: what disks, networks, editors and bad will do to a file."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Sequence

from benchmarks.fuzzing.seeds import Seed, pack

MOST_BLOCK = 512
INTEGERS = (
    0,
    1,
    2,
    7,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 40,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
)
MAGIC = (
    *(
        b"PAR1",
        b"PARE",
        b"ARROW1\0\0",
        b"FEA1",
        b"SQLite format 3\0",
        b"PK\x03\x04",
        b"PK\x05\x06",
        b"\x1f\x8b\x08",
        b"\x28\xb5\x2f\xfd",
    ),
    *(
        b"BZh9",
        b"\xfd7zXZ\0",
        b"DUCK",
        b"\x93NUMPY\x01\0",
        b"baserate-counts-file-1\n",
        b"\x80\x04",
        b"{",
        b"[",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
)
TOKENS = tuple(
    token.encode()
    for token in (
        *(
            '"',
            '""',
            '"\n"',
            ",",
            ";",
            "\t",
            "|",
            "\n",
            "\r",
            "\r\n",
            "\n\n",
            "\0",
            "\ufeff",
            "\u2028",
            "\x85",
            "\x1c",
            "\u00a0",
            " ",
            "é",
            "\\",
        ),
        *(
            "NaN",
            "NA",
            "",
            "null",
            "inf",
            "-Infinity",
            "1e400",
            "1e-400",
            "-0.0",
            "+5",
            ".5",
            "5.",
            "1_000",
            "0x10",
            "\u0661",
            "1e5",
            "0,5",
        ),
        *(
            "9007199254740993",
            "9223372036854775808",
            "0.1000000000000000055511151231257827",
            "0.30000000000000004",
            "1" * 400,
            "yes",
            "no",
        ),
        *(
            "y",
            "s",
            "sep=;\n",
            "#",
            "Total,,1,\n",
            "{}",
            "[]",
            '"y": 1, ',
            "true",
            "{",
            "}",
            ":",
            "\\u0030",
            "\\ud800",
            "1.0",
            "-1",
        ),
    )
)

NUMBER = re.compile(rb"[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")
ODD = tuple(
    b"0.1 0.10 0.10000000000000001 1e-1 1E-1 .1 1. 10 1e400 2e400 1e-400 2e-400 0.0 -0.0 0e5 5e-324"
    b" inf 00 007 +1 9007199254740993 9007199254740992.0 9223372036854775807 9223372036854775808"
    b" -9223372036854775808 0.30000000000000004 0.300000000000000044 1.7976931348623159e308".split()
)


def mutant(seeds: Sequence[Seed], seed: Seed, rng: random.Random) -> bytes:
    """A damaged copy of a seed; of a packed one, half of the time what lies within is damaged, and
    packed as it should be.
    """
    others = [other for other in seeds if other.format == seed.format]
    while True:
        if seed.packed == "sha256":
            made = (
                _resealed(seed.data, rng)
                if rng.random() < 0.8
                else damaged(seed.data, [o.data for o in others], rng)
            )
        elif seed.packed and rng.random() < 0.5:
            made = pack(
                damaged(
                    seed.inside,
                    [o.inside for o in others if o.inside],
                    rng,
                    text=seed.packed != "npz",
                ),
                seed.packed,
            )
        else:
            made = damaged(
                seed.data,
                [o.data for o in others],
                rng,
                text=seed.format in ("csv", "tsv", "jsonl", "csv-fast"),
            )
        if all(made != other.data for other in others):
            return made


def _resealed(data: bytes, rng: random.Random) -> bytes:
    """Saved counts with a checksum that fits the damage, so that it is not all that is looked
    at.
    """
    body = damaged(data[:-32], [data[:-32]], rng, text=rng.random() < 0.5)
    return body + hashlib.sha256(body).digest()


def damaged(
    data: bytes, others: Sequence[bytes], rng: random.Random, *, text: bool = False
) -> bytes:
    """One to eight wounds."""
    ways: list[tuple[int, Callable[[bytearray, random.Random], None]]] = [
        (5, _flip),
        (2, _overwrite),
        (2, _insert),
        (2, _delete),
        (2, _truncate),
        (1, _swap),
        (1, _repeat),
        (2, _integer),
        (1, _magic),
        (1, lambda made, rng: _splice(made, rng.choice(others), rng)),
    ]
    if text:
        ways += [(8, _token), (8, _digit), (8, _number), (6, _line)]
    made = bytearray(data)
    weights = [weight for weight, _ in ways]
    for _, way in rng.choices(ways, weights, k=rng.choice((1, 1, 1, 1, 1, 2, 3, 8))):
        way(made, rng)
        if not made:
            made += b"\0"
    return bytes(made)


def _place(made: bytearray, rng: random.Random) -> int:
    """Any place, the beginning and the end more often: there lie headers and footers."""
    most = len(made)
    near = min(most, 256)
    return rng.choice(
        (
            rng.randrange(most),
            rng.randrange(most),
            rng.randrange(near),
            most - 1 - rng.randrange(near),
        )
    )


def _block(made: bytearray, rng: random.Random) -> slice:
    begins = _place(made, rng)
    return slice(begins, begins + rng.choice((1, 1, 4, 8, rng.randrange(1, MOST_BLOCK))))


def _flip(made: bytearray, rng: random.Random) -> None:
    made[_place(made, rng)] ^= 1 << rng.randrange(8)


def _overwrite(made: bytearray, rng: random.Random) -> None:
    place = _block(made, rng)
    made[place] = rng.randbytes(len(made[place]))


def _insert(made: bytearray, rng: random.Random) -> None:
    place = _place(made, rng)
    made[place:place] = rng.randbytes(rng.choice((1, 2, 4, 8, 64)))


def _delete(made: bytearray, rng: random.Random) -> None:
    del made[_block(made, rng)]


def _truncate(made: bytearray, rng: random.Random) -> None:
    del made[_place(made, rng) :]


def _swap(made: bytearray, rng: random.Random) -> None:
    """Two blocks of one length change places, as sectors written in the wrong order do."""
    length = rng.choice((1, 8, 64, 512))
    first, second = sorted((_place(made, rng), _place(made, rng)))
    length = min(length, second - first, len(made) - second)
    a, b = bytes(made[first : first + length]), bytes(made[second : second + length])
    made[first : first + length], made[second : second + length] = b, a


def _repeat(made: bytearray, rng: random.Random) -> None:
    place = _block(made, rng)
    made[place.start : place.start] = made[place]


def _integer(made: bytearray, rng: random.Random) -> None:
    """A number at which programs stumble, where a length may stand."""
    width = rng.choice((1, 2, 4, 8))
    place = _place(made, rng)
    value = rng.choice((*INTEGERS, len(made), len(made) + 1)) % (1 << 8 * width)
    made[place : place + width] = value.to_bytes(width, rng.choice(("little", "big")))[
        : len(made) - place
    ]


def _magic(made: bytearray, rng: random.Random) -> None:
    magic = rng.choice(MAGIC)
    place = rng.choice((0, 0, max(len(made) - len(magic), 0), _place(made, rng)))
    made[place : place + len(magic)] = magic


def _splice(made: bytearray, other: bytes, rng: random.Random) -> None:
    """The beginning of one file and the end of another."""
    made[_place(made, rng) :] = other[rng.randrange(len(other)) :]


def _token(made: bytearray, rng: random.Random) -> None:
    """A piece of text that means something to a reader, put in or in place of as much."""
    token, place = rng.choice(TOKENS), _place(made, rng)
    made[place : place + rng.choice((0, 0, len(token), 1))] = token


def _digit(made: bytearray, rng: random.Random) -> None:
    """Another digit: a whole file still, with another value."""
    places = [place for place, byte in enumerate(made) if 0x30 <= byte <= 0x39]
    if places:
        made[rng.choice(places)] = rng.choice(b"0123456789")


def _number(made: bytearray, rng: random.Random) -> None:
    """A whole number of the text becomes another spelling, perhaps an odd one."""
    places = [found.span() for found in NUMBER.finditer(made)]
    if places:
        begins, ends = rng.choice(places)
        made[begins:ends] = rng.choice(
            (rng.choice(ODD), rng.choice(TOKENS), made[slice(*rng.choice(places))] + b"0")
        )


def _line(made: bytearray, rng: random.Random) -> None:
    """A whole line twice, nowhere, elsewhere, or with another end."""
    lines = bytes(made).splitlines(keepends=True)
    line = lines.pop(rng.randrange(len(lines)))
    way = rng.randrange(4)
    if way < 2:
        lines.insert(rng.randrange(len(lines) + 1), line)
    if way == 0:
        lines.insert(rng.randrange(len(lines) + 1), line)
    if way == 3:
        lines.insert(
            rng.randrange(len(lines) + 1),
            line.rstrip(b"\r\n") + rng.choice((b"", b"\n", b"\r", b"\r\n", b",\n")),
        )
    made[:] = b"".join(lines)
