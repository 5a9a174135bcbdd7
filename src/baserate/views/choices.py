"""Decisions, expectations and leaders: as JSON for a program, as text for a person."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

from baserate.atomic import Grid, Page
from baserate.conditions import ASSUMED, Conditions, told
from baserate.decisions.best_recall import BestRecall, Lead
from baserate.decisions.regret import CAUGHT, Decision, InformationValue, Regret
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING, Win, prior_at
from baserate.decisions.sensitivity import Change, Stability
from baserate.decisions.winner_map import WinnerMap
from baserate.errors import Note, escaped, grouped, quoted
from baserate.inference.decide import Recommendation
from baserate.inference.expectation import VARYING, Expectation
from baserate.measures.confusion import Measure, in_costs
from baserate.notation import base_rate
from baserate.numbers import Undefined, rounded
from baserate.results.choice import Choice
from baserate.results.operating_point import COUNTED
from baserate.results.values import percent
from baserate.views import tables
from baserate.views.comparisons import of_difference, of_leads
from baserate.views.document import conditions, number, threshold, uncertain
from baserate.views.tables import (
    BASELINES,
    digits,
    in_words,
    lead_in_words,
    listed,
    p_in_words,
)

# ----------------------------------------------------------------------
# Expectations, and the best recall within a share of false alerts: as JSON and as text.


MOST_LINES = 25
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
        (_shown(model), *(tables.reading(one.name, getattr(one, name)) for name in names))
        for model, one in found
    ]
    titles = {"value": "in the long run" if first.kind == VARYING else "average"}
    titles |= {"worst": "highest", "best": "lowest"} if _is_neutral(first) else {}
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
    of = partial(tables.reading, one.name)
    said = (
        []
        if math.isnan(one.value)
        else [f"{of(one.value)} {'in the long run' if one.kind == VARYING else 'on average'}"]
    )
    if not math.isnan(one.low) and {one.low, one.high} != {one.worst, one.best}:
        where = ", over all of the range" if one.at.has_range else ""
        said.append(
            f"from {of(one.low)} to {of(one.high)} in {percent(one.level)} of the"
            f" assumed distribution{where}"
        )
    if not math.isnan(one.worst):
        low, high = sorted((one.worst, one.best))
        said.append(
            (
                f"from {of(low)} to {of(high)}"
                if _is_neutral(one)
                else f"at worst {of(one.worst)}, at best {of(one.best)}"
            )
            + (", over the range" if one.at.has_range else "")
        )
    if not said:
        reason = one.worst.reason if isinstance(one.worst, Undefined) else "undefined"
        return f"{named} is undefined: {reason}."
    return f"{named} {'; '.join(said)}."


def _is_neutral(one: Expectation) -> bool:
    """Is neither more nor less of it better: alerts, the share of cases flagged?"""
    return one.name.startswith(COUNTED)


def _kind(kind: str) -> str:
    return f" (base rate {kind})" if kind else ""


def _shown(model: str) -> str:
    return quoted(model, quotes=False)


# ---- leaders ----------------------------------------------------------------------------------


def of_leaders(
    found: BestRecall,
    priors: Sequence[float],
    tested: Mapping[float, Choice] | None = NOTHING_TESTED,
) -> dict[str, Any]:
    """Who leads from which base rate to which, for a program; and how much everyone finds at some
    of them: those that were given, or else those at which differences were tested. `tested` is None
    where the base rate is an estimate.
    """
    leads = [
        {"low": lead.low, "high": lead.high, "models": list(lead.models)} for lead in found.leads
    ]
    return {
        "fdr": found.fdr,
        "attained": found.attained,
        "leads": leads,
        "untested": _untested(found, priors, tested),
        "at": [
            {
                "prior": prior,
                "tpr": found.at(prior),
                **(of_leads(tested[prior]) if tested and prior in tested else {}),
            }
            for prior in priors or tested or ()
        ],
    }


def _untested(
    found: BestRecall, priors: Sequence[float], tested: Mapping[float, Choice] | None
) -> str | None:
    """Why no difference was tested."""
    if len(found.models) < 2:
        return None
    if not priors:
        return f"the differences were not tested: {found.untested}" if found.untested else None
    return ESTIMATE_UNTESTED if tested is None else None


def led(
    found: BestRecall,
    priors: Sequence[float],
    tested: Mapping[float, Choice] | None = NOTHING_TESTED,
) -> str:
    """Which model has the highest recall, at which base rates, within a share of false alerts."""
    within = f"with at most {100 * found.fdr:.6g} % false alerts"
    choices = tested or {}
    lines = [
        f"{within[0].upper()}{within[1:]} at a base rate of {_rate(prior)},"
        f" {_at_prior(found, prior)}{lead_in_words(choices.get(prior))}"
        for prior in priors
    ]
    if not lines:
        stretches = (
            f"{_names(lead)} for base rates from {_rate(lead.low)} to {_rate(lead.high)}"
            for lead in found.leads
        )
        lines = [
            f"Highest recall {within}: {'; '.join(stretches)}",
            *_along(list(choices.values())),
        ]
    why = _untested(found, priors, tested)
    lines[-1] += f" ({why})" if why else ""
    table = Grid(
        ("highest recall", "from base rate", "to base rate"),
        [(_names(lead), _rate(lead.low), _rate(lead.high)) for lead in found.leads],
        left=1,
    )
    return Page(
        "\n".join(f"{line}." for line in lines),
        table,
        *_values(found, priors),
        *filter(None, [tables.of_leads(list(choices.values()))]),
    )


def _along(tested: Sequence[Choice]) -> list[str]:
    """At which of the tested base rates the best model is better than which others."""
    if not tested:
        return []
    found: dict[tuple[str, str], list[str]] = {}
    for choice in tested:
        worse = [one.models[0] for one in choice.differences if one.significant]
        if worse:
            found.setdefault((_shown(choice.model), listed(worse)), []).append(
                _rate(choice.point.at.prior or 0)
            )
    several = listed([_rate(choice.point.at.prior or 0) for choice in tested])
    where = f"Tested at base rates of {several} (one level for all of them)"
    alone = "--prior tests one base rate alone"
    if not found:
        p = p_in_words([one for choice in tested for one in choice.differences])
        return [f"{where}, no difference is significant ({p}); {alone}"]
    better = "; ".join(
        f"{model} is significantly better than {worse} at {listed(rates)}"
        for (model, worse), rates in found.items()
    )
    return [f"{where}: {better}; no other difference is significant; {alone}"]


def _names(lead: Lead) -> str:
    return " or ".join(map(_shown, lead.models)) or "none (no threshold has so few false alerts)"


def _rate(prior: float) -> str:
    """A base rate in a table; 0 and 1 are the ends of all base rates."""
    return base_rate(prior, brief=True)


def _at_prior(found: BestRecall, prior: float) -> str:
    values = found.at(prior)
    best = max(values.values())
    if not best:
        return "no model has a recall above 0 (no threshold has so few false alerts)"
    names = " or ".join(_shown(name) for name, value in values.items() if value == best)
    others = ", ".join(
        f"{_shown(name)} {digits(value, 4)}" for name, value in values.items() if value != best
    )
    return f"{names} has the highest recall: {digits(best, 4)}" + (f" ({others})" if others else "")


def _values(found: BestRecall, priors: Sequence[float]) -> list[str]:
    if not priors:
        return []
    names = list(found.at(priors[0]))
    rows = [
        (_rate(prior), *(digits(found.at(prior)[name], 4) for name in names)) for prior in priors
    ]
    return [Grid(("base rate", *(f"recall of {_shown(name)}" for name in names)), rows, left=1)]


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
        parts["learning"] = {"value": found.learning.value, "error": found.learning.error}
    return parts


def _decision(decision: Decision) -> dict[str, Any]:
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
        decided(found.decision),
        rivals(found.decision),
        *_tested(found.decision),
    ]
    if found.map is not None and found.map.wins:
        blocks.append(_where(found.map, found.decision))
        blocks += _doubts(found.map, found.decision)
    return [*blocks, *_firm(found.stability, found.map, found.decision), *_worth(found.learning)]


def decided(decision: Decision) -> str:
    """What to do, what it can cost more than the best choice, and whether it is better than the
    other models.
    """
    return f"{sentence(decision)}{_lead(decision)}"


def sentence(decision: Decision) -> str:
    """What to do, and what it can cost more than the best choice."""
    regret, where = decision.regret, _conditions(decision)
    chosen = " or ".join(
        _named(decision, name, decision.rivals[name].threshold) for name in decision.models
    )
    choice = f"Use {chosen}."
    if decision.model in ANSWERS:
        choice = f"{chosen[0].upper()}{chosen[1:]}: no model does better."
    if decision.optimized == CAUGHT:
        return f"{choice} {where[0].upper()}{where[1:]}, {_missed(decision)}"
    given = decision.at.costs_given
    where = f"{where[0].upper()}{where[1:]},"
    if not regret.value:
        return f"{choice} {where} nothing {'costs less' if given else 'makes fewer errors'} here."
    best = "the best choice without the rule" if decision.rule else "the best choice"
    more = f"{decision.how} {digits(regret.value, 4)} more{'' if given else ' errors'} per case"
    verb = "costs" if given else "makes"
    return f"{choice} {where} it {verb} {more} than {best}; {_most_at(decision)}."


def _conditions(decision: Decision) -> str:
    """The conditions and the rule, as they were given; what was assumed is marked."""
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
        return "no threshold within the budget catches more."
    more = tables.cases(regret.value * (decision.volume or 1))
    much = f"{decision.how} {more} positives more than the best threshold within the budget"
    if regret.averaged:
        return f"it misses {much} at each base rate."
    best = _either(decision, regret.instead)
    return (
        f"it stays within the budget at all these base rates and misses {much} (the worst case is"
        f" {base_rate(regret.at.prior)}{_site(regret)}, where {best} would be best)."
    )


def _lead(decision: Decision) -> str:
    """Whether the setting that was chosen is better than the others, beyond chance."""
    found = decision.differences
    if not found:
        models = [name for name in decision.rivals if name not in ANSWERS]
        told = decision.untested and decision.model not in ANSWERS and len(models) > 1
        why = f" The difference to the other models was not tested: {decision.untested}."
        return why if told else ""
    close = [one for one in found if not one.significant]
    if close:
        found = tuple(close)
    others = listed([one.models[0] for one in found])
    many, are = ("differences", "are") if len(found) > 1 else ("difference", "is")
    not_ = " not" if close else ""
    return f" The {many} to {others} {are}{not_} significant ({p_in_words(found)})."


def _chance(p: float) -> str:
    """A p-value; how far below a millionth it is no formula knows."""
    return f"{p:.3g}" if p >= 1e-6 else "< 1e-06"


def _tested(decision: Decision) -> Iterator[str]:
    """The lead of the setting that was chosen over the others, with its interval."""
    found = decision.differences
    if not found:
        return
    adjusted = any(one.p_adjusted is not None for one in found)
    caught = found[0].name == CAUGHT
    rows = [
        (
            f"{_shown(one.models[1])} - {_shown(one.models[0])}",
            tables.reading(one.name, one.value),
            f"{tables.reading(one.name, one.low)} to {tables.reading(one.name, one.high)}",
            _chance(one.p_value),
            *((_chance(one.p_adjusted),) if one.p_adjusted is not None else ("",) * adjusted),
            one.method,
        )
        for one in found
    ]
    what = "caught at the highest base rate" if caught else "regret per case"
    holm = ("p (Holm)",) if adjusted else ()
    headings = ("difference", what, percent(found[0].level), "p", *holm, "method")
    yield Page("The chosen option against the others, on the same cases:", Grid(headings, rows))


def _most_at(decision: Decision) -> str:
    """Where regret is highest, and what would be best there; of averages, at which values of what
    is a range.
    """
    regret = decision.regret
    at = decision.at
    ranges = list(at.ranges)
    said = [
        (regret.at.spoken if name == "prior" else f"{name} = {_cost(regret.at, name):.6g}")
        for name in ranges
    ]
    if not regret.averaged:
        place = ", ".join(said) or str(regret.at)
        return (
            f"the worst case is {place}{_site(regret)}, where"
            f" {_either(decision, regret.instead)} would be best"
        )
    place = (
        f"; the worst case is {', '.join(said)}{_site(regret)}"
        if said
        else f"; the worst case is{_site(regret).removeprefix(' in')}"
        if regret.site is not None
        else ""
    )
    return f"the best choice is made for every value{place}"


def _cost(at: Conditions, name: str) -> float:
    """A cost as it was given: what is earned is shown as earned."""
    value = float(getattr(at.costs, name))
    return 0 - value if at.costs.earned else value


def _site(regret: Regret) -> str:
    return "" if regret.site is None else f" in group {quoted(str(regret.site))}"


def _named(decision: Decision, name: str, cut: Any) -> str:
    return (
        name
        if name in ANSWERS
        else f"{quoted(name, quotes=False)} at score ≥ {decision.shown(name, cut)}"
    )


def _either(decision: Decision, settings: Mapping[str, Any]) -> str:
    return " or ".join(_named(decision, name, cut) for name, cut in settings.items())


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
            _threshold(decision, name, one.threshold),
            *(
                tables.reading(CAUGHT if decision.optimized == CAUGHT else "", value)
                for value in (scale * one.value, 0 + sign * one.cost, 0 + sign * one.least)
            ),
            *((_rate(one.at.prior),) if places else ()),
            *((one.at.costs.spoken.partition("(")[2][:-1],) if places and given else ()),
            *(() if one.site is None else (quoted(str(one.site), quotes=False),)),
        )
        for name, one in sorted(decision.rivals.items(), key=lambda item: item[1].value)
    ]
    rows += [
        (quoted(name, quotes=False), why, *("" for _ in rows[0][2:]))
        for name, why in decision.refused.items()
    ]
    sites = ("in group",) if any(one.site is not None for one in decision.rivals.values()) else ()
    worst = ("base rate", *(("profits" if earned else "costs",) if given else ())) if places else ()
    headings = ("option", "threshold", *_amounts(decision), *worst, *sites)
    lead = (
        ("Worst case of the average regret of each option" if places else "Average regret")
        if averaged
        else "Worst case for each option"
    )
    return Page(f"{lead}, at its best threshold:", Grid(headings, rows[: MOST_RIVALS + 2], left=2))


def _threshold(decision: Decision, name: str, threshold: Any) -> str:
    if name in ANSWERS:
        return ""
    return NOTHING if threshold is None else f">= {decision.shown(name, threshold)}"


def _amounts(decision: Decision) -> tuple[str, str, str]:
    """What regret, the amount of a setting and that of the best are called."""
    if decision.optimized == CAUGHT:
        return "missed more than the best", "missed", "missed by the best"
    if not decision.at.costs_given:
        return "regret per case", "its errors", "fewest possible errors"
    earned = decision.regret.at.costs.earned
    return "regret per case", *(
        ("its profit", "highest possible profit")
        if earned
        else ("its cost", "lowest possible cost")
    )


def _where(found: WinnerMap, decision: Decision) -> str:
    """Who is cheapest from which base rate to which, at the costs in the middle; neighbouring
    thresholds of a model together.
    """
    middle = decision.at.middle()
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
    table = Grid((best, "threshold", "from base rate", "to base rate"), rows, left=2)
    return Page(f"Which {_is_best(middle)} at which base rate, {_at_costs(middle)}:", table)


def _best(at: Conditions) -> str:
    if not at.costs_given:
        return "fewest errors"
    return "most profitable" if at.costs.earned else "cheapest"


def _is_best(at: Conditions) -> str:
    return f"is {_best(at)}" if at.costs_given else "makes the fewest errors"


def _at_costs(at: Conditions) -> str:
    return f"at {at.costs.spoken}" if at.costs_given else ASSUMED


def _prior(effective: float, at: Conditions) -> str:
    return _rate(rounded(prior_at(Fraction(effective), at.costs)))


def _doubts(found: WinnerMap, decision: Decision) -> Iterator[str]:
    """Between which base rates, at the costs in the middle, the winner is not significantly
    better.
    """
    if found.apart is None:
        return
    level = percent(found.apart.level)
    if not found.apart.doubts:
        yield (
            f"Every winner on the map is significantly better than the others ({level}, whole map)."
        )
        return
    middle = decision.at.middle()
    rows = []
    for doubt in found.apart.doubts:
        seen = dict.fromkeys(found.apart.between(doubt.low, doubt.high)) or doubt.rivals
        told = " or ".join(quoted(name, quotes=False) for name in seen)
        others = ", ".join(quoted(name, quotes=False) for name in doubt.rivals)
        rows.append((told, _prior(doubt.low, middle), _prior(doubt.high, middle), others))
    headings = (_best(middle), "from base rate", "to base rate", "not significantly better than")
    how = f"At {level} for the whole map ({found.apart.replicates} resamples), {_at_costs(middle)}"
    yield Page(f"{how}, the winner is not significantly better here:", Grid(headings, rows, left=1))


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
    doubt = f" (not significantly better than {others})" if others else ""
    lines = [
        f"At {told(found.at, by_cost=True)}, {choice} {_is_best(found.at)}{doubt}.",
        (
            f"This holds for base rates from {_rate(prior.low)} to {_rate(prior.high)}"
            f"{_costs_held(found)} (changing one value at a time)."
        ),
    ]
    lines += [_changed(change, found.at, decision) for change in found.changes[:1]]
    if found.decisive:
        lines.append(
            "The choice depends on values that are not known well enough:"
            f" {', '.join(_part_name(part) for part in found.decisive)}."
        )
    yield " ".join(lines)


def _costs_held(found: Stability) -> str:
    said = []
    for part in ("fn", "fp"):
        held, sign = found.held[part], -1 if found.at.costs.earned else 1
        low, high = (
            "" if not math.isfinite(end) else f"{0 + sign * end:.4g}"
            for end in (held.low, held.high)[::sign]
        )
        said.append(
            f"{part} from {low} to {high}"
            if low and high
            else f"{part} of at least {low}"
            if low
            else f"{part} up to {high}"
        )
    return f", or {', or '.join(said)}"


def _part_name(part: str) -> str:
    return "the base rate" if part == "prior" else part


def _changed(change: Change, at: Conditions, decision: Decision) -> str:
    factor = change.factor if change.factor > 1 else 1 / change.factor
    turned = at.costs.earned and change.part != "prior"
    way = (
        ("grows" if turned else "rises")
        if change.factor > 1
        else ("shrinks" if turned else "falls")
    )
    then = (
        _rate(change.then)
        if change.part == "prior"
        else f"{0 - change.then if turned else change.then:.4g}"
    )
    becomes = f"{_either(decision, change.becomes)} {_is_best(at)}"
    what = "the base rate" if change.part == "prior" else change.part
    return (
        f"The choice changes first if {what} {way} by a factor of {factor:.3g}, to {then}: then"
        f" {becomes}."
    )


def _worth(found: InformationValue | None) -> Iterator[str]:
    """The expected value of perfect information, per case."""
    if found is not None:
        yield f"Expected value of perfect information: {digits(found.value, 4)} per case."


def notes_said(found: Recommendation) -> list[Note]:
    """The notes of all parts together."""
    if found.map is None:
        return list(found.decision.notes)
    more = () if found.map.apart is None else found.map.apart.notes
    return list(dict.fromkeys((*found.decision.notes, *found.map.notes, *more)))
