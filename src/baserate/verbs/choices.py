"""`choose`: which model, at which threshold; `fix`: the rest at a fixed measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal, cast, overload

from baserate.conditions import (
    Conditions,
    CostsLike,
    Prior,
    exact_conditions,
    given_conditions,
    not_exact,
)
from baserate.counts.amounts import Amounts
from baserate.counts.counts import Counts, JointCounts, same_scores
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions import operating_point, selection
from baserate.decisions.amount_costs import (
    AmountChoice,
    AmountPoint,
    choose_amount,
    flag_amount_at,
)
from baserate.decisions.regret import CAUGHT, Decision
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, Infeasible, InputError, Note, Problem, combine, quoted, refuse
from baserate.inference.best_model import (
    amounts_moved,
    choose_amount_model,
    choose_model,
    moved,
    set_by_hand,
)
from baserate.inference.chosen_threshold import CHOSEN_REPLICATES
from baserate.inference.decide import (
    LeastRegretChoice,
    RecallLeaders,
    Recommendation,
    lead_at_priors,
    recommend,
)
from baserate.inference.intervals import (
    IntervalOptions,
    amount_intervals,
    complete_choice,
    complete_in_field,
    complete_point,
)
from baserate.inference.resample import Progress
from baserate.measures.confusion import NOT_SAID, Measure, parse
from baserate.results.choice import Choice
from baserate.results.operating_point import COUNTED, OperatingPoint
from baserate.results.values import Interval, checked_level
from baserate.verbs.sources import Models, Threshold, models_of, refuse_uncounted, verb

Intervals = Literal["default", "fixed", "resampled"] | None
# Resamples of an interval of amounts, whose ends are percentiles of them.
AMOUNT_REPLICATES = 1000


@overload
def choose(  # type: ignore[overload-overlap]
    x: GroupedCounts | Counts | Points,
    /,
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold = ...,
    volume: float | None = None,
    optimize: str | Measure | None = None,
    guarantee: str | None = None,
    measures: Sequence[str | Measure] = (),
    level: float = 0.95,
    intervals: Intervals = "default",
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> OperatingPoint: ...
@overload
def choose(
    x: Mapping[str, Amounts],
    /,
    rule: str | None = None,
    *,
    review: float | None = None,
    recovered: float = 1,
    at: Conditions | None = None,
    prior: Prior | None = None,
    threshold: Threshold = ...,
    volume: float | None = None,
    level: float = 0.95,
    intervals: Intervals = "default",
    replicates: int | None = None,
    seed: int = 0,
) -> AmountChoice: ...
@overload
def choose(
    x: Models,
    /,
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold | Mapping[str, Threshold] = ...,
    volume: float | None = None,
    optimize: str | Measure | None = None,
    guarantee: str | None = None,
    measures: Sequence[str | Measure] = (),
    level: float = 0.95,
    intervals: Intervals = "default",
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    paired: bool = True,
) -> Choice: ...
@overload
def choose(
    x: Amounts,
    /,
    rule: str | None = None,
    *,
    review: float | None = None,
    recovered: float = 1,
    at: Conditions | None = None,
    prior: Prior | None = None,
    threshold: Threshold = ...,
    volume: float | None = None,
    level: float = 0.95,
    intervals: Intervals = "default",
    replicates: int | None = None,
    seed: int = 0,
) -> AmountPoint: ...
@verb
def choose(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    /,
    rule: str | None = None,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    optimize: str | Measure | None = None,
    guarantee: str | None = None,
    measures: Sequence[str | Measure] = (),
    review: float | None = None,
    recovered: float = 1,
    paired: bool = True,
    level: float = 0.95,
    intervals: Intervals = "default",
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Any:
    """Which threshold, and of several models which, at this base rate and these costs?

    The cheapest threshold (lowest `expected_cost`) that satisfies the rule, or the best by another
    measure; of several models the one that is best there. A budget, "alerts <= 200" out of `volume`
    cases, is never exceeded; only where several cases tie at its end, more than 1 % of the budget,
    is a share of them flagged at random, and numbers are expected values. Without costs a budget is
    used up. What no threshold can satisfy is refused (`Infeasible`), with what would be feasible.

    Where base rate or costs are not known exactly (`prior="0.05%..0.3%"`), the setting with the
    least regret: over ranges the largest that there can be, over distributions the expected one. Of
    counts by site (`by=`), the rule must hold at every site. With `Amounts` every miss costs its
    own amount, and every alert a `review`.

    One model gives an `OperatingPoint`, several (`JointCounts`, or counts by name) a `Choice`,
    which also says whether the best model is significantly better: on the same cases
    (`JointCounts`), or on different ones with `paired=False`. By default that test is a closed
    form; `replicates=2000` resamples the cases and chooses the thresholds again on each resample.
    The points have `.intervals`, by the best method that is valid
    (docs/ideas/uncertainty.md): corrected for choosing the threshold on these cases, where they
    can be resampled. `.on(test)` evaluates the same threshold on other cases, `.flags(scores)`
    applies it.

    Parameters
    ----------
    x : counts
        What was counted: one model, or several by name.
    rule : str, optional
        Rule; may also be given as the second argument.
    at, prior, costs : optional
        Base rate and costs, or both as `Conditions`.
    threshold : float, None or mapping, optional
        The operating point at a threshold of one's own; None flags nothing.
    volume : float, optional
        Number of cases, for example per day; shows alerts, caught and missed.
    optimize : str, optional
        What to optimize among the thresholds that satisfy the rule, instead of the cost.
    guarantee : str, optional
        Choose among the thresholds at which this holds in the field with the confidence of
        --level: "recall >= 0.9".
    measures : sequence of str, optional
        Show this measure instead of the usual ones: specificity,lr_positive. May be repeated or
        comma-separated.
    review : float, optional
        Cost of reviewing one flagged case, with --amount.
    recovered : float, default 1
        Share of a caught amount that is recovered (default: all).
    paired : bool, default True
        Were the models counted on the same cases?
    level : float, default 0.95
        Confidence level.
    intervals : "default", "fixed", "resampled" or None
        "fixed" treats the threshold as fixed in advance, "resampled" refuses where resamples are
        not possible, None saves the time.
    replicates : int, optional
        Resamples for the intervals of chosen thresholds (default: 400); 0 treats thresholds as
        fixed in advance.
    seed : int, default 0
        Random seed.
    progress : Progress, optional
        Shows how far the resamples are.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3], positives=[30, 15, 5], negatives=[10, 90, 900])
    >>> point = br.choose(counts, prior=0.01, costs=br.Costs(fp=1, fn=50))
    >>> point.threshold, point.tpr, round(point.precision, 4), round(point.expected_cost, 4)
    (0.6, 0.9, 0.0833, 0.149)
    >>> br.choose(counts, "alerts <= 50", prior=0.01, volume=10_000)["caught"]
    18.867924528301888
    >>> br.choose({"old": counts}, prior="0.1%..2%", costs={"fn": 50}).point.threshold
    0.6
    """
    if rule is not None and threshold is not NOT_SAID:
        raise refuse(
            "BR427",
            "a threshold is given, so there is nothing to choose by a rule",
            "leave rule or threshold out",
        )
    given = given_conditions(at, prior, costs)
    if replicates == 0:
        intervals, replicates = "fixed", None
    asked = {
        "volume": volume,
        "optimize": optimize,
        "guarantee": guarantee,
    }
    drawn = {"level": level, "replicates": replicates, "seed": seed, "progress": progress}
    how = _interval_options(intervals, checked_level(level), replicates, seed)
    models = models_of(x)
    if isinstance(x, Amounts) or (models and all(isinstance(m, Amounts) for m in models.values())):
        _refuse_of_amounts({**asked, "measures": measures or None})
        prices = {"review": review, "recovered": recovered, "volume": volume}
        found = _by_amounts(x, rule, threshold, given, prices, level)
        return found if how is None else _complete_amounts(found, x, how, progress)
    if models is None and not isinstance(x, Counts | Points | GroupedCounts):
        refuse_uncounted(x, "choose")
    if review is not None or recovered != 1:
        raise refuse("BR002", "review= and recovered= need amounts", "count(…, amount=…)")
    _check_replicates(asked, given, replicates)
    shown = tuple(parse(str(one), volume).short_name for one in measures)
    if models is None:
        point = replace(_of_one(x, rule, threshold, (given, asked, drawn)), shown=shown)
        return point if how is None or point.over else complete_point(point, x, how, progress)
    choice = _of_models(x, models, rule, threshold, (given, asked, {**drawn, "paired": paired}))
    choice = _showing(choice, shown) if shown else choice
    choice = choice if how is None else _complete(choice, x, models, how, progress)
    return replace(
        choice,
        sources={name: models[name].total() for name in choice.points},
        joint_notes=tuple(same_scores(x, x.models)) if isinstance(x, JointCounts) else (),
    )


def _complete(
    choice: Choice,
    x: Any,
    models: Mapping[str, Any],
    how: IntervalOptions,
    progress: Progress | None,
) -> Choice:
    """Return the choice with intervals, which include the error of an estimated base rate; over a
    range there are none.
    """
    if choice.over is not None:
        return choice
    choice = complete_choice(choice, models, how, progress)
    return complete_in_field(choice, x, how) if isinstance(x, JointCounts) else choice


def lead_by_recall(
    models: JointCounts | Mapping[str, Counts],
    /,
    rule: str | None = None,
    *,
    at: Sequence[Conditions] = (),
    optimize: str | Measure | None = None,
    level: float = 0.95,
) -> RecallLeaders:
    """Which model has the highest recall within a share of false alarms, at each base rate?

    Which of two models is better at a fixed recall does not depend on the base rate; which is
    better within a share of false alarms does (the comparison of B-ROC curves at the base rate of
    interest, Cárdenas & Baras 2006). The stretches of base rate are exact.

    Parameters
    ----------
    models : JointCounts or mapping
        Several models.
    rule : str
        The share of false alarms among the alerts: "fdr <= 50%".
    at : sequence of Conditions, optional
        Base rates at which to test the lead, each alone; else it is tested at a few.
    optimize : str
        "tpr", which is compared.
    level : float, default 0.95
        Confidence level.
    """
    fdr = _limit_of_false_alarms(rule)
    if optimize is None or parse(str(optimize)).name != "tpr":
        raise refuse("BR594", "--all-priors compares the recall", "--optimize tpr")
    if any(conditions.costs_given for conditions in at):
        raise refuse("BR002", "costs have no effect on the recall", "leave the costs out")
    return lead_at_priors(models, fdr, at, checked_level(level))


def _limit_of_false_alarms(rule: str | None) -> Fraction:
    """The share of false alarms among the alerts that a rule allows, where that is all it asks."""
    terms = parse_rule(rule, None).terms
    if len(terms) == 1 and (terms[0].measure.name, terms[0].sense) == ("fdr", "<="):
        return terms[0].limit
    if len(terms) == 1 and (terms[0].measure.name, terms[0].sense) == ("precision", ">="):
        return 1 - terms[0].limit
    raise refuse(
        "BR594",
        "--all-priors needs a limit on the share of false alarms, and only that",
        '"fdr <= 50%" --optimize tpr --all-priors',
    )


def choose_at_each(
    models: Any, rule: str | None, at: Sequence[Conditions], **options: Any
) -> tuple[list[selection.Answer], list[Note]]:
    """The choice among models at each of several base rates, and a note of every model that cannot
    satisfy the rule; where none can anywhere, that is refused.
    """
    return selection.made_by(cast("Callable[..., Choice]", choose), models, rule, at, **options)


def _check_replicates(
    asked: Mapping[str, Any], given: Conditions | None, replicates: int | None
) -> None:
    """Refuse resamples where thresholds are not chosen again on them."""
    if replicates is None:
        return
    if asked["guarantee"] is not None:
        raise refuse(
            "BR002",
            "replicates= has no effect beside guarantee=, whose threshold is not chosen again",
            "leave replicates out",
        )
    if given is not None and given.estimate is not None:
        raise refuse(
            "BR002",
            "replicates= has no effect with a base rate that is estimated",
            "leave replicates out",
        )


def _showing(choice: Choice, shown: tuple[str, ...]) -> Choice:
    """Return the choice with these measures at every point."""
    points, ends = (
        {name: replace(point, shown=shown) for name, point in some.items()}
        for some in (choice.points, choice.baselines)
    )
    return replace(choice, points=points, baselines=ends)


def _interval_options(
    intervals: Intervals, level: float, replicates: int | None, seed: int
) -> IntervalOptions | None:
    """Return how the intervals of a choice are made; None where none are requested."""
    if intervals not in ("default", "fixed", "resampled", None):
        raise refuse(
            "BR580",
            f"intervals are default, fixed or resampled, got {quoted(intervals)}",
            'intervals="resampled"',
        )
    if intervals is None:
        return None
    if intervals == "resampled" and replicates is None:
        replicates = CHOSEN_REPLICATES
    return IntervalOptions(level, 0 if intervals == "fixed" else replicates, seed)


def _complete_amounts(
    found: AmountPoint | AmountChoice,
    x: Any,
    how: IntervalOptions,
    progress: Progress | None = None,
) -> AmountPoint | AmountChoice:
    """Return a choice by amounts with its intervals: of resamples that choose the threshold again,
    or keep it where it was set in advance or `how` has no resamples. Where resamples are not
    possible and were not requested, there are none.
    """
    if isinstance(found, AmountChoice):
        points: dict[str, Any] = {
            name: _complete_amounts(point, x[name], how, progress)
            for name, point in found.points.items()
        }
        return replace(found, points=points)
    try:
        intervals = amount_intervals(
            found,
            x,
            again=how.replicates != 0 and not found.in_advance,
            replicates=how.replicates or AMOUNT_REPLICATES,
            seed=how.seed,
            level=how.level,
            progress=progress,
        )
    except InputError as error:
        if how.replicates:
            raise
        problem = error.problems[0]
        note = Note("BR626", f"{problem.text}, so there are no intervals")
        return replace(found, notes=combine(found.notes, (note,)))
    return replace(found, intervals=intervals)


@verb
def fix(
    x: Counts | Points,
    measure: str,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    volume: float | None = None,
) -> selection.Fixed:
    """With one measure fixed, what are the others? As in a case study at TPR 80 %, POSfrac 10 % or
    purity 50 %.

    `interpolated` lies on the straight line between two ROC points, where the measure has exactly
    that value: of several such places the one with the highest tpr, then the lowest fpr. `attained`
    is the threshold whose value is nearest. Landgrebe et al. §4.

    >>> import baserate as br
    >>> counts = br.Counts([3, 2, 1], positives=[6, 3, 1], negatives=[1, 4, 15])
    >>> fixed = br.fix(counts, "tpr = 80%", prior=0.01)
    >>> round(fixed.interpolated.posfrac, 6), fixed.attained.threshold, fixed.attained.tpr
    (0.1895, 2, 0.9)
    """
    if not isinstance(x, Counts | Points):
        refuse_uncounted(x, "fix")
    name, equals, value = measure.rpartition("=") if isinstance(measure, str) else ("", "", "")
    if not equals or name.rstrip()[-1:] in ("<", ">") or " and " in name:
        raise refuse("BR533", "a measure is fixed at one value", 'fix(counts, "tpr = 80%")')
    return selection.fix(
        x, at=exact_conditions(at, prior, costs), volume=volume, **{name.strip(): value.strip()}
    )


def _of_one(x: Any, rule: str | None, threshold: Any, how: tuple[Any, Any, Any]) -> OperatingPoint:
    """One model: counts, points, or counts by group."""
    given, asked, drawn = how
    if isinstance(x, GroupedCounts):
        if x.role in ("day", "fold"):
            raise refuse("BR426", f"these counts are grouped by {x.role}", "choose(x.total(), …)")
        by_group = x.role != "cluster" and threshold is NOT_SAID
        if by_group:
            return _least_regret(x, rule, given or Conditions(), asked, drawn)
        x = x.total()
    if given is not None and not given.is_exact:
        if threshold is NOT_SAID:
            return _least_regret(x, rule, given, asked, drawn)
        raise not_exact(given)
    if threshold is not NOT_SAID:
        _refuse_asked(asked, *AT_THRESHOLD)
        return selection.flag_at(x, threshold, at=given, volume=asked["volume"])
    level = {} if asked["guarantee"] is None else {"level": drawn["level"]}
    return selection.choose(x, rule, at=given, **asked, **level)


def _of_models(
    x: Any,
    models: Mapping[str, Any],
    rule: str | None,
    threshold: Any,
    how: tuple[Any, Any, Any],
) -> Choice:
    """Several models on the same cases, or on cases of their own."""
    given, asked, drawn = how
    groups = any(isinstance(one, GroupedCounts) for one in models.values())
    if groups and any(getattr(one, "role", "") == "cluster" for one in models.values()):
        raise refuse(
            "BR426",
            "clusters are not supported by choose for several models yet",
            "count without cluster=; compare(x, …) takes clusters",
        )
    if threshold is not NOT_SAID:
        _refuse_asked(asked, *AT_THRESHOLD)
        if given is not None and not given.is_exact:
            raise not_exact(given)
        cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(models, threshold)
        return set_by_hand(
            x if isinstance(x, JointCounts) else models,
            cuts,
            at=given,
            volume=asked["volume"],
            level=drawn["level"],
        )
    if groups or (given is not None and not given.is_exact):
        whole = x if isinstance(x, JointCounts) else models
        return _least_regret_of(whole, models, rule, (given or Conditions(), asked, drawn))
    return choose_model(
        x if isinstance(x, JointCounts) else models, rule, at=given, **drawn, **asked
    )


def evaluate_point_on(
    point: OperatingPoint, counts: Counts | Points, at: Conditions | None = None
) -> OperatingPoint:
    """Return the same setting on other cases, with intervals where it has some."""
    found = operating_point.evaluate_on(point, counts, at)
    how = _options_there(point.intervals)
    return found if how is None else complete_point(found, counts, how)


def evaluate_choice_on(
    choice: Choice,
    test: Any,
    at: Conditions | None = None,
    *,
    how: IntervalOptions | None = None,
) -> Choice:
    """Return the same choice on other cases, with intervals where it has some, or as `how` says."""
    how = how or _options_there(choice.point.intervals)
    if how is None:
        return moved(choice, test, at)
    drawn = how.replicates or None
    found = moved(choice, test, at, level=how.level, replicates=drawn, seed=how.seed)
    return complete_choice(found, found.sources, how)


def evaluate_amounts_on(
    choice: AmountChoice,
    test: Any,
    at: Conditions | None = None,
    *,
    how: IntervalOptions | None = None,
) -> AmountChoice:
    """The same of a choice by amounts."""
    how = how or _options_there(choice.point.intervals)
    found = amounts_moved(choice, test, at, level=how.level if how else None)
    return found if how is None else cast("AmountChoice", _complete_amounts(found, test, how))


def _options_there(intervals: Mapping[str, Interval]) -> IntervalOptions | None:
    """Return how intervals on other cases are made: at the level of those here."""
    first = next(iter(intervals.values()), None)
    return None if first is None else IntervalOptions(first.level, None, first.seed or 0)


def _by_amounts(
    x: Any,
    rule: str | None,
    threshold: Any,
    given: Conditions | None,
    prices: dict[str, Any],
    level: float,
) -> AmountPoint | AmountChoice:
    if given is not None and not given.is_exact:
        raise not_exact(given)
    if threshold is not NOT_SAID:
        if not isinstance(x, Amounts):
            raise refuse("BR427", "a given threshold applies to one model", "choose(amounts, …)")
        return flag_amount_at(x, threshold, at=given, **prices)
    if isinstance(x, Amounts):
        return choose_amount(x, rule, at=given, **prices)
    return choose_amount_model(x, rule, at=given, level=level, **prices)


def _refuse_of_amounts(asked: Mapping[str, Any]) -> None:
    """Refuse what does not apply to amounts."""
    text = "{}= does not apply to amounts: the cost by amounts is minimized"
    _refuse_asked(asked, "BR002", text, "leave {} out")


def _refuse_asked(asked: Mapping[str, Any], code: str, text: str, fix: str) -> None:
    """Refuse the first option of the choice that is given; "{}" stands for its name."""
    for name in ("optimize", "guarantee", "measures"):
        if asked.get(name) is not None:
            raise refuse(code, text.format(name), fix.format(name))


# What a threshold that is given leaves without effect.
AT_THRESHOLD = (
    "BR427",
    "a threshold is given, so {}= has no effect",
    "leave threshold or {} out",
)


def _recommended(
    models: Any,
    rule: str | None,
    at: Conditions,
    asked: Mapping[str, Any],
    drawn: Mapping[str, Any],
) -> Recommendation:
    """The setting of least regret, with what surrounds it."""
    _refuse_asked(
        asked,
        "BR419",
        f"{{}}= needs one base rate, exact costs and no sites, got {at}",
        "prior=0.001, or leave {} out",
    )
    volume, joint = asked["volume"], models if isinstance(models, JointCounts) else None
    _refuse_counted(rule, volume, at)
    resampled = drawn["replicates"] is not None
    if resampled and (rule is not None or joint is None):
        raise refuse(
            "BR594",
            "replicates= compares models over all their thresholds on all cases",
            "leave the rule and by= out, and count the models together",
        )
    how = {name: drawn[name] for name in ("level", "replicates", "seed", "progress")}
    each = models if joint is None else models_of(joint)
    together = joint if joint is not None and len(joint.models) > 1 else None
    return recommend(
        each or {},
        rule,
        at,
        joint=joint if resampled else None,
        together=together,
        volume=volume,
        **how,
    )


def _refuse_counted(rule: str | None, volume: float | None, at: Conditions) -> None:
    """Refuse alerts that would be computed at an estimated base rate: they are counted among the
    unlabelled cases.
    """
    terms = parse_rule(rule, volume).terms if at.estimate is not None else ()
    name = next((term.measure.name for term in terms if term.measure.name in COUNTED), None)
    if name is not None:
        verb = "is" if name == "posfrac" else "are"
        raise refuse(
            "BR647",
            f"with an estimated base rate, {name} {verb} counted among the unlabelled cases, not"
            " computed from the estimate",
            Fix(
                "choose at prior=estimate, with exact costs",
                "show --threshold or choose with --prior-from, without --kind",
            ),
        )


def _least_regret(
    x: Any,
    rule: str | None,
    at: Conditions,
    asked: Mapping[str, Any],
    drawn: Mapping[str, Any],
) -> OperatingPoint:
    """The setting of one model, or one answer for all, with the least regret."""
    found = _recommended({"": x}, rule, at, asked, drawn).decision
    cut = {NOTHING: None, EVERYTHING: -math.inf}.get(found.model, found.threshold)
    return _point(found, x, cut, found.model)


def _least_regret_of(
    whole: Any, models: Mapping[str, Any], rule: str | None, how: tuple[Any, Any, Any]
) -> LeastRegretChoice:
    """The setting of each model with its least regret, and the best of them."""
    at, asked, drawn = how
    recommendation = _recommended(whole, rule, at, asked, drawn)
    found = recommendation.decision
    points = {
        name: _point(found, models[name], rival.threshold, name)
        for name, rival in found.rivals.items()
        if name in models
    }
    refused = {
        name: Infeasible(Problem("BR530", why, Fix.everywhere("relax the rule")))
        for name, why in found.refused.items()
    }
    if not points:
        raise Infeasible(problem for error in refused.values() for problem in error.problems)
    least = min(found.rivals[name].value for name in points)
    best = tuple(name for name in points if found.rivals[name].value == least)
    first = models[best[0]]
    baselines = {
        name: _point(found, first, cut, name)
        for name, cut in ((NOTHING, None), (EVERYTHING, -math.inf))
        if name in found.rivals
    }
    leads = {one.models[0]: one for one in found.differences} if found.model in models else {}
    baseline = min(baselines, key=lambda name: found.rivals[name].value, default=None)
    is_beaten = baseline is None or found.rivals[baseline].value > least
    why = found.untested or ("" if leads else f"no model has less regret than to {found.model}")
    return LeastRegretChoice(
        best,
        points,
        refused,
        baselines,
        differences=tuple(one for name, one in leads.items() if name in models),
        untested=why if len(points) > 1 else "",
        baseline=baseline,
        unbeaten=None if is_beaten else baseline,
        lead_over_baseline=next((one for name, one in leads.items() if name in baselines), None),
        baseline_untested=why,
        over=at,
        regrets=found.rivals,
        recommendation=recommendation,
    )


def _point(found: Decision, x: Any, threshold: Any, name: str) -> OperatingPoint:
    """One setting, read in the middle of what is possible, with its regret over all of it."""
    counts = x.total()
    point = selection.flag_at(counts, threshold, at=found.at.middle(), volume=found.volume)
    said = Note(
        "BR588",
        f"precision, flagged share and costs of this point are those at {point.at}, the middle of"
        " the range",
    )
    return replace(
        point,
        rule=found.rule,
        optimized="tpr" if found.optimized == CAUGHT else selection.COST,
        over=found.at,
        regret=found.rivals[name],
        notes=combine(found.notes, (*point.notes, *(() if found.at.is_exact else (said,)))),
    )
