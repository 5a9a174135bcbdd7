"""`baserate decide`: which model and threshold, where base rate and costs are not known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from baserate import document, recommendations, tables
from baserate.cli import options
from baserate.cli.answers import say
from baserate.cli.doubtful import conditions_of, pilot
from baserate.cli.estimating import Learned, refuse_counted, with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import Progress, tell
from baserate.decisions.rules import parse_rule
from baserate.engines.file_counts import groups_of, joint_of, models_of
from baserate.engines.saved import is_saved, saved_joint
from baserate.errors import refuse
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.notes import Note
from baserate.plots.cost_figures import winner_map_panel
from baserate.plots.panels import Panel
from baserate.recommendations import Recommendation, recommend

PRIORS, RATIOS = (1e-6, 0.5), (1e-4, 1.0)  # the window of a drawn map


@click.command(name="decide", cls=Sectioned)
@options.source
@click.option("--rule", metavar="RULE", help='What must hold over the whole range, and at every site: "recall >= 0.8".')
@options.conditions
@options.prior_from
@pilot
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
    distribution (1e-5..1e-3 log-uniform, or a pilot sample). A cost may be a range too: fn=100..1000. --replicates also
    shows where models cannot be distinguished.

    \b
    Examples:
      baserate decide scores.csv --label fraud --score logit --score forest --prior 1e-5..1e-3 --cost fn=100..1000,fp=1
      baserate decide scores.csv --label fraud --score logit --prior "1e-6..1e-4 log-uniform" --cost fn=5000,fp=1
      baserate decide scores.csv --label sick --score m1 --rule "recall >= 0.8" --group hospital --pilot 12/5000 --cost fn=50,fp=1
    """
    at, cases, asked_level = conditions_of(priors, costs, profits, pilot), options.volume_of(volume), options.level_of(level)
    refuse_counted(priors, [term.measure for term in parse_rule(rule, cases).terms])
    if replicates is not None and (group is not None or rule is not None):
        raise refuse("BR594", "--replicates compares models over all their thresholds on all cases", "leave --group and --rule out")
    if group is not None and mix:
        raise refuse("BR594", "--mix is asked of all cases together", "leave --group out")
    where = {"positive": positive, "weight": weight, "group": group, "design": design}
    models, together = _counted(path, label, scores, where, cases_too=replicates is not None)
    joint = together if replicates is not None else None
    with Progress("resampling") as progress:
        told: dict[str, Any] = {"level": asked_level, "replicates": replicates, "seed": seed, "progress": progress}
        found = recommend(models, rule, at, joint=joint, together=_whole(together), volume=cases, mix=mix, **told)
    if svg is not None:
        svg(_drawn(found).svg())
    _tell(models, found, [note for text in priors if isinstance(text, Learned) for note in text.notes], seed, as_json=as_json)


def _counted(
    path: options.Given, label: str | None, scores: tuple[str, ...], where: dict[str, Any], *, cases_too: bool
) -> tuple[dict[str, Any], Any]:
    """The counts of every model, by site where a group is named; and all models together, where they were counted so."""
    if where["group"] is not None:
        wanted = options.wanted(path, label, scores, **where)
        return {name: groups_of(path.path, replace(wanted, scores=(name,)), path.options) for name in scores}, None
    if cases_too:
        joint = _joint(path, label, scores, where)
        return {name: joint.marginal(name) for name in joint.models}, joint
    together = options.counted_together(path, label, scores, where["positive"], where["weight"], where["design"])
    return options.each_model(together), together


def _drawn(found: Recommendation) -> Panel:
    """The map of winners over base rates and cost ratios that people meet."""
    if found.map is None:
        raise refuse("BR651", "the winners change from site to site, or with the rule: there is no one map", "leave --group and --rule out")
    return winner_map_panel(found.map, priors=PRIORS, cost_ratios=RATIOS)


def _whole(together: Any) -> JointCounts | None:
    """The models on the same cases, where there are several and cases are not weighted: what their differences are tested on."""
    return together if isinstance(together, JointCounts) and len(together.models) > 1 and not together.weighted else None


def _joint(path: options.Given, label: str | None, scores: tuple[str, ...], where: dict[str, Any]) -> JointCounts:
    """The models on the same cases, counted here or before."""
    if is_saved(path.path):
        options.check_saved(path, {"--label": label, "--positive": where["positive"], "--weight": where["weight"]})
        return saved_joint(path.path, scores)
    return joint_of(models_of(path.path, options.wanted(path, label, scores, **where), path.options))


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
