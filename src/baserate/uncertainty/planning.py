"""How many cases a comparison takes: sample sizes for AUC and for pairs, and the smallest difference that pairs could have shown."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from baserate import notations
from baserate.arithmetic import rounded
from baserate.counts import Counts
from baserate.errors import quoted, refuse
from baserate.exact import Floats
from baserate.uncertainty.adequacy import (
    MOST_SEARCHED,
    checked_cases,
    checked_power,
    checked_share,
    refuse_masses,
    too_many,
)
from baserate.uncertainty.placements import normal, placed
from baserate.uncertainty.values import checked_level
from baserate.undefined import Undefined

# The exact power of so many discordant pairs takes a second or two.
MOST_DISCORDANT = 10**8
# Where the number of discordant pairs has a larger standard deviation, the steps of the exact test, two pairs wide, are averaged away.
SMOOTH = 4.0
# Beyond so many standard deviations there is nothing that a float could add.
REACH = 10


# AUCs tried between the one required and the one expected.
STEPS = 40


class Cases(NamedTuple):
    """How many cases of each class."""

    positives: int
    negatives: int


class Detectable(NamedTuple):
    """The smallest difference that would have been declared: in pairs, as a share of the cases, and what must be observed for it.

    `excess` is by how many of the discordant pairs one model would have to be ahead, on average, for the power asked for; `share` is that
    as a share of all cases, None where these are not given; `declared` is the observed excess from which on the test rejects.
    """

    excess: float
    share: float | None
    declared: int | None


def cases_for_auc(
    *,
    expecting: Any,
    at_least: Any,
    negatives_per_positive: float = 1.0,
    level: float = 0.95,
    power: float = 0.8,
    counts: Counts | None = None,
) -> Cases:
    """How many cases of each class does it take to show that AUC is at least this, where it is really that?

    The fewest with (z_level + z_power) · s <= logit(expecting) − logit(at_least), where s is the standard error of logit(AUC): the
    one-sided bound of DeLong on the logit scale then meets `at_least` with about this power. The variance of AUC is that of two
    exponential distributions (Hanley & McNeil 1982, Radiology 143:29-36), or with `counts` from a pilot, what the pilot's placements say
    (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845), whatever their distribution. Below a hundred cases of a class this is
    a first guess, as the normal distribution is.

    >>> import baserate as br
    >>> br.cases_for_auc(expecting=0.85, at_least=0.8)
    Cases(positives=237, negatives=237)
    >>> br.cases_for_auc(expecting=0.85, at_least=0.8, negatives_per_positive=10)
    Cases(positives=189, negatives=1890)
    """
    low, high = (_checked_auc(value, name) for value, name in ((at_least, "at_least"), (expecting, "expecting")))
    if low >= high:
        text = f"expecting AUC {high:g} does not reach {low:g} with room to spare: no number of cases would show it"
        raise refuse("BR585", text, "expect better than you require, or require less")
    ratio, pilot = _checked_ratio(negatives_per_positive), None if counts is None else _spread(counts)
    needed = -normal(_missed(level)) + normal(checked_power(power))
    # Near 1 the logit's variance grows without bound, though a better model is never harder to show: the best plan of any AUC on the way.
    ways = [low + (high - low) * step / STEPS for step in range(1, STEPS + 1)]

    def enough(positives: int) -> bool:
        negatives = _negatives(positives, ratio)
        for auc in ways:
            room = (math.log(auc / (1 - auc)) - math.log(low / (1 - low))) * auc * (1 - auc)
            variance = _exponential(auc, positives, negatives) if pilot is None else pilot[0] / positives + pilot[1] / negatives
            if needed * math.sqrt(variance) <= room:
                return True
        return False

    few, many = 1, 2
    while not enough(many):
        few, many = many, 2 * many
        if many > MOST_SEARCHED:
            raise too_many(f"AUC of {low:g} or more, where it is {high:g},", MOST_SEARCHED)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return Cases(many, _negatives(many, ratio))


def _checked_auc(value: Any, name: str) -> float:
    share = checked_share(value, name)
    if not Fraction(1, 2) <= share < 1:
        raise refuse("BR585", f"{name} is an AUC from 0.5 to below 1, got {quoted(value)}", f"{name}=0.85")
    return rounded(share)


def _checked_ratio(value: Any) -> Fraction:
    found = notations.from_number(value)
    if found is None or not Fraction(1, 10**9) <= found.value <= 10**9:
        raise refuse("BR585", f"negatives_per_positive must be a number above 0, got {quoted(value)}", "negatives_per_positive=10")
    return found.value


def _negatives(positives: int, ratio: Fraction) -> int:
    return max(2, math.ceil(positives * ratio))


def _exponential(auc: float, positives: int, negatives: int) -> float:
    """Hanley and McNeil's variance of an AUC."""
    two_positives, two_negatives = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return (auc * (1 - auc) + (positives - 1) * two_positives + (negatives - 1) * two_negatives) / (positives * negatives)


def _spread(counts: Counts) -> tuple[float, float]:
    """The variance of the placements within each class of a pilot."""
    if not isinstance(counts, Counts):
        raise refuse("BR585", f"a pilot is given as Counts, got {type(counts).__name__}", "counts=count(y_true, y_score)")
    refuse_masses(counts.weighted)
    if min(counts.total_positives, counts.total_negatives) < 2:
        raise refuse("BR585", "a pilot needs two cases of each class or more", "leave counts out")
    known = placed(counts)
    if not known.variance:
        raise refuse("BR585", "the pilot separates the classes without error: its variance is 0, and says nothing", "leave counts out")
    return known.of_positives, known.of_negatives


def cases_for_mcnemar(*, discordant: Any, difference: Any, level: float = 0.95, power: float = 0.8) -> int:
    """How many cases, judged by both models, does it take to find a difference between them?

    `discordant` is the share of cases that only one of the two gets right, `difference` how much larger the share of the one is than that
    of the other. The number from which on the exact two-sided test of McNemar finds the better model with this power or more: computed
    exactly over the binomial number of discordant pairs, around the normal formula of Connor 1987, Biometrics 43:207-211.

    >>> import baserate as br
    >>> br.cases_for_mcnemar(discordant=0.1, difference=0.03)
    920
    """
    apart, ahead = checked_share(discordant, "discordant"), checked_share(difference, "difference")
    if not ahead:
        raise refuse("BR585", "there is no difference to find", "difference=0.01, the smallest that would matter")
    if ahead > apart:
        text = f"where {rounded(apart):g} of the pairs are discordant, the models do not differ by {rounded(ahead):g}"
        raise refuse("BR585", text, "give a difference that is at most the share of discordant pairs")
    missed, share = _missed(level), checked_power(power)
    psi, delta = rounded(apart), rounded(ahead)
    spread = -normal(missed / 2) * math.sqrt(psi) + normal(share) * math.sqrt(psi - delta**2)
    start = max(1, math.ceil((spread / delta) ** 2)) if spread > 0 else 1
    if start * psi > MOST_DISCORDANT:
        raise too_many(f"a difference of {delta:g}", MOST_DISCORDANT, "discordant pairs")
    return _first_for_good(_Pairs(psi, (1 - ahead / apart) / 2, missed), share, start, math.ceil(1 / ahead))


def smallest_detectable(pairs: int, *, level: float = 0.95, power: float = 0.8, cases: int | None = None) -> Detectable:
    """With so many discordant pairs, which difference between two models could have been found?

    The smallest excess of one model's pairs over the other's that the exact two-sided test of McNemar declares with this power, given how
    many pairs are discordant. With fewer than six of them nothing at all can be declared at 95 %, and the excess is undefined.

    >>> import baserate as br
    >>> found = br.smallest_detectable(60, cases=2_000)
    >>> round(found.excess, 2), round(found.share, 4), found.declared
    (22.98, 0.0115, 18)
    """
    missed, share, apart = _missed(level), checked_power(power), checked_cases(pairs, "pairs", 0)
    whole = None if cases is None else checked_cases(cases, "cases")
    if whole is not None and whole < apart:
        raise refuse("BR585", f"of {whole} cases, {apart} cannot be discordant", "cases=, all that both models judged")
    fewer = int(_most_fewer(np.array([apart]), missed)[0])
    if fewer < 0:
        none = Undefined(f"{apart} discordant pairs show nothing at this level")
        return Detectable(none, None if whole is None else none, None)
    from scipy.special import betaincinv

    # The share of the other model's pairs at which so few of them, or fewer, are seen with the power asked for.
    other = float(betaincinv(fewer + 1, apart - fewer, 1 - share))
    excess = max(0.0, apart * (1 - 2 * other))
    return Detectable(excess, None if whole is None else excess / whole, apart - 2 * fewer)


class _Pairs:
    """The exact power of McNemar's test for so many cases, over what chance makes of the number of discordant pairs."""

    def __init__(self, discordant: float, other: Fraction, missed: float) -> None:
        self.discordant, self.other, self.missed = discordant, rounded(other), missed
        self.first, self.known = 0, np.empty(0)

    def varies(self, cases: int) -> float:
        return math.sqrt(cases * self.discordant * (1 - self.discordant))

    def power(self, cases: int) -> float:
        reach = REACH * self.varies(cases) + 2 * REACH
        low, high = max(0, math.floor(cases * self.discordant - reach)), min(cases, math.ceil(cases * self.discordant + reach))
        chance = self._chances(np.arange(low, high + 1), cases)
        return float(chance @ self._declared(low, high))

    def _chances(self, pairs: Any, cases: int) -> Floats:
        from scipy.special import gammaln, xlog1py, xlogy

        logs = xlogy(pairs, self.discordant) + xlog1py(cases - pairs, -self.discordant) - gammaln(pairs + 1) - gammaln(cases - pairs + 1)
        chance = np.exp(logs - logs.max())
        # What large logarithms lose is common to all, and goes away here.
        return np.asarray(chance / chance.sum())

    def _declared(self, low: int, high: int) -> Floats:
        """The probability that the better model is declared so, for each number of discordant pairs; kept, as the search asks again."""
        end = self.first + len(self.known)
        if low < self.first or high >= end:
            # More than was asked for, in proportion, so that a search does not come back for a little more each time.
            margin = (high - low + len(self.known)) // 4
            first, end = max(0, low - margin), max(high + margin + 1, end)
            self.first = min(first, self.first) if len(self.known) else first
            self.known = _declared(np.arange(self.first, end), self.other, self.missed)
        return self.known[low - self.first : high - self.first + 1]


def _declared(pairs: Any, other: float, missed: float) -> Floats:
    from scipy.special import betaincc

    fewer = _most_fewer(pairs, missed)
    return np.where(fewer >= 0, betaincc(np.maximum(fewer, 0) + 1.0, pairs - np.maximum(fewer, 0), other), 0.0)


def _most_fewer(pairs: Any, missed: float) -> Any:
    """The most pairs of the other model with which the two-sided test still rejects: 2 · P(so many or fewer | ½) < missed; -1 for none."""
    from scipy.special import betaincc

    def rejects(fewer: Any) -> Any:
        tail = betaincc(np.maximum(fewer, 0) + 1.0, np.maximum(pairs - fewer, 0.5), 0.5)
        return (fewer < 0) | ((2 * fewer < pairs) & (2 * tail < missed))

    fewer = np.maximum(-1, np.floor(pairs / 2 + normal(missed / 2) * np.sqrt(pairs) / 2))
    while not (fine := rejects(fewer)).all():
        fewer = np.where(fine, fewer, fewer - 1)
    while (more := rejects(fewer + 1)).any():
        fewer = np.where(more, fewer + 1, fewer)
    return fewer


def _first_for_good(pairs: _Pairs, power: float, start: int, step: int) -> int:
    """The number of cases from which on the power is reached: enclosed, halved, and where it rises in steps, looked at one by one."""
    low, high, far = start, start, step
    while low > 0 and pairs.power(low) >= power:
        low, far = max(0, low - far), 2 * far
    far = step
    while pairs.power(high) < power:
        high, far = high + far, 2 * far
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pairs.power(middle) >= power else (middle, high)
    while pairs.discordant > 0.5 and pairs.varies(high) < SMOOTH:
        # A step of the exact test is made up for by about 4 / difference more cases: twice as far is looked at.
        ahead = range(high, high + 64 + 8 * step)
        failing = max((cases for cases in ahead if pairs.power(cases) < power), default=low)
        if failing < high:
            break
        low, high = failing, failing + 1
    return high


def _missed(level: Any) -> float:
    return rounded(1 - notations.meant(checked_level(level)))
