"""Tables for a person: plain text, aligned, undefined numbers as a dash."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from baserate.atomic import Grid, Page
from baserate.conditions import ASSUMED, Conditions, told
from baserate.counts.counts import Counts
from baserate.curves.areas import auc
from baserate.curves.curve import Curve
from baserate.curves.named import act_on_everybody, benefits_at
from baserate.decisions.amount_costs import AmountChoice, AmountPoint
from baserate.decisions.operating_point import (
    OF_A_VOLUME,
    OperatingPoint,
    brief,
    measures_requested,
    setting,
)
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.decisions.search import holds_all
from baserate.decisions.selection import Answer, Choice
from baserate.errors import escaped, grouped, number_of, quoted
from baserate.inference.values import (
    EXACT,
    LOWER,
    UPPER,
    Difference,
    Interval,
    digits_apart,
    percent,
)
from baserate.measures.calculator import Rates, Solved
from baserate.measures.measure import in_costs, parse
from baserate.measures.registry import CATALOGUE
from baserate.notes import CASE_CONTROL, Source
from baserate.output.document import Valued, read

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
# The measures that a table shows unless others are asked for, and what their columns are called.
HEADINGS = {
    name: CATALOGUE[name].heading
    for name in ("tpr", "fpr", "precision", "npv", "posfrac", "expected_cost")
    + ("alerts", "caught", "missed")
}
COST = "expected_cost"
NET_BENEFIT = "net_benefit"
# A volume is said once, with the rule, and not with every measure.
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
            _distinct(counts),
            digits(counts.prior, 3),
            digits(auc(counts), 4),
            *([span(aucs.get(name))] if used else []),
            *([aucs[name].method if name in aucs else ""] if several else []),
        )
        for name, counts in models.items()
    ]
    headings = [*(WEIGHED if _weighted(models) else COUNTED)]
    if used:
        level = percent(next(iter(aucs.values())).level)
        headings += [f"AUC, {level}", "method"] if several else [f"AUC, {level} ({used[0]})"]
    return Grid(
        [CHOSEN if _chosen(models) and word.startswith("base") else word for word in headings],
        rows,
    )


def _distinct(counts: Counts) -> str:
    """How many cells there are, and what was merged in them."""
    merged = " (bins)" if counts.bins is not None else " (condensed)" if counts.condensed else ""
    return f"{grouped(len(counts.scores))}{merged}"


def conditions(
    models: Mapping[str, Counts], at: Sequence[Conditions], names: Sequence[str] = ()
) -> str:
    """The base rate, always said; costs where they were given, and what is assumed where they enter
    one of the summaries named.
    """
    costs = (
        f"; {at[0].costs.spoken}"
        if at[0].costs_given
        else f", {ASSUMED}"
        if in_costs(*names)
        else ""
    )
    given = [f"{one.prior:.6g}" for one in at if one.prior is not None]
    if _chosen(models):
        prior = (
            f"prior {' or '.join(given)}"
            if given
            else "no base rate, as the class totals were chosen (give --prior)"
        )
        return f"Conditions: {prior}{costs}."
    sample = " or ".join(sorted({digits(counts.prior, 3) for counts in models.values()}))
    of_sample = f"the {'weighted ' if _weighted(models) else ''}sample"
    prior = (
        f"prior {' or '.join(given)} ({sample} in {of_sample})"
        if given
        else f"prior {sample}, as in {of_sample}"
    )
    return f"Conditions: {prior}{costs}."


def source(used: Source) -> str:
    """Where the numbers come from: the file, its rows, and what was read as positive."""
    positive = f"positive = {quoted(used.positive)}" if used.positive else "no positives"
    weight = f"; weighted by {quoted(used.weight)}" if used.weight else ""
    rows = f"{number_of(used.rows_read, 'row')} read, {grouped(used.rows_used)} used"
    return f"{escaped(used.path)}: {rows}; {positive} in {quoted(used.label)}{weight}"


def _weighted(models: Mapping[str, Counts]) -> bool:
    return any(counts.weighted for counts in models.values())


def _chosen(models: Mapping[str, Counts]) -> bool:
    return any(counts.ledger.design == CASE_CONTROL for counts in models.values())


def of_points(rows: Sequence[Row], names: Sequence[str] = ()) -> str:
    """One line a model and set of conditions; a column for the base rate where there are
    several. `names` are the measures to show instead of the usual ones.
    """
    points = [row.point for row in rows if row.point is not None]
    names = names or columns(points)
    priors = [row.at.prior if row.point is None else row.point.at.prior for row in rows]
    several = len({row.at for row in rows}) > 1
    headings = (
        *(("prior",) if several else ()),
        "model",
        "threshold",
        *(heading(name, points) for name in names),
    )
    lines = []
    for row, prior in zip(rows, priors, strict=True):
        first = ((UNDEFINED if prior is None else f"{prior:.6g}",)) if several else ()
        cells = ["cannot satisfy the rule", *(UNDEFINED for _ in names)]
        if row.point is not None:
            cells = [brief_of(row), *(_cell(row.point, name) for name in names)]
        lines.append((*first, quoted(row.model, quotes=False), *cells))
    return Grid(headings, lines, left=2 if several else 1)


def brief_of(row: Row) -> str:
    """Where the model of a row is set; nothing where it is no model."""
    return "" if row.point is None or row.model in BASELINES else brief(row.point)


def with_baselines(rows: Sequence[Row], answers: Sequence[Answer[Choice]]) -> list[Row]:
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


def headed(points: Sequence[OperatingPoint]) -> str:
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
    fixed = f"where {escaped(first.rule)} (between two thresholds, and at the nearest one)"
    by_hand = fixed if " = " in first.rule else "at the thresholds given"
    said = ", ".join(filter(None, (where, f"{_goal(first)}{rule}" if first.optimized else by_hand)))
    return f"{said[0].upper()}{said[1:]}:"


def _goal(point: OperatingPoint) -> str:
    """What was made best, in words."""
    measure = parse(point.optimized, point.volume)
    if measure.name == COST and not point.at.costs_given:
        return "the threshold with the fewest errors"
    if measure.name == COST:
        return f"the {'most profitable' if point.at.costs.earned else 'cheapest'} threshold"
    if measure.name == "tpr" and point.volume is not None:
        return "the most caught"
    told = (
        heading(str(measure), [point])
        .replace("(t = ", "at threshold probability ")
        .removesuffix(")" if measure.name == NET_BENEFIT else "")
    )
    return f"the {'highest' if measure.direction == 'higher' else 'lowest'} {told}"


def _no_better(choice: Choice, *, alone: bool) -> str:
    """That flagging nothing, or everything, is as good as the best model, or better."""
    answer = choice.unbeaten or NOTHING
    base = choice.baselines[answer]
    name = base.optimized
    who = f"No threshold of {quoted(choice.model, quotes=False)}" if alone else "No model"
    worth = f"{heading(name, [base])} {_cell(base, name)}"
    beaten = (
        f", against {_cell(choice.point, name)} of"
        f" {' or '.join(quoted(one, quotes=False) for one in choice.models)}"
    )
    against = beaten if _cell(base, name) != _cell(choice.point, name) else ""
    return (
        f"{who} beats flagging {answer.split()[1]} {_where(base).rstrip(', ')}: {answer}"
        f" ({worth}{against})."
    )


def verdict(choice: Choice, *, alone: bool) -> str:
    """Which model to use and where to set it, in one sentence, and whether its lead over the others
    is more than chance.
    """
    point, where = choice.point, _where(choice.point)
    if choice.unbeaten is not None:
        return _no_better(choice, alone=alone)
    if alone:
        said = f"{where}{_goal(point)}: {setting(point)}{_over_baseline(choice, 'it')}."
        return said[0].upper() + said[1:] + _guaranteed(point)
    others = [name for name in choice.points if name not in choice.models]
    same = choice.indistinguishable
    if same is not None and len(same) > 1:
        said = f"{where}{_not_distinguished(choice)}"
    else:
        against = f" against {_named_amounts(choice, others)}" if others else ""
        use = " or ".join(_name(name) for name in choice.models)
        there = _at(point) if len(choice.models) == 1 else ""
        said = (
            f"{where}use {use}{there}:"
            f" {_amounts(choice, [choice.model])}{against}{_significance(choice)}{_over_baseline(choice, use)}."  # noqa: E501
        )
    return said[0].upper() + said[1:] + _guaranteed(point)


def verdict_on_test(choice: Choice, chosen: Choice) -> str:
    """What the chosen model does on the test data, in one sentence, and whether it is better there
    than the others; `chosen` is the same on the data it was chosen on.
    """
    point = choice.point
    others = [name for name in choice.points if name != choice.model]
    against = f" against {_named_amounts(choice, others)}" if others else ""
    unbeaten = choice.unbeaten
    baseline = _over_baseline(choice, _name(choice.model))
    if unbeaten is not None:
        base = choice.baselines[unbeaten]
        baseline = f"; it does not beat flagging {unbeaten.split()[1]} there"
        baseline += f" ({heading(base.optimized, [base])} {_cell(base, base.optimized)})"
    said = (
        f"{_where(point)}use {_name(choice.model)}{_at(point)}: on the test data"
        f" {_amounts(choice, [choice.model])}{against}{lead_on_test(choice)}{baseline}."
    )
    return said[0].upper() + said[1:] + _not_met(point) + _guaranteed(chosen.point, on_test=True)


def lead_on_test(choice: Choice | AmountChoice) -> str:
    """Whether the model that was chosen elsewhere is better here than the others."""
    if choice.untested:
        return f"; the difference was not tested ({choice.untested})"
    parts = []
    for verb, found in (
        ("is significant", [one for one in choice.differences if _leads(one)]),
        ("is not significant", [one for one in choice.differences if not one.significant]),
    ):
        if found:
            names = "" if len(choice.differences) == 1 else f" to {listed(_rivals(found))}"
            parts.append(f"the difference{names} {verb} ({p_in_words(found)})")
    ahead = [one for one in choice.differences if one.significant and not _leads(one)]
    if ahead:
        verb = _plural("is", "are", len(ahead))
        parts.append(f"{listed(_rivals(ahead))} {verb} significantly better ({p_in_words(ahead)})")
    return "".join(f"; {part}" for part in parts)


def _leads(one: Difference) -> bool:
    return one.significant and one.favours == one.models[1]


def _rivals(found: Sequence[Difference]) -> list[str]:
    return [one.models[0] for one in found]


def _not_met(point: OperatingPoint) -> str:
    """Which terms of the rule the fixed threshold does not meet, as a second sentence."""
    rule = parse_rule(point.rule or None, point.volume)
    failed = [term for term in rule.terms if not holds_all([term], point.confusion, point.at)]
    return "".join(
        f"\n{escaped(str(term))} is not met on the test data:"
        f" {_cell(point, str(term).rpartition(f' {term.sense}')[0])}."
        for term in failed
    )


def _significance(choice: Choice) -> str:
    """That the lead of the best model is significant, or why that was not tested."""
    if choice.untested:
        return (
            f"; {_plural('the difference was', 'the differences were', len(choice.points) - 1)} not"
            f" tested ({choice.untested})"
        )
    if not choice.differences:
        return ""
    return (
        f"; {_plural('the difference is', 'the differences are', len(choice.differences))}"
        f" significant ({p_in_words(choice.differences)})"
    )


def lead_in_words(choice: Choice | AmountChoice | None) -> str:
    """Whether the best model is better than the others, in brackets behind what it does."""
    if choice is None or len(choice.points) < 2:
        return ""
    if choice.untested or not choice.differences:
        return f" (the difference was not tested: {choice.untested})" if choice.untested else ""
    close = [one for one in choice.differences if not one.significant]
    if close:
        others = listed([one.models[0] for one in close])
        return f" (cannot be distinguished from {others} on these cases, {p_in_words(close)})"
    are = "differences are" if len(choice.differences) > 1 else "difference is"
    return f" (the {are} significant, {p_in_words(choice.differences)})"


def _not_distinguished(choice: Choice) -> str:
    """The models that cannot be distinguished from the best, the best first, and those that are
    significantly worse.
    """
    close = [one for one in choice.differences if not one.significant]
    worse = [one for one in choice.differences if one.significant]
    names = [choice.model, *(one.models[0] for one in close)]
    said = (
        f"{listed(names)} cannot be distinguished on these cases ({_amounts(choice, names)};"
        f" {p_in_words(close)})"
    )
    tail = (
        f"; {_name(choice.model)}{_at(choice.point)} is best here"
        if len(choice.models) == 1
        else ""
    )
    if worse:
        left_out = [one.models[0] for one in worse]
        verb = _plural("is", "are", len(worse))
        tail += (
            f"; {listed(left_out)} {verb} significantly worse ({_amounts(choice, left_out)};"
            f" {p_in_words(worse)})"
        )
    return f"{said}{tail}{_over_baseline(choice, _name(choice.model))}."


def _over_baseline(choice: Choice, who: str) -> str:
    """That the best model is not significantly better than one answer for all, where it is not."""
    lead = choice.lead_over_baseline
    if lead is None or lead.significant:
        return ""
    base = choice.baselines[lead.models[0]]
    worth = f"{heading(base.optimized, [base])} {_cell(base, base.optimized)}"
    return (
        f"; {who} is not significantly better than flagging {lead.models[0].split()[1]} ({worth};"
        f" {p_in_words([lead])})"
    )


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


def _plural(one: str, several: str, count: int) -> str:
    return one if count == 1 else several


def _name(name: str) -> str:
    return quoted(name, quotes=False)


def listed(names: Sequence[str]) -> str:
    """Names as one says them: a, b and c."""
    shown = [_name(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _at(point: OperatingPoint) -> str:
    """Where the model is set, behind its name."""
    return (
        f" at {setting(point)}"
        if point.share == 1 and point.threshold is not None
        else f" ({setting(point)})"
    )


def _amounts(choice: Choice, names: Sequence[str]) -> str:
    """What these models come to: "82 and 81 caught", "cost per case 0.0599 and 0.0911"."""
    name = choice.point.objective
    values = [_cell(choice.points[model], name) for model in names]
    said = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
    return f"{said} caught" if name == "caught" else f"{heading(name, [choice.point])} {said}"


def _named_amounts(choice: Choice, names: Sequence[str]) -> str:
    """What other models come to, with whose each number is."""
    name = choice.point.objective
    return ", ".join(f"{_cell(choice.points[model], name)} for {_name(model)}" for model in names)


def of_leads(choices: Sequence[Choice | AmountChoice]) -> str:
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
        prior = (
            (UNDEFINED if choice.point.at.prior is None else f"{choice.point.at.prior:.6g}",)
            if several
            else ()
        )
        for one in choice.differences:
            sign = -1 if one.name == COST and choice.point.at.costs.earned else 1
            value, low, high = (
                sign * end
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
            pair = f"{_name(one.models[1])} - {_name(one.models[0])}"
            rows.append(
                (
                    *prior,
                    pair,
                    digits(value, 4),
                    f"{digits(low, 4)} to {digits(high, 4)}",
                    *p,
                    one.method,
                )
            )
    first, point = tested[0].differences[0], tested[0].point
    headings = (
        *(("prior",) if several else ()),
        "difference",
        heading(first.name, [point.point if isinstance(point, AmountPoint) else point]),
        percent(first.level),
        "p",
        *(("p (Holm)",) if adjusted else ()),
        "method",
    )
    on = "on the same cases" if first.paired else "on different cases"
    return Page(
        f"The best model against the others, {on}:", Grid(headings, rows, left=2 if several else 1)
    )


def _guaranteed(point: OperatingPoint, *, on_test: bool = False) -> str:
    """What holds in the field at the threshold, as a second sentence."""
    if point.guarantee is None:
        return ""
    held, seen = [], []
    for one in point.guarantee.requirements:
        name, sense, limit = one.requirement.rsplit(" ", 2)
        held.append(
            f"{HEADINGS.get(name, name)} is at {'least' if sense == '>=' else 'most'} {limit}"
        )
        seen.append(f"{one.observed:.4g}")
    among = f" and among {point.guarantee.models} models" if point.guarantee.models > 1 else ""
    sure = (
        f"with {percent(point.guarantee.level)} confidence, although the threshold was chosen on"
        f" {'the same' if on_test else 'these'} cases{among}"
    )
    where = "where it was chosen" if on_test else "here"
    return f"\nIn the field, {' and '.join(held)} {sure} (observed {where}: {' and '.join(seen)})."


def _where(point: OperatingPoint) -> str:
    """The conditions and the rule, as a person says them."""
    costs = (
        (point.at.costs.spoken if point.at.costs_given else ASSUMED)
        if in_costs(point.optimized)
        else ""
    )
    said = ", ".join(
        filter(None, (f"at {_base_rate(point.at)}" if point.at.prior is not None else "", costs))
    )
    if point.rule:
        budget = point.volume is not None and point.rule.startswith("alerts")
        of_all = f" of {grouped(round(point.volume or 0))}" if budget else ""
        said = (
            f"{said} {'and' if budget and said else 'with'} {escaped(point.rule)}{of_all}".strip()
        )
    return f"{said}, " if said else ""


def _base_rate(at: Conditions) -> str:
    """A base rate as people say it: 1 in 1 000 where it is one, and always its number where it is
    not.
    """
    if at.prior is None or at.as_in_sample:
        return f"prior {at.prior:.6g}, as in the sample"
    inverse = round(1 / at.prior)
    return (
        f"1 in {grouped(inverse)}"
        if inverse >= 10 and math.isclose(at.prior * inverse, 1, rel_tol=1e-12)
        else f"prior {at.prior:.6g}"
    )


def theories(choice: Choice) -> Iterator[str]:
    """The threshold in theory, beside the one chosen."""
    for name, point in choice.points.items():
        if point.theory is not None and point.cut is not None:
            where = (
                f"score >= {digits(point.cut.score, 6)} (corrected probability"
                f" {digits(point.cut.probability, 6)})"
            )
            cost = (
                f"{heading(COST, [point])} {_cell(point.theory, COST)} against {_cell(point, COST)}"
            )
            yield (
                f"In theory, for calibrated scores, {quoted(name, quotes=False)}: {where}; {cost}"
                " at the threshold chosen here."
            )


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
    return VOLUME.sub("", name).replace(COST, HEADINGS[COST] if given else "errors per case")


def _net_benefit(name: str, points: Sequence[OperatingPoint]) -> str:
    """Net benefit is no number without the probability t at which one would act: the one given, or
    the one that the costs make.
    """
    given = dict(parse(name).parameters).get("t")
    several = list(
        dict.fromkeys(point.at.costs.threshold if given is None else given for point in points)
    )
    return f"net benefit (t = {' or '.join(f'{t:.4g}' for t in several)})"


def _cell(point: OperatingPoint, name: str) -> str:
    value = read(point, name)
    if name == COST and point.at.costs.earned:
        value = 0 - value
    if name in OF_A_VOLUME and not math.isnan(value):
        return cases(value)
    return digits(value, 4)


def cases(value: float) -> str:
    """A number of cases: whole from ten on."""
    return grouped(round(value)) if abs(value) >= 10 else f"{value:.3g}"


def of_rates(every: Sequence[Rates]) -> str:
    """What the calculator found: each rate, and the range that rounding leaves open; a column a
    base rate where there are several.
    """
    if len(every) > 1:
        names = list(
            dict.fromkeys(name for rates in every for name in (*rates.solved, *rates.undefined))
        )
        values = [
            (
                name,
                *(
                    digits(rates.solved[name].value, 4) if name in rates.solved else UNDEFINED
                    for rates in every
                ),
            )
            for name in names
        ]
        return Grid(("rate", *("" for _ in every)), values)
    rates = every[0]
    rows = [
        (
            name,
            digits(rates[name].value, 4),
            _span(rates[name]),
            "given" if rates[name].given else "",
        )
        for name in rates
    ]
    rows += [(name, UNDEFINED, reason, "") for name, reason in rates.undefined.items()]
    return Grid(("rate", "value", "if the given ones are rounded", ""), rows)


def _span(rate: Solved) -> str:
    if rate.low is None or rate.high is None:
        return "not computed"
    if rate.low == rate.high:
        return ""
    return (
        f"{digits(rate.low, 4)} or more"
        if math.isinf(rate.high)
        else f"{digits(rate.low, 4)} to {digits(rate.high, 4)}"
    )


def of_summaries(values: Sequence[Valued]) -> str:
    """One line a summary and base rate, one column a model; what a random classifier gets beside
    it, where that is not one half.
    """
    models = list(dict.fromkeys(value.model for value in values))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    chances: dict[tuple[str, str], str] = {}
    for value in values:
        key = (
            str(value.summary),
            "as in the sample" if value.at.prior is None else f"{value.at.prior:.6g}",
        )
        rows.setdefault(key, {})[value.model] = digits(value.value, 4)
        chances[key] = "" if value.chance is None else digits(value.chance, 4)
    headings = (
        "summary",
        "prior",
        *(quoted(model, quotes=False) for model in models),
        *(("random classifier",) if any(chances.values()) else ()),
    )
    lines = [
        (*key, *(cells[model] for model in models), chances[key])[: len(headings)]
        for key, cells in rows.items()
    ]
    return Grid(headings, lines, left=2)


def of_curve(model: str, curve: Curve, most: int) -> str:
    """The points of a curve, or so many of them spread evenly."""
    where = (
        ""
        if curve.at is None
        else f", at {told(curve.at, by_cost=in_costs(curve.x_label, curve.y_label))}"
    )
    shown = (
        sorted({round(i * (len(curve) - 1) / (most - 1)) for i in range(most)})
        if len(curve) > most
        else list(range(len(curve)))
    )
    some = (
        f" ({len(shown)} of {grouped(len(curve))} points; all with --csv)"
        if len(shown) < len(curve)
        else ""
    )
    cuts = curve.thresholds
    rows = [
        (
            *(() if cuts is None else (_cut(float(cuts[i])),)),
            digits(float(curve.x[i]), 4),
            digits(float(curve.y[i]), 4),
        )
        for i in shown
    ]
    x, y = (
        in_words(label, given=curve.at is None or curve.at.costs_given)
        for label in (curve.x_label, curve.y_label)
    )
    title = f"{quoted(model, quotes=False)}, {curve.name}: {y} against {x}{where}{some}"
    headings = (*(() if cuts is None else ("score >=",)), x, y)
    return Page(title, Grid(headings, rows, left=0))


def of_decisions(curves: Sequence[tuple[str, Curve]]) -> list[str]:
    """Net benefit at threshold probabilities a percent apart, beside acting on everybody and on
    nobody: a table for each base rate.
    """
    found = list[str]()
    for prior in dict.fromkeys(curve.at.prior for _, curve in curves if curve.at is not None):
        here = [
            (model, curve)
            for model, curve in curves
            if curve.at is not None and curve.at.prior == prior
        ]
        highest = max(float(curve.x[-1]) for _, curve in here)
        t = np.arange(1, max(2, min(100, math.floor(100 * highest) + 2))) / 100
        columns = [
            act_on_everybody(t, float(prior)),
            np.zeros(len(t)),
            *(benefits_at(curve, t)[0] for _, curve in here),
        ]
        cuts = [benefits_at(curve, t)[1] for _, curve in here]
        alone = len(here) == 1
        rows = [
            (
                f"{100 * share:.0f} %",
                *((_cut(float(cuts[0][i])),) if alone else ()),
                *(digits(float(column[i]), 4) for column in columns),
            )
            for i, share in enumerate(t)
        ]
        names = (
            ("net benefit",)
            if alone
            else tuple(f"net benefit, {quoted(model, quotes=False)}" for model, _ in here)
        )
        headings = (
            "threshold probability",
            *(("score >=",) if alone else ()),
            "act on everybody",
            "act on nobody",
            *names,
        )
        told = quoted(here[0][0], quotes=False) if alone else f"{len(here)} models"
        title = (
            f"{told}, decision curve: net benefit a case at prior {prior:.6g} (every jump with"
            " --csv)"
        )
        found.append(Page(title, Grid(headings, rows, left=0)))
    return found


def _cut(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:.6g}"


def curves_csv(curves: Sequence[tuple[str, Curve]]) -> str:
    """All points of all curves: one line a point, with the model and the base rate that it is read
    at.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    first = curves[0][1]
    with_cut = first.x_label != "threshold"
    writer.writerow(
        ("model", "prior", *(("threshold",) if with_cut else ()), first.x_label, first.y_label)
    )
    for model, curve in curves:
        prior = "" if curve.at is None or curve.at.prior is None else repr(curve.at.prior)
        cuts = (
            curve.thresholds.tolist() if curve.thresholds is not None else [math.nan] * len(curve)
        )
        for x, y, cut in zip(curve.x.tolist(), curve.y.tolist(), cuts, strict=True):
            values = (cut, x, y) if with_cut else (x, y)
            writer.writerow(
                (
                    _safe(model),
                    prior,
                    *("" if math.isnan(value) else repr(value) for value in values),
                )
            )
    return out.getvalue()


def _safe(name: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{name}" if name[:1] in "=+-@\t\r" else name


def span(found: Interval | None) -> str:
    """An interval in a cell; a dash where there is none."""
    if found is None:
        return UNDEFINED
    if found.method == EXACT:
        return EXACT
    ends = (
        found.value if found.side == UPPER else found.low,
        found.value if found.side == LOWER else found.high,
    )
    count = digits_apart(*ends, least=3)
    low, high = (_short(bound, count) for bound in (found.low, found.high))
    if found.side == UPPER:
        return f"<= {high}"
    return f">= {low}" if found.side == LOWER else f"{low} to {high}"


def _short(value: float, count: int) -> str:
    return (
        grouped(round(value))
        if abs(value) >= 1000 and math.isfinite(value)
        else f"{value:.{count}g}"
    )


def digits(value: float, count: int) -> str:
    """So many significant digits, trailing zeros kept; a dash for what is undefined."""
    return UNDEFINED if math.isnan(value) else f"{value:#.{count}g}".removesuffix(".")
