"""Random draws that are the same in C and NumPy, in any order and any thread: counter-based words,
alias tables, urns.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from baserate.errors import quoted, refuse
from baserate.numbers import EXACT_FLOATS, INT64_MAX, Floats, Frozen, Ints, total

# ----------------------------------------------------------------------
# Random words that are a function of their place: the same in C and NumPy, and in whatever order
# and thread they are asked for.


Words: TypeAlias = npt.NDArray[np.uint64]

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
ABSORBING = (
    0xD1342543DE82EF95  # another odd number, so that no key is a word of the key it was made from
)
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(word: int) -> int:
    """The finalizer of SplitMix64: every bit of the word bears on every bit of the result."""
    word = (word ^ word >> 30) * FIRST & MASK
    word = (word ^ word >> 27) * SECOND & MASK
    return word ^ word >> 31


def mix(words: Words) -> Words:
    """`mixed`, of every word, in place."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(FIRST)
    words ^= words >> np.uint64(27)
    words *= np.uint64(SECOND)
    words ^= words >> np.uint64(31)
    return words


def absorbed(state: int, part: int) -> int:
    """A state that depends on one number more."""
    return mixed(state + (part + 1) * ABSORBING & MASK)


def lane(seed: int, stream: int) -> int:
    """What the keys of all replicates of one stream start from; a seed of any length counts with
    all its bits.
    """
    if seed < 0 or stream < 0:
        raise ValueError(
            f"a seed is an integer from 0 up, got {seed}"
            if seed < 0
            else f"a stream is an integer from 0 up, got {stream}"
        )
    state = absorbed(0, seed & MASK)
    while seed := seed >> 64:
        state = absorbed(state, seed & MASK)
    return absorbed(state, stream)


def keys(start: int, replicates: Words, attempt: int) -> Words:
    """The key of each replicate, for an attempt at drawing it; `start` is the lane."""
    states = mix(np.uint64(start) + (replicates + np.uint64(1)) * np.uint64(ABSORBING))
    return mix(states + np.uint64((attempt + 1) * ABSORBING & MASK))


def words_of(of: Words, first: int, count: int) -> Words:
    """Words first to first + count of every key, one row per key."""
    steps = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    return mix(of[:, None] + steps)


# ----------------------------------------------------------------------
# Tables that turn one random word into one draw from any law (Walker 1977), in integers so that C
# and NumPy draw alike.


# The low bits of an entry are its alias, the others its threshold; a long table needs more bits for
# the one and has fewer for the other, and a whole table of thresholds must add up below 2**63.
ALIAS_BITS = 24
THRESHOLD_BITS = 64 - ALIAS_BITS
# Values with less than this times the largest probability are left out; in all that is less than
# what rounding to integers moves.
LEAST_CHANCE = 2.0**-44
# Two draws from one word where the table of pairs still fits a small cache.
MOST_PAIRED_BITS = 5
# Tables that are kept for further urns.
MOST_TABLES = 1024


def alias_bits(bits: int) -> int:
    """How many low bits of an entry are its alias, in a table of 2**bits entries."""
    return max(ALIAS_BITS, bits + 2)


def alias_table(weights: Floats) -> Words:
    """Entries that draw i in proportion to weights[i]."""
    bits = max(1, (len(weights) - 1).bit_length())
    alike = len(weights) > 1 and weights.min() == weights.max()
    return (_even_table if alike else _any_table)(weights, bits, alias_bits(bits))


def _any_table(weights: Floats, bits: int, low: int) -> Words:
    """An entry has room for one share of 2**-bits. Those with less (light) are filled up from those
    with more (heavy), both in order; a heavy one that has given too much is filled up from the next
    heavy one. Running sums say who gives to whom, with no loop.
    """
    room = 1 << (64 - low)
    shares = _shares(weights, bits, room)
    light, heavy = np.flatnonzero(shares < room), np.flatnonzero(shares >= room)
    lacking = room - shares[light]
    lack, excess = np.cumsum(lacking), np.cumsum(shares[heavy] - room)
    thresholds, aliases = np.where(shares < room, shares, 0), np.arange(len(shares))
    aliases[light] = heavy[np.searchsorted(excess, lack - lacking, side="left")]
    # Running sums rise: those that are emptied stand first, but never the last of all, as in all as
    # much is there as is lacking.
    emptied = int(np.searchsorted(excess, lack[-1], side="left")) if len(light) else 0
    emptied_by = np.searchsorted(lack, excess[:emptied], side="right")
    thresholds[heavy[:emptied]] = room - (lack[emptied_by] - excess[:emptied])
    aliases[heavy[:emptied]] = heavy[1 : emptied + 1]
    thresholds <<= low
    thresholds |= aliases
    return thresholds.view(np.uint64)


def _even_table(weights: Floats, bits: int, low: int) -> Words:
    """The same for equal weights, as those of the cells of scores that never tie: all of them are
    heavy, and fill up the entries beyond them one after the other.
    """
    cells, room = len(weights), 1 << (64 - low)
    beyond, whole = (1 << bits) - cells, room << bits
    each = float(weights[0])
    counted = each.is_integer() and each * cells <= EXACT_FLOATS
    even = int(
        np.rint(each * (whole / (each * cells if counted else float(np.cumsum(weights)[-1]))))
    )
    excess = np.arange(1, cells + 1)
    excess *= even - room
    excess += whole - even * cells
    entries = np.arange(1, (1 << bits) + 1)
    entries[cells:] = np.searchsorted(excess, room * np.arange(beyond), side="left")
    last = int(np.searchsorted(excess, room * beyond, side="left"))
    entries[last:cells] -= 1
    excess &= room - 1
    excess <<= low
    entries[:last] |= excess[:last]
    return entries.view(np.uint64)


def _shares(weights: Floats, bits: int, room: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The weights as integers that add up to 2**bits · room; what rounding leaves over goes to the
    largest.
    """
    shares = np.zeros(1 << bits, dtype=np.int64)
    whole = room << bits
    shares[: len(weights)] = np.rint(weights * (whole / float(np.cumsum(weights)[-1])))
    shares[np.argmax(shares)] += whole - int(shares.sum())
    return shares


@lru_cache(maxsize=MOST_TABLES)
def poisson(rate: float) -> tuple[int, Floats]:
    """The least value of a Poisson number that matters, and the chances from there on, with 1 for
    the mode: by ratios, outwards from it.
    """
    mode, reach = int(rate), int(10 * math.sqrt(rate)) + 30
    least = max(0, mode - reach)
    below = np.cumprod(np.arange(mode, least, -1) / rate)[::-1]
    above = np.cumprod(rate / np.arange(mode + 1, mode + reach + 1))
    chances = np.concatenate((below, np.ones(1), above))
    matter = np.flatnonzero(chances >= LEAST_CHANCE)
    return least + int(matter[0]), chances[matter[0] : matter[-1] + 1]


def poisson_table(rate: float, draws: int) -> tuple[Words, int, int]:
    """Entries, what to add to a draw from them, and the bits of one of a pair where a draw is two
    numbers (0 where it is one).

    With more `draws` than the table is long, and values of few bits, the table is of pairs: first +
    (second << bits).
    """
    low, chances = poisson(rate)
    bits = max(1, (len(chances) - 1).bit_length())
    paired = not low and bits <= MOST_PAIRED_BITS and draws > 1 << bits
    return _entries(rate, paired), low, bits if paired else 0


@lru_cache(maxsize=MOST_TABLES)
def _entries(rate: float, paired: bool) -> Words:  # noqa: FBT001
    """The entries of one number or of two; urns of as many cases have rates in common."""
    _, chances = poisson(rate)
    if not paired:
        return alias_table(chances)
    padded = np.zeros(1 << max(1, (len(chances) - 1).bit_length()))
    padded[: len(chances)] = chances
    return alias_table(np.multiply.outer(padded, padded).ravel())


# ----------------------------------------------------------------------
# What a resample is drawn from: the counts of cells, as tables that turn one random word into one
# draw.


Sizes: TypeAlias = npt.ArrayLike
Spots: TypeAlias = npt.NDArray[np.uint32]

# Streams of random words; further ones are the caller's.
POSITIVES, NEGATIVES = 0, 1

MOST_CASES = 2**40
MOST_CELLS = 2**31
# Power sums of the places of cases go up to this power, in so many running sums: see _powers.h.
POWERS, LANES = 4, 4
# Each attempt succeeds with probability 0.97 or so at the sizes an urn is made for; at sizes far
# below it would never.
MOST_ATTEMPTS = 1000

# A missing case costs about as much as a cell, and Poisson numbers that add up to too much cost all
# cells: with N cases, two standard deviations leave 2·√N cases to add and reject one replicate in
# 40. Every slack gives the same law.
SLACK = 2.0
# Sizes beyond so many times the cases are reached one by one: tables grow with the square root of
# this.
MOST_SCALE = 16.0

# A count is cut into digits of so many bits, from the lowest on, with a table for each value of a
# digit that occurs. Wider digits would need more and longer tables, narrower ones more draws. What
# is left above is drawn 2**28 cases at a time.
DIGITS = ((0, 8), (8, 8), (16, 4), (20, 4), (24, 4))
REST = 28


class Urn(Frozen):
    """Cells with integer counts, to draw resamples of about `least` cases or more from (by default:
    of as many as there are).

    `bands` are rows of (first entry, bits, lowest value, bits of one of a pair or 0, first place,
    end of places): the cells `places[first:end]` are drawn from the table of 2**bits `entries` that
    starts there. `units` is a table too, of the cell of one case.
    """

    counts: Ints
    total: int
    least: int
    entries: Words
    bands: Ints
    places: npt.NDArray[np.uint32]
    units: Words

    def __init__(
        self, counts: npt.ArrayLike, *, least: int | None = None, slack: float = SLACK
    ) -> None:
        """Every `least` and `slack` give the same law, but other draws; far from the sizes that are
        requested they cost time.
        """
        cells = _checked(counts)
        cases = int(total(cells))
        if not 0 < cases <= MOST_CASES:
            raise ValueError(f"a resample is drawn from 1 to 2**40 cases, got {cases}")
        size = cases if least is None else int(least)
        if size < 0 or not slack >= 0:
            raise ValueError(
                f"the least size of a resample and the slack cannot be negative, got {least} and"
                f" {slack}"
            )
        scale = min(MOST_SCALE, max(0.0, size - slack * math.sqrt(size)) / cases)
        entries, bands, places = _tables(cells, scale)
        units = alias_table(cells.astype(np.float64))
        arrays = (cells, entries, bands, places, units)
        self._set(
            arrays,
            counts=cells,
            total=cases,
            least=size,
            entries=entries,
            bands=bands,
            places=places,
            units=units,
        )

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return (
            f"Urn: {self.total} cases in {len(self)} cells, for resamples of {self.least} or more"
        )


def _checked(counts: npt.ArrayLike) -> Ints:
    cells = np.asarray(counts)
    if (
        cells.ndim != 1
        or cells.dtype.kind not in "iu"
        or len(cells) > MOST_CELLS
        or cells.min(initial=0) < 0
        or cells.max(initial=0) > MOST_CASES
    ):
        raise ValueError("counts to draw from must be a flat array of integers from 0 to 2**40")
    return cells.astype(np.int64)


def _digits(cells: Ints) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """(digit times its unit, the cells that have it): for each cell these add up to its count."""
    most = int(cells.max(initial=0))
    alike = not len(cells) or int(cells.min()) == most
    for shift, width in DIGITS:
        if most >> shift == 0:
            break
        if alike:
            digit = most >> shift & (1 << width) - 1
            if digit:
                yield digit << shift, np.arange(len(cells), dtype=np.uint32)
            continue
        digits = (cells >> shift & (1 << width) - 1).astype(np.uint8)
        order = np.argsort(digits, kind="stable")
        ends = np.cumsum(np.bincount(digits, minlength=1 << width))
        for digit in (np.flatnonzero(np.diff(ends)) + 1).tolist():
            yield digit << shift, order[ends[digit - 1] : ends[digit]]
    for layer in range(most >> REST):
        yield 1 << REST, np.flatnonzero(cells >> REST > layer)


def _tables(cells: Ints, scale: float) -> tuple[Words, Ints, npt.NDArray[np.uint32]]:
    """The entries of all tables, the bands that say which cells draw from which, and these
    cells.
    """
    tables: list[Words] = []
    known: dict[int, tuple[int, int, int, int]] = {}
    bands: list[tuple[int, ...]] = []
    places: list[npt.NDArray[np.uint32]] = []
    entries = draws = 0
    for cases, where in _digits(cells) if scale > 0 else ():
        if cases not in known:
            table, low, half = poisson_table(cases * scale, len(where))
            known[cases] = entries, len(table).bit_length() - 1, low, half
            tables.append(table)
            entries += len(table)
        bands.append((*known[cases], draws, draws + len(where)))
        places.append(where.astype(np.uint32, copy=False))
        draws += len(where)
    none = np.empty(0, dtype=np.uint64)
    return (
        np.concatenate((none, *tables)),
        np.array(bands, dtype=np.int64).reshape(-1, 6),
        places[0] if len(places) == 1 else np.concatenate([np.empty(0, np.uint32), *places]),
    )


def checked_sizes(urn: Urn, sizes: Sizes, first: int) -> Ints:
    """Sizes of the resamples from number `first` on, as the loops need them."""
    wanted = np.ascontiguousarray(sizes, dtype=np.int64)
    if wanted.ndim != 1 or (len(wanted) and (wanted.min() < 0 or wanted.max() > MOST_CASES)):
        raise ValueError(
            f"sizes of resamples from {urn!r} must be a flat array of integers from 0 to 2**40"
        )
    if not 0 <= first <= INT64_MAX - len(wanted):
        raise ValueError(f"replicates are numbered from 0 up to 2**63, got {first}")
    return wanted


def check_room(urn: Urn, sizes: Ints, out: Ints) -> None:
    """Is `out` a row of int64 for each replicate, an entry for each cell?"""
    if out.dtype != np.int64 or out.shape != (len(sizes), len(urn)) or not out.flags.c_contiguous:
        raise ValueError(
            f"resamples need contiguous int64 of shape {(len(sizes), len(urn))}, got {out.dtype} of"
            f" shape {out.shape}"
        )


def check_spots(urn: Urn, sizes: Ints, spots: Spots, out: Ints) -> None:
    """Has every cell as many spots, within a row of `out`, and every replicate a row?"""
    if (
        spots.dtype != np.uint32
        or spots.ndim != 2
        or len(spots) != len(urn)
        or not spots.shape[1]
        or not spots.flags.c_contiguous
    ):
        raise ValueError(
            f"spots are contiguous uint32, a row for each of {len(urn)} cells, got {spots.dtype} of"
            f" shape {spots.shape}"
        )
    if (
        out.dtype != np.int64
        or out.ndim != 2
        or len(out) != len(sizes)
        or not out.flags.c_contiguous
    ):
        raise ValueError(
            f"sums need contiguous int64, a row for each of {len(sizes)} resamples, got {out.dtype}"
            f" of shape {out.shape}"
        )
    if len(spots) and int(spots.max()) >= out.shape[1]:
        raise ValueError("a spot lies beyond the row")


def check_bins(cells: int, offsets: Ints, places: Floats, out: Floats, rows: int) -> None:
    """Do bins hold every cell, one after the other, with a place for each, and room for the sums
    of each bin and replicate?
    """
    fits = (
        offsets.dtype == np.int64
        and offsets.ndim == 1
        and len(offsets) > 1
        and offsets[0] == 0
        and offsets[-1] == cells
        and not (np.diff(offsets) < 0).any()
    )
    if not fits:
        raise ValueError(f"offsets of bins are int64 from 0 up to {cells} cells")
    if places.dtype != np.float64 or places.shape != (cells,) or not places.flags.c_contiguous:
        raise ValueError(f"places are contiguous float64, one of each of {cells} cells")
    shape = (rows, POWERS + 1, len(offsets) - 1)
    if out.dtype != np.float64 or out.shape != shape or not out.flags.c_contiguous:
        raise ValueError(
            f"power sums need contiguous float64 of shape {shape}, got {out.dtype} of shape"
            f" {out.shape}"
        )


def checked_pair(
    positives: Urn, negatives: Urn, sizes_p: Sizes, sizes_n: Sizes, first: int
) -> tuple[Ints, Ints]:
    """Sizes of the resamples of both classes, where twice the pairs they make fits an int64."""
    ours, theirs = (
        checked_sizes(positives, sizes_p, first),
        checked_sizes(negatives, sizes_n, first),
    )
    if len(positives) != len(negatives) or len(ours) != len(theirs):
        raise ValueError("both classes need the same cells and as many resamples")
    if len(ours) and 2 * int(ours.max()) * int(theirs.max()) > INT64_MAX:
        raise ValueError("twice the number of pairs goes beyond the largest 64-bit integer")
    return ours, theirs


def hopeless(urn: Urn) -> ValueError:
    """A size that this urn was not made for, and that all attempts have missed."""
    return ValueError(f"{urn!r} cannot draw this small a sample: make an urn with a lower `least`")


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
