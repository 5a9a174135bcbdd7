"""`baserate choose`: which model, at which threshold."""

from __future__ import annotations

import click

from baserate import document, tables
from baserate.cli import options
from baserate.cli.answers import Points, choices, said
from baserate.measures.values import parse


@click.command(name="choose")
@options.source
@click.argument("rule", required=False)
@options.conditions
@click.option("--optimize", metavar="MEASURE", help="What to make best among the points that keep the rule, instead of the cost.")
@click.option("--mix", is_flag=True, help="Also try mixtures of two thresholds on the ROC hull.")
@click.option(
    "--calibrated-at", metavar="SHARE", help='The base rate at which the scores are calibrated probabilities ("sample" for this file).'
)
@options.as_json
def choose_command(
    path: str,
    label: str,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    rule: str | None,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    optimize: str | None,
    mix: bool,
    calibrated_at: str | None,
    as_json: bool,
) -> None:
    """Choose the cheapest threshold, or the best one that keeps a RULE.

    A rule joins terms by "and": any measure, >= or <=, a number or a percentage; "alerts <= 200" is a budget and needs --volume.

    \b
    Examples:
      baserate choose scores.csv --label fraud --score logit --prior "1 in 1000" --cost fn=100,fp=1
      baserate choose scores.csv "recall >= 0.8 and posfrac <= 1%" --label fraud --score logit
      baserate choose scores.csv "alerts <= 200" --label fraud --score logit --score forest --prior 0.1% --volume 1000000
    """
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    measure = None if optimize is None else parse(optimize, cases)
    models = options.counted(path, label, scores, positive, weight, design)
    points: Points = {name: [] for name in models}
    for conditions in at:
        for name, point in choices(models, rule, conditions, volume=cases, optimize=measure, mix=mix, calibrated_at=calibrated_at).items():
            points[name].append(point)
    notes = document.notes_of(models, points)
    said(notes)
    if as_json:
        click.echo(document.text(document.of_models("choose", models, points, at, notes)))
        return
    for block in tables.of_choices(points):
        click.echo(block)
