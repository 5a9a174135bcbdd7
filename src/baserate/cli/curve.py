"""`baserate curve NAME`: the points of a curve as a table, JSON or CSV, and the curve drawn."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import options
from baserate.cli.help import Sectioned
from baserate.cli.options import say
from baserate.cli.prior import conditions_of, is_doubtful, kind, pilot, with_prior_from
from baserate.cli.terminal import drawing, tell
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.curves.curve import Curve, trace
from baserate.curves.named import CURVES
from baserate.errors import quoted, refuse
from baserate.inference.intervals import auc_intervals
from baserate.measures.measure import parse
from baserate.output import choices, document, tables
from baserate.robustness.expectation import expect_curve

if TYPE_CHECKING:
    from baserate.plots.panels import Panel

MOST_LINES = 25


@click.command(name="curve", cls=Sectioned)
@click.argument("name", metavar="NAME")
@options.source_of_any_size
@options.conditions
@pilot
@kind
@options.prior_from
@options.calibrated_at
@click.option(
    "--every", is_flag=True, help="Every threshold, also in the middle of a straight run."
)
@click.option(
    "--dense", type=int, metavar="PIXELS", help="Points between the thresholds, for drawing."
)
@click.option("--svg", metavar="FILE", help="Draw the curves into this file, besides the answer.")
@click.option("--csv", "as_csv", is_flag=True, help="Print all points as CSV.")
@options.as_json
@with_prior_from
def curve(
    name: str,
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
    pilot: str | None,
    kind: str | None,
    calibrated_at: str | None,
    every: bool,
    dense: int | None,
    svg: Callable[[str], None] | None,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Print the points of a curve: {names}.

    Or any two measures along the thresholds: "precision:recall" is precision against recall (y:x).
    Over a range of base rates, or a distribution, {moving} show where the curve lies: on average,
    mostly, at worst and at best. A decision curve at another base rate moves the probabilities to
    it, from the one at which they are calibrated (the sample's unless --calibrated-at is given).

    \b
    Examples:
      baserate curve broc scores.csv --label fraud --score logit --prior 1e-4
      baserate curve posfrac scores.csv --label fraud --score logit --score forest --prior 50%,10%,0.1% --csv
      baserate curve roc scores.csv --label fraud --score logit --score forest --svg roc.svg
      baserate curve pr scores.csv --label fraud --score logit --prior 1e-4..1e-2
      baserate curve precision:posfrac scores.csv --label fraud --score logit --prior 0.1% --json
      baserate curve decision scores.csv --label sick --score p1 --score p2 --prior 10% --calibrated-at sample
    """  # noqa: E501
    options.check_unused(
        {"--calibrated-at": calibrated_at if name != "decision" else None},
        f"of the curve {quoted(name)}: decision takes it",
    )
    if as_csv and as_json:
        raise refuse("BR001", "--csv and --json are given together", "choose one of them")
    if is_doubtful(priors, costs, profits, pilot):
        options.check_unused(
            {"--every": every, "--dense": dense, "--svg": svg},
            "of a curve over uncertain base rates",
        )
        counted = options.counted(path, label, scores, positive, weight, design)
        return _tell_outlooks(
            name,
            counted,
            (conditions_of(priors, costs, profits, pilot), kind),
            as_csv=as_csv,
            as_json=as_json,
        )
    options.check_unused({"--kind": kind}, "of a base rate that is known")
    at, cases = options.conditions_of(priors, costs, profits), options.volume_of(volume)
    _check_name(name)
    models = options.counted(path, label, scores, positive, weight, design)
    made = [
        (
            model,
            _made(name, counts, one, cases, every=every, calibrated_at=calibrated_at, dense=dense),
        )
        for model, counts in models.items()
        for one in _wanted(name, at)
    ]
    if svg is not None:
        svg(_panel(made).svg())
    return _tell_curves(name, models, at, made, as_csv=as_csv, as_json=as_json)


def _tell_curves(
    name: str,
    models: Mapping[str, Counts],
    at: list[Conditions],
    made: list[tuple[str, Curve]],
    *,
    as_csv: bool,
    as_json: bool,
) -> None:
    """The curves on stdout, as JSON, as CSV or for a person; then the notes, on stderr."""
    notes = document.merged(
        [*document.notes_of(models, {}), *(note for _, one in made for note in one.notes)]
    )
    if as_json:
        curves = [document.of_curve(model, one) for model, one in made]
        parts: dict[str, Any] = {"aucs": auc_intervals(models), "curves": curves}
        click.echo(document.text(document.of_models("curve", models, {}, at, notes, **parts)))
    elif as_csv:
        click.echo(tables.curves_csv(made), nl=False)
    else:
        shown = (
            tables.of_decisions(made)
            if name == "decision"
            else [tables.of_curve(model, one, MOST_LINES) for model, one in made]
        )
        tell(drawing(lambda: _panel(made)), *shown)
    say(notes)


_moving = [name for name, entry in CURVES.items() if entry.along and entry.conditions]
curve.help = str(curve.help).format(
    names=", ".join(CURVES), moving=f"{', '.join(_moving[:-1])} and {_moving[-1]}"
)


def _tell_outlooks(
    name: str,
    models: dict[str, Counts],
    how: tuple[Any, str | None],
    *,
    as_csv: bool,
    as_json: bool,
) -> None:
    """Where the curve lies while the base rate is not known exactly."""
    at, kind = how
    made = [
        (model, expect_curve(name, counts, at=at, kind=kind)) for model, counts in models.items()
    ]
    notes = document.merged(
        [*document.notes_of(models, {}), *(note for _, one in made for note in one.notes)]
    )
    if as_json:
        outlooks = [choices.of_outlook(model, one) for model, one in made]
        parts: dict[str, Any] = {"aucs": auc_intervals(models), "outlooks": outlooks}
        click.echo(document.text(document.of_models("curve", models, {}, [], notes, **parts)))
    elif as_csv:
        click.echo(choices.outlooks_csv(made), nl=False)
    else:
        tell(*(choices.outlook(model, one) for model, one in made))
    say(notes)


def _panel(made: list[tuple[str, Curve]]) -> Panel:
    """Loaded when something is drawn."""
    from baserate.plots.figures import panel_for

    return panel_for(made)


def _check_name(name: str) -> None:
    if name in CURVES:
        return
    if ":" in name:
        for word in name.split(":", 1):
            parse(word, volume=1.0)
        return
    near = difflib.get_close_matches(name, CURVES, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    raise refuse(
        "BR569",
        f"there is no curve {quoted(name)}{meant}",
        f"one of {', '.join(CURVES)}, or two measures as y:x",
    )


def _wanted(name: str, at: list[Conditions]) -> list[Conditions]:
    """A curve that does not depend on conditions is shown once."""
    if name in CURVES:
        return at if CURVES[name].conditions else at[:1]
    return (
        at
        if any(parse(word, volume=1.0).depends_on_prior for word in name.split(":", 1))
        else at[:1]
    )


def _made(
    name: str,
    counts: Counts,
    at: Conditions,
    volume: float | None,
    *,
    dense: int | None,
    **how: Any,
) -> Curve:
    made = _plain(name, counts, at, volume, **how)
    return made if dense is None else made.densified(dense)


def _plain(
    name: str,
    counts: Counts,
    at: Conditions,
    volume: float | None,
    *,
    every: bool,
    calibrated_at: str | None,
) -> Curve:
    if name not in CURVES:
        y, x = name.split(":", 1)
        return trace(counts, x=parse(x, volume), y=parse(y, volume), at=at, every=every, name=name)
    entry = CURVES[name]
    given: dict[str, Any] = {"at": at} if entry.conditions else {}
    if name == "decision":
        given["calibrated_at"] = calibrated_at
    return entry.make(counts, **given, **({"every": every} if entry.every else {}))
