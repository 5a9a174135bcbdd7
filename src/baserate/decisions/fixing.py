"""Fix one measure and read the rest: between two thresholds, and at the nearest threshold there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions import remarks
from baserate.decisions.merged import nearer
from baserate.decisions.operating import ATTAINED, INTERPOLATED, OperatingPoint, lower_at, mixed, set_at
from baserate.decisions.searching import DOUBT, exact_or_none, share_at, value_between
from baserate.errors import Fix, Infeasible, InputError, Problem, quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import along, checked_conditions, checked_volume, confusion_at, resolved_for
from baserate.measures.values import Measure, named
from baserate.notations import Written, from_number, share
from baserate.notes import combine
from baserate.points import Points, refuse_bins


@dataclass(frozen=True)
class Fixed:
    """One measure fixed, read in two ways: each says in `how` which it is.

    `interpolated, attained = fix(…)` unpacks it. Where scores were merged, `attained` is refused if the nearest threshold may lie among them.
    """

    interpolated: OperatingPoint
    nearest: OperatingPoint | InputError

    @property
    def attained(self) -> OperatingPoint:
        """The threshold whose value is nearest."""
        if isinstance(self.nearest, InputError):
            raise self.nearest
        return self.nearest

    def __iter__(self) -> Iterator[OperatingPoint]:
        return iter((self.interpolated, self.attained))


def fix(counts: Counts | Points, *, at: Conditions | None = None, volume: float | None = None, **target: float | str) -> Fixed:
    """With one measure fixed, what are the others? As in a case study at TPR 80 %, POSfrac 10 % or purity 50 %.

    `interpolated` lies on the straight line between two ROC points, where the measure has exactly that value: of several such places
    the one with the highest tpr, then the lowest fpr. `attained` is the threshold whose value is nearest. Landgrebe et al. §4.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[6, 3, 1], negatives=[1, 4, 15])
    >>> fixed = br.fix(counts, tpr=0.8, at=br.Conditions(prior=0.01))
    >>> round(fixed.interpolated.posfrac, 6), fixed.attained.threshold, fixed.attained.tpr
    (0.1895, 2, 0.9)
    """
    if len(target) != 1:
        raise refuse("BR533", f"fix one measure, got {len(target)}", "fix(counts, tpr=0.8)")
    ((name, given),) = target.items()
    volume = checked_volume(volume)
    asked, points, conditions = named(name, volume), Points.of(counts), checked_conditions(at)
    if not asked.straight:
        raise refuse("BR534", f"{name} may rise and fall between two thresholds: it cannot be fixed", "fix tpr, fpr, posfrac or precision")
    value = _value(asked, given)
    resolved = resolved_for(points, conditions, [asked])
    rule = f"{asked.name} = {quoted(given, quotes=False)}"

    def told(point: OperatingPoint) -> OperatingPoint:
        notes = combine(points.notes, (*conditions.notes, *remarks.on_reading(point, points)))
        return replace(point, rule=rule, volume=volume, notes=notes)

    refuse_bins(points, f"where {asked.name} is {quoted(given, quotes=False)} depends on the order of all scores")
    interpolated, nearest = _interpolated(points, asked, value, resolved), _nearest(points, asked, value, resolved)
    hidden = nearer(points, asked, float(value), nearest, resolved)
    return Fixed(told(interpolated), told(nearest) if hidden is None else hidden)


def _value(asked: Measure, given: float | str) -> Fraction:
    written: Written | None = share(given) if isinstance(given, str) else from_number(given)
    if written is None or not asked.range[0] <= written.value <= asked.range[1]:
        low, high = asked.range
        raise refuse("BR533", f"{asked.name} lies between {low:g} and {high:g}, got {quoted(given)}", f"fix(counts, {asked.name}=0.8)")
    return written.value


def _interpolated(points: Points, asked: Measure, value: Fraction, at: Conditions) -> OperatingPoint:
    values = along(asked, points, at)
    for edge in reversed(_edges_through(values, float(value)).tolist()):
        ends = confusion_at(points, edge), confusion_at(points, edge + 1)
        place = share_at(asked, ends, value, at)
        if place is None and value_between(asked, ends, Fraction(1, 2), at) == value:
            # Constant along the edge: the end with the higher tpr, where the measure is defined there.
            rises = points.tp[edge + 1] > points.tp[edge] and exact_or_none(asked, ends[1], at) is not None
            place = Fraction(int(rises))
        if place is not None:
            return _leftmost(points, asked, value, at, edge, place)
    defined = values[~np.isnan(values)]
    span = f"it runs from {defined.min():.6g} to {defined.max():.6g}" if len(defined) else "it is defined at no threshold"
    raise Infeasible(Problem("BR530", f"{asked.name} never is {float(value):.6g}: {span}", Fix.everywhere("fix a value in between")))


def _edges_through(values: Floats, target: float) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The edges that may reach the value: doubtful ones too, which are then decided exactly. Undefined ends may reach anything."""
    slack = DOUBT * (abs(target) + 1)
    low, high = np.fmin(values[:-1], values[1:]), np.fmax(values[:-1], values[1:])
    undefined = np.isnan(values[:-1]) | np.isnan(values[1:])
    with np.errstate(invalid="ignore"):
        return np.flatnonzero(undefined | ((low - slack <= target) & (target <= high + slack)))


def _leftmost(points: Points, asked: Measure, value: Fraction, at: Conditions, edge: int, place: Fraction) -> OperatingPoint:
    """The reading with the same tpr and the lowest fpr: on a horizontal run, its beginning, where the value is the same there."""
    confusion = mixed(points, edge, edge + 1, place)
    start = int(np.searchsorted(points.tp, points.tp[edge + int(place > 0)], side="left"))
    for run in (start, start + 1):  # where nothing is flagged, many measures are undefined: the run then begins one later
        if run < len(points) and exactly(points.tp[run].item()) == exactly(confusion.tp):
            first = confusion_at(points, run)
            if exact_or_none(asked, first, at) == value:
                return replace(set_at(points, run, at), how=INTERPOLATED)
    if place in (0, 1):
        return replace(set_at(points, edge + int(place), at), how=INTERPOLATED)
    return replace(set_at(points, edge, at), confusion=confusion, how=INTERPOLATED, share=rounded(place), **lower_at(points, edge + 1))


def _nearest(points: Points, asked: Measure, value: Fraction, at: Conditions) -> OperatingPoint:
    """The threshold whose value is nearest; of two as near the one that is better, then the one with the higher tpr and lower fpr."""
    target = float(value)
    values = along(asked, points, at)
    away = np.abs(values - target)
    near = np.flatnonzero(away <= np.nanmin(away) * (1 + DOUBT) + DOUBT * abs(target))
    # Of each value, the point with the higher tpr and the lower fpr; then the nearest, exactly.
    order = near[np.lexsort((points.fp[near], -points.tp[near], values[near]))]
    first = order[np.concatenate(([True], np.diff(values[order]) != 0))].tolist()
    sign = 1 if asked.direction == "higher" else -1
    exact = {index: exact_or_none(asked, confusion_at(points, index), at) for index in first}
    known = {index: found for index, found in exact.items() if found is not None}
    index = min(known, key=lambda i: (abs(known[i] - value), -sign * known[i], -points.tp[i], points.fp[i]))
    return replace(set_at(points, index, at), how=ATTAINED)
