"""Reading saved counts back."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from baserate import storage
from baserate.counts import ARRAYS, Counts
from baserate.errors import quoted, refuse_file
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts

CELLS = frozenset({"positives", "negatives"})


def load(path: str | os.PathLike[str]) -> Counts | JointCounts | GroupedCounts:
    """Whatever `save` wrote there; a damaged file, or one of another kind, is refused."""
    saved = storage.read(path)
    kinds: dict[str, tuple[Callable[[storage.Saved], Any], frozenset[str]]] = {
        "counts": (Counts._loaded, ARRAYS),
        "joint": (JointCounts._loaded, CELLS | {name for name in saved.arrays if name.startswith("scores ")}),
        "grouped": (GroupedCounts._loaded, CELLS | {"scores", "offsets"}),
    }
    rebuild, known = kinds.get(saved.kind, (None, frozenset()))
    unknown = sorted(saved.arrays.keys() - known)
    if rebuild is None or unknown:
        what = f"arrays {', '.join(map(quoted, unknown[:3]))}" if rebuild else f"kind {quoted(saved.kind)}"
        raise refuse_file(path, "BR712", f"holds {what}, which this version of baserate does not read", "update baserate")
    try:
        result: Counts | JointCounts | GroupedCounts = rebuild(saved)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise refuse_file(path, "BR711", f"holds what cannot have been counted ({quoted(str(error), quotes=False)})", "count again") from None
    return result
