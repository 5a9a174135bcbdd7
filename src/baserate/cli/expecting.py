"""`baserate expect`: what a measure comes to, where base rate and costs are not known exactly."""

from __future__ import annotations

from typing import Any

import click

from baserate import document, forecasts, tables
from baserate.cli import options
from baserate.cli.answers import say
from baserate.cli.doubtful import conditions_of, kind, pilot
from baserate.cli.estimating import Learned, refuse_counted, with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import tell
from baserate.conditions import Conditions
from baserate.decisions.borders import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.errors import quoted, refuse
from baserate.measures.confusions import confusion_at
from baserate.measures.values import parse
from baserate.notes import Note
from baserate.points import Points
from baserate.prospects.expectations import Expectation, expect
from baserate.uncertain import Uncertain

# Measures by which a model is compared with flagging nothing and flagging everything.
COMPARED = ("expected_cost", "normalized_cost", "volume_cost", "error", "accuracy", "net_benefit")


@click.command(name="expect", cls=Sectioned)
@options.source
@click.option(
    "--statistic",
    metavar="NAME",
    help="The measure, such as precision (default: expected_cost; with a budget and no costs: caught).",
)
@click.option("--rule", metavar="RULE", help="Read it where this rule chooses the threshold, anew for all conditions.")
@click.option(
    "--threshold", "thresholds", multiple=True, metavar="[MODEL=]SCORE", help="Read it at fixed thresholds: one for all, or one a model."
)
@options.conditions
@options.prior_from
@pilot
@kind
@options.level
@options.as_json
@with_prior_from
def expect_command(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    statistic: str | None,
    rule: str | None,
    thresholds: tuple[str, ...],
    priors: tuple[str, ...],
    costs: tuple[str, ...],
    profits: tuple[str, ...],
    volume: str | None,
    pilot: str | None,
    kind: str | None,
    level: str,
    as_json: bool,
) -> None:
    """Say what to expect of a measure where base rate and costs are known only within ranges, or as distributions.

    On average (or in the long run), between which bounds, at worst and at best. Without a threshold or rule each model's cheapest threshold
    is chosen anew for all conditions. Two models are also compared: their difference, at the same conditions.

    \b
    Examples:
      baserate expect scores.csv --label fraud --score logit --statistic precision --threshold 0.9 --prior 1e-4..1e-2
      baserate expect scores.csv --label fraud --score logit --score forest --prior "1e-5..1e-3 log-uniform" --cost fn=100..1000,fp=1
      baserate expect scores.csv --label sick --score m1 --statistic alerts --rule "recall >= 0.9" --pilot 12/5000 --volume 10000
      baserate expect scores.csv --label fraud --score m1 --statistic precision --threshold 0.9 --prior 0.1%,0.2%,1% --kind varying
    """
    at, cases = conditions_of(priors, costs, profits, pilot), options.volume_of(volume)
    caught = parse_rule(rule, cases).budget is not None and not at.costs_given
    measure = parse(statistic or ("caught" if caught else "expected_cost"), cases)
    refuse_counted(priors, [measure, *(term.measure for term in parse_rule(rule, cases).terms)])
    asked: dict[str, Any] = {"at": _doubtful(at), "rule": rule, "volume": cases, "level": options.level_of(level), "kind": kind}
    models = options.counted(path, label, scores, positive, weight, design)
    cuts = options.thresholds_of(thresholds, tuple(models))
    found = [(name, expect(measure, counts, **asked, **_at_cut(cuts, name))) for name, counts in models.items()]
    if len(models) == 2:
        first, second = models
        if cuts is not None:
            asked["threshold"] = cuts
        found.append((f"{second} - {first}", expect(measure, dict(models), **asked)))
    if rule is None and measure.name in COMPARED:
        points = Points.of(next(iter(models.values())))
        plain = {key: value for key, value in asked.items() if key not in ("rule", "threshold")}
        ends = {NOTHING: 0, EVERYTHING: len(points) - 1}
        found += [(name, expect(measure, confusion_at(points, place), **plain)) for name, place in ends.items()]
    _tell(models, found, [note for text in priors if isinstance(text, Learned) for note in text.notes], as_json=as_json)


def _doubtful(at: Uncertain | Conditions) -> Uncertain:
    parts = (at.prior, *at.costs.values()) if isinstance(at, Uncertain) else ()
    if not isinstance(at, Uncertain) or all(part is None or isinstance(part, int | float) for part in parts):
        raise refuse("BR519", "everything is known exactly, so there is nothing to expect", "baserate show, or a range: --prior 1e-5..1e-3")
    return at


def _at_cut(cuts: dict[str, Any] | None, name: str) -> dict[str, Any]:
    return {} if cuts is None else {"threshold": cuts[name]}


def _tell(models: dict[str, Any], found: list[tuple[str, Expectation]], said: list[Note], *, as_json: bool) -> None:
    of_models = [note for name, one in found if name in models for note in one.notes]
    of_difference = [_of(name, note) for name, one in found if name not in models for note in one.notes if note not in of_models]
    notes = document.merged([*document.notes_of(models, {}), *of_models, *of_difference, *said])
    if as_json:
        parts = [forecasts.of_expectation(model, one) for model, one in found]
        click.echo(document.text(document.of_models("expect", models, {}, [], notes, expectations=parts)))
    else:
        sources = dict.fromkeys(source for counts in models.values() for source in counts.ledger.sources)
        tell(forecasts.expected(found), *(tables.source(used) for used in sources))
    say(notes)


def _of(name: str, note: Note) -> Note:
    return Note(note.code, f"{quoted(name, quotes=False)}: {note.text}", note.override)
