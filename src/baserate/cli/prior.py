"""`baserate prior`: the base rate of the field from unlabelled scores; and `--prior-from`, which
uses it at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from baserate.cli.commands import make_command
from baserate.cli.runner import (
    ALONE,
    OVER,
    Learned,
    Request,
    SourceOptions,
    check_unused,
    threshold_by_model,
    whole_interval,
)
from baserate.cli.terminal import Progress
from baserate.counts.counts import Counts, JointCounts, Unlabelled
from baserate.errors import (
    Infeasible,
    InputError,
    Note,
    escaped,
    grouped,
    quoted,
    refuse,
    refuse_file,
)
from baserate.inference.intervals import point_in_field
from baserate.read.cases import count_jointly
from baserate.read.files import unlabelled_of
from baserate.read.joins import read_models
from baserate.read.saved import saved_joint, saved_models
from baserate.read.source import shown_source
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import bounds_in_words, percent
from baserate.shift.estimate import (
    PriorEstimate,
    describe_estimate,
    estimate_prior,
)
from baserate.verbs import priors


def count_both_samples(
    request: Request, *, labelled: str = ""
) -> tuple[dict[str, Counts], dict[str, Unlabelled]]:
    """Count the labelled cases, and the unlabelled ones as each model scored them."""
    if any(threshold_by_model(text)[1] is None for text in request.given.get("thresholds", ())):
        raise refuse(
            "BR529", "a threshold that flags nothing carries no information", "--threshold 0.5"
        )
    source = request.source
    models = _labelled(source.at(labelled))
    return models, {name: unlabelled_of(source.path, name, source.options) for name in models}


def _labelled(source: SourceOptions) -> dict[str, Counts]:
    """The labelled counts by the names of the scores; saved counts of one score have none, and get
    the one that is given.
    """
    if not source.scores:
        raise refuse_file(
            shown_source(source.path),
            "BR003",
            "--score is missing: which column holds a model's scores?",
            "--score COLUMN",
        )
    if source.is_saved and len(source.scores) == 1:
        every = replace(source, scores=()).counted()
        return (
            {source.scores[0]: next(iter(every.values()))}
            if len(every) == 1
            else saved_models(source.path, source.scores)
        )
    return source.counted()


prior_command: Any = make_command(
    "prior",
    priors.estimate_prior,
    read=count_both_samples,
    name_sources=True,
    help="""Estimate the base rate of the field from unlabelled scores, using labelled cases of the
    same model.

    Assumes label shift only: the share of positives changed, and the scores within each class did
    not. This is checked as far as unlabelled scores allow. The share that is flagged is
    adjusted for false alarms and misses; with --calibrated-at, the most likely share (EM) comes
    first. Options for reading a file apply to both.

    \b
    Examples:
      baserate prior unlabelled.csv --from scores.csv --label fraud --score logit
      baserate prior today.parquet --from scores.csv --label fraud --score logit --calibrated-at sample
      baserate prior today.csv --from day1.counts --score logit --threshold 0.5 --json
    """,  # noqa: E501
)


# ----------------------------------------------------------------------
# `--prior-from`: what a command does about the error of an estimated base rate.


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


def learned(request: Request, done: str) -> Learned:
    """The base rate that the first model's scores speak for; how many cases of the field the others
    flag is counted there too.

    Always by the adjusted count: of no other way is the error known together with that of the
    rates.
    """
    given, source = request.conditions, request.source.at(request.source.path)
    if given.priors or given.pilot is not None:
        raise refuse(
            "BR503",
            "a base rate and a sample to estimate it from are both given",
            "give --prior or --prior-from",
        )
    field = cast("str", given.prior_from)
    (score, counts), *others = _labelled(source).items()
    unlabelled = unlabelled_of(field, score, source.options)
    try:
        with Progress("resampling") as progress:
            seed = request.intervals.seed
            found = estimate_prior(counts, unlabelled, seed=seed, progress=progress)
    except InputError as error:
        raise type(error)(
            replace(problem, text=f"--prior-from: {problem.text}") for problem in error.problems
        ) from None
    _check_usable(found)
    scored = [(other, _scored(field, name, source.options)) for name, other in others]
    beside = tuple((other, there) for other, there in scored if there is not None)
    found = replace(found, beside=beside)
    text = (
        f"the base rate {found.value:.4g} ({percent(found.level)} {bounds_in_words(found)})"
        " is an estimate"
        f" from {escaped(field)}, score {quoted(score)}: {describe_estimate(found)};"
        f" {_taken(found, done)}"
    )
    note = Note("BR544", text)
    return Learned(replace(found, notes=(*found.notes, note)), score, (note,))


def _check_usable(found: PriorEstimate) -> None:
    """Refuse an estimate of 0 or 1."""
    if 0 < found.value < 1:
        return
    text = (
        f"--prior-from: the estimate is {found.value:g} ({percent(found.level)}"
        f" {bounds_in_words(found)}),"
        " which cannot be used as a base rate"
    )
    most = max(found.high, 3 / found.cases)  # none seen: up to three in so many are not ruled out
    fix = f"--prior {most:.2g}" if found.value == 0 else "--prior 0.99"
    raise Infeasible(refuse("BR537", text, fix).problems)


def _scored(source: str, score: str, how: Any) -> Unlabelled | None:
    """The field as another model scored it, where it did."""
    try:
        return unlabelled_of(source, score, how)
    except InputError:
        return None


def in_field(
    points: Sequence[tuple[str, OperatingPoint]], request: Request, *, cluster: bool = False
) -> list[OperatingPoint]:
    """Points of models other than the one that the base rate was estimated with, with intervals
    that include its error: on the same labelled cases, in pairs.
    """
    rate, how = request.conditions.learned, request.intervals
    assert rate is not None
    check_unused(
        {"--replicates": how.replicates, "--cluster": cluster},
        "with a base rate that is estimated (--prior-from)",
    )
    others = [name for name, point in points if name != rate.score and point.share == 1]
    joint = _paired(request.source, rate.score, tuple(dict.fromkeys(others)))
    if joint is None:
        return [point for _, point in points]
    return [
        point if name == rate.score else point_in_field(point, name, rate.score, joint, how)
        for name, point in points
    ]


def _paired(source: SourceOptions, first: str, others: Sequence[str]) -> JointCounts | None:
    """The labelled cases with the scores of all models; None where they are not needed or not
    available.
    """
    if not others or source.is_limited:
        return None
    names = (first, *others)
    try:
        if source.is_saved:
            return saved_joint(source.path, names)
        wanted = replace(source, scores=names, weight=None).wanted()
        return count_jointly(read_models(source.path, wanted, source.options))
    except InputError:
        return None
