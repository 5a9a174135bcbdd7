"""Cells: distinct scores in descending order with their cases. Thresholds, convex hulls, totals and
notes read off them.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from functools import cached_property
from itertools import product
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from baserate.errors import (
    TURNED,
    Fix,
    Ledger,
    Note,
    combine,
    grouped,
    number_of,
    quoted,
    refuse,
    repeated_sources,
)
from baserate.kernels import Cells
from baserate.numbers import (
    EXACT_FLOATS,
    INT64_MAX,
    Floats,
    Frozen,
    exact_total,
    exactly,
    ratio_of,
    rounded,
    segment_sums,
    square_sum,
)

# ----------------------------------------------------------------------
# Cells: distinct scores in descending order, with what lies at each. The array work behind
# `Counts`.


Array: TypeAlias = npt.NDArray[Any]
Indices: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]


def run_starts(*keys: Array) -> Indices:
    """Where a run of equal keys begins, for keys that are already in order; several keys are
    compared together.
    """
    first = np.zeros(len(keys[0]), dtype=np.bool_)
    first[:1] = True
    for key in keys:
        first[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(first)


def run_sums(values: Array, starts: Indices) -> Array:
    """The sum of each run: exact for counts, correctly rounded for masses."""
    if len(starts) == len(values):
        return values
    if values.dtype == np.int64:
        return np.asarray(np.add.reduceat(values, starts))
    return segment_sums(values, starts)


def gathered(scores: Array, positives: Array, negatives: Array) -> Cells:
    """Cells in canonical form from cells in any order: descending, one per distinct score, none
    empty, no -0.0.
    """
    used = (positives > 0) | (negatives > 0)
    if not used.all():
        scores, positives, negatives = scores[used], positives[used], negatives[used]
    # A stable sort merges runs that are already in order in linear time: that is what adding two
    # Counts gives it.
    order = np.argsort(scores, kind="stable")[::-1]
    scores = scores[order] + scores.dtype.type(0)
    starts = run_starts(scores)
    return Cells(
        scores[starts], run_sums(positives[order], starts), run_sums(negatives[order], starts)
    )


def without_runs(cells: Cells, cuts: Array | None = None) -> Cells:
    """Runs of scores that only negatives have, each merged into its lowest score: flagging down to
    there flags the whole run.

    No run reaches across a cut, so that flagging from a cut on stays exact too.
    """
    alone = cells.positives == 0
    follows = alone & np.concatenate(([False], alone[:-1]))
    if cuts is not None and len(cuts):
        above = np.searchsorted(cuts, cells.scores, side="right")
        follows[1:] &= above[1:] == above[:-1]
    starts = np.flatnonzero(~follows)
    ends = np.concatenate((starts[1:], [len(alone)])) - 1 if len(starts) else starts
    return Cells(
        cells.scores[ends], run_sums(cells.positives, starts), run_sums(cells.negatives, starts)
    )


def binned(
    bins: Array, lows: Array, highs: Array, positives: Array, negatives: Array
) -> tuple[Cells, Array]:
    """One cell per bin, highest bin first, named by its lowest score; and the highest score of
    each.
    """
    order = np.argsort(bins, kind="stable")[::-1]
    starts = run_starts(bins[order])
    merged = Cells(
        np.minimum.reduceat(lows[order], starts),
        run_sums(positives[order], starts),
        run_sums(negatives[order], starts),
    )
    return merged, np.maximum.reduceat(highs[order], starts)


def masses(scores: Array, weights: Floats) -> Cells:
    """Cells from descending scores with signed weights: above zero for a positive case, below zero
    for a negative one.
    """
    starts = run_starts(scores)
    distinct = scores if len(starts) == len(scores) else scores[starts]
    return Cells(
        distinct,
        run_sums(np.maximum(weights, 0.0), starts),
        run_sums(np.maximum(-weights, 0.0), starts),
    )


# ----------------------------------------------------------------------
# Thresholds as scores: where a number that somebody names cuts through scores of a type.


# Wide enough for the middle between any two floats; and between which sizes a number is written
# out.
HALF = Context(prec=800)
SMALL, LARGE = Decimal("0.0001"), Decimal("1e16")
# Integers beyond 2^53 have more digits than floats tell apart.
MOST_DIGITS = 19


def lowest_score(threshold: Any, kind: np.dtype[Any]) -> Any:
    """The lowest score of this type that is not below the threshold; None where there is none."""
    infinite = isinstance(threshold, float | np.floating) and bool(np.isinf(threshold))
    try:
        exact: Any = float(threshold) if infinite else exactly(threshold)
    except (TypeError, ValueError, OverflowError):
        raise refuse(
            "BR529",
            f"a threshold is a number, or None to flag nothing; got {quoted(threshold)}",
            "threshold=0.5",
        ) from None
    if kind == np.float64:
        near = rounded(exact)
        return near if near >= exact else math.nextafter(near, math.inf)
    return None if exact > INT64_MAX else math.ceil(max(exact, -INT64_MAX - 1))


def cuts_of(thresholds: Iterable[Any], kind: np.dtype[Any]) -> Array | None:
    """The scores from which on each threshold flags, ascending, each once; None where no threshold
    is named.
    """
    found = [lowest_score(threshold, kind) for threshold in thresholds if threshold is not None]
    return (
        np.unique(np.array([cut for cut in found if cut is not None], dtype=kind)) + kind.type(0)
        if found
        else None
    )


def short(threshold: Any, below: Any) -> str:
    """A threshold in as few digits as flag the same cases: above `below`, the highest score that is
    not flagged, and at most the threshold.

    That is the number half way between the two, rounded to the fewest digits that still separate
    them, or the threshold itself where it has no more digits; of integer scores an integer. A
    `below` of −inf says that nothing is left unflagged: four digits, rounded down. None: the
    threshold is shown as it is.

    >>> short(0.4109800393967368, 0.3837292191193899), short(0.50021, 0.5001), short(13, 12), short(0.123456, -math.inf)
    ('0.4', '0.5002', '13', '0.1234')
    """  # noqa: E501
    whole = isinstance(threshold, int)
    if below is None or not math.isfinite(threshold) or (whole and math.isinf(below)):
        return quoted(threshold)
    if math.isinf(below):
        return _plain(Decimal(repr(threshold)), 4, ROUND_FLOOR, lambda _: True) or ""
    middle = HALF.divide(HALF.add(Decimal(below), Decimal(threshold)), 2)

    def separates(value: Decimal) -> bool:
        # A decimal is read back as the nearest float, which has to lie on the same side.
        near = int(value) if whole and value == value.to_integral_value() else float(value)
        return (not whole or isinstance(near, int)) and below < near <= threshold

    # Of scores that were rounded themselves, neighbours one unit apart, only the threshold itself
    # is as short.
    for digits, rounding in product(range(1, MOST_DIGITS + 1), (ROUND_HALF_UP, ROUND_CEILING)):
        text = _plain(middle, digits, rounding, separates)
        if text is not None:
            return (
                _plain(
                    Decimal(repr(threshold)),
                    digits,
                    ROUND_HALF_UP,
                    lambda near: near == Decimal(repr(threshold)),
                )
                or text
            )
    return quoted(threshold)


def _plain(
    value: Decimal, digits: int, rounding: str, good: Callable[[Decimal], bool]
) -> str | None:
    """A number in few digits, as people write it, where that is good."""
    near = Context(prec=digits, rounding=rounding).plus(value)
    if not good(near):
        return None
    text = f"{near:f}"
    return (
        (text.rstrip("0").rstrip(".") if "." in text else text)
        if SMALL <= abs(near) < LARGE or not near
        else f"{near.normalize():.{digits}g}"
    )


# Decimals up to this many digits are whole numbers over powers of ten that floats hold exactly.
FLOAT_DIGITS, FLOAT_POWER = 15, 22
TENS = np.array([float(10**power) for power in range(FLOAT_POWER + 1)])


def short_decimals(thresholds: Array, below: Array) -> tuple[Indices, Indices, dict[int, str]]:
    """`short` of many thresholds at once: whole numbers m and powers e, each the decimal m · 10⁻ᵉ,
    and the text of those that have no such form (infinite, or of more than 15 digits). `below` is
    one shorter: the last threshold leaves nothing unflagged.

    Floats settle nearly all; where their rounding leaves a doubt, `short` itself decides.
    """
    whole, powers, settled = _settled_by_floats(thresholds, below)
    texts: dict[int, str] = {}
    for place in np.flatnonzero(~settled).tolist():
        under = below[place].item() if place < len(below) else -math.inf
        value = Decimal(text := short(thresholds[place].item(), under))
        _, figures, power = value.as_tuple()
        if isinstance(power, int) and len(figures) <= FLOAT_DIGITS:
            whole[place], powers[place] = int(value.scaleb(-power)), -power
        else:
            texts[place] = text
    zeros = np.flatnonzero((whole % 10 == 0) & (whole != 0))
    while len(zeros):
        whole[zeros] //= 10
        powers[zeros] -= 1
        zeros = zeros[whole[zeros] % 10 == 0]
    return whole, np.where(whole == 0, 0, powers), texts


def _settled_by_floats(thresholds: Array, below: Array) -> tuple[Indices, Indices, Mask]:
    """The decimals that floats settle, number of digits by number of digits, and which those
    are: the threshold itself, or the middle rounded, where no rounding of floats matters.
    """
    whole, powers = (np.zeros(len(thresholds), dtype=np.int64) for _ in range(2))
    settled = np.zeros(len(thresholds), dtype=np.bool_)
    top, low = thresholds.astype(np.float64), np.append(below.astype(np.float64), -math.inf)
    with np.errstate(invalid="ignore", over="ignore"):  # between infinite ones is no middle
        middle = low + (top - low) / 2
    with np.errstate(divide="ignore"):
        orders = [np.floor(np.log10(np.abs(values))) for values in (middle, top)]
    left = np.flatnonzero(np.isfinite(orders[0]) & np.isfinite(orders[1]))
    for digits in range(1, FLOAT_DIGITS + 1):
        cut, under = top[left], low[left]
        power, own_power = (digits - 1 - order[left].astype(np.int64) for order in orders)
        own, as_read = _scaled(np.rint, cut, own_power)
        itself = as_read == cut
        half, half_read = _scaled(_rounded_half_up, middle[left], power)
        over, over_read = _scaled(np.ceil, middle[left], power)
        near = (under < half_read) & (half_read <= cut)
        there = itself | near | ((under < over_read) & (over_read <= cut))
        # A tie, or a power of ten that is no float.
        twice, _ = _scaled(np.asarray, 2 * middle[left], power)
        doubt = np.abs(twice - np.rint(twice)) <= np.abs(twice) * 2.0**-48
        doubt = (doubt & there & ~itself) | (
            np.maximum(np.abs(power), np.abs(own_power)) > FLOAT_POWER
        )
        chosen = np.where(itself, own_power, power)
        if thresholds.dtype == np.int64:
            doubt |= there & (chosen > 0)
        sure = left[there & ~doubt]
        values = np.where(itself, own, np.where(near, half, over))
        whole[sure] = values[there & ~doubt]
        powers[sure] = chosen[there & ~doubt]
        settled[sure] = True
        left = left[~(there | doubt)]
    return whole, powers, settled


def _rounded_half_up(values: Floats) -> Floats:
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


def _scaled(
    rounding: Callable[[Floats], Floats], values: Floats, powers: Indices
) -> tuple[Floats, Floats]:
    """Values rounded at a power of ten, and the floats nearest to these decimals."""
    up, down = (TENS[np.clip(sign * powers, 0, FLOAT_POWER)] for sign in (1, -1))
    whole = rounding(values * up / down)
    return whole, whole * down / up


def next_below(scores: Array) -> Array:
    """The next score of the same type below each, which has to have one."""
    if scores.dtype == np.int64:
        return scores - 1
    with np.errstate(over="ignore"):  # below the lowest finite score comes −inf
        lower: Array = np.nextafter(scores, -math.inf)
    return lower


# ----------------------------------------------------------------------
# The upper convex hull of points that rise: which of them no straight line between two others
# passes over or through.


# After so many passes over all points at once, the few that remain are looked at one by one.
MOST_PASSES = 60
# Masses are rounded: within so many units in the last place, three points are taken to lie on one
# line.
SLACK = 8 * 2.0**-53


def upper_hull(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """The places of the hull's corners, first and last included; points rise in x and y. Exact for
    counts of any size.

    A point on or below the line between its two neighbours is no corner, and that stays true when
    the neighbours go as well: so all such points can be taken away at once, again and again, and
    only what is left needs the classic scan.
    """
    moved = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    kept = np.flatnonzero(np.concatenate(([True], moved)))
    if x.dtype == np.int64 and int(x[-1]) * int(y[-1]) > INT64_MAX:
        return _scanned(kept, x.astype(object), y.astype(object))
    if x.dtype == np.float64:
        # Near one, by exact powers of two, so that no product leaves the range of floats.
        x, y = (np.ldexp(values, -int(np.frexp(values[-1])[1])) for values in (x, y))
    for _ in range(MOST_PASSES):
        xs, ys = x[kept], y[kept]
        across, up = xs[1:] - xs[:-1], ys[1:] - ys[:-1]
        corner = _turns_right(across[:-1], up[:-1], across[1:], up[1:])
        if corner.all():
            return kept
        kept = kept[np.concatenate(([True], corner, [True]))]
    return _scanned(kept, x, y)


def _turns_right(across: Any, up: Any, next_across: Any, next_up: Any) -> Any:
    """Whether the second step is less steep than the first."""
    first, second = up * next_across, next_up * across
    return first - second > (
        SLACK * (first + second)
        if getattr(first, "dtype", object) == np.float64 or isinstance(first, float)
        else 0
    )


def _scanned(
    kept: npt.NDArray[np.intp], x: npt.NDArray[Any], y: npt.NDArray[Any]
) -> npt.NDArray[np.intp]:
    """Andrew's chain, one point at a time."""
    corners: list[int] = []
    xs, ys = x[kept].tolist(), y[kept].tolist()
    for i in range(len(kept)):
        while len(corners) >= 2 and not _turns_right(
            xs[corners[-1]] - xs[corners[-2]],
            ys[corners[-1]] - ys[corners[-2]],
            xs[i] - xs[corners[-1]],
            ys[i] - ys[corners[-1]],
        ):
            corners.pop()
        corners.append(i)
    return kept[corners]


# ----------------------------------------------------------------------
# Putting the columns of two values end to end, in types that hold either without loss. One set of
# rules for every `+`.


def joined_scores(first: Array, second: Array) -> Array:
    """Integers and floats together become floats, where no two scores would become one."""
    return _joined(first, second, _as_float_scores)


def joined_counts(first: Array, second: Array) -> Array:
    """Counts and masses together become masses, where every count is exact as a float."""
    return _joined(first, second, as_masses)


def _joined(first: Array, second: Array, as_floats: Callable[[Array], Array]) -> Array:
    """An empty column has no say in the type."""
    if first.dtype == second.dtype:
        return np.concatenate((first, second))
    if not len(first) or not len(second):
        return (first if len(first) else second).copy()
    return np.concatenate((as_floats(first), as_floats(second)))


def as_masses(counts: Array) -> Array:
    """Counts as float64, or a refusal where that would round."""
    if counts.dtype == np.int64 and counts.size and int(counts.max()) > EXACT_FLOATS:
        raise refuse(
            "BR223",
            "counts above 2**53 cannot be added to weighted counts without rounding",
            "weight all parts, or none",
        )
    return counts.astype(np.float64)


def check_totals(positives: Array, negatives: Array) -> None:
    """Totals that int64 or float64 cannot hold are refused, not wrapped."""
    everything = exact_total(positives) + exact_total(negatives)
    if everything == math.inf or (isinstance(everything, int) and everything > INT64_MAX):
        raise refuse(
            "BR223",
            "the totals exceed 64-bit integers",
            "scale the weights down, or count fewer cases",
        )


def check_ratio(positives: float, negatives: float) -> None:
    """Refuse class totals whose ratio is beyond the range of floats."""
    smaller, larger = sorted((positives, negatives))
    if smaller > 0 and larger / smaller == math.inf:
        raise refuse(
            "BR303",
            f"one class weighs {larger:.3g} and the other {smaller:.3g}: a float does not hold"
            " their ratio",
            "correct the weights of one class",
        )


def _as_float_scores(scores: Array) -> Array:
    floats = scores.astype(np.float64)
    # Comparing in Python is exact; NumPy would round the integer first. Only scores that a float
    # might not hold need it.
    large = np.flatnonzero(np.abs(floats) >= EXACT_FLOATS) if scores.dtype == np.int64 else ()
    if any(int(floats[i]) != int(scores[i]) for i in large):
        text = "integer scores beyond 2**53 cannot be added to float scores without merging some"
        raise refuse("BR409", text, "use one type of score in all parts")
    return floats


# ----------------------------------------------------------------------
# What a reader should know of any counts, read off the cells: always true of the value at hand,
# also after adding.


# From these shares on, a remark is worth a line.
MAJORITY = 0.75
LARGE_TIE = 0.05
REVERSED = 0.45
# A probability may be off by so much and still be meant as one.
ROUNDING = 1e-6


def observe(cells: Cells, *, condensed: bool, won: Callable[[], float]) -> tuple[Note, ...]:
    """Every remark that holds for these cells, of which `won` gives the AUC. Where cells were
    merged, no note is made of what merging hides.
    """
    if not len(cells.scores):
        return ()
    positives, negatives = exact_total(cells.positives), exact_total(cells.negatives)
    return (
        *_classes(positives, negatives),
        *(() if condensed else _values(cells)),
        *(() if condensed else _ties(cells, positives + negatives)),
        *(() if condensed else _range(cells)),
        *(
            ()
            if not positives or not negatives
            else _direction(won(), _sample_size(cells.positives), _sample_size(cells.negatives))
        ),
    )


def percent(share: float) -> str:
    """A share for a person; never rounded up to everything."""
    return ">99.9 %" if 0.9995 <= share < 1 else f"{100 * share:.3g} %"


def _classes(positives: float, negatives: float) -> Iterator[Note]:
    everything = positives + negatives
    weighted = isinstance(everything, float)
    cases = f"a weight of {grouped(everything)}" if weighted else number_of(everything, "case")
    if not positives:
        # Clopper-Pearson's one-sided upper bound when none of the cases is positive.
        most = -100 * math.expm1(math.log(0.05) / everything)
        bound = "" if weighted else f"; upper bound on prevalence {most:.3g} % (95 %, one-sided)"
        yield Note("BR104", f"no positives in {cases}: recall and AUC are undefined{bound}")
    elif not negatives:
        yield Note("BR104", f"no negatives in {cases}: false positive rate and AUC are undefined")
    elif positives > MAJORITY * everything:
        of = "weight" if weighted else "cases"
        yield Note(
            "BR110",
            f"the positive class is {percent(positives / everything)} of the {of}; was the rare"
            " class meant?",
        )


def _values(cells: Cells) -> Iterator[Note]:
    scores = cells.scores
    if len(scores) == 1:
        yield Note(
            "BR206", f"every score is {quoted(scores[0].item())}: no threshold separates anything"
        )
    elif len(scores) == 2:
        yield Note(
            "BR205",
            "only 2 distinct scores: one operating point; the curve is that point and its corners",
        )
    if not np.isfinite(scores[[0, -1]]).all():
        yield Note(
            "BR218",
            "some scores are infinite: they rank beyond every finite score, and no probability"
            " measure is defined for them",
        )
    if len(scores) == 2 and scores[0] == 1 and scores[1] == 0:
        if not cells.negatives[0] and not cells.positives[1]:
            yield Note(
                "BR112",
                "the scores are 0 and 1 and separate the classes perfectly: has the label leaked"
                " into the score?",
            )
        else:
            yield Note(
                "BR111",
                "the scores are only 0 and 1: if labels and scores were swapped, so are"
                " precision and recall",
            )


def _ties(cells: Cells, everything: float) -> Iterator[Note]:
    if (
        len(cells.scores) <= 2
        or cells.positives.dtype == np.float64  # masses do not say how many cases tie
        or len(cells.scores) == everything
    ):
        return
    sizes = cells.positives + cells.negatives
    largest = int(np.argmax(sizes))
    share, score = sizes[largest] / everything, cells.scores[largest].item()
    if sizes[largest] < 2 or share < LARGE_TIE:
        return
    if score in (0, 1) and cells.scores[0] <= 1 and cells.scores[-1] >= 0:
        yield Note(
            "BR210",
            f"{percent(share)} of the scores are exactly {score}: the order among them is"
            " arbitrary",
        )
    else:
        yield Note(
            "BR216",
            f"{percent(share)} of the scores equal {quoted(score)}, so a budget may have to pick"
            " among equal scores at random",
        )


def _range(cells: Cells) -> Iterator[Note]:
    finite = cells.scores[[0, -1]]
    if not np.isfinite(finite).all():
        finite = cells.scores[np.isfinite(cells.scores)]
    if not len(finite) or (finite[0] <= 1 + ROUNDING and finite[-1] >= -ROUNDING):
        return
    span = (
        f"scores range from {finite[-1].item():.4g} to {finite[0].item():.4g}, so they are not"
        " probabilities: calibration and decision curves do not apply"
    )
    if finite[-1] >= 0 and finite[0] <= 100:
        yield Note("BR202", f"{span} (percent?)")
    else:
        yield Note("BR203", f"{span} (logits or points?)")


def _direction(auc: float, positives: float, negatives: float) -> Iterator[Note]:
    """Reversed scores are reported, never turned: AUC well below one half, and by more than chance
    explains, which is twice the standard error of a score that knows nothing (Mann & Whitney).
    """
    error = math.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    if auc < min(REVERSED, 0.5 - 2 * error):
        text = f"AUC {auc:.3g} is below 0.5: the scores look reversed"
        yield Note(
            "BR207",
            text,
            Fix(
                "negate the scores, if low means positive",
                "--lower-is-positive, if low means positive",
            ),
        )


def _sample_size(values: npt.NDArray[Any]) -> float:
    """Cases, or for masses Kish's effective number of cells: masses do not say how many cases they
    stand for.
    """
    if values.dtype == np.int64:
        return exact_total(values)
    scaled = values / values.max()
    return float(scaled.sum() ** 2 / square_sum(scaled))


# ----------------------------------------------------------------------
# What all three kinds of counts share: two classes, their totals, and the prior.


class Totals(Frozen):
    """A frozen value with positives and negatives: int64 counts of cases, or float64 masses when
    cases were weighted.
    """

    positives: Array
    negatives: Array
    ledger: Ledger
    _recorded: tuple[Note, ...]
    # Cases that were scored and have no label, counted in the same way with all of them as
    # negatives; None where there are none, or they are not kept (saved counts do not keep them, and
    # no digest knows them).
    unlabelled: Any = None

    def beside(self, unlabelled: Any) -> Self:
        """The same, knowing the cases that were scored and have no label: how many cases are
        flagged needs no label.
        """
        self.__dict__["unlabelled"] = unlabelled
        return self

    def accounted(self, ledger: Ledger) -> Self:
        """The same counts, with this ledger."""
        twin = copy.copy(self)
        twin.__dict__["ledger"] = ledger
        return twin

    @property
    def negated(self) -> bool:
        """Whether scores were negated before they were counted, because low ones are suspicious."""
        return TURNED in self._recorded

    @property
    def labels_missing(self) -> bool:
        """Whether scored cases were left out because they have no label: the prior is then that of
        the labelled cases, not of all.
        """
        return self.unlabelled is not None or any(
            "left_out" in note.values for note in self._recorded
        )

    @property
    def weighted(self) -> bool:
        """True where positives and negatives are masses, not whole cases."""
        return bool(self.positives.dtype == np.float64)

    @cached_property
    def total_positives(self) -> int | float:
        return exact_total(self.positives)

    @cached_property
    def total_negatives(self) -> int | float:
        return exact_total(self.negatives)

    @property
    def prior(self) -> float:
        """The share of positives in the sample: a property of the data set, not an estimate of the
        base rate in the field.
        """
        return ratio_of(
            self.total_positives, self.total_positives + self.total_negatives, "no cases"
        )

    def _unlabelled_with(self, other: Totals) -> Any:
        """The cases without a label of a sum."""
        rest = [part.unlabelled for part in (self, other) if part.unlabelled is not None]
        return rest[0] + rest[1] if len(rest) == 2 else rest[0] if rest else None

    def _notes_with(self, other: Totals) -> tuple[Note, ...]:
        """The recorded notes of a sum."""
        return combine(
            self._recorded, (*other._recorded, *repeated_sources(self.ledger, other.ledger))
        )

    @property
    def _masses(self) -> str:
        """The line in the head of a digest that keeps masses apart from counts."""
        return "masses\n" if self.weighted else ""

    @property
    def _classes(self) -> str:
        if self.weighted:
            return (
                f"weight {grouped(self.total_positives)} positive, {grouped(self.total_negatives)}"
                " negative"
            )
        return (
            f"{number_of(self.total_positives, 'positive')},"
            f" {number_of(self.total_negatives, 'negative')}"
        )


def rows_counted(positives: Array, negatives: Array) -> Ledger:
    """The ledger of cells that did not come from rows we saw: their cases, or nothing where only
    masses are known.
    """
    rows = exact_total(positives) + exact_total(negatives)
    return Ledger(rows_read=rows, rows_used=rows) if isinstance(rows, int) else Ledger()
