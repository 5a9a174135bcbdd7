"""`expect_curve`: where a curve lies while the base rate is not known exactly; on average, mostly, at worst and at best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.errors import Fix, grouped, quoted, refuse
from baserate.exact import Floats
from baserate.measures.values import Measure
from baserate.notes import Note, combine
from baserate.points import Points, refuse_bins
from baserate.prospects.expectations import UNKNOWN, VARYING
from baserate.prospects.regrets import assumption
from baserate.prospects.scenes import checked
from baserate.spreads import BELIEVED, Draws, Range
from baserate.uncertain import Uncertain
from baserate.uncertainty.reading import CURVES, SHORT, at_places, curve_reader
from baserate.uncertainty.values import checked_level, percent

FINE, COARSE = 24, 16
# Over a range: at a recall that stays, everything rises or falls with the base rate, so that the ends decide; elsewhere it is walked.
WALKED = 129
OF_ALERTS, OF_POSITIVES = ("precision", "fdr"), ("tpr", "lift")


@dataclass(frozen=True, eq=False)
class Outlook:
    """A curve over uncertain base rates: at each `x`, `y` on average (or in the long run), `low` to `high` in `level` of what is believed.

    `worst` and `best` are over everything possible; over a range, which has no average, `y` is NaN and `low` to `high` span the range. NaN
    too where a distribution has no ends. `error` bounds the error of the integration. Cases are taken as they are: see `band` for theirs.
    """

    name: str
    x_label: str
    y_label: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    worst: Floats
    best: Floats
    at: Uncertain
    level: float = 0.95
    kind: str = ""
    error: float = 0.0
    notes: tuple[Note, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.x)

    def to_dict(self) -> dict[str, list[float]]:
        """The columns by name."""
        columns = {self.x_label: self.x, self.y_label: self.y, "low": self.low, "high": self.high, "worst": self.worst, "best": self.best}
        return {name: values.tolist() for name, values in columns.items()}

    def __repr__(self) -> str:
        kind = f", base rate {self.kind}" if self.kind else ""
        return (
            f"Outlook {self.name}: {self.y_label} along {self.x_label}, {grouped(len(self))} places, {percent(self.level)}{kind}; at {self.at}"
        )


class _Lines(NamedTuple):
    """The curve at each of several base rates, a row each, with their weights where there are any."""

    priors: Floats
    values: Floats
    weights: Floats | None


def expect_curve(curve: Any, counts: Counts | Points, *, at: Uncertain, kind: str | None = None, x: Any = None, level: float = 0.95) -> Outlook:
    """Where does this curve lie, while the base rate is not known exactly?

    `curve` is `br.pr`, `br.broc`, `br.posfrac_curve` (read along recall), `br.gain_curve` or `br.lift_curve` (along the share flagged), at
    the places `x`. `kind` says of a distribution whether the base rate is "unknown" (one true value: the average of the curve) or "varying"
    (days, sites: its long-run value, all cases pooled).

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> found = br.expect_curve(br.pr, counts, at=br.Uncertain(prior="1e-4..1e-2"), x=[0.5, 0.9])
    >>> found.low.round(4), found.high.round(4)
    (array([0.0431, 0.0431]), array([0.8197, 0.8197]))
    """
    if not isinstance(checked(at), Uncertain):
        raise refuse("BR519", "conditions that are known need no average", "the curve itself: pr(counts, at=at), or at=Uncertain(...)")
    name, axis, measure = _named(curve)
    _check_prior(at, name)
    asked, places = _kind(at, kind), curve_reader(name, None, x).x
    points = Points.of(counts)
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "a curve needs cases of both classes", "count cases of both classes")
    refuse_bins(points, "a curve read between its points needs every score")
    fine, coarse = (_lines(points, (axis, measure), at, places, panels) for panels in (FINE, COARSE))
    y, rough = (_average(lines, measure, asked) for lines in (fine, coarse))
    if asked == VARYING and measure.name in OF_ALERTS:
        # At a recall that stays, true and false alerts are straight in the base rate: their long-run share is that at its mean.
        y = rough = _read(points, (axis, measure), np.array([at.prior.mean]), places)[0]
    error = 0.0 if fine.weights is None else float(np.nanmax(np.abs(y - rough), initial=0.0)) + 1e-15
    low, high = _bounds(fine, at.prior, checked_level(level), points, (axis, measure), places)
    worst, best = _ends(points, (axis, measure), at.prior, places, fine)
    told = {"kind": asked, "error": error, "notes": combine(points.notes, assumption(at))}
    return Outlook(name, axis.name, measure.name, places, y, low, high, worst, best, at, checked_level(level), **told)  # type: ignore[arg-type]


def _named(curve: Any) -> tuple[str, Measure, Measure]:
    given = curve if isinstance(curve, str) else getattr(curve, "__name__", "")
    name = SHORT.get(given, given)
    moving = [known for known, parts in CURVES.items() if any(Measure(part).depends_on_prior for part in parts)]
    if name not in moving:
        other = "; a cost curve already shows every base rate, and a ROC does not depend on it" if name in ("roc", "det", "cost_curve") else ""
        raise refuse("BR569", f"{quoted(given or curve)} has no outlook over base rates{other}", f"one of {', '.join(moving)}")
    axis, measure = (Measure(part) for part in CURVES[name])
    return name, axis, measure


def _check_prior(at: Uncertain, name: str) -> None:
    if not isinstance(at.prior, (*BELIEVED, Range)):
        text = f"the base rate is known, and {name} depends on nothing else"
        raise refuse("BR588", text, 'at=Uncertain(prior="1e-5..1e-3"), or the curve itself at Conditions')


def _kind(at: Uncertain, kind: str | None) -> str:
    if kind not in (None, UNKNOWN, VARYING):
        raise refuse("BR588", f'kind is "{UNKNOWN}" or "{VARYING}", got {quoted(kind)}', Fix(f'kind="{UNKNOWN}"', f"--kind {UNKNOWN}"))
    if isinstance(at.prior, BELIEVED) and kind is None:
        text = "is the base rate unknown, or does it vary? The average of a curve and its long-run value differ"
        fix = Fix(f'kind="{UNKNOWN}" (one true base rate) or kind="{VARYING}" (days, sites)', f"--kind {UNKNOWN} or --kind {VARYING}")
        raise refuse("BR588", text, fix)
    return kind or ""


def _lines(points: Points, parts: tuple[Measure, Measure], at: Uncertain, places: Floats, panels: int) -> _Lines:
    if isinstance(at.prior, Range):
        priors, weights = np.array(at.prior.grid(WALKED if parts[0].depends_on_prior else 2)), None
    else:
        nodes = at.prior.nodes(panels)
        priors, weights = nodes.values, nodes.weights
    return _Lines(priors, _read(points, parts, priors, places), weights)


def _read(points: Points, parts: tuple[Measure, Measure], priors: Floats, places: Floats) -> Floats:
    return np.array([at_places(points, *parts, Conditions(float(prior)), places) for prior in priors])


def _average(lines: _Lines, measure: Measure, kind: str) -> Floats:
    """The average over what is believed; in the long run each day weighs as many positives as it has, where a share of them is asked for."""
    if lines.weights is None:
        return np.full(lines.values.shape[1], np.nan)
    by_positives = kind == VARYING and measure.name in OF_POSITIVES
    weights = lines.weights * lines.priors if by_positives else lines.weights
    return np.asarray(weights @ lines.values / weights.sum())


def _bounds(lines: _Lines, prior: Any, level: float, points: Points, parts: tuple[Measure, Measure], places: Floats) -> tuple[Floats, Floats]:
    """Over a range, all of it; of a distribution, what its middle `level` reaches."""
    if lines.weights is None:
        return _spanned(lines.values)
    tail = (1 - level) / 2
    if isinstance(prior, Draws) or parts[0].depends_on_prior:
        return _quantiles(lines.values, lines.weights, tail), _quantiles(lines.values, lines.weights, 1 - tail)
    ends = np.array([prior.quantile(tail), prior.quantile(1 - tail)])
    reached = _read(points, parts, ends, places)
    return reached.min(axis=0), reached.max(axis=0)


def _quantiles(values: Floats, weights: Floats, share: float) -> Floats:
    """At each place, the value below which that share of what is believed lies."""
    order = np.argsort(values, axis=0)
    reached = np.cumsum(weights[order], axis=0)
    rows = np.minimum((reached < share * reached[-1]).sum(axis=0), len(order) - 1)
    return np.asarray(np.take_along_axis(np.take_along_axis(values, order, axis=0), rows[None, :], axis=0)[0], dtype=np.float64)


def _ends(points: Points, parts: tuple[Measure, Measure], prior: Any, places: Floats, lines: _Lines) -> tuple[Floats, Floats]:
    """The worst and the best at each place, over everything possible; unknown where a distribution has no ends."""
    if prior.ends is None or not 0 < prior.ends[0] <= prior.ends[1] < 1:
        nothing = np.full(len(places), np.nan)
        return nothing, nothing
    ends = _read(points, parts, np.array([float(end) for end in prior.ends]), places)
    low, high = _spanned(np.vstack([ends, lines.values]))
    return (low, high) if parts[1].direction == "higher" else (high, low)


def _spanned(values: Floats) -> tuple[Floats, Floats]:
    """The least and the most at each place; NaN where it is undefined at all base rates (precision, where nothing is flagged)."""
    known = ~np.isnan(values)
    low, high = (
        np.where(known.any(axis=0), found, np.nan)
        for found in (np.where(known, values, np.inf).min(0), np.where(known, values, -np.inf).max(0))
    )
    return low, high
