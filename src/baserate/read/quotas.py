"""The quotas of a reader process: no more memory than there is, and an end to everything."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baserate.atomic import user_limit
from baserate.errors import InputError, refuse_file, size

CPU_S = 6 * 3600
FILES = 4096
# Address space that is promised and hardly used: libraries, and for every thread its stack and its
# heap.
RESERVED, RESERVED_A_THREAD = 4 << 30, 256 << 20
UNKNOWN = 1 << 40
# A query of a database may take so long, and a second more for every so many bytes of its file.
PATIENCE_S, A_SECOND = 60, 10**6
# Its answer may take so many bytes, and so many more for every byte of the file.
MOST_HELD, HELD_A_BYTE = 2 * 10**9, 200


class Quotas(NamedTuple):
    """Bytes of memory, seconds of processor time, bytes in a file that is written, and open
    files.
    """

    memory: int
    cpu_s: int = CPU_S
    written: int = UNKNOWN
    files: int = FILES


def patience_s(path: str) -> int:
    """How many seconds a query may take: a view may be a question without an end, and it is in the
    file.
    """
    return PATIENCE_S + os.path.getsize(path) // A_SECOND  # noqa: PTH202


def too_long(path: str) -> InputError:
    """The error for a query that takes longer."""
    text = (
        f"the query takes longer than {patience_s(path)} s ({PATIENCE_S} s and 1 s for every MB of"
        " the file); nothing was counted"
    )
    return refuse_file(path, "BR707", text, "write its result into a table, and read that")


def most_held(path: str) -> int:
    """How many bytes the answer of a database may take: a view can give more rows than any file
    holds, long before time is up.
    """
    return MOST_HELD + HELD_A_BYTE * os.path.getsize(path)  # noqa: PTH202


def too_large(path: str) -> InputError:
    """The error for a query that gives more."""
    text = (
        f"the query gives more than {size(most_held(path))} (2 GB and 200 times the size of the"
        " file); nothing was counted"
    )
    return refuse_file(path, "BR702", text, "write its result into a table, and read that")


def held() -> int:
    """The bytes of memory that this process holds; 0 where the system does not say."""
    pages = " ".join(_lines(Path("/proc/self/statm"))).split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if len(pages) > 1 else 0


def machine_memory() -> int:
    """The memory of this machine, or of the container that we are in, or as much of it as the user
    lets a process have.
    """
    found = [UNKNOWN, user_limit() or UNKNOWN]
    with contextlib.suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    if sys.platform == "linux":
        found.extend(_of_cgroups())
    return min(limit for limit in found if limit > 0)


def _of_cgroups() -> Iterator[int]:
    """The limit of every control group that we are in, of both versions; "max" is none."""
    for line in _lines(Path("/proc/self/cgroup")):
        _, controllers, name = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        top, file = (
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            if controllers
            else ("/sys/fs/cgroup", "memory.max")
        )
        group = Path(top, name.strip("/"))
        for place in (group, *group.parents):
            if not place.is_relative_to(top):
                break
            yield from (int(limit) for limit in _lines(place / file) if limit.isdecimal())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []


def confine(quotas: Quotas) -> None:
    """Set the limits for this process, none of which it can lift; where the system has none, there
    are none.
    """
    with contextlib.suppress(OSError):  # whoever has to make room ends us first
        Path("/proc/self/oom_score_adj").write_text("1000")
    try:
        import resource
    except ImportError:  # Windows
        return
    threads = os.cpu_count() or 1
    limits = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": quotas.cpu_s,
        "RLIMIT_FSIZE": quotas.written,
        "RLIMIT_NOFILE": quotas.files,
        "RLIMIT_DATA": quotas.memory,
        "RLIMIT_AS": quotas.memory + RESERVED + RESERVED_A_THREAD * threads,
    }
    for name, limit in limits.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        with contextlib.suppress(OSError, ValueError):
            most = min(
                limit,
                *(there for there in resource.getrlimit(kind) if there != resource.RLIM_INFINITY),
                limit,
            )
            resource.setrlimit(kind, (most, most))
