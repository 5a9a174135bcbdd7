"""Comparisons and gates in the document: what a program reads of who is better, and of what passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from baserate.conditions import Conditions
from baserate.decisions.models import Choice
from baserate.document import answer, conditions, number, of_interval, threshold, uncertain
from baserate.joint import JointCounts
from baserate.notes import Note, Source
from baserate.uncertain import Uncertain
from baserate.uncertainty.gates import ALL, UNJUDGED, Regression, Requirement
from baserate.uncertainty.values import Difference


def of_comparisons(
    command: str, sources: Sequence[Source], found: Sequence[Difference], notes: Sequence[Note], seed: int, joint: JointCounts | None = None
) -> dict[str, Any]:
    """Every comparison: how much, between which bounds, and whether it could be chance; `joint` where conditions have a part in it."""
    return answer(command, notes, tuple(dict.fromkeys(sources)), seed, models=[], comparisons=[of_difference(one, joint) for one in found])


def of_difference(found: Difference, joint: JointCounts | None) -> dict[str, Any]:
    """A difference of two models."""
    return {
        "statistic": found.name,
        "models": list(found.models),
        "values": [number(value) for value in found.values],
        "at": _at(found, joint),
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
    """Whether the best model is better than each of the others, and than one answer for all; null where that was not tested, and why."""
    same = choice.indistinguishable
    return {
        "differences": [of_difference(one, None) for one in choice.differences],
        "indistinguishable": None if same is None else list(same),
        "untested": choice.untested or None,
        "lead_over_baseline": None if choice.lead_over_baseline is None else of_difference(choice.lead_over_baseline, None),
        "baseline_untested": choice.baseline_untested or None,
    }


def _at(found: Difference, joint: JointCounts | None) -> dict[str, Any] | None:
    """The conditions of a comparison, known or not; none where they do not matter."""
    if isinstance(found.at, Uncertain):
        return uncertain(found.at)
    return conditions(found.at, joint) if isinstance(found.at, Conditions) and joint is not None else None


def regression_verdict(verdict: Regression) -> dict[str, Any]:
    """Whether a candidate passes, and where it does not."""
    return {"passed": verdict.passed, "outcome": verdict.outcome, "margin": verdict.margin, "failed": [part.name for part in verdict.failed]}


def regression_parts(joint: JointCounts, verdict: Regression) -> list[dict[str, Any]]:
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
    """A requirement, judged for a model over all cases (part None) or on a slice."""

    model: str
    part: str | None
    requirement: Requirement


def requirement_verdict(judged: Sequence[Judged], *, passed: bool) -> dict[str, Any]:
    """Whether a requirement is shown, for every model and slice; a slice that cannot be judged has no checks."""
    checks = [
        {
            "model": one.model,
            "slice": one.part or ALL,
            "whole": one.part is None,
            "requirement": check.requirement,
            "outcome": check.outcome,
            "value": number(check.interval.value),
            "bound": number(check.bound),
            **of_interval(check.interval),
            "cases_needed": check.needed,
            "threshold": threshold(one.requirement.point.threshold) if check.at_point and one.requirement.point is not None else None,
            "at": conditions(one.requirement.point.at) if check.at_point and one.requirement.point is not None else None,
        }
        for one in judged
        for check in one.requirement.checks
    ]
    skipped = [one for one in judged if one.requirement.outcome == UNJUDGED]
    unjudged = [{"model": one.model, "slice": one.part, "reason": one.requirement.notes[0].text} for one in skipped]
    return {"passed": passed, "checks": checks, "unjudged": unjudged}
