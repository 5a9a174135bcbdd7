"""What a report was asked: every rule at every base rate, answered exactly, with the points that each model is set to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key, partial
from typing import Any

from baserate import tables, verdicts
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.answering import Answer
from baserate.decisions.models import Choice
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import parse_rule
from baserate.decisions.searching import is_better
from baserate.document import Known, conditions, names_at, point_of
from baserate.errors import InputError, grouped, quoted
from baserate.joint import JointCounts
from baserate.measures.values import parse
from baserate.notes import Note
from baserate.uncertainty.best import choices
from baserate.uncertainty.chosen import REPLICATES, Resampling, chosen_intervals
from baserate.uncertainty.fixed import point_intervals
from baserate.uncertainty.values import Interval

MOST_MODELS = 50


@dataclass(frozen=True)
class Asked:
    """One rule (None: the cheapest threshold), and what was chosen at each base rate."""

    rule: str | None
    volume: float | None
    answers: tuple[Answer[Choice], ...]


def answered(
    models: JointCounts | Mapping[str, Counts], rules: Sequence[str | None], at: Sequence[Conditions], volume: float | None
) -> tuple[list[Asked], list[Note]]:
    """Every rule at every base rate, and a note of every model that cannot keep one; a rule that none can keep anywhere is refused."""
    found: list[Asked] = []
    notes: list[Note] = []
    for rule in rules:
        answers, refused = choices(models, rule, at, volume=volume)
        found.append(Asked(str(parse_rule(rule, volume)) or None, volume, tuple(answers)))
        notes += refused
    return found, notes


def best_of(
    models: Mapping[str, Counts],
    asked: Sequence[Asked],
    notes: Sequence[Note],
    *,
    rules: Sequence[str | None],
    at: Sequence[Conditions],
) -> tuple[Mapping[str, Counts], Sequence[Asked], Sequence[Note]]:
    """All models, or where they are too many for one page, those that are best at the first answer."""
    if len(models) <= MOST_MODELS:
        return models, asked, notes
    ranked = _ranked(next(answer.choice for one in asked for answer in one.answers if answer.choice is not None))
    kept = {name: models[name] for name in [*ranked, *(name for name in models if name not in ranked)][:MOST_MODELS]}
    again, refused = answered(kept, rules, at, asked[0].volume)
    text = f"{len(kept)} of {grouped(len(models))} models are in the report, the best by its first answer"
    return kept, again, [Note("BR863", f"{text}: the best of many looks better than it is"), *refused]


def _ranked(choice: Choice) -> list[str]:
    """The models by what was made best, the best first."""

    def order(first: str, second: str) -> int:
        one, other = choice.points[first], choice.points[second]
        better = partial(is_better, parse(one.optimized, one.volume))
        return -1 if better(one.confusion, other.confusion, one.at) else int(better(other.confusion, one.confusion, one.at))

    return sorted(choice.points, key=cmp_to_key(order))


def settings_of(models: Mapping[str, Counts], asked: Sequence[Asked]) -> dict[str, list[OperatingPoint]]:
    """The points of every model, in the order in which they were asked for."""
    made = [answer.choice for one in asked for answer in one.answers if answer.choice is not None]
    return {name: [choice.points[name] for choice in made if name in choice.points] for name in models}


def known_of(models: Mapping[str, Counts], settings: Mapping[str, Sequence[OperatingPoint]], level: float, seed: int) -> Known:
    """The intervals of all points and of AUC, found once; corrected for choosing the thresholds on these cases, where there are enough."""
    found: dict[int, Mapping[str, Interval]] = {}
    notes: list[Note] = []
    for name, counts in models.items():
        points = settings[name]
        try:
            corrected = chosen_intervals([(point, names_at(point)) for point in points], counts, Resampling(REPLICATES, seed, level))
        except InputError as error:
            corrected = [point_intervals(point, names_at(point), level, seed) for point in points]
            if not counts.weighted:  # of which there are no intervals at all
                text = f"{error.problems[0].text}: intervals treat the thresholds as fixed in advance"
                notes.append(Note("BR626", text if len(models) == 1 else f"{quoted(name)}: {text}"))
        found |= {id(point): one for point, one in zip(points, corrected, strict=True)}
    aucs = {id(counts): Known(level).auc(counts) for counts in models.values()}
    return Known(level, seed, found, aucs, tuple(notes))


def of_answers(asked: Sequence[Asked], models: Mapping[str, Counts], known: Known) -> list[dict[str, Any]]:
    """The answers for a program, each with its sentence."""
    return [_answer(one, answer, models, known) for one in asked for answer in one.answers]


def _answer(one: Asked, answer: Answer[Choice], models: Mapping[str, Counts], known: Known) -> dict[str, Any]:
    choice = answer.choice
    at = conditions(answer.at, next(iter(models.values()))) if choice is None else conditions(choice.point.at)
    return {
        "rule": one.rule,
        "at": at,
        "volume": one.volume,
        "choose": [] if choice is None else list(choice.models),
        "sentence": sentence(answer, alone=len(models) == 1),
        "points": {} if choice is None else {name: point_of(point, known) for name, point in choice.points.items()},
        "baselines": {} if choice is None else {name: point_of(point, known) for name, point in choice.baselines.items()},
        **({} if choice is None else verdicts.of_leads(choice)),
        "refused": {} if choice is None else {name: error.problems[0].text for name, error in choice.refused.items()},
    }


def sentence(answer: Answer[Choice], *, alone: bool) -> str:
    """Which model, and where it is set, or that none can."""
    return f"At {answer.at}: no model can satisfy the rule." if answer.choice is None else tables.verdict(answer.choice, alone=alone)
