"""Threads, for loops that hold no lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def in_parallel(work: Callable[[int, int], Result], count: int, threads: int) -> list[Result]:
    """`work(first, end)` for parts that make up range(count), one a thread; the results are in order of the parts."""
    parts = max(1, min(threads, count))
    bounds = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        return [work(0, count)]
    with ThreadPoolExecutor(parts) as pool:
        return list(pool.map(work, bounds[:-1], bounds[1:]))
