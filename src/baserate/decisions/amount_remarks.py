"""What a reader of a point chosen by amounts should know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from baserate.arithmetic import exactly
from baserate.decisions.operating import TIE, drawn_from
from baserate.decisions.prices import Priced
from baserate.decisions.remarks import SAME_CASES, resolution, unused
from baserate.decisions.rules import Rule
from baserate.measures.confusions import label_shift, out_of_range
from baserate.notes import Note

if TYPE_CHECKING:
    from baserate.decisions.amounts import AmountPoint


def on_reading(point: AmountPoint, priced: Priced) -> Iterator[Note]:
    """Of any point that is read."""
    yield from label_shift(point.at, point.point.confusion)
    yield from out_of_range(priced.points, point.threshold)
    yield from resolution(point.point, priced.points)


def on_choice(point: AmountPoint, priced: Priced, rule: Rule) -> Iterator[Note]:
    """Of a point that was chosen, also how it was."""
    yield from label_shift(point.at, point.point.confusion)
    yield from resolution(point.point, priced.points)
    if not rule.terms and point.point.regardless == 0:
        yield Note("BR524", "flagging nothing is cheapest: no review pays for itself")
    elif not rule.terms and point.point.share == 1 and not point.fn and not point.tn:
        yield Note("BR524", "flagging everything is cheapest: every review down to the lowest score pays for itself")
    yield from _budget(point, priced, rule)
    if point.point.regardless is None and len(priced.points) > 2:
        yield Note("BR528", f"{SAME_CASES}, choose_amount(dev).on(test)")


def _budget(point: AmountPoint, priced: Priced, rule: Rule) -> Iterator[Note]:
    budget = rule.budget
    if budget is None or point.point.volume is None:
        return
    if budget.limit >= exactly(point.point.volume):
        yield Note("BR522", f"the budget of {float(budget.limit):g} alerts covers all {point.point.volume:g} cases")
    elif point.point.how == TIE:
        share = f"{100 * point.point.share:.3g} % of them are flagged, drawn at random"
        low, high = point.caught_worst, point.caught_best
        luck = "" if low == high else f" on average, between {low:.6g} and {high:.6g}"
        text = f"the budget ends among the cases {drawn_from(point.point)}: {share}; amount caught {point.amount_caught:.6g}{luck}"
        yield Note("BR523", text)
    elif point.sums.alerts < budget.limit:
        yield from unused(point.point, priced.points, rule, budget, "would pay")
