"""Data sets that engines disagree on: edge values, nulls, NaN, signed zeros, infinities, huge
integers, many ties, one class, a single row.
"""

import numpy as np
from tests.strategies import INFINITE, ODD_FLOATS, ODD_INTS

FLOATS = ("uniform", "normal", "tied", "wide", "odd", "one value", "zeros", "infinite")
INTS = ("few ints", "huge ints", "odd ints")


def datasets(count, seed=0):
    """(labels, scores) of lists with None for null: float scores (NaN among them) or int scores, in
    turn.
    """
    rng = np.random.default_rng(seed)
    return [_dataset(rng, number) for number in range(count)]


def _dataset(rng, number):
    kind = (FLOATS + INTS)[number % 11]
    rows = int(rng.choice([1, 2, 5, 17, 60]))
    scores = _scores(rng, kind, rows)
    labels = (rng.random(rows) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(int).tolist()
    gaps = rng.choice([0.0, 0.0, 0.2])
    if kind in FLOATS:
        scores = [
            float("nan") if draw < gaps / 2 else score
            for score, draw in zip(scores, rng.random(rows), strict=True)
        ]
    scores = [
        None if draw < gaps else score for score, draw in zip(scores, rng.random(rows), strict=True)
    ]
    labels = [
        None if draw < gaps / 2 else label
        for label, draw in zip(labels, rng.random(rows), strict=True)
    ]
    return labels, scores


def _scores(rng, kind, rows):
    return {
        "uniform": lambda: rng.random(rows),
        "normal": lambda: rng.normal(size=rows),
        "tied": lambda: rng.integers(-3, 3, rows) / 7,
        "wide": lambda: rng.normal(size=rows) * 10.0 ** rng.integers(-300, 300, rows),
        "odd": lambda: rng.choice(np.array(ODD_FLOATS + INFINITE), rows),
        "one value": lambda: np.full(rows, 0.25),
        "zeros": lambda: rng.choice(np.array([0.0, -0.0, 5e-324, -5e-324]), rows),
        "infinite": lambda: rng.choice(np.array([*INFINITE, 1.0]), rows),
        "few ints": lambda: rng.integers(-2, 3, rows),
        "huge ints": lambda: rng.integers(-(2**63), 2**63 - 1, rows, endpoint=True),
        "odd ints": lambda: rng.choice(np.array(ODD_INTS, dtype=np.int64), rows),
    }[kind]().tolist()


def is_whole(scores):
    """Whether the scores of a set are integers (a set of nothing but nulls goes with the
    floats).
    """
    known = [score for score in scores if score is not None]
    return bool(known) and all(isinstance(score, int) for score in known)


def kept(labels, scores):
    """The rows with a label and a score, as arrays."""
    pairs = [
        (y, s)
        for y, s in zip(labels, scores, strict=True)
        if y is not None and s is not None and s == s  # noqa: PLR0124
    ]
    dtype = np.int64 if is_whole(scores) else np.float64
    return np.array([y for y, _ in pairs], dtype=np.int64), np.array(
        [s for _, s in pairs], dtype=dtype
    )
