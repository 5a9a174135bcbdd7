"""`baserate curve NAME`: the points of a curve as a table, JSON or CSV, and the curve drawn."""

from __future__ import annotations

from typing import Any

import click

from baserate.cli import options
from baserate.cli.commands import make_command
from baserate.cli.options import Option
from baserate.cli.runner import ALONE, Request, check_unused
from baserate.counts.counts import Counts
from baserate.curves.curve import Curves
from baserate.curves.named import CURVES
from baserate.errors import quoted, refuse
from baserate.verbs import readings

ISOLINES = "precision=0.1,0.5,0.9"
# The curves whose horizontal axis may be logarithmic.
LOGARITHMIC = ("roc", "roc_hull", "posfrac", "gain", "lift")


def name_and_file(function: options.Command) -> options.Command:
    """Add the name of the curve, the file, and isolines, which have a usual value."""
    isolines = click.option(
        "--isolines",
        cls=Option,
        multiple=True,
        is_flag=False,
        flag_value=ISOLINES,
        metavar="MEASURE=VALUES",
        help=f"For roc: draw lines of equal precision or npv (without any: {ISOLINES}).",
    )
    return click.argument("name", metavar="NAME")(options.file()(isolines(function)))


def count_models(request: Request, *, log: bool = False) -> dict[str, Counts]:
    """Count each model.

    Parameters
    ----------
    request : Request
        The request.
    log : bool
        Logarithmic horizontal axis.
    """
    name, output = request.given["name"], request.output
    if output.as_csv and output.as_json:
        raise refuse("BR001", "--csv and --json are given together", "choose one of them")
    readings.check_curve_name(name)
    if name in CURVES and name not in LOGARITHMIC:
        check_unused({"--log": log}, f"on the curve {quoted(name)}")
    if log and output.svg is None:
        raise refuse("BR002", "--log only affects the drawing", "add --svg FILE")
    return request.source.counted()


def read_conditions(request: Request) -> Any:
    """Return the conditions that the curve depends on, or the lines that are drawn with it."""
    conditions, given = request.conditions, request.given
    if conditions.is_uncertain:
        return conditions.uncertain()
    at = conditions.exact()
    if given["baseline"] and len(at) > 1:
        raise refuse("BR542", "a baseline is drawn for one base rate", "--prior 0.1%")
    depends = readings.reads_conditions(given["name"])
    return at if depends or given["isolines"] or given["baseline"] else None


def add_points(found: Curves, *, dense: int | None = None) -> Curves:
    """Add points for drawing.

    Parameters
    ----------
    found : Curves
        The curves.
    dense : int, optional
        Points between the thresholds, for drawing: on an axis of this many pixels.
    """
    return found if dense is None else found.densified(dense)


curve = make_command(
    "curve",
    readings.curve,
    read=count_models,
    show=add_points,
    conditions=read_conditions,
    estimate=ALONE,
    source=name_and_file,
    also=("memory", "pilot", "prior_from", "svg", "as_csv"),
    rest=("name", "isolines"),
    rows={
        "name": (),
        "isolines": (),
        **dict.fromkeys(("hull", "threshold", "rule", "priors", "review", "recovered"), ()),
        "places": (),
    },
    help="""Print the points of a curve: {names}.

    Or any two measures along the thresholds: "precision:recall" is precision against recall (y:x).
    Over a range of base rates, or a distribution, {moving} show the average curve, its bounds, and
    the worst and best one. A decision curve at another base rate moves the probabilities to it, from
    the one at which they are calibrated (the sample's unless --calibrated-at is given).

    \b
    Examples:
      baserate curve broc scores.csv --label fraud --score logit --prior 1e-4
      baserate curve posfrac scores.csv --label fraud --score logit --score forest --prior 50%,10%,0.1% --csv
      baserate curve roc scores.csv --label fraud --score logit --score forest --svg roc.svg
      baserate curve roc scores.csv --label fraud --score logit --prior 0.1% --isolines precision=0.1,0.5 --log --svg roc.svg
      baserate curve pr scores.csv --label fraud --score logit --prior 1% --band --svg pr.svg
      baserate curve pr scores.csv --label fraud --score logit --prior 1e-4..1e-2
      baserate curve precision:posfrac scores.csv --label fraud --score logit --prior 0.1% --json
      baserate curve decision scores.csv --label sick --score p1 --score p2 --prior 10% --calibrated-at sample
    """,  # noqa: E501
)
_moving = [name for name, entry in CURVES.items() if entry.along and entry.conditions]
curve.help = str(curve.help).format(
    names=", ".join(CURVES), moving=f"{', '.join(_moving[:-1])} and {_moving[-1]}"
)
