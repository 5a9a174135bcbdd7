"""Sites and other slices at one threshold: what each of them shows, at its own base rate."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from baserate.conditions import Conditions, checked_conditions, refuse_estimate
from baserate.counts.counts import Counts
from baserate.counts.grouped import GroupedCounts
from baserate.counts.points import Points
from baserate.decisions.operating_point import short_on
from baserate.decisions.rules import parse_rule
from baserate.decisions.selection import (
    Site,
    added,
    choose,
    flag_at,
    pooled_confusion,
    pooled_counts,
    pooled_prior,
)
from baserate.errors import (
    Fix,
    Infeasible,
    InputError,
    Note,
    combine,
    grouped,
    number_of,
    quoted,
    refuse,
)
from baserate.inference.clusters import (
    cluster_bound,
    cluster_intervals,
    cluster_notes,
    cluster_plan,
    clustered,
)
from baserate.inference.fixed_point import point_intervals
from baserate.inference.intervals import interval
from baserate.inference.requirements import (
    require,
    require_of_clusters,
    split_requirement,
)
from baserate.inference.resample import Plan
from baserate.inference.sample_size import refuse_masses
from baserate.measures.confusion import ASSUMES_LABEL_SHIFT, NOT_SAID
from baserate.measures.registry import CLASS_OF
from baserate.notation import MOST_CASES, base_rate
from baserate.numbers import Viewed, make_view
from baserate.read.cases import group_names
from baserate.results.operating_point import OperatingPoint
from baserate.results.values import (
    ALL,
    LOWER,
    MISSED,
    OBSERVED,
    SHOWN,
    UNJUDGED,
    Check,
    Interval,
    Requirement,
    checked_level,
    checked_replicates,
    checked_seed,
    missed,
    percent,
)

# With fewer cases of a class than this an interval is shown and no verdict, unless even so few show
# the requirement.
FEW = 10
TOO_FEW = "too few cases"
WORST = (SHOWN, OBSERVED, TOO_FEW, UNJUDGED, MISSED)
KNOWN = ("tpr", "tnr", "precision", "npv")
BOUNDED = ("tpr", "tnr")
OTHER = "other"
MOST_NAMED = 3
LABEL_SHIFT = "BR526"
# Of a volume that somebody gave: here it is the site's own number of cases.
OF_A_VOLUME = "BR656"
NO_BOUND = Note("BR433", "sites at priors of their own, added up, have no bound: each site has one")
Cases = Counts | GroupedCounts


@dataclass(frozen=True)
class SliceOptions:
    """Options for every slice; bounds are one-sided, each at `bound_level`."""

    threshold: float | None
    require: str | None = None
    level: float = 0.95
    bound_level: float = 0.95
    seed: int = 0
    replicates: int | None = None

    @property
    def plan(self) -> Plan | None:
        """Resamples of whole clusters, where they are requested."""
        return None if self.replicates is None else cluster_plan(self.replicates, self.seed)


@dataclass(frozen=True)
class Slice:
    """One site: its cases, what the common threshold does there at its own base rate, and what that
    shows.

    `intervals` hold tpr, tnr, precision and npv; `bounds` the one-sided lower bounds of tpr and
    tnr. `alerts` are out of the site's own number of cases, all that were scored; rates are those
    of the `labelled` ones. `own` is the point that the site alone would need for the requirement;
    None where no threshold satisfies it. Where it is several `sites` at priors of their own,
    outcomes are the sums over these, without intervals.
    """

    group: Hashable
    name: str
    counts: Counts
    at: Conditions
    options: SliceOptions = field(repr=False)
    clusters: GroupedCounts | None = field(default=None, repr=False)
    sites: tuple[Site, ...] = field(default=(), repr=False)

    @cached_property
    def point(self) -> OperatingPoint:
        """What the common threshold does here, with its intervals."""
        return replace(self._bare_point, intervals=self.intervals)

    @cached_property
    def _bare_point(self) -> OperatingPoint:
        point = flag_at(self.counts, self.options.threshold, at=self.at, volume=self.cases or None)
        return (
            replace(point, confusion=pooled_confusion(self.sites, point.threshold))
            if self.sites
            else point
        )

    def __getitem__(self, measure: str) -> float:
        """Any measure at the common threshold and the site's own conditions."""
        return self._bare_point[measure]

    @property
    def cases(self) -> int:
        """All cases that were scored, also those that have no label."""
        rest = self.counts.unlabelled
        return self.positives + self.negatives + (0 if rest is None else int(rest.total_negatives))

    @property
    def labelled(self) -> int | None:
        """How many of them have a label; None where all have."""
        return None if self.counts.unlabelled is None else self.positives + self.negatives

    @property
    def positives(self) -> int:
        return int(self.counts.total_positives)

    @property
    def negatives(self) -> int:
        return int(self.counts.total_negatives)

    @property
    def prior(self) -> float | None:
        """The base rate that it is read at: its own, or the one given; None where class totals were
        chosen and none was given.
        """
        prior: float | None = self._bare_point.at.prior
        return prior

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        options, point = self.options, self._bare_point
        if self.sites or not (self.positives or self.negatives):
            return {}
        if self.clusters is None:
            return point_intervals(point, KNOWN, options.level, options.seed)
        return cluster_intervals(point, self.clusters, KNOWN, options.plan, options.level)

    @cached_property
    def bounds(self) -> Mapping[str, Interval]:
        cases = {"tpr": self.positives, "tnr": self.negatives}
        return {name: self._bound(name) for name in cases if cases[name] and not self.sites}

    def _bound(self, measure: str) -> Interval:
        point, level = self._bare_point, self.options.bound_level
        if self.clusters is not None:
            return cluster_bound(measure, self.clusters, point, level, LOWER)
        return interval(point, measure, level=level, side=LOWER, seed=self.options.seed)

    @cached_property
    def requirement(self) -> Requirement | None:
        """Whether the requirement is demonstrated here, term by term; None where nothing is
        required.
        """
        return None if self.options.require is None else _judge_slice(self)

    @property
    def outcome(self) -> str | None:
        return None if self.requirement is None else self.requirement.outcome

    @cached_property
    def own(self) -> OperatingPoint | None:
        rule = "" if self.options.require is None else split_requirement(self.options.require)[1]
        if not rule:
            return None
        try:
            return choose(
                pooled_counts(self.sites) if self.sites else self.counts, rule, at=self.at
            )
        except InputError:
            return None


@dataclass(frozen=True)
class Slices(Viewed, Mapping[Hashable, Slice]):
    """What one threshold does at every site: a mapping from a group to its `Slice`, and `total` for
    all of them together.
    """

    parts: tuple[Slice, ...]
    total: Slice
    require: str | None
    level: float
    simultaneous: bool
    chosen: bool
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def _places(self) -> dict[Hashable, Slice]:
        return {part.group: part for part in self.parts}

    def __getitem__(self, group: Hashable) -> Slice:
        try:
            return self._places[group]
        except KeyError:
            raise KeyError(f"no group {quoted(group)}; there are {grouped(len(self))}") from None

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def threshold(self) -> float | None:
        return self.total.options.threshold

    @property
    def setting(self) -> str:
        """The threshold for a person: as it was given, or in few digits where it was chosen."""
        if self.chosen:
            return _describe_threshold(self.threshold, self.total.counts)
        return "flagging nothing" if self.threshold is None else f"score ≥ {quoted(self.threshold)}"

    def that_are(self, outcome: str) -> tuple[Slice, ...]:
        """The sites with this outcome: "demonstrated", "met, not demonstrated", "not met", "too few
        cases" or "cannot be evaluated".
        """
        return tuple(part for part in self.parts if part.outcome == outcome)

    def largest(self, most: int) -> tuple[Slice, ...]:
        """The `most` sites with the most cases, in their order, and the others together as one."""
        if len(self.parts) <= most:
            return self.parts
        ranked = sorted(range(len(self.parts)), key=lambda place: -self.parts[place].cases)
        rest = [self.parts[place] for place in ranked[most:]]
        cases = added([part.counts if part.clusters is None else part.clusters for part in rest])
        at, sites = _pooled_conditions([(part.counts, part.at) for part in rest])
        other = _make_slice(
            None, f"{OTHER} ({grouped(len(rest))})", cases, at, self.total.options, sites
        )
        return (*(self.parts[place] for place in sorted(ranked[:most])), other)

    def __str__(self) -> str:
        return str(make_view("text", self))

    def __repr__(self) -> str:
        shown = len(self.that_are(SHOWN))
        verb = "demonstrates" if shown == 1 else "demonstrate"
        judged = "" if self.require is None else f", {shown} {verb} {self.require}"
        return f"Slices: {number_of(len(self), 'group')} at {self.setting}{judged}"


def by_group(  # noqa: PLR0913 (each is a question of its own)
    groups: Mapping[Hashable, Cases],
    *,
    threshold: Any = NOT_SAID,
    rule: str | None = None,
    at: Conditions | Mapping[Hashable, Conditions] | None = None,
    require: str | None = None,
    level: float = 0.95,
    simultaneous: bool = False,
    seed: int = 0,
    replicates: int | None = None,
) -> Slices:
    """What does one threshold do at every site, at the site's own base rate, and where is a
    requirement demonstrated?

    `groups` are `GroupedCounts`, or counts by name; where each site holds `GroupedCounts` of its
    own, these are clusters (patients), the units of every interval (resampled whole with
    `replicates`). The `threshold` is the same everywhere: the one given, or the one that `rule` (or
    the requirement) chooses on all cases together, which a note says. `at` is for all sites, or one
    each; without it every site is read at its own share of positives.

    A requirement ("recall >= 0.9 and fpr <= 5%") is evaluated at every site by its one-sided bound
    at the level: of many sites some bounds fail by chance, and `simultaneous=True` makes those
    of recall and specificity at all sites hold together (Bonferroni).

    >>> import baserate as br
    >>> sites = {"a": br.Counts([1, 0], [190, 10], [100, 900]), "b": br.Counts([1, 0], [16, 4], [100, 900])}
    >>> found = br.segments.by_group(sites, threshold=1, require="recall >= 0.9")
    >>> found["a"].outcome, found["b"].outcome, found["b"]["precision"], found["b"].bounds["tpr"].low
    ('demonstrated', 'not met', 0.13793103448275862, 0.5989718826680254)
    """  # noqa: E501
    parts = _checked_groups(groups)
    whole = groups.total() if isinstance(groups, GroupedCounts) else added(list(parts.values()))
    counts = whole.total()
    refuse_masses(counts.weighted)
    conditions = _conditions_by_group(parts, at)
    for one in conditions.values():
        refuse_estimate(one, "every site's interval")
    shared = not isinstance(at, Mapping) or not at
    sites = [(part.total(), conditions[group]) for group, part in parts.items()]
    together, apart = (next(iter(conditions.values())), ()) if shared else _pooled_conditions(sites)
    cut, chosen, notes = common_threshold(
        pooled_counts(apart) if apart else counts, threshold, rule, require, together
    )
    level = checked_level(level)
    bound_level = 1 - missed(level) / (len(BOUNDED) * len(parts)) if simultaneous else level
    draws = None if replicates is None else checked_replicates(replicates)
    options = SliceOptions(cut, require, level, bound_level, checked_seed(seed), draws)
    slices = tuple(
        _make_slice(group, name, cases, conditions[group], options)
        for name, (group, cases) in zip(group_names(list(parts)), parts.items(), strict=True)
    )
    total = _make_slice(None, ALL, whole, together, replace(options, bound_level=level), apart)
    result = Slices(slices, total, require, level, simultaneous, chosen)
    recorded = combine(groups.notes if isinstance(groups, GroupedCounts) else (), counts.notes)
    notes = (*notes, *_slice_notes(result, whole, conditions))
    return replace(result, notes=combine(recorded, notes))


def common_threshold(
    counts: Counts, threshold: Any, rule: str | None, require: str | None, at: Conditions
) -> tuple[float | None, bool, tuple[Note, ...]]:
    """The threshold that is given, or the one chosen on all cases together; whether it was chosen,
    and the notes on that.
    """
    summaries, needed = split_requirement(require) if require is not None else ([], "")
    if require is not None and (needed or not summaries):
        parse_rule(needed, MOST_CASES)  # what cannot be read is refused before anything is judged
    if threshold is not NOT_SAID:
        if rule is not None:
            raise refuse(
                "BR594",
                "a rule and a threshold are both given",
                "give one of them",
            )
        Points.of(counts).place(threshold)
        return threshold, False, ()
    try:
        cut = choose(counts, rule if rule is not None else needed or None, at=at).threshold
    except Infeasible:
        if rule is not None:
            raise
        cut = choose(counts, at=at).threshold
    text = (
        f"the threshold ({_describe_threshold(cut, counts)}) was chosen on all groups"
        " together, on these same"
        " cases, and treated as fixed in advance"
    )
    fix = Fix(
        "evaluate it on other cases: by_group(test, threshold=…)",
        "evaluate it on other cases, with --threshold",
    )
    return cut, True, (Note("BR593", f"{text}: intervals and bounds are optimistic", fix),)


def _describe_threshold(threshold: float | None, counts: Counts) -> str:
    """In as few digits as flag the same cases."""
    return (
        "flagging nothing"
        if threshold is None
        else f"score ≥ {short_on(Points.of(counts), threshold)}"
    )


def _checked_groups(groups: Any) -> dict[Hashable, Cases]:
    if isinstance(groups, GroupedCounts) and len(groups):
        return dict(groups.scored())
    kinds = Counts, GroupedCounts
    if (
        not isinstance(groups, Mapping)
        or not groups
        or not all(isinstance(part, kinds) for part in groups.values())
    ):
        raise refuse(
            "BR433",
            "slices are made of counts by group, and there are none here",
            "by_group(count(y, scores, by=site))",
        )
    if len({type(part) for part in groups.values()}) > 1:
        raise refuse(
            "BR433",
            "some groups have clusters and some have none",
            "count the clusters of every group, or of none",
        )
    return dict(groups)


def _conditions_by_group(parts: Mapping[Hashable, Cases], at: Any) -> dict[Hashable, Conditions]:
    """The conditions of every site: one for all, one each, or the site's own prior."""
    if not isinstance(at, Mapping):
        return dict.fromkeys(parts, checked_conditions(at))
    unknown = [group for group in at if group not in parts]
    if unknown:
        some = ", ".join(quoted(group) for group in list(parts)[:3]) + (
            " …" if len(parts) > 3 else ""
        )
        raise refuse(
            "BR433",
            f"a prior is given for {quoted(unknown[0])}, and there is no such group",
            f"one of {some}",
        )
    costs = {
        (given.costs if given.costs_given else None)
        for given in map(checked_conditions, at.values())
    }
    if len(costs) > 1:
        raise refuse(
            "BR433",
            "sites are given different costs: one threshold is chosen for all",
            "give all sites the same costs",
        )
    return {
        group: at[group] if group in at else Conditions(None, next(iter(costs), None))
        for group in parts
    }


def _pooled_conditions(sites: Sequence[Site]) -> tuple[Conditions, tuple[Site, ...]]:
    """All of these together: at the prior that they have together, as the sum of them where some
    are given a prior.
    """
    first = sites[0][1]
    costs = first.costs if first.costs_given else None
    prior = pooled_prior(sites) if any(at.prior is not None for _, at in sites) else None
    return Conditions(prior, costs), tuple(sites) if prior is not None else ()


def _make_slice(
    group: Hashable,
    name: str,
    cases: Cases,
    at: Conditions,
    options: SliceOptions,
    sites: tuple[Site, ...] = (),
) -> Slice:
    counts = cases.total()
    if not counts.total_positives or not counts.total_negatives:
        # Of a class that is not there nothing is known at another prior.
        at = Conditions(None, at.costs if at.costs_given else None)
    clusters = cases if isinstance(cases, GroupedCounts) else None
    return Slice(group, name, counts, at, options, clusters, sites)


def _judge_slice(part: Slice) -> Requirement:
    """The requirement on one site; what cannot be evaluated there is reported."""
    if part.sites:
        return Requirement(UNJUDGED, (), None, (NO_BOUND,))
    options, text = part.options, str(part.options.require)
    try:
        if part.clusters is None:
            verdict = require(
                part.counts,
                text,
                volume=part.cases or None,
                at=part.at,
                threshold=options.threshold,
                level=options.bound_level,
                seed=options.seed,
            )
        else:
            verdict = require_of_clusters(
                text, part._bare_point, part.clusters, options.bound_level, options.plan
            )
    except InputError as error:
        problem = error.problems[0]
        return Requirement(UNJUDGED, (), None, (Note(problem.code, problem.text),))
    checks = tuple(_weaken_verdict(check, part) for check in verdict.checks)
    worst = max((check.outcome for check in checks), key=WORST.index)
    return replace(verdict, checks=checks, outcome=worst)


def _weaken_verdict(check: Check, part: Slice) -> Check:
    """The check with no word stronger than the cases: with a handful of the class, neither met in
    the sample nor missed says anything.
    """
    if part.clusters is None:
        sizes = part.positives, part.negatives
    else:
        sizes = clustered(part.clusters).worth
    one_class = CLASS_OF.get(check.interval.name)
    cases = min(sizes) if one_class is None else sizes[one_class]
    weak = cases < FEW and check.outcome != SHOWN
    return replace(check, outcome=TOO_FEW) if weak else check


def _slice_notes(
    slices: Slices, whole: Cases, conditions: Mapping[Hashable, Conditions]
) -> Iterator[Note]:
    if isinstance(whole, GroupedCounts):
        yield from cluster_notes(whole)
    yield from (note for given in dict.fromkeys(conditions.values()) for note in given.notes)
    priors = {part.name: part.at.prior for part in slices.parts if part.at.prior is not None}
    several = len(set(priors.values())) > 1 or 0 < len(priors) < len(slices)
    if several:
        yield _each_prior(priors)
    left_out = (LABEL_SHIFT, OF_A_VOLUME) if several else (OF_A_VOLUME,)
    yield from (note for note in slices.total._bare_point.notes if note.code not in left_out)
    emptied = [
        part.name
        for part in slices.parts
        if conditions[part.group].prior is not None and part.at.prior is None
    ]
    if emptied:
        text = (
            "a class is missing, so that nothing is known there at another prior; read at its own"
        )
        yield Note("BR433", f"{_list_names(emptied)}: {text}")
    if slices.require is not None and len(slices) > 1:
        yield _note_multiplicity(slices)


def _each_prior(priors: Mapping[str, float]) -> Note:
    few = list(priors.items())[:MOST_NAMED]
    shown = ", ".join(f"{quoted(name)} at {base_rate(prior, brief=True)}" for name, prior in few)
    more = " …" if len(priors) > MOST_NAMED else ""
    text = f"computed for the base rates given ({shown}{more}); {ASSUMES_LABEL_SHIFT}"
    return Note(LABEL_SHIFT, text)


def _list_names(names: Sequence[str]) -> str:
    rest = len(names) - MOST_NAMED
    more = f" and {grouped(rest)} more" if rest > 0 else ""
    return ", ".join(map(quoted, names[:MOST_NAMED])) + more


def _note_multiplicity(slices: Slices) -> Note:
    """Of many bounds some fail by chance."""
    count, error = len(BOUNDED) * len(slices), missed(slices.level)
    if slices.simultaneous:
        groups = number_of(len(slices), "group")
        text = f"all {count} bounds (recall and specificity of {groups}) hold together"
        levels = f"at {percent(slices.level)}: each is at {percent(1 - error / count)}"
        return Note("BR434", f"{text} {levels} (Bonferroni)")
    text = f"{count} bounds at {percent(slices.level)} each: expect {count * error:.3g} to be wrong"
    fix = "simultaneous=True, so that all hold together (Bonferroni)"
    return Note("BR434", f"{text} by chance", Fix(fix, "--simultaneous (Bonferroni)"))
