"""Data sets that break counting: ties, signs, signed zeros, subnormals, extremes, huge integers,
rare or absent classes.
"""

import os

import numpy as np
from hypothesis import strategies as st

# `make laws` tries more of whatever is drawn.
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"


def seeds(count):
    """Of generators: all of them in `make laws`, and a third of them otherwise."""
    return range(count if LONG else count // 3)


ODD_FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1e300,
    -1e300,
    1.7976931348623157e308,
    1.0000000000000002,
]
INFINITE = [float("inf"), float("-inf")]
ODD_INTS = [
    0,
    1,
    -1,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**62,
    2**63 - 1,
    2**63 - 2,
    -(2**63),
    -(2**63) + 1,
]

float_scores = st.one_of(
    st.sampled_from(ODD_FLOATS + INFINITE),
    st.integers(0, 5).map(lambda i: i / 5),
    st.floats(allow_nan=False),
)
narrow_scores = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1e-45, -1e-45, 0.25]), st.floats(allow_nan=False, width=32)
)
int_scores = st.one_of(
    st.sampled_from(ODD_INTS), st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)
)


def score_lists(least):
    return st.one_of(
        st.lists(float_scores, min_size=least, max_size=60).map(
            lambda v: np.array(v, dtype=np.float64)
        ),
        st.lists(narrow_scores, min_size=least, max_size=60).map(
            lambda v: np.array(v, dtype=np.float32)
        ),
        st.lists(int_scores, min_size=least, max_size=60).map(
            lambda v: np.array(v, dtype=np.int64)
        ),
    )


weight_values = st.one_of(
    st.integers(0, 9).map(float),
    st.floats(0, 1e3),
    st.sampled_from([0.0, 0.1, 1 / 3, 1e-300, 5e-324, 1e16, 1e-16, 1e300]),
)


@st.composite
def cases(draw, *, weighted=False, both=False, zeros=True):
    """(labels, scores) or (labels, scores, weights): arrays of one length. `both` classes; weights
    with `zeros` among them.
    """
    scores = draw(score_lists(2 if both else 0))
    size = len(scores)
    prior = draw(st.sampled_from([0.05, 0.5, 0.9] if both else [0.0, 0.05, 0.5, 1.0]))
    draws = draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=size, max_size=size))
    labels = np.array([value < prior for value in draws], dtype=np.bool_)
    if both:
        labels[:2] = draw(st.sampled_from([(True, False), (False, True)]))
    if not weighted:
        return labels, scores
    weights = np.array(
        draw(st.lists(weight_values, min_size=size, max_size=size)), dtype=np.float64
    )
    if not zeros:
        weights[weights == 0] = 0.75
    for members in (labels, ~labels):  # a class without any weight is refused, and tested elsewhere
        if members.any() and not weights[members].any():
            weights[np.argmax(members)] = 1.0
    return labels, scores, weights


@st.composite
def large_cases(draw):
    """Enough rows to reach the table of values, every level of the sort and the search between
    positives.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = draw(st.sampled_from([1_500, 5_000, 40_000]))
    kind = draw(
        st.sampled_from(
            [
                "uniform",
                "normal",
                "tied",
                "wide",
                "float32",
                "ints",
                "huge ints",
                "one value",
                "odd",
            ]
        )
    )
    scores = {
        "uniform": lambda: rng.random(rows),
        "normal": lambda: rng.normal(size=rows),
        "tied": lambda: rng.integers(-9, 9, rows) / 7,
        "wide": lambda: rng.normal(size=rows) * 10.0 ** rng.integers(-300, 300, rows),
        "float32": lambda: rng.normal(size=rows).astype(np.float32),
        "ints": lambda: rng.integers(-1000, 1000, rows),
        "huge ints": lambda: rng.integers(-(2**63), 2**63 - 1, rows, endpoint=True),
        "one value": lambda: np.full(rows, 0.25),
        "odd": lambda: rng.choice(np.array(ODD_FLOATS + INFINITE), rows),
    }[kind]()
    labels = rng.random(rows) < draw(st.sampled_from([0.0, 0.001, 0.02, 0.5]))
    return labels, scores
