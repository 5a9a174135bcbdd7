"""`baserate curve NAME`: the points of a curve as a table, JSON or CSV, and the curve drawn."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from baserate.cli import options
from baserate.cli.runner import ALONE, Request, Result, check_unused, command, share_of, shares
from baserate.cli.terminal import drawing
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.curves.curve import Curve, trace_measures
from baserate.curves.named import CURVES
from baserate.decisions.roc_geometry import Baseline, ideal_baseline
from baserate.errors import quoted, refuse
from baserate.inference.bands import Band, band
from baserate.inference.expectation import expect_curve
from baserate.measures.confusion import parse
from baserate.measures.isolines import Isoline, isoline
from baserate.views import choices, document, tables

if TYPE_CHECKING:
    from baserate.plots.panels import Panel

MOST_LINES = 25
ROCS = ("roc", "roc_hull")
ISOLINES = "precision=0.1,0.5,0.9"
# The curves whose horizontal axis may be logarithmic, and those that a band can be drawn around.
LOGARITHMIC = (*ROCS, "posfrac", "gain", "lift")
BOUNDS = ("y", "low", "high")
HOW_SURE = ("level", "replicates", "seed")


@dataclass(frozen=True)
class Extras:
    """What is drawn besides the curves, and what belongs to it in JSON."""

    isolines: tuple[Isoline, ...] = ()
    baseline: Baseline | None = None
    bands: tuple[tuple[str, Band], ...] = ()
    log: bool = False

    def panel(self, made: list[tuple[str, Curve]]) -> Panel:
        """Loaded when something is drawn."""
        from baserate.plots.figures import draw_curves

        models: dict[str, list[Curve]] = {}
        for model, curve in made:
            models.setdefault(model, []).append(curve)
        given = {
            "isolines": self.isolines,
            "baseline": self.baseline,
            "bands": tuple(band for _, band in self.bands),
            "log": self.log,
        }
        return draw_curves(models, **{name: value for name, value in given.items() if value})

    def parts(self) -> dict[str, Any]:
        """The numbers behind the drawing; nothing where none were requested."""
        lines = [
            {"measure": line.measure, "value": line.value, "prior": line.prior, "angle": line.angle}
            for line in self.isolines
        ]
        bands = [
            {
                "model": model,
                "name": band.name,
                "x_label": band.x_label,
                "y_label": band.y_label,
                "level": band.level,
                "method": band.method,
                "x": band.x.tolist(),
                **{name: [document.number(v) for v in getattr(band, name)] for name in BOUNDS},
            }
            for model, band in self.bands
        ]
        base = self.baseline
        line = (
            None
            if base is None
            else {"slope": base.slope, "intercept": base.intercept, "answer": base.answer}
        )
        found = {"isolines": lines, "baseline": line, "bands": bands}
        return {name: value for name, value in found.items() if value}


@command("curve")
@click.argument("name", metavar="NAME")
@options.file()
@options.of_any_size
@options.conditions
@options.listed("pilot", "kind", "prior_from", "calibrated_at")
@click.option("--every", is_flag=True, help="Every threshold, also those on a straight line.")
@click.option(
    "--dense", type=int, metavar="PIXELS", help="Points between the thresholds, for drawing."
)
@click.option(
    "--isolines",
    multiple=True,
    is_flag=False,
    flag_value=ISOLINES,
    metavar="MEASURE=VALUES",
    help=f"For roc: draw lines of equal precision or npv (without any: {ISOLINES}).",
)
@click.option(
    "--baseline",
    is_flag=True,
    help="For roc: draw the line above which a point beats flagging everything and nothing.",
)
@click.option("--log", is_flag=True, help="Logarithmic horizontal axis.")
@click.option("--band", is_flag=True, help="Draw a confidence band around each curve.")
@options.intervals
@options.listed("svg", help="Also draw the curves into this SVG file.")
@options.listed("as_csv")
@options.answer
def curve(
    request: Request,
    name: str,
    calibrated_at: str | None,
    every: bool,
    dense: int | None,
    **drawn: Any,
) -> Result:
    """Print the points of a curve: {names}.

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
    """  # noqa: E501
    request, output = request.estimated(ALONE), request.output
    check_unused(
        {"--calibrated-at": calibrated_at if name != "decision" else None},
        f"on the curve {quoted(name)}: decision takes it",
    )
    if output.as_csv and output.as_json:
        raise refuse("BR001", "--csv and --json are given together", "choose one of them")
    if request.conditions.is_uncertain:
        check_unused(
            {"--every": every, "--dense": dense, "--svg": output.svg, **_flags(drawn)},
            "on a curve over uncertain base rates",
        )
        return _outlooks(request, name)
    check_unused({"--kind": request.conditions.kind}, "on a base rate that is known")
    at, cases = request.conditions.exact(), request.conditions.cases
    _check_name(name)
    _check_drawn(name, drawn, request)
    models = request.source.counted()
    made = [
        (model, _made(name, counts, one, cases, every=every, calibrated_at=calibrated_at))
        for model, counts in models.items()
        for one in _wanted(name, at)
    ]
    if dense is not None:
        made = [(model, one.densified(dense)) for model, one in made]
    extras = _extras(request, name, models, at, drawn)
    result = Result.of_models(
        "curve",
        models,
        at,
        [
            *(note for _, one in made for note in one.notes),
            *(note for _, one in extras.bands for note in one.notes),
        ],
        lambda: _text(name, made, extras),
        lambda: {
            "curves": [document.of_curve(model, one) for model, one in made],
            **extras.parts(),
        },
    )
    plain = tables.curves_csv(made) if output.as_csv else None
    return replace(result, sources=(), plain=plain, drawing=lambda: extras.panel(made).svg())


def _flags(drawn: Mapping[str, Any]) -> dict[str, bool]:
    return {f"--{name}": bool(drawn[name]) for name in ("isolines", "baseline", "log", "band")}


def _check_drawn(name: str, drawn: Mapping[str, Any], request: Request) -> None:
    """Drawing options must belong to this curve, and need a drawing or JSON to appear in."""
    flags = _flags(drawn)
    takes = {
        "--isolines": name in ROCS,
        "--baseline": name in ROCS,
        "--log": name in LOGARITHMIC or name not in CURVES,
        "--band": name in CURVES and CURVES[name].has_band,
    }
    check_unused(
        {flag: given and not takes[flag] for flag, given in flags.items()},
        f"on the curve {quoted(name)}",
    )
    source = click.get_current_context().get_parameter_source
    told = {f"--{one}": source(one) is ParameterSource.COMMANDLINE for one in HOW_SURE}
    check_unused(
        {flag: given and not drawn["band"] for flag, given in told.items()}, "without --band"
    )
    asked = next((flag for flag, given in flags.items() if given), None)
    as_json = request.output.as_json and not drawn["log"]
    if asked and request.output.svg is None and not as_json:
        raise refuse("BR002", f"{asked} only affects the drawing", "add --svg FILE")


def _extras(
    request: Request,
    name: str,
    models: Mapping[str, Counts],
    at: list[Conditions],
    drawn: Mapping[str, Any],
) -> Extras:
    """Isolines, baseline and bands, as requested."""
    first, known = next(iter(models.values())), request.intervals
    points = Points.of(first)
    needs = drawn["isolines"] or drawn["baseline"]
    exact = [one.within(points.exact_prior, points.why_no_prior) for one in at] if needs else []
    if drawn["baseline"] and len(exact) > 1:
        raise refuse("BR542", "a baseline is drawn for one base rate", "--prior 0.1%")
    lines = [
        isoline(measure=kind, at=one, value=value)
        for one in exact
        for text in drawn["isolines"]
        for kind, value in _isolines(text)
    ]
    given = asdict(known)
    bands = [
        (model, band(curve=name, counts=counts, **_conditions(name, one), **given))
        for model, counts in models.items()
        for one in _wanted(name, at)
        if drawn["band"]
    ]
    base = ideal_baseline(exact[0]) if drawn["baseline"] else None
    return Extras(tuple(lines), base, tuple(bands), drawn["log"])


def _isolines(text: str) -> Iterator[tuple[Any, float]]:
    """Isolines as they are typed: precision=0.1,0.5."""
    name, given, values = text.partition("=")
    fix = f"--isolines {ISOLINES}"
    if not given:
        raise refuse("BR542", f"isolines are MEASURE=VALUES, got {quoted(text)}", fix)
    kind = parse(name).name
    for part in shares(values):
        yield kind, share_of(part, "an isoline has a value", fix, "BR542")


def _text(name: str, made: list[tuple[str, Curve]], extras: Extras) -> Iterator[str]:
    """The curves drawn, and their points."""
    yield drawing(lambda: extras.panel(made))
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
        "BR531",
        f"there is no curve {quoted(name)}{meant}",
        f"one of {', '.join(CURVES)}, or two measures as y:x",
    )


def _wanted(name: str, at: list[Conditions]) -> list[Conditions]:
    """A curve that does not depend on conditions is shown once."""
    if name in CURVES:
        depends = bool(CURVES[name].conditions)
    else:
        depends = any(parse(word, volume=1.0).depends_on_prior for word in name.split(":", 1))
    return at if depends else at[:1]


def _conditions(name: str, at: Conditions) -> dict[str, Any]:
    """The conditions, for a curve that depends on them."""
    return {"at": at} if CURVES[name].conditions else {}


def _made(
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
        return trace_measures(
            counts, x=parse(x, volume), y=parse(y, volume), at=at, every=every, name=name
        )
    given: dict[str, Any] = {"every": every} if CURVES[name].every else {}
    if name == "decision":
        given["calibrated_at"] = calibrated_at
    return CURVES[name].make(counts, **_conditions(name, at), **given)
