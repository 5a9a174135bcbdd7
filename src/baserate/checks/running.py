"""Judging: one way for the command line, for `baserate.toml` and for pytest. What cannot be judged is refused, and never passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from baserate import document
from baserate.checks.values import Comparison, Data, Demand, Outcome, Scored, Settings
from baserate.conditions import Conditions
from baserate.counts import Counts
from baserate.decisions.choosing import choose
from baserate.decisions.operating import setting
from baserate.engines.file_counts import count_scores, group_names, groups_of, joint_of, models_of, slices_of
from baserate.engines.joins import join_cases
from baserate.engines.saved import is_saved, saved_joint, saved_models
from baserate.engines.wanted import Wanted
from baserate.errors import Findings, InputError, Problem, quoted, refuse_file
from baserate.joint import JointCounts
from baserate.measures.confusions import NOT_SAID
from baserate.measures.values import parse
from baserate.notes import Note
from baserate.summaries.values import summary_named
from baserate.uncertainty.gates import OBSERVED, UNJUDGED, Requirement, regression, require
from baserate.verdicts import Judged

Progress = Callable[[int, int], None]


class Reader:
    """The cases of the models: read when they are first asked for, and kept for every other check that asks for the same."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self._counts: dict[tuple[str, str | None], tuple[Counts, dict[str, Counts]]] = {}
        self._joint: dict[tuple[tuple[str, str], str | None], tuple[JointCounts, dict[str, JointCounts]]] = {}

    def counts(self, model: str, by: str | None = None) -> tuple[Counts, dict[str, Counts]]:
        """The counts of a model in its own source, over all cases and of each slice by name."""
        if (model, by) not in self._counts:
            self._counts[model, by] = self._counted(self.data.models[model], by)
        return self._counts[model, by]

    def joint(self, pair: tuple[str, str], by: str | None = None) -> tuple[JointCounts, dict[str, JointCounts]]:
        """Two models on the same cases, all of them and slice by slice."""
        if (pair, by) not in self._joint:
            self._joint[pair, by] = self._paired(pair, by)
        return self._joint[pair, by]

    def _wanted(self, columns: tuple[str, ...], by: str | None) -> Wanted:
        data = self.data
        return Wanted(data.label, columns, data.positive, group=by, id=data.id, design=data.design)

    def _counted(self, where: Scored, by: str | None) -> tuple[Counts, dict[str, Counts]]:
        wanted, options, column = self._wanted((where.column,), by), self.data.options, where.column
        if is_saved(where.source):
            return _one_saved(where, by), {}
        if wanted.id is not None:  # every case has one, and stands once
            cases = models_of(where.source, wanted, options)
            return joint_of(cases).marginal(column), {name: joint.marginal(column) for name, joint in slices_of(cases).items()}
        if by is None:
            return count_scores(where.source, wanted, options)[column], {}
        groups = groups_of(where.source, wanted, options)
        return groups.total(), {shown: groups[group] for shown, group in zip(group_names(list(groups)), groups, strict=True)}

    def _paired(self, pair: tuple[str, str], by: str | None) -> tuple[JointCounts, dict[str, JointCounts]]:
        data, columns = self.data, tuple(self.data.models[model].column for model in pair)
        first, second = (data.models[model].source for model in pair)
        if first == second and is_saved(first):
            return _two_saved(first, dict(zip(pair, columns, strict=True)), by), {}
        if first == second:
            cases = models_of(first, self._wanted(columns, by), data.options)
            cases = cases._replace(scores={model: cases.scores[column] for model, column in zip(pair, columns, strict=True)})
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
        text = f"there is no model {quoted(where.column)}"
        raise refuse_file(where.source, "BR408", text, f"one of {', '.join(map(quoted, models))}")
    return models[where.column]


def _two_saved(source: str, columns: dict[str, str], by: str | None) -> JointCounts:
    """Two models that were counted together, under the names that they have here."""
    _check_whole(source, by)
    joint = saved_joint(source)
    unknown = next((column for column in columns.values() if column not in joint.models), None)
    if unknown is not None:
        raise refuse_file(source, "BR408", f"there is no model {quoted(unknown)}", f"one of {', '.join(map(quoted, joint.models))}")
    scores = {model: joint.scores[column] for model, column in columns.items()}
    return JointCounts._of(scores, joint.positives, joint.negatives, joint.ledger, joint.notes)


def _check_whole(source: str, by: str | None) -> None:
    if by is not None:
        raise refuse_file(source, "BR613", f"holds counts, which have no column {quoted(by)}", "give the cases, or leave the slices out")


def run(settings: Settings, progress: Progress | None = None) -> list[Outcome]:
    """Every check in its order; whatever is wrong with the input is found in one pass, and nothing is judged then."""
    reader, findings, outcomes = Reader(settings.data), Findings(), list[Outcome]()
    with findings:
        check_digests(settings, reader)
    for number, check in enumerate(settings.checks, 1):
        try:
            outcomes.append(judge(check, reader, settings.seed, progress))
        except InputError as error:
            findings.problems += [_of_check(problem, number, settings.path) for problem in error.problems]
    findings.problems = list(dict.fromkeys(findings.problems))  # a file that cannot be read fails every check that reads it
    findings.settle()
    return outcomes


def _of_check(problem: Problem, number: int, path: str) -> Problem:
    """A problem of the cases lies in their file; any other is one of the check."""
    if problem.where.path:
        return problem
    return replace(problem, text=f"check {number}: {problem.text}", where=replace(problem.where, path=path))


def check_digests(settings: Settings, reader: Reader) -> None:
    """A model whose counts are pinned is still the one that was meant."""
    findings = Findings()
    for model, pinned in settings.digests.items():
        with findings:
            found = reader.counts(model)[0].digest
            if found != pinned:
                text = f"{quoted(model)} is pinned to the digest {pinned[:12]}…, and its counts have {found}"
                raise refuse_file(settings.path, "BR843", text, "give the cases that were pinned, or pin these in [digests]")
    findings.settle()


def judge(check: Demand | Comparison, reader: Reader, seed: int = 0, progress: Progress | None = None) -> Outcome:
    """How one check comes out."""
    return _demanded(check, reader, seed) if isinstance(check, Demand) else _compared(check, reader, seed, progress)


def _demanded(check: Demand, reader: Reader, seed: int) -> Outcome:
    """The requirement for every model, over all cases and on every slice; a slice that cannot be judged is not passed over."""
    asked: dict[str, Any] = {"at": check.scenario.at, "volume": check.scenario.volume, "level": check.level, "seed": seed}
    judged, counted = list[Judged](), list[Counts]()
    for model in check.models:
        cuts = check.scenario.cuts((model,))
        threshold = NOT_SAID if cuts is None else cuts[model]
        whole, parts = reader.counts(model, check.slice)
        counted.append(whole)
        over_all = require(check.rule, whole, threshold=threshold, **asked)
        judged.append(Judged(model, None, over_all))
        if over_all.point is not None:
            threshold = over_all.point.threshold  # slices are judged at the threshold of all cases
        judged += [Judged(model, part, _on_slice(check.rule, parts[part], threshold, asked)) for part in sorted(parts)]
    passed = all(one.requirement.passed or (check.accept_observed and one.requirement.outcome == OBSERVED) for one in judged)
    said = [note for one in judged if one.requirement.outcome != UNJUDGED for note in one.requirement.notes]
    notes = document.merged([*(note for counts in counted for note in counts.notes), *said])
    sources = tuple(dict.fromkeys(source for counts in counted for source in counts.ledger.sources))
    return Outcome(check, passed, judged=tuple(judged), notes=tuple(notes), sources=sources)


def _on_slice(requirement: str, counts: Counts, threshold: Any, asked: dict[str, Any]) -> Requirement:
    try:
        return require(requirement, counts, threshold=threshold, **asked)
    except InputError as error:
        problem = error.problems[0]
        return Requirement(UNJUDGED, (), None, (Note(problem.code, problem.text),))


def _compared(check: Comparison, reader: Reader, seed: int, progress: Progress | None) -> Outcome:
    """The candidate against the baseline; without thresholds, each at its own cheapest one, which a note says."""
    joint, parts = reader.joint(check.models, check.slice)
    scenario, summary = check.scenario, summary_named(check.wanted)
    given: dict[str, Any] = {"at": scenario.at, "volume": scenario.volume, "level": check.level, "seed": seed, "progress": progress}
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
    verdict = regression(parts or joint, baseline=check.baseline, candidate=check.candidate, statistic=measure, margin=check.margin, **given)
    # NaN compares false, and must not pass for "not worse".
    passed = verdict.passed and not any(math.isnan(part.difference.value) for part in verdict.parts)
    verdict = replace(verdict, passed=passed, notes=(*notes, *verdict.notes))
    models = {name: joint.marginal(name) for name in joint.models}
    every = document.merged([*document.notes_of(models, {}), *scenario.at.notes, *verdict.notes])
    sources = tuple(dict.fromkeys(joint.ledger.sources))
    return Outcome(check, passed, regression=verdict, joint=joint, notes=tuple(every), sources=sources)


def _own_thresholds(joint: JointCounts, at: Conditions) -> tuple[dict[str, float | None], tuple[Note, ...]]:
    points = {name: choose(joint.marginal(name), at=at) for name in joint.models}
    shown = ", ".join(f"{quoted(name)} ({setting(point)})" for name, point in points.items())
    best = "the cheapest" if at.costs_given else "the one with the fewest errors"
    text = f"no thresholds are given: {shown}, each {best} on these same cases, taken as fixed in advance"
    return {name: point.threshold for name, point in points.items()}, (Note("BR593", text),)
