"""`baserate decide`, `expect`, `leaders` and `triage`: answers where base rate and costs are not
known exactly.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.prior import Learned, conditions_of, kind, pilot, refuse_counted, with_prior_from
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions, Uncertain
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import SAME_CASES
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import Choice
from baserate.errors import Infeasible, number_of, quoted, refuse
from baserate.inference.best_model import choose_model
from baserate.inference.intervals import auc_intervals
from baserate.measures.confusion import confusion_at
from baserate.measures.measure import parse
from baserate.notation import number, share
from baserate.notes import Note
from baserate.output import choices, document, tables
from baserate.plots.figures import winner_map_panel
from baserate.plots.panels import Panel
from baserate.read.files import groups_of, is_saved, joint_of, models_of, saved_joint
from baserate.robustness.decision import Recommendation, recommend
from baserate.robustness.expectation import Expectation, expect
from baserate.robustness.leaders import BestRecall, best_recall
from baserate.robustness.triage_zones import triage

# ----------------------------------------------------------------------
# `baserate decide`: which model and threshold, where base rate and costs are not known exactly.


PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of a drawn map


@click.command(name="decide", cls=Sectioned)
@options.source
@click.option(
    "--rule",
    metavar="RULE",
    help='What must hold over the whole range, and at every site: "recall >= 0.8".',
)
@options.conditions
@options.prior_from
@pilot
@click.option(
    "--group",
    metavar="COLUMN",
    help="One threshold for all sites: the rule must hold, and regret is judged, at each of them.",
)
@click.option("--mix", is_flag=True, help="Also try mixtures of two settings.")
@options.doubts
@click.option(
    "--svg",
    metavar="FILE",
    help=(
        "Draw who is cheapest at which base rate and cost ratio into this file, besides the answer."
    ),
)
@options.as_json
@with_prior_from
def decide_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    rule: str | None,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    pilot: str | None,
    group: str | None,
    mix: bool,
    level: str,
    replicates: int | None,
    seed: int,
    svg: Callable[[str], None] | None,
    as_json: bool,
) -> None:
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
    at, cases, asked_level = (
        conditions_of(priors, costs, profits, pilot),
        options.volume_of(volume),
        options.level_of(level),
    )
    refuse_counted(priors, [term.measure for term in parse_rule(rule, cases).terms])
    if replicates is not None and (group is not None or rule is not None):
        raise refuse(
            "BR594",
            "--replicates compares models over all their thresholds on all cases",
            "leave --group and --rule out",
        )
    if group is not None and mix:
        raise refuse("BR594", "--mix is asked of all cases together", "leave --group out")
    where = {"positive": positive, "weight": weight, "group": group, "design": design}
    models, together = _counted(path, label, scores, where, cases_too=replicates is not None)
    joint = together if replicates is not None else None
    with Progress("resampling") as progress:
        told: dict[str, Any] = {
            "level": asked_level,
            "replicates": replicates,
            "seed": seed,
            "progress": progress,
        }
        found = recommend(
            models, rule, at, joint=joint, together=_whole(together), volume=cases, mix=mix, **told
        )
    if svg is not None:
        svg(_drawn(found).svg())
    _tell_decision(
        models,
        found,
        [note for text in priors if isinstance(text, Learned) for note in text.notes],
        seed,
        as_json=as_json,
    )


def _counted(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    where: dict[str, Any],
    *,
    cases_too: bool,
) -> tuple[dict[str, Any], Any]:
    """The counts of every model, by site where a group is named; and all models together, where
    they were counted so.
    """
    if where["group"] is not None:
        wanted = options.wanted(path, label, scores, **where)
        return {
            name: groups_of(path.path, replace(wanted, scores=(name,)), path.options)
            for name in scores
        }, None
    if cases_too:
        joint = _joint(path, label, scores, where)
        return {name: joint.marginal(name) for name in joint.models}, joint
    together = options.counted_together(
        path, label, scores, where["positive"], where["weight"], where["design"]
    )
    return options.each_model(together), together


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
    """The models on the same cases, where there are several and cases are not weighted: what their
    differences are tested on.
    """
    return (
        together
        if isinstance(together, JointCounts) and len(together.models) > 1 and not together.weighted
        else None
    )


def _joint(
    path: options.Given, label: str | None, scores: tuple[str, ...], where: dict[str, Any]
) -> JointCounts:
    """The models on the same cases, counted here or before."""
    if is_saved(path.path):
        options.check_saved(
            path, {"--label": label, "--positive": where["positive"], "--weight": where["weight"]}
        )
        return saved_joint(path.path, scores)
    return joint_of(
        models_of(path.path, options.wanted(path, label, scores, **where), path.options)
    )


def _tell_decision(
    models: dict[str, Any], found: Recommendation, said: list[Note], seed: int, *, as_json: bool
) -> None:
    whole = {
        name: counts.total() if isinstance(counts, GroupedCounts) else counts
        for name, counts in models.items()
    }
    notes = document.merged([*document.notes_of(whole, {}), *choices.notes_said(found), *said])
    if as_json:
        parts: dict[str, Any] = {"aucs": auc_intervals(whole), **choices.of_recommendation(found)}
        click.echo(
            document.text(
                document.of_models(
                    "decide", whole, {}, [found.decision.regret.at], notes, seed=seed, **parts
                )
            )
        )
    else:
        sources = dict.fromkeys(
            source for counts in whole.values() for source in counts.ledger.sources
        )
        tell(*choices.decision_in_words(found), *(tables.source(used) for used in sources))
    say(notes)


# ----------------------------------------------------------------------
# `baserate expect`: what a measure comes to, where base rate and costs are not known exactly.


# Measures by which a model is compared with flagging nothing and flagging everything.
COMPARED = ("expected_cost", "normalized_cost", "volume_cost", "error", "accuracy", "net_benefit")


@click.command(name="expect", cls=Sectioned)
@options.source
@click.option(
    "--statistic",
    metavar="NAME",
    help=(
        "The measure, such as precision (default: expected_cost; with a budget and no costs:"
        " caught)."
    ),
)
@click.option(
    "--rule",
    metavar="RULE",
    help="Read it where this rule chooses the threshold, anew for all conditions.",
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="[MODEL=]SCORE",
    help="Read it at fixed thresholds: one for all, or one a model.",
)
@options.conditions
@options.prior_from
@pilot
@kind
@options.level
@options.as_json
@with_prior_from
def expect_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    statistic: str | None,
    rule: str | None,
    thresholds: tuple[str, ...],
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    pilot: str | None,
    kind: str | None,
    level: str,
    as_json: bool,
) -> None:
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
    at, cases = conditions_of(priors, costs, profits, pilot), options.volume_of(volume)
    caught = parse_rule(rule, cases).budget is not None and not at.costs_given
    measure = parse(statistic or ("caught" if caught else "expected_cost"), cases)
    refuse_counted(priors, [measure, *(term.measure for term in parse_rule(rule, cases).terms)])
    asked: dict[str, Any] = {
        "at": _doubtful(at),
        "rule": rule,
        "volume": cases,
        "level": options.level_of(level),
        "kind": kind,
    }
    models = options.counted(path, label, scores, positive, weight, design)
    cuts = options.thresholds_of(thresholds, tuple(models))
    found = [
        (name, expect(measure, counts, **asked, **_at_cut(cuts, name)))
        for name, counts in models.items()
    ]
    if len(models) == 2:
        first, second = models
        if cuts is not None:
            asked["threshold"] = cuts
        found.append((f"{second} - {first}", expect(measure, dict(models), **asked)))
    if rule is None and measure.name in COMPARED:
        points = Points.of(next(iter(models.values())))
        plain = {key: value for key, value in asked.items() if key not in ("rule", "threshold")}
        ends = {NOTHING: 0, EVERYTHING: len(points) - 1}
        found += [
            (name, expect(measure, confusion_at(points, place), **plain))
            for name, place in ends.items()
        ]
    _tell_expectations(
        models,
        found,
        [note for text in priors if isinstance(text, Learned) for note in text.notes],
        as_json=as_json,
    )


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


def _tell_expectations(
    models: dict[str, Any], found: list[tuple[str, Expectation]], said: list[Note], *, as_json: bool
) -> None:
    of_models = [note for name, one in found if name in models for note in one.notes]
    of_difference = [
        _of(name, note)
        for name, one in found
        if name not in models
        for note in one.notes
        if note not in of_models
    ]
    notes = document.merged([*document.notes_of(models, {}), *of_models, *of_difference, *said])
    if as_json:
        expectations = [choices.of_expectation(model, one) for model, one in found]
        parts: dict[str, Any] = {"aucs": auc_intervals(models), "expectations": expectations}
        click.echo(document.text(document.of_models("expect", models, {}, [], notes, **parts)))
    else:
        sources = dict.fromkeys(
            source for counts in models.values() for source in counts.ledger.sources
        )
        tell(choices.expected(found), *(tables.source(used) for used in sources))
    say(notes)


def _of(name: str, note: Note) -> Note:
    return Note(note.code, f"{quoted(name, quotes=False)}: {note.text}", note.override)


# ----------------------------------------------------------------------
# `baserate leaders`: who finds most within a share of false alarms, at each base rate.


# A recall that rests on fewer positives than this is named.
FEW = 10


@click.command(name="leaders", cls=Sectioned)
@options.source
@click.option(
    "--fdr",
    required=True,
    metavar="SHARE",
    help="The share of false alarms among the alerts that is allowed (B_FA): 50%.",
)
@click.option("--attained", is_flag=True, help="Thresholds only, no mixtures of two.")
@click.option(
    "--prior",
    "priors",
    multiple=True,
    metavar="SHARE",
    help="Base rates at which to say how much each finds; several comma-separated.",
)
@options.prior_from
@options.as_json
@with_prior_from
def leaders(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    fdr: str,
    attained: bool,
    priors: tuple[str, ...],
    as_json: bool,
) -> None:
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
    given = options.conditions_of(priors, (), ())
    at = [conditions.prior for conditions in given if conditions.prior is not None]
    together = options.counted_together(path, label, scores, positive, weight, design)
    models = options.each_model(together)
    found = best_recall(models, fdr=fdr, attained=attained)
    estimated = any(conditions.estimate is not None for conditions in given)
    tested = None if estimated else _tested(found, together, at)
    notes = document.merged(
        [
            *document.notes_of(models, {}),
            *(note for conditions in given for note in conditions.notes),
            *_cautions(found, models, at),
        ]
    )
    if as_json:
        leaders = choices.of_leaders(found, at, tested)
        parts: dict[str, Any] = {"aucs": auc_intervals(models), "leaders": leaders}
        click.echo(document.text(document.of_models("leaders", models, {}, [], notes, **parts)))
    else:
        sources = dict.fromkeys(
            source for counts in models.values() for source in counts.ledger.sources
        )
        tell(choices.led(found, at, tested), *(tables.source(used) for used in sources))
    say(notes)


def _tested(
    found: BestRecall, models: JointCounts | dict[str, Counts], priors: list[float]
) -> dict[float, Choice]:
    """At each base rate, whether the model that finds most is better than the others; none where no
    setting keeps the share.
    """
    if len(options.each_model(models)) < 2:
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


@click.command(name="triage", cls=Sectioned)
@options.source
@click.option("--review", metavar="COST", help="What it costs to look at a case before deciding.")
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
@options.prior_from
@options.as_json
@with_prior_from
def triage_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    review: str | None,
    abstain: str | None,
    overlooked: str | None,
    most: str | None,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    as_json: bool,
) -> None:
    """Set two thresholds: act on the highest scores, review those in between, let the rest pass.

    The cheapest pair of all there are, at known costs and base rate, for each model; and what one
    threshold alone would cost.

    \b
    Examples:
      baserate triage scores.csv --label fraud --score logit --score forest --prior 0.1% --cost fn=100,fp=5 --review 2
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --review 2 --overlooked 10% --most 5%
      baserate triage scores.csv --label fraud --score logit --prior 0.1% --cost fn=100,fp=5 --abstain 3 --most 200 --volume 1e5
    """  # noqa: E501
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    if len(at) != 1:
        raise refuse("BR503", "two thresholds are set at one base rate", "give one --prior")
    asked: dict[str, Any] = {
        "review": _number("--review", review),
        "abstain": _number("--abstain", abstain),
        "overlooked": 0 if overlooked is None else _share("--overlooked", overlooked),
        "most": most if most is None or most.strip().endswith("%") else _number("--most", most),
        "volume": cases,
    }
    models = options.counted(path, label, scores, positive, weight, design)
    found = {name: triage(counts, at=at[0], **asked) for name, counts in models.items()}
    notes = document.merged(
        [*document.notes_of(models, {}), *(note for one in found.values() for note in one.notes)]
    )
    if as_json:
        triaged = [choices.of_triage(name, one) for name, one in found.items()]
        parts: dict[str, Any] = {"aucs": auc_intervals(models), "triage": triaged}
        click.echo(document.text(document.of_models("triage", models, {}, at, notes, **parts)))
    else:
        sources = dict.fromkeys(
            source for counts in models.values() for source in counts.ledger.sources
        )
        tell(choices.triaged(found), *(tables.source(used) for used in sources))
    say(notes)


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
