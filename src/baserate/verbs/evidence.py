"""`interval`, `compare`, `require` and `non_inferiority`: how well a number is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

from baserate.conditions import (
    Conditions,
    CostsLike,
    Prior,
    exact_conditions,
    given_conditions,
    one_or_several,
)
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.summaries import Summary, summary_named
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, InputError, Note, combine, quoted, refuse
from baserate.inference import differences, intervals, requirements
from baserate.inference.clusters import cluster_notes
from baserate.inference.resample import Progress
from baserate.inference.statistic import statistic_of
from baserate.measures.confusion import NOT_SAID, Confusion, Measure, in_costs
from baserate.read.frames import is_lazy
from baserate.results.notes import merge_notes, notes_by_model
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import (
    Difference,
    Differences,
    Interval,
    NonInferiority,
    Requirement,
)
from baserate.verbs.sources import Models, Threshold, count, models_of, refuse_uncounted, verb

Side = Literal["both", "lower", "upper"]
Better = Literal["higher", "lower"] | None
Statistic = str | Measure | Summary | Callable[..., float]


@overload
def interval(  # type: ignore[overload-overlap]
    x: GroupedCounts | Counts | Confusion | OperatingPoint,
    statistic: Statistic,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    rule: str | None = None,
    optimize: str | Measure | None = None,
    threshold: Threshold = ...,
    volume: float | None = None,
    level: float = 0.95,
    side: Side = "both",
    method: str | None = None,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Interval: ...
@overload
def interval(
    x: Models,
    statistic: Statistic,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    rule: str | None = None,
    optimize: str | Measure | None = None,
    threshold: Threshold | Mapping[str, Threshold] = ...,
    volume: float | None = None,
    level: float = 0.95,
    side: Side = "both",
    method: str | None = None,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Interval]: ...
@verb
def interval(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    statistic: Statistic,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    rule: str | None = None,
    optimize: str | Measure | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    level: float = 0.95,
    side: Side = "both",
    method: str | None = None,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Any:
    """How well is this number known?

    `statistic` is the name of a measure or a summary, or a function of Counts (`br.auc`). A measure
    is read at a `threshold`, which was fixed in advance, or at the one that `choose` finds on these
    counts (by `rule`, `optimize`, or the cost): the interval is then of what that threshold does in
    the field, corrected for choosing it on the same cases. `x` may be counts by `cluster`, whose
    clusters are the units, or a `Confusion` or `OperatingPoint`, whose threshold is taken as fixed
    in advance. Where base rate or costs are not known exactly, sampling error and what is not known
    are propagated together. Several models give one interval each.

    Without a `method`: AUC by DeLong's variance on the logit scale, or from its placements where
    cases are few or it is near 1; a rate by Wilson, or Clopper and Pearson; what depends on a base
    rate that is given by draws of both classes' rates; AUC and measures at a threshold of clusters
    by the variance between clusters ("cluster-t"); anything else by the bootstrap ("percentile", or
    "bca"; `replicates`, 2000 unless given), which promises no coverage. Every result names its
    method.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[45, 4, 1], negatives=[10, 190, 4800])
    >>> br.interval(counts, "auc")
    Interval: auc 0.987, 95 % from 0.9348 to 0.9978 (placements-beta)
    >>> br.interval(counts, "precision", threshold=3, prior="1 in 1000")
    Interval: precision 0.3106, 95 % from 0.1992 to 0.4657 (jeffreys-draws)
    >>> br.interval(counts, "precision", threshold=3, prior=br.Pilot(5, 5000))
    Interval: precision 0.3106, 95 % from 0.1262 to 0.5542 (jeffreys-draws)
    """
    asked = {
        "at": given_conditions(at, prior, costs),
        "rule": rule,
        "optimize": optimize,
        "volume": volume,
        "level": level,
        "side": side,
        "method": method,
        "resample": resample,
        "replicates": intervals.REPLICATES if replicates is None else replicates,
        "seed": seed,
        "progress": progress,
    }
    models = models_of(x)
    if models is not None:
        cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(models, threshold)
        return {
            name: _interval(one, statistic, {**asked, "threshold": cuts[name]})
            for name, one in models.items()
        }
    return _interval(x, statistic, {**asked, "threshold": threshold})


def _interval(x: Any, statistic: Any, asked: dict[str, Any]) -> Interval:
    _refuse_groups(x)
    if not isinstance(x, Counts | GroupedCounts | Confusion | OperatingPoint):
        refuse_uncounted(x, "interval")
    return intervals.interval(statistic=statistic, counts=x, **asked)


def _refuse_groups(x: Any) -> None:
    """Groups that are there to be reported are no units of uncertainty."""
    if isinstance(x, GroupedCounts) and x.role == "group":
        raise refuse(
            "BR420",
            "these counts are grouped to report each group; intervals need clusters",
            "count(…, cluster=…), or x.total()",
        )


@verb
def compare(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    statistic: Statistic | None = None,
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    pair: Sequence[str] | None = None,
    against: str | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    better: Better = None,
    paired: bool = True,
    level: float = 0.95,
    method: str | None = None,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    label: str | None = None,
    score: Sequence[str] | None = None,
    positive: Any = None,
    missing_label: str | None = None,
    nan_score: str | None = None,
) -> Differences:
    """Is one model really better than another? Every pair, or every model `against` one.

    Of more than two models every pair is compared, with Holm's adjustment. Of one pair the result
    has its numbers: `.value`, `.low`, `.high`, `.p_value`; of several `[0]` is the first. Where
    base rate or costs are not known exactly they are drawn with every resample; over a range the
    bounds are the widest, and p is small only where one model leads throughout.

    Without a `method`: AUC by DeLong's test (with Student's t below 100 cases of the smaller class;
    "delong" is the plain test), tpr, fpr, accuracy and error at fixed thresholds by McNemar's exact
    test, measures at thresholds that a rule or the cost chooses on these cases by the closed form
    with which `choose` tests its best model, anything else by the paired bootstrap.

    Cases that do not fit into memory cannot be compared in pairs: compare a random sample of them.
    Holm 1979, Scandinavian Journal of Statistics 6:65-70.

    Parameters
    ----------
    x : JointCounts, mapping, path or frame
        Models counted on the same cases; counts by `cluster` by name with the same clusters; with
        `paired=False`, counts of different cases by name; or, with `label` and `score`, a file or
        data frame that is counted first.
    statistic : str, optional
        What to compare: auc, any summary, or any measure ("precision", "expected_cost", "caught").
        By default what is caught within a budget, the cost where base rate or costs are given, the
        error at given thresholds, else AUC.
    at, prior, costs
        Base rate and costs, or several base rates, each with a comparison of its own.
    pair : sequence of str, optional
        The two models to compare.
    against : str, optional
        Compare every other model with this one; otherwise every pair.
    rule : str, optional
        Read the measure where this rule chooses each model's threshold.
    threshold : float or mapping, optional
        Fixed thresholds: one for all, or one per model.
    volume : float, optional
        Number of cases among which alerts, caught, missed and false alarms are counted.
    better : str, optional
        Which way is better for a function of one's own: "higher" or "lower".
    paired : bool
        False for models counted on different cases.
    level : float
        Confidence level.
    method : str, optional
        delong, delong-t, percentile or mcnemar (the default depends on the statistic).
    resample : str, optional
        What is drawn: "stratified" or "cases".
    replicates : int, optional
        Number of bootstrap resamples (default: 2000); asks for the bootstrap at thresholds, too.
    seed : int
        Random seed.
    progress : callable, optional
        Is given the share that is done.
    label, score, positive, missing_label, nan_score
        Of a file or data frame: as in `count`.

    Examples
    --------
    >>> import baserate as br
    >>> y, a, b = [0] * 60 + [1] * 40, list(range(100)), [*range(20, 80), *range(60, 100)]
    >>> br.compare(br.count(y, {"a": a, "b": b}), "auc")
    Difference: auc of b - a -0.08333, 95 % from -0.1339 to -0.03276, p = 0.00149 (delong-t)
    """
    if label is not None or score is not None:
        reading = {"positive": positive, "missing_label": missing_label, "nan_score": nan_score}
        given = {name: value for name, value in reading.items() if value is not None}
        x = _counted_together(x, label, score, given)
    models = _models_to_compare(x)
    one_or_more = one_or_several(at, prior, costs)
    conditions = one_or_more if isinstance(one_or_more, list) else [one_or_more]
    if isinstance(statistic, str) and ("<" in statistic or ">" in statistic):
        raise _rule_without_measure(statistic, volume)
    if statistic is None:
        statistic = _usual_statistic(conditions[0], rule, volume, fixed=threshold is not NOT_SAID)
    if pair is None and len(models) == 2:
        pair = differences.pairs_of(list(models), against)[0]
    elif pair is not None and against is not None:
        raise refuse("BR408", "a pair and against= are both given", "leave one of them out")
    options = {
        "rule": rule,
        "threshold": threshold,
        "volume": volume,
        "better": better,
        "paired": paired,
        "level": level,
        "method": method,
        "resample": resample,
        "replicates": replicates,
        "seed": seed,
        "progress": progress,
    }
    if pair is not None or len(models) < 2:
        options["pair"] = pair
    else:
        options["against"] = against
    pairs = _compare_at_each(x, models, statistic, conditions, options)
    return Differences(pairs, _notes_of_comparison(models, conditions, pairs))


def _models_to_compare(x: Any) -> dict[str, Any]:
    """Return the counts of each model by name."""
    if isinstance(x, Counts | GroupedCounts):
        raise refuse(
            "BR595",
            "a comparison needs two models",
            'compare(count(y_true, {"a": scores, "b": others}), …)',
        )
    models = models_of(x)
    if models is None:
        refuse_uncounted(x, "compare")
        raise AssertionError
    if any(isinstance(one, JointCounts) for one in models.values()):
        raise refuse(
            "BR429",
            "these are slices of models counted together",
            "non_inferiority(slices, …), or compare(slices[name], …)",
        )
    for one in models.values():
        _refuse_groups(one)
    return models


def _usual_statistic(
    at: Conditions | None, rule: str | None, volume: float | None, *, fixed: bool
) -> str:
    """Return what people mean where they name no statistic; `fixed` where thresholds are given."""
    costs_given = at is not None and at.costs_given
    if _is_budget(rule, volume) and not costs_given:
        return "caught"
    if costs_given or (at is not None and not at.as_in_sample):
        return "expected_cost"
    if rule is not None:
        raise _rule_without_measure(rule, volume)
    return "error" if fixed else "auc"


def _is_budget(rule: str | None, volume: float | None) -> bool:
    """Does the rule limit the number of alerts?"""
    return rule is not None and parse_rule(rule, volume).budget is not None


def _compare_at_each(
    x: Any,
    models: Mapping[str, Any],
    statistic: Any,
    conditions: Sequence[Conditions | None],
    options: dict[str, Any],
) -> tuple[Difference, ...]:
    """Return every pair at every base rate; once where the base rate does not matter."""
    rule, volume, threshold = options["rule"], options["volume"], options["threshold"]
    summary = summary_named(statistic) if isinstance(statistic, str) else None
    asked = statistic if summary is None else summary
    first = conditions[0]
    if isinstance(threshold, Mapping):
        threshold = next(iter(threshold.values()), NOT_SAID)
    kind = statistic_of(
        asked,
        at=None if first is None else first.middle(),
        rule=rule,
        volume=volume,
        threshold=threshold,
    )
    pairs: list[Difference] = []
    for at in conditions if kind.at_matters else conditions[:1]:
        if "pair" in options:
            pairs.append(differences.compare(statistic=asked, models=x, at=at, **options))
        else:
            pairs += differences.compare_all(statistic=asked, models=x, at=at, **options)
    if options["replicates"] is not None and all(one.replicates is None for one in pairs):
        raise refuse(
            "BR594",
            f"replicates has no effect on {pairs[0].name}, compared by {pairs[0].method}",
            "leave it out",
        )
    if not kind.at_matters:
        return tuple(replace(one, at=None) for one in pairs)
    is_chosen = kind.measure is not None and threshold is NOT_SAID
    given = first is not None and first.costs_given
    caught = _is_budget(rule, volume) and not given
    return tuple(
        replace(
            one,
            at=_conditions_in_sample(one.at, models),
            assumes_equal_costs=not given and (in_costs(one.name) or (is_chosen and not caught)),
        )
        for one in pairs
    )


def _conditions_in_sample(at: Conditions | None, models: Mapping[str, Any]) -> Conditions | None:
    """Return the conditions with the base rate of the sample where none was given."""
    if at is None or not at.is_exact or not at.as_in_sample:
        return at
    points = Points.of(next(iter(models.values())).total())
    return at if points.why_no_prior else at.within(points.exact_prior)


def _notes_of_comparison(
    models: Mapping[str, Any], conditions: Sequence[Conditions | None], pairs: Sequence[Difference]
) -> tuple[Note, ...]:
    """Return the notes of the counts, of their clusters, of all pairs and of the conditions."""
    first = next(iter(models.values()))
    of_clusters = cluster_notes(first) if isinstance(first, GroupedCounts) else ()
    of_conditions = [note for at in conditions if at is not None for note in at.notes]
    of_pairs = combine((), (note for one in pairs for note in one.notes))
    of_counts = notes_by_model({name: one.total().notes for name, one in models.items()})
    return tuple(merge_notes([*of_counts, *of_clusters, *of_pairs, *of_conditions]))


def _rule_without_measure(rule: str, volume: float | None) -> InputError:
    """Return the refusal of a rule where no measure to compare is given."""
    first = parse_rule(rule, volume).terms[0].measure.name
    budget = "caught" if volume is not None else "recall"
    beside = {"tpr": "specificity", "fnr": "specificity", "alerts": budget, "posfrac": budget}
    usual = beside.get(first, "recall")
    return refuse(
        "BR594",
        f"{quoted(rule)} chooses the threshold of each model; what is compared there?",
        Fix(f'compare(models, "{usual}", rule="{rule}", …)', f"--statistic {usual}"),
    )


def _counted_together(
    source: Any, label: str | None, score: Sequence[str] | None, said: dict[str, Any]
) -> JointCounts:
    """The models of a file or frame, counted on the same cases."""
    if label is None or score is None or isinstance(score, str):
        raise refuse(
            "BR003", "a comparison needs label= and several scores", 'score=["logit", "forest"]'
        )
    if is_lazy(source):
        raise refuse(
            "BR950",
            "a lazy frame is not compared: a comparison needs every case in memory",
            "collect it first, or a random sample of its rows",
        )
    counted: JointCounts = count(source, label=label, score=list(score), **said)
    return counted


@overload
def require(  # type: ignore[overload-overlap]
    x: Counts | GroupedCounts,
    requirement: str,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold = ...,
    volume: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Requirement: ...
@overload
def require(
    x: JointCounts | Mapping[str, Counts] | Mapping[str, GroupedCounts],
    requirement: str,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold | Mapping[str, Threshold] = ...,
    volume: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Requirement]: ...
@verb
def require(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    requirement: str,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Any:
    """Is a requirement demonstrated by these cases?

    "recall >= 0.8 and precision >= 0.2" at a `threshold`, or where the cheapest one that satisfies
    the rule lies; "auc >= 0.8" needs none. Each part is demonstrated where the one-sided bound at
    `level` satisfies it, and met in this sample only where the value does. Several models give one
    verdict each. Of cases that come in clusters (`count(…, cluster=…)`) each cluster is one unit;
    they need a threshold.

    >>> import baserate as br
    >>> counts = br.Counts([2, 1], positives=[95, 5], negatives=[10, 90])
    >>> br.require(counts, "recall >= 0.85", threshold=2).passed
    True
    """
    asked = {
        "at": exact_conditions(at, prior, costs),
        "volume": volume,
        "level": level,
        "seed": seed,
    }
    if isinstance(x, GroupedCounts) and x.role != "cluster":
        raise refuse(
            "BR426",
            "a requirement is tested for each group separately",
            "segments.by_group(x, require=…), or require(x.total(), …)",
        )
    models = models_of(x)
    if models is None:
        return _required(x, requirement, threshold, asked)
    cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(models, threshold)
    return {name: _required(one, requirement, cuts[name], asked) for name, one in models.items()}


def _required(x: Any, requirement: Any, threshold: Any, asked: dict[str, Any]) -> Requirement:
    if isinstance(x, GroupedCounts) and x.role == "cluster":
        given = {name: value for name, value in asked.items() if name != "seed"}
        return requirements.require_clusters(x, requirement, threshold=threshold, **given)
    if not isinstance(x, Counts):
        refuse_uncounted(x, "require")
    return requirements.require(requirement=requirement, counts=x, threshold=threshold, **asked)


@verb
def non_inferiority(  # noqa: PLR0913 (each is a question of its own)
    x: JointCounts | Mapping[str, JointCounts],
    statistic: Statistic = "error",
    /,
    *,
    baseline: str,
    candidate: str,
    margin: float | None = None,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    better: Better = None,
    level: float = 0.95,
    method: str | None = None,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> NonInferiority:
    """Is the candidate really worse than the baseline, over all cases or on any slice?

    `x` are models counted on the same cases, or those of each slice by name (`by=`). Every part is
    compared by `statistic` with the arguments of `compare`; by default the errors at fixed
    thresholds, by McNemar's exact test. It fails where the candidate is worse with p < 0.05 after
    Holm's adjustment over all parts. With a `margin` it also fails unless the candidate is
    demonstrated to be at most this much worse over all cases.

    >>> import baserate as br
    >>> scores = {"old": [1] * 40 + [0] * 20 + [0], "new": [0] * 40 + [1] * 20 + [0]}
    >>> verdict = br.non_inferiority(
    ...     br.count([1] * 60 + [0], scores), baseline="old", candidate="new", threshold=1
    ... )
    >>> verdict.passed, verdict.outcome, round(verdict.parts[0].difference.p_value, 7)
    (False, 'worse', 0.0134893)
    """
    if isinstance(x, str | Measure | Summary) or not isinstance(x, JointCounts | Mapping):
        refuse_uncounted(x, "non_inferiority")
    given = {
        "at": given_conditions(at, prior, costs),
        "rule": rule,
        "volume": volume,
        "better": better,
        "method": method,
        "resample": resample,
        "replicates": replicates,
        "progress": progress,
    }
    said = {name: value for name, value in given.items() if value is not None}
    if threshold is not NOT_SAID:
        said["threshold"] = threshold
    return requirements.non_inferiority(
        x,
        baseline=baseline,
        candidate=candidate,
        statistic=statistic,
        margin=margin,
        level=level,
        seed=seed,
        **said,
    )
