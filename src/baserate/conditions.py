"""The conditions under which a classifier will work: the base rate it meets, and what its outcomes cost. They know no data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from baserate import notations
from baserate.arithmetic import exactly, rounded
from baserate.costs import Costs
from baserate.errors import Fix, quoted, refuse
from baserate.notes import Note
from baserate.spreads import Estimated

EQUAL_COSTS = Costs()


class Cut(NamedTuple):
    """Where a calibrated score is cut in theory: on the score as it is, and on the probability corrected to the base rate."""

    score: float
    probability: float


@dataclass(frozen=True)
class Conditions:
    """At which base rate, and at which costs?

    `prior` is a number between 0 and 1, or what people write: "0.1%", "1 in 1000", "1:999" (odds), "12 per 100k". None means the
    sample's own. Without `costs` both errors cost 1. A prior may be the result of `estimate_prior`: decisions are made at its value, and
    intervals take its error together with that of the rates, or are refused.

    >>> from baserate import Conditions, Costs
    >>> at = Conditions(prior="1 in 1000", costs=Costs(fp=1, fn=100))
    >>> at.prior, at.skew, round(at.effective_prior, 6)
    (0.001, 999.0, 0.090992)
    """

    prior: Any = None
    costs: Any = None
    costs_given: bool = field(init=False, repr=False)
    as_in_sample: bool = field(init=False, repr=False)
    notes: tuple[Note, ...] = field(init=False, compare=False, repr=False)
    # The prior as a fraction: what was written ("1 in 1000"), what a float means, or the class totals of the sample.
    _exact: Fraction | None = field(init=False, compare=False, repr=False)
    # Where the prior was estimated from unlabelled scores: the estimate.
    estimate: Estimated | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        estimate = self.prior if isinstance(self.prior, Estimated) else None
        written = notations.prior(self.prior if estimate is None else _planned_for(estimate))
        if self.costs is not None and not isinstance(self.costs, Costs):
            text = f"costs must be Costs, got {type(self.costs).__name__}: the order of a matrix or list is ambiguous"
            raise refuse("BR513", text, "Costs(fp=1, fn=5)")
        self._put(
            prior=None if written is None else rounded(written.value),
            costs=self.costs or EQUAL_COSTS,
            costs_given=self.costs is not None,
            as_in_sample=written is None,
            notes=(*(() if written is None else written.notes), *(() if estimate is None else estimate.notes)),
            _exact=None if written is None else written.value,
            estimate=estimate,
        )

    def _put(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_skew(cls, skew: float, costs: Costs | None = None) -> Conditions:
        """Conditions with so many negatives for each positive.

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
                "BR503", f"skew must be a positive number of negatives for each positive, got {quoted(skew)}", "give a number such as 999"
            )
        return cls(rounded(1 / (1 + negatives)), costs)

    def within(self, sample_prior: float | Fraction, why_not: str = "") -> Conditions:
        """These conditions with the sample's prior filled in, where none was given; `why_not` refuses that, with the reason.

        Conditions that were filled in from another sample still mean "as in the sample", and are filled in again.
        """
        if self.prior is not None and not self.as_in_sample:
            return self
        if why_not:
            raise refuse("BR509", f"{why_not}, so a prior must be given", Fix("at=Conditions(prior=0.001)", "--prior 0.1%"))
        filled = Conditions(None, self.costs)  # the sample may hold one class only, which is no prior that one could give
        exact = None if math.isnan(sample_prior) else exactly(sample_prior)
        filled._put(prior=sample_prior if exact is None else rounded(exact), costs_given=self.costs_given, _exact=exact)
        return filled

    @property
    def skew(self) -> float:
        """Negatives for each positive: (1 − prior) / prior."""
        return rounded((1 - self.exact_prior) / self.exact_prior)

    @property
    def effective_prior(self) -> float:
        """The prior after costs, one number: a / (a + b) with a = prior · (fn − tp) and b = (1 − prior) · (fp − tn).

        At equal costs it is the prior; a classifier's cheapest threshold depends on it alone. Drummond & Holte 2006, Machine Learning 65.
        """
        return rounded(self.at_stake[0] / sum(self.at_stake))

    @property
    def iso_cost_slope(self) -> float:
        """The slope, in ROC space, of the lines along which the expected cost is the same: b / a of `effective_prior`."""
        loss, nuisance = self.at_stake
        return rounded(nuisance / loss)

    def cut(self, calibrated_at: Any) -> Cut:
        """Where to cut a score that is a calibrated probability at the base rate `calibrated_at`.

        The corrected probability is cut at t = `costs.threshold`, the score itself at the odds t / (1 − t) times the odds of
        `calibrated_at` over the odds of `prior` (Elkan 2001, theorem 2). At equal priors both cuts are the same.

        >>> from baserate import Conditions, Costs
        >>> Conditions(prior=0.01, costs=Costs(fp=1, fn=5)).cut(calibrated_at=0.5)
        Cut(score=0.9519230769230769, probability=0.16666666666666666)
        """
        written = notations.prior(calibrated_at)
        if self.prior is None:
            raise refuse("BR509", "the prior is the sample's own, and conditions know no data", "Conditions(prior=0.001)")
        if written is None:
            text = "a threshold in theory needs the base rate at which the scores are calibrated"
            raise refuse("BR507", text, Fix("calibrated_at=0.5, the prior of the training data", "--calibrated-at 50%"))
        trained, field_odds = written.value, self.exact_prior / (1 - self.exact_prior)
        odds = self.costs.false_alarm / self.costs.miss * (trained / (1 - trained)) / field_odds
        return Cut(rounded(odds / (1 + odds)), self.costs.threshold)

    @property
    def exact_prior(self) -> Fraction:
        """The prior as it was written, before it was rounded to a float."""
        if self._exact is None:
            raise refuse("BR509", "the prior is the sample's own, and conditions know no data", "Conditions(prior=0.001)")
        if not 0 < self._exact < 1:
            raise refuse(
                "BR552", "the sample has cases of one class only: at its own prior there is nothing to weigh", "Conditions(prior=0.001)"
            )
        return self._exact

    def as_shown(self) -> Conditions:
        """The same, with the prior taken for the float that it shows.

        Measures are functions of that float; decisions, which may hang on equality, and what follows from conditions alone are made at
        what was written.
        """
        if self.prior is None or math.isnan(self.prior):
            return self
        shown = Conditions(None, self.costs)
        shown._put(prior=self.prior, as_in_sample=self.as_in_sample, costs_given=self.costs_given, notes=self.notes, _exact=exactly(self.prior))
        shown._put(estimate=self.estimate)
        return shown

    @property
    def at_stake(self) -> tuple[Fraction, Fraction]:
        """What misses and false alarms can cost a case, exactly: prior · (fn − tp) and (1 − prior) · (fp − tn)."""
        return self.exact_prior * Fraction(self.costs.miss), (1 - self.exact_prior) * Fraction(self.costs.false_alarm)

    def __repr__(self) -> str:
        prior = "" if self.as_in_sample else f"prior={self.prior!r}"
        costs = f"costs={self.costs!r}" if self.costs_given else ""
        return f"Conditions({', '.join(filter(None, (prior, costs)))})"

    def __str__(self) -> str:
        """For a person: the base rate, and the costs where they were given; `told` says what is assumed where they were not."""
        number = "" if self.prior is None or math.isnan(self.prior) else f"{self.prior:.6g}"
        prior = ", ".join(filter(None, (number, "as in the sample" if self.as_in_sample else "")))
        return f"prior {prior}; {self.costs.spoken}" if self.costs_given else f"prior {prior}"


# What decides where no costs are given.
ASSUMED = "equal costs assumed (a miss counts like a false alarm)"


def told(at: Any, *, by_cost: bool) -> str:
    """`Conditions` or `Uncertain` ones in words; where costs decide and nobody gave any, that equal costs are assumed."""
    return f"{at}, {ASSUMED}" if by_cost and not at.costs_given else str(at)


def _planned_for(estimate: Estimated) -> float:
    """The value of an estimate, where it is a base rate at which anything can be planned."""
    if not 0 < estimate.value < 1:
        text = (
            f"the estimated base rate is {estimate.value:g} (from {estimate.low:.4g} to {estimate.high:.4g}), which is no base rate to plan for"
        )
        raise refuse("BR537", text, f"Conditions(prior={max(estimate.high, 1e-6):.2g})" if estimate.value == 0 else "Conditions(prior=0.99)")
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
    written = notations.share(given) if isinstance(given, str) else notations.from_number(given)
    if written is None or not 0 < written.value <= 1:
        text = f"the share of negatives kept must lie above 0 and not above 1, got {quoted(given)}"
        raise refuse("BR506", text, 'for 1 negative kept in 100 write "1%"; where 1 % were removed, "99%"')
    return written.value
