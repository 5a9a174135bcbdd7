"""Compressed files, unpacked piece by piece: what comes out is counted, and no header is believed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from baserate.engines.extras import needed
from baserate.errors import Fix, InputError, grouped, quoted, refuse_file, size

PIECE = 1 << 20  # bytes out at a time
SIP = 1 << 10  # bytes in at a time, for zstd, which gives everything at once: 1 kB can become 32 MB, no more
MOST_WINDOW = 1 << 27  # bytes that an xz or zstd file may make its reader remember
MOST_MEMBERS_SHOWN = 4


@dataclass(frozen=True)
class Limits:
    """How much may come out of a file: in all, and for each byte that went in once there is more than a little."""

    most: int = 20_000_000_000
    ratio: int = 200
    free: int = 10_000_000

    def check(self, path: str, came_out: int, went_in: int) -> None:
        """Stop here if this is a bomb."""
        if came_out > self.most or (came_out > self.free and came_out > self.ratio * max(went_in, 1)):
            text = f"stopped at {size(came_out)} uncompressed from {size(went_in)}; nothing was counted"
            fix = "raise the limit if you trust the file: "
            raise refuse_file(path, "BR702", text, Fix(f"{fix}max_bytes={2 * came_out}", f"{fix}--max-bytes {2 * came_out}"))


class EndsEarly(Exception):  # noqa: N818 (never leaves this module)
    """The input is over, and the compressed data are not."""


def pieces(path: str, kind: str, file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """What the file holds, piece by piece; one that is cut off, damaged or a bomb is refused."""
    came_out, all_in = 0, os.fstat(file.fileno()).st_size
    try:
        for piece in _zipped(path, file) if kind == "zip" else _members(kind, file):
            came_out += len(piece)
            limits.check(path, came_out, all_in if kind == "zip" else file.tell())
            yield piece
    except EndsEarly:
        text = f"ends early: the {kind} data are cut off after {size(came_out)}; nothing was counted"
        raise refuse_file(path, "BR715", text, "get the whole file again") from None
    except (InputError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # the disk, not the data (a zip file that points before its own beginning is an invalid argument)
        wrong = quoted(str(error), quotes=False)
        text = f"is damaged: the {kind} data are wrong after {size(came_out)} ({wrong}); nothing was counted"
        raise refuse_file(path, "BR715", text, "get the file again") from None


def _members(kind: str, file: BinaryIO) -> Iterator[bytes]:
    """One compressed stream behind another, as `cat a.gz b.gz` makes them; zeros behind the last are padding."""
    rest = file.read(SIP)
    while rest.strip(b"\0"):
        unpacker = _unpacker(kind)
        while True:
            piece, rest = unpacker.step(rest)
            if piece:
                yield piece
            if unpacker.done:
                break
            if not piece and not rest:
                rest = file.read(SIP if kind == "zstd" else PIECE)
                if not rest:
                    raise EndsEarly
        rest = rest or file.read(SIP)
        while rest and not rest.strip(b"\0"):
            rest = file.read(SIP)


def _unpacker(kind: str) -> Any:
    if kind == "gzip":
        return _Gzip()
    return _Zstd() if kind == "zstd" else _Stepper(kind)


class _Gzip:
    """One member of a gzip file; zlib checks its CRC and its length."""

    def __init__(self) -> None:
        import zlib

        self.unpacker = zlib.decompressobj(wbits=31)

    @property
    def done(self) -> bool:
        return self.unpacker.eof

    def step(self, data: bytes) -> tuple[bytes, bytes]:
        piece = self.unpacker.decompress(data, PIECE)
        return piece, self.unpacker.unused_data if self.unpacker.eof else self.unpacker.unconsumed_tail


class _Stepper:
    """One stream of bzip2 or xz: both keep the input that they have not used."""

    def __init__(self, kind: str) -> None:
        import bz2
        import lzma

        self.unpacker: Any = bz2.BZ2Decompressor() if kind == "bzip2" else lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2 * MOST_WINDOW)

    @property
    def done(self) -> bool:
        return bool(self.unpacker.eof)

    def step(self, data: bytes) -> tuple[bytes, bytes]:
        piece = self.unpacker.decompress(data, PIECE)
        return piece, self.unpacker.unused_data if self.unpacker.eof else b""


class _Zstd:
    """One frame of a zstd file."""

    def __init__(self) -> None:
        self.unpacker: Any = needed("zstandard", "zstd").ZstdDecompressor(max_window_size=MOST_WINDOW).decompressobj()

    @property
    def done(self) -> bool:
        return bool(self.unpacker.eof)

    def step(self, data: bytes) -> tuple[bytes, bytes]:
        piece = self.unpacker.decompress(data[:SIP])
        return piece, (self.unpacker.unused_data if self.unpacker.eof else b"") + data[SIP:]


def _zipped(path: str, file: BinaryIO) -> Iterator[bytes]:
    """The one member of a zip file, read in place."""
    import zipfile

    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) != 1:
            names = ", ".join(quoted(member.filename) for member in members[:MOST_MEMBERS_SHOWN])
            more = " …" if len(members) > MOST_MEMBERS_SHOWN else ""
            text = f"holds {grouped(len(members))} files ({names}{more}): which one?" if members else "is a zip file without files"
            raise refuse_file(path, "BR720", text, "unpack it, and give one file")
        if members[0].flag_bits & 1:
            raise refuse_file(path, "BR720", "is encrypted", "unpack it first")
        with archive.open(members[0]) as member:
            while piece := member.read(PIECE):
                yield piece


def member_names(file: BinaryIO) -> list[str]:
    """What a zip file says it holds; nothing where it cannot be read (its reader then says why)."""
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return []
