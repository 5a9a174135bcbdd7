"""`baserate decide`, `expect`, `leaders` and `triage`: answers where base rate and costs are not
known exactly.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.options import listed
from baserate.cli.request import ALONE, OVER, Request, SourceOptions, each_model, thresholds_of
from baserate.cli.runner import Result, command
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions, Uncertain
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import COUNTED, SAME_CASES
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import Choice
from baserate.errors import Infeasible, number_of, quoted, refuse
from baserate.inference.best_model import ESTIMATED, choose_model
from baserate.measures.confusion import confusion_at
from baserate.measures.measure import Measure, parse
from baserate.notation import number, share
from baserate.notes import Note
from baserate.output import choices
from baserate.plots.figures import winner_map_panel
from baserate.plots.panels import Panel
from baserate.read.files import groups_of
from baserate.robustness.decision import Recommendation, recommend
from baserate.robustness.expectation import Expectation, expect
from baserate.robustness.leaders import BestRecall, best_recall
from baserate.robustness.triage_zones import triage

# ----------------------------------------------------------------------
# `baserate decide`: which model and threshold, where base rate and costs are not known exactly.


PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of a drawn map


@command("decide")
@options.file()
@listed("rule", help='What must hold over the whole range, and at every site: "recall >= 0.8".')
@options.conditions
@listed("prior_from", "pilot")
@listed(
    "group",
    help="One threshold for all sites: the rule must hold, and regret is judged, at each of them.",
)
@listed("mix", help="Also try mixtures of two settings.")
@listed("level")
@listed("replicates", help="Number of resamples, to show where models cannot be distinguished.")
@listed("seed")
@listed(
    "svg",
    help=(
        "Draw who is cheapest at which base rate and cost ratio into this file, besides the answer."
    ),
)
@options.answer
def decide_command(request: Request, rule: str | None, group: str | None, mix: bool) -> Result:
    """Decide on a model and a threshold where base rate and costs are known only within ranges.

    The setting is chosen whose regret, what it costs beyond the best there would be, is least: at
    most over a range, on average over a distribution (1e-5..1e-3 log-uniform, or a pilot sample). A
    cost may be a range too: fn=100..1000. --replicates also shows where models cannot be
    distinguished.

    \b
    Examples:
      baserate decide scores.csv --label fraud --score logit --score forest --prior 1e-5..1e-3 --cost fn=100..1000,fp=1
      baserate decide scores.csv --label fraud --score logit --prior "1e-6..1e-4 log-uniform" --cost fn=5000,fp=1
      baserate decide scores.csv --label sick --score m1 --rule "recall >= 0.8" --group hospital --pilot 12/5000 --cost fn=50,fp=1
    """  # noqa: E501
    request = request.estimated(OVER)
    given, intervals = request.conditions, request.intervals
    at, cases = given.uncertain(), given.cases
    _refuse_counted(request, [term.measure for term in parse_rule(rule, cases).terms])
    if intervals.replicates is not None and (group is not None or rule is not None):
        raise refuse(
            "BR594",
            "--replicates compares models over all their thresholds on all cases",
            "leave --group and --rule out",
        )
    if group is not None and mix:
        raise refuse("BR594", "--mix is asked of all cases together", "leave --group out")
    resampled = intervals.replicates is not None
    models, together = _counted(request.source, group, cases_too=resampled)
    how: dict[str, Any] = {"volume": cases, "mix": mix, **vars(intervals)}
    with Progress("resampling") as progress:
        joint = together if resampled else None
        tested = _whole(together)
        found = recommend(models, rule, at, joint=joint, together=tested, progress=progress, **how)
    if request.conditions.learned is not None:
        decision = replace(found.decision, differences=(), untested=ESTIMATED)
        found = replace(found, decision=decision)
    whole = {
        name: counts.total() if isinstance(counts, GroupedCounts) else counts
        for name, counts in models.items()
    }
    result = Result.of_models(
        "decide",
        whole,
        [found.decision.regret.at],
        [*choices.notes_said(found), *_said(request)],
        lambda: choices.decision_in_words(found),
        lambda: {"seed": intervals.seed, **choices.of_recommendation(found)},
    )
    return replace(result, drawing=lambda: _drawn(found).svg())


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
            "baserate show --threshold, or baserate choose, with --prior-from",
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
            "BR651",
            "the winners change from site to site, or with the rule: there is no one map",
            "leave --group and --rule out",
        )
    return winner_map_panel(found.map, priors=PRIORS, cost_ratios=RATIOS)


def _whole(together: Any) -> JointCounts | None:
    """The models on the same cases, where there are several: what their differences are tested
    on.
    """
    return together if isinstance(together, JointCounts) and len(together.models) > 1 else None


# ----------------------------------------------------------------------
# `baserate expect`: what a measure comes to, where base rate and costs are not known exactly.


# Measures by which a model is compared with flagging nothing and flagging everything.
COMPARED = ("expected_cost", "normalized_cost", "volume_cost", "error", "accuracy", "net_benefit")


@command("expect")
@options.file()
@listed(
    "statistic",
    help=(
        "The measure, such as precision (default: expected_cost; with a budget and no costs:"
        " caught)."
    ),
)
@listed("rule", help="Read it where this rule chooses the threshold, anew for all conditions.")
@listed("thresholds", help="Read it at fixed thresholds: one for all, or one a model.")
@options.conditions
@listed("prior_from", "pilot", "kind", "level")
@options.answer
def expect_command(
    request: Request, statistic: str | None, rule: str | None, thresholds: tuple[str, ...]
) -> Result:
    """Say what to expect of a measure where base rate and costs are known only within ranges, or as
    distributions.

    On average (or in the long run), between which bounds, at worst and at best. Without a threshold
    or rule each model's cheapest threshold is chosen anew for all conditions. Two models are also
    compared: their difference, at the same conditions.

    \b
    Examples:
      baserate expect scores.csv --label fraud --score logit --statistic precision --threshold 0.9 --prior 1e-4..1e-2
      baserate expect scores.csv --label fraud --score logit --score forest --prior "1e-5..1e-3 log-uniform" --cost fn=100..1000,fp=1
      baserate expect scores.csv --label sick --score m1 --statistic alerts --rule "recall >= 0.9" --pilot 12/5000 --volume 10000
      baserate expect scores.csv --label fraud --score m1 --statistic precision --threshold 0.9 --prior 0.1%,0.2%,1% --kind varying
    """  # noqa: E501
    request = request.estimated(OVER)
    at, cases = request.conditions.uncertain(), request.conditions.cases
    caught = parse_rule(rule, cases).budget is not None and not at.costs_given
    measure = parse(statistic or ("caught" if caught else "expected_cost"), cases)
    _refuse_counted(request, [measure, *(term.measure for term in parse_rule(rule, cases).terms)])
    asked: dict[str, Any] = {
        "at": _doubtful(at),
        "volume": cases,
        "level": request.intervals.level,
        "kind": request.conditions.kind,
    }
    models = request.source.counted()
    cuts = thresholds_of(thresholds, tuple(models))
    found = [
        (name, expect(measure, counts, rule=rule, **asked, **_at_cut(cuts, name)))
        for name, counts in models.items()
    ]
    if len(models) == 2:
        first, second = models
        both: dict[str, Any] = {} if cuts is None else {"threshold": cuts}
        gain = expect(measure, dict(models), rule=rule, **asked, **both)
        found.append((f"{second} - {first}", gain))
    if rule is None and measure.name in COMPARED:
        found += _ends(measure, next(iter(models.values())), asked)
    return Result.of_models(
        "expect",
        models,
        [],
        [*_notes(models, found), *_said(request)],
        lambda: [choices.expected(found)],
        lambda: {"expectations": [choices.of_expectation(model, one) for model, one in found]},
    )


def _ends(measure: Measure, counts: Counts, asked: dict[str, Any]) -> list[tuple[str, Expectation]]:
    """The same of flagging nothing and of flagging everything."""
    points = Points.of(counts)
    ends = {NOTHING: 0, EVERYTHING: len(points) - 1}
    return [
        (name, expect(measure, confusion_at(points, place), **asked))
        for name, place in ends.items()
    ]


def _doubtful(at: Uncertain | Conditions) -> Uncertain:
    parts = (at.prior, *at.costs.values()) if isinstance(at, Uncertain) else ()
    if not isinstance(at, Uncertain) or all(
        part is None or isinstance(part, int | float) for part in parts
    ):
        raise refuse(
            "BR519",
            "everything is known exactly, so there is nothing to expect",
            "baserate show, or a range: --prior 1e-5..1e-3",
        )
    return at


def _at_cut(cuts: dict[str, Any] | None, name: str) -> dict[str, Any]:
    return {} if cuts is None else {"threshold": cuts[name]}


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
# `baserate leaders`: who finds most within a share of false alarms, at each base rate.


# A recall that rests on fewer positives than this is named.
FEW = 10


@command("leaders")
@options.file()
@click.option(
    "--fdr",
    required=True,
    metavar="SHARE",
    help="The share of false alarms among the alerts that is allowed (B_FA): 50%.",
)
@click.option("--attained", is_flag=True, help="Thresholds only, no mixtures of two.")
@listed("priors", help="Base rates at which to say how much each finds; several comma-separated.")
@listed("prior_from")
@options.answer
def leaders(request: Request, fdr: str, attained: bool) -> Result:
    """Say which model finds most, of the settings with at most so many false alarms among the
    alerts, at each base rate.

    Which of two models is better at a fixed recall does not depend on the base rate; who is better
    within a share of false alarms does (the comparison of B-ROC curves at the base rate of
    interest, Cárdenas & Baras 2006). The stretches of base rate are exact.

    \b
    Examples:
      baserate leaders scores.csv --label attack --score ids1 --score ids2 --fdr 50%
      baserate leaders scores.csv --label attack --score ids1 --score ids2 --fdr 90% --prior 1e-5,1e-4,1e-3
    """  # noqa: E501
    given = request.estimated(ALONE).conditions.exact()
    at = [conditions.prior for conditions in given if conditions.prior is not None]
    together = request.source.together()
    models = each_model(together)
    found = best_recall(models, fdr=fdr, attained=attained)
    estimated = any(conditions.estimate is not None for conditions in given)
    tested = None if estimated else _tested(found, together, at)
    said = [note for conditions in given for note in conditions.notes]
    return Result.of_models(
        "leaders",
        models,
        [],
        [*said, *_cautions(found, models, at)],
        lambda: [choices.led(found, at, tested)],
        lambda: {"leaders": choices.of_leaders(found, at, tested)},
    )


def _tested(
    found: BestRecall, models: JointCounts | dict[str, Counts], priors: list[float]
) -> dict[float, Choice]:
    """At each base rate, whether the model that finds most is better than the others; none where no
    setting keeps the share.
    """
    if len(each_model(models)) < 2:
        return {}
    tested, rule = {}, f"precision >= {1 - found.fdr!r}"
    for prior in priors:
        with contextlib.suppress(Infeasible):
            tested[prior] = choose_model(
                models, rule, at=Conditions(prior), optimize="tpr", mix=not found.attained
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
                        f"at prior {prior:g} the recall of {quoted(name)} rests on {rests} of this"
                        " sample",
                    )
                )
    shift = (
        "at other base rates than the sample's this assumes label shift only (the scores of each"
        " class keep their distribution)"
    )
    return [Note("BR526", shift), *few, Note("BR528", SAME_CASES)]


# ----------------------------------------------------------------------
# `baserate triage`: which cases to act on, which to look at first, and which to let pass.


@command("triage")
@options.file()
@listed("review", metavar="COST", help="What it costs to look at a case before deciding.")
@click.option(
    "--abstain",
    metavar="COST",
    help="Instead: what a case costs that is handed over without a decision.",
)
@click.option("--overlooked", metavar="SHARE", help="The share of positives that a review misses.")
@click.option(
    "--most",
    metavar="REVIEWS",
    help="Most reviews allowed: a share of the cases (5%), or a number of them with --volume.",
)
@options.conditions
@listed("prior_from")
@options.answer
def triage_command(
    request: Request,
    review: str | None,
    abstain: str | None,
    overlooked: str | None,
    most: str | None,
) -> Result:
    """Set two thresholds: act on the highest scores, review those in between, let the rest pass.

    The cheapest pair of all there are, at known costs and base rate, for each model; and what one
    threshold alone would cost.

    \b
    Examples:
      baserate triage scores.csv --label fraud --score logit --score forest --prior 0.1% --cost fn=100,fp=5 --review 2
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --review 2 --overlooked 10% --most 5%
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --abstain 3 --most 200 --volume 1e5
    """  # noqa: E501
    given = request.estimated(ALONE).conditions
    at, cases = given.exact(), given.cases
    if len(at) != 1:
        raise refuse("BR503", "two thresholds are set at one base rate", "give one --prior")
    asked: dict[str, Any] = {
        "review": _number("--review", review),
        "abstain": _number("--abstain", abstain),
        "overlooked": 0 if overlooked is None else _share("--overlooked", overlooked),
        "most": most if most is None or most.strip().endswith("%") else _number("--most", most),
        "volume": cases,
    }
    models = request.source.counted()
    found = {name: triage(counts, at=at[0], **asked) for name, counts in models.items()}
    return Result.of_models(
        "triage",
        models,
        at,
        [note for one in found.values() for note in one.notes],
        lambda: [choices.triaged(found)],
        lambda: {"triage": [choices.of_triage(name, one) for name, one in found.items()]},
    )


def _number(option: str, text: str | None) -> Any:
    if text is None:
        return None
    value = number(text)
    if value is None:
        raise refuse("BR514", f"{option} is a number, got {text!r}", f"{option} 2")
    return value.numerator if value.denominator == 1 else float(value)


def _share(option: str, text: str) -> float:
    written = share(text)
    if written is None:
        raise refuse(
            "BR542", f"{option} is a share of the positives, got {text!r}", f"{option} 10%"
        )
    return float(written.value)
