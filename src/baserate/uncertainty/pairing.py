"""How two models lie to each other: on the same cases, on the same clusters, or on different cases; and resamples of both in step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from baserate.counts import Counts
from baserate.errors import refuse
from baserate.exact import Floats
from baserate.grouped import GroupedCounts
from baserate.joint import JointCounts
from baserate.uncertainty.resampling import Plan, resampled

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
