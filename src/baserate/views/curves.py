"""Curves as tables, as JSON and as CSV; and what is drawn with them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from baserate.atomic import Grid, Page
from baserate.conditions import told
from baserate.curves.curve import Curve, Curves
from baserate.curves.named import act_on_everybody, benefits_at
from baserate.errors import grouped, number_of, quoted
from baserate.inference.expectation import Outlook
from baserate.measures.confusion import in_costs
from baserate.measures.isolines import Isoline
from baserate.notation import base_rate
from baserate.numbers import spreadsheet_safe
from baserate.results.values import percent
from baserate.views.document import conditions, number, threshold, uncertain
from baserate.views.tables import digits, in_words, spread_evenly

MOST_LINES = 25


# ----------------------------------------------------------------------
# In words and as tables.


def describe_curve(curve: Curve, model: str = "") -> str:
    """Return which measures go together, and where."""
    said = f"{quoted(model, quotes=False)}, {curve.name}" if model else curve.name
    if curve.over is not None:
        return f"{said}: {_describe_outlook(curve.over)}"
    by_cost = in_costs(curve.x_label, curve.y_label)
    where = "" if curve.at is None else f", at {told(curve.at, by_cost=by_cost)}"
    x, y = _axes_of(curve)
    return f"{said}: {y} against {x}{where}"


def describe_curves(found: Curves) -> str:
    """Return the same of one curve; of several, which there are."""
    first = next(iter(found.values()))
    if _are_decisions(first):
        return "\n".join(title for title, _ in _list_decisions(found))
    if len(found) == 1:
        ((model, curve),) = found.by_model()
        return describe_curve(curve, model)
    models = list(dict.fromkeys(model for model, _ in found.by_model() if model))
    of = f" of {number_of(len(models), 'model')}" if len(models) > 1 else ""
    shared = first if len({curve.at for curve in found.values()}) == 1 else replace(first, at=None)
    return f"{number_of(len(found), 'curve')}{of}, {describe_curve(shared)}"


def tabulate_curves(found: Curves) -> list[str]:
    """Return the points of every curve, and what is drawn with them."""
    first = next(iter(found.values()))
    if _are_decisions(first):
        tables = list(_list_decisions(found))
        return [table if len(tables) == 1 else Page(title, table) for title, table in tables]
    pages = []
    for model, curve in found.by_model():
        table = tabulate_curve(curve)
        title = describe_curve(curve, model)
        pages.append(table if len(found) == 1 else Page(title, table))
    return [*pages, *_tabulate_lines(found)]


def tabulate_curve(curve: Curve) -> str:
    """Return the points of a curve, or some of them, evenly spread."""
    if curve.over is not None:
        return _tabulate_outlook(curve.over)
    shown = spread_evenly(len(curve), MOST_LINES)
    cuts, band = curve.thresholds, curve.band
    rows = [
        (
            *(() if cuts is None else (_show_cut(float(cuts[i])),)),
            digits(float(curve.x[i]), 4),
            digits(float(curve.y[i]), 4),
        )
        for i in shown
    ]
    table: str = Grid((*(() if cuts is None else ("score ≥",)), *_axes_of(curve)), rows, left=0)
    if len(shown) < len(curve):
        some = f"({len(shown)} of {grouped(len(curve))} points; all with --csv)"
        table = Page(table, some)
    return table if band is None else Page(table, _tabulate_band(band))


def _axes_of(curve: Curve) -> tuple[str, str]:
    given = curve.at is None or curve.at.costs_given
    return in_words(curve.x_label, given=given), in_words(curve.y_label, given=given)


def _tabulate_band(band: Any) -> str:
    title = f"{percent(band.level)} {band.kind} band ({band.method}):"
    places = spread_evenly(len(band.x), MOST_LINES)
    columns = (band.x, band.y, band.low, band.high)
    rows = [[digits(float(column[place]), 4) for column in columns] for place in places]
    return Page(title, Grid((band.x_label, band.y_label, "low", "high"), rows, left=0))


def _tabulate_lines(found: Curves) -> list[str]:
    """Return isolines and the baseline, as straight lines of ROC space."""
    rows = [
        (
            f"{line.measure} = {line.value:g}",
            base_rate(line.prior),
            digits(line.tangent, 4),
        )
        for line in found.isolines
    ]
    lines: list[str] = []
    if rows:
        lines.append(Grid(("isoline", "base rate", "tangent"), rows, left=2))
    base = found.baseline
    if base is not None:
        lines.append(
            f"Better than {base.answer} are points above recall ="
            f" {digits(base.intercept, 4)} + {digits(base.slope, 4)} · fpr."
        )
    return lines


def _are_decisions(curve: Curve) -> bool:
    return curve.name == "decision" and curve.over is None


def _list_decisions(found: Curves) -> Iterator[tuple[str, str]]:
    """Return a title and a table for each base rate: net benefit at threshold probabilities a
    percent apart, beside acting on everybody and on nobody.
    """
    curves = found.by_model()
    priors = dict.fromkeys(curve.at.prior for _, curve in curves if curve.at is not None)
    for prior in priors:
        here = [
            (model, one) for model, one in curves if one.at is not None and one.at.prior == prior
        ]
        models = f"{len(here)} models"
        if len(here) == 1:
            models = quoted(here[0][0], quotes=False) or "One model"
        title = (
            f"{models}, decision curve: net benefit per case at a base rate of {base_rate(prior)}"
            " (all points with --csv)"
        )
        yield title, _tabulate_benefits(here, float(prior))


def _tabulate_benefits(curves: Sequence[tuple[str, Curve]], prior: float) -> str:
    """Return net benefit at every percent; of one curve also the thresholds."""
    highest = max(float(curve.x[-1]) for _, curve in curves)
    t = np.arange(1, max(2, min(100, math.floor(100 * highest) + 2))) / 100
    read = [benefits_at(curve, t) for _, curve in curves]
    columns = [act_on_everybody(t, prior), np.zeros(len(t)), *(values for values, _ in read)]
    headings = ["threshold probability", "act on everybody", "act on nobody", "net benefit"]
    if len(curves) > 1:
        headings[3:] = [f"net benefit, {quoted(model, quotes=False)}" for model, _ in curves]
    rows = [
        [f"{100 * share:.0f} %", *(digits(float(column[i]), 4) for column in columns)]
        for i, share in enumerate(t)
    ]
    if len(curves) == 1:
        headings.insert(1, "score ≥")
        for row, cut in zip(rows, read[0][1], strict=True):
            row.insert(1, _show_cut(float(cut)))
    return Grid(headings, rows, left=0)


def _show_cut(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:.6g}"


def _tabulate_outlook(found: Outlook) -> str:
    """Return the curve over uncertain base rates as a table."""
    step = max(1, -(-len(found) // MOST_LINES))
    places = list(range(step - 1, len(found), step))
    columns = (found.x, found.y, found.low, found.high, found.worst, found.best)
    names = (found.x_label, found.y_label, "low", "high", "worst", "best")
    ranged = (
        found.at.has_range
    )  # low and high are then the ends of the range, as worst and best are
    kept = [
        (name, column)
        for name, column in zip(names, columns, strict=True)
        if not all(math.isnan(value) for value in column)
        and not (ranged and name in ("low", "high"))
    ]
    rows = [tuple(digits(float(column[place]), 4) for _, column in kept) for place in places]
    return Grid(tuple(name for name, _ in kept), rows, left=0)


def _describe_outlook(found: Outlook) -> str:
    level = "over the range" if found.at.has_range else percent(found.level)
    kind = f" (base rate {found.kind})" if found.kind else ""
    return f"{found.y_label} along {found.x_label}, {level}, at {found.at}{kind}"


# ----------------------------------------------------------------------
# As JSON.


def curves_as_json(found: Curves) -> dict[str, Any]:
    """Return every curve, and the lines and bands that are drawn with them where there are any."""
    plain = [(model, curve) for model, curve in found.by_model() if curve.over is None]
    over = [(model, curve.over) for model, curve in found.by_model() if curve.over is not None]
    bands = [(model, curve.band) for model, curve in plain if curve.band is not None]
    base = found.baseline
    parts = {
        "curves": [_curve_as_json(model, curve) for model, curve in plain],
        "outlooks": [_outlook_as_json(model, one) for model, one in over],
        "isolines": [_isoline_as_json(line) for line in found.isolines],
        "bands": [_band_as_json(model, one) for model, one in bands],
        "baseline": None
        if base is None
        else {"slope": base.slope, "intercept": base.intercept, "answer": base.answer},
    }
    return {name: value for name, value in parts.items() if value}


def _isoline_as_json(line: Isoline) -> dict[str, Any]:
    return {name: getattr(line, name) for name in ("measure", "value", "prior", "angle")}


def _band_as_json(model: str, band: Any) -> dict[str, Any]:
    return {
        "model": model or None,
        **{name: getattr(band, name) for name in ("name", "x_label", "y_label", "level", "method")},
        "x": band.x.tolist(),
        **{name: [number(v) for v in getattr(band, name)] for name in ("y", "low", "high")},
    }


def _curve_as_json(model: str, curve: Curve) -> dict[str, Any]:
    """Return the columns of a curve, null where a measure is undefined, and the conditions that
    they are read at.
    """
    everybody = (
        []
        if curve.name != "decision" or curve.at is None
        else act_on_everybody(curve.x, curve.at.prior).tolist()
    )
    return {
        "model": model or None,
        "name": curve.name,
        "x_label": curve.x_label,
        "y_label": curve.y_label,
        "at": None if curve.at is None else conditions(curve.at),
        "digest": curve.digest,
        # Infinite scores keep their places on an axis.
        "x": [threshold(x) if math.isinf(x) else number(x) for x in curve.x.tolist()],
        "y": [number(value) for value in curve.y.tolist()],
        "thresholds": (
            None
            if curve.thresholds is None
            else [threshold(None if math.isnan(t) else t) for t in curve.thresholds.tolist()]
        ),
        **({"act_on_everybody": [number(value) for value in everybody]} if everybody else {}),
    }


def _outlook_as_json(model: str, found: Outlook) -> dict[str, Any]:
    """Return a curve over uncertain base rates."""
    columns = {
        name: [number(value) for value in getattr(found, name).tolist()]
        for name in ("x", "y", "low", "high", "worst", "best")
    }
    labels = {"curve": found.name, "x_label": found.x_label, "y_label": found.y_label}
    return {
        "model": model or None,
        **labels,
        "at": uncertain(found.at),
        "level": found.level,
        "kind": found.kind or None,
        "error": found.error,
        **columns,
    }


# ----------------------------------------------------------------------
# As CSV.


def curves_as_csv(found: Curves) -> str:
    """Return all points of all curves: one line per point, with its model and base rate."""
    curves = found.by_model()
    first = curves[0][1]
    if first.over is not None:
        return _outlooks_as_csv([(model, curve.over) for model, curve in curves])
    with_cut = first.x_label != "threshold"
    head = ("model", "prior", *(("threshold",) if with_cut else ()), first.x_label, first.y_label)
    rows = []
    for model, curve in curves:
        prior = "" if curve.at is None or curve.at.prior is None else repr(curve.at.prior)
        cuts = (
            curve.thresholds.tolist() if curve.thresholds is not None else [math.nan] * len(curve)
        )
        columns = (*((cuts,) if with_cut else ()), curve.x.tolist(), curve.y.tolist())
        name = spreadsheet_safe(model)
        rows += [(name, prior, *row) for row in zip(*columns, strict=True)]
    return csv_text(head, rows)


def _outlooks_as_csv(made: Sequence[tuple[str, Outlook]]) -> str:
    """Return every place of every curve."""
    first = made[0][1]
    rows: list[tuple[str | float, ...]] = [
        (spreadsheet_safe(model), one.name, *map(float, row))
        for model, one in made
        for row in zip(one.x, one.y, one.low, one.high, one.worst, one.best, strict=True)
    ]
    bounds = ("low", "high", "worst", "best")
    return csv_text(("model", "curve", first.x_label, first.y_label, *bounds), rows)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str | float]]) -> str:
    """Return rows as CSV; numbers with all their digits, and nothing for what is undefined."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow("" if cell != cell else cell for cell in row)  # noqa: PLR0124 (NaN)
    return out.getvalue()
