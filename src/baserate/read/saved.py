"""Reading saved counts back."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from typing import Any

from baserate.counts import counts
from baserate.counts.counts import ARRAYS, Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.errors import quoted, refuse_file

MAGIC = counts.MAGIC[:-2]
CELLS = frozenset({"positives", "negatives"})


def load(path: str | os.PathLike[str]) -> Counts | JointCounts | GroupedCounts:
    """Load what `save` wrote; a damaged file, or one of another kind, is refused."""
    saved = counts.read(path)
    of_models = {name for name in saved.arrays if name.startswith("scores ")}
    kinds: dict[str, tuple[Callable[[counts.Saved], Any], frozenset[str]]] = {
        "counts": (Counts._loaded, ARRAYS),
        "joint": (JointCounts._loaded, CELLS | of_models),
        "grouped": (GroupedCounts._loaded, CELLS | {"scores", "offsets"}),
    }
    rebuild, known = kinds.get(saved.kind, (None, frozenset()))
    unknown = sorted(saved.arrays.keys() - known)
    if rebuild is None or unknown:
        what = f"kind {quoted(saved.kind)}"
        if rebuild is not None:
            what = f"arrays {', '.join(map(quoted, unknown[:3]))}"
        text = f"holds {what}, which this version of baserate does not read"
        raise refuse_file(path, "BR712", text, "update baserate")
    try:
        result: Counts | JointCounts | GroupedCounts = rebuild(saved)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        text = f"holds values that cannot be counts ({quoted(str(error), quotes=False)})"
        raise refuse_file(path, "BR703", text, "count again") from None
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


def name_of(path: str) -> str:
    """Return what the counts of one score are called: their file, for they keep no name."""
    return os.path.basename(path).split(".")[0] or "counts"  # noqa: PTH119


def saved_models(path: str, names: Sequence[str] = ()) -> dict[str, Counts]:
    """Return the counts of each model; a single one is called by its file."""
    saved = load(path)
    if not isinstance(saved, JointCounts):
        if names:
            text = "holds the counts of one score, which has no name there"
            raise refuse_file(path, "BR408", text, "leave --score out")
        return {name_of(path): saved.total()}
    unknown = next((name for name in names if name not in saved.models), None)
    if unknown is not None:
        known = ", ".join(map(quoted, saved.models))
        raise refuse_file(path, "BR408", f"there is no model {quoted(unknown)}", f"one of {known}")
    return {name: saved.marginal(name) for name in names or saved.models}


def saved_joint(path: str, names: Sequence[str] = ()) -> JointCounts:
    """Return the models that were counted on the same cases."""
    saved = load(path)
    if not isinstance(saved, JointCounts):
        text = "holds the counts of one score, and a comparison needs two on the same cases"
        fix = "count them together: baserate count --score m1 --score m2"
        raise refuse_file(path, "BR410", text, fix)
    if names and set(names) != set(saved.models):
        text = f"holds the models {', '.join(map(quoted, saved.models))}, counted together"
        raise refuse_file(path, "BR408", text, "leave --score out")
    return saved
