"""Confidence intervals for a rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from baserate.counts.counts import Counts, JointCounts
from baserate.errors import Note, grouped, quoted, refuse
from baserate.results.values import (
    BOTH,
    LOWER,
    UPPER,
    Interval,
    checked_level,
    checked_side,
    missed_in_tails,
)

WILSON, CLOPPER_PEARSON, JEFFREYS = "wilson", "clopper-pearson", "jeffreys"
# With fewer on one side than this, Wilson's bound next to the end covers too little (84 % at
# worst), and the guaranteed one is shown: then 92.5 % or more whatever the rate, with 30 cases or
# more.
FEW = 10
MOST_CASES = 10**15
Bounds = tuple[float, float]


def rate_interval(
    successes: int, cases: int, *, level: float = 0.95, method: str | None = None, side: str = BOTH
) -> Interval:
    """What is the interval of a rate of which `part` out of `whole` cases were seen?

    By default Wilson's interval (Wilson 1927, JASA 22:209-212), Clopper and Pearson's (1934,
    Biometrika 26:404-413), which never covers less than it says, where fewer than ten lie on one
    side, and for none at all, or all, the one-sided bound, as nothing is known of the other side.
    `side="lower"` or "upper" gives one bound: Clopper and Pearson's, as it is what demonstrates a
    requirement. By name: "wilson", "clopper-pearson", "jeffreys" (the quantiles of Beta(x + ½, n −
    x + ½)).

    >>> import baserate as br
    >>> br.rate_interval(0, 40_000)
    Interval: rate 0, 95 % at most 7.489e-05 (clopper-pearson)
    >>> br.rate_interval(95, 100, side="lower").low
    0.8977466223567255
    """
    level, side = checked_level(level), checked_side(side)
    seen, whole = _checked(successes, cases)
    if method is None and side == BOTH and seen in (0, whole):
        side = UPPER if seen == 0 else LOWER
    chosen = method or (
        CLOPPER_PEARSON if side != BOTH or min(seen, whole - seen) < FEW else WILSON
    )
    low, high = bounds(seen, whole, level, chosen, side)
    none_seen = Note(
        "BR584", f"none of {grouped(whole)} were seen: the rate is at most {high:.4g}, not 0"
    )
    notes = (none_seen,) if seen == 0 and side == UPPER else ()
    return Interval(seen / whole, low, high, level, chosen, side, "rate", notes=notes)


def normal_quantile(level: float) -> float:
    """How many standard deviations Wilson's interval takes to each side: 1.96 for 95 %."""
    return -normal(missed_in_tails(level, BOTH)[0])


def bounds(seen: int, whole: int, level: float, method: str, side: str) -> Bounds:
    """The bounds by one method; where a tail is not requested, the end of the range."""
    if method not in METHODS:
        raise refuse(
            "BR581",
            f"there is no method {quoted(method)} for a rate",
            f"one of {', '.join(METHODS)}",
        )
    below, above = missed_in_tails(level, side)
    return METHODS[method](seen, whole, below, above)


def _checked(successes: Any, cases: Any) -> tuple[int, int]:
    numbers = []
    for value in (successes, cases):
        is_whole = isinstance(value, int | np.integer) or (
            isinstance(value, float) and value.is_integer()
        )
        numbers.append(int(value) if is_whole and not isinstance(value, bool) else -1)
    seen, whole = numbers
    if not 0 <= seen <= whole <= MOST_CASES or not whole:
        raise refuse(
            "BR551",
            "a rate is a number of successes among a number of cases, in whole numbers; got"
            f" {quoted(successes)} of {quoted(cases)}",
            "rate_interval(45, 50)",
        )
    return seen, whole


def _wilson(seen: int, whole: int, below: float, above: float) -> Bounds:
    ends = [0.0, 1.0]
    for place, (missed, sign) in enumerate(((below, -1), (above, 1))):
        if missed:
            z = -normal(missed)
            centre, spread = (
                seen + z * z / 2,
                z * math.sqrt(seen * (whole - seen) / whole + z * z / 4),
            )
            ends[place] = min(1.0, max(0.0, (centre + sign * spread) / (whole + z * z)))
    # At the ends of the range the formula is 0 or 1 but for rounding.
    return 0.0 if seen == 0 else ends[0], 1.0 if seen == whole else ends[1]


def _with_beta(added: float) -> Callable[[int, int, float, float], Bounds]:
    """Quantiles of Beta distributions: one case more is taken to be seen, this much of it on the
    other side of the bound; all of it (Clopper and Pearson), or half (Jeffreys).
    """

    def found(seen: int, whole: int, below: float, above: float) -> Bounds:
        rest = whole - seen
        low = _beta(seen + 1 - added, rest + added, below) if seen and below else 0.0
        high = _beta(seen + added, rest + 1 - added, 1 - above, above) if rest and above else 1.0
        return low, high

    return found


METHODS: dict[str, Callable[[int, int, float, float], Bounds]] = {
    WILSON: _wilson,
    CLOPPER_PEARSON: _with_beta(1),
    JEFFREYS: _with_beta(0.5),
}


def _beta(a: float, b: float, share: float, rest: float | None = None) -> float:
    """The quantile of a Beta distribution; `rest` is 1 − share where that is small and known
    better.
    """
    if rest is None:
        return float(special().betaincinv(a, b, share))
    if a == 1:
        return -math.expm1(math.log(rest) / b)  # none seen: the exact bound, however many cases
    mirrored = float(special().betaincinv(b, a, rest))
    # Of 1 − x only what is not tiny is kept: close to 0 the quantile is found directly.
    return 1 - mirrored if mirrored < 0.5 else float(special().betaincinv(a, b, share))


class Scale(NamedTuple):
    """The logit scale between two ends, the log scale above one, otherwise the plain scale."""

    low: float
    high: float

    def of(self, values: Any) -> Any:
        """Return values on this scale; an end is infinitely far away."""
        if math.isinf(self.low):
            return values
        with np.errstate(divide="ignore", invalid="ignore"):
            above = np.log(np.maximum(values - self.low, 0.0))
            if math.isinf(self.high):
                return above
            return above - np.log(np.maximum(self.high - values, 0.0))

    def back(self, place: float) -> float:
        """Return the value at a place of this scale."""
        if math.isinf(self.low):
            return place
        if math.isinf(self.high):
            return self.low + float(np.exp(place))
        return self.low + (self.high - self.low) * float(special().expit(place))

    def slope(self, value: float) -> float:
        """Return how fast the scale changes with the value."""
        return 1.0 if math.isinf(self.low) else 1 / (value - self.low) + 1 / (self.high - value)


def refuse_weights(counts: Counts | JointCounts) -> None:
    """Masses are not numbers of cases: neither Wilson nor DeLong holds for them."""
    if counts.weighted:
        raise refuse(
            "BR583",
            "these cases are weighted: intervals need whole cases, as weights do not say how many"
            " were seen",
            "count without weights, or resample whole groups: count(…, cluster=…)",
        )


def normal(share: float) -> float:
    """The quantile of the normal distribution."""
    return float(special().ndtri(share))


def special() -> Any:
    """The special functions of SciPy, which take their time to load: when they are first used."""
    from scipy import special as functions

    return functions
