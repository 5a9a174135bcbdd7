"""`baserate show`: what was counted, and any operating points asked for."""

from __future__ import annotations

from collections.abc import Mapping

import click

from baserate import document, tables
from baserate.cli import options
from baserate.cli.answers import Points, choices, said
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import flag_at


@click.command()
@options.source
@options.conditions
@click.option(
    "--rule", "rules", multiple=True, metavar="RULE", help='Show the cheapest point that keeps a rule: "recall >= 0.8". May be repeated.'
)
@click.option(
    "--threshold", "thresholds", multiple=True, metavar="SCORE", help="Show this threshold (score >= SCORE is flagged). May be repeated."
)
@options.as_json
def show(
    path: str,
    label: str,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    rules: tuple[str, ...],
    thresholds: tuple[str, ...],
    as_json: bool,
) -> None:
    """Count labels and scores: positives, base rate, AUC, and operating points at any base rate and cost.

    \b
    Examples:
      baserate show scores.csv --label fraud --score logit --score forest
      baserate show scores.csv --label fraud --score logit --prior 0.1%,1e-4 --cost fn=100,fp=1
      baserate show scores.csv --label fraud --score logit --rule "recall >= 0.8" --prior "1 in 1000"
    """
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    cuts = [options.threshold_of(text) for text in thresholds]
    models = options.counted(path, label, scores, positive, weight, design)
    points: Points = {name: [] for name in models}
    asked = [*rules] if rules or cuts or not (priors or costs or profits or volume) else [None]
    for conditions in at:
        for cut in cuts:
            for name, counts in models.items():
                points[name].append(flag_at(counts, cut, at=conditions, volume=cases))
        for rule in asked:
            for name, point in choices(models, rule, conditions, volume=cases).items():
                points[name].append(point)
    present("show", models, points, at, as_json=as_json)


def present(command: str, models: Mapping[str, Counts], points: Points, at: list[Conditions], *, as_json: bool) -> None:
    """The answer on stdout, as JSON or for a person; notes on stderr either way."""
    notes = document.notes_of(models, points)
    said(notes)
    if as_json:
        click.echo(document.text(document.of_models(command, models, points, at, notes)))
        return
    for used in next(iter(models.values())).ledger.sources:
        click.echo(f"{tables.source(used)}\n")
    click.echo(tables.of_models(models))
    if any(points.values()):
        for block in tables.of_points(points):
            click.echo(f"\n{block}")
    else:
        click.echo(f"\n{tables.conditions(models)}")
