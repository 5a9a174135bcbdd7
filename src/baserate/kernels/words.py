"""Random words that are a function of their place: the same in C and NumPy, and in whatever order and thread they are asked for.

Word k of a key is the finalizer of SplitMix64 (Steele, Lea & Flood 2014) applied to key + (k + 1)·GOLDEN: that generator, started at the
key. A key is made from the seed, the stream (which class), the replicate and the attempt by that finalizer too. As a step is a bijection,
two replicates of one seed and stream have different keys. Two keys share words only where they lie fewer than K steps of GOLDEN
apart, with K words a key: for R keys about R²·K / 2**64 pairs of them do, 2·10⁻⁶ for 20,000 keys of 100,000 words. Even then they would
share words for different cells.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
ABSORBING = 0xD1342543DE82EF95  # another odd number, so that no key is a word of the key it was made from
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
    """What the keys of all replicates of one stream start from; a seed of any length counts with all its bits."""
    if seed < 0 or stream < 0:
        raise ValueError(f"a seed is an integer from 0 up, got {seed}" if seed < 0 else f"a stream is an integer from 0 up, got {stream}")
    state = absorbed(0, seed & MASK)
    while seed := seed >> 64:
        state = absorbed(state, seed & MASK)
    return absorbed(state, stream)


def keys(start: int, replicates: Words, attempt: int) -> Words:
    """The key of each replicate, for an attempt at drawing it; `start` is the lane."""
    states = mix(np.uint64(start) + (replicates + np.uint64(1)) * np.uint64(ABSORBING))
    return mix(states + np.uint64((attempt + 1) * ABSORBING & MASK))


def words_of(of: Words, first: int, count: int) -> Words:
    """Words first to first + count of every key, a row a key."""
    steps = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    return mix(of[:, None] + steps)
