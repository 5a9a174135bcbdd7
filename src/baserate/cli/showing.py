"""`baserate show`: what was counted, and any operating points asked for."""

from __future__ import annotations

import click

from baserate import document, judgements, tables
from baserate.cli import options
from baserate.cli.answers import Surety, choices, say
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import flag_at
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known, Valued
from baserate.errors import refuse
from baserate.notes import Note
from baserate.summaries.values import Summary
from baserate.tables import Row


@click.command()
@options.source
@options.conditions
@click.option(
    "--rule", "rules", multiple=True, metavar="RULE", help='Show the cheapest point that keeps a rule: "recall >= 0.8". May be repeated.'
)
@click.option(
    "--threshold", "thresholds", multiple=True, metavar="SCORE", help="Show this threshold (score >= SCORE is flagged). May be repeated."
)
@click.option(
    "--summary",
    "summaries",
    multiple=True,
    metavar="NAME",
    help='Show a summary beside AUC: average_precision, h_measure, "partial_auc(fpr=0..0.1)". May be repeated.',
)
@options.intervals
@options.as_json
def show(
    path: options.Given,
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
    summaries: tuple[str, ...],
    level: str,
    replicates: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Count labels and scores: positives, base rate, AUC, and operating points at any base rate and cost.

    \b
    Examples:
      baserate show scores.csv --label fraud --score logit --score forest
      baserate show scores.csv --label fraud --score logit --prior 0.1%,1e-4 --cost fn=100,fp=1
      baserate show scores.csv --label fraud --score logit --rule "recall >= 0.8" --prior "1 in 1000"
      baserate show scores.csv --label fraud --score logit --summary auprc --summary "weighted_auc(alpha=0.1)" --prior 0.1%
    """
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    surety = Surety(options.level_of(level), replicates, seed)
    chosen = bool(rules or (not (thresholds or summaries) and (priors or costs or profits or volume)))
    if replicates is not None and not chosen:
        raise refuse("BR594", "--replicates chooses thresholds again, and none is chosen here", "leave it out, or give --rule")
    cuts, wanted = [options.threshold_of(text) for text in thresholds], [Summary.parse(text) for text in summaries]
    models = options.counted(path, label, scores, positive, weight, design)
    blocks = [_at_thresholds(models, cuts, at, cases)] if cuts else []
    refusals: list[Note] = []
    asked: list[str | None] = [*rules] if rules or cuts or wanted or not (priors or costs or profits or volume) else [None]
    for rule in asked:
        answers, refused = choices(models, rule, at, volume=cases)
        refusals += refused
        blocks.append([Row(name, one.at, one.choice.points.get(name) if one.choice else None) for one in answers for name in models])
    values = [
        Valued(name, at[i], summary, summary(counts, at[i])) for i in range(len(at)) for summary in wanted for name, counts in models.items()
    ]
    points = [(row.model, row.point) for block in blocks for row in block if row.point is not None]
    known = surety.known(models, points, {"volume": cases})
    _present(models, blocks, at, (refusals, values, known, surety), as_json=as_json)


def _at_thresholds(models: dict[str, Counts], cuts: list[float | int | None], at: list[Conditions], cases: float | None) -> list[Row]:
    return [
        Row(name, conditions, flag_at(counts, cut, at=conditions, volume=cases))
        for conditions in at
        for cut in cuts
        for name, counts in models.items()
    ]


def _present(
    models: dict[str, Counts],
    blocks: list[list[Row]],
    at: list[Conditions],
    beside: tuple[list[Note], list[Valued], Known, Surety],
    *,
    as_json: bool,
) -> None:
    """The answer on stdout, as JSON or for a person; then the notes, on stderr."""
    settings: dict[str, list[OperatingPoint]] = {name: [] for name in models}
    for row in (row for block in blocks for row in block):
        if row.point is not None:
            settings[row.model].append(row.point)
    refusals, values, known, surety = beside
    said = [note for value in values for note in getattr(value.value, "notes", ())]
    notes = document.merged([*refusals, *document.notes_of(models, settings), *said])
    if as_json:
        click.echo(document.text(document.of_models("show", models, settings, at, notes, values=values, known=known, seed=surety.seed)))
    else:
        for used in next(iter(models.values())).ledger.sources:
            click.echo(f"{tables.source(used)}\n")
        click.echo(tables.of_models(models, known))
        if values:
            click.echo(f"\n{tables.of_summaries(values)}")
        for block in blocks:
            there = [row.point for row in block if row.point is not None]
            click.echo(f"\n{tables.headed(there)}\n\n{tables.of_points(block)}")
            intervals = judgements.of_intervals(block, known, surety.words(chosen=bool(there[0].optimized)))
            if intervals:
                click.echo(f"\n{intervals}")
        if not blocks:
            click.echo(f"\n{tables.conditions(models)}")
    say(notes)
