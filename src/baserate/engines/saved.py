"""Reading saved counts back."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import Any

from baserate import storage
from baserate.counts import ARRAYS, Counts
from baserate.errors import quoted, refuse_file
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts

MAGIC = storage.MAGIC[:-2]
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


def is_saved(path: str) -> bool:
    """Whether counts lie there, by the first bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
            return False
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def saved_models(path: str, names: Sequence[str] = ()) -> dict[str, Counts]:
    """The counts of each model: a single one is called by its file."""
    found = load(path)
    if isinstance(found, JointCounts):
        models = {name: found.marginal(name) for name in found.models}
        unknown = next((name for name in names if name not in models), None)
        if unknown is not None:
            raise refuse_file(path, "BR408", f"there is no model {quoted(unknown)}", f"one of {', '.join(map(quoted, models))}")
        return {name: models[name] for name in names or models}
    if names:
        raise refuse_file(path, "BR408", "holds the counts of one score, which has no name there", "leave --score out")
    counts = found.total() if isinstance(found, GroupedCounts) else found
    return {name_of(path): counts}


def name_of(path: str) -> str:
    """What the counts of one score are called: by their file, for they keep no name."""
    return os.path.basename(path).split(".")[0] or "counts"  # noqa: PTH119


def saved_joint(path: str, names: Sequence[str] = ()) -> JointCounts:
    """The models that were counted on the same cases."""
    found = load(path)
    if not isinstance(found, JointCounts):
        text = "holds the counts of one score, and a comparison needs two on the same cases"
        raise refuse_file(path, "BR410", text, "count them together: baserate count --score m1 --score m2")
    if names and set(names) != set(found.models):
        there = ", ".join(map(quoted, found.models))
        raise refuse_file(path, "BR408", f"holds the models {there}, counted together", "leave --score out")
    return found
