"""`Counts`: how many positives and negatives at each distinct score; `JointCounts` of several
models on the same cases; `Unlabelled`; and the file that they are saved in.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from baserate.atomic import fingerprint_of, little_endian, sha256_of, write_atomically
from baserate.counts.cells import (
    Array,
    Totals,
    as_masses,
    check_totals,
    cuts_of,
    gathered,
    joined_counts,
    joined_scores,
    observe,
    rows_counted,
    run_starts,
    run_sums,
    without_runs,
)
from baserate.errors import (
    DESIGNS,
    RANDOM,
    Fix,
    Ledger,
    Note,
    Source,
    combine,
    escaped,
    grouped,
    number_of,
    quoted,
    refuse,
    refuse_file,
)
from baserate.kernels import Cells, best
from baserate.numbers import INT64_MAX, Digested, first_and_last, format_cell, html_table, share_won

Derived = TypeVar("Derived")

# ----------------------------------------------------------------------
# The file of saved counts: a line of magic, a JSON head, little-endian arrays, a SHA-256 of all of
# it. No pickle.


MAGIC = b"baserate-counts-file-1\n"
LENGTH = 8
CHECKSUM = 32
DTYPES = {"<i8": np.dtype("<i8"), "<f8": np.dtype("<f8")}
MOST_HEAD = 1 << 25


class Saved(NamedTuple):
    """What a file holds: its kind, its arrays by name, and everything else as plain values."""

    kind: str
    arrays: dict[str, Array]
    facts: dict[str, Any]


def write(path: str | os.PathLike[str], saved: Saved, magic: bytes = MAGIC) -> None:
    """Save, so that a kill at any moment leaves the old file or the new one."""
    import json

    arrays = [
        {"name": name, "dtype": array.dtype.newbyteorder("<").str, "length": len(array)}
        for name, array in saved.arrays.items()
    ]
    head = json.dumps(
        {"kind": saved.kind, "arrays": arrays, "facts": saved.facts}, allow_nan=False
    ).encode()
    pieces: list[bytes | memoryview] = [
        magic,
        len(head).to_bytes(LENGTH, "little"),
        head,
        *map(little_endian, saved.arrays.values()),
    ]
    write_atomically(path, [*pieces, sha256_of(pieces)])


def read(path: str | os.PathLike[str]) -> Saved:
    """What was saved, or an error where the file is not one of ours or is damaged."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
        raise refuse_file(path, "BR615", "is not a regular file", "give a file written by save()")
    with open(path, "rb") as file:
        content = file.read()
    if not content.startswith(MAGIC[:-2]):
        raise refuse_file(
            path, "BR710", "is not a file of saved counts", "give a file written by save()"
        )
    if not content.startswith(MAGIC):
        raise refuse_file(
            path,
            "BR712",
            "was saved by a later version of baserate, or is damaged",
            "update baserate, or count again",
        )
    body, checksum = memoryview(content)[:-CHECKSUM], content[-CHECKSUM:]
    if sha256_of([body]) != checksum:
        raise refuse_file(
            path,
            "BR703",
            "is damaged or cut off: its checksum does not match",
            "count again, or restore the file from a copy",
        )
    try:
        return parsed(body, len(MAGIC))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise refuse_file(
            path,
            "BR703",
            f"does not match its header ({quoted(str(error), quotes=False)})",
            "count again",
        ) from None


def parsed(body: memoryview, begin: int) -> Saved:
    """What lies behind the magic; whatever is wrong with it raises one of a few errors of
    Python's.
    """
    import json

    start = begin + LENGTH
    length = int.from_bytes(body[begin:start], "little")
    if length > MOST_HEAD:
        raise ValueError("head too long")
    head = json.loads(bytes(body[start : start + length]))
    offset, arrays = start + length, {}
    for entry in head["arrays"]:
        dtype, items, name = DTYPES[entry["dtype"]], entry["length"], entry["name"]
        if (
            type(items) is not int
            or not 0 <= items <= (len(body) - offset) // dtype.itemsize
            or type(name) is not str
            or name in arrays
        ):
            raise ValueError("an array does not fit the file")
        array = np.frombuffer(body, dtype, items, offset) if items else np.empty(0, dtype)
        arrays[name] = array.astype(dtype.newbyteorder("="))
        offset += items * dtype.itemsize
    if offset != len(body):
        raise ValueError("bytes left over")
    return Saved(str(head["kind"]), arrays, dict(head["facts"]))


# ----------------------------------------------------------------------
# `Counts`: how many positives and negatives at each distinct score. Every number in baserate is
# computed from it.


# What odds were multiplied by: a whole number, or a fraction.
ODDS = re.compile(r"[1-9]\d{0,999}(/[1-9]\d{0,999})?", flags=re.ASCII)
# Of coarse counts, which version 0.1 could save: the edges of their bins, and the highest score
# in each.
BINNED = frozenset({"edges", "highs"})
ROUNDED = "BR946"
ARRAYS = frozenset({"scores", "positives", "negatives", "cuts"}) | BINNED


class Counts(Totals):
    """How many positives and negatives have each score?

    `scores` are distinct and descending, `positives` and `negatives` say how many cases have each:
    int64, or float64 masses when cases were weighted. Counts are frozen, add up (`a + b` is the
    count of both data sets together) and compare by value.

    >>> from baserate import Counts
    >>> Counts([0.9, 0.5, 0.1], positives=[2, 1, 0], negatives=[0, 3, 4])
    Counts: 3 positives, 7 negatives, 3 distinct scores, prior 0.300
    """

    scores: Array
    condensed: bool
    cuts: Array | None  # thresholds that no merged run reaches across, ascending

    def __init__(
        self, scores: npt.ArrayLike, positives: npt.ArrayLike, negatives: npt.ArrayLike
    ) -> None:
        """Cells in any order; equal scores are merged and empty cells left out."""
        cells = _validated(scores, positives, negatives)
        self._fill(cells, rows_counted(cells.positives, cells.negatives))

    def _fill(
        self,
        cells: Cells,
        ledger: Ledger,
        notes: Iterable[Note] = (),
        condensed: bool = False,  # noqa: FBT001, FBT002
        cuts: Array | None = None,
    ) -> None:
        self._keep(
            **cells._asdict(),
            ledger=ledger,
            condensed=condensed,
            cuts=cuts,
            _recorded=tuple(notes),
        )

    @classmethod
    def _of(cls, cells: Cells, *rest: Any, **named: Any) -> Counts:
        """From cells that are known to be in canonical form; the arrays become ours."""
        counts = cls.__new__(cls)
        counts._fill(cells, *rest, **named)
        return counts

    @classmethod
    def empty(cls) -> Counts:
        """The counts of no cases: adding them changes nothing."""
        none = np.empty(0, dtype=np.int64)
        return cls._of(Cells(np.empty(0), none, none.copy()), Ledger())

    def _derived(self, name: str, compute: Callable[[], Derived]) -> Derived:
        """What follows from these counts, which are frozen: computed once, and kept."""
        if name not in self.__dict__:
            self.__dict__[name] = compute()
        kept: Derived = self.__dict__[name]
        return kept

    @property
    def _cells(self) -> Cells:
        return Cells(self.scores, self.positives, self.negatives)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """How the data were read, as recorded when counting, and what there is to say of these
        counts.
        """
        return combine(
            self._recorded,
            observe(
                self._cells,
                condensed=self.condensed,
                won=lambda: self._won,
            ),
        )

    @cached_property
    def _won(self) -> float:
        """The share of pairs that the score puts in the right order."""
        return share_won(self.positives, self.negatives)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the statistic: the same from every engine and every order of the rows, and
        (without weights) every way of splitting.
        """
        return fingerprint_of(
            f"baserate-counts-1\n{self.scores.dtype.name}\n{self._masses}", self._cells
        )

    def total(self) -> Counts:
        """All cases together: these; counts by group add theirs up."""
        return self

    def condense(self, thresholds: Iterable[float] = ()) -> Counts:
        """Merge each run of scores that only negatives have into its lowest score.

        AUC, its DeLong variance, the hull and every operating point at a positive's score stay
        exact, and those at `thresholds`.
        """
        cuts = cuts_of(thresholds, self.scores.dtype)
        return Counts._of(
            without_runs(self._cells, cuts), self.ledger, self._recorded, condensed=True, cuts=cuts
        )

    def __add__(self, other: object) -> Counts:
        """The counts of both data sets together."""
        if not isinstance(other, Counts):
            return NotImplemented
        return self._plus(other).beside(self._unlabelled_with(other))

    def _plus(self, other: Counts) -> Counts:
        _check_same_scale(self, other)
        notes, ledger = self._notes_with(other), self.ledger + other.ledger
        for one, rest in ((self, other), (other, self)):
            if not len(rest.scores):
                return Counts._of(one._cells, ledger, notes, one.condensed, one.cuts)
        cells = gathered(*_joined(self, other))
        if not (self.condensed or other.condensed):
            return Counts._of(cells, ledger, notes)
        if not np.array_equal(self.scores[self.positives > 0], other.scores[other.positives > 0]):
            raise refuse(
                "BR409",
                "condensed counts with different positive scores cannot be added: their merged runs"
                " do not line up",
                'count the parts with keep="all", add them, and condense the sum',
            )
        cuts = (
            self.cuts
            if self.cuts is not None
            and other.cuts is not None
            and np.array_equal(self.cuts, other.cuts)
            else None
        )
        return Counts._of(without_runs(cells, cuts), ledger, notes, condensed=True, cuts=cuts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return self.condensed == other.condensed and all(
            ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
            for ours, theirs in zip(self._cells, other._cells, strict=True)
        )

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        kind = (
            "cells (condensed: runs of negatives merged)" if self.condensed else "distinct scores"
        )
        cells = f"{grouped(len(self.scores))} {kind}"
        prior = f"{self.prior:#.3g}" if math.isfinite(self.prior) else "undefined (no cases)"
        return f"Counts: {self._classes}, {cells}, prior {prior}"

    def _repr_html_(self) -> str:
        rows = first_and_last(
            len(self.scores), lambda i: [format_cell(column[i]) for column in self._cells]
        )
        return html_table(repr(self), ("score", "positives", "negatives"), rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checksummed file that `baserate.load` reads; a kill in the middle leaves the old
        file or the new one.
        """
        arrays = self._cells._asdict()
        if self.cuts is not None:
            arrays["cuts"] = self.cuts
        facts = {"condensed": self.condensed, **facts_of(self._recorded, self.ledger)}
        write(path, Saved("counts", arrays, facts))

    @classmethod
    def _loaded(cls, saved: Saved) -> Counts:
        """From a file: checked as any other input, whatever its checksum says."""
        arrays, condensed = saved.arrays, saved.facts["condensed"]
        if type(condensed) is not bool:
            raise ValueError("condensed is neither true nor false")
        cells = _validated(arrays["scores"], arrays["positives"], arrays["negatives"])
        cuts = arrays.get("cuts")
        if cuts is not None and not (
            condensed
            and cuts.dtype == cells.scores.dtype
            and not np.isnan(cuts).any()
            and (cuts[1:] > cuts[:-1]).all()
        ):
            raise ValueError("cuts do not fit the cells")
        form = without_runs(cells, cuts) if condensed else cells
        if not all(np.array_equal(ours, arrays[name]) for name, ours in form._asdict().items()):
            raise ValueError("cells are not in canonical form")
        ledger, notes = notes_from_facts(saved.facts, cells)
        if BINNED & arrays.keys():
            rounding = _checked_rounding(arrays, cells, condensed=condensed)
            notes = (*(note for note in notes if note.code != ROUNDED), *rounding)
        return cls._of(cells, ledger, notes, condensed=condensed, cuts=cuts)


def facts_of(notes: Iterable[Note], ledger: Ledger) -> dict[str, Any]:
    """Notes and ledger as plain values, for a file."""
    # The mark of corrected scores is there only where it says something: a reader that does not
    # know it must not lose it.
    facts = {name: value for name, value in asdict(ledger).items() if name != "corrected" or value}
    return {"notes": [_note_facts(note) for note in notes], "ledger": facts}


def _note_facts(note: Note) -> dict[str, Any]:
    facts = {
        "code": note.code,
        "text": note.text,
        "override": note.override and asdict(note.override),
    }
    return {**facts, "values": dict(note.values)} if note.values else facts


def notes_from_facts(facts: dict[str, Any], cells: Cells) -> tuple[Ledger, tuple[Note, ...]]:
    """The ledger and the notes that were saved with these cells."""
    kept = dict(facts["ledger"])
    sources, design = (
        tuple(Source(**source) for source in kept.pop("sources")),
        kept.pop("design", RANDOM),
    )
    corrected = kept.pop("corrected", "")
    if not all(
        isinstance(text, str)
        for source in sources
        for text in (source.path, source.sha256, source.label, source.positive)
    ) or not all(source.weight is None or isinstance(source.weight, str) for source in sources):
        raise ValueError("the ledger does not hold sources")
    for rows in (
        tuple(kept.values()),
        *((source.rows_read, source.rows_used, source.rows_refused) for source in sources),
    ):
        if not all(type(number) is int and number >= 0 for number in rows):
            raise ValueError("the ledger does not hold numbers of rows")
    if any(source.rows_read != source.rows_used + source.rows_refused for source in sources):
        raise ValueError("the rows of the ledger do not add up")
    if design not in DESIGNS:
        raise ValueError("the ledger names an unknown design")
    if corrected and not (isinstance(corrected, str) and ODDS.fullmatch(corrected)):
        raise ValueError("the ledger does not say by how much odds were corrected")
    ledger = Ledger(**kept, sources=sources, design=design, corrected=corrected)
    # A ledger of no rows says nothing of the cells, nor do the cells of weighted cases of the rows.
    counted = rows_counted(cells.positives, cells.negatives).rows_used
    if ledger.rows_read != ledger.rows_used + ledger.rows_refused or (
        counted and ledger.rows_used not in (0, counted)
    ):
        raise ValueError("the ledger does not fit the cells")
    return ledger, tuple(_note(**note) for note in facts["notes"])


def _note(
    code: str, text: str, override: dict[str, str] | None, values: dict[str, Any] | None = None
) -> Note:
    """A note from a file, with nothing in it that could steer a terminal."""
    fix = Fix(escaped(override["python"]), escaped(override["command"])) if override else None
    if values is None and code == "BR105" and ": left out" in text:
        values = {"left_out": None}  # files of 0.1 hold the text alone
    return Note(escaped(code), escaped(text), fix, dict(values or {}))


def _validated(scores: npt.ArrayLike, positives: npt.ArrayLike, negatives: npt.ArrayLike) -> Cells:
    """Canonical cells from what a person or a file gives, or the reason why not."""
    given = {"scores": scores, "positives": positives, "negatives": negatives}
    columns = {name: _numbers(values, name) for name, values in given.items()}
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{len(column)} {name}" for name, column in columns.items())
        raise refuse(
            "BR222", f"cells need one of each: got {lengths}", "give three arrays of one length"
        )
    values, hits, misses = columns.values()
    if np.isnan(values).any():
        raise refuse(
            "BR201",
            "a score is NaN and has no rank",
            "drop that cell",
            np.flatnonzero(np.isnan(values)),
        )
    bad = ~(np.isfinite(hits) & np.isfinite(misses)) | (hits < 0) | (misses < 0)
    if bad.any():
        raise refuse(
            "BR222",
            "positives and negatives must be finite and not negative",
            "correct those cells",
            np.flatnonzero(bad),
        )
    if hits.dtype != misses.dtype:
        hits, misses = as_masses(hits), as_masses(misses)
    cells = gathered(values, hits, misses)
    check_totals(cells.positives, cells.negatives)
    return cells


def _numbers(values: npt.ArrayLike, name: str) -> Array:
    array = np.asarray(values)
    whole = array.dtype.kind == "f" and not isinstance(values, np.ndarray) and array.ndim == 1
    rounded = whole and any(
        isinstance(value, int | np.integer) and int(value) != float(value)
        for value in values  # type: ignore[union-attr]
    )
    if rounded or (
        array.dtype.itemsize > 8
        and array.dtype.kind == "f"
        and (array != array.astype(np.float64)).any()
    ):
        raise refuse(
            "BR215", f"{name} hold numbers that float64 would round", "use float64 or int64"
        )
    if array.ndim != 1 or (array.dtype.kind not in "iuf" and array.size):
        raise refuse(
            "BR222",
            f"{name} must be one-dimensional numbers, got {array.ndim} dimensions of {array.dtype}",
            "give a flat array",
        )
    if array.dtype.kind == "u" and array.size and int(array.max()) > INT64_MAX:
        raise refuse(
            "BR215",
            f"{name} go beyond the largest 64-bit integer",
            "subtract a constant, or use float64",
        )
    untyped = not array.size and not isinstance(
        values, np.ndarray
    )  # NumPy makes floats of an empty list
    counted = array.dtype.kind in "iu" or (untyped and name != "scores")
    return array.astype(np.int64 if counted else np.float64)


def _checked_rounding(
    arrays: dict[str, Array], cells: Cells, *, condensed: bool
) -> tuple[Note, ...]:
    """A note that the scores of a file are those of bins, one cell each."""
    edges, highs = arrays["edges"], arrays["highs"]
    fits = (
        not condensed
        and len(highs) == len(cells.scores)
        and highs.dtype == cells.scores.dtype
        and (highs >= cells.scores).all()
    )
    if not fits:
        raise ValueError("the highest scores do not fit the cells")
    low, high = (np.searchsorted(edges, values, side="right") for values in (cells.scores, highs))
    if (low != high).any() or (np.diff(low) >= 0).any():
        raise ValueError("the cells do not fit the edges")
    return rounded_to_bins(cells.scores, highs)


def rounded_to_bins(lows: Array, highs: Array) -> tuple[Note, ...]:
    """A note that counts hold bins, each with its lowest score; none where no bin merged scores."""
    if not (highs > lows).any():
        return ()
    bins = number_of(len(lows), "bin")
    return (Note(ROUNDED, f"scores are rounded down to {bins}: cases within a bin count as tied"),)


def _check_same_scale(a: Counts, b: Counts) -> None:
    """A score corrected to another base rate is another score: both are, by the same factor, or
    none.
    """
    if len(a.scores) and len(b.scores) and a.ledger.corrected != b.ledger.corrected:
        said = " and ".join(
            f"by {counts.ledger.corrected}" if counts.ledger.corrected else "not at all"
            for counts in (a, b)
        )
        text = (
            f"the odds of these scores were corrected differently ({said}): one threshold means two"
            " things"
        )
        raise refuse("BR536", text, "add the counts first, and correct the sum")


def _joined(a: Counts, b: Counts) -> tuple[Array, Array, Array]:
    """The cells of both, end to end."""
    hits, misses = joined_counts(a.positives, b.positives), joined_counts(a.negatives, b.negatives)
    check_totals(hits, misses)
    return joined_scores(a.scores, b.scores), hits, misses


# ----------------------------------------------------------------------
# `Unlabelled`: how many cases have each score, where nobody knows yet which of them are
# positive.


class Unlabelled(Digested):
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
        return cls._make(scores=scores, cases=cases, ledger=ledger, notes=notes)

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
        return fingerprint_of(
            f"baserate-unlabelled-1\n{self.scores.dtype.name}\n", (self.scores, self.cases)
        )

    def __repr__(self) -> str:
        return (
            f"Unlabelled: {grouped(self.total)} cases, {grouped(len(self.scores))} distinct scores"
        )


# ----------------------------------------------------------------------
# `JointCounts`: several models on the same cases. Comparing models in pairs needs it; nothing else
# does.


class JointCounts(Totals, Digested):
    """Which scores did each model give the same case?

    One cell per case, or a distinct vector of scores: `scores[name]` has an entry per cell,
    `positives` and `negatives` its cases. Made by `count`. Cells keep the order in which
    they came until they are saved or digested; `a + b` puts the cells of b behind those of a.
    """

    _scores: dict[str, Array]

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
        return cls._make(
            _scores=dict(scores),
            positives=positives,
            negatives=negatives,
            ledger=ledger,
            _recorded=tuple(notes),
        )

    @property
    def scores(self) -> Mapping[str, Array]:
        """The scores of each model, one for each cell."""
        return MappingProxyType(self._scores)

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
        if not isinstance(model, str) or model not in self.scores:
            raise refuse(
                "BR408",
                f"there is no model {quoted(model)}",
                f"one of {', '.join(map(quoted, self.models))}",
            )
        kept: dict[str, Counts] = self.__dict__.setdefault(
            "_marginals", {}
        )  # frozen: each is counted once
        if model not in kept:
            scores, single = self.scores[model], self.positives + self.negatives == 1
            cells = (
                best.count_cells(scores, self.positives == 1)
                if self.positives.dtype == np.int64 and single.all()
                else gathered(scores, self.positives, self.negatives)
            )
            kept[model] = Counts._of(cells, self.ledger, self._recorded)
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
        order = np.lexsort([self.scores[name] for name in reversed(names)])[::-1]
        columns = {name: self.scores[name][order] for name in names}
        starts = run_starts(*columns.values())
        scores = {name: column[starts] for name, column in columns.items()}
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
        return fingerprint_of(
            f"baserate-joint-1\n{names}{self._masses}",
            (*form.scores.values(), form.positives, form.negatives),
        )

    def __repr__(self) -> str:
        names = ", ".join(quoted(name, quotes=False) for name in self.models)
        return (
            f"JointCounts: {number_of(len(self.models), 'model')} ({names}), {self._classes},"
            f" {grouped(len(self.positives))} cells"
        )

    def _repr_html_(self) -> str:
        columns = (*self.scores.values(), self.positives, self.negatives)
        rows = first_and_last(
            len(self.positives), lambda i: [format_cell(column[i]) for column in columns]
        )
        return html_table(
            repr(self),
            (*(quoted(name, quotes=False) for name in self.models), "positives", "negatives"),
            rows,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the canonical form to a checksummed file that `baserate.load` reads."""
        form = self.canonical()
        columns = {f"scores {i}": column for i, column in enumerate(form.scores.values())}
        facts = {"models": list(form.models), **facts_of(self._recorded, self.ledger)}
        write(
            path,
            Saved(
                "joint",
                {**columns, "positives": form.positives, "negatives": form.negatives},
                facts,
            ),
        )

    @classmethod
    def _loaded(cls, saved: Saved) -> JointCounts:
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
        ledger, notes = notes_from_facts(saved.facts, Cells(column, positives, negatives))
        return cls._of(scores, positives, negatives, ledger, notes)


def same_scores(joint: JointCounts, names: Sequence[str]) -> tuple[Note, ...]:
    """A note of every two names for the same scores: nobody compares them on purpose."""
    twins = [
        (a, b)
        for a, b in combinations(names, 2)
        if np.array_equal(joint.scores[a], joint.scores[b])
    ]
    return tuple(same_score(a, b) for a, b in twins)


def same_score(first: str, second: str) -> Note:
    """That two models are one."""
    return Note(
        "BR406",
        f"{quoted(first)} and {quoted(second)} have the same score for every case: is one of them"
        " the wrong column?",
    )
