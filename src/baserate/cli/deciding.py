"""`baserate decide`: which model and threshold, where base rate and costs are not known exactly."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from baserate import document, recommendations, tables
from baserate.cli import options
from baserate.cli.answers import say
from baserate.cli.estimating import Learned, with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions
from baserate.costs import Costs
from baserate.decisions.rules import parse_rule
from baserate.engines.file_counts import groups_of, joint_of, models_of
from baserate.engines.saved import is_saved, saved_joint
from baserate.errors import quoted, refuse
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.notations import number
from baserate.notes import Note
from baserate.plots.cost_figures import winner_map_panel
from baserate.plots.panels import Panel
from baserate.prospects.changes import stability
from baserate.prospects.deciding import decide
from baserate.prospects.learning import value_of_learning
from baserate.prospects.maps import winner_map
from baserate.recommendations import Recommendation
from baserate.spreads import BELIEVED, LogUniform, Pilot, Range
from baserate.uncertain import OUTCOMES, Uncertain

LOG_UNIFORM = re.compile(r"\s*\(?log-?\s?uniform\)?\s*$", flags=re.IGNORECASE)
PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of a drawn map
PILOT = re.compile(r"\s*(\d+)\s*(?:/|of|in|out of)\s*(\d+)\s*")


@click.command(name="decide", cls=Sectioned)
@options.source
@click.option("--rule", metavar="RULE", help='What must hold over the whole range, and at every site: "recall >= 0.8".')
@options.conditions
@options.prior_from
@click.option("--pilot", metavar="POSITIVES/CASES", help="The base rate from a pilot sample of the field, instead of --prior: 12/5000.")
@click.option("--group", metavar="COLUMN", help="One threshold for all sites: the rule must hold, and regret is judged, at each of them.")
@click.option("--mix", is_flag=True, help="Also try mixtures of two settings.")
@options.doubts
@click.option("--svg", metavar="FILE", help="Draw who is cheapest at which base rate and cost ratio into this file, besides the answer.")
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

    The setting is chosen whose regret, what it costs beyond the best there would be, is least: at most over a range, on average over a
    distribution (1e-5..1e-3 log-uniform, or a pilot sample). A cost may be a range too: fn=100..1000. With --replicates it is also said
    where models cannot be told apart.

    \b
    Examples:
      baserate decide scores.csv --label fraud --score logit --score forest --prior 1e-5..1e-3 --cost fn=100..1000,fp=1
      baserate decide scores.csv --label fraud --score logit --prior "1e-6..1e-4 log-uniform" --cost fn=5000,fp=1
      baserate decide scores.csv --label sick --score m1 --rule "recall >= 0.8" --group hospital --pilot 12/5000 --cost fn=50,fp=1
    """
    at, cases, asked_level = conditions_of(priors, costs, profits, pilot), options.volume_of(volume), options.level_of(level)
    parse_rule(rule, cases)
    if replicates is not None and (group is not None or rule is not None):
        raise refuse("BR594", "--replicates tells models apart by all their thresholds on all cases", "leave --group and --rule out")
    joint, where = None, {"positive": positive, "weight": weight, "group": group, "design": design}
    if group is not None:
        if mix:
            raise refuse("BR594", "--mix is asked of all cases together", "leave --group out")
        wanted = options.wanted(path, label, scores, **where)
        models: dict[str, Any] = {name: groups_of(path.path, replace(wanted, scores=(name,)), path.options) for name in scores}
    elif replicates is not None:
        joint = _joint(path, label, scores, where)
        models = {name: joint.marginal(name) for name in joint.models}
    else:
        models = options.counted(path, label, scores, positive, weight, design)
    found = _recommendation(models, joint, rule, at, (cases, mix, asked_level, replicates, seed))
    if svg is not None:
        svg(_drawn(found).svg())
    _tell(models, found, [note for text in priors if isinstance(text, Learned) for note in text.notes], seed, as_json=as_json)


def _drawn(found: Recommendation) -> Panel:
    """The map of winners over base rates and cost ratios that people meet."""
    if found.map is None:
        raise refuse("BR651", "the winners change from site to site, or with the rule: there is no one map", "leave --group and --rule out")
    return winner_map_panel(found.map, priors=PRIORS, cost_ratios=RATIOS)


def _joint(path: options.Given, label: str | None, scores: tuple[str, ...], where: dict[str, Any]) -> JointCounts:
    """The models on the same cases, counted here or before."""
    if is_saved(path.path):
        options.check_saved(path, {"--label": label, "--positive": where["positive"], "--weight": where["weight"]})
        return saved_joint(path.path, scores)
    return joint_of(models_of(path.path, options.wanted(path, label, scores, **where), path.options))


def _recommendation(
    models: dict[str, Any], joint: JointCounts | None, rule: str | None, at: Uncertain | Conditions, how: tuple[Any, ...]
) -> Recommendation:
    """The decision, and whatever else can be said of these models."""
    cases, mix, level, replicates, seed = how
    decision = decide(models, rule, at=at, volume=cases, mix=mix)
    sites = decision.regret.site is not None
    moving = any(term.measure.depends_on_prior for term in parse_rule(rule, cases).terms)
    if sites or moving:
        return Recommendation(decision)
    with Progress("resampling") as progress:
        told: dict[str, Any] = {"level": level, "replicates": replicates, "seed": seed, "progress": progress}
        mapped = winner_map(models, rule) if joint is None else winner_map(joint, **told)
    believed = isinstance(at, Uncertain) and not at.has_range and any(isinstance(part, BELIEVED) for part in (at.prior, *at.costs.values()))
    learned = value_of_learning(models, at=at) if believed and rule is None and isinstance(at, Uncertain) else None
    return Recommendation(decision, mapped, stability(models, rule, at=at), learned)


def _tell(models: dict[str, Any], found: Recommendation, said: list[Note], seed: int, *, as_json: bool) -> None:
    whole = {name: counts.total() if isinstance(counts, GroupedCounts) else counts for name, counts in models.items()}
    notes = document.merged([*document.notes_of(whole, {}), *recommendations.notes_said(found), *said])
    if as_json:
        parts = recommendations.of_recommendation(found)
        click.echo(document.text(document.of_models("decide", whole, {}, [found.decision.regret.at], notes, seed=seed, **parts)))
    else:
        sources = dict.fromkeys(source for counts in whole.values() for source in counts.ledger.sources)
        tell(*recommendations.in_words(found), *(tables.source(used) for used in sources))
    say(notes)


def conditions_of(priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None) -> Uncertain | Conditions:
    """The conditions as they are written: numbers, ranges, a list, a log-uniform range, a pilot sample."""
    if costs and profits:
        raise refuse("BR513", "costs and profits are given together", "give --cost or --profit")
    if priors and pilot is not None:
        raise refuse("BR503", "a base rate and a pilot sample are given together", "give --prior or --pilot")
    chosen = costs_of(",".join(costs or profits), profits=bool(profits)) if costs or profits else None
    learned = next((text.estimate for text in priors if isinstance(text, Learned)), None)
    if learned is not None:
        # No positives are not ruled out: half a case then stands for the least base rate.
        return Uncertain(Range(max(learned.low, 0.5 / learned.cases), learned.high), chosen)
    prior = _pilot(pilot) if pilot is not None else _prior([part for text in priors for part in options.shares(text)])
    return Uncertain(prior, chosen, earned=bool(profits))


def _pilot(text: str) -> Pilot:
    found = PILOT.fullmatch(text)
    if not found:
        raise refuse("BR588", f"a pilot sample is written as positives/cases, got {quoted(text)}", "--pilot 12/5000")
    return Pilot(int(found[1]), int(found[2]))


def _prior(parts: list[str]) -> Any:
    if len(parts) > 1:
        if any(".." in part for part in parts):
            raise refuse("BR503", "a range of base rates stands alone", "--prior 1e-5..1e-3")
        return parts
    if not parts:
        return None
    plain = LOG_UNIFORM.sub("", parts[0])
    if plain == parts[0]:
        return parts[0]
    low, dots, high = plain.partition("..")
    if not dots:
        raise refuse("BR503", f"{quoted(parts[0])} has no ends to lie between", '--prior "1e-5..1e-3 log-uniform"')
    return LogUniform(low.strip(), high.strip())


def costs_of(text: str, *, profits: bool) -> dict[str, Any]:
    """Costs as people write them, each a number or a range: fn=100..1000,fp=1."""
    spans = {}
    plain = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        if ".." in value:
            low, _, high = value.partition("..")
            spans[name.strip().casefold()] = _range(name.strip(), low, high, profits=profits)
            plain.append(f"{name}={low}")
        else:
            plain.append(part)
    # Names are checked as those of plain costs are; what they cost, when the ranges are in place.
    parsed = {name: value for name, value in _checked(",".join(plain), profits=profits).items() if name not in spans}
    return {**parsed, **spans}


def _checked(text: str, *, profits: bool) -> dict[str, Any]:
    """Plain costs by name, only those that were given."""
    named = [part.partition("=")[0].strip().casefold() for part in text.split(",") if part.strip()]
    costs = Costs.parse(text, profits=profits)
    return {name: getattr(costs, name) for name in OUTCOMES if name in named or profits}


def _range(name: str, low: str, high: str, *, profits: bool) -> Range:
    ends = number(low), number(high)
    if ends[0] is None or ends[1] is None:
        text = f"the cost of {quoted(name, quotes=False)} is {quoted(f'{low}..{high}')}, which is no range of numbers"
        raise refuse("BR514", text, "--cost fn=100..1000,fp=1")
    first, last = (float(end) if end.denominator != 1 else end.numerator for end in ends if end is not None)
    if first > last:
        raise refuse("BR504", f"the range of the cost of {quoted(name, quotes=False)} is reversed: {first:g}..{last:g}", f"{last:g}..{first:g}")
    return Range(-last, -first) if profits else Range(first, last)
