"""Decisions, expectations and leaders: as JSON for a program, as text for a person."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from baserate.atomic import Grid, Page
from baserate.conditions import ASSUMED, Conditions, told
from baserate.decisions.amount_costs import CAUGHT as CAUGHT_AMOUNT
from baserate.decisions.amount_costs import AmountChoice, AmountPoint
from baserate.decisions.best_recall import BestRecall, Lead
from baserate.decisions.operating_point import measures_requested
from baserate.decisions.regret import CAUGHT, Decision, InformationValue, Regret
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING, Win, prior_at
from baserate.decisions.sensitivity import Change, Stability
from baserate.decisions.winner_map import WinnerMap
from baserate.errors import Note, escaped, grouped, number_of, quoted
from baserate.inference.decide import LeastRegretChoice, RecallLeaders, Recommendation
from baserate.inference.expectation import VARYING, Expectation
from baserate.measures.confusion import Measure, in_costs
from baserate.notation import base_rate
from baserate.numbers import Undefined, rounded
from baserate.results.choice import Choice
from baserate.results.operating_point import (
    COUNTED,
    OperatingPoint,
    describe_briefly,
    describe_setting,
)
from baserate.results.values import CORRECTED, EXACT, Difference, is_corrected, percent
from baserate.views import document, tables
from baserate.views.comparisons import of_difference, of_leads
from baserate.views.document import conditions, number, threshold, uncertain
from baserate.views.tables import (
    BASELINES,
    digits,
    in_words,
    lead_in_words,
    listed,
    p_in_words,
    shown_prior,
)

# ----------------------------------------------------------------------
# A choice at known conditions: a sentence, and one table with its intervals.


# The columns of a choice; of a volume the flagged share is a number of alerts.
CHOICE_COLUMNS = ("tpr", "precision", "posfrac", "alerts", "caught", "expected_cost")
ON_TEST, ON_OTHERS = "test", "chosen on"
# Where measures of a whole volume stand, their shares per case do not.
PER_CASE = ("posfrac",)


def describe_choice(choice: Choice) -> str:
    """Return which model to use and where to set it, how well it does, and whether it is
    significantly better than the others.
    """
    if choice.chosen is not None:
        return tables.verdict_on_test(choice, choice.chosen)
    is_alone = len(choice.points) + len(choice.refused) == 1
    return tables.verdict(choice, alone=is_alone, counts=True)


def tabulate_choices(choices: Sequence[Choice]) -> list[str]:
    """Return one table of all points with their intervals, and the differences between models."""
    samples = [
        (data, one)
        for choice in choices
        for data, one in ((ON_TEST, choice), (ON_OTHERS, _as_on_test(choice)))
        if one is not None
    ]
    points = [point for _, choice in samples for point in choice.points.values()]
    names = list_measures(points)
    is_sure = any(point.guarantee is not None for point in points)
    unmet = "cannot be guaranteed" if is_sure else "cannot satisfy the rule"
    several = len({choice.at for choice in choices}) > 1
    tested = any(choice.chosen is not None for choice in choices)
    differences = [one for choice in choices for one in choice.differences]
    lines = [
        [
            *([shown_prior(row.at.prior)] if several else []),
            _shown(row.model),
            *([data] if tested else []),
            *_cells_of(row, names, unmet),
            *(_cells_of_difference(row.model, choice) if differences else []),
        ]
        for data, choice in samples
        for row in _rows_of(choice)
    ]
    headings = [
        *(["base rate"] if several else []),
        "model",
        *(["data"] if tested else []),
        "threshold",
        *(tables.heading(name, points) for name in names),
        *(_headings_of_differences(differences, points) if differences else []),
    ]
    table = Grid(headings, lines, left=1 + several + tested)
    return [Page(*filter(None, [_describe_intervals(choices, names), table]))]


def list_measures(points: Sequence[OperatingPoint]) -> list[str]:
    """Return the measures to show: those that were requested instead of the usual ones, and what
    was made best or required.
    """
    shown = dict.fromkeys(name for point in points for name in point.shown)
    if shown:
        return list(shown)
    of_volume = any(point.volume is not None for point in points)
    usual = tables.columns(points)
    kept = [name for name in CHOICE_COLUMNS if name in usual]
    kept = [name for name in kept if not (of_volume and name in PER_CASE)]
    requested = [name for name in usual if name not in tables.HEADINGS and name not in kept]
    required = dict.fromkeys(name for point in points for name in measures_requested(point))
    more = [name for name in required if name not in kept]
    names = list(dict.fromkeys((*kept, *more, *requested)))
    return [
        name
        for name in names
        if any(not math.isnan(document.read(point, name)) for point in points)
    ]


def _as_on_test(choice: Choice) -> Choice | None:
    """Return the choice that was evaluated on test data, its thresholds in the digits that these
    have there: one number for both.
    """
    if choice.chosen is None:
        return None
    points = {
        name: replace(
            point, below=choice.points[name].below, lower_below=choice.points[name].lower_below
        )
        for name, point in choice.chosen.points.items()
        if name in choice.points
    }
    return replace(choice.chosen, points=points)


def _rows_of(choice: Choice) -> list[tables.Row]:
    """Return a row for each model, the best first, and for each baseline."""
    others = [name for name in choice.points if name not in choice.models]
    names = [*choice.models, *others]
    rows = [tables.Row(name, choice.at, choice.points[name]) for name in names]
    refused = [tables.Row(name, choice.at, None) for name in choice.refused]
    ends = [tables.Row(name, choice.at, point) for name, point in choice.baselines.items()]
    return [*rows, *refused, *ends]


def _cells_of(row: tables.Row, names: Sequence[str], unmet: str) -> list[str]:
    """Return where a model is set, and each measure there with its interval; or that what was
    required is unmet.
    """
    point = row.point
    if point is None:
        return [unmet, *(tables.UNDEFINED for _ in names)]
    return [tables.brief_of(row), *(tables.cell_with_interval(point, name) for name in names)]


def _cells_of_difference(model: str, choice: Choice) -> list[str]:
    """Return the lead of the best model over this one, with its interval and p-value."""
    one = next((one for one in choice.differences if one.models[0] == model), None)
    if one is None:
        return ["", ""]
    sign = -1 if one.name == tables.COST and choice.point.at.costs.earned else 1
    low, high = sorted((sign * one.low, sign * one.high))
    reading = tables.reading
    cell = f"{reading(one.name, sign * one.value)} ({reading(one.name, low)} to"
    p = one.p_value if one.p_adjusted is None else one.p_adjusted
    return [f"{cell} {reading(one.name, high)})", _chance(p)]


def _headings_of_differences(
    differences: Sequence[Difference], points: Sequence[OperatingPoint]
) -> list[str]:
    name = tables.heading(differences[0].name, points)
    adjusted = any(one.p_adjusted is not None for one in differences)
    return [f"lead of the best in {name}", "p (Holm)" if adjusted else "p"]


def _describe_intervals(choices: Sequence[Choice], names: Sequence[str]) -> str:
    """Return of which level and by which methods the intervals in a table are, and what they allow
    for; nothing where there are none.
    """
    points = [
        point
        for choice in choices
        for point in (*choice.points.values(), *choice.baselines.values())
    ]
    used = [point.intervals[name] for point in points for name in names if name in point.intervals]
    methods = dict.fromkeys(
        one.method.removeprefix(f"{CORRECTED} ") for one in used if one.method != EXACT
    )
    if not methods:
        is_tied = any(point.share != 1 for point in points)
        return f"{NO_INTERVALS_OF_TIES}:" if is_tied else ""
    chosen = [point for choice in choices for point in choice.points.values()]
    taken = tables.thresholds_taken(
        chosen=any(point.optimized and not point.in_advance for point in chosen),
        corrected=is_corrected(chosen),
        resamples=next((one.replicates for one in used if one.replicates), 0),
        among=[choice for choice in choices if choice.chosen is None],
    )
    is_sure = any(point.guarantee is not None for point in chosen)
    one_sided = "; of what is guaranteed the one-sided bound" if is_sure else ""
    tests = dict.fromkeys(one.method for choice in choices for one in choice.differences)
    by = f"; the lead by {', '.join(tests)}{_describe_resampling(choices)}" if tests else ""
    level = percent(used[0].level)
    return f"In brackets {level} intervals ({', '.join(methods)}), {taken}{one_sided}{by}:"


def _describe_resampling(choices: Sequence[Choice]) -> str:
    """Return that resamples may tell models apart that a formula does not."""
    close = [
        one
        for choice in choices
        for one in choice.differences
        if choice.chosen is None and not one.significant and one.replicates is None
    ]
    return " (a formula that allows for choosing; --replicates 2000 resamples)" if close else ""


NO_INTERVALS_OF_TIES = (
    "No intervals: cases with equal scores are flagged at random, or two thresholds are mixed"
)


def choice_as_json(choice: Choice) -> dict[str, Any]:
    """Return the values of a choice: the point of every model, the tests, and of one on test data
    the choice on the data it was made on.
    """
    found = document.of_choice(choice)
    recommendation = getattr(choice, "recommendation", None)
    chosen = choice.chosen
    return {
        "model": choice.model,
        **found,
        "at": uncertain(choice.over) if choice.over is not None else found["at"],
        "threshold": threshold(choice.point.threshold),
        "points": {name: document.point_of(point) for name, point in choice.points.items()},
        **of_leads(choice),
        **({} if recommendation is None else of_recommendation(recommendation)),
        **({} if chosen is None else {"chosen": choice_as_json(chosen)}),
    }


# ----------------------------------------------------------------------
# A choice by amounts.


AMOUNT_COLUMNS = {
    "alerts": "alerts",
    "amount_caught": "amount caught",
    "amount_missed": "amount missed",
    "cost": "cost",
    "expected_cost": "cost per case",
}


def describe_amount_choice(choice: AmountChoice) -> str:
    """Return which model to use, at which threshold, and what that costs and catches."""
    point = choice.point
    by_amount = point.optimized == CAUGHT_AMOUNT
    review = f", a review at {money(float(point.prices.review))} and a miss at its amount"
    best = "that catches the largest amount" if by_amount else "with the lowest cost"
    rule = f" with {escaped(point.rule)}" if point.rule else ""
    where = f"Use {' or '.join(map(_shown, choice.models))}"
    alone = len(choice.points) + len(choice.refused) == 1
    if point.regardless is not None:
        where = describe_setting(point).capitalize()
    elif len(choice.models) == 1:
        goal = f", the threshold {best}" if alone else ""
        where += f" at {describe_setting(point)}{goal}"
    on_test = choice.chosen is not None
    cost = "" if by_amount else f"cost {money(point.cost)}, "
    sums = f"{cost}caught {money(point.amount_caught)}, missed {money(point.amount_missed)}"
    cases = f"{number_of(point.cases, 'case')}{' of the test data' if on_test else ''}"
    found = tables.lead_on_test(choice) if on_test else lead_in_words(choice)
    at = f"At {point.at.spoken}{'' if by_amount else review}{rule}"
    lines = [f"{where}. {at}: {sums}, of {cases}{found}."]
    if point.by_average is not None:
        lines.append(_compare_with_average(choice, point.by_average))
    return "\n".join(lines)


def _compare_with_average(choice: AmountChoice, average: AmountPoint) -> str:
    """Return what the average amount would have chosen, and what that truly costs; and whether one
    answer for all cases would cost more.
    """
    point = choice.point
    trivial = (
        f"Flagging nothing costs {money(point.nothing)}, everything {money(point.everything)}"
        f"{_lead_over_baseline(choice)}."
    )
    if average.sums == point.sums:
        return f"If every miss cost the average amount, the choice would be the same. {trivial}"
    other = f"{describe_setting(average)}, which actually costs {money(average.cost)}"
    return f"If every miss cost the average amount, the choice would be {other}. {trivial}"


def _lead_over_baseline(choice: AmountChoice) -> str:
    lead = choice.lead_over_baseline
    if lead is None:
        why = choice.baseline_untested
        return f"; the difference was not tested ({why})" if why else ""
    sure = "is" if lead.significant else "is not"
    base = lead.models[0].split()[1]
    return f"; the difference to flagging {base} {sure} significant ({p_in_words([lead])})"


def tabulate_amount_choices(choices: Sequence[AmountChoice]) -> list[str]:
    """Return one table of what each model costs and catches, with intervals."""
    samples = [
        (data, one)
        for choice in choices
        for data, one in ((ON_TEST, choice), (ON_OTHERS, choice.chosen))
        if one is not None
    ]
    several = len({choice.point.at for choice in choices}) > 1
    tested = any(choice.chosen is not None for choice in choices)
    points = [point for _, choice in samples for point in choice.points.values()]
    # Nobody said what a review costs, where amounts caught are made highest.
    is_free = all(point.optimized == CAUGHT_AMOUNT for point in points)
    names = [name for name in AMOUNT_COLUMNS if not is_free or "cost" not in name]
    lines = [
        [
            *([shown_prior(choice.point.at.prior)] if several else []),
            _shown(name),
            *([data] if tested else []),
            *_cells_of_amounts(choice.points.get(name), names),
        ]
        for data, choice in samples
        for name in (*choice.points, *choice.refused)
    ]
    headings = [
        *(["base rate"] if several else []),
        "model",
        *(["data"] if tested else []),
        "threshold",
        *(AMOUNT_COLUMNS[name] for name in names),
    ]
    table = Grid(headings, lines, left=1 + several + tested)
    made = [choice for choice in choices if choice.differences]
    blocks = [_describe_amount_intervals(choices), table]
    return [Page(*filter(None, blocks)), *filter(None, [tables.of_leads(made)])]


def _cells_of_amounts(point: AmountPoint | None, names: Sequence[str]) -> list[str]:
    if point is None:
        return ["cannot satisfy the rule", *(tables.UNDEFINED for _ in names)]
    cells = [describe_briefly(point)]
    for name in names:
        value = getattr(point, name)
        text = tables.cases(value) if name == "alerts" else money(value)
        found = point.intervals.get(name)
        cells.append(text if found is None else f"{text} ({tables.span(found)})")
    return cells


def _describe_amount_intervals(choices: Sequence[AmountChoice]) -> str:
    used = [
        one
        for choice in choices
        for point in choice.points.values()
        for one in point.intervals.values()
    ]
    if not used:
        return ""
    first = used[0]
    is_fixed = any(note.code == "BR593" for note in first.notes) or any(
        point.in_advance for choice in choices for point in choice.points.values()
    )
    how = "at these thresholds, by" if is_fixed else "choosing the thresholds again on each of"
    return f"In brackets {percent(first.level)} intervals, {how} {first.replicates} resamples:"


def money(value: float) -> str:
    """Return a sum to the cent, with thousands apart; small sums to four digits."""
    if value and abs(value) < 1:
        return digits(value, 4)
    return f"{value:,.2f}".removesuffix(".00")


def amount_choice_as_json(choice: AmountChoice) -> dict[str, Any]:
    """Return the values of a choice by amounts."""
    point, chosen = choice.point, choice.chosen
    name = point.optimized
    return {
        "model": choice.model,
        "at": conditions(point.at),
        "rule": point.rule or None,
        "optimized": name,
        "models": list(choice.models),
        "values": {model: number(getattr(one, name)) for model, one in choice.points.items()},
        "refused": {model: error.problems[0].text for model, error in choice.refused.items()},
        "threshold": threshold(point.threshold),
        "points": {model: amount_point_as_json(one) for model, one in choice.points.items()},
        **of_leads(choice),
        **({} if chosen is None else {"chosen": amount_choice_as_json(chosen)}),
    }


def amount_point_as_json(point: AmountPoint) -> dict[str, Any]:
    """Return a point and its sums, as bare numbers."""
    average = point.by_average
    more = document.share_of(point)
    if point.caught_best is not None and point.caught_worst is not None:
        more |= {"caught_best": point.caught_best, "caught_worst": point.caught_worst}
    names = (*AMOUNT_COLUMNS, "amount_false_alarms")
    return {
        "rule": point.rule or None,
        "optimized": point.optimized or None,
        "how": point.how,
        "at": {"prior": number(point.at.prior), "as_in_sample": point.at.as_in_sample},
        "threshold": threshold(point.threshold),
        **more,
        **document.outcomes(point.confusion),
        "review": None if point.optimized == CAUGHT_AMOUNT else float(point.prices.review),
        "recovered": float(point.prices.recovered),
        "cases": document.whole(point.cases),
        **{name: number(getattr(point, name)) for name in names},
        "nothing": number(point.nothing),
        "everything": number(point.everything),
        "by_average": None if average is None else amount_point_as_json(average),
        "intervals": {name: document.of_interval(each) for name, each in point.intervals.items()},
    }


# ----------------------------------------------------------------------
# Expectations, and the best recall within a share of false alerts: as JSON and as text.


MOST_LINES = 25
ESTIMATE_UNTESTED = "the difference was not tested, because the base rate is an estimate"


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
    tested: Mapping[float, Choice] | None,
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


def describe_leaders(result: RecallLeaders) -> str:
    """Return which model has the highest recall, at which base rates, within a share of false
    alerts.
    """
    found, choices = result.found, result.tested or {}
    within = f"with at most {100 * found.fdr:.6g} % false alerts"
    lines = [
        f"{within[0].upper()}{within[1:]} at a base rate of {_rate(prior)},"
        f" {_at_prior(found, prior)}{lead_in_words(choices.get(prior))}"
        for prior in result.priors
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
    why = _untested(found, result.priors, result.tested)
    lines[-1] += f" ({why})" if why else ""
    return "\n".join(f"{line}." for line in lines)


def tabulate_leaders(result: RecallLeaders) -> list[str]:
    """Return who leads from which base rate to which, the recalls at given base rates, and the
    tests.
    """
    found, choices = result.found, list((result.tested or {}).values())
    table = Grid(
        ("highest recall", "from base rate", "to base rate"),
        [(_names(lead), _rate(lead.low), _rate(lead.high)) for lead in found.leads],
        left=1,
    )
    return [table, *_values(found, result.priors), *filter(None, [tables.of_leads(choices)])]


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


def describe_least_regret(choice: LeastRegretChoice) -> str:
    """Return what to do over conditions that are not known exactly, and what that can cost."""
    found = choice.recommendation
    return describe_choice(choice) if found is None else decided(found.decision)


def tabulate_least_regret(choice: LeastRegretChoice) -> list[str]:
    """Return what else would do, who is cheapest where, and how firm that is."""
    found = choice.recommendation
    return tabulate_choices([choice]) if found is None else tabulate_recommendation(found)


def tabulate_recommendation(found: Recommendation) -> list[str]:
    """Return the tables of a decision: what else would do, who is cheapest where, and how firm that
    is.
    """
    blocks = [
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
