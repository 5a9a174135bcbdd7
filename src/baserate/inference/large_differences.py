"""DeLong's test for models whose cases do not fit into memory: files and frames read twice."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.cells import Array, observe_in_passes
from baserate.counts.counts import Counts, same_score
from baserate.curves.areas import auc, one_class
from baserate.errors import RANDOM, Fix, Ledger, Note, combine, grouped, quoted, refuse, size
from baserate.inference.auc import DELONG, DELONG_T, Pair, of_pair
from baserate.inference.differences import compare, pairs_of
from baserate.inference.paired import adjusted
from baserate.inference.values import Difference, checked_level
from baserate.kernels import Cells, Kernels, best
from baserate.read.condense import Pieces, Side, Sums, score_type
from baserate.read.files import joint_of, models_of
from baserate.read.frames import (
    MOST_CELLS,
    Paired,
    check_models,
    checked_cells,
    checked_treatment,
    opened,
    paired_sums,
)
from baserate.read.large import Whole, pieces_of, sources_in_pieces
from baserate.read.source import Options
from baserate.read.table import POSITIVE, Ceiling, ColumnRoles

# ----------------------------------------------------------------------
# `compare_frame`: is one model really better than another, on more cases than fit into memory?


def compare_frame(
    frame: Any,
    *,
    label: str,
    scores: Sequence[str],
    positive: Any = None,
    level: float = 0.95,
    method: str | None = None,
    cells: int = MOST_CELLS,
    **treatment: Any,
) -> tuple[Difference, ...]:
    """Which of several models differ in AUC, on the rows of a data frame of any engine? Every pair,
    with Holm's adjustment, by DeLong's test.

    The values are those of `compare_all(auc, ...)` on the same rows, from two passes over them. No
    negative comes here: the first pass brings the positives' scores, side by side (no more than
    `cells` rows of them), the second counts the negatives between them, and adds up how differently
    two models place each. Models that place every case alike differ by 0 with p = 1.

    >>> import baserate as br, polars
    >>> frame = polars.LazyFrame({"y": [0] * 60 + [1] * 40, "a": range(100), "b": [*range(20, 80), *range(60, 100)]})
    >>> compare_frame(frame, label="y", scores=["a", "b"])[0]
    Difference: auc of b - a -0.08333, 95 % from -0.1339 to -0.03276, p = 0.00149, 0.00149 after Holm (delong-t)
    """  # noqa: E501
    wanted = ColumnRoles(label, tuple(scores), positive)
    check_models(wanted.scores)
    if len(wanted.scores) < 2:
        raise refuse("BR595", "a comparison needs two models", 'scores=["a", "b"]')
    if method not in (None, DELONG, DELONG_T):
        raise refuse(
            "BR581",
            f"there is no method {quoted(method)} to compare AUC of a file or frame",
            f"leave it out, or {DELONG}, {DELONG_T}",
        )
    checked_level(level)
    counts, pairs = paired_sums(
        opened(frame, wanted), wanted, checked_treatment(treatment), checked_cells(cells)
    )
    missing = one_class(next(iter(counts.values())))
    if missing:
        raise refuse("BR552", f"{missing}: models cannot be compared", "give cases of both classes")
    return adjusted(
        [
            of_pair(
                _pair_of_frame(counts, pair),
                pair.models,
                level,
                method,
                same=not (pair.positives.squares or pair.negatives.squares),
            )
            for pair in pairs
        ]
    )


def _pair_of_frame(counts: dict[str, Counts], pair: Paired) -> Pair:
    """The variance of the differences within each class, rounded once."""
    first, second = (counts[name] for name in pair.models)
    positives, negatives = pair.positives.cases, pair.negatives.cases
    of_classes = pair.positives.variance(2 * negatives), pair.negatives.variance(2 * positives)
    return Pair((float(auc(first)), float(auc(second))), positives, negatives, *of_classes)


# ----------------------------------------------------------------------
# DeLong's test for models whose cases do not fit into memory: two readings, of which the positives
# alone are kept.


def compare_auc_file(  # noqa: PLR0913 (each is a word that users say)
    source: str | os.PathLike[str],
    *,
    label: str,
    scores: Sequence[str],
    memory: str | int,
    positive: Any = None,
    level: float = 0.95,
    method: str | None = None,
    design: str = RANDOM,
) -> Difference:
    """Is the second model's AUC really better than the first's, on cases that do not fit into
    memory?

    DeLong's paired test, as `compare(auc, ...)` has it, from two readings of a Parquet or CSV file,
    a pattern or a folder of them. Only the positives are kept. DeLong, DeLong & Clarke-Pearson
    1988, Biometrics 44:837-845. Models with the same scores differ by 0 with p = 1; whether others
    put all cases in the same order cannot be decided piece by piece, and their interval is wide.
    What cannot be read piece by piece is read as a whole, with the ceiling as its limit.
    """
    if len(scores) != 2 or len(set(scores)) != 2:
        raise refuse(
            "BR410",
            f"a pair is compared, and {len(set(scores))} scores are named",
            'scores=["m1", "m2"]',
        )
    wanted = ColumnRoles(label, tuple(scores), positive, design=design)
    return compare_large(
        os.fspath(source), wanted, Options.of({"memory": memory}), level, method
    ).differences[0]


class Compared(NamedTuple):
    """Every difference, what there is to note of each model, and what was read."""

    differences: tuple[Difference, ...]
    notes: dict[str, tuple[Note, ...]]
    ledger: Ledger


def compare_large(
    source: str,
    wanted: ColumnRoles,
    options: Options,
    level: float,
    method: str | None,
    against: str | None = None,
) -> Compared:
    """Every pair of models, or every other one with the one `against` which it is compared."""
    pairs = pairs_of(wanted.scores, against)
    _check_method(method)
    with suppress(Whole), _pieces(source, wanted, options) as (pieces, notes, ledger):
        duels = _Duels(pieces, pairs, options.ceiling)
        found = duels.differences(level, method, notes)
        said = {name: combine(notes, duels.observed(name)) for name in pieces}
        return Compared(
            found if len(pairs) == 1 and against is None else adjusted(found), said, ledger
        )
    joint = joint_of(
        models_of(source, wanted, options._replace(ceiling=Ceiling(options.ceiling.memory)))
    )
    found = tuple(compare(joint, auc, pair=pair, level=level, method=method) for pair in pairs)
    said = {name: joint.marginal(name).notes for name in joint.models}
    return Compared(
        found if len(pairs) == 1 and against is None else adjusted(found), said, joint.ledger
    )


def _pieces(source: str, wanted: ColumnRoles, options: Options) -> Any:
    found = sources_in_pieces(source)
    if found is None:
        raise Whole
    return pieces_of(source, found, wanted, options)


def _check_method(method: str | None) -> None:
    if method not in (None, DELONG, DELONG_T):
        raise refuse(
            "BR581",
            f"there is no method {quoted(method)} for pairs that are read piece by piece",
            f"one of {DELONG}, {DELONG_T}",
        )


@dataclass
class _Duel:
    """Two models: how far apart the placements of the negatives are, and whether all scores are the
    same.
    """

    models: tuple[str, str]
    same: bool
    of_negatives: Sums = field(default_factory=Sums)


def paired_in_passes(
    pieces: Mapping[str, Pieces],
    pairs: Sequence[tuple[str, str]],
    ceiling: Ceiling,
    level: float,
    method: str | None,
    notes: Iterable[Note] = (),
    kernels: Kernels = best,
) -> tuple[Difference, ...]:
    """The same from pieces of every model: the same cases in the same order."""
    _check_method(method)
    checked_level(level)
    return _Duels(pieces, pairs, ceiling, kernels).differences(level, method, notes)


class _Duels:
    """Two readings of all models: what their differences, and the notes of each of them, are made
    of.
    """

    def __init__(
        self,
        pieces: Mapping[str, Pieces],
        pairs: Sequence[tuple[str, str]],
        ceiling: Ceiling,
        kernels: Kernels = best,
    ) -> None:
        self.ours = _positives(pieces, ceiling)
        self.sides = {name: Side.of(scores, kernels) for name, scores in self.ours.items()}
        # Of the negatives' scores a few: the least, the most, and one between them.
        self.some = {name: scores[:0] for name, scores in self.ours.items()}
        self.duels = [
            _Duel(pair, np.array_equal(self.ours[pair[0]], self.ours[pair[1]])) for pair in pairs
        ]
        for positive, scores in _together(pieces, ceiling, positives=False):
            self._add({name: column[np.flatnonzero(~positive)] for name, column in scores.items()})

    def _add(self, negatives: Mapping[str, Array]) -> None:
        """A piece more, of which the negatives count."""
        for name, scores in negatives.items():
            self.sides[name].count(scores)
            if len(scores):
                self.some[name] = _few_of(self.some[name], scores)
        beaten = {name: self.sides[name].beaten_by(scores) for name, scores in negatives.items()}
        for duel in self.duels:
            first, second = duel.models
            duel.of_negatives.add(beaten[second] - beaten[first])
            duel.same = duel.same and np.array_equal(negatives[first], negatives[second])

    def differences(
        self, level: float, method: str | None, notes: Iterable[Note]
    ) -> tuple[Difference, ...]:
        return tuple(
            of_pair(
                _pair(self.ours, self.sides, duel),
                duel.models,
                level,
                method,
                same=duel.same,
                notes=(*notes, *((same_score(*duel.models),) if duel.same else ())),
            )
            for duel in self.duels
        )

    def observed(self, name: str) -> tuple[Note, ...]:
        """What the counts of one model would have noted."""
        side, ours = self.sides[name], self.ours[name]
        scores, hits = np.unique(ours, return_counts=True)
        others = np.setdiff1d(self.some[name].astype(scores.dtype), scores)
        every = np.concatenate((scores, others))
        order = np.argsort(every)[::-1]
        positives = np.concatenate((hits, np.zeros(len(others), dtype=np.int64)))
        negatives = np.concatenate((side.counter.ties, np.ones(len(others), dtype=np.int64)))
        totals = len(ours), int(side.counter.ties.sum() + side.counter.gaps.sum())
        auc = int(side.beating(ours).sum()) / (2 * totals[0] * totals[1])
        return observe_in_passes(
            Cells(every[order], positives[order], negatives[order]), totals, auc
        )


def _few_of(some: Array, scores: Array) -> Array:
    """The least and the most of the scores so far, and one between them where there is one: as many
    as tell one, two and more apart.
    """
    low, high = scores.min(), scores.max()
    between = scores[(scores > low) & (scores < high)][:1]
    found = np.unique(np.concatenate((some, [low, high], between)).astype(scores.dtype))
    return np.unique(found[[0, len(found) // 2, -1]])


def _together(
    pieces: Mapping[str, Pieces], ceiling: Ceiling, *, positives: bool
) -> Iterator[tuple[Array, dict[str, Array]]]:
    """Who is positive, and the scores by every model, piece by piece."""
    rows = 0
    with ExitStack() as held:
        begun = [
            held.enter_context(closing(each.begin(0, positives=positives)))
            for each in pieces.values()
        ]
        for parts in zip(*begun, strict=True):
            if any(not np.array_equal(parts[0].positive, other.positive) for other in parts[1:]):
                raise refuse(
                    "BR944",
                    "two readings of the same cases gave different labels",
                    "give the same cases to both models",
                )
            yield (
                parts[0].positive,
                {name: part.scores for name, part in zip(pieces, parts, strict=True)},
            )
            rows += parts[0].rows
            if ceiling.progress is not None:
                ceiling.progress(rows, next(iter(pieces.values())).rows or rows)


def _positives(pieces: Mapping[str, Pieces], ceiling: Ceiling) -> dict[str, Array]:
    """The scores of the positives by every model, side by side."""
    assert ceiling.memory is not None
    most, held = ceiling.room // (len(pieces) * POSITIVE), 0
    kept: dict[str, list[Array]] = {name: [] for name in pieces}
    for positive, scores in _together(pieces, ceiling, positives=True):
        rows = np.flatnonzero(positive)
        held += len(rows)
        if held > most:
            raise refuse(
                "BR951",
                f"more than {grouped(most)} positives of {len(pieces)} models do not fit into"
                f" {size(ceiling.memory)}",
                Fix("more memory", "a higher --memory"),
            )
        for name, column in scores.items():
            kept[name].append(column[rows].astype(score_type(column)) + 0)
    return {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in kept.items()}


def _pair(ours: Mapping[str, Array], sides: Mapping[str, Side], duel: _Duel) -> Pair:
    total_p, total_n = len(ours[duel.models[0]]), duel.of_negatives.cases
    if not total_p or not total_n:
        raise refuse(
            "BR552",
            f"there are no {'negatives' if total_p else 'positives'}: AUC is undefined",
            "give cases of both classes",
        )
    beating = [sides[name].beating(ours[name]) for name in duel.models]
    of_positives = Sums()
    of_positives.add(beating[1] - beating[0])
    first, second = (int(each.sum()) / (2 * total_p * total_n) for each in beating)
    return Pair(
        (first, second),
        total_p,
        total_n,
        of_positives.variance(2 * total_n),
        duel.of_negatives.variance(2 * total_p),
    )
