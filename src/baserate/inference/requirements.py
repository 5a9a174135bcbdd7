"""`require` and `non_inferiority`: is a requirement demonstrated by the data, and is a candidate
worse than the baseline?
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from baserate.conditions import Conditions, refuse_estimate
from baserate.counts.counts import Counts, JointCounts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.curves.summaries import SUMMARIES, Summary, summary_named
from baserate.decisions.operating_point import MATERIAL, if_all_labelled, short_on
from baserate.decisions.rules import AND, Term, exact_or_none, holds_all, meets_limit, parse_rule
from baserate.decisions.selection import choose, flag_at
from baserate.errors import Fix, Infeasible, InputError, Note, combine, quoted, refuse
from baserate.inference.clusters import (
    cluster_bound,
    cluster_intervals,
    cluster_notes,
    clustered,
    with_clusters,
)
from baserate.inference.differences import compare
from baserate.inference.intervals import interval
from baserate.inference.rates import normal, refuse_weights, special
from baserate.inference.resample import PERCENTILE, Plan, check_replicates, holm, with_cells
from baserate.inference.sample_size import cases_needed, refuse_masses, smallest_detectable
from baserate.inference.statistic import is_known, statistic_of
from baserate.measures.confusion import NOT_SAID, Measure
from baserate.measures.registry import CLASS_OF
from baserate.notation import NumberCheck, checked_volume, parse_number
from baserate.numbers import rounded
from baserate.results.operating_point import COUNTED, SELECTIVE, OperatingPoint
from baserate.results.values import (
    ALIKE,
    ALL,
    BETTER,
    LOWER,
    MISSED,
    NOISE,
    OBSERVED,
    SAME,
    SHOWN,
    UPPER,
    WORSE,
    Check,
    Difference,
    Interval,
    NonInferiority,
    Part,
    Requirement,
    checked_level,
    missed,
    percent,
)

# ----------------------------------------------------------------------
# Gates: is a requirement shown by the data, and is a candidate worse than the baseline? What a
# build fails on.


CLASS_RATES = ("tpr", "fpr", "tnr", "fnr")
CHOSEN_HERE, UNDEFINED = "BR593", "BR589"
# Of the notes on a point, those that bear on a requirement: a threshold beyond all scores, and
# labels that are missing.
OF_THE_POINT = ("BR529", SELECTIVE, "BR117")
# Of the scores, among how many of the highest labels are counted; and the p-value below which they
# are not as frequent everywhere.
TOP_SHARES, SELECTED = np.array([0.01, 0.02, 0.05, 0.1, 0.25, 0.5]), 0.001


def require(
    counts: Counts,
    requirement: str,
    *,
    at: Conditions | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Requirement:
    """Is this requirement shown by the data, or only observed?

    Every term ("recall >= 0.9 and precision >= 20%", "auc >= 0.8") is evaluated at the `threshold`,
    by the one-sided bound at the level: *demonstrated* where the bound meets it, *met, not
    demonstrated* where only the value does, *not met* otherwise. Without a threshold a random half
    of the cases chooses one (the cheapest that satisfies the requirement), and the other half
    evaluates it. What only a bootstrap knows is never shown. At a base rate that was estimated
    (`Conditions(prior=estimate)`) bounds take its error too, and half of the 5 % is spared.

    >>> import baserate as br
    >>> counts = br.Counts([1, 0], positives=[95, 5], negatives=[10, 890])
    >>> br.require(counts, "recall >= 0.9", threshold=1).outcome
    'met, not demonstrated'
    """
    level = checked_level(level)
    if not isinstance(counts, Counts):
        raise refuse(
            "BR429",
            f"a requirement is evaluated on Counts, got {type(counts).__name__}",
            "count(...)",
        )
    refuse_weights(counts)
    summaries, rule = split_requirement(requirement)
    if rule and threshold is NOT_SAID:
        refuse_estimate(at, "a requirement without a threshold")
    point, notes = (
        _point(counts, rule, (at, checked_volume(volume)), threshold, seed) if rule else (None, ())
    )
    checks = [_summary_check(part, counts, at, level, seed) for part in summaries]
    beyond: tuple[Note, ...] = ()
    if point is not None:
        whole = point if not notes else flag_at(counts, point.threshold, at=at, volume=volume)
        beyond = tuple(note for note in whole.notes if note.code in OF_THE_POINT)
        checks += [
            _unless_biased(
                _check(term, point, level, seed, chosen=bool(notes)), term, whole, counts
            )
            for term in parse_rule(rule, checked_volume(volume)).terms
        ]
    worst = max((check.outcome for check in checks), key=(SHOWN, OBSERVED, MISSED).index)
    return Requirement(
        worst,
        tuple(checks),
        point,
        combine((*notes, *beyond), (note for check in checks for note in check.interval.notes)),
    )


def split_requirement(requirement: str) -> tuple[list[tuple[str, str, float]], str]:
    """Terms on summaries (auc >= 0.8), and the rest as a rule."""
    if not isinstance(requirement, str):
        raise refuse(
            "BR533", f"a requirement is a text, got {quoted(requirement)}", '"precision >= 0.2"'
        )
    summaries, terms = [], []
    for part in AND.split(requirement.strip().replace("≥", ">=").replace("≤", "<=")):
        sign = ">=" if ">=" in part else "<="
        name, found, limit = (piece.strip() for piece in part.partition(sign))
        summary = summary_named(name) if found else None
        if summary is not None:
            summaries.append(_summary_term(summary, sign, limit))
        else:
            terms.append(part)
    rule = " and ".join(terms)
    if not summaries and not rule.strip():
        raise refuse("BR533", "the requirement is empty", '"precision >= 0.2"')
    return summaries, rule


def check_requirement(requirement: str, volume: float | None = None) -> None:
    """Refuse a requirement that cannot be read, before any data are."""
    rule = split_requirement(requirement)[1]
    if rule:
        parse_rule(rule, volume)


checked_margin = NumberCheck(
    "BR596",
    "a margin is how much worse may pass, a number above 0",
    Fix("margin=0.01", "--margin 0.01"),
    high=1e12,
    above_low=True,
).or_none


def _summary_term(summary: Summary, sign: str, limit: str) -> tuple[str, str, float]:
    value = parse_number(limit.removesuffix("%").strip())
    if value is None:
        raise refuse("BR533", f"{quoted(limit)} is not a number", '"auc >= 0.8"')
    bound = rounded(value / 100 if limit.endswith("%") else value)
    low, high = SUMMARIES[summary.name].range
    if not low <= bound <= high:
        raise refuse(
            "BR533",
            f"{summary.name} lies between {low:g} and {high:g}, got {quoted(limit, quotes=False)}",
            f'"{summary} {sign} 80%"',
        )
    return str(summary), sign, bound


def _point(
    counts: Counts,
    rule: str,
    where: tuple[Conditions | None, float | None],
    threshold: Any,
    seed: int,
) -> tuple[OperatingPoint, tuple[Note, ...]]:
    """Where the requirement is evaluated: at the threshold, or at one that half of the cases choose
    and the other half evaluates.
    """
    at, volume = where
    if threshold is not NOT_SAID:
        return flag_at(counts, threshold, at=at, volume=volume), ()
    parse_rule(rule, volume)  # what cannot be read is refused before anything is drawn
    one, other = _halves(counts, seed)
    try:
        chosen = choose(one, rule, at=at, volume=volume).threshold
    except Infeasible:
        chosen = choose(one, at=at, volume=volume).threshold
    shown = "flagging nothing" if chosen is None else short_on(Points.of(counts), chosen)
    text = (
        f"no threshold is given: {shown} was chosen on a random half of the cases, and evaluated on"
        " the other half"
    )
    return flag_at(other, chosen, at=at, volume=volume), (Note(CHOSEN_HERE, text),)


def _halves(counts: Counts, seed: int) -> tuple[Counts, Counts]:
    """A coin for every case: two independent samples, so that what one chooses the other may
    evaluate.
    """
    rng = np.random.default_rng((seed, 0x4A1F))
    positives, negatives = (
        rng.binomial(column, 0.5) for column in (counts.positives, counts.negatives)
    )
    rest = counts.positives - positives, counts.negatives - negatives
    return with_cells(counts, positives, negatives), with_cells(counts, *rest)


def _check(term: Term, point: OperatingPoint, level: float, seed: int, *, chosen: bool) -> Check:
    side = LOWER if term.sense == ">=" else UPPER
    try:
        found = interval(point, term.measure, level=level, side=side, seed=seed)
    except InputError as error:
        tp, fp, fn, tn = point.confusion
        if error.code != UNDEFINED or not chosen or not tp + fn or not fp + tn:
            # at a threshold that was given, or of a class that is not there, nothing can be judged
            raise
        return Check(
            str(term),
            Interval(
                math.nan, math.nan, math.nan, level, "undefined", side, str(term.measure), point.at
            ),
            MISSED,
            limit=float(term.limit),
        )
    limit = float(term.limit)
    counted = (
        point.counted is not None and term.measure.name in COUNTED
    )  # among all cases that were scored
    holds = (
        bool(term.holds(found.value)) if counted else holds_all([term], point.confusion, point.at)
    )
    shown = holds and bool(term.holds(bound_of(found)))
    outcome = SHOWN if shown else OBSERVED if holds else MISSED
    needed = _needed(term, found.value, level) if outcome == OBSERVED else None
    return Check(str(term), found, outcome, needed, limit=limit)


def _unless_biased(check: Check, term: Term, point: OperatingPoint, counts: Counts) -> Check:
    """Not demonstrated where labels depend on the flag and all labels would show a worse value, as
    no bound takes that into account; where the dependence is slight, if the bound would then fail.
    """
    slight = if_all_labelled(point, counts) is None
    after = if_all_labelled(point, counts, material=Fraction(0))
    if check.outcome == MISSED:
        return check
    if after is None or (point.counted is not None and term.measure.name in COUNTED):
        return check
    seen, corrected = (
        exact_or_none(term.measure, one, point.at) for one in (point.confusion, after)
    )
    if (
        seen is None
        or corrected is None
        or (corrected - seen) * (1 if term.sense == ">=" else -1) >= 0
    ):
        return check
    bound = check.bound + float(corrected - seen)
    if slight and term.holds(bound):
        return check
    return replace(check, outcome=OBSERVED, needed=None, corrected=float(corrected))


def bound_of(found: Interval) -> float:
    """Return the one bound that an interval has."""
    return found.low if found.side == LOWER else found.high


def _needed(term: Term, value: float, level: float) -> int | None:
    """Cases of the class that would demonstrate it at the rate observed; not known for what mixes
    classes.
    """
    if term.measure.name not in CLASS_RATES or value == float(term.limit):
        return None
    try:
        return cases_needed(str(term), expect=value, level=level, power=None)
    except InputError:
        return None  # more than anybody would look for


def _summary_check(
    part: tuple[str, str, float], counts: Counts, at: Conditions | None, level: float, seed: int
) -> Check:
    name, sign, limit = part
    side = LOWER if sign == ">=" else UPPER
    found = interval(counts, name, at=at, level=level, side=side, seed=seed)
    holds = bool(meets_limit(found.value, sign, limit))
    # A bootstrap promises no coverage, and of what is made best (ks, min_cost) it is biased: it
    # shows nothing.
    within = holds and bool(meets_limit(bound_of(found), sign, limit))
    shown = within and found.replicates is None
    if within and not shown:
        text = (
            f"{name} is known by a bootstrap only, whose bound promises no coverage: that does not"
            " show a requirement"
        )
        found = replace(found, notes=(*found.notes, Note("BR596", text)))
    check = Check(
        f"{name} {sign} {limit:g}",
        found,
        SHOWN if shown else OBSERVED if holds else MISSED,
        at_point=False,
        limit=limit,
    )
    corrected = _if_all_labelled(name, counts, at) if shown else None
    worse = corrected is not None and (
        corrected < found.value if side == LOWER else corrected > found.value
    )
    return replace(check, outcome=OBSERVED, corrected=corrected) if worse else check


def non_inferiority(
    models: JointCounts | Mapping[str, JointCounts],
    *,
    baseline: str,
    candidate: str,
    statistic: Any = "error",
    margin: float | None = None,
    level: float = 0.95,
    **options: Any,
) -> NonInferiority:
    """Is the candidate really worse than the baseline, over all cases or on any slice?

    `models` are joint counts, or those of each slice by name. Every part is compared by `statistic`
    (`compare` takes the other options: `threshold={"m1": 0.5, "m2": 0.3}`, `at`, `rule`); by
    default the errors at fixed thresholds, by McNemar's exact test. It fails where the candidate is
    worse with p < 0.05 after Holm's adjustment over all parts. With a `margin` it also fails unless
    the candidate is demonstrated to be at most that much worse over all cases (non-inferiority).

    >>> import baserate as br
    >>> y = [1] * 60
    >>> joint = br.count([*y, 0], {"old": [1] * 40 + [0] * 20 + [0], "new": [0] * 40 + [1] * 20 + [0]})
    >>> verdict = br.non_inferiority(joint, baseline="old", candidate="new", threshold=1)
    >>> verdict.passed, verdict.outcome, round(verdict.parts[0].difference.p_value, 7)
    (False, 'worse', 0.0134893)
    """  # noqa: E501
    level = checked_level(level)
    checked_margin(margin)
    if baseline == candidate:
        raise refuse(
            "BR596", f"baseline and candidate are both {quoted(baseline)}", "name two models"
        )
    if (
        callable(statistic)
        and not isinstance(statistic, Summary | Measure)
        and options.get("better") is None
        and not is_known(statistic)
    ):
        raise refuse(
            "BR594",
            "which way is better is not known of"
            f" {quoted(getattr(statistic, '__name__', 'a function'))}",
            'better="higher" or better="lower"',
        )
    slices = {} if isinstance(models, JointCounts) else dict(models)
    whole = models if isinstance(models, JointCounts) else _together(slices)
    _check_informative(whole, (baseline, candidate), options.get("threshold", NOT_SAID))
    asked = {**options, "pair": (baseline, candidate), "level": level}
    found = [(ALL, compare(whole, statistic, **asked))]
    check_replicates(found[0][1], 1 + (len(slices) if len(slices) > 1 else 0))
    skipped = list[Note]()
    for name, joint in slices.items() if len(slices) > 1 else ():
        try:
            found.append((name, compare(joint, statistic, **asked)))
        except InputError as error:
            skipped.append(
                Note("BR596", f"slice {quoted(name)} cannot be compared: {error.problems[0].text}")
            )
    adjusted = holm([difference.p_value for _, difference in found])
    judged = [
        _judged(name, one, p, (level, len(found)))
        for (name, one), p in zip(found, adjusted, strict=True)
    ]
    return _verdict((replace(judged[0], whole=True), *judged[1:]), margin, tuple(skipped))


def _together(slices: Mapping[str, JointCounts]) -> JointCounts:
    if not slices or not all(isinstance(part, JointCounts) for part in slices.values()):
        raise refuse(
            "BR595",
            "a comparison needs the joint counts of both models",
            "count(y, {name: scores}), or those of each slice by name",
        )
    return reduce(add, slices.values())


def _check_informative(joint: JointCounts, names: tuple[str, str], threshold: Any) -> None:
    """A comparison that cannot come out is no check: a class is missing, or neither model flags
    anything, or both flag everything.
    """
    if not joint.total_positives or not joint.total_negatives:
        missing = "positives" if not joint.total_positives else "negatives"
        raise refuse(
            "BR552",
            f"there are no {missing}: a gate on these cases would always pass",
            "give cases of both classes",
        )
    if threshold is NOT_SAID or (
        isinstance(threshold, Mapping) and not set(names) <= set(threshold)
    ):
        return
    flagged = set[Any]()
    for name in names:
        points = Points.of(joint.marginal(name))
        place = points.place(threshold[name] if isinstance(threshold, Mapping) else threshold)
        flagged.add({0: "nothing", len(points) - 1: "everything"}.get(place, (name,)))
    if len(flagged) == 1:
        raise refuse(
            "BR596",
            f"both models flag {flagged.pop()} at these thresholds: there is nothing to compare",
            Fix("threshold=…, within the scores", "--threshold, within the scores"),
        )


def _judged(name: str, difference: Difference, p_adjusted: float, where: tuple[float, int]) -> Part:
    level, parts = where
    worse = difference.favours == difference.models[0]
    significant = p_adjusted < missed(level)
    if not difference.value:
        outcome = SAME
    elif worse:
        outcome = WORSE if significant else NOISE
    else:
        outcome = BETTER if significant else ALIKE
    # Holm lets the first of several parts through at so much less.
    return Part(
        name, difference, outcome, p_adjusted, _detectable(difference, 1 - missed(level) / parts)
    )


def _detectable(difference: Difference, level: float) -> float | None:
    """The smallest difference that would have been called one, four times in five."""
    if difference.discordant is not None:
        pairs, cases = difference.discordant
        share = smallest_detectable(pairs, level=level, cases=cases).share
        return None if share is None or math.isnan(share) else float(share)
    # The half width of the interval is the critical value times the standard error; another 0.84
    # standard errors give the power.
    half = (difference.high - difference.low) / 2
    return (
        half * (normal((1 + level) / 2) + normal(0.8)) / normal((1 + difference.level) / 2)
        if half > 0
        else None
    )


def _verdict(
    parts: tuple[Part, ...], margin: float | None, notes: tuple[Note, ...]
) -> NonInferiority:
    worse = [part for part in parts if part.outcome == WORSE]
    outcome = WORSE if worse else parts[0].outcome
    passed = not worse
    if margin is not None:
        whole = parts[0].difference
        loss = whole.high if whole.better == "lower" else -whole.low
        # Resamples that do not differ show nothing: the bounds are no bounds.
        shown = bool(meets_limit(loss, "<=", margin)) and not (
            whole.method == PERCENTILE and whole.low == whole.high
        )
        passed = passed and shown
        how = "within" if shown else "not demonstrated to be within"
        text = f"at most {loss:.4g} worse at {percent(whole.level)}: {how} the margin of {margin:g}"
        notes = (*notes, Note("BR596", text, values={"margin": margin, "within": shown}))
    return NonInferiority(passed, outcome, parts, margin, combine(notes, parts[0].difference.notes))


# ----------------------------------------------------------------------
# Is a requirement shown by cases that come in clusters?


def require_clusters(
    groups: GroupedCounts,
    requirement: str,
    *,
    at: Conditions | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    level: float = 0.95,
) -> Requirement:
    """Is this requirement demonstrated by cases that come in clusters, at a given threshold?"""
    if threshold is NOT_SAID:
        fix = Fix("threshold=0.5", "--threshold SCORE")
        raise refuse("BR594", "clusters need the threshold in use", fix)
    refuse_estimate(at, "a requirement on clusters")
    refuse_masses(groups.weighted)
    scored, labelled = groups.total(), groups.beside(None)
    point = flag_at(labelled.total(), threshold, at=at, volume=volume)
    point = with_clusters(point, labelled, scored)
    found = require_of_clusters(requirement, point, labelled, checked_level(level), scored=scored)
    return replace(found, notes=combine(cluster_notes(labelled), found.notes))


def require_of_clusters(
    requirement: str,
    point: OperatingPoint,
    clusters: GroupedCounts,
    level: float,
    plan: Plan | None = None,
    scored: Counts | None = None,
) -> Requirement:
    """A rate within a class is evaluated by what the clusters that hold it are worth; of anything
    else only an approximate interval is known. `scored` are the counts that also know the cases
    without a label.
    """
    summaries, rule = split_requirement(requirement)
    if summaries:
        raise refuse(
            "BR433",
            f"{summaries[0][0]} of clusters has only an approximate interval, which cannot"
            " demonstrate a requirement",
            "require a measure",
        )
    checks = tuple(
        _unless_biased(
            _check_of_clusters(term, point, clusters, level, plan),
            term,
            point,
            clusters.total() if scored is None else scored,
        )
        for term in parse_rule(rule, point.volume).terms
    )
    return Requirement(
        max((check.outcome for check in checks), key=(SHOWN, OBSERVED, MISSED).index),
        checks,
        point,
        combine(
            (note for note in point.notes if note.code in OF_THE_POINT),
            (note for check in checks for note in check.interval.notes),
        ),
    )


def _check_of_clusters(
    term: Term, point: OperatingPoint, clusters: GroupedCounts, level: float, plan: Plan | None
) -> Check:
    side, name = LOWER if term.sense == ">=" else UPPER, term.measure.name
    holds = holds_all([term], point.confusion, point.at)
    if name in CLASS_OF:
        if not clustered(clusters).worth[CLASS_OF[name]]:
            raise refuse(
                "BR589",
                f"{name} is undefined here, and so is its bound",
                "give cases of both classes",
            )
        found = cluster_bound(name, clusters, point, level, side)
    else:
        bounds = cluster_intervals(point, clusters, (name,), plan, level, side)
        if name not in bounds:
            raise refuse(
                "BR590",
                f"too few clusters for an interval of {name}",
                "label more clusters, or require a rate within a class",
            )
        found = bounds[name]
    within = holds and bool(term.holds(bound_of(found)))
    if within and name not in CLASS_OF:
        note = Note(
            "BR596",
            f"{name} of clusters has only an approximate interval, which does not demonstrate a"
            " requirement",
        )
        found = replace(found, notes=(*found.notes, note))
    shown = within and name in CLASS_OF
    outcome = SHOWN if shown else OBSERVED if holds else MISSED
    return Check(str(term), found, outcome, limit=float(term.limit))


def _if_all_labelled(name: str, counts: Counts, at: Conditions | None) -> float | None:
    """A summary if labelling depended only on the score: labelled cases stand for all cases with
    similar scores, as in Begg & Greenes 1983 for those of one flag. None where labels are about as
    frequent among high scores as among low ones.
    """
    rest = counts.unlabelled
    if rest is None or not rest.total_negatives:
        return None
    labelled = counts.positives + counts.negatives
    scores = np.concatenate((counts.scores, rest.scores))
    cases = np.concatenate((labelled, rest.negatives)).astype(np.float64)
    order = np.argsort(scores)[::-1]
    tops = scores[order][np.searchsorted(cases[order].cumsum(), TOP_SHARES * cases.sum())]
    edges = np.unique(tops[tops > scores.min()])
    places = np.searchsorted(edges, scores, side="right")
    own = places[: len(labelled)]
    whole = np.bincount(places, cases)
    known = np.bincount(own, labelled, minlength=len(whole))
    share, shares = known.sum() / whole.sum(), known / whole
    apart = float(np.sum((known - share * whole) ** 2 / whole)) / (share * (1 - share))
    if not len(edges) or apart <= special().chdtri(len(edges), SELECTED):
        return None
    if np.ptp(shares) <= MATERIAL * shares.max():
        return None
    weights = 1 / shares[own]
    every = Counts(counts.scores, counts.positives * weights, counts.negatives * weights)
    return float(statistic_of(name, at=at).value(every))
