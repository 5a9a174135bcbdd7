"""`baserate show`: what was counted, and any operating points asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import clusters_of, say
from baserate.cli.prior import in_field, with_prior_from
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.curves.summaries import Summary
from baserate.decisions.operating_point import OperatingPoint
from baserate.decisions.selection import flag_at
from baserate.errors import InputError, Problem, quoted, refuse
from baserate.inference.best_model import choices
from baserate.inference.intervals import IntervalOptions, auc_intervals, completed
from baserate.inference.values import Interval
from baserate.measures.measure import parse
from baserate.notes import Note
from baserate.output import comparisons, document, tables
from baserate.output.document import Settings, Valued
from baserate.output.tables import Row


@click.command(cls=Sectioned)
@options.source_of_any_size
@options.conditions
@options.prior_from
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help='Show the best threshold that satisfies a rule: "recall >= 0.8". May be repeated.',
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="SCORE",
    help="Show this threshold (score >= SCORE is flagged). May be repeated.",
)
@click.option(
    "--summary",
    "summaries",
    multiple=True,
    metavar="NAME",
    help=(
        'Show a summary beside AUC: average_precision, h_measure, "partial_auc(fpr=0..0.1)". May be'
        " repeated."
    ),
)
@options.threshold_probability
@options.cluster
@options.intervals
@options.as_json
@with_prior_from
def show(
    path: options.Given,
    label: str | None,
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
    threshold_probability: str | None,
    cluster: str | None,
    level: str,
    replicates: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Count labels and scores: positives, base rate, AUC, and operating points at any base rate and
    cost.

    \b
    Examples:
      baserate show scores.csv --label fraud --score logit --score forest
      baserate show scores.csv --label fraud --score logit --prior 0.1%,1e-4 --cost fn=100,fp=1
      baserate show scores.csv --label fraud --score logit --rule "recall >= 0.8" --prior "1 in 1000"
      baserate show scores.csv --label fraud --score logit --threshold 0.5 --cluster card
      baserate show scores.csv --label sick --score p --threshold 0.1 --prior 5% --threshold-probability 10%
      baserate show scores.csv --label fraud --score logit --summary auprc --summary "weighted_auc(alpha=0.1)" --prior 0.1%
    """  # noqa: E501
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    surety = IntervalOptions(options.level_of(level), replicates, seed)
    chosen = bool(
        rules or (not (thresholds or summaries) and (priors or costs or profits or volume))
    )
    if replicates is not None and not chosen:
        raise refuse(
            "BR594",
            "--replicates is for chosen thresholds, and none is chosen here",
            "leave it out, or give --rule",
        )
    cuts, wanted = (
        [options.threshold_of(text) for text in thresholds],
        [Summary.parse(text) for text in summaries],
    )
    columns = {"positive": positive, "weight": weight, "cluster": cluster, "design": design}
    clusters = (
        None
        if cluster is None
        else clusters_of(path, options.wanted(path, label, scores, **columns))
    )
    models = (
        options.counted(path, label, scores, positive, weight, design, cuts)
        if clusters is None
        else clusters.models
    )
    blocks = [_at_thresholds(models, cuts, at, cases)] if cuts else []
    refusals: list[Note] = []
    asked: list[str | None] = (
        [*rules]
        if rules or cuts or wanted or not (priors or costs or profits or volume)
        else [None]
    )
    for rule in asked:
        answers, refused = choices(models, rule, at, volume=cases)
        refusals += refused
        blocks.append(
            [
                Row(name, one.at, one.choice.points.get(name) if one.choice else None)
                for one in answers
                for name in models
            ]
        )
    blocks = _with_net_benefit(blocks, threshold_probability)
    values = _summarized(models, wanted, at)
    units = models if clusters is None else clusters.groups
    with Progress(f"resampling{'' if clusters is None else ' clusters'}") as progress:
        aucs = auc_intervals(units, surety, progress)
        found = completed(units, _settings(models, blocks), surety, progress)
    read = {"path": path, "label": label, "positive": positive, "design": design}
    found = in_field(
        found, {**read, "priors": priors, "replicates": replicates, "cluster": cluster}, surety
    )
    left = {name: iter(points) for name, points in found.points.items()}
    blocks = [
        [row._replace(point=row.point and next(left[row.model])) for row in block]
        for block in blocks
    ]
    refusals += [*(clusters.notes if clusters is not None else ()), *found.notes]
    how = [
        comparisons.thresholds_taken(
            chosen=any(row.point is not None and row.point.optimized for row in block),
            corrected=found.corrected,
            resamples=surety.resamples,
        )
        + ("" if clusters is None else ", with clusters as the units")
        for block in blocks
    ]
    _present(models, blocks, at, (refusals, values, aucs, how), seed, as_json=as_json)


def _settings(models: dict[str, Counts], blocks: list[list[Row]]) -> Settings:
    """The points of each model, in the order in which they are shown."""
    found: dict[str, list[OperatingPoint]] = {name: [] for name in models}
    for row in (row for block in blocks for row in block):
        if row.point is not None:
            found[row.model].append(row.point)
    return found


def _with_net_benefit(blocks: list[list[Row]], text: str | None) -> list[list[Row]]:
    """The net benefit of every point, at the threshold probability that is given."""
    if text is None:
        return blocks
    if not any(blocks):
        raise refuse(
            "BR655",
            "net benefit is read at an operating point, and none is shown",
            "--threshold 0.5, or --rule",
        )
    asked = str(options.at_probability(parse("net_benefit"), text))
    return [
        [row._replace(point=row.point and replace(row.point, shown=(asked,))) for row in block]
        for block in blocks
    ]


def _at_thresholds(
    models: dict[str, Counts],
    cuts: list[float | int | None],
    at: list[Conditions],
    cases: float | None,
) -> list[Row]:
    return [
        Row(name, conditions, flag_at(counts, cut, at=conditions, volume=cases))
        for conditions in at
        for cut in cuts
        for name, counts in models.items()
    ]


def _summarized(
    models: dict[str, Counts], wanted: list[Summary], at: list[Conditions]
) -> list[Valued]:
    """Every summary of every model; of several models, what is wrong says which."""
    found: list[Valued] = []
    problems: dict[Problem, None] = {}
    for conditions in at:
        for summary in wanted:
            for name, counts in models.items():
                try:
                    found.append(
                        Valued(
                            name,
                            conditions,
                            summary,
                            summary(counts, conditions),
                            summary.chance(counts),
                        )
                    )
                except InputError as error:
                    of = f"{quoted(name)}: " if len(models) > 1 else ""
                    problems |= {
                        replace(problem, text=of + problem.text): None for problem in error.problems
                    }
    if problems:
        raise InputError(problems)
    return found


def _present(
    models: dict[str, Counts],
    blocks: list[list[Row]],
    at: list[Conditions],
    beside: tuple[list[Note], list[Valued], dict[str, Interval], list[str]],
    seed: int,
    *,
    as_json: bool,
) -> None:
    """The answer on stdout, as JSON or for a person; then the notes, on stderr."""
    settings = _settings(models, blocks)
    refusals, values, aucs, how = beside
    more = [note for value in values for note in getattr(value.value, "notes", ())]
    said = [note for conditions in at for note in conditions.notes]
    notes = document.merged([*refusals, *document.notes_of(models, settings), *more, *said])
    if as_json:
        content: dict[str, Any] = {"values": values, "aucs": aucs, "seed": seed}
        click.echo(
            document.text(document.of_models("show", models, settings, at, notes, **content))
        )
    else:
        parts = [tables.source(used) for used in next(iter(models.values())).ledger.sources]
        parts += [
            tables.of_models(models, aucs),
            *([tables.of_summaries(values)] if values else []),
        ]
        for block, taken in zip(blocks, how, strict=True):
            there = [row.point for row in block if row.point is not None]
            intervals = comparisons.of_intervals(block, taken)
            parts += [tables.headed(there), tables.of_points(block), intervals]
        tell(
            *parts,
            (
                ""
                if blocks
                else tables.conditions(models, at, [str(value.summary) for value in values])
            ),
        )
    say(notes)
