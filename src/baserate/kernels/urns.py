"""What a resample is drawn from: the counts of cells, as tables that turn one random word into one draw.

A Poisson number for every cell, given their total, is a multinomial draw of that total. So a resample of `size` cases starts with
independent Poisson numbers whose rates are the counts, scaled to add up to a little less than `size`, and the few cases that are still
missing are drawn one by one. Where the Poisson numbers add up to more than `size` they are drawn again; that depends on their total
only, so what is accepted is multinomial.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.exact import INT64_MAX, Ints, total
from baserate.frozen import Frozen
from baserate.kernels.alias import alias_table, poisson_table
from baserate.kernels.words import Words

Sizes: TypeAlias = npt.ArrayLike
Spots: TypeAlias = npt.NDArray[np.uint32]

# Streams of random words; further ones are the caller's.
POSITIVES, NEGATIVES = 0, 1

MOST_CASES = 2**40
MOST_CELLS = 2**31
# Each attempt succeeds with probability 0.97 or so at the sizes an urn is made for; at sizes far below it would never.
MOST_ATTEMPTS = 1000

# A missing case costs about as much as a cell, and Poisson numbers that add up to too much cost all cells: with N cases, two standard
# deviations leave 2·√N cases to add and reject one replicate in 40. Every slack gives the same law.
SLACK = 2.0
# Sizes beyond so many times the cases are reached one by one: tables grow with the square root of this.
MOST_SCALE = 16.0

# A count is cut into digits of so many bits, from the lowest on, with a table for each value of a digit that occurs. Wider digits
# would need more and longer tables, narrower ones more draws. What is left above is drawn 2**28 cases at a time.
DIGITS = ((0, 8), (8, 8), (16, 4), (20, 4), (24, 4))
REST = 28


class Urn(Frozen):
    """Cells with integer counts, to draw resamples of about `least` cases or more from (by default: of as many as there are).

    `bands` are rows of (first entry, bits, lowest value, bits of one of a pair or 0, first place, end of places): the cells
    `places[first:end]` are drawn from the table of 2**bits `entries` that starts there. `units` is a table too, of the cell of one case.
    """

    counts: Ints
    total: int
    least: int
    entries: Words
    bands: Ints
    places: npt.NDArray[np.uint32]
    units: Words

    def __init__(self, counts: npt.ArrayLike, *, least: int | None = None, slack: float = SLACK) -> None:
        """Every `least` and `slack` give the same law, but other draws; far from the sizes that are asked for they cost time."""
        cells = _checked(counts)
        cases = int(total(cells))
        if not 0 < cases <= MOST_CASES:
            raise ValueError(f"a resample is drawn from 1 to 2**40 cases, got {cases}")
        size = cases if least is None else int(least)
        if size < 0 or not slack >= 0:
            raise ValueError(f"the least size of a resample and the slack cannot be negative, got {least} and {slack}")
        scale = min(MOST_SCALE, max(0.0, size - slack * math.sqrt(size)) / cases)
        entries, bands, places = _tables(cells, scale)
        units = alias_table(cells.astype(np.float64))
        arrays = (cells, entries, bands, places, units)
        self._set(arrays, counts=cells, total=cases, least=size, entries=entries, bands=bands, places=places, units=units)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Urn: {self.total} cases in {len(self)} cells, for resamples of {self.least} or more"


def _checked(counts: npt.ArrayLike) -> Ints:
    cells = np.array(counts)
    if cells.ndim != 1 or cells.dtype.kind not in "iu" or len(cells) > MOST_CELLS or (cells < 0).any() or (cells > MOST_CASES).any():
        raise ValueError("counts to draw from must be a flat array of integers from 0 to 2**40")
    return cells.astype(np.int64)


def _digits(cells: Ints) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """(digit times its unit, the cells that have it): for each cell these add up to its count."""
    for shift, width in DIGITS:
        digits = (cells >> shift & (1 << width) - 1).astype(np.uint8)
        order = np.argsort(digits, kind="stable")
        ends = np.cumsum(np.bincount(digits, minlength=1 << width))
        for digit in (np.flatnonzero(np.diff(ends)) + 1).tolist():
            yield digit << shift, order[ends[digit - 1] : ends[digit]]
    rest = cells >> REST
    for layer in range(int(rest.max())):
        yield 1 << REST, np.flatnonzero(rest > layer)


def _tables(cells: Ints, scale: float) -> tuple[Words, Ints, npt.NDArray[np.uint32]]:
    """The entries of all tables, the bands that say which cells draw from which, and these cells."""
    tables: list[Words] = []
    known: dict[int, tuple[int, int, int, int]] = {}
    bands: list[tuple[int, ...]] = []
    places: list[npt.NDArray[Any]] = []
    entries = draws = 0
    for cases, where in _digits(cells) if scale > 0 else ():
        if cases not in known:
            table, low, half = poisson_table(cases * scale, len(where))
            known[cases] = entries, len(table).bit_length() - 1, low, half
            tables.append(table)
            entries += len(table)
        bands.append((*known[cases], draws, draws + len(where)))
        places.append(where)
        draws += len(where)
    none = np.empty(0, dtype=np.uint64)
    return np.concatenate((none, *tables)), np.array(bands, dtype=np.int64).reshape(-1, 6), np.concatenate((none, *places)).astype(np.uint32)


def checked_sizes(urn: Urn, sizes: Sizes, first: int) -> Ints:
    """Sizes of the resamples from number `first` on, as the loops need them."""
    wanted = np.ascontiguousarray(sizes, dtype=np.int64)
    if wanted.ndim != 1 or (len(wanted) and (wanted.min() < 0 or wanted.max() > MOST_CASES)):
        raise ValueError(f"sizes of resamples from {urn!r} must be a flat array of integers from 0 to 2**40")
    if not 0 <= first <= INT64_MAX - len(wanted):
        raise ValueError(f"replicates are numbered from 0 up to 2**63, got {first}")
    return wanted


def check_room(urn: Urn, sizes: Ints, out: Ints) -> None:
    """Is `out` a row of int64 for each replicate, an entry for each cell?"""
    if out.dtype != np.int64 or out.shape != (len(sizes), len(urn)) or not out.flags.c_contiguous:
        raise ValueError(f"resamples need contiguous int64 of shape {(len(sizes), len(urn))}, got {out.dtype} of shape {out.shape}")


def check_spots(urn: Urn, sizes: Ints, spots: Spots, out: Ints) -> None:
    """Has every cell as many spots, within a row of `out`, and every replicate a row?"""
    if spots.dtype != np.uint32 or spots.ndim != 2 or len(spots) != len(urn) or not spots.shape[1] or not spots.flags.c_contiguous:
        raise ValueError(f"spots are contiguous uint32, a row for each of {len(urn)} cells, got {spots.dtype} of shape {spots.shape}")
    if out.dtype != np.int64 or out.ndim != 2 or len(out) != len(sizes) or not out.flags.c_contiguous:
        raise ValueError(f"sums need contiguous int64, a row for each of {len(sizes)} resamples, got {out.dtype} of shape {out.shape}")
    if len(spots) and int(spots.max()) >= out.shape[1]:
        raise ValueError("a spot lies beyond the row")


def checked_pair(positives: Urn, negatives: Urn, sizes_p: Sizes, sizes_n: Sizes, first: int) -> tuple[Ints, Ints]:
    """Sizes of the resamples of both classes, where twice the pairs they make fits an int64."""
    ours, theirs = checked_sizes(positives, sizes_p, first), checked_sizes(negatives, sizes_n, first)
    if len(positives) != len(negatives) or len(ours) != len(theirs):
        raise ValueError("both classes need the same cells and as many resamples")
    if len(ours) and 2 * int(ours.max()) * int(theirs.max()) > INT64_MAX:
        raise ValueError("twice the number of pairs goes beyond the largest 64-bit integer")
    return ours, theirs


def hopeless(urn: Urn) -> ValueError:
    """A size that this urn was not made for, and that all attempts have missed."""
    return ValueError(f"{urn!r} cannot draw one so much smaller: make an urn with a lower `least`")
