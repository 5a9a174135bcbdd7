"""The bytes of an input: regular file or standard input, its format by its first bytes,
decompression, digests.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import IO, Any, BinaryIO, NamedTuple

from baserate.atomic import FULL, no_room
from baserate.errors import Fix, InputError, Note, grouped, quoted, refuse_file, size
from baserate.read.table import needed
from baserate.read.temporary import PREFIX, remove_abandoned, temporary_folder

# ----------------------------------------------------------------------
# Compressed files, unpacked piece by piece: what comes out is counted, and no header is believed.


PIECE = 1 << 20  # bytes out at a time
SIP = (
    1 << 10
)  # bytes in at a time, for zstd, which gives everything at once: 1 kB can become 32 MB, no more
MOST_WINDOW = 1 << 27  # bytes that an xz or zstd file may make its reader remember
MOST_MEMBERS_SHOWN = 4


@dataclass(frozen=True)
class Limits:
    """How much may come out of a file: in all, and for each byte that went in once there is more
    than a little.
    """

    most: int = 20_000_000_000
    ratio: int = 200
    free: int = 10_000_000

    def check(self, path: str, came_out: int, went_in: int) -> None:
        """Stop here if this is a bomb."""
        if came_out > self.most or (
            came_out > self.free and came_out > self.ratio * max(went_in, 1)
        ):
            text = (
                f"stopped at {size(came_out)} uncompressed from {size(went_in)}; nothing was"
                " counted"
            )
            fix = "raise the limit if you trust the file: "
            raise refuse_file(
                path,
                "BR702",
                text,
                Fix(f"{fix}max_bytes={2 * came_out}", f"{fix}--max-bytes {2 * came_out}"),
            )


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
        text = (
            f"ends early: the {kind} data are cut off after {size(came_out)}; nothing was counted"
        )
        raise refuse_file(path, "BR703", text, "get the whole file again") from None
    except (InputError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            # the disk, not the data (a zip file that points before its own beginning is an invalid
            # argument)
            raise
        wrong = quoted(str(error), quotes=False)
        text = (
            f"is damaged: the {kind} data are wrong after {size(came_out)} ({wrong}); nothing was"
            " counted"
        )
        raise refuse_file(path, "BR703", text, "get the file again") from None


def _members(kind: str, file: BinaryIO) -> Iterator[bytes]:
    """One compressed stream behind another, as `cat a.gz b.gz` makes them; zeros behind the last
    are padding.
    """
    rest = file.read(SIP)
    while rest.strip(b"\0"):
        unpacker = _Unpacker(kind)
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


class _Unpacker:
    """One compressed stream: a member of a gzip file (zlib checks its CRC and its length), a frame
    of zstd, or a stream of bzip2 or xz, which keep the input that they have not used.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.unpacker: Any
        if kind == "gzip":
            self.unpacker = import_module("zlib").decompressobj(wbits=31)
        elif kind == "bzip2":
            self.unpacker = import_module("bz2").BZ2Decompressor()
        elif kind == "xz":
            lzma = import_module("lzma")
            self.unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2 * MOST_WINDOW)
        else:
            zstd = needed("zstandard", "zstd")
            self.unpacker = zstd.ZstdDecompressor(max_window_size=MOST_WINDOW).decompressobj()

    @property
    def done(self) -> bool:
        return bool(self.unpacker.eof)

    def step(self, data: bytes) -> tuple[bytes, bytes]:
        """What comes out, and the input that is left."""
        if self.kind == "zstd":
            data, rest = data[:SIP], data[SIP:]
            piece = self.unpacker.decompress(data)
        else:
            piece, rest = self.unpacker.decompress(data, PIECE), b""
        if self.done:
            return piece, self.unpacker.unused_data + rest
        return piece, self.unpacker.unconsumed_tail if self.kind == "gzip" else rest


def _zipped(path: str, file: BinaryIO) -> Iterator[bytes]:
    """The one member of a zip file, read in place."""
    import zipfile

    with zipfile.ZipFile(file) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        if len(members) != 1:
            names = ", ".join(quoted(member.filename) for member in members[:MOST_MEMBERS_SHOWN])
            more = " …" if len(members) > MOST_MEMBERS_SHOWN else ""
            text = (
                f"holds {grouped(len(members))} files ({names}{more}): which one?"
                if members
                else "is a zip file without files"
            )
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


# ----------------------------------------------------------------------
# What a file is, told by its first bytes; its name is only asked where bytes cannot tell.


HEAD = 512  # bytes that are looked at

# Each compression with the ending that its files usually have.
COMPRESSED = {"gzip": ".gz", "zstd": ".zst", "bzip2": ".bz2", "xz": ".xz", "zip": ".zip"}
TEXT = "text"

MAGIC = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PAR1", "Parquet"),
    (b"PARE", "Parquet"),
    (b"ARROW1", "Arrow"),
    (b"FEA1", "Arrow"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"baserate-counts-file-", "counts"),
)
# Formats that are not read, with what to call them.
FOREIGN = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (xls)"),
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"\x93NUMPY", "a single NumPy array"),
    (b"ORC", "ORC"),
    (b"Obj\x01", "Avro"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a rar archive"),
    (b"\x04\x22\x4d\x18", "an lz4 file"),
    (b"$FL2", "SPSS"),
    (b"<stata_dta>", "Stata"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "SAS"),
    (b"%PDF-", "a PDF"),
    (b"<!DOCTYPE", "HTML"),
    (b"<!doctype", "HTML"),
    (b"<html", "HTML"),
    (b"<?xml", "XML"),
)
OFFICE = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
UNREAD = (
    *OFFICE,
    ".sas7bdat",
    ".sav",
    ".dta",
    ".h5",
    ".hdf5",
    ".npy",
    ".orc",
    ".avro",
    ".xml",
    ".html",
)
# Loading any of these can run what their author wrote into them.
RUNS_CODE = (
    ".pkl",
    ".pickle",
    ".joblib",
    ".dill",
    ".pt",
    ".pth",
    ".ckpt",
    ".rds",
    ".rda",
    ".rdata",
    ".yaml",
    ".yml",
)
PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
SERIALISED_R = (b"RDX2", b"RDX3", b"RDA2", b"RDA3", b"X\n\x00\x00\x00")


ENDINGS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npz": "npz",
    ".sqlite": "SQLite",
    ".sqlite3": "SQLite",
    ".duckdb": "DuckDB",
    ".counts": "counts",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
}
SAVE_AS = 'save the columns instead: df[["y", "m1"]].to_parquet("scores.parquet")'


class Name(NamedTuple):
    """The endings of a file's name: of what it holds, and of how that is compressed."""

    ending: str
    compression: str | None


def name_of(path: str) -> Name:
    """What the name promises: scores.csv.gz is a .csv in gzip."""
    stem, ending = os.path.splitext(path.casefold())  # noqa: PTH122 (names need not be UTF-8)
    compression = next((kind for kind, usual in COMPRESSED.items() if ending == usual), None)
    return Name(os.path.splitext(stem)[1], compression) if compression else Name(ending, None)  # noqa: PTH122


def file_kind(head: bytes, path: str) -> str:
    """The kind of a file that begins like this: a compression, a format, or text."""
    if head[:3] == b"BZh" and head[4:10] == b"1AY&SY":
        return "bzip2"
    if head[8:12] == b"DUCK":
        return "DuckDB"
    found = next((kind for magic, kind in MAGIC if head.startswith(magic)), None)
    if found:
        return found
    promised = ENDINGS.get(name_of(path).ending, TEXT)
    if promised in ("JSON", TEXT):
        return promised if promised == "JSON" or not _looks_like_json(head, path) else "JSON"
    return promised  # its reader says what is wrong with it


def _looks_like_json(head: bytes, path: str) -> bool:
    """An object at the very beginning, in a file that no ending calls a table."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return (
        name_of(path).ending not in (".csv", ".tsv", ".txt", ".tab")
        and start[:1] == b"{"
        and start[1:].lstrip()[:1] in (b'"', b"}")
    )


def check_readable(head: bytes, path: str) -> None:
    """Refuse what could run code, and what we do not read, by its bytes and by its name."""
    ending = name_of(path).ending
    if head.startswith(PICKLES) or ending in RUNS_CODE:
        raise refuse_file(
            path,
            "BR705",
            "is a pickle or a file like it, which can run code when it is loaded: not read",
            SAVE_AS,
        )
    if head.startswith(SERIALISED_R):
        raise refuse_file(
            path,
            "BR705",
            "is a serialised R object, which can run code when it is loaded: not read",
            "write.csv() it in R",
        )
    found = next((what for magic, what in FOREIGN if head.startswith(magic)), None)
    if found:
        raise refuse_file(
            path, "BR610", f"is {found}, which is not read", "export it to CSV or Parquet"
        )
    if ending in UNREAD:
        raise refuse_file(
            path, "BR610", f"is a {ending} file, which is not read", "export it to CSV or Parquet"
        )


# ----------------------------------------------------------------------
# The bytes of an input: a regular file or standard input, unpacked where it is compressed, the same
# from first to last.


STDIN = ("-", "/dev/stdin")
CHUNK = 1 << 20


@dataclass(frozen=True)
class Plain:
    """An input whose bytes lie uncompressed in a regular file: perhaps a temporary one, which goes
    with the context that made it.
    """

    shown: str  # what the user calls it
    path: str  # where the plain bytes lie
    kind: str  # what they are: text, JSON, Parquet …
    sha256: str  # of the input as it lies, compressed or not
    notes: tuple[Note, ...] = ()


@contextlib.contextmanager
def opened(source: str, limits: Limits | None = None, lies: str | None = None) -> Iterator[Plain]:
    """The plain bytes of an input; `lies` says where standard input does, if it was put into a file
    already.

    Whoever reads them may read twice: an input that changes meanwhile is refused.
    """
    limits = limits or Limits()
    remove_abandoned()
    with contextlib.ExitStack() as stack:
        path = lies or (stack.enter_context(spooled(limits)) if source in STDIN else source)
        before = checked_regular(path, source)
        try:
            yield _described(path, source, limits, stack)
        finally:
            # Also where reading failed: half of an old file and half of a new one explain any other
            # error.
            if path == source and _state(path) != before:
                text = "changed while it was read; nothing was counted"
                raise refuse_file(
                    source, "BR611", text, "wait until it is complete, and count again"
                )


def _described(path: str, source: str, limits: Limits, stack: contextlib.ExitStack) -> Plain:
    """What lies there, unpacked where it is compressed."""
    with open(path, "rb") as file:
        head = file.read(HEAD)
        if not head:
            raise refuse_file(
                source, "BR602", "is empty (0 bytes)", "give a file with a header and cases"
            )
        check_readable(head, source)
        kind = file_kind(head, source)
        kind = _kind_of_zip(source, file) if kind == "zip" else kind
    plain = Plain(source, path, kind, digest(path), _misnamed(source, kind))
    if kind not in COMPRESSED:
        return plain
    inside = stack.enter_context(_unpacked(plain, limits))
    with open(inside, "rb") as file:
        head = file.read(HEAD)
    if not head:
        raise refuse_file(
            source, "BR602", "holds an empty file (0 bytes)", "give a file with a header and cases"
        )
    check_readable(head, source)
    held = file_kind(head, source)
    if held in COMPRESSED:
        raise refuse_file(
            source, "BR720", f"is compressed twice ({kind}, and {held} within)", "unpack it once"
        )
    return replace(plain, path=inside, kind=held)


def _kind_of_zip(source: str, file: BinaryIO) -> str:
    """Many formats are zip files with members of known names."""
    names = member_names(file)
    if any(name.endswith((".pkl", ".pickle")) for name in names):
        raise refuse_file(
            source,
            "BR705",
            "holds a pickle, which can run code when it is loaded: not read",
            SAVE_AS,
        )
    if "[Content_Types].xml" in names or "mimetype" in names:
        raise refuse_file(
            source,
            "BR610",
            "is a spreadsheet or another Office file, which is not read",
            "export it to CSV or Parquet",
        )
    return "npz" if names and all(name.endswith(".npy") for name in names) else "zip"


def _misnamed(source: str, kind: str) -> tuple[Note, ...]:
    """A word on a name that promises something else than the bytes keep."""
    promised, found = name_of(source).compression, kind if kind in COMPRESSED else None
    if promised == found or source in STDIN:
        return ()
    named = f"is named {COMPRESSED[promised]}" if promised else "has no ending that says so"
    return (
        Note(
            "BR716",
            f"the file {named}, but is"
            f" {'compressed: ' + found if found else 'not ' + str(promised)}; its bytes decided",
        ),
    )


@contextlib.contextmanager
def written(pieces: Iterator[bytes]) -> Iterator[str]:
    """A temporary file with these bytes, for as long as the context lasts."""
    with temporary_folder() as folder:
        path, written = os.path.join(folder, "copy"), 0
        with open(path, "wb") as file:
            for piece in pieces:
                written += len(piece)
                with _with_room(written):
                    file.write(piece)
            with _with_room(written):
                file.flush()
        yield path


@contextlib.contextmanager
def _with_room(written: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise no_temporary_room(
            error, f"{size(written)} or more needed for a copy of the input"
        ) from None


def no_temporary_room(error: OSError, needed: str) -> OSError:
    """The error where temporary files do not fit. A reader in a process of its own has a folder
    within the one that the user knows.
    """
    folder = tempfile.gettempdir()
    folder = os.path.dirname(folder) if os.path.basename(folder).startswith(PREFIX) else folder  # noqa: PTH119, PTH120
    found = no_room(error, folder, needed)
    place = (
        ""
        if error.errno == errno.EFBIG
        else " (the folder for temporary files: TMPDIR names another)"
    )
    return OSError(found.errno, f"{found.strerror}{place}")


@contextlib.contextmanager
def _unpacked(plain: Plain, limits: Limits) -> Iterator[str]:
    with (
        open(plain.path, "rb") as file,
        written(pieces(plain.shown, plain.kind, file, limits)) as path,
    ):
        yield path


@contextlib.contextmanager
def spooled(limits: Limits) -> Iterator[str]:
    """Standard input in a file of its own, so that it can be looked at twice."""
    if sys.stdin is None or sys.stdin.isatty():
        raise refuse_file(
            "-", "BR615", "nothing is piped into standard input", "baserate show - < scores.csv"
        )
    with written(_from_stdin(sys.stdin.buffer, limits)) as path:
        yield path


def _from_stdin(stream: BinaryIO, limits: Limits) -> Iterator[bytes]:
    came = 0
    while piece := stream.read(CHUNK):
        came += len(piece)
        if came > limits.most:
            fix = Fix.option("max_bytes", 2 * came)
            raise refuse_file(
                "-",
                "BR702",
                f"standard input is larger than {size(limits.most)}; nothing was counted",
                fix,
            )
        yield piece


State = tuple[int, int, int, int]


def checked_regular(path: str, shown: str | None = None) -> State:
    """The state of a regular file: what changes where it does. Pipes, devices, sockets and folders
    are refused at once.
    """
    found = os.stat(path)  # noqa: PTH116 (bytes-safe, and follows links as opening does)
    if not stat.S_ISREG(found.st_mode):
        raise refuse_file(
            shown or path, "BR615", "is not a regular file", "save the data to a file first"
        )
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _state(path: str) -> State | None:
    """The same of a file that may be gone by now, or be none."""
    try:
        return checked_regular(path)
    except (OSError, InputError):
        return None


def fill(stream: IO[bytes], room: memoryview) -> None:
    """Exactly as many bytes as there is room for, piece by piece: what was promised is
    only trusted as it arrives.
    """
    read: Callable[[memoryview], int | None] = stream.readinto  # type: ignore[attr-defined]
    filled = 0
    while filled < len(room):
        came = read(room[filled : filled + PIECE])
        if not came:
            raise EOFError("the data end early")
        filled += came


def digest(path: str) -> str:
    """SHA-256 of a file as it lies."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ----------------------------------------------------------------------
# A file as it lies on the disk: regular, not empty, hashed, and the same after reading as before.


@contextlib.contextmanager
def unchanged(paths: Sequence[str]) -> Iterator[str]:
    """The SHA-256 of the bytes while they are being read; of several files, that of their digests,
    one per line.
    """
    before = [state_of(path) for path in paths]
    digests = [digest(path) for path in paths]
    yield (
        digests[0]
        if len(digests) == 1
        else hashlib.sha256("".join(f"{each}\n" for each in digests).encode()).hexdigest()
    )
    for path, state in zip(paths, before, strict=True):
        check_state(path, state)


def with_log(path: str, ending: str) -> list[str]:
    """A database, and beside it the log that holds its latest changes, where there is one."""
    log = path + ending
    return [path, log] if os.path.exists(log) and os.path.getsize(log) else [path]  # noqa: PTH110, PTH202


def check_state(path: str, before: State) -> None:
    """Refuse a file that is not what it was."""
    if state_of(path) != before:
        raise refuse_file(
            path, "BR611", "changed while it was read", "wait until it is written, or read a copy"
        )


def state_of(path: str) -> State:
    """The state of a regular file that is not empty."""
    found = checked_regular(path)
    if not found[2]:
        raise refuse_file(path, "BR602", "is empty (0 bytes)", "give a file with cases")
    return found
