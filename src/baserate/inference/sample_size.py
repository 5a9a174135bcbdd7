"""Sample sizes: how many cases a number rests on, and how many a requirement or a comparison
takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import notation
from baserate.conditions import Conditions
from baserate.counts.counts import Counts
from baserate.counts.points import ONLY_RATES
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, Note, number_of, quoted, refuse
from baserate.inference.auc import placed
from baserate.inference.rates import MOST_CASES, normal, rate_interval, special
from baserate.measures.confusion import Confusion, Measure, parse
from baserate.measures.registry import at_one_point
from baserate.numbers import Floats, Undefined, rounded
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import UPPER, checked_level, percent, stated

# ----------------------------------------------------------------------
# Can this test set answer it? On how many cases a number rests, and how many it takes to show a
# requirement.


# A rate that rests on fewer errors than this is known to within a factor of about two at best.
FEW_ERRORS = 10
# Nobody collects more, and beyond it the search around the exact answer gets long.
MOST_SEARCHED = 10**10
# Probabilities are computed to about 13 digits: a tie is shown, and not missed by rounding.
TIE = 1 + 2.0**-40
SENSES = {"tpr": ">=", "fnr": "<=", "tnr": ">=", "fpr": "<="}
WRITE_REQUIREMENT = (
    'require a rate within one class, such as "recall >= 0.9", "fpr <= 1e-5" or "specificity >='
    ' 99%"'
)
WRITE_AT_PRIOR = (
    'require "precision >= 0.2", "npv >= 99.9%", "accuracy >= 95%" or "expected_cost <= 0.05"'
)
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


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
    if isinstance(source, Counts):
        refuse_masses(source.weighted)
        return _supported(
            int(source.total_positives), int(source.total_negatives), None, None, level
        )
    tp, fp, fn, tn = _whole(source)
    notes = (*_remarks("fnr", fn, tp + fn, level), *_remarks("fpr", fp, fp + tn, level))
    return replace(_supported(tp + fn, fp + tn, fn, fp, level), notes=notes)


def _supported(
    positives: int, negatives: int, misses: int | None, false_alarms: int | None, level: float
) -> Support:
    # Where there are no cases at all, nothing is ruled out.
    fnr, fpr = (
        smallest_rate_shown(cases, level=level) if cases else 1.0
        for cases in (positives, negatives)
    )
    return Support(positives, negatives, misses, false_alarms, fnr, fpr, level)


def _remarks(name: str, errors: int, cases: int, level: float) -> Iterator[Note]:
    one, kind, of = (
        ("miss", "misses", "positives")
        if name == "fnr"
        else ("false alarm", "false alarms", "negatives")
    )
    if not cases:
        yield Note("BR587", f"no {of}: nothing is known of {name}")
    elif errors < FEW_ERRORS:
        known = rate_interval(errors, cases, level=level)
        shown = number_of(errors, one, kind) if errors else f"no {kind}"
        text = f"{name} {known.value:.4g} rests on {shown} among {number_of(cases, of[:-1])}"
        bounds = f"{percent(level)} {stated(known)} ({known.method})"
        yield Note("BR587", f"{text}: {bounds}", values={"rests_on": text})


def confusion_of(source: Any) -> Confusion:
    """The outcomes of one operating point."""
    found = source.confusion if isinstance(source, OperatingPoint) else source
    if not isinstance(found, Confusion):
        raise refuse(
            "BR551",
            f"this needs one operating point, got {type(source).__name__}",
            "give a Confusion, or choose(counts)",
        )
    return found


def refuse_masses(weighted: bool) -> None:  # noqa: FBT001
    """Weights say what a case stands for, not how many were seen."""
    if weighted:
        raise refuse(
            "BR583",
            "these cases are weighted: intervals and sample sizes need whole cases, not weights",
            Fix("count without weights", "leave --weight out"),
        )


def _whole(source: Any) -> tuple[int, int, int, int]:
    confusion, point = confusion_of(source), isinstance(source, OperatingPoint)
    if confusion.why_no_prior == ONLY_RATES:
        raise refuse(
            "BR583",
            "only rates are known, but this needs the number of cases",
            "give Counts or a Confusion",
        )
    if any(isinstance(cases, Fraction) for cases in confusion) or (point and source.share != 1):
        raise refuse(
            "BR583",
            "this point flags a share of some cases: its outcomes are expected values, not cases",
            "choose(counts, threshold=…)",
        )
    # What a person typed may be 40.0; what a point flags of weighted counts is a mass even where it
    # happens to be whole.
    refuse_masses(
        any(isinstance(cases, float) and (point or not cases.is_integer()) for cases in confusion)
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


class _Requirement(NamedTuple):
    """A requirement as a limit on the rate of errors in one class."""

    text: str
    name: str
    limit: Fraction

    @property
    def at_most(self) -> float:
        return rounded(self.limit)

    def errors_at(self, expecting: Any) -> Fraction:
        """The rate of errors, where the measure itself is expected to be this."""
        rate = checked_share(expecting, f"expecting, the {self.name} that you count on,")
        return 1 - rate if SENSES[self.name] == ">=" else rate


def cases_needed(
    requirement: str, *, expecting: Any = None, level: float = 0.95, power: float | None = None
) -> int:
    """How many cases of the class does it take to demonstrate this requirement?

    The requirement is on `tpr`, `fnr` (cases are then positives), `tnr` or `fpr` (negatives), and
    it is demonstrated where the one-sided bound of Clopper and Pearson meets it. By default the
    fewest cases that can demonstrate it at all: those with which it is demonstrated when no error
    is seen.

    With `expecting`, the rate that you count on, the number from which on it is demonstrated by
    errors at just that rate, every fraction of a case rounded up to one more error. As errors are
    whole, a smaller number may happen to do, and a larger one then fail again; from the number
    given on, none fails. Luck is left out, good and bad: `power_to_show` says how likely such a
    test set is to demonstrate it.

    With `power` as well, the number from which on the exact probability of showing it never falls
    below `power`.

    >>> import baserate as br
    >>> br.planning.cases_needed("fpr <= 1e-5")
    299572
    >>> br.planning.cases_needed("recall >= 0.9", expecting=0.95), br.planning.cases_needed("recall >= 0.9", expecting=0.95, power=0.8)
    (142, 203)
    """  # noqa: E501
    asked, missed = _read(requirement), _missed(level)
    if expecting is None:
        if power is not None:
            raise refuse(
                "BR585",
                "power depends on the true rate",
                "expecting=0.95, the rate that you expect",
            )
        return _with_none_seen(asked, missed)
    rate, share = asked.errors_at(expecting), None if power is None else checked_power(power)
    if rate >= asked.limit:
        raise refuse(
            "BR585",
            f"expecting {quoted(expecting)} does not satisfy {asked.text} with room to spare: no"
            " number of cases would demonstrate it",
            "expect better than you require, or require less",
        )
    if not rate:
        return _with_none_seen(asked, missed)
    return (
        _at_just_that_rate(asked, rate, missed)
        if share is None
        else _with_power(asked, rate, missed, share)
    )


def power_to_show(requirement: str, *, expecting: Any, cases: int, level: float = 0.95) -> float:
    """How likely is it that this number of cases will demonstrate this requirement?

    The exact binomial probability that the one-sided bound of Clopper and Pearson meets the
    requirement, at the rate that is expected.

    >>> import baserate as br
    >>> round(br.planning.power_to_show("recall >= 0.9", expecting=0.95, cases=100), 4)
    0.436
    """
    asked, missed, whole = _read(requirement), _missed(level), checked_cases(cases, "cases")
    rate = rounded(asked.errors_at(expecting))
    low, high = -1, whole
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high)
            if _chance(middle, whole, asked.at_most) <= missed * TIE
            else (low, middle)
        )
    return float(_chance(low, whole, rate)) if low >= 0 else 0.0


def _read(requirement: Any) -> _Requirement:
    # A volume is given so that a budget is read, and then refused for what it is.
    rule = parse_rule(requirement, MOST_CASES)
    names = [term.measure.name for term in rule.terms]
    if len(names) != 1 or names[0] not in SENSES:
        what = (
            "one requirement at a time"
            if len(names) != 1
            else f"{names[0]} is not a rate within one class, whose cases could be counted"
        )
        raise refuse("BR585", what, WRITE_REQUIREMENT)
    term = rule.terms[0]
    if term.sense != SENSES[names[0]]:
        raise refuse(
            "BR585",
            f"{term} limits the rate from the wrong side",
            f'"{names[0]} {SENSES[names[0]]} …"',
        )
    limit = 1 - term.limit if term.sense == ">=" else term.limit
    if limit == 0:
        raise refuse(
            "BR585",
            f"{term} is demonstrated by no number of cases: the next one may be an error",
            f'leave room for a few: "{names[0]} {term.sense} {"0.999" if term.limit else "0.001"}"',
        )
    if limit == 1:
        raise refuse("BR585", f"{term} holds for any cases", WRITE_REQUIREMENT)
    return _Requirement(str(term), names[0], limit)


def _missed(level: Any) -> float:
    return rounded(1 - notation.meant(checked_level(level)))


def checked_share(
    value: Any, name: str, code: str = "BR585", fix: str = 'write 0.95 or "95%"'
) -> Fraction:
    """A share between 0 and 1, as a number or as it is written ("95%")."""
    found = notation.share(value) if isinstance(value, str) else notation.from_number(value)
    if found is None or not 0 <= found.value <= 1:
        raise refuse(code, f"{name} must be a share between 0 and 1, got {quoted(value)}", fix)
    return found.value


def checked_power(power: Any) -> float:
    """A probability that is neither 0 nor 1; 80 is most likely meant as 0.8."""
    number = isinstance(power, int | float) and not isinstance(power, bool)
    if not number or not 0 < power <= 1 - 1e-9:
        meant = f"power={power / 100:g}" if number and 1 < power < 100 else "power=0.8"
        raise refuse("BR585", f"a power lies between 0 and 1, got {quoted(power)}", meant)
    return float(power)


def checked_cases(value: Any, name: str, least: int = 1) -> int:
    """A whole number of cases."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= MOST_CASES:
        raise refuse(
            "BR585",
            f"{name} must be a whole number, {least} or more, got {quoted(value)}",
            f"{name}=1000",
        )
    return int(value)


def too_many(text: str, most: int, what: str = "cases") -> Exception:
    """What cannot be planned for."""
    return refuse(
        "BR585",
        f"{text} takes more than {f'{most:.0e}'.replace('+0', '').replace('+', '')} {what}",
        "require less, or expect more",
    )


def _with_none_seen(asked: _Requirement, missed: float) -> int:
    """(1 − limit)^n <= missed, with logarithms that are right to the last digits, as n may be
    large.
    """
    exact = math.log(missed) / math.log1p(-asked.at_most)
    if exact > MOST_CASES:
        raise too_many(asked.text, MOST_CASES)
    return math.ceil(exact * (1 - 2.0**-50))


def _at_just_that_rate(asked: _Requirement, rate: Fraction, missed: float) -> int:
    """With x errors go the numbers of cases from above (x − 1) / rate up to x / rate; the last x
    for which the first of them fails.
    """

    def shown_throughout(errors: Integers) -> Flags:
        first = np.array(
            [(x - 1) * rate.denominator // rate.numerator + 1 for x in errors.tolist()]
        )
        return first >= _shown_from(errors, asked.at_most, missed)

    last = _last_failing(shown_throughout, asked, rate)
    # It fails up to where x errors show it, or where one error more is due, whichever comes first.
    return min(
        int(_shown_from(np.array([last]), asked.at_most, missed)[0]),
        last * rate.denominator // rate.numerator + 1,
    )


def _with_power(asked: _Requirement, rate: Fraction, missed: float, power: float) -> int:
    """While x errors are allowed, more cases only bring more of them: the power is lowest just
    before one more is allowed.
    """

    def powerful_throughout(errors: Integers) -> Flags:
        until = _shown_from(errors + 1, asked.at_most, missed) - 1
        return np.asarray(_chance(errors, until, rounded(rate)) >= power)

    last = _last_failing(powerful_throughout, asked, rate)
    return int(_shown_from(np.array([last + 1]), asked.at_most, missed)[0])


def _last_failing(good: Callable[[Integers], Flags], asked: _Requirement, rate: Fraction) -> int:
    """The last number of errors with which something fails; -1 where nothing does.

    Failing turns into succeeding once, but for the rounding to whole cases: by one case more or
    less, which limit · rate / (limit − rate) more errors make up for. So after the turn that
    halving finds, the errors up to twice as far are looked at, one by one.
    """
    width = 64 + math.ceil(2 * asked.limit * rate / (asked.limit - rate))
    high = 1
    while not good(np.array([high]))[0]:
        high *= 2
        if high > MOST_SEARCHED * asked.limit:
            raise too_many(f"{asked.text}, with errors at {rounded(rate):.6g},", MOST_SEARCHED)
    low = high // 2 if high > 1 else -1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(np.array([middle]))[0] else (middle, high)
    while True:
        near = np.arange(low + 1, low + 1 + width)
        last = max(near[~good(near)].tolist(), default=low)
        if last <= low + width // 2:
            return last
        low = last


def _shown_from(errors: Integers, limit: float, missed: float) -> Integers:
    """With how many cases a number of errors begins to demonstrate that the rate is at most the
    limit: P(errors or fewer | limit) <= missed.
    """

    def shown(cases: Floats) -> Flags:
        return np.asarray(_chance(errors, cases, limit) <= missed * TIE)

    # With no more cases than errors it is not; twice as many until it is, and halving.
    low, high = errors.astype(np.float64), np.ceil((errors + 1) / limit)
    while (short := ~shown(high)).any():
        high = np.where(short, 2 * high, high)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = shown(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high, dtype=np.int64)


def _chance(errors: Any, cases: Any, rate: float) -> Any:
    """The binomial probability of as many errors or fewer."""
    return special().betaincc(
        np.add(errors, 1.0), np.subtract(cases, errors, dtype=np.float64), rate
    )


# ----------------------------------------------------------------------
# How many cases a comparison takes: sample sizes for AUC and for pairs, and the smallest difference
# that pairs could have shown.


# The exact power of so many discordant pairs takes a second or two.
MOST_DISCORDANT = 10**8
# Where more concordant pairs are expected, the number of discordant ones varies, and the steps of
# the exact test, two pairs wide, are averaged away.
SMOOTH = 32
# Beyond so many standard deviations there is nothing that a float could add.
REACH = 10
# Numbers of discordant pairs whose power is computed together, and kept.
BLOCK = 256


# AUCs tried between the one required and the one expected.
STEPS = 40


class Cases(NamedTuple):
    """How many cases of each class."""

    positives: int
    negatives: int


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


def cases_for_auc(
    *,
    expecting: Any,
    at_least: Any,
    negatives_per_positive: float = 1.0,
    level: float = 0.95,
    power: float = 0.8,
    counts: Counts | None = None,
) -> Cases:
    """How many cases of each class does it take to demonstrate a lower limit of AUC, if the
    true AUC is higher?

    The fewest with (z_level + z_power) · s <= logit(expecting) − logit(at_least), where s is the
    standard error of logit(AUC): the one-sided bound of DeLong on the logit scale then meets
    `at_least` with about this power. The variance of AUC is that of two exponential distributions
    (Hanley & McNeil 1982, Radiology 143:29-36), or with `counts` from a pilot, what the pilot's
    placements say (DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837-845), whatever their
    distribution. Below a hundred cases of a class this is a first guess, as the normal distribution
    is.

    >>> import baserate as br
    >>> br.planning.cases_for_auc(expecting=0.85, at_least=0.8)
    Cases(positives=237, negatives=237)
    >>> br.planning.cases_for_auc(expecting=0.85, at_least=0.8, negatives_per_positive=10)
    Cases(positives=189, negatives=1890)
    """
    low, high = (
        _checked_auc(value, name)
        for value, name in ((at_least, "at_least"), (expecting, "expecting"))
    )
    if low >= high:
        raise refuse(
            "BR585",
            f"expecting AUC {high:g} does not reach {low:g} with room to spare: no number of cases"
            " would demonstrate it",
            "expect better than you require, or require less",
        )
    ratio, pilot = (
        _checked_ratio(negatives_per_positive),
        None if counts is None else _spread(counts),
    )
    needed = -normal(_missed(level)) + normal(checked_power(power))
    # Near 1 the logit's variance grows without bound, though a better model is never harder to
    # show: the best plan of any AUC on the way.
    ways = [low + (high - low) * step / STEPS for step in range(1, STEPS + 1)]

    def enough(positives: int) -> bool:
        negatives = _negatives(positives, ratio)
        for auc in ways:
            room = (math.log(auc / (1 - auc)) - math.log(low / (1 - low))) * auc * (1 - auc)
            variance = (
                _exponential(auc, positives, negatives)
                if pilot is None
                else pilot[0] / positives + pilot[1] / negatives
            )
            if needed * math.sqrt(variance) <= room:
                return True
        return False

    many = _fewest(enough, 1, f"AUC of {low:g} or more, where it is {high:g},")
    return Cases(many, _negatives(many, ratio))


def _fewest(
    enough: Callable[[int], bool], few: int, text: str, ratio: Fraction | None = None
) -> int:
    """The fewest positives that are enough, more than `few`: twice as many until they are, then by
    halving. With a `ratio`, the negatives that go with them count too for what is too many.
    """
    many = few + 1
    while not enough(many):
        few, many = many, 2 * many
        if max(many, 0 if ratio is None else _negatives(many, ratio)) > MOST_SEARCHED:
            raise too_many(text, MOST_SEARCHED)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def _checked_auc(value: Any, name: str) -> float:
    share = checked_share(value, name)
    if not Fraction(1, 2) <= share < 1:
        raise refuse(
            "BR585", f"{name} is an AUC from 0.5 to below 1, got {quoted(value)}", f"{name}=0.85"
        )
    return rounded(share)


def _checked_ratio(value: Any) -> Fraction:
    found = notation.from_number(value)
    if found is None or not Fraction(1, 10**9) <= found.value <= 10**9:
        raise refuse(
            "BR585",
            f"negatives_per_positive must be a number above 0, got {quoted(value)}",
            "negatives_per_positive=10",
        )
    return found.value


def _negatives(positives: int, ratio: Fraction) -> int:
    return max(2, math.ceil(positives * ratio))


def _exponential(auc: float, positives: int, negatives: int) -> float:
    """Hanley and McNeil's variance of an AUC."""
    two_positives, two_negatives = auc / (2 - auc) - auc**2, 2 * auc**2 / (1 + auc) - auc**2
    return (auc * (1 - auc) + (positives - 1) * two_positives + (negatives - 1) * two_negatives) / (
        positives * negatives
    )


def _spread(counts: Counts) -> tuple[float, float]:
    """The variance of the placements within each class of a pilot."""
    if not isinstance(counts, Counts):
        raise refuse(
            "BR585",
            f"a pilot is given as Counts, got {type(counts).__name__}",
            "counts=count(y_true, y_score)",
        )
    refuse_masses(counts.weighted)
    if min(counts.total_positives, counts.total_negatives) < 2:
        raise refuse("BR585", "a pilot needs two cases of each class or more", "leave counts out")
    known = placed(counts)
    if not known.variance:
        raise refuse(
            "BR585",
            "the pilot separates the classes without error, so its variance is 0",
            "leave counts out",
        )
    return known.of_positives, known.of_negatives


def cases_for_mcnemar(
    *, discordant: Any, difference: Any, level: float = 0.95, power: float = 0.8
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
        raise refuse(
            "BR585",
            "there is no difference to find",
            "difference=0.01, the smallest that would matter",
        )
    if ahead > apart:
        raise refuse(
            "BR585",
            f"where {rounded(apart):g} of the pairs are discordant, the models do not differ by"
            f" {rounded(ahead):g}",
            "give a difference that is at most the share of discordant pairs",
        )
    missed, share = _missed(level), checked_power(power)
    psi, delta = rounded(apart), rounded(ahead)
    spread = -normal(missed / 2) * math.sqrt(psi) + normal(share) * math.sqrt(psi - delta**2)
    start = max(1, math.ceil((spread / delta) ** 2)) if spread > 0 else 1
    if start * psi > MOST_DISCORDANT:
        raise too_many(f"a difference of {delta:g}", MOST_DISCORDANT, "discordant pairs")
    return _first_for_good(
        _Pairs(psi, (1 - ahead / apart) / 2, missed), share, start, math.ceil(1 / ahead)
    )


def smallest_detectable(
    pairs: int, *, level: float = 0.95, power: float = 0.8, cases: int | None = None
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
    missed, share, apart = _missed(level), checked_power(power), checked_cases(pairs, "pairs", 0)
    whole = None if cases is None else checked_cases(cases, "cases")
    if whole is not None and whole < apart:
        raise refuse(
            "BR585",
            f"of {whole} cases, {apart} cannot be discordant",
            "cases=, all that both models scored",
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


class _Pairs:
    """The exact power of McNemar's test for a number of cases, over what chance makes of the number
    of discordant pairs.
    """

    def __init__(self, discordant: float, other: Fraction, missed: float) -> None:
        self.discordant, self.other, self.missed = discordant, rounded(other), missed
        self.known: dict[int, Floats] = {}

    def varies(self, cases: int) -> float:
        return math.sqrt(cases * self.discordant * (1 - self.discordant))

    def power(self, cases: int) -> float:
        reach = REACH * self.varies(cases) + 2 * REACH
        low = max(0, round(cases * self.discordant - reach))
        high = min(cases, round(cases * self.discordant + reach))
        pairs = np.arange(low, high + 1)
        return float(binomial(pairs, cases, self.discordant) @ self._declared(pairs, cases))

    def _declared(self, pairs: Any, cases: int) -> Floats:  # noqa: ARG002 (not of all cases)
        """The probability that the better model is declared so, for each number of discordant
        pairs; kept in blocks, as the search reads it again.
        """
        first, last = int(pairs[0]) // BLOCK, int(pairs[-1]) // BLOCK
        for block in range(first, last + 1):
            if block not in self.known:
                some = np.arange(block * BLOCK, (block + 1) * BLOCK)
                self.known[block] = _declared(some, self.other, self.missed)
        known = np.concatenate([self.known[block] for block in range(first, last + 1)])
        return np.asarray(known[pairs - first * BLOCK])


class _Within(_Pairs):
    """The same for the interval of Bonett and Price within a margin; `other` is the share of the
    discordant pairs that the candidate loses.
    """

    def __init__(self, discordant: float, other: Fraction, missed: float, margin: float) -> None:
        super().__init__(discordant, other, missed)
        self.margin = margin

    def _declared(self, pairs: Any, cases: int) -> Floats:
        """P(upper end <= margin): a quadratic in the difference, for each number of discordant
        pairs.
        """
        whole, square, most = cases + 2, normal(self.missed / 2) ** 2, self.margin
        under = (most * whole) ** 2 - (whole + square) * (
            most**2 * whole - square * (pairs + 2) / whole
        )
        ends = (most * whole - np.sqrt(np.maximum(under, 0.0))) / (whole + square)
        lost = np.floor((ends * whole + pairs) / 2 + 2.0**-30)
        inside = np.clip(lost, 0, np.maximum(pairs - 1, 0))
        chance = special().betaincc(inside + 1.0, np.maximum(pairs - inside, 1.0), self.other)
        return np.where(lost < 0, 0.0, np.where(lost >= pairs, 1.0, chance))


def binomial(numbers: Any, cases: int, rate: float) -> Floats:
    """The probabilities of these consecutive numbers, which are all that matter."""
    logs = (
        special().xlogy(numbers, rate)
        + special().xlog1py(cases - numbers, -rate)
        - special().gammaln(numbers + 1)
        - special().gammaln(cases - numbers + 1)
    )
    chance = np.exp(logs - logs.max())
    # What large logarithms lose is common to all, and goes away here.
    return np.asarray(chance / chance.sum())


def _declared(pairs: Any, other: float, missed: float) -> Floats:
    fewer = _most_fewer(pairs, missed)
    return np.where(
        fewer >= 0,
        special().betaincc(np.maximum(fewer, 0) + 1.0, pairs - np.maximum(fewer, 0), other),
        0.0,
    )


def _most_fewer(pairs: Any, missed: float) -> Any:
    """The most pairs of the other model with which the two-sided test still rejects: 2 · P(as many
    or fewer | ½) < missed; -1 for none.
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


def _first_for_good(pairs: _Pairs, power: float, start: int, step: int) -> int:
    """The number of cases from which on the power is reached: enclosed, halved, and where it rises
    in steps, looked at one by one.
    """
    low, high = 0, max(1, start - step)
    while pairs.power(high) < power:
        low, high = high, high + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pairs.power(middle) >= power else (middle, high)
    while high * (1 - pairs.discordant) < SMOOTH:
        # A step of the exact test is made up for by about 4 / difference more cases: twice as far
        # is looked at.
        ahead = range(high, high + 64 + 8 * step)
        failing = max((cases for cases in ahead if pairs.power(cases) < power), default=low)
        if failing < high:
            break
        low, high = failing, failing + 1
    return high


# ----------------------------------------------------------------------
# How many cases it takes to demonstrate what mixes both classes at a base rate: precision, npv,
# accuracy, a cost. Such a requirement is a straight line in the ROC plane.


# Nodes of the integral over one rate, and the numbers of false alarms at which the fewest hits are
# found: between them it is a smooth line.
NODES = 48
GRID = 65
# Between points of the grid, hits are found to this part of one.
FINE = 16
# Beyond this number of standard deviations, false alarms do not change the power.
WIDE = 6
# Looked at beyond the number found, as whole cases make the power rise in small steps.
AHEAD = 8


class _Line(NamedTuple):
    """A requirement as "tpr >= start + slope · fpr"."""

    text: str
    start: float
    slope: float

    def holds(self, tpr: float, fpr: float) -> bool:
        return tpr > self.start + self.slope * fpr


def cases_at_prior(
    requirement: str,
    *,
    expecting: Mapping[str, Any],
    at: Conditions,
    level: float = 0.95,
    power: float = 0.8,
    negatives_per_positive: float = 1,
) -> Cases:
    """How many cases of each class does it take to demonstrate this at a base rate?

    The requirement is on what depends on both classes: "precision >= 0.2", "npv >= 99.9%",
    "accuracy >= 95%", "expected_cost <= 0.05" at the costs of `at`. `expecting` are the rates that
    you count on, {"tpr": 0.9, "fpr": 0.01}. It is demonstrated where the one-sided bound that
    `interval` and `require` give ("safe-draws") meets it; the power is summed over the binomial
    numbers of hits and false alarms.

    >>> from baserate import Conditions
    >>> from baserate.inference.sample_size import cases_at_prior
    >>> rates = {"tpr": 0.9, "fpr": 0.01}
    >>> cases_at_prior("precision >= 0.2", expecting=rates, at=Conditions(prior=0.005))
    Cases(positives=1470, negatives=1470)
    """
    line, (tpr, fpr) = _line_of(requirement, at), _expected(expecting)
    missed, share, ratio = (
        _missed(level),
        checked_power(power),
        _checked_ratio(negatives_per_positive),
    )
    if not line.holds(tpr, fpr):
        raise refuse(
            "BR585",
            f"tpr {tpr:g} and fpr {fpr:g} do not satisfy {line.text} with room to spare: no number"
            " of cases would demonstrate it",
            "expect better than you require, or require less",
        )

    def enough(positives: int) -> bool:
        cases = Cases(positives, _negatives(positives, ratio))
        return _power_of_line(line, cases, (tpr, fpr), missed) >= share

    many = _fewest(enough, 0, f"{line.text}, with tpr {tpr:g} and fpr {fpr:g},", ratio)
    while failing := [many + more for more in range(1, AHEAD + 1) if not enough(many + more)]:
        many = failing[-1] + 1
    return Cases(many, _negatives(many, ratio))


def power_at_prior(
    requirement: str,
    *,
    expecting: Mapping[str, Any],
    at: Conditions,
    positives: int,
    negatives: int,
    level: float = 0.95,
) -> float:
    """How likely are these cases to demonstrate the requirement at a base rate?

    >>> from baserate import Conditions
    >>> from baserate.inference.sample_size import power_at_prior
    >>> at, rates = Conditions(prior=0.005), {"tpr": 0.9, "fpr": 0.01}
    >>> power = power_at_prior(
    ...     "precision >= 0.2", expecting=rates, at=at, positives=200, negatives=5000
    ... )
    >>> round(power, 3)
    0.999
    """
    cases = Cases(checked_cases(positives, "positives"), checked_cases(negatives, "negatives"))
    return _power_of_line(_line_of(requirement, at), cases, _expected(expecting), _missed(level))


def _expected(expecting: Any) -> tuple[float, float]:
    """The rates of errors that are counted on, under any of their names."""
    found: dict[str, Fraction] = {}
    for name, value in expecting.items() if isinstance(expecting, Mapping) else ():
        known = parse(name).name
        rate = checked_share(value, f"expecting {name}")
        if known in ("tpr", "fpr"):
            found[known] = rate
        elif known in ("fnr", "tnr"):
            found["tpr" if known == "fnr" else "fpr"] = 1 - rate
    if len(found) != 2 or len(expecting) != 2:
        raise refuse(
            "BR585",
            "what is expected must be a recall and a false positive rate",
            Fix('expecting={"tpr": 0.9, "fpr": 0.01}', "--expect tpr=0.9,fpr=0.01"),
        )
    return rounded(found["tpr"]), rounded(found["fpr"])


def _line_of(requirement: str, at: Conditions) -> _Line:
    """Numerator less limit times denominator is a sum of outcomes: linear in tpr and fpr."""
    rule = parse_rule(requirement, MOST_CASES)
    term, (parts, parameters) = rule.terms[0], _parts(rule.terms[0].measure)
    if len(rule.terms) != 1 or parts is None:
        what = "one requirement at a time" if parts else f"{term.measure} cannot be planned for"
        raise refuse("BR585", what, WRITE_AT_PRIOR)
    if at.prior is None:
        raise refuse(
            "BR585",
            f"{term.measure} depends on the base rate",
            Fix("at=Conditions(prior=0.001)", "--prior 0.1%"),
        )
    sign = 1 if term.sense == ">=" else -1

    def above(tpr: int, fpr: int) -> Fraction:
        counted = (Fraction(tpr), Fraction(fpr), Fraction(1 - tpr), Fraction(1 - fpr))
        weight = (1 - at.exact_prior) / at.exact_prior
        over, under = parts(at_one_point(counted, weight, at), **parameters)
        return Fraction(sign * (over - term.limit * under))

    none, hit, alarm = above(0, 0), above(1, 0), above(0, 1)
    if hit <= none or alarm >= none:
        raise refuse(
            "BR585",
            f"{term} is not demonstrated by more hits and fewer false alarms",
            WRITE_AT_PRIOR,
        )
    return _Line(str(term), rounded(-none / (hit - none)), rounded((none - alarm) / (hit - none)))


def _parts(measure: Measure) -> tuple[Any, dict[str, float]]:
    usable = not measure.counts_cases and measure.depends_on_prior
    return (measure.parts if usable else None), dict(measure.parameters)


def _power_of_line(line: _Line, cases: Cases, rates: tuple[float, float], missed: float) -> float:
    """The probability that the bound meets the requirement, over hits and false alarms."""
    (positives, negatives), (tpr, fpr) = cases, rates
    reach = WIDE * math.sqrt(negatives * fpr * (1 - fpr)) + WIDE
    low = max(0, round(negatives * fpr - reach))
    high = min(negatives, round(negatives * fpr + reach))
    alarms = np.arange(low, high + 1.0) if 0 < fpr < 1 else np.array([negatives * fpr])
    grid = np.unique(np.linspace(alarms[0], alarms[-1], GRID).round())
    step = 1.0 if len(grid) == len(alarms) else 1 / FINE
    needed = np.interp(alarms, grid, _fewest_hits(line, cases, grid, missed, step))
    whole = np.ceil(needed - 1e-9)
    inside = np.clip(whole, 1, positives)
    reached = special().betainc(inside, positives - inside + 1, tpr)
    reached = np.where(whole > positives, 0.0, np.where(whole < 1, 1.0, reached))
    chance = binomial(alarms, negatives, fpr) if len(alarms) > 1 else np.ones(1)
    return float(chance @ reached)


def _fewest_hits(line: _Line, cases: Cases, alarms: Floats, missed: float, step: float) -> Floats:
    """With these false alarms, the hits from which on the bound meets the requirement, in steps of
    a hit or a part of one; one more than there are positives where none do.

    The bound is that of "safe-draws": P(requirement fails) <= missed, where tpr and fpr are drawn
    as Clopper and Pearson bound them, Beta(tp, fn + 1) and Beta(fp + 1, tn).
    """
    positives, negatives = cases
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    rest = np.maximum(negatives - alarms, 1e-9)[:, None]
    fpr = special().betaincinv(alarms[:, None] + 1, rest, (nodes + 1) / 2)
    least = np.clip(line.start + line.slope * fpr, 0, 1)

    def fails(hits: Floats) -> Floats:
        chance = special().betainc(
            np.maximum(hits, 1e-9)[:, None], positives - hits[:, None] + 1, least
        )
        return np.asarray(chance @ weights / 2)

    low, high = np.zeros(len(alarms)), np.full(len(alarms), float(positives))
    never = fails(high) > missed * TIE
    while (high - low).max() > step:
        middle = np.floor((low + high) / (2 * step)) * step
        enough = fails(middle) <= missed * TIE
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(never, positives + 1.0, high)


# ----------------------------------------------------------------------
# Non-inferiority of one model to another on the same cases.


def cases_for_margin(
    *, discordant: Any, margin: Any, difference: Any = 0, level: float = 0.95, power: float = 0.8
) -> int:
    """How many cases, scored by both models, does it take to demonstrate that one is not worse than
    the other by more than a margin?

    `discordant` is the share of cases that only one of the two gets right; `difference` is how much
    worse the candidate really is (0: as good). It is demonstrated where the interval of Bonett and
    Price that `compare` and `baserate gate --margin` give lies within the margin: the end of a
    two-sided interval, so 95 % is 97.5 % on that side. The power is summed over the trinomial
    numbers of discordant pairs, around the normal formula (z + z')²·(ψ − δ²)/(m − δ)² (Liu et al.
    2002, Statistics in Medicine 21:231-245).

    >>> from baserate.inference.sample_size import cases_for_margin
    >>> cases_for_margin(discordant=0.1, margin=0.03)
    885
    """
    apart, most = checked_share(discordant, "discordant"), checked_share(margin, "margin")
    worse = checked_share(difference, "difference")
    if worse >= most:
        raise refuse(
            "BR585",
            f"a candidate that is {rounded(worse):g} worse is not within {rounded(most):g}",
            "a larger margin, or a smaller difference",
        )
    if worse > apart or not apart:
        raise refuse(
            "BR585",
            f"where {rounded(apart):g} of the pairs are discordant, the models do not differ by"
            f" {rounded(worse):g}",
            "discordant=0.1, the share that only one model gets right",
        )
    missed, share = _missed(level), checked_power(power)
    psi, delta, room = rounded(apart), rounded(worse), rounded(most - worse)
    spread = -normal(missed / 2) + normal(share)
    start = max(1, math.ceil(spread**2 * (psi - delta**2) / room**2)) if spread > 0 else 1
    if start * psi > MOST_DISCORDANT:
        raise too_many(f"a margin of {rounded(most):g}", MOST_DISCORDANT, "discordant pairs")
    pairs = _Within(psi, (1 + worse / apart) / 2, missed, rounded(most))
    return _first_for_good(pairs, share, start, math.ceil(1 / most))
