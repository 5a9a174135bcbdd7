"""`GroupedCounts`: the counts of many folds, slices, sites, days or clusters, side by side in
columns.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import Any, Literal

import numpy as np

from baserate.atomic import fingerprint_of
from baserate.counts import counts
from baserate.counts.cells import (
    Array,
    Indices,
    Totals,
    check_totals,
    gathered,
    joined_counts,
    joined_scores,
    rows_counted,
    run_starts,
    run_sums,
)
from baserate.counts.counts import Counts, facts_of, notes_from_facts
from baserate.errors import Ledger, Note, grouped, quoted, refuse
from baserate.kernels import Cells, best

SAVED_NAMES = (str, int, float, bool, type(None))
# What groups are for: to be reported, units that are resampled whole, days, or folds.
Role = Literal["", "group", "cluster", "day", "fold"]


class GroupedCounts(Totals, Mapping[Hashable, Counts]):
    """How many positives and negatives have each score, in each group?

    Made by `count` with `by`, `cluster` or `day`: a mapping from the name of a group to its
    `Counts`. Held as columns (one row per group and distinct score), so that a hundred thousand
    clusters cost no more than their cells. A missing group is a group of its own, named None.
    `role` says what the groups are for: "group" to report each, "cluster" for cases that depend on
    each other, "day" and "fold"; empty where that is not known. It is no part of equality, and a
    saved file does not keep it.
    """

    role: Role = ""
    groups: tuple[Hashable, ...]
    offsets: Indices
    scores: Array

    def __init__(self) -> None:
        raise TypeError("GroupedCounts are made by count(…, by=…) or cluster=…")

    @classmethod
    def _of(
        cls,
        groups: Iterable[Hashable],
        offsets: Indices,
        cells: Cells,
        ledger: Ledger,
        notes: Iterable[Note] = (),
        role: Role = "",
    ) -> GroupedCounts:
        """From columns known to be right: the cells of group i are cells[offsets[i]:offsets[i +
        1]], each in canonical form.
        """
        return cls._make(
            groups=tuple(groups),
            offsets=offsets,
            **cells._asdict(),
            ledger=ledger,
            _recorded=tuple(notes),
            role=role,
        )

    def serving(self, role: Role) -> GroupedCounts:
        """The same counts, with what their groups are for."""
        return GroupedCounts._of(
            self.groups, self.offsets, self._cells, self.ledger, self._recorded, role
        ).beside(self.unlabelled)

    @property
    def _cells(self) -> Cells:
        return Cells(self.scores, self.positives, self.negatives)

    @classmethod
    def _gathered(
        cls,
        groups: tuple[Hashable, ...],
        codes: Array,
        cells: Cells,
        ledger: Ledger,
        notes: Iterable[Note] = (),
    ) -> GroupedCounts:
        """From cells in any order, where codes[i] is the place in `groups` of cell i; equal scores
        of a group are merged.
        """
        names, place = _in_order(groups)
        codes, merged = _merged(place, codes, cells)
        offsets = np.searchsorted(codes, np.arange(len(groups) + 1))
        return cls._of((groups[i] for i in names), offsets, merged, ledger, notes)

    @classmethod
    def _counted(
        cls,
        groups: tuple[Hashable, ...],
        codes: Array,
        cases: tuple[Array, Array],
        ledger: Ledger,
        notes: Iterable[Note] = (),
    ) -> GroupedCounts:
        """From the scores and classes of cases, where codes[i] is the place in `groups` of case
        i.
        """
        names, place = _in_order(groups)
        cells, offsets = best.count_groups(*cases, place.astype(np.uint32)[codes], len(groups))
        return cls._of((groups[i] for i in names), offsets, cells, ledger, notes)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {group: i for i, group in enumerate(self.groups)}

    def __getitem__(self, group: Hashable) -> Counts:
        try:
            place = self._places[group]
        except KeyError:
            raise KeyError(
                f"no group {quoted(group)}; there are {grouped(len(self))}, such as"
                f" {quoted(next(iter(self.groups), None))}"
            ) from None
        part = slice(self.offsets[place], self.offsets[place + 1])
        cells = Cells(*(column[part] for column in self._cells))
        ledger = replace(
            rows_counted(cells.positives, cells.negatives),
            design=self.ledger.design,
            corrected=self.ledger.corrected,
        )
        rest = (
            self.unlabelled[group]
            if self.unlabelled is not None and group in self.unlabelled
            else None
        )
        return Counts._of(cells, ledger, self._recorded).beside(rest)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def notes(self) -> tuple[Note, ...]:
        """How the data were read; what there is to say of one group is in the notes of its
        counts.
        """
        return self._recorded

    def scored(self) -> dict[Hashable, Counts]:
        """The counts of every group, and of those that have scored cases and no label: counts of no
        cases, which know the cases without one.
        """
        rest = {} if self.unlabelled is None else dict(self.unlabelled)
        without = {
            group: Counts.empty().beside(cases)
            for group, cases in rest.items()
            if group not in self._places
        }
        return dict(sorted({**self, **without}.items(), key=lambda item: rank(item[0])))

    def total(self) -> Counts:
        """The counts of all groups together."""
        rest = None if self.unlabelled is None else self.unlabelled.total()
        return Counts._of(gathered(*self._cells), self.ledger, self._recorded).beside(rest)

    def __add__(self, other: object) -> GroupedCounts:
        """Group by group; a group that only one of them has is kept as it is."""
        if not isinstance(other, GroupedCounts):
            return NotImplemented
        groups = tuple(dict.fromkeys((*self.groups, *other.groups)))
        places = {group: i for i, group in enumerate(groups)}
        codes = np.concatenate(
            [
                np.repeat([places[g] for g in part.groups], np.diff(part.offsets))
                for part in (self, other)
            ]
        ).astype(np.intp)
        hits, misses = (
            joined_counts(self.positives, other.positives),
            joined_counts(self.negatives, other.negatives),
        )
        check_totals(hits, misses)
        cells = Cells(joined_scores(self.scores, other.scores), hits, misses)
        found = GroupedCounts._gathered(
            groups, codes, cells, self.ledger + other.ledger, self._notes_with(other)
        )
        return found.serving(self.role or other.role).beside(self._unlabelled_with(other))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, sizes and cells: the same for every order of the rows, and (without
        weights) every way of splitting them.
        """
        import json

        sizes = np.diff(self.offsets).tolist()
        names = json.dumps([[rank(group), sizes[i]] for i, group in enumerate(self.groups)])
        return fingerprint_of(
            f"baserate-grouped-1\n{self.scores.dtype.name}\n{self._masses}{names}\n", self._cells
        )

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, GroupedCounts) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"GroupedCounts: {grouped(len(self))} groups, {self._classes},"
            f" {grouped(len(self.scores))} cells"
        )

    def _repr_html_(self) -> str:
        from baserate.numbers import first_and_last, format_cell, html_table

        def row(place: int) -> tuple[str, ...]:
            counts = self[self.groups[place]]
            name = quoted(self.groups[place], quotes=False)
            return (
                name,
                format_cell(counts.total_positives),
                format_cell(counts.total_negatives),
                format_cell(counts.prior, 3),
            )

        return html_table(
            repr(self), ("group", "positives", "negatives", "prior"), first_and_last(len(self), row)
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checksummed file that `baserate.load` reads; group names must be text, numbers,
        bools or None.
        """
        strange = [group for group in self.groups if not _savable(group)]
        if strange:
            raise refuse(
                "BR413",
                f"a group is named {quoted(strange[0])}, which a file cannot hold",
                "name groups by text or numbers",
            )
        facts = {"groups": list(self.groups), **facts_of(self._recorded, self.ledger)}
        counts.write(
            path,
            counts.Saved(
                "grouped",
                {**self._cells._asdict(), "offsets": self.offsets.astype(np.int64)},
                facts,
            ),
        )

    @classmethod
    def _loaded(cls, saved: counts.Saved) -> GroupedCounts:
        arrays, groups = saved.arrays, saved.facts["groups"]
        cells, offsets = (
            Cells(arrays["scores"], arrays["positives"], arrays["negatives"]),
            arrays["offsets"],
        )
        if (
            not isinstance(groups, list)
            or not all(map(_savable, groups))
            or len({rank(group) for group in groups}) != len(groups)
        ):
            raise ValueError("groups are not a list of different names")
        # Compared, never subtracted: differences of what a file says could overflow.
        ordered = offsets.dtype == np.int64 and bool((offsets[1:] >= offsets[:-1]).all())
        if (
            not ordered
            or len(offsets) != len(groups) + 1
            or offsets[0] != 0
            or offsets[-1] != len(cells.scores)
        ):
            raise ValueError("groups do not fit the cells")
        Counts(*cells)  # refuses what could not have been counted
        return cls._gathered(
            tuple(groups),
            np.repeat(np.arange(len(groups)), np.diff(offsets)),
            cells,
            *notes_from_facts(saved.facts, cells),
        )


def _in_order(groups: tuple[Hashable, ...]) -> tuple[list[int], Indices]:
    """The groups by rank, and for each of them its place in that order."""
    # Of one plain kind, the rank is the value.
    plain = set(map(type, groups)) in ({int}, {str})
    ranks: Sequence[Any] = groups if plain else list(map(rank, groups))
    names = sorted(range(len(groups)), key=ranks.__getitem__)
    place = np.empty(len(groups), dtype=np.intp)
    place[names] = np.arange(len(groups))
    return names, place


def _merged(place: Indices, codes: Array, cells: Cells) -> tuple[Array, Cells]:
    used = (cells.positives > 0) | (cells.negatives > 0)
    codes, (scores, positives, negatives) = place[codes], cells
    if not used.all():
        codes, scores, positives, negatives = (
            column[used] for column in (codes, scores, positives, negatives)
        )
    # Sorted by descending groups, then everything is turned round.
    order = np.lexsort((scores, -codes))[::-1]
    codes, scores = codes[order], scores[order] + scores.dtype.type(0)
    starts = run_starts(codes, scores)
    return codes[starts], Cells(
        scores[starts], run_sums(positives[order], starts), run_sums(negatives[order], starts)
    )


def rank(group: Hashable) -> tuple[str, Any]:
    """Groups sort by kind, then value, so that their order does not depend on that of the rows; 1,
    1.0 and True are one group.
    """
    if isinstance(group, int | float):
        return "number", int(group) if isinstance(group, int) or group.is_integer() else group
    return ("text", group) if isinstance(group, str) else (type(group).__name__, repr(group))


def _savable(group: Hashable) -> bool:
    return isinstance(group, SAVED_NAMES) and not (isinstance(group, float) and not isfinite(group))
