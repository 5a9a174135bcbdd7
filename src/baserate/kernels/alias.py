"""Tables that turn one random word into one draw from any law (Walker 1977), in integers so that C and NumPy draw alike.

A table has 2**bits entries. The top bits of a word choose an entry; the entry's threshold, compared with the low bits of the word, says
whether the draw is the number of the entry or the alias written in it. The law of a table is its weights to within 2**-40 in all
(half the sum of the absolute differences; 2**-32 for tables of more than 2**22 entries), and never a number of weight zero.

Only additions, multiplications and divisions are used, in a fixed order: every platform makes the same tables.
"""

from __future__ import annotations

import math

import numpy as np

from baserate.exact import Floats
from baserate.kernels.words import Words

# The low bits of an entry are its alias, the others its threshold; a long table needs more bits for the one and has fewer for the other,
# and a whole table of thresholds must add up below 2**63.
ALIAS_BITS = 24
THRESHOLD_BITS = 64 - ALIAS_BITS
# Values with less than this times the largest probability are left out; in all that is less than what rounding to integers moves.
LEAST_CHANCE = 2.0**-44
# Two draws from one word where the table of pairs still fits a small cache.
MOST_PAIRED_BITS = 5


def alias_bits(bits: int) -> int:
    """How many low bits of an entry are its alias, in a table of 2**bits entries."""
    return max(ALIAS_BITS, bits + 2)


def alias_table(weights: Floats) -> Words:
    """Entries that draw i in proportion to weights[i].

    An entry has room for one share of 2**-bits. Those with less (light) are filled up from those with more (heavy), both in order; a
    heavy one that has given too much is filled up from the next heavy one. Running sums say who gives to whom, with no loop.
    """
    bits = max(1, (len(weights) - 1).bit_length())
    low = alias_bits(bits)
    room = 1 << (64 - low)
    shares = _shares(weights, bits, room)
    light, heavy = np.flatnonzero(shares < room), np.flatnonzero(shares >= room)
    lacking = room - shares[light]
    lack, excess = np.cumsum(lacking), np.cumsum(shares[heavy] - room)
    thresholds, aliases = np.where(shares < room, shares, 0), np.arange(len(shares))
    aliases[light] = heavy[np.searchsorted(excess, lack - lacking, side="left")]
    emptied_by = np.searchsorted(lack, excess, side="right")
    emptied = np.flatnonzero(emptied_by < len(light))  # never the last: in all, as much is there as is lacking
    thresholds[heavy[emptied]] = room - (lack[emptied_by[emptied]] - excess[emptied])
    aliases[heavy[emptied]] = heavy[emptied + 1]
    return thresholds.astype(np.uint64) << np.uint64(low) | aliases.astype(np.uint64)


def _shares(weights: Floats, bits: int, room: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The weights as integers that add up to 2**bits · room; what rounding leaves over goes to the largest."""
    shares = np.zeros(1 << bits, dtype=np.int64)
    whole = room << bits
    shares[: len(weights)] = np.rint(weights * (whole / float(np.cumsum(weights)[-1])))
    shares[np.argmax(shares)] += whole - int(shares.sum())
    return shares


def poisson(rate: float) -> tuple[int, Floats]:
    """The least value of a Poisson number that matters, and the chances from there on, with 1 for the mode: by ratios, outwards from it."""
    mode, reach = int(rate), int(10 * math.sqrt(rate)) + 30
    least = max(0, mode - reach)
    below = np.cumprod(np.arange(mode, least, -1) / rate)[::-1]
    above = np.cumprod(rate / np.arange(mode + 1, mode + reach + 1))
    chances = np.concatenate((below, np.ones(1), above))
    matter = np.flatnonzero(chances >= LEAST_CHANCE)
    return least + int(matter[0]), chances[matter[0] : matter[-1] + 1]


def poisson_table(rate: float, draws: int) -> tuple[Words, int, int]:
    """Entries, what to add to a draw from them, and the bits of one of a pair where a draw is two numbers (0 where it is one).

    With more `draws` than the table is long, and values of few bits, the table is of pairs: first + (second << bits).
    """
    low, chances = poisson(rate)
    bits = max(1, (len(chances) - 1).bit_length())
    if low or bits > MOST_PAIRED_BITS or draws <= 1 << bits:
        return alias_table(chances), low, 0
    padded = np.zeros(1 << bits)
    padded[: len(chances)] = chances
    return alias_table(np.multiply.outer(padded, padded).ravel()), 0, bits
