"""Triage: two thresholds. Act on the highest scores, review those in between, let the rest pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, overload

import numpy as np

from baserate.conditions import Conditions, checked_conditions, told
from baserate.counts.cells import short
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.points import Points, refuse_merged
from baserate.decisions.operating_point import SHOW_ON_OTHERS, highest_below
from baserate.decisions.regret import candidates
from baserate.decisions.roc_geometry import exact_rates
from baserate.decisions.rules import TOLERANCE
from baserate.decisions.selection import choose
from baserate.errors import Fix, Note, combine, quoted, refuse
from baserate.measures.confusion import label_shift_of, parse, resolved_for
from baserate.notation import Written, checked_volume, from_number, share
from baserate.numbers import Floats, Viewed, exactly, rounded
from baserate.results.operating_point import SAME_CASES

ON_SAME_CASES = Note(
    "BR528", SAME_CASES.replace("threshold was", "thresholds were"), SHOW_ON_OTHERS
)


@dataclass(frozen=True)
class Triage(Viewed):
    """Where to act, where to review, and what that costs.

    `score >= act` is acted on, `act > score >= review` is looked at (None: nothing is), and the
    rest passes. `acted`, `reviewed` and `passed` are shares of the cases at `at`; `found` is the
    share of positives that are acted on or found in review. `without` is what the best single
    threshold costs.
    """

    act: float | None
    review: float | None
    acted: float
    reviewed: float
    passed: float
    found: float
    cost: float
    without: float
    at: Conditions
    reviews: float | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # The highest scores below either threshold, by which these are shown in few digits.
    below: tuple[Any, Any] = field(default=(None, None), compare=False, repr=False)

    @property
    def shown(self) -> tuple[str, str]:
        """Both thresholds in as few digits as flag the same cases."""
        act, review = (
            "" if cut is None else short(cut, under)
            for cut, under in zip((self.act, self.review), self.below, strict=True)
        )
        return act, review

    @property
    def saving(self) -> float:
        """What a case costs less than with one threshold."""
        return self.without - self.cost

    def __repr__(self) -> str:
        act, review = self.shown
        look = f"review down to {review}" if self.reviewed else "review nothing"
        acts = (
            f"act on {'nothing' if self.act is None else f'score ≥ {act}'}, {look}"
            f" ({self.reviewed:.4g} of the cases)"
        )
        return (
            f"Triage: {acts}; cost {self.cost:.4g} against {self.without:.4g}; at"
            f" {told(self.at, by_cost=True)}"
        )


class _Price(NamedTuple):
    """What a case costs by class and by what is done with it, exactly."""

    act: tuple[Fraction, Fraction]
    look: tuple[Fraction, Fraction]
    leave: tuple[Fraction, Fraction]


@overload
def triage(
    counts: Counts | Points,
    *,
    at: Conditions,
    review: Any = ...,
    abstain: Any = ...,
    overlooked: Any = ...,
    most: Any = ...,
    volume: float | None = ...,
) -> Triage: ...
@overload
def triage(
    counts: JointCounts | Mapping[str, Counts | Points],
    *,
    at: Conditions,
    review: Any = ...,
    abstain: Any = ...,
    overlooked: Any = ...,
    most: Any = ...,
    volume: float | None = ...,
) -> dict[str, Triage]: ...
def triage(
    counts: Counts | Points | JointCounts | Mapping[str, Counts | Points],
    *,
    at: Conditions,
    review: Any = None,
    abstain: Any = None,
    overlooked: Any = 0,
    most: Any = None,
    volume: float | None = None,
) -> Triage | dict[str, Triage]:
    """Which cases to act on, which to look at first, and which to let pass?

    A `review` has a cost per case, whatever it finds; what it finds is then treated as it should
    be, but for the share `overlooked` of the positives. `abstain` instead is what a case costs that
    is handed over without a decision (the reject option: Chow 1970). `most` limits the reviews: a
    share of the cases, or with `volume` a number of them. The cheapest pair of thresholds, of all
    there are; of several models one answer each, by name.

    >>> import baserate as br
    >>> counts = br.Counts([0.9, 0.6, 0.3, 0.1], positives=[30, 15, 4, 1], negatives=[1, 90, 300, 609])
    >>> at = br.Conditions(prior=0.01, costs=br.Costs(fp=5, fn=100))
    >>> br.robustness.triage(counts, at=at, review=2)
    Triage: act on score ≥ 0.9, review down to 0.6 (0.0921 of the cases); cost 0.2892 against 0.405; at a base rate of 1%, costs (fp = 5, fn = 100)
    >>> br.robustness.triage(counts, at=at, review=2, most="5%").reviewed
    0.0
    """  # noqa: E501
    if isinstance(counts, JointCounts | Mapping):
        asked = {"review": review, "abstain": abstain, "overlooked": overlooked, "most": most}
        every = candidates(counts)
        return {one.name: triage(one.points, at=at, volume=volume, **asked) for one in every}
    points = Points.of(counts)
    if not points.total_positives or not points.total_negatives:
        raise refuse("BR552", "triage needs cases of both classes", "count cases of both classes")
    given, cases = checked_conditions(at), checked_volume(volume)
    resolved = resolved_for(points, given, [parse("expected_cost")])
    if most is not None:
        refuse_merged(points, "the cheapest pair of thresholds is searched among all scores")
    price, limit = _price(resolved, review, abstain, overlooked), _limit(most, cases)
    return _told(
        points,
        _cheapest_pair(points, price, resolved, limit),
        price,
        resolved,
        cases,
        combine(points.notes, (*given.notes, *label_shift_of(resolved, points), ON_SAME_CASES)),
        Fraction(0) if review is None else _share(overlooked),
    )


def _price(at: Conditions, review: Any, abstain: Any, overlooked: Any) -> _Price:
    tp, fp, fn, tn = (exactly(getattr(at.costs, name)) for name in ("tp", "fp", "fn", "tn"))
    if (review is None) == (abstain is None):
        raise refuse(
            "BR532",
            "triage needs what a review costs, or what abstaining costs",
            Fix("review=1, or abstain=1", "--review 1, or --abstain 1"),
        )
    written = from_number(review if abstain is None else abstain)
    if written is None or (abstain is None and written.value <= 0):
        name = "review" if abstain is None else "abstain"
        raise refuse(
            "BR514",
            f"{name} is what a case costs, got {quoted(review if abstain is None else abstain)}",
            f"{name}=1",
        )
    missed = _share(overlooked)
    if abstain is not None:
        if missed:
            raise refuse(
                "BR532",
                "abstaining overlooks nothing: what a case costs then is abstain",
                "leave overlooked out",
            )
        return _Price((tp, fp), (written.value, written.value), (fn, tn))
    return _Price(
        (tp, fp), (written.value + (1 - missed) * tp + missed * fn, written.value + tn), (fn, tn)
    )


def _share(given: Any) -> Fraction:
    written: Written | None = share(given) if isinstance(given, str) else from_number(given)
    if written is None or not 0 <= written.value <= 1:
        raise refuse(
            "BR542",
            f"overlooked is a share of the positives, got {quoted(given)}",
            "overlooked=0.1",
        )
    return written.value


def _limit(most: Any, volume: float | None) -> Fraction | None:
    """The share of cases that may be reviewed."""
    if most is None:
        return None
    written: Written | None = share(most) if isinstance(most, str) else from_number(most)
    whole = Fraction(1) if volume is None else exactly(volume)
    if written is None or not written.value >= 0 or (volume is None and written.value > 1):
        raise refuse(
            "BR521",
            f"most is a share of the cases, or with a volume a number of them, got {quoted(most)}",
            Fix('most="5%"', "--most 5%"),
        )
    return min(written.value / whole, Fraction(1))


Line = tuple[Fraction, Fraction]


def _slopes(price: _Price, at: Conditions) -> tuple[Line, Line]:
    """What flagging costs beyond looking, and looking beyond leaving alone, by class: (of
    positives, of negatives).
    """
    prior = at.exact_prior
    weights = prior, 1 - prior
    acting = tuple(w * (a - b) for w, a, b in zip(weights, price.act, price.look, strict=True))
    looking = tuple(w * (a - b) for w, a, b in zip(weights, price.look, price.leave, strict=True))
    return (acting[0], acting[1]), (looking[0], looking[1])


def _cheapest_pair(
    points: Points, price: _Price, at: Conditions, limit: Fraction | None
) -> tuple[int, int]:
    """The cheapest pair of thresholds, with no more reviews than the limit: of equals the one with
    the fewest reviews.
    """
    first, second = _slopes(price, at)
    acting, looking = (
        float(line[0]) * points.tpr + float(line[1]) * points.fpr for line in (first, second)
    )
    starts = np.zeros(len(points), dtype=np.intp)
    if limit is not None:
        prior = float(at.exact_prior)
        flagged = prior * points.tpr + (1 - prior) * points.fpr
        starts = np.searchsorted(flagged, flagged - float(limit) * (1 + TOLERANCE), side="left")
    uppers = _window(acting, starts.tolist())
    totals = acting[uppers] + looking
    best = np.flatnonzero(totals <= totals.min() + TOLERANCE * abs(totals.min()))
    lower = int(best[np.argmin(best - uppers[best])])
    return int(uppers[lower]), lower


def _window(values: Floats, starts: Sequence[int]) -> np.ndarray[Any, np.dtype[np.intp]]:
    """For each lower place, the upper place of least value from its start on; of equals the
    first.
    """
    best: deque[int] = deque()
    found = np.empty(len(values), dtype=np.intp)
    listed = values.tolist()
    for place, start in enumerate(starts):
        while best and listed[best[-1]] > listed[place]:
            best.pop()
        best.append(place)
        while best[0] < start:
            best.popleft()
        found[place] = best[0]
    return found


def _told(
    points: Points,
    pair: tuple[int, int],
    price: _Price,
    at: Conditions,
    volume: float | None,
    notes: tuple[Note, ...],
    missed: Fraction,
) -> Triage:
    prior = at.exact_prior
    (g, u), (f, t) = (exact_rates(points, place) for place in pair)
    acted, reviewed = prior * u + (1 - prior) * g, prior * (t - u) + (1 - prior) * (f - g)
    positives = u * price.act[0] + (t - u) * price.look[0] + (1 - t) * price.leave[0]
    negatives = g * price.act[1] + (f - g) * price.look[1] + (1 - f) * price.leave[1]
    return Triage(
        points.threshold(pair[0]),
        points.threshold(pair[1]),
        acted=rounded(acted),
        reviewed=rounded(reviewed),
        passed=rounded(1 - acted - reviewed),
        found=rounded(u + (1 - missed) * (t - u)),
        cost=rounded(prior * positives + (1 - prior) * negatives),
        without=choose(points, at=at).expected_cost,
        at=at,
        reviews=None if volume is None else rounded(reviewed * exactly(volume)),
        notes=notes,
        below=(highest_below(points, pair[0]), highest_below(points, pair[1])),
    )
