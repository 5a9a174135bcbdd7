"""What is asked for: a summary, a measure at a threshold or a rule, or a function of one's own, as one function of counts."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose, flag_at
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import parse_rule
from baserate.errors import Infeasible, InputError, quoted, refuse
from baserate.measures.confusions import NOT_SAID, checked_conditions, checked_volume, label_shift_of
from baserate.measures.values import Measure, named
from baserate.notes import Note
from baserate.points import Points
from baserate.summaries.catalogue import SUMMARIES
from baserate.summaries.values import NOT_ASKED, Summary

# Lower is better for these; for every other summary higher is.
LOWER = ("brier", "log_loss", "calibration_error", "min_cost", "cost_area", "weighted_cost_area")
SHARE = (0.0, 1.0)
RANGES = {
    **dict.fromkeys(("auc", "ks", "average_precision", "auprc", "weighted_auc", "weighted_pr_area", "brier", "calibration_error"), SHARE),
    "gini": (-1.0, 1.0),
    "h_measure": (-math.inf, 1.0),
    "cost_area": SHARE,
    "log_loss": (0.0, math.inf),
}
# These look at the scores themselves; every other summary sees the ROC alone, which merging runs of negatives leaves as it is.
OF_SCORES = ("brier", "log_loss", "calibration_error", "brier_decomposition")


@dataclass(frozen=True)
class Statistic:
    """A function of counts, and what a bootstrap needs to know of it.

    `of_roc` says that the ROC alone decides, so that runs of negatives may be merged; `of_prior` that the sample's own prior enters, so
    that it has to be resampled too; `chosen` that the threshold is chosen again on every resample.
    """

    name: str
    value: Callable[[Counts], float]
    better: str = "higher"
    of_roc: bool = False
    of_prior: bool = True
    chosen: bool = False
    at: Conditions | None = None
    measure: Measure | None = None
    threshold: Any = NOT_SAID
    # Does a rule choose, and not the cost alone?
    ruled: bool = False
    # The point at which a chosen threshold is set on these counts.
    point_of: Callable[[Counts], OperatingPoint] | None = None
    is_auc: bool = False
    # Does the prior or the cost that it is asked at change it?
    at_matters: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)

    def __call__(self, counts: Counts) -> float:
        """Its value; NaN where it is undefined, or where no threshold keeps the rule."""
        try:
            return float(self.value(counts))
        except Infeasible:
            return math.nan

    def tried(self, counts: Counts) -> float:
        """Its value on a resample, which may lack a class: NaN for whatever cannot be had of it."""
        try:
            return float(self.value(counts))
        except InputError:
            return math.nan

    @property
    def fixed(self) -> bool:
        """Is it a measure at a threshold that stays where it is?"""
        return self.measure is not None and not self.chosen


def is_known(function: Any) -> bool:
    """Is it one of the summaries, of which it is known which way is better?"""
    return SUMMARIES.get(getattr(function, "__name__", "")) is function


def directed(statistic: Statistic, better: str | None) -> Statistic:
    """The same, with what is better said; what is known of a measure or summary is not to be said otherwise."""
    if better is None:
        return statistic
    if better not in ("higher", "lower"):
        raise refuse("BR594", f'better is "higher" or "lower", got {quoted(better)}', 'better="lower"')
    return replace(statistic, better=better)


def statistic_of(
    asked: Any,
    *,
    at: Conditions | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    optimize: str | Measure | None = None,
) -> Statistic:
    """The statistic that is asked for, or the reason why it cannot be read."""
    conditions = checked_conditions(at)
    if isinstance(asked, str) and asked.strip().partition("(")[0].strip() in SUMMARIES:
        asked = Summary.parse(asked)
    if isinstance(asked, str | Measure):
        return _of_measure(named(asked, checked_volume(volume)), conditions, rule, threshold, volume, optimize)
    if not callable(asked):
        raise refuse("BR594", f"a statistic is a function of Counts or the name of a measure, got {quoted(asked)}", 'br.auc, or "precision"')
    if volume is not None:
        raise refuse("BR532", "a volume counts alerts and cases: this statistic counts none", "leave volume out")
    if rule is not None or threshold is not NOT_SAID or optimize is not None:
        raise refuse("BR594", "a rule or threshold belongs to a measure; this statistic is a function of all counts", 'ask for "precision"')
    return _of_summary(asked, conditions) if isinstance(asked, Summary) else _of_function(asked, conditions)


def _of_measure(
    asked: Measure, at: Conditions, rule: str | None, threshold: Any, volume: float | None, optimize: str | Measure | None
) -> Statistic:
    if threshold is not NOT_SAID and (rule is not None or optimize is not None):
        raise refuse("BR594", f"{asked} is asked for at a rule and at a threshold", "give one of them")
    if volume is not None and not asked.counts_cases and not any(term.measure.counts_cases for term in parse_rule(rule, volume).terms):
        raise refuse("BR532", f"{asked.name} does not count cases, so a volume says nothing of it", "leave volume out")
    if threshold is not NOT_SAID:

        def value(counts: Counts) -> float:
            return flag_at(counts, threshold, at=at, volume=volume)[asked]

        of_prior = asked.depends_on_prior and at.as_in_sample
        known: dict[str, Any] = {"measure": asked, "threshold": threshold, "range": asked.range, "at_matters": asked.depends_on_prior}
        return Statistic(str(asked), value, asked.direction, of_prior=of_prior, at=at, **known)

    def chosen(counts: Counts) -> OperatingPoint:
        return choose(counts, rule, at=at, volume=volume, optimize=optimize)

    known = {"measure": asked, "range": asked.range, "ruled": rule is not None, "point_of": chosen}
    return Statistic(str(asked), lambda counts: chosen(counts)[asked], asked.direction, of_prior=at.as_in_sample, chosen=True, at=at, **known)


def _of_summary(summary: Summary, at: Conditions) -> Statistic:
    if summary.name in NOT_ASKED:
        raise refuse("BR594", f"{summary.name} gives more than one number", "ask for one of them")
    return _described(summary.name, str(summary), lambda counts: summary(counts, at), at)


def _of_function(function: Callable[..., Any], at: Conditions) -> Statistic:
    name = getattr(function, "__name__", "statistic")
    known = SUMMARIES.get(name) is function
    if known and name in NOT_ASKED:
        raise refuse("BR594", f"{name} gives more than one number", "ask for one of them")
    takes_at = "at" in _parameters(function)
    if not takes_at and not known and (at.costs_given or not at.as_in_sample):
        raise refuse("BR594", f"{quoted(name)} takes no conditions", "define it with a parameter at, or leave at out")
    call = (lambda counts: function(counts, at=at)) if takes_at else function
    if known:
        return _described(name, name, call, at)
    return Statistic(name, call, at=at, of_prior=at.as_in_sample)


def _described(name: str, shown: str, call: Callable[[Counts], float], at: Conditions) -> Statistic:
    of_prior = "at" in _parameters(SUMMARIES[name]) and at.as_in_sample
    better = "lower" if name in LOWER else "higher"
    matters = "at" in _parameters(SUMMARIES[name])
    known: dict[str, Any] = {"is_auc": shown == "auc", "range": RANGES.get(name, (-math.inf, math.inf)), "at_matters": matters}
    # Strips between all points are not those between corners (ERRATA): such a value changes where runs of negatives are merged.
    of_roc = name not in OF_SCORES and "segments" not in shown
    return Statistic(shown, call, better, of_roc=of_roc, of_prior=of_prior, at=at, **known)


def shifted(statistic: Statistic, counts: Counts) -> tuple[Note, ...]:
    """The assumption behind a number at another base rate than the sample's."""
    if statistic.at is None or not statistic.at_matters:
        return ()
    return tuple(label_shift_of(statistic.at, Points.of(counts)))


def _parameters(function: Callable[..., Any]) -> Any:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
