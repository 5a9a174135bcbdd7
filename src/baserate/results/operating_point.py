"""`OperatingPoint`: a threshold or a budget, what it flags, and under which conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.cells import Array, short
from baserate.errors import Fix, InputError, Note, number_of, quoted, refuse, with_notes
from baserate.measures.confusion import Confusion, Measure, measure, named
from baserate.notation import percent
from baserate.numbers import TableCells, Viewed, format_cell, make_view, rounded

# Labels were noted to depend on the score.
SELECTIVE = "BR116"
SAME_CASES = (
    "the threshold was chosen and evaluated on the same data, so these figures are optimistic;"
    " evaluate on held-out data"
)
ON_SAME_CASES = Note("BR528", SAME_CASES, Fix("choose(dev).on(test)", "choose --test FILE"))

# ----------------------------------------------------------------------
# `OperatingPoint`: where a classifier is set, what it flags there, and under which conditions that
# is read.


How = Literal["threshold", "tie", "interpolated", "nearest", "guess"]
THRESHOLD: How = "threshold"
TIE: How = "tie"
INTERPOLATED: How = "interpolated"
ATTAINED: How = "nearest"
GUESS: How = "guess"
# What is shown of every point, and of one with a volume.
AT_A_POINT = (
    "tpr",
    "fpr",
    "tnr",
    "fnr",
    "precision",
    "npv",
    "posfrac",
    "accuracy",
    "f1",
    "expected_cost",
    "normalized_cost",
)
OF_A_VOLUME = ("alerts", "caught", "missed", "false_alarms", "volume_cost")
# What a notebook shows of a point.
CLASS_RATES = ("tpr", "fpr")
AT_A_PRIOR = ("precision", "npv", "posfrac")
PER_VOLUME = ("alerts", "caught", "missed")
# How many cases are flagged needs no label: these are read from what was counted, where it was.
COUNTED = ("posfrac", "alerts")


def measure_attribute(owner: object, name: str, point: OperatingPoint) -> float:
    """Return the measure of this name at the point, as an attribute of its owner."""
    try:
        found = named(name, point.volume)
    except InputError as error:
        raise AttributeError(f"{type(owner).__name__} has no {name!r}: {error}") from None
    return point[found]


@dataclass(frozen=True)
class OperatingPoint(Viewed):
    """Where is the classifier set, and what follows?

    Cases with `score >= threshold` are flagged; a threshold of None flags none, one of -inf all of
    them. Where `share` is below 1, cases from `lower_threshold` up to the threshold are flagged
    too, with that probability, and every number is an expected value; `merged` says that those may
    have several scores. `how` says of which kind the point is, and `in_advance` whether it was set
    before these cases were seen. `guarantee` is what holds in
    the field at this threshold, where that was requested. `intervals` holds the intervals of its
    measures, by name, where they were requested. Outcomes are those of the sample; rates
    within a class are the sample's too; precision, npv, posfrac and costs are read at `at`. Any
    other measure is `point["mcc"]` or `point.mcc`, by any of its names. Where cases without labels
    were scored too, `counted` says how many are flagged of how many in all, and the flagged share
    (posfrac) and alerts are those.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> point = br.choose(counts, "recall >= 0.9", at=br.Conditions(prior=0.01))
    >>> point.threshold, point.tpr, point.fpr, round(point.precision, 4)
    (0.35, 1.0, 0.5, 0.0198)
    """

    threshold: float | None
    confusion: Confusion
    at: Conditions
    how: How = THRESHOLD
    rule: str = ""
    optimized: str = ""
    exact_share: Fraction = Fraction(1)
    lower_threshold: float | None = None
    merged: bool = False
    volume: float | None = None
    best: Confusion | None = None
    worst: Confusion | None = None
    in_advance: bool = False
    # The highest scores below either threshold, by which these are shown in few digits; None where
    # a threshold is shown as it was given.
    below: float | None = field(default=None, compare=False, repr=False)
    lower_below: float | None = field(default=None, compare=False, repr=False)
    counted: tuple[int, int] | None = None
    guarantee: Any = None
    # Measures that are shown of the point, besides the usual ones and what it was chosen by.
    shown: tuple[str, ...] = field(default=(), compare=False, repr=False)
    intervals: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    # Conditions that are not known exactly, of which `at` is the middle, and the regret over them.
    over: Conditions | None = None
    regret: Any = None
    # Were scores negated before they were counted, because low ones are suspicious?
    negated: bool = field(default=False, repr=False)

    def __getitem__(self, name: str | Measure) -> float:
        """Any measure at this point and its conditions."""
        asked = named(name, self.volume)
        if self.counted is not None and asked.name in COUNTED:
            return rounded(
                Fraction(*self.counted) * Fraction(dict(asked.parameters).get("volume", 1))
            )
        return measure(self.confusion, asked, at=self.at)

    if not TYPE_CHECKING:  # a type checker knows the names below; any other is a slip

        def __getattr__(self, name: str) -> float:
            """Any measure by any of its names: `point.recall`, `point.ppv`."""
            return measure_attribute(self, name, self)

    @property
    def share(self) -> float:
        """The probability of flagging a case from `lower_threshold` up to the threshold."""
        return rounded(self.exact_share)

    @property
    def tp(self) -> float:
        return _plain_cases(self.confusion.tp)

    @property
    def fp(self) -> float:
        return _plain_cases(self.confusion.fp)

    @property
    def fn(self) -> float:
        return _plain_cases(self.confusion.fn)

    @property
    def tn(self) -> float:
        return _plain_cases(self.confusion.tn)

    @property
    def tpr(self) -> float:
        return self["tpr"]

    @property
    def fpr(self) -> float:
        return self["fpr"]

    @property
    def tnr(self) -> float:
        return self["tnr"]

    @property
    def fnr(self) -> float:
        return self["fnr"]

    @property
    def precision(self) -> float:
        return self["precision"]

    @property
    def npv(self) -> float:
        return self["npv"]

    @property
    def posfrac(self) -> float:
        return self["posfrac"]

    @property
    def expected_cost(self) -> float:
        return self["expected_cost"]

    @property
    def regardless(self) -> float | None:
        """Which share of the cases is flagged whatever their scores: 0 where nothing is flagged, 1
        for everything; None where scores decide.
        """
        if self.how == GUESS:
            return self.share
        if self.threshold is None and self.share == 1:
            return 0.0
        return 1.0 if self.threshold == -math.inf else None

    @property
    def objective(self) -> str:
        """What was optimized; the recall of a budget as the positives caught, where the base rate
        of all cases is known.
        """
        caught = (
            self.optimized == "tpr"
            and self.volume is not None
            and not (self.confusion.labels_missing and self.at.as_in_sample)
        )
        return "caught" if caught else self.optimized

    def on(self, counts: Any, at: Conditions | None = None) -> OperatingPoint:
        """The same setting on other cases: what a threshold chosen on development data does on test
        data.

        >>> import baserate as br
        >>> dev, test = br.count([0, 1], [0.2, 0.9]), br.count([0, 1, 1], [0.1, 0.7, 0.95])
        >>> br.choose(dev).on(test).tpr
        0.5
        """
        found: OperatingPoint = make_view("on", self, counts=counts, at=at)
        return found

    def flags(
        self, scores: npt.ArrayLike, /, *, seed: int = 0, key: npt.ArrayLike | None = None
    ) -> npt.NDArray[np.bool_]:
        """Which cases does this point flag? True for every score at or above the threshold.

        Where a point flags a share of the cases between two thresholds, as many of these as the
        share says: those that come first by a hash of `key` (an id of each case), or by a draw with
        this `seed`. Scores are given as the model gives them, also where low ones are suspicious.

        >>> import baserate as br
        >>> br.choose(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), "fpr <= 0").flags([0.9, 0.5])
        array([ True, False])
        """
        values = _scores_to_flag(scores)
        if self.negated:
            values = -values
        certain = _flagged_from(values, self.threshold)
        if self.share == 1 and self.how != GUESS:
            return certain
        # A random classifier draws from all cases.
        below = self.how == GUESS or _flagged_from(values, self.lower_threshold)
        rows = np.flatnonzero(~certain & below)
        rank = (
            np.random.default_rng(seed).permutation(len(rows))
            if key is None
            else _hashed_order(key, rows, len(values), seed)
        )
        certain[rows[np.argsort(rank, kind="stable")[: round(self.share * len(rows))]]] = True
        return certain

    def interval(self, name: str | Measure, *, level: float = 0.95) -> Any:
        """The interval of any measure here, the threshold treated as fixed in advance."""
        return make_view("interval", self, name=name, level=level)

    def plot(self, **given: Any) -> Any:
        """The tree of outcomes: of 1,000 cases or the volume, how many are flagged, and rightly.
        `ax` also draws it on these axes of matplotlib.
        """
        return make_view("plot", self, **given)

    def __repr__(self) -> str:
        if self.over is not None and not self.in_advance:
            return f"OperatingPoint: {describe_regret(self)}"
        no_prior = self.at.prior is None
        # Without costs the expected cost is the share of errors.
        cost = "expected_cost" if self.at.costs_given else "error"
        known = ("tpr", "fpr") if no_prior else ("tpr", "fpr", "precision", "posfrac", cost)
        rates = ", ".join(f"{name} {self[name]:.4g}" for name in known)
        sure = (
            ""
            if self.guarantee is None
            else f"; {self.guarantee} guaranteed at {percent(self.guarantee.level)}"
            + (" among labelled cases only" if is_selective(self) else "")
        )
        return (
            f"OperatingPoint: {describe_setting_in_full(self)}{sure}; {rates}; at"
            f" {'no base rate' if no_prior else self.at}"
        )

    def __str__(self) -> str:
        return with_notes(repr(self), self.notes)

    def _table_cells(self) -> TableCells:
        rows = [(name, format_cell(getattr(self, name))) for name in ("tp", "fp", "fn", "tn")]
        cost = "expected_cost" if self.at.costs_given else "error"
        names = (
            *CLASS_RATES,
            *((*AT_A_PRIOR, cost) if self.at.prior is not None else ()),
            *(PER_VOLUME if self.volume is not None else ()),
        )
        rows += [(name, format_cell(self[name], 4)) for name in names]
        return ("", "value"), rows


def _scores_to_flag(scores: Any) -> Array:
    """Scores to be flagged: one finite or infinite number per case."""
    values = np.asarray(scores)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        raise refuse(
            "BR201",
            "scores are one number per case",
            "flags(frame[column]), with the column that has the scores of this model"
            if hasattr(scores, "columns")
            else "give an array of numbers",
        )
    gone = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    if gone:
        raise refuse(
            "BR201",
            f"{number_of(gone, 'score')} missing or NaN: a missing score has no rank",
            "leave those cases out, or score them",
        )
    return values.astype(np.int64 if values.dtype.kind in "biu" else np.float64)


def _flagged_from(values: Array, threshold: Any) -> npt.NDArray[np.bool_]:
    if threshold is None:
        return np.zeros(len(values), dtype=np.bool_)
    return np.asarray(values >= threshold)


def _hashed_order(key: Any, rows: Array, length: int, seed: int) -> Array:
    """Places in an order that depends on each case's own key alone."""
    from hashlib import sha256

    keys = list(key)
    if len(keys) != length:
        raise refuse("BR211", f"{len(keys)} keys for {length} scores", "give one key per case")
    return np.array([sha256(f"{seed}:{keys[row]}".encode()).hexdigest() for row in rows])


def describe_regret(point: OperatingPoint) -> str:
    """A point of least regret: where it is set, its regret, and over which conditions."""
    how = "on average" if point.regret.averaged else "at most"
    regret = f"regret {how} {point.regret.value:.4g} per case"
    return f"{describe_setting_in_full(point)}; {regret}; at {point.over}"


def describe_setting(point: OperatingPoint) -> str:
    """Where the classifier is set, for a person."""
    if point.how == GUESS:
        return f"flag {format_share(point.share)} of the cases at random"
    if point.regardless is not None:
        return "flag everything" if point.regardless else "flag nothing"
    if point.share == 1:
        return f"score ≥ {format_threshold(point)}"
    if point.how == TIE:
        tied = f"{format_share(point.share)} of those {describe_tied_cases(point)}, drawn at random"
        return tied if point.threshold is None else f"score ≥ {format_threshold(point)}, and {tied}"
    other = "nothing" if point.threshold is None else f"score ≥ {format_threshold(point)}"
    share = f"{format_share(point.share)} of the cases"
    return f"score ≥ {_format_lower(point)} for {share}, {other} for the rest"


def describe_setting_in_full(point: OperatingPoint) -> str:
    """The same with every digit of the threshold, as `point.threshold` has it."""
    return describe_setting(replace(point, below=None, lower_below=None))


def format_threshold(point: OperatingPoint) -> str:
    """The threshold in as few digits as flag the same cases; as it was given where it was set by
    hand.
    """
    return short(point.threshold, point.below)


def _format_lower(point: OperatingPoint) -> str:
    return short(point.lower_threshold, point.lower_below)


def describe_briefly(point: OperatingPoint) -> str:
    """The same in few words, for a table."""
    if point.regardless is not None:
        return describe_setting(point)
    if point.share == 1:
        return f">= {format_threshold(point)}"
    if point.how == TIE:
        where = (
            f"from {_format_lower(point)}"
            if point.merged
            else f"at {quoted(point.lower_threshold)}"
        )
        tied = f"{format_share(point.share)} {where}"
        return tied if point.threshold is None else f">= {format_threshold(point)}, {tied}"
    other = "nothing" if point.threshold is None else f">= {format_threshold(point)}"
    return f"{format_share(point.share)} >= {_format_lower(point)}, else {other}"


def describe_tied_cases(point: OperatingPoint) -> str:
    """Which cases a share is drawn from: those of one score, or of a run that is known only as a
    whole.
    """
    if not point.merged:
        return f"at {quoted(point.lower_threshold)}"
    return f"from {_format_lower(point)} up" + (
        "" if point.threshold is None else f" to {format_threshold(point)}"
    )


def format_share(share: float | Fraction) -> str:
    """Return a share in percent."""
    return f"{float(100 * share):.3g} %"


def _plain_cases(value: Any) -> float:
    return rounded(value) if isinstance(value, Fraction) else value


def is_selective(point: OperatingPoint) -> bool:
    """Whether labels were noted to depend on the score."""
    return any(note.code == SELECTIVE for note in point.notes)
