"""`baserate compare`: is one model really better than another? With `--memory`, on cases that do
not fit into memory.
"""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import tell_differences
from baserate.cli.prior import conditions_of, is_doubtful, pilot, with_prior_from
from baserate.cli.terminal import Progress
from baserate.conditions import Conditions, Uncertain
from baserate.counts.joint import JointCounts
from baserate.curves.areas import auc
from baserate.curves.summaries import summary_named
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, quoted, refuse
from baserate.inference.auc import DELONG, DELONG_T
from baserate.inference.differences import compare, compare_all
from baserate.inference.large_differences import compare_large
from baserate.inference.statistic import statistic_of
from baserate.inference.values import Difference
from baserate.measures.confusion import NOT_SAID
from baserate.measures.measure import in_costs, parse
from baserate.notes import RANDOM
from baserate.output import document
from baserate.read.files import is_saved, joint_from, saved_joint
from baserate.read.frames import check_models

# ----------------------------------------------------------------------
# `baserate compare --memory`: models whose cases do not fit into memory, by what two readings can
# tell.


# What needs more than the AUC of each model, by the parameter that says it.
BESIDE = {
    "prior_from": "--prior-from",
    "priors": "--prior",
    "costs": "--cost",
    "profits": "--profit",
    "volume": "--volume",
    "pilot": "--pilot",
    "rule": "--rule",
    "thresholds": "--threshold",
    "replicates": "--replicates",
}


def within_memory(command: Callable[..., Any]) -> Callable[..., Any]:
    """Under a ceiling on memory, models are compared piece by piece; without one, the command does
    what it does.
    """

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        given: options.Given = named["path"]
        if given.options.ceiling.memory is None:
            return command(*arguments, **named)
        return _compare(given, named)

    return run


def _compare(given: options.Given, named: dict[str, Any]) -> None:
    _check(given, named)
    wanted = options.wanted(
        given, named["label"], named["scores"], positive=named["positive"], design=named["design"]
    )
    check_models(wanted.scores)
    if len(wanted.scores) < 2:
        raise refuse(
            "BR595",
            "a comparison needs two models",
            Fix('scores=["a", "b"]', "--score COLUMN --score COLUMN"),
        )
    level = options.level_of(named["level"])
    with options.with_progress(given.options) as watched:
        found = compare_large(given.path, wanted, watched, level, named["method"], named["against"])
    notes = [
        *document.notes_by_model(found.notes),
        *(note for one in found.differences for note in one.notes),
    ]
    tell_differences(
        found.differences, notes, found.ledger, named["seed"], as_json=named["as_json"]
    )


def _check(given: options.Given, named: dict[str, Any]) -> None:
    """Nothing is accepted that two readings cannot answer."""
    if len(given.paths) == 1 and is_saved(given.path):
        options.check_saved(
            given,
            {
                "--label": named["label"],
                "--positive": named["positive"],
                "--design": named["design"] != RANDOM,
            },
        )
    if len(given.paths) > 1:
        raise refuse(
            "BR943",
            "several files are joined with every case at once, not piece by piece",
            "give one FILE, or leave --memory out",
        )
    said = {"--id": given.id, "--join": given.join, "--by-position": given.by_position}
    said |= {option: named[name] for name, option in BESIDE.items()}
    statistic, method = named["statistic"], named["method"]
    said[f"--statistic {statistic}"] = statistic is not None and summary_named(statistic) is not auc
    said[f"--method {method}"] = method not in (None, DELONG, DELONG_T)
    option = next((option for option, value in said.items() if value), None)
    if option is not None:
        text = f"{option} needs every case at once, and --memory compares AUC piece by piece"
        raise refuse("BR943", text, f"leave out {option}, or --memory")


# ----------------------------------------------------------------------
# `baserate compare`: is one model really better than another?


@click.command(name="compare", cls=Sectioned)
@options.source_several
@options.conditions
@options.prior_from
@pilot
@click.option(
    "--statistic",
    metavar="NAME",
    help=(
        'What to compare: auc, any summary, or any measure ("precision", "expected_cost",'
        ' "caught").'
    ),
)
@click.option(
    "--rule",
    metavar="RULE",
    help="Read the measure where this rule chooses each model's threshold.",
)
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="[MODEL=]SCORE",
    help="Fixed thresholds: one for all, or one a model.",
)
@click.option(
    "--against",
    metavar="MODEL",
    help="Compare every other model with this one; otherwise every pair.",
)
@options.uncertainty
@click.option(
    "--method",
    metavar="METHOD",
    help="delong, delong-t, percentile or mcnemar, instead of what suits the statistic.",
)
@options.as_json
@within_memory
@with_prior_from
def compare_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    design: str,
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    pilot: str | None,
    statistic: str | None,
    rule: str | None,
    thresholds: tuple[str, ...],
    against: str | None,
    level: str,
    replicates: int | None,
    seed: int,
    method: str | None,
    as_json: bool,
) -> None:
    """Compare models on the same cases: how much better, between which bounds, and could it be
    chance?

    By default AUC, by DeLong's test; with a base rate or costs the cost of the cheapest threshold,
    with a budget what it catches, by the same test as in baserate choose (--replicates resamples
    instead); with thresholds the share of errors, by McNemar's exact test. Several models are
    compared pair by pair, with Holm's adjustment. Base rate and costs may be ranges (one model must
    then lead all over them), log-uniform, or from a pilot sample. With --memory, AUC is compared
    from two readings of Parquet of any size.

    \b
    Examples:
      baserate compare scores.csv --label fraud --score logit --score forest
      baserate compare old.csv new.csv --label fraud --score m1 --id case
      baserate compare scores.csv --label fraud --score logit --score forest --rule "alerts <= 200" --prior 0.1% --volume 1e6
      baserate compare scores.csv --label fraud --score logit --score forest --prior 1e-4..1e-2 --cost fn=100,fp=1
      baserate compare scores.csv --label fraud --score logit --score forest --threshold logit=0.5 --threshold forest=0.3
      baserate compare "year/*.parquet" --label fraud --score logit --score forest --memory 1GB
    """  # noqa: E501
    at = _conditions(priors, costs, profits, pilot)
    cases, asked_level = options.volume_of(volume), options.level_of(level)
    joint = _joint(path, label, scores, positive, design)
    cuts = options.thresholds_of(thresholds, joint.models)
    name = statistic or _usual(
        rule,
        cuts,
        cases,
        given=bool(costs or profits or priors or pilot),
        given_costs=bool(costs or profits),
    )
    summary = summary_named(name)
    measure: Any = summary if summary is not None else parse(name, cases)
    asked: dict[str, Any] = {
        "rule": rule,
        "volume": cases,
        "level": asked_level,
        "seed": seed,
        "method": method,
    }
    if cuts is not None:
        asked["threshold"] = cuts
    if replicates is not None:
        asked["replicates"] = replicates
    found = _compared(measure, joint, at, against, asked)
    if replicates is not None and all(difference.replicates is None for difference in found):
        raise refuse(
            "BR594",
            f"--replicates says nothing of {found[0].name}, which is compared by {found[0].method}",
            "leave it out",
        )
    said = [
        note for conditions in at if isinstance(conditions, Conditions) for note in conditions.notes
    ]
    own = document.notes_of({name: joint.marginal(name) for name in joint.models}, {})
    notes = [*own, *(note for difference in found for note in difference.notes), *said]
    by_cost = in_costs(name) or (
        summary is None
        and cuts is None
        and not (_within_budget(rule, cases) and not (costs or profits))
    )
    tell_differences(found, notes, joint.ledger, seed, joint, as_json=as_json, by_cost=by_cost)


def _conditions(
    priors: tuple[str, ...], costs: tuple[str, ...], profits: tuple[str, ...], pilot: str | None
) -> Sequence[Conditions | Uncertain]:
    """One set of conditions a base rate; or one for all, where they are not known exactly."""
    if not is_doubtful(priors, costs, profits, pilot):
        return options.conditions_of(priors, costs, profits)
    return [conditions_of(priors, costs, profits, pilot)]


def _joint(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    design: str,
) -> JointCounts:
    """The models on the same cases: of one file or several, or counted before."""
    rule = next((word for word in path.paths if "<=" in word or ">=" in word), None)
    if rule is not None:
        raise refuse(
            "BR414", f"{quoted(rule)} is no file", f"a rule is given as --rule {shlex.quote(rule)}"
        )
    if len(path.paths) == 1 and is_saved(path.path):
        joined = {"--id": path.id, "--join": path.join, "--by-position": path.by_position}
        options.check_saved(
            path, {"--label": label, "--positive": positive, "--design": design != RANDOM, **joined}
        )
        return saved_joint(path.path, scores)
    wanted = options.wanted(path, label, scores, positive=positive, id=path.id, design=design)
    with options.reading(path.path):
        return joint_from(
            path.paths, wanted, path.options, by_position=path.by_position, join=path.join
        )


def _within_budget(rule: str | None, volume: float | None) -> bool:
    return rule is not None and parse_rule(rule, volume).budget is not None


def _usual(
    rule: str | None, cuts: Any, volume: float | None, *, given: bool, given_costs: bool
) -> str:
    """What people mean when they do not name a statistic."""
    if _within_budget(rule, volume) and not given_costs:
        return "caught"
    if given:
        return "expected_cost"
    if cuts is not None:
        return "error"
    if rule is not None:
        raise refuse(
            "BR594",
            "a rule chooses thresholds, and no measure to compare there is given",
            "--statistic precision",
        )
    return "auc"


def _compared(
    measure: Any,
    joint: JointCounts,
    at: Sequence[Conditions | Uncertain],
    against: str | None,
    asked: dict[str, Any],
) -> list[Difference]:
    """Every pair at every base rate; the base rates do not matter to what does not depend on
    them.
    """
    found: list[Difference] = []
    described = {key: value for key, value in asked.items() if key in ("rule", "volume")}
    if "threshold" in asked:
        described["threshold"] = next(iter(asked["threshold"].values()))
    first = at[0].middle() if isinstance(at[0], Uncertain) else at[0]
    matters = statistic_of(measure, at=first, **described)
    with Progress("resampling") as progress:
        for conditions in at if matters.at_matters else at[:1]:
            given = {**asked, "at": conditions, "progress": progress}
            if given.get("threshold", NOT_SAID) is NOT_SAID:
                given.pop("threshold", None)
            if len(joint.models) == 2 and against is None:
                found.append(compare(measure, joint, **given))
            else:
                found += compare_all(measure, joint, against=against, **given)
    return found if matters.at_matters else [replace(difference, at=None) for difference in found]
