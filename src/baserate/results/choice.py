"""`Choice`: the best model, where it is set, and what the others would do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from baserate.conditions import Conditions
from baserate.errors import QUIET, Fix, Infeasible, Note, quoted, refuse, with_notes
from baserate.numbers import Viewed, make_view
from baserate.results.notes import merge_notes, notes_by_model
from baserate.results.operating_point import ON_SAME_CASES, OperatingPoint, measure_attribute
from baserate.results.values import Difference


@dataclass(frozen=True)
class Choice(Viewed):
    """The best model, where it is set, and what the others would do.

    `models` names more than one where they cannot be distinguished by what was made best; `points`
    holds the chosen point of every model that satisfies the rule, `refused` says of the others why
    they do not. `baselines` are flagging nothing and flagging everything, where they satisfy the
    rule too; under a budget without costs there are none. `differences` holds the lead of the best
    model over every other one, the closest first, with its interval and p-value, where the models
    were counted together; where they were not, `untested` says why. `lead_over_baseline` is the
    same over the better of the two baselines, where the best model beats it on these cases;
    `baseline_untested` says why that was not tested.
    """

    models: tuple[str, ...]
    points: Mapping[str, OperatingPoint]
    refused: Mapping[str, Infeasible]
    baselines: Mapping[str, OperatingPoint] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    untested: str = ""
    # The better one of the baselines, and the one that no model beats; None where there is none.
    baseline: str | None = None
    unbeaten: str | None = None
    lead_over_baseline: Difference | None = None
    baseline_untested: str = ""
    # Conditions that are not known exactly, and the regret over them, by model and baseline.
    over: Conditions | None = None
    regrets: Mapping[str, Any] = field(default_factory=dict)
    # What holds of the models together.
    joint_notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # Of a choice on test data: the same choice on the data it was made on.
    chosen: Self | None = field(default=None, kw_only=True, repr=False)
    # The counts of each model, for drawing.
    sources: Mapping[str, Any] = field(
        default_factory=dict, compare=False, kw_only=True, repr=False
    )

    def __getitem__(self, model: str) -> OperatingPoint:
        """The chosen point of this model, or why it has none."""
        known = isinstance(model, str)
        if known and model in self.refused:
            raise self.refused[model]
        if not known or model not in self.points:
            raise refuse(
                "BR408",
                f"there is no model {quoted(model)}",
                f"one of {', '.join(map(quoted, self.points))}",
            )
        return self.points[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def __str__(self) -> str:
        return with_notes(make_view("text", self), self.notes)

    @property
    def model(self) -> str:
        """The best model; the first of those that are as good."""
        return self.models[0]

    @property
    def point(self) -> OperatingPoint:
        return self.points[self.model]

    @property
    def threshold(self) -> float | None:
        """The threshold of the best model; None where it flags nothing."""
        return self.point.threshold

    if not TYPE_CHECKING:  # a type checker knows the names above; any other is a slip

        def __getattr__(self, name: str) -> float:
            """Any measure of the best model by any of its names: `choice.recall`, `choice.ppv`."""
            if name.startswith("_"):  # asked for while a copy has no points yet
                raise AttributeError(name)
            return measure_attribute(self, name, self.point)

    @property
    def regret(self) -> Any:
        """The regret of the best model, where conditions are not known exactly."""
        return self.point.regret

    @property
    def at(self) -> Conditions:
        """The conditions, as they were given."""
        return self.point.at if self.over is None else self.over

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the choice should know: the notes of every point, each once, with the
        models that it is about.
        """
        of_models = notes_by_model({name: point.notes for name, point in self.points.items()})
        of_tests = [note for one in self.differences for note in one.notes]
        found = [*self.joint_notes, *of_models, *best_of_several(self), *of_tests]
        return combine_notes(found, self)

    @property
    def indistinguishable(self) -> tuple[str, ...] | None:
        """The models that cannot be distinguished from the best, which is among them; None where
        that was not tested.
        """
        if self.untested:
            return None
        worse = {one.models[0] for one in self.differences if one.significant}
        known = {self.model, *(one.models[0] for one in self.differences)}
        return tuple(name for name in self.points if name in known - worse)

    def flags(
        self, scores: Any, /, *, seed: int = 0, key: Any = None
    ) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which cases does the chosen model flag? `scores` are its own, or those of every model by
        name, as a mapping or a frame.
        """
        by_name = isinstance(scores, Mapping) or hasattr(scores, "columns")
        return self.point.flags(scores[self.model] if by_name else scores, seed=seed, key=key)

    def on(self, test: Any, at: Conditions | None = None) -> Choice:
        """The same choice on other cases: each model at the threshold that was chosen before, and
        whether the chosen one is better there. `test` has every model, as the first cases had.

        >>> import baserate as br
        >>> dev = br.count([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8], "b": [0.1, 0.2, 0.3, 0.4]})
        >>> br.choose(dev).on(br.count([0, 1], {"a": [0.2, 0.9], "b": [0.3, 0.25]})).point.tpr
        0.0
        """
        found: Choice = make_view("choice on", self, test=test, at=at)
        return found

    def plot(self, **given: Any) -> Any:
        """The ROC of every model with the chosen points."""
        return make_view("plot", self, **given)

    def __repr__(self) -> str:
        others = [name for name in self.points if name not in self.models]
        first = f"Choice: {' or '.join(self.models)}; {repr(self.point).partition(': ')[2]}"
        lines = [first, *map(_describe_difference, self.differences[:3])]
        if others and not self.differences:
            lines.append(f"  not chosen: {', '.join(others[:3])}")
        if self.untested:
            lines.append(f"  not tested: {self.untested}")
        return "\n".join([*lines, *_describe_lead_over_baseline(self)])


def combine_notes(notes: Sequence[Note], choice: Choice) -> tuple[Note, ...]:
    """Return the notes of a choice: first why models cannot satisfy the rule; of one on test data
    also those of the data it was made on, without those on data that are the same.
    """
    if choice.chosen is None:
        refusals = [
            Note(problem.code, f"{quoted(name)}: {problem.text}", values={"models": (name,)})
            for name, error in choice.refused.items()
            for problem in error.problems
        ]
        return tuple(merge_notes([*refusals, *notes]))
    kept = [note for note in choice.chosen.notes if note.code not in OF_SAME_CASES]
    once = {note.code for note in kept} & {"BR526", *QUIET}
    tested = [
        replace(note, text=f"test data: {note.text}")
        for note in merge_notes(notes)
        if note not in kept and note.code not in once
    ]
    return (*kept, *tested)


# Notes on a choice that is judged on the cases it was made on.
OF_SAME_CASES = ("BR528", "BR638", "BR657")


def _describe_difference(one: Difference) -> str:
    """What a test says of the chosen model and another."""
    other, chance = one.models[0], "" if one.significant else "not significant, "
    than = {None: "as good as", other: "worse than"}.get(one.favours, "better than")
    p = one.p_value if one.p_adjusted is None else one.p_adjusted
    return f"  {than} {other} ({chance}p = {p:.3g})"


def _describe_lead_over_baseline(choice: Choice) -> Iterator[str]:
    """That the best model is not better than flagging nothing or everything, or that this is not
    known.
    """
    if choice.baseline is None:
        return
    lead, base = choice.lead_over_baseline, f"flagging {choice.baseline.removeprefix('flag ')}"
    if choice.unbeaten is not None:
        yield f"  no better than {base}"
    elif lead is not None and not lead.significant:
        p = lead.p_value if lead.p_adjusted is None else lead.p_adjusted
        yield f"  not significantly better than {base} (p = {p:.3g})"
    elif lead is None and choice.baseline_untested:
        yield f"  not tested against {base}: {choice.baseline_untested}"


# From this number of models on, intervals of the best one hold too rarely.
SEVERAL = 3


def best_of_several(choice: Choice) -> Iterator[Note]:
    """That the best of several models was found on the same cases as its threshold."""
    count = len(choice.points)
    on_same = any(note.code == ON_SAME_CASES.code for note in choice.point.notes)
    if count < SEVERAL or not on_same or choice.unbeaten is not None or choice.over is not None:
        return
    level = next((one.level for one in choice.differences), 0.95)
    together = f"{1 - (1 - level) / count:.4g} for intervals that hold for all {count} models"
    yield Note(
        "BR657",
        f"the best of {count} models was found on the same data, which makes its figures more"
        " optimistic than those of one model alone; intervals do not allow for that",
        Fix(f"choose(dev).on(test), or level={together}", f"--level {together}, or choose --test"),
    )
