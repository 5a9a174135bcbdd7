"""The search for the cheapest pair of thresholds: act, review, or let pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import Conditions, checked_conditions
from baserate.counts.points import Points, refuse_merged
from baserate.decisions.operating_point import SHOW_ON_OTHERS, highest_below
from baserate.decisions.roc_geometry import exact_rates
from baserate.decisions.rules import TOLERANCE
from baserate.decisions.selection import choose
from baserate.errors import Fix, Note, combine, quoted, refuse
from baserate.measures.confusion import label_shift_of, parse, resolved_for
from baserate.notation import Written, checked_volume, from_number, parse_number, parse_share
from baserate.numbers import Floats, exactly, rounded
from baserate.results.operating_point import SAME_CASES
from baserate.results.triage import Triage

ON_SAME_CASES = Note(
    "BR528", SAME_CASES.replace("threshold was", "thresholds were"), SHOW_ON_OTHERS
)


class _Price(NamedTuple):
    """What a case costs by class and by what is done with it, exactly."""

    act: tuple[Fraction, Fraction]
    look: tuple[Fraction, Fraction]
    leave: tuple[Fraction, Fraction]


def find_triage(
    points: Points,
    at: Conditions,
    *,
    review: Any = None,
    abstain: Any = None,
    overlooked: Any = 0,
    most: Any = None,
    volume: float | None = None,
) -> Triage:
    """Return the cheapest pair of thresholds; of equals the one with the fewest reviews."""
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
    written = _read_number(review if abstain is None else abstain)
    if written is None or (abstain is None and written.value <= 0):
        name = "review" if abstain is None else "abstain"
        raise refuse(
            "BR514",
            f"{name} is what a case costs, got {quoted(review if abstain is None else abstain)}",
            Fix(f"{name}=1", f"--{name} 1"),
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


def _read_number(given: Any) -> Written | None:
    """Return a number, also one that is written as text."""
    if not isinstance(given, str):
        return from_number(given)
    value = parse_number(given)
    return None if value is None else Written(value, given)


def _share(given: Any) -> Fraction:
    written = parse_share(given)
    if written is None or not 0 <= written.value <= 1:
        raise refuse(
            "BR542",
            f"overlooked is a share of the positives, got {quoted(given)}",
            Fix("overlooked=0.1", "--overlooked 10%"),
        )
    return written.value


def _limit(most: Any, volume: float | None) -> Fraction | None:
    """The share of cases that may be reviewed."""
    if most is None:
        return None
    written = _read_number(most)
    whole = Fraction(1) if written is None or volume is None else exactly(volume)
    if written is None and isinstance(most, str):
        written = parse_share(most)
    if written is None or not written.value >= 0 or (whole == 1 and written.value > 1):
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
