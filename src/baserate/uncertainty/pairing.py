"""How two models lie to each other: on the same cases, the same clusters, or different cases; resamples of both in step; several pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from baserate.counts import Counts
from baserate.errors import Fix, quoted, refuse
from baserate.exact import Floats
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.notes import Note
from baserate.uncertainty.bootstrap import PERCENTILE
from baserate.uncertainty.resampling import Plan, resampled
from baserate.uncertainty.values import Difference, missed

Models = JointCounts | Mapping[str, Counts] | Mapping[str, GroupedCounts]
SAME_CASES, SAME_CLUSTERS, APART = "same cases", "same clusters", "different cases"


def pairing_of(models: Models, names: tuple[str, str], *, paired: bool) -> str:
    """On the same cases, the same clusters, or on different cases; refused where that is not what is asked for."""
    if isinstance(models, JointCounts):
        if not paired:
            raise refuse("BR595", "these models scored the same cases: that is what makes a comparison sharp", "leave paired out")
        return SAME_CASES
    parts: list[Any] = [models[name] for name in names]
    grouped = all(isinstance(part, GroupedCounts) for part in parts)
    if grouped and paired:
        return SAME_CLUSTERS
    if not grouped and not all(isinstance(part, Counts) for part in parts):
        odd = next(part for part in parts if not isinstance(part, Counts))
        raise refuse("BR595", f"models are compared by their counts, got {type(odd).__name__}", "count_models(...)")
    if grouped and same_groups(parts[0], parts[1]):
        raise refuse("BR595", "these models scored the same cases: that is what makes a comparison sharp", "leave paired out")
    if paired:
        text = "two sets of counts do not say which cases are the same, so the models cannot be compared in pairs"
        raise refuse("BR595", text, "count_models(...); for different cases, paired=False")
    return APART


def only(joint: JointCounts, names: tuple[str, str]) -> JointCounts:
    """The same cases, as two of the models scored them."""
    return joint.only(names)


def same_scores(joint: JointCounts, names: Sequence[str]) -> tuple[Note, ...]:
    """A note of every two names for the same scores: nobody compares them on purpose."""
    twins = [(a, b) for a, b in combinations(names, 2) if np.array_equal(joint.scores[a], joint.scores[b])]
    return tuple(same_score(a, b) for a, b in twins)


def same_score(first: str, second: str) -> Note:
    """That two models are one."""
    return Note("BR406", f"{quoted(first)} and {quoted(second)} have the same score for every case: is one of them the wrong column?")


def whole(part: Counts | GroupedCounts) -> Counts:
    """All cases together."""
    return part.total() if isinstance(part, GroupedCounts) else part


def in_step(sources: tuple[Any, ...], plans: tuple[Plan, ...]) -> Iterator[list[Counts]]:
    """Both models of every resample: of one source that holds both, or of two, each by its plan."""
    if len(sources) == 1:
        yield from resampled(sources[0], plans[0])
        return
    for first, second in zip(*(resampled(source, plan) for source, plan in zip(sources, plans, strict=True)), strict=True):
        yield [first[0], second[0]]


def same_groups(first: GroupedCounts, second: GroupedCounts) -> bool:
    """Whether both have the same groups, each with as many positives and negatives."""
    if first.groups != second.groups:
        return False

    def totals(groups: GroupedCounts) -> list[Floats]:
        running = (np.concatenate(([0], np.cumsum(column))) for column in (groups.positives, groups.negatives))
        return [np.diff(column[groups.offsets]) for column in running]

    return all(np.allclose(a, b, rtol=1e-9) for a, b in zip(totals(first), totals(second), strict=True))


def check_groups(first: GroupedCounts, second: GroupedCounts) -> None:
    """Clusters are drawn in step: they must be the same for both models."""
    if not same_groups(first, second):
        text = "the groups of the two models differ, so their cases are not the same"
        raise refuse("BR595", text, "count_groups(...) for both models on the same cases")


def adjusted(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The same differences, with Holm's adjustment for how many there are."""
    return tuple(replace(one, p_adjusted=p) for one, p in zip(found, holm([one.p_value for one in found]), strict=True))


def check_replicates(first: Difference, tests: int) -> None:
    """A bootstrap's p-value is never below 2 / (replicates + 1): after Holm's adjustment it must still be able to fall below the level."""
    if first.method != PERCENTILE or first.replicates is None or tests * 2 / (first.replicates + 1) < missed(first.level):
        return
    needed = math.ceil(4 * tests / missed(first.level))
    text = f"{tests} comparisons of {first.replicates} resamples each: after Holm's adjustment none could be significant"
    raise refuse("BR580", text, Fix(f"replicates={needed}", f"--replicates {needed}"))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for how many there are: as small as each may be called while all stay honest together."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
