"""`baserate show`: what was counted, and any operating points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.runner import (
    ConditionOptions,
    Request,
    Result,
    SourceOptions,
    check_model,
    check_unused,
    command,
    measures_of,
    threshold_by_model,
)
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.curves.summaries import Summary, summary_named
from baserate.decisions.selection import fix, flag_at
from baserate.errors import InputError, Note, Problem, quoted, refuse
from baserate.inference.best_model import choices
from baserate.inference.clusters import cluster_notes, with_clusters
from baserate.inference.intervals import IntervalOptions, auc_intervals, complete_point
from baserate.inference.sample_size import refuse_masses
from baserate.measures.confusion import parse
from baserate.read.cases import count_cases, count_groups
from baserate.read.files import read_cases
from baserate.results.notes import merge_notes
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import is_corrected
from baserate.views import document, tables


@command("show")
@options.file()
@options.behind_file
@options.of_any_size
@options.conditions
@options.listed("prior_from")
@options.listed(
    "rules",
    help='Show the best threshold that satisfies a rule: "recall >= 0.8". May be repeated.',
)
@options.listed("budget_rule")
@options.listed(
    "thresholds",
    help="Show this threshold (score >= SCORE is flagged), of all models or one. May be repeated.",
)
@click.option(
    "--fix",
    "fixed",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Show the rest where a measure has this value: tpr=80%. May be repeated.",
)
@options.listed(
    "measures",
    aliases=("--summary",),
    help=(
        "Show this measure instead of the usual ones, or this summary beside AUC: specificity,"
        ' lr_positive, average_precision, "partial_auc(fpr=0..0.1)". May be repeated or'
        " comma-separated."
    ),
)
@options.listed("pilot", "kind", "cluster")
@options.intervals_of_chosen
@options.answer
def show(
    request: Request,
    rules: tuple[str, ...],
    thresholds: tuple[str, ...],
    fixed: tuple[str, ...],
    measures: tuple[str, ...],
    cluster: str | None,
) -> Result:
    """Count labels and scores: positives, base rate, AUC, and operating points at any base rate and
    cost.

    Where base rate and costs are ranges (1e-4..1e-2), log-uniform, or from a pilot sample: the
    average of a measure, its bounds, and its worst and best value.

    \b
    Examples:
      baserate show scores.csv --label fraud --score logit --score forest
      baserate show scores.csv --label fraud --score logit --prior 0.1%,1e-4 --cost fn=100,fp=1
      baserate show scores.csv --label fraud --score logit --rule "recall >= 0.8" --prior "1 in 1000"
      baserate show scores.csv --label fraud --score logit --threshold 0.5 --cluster card
      baserate show scores.csv --label sick --score p --threshold 0.1 --prior 5% --measure "net_benefit(t=0.1)"
      baserate show scores.csv --label fraud --score logit --measure auprc --measure "weighted_auc(alpha=0.1)" --prior 0.1%
      baserate show scores.csv --label fraud --score logit --threshold 0.9 --measure precision --prior 1e-4..1e-2
      baserate show scores.csv --label sick --score p --fix specificity=90% --measure recall --measure lr_positive
    """  # noqa: E501
    if request.conditions.is_uncertain or request.conditions.kind is not None:
        others = {
            "--fix": fixed,
            "--cluster": cluster,
            "--replicates": request.intervals.replicates,
        }
        return _over_range(request, rules, thresholds, measures, others)
    request = request.estimated()
    at, cases = request.conditions.exact(), request.conditions.cases
    given = request.conditions.priors or request.conditions.costs_given or cases
    wanted, names = _requested(
        measures,
        request.conditions,
        points=bool(rules or thresholds or fixed or given),
    )
    chosen = bool(rules or (given and not (thresholds or fixed or wanted)))
    if request.intervals.replicates is not None and not chosen:
        raise refuse(
            "BR594",
            "--replicates is for chosen thresholds, and none is chosen here",
            "leave it out, or give --rule",
        )
    cuts = [(text, *threshold_by_model(text)) for text in thresholds]
    clusters = None if cluster is None else clusters_of(request.source, cluster)
    exact = [cut for _, _, cut in cuts]
    models = request.source.counted(exact) if clusters is None else clusters.models
    blocks = [_at_thresholds(models, cuts, at, cases)] if cuts else []
    best, refusals = _chosen(models, rules or ([None] if chosen else []), at, cases)
    blocks += best
    blocks += [_fixed(models, text, at, cases) for text in fixed]
    blocks = _showing(blocks, names)
    values = _summarized(models, wanted, at)
    return _result(request, models, clusters, blocks, values, refusals, names)


def _chosen(
    models: dict[str, Counts],
    rules: Sequence[str | None],
    at: list[Conditions],
    cases: float | None,
) -> tuple[list[list[tables.Row]], list[Note]]:
    """The best thresholds of every model by each rule, and why there are none."""
    blocks, refusals = list[list[tables.Row]](), list[Note]()
    for rule in rules:
        answers, refused = choices(models, rule, at, volume=cases)
        refusals += refused
        blocks.append(tables.rows(answers, models))
    return blocks, refusals


def _over_range(
    request: Request,
    rules: tuple[str, ...],
    thresholds: tuple[str, ...],
    measures: tuple[str, ...],
    others: Mapping[str, Any],
) -> Result:
    """Measures where base rate and costs are not known exactly."""
    from baserate.cli import ranges

    check_unused(others, "over a range of base rates or costs")
    if len(rules) > 1:
        raise refuse("BR594", "one rule is read over a range", "give one --rule")
    models = request.source.counted([threshold_by_model(text)[1] for text in thresholds])
    found = ranges.expected(request, models, measures, rules[0] if rules else None, thresholds)
    ends = request.conditions.ends() if thresholds and not measures else []
    if not ends:
        return found
    block = _at_ends(request, models, thresholds, ends)
    return replace(found, text=lambda: [*block, *found.text()])


def _at_ends(
    request: Request, models: dict[str, Counts], thresholds: Sequence[str], ends: list[Conditions]
) -> list[str]:
    """What the thresholds do at both ends of a range of base rates, and how well that is known."""
    cuts = [(text, *threshold_by_model(text)) for text in thresholds]
    blocks = [_at_thresholds(models, cuts, ends, request.conditions.cases)]
    blocks = _completed(blocks, models, request.intervals)
    return list(_block(blocks[0], (), request.intervals, "", corrected=False))


def _requested(
    texts: Sequence[str], given: ConditionOptions, *, points: bool
) -> tuple[list[Summary], tuple[str, ...]]:
    """The summaries and the measures that are named; a measure is read at an operating point."""
    found = [(text, summary_named(text)) for text in texts]
    summaries = [summary for _, summary in found if summary is not None]
    try:
        plain = [text for text, summary in found if summary is None]
        measures = measures_of(plain, given)
    except InputError:
        if points:
            raise
        return [Summary.parse(text) for text in texts], ()
    if measures and not points:
        raise refuse(
            "BR655",
            f"{measures[0]} is read at an operating point, and none is shown",
            "--threshold 0.5, or --rule",
        )
    return summaries, measures


def _fixed(
    models: Mapping[str, Counts], text: str, at: Sequence[Conditions], cases: float | None
) -> list[tables.Row]:
    """The rest where a measure has a value: on the line between two thresholds and at the nearest
    one, or once where a threshold has exactly that value.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise refuse("BR533", f"--fix takes MEASURE=VALUE, got {quoted(text)}", "--fix tpr=80%")
    target = {parse(name.strip(), cases).name: value.strip()}
    return [
        tables.Row(model, conditions, point)
        for conditions in at
        for model, counts in models.items()
        for point in _readings(*fix(counts, at=conditions, volume=cases, **target))
    ]


def _readings(between: OperatingPoint, nearest: OperatingPoint) -> tuple[OperatingPoint, ...]:
    same = (between.threshold, between.confusion) == (nearest.threshold, nearest.confusion)
    return (nearest,) if same else (between, nearest)


def _showing(blocks: list[list[tables.Row]], more: tuple[str, ...]) -> list[list[tables.Row]]:
    """The points with `more` measures."""

    def showing(point: OperatingPoint) -> OperatingPoint:
        return replace(point, shown=tuple(dict.fromkeys((*point.shown, *more))))

    return [
        [row._replace(point=row.point and showing(row.point)) for row in block] for block in blocks
    ]


def _at_thresholds(
    models: dict[str, Counts],
    cuts: Sequence[tuple[str, str | None, float | int | None]],
    at: list[Conditions],
    cases: float | None,
) -> list[tables.Row]:
    for text, model, _ in cuts:
        if model is not None:
            check_model(text, model, models)
    return [
        tables.Row(name, conditions, flag_at(counts, cut, at=conditions, volume=cases))
        for conditions in at
        for _, model, cut in cuts
        for name, counts in models.items()
        if model in (None, name)
    ]


def _summarized(
    models: dict[str, Counts], wanted: list[Summary], at: list[Conditions]
) -> list[document.Valued]:
    """Every summary of every model; of several models, what is wrong says which."""
    found: list[document.Valued] = []
    problems: dict[Problem, None] = {}
    for conditions in at:
        for summary in wanted:
            for name, counts in models.items():
                try:
                    found.append(
                        document.Valued(
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


def _result(
    request: Request,
    models: dict[str, Counts],
    clusters: Clusters | None,
    blocks: list[list[tables.Row]],
    values: list[document.Valued],
    refusals: list[Note],
    names: tuple[str, ...],
) -> Result:
    """The points with their intervals."""
    at, how = request.conditions.exact(), request.intervals
    units = models if clusters is None else clusters.groups
    with Progress(f"resampling{'' if clusters is None else ' clusters'}") as progress:
        aucs = auc_intervals(units, how, progress)
        blocks = _completed(blocks, units, how, progress)
    blocks = _in_field(request, blocks, cluster=clusters is not None)
    if clusters is not None:
        blocks = [
            [
                row._replace(point=row.point and clusters.noted(row.model, row.point))
                for row in block
            ]
            for block in blocks
        ]
    points = _settings(models, blocks)
    corrected = is_corrected(point for several in points.values() for point in several)
    notes = merge_notes(
        [
            *refusals,
            *(() if clusters is None else clusters.notes),
            *document.notes_of(models, points),
            *(note for value in values for note in getattr(value.value, "notes", ())),
            *(note for conditions in at for note in conditions.notes),
        ]
    )
    units_said = "" if clusters is None else ", with clusters as the units"

    def text() -> Iterator[str]:
        yield from map(tables.source, next(iter(models.values())).ledger.sources)
        yield tables.of_models(models, aucs)
        yield tables.of_summaries(values) if values else ""
        for block in blocks:
            yield from _block(block, names, how, units_said, corrected=corrected)
        if not blocks:
            yield tables.conditions(models, at, [str(value.summary) for value in values])

    parts: dict[str, Any] = {"values": values, "aucs": aucs, "seed": how.seed}
    return Result(
        notes, lambda: document.of_models("show", models, points, at, notes, **parts), text
    )


def _block(
    block: list[tables.Row],
    names: Sequence[str],
    how: IntervalOptions,
    units: str,
    *,
    corrected: bool,
) -> Iterator[str]:
    """Points at the same thresholds or of the same rule, and their intervals."""
    there = [row.point for row in block if row.point is not None]
    first = there[0]
    taken = tables.thresholds_taken(
        chosen=bool(first.optimized or first.rule),
        corrected=corrected and bool(first.optimized),
        resamples=how.resamples,
    )
    yield tables.heading_of_points(there)
    yield tables.of_points(block, names)
    yield tables.of_intervals(block, taken + units, names)


def _completed(
    blocks: list[list[tables.Row]],
    units: Mapping[str, Any],
    how: IntervalOptions,
    progress: Progress | None = None,
) -> list[list[tables.Row]]:
    """The rows with the intervals of their points."""
    return [
        [
            row._replace(
                point=row.point and complete_point(row.point, units[row.model], how, progress)
            )
            for row in block
        ]
        for block in blocks
    ]


def _in_field(
    request: Request, blocks: list[list[tables.Row]], *, cluster: bool
) -> list[list[tables.Row]]:
    """The rows with intervals that include the error of an estimated base rate."""
    every = [(row.model, row.point) for block in blocks for row in block if row.point is not None]
    left = iter(request.in_field(every, cluster=cluster))
    return [[row._replace(point=row.point and next(left)) for row in block] for block in blocks]


def _settings(models: dict[str, Counts], blocks: list[list[tables.Row]]) -> document.Settings:
    """The points of each model, in the order in which they are shown."""
    found: dict[str, list[OperatingPoint]] = {name: [] for name in models}
    for row in (row for block in blocks for row in block):
        if row.point is not None:
            found[row.model].append(row.point)
    return found


# ----------------------------------------------------------------------
# Rows that belong together: counted by cluster, which are the units of every interval.


@dataclass(frozen=True)
class Clusters:
    """The clusters of every model, the counts of all of them together, the same beside the cases
    without a label, and the notes on clusters.
    """

    groups: Mapping[str, GroupedCounts]
    models: dict[str, Counts]
    scored: dict[str, Counts]
    notes: tuple[Note, ...]

    def noted(self, model: str, point: OperatingPoint) -> OperatingPoint:
        """The point with notes that hold of clusters."""
        return with_clusters(point, self.groups[model], self.scored[model])


def clusters_of(source: SourceOptions, column: str) -> Clusters:
    """The cases of a file by the values of a column."""
    wanted = source.wanted(cluster=column)
    refuse_masses(wanted.weight is not None)
    cases = read_cases(source.path, wanted, source.options)
    labelled, rest = cases._replace(unlabelled=None), cases.unlabelled
    groups = {name: count_groups(labelled, name, "cluster") for name in wanted.scores}
    scored = {
        name: each.total().beside(None if rest is None else count_cases(rest, name))
        for name, each in groups.items()
    }
    models = {name: each.total() for name, each in groups.items()}
    return Clusters(groups, models, scored, cluster_notes(next(iter(groups.values()))))
