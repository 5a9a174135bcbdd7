"""What a report is made of, before it is written for a program or for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from baserate import document, recommendations
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.models import Choice
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import parse_rule
from baserate.document import Known
from baserate.notes import Note
from baserate.points import Points
from baserate.recommendations import Recommendation, notes_said, of_recommendation
from baserate.report_html import limits
from baserate.report_html.answers import Asked, of_answers, sentence, settings_of
from baserate.report_html.definitions import definitions
from baserate.report_html.held import held
from baserate.report_html.parts import Sliced, of_slices

SEED = 0
MIDDLE = "In the middle of what was given:"


@dataclass(frozen=True)
class Contents:
    """The models with the points that are held of them, what was asked, and what was found."""

    title: str | None
    models: Mapping[str, Counts]
    points: Mapping[str, Points]
    asked: Sequence[Asked]
    at: Sequence[Conditions]
    known: Known
    notes: Sequence[Note] = ()
    slices: Sequence[Sliced] = ()
    decision: Recommendation | None = None

    @property
    def volume(self) -> float | None:
        return self.asked[0].volume

    @property
    def first(self) -> Choice | None:
        """The first choice that could be made."""
        return next((answer.choice for one in self.asked for answer in one.answers if answer.choice is not None), None)

    @property
    def chosen(self) -> Mapping[str, OperatingPoint]:
        """Where each model is set first, the best one before the others."""
        choice = self.first
        if choice is None:
            return {}
        return {name: choice.points[name] for name in (*choice.models, *(name for name in choice.points if name not in choice.models))}

    @property
    def decided(self) -> dict[str, str] | None:
        """What to do under uncertain conditions, in words, and what stands before an answer in their middle; nothing where they are known."""
        return None if self.decision is None else {"sentence": recommendations.sentence(self.decision.decision), "lead": MIDDLE}

    @property
    def sentences(self) -> list[str]:
        """The answers in words; where conditions are uncertain, what to do under all of them comes first."""
        said = [sentence(answer, alone=len(self.models) == 1) for one in self.asked for answer in one.answers]
        decided = self.decided
        return said if decided is None else [decided["sentence"], *(f"{MIDDLE} {text[0].lower()}{text[1:]}" for text in said)]


def of_contents(contents: Contents) -> dict[str, Any]:
    """The document: what `--json` gives of any models, and what the page needs to answer by itself."""
    models, known = contents.models, contents.known
    settings = settings_of(models, contents.asked)
    points = [held(name, counts, contents.points[name], known.level) for name, counts in models.items()]
    parts = {
        "title": contents.title,
        "scenario": scenario(contents),
        "level": known.level,
        "held": points,
        "answers": of_answers(contents.asked, models, known),
        "slices": of_slices(contents.slices),
        "decision": None if contents.decision is None else of_recommendation(contents.decision),
        "decided": contents.decided,
        "shows": [*limits.sentences(models, settings, known), *limits.thinned(points)],
        "definitions": definitions(),
    }
    decided = [] if contents.decision is None else notes_said(contents.decision)
    said = [*contents.notes, *document.notes_of(models, settings), *(note for one in contents.at for note in one.notes), *decided]
    # What holds for all cases at a threshold is said of the model already: of its sites only what is new.
    codes = {note.code for note in said}
    notes = document.merged([*said, *(note for one in contents.slices for note in one.found.notes if note.code not in codes)])
    return document.of_models("report", models, settings, contents.at, notes, known=known, seed=SEED, report=parts)


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
