"""What a report contains: answers, kept points, slices, definitions, and what the test set can
show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.cells import Array, Indices
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.joint import JointCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import OperatingPoint, short_on
from baserate.decisions.rules import parse_rule
from baserate.decisions.search import is_better
from baserate.decisions.selection import Answer, Choice, settings_of
from baserate.errors import InputError, grouped, number_of, quoted, refuse
from baserate.inference.best_model import choices
from baserate.inference.intervals import IntervalOptions, completed, with_points
from baserate.inference.rates import MOST_CASES, rate_bounds
from baserate.inference.sample_size import sample_support
from baserate.inference.values import CORRECTED, Interval, percent
from baserate.measures.measure import parse
from baserate.measures.registry import CATALOGUE
from baserate.notes import CASE_CONTROL, Note
from baserate.numbers import Floats
from baserate.output import choices as choice_texts
from baserate.output import comparisons, document, tables
from baserate.output.choices import notes_said, of_recommendation
from baserate.output.document import (
    Settings,
    conditions,
    number,
    point_of,
    threshold,
    whole,
)
from baserate.output.segment_tables import MOST_SITES
from baserate.robustness.decision import Recommendation
from baserate.segments.groups import Slice, Slices, by_group

# ----------------------------------------------------------------------
# What a report was asked: every rule at every base rate, answered exactly, with the points that
# each model is set to.


MOST_MODELS = 50
SEED = 0


@dataclass(frozen=True)
class RuleChoices:
    """One rule (None: the cheapest threshold), and what was chosen at each base rate."""

    rule: str | None
    volume: float | None
    answers: tuple[Answer[Choice], ...]


def answered(
    models: JointCounts | Mapping[str, Counts],
    rules: Sequence[str | None],
    at: Sequence[Conditions],
    volume: float | None,
) -> tuple[list[RuleChoices], list[Note]]:
    """Every rule at every base rate, and a note of every model that cannot satisfy one; a rule that
    none can satisfy anywhere is refused.
    """
    found: list[RuleChoices] = []
    notes: list[Note] = []
    for rule in rules:
        answers, refused = choices(models, rule, at, volume=volume)
        found.append(RuleChoices(str(parse_rule(rule, volume)) or None, volume, tuple(answers)))
        notes += refused
    return found, notes


def best_of(
    models: Mapping[str, Counts],
    asked: Sequence[RuleChoices],
    notes: Sequence[Note],
    *,
    rules: Sequence[str | None],
    at: Sequence[Conditions],
) -> tuple[Mapping[str, Counts], Sequence[RuleChoices], Sequence[Note]]:
    """All models, or where they are too many for one page, those that are best at the first
    answer.
    """
    if len(models) <= MOST_MODELS:
        return models, asked, notes
    ranked = _ranked(
        next(answer.choice for one in asked for answer in one.answers if answer.choice is not None)
    )
    kept = {
        name: models[name]
        for name in [*ranked, *(name for name in models if name not in ranked)][:MOST_MODELS]
    }
    again, refused = answered(kept, rules, at, asked[0].volume)
    text = (
        f"{len(kept)} of {grouped(len(models))} models are in the report, the best by its first"
        " answer"
    )
    return (
        kept,
        again,
        [Note("BR863", f"{text}: the best of many looks better than it is"), *refused],
    )


def _ranked(choice: Choice) -> list[str]:
    """The models by what was made best, the best first."""

    def order(first: str, second: str) -> int:
        one, other = choice.points[first], choice.points[second]
        better = partial(is_better, parse(one.optimized, one.volume))
        return (
            -1
            if better(one.confusion, other.confusion, one.at)
            else int(better(other.confusion, one.confusion, one.at))
        )

    return sorted(choice.points, key=cmp_to_key(order))


def completed_answers(
    models: Mapping[str, Counts], asked: Sequence[RuleChoices], level: float
) -> tuple[list[RuleChoices], tuple[Note, ...]]:
    """The answers with the intervals of their points, and a note of every model whose thresholds
    are treated as fixed in advance.
    """
    how = IntervalOptions(level, seed=SEED)
    answers = [answer for one in asked for answer in one.answers]
    found = completed(models, settings_of(models, answers), how)
    left = iter(with_points(answers, found.points, how))
    complete = [replace(one, answers=tuple(islice(left, len(one.answers)))) for one in asked]
    return complete, tuple(note for note in found.notes if note.code == "BR626")


def of_answers(asked: Sequence[RuleChoices], models: Mapping[str, Counts]) -> list[dict[str, Any]]:
    """The answers for a program, each with its sentence."""
    return [_answer(one, answer, models) for one in asked for answer in one.answers]


def _answer(
    one: RuleChoices, answer: Answer[Choice], models: Mapping[str, Counts]
) -> dict[str, Any]:
    choice = answer.choice
    at = (
        conditions(answer.at, next(iter(models.values())))
        if choice is None
        else conditions(choice.point.at)
    )
    return {
        "rule": one.rule,
        "at": at,
        "volume": one.volume,
        "choose": [] if choice is None else list(choice.models),
        "sentence": sentence(answer, alone=len(models) == 1),
        "points": (
            {}
            if choice is None
            else {name: point_of(point) for name, point in choice.points.items()}
        ),
        "baselines": (
            {}
            if choice is None
            else {name: point_of(point) for name, point in choice.baselines.items()}
        ),
        **({} if choice is None else comparisons.of_leads(choice)),
        "refused": (
            {}
            if choice is None
            else {name: error.problems[0].text for name, error in choice.refused.items()}
        ),
    }


def sentence(answer: Answer[Choice], *, alone: bool) -> str:
    """Which model, and where it is set, or that none can."""
    return (
        f"At {answer.at}: no model can satisfy the rule."
        if answer.choice is None
        else tables.verdict(answer.choice, alone=alone)
    )


# ----------------------------------------------------------------------
# What the words of a report mean, and where they come from.


MEASURES = (
    "tpr",
    "fpr",
    "precision",
    "npv",
    "posfrac",
    "expected_cost",
    "normalized_cost",
    "alerts",
    "caught",
    "missed",
    "false_alarms",
)
MOST_SYNONYMS = 3
WORDS = (
    (
        "prior",
        "prior (base rate, prevalence)",
        "the share of positives among the cases that are met; in the sample or in the field",
        "",
    ),
    ("threshold", "threshold (cut-off)", "a case is flagged where its score is at least this", ""),
    (
        "auc",
        "AUC (area under the ROC)",
        "the chance that a positive scores above a negative, ties counted half",
        "Hanley & McNeil 1982, Radiology 143:29-36",
    ),
    (
        "hull",
        "hull (ROCCH)",
        (
            "the upper convex hull of the ROC: its corners are the cheapest points at some base"
            " rate and cost"
        ),
        "Provost & Fawcett 2001, Machine Learning 42:203-231",
    ),
    (
        "label shift",
        "label shift",
        (
            "the assumption behind every number at another base rate: the classes change their"
            " shares, the scores within each class do not change"
        ),
        "Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21-41",
    ),
)


def definitions() -> list[dict[str, str]]:
    """The measures that a report shows, from the registry, and the words around them."""
    return [
        dict(zip(("name", "title", "text", "sources"), row, strict=True))
        for row in (*_measures(), *WORDS)
    ]


def _measures() -> Iterator[tuple[str, str, str, str]]:
    parse("tpr")  # fills the registry
    for name in MEASURES:
        entry = CATALOGUE[name]
        also = ", ".join(entry.synonyms[:MOST_SYNONYMS])
        yield (
            name,
            f"{name} ({also})" if also else name,
            f"{entry.text}. {entry.extremes}",
            entry.citation,
        )


# ----------------------------------------------------------------------
# Which points of a model a report holds: every corner of the hull, what was answered, the front of
# what is attained, and others between.


MOST_FURTHER = 2000
# What the points of all models together may take, and about what one takes: a score of 17 digits
# and in few, two counts, four bounds.
MOST_BYTES, BYTES_A_POINT = 2_100_000, 86
SHOWN_DIGITS, KEPT_DIGITS = 3, 6


def held_points(models: Mapping[str, Counts], settings: Settings) -> dict[str, Points]:
    """The points that are held of each model."""
    corners = {name: hull_places(Points.of(counts)) for name, counts in models.items()}
    most = further_points(len(models), sum(map(len, corners.values())))
    every = {name: Points.of(counts) for name, counts in models.items()}
    return {
        name: points.only(
            held_places(points, corners[name], answered_places(points, settings[name]), most)
        )
        for name, points in every.items()
    }


def further_points(models: int, corners: int) -> int:
    """How many points beyond the corners each of these models may hold, so that the file stays
    small at any number of rows.
    """
    return max(100, min(MOST_FURTHER, (MOST_BYTES // BYTES_A_POINT - corners) // max(models, 1)))


def hull_places(points: Points) -> Indices:
    """Where the corners of the hull lie among all points."""
    return _places(points, points.hull().scores)


def _places(points: Points, scores: Array) -> Indices:
    """The points that flag down to these scores, which the points have, and the one that flags
    nothing.
    """
    found = len(points.scores) - np.searchsorted(points.scores[::-1], scores, side="left")
    return np.concatenate(([0], found)).astype(np.intp)


def held_places(points: Points, corners: Indices, answered: Iterable[int], most: int) -> Indices:
    """The corners, what was answered, and others up to `most`: up to half of them of the front,
    which keeps what any point keeps.
    """
    if len(points) - len(corners) <= most:
        return np.arange(len(points))
    asked = np.fromiter(answered, dtype=np.intp)
    kept = np.zeros(len(points), dtype=np.bool_)
    kept[corners] = True
    most -= int((~kept[np.unique(asked)]).sum())
    kept[asked] = True
    flagged = (points.tp + points.fp).astype(np.float64)
    front = spread(flagged, np.flatnonzero(on_front(points) & ~kept), most // 2)
    kept[front] = True
    kept[spread(flagged, np.flatnonzero(~kept), most - len(front))] = True
    return np.flatnonzero(kept)


def on_front(points: Points) -> npt.NDArray[np.bool_]:
    """The points that no other beats: none catches as many with fewer false alarms, nor more with
    as many.
    """
    caught, alarmed = np.diff(points.tp) > 0, np.diff(points.fp) > 0
    return np.concatenate(([True], caught)) & np.concatenate((alarmed, [True]))


def spread(flagged: Floats, places: Indices, most: int) -> Indices:
    """A number of these places: half evenly in the logarithm of what they flag, the others evenly
    among the rest.
    """
    if len(places) <= most:
        return places
    there = flagged[places]
    kept = np.zeros(len(places), dtype=np.bool_)
    kept[np.searchsorted(there, np.geomspace(there[0], there[-1], most // 2), side="right") - 1] = (
        True
    )
    free = np.flatnonzero(~kept)
    kept[free[np.linspace(0, len(free) - 1, most - int(kept.sum())).astype(np.intp)]] = True
    return places[kept]


def answered_places(points: Points, chosen: Sequence[OperatingPoint]) -> list[int]:
    """The points that were chosen, and where a share of a tie is flagged, both ends of it."""
    cuts = [
        cut
        for point in chosen
        for cut in (point.threshold, *(() if point.share == 1 else (point.lower_threshold,)))
    ]
    return [points.place(cut) for cut in cuts]


def held(name: str, counts: Counts, points: Points, level: float) -> dict[str, Any]:
    """The points of one model, as the report embeds them; counts are exact, bounds are rounded
    outward.
    """
    chosen_totals = counts.ledger.design == CASE_CONTROL
    passed = (
        {}
        if points.passed is None
        else {"fn": _cases(points.passed[0]), "tn": _cases(points.passed[1])}
    )
    return {
        "name": name,
        "positives": whole(counts.total_positives),
        "negatives": whole(counts.total_negatives),
        "sample_prior": None if chosen_totals else number(counts.prior),
        "weighted": counts.weighted,
        "integer": counts.scores.dtype == np.int64,
        "thresholds": [threshold(points.threshold(place)) for place in range(len(points))],
        "shown": shown_thresholds(
            Points.of(counts), [points.threshold(place) for place in range(len(points))]
        ),
        "tp": _cases(points.tp),
        "fp": _cases(points.fp),
        **passed,
        "hull": hull_places(points).tolist(),
        "every": (
            len(points) == len(counts.scores) + 1 and counts.bins is None and not counts.condensed
        ),
        "distinct": len(counts.scores),
        "tpr_bounds": _bounds(points.tp, counts.total_positives, level, weighted=counts.weighted),
        "fpr_bounds": _bounds(points.fp, counts.total_negatives, level, weighted=counts.weighted),
        **_unlabelled(counts, points),
    }


def _unlabelled(counts: Counts, points: Points) -> dict[str, Any]:
    """Cases that were scored and have no label: how many each point flags, and how many there are;
    nothing where there are none.
    """
    if counts.unlabelled is None:
        return {}
    rest = Points.of(counts.unlabelled)  # all of them as negatives
    flagged = rest.fp[[rest.place(points.threshold(place)) for place in range(len(points))]]
    return {
        "unlabelled": {
            "flagged": _cases(flagged),
            "cases": whole(counts.unlabelled.total_negatives),
        }
    }


def shown_thresholds(every: Points, thresholds: Sequence[Any]) -> list[str]:
    """Each threshold in as few digits as flag the same cases."""
    return ["none" if cut is None else short_on(every, cut) for cut in thresholds]


def _cases(values: Array) -> list[float | str]:
    return [whole(value) for value in values.tolist()]


def _bounds(seen: Array, cases: float, level: float, *, weighted: bool) -> list[list[float | None]]:
    """Lower and upper bounds of a rate at each point; null where there is none on that side, for
    weights, and beyond all numbers of cases.
    """
    if weighted or not 0 < cases <= MOST_CASES:
        return [[None] * len(seen), [None] * len(seen)]
    low, high = rate_bounds(seen, int(cases), level)
    return [
        [
            None if part == 0 else outward(bound, up=False)
            for part, bound in zip(seen.tolist(), low.tolist(), strict=True)
        ],
        [
            None if part == cases else outward(bound, up=True)
            for part, bound in zip(seen.tolist(), high.tolist(), strict=True)
        ],
    ]


def outward(bound: float, *, up: bool) -> float:
    """A bound to six digits, away from the rate, unless the three that are shown would then be
    others.
    """
    unit = 10.0 ** (math.floor(math.log10(bound)) - KEPT_DIGITS + 1) if bound > 0 else 0.0
    near = float(f"{bound:.{KEPT_DIGITS}g}")
    if near != bound and (near < bound) == up:
        near = float(f"{near + (unit if up else -unit):.{KEPT_DIGITS}g}")
    return near if f"{near:.{SHOWN_DIGITS}g}" == f"{bound:.{SHOWN_DIGITS}g}" else bound


# ----------------------------------------------------------------------
# What a test set can show, and what it cannot: sentences for the first screen.


LABEL_SHIFT = (
    "Every number at another base rate than the sample's assumes label shift: the classes change"
    " their shares, and the scores within each class keep their distribution."
)
SAME_CASES = (
    "The thresholds were chosen and evaluated on the same cases, so the numbers are optimistic"
)


def sentences(
    models: Mapping[str, Counts], settings: Mapping[str, Sequence[OperatingPoint]], level: float
) -> list[str]:
    """What holds for all models once, and of each model what holds for it alone."""
    said = [LABEL_SHIFT]
    said += list(
        dict.fromkeys(line for counts in models.values() for line in _sample(counts, level))
    )
    for name, counts in models.items():
        chosen = settings.get(name, ())
        said += [f"{quoted(name, quotes=False)}: {line}" for line in _merged(counts)]
        said += [
            f"{quoted(name, quotes=False)}, at the scenario given: {line}"
            for line in _few(chosen[:1], level)
        ]
    every = [point for points in settings.values() for point in points]
    corrected = (
        "; the intervals of the scenarios that were given are corrected for that."
        if is_corrected(every)
        else "."
    )
    return [*said, *([f"{SAME_CASES}{corrected}"] if every else [])]


def is_corrected(points: Sequence[OperatingPoint]) -> bool:
    """Whether the intervals allow for choosing the thresholds on these cases; where only those of
    some models do, a note names the others.
    """
    return any(
        one.method.startswith(CORRECTED) for point in points for one in point.intervals.values()
    )


def _sample(counts: Counts, level: float) -> Iterator[str]:
    if counts.ledger.design == CASE_CONTROL:
        yield "The class totals were chosen: the share of positives in the sample is no base rate."
    if counts.weighted:
        yield (
            "The cases are weighted, and weights do not say how many were seen: there are no"
            " intervals."
        )
        return
    if max(counts.total_positives, counts.total_negatives) > MOST_CASES:
        return
    found = sample_support(counts, level=level)
    cases = f"{number_of(found.positives, 'positive')} and {number_of(found.negatives, 'negative')}"
    least = (
        f"a miss rate of {found.smallest_fnr_shown:.3g} and a false alarm rate of"
        f" {found.smallest_fpr_shown:.3g}"
    )
    yield (
        f"{cases}: even without a single error they could show no less than {least}"
        f" ({percent(level)})."
    )


def _merged(counts: Counts) -> Iterator[str]:
    if counts.condensed:
        yield (
            "runs of negatives between positive scores were merged: thresholds inside a run are not"
            " known."
        )
    if counts.bins is not None:
        bins, bound = number_of(len(counts.scores), "bin"), counts.auc_error_bound
        yield (
            f"scores were merged into {bins}: AUC is known to within {bound:.3g}, and thresholds at"
            " their edges only."
        )


def _few(points: Sequence[OperatingPoint], level: float) -> Iterator[str]:
    """Rates at the chosen point that rest on few errors; their intervals stand in the tables,
    corrected for the choice.
    """
    for point in points:
        try:
            yield from (
                f"{note.text.partition(f': {percent(level)} ')[0]}."
                for note in sample_support(point, level=level).notes
            )
        except InputError:  # a share of a tie, or weights: no cases to rest on
            yield from ()


def thinned(held: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of which models not all thresholds are in the file."""
    for one in held:
        if len(one["tp"]) <= one["distinct"]:
            share = f"{grouped(len(one['tp']))} of {grouped(one['distinct'] + 1)} points are held"
            yield (
                f"{quoted(one['name'], quotes=False)}: {share}; the answers given are exact, others"
                " are read at the nearest."
            )


# ----------------------------------------------------------------------
# Slices in a report: every site at the threshold that was chosen on all cases.


Grouped = Mapping[str, Mapping[str, GroupedCounts]]


class Sliced(NamedTuple):
    """What one threshold of a model does at every value of a column."""

    column: str
    model: str
    found: Slices


def checked_slices(slices: Any, models: Sequence[str]) -> Grouped:
    """Counts by group, of every model, for each column."""
    found: dict[str, Mapping[str, GroupedCounts]] = {}
    if not isinstance(slices, Mapping):
        raise refuse(
            "BR862",
            f"slices are counts by group for each column, got {type(slices).__name__}",
            'slices={"site": count(…, by=site)}',
        )
    for column, given in slices.items():
        by_model = (
            {models[0]: given} if isinstance(given, GroupedCounts) and len(models) == 1 else given
        )
        if not isinstance(by_model, Mapping) or not all(
            isinstance(one, GroupedCounts) for one in by_model.values()
        ):
            text = f"slices by {quoted(column)} are GroupedCounts of each model"
            raise refuse("BR862", text, 'slices={"site": {"logit": count(y, score, by=site)}}')
        unknown = next((name for name in by_model if name not in models), None)
        if unknown is not None:
            raise refuse(
                "BR408",
                f"there is no model {quoted(unknown)}",
                f"one of {', '.join(map(quoted, models))}",
            )
        found[str(column)] = by_model
    return found


def sliced(
    slices: Grouped, settings: Mapping[str, Sequence[OperatingPoint]], at: Conditions, level: float
) -> list[Sliced]:
    """Every column and model that is set somewhere, at its first threshold and each site's own base
    rate, unless one is given for all.
    """
    given = Conditions(None, at.costs if at.costs_given else None) if at.as_in_sample else at
    return [
        Sliced(
            column,
            model,
            by_group(groups, threshold=settings[model][0].threshold, at=given, level=level),
        )
        for column, by_model in slices.items()
        for model, groups in by_model.items()
        if settings[model]
    ]


def of_slices(found: Sequence[Sliced]) -> dict[str, Any] | None:
    """The slices for a program: the largest of them, and the others together as one."""
    if not found:
        return None
    rows = [_row(one, part) for one in found for part in one.found.largest(MOST_SITES)]
    return {"by": list(dict.fromkeys(one.column for one in found)), "rows": rows}


def _row(one: Sliced, part: Slice) -> dict[str, Any]:
    return {
        "by": one.column,
        "slice": part.name,
        "model": one.model,
        "positives": whole(part.positives),
        "negatives": whole(part.negatives),
        "points": [point_of(part.point)],
    }


# ----------------------------------------------------------------------
# What a report is made of, before it is written for a program or for a person.


MIDDLE = "In the middle of what was given:"


@dataclass(frozen=True)
class Contents:
    """The models with the points that are held of them, what was requested, and what was found."""

    title: str | None
    models: Mapping[str, Counts]
    points: Mapping[str, Points]
    asked: Sequence[RuleChoices]
    at: Sequence[Conditions]
    level: float
    aucs: Mapping[str, Interval]
    notes: Sequence[Note] = ()
    slices: Sequence[Sliced] = ()
    decision: Recommendation | None = None

    @property
    def volume(self) -> float | None:
        return self.asked[0].volume

    @property
    def first(self) -> Choice | None:
        """The first choice that could be made."""
        return next(
            (
                answer.choice
                for one in self.asked
                for answer in one.answers
                if answer.choice is not None
            ),
            None,
        )

    @property
    def chosen(self) -> Mapping[str, OperatingPoint]:
        """Where each model is set first, the best one before the others."""
        choice = self.first
        if choice is None:
            return {}
        return {
            name: choice.points[name]
            for name in (
                *choice.models,
                *(name for name in choice.points if name not in choice.models),
            )
        }

    @property
    def decided(self) -> dict[str, str] | None:
        """What to do under uncertain conditions, in words, and what stands before an answer in
        their middle; nothing where they are known.
        """
        return (
            None
            if self.decision is None
            else {"sentence": choice_texts.sentence(self.decision.decision), "lead": MIDDLE}
        )

    @property
    def sentences(self) -> list[str]:
        """The answers in words; where conditions are uncertain, what to do under all of them comes
        first.
        """
        said = [
            sentence(answer, alone=len(self.models) == 1)
            for one in self.asked
            for answer in one.answers
        ]
        decided = self.decided
        return (
            said
            if decided is None
            else [decided["sentence"], *(f"{MIDDLE} {text[0].lower()}{text[1:]}" for text in said)]
        )


def of_contents(contents: Contents) -> dict[str, Any]:
    """The document: what `--json` gives of any models, and what the page needs to answer by
    itself.
    """
    models, level = contents.models, contents.level
    settings = settings_of(models, (answer for one in contents.asked for answer in one.answers))
    points = [held(name, counts, contents.points[name], level) for name, counts in models.items()]
    parts = {
        "title": contents.title,
        "scenario": scenario(contents),
        "level": level,
        "held": points,
        "answers": of_answers(contents.asked, models),
        "slices": of_slices(contents.slices),
        "decision": None if contents.decision is None else of_recommendation(contents.decision),
        "decided": contents.decided,
        "shows": [*sentences(models, settings, level), *thinned(points)],
        "definitions": definitions(),
    }
    decided = [] if contents.decision is None else notes_said(contents.decision)
    said = [
        *contents.notes,
        *document.notes_of(models, settings),
        *(note for one in contents.at for note in one.notes),
        *decided,
    ]
    # What holds for all cases at a threshold is said of the model already: of its sites only what
    # is new.
    codes = {note.code for note in said}
    notes = document.merged(
        [
            *said,
            *(
                note
                for one in contents.slices
                for note in one.found.notes
                if note.code not in codes
            ),
        ]
    )
    return document.of_models(
        "report",
        models,
        settings,
        contents.at,
        notes,
        aucs=contents.aucs,
        seed=SEED,
        report=parts,
    )


def scenario(contents: Contents) -> dict[str, Any]:
    """Where the controls start."""
    at, volume = contents.at[0], contents.volume
    started = document.conditions(at, next(iter(contents.models.values())))
    rules = [parse_rule(one.rule, volume) for one in contents.asked]
    budget = next((rule.budget for rule in rules if rule.budget is not None), None)
    inside = started["prior"] is not None and 0 < started["prior"] < 1
    return {
        **started,
        "prior": started["prior"] if inside else None,
        "written": _fraction(at),
        "earned": at.costs.earned,
        "volume": volume,
        "budget": None if budget is None else float(budget.limit),
        "rule": next((str(rule) for rule in rules if rule.terms and rule.budget is None), None),
    }


def _fraction(at: Conditions) -> str | None:
    """The base rate as it was written, where a float cannot hold it: 1/1000."""
    if at.prior is None or at.as_in_sample or at.exact_prior == Fraction(at.prior):
        return None
    return f"{at.exact_prior.numerator}/{at.exact_prior.denominator}"
