"""Fingerprints that are the same on every machine. OpenSSL takes milliseconds to load, so only who asks for one pays for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def little_endian(array: npt.NDArray[Any]) -> memoryview:
    """The bytes of an array as they are written and digested on every machine."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).view(np.uint8).data


def sha256(pieces: Iterable[bytes | memoryview]) -> bytes:
    """The SHA-256 of the pieces end to end."""
    import hashlib

    state = hashlib.sha256()
    for piece in pieces:
        state.update(piece)
    return state.digest()


def fingerprint(head: str, arrays: Iterable[npt.NDArray[Any]]) -> str:
    """The digest of a value: a head that says what it is, then its arrays."""
    return sha256([head.encode(), *map(little_endian, arrays)]).hex()
