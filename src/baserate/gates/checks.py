"""Running the checks of a build, and their results as text, JSON and Markdown."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from baserate.atomic import Page, write_atomically
from baserate.conditions import Conditions
from baserate.counts.counts import Counts, JointCounts
from baserate.curves.summaries import summary_named
from baserate.decisions.selection import choose
from baserate.errors import (
    Findings,
    InputError,
    Note,
    Problem,
    Source,
    escaped,
    grouped,
    on_command_line,
    quoted,
    refuse_file,
)
from baserate.gates.settings import Comparison, Data, Demand, Outcome, Scored, Settings
from baserate.inference.requirements import (
    non_inferiority,
    require,
)
from baserate.measures.confusion import NOT_SAID, parse
from baserate.read.files import (
    count_scores,
    group_names,
    groups_of,
    is_saved,
    join_cases,
    joint_of,
    models_of,
    saved_joint,
    saved_models,
    slices_of,
)
from baserate.read.table import ColumnRoles
from baserate.results.operating_point import describe_setting
from baserate.results.values import (
    ALL,
    LOWER,
    OBSERVED,
    SHOWN,
    UNJUDGED,
    WORSE,
    NonInferiority,
    Requirement,
    percent,
)
from baserate.views import comparisons, document, tables

# ----------------------------------------------------------------------
# Judging: one way for the command line, for `baserate.toml` and for pytest. What cannot be judged
# is refused, and never passes.


Progress = Callable[[int, int], None]


class Reader:
    """The cases of the models: read at first use, and kept for every other check
    that needs the same.
    """

    def __init__(self, data: Data) -> None:
        self.data = data
        self._counts: dict[tuple[str, str | None], tuple[Counts, dict[str, Counts]]] = {}
        self._joint: dict[
            tuple[tuple[str, str], str | None], tuple[JointCounts, dict[str, JointCounts]]
        ] = {}

    def counts(self, model: str, by: str | None = None) -> tuple[Counts, dict[str, Counts]]:
        """The counts of a model in its own source, over all cases and of each slice by name."""
        if (model, by) not in self._counts:
            self._counts[model, by] = self._counted(self.data.models[model], by)
        return self._counts[model, by]

    def joint(
        self, pair: tuple[str, str], by: str | None = None
    ) -> tuple[JointCounts, dict[str, JointCounts]]:
        """Two models on the same cases, all of them and slice by slice."""
        if (pair, by) not in self._joint:
            self._joint[pair, by] = self._paired(pair, by)
        return self._joint[pair, by]

    def _wanted(self, columns: tuple[str, ...], by: str | None) -> ColumnRoles:
        data = self.data
        return ColumnRoles(
            data.label, columns, data.positive, group=by, id=data.id, design=data.design
        )

    def _counted(self, where: Scored, by: str | None) -> tuple[Counts, dict[str, Counts]]:
        wanted, options, column = self._wanted((where.column,), by), self.data.options, where.column
        if is_saved(where.source):
            return _one_saved(where, by), {}
        if wanted.id is not None:  # every case has one, and stands once
            cases = models_of(where.source, wanted, options)
            return joint_of(cases).marginal(column), {
                name: joint.marginal(column) for name, joint in slices_of(cases).items()
            }
        if by is None:
            return count_scores(where.source, wanted, options)[column], {}
        groups = groups_of(where.source, wanted, options)
        return groups.total(), {
            shown: groups[group]
            for shown, group in zip(group_names(list(groups)), groups, strict=True)
        }

    def _paired(
        self, pair: tuple[str, str], by: str | None
    ) -> tuple[JointCounts, dict[str, JointCounts]]:
        data, columns = self.data, tuple(self.data.models[model].column for model in pair)
        first, second = (data.models[model].source for model in pair)
        if first == second and is_saved(first):
            return _two_saved(first, dict(zip(pair, columns, strict=True)), by), {}
        if first == second:
            cases = models_of(first, self._wanted(columns, by), data.options)
            cases = cases._replace(
                scores={
                    model: cases.scores[column] for model, column in zip(pair, columns, strict=True)
                }
            )
        else:
            cases = join_cases(
                {model: data.models[model] for model in pair},
                self._wanted(columns, by),
                data.options,
                by_position=data.by_position,
                join=data.join,
            )
        return joint_of(cases), slices_of(cases)


def _one_saved(where: Scored, by: str | None) -> Counts:
    """Counts that were saved; a single one is called by its file."""
    _check_whole(where.source, by)
    models = saved_models(where.source)
    if where.column not in models:
        raise refuse_file(
            where.source,
            "BR408",
            f"there is no model {quoted(where.column)}",
            f"one of {', '.join(map(quoted, models))}",
        )
    return models[where.column]


def _two_saved(source: str, columns: dict[str, str], by: str | None) -> JointCounts:
    """Two models that were counted together, under the names that they have here."""
    _check_whole(source, by)
    joint = saved_joint(source)
    unknown = next((column for column in columns.values() if column not in joint.models), None)
    if unknown is not None:
        raise refuse_file(
            source,
            "BR408",
            f"there is no model {quoted(unknown)}",
            f"one of {', '.join(map(quoted, joint.models))}",
        )
    scores = {model: joint.scores[column] for model, column in columns.items()}
    return JointCounts._of(scores, joint.positives, joint.negatives, joint.ledger, joint.notes)


def _check_whole(source: str, by: str | None) -> None:
    if by is not None:
        raise refuse_file(
            source,
            "BR613",
            f"holds counts, which have no column {quoted(by)}",
            "give the cases, or leave the slices out",
        )


def run(settings: Settings, progress: Progress | None = None) -> list[Outcome]:
    """Every check in its order; whatever is wrong with the input is found in one pass, and nothing
    is evaluated then.
    """
    reader, findings, outcomes = Reader(settings.data), Findings(), list[Outcome]()
    with findings:
        check_digests(settings, reader)
    for number, check in enumerate(settings.checks, 1):
        try:
            outcomes.append(judge(check, reader, settings.seed, progress))
        except InputError as error:
            findings.problems += [
                _of_check(problem, number, settings.path) for problem in error.problems
            ]
    findings.problems = list(
        dict.fromkeys(findings.problems)
    )  # a file that cannot be read fails every check that reads it
    findings.settle()
    return outcomes


def _of_check(problem: Problem, number: int, path: str) -> Problem:
    """A problem of the cases lies in their file; any other is one of the check."""
    if problem.where.path:
        return problem
    return replace(
        problem, text=f"check {number}: {problem.text}", where=replace(problem.where, path=path)
    )


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


def judge(
    check: Demand | Comparison, reader: Reader, seed: int = 0, progress: Progress | None = None
) -> Outcome:
    """How one check comes out."""
    return (
        _demanded(check, reader, seed)
        if isinstance(check, Demand)
        else _compared(check, reader, seed, progress)
    )


def _demanded(check: Demand, reader: Reader, seed: int) -> Outcome:
    """The requirement for every model, over all cases and on every slice; a slice that cannot be
    evaluated is reported.
    """
    asked: dict[str, Any] = {
        "at": check.scenario.at,
        "volume": check.scenario.volume,
        "level": check.level,
        "seed": seed,
    }
    judged, counted = list[comparisons.Judged](), list[Counts]()
    for model in check.models:
        cuts = check.scenario.cuts((model,))
        threshold = NOT_SAID if cuts is None else cuts[model]
        whole, parts = reader.counts(model, check.slice)
        counted.append(whole)
        over_all = require(whole, check.rule, threshold=threshold, **asked)
        judged.append(comparisons.Judged(model, None, over_all))
        if over_all.point is not None:
            threshold = over_all.point.threshold  # slices are judged at the threshold of all cases
        judged += [
            comparisons.Judged(model, part, _on_slice(check.rule, parts[part], threshold, asked))
            for part in sorted(parts)
        ]
    passed = is_passed(check, judged)
    said = [
        note
        for one in judged
        if one.requirement.outcome != UNJUDGED
        for note in one.requirement.notes
    ]
    notes = document.merged([*(note for counts in counted for note in counts.notes), *said])
    sources = tuple(dict.fromkeys(source for counts in counted for source in counts.ledger.sources))
    return Outcome(check, passed, judged=tuple(judged), notes=tuple(notes), sources=sources)


def is_passed(check: Demand, judged: Sequence[comparisons.Judged]) -> bool:
    """Is the requirement demonstrated everywhere, or met where that is accepted?"""
    return all(
        one.requirement.passed or (check.accept_observed and one.requirement.outcome == OBSERVED)
        for one in judged
    )


def _on_slice(
    requirement: str, counts: Counts, threshold: Any, asked: dict[str, Any]
) -> Requirement:
    try:
        return require(counts, requirement, threshold=threshold, **asked)
    except InputError as error:
        problem = error.problems[0]
        return Requirement(UNJUDGED, (), None, (Note(problem.code, problem.text),))


def _compared(check: Comparison, reader: Reader, seed: int, progress: Progress | None) -> Outcome:
    """The candidate against the baseline; without thresholds, each at its own cheapest one, which a
    note says.
    """
    joint, parts = reader.joint(check.models, check.slice)
    scenario, summary = check.scenario, summary_named(check.wanted)
    given: dict[str, Any] = {
        "at": scenario.at,
        "volume": scenario.volume,
        "level": check.level,
        "seed": seed,
        "progress": progress,
    }
    notes = tuple[Note, ...]()
    if check.replicates is not None:
        given["replicates"] = check.replicates
    if check.rule is not None:
        given["rule"] = check.rule
    elif summary is None:
        cuts = scenario.cuts(check.models)
        if cuts is None:
            cuts, notes = _own_thresholds(joint, scenario.at)
        given["threshold"] = cuts
    measure: Any = summary if summary is not None else parse(check.wanted, scenario.volume)
    verdict = non_inferiority(
        parts or joint,
        baseline=check.baseline,
        candidate=check.candidate,
        statistic=measure,
        margin=check.margin,
        **given,
    )
    # NaN compares false, and must not pass for "not worse".
    passed = verdict.passed and not any(math.isnan(part.difference.value) for part in verdict.parts)
    verdict = replace(verdict, passed=passed, notes=(*notes, *verdict.notes))
    models = {name: joint.marginal(name) for name in joint.models}
    every = document.merged([*document.notes_of(models, {}), *scenario.at.notes, *verdict.notes])
    sources = tuple(dict.fromkeys(joint.ledger.sources))
    return Outcome(
        check, passed, regression=verdict, joint=joint, notes=tuple(every), sources=sources
    )


def _own_thresholds(
    joint: JointCounts, at: Conditions
) -> tuple[dict[str, float | None], tuple[Note, ...]]:
    points = {name: choose(joint.marginal(name), at=at) for name in joint.models}
    shown = ", ".join(
        f"{quoted(name)} ({describe_setting(point)})" for name, point in points.items()
    )
    best = "the cheapest" if at.costs_given else "the one with the fewest errors"
    text = (
        f"no thresholds are given: {shown}, each {best} on these cases, treated as fixed in advance"
    )
    return {name: point.threshold for name, point in points.items()}, (Note("BR593", text),)


# ----------------------------------------------------------------------
# What checks came to: for a person, for a program, and as Markdown for the page of a change.


PASSED, FAILED, BROKEN = "passed", "failed", "error"
HEADING = "### baserate: "
# What Markdown would take for markup.
MARKUP = frozenset("\\`*_{}[]|~!$^")
# What hosts turn into a link or a mention after Markdown is done: an empty comment keeps it apart.
LINKED = ("://", "www.", "@", "#")


def text(outcome: Outcome) -> str:
    """Passed or failed and why, then a table."""
    if outcome.regression is not None:
        return comparisons.of_non_inferiority(outcome.regression)
    return comparisons.of_requirements(
        outcome.judged, passed=outcome.passed, level=outcome.check.level
    )


def of_outcomes(settings: Settings, outcomes: Sequence[Outcome]) -> list[str]:
    """How many passed, then every check, and where the cases came from."""
    failed = sum(not outcome.passed for outcome in outcomes)
    count = (
        f"{grouped(len(outcomes))} {'check' if len(outcomes) == 1 else 'checks'} of"
        f" {escaped(settings.path)}"
    )
    blocks = [f"Failed: {grouped(failed)} of {count}." if failed else f"Passed: {count}."]
    blocks += [
        _titled(numbered(i, outcome.check), text(outcome)) for i, outcome in enumerate(outcomes, 1)
    ]
    return [*blocks, *map(tables.source, sources_of(outcomes))]


def _titled(title: str, page: str) -> str:
    """A page under its title; its table still folds on a narrow terminal."""
    first, *rest = page.blocks if isinstance(page, Page) else (page,)
    return Page(f"{title}\n{first}", *rest)


def sources_of(outcomes: Sequence[Outcome]) -> list[Source]:
    """Every source once."""
    return list(dict.fromkeys(source for outcome in outcomes for source in outcome.sources))


def notes_of(outcomes: Sequence[Outcome]) -> list[Note]:
    """Every note once; one that is not of every check says of which it is."""
    seen: dict[Note, list[int]] = {}
    for i, outcome in enumerate(outcomes, 1):
        for note in outcome.notes:
            seen.setdefault(note, []).append(i)
    everyone = len(outcomes)
    return [
        (
            note
            if len(where) == everyone
            else Note(note.code, f"check {', '.join(map(str, where))}: {note.text}", note.override)
        )
        for note, where in seen.items()
    ]


def document_of(outcome: Outcome, seed: int) -> dict[str, Any]:
    """The answer to one check on the command line."""
    return document.answer(
        "gate", outcome.notes, outcome.sources, seed, models=[], **_verdict(outcome)
    )


def document_of_all(outcomes: Sequence[Outcome], seed: int) -> dict[str, Any]:
    """The answer to all checks of a file."""
    results = [
        {
            "check": outcome.check.title,
            "kind": "require" if isinstance(outcome.check, Demand) else "compare",
            "models": list(outcome.check.models),
            "scenario": outcome.check.scenario.name,
            "by": outcome.check.slice,
            **_verdict(outcome),
        }
        for outcome in outcomes
    ]
    verdict = {"passed": all(outcome.passed for outcome in outcomes), "results": results}
    return document.answer(
        "gate", notes_of(outcomes), sources_of(outcomes), seed, models=[], verdict=verdict
    )


def _verdict(outcome: Outcome) -> dict[str, Any]:
    if outcome.regression is None or outcome.joint is None:
        return {"verdict": comparisons.requirement_verdict(outcome.judged, passed=outcome.passed)}
    parts = comparisons.regression_parts(outcome.joint, outcome.regression)
    return {"verdict": comparisons.regression_verdict(outcome.regression), "comparisons": parts}


class Row(NamedTuple):
    """A line of the summary: a check over all cases, or on a slice."""

    result: str
    check: str
    cases: str
    value: str
    bound: str
    words: str


def rows_of(outcome: Outcome, title: str) -> list[Row]:
    """A check over all cases, and on the slices where it does not pass."""
    rows = (
        _demanded_rows(outcome, title)
        if outcome.regression is None
        else _compared_rows(outcome.regression, title)
    )
    return [row for row in rows if row.cases == ALL or row.result == FAILED]


def _demanded_rows(outcome: Outcome, title: str) -> Iterator[Row]:
    accepted = (SHOWN, OBSERVED) if getattr(outcome.check, "accept_observed", False) else (SHOWN,)
    for one in outcome.judged:
        model = f"{quoted(one.model, quotes=False)}: " if len(outcome.check.models) > 1 else ""
        cases = ALL if one.part is None else f"slice {quoted(one.part, quotes=False)}"
        if one.requirement.outcome == UNJUDGED:
            yield Row(
                FAILED,
                title,
                cases,
                tables.UNDEFINED,
                tables.UNDEFINED,
                f"{model}{UNJUDGED}: {one.requirement.notes[0].text}",
            )
        for check in one.requirement.checks:
            side = ">=" if check.interval.side == LOWER else "<="
            bound = f"{side} {tables.digits(check.bound, 4)} ({percent(check.interval.level)})"
            words = f"{model}{check.requirement}: {check.outcome}"
            yield Row(
                PASSED if check.outcome in accepted else FAILED,
                title,
                cases,
                tables.digits(check.interval.value, 4),
                bound,
                words,
            )


def _compared_rows(regression: NonInferiority, title: str) -> Iterator[Row]:
    note = regression.margin_note
    margin = "" if note is None else note.text
    for part in regression.parts:
        first, second = part.difference.values
        good = (
            part.outcome != WORSE
            and not (part.whole and note is not None and not note.values["within"])
            and not math.isnan(part.difference.value)
        )
        words = f"{part.outcome}; {margin}" if part.whole and margin else part.outcome
        value = f"{tables.digits(second, 4)}, baseline {tables.digits(first, 4)}"
        cases = ALL if part.whole else f"slice {quoted(part.name, quotes=False)}"
        yield Row(
            PASSED if good else FAILED,
            title,
            cases,
            value,
            comparisons.shown_p(part.p_adjusted),
            words,
        )


def broken(title: str, lines: Sequence[str]) -> list[Row]:
    """A check that could not be evaluated, and why."""
    return [
        Row(BROKEN, title, tables.UNDEFINED, tables.UNDEFINED, tables.UNDEFINED, line)
        for line in lines
    ]


def lines_of(error: InputError) -> list[str]:
    """What is wrong with the input, one line per problem."""
    return [problem.line(on_command_line) for problem in error.problems]


def markdown(rows: Sequence[Row], footers: Sequence[str] = ()) -> str:
    """The summary for the page of a change: pass or fail, and a row for each check. Nothing of the
    user's is markup.
    """
    every, wrong = (
        {row.check for row in rows if row.result in results}
        for results in ((PASSED, FAILED, BROKEN), (FAILED, BROKEN))
    )
    head = (
        f"Failed: {len(wrong)} of {len(every)} checks"
        if wrong or not rows
        else f"Passed: {len(every)} of {len(every)} checks"
    )
    lines = [
        f"{HEADING}{head}",
        "",
        "| result | check | cases | value | bound | verdict |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.result if row.result == PASSED else f'**{row.result}**'} |"
        f" {' | '.join(map(plain, row[1:]))} |"
        for row in rows
    ]
    return (
        "\n".join(
            [*lines, *(["", *(f"- {plain(footer)}" for footer in footers)] if footers else [])]
        )
        + "\n"
    )


def summary(outcomes: Sequence[Outcome]) -> str:
    """The Markdown of checks that were evaluated."""
    footers = [
        f"source {tables.source(replace(source, path=source.name))}"
        for source in sources_of(outcomes)
    ]
    footers += [f"note {note.code}: {note.line(on_command_line)}" for note in notes_of(outcomes)]
    return markdown(
        [
            row
            for i, outcome in enumerate(outcomes, 1)
            for row in rows_of(outcome, numbered(i, outcome.check))
        ],
        footers,
    )


def numbered(place: int, check: Demand | Comparison) -> str:
    """A check with its place in the file, which tells two alike apart."""
    return f"{place}. {check.title}"


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
        raise refuse_file(
            path,
            "BR801",
            "exists and is not a summary of an earlier run",
            "choose another name, or remove it",
        )


def plain(words: str) -> str:
    """Text that Markdown and HTML show as it is."""
    safe = "".join(
        f"\\{sign}" if sign in MARKUP else sign for sign in html.escape(escaped(words), quote=False)
    )
    for link in LINKED:
        safe = safe.replace(link, f"{link[:1]}<!-- -->{link[1:]}")
    return safe
