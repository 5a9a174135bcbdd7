"""`baserate curve NAME`: the points of a curve as a table, JSON or CSV, and the curve drawn."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from baserate.cli import options
from baserate.cli.options import listed
from baserate.cli.request import ALONE, Request, check_unused
from baserate.cli.runner import Result, command
from baserate.cli.terminal import drawing
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.curves.curve import Curve, trace
from baserate.curves.named import CURVES
from baserate.errors import quoted, refuse
from baserate.measures.measure import parse
from baserate.output import choices, document, tables
from baserate.robustness.expectation import expect_curve

if TYPE_CHECKING:
    from baserate.plots.panels import Panel

MOST_LINES = 25


@command("curve")
@click.argument("name", metavar="NAME")
@options.file()
@options.of_any_size
@options.conditions
@listed("pilot", "kind", "prior_from", "calibrated_at")
@click.option(
    "--every", is_flag=True, help="Every threshold, also in the middle of a straight run."
)
@click.option(
    "--dense", type=int, metavar="PIXELS", help="Points between the thresholds, for drawing."
)
@listed("svg", help="Draw the curves into this file, besides the answer.")
@listed("as_csv")
@options.answer
def curve(
    request: Request, name: str, calibrated_at: str | None, every: bool, dense: int | None
) -> Result:
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
    request, output = request.estimated(ALONE), request.output
    check_unused(
        {"--calibrated-at": calibrated_at if name != "decision" else None},
        f"of the curve {quoted(name)}: decision takes it",
    )
    if output.as_csv and output.as_json:
        raise refuse("BR001", "--csv and --json are given together", "choose one of them")
    if request.conditions.is_uncertain:
        check_unused(
            {"--every": every, "--dense": dense, "--svg": output.svg},
            "of a curve over uncertain base rates",
        )
        return _outlooks(request, name)
    check_unused({"--kind": request.conditions.kind}, "of a base rate that is known")
    at, cases = request.conditions.exact(), request.conditions.cases
    _check_name(name)
    models = request.source.counted()
    made = [
        (
            model,
            _made(name, counts, one, cases, every=every, calibrated_at=calibrated_at, dense=dense),
        )
        for model, counts in models.items()
        for one in _wanted(name, at)
    ]
    result = Result.of_models(
        "curve",
        models,
        at,
        [note for _, one in made for note in one.notes],
        lambda: _text(name, made),
        lambda: {"curves": [document.of_curve(model, one) for model, one in made]},
    )
    plain = tables.curves_csv(made) if output.as_csv else None
    return replace(result, sources=(), plain=plain, drawing=lambda: _panel(made).svg())


def _text(name: str, made: list[tuple[str, Curve]]) -> Iterator[str]:
    """The curves drawn, and their points."""
    yield drawing(lambda: _panel(made))
    if name == "decision":
        yield from tables.of_decisions(made)
    else:
        yield from (tables.of_curve(model, one, MOST_LINES) for model, one in made)


_moving = [name for name, entry in CURVES.items() if entry.along and entry.conditions]
curve.help = str(curve.help).format(
    names=", ".join(CURVES), moving=f"{', '.join(_moving[:-1])} and {_moving[-1]}"
)


def _outlooks(request: Request, name: str) -> Result:
    """Where the curve lies while the base rate is not known exactly."""
    models, kind = request.source.counted(), request.conditions.kind
    at: Any = request.conditions.uncertain()
    made = [
        (model, expect_curve(counts, name, at=at, kind=kind)) for model, counts in models.items()
    ]
    result = Result.of_models(
        "curve",
        models,
        [],
        [note for _, one in made for note in one.notes],
        lambda: (choices.outlook(model, one) for model, one in made),
        lambda: {"outlooks": [choices.of_outlook(model, one) for model, one in made]},
    )
    plain = choices.outlooks_csv(made) if request.output.as_csv else None
    return replace(result, sources=(), plain=plain)


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
