"""`baserate choose`: which model, at which threshold."""

from __future__ import annotations

import click

from baserate import document, judgements, tables
from baserate.cli import amounts, options
from baserate.cli.answers import Surety, say
from baserate.cli.estimating import in_field, with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import tell
from baserate.decisions.answering import Answer, choices
from baserate.decisions.models import Choice
from baserate.document import Known
from baserate.errors import refuse
from baserate.measures.values import parse
from baserate.tables import Row


@click.command(name="choose", cls=Sectioned)
@options.source_of_any_size
@click.argument("rule", required=False)
@click.option("--rule", "named_rule", metavar="RULE", help="The rule, if it does not stand behind the file.")
@options.conditions
@options.prior_from
@click.option("--optimize", metavar="MEASURE", help="What to make best among the points that keep the rule, instead of the cost.")
@click.option(
    "--threshold-probability",
    metavar="SHARE",
    help="The probability at which one would act: 10%; for --optimize net_benefit, instead of costs.",
)
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
      baserate choose scores.csv --label fraud --score logit --amount eur --review 150
    """
    if rule is not None and named_rule is not None:
        raise refuse("BR533", "two rules are given", 'join them by "and"')
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    surety = Surety(options.level_of(level), replicates, seed)
    if money.amount is not None:
        amounts.check_unused({"--weight": weight, "--optimize": optimize, "--mix": mix, "--calibrated-at": calibrated_at})
        wanted = money.wanted(path, label, scores, positive, design)
        question = amounts.Question(rule if named_rule is None else named_rule, at, cases)
        amounts.choose_by_amounts(path, wanted, money, question, surety, as_json=as_json)
        return
    measure = None if optimize is None else options.at_probability(parse(optimize, cases), threshold_probability)
    options.check_unused({"--threshold-probability": threshold_probability if measure is None else None}, "without --optimize net_benefit")
    models = options.counted(path, label, scores, positive, weight, design)
    asked = {"volume": cases, "optimize": measure, "mix": mix, "calibrated_at": calibrated_at}
    answers, refusals = choices(models, rule if named_rule is None else named_rule, at, **asked)
    made = [answer.choice for answer in answers if answer.choice is not None]
    settings = {name: [choice.points[name] for choice in made if name in choice.points] for name in models}
    notes = [*refusals, *document.notes_of(models, settings)]
    points = [(name, point) for name, several in settings.items() for point in several]
    known = surety.known(models, points, {key: value for key, value in asked.items() if key != "calibrated_at"})
    read = {"path": path, "label": label, "positive": positive, "design": design}
    known = in_field(known, {**read, "priors": priors, "replicates": replicates}, points)
    if as_json:
        verdict = [document.of_choice(choice) for choice in made]
        click.echo(document.text(document.of_models("choose", models, settings, at, notes, known=known, seed=seed, verdict=verdict)))
    else:
        _tell(answers, list(models), known, surety.words(chosen=True))
    say(notes)


def _tell(answers: list[Answer[Choice]], models: list[str], known: Known, how: str) -> None:
    """A sentence for each base rate, then a table, and one of intervals."""
    sentences = [
        tables.verdict(answer.choice, alone=len(models) == 1) if answer.choice else f"At {answer.at}: no model can keep the rule."
        for answer in answers
    ]
    rows = [Row(name, answer.at, answer.choice.points.get(name) if answer.choice else None) for answer in answers for name in models]
    theories = [line for answer in answers if answer.choice for line in tables.theories(answer.choice)]
    ahead = any(answer.choice and len(answer.choice.models) < len(answer.choice.points) for answer in answers)
    hint = "Whether such a lead is more than chance, baserate compare says, with the same options." if ahead else ""
    tell("\n".join(sentences), tables.of_points(rows), judgements.of_intervals(rows, known, how), *theories, hint)
