"""Decisions, expectations, leaders and triage: as JSON for a program, as text for a person."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from baserate.atomic import Grid, Page
from baserate.conditions import ASSUMED, OUTCOMES, Conditions, Uncertain, told
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING, Win, prior_at
from baserate.decisions.selection import Choice
from baserate.distributions import Range
from baserate.errors import escaped, grouped, quoted
from baserate.inference.values import percent
from baserate.measures.measure import Measure, in_costs
from baserate.notes import Note
from baserate.numbers import Undefined, rounded
from baserate.output import tables
from baserate.output.comparisons import of_difference, of_leads
from baserate.output.document import conditions, number, threshold, uncertain
from baserate.output.tables import (
    BASELINES,
    digits,
    in_words,
    lead_in_words,
    listed,
    p_in_words,
)
from baserate.robustness.decision import (
    CAUGHT,
    EVERY_PART,
    Decision,
    InformationValue,
    Recommendation,
)
from baserate.robustness.expectation import VARYING, Expectation, Outlook
from baserate.robustness.leaders import BestRecall, Lead
from baserate.robustness.minimax import Regret
from baserate.robustness.sensitivity import Change, Stability
from baserate.robustness.triage_zones import Triage
from baserate.robustness.winner_regions import WinnerMap

# ----------------------------------------------------------------------
# What is to be expected, who leads within a share of false alarms, and where to review: for a
# program, and for a person.


MOST_LINES = 25
LEADS_UNTESTED = "the differences were not tested; --prior tests them at a base rate"
ESTIMATE_UNTESTED = "the difference was not tested, because the base rate is an estimate"
NOTHING_TESTED: Mapping[float, Choice] = MappingProxyType({})


# ---- expect -----------------------------------------------------------------------------------


def of_expectation(model: str, found: Expectation) -> dict[str, Any]:
    """A measure over uncertain conditions, for a program."""
    numbers = {
        name: number(getattr(found, name))
        for name in ("value", "low", "high", "worst", "best", "error")
    }
    named = {
        "model": model,
        "measure": found.name,
        "at": uncertain(found.at),
        "level": found.level,
        "kind": found.kind or None,
    }
    return {**named, "optimized": found.optimized or None, **numbers}


def expected(found: Sequence[tuple[str, Expectation]]) -> str:
    """A sentence for each model, then a table."""
    first = found[0][1]
    lines = [
        *_unbeaten(found),
        *(_expected(model, one) for model, one in found if model not in BASELINES),
    ]
    names = [name for name in ("value", "low", "high", "worst", "best") if _is_told(name, found)]
    rows = [
        (_shown(model), *(digits(getattr(one, name), 4) for name in names)) for model, one in found
    ]
    titles = {"value": "in the long run" if first.kind == VARYING else "average"}
    table = [Grid(("model", *(titles.get(name, name) for name in names)), rows)] if names else []
    return Page(
        "\n".join([f"At {_conditions_of_expectation(first)}{_kind(first.kind)}:", *lines]), *table
    )


def _conditions_of_expectation(one: Expectation) -> str:
    """The conditions as they were given, and what was assumed where it matters."""
    if one.optimized == "tpr" and not one.at.costs_given:
        return f"{one.at}, at the threshold that catches most within the budget"
    return told(one.at, by_cost=in_costs(one.optimized, one.name))


def _unbeaten(found: Sequence[tuple[str, Expectation]]) -> Iterator[str]:
    """That flagging nothing, or everything, does as well as every model, on average, or at worst
    and at best alike.
    """
    models = [one for name, one in found if name not in BASELINES and " - " not in one.name]
    for name, base in found:
        if name in BASELINES and all(_no_better(one, base) for one in models):
            yield (
                "No model beats flagging"
                f" {name.split()[1]}{' on average' if not math.isnan(base.value) else ', at worst or at best'}."  # noqa: E501
            )


def _no_better(one: Expectation, base: Expectation) -> bool:
    sign = 1 if Measure.parse(one.name).direction == "higher" else -1
    pairs = (
        [(one.value, base.value)]
        if not math.isnan(base.value)
        else [(one.worst, base.worst), (one.best, base.best)]
    )
    return all(sign * ours <= sign * theirs for ours, theirs in pairs)


def _is_told(name: str, found: Sequence[tuple[str, Expectation]]) -> bool:
    """A column that says something: over a plain range low and high are the worst and the best."""
    spans = [{one.low, one.high} == {one.worst, one.best} for _, one in found]
    return not all(math.isnan(getattr(one, name)) for _, one in found) and not (
        name in ("low", "high") and all(spans)
    )


def _expected(model: str, one: Expectation) -> str:
    """On average, mostly, and at worst; what is not known is left out, or said why."""
    name = in_words(one.name, given=one.at.costs_given)
    named = escaped(name) if name.endswith(f" of {model}") else f"{_shown(model)}: {escaped(name)}"
    said = (
        []
        if math.isnan(one.value)
        else [
            f"{digits(one.value, 4)} {'in the long run' if one.kind == VARYING else 'on average'}"
        ]
    )
    if not math.isnan(one.low) and {one.low, one.high} != {one.worst, one.best}:
        where = ", over all of the range" if one.at.has_range else ""
        said.append(
            f"from {digits(one.low, 4)} to {digits(one.high, 4)} in {percent(one.level)} of the"
            f" assumed distribution{where}"
        )
    if not math.isnan(one.worst):
        said.append(
            f"at worst {digits(one.worst, 4)}, at best"
            f" {digits(one.best, 4)}{', over the range' if one.at.has_range else ''}"
        )
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
    columns = {
        name: [number(value) for value in getattr(found, name).tolist()]
        for name in ("x", "y", "low", "high", "worst", "best")
    }
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
    level = "over the range" if ranged else percent(found.level)
    heading = (
        f"{_shown(model)}: {found.y_label} along {found.x_label}, {level}, at"
        f" {found.at}{_kind(found.kind)}"
    )
    return Page(heading, Grid(tuple(name for name, _ in kept), rows, left=0))


def outlooks_csv(made: Sequence[tuple[str, Outlook]]) -> str:
    """Every place of every curve."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ("model", "curve", made[0][1].x_label, made[0][1].y_label, "low", "high", "worst", "best")
    )
    for model, one in made:
        for row in zip(one.x, one.y, one.low, one.high, one.worst, one.best, strict=True):
            writer.writerow(
                (
                    escaped(model),
                    one.name,
                    *("" if math.isnan(value) else repr(float(value)) for value in row),
                )
            )
    return out.getvalue()


# ---- triage -----------------------------------------------------------------------------------


def of_triage(model: str, found: Triage) -> dict[str, Any]:
    """Two thresholds and what follows, for a program."""
    numbers = {
        name: getattr(found, name)
        for name in ("acted", "reviewed", "passed", "found", "cost", "without", "saving", "reviews")
    }
    review = threshold(found.review) if found.reviewed else None
    return {
        "model": model,
        "at": conditions(found.at),
        "act": threshold(found.act),
        "review": review,
        **numbers,
    }


def triaged(found: Mapping[str, Triage]) -> str:
    """The cheapest model in words, then all of them."""
    best = min(found, key=lambda name: (found[name].cost, list(found).index(name)))
    one = found[best]
    others = [name for name in found if name != best]
    against = (
        " (against"
        f" {', '.join(f'{digits(found[name].cost, 4)} of {_shown(name)}' for name in others)})"
        if others
        else ""
    )
    sentence = (
        f"At {told(one.at, by_cost=True)}: with {_shown(best)}, {_acts(one)}; {_looks(one)}. That"
        f" costs {digits(one.cost, 4)} a case{against}; one threshold alone would cost"
        f" {digits(one.without, 4)}."
    )
    rows = [
        (
            _shown(name),
            "none" if t.act is None else f">= {t.shown[0]}",
            f">= {t.shown[1]}" if t.reviewed else "nothing",
        )
        + tuple(
            digits(value, 4)
            for value in (t.acted, t.reviewed, t.passed, t.found, t.cost, t.without)
        )
        + (() if t.reviews is None else (digits(t.reviews, 4),))
        for name, t in found.items()
    ]
    headings = (
        "model",
        "act",
        "review",
        "acted on",
        "reviewed",
        "passed",
        "found",
        "cost per case",
        "one threshold",
    )
    return Page(
        sentence, Grid(headings + (() if one.reviews is None else ("reviews",)), rows, left=3)
    )


def _acts(one: Triage) -> str:
    return (
        "act on nothing"
        if one.act is None
        else f"act on score >= {one.shown[0]} ({100 * one.acted:.3g} % of the cases)"
    )


def _looks(one: Triage) -> str:
    if not one.reviewed:
        return "review nothing"
    reviews = "" if one.reviews is None else f", {digits(one.reviews, 4)} of them"
    return (
        f"review from there down to {one.shown[1]} ({100 * one.reviewed:.3g} % of the"
        f" cases{reviews}); let the rest pass"
    )


# ---- leaders ----------------------------------------------------------------------------------


def of_leaders(
    found: BestRecall,
    priors: Sequence[float],
    tested: Mapping[float, Choice] | None = NOTHING_TESTED,
) -> dict[str, Any]:
    """Who leads from which base rate to which, for a program; and how much everyone finds at some
    of them. `tested` is None where the base rate is an estimate.
    """
    leads = [
        {"low": lead.low, "high": lead.high, "models": list(lead.models)} for lead in found.leads
    ]
    return {
        "fdr": found.fdr,
        "attained": found.attained,
        "leads": leads,
        "untested": _untested(found, priors, tested),
        "at": [_of_prior(found, prior, (tested or {}).get(prior)) for prior in priors],
    }


def _of_prior(found: BestRecall, prior: float, choice: Choice | None) -> dict[str, Any]:
    return {"prior": prior, "tpr": found.at(prior), **({} if choice is None else of_leads(choice))}


def _untested(
    found: BestRecall, priors: Sequence[float], tested: Mapping[float, Choice] | None
) -> str | None:
    """Why no difference was tested."""
    if len(found.models) < 2:
        return None
    return LEADS_UNTESTED if not priors else ESTIMATE_UNTESTED if tested is None else None


def led(
    found: BestRecall,
    priors: Sequence[float],
    tested: Mapping[float, Choice] | None = NOTHING_TESTED,
) -> str:
    """Who finds most, where, within a share of false alarms."""
    within = f"at most {100 * found.fdr:.6g} % false alarms among the alerts"
    choices = tested or {}
    said = [f"{_at_prior(found, prior)}{lead_in_words(choices.get(prior))}" for prior in priors]
    told = (
        "; ".join(said)
        if said
        else "; ".join(
            f"{_names(lead)} from base rate {lead.low:.4g} to {lead.high:.4g}"
            for lead in found.leads
        )
    )
    why = _untested(found, priors, tested)
    told += f" ({why})" if why else ""
    table = Grid(
        ("finds most", "from prior", "to prior"),
        [(_names(lead), f"{lead.low:.6g}", f"{lead.high:.6g}") for lead in found.leads],
        left=1,
    )
    return Page(
        f"Within {within}, most is found by: {told}.",
        table,
        *_values(found, priors),
        *filter(None, [tables.of_leads(list(choices.values()))]),
    )


def _names(lead: Lead) -> str:
    return " or ".join(map(_shown, lead.models)) or "none (no setting is so pure)"


def _at_prior(found: BestRecall, prior: float) -> str:
    values = found.at(prior)
    best = max(values.values())
    if not best:
        return f"at {prior:.6g} none, as no setting is so pure"
    names = " or ".join(_shown(name) for name, value in values.items() if value == best)
    others = ", ".join(
        f"{digits(value, 4)} of {_shown(name)}" for name, value in values.items() if value != best
    )
    return (
        f"at {prior:.6g} {names}, recall {digits(best, 4)}{f' against {others}' if others else ''}"
    )


def _values(found: BestRecall, priors: Sequence[float]) -> list[str]:
    if not priors:
        return []
    names = list(found.at(priors[0]))
    rows = [
        (f"{prior:.6g}", *(digits(found.at(prior)[name], 4) for name in names)) for prior in priors
    ]
    return [Grid(("prior", *(f"recall of {_shown(name)}" for name in names)), rows, left=1)]


# ----------------------------------------------------------------------
# What was decided under uncertain conditions: for a program, and for a person, the answer in the
# first sentence.


ANSWERS = (NOTHING, EVERYTHING)
MOST_RIVALS = 12


def of_recommendation(found: Recommendation) -> dict[str, Any]:
    """The decision and its surroundings, for a program."""
    parts: dict[str, Any] = {"decision": _decision(found.decision)}
    if found.map is not None and found.map.wins:
        parts["winner_map"] = _map(found.map)
    if found.stability is not None:
        parts["stability"] = _stability(found.stability)
    if found.learning is not None:
        parts["learning"] = {
            name: {"value": value, "error": found.learning.errors[name]}
            for name, value in found.learning.values.items()
        }
    return parts


def _decision(decision: Decision) -> dict[str, Any]:
    mixture = decision.mixture
    return {
        "at": uncertain(decision.at),
        "rule": decision.rule or None,
        "optimized": decision.optimized,
        "volume": decision.volume,
        "model": decision.model,
        "models": list(decision.models),
        "threshold": threshold(decision.threshold),
        "fpr": decision.fpr,
        "tpr": decision.tpr,
        "regret": _regret(decision.regret),
        "rivals": {name: _regret(rival) for name, rival in decision.rivals.items()},
        "refused": dict(decision.refused),
        "differences": [of_difference(one, None) for one in decision.differences],
        "untested": decision.untested or None,
        "mixture": (
            None
            if mixture is None
            else {
                "models": list(mixture.models),
                "thresholds": [threshold(cut) for cut in mixture.thresholds],
                "share": mixture.share,
                "fpr": mixture.fpr,
                "tpr": mixture.tpr,
                "regret": mixture.regret,
            }
        ),
    }


def _regret(regret: Regret) -> dict[str, Any]:
    return {
        "value": regret.value,
        "threshold": threshold(regret.threshold),
        "cost": regret.cost,
        "least": regret.least,
        "averaged": regret.averaged,
        "error": regret.error,
        "at": conditions(regret.at),
        "site": None if regret.site is None else str(regret.site),
        "instead": _settings(regret.instead),
    }


def _settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: threshold(cut) for name, cut in settings.items()}


def _map(found: WinnerMap) -> dict[str, Any]:
    wins = [
        {
            "low": win.low,
            "high": win.high,
            "models": list(win.models),
            "thresholds": [threshold(cut) for cut in win.thresholds],
            "fpr": win.fpr,
            "tpr": win.tpr,
        }
        for win in found.wins
    ]
    apart = found.apart
    doubts = (
        None
        if apart is None
        else [
            {"low": doubt.low, "high": doubt.high, "rivals": list(doubt.rivals)}
            for doubt in apart.doubts
        ]
    )
    return {
        "axis": "effective_prior",
        "wins": wins,
        "doubts": doubts,
        "level": None if apart is None else apart.level,
    }


def _stability(found: Stability) -> dict[str, Any]:
    held = {
        part: {
            "low": number(one.low),
            "high": number(one.high),
            "below": _settings(one.below),
            "above": _settings(one.above),
        }
        for part, one in found.held.items()
    }
    return {
        "at": conditions(found.at),
        "models": list(found.models),
        "thresholds": [threshold(cut) for cut in found.thresholds],
        "cost": found.cost,
        "held": held,
        "model_held": {
            part: [number(end) for end in ends] for part, ends in found.model_held.items()
        },
        "break_even": {
            part: [number(end) for end in ends] for part, ends in found.break_even.items()
        },
        "decisive": list(found.decisive),
    }


def decision_in_words(found: Recommendation) -> list[str]:
    """Paragraphs and tables: the answer in the first sentence; what else would do, who is cheapest
    where, and how firm that is.
    """
    blocks = [
        f"{sentence(found.decision)}{_lead(found.decision)}",
        *_mixed(found.decision),
        rivals(found.decision),
    ]
    if found.map is not None and found.map.wins:
        blocks.append(_where(found.map, found.decision))
        blocks += _doubts(found.map, found.decision)
    return [*blocks, *_firm(found.stability, found.map, found.decision), *_worth(found.learning)]


def sentence(decision: Decision) -> str:
    """What to do, and what not knowing better can cost."""
    regret, where = decision.regret, _conditions(decision)
    chosen = " or ".join(
        _named(decision, name, decision.rivals[name].threshold) for name in decision.models
    )
    choice = f"{where[0].upper()}{where[1:]}: choose {chosen}."
    if decision.model in ANSWERS:
        choice = f"No model beats flagging {decision.model.split()[1]} {where}: {chosen}."
    if decision.optimized == CAUGHT:
        return f"{choice} {_missed(decision)}"
    given = decision.at.costs_given
    if not regret.value:
        return f"{choice} On these cases nothing {'costs less' if given else 'makes fewer errors'}."
    best = "the best without the rule" if decision.rule else "the best there would be"
    more = f"{decision.how} {digits(regret.value, 4)} a case more than {best}"
    return (
        f"{choice} It {'costs' if given else 'makes'}"
        f" {more if given else more.replace(' a case', ' errors a case')} ({_most_at(decision)})."
    )


def _conditions(decision: Decision) -> str:
    """The conditions and the rule, as they were given; what was assumed is said to be."""
    at, rule = decision.at, f", with {escaped(decision.rule)}" if decision.rule else ""
    if decision.optimized == CAUGHT:
        return f"at {at}{rule} of {grouped(round(decision.volume or 0))}"
    return f"at {told(at, by_cost=True)}{rule}"


def _missed(decision: Decision) -> str:
    """What one threshold within the budget everywhere misses, beside the best within it at each
    base rate.
    """
    regret = decision.regret
    if not regret.value:
        return "No threshold within the budget catches more."
    much = (
        f"{decision.how} {digits(regret.value * (decision.volume or 1), 4)} more positives than the"
        " best threshold within the budget"
    )
    if regret.averaged:
        return f"It misses {much} at each base rate."
    best = _either(decision, regret.instead)
    return (
        f"It keeps the budget at all of these base rates, and misses {much} (most at prior"
        f" {regret.at.prior:.6g}{_site(regret)}: {best})."
    )


def _lead(decision: Decision) -> str:
    """Whether the setting that was chosen is better than the others, beyond chance."""
    found = decision.differences
    if not found:
        models = [name for name in decision.rivals if name not in ANSWERS]
        told = decision.untested and decision.model not in ANSWERS and len(models) > 1
        why = f" Its lead over the other models was not tested: {decision.untested}."
        return why if told else ""
    best = quoted(decision.model, quotes=False)
    close = [one for one in found if not one.significant]
    if close:
        return (
            f" On these cases {best} cannot be distinguished from"
            f" {listed([one.models[0] for one in close])} ({p_in_words(close)})."
        )
    others = listed([one.models[0] for one in found])
    many, are = ("differences", "are") if len(found) > 1 else ("difference", "is")
    return f" The {many} to {others} {are} significant ({p_in_words(found)})."


def _most_at(decision: Decision) -> str:
    """Where regret is most, and what would be best there; of averages, at which values of what is a
    range.
    """
    regret = decision.regret
    if not regret.averaged:
        return (
            f"most at {regret.at}{_site(regret)}, where {_either(decision, regret.instead)} would"
            " be best"
        )
    ranges = [name for name in ("prior", *OUTCOMES) if isinstance(_given(decision.at, name), Range)]
    said = [
        (
            f"prior {regret.at.prior:.6g}"
            if name == "prior"
            else f"{name} = {_cost(regret.at, name):.6g}"
        )
        for name in ranges
    ]
    place = (
        f"; most at {', '.join(said)}{_site(regret)}"
        if said
        else f"; most{_site(regret)}"
        if regret.site is not None
        else ""
    )
    return f"choosing anew for every value{place}"


def _given(at: Uncertain | Conditions, name: str) -> Any:
    return (
        at.costs[name] if isinstance(at, Uncertain) and name != "prior" else getattr(at, name, None)
    )


def _cost(at: Conditions, name: str) -> float:
    """A cost as it was given: what is earned is told as earned."""
    value = float(getattr(at.costs, name))
    return 0 - value if at.costs.earned else value


def _site(regret: Regret) -> str:
    return "" if regret.site is None else f" at site {quoted(str(regret.site))}"


def _named(decision: Decision, name: str, cut: Any) -> str:
    return (
        name
        if name in ANSWERS
        else f"{quoted(name, quotes=False)}, score >= {decision.shown(name, cut)}"
    )


def _either(decision: Decision, settings: Mapping[str, Any]) -> str:
    return " or ".join(_named(decision, name, cut) for name, cut in settings.items())


def _mixed(decision: Decision) -> Iterator[str]:
    mixture = decision.mixture
    if mixture is not None:
        first, second = (
            _named(decision, name, cut)
            for name, cut in zip(mixture.models, mixture.thresholds, strict=True)
        )
        share = f"{100 * mixture.share:.3g} %"
        yield (
            f"A mixture regrets less, {digits(mixture.regret, 4)}: {first} for {share} of the"
            f" cases, drawn at random, {second} for the rest."
        )


def rivals(decision: Decision) -> str:
    """The best that every model, and flagging nothing or everything, could do."""
    averaged, earned, given = (
        decision.regret.averaged,
        decision.regret.at.costs.earned,
        decision.at.costs_given,
    )
    places, scale = (
        decision.has_scenes or not averaged,
        (decision.volume or 1) if decision.optimized == CAUGHT else 1,
    )
    sign = -scale if earned else scale
    rows = [
        (
            quoted(name, quotes=False),
            "" if name in ANSWERS else f">= {decision.shown(name, one.threshold)}",
            digits(scale * one.value, 4),
            digits(0 + sign * one.cost, 4),
            digits(0 + sign * one.least, 4),
            *((f"{one.at.prior:.6g}",) if places else ()),
            *((one.at.costs.spoken.partition("(")[2][:-1],) if places and given else ()),
            *(() if one.site is None else (quoted(str(one.site), quotes=False),)),
        )
        for name, one in sorted(decision.rivals.items(), key=lambda item: item[1].value)
    ]
    rows += [
        (quoted(name, quotes=False), why, *("" for _ in rows[0][2:]))
        for name, why in decision.refused.items()
    ]
    sites = ("at site",) if any(one.site is not None for one in decision.rivals.values()) else ()
    worst = (
        ("at prior", *((f"and {'profits' if earned else 'costs'}",) if given else ()))
        if places
        else ()
    )
    headings = ("setting", "threshold", *_amounts(decision), *worst, *sites)
    lead = (
        ("Where each regrets most on average" if places else "Regret on average")
        if averaged
        else "Where each regrets most"
    )
    return Page(
        f"{lead}, each at its best threshold:", Grid(headings, rows[: MOST_RIVALS + 2], left=2)
    )


def _amounts(decision: Decision) -> tuple[str, str, str]:
    """What regret, the amount of a setting and that of the best are called."""
    if decision.optimized == CAUGHT:
        return "missed beyond the best", "missed", "missed by the best"
    if not decision.at.costs_given:
        return "regret a case", "its errors there", "fewest errors there"
    earned = decision.regret.at.costs.earned
    return "regret a case", *(
        ("its profit there", "most profit there")
        if earned
        else ("its cost there", "least cost there")
    )


def _where(found: WinnerMap, decision: Decision) -> str:
    """Who is cheapest from which base rate to which, at the costs in the middle; neighbouring
    thresholds of a model together.
    """
    middle = decision.at.middle() if isinstance(decision.at, Uncertain) else decision.at
    runs: list[tuple[Win, Win]] = []
    for win in found.wins:
        if runs and runs[-1][1].models == win.models:
            runs[-1] = runs[-1][0], win
        else:
            runs.append((win, win))
    rows = []
    for first, last in runs:
        low, high = (_prior(end, middle) for end in (first.low, last.high))
        name = first.models[0]
        cuts = (
            ("", "")
            if name in ANSWERS
            else (
                decision.shown(name, first.thresholds[0]),
                decision.shown(name, last.thresholds[0]),
            )
        )
        span = f">= {cuts[0]}" if cuts[0] == cuts[1] else f">= {cuts[0]} down to {cuts[1]}"
        rows.append(
            (
                " or ".join(quoted(name, quotes=False) for name in first.models),
                span if cuts[0] else "",
                low,
                high,
            )
        )
    best = _best(middle)
    table = Grid((best, "threshold", "from prior", "to prior"), rows, left=2)
    return Page(f"Who {_is_best(middle)} where, {_at_costs(middle)}:", table)


def _best(at: Conditions) -> str:
    if not at.costs_given:
        return "fewest errors"
    return "most profitable" if at.costs.earned else "cheapest"


def _is_best(at: Conditions) -> str:
    return f"is {_best(at)}" if at.costs_given else "makes the fewest errors"


def _at_costs(at: Conditions) -> str:
    return f"at {at.costs.spoken}" if at.costs_given else ASSUMED


def _prior(effective: float, at: Conditions) -> str:
    return f"{rounded(prior_at(Fraction(effective), at.costs)):.6g}"


def _doubts(found: WinnerMap, decision: Decision) -> Iterator[str]:
    """Between which base rates, at the costs in the middle, who is cheapest is not shown."""
    if found.apart is None:
        return
    level = percent(found.apart.level)
    if not found.apart.doubts:
        yield f"At {level} for the whole map, every winner is told from the others."
        return
    middle = decision.at.middle() if isinstance(decision.at, Uncertain) else decision.at
    rows = []
    for doubt in found.apart.doubts:
        seen = dict.fromkeys(found.apart.between(doubt.low, doubt.high)) or doubt.rivals
        told = " or ".join(quoted(name, quotes=False) for name in seen)
        others = ", ".join(quoted(name, quotes=False) for name in doubt.rivals)
        rows.append((told, _prior(doubt.low, middle), _prior(doubt.high, middle), others))
    table = Grid((_best(middle), "from prior", "to prior", "cannot be told from"), rows, left=1)
    how = f"At {level} for the whole map ({found.apart.replicates} resamples), {_at_costs(middle)}"
    yield Page(f"{how}, the winner cannot be told from these:", table)


def _firm(found: Stability | None, map_: WinnerMap | None, decision: Decision) -> Iterator[str]:
    """How far each number may be off, and what would change the choice."""
    if found is None:
        return
    choice = _either(decision, dict(zip(found.models, found.thresholds, strict=True)))
    prior = found.held["prior"]
    rivals = (
        [] if map_ is None or map_.apart is None else map_.apart.doubtful(found.at.effective_prior)
    )
    others = ", ".join(quoted(name, quotes=False) for name in rivals if name not in found.models)
    doubt = f" (not told from {others})" if others else ""
    stays = f"and stays so from prior {prior.low:.6g} to {prior.high:.6g}{_costs_held(found)}"
    lines = [f"At {told(found.at, by_cost=True)}, {choice} {_is_best(found.at)}{doubt}, {stays}."]
    lines += [_changed(change, found.at, decision) for change in found.changes[:1]]
    if found.decisive:
        lines.append(
            "What is not known well enough to settle the choice by itself:"
            f" {', '.join(found.decisive)}."
        )
    yield " ".join(lines)


def _costs_held(found: Stability) -> str:
    said = []
    for part in ("fn", "fp"):
        held, sign = found.held[part], -1 if found.at.costs.earned else 1
        low, high = (
            "" if not math.isfinite(end) else f"{0 + sign * end:.6g}"
            for end in (held.low, held.high)[::sign]
        )
        said.append(
            f"{part} from {low} to {high}"
            if low and high
            else f"{part} from {low} on"
            if low
            else f"{part} up to {high}"
        )
    return f", or {', or '.join(said)}, all else as it is"


def _changed(change: Change, at: Conditions, decision: Decision) -> str:
    factor = change.factor if change.factor > 1 else 1 / change.factor
    turned = at.costs.earned and change.part != "prior"
    way = (
        ("larger" if turned else "higher")
        if change.factor > 1
        else ("smaller" if turned else "lower")
    )
    then = 0 - change.then if turned else change.then
    becomes = f"{_either(decision, change.becomes)} {_is_best(at)}"
    return (
        f"The smallest single change: {change.part} {factor:.3g} times {way} ({then:.6g}), and"
        f" {becomes}."
    )


def _worth(found: InformationValue | None) -> Iterator[str]:
    """What it is worth to find out."""
    if found is None:
        return
    parts = [name for name in found.values if name != EVERY_PART]
    said = [f"{name} {digits(found[name], 4)}" for name in parts]
    every = f"{digits(found[EVERY_PART], 4)} for everything" if len(parts) != 1 else ""
    yield (
        "What it would be worth a case to know before choosing:"
        f" {', '.join([*said, *([every] if every else [])])}."
    )


def notes_said(found: Recommendation) -> list[Note]:
    """What a reader should know of all parts together."""
    if found.map is None:
        return list(found.decision.notes)
    more = () if found.map.apart is None else found.map.apart.notes
    return list(dict.fromkeys((*found.decision.notes, *found.map.notes, *more)))
