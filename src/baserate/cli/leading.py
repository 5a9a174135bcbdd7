"""`baserate leaders`: who finds most within a share of false alarms, at each base rate."""

from __future__ import annotations

import contextlib

import click

from baserate import document, forecasts, tables
from baserate.cli import options
from baserate.cli.answers import say
from baserate.cli.estimating import with_prior_from
from baserate.cli.sections import Sectioned
from baserate.cli.terminal import tell
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.models import Choice
from baserate.decisions.remarks import SAME_CASES
from baserate.errors import Infeasible, number_of, quoted
from baserate.joint import JointCounts
from baserate.notes import Note
from baserate.prospects.leading import Leaders, leaders_within
from baserate.uncertainty.best import choose_model

# A recall that rests on fewer positives than this is named.
FEW = 10


@click.command(name="leaders", cls=Sectioned)
@options.source
@click.option("--fdr", required=True, metavar="SHARE", help="The share of false alarms among the alerts that is allowed (B_FA): 50%.")
@click.option("--attained", is_flag=True, help="Thresholds only, no mixtures of two.")
@click.option(
    "--prior", "priors", multiple=True, metavar="SHARE", help="Base rates at which to say how much each finds; several comma-separated."
)
@options.prior_from
@options.as_json
@with_prior_from
def leaders(
    path: options.Given,
    label: str | None,
    scores: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    design: str,
    fdr: str,
    attained: bool,
    priors: tuple[str, ...],
    as_json: bool,
) -> None:
    """Say which model finds most, of the settings with at most so many false alarms among the alerts, at each base rate.

    Which of two models is better at a fixed recall does not depend on the base rate; who is better within a share of false alarms does
    (the comparison of B-ROC curves at the base rate of interest, Cárdenas & Baras 2006). The stretches of base rate are exact.

    \b
    Examples:
      baserate leaders scores.csv --label attack --score ids1 --score ids2 --fdr 50%
      baserate leaders scores.csv --label attack --score ids1 --score ids2 --fdr 90% --prior 1e-5,1e-4,1e-3
    """
    given = options.conditions_of(priors, (), ())
    at = [conditions.prior for conditions in given if conditions.prior is not None]
    together = options.counted_together(path, label, scores, positive, weight, design)
    models = options.each_model(together)
    found = leaders_within(models, fdr=fdr, attained=attained)
    tested = _tested(found, together, at)
    notes = document.merged(
        [*document.notes_of(models, {}), *(note for conditions in given for note in conditions.notes), *_cautions(found, models, at)]
    )
    if as_json:
        click.echo(document.text(document.of_models("leaders", models, {}, [], notes, leaders=forecasts.of_leaders(found, at, tested))))
    else:
        sources = dict.fromkeys(source for counts in models.values() for source in counts.ledger.sources)
        tell(forecasts.led(found, at, tested), *(tables.source(used) for used in sources))
    say(notes)


def _tested(found: Leaders, models: JointCounts | dict[str, Counts], priors: list[float]) -> dict[float, Choice]:
    """At each base rate, whether the model that finds most is better than the others; none where no setting keeps the share."""
    if len(options.each_model(models)) < 2:
        return {}
    tested, rule = {}, f"precision >= {1 - found.fdr!r}"
    for prior in priors:
        with contextlib.suppress(Infeasible):
            tested[prior] = choose_model(models, rule, at=Conditions(prior), optimize="tpr", mix=not found.attained)
    return tested


def _cautions(found: Leaders, models: dict[str, Counts], priors: list[float]) -> list[Note]:
    """What is assumed, and how few positives a recall may rest on."""
    few = []
    for prior in priors:
        for name, tpr in found.at(prior).items():
            positives = tpr * float(models[name].total_positives)
            if 0 < positives < FEW:
                rests = number_of(max(1, round(positives)), "positive")
                few.append(Note("BR505", f"at prior {prior:g} the recall of {quoted(name)} rests on {rests} of this sample"))
    shift = "at other base rates than the sample's this assumes label shift only (the scores of each class keep their distribution)"
    return [Note("BR526", shift), *few, Note("BR528", SAME_CASES)]
