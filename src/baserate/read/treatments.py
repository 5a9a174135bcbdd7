"""What to do with odd labels and scores of a file: nothing by default, and every row
that goes is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from baserate.errors import Fix, quoted, refuse
from baserate.read.table import ColumnRoles

DROP, LOWEST, FIRST = "drop", "lowest", "first"
POSITIVE, NEGATIVE = "positive", "negative"
MISSING_LABELS = (DROP, NEGATIVE, POSITIVE)
NAN_SCORES = (DROP, LOWEST)
MISSING = "(missing)"
LARGEST = 1e300
# Unlabelled cases whose chance of a higher score than a labelled one is further from one half than
# this were not left out by chance.
APART = 0.2


@dataclass(frozen=True)
class Treatment:
    """What the user said of odd values. Without a word they are refused."""

    missing_label: str | None = None
    normalize_labels: bool = False
    cast_labels: bool = False
    label_threshold: float | None = None
    negative: tuple[str, ...] = ()
    nan_score: str | None = None
    lower_is_positive: bool = False
    dedupe: str | None = None

    def checked(self) -> Treatment:
        """The same, where every word is one that is known."""
        for argument, value, known in (
            ("missing_label", self.missing_label, MISSING_LABELS),
            ("nan_score", self.nan_score, NAN_SCORES),
            ("dedupe", self.dedupe, (FIRST,)),
        ):
            if value is not None and value not in known:
                spoken = argument.replace("_", " ")
                raise refuse(
                    "BR532",
                    f"{spoken} is {' or '.join(known)}, got {quoted(value)}",
                    Fix.option(argument, known[0]),
                )
        threshold = self.label_threshold
        if threshold is not None and (
            isinstance(threshold, bool)
            or not isinstance(threshold, int | float)
            or not abs(threshold) <= LARGEST
        ):
            raise refuse(
                "BR532",
                f"a label threshold is a number, got {quoted(threshold)}",
                Fix.option("label_threshold", 0.5),
            )
        return self


def normalized(value: Any) -> Any:
    """Return a label without case and outer blanks."""
    return value.strip().casefold() if isinstance(value, str) else value


def heeded(wanted: ColumnRoles, treatment: Treatment) -> ColumnRoles:
    """The requested columns, in the words that the treatment makes of the labels."""
    if not treatment.normalize_labels or not isinstance(wanted.positive, str):
        return wanted
    return replace(wanted, positive=normalized(wanted.positive))
