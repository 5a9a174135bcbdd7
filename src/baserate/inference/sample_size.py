"""Sample sizes: how many cases a number rests on, and how many a requirement, a comparison or an
interval takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import notation
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.points import ONLY_RATES
from baserate.decisions.rules import Term, parse_rule
from baserate.errors import Fix, InputError, Note, number_of, quoted, refuse
from baserate.inference.auc import placed
from baserate.inference.rates import FEW, MOST_CASES, normal, rate_interval, special
from baserate.measures.confusion import Confusion, parse
from baserate.measures.registry import at_one_point
from baserate.notation import NumberCheck
from baserate.numbers import Floats, Undefined, rounded
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import UPPER, bounds_in_words, checked_level, percent

POWER = 0.8
# Nobody collects more, and beyond it the search around the exact answer gets long.
MOST_SEARCHED = 10**10
# Probabilities are computed to about 13 digits: a tie is shown, and not missed by rounding.
TIE = 1 + 2.0**-40
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Cases(NamedTuple):
    """How many cases of each class."""

    positives: int
    negatives: int


# ----------------------------------------------------------------------
# What may be given, and what is refused.


def refuse_plan(text: str, fix: Fix | str) -> InputError:
    """Return the error for what cannot be planned."""
    return refuse("BR585", text, fix)


def checked_share(
    value: Any, name: str, code: str = "BR585", fix: str = 'write 0.95 or "95%"'
) -> Fraction:
    """Return a share between 0 and 1, given as a number or as it is written ("95%")."""
    found = notation.parse_share(value)
    if found is None or not 0 <= found.value <= 1:
        raise refuse(code, f"{name} must be a share between 0 and 1, got {quoted(value)}", fix)
    return found.value


checked_power = NumberCheck(
    "BR585",
    "a power lies between 0 and 1",
    "power=0.8",
    high=1 - 1e-9,
    above_low=True,
    share="power",
)


def checked_cases(value: Any, name: str, least: int = 1) -> int:
    """Return a whole number of cases."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not least <= value <= MOST_CASES:
        raise refuse_plan(
            f"{name} must be a whole number, {least} or more, got {quoted(value)}", f"{name}=1000"
        )
    return int(value)


checked_ratio = NumberCheck(
    "BR585",
    "negatives_per_positive must be a number above 0",
    "negatives_per_positive=10",
    1e-9,
    1e9,
).exactly


def error_rate(level: Any) -> float:
    """Return 1 - level without the error of the subtraction."""
    return rounded(1 - notation.typed_value(checked_level(level)))


def negatives_for(positives: int, ratio: Fraction) -> int:
    """Return the negatives that go with the positives, two at least."""
    return max(2, math.ceil(positives * ratio))


def refuse_masses(weighted: bool) -> None:  # noqa: FBT001
    """Weights say what a case stands for, not how many were seen."""
    if weighted:
        raise refuse(
            "BR583",
            "these cases are weighted: intervals and sample sizes need whole cases, not weights",
            Fix("count without weights", "leave --weight out"),
        )


def confusion_of(source: Any) -> Confusion:
    """Return the outcomes of one operating point."""
    found = source.confusion if isinstance(source, OperatingPoint) else source
    if not isinstance(found, Confusion):
        raise refuse(
            "BR551",
            f"this needs one operating point, got {type(source).__name__}",
            "give a Confusion, or choose(counts)",
        )
    return found


# ----------------------------------------------------------------------
# Searches for the smallest number that is enough.


def find_between(enough: Callable[[Any], Any], low: Any, high: Any, step: float = 1) -> Any:
    """Return the smallest number that is enough, between one that is not and one that is.

    Arrays of numbers are searched together.
    """
    while np.max(high - low) > step:
        middle = np.floor((low + high) / (2 * step)) * step
        reached = enough(middle)
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return high


def find_smallest(
    enough: Callable[[int], Any], start: int, most: float, too_many: InputError, ahead: int = 0
) -> int:
    """Return the number, `start` or more, from which on every number is enough.

    Doubled until it is enough, then halved. Where whole cases make the power rise in steps, `ahead`
    says how many more numbers are looked at.
    """
    low, high = start - 1, start
    while not enough(high):
        low, high = high, 2 * high + 1
        if high > most:
            raise too_many
    found = int(find_between(lambda number: enough(int(number)), low, high))
    while failing := [number for number in range(found + 1, found + ahead) if not enough(number)]:
        found = failing[-1] + 1
    return found


def too_many(subject: str, most: int = MOST_SEARCHED, what: str = "cases") -> InputError:
    """Return the error for what would take more cases than anybody has."""
    shown = f"{most:.0e}".replace("+0", "").replace("+", "")
    return refuse_plan(f"{subject} takes more than {shown} {what}", "require less, or expect more")


def binomial(numbers: Any, cases: int, rate: float) -> Floats:
    """Return the probabilities of consecutive numbers, which are all that matter."""
    logs = (
        special().xlogy(numbers, rate)
        + special().xlog1py(cases - numbers, -rate)
        - special().gammaln(numbers + 1)
        - special().gammaln(cases - numbers + 1)
    )
    chance = np.exp(logs - logs.max())
    # What large logarithms lose is common to all, and goes away here.
    return np.asarray(chance / chance.sum())


def likely_numbers(cases: int, rate: float, reach: float, more: float) -> Integers:
    """Return the numbers within `reach` standard deviations, and some `more`, around the mean."""
    around, half = cases * rate, reach * math.sqrt(cases * rate * (1 - rate)) + more
    return np.arange(max(0, round(around - half)), min(cases, round(around + half)) + 1)


def chance_of_at_most(errors: Any, cases: Any, rate: float) -> Any:
    """Return the binomial probability of as many errors or fewer."""
    return special().betaincc(
        np.add(errors, 1.0), np.subtract(cases, errors, dtype=np.float64), rate
    )


# ----------------------------------------------------------------------
# On how many cases a number rests.


@dataclass(frozen=True)
class Support:
    """On how many cases does this rest, and what could they demonstrate at best?

    `misses` and `false_alarms` are None where no point was given. `smallest_fnr_shown` and
    `smallest_fpr_shown` are the bounds when no error at all is seen: with so few cases, nothing
    smaller can be demonstrated.
    """

    positives: int
    negatives: int
    misses: int | None
    false_alarms: int | None
    smallest_fnr_shown: float
    smallest_fpr_shown: float
    level: float = 0.95
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)


def sample_support(source: Confusion | OperatingPoint | Counts, *, level: float = 0.95) -> Support:
    """How many false alarms and misses support this point, and what is the smallest rate that these
    cases can show?

    Of `Counts` only the class totals are read. A note says where fewer than ten errors support a
    rate, and how well it is known then.

    >>> import baserate as br
    >>> found = br.planning.sample_support(br.Confusion(tp=95, fp=0, fn=5, tn=40_000))
    >>> found.misses, found.false_alarms, f"{found.smallest_fpr_shown:.6g}"
    (5, 0, '7.48905e-05')
    >>> print(found.notes[0])
    BR587: fnr 0.05 rests on 5 misses among 100 positives: 95 % from 0.01643 to 0.1128 (clopper-pearson)
    """  # noqa: E501
    level = checked_level(level)
    misses = false_alarms = None
    notes: tuple[Note, ...] = ()
    if isinstance(source, Counts):
        refuse_masses(source.weighted)
        positives, negatives = int(source.total_positives), int(source.total_negatives)
    else:
        tp, false_alarms, misses, tn = whole_outcomes(source)
        positives, negatives = tp + misses, false_alarms + tn
        notes = (
            *support_notes("fnr", misses, positives, level),
            *support_notes("fpr", false_alarms, negatives, level),
        )
    # Where there are no cases at all, nothing is ruled out.
    fnr, fpr = (
        smallest_rate_shown(cases, level=level) if cases else 1.0
        for cases in (positives, negatives)
    )
    return Support(positives, negatives, misses, false_alarms, fnr, fpr, level, notes)


def support_notes(name: str, errors: int, cases: int, level: float) -> Iterator[Note]:
    """Yield a note where a rate rests on few errors."""
    one, kind, of = (
        ("miss", "misses", "positive")
        if name == "fnr"
        else ("false alarm", "false alarms", "negative")
    )
    if not cases:
        yield Note("BR587", f"no {of}s: nothing is known of {name}")
    elif errors < FEW:
        known = rate_interval(errors, cases, level=level)
        shown = number_of(errors, one, kind) if errors else f"no {kind}"
        text = f"{name} {known.value:.4g} rests on {shown} among {number_of(cases, of)}"
        bounds = f"{percent(level)} {bounds_in_words(known)} ({known.method})"
        yield Note("BR587", f"{text}: {bounds}", values={"rests_on": text})


def whole_outcomes(source: Any) -> tuple[int, int, int, int]:
    """Return the four outcomes of one operating point, which have to be whole cases."""
    confusion, is_point = confusion_of(source), isinstance(source, OperatingPoint)
    if confusion.why_no_prior == ONLY_RATES:
        raise refuse(
            "BR583",
            "only rates are known, but this needs the number of cases",
            "give Counts or a Confusion",
        )
    if any(isinstance(cases, Fraction) for cases in confusion) or (is_point and source.share != 1):
        raise refuse(
            "BR583",
            "this point flags a share of some cases: its outcomes are expected values, not cases",
            "choose(counts, threshold=…)",
        )
    # What a person typed may be 40.0; what a point flags of weighted counts is a mass even where it
    # happens to be whole.
    refuse_masses(
        any(
            isinstance(cases, float) and (is_point or not cases.is_integer()) for cases in confusion
        )
    )
    tp, fp, fn, tn = (int(cases) for cases in confusion)
    return tp, fp, fn, tn


def smallest_rate_shown(cases: int, *, level: float = 0.95) -> float:
    """What is the smallest rate that this number of cases can demonstrate?

    1 − (1 − level)^(1/cases): the one-sided bound of Clopper and Pearson when none is seen, close
    to 3 / cases ("rule of three", Hanley & Lippman-Hand 1983, JAMA 249:1743-1745).

    >>> import baserate as br
    >>> f"{br.planning.smallest_rate_shown(40_000):.6g}"
    '7.48905e-05'
    """
    return rate_interval(0, cases, level=level, side=UPPER).high


# ----------------------------------------------------------------------
# How many cases of one class demonstrate a requirement on a rate.


SENSES = {"tpr": ">=", "fnr": "<=", "tnr": ">=", "fpr": "<="}
WRITE_REQUIREMENT = (
    'require a rate within one class, such as "recall >= 0.9", "fpr <= 1e-5" or "specificity >='
    ' 99%"'
)


class ErrorLimit(NamedTuple):
    """A requirement as a limit on the rate of errors in one class."""

    text: str
    name: str
    limit: Fraction

    @property
    def at_most(self) -> float:
        return rounded(self.limit)

    def errors_at(self, expect: Any) -> Fraction:
        """Return the rate of errors where the measure itself is expected to be this."""
        rate = checked_share(expect, f"expecting, the {self.name} that you count on,")
        return 1 - rate if SENSES[self.name] == ">=" else rate


def cases_needed(
    requirement: str, *, expect: Any = None, level: float = 0.95, power: float | None = POWER
) -> int:
    """How many cases of the class does it take to demonstrate this requirement?

    It is demonstrated where the one-sided bound of Clopper and Pearson meets it. With `expect`,
    the number of cases from which on that happens with probability `power`, 80 % by default,
    whatever larger number is taken.

    Parameters
    ----------
    requirement : str
        On `tpr` or `fnr` (cases are then positives), `tnr` or `fpr` (negatives): "recall >= 0.9".
    expect : float or str, optional
        The rate that you count on. Without it the fewest cases that can demonstrate it at all:
        those with which it is demonstrated when no error is seen.
    level : float, default 0.95
        Confidence level of the bound.
    power : float or None, default 0.8
        Probability that such a test set demonstrates it. None for the number from which on it is
        demonstrated by errors at just the expected rate, every fraction of a case rounded up to one
        more error: that leaves luck out, good and bad.

    Returns
    -------
    int

    Examples
    --------
    >>> import baserate as br
    >>> br.planning.cases_needed("fpr <= 1e-5")
    299572
    >>> br.planning.cases_needed("recall >= 0.9", expect=0.95)
    203
    >>> br.planning.cases_needed("recall >= 0.9", expect=0.95, power=None)
    142

    """
    asked, missed = parse_error_limit(requirement), error_rate(level)
    if expect is None:
        if power not in (None, POWER):
            raise refuse_plan(
                "power depends on the true rate", "expect=0.95, the rate that you expect"
            )
        return _cases_with_none_seen(asked, missed)
    rate, share = asked.errors_at(expect), None if power is None else checked_power(power)
    if rate >= asked.limit:
        raise refuse_plan(
            f"expecting {quoted(expect)} does not satisfy {asked.text} with room to spare: no"
            " number of cases would demonstrate it",
            "expect better than you require, or require less",
        )
    if not rate:
        return _cases_with_none_seen(asked, missed)

    def succeeds(allowed: Integers, cases: Integers) -> Flags:
        if share is not None:
            return np.asarray(chance_of_at_most(allowed, cases, rounded(rate)) >= share)
        pairs = zip(allowed.tolist(), cases.tolist(), strict=True)
        return np.array([rate * number <= errors for errors, number in pairs])

    return _cases_that_succeed(asked, rate, missed, succeeds)


def power_to_show(requirement: str, *, expect: Any, cases: int, level: float = 0.95) -> float:
    """How likely is it that this number of cases will demonstrate this requirement?

    The exact binomial probability that the one-sided bound of Clopper and Pearson meets the
    requirement, at the rate that is expected.

    >>> import baserate as br
    >>> round(br.planning.power_to_show("recall >= 0.9", expect=0.95, cases=100), 4)
    0.436
    """
    asked, missed = parse_error_limit(requirement), error_rate(level)
    whole, rate = checked_cases(cases, "cases"), rounded(asked.errors_at(expect))

    def fails(errors: Any) -> Any:
        return chance_of_at_most(errors, whole, asked.at_most) > missed * TIE

    allowed = int(find_between(fails, -1, whole)) - 1
    return float(chance_of_at_most(allowed, whole, rate)) if allowed >= 0 else 0.0


def parse_error_limit(requirement: Any) -> ErrorLimit:
    """Return a requirement on a rate within one class; refuse any other."""
    # A volume is given so that a budget is read, and then refused for what it is.
    rule = parse_rule(requirement, MOST_CASES)
    if len(rule.terms) != 1:
        raise refuse_plan("one requirement at a time", WRITE_REQUIREMENT)
    (term,) = rule.terms
    name = term.measure.name
    if name not in SENSES:
        text = f"{name} is not a rate within one class, whose cases could be counted"
        raise refuse_plan(text, WRITE_REQUIREMENT)
    if term.sense != SENSES[name]:
        text = f"{term} limits the rate from the wrong side"
        raise refuse_plan(text, f'"{name} {SENSES[name]} …"')
    limit = 1 - term.limit if term.sense == ">=" else term.limit
    if limit == 0:
        raise refuse_plan(
            f"{term} is demonstrated by no number of cases: the next one may be an error",
            f'leave room for a few: "{name} {term.sense} {"0.999" if term.limit else "0.001"}"',
        )
    if limit == 1:
        raise refuse_plan(f"{term} holds for any cases", WRITE_REQUIREMENT)
    return ErrorLimit(str(term), name, limit)


def _cases_with_none_seen(asked: ErrorLimit, missed: float) -> int:
    """(1 − limit)^n <= missed, with logarithms that are right to the last digits, as n may be
    large.
    """
    exact = math.log(missed) / math.log1p(-asked.at_most)
    if exact > MOST_CASES:
        raise too_many(asked.text, MOST_CASES)
    return math.ceil(exact * (1 - 2.0**-50))


def _cases_that_succeed(
    asked: ErrorLimit,
    rate: Fraction,
    missed: float,
    succeeds: Callable[[Integers, Integers], Flags],
) -> int:
    """Return the number of cases from which on `succeeds(errors allowed, cases)` holds.

    While the same number of errors is allowed, more cases only bring more of them, so it is enough
    to look at the last number of cases with each. Failing turns into succeeding once, but for the
    rounding to whole cases: by one case more or less, which limit · rate / (limit − rate) more
    errors make up for. So after the turn errors up to twice as far are looked at, one by one.
    """

    def succeeds_throughout(errors: Integers) -> Flags:
        return succeeds(errors, _first_cases(errors + 1, asked.at_most, missed) - 1)

    refusal = too_many(f"{asked.text}, with errors at {rounded(rate):.6g},")
    errors = find_smallest(
        lambda one: succeeds_throughout(np.array([one])).all(),
        0,
        float(MOST_SEARCHED * asked.limit),
        refusal,
    )
    width = 64 + math.ceil(2 * asked.limit * rate / (asked.limit - rate))
    while True:
        ahead = np.arange(errors, errors + width)
        failing = ahead[~succeeds_throughout(ahead)]
        if not len(failing):
            return int(_first_cases(np.array([errors]), asked.at_most, missed)[0])
        errors = int(failing[-1]) + 1


def _first_cases(errors: Integers, limit: float, missed: float) -> Integers:
    """Return with how many cases a number of errors begins to demonstrate that the rate is at most
    the limit: P(errors or fewer | limit) <= missed.
    """

    def demonstrates(cases: Floats) -> Flags:
        return np.asarray(chance_of_at_most(errors, cases, limit) <= missed * TIE)

    high = np.ceil((errors + 1) / limit)
    while not (reached := demonstrates(high)).all():
        high = np.where(reached, high, 2 * high)
    # With no more cases than errors it is not.
    found = find_between(demonstrates, errors.astype(np.float64), high)
    return np.asarray(found, dtype=np.int64)


# ----------------------------------------------------------------------
# How many cases of one class make the interval of a rate narrow.


def cases_for_width(
    rate: str, *, expect: Any, within: Any, level: float = 0.95, power: float = POWER
) -> int:
    """How many cases of the class make the interval of this rate at most this wide?

    The two-sided interval that `rate_interval` gives reaches from its middle at most `within` to
    each side with probability `power`, from this number of cases on. (Buderer 1996, Academic
    Emergency Medicine 3:895-900, gives the number for a power of about one half.)

    Parameters
    ----------
    rate : str
        `tpr` or `fnr` (cases are then positives), `tnr` or `fpr` (negatives).
    expect : float or str
        The rate that you count on.
    within : float or str
        Half the width of the interval, 0.05 or "5%".
    level : float, default 0.95
        Confidence level of the interval.
    power : float, default 0.8
        Probability that the interval of such a test set is as narrow.

    Returns
    -------
    int

    Examples
    --------
    >>> import baserate as br
    >>> br.planning.cases_for_width("recall", expect=0.9, within=0.05)
    165

    """
    name = parse(rate).name
    if name not in SENSES:
        raise refuse_plan(
            f"{name} is not a rate within one class, whose cases could be counted",
            'plan the width of a rate within one class, such as "recall"',
        )
    level, share = checked_level(level), checked_power(power)
    expected = rounded(checked_share(expect, f"expecting, the {name} that you count on,"))
    half = rounded(checked_share(within, "within"))
    if not 0 < half < 0.5:
        text = f"half the width of an interval lies between 0 and 0.5, got {quoted(within)}"
        raise refuse_plan(text, "within=0.05")

    def is_narrow(cases: int) -> bool:
        numbers = likely_numbers(cases, expected, WIDE, WIDE)
        narrow = half_widths(numbers, cases, level) <= half * TIE
        return bool(binomial(numbers, cases, expected) @ narrow >= share)

    # Whole successes make the width go up and down as often as one more of them is expected.
    rarer = min(expected, 1 - expected)
    ahead = AHEAD + (math.ceil(2 / rarer) if rarer else 0)
    refusal = too_many(f"an interval of {name} within {half:g} of {expected:g}")
    return find_smallest(is_narrow, 1, 10**8, refusal, ahead)


def half_widths(successes: Integers, cases: int, level: float) -> Floats:
    """Return half the width of `rate_interval` for each number of successes."""
    z, square = normal((1 + level) / 2), normal((1 + level) / 2) ** 2
    spread = successes * (cases - successes) / cases + square / 4
    found = z * np.sqrt(spread) / (cases + square)
    few = np.flatnonzero(np.minimum(successes, cases - successes) < FEW)
    found[few] = [
        rate_interval(number, cases, level=level).width / 2 for number in successes[few].tolist()
    ]
    return np.asarray(found)


# ----------------------------------------------------------------------
# How many cases demonstrate an AUC.


# AUCs tried between the one required and the one expected.
STEPS = 40


def cases_for_auc(
    *,
    expect: Any,
    at_least: Any,
    negatives_per_positive: float = 1.0,
    level: float = 0.95,
    power: float = POWER,
    counts: Counts | None = None,
) -> Cases:
    """How many cases of each class does it take to demonstrate a lower limit of AUC, if the
    true AUC is higher?

    The fewest with (z_level + z_power) · s <= logit(expect) − logit(at_least), where s is the
    standard error of logit(AUC): the one-sided bound of DeLong on the logit scale then meets
    `at_least` with about this power. The variance of AUC is that of two exponential distributions
    (Hanley & McNeil 1982, Radiology 143:29-36), or with `counts` from a pilot, what the pilot's
    placements say (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845), whatever their
    distribution. Below a hundred cases of a class this is a first guess, as the normal distribution
    is.

    >>> import baserate as br
    >>> br.planning.cases_for_auc(expect=0.85, at_least=0.8)
    Cases(positives=237, negatives=237)
    >>> br.planning.cases_for_auc(expect=0.85, at_least=0.8, negatives_per_positive=10)
    Cases(positives=189, negatives=1890)
    """
    low, high = (
        checked_auc(value, name) for value, name in ((at_least, "at_least"), (expect, "expect"))
    )
    if low >= high:
        raise refuse_plan(
            f"expecting AUC {high:g} does not reach {low:g} with room to spare: no number of cases"
            " would demonstrate it",
            "expect better than you require, or require less",
        )
    ratio = checked_ratio(negatives_per_positive)
    pilot = None if counts is None else placement_variances(counts)
    needed = -normal(error_rate(level)) + normal(checked_power(power))
    # Near 1 the logit's variance grows without bound, though a better model is never harder to
    # show: the best plan of any AUC on the way.
    ways = [low + (high - low) * step / STEPS for step in range(1, STEPS + 1)]

    def suffices(auc: float, positives: int, negatives: int) -> bool:
        room = (math.log(auc / (1 - auc)) - math.log(low / (1 - low))) * auc * (1 - auc)
        if pilot is None:
            variance = auc_variance(auc, positives, negatives)
        else:
            variance = pilot[0] / positives + pilot[1] / negatives
        return needed * math.sqrt(variance) <= room

    def enough(positives: int) -> bool:
        negatives = negatives_for(positives, ratio)
        return any(suffices(auc, positives, negatives) for auc in ways)

    refusal = too_many(f"AUC of {low:g} or more, where it is {high:g},")
    many = find_smallest(enough, 2, MOST_SEARCHED, refusal)
    return Cases(many, negatives_for(many, ratio))


def checked_auc(value: Any, name: str) -> float:
    """Return an AUC that is no worse than chance."""
    share = checked_share(value, name)
    if not Fraction(1, 2) <= share < 1:
        text = f"{name} is an AUC from 0.5 to below 1, got {quoted(value)}"
        raise refuse_plan(text, f"{name}=0.85")
    return rounded(share)


def exponential_variances(auc: float) -> tuple[float, float]:
    """Return the variance of the placements of positives and of negatives, where scores are
    exponentially distributed (Hanley and McNeil).
    """
    return 2 * auc**2 / (1 + auc) - auc**2, auc / (2 - auc) - auc**2


def auc_variance(auc: float, positives: int, negatives: int) -> float:
    """Return Hanley and McNeil's variance of an AUC."""
    of_positives, of_negatives = exponential_variances(auc)
    return (auc * (1 - auc) + (positives - 1) * of_negatives + (negatives - 1) * of_positives) / (
        positives * negatives
    )


def placement_variances(counts: Counts) -> tuple[float, float]:
    """Return the variance of the placements within each class of a pilot."""
    if not isinstance(counts, Counts):
        raise refuse_plan(
            f"a pilot is given as Counts, got {type(counts).__name__}",
            "counts=count(y_true, y_score)",
        )
    refuse_masses(counts.weighted)
    if min(counts.total_positives, counts.total_negatives) < 2:
        raise refuse_plan("a pilot needs two cases of each class or more", "leave counts out")
    known = placed(counts)
    if not known.variance:
        text = "the pilot separates the classes without error, so its variance is 0"
        raise refuse_plan(text, "leave counts out")
    return known.of_positives, known.of_negatives


# ----------------------------------------------------------------------
# How many cases a comparison of two models takes, and the smallest difference that pairs could have
# shown.


# The exact power of so many discordant pairs takes a second or two.
MOST_DISCORDANT = 10**8
# Where more concordant pairs are expected, the number of discordant ones varies, and the steps of
# the exact test, two pairs wide, are averaged away.
SMOOTH = 32
MOST_AHEAD = 200
# Beyond so many standard deviations there is nothing that a float could add.
REACH = 10


class Detectable(NamedTuple):
    """The smallest difference that would have been detected: in pairs, as a share of the cases, and
    what must be observed for it.

    `excess` is by how many of the discordant pairs one model would have to be ahead, on average,
    for the required power; `share` is that as a share of all cases, None where these are not
    given; `declared` is the observed excess from which on the test rejects.
    """

    excess: float
    share: float | None
    declared: int | None


def cases_for_mcnemar(
    *, discordant: Any, difference: Any, level: float = 0.95, power: float = POWER
) -> int:
    """How many cases, scored by both models, does it take to find a difference between them?

    `discordant` is the share of cases that only one of the two gets right, `difference` how much
    larger the share of the one is than that of the other. The number from which on the exact
    two-sided test of McNemar finds the better model with this power or more: computed exactly over
    the binomial number of discordant pairs, around the normal formula of Connor 1987, Biometrics
    43:207-211.

    >>> import baserate as br
    >>> br.planning.cases_for_mcnemar(discordant=0.1, difference=0.03)
    920
    """
    apart, ahead = checked_share(discordant, "discordant"), checked_share(difference, "difference")
    if not ahead:
        raise refuse_plan(
            "there is no difference to find", "difference=0.01, the smallest that would matter"
        )
    _check_discordant(
        apart, ahead, "give a difference that is at most the share of discordant pairs"
    )
    missed, share = error_rate(level), checked_power(power)
    psi, delta, other = rounded(apart), rounded(ahead), rounded((1 - ahead / apart) / 2)
    spread = -normal(missed / 2) * math.sqrt(psi) + normal(share) * math.sqrt(psi - delta**2)

    def declared(pairs: Any, cases: int) -> Floats:
        del cases  # the test looks at the discordant pairs alone
        return _chance_of_rejecting(pairs, other, missed)

    about = (max(0.0, spread) / delta) ** 2
    refusal = too_many(f"a difference of {delta:g}", MOST_DISCORDANT, "discordant pairs")
    return _cases_of_pairs(declared, psi, share, about, math.ceil(1 / ahead), refusal)


def cases_for_margin(
    *, discordant: Any, margin: Any, difference: Any = 0, level: float = 0.95, power: float = POWER
) -> int:
    """How many cases, scored by both models, does it take to demonstrate that one is not worse than
    the other by more than a margin?

    `discordant` is the share of cases that only one of the two gets right; `difference` is how much
    worse the candidate really is (0: as good). It is demonstrated where the interval of Bonett and
    Price that `compare` and `baserate gate --margin` give lies within the margin: the end of a
    two-sided interval, so 95 % is 97.5 % on that side. The power is summed over the trinomial
    numbers of discordant pairs, around the normal formula (z + z')²·(ψ − δ²)/(m − δ)² (Liu et al.
    2002, Statistics in Medicine 21:231-245).

    >>> import baserate as br
    >>> br.planning.cases_for_margin(discordant=0.1, margin=0.03)
    885
    """
    apart, allowed = checked_share(discordant, "discordant"), checked_share(margin, "margin")
    worse = checked_share(difference, "difference")
    if worse >= allowed:
        raise refuse_plan(
            f"a candidate that is {rounded(worse):g} worse is not within {rounded(allowed):g}",
            "a larger margin, or a smaller difference",
        )
    _check_discordant(apart, worse, "discordant=0.1, the share that only one model gets right")
    missed, share = error_rate(level), checked_power(power)
    psi, delta, most = rounded(apart), rounded(worse), rounded(allowed)
    lost = rounded((1 + worse / apart) / 2)
    spread = -normal(missed / 2) + normal(share)

    def within(pairs: Any, cases: int) -> Floats:
        return _chance_of_margin(pairs, cases, lost, missed, most)

    about = max(0.0, spread) ** 2 * (psi - delta**2) / rounded(allowed - worse) ** 2
    refusal = too_many(f"a margin of {most:g}", MOST_DISCORDANT, "discordant pairs")
    return _cases_of_pairs(within, psi, share, about, math.ceil(1 / allowed), refusal)


def smallest_detectable(
    pairs: int, *, level: float = 0.95, power: float = POWER, cases: int | None = None
) -> Detectable:
    """With this number of discordant pairs, which difference between two models could have been
    found?

    The smallest excess of one model's pairs over the other's that the exact two-sided test of
    McNemar declares with this power, given how many pairs are discordant. With fewer than six of
    them nothing at all can be declared at 95 %, and the excess is undefined.

    >>> import baserate as br
    >>> found = br.planning.smallest_detectable(60, cases=2_000)
    >>> round(found.excess, 2), round(found.share, 4), found.declared
    (22.98, 0.0115, 18)
    """
    missed, share, apart = error_rate(level), checked_power(power), checked_cases(pairs, "pairs", 0)
    whole = None if cases is None else checked_cases(cases, "cases")
    if whole is not None and whole < apart:
        raise refuse_plan(
            f"of {whole} cases, {apart} cannot be discordant", "cases=, all that both models scored"
        )
    fewer = int(_most_fewer(np.array([apart]), missed)[0])
    if fewer < 0:
        none = Undefined(f"{apart} discordant pairs show nothing at this level")
        return Detectable(none, None if whole is None else none, None)
    # The share of the other model's pairs at which so few of them, or fewer, are seen with the
    # power asked for.
    other = float(special().betaincinv(fewer + 1, apart - fewer, 1 - share))
    excess = max(0.0, apart * (1 - 2 * other))
    return Detectable(excess, None if whole is None else excess / whole, apart - 2 * fewer)


def _check_discordant(apart: Fraction, difference: Fraction, fix: str) -> None:
    """Refuse models that differ by more than the pairs on which they differ."""
    if difference > apart or not apart:
        raise refuse_plan(
            f"where {rounded(apart):g} of the pairs are discordant, the models do not differ by"
            f" {rounded(difference):g}",
            fix,
        )


def _cases_of_pairs(
    chance_of_success: Callable[[Any, int], Floats],
    discordant: float,
    power: float,
    about: float,
    step: int,
    refusal: InputError,
) -> int:
    """Return the number of cases from which on the power is reached, exactly over what chance makes
    of the number of discordant pairs; `about` is the number by the normal formula.
    """
    if about * discordant > MOST_DISCORDANT:
        raise refusal

    def is_powerful(cases: int) -> bool:
        pairs = likely_numbers(cases, discordant, REACH, 2 * REACH)
        chance = binomial(pairs, cases, discordant) @ chance_of_success(pairs, cases)
        return bool(chance >= power)

    # A step of the exact test is made up for by about 4 / difference more cases: twice as far is
    # looked at.
    ahead = 64 + 8 * step if about * (1 - discordant) < SMOOTH else min(2 * step, MOST_AHEAD)
    return find_smallest(is_powerful, 1, math.inf, refusal, ahead)


def _chance_of_rejecting(pairs: Any, other: float, missed: float) -> Floats:
    """Return the probability that the better model is declared so, for each number of discordant
    pairs, of which `other` is the share of the other model.
    """
    fewer = _most_fewer(pairs, missed)
    chance = chance_of_at_most(np.maximum(fewer, 0), pairs, other)
    return np.where(fewer >= 0, chance, 0.0)


def _most_fewer(pairs: Any, missed: float) -> Any:
    """Return the most pairs of the other model with which the two-sided test still rejects, those
    with 2 · P(as many or fewer | ½) < missed; -1 for none.
    """

    def rejects(fewer: Any) -> Any:
        tail = special().betaincc(np.maximum(fewer, 0) + 1.0, np.maximum(pairs - fewer, 0.5), 0.5)
        return (fewer < 0) | ((2 * fewer < pairs) & (2 * tail < missed))

    fewer = np.maximum(-1, np.floor(pairs / 2 + normal(missed / 2) * np.sqrt(pairs) / 2))
    while not (fine := rejects(fewer)).all():
        fewer = np.where(fine, fewer, fewer - 1)
    while (more := rejects(fewer + 1)).any():
        fewer = np.where(more, fewer + 1, fewer)
    return fewer


def _chance_of_margin(pairs: Any, cases: int, lost: float, missed: float, margin: float) -> Floats:
    """Return the probability that the upper end of Bonett and Price's interval is at most the
    margin: a quadratic in the difference, for each number of discordant pairs, of which the
    candidate loses the share `lost`.
    """
    whole, square = cases + 2, normal(missed / 2) ** 2
    under = (margin * whole) ** 2 - (whole + square) * (
        margin**2 * whole - square * (pairs + 2) / whole
    )
    ends = (margin * whole - np.sqrt(np.maximum(under, 0.0))) / (whole + square)
    most = np.floor((ends * whole + pairs) / 2 + 2.0**-30)
    chance = chance_of_at_most(np.clip(most, 0, np.maximum(pairs - 1, 0)), pairs, lost)
    return np.where(most < 0, 0.0, np.where(most >= pairs, 1.0, chance))


# ----------------------------------------------------------------------
# How many cases demonstrate what mixes both classes at a base rate: precision, npv, accuracy, a
# cost. Such a requirement is a straight line in the ROC plane.


WRITE_AT_PRIOR = (
    'require "precision >= 0.2", "npv >= 99.9%", "accuracy >= 95%" or "expected_cost <= 0.05"'
)
# Nodes of the integral over one rate, and the numbers of false alarms at which the fewest hits are
# found: between them it is a smooth line.
NODES = 48
GRID = 65
# Between points of the grid, hits are found to this part of one.
FINE = 16
# Beyond this number of standard deviations, false alarms do not change the power.
WIDE = 6
# Looked at beyond the number found, as whole cases make the power rise in small steps.
AHEAD = 9


class Line(NamedTuple):
    """A requirement as "tpr >= start + slope · fpr"."""

    text: str
    start: float
    slope: float


def cases_at_prior(
    requirement: str,
    *,
    expect: Mapping[str, Any],
    at: Conditions,
    level: float = 0.95,
    power: float = POWER,
    negatives_per_positive: float = 1,
) -> Cases:
    """How many cases of each class does it take to demonstrate this at a base rate?

    The requirement is on what depends on both classes: "precision >= 0.2", "npv >= 99.9%",
    "accuracy >= 95%", "expected_cost <= 0.05" at the costs of `at`. `expect` are the rates that
    you count on, {"tpr": 0.9, "fpr": 0.01}. It is demonstrated where the one-sided bound that
    `interval` and `require` give ("safe-draws") meets it; the power is summed over the binomial
    numbers of hits and false alarms.

    >>> import baserate as br
    >>> rates = {"tpr": 0.9, "fpr": 0.01}
    >>> br.planning.cases_at_prior("precision >= 0.2", expect=rates, at=br.Conditions(prior=0.005))
    Cases(positives=1470, negatives=1470)
    """
    line, rates = parse_line(requirement, at), expected_rates(expect)
    missed, share = error_rate(level), checked_power(power)
    ratio, (tpr, fpr) = checked_ratio(negatives_per_positive), rates
    if tpr <= line.start + line.slope * fpr:
        raise refuse_plan(
            f"tpr {tpr:g} and fpr {fpr:g} do not satisfy {line.text} with room to spare: no number"
            " of cases would demonstrate it",
            "expect better than you require, or require less",
        )

    def enough(positives: int) -> bool:
        cases = Cases(positives, negatives_for(positives, ratio))
        return _power_of_line(line, cases, rates, missed) >= share

    refusal = too_many(f"{line.text}, with tpr {tpr:g} and fpr {fpr:g},")
    most = MOST_SEARCHED / max(1.0, float(ratio))
    many = find_smallest(enough, 1, most, refusal, AHEAD)
    return Cases(many, negatives_for(many, ratio))


def power_at_prior(
    requirement: str,
    *,
    expect: Mapping[str, Any],
    at: Conditions,
    positives: int,
    negatives: int,
    level: float = 0.95,
) -> float:
    """How likely are these cases to demonstrate the requirement at a base rate?

    >>> import baserate as br
    >>> at, rates = br.Conditions(prior=0.005), {"tpr": 0.9, "fpr": 0.01}
    >>> power = br.planning.power_at_prior(
    ...     "precision >= 0.2", expect=rates, at=at, positives=200, negatives=5000
    ... )
    >>> round(power, 3)
    0.999
    """
    cases = Cases(checked_cases(positives, "positives"), checked_cases(negatives, "negatives"))
    line, rates = parse_line(requirement, at), expected_rates(expect)
    return _power_of_line(line, cases, rates, error_rate(level))


def expected_rates(expect: Any) -> tuple[float, float]:
    """Return the true and the false positive rate that are counted on, given under any name."""
    found: dict[str, Fraction] = {}
    for name, value in expect.items() if isinstance(expect, Mapping) else ():
        known, rate = parse(name).name, checked_share(value, f"expecting {name}")
        if known in ("tpr", "fpr"):
            found[known] = rate
        elif known in ("fnr", "tnr"):
            found["tpr" if known == "fnr" else "fpr"] = 1 - rate
    if len(found) != 2 or len(expect) != 2:
        raise refuse_plan(
            "what is expected must be a recall and a false positive rate",
            Fix('expect={"tpr": 0.9, "fpr": 0.01}', "--expect tpr=0.9,fpr=0.01"),
        )
    return rounded(found["tpr"]), rounded(found["fpr"])


def parse_line(requirement: str, at: Conditions) -> Line:
    """Return a requirement at a base rate as a line: numerator less limit times denominator is a
    sum of outcomes, linear in tpr and fpr.
    """
    terms = parse_rule(requirement, MOST_CASES).terms
    term, measure = terms[0], terms[0].measure
    if measure.parts is None or measure.counts_cases or not measure.depends_on_prior:
        raise refuse_plan(f"{measure} cannot be planned for", WRITE_AT_PRIOR)
    if len(terms) != 1:
        raise refuse_plan("one requirement at a time", WRITE_AT_PRIOR)
    if at.prior is None:
        raise refuse_plan(
            f"{measure} depends on the base rate",
            Fix("prior=0.001", "--prior 0.1%"),
        )
    # By how much it holds without hits and alarms, with every hit, and with every false alarm.
    none, hit, alarm = (_room(term, at, *rates) for rates in ((0, 0), (1, 0), (0, 1)))
    if hit <= none or alarm >= none:
        text = f"{term} is not demonstrated by more hits and fewer false alarms"
        raise refuse_plan(text, WRITE_AT_PRIOR)
    return Line(str(term), rounded(-none / (hit - none)), rounded((none - alarm) / (hit - none)))


def _room(term: Term, at: Conditions, tpr: int, fpr: int) -> Fraction:
    """Return by how much a requirement holds: numerator less limit times denominator."""
    outcomes = (Fraction(tpr), Fraction(fpr), Fraction(1 - tpr), Fraction(1 - fpr))
    one = at_one_point(outcomes, (1 - at.exact_prior) / at.exact_prior, at)
    over, under = term.measure.parts(one, **dict(term.measure.parameters))  # type: ignore[misc]
    room = Fraction(over - term.limit * under)
    return room if term.sense == ">=" else -room


def _power_of_line(line: Line, cases: Cases, rates: tuple[float, float], missed: float) -> float:
    """Return the probability that the bound meets the requirement, over hits and false alarms."""
    (positives, negatives), (tpr, fpr) = cases, rates
    alarms = likely_numbers(negatives, fpr, WIDE, WIDE if 0 < fpr < 1 else 0).astype(np.float64)
    grid = np.unique(np.linspace(alarms[0], alarms[-1], GRID).round())
    step = 1.0 if len(grid) == len(alarms) else 1 / FINE
    needed = np.interp(alarms, grid, _fewest_hits(line, cases, grid, missed, step))
    whole = np.ceil(needed - 1e-9)
    inside = np.clip(whole, 1, positives)
    reached = special().betainc(inside, positives - inside + 1, tpr)
    reached = np.where(whole > positives, 0.0, np.where(whole < 1, 1.0, reached))
    return float(binomial(alarms, negatives, fpr) @ reached)


def _fewest_hits(line: Line, cases: Cases, alarms: Floats, missed: float, step: float) -> Floats:
    """Return the hits from which on the bound meets the requirement with these false alarms, in
    steps of a hit or a part of one; one more than there are positives where none do.

    The bound is that of "safe-draws": P(requirement fails) <= missed, where tpr and fpr are drawn
    as Clopper and Pearson bound them, Beta(tp, fn + 1) and Beta(fp + 1, tn).
    """
    positives, negatives = cases
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    rest = np.maximum(negatives - alarms, 1e-9)[:, None]
    fpr = special().betaincinv(alarms[:, None] + 1, rest, (nodes + 1) / 2)
    least = np.clip(line.start + line.slope * fpr, 0, 1)

    def suffices(hits: Floats) -> Floats:
        shape = np.maximum(hits, 1e-9)[:, None], positives - hits[:, None] + 1
        fails = special().betainc(*shape, least) @ weights / 2
        return np.asarray(fails <= missed * TIE)

    all_hits = np.full(len(alarms), float(positives))
    found = find_between(suffices, np.zeros(len(alarms)), all_hits, step)
    return np.where(suffices(all_hits), found, positives + 1.0)
