"""Areas and other summaries of a curve: AUC, partial and weighted AUC, precision-recall areas, cost
areas.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from baserate.conditions import Conditions, Costs, checked_conditions
from baserate.counts.counts import Counts
from baserate.counts.points import Points, refuse_merged
from baserate.curves.curve import mixed_points
from baserate.curves.named import class_shares, cost_curve
from baserate.decisions.selection import choose
from baserate.errors import Fix, Note, quoted, refuse
from baserate.measures.confusion import (
    at_prior,
    confusion_at,
    exact_value,
    label_shift_of,
    measure_along,
    named,
)
from baserate.measures.registry import Direction, weight_of_negatives
from baserate.notation import NumberCheck, WholeCheck
from baserate.numbers import (
    INT64_MAX,
    Floats,
    Reading,
    Undefinable,
    Undefined,
    rounded,
    surplus_won,
)

# ----------------------------------------------------------------------
# The table of summaries: `Summary`, intervals, comparisons, the command line and the documents read
# it.


Summarizer = TypeVar("Summarizer", bound=Callable[..., Any])
SHARE = (0.0, 1.0)


class Definition(NamedTuple):
    """A summary: the function of counts that gives it, and what is known of its values."""

    function: Callable[..., Any]
    synonyms: tuple[str, ...] = ()
    direction: Direction = "higher"
    range: tuple[float, float] = (-math.inf, math.inf)
    # Does it look at the scores themselves? Every other summary sees the ROC alone, which merging
    # runs of negatives leaves as it is.
    of_scores: bool = False
    # Is it one number of counts? Others are listed beside them, and cannot be requested by name.
    single: bool = True
    # What a random classifier gets, where that depends on the options.
    chance: Callable[..., float] | None = None

    @property
    def takes_at(self) -> bool:
        """Does it depend on the base rate or the costs?"""
        return "at" in inspect.signature(self.function).parameters

    @property
    def options(self) -> dict[str, bool]:
        """Its options by name, and whether each must be given."""
        return {
            name: parameter.default is inspect.Parameter.empty
            for name, parameter in inspect.signature(self.function).parameters.items()
            if name not in ("counts", "at")
        }


SUMMARIES: dict[str, Definition] = {}


def define_summary(**facts: Any) -> Callable[[Summarizer], Summarizer]:
    """Enter a function into the table of summaries under its own name. Where there is no such
    number (`Undefinable`) the function returned gives `Undefined`, with the reason.
    """

    def enter(function: Summarizer) -> Summarizer:
        @wraps(function)
        def summarize(*args: Any, **options: Any) -> Any:
            try:
                return function(*args, **options)
            except Undefinable as undefined:
                return Undefined(undefined.reason)

        SUMMARIES[function.__name__] = Definition(summarize, **facts)
        return cast("Summarizer", summarize)

    return enter


# ----------------------------------------------------------------------
# How well do the scores rank? Areas under the ROC, whole, in a band, or weighted; none depends on
# the base rate.


Band = tuple[float, float]


@define_summary(synonyms=("auroc", "roc_auc"), range=SHARE)
def auc(counts: Counts | Points) -> float:
    """How often does a positive score higher than a negative?

    The share of (positive, negative) pairs that the score puts in the right order, a tie counting
    one half: the area under the ROC curve, (wins + ties / 2) / (P · N). 1 ranks every positive
    above every negative, 0.5 knows nothing, 0 is perfectly reversed. It does not depend on the
    prior. Exact for whole counts, then rounded once; of a published ROC, the area
    under straight lines between its points.
    Hanley & McNeil 1982, Radiology 143:29-36.

    >>> import baserate as br
    >>> br.auc(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.75
    """
    if not isinstance(counts, Counts | Points):
        raise refuse(
            "BR429",
            f"auc takes the counts of one model, got {type(counts).__name__}",
            'summary(models, "auc") for several, or auc(count(y_true, y_score))',
        )
    check_both_classes(counts)
    if isinstance(counts, Points):
        return Reading(_area_between(counts.fpr, counts.tpr, 0.0, 1.0), name="auc")
    return Reading(counts._won, name="auc")


def one_class(counts: Counts | Points) -> str:
    """Return which class is missing, if one is."""
    if counts.total_positives and counts.total_negatives:
        return ""
    if not counts.total_positives and not counts.total_negatives:
        return "no cases"
    return "no negatives" if counts.total_positives else "no positives"


def check_both_classes(counts: Counts | Points) -> None:
    """Raise `Undefinable` where a class is missing."""
    missing = one_class(counts)
    if missing:
        raise Undefinable(missing)


def points_of_both(counts: Counts | Points) -> Points:
    """Return the points of counts that have cases of both classes."""
    points = Points.of(counts)
    check_both_classes(points)
    return points


@define_summary(range=(-1.0, 1.0))
def gini(counts: Counts | Points) -> float:
    """How much better than guessing is the ranking? 2 · AUC − 1, also called Somers' D and accuracy
    ratio.

    1 ranks every positive above every negative, 0 knows nothing, −1 is perfectly reversed. Somers
    1962, Am. Sociol. Rev. 27:799-811.

    >>> import baserate as br
    >>> br.curves.gini(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.5
    """
    value = auc(counts)
    if isinstance(value, Undefined):
        return value
    if isinstance(counts, Points):
        return Reading(2 * value - 1, name="gini")
    return Reading(surplus_won(counts.positives, counts.negatives), name="gini")


@define_summary(range=SHARE)
def ks(counts: Counts | Points) -> float:
    """How far apart are the two classes at best? The largest tpr − fpr over all thresholds: the
    Kolmogorov-Smirnov statistic.

    1 is perfect, 0 knows nothing (or is reversed: scores are never flipped).

    >>> import baserate as br
    >>> br.curves.ks(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.5
    """
    points_of_both(counts)
    return Reading(best_value("informedness", counts, Conditions(prior=0.5))[0], name="ks")


def best_value(
    measure: str, counts: Counts | Points, at: Conditions | None
) -> tuple[float, tuple[Note, ...]]:
    """The best value of a measure over all thresholds, rounded once, and the notes of the choice.

    `choose` takes values within 1e-12 of the best for equal, so another threshold may be better
    than the chosen one in the last digits.
    """
    chosen = choose(counts, at=at, optimize=measure)
    at = checked_conditions(at).as_shown()
    points, asked = Points.of(counts), named(measure)
    values = measure_along(asked, points, at)
    best = float(chosen[measure])
    _, near = np.unique(values, return_index=True)
    near = near[np.abs(values[near] - best) <= 1e-12 * abs(best)]
    exact = [float(exact_value(asked, confusion_at(points, int(place)), at)) for place in near]
    found = min([best, *exact]) if asked.direction == "lower" else max([best, *exact])
    return found, chosen.notes


@define_summary()
def partial_auc(
    counts: Counts | Points,
    *,
    fpr: Band | None = None,
    tpr: Band | None = None,
    standardized: bool = False,
) -> float:
    """How well do the scores rank where it matters? The area under the ROC in a band of fpr, or
    right of it in a band of tpr.

    In a band of fpr, ∫ tpr d fpr; in a band of tpr, ∫ (1 − fpr) d tpr. From 0 to the width of the
    band. `standardized=True` is McClish's ½·(1 + (area − guessing) / (perfect − guessing)): 1
    perfect, 0.5 guessing, below that worse; not clipped. McClish 1989, Medical Decision Making
    9:190-195.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.curves.partial_auc(counts, fpr=(0, 0.5)), br.curves.partial_auc(counts, tpr=(0.5, 1), standardized=True)
    (0.25, 0.66...)
    """  # noqa: E501
    low, high = _read_band(fpr, tpr)
    if not isinstance(standardized, bool):
        raise refuse(
            "BR542",
            f"standardized is True or False, got {quoted(standardized)}",
            "standardized=True",
        )
    points = points_of_both(counts)
    width, both = high - low, low + high
    # What is missing of a perfect area: nothing cancels in it, however narrow the band.
    if fpr is not None:
        area, short = (
            _area_between(points.fpr, points.tpr, low, high),
            _area_between(points.fpr, points.fn / points.total_positives, low, high),
        )
        ratio = short / (width * (2 - both))
    else:
        area, short = (
            _area_between(points.tpr, points.tn / points.total_negatives, low, high),
            _area_between(points.tpr, points.fpr, low, high),
        )
        ratio = short / (width * both)
    name = f"partial_auc({'fpr' if fpr is not None else 'tpr'}={low!r}..{high!r}{', standardized' if standardized else ''})"  # noqa: E501
    return Reading(1 - ratio if standardized else area, name=name)


A_BAND = Fix("partial_auc(counts, fpr=(0, 0.1))", '--summary "partial_auc(fpr=0..0.1)"')


def _read_band(fpr: Band | None, tpr: Band | None) -> Band:
    if (fpr is None) == (tpr is None):
        raise refuse("BR542", "give one band, of fpr or of tpr", A_BAND)
    given: Any = fpr if fpr is not None else tpr
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not 0 <= low < high <= 1:
        raise refuse(
            "BR542",
            f"a band runs from a lower to a higher share, got {quoted(given)}",
            A_BAND,
        )
    return low, high


def _area_between(x: Floats, y: Floats, low: float, high: float) -> float:
    """The area under straight pieces between two abscissas: pieces that cross an end are cut
    there.
    """
    left, right = np.clip(x[:-1], low, high), np.clip(x[1:], low, high)
    width = right - left
    used = width > 0
    x0, x1, y0, y1 = x[:-1][used], x[1:][used], y[:-1][used], y[1:][used]
    rise = (y1 - y0) / (x1 - x0)
    ends = [y0 + rise * (left[used] - x0), y0 + rise * (right[used] - x0)]
    return math.fsum(width[used] * (ends[0] + ends[1]) / 2)


# ----------------------------------------------------------------------
# What a classifier costs at best: at one set of conditions, or over all of them.


HAND_2014, HAND_2009 = "hand-2014", "hand-2009"
# Up to this log ratio, and this change of the log density, so many nodes integrate to the last
# digit.
CLOSE, STEEP, NODES = 0.5, 2.0, 8
SMALLEST = 1e-300  # of the smaller class: the odds of less are no float


@define_summary(direction="lower")
def min_cost(counts: Counts | Points, *, at: Conditions | None = None) -> float:
    """What does the cheapest threshold cost per case, at this base rate and these costs?

    Never more than flagging nothing or everything. Chosen and evaluated on the same cases, so it is
    optimistic.

    >>> import baserate as br
    >>> br.curves.min_cost(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), at=br.Conditions(prior=0.1, costs=br.Costs(fp=1, fn=10)))
    0.45
    """  # noqa: E501
    cost, notes = best_value("expected_cost", counts, at)
    return Reading(cost, notes, name="min_cost")


@define_summary(direction="lower", range=SHARE)
def cost_area(counts: Counts | Points) -> float:
    """What does the best threshold cost on average over all effective priors? The area under the
    cost curve's lower envelope.

    0 is perfect, 0.25 one answer for all. The mean normalized cost when the effective prior is
    uniform. Drummond & Holte 2006.

    >>> import baserate as br
    >>> br.curves.cost_area(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
    0.125
    """
    curve = cost_curve(points_of_both(counts))
    return Reading(math.fsum(areas_below(curve.x, curve.y)), name="cost_area")


@define_summary(range=(-math.inf, 1.0))
def h_measure(
    counts: Counts | Points,
    *,
    at: Conditions | None = None,
    prior: str = HAND_2014,
    severity_ratio: float | None = None,
) -> float:
    """How much is the expected loss lower than that of one answer for all, over a distribution of
    costs? 1 − L / L_ref.

    The cost share c of a false positive is Beta distributed: by default Beta(1 + π₁, 1 + π₀) with
    π₁ the prior (Hand & Anagnostopoulos 2014, Pattern Recognition Letters 40:41-46);
    `prior="hand-2009"` is Beta(2, 2) (Hand 2009, Machine Learning 77:103-123); `severity_ratio` r
    is Beta(2, 1 + 1/r), R's hmeasure, whose own default is r = π₁/π₀. At each c the best threshold
    is used, that is the ROC hull. 1 is perfect, 0 no better than one answer for all; scores are
    never flipped.

    >>> import baserate as br
    >>> round(br.curves.h_measure(br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])), 6)
    0.5
    """
    points = points_of_both(counts)
    resolved = at_prior(points, checked_conditions(at))
    share, rest = (max(one, SMALLEST) for one in class_shares(resolved))
    a, b, shown = _beta_parameters(prior, severity_ratio, share)
    rise, run, gap = hull_edges(points.hull())
    # And a perfect classifier's: one edge up, one across.
    terms = _saved_by_edges(
        np.append(rise, (1.0, 0.0)) * share,
        np.append(run, (0.0, 1.0)) * rest,
        np.append(_log_ratios(rise, run, gap), (math.inf, -math.inf)),
        (share, rest),
        (a, b),
    )
    return Reading(
        math.fsum(terms[:-2]) / math.fsum(terms[-2:]),
        label_shift_of(resolved, points),
        name=f"h_measure({shown})",
    )


checked_severity = NumberCheck(
    "BR532",
    "a severity ratio is a number between 1e-9 and 1e9",
    "severity_ratio=0.1",
    1e-9,
    1e9,
)


def _beta_parameters(
    prior: str, severity_ratio: float | None, share: float
) -> tuple[float, float, str]:
    if severity_ratio is not None:
        if prior != HAND_2014:
            raise refuse(
                "BR532", "a severity ratio and a named distribution are given", "give one of them"
            )
        ratio = checked_severity(severity_ratio)
        return 2.0, 1 + 1 / ratio, f"severity_ratio={ratio!r}"
    if prior == HAND_2014:
        return 1 + share, 2 - share, f"prior={HAND_2014}"
    if prior == HAND_2009:
        return 2.0, 2.0, f"prior={HAND_2009}"
    raise refuse(
        "BR532",
        f"the distribution of costs is {quoted(HAND_2014)} or {quoted(HAND_2009)}, got"
        f" {quoted(prior)}",
        "or severity_ratio=…",
    )


def hull_edges(hull: Points) -> tuple[Floats, Floats, Floats]:
    """Of each edge Δtpr, Δfpr and Δtpr − Δfpr, of counts rounded once: near the diagonal it is
    small.
    """
    up, across = _steps_along(hull.tp, hull.fn), _steps_along(hull.fp, hull.tn)
    ours, theirs = hull.total_positives, hull.total_negatives
    rise, run = up / ours, across / theirs
    if not up.dtype == across.dtype == np.int64:
        return rise, run, rise - run
    kind = object if ours * theirs > INT64_MAX else np.int64
    gap = up.astype(kind) * theirs - across.astype(kind) * ours
    return rise, run, gap.astype(np.float64) / (ours * theirs)


def _log_ratios(rise: Floats, run: Floats, gap: Floats) -> Floats:
    """ln(Δtpr / Δfpr), also where that is close to 0."""
    close = np.abs(gap) < run / 2
    with np.errstate(divide="ignore"):
        ratios = np.log(rise) - np.log(run)
    ratios[close] = np.log1p(gap[close] / run[close])
    return np.asarray(ratios)


def _steps_along(flagged: Any, passed: Any) -> Any:
    """What each edge adds; of masses from the nearer end, where less cancels."""
    steps = np.diff(flagged)
    if flagged.dtype == np.int64:
        return steps
    return np.where(flagged[1:] <= passed[:-1], steps, -np.diff(passed))


def _saved_by_edges(
    up: Floats,
    across: Floats,
    ratios: Floats,
    shares: tuple[float, float],
    beta: tuple[float, float],
) -> Floats:
    """By how much does each edge of a hull, of π₁·Δtpr and π₀·Δfpr, lower the expected loss of one
    answer for all?

    Its cases are worth flagging where the cost share c is below their share of positives. Between
    that share and π₁, one answer for all decides otherwise, and what this costs is saved. No term
    is negative, so the sum keeps its digits where little is saved.
    """
    above, below = ratios > 0, ratios < 0
    saved = np.zeros(len(ratios))
    saved[above] = up[above] * _saved_per_positive(ratios[above], shares, beta)
    # With the classes exchanged, an edge below the diagonal is one above it.
    saved[below] = across[below] * _saved_per_positive(-ratios[below], shares[::-1], beta[::-1])
    return saved


def _saved_per_positive(
    ratios: Floats, shares: tuple[float, float], beta: tuple[float, float]
) -> Floats:
    """∫ (1 − c) · (1 − eᵛ⁻ʳ) dBeta(c) for each log ratio r > 0; the odds of c are eᵛ·π₁/π₀, with v
    from 0 to r.
    """
    odds = shares[1] / shares[0] * np.exp(-ratios)  # of a negative, in the cases of the edge
    steepness = beta[0] * shares[1] + (beta[1] + 1) / (1 + odds)
    close = (ratios < CLOSE) & (ratios * steepness < STEEP)
    found = np.empty(len(ratios))
    found[close] = _integrate_over_nodes(ratios[close], shares, beta)
    found[~close] = _integrate_by_difference(odds[~close], shares, beta)
    return found


def _integrate_by_difference(
    odds: Floats, shares: tuple[float, float], beta: tuple[float, float]
) -> Floats:
    """The integral as a difference, of which for large ratios most is left."""
    (a, b), ends = beta, (1 / (1 + odds), odds / (1 + odds))
    misses, alarms = _beta_mass(shares, ends, (a, b + 1)), _beta_mass(shares, ends, (a + 1, b))
    return (b * misses - a * odds * alarms) / (a + b)


def _beta_mass(
    low: tuple[float, float], high: tuple[Floats, Floats], beta: tuple[float, float]
) -> Floats:
    """The mass of a Beta distribution between two shares, each given with its complement; from the
    nearer end, where less cancels.
    """
    from scipy.special import betainc

    a, b = beta
    if low[0] * (a + b) < a:
        return np.asarray(betainc(a, b, high[0]) - betainc(a, b, low[0]))
    return np.asarray(betainc(b, a, low[1]) - betainc(b, a, high[1]))


def _integrate_over_nodes(
    ratios: Floats, shares: tuple[float, float], beta: tuple[float, float]
) -> Floats:
    """The integral for small ratios, by Gauss and Legendre's rule: no difference is taken."""
    from scipy.special import betaln

    a, b = beta
    nodes, weights = _gauss_legendre()
    v = np.outer(ratios, nodes)
    rise = np.expm1(v)
    density = np.exp(a * v - (a + b + 1) * np.log1p(shares[0] * rise))
    scale = math.exp(a * math.log(shares[0]) + (b + 1) * math.log(shares[1]) - betaln(a, b))
    # The nodes are symmetric: r − v is v from the other end, and 1 − e⁻ᵛ is rise / (1 + rise).
    left = (rise / (1 + rise))[:, ::-1]
    found: Floats = scale * ratios * ((left * density) @ weights)
    return found


@cache
def _gauss_legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return (1 + nodes) / 2, weights / 2


# ----------------------------------------------------------------------
# Areas under the precision-recall curve, at any base rate: the step sum and the exact integral,
# never the trapezoid.


# Below this, z − log(1 + z) is summed as a series: the two would cancel.
SMALL = 0.05


@define_summary(synonyms=("pr_auc", "aucpr"), range=SHARE)
def auprc(counts: Counts | Points, *, at: Conditions | None = None) -> float:
    """What is the area under the precision-recall curve? Exact, with the curve that mixing two
    thresholds gives, at any base rate.

    Between two points precision is tp / (tp + fp) along a straight line of the ROC, which is
    integrated in closed form. 1 is perfect, the prior is guessing. Davis & Goadrich 2006,
    ICML:233-240.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.curves.auprc(counts), br.curves.auprc(counts, at=br.Conditions(prior=0.01))
    (0.7972674459459178, 0.5074586227681799)
    """
    points = points_of_both(counts)
    resolved = at_prior(points, checked_conditions(at))
    area = math.fsum(pr_pieces(points, resolved))
    return Reading(area, label_shift_of(resolved, points), name="auprc")


# Of positives that come last in a bin, precision is least where each has a score of its own: no
# less than the integral.
@define_summary(synonyms=("ap",), range=SHARE)
def average_precision(counts: Counts | Points, *, at: Conditions | None = None) -> float:
    """How pure are the alerts on average over the positives? Σ (tprᵢ − tprᵢ₋₁) · precisionᵢ, at any
    base rate.

    The mean precision at which each positive is found. 1 is perfect, the prior about what guessing
    gets. scikit-learn's `average_precision_score` at the sample's own prior.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> rare = br.Conditions(prior=0.01)
    >>> br.curves.average_precision(counts), br.curves.average_precision(counts, at=rare)
    (0.8333333333333333, 0.5099009900990099)
    """
    points = points_of_both(counts)
    resolved = at_prior(points, checked_conditions(at))
    tp = points.tp.astype(np.float64)
    flagged = tp + points.fp * _weight_of_negatives(points, resolved)
    found = np.diff(tp)
    used = found > 0
    terms = found[used] / points.total_positives * (tp[1:][used] / flagged[1:][used])
    return Reading(math.fsum(terms), label_shift_of(resolved, points), name="average_precision")


def _weight_of_negatives(points: Points, at: Conditions) -> float:
    """What a negative weighs at this base rate, where a positive weighs 1."""
    totals = points.total_positives, points.total_negatives
    return rounded(weight_of_negatives(*totals, at.as_shown()) or Fraction(1))


def pr_pieces(points: Points, at: Conditions) -> Floats:
    """The area under each edge of the ROC in precision-recall space; 0 where no positive is found.

    With t positives and F flagged, F = a·t + b along the edge, and ∫ t/F dt = Δt·t₀/F₀ + b/a²·(z −
    log(1 + z)), z = aΔt/F₀, from the left end; the same from the right end, with z = −aΔt/F₁. Where
    b has the sign that makes both terms positive, nothing cancels.
    """
    tp, fp = points.tp.astype(np.float64), points.fp.astype(np.float64)
    weight, found = _weight_of_negatives(points, at), np.diff(tp)
    areas = np.zeros(len(found))
    used = np.flatnonzero(found > 0)
    delta, t0, t1, n0, n1 = found[used], tp[:-1][used], tp[1:][used], fp[:-1][used], fp[1:][used]
    f0, f1 = t0 + weight * n0, t1 + weight * n1
    slope = 1 + weight * (n1 - n0) / delta
    rest = weight * (n0 * delta - t0 * (n1 - n0)) / delta
    left = rest > 0
    base = np.where(left, f0, f1)
    z = np.where(left, 1.0, -1.0) * slope * delta / base
    # 1 + z is the other end over this one: taken as that, it keeps its digits also where z is close
    # to −1.
    bend = (
        rest
        / (slope * slope)
        * _z_minus_log1p(
            np.where(rest == 0, 0.0, z), np.where(rest == 0, 1.0, np.where(left, f1, f0) / base)
        )
    )
    areas[used] = (
        delta * np.where(left, t0, t1) / base + np.where(left, bend, -bend)
    ) / points.total_positives
    return areas


def _z_minus_log1p(z: Floats, one_more: Floats) -> Floats:
    """Z − log(1 + z), also for small z; `one_more` is 1 + z."""
    small = np.abs(z) < SMALL
    tiny, series = np.where(small, z, 0.0), np.zeros(len(z))
    for power in range(16, 1, -1):
        series = series * -tiny + 1.0 / power
    return np.where(small, tiny * tiny * series, z - np.log(np.where(small, 1.0, one_more)))


# ----------------------------------------------------------------------
# Areas in which some part weighs more: Weng & Poon's weighted AUC, in three forms, and the same
# idea on other curves.


STRIPS = 10
CLASS_RATIO = "class_ratio"


@define_summary(single=False)
def strip_weights(count: int, alpha: float) -> Floats:
    """The weights of the strips, from the bottom up: each passes the share alpha of its weight
    to the next, the last keeps all.

    W(i) = 1 − α^(i+1), the last (1 − αⁿ) / (1 − α); they sum to n. α = 0 leaves all at 1, α = 1
    gives everything to the last; a single strip weighs 1. Weng & Poon 2008, eq. 4 with W(0) = 1 −
    α.

    >>> import baserate as br
    >>> br.curves.strip_weights(7, 0.5)
    array([0.5     , 0.75    , 0.875   , 0.9375  , 0.96875 , 0.984375,
           1.984375])
    """
    return _weights_of_strips(checked_strips(count), checked_alpha(alpha))


def _weights_of_strips(count: int, alpha: float) -> Floats:
    if alpha == 1:
        return np.concatenate((np.zeros(count - 1), [float(count)]))
    with np.errstate(divide="ignore"):
        weights: Floats = (
            -np.expm1(np.arange(1, count + 1) * np.log(np.float64(alpha)))
            if alpha
            else np.ones(count)
        )
    weights[-1] /= 1 - alpha
    return weights


def chance_for(
    counts: Counts,
    alpha: float | str | None = None,
    *,
    costs: Costs | None = None,
    strips: int | str = STRIPS,
) -> float:
    """What a random classifier gets, with the arguments of `weighted_auc`: alpha may come from
    costs, or from the class ratio of the counts.
    """
    return weighted_auc_chance(_read_alpha(alpha, costs, Points.of(counts)), strips)


@define_summary(range=SHARE, chance=chance_for)
def weighted_auc(
    counts: Counts | Points,
    *,
    alpha: float | str | None = None,
    costs: Costs | None = None,
    strips: int | str = STRIPS,
) -> float:
    """How well do the scores rank, when high recall matters more? An AUC with weight passed
    upwards.

    `alpha` from 0 (AUC) to 1 (only the top counts): given, from `costs` as 1 − cost ratio, or
    "class_ratio", 1 − positives per negative, where costs are unknown. `strips`: a number K of
    strips of equal height (10), an average over tpr in which 1 is perfect and dominance is kept,
    but which depends on K; "continuous", the limit with α per unit of tpr; or "segments", one strip
    a ROC segment, as published (to reproduce its Table 3: no merit order, and 1 − α for a perfect
    ranking of tied positives). The chance level is not ½: `weighted_auc_chance`. Weng & Poon 2008,
    AusDM.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> round(br.curves.weighted_auc(counts, alpha=0.5), 4), br.curves.weighted_auc(counts, alpha=0)
    (0.7016, 0.75)
    """
    points = points_of_both(counts)
    share = _read_alpha(alpha, costs, points)
    if strips == "segments":
        refuse_merged(points, "one strip a ROC segment needs a point for every score")
        value = _area_by_segments(points, share)
    elif strips == "continuous":
        exact = share == 0 and isinstance(counts, Counts)
        value = auc(counts) if exact else _area_by_density(points, share)
    else:
        value = _area_by_strips(points, share, checked_strips(strips))
    return Reading(value, name=f"weighted_auc(alpha={share!r}, strips={strips})")


@define_summary(single=False)
def weighted_auc_chance(alpha: float, strips: int | str = STRIPS) -> float:
    """What does a random classifier get? The weighted AUC of the diagonal, to read a weighted AUC
    by.

    >>> import baserate as br
    >>> [round(br.curves.weighted_auc_chance(alpha), 3) for alpha in (0, 0.1, 0.5, 0.8)]
    [0.5, 0.49, 0.42, 0.279]
    """
    return float(
        weighted_auc(Points.from_rates([0.0, 1.0], [0.0, 1.0]), alpha=alpha, strips=strips)
    )


def _read_alpha(alpha: float | str | None, costs: Costs | None, points: Points) -> float:
    if (alpha is None) == (costs is None):
        fix = Fix("weighted_auc(counts, alpha=0.1)", '--summary "weighted_auc(alpha=0.1)"')
        raise refuse("BR542", "give alpha, or costs to take it from", fix)
    if costs is not None:
        return costs.alpha
    if alpha == CLASS_RATIO:
        if points.why_no_prior:
            raise refuse(
                "BR509",
                f"{points.why_no_prior}, so there is no class ratio",
                "give alpha, or costs",
            )
        ratio = points.total_positives / points.total_negatives
        if ratio > 1:
            raise refuse(
                "BR517",
                f"there are {ratio:.6g} positives for each negative: weight is shifted for rare"
                " positives only",
                "give alpha",
            )
        return 1 - ratio
    return checked_alpha(alpha)


checked_alpha = NumberCheck(
    "BR542", "alpha lies between 0 and 1", 'alpha=0.1, or "class_ratio"', high=1
)
checked_strips = WholeCheck(
    "BR542", 'strips is a whole number, "segments" or "continuous"', "strips=10", 1, 10**6
)


def split_at_tpr(points: Points, cuts: Floats) -> Points:
    """The points with others put in where tpr passes the cuts, on the straight edges between
    them.
    """
    tpr = points.tpr
    # The edge on which tpr rises through the cut; cuts that are already points stay out.
    edges = np.clip(np.searchsorted(tpr, cuts, side="left") - 1, 0, len(points) - 2)
    rise = tpr[edges + 1] - tpr[edges]
    shares = np.divide(cuts - tpr[edges], rise, out=np.zeros(len(cuts)), where=rise > 0)
    fresh = (shares > 0) & (shares < 1)
    all_edges = np.concatenate((np.arange(len(points) - 1), edges[fresh], [len(points) - 2]))
    all_shares = np.concatenate((np.zeros(len(points) - 1), shares[fresh], [1.0]))
    order = np.lexsort((all_shares, all_edges))
    return mixed_points(points, all_edges[order], all_shares[order])


def areas_below(x: Floats, y: Floats) -> Floats:
    """The area below each straight piece of a line."""
    pieces: Floats = np.diff(x) * (y[1:] + y[:-1]) / 2
    return pieces


def weigh_strips(x: Floats, areas: Floats, alpha: float, count: int) -> float:
    """The sum of the areas of pieces along x, each with the weight of its strip; pieces do not
    cross the edges of strips, up to rounding.
    """
    strip = np.minimum(((x[:-1] + x[1:]) / 2 * count).astype(np.intp), count - 1)
    return math.fsum(areas * _weights_of_strips(count, alpha)[strip])


def _area_by_strips(points: Points, alpha: float, count: int) -> float:
    cut = split_at_tpr(points, np.arange(1, count) / count)
    areas = areas_below(cut.tpr, cut.tn / points.total_negatives)
    # A mean of values of at most 1: what exceeds it is rounding.
    return min(1.0, weigh_strips(cut.tpr, areas, alpha, count))


def _area_by_segments(points: Points, alpha: float) -> float:
    areas = areas_below(points.tpr, points.tn / points.total_negatives)
    return math.fsum(areas * _weights_of_strips(len(areas), alpha))


def _area_by_density(points: Points, alpha: float) -> float:
    """∫ (1 − αᵘ)·(1 − fpr(u)) du over tpr u, and the rest of the mass, (1 − α) / −ln α, at the
    lowest fpr with tpr 1.
    """
    tpr, right = points.tpr, points.tn / points.total_negatives
    first = int(np.searchsorted(tpr, 1.0, side="left"))
    if alpha == 1:
        return float(right[first])
    low, width, height, fall = tpr[:-1], np.diff(tpr), right[:-1], np.diff(right)
    used = width > 0
    low, width, height, fall = (values[used] for values in (low, width, height, fall))
    plain = width * (height + fall / 2)
    if alpha == 0:
        return math.fsum(plain)
    rate = math.log(alpha)
    # ∫ α^(low + w·s) (height + fall·s) w ds over s from 0 to 1.
    step = width * rate
    mean = np.where(
        np.abs(step) < 1e-3,
        1 + step / 2 + step * step / 6 + step**3 / 24,
        np.expm1(step) / np.where(step == 0, 1, step),
    )
    exact_tilt = (np.exp(step) - mean) / np.where(step == 0, 1, step)
    tilt = np.where(
        np.abs(step) < 1e-3, 0.5 + step / 3 + step * step / 8 + step**3 / 30, exact_tilt
    )
    lost = np.exp(low * rate) * width * (height * mean + fall * tilt)
    return math.fsum(plain) - math.fsum(lost) + (1 - alpha) / -rate * float(right[first])


@define_summary(range=SHARE)
def weighted_pr_area(
    counts: Counts | Points, *, alpha: float, strips: int = STRIPS, at: Conditions | None = None
) -> float:
    """The area under the precision-recall curve with weight passed towards full recall, in strips
    of equal width. Weng & Poon 2008 §6.

    α = 0 is `auprc`. 1 is perfect.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> br.curves.weighted_pr_area(counts, alpha=0) == br.curves.auprc(counts)
    True
    """
    points = points_of_both(counts)
    share, count = _read_alpha(alpha, None, points), checked_strips(strips)
    resolved = at_prior(points, checked_conditions(at))
    cut = split_at_tpr(points, np.arange(1, count) / count)
    return Reading(
        weigh_strips(cut.tpr, pr_pieces(cut, resolved), share, count),
        label_shift_of(resolved, points),
        name=f"weighted_pr_area(alpha={share!r}, strips={count})",
    )


@define_summary(direction="lower")
def weighted_cost_area(counts: Counts | Points, *, alpha: float, strips: int = STRIPS) -> float:
    """The area under the cost curve with weight passed towards costly misses (to the right), in
    strips of equal width.

    α = 0 is `cost_area`. 0 is perfect, and lower is better. Weng & Poon 2008 §6, Fig. 6.

    >>> import baserate as br
    >>> counts = br.count([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> [round(br.curves.weighted_cost_area(counts, alpha=alpha), 4) for alpha in (0, 0.5)]
    [0.125, 0.1205]
    """
    points = points_of_both(counts)
    share, count = _read_alpha(alpha, None, points), checked_strips(strips)
    curve = cost_curve(points)
    x = np.union1d(curve.x, np.arange(1, count) / count)
    areas = areas_below(x, np.interp(x, curve.x, curve.y))
    return Reading(
        weigh_strips(x, areas, share, count),
        name=f"weighted_cost_area(alpha={share!r}, strips={count})",
    )
