"""What checks came to: for a person, for a program, and as Markdown for the page of a change."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from baserate import document, judgements, tables, verdicts
from baserate.atomic import write_atomically
from baserate.checks.values import Comparison, Demand, Outcome, Settings
from baserate.errors import InputError, escaped, grouped, on_command_line, quoted, refuse_file
from baserate.notes import Note, Source
from baserate.pages import Page
from baserate.tables import UNDEFINED, digits
from baserate.uncertainty.gates import ALL, OBSERVED, SHOWN, UNJUDGED, WORSE, Regression
from baserate.uncertainty.values import LOWER, percent

PASSED, FAILED, BROKEN = "passed", "failed", "error"
MARGIN, NOT_WITHIN = "the margin of", "not shown to be within"
HEADING = "### baserate: "
# What Markdown would take for markup.
MARKUP = frozenset("\\`*_{}[]|~!$^")
# What hosts turn into a link or a mention after Markdown is done: an empty comment keeps it apart.
LINKED = ("://", "www.", "@", "#")


def text(outcome: Outcome) -> str:
    """Passed or failed and why, then a table."""
    if outcome.regression is not None:
        return judgements.of_regression(outcome.regression)
    return judgements.of_requirements(outcome.judged, passed=outcome.passed, level=outcome.check.level)


def of_outcomes(settings: Settings, outcomes: Sequence[Outcome]) -> list[str]:
    """How many passed, then every check, and where the cases came from."""
    failed = sum(not outcome.passed for outcome in outcomes)
    count = f"{grouped(len(outcomes))} {'check' if len(outcomes) == 1 else 'checks'} of {escaped(settings.path)}"
    blocks = [f"Failed: {grouped(failed)} of {count}." if failed else f"Passed: {count}."]
    blocks += [_titled(numbered(i, outcome.check), text(outcome)) for i, outcome in enumerate(outcomes, 1)]
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
        note if len(where) == everyone else Note(note.code, f"check {', '.join(map(str, where))}: {note.text}", note.override)
        for note, where in seen.items()
    ]


def document_of(outcome: Outcome, seed: int) -> dict[str, Any]:
    """The answer to one check on the command line."""
    return document.answer("gate", outcome.notes, outcome.sources, seed, models=[], **_verdict(outcome))


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
    return document.answer("gate", notes_of(outcomes), sources_of(outcomes), seed, models=[], verdict=verdict)


def _verdict(outcome: Outcome) -> dict[str, Any]:
    if outcome.regression is None or outcome.joint is None:
        return {"verdict": verdicts.requirement_verdict(outcome.judged, passed=outcome.passed)}
    parts = verdicts.regression_parts(outcome.joint, outcome.regression)
    return {"verdict": verdicts.regression_verdict(outcome.regression), "comparisons": parts}


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
    rows = _demanded(outcome, title) if outcome.regression is None else _compared(outcome.regression, title)
    return [row for row in rows if row.cases == ALL or row.result == FAILED]


def _demanded(outcome: Outcome, title: str) -> Iterator[Row]:
    accepted = (SHOWN, OBSERVED) if getattr(outcome.check, "accept_observed", False) else (SHOWN,)
    for one in outcome.judged:
        model = f"{quoted(one.model, quotes=False)}: " if len(outcome.check.models) > 1 else ""
        cases = ALL if one.part is None else f"slice {quoted(one.part, quotes=False)}"
        if one.requirement.outcome == UNJUDGED:
            yield Row(FAILED, title, cases, UNDEFINED, UNDEFINED, f"{model}{UNJUDGED}: {one.requirement.notes[0].text}")
        for check in one.requirement.checks:
            side = ">=" if check.interval.side == LOWER else "<="
            bound = f"{side} {digits(check.bound, 4)} ({percent(check.interval.level)})"
            words = f"{model}{check.requirement}: {check.outcome}"
            yield Row(PASSED if check.outcome in accepted else FAILED, title, cases, digits(check.interval.value, 4), bound, words)


def _compared(regression: Regression, title: str) -> Iterator[Row]:
    margin = next((note.text for note in regression.notes if MARGIN in note.text), "") if regression.margin is not None else ""
    for part in regression.parts:
        first, second = part.difference.values
        good = part.outcome != WORSE and not (part.whole and NOT_WITHIN in margin) and not math.isnan(part.difference.value)
        words = f"{part.outcome}; {margin}" if part.whole and margin else part.outcome
        value = f"{digits(second, 4)}, baseline {digits(first, 4)}"
        cases = ALL if part.whole else f"slice {quoted(part.name, quotes=False)}"
        yield Row(PASSED if good else FAILED, title, cases, value, judgements.shown_p(part.p_adjusted), words)


def broken(title: str, lines: Sequence[str]) -> list[Row]:
    """A check that could not be judged, and why."""
    return [Row(BROKEN, title, UNDEFINED, UNDEFINED, UNDEFINED, line) for line in lines]


def lines_of(error: InputError) -> list[str]:
    """What is wrong with the input, one line a problem."""
    return [problem.line(on_command_line) for problem in error.problems]


def markdown(rows: Sequence[Row], footers: Sequence[str] = ()) -> str:
    """The summary for the page of a change: pass or fail, and a row for each check. Nothing of the user's is markup."""
    every, wrong = ({row.check for row in rows if row.result in results} for results in ((PASSED, FAILED, BROKEN), (FAILED, BROKEN)))
    head = f"Failed: {len(wrong)} of {len(every)} checks" if wrong or not rows else f"Passed: {len(every)} of {len(every)} checks"
    lines = [f"{HEADING}{head}", "", "| result | check | cases | value | bound | verdict |", "|---|---|---|---|---|---|"]
    lines += [f"| {row.result if row.result == PASSED else f'**{row.result}**'} | {' | '.join(map(plain, row[1:]))} |" for row in rows]
    return "\n".join([*lines, *(["", *(f"- {plain(footer)}" for footer in footers)] if footers else [])]) + "\n"


def summary(outcomes: Sequence[Outcome]) -> str:
    """The Markdown of checks that were judged."""
    footers = [f"source {tables.source(replace(source, path=source.name))}" for source in sources_of(outcomes)]
    footers += [f"note {note.code}: {note.line(on_command_line)}" for note in notes_of(outcomes)]
    return markdown([row for i, outcome in enumerate(outcomes, 1) for row in rows_of(outcome, numbered(i, outcome.check))], footers)


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
        raise refuse_file(path, "BR801", "exists, and is no summary of an earlier run", "choose another name, or remove it")


def plain(words: str) -> str:
    """Text that Markdown and HTML show as it is."""
    safe = "".join(f"\\{sign}" if sign in MARKUP else sign for sign in html.escape(escaped(words), quote=False))
    for link in LINKED:
        safe = safe.replace(link, f"{link[:1]}<!-- -->{link[1:]}")
    return safe
