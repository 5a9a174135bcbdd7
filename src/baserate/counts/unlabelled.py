"""`Unlabelled`: how many cases have each score, where nobody knows yet which of them are
positive.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from baserate.atomic import fingerprint
from baserate.counts.cells import Array
from baserate.errors import grouped
from baserate.notes import Ledger, Note
from baserate.numbers import Frozen


class Unlabelled(Frozen):
    """How many cases have each score? `scores` are distinct and descending, `cases` says how many
    have each.

    >>> import baserate as br
    >>> br.count_unlabelled([0.9, 0.2, 0.2, 0.1])
    Unlabelled: 4 cases, 3 distinct scores
    """

    scores: Array
    cases: Array
    ledger: Ledger
    notes: tuple[Note, ...]

    @classmethod
    def _of(
        cls, scores: Array, cases: Array, ledger: Ledger, notes: tuple[Note, ...] = ()
    ) -> Unlabelled:
        """From scores that are known to be distinct and descending; the arrays become ours."""
        unlabelled = cls.__new__(cls)
        unlabelled._set((scores, cases), scores=scores, cases=cases, ledger=ledger, notes=notes)
        return unlabelled

    def __reduce__(self) -> tuple[Any, ...]:
        return Unlabelled._of, (self.scores, self.cases, self.ledger, self.notes)

    @cached_property
    def total(self) -> int:
        """All cases."""
        return int(self.cases.sum())

    def flagged(self, threshold: float | None) -> int:
        """How many cases have a score at or above the threshold; None flags nothing."""
        return 0 if threshold is None else int(self.cases[self.scores >= threshold].sum())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of scores and cases: the same for every order of the rows."""
        return fingerprint(
            f"baserate-unlabelled-1\n{self.scores.dtype.name}\n", (self.scores, self.cases)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Unlabelled):
            return NotImplemented
        same = self.scores.dtype == other.scores.dtype
        return (
            same
            and np.array_equal(self.scores, other.scores)
            and np.array_equal(self.cases, other.cases)
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"Unlabelled: {grouped(self.total)} cases, {grouped(len(self.scores))} distinct scores"
        )
