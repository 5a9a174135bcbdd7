"""What if the labels are wrong, or known only for the cases that were verified?"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from baserate import notation
from baserate.conditions import Conditions, checked_conditions
from baserate.counts.points import ONLY_RATES
from baserate.errors import Note, quoted, refuse
from baserate.inference.sample_size import checked_share, confusion_of
from baserate.measures.confusion import Confusion, Measure, measure
from baserate.numbers import Viewed, exactly, rounded
from baserate.results.operating_point import OperatingPoint

STEPS = 4


@dataclass(frozen=True)
class _Corrected(Viewed):
    """Outcomes as they were labelled (`apparent`), and as they would be expected with the right
    labels (`confusion`).
    """

    apparent: Confusion
    confusion: Confusion
    at: Conditions | None = field(default=None, kw_only=True)
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False, kw_only=True)

    def __getitem__(self, name: str | Measure) -> float:
        """Any measure of the corrected outcomes."""
        return measure(self.confusion, name, at=self.at)

    @property
    def tpr(self) -> float:
        return self["tpr"]

    @property
    def fpr(self) -> float:
        return self["fpr"]

    @property
    def precision(self) -> float:
        return self["precision"]

    @property
    def prior(self) -> float:
        return self.confusion.prior

    @property
    def apparent_tpr(self) -> float:
        return self.apparent["tpr"]

    @property
    def apparent_fpr(self) -> float:
        return self.apparent["fpr"]

    @property
    def apparent_precision(self) -> float:
        return measure(self.apparent, "precision", at=self.at)

    @property
    def apparent_prior(self) -> float:
        return self.apparent.prior

    @property
    def _shown(self) -> str:
        return ", ".join(
            f"{name} {self[name]:.4g} (apparent {self.apparent[name]:.4g})"
            for name in ("tpr", "fpr")
        )


@dataclass(frozen=True)
class LabelErrors(_Corrected):
    """What are the rates really, if this share of the labels is wrong?

    `tpr`, `fpr`, `precision` and `prior` are the true ones, `apparent_tpr` and so on what the
    labels say, `confusion` and `apparent` the outcomes behind them, so that any measure can be
    read: `found["f1"]`. `largest_hidden` and `largest_spurious` are the largest shares of wrong
    labels, each beside the other as it was given, with which the apparent rates can be explained at
    all.
    """

    hidden: float
    spurious: float
    largest_hidden: float
    largest_spurious: float

    def __repr__(self) -> str:
        return f"LabelErrors: hidden {self.hidden:.6g}, spurious {self.spurious:.6g}; {self._shown}"


@dataclass(frozen=True)
class Verified(_Corrected):
    """What are the rates of all cases, if labels are known of the reviewed ones only?

    `tpr`, `fpr`, `precision` and `prior` are those of all cases, `apparent_tpr` and so on those of
    the reviewed ones; `confusion` holds the expected outcomes of all cases, so that any measure can
    be read.
    """

    flagged: float
    passed: float

    def __repr__(self) -> str:
        return (
            f"Verified: {self.flagged:.6g} of the flagged cases reviewed, {self.passed:.6g} of the"
            f" passed; {self._shown}"
        )


def under_label_errors(
    source: Confusion | OperatingPoint,
    *,
    hidden: Any = 0.0,
    spurious: Any = 0.0,
    at: Conditions | None = None,
) -> LabelErrors:
    """What would the rates be, if some labels are wrong?

    `hidden` is the share of the labelled negatives that are really positive, `spurious` the share
    of the labelled positives that are really negative. Whether a label is wrong must not depend on
    the score, given the true class. Then the apparent rates are mixtures, tpr* = (1 − spurious) ·
    tpr + spurious · fpr and fpr* = (1 − hidden) · fpr + hidden · tpr, and are solved exactly for
    the true ones (Gart & Buck 1966, American Journal of Epidemiology 83:593-602). Precision is read
    at the true prior of the sample, or at `at`.

    Rare positives make this serious: where as many positives hide among the negatives as there are
    labelled ones, half of the precision is not seen.

    >>> import baserate as br
    >>> found = br.robustness.under_label_errors(br.Confusion(tp=80, fp=160, fn=20, tn=9_740), hidden="100 in 9900")
    >>> round(found.apparent_precision, 4), round(found.precision, 4)
    (0.3333, 0.6667)
    >>> round(found.largest_hidden, 4)                          # with more, there would be fewer than no false alarms
    0.0202
    """  # noqa: E501
    apparent, at = confusion_of(source), _conditions(source, at)
    tpr, fpr = _rates(apparent)
    missing, false = _share(hidden, "hidden"), _share(spurious, "spurious")
    if missing + false >= 1:
        raise refuse(
            "BR586",
            f"hidden {rounded(missing):g} and spurious {rounded(false):g} make 1 or more: the"
            " labels would carry no information",
            "give shares that add up to less than 1",
        )
    most = _largest(fpr, tpr, false), _largest(tpr, fpr, missing)
    if missing > most[0] or false > most[1]:
        raise _impossible(
            (missing, false),
            most,
            (_largest(fpr, tpr, Fraction(0)), _largest(tpr, fpr, Fraction(0))),
        )
    left = 1 - missing - false
    true = ((1 - missing) * tpr - false * fpr) / left, ((1 - false) * fpr - missing * tpr) / left
    return LabelErrors(
        apparent,
        _relabelled(apparent, true, missing, false),
        rounded(missing),
        rounded(false),
        *map(_down, most),
        at=at,
        notes=(_INDEPENDENT,),
    )


def label_error_table(
    source: Confusion | OperatingPoint,
    *,
    hidden: Iterable[Any] | None = None,
    spurious: Any = 0.0,
    at: Conditions | None = None,
) -> tuple[LabelErrors, ...]:
    """How do the rates change with the share of positives that hide among the labelled negatives?

    One entry a share; without any, from 0 in quarters to the largest that the apparent rates allow.

    >>> import baserate as br
    >>> for row in br.robustness.label_error_table(br.Confusion(tp=80, fp=160, fn=20, tn=9_840)):
    ...     print(f"{row.hidden:.3%} hidden: fpr {row.fpr:.4f}, precision {row.precision:.3f}")
    0.000% hidden: fpr 0.0160, precision 0.333
    0.500% hidden: fpr 0.0121, precision 0.500
    1.000% hidden: fpr 0.0081, precision 0.667
    1.500% hidden: fpr 0.0041, precision 0.833
    2.000% hidden: fpr 0.0000, precision 1.000
    """
    if isinstance(hidden, str) or (hidden is not None and not isinstance(hidden, Iterable)):
        raise refuse(
            "BR586",
            f"several shares are needed, got {quoted(hidden)}",
            "hidden=[0, 0.001, 0.002]",
        )
    shares = _quarters(source, spurious) if hidden is None else hidden
    return tuple(
        under_label_errors(source, hidden=share, spurious=spurious, at=at) for share in shares
    )


def under_verification(
    source: Confusion | OperatingPoint, *, passed: Any, flagged: Any = 1.0
) -> Verified:
    """What are the rates, if labels are known only for the cases that were reviewed?

    `flagged` and `passed` are the shares of the flagged and of the passed cases that were reviewed,
    and the confusion holds the reviewed ones. Where mostly flagged cases are reviewed, most misses
    are never seen, and the apparent tpr is too high. Dividing by the shares restores the expected
    outcomes of all cases (Begg & Greenes 1983, Biometrics 39:207-215); precision is as it was. That
    needs reviews to depend on nothing but the flag: not on the score beyond it, not on a suspicion.

    >>> import baserate as br
    >>> confusion = br.Confusion(tp=90, fp=110, fn=10, tn=990)
    >>> found = br.robustness.under_verification(confusion, passed="1%")
    >>> found.apparent_tpr, round(found.tpr, 4)
    (0.9, 0.0826)
    >>> found.confusion
    Confusion(tp=90, fp=110, fn=1000, tn=99000)
    """
    apparent = confusion_of(source)
    _rates(apparent)
    shares = _share(flagged, "flagged"), _share(passed, "passed")
    for share, name, lost in zip(
        shares,
        ("flagged", "passed"),
        ("neither tpr nor precision", "precision, but not tpr,"),
        strict=True,
    ):
        if not share:
            raise refuse(
                "BR586",
                f"no {name} case was reviewed: {lost} can be known",
                f"review some {name} cases drawn at random, and give their share",
            )
    tp, fp, fn, tn = (
        exactly(cases) / share
        for cases, share in zip(apparent, (shares[0], shares[0], shares[1], shares[1]), strict=True)
    )
    corrected = Confusion(tp=tp, fp=fp, fn=fn, tn=tn, why_no_prior=apparent.why_no_prior)
    return Verified(
        apparent, corrected, rounded(shares[0]), rounded(shares[1]), notes=(_BY_FLAG_ONLY,)
    )


_INDEPENDENT = Note(
    "BR586",
    "this assumes that whether a label is wrong does not depend on the score, given the true class",
)
_BY_FLAG_ONLY = Note(
    "BR586", "this assumes that whether a case was reviewed depends on nothing but the flag"
)


def _conditions(source: Any, at: Conditions | None) -> Conditions | None:
    """Those given, or those of the point; none for the sample's own, which is another one once
    labels are corrected.
    """
    given = source.at if at is None and isinstance(source, OperatingPoint) else at
    return None if given is None or checked_conditions(given).as_in_sample else given


def _rates(confusion: Confusion) -> tuple[Fraction, Fraction]:
    tp, fp, fn, tn = map(exactly, confusion)
    if not tp + fn or not fp + tn:
        missing = "negatives" if tp + fn else "positives"
        raise refuse(
            "BR552",
            f"no {missing}: a rate of theirs cannot be corrected",
            "give cases of both classes",
        )
    return tp / (tp + fn), fp / (fp + tn)


def _share(value: Any, name: str) -> Fraction:
    return checked_share(value, name, "BR586", f'{name}=0.01, or "1%"')


def _largest(own: Fraction, other: Fraction, rest: Fraction) -> Fraction:
    """The largest share of wrong labels in the class whose apparent rate is `own`, with `rest` of
    them in the other class; -1 for none.

    Both true rates must lie between 0 and 1. The conditions that they do not fall below 0 and that
    their complements do not are the same, in the rates and in the complements.
    """
    limits: list[Fraction] = []
    for mine, theirs in ((own, other), (1 - own, 1 - other)):
        if theirs:
            limits += [(1 - rest) * mine / theirs, 1 - rest * mine / theirs]
        elif rest * mine:
            limits.append(Fraction(-1))
    return max(min(limits), Fraction(-1))


def _impossible(
    asked: tuple[Fraction, Fraction],
    most: tuple[Fraction, Fraction],
    alone: tuple[Fraction, Fraction],
) -> Exception:
    """Says how far one could go: with the other share as it is, and where that alone is too much,
    without it.
    """
    shown = f"hidden {rounded(asked[0]):g} and spurious {rounded(asked[1]):g}"
    parts = [
        (
            f"hidden at most {_floor(most[0])} with that spurious"
            if most[0] >= 0
            else f"hidden at most {_floor(alone[0])} without spurious"
        ),
        (
            f"spurious at most {_floor(most[1])} with that hidden"
            if most[1] >= 0
            else f"spurious at most {_floor(alone[1])} without hidden"
        ),
    ]
    return refuse(
        "BR586",
        f"{shown} cannot be: a true rate would lie outside 0 to 1; these outcomes allow"
        f" {', '.join(parts)}",
        "give less",
    )


def _floor(value: Fraction) -> str:
    """Six digits that are not above it, so that what is shown can be given."""
    return f"{Context(prec=6, rounding=ROUND_FLOOR).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize():g}"  # noqa: E501


def _down(value: Fraction) -> float:
    """The nearest float that is not read as more."""
    near = rounded(value)
    return near if notation.typed_value(near) <= value else math.nextafter(near, 0)


def _relabelled(
    apparent: Confusion, rates: tuple[Fraction, Fraction], missing: Fraction, false: Fraction
) -> Confusion:
    """The expected outcomes with the right labels: as many flagged as before, and as many
    passed.
    """
    tp, fp, fn, tn = map(exactly, apparent)
    positives, negatives = tp + fn, fp + tn
    moved = missing * negatives - false * positives
    if apparent.why_no_prior == ONLY_RATES:
        moved = Fraction(0)  # totals of 1 stand for numbers that are not known
    tpr, fpr = rates
    positives, negatives = positives + moved, negatives - moved
    return Confusion(
        tp=tpr * positives,
        fp=fpr * negatives,
        fn=(1 - tpr) * positives,
        tn=(1 - fpr) * negatives,
        why_no_prior=apparent.why_no_prior,
    )


def _quarters(source: Any, spurious: Any) -> list[Fraction]:
    tpr, fpr = _rates(confusion_of(source))
    false = _share(spurious, "spurious")
    most = max(_largest(fpr, tpr, false), Fraction(0))
    # All wrong leaves nothing to solve for; the last step is then left out.
    return [
        share for share in (most * step / STEPS for step in range(STEPS + 1)) if share + false < 1
    ]
