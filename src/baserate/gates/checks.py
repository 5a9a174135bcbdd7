"""Running the checks of a build, and their results as text, JSON and Markdown."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from baserate.atomic import Grid, Page, write_atomically
from baserate.counts.counts import Counts, JointCounts
from baserate.curves.summaries import summary_named
from baserate.errors import (
    Findings,
    InputError,
    Note,
    Problem,
    Source,
    escaped,
    grouped,
    number_of,
    on_command_line,
    quoted,
    refuse_file,
)
from baserate.gates.settings import Check, Data, Scored, Settings, list_names
from baserate.measures.confusion import NOT_SAID
from baserate.read.cases import count_jointly, count_jointly_by_group, group_names
from baserate.read.files import count_scores, groups_of
from baserate.read.joins import join_cases, read_models
from baserate.read.saved import is_saved, saved_joint, saved_models
from baserate.read.table import ColumnRoles
from baserate.results.notes import merge_notes
from baserate.results.operating_point import describe_setting
from baserate.results.values import (
    OBSERVED,
    SHOWN,
    UNJUDGED,
    NonInferiority,
    Requirement,
)
from baserate.verbs.choices import choose
from baserate.verbs.evidence import non_inferiority, require
from baserate.views import comparisons, document, tables
from baserate.views.comparisons import Judged
from baserate.views.formats import write_sentence

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    """How a check came out. Only a positive verdict passes."""

    check: Check
    passed: bool
    judged: tuple[Judged, ...] = ()
    regression: NonInferiority | None = None
    joint: JointCounts | None = field(default=None, compare=False, repr=False)
    notes: tuple[Note, ...] = field(default=(), compare=False, repr=False)
    sources: tuple[Source, ...] = ()


# ----------------------------------------------------------------------
# The cases of the models: read at first use, and kept for every other check that needs the same.


class Reader:
    """Counts of one model or of two together, over all cases and of each slice by name."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self._counts: dict[tuple[str, str | None], tuple[Counts, dict[str, Counts]]] = {}
        self._joint: dict[Any, tuple[JointCounts, dict[str, JointCounts]]] = {}

    def counts(self, model: str, by: str | None = None) -> tuple[Counts, dict[str, Counts]]:
        """Return the counts of a model in its own source."""
        if (model, by) not in self._counts:
            self._counts[model, by] = self._count_model(self.data.models[model], by)
        return self._counts[model, by]

    def joint(
        self, pair: tuple[str, ...], by: str | None = None
    ) -> tuple[JointCounts, dict[str, JointCounts]]:
        """Return two models on the same cases, under the names that they have here."""
        if (pair, by) not in self._joint:
            self._joint[pair, by] = self._count_pair(pair, by)
        return self._joint[pair, by]

    def _roles(self, columns: tuple[str, ...], by: str | None) -> ColumnRoles:
        data = self.data
        return ColumnRoles(
            data.label, columns, data.positive, group=by, id=data.id, design=data.design
        )

    def _count_model(self, where: Scored, by: str | None) -> tuple[Counts, dict[str, Counts]]:
        source, column, options = where.source, where.column, self.data.options
        roles = self._roles((column,), by)
        if is_saved(source):
            refuse_slices(source, by)
            models = saved_models(source)
            refuse_unknown(source, [column], models)
            return models[column], {}
        if roles.id is not None:  # every case has one, and stands once
            cases = read_models(source, roles, options)
            slices = {
                name: joint.marginal(column)
                for name, joint in count_jointly_by_group(cases).items()
            }
            return count_jointly(cases).marginal(column), slices
        if by is None:
            return count_scores(source, roles, options)[column], {}
        groups = groups_of(source, roles, options)
        names = zip(group_names(list(groups)), groups, strict=True)
        return groups.total(), {name: groups[group] for name, group in names}

    def _count_pair(
        self, pair: tuple[str, ...], by: str | None
    ) -> tuple[JointCounts, dict[str, JointCounts]]:
        data, scored = self.data, {model: self.data.models[model] for model in pair}
        columns = {model: where.column for model, where in scored.items()}
        roles = self._roles(tuple(columns.values()), by)
        source, *others = dict.fromkeys(where.source for where in scored.values())
        if not others and is_saved(source):
            refuse_slices(source, by)
            saved = saved_joint(source)
            refuse_unknown(source, columns.values(), saved.models)
            scores = {model: saved.scores[column] for model, column in columns.items()}
            return JointCounts._of(
                scores, saved.positives, saved.negatives, saved.ledger, saved.notes
            ), {}
        if others:
            cases = join_cases(
                scored, roles, data.options, by_position=data.by_position, join=data.join
            )
        else:
            cases = read_models(source, roles, data.options)
            scores = {model: cases.scores[column] for model, column in columns.items()}
            cases = cases._replace(scores=scores)
        return count_jointly(cases), count_jointly_by_group(cases)


def refuse_slices(source: str, by: str | None) -> None:
    """Saved counts have no slices."""
    if by is not None:
        text = f"holds counts, which have no column {quoted(by)}"
        raise refuse_file(source, "BR613", text, "give the cases, or leave the slices out")


def refuse_unknown(source: str, columns: Any, models: Any) -> None:
    """Refuse a model that saved counts do not have."""
    for column in columns:
        if column not in models:
            text = f"there is no model {quoted(column)}"
            raise refuse_file(source, "BR408", text, list_names(models))


# ----------------------------------------------------------------------
# Judging: one way for the command line, for `baserate.toml` and for pytest. What cannot be judged
# is refused, and never passes.


def run(settings: Settings, progress: Progress | None = None) -> list[Outcome]:
    """Return how every check comes out; whatever is wrong with the input is found in one pass, and
    nothing is evaluated then.
    """
    reader, findings, outcomes = Reader(settings.data), Findings(), list[Outcome]()
    with findings:
        check_digests(settings, reader)
    for number, check in enumerate(settings.checks, 1):
        try:
            outcomes.append(judge(check, reader, settings.seed, progress))
        except InputError as error:
            findings.problems += [
                name_check(problem, number, settings.path) for problem in error.problems
            ]
    # A file that cannot be read fails every check that reads it.
    findings.problems = list(dict.fromkeys(findings.problems))
    findings.settle()
    return outcomes


def name_check(problem: Problem, number: int, path: str) -> Problem:
    """Return a problem of the cases as it is: it lies in their file; any other is one of the
    check.
    """
    if problem.where.path:
        return problem
    where = replace(problem.where, path=path)
    return replace(problem, text=f"check {number}: {problem.text}", where=where)


def check_digests(settings: Settings, reader: Reader) -> None:
    """A model whose counts are pinned is still the one that was meant."""
    findings = Findings()
    for model, pinned in settings.digests.items():
        with findings:
            found = reader.counts(model)[0].digest
            if found != pinned:
                raise refuse_file(
                    settings.path,
                    "BR843",
                    f"{quoted(model)} is pinned to the digest {pinned[:12]}…, and its counts have"
                    f" {found}",
                    "give the cases that were pinned, or pin these in [digests]",
                )
    findings.settle()


def judge(check: Check, reader: Reader, seed: int = 0, progress: Progress | None = None) -> Outcome:
    """Return how one check comes out."""
    given = {"at": check.at, "volume": check.volume, "seed": seed, **check.keywords}
    if check.verb == "require":
        return judge_requirement(check, reader, given)
    return judge_comparison(check, reader, {**given, "progress": progress})


def judge_requirement(check: Check, reader: Reader, given: Mapping[str, Any]) -> Outcome:
    """Evaluate the requirement for every model, over all cases and on every slice; a slice that
    cannot be evaluated is reported.
    """
    judged, counted = list[Judged](), list[Counts]()
    for model in check.models:
        threshold: Any = check.thresholds.get(model, NOT_SAID)
        whole, slices = reader.counts(model, check.slice)
        counted.append(whole)
        over_all = require(whole, check.rule or "", threshold=threshold, **given)
        judged.append(Judged(model, None, over_all))
        if over_all.point is not None:
            threshold = over_all.point.threshold  # slices are judged at the threshold of all cases
        for name, counts in sorted(slices.items()):
            found = judge_slice(counts, check.rule or "", threshold, given)
            judged.append(Judged(model, name, found))
    return gather_outcome(
        check, judged, [note for counts in counted for note in counts.notes], counted
    )


def judge_slice(counts: Counts, rule: str, threshold: Any, given: Mapping[str, Any]) -> Requirement:
    """Evaluate a requirement on a slice, or say why that is impossible."""
    try:
        return require(counts, rule, threshold=threshold, **given)
    except InputError as error:
        problem = error.problems[0]
        return Requirement(UNJUDGED, (), None, (Note(problem.code, problem.text),))


def gather_outcome(
    check: Check, judged: Sequence[Judged], notes: Sequence[Note], counted: Sequence[Counts]
) -> Outcome:
    """Return whether a requirement is demonstrated everywhere, or met where that is accepted."""
    accepted = (SHOWN, OBSERVED) if check.accept_observed else (SHOWN,)
    said = [
        note
        for one in judged
        if one.requirement.outcome != UNJUDGED
        for note in one.requirement.notes
    ]
    return Outcome(
        check,
        all(one.requirement.outcome in accepted for one in judged),
        judged=tuple(judged),
        notes=tuple(merge_notes([*notes, *said])),
        sources=tuple(dict.fromkeys(one for counts in counted for one in counts.ledger.sources)),
    )


def judge_comparison(check: Check, reader: Reader, given: dict[str, Any]) -> Outcome:
    """Compare the candidate with the baseline; without thresholds, each at its own cheapest one,
    which a note says.
    """
    joint, slices = reader.joint(check.models, check.slice)
    notes: tuple[Note, ...] = ()
    given = {**given, "statistic": check.statistic}
    if check.rule is not None:
        given["rule"] = check.rule
    elif summary_named(check.statistic) is None:
        cuts = {
            model: check.thresholds[model] for model in check.models if model in check.thresholds
        }
        if not cuts:
            cuts, notes = choose_thresholds(check, joint)
        given["threshold"] = cuts
    baseline, candidate = check.models
    verdict = non_inferiority(
        slices or joint,
        given.pop("statistic"),
        baseline=baseline,
        candidate=candidate,
        **given,
    )
    # NaN compares false, and must not pass for "not worse".
    passed = verdict.passed and not any(math.isnan(part.difference.value) for part in verdict.parts)
    verdict = replace(verdict, passed=passed, notes=(*notes, *verdict.notes))
    models = {name: joint.marginal(name) for name in joint.models}
    every = merge_notes([*document.notes_of(models, {}), *check.at.notes, *verdict.notes])
    return Outcome(
        check,
        passed,
        regression=verdict,
        joint=joint,
        notes=tuple(every),
        sources=tuple(dict.fromkeys(joint.ledger.sources)),
    )


def choose_thresholds(
    check: Check, joint: JointCounts
) -> tuple[dict[str, float | None], tuple[Note, ...]]:
    """Return the cheapest threshold of each model on these cases, and a note of them."""
    points = {name: choose(joint.marginal(name), at=check.at) for name in joint.models}
    shown = ", ".join(
        f"{quoted(name)} ({describe_setting(point)})" for name, point in points.items()
    )
    best = "the cheapest" if check.at.costs_given else "the one with the fewest errors"
    text = (
        f"no thresholds are given: {shown}, each {best} on these cases, treated as fixed in advance"
    )
    return {name: point.threshold for name, point in points.items()}, (Note("BR593", text),)


# ----------------------------------------------------------------------
# What checks came to, for a person and for a program.


def describe(outcome: Outcome) -> str:
    """Return passed or failed and why, then a table."""
    if outcome.regression is not None:
        return comparisons.of_non_inferiority(outcome.regression)
    level = outcome.check.keywords["level"]
    return comparisons.of_requirements(outcome.judged, passed=outcome.passed, level=level)


def number_check(number: int, check: Check) -> str:
    """Return a check with its place in the file, which tells two alike apart."""
    return f"{number}. {check.title}"


@dataclass(frozen=True)
class GateResult:
    """What a gate came to: one check of a file of cases, or every check of a file of settings."""

    outcomes: tuple[Outcome, ...]
    seed: int
    settings: str | None = None

    @property
    def passed(self) -> bool:
        """Does every check pass?"""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def sources(self) -> list[Source]:
        """Every source once."""
        return list(
            dict.fromkeys(source for outcome in self.outcomes for source in outcome.sources)
        )

    @property
    def notes(self) -> list[Note]:
        """Every note once; one that is not of every check says of which it is."""
        checks_of: dict[Note, list[str]] = {}
        for number, outcome in enumerate(self.outcomes, 1):
            for note in outcome.notes:
                checks_of.setdefault(note, []).append(str(number))
        return [
            note
            if len(checks) == len(self.outcomes)
            else Note(note.code, f"check {', '.join(checks)}: {note.text}", note.override)
            for note, checks in checks_of.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Whether the checks pass, and what each of them came to."""
        if self.settings is None:
            return {"seed": self.seed, **verdict_of(self.outcomes[0])}
        results = [
            {
                "check": outcome.check.title,
                "kind": outcome.check.verb,
                "models": list(outcome.check.models),
                "scenario": outcome.check.scenario,
                "by": outcome.check.slice,
                **verdict_of(outcome),
            }
            for outcome in self.outcomes
        ]
        return {"seed": self.seed, "verdict": {"passed": self.passed, "results": results}}

    def blocks(self) -> list[str]:
        """How many checks passed, then every check, and where the cases came from."""
        pages = [describe(outcome) for outcome in self.outcomes]
        if self.settings is not None:
            failed = sum(not outcome.passed for outcome in self.outcomes)
            count = f"{number_of(len(pages), 'check')} of {escaped(self.settings)}"
            verdict = f"Failed: {grouped(failed)} of {count}." if failed else f"Passed: {count}."
            pages = [verdict, *map(self._number_page, range(len(pages)), pages)]
        return [*pages, *map(tables.source, self.sources)]

    def _number_page(self, place: int, page: str) -> str:
        first, *rest = page.blocks if isinstance(page, Page) else (page,)
        title = number_check(place + 1, self.outcomes[place].check)
        return Page(f"{title}\n{first}", *rest)


@write_sentence.register
def _(result: GateResult) -> str:
    first = result.blocks()[0]
    return first.blocks[0] if isinstance(first, Page) else first


def verdict_of(outcome: Outcome) -> dict[str, Any]:
    """Return whether a check passes, and what it came to."""
    if outcome.regression is None or outcome.joint is None:
        return {"verdict": comparisons.requirement_verdict(outcome.judged, passed=outcome.passed)}
    parts = comparisons.regression_parts(outcome.joint, outcome.regression)
    return {"verdict": comparisons.regression_verdict(outcome.regression), "comparisons": parts}


# ----------------------------------------------------------------------
# A summary in Markdown, for the page of a change.


PASSED, FAILED, BROKEN = "passed", "failed", "error"
HEADING = "### baserate: "
# What Markdown would take for markup.
MARKUP = frozenset("\\`*_{}[]|~!$^")
# What hosts turn into a link or a mention after Markdown is done: an empty comment keeps it apart.
LINKED = ("://", "www.", "@", "#")


class Entry(NamedTuple):
    """A check in the summary: how it came out, its title, why in words, and tables in Markdown."""

    result: str
    title: str
    words: str
    tables: str = ""


def make_entry(outcome: Outcome, title: str) -> Entry:
    """Return what the summary says of a check."""
    page = describe(outcome)
    first, *rest = page.blocks if isinstance(page, Page) else (page,)
    grids = [write_table(block) for block in rest if isinstance(block, Grid)]
    result = PASSED if outcome.passed else FAILED
    return Entry(result, title, " ".join(first.splitlines()), "\n\n".join(grids))


def break_entry(title: str, lines: Sequence[str]) -> Entry:
    """Return the entry of a check that could not be evaluated, and why."""
    return Entry(BROKEN, title, " ".join(lines))


def write_table(grid: Grid) -> str:
    """Return a table as Markdown."""
    rows = [[plain(cell) for cell in row] for row in (grid.headings, *grid.rows)]
    rows.insert(1, ["---"] * len(grid.headings))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def lines_of(error: InputError) -> list[str]:
    """Return what is wrong with the input, one line per problem."""
    return [problem.line(on_command_line) for problem in error.problems]


def markdown(entries: Sequence[Entry], footers: Sequence[str] = ()) -> str:
    """Return the summary: pass or fail, and each check. Nothing of the user's is markup."""
    failed = sum(entry.result != PASSED for entry in entries)
    count = number_of(len(entries), "check")
    head = f"Failed: {failed} of {count}" if failed or not entries else f"Passed: {count}"
    blocks = [f"{HEADING}{head}"]
    for entry in entries:
        result = entry.result if entry.result == PASSED else f"**{entry.result}**"
        blocks += [f"{result}: {plain(entry.title)}. {plain(entry.words)}", entry.tables]
    blocks.append("\n".join(f"- {plain(footer)}" for footer in footers))
    return "\n\n".join(filter(None, blocks)) + "\n"


def summarize(result: GateResult) -> str:
    """Return the Markdown of checks that were evaluated."""
    entries = [
        make_entry(outcome, number_check(number, outcome.check))
        for number, outcome in enumerate(result.outcomes, 1)
    ]
    sources = [replace(source, path=source.name) for source in result.sources]
    footers = [f"source {tables.source(source)}" for source in sources]
    footers += [f"note {note.code}: {note.line(on_command_line)}" for note in result.notes]
    return markdown(entries, footers)


def write_summary(path: str | os.PathLike[str], words: str) -> None:
    """Write a summary whole, over an earlier one or an empty file, and over nothing else."""
    check_summary(path)
    write_atomically(path, [words.encode("utf-8", "backslashreplace")])


def check_summary(path: str | os.PathLike[str]) -> None:
    """A file that is no summary of ours is left alone: it may be an input."""
    try:
        with open(path, "rb") as file:
            there = file.read(len(HEADING))
    except OSError:
        return  # not there, or writing will say why not
    if there and there != HEADING.encode():
        text = "exists and is not a summary of an earlier run"
        raise refuse_file(path, "BR801", text, "choose another name, or remove it")


def plain(words: str) -> str:
    """Return text that Markdown and HTML show as it is."""
    safe = "".join(
        f"\\{sign}" if sign in MARKUP else sign for sign in html.escape(escaped(words), quote=False)
    )
    for link in LINKED:
        safe = safe.replace(link, f"{link[:1]}<!-- -->{link[1:]}")
    return safe
