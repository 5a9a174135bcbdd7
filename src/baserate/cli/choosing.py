"""`baserate choose`: which model, at which threshold."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from baserate import document, judgements, tables, verdicts
from baserate.cli import amounts, options
from baserate.cli.answers import Surety, say
from baserate.cli.estimating import in_field, with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.answering import Answer
from baserate.decisions.models import Choice
from baserate.document import Known
from baserate.errors import refuse
from baserate.joint import JointCounts
from baserate.measures.values import Measure, parse
from baserate.notes import Note
from baserate.tables import Row
from baserate.uncertainty.best import choices
from baserate.uncertainty.pairing import same_scores


@click.command(name="choose", cls=Sectioned)
@options.source_of_any_size
@click.argument("rule", required=False)
@click.option("--rule", "named_rule", metavar="RULE", help="The rule, if it does not stand behind the file.")
@options.conditions
@options.prior_from
@click.option("--optimize", metavar="MEASURE", help="What to optimize among the thresholds that satisfy the rule, instead of the cost.")
@click.option(
    "--guarantee",
    metavar="REQUIREMENT",
    help='Choose among the thresholds at which this holds in the field with the confidence of --level: "recall >= 0.9".',
)
@options.threshold_probability
@click.option("--mix", is_flag=True, help="Also try mixtures of two thresholds on the ROC hull.")
@options.calibrated_at
@amounts.said
@options.intervals
@options.as_json
@with_prior_from
def choose_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    rule: str | None,
    named_rule: str | None,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    optimize: str | None,
    guarantee: str | None,
    threshold_probability: str | None,
    mix: bool,
    calibrated_at: str | None,
    money: amounts.Money,
    level: str,
    replicates: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Choose the model and its cheapest threshold, or the best one that keeps a RULE.

    A rule joins terms by "and": any measure, >= or <=, a number or a percentage; "alerts <= 200" is a budget and needs --volume.

    \b
    Examples:
      baserate choose scores.csv --label fraud --score logit --prior "1 in 1000" --cost fn=100,fp=1
      baserate choose scores.csv "recall >= 0.8 and posfrac <= 1%" --label fraud --score logit
      baserate choose scores.csv "alerts <= 200" --label fraud --score logit --score forest --prior 0.1% --volume 1000000
      baserate choose scores.csv --label fraud --score logit --guarantee "recall >= 0.9" --prior 0.1%
      baserate choose scores.csv --label fraud --score logit --amount eur --review 150
    """
    asked_rule, surety = _one_rule(rule, named_rule), Surety(options.level_of(level), replicates, seed)
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    if money.amount is not None:
        beside = {"--weight": weight, "--optimize": optimize, "--guarantee": guarantee, "--mix": mix, "--calibrated-at": calibrated_at}
        amounts.check_unused(beside)
        wanted, question = money.wanted(path, label, scores, positive, design), amounts.Question(asked_rule, at, cases)
        return amounts.choose_by_amounts(path, wanted, money, question, surety, as_json=as_json)
    together = options.counted_together(path, label, scores, positive, weight, design)
    best = _optimized(optimize, threshold_probability, cases)
    asked = {"volume": cases, "optimize": best, "mix": mix, "calibrated_at": calibrated_at, "guarantee": guarantee}
    options.check_unused({"--replicates": guarantee and replicates}, "beside --guarantee, whose threshold is not chosen again")
    answers, refusals = _answered(together, asked_rule, at, asked, surety)
    if path.options.ceiling.memory is not None and optimize is None:
        answers = _untested(answers, _comparison(path.path, label, scores, positive, (asked_rule, priors, costs, profits, volume)))
    read = {"path": path, "label": label, "positive": positive, "design": design, "priors": priors, "replicates": replicates}
    return _present(together, at, answers, refusals, surety, read, as_json=as_json)


def _present(
    together: JointCounts | dict[str, Counts],
    at: list[Conditions],
    answers: list[Answer[Choice]],
    refusals: Sequence[Note],
    surety: Surety,
    read: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """The choices with their intervals on stdout, as JSON or for a person; then the notes, on stderr."""
    models = options.each_model(together)
    made = [answer.choice for answer in answers if answer.choice is not None]
    settings = {name: [choice.points[name] for choice in made if name in choice.points] for name in models}
    points = [(name, point) for name, several in settings.items() for point in several]
    known = in_field(surety.known(models, points), read, points)
    notes = [*refusals, *document.notes_of(models, settings), *known.notes, *_same_scores(together)]
    if as_json:
        verdict = [{**document.of_choice(choice), **verdicts.of_leads(choice)} for choice in made]
        click.echo(document.text(document.of_models("choose", models, settings, at, notes, known=known, seed=surety.seed, verdict=verdict)))
    else:
        _tell(answers, list(models), known, surety.words(known, chosen=True))
    say(notes)


def _same_scores(models: JointCounts | dict[str, Counts]) -> tuple[Note, ...]:
    """Columns that are the same; counts of each model alone do not say."""
    return same_scores(models, models.models) if isinstance(models, JointCounts) else ()


def _optimized(optimize: str | None, threshold_probability: str | None, cases: float | None) -> Measure | None:
    """What to make best; net benefit at the threshold probability that is given."""
    best = None if optimize is None else options.at_probability(parse(optimize, cases), threshold_probability)
    options.check_unused({"--threshold-probability": threshold_probability if best is None else None}, "without --optimize net_benefit")
    return best


def _one_rule(rule: str | None, named_rule: str | None) -> str | None:
    if rule is not None and named_rule is not None:
        raise refuse("BR533", "two rules are given", 'join them by "and"')
    return rule if named_rule is None else named_rule


def _answered(
    models: JointCounts | dict[str, Counts], rule: str | None, at: list[Conditions], asked: dict[str, Any], surety: Surety
) -> tuple[list[Answer[Choice]], list[Note]]:
    """The choice at each base rate, with the test of its lead; resampled where that is asked for."""
    with Progress("resampling") as progress:
        told = {"level": surety.level, "replicates": surety.replicates or None, "seed": surety.seed, "progress": progress}
        return choices(models, rule, at, **asked, **told)


def _tell(answers: list[Answer[Choice]], models: list[str], known: Known, how: str) -> None:
    """A sentence for each base rate, then a table, and one of intervals."""
    sentences = [
        tables.verdict(answer.choice, alone=len(models) == 1) if answer.choice else f"At {answer.at}: no model can satisfy the rule."
        for answer in answers
    ]
    rows = [Row(name, answer.at, answer.choice.points.get(name) if answer.choice else None) for answer in answers for name in models]
    rows = tables.with_baselines(rows, answers)
    theories = [line for answer in answers if answer.choice for line in tables.theories(answer.choice)]
    leads = tables.of_leads([answer.choice for answer in answers if answer.choice])
    tell("\n".join(sentences), tables.of_points(rows), leads, judgements.of_intervals(rows, known, how), *theories)


def _untested(answers: list[Answer[Choice]], command: str) -> list[Answer[Choice]]:
    """Why nothing was tested under a ceiling on memory, and what to do."""
    text = f"with --memory each model is counted alone; to test it, with all cases in memory: {command}"
    return [
        answer if answer.choice is None or not answer.choice.untested else answer._replace(choice=replace(answer.choice, untested=text))
        for answer in answers
    ]


def _comparison(path: str, label: str | None, scores: tuple[str, ...], positive: str | None, asked: tuple[Any, ...]) -> str:
    """The whole command that tests the difference."""
    rule, priors, costs, profits, volume = asked
    given = [("--label", label), *(("--score", name) for name in scores), ("--positive", positive), ("--rule", rule)]
    given += [("--prior", str(prior)) for prior in priors] + [("--cost", text) for text in costs] + [("--profit", text) for text in profits]
    words = [word for pair in (*given, ("--volume", volume)) if pair[1] is not None for word in pair]
    return shlex.join(["baserate", "compare", path, *words])
