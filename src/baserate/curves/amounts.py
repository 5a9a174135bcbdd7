"""Costs and amounts against the threshold, where every case has its own amount."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from baserate.amounts import Amounts, check_amounts
from baserate.conditions import Conditions
from baserate.curves.tracing import rounded_thresholds
from baserate.curves.values import Curve
from baserate.decisions.prices import Priced, Prices, checked_recovered, checked_review
from baserate.exact import Floats
from baserate.measures.confusions import checked_conditions, checked_volume, label_shift_of

Along = Callable[[Priced, Prices], Floats]


def amount_cost_curve(
    amounts: Amounts, *, review: float, recovered: float = 1, at: Conditions | None = None, volume: float | None = None
) -> Curve:
    """What does each threshold cost, if every alert costs a review and every miss its own amount? x = threshold, y = cost.

    Over `volume` cases, or as many as the sample has. Turned round in its sign it is the profit of a cut-off.

    >>> import baserate as br
    >>> amounts = br.count_amounts([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], [1000, 50, 20, 500, 300, 10])
    >>> br.amount_cost_curve(amounts, review=150).y
    array([470., 620., 750., 900., 750., 900.])
    """
    return _along("amount_cost", "cost", amounts, Priced.costs, (review, recovered, at, volume))


def amount_missed_curve(amounts: Amounts, *, at: Conditions | None = None, volume: float | None = None) -> Curve:
    """How much money does each threshold miss? x = threshold, y = the amount on positives below it.

    >>> import baserate as br
    >>> amounts = br.count_amounts([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.2, 0.1], [1000, 50, 20, 500, 300, 10])
    >>> br.amount_missed_curve(amounts).y
    array([320., 320., 300., 300.,   0.,   0.])
    """
    return _along("amount_missed", "amount missed", amounts, Priced.missed, (0, 1, at, volume))


def _along(name: str, label: str, amounts: Amounts, values: Along, asked: tuple[Any, Any, Conditions | None, float | None]) -> Curve:
    """Flagging nothing has no threshold, and no place on that axis."""
    review, recovered, at, volume = asked
    priced, given = Priced.of(check_amounts(amounts)), checked_conditions(at)
    prices = Prices.of(priced.points, given, checked_review(review), checked_recovered(recovered), checked_volume(volume))
    scores = priced.points.scores.astype(np.float64, copy=False)
    notes = (*rounded_thresholds(priced.points), *label_shift_of(prices.at, priced.points))
    return Curve._of(name, ("threshold", label), (scores, values(priced, prices)[1:], scores), prices.at, amounts.counts, notes)
