"""What is kept while cases go by in pieces: every distinct score; or the positives' scores, and then what lies between them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from baserate.cells import Array, gathered, run_starts, run_sums, without_runs
from baserate.engines.pieces import Piece, kind_of
from baserate.errors import Fix, grouped, refuse, size
from baserate.exact import Ints
from baserate.kernels import Cells, Kernels
from baserate.kernels.portable import ascending_orders, scores_of_orders

# So much waits to be merged before it is, so that merging costs little a row.
BATCH = 1 << 18


class Stage(Protocol):
    """Something that takes pieces, and can be put into a file and taken out again."""

    NAME: str

    @property
    def full(self) -> bool: ...
    def add(self, piece: Piece) -> None: ...
    def arrays(self) -> dict[str, Array]: ...


class Everything:
    """Every distinct score with its cases: full counts, for as long as they fit.

    Rows wait until there are as many as distinct scores would fit, and are then counted at once: that costs a third of merging small counts.
    What no longer fits is `rest`, so that how pieces are cut decides nothing.
    """

    NAME = "everything"

    def __init__(self, most: int, kernels: Kernels) -> None:
        self.most, self.kernels = most, kernels
        self.cells: Cells | None = None
        self.kind: np.dtype[Any] | None = None
        self.waiting: list[Piece] = []
        self.rows = 0
        self.rest: Piece | None = None

    @property
    def full(self) -> bool:
        """Whether there are more distinct scores than there is room for."""
        return self.cells is not None and len(self.cells.scores) > self.most

    def add(self, piece: Piece) -> None:
        if self.kind not in (None, kind_of(piece.scores)):
            raise mixed_kinds()
        self.kind = kind_of(piece.scores)
        step, start = max(BATCH, self.most) + 1, 0
        while start < len(piece.scores):
            end = min(start + step - self.rows, len(piece.scores))
            self.waiting.append(Piece(piece.positive[start:end], piece.scores[start:end], 0))
            self.rows, start = self.rows + end - start, end
            if self.rows == step:
                self.settle()
            if self.full:
                self.rest = Piece(piece.positive[start:], piece.scores[start:], 0) if start < len(piece.scores) else None
                return

    def settle(self) -> Cells:
        """Everything so far as one."""
        if self.waiting:
            scores, positive = (np.concatenate([getattr(piece, name) for piece in self.waiting]) for name in ("scores", "positive"))
            self.waiting, self.rows = [], 0
            found = self.kernels.count_cells(scores, positive)
            del scores, positive
            self.cells = found if self.cells is None else _merged(self.cells, found)
        return self.cells if self.cells is not None else Cells(np.empty(0), *np.empty((2, 0), dtype=np.int64))

    def arrays(self) -> dict[str, Array]:
        """Also what waits: counting it now would move the moment at which things no longer fit, and with it what is kept."""
        held: dict[str, Array] = dict(self.cells._asdict()) if self.cells is not None else {}
        if self.waiting and self.kind is not None:
            held["waiting"] = np.concatenate([piece.scores for piece in self.waiting]).astype(self.kind)
            held["labels"] = np.concatenate([piece.positive for piece in self.waiting]).astype(np.int64)
        return held

    def restored(self, arrays: dict[str, Array]) -> Everything:
        """The same, as far as it had got."""
        if "scores" in arrays:
            self.cells = Cells(arrays["scores"], arrays["positives"], arrays["negatives"])
            self.kind = kind_of(self.cells.scores)
        if "waiting" in arrays:
            self.waiting = [Piece(arrays["labels"].astype(np.bool_), arrays["waiting"], 0)]
            self.kind, self.rows = kind_of(arrays["waiting"]), len(arrays["waiting"])
        return self


def _merged(first: Cells, second: Cells) -> Cells:
    return gathered(*(np.concatenate(columns) for columns in zip(first, second, strict=True)))


class Positives:
    """The distinct scores of the positives, as orders, with the cases at each."""

    NAME = "positives"

    def __init__(self, kind: np.dtype[Any], most: int, memory: int, orders: Ints, hits: Ints) -> None:
        self.kind, self.most, self.memory = kind, most, memory
        self.orders, self.hits = orders, hits
        self.waiting: list[Ints] = []

    @classmethod
    def among(cls, cells: Cells, most: int, memory: int) -> Positives:
        """Those among what was counted already."""
        ours = np.flatnonzero(cells.positives)[::-1]
        kind = kind_of(cells.scores)
        return cls(kind, most, memory, ascending_orders(cells.scores[ours]), cells.positives[ours])

    @property
    def full(self) -> bool:
        return False

    def add(self, piece: Piece) -> None:
        if kind_of(piece.scores) != self.kind:
            raise mixed_kinds()
        self.waiting.append(ascending_orders(piece.scores[np.flatnonzero(piece.positive)]))
        if sum(map(len, self.waiting)) > max(BATCH, min(len(self.orders), self.most - len(self.orders))):
            self.settle()

    def settle(self) -> None:
        """Sorted, each score once."""
        orders = np.concatenate((self.orders, *self.waiting))
        hits = np.concatenate((self.hits, np.ones(len(orders) - len(self.hits), dtype=np.int64)))
        self.waiting = []
        places = np.argsort(orders, kind="stable")
        orders, hits = orders[places], hits[places]
        starts = run_starts(orders)
        self.orders, self.hits = orders[starts], run_sums(hits, starts)
        if len(self.orders) > self.most:
            text = f"more than {grouped(self.most)} different scores of positives do not fit into {size(self.memory)}"
            raise refuse(
                "BR941", text, Fix("more memory, or approx=True for certified bins", "a higher --memory, or --approx for certified bins")
            )

    def arrays(self) -> dict[str, Array]:
        self.settle()
        return {"orders": self.orders, "hits": self.hits, "whole": whole(self.kind)}


class Gaps:
    """How many negatives lie at each positive's score (and each cut), and between them."""

    NAME = "gaps"

    def __init__(self, found: Positives, cuts: Array | None, kernels: Kernels) -> None:
        self.kind, self.cuts = found.kind, cuts
        asked = ascending_orders(cuts) if cuts is not None else np.empty(0, dtype=np.int64)
        self.anchors = np.union1d(found.orders, asked) if len(asked) else found.orders
        self.hits = found.hits
        if len(self.anchors) > len(found.orders):
            self.hits = np.zeros(len(self.anchors), dtype=np.int64)
            self.hits[np.searchsorted(self.anchors, found.orders)] = found.hits
        # Without positives all negatives are one run, and any anchor will do.
        self.counter = kernels.GapCounter(self.anchors if len(self.anchors) else np.zeros(1, dtype=np.int64))
        if not len(self.anchors):
            self.anchors, self.hits = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)

    @property
    def full(self) -> bool:
        return False

    def add(self, piece: Piece) -> None:
        self.counter.add(piece.scores, piece.positive)

    def arrays(self) -> dict[str, Array]:
        counter = self.counter
        held = {"anchors": self.anchors, "at": self.hits, "ties": counter.ties, "gaps": counter.gaps, "lowest": counter.lowest}
        return {**held, "whole": whole(self.kind)}

    def restored(self, arrays: dict[str, Array]) -> Gaps:
        """The same, as far as it had got."""
        if not (np.array_equal(arrays["anchors"], self.anchors) and np.array_equal(arrays["at"], self.hits)):
            raise ValueError("other scores of positives")
        for name in ("ties", "gaps", "lowest"):
            getattr(self.counter, name)[:] = arrays[name]
        return self

    def cells(self) -> Cells:
        """Descending: the run above the highest anchor, what lies at that anchor, the run below it, and so on down."""
        counter = self.counter
        used = np.empty(2 * len(self.anchors) + 1, dtype=np.bool_)
        used[0::2], used[1::2] = (counter.gaps > 0)[::-1], ((self.hits > 0) | (counter.ties > 0))[::-1]
        nothing = np.zeros(len(counter.gaps), dtype=np.int64)
        columns = [
            _woven(above, at)[used] for above, at in ((counter.lowest, self.anchors), (nothing, self.hits), (counter.gaps, counter.ties))
        ]
        return without_runs(Cells(scores_of_orders(columns[0], self.kind), *columns[1:]), self.cuts)


def _woven(above: Ints, at: Ints) -> Ints:
    both = np.empty(len(above) + len(at), dtype=np.int64)
    both[0::2], both[1::2] = above[::-1], at[::-1]
    return both


def whole(kind: np.dtype[Any]) -> Ints:
    """A mark for a file, where scores are whole numbers: their orders do not say so."""
    return np.zeros(int(kind == np.int64), dtype=np.int64)


def mixed_kinds() -> Exception:
    """The error for pieces of two types."""
    return refuse("BR944", "scores are whole numbers in some pieces and fractions in others", "give all of them one type")
