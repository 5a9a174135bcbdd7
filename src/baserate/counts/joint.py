"""`JointCounts`: several models on the same cases. Comparing models in pairs needs it; nothing else
does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from baserate.atomic import fingerprint
from baserate.counts import counts
from baserate.counts.cells import (
    Array,
    Totals,
    check_totals,
    gathered,
    joined_counts,
    joined_scores,
    run_starts,
    run_sums,
)
from baserate.counts.counts import Counts, heard, told
from baserate.errors import Ledger, Note, grouped, quoted, refuse
from baserate.kernels import Cells, best


class JointCounts(Totals):
    """Which scores did each model give the same case?

    One cell per case, or a distinct vector of scores: `scores[name]` has an entry per cell,
    `positives` and `negatives` its cases. Made by `count_models`. Cells keep the order in which
    they came until they are saved or digested; `a + b` puts the cells of b behind those of a.
    """

    scores: Mapping[str, Array]

    def __init__(self) -> None:
        raise TypeError("JointCounts are made by count(y, {name: scores})")

    @classmethod
    def _of(
        cls,
        scores: Mapping[str, Array],
        positives: Array,
        negatives: Array,
        ledger: Ledger,
        notes: Iterable[Note] = (),
    ) -> JointCounts:
        """From columns of one length that are known to be right; the arrays become ours."""
        joint = cls.__new__(cls)
        frozen = MappingProxyType(dict(scores))
        arrays = (*scores.values(), positives, negatives)
        joint._set(
            arrays,
            scores=frozen,
            positives=positives,
            negatives=negatives,
            ledger=ledger,
            _recorded=tuple(notes),
        )
        return joint

    def __reduce__(self) -> tuple[Any, ...]:
        return JointCounts._of, (
            dict(self.scores),
            self.positives,
            self.negatives,
            self.ledger,
            self._recorded,
        )

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.scores)

    @property
    def notes(self) -> tuple[Note, ...]:
        """How the data were read; what there is to say of one model's scores is in the notes of its
        marginal.
        """
        return self._recorded

    def __getitem__(self, model: str) -> Counts:
        """`marginal` of this model."""
        return self.marginal(model)

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def marginal(self, model: str) -> Counts:
        """The counts of one model alone."""
        if model not in self.scores:
            raise refuse(
                "BR408",
                f"there is no model {quoted(model)}",
                f"one of {', '.join(map(quoted, self.models))}",
            )
        kept: dict[str, Counts] = self.__dict__.setdefault(
            "_marginals", {}
        )  # frozen: each is counted once
        if model not in kept:
            kept[model] = Counts._of(
                self._marginal_cells(self.scores[model]), self.ledger, self._recorded
            )
        return kept[model]

    def only(self, models: Sequence[str]) -> JointCounts:
        """The same cases, as some of the models scored them."""
        return JointCounts._of(
            {name: self.scores[name] for name in models},
            self.positives,
            self.negatives,
            self.ledger,
            self._recorded,
        )

    def counted_as(self, marginals: Mapping[str, Counts]) -> JointCounts:
        """The same, where the counts of each model are known already."""
        self.__dict__["_marginals"] = dict(marginals)
        return self

    def _marginal_cells(self, scores: Array) -> Cells:
        single = self.positives.dtype == np.int64 and bool(
            (self.positives + self.negatives == 1).all()
        )
        if single:
            return best.count_cells(scores, self.positives == 1)
        return gathered(scores, self.positives, self.negatives)

    def __add__(self, other: object) -> JointCounts:
        """The cases of both, for the same models."""
        if not isinstance(other, JointCounts):
            return NotImplemented
        if set(self.models) != set(other.models):
            raise refuse(
                "BR409",
                f"models differ: {', '.join(map(quoted, self.models))} against"
                f" {', '.join(map(quoted, other.models))}",
                "count the same models in every part",
            )
        scores = {
            name: joined_scores(self.scores[name], other.scores[name]) for name in self.models
        }
        positives, negatives = (
            joined_counts(self.positives, other.positives),
            joined_counts(self.negatives, other.negatives),
        )
        check_totals(positives, negatives)
        return JointCounts._of(
            scores, positives, negatives, self.ledger + other.ledger, self._notes_with(other)
        )

    def canonical(self) -> JointCounts:
        """The same counts with one cell per distinct vector of scores, in descending order of the
        models as named in sorted order.
        """
        return self.sorted_by(sorted(self.models))

    def sorted_by(self, names: Sequence[str]) -> JointCounts:
        """One cell per distinct vector of scores, in descending order of the models as they are
        named here.
        """
        columns = [self.scores[name] for name in names]
        order = np.lexsort(columns[::-1])[::-1]
        columns = [column[order] for column in columns]
        starts = run_starts(*columns)
        scores = {name: column[starts] for name, column in zip(names, columns, strict=True)}
        positives, negatives = (
            run_sums(values[order], starts) for values in (self.positives, self.negatives)
        )
        return JointCounts._of(scores, positives, negatives, self.ledger, self._recorded)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical form: the same for every order of the rows, and (without
        weights) every way of splitting them.
        """
        form = self.canonical()
        names = "".join(
            f"{len(name.encode())} {name} {column.dtype.name}\n"
            for name, column in form.scores.items()
        )
        return fingerprint(
            f"baserate-joint-1\n{names}{self._masses}",
            (*form.scores.values(), form.positives, form.negatives),
        )

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, JointCounts) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        names = ", ".join(quoted(name, quotes=False) for name in self.models)
        return (
            f"JointCounts: {len(self.models)} models ({names}), {self._classes},"
            f" {grouped(len(self.positives))} cells"
        )

    def _repr_html_(self) -> str:
        from baserate.numbers import cell, some, table

        columns = (*self.scores.values(), self.positives, self.negatives)
        rows = some(len(self.positives), lambda i: [cell(column[i]) for column in columns])
        return table(
            repr(self),
            (*(quoted(name, quotes=False) for name in self.models), "positives", "negatives"),
            rows,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the canonical form to a checksummed file that `baserate.load` reads."""
        form = self.canonical()
        columns = {f"scores {i}": column for i, column in enumerate(form.scores.values())}
        facts = {"models": list(form.models), **told(self._recorded, self.ledger)}
        counts.write(
            path,
            counts.Saved(
                "joint",
                {**columns, "positives": form.positives, "negatives": form.negatives},
                facts,
            ),
        )

    @classmethod
    def _loaded(cls, saved: counts.Saved) -> JointCounts:
        arrays = saved.arrays
        scores = {
            name: arrays[f"scores {i}"]
            for i, name in enumerate(saved.facts["models"])
            if isinstance(name, str)
        }
        positives, negatives = arrays["positives"], arrays["negatives"]
        if len({len(array) for array in (*scores.values(), positives, negatives)}) > 1:
            raise ValueError("columns differ in length")
        if not scores or len(scores) != len(arrays) - 2:
            raise ValueError("models and columns do not match")
        for column in scores.values():
            Counts(column, positives, negatives)  # refuses what could not have been counted
        return cls._of(scores, positives, negatives, *heard(saved.facts))
