"""Two models on the same cases: McNemar's test at fixed thresholds, and resamples of both in
step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.errors import Fix, Note, number_of, quoted, refuse
from baserate.inference.rates import normal, refuse_weights, special
from baserate.inference.replicates import PERCENTILE
from baserate.inference.resample import Plan, Runs, resample_counts, sums_by_cluster
from baserate.inference.statistic import Statistic
from baserate.measures.confusion import NOT_SAID
from baserate.notation import WholeCheck
from baserate.numbers import total
from baserate.results.values import Difference, missed

# ----------------------------------------------------------------------
# Two models at fixed thresholds on the same cases: who is right where the other is wrong.


MCNEMAR = "mcnemar"
# The measures that McNemar's test compares: shares of the same cases, in a class or in the sample.
MCNEMAR_OF = ("tpr", "fnr", "fpr", "tnr", "accuracy", "error")


class Discordant(NamedTuple):
    """Cases on which only one of two models is right: the first, or the second; and all cases."""

    first_only: int
    second_only: int
    cases: int

    @property
    def pairs(self) -> int:
        return self.first_only + self.second_only


checked_pairs = WholeCheck(
    "BR551", "discordant pairs are counted in whole numbers, 0 or more", "mcnemar_p(12, 5)"
)


def mcnemar_p(one: int, other: int) -> float:
    """The exact two-sided p-value for these discordant pairs of either kind: a fair coin.

    McNemar 1947, Psychometrika 12:153-157; exact as in Liddell 1983.

    >>> import baserate as br
    >>> br.planning.mcnemar_p(40, 20), br.planning.mcnemar_p(12, 5)
    (0.01348..., 0.14346...)
    """
    for pairs in (one, other):
        checked_pairs(pairs)
    pairs, least = one + other, min(one, other)
    if one == other:
        return 1.0
    # P(X <= least) of a fair coin tossed `pairs` times.
    return min(1.0, 2 * float(special().betainc(pairs - least, least + 1, 0.5)))


def discordant(
    joint: JointCounts, names: tuple[str, str], thresholds: tuple[Any, Any], within: str = "all"
) -> Discordant:
    """On which cases only one model is right, among all cases or within one class."""
    refuse_weights(joint)
    flagged = [
        _flagged(joint, name, threshold) for name, threshold in zip(names, thresholds, strict=True)
    ]
    one = two = whole = 0
    for is_positive, cases in ((True, joint.positives), (False, joint.negatives)):
        if within not in ("all", "positives" if is_positive else "negatives"):
            continue
        right = [mask == is_positive for mask in flagged]
        one += int(total(cases[right[0] & ~right[1]]))
        two += int(total(cases[right[1] & ~right[0]]))
        whole += int(total(cases))
    return Discordant(one, two, whole)


def _flagged(joint: JointCounts, name: str, threshold: Any) -> Any:
    points = Points.of(joint.marginal(name))
    place = points.place(threshold)
    # Compared with a score that is there, so that integers and floats mean the same as everywhere.
    return (
        joint.scores[name] >= points.scores[place - 1]
        if place
        else np.zeros(len(joint.positives), dtype=np.bool_)
    )


def matched_difference(
    both: tuple[Statistic, Statistic], joint: JointCounts, names: tuple[str, str], level: float
) -> Difference:
    """The difference of a share at two fixed thresholds, with McNemar's exact p-value.

    The interval is that of Bonett & Price 2012, Journal of Educational and Behavioral Statistics
    37:479-488.
    """
    measure = both[0].measure
    if (
        measure is None
        or measure.name not in MCNEMAR_OF
        or any(one.threshold is NOT_SAID for one in both)
    ):
        raise refuse(
            "BR581",
            f"McNemar's test compares {', '.join(MCNEMAR_OF)} at fixed thresholds, not"
            f" {quoted(both[0].name)}",
            'compare("accuracy", joint, threshold={"a": 0.5, "b": 0.3})',
        )
    within = (
        "positives"
        if measure.name in ("tpr", "fnr")
        else "negatives"
        if measure.name in ("fpr", "tnr")
        else "all"
    )
    if not joint.total_positives + joint.total_negatives:
        raise refuse("BR552", "there are no cases to compare models on", "count some cases first")
    if measure.depends_on_prior and not both[0].at.as_in_sample:
        raise refuse(
            "BR581",
            f"McNemar's test counts the cases of the sample: {measure} at another prior is not what"
            " it compares",
            f"leave at out, or compare tpr and fpr, or method={PERCENTILE!r}",
        )
    found = discordant(joint, names, (both[0].threshold, both[1].threshold), within)
    # Of a share of right answers; rates of errors go the other way.
    sign = 1 if measure.name in ("tpr", "tnr", "accuracy") else -1
    gained, lost = (
        (found.second_only, found.first_only) if sign > 0 else (found.first_only, found.second_only)
    )
    seen = [statistic(joint.marginal(name)) for statistic, name in zip(both, names, strict=True)]
    low, high = bonett_price(gained, lost, found.cases, level)
    said = Note(
        "BR599",
        f"{number_of(found.first_only, 'case is', 'cases are')} correct only with"
        f" {quoted(names[0])}, {found.second_only} only with {quoted(names[1])}",
    )
    alike = Note("BR599", "both models give the same answer for every case")
    value = (gained - lost) / found.cases
    return Difference(
        value,
        min(low, value),
        max(high, value),
        mcnemar_p(gained, lost),
        MCNEMAR,
        names,
        (seen[0], seen[1]),
        level,
        both[0].name,
        both[0].better,
        both[0].at,
        discordant=(found.pairs, found.cases),
        notes=(said,) if found.pairs else (said, alike),
    )


def bonett_price(gained: int, lost: int, cases: int, level: float) -> tuple[float, float]:
    """Bounds for the difference of two shares of the same cases, with one pair of either kind
    added.
    """
    up, down = (gained + 1) / (cases + 2), (lost + 1) / (cases + 2)
    half = normal((1 + level) / 2) * math.sqrt((up + down - (up - down) ** 2) / (cases + 2))
    return max(-1.0, up - down - half), min(1.0, up - down + half)


# ----------------------------------------------------------------------
# How two models lie to each other: on the same cases, the same clusters, or different cases;
# resamples of both in step; several pairs.


Models = JointCounts | Mapping[str, Counts] | Mapping[str, GroupedCounts]
SAME_CASES, SAME_CLUSTERS, APART = "same cases", "same clusters", "different cases"


def pairing_of(models: Models, names: tuple[str, str], *, paired: bool) -> str:
    """On the same cases, the same clusters, or on different cases; refused where that is not what
    is requested.
    """
    joint = isinstance(models, JointCounts)
    parts: list[Any] = [] if joint else [models[name] for name in names]
    grouped = not joint and all(isinstance(part, GroupedCounts) for part in parts)
    if paired and (joint or grouped):
        return SAME_CASES if joint else SAME_CLUSTERS
    if joint or (grouped and same_groups(*parts)):
        raise refuse(
            "BR595",
            "these models scored the same cases, so they are compared in pairs",
            "leave paired out",
        )
    odd = [part for part in parts if not isinstance(part, Counts)]
    if odd and not grouped:
        raise refuse(
            "BR595",
            f"models are compared by their counts, got {type(odd[0]).__name__}",
            "count(y, {name: scores})",
        )
    if paired:
        raise refuse(
            "BR595",
            "two sets of counts do not say which cases are the same, so the models cannot be"
            " compared in pairs",
            "count(y, {name: scores}); for different cases, paired=False",
        )
    return APART


def whole_of(part: Counts | GroupedCounts) -> Counts:
    """All cases together."""
    return part.total() if isinstance(part, GroupedCounts) else part


def in_step(
    sources: tuple[Any, ...], plans: tuple[Plan, ...], runs: tuple[Runs, Runs]
) -> Iterator[list[Counts]]:
    """Both models of every resample: of one source that holds both, or of two, each by its plan."""
    if len(sources) == 1:
        yield from resample_counts(sources[0], plans[0], runs)
        return
    drawn = [
        resample_counts(source, plan, one)
        for source, plan, one in zip(sources, plans, runs, strict=True)
    ]
    for (first,), (second,) in zip(*drawn, strict=True):
        yield [first, second]


def same_groups(first: GroupedCounts, second: GroupedCounts) -> bool:
    """Whether both have the same groups, each with as many positives and negatives."""
    return first.groups == second.groups and all(
        np.allclose(sums_by_cluster(ours, first), sums_by_cluster(theirs, second), rtol=1e-9)
        for ours, theirs in (
            (first.positives, second.positives),
            (first.negatives, second.negatives),
        )
    )


def check_groups(first: GroupedCounts, second: GroupedCounts) -> None:
    """Clusters are drawn in step: they must be the same for both models."""
    if not same_groups(first, second):
        raise refuse(
            "BR595",
            "the groups of the two models differ, so their cases are not the same",
            "count(y, {name: scores}, cluster=…)",
        )


def adjusted(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """The same differences, with Holm's adjustment for how many there are."""
    return tuple(
        replace(one, p_adjusted=p)
        for one, p in zip(found, holm([one.p_value for one in found]), strict=True)
    )


def check_replicates(first: Difference, tests: int) -> None:
    """A bootstrap's p-value is never below 2 / (replicates + 1): after Holm's adjustment it must
    still be able to fall below the level.
    """
    if (
        first.method != PERCENTILE
        or first.replicates is None
        or tests * 2 / (first.replicates + 1) < missed(first.level)
    ):
        return
    needed = math.ceil(4 * tests / missed(first.level))
    raise refuse(
        "BR580",
        f"{tests} comparisons of {first.replicates} resamples each: after Holm's adjustment none"
        " could be significant",
        Fix(f"replicates={needed}", f"--replicates {needed}"),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for how many there are: as small as each may be called while all stay
    honest together.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted
