"""Counting what does not fit: cases go by in pieces, as often as it takes, and never more is kept than there is room for.

Every distinct score is kept for as long as that fits. Where it does not, the scores of the positives are, and a second reading counts the
negatives between them: condensed counts, as exact as full ones for AUC, DeLong, the hull, and every threshold asked for. Where certified
bins are allowed, they take the place of both.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

import numpy as np

from baserate.cells import Array
from baserate.counts import Bins
from baserate.cuts import cuts_of
from baserate.engines.ceilings import CELL, POSITIVE, Ceiling
from baserate.engines.certified import BIN, BOUND, MOST_ROUNDS, Certified, not_certified
from baserate.engines.checkpoints import AGAIN, Checkpoint, Reached, forget
from baserate.engines.pieces import Pieces
from baserate.engines.stages import Everything, Gaps, Positives, Stage
from baserate.errors import refuse_file
from baserate.exact import Ints
from baserate.kernels import Cells, Kernels, best


class Kept(NamedTuple):
    """What counts are made of: cells, the bins they are, whether runs were merged, and the thresholds that were kept apart."""

    cells: Cells
    bins: Bins | None = None
    condensed: bool = False
    cuts: Array | None = None


def count_pieces(pieces: Pieces, ceiling: Ceiling, key: str = "", kernels: Kernels = best) -> Kept:
    """Full counts, or condensed ones, or certified bins: whatever fits, and is allowed."""
    run = _Run(pieces, ceiling, Checkpoint(ceiling.resume, key), kernels)
    kept = run.kept()
    if not ceiling.stays:
        forget(ceiling.resume)
    return kept


class _Run:
    """One count: what is being filled, and where in which reading of the pieces it stands."""

    def __init__(self, pieces: Pieces, ceiling: Ceiling, checkpoint: Checkpoint, kernels: Kernels) -> None:
        self.pieces, self.ceiling, self.checkpoint, self.kernels = pieces, ceiling, checkpoint, kernels
        self.reading, self.piece, self.rows = 0, 0, 0
        self.stage: Stage = self._resumed() or Everything(ceiling.room // CELL, kernels)

    def kept(self) -> Kept:
        """Read until there is a result."""
        while True:
            self._read()
            if isinstance(self.stage, Everything):
                cells = self.stage.settle()
                if not self.stage.full:
                    return Kept(cells)
                self.stage = self._less(self.stage)
            match self.stage:
                case Positives():
                    self.stage.settle()
                    self._begin(Gaps(self.stage, cuts_of(self.ceiling.thresholds, self.stage.kind), self.kernels))
                case Gaps():
                    return Kept(self.stage.cells(), condensed=True, cuts=self.stage.cuts)
                case Certified():
                    if self.stage.bound() <= BOUND:
                        return Kept(*self.stage.cells())
                    self._begin(self._finer(self.stage))

    def _finer(self, bins: Certified) -> Certified:
        cuts = cuts_of(self.ceiling.thresholds, bins.kind)
        finer = bins.finer(self.ceiling.room // BIN, cuts, self.kernels) if self.reading < MOST_ROUNDS else None
        if finer is None:
            raise not_certified(bins.bound(), rounds=self.reading >= MOST_ROUNDS)
        return finer

    def _begin(self, stage: Stage) -> None:
        """The next reading, from the first piece."""
        self.stage, self.reading, self.piece, self.rows = stage, self.reading + 1, 0, 0
        self._save()

    def _read(self) -> None:
        """Every piece that is left; from where only the positives are needed, these alone."""
        while self._goes_on():
            pass

    def _goes_on(self) -> bool:
        positives = isinstance(self.stage, Positives)
        with contextlib.closing(self.pieces.begin(self.piece, positives=positives)) as pieces:
            for piece in pieces:
                self.stage.add(piece)
                self.piece += 1
                self.rows += piece.rows
                if self.stage.full:
                    self.stage = self._less(self.stage)
                if self.ceiling.progress is not None:
                    self.ceiling.progress(self.rows, self.pieces.rows or self.rows)
                if self.checkpoint.due:
                    self._save()
                if isinstance(self.stage, Positives) and not positives and self.pieces.can_leave_out:
                    return True
        return False

    def _less(self, stage: Stage) -> Stage:
        """What is kept from here on where every score is too much."""
        assert isinstance(stage, Everything)
        assert self.ceiling.memory is not None
        cells, room = stage.settle(), self.ceiling.room
        less: Positives | Certified
        if self.ceiling.approx:
            less = Certified.among(cells, room // BIN, cuts_of(self.ceiling.thresholds, _kind(cells)), self.kernels)
        else:
            less = Positives.among(cells, room // POSITIVE, self.ceiling.memory)
        if stage.rest is not None:
            less.add(stage.rest)
        return less

    def _save(self) -> None:
        self.checkpoint.write(Reached(self.stage.NAME, self.reading, self.piece, self.rows, self.stage.arrays()))

    def _resumed(self) -> Stage | None:
        reached = self.checkpoint.found()
        if reached is None:
            return None
        self.reading, self.piece, self.rows = reached.reading, reached.piece, reached.rows
        try:
            return self._restored(reached)
        except (KeyError, ValueError, TypeError):
            raise refuse_file(self.checkpoint.path or "", "BR945", "does not hold what its head says", AGAIN) from None

    def _restored(self, reached: Reached) -> Stage:
        arrays, kernels, ceiling = reached.arrays, self.kernels, self.ceiling
        assert ceiling.memory is not None
        if reached.stage == Everything.NAME:
            return Everything(ceiling.room // CELL, kernels).restored(arrays)
        kind = np.dtype(np.int64 if len(arrays["whole"]) else np.float64)
        if reached.stage == Certified.NAME:
            return Certified(kind, arrays["edges"], kernels).restored(arrays)
        most, gaps = ceiling.room // POSITIVE, reached.stage == Gaps.NAME
        orders, hits = _positives(arrays) if gaps else (arrays["orders"], arrays["hits"])
        found = Positives(kind, most, ceiling.memory, orders, hits)
        return Gaps(found, cuts_of(ceiling.thresholds, kind), kernels).restored(arrays) if gaps else found


def _positives(arrays: dict[str, Array]) -> tuple[Ints, Ints]:
    """The anchors that are scores of positives, and not only cuts."""
    ours = arrays["at"] > 0
    return arrays["anchors"][ours], arrays["at"][ours]


def _kind(cells: Cells) -> np.dtype[np.generic]:
    return cells.scores.dtype
