"""Small classes of scores with ties, and the bounds of an AUC."""

from hypothesis import strategies as st
from tests.inference.oracle_delong import naive

METHODS = ("delong", "delong-logit", "placements-beta", "distribution-free")
SMALL = st.lists(st.integers(0, 6), min_size=1, max_size=9)
CLASSES = st.tuples(SMALL, SMALL)


def inner(classes):
    """Neither perfect nor reversed: there is a logit."""
    return 0 < naive(*classes)[0] < 1


def in_pairs(classes):
    """Two cases of each class, as DeLong's variance needs."""
    return min(map(len, classes)) > 1


def defined(classes, method):
    """Whether this method has an interval."""
    return in_pairs(classes) or method not in ("delong", "delong-logit")


def bounds(found):
    return found.low, found.high
