"""How many threads a pass over rows takes, and work that is split among them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from baserate.errors import quoted, refuse

Result = TypeVar("Result")
# Rows for which one more thread pays, and the fewest for which one is taken at all; more threads
# than MOST_THREADS wait for memory.
ROWS_A_THREAD, LEAST_ROWS, MOST_THREADS = 10**6, 1 << 16, 16
VARIABLE = "BASERATE_THREADS"
_asked: ContextVar[int | None] = ContextVar("threads", default=None)


def in_parallel(work: Callable[[int, int], Result], count: int, threads: int) -> list[Result]:
    """`work(first, end)` for parts that make up range(count), one per thread; the results are in
    order of the parts.
    """
    parts = max(1, min(threads, count))
    bounds = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        return [work(0, count)]
    from concurrent.futures import ThreadPoolExecutor  # loads logging, for those who need it

    with ThreadPoolExecutor(parts) as pool:
        return list(pool.map(work, bounds[:-1], bounds[1:]))


def threads(rows: int | None = None) -> int:
    """How many threads to take: as many as `using` or BASERATE_THREADS says, otherwise one per
    processor, and of a pass over rows one per million. No result depends on it.
    """
    asked = _asked.get() or _from_environment()
    usable = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    most = min(usable, MOST_THREADS) if asked is None else asked
    if rows is None:
        return most
    return max(1, min(most, rows // (ROWS_A_THREAD if asked is None else LEAST_ROWS)))


@contextmanager
def using(threads: int | None) -> Iterator[None]:
    """Counts inside take this number of threads; None leaves it as it is."""
    token = _asked.set(_asked.get() if threads is None else _checked_threads("threads", threads))
    try:
        yield
    finally:
        _asked.reset(token)


def _from_environment() -> int | None:
    text = os.environ.get(VARIABLE, "").strip()
    return _checked_threads(VARIABLE, int(text) if text.isdecimal() else text) if text else None


def _checked_threads(name: str, number: object) -> int:
    """A number of threads, or the reason why it is not."""
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        text = f"{name} must be a whole number from 1, got {quoted(number)}"
        raise refuse("BR532", text, f"{name}=1")
    return number
