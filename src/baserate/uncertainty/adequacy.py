"""Can this test set answer it? On how many cases a number rests, and how many it takes to show a requirement."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate import notations
from baserate.arithmetic import rounded
from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.decisions.rules import parse_rule
from baserate.errors import Fix, number_of, quoted, refuse
from baserate.exact import Floats
from baserate.measures.confusions import Confusion
from baserate.notes import Note
from baserate.points import ONLY_RATES
from baserate.uncertainty.rates import MOST_CASES, rate_interval
from baserate.uncertainty.values import UPPER, checked_level, percent, stated

# A rate that rests on fewer errors than this is known to within a factor of about two at best.
FEW_ERRORS = 10
# Nobody collects more, and beyond it the search around the exact answer gets long.
MOST_SEARCHED = 10**10
# Probabilities are computed to about 13 digits: a tie is shown, and not missed by rounding.
TIE = 1 + 2.0**-40
SENSES = {"tpr": ">=", "fnr": "<=", "tnr": ">=", "fpr": "<="}
WRITE_REQUIREMENT = 'require a rate within one class, such as "recall >= 0.9", "fpr <= 1e-5" or "specificity >= 99%"'
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Support:
    """On how many cases does this rest, and what could so many show at best?

    `misses` and `false_alarms` are None where no point was given. `smallest_fnr_shown` and `smallest_fpr_shown` are the bounds when no
    error at all is seen: with so few cases, nothing smaller can be shown.
    """

    positives: int
    negatives: int
    misses: int | None
    false_alarms: int | None
    smallest_fnr_shown: float
    smallest_fpr_shown: float
    level: float = 0.95
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)


def support(source: Confusion | OperatingPoint | Counts, *, level: float = 0.95) -> Support:
    """How many false alarms and misses support this point, and what is the smallest rate that these cases can show?

    Of `Counts` only the class totals are read. A note says where fewer than ten errors support a rate, and how well it is known then.

    >>> import baserate as br
    >>> found = br.support(br.Confusion(tp=95, fp=0, fn=5, tn=40_000))
    >>> found.misses, found.false_alarms, f"{found.smallest_fpr_shown:.6g}"
    (5, 0, '7.48905e-05')
    >>> print(found.notes[0])
    BR587: 5 misses among 100 positives support fnr 0.05: 95 % from 0.01643 to 0.1128 (clopper-pearson)
    """
    level = checked_level(level)
    if isinstance(source, Counts):
        refuse_masses(source.weighted)
        return _supported(int(source.total_positives), int(source.total_negatives), None, None, level)
    tp, fp, fn, tn = _whole(source)
    notes = (*_remarks("fnr", fn, tp + fn, level), *_remarks("fpr", fp, fp + tn, level))
    return replace(_supported(tp + fn, fp + tn, fn, fp, level), notes=notes)


def _supported(positives: int, negatives: int, misses: int | None, false_alarms: int | None, level: float) -> Support:
    # Where there are no cases at all, nothing is ruled out.
    fnr, fpr = (smallest_rate_shown(cases, level=level) if cases else 1.0 for cases in (positives, negatives))
    return Support(positives, negatives, misses, false_alarms, fnr, fpr, level)


def _remarks(name: str, errors: int, cases: int, level: float) -> Iterator[Note]:
    one, kind, of = ("miss", "misses", "positives") if name == "fnr" else ("false alarm", "false alarms", "negatives")
    if not cases:
        yield Note("BR587", f"no {of}: nothing is known of {name}")
    elif errors < FEW_ERRORS:
        known = rate_interval(errors, cases, level=level)
        shown = number_of(errors, one, kind) if errors else f"no {kind}"
        text = f"{shown} among {number_of(cases, of[:-1])} support{'' if errors > 1 else 's'} {name} {known.value:.4g}"
        yield Note("BR587", f"{text}: {percent(level)} {stated(known)} ({known.method})")


def confusion_of(source: Any) -> Confusion:
    """The outcomes of one operating point."""
    found = source.confusion if isinstance(source, OperatingPoint) else source
    if not isinstance(found, Confusion):
        raise refuse("BR551", f"this is asked of one operating point, got {type(source).__name__}", "give a Confusion, or choose(counts)")
    return found


def refuse_masses(weighted: bool) -> None:  # noqa: FBT001
    """Weights say what a case stands for, not how many were seen."""
    if weighted:
        text = "these cases are weighted: intervals and sample sizes need whole cases, not weights"
        raise refuse("BR583", text, Fix("count without weights", "leave --weight out"))


def _whole(source: Any) -> tuple[int, int, int, int]:
    confusion, point = confusion_of(source), isinstance(source, OperatingPoint)
    if confusion.why_no_prior == ONLY_RATES:
        raise refuse("BR583", "only rates are known: what they rest on is the number of cases", "give Counts or a Confusion")
    if any(isinstance(cases, Fraction) for cases in confusion) or (point and source.share != 1):
        text = "this point flags a share of some cases: its outcomes are expected values, not cases"
        raise refuse("BR583", text, "flag_at(counts, threshold)")
    # What a person typed may be 40.0; what a point flags of weighted counts is a mass even where it happens to be whole.
    refuse_masses(any(isinstance(cases, float) and (point or not cases.is_integer()) for cases in confusion))
    tp, fp, fn, tn = (int(cases) for cases in confusion)
    return tp, fp, fn, tn


def smallest_rate_shown(cases: int, *, level: float = 0.95) -> float:
    """What is the smallest rate that so many cases can show?

    1 − (1 − level)^(1/cases): the one-sided bound of Clopper and Pearson when none is seen, close to 3 / cases ("rule of three", Hanley &
    Lippman-Hand 1983, JAMA 249:1743-1745).

    >>> import baserate as br
    >>> f"{br.smallest_rate_shown(40_000):.6g}"
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


def cases_needed(requirement: str, *, expecting: Any = None, level: float = 0.95, power: float | None = None) -> int:
    """How many cases of the class does it take to show this requirement?

    The requirement is on `tpr`, `fnr` (cases are then positives), `tnr` or `fpr` (negatives), and it is shown where the one-sided bound of
    Clopper and Pearson meets it. By default the fewest cases that can show it at all: those with which it is shown when no error is seen.

    With `expecting`, the rate that you count on, the number from which on it is shown by errors at just that rate, every fraction of a
    case rounded up to one more error. As errors are whole, a smaller number may happen to do, and a larger one then fail again; from the
    number given on, none fails. Luck is left out, good and bad: `power_to_show` says how likely such a test set is to show it.

    With `power` as well, the number from which on the exact probability of showing it never falls below `power`.

    >>> import baserate as br
    >>> br.cases_needed("fpr <= 1e-5")
    299572
    >>> br.cases_needed("recall >= 0.9", expecting=0.95), br.cases_needed("recall >= 0.9", expecting=0.95, power=0.8)
    (142, 203)
    """
    asked, missed = _read(requirement), _missed(level)
    if expecting is None:
        if power is not None:
            raise refuse("BR585", "a power depends on the rate that is really there", "expecting=0.95, the rate that you count on")
        return _with_none_seen(asked, missed)
    rate, share = asked.errors_at(expecting), None if power is None else checked_power(power)
    if rate >= asked.limit:
        text = f"expecting {quoted(expecting)} does not keep {asked.text} with room to spare: no number of cases would show it"
        raise refuse("BR585", text, "expect better than you require, or require less")
    if not rate:
        return _with_none_seen(asked, missed)
    return _at_just_that_rate(asked, rate, missed) if share is None else _with_power(asked, rate, missed, share)


def power_to_show(requirement: str, *, expecting: Any, cases: int, level: float = 0.95) -> float:
    """How likely is it that so many cases of the class will show this requirement?

    The exact binomial probability that the one-sided bound of Clopper and Pearson meets the requirement, at the rate that is expected.

    >>> import baserate as br
    >>> round(br.power_to_show("recall >= 0.9", expecting=0.95, cases=100), 4)
    0.436
    """
    asked, missed, whole = _read(requirement), _missed(level), checked_cases(cases, "cases")
    rate = rounded(asked.errors_at(expecting))
    low, high = -1, whole
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _chance(middle, whole, asked.at_most) <= missed * TIE else (low, middle)
    return float(_chance(low, whole, rate)) if low >= 0 else 0.0


def _read(requirement: Any) -> _Requirement:
    # A volume is given so that a budget is read, and then refused for what it is.
    rule = parse_rule(requirement, MOST_CASES)
    names = [term.measure.name for term in rule.terms]
    if len(names) != 1 or names[0] not in SENSES:
        what = "one requirement at a time" if len(names) != 1 else f"{names[0]} is no rate within one class, whose cases could be counted"
        raise refuse("BR585", what, WRITE_REQUIREMENT)
    term = rule.terms[0]
    if term.sense != SENSES[names[0]]:
        fix = f'"{names[0]} {SENSES[names[0]]} …"'
        raise refuse("BR585", f"{term} asks for errors, which nobody needs to show", fix)
    limit = 1 - term.limit if term.sense == ">=" else term.limit
    if limit == 0:
        less = f'leave room for a few: "{names[0]} {term.sense} {"0.999" if term.limit else "0.001"}"'
        raise refuse("BR585", f"{term} is shown by no number of cases: the next one may be an error", less)
    if limit == 1:
        raise refuse("BR585", f"{term} holds whatever the cases say", WRITE_REQUIREMENT)
    return _Requirement(str(term), names[0], limit)


def _missed(level: Any) -> float:
    return rounded(1 - notations.meant(checked_level(level)))


def checked_share(value: Any, name: str) -> Fraction:
    """A share between 0 and 1, as a number or as it is written ("95%")."""
    found = notations.share(value) if isinstance(value, str) else notations.from_number(value)
    if found is None or not 0 <= found.value <= 1:
        raise refuse("BR585", f"{name} must be a share between 0 and 1, got {quoted(value)}", 'write 0.95 or "95%"')
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
        raise refuse("BR585", f"{name} must be a whole number, {least} or more, got {quoted(value)}", f"{name}=1000")
    return int(value)


def too_many(text: str, most: int, what: str = "cases") -> Exception:
    """What cannot be planned for."""
    return refuse("BR585", f"{text} takes more than {f'{most:.0e}'.replace('+0', '').replace('+', '')} {what}", "require less, or expect more")


def _with_none_seen(asked: _Requirement, missed: float) -> int:
    """(1 − limit)^n <= missed, with logarithms that are right to the last digits, as n may be large."""
    exact = math.log(missed) / math.log1p(-asked.at_most)
    if exact > MOST_CASES:
        raise too_many(asked.text, MOST_CASES)
    return math.ceil(exact * (1 - 2.0**-50))


def _at_just_that_rate(asked: _Requirement, rate: Fraction, missed: float) -> int:
    """With x errors go the numbers of cases from above (x − 1) / rate up to x / rate; the last x for which the first of them fails."""

    def shown_throughout(errors: Integers) -> Flags:
        first = np.array([(x - 1) * rate.denominator // rate.numerator + 1 for x in errors.tolist()])
        return first >= _shown_from(errors, asked.at_most, missed)

    last = _last_failing(shown_throughout, asked, rate)
    # It fails up to where x errors show it, or where one error more is due, whichever comes first.
    return min(int(_shown_from(np.array([last]), asked.at_most, missed)[0]), last * rate.denominator // rate.numerator + 1)


def _with_power(asked: _Requirement, rate: Fraction, missed: float, power: float) -> int:
    """While x errors are allowed, more cases only bring more of them: the power is lowest just before one more is allowed."""

    def powerful_throughout(errors: Integers) -> Flags:
        until = _shown_from(errors + 1, asked.at_most, missed) - 1
        return np.asarray(_chance(errors, until, rounded(rate)) >= power)

    last = _last_failing(powerful_throughout, asked, rate)
    return int(_shown_from(np.array([last + 1]), asked.at_most, missed)[0])


def _last_failing(good: Callable[[Integers], Flags], asked: _Requirement, rate: Fraction) -> int:
    """The last number of errors with which something fails; -1 where nothing does.

    Failing turns into succeeding once, but for the rounding to whole cases: by one case more or less, which limit · rate / (limit − rate)
    more errors make up for. So after the turn that halving finds, the errors up to twice as far are looked at, one by one.
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
    """With how many cases so many errors begin to show that the rate is at most the limit: P(errors or fewer | limit) <= missed."""
    from scipy.special import ndtri

    def shown(cases: Floats) -> Flags:
        return np.asarray((cases > errors) & (_chance(errors, cases, limit) <= missed * TIE))

    # Close to the answer already: Poisson's by Wilson and Hilferty, moved to the binomial. Then outwards until it is enclosed, and halving.
    one_more = errors + 1.0
    expected = one_more * (1 - 1 / (9 * one_more) - float(ndtri(missed)) / (3 * np.sqrt(one_more))) ** 3
    guess = np.maximum(np.floor(expected * (1 / limit - 0.5) + errors / 2), one_more)
    low, high, step = guess - 1, guess + 1, 1
    while (over := shown(low)).any():
        low, step = np.where(over, np.maximum(low - step, errors), low), 2 * step
    while (short := ~shown(high)).any():
        high, step = np.where(short, high + step, high), 2 * step
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        enough = shown(middle)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high, dtype=np.int64)


def _chance(errors: Any, cases: Any, rate: float) -> Any:
    """The binomial probability of so many errors or fewer."""
    from scipy.special import betaincc

    return betaincc(np.add(errors, 1.0), np.subtract(cases, errors, dtype=np.float64), rate)
