"""What a report contains: answers, kept points, slices, definitions, and what the test set can
show.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from baserate.conditions import Conditions
from baserate.counts.cells import Array, Indices, short_decimals
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import short_on
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import Answer, flag_at, settings_of
from baserate.errors import (
    CASE_CONTROL,
    Infeasible,
    InputError,
    Note,
    Source,
    grouped,
    number_of,
    quoted,
    refuse,
)
from baserate.inference.decide import Recommendation
from baserate.inference.rates import MOST_CASES, normal_quantile
from baserate.inference.sample_size import sample_support
from baserate.measures.confusion import parse
from baserate.measures.registry import CATALOGUE
from baserate.results.choice import Choice, best_of_several
from baserate.results.notes import merge_notes
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import Interval, is_corrected, percent
from baserate.segments.groups import Slice, Slices, by_group
from baserate.verbs.choices import choose_at_each
from baserate.views import choices as choice_texts
from baserate.views import comparisons, document, tables
from baserate.views.choices import notes_said, of_recommendation
from baserate.views.document import (
    Settings,
    conditions,
    number,
    point_of,
    read,
    threshold,
    whole,
)
from baserate.views.segment_tables import MOST_SITES

# ----------------------------------------------------------------------
# What a report was asked: every rule at every base rate, answered exactly, with the points that
# each model is set to.


MOST_MODELS = 50
SEED = 0


@dataclass(frozen=True)
class RuleChoices:
    """One rule (None: the cheapest threshold), as it was written too, and what was chosen at each
    base rate.
    """

    rule: str | None
    written: str | None
    volume: float | None
    answers: tuple[Answer, ...]


def answered(
    models: JointCounts | Mapping[str, Counts],
    rules: Sequence[str | None],
    at: Sequence[Conditions],
    volume: float | None,
    **options: Any,
) -> tuple[list[RuleChoices], list[Note]]:
    """Every rule at every base rate, and a note of every model that cannot satisfy one; a rule that
    none can satisfy anywhere is refused.
    """
    found: list[RuleChoices] = []
    notes: list[Note] = []
    for rule in rules:
        answers, refused = choose_at_each(models, rule, at, volume=volume, seed=SEED, **options)
        said = str(parse_rule(rule, volume)) or None
        found.append(RuleChoices(said, rule, volume, tuple(answers)))
        notes += refused
    return found, notes


def best_of(
    models: JointCounts | Mapping[str, Counts],
    rules: Sequence[str | None],
    at: Sequence[Conditions],
    volume: float | None,
    level: float,
) -> tuple[list[str], list[RuleChoices], list[Note]]:
    """The names and the answers of all models, or where they are too many for one page, of those
    that are best at the first answer.
    """
    names = list(models.models if isinstance(models, JointCounts) else models)
    if len(names) <= MOST_MODELS:
        return names, *answered(models, rules, at, volume, level=level)
    asked, _ = answered(models, rules, at, volume, intervals=None)
    best = ranked(
        next(answer.choice for one in asked for answer in one.answers if answer.choice is not None)
    )
    kept = [*best, *(name for name in names if name not in best)][:MOST_MODELS]
    fewer = models.only(tuple(kept)) if isinstance(models, JointCounts) else None
    chosen = fewer or {name: models[name] for name in kept}
    again, refused = answered(chosen, rules, at, volume, level=level)
    text = (
        f"{len(kept)} of {grouped(len(names))} models are in the report, the best by its first"
        " answer"
    )
    note = Note("BR863", f"{text}: the best of many looks better than it is")
    return kept, again, [note, *refused]


def ranked(choice: Choice) -> list[str]:
    """The models by what was made best, the best first."""
    objective = parse(choice.point.optimized, choice.point.volume)
    sign = 1 if objective.direction == "lower" else -1

    def loss(name: str) -> tuple[bool, float]:
        value = sign * read(choice.points[name], choice.point.optimized)
        return name not in choice.models, math.inf if math.isnan(value) else value

    return sorted(choice.points, key=loss)


def of_answers(asked: Sequence[RuleChoices], models: Mapping[str, Counts]) -> list[dict[str, Any]]:
    """The answers for a program, each with its sentence."""
    return [_answer(one, answer, models) for one in asked for answer in one.answers]


def _answer(one: RuleChoices, answer: Answer, models: Mapping[str, Counts]) -> dict[str, Any]:
    choice = answer.choice
    if choice is None:
        at = conditions(answer.at, next(iter(models.values())))
        found: dict[str, Any] = {"points": {}, "baselines": {}, "refused": {}}
    else:
        at = conditions(choice.point.at)
        found = {
            "points": {name: point_of(point) for name, point in choice.points.items()},
            "baselines": {name: point_of(point) for name, point in choice.baselines.items()},
            **comparisons.of_leads(choice),
            "refused": {name: error.problems[0].text for name, error in choice.refused.items()},
        }
    return {
        "rule": one.rule,
        "at": at,
        "volume": one.volume,
        "choose": [] if choice is None else list(choice.models),
        "sentence": sentence(answer, alone=len(models) == 1),
        **found,
    }


# As often as positives may really be, beside the base rate that was given, and how the page writes
# such a base rate.
FACTORS = (0.1, 0.5, 2, 10)
MOST_NEARBY = 0.5
MOST_TESTED = 5
INTERVALS = ("tpr", "fpr", "precision", "posfrac", "expected_cost", "caught")
DIGITS = 10


def answered_nearby(
    models: JointCounts | Mapping[str, Counts], asked: RuleChoices, level: float
) -> list[RuleChoices]:
    """The first question at a tenth, half, twice and ten times its base rate; of more than a few
    models nothing, as all of them are tested again.
    """
    choice = asked.answers[0].choice
    prior = None if choice is None else choice.point.at.prior
    if choice is None or prior is None or not 0 < prior < 1 or len(choice.points) > MOST_TESTED:
        return []
    at = choice.point.at
    priors = [factor * prior for factor in FACTORS if factor * prior < MOST_NEARBY]
    costs = at.costs if at.costs_given else None
    nearby = [Conditions(f"{prior:.4g}", costs) for prior in priors]
    try:
        found, _ = answered(models, [asked.written], nearby, asked.volume, level=level)
    except Infeasible:
        return []
    return found


def of_nearby(asked: Sequence[RuleChoices], models: Mapping[str, Counts]) -> list[dict[str, Any]]:
    """The same for a program: of each point the ends of its intervals, as the page finds the
    points itself.
    """
    return [
        {
            **{key: value for key, value in row.items() if key not in ("baselines", "refused")},
            "points": {name: _ends(point) for name, point in answer.choice.points.items()},
        }
        for one in asked
        for answer, row in zip(one.answers, of_answers([one], models), strict=True)
        if answer.choice is not None
    ]


def _ends(point: OperatingPoint) -> dict[str, Any]:
    """Between which ends a point's measures lie, none where they are not bounded; the same ends of
    a measure that is no estimate.
    """
    known = [(name, point.intervals[name]) for name in INTERVALS if name in point.intervals]
    return {
        "corrected": is_corrected([point]),
        "ends": {
            name: [
                None if one.side == "upper" else float(f"{one.low:.{DIGITS}g}"),
                None if one.side == "lower" else float(f"{one.high:.{DIGITS}g}"),
            ]
            for name, one in known
        },
    }


def sentence(answer: Answer, *, alone: bool) -> str:
    """Which model, and where it is set, or that none can."""
    return (
        f"At {answer.at}: no model can satisfy the rule."
        if answer.choice is None
        else tables.verdict(answer.choice, alone=alone)
    )


# ----------------------------------------------------------------------
# What the words of a report mean, and where they come from.


MEASURES = (
    "tpr",
    "fpr",
    "precision",
    "npv",
    "posfrac",
    "expected_cost",
    "normalized_cost",
    "alerts",
    "caught",
    "missed",
    "false_alarms",
)
MOST_SYNONYMS = 3
WORDS = (
    (
        "prior",
        "prior (base rate, prevalence)",
        "the share of positives among the cases that are met; in the sample or in the field",
        "",
    ),
    (
        "threshold",
        "threshold (cut-off)",
        "a case is flagged where its score is at least this",
        "",
    ),
    (
        "auc",
        "AUC (area under the ROC)",
        "the chance that a positive scores above a negative, ties counted half",
        "Hanley & McNeil 1982, Radiology 143:29-36",
    ),
    (
        "hull",
        "hull (ROCCH)",
        (
            "the upper convex hull of the ROC: its corners are the cheapest points at some base"
            " rate and cost"
        ),
        "Provost & Fawcett 2001, Machine Learning 42:203-231",
    ),
    (
        "label shift",
        "label shift",
        (
            "the assumption behind every number at another base rate: the classes change their"
            " shares, the scores within each class do not change"
        ),
        "Saerens, Latinne & Decaestecker 2002, Neural Computation 14:21-41",
    ),
)


def definitions() -> list[dict[str, str]]:
    """The measures that a report shows, from the registry, and the words around them."""
    return [
        dict(zip(("name", "title", "text", "sources"), row, strict=True))
        for row in (*_measures(), *WORDS)
    ]


def _measures() -> Iterator[tuple[str, str, str, str]]:
    parse("tpr")  # fills the registry
    for name in MEASURES:
        entry = CATALOGUE[name]
        also = ", ".join(entry.synonyms[:MOST_SYNONYMS])
        yield (
            name,
            f"{name} ({also})" if also else name,
            f"{entry.text}. {entry.extremes}",
            entry.citation,
        )


# ----------------------------------------------------------------------
# The thresholds of a model: all of them up to 100,000, packed; of more, and of weighted cases,
# every corner of the hull, what was answered, the front of what is attained, and others between.


MOST_POINTS, MOST_PLAIN = 100_000, 500
# What the points of weighted models together may take, and about what one takes: a score of 17
# digits and in few, four masses.
MOST_BYTES, BYTES_A_POINT, MOST_WEIGHTED = 2_100_000, 86, 2000
MOST_POINTS_DRAWN = 100
# How a step from one threshold to the next is packed: one byte for a power of ten and a
# difference, of which the rest follows where it is large; or the last byte, and both behind.
POWERS, STEPS, MANY, FURTHER = 9, 28, 27, 255
LARGEST = 2**50
TENS = np.array([float(10**power) for power in range(301)])
# The signs of base 85 that mean something to HTML, and others for them.
HARMLESS = bytes.maketrans(b"&<>", b"/,.")


def drawn_points(models: Mapping[str, Counts], settings: Settings) -> dict[str, Points]:
    """Some points of each model, as many as a drawing needs."""
    every = {name: Points.of(counts) for name, counts in models.items()}
    return {
        name: points.only(
            kept_places(points, answered_places(points, settings[name]), MOST_POINTS_DRAWN)
        )
        for name, points in every.items()
    }


def most_points(counts: Counts, models: int) -> int:
    """How many points beyond the corners a report has of a model: masses cannot be packed, and are
    fewer.
    """
    if not counts.weighted:
        return MOST_POINTS
    return max(100, min(MOST_WEIGHTED, MOST_BYTES // BYTES_A_POINT // max(models, 1)))


def _places(points: Points, scores: Array) -> Indices:
    """The points that flag down to these scores, which the points have, and the one that flags
    nothing.
    """
    found = len(points.scores) - np.searchsorted(points.scores[::-1], scores, side="left")
    return np.concatenate(([0], found)).astype(np.intp)


def kept_places(points: Points, answered: Iterable[int], most: int) -> Indices:
    """The corners of the hull, what was answered, and others up to `most`: up to half of them of
    the front, which keeps what any point keeps.
    """
    corners = points.hull_places
    if len(points) - len(corners) <= most:
        return np.arange(len(points))
    kept = np.zeros(len(points), dtype=np.bool_)
    kept[corners] = True
    kept[np.fromiter(answered, dtype=np.intp)] = True
    most = max(0, most - (int(np.count_nonzero(kept)) - len(corners)))
    front = np.flatnonzero(on_front(points) & ~kept)
    front = front[spread(len(front), most // 2)]
    kept[front] = True
    others = np.flatnonzero(~kept)
    kept[others[spread(len(others), most - len(front))]] = True
    return np.flatnonzero(kept)


def on_front(points: Points) -> npt.NDArray[np.bool_]:
    """The points that no other beats: none catches as many with fewer false alarms, nor more with
    as many.
    """
    front = np.ones(len(points), dtype=np.bool_)
    front[1:] = points.tp[1:] > points.tp[:-1]
    front[:-1] &= points.fp[1:] > points.fp[:-1]
    return front


def spread(count: int, most: int) -> Indices:
    """Which of this number of places to keep: half evenly in their logarithm, the others evenly
    among the rest.
    """
    if count <= most:
        return np.arange(count)
    kept = np.zeros(count, dtype=np.bool_)
    kept[np.geomspace(1, count, most // 2).astype(np.intp) - 1] = True
    others = np.flatnonzero(~kept)
    more = np.linspace(0, len(others) - 1, most - int(np.count_nonzero(kept)))
    kept[others[more.astype(np.intp)]] = True
    return np.flatnonzero(kept)


def answered_places(points: Points, chosen: Sequence[OperatingPoint]) -> list[int]:
    """The points that were chosen, and where a share of a tie is flagged, both ends of it."""
    cuts = [
        cut
        for point in chosen
        for cut in (
            point.threshold,
            *(() if point.share == 1 else (point.lower_threshold,)),
        )
    ]
    return [points.place(cut) for cut in cuts]


def points_of(
    name: str,
    counts: Counts,
    chosen: Sequence[OperatingPoint],
    level: float,
    models: int,
) -> dict[str, Any]:
    """What every threshold of a model flags, as the page reads it; counts are exact, scores exact
    at the corners of the hull, the answers and large ties.
    """
    every = Points.of(counts)
    corners, answers = every.hull_places, answered_places(every, chosen)
    places = kept_places(every, answers, most_points(counts, models))
    complete = len(places) == len(every) and not counts.condensed
    chosen_totals = counts.ledger.design == CASE_CONTROL
    plain = len(places) <= MOST_PLAIN or every.tp.dtype != np.int64 or _total(every) >= LARGEST
    return {
        "name": name,
        "positives": whole(counts.total_positives),
        "negatives": whole(counts.total_negatives),
        "sample_prior": None if chosen_totals else number(counts.prior),
        "weighted": counts.weighted,
        "integer": counts.scores.dtype == np.int64,
        "distinct": len(counts.scores),
        "every": complete,
        "gap": None if len(places) == len(every) else _gap(every, places),
        "hull": np.searchsorted(places, corners).tolist(),
        "bounds": {"level": level, "z": normal_quantile(level)} if _bounded(counts) else None,
        **(
            _listed(every, places)
            if plain
            else _packed(every, places, [*corners.tolist(), *answers])
        ),
        **_unlabelled(counts, every, places, plain=plain),
    }


def _bounded(counts: Counts) -> bool:
    """Whether its rates have bounds: not those of weights, nor beyond all numbers of cases."""
    return not counts.weighted and max(counts.total_positives, counts.total_negatives) <= MOST_CASES


def _total(points: Points) -> float:
    return points.total_positives + points.total_negatives


def _gap(every: Points, places: Indices) -> dict[str, float]:
    """How far two neighbours are apart at most, where not every threshold is among these."""
    return {
        name: float(np.diff(cases[places] / total).max()) if total else math.nan
        for name, cases, total in (
            ("tpr", every.tp, every.total_positives),
            ("fpr", every.fp, every.total_negatives),
        )
    }


def _listed(every: Points, places: Indices) -> dict[str, Any]:
    """Few thresholds, or masses, as they are."""
    cuts = [every.threshold(place) for place in places.tolist()]
    passed = (
        {}
        if every.passed is None
        else {
            "fn": _cases(every.passed[0][places]),
            "tn": _cases(every.passed[1][places]),
        }
    )
    return {
        "thresholds": [threshold(cut) for cut in cuts],
        "shown": ["none" if cut is None else short_on(every, cut) for cut in cuts],
        "tp": _cases(every.tp[places]),
        "fp": _cases(every.fp[places]),
        **passed,
    }


def _packed(every: Points, places: Indices, asked: Sequence[int]) -> dict[str, Any]:
    """Many thresholds in few bytes: steps of the counts, and the scores in as few digits as flag
    the same cases.
    """
    cuts, tops = (
        every.scores[places[1:] - 1],
        every.scores if every.tops is None else every.tops,
    )
    m, e, texts = short_decimals(cuts, tops[places[1:-1]])
    steps = [np.diff(values[places]) for values in (every.tp, every.fp)]
    exact = np.zeros(len(places), dtype=np.bool_)
    exact[np.searchsorted(places, asked)] = exact[_large_ties(*steps) + 1] = True
    up, down = (TENS[np.clip(sign * e, 0, 300)] for sign in (-1, 1))
    exact[1:] &= m * up / down != cuts
    there = np.flatnonzero(exact[1:]) + 1
    return {
        "steps": _deflated(_steps(*steps)),
        "scores": _deflated(_scores(m, e, texts)),
        "texts": {str(place + 1): text for place, text in texts.items()},
        "exact": {str(place): threshold(cuts[place - 1].item()) for place in there.tolist()},
    }


def _large_ties(caught: Array, alarmed: Array) -> Indices:
    """Ties of several cases in which a budget may end: more than 1 % of what is flagged before
    them, of either class.
    """
    large = [100 * step > np.maximum(np.cumsum(step) - step, 1) for step in (caught, alarmed)]
    return np.flatnonzero((caught + alarmed > 1) & (large[0] | large[1]))


def _steps(caught: Array, alarmed: Array) -> bytes:
    """How many positives and negatives each threshold flags more: runs of single negatives, and
    both numbers where it is something else.
    """
    other = np.flatnonzero((caught != 0) | (alarmed != 1))
    runs = np.diff(np.concatenate(([-1], other, [len(caught)]))) - 1
    columns = (np.array([len(other)]), runs, caught[other], alarmed[other])
    return b"".join(_bytes(column) for column in columns)


def _scores(m: Indices, e: Indices, texts: Mapping[int, str]) -> bytes:
    """Decimals that fall, each as its power of ten and how many such decimals lie between it and
    the one before.
    """
    coded = np.ones(len(m), dtype=np.bool_)
    coded[list(texts)] = False
    m, e = m[coded], e[coded]
    least = int(e.min(initial=0))
    often = np.convolve(np.bincount(e - least), np.ones(POWERS, dtype=np.int64))
    first = max(least, least + int(often.argmax()) - POWERS + 1)
    before, power = np.concatenate(([0], m[:-1])), np.diff(e, prepend=0)
    up, down = (TENS[np.clip(sign * power, 0, 300)] for sign in (1, -1))
    fits = (np.abs(before * up) < LARGEST) & (np.maximum(up, down) < LARGEST)
    up, down = (np.where(fits, values, 1).astype(np.int64) for values in (up, down))
    skipped, power = -(-np.where(fits, before, 0) * up // down) - 1 - m, e - first
    near = (power >= 0) & (power < POWERS) & (skipped >= 0)
    symbols = np.where(near, power * STEPS + np.minimum(skipped, MANY), FURTHER).astype(np.uint8)
    more = near & (skipped >= MANY)
    signed = np.stack((power, skipped), axis=1)[~near].ravel()
    head = np.array([first, len(m), np.count_nonzero(more)])
    behind = np.concatenate((skipped[more] - MANY, signed))
    return _bytes(_unsigned(head)) + symbols.tobytes() + _bytes(_unsigned(behind))


def _unsigned(signed: Indices) -> Indices:
    """Whole numbers with their sign in the last bit."""
    return np.where(signed < 0, -2 * signed - 1, 2 * signed)


def _bytes(left: Array) -> bytes:
    """Whole numbers, seven bits a byte, the lowest first; the eighth says that more follow."""
    parts: list[Array] = []
    more: list[Array] = []
    while not parts or left.any():
        more.append(left > 127)
        parts.append((left & 127).astype(np.uint8) | (more[-1].astype(np.uint8) << 7))
        left = left >> 7
    kept = np.stack([np.ones_like(more[0]), *more[:-1]], axis=1)
    return bytes(np.stack(parts, axis=1)[kept])


def _deflated(content: bytes) -> str:
    """The shorter of two ways to deflate: runs found, or only frequent bytes made short; in base 85
    with signs that mean nothing to HTML.
    """
    found = []
    for way in (zlib.Z_RLE, zlib.Z_HUFFMAN_ONLY):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15, 8, way)
        found.append(packer.compress(content) + packer.flush())
    return base64.b85encode(min(found, key=len)).translate(HARMLESS).decode()


def _unlabelled(counts: Counts, every: Points, places: Indices, *, plain: bool) -> dict[str, Any]:
    """Cases that were scored and have no label: how many each point flags, and how many there are;
    nothing where there are none.
    """
    if counts.unlabelled is None:
        return {}
    rest = Points.of(counts.unlabelled)  # all of them as negatives
    cuts = every.scores[places[1:] - 1]
    flagged = np.concatenate(([0], rest.fp[_places(rest, cuts)[1:]]))
    return {
        "unlabelled": {
            "flagged": _cases(flagged) if plain else _deflated(_bytes(np.diff(flagged))),
            "cases": whole(counts.unlabelled.total_negatives),
        }
    }


def _cases(values: Array) -> list[float | str]:
    return [whole(value) for value in values.tolist()]


# ----------------------------------------------------------------------
# What a test set can show, and what it cannot: sentences for the first screen.


LABEL_SHIFT = (
    "Every number at another base rate than the sample's assumes label shift: the classes change"
    " their shares, and the scores within each class keep their distribution."
)
SAME_CASES = (
    "The thresholds were chosen and evaluated on the same cases, so the numbers are optimistic"
)


def sentences(
    models: Mapping[str, Counts],
    settings: Mapping[str, Sequence[OperatingPoint]],
    level: float,
) -> list[str]:
    """What holds for all models once, and of each model what holds for it alone."""
    said = [LABEL_SHIFT]
    said += list(
        dict.fromkeys(line for counts in models.values() for line in _sample(counts, level))
    )
    for name, counts in models.items():
        chosen = settings.get(name, ())
        said += [f"{quoted(name, quotes=False)}: {line}" for line in _merged(counts)]
        said += [
            f"{quoted(name, quotes=False)}, at the scenario given: {line}"
            for line in _few(chosen[:1], level)
        ]
    every = [point for points in settings.values() for point in points]
    corrected = (
        "; the intervals of the scenarios that were given are corrected for that."
        if is_corrected(every)
        else "."
    )
    return [*said, *([f"{SAME_CASES}{corrected}"] if every else [])]


def _sample(counts: Counts, level: float) -> Iterator[str]:
    if counts.ledger.design == CASE_CONTROL:
        yield (
            "The class totals were chosen: the share of positives in the sample is not a base rate."
        )
    if counts.weighted:
        yield (
            "The cases are weighted, and weights do not say how many were seen: there are no"
            " intervals."
        )
        return
    if max(counts.total_positives, counts.total_negatives) > MOST_CASES:
        return
    found = sample_support(counts, level=level)
    cases = f"{number_of(found.positives, 'positive')} and {number_of(found.negatives, 'negative')}"
    yield (
        f"With {cases}, a model without a single error would demonstrate a miss rate below"
        f" {found.smallest_fnr_shown:.3g} and a false alarm rate below"
        f" {found.smallest_fpr_shown:.3g} ({percent(level)}), and nothing lower."
    )


def _merged(counts: Counts) -> Iterator[str]:
    if counts.condensed:
        yield (
            "runs of negatives between positive scores were merged: thresholds inside a run are not"
            " known."
        )


def _few(points: Sequence[OperatingPoint], level: float) -> Iterator[str]:
    """Rates at the chosen point that rest on few errors; their intervals stand in the tables,
    corrected for the choice.
    """
    for point in points:
        try:
            yield from (
                f"{note.values.get('rests_on', note.text)}."
                for note in sample_support(point, level=level).notes
            )
        except InputError:  # a share of a tie, or weights: no cases to rest on
            yield from ()


def condensed(models: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Of which models not every threshold is in the file, and how far two neighbours are apart."""
    for one in models:
        if one["gap"] is not None:
            yield (
                f"{quoted(one['name'], quotes=False)}: {grouped(one['distinct'] + 1)} thresholds"
                " are condensed in this file: the answers given and the cheapest thresholds are"
                f" exact, others to within a recall of {one['gap']['tpr']:.2g} and a false alarm"
                f" rate of {one['gap']['fpr']:.2g}."
            )


# ----------------------------------------------------------------------
# Slices in a report: every site at the threshold that was chosen on all cases.


Grouped = Mapping[str, Mapping[str, GroupedCounts]]


class Sliced(NamedTuple):
    """What one threshold of a model does at every value of a column."""

    column: str
    model: str
    found: Slices


def checked_slices(slices: Any, models: Sequence[str]) -> Grouped:
    """Counts by group, of every model, for each column."""
    found: dict[str, Mapping[str, GroupedCounts]] = {}
    if not isinstance(slices, Mapping):
        raise refuse(
            "BR862",
            f"slices are counts by group for each column, got {type(slices).__name__}",
            'slices={"site": count(…, by=site)}',
        )
    for column, given in slices.items():
        by_model = (
            {models[0]: given} if isinstance(given, GroupedCounts) and len(models) == 1 else given
        )
        if not isinstance(by_model, Mapping) or not all(
            isinstance(one, GroupedCounts) for one in by_model.values()
        ):
            text = f"slices by {quoted(column)} are GroupedCounts of each model"
            raise refuse("BR862", text, 'slices={"site": {"logit": count(y, score, by=site)}}')
        unknown = next((name for name in by_model if name not in models), None)
        if unknown is not None:
            raise refuse(
                "BR408",
                f"there is no model {quoted(unknown)}",
                f"one of {', '.join(map(quoted, models))}",
            )
        found[str(column)] = by_model
    return found


def sliced(
    slices: Grouped,
    settings: Mapping[str, Sequence[OperatingPoint]],
    at: Conditions,
    level: float,
) -> list[Sliced]:
    """Every column and model that is set somewhere, at its first threshold and each site's own base
    rate, unless one is given for all.
    """
    given = Conditions(None, at.costs if at.costs_given else None) if at.as_in_sample else at
    return [
        Sliced(
            column,
            model,
            replace(
                by_group(
                    groups,
                    threshold=settings[model][0].threshold,
                    at=given,
                    level=level,
                ),
                chosen=not settings[model][0].in_advance,
            ),
        )
        for column, by_model in slices.items()
        for model, groups in by_model.items()
        if settings[model]
    ]


def of_slices(found: Sequence[Sliced], models: Mapping[str, Counts]) -> dict[str, Any] | None:
    """The slices for a program: the largest of them, and the others together as one."""
    if not found:
        return None
    every = {name: Points.of(models[name]) for name in {one.model for one in found}}
    cuts = {name: points.scores[points.hull_places[1:] - 1] for name, points in every.items()}
    rows = [
        _row(one, part, cuts[one.model]) for one in found for part in one.found.largest(MOST_SITES)
    ]
    return {"by": list(dict.fromkeys(one.column for one in found)), "rows": rows}


def _row(one: Sliced, part: Slice, cuts: Array) -> dict[str, Any]:
    return {
        "by": one.column,
        "slice": part.name,
        "model": one.model,
        "positives": whole(part.positives),
        "negatives": whole(part.negatives),
        "points": [point_of(part.point)],
        "corners": _at_corners(part, cuts),
    }


def _at_corners(part: Slice, cuts: Array) -> dict[str, str] | None:
    """What a slice flags more at each corner of the model's hull than at the one before; nothing
    of weights, clusters and several slices as one, of which a page knows no intervals.
    """
    if part.counts.weighted or part.clusters is not None or part.sites:
        return None
    points = Points.of(part.counts)
    places = _places(points, cuts)
    return {
        name: _deflated(_bytes(np.diff(values[places])))
        for name, values in (("tp", points.tp), ("fp", points.fp))
    }


# ----------------------------------------------------------------------
# What a report is made of, before it is written for a program or for a person.


MIDDLE = "In the middle of what was given:"


@dataclass(frozen=True)
class Contents:
    """The models with the points that are held of them, what was requested, and what was found."""

    title: str | None
    models: Mapping[str, Counts]
    points: Mapping[str, Points]
    asked: Sequence[RuleChoices]
    at: Sequence[Conditions]
    level: float
    aucs: Mapping[str, Interval]
    notes: Sequence[Note] = ()
    slices: Sequence[Sliced] = ()
    decision: Recommendation | None = None
    nearby: Sequence[RuleChoices] = ()

    @property
    def volume(self) -> float | None:
        return self.asked[0].volume

    @property
    def sources(self) -> list[Source]:
        """Every input once."""
        return list(
            dict.fromkeys(
                source for counts in self.models.values() for source in counts.ledger.sources
            )
        )

    @property
    def first(self) -> Choice | None:
        """The first choice that could be made."""
        return next(
            (
                answer.choice
                for one in self.asked
                for answer in one.answers
                if answer.choice is not None
            ),
            None,
        )

    @property
    def chosen(self) -> Mapping[str, OperatingPoint]:
        """Where each model is set first, the best one before the others."""
        choice = self.first
        if choice is None:
            return {}
        return {
            name: choice.points[name]
            for name in (
                *choice.models,
                *(name for name in choice.points if name not in choice.models),
            )
        }

    @property
    def decided(self) -> dict[str, str] | None:
        """What to do under uncertain conditions, in words, and what stands before an answer in
        their middle; nothing where they are known.
        """
        return (
            None
            if self.decision is None
            else {
                "sentence": choice_texts.decided(self.decision.decision),
                "lead": MIDDLE,
            }
        )

    @property
    def sentences(self) -> list[str]:
        """The answers in words; where conditions are uncertain, what to do under all of them comes
        first.
        """
        said = [
            sentence(answer, alone=len(self.models) == 1)
            for one in self.asked
            for answer in one.answers
        ]
        decided = self.decided
        return (
            said
            if decided is None
            else [
                decided["sentence"],
                *(f"{MIDDLE} {text[0].lower()}{text[1:]}" for text in said),
            ]
        )


def of_contents(contents: Contents) -> dict[str, Any]:
    """The document: what `--json` gives of any models, and what the page needs to answer by
    itself.
    """
    models, level = contents.models, contents.level
    settings = settings_of(models, (answer for one in contents.asked for answer in one.answers))
    exact = {name: [*settings[name], *_decided(contents, name)] for name in models}
    points = [
        points_of(name, counts, exact[name], level, len(models)) for name, counts in models.items()
    ]
    parts = {
        "title": contents.title,
        "scenario": scenario(contents),
        "level": level,
        "points": points,
        "answers": of_answers(contents.asked, models),
        "nearby": of_nearby(contents.nearby, models),
        "slices": of_slices(contents.slices, models),
        "decision": None if contents.decision is None else of_recommendation(contents.decision),
        "decided": contents.decided,
        "shows": [*sentences(models, settings, level), *condensed(points)],
        "definitions": definitions(),
    }
    decided = [] if contents.decision is None else notes_said(contents.decision)
    said = [
        *contents.notes,
        *document.notes_of(models, settings),
        *(note for one in contents.at for note in one.notes),
        *(
            note
            for one in contents.asked
            for answer in one.answers
            if answer.choice is not None
            for note in best_of_several(answer.choice)
        ),
        *decided,
    ]
    # What holds for all cases at a threshold is said of the model already: of its sites only what
    # is new.
    codes = {note.code for note in said}
    notes = merge_notes(
        [
            *said,
            *(
                note
                for one in contents.slices
                for note in one.found.notes
                if note.code not in codes
            ),
        ]
    )
    return document.of_models(
        "report",
        models,
        settings,
        contents.at,
        notes,
        aucs=contents.aucs,
        seed=SEED,
        report=parts,
    )


def _decided(contents: Contents, name: str) -> Iterator[OperatingPoint]:
    """Where a model is set over ranges of conditions."""
    rivals = {} if contents.decision is None else contents.decision.decision.rivals
    if name in rivals:
        yield flag_at(contents.models[name], rivals[name].threshold)


def scenario(contents: Contents) -> dict[str, Any]:
    """Where the controls start."""
    at, volume = contents.at[0], contents.volume
    started = document.conditions(at, next(iter(contents.models.values())))
    rules = [parse_rule(one.rule, volume) for one in contents.asked]
    budget = next((rule.budget for rule in rules if rule.budget is not None), None)
    inside = started["prior"] is not None and 0 < started["prior"] < 1
    return {
        **started,
        "prior": started["prior"] if inside else None,
        "written": _fraction(at),
        "earned": at.costs.earned,
        "volume": volume,
        "budget": None if budget is None else float(budget.limit),
        "rule": next(
            (
                one.written
                for one, rule in zip(contents.asked, rules, strict=True)
                if rule.terms and rule.budget is None
            ),
            None,
        ),
    }


def _fraction(at: Conditions) -> str | None:
    """The base rate as it was written, where a float cannot hold it: 1/1000."""
    if at.prior is None or at.as_in_sample or at.exact_prior == Fraction(at.prior):
        return None
    return f"{at.exact_prior.numerator}/{at.exact_prior.denominator}"
