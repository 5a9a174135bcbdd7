"""Comparisons and gates: as JSON for a program, as text for a person."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baserate.atomic import Grid, Page
from baserate.conditions import OUTCOMES, Conditions, Uncertain, told
from baserate.counts.cells import Totals
from baserate.counts.counts import JointCounts
from baserate.errors import escaped, grouped, number_of, quoted
from baserate.measures.registry import CLASS_OF
from baserate.results.choice import Choice
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import (
    ALL,
    LOWER,
    MISSED,
    OBSERVED,
    SHOWN,
    UNJUDGED,
    WORSE,
    Check,
    Difference,
    NonInferiority,
    Part,
    Requirement,
    bounds_in_words,
    percent,
    reverse_difference,
)
from baserate.shift.estimate import EM, PriorEstimate, PriorEstimates, ShiftCheck
from baserate.views.document import (
    conditions,
    number,
    of_check,
    of_interval,
    threshold,
    uncertain,
)
from baserate.views.tables import (
    UNDEFINED,
    digits,
    in_words,
    reading,
    shown_prior,
    span,
)

# ----------------------------------------------------------------------
# Comparisons and gates in the document: what a program reads of who is better, and of what passes.


def of_difference(found: Difference, sample: Totals | None = None) -> dict[str, Any]:
    """A difference of two models; of one whose conditions are those of the sample, with its base
    rate.
    """
    return {
        "statistic": found.name,
        "models": list(found.models),
        "values": [number(value) for value in found.values],
        "at": _conditions_as_json(found, sample),
        "value": number(found.value),
        "low": number(found.low),
        "high": number(found.high),
        "level": found.level,
        "p_value": found.p_value,
        "p_adjusted": found.p_adjusted,
        "z": number(found.statistic),
        "method": found.method,
        "paired": found.paired,
        "better": found.better,
        "favours": found.favours,
        "significant": found.significant,
        "replicates": found.replicates,
    }


def of_leads(choice: Choice) -> dict[str, Any]:
    """Whether the best model is better than each of the others, and than one answer for all; null
    where that was not tested, and why.
    """
    same, lead = choice.indistinguishable, choice.lead_over_baseline
    return {
        "differences": [of_difference(one) for one in choice.differences],
        "indistinguishable": None if same is None else list(same),
        "untested": choice.untested or None,
        "lead_over_baseline": None if lead is None else of_difference(lead),
        "baseline_untested": choice.baseline_untested or None,
    }


def _conditions_as_json(found: Difference, sample: Totals | None) -> dict[str, Any] | None:
    """The conditions of a comparison, known or not; none where they do not matter."""
    if isinstance(found.at, Uncertain):
        return uncertain(found.at)
    known = isinstance(found.at, Conditions) and (sample is not None or found.at.prior is not None)
    return conditions(found.at, sample) if known else None


def regression_verdict(verdict: NonInferiority) -> dict[str, Any]:
    """Whether a candidate passes, and where it does not."""
    return {
        "passed": verdict.passed,
        "outcome": verdict.outcome,
        "margin": verdict.margin,
        "failed": [part.name for part in verdict.failed],
    }


def regression_parts(joint: JointCounts, verdict: NonInferiority) -> list[dict[str, Any]]:
    """The comparison over all cases and on every slice."""
    return [
        {
            "slice": part.name,
            "whole": part.whole,
            "outcome": part.outcome,
            "detectable": part.detectable,
            **of_difference(part.difference, joint),
            "p_adjusted": part.p_adjusted,
        }
        for part in verdict.parts
    ]


class Judged(NamedTuple):
    """A requirement, evaluated for a model over all cases (part None) or on a slice."""

    model: str
    part: str | None
    requirement: Requirement


def requirement_verdict(judged: Sequence[Judged], *, passed: bool) -> dict[str, Any]:
    """Whether a requirement is demonstrated, for every model and slice; a slice that cannot be
    evaluated has no checks.
    """
    checks = [
        {
            "model": one.model,
            "slice": one.part or ALL,
            "whole": one.part is None,
            **of_check(check),
            "threshold": None if point is None else threshold(point.threshold),
            "at": None if point is None else conditions(point.at),
        }
        for one in judged
        for check in one.requirement.checks
        for point in [one.requirement.point if check.at_point else None]
    ]
    skipped = [one for one in judged if one.requirement.outcome == UNJUDGED]
    unjudged = [
        {"model": one.model, "slice": one.part, "reason": one.requirement.notes[0].text}
        for one in skipped
    ]
    return {"passed": passed, "checks": checks, "unjudged": unjudged}


# ----------------------------------------------------------------------
# What was compared or evaluated, for a person: a sentence first, then a table.


def describe_differences(found: Sequence[Difference]) -> str:
    """Return a sentence for each comparison."""
    return "\n".join(map(describe_difference, found))


def tabulate_differences(found: Sequence[Difference]) -> list[str]:
    """Return a table of comparisons, where there are several."""
    if len(found) == 1:
        return []
    rows = [
        (
            _prior_in_words(one.at),
            f"{quoted(one.models[1], quotes=False)} - {quoted(one.models[0], quotes=False)}",
            reading(one.name, one.value),
            f"{reading(one.name, one.low)} to {reading(one.name, one.high)}",
            f"{one.p_value:.3g}",
            "" if one.p_adjusted is None else f"{one.p_adjusted:.3g}",
            one.method,
        )
        for one in found
    ]
    headings = [
        "base rate",
        "difference",
        _measure_in_words(found[0]),
        percent(found[0].level),
        "p",
        "p (Holm)",
        "method",
    ]
    kept = [i for i in range(len(headings)) if any(row[i] for row in rows)]
    table = Grid(
        [headings[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        left=2 if 0 in kept else 1,
    )
    return [table]


def _prior_in_words(at: Any) -> str:
    """The base rate of a comparison, where it has one of its own and knows it exactly."""
    known = isinstance(at, Conditions) and at.is_exact and not at.as_in_sample
    return shown_prior(at.prior) if known else ""


def shown_p(p: float) -> str:
    """A p-value, which is never 0."""
    return f"p = {p:.3g}" if p >= 1e-300 else "p < 1e-300"


def _measure_in_words(one: Difference) -> str:
    """What was compared, in words."""
    return escaped(in_words(one.name, given=one.at is not None and one.at.costs_given))


def describe_difference(one: Difference) -> str:
    """Which model is better, by how much, and whether the difference is significant."""
    if one.favours == one.models[0]:  # the better one first, and its difference to the other
        one = reverse_difference(one)
    first, second = (quoted(name, quotes=False) for name in one.models)
    is_known = one.at is not None and one.at.is_exact
    where = (
        ""
        if one.at is None or (is_known and one.at.as_in_sample)
        else f" at {told(one.at, by_cost=one.assumes_equal_costs)}"
    )
    value, low, high, *each = (
        reading(one.name, part) for part in (one.value, one.low, one.high, *one.values)
    )
    bounds = f"{percent(one.level)} {low} to {high}"
    p = one.p_value if one.p_adjusted is None else one.p_adjusted
    holm = " after Holm" if one.p_adjusted is not None else ""
    much = f"difference {value} ({bounds}), {shown_p(p)}{holm} ({one.method})"
    ranged = isinstance(one.at, Uncertain) and one.at.has_range
    values = (
        f"{second} {each[1]}, {first} {each[0]}{' in the middle of the range' if ranged else ''}"
    )
    whole = " over the whole range" if ranged else ""
    if one.favours is None:
        said = f"No difference in {_measure_in_words(one)}"
    elif not one.significant:
        said = f"No significant difference in {_measure_in_words(one)}{whole}"
    else:
        said = (
            f"{quoted(one.favours, quotes=False)} is significantly better in"
            f" {_measure_in_words(one)}{whole}"
        )
    return f"{said}{where}: {values}; {much}."


def of_requirements(judged: Sequence[Judged], *, passed: bool, level: float) -> str:
    """Passed or failed, and why, for every model, slice and term."""
    rows = []
    for one in judged:
        model, part = (
            quoted(one.model, quotes=False),
            ALL if one.part is None else _slice_in_words(one.part),
        )
        if one.requirement.outcome == UNJUDGED:
            rows.append((model, part, UNDEFINED, UNDEFINED, UNDEFINED, UNJUDGED))
        for check in one.requirement.checks:
            side = ">=" if check.interval.side == LOWER else "<="
            bound = f"{side} {digits(check.bound, 4)}"
            rows.append(
                (
                    model,
                    part,
                    check.requirement,
                    digits(check.interval.value, 4),
                    bound,
                    check.outcome,
                )
            )
    kept = [0, *([1] if any(one.part is not None for one in judged) else []), 2, 3, 4, 5]
    headings = (
        "model",
        "slice",
        "required",
        "in this sample",
        f"{percent(level)} bound",
        "verdict",
    )
    table = Grid(
        [headings[i] for i in kept],
        [[row[i] for i in kept] for row in rows],
        left=3 if 1 in kept else 2,
    )
    return Page("\n".join(_describe_failures(judged, passed=passed)), table)


def _describe_failures(judged: Sequence[Judged], *, passed: bool) -> list[str]:
    shown = all(one.requirement.outcome == SHOWN for one in judged)
    lines = [
        "Passed: every requirement is demonstrated."
        if shown
        else "Passed."
        if passed
        else "Failed."
    ]
    for one in judged:
        where = quoted(one.model, quotes=False) + (
            "" if one.part is None else f", slice {quoted(one.part, quotes=False)}"
        )
        if one.requirement.outcome == UNJUDGED:
            lines.append(f"{where}: {UNJUDGED}: {one.requirement.notes[0].text}.")
        for check in one.requirement.checks:
            if check.outcome == MISSED:
                lines.append(
                    f"{where}: {check.requirement} is not met: {digits(check.interval.value, 4)} in"
                    " this sample."
                )
            elif check.outcome == OBSERVED:
                lines.append(f"{where}: {_met_not_demonstrated(check, one.requirement.point)}")
    return lines


def _met_not_demonstrated(check: Check, point: OperatingPoint | None) -> str:
    """A requirement that is met in this sample: why it is not demonstrated, and what would do."""
    kind = ("positive", "negative")[CLASS_OF.get(check.interval.name, 0)]
    more = (
        _how_to_plan(check, point)
        if check.needed is None
        else f" {number_of(check.needed, kind)} at the same rate would demonstrate it."
    )
    side = "lower" if check.interval.side == LOWER else "upper"
    why = f"the {side} bound is {digits(check.bound, 4)}"
    if any(note.code == "BR596" for note in check.interval.notes):
        why = "its interval is only approximate"
    if check.corrected is not None:
        on = "flag" if check.at_point else "score"
        why = (
            f"labels depend on the {on}, and it is about {digits(check.corrected, 4)} if they"
            " depend on nothing else"
        )
    value = digits(check.interval.value, 4)
    return f"{check.requirement} is met in this sample ({value}) but not demonstrated: {why}.{more}"


# Requirements on both classes, for which `plan` finds the number of cases.
PLANNED = ("precision", "npv", "accuracy", "expected_cost")


def _how_to_plan(check: Check, point: OperatingPoint | None) -> str:
    """The command that prints how many cases would demonstrate this at the rates observed."""
    name, at = check.interval.name, point.at if point is not None else None
    if point is None or at is None or at.prior is None or name not in PLANNED:
        return ""
    if check.corrected is not None or not float(point.fp) or "cluster" in check.interval.method:
        return ""
    tp, fp, fn, tn = (float(cases) for cases in point.confusion)
    rates = f"tpr={tp / (tp + fn):.4g},fpr={fp / (fp + tn):.4g}"
    words = ["baserate", "plan", check.requirement, "--expect", rates, "--prior", f"{at.prior:.6g}"]
    if at.costs_given:
        costs = ((cell, getattr(at.costs, cell)) for cell in OUTCOMES)
        words += ["--cost", ",".join(f"{cell}={float(cost):g}" for cell, cost in costs if cost)]
    words += ["--ratio", f"{(fp + tn) / (tp + fn):.3g}"]
    return f"\nHow many cases would demonstrate it: {shlex.join(words)}"


def of_non_inferiority(verdict: NonInferiority) -> str:
    """Passed or failed, where it is worse, and the smallest difference that could have been
    detected.
    """
    whole = verdict.parts[0].difference
    first, second = (quoted(name, quotes=False) for name in whole.models)
    passed = "Passed" if verdict.passed else "Failed"
    outcome = _outcome_in_words(verdict)
    lines = [f"{passed}: {second} against {first} in {_measure_in_words(whole)}: {outcome}."]
    lines += [_worse_on_part(part) for part in verdict.failed if not part.whole]
    if (margin := verdict.margin_note) is not None:
        lines.append(f"Margin {verdict.margin:g}: {margin.text}.")
    if verdict.parts[0].detectable is not None:
        lines.append(
            f"A difference of {digits(verdict.parts[0].detectable, 3)} over all cases would have"
            " been detected with 80 % power."
        )
    rows = [
        (
            ALL if part.whole else _slice_in_words(part.name),
            *(digits(value, 4) for value in part.difference.values),
            digits(part.difference.value, 4),
            f"{part.p_adjusted:.3g}",
            UNDEFINED if part.detectable is None else digits(part.detectable, 3),
            part.outcome,
        )
        for part in verdict.parts
    ]
    p = "p" if len(rows) == 1 else "p (Holm)"
    return Page(
        "\n".join(lines),
        Grid(("cases", first, second, "difference", p, "detectable", "verdict"), rows),
    )


def _slice_in_words(name: str) -> str:
    """A slice by its name, distinguished from all cases."""
    return f"{ALL} (a slice)" if name == ALL else quoted(name, quotes=False)


def _outcome_in_words(verdict: NonInferiority) -> str:
    if not verdict.passed and not verdict.failed:
        return f"{verdict.outcome}, but not demonstrated to be within the margin"
    return (
        "worse on a slice"
        if verdict.outcome == WORSE and verdict.parts[0].outcome != WORSE
        else verdict.outcome
    )


def _worse_on_part(part: Part) -> str:
    values = part.difference.values
    name = _measure_in_words(part.difference)
    return (
        f"Worse on {quoted(part.name, quotes=False)}: {name} from {digits(values[0], 4)} to"
        f" {digits(values[1], 4)}, p = {part.p_adjusted:.3g}."
    )


# ----------------------------------------------------------------------
# The base rate of the field, estimated: for a person, and in the document.


def describe_estimates(found: PriorEstimates) -> str:
    """Return a sentence for each model, and the base rate of the labelled cases."""
    lines = [
        _estimate_sentence(name, several[0], alone=len(found.estimates) == 1)
        for name, several in found.estimates.items()
    ]
    chosen = " (chosen by design)" if found.chosen_by_design else ""
    lines[0] += f" Labelled sample: {digits(found.sample, 4)}{chosen}."
    return "\n".join(lines)


def tabulate_estimates(found: PriorEstimates) -> list[str]:
    """Return every estimate, and whether the assumption behind them holds."""
    checks = [_shift_checked(name, several[0].check) for name, several in found.estimates.items()]
    return [_estimate_table(found.estimates), "\n".join(checks)]


def _estimate_sentence(name: str, found: PriorEstimate, *, alone: bool) -> str:
    of = "" if alone else f", by {quoted(name, quotes=False)}"
    return (
        f"Base rate{of}: {digits(found.value, 4)} ({percent(found.level)}"
        f" {bounds_in_words(found)}),"
        f" estimated from {grouped(found.cases)} unlabelled cases."
    )


def _estimate_table(found: Mapping[str, Sequence[PriorEstimate]]) -> str:
    level = next(iter(found.values()))[0].level
    rows = [
        (
            quoted(name, quotes=False),
            one.method,
            _estimated_how(one),
            digits(one.value, 4),
            span(one),
        )
        for name, several in found.items()
        for one in several
    ]
    return Grid(["model", "method", "how", "base rate (prior)", percent(level)], rows, left=3)


def _estimated_how(one: PriorEstimate) -> str:
    if one.method == EM:
        return (
            UNDEFINED
            if one.calibrated_at is None
            else f"scores calibrated at {digits(one.calibrated_at, 4)}"
        )
    return UNDEFINED if one.threshold is None else f"score ≥ {one.shown_threshold}"


def _shift_checked(name: str, check: ShiftCheck | None) -> str:
    who = quoted(name, quotes=False)
    if check is None or check.p_value != check.p_value:
        return f"{who}: label shift could not be checked."
    found = (
        "the unlabelled scores are not a mixture of the scores of the two classes, so the estimate"
        " is not reliable"
        if check.moved
        else "the unlabelled scores are consistent with a mixture of the two classes"
    )
    return f"{who}: {found} (p = {check.p_value:.3g})."


def estimates_as_json(found: PriorEstimates) -> dict[str, Any]:
    """Return every estimate, with what it rests on, and the base rate of the labelled cases."""
    estimates = [
        {"model": name, **_of_estimate(one)}
        for name, several in found.estimates.items()
        for one in several
    ]
    sample = number(found.sample)
    chosen = found.chosen_by_design
    return {"estimates": estimates, "sample": sample, "chosen_by_design": chosen}


def _of_estimate(one: PriorEstimate) -> dict[str, Any]:
    check = one.check
    told = None
    if check is not None and check.p_value == check.p_value:
        told = {
            "statistic": check.statistic,
            "degrees": check.degrees,
            "p_value": check.p_value,
            "moved": check.moved,
            "level": check.level,
        }
    return {
        "prior": number(one.value),
        **of_interval(one),
        "cases": one.cases,
        "threshold": None if one.threshold is None else threshold(one.threshold),
        "calibrated_at": one.calibrated_at,
        "replicates": one.replicates,
        "label_shift": told,
    }
