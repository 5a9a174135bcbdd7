"""How many of the other class each case is on the right side of: in C, in NumPy, and counted one by
one.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baserate.kernels import portable

compiled = pytest.importorskip("baserate.kernels.compiled", reason="the C extension is not built")

CASES = st.lists(
    st.tuples(
        st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 0.1, 0.1 + 0.2, -1e300, 5e-324])
    ),
    max_size=40,
)


def counted(scores, labels):
    """Twice the number of the other class on the right side, ties once, by comparing every pair."""
    return [
        sum(
            (2 if (one > other) == label else 0) if one != other else 1
            for other, theirs in zip(scores, labels, strict=True)
            if theirs != label
        )
        for one, label in zip(scores, labels, strict=True)
    ]


@given(CASES)
def test_every_way_counts_the_same(cases):
    labels = np.array([case[0] for case in cases], dtype=np.bool_)
    columns = [
        np.array([case[1] for case in cases], dtype=np.int64),
        np.array([case[2] for case in cases], dtype=np.float64),
    ]
    expected = [counted(column.tolist(), labels.tolist()) for column in columns]
    for kernels in (compiled, portable):
        assert [found.tolist() for found in kernels.twice_beaten(columns, labels)] == expected


def test_a_place_outside_of_the_cases_is_refused():
    from baserate.kernels import _kernels

    pairs = np.array([[0, np.float64(9).view(np.uint64)]], dtype=np.uint64)
    with pytest.raises(ValueError, match="a place lies outside of the cases"):
        _kernels.beaten(pairs, np.empty(1, dtype=np.int64))
    with pytest.raises(ValueError, match="too short"):
        _kernels.beaten(pairs, np.empty(0, dtype=np.int64))
