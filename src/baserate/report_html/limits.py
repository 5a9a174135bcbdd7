"""What a test set can show, and what it cannot: sentences for the first screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from baserate.counts import Counts
from baserate.decisions.operating import OperatingPoint
from baserate.document import Known
from baserate.errors import InputError, grouped, number_of, quoted
from baserate.notes import CASE_CONTROL
from baserate.uncertainty.adequacy import support
from baserate.uncertainty.chosen import CORRECTED
from baserate.uncertainty.rates import MOST_CASES
from baserate.uncertainty.values import percent

LABEL_SHIFT = (
    "Every number at another base rate than the sample's assumes label shift: the classes change their shares, and the scores within each "
    "class keep their distribution."
)
SAME_CASES = "The thresholds were chosen and evaluated on the same cases, so the numbers are optimistic"


def sentences(models: Mapping[str, Counts], settings: Mapping[str, Sequence[OperatingPoint]], known: Known) -> list[str]:
    """What holds for all models once, and of each model what holds for it alone."""
    said = [LABEL_SHIFT]
    said += list(dict.fromkeys(line for counts in models.values() for line in _sample(counts, known.level)))
    for name, counts in models.items():
        chosen = settings.get(name, ())
        said += [f"{quoted(name, quotes=False)}: {line}" for line in _merged(counts)]
        said += [f"{quoted(name, quotes=False)}, at the scenario given: {line}" for line in _few(chosen[:1], known.level)]
    every = [point for points in settings.values() for point in points]
    corrected = "; the intervals of the scenarios that were given are corrected for that." if is_corrected(every, known) else "."
    return [*said, *([f"{SAME_CASES}{corrected}"] if every else [])]


def is_corrected(points: Sequence[OperatingPoint], known: Known) -> bool:
    """Whether the intervals allow for choosing the thresholds on these cases; where only those of some models do, a note names the others."""
    return any(one.method.startswith(CORRECTED) for point in points for one in known.at(point).values())


def _sample(counts: Counts, level: float) -> Iterator[str]:
    if counts.ledger.design == CASE_CONTROL:
        yield "The class totals were chosen: the share of positives in the sample is no base rate."
    if counts.weighted:
        yield "The cases are weighted, and weights do not say how many were seen: there are no intervals."
        return
    if max(counts.total_positives, counts.total_negatives) > MOST_CASES:
        return
    found = support(counts, level=level)
    cases = f"{number_of(found.positives, 'positive')} and {number_of(found.negatives, 'negative')}"
    least = f"a miss rate of {found.smallest_fnr_shown:.3g} and a false alarm rate of {found.smallest_fpr_shown:.3g}"
    yield f"{cases}: even without a single error they could show no less than {least} ({percent(level)})."


def _merged(counts: Counts) -> Iterator[str]:
    if counts.condensed:
        yield "runs of negatives between positive scores were merged: thresholds inside a run are not known."
    if counts.bins is not None:
        bins, bound = number_of(len(counts.scores), "bin"), counts.auc_error_bound
        yield f"scores were merged into {bins}: AUC is known to within {bound:.3g}, and thresholds at their edges only."


def _few(points: Sequence[OperatingPoint], level: float) -> Iterator[str]:
    """Rates at the chosen point that rest on few errors; their intervals stand in the tables, corrected for the choice."""
    for point in points:
        try:
            yield from (f"{note.text.partition(f': {percent(level)} ')[0]}." for note in support(point, level=level).notes)
        except InputError:  # a share of a tie, or weights: no cases to rest on
            yield from ()


def thinned(held: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of which models not all thresholds are in the file."""
    for one in held:
        if len(one["tp"]) <= one["distinct"]:
            share = f"{grouped(len(one['tp']))} of {grouped(one['distinct'] + 1)} points are held"
            yield f"{quoted(one['name'], quotes=False)}: {share}; the answers given are exact, others are read at the nearest."
