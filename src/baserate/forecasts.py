"""What is to be expected, who leads within a share of false alarms, and where to review: for a program, and for a person."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from baserate import tables
from baserate.conditions import told
from baserate.decisions.models import Choice
from baserate.document import conditions, number, threshold, uncertain
from baserate.errors import escaped, quoted
from baserate.measures.values import Measure, in_costs
from baserate.pages import Grid, Page
from baserate.prospects.expectations import VARYING, Expectation
from baserate.prospects.leading import Lead, Leaders
from baserate.prospects.outlooks import Outlook
from baserate.prospects.triaging import Triage
from baserate.tables import BASELINES, digits, in_words
from baserate.uncertainty.values import percent
from baserate.undefined import Undefined
from baserate.verdicts import of_leads

MOST_LINES = 25
LEADS_UNTESTED = "the differences were not tested; --prior tests them at a base rate"
NOTHING_TESTED: Mapping[float, Choice] = MappingProxyType({})


# ---- expect --------------------------------------------------------------------------------------------------------------------


def of_expectation(model: str, found: Expectation) -> dict[str, Any]:
    """A measure over uncertain conditions, for a program."""
    numbers = {name: number(getattr(found, name)) for name in ("value", "low", "high", "worst", "best", "error")}
    named = {"model": model, "measure": found.name, "at": uncertain(found.at), "level": found.level, "kind": found.kind or None}
    return {**named, "optimized": found.optimized or None, **numbers}


def expected(found: Sequence[tuple[str, Expectation]]) -> str:
    """A sentence for each model, then a table."""
    first = found[0][1]
    lines = [*_unbeaten(found), *(_expected(model, one) for model, one in found if model not in BASELINES)]
    names = [name for name in ("value", "low", "high", "worst", "best") if _is_told(name, found)]
    rows = [(_shown(model), *(digits(getattr(one, name), 4) for name in names)) for model, one in found]
    titles = {"value": "in the long run" if first.kind == VARYING else "average"}
    table = [Grid(("model", *(titles.get(name, name) for name in names)), rows)] if names else []
    return Page("\n".join([f"At {_conditions(first)}{_kind(first.kind)}:", *lines]), *table)


def _conditions(one: Expectation) -> str:
    """The conditions as they were given, and what was assumed where it matters."""
    if one.optimized == "tpr" and not one.at.costs_given:
        return f"{one.at}, at the threshold that catches most within the budget"
    return told(one.at, by_cost=in_costs(one.optimized, one.name))


def _unbeaten(found: Sequence[tuple[str, Expectation]]) -> Iterator[str]:
    """That flagging nothing, or everything, does as well as every model, on average, or at worst and at best alike."""
    models = [one for name, one in found if name not in BASELINES and " - " not in one.name]
    for name, base in found:
        if name in BASELINES and all(_no_better(one, base) for one in models):
            yield f"No model beats flagging {name.split()[1]}{' on average' if not math.isnan(base.value) else ', at worst or at best'}."


def _no_better(one: Expectation, base: Expectation) -> bool:
    sign = 1 if Measure.parse(one.name).direction == "higher" else -1
    pairs = [(one.value, base.value)] if not math.isnan(base.value) else [(one.worst, base.worst), (one.best, base.best)]
    return all(sign * ours <= sign * theirs for ours, theirs in pairs)


def _is_told(name: str, found: Sequence[tuple[str, Expectation]]) -> bool:
    """A column that says something: over a plain range low and high are the worst and the best."""
    spans = [{one.low, one.high} == {one.worst, one.best} for _, one in found]
    return not all(math.isnan(getattr(one, name)) for _, one in found) and not (name in ("low", "high") and all(spans))


def _expected(model: str, one: Expectation) -> str:
    """On average, mostly, and at worst; what is not known is left out, or said why."""
    name = in_words(one.name, given=one.at.costs_given)
    named = escaped(name) if name.endswith(f" of {model}") else f"{_shown(model)}: {escaped(name)}"
    said = [] if math.isnan(one.value) else [f"{digits(one.value, 4)} {'in the long run' if one.kind == VARYING else 'on average'}"]
    if not math.isnan(one.low) and {one.low, one.high} != {one.worst, one.best}:
        where = ", over all of the range" if one.at.has_range else ""
        said.append(f"from {digits(one.low, 4)} to {digits(one.high, 4)} in {percent(one.level)} of the assumed distribution{where}")
    if not math.isnan(one.worst):
        said.append(f"at worst {digits(one.worst, 4)}, at best {digits(one.best, 4)}{', over the range' if one.at.has_range else ''}")
    if not said:
        reason = one.worst.reason if isinstance(one.worst, Undefined) else "undefined"
        return f"{named} cannot be told: {reason}."
    return f"{named} {'; '.join(said)}."


def _kind(kind: str) -> str:
    return f" (base rate {kind})" if kind else ""


def _shown(model: str) -> str:
    return quoted(model, quotes=False)


def of_outlook(model: str, found: Outlook) -> dict[str, Any]:
    """A curve over uncertain base rates, for a program."""
    columns = {name: [number(value) for value in getattr(found, name).tolist()] for name in ("x", "y", "low", "high", "worst", "best")}
    labels = {"curve": found.name, "x_label": found.x_label, "y_label": found.y_label}
    return {
        "model": model,
        **labels,
        "at": uncertain(found.at),
        "level": found.level,
        "kind": found.kind or None,
        "error": found.error,
        **columns,
    }


def outlook(model: str, found: Outlook, most: int = MOST_LINES) -> str:
    """The curve as a table of so many lines at most."""
    step = max(1, -(-len(found) // most))
    places = list(range(step - 1, len(found), step))
    columns = (found.x, found.y, found.low, found.high, found.worst, found.best)
    names = (found.x_label, found.y_label, "low", "high", "worst", "best")
    ranged = found.at.has_range  # low and high are then the ends of the range, as worst and best are
    kept = [
        (name, column)
        for name, column in zip(names, columns, strict=True)
        if not all(math.isnan(value) for value in column) and not (ranged and name in ("low", "high"))
    ]
    rows = [tuple(digits(float(column[place]), 4) for _, column in kept) for place in places]
    level = "over the range" if ranged else percent(found.level)
    heading = f"{_shown(model)}: {found.y_label} along {found.x_label}, {level}, at {found.at}{_kind(found.kind)}"
    return Page(heading, Grid(tuple(name for name, _ in kept), rows, left=0))


def outlooks_csv(made: Sequence[tuple[str, Outlook]]) -> str:
    """Every place of every curve."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("model", "curve", made[0][1].x_label, made[0][1].y_label, "low", "high", "worst", "best"))
    for model, one in made:
        for row in zip(one.x, one.y, one.low, one.high, one.worst, one.best, strict=True):
            writer.writerow((escaped(model), one.name, *("" if math.isnan(value) else repr(float(value)) for value in row)))
    return out.getvalue()


# ---- triage --------------------------------------------------------------------------------------------------------------------


def of_triage(model: str, found: Triage) -> dict[str, Any]:
    """Two thresholds and what follows, for a program."""
    numbers = {name: getattr(found, name) for name in ("acted", "reviewed", "passed", "found", "cost", "without", "saving", "reviews")}
    review = threshold(found.review) if found.reviewed else None
    return {"model": model, "at": conditions(found.at), "act": threshold(found.act), "review": review, **numbers}


def triaged(found: Mapping[str, Triage]) -> str:
    """The cheapest model in words, then all of them."""
    best = min(found, key=lambda name: (found[name].cost, list(found).index(name)))
    one = found[best]
    others = [name for name in found if name != best]
    against = f" (against {', '.join(f'{digits(found[name].cost, 4)} of {_shown(name)}' for name in others)})" if others else ""
    sentence = (
        f"At {told(one.at, by_cost=True)}: with {_shown(best)}, {_acts(one)}; {_looks(one)}. That costs {digits(one.cost, 4)} a case{against}; "
        f"one threshold alone would cost {digits(one.without, 4)}."
    )
    rows = [
        (_shown(name), "none" if t.act is None else f">= {t.shown[0]}", f">= {t.shown[1]}" if t.reviewed else "nothing")
        + tuple(digits(value, 4) for value in (t.acted, t.reviewed, t.passed, t.found, t.cost, t.without))
        + (() if t.reviews is None else (digits(t.reviews, 4),))
        for name, t in found.items()
    ]
    headings = ("model", "act", "review", "acted on", "reviewed", "passed", "found", "cost per case", "one threshold")
    return Page(sentence, Grid(headings + (() if one.reviews is None else ("reviews",)), rows, left=3))


def _acts(one: Triage) -> str:
    return "act on nothing" if one.act is None else f"act on score >= {one.shown[0]} ({100 * one.acted:.3g} % of the cases)"


def _looks(one: Triage) -> str:
    if not one.reviewed:
        return "review nothing"
    reviews = "" if one.reviews is None else f", {digits(one.reviews, 4)} of them"
    return f"review from there down to {one.shown[1]} ({100 * one.reviewed:.3g} % of the cases{reviews}); let the rest pass"


# ---- leaders -------------------------------------------------------------------------------------------------------------------


def of_leaders(found: Leaders, priors: Sequence[float], tested: Mapping[float, Choice] = NOTHING_TESTED) -> dict[str, Any]:
    """Who leads from which base rate to which, for a program; and how much everyone finds at some of them."""
    leads = [{"low": lead.low, "high": lead.high, "models": list(lead.models)} for lead in found.leads]
    return {
        "fdr": found.fdr,
        "attained": found.attained,
        "leads": leads,
        "untested": None if priors or len(found.models) < 2 else LEADS_UNTESTED,
        "at": [_of_prior(found, prior, tested.get(prior)) for prior in priors],
    }


def _of_prior(found: Leaders, prior: float, choice: Choice | None) -> dict[str, Any]:
    return {"prior": prior, "tpr": found.at(prior), **({} if choice is None else of_leads(choice))}


def led(found: Leaders, priors: Sequence[float], tested: Mapping[float, Choice] = NOTHING_TESTED) -> str:
    """Who finds most, where, within a share of false alarms."""
    within = f"at most {100 * found.fdr:.6g} % false alarms among the alerts"
    said = [f"{_at_prior(found, prior)}{_lead(tested.get(prior))}" for prior in priors]
    told = "; ".join(said) if said else "; ".join(f"{_names(lead)} from base rate {lead.low:.4g} to {lead.high:.4g}" for lead in found.leads)
    told += "" if priors or len(found.models) < 2 else f" ({LEADS_UNTESTED})"
    table = Grid(
        ("finds most", "from prior", "to prior"), [(_names(lead), f"{lead.low:.6g}", f"{lead.high:.6g}") for lead in found.leads], left=1
    )
    return Page(
        f"Within {within}, most is found by: {told}.", table, *_values(found, priors), *filter(None, [tables.of_leads(list(tested.values()))])
    )


def _lead(choice: Choice | None) -> str:
    """Whether the model that finds most is better than the others, behind what it finds."""
    if choice is None or len(choice.points) < 2:
        return ""
    if choice.untested or not choice.differences:
        return f" (the difference was not tested: {choice.untested})" if choice.untested else ""
    close = [one for one in choice.differences if not one.significant]
    if close:
        others = tables.listed([one.models[0] for one in close])
        return f" (cannot be distinguished from {others} on these cases, {tables.p_in_words(close)})"
    are = "differences are" if len(choice.differences) > 1 else "difference is"
    return f" (the {are} significant, {tables.p_in_words(choice.differences)})"


def _names(lead: Lead) -> str:
    return " or ".join(map(_shown, lead.models)) or "none (no setting is so pure)"


def _at_prior(found: Leaders, prior: float) -> str:
    values = found.at(prior)
    best = max(values.values())
    if not best:
        return f"at {prior:.6g} none, as no setting is so pure"
    names = " or ".join(_shown(name) for name, value in values.items() if value == best)
    others = ", ".join(f"{digits(value, 4)} of {_shown(name)}" for name, value in values.items() if value != best)
    return f"at {prior:.6g} {names}, recall {digits(best, 4)}{f' against {others}' if others else ''}"


def _values(found: Leaders, priors: Sequence[float]) -> list[str]:
    if not priors:
        return []
    names = list(found.at(priors[0]))
    rows = [(f"{prior:.6g}", *(digits(found.at(prior)[name], 4) for name in names)) for prior in priors]
    return [Grid(("prior", *(f"recall of {_shown(name)}" for name in names)), rows, left=1)]
