"""The names of columns: each once, and found exactly as they are written."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from baserate.errors import Fix, quoted, refuse_file

MOST_NAMES = 8


def check_names(shown: str, names: Sequence[str]) -> None:
    """No name stands twice."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise refuse_file(shown, "BR606", f"has more than one column {quoted(repeated[0])}", "rename one of them")


def matched(shown: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    """A name that is there only in other cases, and more than once, cannot be meant."""
    for name in wanted:
        alike = [other for other in names if other.casefold() == name.casefold()]
        if name not in names and len(alike) > 1:
            text = f"has no column {quoted(name)}, but {' and '.join(map(quoted, alike))}, which differ only by case"
            raise refuse_file(shown, "BR607", text, "write the name exactly")


def refuse_absent(shown: str, names: Sequence[str], absent: Sequence[str]) -> NoReturn:
    """Say which columns there are, and which was perhaps meant."""
    if names and all(map(_is_number, names)):
        fix = Fix('header=False, columns=["id", "y", "m1"]', "--no-header --columns id,y,m1")
        raise refuse_file(shown, "BR604", "has no header: its first line holds only numbers", fix)
    columns = ", ".join(map(quoted, names[:MOST_NAMES])) + (" …" if len(names) > MOST_NAMES else "")
    text = f"has no column {' or '.join(map(quoted, absent))}; it has {columns}"
    raise refuse_file(shown, "BR613", text, _hint(list(names), absent))


def _hint(names: list[str], absent: Sequence[str]) -> str:
    """What was probably meant by names that are not there."""
    for name in absent:
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and all(part in names for part in parts):
            return f"write {' '.join(f'--score {part}' for part in parts)}"
    alike = {name.casefold(): name for name in names}
    near = [match for name in absent for match in difflib.get_close_matches(name.casefold(), alike, n=1)]
    return f"perhaps {' and '.join(quoted(alike[match]) for match in near)}" if near else "use one of those"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
