"""`Curve`: two measures along the thresholds (`trace_measures`), or one measure along the base
rates (`sweep_priors`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from baserate.conditions import Conditions, Costs, checked_conditions
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.decisions.merged import curve_note
from baserate.decisions.roc_geometry import Baseline
from baserate.decisions.selection import choose, flag_at
from baserate.errors import Infeasible, Note, grouped, quoted, refuse
from baserate.measures.confusion import (
    ASSUMES_LABEL_SHIFT,
    NOT_SAID,
    Measure,
    label_shift_of,
    measure,
    measure_along,
    named,
    resolved_for,
)
from baserate.measures.isolines import Isoline
from baserate.notation import WholeCheck, base_rate
from baserate.numbers import (
    EXACT_FLOATS,
    Floats,
    TableCells,
    Viewed,
    first_and_last,
    format_cell,
    make_view,
)
from baserate.results.notes import notes_by_model
from baserate.results.operating_point import OperatingPoint

# ----------------------------------------------------------------------
# `Curve`: numbers that exist before they are drawn.


# Halving an edge so often reaches the last place of a float.
MOST_HALVINGS = 60
# Below this share of its values, a change along a curve is noise.
FLAT = 1e-12
FRAMES = ("pandas", "polars", "pyarrow")
# Given shares of the way along each edge, the curve's points there.
Between = Callable[[Any, Any], tuple[Floats, Floats]]


checked_pixels = WholeCheck(
    "BR542", "pixels must be a whole number from 2 to 100,000", "densified(512)", 2, 100_000
)


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """Two columns of numbers, with the thresholds and the conditions that they belong to.

    `x, y, thresholds = curve` unpacks it; `thresholds` are NaN where nothing is flagged, and None
    for a curve along conditions. Between two points of a ROC lies a straight line, reached by
    mixing two thresholds; `densified` follows what becomes of it here.

    >>> import baserate as br
    >>> curve = br.pr(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1))
    >>> curve
    Curve pr: precision against tpr, 5 points, at a base rate of 10%
    """

    name: str
    x_label: str
    y_label: str
    x: Floats
    y: Floats
    thresholds: Floats | None = None
    at: Conditions | None = None
    source: Counts | Points | None = None
    notes: tuple[Note, ...] = ()
    between: Between | None = None
    over: Any = None  # the `Expectation` over base rates that are not known exactly
    # What is drawn with it.
    band: Any = None
    isolines: tuple[Isoline, ...] = ()
    baseline: Baseline | None = None

    def __post_init__(self) -> None:
        for column in self:
            if column is not None:
                column.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Curve, tuple(vars(self).values())

    def __iter__(self) -> Iterator[Floats | None]:
        return iter((self.x, self.y, self.thresholds))

    def __len__(self) -> int:
        return len(self.x)

    @property
    def columns(self) -> dict[str, Floats]:
        """The columns by name; the threshold that flags nothing is NaN."""
        columns = {self.x_label: self.x, self.y_label: self.y}
        return columns if self.thresholds is None else {**columns, "threshold": self.thresholds}

    def to_dict(self) -> dict[str, list[float | str | None]]:
        """The columns by name as strict JSON: None for what is undefined and for the threshold that
        flags nothing, "inf" or "-inf" for what is infinite.
        """
        return columns_as_json(self.columns)

    def to_frame(self, backend: str = "pandas") -> Any:
        """The columns as a dataframe of pandas, polars or pyarrow."""
        return in_frame(self.columns, backend)

    def plot(self, **given: Any) -> Any:
        """The panel of this curve; `ax` also draws it on these axes of matplotlib.

        Other keywords are those of its panel in `baserate.plots`, such as `points`, `isolines` or
        `log`.
        """
        return make_view("plot", self, **given)

    @property
    def digest(self) -> str:
        """The fingerprint of the counts that the curve was read off."""
        counts = self.source.counts if isinstance(self.source, Points) else self.source
        return "" if counts is None else counts.digest

    def densified(self, pixels: int = 512) -> Curve:
        """The same curve with points in between wherever a step is longer than 1/pixels of either
        axis: for drawing.

        A straight edge of the ROC is a curve in most other coordinates; the new points lie on it,
        and the old ones stay.
        """
        checked_pixels(pixels)
        if self.between is None or not self.has_edges:
            return self
        edges, shares = halve_edges(self.x, self.y, self.between, pixels)
        x, y = self.between(edges, shares)
        cuts = self.thresholds
        if cuts is not None:
            # A new point keeps the threshold of the edge's end: down to it, a share of the cases is
            # flagged.
            cuts = cuts[np.minimum(edges + (shares > 0), len(self) - 1)]
        return replace(self, x=x, y=y, thresholds=cuts, between=None)

    @property
    def has_edges(self) -> bool:
        """Whether there are two points with a place to join."""
        return len(self) > 1 and not np.isnan(self.x).all() and not np.isnan(self.y).all()

    def __str__(self) -> str:
        return str(make_view("text", self))

    def __repr__(self) -> str:
        where = "" if self.at is None else f", at {self.at}"
        return (
            f"Curve {self.name}: {self.y_label} against {self.x_label}, {grouped(len(self))}"
            f" points{where}"
        )

    def _repr_html_(self) -> str:
        found: str = make_view("html", self)
        return found

    def _table_cells(self) -> TableCells:
        cuts = self.thresholds

        def row(place: int) -> list[str]:
            cut = (
                []
                if cuts is None
                else ["none" if np.isnan(cuts[place]) else format_cell(cuts[place])]
            )
            return [*cut, format_cell(self.x[place], 4), format_cell(self.y[place], 4)]

        headings = (*(() if cuts is None else ("score ≥",)), self.x_label, self.y_label)
        return headings, first_and_last(len(self), row)


def in_frame(columns: Mapping[str, Any], backend: str) -> Any:
    """Columns as a dataframe of pandas, polars or pyarrow."""
    if backend not in FRAMES:
        raise refuse(
            "BR532",
            f"there is no dataframe library {quoted(backend)} here",
            f"one of {', '.join(FRAMES)}",
        )
    import importlib

    try:
        library = importlib.import_module(backend)
    except ImportError:
        raise refuse(
            "BR714", f"{backend} is not installed", f"pip install {backend}, or to_dict()"
        ) from None
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    return library.table(arrays) if backend == "pyarrow" else library.DataFrame(arrays)


def columns_as_json(columns: Mapping[str, Floats]) -> dict[str, list[float | str | None]]:
    """Return columns of numbers as strict JSON can hold them."""
    return {name: list(map(_as_json, column.tolist())) for name, column in columns.items()}


def _as_json(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


class Curves(Viewed, Mapping[Hashable, Curve]):
    """Several curves of one kind: by model, by the conditions that they are read at, or by both as
    a pair.
    """

    def __init__(self, curves: Mapping[Any, Curve]) -> None:
        self._curves: dict[Hashable, Curve] = dict(curves)

    def __getitem__(self, key: Hashable) -> Curve:
        return self._curves[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def __str__(self) -> str:
        return str(make_view("text", self))

    def __repr__(self) -> str:
        return "\n".join(f"{key}: {curve!r}" for key, curve in self._curves.items())

    def by_model(self) -> list[tuple[str, Curve]]:
        """Return each curve with the name of its model; without one, if they have none."""
        named: list[tuple[str, Curve]] = []
        for key, curve in self._curves.items():
            model = key[0] if isinstance(key, tuple) else key
            named.append((model if isinstance(model, str) else "", curve))
        return named

    @property
    def isolines(self) -> tuple[Isoline, ...]:
        """The lines of one precision or npv that are drawn with them."""
        return next(iter(self.values())).isolines

    @property
    def baseline(self) -> Baseline | None:
        """The line above which a point is worth considering."""
        return next(iter(self.values())).baseline

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of the counts, of all curves and of bands, each once."""
        notes: dict[str, tuple[Note, ...]] = {}
        for model, curve in self.by_model():
            of_counts = () if curve.source is None else curve.source.notes
            of_band = () if curve.band is None else curve.band.notes
            notes[model] = (*notes.get(model, ()), *of_counts, *curve.notes, *of_band)
        return tuple(notes_by_model(notes))

    def densified(self, pixels: int = 512) -> Curves:
        """The same curves with points in between, for drawing."""
        return Curves({key: curve.densified(pixels) for key, curve in self.items()})

    def to_csv(self) -> str:
        """All points of all curves, with their models and base rates."""
        return str(make_view("csv", self))

    def plot(self, **given: Any) -> Any:
        """The panel of these curves; keywords as of the `plot` of one."""
        return make_view("plot", self, **given)


def halve_edges(x: Floats, y: Floats, between: Between, pixels: int) -> tuple[Any, Any]:
    """Edges and shares of all points of the denser curve: every old one, and others by halving
    whatever is too long.
    """
    places, count = np.stack((x, y)), len(x) - 1
    spans = np.array([[_range_of(values) / pixels] for values in places])
    edges, low, high = np.arange(count), np.zeros(count), np.ones(count)
    start, end = places[:, :-1], places[:, 1:]
    found_edges, found_shares = [edges], [low]
    for _ in range(MOST_HALVINGS):
        middle = (low + high) / 2
        half = np.stack(between(edges, middle))
        with np.errstate(invalid="ignore"):
            longer = np.abs(half - start) + np.abs(end - half) > spans
        long = longer.any(axis=0) & (middle > low) & (middle < high)
        if not long.any():
            break
        edges, inside, half = edges[long], middle[long], half[:, long]
        found_edges.append(edges)
        found_shares.append(inside)
        edges = np.tile(edges, 2)
        low, high = np.concatenate((low[long], inside)), np.concatenate((inside, high[long]))
        start = np.concatenate((start[:, long], half), axis=1)
        end = np.concatenate((half, end[:, long]), axis=1)
    edges, shares = np.concatenate(found_edges), np.concatenate(found_shares)
    order = np.lexsort((shares, edges))
    return np.append(edges[order], count - 1), np.append(shares[order], 1.0)


def _range_of(values: Floats) -> float:
    """How far an axis reaches; what differs by rounding only does not reach at all."""
    finite = values[np.isfinite(values)]
    return max(
        float(finite.max() - finite.min()), FLAT * float(np.abs(finite).max()), np.finfo(float).tiny
    )


# ----------------------------------------------------------------------
# `sweep_priors`: one measure along the conditions, with the point chosen again at each of them.


# From one in a million to one in two, ten a decade.
SAID = ("BR525", "BR526", "BR528")
PRIORS = tuple(float(f"{10 ** (-6 + i / 10):.6g}") for i in range(58))


def sweep_priors(
    counts: Counts | Points,
    y: str | Measure,
    *,
    priors: Iterable[Any] = PRIORS,
    costs: Costs | None = None,
    rule: str | None = None,
    threshold: float | None = NOT_SAID,
    volume: float | None = None,
) -> Curve:
    """How does a measure change with the base rate? x = prior, y = the measure.

    At each prior the point is chosen again, by cost or by a rule; with a `threshold` it stays where
    it is. NaN where no point satisfies the rule, or where the measure is undefined; thresholds are
    NaN there too, and where nothing is flagged.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[60, 30, 10], negatives=[1, 20, 79])
    >>> curve = br.curve(counts, "posfrac:prior", priors=[0.5, 0.1, 0.001], rule="tpr >= 0.9")
    >>> curve.y.round(4)
    array([0.555 , 0.279 , 0.2107])
    """
    asked, points = named(y, volume), Points.of(counts)
    conditions = [Conditions(prior, costs) for prior in priors]
    if not conditions or any(one.prior is None for one in conditions):
        raise refuse("BR519", "a sweep needs base rates to go along", "priors=[0.5, 0.1, 0.001]")
    if rule is not None and threshold is not NOT_SAID:
        raise refuse(
            "BR533",
            "a sweep keeps one threshold, or chooses again by a rule, not both",
            "leave one of them out",
        )
    read = [_point_at(points, at, rule, threshold, volume) for at in conditions]
    x, values, thresholds = (np.full(len(read), np.nan) for _ in range(3))
    for place, (at, point) in enumerate(zip(conditions, read, strict=True)):
        x[place] = at.prior
        if point is not None:
            values[place] = measure(point.confusion, asked, at=point.at)
            thresholds[place] = np.nan if point.threshold is None else point.threshold
    notes = _notes_of_sweep(conditions, read)
    return Curve("sweep", "prior", str(asked), x, values, thresholds, source=counts, notes=notes)


def _notes_of_sweep(
    conditions: list[Conditions], read: list[OperatingPoint | None]
) -> tuple[Note, ...]:
    """What there is to say, once: the assumption for all base rates together, and how points were
    chosen.
    """
    said = {
        note.code: note
        for point in read
        if point is not None
        for note in point.notes
        if note.code in SAID
    }
    priors = sorted(at.prior for at in conditions)
    low, high = (base_rate(float(end), brief=True) for end in (priors[0], priors[-1]))
    shift = Note(
        "BR526",
        f"computed for base rates from {low} to {high}; {ASSUMES_LABEL_SHIFT}",
    )
    first = (shift,) if "BR526" in said else ()
    return (*first, *(note for code, note in said.items() if code != "BR526"))


def _point_at(
    points: Points, at: Conditions, rule: str | None, threshold: Any, volume: float | None
) -> OperatingPoint | None:
    if threshold is not NOT_SAID:
        return flag_at(points, threshold, at=at, volume=volume)
    try:
        return choose(points, rule, at=at, volume=volume)
    except Infeasible:
        return None


# ----------------------------------------------------------------------
# `trace_measures`: any two measures along the thresholds.


def trace_measures(
    counts: Counts | Points,
    *,
    x: str | Measure,
    y: str | Measure,
    at: Conditions | None = None,
    volume: float | None = None,
    every: bool = True,
    name: str = "trace",
) -> Curve:
    """How do two measures go together, from nothing flagged to everything?

    One point per threshold, in step with `thresholds`; NaN where a measure is undefined.
    `every=False` leaves out points in the middle of a straight run of the ROC: the curve stays the
    same.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> x, y, thresholds = br.curve(counts, "precision:posfrac", prior=0.1, every=True)
    >>> y.round(3)
    array([  nan, 1.   , 0.1  , 0.182, 0.1  ])
    """
    across, up = named(x, volume), named(y, volume)
    points = Points.of(counts) if every else Points.of(counts).corners()
    conditions = checked_conditions(at)
    return trace_points(
        points,
        (across, up),
        conditions,
        source=counts,
        name=name,
        notes=curve_note(points) if every else (),
    )


def trace_points(
    points: Points,
    measures: tuple[Measure, Measure],
    at: Conditions,
    *,
    source: Counts | Points,
    name: str,
    limit: bool = False,
    notes: tuple[Note, ...] = (),
) -> Curve:
    """The curve of two measures along these points; with `limit`, its first point is the limit
    where nothing is flagged.
    """
    needs_prior = any(measure.depends_on_prior for measure in measures)
    resolved = resolved_for(points, at, measures) if needs_prior else None
    columns = [measure_along(measure, points, at) for measure in measures]
    if limit:
        columns = [_extend_to_limit(column) for column in columns]
    shifted = () if resolved is None else label_shift_of(resolved, points)
    return Curve(
        name,
        str(measures[0]),
        str(measures[1]),
        columns[0],
        columns[1],
        points.thresholds,
        resolved,
        source,
        (*at.notes, *notes, *rounded_thresholds(points), *shifted),
        _Between(points, measures, at, limit),
    )


@dataclass(frozen=True)
class _Between:
    """What the curve is between its points."""

    points: Points
    measures: tuple[Measure, Measure]
    at: Conditions
    limit: bool

    def __call__(self, edges: Any, shares: Any) -> tuple[Floats, Floats]:
        inside = mixed_points(self.points, edges, shares)
        x, y = (measure_along(measure, inside, self.at) for measure in self.measures)
        return (_extend_to_limit(x), _extend_to_limit(y)) if self.limit else (x, y)


def _extend_to_limit(values: Floats) -> Floats:
    """On the first edge from (0, 0) a ratio of flagged cases is constant: its value there is the
    limit at (0, 0), where it is 0/0.
    """
    if len(values) > 1 and np.isnan(values[0]):
        values = values.copy()
        known = np.flatnonzero(~np.isnan(values))
        values[0] = values[known[0]] if len(known) else values[0]
    return values


def rounded_thresholds(points: Points) -> tuple[Note, ...]:
    """Integers that floats cannot hold apart are merged on a curve's axis of thresholds, and
    nowhere else.
    """
    ends = points.scores[[0, -1]].tolist() if len(points.scores) else []
    if not any(isinstance(end, int) and abs(end) > EXACT_FLOATS for end in ends):
        return ()
    text = (
        "scores beyond 2^53: thresholds of a curve are rounded to floats; those of operating points"
        " are exact"
    )
    return (Note("BR572", text),)


def mixed_points(points: Points, edges: Any, shares: Any) -> Points:
    """Points so far along some of the edges; their outcomes are no longer whole."""
    columns = []
    for values in (points.tp, points.fp, points.fn, points.tn):
        start, end = values[edges].astype(np.float64), values[edges + 1].astype(np.float64)
        # Weighted means of both ends: exact at the ends, and never below 0.
        columns.append(start * (1 - shares) + end * shares)
    return points.mixture(*columns)
