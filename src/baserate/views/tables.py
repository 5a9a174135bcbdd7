"""Tables for a person: plain text, aligned, undefined numbers as a dash."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from baserate.atomic import Grid, Page
from baserate.conditions import ASSUMED, Conditions, told
from baserate.counts.counts import Counts
from baserate.curves.areas import auc
from baserate.curves.threshold_table import ThresholdTable
from baserate.decisions.operating_point import measures_requested
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import holds_all, parse_rule
from baserate.decisions.selection import Answer
from baserate.errors import CASE_CONTROL, Source, escaped, grouped, number_of, quoted
from baserate.measures.confusion import in_costs, parse
from baserate.measures.registry import CATALOGUE
from baserate.notation import base_rate
from baserate.results.choice import Choice, best_of_several
from baserate.results.operating_point import (
    INTERPOLATED,
    OF_A_VOLUME,
    OperatingPoint,
    describe_briefly,
    describe_setting,
    is_selective,
)
from baserate.results.values import (
    CORRECTED,
    EXACT,
    LOWER,
    UPPER,
    Difference,
    Interval,
    digits_apart,
    percent,
)
from baserate.views import document

UNDEFINED = "—"
BASELINES = (NOTHING, EVERYTHING)
COUNTED = ("model", "positives", "negatives", "distinct scores", "base rate (prior)", "AUC")
WEIGHED = (
    "model",
    "positive weight",
    "negative weight",
    "distinct scores",
    "base rate (prior)",
    "AUC",
)
CHOSEN = "positives (chosen)"
# The measures that a table shows by default, and what their columns are called.
HEADINGS = {
    name: CATALOGUE[name].heading
    for name in ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost")
    + ("alerts", "caught", "missed")
}
COST = "expected_cost"
# From this false alarm rate on, a guarantee says little.
NEARLY_ALL = 0.9
NET_BENEFIT = "net_benefit"
# A volume is named once, with the rule, and not with every measure.
VOLUME = re.compile(r"\(volume=[^)]*\)")


class Row(NamedTuple):
    """One line: a model at one set of conditions, set somewhere, or unable to satisfy the rule."""

    model: str
    at: Conditions
    point: OperatingPoint | None


def of_models(models: Mapping[str, Counts], aucs: Mapping[str, Interval]) -> str:
    """One line per model: what was counted, and how well the score ranks."""
    used = list(dict.fromkeys(one.method for one in aucs.values()))
    several = len(used) > 1
    rows: list[tuple[str, ...]] = [
        (
            quoted(name, quotes=False),
            grouped(counts.total_positives),
            grouped(counts.total_negatives),
            _describe_cells(counts),
            digits(counts.prior, 3),
            digits(auc(counts), 4),
            *([span(aucs.get(name))] if used else []),
            *([aucs[name].method if name in aucs else ""] if several else []),
        )
        for name, counts in models.items()
    ]
    headings = [*(WEIGHED if _any_weighted(models) else COUNTED)]
    if used:
        level = percent(next(iter(aucs.values())).level)
        headings += [f"AUC, {level}", "method"] if several else [f"AUC, {level} ({used[0]})"]
    return Grid(
        [
            CHOSEN if _any_case_control(models) and word.startswith("base") else word
            for word in headings
        ],
        rows,
    )


def _describe_cells(counts: Counts) -> str:
    """How many cells there are, and what was merged in them."""
    merged = " (condensed)" if counts.condensed else ""
    return f"{grouped(len(counts.scores))}{merged}"


def conditions(
    models: Mapping[str, Counts], at: Sequence[Conditions], names: Sequence[str] = ()
) -> str:
    """The base rate, always; costs where they were given, and what is assumed where they enter one
    of the summaries named.
    """
    costs = (
        f"; {at[0].costs.spoken}"
        if at[0].costs_given
        else f", {ASSUMED}"
        if in_costs(*names)
        else ""
    )
    given = [base_rate(one.prior) for one in at if one.prior is not None]
    if _any_case_control(models):
        prior = (
            f"base rate {' or '.join(given)}"
            if given
            else "no base rate, as the class totals were chosen (give --prior)"
        )
        return f"Conditions: {prior}{costs}."
    sample = " or ".join(sorted({shown_prior(counts.prior) for counts in models.values()}))
    of_sample = f"the {'weighted ' if _any_weighted(models) else ''}sample"
    prior = (
        f"base rate {' or '.join(given)}; in {of_sample} {sample}"
        if given
        else f"base rate {sample}, as in {of_sample}"
    )
    return f"Conditions: {prior}{costs}."


def source(used: Source) -> str:
    """Where the numbers come from: the file, its rows, and what was read as positive."""
    positive = f"positive = {quoted(used.positive)}" if used.positive else "no positives"
    weight = f"; weighted by {quoted(used.weight)}" if used.weight else ""
    rows = f"{number_of(used.rows_read, 'row')} read, {grouped(used.rows_used)} used"
    return f"{escaped(used.path)}: {rows}; {positive} in {quoted(used.label)}{weight}"


def _any_weighted(models: Mapping[str, Counts]) -> bool:
    return any(counts.weighted for counts in models.values())


def _any_case_control(models: Mapping[str, Counts]) -> bool:
    return any(counts.ledger.design == CASE_CONTROL for counts in models.values())


def of_points(rows: Sequence[Row], names: Sequence[str] = ()) -> str:
    """One line per model and set of conditions; a column for the base rate where there are
    several. `names` are the measures to show instead of the usual ones.
    """
    points = [row.point for row in rows if row.point is not None]
    names = names or columns(points)
    priors = [row.at.prior if row.point is None else row.point.at.prior for row in rows]
    several = len({row.at for row in rows}) > 1
    headings = (
        *(("base rate",) if several else ()),
        "model",
        "threshold",
        *(heading(name, points) for name in names),
    )
    sure = any(point.guarantee is not None for point in points)
    unmet = "cannot be guaranteed" if sure else "cannot satisfy the rule"
    lines = []
    for row, prior in zip(rows, priors, strict=True):
        first = (shown_prior(prior),) if several else ()
        cells = [unmet, *(UNDEFINED for _ in names)]
        if row.point is not None:
            cells = [brief_of(row), *(_format_measure(row.point, name) for name in names)]
        lines.append((*first, quoted(row.model, quotes=False), *cells))
    return Grid(headings, lines, left=2 if several else 1)


def brief_of(row: Row) -> str:
    """Where the model of a row is set; empty for a row that is not a model."""
    return "" if row.point is None or row.model in BASELINES else describe_briefly(row.point)


def rows(answers: Iterable[Answer], models: Iterable[str]) -> list[Row]:
    """A row for every model at each base rate; without a point where it cannot satisfy the rule."""
    return [
        Row(name, answer.at, answer.choice.points.get(name) if answer.choice else None)
        for answer in answers
        for name in models
    ]


def with_baselines(rows: Sequence[Row], answers: Sequence[Answer]) -> list[Row]:
    """The rows of each base rate, and behind them flagging nothing and flagging everything."""
    found: list[Row] = []
    for answer in answers:
        found += [row for row in rows if row.at == answer.at]
        found += (
            [Row(name, answer.at, point) for name, point in answer.choice.baselines.items()]
            if answer.choice
            else []
        )
    return found


def thresholds_taken(
    *, chosen: bool, corrected: bool, resamples: int, among: Sequence[Choice] = ()
) -> str:
    """How intervals allow for the choice of the thresholds, and that they do not for that of the
    best among several models.
    """
    if not chosen:
        return "at these thresholds, fixed in advance"
    if not corrected:
        return "ignoring that the thresholds were chosen on the same data"
    several = not_for_models(among)
    return (
        f"corrected for choosing the thresholds on the same data ({resamples} resamples){several}"
    )


def not_for_models(among: Sequence[Choice]) -> str:
    """That intervals do not allow for the choice of the best model, where there are several."""
    most = max((len(one.points) for one in among if list(best_of_several(one))), default=0)
    return f", not for choosing the best of {most} models there" if most else ""


def of_intervals(rows: Sequence[Row], how: str, names: Sequence[str] = ()) -> str:
    """The intervals of the points in a table, in the same order, and of the same measures."""
    set_somewhere = [(row, row.point) for row in rows if row.point is not None]
    points = [point for _, point in set_somewhere]
    names = names or columns(points)
    several = len({row.at for row in rows}) > 1
    priors = [shown_prior(one.at.prior) for one in points]
    lines = [
        (
            *([prior] if several else []),
            quoted(row.model, quotes=False),
            brief_of(row),
            *(
                span(_in_table(point.intervals.get(name), point, name), whole=name in OF_A_VOLUME)
                for name in names
            ),
        )
        for prior, (row, point) in zip(priors, set_somewhere, strict=True)
    ]
    headings = (
        *(("base rate",) if several else ()),
        "model",
        "threshold",
        *(heading(name, points) for name in names),
    )
    if all(cell == UNDEFINED for line in lines for cell in line[2 + several :]):
        tied = any(point.share != 1 for point in points)
        return (
            "No intervals: cases with equal scores are flagged at random, or two thresholds are"
            " mixed."
            if tied
            else ""
        )
    used = [point.intervals[name] for point in points for name in names if name in point.intervals]
    methods = dict.fromkeys(
        one.method.removeprefix(f"{CORRECTED} ") for one in used if one.method != EXACT
    )
    if not methods:
        return ""  # nothing is uncertain
    sure = any(_guaranteed_bound(point, name) is not None for point in points for name in names)
    one_sided = "; of what is guaranteed the one-sided bound" if sure else ""
    title = f"{percent(used[0].level)} intervals ({', '.join(methods)}), {how}{one_sided}:"
    return Page(title, Grid(headings, lines, left=2 if several else 1))


def cell_with_interval(point: OperatingPoint, name: str) -> str:
    """Return a measure at a point, and in brackets its interval, where there is one."""
    text = _format_measure(point, name)
    found = _in_table(point.intervals.get(name), point, name)
    if found is None or found.method == EXACT or text == UNDEFINED:
        return text
    return f"{text} ({span(found, whole=name in OF_A_VOLUME)})"


def _in_table(found: Interval | None, point: OperatingPoint, name: str) -> Interval | None:
    """The bound that is guaranteed, where one is; an interval of costs with its sign turned, where
    the costs were given as profits.
    """
    sure = _guaranteed_bound(point, name)
    if found is not None and sure is not None:
        bound = _round_outward(*sure)
        return replace(found, low=bound, high=bound, side=sure[1])
    if found is None or name != COST or not point.at.costs.earned:
        return found
    side = {LOWER: UPPER, UPPER: LOWER}.get(found.side, found.side)
    return replace(found, value=-found.value, low=-found.high, high=-found.low, side=side)


def _round_outward(bound: float, side: str) -> float:
    """A bound in three digits that promises no more than it."""
    unit = 10.0 ** (math.floor(math.log10(abs(bound))) - 2) if bound else 1.0
    steps = round(bound / unit, 6)
    return (math.floor(steps) if side == LOWER else math.ceil(steps)) * unit


def _guaranteed_bound(point: OperatingPoint, name: str) -> tuple[float, str] | None:
    """The bound that is guaranteed of this measure at the point, and on which side it lies."""
    for one in () if point.guarantee is None else point.guarantee.requirements:
        if one.measure == name:
            side = LOWER if one.sense == ">=" else UPPER
            return one.limit if one.bound is None else one.bound, side
    return None


def columns(points: Sequence[OperatingPoint]) -> list[str]:
    """The usual measures, those of a volume where there is one, costs where they are given, and
    whatever was made best or required.
    """
    asked = dict.fromkeys(name for point in points for name in measures_requested(point))
    shown = {*HEADINGS} - (
        {*OF_A_VOLUME} if all(point.volume is None for point in points) else set()
    )
    shown -= set() if COST in asked or any(point.at.costs_given for point in points) else {COST}
    usual = [name for name in HEADINGS if name in shown]
    return [*usual, *(name for name in asked if name not in usual)]


def heading_of_points(points: Sequence[OperatingPoint]) -> str:
    """What the points below have in common."""
    first = points[0]
    by_cost = in_costs(first.optimized)
    costs = first.at.costs.spoken if first.at.costs_given else ASSUMED if by_cost else ""
    where = (
        f"At {told(first.at, by_cost=by_cost)}"
        if len({point.at for point in points}) == 1
        else costs
    )
    if first.at.prior is None:
        where = ", ".join(filter(None, ("No base rate (class totals were chosen)", costs)))
    rule = f" with {escaped(first.rule)}" if first.rule else ""
    both = any(point.how == INTERPOLATED for point in points)
    between = " (first between two thresholds, then at the nearest one)" if both else ""
    fixed = f"where {escaped(first.rule)}{between}"
    by_hand = fixed if " = " in first.rule else "at the given thresholds"
    said = ", ".join(
        filter(None, (where, f"{_describe_goal(first)}{rule}" if first.optimized else by_hand))
    )
    return f"{said[0].upper()}{said[1:]}:"


def _describe_goal(point: OperatingPoint) -> str:
    """What was made best, in words."""
    measure = parse(point.optimized, point.volume)
    if measure.name == COST and not point.at.costs_given:
        return "the threshold with the fewest errors"
    if measure.name == COST:
        return f"the {'most profitable' if point.at.costs.earned else 'cheapest'} threshold"
    if measure.name == "tpr" and point.volume is not None:
        return "the threshold that catches most"
    told = (
        heading(str(measure), [point])
        .replace("(t = ", "at threshold probability ")
        .removesuffix(")" if measure.name == NET_BENEFIT else "")
    )
    return (
        f"the threshold with the {'highest' if measure.direction == 'higher' else 'lowest'} {told}"
    )


def _no_better(choice: Choice, *, alone: bool) -> str:
    """That flagging nothing, or everything, is as good as the best model, or better."""
    answer = choice.unbeaten or NOTHING
    base = choice.baselines[answer]
    name = base.optimized
    who = f"no threshold of {_plain_name(choice.model)}" if alone else "no model"
    worth, best = _format_measure(base, name), _format_measure(choice.point, name)
    models = " or ".join(_plain_name(one) for one in choice.models)
    against = f" ({models} {best})" if worth != best else ""
    said = f"{_conditions_and_rule(base)}its {_measure_with_verb(name, base)} {worth}{against}."
    return f"{answer[0].upper()}{answer[1:]}: {who} does better. {said[0].upper()}{said[1:]}"


def verdict(choice: Choice, *, alone: bool, counts: bool = False) -> str:
    """Which model to use and where to set it; how well it does there, and whether it is
    significantly better than the others. With `counts`, also the cost of a volume, what is caught
    and in how many alerts.
    """
    point = choice.point
    if choice.unbeaten is not None:
        return _no_better(choice, alone=alone)
    use = " or ".join(_plain_name(name) for name in choice.models)
    there = _at_setting(point) if len(choice.models) == 1 else ""
    goal = f", {_describe_goal(point)}" if alone else ""
    said = (
        f"{_conditions_and_rule(point)}{_describe_catch(choice)}"
        f"{_cost_of_volume(choice) if counts else ''}."
    )
    return (
        f"{_flags_nearly_all(point)}Use {use}{there}{goal}{_no_false_alarm_seen(point)}."
        f" {said[0].upper()}{said[1:]}{_describe_significance(choice)}"
        f"{_over_baseline(choice)}{_guarantee_sentence(point)}"
    )


def _describe_catch(choice: Choice) -> str:
    """How well the best model does, and the others behind it."""
    point, several = choice.point, len(choice.models) > 1
    name = point.objective
    others = [other for other in choice.points if other not in choice.models]
    amounts = ", ".join(
        f"{_plain_name(other)} {_format_measure(choice.points[other], name)}" for other in others
    )
    if name != "caught":
        against = f" ({amounts})" if others else ""
        whose = "their" if several else "its"
        return f"{whose} {_measure_with_verb(name, point)} {_format_measure(point, name)}{against}"
    against = f"; {amounts.replace(' ', ' catches ', 1) if others else ''}"
    return (
        f"{'each' if several else 'it'} catches"
        f" {_positives_in_alerts(point)}{against if others else ''}"
    )


def _positives_in_alerts(point: OperatingPoint) -> str:
    """How many positives are caught, in how many alerts."""
    positives = cases(document.read(point, "caught") + document.read(point, "missed"))
    found = (
        f"{_format_measure(point, 'caught')} of {positives} positives in"
        f" {_format_measure(point, 'alerts')} alerts"
    )
    return f"{found}{_share_real(point)}"


def _cost_of_volume(choice: Choice) -> str:
    """What the cost comes to per volume, and what is caught; nothing without costs or a volume."""
    point = choice.point
    if point.volume is None or point.objective != COST or not point.at.costs_given:
        return ""
    cost = document.read(point, "volume_cost") * (-1 if point.at.costs.earned else 1)
    if math.isnan(cost) or len(choice.models) > 1:
        return ""
    return (
        f", {total(cost)} per {cases(point.volume)} cases, catching {_positives_in_alerts(point)}"
    )


def _measure_with_verb(name: str, point: OperatingPoint) -> str:
    """A measure and its verb."""
    said = heading(name, [point])
    return f"{said} {'are' if said.startswith('errors') else 'is'}"


def _share_real(point: OperatingPoint) -> str:
    """How many of the alerts are real, in brackets; nothing where there are none."""
    precision = document.read(point, "precision")
    if math.isnan(precision) or precision == 0:
        return ""
    if precision > 0.5:
        return f" ({100 * precision:.3g} % real)"
    return f" (1 in {cases(1 / precision)} real)"


def verdict_on_test(choice: Choice, chosen: Choice) -> str:
    """What the chosen model does on the test data, in one sentence, and whether it is better there
    than the others; `chosen` is the same on the data it was chosen on.
    """
    point, unbeaten = choice.point, choice.unbeaten
    beaten = _over_baseline(choice)
    if unbeaten is not None and chosen.point.guarantee is None:
        base = choice.baselines[unbeaten]
        worth = f"{heading(base.optimized, [base])} {_format_measure(base, base.optimized)}"
        beaten = f" It does not beat flagging {unbeaten.split()[1]} there ({worth})."
    worth = f"{_describe_catch(choice)}{_cost_of_volume(choice)}"
    return (
        f"{_flags_nearly_all(chosen.point)}Use"
        f" {_plain_name(choice.model)}{_at_setting(point)}{_no_false_alarm_seen(chosen.point)}."
        f" On the test data, {_conditions_and_rule(point)}{worth}"
        f"{lead_on_test(choice)}.{beaten}{_not_met(point)}"
        f"{_guarantee_sentence(chosen.point, on_test=True)}"
    )


def lead_on_test(choice: Choice) -> str:
    """Whether the model that was chosen elsewhere is better here than the others."""
    if choice.untested:
        return f"; the difference was not tested ({choice.untested})"
    parts = []
    for verb, found in (
        ("is significant", [one for one in choice.differences if _is_lead(one)]),
        ("is not significant", [one for one in choice.differences if not one.significant]),
    ):
        if found:
            names = "" if len(choice.differences) == 1 else f" to {listed(_names_of_rivals(found))}"
            parts.append(f"the difference{names} {verb} ({p_in_words(found)})")
    ahead = [one for one in choice.differences if one.significant and not _is_lead(one)]
    if ahead:
        verb = _choose_form("is", "are", len(ahead))
        parts.append(
            f"{listed(_names_of_rivals(ahead))} {verb} significantly better ({p_in_words(ahead)})"
        )
    return "".join(f"; {part}" for part in parts)


def _is_lead(one: Difference) -> bool:
    return one.significant and one.favours == one.models[1]


def _names_of_rivals(found: Sequence[Difference]) -> list[str]:
    return [one.models[0] for one in found]


def _not_met(point: OperatingPoint) -> str:
    """Which terms of the rule the fixed threshold does not meet, as a second sentence."""
    rule = parse_rule(point.rule or None, point.volume)
    failed = [term for term in rule.terms if not holds_all([term], point.confusion, point.at)]
    return "".join(
        f"\n{escaped(str(term))} is not met on the test data:"
        f" {_format_measure(point, str(term).rpartition(f' {term.sense}')[0])}."
        for term in failed
    )


def _describe_significance(choice: Choice) -> str:
    """Whether the best model is significantly better than the others, or why that was not
    tested.
    """
    if choice.untested:
        were = _choose_form("difference was", "differences were", len(choice.points) - 1)
        return f" The {were} not tested ({choice.untested})."
    close = [one for one in choice.differences if not one.significant]
    worse = [one for one in choice.differences if one.significant]
    if not close and not worse:
        return ""
    if not close or not worse:
        found = close or worse
        are = _choose_form("difference is", "differences are", len(found))
        return f" The {are} {'not ' if close else ''}significant ({p_in_words(found)})."
    are = _choose_form("difference", "differences", len(close))
    return (
        f" The {are} to {listed([one.models[0] for one in close])}"
        f" {_choose_form('is', 'are', len(close))} not significant ({p_in_words(close)});"
        f" {listed([one.models[0] for one in worse])} {_choose_form('is', 'are', len(worse))}"
        f" significantly worse ({p_in_words(worse)})."
    )


def lead_in_words(choice: Choice | None) -> str:
    """Whether the best model is significantly better than the others, as the end of a sentence."""
    if choice is None or len(choice.points) < 2:
        return ""
    if choice.untested or not choice.differences:
        return f"; the difference was not tested ({choice.untested})" if choice.untested else ""
    close = [one for one in choice.differences if not one.significant]
    if close:
        others = listed([one.models[0] for one in close])
        many = _choose_form("difference", "differences", len(close))
        are = _choose_form("is", "are", len(close))
        return f"; the {many} to {others} {are} not significant ({p_in_words(close)})"
    are = "differences are" if len(choice.differences) > 1 else "difference is"
    return f"; the {are} significant ({p_in_words(choice.differences)})"


def _over_baseline(choice: Choice) -> str:
    """That the best model is not significantly better than one answer for all, where it is not, or
    that this was not tested.
    """
    lead, name = choice.lead_over_baseline, choice.baseline
    why = choice.baseline_untested
    if name is None or choice.unbeaten is not None or not (lead or why):
        return ""
    base = choice.baselines[name]
    worth = f"{heading(base.optimized, [base])} {_format_measure(base, base.optimized)}"
    one = f"flagging {name.split()[1]} ({worth}"
    if lead is None:
        either = "either" if why == choice.untested else f"({why})"
        return f" The difference to {one}) was not tested {either}."
    if lead.significant:
        return ""
    who = {1: _plain_name(choice.model), 2: "Neither"}.get(len(choice.models), "None")
    verb = "is not" if len(choice.models) == 1 else "is"
    return f" {who} {verb} significantly better than {one}; {p_in_words([lead])})."


def p_in_words(differences: Sequence[Difference]) -> str:
    """The p-value of a difference, or the one that decides about several, adjusted for how many
    models were compared.
    """
    values = [one.p_value if one.p_adjusted is None else one.p_adjusted for one in differences]
    significant = differences[0].significant
    p = max(values) if significant else min(values)
    if p < 0.001:
        return "p < 0.001"
    several = "" if len(values) == 1 or p == 1 else " or less" if significant else " or more"
    return f"p = {p:.3g}{several}"


def _choose_form(one: str, several: str, count: int) -> str:
    return one if count == 1 else several


def shown_prior(prior: float | None) -> str:
    """A base rate in a cell; a dash where there is none."""
    return UNDEFINED if prior is None or not 0 < prior < 1 else base_rate(prior, brief=True)


def _plain_name(name: str) -> str:
    return quoted(name, quotes=False)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: a, b and c."""
    shown = [_plain_name(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _at_setting(point: OperatingPoint) -> str:
    """Where the model is set, behind its name."""
    return (
        f" at {describe_setting(point)}"
        if point.share == 1 and point.threshold is not None
        else f" ({describe_setting(point)})"
    )


def of_leads(choices: Sequence[Choice]) -> str:
    """The lead of the best model over each of the others, with its interval: nothing where none was
    tested.
    """
    tested = [choice for choice in choices if choice.differences]
    if not tested:
        return ""
    several = len({choice.point.at for choice in choices}) > 1
    adjusted = any(one.p_adjusted is not None for choice in tested for one in choice.differences)
    rows = []
    for choice in tested:
        prior = (shown_prior(choice.point.at.prior),) if several else ()
        for one in choice.differences:
            sign = -1 if one.name == COST and choice.point.at.costs.earned else 1
            value, low, high = (
                _format_difference(one.name, sign * end)
                for end in (
                    (one.value, one.low, one.high) if sign > 0 else (one.value, one.high, one.low)
                )
            )
            p = [
                f"{one.p_value:.3g}",
                *(
                    [f"{one.p_adjusted:.3g}"]
                    if one.p_adjusted is not None
                    else [UNDEFINED]
                    if adjusted
                    else []
                ),
            ]
            pair = f"{_plain_name(one.models[1])} - {_plain_name(one.models[0])}"
            rows.append(
                (
                    *prior,
                    pair,
                    value,
                    f"{low} to {high}",
                    *p,
                    one.method,
                )
            )
    first, point = tested[0].differences[0], tested[0].point
    headings = (
        *(("base rate",) if several else ()),
        "difference",
        heading(first.name, [point]),
        percent(first.level),
        "p",
        *(("p (Holm)",) if adjusted else ()),
        "method",
    )
    on = "on the same cases" if first.paired else "on different cases"
    return Page(
        f"The best model against the others, {on}:", Grid(headings, rows, left=2 if several else 1)
    )


def _format_difference(name: str, value: float) -> str:
    """A difference in few digits; one of large amounts in whole units."""
    return grouped(round(value)) if abs(value) >= 10_000 else reading(name, value)


def _guarantee_sentence(point: OperatingPoint, *, on_test: bool = False) -> str:
    """What holds in the field at the threshold, as a second sentence."""
    if point.guarantee is None:
        return ""
    held, seen = [], []
    for one in point.guarantee.requirements:
        least = "least" if one.sense == ">=" else "most"
        limit = one.requirement.rpartition(" ")[2]
        held.append(f"{HEADINGS.get(one.measure, one.measure)} is at {least} {limit}")
        seen.append(f"{one.observed:.4g}")
    among = f" and among {point.guarantee.models} models" if point.guarantee.models > 1 else ""
    sure = (
        f"with {percent(point.guarantee.level)} confidence, although the threshold was chosen on"
        f" {'the same' if on_test else 'these'} cases{among}"
    )
    where = "where it was chosen" if on_test else "in this sample"
    if is_selective(point):
        return (
            f"\nNothing is guaranteed in the field, as labels depend on the score (BR116); among"
            f" cases like the labelled ones, {' and '.join(held)} {sure} ({where}:"
            f" {' and '.join(seen)})."
        )
    return f"\nIn the field, {' and '.join(held)} {sure} ({where}: {' and '.join(seen)})."


def _flags_nearly_all(point: OperatingPoint) -> str:
    """That nothing but flagging nearly every case is guaranteed, as the first sentence; only where
    the fewest false alarms were searched for.
    """
    if point.guarantee is None or point.optimized != "fpr" or point.fpr < NEARLY_ALL:
        return ""
    of_all = point.fpr if point.at.prior is None else point.posfrac
    share = "every case" if of_all == 1 else f"{100 * of_all:.4g} % of all cases"
    positives = grouped(int(point.tp + point.fn))
    return (
        f"These {positives} positives can guarantee {point.guarantee} with"
        f" {percent(point.guarantee.level)} confidence only by flagging {share}. "
    )


def _no_false_alarm_seen(point: OperatingPoint) -> str:
    """That the rule holds only because no false alarm was seen, with the bound that its interval
    has.
    """
    if not point.rule or point.fp or " = " in point.rule:
        return ""
    for term in parse_rule(point.rule, point.volume).terms:
        known = point.intervals.get(term.measure.name)
        if term.measure.name not in ("precision", "fdr") or known is None:
            continue
        bound, way = (known.low, "low") if term.sense == ">=" else (known.high, "high")
        if bound < term.limit if term.sense == ">=" else bound > term.limit:
            return (
                f", where {escaped(str(term))} is met only because no false alarm was seen among"
                f" {number_of(int(point.tn), 'negative')}: it may be as {way} as {digits(bound, 3)}"
                f" ({percent(known.level)})"
            )
    return ""


def _conditions_and_rule(point: OperatingPoint) -> str:
    """The conditions and the rule, as the beginning of a sentence."""
    costs = (
        (point.at.costs.spoken if point.at.costs_given else ASSUMED)
        if in_costs(point.optimized)
        else ""
    )
    said = ", ".join(
        filter(None, (f"at {point.at.spoken}" if point.at.prior is not None else "", costs))
    )
    if point.rule:
        budget = point.volume is not None and point.rule.startswith("alerts")
        of_all = f" of {grouped(round(point.volume or 0))}" if budget else ""
        first, more, rest = escaped(point.rule).partition(" and ")
        rule = f"{first}{of_all}{more}{rest}"
        said = f"{said} {'and' if budget and said else 'with'} {rule}".strip()
    return f"{said}, " if said else ""


def heading(name: str, points: Sequence[OperatingPoint]) -> str:
    """What a column is called; costs that were given as profits are shown as profits, and none are
    called so where none were given.
    """
    if name.startswith(NET_BENEFIT):
        return _net_benefit(name, points)
    if name == COST and any(point.at.costs.earned for point in points):
        return "profit per case"
    return (
        HEADINGS.get(name, name)
        if name != COST
        else in_words(name, given=any(point.at.costs_given for point in points))
    )


def in_words(name: str, *, given: bool) -> str:
    """A measure, or the difference of one, in a sentence: without costs given, what equal costs
    count is errors.
    """
    said = VOLUME.sub("", name).replace(COST, HEADINGS[COST] if given else "errors per case")
    return re.sub(r"\bauc\b", "AUC", said)


def _net_benefit(name: str, points: Sequence[OperatingPoint]) -> str:
    """Net benefit is not defined without the probability t at which one acts: the one given, or
    the one that the costs make.
    """
    given = dict(parse(name).parameters).get("t")
    several = list(
        dict.fromkeys(point.at.costs.threshold if given is None else given for point in points)
    )
    return f"net benefit (t = {' or '.join(f'{t:.4g}' for t in several)})"


def _format_measure(point: OperatingPoint, name: str) -> str:
    value = document.read(point, name)
    if name == COST and point.at.costs.earned:
        value = 0 - value
    if name == OF_A_VOLUME[-1] and not math.isnan(value):
        return total(value)
    return reading(name, value)


def reading(name: str, value: float) -> str:
    """A value of this measure: of cases as their number, of others in four digits."""
    counted = name.partition("(")[0] in OF_A_VOLUME[:-1] and math.isfinite(value)
    return cases(value) if counted else digits(value, 4)


def cases(value: float) -> str:
    """A number of cases: whole from ten on, below with at most one decimal."""
    few = 2 if abs(value) >= 1 else 1
    return grouped(round(value)) if abs(value) >= 10 else f"{value:.{few}g}"


def total(value: float) -> str:
    """A cost of a volume: whole from ten on."""
    return grouped(round(value)) if abs(value) >= 10 else f"{value:.3g}"


def of_summaries(values: Sequence[document.Valued]) -> str:
    """One line per summary and base rate, one column per model; and what a random classifier gets,
    where that is not one half.
    """
    models = list(dict.fromkeys(value.model for value in values))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    chances: dict[tuple[str, str], str] = {}
    for value in values:
        key = (
            str(value.summary),
            "as in the sample" if value.at.prior is None else shown_prior(value.at.prior),
        )
        rows.setdefault(key, {})[value.model] = digits(value.value, 4)
        chances[key] = "" if value.chance is None else digits(value.chance, 4)
    headings = (
        "summary",
        "base rate",
        *(quoted(model, quotes=False) for model in models),
        *(("random classifier",) if any(chances.values()) else ()),
    )
    lines = [
        (*key, *(cells[model] for model in models), chances[key])[: len(headings)]
        for key, cells in rows.items()
    ]
    return Grid(headings, lines, left=2)


def span(found: Interval | None, *, whole: bool = False) -> str:
    """An interval in a cell, of numbers of cases in whole ones; a dash where there is none."""
    if found is None:
        return UNDEFINED
    if found.method == EXACT:
        return EXACT
    ends = (
        found.value if found.side == UPPER else found.low,
        found.value if found.side == LOWER else found.high,
    )
    bounds = (found.low, found.high)
    if whole and all(map(math.isfinite, ends)) and _apart_when_whole(*ends):
        low, high = (grouped(round(bound)) if math.isfinite(bound) else "" for bound in bounds)
    elif whole and all(map(math.isfinite, ends)) and cases(ends[0]) != cases(ends[1]):
        low, high = (cases(bound) if math.isfinite(bound) else "" for bound in bounds)
    else:
        count = digits_apart(*ends, least=3)
        low, high = (_format_bound(bound, count) for bound in bounds)
    if found.side == UPPER:
        return f"<= {high}"
    return f">= {low}" if found.side == LOWER else f"{low} to {high}"


def _apart_when_whole(low: float, high: float) -> bool:
    """Whether whole numbers say enough of two numbers of cases."""
    return high >= 10 and round(low) < round(high)


def _format_bound(value: float, count: int) -> str:
    return (
        grouped(round(value))
        if abs(value) >= 1000 and math.isfinite(value)
        else f"{value:.{count}g}"
    )


def digits(value: float, count: int) -> str:
    """A number in `count` significant digits, or in more where it would read as 1 and is less, with
    trailing zeros; a dash for what is undefined.
    """
    if math.isnan(value):
        return UNDEFINED
    return f"{value:#.{digits_apart(value, value, count)}g}".removesuffix(".")


# ----------------------------------------------------------------------
# Every threshold in one table, for a person and as JSON.

MOST_ROWS, MOST_COLUMNS = 40, 12
KEYS = {
    "model": "model",
    "prior": "base rate (prior)",
    "threshold": "score >=",
    "expected_cost": "cost per case",
}
# Names of two to four letters are abbreviations, and written as the textbooks write them.
CAPITALS = {name: name.upper() for name in CATALOGUE if len(name) <= 3 and name != "f1"}


def of_thresholds(found: ThresholdTable) -> Iterator[str]:
    """The table, or as many thresholds of it as a person reads, evenly by rank."""
    most = MOST_COLUMNS if found.across else MOST_ROWS
    shown = spread_evenly(len(found), most)
    rows = [tuple(quoted(text, quotes=False) for text in found.cells(place)) for place in shown]
    headings = [heading_of(name) for name in found.columns]
    if found.across:
        head, *lines = zip(headings, *rows, strict=True)
        yield Grid(head, lines)
    else:
        yield Grid(headings, rows, left=headings.index(KEYS["threshold"]))
    if len(shown) < len(found):
        kind = "columns" if found.across else "rows"
        yield f"{len(shown)} of {grouped(len(found))} {kind} are shown; for all of them add --csv."


def spread_evenly(count: int, most: int) -> list[int]:
    """Return the places of at most `most` of the rows, the first and the last among them."""
    if count <= most:
        return list(range(count))
    return sorted({round(place * (count - 1) / (most - 1)) for place in range(most)})


def heading_of(name: str) -> str:
    """Return what the column of a measure is called."""
    bare = VOLUME.sub("", name)
    return KEYS.get(bare) or CAPITALS.get(bare) or bare


def describe_thresholds(found: ThresholdTable) -> str:
    """How many thresholds are shown, and at which base rates."""
    by_cost = in_costs(*found.measures)
    where = [told(one, by_cost=by_cost) for one in found.at]
    return f"{number_of(len(found), 'threshold')}, at {' or '.join(where)}:"


def of_thresholds_as_json(found: ThresholdTable) -> dict[str, Any]:
    """The columns, each as long as the others; null where a measure is undefined."""
    columns = {
        name: [_value_as_json(name, value) for value in values.tolist()]
        for name, values in found.columns.items()
    }
    return {"rows": len(found), "measures": list(found.measures), "columns": columns}


def _value_as_json(name: str, value: Any) -> Any:
    if name == "threshold":
        return document.threshold(None if value != value else value)  # noqa: PLR0124 (NaN)
    if isinstance(value, int):
        return document.whole(value)
    return value if isinstance(value, str) else document.number(value)
