"""Types of the C extension that scans JSON lines for read/quick.py."""

from typing import TypeAlias

Field: TypeAlias = tuple[bytes, str, bytearray | None, list[bytes] | None]

def scan(
    lines: bytes, fields: tuple[Field, ...], behind: bytes, /
) -> tuple[int, list[bool]] | None: ...
def whole(doubles: bytearray, /) -> None: ...
