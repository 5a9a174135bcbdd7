"""What `show` answers over a range of base rates or costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from baserate.cli.runner import (
    OVER,
    Request,
    Result,
    thresholds_of,
)
from baserate.conditions import Conditions, Uncertain
from baserate.counts.counts import Counts
from baserate.counts.points import Points
from baserate.decisions.roc_geometry import EVERYTHING, NOTHING
from baserate.decisions.rules import parse_rule
from baserate.errors import Note, quoted, refuse
from baserate.inference.expectation import Expectation, expect
from baserate.measures.confusion import Measure, confusion_at, parse
from baserate.results.operating_point import COUNTED
from baserate.views import choices

# ----------------------------------------------------------------------
# `baserate show` over a range: what a measure comes to.


# Measures by which a model is compared with flagging nothing and flagging everything.
COMPARED = ("expected_cost", "normalized_cost", "volume_cost", "error", "accuracy", "net_benefit")


def expected(
    request: Request,
    models: dict[str, Counts],
    names: Sequence[str],
    rule: str | None,
    thresholds: tuple[str, ...],
) -> Result:
    """Measures on average (or in the long run), between which bounds, at worst and at best: at a
    threshold, or where a rule or the lowest cost chooses one anew for all conditions. Two models
    are also compared: their difference, at the same conditions.
    """
    request = request.estimated(OVER)
    at, cases = request.conditions.uncertain(), request.conditions.cases
    caught = parse_rule(rule, cases).budget is not None and not at.costs_given
    measures = [parse(name, cases) for name in names or ["caught" if caught else "expected_cost"]]
    terms = parse_rule(rule, cases).terms
    _refuse_counted(request, [*measures, *(term.measure for term in terms)])
    asked: dict[str, Any] = {
        "at": _doubtful(at),
        "volume": cases,
        "level": request.intervals.level,
        "kind": request.conditions.kind,
    }
    cuts = thresholds_of(thresholds, tuple(models))
    every = [_expectations(measure, models, rule, cuts, asked) for measure in measures]
    found = [one for part in every for one in part]
    return Result.of_models(
        "show",
        models,
        [],
        [*_notes(models, found), *_said(request)],
        lambda: [choices.expected(part) for part in every],
        lambda: {
            "seed": request.intervals.seed,
            "expectations": [choices.of_expectation(model, one) for model, one in found],
        },
    )


def _expectations(
    measure: Measure,
    models: dict[str, Counts],
    rule: str | None,
    cuts: dict[str, Any] | None,
    asked: dict[str, Any],
) -> list[tuple[str, Expectation]]:
    """Of one measure: each model, the difference of two, and what it is compared with."""
    at: dict[str, dict[str, Any]] = {
        name: {} if cuts is None else {"threshold": cuts[name]} for name in models
    }
    found = [
        (name, expect(measure=measure, counts=counts, rule=rule, **asked, **at[name]))
        for name, counts in models.items()
    ]
    if len(models) == 2:
        first, second = models
        both: dict[str, Any] = {} if cuts is None else {"threshold": cuts}
        gain = expect(measure=measure, counts=dict(models), rule=rule, **asked, **both)
        found.append((f"{second} - {first}", gain))
    if rule is None and measure.name in COMPARED:
        found += _ends(measure, next(iter(models.values())), asked)
    return found


def _ends(measure: Measure, counts: Counts, asked: dict[str, Any]) -> list[tuple[str, Expectation]]:
    """The same of flagging nothing and of flagging everything."""
    points = Points.of(counts)
    ends = {NOTHING: 0, EVERYTHING: len(points) - 1}
    return [
        (name, expect(measure=measure, counts=confusion_at(points, place), **asked))
        for name, place in ends.items()
    ]


def _doubtful(at: Uncertain | Conditions) -> Uncertain:
    parts = (at.prior, *at.costs.values()) if isinstance(at, Uncertain) else ()
    if not isinstance(at, Uncertain) or all(
        part is None or isinstance(part, int | float) for part in parts
    ):
        raise refuse(
            "BR519",
            "all conditions are exact, so there is no range to evaluate",
            "leave --kind out, or give a range: --prior 1e-5..1e-3",
        )
    return at


def _notes(models: Mapping[str, Counts], found: list[tuple[str, Expectation]]) -> list[Note]:
    """The notes of the models, and those of a difference that are not among them."""
    own = [note for name, one in found if name in models for note in one.notes]
    return own + [
        Note(note.code, f"{quoted(name, quotes=False)}: {note.text}", note.override)
        for name, one in found
        if name not in models
        for note in one.notes
        if note not in own
    ]


def _refuse_counted(request: Request, asked: Iterable[Measure]) -> None:
    """Refuse alerts that would be computed at an estimated base rate: they are counted among the
    unlabelled cases.
    """
    names = [measure.name for measure in asked if measure.name in COUNTED]
    if names and request.conditions.learned is not None:
        text = (
            f"with --prior-from, {names[0]} are counted among the unlabelled cases, not computed"
            " from the estimated base rate"
        )
        raise refuse(
            "BR647",
            text.replace("posfrac are", "posfrac is"),
            "show --threshold or choose with --prior-from, without --kind",
        )


def _said(request: Request) -> tuple[Note, ...]:
    """The note on an estimated base rate."""
    return request.conditions.learned.notes if request.conditions.learned is not None else ()
