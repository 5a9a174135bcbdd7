"""What `choose` and `show` answer over a range of base rates or costs, and over all base rates."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from baserate.cli.runner import (
    ALONE,
    OVER,
    Request,
    Result,
    SourceOptions,
    each_model,
    thresholds_of,
)
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions, Uncertain
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.best_recall import BestRecall
from baserate.decisions.operating_point import SHOW_ON_OTHERS
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.errors import Infeasible, Note, number_of, quoted, refuse
from baserate.inference.best_model import ESTIMATED, choose_model
from baserate.inference.decide import Recommendation, best_recall, recommend
from baserate.inference.expectation import UNKNOWN, VARYING, Expectation, expect
from baserate.measures.confusion import Measure, confusion_at, parse
from baserate.notation import base_rate
from baserate.plots.figures import winner_map_panel
from baserate.plots.panels import Panel
from baserate.read.files import groups_of
from baserate.results.choice import Choice
from baserate.results.operating_point import COUNTED, SAME_CASES
from baserate.views import choices

# ----------------------------------------------------------------------
# `baserate choose` over a range: which model and threshold.


PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of a drawn map


def decided(request: Request, rule: str | None, group: str | None) -> Result:
    """The setting whose regret, what it costs beyond the best possible, is lowest: at most over a
    range, on average over a distribution; one threshold for all sites, where a group is named.
    """
    request = request.estimated(OVER)
    given, intervals = request.conditions, request.intervals
    at, cases = given.uncertain(), given.cases
    _check_decided(request, rule, group)
    resampled = intervals.replicates is not None
    models, together = _counted(request.source, group, cases_too=resampled)
    how: dict[str, Any] = {"volume": cases, **vars(intervals)}
    with Progress("resampling") as progress:
        joint = together if resampled else None
        several = isinstance(together, JointCounts) and len(together.models) > 1
        tested = together if several else None  # what their differences are tested on
        found = recommend(models, rule, at, joint=joint, together=tested, progress=progress, **how)
    if request.conditions.learned is not None:
        decision = replace(found.decision, differences=(), untested=ESTIMATED)
        found = replace(found, decision=decision)
    whole = {
        name: counts.total() if isinstance(counts, GroupedCounts) else counts
        for name, counts in models.items()
    }
    result = Result.of_models(
        "choose",
        whole,
        [found.decision.regret.at],
        [*choices.notes_said(found), *_said(request)],
        lambda: choices.decision_in_words(found),
        lambda: {
            "seed": intervals.seed,
            **choices.of_recommendation(found),
        },
    )
    return replace(result, drawing=lambda: _drawn(found).svg())


def _check_decided(request: Request, rule: str | None, group: str | None) -> None:
    """Refuse what cannot be combined."""
    given, intervals = request.conditions, request.intervals
    if given.kind not in (None, UNKNOWN, VARYING):
        raise refuse(
            "BR588",
            f"--kind is {UNKNOWN} or {VARYING}, got {quoted(given.kind)}",
            f"--kind {UNKNOWN}",
        )
    _refuse_counted(request, [term.measure for term in parse_rule(rule, given.cases).terms])
    if intervals.replicates is not None and (group is not None or rule is not None):
        raise refuse(
            "BR594",
            "--replicates compares models over all their thresholds on all cases",
            "leave --by and --rule out",
        )


def _refuse_counted(request: Request, asked: Iterable[Measure]) -> None:
    """Refuse alerts that would be computed at an estimated base rate: they are counted among the
    unlabelled cases.
    """
    names = [measure.name for measure in asked if measure.name in COUNTED]
    if names and request.conditions.learned is not None:
        text = (
            f"with --prior-from, {names[0]} are counted among the unlabelled cases, not computed"
            " from the estimated base rate"
        )
        raise refuse(
            "BR647",
            text.replace("posfrac are", "posfrac is"),
            "show --threshold or choose with --prior-from, without --kind",
        )


def _said(request: Request) -> tuple[Note, ...]:
    """The note on an estimated base rate."""
    return request.conditions.learned.notes if request.conditions.learned is not None else ()


def _counted(
    source: SourceOptions, group: str | None, *, cases_too: bool
) -> tuple[dict[str, Any], Any]:
    """The counts of every model, by site where a group is named; and all models together, where
    they were counted so.
    """
    if group is not None:
        wanted = source.wanted(group=group)
        return {
            name: groups_of(source.path, replace(wanted, scores=(name,)), source.options)
            for name in source.scores
        }, None
    together = source.joint() if cases_too else source.together()
    return each_model(together), together


def _drawn(found: Recommendation) -> Panel:
    """The map of winners over base rates and cost ratios that people meet."""
    if found.map is None:
        raise refuse(
            "BR650",
            "the winners differ between sites or with the rule, so there is no single map",
            "leave --by and --rule out",
        )
    return winner_map_panel(found.map, priors=PRIORS, cost_ratios=RATIOS)


# ----------------------------------------------------------------------
# `baserate show` over a range: what a measure comes to.


# Measures by which a model is compared with flagging nothing and flagging everything.
COMPARED = ("expected_cost", "normalized_cost", "volume_cost", "error", "accuracy", "net_benefit")


def expected(
    request: Request,
    models: dict[str, Counts],
    names: Sequence[str],
    rule: str | None,
    thresholds: tuple[str, ...],
) -> Result:
    """Measures on average (or in the long run), between which bounds, at worst and at best: at a
    threshold, or where a rule or the lowest cost chooses one anew for all conditions. Two models
    are also compared: their difference, at the same conditions.
    """
    request = request.estimated(OVER)
    at, cases = request.conditions.uncertain(), request.conditions.cases
    caught = parse_rule(rule, cases).budget is not None and not at.costs_given
    measures = [parse(name, cases) for name in names or ["caught" if caught else "expected_cost"]]
    terms = parse_rule(rule, cases).terms
    _refuse_counted(request, [*measures, *(term.measure for term in terms)])
    asked: dict[str, Any] = {
        "at": _doubtful(at),
        "volume": cases,
        "level": request.intervals.level,
        "kind": request.conditions.kind,
    }
    cuts = thresholds_of(thresholds, tuple(models))
    every = [_expectations(measure, models, rule, cuts, asked) for measure in measures]
    found = [one for part in every for one in part]
    return Result.of_models(
        "show",
        models,
        [],
        [*_notes(models, found), *_said(request)],
        lambda: [choices.expected(part) for part in every],
        lambda: {
            "seed": request.intervals.seed,
            "expectations": [choices.of_expectation(model, one) for model, one in found],
        },
    )


def _expectations(
    measure: Measure,
    models: dict[str, Counts],
    rule: str | None,
    cuts: dict[str, Any] | None,
    asked: dict[str, Any],
) -> list[tuple[str, Expectation]]:
    """Of one measure: each model, the difference of two, and what it is compared with."""
    at: dict[str, dict[str, Any]] = {
        name: {} if cuts is None else {"threshold": cuts[name]} for name in models
    }
    found = [
        (name, expect(measure=measure, counts=counts, rule=rule, **asked, **at[name]))
        for name, counts in models.items()
    ]
    if len(models) == 2:
        first, second = models
        both: dict[str, Any] = {} if cuts is None else {"threshold": cuts}
        gain = expect(measure=measure, counts=dict(models), rule=rule, **asked, **both)
        found.append((f"{second} - {first}", gain))
    if rule is None and measure.name in COMPARED:
        found += _ends(measure, next(iter(models.values())), asked)
    return found


def _ends(measure: Measure, counts: Counts, asked: dict[str, Any]) -> list[tuple[str, Expectation]]:
    """The same of flagging nothing and of flagging everything."""
    points = Points.of(counts)
    ends = {NOTHING: 0, EVERYTHING: len(points) - 1}
    return [
        (name, expect(measure=measure, counts=confusion_at(points, place), **asked))
        for name, place in ends.items()
    ]


def _doubtful(at: Uncertain | Conditions) -> Uncertain:
    parts = (at.prior, *at.costs.values()) if isinstance(at, Uncertain) else ()
    if not isinstance(at, Uncertain) or all(
        part is None or isinstance(part, int | float) for part in parts
    ):
        raise refuse(
            "BR519",
            "all conditions are exact, so there is no range to evaluate",
            "leave --kind out, or give a range: --prior 1e-5..1e-3",
        )
    return at


def _notes(models: Mapping[str, Counts], found: list[tuple[str, Expectation]]) -> list[Note]:
    """The notes of the models, and those of a difference that are not among them."""
    own = [note for name, one in found if name in models for note in one.notes]
    return own + [
        Note(note.code, f"{quoted(name, quotes=False)}: {note.text}", note.override)
        for name, one in found
        if name not in models
        for note in one.notes
        if note not in own
    ]


# ----------------------------------------------------------------------
# `baserate choose --all-priors`: the highest recall within a share of false alarms.


# A recall that rests on fewer positives than this is named.
FEW = 10


def best_recalls(request: Request, rule: str | None) -> Result:
    """Which model has the highest recall within a share of false alarms, at each base rate.

    Which of two models is better at a fixed recall does not depend on the base rate; which is
    better within a share of false alarms does (the comparison of B-ROC curves at the base rate of
    interest, Cárdenas & Baras 2006). The stretches of base rate are exact.
    """
    fdr = _false_alarms(rule)
    given = request.estimated(ALONE).conditions.exact()
    at = [conditions.prior for conditions in given if conditions.prior is not None]
    together = request.source.together()
    models = each_model(together)
    level = request.intervals.level
    # At given base rates each is tested alone.
    found = best_recall(models if at else together, fdr=fdr, attained=True, level=level)
    estimated = any(conditions.estimate is not None for conditions in given)
    tested = None if estimated else _tested(found, together, at, level)
    said = [note for conditions in given for note in conditions.notes]
    return Result.of_models(
        "choose",
        models,
        [],
        [*said, *_cautions(found, models, at)],
        lambda: [choices.led(found, at, tested)],
        lambda: {
            "seed": request.intervals.seed,
            "leaders": choices.of_leaders(found, at, tested),
        },
    )


def _false_alarms(rule: str | None) -> Fraction:
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


def _tested(
    found: BestRecall,
    models: JointCounts | dict[str, Counts],
    priors: list[float],
    level: float,
) -> dict[float, Choice]:
    """At each base rate, or at a few of all of them, whether the model with the highest recall is
    better than the others; none where no setting satisfies the share.
    """
    if len(each_model(models)) < 2:
        return {}
    if not priors:
        return {float(choice.point.at.prior or 0): choice for choice in found.tested}
    tested, rule = {}, f"precision >= {1 - found.fdr!r}"
    for prior in priors:
        with contextlib.suppress(Infeasible):
            tested[prior] = choose_model(
                models,
                rule,
                at=Conditions(prior),
                optimize="tpr",
                level=level,
            )
    return tested


def _cautions(found: BestRecall, models: dict[str, Counts], priors: list[float]) -> list[Note]:
    """What is assumed, and how few positives a recall may rest on."""
    few = []
    for prior in priors:
        for name, tpr in found.at(prior).items():
            positives = tpr * float(models[name].total_positives)
            if 0 < positives < FEW:
                rests = number_of(max(1, round(positives)), "positive")
                few.append(
                    Note(
                        "BR505",
                        f"at a base rate of {base_rate(prior)} the recall of {quoted(name)} rests"
                        f" on {rests} of this sample",
                    )
                )
    return [*found.notes, *few, Note("BR528", SAME_CASES, SHOW_ON_OTHERS)]
