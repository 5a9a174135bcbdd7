"""`Conditions`: the base rate and the costs under which a classifier will work, known exactly or
not; `Costs`.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from baserate import notation
from baserate.distributions import (
    BELIEVED,
    NOWHERE,
    SPREADS,
    STEPS,
    Distribution,
    Draws,
    Estimated,
    LogNormal,
    LogUniform,
    Pilot,
    Range,
    nearly_all,
)
from baserate.errors import Fix, InputError, Note, grouped, quoted, refuse
from baserate.numbers import Floats, exactly, rounded

# ----------------------------------------------------------------------
# What each outcome costs. A reward is a negative cost.


# Beyond this, products of costs and counts would leave the range of floats.
LARGEST = 2 * Fraction(10) ** 100
THOUSANDS = re.compile(r"\d{3}(\.\d*)?")  # what stands behind the comma of 1,234.5
WRITE_COSTS = Fix("Costs(fp=1, fn=100)", "--cost fn=100,fp=1")


@dataclass(frozen=True)
class Costs:
    """What do a false positive, a false negative, a true positive and a true negative cost?

    `fp` is C(−,+), `fn` is C(+,−), `tp` is C(+,+), `tn` is C(−,−) of a cost matrix; a reward is
    negative. Missing a positive must cost more than catching it, and a false alarm more than
    leaving a negative alone: otherwise no threshold means anything.

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
        for one in fields(self):
            value = getattr(self, one.name)
            _check_number(one.name, value)
            plain = (
                value.item()
                if isinstance(value, np.generic) and not isinstance(value, np.longdouble)
                else value
            )
            object.__setattr__(
                self, one.name, plain if isinstance(plain, int | float) else exactly(plain)
            )
        if 0 < max(abs(exactly(getattr(self, field.name))) for field in fields(self)) < 1 / LARGEST:
            raise refuse(
                "BR514",
                "all costs are too small for floating point",
                "use another unit, so that costs are near 1",
            )
        if self.fn == self.tp or self.fp == self.tn:
            wrong = "positive" if self.fn == self.tp else "negative"
            raise refuse(
                "BR510",
                f"degenerate costs: flagging and not flagging cost the same for every {wrong}",
                WRITE_COSTS,
            )
        profits = Fix(
            "if these are profits: Costs.from_profits(...)",
            "if these are profits: --profit instead of --cost",
        )
        for wrong, right, why in (
            ("fn", "tp", "missing a positive would be better than catching it"),
            ("fp", "tn", "a false alarm would be better than leaving a negative alone"),
        ):
            high, low = float(getattr(self, wrong)), float(getattr(self, right))
            if getattr(self, wrong) < getattr(self, right):
                raise refuse(
                    "BR510", f"{wrong} cost {high:g} < {right} cost {low:g}: {why}", profits
                )

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
        return _Profits(
            *(
                0 - (value if isinstance(value, int | float) else exactly(value))
                for value in (fp, fn, tp, tn)
            )
        )

    @classmethod
    def told(cls, costs: Mapping[str, float], *, earned: bool) -> Costs:
        """Costs by name, shown as earnings where they were given so."""
        return _Profits(**costs) if earned else cls(**costs)

    @classmethod
    def parse(cls, text: str, *, profits: bool = False) -> Costs:
        """Costs as people write them: "fn=100,fp=1"; what is not named keeps its default.

        >>> from baserate import Costs
        >>> Costs.parse("fn=100, fp=1")
        Costs(fp=1, fn=100, tp=0, tn=0)
        """
        if not isinstance(text, str) or len(text) > 1000:
            raise refuse(
                "BR513", f"costs are parsed from text, got {type(text).__name__}", WRITE_COSTS
            )
        values: dict[str, float] = {}
        last = spelled = ""
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals and values and THOUSANDS.fullmatch(part):
                raise _no_plain_number(last, f"{spelled},{part}")
            if not equals:
                raise refuse(
                    "BR513",
                    "costs must be named, because the order of a bare list is ambiguous"
                    if notation.parse_number(part) is not None
                    else f"cannot read {quoted(part)}",
                    WRITE_COSTS,
                )
            name = _known(name.casefold())
            if name in values:
                raise refuse("BR513", f"the cost of {name} is given twice", WRITE_COSTS)
            last, spelled = name, value
            values[name] = _amount(name, value)
        return cls.from_profits(**values) if profits else cls(**values)

    @property
    def ratio(self) -> float:
        """The cost of flagging a negative in units of the cost of missing a positive: (fp − tn) /
        (fn − tp).
        """
        return rounded(self.false_alarm / self.miss)

    @property
    def threshold(self) -> float:
        """Flag where a calibrated probability lies above this: (fp − tn) / ((fp − tn) + (fn − tp)).
        Elkan 2001, IJCAI:973-978.

        At the threshold itself both cost the same. Tan et al. (5.83) is the case of tp = tn = 0;
        below 0.5 whenever a miss costs more.
        """
        return rounded(self.false_alarm / (self.false_alarm + self.miss))

    @property
    def alpha(self) -> float:
        """The share of weight passed upwards by a weighted AUC: 1 − ratio (Weng & Poon 2008 §3).
        Only where a miss costs more.
        """
        if self.false_alarm > self.miss:
            raise refuse(
                "BR517",
                f"the cost ratio is {self.ratio:.6g} > 1: a weighted AUC shifts weight towards high"
                " tpr, for costly misses only",
                "give fn − tp ≥ fp − tn",
            )
        return rounded(1 - self.false_alarm / self.miss)

    @cached_property
    def miss(self) -> Fraction:
        """How much more a missed positive costs than a caught one, exactly: fn − tp."""
        return exactly(self.fn) - exactly(self.tp)

    @cached_property
    def false_alarm(self) -> Fraction:
        """How much more a false alarm costs than a negative left alone, exactly: fp − tn."""
        return exactly(self.fp) - exactly(self.tn)

    def __str__(self) -> str:
        """Without what costs nothing: "fp = 1, fn = 100"."""
        shown = [
            name for name in ("fp", "fn", "tp", "tn") if name in ("fp", "fn") or getattr(self, name)
        ]
        return ", ".join(f"{name} = {float(getattr(self, name)):.6g}" for name in shown)

    @property
    def spoken(self) -> str:
        """The same with a word for what it is: "costs (fp = 1, fn = 100)", "profits (tp = 95, fp =
        -5)".
        """
        return f"costs ({self})"


class _Profits(Costs):
    """Costs that the user gave as earnings: the same numbers, shown with the sign turned."""

    earned: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Costs) and astuple(self) == astuple(other)

    __hash__ = Costs.__hash__

    def __repr__(self) -> str:
        return f"Costs.from_profits({', '.join(f'{field.name}={0 - getattr(self, field.name)}' for field in fields(self))})"  # noqa: E501

    @property
    def spoken(self) -> str:
        shown = [name for name in ("tp", "tn", "fp", "fn") if getattr(self, name)]
        return (
            "profits"
            f" ({', '.join(f'{name} = {0 - float(getattr(self, name)):.6g}' for name in shown)})"
        )


def _check_number(name: str, value: Any) -> None:
    if isinstance(value, list | tuple):
        raise refuse(
            "BR513",
            "a cost matrix without names is ambiguous: its rows may be truth or prediction",
            WRITE_COSTS,
        )
    try:
        size = abs(exactly(value))
    except (TypeError, ValueError, OverflowError):
        size = Fraction(-1)
    if size < 0:
        raise refuse(
            "BR514", f"the cost of {name} must be a finite number, got {quoted(value)}", WRITE_COSTS
        )
    if size > LARGEST:
        raise refuse(
            "BR514",
            f"the cost of {name} is {quoted(value)}, which is beyond floating point",
            "use another unit, so that costs are near 1",
        )


def _known(name: str) -> str:
    known = [field.name for field in fields(Costs)]
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        meant = (
            f"; did you mean {near[0]}?" if near else f": an outcome is one of {', '.join(known)}"
        )
        raise refuse("BR514", f"there is no outcome {quoted(name)}{meant}", WRITE_COSTS)
    return name


def _no_plain_number(name: str, text: str) -> InputError:
    fix = Fix(
        "no currency, no thousands separator, a decimal point",
        f"--cost {name}=1234.5 (no currency, no separators)",
    )
    return refuse(
        "BR514", f"the cost of {name} is {quoted(text)}, which is not a plain number", fix
    )


def _amount(name: str, text: str) -> float:
    value = notation.parse_number(text)
    if value is None:
        raise _no_plain_number(name, text)
    return value.numerator if value.denominator == 1 else rounded(value)


# ----------------------------------------------------------------------
# The conditions under which a classifier will work: the base rate it meets, and what its outcomes
# cost. They know no data.


OUTCOMES = ("fp", "fn", "tp", "tn")
PARTS = ("prior", *OUTCOMES)
EQUAL_COSTS = Costs()
OF_SAMPLE = "the sample's base rate"


class Cut(NamedTuple):
    """Where a calibrated score is cut in theory: on the score as it is, and on the probability
    corrected to the base rate.
    """

    score: float
    probability: float


# Values of a range of costs, where it is walked.
COST_STEPS = 3
# Panels of the quadrature, by how many parts are smooth distributions, and of the coarser one that
# bounds its error.
FINE_PANELS = {0: 1, 1: 24, 2: 6, 3: 2}
COARSE_PANELS = {0: 1, 1: 16, 2: 4, 3: 1}
MOST_NODES = 2_000_000


class Drawn(NamedTuple):
    """Draws of the conditions, in step; a number where it is known. `prior` is None for the
    sample's own.
    """

    prior: Any
    fp: Any
    fn: Any
    tp: Any
    tn: Any

    def row(self, place: int) -> Drawn:
        """One of the draws, all of its parts numbers."""
        return Drawn(
            *(float(part[place]) if isinstance(part, np.ndarray) else part for part in self)
        )


class Nodes(NamedTuple):
    """Exact conditions, one per row, and their weights, which add up to 1."""

    prior: Floats
    fp: Floats
    fn: Floats
    tp: Floats
    tn: Floats
    weights: Floats

    @property
    def miss(self) -> Floats:
        """What missing every positive costs per case, beyond catching them."""
        return self.prior * (self.fn - self.tp)

    @property
    def alarm(self) -> Floats:
        """What flagging every negative costs per case, beyond leaving them alone."""
        return (1 - self.prior) * (self.fp - self.tn)

    @property
    def base(self) -> Floats:
        """What correct answers cost per case, which is paid in any event."""
        return self.prior * self.tp + (1 - self.prior) * self.tn

    def average(self, values: Floats) -> float:
        """Return the mean of values at the nodes."""
        return math.fsum((self.weights * values).tolist())

    def quantiles(self, values: Floats, shares: Sequence[float]) -> list[float]:
        """Return the values, where they are defined, below which these shares of the weight lie."""
        known = ~np.isnan(values)
        if not known.any():
            return [math.nan] * len(shares)
        order = np.argsort(values[known])
        reached = np.cumsum(self.weights[known][order])
        places = np.searchsorted(reached / reached[-1], shares)
        return [float(values[known][order][min(place, len(order) - 1)]) for place in places]


@dataclass(frozen=True)
class Conditions:
    """At which base rate, and at which costs?

    `prior` is a number between 0 and 1, or what people write: "0.1%", "1 in 1000", "1:999" (odds),
    "12 per 100k". None means the sample's own. Without `costs` both errors cost 1. A prior may be
    the result of `estimate_prior`: decisions are made at its value, and intervals take its error
    together with that of the rates, or are refused.

    Where base rate or costs are not known exactly, `is_exact` is False. A prior, and every cost of
    a mapping, may be a `Range` ("0.05%..0.3%"), a distribution (`LogUniform`, `LogNormal`, a frozen
    one of `scipy.stats`) or a list of equally likely values (`Draws`); a prior may be a `Pilot`
    sample. Results hold for the whole of a range. Distributions are independent, but `Draws` of one
    length for several parts belong together, draw by draw.

    >>> from baserate import Conditions, Costs, Range
    >>> at = Conditions(prior="1 in 1000", costs=Costs(fp=1, fn=100))
    >>> at.prior, at.skew, round(at.effective_prior, 6)
    (0.001, 999.0, 0.090992)
    >>> at = Conditions(prior="0.05%..0.3%", costs={"fn": Range(50, 200), "fp": 1})
    >>> at, at.is_exact
    (Conditions(prior=0.0005..0.003, fp=1, fn=50..200), False)
    """

    prior: Any = None
    costs: Any = None
    costs_given: bool = field(init=False, repr=False)
    as_in_sample: bool = field(init=False, repr=False)
    notes: tuple[Note, ...] = field(init=False, compare=False, repr=False)
    # The prior as a fraction: what was written ("1 in 1000"), what a float means, or the class
    # totals of the sample.
    _exact: Fraction | None = field(init=False, compare=False, repr=False)
    # Where the prior was estimated from unlabelled scores: the estimate.
    estimate: Estimated | None = field(init=False, compare=False, repr=False)
    # The prior as text, where it was given as such.
    prior_text: str = field(init=False, compare=False, repr=False)

    def __new__(cls, prior: Any = None, costs: Any = None, **_: Any) -> Self:
        """Conditions of which a part is not known exactly are of a class of their own."""
        known = _is_plain(prior) and (
            not isinstance(costs, Mapping) or all(map(_is_plain, costs.values()))
        )
        return object.__new__(cls if known or cls is not Conditions else Uncertain)  # type: ignore[return-value]

    def __post_init__(self) -> None:
        text = self.prior if isinstance(self.prior, str) else ""
        estimate = self.prior if isinstance(self.prior, Estimated) else None
        written = notation.parse_prior(self.prior if estimate is None else _planned_for(estimate))
        if isinstance(self.costs, Mapping):
            self._put(costs=Costs(**_costs(self.costs)))
        if self.costs is not None and not isinstance(self.costs, Costs):
            raise refuse(
                "BR513",
                f"costs must be Costs or named by outcome, got {type(self.costs).__name__}: the"
                " order of a matrix or list is ambiguous",
                "Costs(fp=1, fn=5)",
            )
        self._put(
            prior=None if written is None else rounded(written.value),
            costs=self.costs or EQUAL_COSTS,
            costs_given=self.costs is not None,
            as_in_sample=written is None,
            notes=(
                *(() if written is None else written.notes),
                *(() if estimate is None else estimate.notes),
            ),
            _exact=None if written is None else written.value,
            estimate=estimate,
            prior_text=text,
        )

    @property
    def is_exact(self) -> bool:
        """Are base rate and costs one number each?"""
        return True

    @property
    def has_range(self) -> bool:
        """Must a result hold for a whole range of base rates or costs?"""
        return bool(self.ranges)

    def middle(self) -> Conditions:
        """Exact conditions in the middle of what is possible: here these themselves."""
        return self

    @property
    def parts(self) -> dict[str, Any]:
        """The prior, None for the sample's own, and what each outcome costs."""
        return {"prior": None if self.as_in_sample else self.prior, **self._costs_by_name}

    @property
    def _costs_by_name(self) -> dict[str, Any]:
        return {name: getattr(self.costs, name) for name in OUTCOMES}

    @property
    def ranges(self) -> dict[str, Range]:
        """The parts of which only the ends are known."""
        return {name: part for name, part in self.parts.items() if isinstance(part, Range)}

    @property
    def believed(self) -> dict[str, Any]:
        """The parts that are distributions."""
        return {name: part for name, part in self.parts.items() if isinstance(part, BELIEVED)}

    @property
    def joint(self) -> tuple[str, ...]:
        """The parts whose draws belong together, row by row."""
        drawn = [name for name, part in self.believed.items() if isinstance(part, Draws)]
        lengths = {len(self.parts[name].values) for name in drawn}
        return tuple(drawn) if len(drawn) > 1 and len(lengths) == 1 else ()

    @property
    def smooth(self) -> tuple[str, ...]:
        """The parts that are distributions of which there are no draws."""
        return tuple(name for name, part in self.believed.items() if not isinstance(part, Draws))

    def given(self, **parts: Any) -> Conditions:
        """Return these conditions with other values of some parts."""
        known = {**self.parts, **parts}
        prior = known.pop("prior")
        if not self.costs_given:
            return Conditions(prior)
        costs = {name: _whole_number(cost) for name, cost in known.items()}
        if all(map(_is_plain, costs.values())):
            return Conditions(prior, Costs.told(costs, earned=self.earned))
        return Uncertain(prior, costs, earned=self.earned)

    @property
    def earned(self) -> bool:
        """Were costs given as earnings? Then they are shown as such."""
        return bool(self.costs.earned)

    def corners(self, *, of_believed: bool = False) -> list[Conditions]:
        """Return these conditions with every range at one of its ends, in every combination.

        Where an objective is linear in each part, or convex as regret is, its worst case is at one
        of them. Distributions stay as they are, or with `of_believed` are at their ends too.
        """
        spans = {**self.ranges, **(self.believed if of_believed else {})}
        ends = [dict.fromkeys(map(float, part.ends)) for part in spans.values()]
        if not spans:
            return [self]
        return [self.given(**dict(zip(spans, values, strict=True))) for values in product(*ends)]

    def pinned(self, steps: int = STEPS, cost_steps: int = COST_STEPS) -> list[Conditions]:
        """Return these conditions with every range replaced by one of its values, across it."""
        grids = [
            part.grid(steps if name == "prior" else cost_steps)
            for name, part in self.ranges.items()
        ]
        return [self.given(**dict(zip(self.ranges, one, strict=True))) for one in product(*grids)]

    def draw(self, rng: np.random.Generator, count: int) -> Drawn:
        """Return conditions drawn from the distributions; ranges must be pinned first."""
        joint = self.joint
        rows = rng.integers(0, len(self.parts[joint[0]].values), count) if joint else None
        drawn = {
            name: np.asarray(part.values)[rows] if name in joint else part.draw(rng, count)
            for name, part in self.believed.items()
        }
        return Drawn(**{**self.parts, **drawn})

    def nodes(
        self,
        panels: Mapping[int, int] = FINE_PANELS,
        breaks: Mapping[str, Floats] | None = None,
        *,
        sample_prior: float = math.nan,
    ) -> Nodes:
        """Return exact conditions with weights: one if all is known, a quadrature of distributions,
        and every draw.

        Distributions are independent, but draws of one length belong together. No panel of the
        quadrature reaches across the `breaks` of its part. `sample_prior` stands for a prior that
        was not given.
        """
        if len(self.smooth) > max(panels):
            raise refuse(
                "BR588",
                "more than three parts are distributions: too many to integrate to a known error",
                "give joint Draws of them",
            )
        axes: list[tuple[dict[str, Floats], Floats]] = []
        for name, part in self.believed.items():
            values, weights = part.places(
                panels[len(self.smooth)], (breaks or {}).get(name, NOWHERE)
            )
            if name in self.joint[1:]:
                axes[0][0][name] = values
            elif name in self.joint:
                axes.insert(0, ({name: values}, weights))
            else:
                axes.append(({name: values}, weights))
        sizes = [len(weights) for _, weights in axes]
        count = math.prod(sizes)
        if count > MOST_NODES:
            raise refuse(
                "BR588",
                f"{count} combinations of values are too many",
                "give joint Draws, or fewer values",
            )
        columns = {
            name: np.full(count, sample_prior if part is None else float(part))
            for name, part in self.parts.items()
            if name not in self.believed
        }
        weights, rows = np.ones(count), np.arange(count)
        for (values, own), size in zip(axes, sizes, strict=True):
            rows, place = np.divmod(rows, size)
            columns |= {name: column[place] for name, column in values.items()}
            weights = weights * own[place]
        return Nodes(**columns, weights=weights)

    def _put(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_skew(cls, skew: float, costs: Costs | None = None) -> Conditions:
        """Conditions with `skew` negatives for each positive.

        >>> from baserate import Conditions
        >>> Conditions.from_skew(999).prior
        0.001
        """
        try:
            negatives = exactly(skew)
        except (TypeError, ValueError, OverflowError):
            negatives = Fraction(-1)
        if negatives <= 0:
            raise refuse(
                "BR503",
                "skew must be a positive number of negatives for each positive, got"
                f" {quoted(skew)}",
                "give a number such as 999",
            )
        return cls(rounded(1 / (1 + negatives)), costs)

    def within(self, sample_prior: float | Fraction, why_not: str = "") -> Conditions:
        """These conditions with the sample's prior filled in, where none was given; `why_not`
        refuses that, with the reason.

        Conditions that were filled in from another sample still mean "as in the sample", and are
        filled in again.
        """
        if self.prior is not None and not self.as_in_sample:
            return self
        if why_not:
            raise refuse(
                "BR509",
                f"{why_not}, so a prior must be given",
                Fix("at=Conditions(prior=0.001)", "--prior 0.1%"),
            )
        filled = Conditions(
            None, self.costs
        )  # the sample may hold one class only, which is no prior that one could give
        exact = None if math.isnan(sample_prior) else exactly(sample_prior)
        filled._put(
            prior=sample_prior if exact is None else rounded(exact),
            costs_given=self.costs_given,
            _exact=exact,
        )
        return filled

    @property
    def skew(self) -> float:
        """Negatives for each positive: (1 − prior) / prior."""
        return rounded((1 - self.exact_prior) / self.exact_prior)

    @property
    def effective_prior(self) -> float:
        """The prior after costs, one number: a / (a + b) with a = prior · (fn − tp) and b = (1 −
        prior) · (fp − tn).

        At equal costs it is the prior; a classifier's cheapest threshold depends on it alone.
        Drummond & Holte 2006, Machine Learning 65.
        """
        return rounded(self.at_stake[0] / sum(self.at_stake))

    @property
    def iso_cost_slope(self) -> float:
        """The slope, in ROC space, of the lines along which the expected cost is the same: b / a of
        `effective_prior`.
        """
        loss, nuisance = self.at_stake
        return rounded(nuisance / loss)

    def cut(self, calibrated_at: Any) -> Cut:
        """Where to cut a score that is a calibrated probability at the base rate `calibrated_at`.

        The corrected probability is cut at t = `costs.threshold`, the score itself at the odds t /
        (1 − t) times the odds of `calibrated_at` over the odds of `prior` (Elkan 2001, theorem 2).
        At equal priors both cuts are the same.

        >>> from baserate import Conditions, Costs
        >>> Conditions(prior=0.01, costs=Costs(fp=1, fn=5)).cut(calibrated_at=0.5)
        Cut(score=0.9519230769230769, probability=0.16666666666666666)
        """
        written, prior = notation.parse_prior(calibrated_at), self.exact_prior
        if written is None:
            raise refuse(
                "BR507",
                "a threshold in theory needs the base rate at which the scores are calibrated",
                Fix("calibrated_at=0.5, the prior of the training data", "--calibrated-at 50%"),
            )
        trained = written.value / (1 - written.value)
        odds = self.costs.false_alarm / self.costs.miss * trained / (prior / (1 - prior))
        return Cut(rounded(odds / (1 + odds)), self.costs.threshold)

    @property
    def exact_prior(self) -> Fraction:
        """The prior as it was written, before it was rounded to a float."""
        if self._exact is None:
            raise refuse(
                "BR509",
                "the prior is the sample's own, which is not known without data",
                "Conditions(prior=0.001)",
            )
        if not 0 < self._exact < 1:
            raise refuse(
                "BR552",
                "the sample has cases of one class only, so its own prior is 0 or 1",
                "Conditions(prior=0.001)",
            )
        return self._exact

    @property
    def sample_prior(self) -> Fraction:
        """The sample's own prior, also 0 or 1 where it has one class only."""
        return self.exact_prior if self._exact not in (0, 1) else self._exact

    def as_shown(self) -> Conditions:
        """The same, with the prior taken for the float that it shows.

        Measures are functions of that float; decisions, which may hang on equality, and what
        follows from conditions alone are made at what was written.
        """
        return self._shown

    @cached_property
    def _shown(self) -> Conditions:
        if self.prior is None or math.isnan(self.prior):
            return self
        shown = Conditions(None, self.costs)
        shown._put(
            prior=self.prior,
            as_in_sample=self.as_in_sample,
            costs_given=self.costs_given,
            notes=self.notes,
            _exact=exactly(self.prior),
            estimate=self.estimate,
            prior_text=self.prior_text,
        )
        return shown

    @property
    def at_stake(self) -> tuple[Fraction, Fraction]:
        """What misses and false alarms can cost per case, exactly: prior · (fn − tp) and (1 −
        prior) · (fp − tn).
        """
        return self.exact_prior * Fraction(self.costs.miss), (1 - self.exact_prior) * Fraction(
            self.costs.false_alarm
        )

    def __repr__(self) -> str:
        prior = "" if self.as_in_sample else f"prior={self.prior!r}"
        costs = f"costs={self.costs!r}" if self.costs_given else ""
        return f"Conditions({', '.join(filter(None, (prior, costs)))})"

    @property
    def spoken(self) -> str:
        """The base rate in a sentence: "a base rate of 2.5%", "an estimated base rate of 1.6% (0.4%
        to 3.1%)".
        """
        if self.estimate is not None:
            value, low, high = (
                f"{100 * part:.3g}%"
                for part in (self.estimate.value, self.estimate.low, self.estimate.high)
            )
            return f"an estimated base rate of {value} ({low} to {high})"
        known = self.prior is not None and 0 < self.prior < 1
        number = f" of {notation.base_rate(self.prior)}" if known else ""
        return f"{OF_SAMPLE if self.as_in_sample else 'a base rate'}{number}"

    def __str__(self) -> str:
        """The base rate, and the costs where they were given; `told` adds what is assumed where
        they were not.
        """
        return f"{self.spoken}, {self.costs.spoken}" if self.costs_given else self.spoken


# What decides where no costs are given.
ASSUMED = "equal costs assumed (a miss counts like a false alarm)"


def told(at: Any, *, by_cost: bool) -> str:
    """Conditions in words; where costs decide and nobody gave any, that equal
    costs are assumed.
    """
    return f"{at}, {ASSUMED}" if by_cost and not at.costs_given else str(at)


def _planned_for(estimate: Estimated) -> float:
    """The value of an estimate, where it is a base rate at which anything can be planned."""
    if not 0 < estimate.value < 1:
        raise refuse(
            "BR537",
            f"the estimated base rate is {estimate.value:g} (from {estimate.low:.4g} to"
            f" {estimate.high:.4g}), which cannot be used as a base rate",
            (
                f"Conditions(prior={max(estimate.high, 1e-6):.2g})"
                if estimate.value == 0
                else "Conditions(prior=0.99)"
            ),
        )
    return estimate.value


def trained_at(prior: Any, negatives_kept: Any) -> float:
    """The prior of training data in which every positive and this share of the negatives were kept.

    >>> from baserate.conditions import trained_at
    >>> round(trained_at(0.01, negatives_kept="1%"), 6)
    0.502513
    """
    field_prior, kept = Conditions(prior).exact_prior, kept_share(negatives_kept)
    return rounded(field_prior / (field_prior + kept * (1 - field_prior)))


def kept_share(given: Any) -> Fraction:
    """A share of negatives kept, exactly."""
    written = notation.parse_share(given)
    if written is None or not 0 < written.value <= 1:
        raise refuse(
            "BR542",
            f"the share of negatives kept must lie above 0 and not above 1, got {quoted(given)}",
            'for 1 negative kept in 100 write "1%"; where 1 % were removed, "99%"',
        )
    return written.value


# ----------------------------------------------------------------------
# Conditions that are not known exactly: a base rate within a range, from a pilot sample, or as a
# distribution; costs too.


LONGEST = 200  # longer text is no base rate
LOG_UNIFORM = re.compile(r"\s*\(?log-?\s?uniform\)?\s*$", flags=re.IGNORECASE)
# How much of a log-normal distribution of base rates may lie above 1; it is taken given that it
# does not.
OUTSIDE = 1e-3


@dataclass(frozen=True, repr=False)
class Uncertain(Conditions):
    """`Conditions` of which a part is not known exactly; `costs` is a mapping of outcomes.

    >>> import baserate as br
    >>> br.Conditions(prior="1e-5..1e-3", costs={"fn": br.Range(100, 1000), "fp": 1})
    Conditions(prior=1e-05..0.001, fp=1, fn=100..1000)
    """

    # Were costs given as earnings? Then they are shown as such.
    earned: bool = field(default=False, compare=False, kw_only=True)
    # The estimate of which the range of base rates is the interval.
    estimate: Estimated | None = field(default=None, compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        self._put(
            earned=self.earned or getattr(self.costs, "earned", False),
            prior_text=self.prior if isinstance(self.prior, str) else "",
            prior=_prior(self.prior),
            costs_given=self.costs is not None,
            costs=_costs(self.costs),
            notes=() if self.estimate is None else self.estimate.notes,
            _exact=None,
        )
        self._put(as_in_sample=self.prior is None)
        self._check_costs()

    def _check_costs(self) -> None:
        """Refuse costs of the wrong order, wherever they may lie: at every end of each, or draw by
        draw where draws belong together.
        """
        parts = [self.costs[name] for name in OUTCOMES]
        drawn = [np.asarray(part.values) for part in parts if isinstance(part, Draws)]
        if len(drawn) > 1 and len({len(values) for values in drawn}) == 1:
            rows = [
                (
                    np.asarray(part.values)
                    if isinstance(part, Draws)
                    else np.full(len(drawn[0]), _middle(part))
                )
                for part in parts
            ]
            fp, fn, tp, tn = (np.asarray(row, dtype=np.float64) for row in rows)
            worst = int(np.argmin(np.minimum(fn - tp, fp - tn)))
            Costs(*(row[worst].item() for row in (fp, fn, tp, tn)))
            return
        for setting in product(*map(_ends, parts)):
            Costs(*setting)

    def __hash__(self) -> int:
        return hash((self.prior, tuple(self.costs.items()), self.costs_given))

    @property
    def is_exact(self) -> bool:
        return not self.ranges and not self.believed

    @property
    def _costs_by_name(self) -> dict[str, Any]:
        return {name: self.costs[name] for name in OUTCOMES}

    @property
    def exact_prior(self) -> Fraction:
        raise not_exact(self)

    def within(self, sample_prior: float | Fraction, why_not: str = "") -> Conditions:  # noqa: ARG002
        raise not_exact(self)

    def as_shown(self) -> Conditions:
        raise not_exact(self)

    def middle(self) -> Conditions:
        """One set of conditions in the midst of what is possible."""
        costs = (
            Costs.told({name: _middle(self.costs[name]) for name in OUTCOMES}, earned=self.earned)
            if self.costs_given
            else None
        )
        return Conditions(_middle(self.prior), costs)

    def __repr__(self) -> str:
        given = {"prior": self.prior} if self.prior is not None else {}
        if self.costs_given:
            given |= {
                name: cost
                for name, cost in self.costs.items()
                if name in ("fp", "fn") or not _is_zero(cost)
            }
        return f"Conditions({', '.join(f'{name}={_shown(part)}' for name, part in given.items())})"

    def __str__(self) -> str:
        prior = OF_SAMPLE if self.prior is None else _base_rates(self.prior)
        if self.earned:
            told = {
                name: _turned(self.costs[name])
                for name in ("tp", "tn", "fp", "fn")
                if not _is_zero(self.costs[name])
            }
            return (
                f"{prior}, profits"
                f" ({', '.join(f'{name} = {_shown(part)}' for name, part in told.items())})"
            )
        if not self.costs_given:
            return prior
        costs = ", ".join(
            f"{name} = {_shown(cost)}"
            for name, cost in self.costs.items()
            if name in ("fp", "fn") or not _is_zero(cost)
        )
        return f"{prior}, costs ({costs})"


def _turned(part: Any) -> Any:
    """What is earned, of what it costs; draws are shown by how many they are, and other
    distributions of costs are not earned.
    """
    if isinstance(part, Range):
        return Range(0 - part.high, 0 - part.low)
    return part if isinstance(part, SPREADS) else 0 - part


def _whole_number(cost: Any) -> Any:
    """A cost that is a whole number as an integer, so that it is shown without decimals."""
    return int(cost) if isinstance(cost, float) and cost.is_integer() else cost


def _is_zero(part: Any) -> bool:
    return not isinstance(part, SPREADS) and part == 0


def _ends(part: Any) -> list[Any]:
    """The values between which it lies; those of a pilot do not matter to costs."""
    return (
        list(nearly_all(part))
        if isinstance(part, SPREADS) and not isinstance(part, Pilot)
        else [_middle(part)]
    )


def _middle(part: Any) -> Any:
    return part.middle if isinstance(part, SPREADS) else part


def _base_rates(part: Any) -> str:
    """A base rate that is not known exactly, for a person."""
    if isinstance(part, Range | LogUniform):
        low, high = (notation.base_rate(float(end), brief=True) for end in (part.low, part.high))
        law = " (log-uniform)" if isinstance(part, LogUniform) else ""
        return f"base rates from {low} to {high}{law}"
    if isinstance(part, Draws):
        return f"{len(part.values)} draws of the base rate"
    if isinstance(part, Pilot):
        positives, cases = (grouped(number) for number in (part.positives, part.cases))
        return f"the base rate of a pilot ({positives} of {cases} cases)"
    exact = not isinstance(part, SPREADS)
    if isinstance(part, Distribution):
        return f"base rates from {_shown(part)}"
    return f"a base rate of {notation.base_rate(float(part)) if exact else _shown(part)}"


def _shown(part: Any) -> str:
    if isinstance(part, Range | LogUniform):
        return (
            f"{part.low:g}..{part.high:g}{' (log-uniform)' if isinstance(part, LogUniform) else ''}"
        )
    if isinstance(part, Pilot):
        return f"{part.positives} of {part.cases} in a pilot"
    if isinstance(part, LogNormal):
        return f"about {part.median:g}, within a factor of {part.factor:g} (log-normal)"
    if isinstance(part, Distribution):
        return f"a distribution about {part.middle:g}"
    return f"{len(part.values)} draws" if isinstance(part, Draws) else f"{part:g}"


def not_exact(at: Conditions) -> InputError:
    """The refusal of conditions that are not exact where one base rate and exact costs are
    needed.
    """
    return refuse(
        "BR419",
        f"this needs one base rate and exact costs, got {at}",
        Fix("prior=0.001, or several: at=[Conditions(0.001), Conditions(0.003)]", "--prior 0.1%"),
    )


def _is_plain(part: Any) -> bool:
    """Is this part of the conditions one number (or not given), as far as one can see?"""
    if isinstance(part, str):
        return ".." not in part and _without_words(part) == part
    if isinstance(part, Estimated):
        return True
    return not (
        isinstance(part, (*SPREADS, list))
        or (isinstance(part, np.ndarray) and part.ndim > 0)
        or is_frozen(part)
    )


def _refuse_estimate(given: Any) -> None:
    if isinstance(given, Estimated):
        raise refuse(
            "BR647",
            "the error of an estimated base rate is not independent of that of the rates, as what"
            " is uncertain here is taken to be",
            f"Conditions(prior=estimate), or prior=Range({max(given.low, 1e-6):.4g},"
            f" {given.high:.4g})",
        )


def _prior(given: Any) -> Any:
    _refuse_estimate(given)
    if isinstance(given, str):
        given = _range(given)
    if isinstance(given, Range | LogUniform):
        return _between(given)
    if isinstance(given, Pilot):
        return _pilot(given)
    if isinstance(given, LogNormal):
        return _log_normal("prior", LogNormal(_share(given.median), given.factor, most=1.0))
    if isinstance(given, Draws | list | np.ndarray):
        values = given.values if isinstance(given, Draws) else [_share(value) for value in given]
        return Draws(_drawn("prior", values, low=0.0, high=1.0))
    if isinstance(given, Distribution) or is_frozen(given):
        return _within("prior", given)
    written = notation.parse_prior(given)
    return None if written is None else rounded(written.value)


def _without_words(given: str) -> str:
    """The ends of a log-uniform distribution, as people write it; other text as it is."""
    return LOG_UNIFORM.sub("", given) if len(given) <= LONGEST else given


def _range(given: str) -> Any:
    """A range, or a distribution over one, as people write it; other text as it is."""
    if "..." in given:
        raise refuse(
            "BR503", f"prior {quoted(given)} has too many dots", "a range is written 1e-5..1e-3"
        )
    plain = _without_words(given)
    low, dots, high = (part.strip() for part in plain.partition(".."))
    if not dots:
        if plain != given:
            example = '"1e-5..1e-3 log-uniform"'
            raise refuse(
                "BR503", f"{quoted(given)} needs a range", Fix(example, f"--prior {example}")
            )
        return given
    if low.endswith("%") != high.endswith("%"):
        both = f"{low.rstrip('%')}%..{high.rstrip('%')}%"
        raise refuse(
            "BR504",
            f"one end of {quoted(given)} is a percentage and the other is not",
            f"{both} if both are, or write both as shares",
        )
    return Range(low, high) if plain == given else LogUniform(low, high)


def _between(given: Range | LogUniform) -> Range | LogUniform:
    written = [notation.parse_prior(end) for end in (given.low, given.high)]
    if written[0] is None or written[1] is None:
        raise refuse("BR503", "a range of base rates needs two ends", "1e-5..1e-3")
    ends = [rounded(end.value) for end in written if end is not None]
    return type(given)(*_ordered("prior", ends[0], ends[1]))


def _pilot(given: Pilot) -> Pilot:
    whole = all(
        isinstance(value, int | np.integer) and not isinstance(value, bool)
        for value in (given.positives, given.cases)
    )
    if not whole or not 0 <= given.positives <= given.cases or not given.cases:
        raise refuse(
            "BR588",
            f"a pilot sample is a number of positives among a number of cases, got {quoted(given)}",
            "Pilot(12, 5000)",
        )
    return Pilot(int(given.positives), int(given.cases))


def _share(given: Any) -> float:
    """One base rate, which has to be said."""
    written = notation.parse_prior(given)
    if written is None:
        raise refuse(
            "BR503",
            "the sample's own prior cannot be one of several",
            "leave prior out",
        )
    return rounded(written.value)


def _log_normal(name: str, given: LogNormal) -> LogNormal:
    numbers = [notation.from_number(value) for value in (given.median, given.factor)]
    if numbers[0] is None or numbers[1] is None or numbers[0].value <= 0 or numbers[1].value <= 1:
        raise refuse(
            "BR588",
            f"a log-normal {name} has a median above 0 and a factor above 1, got {quoted(given)}",
            "LogNormal(0.001, 3)",
        )
    found = LogNormal(rounded(numbers[0].value), rounded(numbers[1].value), given.most)
    if 1 - found.kept > OUTSIDE:
        raise refuse(
            "BR588",
            f"{100 * (1 - found.kept):.3g} % of this log-normal {name} lies above 1",
            "a smaller median or factor, LogUniform, or a distribution between 0 and 1",
        )
    return found


def _within(name: str, given: Any) -> Distribution:
    """A distribution of base rates: all of it between 0 and 1."""
    found = given if isinstance(given, Distribution) else Distribution(given)
    if not is_frozen(found.frozen):
        raise refuse(
            "BR588",
            f"{quoted(found.frozen)} is not a distribution",
            "a frozen one: scipy.stats.beta(2, 998)",
        )
    if name == "prior" and (found.ends is None or found.ends[0] < 0 or found.ends[1] > 1):
        raise refuse(
            "BR588",
            "this distribution of base rates is not confined to 0 to 1",
            "scipy.stats.beta(2, 998), or LogNormal(0.001, 3)",
        )
    return found


def _ordered(name: str, low: float, high: float) -> tuple[float, float]:
    if low > high:
        raise refuse(
            "BR504",
            f"the range of {name} is reversed: {low:g}..{high:g}",
            Fix(f"Range({high:g}, {low:g})", f"{high:g}..{low:g}"),
        )
    return low, high


def _drawn(
    name: str, values: Any, low: float = -math.inf, high: float = math.inf
) -> npt.NDArray[np.float64]:
    try:
        drawn = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        drawn = np.array(math.nan)
    if (
        drawn.ndim != 1
        or not len(drawn)
        or not np.isfinite(drawn).all()
        or (drawn <= low).any()
        or (drawn >= high).any()
    ):
        raise refuse(
            "BR588",
            f"draws of {name} must be a list of numbers in its range",
            "Draws([0.001, 0.002, 0.004])",
        )
    drawn.flags.writeable = False
    return drawn


def _costs(given: Any) -> dict[str, Any]:
    if given is None or isinstance(given, Costs):
        costs = given or Costs()
        return {name: getattr(costs, name) for name in OUTCOMES}
    if not isinstance(given, Mapping) or not set(given) <= set(OUTCOMES):
        raise refuse(
            "BR513",
            f"costs are named by outcome (fp, fn, tp, tn), got {quoted(given)}",
            'costs={"fn": Range(100, 1000), "fp": 1}',
        )
    plain = Costs()
    return {name: _cost(name, given.get(name, getattr(plain, name))) for name in OUTCOMES}


def _cost_range(given: Any) -> Any:
    """The range that a text like "100..1000" stands for; anything else as it was given."""
    if not isinstance(given, str) or ".." not in given:
        return given
    low, high = (notation.parse_number(end.strip()) for end in given.split("..", 1))
    return given if low is None or high is None else Range(rounded(low), rounded(high))


def _cost(name: str, given: Any) -> Any:
    if isinstance(given, Pilot):
        raise refuse(
            "BR588",
            f"the cost of {name} cannot come from a pilot sample",
            "Range(100, 1000) or Draws([...])",
        )
    given = _cost_range(given)
    if isinstance(given, LogNormal):
        return _log_normal(f"cost of {name}", given)
    if isinstance(given, Distribution) or is_frozen(given):
        return _within(f"the cost of {name}", given)
    if isinstance(given, Draws | list | np.ndarray):  # a pair in brackets would look like a range
        return Draws(
            _drawn(f"the cost of {name}", given.values if isinstance(given, Draws) else given)
        )
    if isinstance(given, Range | LogUniform):
        ends = [notation.from_number(end) for end in (given.low, given.high)]
        if (
            ends[0] is None
            or ends[1] is None
            or (isinstance(given, LogUniform) and ends[0].value <= 0)
        ):
            raise refuse(
                "BR514",
                f"the cost of {name} is {quoted(given)}, which is not a range of numbers",
                "Range(100, 1000)",
            )
        return type(given)(
            *_ordered(
                f"the cost of {name}", *(rounded(end.value) for end in ends if end is not None)
            )
        )
    plain = notation.from_number(given)
    if plain is None:
        raise refuse(
            "BR514",
            f"the cost of {name} is {quoted(given)}, which is not a number",
            "a number, Range(100, 1000) or Draws([...])",
        )
    return given if isinstance(given, int | float) else rounded(plain.value)


def refuse_estimate(at: Any, what: str) -> None:
    """Refuse what would take an estimated base rate as known."""
    estimate = getattr(at, "estimate", None)
    if estimate is not None:
        text = (
            f"the base rate {estimate.value:.4g} is an estimate ({estimate.low:.4g} to"
            f" {estimate.high:.4g}), and {what} would take it as known"
        )
        least = max(estimate.low, 0.5 / max(1, estimate.cases))
        raise refuse(
            "BR647",
            text,
            Fix(
                f"a range: Conditions(prior=Range({least:.3g}, {estimate.high:.3g}))",
                f"a range: --prior {least:.3g}..{estimate.high:.3g}",
            ),
        )


def is_frozen(given: object) -> bool:
    """Is it a distribution of scipy, or something that answers as one does?"""
    return all(
        callable(getattr(given, name, None))
        for name in ("cdf", "sf", "ppf", "isf", "mean", "rvs", "support")
    )


# ----------------------------------------------------------------------
# The conditions of a question: `at`, or `prior` and `costs` in its place.


Prior = (
    float
    | Fraction
    | str
    | Range
    | Pilot
    | LogUniform
    | LogNormal
    | Draws
    | Distribution
    | Estimated
    | Sequence[float]
)
CostsLike = Costs | Mapping[str, Any]
HERE = Conditions()


def any_conditions(at: Conditions | None) -> Conditions:
    """Return the conditions, known exactly or not; none means the sample's own."""
    if at is None:
        return HERE
    if not isinstance(at, Conditions):
        raise refuse(
            "BR519",
            f"at must be Conditions, got {type(at).__name__}",
            "prior=0.001, or at=Conditions(prior=0.001)",
        )
    return at


def checked_conditions(at: Conditions | None) -> Conditions:
    """Return the conditions, which must be known exactly."""
    found = any_conditions(at)
    if not found.is_exact:
        raise not_exact(found)
    return found.middle()


def given_conditions(at: Any, prior: Any, costs: Any) -> Conditions | None:
    """What was given as `at`, or as `prior` and `costs`; None where nothing was."""
    if at is not None and (prior is not None or costs is not None):
        word = "prior=" if prior is not None else "costs="
        raise refuse(
            "BR418",
            f"conditions are given twice, as at= and as {word}",
            "give at=Conditions(prior, costs), or prior= and costs=",
        )
    if at is not None and not isinstance(at, Conditions):
        checked_conditions(at)
    if isinstance(prior, list | tuple | np.ndarray):
        fix = "call once for each, or give draws of one that is uncertain: prior=Draws([…])"
        if isinstance(prior, tuple) and len(prior) == 2:
            low, high = (quoted(end, quotes=False) for end in prior)
            fix = f'prior="{low}..{high}" for a range, or call once for each'
        raise refuse("BR418", "several base rates are given where one is needed", fix)
    if at is None and (prior is not None or costs is not None):
        return Conditions(prior, costs)
    return at  # type: ignore[no-any-return]


def exact_conditions(at: Any, prior: Any, costs: Any) -> Conditions | None:
    """The same, where only exact conditions can be used."""
    found = given_conditions(at, prior, costs)
    if found is not None and not found.is_exact:
        raise not_exact(found)
    return found


def one_or_several(at: Any, prior: Any, costs: Any) -> Any:
    """The conditions where several can be shown side by side: a list of `at` or of `prior` is
    several of them.
    """
    if isinstance(prior, list | tuple):
        return [given_conditions(at, one, costs) for one in prior]
    if isinstance(at, list | tuple):
        if prior is not None or costs is not None:
            given_conditions(at[0] if at else Conditions(), prior, costs)
        return list(at)
    return given_conditions(at, prior, costs)
