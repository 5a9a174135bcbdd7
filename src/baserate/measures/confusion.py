"""One operating point, `Confusion`; a measure as a value, `Measure`; and its reading at any
conditions.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from baserate import numbers
from baserate.conditions import Conditions, checked_conditions
from baserate.counts.counts import Counts
from baserate.counts.points import LABELS_MISSING, ONLY_RATES, Points
from baserate.errors import Note, quoted, refuse
from baserate.measures import formulas
from baserate.measures.registry import (
    CATALOGUE,
    SYNONYMS,
    AlongPoints,
    Definition,
    Formula,
    Outcomes,
    Parameter,
    at_one_point,
    plain_name,
    weight_of_negatives,
)
from baserate.notation import base_rate, checked_volume, from_number, parse_number, split_call
from baserate.numbers import (
    Floats,
    Reading,
    Undefinable,
    Undefined,
    exactly,
    html_table,
    rounded,
)

NOT_SAID: Any = numbers.NOT_SAID
ASSUMES_LABEL_SHIFT = (
    "this assumes that the scores within each class are the same in the field (label shift)"
)
# More cases than this there are not; beyond it, floats would overflow.
LARGEST = 10**300


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How many cases of each class were flagged, and how many were not?

    `tp` and `fn` are the positives, `fp` and `tn` the negatives; `tp` and `fp` were flagged. The
    four are always named, because sources list them in different orders. Any measure is read by
    its name.

    >>> from baserate import Confusion
    >>> Confusion(tp=40, fp=10, fn=10, tn=40)["f1"]
    0.8
    >>> Confusion(tp=40, fp=1000, fn=10, tn=4000)["precision"]
    0.038461538461538464
    """

    tp: float | Fraction
    fp: float | Fraction
    fn: float | Fraction
    tn: float | Fraction
    why_no_prior: str = field(default="", compare=False)
    labels_missing: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "fn", "tn"):
            value = getattr(self, name)
            value = value.item() if isinstance(value, np.generic) else value
            number = isinstance(value, int | float | Fraction) and not isinstance(value, bool)
            if not number or not 0 <= value < LARGEST:
                raise refuse(
                    "BR551",
                    f"{name} must be a number of cases, 0 or more, got {quoted(value)}",
                    "Confusion(tp=40, fp=10, fn=10, tn=40)",
                )
            whole = isinstance(value, Fraction) and value.denominator == 1
            object.__setattr__(self, name, int(value) if whole else value)

    @classmethod
    def from_rates(cls, *, tpr: float, fpr: float, positives: float, negatives: float) -> Confusion:
        """The confusion of a ROC point in a sample with these numbers of positives and negatives.

        >>> from baserate import Confusion
        >>> Confusion.from_rates(tpr=0.8, fpr=0.2, positives=50, negatives=5000)
        Confusion(tp=40, fp=1000, fn=10, tn=4000)
        """
        shares = []
        for name, rate, total in (("tpr", tpr, positives), ("fpr", fpr, negatives)):
            share, cases = from_number(rate), from_number(total)
            if (
                share is None
                or cases is None
                or not 0 <= share.value <= 1
                or not 0 <= cases.value < LARGEST
            ):
                text = (
                    f"{name} must be a share of 0 or more cases, got {quoted(rate)} of"
                    f" {quoted(total)}"
                )
                raise refuse("BR550", text, "give shares between 0 and 1")
            flagged = share.value * cases.value
            # A rate such as 0.3333333 stands for a whole number of cases wherever there is one that
            # close.
            close = abs(flagged - round(flagged)) <= min(
                Fraction(round(flagged), 10**9), Fraction(1, 1000)
            )
            near = Fraction(round(flagged)) if close else flagged
            shares.append((near, cases.value - near))
        (tp, fn), (fp, tn) = shares
        return cls(tp=tp, fp=fp, fn=fn, tn=tn)

    def __iter__(self) -> Iterator[float | Fraction]:
        return iter((self.tp, self.fp, self.fn, self.tn))

    def __getitem__(self, name: str | Measure) -> float:
        """A measure at the sample's own prior and equal costs."""
        return measure(self, name)

    @property
    def prior(self) -> float:
        """The share of positives in the sample."""
        exact = self.exact_prior
        return exact if isinstance(exact, Undefined) else rounded(Fraction(exact))

    @cached_property
    def exact_prior(self) -> Fraction | Undefined:
        """The same as a fraction."""
        tp, fp, fn, tn = map(exactly, self)
        cases = tp + fp + fn + tn
        return (tp + fn) / cases if cases else Undefined("no cases")

    def __repr__(self) -> str:
        return f"Confusion({', '.join(f'{name}={_format_cases(getattr(self, name))}' for name in ('tp', 'fp', 'fn', 'tn'))})"  # noqa: E501

    def _repr_html_(self) -> str:
        rows = (
            ("positives", _format_cases(self.tp), _format_cases(self.fn)),
            ("negatives", _format_cases(self.fp), _format_cases(self.tn)),
        )
        return html_table(repr(self), ("", "flagged", "not flagged"), rows)


def _format_cases(number: Any) -> str:
    return f"{float(number):.6g}" if isinstance(number, Fraction) else repr(number)


def measure(
    source: Counts | Points | Confusion,
    name: str | Measure,
    *,
    threshold: float | None = NOT_SAID,
    at: Conditions | None = None,
    volume: float | None = None,
) -> Reading:
    """What is this measure's value, at this threshold and under these conditions?

    `source` is a `Confusion`, or `Counts` (or `Points`) with a threshold: `score >= threshold` is
    flagged, and None flags nothing. The default conditions are the sample's own prior and equal
    costs. The value is exact, rounded once; 0/0 is NaN with its reason.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.measure(counts, "precision", threshold=0.35, at=br.Conditions(prior=0.01))
    0.019801980198019802
    """
    asked = named(name, checked_volume(volume))
    if volume is not None and not asked.counts_cases:
        raise refuse(
            "BR532",
            f"{asked.name} does not count cases, so `volume` has no effect on it",
            "leave volume out",
        )
    confusion, notes = _locate_confusion(source, threshold)
    at = checked_conditions(at)
    try:
        value = rounded(exact_value(asked, confusion, at.as_shown()))
    except Undefinable as undefined:
        return Undefined(undefined.reason)
    return Reading(value, (*notes, *at.notes, *reading_notes(asked, confusion, at)))


def resolved_for(points: Points, at: Conditions, measures: Sequence[Measure] = ()) -> Conditions:
    """The conditions with the sample's prior filled in; where it may not be, and nothing requested
    needs one, without.
    """
    if (
        points.why_no_prior
        and at.as_in_sample
        and not any(measure.depends_on_prior for measure in measures)
    ):
        return Conditions(None, at.costs if at.costs_given else None)
    return at_prior(points, at)


def at_prior(points: Points, at: Conditions) -> Conditions:
    """The conditions with the sample's prior filled in; one class alone has no other prior."""
    resolved = at.within(points.exact_prior, points.why_no_prior)
    if not resolved.as_in_sample and not (points.total_positives and points.total_negatives):
        missing = "negatives" if points.total_positives else "positives"
        raise refuse(
            "BR552",
            f"no {missing} in the sample: nothing is known of them at another prior",
            "leave the prior out, or add cases",
        )
    return resolved


def _locate_confusion(source: Any, threshold: Any) -> tuple[Confusion, tuple[Note, ...]]:
    if isinstance(source, Confusion):
        if threshold is not NOT_SAID:
            raise refuse(
                "BR529",
                "a confusion is one operating point: it takes no threshold",
                "leave threshold out, or give Counts",
            )
        return source, ()
    points = Points.of(source)
    if threshold is NOT_SAID:
        raise refuse(
            "BR529",
            "which threshold? Counts hold many operating points",
            "threshold=0.5, or None to flag nothing",
        )
    return confusion_at(points, points.place(threshold)), out_of_range(points, threshold)


def confusion_at(points: Points, index: int) -> Confusion:
    """The confusion of one of the points; where only rates are known, exact complements of them."""
    tp, fp, fn, tn = points.counted(index)
    if points.why_no_prior == ONLY_RATES:
        fn, tn = 1 - Fraction(tp), 1 - Fraction(fp)
    return Confusion(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        why_no_prior=points.why_no_prior,
        labels_missing=points.labels_missing,
    )


def interpolate_confusions(one: Confusion, other: Confusion, share: Fraction) -> Confusion:
    """The confusion on the straight line from one to the other, so far along it."""
    tp, fp, fn, tn = (
        exactly(a) + share * (exactly(b) - exactly(a)) for a, b in zip(one, other, strict=True)
    )
    return Confusion(
        tp=tp, fp=fp, fn=fn, tn=tn, why_no_prior=one.why_no_prior, labels_missing=one.labels_missing
    )


def out_of_range(points: Points, threshold: float | None) -> tuple[Note, ...]:
    """A threshold beyond every score is more often a slip (50 for 0.5) than a wish."""
    if threshold is None or not len(points.scores):
        return ()
    highest, lowest = points.scores[0].item(), points.scores[-1].item()
    if lowest <= threshold <= highest:
        return ()
    where, end, what = (
        ("above", f"highest is {highest:.6g}", "nothing")
        if threshold > highest
        else ("below", f"lowest is {lowest:.6g}", "everything")
    )
    text = f"threshold {quoted(threshold)} lies {where} every score (the {end}): {what} is flagged"
    return (Note("BR529", text),)


def exact_value(asked: Measure, confusion: Confusion, at: Conditions) -> Fraction:
    """The measure as an exact fraction (roots and logarithms to far more than a float);
    `Undefinable` where there is none.
    """
    return Fraction(asked.formula(_outcomes_of(asked, confusion, at)))


def _outcomes_of(asked: Measure, confusion: Confusion, at: Conditions) -> Outcomes:
    """What the formula sees of one confusion; `Undefinable` where the sample does not say."""
    if asked.needs_counts and confusion.why_no_prior == ONLY_RATES:
        raise Undefinable(ONLY_RATES)
    counted = (confusion.tp, confusion.fp, confusion.fn, confusion.tn)
    at = _with_prior(asked, confusion, at)
    positives, negatives = (
        exactly(confusion.tp) + exactly(confusion.fn),
        exactly(confusion.fp) + exactly(confusion.tn),
    )
    weight = weight_of_negatives(positives, negatives, at)
    if weight is None and asked.depends_on_prior:
        raise Undefinable(f"no {'negatives' if positives else 'positives'} in the sample")
    return at_one_point(counted, weight or Fraction(1), at)


def _with_prior(asked: Measure, sample: Confusion | Points, at: Conditions) -> Conditions:
    """The conditions with the sample's prior, where the measure needs one and none is given."""
    if not asked.depends_on_prior or (at.prior is not None and not at.as_in_sample):
        return at
    return at.within(sample.exact_prior, why_no_prior(asked, sample))


def why_no_prior(asked: Measure, sample: Confusion | Points) -> str:
    """Why this measure may not be read at the sample's own prior; nothing where it may.

    How many positives there are among a volume is not known where cases have no label. How many
    cases are flagged needs none.
    """
    per_volume = asked.counts_cases and asked.name != "alerts"
    return sample.why_no_prior or (LABELS_MISSING if per_volume and sample.labels_missing else "")


def measure_along(asked: Measure, points: Points, at: Conditions) -> Floats:
    """The measure at every point, as float64; NaN where it is undefined."""
    if asked.name in ("tpr", "fpr"):
        return (
            points.tpr if asked.name == "tpr" else points.fpr
        )  # kept by the points: most curves have one of them as an axis
    at = _with_prior(asked, points, at)
    weight = weight_of_negatives(points.total_positives, points.total_negatives, at.as_shown())
    if (weight is None and asked.depends_on_prior) or (
        asked.needs_counts and points.why_no_prior == ONLY_RATES
    ):
        return np.full(len(points), math.nan)
    if weight is None or not asked.depends_on_prior:
        weight = Fraction(1)
    values = asked.formula(AlongPoints(points, weight, at))
    return np.broadcast_to(values, len(points)).astype(
        np.float64, copy=not isinstance(values, np.ndarray)
    )


def reading_notes(asked: Measure, confusion: Confusion, at: Conditions) -> Iterator[Note]:
    """What a reader of this value should know."""
    if asked.depends_on_prior:
        yield from label_shift_of(at, confusion)
    if asked.name in ("accuracy", "error"):
        yield from no_better_than_majority(
            exact_value(Measure("accuracy"), confusion, at), at, confusion
        )


def label_shift_of(at: Conditions, sample: Confusion | Points) -> tuple[Note, ...]:
    """The assumption behind every number at another base rate than that of the sample."""
    if at.prior is None or at.as_in_sample:
        return ()
    own = None if sample.why_no_prior else sample.prior
    if at.prior == own:
        return ()
    return (note_label_shift([at.prior], [own if own and 0 < own < 1 else None]),)


def note_label_shift(priors: Sequence[float], samples: Sequence[float | None]) -> Note:
    """Return the note that these base rates are not those of the samples (None: chosen totals)."""
    rates = list(dict.fromkeys(base_rate(prior, brief=True) for prior in priors))
    known = list(dict.fromkeys(samples))
    of = f"a base rate of {rates[0]}" if len(rates) == 1 else f"base rates of {', '.join(rates)}"
    own = " (not those of the samples)"
    if len(known) == 1:
        own = "" if known[0] is None else f" (sample: {base_rate(known[0], brief=True)})"
    return Note(
        "BR526",
        f"computed for {of}{own}; {ASSUMES_LABEL_SHIFT}",
        values={"priors": tuple(priors), "samples": tuple(samples)},
    )


def no_better_than_majority(
    accuracy: Fraction, at: Conditions, confusion: Confusion
) -> Iterator[Note]:
    """Accuracy can be high although one answer for all is as good."""
    positives, negatives = (
        exactly(confusion.tp) + exactly(confusion.fn),
        exactly(confusion.fp) + exactly(confusion.tn),
    )
    prior = (
        positives / (positives + negatives)
        if at.prior is None or at.as_in_sample
        else at.exact_prior
    )
    majority = max(prior, 1 - prior)
    if accuracy <= majority:
        answer = "flagging nothing" if 2 * prior <= 1 else "flagging everything"
        yield Note(
            "BR527",
            f"accuracy {float(accuracy):.6g} is not better than {answer}, which has"
            f" {float(majority):.6g} at this base rate",
        )


# ----------------------------------------------------------------------
# A measure as a value: it prints as one would type it, and what is printed parses back.

__all__ = ["Measure", "formulas", "in_costs", "named", "parse"]

F_NUMBER = re.compile(r"f_?(\d{1,6}(?:\.\d{1,6})?)(?:_score)?")
# The measures and summaries that costs enter.
COSTED = (
    "expected_cost",
    "normalized_cost",
    "total_cost",
    "savings",
    "net_benefit",
    "volume_cost",
    "min_cost",
)


@dataclass(frozen=True)
class Measure:
    """One of the measures in the registry, with its parameters.

    >>> from baserate import Measure
    >>> Measure.parse("F-beta(beta=2)")
    f_beta(beta=2)
    >>> Measure.parse("recall").name, Measure.parse("recall").direction
    ('tpr', 'higher')
    """

    name: str
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def short_name(self) -> str:
        """The name that points and rules show it by, without the volume."""
        return self.name if self.counts_cases else str(self)

    def __post_init__(self) -> None:
        given = dict(self.parameters)
        for parameter in self._entry.parameters:
            _check_parameter(self.name, parameter, given)
        unknown = set(given) - {parameter.name for parameter in self._entry.parameters}
        if unknown:
            takes = (
                ", ".join(parameter.name for parameter in self._entry.parameters) or "no parameters"
            )
            raise refuse(
                "BR532", f"{self.name} has no parameter {quoted(min(unknown))}", f"it takes {takes}"
            )
        defaults = {parameter.name: parameter.default for parameter in self._entry.parameters}
        ordered = tuple(
            (name, float(given[name]))
            for name in defaults
            if name in given and given[name] != defaults[name]
        )
        object.__setattr__(self, "parameters", ordered)

    @classmethod
    def parse(cls, text: str) -> Measure:
        """A measure from its name, a synonym, or a name with parameters."""
        return parse(text)

    @property
    def _entry(self) -> Definition:
        if self.name not in CATALOGUE:
            raise _unknown_measure(self.name)
        return CATALOGUE[self.name]

    @property
    def definition(self) -> str:
        """The formula as text."""
        return self._entry.text

    @property
    def extremes(self) -> str:
        """What the ends of the range mean."""
        return self._entry.extremes

    @property
    def direction(self) -> str:
        """Which way is better: "higher" or "lower"."""
        return self._entry.direction

    @property
    def range(self) -> tuple[float, float]:
        return self._entry.range

    @property
    def synonyms(self) -> tuple[str, ...]:
        """What else it is called; accepted by the command line and by rules."""
        return self._entry.synonyms

    @property
    def citation(self) -> str:
        return self._entry.citation

    @property
    def depends_on_prior(self) -> bool:
        """Does it change with the base rate? If not, a ROC is enough to know it."""
        return self._entry.prior

    @property
    def straight(self) -> bool:
        """Does it rise or fall all the way along a straight line between two ROC points?"""
        return self._entry.straight

    @property
    def parts(self) -> Formula | None:
        """Numerator and denominator as functions of the outcomes, where both are sums of them."""
        return self._entry.parts

    @property
    def needs_counts(self) -> bool:
        """Does it count the cases of the sample, or add to them, which cannot be done where only
        rates are known?
        """
        return self._entry.counts or any(name == "correction" for name, _ in self.parameters)

    def formula(self, outcomes: Any) -> Any:
        """Its value for outcomes in either arithmetic."""
        return self._entry.formula(outcomes, **dict(self.parameters))

    @property
    def counts_cases(self) -> bool:
        """Whether it is a number of cases, or a sum over them, out of a volume."""
        return self._entry.per_volume

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={_format_value(value)}" for name, value in self.parameters)
        return f"{self.name}({inside})" if inside else self.name

    __repr__ = __str__


def parse(text: str, volume: float | None = None) -> Measure:
    """A measure as people write it: any synonym, any case; `volume` is used where the measure needs
    one and has none.
    """
    name, arguments = split_call(text, "measure")
    key = plain_name(name)
    if key not in SYNONYMS:
        found = F_NUMBER.fullmatch(key)  # F2 and F0.5, as people write them
        if found and not arguments:
            return Measure("f_beta", (("beta", float(found[1])),))
        raise _unknown_measure(name)
    name = SYNONYMS[key]
    parameters = _read_parameters(name, arguments)
    if volume is not None and CATALOGUE[name].per_volume:
        if parameters.get("volume", volume) != volume:
            raise refuse(
                "BR532",
                f"{name} is given two volumes: {parameters['volume']:g} and {volume:g}",
                "give it once",
            )
        parameters["volume"] = volume
    return Measure(name, tuple(parameters.items()))


def in_costs(*names: str) -> bool:
    """Do costs enter one of these, written as a measure or summary prints? Net benefit at a
    threshold probability given needs none.
    """
    return any(
        name.partition("(")[0].partition(" ")[0] in COSTED and not name.startswith("net_benefit(")
        for name in names
    )


def named(text: str | Measure, volume: float | None = None) -> Measure:
    """A measure, or what `parse` makes of its name."""
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise refuse(
            "BR531", f"a measure is named by text, got {type(text).__name__}", 'such as "precision"'
        )
    return parse(text, volume)


def _read_parameters(name: str, arguments: Sequence[tuple[str, str, str]]) -> dict[str, float]:
    known, given = CATALOGUE[name].parameters, dict[str, float]()
    for place, (key, equals, value) in enumerate(arguments):
        if not equals:
            if place >= len(known):
                raise refuse(
                    "BR532",
                    f"{name} takes {len(known)} parameters, got {quoted(key)}",
                    f"see the definition of {name}",
                )
            key, value = known[place].name, key  # noqa: PLW2901
        if key in given:
            raise refuse(
                "BR532", f"{name} is given {quoted(key)} twice", "give each parameter once"
            )
        given[key] = _read_parameter(name, key, value)
    return given


def _read_parameter(name: str, key: str, text: str) -> float:
    if text.casefold() in ("inf", "infinity", "∞"):
        return math.inf
    value = parse_number(text)
    if value is None or math.isinf(rounded(value)):
        raise refuse(
            "BR532",
            f"{name}: {key} is {quoted(text)}, which is not a number",
            f"write {name}({key}=2)",
        )
    return rounded(value)


def _check_parameter(name: str, parameter: Parameter, given: Mapping[str, float]) -> None:
    if parameter.name not in given:
        if parameter.default is None and not parameter.optional:
            raise refuse(
                "BR532",
                f"{name} needs {parameter.name}: {parameter.meaning}",
                f"write {name}({parameter.name}=…)",
            )
        return
    value = given[parameter.name]
    try:
        allowed = not isinstance(value, bool | str) and parameter.allows(float(value))
    except (TypeError, ValueError, OverflowError):
        allowed = False
    if not allowed:
        low = "above" if parameter.above_low else "at least"
        high = "" if math.isinf(parameter.high) else f" and at most {_format_value(parameter.high)}"
        raise refuse(
            "BR532",
            f"{name}: {parameter.name} must be {low} {_format_value(parameter.low)}{high}, got"
            f" {quoted(value)}",
            "correct it",
        )


def _format_value(value: float) -> str:
    """A number as one would type it."""
    if math.isfinite(value) and float(value).is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(float(value))


def _unknown_measure(name: str) -> Exception:
    near = difflib.get_close_matches(plain_name(name), list(SYNONYMS), n=1)
    if not near:
        return refuse("BR531", f"unknown measure {quoted(name)}", f"one of {', '.join(CATALOGUE)}")
    meant = next(
        synonym
        for synonym in (SYNONYMS[near[0]], *CATALOGUE[SYNONYMS[near[0]]].synonyms)
        if plain_name(synonym) == near[0]
    )
    here = "" if meant == SYNONYMS[near[0]] else f" (here: {SYNONYMS[near[0]]})"
    return refuse(
        "BR531",
        f"unknown measure {quoted(name)}; did you mean {quoted(meant)}{here}?",
        f'"{SYNONYMS[near[0]]}"',
    )


def rates_read(
    asked: Measure,
    rates: tuple[Floats, Floats],
    prior: Any,
    costs: tuple[Any, ...],
    totals: tuple[Any, Any] = (1.0, 1.0),
) -> Floats:
    """A measure for arrays of rates, at base rates and costs (tp, fp, fn, tn) that may be arrays
    too.
    """
    (t, f), (tp, fp, fn, tn) = rates, costs
    counted = (totals[0] * t, totals[1] * f, totals[0] * (1 - t), totals[1] * (1 - f))
    outcomes = Outcomes(
        prior * t,
        (1 - prior) * f,
        prior * (1 - t),
        (1 - prior) * (1 - f),
        counted,
        fn - tp,
        fp - tn,
        (tp, fp, fn, tn),
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.broadcast_to(np.asarray(asked.formula(outcomes), dtype=np.float64), t.shape)
