"""`Curve`: numbers that exist before they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.errors import grouped, quoted, refuse
from baserate.exact import Floats
from baserate.frozen import Frozen
from baserate.notes import Note
from baserate.points import Points

# Halving an edge so often reaches the last place of a float.
MOST_HALVINGS = 60
# Below this share of its values, a change along a curve is noise.
FLAT = 1e-12
FRAMES = ("pandas", "polars", "pyarrow")
# Given shares of the way along each edge, the curve's points there.
Between = Callable[[Any, Any], tuple[Floats, Floats]]


class Curve(Frozen):
    """Two columns of numbers, with the thresholds and the conditions that they belong to.

    `x, y, thresholds = curve` unpacks it; `thresholds` are NaN where nothing is flagged, and None for a curve along conditions.
    Between two points of a ROC lies a straight line, reached by mixing two thresholds; `densified` follows what becomes of it here.

    >>> import baserate as br
    >>> curve = br.pr(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1))
    >>> curve
    Curve pr: precision against tpr, 5 points, at prior 0.1
    """

    name: str
    x_label: str
    y_label: str
    x: Floats
    y: Floats
    thresholds: Floats | None
    at: Conditions | None
    notes: tuple[Note, ...]
    source: Counts | Points | None
    _between: Between | None

    def __init__(self) -> None:
        raise TypeError("curves are made by roc(counts), pr(counts, at=…), trace(counts, x=…, y=…) and so on")

    @classmethod
    def _of(
        cls,
        name: str,
        labels: tuple[str, str],
        columns: tuple[Floats, Floats, Floats | None],
        at: Conditions | None,
        source: Counts | Points | None = None,
        notes: tuple[Note, ...] = (),
        between: Between | None = None,
    ) -> Curve:
        curve = cls.__new__(cls)
        x, y, thresholds = columns
        arrays = [column for column in columns if column is not None]
        curve._set(arrays, name=name, x_label=labels[0], y_label=labels[1], x=x, y=y, thresholds=thresholds, at=at)
        curve._set((), notes=notes, source=source, _between=between)
        return curve

    def __reduce__(self) -> tuple[Any, ...]:
        labels, columns = (self.x_label, self.y_label), (self.x, self.y, self.thresholds)
        return Curve._of, (self.name, labels, columns, self.at, self.source, self.notes, self._between)

    def __iter__(self) -> Iterator[Floats | None]:
        return iter((self.x, self.y, self.thresholds))

    def __len__(self) -> int:
        return len(self.x)

    def to_dict(self) -> dict[str, list[float]]:
        """The columns by name."""
        columns = {self.x_label: self.x.tolist(), self.y_label: self.y.tolist()}
        return columns if self.thresholds is None else {**columns, "threshold": self.thresholds.tolist()}

    def to_frame(self, backend: str = "pandas") -> Any:
        """The columns as a dataframe of pandas, polars or pyarrow."""
        if backend not in FRAMES:
            raise refuse("BR560", f"there is no dataframe library {quoted(backend)} here", f"one of {', '.join(FRAMES)}")
        import importlib

        try:
            library = importlib.import_module(backend)
        except ImportError:
            raise refuse("BR561", f"{backend} is not installed", f"pip install {backend}, or to_dict()") from None
        columns = {name: np.asarray(values) for name, values in self.to_dict().items()}
        return library.table(columns) if backend == "pyarrow" else library.DataFrame(columns)

    @property
    def digest(self) -> str:
        """The fingerprint of the counts that the curve was read off."""
        counts = self.source.counts if isinstance(self.source, Points) else self.source
        return "" if counts is None else counts.digest

    def densified(self, pixels: int = 512) -> Curve:
        """The same curve with points in between wherever a step is longer than 1/pixels of either axis: for drawing.

        A straight edge of the ROC is a curve in most other coordinates; the new points lie on it, and the old ones stay.
        """
        if not isinstance(pixels, int) or isinstance(pixels, bool) or not 2 <= pixels <= 100_000:
            raise refuse("BR562", f"pixels must be a whole number from 2 to 100 000, got {quoted(pixels)}", "densified(512)")
        if self._between is None or len(self) < 2 or np.isnan(self.x).all() or np.isnan(self.y).all():
            return self
        edges, shares = inserted(self.x, self.y, self._between, pixels)
        x, y = self._between(edges, shares)
        # A new point keeps the threshold of the edge's end: down to it, a share of the cases is flagged.
        cuts = None if self.thresholds is None else self.thresholds[np.minimum(edges + (shares > 0), len(self) - 1)]
        return Curve._of(self.name, (self.x_label, self.y_label), (x, y, cuts), self.at, self.source, self.notes)

    def __repr__(self) -> str:
        where = "" if self.at is None else f", at {self.at}"
        return f"Curve {self.name}: {self.y_label} against {self.x_label}, {grouped(len(self))} points{where}"

    def _repr_html_(self) -> str:
        from baserate.html_tables import cell, some, table

        cuts = self.thresholds

        def row(place: int) -> list[str]:
            cut = [] if cuts is None else ["none" if np.isnan(cuts[place]) else cell(cuts[place])]
            return [*cut, cell(self.x[place], 4), cell(self.y[place], 4)]

        headings = (*(() if cuts is None else ("score >=",)), self.x_label, self.y_label)
        return table(repr(self), headings, some(len(self), row))


def inserted(x: Floats, y: Floats, between: Between, pixels: int) -> tuple[Any, Any]:
    """Edges and shares of all points of the denser curve: every old one, and others by halving whatever is too long."""
    spans = [_span(values) / pixels for values in (x, y)]
    count = len(x) - 1
    edges, low, high = np.arange(count), np.zeros(count), np.ones(count)
    start, end = (x[:-1], y[:-1]), (x[1:], y[1:])
    found_edges, found_shares = [edges], [low]
    for _ in range(MOST_HALVINGS):
        middle = (low + high) / 2
        half = between(edges, middle)
        with np.errstate(invalid="ignore"):
            lengths = [np.abs(h - a) + np.abs(b - h) > span for a, h, b, span in zip(start, half, end, spans, strict=True)]
        long = (lengths[0] | lengths[1]) & (middle > low) & (middle < high)
        if not long.any():
            break
        found_edges.append(edges[long])
        found_shares.append(middle[long])
        edges, low, middle, high = (np.tile(edges[long], 2), low[long], middle[long], high[long])
        low, high = np.concatenate((low, middle)), np.concatenate((middle, high))
        before, after = ([values[long] for values in pair] for pair in (start, end))
        inside = [values[long] for values in half]
        start = np.concatenate((before[0], inside[0])), np.concatenate((before[1], inside[1]))
        end = np.concatenate((inside[0], after[0])), np.concatenate((inside[1], after[1]))
    edges, shares = np.concatenate(found_edges), np.concatenate(found_shares)
    order = np.lexsort((shares, edges))
    return np.append(edges[order], count - 1), np.append(shares[order], 1.0)


def _span(values: Floats) -> float:
    """How far an axis reaches; what differs by rounding only does not reach at all."""
    finite = values[np.isfinite(values)]
    return max(float(finite.max() - finite.min()), FLAT * float(np.abs(finite).max()), np.finfo(float).tiny)
