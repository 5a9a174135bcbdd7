"""`compare`: is one model really better than another, on the same cases or on others, at exact or
uncertain conditions?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from baserate.conditions import (
    COST_STEPS,
    Conditions,
    Nodes,
    any_conditions,
    checked_conditions,
    refuse_estimate,
)
from baserate.counts.counts import Counts, JointCounts, same_scores
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.selection import flag_at
from baserate.distributions import Pilot, Range
from baserate.errors import Fix, Note, combine, number_of, quoted, refuse
from baserate.inference.auc import DELONG, DELONG_T, paired_delong, unpaired_delong
from baserate.inference.best_model import CHOSEN_AGAIN
from baserate.inference.chosen_threshold import Resampling, ends_of
from baserate.inference.clusters import spread_of
from baserate.inference.fixed_point import PANELS, believed
from baserate.inference.intervals import REPLICATES
from baserate.inference.leads import MCNEMAR, flags_above, leads, made_best
from baserate.inference.rates import normal, refuse_weights, special
from baserate.inference.resample import (
    BCA,
    PERCENTILE,
    Plan,
    Progress,
    Runs,
    adjusted,
    alike,
    bootstrap_p,
    check_enough,
    check_replicates,
    percentile_bounds,
    planned,
    resample_counts,
    sums_by_cluster,
    undefined_noted,
)
from baserate.inference.statistic import (
    MeasureAtChoice,
    Statistic,
    directed,
    replicate_values,
    shifted,
    statistic_of,
)
from baserate.measures.confusion import NOT_SAID
from baserate.notation import WholeCheck
from baserate.numbers import Floats, Ints, exact_total
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import (
    BOTH,
    Difference,
    checked_level,
    checked_replicates,
    checked_seed,
)

# ----------------------------------------------------------------------
# Two models at fixed thresholds on the same cases: who is right where the other is wrong.


# The measures that McNemar's test compares: shares of the same cases, in a class or in the sample.
MCNEMAR_OF = ("tpr", "fnr", "fpr", "tnr", "accuracy", "error")


class Discordant(NamedTuple):
    """Cases on which only one of two models is right: the first, or the second; and all cases."""

    first_only: int
    second_only: int
    cases: int

    @property
    def pairs(self) -> int:
        return self.first_only + self.second_only


checked_pairs = WholeCheck(
    "BR551", "discordant pairs are counted in whole numbers, 0 or more", "mcnemar_p(12, 5)"
)


def mcnemar_p(one: int, other: int) -> float:
    """The exact two-sided p-value for these discordant pairs of either kind: a fair coin.

    McNemar 1947, Psychometrika 12:153-157; exact as in Liddell 1983.

    >>> import baserate as br
    >>> br.planning.mcnemar_p(40, 20), br.planning.mcnemar_p(12, 5)
    (0.01348..., 0.14346...)
    """
    for pairs in (one, other):
        checked_pairs(pairs)
    pairs, least = one + other, min(one, other)
    if one == other:
        return 1.0
    # P(X <= least) of a fair coin tossed `pairs` times.
    return min(1.0, 2 * float(special().betainc(pairs - least, least + 1, 0.5)))


def discordant(
    joint: JointCounts, names: tuple[str, str], thresholds: tuple[Any, Any], within: str = "all"
) -> Discordant:
    """On which cases only one model is right, among all cases or within one class."""
    refuse_weights(joint)
    flagged = []
    for name, threshold in zip(names, thresholds, strict=True):
        points = Points.of(joint.marginal(name))
        flagged.append(flags_above(joint.scores[name], points, points.place(threshold)))
    one = two = whole = 0
    for is_positive, cases in ((True, joint.positives), (False, joint.negatives)):
        if within not in ("all", "positives" if is_positive else "negatives"):
            continue
        right = [mask == is_positive for mask in flagged]
        one += int(exact_total(cases[right[0] & ~right[1]]))
        two += int(exact_total(cases[right[1] & ~right[0]]))
        whole += int(exact_total(cases))
    return Discordant(one, two, whole)


def matched_difference(
    both: tuple[Statistic, Statistic], joint: JointCounts, names: tuple[str, str], level: float
) -> Difference:
    """The difference of a share at two fixed thresholds, with McNemar's exact p-value.

    The interval is that of Bonett & Price 2012, Journal of Educational and Behavioral Statistics
    37:479-488.
    """
    measure = both[0].measure
    if (
        measure is None
        or measure.name not in MCNEMAR_OF
        or any(one.threshold is NOT_SAID for one in both)
    ):
        raise refuse(
            "BR581",
            f"McNemar's test compares {', '.join(MCNEMAR_OF)} at fixed thresholds, not"
            f" {quoted(both[0].name)}",
            'compare("accuracy", joint, threshold={"a": 0.5, "b": 0.3})',
        )
    within = (
        "positives"
        if measure.name in ("tpr", "fnr")
        else "negatives"
        if measure.name in ("fpr", "tnr")
        else "all"
    )
    if not joint.total_positives + joint.total_negatives:
        raise refuse("BR552", "there are no cases to compare models on", "count some cases first")
    if measure.depends_on_prior and not both[0].at.as_in_sample:
        raise refuse(
            "BR581",
            f"McNemar's test counts the cases of the sample: {measure} at another prior is not what"
            " it compares",
            f"leave at out, or compare tpr and fpr, or method={PERCENTILE!r}",
        )
    found = discordant(joint, names, (both[0].threshold, both[1].threshold), within)
    # Of a share of right answers; rates of errors go the other way.
    sign = 1 if measure.name in ("tpr", "tnr", "accuracy") else -1
    gained, lost = (
        (found.second_only, found.first_only) if sign > 0 else (found.first_only, found.second_only)
    )
    seen = [statistic(joint.marginal(name)) for statistic, name in zip(both, names, strict=True)]
    low, high = bonett_price(gained, lost, found.cases, level)
    said = Note(
        "BR599",
        f"{number_of(found.first_only, 'case is', 'cases are')} correct only with"
        f" {quoted(names[0])}, {found.second_only} only with {quoted(names[1])}",
    )
    alike = Note("BR599", "both models give the same answer for every case")
    value = (gained - lost) / found.cases
    return Difference(
        value,
        min(low, value),
        max(high, value),
        mcnemar_p(gained, lost),
        MCNEMAR,
        names,
        (seen[0], seen[1]),
        level,
        both[0].name,
        both[0].better,
        both[0].at,
        discordant=(found.pairs, found.cases),
        notes=(said,) if found.pairs else (said, alike),
    )


def bonett_price(gained: int, lost: int, cases: int, level: float) -> tuple[float, float]:
    """Bounds for the difference of two shares of the same cases, with one pair of either kind
    added.
    """
    up, down = (gained + 1) / (cases + 2), (lost + 1) / (cases + 2)
    half = normal((1 + level) / 2) * math.sqrt((up + down - (up - down) ** 2) / (cases + 2))
    return max(-1.0, up - down - half), min(1.0, up - down + half)


# ----------------------------------------------------------------------
# How two models lie to each other: on the same cases, the same clusters, or different cases;
# resamples of both in step; several pairs.


Models = JointCounts | Mapping[str, Counts] | Mapping[str, GroupedCounts]
SAME_CASES, SAME_CLUSTERS, APART = "same cases", "same clusters", "different cases"


def pairing_of(models: Models, names: tuple[str, str], *, paired: bool) -> str:
    """On the same cases, the same clusters, or on different cases; refused where that is not what
    is requested.
    """
    joint = isinstance(models, JointCounts)
    parts: list[Any] = [] if joint else [models[name] for name in names]
    grouped = not joint and all(isinstance(part, GroupedCounts) for part in parts)
    if paired and (joint or grouped):
        return SAME_CASES if joint else SAME_CLUSTERS
    if joint or (grouped and same_groups(*parts)):
        raise refuse(
            "BR595",
            "these models scored the same cases, so they are compared in pairs",
            "leave paired out",
        )
    odd = [part for part in parts if not isinstance(part, Counts)]
    if odd and not grouped:
        raise refuse(
            "BR595",
            f"models are compared by their counts, got {type(odd[0]).__name__}",
            "count(y, {name: scores})",
        )
    if paired:
        raise refuse(
            "BR595",
            "two sets of counts do not say which cases are the same, so the models cannot be"
            " compared in pairs",
            "count(y, {name: scores}); for different cases, paired=False",
        )
    return APART


def in_step(
    sources: tuple[Any, ...], plans: tuple[Plan, ...], runs: tuple[Runs, Runs]
) -> Iterator[list[Counts]]:
    """Both models of every resample: of one source that holds both, or of two, each by its plan."""
    if len(sources) == 1:
        yield from resample_counts(sources[0], plans[0], runs)
        return
    drawn = [
        resample_counts(source, plan, one)
        for source, plan, one in zip(sources, plans, runs, strict=True)
    ]
    for (first,), (second,) in zip(*drawn, strict=True):
        yield [first, second]


def same_groups(first: GroupedCounts, second: GroupedCounts) -> bool:
    """Whether both have the same groups, each with as many positives and negatives."""
    return first.groups == second.groups and all(
        np.allclose(sums_by_cluster(ours, first), sums_by_cluster(theirs, second), rtol=1e-9)
        for ours, theirs in (
            (first.positives, second.positives),
            (first.negatives, second.negatives),
        )
    )


def check_groups(first: GroupedCounts, second: GroupedCounts) -> None:
    """Clusters are drawn in step: they must be the same for both models."""
    if not same_groups(first, second):
        raise refuse(
            "BR595",
            "the groups of the two models differ, so their cases are not the same",
            "count(y, {name: scores}, cluster=…)",
        )


# ----------------------------------------------------------------------
# Two models compared where base rate and costs are not known exactly: over all of a range together,
# or on average of what is believed.


Both = tuple[Statistic, Statistic]
# Places over a range of base rates, alone and beside ranges of costs; where a rule chooses, each
# takes its time.
ALONE, BESIDE, RULED = (65, COST_STEPS), (17, 5), (9, COST_STEPS)
ZOOMS, CLOSER = 4, 9


class Over(NamedTuple):
    """What was found: the values of both models, bounds of their difference, how likely chance is,
    and what to say of it.
    """

    seen: tuple[float, float]
    low: float
    high: float
    p_value: float
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _Places:
    """Settings of a range, and the nodes at which each is read: averaged with their weights from
    each of these starts on.
    """

    settings: Sequence[Conditions]
    nodes: Nodes
    starts: Ints

    @classmethod
    def of(cls, settings: Sequence[Conditions], *, quick: bool) -> _Places:
        panels = PANELS if quick else dict.fromkeys(PANELS, 1)
        every = [believed(setting, panels) for setting in settings]
        ends = np.cumsum([0, *(len(nodes.weights) for nodes in every)])
        return cls(settings, Nodes(*map(np.concatenate, zip(*every, strict=True))), ends[:-1])

    def read(self, statistic: Statistic, counts: Counts, prior: Any = None) -> Floats:
        """Return the average of a statistic at every setting; `prior` stands for that of a
        pilot.
        """
        nodes = self.nodes
        if prior is not None:
            nodes = nodes._replace(prior=np.full(len(nodes.prior), prior))
        values = statistic.at_nodes(counts, nodes) * nodes.weights
        return np.asarray(np.add.reduceat(values, self.starts))

    def compare(self, both: Both, parts: Sequence[Counts], prior: Any = None) -> Floats:
        """Return the second statistic less the first at every setting."""
        first, second = (
            self.read(one, counts, prior) for one, counts in zip(both, parts, strict=True)
        )
        return second - first


def over_conditions(
    both: Both,
    at: Conditions,
    whole: tuple[Counts, Counts],
    pairs: Iterator[list[Counts]],
    how: tuple[Any, ...],
) -> Over:
    """Every resample is read where the conditions may lie: on average over the distributions, and
    over a range at places across it.

    Over a range the bounds are the widest of all places, and chance is ruled out only where it is
    at every one of them, for the same model: the larger of the one-sided p-values along the range,
    doubled. The base rate of a pilot sample is drawn with every resample.
    """
    replicates, seed, level, spread = how
    quick = all(one.reads_rates for one in both)
    places = _settings(both, at, whole, quick=quick)
    priors: Any = [None] * replicates
    if isinstance(at.prior, Pilot):
        priors = at.prior.draw(np.random.default_rng((seed, 0xC0DE)), replicates)
    values = np.stack(
        [places.compare(both, parts, prior) for parts, prior in zip(pairs, priors, strict=True)],
        axis=1,
    )
    centers = places.compare(both, whole)
    kept, notes = [], list[Note]()
    for line in _spread(values, centers[:, None], spread):
        defined, said = undefined_noted(line)
        kept.append(defined)
        notes += said
    bounds = [percentile_bounds(line, level, BOTH) for line in kept]
    middle = at.given(**{name: part.middle for name, part in at.ranges.items()})
    if at.has_range:
        where = ", those among them where the difference is least and most" if quick else ""
        text = (
            f"the widest bounds of {len(places.settings)} places across {at}{where}; the values"
            f" are those at {middle.middle()}"
        )
        notes.append(Note("BR588", text))
    there = _Places.of([middle], quick=quick)
    first, second = (
        float(there.read(one, counts)[0]) for one, counts in zip(both, whole, strict=True)
    )
    return Over(
        (first, second),
        min(low for low, _ in bounds),
        max(high for _, high in bounds),
        joint_p(kept),
        tuple(dict.fromkeys(notes)),
    )


def _spread(values: Floats, centre: Any, by: float) -> Floats:
    """Resamples farther from the value seen: by 1, as they are."""
    return values if by == 1 else np.asarray(centre + by * (values - centre))


def joint_p(lines: list[Floats]) -> float:
    """Could the same model fail to lead somewhere along the range? Never 0, as the number of draws
    is finite.
    """
    if not any(line.any() for line in lines):
        return 1.0
    not_above = max((int(np.count_nonzero(line <= 0)) + 1) / (len(line) + 1) for line in lines)
    not_below = max((int(np.count_nonzero(line >= 0)) + 1) / (len(line) + 1) for line in lines)
    return min(1.0, 2 * min(not_above, not_below))


# ---- which places -----------------------------------------------------------------------------


def _settings(both: Both, at: Conditions, whole: tuple[Counts, Counts], *, quick: bool) -> _Places:
    """Places across the ranges, and where the difference on these cases is least and most."""
    if not at.has_range:
        return _Places.of([at], quick=quick)
    if not quick:
        return _Places.of(at.pinned(*RULED), quick=False)
    several = any(name != "prior" for name in at.ranges)
    across = at.pinned(*(BESIDE if several else ALONE))
    ends = [_extreme(both, at, whole, across, pick) for pick in (np.nanargmin, np.nanargmax)]
    return _Places.of([*across, *ends], quick=True)


def _extreme(
    both: Both,
    at: Conditions,
    whole: tuple[Counts, Counts],
    settings: list[Conditions],
    pick: Callable[[Floats], Any],
) -> Conditions:
    """Closer and closer about the place where the difference is least, or most; the difference
    bends where a choice changes.
    """
    box = at.ranges
    for zoom in range(ZOOMS + 1):
        values = _Places.of(settings, quick=True).compare(both, whole)
        best = settings[0] if np.isnan(values).all() else settings[int(pick(values))]
        if zoom < ZOOMS:
            box = {
                name: _about(part, best.parts[name], BESIDE[0] if name == "prior" else BESIDE[1])
                for name, part in box.items()
            }
            settings = [best, *at.given(**box).pinned(CLOSER, CLOSER)]
    return best


def _about(part: Range, value: float, steps: int) -> Range:
    """From the neighbour below to the neighbour above, where the range is walked in `steps`
    steps.
    """
    grid = part.grid(steps)
    place = int(np.argmin(np.abs(np.asarray(grid) - float(value))))
    return Range(grid[max(0, place - 1)], grid[min(len(grid) - 1, place + 1)])


# ----------------------------------------------------------------------
# `compare`: is one model really better than another, on the same cases or on others?


AT_CHOSEN = (
    "both thresholds were chosen on these cases: the interval is for the difference between these"
    " two thresholds on new cases"
)
BY_RULE = (
    "both thresholds were chosen on these cases: the interval is for the difference between the"
    " models where the rule chooses each threshold anew on new cases"
)
AS_IT_IS = (
    "the thresholds were not chosen by {}, so on other cases they, and this difference, may be"
    " quite different"
)
BY_FORMULA = (
    "it is found by a formula; resampling may give a narrower one, above all where scores have few"
    " distinct values"
)


def compare(  # noqa: PLR0913 (each is a question of its own)
    models: Models,
    statistic: Any,
    *,
    pair: Sequence[str] | None = None,
    at: Conditions | None = None,
    rule: str | None = None,
    threshold: Any = NOT_SAID,
    volume: float | None = None,
    better: str | None = None,
    paired: bool = True,
    level: float = 0.95,
    method: str | None = None,
    resample: str | None = None,
    replicates: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Difference:
    """Is the second model really better than the first?

    `models` are `JointCounts` of two models on the same cases (or name a `pair` of more), or two
    `GroupedCounts` by name with the same groups. Two `Counts` by name hold different cases, and
    need `paired=False`. `statistic`, `at`, `rule` and `threshold` are those of `interval`; a
    threshold of each model is given by name: `threshold={"a": 0.5, "b": 0.3}`. With `at` uncertain,
    base rate and costs are drawn with every resample; over a range the bounds are the widest, and p
    is small only where one model leads over all of it.

    Without a `method`: AUC by DeLong's test (with Student's t below 100 cases of the smaller class;
    "delong" is the plain test), tpr, fpr, accuracy and error at fixed thresholds by McNemar's exact
    test, other measures at thresholds, fixed or chosen on these cases by a rule or the cost, by the
    closed form with which `choose_model` tests its best model, anything else by the paired
    bootstrap. `replicates` (2000 unless given) selects the bootstrap at thresholds too. Identical
    models differ by 0 with p = 1.

    >>> import baserate as br
    >>> y, a, b = [0] * 60 + [1] * 40, list(range(100)), [*range(20, 80), *range(60, 100)]
    >>> joint = br.count(y, {"a": a, "b": b})
    >>> br.compare(joint, br.auc)
    Difference: auc of b - a -0.08333, 95 % from -0.1339 to -0.03276, p = 0.00149 (delong-t)
    """
    # Resamples may be requested although a closed form is known.
    by_formula = replicates is None and resample is None
    asked = Resampling(
        checked_replicates(REPLICATES if replicates is None else replicates),
        checked_seed(seed),
        checked_level(level),
        progress,
        method=method,
        resample=resample,
    )
    names = chosen_pair(models, pair)
    cuts = threshold if isinstance(threshold, Mapping) else dict.fromkeys(names, threshold)
    if cuts is threshold:
        _check_thresholds(models, names, cuts)

    # One statistic where one is asked of both: resamples of AUC are then drawn without being made.
    wanted = [cuts[name] for name in (names if cuts is threshold else names[:1])]
    exact = at is None or at.is_exact
    conditions = checked_conditions(at) if exact else any_conditions(at).middle()
    made = [
        directed(
            statistic_of(statistic, at=conditions, rule=rule, threshold=cut, volume=volume), better
        )
        for cut in wanted
    ]
    both = made[0], made[-1]
    if at is not None and not exact:
        return _over(both, models, names, at, asked, paired=paired, by_formula=by_formula)
    if both[0].at_matters:
        refuse_estimate(conditions, "this comparison")
    return _compared(both, models, names, asked, paired=paired, by_formula=by_formula)


def compare_all(
    models: Models,
    statistic: Any,
    *,
    against: str | None = None,
    level: float = 0.95,
    **options: Any,
) -> tuple[Difference, ...]:
    """Which of several models differ? Every pair, or every model `against` one, with Holm's
    adjustment for how many were compared.

    Holm 1979, Scandinavian Journal of Statistics 6:65-70.

    >>> import baserate as br
    >>> y, s = [0] * 60 + [1] * 40, list(range(100))
    >>> joint = br.count(y, {"a": s, "b": [*range(20, 80), *range(60, 100)], "c": s})
    >>> [(d.models, round(d.value, 3), round(d.p_adjusted, 4)) for d in compare_all(joint, br.auc, against="a")]
    [(('a', 'b'), -0.083, 0.003), (('a', 'c'), 0.0, 1.0)]
    """  # noqa: E501
    pairs = pairs_of(_checked(models), against)
    first = compare(models, statistic, pair=pairs[0], level=level, **options)
    check_replicates(first, len(pairs))
    if isinstance(models, JointCounts) and first.method in (DELONG, DELONG_T):
        every = paired_delong(models, pairs, first.level, options.get("method"))
        return adjusted(
            [replace(d, notes=combine(d.notes, same_scores(models, d.models))) for d in every]
        )
    rest = [compare(models, statistic, pair=pair, level=level, **options) for pair in pairs[1:]]
    return adjusted([first, *rest])


def pairs_of(names: Sequence[str], against: str | None = None) -> list[tuple[str, str]]:
    """Every pair of models, or every other one with the one that it is compared against."""
    if against is None:
        return list(combinations(names, 2))
    _check_name(against, names)
    return [(against, name) for name in names if name != against]


def _checked(models: Any) -> Sequence[str]:
    names = tuple(models) if isinstance(models, JointCounts | Mapping) else ()
    if len(names) < 2:
        raise refuse(
            "BR595",
            "a comparison needs two models",
            Fix('count(y, {"a": scores, "b": scores})', "--score COLUMN --score COLUMN"),
        )
    return names


def chosen_pair(models: Models, pair: Sequence[str] | None) -> tuple[str, str]:
    """The two models to compare."""
    names = _checked(models)
    if pair is None:
        if len(names) > 2:
            raise refuse(
                "BR595",
                f"there are {len(names)} models: which two?",
                f'pair=("{names[0]}", "{names[1]}"), or against="{names[0]}"',
            )
        return names[0], names[1]
    if (
        isinstance(pair, str)
        or not isinstance(pair, Sequence)
        or len(pair) != 2
        or pair[0] == pair[1]
    ):
        raise refuse(
            "BR595", f"a pair is two different models, got {quoted(pair)}", 'pair=("a", "b")'
        )
    for name in pair:
        _check_name(name, names)
    return pair[0], pair[1]


def _check_name(name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise refuse(
            "BR408",
            f"there is no model {quoted(name)}",
            f"one of {', '.join(map(quoted, names))}",
        )


def _check_thresholds(
    models: Models, names: tuple[str, str], thresholds: Mapping[str, Any]
) -> None:
    absent = [name for name in names if name not in thresholds]
    if absent:
        raise refuse(
            "BR529",
            f"no threshold is given for {quoted(absent[0])}",
            'threshold={"a": 0.5, "b": 0.3}',
        )
    unknown = [name for name in thresholds if name not in _checked(models)]
    if unknown:
        raise refuse(
            "BR408",
            f"a threshold is given for {quoted(unknown[0])}, which is not a model",
            f"one of {', '.join(map(quoted, _checked(models)))}",
        )


def _compared(
    both: Both,
    models: Models,
    names: tuple[str, str],
    asked: Resampling,
    *,
    paired: bool,
    by_formula: bool,
) -> Difference:
    how = pairing_of(models, names, paired=paired)
    if isinstance(models, JointCounts):
        found = _paired(both, models, names, asked, by_formula=by_formula)
        return replace(found, notes=combine(found.notes, same_scores(models, names)))
    if how == APART and both[0].is_auc and _by_delong(asked):
        parts = models[names[0]], models[names[1]]
        if all(isinstance(part, Counts) for part in parts):
            return unpaired_delong(parts, names, asked.level, asked.method)  # type: ignore[arg-type]
    return _by_bootstrap(both, models, names, asked, paired=paired)


def _over(
    both: Both,
    models: Models,
    names: tuple[str, str],
    at: Conditions,
    asked: Resampling,
    *,
    paired: bool,
    by_formula: bool,
) -> Difference:
    """Compared under uncertain conditions: as everywhere in their middle where they do not matter,
    otherwise by resamples.
    """
    if not any(one.at_matters for one in both):
        return _compared(both, models, names, asked, paired=paired, by_formula=by_formula)
    _check_method(both[0], asked)
    if isinstance(models, JointCounts):
        _check_classes(models)
    drawn = _resampled_in_step(both[0], models, names, asked, paired=paired)
    found = over_conditions(
        both,
        at,
        drawn.wholes,
        in_step(drawn.sources, drawn.plans, (both[0].runs, both[1].runs)),
        (asked.replicates, asked.seed, asked.level, max(drawn.spreads)),
    )
    _check_defined(both[0], names, found.seen)
    text = (
        f"{asked.replicates} resamples ({drawn.plans[0].how}): approximate, coverage is not"
        f" guaranteed{_chosen(both[0])}"
    )
    notes = (*found.notes, Note("BR598", text), *shifted(both[0], drawn.wholes[0]))
    return Difference(
        found.seen[1] - found.seen[0],
        found.low,
        found.high,
        max(found.p_value, _least_p(both, models, names)),
        PERCENTILE,
        names,
        found.seen,
        asked.level,
        both[0].name,
        both[0].better,
        at,
        paired=paired,
        replicates=asked.replicates,
        seed=asked.seed,
        notes=combine(drawn.notes, notes),
    )


class _Drawn(NamedTuple):
    """What is resampled, once where it holds both models, by which plans; all cases of each model;
    how far resamples are spread, and what to note.
    """

    sources: tuple[Any, ...]
    plans: tuple[Plan, ...]
    wholes: tuple[Counts, Counts]
    spreads: tuple[float, ...]
    notes: tuple[Note, ...]


def _resampled_in_step(
    statistic: Statistic,
    models: Models,
    names: tuple[str, str],
    asked: Resampling,
    *,
    paired: bool,
) -> _Drawn:
    """How both models are resampled: by the same cases or clusters, or each by its own."""
    how = pairing_of(models, names, paired=paired)
    if isinstance(models, JointCounts):
        sources: tuple[Any, ...] = (models.only(names),)
        wholes = models.marginal(names[0]), models.marginal(names[1])
    else:
        sources = models[names[0]], models[names[1]]
        wholes = sources[0].total(), sources[1].total()
    if how == SAME_CLUSTERS:
        check_groups(*sources)
    notes = combine((), (note for source in sources for note in check_enough(source)))
    plans = tuple(
        planned(
            source,
            statistic.of_prior,
            asked.resample,
            asked.replicates,
            2 * asked.seed + place if how == APART else asked.seed,
            None if place else asked.progress,
        )
        for place, source in enumerate(sources)
    )
    spreads = tuple(spread_of(source, asked.level) for source in sources)
    return _Drawn(sources, plans, wholes, spreads, notes)


def _paired(
    both: Both,
    joint: JointCounts,
    names: tuple[str, str],
    asked: Resampling,
    *,
    by_formula: bool,
) -> Difference:
    statistic = both[0]
    if not (
        statistic.fixed
        and statistic.measure is not None
        and statistic.measure.name in ("accuracy", "error")
    ):
        _check_classes(joint)
    if statistic.is_auc and _by_delong(asked):
        return paired_delong(joint, [names], asked.level, asked.method)[0]
    if asked.method == MCNEMAR or (asked.method is None and _is_matched(statistic)):
        return matched_difference(both, joint, names, asked.level)
    if asked.method is None and by_formula and not joint.weighted:
        if isinstance(both[0], MeasureAtChoice):
            return _at_chosen(both[0], joint, names, asked.level)
        points = _in_advance(both, joint, names)
        if points:
            return _by_formula(both[0], joint, names, points, asked.level)
    return _by_bootstrap(both, joint, names, asked)


def _in_advance(
    both: Both, joint: JointCounts, names: tuple[str, str]
) -> dict[str, OperatingPoint]:
    """Each model at its fixed threshold; none where the measure is not bounded, as odds and ratios
    of rates are not: their differences are far from normal.
    """
    measure = both[0].measure
    if measure is None or not all(one.fixed and one.threshold is not NOT_SAID for one in both):
        return {}
    points = {
        name: replace(flag_at(joint.marginal(name), one.threshold, at=one.at), in_advance=True)
        for one, name in zip(both, names, strict=True)
    }
    return points if all(map(math.isfinite, ends_of(measure, points[names[1]]))) else {}


def _at_chosen(
    statistic: MeasureAtChoice, joint: JointCounts, names: tuple[str, str], level: float
) -> Difference:
    """Each model at the threshold chosen on these cases, by the closed form that tests the best
    model of `choose_model`.
    """
    points = {name: statistic.point_of(joint.marginal(name)) for name in names}
    found = _by_formula(statistic, joint, names, points, level)
    return replace(found, notes=combine((), (_said_of(statistic, points[names[0]]), *found.notes)))


def _by_formula(
    asked: Statistic,
    joint: JointCounts,
    names: tuple[str, str],
    points: Mapping[str, OperatingPoint],
    level: float,
) -> Difference:
    """The closed form that tests the best model of `choose_model`."""
    found = leads(joint, points, names[1], measure=asked.measure, level=level)
    if not found:
        _check_defined(
            asked,
            names,
            [point[asked.measure] for point in points.values() if asked.measure is not None],
        )
    notes = combine(found[0].notes, shifted(asked, joint.marginal(names[0])))
    return replace(
        found[0], name=asked.name, better=asked.better, at=asked.at, discordant=None, notes=notes
    )


def _said_of(asked: Statistic, point: OperatingPoint) -> Note:
    """Of what the difference is: of the models under the rule by what was made best, otherwise of
    the two thresholds that were chosen.
    """
    made = asked.measure == made_best(point)
    target = BY_RULE if asked.ruled and made else AT_CHOSEN
    said = f"; {AS_IT_IS.format(asked.name)}" if not (asked.ruled or made) else ""
    return Note(
        "BR640",
        f"{target}; {BY_FORMULA}{said}",
        Fix("replicates=2000", "--replicates 2000"),
    )


def _by_delong(asked: Resampling) -> bool:
    """DeLong's test, unless resamples are requested."""
    return asked.method in (DELONG, DELONG_T) or (asked.method is None and asked.resample is None)


def _check_classes(joint: JointCounts) -> None:
    if not joint.total_positives or not joint.total_negatives:
        missing = "positives" if not joint.total_positives else "negatives"
        raise refuse(
            "BR552",
            f"there are no {missing}: models cannot be compared",
            "give cases of both classes",
        )


def _is_matched(statistic: Statistic) -> bool:
    """Is it a share of the same cases, so that McNemar's test is exact?"""
    measure, at = statistic.measure, statistic.at
    if measure is None or not statistic.fixed or measure.name not in MCNEMAR_OF:
        return False
    return at.as_in_sample or not measure.depends_on_prior


def _by_bootstrap(
    both: Both,
    models: Models,
    names: tuple[str, str],
    asked: Resampling,
    *,
    paired: bool = True,
) -> Difference:
    """Both models resampled, by the same cases or clusters, or each by its own."""
    statistic = both[0]
    _check_method(statistic, asked)
    drawn = _resampled_in_step(statistic, models, names, asked, paired=paired)
    same_cases = isinstance(models, JointCounts)
    seen = [
        float(one.value(counts) if same_cases else one(counts))
        for one, counts in zip(both, drawn.wholes, strict=True)
    ]
    _check_defined(statistic, names, seen)
    if same_cases:
        columns = replicate_values(both, drawn.sources[0], drawn.plans[0]).T
    else:  # the same seed draws the same clusters
        each = zip(both, drawn.sources, drawn.plans, seen, drawn.spreads, strict=True)
        columns = np.array(
            [
                _spread(replicate_values(one, source, plan)[:, 0], center, by)
                for one, source, plan, center, by in each
            ]
        )
    values, missing = undefined_noted(columns[1] - columns[0])
    low, high = percentile_bounds(values, asked.level, BOTH)
    p, least = max(bootstrap_p(values), _least_p(both, models, names)), 2 / (len(values) + 1)
    floor = f", and p cannot be below {least:.2g}" if p <= least else ""
    text = (
        f"{asked.replicates} resamples ({drawn.plans[0].how}): approximate, coverage is not"
        f" guaranteed{floor}{_chosen(statistic)}"
    )
    shifts = shifted(statistic, drawn.wholes[0])
    return Difference(
        seen[1] - seen[0],
        low,
        high,
        p,
        PERCENTILE,
        names,
        (seen[0], seen[1]),
        asked.level,
        statistic.name,
        statistic.better,
        statistic.at,
        paired=paired,
        replicates=asked.replicates,
        seed=asked.seed,
        notes=combine(drawn.notes, (*missing, Note("BR598", text), *shifts, *alike(low, high))),
    )


def _least_p(both: Both, models: Models, names: tuple[str, str]) -> float:
    """No test can be surer than the cases allow on which two fixed thresholds differ: all of them
    one way is a coin tossed so often.
    """
    if not isinstance(models, JointCounts) or not all(one.fixed for one in both):
        return 0.0
    pairs = discordant(models, names, (both[0].threshold, both[1].threshold)).pairs
    return min(1.0, 2.0 ** (1 - min(pairs, 1000)))


def _check_method(statistic: Statistic, asked: Resampling) -> None:
    if asked.method not in (None, PERCENTILE):
        raise refuse(
            "BR581",
            f"there is no method {quoted(asked.method)} to compare {statistic.name}",
            f'method="{PERCENTILE}"'
            if asked.method == BCA
            else f"leave it out, or {PERCENTILE}, {DELONG} (auc), {MCNEMAR} (at thresholds)",
        )


def _check_defined(statistic: Statistic, names: tuple[str, str], seen: Sequence[float]) -> None:
    if math.isnan(seen[0]) or math.isnan(seen[1]):
        which = names[0] if math.isnan(seen[0]) else names[1]
        raise refuse(
            "BR589",
            f"{statistic.name} of {quoted(which)} is undefined, and so is the difference",
            "see its value for the reason",
        )


def _chosen(statistic: Statistic) -> str:
    if statistic.chosen:
        return f"; {CHOSEN_AGAIN}"
    return "; thresholds are treated as fixed in advance" if statistic.fixed else ""
