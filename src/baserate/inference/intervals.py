"""`interval`: how well is a number known? And points that carry the intervals of their measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from baserate.conditions import Conditions, Nodes, any_conditions, refuse_estimate
from baserate.counts.amounts import Amounts, check_amounts
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.areas import auc
from baserate.decisions.amount_costs import AmountPoint
from baserate.decisions.operating_point import measures_shown
from baserate.errors import Fix, InputError, Note, combine, quoted, refuse
from baserate.inference.auc import auc_interval
from baserate.inference.choose_again import AMOUNT_SUMS, resample_amounts
from baserate.inference.chosen_threshold import (
    CHOSEN_REPLICATES,
    Resampling,
    chosen_interval,
    chosen_intervals,
)
from baserate.inference.clusters import (
    CLUSTER_T,
    cluster_intervals,
    cluster_plan,
    has_closed_form,
    interval_of_clusters,
)
from baserate.inference.estimated_prior import (
    JOINT_DRAWS,
    estimate_interval,
    in_field,
    table_of_models,
)
from baserate.inference.fixed_point import (
    Question,
    believed,
    interval_of_point,
    is_believed,
    measure_interval,
    over_range,
    point_intervals,
    refuse_masses,
)
from baserate.inference.resample import (
    BCA,
    BLOCK_SIZE,
    CASES,
    METHODS,
    PERCENTILE,
    Plan,
    Progress,
    Sample,
    Weights,
    alike,
    bca_bounds,
    check_enough,
    make_sample,
    percentile_bounds,
    planned,
    resample_counts,
    undefined_noted,
)
from baserate.inference.resample import Source as Resampled
from baserate.inference.statistic import (
    EachResample,
    MeasureAtChoice,
    Statistic,
    replicate_values,
    shifted,
    statistic_of,
)
from baserate.measures.confusion import (
    NOT_SAID,
    Confusion,
    Measure,
    confusion_at,
    label_shift_of,
    named,
    out_of_range,
)
from baserate.notation import checked_volume
from baserate.numbers import Floats, Ints, Undefined
from baserate.results.choice import Choice
from baserate.results.operating_point import COUNTED, OperatingPoint
from baserate.results.values import (
    BOTH,
    EXACT,
    LOWER,
    UPPER,
    Interval,
    checked_level,
    checked_replicates,
    checked_seed,
    checked_side,
)

REPLICATES = 2000
Source = Counts | GroupedCounts | Confusion | OperatingPoint


def interval(  # noqa: PLR0913 (each is a question of its own)
    counts: Source,
    statistic: Any,
    *,
    at: Conditions | None = None,
    rule: str | None = None,
    optimize: str | Measure | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    level: float = 0.95,
    side: str = BOTH,
    method: str | None = None,
    resample: str | None = None,
    replicates: int = REPLICATES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Interval:
    """How well is this number known?

    `statistic` is a function of Counts (`br.auc`), the name of a summary, or the name of a measure.
    A measure is read at a `threshold`, which was fixed in advance, or at the one that `choose`
    finds on these counts (by `rule`, `optimize`, or the cost): the interval is then of what that
    threshold does in the field, corrected for choosing it on the same cases. `counts` may be
    `GroupedCounts`, whose groups are the units, or a `Confusion` or `OperatingPoint`, whose
    threshold is treated as fixed in advance. `at` may be uncertain: sampling error, base rate and
    costs are then propagated together.

    Without a `method`: AUC by DeLong's variance on the logit scale, or from its placements where
    cases are few or it is near 1; a rate by Wilson, or Clopper and Pearson; what depends on a base
    rate that is given by draws of both classes' rates; AUC and measures at a threshold of groups by
    the variance between groups ("cluster-t"); anything else by the bootstrap ("percentile", or
    "bca"), which promises no coverage. Every result names its method.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> br.interval(counts, br.auc)
    Interval: auc 0.987, 95 % from 0.9348 to 0.9978 (placements-beta)
    >>> br.interval(counts, "precision", threshold=3, at=br.Conditions(prior="1 in 1000"))
    Interval: precision 0.3106, 95 % from 0.1992 to 0.4657 (jeffreys-draws)
    >>> br.interval(counts, "precision", threshold=3, at=br.Conditions(prior=br.Pilot(5, 5000)))
    Interval: precision 0.3106, 95 % from 0.1262 to 0.5542 (jeffreys-draws)
    """
    asked = Resampling(
        checked_replicates(replicates),
        checked_seed(seed),
        checked_level(level),
        progress,
        checked_side(side),
        method,
        resample,
        None if any_conditions(at).is_exact else at,
    )
    if isinstance(counts, Confusion | OperatingPoint):
        return _of_point(
            statistic,
            counts,
            at,
            asked,
            (rule if optimize is None else rule or "", threshold, volume),
        )
    if not isinstance(counts, Counts | GroupedCounts):
        raise refuse(
            "BR429",
            f"an interval is made of Counts, got {type(counts).__name__}",
            "compare(...) for a difference, or joint.marginal(name)"
            if isinstance(counts, JointCounts)
            else "count(...)",
        )
    conditions = any_conditions(at).middle()
    jointly = (
        _at_estimate(statistic, counts, conditions, asked, (rule, threshold, volume))
        if conditions.estimate is not None
        else None
    )
    if jointly is not None:
        return jointly
    how: dict[str, Any] = {"rule": rule, "threshold": threshold, "volume": volume}
    wanted = statistic_of(statistic, at=conditions, optimize=optimize, **how)
    if isinstance(wanted, MeasureAtChoice):
        return _at_chosen(wanted, counts, asked)
    if (
        isinstance(counts, GroupedCounts)
        and method in (None, CLUSTER_T)
        and resample is None
        and not counts.weighted
    ):
        known_at = any_conditions(at).is_exact or not wanted.at_matters
        if known_at and has_closed_form(wanted):
            return interval_of_clusters(wanted, counts, asked.level, asked.side)
    by_bootstrap = method in METHODS or isinstance(counts, GroupedCounts) or resample is not None
    if wanted.name in ("auc", "gini") and not by_bootstrap and isinstance(counts, Counts):
        return _of_ranking(wanted.name, auc_interval(counts, asked.level, method, asked.side))
    if (
        wanted.fixed
        and wanted.measure is not None
        and not by_bootstrap
        and isinstance(counts, Counts)
    ):
        return _at_threshold(wanted.measure, counts, threshold, at, asked)
    return _by_bootstrap(wanted, counts, asked)


def _at_chosen(
    wanted: MeasureAtChoice, counts: Counts | GroupedCounts, asked: Resampling
) -> Interval:
    """At the threshold that these cases choose: of what it does in the field."""
    if asked.method in METHODS:
        raise refuse(
            "BR581",
            f"{asked.method} of a threshold chosen again on every resample is no interval of the"
            " threshold chosen here",
            "leave the method out",
        )
    whole, measure = counts.total(), wanted.measure
    _refuse_weighted(weighted=whole.weighted)
    point = wanted.point_of(whole)
    if isinstance(value := point[measure], Undefined):
        raise refuse(
            "BR589",
            f"{measure} is undefined here ({value.reason}), and so is its interval",
            "choose by another rule",
        )
    found = chosen_interval(point, measure, counts, asked)
    return replace(
        found,
        notes=combine(
            found.notes,
            label_shift_of(point.at, point.confusion) if measure.depends_on_prior else (),
        ),
    )


def _refuse_weighted(*, weighted: bool) -> None:
    if weighted:
        raise refuse(
            "BR583",
            "these cases are weighted: weights do not say how many were seen",
            "count without weights",
        )


def _at_estimate(
    statistic: Any, counts: Any, at: Conditions, asked: Resampling, rest: tuple[Any, Any, Any]
) -> Interval | None:
    """At a base rate that was estimated: together with the rates at a fixed threshold, or not at
    all. None where no base rate is needed.
    """
    rule, threshold, volume = rest
    wanted = statistic_of(statistic, at=at, rule=rule, threshold=threshold, volume=volume)
    if not wanted.at_matters:
        return None
    if (
        wanted.measure is None
        or not wanted.fixed
        or asked.method not in (None, JOINT_DRAWS)
        or asked.resample is not None
    ):
        refuse_estimate(
            at, f"{wanted.name} without a fixed threshold, or by another method than {JOINT_DRAWS},"
        )
    how = asked.level, asked.side, asked.seed
    found = estimate_interval(wanted.measure, counts, threshold, at, how)  # type: ignore[arg-type]
    return replace(found, notes=combine(found.notes, out_of_range(Points.of(counts), threshold)))


def _of_ranking(name: str, of_auc: Interval) -> Interval:
    """AUC's own interval, or that of Gini's coefficient, which is twice AUC less one."""
    if name == "auc":
        return of_auc
    value, low, high = (2 * bound - 1 for bound in (of_auc.value, of_auc.low, of_auc.high))
    return replace(of_auc, value=value, low=low, high=high, name=name)


def _of_point(
    statistic: Any,
    source: Confusion | OperatingPoint,
    at: Any,
    asked: Resampling,
    rest: tuple[Any, Any, Any],
) -> Interval:
    _check_point(statistic, asked, rest)
    volume, notes = checked_volume(rest[2]), tuple[Note, ...]()
    if isinstance(source, OperatingPoint):
        if source.regardless is None:
            refuse_masses(source.confusion)
            _refuse_weighted(weighted=any(isinstance(cases, float) for cases in source.confusion))
        volume, notes = volume or source.volume, chosen_here(source)
    how = asked.level, asked.side, asked.method, asked.seed
    found = interval_of_point(named(statistic, volume), source, at, *how)
    if found.method == EXACT:
        return found
    return replace(found, notes=combine(notes, found.notes))


def _check_point(statistic: Any, asked: Resampling, rest: tuple[Any, Any, Any]) -> None:
    """A point has measures, at the threshold that it is set to."""
    if asked.resample is not None:
        raise refuse(
            "BR594", "a point has no cases to resample", "give Counts and a rule or threshold"
        )
    if rest[0] is not None or rest[1] is not NOT_SAID:
        raise refuse(
            "BR594",
            "this point is already set: a rule or threshold belongs to Counts",
            "leave them out",
        )
    if not isinstance(statistic, str | Measure):
        raise refuse(
            "BR594",
            f"a point has measures, but not {quoted(getattr(statistic, '__name__', statistic))}",
            'such as "precision"',
        )


def chosen_here(point: OperatingPoint) -> tuple[Note, ...]:
    """A threshold chosen on these same cases looks better than it is, and the interval does not
    know.
    """
    if point.in_advance or not point.optimized:
        return ()
    return (
        Note(
            "BR593",
            "the threshold was chosen on these same cases and is treated as fixed in advance, so"
            " the interval is optimistic",
            Fix(
                "interval(measure, counts, rule=…), or choose(dev).on(test)",
                "leave --replicates out, or give --threshold for other cases",
            ),
        ),
    )


def _at_threshold(
    measure: Measure, counts: Counts, threshold: Any, at: Any, asked: Resampling
) -> Interval:
    regardless = 0.0 if threshold is None else 1.0 if threshold == -math.inf else None
    _refuse_weighted(weighted=counts.weighted and regardless is None)
    points = Points.of(counts)
    found = measure_interval(
        Question(
            measure,
            confusion_at(points, points.place(threshold)),
            any_conditions(at),
            asked.level,
            asked.side,
            asked.method,
            asked.seed,
            regardless,
        )
    )
    return replace(
        found,
        notes=(
            found.notes
            if regardless is not None
            else combine(found.notes, out_of_range(points, threshold))
        ),
    )


def _by_bootstrap(
    statistic: Statistic, counts: Counts | GroupedCounts, asked: Resampling
) -> Interval:
    method, uncertain, whole = asked.method or PERCENTILE, asked.at, counts.total()
    if method not in METHODS:
        raise refuse(
            "BR581",
            f"there is no method {quoted(method)} for {statistic.name} here",
            f"one of {', '.join(METHODS)}",
        )
    notes = check_enough(counts)
    seen = float(statistic.value(whole))
    if math.isnan(seen):
        raise refuse(
            "BR589",
            f"{statistic.name} is undefined for these cases, and so is its interval",
            "see its value for the reason",
        )
    plan = planned(
        counts, statistic.of_prior, asked.resample, asked.replicates, asked.seed, asked.progress
    )
    if uncertain is None:
        low, high, missing = _bounds(statistic, counts, plan, seen, (method, asked))
    else:
        low, high, missing = _union(statistic, counts, plan, uncertain, (method, asked))
        if is_believed(uncertain):
            seen = _average(statistic, whole, uncertain)
    low, high = (
        (statistic.range[0] if asked.side == UPPER else low),
        (statistic.range[1] if asked.side == LOWER else high),
    )
    notes = combine(
        notes, (*missing, *_caveats(statistic, plan), *shifted(statistic, whole), *alike(low, high))
    )
    return Interval(
        seen,
        low,
        high,
        asked.level,
        method,
        asked.side,
        statistic.name,
        uncertain or statistic.at,
        plan.replicates,
        plan.seed,
        notes,
    )


def _caveats(statistic: Statistic, plan: Plan) -> tuple[Note, ...]:
    how = {
        "stratified": "within each class",
        "cases": "of all cases, the prior with them",
        "clusters": "of whole clusters",
    }[plan.how]
    fixed = "; the threshold is treated as fixed in advance" if statistic.fixed else ""
    text = f"{plan.replicates} resamples {how}: approximate, without a guarantee of coverage{fixed}"
    return (Note("BR598", text),)


def _bounds(
    statistic: Statistic,
    counts: Counts | GroupedCounts,
    plan: Plan,
    seen: float,
    how: tuple[str, Resampling],
) -> tuple[float, float, tuple[Note, ...]]:
    method, asked = how
    values, notes = undefined_noted(replicate_values(statistic, counts, plan)[:, 0])
    if method == BCA:
        low, high = bca_bounds(
            values, seen, acceleration(statistic, counts, plan.how), asked.level, asked.side
        )
    else:
        low, high = percentile_bounds(values, asked.level, asked.side)
    return low, high, notes


def _union(
    statistic: Statistic,
    counts: Counts | GroupedCounts,
    plan: Plan,
    at: Conditions,
    how: tuple[str, Resampling],
) -> tuple[float, float, tuple[Note, ...]]:
    """A draw of the conditions with every resample; over a range, the widest of all its bounds."""
    method, asked = how
    if method == BCA:
        raise refuse(
            "BR581", "bca is not available for uncertain conditions", f'method="{PERCENTILE}"'
        )
    found = []
    for pinned in at.pinned():
        values, notes = undefined_noted(_drawn_values(statistic, counts, plan, pinned))
        found.append((*percentile_bounds(values, asked.level, asked.side), notes))
    held = (over_range(at),) if at.has_range else ()
    return (
        min(part[0] for part in found),
        max(part[1] for part in found),
        combine(held, (note for part in found for note in part[2])),
    )


def _average(statistic: Statistic, whole: Counts, at: Conditions) -> float:
    """The value as these cases have it, averaged over the distributions of the conditions."""
    nodes = believed(at, pilots=True)
    values = statistic.at_nodes(whole, nodes)
    known = ~np.isnan(values)
    if not known.any():
        return math.nan
    return float(values[known] @ nodes.weights[known] / nodes.weights[known].sum())


def _drawn_values(
    statistic: Statistic, counts: Counts | GroupedCounts, plan: Plan, at: Conditions
) -> Floats:
    """The value of every resample, each at conditions that are drawn for it."""
    drawn = at.draw(np.random.default_rng((plan.seed, 0xC0DE)), plan.replicates)
    prior = math.nan if drawn.prior is None else drawn.prior
    columns = np.broadcast_arrays(*drawn._replace(prior=prior), np.ones(plan.replicates))
    nodes = (Nodes(*(column[row : row + 1] for column in columns)) for row in count())
    parts = resample_counts(counts, plan, statistic.runs)
    return np.concatenate(
        [statistic.at_nodes(part, node) for (part,), node in zip(parts, nodes, strict=False)]
    )


# ----------------------------------------------------------------------
# Results completed before they are shown: points that carry their intervals.


Cases = Counts | GroupedCounts


@dataclass(frozen=True)
class IntervalOptions:
    """How intervals are requested: confidence level, number of resamples for chosen thresholds, and
    seed.

    Without `replicates` as many as usual; with 0 thresholds are treated as fixed in advance.
    """

    level: float = 0.95
    replicates: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.replicates:
            checked_replicates(self.replicates)

    @property
    def resamples(self) -> int:
        """How many resamples a chosen threshold gets."""
        return self.replicates or CHOSEN_REPLICATES


def with_intervals(point: OperatingPoint, how: IntervalOptions | None = None) -> OperatingPoint:
    """The point with an interval of every measure that is shown of it, its threshold treated as
    fixed in advance.

    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
    >>> with_intervals(br.choose(counts)).intervals["tpr"]
    Interval: tpr 0.6, 95 % from 0.4618 to 0.7239 (wilson)
    """
    how = how or IntervalOptions()
    found = point_intervals(point, measures_shown(point), how.level, how.seed)
    return replace(point, intervals=found)


def interval_at(point: OperatingPoint, name: str | Measure, level: float = 0.95) -> Interval:
    """The interval of a measure at a point whose threshold is fixed in advance."""
    return interval(statistic=name, counts=point, level=level)


def complete_point(
    point: OperatingPoint,
    counts: Cases | Points,
    how: IntervalOptions,
    progress: Progress | None = None,
) -> OperatingPoint:
    """Return the point with an interval of every measure that is shown of it, by the best method
    that is valid.

    | threshold | cases | method |
    |---|---|---|
    | chosen on these cases | counts, clusters | corrected for choosing it, by resamples |
    | chosen, and guaranteed or at an estimated base rate | counts | fixed in advance |
    | chosen | a published ROC, too few cases to resample | fixed in advance, and a note says so |
    | fixed in advance | counts | by measure: Wilson, Clopper-Pearson, draws of both classes |
    | fixed in advance | clusters | the variance between clusters |
    | any | weighted | none |

    Where `how.replicates` is given, resamples that are not possible are refused; with 0 the
    threshold is treated as fixed. Of `GroupedCounts`, groups are the units.
    """
    notes: tuple[Note, ...] = ()
    # A guarantee would have to be found again on every resample, and is not.
    chosen = point.optimized and not point.in_advance and point.guarantee is None
    if chosen and point.at.estimate is None and how.replicates != 0:
        resampling = Resampling(how.resamples, how.seed, how.level, progress)
        try:
            if isinstance(counts, Points):
                raise refuse(
                    "BR429", "a published ROC has no cases to resample", 'intervals="fixed"'
                )
            found = chosen_intervals([(point, measures_shown(point))], counts, resampling)[0]
        except InputError as error:
            if how.replicates is not None:
                raise
            problem = error.problems[0]
            text = f"{problem.text}, so intervals treat the thresholds as fixed in advance"
            # Of weighted cases (BR583) there are no intervals at all.
            notes = () if problem.code == "BR583" else (Note("BR626", text),)
        else:
            said = (note for one in found.values() for note in one.notes)
            notes = tuple(note for note in said if note.code == "BR625" or "outside" in note.values)
            return replace(point, intervals=found, notes=combine(point.notes, notes))
    fixed = _fixed(point, counts, how, progress)
    return replace(fixed, notes=combine(point.notes, notes))


def _fixed(
    point: OperatingPoint, counts: Cases | Points, how: IntervalOptions, progress: Progress | None
) -> OperatingPoint:
    """The point with its intervals at a threshold fixed in advance; of groups by the variance
    between them, or by resamples of them where these are requested.
    """
    if not isinstance(counts, GroupedCounts):
        return with_intervals(point, how)
    plan = cluster_plan(how.replicates, how.seed, progress) if how.replicates else None
    found = cluster_intervals(point, counts, measures_shown(point), plan, how.level)
    return replace(point, intervals=found)


def complete_choice(
    choice: Choice,
    models: Mapping[str, Any],
    how: IntervalOptions,
    progress: Progress | None = None,
) -> Choice:
    """Return the choice with the intervals of its points and of its baselines."""
    points = {
        name: complete_point(point, models[name], how, progress)
        for name, point in choice.points.items()
    }
    ends = {name: with_intervals(point, how) for name, point in choice.baselines.items()}
    return replace(choice, points=points, baselines=ends)


def complete_in_field(choice: Choice, joint: JointCounts, how: IntervalOptions) -> Choice:
    """Return the choice, where its base rate is an estimate, with intervals that include the error
    of it also for the other models, on the same labelled cases.
    """
    estimate = choice.point.at.estimate
    labelled = getattr(estimate, "counts", None)
    if labelled is None or joint.weighted:
        return choice
    first = next((name for name in joint.models if joint.marginal(name) == labelled), None)
    if first is None:
        return choice
    points = {
        name: point if name == first else point_in_field(point, name, first, joint, how)
        for name, point in choice.points.items()
    }
    return replace(choice, points=points)


def point_in_field(
    point: OperatingPoint, name: str, first: str, joint: JointCounts, how: IntervalOptions
) -> OperatingPoint:
    """Return the point of a model with intervals that include the error of a base rate that was
    estimated with the first one; a share of tied cases has none.
    """
    estimate: Any = point.at.estimate
    if point.share != 1:
        return point
    cut = estimate.threshold
    flagged = estimate.flagged(estimate.counts, cut)
    table = table_of_models(joint, (first, cut), (name, point.threshold), flagged)
    found = dict(point.intervals)
    for measure in measures_shown(point):
        asked = named(measure, point.volume)
        counted = point.counted is not None and asked.name in COUNTED
        if asked.depends_on_prior and not counted:
            with suppress(InputError):  # undefined there
                found[measure] = in_field(asked, table, point.at, how.level, BOTH, how.seed)
    return replace(point, intervals=found)


FIXED = Note(
    "BR593", "the threshold was chosen on these same cases, and is treated as fixed in advance"
)


def amount_intervals(
    point: AmountPoint,
    amounts: Amounts,
    *,
    again: bool = True,
    replicates: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> dict[str, Interval]:
    """Between which bounds do the cost and the amounts of a chosen point lie?

    By the percentiles of resampled rows: within each class at a base rate that was given, over all
    cases at the sample's own. On every resample the threshold is chosen `again`, as it was here,
    and where the cost chose it, it is evaluated on the cases that the resample left out, as cases
    that chose it flatter it: the bounds may lie above the cost that was observed. With
    `again=False` it stays where it is.

    >>> import baserate as br
    >>> labels, scores, worth = [1, 0] * 40, [i % 7 + 3 * (i % 2 < 1) for i in range(80)], [i % 9 for i in range(80)]
    >>> amounts = br.count(labels, scores, amount=worth)
    >>> amount_intervals(br.choose(amounts, review=2), amounts, replicates=200)["cost"]
    Interval: cost 121, 95 % from 94.8 to 171.4 (percentile)
    """  # noqa: E501
    level = checked_level(level)
    refuse_estimate(point.at, "an interval of amounts")
    counts = check_amounts(amounts).counts
    plan = planned(counts, point.at.as_in_sample, None, replicates, seed, progress)
    notes = (*check_enough(counts), *(() if again or point.in_advance else (FIXED,)))
    values = resample_amounts(point, amounts, plan, again=again)
    found = {}
    for column, name in zip(values.T, AMOUNT_SUMS, strict=True):
        known, missing = undefined_noted(column)
        low, high = percentile_bounds(known, level, BOTH)
        found[name] = Interval(
            float(getattr(point, name)),
            low,
            high,
            level,
            PERCENTILE,
            name=name,
            at=point.at,
            replicates=plan.replicates,
            seed=plan.seed,
            notes=(*notes, *missing, *alike(low, high)),
        )
    return found


def auc_intervals(
    models: Mapping[str, Cases],
    how: IntervalOptions | None = None,
    progress: Progress | None = None,
) -> dict[str, Interval]:
    """The interval of each model's AUC; none where cases are weighted, a class is missing, or
    groups are too few.
    """
    how = how or IntervalOptions()
    asked: dict[str, Any] = {"level": how.level, "seed": how.seed, "progress": progress}
    asked |= {"replicates": how.replicates, "method": PERCENTILE} if how.replicates else {}
    found = {}
    for name, counts in models.items():
        with suppress(InputError):
            found[name] = (
                auc_interval(counts, how.level, None, BOTH)
                if isinstance(counts, Counts)
                else interval(counts, auc, **asked)
            )
    return found


# ----------------------------------------------------------------------
# The jackknife: how fast the spread changes, as BCa needs it.


# The number of cases of each class that the jackknife leaves out at most, spread over the scores.
MOST_LEFT_OUT = 500


# Differences in influence below this share of it are rounding.
ROUNDING = 1e-11


def acceleration(statistic: Statistic, source: Resampled, how: str) -> float:
    """Return how fast the spread changes, by the jackknife: what leaving one case (or one group)
    out does to the statistic.

    Where class totals are drawn too, all cases are one sample; otherwise each class is one.
    """
    sample = make_sample(source, statistic.runs)
    if len(sample.scores) > 1:
        raise refuse(
            "BR581",
            "bca is for one set of counts; differences are compared by percentile",
            'method="percentile"',
        )
    read = statistic.of_weights or EachResample(statistic, sample, 0)
    if sample.group_number is not None:
        groups = _spread_evenly(sample.group_number)
        values = _read_each(read, sample, groups, leave_out_groups)
        return _skewness([_center(values, np.ones(len(groups)), sample.group_number)])
    totals = [int(part.numbers.sum()) for part in (sample.positives, sample.negatives)]
    classes = []
    for side, part in enumerate((sample.positives, sample.negatives)):
        cells = _spread_evenly(len(part.numbers))
        values = _read_each(read, sample, cells, LeaveOutCases(side))
        # Cells picked evenly stand for the others of their class.
        picked = part.numbers[cells]
        classes.append((values, picked * (totals[side] / max(1, int(picked.sum())))))
    if how == CASES:
        values, cases = (np.concatenate(column) for column in zip(*classes, strict=True))
        return _skewness([_center(values, cases, sum(totals))])
    return _skewness([_center(*one, total) for one, total in zip(classes, totals, strict=True)])


Influence = tuple[Floats, Floats, float]


def _center(left_out: Floats, cases: Floats, whole: int) -> Influence:
    """Return the influence around its mean, with the number of cases that have it, from the value
    without each of them; what is only rounding is nothing.
    """
    values = -(whole - 1) * left_out
    kept = ~np.isnan(values)
    if not kept.any():
        return np.zeros(1), np.ones(1), whole
    centered = values[kept] - np.average(values[kept], weights=cases[kept])
    centered[np.abs(centered) <= ROUNDING * np.abs(values[kept]).max()] = 0.0
    return centered, cases[kept], whole


def _spread_evenly(number: int) -> Ints:
    """Return the places of those that are left out, of this number of cells or groups."""
    return np.unique(np.linspace(0, number - 1, min(number, MOST_LEFT_OUT)).round().astype(np.intp))


def _read_each(
    read: Callable[[Weights], Floats],
    sample: Sample,
    units: Ints,
    leave_out: Callable[[Sample, Ints], Weights],
) -> Floats:
    """Return the statistic without each of these units, a block of them at a time."""
    cells = len(sample.positives.numbers) + len(sample.negatives.numbers)
    most = max(1, BLOCK_SIZE // max(1, cells))
    blocks = [units[start : start + most] for start in range(0, len(units), most)]
    left = (sample.weights_by_model(leave_out(sample, block))[0] for block in blocks)
    return np.concatenate([np.empty(0), *map(read, left)])


def leave_out_groups(sample: Sample, groups: Ints) -> Weights:
    """Return the cases of each cell without each of these groups."""
    classes = sample.positives, sample.negatives
    return Weights(*(part.numbers * (part.groups != groups[:, np.newaxis]) for part in classes))


@dataclass(frozen=True)
class LeaveOutCases:
    """The cases of each cell without one case of a cell, of the positives (0) or the negatives."""

    side: int

    def __call__(self, sample: Sample, cells: Ints) -> Weights:
        """Return them, a row for each of these cells."""
        classes = sample.positives, sample.negatives
        rows = [np.repeat([part.numbers * 1.0], len(cells), axis=0) for part in classes]
        rows[self.side][np.arange(len(cells)), cells] -= 1
        return Weights(*rows)


def _skewness(classes: list[Influence]) -> float:
    """A sixth of the skewness of the sum of the classes' means, as BCa needs it."""
    cubes = squares = 0.0
    for influence, weights, cases in classes:
        share = weights / weights.sum()
        cubes += float(np.sum(share * influence**3)) / cases**2
        squares += float(np.sum(share * influence**2)) / cases
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
