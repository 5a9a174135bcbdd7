"""What all three kinds of counts share: two classes, their totals, and the prior."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from baserate.cells import Array
from baserate.errors import grouped, number_of
from baserate.exact import total
from baserate.frozen import Frozen
from baserate.notes import Ledger, Note, combine, repeated_sources
from baserate.undefined import ratio


class Totals(Frozen):
    """A frozen value with positives and negatives: int64 counts of cases, or float64 masses when cases were weighted."""

    positives: Array
    negatives: Array
    ledger: Ledger
    _recorded: tuple[Note, ...]
    # Cases that were scored and have no label, counted in the same way with all of them as negatives; None where there are none, or they
    # are not kept (saved counts do not keep them, and no digest knows them).
    unlabelled: Any = None

    def beside(self, unlabelled: Any) -> Self:
        """The same, knowing the cases that were scored and have no label: how many cases are flagged needs no label."""
        self._set((), unlabelled=unlabelled)
        return self

    @property
    def labels_missing(self) -> bool:
        """Whether scored cases were left out for want of a label: the prior is then that of the labelled cases, not of all."""
        return self.unlabelled is not None or any(note.code == "BR105" and "left out" in note.text for note in self._recorded)

    @property
    def weighted(self) -> bool:
        """True where positives and negatives are masses, not whole cases."""
        return bool(self.positives.dtype == np.float64)

    @cached_property
    def total_positives(self) -> int | float:
        return total(self.positives)

    @cached_property
    def total_negatives(self) -> int | float:
        return total(self.negatives)

    @property
    def prior(self) -> float:
        """The share of positives in the sample: a property of the data set, not an estimate of the base rate in the field."""
        return ratio(self.total_positives, self.total_positives + self.total_negatives, "no cases")

    def _unlabelled_with(self, other: Totals) -> Any:
        """The cases without a label of a sum."""
        rest = [part.unlabelled for part in (self, other) if part.unlabelled is not None]
        return rest[0] + rest[1] if len(rest) == 2 else rest[0] if rest else None

    def _notes_with(self, other: Totals) -> tuple[Note, ...]:
        """The recorded notes of a sum."""
        return combine(self._recorded, (*other._recorded, *repeated_sources(self.ledger, other.ledger)))

    @property
    def _masses(self) -> str:
        """The line in the head of a digest that keeps masses apart from counts."""
        return "masses\n" if self.weighted else ""

    @property
    def _classes(self) -> str:
        if self.weighted:
            return f"weight {grouped(self.total_positives)} positive, {grouped(self.total_negatives)} negative"
        return f"{number_of(self.total_positives, 'positive')}, {number_of(self.total_negatives, 'negative')}"


def rows_counted(positives: Array, negatives: Array) -> Ledger:
    """The ledger of cells that did not come from rows we saw: their cases, or nothing where only masses are known."""
    rows = total(positives) + total(negatives)
    return Ledger(rows_read=rows, rows_used=rows) if isinstance(rows, int) else Ledger()
