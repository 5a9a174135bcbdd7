"""`measure`, `table`, `curve` and `summary`: what can be read off counts."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast, overload

from baserate.conditions import (
    Conditions,
    CostsLike,
    Prior,
    Uncertain,
    checked_conditions,
    exact_conditions,
    given_conditions,
    one_or_several,
)
from baserate.counts.amounts import Amounts
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves import named
from baserate.curves.curve import Curve, Curves, sweep_priors, trace_measures
from baserate.curves.summaries import NAMES, Summary
from baserate.curves.threshold_table import MEASURES, ThresholdTable, threshold_table
from baserate.decisions.amount_costs import SUMS, AmountPoint
from baserate.decisions.roc_geometry import ideal_baseline
from baserate.decisions.selection import choose
from baserate.errors import Fix, quoted, refuse
from baserate.inference.bands import band as curve_band
from baserate.inference.expectation import expect, expect_curve
from baserate.measures import confusion
from baserate.measures.confusion import NOT_SAID, Confusion, Measure
from baserate.measures.confusion import named as measure_named
from baserate.measures.isolines import isoline
from baserate.measures.registry import SYNONYMS, plain_name
from baserate.notation import parse_share, split_list
from baserate.numbers import Reading, Undefined
from baserate.read.cases import macro
from baserate.results.choice import Choice
from baserate.results.operating_point import OperatingPoint
from baserate.verbs.sources import Models, Threshold, models_of, refuse_uncounted, verb

Kind = Literal["unknown", "varying"] | None
# Curves of money, which are read off amounts.
OF_AMOUNTS: dict[str, Callable[..., Curve]] = {
    "amount_cost": named.amount_cost_curve,
    "amount_missed": named.amount_missed_curve,
}


@overload
def measure(  # type: ignore[overload-overlap]
    x: GroupedCounts,
    name: str | Measure,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold = ...,
    rule: str | None = None,
    volume: float | None = None,
    kind: Kind = None,
    level: float = 0.95,
) -> dict[Hashable, Reading]: ...
@overload
def measure(
    x: Counts | Points | Confusion | OperatingPoint,
    name: str | Measure,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold = ...,
    rule: str | None = None,
    volume: float | None = None,
    kind: Kind = None,
    level: float = 0.95,
) -> Reading: ...
@overload
def measure(
    x: Models | Choice,
    name: str | Measure,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Threshold | Mapping[str, Threshold] = ...,
    rule: str | None = None,
    volume: float | None = None,
    kind: Kind = None,
    level: float = 0.95,
) -> dict[str, Reading]: ...
@verb
def measure(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    name: str | Measure,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    threshold: Any = NOT_SAID,
    rule: str | None = None,
    volume: float | None = None,
    kind: Kind = None,
    level: float = 0.95,
) -> Any:
    """What is this measure's value, at this threshold and under these conditions?

    `x` is a `Confusion` or an operating point, or counts with a `threshold` (`score >= threshold`
    is flagged, None flags nothing) or a `rule` that chooses one. The default conditions are the
    sample's own prior and equal costs. The value is exact, rounded once; 0/0 is NaN with its
    reason. Several models, or groups, give one value each, by name.

    Where base rate or costs are not known exactly, `.over` has the range of values, and over
    distributions their average is the value; without threshold and rule, at the cheapest threshold
    of every base rate. `kind` then says of a base rate that is a distribution whether it is one
    "unknown" value or "varying", from day to day; `level` is that of the range.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.measure(counts, "precision", threshold=0.35, prior=0.01)
    0.019801980198019802
    >>> found = br.measure(counts, "precision", threshold=0.35, prior="1%..10%").over
    >>> round(found.low, 4), round(found.high, 4)
    (0.0198, 0.1818)
    """
    given = given_conditions(at, prior, costs)
    if isinstance(name, str) and name.partition("(")[0] in NAMES.keys() - SYNONYMS.keys():
        raise refuse(
            "BR531",
            f"{quoted(name)} is a summary of all thresholds, not a measure at one",
            f"summary(x, {quoted(name)})",
        )
    asked = {"rule": rule, "volume": volume, "kind": kind, "level": level}
    if isinstance(x, Choice):
        x = dict(x.points)
    several = dict(x) if isinstance(x, GroupedCounts) else models_of(x)
    if several is not None:
        cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(several, threshold)
        return {key: _measured(one, name, given, cuts[key], asked) for key, one in several.items()}
    return _measured(x, name, given, threshold, asked)


def _measured(x: Any, name: Any, at: Conditions | None, threshold: Any, asked: Any) -> Reading:
    if isinstance(x, AmountPoint) and name in SUMS and at is None:
        return Reading(x[name], x.notes, str(name))
    if not isinstance(x, Counts | Points | Confusion | OperatingPoint):
        refuse_uncounted(x, "measure")
    if at is not None and not at.is_exact:
        return _over(x, name, at, threshold, asked)
    if asked["kind"] is not None or asked["level"] != 0.95:
        raise refuse(
            "BR419", "kind= and level= apply only to uncertain conditions", "leave them out"
        )
    if asked["rule"] is not None:
        if threshold is not NOT_SAID or not isinstance(x, Counts | Points):
            raise refuse("BR427", "a threshold is given already", "leave rule out")
        x = choose(x, asked["rule"], at=at, volume=asked["volume"])
    if isinstance(x, OperatingPoint):
        return _of_point(x, name, at, threshold, asked["volume"])
    return confusion.measure(
        name=name, source=x, threshold=threshold, at=at, volume=asked["volume"]
    )


def _of_point(
    point: OperatingPoint, name: Any, at: Conditions | None, threshold: Any, volume: Any
) -> Reading:
    if threshold is not NOT_SAID:
        raise refuse("BR427", "an operating point has its threshold", "leave threshold out")
    asked = measure_named(name, point.volume if volume is None else volume)
    if at is None and point.counted is not None and volume is None:
        return Reading(point[asked], point.notes, str(asked))
    return confusion.measure(name=asked, source=point.confusion, at=point.at if at is None else at)


def _over(x: Any, name: Any, at: Conditions, threshold: Any, asked: dict[str, Any]) -> Reading:
    found = expect(measure=name, counts=x, at=cast("Uncertain", at), threshold=threshold, **asked)
    if isinstance(found.value, Undefined):
        return Undefined(found.value.reason, over=found, notes=found.notes)
    return Reading(found.value, found.notes, found.name, over=found)


@verb
def table(  # noqa: PLR0913 (each is a question of its own)
    x: Counts | Points | Models,
    measures: Sequence[str | Measure] = MEASURES,
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    thresholds: Sequence[Threshold] | None = None,
    volume: float | None = None,
    order: Literal["descending", "ascending"] = "descending",
) -> ThresholdTable:
    """What are these measures at every threshold, at any base rates?

    One row per distinct score, and one for flagging nothing (its threshold is NaN). tp, fp, tn and
    fn are those of the sample, other measures are read at the conditions; several of them
    (`at=[…]`, `prior=[…]`) give a column "prior", several models a column "model".

    Parameters
    ----------
    x : Counts, Points, JointCounts or mapping
        Counts of one model, or of several.
    measures : sequence of str
        Measures, each a column (default: tp, fp, tn, fn, tpr, fpr, precision).
    at, prior, costs
        Base rate and costs, or several base rates.
    thresholds : sequence of float
        Only these thresholds; none flags nothing.
    volume : float, optional
        Number of cases among which alerts, caught, missed and false alarms are counted.
    order : str
        Thresholds descending (the default) or ascending.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.table(counts, ["tp", "fp", "precision"], prior=0.1)["precision"][1:].tolist()
    [1.0, 0.1, 0.18181818181818182, 0.1]
    """
    models = models_of(x)
    if models is None and not isinstance(x, Counts | Points):
        refuse_uncounted(x, "table")
    given = _each(at, prior, costs)
    source: Any = models or x
    return threshold_table(
        source, measures, at=given, thresholds=thresholds, volume=volume, order=order
    )


def _each(at: Any, prior: Any, costs: Any) -> list[Conditions]:
    """One set of conditions, or several; all of them exact."""
    found = one_or_several(at, prior, costs)
    several = found if isinstance(found, list) else [found]
    return [checked_conditions(one) for one in several] or [checked_conditions(None)]


@overload
def curve(
    x: Counts | Points | Amounts,
    name: str,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    every: bool | None = None,
    hull: bool | None = None,
    calibrated_at: float | str | None = None,
    bins: int | None = None,
    threshold: Threshold = ...,
    rule: str | None = None,
    priors: Sequence[Prior] | None = None,
    volume: float | None = None,
    review: float | None = None,
    recovered: float | None = None,
    places: Sequence[float] | None = None,
    kind: Kind = None,
    level: float | None = None,
    band: bool = False,
    replicates: int | None = None,
    seed: int | None = None,
    isolines: Sequence[str] = (),
    baseline: bool = False,
) -> Curve: ...
@overload
def curve(
    x: Counts | Points,
    name: str,
    /,
    *,
    at: Sequence[Conditions],
    every: bool | None = None,
    hull: bool | None = None,
    calibrated_at: float | str | None = None,
    bins: int | None = None,
    volume: float | None = None,
    level: float | None = None,
    band: bool = False,
    replicates: int | None = None,
    seed: int | None = None,
    isolines: Sequence[str] = (),
    baseline: bool = False,
) -> Curves: ...
@overload
def curve(
    x: Models,
    name: str,
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    every: bool | None = None,
    hull: bool | None = None,
    calibrated_at: float | str | None = None,
    bins: int | None = None,
    threshold: Threshold = ...,
    rule: str | None = None,
    priors: Sequence[Prior] | None = None,
    volume: float | None = None,
    places: Sequence[float] | None = None,
    kind: Kind = None,
    level: float | None = None,
    band: bool = False,
    replicates: int | None = None,
    seed: int | None = None,
    isolines: Sequence[str] = (),
    baseline: bool = False,
) -> Curves: ...
@verb
def curve(  # noqa: PLR0913 (each is a question of its own)
    x: Any,
    name: str,
    /,
    *,
    at: Conditions | Sequence[Conditions] | None = None,
    prior: Prior | Sequence[Prior] | None = None,
    costs: CostsLike | None = None,
    every: bool | None = None,
    hull: bool | None = None,
    calibrated_at: float | str | None = None,
    bins: int | None = None,
    threshold: Any = NOT_SAID,
    rule: str | None = None,
    priors: Sequence[Prior] | None = None,
    volume: float | None = None,
    review: float | None = None,
    recovered: float | None = None,
    places: Sequence[float] | None = None,
    kind: Kind = None,
    level: float | None = None,
    band: bool = False,
    replicates: int | None = None,
    seed: int | None = None,
    isolines: Sequence[str] = (),
    baseline: bool = False,
) -> Any:
    """How do two measures go together along the thresholds, or one along the base rates?

    Several models, or several base rates, give one curve each: by model, by conditions, or by both
    as a pair.

    Parameters
    ----------
    x : Counts, Points, Amounts, JointCounts or mapping
        Counts of one model, or of several.
    name : str
        A curve of docs/reference/curves.md ("roc", "pr", "broc", "cost", "decision", …), two
        measures "Y:X" along the thresholds, or "Y:prior" along base rates.
    at, prior, costs
        Base rate and costs, or several base rates. Over a base rate that is not known exactly,
        `.over` has the range of the curve.
    every : bool, optional
        Every threshold, also those on a straight line (the default for two measures).
    hull : bool, optional
        Of "broc": follow the ROC hull (the default), or the thresholds.
    calibrated_at : float or str, optional
        Of "decision": the base rate at which the scores are calibrated probabilities.
    bins : int, optional
        Of "reliability": the number of bins.
    threshold, rule
        Along base rates: the threshold that stays, or a rule that chooses one at each.
    priors : sequence, optional
        Along base rates: which ones.
    volume : float, optional
        Number of cases among which alerts, caught, missed and false alarms are counted.
    review, recovered
        Of amounts: as in `choose`.
    places : sequence of float, optional
        Over an uncertain base rate: where the curve is read.
    kind : str, optional
        Of a base rate that is a distribution: one "unknown" value, or "varying" from day to day.
    level : float, optional
        Level of a range or band.
    band : bool
        Draw a confidence band around each curve.
    replicates, seed
        Resamples of the band.
    isolines : sequence of str
        For roc: lines of equal precision or npv, "precision=0.1,0.5".
    baseline : bool
        For roc: draw the line above which a point beats flagging everything and nothing.

    Examples
    --------
    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.curve(counts, "cost").y
    array([0.  , 0.25, 0.  ])
    >>> br.curve(counts, "precision:prior", threshold=0.35, priors=[0.5, 0.01]).y.round(4)
    array([0.6667, 0.0198])
    """
    options = {
        "every": every,
        "hull": hull,
        "calibrated_at": calibrated_at,
        "bins": bins,
        "rule": rule,
        "priors": priors,
        "volume": volume,
        "review": review,
        "recovered": recovered,
        "places": places,
        "kind": kind,
        "level": level,
    }
    said = {key: value for key, value in options.items() if value is not None}
    if threshold is not NOT_SAID:
        said["threshold"] = threshold
    resampling: dict[str, Any] = {"replicates": replicates, "seed": seed}
    lines: dict[str, Any] = {"band": band, "isolines": tuple(isolines), "baseline": baseline}
    drawn = {key: value for key, value in lines.items() if value}
    if band:
        resampling["level"] = said.pop("level", None)
        drawn["band"] = {key: value for key, value in resampling.items() if value is not None}
    else:
        said |= {key: value for key, value in resampling.items() if value is not None}
    conditions = one_or_several(at, prior, costs)
    several = conditions if isinstance(conditions, list) else [conditions]
    models = models_of(x)
    if models is not None:
        if len(several) > 1 and not reads_conditions(name):
            several = several[:1]
        return Curves(
            {
                key if len(several) == 1 else (key, one): _curve(counts, name, one, said, drawn)
                for key, counts in models.items()
                for one in several
            }
        )
    if isinstance(conditions, list):
        return Curves({one: _curve(x, name, one, said, drawn) for one in several})
    return _curve(x, name, conditions, said, drawn)


def reads_conditions(name: str) -> bool:
    """Does a curve depend on base rate or costs?"""
    check_curve_name(name)
    if name in named.CURVES:
        return bool(named.CURVES[name].conditions)
    return any(
        word.strip() == "prior" or measure_named(word, 1.0).depends_on_prior
        for word in name.split(":", 1)
    )


def check_curve_name(name: Any) -> None:
    """Refuse a curve that there is not, with the one that was meant."""
    if not isinstance(name, str):
        raise refuse("BR531", f"a curve is named by text, got {quoted(name)}", '"roc"')
    up, colon, across = name.partition(":")
    if colon:
        for word in (up, across):
            if word.strip() != "prior":
                measure_named(word.strip(), 1.0)
        return
    if named.curve_named(name)[1] is None and name not in OF_AMOUNTS:
        near = difflib.get_close_matches(name, named.CURVES, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise refuse(
            "BR531",
            f"there is no curve {quoted(name)}{meant}",
            f"one of {', '.join(named.CURVES)}, or two measures as y:x",
        )


def _curve(
    x: Any, name: str, at: Conditions | None, said: dict[str, Any], drawn: dict[str, Any]
) -> Curve:
    if isinstance(x, GroupedCounts):
        raise refuse(
            "BR426",
            "a curve needs the counts of all groups together",
            "curves.average_curve(x, …)" if x.role == "fold" else f'curve(x.total(), "{name}")',
        )
    if not isinstance(x, Counts | Points | Amounts):
        refuse_uncounted(x, "curve")
    check_curve_name(name)
    if at is not None and not at.is_exact:
        _no_effect({**said, **drawn}, {"kind", "level", "places"}, "over uncertain base rates")
        places = {"x": said["places"]} if "places" in said else {}
        options = {key: value for key, value in said.items() if key != "places"}
        over = expect_curve(curve=name, counts=x, at=cast("Uncertain", at), **places, **options)
        columns = over.name, over.x_label, over.y_label, over.x, over.y
        return Curve(*columns, source=x, notes=over.notes, over=over)
    found = _exact_curve(x, name, at, said, drawn)
    return _draw_lines(found, x, at, drawn) if drawn else found


def _exact_curve(
    x: Any, name: str, at: Conditions | None, said: dict[str, Any], drawn: dict[str, Any]
) -> Curve:
    """Return the curve at known conditions."""
    where = f"on a {name} curve"
    up, colon, across = name.partition(":")
    entry = named.curve_named(name)[1]
    is_roc = name in ("roc", "roc_hull")
    takes = {"isolines", "baseline"} if is_roc else set()
    if entry is not None and entry.has_band:
        takes.add("band")
    _no_effect(drawn, takes, where)
    if colon and across.strip() == "prior":
        return _along_priors(x, up.strip(), at, said)
    if colon:
        _no_effect(said, {"every", "volume"}, where)
        return trace_measures(x, x=across.strip(), y=up.strip(), at=at, name=name, **said)
    make = _maker(x, name)
    allowed = set(inspect.signature(make).parameters)
    _no_effect(said, allowed, where)
    _needed(make, said, name)
    if at is not None and "at" not in allowed and not {"isolines", "baseline"} & drawn.keys():
        raise refuse(
            "BR002", f"a {name} curve does not depend on base rate or costs", "leave them out"
        )
    return make(x, **({"at": at} if "at" in allowed else {}), **said)


def _draw_lines(found: Curve, x: Any, at: Conditions | None, drawn: dict[str, Any]) -> Curve:
    """Return the curve with its band, isolines and baseline, where these are requested."""
    if "band" in drawn:
        conditions = at if reads_conditions(found.name) else None
        found = replace(found, band=curve_band(x, found.name, at=conditions, **drawn["band"]))
    if not {"isolines", "baseline"} & drawn.keys():
        return found
    points = Points.of(x)
    resolved = checked_conditions(at).within(points.exact_prior, points.why_no_prior)
    lines = [
        isoline(measure=kind, at=resolved, value=value)
        for text in drawn.get("isolines", ())
        for kind, value in _parse_isolines(text)
    ]
    baseline = ideal_baseline(resolved) if "baseline" in drawn else None
    return replace(found, isolines=tuple(lines), baseline=baseline)


def _parse_isolines(text: str) -> Iterator[tuple[Any, float]]:
    """Return isolines as they are typed: precision=0.1,0.5."""
    name, given, values = text.partition("=")
    fix = Fix('isolines=["precision=0.1,0.5,0.9"]', "--isolines precision=0.1,0.5,0.9")
    if not given:
        raise refuse("BR542", f"isolines are MEASURE=VALUES, got {quoted(text)}", fix)
    kind = measure_named(name).name
    for part in split_list(values):
        written = parse_share(part)
        if written is None:
            raise refuse("BR542", f"an isoline has a value, got {quoted(part)}", fix)
        yield kind, float(written.value)


def _maker(x: Any, name: str) -> Callable[..., Curve]:
    """What makes the curve of this name."""
    if isinstance(x, Amounts):
        make, known = OF_AMOUNTS.get(name), list(OF_AMOUNTS)
    else:
        entry = named.curve_named(name)[1]
        make, known = None if entry is None else entry.make, list(named.CURVES)
    if make is None:
        raise refuse("BR531", f"there is no curve {quoted(name)}", f"one of {', '.join(known)}")
    return make


def _along_priors(x: Any, up: str, at: Conditions | None, said: dict[str, Any]) -> Curve:
    _no_effect(said, {"priors", "rule", "threshold", "volume"}, f"on a {up}:prior curve")
    if at is not None and not at.as_in_sample:
        raise refuse("BR002", "prior= has no effect along base rates", "priors=[0.5, 0.1, 0.001]")
    costs = at.costs if at is not None and at.costs_given else None
    return sweep_priors(x, up, costs=costs, **said)


def _needed(make: Callable[..., Curve], said: Mapping[str, Any], name: str) -> None:
    for word, one in inspect.signature(make).parameters.items():
        if one.kind is one.KEYWORD_ONLY and one.default is one.empty and word not in said:
            raise refuse(
                "BR532", f"a curve of {name} needs {word}=", f'curve(x, "{name}", {word}=5)'
            )


def _no_effect(said: Mapping[str, Any], allowed: set[str], where: str) -> None:
    for word in said:
        if word not in allowed:
            raise refuse("BR002", f"{word}= has no effect {where}", f"leave {word} out")


@overload
def roc(x: Counts | Points, /, *, every: bool = False) -> Curve: ...
@overload
def roc(x: Models, /, *, every: bool = False) -> Curves: ...
def roc(x: Any, /, *, every: bool = False) -> Any:
    """Which share of the positives is flagged, for which share of the negatives? x = fpr, y = tpr.

    From (0, 0), nothing flagged, to (1, 1), everything; (0, 1) is ideal, and the diagonal is
    guessing. It does not depend on the base rate. Straight runs keep their ends only, unless
    `every` threshold is requested. Fawcett 2006, Pattern Recognition Letters 27:861-874.

    >>> import baserate as br
    >>> fpr, tpr, thresholds = br.roc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    return curve(x, "roc", every=every)


@overload
def det(x: Counts | Points, /, *, every: bool = False) -> Curve: ...
@overload
def det(x: Models, /, *, every: bool = False) -> Curves: ...
def det(x: Any, /, *, every: bool = False) -> Any:
    """Which share of the positives is missed, for which share of the negatives flagged? x = fpr, y
    = fnr; drawn on normal deviates.

    >>> import baserate as br
    >>> br.det(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])).y
    array([1. , 0.5, 0.5, 0. , 0. ])
    """
    return curve(x, "det", every=every)


@overload
def pr(
    x: Counts | Points,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    every: bool = False,
) -> Curve: ...
@overload
def pr(
    x: Models,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    every: bool = False,
) -> Curves: ...
def pr(
    x: Any, /, *, at: Any = None, prior: Any = None, costs: Any = None, every: bool = False
) -> Any:
    """How pure are the alerts, at each recall and this base rate? x = tpr (recall), y = precision.

    Between two points it is a curve, not a line (Davis & Goadrich 2006); `densified` follows it.

    >>> import baserate as br
    >>> br.pr(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), prior=0.1).y.round(3)
    array([1.   , 1.   , 0.1  , 0.182, 0.1  ])
    """
    return curve(x, "pr", at=at, prior=prior, costs=costs, every=every)


@overload
def broc(
    x: Counts | Points,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    every: bool = False,
    hull: bool = True,
) -> Curve: ...
@overload
def broc(
    x: Models,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    every: bool = False,
    hull: bool = True,
) -> Curves: ...
def broc(
    x: Any,
    /,
    *,
    at: Any = None,
    prior: Any = None,
    costs: Any = None,
    every: bool = False,
    hull: bool = True,
) -> Any:
    """Which share of the positives is found, at each share of false alarms among the alerts? x =
    fdr (B_FA), y = tpr: the B-ROC at one base rate.

    Along the ROC hull, where it is monotone; `hull=False` follows the thresholds. Cárdenas & Baras
    2006.

    >>> import baserate as br
    >>> br.broc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), prior=0.01).x.round(3)
    array([0.  , 0.  , 0.98, 0.99])
    """
    return curve(x, "broc", at=at, prior=prior, costs=costs, every=every, hull=hull)


@overload
def summary(
    x: Counts | Points,
    name: str | Summary,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    average: None = None,
) -> Reading: ...
@overload
def summary(
    x: Models | Mapping[Any, Counts],
    name: str | Summary,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    average: None = None,
) -> dict[Any, Reading]: ...
@overload
def summary(
    x: Models | Mapping[Any, Counts],
    name: str | Summary,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    average: Literal["macro"],
) -> Reading: ...
@verb
def summary(
    x: Any,
    name: str | Summary,
    /,
    *,
    at: Conditions | None = None,
    prior: Prior | None = None,
    costs: CostsLike | None = None,
    average: Literal["macro"] | None = None,
) -> Any:
    """One number for a whole curve: "auc", "partial_auc(fpr=0..0.1)", "brier", "h_measure", …

    All of them are in docs/reference/curves.md. Several models, classes or groups give
    one number each, by name; `average="macro"` gives their mean, each with the same weight.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.summary(counts, "auc"), br.summary(counts, "gini")
    (0.75, 0.5)
    """
    given = exact_conditions(at, prior, costs)
    asked = name if isinstance(name, Summary) else _summary_named(name)
    if average not in (None, "macro"):
        raise refuse("BR542", f"there is no average {quoted(average)}", 'average="macro"')
    several = dict(x) if isinstance(x, GroupedCounts) else models_of(x)
    if average is not None:
        if several is None:
            raise refuse("BR542", "average= takes several counts", "count_classes(y, scores)")
        return macro(asked, several, **({} if given is None else {"at": given}))
    if several is not None:
        return {key: _summed(one, asked, given) for key, one in several.items()}
    return _summed(x, asked, given)


def _summary_named(name: Any) -> Summary:
    """A summary; the name of a measure is refused with the verb that takes it."""
    key = plain_name(name.partition("(")[0]) if isinstance(name, str) else ""
    if key in SYNONYMS and key not in NAMES:
        raise refuse(
            "BR531",
            f"{quoted(name)} is a measure at a threshold, not a summary of all of them",
            f"measure(x, {quoted(name)}, threshold=0.5)",
        )
    return Summary.parse(name)


def _summed(x: Any, asked: Summary, at: Conditions | None) -> Reading:
    if not isinstance(x, Counts | Points):
        refuse_uncounted(x, "summary")
    found = asked(x, at)
    return found if isinstance(found, Reading) else Reading(found, name=str(asked))
