"""`baserate choose --amount`: which model, at which threshold, where every case has its own amount."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from baserate import document, notations
from baserate.amounts import Amounts
from baserate.cli import options
from baserate.cli.answers import Surety, say
from baserate.cli.terminal import Progress, tell
from baserate.conditions import Conditions
from baserate.decisions.amounts import CAUGHT, AmountChoice, AmountPoint, choose_amount_model
from baserate.decisions.answering import Answer, made_by
from baserate.decisions.operating import brief, setting
from baserate.engines.amounts import amounts_from
from baserate.engines.wanted import Wanted
from baserate.errors import escaped, number_of, quoted, refuse
from baserate.notes import Note
from baserate.pages import Grid
from baserate.tables import UNDEFINED, digits, span
from baserate.uncertainty.amounts import NAMES, amount_intervals
from baserate.uncertainty.values import Interval, percent

Found = Mapping[int, Mapping[str, Interval]]
SHOWN = ("alerts", "amount_caught", "amount_missed", "cost", "expected_cost")
HEADINGS = {
    "alerts": "alerts",
    "amount_caught": "amount caught",
    "amount_missed": "amount missed",
    "cost": "cost",
    "expected_cost": "cost per case",
}


class Money(NamedTuple):
    """What was said of amounts; None and nothing where it was not."""

    amount: str | None = None
    review: str | None = None
    recovered: str | None = None
    amount_missing: str | None = None
    currency: str | None = None

    def wanted(self, given: options.Given, label: str | None, scores: tuple[str, ...], positive: str | None, design: str) -> Wanted:
        """The columns to read."""
        return options.wanted(given, label, scores, positive=positive, amount=self.amount, currency=self.currency, design=design)

    @property
    def prices(self) -> dict[str, Any]:
        """What a review costs and what is recovered, as numbers."""
        found: dict[str, Any] = {"review": None if self.review is None else _number("--review", self.review, 150)}
        if self.recovered is not None:
            written = notations.share(self.recovered)
            found["recovered"] = self.recovered if written is None else written.value
        return found


def _number(option: str, text: str, example: float) -> Any:
    value = notations.number(notations.without_thousands(text.strip()))
    if value is None:
        raise refuse("BR514", f"{option} takes a plain number, got {quoted(text)}", f"{option} {example:g} (no currency)")
    return value


class Question(NamedTuple):
    """The rule, the conditions and the volume."""

    rule: str | None
    at: Sequence[Conditions]
    volume: float | None


def said(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of amounts, which reach the command in one piece."""

    @functools.wraps(command)
    def run(*arguments: Any, **named: Any) -> Any:
        money = Money(**{name: named.pop(name) for name in Money._fields})
        alone = [name for name in Money._fields[1:] if getattr(money, name) is not None]
        if money.amount is None and alone:
            raise refuse("BR001", f"--{alone[0].replace('_', '-')} says nothing without --amount", "--amount COLUMN")
        return command(*arguments, money=money, **named)

    for name, metavar, text in reversed(
        (
            ("--amount", "COLUMN", "What each case is worth: a miss costs its amount, an alert a review."),
            ("--review", "NUMBER", "What reviewing one flagged case costs, with --amount."),
            ("--recovered", "SHARE", "The share of a caught amount that is not lost after all (all of it unless said)."),
            ("--amount-missing", "mean", "mean: where an amount is missing, take the mean of its class, and say so."),
            ("--currency", "COLUMN", "The currency of each amount: more than one is refused."),
        )
    ):
        run = click.option(name, metavar=metavar, help=text)(run)
    return run


def check_unused(given: Mapping[str, object]) -> None:
    """Nothing that was said is ignored in silence."""
    for name, value in given.items():
        if value:
            text = f"{name} says nothing beside --amount: the cost by amounts is made lowest, and every case counts once"
            raise refuse("BR001", text, f"leave {name} or --amount out")


def choose_by_amounts(given: options.Given, wanted: Wanted, money: Money, question: Question, surety: Surety, *, as_json: bool) -> None:
    """Count, choose, and tell."""
    prices = money.prices
    with options.reading(given.path):
        models = amounts_from(given.path, wanted, given.options, money.amount_missing)
    answers, refusals = made_by(choose_amount_model, models, question.rule, question.at, volume=question.volume, **prices)
    made = [answer.choice for answer in answers if answer.choice is not None]
    found = _intervals(models, made, surety)
    settings = {name: [choice.points[name] for choice in made if name in choice.points] for name in models}
    notes = document.merged([*refusals, *_notes(models, settings, found)])
    if as_json:
        click.echo(document.text(_document(models, settings, made, question, (notes, found, surety))))
    else:
        _tell(answers, list(models), found, surety)
    say(notes)


def _intervals(models: Mapping[str, Amounts], made: Sequence[AmountChoice], surety: Surety) -> Found:
    """The intervals of every chosen point, where resampling is asked for."""
    if not surety.replicates:
        return {}
    with Progress("resampling") as progress:
        how: dict[str, Any] = {"replicates": surety.replicates, "seed": surety.seed, "level": surety.level, "progress": progress}
        return {id(point): amount_intervals(point, models[name], **how) for choice in made for name, point in choice.points.items()}


def _notes(models: Mapping[str, Amounts], settings: Mapping[str, Sequence[AmountPoint]], found: Found) -> list[Note]:
    """Every note once; one that not all models share is said of its model."""
    seen: dict[Note, dict[str, None]] = {}
    for name, amounts in models.items():
        points = settings[name]
        resampled = [note for point in points for each in found.get(id(point), {}).values() for note in each.notes]
        for note in (*amounts.notes, *(note for point in points for note in point.notes), *resampled):
            seen.setdefault(note, {})[name] = None
    return [
        note if len(names) == len(models) else Note(note.code, f"{', '.join(map(quoted, names))}: {note.text}", note.override)
        for note, names in seen.items()
    ]


def _document(
    models: Mapping[str, Amounts],
    settings: Mapping[str, Sequence[AmountPoint]],
    made: Sequence[AmountChoice],
    question: Question,
    beside: tuple[Sequence[Note], Found, Surety],
) -> dict[str, Any]:
    notes, found, surety = beside
    counts = {name: amounts.counts for name, amounts in models.items()}
    known = document.Known(surety.level, surety.seed)
    verdict = [_verdict(choice) for choice in made]
    content = document.of_models("choose", counts, {}, question.at, notes, known=known, seed=surety.seed, verdict=verdict)
    for part in content["models"]:
        amounts = models[part["name"]]
        part["amounts"] = {
            "positive": document.number(amounts.total_positive_amount),
            "negative": document.number(amounts.total_negative_amount),
            "decimals": amounts.decimals,
            "digest": amounts.digest,
            "points": [_point(point, found.get(id(point), {})) for point in settings[part["name"]]],
        }
    return content


def _verdict(choice: AmountChoice) -> dict[str, Any]:
    point = choice.point
    name = point.point.optimized
    return {
        "at": document.conditions(point.at),
        "rule": point.point.rule or None,
        "optimized": name,
        "models": list(choice.models),
        "values": {model: document.number(getattr(one, name)) for model, one in choice.points.items()},
        "refused": {model: error.problems[0].text for model, error in choice.refused.items()},
        "untested": choice.untested or None,
        "baseline_untested": choice.baseline_untested,
    }


def _point(point: AmountPoint, found: Mapping[str, Interval]) -> dict[str, Any]:
    """A point and its sums, as bare numbers."""
    where, average = point.point, point.by_average
    more = document.share_of(where)
    if point.caught_best is not None and point.caught_worst is not None:
        more |= {"caught_best": point.caught_best, "caught_worst": point.caught_worst}
    return {
        "rule": where.rule or None,
        "optimized": where.optimized or None,
        "how": where.how,
        "at": {"prior": document.number(point.at.prior), "as_in_sample": point.at.as_in_sample},
        "threshold": document.threshold(point.threshold),
        **more,
        **document.outcomes(where.confusion),
        "review": None if where.optimized == CAUGHT else float(point.prices.review),
        "recovered": float(point.prices.recovered),
        "cases": document.whole(point.cases),
        **{name: document.number(getattr(point, name)) for name in (*NAMES, "amount_false_alarms")},
        "nothing": document.number(point.nothing),
        "everything": document.number(point.everything),
        "by_average": None if average is None else _point(average, {}),
        "intervals": {name: document.of_interval(each) for name, each in found.items()},
    }


def _tell(answers: Sequence[Answer[AmountChoice]], models: Sequence[str], found: Found, surety: Surety) -> None:
    """A sentence or two for each base rate, then a table, and one of intervals."""
    sentences = [line for answer in answers for line in _sentences(answer, alone=len(models) == 1)]
    rows = [(answer, name, answer.choice.points.get(name) if answer.choice else None) for answer in answers for name in models]
    table = _table(rows, len(answers) > 1, lambda point, name: _money(getattr(point, name)))
    said = ["No intervals: no formula knows how amounts are spread. --replicates 2000 resamples them."]
    if found:
        how = f"choosing the thresholds again on each of {surety.replicates} resamples"
        said = [f"{percent(surety.level)} intervals, {how}:", _table(rows, len(answers) > 1, lambda point, name: span(found[id(point)][name]))]
    tell("\n".join(sentences), table, *said)


def _sentences(answer: Answer[AmountChoice], *, alone: bool) -> list[str]:
    choice = answer.choice
    if choice is None:
        return [f"At {answer.at}: no model can satisfy the rule."]
    point = choice.point
    by_amount = point.point.optimized == CAUGHT
    review = f"a review at {_money(float(point.prices.review))} and a miss at its amount"
    best = "the largest amount caught" if by_amount else f"{review}, the cheapest threshold"
    sample = ", as in the sample" if point.at.as_in_sample else ""
    rule = f" with {escaped(point.point.rule)}" if point.point.rule else ""
    where = setting(point.point)
    if not alone:
        names = " or ".join(quoted(name, quotes=False) for name in choice.models)
        where = f"choose {names}{f', {where}' if len(choice.models) == 1 else ''}"
    cost = "" if by_amount else f"cost {_money(point.cost)}, "
    sums = f"{cost}caught {_money(point.amount_caught)}, missed {_money(point.amount_missed)}"
    others = "the difference was" if len(choice.points) == 2 else "the differences were"
    untested = f"; {others} not tested ({choice.untested})" if choice.untested else ""
    lines = [f"At prior {point.at.prior:.6g}{sample}, {best}{rule}: {where} ({sums}, of {number_of(point.cases, 'case')}){untested}."]
    if point.by_average is not None:
        lines.append(_compared(point, point.by_average))
    return lines


def _compared(point: AmountPoint, average: AmountPoint) -> str:
    """What the average amount would have chosen, and what that truly costs."""
    trivial = f"Flagging nothing costs {_money(point.nothing)}, everything {_money(point.everything)}; neither difference was tested."
    if average.sums == point.sums:
        return f"With every miss at the average amount, the same. {trivial}"
    other = f"{setting(average.point)}, which truly costs {_money(average.cost)}"
    return f"With every miss at the average amount, one would choose: {other}. {trivial}"


Rows = Sequence[tuple[Answer[AmountChoice], str, AmountPoint | None]]


def _table(rows: Rows, several: bool, cell: Callable[[AmountPoint, str], str]) -> str:
    free = all(point is None or point.point.optimized == CAUGHT for _, _, point in rows)
    names = [name for name in SHOWN if not free or "cost" not in name]  # nobody said what a review costs
    lines = []
    for answer, model, point in rows:
        prior = answer.at.prior if point is None else point.at.prior
        first = (UNDEFINED if prior is None else f"{prior:.6g}",) if several else ()
        cells = ["cannot satisfy the rule", *(UNDEFINED for _ in names)]
        if point is not None:
            cells = [brief(point.point), *(cell(point, name) for name in names)]
        lines.append((*first, quoted(model, quotes=False), *cells))
    headings = (*(("prior",) if several else ()), "model", "threshold", *(HEADINGS[name] for name in names))
    return Grid(headings, lines, left=2 if several else 1)


def _money(value: float) -> str:
    """To the cent, with thousands apart; small sums to four digits."""
    if value and abs(value) < 1:
        return digits(value, 4)
    return f"{value:,.2f}".replace(",", " ").removesuffix(".00")
