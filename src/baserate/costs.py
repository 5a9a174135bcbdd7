"""What each outcome costs. A reward is a negative cost."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from baserate.arithmetic import exactly, rounded
from baserate.errors import Fix, InputError, quoted, refuse
from baserate.notations import number

# Beyond this, products of costs and counts would leave the range of floats.
LARGEST = 2 * Fraction(10) ** 100
THOUSANDS = re.compile(r"\d{3}(\.\d*)?")  # what stands behind the comma of 1,234.5
WRITE_COSTS = Fix("Costs(fp=1, fn=100)", "--cost fn=100,fp=1")


@dataclass(frozen=True)
class Costs:
    """What do a false positive, a false negative, a true positive and a true negative cost?

    `fp` is C(−,+), `fn` is C(+,−), `tp` is C(+,+), `tn` is C(−,−) of a cost matrix; a reward is negative. Missing a positive must cost
    more than catching it, and a false alarm more than leaving a negative alone: otherwise no threshold means anything.

    >>> from baserate import Costs
    >>> Costs(fp=1, fn=100, tp=-1).threshold
    0.00980392156862745
    """

    fp: float = 1
    fn: float = 1
    tp: float = 0
    tn: float = 0
    earned: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            _check_number(field.name, value)
            plain = value.item() if isinstance(value, np.generic) and not isinstance(value, np.longdouble) else value
            object.__setattr__(self, field.name, plain if isinstance(plain, int | float) else exactly(plain))
        if 0 < max(abs(exactly(getattr(self, field.name))) for field in fields(self)) < 1 / LARGEST:
            raise refuse("BR514", "all costs are next to nothing, which floats cannot weigh", "use another unit, so that costs are near 1")
        if self.fn == self.tp or self.fp == self.tn:
            wrong = "positive" if self.fn == self.tp else "negative"
            raise refuse("BR512", f"degenerate costs: flagging and not flagging cost the same for every {wrong}", WRITE_COSTS)
        profits = Fix("if these are profits: Costs.from_profits(...)", "if these are profits: --profit instead of --cost")
        if self.fn < self.tp:
            text = f"fn cost {float(self.fn):g} < tp cost {float(self.tp):g}: missing a positive would be better than catching it"
            raise refuse("BR510", text, profits)
        if self.fp < self.tn:
            text = f"fp cost {float(self.fp):g} < tn cost {float(self.tn):g}: a false alarm would be better than leaving a negative alone"
            raise refuse("BR511", text, profits)

    @classmethod
    def from_profits(cls, *, fp: float = 0, fn: float = 0, tp: float = 0, tn: float = 0) -> Costs:
        """Costs from what each outcome earns.

        >>> from baserate import Costs
        >>> Costs.from_profits(tp=95, fp=-5)
        Costs.from_profits(fp=-5, fn=0, tp=95, tn=0)
        >>> Costs.from_profits(tp=95, fp=-5) == Costs(fp=5, fn=0, tp=-95)
        True
        """
        for name, value in (("fp", fp), ("fn", fn), ("tp", tp), ("tn", tn)):
            _check_number(name, value)
        return _Profits(*(0 - (value if isinstance(value, int | float) else exactly(value)) for value in (fp, fn, tp, tn)))

    @classmethod
    def told(cls, costs: Mapping[str, float], *, earned: bool) -> Costs:
        """Costs by name, told as earnings where they were given so."""
        return _Profits(**costs) if earned else cls(**costs)

    @classmethod
    def parse(cls, text: str, *, profits: bool = False) -> Costs:
        """Costs as people write them: "fn=100,fp=1"; what is not named keeps its default.

        >>> from baserate import Costs
        >>> Costs.parse("fn=100, fp=1")
        Costs(fp=1, fn=100, tp=0, tn=0)
        """
        if not isinstance(text, str) or len(text) > 1000:
            raise refuse("BR513", f"costs are parsed from text, got {type(text).__name__}", WRITE_COSTS)
        values: dict[str, float] = {}
        last = spelled = ""
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals and values and THOUSANDS.fullmatch(part):
                raise _no_plain_number(last, f"{spelled},{part}")
            if not equals:
                what = "a bare list of costs has no order that everybody shares" if number(part) is not None else f"cannot read {quoted(part)}"
                raise refuse("BR513", what, WRITE_COSTS)
            name = _known(name.casefold())
            if name in values:
                raise refuse("BR513", f"the cost of {name} is given twice", WRITE_COSTS)
            last, spelled = name, value
            values[name] = _amount(name, value)
        return cls.from_profits(**values) if profits else cls(**values)

    @property
    def ratio(self) -> float:
        """The cost of flagging a negative in units of the cost of missing a positive: (fp − tn) / (fn − tp)."""
        return rounded(self.false_alarm / self.miss)

    @property
    def threshold(self) -> float:
        """Flag where a calibrated probability lies above this: (fp − tn) / ((fp − tn) + (fn − tp)). Elkan 2001, IJCAI:973-978.

        At the threshold itself both cost the same. Tan et al. (5.83) is the case of tp = tn = 0; below 0.5 whenever a miss costs more.
        """
        return rounded(self.false_alarm / (self.false_alarm + self.miss))

    @property
    def alpha(self) -> float:
        """The share of weight passed upwards by a weighted AUC: 1 − ratio (Weng & Poon 2008 §3). Only where a miss costs more."""
        if self.false_alarm > self.miss:
            text = f"the cost ratio is {self.ratio:.6g} > 1: a weighted AUC shifts weight towards high tpr, for costly misses only"
            raise refuse("BR517", text, "give fn − tp ≥ fp − tn")
        return rounded(1 - self.false_alarm / self.miss)

    @property
    def miss(self) -> Fraction:
        """How much more a missed positive costs than a caught one, exactly: fn − tp."""
        return exactly(self.fn) - exactly(self.tp)

    @property
    def false_alarm(self) -> Fraction:
        """How much more a false alarm costs than a negative left alone, exactly: fp − tn."""
        return exactly(self.fp) - exactly(self.tn)

    def __str__(self) -> str:
        """Without what costs nothing: "fp = 1, fn = 100"."""
        shown = [name for name in ("fp", "fn", "tp", "tn") if name in ("fp", "fn") or getattr(self, name)]
        return ", ".join(f"{name} = {float(getattr(self, name)):.6g}" for name in shown)

    @property
    def spoken(self) -> str:
        """The same with a word for what it is: "costs (fp = 1, fn = 100)", "profits (tp = 95, fp = -5)"."""
        return f"costs ({self})"


class _Profits(Costs):
    """Costs that the user gave as earnings: the same numbers, told with the sign turned."""

    earned: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Costs) and astuple(self) == astuple(other)

    __hash__ = Costs.__hash__

    def __repr__(self) -> str:
        return f"Costs.from_profits({', '.join(f'{field.name}={0 - getattr(self, field.name)}' for field in fields(self))})"

    @property
    def spoken(self) -> str:
        shown = [name for name in ("tp", "tn", "fp", "fn") if getattr(self, name)]
        return f"profits ({', '.join(f'{name} = {0 - float(getattr(self, name)):.6g}' for name in shown)})"


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, list | tuple):
        raise refuse("BR513", "a cost matrix without names is ambiguous: its rows may be truth or prediction", WRITE_COSTS)
    try:
        size = abs(exactly(value))
    except (TypeError, ValueError, OverflowError):
        size = Fraction(-1)
    if size < 0:
        raise refuse("BR514", f"the cost of {name} must be a finite number, got {quoted(value)}", WRITE_COSTS)
    if size > LARGEST:
        raise refuse("BR514", f"the cost of {name} is {quoted(value)}, which floats cannot weigh", "use another unit, so that costs are near 1")


def _known(name: str) -> str:
    known = [field.name for field in fields(Costs)]
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        meant = f"; did you mean {near[0]}?" if near else f": an outcome is one of {', '.join(known)}"
        raise refuse("BR514", f"there is no outcome {quoted(name)}{meant}", WRITE_COSTS)
    return name


def _no_plain_number(name: str, text: str) -> InputError:
    fix = Fix("no currency, no thousands separator, a decimal point", f"--cost {name}=1234.5 (no currency, no separators)")
    return refuse("BR514", f"the cost of {name} is {quoted(text)}, which is not a plain number", fix)


def _amount(name: str, text: str) -> float:
    value = number(text)
    if value is None:
        raise _no_plain_number(name, text)
    return value.numerator if value.denominator == 1 else rounded(value)
