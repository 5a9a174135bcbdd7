"""Two models at fixed thresholds on the same cases: who is right where the other is wrong."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from baserate.errors import number_of, quoted, refuse
from baserate.exact import total
from baserate.joint import JointCounts
from baserate.measures.confusions import NOT_SAID
from baserate.notes import Note
from baserate.points import Points
from baserate.uncertainty.placements import normal, refuse_weights
from baserate.uncertainty.statistics import Statistic
from baserate.uncertainty.values import Difference

MCNEMAR, PERCENTILE = "mcnemar", "percentile"
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


def mcnemar_p(one: int, other: int) -> float:
    """The exact two-sided p-value for so many discordant pairs of either kind: a fair coin.

    McNemar 1947, Psychometrika 12:153-157; exact as in Liddell 1983.

    >>> import baserate as br
    >>> br.mcnemar_p(40, 20), br.mcnemar_p(12, 5)
    (0.01348..., 0.14346...)
    """
    from scipy.special import betainc

    for pairs in (one, other):
        if not isinstance(pairs, int | np.integer) or isinstance(pairs, bool) or pairs < 0:
            raise refuse("BR582", f"discordant pairs are counted in whole numbers, 0 or more, got {quoted(pairs)}", "mcnemar_p(12, 5)")
    pairs, least = one + other, min(one, other)
    if one == other:
        return 1.0
    # P(X <= least) of a fair coin tossed `pairs` times.
    return min(1.0, 2 * float(betainc(pairs - least, least + 1, 0.5)))


def discordant(joint: JointCounts, names: tuple[str, str], thresholds: tuple[Any, Any], within: str = "all") -> Discordant:
    """On which cases only one model is right, among all cases or within one class."""
    refuse_weights(joint)
    flagged = [_flagged(joint, name, threshold) for name, threshold in zip(names, thresholds, strict=True)]
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
    if threshold is None:
        return np.zeros(len(joint.positives), dtype=np.bool_)
    points = Points.of(joint.marginal(name))
    place = points.place(threshold)
    # Compared with a score that is there, so that integers and floats mean the same as everywhere.
    return joint.scores[name] >= points.scores[place - 1] if place else np.zeros(len(joint.positives), dtype=np.bool_)


def matched_difference(both: tuple[Statistic, Statistic], joint: JointCounts, names: tuple[str, str], level: float) -> Difference:
    """The difference of a share at two fixed thresholds, with McNemar's exact p-value.

    The interval is that of Bonett & Price 2012, Journal of Educational and Behavioral Statistics 37:479-488.
    """
    measure = both[0].measure
    if measure is None or measure.name not in MCNEMAR_OF or any(one.threshold is NOT_SAID for one in both):
        text = f"McNemar's test compares {', '.join(MCNEMAR_OF)} at fixed thresholds, not {quoted(both[0].name)}"
        raise refuse("BR581", text, 'compare("accuracy", joint, threshold={"a": 0.5, "b": 0.3})')
    within = "positives" if measure.name in ("tpr", "fnr") else "negatives" if measure.name in ("fpr", "tnr") else "all"
    if not joint.total_positives + joint.total_negatives:
        raise refuse("BR552", "there are no cases to compare models on", "count some cases first")
    if measure.depends_on_prior and both[0].at is not None and not both[0].at.as_in_sample:
        text = f"McNemar's test counts the cases of the sample: {measure} at another prior is not what it compares"
        raise refuse("BR581", text, f"leave at out, or compare tpr and fpr, or method={PERCENTILE!r}")
    found = discordant(joint, names, (both[0].threshold, both[1].threshold), within)
    # Of a share of right answers; rates of errors go the other way.
    sign = 1 if measure.name in ("tpr", "tnr", "accuracy") else -1
    gained, lost = (found.second_only, found.first_only) if sign > 0 else (found.first_only, found.second_only)
    seen = [statistic(joint.marginal(name)) for statistic, name in zip(both, names, strict=True)]
    low, high = bonett_price(gained, lost, found.cases, level)
    text = f"{number_of(found.first_only, 'case')} only {quoted(names[0])} has right, {found.second_only} only {quoted(names[1])}"
    notes: tuple[Note, ...] = (Note("BR599", text),)
    if not found.pairs:
        notes = (*notes, Note("BR599", "both models answer every one of these cases alike"))
    p = mcnemar_p(gained, lost)
    value = (gained - lost) / found.cases
    known: dict[str, Any] = {"discordant": (found.pairs, found.cases), "notes": notes}
    bounds, values = (min(low, value), max(high, value)), (seen[0], seen[1])
    return Difference(value, *bounds, p, MCNEMAR, names, values, level, both[0].name, both[0].better, both[0].at, **known)


def bonett_price(gained: int, lost: int, cases: int, level: float) -> tuple[float, float]:
    """Bounds for the difference of two shares of the same cases, with one pair of either kind added."""
    up, down = (gained + 1) / (cases + 2), (lost + 1) / (cases + 2)
    half = normal((1 + level) / 2) * math.sqrt((up + down - (up - down) ** 2) / (cases + 2))
    return max(-1.0, up - down - half), min(1.0, up - down + half)
