"""`baserate prior`: the base rate of the field from unlabelled scores; `--prior-from`; base rates
and costs given as ranges.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import click

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.terminal import Progress, tell
from baserate.conditions import OUTCOMES, Conditions, Costs, Uncertain
from baserate.counts.counts import Counts
from baserate.counts.joint import JointCounts
from baserate.counts.unlabelled import Unlabelled
from baserate.decisions.operating_point import COUNTED, OperatingPoint, measures_shown
from baserate.distributions import LogUniform, Pilot, Range
from baserate.errors import Infeasible, InputError, escaped, grouped, quoted, refuse, refuse_file
from baserate.inference.estimated_prior import FieldTable, table_of_models
from baserate.inference.estimated_prior import in_field as field_interval
from baserate.inference.intervals import Completed, IntervalOptions, auc_intervals
from baserate.inference.values import BOTH, Interval, percent, stated
from baserate.measures import measure
from baserate.measures.measure import Measure
from baserate.notation import number
from baserate.notes import CASE_CONTROL, Note
from baserate.output import document, priors, tables
from baserate.read.files import (
    is_saved,
    joint_of,
    models_of,
    saved_joint,
    saved_models,
    unlabelled_of,
)
from baserate.read.source import shown_source
from baserate.shift.estimate import ADJUSTED, EM, REPLICATES, PriorEstimate, estimate_prior, told

# ----------------------------------------------------------------------
# `baserate prior`: the base rate of the field from scores without labels; and `--prior-from`, which
# uses it at once.


@click.command(name="prior", cls=Sectioned)
@options.source
@click.option(
    "--from",
    "labelled",
    required=True,
    metavar="FILE",
    help="Labelled cases that the same model scored, or their saved counts.",
)
@click.option(
    "--threshold",
    metavar="SCORE",
    help="Count the cases flagged here, instead of where the classes differ most.",
)
@options.calibrated_at
@options.uncertainty
@options.as_json
def prior_command(path: options.Given, labelled: str, as_json: bool, **given: Any) -> None:
    """Estimate the base rate of the field from scores that nobody labelled, with labelled cases of
    the same model.

    Assumes label shift only: the share of positives changed, and the scores within each class did
    not. That is checked as far as unlabelled scores can show it. The share that is flagged is
    adjusted for false alarms and misses; with --calibrated-at, the most likely share (EM) comes
    first. What is said of how to read a file is said of both.

    \b
    Examples:
      baserate prior unlabelled.csv --from scores.csv --label fraud --score logit
      baserate prior today.parquet --from scores.csv --label fraud --score logit --calibrated-at sample
      baserate prior today.csv --from day1.counts --score logit --threshold 0.5 --json
    """  # noqa: E501
    how = {
        "level": options.level_of(given["level"]),
        "replicates": given["replicates"] or REPLICATES,
        "seed": given["seed"],
    }
    cut = None if given["threshold"] is None else options.threshold_of(given["threshold"])
    if given["threshold"] is not None and cut is None:
        raise refuse("BR529", "where nothing is flagged, nothing is told", "--threshold 0.5")
    models = _labelled(path._replace(paths=(labelled,)), given)
    found, read = {}, list[Unlabelled]()
    progress = Progress("resampling")
    for name, counts in models.items():
        read.append(unlabelled_of(path.path, name, path.options))
        found[name] = _every(
            counts, read[-1], cut, given["calibrated_at"], {**how, "progress": progress}
        )
    progress.close()
    _tell(models, found, read, given["seed"], as_json=as_json)


def _labelled(source: options.Given, said: dict[str, Any]) -> dict[str, Counts]:
    """The labelled counts by the names of the scores; saved counts of one score have none, and get
    the one that is asked for.
    """
    scores, weight = said["scores"], said.get("weight")
    if not scores:
        raise refuse_file(
            shown_source(source.path),
            "BR003",
            "--score is missing: which column holds a model's scores?",
            "--score COLUMN",
        )
    if is_saved(source.path) and len(scores) == 1:
        every = options.counted(source, said["label"], (), said["positive"], weight, said["design"])
        return (
            {scores[0]: next(iter(every.values()))}
            if len(every) == 1
            else saved_models(source.path, scores)
        )
    return options.counted(source, said["label"], scores, said["positive"], weight, said["design"])


def _every(
    counts: Counts, unlabelled: Unlabelled, cut: Any, calibrated_at: str | None, how: dict[str, Any]
) -> list[PriorEstimate]:
    """The adjusted count, and before it the most likely share where scores are probabilities."""
    likely = (
        []
        if calibrated_at is None
        else [estimate_prior(counts, unlabelled, method=EM, calibrated_at=calibrated_at, **how)]
    )
    return [*likely, estimate_prior(counts, unlabelled, method=ADJUSTED, threshold=cut, **how)]


def _tell(
    models: dict[str, Counts],
    found: dict[str, list[PriorEstimate]],
    read: list[Unlabelled],
    seed: int,
    *,
    as_json: bool,
) -> None:
    several = len(models) > 1
    said = [
        Note(note.code, f"{quoted(name)}: {note.text}", note.override) if several else note
        for name, ones in found.items()
        for one in ones
        for note in one.notes
    ]
    notes = document.merged([*document.notes_of(models, {}), *read[0].notes, *said])
    first = next(iter(models.values()))
    if as_json:
        sources = dict.fromkeys((*first.ledger.sources, *read[0].ledger.sources))
        parts = document.of_models(
            "prior",
            models,
            {},
            options.conditions_of((), (), ()),
            notes,
            aucs=auc_intervals(models),
            seed=seed,
        )
        whole = document.answer(
            "prior",
            notes,
            tuple(sources),
            seed,
            models=parts["models"],
            estimates=priors.of_estimates(found),
        )
        click.echo(document.text(whole))
    else:
        chosen = first.ledger.design == CASE_CONTROL
        tell(
            priors.in_words(found, first.prior, chosen=chosen),
            *(tables.source(used) for used in first.ledger.sources),
        )
    say(notes)


# What a command does about the error of an estimated base rate.
TOGETHER, OVER, ALONE = "together", "over", "alone"
DONE = {
    "decide_command": OVER,
    "expect_command": OVER,
    "curve": ALONE,
    "leaders": ALONE,
    "triage_command": ALONE,
}


def whole_interval(estimate: PriorEstimate) -> tuple[float, float]:
    """The interval of an estimate as base rates to plan for: no positives are not ruled out, and
    half a case then stands for the least.
    """
    return max(estimate.low, 0.5 / estimate.cases), estimate.high


def _taken(estimate: PriorEstimate, done: str) -> str:
    low, high = whole_interval(estimate)
    if done == OVER:
        least = (
            ""
            if low == estimate.low
            else f" (half a case in {grouped(estimate.cases)} stands for 0)"
        )
        return f"the answer covers all base rates from {low:.4g} to {high:.4g}{least}"
    if done == ALONE:
        return (
            "the answer is read at the estimate alone and does not include its error: read it at"
            f" {low:.4g} and at {high:.4g}, too"
        )
    return "intervals include its error, and alerts are counted there"


def refuse_counted(priors: tuple[str, ...], asked: Iterable[Measure]) -> None:
    """Refuse alerts that would be computed at an estimated base rate: they are counted among the
    unlabelled cases.
    """
    names = [measure.name for measure in asked if measure.name in COUNTED]
    if names and any(isinstance(text, Learned) for text in priors):
        text = (
            f"with --prior-from, {names[0]} are counted among the unlabelled cases, not computed"
            " from the estimated base rate"
        )
        raise refuse(
            "BR647",
            text.replace("posfrac are", "posfrac is"),
            "baserate show --threshold, or baserate choose, with --prior-from",
        )


class Learned(str):
    """A base rate as it would be written, with the estimate that it comes from and the notes that
    say so.
    """

    __slots__ = ("estimate", "notes", "score")
    estimate: PriorEstimate
    notes: tuple[Note, ...]
    score: str

    @classmethod
    def of(cls, estimate: PriorEstimate, source: str, score: str, done: str) -> Learned:
        learned = cls(repr(estimate.value))
        text = (
            f"the base rate {estimate.value:.4g} ({percent(estimate.level)} {stated(estimate)}) is"
            f" an estimate from {escaped(source)}, score {quoted(score)}: {told(estimate)};"
            f" {_taken(estimate, done)}"
        )
        learned.estimate, learned.score, learned.notes = estimate, score, (Note("BR544", text),)
        return learned


def with_prior_from(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option --prior-from: the base rate of these conditions is estimated before the command is
    run.
    """

    @functools.wraps(command)
    def run(*arguments: Any, prior_from: str | None, **named: Any) -> Any:
        return command(
            *arguments,
            **{**named, "priors": learned(prior_from, named, DONE.get(command.__name__, TOGETHER))},
        )

    return run


def learned(prior_from: str | None, named: dict[str, Any], done: str = TOGETHER) -> tuple[str, ...]:
    """The base rates that are said, or the one that these unlabelled cases speak for."""
    said: tuple[str, ...] = named["priors"]
    if prior_from is None:
        return said
    if said or named.get("pilot") is not None:
        raise refuse(
            "BR503",
            "a base rate is given, and another would be estimated",
            "give --prior or --prior-from",
        )
    return (_learned(prior_from, named, done),)


def _learned(source: str, named: dict[str, Any], done: str) -> Learned:
    """The base rate that the first model's scores speak for; how many cases of the field the others
    flag is counted there too.

    Always by the adjusted count: of no other way is the error known together with that of the
    rates.
    """
    given: options.Given = named["path"]
    (score, counts), *others = _labelled(given._replace(paths=given.paths[:1]), named).items()
    unlabelled = unlabelled_of(source, score, given.options)
    progress = Progress("resampling")
    try:
        found = estimate_prior(counts, unlabelled, seed=named.get("seed") or 0, progress=progress)
    except InputError as error:
        raise type(error)(
            replace(problem, text=f"--prior-from: {problem.text}") for problem in error.problems
        ) from None
    progress.close()
    if not 0 < found.value < 1:
        text = (
            f"--prior-from: the estimate is {found.value:g} ({percent(found.level)}"
            f" {stated(found)}), which is no base rate to plan for"
        )
        most = max(
            found.high, 3 / found.cases
        )  # none seen: up to three in so many are not ruled out
        raise Infeasible(
            refuse(
                "BR537", text, f"--prior {most:.2g}" if found.value == 0 else "--prior 0.99"
            ).problems
        )
    beside = tuple(
        (other, field)
        for name, other in others
        if (field := _scored(source, name, given.options)) is not None
    )
    return Learned.of(replace(found, beside=beside), source, score, done)


def _scored(source: str, score: str, how: Any) -> Unlabelled | None:
    """The field as another model scored it, where it did."""
    try:
        return unlabelled_of(source, score, how)
    except InputError:
        return None


def in_field(found: Completed, given: dict[str, Any], how: IntervalOptions) -> Completed:
    """Intervals at an estimated base rate of models other than the one that it was estimated with:
    on the same labelled cases, in pairs.
    """
    rate = next((text for text in given["priors"] if isinstance(text, Learned)), None)
    if rate is None:
        return found
    options.check_unused(
        {"--replicates": given.get("replicates"), "--cluster": given.get("cluster")},
        "of a base rate that is estimated (--prior-from)",
    )
    score, estimate = rate.score, rate.estimate
    others = [
        name
        for name, points in found.points.items()
        if name != score and any(point.share == 1 for point in points)
    ]
    joint = _paired(given, score, others)
    if joint is None:
        return found
    cut = cast("float", estimate.threshold)
    field = cast("tuple[int, int]", estimate.flagged(estimate.counts, cut))

    def paired(name: str, point: OperatingPoint) -> OperatingPoint:
        if point.share != 1:
            return point
        table = table_of_models(joint, (score, cut), (name, point.threshold), field)
        moved = _joint_intervals(point, replace(table, flagged=None), how)
        return replace(point, intervals={**point.intervals, **moved})

    moved = {name: [paired(name, point) for point in found.points[name]] for name in others}
    return found._replace(points={**found.points, **moved})


def _joint_intervals(
    point: OperatingPoint, table: FieldTable, how: IntervalOptions
) -> dict[str, Interval]:
    """The intervals that depend on the base rate and are not counted."""
    found = dict[str, Interval]()
    for name in measures_shown(point):
        asked = measure.named(name, point.volume)
        if asked.depends_on_prior and not (point.counted is not None and asked.name in COUNTED):
            with contextlib.suppress(InputError):  # undefined there
                found[name] = field_interval(asked, table, point.at, how.level, BOTH, how.seed)
    return found


def _paired(given: dict[str, Any], first: str, others: Sequence[str]) -> JointCounts | None:
    """The labelled cases with the scores of all models; None where they are not needed, or cannot
    be had.
    """
    path: options.Given = given["path"]
    if not others or path.options.ceiling.memory is not None:
        return None
    names = (first, *others)
    try:
        if is_saved(path.path):
            return saved_joint(path.path, names)
        wanted = options.wanted(
            path, given["label"], names, positive=given["positive"], design=given["design"]
        )
        return joint_of(models_of(path.path, wanted, path.options))
    except InputError:
        return None


# ----------------------------------------------------------------------
# Conditions as people write them where they are not known exactly: ranges, log-uniform ranges,
# lists, a pilot sample.


LOG_UNIFORM = re.compile(r"\s*\(?log-?\s?uniform\)?\s*$", flags=re.IGNORECASE)
PILOT = re.compile(r"\s*(\d+)\s*(?:/|of|in|out of)\s*(\d+)\s*")

pilot = click.option(
    "--pilot",
    metavar="POSITIVES/CASES",
    help="The base rate from a pilot sample of the field, instead of --prior: 12/5000.",
)
kind = click.option(
    "--kind",
    metavar="KIND",
    help=(
        "Of a base rate that is a distribution: unknown (one true value, averaged over) or varying"
        " (days, sites: the long run)."
    ),
)


def is_doubtful(
    priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None
) -> bool:
    """Is anything given that is no number: a range, a distribution, a pilot sample?"""
    return pilot is not None or any(
        ".." in text or LOG_UNIFORM.search(text) for text in (*priors, *costs, *profits)
    )


def conditions_of(
    priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None
) -> Uncertain | Conditions:
    """The conditions as they are written: numbers, ranges, a list, a log-uniform range, a pilot
    sample.
    """
    if costs and profits:
        raise refuse("BR513", "costs and profits are given together", "give --cost or --profit")
    if priors and pilot is not None:
        raise refuse(
            "BR503", "a base rate and a pilot sample are given together", "give --prior or --pilot"
        )
    chosen = (
        costs_of(",".join(costs or profits), profits=bool(profits)) if costs or profits else None
    )
    learned = next((text.estimate for text in priors if isinstance(text, Learned)), None)
    if learned is not None:
        return Uncertain(Range(*whole_interval(learned)), chosen)
    prior = (
        _pilot(pilot)
        if pilot is not None
        else _prior([part for text in priors for part in options.shares(text)])
    )
    return Uncertain(prior, chosen, earned=bool(profits))


def _pilot(text: str) -> Pilot:
    found = PILOT.fullmatch(text)
    if not found:
        raise refuse(
            "BR588",
            f"a pilot sample is written as positives/cases, got {quoted(text)}",
            "--pilot 12/5000",
        )
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
        raise refuse(
            "BR503",
            f"{quoted(parts[0])} has no ends to lie between",
            '--prior "1e-5..1e-3 log-uniform"',
        )
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
    parsed = {
        name: value
        for name, value in _checked(",".join(plain), profits=profits).items()
        if name not in spans
    }
    return {**parsed, **spans}


def _checked(text: str, *, profits: bool) -> dict[str, Any]:
    """Plain costs by name, only those that were given."""
    named = [part.partition("=")[0].strip().casefold() for part in text.split(",") if part.strip()]
    costs = Costs.parse(text, profits=profits)
    return {name: getattr(costs, name) for name in OUTCOMES if name in named or profits}


def _range(name: str, low: str, high: str, *, profits: bool) -> Range:
    ends = number(low), number(high)
    if ends[0] is None or ends[1] is None:
        text = (
            f"the cost of {quoted(name, quotes=False)} is {quoted(f'{low}..{high}')}, which is no"
            " range of numbers"
        )
        raise refuse("BR514", text, "--cost fn=100..1000,fp=1")
    first, last = (
        float(end) if end.denominator != 1 else end.numerator for end in ends if end is not None
    )
    if first > last:
        raise refuse(
            "BR504",
            f"the range of the cost of {quoted(name, quotes=False)} is reversed:"
            f" {first:g}..{last:g}",
            f"{last:g}..{first:g}",
        )
    return Range(-last, -first) if profits else Range(first, last)
